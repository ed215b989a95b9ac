package bot

import (
	"context"
	"errors"
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
}

func (u *unsettled) put(s store.Settlement) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept == nil {
		u.kept = map[string][]store.Settlement{}
	}
	u.kept[s.Table] = append(u.kept[s.Table], s)
}

// take takes out what is kept of a table.
func (u *unsettled) take(table string) []store.Settlement {
	u.mu.Lock()
	defer u.mu.Unlock()
	kept := u.kept[table]
	delete(u.kept, table)
	return kept
}

// settleKept settles what is kept of the intent's table. done tells whether the intent itself was among it: then it has been said.
func (a *App) settleKept(ctx context.Context, in store.Intent) (done bool, err error) {
	kept := a.unsettled.take(in.Table)
	for n, s := range kept {
		if err := a.store.Settle(ctx, s); err != nil && !errors.Is(err, store.ErrNotFound) {
			for _, left := range kept[n:] {
				a.unsettled.put(left)
			}
			return false, err
		}
		done = done || s.Key == in.Key && s.Generation == in.Generation
	}
	return done, nil
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
