package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// maxBatch is how many waiting writes share one transaction.
const maxBatch = 512

// patience is how long a write that is in no hurry waits for company.
const patience = 10 * time.Millisecond

type unhurriedKey struct{}

// Unhurried returns a context whose writes wait up to 10 ms for one that is in
// a hurry, to share its transaction: what nobody waits for is to keep nobody
// waiting. Nothing else about them differs; they too return when they are on
// the disk.
func Unhurried(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// request is a step on its way through the writer.
type request struct {
	step      step
	unhurried bool
	err       error
	done      chan struct{}
}

// Failpoints are the names that Options.Failpoint can be called with: for each
// kind of write, before anything of it is written, after all of it is written
// into the open transaction, and after the transaction is on the disk but
// before the caller knows.
func Failpoints() []string {
	var names []string
	for _, kind := range []string{"commit", "enqueue", "settle", "user", "put", "prune", "drop", "forget", "scrub"} {
		for _, point := range []string{"before", "written", "after"} {
			names = append(names, kind+"/"+point)
		}
	}
	return names
}

func (db *DB) pass(s step, point string) {
	if db.failpoint != nil {
		db.failpoint(s.kind() + "/" + point)
	}
}

// write hands the step to the writer and waits for its outcome. Handing over
// is the moment from which ctx no longer counts.
func (db *DB) write(ctx context.Context, invalid error, s step) error {
	if invalid != nil {
		return invalid
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{step: s, unhurried: ctx.Value(unhurriedKey{}) != nil, done: make(chan struct{})}
	select {
	case db.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.quit:
		return ErrClosed
	}
	<-r.done
	if bug := (*callerPanic)(nil); errors.As(r.err, &bug) {
		panic(bug.value)
	}
	return r.err
}

// callerPanic carries the panic of a function that a caller handed in from the
// writer back to that caller.
type callerPanic struct{ value any }

func (p *callerPanic) Error() string { return fmt.Sprintf("the update panicked: %v", p.value) }

// run is the writer: it takes what waits, up to maxBatch, and does it in one
// transaction. With a write in a hurry it never waits for more to come: while
// one transaction goes to the disk, the next one's members gather by themselves.
func (db *DB) run() {
	defer close(db.stopped)
	debug.SetPanicOnFault(true)
	batch := make([]*request, 0, maxBatch)
	var over <-chan time.Time // when those without hurry have waited enough
	for {
		ripe, closing := false, false
		select {
		case r := <-db.requests:
			batch = append(batch, r)
		case <-over:
			ripe = true
		case <-db.quit:
			closing = true
		}
		batch = db.gather(batch)
		if !ripe && !closing && len(batch) < maxBatch && !slices.ContainsFunc(batch, (*request).hurried) {
			if over == nil {
				over = time.After(patience)
			}
			continue
		}
		if len(batch) > 0 {
			db.runBatch(batch)
		}
		for _, r := range batch {
			close(r.done)
		}
		clear(batch)
		batch, over = batch[:0], nil
		if closing {
			return
		}
	}
}

func (r *request) hurried() bool { return !r.unhurried }

// gather adds the requests that wait already. Those that were just answered
// get one chance to come back with their next one, which costs nothing when
// nobody else is there.
func (db *DB) gather(batch []*request) []*request {
	yielded := false
	for len(batch) < maxBatch {
		select {
		case r := <-db.requests:
			batch = append(batch, r)
			continue
		default:
		}
		if yielded {
			break
		}
		yielded = true
		runtime.Gosched()
	}
	return batch
}

// runBatch does all requests in one transaction, or, if one of them breaks it,
// each in its own, so that only that one fails.
func (db *DB) runBatch(batch []*request) {
	err := db.attempt(batch)
	if err == nil {
		return
	}
	if len(batch) == 1 || db.failed != nil {
		for _, r := range batch {
			r.err = err
		}
		return
	}
	for i := range batch {
		db.runBatch(batch[i : i+1])
	}
}

// attempt does the requests in one transaction. If it returns an error nothing
// was written, unless that error is ErrUncertain; else each request has its own
// outcome.
func (db *DB) attempt(batch []*request) error {
	if stuck := db.stuck.Load(); stuck != nil && db.failed == nil {
		db.failed = *stuck
	}
	if db.failed != nil {
		return fmt.Errorf("%w: %w", ErrFailed, db.failed)
	}
	var t *bolt.Tx
	err := guard(func() (err error) { t, err = db.bolt.Begin(true); return err })
	if err != nil {
		db.accepts.wrote(err)
		if errors.Is(err, ErrCorrupt) {
			db.stuck.Store(&err)
			db.failed = err
		}
		return err
	}
	defer func() { _ = guard(t.Rollback) }() // after a commit it does nothing
	x := newTx(t)
	wrote := false
	for _, r := range batch {
		db.pass(r.step, "before")
		if r.err = guard(func() error { return r.step.check(x) }); r.err != nil {
			continue
		}
		if err := guard(func() error { return r.step.apply(x) }); err != nil {
			return err
		}
		wrote = true
		db.pass(r.step, "written")
	}
	if !wrote {
		return nil
	}
	err = db.finish(t)
	if db.accepts.wrote(err); err != nil {
		return err
	}
	for _, r := range batch {
		if r.err == nil {
			db.pass(r.step, "after")
		}
	}
	return nil
}

// guard turns a panic of bbolt over a damaged file, or a fault in its mapped
// memory, into ErrCorrupt.
func guard(fn func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case runtime.Error:
			if _, fault := v.(interface{ Addr() uintptr }); fault {
				err = &CorruptError{Faults: []string{"one of its pages leads outside the file"}}
				return
			}
			err = &CorruptError{Faults: []string{fmt.Sprintf("what one of its pages holds makes no sense (%v)", v)}}
		case string: // bbolt's assertions
			err = &CorruptError{Faults: []string{inWords(v)}}
		default:
			err = fmt.Errorf("%w: %v", ErrCorrupt, v)
		}
	}()
	return fn()
}

// finish commits the transaction. bbolt's last step writes the header page and
// waits for the disk: if that fails, the new header may be there and may last.
// What the file shows then tells a certain failure from an uncertain one.
func (db *DB) finish(t *bolt.Tx) error {
	id := t.ID()
	err := guard(func() error { return db.commit(t) })
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrCorrupt) {
		db.failed = err
	}
	// bbolt holds its lock after some failures; the rollback lets go of it.
	_ = guard(t.Rollback)
	shown := id
	viewErr := db.snapshot(func(t *bolt.Tx) error { shown = t.ID(); return nil })
	if viewErr != nil || shown >= id {
		db.failed = err
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}
