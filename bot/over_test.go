package bot_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"paladin/game/table"
	"paladin/sandbox"
)

// told counts what reached a person since they were counted: direct messages and calls in channels.
type told struct{ dms, mentions int }

func (w *world) toldSince(user string, before told) told {
	return told{len(w.dms(user)) - before.dms, w.mentions(user) - before.mentions}
}

// lastMove plays the game to its end. It returns who made the last move, and what had been told to the users before it.
func (w *world) lastMove(users []string) (string, []told) {
	w.t.Helper()
	before := make([]told, len(users))
	for {
		mover := w.awaited()
		for i, user := range users {
			before[i] = w.toldSince(user, told{})
		}
		w.move()
		w.settle()
		if at := w.table(); !at.Live() {
			if at.Stage() != table.Finished {
				w.t.Fatalf("the game is %s: %s", at.Stage(), at.Reason())
			}
			return mover, before
		}
		w.clock.advance(time.Minute)
	}
}

// TestTheEndIsTold: everybody hears once how the game ended, in the way they chose, but the one whose press ended it, who sees it.
func TestTheEndIsTold(t *testing.T) {
	wholeGame(t)
	w := newWorld(t)
	for i, way := range []string{"Direct message", "Mention", "Both", "Neither"} {
		w.label(w.users[i], w.reply(w.command(w.users[i], "notices")), way)
	}
	if err := w.discord.CloseDMs(w.users[4], true); err != nil {
		t.Fatal(err)
	}
	want := []told{{1, 0}, {0, 1}, {1, 1}, {0, 0}, {0, 1}}
	w.openGame(5, 0)
	last, before := w.lastMove(w.users[:5])
	result := "wins"
	if len(w.table().Public().Game.Winners) > 1 {
		result = "share the victory"
	}
	for i, user := range w.users[:5] {
		if user == last {
			want[i] = told{}
		}
		if got := w.toldSince(user, before[i]); got != want[i] {
			t.Errorf("person %d, who made the last move: %v, was told %+v, not %+v", i+1, user == last, got, want[i])
		}
	}
	for _, i := range []int{0, 2} {
		if w.users[i] == last {
			continue
		}
		dm, _ := w.dm(w.users[i])
		mustSay(t, "the direct message", text(dm), "The game is over", result, "[Open the board]", "<#"+w.channel+">")
		mustNotSay(t, "the direct message", text(dm), "Your move")
	}
	for _, user := range w.users[:4] { // told by a message or not, nobody's goes on asking for a move
		dm, _ := w.dm(user)
		mustSay(t, "the last direct message", text(dm), "The game is over", result)
	}
	messages := 2
	if last == w.users[4] {
		messages = 1
	}
	if calls := strings.Join(w.others(w.channel), "\n"); strings.Count(calls, "the game is over") != messages {
		t.Errorf("those who are called in the channel share one message, beside it stands one for closed direct messages:\n%s", calls)
	}
}

// TestWhoEndsAGameInTheirMessageKeepsItsReceipt: the message that they pressed shows the end and what their press did; nothing takes its place.
func TestWhoEndsAGameInTheirMessageKeepsItsReceipt(t *testing.T) {
	wholeGame(t)
	w := newWorld(t)
	w.openGame(3, 0)
	for w.table().Live() {
		mover := w.awaited()
		dm, ok := w.dm(mover)
		if !ok {
			t.Fatal("who is to move has no direct message")
		}
		w.forge(mover, dm.ChannelID, dm.ID, w.moveID())
		w.clock.advance(time.Minute) // lanes rest between messages
		w.settle()
		if w.table().Live() {
			continue
		}
		now, _ := w.dm(mover)
		mustSay(t, "the direct message", text(now), "The game is over", "wins")
		if said := text(now); now.ID != dm.ID || !strings.Contains(said, "You took") && !strings.Contains(said, "You discarded") && !strings.Contains(said, " beats ") {
			t.Errorf("what the last press did is not said:\n%s", said)
		}
	}
}

