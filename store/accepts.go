package store

import (
	"context"
	"sync"
	"time"
)

const (
	// probePause lies between two writes that only find out whether writes are
	// accepted again.
	probePause = 5 * time.Second
	// probeSoon is what lies between them where another write has succeeded.
	probeSoon = time.Second
	// probePages is how many pages such a write fills: as many as a move needs at
	// most, or it would succeed where no move does.
	probePages = 8
)

// acceptance is whether the file accepts writes.
type acceptance struct {
	mu       sync.Mutex
	err      error     // why a transaction failed, nil if none did since a probe succeeded
	failures uint64    // so far
	last     time.Time // of the probes
	next     time.Time // no probe before
	probing  bool
}

// wrote takes note of what came of a transaction. One that succeeds after another
// failed is reason to look soon, and no more: on a full disk small ones go on
// succeeding for long.
func (a *acceptance) wrote(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err != nil:
		if a.err == nil {
			a.next = time.Now().Add(probePause)
		}
		a.err = err
		a.failures++
	case a.err != nil && a.next.After(a.last.Add(probeSoon)):
		a.next = a.last.Add(probeSoon)
	}
}

// probe returns what is known, and whether the caller is to find out more.
func (a *acceptance) probe(now time.Time) (failures uint64, find bool, known error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil || a.probing || now.Before(a.next) {
		return a.failures, false, a.err
	}
	a.probing, a.last, a.next = true, now, now.Add(probePause)
	return a.failures, true, a.err
}

// probed ends a probe that began after so many failures.
func (a *acceptance) probed(succeeded bool, failures uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.probing = false
	if succeeded && a.failures == failures {
		a.err = nil
	}
	return a.err
}

// Accepts returns why the database accepts no writes: the error of the last
// transaction that the disk failed, until one as large as a move's has succeeded.
// While there is such an error, a call now and then writes something to find out
// whether that is over, for perhaps nobody else writes. It waits for that write
// until ctx ends.
func (db *DB) Accepts(ctx context.Context) error {
	failures, find, known := db.accepts.probe(time.Now())
	if !find {
		return known
	}
	found := make(chan error, 1)
	go func() {
		well := false
		// What panics here ends no game: the writes stay refused.
		_ = guard(func() error { well = db.tryWriting(); return nil })
		found <- db.accepts.probed(well, failures)
	}()
	select {
	case known = <-found:
	case <-ctx.Done():
	}
	return known
}

// tryWriting fills some pages and gives them up again. While somebody is being
// forgotten, which fills and empties pages too, it does nothing; a later probe will.
func (db *DB) tryWriting() bool {
	select {
	case db.forgets <- struct{}{}:
	default:
		return false
	}
	defer func() { <-db.forgets }()
	ctx := context.Background()
	return db.write(ctx, nil, &fillStep{to: probePages, pageSize: db.pageSize}) == nil && db.empty(ctx) == nil
}
