package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// settle waits like flush, and lets the time go by that calls to Discord wait for before they try again.
func (w *world) settle() {
	w.t.Helper()
	var err error
	over := false
	go func() {
		failed := w.app.Flush(w.ctx())
		w.clock.mu.Lock()
		defer w.clock.mu.Unlock()
		err, over = failed, true
		w.clock.set.Broadcast()
	}()
	for {
		w.clock.mu.Lock()
		var next *testTimer
		for next == nil && !over {
			for t := range w.clock.timers {
				soon := t.f == nil && !t.at.After(w.clock.now.Add(time.Millisecond)) // "at once", to the outbox
				if (t.sleeps || soon) && (next == nil || t.at.Before(next.at)) {
					next = t
				}
			}
			if next == nil {
				w.clock.set.Wait()
			}
		}
		now := w.clock.now
		w.clock.mu.Unlock()
		if next == nil {
			break
		}
		w.clock.advance(max(0, next.at.Sub(now)))
	}
	if err != nil {
		w.t.Fatalf("the bot does not come to rest: %v", err)
	}
}

// timed waits until the bot has set a timer of this length.
func (c *testClock) timed(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for t := range c.timers {
			if t.at.Equal(c.now.Add(d)) && !t.sleeps && t.f == nil {
				return
			}
		}
		c.set.Wait()
	}
}

// boards are the messages of the channel that everybody sees and that hold the buttons of a lobby or board.
func (w *world) boards(channel string) []sandbox.Message {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], channel)
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.DeleteFunc(messages, func(m sandbox.Message) bool {
		said := text(m)
		return m.View.Ephemeral || !strings.Contains(said, "## Paladin:")
	})
}

// others are the public messages of the channel that are no boards.
func (w *world) others(channel string) []string {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], channel)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, m := range messages {
		if said := text(m); !m.View.Ephemeral && !strings.Contains(said, "## Paladin:") {
			out = append(out, said)
		}
	}
	return out
}

// awaited is the user whose move it is.
func (w *world) awaited() string {
	w.t.Helper()
	person, ok := w.table().AwaitedPerson()
	if !ok {
		w.t.Fatal("nobody is awaited")
	}
	return string(person.ID)
}

// move makes some legal move for whoever is awaited, by pressing My seat's confirmation.
func (w *world) move() sandbox.Result {
	w.t.Helper()
	user := w.awaited()
	return w.forge(user, w.channel, w.board().ID, w.moveID())
}

// moveID is the custom id of the first legal move of whoever is awaited.
func (w *world) moveID() string {
	w.t.Helper()
	at := w.table()
	person, _ := at.AwaitedPerson()
	return legalID(w.t, at, person.ID)
}

func legalID(t testing.TB, at *table.Table, user table.UserID) string {
	t.Helper()
	mine, ok := at.Private(user)
	if !ok {
		t.Fatal("no seat")
	}
	for _, m := range mine.View.Legal() {
		id := press.For(press.Place, at.ID(), at.Prompt(), m.Card.String(), fmt.Sprint(m.Quest))
		switch m.Kind.String() {
		case "start":
			id = press.For(press.First, at.ID(), at.Prompt(), fmt.Sprint(m.Target.Number()))
		case "place":
		case "take", "beat", "discard":
			id = press.For(press.Act, at.ID(), at.Prompt(), m.Kind.String())
		default:
			continue
		}
		return id.String()
	}
	t.Fatal("no legal move")
	return ""
}

// fail spoils requests of one route n times; a test in which none came has shown nothing.
func (w *world) fail(n int, method, route string, f *sandbox.Fault) {
	w.t.Cleanup(func() {
		if n != 0 {
			w.t.Errorf("%d requests %s %s never came", n, method, route)
		}
	})
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if n == 0 || r.Method != method || r.Route != route {
			return nil
		}
		n--
		return f
	})
}

const (
	createRoute   = "/channels/{channel}/messages"
	editRoute     = "/channels/{channel}/messages/{message}"
	callbackRoute = "/interactions/{id}/{token}/callback"
)

func TestDeletedBoardIsPostedOnceMore(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	old := w.board()
	if err := w.discord.DeleteMessage(w.channel, old.ID); err != nil {
		t.Fatal(err)
	}
	user := w.awaited()
	dm, _ := w.dm(user)
	w.result(w.discord.ForgePress(w.ctx(), user, dm.ChannelID, dm.ID, sandbox.TypeButton, w.moveID()))
	w.settle()
	boards := w.boards(w.channel)
	if len(boards) != 1 || boards[0].ID == old.ID || boards[0].ID != w.board().ID {
		t.Fatalf("%d boards after the board was deleted", len(boards))
	}
	for range 3 {
		w.move()
		w.settle()
	}
	if boards = w.boards(w.channel); len(boards) != 1 {
		t.Errorf("%d boards after more moves", len(boards))
	}
}

