package bot_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"paladin/sandbox"
)

// TestABlockEndsWithTheFirstAnswer: one page with 429 stops what counts. Whoever presses gets their
// answer all the same, and with it goes out what waits, though no time has passed.
func TestABlockEndsWithTheFirstAnswer(t *testing.T) {
	w := newWorld(t)
	w.openLobby(2, 1)
	var blocked, tried atomic.Bool
	blocked.Store(true)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPost || r.Route != "/channels/{channel}/messages" || !blocked.Load() {
			return nil
		}
		tried.Store(true)
		return &sandbox.Fault{Status: http.StatusTooManyRequests, Body: []byte(`<html>error code: 1015</html>`)}
	})
	w.label(w.users[0], w.board(), "Start")
	w.flush()
	if !tried.Load() {
		t.Fatal("nothing was blocked")
	}
	for _, user := range w.users[:2] {
		if _, ok := w.dm(user); ok {
			t.Fatal("a direct message got through")
		}
	}
	blocked.Store(false)
	before := w.clock.Now()
	w.label(w.users[1], w.board(), "My seat")
	w.flush()
	for _, user := range w.users[:2] {
		if panel, ok := w.dm(user); !ok {
			t.Errorf("%s was not sent their hand", user)
		} else if len(controls(panel)) == 0 {
			t.Errorf("%s was sent nothing to press:\n%s", user, text(panel))
		}
	}
	if passed := w.clock.Now().Sub(before); passed >= time.Minute {
		t.Errorf("it took %v", passed)
	}
}
