package bot_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/picture"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/sandbox"
	"paladin/store/storetest"
)

// offered are the custom ids of what can be pressed, without marks.
func offered(t *testing.T, m sandbox.Message) (ids []string) {
	t.Helper()
	for _, c := range controls(m) {
		id, err := press.Parse(c.CustomID)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id.Marked("").String())
	}
	return ids
}

// firstBadge is the emoji of the application on the first control that has one.
func firstBadge(m sandbox.Message) string {
	for _, c := range controls(m) {
		if c.Emoji != nil && c.Emoji.ID != "" {
			return c.Emoji.ID
		}
		for _, o := range c.Options {
			if o.Emoji != nil && o.Emoji.ID != "" {
				return o.Emoji.ID
			}
		}
	}
	return ""
}

// withHand opens a game and returns who is awaited, with their seat as it shows emojis.
func (w *world) withHand() (user string, seat sandbox.Message) {
	w.t.Helper()
	waitUntil(w.t.(*testing.T), w, func() bool {
		w.clock.advance(time.Second)
		return len(w.discord.Emojis()) == len(picture.Emojis())
	})
	w.openGame(3, 0)
	w.move() // somebody starts
	w.settle()
	user = w.awaited()
	return user, w.reply(w.pressKind(user, w.board(), press.Seat))
}

func (w *world) deleteEmoji(id string) {
	w.t.Helper()
	w.rest(http.MethodDelete, "/applications/"+w.discord.ApplicationID()+"/emojis/"+id, nil)
}

// TestAHandWithAnEmojiThatIsGone: one emoji on the buttons of a hand was deleted. The same answer
// has the hand and every button, and the next direct message has them too; a while later all emojis
// are back.
func TestAHandWithAnEmojiThatIsGone(t *testing.T) {
	w := newWorld(t, withEmojis())
	user, seat := w.withHand()
	gone := firstBadge(seat)
	if gone == "" {
		t.Fatalf("no emoji on any button:\n%s", flat(seat.Components))
	}
	w.deleteEmoji(gone)
	again := w.reply(w.pressKind(user, w.board(), press.Seat))
	mustSay(t, "the seat", text(again), "Your hand")
	if want, got := offered(t, seat), offered(t, again); !slices.Equal(want, got) {
		t.Errorf("offered is\n%v, want\n%v", got, want)
	}
	waitUntil(t, w, func() bool {
		w.clock.advance(time.Minute)
		return len(w.discord.Emojis()) == len(picture.Emojis()) && badges(w.reply(w.pressKind(user, w.board(), press.Seat)).Components) > 0
	})
}

// TestADirectMessageWithAnEmojiThatIsGone: who is called has their hand and its buttons in the
// message.
func TestADirectMessageWithAnEmojiThatIsGone(t *testing.T) {
	w := newWorld(t, withEmojis())
	_, seat := w.withHand()
	for _, e := range w.discord.Emojis() {
		w.deleteEmoji(e.ID)
	}
	if badges(seat.Components) == 0 {
		t.Fatal("no emoji on any button")
	}
	before, _ := w.tellsNext()
	w.settle()
	user := w.awaited()
	if got := w.toldSince(user, before); got.dms != 1 {
		t.Fatalf("told %+v", got)
	}
	dm, _ := w.dm(user)
	mustSay(t, "the direct message", text(dm), "Your hand")
	if !has(dm, press.Pick) {
		t.Errorf("no button to play with:\n%s", text(dm))
	}
}

// fancy are parts of a message's body that its plainest form does not have: frames, lines,
// pictures, links and emojis.
var fancy = [][]byte{[]byte(`"type":17`), []byte(`"type":14`), []byte(`"type":12`), []byte(`"style":5`), []byte(`"emoji":{`)}

// picky lets Discord call invalid whatever message of a route is not in its plainest form. It
// counts those, and all others.
func (w *world) picky(f *sandbox.Fault, routes ...string) (refused, taken *atomic.Int32) {
	refused, taken = new(atomic.Int32), new(atomic.Int32)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method == http.MethodGet || r.Method == http.MethodDelete || !bytes.Contains(r.Body, []byte(`"components"`)) ||
			!slices.ContainsFunc(routes, func(route string) bool { return strings.Contains(r.Route, route) }) {
			return nil
		}
		if slices.ContainsFunc(fancy, func(part []byte) bool { return bytes.Contains(r.Body, part) }) {
			refused.Add(1)
			return f
		}
		taken.Add(1)
		return nil
	})
	return refused, taken
}

// refusals are answers that call a message itself wrong.
func refusals() map[string]*sandbox.Fault {
	return map[string]*sandbox.Fault{
		"invalid form":   sandbox.ErrorFault(http.StatusBadRequest, 50035, "Invalid Form Body"),
		"empty":          sandbox.ErrorFault(http.StatusBadRequest, 50006, "Cannot send an empty message"),
		"invalid JSON":   sandbox.ErrorFault(http.StatusBadRequest, 50109, "The request body contains invalid JSON."),
		"filter":         sandbox.ErrorFault(http.StatusBadRequest, 200000, "Message was blocked by automatic moderation"),
		"link filter":    sandbox.ErrorFault(http.StatusBadRequest, 240000, "Message blocked by harmful links filter"),
		"too large":      sandbox.ErrorFault(http.StatusBadRequest, 40005, "Request entity too large"),
		"unknown emoji":  sandbox.ErrorFault(http.StatusBadRequest, 10014, "Unknown Emoji"),
		"invalid emoji":  sandbox.ErrorFault(http.StatusBadRequest, 50151, "Invalid emoji"),
		"words, no code": {Status: http.StatusBadRequest, Body: []byte("no")},
	}
}

