package bot_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/sandbox"
)

// reborn starts the bot again with its commands in a server, or everywhere.
func (w *world) reborn(guild string) {
	w.t.Helper()
	w.stop()
	w.clock.advance(time.Minute)
	w.commandsIn = guild
	w.start(nil)
}

// kept is what the store says of where the commands are registered.
func (w *world) kept() string {
	w.t.Helper()
	data, _, err := w.store.Get(w.ctx(), "commands")
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// keeps waits until the store says that the commands are registered nowhere but there.
func (w *world) keeps(scopes ...string) {
	w.t.Helper()
	want := fmt.Sprintf(`{"in":["%s"]}`, strings.Join(scopes, `","`))
	waitUntil(w.t.(*testing.T), w, func() bool { return w.kept() == want })
}

// offers demands what a client shows in a channel when somebody types a slash.
func (w *world) offers(channel string, want ...string) {
	w.t.Helper()
	list, err := w.discord.Commands(w.users[0], channel)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		where := "everywhere"
		if c.GuildID != "" {
			where = "here"
		}
		got = append(got, c.Name+" "+where)
	}
	slices.Sort(got)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("a client shows %v, want %v", got, want)
	}
}

// second is another server with the bot in it, and a channel there.
func (w *world) second() (guild, channel string) {
	w.t.Helper()
	g, err := w.discord.AddGuild("Second", w.users...)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := w.discord.AddChannel(g.ID, "below")
	if err == nil {
		err = w.discord.InviteBot(g.ID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return g.ID, c.ID
}

// TestCommandsAreInOnePlace: wherever commands are registered from a start on, nobody is shown
// those of an earlier start besides.
func TestCommandsAreInOnePlace(t *testing.T) {
	w := newWorld(t)
	guild, channel := w.second()
	w.offers(w.channel, "paladin everywhere")
	w.reborn(w.guild)
	w.keeps(w.guild)
	w.offers(w.channel, "paladin here")
	w.offers(channel)
	w.reborn(guild)
	w.keeps(guild)
	w.offers(w.channel)
	w.offers(channel, "paladin here")
	w.reborn("")
	w.keeps("")
	w.offers(w.channel, "paladin everywhere")
	w.offers(channel, "paladin everywhere")
	before := len(w.discord.Requests())
	w.reborn("")
	for _, r := range w.discord.Requests()[before:] {
		if strings.Contains(r.Path, "/guilds/") {
			t.Errorf("asked of a server that has none any more: %s %s", r.Method, r.Path)
		}
	}
}

// TestCommandsOfAnEarlierProgram: one that registered commands everywhere stored nothing of it.
func TestCommandsOfAnEarlierProgram(t *testing.T) {
	w := newWorld(t)
	w.stop()
	if err := w.store.Put(w.ctx(), "commands", nil); err != nil {
		t.Fatal(err)
	}
	w.offers(w.channel, "paladin everywhere")
	w.reborn(w.guild)
	w.keeps(w.guild)
	w.offers(w.channel, "paladin here")
}

// TestCommandsOfOthersStay: another program may have commands of the same application.
func TestCommandsOfOthersStay(t *testing.T) {
	w := newWorld(t)
	other := map[string]any{"name": "dice", "description": "Rolls dice"}
	w.rest(http.MethodPost, "/applications/"+w.discord.ApplicationID()+"/commands", other)
	w.reborn(w.guild)
	w.keeps(w.guild)
	w.offers(w.channel, "dice everywhere", "paladin here")
}

// TestCommandsClearedLater: what cannot be cleared is cleared at a later start, and a server that
// is out of reach at start after start is asked no more: Discord has been seen to say so of servers
// that were not gone.
func TestCommandsClearedLater(t *testing.T) {
	w := newWorld(t)
	lists := func(f *sandbox.Fault) (asked func() int) {
		n := 0
		w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
			if r.Method != http.MethodGet || !strings.HasSuffix(r.Path, "/guilds/"+w.guild+"/commands") {
				return nil
			}
			w.clock.mu.Lock()
			defer w.clock.mu.Unlock()
			n++
			return f
		})
		return func() int {
			w.clock.mu.Lock()
			defer w.clock.mu.Unlock()
			return n
		}
	}
	w.reborn(w.guild)
	w.keeps(w.guild)
	lists(sandbox.ErrorFault(http.StatusForbidden, 40001, "Unauthorized"))
	w.reborn("")
	w.discord.Fault(nil)
	w.offers(w.channel, "paladin everywhere", "paladin here")
	for n := range 2 { // two lies
		asked := lists(sandbox.ErrorFault(http.StatusForbidden, 50001, "Missing Access"))
		w.reborn("")
		waitUntil(t, w, func() bool { return strings.Contains(w.kept(), fmt.Sprintf(":%d}", n+1)) })
		if asked() == 0 {
			t.Fatal("the server was not asked")
		}
	}
	w.discord.Fault(nil)
	w.reborn("")
	w.keeps("")
	w.offers(w.channel, "paladin everywhere")

	w.reborn(w.guild)
	w.keeps(w.guild)
	asked := lists(sandbox.ErrorFault(http.StatusForbidden, 50001, "Missing Access"))
	for n := range 2 {
		w.reborn("")
		waitUntil(t, w, func() bool { return strings.Contains(w.kept(), fmt.Sprintf(":%d}", n+1)) })
	}
	w.reborn("")
	w.keeps("")
	if asked() != 3 {
		t.Errorf("asked %d times", asked())
	}
}
