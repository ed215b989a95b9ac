package bot

import (
	"context"
	"errors"
	"maps"
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
	// prunePeriod is how often the ids of old interactions are forgotten.
	prunePeriod = time.Hour
	// proofSlack is how long before the end of somebody's time a packet may have come that still
	// proves the connection alive; proofWait is how long one attempt waits for a packet.
	proofSlack = 2 * time.Second
	proofWait  = 5 * time.Second
	// replayed is how soon after a way is back all presses have arrived that were made while it was
	// down.
	replayed = 5 * time.Second
	// idleGrace is how long a table that nobody touches stays open after nobody could.
	idleGrace = time.Hour
)

// ticker finds the deadlines that are due and hands each to its table's owner. Deadlines are rows
// of the store: nothing is lost by a restart. A deadline that its table has outlived does nothing.
// While the way is down on which a table's presses arrive, all of its deadlines are held: nobody's
// time is called over, nobody's begins because a squire moved, and nobody is reminded of what they
// cannot do.
type ticker struct {
	app  *App
	kick chan struct{} // makes the ticker look again
	over chan struct{}
	once sync.Once

	mu   sync.Mutex
	cond *sync.Cond
	// next is when the ticker looks again by itself; zero while it looks, and before the start.
	next    time.Time
	kicked  bool // it is to look again, whatever next says
	started bool
	taken   map[string]bool // tables whose deadline is with their owner
	pruned  time.Time
	proving bool             // a sign of life is waited for
	given   map[string]grant // by table, the last grace
	// setbacks are the deadlines that wait because they could not be carried out.
	setbacks setbacks
}

// grant is grace that a question was given.
type grant struct {
	prompt uint64
	end    time.Time // of the time that had passed
	at     time.Time
	dark   time.Duration // how long the way had been down by then
}

func newTicker(a *App) *ticker {
	t := &ticker{
		app: a, kick: make(chan struct{}, 1), over: make(chan struct{}), taken: map[string]bool{}, given: map[string]grant{},
		setbacks: setbacks{},
	}
	t.cond = sync.NewCond(&t.mu)
	return t
}

// start begins to look. What ended before now did so while the program was down.
func (t *ticker) start() {
	t.app.reach.began(t.app.clock.Now())
	t.mu.Lock()
	t.started = true
	t.mu.Unlock()
	beside(t.app.log, "the ticker", t.run)
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
	for t.started && (t.kicked || len(t.taken) > 0 || t.proving || !t.next.After(t.app.clock.Now())) {
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
	if until.IsZero() {
		t.kicked = false
	}
	t.cond.Broadcast()
}

// wake makes the ticker look again: deadlines have changed, or the ways on which presses arrive.
func (t *ticker) wake() {
	t.mu.Lock()
	t.kicked = true
	t.mu.Unlock()
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
		pause := retryDue
		guard(t.app.log, "a look at the deadlines", func() { pause = t.look() })
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
			t.app.reach.stood(asked.Add(pause), now)
			t.app.log.Warn("the clock jumped or the program stood still: turns that ended meanwhile get grace", "by", now.Round(0).Sub(asked.Round(0)))
		}
	}
}

// look takes up what is due and returns how long nothing more will be.
func (t *ticker) look() time.Duration {
	ctx, cancel := context.WithTimeout(t.app.ctx, storeTimeout)
	defer cancel()
	now := t.app.clock.Now()
	defer t.prune(ctx, now)
	t.app.reach.turnedBack(now)
	if t.app.reach.down() {
		return prunePeriod // whoever hears that it is back wakes us
	}
	due, held, err := t.hand(ctx, now)
	if err != nil {
		t.app.log.Error("deadlines cannot be read", "error", err)
		return retryDue
	}
	next, any, err := t.app.store.NextDeadline(ctx)
	switch {
	case err != nil:
		return retryDue
	case !any:
		return prunePeriod
	case next.After(now):
		return min(next.Sub(now), prunePeriod)
	case !held:
		return retryDue // with its owner; the owner wakes us when it is done
	}
	// What is held puts nothing off that comes after it.
	soon, err := t.app.store.Due(ctx, now.Add(retryDue), due+1)
	if err != nil || len(soon) <= due {
		return retryDue
	}
	return max(0, soon[due].At.Sub(now))
}