// TestAStoppedGameIsTold: those who did not vote hear of it too, and those who left do not.
func TestAStoppedGameIsTold(t *testing.T) {
	w := newWorld(t)
	w.openGame(4, 0)
	gone := w.users[3]
	w.label(gone, w.reply(w.command(gone, "leave")), "Leave the game")
	w.settle()
	var before [4]told
	for i, user := range w.users[:4] {
		before[i] = w.toldSince(user, told{})
	}
	for _, user := range w.users[1:3] {
		w.label(user, w.reply(w.command(user, "stop")), "Vote to stop")
	}
	w.settle()
	if at := w.table(); at.Reason() != table.ClosedStopped {
		t.Fatalf("the game is %s: %s", at.Stage(), at.Reason())
	}
	for i, want := range []told{{1, 0}, {1, 0}, {0, 0}, {0, 0}} {
		if got := w.toldSince(w.users[i], before[i]); got != want {
			t.Errorf("person %d was told %+v, not %+v", i+1, got, want)
		}
	}
	dm, _ := w.dm(w.users[0])
	mustSay(t, "the direct message", text(dm), "voted to stop")
}

// TestEveryQuestionHasAWayBack: beside the button that cannot be undone stands one that changes nothing, whoever is asked about a game.
func TestEveryQuestionHasAWayBack(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	owner, player := w.users[0], w.users[1] // the server's owner manages the channel
	for what, q := range map[string]struct {
		user   string
		asked  sandbox.Message
		no, do string
	}{
		"leaving":           {player, w.reply(w.command(player, "leave")), "Stay", "Leave the game"},
		"a vote to stop":    {player, w.reply(w.command(player, "stop")), "Play on", "Vote to stop"},
		"a stop by who may": {owner, w.reply(w.command(owner, "stop")), "Play on", "Stop the game"},
	} {
		mustSay(t, what, text(q.asked), q.no, q.do)
		before := w.table().Public()
		mustSay(t, what+", no", text(w.reply(w.label(q.user, q.asked, q.no))), "Your hand")
		if after := w.table().Public(); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: no changed the table from %+v to %+v", what, before, after)
		}
	}
}

// TestWhoseTimeRunsOutHearsOfTheEnd: a game that ends because the last person let too many turns run out tells them, and the message that
// waited for them waits no longer; who left before reads it on their last message, without being called.
func TestWhoseTimeRunsOutHearsOfTheEnd(t *testing.T) {
	w := newWorld(t)
	w.openPaced(2, 1, table.PaceDaily)
	left, late := w.users[1], w.users[0]
	w.label(left, w.reply(w.command(left, "leave")), "Leave the game")
	w.settle()
	before := w.toldSince(left, told{})
	for w.table().Live() {
		w.pass(time.Hour)
	}
	if at := w.table(); at.Reason() != table.ClosedEmpty {
		t.Fatalf("the game is %s: %s", at.Stage(), at.Reason())
	}
	w.settle()
	for _, user := range []string{late, left} {
		dm, ok := w.dm(user)
		if !ok {
			continue
		}
		mustSay(t, "the last direct message", text(dm), "Nobody is at the table")
		mustNotSay(t, "the last direct message", text(dm), "Your move", "waits for you")
	}
	if got := w.toldSince(left, before); got != (told{}) {
		t.Errorf("who left was told %+v", got)
	}
	if dm, ok := w.dm(late); !ok || dm.EditedTimestamp != nil {
		t.Errorf("whose time ran out was not called: %t", ok)
	}
}

// TestASeatThatIsKeptSaysSo: the last message of somebody for whom a squire plays on does not go on waiting for their move, and offers the
// way back; they are not called for it.
func TestASeatThatIsKeptSaysSo(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	late := w.awaited()
	kept := func() bool { return w.table().Public().Seats[w.table().SeatOf(table.UserID(late))].Away }
	var before told
	for !kept() {
		before = w.toldSince(late, told{})
		if w.awaited() != late {
			w.move()
			w.settle()
			continue
		}
		w.pass(time.Hour)
	}
	w.settle()
	dm, _ := w.dm(late)
	mustSay(t, "the last direct message", text(dm), "A squire plays your seat", "I am back")
	mustNotSay(t, "the last direct message", text(dm), "Your move", "waits for you")
	if got := w.toldSince(late, before); got != (told{}) {
		t.Errorf("they were told %+v", got)
	}
	mustSay(t, "the way back", text(w.reply(w.label(late, dm, "I am back"))), "Your hand")
	if kept() {
		t.Error("they are away still")
	}
}
