package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"paladin/game/table"
	"paladin/store"
)

// result is what came of a command: the table as it is now, and either what happened or why not.
type result struct {
	table table.Table
	// before is the table as it was.
	before   table.Table
	out      table.Outcome
	repeated bool // the interaction had been committed before; table is as it is now
	intents  []store.Intent
	err      error // a *table.Refusal, or a failure
}

// refusal returns the refusal if there is one.
func (r *result) refusal() *table.Refusal {
	var refusal *table.Refusal
	if errors.As(r.err, &refusal) {
		return refusal
	}
	return nil
}

// submit puts a job onto the table's queue. After a panic in it nothing is committed, and
// everything else goes on.
func (a *App) submit(id string, job func(context.Context)) bool {
	return a.owners.submit(id, func() {
		ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
		defer cancel()
		job(ctx)
	})
}

// act carries out a command on its table's owner: load, decide, check, commit. When it returns without an error, what happened is on
// disk and what is to be said is in the outbox.
func (a *App) act(ctx context.Context, id string, by table.Actor, cmd table.Command, interaction string) result {
	if practising(id) {
		return a.actPractice(ctx, id, by, cmd)
	}
	row, t, err := a.load(ctx, id)
	if err == nil {
		err = a.audit(ctx, row, &t)
	}
	if err != nil {
		return result{err: err}
	}
	if interaction != "" {
		if _, again, err := a.store.Repeated(ctx, interaction); err != nil {
			return result{table: t, before: t, err: err}
		} else if again {
			return result{table: t, before: t, repeated: true}
		}
	}
	now := a.clock.Now().UTC().Truncate(time.Millisecond) // as it is stored, so that next is what decoding it will give
	next, out, err := step(t, by, cmd, now, a.patience())
	if err != nil {
		return result{table: t, before: t, err: &stepError{err}}
	}
	habits, err := a.habitsOf(ctx, next.People())
	if err != nil {
		return result{table: t, before: t, err: err}
	}
	c, err := change(&t, &next, row.Version, by.ID, interaction, out, now, habits)
	if err != nil {
		return result{table: t, before: t, err: &stepError{err}}
	}
	if next.Stage() == table.Finished && t.Stage() != table.Finished {
		if c.Result, err = a.resultOf(ctx, &next, out.Lines); err != nil {
			return result{table: t, before: t, err: err}
		}
	}
	intents, err := a.commit(ctx, c)
	if errors.Is(err, store.ErrRepeated) {
		return result{table: t, before: t, repeated: true}
	}
	if err != nil {
		return result{table: t, before: t, err: err}
	}
	a.decoded.put(id, row.Version+1, next)
	return result{table: next, before: t, out: out, intents: intents}
}

// step is one step of a table: the command, and then what follows by itself in the same moment: moves of squires that answer at once,
// and moves that people gave beforehand. Squires that think for long come to a decision once stop says so. Every table on the way is checked, R18 included, before anything is written.
func step(t table.Table, by table.Actor, cmd table.Command, now time.Time, stop func() bool) (table.Table, table.Outcome, error) {
	if move, ok := cmd.(table.SquireMove); ok {
		move.Stop = stop
		cmd = move
	}
	next, out, err := t.Do(by, cmd, now)
	if err != nil {
		return table.Table{}, table.Outcome{}, err
	}
	for {
		if err := next.Check(); err != nil {
			return table.Table{}, table.Outcome{}, fmt.Errorf("bug: after %T: %w", cmd, err)
		}
		further, more, moved, err := followUp(&next, now, stop)
		if err != nil {
			return table.Table{}, table.Outcome{}, fmt.Errorf("bug: what follows %T: %w", cmd, err)
		}
		next = further
		if !moved {
			return next, out, nil
		}
		out.Lines = append(out.Lines, more.Lines...)
		out.Events = append(out.Events, more.Events...)
	}
}

// followUp makes the next move that nobody has to be asked for; false when there is none.
func followUp(t *table.Table, now time.Time, stop func() bool) (table.Table, table.Outcome, bool, error) {
	if !t.SquireToAct() {
		return t.Beforehand(now)
	}
	if !squireDue(t, now) {
		return *t, table.Outcome{}, false, nil
	}
	next, out, err := t.Do(table.Actor{}, table.SquireMove{Prompt: t.Prompt(), Stop: stop}, now)
	return next, out, err == nil, err
}

// thinkingTime is how long all squires that move within one step may think together: somebody waits for the answer, and Discord for its
// acknowledgement.
const thinkingTime = time.Second

// patience says when the squires of a step have thought long enough, counted from now.
func (a *App) patience() func() bool {
	until := a.clock.Now().Add(thinkingTime)
	return func() bool { return a.clock.Now().After(until) }
}

// squireDue reports whether the squire to move answers at once.
func squireDue(t *table.Table, now time.Time) bool {
	for _, d := range t.Deadlines(noHabits) {
		if d.Kind == table.DeadlineSquire {
			return !d.At.After(now)
		}
	}
	return false
}

// noHabits stands in where only squires are asked about.
func noHabits(table.UserID) table.Habits { return table.Habits{} }

// commit makes a change true and gives its intents to the outbox.
func (a *App) commit(ctx context.Context, c store.Change) ([]store.Intent, error) {
	a.fail("move/decided")
	done, err := a.store.Commit(ctx, c)
	if err != nil {
		return nil, a.uncertain(ctx, err)
	}
	if c.Interaction != "" {
		a.counted.add(c.Interaction)
	}
	a.fail("move/committed")
	a.kept(&c)
	tell := a.outbox.update
	if c.Interaction != "" {
		tell = a.outbox.later // whoever pressed is answered first; see interaction
	}
	tell(func(o *outbox) {
		o.commit(&c, &done)
		if c.With != nil {
			o.commit(c.With, done.With)
		}
	})
	a.ticker.changed(c.Deadlines)
	if c.With != nil {
		a.ticker.changed(c.With.Deadlines)
	}
	return done.Intents, nil
}

// kept notes what a change means for what is known of its table: what this process opened is right,
// and what is over is nobody's concern.
func (a *App) kept(c *store.Change) {
	switch {
	case !c.Live:
		a.audits.drop(c.Table)
	case c.Expect == 0:
		a.audits.put(c.Table, nil)
	}
}

// enqueue gives the outbox something further to say about a table.
func (a *App) enqueue(ctx context.Context, id string, intents []store.Intent) error {
	added, err := a.store.Enqueue(ctx, id, intents)
	if err != nil {
		return a.uncertain(ctx, err)
	}
	a.outbox.update(func(o *outbox) { o.add(added) })
	return nil
}

// load reads a table. One that cannot be read is an *unreadableError: that table stands still, the
// others go on.
func (a *App) load(ctx context.Context, id string) (store.Row, table.Table, error) {
	row, err := a.store.Table(ctx, id)
	if err != nil {
		return store.Row{}, table.Table{}, err
	}
	t, ok := a.decoded.get(id, row.Version)
	if !ok {
		t, err = table.Decode(row.Snapshot)
	}
	if err := a.unreadable(row, &t, err); err != nil {
		return store.Row{}, table.Table{}, err
	}
	if !ok {
		a.decoded.put(id, row.Version, t)
	}
	return row, t, nil
}