// hand gives what is due to the owners. It returns how many deadlines are due, and whether some
// could not be handed over now.
func (t *ticker) hand(ctx context.Context, now time.Time) (n int, held bool, err error) {
	for limit := dueAtOnce; ; limit *= 2 {
		due, err := t.app.store.Due(ctx, now, limit)
		if err != nil {
			return 0, false, err
		}
		// The end of a turn before its reminder, where both had to wait: a reminder tells how much
		// time is left.
		ended := map[string]bool{}
		for _, d := range due {
			if d.Kind == table.DeadlineTurn {
				ended[d.Table] = true
				held = !t.takeUp(ctx, d, now) || held
			}
		}
		for _, d := range due {
			if !ended[d.Table] {
				held = !t.takeUp(ctx, d, now) || held
			}
		}
		if len(due) < limit || !held {
			return len(due), held, nil
		}
		// Those that are held must not hide the others.
	}
}

// takeUp is take. A panic over one table is a setback of that table alone: those that come after it
// are not to wait for it.
func (t *ticker) takeUp(ctx context.Context, d store.Deadline, now time.Time) (taken bool) {
	if !guard(t.app.log, "a deadline", func() { taken = t.take(ctx, d, now) }, "table", d.Table, "kind", d.Kind) {
		t.setBack(d, faulty, now)
	}
	return taken
}

// take hands a deadline to its table's owner. It is false when that could not be done now.
func (t *ticker) take(ctx context.Context, d store.Deadline, now time.Time) bool {
	t.mu.Lock()
	taken, waits := t.taken[d.Table], t.setbacks.waits(d, now)
	t.mu.Unlock()
	if taken || waits {
		return taken
	}
	missed, held, err := t.judge(ctx, d, now)
	if err != nil {
		t.app.log.Error("a deadline's table cannot be read", "table", d.Table, "error", err)
		t.setBack(d, hindered, now)
		return false
	}
	if held {
		return false
	}
	t.mu.Lock()
	t.taken[d.Table] = true
	t.mu.Unlock()
	ok := t.app.submit(d.Table, func(ctx context.Context) {
		came := faulty
		defer func() { t.done(d, came) }()
		came = t.app.due(ctx, d, missed)
	})
	if !ok {
		t.mu.Lock()
		delete(t.taken, d.Table)
		t.mu.Unlock()
	}
	return ok
}

// judge decides what is to become of a deadline that is due: whether it passed while nobody could
// move, and whether it has to wait. Where the table cannot be read at the moment nobody knows: the
// next look may.
func (t *ticker) judge(ctx context.Context, d store.Deadline, now time.Time) (missed, held bool, err error) {
	guild := ""
	if t.app.reach.split() {
		row, err := t.app.store.Table(ctx, d.Table)
		if err != nil && !lasting(err) { // what lasts, its owner says
			return false, false, err
		}
		guild = row.Guild
	}
	w := t.app.reach.way(guild)
	switch {
	case w.down:
		return false, true, nil
	case d.Kind == table.DeadlineIdle:
		return false, w.spares(d.At, now) || !t.proven(d.At, now), nil
	case d.Kind != table.DeadlineTurn:
		return false, false, nil
	case !t.proven(d.At, now):
		return false, true, nil
	}
	if missed, err = t.missed(ctx, d, &w); err != nil || !missed {
		return false, false, err
	}
	if t.spare(d, &w, now) {
		return true, false, nil
	}
	return false, now.Before(w.back.Add(replayed)), nil
}

// missed reports whether a turn ended while nobody could move, or so soon after it that what was
// left of it is nothing against what they lost.
func (t *ticker) missed(ctx context.Context, d store.Deadline, w *way) (bool, error) {
	left := d.At.Sub(w.back)
	if left <= 0 || left >= w.took {
		return left <= 0, nil
	}
	_, at, err := t.app.load(ctx, d.Table)
	switch {
	case err == nil:
		return left < at.Options().Pace.Grace(), nil
	case lasting(err):
		return false, nil
	}
	return false, err
}

// spare reports whether a question whose time passed while nobody could move is given grace, and
// notes that it was. It gets it once, and again only if the way was down for more than half of the
// time since: nobody is without a clock because the connection breaks every few minutes.
func (t *ticker) spare(d store.Deadline, w *way, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch g, given := t.given[d.Table]; {
	case !given || g.prompt != d.Prompt:
	case g.end.Equal(d.At):
		return true // it has not been written yet
	case 2*(w.dark-g.dark) < now.Sub(g.at):
		return false
	}
	t.given[d.Table] = grant{prompt: d.Prompt, end: d.At, at: now, dark: w.dark}
	return true
}

