package bot_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/sandbox"
)

// editing reports whether a request of the bot's own edits this message.
func editing(r sandbox.Request, message string) bool {
	return r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/messages/"+message)
}

// TestAnOldBoardHoldsUpNothing: while Discord lets nobody edit the board that /paladin board has replaced,
// the new one keeps pace with the game; afterwards the old one leads to it.
func TestAnOldBoardHoldsUpNothing(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	old := w.board()
	w.clock.advance(20 * time.Minute)
	w.flush()
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if !editing(r, old.ID) {
			return nil
		}
		return sandbox.ErrorFault(http.StatusTooManyRequests, 30046, "Maximum number of edits to messages older than 1 hour reached.")
	})
	w.command(w.users[0], "board")
	w.settle()
	if w.board().ID == old.ID {
		t.Fatal("the board is not posted anew")
	}
	w.clock.advance(20 * time.Minute) // the token of the command is over
	before := text(w.board())
	w.move()
	w.settle()
	if text(w.board()) == before {
		t.Error("the new board stands still")
	}
	w.discord.Fault(nil)
	w.pass(10 * time.Minute)
	now, err := w.discord.Message(w.users[0], old.ChannelID, old.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, "the old board", text(now), "old board")
	if has(now, press.Seat) {
		t.Errorf("the old board goes on:\n%s", text(now))
	}
}

// TestNobodyVouchesForABoardUnasked: where Discord does not say whether the board is there, neither does
// the bot.
func TestNobodyVouchesForABoardUnasked(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.settle()
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPatch {
			return nil
		}
		return sandbox.ErrorFault(http.StatusForbidden, 50013, "Missing Permissions")
	})
	said := text(w.reply(w.command(w.users[1], "board")))
	mustNotSay(t, "the answer", said, "Here is the board")
	mustSay(t, "the answer", said, "has not told me yet whether it is still there")
}

// TestABoardThatIsSaidToBeGoneOnce is posted anew, and leads to the new one, since it is there all the
// same.
func TestABoardThatIsSaidToBeGoneOnce(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.settle()
	old := w.board()
	w.clock.advance(40 * time.Second)
	lies := 2 // to the token and to the bot
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPatch || lies == 0 {
			return nil
		}
		lies--
		return sandbox.ErrorFault(http.StatusNotFound, 10008, "Unknown Message")
	})
	said := w.reply(w.command(w.users[1], "board"))
	w.pass(time.Minute)
	if w.board().ID == old.ID {
		t.Fatal("the lie is not believed")
	}
	if link := links(said)["Open the board"]; link != w.boardURL() {
		t.Errorf("the answer leads to %s, not to %s", link, w.boardURL())
	}
	if n := len(w.boards(w.channel)); n != 1 {
		t.Errorf("%d live boards", n)
	}
}
