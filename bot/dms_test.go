package bot_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/game/table"
	"paladin/sandbox"
)

// liveDMs are the direct messages of a person that have anything to press, by game.
func (w *world) liveDMs(user string) map[string][]sandbox.Message {
	w.t.Helper()
	out := map[string][]sandbox.Message{}
	for _, m := range w.dmsNow(user) {
		if m.View != nil && m.View.Ephemeral {
			continue
		}
		for _, c := range controls(m) {
			if id, err := press.Parse(c.CustomID); err == nil && id.Table != "" {
				out[id.Table] = append(out[id.Table], m)
				break
			}
		}
	}
	return out
}

// oneLiveDM demands that nobody has more than one live message of a game, and that none asks for a move
// that is not theirs, but for the live one of who moved elsewhere.
func (w *world) oneLiveDM(when string) {
	w.t.Helper()
	for _, user := range w.users {
		for id, list := range w.liveDMs(user) {
			if len(list) > 1 {
				w.t.Fatalf("%s: %s has %d live messages of %s:\n%s\n\n%s", when, user, len(list), id, text(list[0]), text(list[len(list)-1]))
			}
		}
	}
}

// TestOneLiveDirectMessageAGame: over whole games in which people press in direct messages, elsewhere or
// not at all, in which time runs out, seats are left and taken back, and the bot starts anew.
func TestOneLiveDirectMessageAGame(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.openPaced(3, 0, table.PaceDaily)
			rng := rand.New(rand.NewPCG(seed, 19))
			lines := 0
			for n := 0; n < 60 && w.table().Stage() == table.Playing; n++ {
				user := w.awaited()
				switch what := rng.IntN(10); {
				case user == "" || what == 0:
					w.pass(25 * time.Hour)
				case what == 1:
					w.pass(9 * time.Hour) // a reminder
				case what == 2:
					w.stop()
					w.start(nil)
				case what < 6:
					w.moveByDM(rng)
				default:
					w.playOn(rng)
				}
				w.pass(time.Minute)
				w.oneLiveDM(fmt.Sprint("step ", n))
				for _, user := range w.users[:3] {
					if w.table().Awaited() >= 0 && w.awaited() == user {
						continue
					}
					for _, m := range w.dmsNow(user) {
						if said := text(m); strings.Contains(said, "Paladin in <#") && len(controls(m)) == 0 {
							lines++
							if strings.Count(strings.TrimSpace(said), "\n") > 0 {
								t.Fatalf("more than one line:\n%s", said)
							}
						}
					}
				}
			}
			if lines == 0 {
				t.Error("no message became a line: this shows nothing")
			}
			if w.table().Stage() == table.Playing {
				w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
			}
			w.pass(time.Minute)
			w.oneLiveDM("at the end")
		})
	}
}

// TestADirectMessageBecomesOneLine after the move that was made in it, and a press on it afterwards is
// answered rightly.
func TestADirectMessageBecomesOneLine(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	rng := rand.New(rand.NewPCG(1, 2))
	user := w.awaited()
	before, _ := w.dm(user)
	for w.awaited() == user {
		w.moveByDM(rng)
	}
	w.settle()
	after, err := w.discord.Message(user, before.ChannelID, before.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(controls(after)) != 0 {
		t.Errorf("it still has buttons:\n%s", text(after))
	}
	mustSay(t, "the line", text(after), "✅", "Paladin in <#"+w.channel+">", "[Open the board](")
	// Their client has kept the buttons.
	said := w.reply(w.forge(user, before.ChannelID, before.ID, press.New(press.Refresh, w.table().ID()).String()))
	mustSay(t, "a late press", text(said), "Your hand")
	w.settle()
	w.oneLiveDM("after a late press")
	for w.awaited() != user {
		w.move()
	}
	w.pass(time.Minute)
	w.oneLiveDM("called anew")
	if live := w.liveDMs(user)[w.table().ID()]; len(live) != 1 || live[0].ID == before.ID {
		t.Errorf("the call is no new message: %d", len(live))
	}
}

// TestTimeThatRanOutIsSaidInTheDirectMessage, in the same message, which asks for nothing any more.
func TestTimeThatRanOutIsSaidInTheDirectMessage(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	w.pass(25 * time.Hour)
	if w.awaited() == user {
		t.Fatal("the time did not run out")
	}
	late := false
	for _, m := range w.dmsNow(user) {
		said := text(m)
		late = late || strings.Contains(said, "Your time ran out, and a squire made this move") && len(controls(m)) == 0
		mustNotSay(t, "a message", said, "waits for you", "### Your move", "deadline")
	}
	if !late {
		t.Error("nothing says that the time ran out")
	}
}

// sparing is Discord with a limit that leaves room or does not, as it is told.
type sparing struct {
	bot.Discord
	room atomic.Bool
}

func (s *sparing) Spare() bool { return s.room.Load() }

// TestOldDirectMessagesWaitForRoom: while the limit leaves no room the calls go out and the messages before
// them stay; as soon as there is room those go, also after a restart.
func TestOldDirectMessagesWaitForRoom(t *testing.T) {
	limit := &sparing{}
	narrow := func(cfg *bot.Config) { limit.Discord, cfg.Discord = cfg.Discord, limit }
	w := newWorld(t, withBot(narrow))
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	for range 2 {
		for first := true; first || w.awaited() != user; first = false {
			w.move()
			w.pass(time.Minute)
		}
	}
	live := func() int { return len(w.liveDMs(user)[w.table().ID()]) }
	if live() < 2 {
		t.Fatalf("%d live messages while there is no room", live())
	}
	w.stop()
	w.start(narrow)
	w.pass(time.Minute)
	limit.room.Store(true)
	w.pass(time.Minute)
	w.oneLiveDM("with room")
	if live() != 1 {
		t.Errorf("%d live messages", live())
	}
}

// TestAPressOnAMessageThatGoes is answered all the same: the message was removed while the press was on
// its way, at once or after an acknowledgement.
func TestAPressOnAMessageThatGoes(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	dm, _ := w.dm(user)
	var once sync.Once
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.Contains(r.Route, "callback") {
			once.Do(func() {
				if err := w.discord.DeleteMessage(dm.ChannelID, dm.ID); err != nil {
					t.Error(err)
				}
			})
		}
		return nil
	})
	said := w.reply(w.label(user, dm, "Refresh"))
	mustSay(t, "the answer", text(said), "Your hand")
	if said.ID == dm.ID || said.View == nil || !said.View.Ephemeral {
		t.Errorf("it stands in %s", said.ID)
	}
}
