package bot

import (
	"context"
	"errors"
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
	// trying are the tables of which what is kept is being settled at the moment.
	trying map[string]bool
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
	if u.trying[table] {
		return nil, false
	}
	kept := u.kept[table]
	if len(kept) > 0 {
		delete(u.kept, table)
		if u.trying == nil {
			u.trying = map[string]bool{}
		}
		u.trying[table] = true
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
		if err := a.store.Settle(ctx, s); err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		left = left[1:]
		done = done || s.Key == in.Key && s.Generation == in.Generation
	}
	return done, nil
}

// settleAll settles what is kept of every table.
func (a *App) settleAll(ctx context.Context) error {
	for _, id := range a.unsettled.tables() {
		if _, err := a.settleKept(ctx, store.Intent{Table: id}); err != nil {
			return err
		}
	}
	return nil
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
		case in.Key == "", waits && slices.ContainsFunc(l.waiting, known), exists && flying.flying != nil && known(*flying.flying):
		default:
			o.add([]store.Intent{in})
		}
	}
}
