package bot

import (
	"testing"
	"time"

	"paladin/bot/discord"
)

// TestADoubtBecomesACertainty after hours of the same answers, and never by a clock that jumps, by
// a long silence or by few answers.
func TestADoubtBecomesACertainty(t *testing.T) {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	every := func(gap time.Duration, n int) []time.Time {
		var at []time.Time
		for i := range n {
			at = append(at, began.Add(time.Duration(i)*gap))
		}
		return at
	}
	for name, c := range map[string]struct {
		at      []time.Time
		certain bool
	}{
		"once":                         {every(0, 1), false},
		"every hour for eleven hours":  {every(time.Hour, 12), false},
		"every hour for twelve hours":  {every(time.Hour, 13), true},
		"a hundred within an hour":     {every(30*time.Second, 100), false},
		"every four hours":             {every(4*time.Hour, 30), false},
		"few and far between":          {every(3*time.Hour, 5), false},
		"a clock that jumps":           {append(every(time.Minute, 20), began.Add(24*time.Hour)), false},
		"a clock that is set back":     {append(every(time.Hour, 13)[1:], began.Add(-time.Hour)), false},
		"a silence":                    {append(every(time.Hour, 8), began.Add(20*time.Hour)), false},
		"twelve hours and a short gap": {append(every(time.Hour, 11), began.Add(13*time.Hour)), true},
	} {
		var d doubt
		for _, at := range c.at {
			d = d.heard(discord.UnknownChannel, at)
		}
		if d.certain() != c.certain {
			t.Errorf("%s: certain: %v; %d answers from %v to %v", name, d.certain(), d.answers, d.first, d.last)
		}
	}
}

// TestWhichAnswersCount holds each answer against what the gateway says of the server.
func TestWhichAnswersCount(t *testing.T) {
	const all = "channel guild access"
	for state, want := range map[serverState]string{
		serverHere: "channel", serverUnsaid: "channel guild", serverDown: "", serverGone: all,
	} {
		got := ""
		for _, c := range []struct {
			name  string
			class discord.Class
		}{
			{"channel", discord.UnknownChannel}, {"guild", discord.UnknownGuild}, {"access", discord.MissingAccess},
			{"nothing", discord.Temporary}, {"nothing", discord.Other}, {"nothing", discord.UnknownMessage},
		} {
			if state.believes(c.class) {
				got += " " + c.name
			}
		}
		if got = trimFirst(got); got != want {
			t.Errorf("of a server in state %d count %q, not %q", state, got, want)
		}
	}
}

func trimFirst(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

// TestWhatReadySaysOfServers: it names those that the bot is in. Before it, nothing is said; a
// channel that answers contradicts it.
func TestWhatReadySaysOfServers(t *testing.T) {
	s := newServers()
	check := func(when, guild string, want serverState) {
		t.Helper()
		if got := s.of(guild); got != want {
			t.Errorf("%s: server %q is in state %d, not %d", when, guild, got, want)
		}
	}
	check("before READY", "1", serverUnsaid)
	s.ready([]discord.GuildRef{{ID: "1", Unavailable: true}})
	check("listed", "1", serverHere)
	check("not listed", "2", serverGone)
	check("of no server", "", serverUnsaid)
	s.put("1", serverGone)
	check("removed", "1", serverGone)
	s.proved("1")
	s.proved("2")
	check("removed, and its channel answers", "1", serverUnsaid)
	check("not listed, and its channel answers", "2", serverUnsaid)
	s.ready(nil)
	check("a new session names none", "1", serverGone)
}