func TestBoardTooOldToEdit(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	old := w.board()
	w.clock.advance(2 * time.Hour)
	w.fail(1, http.MethodPatch, editRoute, sandbox.ErrorFault(http.StatusTooManyRequests, 30046, "Maximum number of edits to messages older than 1 hour reached."))
	w.move()
	w.settle()
	if boards := w.boards(w.channel); len(boards) != 1 || w.board().ID == old.ID { // the old one leads to the new one
		t.Fatalf("%d boards; the live one is the old one: %v", len(boards), w.board().ID == old.ID)
	}
	w.discord.Fault(nil)
	// Somebody's client has kept the buttons.
	res := w.forge(w.users[1], old.ChannelID, old.ID, press.New(press.Seat, w.table().ID()).String())
	if len(res.Followups) != 1 || !res.Followups[0].View.Ephemeral || !strings.Contains(text(res.Followups[0]), "Your hand") {
		t.Errorf("My seat on the old board is answered %+v", res)
	}
	if boards := w.boards(w.channel); len(boards) != 1 || boards[0].ID != w.board().ID {
		t.Errorf("%d boards after the old one was pressed", len(boards))
	}
	retired, err := w.discord.Message(w.users[0], w.channel, old.ID)
	if err != nil || !strings.Contains(text(retired), "old board") || !strings.Contains(text(retired), "Open the board") {
		t.Errorf("the old board: %v\n%s", err, text(retired))
	}
}

func TestBoardCommandMovesTheBoard(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	old := w.board()
	w.clock.advance(2 * time.Minute)
	w.command(w.users[4], "board")
	if boards := w.boards(w.channel); len(boards) != 1 || boards[0].ID == old.ID || boards[0].ID != w.board().ID {
		t.Fatalf("%d boards after /paladin board", len(boards))
	}
	if m, err := w.discord.Message(w.users[0], w.channel, old.ID); err != nil || !strings.Contains(text(m), "old board") {
		t.Errorf("the old board does not point on: %v\n%s", err, text(m))
	}
	w.clock.advance(30 * time.Second)
	live := w.board()
	said := w.reply(w.command(w.users[4], "board"))
	if !said.View.Ephemeral || !strings.Contains(text(said), "Here is the board") || w.board().ID != live.ID {
		t.Errorf("a second /paladin board within a minute: %s", text(said))
	}
	w.move()
	w.settle()
	if boards := w.boards(w.channel); len(boards) != 1 || boards[0].ID != live.ID {
		t.Errorf("%d boards after a move", len(boards))
	}
}

// mentions counts how often the user was called in channels, apart from their DMs.
func (w *world) mentions(user string) int {
	n := 0
	for _, p := range w.discord.Pings(user) {
		if p.Why != "dm" {
			n++
		}
	}
	return n
}

// TestClosedDMs: somebody whose DMs are closed at the start is told so once in the channel, is called there when it is their move, and is
// written to again when their DMs are open.
func TestClosedDMs(t *testing.T) {
	w := newWorld(t)
	ben := w.users[1]
	if err := w.discord.CloseDMs(ben, true); err != nil {
		t.Fatal(err)
	}
	w.openGame(3, 0)
	notices := func() int {
		n := 0
		for _, said := range w.others(w.channel) {
			if strings.Contains(said, "takes no direct messages") {
				n++
				if !strings.Contains(said, "[My seat]") {
					t.Errorf("the notice does not offer My seat:\n%s", said)
				}
			}
		}
		return n
	}
	if n := notices(); n != 1 {
		t.Fatalf("%d notices at the start", n)
	}
	turns := 0
	for range 12 {
		before := w.mentions(ben)
		waited := w.awaited()
		w.move()
		w.settle()
		if w.table().Stage() != table.Playing {
			break
		}
		if now := w.awaited(); now == ben && waited != ben {
			turns++
			if got := w.mentions(ben) - before; got != 1 {
				t.Errorf("turn %d: called %d times in the channel", turns, got)
			}
		} else if got := w.mentions(ben) - before; got != 0 {
			t.Errorf("called %d times though it is not their move", got)
		}
	}
	if turns < 2 || notices() != 1 {
		t.Errorf("%d turns, %d notices", turns, notices())
	}
	if err := w.discord.CloseDMs(ben, false); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(4 * 24 * time.Hour)
	for range 8 {
		if w.awaited() == ben {
			w.move()
			w.settle()
		}
		if w.awaited() != ben {
			w.move()
			w.settle()
		}
		if w.awaited() == ben {
			break
		}
	}
	if _, ok := w.dm(ben); !ok {
		t.Error("no direct message after they were opened again")
	}
}

