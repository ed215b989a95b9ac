package bot

import (
	"testing"
	"time"

	"paladin/bot/discord"
)

// TestWhatTheGatewaySaysOfServers: a server is out when Discord says so, and until it is announced
// or somebody presses there.
func TestWhatTheGatewaySaysOfServers(t *testing.T) {
	listed := func(ids ...string) *discord.Ready {
		r := &discord.Ready{}
		for _, id := range ids {
			r.Guilds = append(r.Guilds, discord.GuildRef{ID: id, Unavailable: true})
		}
		return r
	}
	out, left := &discord.GuildGone{ID: "1", Unavailable: true}, &discord.GuildGone{ID: "1"}
	one, two := &discord.GuildJoined{ID: "1"}, &discord.GuildJoined{ID: "2"}
	press := func(guild string) discord.Event { return &discord.Interaction{Guild: guild} }
	there := &discord.Ready{Guilds: []discord.GuildRef{{ID: "1"}}}
	resumed := &discord.Ready{Resumed: true}
	tests := []struct {
		name   string
		events []discord.Event
		out    bool // what is said of server 1
		holds  bool // whether presses from it can arrive
	}{
		{"nothing was said", nil, false, false},
		{"listed, and nobody is ever announced", []discord.Event{listed("1", "2")}, false, false},
		{"listed, and others were announced", []discord.Event{listed("1", "2"), two}, true, true},
		{"listed and announced", []discord.Event{listed("1", "2"), one, two}, false, false},
		{"listed, others were announced, and somebody presses there", []discord.Event{listed("1", "2"), two, press("1")}, false, false},
		{"an invitation announces nothing", []discord.Event{listed("1"), two}, false, false},
		{"announced once, listed anew", []discord.Event{listed("1"), one, listed("1")}, true, true},
		{"listed as being there", []discord.Event{listed("1", "2"), two, there}, false, false},
		{"a resumed session lists nothing", []discord.Event{listed("1", "2"), two, resumed}, true, true},
		{"an outage", []discord.Event{out}, true, true},
		{"an outage is over", []discord.Event{out, one}, false, false},
		{"another is back", []discord.Event{out, two}, true, true},
		{"somebody presses in an outage", []discord.Event{out, press("1")}, false, false},
		{"somebody presses elsewhere", []discord.Event{out, press(""), press("2")}, true, true},
		{"an outage before a new session", []discord.Event{out, listed("1")}, true, true},
		{"listed, and somebody presses there", []discord.Event{listed("1", "2"), press("2")}, false, false},
		{"the bot was removed", []discord.Event{left}, false, false},
		{"the bot was removed in an outage", []discord.Event{out, left}, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r reach
			for _, e := range tt.events {
				r.hear(e, time.Unix(1000, 0))
			}
			if got := r.unavailable("1"); got != tt.out {
				t.Errorf("unavailable: %v", got)
			}
			if s := r.servers["1"]; (s != nil && s.down) != tt.holds {
				t.Errorf("presses from it can arrive: %v", !tt.holds)
			}
			if r.unavailable("2") || r.down() {
				t.Error("something else is down too")
			}
		})
	}
}

// TestTheConnectionAndAServerAreOneWay: what was lost while the connection was down is lost,
// whether its session goes on afterwards or a new one announces the server a moment later.
func TestTheConnectionAndAServerAreOneWay(t *testing.T) {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return began.Add(d) }
	listed := &discord.Ready{Guilds: []discord.GuildRef{{ID: "1", Unavailable: true}, {ID: "2", Unavailable: true}}}
	one, two := &discord.GuildJoined{ID: "1"}, &discord.GuildJoined{ID: "2"}
	out := &discord.GuildGone{ID: "1", Unavailable: true}
	lost := &discord.Disconnected{}
	type said struct {
		after time.Duration
		event discord.Event
	}
	tests := []struct {
		name             string
		said             []said
		from, back, took time.Duration
	}{
		{"a session that goes on", []said{{time.Hour, lost}, {time.Hour + 230*time.Second, &discord.Ready{Resumed: true}}},
			time.Hour, time.Hour + 230*time.Second, 230 * time.Second},
		{"a new session", []said{{time.Hour, lost}, {time.Hour + 230*time.Second, listed}, {time.Hour + 231*time.Second, one}},
			time.Hour, time.Hour + 231*time.Second, 231 * time.Second},
		{"a server that was out some time before", []said{{time.Hour, out}, {time.Hour + time.Minute, one},
			{2 * time.Hour, lost}, {2*time.Hour + time.Second, &discord.Ready{Resumed: true}}},
			2 * time.Hour, 2*time.Hour + time.Second, time.Second},
		{"a server that is out some time later", []said{{time.Hour, lost}, {time.Hour + time.Minute, &discord.Ready{Resumed: true}},
			{2 * time.Hour, out}, {2*time.Hour + time.Second, one}},
			2 * time.Hour, 2*time.Hour + time.Second, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r reach
			r.began(at(0))
			r.hear(listed, at(0))
			r.hear(two, at(0))
			r.hear(one, at(0))
			for _, s := range tt.said {
				r.hear(s.event, at(s.after))
			}
			w := r.way("1")
			if w.down || !w.from.Equal(at(tt.from)) || !w.back.Equal(at(tt.back)) || w.took != tt.took {
				t.Errorf("down %v, from %v to %v, for %v", w.down, w.from.Sub(began), w.back.Sub(began), w.took)
			}
		})
	}
}