// TestAnswersInTheirPlainestForm: an answer that Discord refuses for whatever reason comes without
// what it can do without, with its hand and its buttons; the next one comes so at once.
func TestAnswersInTheirPlainestForm(t *testing.T) {
	for name, fault := range refusals() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			w.move()
			w.settle()
			user := w.awaited()
			seat := w.reply(w.pressKind(user, w.board(), press.Seat))
			refused, _ := w.picky(fault, "/callback")
			again := w.reply(w.pressKind(user, w.board(), press.Seat))
			mustSay(t, "the seat", text(again), "Your hand")
			if want, got := offered(t, seat), offered(t, again); !slices.Equal(want, got) || refused.Load() == 0 {
				t.Errorf("%d refusals; offered is\n%v, want\n%v", refused.Load(), got, want)
			}
			before := refused.Load()
			if w.reply(w.pressKind(user, w.board(), press.Seat)); refused.Load() != before || before > 1 {
				t.Errorf("%d refusals before, %d then", before, refused.Load()-before)
			}
			w.clock.advance(2 * time.Hour)
			w.discord.Fault(nil)
			if link := w.reply(w.pressKind(user, w.board(), press.Seat)); !strings.Contains(flat(link.Components), "https://discord.com/channels/") {
				t.Errorf("the plainest form stays:\n%s", flat(link.Components))
			}
		})
	}
}

// TestLateAnswersInTheirPlainestForm: who waited has their hand and its buttons.
func TestLateAnswersInTheirPlainestForm(t *testing.T) {
	slow := &slowStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(slow))
	w.openGame(3, 0)
	w.move()
	w.settle()
	user := w.awaited()
	seat := w.reply(w.pressKind(user, w.board(), press.Seat))
	board, id := w.board(), press.New(press.Seat, w.table().ID()).String()
	refused, _ := w.picky(refusals()["invalid form"], "/webhooks/")
	open := slow.close()
	i := w.begin(user, w.channel, board.ID, id)
	w.clock.timed(1500 * time.Millisecond)
	w.clock.advance(1500 * time.Millisecond)
	open()
	late := w.reply(w.result(i, nil))
	mustSay(t, "the late seat", text(late), "Your hand")
	if want, got := offered(t, seat), offered(t, late); !slices.Equal(want, got) || refused.Load() != 1 {
		t.Errorf("%d refusals; offered is\n%v, want\n%v", refused.Load(), got, want)
	}
}

// TestTheOutboxInThePlainestForm: boards and direct messages go on, and each channel is asked once
// an hour whether it takes more.
func TestTheOutboxInThePlainestForm(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.clock.advance(20 * time.Minute) // no press's token edits the board any more
	w.settle()
	refused, taken := w.picky(refusals()["invalid form"], "/channels/")
	for range 3 {
		before, _ := w.tellsNext()
		w.settle()
		user := w.awaited()
		mustSay(t, "the board", text(w.board()), mentionOf(user))
		if !has(w.board(), press.Seat) {
			t.Errorf("no button to play with:\n%s", text(w.board()))
		}
		dm, _ := w.dm(user)
		mustSay(t, "the direct message", text(dm), "Your hand")
		if got := w.toldSince(user, before); got.dms != 1 || !has(dm, press.Refresh) && !has(dm, press.Pick) {
			t.Errorf("told %+v, lastly:\n%s", got, text(dm))
		}
		w.clock.advance(time.Minute)
	}
	if refused.Load() == 0 || taken.Load() < refused.Load() {
		t.Errorf("%d messages were refused and %d taken", refused.Load(), taken.Load())
	}
}

// TestAFileThatIsRefused: who asked for a file is told privately why it does not come and what to
// do, at once and late.
func TestAFileThatIsRefused(t *testing.T) {
	wholeGame(t)
	slow := &slowStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(slow))
	w.openGame(3, 0)
	w.lastMove(w.users[:3])
	w.settle()
	user, board := w.users[0], w.board()
	record := press.New(press.Record, w.table().ID()).String()
	export := press.New(press.Me, "", render.MeExport).String()
	for name, tc := range map[string]struct {
		fault *sandbox.Fault
		want  render.Text
	}{
		"broken":     {sandbox.ErrorFault(http.StatusInternalServerError, 0, "Internal Server Error"), render.TextFileLater},
		"overloaded": {sandbox.ErrorFault(http.StatusServiceUnavailable, 130000, "Overloaded"), render.TextFileLater},
		"forbidden":  {sandbox.ErrorFault(http.StatusForbidden, 50013, "Missing Permissions"), render.TextFileForbidden},
		"too large":  {sandbox.ErrorFault(http.StatusBadRequest, 40005, "Request entity too large"), render.TextFileRefused},
		"invalid":    {sandbox.ErrorFault(http.StatusBadRequest, 50035, "Invalid Form Body"), render.TextFileRefused},
	} {
		for way, id := range map[string]string{"record": record, "export": export} {
			t.Run(fmt.Sprint(name, " ", way), func(t *testing.T) {
				w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
					if len(r.Files) == 0 {
						return nil
					}
					return tc.fault
				})
				defer w.discord.Fault(nil)
				want := english.Say(tc.want, "permission", "Attach Files")
				said := w.reply(w.forge(user, w.channel, board.ID, id))
				if mustSay(t, "the answer", text(said), want); !said.View.Ephemeral {
					t.Error("everybody reads it")
				}
				open := slow.close()
				i := w.begin(user, w.channel, board.ID, id)
				w.clock.timed(1500 * time.Millisecond)
				w.clock.advance(1500 * time.Millisecond)
				open()
				w.settle() // attempts that wait for the next one do not wait in vain
				mustSay(t, "the late answer", text(w.reply(w.result(i, nil))), want)
			})
		}
	}
}
