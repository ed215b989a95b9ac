package bot

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"paladin/game/table"
	"paladin/store"
)

const (
	// dueAtOnce bounds the deadlines that are taken up in one look.
	dueAtOnce = 256
	// retryDue is how soon the store is asked again after it failed.
	retryDue = 5 * time.Second
	// jumpSlack is how much longer than asked a wait may last. More means that the clock was moved or that the process stood still:
	// then nobody could move either, and whatever ended meanwhile is given grace.
	jumpSlack = 2 * time.Minute
	// deadlinesOfTable is how many deadlines a table has at most.
	deadlinesOfTable = 4
	// prunePeriod is how often the ids of old interactions are forgotten.
	prunePeriod = time.Hour
)

// ticker finds the deadlines that are due and hands each to its table's owner. Deadlines are rows of the store: nothing is lost
// by a restart. A deadline that its table has outlived does nothing.
type ticker struct {
	app  *App
	kick chan struct{}
	over chan struct{}
	once sync.Once

	mu   sync.Mutex
	cond *sync.Cond
	// next is when the ticker looks again by itself; zero while it looks, and before the start.
	next    time.Time
	started bool
	taken   map[string]bool // tables whose deadline is with their owner
	shelved map[string]bool // tables that cannot be read: their deadlines stand still
	pruned  time.Time
	// missed is the end of the last stretch in which nobody could move: turns that ended by then get grace instead.
	missed time.Time
}

func newTicker(a *App) *ticker {
	t := &ticker{app: a, kick: make(chan struct{}, 1), over: make(chan struct{}), taken: map[string]bool{}, shelved: map[string]bool{}}
	t.cond = sync.NewCond(&t.mu)
	return t
}

// start begins to look. What ended before now did so while the program was down.
func (t *ticker) start() {
	t.mu.Lock()
	t.missed, t.started = t.app.clock.Now(), true
	t.mu.Unlock()
	go t.run()
}

func (t *ticker) stop() {
	t.once.Do(func() {
		close(t.over)
		t.mu.Lock()
		t.started = false
		t.cond.Broadcast()
		t.mu.Unlock()
	})
}

// rest waits until everything that is due was handed to its owner and nothing more happens before the clock goes on.
func (t *ticker) rest(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cond.Broadcast()
	})
	defer stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.started && (len(t.kick) > 0 || len(t.taken) > 0 || !t.next.After(t.app.clock.Now())) {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.cond.Wait()
	}
	return nil
}

// rests tells when the ticker looks again by itself; the zero time says that it looks now.
func (t *ticker) rests(until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = until
	t.cond.Broadcast()
}

// wake makes the ticker look again: deadlines have changed.
func (t *ticker) wake() {
	select {
	case t.kick <- struct{}{}:
	default:
	}
}

// changed is told the deadlines that a table now has. Only one that comes before the ticker looks again anyway is worth a look:
// nearly every move puts off the end of an idle table.
func (t *ticker) changed(deadlines []store.Deadline) {
	t.mu.Lock()
	next := t.next
	t.mu.Unlock()
	for _, d := range deadlines {
		if next.IsZero() || d.At.Before(next) {
			t.wake()
			return
		}
	}
}

func (t *ticker) run() {
	for {
		pause := t.look()
		asked := t.app.clock.Now()
		timer := t.app.clock.Timer(pause)
		t.rests(asked.Add(pause))
		select {
		case <-timer.C():
		case <-t.kick:
		case <-t.over:
			timer.Stop()
			return
		}
		t.rests(time.Time{})
		timer.Stop()
		// The time on the wall, for that is what deadlines are compared with.
		if now := t.app.clock.Now(); now.Round(0).Sub(asked.Round(0)) > pause+jumpSlack {
			t.mu.Lock()
			t.missed = now
			t.mu.Unlock()
			t.app.log.Warn("the clock jumped or the program stood still: turns that ended meanwhile get grace", "by", now.Round(0).Sub(asked.Round(0)))
		}
	}
}

