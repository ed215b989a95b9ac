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
	// probePages is how many pages such a write fills: as many as a move needs at
	// most, or it would succeed where no move does.
	probePages = 8
)

// acceptance is whether the file accepts writes, as the last one told.
type acceptance struct {
	mu      sync.Mutex
	err     error     // why the last transaction failed, nil if it did not
	next    time.Time // no probe before
	probing bool
}

// wrote takes note of what came of a transaction.
func (a *acceptance) wrote(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil && err != nil {
		a.next = time.Now().Add(probePause)
	}
	a.err = err
}

// probe returns what is known, and whether the caller is to find out more.
func (a *acceptance) probe(now time.Time) (err error, find bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil || a.probing || now.Before(a.next) {
		return a.err, false
	}
	a.probing, a.next = true, now.Add(probePause)
	return a.err, true
}

func (a *acceptance) probed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.probing = false
	return a.err
}

// Accepts returns why the database accepts no writes: the error of the last
// transaction if the disk failed it and none has succeeded since. While there is
// such an error, a call now and then writes something to find out whether that is
// over, for perhaps nobody else writes. It waits for that write until ctx ends.
func (db *DB) Accepts(ctx context.Context) error {
	err, find := db.accepts.probe(time.Now())
	if !find {
		return err
	}
	found := make(chan error, 1)
	go func() {
		db.tryWriting()
		found <- db.accepts.probed()
	}()
	select {
	case err = <-found:
	case <-ctx.Done():
	}
	return err
}

// tryWriting fills some pages and gives them up again. What comes of it the writer
// notes. Who forgets somebody fills pages too, and tells as much.
func (db *DB) tryWriting() {
	select {
	case db.forgets <- struct{}{}:
	default:
		return
	}
	defer func() { <-db.forgets }()
	ctx := context.Background()
	if db.write(ctx, nil, &fillStep{to: probePages, pageSize: db.pageSize}) == nil {
		_ = db.empty(ctx)
	}
}
