package bot_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// simLies are the lies that are still to be told: each final code once a run to each kind of call
// that Discord may answer with it. The same call is not lied to again soon, and a look-up of a
// person not for longer than it takes to look twice: what is said again and again is to be
// believed.
type simLies struct {
	left map[string][]lie
	last map[string]time.Time // by method and path
	told int
	ill  bool // a server is unavailable: then lies are likely
	// gate: the gateway lies, and a look-up of a channel does not. Where both say the same it is to be
	// believed.
	gate bool
	lost map[string]bool // channels that were really deleted, or whose server the bot was really removed from
}

const (
	simLieAgain    = 5 * time.Minute
	simAbsentAgain = 4 * time.Hour
)

var (
	noAccess   = lie{status: 403, code: 50001}
	noChannel  = lie{status: 404, code: 10003}
	noGuild    = lie{status: 404, code: 10004}
	noMember   = lie{status: 404, code: 10007}
	noMessage  = lie{status: 404, code: 10008}
	noUser     = lie{status: 404, code: 10013}
	noDM       = lie{status: 403, code: 50007}
	noMutual   = lie{status: 403, code: 50278}
	notOurs    = lie{status: 403, code: 50005}
	noPage     = lie{status: 404, html: true}
	noDMOpened = lie{status: 400, code: 50007}
	// Pages of portals and of what stands before Discord: they say nothing of what was asked for.
	portal  = lie{status: 401, html: true}
	barred  = lie{status: 403, html: true}
	tooMany = lie{status: 429, html: true}
)

func newSimLies(gate bool) *simLies {
	lies := &simLies{
		gate: gate,
		last: map[string]time.Time{}, lost: map[string]bool{},
		left: map[string][]lie{
			"edit":    {noAccess, noChannel, noGuild, noMessage, notOurs, noPage, portal, barred},
			"message": {noAccess, noChannel, noGuild, noMessage, noUser, noPage, portal, barred},
			"dm":      {noAccess, noChannel, noUser, noDM, noMutual, noPage, portal, barred},
			"edit dm": {noAccess, noChannel, noMessage, notOurs, noPage, portal, barred},
			"open":    {noUser, noDMOpened, noMutual, noAccess, noPage, portal, barred},
			"member":  {noAccess, noGuild, noMember, noUser, noPage, portal, barred},
			"channel": {noAccess, noChannel, noGuild, noPage, portal, barred},
			"delete":  {noAccess, noChannel, noMessage, noPage, portal, barred},
		},
	}
	if gate {
		delete(lies.left, "channel")
	}
	return lies
}

// lieOfServers makes an outage of a server a removal from it, or lets READY leave out a server.
func (s *sim) lieOfServers(d sandbox.Dispatch) sandbox.Dispatch {
	var data map[string]json.RawMessage
	if !s.lies.gate || s.faulty == 0 || d.Type != "READY" && d.Type != "GUILD_DELETE" {
		return d
	}
	if json.Unmarshal(d.Data, &data) != nil {
		return d
	}
	if d.Type == "GUILD_DELETE" {
		if len(data["unavailable"]) > 0 {
			s.injected["GUILD_DELETE lies"]++
		}
		d.Data = without(d.Data, "unavailable")
		return d
	}
	var guilds []json.RawMessage
	if json.Unmarshal(data["guilds"], &guilds) != nil || len(guilds) < 2 {
		return d
	}
	s.injected["READY lies"]++
	data["guilds"], _ = json.Marshal(guilds[1:])
	d.Data, _ = json.Marshal(data)
	return d
}

// lie answers a request of a kind to which a lie is still to be told with it.
func (s *sim) lie(r sandbox.Request) *sandbox.Fault {
	kind := s.kindOf(r)
	left, call := s.lies.left[kind], r.Method+" "+r.Path
	chance, pause := 0.3, simLieAgain
	if s.lies.ill || kind == "open" || kind == "member" || kind == "channel" || kind == "delete" {
		chance = 0.8
	}
	if kind == "member" {
		pause = simAbsentAgain
	}
	at, before := s.lies.last[call]
	if now := s.clock.Now(); len(left) == 0 || before && now.Sub(at) < pause || s.chance.Float64() >= chance {
		return nil
	}
	n := s.chance.IntN(len(left))
	l := left[n]
	left[n] = left[0]
	s.lies.left[kind] = left[1:]
	s.lies.last[call] = s.clock.Now()
	s.lies.told++
	s.injected["lie"]++
	return l.fault()
}

func (s *sim) kindOf(r sandbox.Request) string {
	channel, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/api/v10/channels/"), "/")
	direct := s.writes[channel] != ""
	switch {
	case r.Route == editRoute && r.Method == http.MethodPatch && direct:
		return "edit dm"
	case r.Route == editRoute && r.Method == http.MethodPatch:
		return "edit"
	case r.Route == editRoute && r.Method == http.MethodDelete:
		return "delete"
	case r.Route == createRoute && r.Method == http.MethodPost && direct:
		return "dm"
	case r.Route == createRoute && r.Method == http.MethodPost:
		return "message"
	case r.Route == "/users/@me/channels":
		return "open"
	case r.Route == memberRoute:
		return "member"
	case r.Route == channelRoute && r.Method == http.MethodGet:
		return "channel"
	}
	return ""
}

// lose says that a channel is really going.
func (s *sim) lose(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lies.lost[channel] = true
}

// illness begins or ends a time in which lies are likely.
func (s *sim) illness(begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lies.ill = begins
}

// believed finds what a change makes of a lie: nothing in this world was deleted but what lose told
// of, and whoever left came back.
func (s *sim) believed(c *store.Change, next *table.Table, bad func(string, ...any)) {
	if next.Reason() == table.ClosedChannel && !s.lies.lost[next.Channel()] {
		bad("closed, and its channel is there")
	}
	for _, e := range c.Entries {
		var line table.Line
		if json.Unmarshal(e, &line) == nil && line.Kind == table.LineGone {
			bad("the seat of user %s went to a squire, and they are there", line.User)
		}
	}
}
