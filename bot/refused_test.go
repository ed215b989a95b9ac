package bot_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/sandbox"
)

// teapot is a refusal of which nobody knows what it means.
func teapot() *sandbox.Fault { return sandbox.ErrorFault(http.StatusTeapot, 0, "") }

// refuse refuses every message that is posted to channels of which that is said, and counts how often.
func (w *world) refuse(refused func(channel string) bool, f *sandbox.Fault) *atomic.Int32 {
	var n atomic.Int32
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		channel, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/api/v10/channels/"), "/")
		if r.Method != http.MethodPost || r.Route != createRoute || !refused(channel) {
			return nil
		}
		n.Add(1)
		return f
	})
	return &n
}

// TestAnUnexplainedRefusalPasses: what Discord refuses once or twice, nobody knows why, is tried again: nobody waits for a board that
// will never change, or is awaited and never told.
func TestAnUnexplainedRefusalPasses(t *testing.T) {
	t.Run("board", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		w.clock.advance(20 * time.Minute) // the tokens of the presses are over
		w.fail(4, http.MethodPatch, editRoute, teapot())
		w.move()
		w.pass(time.Minute)
		if !strings.Contains(text(w.board()), mentionOf(w.awaited())) {
			t.Errorf("the board does not wait for %s:\n%s", w.awaited(), text(w.board()))
		}
	})
	t.Run("direct message", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		w.fail(3, http.MethodPost, createRoute, teapot())
		before, last := w.tellsNext()
		w.pass(time.Minute)
		if got := w.toldSince(w.awaited(), before); got != (told{1, 0}) {
			t.Errorf("%s, whose move it is after that of %s, was told %+v", w.awaited(), last, got)
		}
	})
	t.Run("call in the channel", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		for _, user := range w.users {
			if err := w.discord.CloseDMs(user, true); err != nil {
				t.Fatal(err)
			}
		}
		w.refuse(func(channel string) bool { return channel == w.channel }, teapot())
		before, _ := w.tellsNext()
		w.pass(10 * time.Second)
		w.discord.Fault(nil)
		w.pass(time.Minute)
		if got := w.toldSince(w.awaited(), before); got != (told{0, 1}) {
			t.Errorf("%s, whose move it is, was told %+v", w.awaited(), got)
		}
	})
}

// tellsNext makes moves until it is somebody else's turn. It returns what that person had been told before, and who moved last.
func (w *world) tellsNext() (before told, last string) {
	w.t.Helper()
	for {
		last = w.awaited()
		all := map[string]told{}
		for _, user := range w.users {
			all[user] = w.toldSince(user, told{})
		}
		w.move()
		if now := w.awaited(); now != last {
			return all[now], last
		}
	}
}

// TestARefusalForGood: whoever cannot be written to is called in the channel, whatever the reason, and what can never be said keeps
// nothing else from being said.
func TestARefusalForGood(t *testing.T) {
	for name, fault := range map[string]*sandbox.Fault{
		"unexplained": teapot(),
		"blocked":     sandbox.ErrorFault(http.StatusBadRequest, 240000, "Message blocked by harmful links filter"),
		"invalid":     sandbox.ErrorFault(http.StatusBadRequest, 50035, "Invalid Form Body"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			n := w.refuse(func(channel string) bool { return channel != w.channel }, fault)
			before, _ := w.tellsNext()
			w.pass(10 * time.Minute)
			if got := w.toldSince(w.awaited(), before); got != (told{0, 1}) || n.Load() == 0 {
				t.Errorf("%s, to whom no message got through in %d attempts, was told %+v", w.awaited(), n.Load(), got)
			}
		})
	}
	t.Run("in the channel", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		for _, user := range w.users {
			if err := w.discord.CloseDMs(user, true); err != nil {
				t.Fatal(err)
			}
		}
		w.clock.advance(20 * time.Minute)
		n := w.refuse(func(channel string) bool { return channel == w.channel }, teapot())
		w.tellsNext()
		w.pass(10 * time.Minute)
		w.tellsNext()
		w.pass(10 * time.Minute)
		if !strings.Contains(text(w.board()), mentionOf(w.awaited())) || n.Load() == 0 {
			t.Errorf("after %d calls that were refused the board does not wait for %s:\n%s", n.Load(), w.awaited(), text(w.board()))
		}
	})
}