// TestCallsDoNotPileUp: of the calls of a seat in the channel the last one stays there, whyever they are called there, and nothing else
// is removed. Where Discord does not let one be removed, the game goes on beside it.
func TestCallsDoNotPileUp(t *testing.T) {
	for name, refused := range map[string]bool{"removed": false, "not to be removed": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, ben := w.users[0], w.users[1]
			w.label(ann, w.reply(w.command(ann, "notices")), "Mention")
			if err := w.discord.CloseDMs(ben, true); err != nil {
				t.Fatal(err)
			}
			if refused {
				w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
					if r.Method != http.MethodDelete {
						return nil
					}
					return sandbox.ErrorFault(http.StatusForbidden, 50013, "Missing Permissions")
				})
			}
			w.openGame(3, 0)
			calls := func(user string) (n int) {
				for _, said := range w.others(w.channel) {
					if strings.Contains(said, "<@"+user+">") {
						n++
					}
				}
				return n
			}
			notices := calls(ben) // that they take no direct messages
			most := map[string]int{}
			for range 20 {
				w.move()
				w.settle()
				w.pass(7 * time.Hour) // and a reminder
				for _, user := range []string{ann, ben} {
					most[user] = max(most[user], calls(user))
				}
			}
			if w.mentions(ann) < 4 || w.mentions(ben) < 4 {
				t.Fatalf("called %d and %d times: this shows nothing", w.mentions(ann), w.mentions(ben))
			}
			kept := most[ann] == 1 && most[ben] == 1+notices && calls(ben) >= notices
			if all := calls(ann) == w.mentions(ann) && calls(ben) == w.mentions(ben); kept == refused || all != refused {
				t.Errorf("%v calls stand in the channel; called %d and %d times:\n%s", most, w.mentions(ann), w.mentions(ben), strings.Join(w.others(w.channel), "\n"))
			}
		})
	}
}

// TestDMsClosedMidGame: the first notice that reaches nobody by DM calls the person in the channel, for it is their move.
func TestDMsClosedMidGame(t *testing.T) {
	for _, stage := range []string{"lead", "resolve"} {
		t.Run(stage, func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			for w.table().Public().Game.Phase.String() != stage {
				w.move()
			}
			at := w.table()
			var closed string
			for closed == "" {
				user := w.awaited()
				for _, p := range at.People() {
					if string(p.ID) != user {
						if err := w.discord.CloseDMs(string(p.ID), true); err != nil {
							t.Fatal(err)
						}
					}
				}
				w.move()
				w.settle()
				if now := w.awaited(); now != user {
					closed = now
				}
			}
			if n := w.mentions(closed); n != 1 {
				t.Errorf("called %d times:\n%s", n, strings.Join(w.others(w.channel), "\n"))
			}
			said := w.reply(w.forge(closed, w.channel, w.board().ID, press.New(press.Seat, at.ID()).String()))
			if !strings.Contains(text(said), "Your move") {
				t.Errorf("My seat shows:\n%s", text(said))
			}
		})
	}
}

func TestLostDMChannelIsOpenedAgain(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	lost := 0
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method == http.MethodPost && r.Route == createRoute && !strings.Contains(r.Path, w.channel) && lost == 0 {
			lost++
			return sandbox.ErrorFault(http.StatusNotFound, 10003, "Unknown Channel")
		}
		return nil
	})
	for lost == 0 {
		w.move()
		w.settle()
	}
	if w.table().Stage() != table.Playing {
		t.Fatalf("the game is %s: %s", w.table().Stage(), w.table().Reason())
	}
	next := w.awaited()
	if dm, ok := w.dm(next); !ok || !strings.Contains(text(dm), "Your move") {
		t.Errorf("the one to move has no message:\n%s", text(dm))
	}
	if said := w.others(w.channel); len(said) > 0 {
		t.Errorf("the channel reads: %s", said)
	}
}

func TestOldPanelsInDMs(t *testing.T) {
	w := newWorld(t)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method == http.MethodDelete {
			return barred.fault() // so that they stay
		}
		return nil
	})
	w.openGame(3, 0)
	ben := w.users[1]
	first, ok := w.dm(ben)
	if !ok {
		t.Fatal("no panel at the deal")
	}
	for {
		latest, _ := w.dm(ben)
		if latest.ID != first.ID && w.awaited() == ben {
			break
		}
		w.move()
		w.settle()
	}
	prompt := w.table().Prompt()
	res := w.forge(ben, first.ChannelID, first.ID, w.moveID())
	if w.table().Prompt() != prompt {
		t.Error("an old panel made a move")
	}
	if res.Message == nil || res.Message.ID != first.ID || !strings.Contains(text(*res.Message), "older message") || len(controls(*res.Message)) > 0 {
		t.Errorf("the old panel becomes:\n%s", text(*res.Message))
	}
	live, _ := w.dm(ben)
	id := w.moveID()
	w.result(w.discord.ForgePress(w.ctx(), ben, live.ChannelID, live.ID, sandbox.TypeButton, id))
	if w.table().Prompt() == prompt {
		t.Error("the live panel makes no move")
	}
	// The log and the rules, opened within the DMs, can be leafed through: they are no old panels.
	for _, id := range []string{press.New(press.Log, w.table().ID()).String(), press.New(press.Rules, "").String()} {
		page := w.reply(w.forge(ben, live.ChannelID, live.ID, id))
		again := w.reply(w.forge(ben, page.ChannelID, page.ID, strings.TrimSuffix(id, "/1")+"/1"))
		if strings.Contains(text(again), "older message") || again.ID != page.ID {
			t.Errorf("%s: leafing shows:\n%s", id, text(again))
		}
	}
}

