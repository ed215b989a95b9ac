package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// view runs fn in a read transaction. Nothing of the file's memory may be kept
// when fn returns, and fn must not view once more.
func (db *DB) view(ctx context.Context, what string, fn func(x *tx) error) error {
	err := ctx.Err()
	if err == nil {
		err = db.read(fn)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (db *DB) read(fn func(x *tx) error) error {
	db.reads.RLock()
	defer db.reads.RUnlock()
	return db.snapshot(func(t *bolt.Tx) error { return fn(newTx(t)) })
}

// outlast waits until all reads have ended that began before.
func (db *DB) outlast() {
	db.reads.Lock()
	defer db.reads.Unlock()
}

// snapshot is bbolt's View in which a damaged file is an error.
func (db *DB) snapshot(fn func(t *bolt.Tx) error) error {
	// The fault would otherwise end the program, whatever recovers.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if stuck := db.stuck.Load(); stuck != nil {
		return *stuck
	}
	begun := false
	err := guard(func() error {
		return db.bolt.View(func(t *bolt.Tx) error {
			begun = true
			return fn(t)
		})
	})
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	case !begun && errors.Is(err, ErrCorrupt):
		db.stuck.Store(&err)
		db.accepts.wrote(err) // nor is anything written any more
	}
	return err
}

// Table implements Store.
func (db *DB) Table(ctx context.Context, id string) (row Row, err error) {
	err = db.view(ctx, fmt.Sprintf("read table %q", id), func(x *tx) error {
		var ok bool
		var err error
		if row, ok, err = x.row(id, true); err == nil && !ok {
			return ErrNotFound
		}
		return err
	})
	return row, err
}

// TableByChannel implements Store.
func (db *DB) TableByChannel(ctx context.Context, channel string) (id string, ok bool, err error) {
	err = db.view(ctx, "find the table of a channel", func(x *tx) error {
		holder := x.in(channels).Get([]byte(channel))
		id, ok = string(holder), holder != nil
		return nil
	})
	return id, ok, err
}

// TablesByUser implements Store.
func (db *DB) TablesByUser(ctx context.Context, user string) ([]string, error) {
	return db.second(ctx, "find the tables of a user", seats, user)
}

// TablesByGuild implements Store.
func (db *DB) TablesByGuild(ctx context.Context, guild string) ([]string, error) {
	return db.second(ctx, "find the tables of a guild", guilds, guild)
}

// second lists the second halves of the pairs that begin with first.
func (db *DB) second(ctx context.Context, what string, index bucket, first string) (names []string, err error) {
	err = db.view(ctx, what, func(x *tx) error {
		return eachPair(x.in(index), first, func(name string, _ []byte) error {
			names = append(names, name)
			return nil
		})
	})
	return names, err
}

// eachPair calls fn for each pair of first, in order.
func eachPair(b *bolt.Bucket, first string, fn func(second string, value []byte) error) error {
	if strings.IndexByte(first, 0) >= 0 {
		return nil // no name: it would read into other pairs
	}
	prefix := pairKey(first, "")
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if err := fn(string(k[len(prefix):]), v); err != nil {
			return err
		}
	}
	return nil
}

