package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"paladin/store"
)

// unsettled keeps, by table, what Discord was told and the store could not take. It is settled before anything further is said about
// the table, and never said again: a nonce keeps a message from doubling for minutes only, and a failing disk can fail for longer. It
// is in memory, since the store is what fails.
type unsettled struct {
	mu   sync.Mutex
	kept map[string][]store.Settlement
	// trying is what is being settled at the moment.
	trying map[string][]store.Settlement
}

// errSettling: another lane of the table is settling what is kept of it; until it has, nothing further is said.
var errSettling = errors.New("being settled")

func (u *unsettled) put(s store.Settlement) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept == nil {
		u.kept = map[string][]store.Settlement{}
	}
	u.kept[s.Table] = append(u.kept[s.Table], s)
}

// tables are those of which something is kept or being settled.
func (u *unsettled) tables() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := slices.Collect(maps.Keys(u.kept))
	return slices.AppendSeq(all, maps.Keys(u.trying))
}

// take takes out what is kept of a table, for one caller at a time; false means that another has it. Whoever got something calls
// tried.
func (u *unsettled) take(table string) ([]store.Settlement, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.trying[table]) > 0 {
		return nil, false
	}
	kept := u.kept[table]
	if len(kept) > 0 {
		delete(u.kept, table)
		if u.trying == nil {
			u.trying = map[string][]store.Settlement{}
		}
		u.trying[table] = kept
	}
	return kept, true
}

// tried ends the settling of what was taken and keeps what is left of it.
func (u *unsettled) tried(table string, left []store.Settlement) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.trying, table)
	if len(left) > 0 {
		u.kept[table] = append(left, u.kept[table]...)
	}
}

// settleKept settles what is kept of the intent's table. done tells whether the intent itself was among it: then it has been said.
func (a *App) settleKept(ctx context.Context, in store.Intent) (done bool, err error) {
	kept, mine := a.unsettled.take(in.Table)
	if !mine {
		return false, errSettling
	}
	if len(kept) == 0 {
		return false, nil
	}
	left := kept
	defer func() { a.unsettled.tried(in.Table, left) }()
	for _, s := range kept {
		if err := a.settle(ctx, s); err != nil {
			return false, err
		}
		left = left[1:]
		done = done || s.Key == in.Key && s.Generation == in.Generation
	}
	return done, nil
}

// settle stores what came of an intent. What the store never takes is left out: kept, it would be
// tried for ever, and hold up all else that the table has to say. The rest is stored, so that
// nothing is said twice. Of a table that is gone there is nothing to store.
func (a *App) settle(ctx context.Context, s store.Settlement) error {
	first := a.settleOnce(ctx, s)
	err := first
	for _, poorer := range poorer(s) {
		if !errors.Is(err, store.ErrInvalid) {
			break
		}
		err = a.settleOnce(ctx, poorer)
	}
	if errors.Is(first, store.ErrInvalid) {
		a.log.Error("what came of a message cannot be stored and is left out",
			"table", s.Table, "key", s.Key, "error", first, "rest", err)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrInvalid) {
		return nil
	}
	return err
}

// settleOnce settles; what panics over a change of a person cannot be stored.
func (a *App) settleOnce(ctx context.Context, s store.Settlement) (err error) {
	if !guard(a.log, "settling", func() { err = a.store.Settle(ctx, s) }, "table", s.Table, "key", s.Key) {
		err = fmt.Errorf("%w: it panicked", store.ErrInvalid)
	}
	return err
}

// poorer are poorer and poorer forms of a settlement: without the surfaces that cannot be stored,
// without what was learned of people, and with nothing but that the intent is done.
func poorer(s store.Settlement) []store.Settlement {
	sound := s
	sound.Put = slices.DeleteFunc(slices.Clone(s.Put), func(sf store.Surface) bool {
		alone := store.Settlement{Table: s.Table, Put: []store.Surface{sf}}
		return alone.Validate() != nil
	})
	nobody := sound
	nobody.Users = nil
	return []store.Settlement{sound, nobody, {Table: s.Table, Key: s.Key, Generation: s.Generation}}
}

// lasting reports whether a failure stays, however often the same is tried by this program on this
// store.
func lasting(err error) bool {
	for _, kind := range []error{store.ErrInvalid, store.ErrNotFound, store.ErrCorrupt} {
		if errors.Is(err, kind) {
			return true
		}
	}
	var u *unreadableError
	return errors.As(err, &u)
}

// settleAbout settles what is kept of every table. What cannot be settled now is an error where it
// may be about this person.
func (a *App) settleAbout(ctx context.Context, user string) error {
	var failed error
	for _, id := range a.unsettled.tables() {
		if _, err := a.settleKept(ctx, store.Intent{Table: id}); err != nil && a.mayConcern(ctx, id, user) {
			failed = errors.Join(failed, fmt.Errorf("table %s: %w", id, err))
		}
	}
	return failed
}

// mayConcern reports whether what is kept of a table may be about somebody: they are named in it,
// or in what the table is.
func (a *App) mayConcern(ctx context.Context, id, user string) bool {
	if a.unsettled.names(id, user) {
		return true
	}
	row, err := a.store.Table(ctx, id)
	if err != nil {
		return !errors.Is(err, store.ErrNotFound)
	}
	return slices.Contains(row.Users, user) || store.Mentions(row.Snapshot, user)
}

// names reports whether what is kept of a table names somebody.
func (u *unsettled) names(table, user string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(slices.Concat(u.kept[table], u.trying[table]), func(s store.Settlement) bool {
		return store.Mentions(s.Key, user) ||
			slices.ContainsFunc(s.Users, func(c store.UserUpdate) bool { return c.ID == user }) ||
			slices.ContainsFunc(s.Put, func(sf store.Surface) bool { return store.Mentions(sf.Name, user) })
	})
}

// uncertain looks, after a change that may have been stored although the store failed, for what it left to be said, and returns err.
func (a *App) uncertain(ctx context.Context, err error) error {
	if !errors.Is(err, store.ErrUncertain) {
		return err
	}
	pending, failed := a.store.Pending(ctx)
	if failed != nil {
		a.log.Error("the outbox cannot be read after a failure", "error", failed)
		return err
	}
	a.outbox.update(func(o *outbox) { o.adopt(pending) })
	a.ticker.wake()
	return err
}

// adopt adds the intents that are neither waiting nor under way, nor replaced by newer ones.
func (o *outbox) adopt(intents []store.Intent) {
	for _, in := range intents {
		known := func(other store.Intent) bool {
			return other.Table == in.Table && other.Key == in.Key && other.Generation >= in.Generation
		}
		l, waits := o.places[place{in.Table, in.Key}]
		flying, exists := o.lanes[in.Channel]
		switch {
		case in.Key == "", o.laid(in), waits && slices.ContainsFunc(l.waiting, known),
			exists && flying.flying != nil && known(*flying.flying):
		default:
			o.add([]store.Intent{in})
		}
	}
}

// laid reports whether an intent, or a newer one in its place, was taken out of its lane.
func (o *outbox) laid(in store.Intent) bool {
	f, ok := o.faults[place{in.Table, in.Key}]
	return ok && f.aside != nil && f.aside.Generation >= in.Generation
}
