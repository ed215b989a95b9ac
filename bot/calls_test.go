package bot_test

import (
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
)

// callsTo are the messages of the channel that call this person, as it is now.
func (w *world) callsTo(user string) (list []sandbox.Message) {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	board := w.board().ID
	for _, m := range messages {
		private := m.View != nil && m.View.Ephemeral
		if !private && m.ID != board && strings.Contains(text(m), "<@"+user+">") {
			list = append(list, m)
		}
	}
	return list
}

// wantMentions lets people choose to be called in the channel alone.
func (w *world) wantMentions(people int) {
	w.t.Helper()
	for _, user := range w.users[:people] {
		w.pressID(user, w.reply(w.command(user, "notices")), press.New(press.Habits, "", render.HabitWay, string(table.RemindMention)))
	}
}

// calledInChannel opens a game whose people want to be called in the channel alone.
func (w *world) calledInChannel(pace table.Pace) {
	w.t.Helper()
	w.openLobby(3, 0)
	w.wantMentions(3)
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Pace, w.table().ID(), string(pace)).String())
	w.label(w.users[0], w.board(), "Start")
	w.flush()
}

// TestAnAnsweredCallIsRemoved: the channel calls nobody who is not awaited, after each move and at the
// end, whoever made the move and wherever; nothing is called twice.
func TestAnAnsweredCallIsRemoved(t *testing.T) {
	w := newWorld(t)
	w.calledInChannel(table.PaceDaily)
	called := 0
	for range 12 {
		w.move()
		w.pass(time.Minute)
		awaited := w.awaited()
		for _, user := range w.users[:3] {
			calls := w.callsTo(user)
			if user != awaited && len(calls) > 0 {
				t.Fatalf("%s is called and not awaited:\n%s", user, text(calls[0]))
			}
			if len(calls) > 1 {
				t.Fatalf("%s is called %d times:\n%s\n%s", user, len(calls), text(calls[0]), text(calls[1]))
			}
			called += len(calls)
		}
	}
	if called == 0 {
		t.Fatal("nobody is called: this shows nothing")
	}
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	w.pass(time.Minute)
	for _, user := range w.users[:3] {
		for _, m := range w.callsTo(user) {
			if strings.Contains(text(m), "your move") {
				t.Errorf("after the end %s is still called:\n%s", user, text(m))
			}
		}
	}
}

// TestACallSaysThatTheTimeRanOut, and a reminder too; it goes when the one called has moved since.
func TestACallSaysThatTheTimeRanOut(t *testing.T) {
	w := newWorld(t)
	w.calledInChannel(table.PaceDaily)
	user := w.awaited()
	w.pass(25 * time.Hour)
	if w.awaited() == user {
		t.Fatal("the time did not run out")
	}
	calls := w.callsTo(user)
	if len(calls) != 0 {
		t.Errorf("still called:\n%s", text(calls[0]))
	}
	late := ""
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if strings.Contains(text(m), "your time ran out") {
			late += text(m)
		}
	}
	mustSay(t, "the call", late, "your time ran out, and a squire made this move", "My seat")
	mustNotSay(t, "the call", late, "waits for you", "it is your move")
	for w.awaited() != user {
		w.move()
	}
	w.pass(time.Minute)
	w.move()
	w.pass(time.Minute)
	messages, err = w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if strings.Contains(text(m), "your time ran out") {
			t.Errorf("it stays after a move of their own:\n%s", text(m))
		}
	}
}

// TestCallsOfClosedDirectMessagesGo: who takes no direct messages is called in the channel, and that goes
// as well when it was answered and at the end; how they read their cards is said once.
func TestCallsOfClosedDirectMessagesGo(t *testing.T) {
	w := newWorld(t)
	for _, user := range w.users[:3] {
		if err := w.discord.CloseDMs(user, true); err != nil {
			t.Fatal(err)
		}
	}
	w.openPaced(3, 0, table.PaceDaily)
	for range 9 {
		w.move()
		w.pass(time.Minute)
		awaited := w.awaited()
		for _, user := range w.users[:3] {
			for _, m := range w.callsTo(user) {
				if user != awaited && strings.Contains(text(m), "it is your move") {
					t.Fatalf("%s is called and not awaited:\n%s", user, text(m))
				}
			}
		}
	}
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	w.pass(time.Minute)
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		mustNotSay(t, "after the end", text(m), "it is your move", "takes no direct messages")
	}
}