// LiveTables implements Store.
func (db *DB) LiveTables(ctx context.Context, fn func(id string) error) error {
	// fn runs between short transactions: while one is open no page can be
	// used again, and a write inside fn would wait for it for ever.
	const chunk = 500
	ids, from := make([]string, 0, chunk), ""
	for {
		ids = ids[:0]
		err := db.view(ctx, "list the live tables", func(x *tx) error {
			c := x.in(live).Cursor()
			for k, _ := c.Seek([]byte(from)); k != nil && len(ids) < chunk; k, _ = c.Next() {
				ids = append(ids, string(k))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := fn(id); err != nil {
				return err
			}
		}
		if len(ids) < chunk {
			return nil
		}
		from = ids[chunk-1] + "\x00" // the next possible key
	}
}

// History implements Store.
func (db *DB) History(ctx context.Context, id string, from, limit int) (entries []Entry, err error) {
	err = db.view(ctx, fmt.Sprintf("read the history of table %q", id), func(x *tx) error {
		if err := x.mustExist(id); err != nil {
			return err
		}
		entries, err = x.history(id, from, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// history reads up to limit entries of a table from number from on; 0 means
// all.
func (x *tx) history(id string, from, limit int) (entries []Entry, err error) {
	prefix := pairKey(id, "")
	c := x.in(history).Cursor()
	for k, v := c.Seek(entryKey(id, max(from, 1))); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if limit > 0 && len(entries) == limit {
			break
		}
		_, seq, err := splitEntryKey(k)
		if err != nil {
			return nil, damaged("history of table", id, err)
		}
		e, err := decodeEntry(seq, v)
		if err != nil {
			return nil, damaged("history of table", id, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Repeated implements Store.
func (db *DB) Repeated(ctx context.Context, interaction string) (table string, ok bool, err error) {
	err = db.view(ctx, "look up an interaction", func(x *tx) error {
		record := x.in(seen).Get([]byte(interaction))
		if record == nil {
			return nil
		}
		var err error
		if _, table, err = decodeSeen(record); err != nil {
			return damaged("interaction", interaction, err)
		}
		ok = true
		return nil
	})
	return table, ok, err
}

// Pending implements Store.
func (db *DB) Pending(ctx context.Context) (intents []Intent, err error) {
	err = db.view(ctx, "read the outbox", func(x *tx) error {
		return x.in(outbox).ForEach(func(k, v []byte) error {
			// One that cannot be read is never said, and keeps no other from it; Check
			// names it.
			table, key, err := splitPair(k)
			if err != nil {
				return nil
			}
			in, err := decodeIntent(table, key, v)
			if err != nil {
				return nil
			}
			intents = append(intents, in)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(intents, func(a, b Intent) int {
		if a.Generation < b.Generation {
			return -1
		}
		return 1
	})
	return intents, nil
}

// Surface implements Store.
func (db *DB) Surface(ctx context.Context, table, name string) (sf Surface, ok bool, err error) {
	err = db.view(ctx, "read a surface", func(x *tx) error {
		sf, ok, err = x.surface(pairKey(table, name))
		return err
	})
	return sf, ok, err
}

// surface reads a surface by its key.
func (x *tx) surface(key []byte) (Surface, bool, error) {
	record := x.in(surfaces).Get(key)
	if record == nil {
		return Surface{}, false, nil
	}
	table, name, err := splitPair(key)
	if err != nil {
		return Surface{}, false, damaged("surface", string(key), err)
	}
	sf, err := decodeSurface(table, name, record)
	if err != nil {
		// No message is known that could be edited; the next one takes its place.
		return Surface{}, false, nil
	}
	return sf, true, nil
}

// Surfaces implements Store.
func (db *DB) Surfaces(ctx context.Context, table string) (list []Surface, err error) {
	err = db.view(ctx, "read the surfaces of a table", func(x *tx) error {
		return eachPair(x.in(surfaces), table, func(name string, record []byte) error {
			sf, err := decodeSurface(table, name, record)
			if err != nil {
				return damaged("surface of table", table, err)
			}
			list = append(list, sf)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// SurfaceByMessage implements Store.
func (db *DB) SurfaceByMessage(ctx context.Context, message string) (sf Surface, ok bool, err error) {
	err = db.view(ctx, "find the surface of a message", func(x *tx) error {
		key := x.in(messages).Get([]byte(message))
		if key == nil {
			return nil
		}
		sf, ok, err = x.surface(key)
		return err
	})
	return sf, ok, err
}

// Due implements Store.
func (db *DB) Due(ctx context.Context, now time.Time, limit int) (due []Deadline, err error) {
	err = db.view(ctx, "read the deadlines", func(x *tx) error {
		x.eachDeadline(func(d Deadline) bool {
			if d.At.After(now) || limit > 0 && len(due) == limit {
				return false
			}
			due = append(due, d)
			return true
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return due, nil
}

// NextDeadline implements Store.
func (db *DB) NextDeadline(ctx context.Context) (at time.Time, ok bool, err error) {
	err = db.view(ctx, "read the next deadline", func(x *tx) error {
		x.eachDeadline(func(d Deadline) bool {
			at, ok = d.At, true
			return false
		})
		return nil
	})
	return at, ok, err
}

// eachDeadline calls fn for the deadlines in their order until it returns
// false. One that cannot be read keeps no other clock from running; Check names
// it.
func (x *tx) eachDeadline(fn func(Deadline) bool) {
	c := x.in(deadlines).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if d, err := splitDeadlineKey(k); err == nil && !fn(d) {
			return
		}
	}
}

// User implements Store.
func (db *DB) User(ctx context.Context, id string) (u User, err error) {
	err = db.view(ctx, fmt.Sprintf("read user %q", id), func(x *tx) error {
		u, err = x.user(id)
		return err
	})
	return u, err
}

// Get implements Store.
func (db *DB) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	err = db.view(ctx, fmt.Sprintf("get setting %q", key), func(x *tx) error {
		if v := x.in(settings).Get([]byte(key)); v != nil {
			value, ok = append([]byte{}, v...), true
		}
		return nil
	})
	return value, ok, err
}

// Keys implements Store.
func (db *DB) Keys(ctx context.Context, prefix string) (keys []string, err error) {
	err = db.view(ctx, "list settings", func(x *tx) error {
		c := x.in(settings).Cursor()
		for k, _ := c.Seek([]byte(prefix)); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = c.Next() {
			keys = append(keys, string(k))
		}
		return nil
	})
	return keys, err
}

// Backup implements Store. Pages that are freed while it runs are used again
// only after it has ended, so w should not be slow for hours.
func (db *DB) Backup(ctx context.Context, w io.Writer) (n int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = db.snapshot(func(t *bolt.Tx) error {
		n, err = t.WriteTo(&ctxWriter{ctx, w})
		return err
	})
	if err != nil {
		return n, fmt.Errorf("back up the database: %w", err)
	}
	return n, nil
}

// ctxWriter stops a copy when its context ends.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c *ctxWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