// TestOneChannelKeepsNothingFromAnother: somebody without direct messages hears of their move in one channel while the bot may not
// write in another, where it is their move as well; and there as soon as it may.
func TestOneChannelKeepsNothingFromAnother(t *testing.T) {
	w := newWorld(t)
	ben := w.users[1]
	for _, user := range w.users {
		if err := w.discord.CloseDMs(user, true); err != nil {
			t.Fatal(err)
		}
	}
	first := w.channel
	second, err := w.discord.AddChannel(w.guild, "below")
	if err != nil {
		t.Fatal(err)
	}
	called := func() int {
		n := 0
		for _, said := range w.others(w.channel) {
			if strings.Contains(said, mentionOf(ben)+", it is your move") {
				n++
			}
		}
		return n
	}
	others := func() {
		t.Helper()
		for moved := false; w.awaited() != ben || !moved; moved = true {
			w.move()
			w.settle()
		}
	}
	w.openGame(3, 0)
	w.channel = second.ID
	w.openGame(3, 0)

	w.channel = first
	if err := w.discord.SetPermissions(first, sandbox.PermBot&^sandbox.PermSendMessages&^sandbox.PermViewChannel); err != nil {
		t.Fatal(err)
	}
	before := called()
	others()
	if got := called() - before; got != 0 {
		t.Errorf("%d calls in a channel where the bot may not write", got)
	}
	w.channel = second.ID
	there := called()
	others()
	if got := called() - there; got != 1 {
		t.Errorf("%d calls in the other channel", got)
	}
	w.channel = first
	if err := w.discord.SetPermissions(first, sandbox.PermBot); err != nil {
		t.Fatal(err)
	}
	w.pass(11 * time.Minute)
	if got := called() - before; got != 1 {
		t.Errorf("%d calls in the first channel when the bot may write there again", got)
	}
}

// TestBothWaysWithoutDMs: who wants to be told by direct message and in the channel, and takes none, is called once for each move.
func TestBothWaysWithoutDMs(t *testing.T) {
	w := newWorld(t)
	ben := w.users[1]
	w.label(ben, w.reply(w.command(ben, "notices")), "Both")
	w.openGame(3, 0)
	if err := w.discord.CloseDMs(ben, true); err != nil {
		t.Fatal(err)
	}
	for turns := 0; turns < 4; {
		before, _ := w.tellsNext()
		w.settle()
		if w.awaited() != ben {
			continue
		}
		turns++
		if got := w.toldSince(ben, before); got != (told{0, 1}) {
			t.Errorf("turn %d: told %+v", turns, got)
		}
	}
}

// TestAnOldMessageIsChangedLater: a message that shall say no longer that it is somebody's move does so though Discord fails at first.
func TestAnOldMessageIsChangedLater(t *testing.T) {
	for name, fault := range map[string]*sandbox.Fault{"unexplained": teapot(), "failing": sandbox.ErrorFault(http.StatusServiceUnavailable, 0, "")} {
		t.Run(name, func(t *testing.T) {
			wholeGame(t)
			w := newWorld(t)
			w.openGame(3, 0)
			var n atomic.Int32
			w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
				if r.Method != http.MethodPatch || r.Route != editRoute || strings.Contains(r.Path, w.channel) || n.Add(1) > 3 {
					return nil
				}
				return fault
			})
			last, _ := w.lastMove(w.users[:3])
			w.pass(time.Minute)
			dm, _ := w.dm(last)
			mustSay(t, "the last direct message", text(dm), "The game is over")
			if n.Load() < 4 {
				t.Errorf("%d changes of direct messages were tried", n.Load())
			}
		})
	}
}
