package store

import (
	"bytes"
	"context"
	"fmt"
)

// What is deleted stays in the file's unused pages until something else is
// written there. For what somebody wanted deleted that may be too late, so the
// unused pages are filled with zeros, and are unused again then.
const (
	// fillKey begins the keys of the settings that fill pages; alone it says that
	// some are to be filled. After a kill the next ForgetRest finds them.
	fillKey = "\x01fill/"
	// fillPages is how many pages one transaction fills, or gives up, so that
	// moves do not wait long behind it.
	fillPages = 1000
	// fillRoom is what a page needs beside two values.
	fillRoom = 128
)

// fillStep fills pages with settings, two to a page: bbolt puts no fewer into
// one, and more have no room.
type fillStep struct{ from, to, pageSize int }

func (*fillStep) kind() string      { return "scrub" }
func (*fillStep) check(x *tx) error { return nil }
func (s *fillStep) apply(x *tx) error {
	var p puts
	filler := make([]byte, (s.pageSize-fillRoom)/2)
	for i := 2 * s.from; i < 2*s.to; i++ {
		p.put(x.in(settings), fmt.Appendf(nil, "%s%08x", fillKey, i), filler)
	}
	return p.err
}

// emptyStep removes some of the settings that fill pages.
type emptyStep struct{}

func (*emptyStep) kind() string      { return "scrub" }
func (*emptyStep) check(x *tx) error { return nil }
func (*emptyStep) apply(x *tx) error {
	var p puts
	for _, k := range x.fillers(2 * fillPages) {
		p.delete(x.in(settings), k)
	}
	return p.err
}

// fillers are the keys of settings that fill pages, so many at most.
func (x *tx) fillers(most int) (keys [][]byte) {
	c := x.in(settings).Cursor()
	for k, _ := c.Seek([]byte(fillKey)); len(keys) < most && bytes.HasPrefix(k, []byte(fillKey)); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	return keys
}

// scrub overwrites the pages that are unused at present, but for those that a
// copy under way still reads. The caller alone forgets.
func (db *DB) scrub(ctx context.Context) error {
	// A page can be filled when all who read began after the transaction that
	// gave it up, and bbolt knows that of those who began after a later one. So
	// one more is written, of nothing, and who began before it is waited for.
	if err := db.write(ctx, nil, &fillStep{pageSize: db.pageSize}); err != nil {
		return err
	}
	db.outlast()
	stats := db.bolt.Stats()
	pages := stats.FreePageN + stats.PendingPageN
	for from := 0; from < pages; from += fillPages {
		if err := db.write(ctx, nil, &fillStep{from: from, to: min(from+fillPages, pages), pageSize: db.pageSize}); err != nil {
			return err
		}
	}
	return db.empty(ctx)
}

// scrubRest does what a scrub has left that was killed, or never began.
func (db *DB) scrubRest(ctx context.Context) error {
	if left, err := db.filled(ctx); err != nil || !left {
		return err
	}
	return db.alone(ctx, func() error { return db.scrub(ctx) })
}

// empty gives up the pages that were filled.
func (db *DB) empty(ctx context.Context) error {
	for {
		if left, err := db.filled(ctx); err != nil || !left {
			return err
		}
		if err := db.write(ctx, nil, &emptyStep{}); err != nil {
			return err
		}
	}
}

// filled reports whether there are settings that fill pages, or that say so.
func (db *DB) filled(ctx context.Context) (some bool, err error) {
	err = db.view(ctx, "search for filled pages", func(x *tx) error {
		some = len(x.fillers(1)) > 0
		return nil
	})
	return some, err
}
