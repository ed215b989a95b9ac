package bot

import (
	"context"
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

	mu     sync.Mutex
	taken  map[string]bool // tables whose deadline is with their owner
	pruned time.Time
	asleep time.Time // until when it sleeps if nobody wakes it; zero while it looks
}

func newTicker(a *App) *ticker {
	return &ticker{app: a, kick: make(chan struct{}, 1), over: make(chan struct{}), taken: map[string]bool{}}
}

func (t *ticker) start() { go t.run() }

func (t *ticker) stop() { t.once.Do(func() { close(t.over) }) }

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
	asleep := t.asleep
	t.mu.Unlock()
	for _, d := range deadlines {
		if asleep.IsZero() || d.At.Before(asleep) {
			t.wake()
			return
		}
	}
}

// sleeps notes until when the ticker sleeps; the zero time means that it is looking, and may have looked past what changes now.
func (t *ticker) sleeps(until time.Time) {
	t.mu.Lock()
	t.asleep = until
	t.mu.Unlock()
}

func (t *ticker) run() {
	for {
		t.sleeps(time.Time{})
		pause := t.look()
		if pause != retryDue { // else what is due waits for something, which any change may be
			t.sleeps(t.app.clock.Now().Add(pause))
		}
		timer := t.app.clock.Timer(pause)
		select {
		case <-timer.C():
		case <-t.kick:
		case <-t.over:
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// look takes up what is due and returns how long nothing more will be.
func (t *ticker) look() time.Duration {
	ctx, cancel := context.WithTimeout(t.app.ctx, storeTimeout)
	defer cancel()
	now := t.app.clock.Now()
	due, err := t.app.store.Due(ctx, now, dueAtOnce)
	if err != nil {
		t.app.log.Error("deadlines cannot be read", "error", err)
		return retryDue
	}
	waiting := false
	for _, d := range due {
		waiting = !t.take(d) || waiting
	}
	t.prune(ctx, now)
	if waiting {
		return retryDue
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

// take hands a deadline to its table's owner. It is false when that could not be done now.
func (t *ticker) take(d store.Deadline) bool {
	t.mu.Lock()
	if t.taken[d.Table] {
		t.mu.Unlock()
		return true
	}
	t.taken[d.Table] = true
	t.mu.Unlock()
	ok := t.app.submit(d.Table, func(ctx context.Context) {
		t.app.due(ctx, d)
		t.mu.Lock()
		delete(t.taken, d.Table)
		t.mu.Unlock()
		t.wake()
	})
	if !ok {
		t.mu.Lock()
		delete(t.taken, d.Table)
		t.mu.Unlock()
	}
	return ok
}

// prune forgets the ids of interactions that nobody repeats any more.
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
	if _, err := t.app.store.Prune(ctx, now.Add(-remembered)); err != nil {
		t.app.log.Warn("old interactions cannot be forgotten", "error", err)
	}
}

// due carries out a deadline on its table's owner.
func (a *App) due(ctx context.Context, d store.Deadline) {
	var cmd table.Command
	switch d.Kind {
	case table.DeadlineSquire:
		cmd = table.SquireMove{Prompt: d.Prompt}
	case table.DeadlineIdle:
		cmd = table.Idle{}
	default:
		a.log.Error("unknown deadline", "table", d.Table, "kind", d.Kind)
		return
	}
	if res := a.act(ctx, d.Table, table.Actor{}, cmd, ""); res.err != nil && res.refusal() == nil {
		a.log.Error("deadline failed", "table", d.Table, "kind", d.Kind, "error", res.err)
	}
}