func TestDeletedChannelFreesEverybody(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	id := w.table().ID()
	stood := ""
	for _, c := range w.channels(w.users[0]) {
		if c.ID == w.channel {
			stood = "#" + strings.ReplaceAll(c.Name, "-", `\-`) + " on "
		}
	}
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, w, func() bool {
		w.settle()
		row, err := w.store.Table(w.ctx(), id)
		return err == nil && !row.Live
	})
	w.settle()
	for _, user := range w.users[:3] {
		n := 0
		for _, c := range w.channels(user) {
			if c.Type != sandbox.ChannelDM {
				continue
			}
			messages, _ := w.discord.Messages(user, c.ID)
			for _, m := range messages {
				if strings.Contains(text(m), "has ended: its channel is gone") {
					n++
					mustSay(t, "the goodbye", text(m), "It stood in "+stood)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s is told %d times", user, n)
		}
	}
	w.channel = w.channels(w.users[0])[0].ID
	w.openGame(3, 0)
	if w.table().Stage() != table.Playing {
		t.Error("they cannot play elsewhere")
	}
}

// waitUntil asks again until what an event of the gateway causes has come; the events take their way beside the test.
func waitUntil(t *testing.T, w *world, ok func() bool) {
	t.Helper()
	ctx := w.ctx()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatal("it does not happen")
		default:
		}
	}
}

func TestArchivedAndLockedThread(t *testing.T) {
	w := newWorld(t)
	thread, err := w.discord.AddThread(w.channel, "table")
	if err != nil {
		t.Fatal(err)
	}
	w.channel = thread.ID
	w.openGame(3, 0)
	w.clock.advance(20 * time.Minute) // the tokens of the presses are over
	if err := w.discord.ArchiveThread(thread.ID, true); err != nil {
		t.Fatal(err)
	}
	turn := func() {
		t.Helper()
		user := w.awaited()
		dm, _ := w.dm(user)
		id := w.moveID()
		w.result(w.discord.ForgePress(w.ctx(), user, dm.ChannelID, dm.ID, sandbox.TypeButton, id))
		w.settle()
	}
	turn()
	waiting := "Waiting for"
	if !strings.Contains(text(w.board()), mentionOf(w.awaited())) || !strings.Contains(text(w.board()), waiting) {
		t.Errorf("the board in the archived thread:\n%s", text(w.board()))
	}
	if err := w.discord.ArchiveThread(thread.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := w.discord.LockThread(thread.ID, true); err != nil {
		t.Fatal(err)
	}
	before := text(w.board())
	turn()
	turn()
	if text(w.board()) != before {
		t.Error("a locked thread was edited")
	}
	if w.table().Stage() != table.Playing {
		t.Errorf("the game in the locked thread is %s", w.table().Stage())
	}
	if err := w.discord.LockThread(thread.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := w.discord.ArchiveThread(thread.ID, false); err != nil {
		t.Fatal(err)
	}
	w.clock.timed(10 * time.Minute)
	w.clock.advance(10 * time.Minute)
	waitUntil(t, w, func() bool {
		w.settle()
		return strings.Contains(text(w.board()), mentionOf(w.awaited()))
	})
	if boards := w.boards(thread.ID); len(boards) != 1 {
		t.Errorf("%d boards", len(boards))
	}
}

func mentionOf(user string) string { return "<@" + user + ">" }

func TestOutageIsNoRemoval(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	id := w.table().ID()
	if err := w.discord.GuildUnavailable(w.guild, true); err != nil {
		t.Fatal(err)
	}
	if err := w.discord.GuildUnavailable(w.guild, false); err != nil {
		t.Fatal(err)
	}
	w.move()
	w.settle()
	if w.table().Stage() != table.Playing {
		t.Fatalf("an outage ends the game: %s", w.table().Reason())
	}
	if err := w.discord.KickBot(w.guild); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, w, func() bool {
		w.settle()
		row, err := w.store.Table(w.ctx(), id)
		return err == nil && !row.Live
	})
}

func TestPermissionTakenAwayAndGivenBack(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	if err := w.discord.CloseDMs(w.users[1], true); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(20 * time.Minute)
	if err := w.discord.SetPermissions(w.channel, sandbox.PermBot&^sandbox.PermSendMessages&^sandbox.PermViewChannel); err != nil {
		t.Fatal(err)
	}
	before := text(w.board())
	for range 3 {
		w.move()
		w.settle()
	}
	if text(w.board()) != before || w.table().Stage() != table.Playing {
		t.Errorf("without permission: the game is %s", w.table().Stage())
	}
	if err := w.discord.SetPermissions(w.channel, sandbox.PermBot); err != nil {
		t.Fatal(err)
	}
	w.clock.timed(10 * time.Minute)
	w.clock.advance(10 * time.Minute)
	waitUntil(t, w, func() bool {
		w.settle()
		return strings.Contains(text(w.board()), mentionOf(w.awaited()))
	})
	if boards := w.boards(w.channel); len(boards) != 1 {
		t.Errorf("%d boards", len(boards))
	}
}

// begin presses without waiting for what comes of it.
func (w *world) begin(user, channel, message, custom string) *sandbox.Interaction {
	w.t.Helper()
	i, err := w.discord.ForgePress(w.ctx(), user, channel, message, sandbox.TypeButton, custom)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// answered waits until Discord has heard from the bot about an interaction, whatever it answered.
func (w *world) answered(i *sandbox.Interaction) {
	w.t.Helper()
	waitUntil(w.t.(*testing.T), w, func() bool {
		return slices.ContainsFunc(w.discord.Requests(), func(r sandbox.Request) bool { return strings.Contains(r.Path, i.ID) && r.Status != 0 })
	})
}

// TestLateAnswers: Discord does not take the answer any more. What was committed stands and the board shows it.
func TestLateAnswers(t *testing.T) {
	for _, code := range []int{10062, 50027, 10015} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			user, id := w.awaited(), w.moveID()
			w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
				if r.Route == callbackRoute || strings.HasPrefix(r.Route, "/webhooks/") {
					return sandbox.ErrorFault(http.StatusNotFound, code, "too late")
				}
				return nil
			})
			i := w.begin(user, w.channel, w.board().ID, id)
			w.answered(i)
			w.settle()
			w.discord.Fault(nil)
			if w.awaited() == user && w.table().Prompt() == 1 {
				t.Fatal("the move is lost")
			}
			if board := text(w.board()); !strings.Contains(board, mentionOf(w.awaited())) {
				t.Errorf("the board does not show it:\n%s", board)
			}
			prompt := w.table().Prompt()
			said := w.reply(w.forge(user, w.channel, w.board().ID, id))
			if w.table().Prompt() != prompt || !said.View.Ephemeral || !strings.Contains(text(said), "earlier moment") {
				t.Errorf("pressed again: %s", text(said))
			}
		})
	}
}

