package store

import (
	"bytes"
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// dropStep is Drop.
type dropStep struct {
	table string
	was   uint64
	row   Row
	ids   idSet
	keys  []dropped
	shown []string // names of surfaces
}

// dropped is a record to remove.
type dropped struct {
	in  bucket
	key []byte
}

func (*dropStep) kind() string { return "drop" }

func (s *dropStep) check(x *tx) (err error) {
	var ok bool
	switch s.row, ok, err = x.row(s.table, true); {
	case err != nil:
		return err
	case !ok:
		return ErrNotFound
	case s.row.Live || s.row.Version != s.was:
		return ErrConflict
	case x.in(resultOf).Get([]byte(s.table)) != nil:
		return fmt.Errorf("%w: it has a result", ErrConflict)
	}
	s.keys, s.shown = nil, nil
	if keys := keysOf(x.in(outbox), s.table); len(keys) > 0 {
		return fmt.Errorf("%w: %d intents wait", ErrConflict, len(keys))
	}
	for _, key := range keysOf(x.in(history), s.table) {
		s.keys = append(s.keys, dropped{history, key})
	}
	for _, key := range keysOf(x.in(surfaces), s.table) {
		s.shown = append(s.shown, string(key[len(pairKey(s.table, "")):]))
	}
	s.ids, _, err = x.idsOf(s.table)
	return err
}

// keysOf are the keys of a table's records in a bucket of pairs.
func keysOf(b *bolt.Bucket, table string) (keys [][]byte) {
	prefix := pairKey(table, "")
	c := b.Cursor()
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	return keys
}

func (s *dropStep) apply(x *tx) error {
	var p puts
	for _, name := range s.shown {
		p.forgetSurface(x, s.table, name)
	}
	for _, d := range s.keys {
		p.delete(x.in(d.in), d.key)
	}
	for i := range s.row.Deadlines {
		p.delete(x.in(deadlines), deadlineKey(&s.row.Deadlines[i]))
	}
	for _, id := range s.ids.sorted() {
		p.delete(x.in(names), pairKey(id, s.table))
	}
	p.delete(x.in(tables), []byte(s.table))
	return p.err
}

// Drop implements Store.
func (db *DB) Drop(ctx context.Context, table string, version uint64) error {
	err := CheckName("the table id", table)
	if err := db.write(ctx, err, &dropStep{table: table, was: version}); err != nil {
		return fmt.Errorf("drop table %q: %w", table, err)
	}
	return nil
}

// EndedTables implements Store.
func (db *DB) EndedTables(ctx context.Context, after string, limit int) (ids []string, err error) {
	err = db.view(ctx, "list ended tables", func(x *tx) error {
		ids = nil
		c := x.in(tables).Cursor()
		k, _ := c.Seek([]byte(after))
		for ; k != nil && len(ids) < limit; k, _ = c.Next() {
			if string(k) > after && x.in(live).Get(k) == nil {
				ids = append(ids, string(k))
			}
		}
		return nil
	})
	return ids, err
}
