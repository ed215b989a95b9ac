package bot

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"paladin/store"
	"paladin/store/storetest"
)

// handClock is a clock that stands where it was put.
type handClock struct{ now time.Time }

func (c *handClock) Now() time.Time            { return c.now }
func (c *handClock) Timer(time.Duration) Timer { return stillTimer{} }

// manyDeadlines fills a store with n deadlines, a minute apart from the first on.
func manyDeadlines(tb testing.TB, s store.Store, n int, first time.Time) {
	tb.Helper()
	const each = 1000
	for i := range n / each {
		c := store.Change{Table: fmt.Sprintf("t%d", i), Snapshot: []byte("{}"), Live: true, At: first}
		for j := range each {
			at := first.Add(time.Duration(i*each+j) * time.Minute)
			c.Deadlines = append(c.Deadlines, store.Deadline{Kind: "turn", Prompt: uint64(j), At: at})
		}
		if _, err := s.Commit(context.Background(), c); err != nil {
			tb.Fatal(err)
		}
	}
}

// scanner returns a ticker over the store that was never started.
func scanner(s store.Store, now time.Time) (*ticker, *handClock) {
	clock := &handClock{now: now}
	a := &App{store: s, clock: clock, log: slog.New(slog.DiscardHandler), owners: newOwners(), ctx: context.Background()}
	return newTicker(a), clock
}

// TestScannerSleepsUntilTheFirstDeadline: with nothing due it asks to be woken for the first one, and then finds that one alone.
func TestScannerSleepsUntilTheFirstDeadline(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := storetest.NewMemory()
	manyDeadlines(t, s, 2000, now.Add(30*time.Minute))
	ticker, clock := scanner(s, now)
	ticker.pruned = now
	if pause := ticker.look(); pause != 30*time.Minute {
		t.Fatalf("it sleeps for %v", pause)
	}
	if len(ticker.taken) != 0 {
		t.Fatalf("%d tables were taken up", len(ticker.taken))
	}
	clock.now = now.Add(30 * time.Minute)
	due, err := s.Due(context.Background(), clock.now, dueAtOnce)
	if err != nil || len(due) != 1 || due[0].Table != "t0" {
		t.Fatalf("due: %v, %v", due, err)
	}
}

// BenchmarkTicker measures one look at 100,000 pending deadlines. The scanner looks when it was told that deadlines changed and at the
// first deadline, at least once an hour; with nothing going on that is one look an hour, and even one a second costs what is shown.
func BenchmarkTicker(b *testing.B) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := store.Open(filepath.Join(b.TempDir(), "bench.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("100000 pending, none due", func(b *testing.B) {
		if n, any, _ := s.NextDeadline(context.Background()); !any || n.IsZero() {
			manyDeadlines(b, s, 100_000, now.Add(time.Hour))
		}
		ticker, _ := scanner(s, now)
		ticker.pruned = now
		b.ResetTimer()
		for range b.N {
			if pause := ticker.look(); pause != time.Hour {
				b.Fatalf("it sleeps for %v", pause)
			}
		}
	})
}
