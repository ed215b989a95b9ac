package bot_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/sandbox"
)

// hangs lets the first request that is meant wait until goOn is closed; held tells that it does.
func (w *world) hangs(meant func(sandbox.Request) bool) (goOn, held chan struct{}) {
	goOn, held = make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if !meant(r) || !once.CompareAndSwap(false, true) {
			return nil
		}
		close(held)
		return &sandbox.Fault{Hang: goOn}
	})
	return goOn, held
}

// crossWorld is a world that counts the answers which wait for their turn.
func crossWorld(t *testing.T) (w *world, waits *atomic.Int32) {
	waits = &atomic.Int32{}
	return newWorld(t, withBot(func(c *bot.Config) {
		c.Failpoint = func(name string) {
			if name == "answer/waits" {
				waits.Add(1)
			}
		}
	})), waits
}

// overtakes lets an answer go if it does not wait for what is before it, and else so much time go by that
// Discord is told that it comes.
func (w *world) overtakes(i *sandbox.Interaction, waits *atomic.Int32) {
	w.t.Helper()
	there := func() bool { return i.Result().Outcome != sandbox.Waiting }
	waitUntil(w.t.(*testing.T), w, func() bool { return there() || waits.Load() > 0 })
	if !there() {
		w.clock.advance(1500 * time.Millisecond)
		waitUntil(w.t.(*testing.T), w, there)
	}
}

// crossed are the requests that kept a picture which their message had no more.
func (w *world) crossed() (list []sandbox.Request) {
	for _, r := range w.discord.Requests() {
		if strings.Contains(string(r.Response), "ATTACHMENT_NOT_FOUND") {
			list = append(list, r)
		}
	}
	return list
}

func forward(t *testing.T, m sandbox.Message) string {
	t.Helper()
	for _, c := range controls(m) {
		if c.Label == "Forward" {
			return c.CustomID
		}
	}
	t.Fatalf("no way forward in:\n%s", text(m))
	return ""
}

// TestAnswersToOneMessageDoNotCross: of two presses on one message the second replaces it after the first
// has, so that neither keeps a picture that the other took away.
func TestAnswersToOneMessageDoNotCross(t *testing.T) {
	for _, who := range []string{"one", "everybody"} {
		t.Run(who, func(t *testing.T) {
			w, waits := crossWorld(t)
			w.openGame(3, 0)
			for range 5 {
				w.move()
			}
			w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
			user := w.users[1]
			page := w.reply(w.label(user, w.board(), "Replay"))
			if who == "everybody" {
				page = w.reply(w.label(user, page, "Show everybody"))
			}
			again := forward(t, page)
			page = w.reply(w.press(user, page, again))
			goOn, held := w.hangs(func(r sandbox.Request) bool { return r.Route == callbackRoute })
			first := w.begin(user, page.ChannelID, page.ID, again)
			<-held
			second := w.begin(user, page.ChannelID, page.ID, forward(t, page))
			w.overtakes(second, waits)
			close(goOn)
			w.answered(first)
			w.flush()
			for _, r := range w.crossed() {
				t.Errorf("refused: %s %s: %s", r.Method, r.Path, r.Response)
			}
		})
	}
}

// TestAnAnswerAndARefreshOfTheBoardDoNotCross: while the outbox's edit of a board is on its way, nobody's
// press replaces that board; it shows what happened last afterwards.
func TestAnAnswerAndARefreshOfTheBoardDoNotCross(t *testing.T) {
	w, waits := crossWorld(t)
	w.openLobby(3, 0)
	w.clock.advance(20 * time.Minute) // the tokens of the presses are over
	goOn, held := w.hangs(func(r sandbox.Request) bool { return r.Method == http.MethodPatch })
	refresh, err := w.discord.Command(w.ctx(), w.users[1], w.channel, "paladin", "doctor")
	if err != nil {
		t.Fatal(err)
	}
	<-held
	start := w.begin(w.users[0], w.channel, w.board().ID, press.New(press.Start, w.table().ID()).String())
	w.overtakes(start, waits)
	if strings.Contains(flat(w.board().Components), ".png") {
		t.Error("the answer overtook the edit before it")
	}
	close(goOn)
	w.answered(refresh)
	w.flush()
	if !strings.Contains(flat(w.board().Components), ".png") {
		t.Errorf("the board does not show the game:\n%s", text(w.board()))
	}
}
