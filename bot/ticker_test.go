package bot

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/table"
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

// busy keeps tables' owners busy until the test ends, so that it can see what was handed to them.
func busy(t *testing.T, a *App, tables ...string) {
	gate := make(chan struct{})
	for _, id := range tables {
		a.owners.submit(id, func() { <-gate })
	}
	t.Cleanup(func() {
		close(gate)
		_ = a.owners.rest(context.Background())
	})
}

// handed reports whether a table's owner was given a deadline.
func (t *ticker) handed(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken[id]
}

// TestWhatIsHeldHidesNothing: a server that is out has more deadlines than are taken up in one
// look, and what comes after them is neither late nor looked for more often than it must.
func TestWhatIsHeldHidesNothing(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := storetest.NewMemory()
	add := func(id, guild string, at time.Time) {
		t.Helper()
		c := store.Change{Table: id, Guild: guild, Snapshot: []byte("{}"), Live: true, At: now}
		c.Deadlines = []store.Deadline{{Kind: table.DeadlineSquire, At: at}}
		if _, err := s.Commit(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * dueAtOnce {
		add(fmt.Sprintf("out%d", i), "1", now.Add(-time.Hour))
	}
	add("due", "2", now.Add(-time.Second))
	add("soon", "2", now.Add(1500*time.Millisecond))
	ticker, clock := scanner(s, now)
	ticker.pruned = now
	busy(t, ticker.app, "due", "soon", "out0")
	hear := func(e discord.Event) { ticker.app.reach.hear(e, clock.now) }
	hear(&discord.GuildGone{ID: "1", Unavailable: true})
	if pause := ticker.look(); pause != 1500*time.Millisecond {
		t.Errorf("it sleeps for %v", pause)
	}
	if !ticker.handed("due") || ticker.handed("soon") || ticker.handed("out0") {
		t.Error("what is due is not handed over, or something else is")
	}

	hear(&discord.Disconnected{})
	clock.now = now.Add(2 * time.Second)
	if pause := ticker.look(); pause != prunePeriod || ticker.handed("soon") {
		t.Errorf("without a connection it sleeps for %v, handed over: %v", pause, ticker.handed("soon"))
	}
	hear(&discord.Ready{})
	if ticker.look(); !ticker.handed("soon") || ticker.handed("out0") {
		t.Error("what is due is not handed over, or something else is")
	}
	hear(&discord.GuildJoined{ID: "1"})
	if ticker.look(); !ticker.handed("out0") {
		t.Error("what was held stays where it is")
	}
}

// life is a connection of which somebody asks whether it lives.
type life struct {
	heard time.Time
	asked chan struct{}
	says  chan bool
}

func (l *life) Heard() time.Time { return l.heard }

func (l *life) Alive(context.Context) bool {
	l.asked <- struct{}{}
	return <-l.says
}

// TestTheConnectionProvesItself: nobody's time is called over before the connection has shown that
// it lived at its end.
func TestTheConnectionProvesItself(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		kind  string
		heard time.Duration // before now; the deadline is now
		asks  bool
	}{
		{table.DeadlineTurn, 0, false},
		{table.DeadlineTurn, proofSlack, false},
		{table.DeadlineTurn, proofSlack + 1, true},
		{table.DeadlineTurn, time.Hour, true},
		{table.DeadlineTurn, -time.Minute, true}, // before the clock was set back
		{table.DeadlineIdle, time.Hour, true},
		{table.DeadlineRemind, time.Hour, false},
		{table.DeadlineSquire, time.Hour, false},
	}
	for _, tt := range tests {
		for _, alive := range []bool{true, false} {
			t.Run(fmt.Sprint(tt.kind, tt.heard, alive), func(t *testing.T) {
				s := storetest.NewMemory()
				c := store.Change{Table: "t", Snapshot: []byte("{}"), Live: true, At: now}
				c.Deadlines = []store.Deadline{{Kind: tt.kind, At: now}}
				if _, err := s.Commit(context.Background(), c); err != nil {
					t.Fatal(err)
				}
				ticker, _ := scanner(s, now)
				ticker.pruned = now
				busy(t, ticker.app, "t")
				l := &life{heard: now.Add(-tt.heard), asked: make(chan struct{}, 10), says: make(chan bool)}
				ticker.app.reach.follow(l, now.Add(-2*time.Hour))
				ticker.app.reach.hear(&discord.Ready{}, now.Add(-2*time.Hour))
				pause := ticker.look()
				if ticker.handed("t") == tt.asks {
					t.Fatalf("handed over: %v", !tt.asks)
				}
				if !tt.asks {
					if len(l.asked) > 0 {
						t.Error("it asks though it was heard")
					}
					return
				}
				<-l.asked
				if ticker.look(); pause != retryDue || len(l.asked) > 0 {
					t.Errorf("it looks again after %v, and asks %d times at once", pause, len(l.asked))
				}
				if alive {
					l.heard = now
				}
				l.says <- alive
				ticker.mu.Lock()
				for ticker.proving {
					ticker.cond.Wait()
				}
				ticker.mu.Unlock()
				if woken := len(ticker.kick) == 1; woken != alive {
					t.Errorf("woken: %v", woken)
				}
				if ticker.look(); ticker.handed("t") != alive {
					t.Errorf("handed over: %v", !alive)
				}
				if !alive {
					<-l.asked // once more
					l.says <- true
				}
			})
		}
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

// oddTables is a store that reads one table in its own way.
type oddTables struct {
	*storetest.Memory
	id  string
	odd func() error
}

func (s *oddTables) Table(ctx context.Context, id string) (store.Row, error) {
	if id == s.id && s.odd != nil {
		if err := s.odd(); err != nil {
			return store.Row{}, err
		}
	}
	return s.Memory.Table(ctx, id)
}

// TestOneTableIsReadOddly: while a server is out, a look reads whose each table is. A panic over
// one of them holds up no other. And whose it is, nobody guesses where the store fails: the turns
// of a server that is out are not called over.
func TestOneTableIsReadOddly(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, odd := range map[string]func() error{
		"a panic":   func() error { panic("a bug") },
		"a failure": func() error { return context.DeadlineExceeded },
	} {
		t.Run(name, func(t *testing.T) {
			s := &oddTables{Memory: storetest.NewMemory(), id: "first", odd: odd}
			for i, id := range []string{"first", "second"} {
				c := store.Change{Table: id, Guild: fmt.Sprint(i + 1), Snapshot: []byte("{}"), Live: true, At: now}
				c.Deadlines = []store.Deadline{{Kind: table.DeadlineTurn, At: now.Add(time.Duration(i-2) * time.Second)}}
				if _, err := s.Commit(context.Background(), c); err != nil {
					t.Fatal(err)
				}
			}
			ticker, clock := scanner(s, now)
			ticker.pruned = now
			busy(t, ticker.app, "first", "second")
			ticker.app.reach.hear(&discord.GuildGone{ID: "1", Unavailable: true}, now.Add(-time.Hour))
			if ticker.look(); ticker.handed("first") || !ticker.handed("second") {
				t.Errorf("handed over: %v, and the next one: %v", ticker.handed("first"), ticker.handed("second"))
			}
			s.odd = nil
			clock.now = now.Add(setbackFirst)
			if ticker.look(); ticker.handed("first") {
				t.Error("a turn of a server that is out is called over")
			}
			ticker.app.reach.hear(&discord.GuildJoined{ID: "1"}, clock.now)
			if ticker.look(); !ticker.handed("first") {
				t.Error("what was held stays where it is")
			}
		})
	}
}

// TestSetbacks: what goes wrong with one table is tried ever less often. What the store refuses is
// tried soon, however long that has lasted.
func TestSetbacks(t *testing.T) {
	d := store.Deadline{Table: "t", Kind: table.DeadlineSquire, Prompt: 7}
	own := &stepError{fmt.Errorf("bug: %w", context.DeadlineExceeded)}
	for _, tt := range []struct {
		err  error
		most time.Duration
	}{
		{context.DeadlineExceeded, setbackHindered},
		{fmt.Errorf("the disk is full"), setbackHindered},
		{fmt.Errorf("%w: no space left", store.ErrUncertain), setbackHindered},
		{own, setbackMost},
		{fmt.Errorf("table t: %w", store.ErrCorrupt), setbackMost},
		{&unreadableError{err: errAside}, setbackMost},
	} {
		s, now := setbacks{}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		for range 40 {
			s.note(d, outcomeOf(tt.err), now)
			if !s.waits(d, now) || !s.waits(d, now.Add(setbackFirst-1)) || s.waits(d, now.Add(tt.most)) {
				t.Fatalf("%v: waits %v until %v", tt.err, s.waits(d, now), s[s.of(d)].until.Sub(now))
			}
			now = s[s.of(d)].until
		}
		if s.waits(d, now.Add(-tt.most+time.Second)) != true {
			t.Errorf("%v: it never waits for as long as %v", tt.err, tt.most)
		}
		if s.note(d, outcomeOf(nil), now); len(s) != 0 {
			t.Errorf("%v: a success is no end of it", tt.err)
		}
	}
}