// TestInvitationsGoWithTheLobby: nobody is invited to a game that has begun, nor to a table that is closed.
func TestInvitationsGoWithTheLobby(t *testing.T) {
	for name, end := range map[string]string{"begun": "Start", "closed": "Cancel"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openLobby(1, 2)
			invite := press.New(press.Invite, w.table().ID()).String()
			w.result(w.discord.ForgePress(w.ctx(), w.users[0], w.channel, w.board().ID, sandbox.TypeUserSelect, invite, w.users[3]))
			w.flush()
			if len(w.callsTo(w.users[3])) != 1 {
				t.Fatal("not invited")
			}
			w.label(w.users[0], w.board(), end)
			w.pass(time.Minute)
			if calls := w.callsTo(w.users[3]); len(calls) > 0 {
				t.Errorf("still invited:\n%s", text(calls[0]))
			}
		})
	}
}

// TestAnOldBoardIsRetiredLater: after Discord lets nobody edit the old board, it leads to the new one as
// soon as it may be edited again, and keeps nothing in the channel waiting.
func TestAnOldBoardIsRetiredLater(t *testing.T) {
	limits := sandbox.NoLimits()
	limits.OldEdit = sandbox.Limit{N: 1, Per: time.Hour}
	w := newWorld(t, withLimits(limits))
	w.openPaced(3, 0, table.PaceNone)
	before := w.board()
	w.pass(2 * time.Hour)
	for range 4 {
		w.move()
		w.pass(time.Minute)
	}
	now := w.board()
	if now.ID == before.ID {
		t.Fatal("the board that cannot be edited is not posted anew")
	}
	w.stop()
	w.start(nil)
	w.pass(3 * time.Hour)
	old, err := w.discord.Message(w.users[0], before.ChannelID, before.ID)
	if err != nil {
		t.Fatal(err)
	}
	if has(old, press.Seat) || strings.Contains(text(old), "Waiting for") {
		t.Errorf("the old board goes on:\n%s", text(old))
	}
	mustSay(t, "the old board", text(old), "old board")
}

// TestBoardIsAskedFor: whoever asks for a board that was deleted is led to a new one, in its first minute
// too, and doctor calls none well that is not there.
func TestBoardIsAskedFor(t *testing.T) {
	for _, ask := range []string{"board", "doctor"} {
		t.Run(ask, func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			w.settle()
			old := w.board()
			if err := w.discord.DeleteMessage(old.ChannelID, old.ID); err != nil {
				t.Fatal(err)
			}
			said := w.reply(w.command(w.users[1], ask))
			now := w.board()
			if now.ID == old.ID {
				t.Fatalf("the board is not posted anew:\n%s", text(said))
			}
			if link := links(said)["Open the board"]; link != w.boardURL() {
				t.Errorf("the answer leads to %s, not to the new board %s:\n%s", link, w.boardURL(), text(said))
			}
			boards := 0
			messages, err := w.discord.Messages(w.users[0], w.channel)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				if has(m, press.Seat) && (m.View == nil || !m.View.Ephemeral) {
					boards++
				}
			}
			if boards != 1 {
				t.Errorf("%d boards", boards)
			}
		})
	}
}

// TestQuestionsAboutAnOfferGo, in channels and direct messages, when the offer was accepted or has ended
// because the owner moved.
func TestQuestionsAboutAnOfferGo(t *testing.T) {
	for name, end := range map[string]func(w *world, owner string){
		"accepted": func(w *world, _ string) { w.acceptAll() },
		"withdrawn": func(w *world, owner string) {
			w.label(owner, w.reply(w.label(owner, w.board(), "My seat")), "Refresh")
			w.move()
		},
		"stopped": func(w *world, _ string) {
			w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			owner, _ := w.late()
			for _, user := range w.users[:3] {
				both := press.New(press.Habits, "", render.HabitWay, string(table.RemindBoth))
				w.pressID(user, w.reply(w.command(user, "notices")), both)
			}
			w.label(w.users[4], w.board(), "Stand in for")
			w.pass(time.Minute)
			asking := func() (n int) {
				t.Helper()
				messages, err := w.discord.Messages(w.users[0], w.channel)
				if err != nil {
					t.Fatal(err)
				}
				board := w.board().ID
				for _, user := range w.users[:3] {
					messages = append(messages, w.dmsNow(user)...)
				}
				for _, m := range messages {
					if m.ID != board && has(m, press.Accept) {
						n++
					}
				}
				return n
			}
			if asking() < 2 {
				t.Fatalf("%d questions", asking())
			}
			for w.awaited() != owner && name == "withdrawn" {
				w.move()
			}
			end(w, owner)
			w.pass(time.Minute)
			if n := asking(); n != 0 {
				t.Errorf("%d questions are still asked", n)
			}
		})
	}
}