// proven reports whether the connection has shown that it lived at the end of somebody's time;
// where it has not, it is asked to. One that broke without a word is noticed late, and nobody's
// time is called over on its word.
func (t *ticker) proven(end, now time.Time) bool {
	life := t.app.reach.lifeline()
	if life == nil {
		return true
	}
	// What was heard later than now was heard before the clock was set back.
	if heard := life.Heard().Round(0); !heard.Before(end.Add(-proofSlack)) && !heard.After(now.Round(0)) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.proving {
		t.proving = true
		beside(t.app.log, "the proof that the connection lives", func() { t.prove(life) })
	}
	return false
}

// prove waits for a sign of life and lets the ticker look again when it comes.
func (t *ticker) prove(life lifeline) {
	ctx, cancel := context.WithCancel(t.app.ctx)
	defer cancel()
	timer := t.app.clock.Timer(proofWait)
	defer timer.Stop()
	beside(t.app.log, "the end of a proof", func() {
		select {
		case <-timer.C():
		case <-t.over:
		case <-ctx.Done():
		}
		cancel()
	})
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.proving = false
		t.cond.Broadcast()
	}()
	if life.Alive(ctx) {
		t.wake()
	}
}

// done says that the owner is through with a table's deadline, whatever came of it. Where it did
// not go well, the table's deadlines wait: a disk that fails is not asked without a pause.
func (t *ticker) done(d store.Deadline, came outcome) {
	t.wake()
	t.setBack(d, came, t.app.clock.Now())
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, d.Table)
	t.cond.Broadcast()
}

// setBack takes note of what came of a deadline.
func (t *ticker) setBack(d store.Deadline, came outcome, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setbacks.note(d, came, now)
}

// prune forgets the ids of interactions that nobody repeats any more and practice games that nobody goes on with, and goes on forgetting
// those who asked for it.
func (t *ticker) prune(ctx context.Context, now time.Time) {
	t.mu.Lock()
	due := now.Sub(t.pruned) >= prunePeriod
	if due {
		t.pruned = now
		t.setbacks.prune(now)
		maps.DeleteFunc(t.given, func(_ string, g grant) bool { return now.Sub(g.at) > remembered })
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
	t.app.spawn(t.app.sweepLobbies, nil)
}

// due carries out a deadline on its table's owner, if it still stands: a move, or somebody's new
// quiet hours, may have replaced it since it was read. missed says that it passed while nobody
// could move.
func (a *App) due(ctx context.Context, d store.Deadline, missed bool) outcome {
	row, err := a.store.Table(ctx, d.Table)
	if errors.Is(err, store.ErrNotFound) {
		return well // it was dropped meanwhile
	} else if err != nil {
		a.log.Error("a deadline's table cannot be read", "table", d.Table, "error", err)
		return outcomeOf(err)
	}
	if !slices.ContainsFunc(row.Deadlines, func(r store.Deadline) bool {
		return r.Kind == d.Kind && r.Prompt == d.Prompt && r.At.Equal(d.At)
	}) {
		return well
	}
	var cmd table.Command
	switch d.Kind {
	case table.DeadlineSquire:
		cmd = table.SquireMove{Prompt: d.Prompt}
	case table.DeadlineTurn:
		cmd = table.Timeout{Prompt: d.Prompt}
		if _, doubted := a.doubts.of(d.Table, a.clock.Now()); missed || doubted {
			cmd = table.Grace{Prompt: d.Prompt, Habits: a.awaitedHabits(ctx, row)}
		}
	case table.DeadlineRemind:
		cmd = table.Nudge{Prompt: d.Prompt, Habits: a.awaitedHabits(ctx, row)}
	case table.DeadlineIdle:
		cmd = table.Idle{}
	case table.DeadlineDrop:
		return a.dropLobby(ctx, row.ID)
	default:
		a.log.Error("unknown deadline", "table", d.Table, "kind", d.Kind)
		return faulty
	}
	res := a.act(ctx, d.Table, table.Actor{}, cmd, "")
	if res.err != nil && !a.noteUnreadable(res.err) {
		a.log.Error("deadline failed", "table", d.Table, "kind", d.Kind, "error", res.err)
	}
	return outcomeOf(res.err)
}
