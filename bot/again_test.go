package bot_test

import (
	"fmt"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/game/table"
	"paladin/store/storetest"
)

// TestPlayAgainIsOneStep lets every call of the store fail that a press on Play again makes, before and after its work is done, and
// lets the bot begin anew then. The old table leads to a new one exactly if there is one, and whoever presses after that finds themselves
// at that one table, to which the others were called once.
func TestPlayAgainIsOneStep(t *testing.T) {
	for _, fault := range []storetest.Fault{storetest.Before, storetest.After} {
		for n, failed := 1, true; failed; n++ {
			failed = false
			t.Run(fmt.Sprint("call ", n, " fault ", fault), func(t *testing.T) {
				memory := storetest.NewMemory()
				w := newWorld(t, withStore(memory))
				w.openLobby(3, 0)
				old := w.table().ID()
				w.label(w.users[0], w.reply(w.label(w.users[0], w.board(), "Cancel")), "Cancel the table")
				w.flush()
				board, again := w.board().ID, press.New(press.Again, old).String()
				last := memory.Calls() + n
				memory.Fail(func(c storetest.Call) storetest.Fault {
					if c.N != last {
						return storetest.None
					}
					failed = true
					return fault
				})
				w.forge(w.users[0], w.channel, board, again)
				w.flush()
				memory.Fail(nil)
				w.mustLead(old)
				w.stop()
				w.start(nil)
				for _, user := range w.users[:3] {
					w.clock.advance(10 * time.Second)
					w.forge(user, w.channel, board, again)
				}
				next := w.mustLead(old)
				for range 6 {
					w.flush()
					w.clock.advance(10 * time.Second)
				}
				if next == "" {
					t.Fatal("no press opened a table")
				}
				for i, seat := range w.table().Public().Seats {
					if string(seat.Person.ID) != w.users[i] || !seat.Ready {
						t.Errorf("seat %d: %+v", i+1, seat)
					}
				}
				for _, user := range w.users[1:3] {
					if n := w.mentions(user); n != 1 {
						t.Errorf("somebody is called %d times", n)
					}
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}

// mustLead demands that the old table leads to the live one of its server, if there is one, and to none if not. It returns that.
func (w *world) mustLead(old string) string {
	w.t.Helper()
	live, err := w.store.TablesByGuild(w.ctx(), w.guild)
	if err != nil {
		w.t.Fatal(err)
	}
	row, err := w.store.Table(w.ctx(), old)
	if err != nil {
		w.t.Fatal(err)
	}
	at, err := table.Decode(row.Snapshot)
	if err != nil {
		w.t.Fatal(err)
	}
	next := at.Public().Next
	if len(live) > 1 || next == "" && len(live) > 0 || next != "" && (len(live) == 0 || live[0] != next) {
		w.t.Errorf("the old table leads to %q, live are %q", next, live)
	}
	return next
}
