package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"paladin/game/table"
	"paladin/sandbox"
)

// How much a failure tells of what went before it.
const (
	annalLines    = 15
	annalRequests = 60
	annalWords    = 90
)

// annals are the last lines of a table's history, and what the bot asked Discord for meanwhile in its channel and of its people, but
// for answers, for whoever looks into a failure: a run is not repeated exactly by its seed.
func (s *sim) annals(t *table.Table) string {
	s.t.Helper()
	var b strings.Builder
	entries, err := s.store.History(context.Background(), t.ID(), 1, 0)
	if err != nil {
		s.fatal("history: %v", err)
	}
	var since time.Time
	fmt.Fprintf(&b, "it is %s; the end of the history of table %s, question %d:", s.clock.Now().Format(annalTime), t.ID(), t.Prompt())
	for _, e := range entries[max(0, len(entries)-annalLines):] {
		var line table.Line
		if json.Unmarshal(e.Data, &line) != nil {
			continue
		}
		if since.IsZero() {
			since = line.At
		}
		fmt.Fprintf(&b, "\n%s %s, seat %d, %s %s", line.At.Format(annalTime), line.Kind, line.Seat.Number(), line.User, line.Move)
	}
	var asked []string
	for _, r := range s.discord.Requests() {
		answer := strings.HasPrefix(r.Route, "/interactions/") || strings.HasPrefix(r.Route, "/webhooks/")
		if !r.Time.Before(since) && !answer && s.concerns(t, r) {
			asked = append(asked, fmt.Sprintf("%s %s %s: %d %d: %s", r.Time.Format(annalTime), r.Method, r.Path, r.Status, r.Code, gist(r)))
		}
	}
	fmt.Fprintf(&b, "\nasked of Discord:\n%s", strings.Join(asked[max(0, len(asked)-annalRequests):], "\n"))
	return b.String()
}

const annalTime = "02 15:04:05.000"

// concerns reports whether a request is about the table: in its channel or to one of its people.
func (s *sim) concerns(t *table.Table, r sandbox.Request) bool {
	if strings.Contains(r.Path, t.Channel()) || strings.Contains(string(r.Body), "/"+t.ID()+"/") {
		return true
	}
	for _, p := range t.People() {
		if strings.Contains(string(r.Body), string(p.ID)) || s.dmOf(string(p.ID)) != "" && strings.Contains(r.Path, s.dmOf(string(p.ID))) {
			return true
		}
	}
	return false
}

// dmOf is the channel of somebody's direct messages; "" if there is none.
func (s *sim) dmOf(user string) string {
	m, ok := s.world.dm(user)
	if !ok {
		return ""
	}
	return m.ChannelID
}

// gist is how a message in a request begins.
func gist(r sandbox.Request) string {
	p, ok := messageOf(r)
	if !ok {
		return ""
	}
	words := []rune(strings.Join(strings.Fields(text(sandbox.Message{Components: p.Components})), " "))
	return string(words[:min(len(words), annalWords)])
}