func TestAnswerAcknowledgedBefore(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	user, id := w.awaited(), w.moveID()
	w.fail(1, http.MethodPost, callbackRoute, &sandbox.Fault{After: true, Status: http.StatusBadRequest,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"code":40060,"message":"Interaction has already been acknowledged."}`)})
	i := w.begin(user, w.channel, w.board().ID, id)
	w.answered(i)
	w.settle()
	res := i.Result()
	if len(res.Followups) != 1 || !res.Followups[0].View.Ephemeral {
		t.Errorf("no private word after 40060: %+v", res)
	}
	if len(w.boards(w.channel)) != 1 {
		t.Error("something was written into a public message")
	}
}

// TestOneInteractionTwice delivers one interaction twice, within a process and across a restart.
func TestOneInteractionTwice(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	user, id := w.awaited(), w.moveID()
	i := w.begin(user, w.channel, w.board().ID, id)
	w.result(i, nil)
	prompt, version := w.table().Prompt(), w.tableVersion()
	for range 3 {
		if err := w.discord.Redeliver(i.ID); err != nil {
			t.Fatal(err)
		}
		w.probe()
	}
	w.stop()
	w.start(nil)
	if err := w.discord.Redeliver(i.ID); err != nil {
		t.Fatal(err)
	}
	w.probe()
	if w.table().Prompt() != prompt || w.tableVersion() != version {
		t.Error("one press counted twice")
	}
	if n := len(w.boards(w.channel)); n != 1 {
		t.Errorf("%d boards", n)
	}
}

// probe has something answered, so that what was dispatched before has been taken up, and waits for all of it.
func (w *world) probe() {
	w.t.Helper()
	w.command(w.users[4], "help")
	w.settle()
}

func (w *world) tableVersion() uint64 {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), w.table().ID())
	if err != nil {
		w.t.Fatal(err)
	}
	return row.Version
}

// TestAnswersThatSeemedToFail: Discord did what it was asked to and answered with an error. Nothing is there twice.
func TestAnswersThatSeemedToFail(t *testing.T) {
	spoil := func(w *world, method, route string) {
		w.fail(1, method, route, &sandbox.Fault{After: true, Status: http.StatusBadGateway})
	}
	t.Run("new", func(t *testing.T) {
		w := newWorld(t)
		spoil(w, http.MethodPost, callbackRoute)
		i, err := w.discord.Command(w.ctx(), w.users[0], w.channel, "paladin", "new")
		if err != nil {
			t.Fatal(err)
		}
		w.answered(i)
		w.settle()
		w.label(w.users[1], w.boards(w.channel)[0], "Join")
		w.settle()
		if n := len(w.boards(w.channel)); n != 1 {
			t.Errorf("%d lobbies", n)
		}
	})
	t.Run("board and DM", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		if err := w.discord.DeleteMessage(w.channel, w.board().ID); err != nil {
			t.Fatal(err)
		}
		spoil(w, http.MethodPost, createRoute)
		user := w.awaited()
		dm, _ := w.dm(user)
		w.answered(w.begin(user, dm.ChannelID, dm.ID, w.moveID()))
		waitUntil(t, w, func() bool {
			w.settle()
			w.clock.advance(10 * time.Second)
			return len(w.boards(w.channel)) > 0 && w.board().ID != ""
		})
		for range 4 {
			waited := w.awaited()
			spoil(w, http.MethodPost, createRoute)
			w.answered(w.begin(waited, w.channel, w.board().ID, w.moveID()))
			for range 6 {
				w.settle()
				w.clock.advance(10 * time.Second)
			}
			if now := w.awaited(); now != waited {
				if panels := w.panelsOf(now, w.table().Prompt()); panels != 1 {
					t.Errorf("%d messages about one question", panels)
				}
			}
			if n := len(w.boards(w.channel)); n != 1 {
				t.Errorf("%d boards", n)
			}
		}
	})
}

func (w *world) messagesOf(user string) []sandbox.Message {
	w.t.Helper()
	for _, c := range w.channels(user) {
		if c.Type == sandbox.ChannelDM {
			messages, err := w.discord.Messages(user, c.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			return messages
		}
	}
	return nil
}

// panelsOf counts the user's direct messages whose controls answer this question.
func (w *world) panelsOf(user string, prompt uint64) int {
	n := 0
	for _, m := range w.messagesOf(user) {
		if slices.ContainsFunc(controls(m), func(c sandbox.Component) bool {
			id, err := press.Parse(c.CustomID)
			return err == nil && id.Prompt == prompt
		}) {
			n++
		}
	}
	return n
}

// TestCloudflare: an address that is banned for a moment sends nothing more for ten minutes, and catches up then.
func TestCloudflare(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.clock.advance(20 * time.Minute)
	w.fail(1, http.MethodPatch, editRoute, sandbox.CloudflareFault())
	w.move()
	w.flush()
	before := text(w.board())
	w.clock.advance(time.Minute)
	w.flush()
	if text(w.board()) != before {
		t.Error("it goes on after a minute")
	}
	waitUntil(t, w, func() bool {
		w.clock.advance(5 * time.Minute)
		w.settle()
		return strings.Contains(text(w.board()), mentionOf(w.awaited()))
	})
}

// slowStore is a store that can be made to wait.
type slowStore struct {
	store.Store
	mu   sync.Mutex
	gate chan struct{}
}

func (s *slowStore) close() (open func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.gate)
		s.gate = nil
	}
}

func (s *slowStore) wait() {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
}

func (s *slowStore) Table(ctx context.Context, id string) (store.Row, error) {
	s.wait()
	return s.Store.Table(ctx, id)
}

func (s *slowStore) TableByChannel(ctx context.Context, channel string) (string, bool, error) {
	s.wait()
	return s.Store.TableByChannel(ctx, channel)
}

func (s *slowStore) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	s.wait()
	return s.Store.Commit(ctx, c)
}

var cards = regexp.MustCompile(`Your hand|Your move`)

// TestSlowAnswersStayPrivate: what takes longer than a second and a half is acknowledged first, and the answer follows where only that
// person sees it, whatever was pressed and wherever.
func TestSlowAnswersStayPrivate(t *testing.T) {
	slow := &slowStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(slow))
	ann := w.users[0]
	late := func(name string, begin func() (*sandbox.Interaction, error)) sandbox.Result {
		t.Helper()
		open := slow.close()
		i, err := begin()
		if err != nil {
			open()
			t.Fatal(err)
		}
		w.clock.timed(1500 * time.Millisecond)
		w.clock.advance(1500 * time.Millisecond)
		first, err := i.First(w.ctx())
		open()
		if err != nil || first.Outcome != sandbox.Thinking && first.Outcome != sandbox.Acknowledged {
			t.Fatalf("%s: no acknowledgement: %+v, %v", name, first, err)
		}
		res := w.result(i, nil)
		for _, m := range append(w.boards(w.channel), w.board()) {
			if cards.MatchString(text(m)) {
				t.Errorf("%s: cards in public:\n%s", name, text(m))
			}
		}
		for _, said := range w.others(w.channel) {
			t.Errorf("%s: everybody reads:\n%s", name, said)
		}
		return res
	}
	press1 := func(user string, m sandbox.Message, id string) func() (*sandbox.Interaction, error) {
		return func() (*sandbox.Interaction, error) {
			return w.discord.ForgePress(w.ctx(), user, m.ChannelID, m.ID, sandbox.TypeButton, id)
		}
	}
	sub := func(user, name string, options ...sandbox.Option) func() (*sandbox.Interaction, error) {
		return func() (*sandbox.Interaction, error) {
			return w.discord.Command(w.ctx(), user, w.channel, "paladin", name, options...)
		}
	}
	private := func(name string, res sandbox.Result, want string) sandbox.Message {
		t.Helper()
		said := w.reply(res)
		if !said.View.Ephemeral && said.GuildID != "" {
			t.Errorf("%s is answered in public:\n%s", name, text(said))
		}
		if !strings.Contains(text(said), want) {
			t.Errorf("%s: %q is not in:\n%s", name, want, text(said))
		}
		return said
	}
	private("new", late("new", sub(ann, "new", sandbox.Option{Name: "seats", Value: 3})), "open in the channel")
	if n := len(w.boards(w.channel)); n != 1 {
		t.Fatalf("%d lobbies after a late /paladin new", n)
	}
	id := w.table().ID()
	on := func(kind press.Kind, args ...string) string { return press.New(kind, id, args...).String() }
	private("join", late("join", press1(w.users[1], w.board(), on(press.Join))), "You sit at the table")
	private("squire", late("squire", press1(ann, w.board(), on(press.Squire))), "A squire sits")
	private("manage", late("manage", press1(ann, w.board(), on(press.Manage))), "Arrange the table")
	private("start", late("start", press1(ann, w.board(), on(press.Start))), "The game begins")
	if board := text(w.board()); !strings.Contains(board, "round 1") {
		t.Errorf("the board after a late start:\n%s", board)
	}
	panel := private("seat", late("seat", press1(ann, w.board(), on(press.Seat))), "Your hand")
	private("panel", late("panel", press1(ann, panel, on(press.Refresh))), "Your hand")
	private("log on a panel", late("log", press1(ann, panel, on(press.Log))), "Log")
	private("log", late("log", press1(ann, w.board(), on(press.Log))), "Log")
	private("record", late("record", press1(ann, w.board(), on(press.Record))), "no record yet")
	private("move on a panel", late("move", press1(ann, panel, w.moveID())), "✅")
	for w.awaited() != w.users[1] {
		w.move()
	}
	dm, _ := w.dm(w.users[1])
	private("move in the DMs", late("move in the DMs", press1(w.users[1], dm, w.moveID())), "✅")
	private("log in the DMs", late("log in the DMs", press1(w.users[1], dm, on(press.Log))), "Log")
	private("seat command", late("seat command", sub(ann, "seat")), "Your hand")
	private("leave", late("leave", sub(w.users[1], "leave")), "Leave the game?")
	private("record command", late("record command", sub(ann, "record")), "no record yet")
	w.clock.advance(2 * time.Minute)
	private("board", late("board", sub(ann, "board")), "board")
	if n := len(w.boards(w.channel)); n != 1 {
		t.Errorf("%d boards after a late /paladin board", n)
	}
	private("spectator", late("spectator", press1(w.users[4], w.board(), on(press.Seat))), "no seat")
}

// TestTwoGamesOfOnePerson: moves in two channels' games of the same person never mix.
func TestTwoGamesOfOnePerson(t *testing.T) {
	w := newWorld(t)
	first := w.channel
	w.openGame(3, 0)
	a := w.table().ID()
	var second string
	for _, c := range w.channels(w.users[0]) {
		if c.Type == sandbox.ChannelText && c.ID != first {
			second = c.ID
		}
	}
	w.channel = second
	w.openGame(3, 0)
	b := w.table().ID()
	in := func(channel string) { w.channel = channel }
	for range 10 {
		for _, channel := range []string{first, second} {
			in(channel)
			at := w.table()
			if at.Stage() != table.Playing {
				continue
			}
			user, id := w.awaited(), w.moveID()
			other := map[string]string{first: second, second: first}[channel]
			in(other)
			version := w.tableVersion()
			// The same button on the other game's board does nothing there or here.
			said := w.reply(w.forge(user, other, w.board().ID, id))
			if !strings.Contains(text(said), "another channel") || w.tableVersion() != version {
				t.Fatalf("a move of the other channel: %s", text(said))
			}
			in(channel)
			if w.table().Prompt() != at.Prompt() {
				t.Fatal("a move from another channel")
			}
			w.result(w.discord.ForgePress(w.ctx(), user, channel, w.board().ID, sandbox.TypeButton, id))
			w.settle()
			if w.table().Prompt() == at.Prompt() {
				t.Fatal("no move")
			}
			in(other)
			if w.tableVersion() != version {
				t.Fatal("the other game has changed")
			}
		}
	}
	for _, user := range w.users[:3] {
		seen := map[string]bool{}
		for _, m := range w.messagesOf(user) {
			ids := map[string]bool{}
			for _, c := range controls(m) {
				if id, err := press.Parse(c.CustomID); err == nil && id.Table != "" {
					ids[id.Table], seen[id.Table] = true, true
				}
			}
			if len(ids) > 1 {
				t.Errorf("one message belongs to two games:\n%s", text(m))
			}
		}
		if !seen[a] || !seen[b] {
			t.Errorf("%s has messages of %v", user, seen)
		}
	}
}

// together runs all at once and waits for all.
func (w *world) together(users []string, custom func(n int) string) []sandbox.Result {
	w.t.Helper()
	board := w.board()
	results := make([]sandbox.Result, len(users))
	var all sync.WaitGroup
	for n, user := range users {
		i := make(chan *sandbox.Interaction, 1)
		all.Add(1)
		go func() {
			defer all.Done()
			got, err := w.discord.ForgePress(context.Background(), user, w.channel, board.ID, sandbox.TypeButton, custom(n))
			if err != nil {
				w.t.Error(err)
			}
			i <- got
			if got != nil {
				results[n], _ = got.Wait(context.Background())
			}
		}()
	}
	all.Wait()
	w.settle()
	return results
}

func TestTwentyPressesAtOnceAreOneMove(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	user, id, prompt := w.awaited(), w.moveID(), w.table().Prompt()
	done := 0
	for _, res := range w.together(slices.Repeat([]string{user}, 20), func(int) string { return id }) {
		said := w.reply(res)
		if !said.View.Ephemeral {
			t.Errorf("a public answer:\n%s", text(said))
		}
		switch {
		case strings.Contains(text(said), "✅"):
			done++
		case !strings.Contains(text(said), "earlier moment"):
			t.Errorf("an odd answer:\n%s", text(said))
		}
	}
	if done != 1 || w.table().Prompt() != prompt+1 {
		t.Errorf("%d presses say that they did it; the question went from %d to %d", done, prompt, w.table().Prompt())
	}
}

func TestJoinAndStartAtOnce(t *testing.T) {
	w := newWorld(t)
	for round := range 8 {
		w.openLobby(3, 0)
		id := w.table().ID()
		dan := w.users[3]
		w.together([]string{w.users[0], dan}, func(n int) string {
			return press.New([]press.Kind{press.Start, press.Join}[n], id).String()
		})
		at := w.table()
		if at.Stage() != table.Playing {
			t.Fatalf("round %d: %s", round, at.Stage())
		}
		panel := text(w.reply(w.forge(dan, w.channel, w.board().ID, press.New(press.Seat, id).String())))
		if seated := at.SeatOf(table.UserID(dan)) >= 0; seated != strings.Contains(panel, "Your hand") {
			t.Fatalf("round %d: seated %v, and My seat says:\n%s", round, seated, panel)
		}
		w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, id, "force").String())
		w.settle()
	}
}

func TestLastSeatForTwo(t *testing.T) {
	w := newWorld(t)
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: 3})
	w.label(w.users[1], w.board(), "Join")
	id := w.table().ID()
	w.together(w.users[2:5], func(int) string { return press.New(press.Join, id).String() })
	public := w.table().Public()
	if len(public.Seats) != 3 || len(public.Queue) != 2 {
		t.Errorf("%d seats and %d in the queue", len(public.Seats), len(public.Queue))
	}
	if board := text(w.board()); strings.Count(board, "free") != 0 || !strings.Contains(board, "Waiting for a seat") {
		t.Errorf("the lobby shows:\n%s", board)
	}
}

// TestADelayedDealAsksOnce: the messages of the deal are made when somebody has already moved, so that one of them asks the next
// question; that question is not asked again by a message of its own.
func TestADelayedDealAsksOnce(t *testing.T) {
	tap := &tapStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(tap))
	w.openLobby(3, 0)
	held := make(chan struct{})
	var waiting atomic.Int32
	var once sync.Once
	tap.committed = func(store.Change) {
		once.Do(func() {
			tap.setSlow(func(method string) <-chan struct{} {
				if method != "Table" {
					return nil
				}
				waiting.Add(1)
				return held
			})
		})
	}
	for _, c := range controls(w.board()) {
		if c.Label == "Start" {
			w.answered(w.begin(w.users[0], w.channel, w.board().ID, c.CustomID))
		}
	}
	waitUntil(t, w, func() bool { return waiting.Load() >= 3 })
	tap.setSlow(nil)
	dealer := w.awaited()
	other := w.table().SeatOf(table.UserID(dealer)).Number()%3 + 1
	w.answered(w.begin(dealer, w.channel, w.board().ID, press.For(press.First, w.table().ID(), w.table().Prompt(), fmt.Sprint(other)).String()))
	close(held)
	w.settle()
	next := w.awaited()
	asked := 0
	for _, m := range w.dms(next) {
		if promptOf(m) == w.table().Prompt() {
			asked++
		}
	}
	if asked != 1 || next == dealer {
		t.Errorf("the next question was asked %d times", asked)
	}
}

// TestAnUnregisteredBoardLeadsOn: a board was posted, and the word that it was got lost. It is newer than the one that is registered, and
// still leads there when it is pressed; a call to somebody, newer than any board, stays what it is.
func TestAnUnregisteredBoardLeadsOn(t *testing.T) {
	w := newWorld(t)
	w.label(w.users[1], w.reply(w.command(w.users[1], "notices")), "Mention")
	w.openGame(3, 0)
	live := w.board()
	w.clock.advance(2 * time.Minute)
	w.fail(1, http.MethodPost, callbackRoute, &sandbox.Fault{After: true, Status: http.StatusTeapot, Body: []byte(`{"code": 0, "message": "?"}`)})
	i, err := w.discord.Command(w.ctx(), w.users[4], w.channel, "paladin", "board")
	if err != nil {
		t.Fatal(err)
	}
	w.answered(i)
	w.settle()
	boards := w.boards(w.channel)
	if len(boards) != 2 || w.board().ID != live.ID {
		t.Fatalf("%d boards, of which the old one is registered: %v", len(boards), w.board().ID == live.ID)
	}
	orphan := boards[0]
	if orphan.ID == live.ID {
		orphan = boards[1]
	}
	for w.awaited() != w.users[1] || w.mentions(w.users[1]) == 0 {
		w.move()
		w.settle()
	}
	w.clock.advance(2 * time.Minute)
	messages, err := w.discord.Messages(w.users[1], w.channel)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if !has(m, press.Seat) || m.ID == live.ID {
			continue
		}
		res := w.label(w.users[1], m, "My seat")
		after, err := w.discord.Message(w.users[1], w.channel, m.ID)
		if err != nil {
			t.Fatal(err)
		}
		if retired := strings.Contains(text(after), "old board"); retired != (m.ID == orphan.ID) {
			t.Errorf("pressed, it reads:\n%s", text(after))
		}
		if shown := shownBy(res); shown == nil || len(res.Followups) == 0 && !strings.Contains(text(*shown), "Your hand") {
			t.Errorf("the press is answered %+v", res)
		}
	}
	if boards := w.boards(w.channel); len(boards) != 1 || boards[0].ID != live.ID {
		t.Errorf("%d boards", len(boards))
	}
}
