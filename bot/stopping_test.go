package bot_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"paladin/sandbox"
)

// sleeping waits until so many calls sleep in the edge's limits.
func (c *testClock) sleeping(ctx context.Context, t *testing.T, want func(n int) bool) {
	t.Helper()
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.set.Broadcast()
	})
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		n := 0
		for timer := range c.timers {
			if timer.sleeps {
				n++
			}
		}
		if want(n) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%d calls sleep", n)
		}
		c.set.Wait()
	}
}

// labelled is the custom id of the control with this label.
func labelled(t *testing.T, m sandbox.Message, label string) string {
	t.Helper()
	for _, c := range controls(m) {
		if strings.Contains(c.Label, label) {
			return c.CustomID
		}
	}
	t.Fatalf("no %q in:\n%s", label, text(m))
	return ""
}

// TestTheGatewayGoesLast: a program that ends lets go at once of what merely waits for a limit,
// finishes what is under way, and answers whoever presses meanwhile. What it let go of goes out at
// the next start.
func TestTheGatewayGoesLast(t *testing.T) {
	w := newWorld(t)
	w.openLobby(2, 1)
	release, underWay := make(chan struct{}), make(chan struct{})
	var seen atomic.Int32
	var finished atomic.Bool
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPost || r.Route != "/channels/{channel}/messages" {
			return nil
		}
		if seen.Add(1) == 1 {
			close(underWay)
			return &sandbox.Fault{Hang: release}
		}
		return &sandbox.Fault{Status: http.StatusTooManyRequests, Body: []byte(`{"message":"You are being rate limited.","retry_after":9,"global":false}`)}
	})
	board := w.board()
	answered := func(user, customID string) sandbox.Message {
		t.Helper()
		i, err := w.discord.Press(w.ctx(), user, board.ChannelID, board.ID, customID)
		if err != nil {
			t.Fatal(err)
		}
		res, err := i.Wait(w.ctx())
		if err != nil || res.Outcome == sandbox.Failed {
			t.Fatalf("a press: %+v, %v", res, err)
		}
		return w.reply(res)
	}
	board = answered(w.users[0], labelled(t, board, "Start")) // both are sent their hands
	<-underWay
	w.clock.sleeping(w.ctx(), t, func(n int) bool { return n > 0 })

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.stop()
		if !finished.Load() {
			t.Error("the program ended while a message was under way")
		}
	}()
	w.clock.sleeping(w.ctx(), t, func(n int) bool { return n == 0 })
	if panel := answered(w.users[1], labelled(t, board, "My seat")); !strings.Contains(text(panel), "Your hand") {
		t.Errorf("who presses while the program ends sees:\n%s", text(panel))
	}
	finished.Store(true)
	close(release)
	<-ended
	if n := seen.Load(); n != 2 {
		t.Errorf("%d messages were tried, want the two that had begun", n)
	}

	w.discord.Fault(nil)
	w.start(nil)
	w.flush()
	for _, user := range w.users[:2] {
		if _, ok := w.dm(user); !ok {
			t.Errorf("%s was never sent their hand", user)
		}
	}
}
