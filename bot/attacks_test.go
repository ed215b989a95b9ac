package bot_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store/storetest"
)

// over opens a game of three people and ends it.
func (w *world) over() string {
	w.t.Helper()
	w.openGame(3, 0)
	id := w.table().ID()
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, id, "force").String())
	return id
}

// TestPlayAgainAsksWhatNewAsks: what keeps somebody from opening a table keeps them from opening the next one, wherever they press.
func TestPlayAgainAsksWhatNewAsks(t *testing.T) {
	t.Run("settings", func(t *testing.T) {
		w := newWorld(t)
		ann, ben := w.users[0], w.users[1]
		id := w.over()
		again := press.New(press.Again, id).String()
		dm, ok := w.dm(ben)
		if !ok {
			t.Fatal("no direct message")
		}
		fromDM := w.reply(w.forge(ben, dm.ChannelID, dm.ID, again))
		mustSay(t, "in direct messages", text(fromDM), "Play again on the board", "[Open the board]")
		only := w.otherChannel()
		w.result(w.discord.ForgePress(w.ctx(), ann, w.channel, w.board().ID, sandbox.TypeChannelSelect,
			press.New(press.Settings, "", render.SettingChannels).String(), only))
		mustSay(t, "where no tables may be", text(w.reply(w.forge(ben, w.channel, w.board().ID, again))), "<#"+only+">")
		if w.table().ID() != id {
			t.Error("a table was opened all the same")
		}
	})
	t.Run("permission", func(t *testing.T) {
		w := newWorld(t)
		id := w.over()
		if err := w.discord.SetPermissions(w.channel, sandbox.PermBot&^sandbox.PermSendMessages); err != nil {
			t.Fatal(err)
		}
		mustSay(t, "without permission", text(w.reply(w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Again, id).String()))), "Send Messages")
		if w.table().ID() != id {
			t.Error("a table was opened all the same")
		}
	})
}

// TestTheNextGameCallsItsPlayers though the program ends as soon as it is open: that they are called is stored with it.
func TestTheNextGameCallsItsPlayers(t *testing.T) {
	var armed atomic.Bool
	w := newWorld(t, withBot(func(c *bot.Config) {
		c.Pace = table.SquireAtOnce
		c.Failpoint = func(name string) {
			if name == "move/committed" && armed.CompareAndSwap(true, false) {
				panic("the program ends here")
			}
		}
	}))
	id := w.over()
	var calls [3]int
	for n, user := range w.users[:3] {
		calls[n] = w.mentions(user)
	}
	armed.Store(true)
	w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Again, id).String())
	w.stop()
	w.start(nil)
	w.flush()
	if w.table().ID() == id {
		t.Fatal("no table was opened")
	}
	for n, user := range w.users[:3] {
		want := 1
		if n == 1 {
			want = 0 // who pressed
		}
		if got := w.mentions(user) - calls[n]; got != want {
			t.Errorf("person %d was called %d times", n+1, got)
		}
	}
	if n := len(w.boards(w.channel)); n != 2 {
		t.Errorf("%d boards of two tables", n)
	}
}

// TestWhatIsEnqueuedUncertainlyGoesOut: a store that fails after it stored what is to be said is no reason to say it at the next start only.
func TestWhatIsEnqueuedUncertainlyGoesOut(t *testing.T) {
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(memory))
	w.openGame(3, 0)
	failed := false
	memory.Fail(func(c storetest.Call) storetest.Fault {
		if c.Method != "Enqueue" || failed {
			return storetest.None
		}
		failed = true
		return storetest.After
	})
	w.command(w.users[1], "doctor")
	w.clock.advance(time.Minute)
	w.flush()
	if pending, err := memory.Pending(w.ctx()); err != nil || len(pending) > 0 || !failed {
		t.Errorf("still to be said: %v, %v (failed: %v)", pending, err, failed)
	}
}

// TestInvitationsEnd: whoever has called as many people as one may is told so, and how others come to the table.
func TestInvitationsEnd(t *testing.T) {
	w := newWorld(t)
	ann := w.users[0]
	w.command(ann, "new")
	var people []string
	for n := range table.MaxInvited + 1 {
		u, err := w.discord.AddUser(fmt.Sprint("Guest ", n), w.guild)
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, u.ID)
	}
	invite := func(users ...string) string {
		t.Helper()
		return text(w.reply(w.result(w.discord.ForgePress(w.ctx(), ann, w.channel, w.board().ID, sandbox.TypeUserSelect, press.New(press.Invite, w.table().ID()).String(), users...))))
	}
	for some := range slices.Chunk(people[:table.MaxInvited], table.MaxSeats) {
		mustNotSay(t, "an invitation", invite(some...), "as many people")
	}
	mustSay(t, "one too many", invite(people[table.MaxInvited]), "as many people", "Join")
	for n, user := range people {
		if got, want := w.mentions(user), 1; n < table.MaxInvited && got != want || n == table.MaxInvited && got != 0 {
			t.Errorf("guest %d is called %d times", n, got)
		}
	}
}

// TestShownOnceByManyPresses: whoever presses Show everybody twenty times at once shows one replay.
func TestShownOnceByManyPresses(t *testing.T) {
	w := newWorld(t)
	id := w.over()
	before := len(w.others(w.channel))
	shown := 0
	for _, res := range w.together(slices.Repeat([]string{w.users[1]}, 20), func(int) string { return press.New(press.Share, id, "all", "1").String() }) {
		switch said := w.reply(res); {
		case !said.View.Ephemeral:
			shown++
		case !strings.Contains(text(said), english.Say(render.TextReplayShown)):
			t.Errorf("an odd answer:\n%s", text(said))
		}
	}
	if n := len(w.others(w.channel)) - before; n != 1 || shown != 1 {
		t.Errorf("%d messages, %d answers show a replay", n, shown)
	}
	w.clock.advance(2 * time.Minute)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault { // it does not arrive: the next press is no second one
		if r.Route == callbackRoute {
			return sandbox.ErrorFault(http.StatusNotFound, 10062, "too late")
		}
		return nil
	})
	w.answered(w.begin(w.users[1], w.channel, w.board().ID, press.New(press.Share, id, "all", "1").String()))
	w.flush()
	w.discord.Fault(nil)
	if said := w.reply(w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Share, id, "all", "1").String())); said.View.Ephemeral {
		t.Errorf("after one that did not arrive:\n%s", text(said))
	}
}