// look takes up what is due and returns how long nothing more will be.
func (t *ticker) look() time.Duration {
	ctx, cancel := context.WithTimeout(t.app.ctx, storeTimeout)
	defer cancel()
	now := t.app.clock.Now()
	t.turnedBack(now)
	shelved, until := t.aside(), now
	if shelved > 0 {
		until = now.Add(prunePeriod)
	}
	due, err := t.app.store.Due(ctx, until, dueAtOnce+deadlinesOfTable*shelved)
	if err != nil {
		t.app.log.Error("deadlines cannot be read", "error", err)
		return retryDue
	}
	waiting := false
	for _, d := range due {
		switch {
		case t.shelves(d.Table):
		case d.At.After(now):
			until = minTime(until, d.At)
		default:
			waiting = !t.take(d) || waiting
		}
	}
	t.prune(ctx, now)
	if waiting {
		return retryDue
	}
	if shelved > 0 {
		return until.Sub(now) // the store's next deadline may be one that stands still
	}
	next, any, err := t.app.store.NextDeadline(ctx)
	switch {
	case err != nil:
		return retryDue
	case !any:
		return prunePeriod
	case !next.After(now):
		return retryDue // with its owner; the owner wakes us when it is done
	default:
		return min(next.Sub(now), prunePeriod)
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// aside counts the tables whose deadlines stand still.
func (t *ticker) aside() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.shelved)
}

func (t *ticker) shelves(table string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shelved[table]
}

// shelve lets the deadlines of a table stand still that cannot be read: they stay stored.
func (t *ticker) shelve(table string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shelved[table] = true
}

// unshelve forgets a table that has no deadlines any more.
func (t *ticker) unshelve(table string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.shelved, table)
}

// turnedBack forgets a jump forward that was taken back: what is to come was missed by nobody.
func (t *ticker) turnedBack(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed.After(now) {
		t.missed = now
	}
}

// take hands a deadline to its table's owner. It is false when that could not be done now.
func (t *ticker) take(d store.Deadline) bool {
	t.mu.Lock()
	if t.taken[d.Table] {
		t.mu.Unlock()
		return true
	}
	t.taken[d.Table] = true
	missed := !d.At.After(t.missed)
	t.mu.Unlock()
	ok := t.app.submit(d.Table, func(ctx context.Context) {
		defer t.done(d.Table)
		t.app.due(ctx, d, missed)
	})
	if !ok {
		t.mu.Lock()
		delete(t.taken, d.Table)
		t.mu.Unlock()
	}
	return ok
}

// done says that the owner is through with a table's deadline, whatever came of it.
func (t *ticker) done(table string) {
	t.wake()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, table)
	t.cond.Broadcast()
}

// prune forgets the ids of interactions that nobody repeats any more and practice games that nobody goes on with, and goes on forgetting
// those who asked for it.
func (t *ticker) prune(ctx context.Context, now time.Time) {
	t.mu.Lock()
	due := now.Sub(t.pruned) >= prunePeriod
	if due {
		t.pruned = now
	}
	t.mu.Unlock()
	if !due {
		return
	}
	t.app.spawn(t.app.forgetRest, nil)
	if _, err := t.app.store.Prune(ctx, now.Add(-remembered)); err != nil {
		t.app.log.Warn("old interactions cannot be forgotten", "error", err)
	}
	t.app.tidyPractice(ctx, now)
}

// due carries out a deadline on its table's owner, if it still stands: a move, or somebody's new quiet hours, may have replaced it
// since it was read. missed says that it passed while nobody could move.
func (a *App) due(ctx context.Context, d store.Deadline, missed bool) {
	row, err := a.store.Table(ctx, d.Table)
	if err != nil {
		a.log.Error("a deadline's table cannot be read", "table", d.Table, "error", err)
		if errors.Is(err, store.ErrCorrupt) {
			a.ticker.shelve(d.Table)
		}
		return
	}
	if !slices.ContainsFunc(row.Deadlines, func(r store.Deadline) bool {
		return r.Kind == d.Kind && r.Prompt == d.Prompt && r.At.Equal(d.At)
	}) {
		return
	}
	var cmd table.Command
	switch d.Kind {
	case table.DeadlineSquire:
		cmd = table.SquireMove{Prompt: d.Prompt}
	case table.DeadlineTurn:
		cmd = table.Timeout{Prompt: d.Prompt}
		if missed {
			cmd = table.Grace{Prompt: d.Prompt, Habits: a.awaitedHabits(ctx, row)}
		}
	case table.DeadlineRemind:
		cmd = table.Nudge{Prompt: d.Prompt, Habits: a.awaitedHabits(ctx, row)}
	case table.DeadlineIdle:
		cmd = table.Idle{}
	default:
		a.log.Error("unknown deadline", "table", d.Table, "kind", d.Kind)
		return
	}
	res := a.act(ctx, d.Table, table.Actor{}, cmd, "")
	if a.noteUnreadable(res.err) {
		a.ticker.shelve(d.Table)
	} else if res.err != nil {
		a.log.Error("deadline failed", "table", d.Table, "kind", d.Kind, "error", res.err)
	}
}
