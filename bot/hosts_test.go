package bot_test

import (
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/game/table"
	"paladin/sandbox"
)

// TestASilentHostsLobbyIsTheOthers: refused at first with the time at which it becomes theirs, then done; a
// press of the host's that changes nothing puts that off, and says so to nobody else.
func TestASilentHostsLobbyIsTheOthers(t *testing.T) {
	w := newWorld(t)
	host, guest := w.users[0], w.users[1]
	w.openFree(4, 2)
	mustSay(t, "the lobby", text(w.board()), "presses nothing here for ten minutes")
	w.pass(9 * time.Minute)
	mustSay(t, "Manage, early", text(w.reply(w.label(guest, w.board(), "Manage"))), "Only the host can do that", "press nothing here until <t:", "everybody seated can.")
	mustSay(t, "a squire, early", text(w.reply(w.label(guest, w.board(), "Add a squire"))), "press nothing here until <t:", "everybody seated can.")
	mustSay(t, "a stranger", text(w.reply(w.label(w.users[3], w.board(), "Manage"))), "Only the host can do that, and that is")
	before := len(w.discord.Requests())
	w.label(host, w.board(), "My seat")
	w.settle()
	for _, r := range w.discord.Requests()[before:] {
		if !strings.Contains(r.Route, "callback") {
			t.Errorf("My seat of the host led to %s", r.Route)
		}
	}
	w.pass(9 * time.Minute)
	mustSay(t, "after the host's press", text(w.reply(w.label(guest, w.board(), "Add a squire"))), "Only the host can do that")
	w.pass(time.Minute)
	mustSay(t, "new", text(w.reply(w.command(w.users[3], "new"))), "already", "everybody seated may start or cancel it")
	w.label(guest, w.board(), "Add a squire")
	if n := len(w.table().Public().Seats); n != 3 {
		t.Fatalf("%d seats", n)
	}
	manage := w.reply(w.label(guest, w.board(), "Manage"))
	for _, c := range controls(manage) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Remove && id.Arg(1) == guest {
			t.Error("Manage offers to remove its reader")
		}
	}
	w.label(guest, w.board(), "Start")
	if stage := w.table().Stage(); stage != table.Playing {
		t.Fatalf("stage %s", stage)
	}
}

// openFree opens a lobby for so many, in which people sit.
func (w *world) openFree(seats, people int) {
	w.t.Helper()
	w.openLobby(people, 0)
	if seats <= table.MinSeats {
		return
	}
	w.label(w.users[0], w.board(), "Cancel")
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Cancel, w.table().ID(), press.Sure).String())
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: seats})
	for _, user := range w.users[1:people] {
		w.label(user, w.board(), "Join")
	}
}

// TestAFullTableIsStartedByAnyoneSeated, the host being there or not.
func TestAFullTableIsStartedByAnyoneSeated(t *testing.T) {
	w := newWorld(t)
	w.openLobby(3, 0)
	mustSay(t, "the board", text(w.board()), "anyone seated can press Start")
	w.label(w.users[2], w.board(), "Start")
	if stage := w.table().Stage(); stage != table.Playing {
		t.Fatalf("stage %s", stage)
	}
}

// TestAHostWhoLeftTheServerIsSucceeded, once Discord says so twice: whoever is refused what is the
// host's has them looked for.
func TestAHostWhoLeftTheServerIsSucceeded(t *testing.T) {
	w := newWorld(t)
	host, guest := w.users[0], w.users[1]
	w.openFree(5, 3)
	w.pass(2 * time.Minute)
	if err := w.discord.RemoveMember(w.guild, host); err != nil {
		t.Fatal(err)
	}
	w.users = w.users[1:] // who is gone sees no board
	mustSay(t, "the refusal", text(w.reply(w.label(guest, w.board(), "Add a squire"))), "Only the host can do that")
	w.pass(5 * time.Minute)
	if w.table().Public().Host != table.UserID(host) {
		t.Fatal("one answer was believed")
	}
	w.pass(7 * time.Minute)
	public := w.table().Public()
	if public.Host != table.UserID(guest) || public.SeatOf(table.UserID(host)) >= 0 {
		t.Fatalf("host %s, seats %+v", public.Host, public.Seats)
	}
	mustSay(t, "the board", text(w.board()), "host")
}

// TestRemovingAsks: the seat is freed at the second press alone, whose button does not stand where the
// first one stood; a squire's needs no question. A question that has become stale removes nobody else.
func TestRemovingAsks(t *testing.T) {
	w := newWorld(t)
	host, ben, cleo := w.users[0], w.users[1], w.users[2]
	w.openLobby(3, 0)
	remove := func(m string) press.ID {
		t.Helper()
		manage := w.reply(w.label(host, w.board(), "Manage"))
		for _, c := range controls(manage) {
			if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Remove && id.Arg(1) == m {
				return id
			}
		}
		t.Fatalf("%s cannot be removed:\n%s", m, text(manage))
		return press.ID{}
	}
	manage := w.reply(w.label(host, w.board(), "Manage"))
	question := w.reply(w.forge(host, manage.ChannelID, manage.ID, remove(ben).String()))
	mustSay(t, "the question", text(question), "Remove 🟦 **Ben** from this table?", "cannot take a seat at it again")
	offered := controls(question)
	if len(offered) != 2 || !strings.Contains(offered[0].Label, "Keep") {
		t.Fatalf("the question's buttons: %+v", offered)
	}
	if w.table().SeatOf(table.UserID(ben)) < 0 {
		t.Fatal("removed without a question")
	}
	kept := w.reply(w.label(host, question, "Keep"))
	mustSay(t, "kept", text(kept), "Free a seat")
	// Ben leaves and Cleo moves up: the question about Ben removes nobody.
	question = w.reply(w.forge(host, manage.ChannelID, manage.ID, remove(ben).String()))
	w.label(ben, w.board(), "Leave")
	late := w.reply(w.label(host, question, "Remove"))
	if w.table().SeatOf(table.UserID(cleo)) < 0 {
		t.Fatal("a late press removed somebody else")
	}
	mustSay(t, "the late press", text(late), "seats have changed")
	question = w.reply(w.forge(host, manage.ChannelID, manage.ID, remove(cleo).String()))
	w.label(host, question, "Remove")
	if w.table().SeatOf(table.UserID(cleo)) >= 0 {
		t.Fatal("not removed")
	}
	mustSay(t, "Cleo", text(w.reply(w.label(cleo, w.board(), "Join"))), "removed")
}
