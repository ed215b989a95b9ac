package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Whom the opaque bytes tell of is found by an index of the ids that stand in
// them, so that to export or to forget somebody costs what they have, not what
// the database has. Of a setting it holds exactly those that stand in it. Of a
// table it holds all that stand in its snapshot, users, history, surfaces or
// intents, and may hold more: what stood there once stays until somebody asks
// for it, for most of what a table writes is written over by its next move.

// Discord's ids are numbers of so many digits. Shorter ones and other words,
// which Discord does not give out, are in no index: who has such an id is
// searched for in the whole database.
const (
	minIDLen = 15
	maxIDLen = 20
)

// indexed reports whether the index has this id wherever it stands.
func indexed(id string) bool {
	if len(id) < minIDLen || len(id) > maxIDLen {
		return false
	}
	for i := range len(id) {
		if !isDigit(id[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// idSet is a set of them.
type idSet map[string]struct{}

// read adds the ids that stand in what is stored, each a word as in Mentions.
func (s idSet) read(stored ...[]byte) {
	for _, b := range stored {
		for i := 0; i < len(b); {
			if !isWord(b[i]) {
				i++
				continue
			}
			from, digits := i, true
			for ; i < len(b) && isWord(b[i]); i++ {
				digits = digits && isDigit(b[i])
			}
			if n := i - from; digits && n >= minIDLen && n <= maxIDLen {
				s[string(b[from:i])] = struct{}{}
			}
		}
	}
}

func (s idSet) has(id string) bool {
	_, ok := s[id]
	return ok
}

// sorted returns them in order, so that a transaction writes the same pages
// each time.
func (s idSet) sorted() []string {
	list := make([]string, 0, len(s))
	for id := range s {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// What of a table may tell of somebody.

func (s idSet) readChange(c *Change) {
	s.read(c.Snapshot)
	for _, user := range c.Users {
		s.read([]byte(user))
	}
	s.read(c.Entries...)
}

func (s idSet) readIntent(in *Intent) { s.read([]byte(in.Key), []byte(in.Channel), in.Payload) }

func (s idSet) readSurface(sf *Surface) { s.read([]byte(sf.Name), []byte(sf.Channel), sf.Data) }

// idsOf reads all ids that stand in a table. Those in records that cannot be
// read are among them; spoiled is about one of these.
func (x *tx) idsOf(table string) (s idSet, spoiled, err error) {
	s = idSet{}
	row, ok, err := x.row(table, true)
	if err != nil || !ok {
		return s, nil, err
	}
	s.readChange(&Change{Snapshot: row.Snapshot, Users: row.Users})
	err = x.eachSurface(table, func(sf Surface, damage error) {
		s.readSurface(&sf)
		spoiled = cmp.Or(spoiled, damage)
	})
	if err != nil {
		return s, nil, err
	}
	err = x.eachIntent(table, func(in Intent, damage error) {
		s.readIntent(&in)
		spoiled = cmp.Or(spoiled, damage)
	})
	if err != nil {
		return s, nil, err
	}
	prefix := pairKey(table, "")
	c := x.in(history).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if len(v) > 1+timeLen {
			s.read(v[1+timeLen:])
		}
	}
	return s, spoiled, nil
}

// named adds a table to what is found by the ids.
func (p *puts) named(x *tx, table string, s idSet) {
	for _, id := range s.sorted() {
		// Most are there already: looking is cheaper than writing.
		if key := pairKey(id, table); p.err == nil && x.in(names).Get(key) == nil {
			p.put(x.in(names), key, nil)
		}
	}
}

// unnamed takes a table out of what is found by the given ids, but for those
// that still stand in it.
func (p *puts) unnamed(x *tx, table string, gone ...string) {
	if p.err != nil {
		return
	}
	left, _, err := x.idsOf(table)
	if err != nil {
		p.err = err
		return
	}
	for _, id := range gone {
		if indexed(id) && !left.has(id) {
			p.delete(x.in(names), pairKey(id, table))
		}
	}
}

// setting writes a setting, or removes it if the value is nil, with its index.
func (p *puts) setting(x *tx, key string, value []byte) {
	b, was, is := x.in(settings), idSet{}, idSet{}
	if old := b.Get([]byte(key)); old != nil {
		was.read([]byte(key), old)
	}
	if value == nil {
		p.delete(b, []byte(key))
	} else {
		is.read([]byte(key), value)
		p.put(b, []byte(key), value)
	}
	for _, id := range was.sorted() {
		if !is.has(id) {
			p.delete(x.in(settingNames), pairKey(id, key))
		}
	}
	for _, id := range is.sorted() {
		if !was.has(id) {
			p.put(x.in(settingNames), pairKey(id, key), nil)
		}
	}
}

// unnameStep takes a table out of what is found by ids that stood in it once.
type unnameStep struct {
	table string
	ids   []string
}

func (*unnameStep) kind() string      { return "forget" }
func (*unnameStep) check(x *tx) error { return nil }

func (s *unnameStep) apply(x *tx) error {
	var p puts
	p.unnamed(x, s.table, s.ids...)
	return p.err
}

// searchChunk is how many tables or settings are read in one transaction:
// while one is open no page can be used again.
const searchChunk = 50

// tablesNaming returns the tables, sorted, in which the user's id may stand,
// their surfaces included, or that may show in the channel of their direct
// messages: all that do, and few more.
func (db *DB) tablesNaming(ctx context.Context, user, dm string) (tables []string, err error) {
	if !indexed(user) || dm != "" && !indexed(dm) {
		if tables, err = db.searchTables(ctx, user, dm); err != nil {
			return nil, err
		}
	}
	for _, id := range []string{user, dm} {
		if !indexed(id) {
			continue
		}
		more, err := db.second(ctx, "find the tables", names, id)
		if err != nil {
			return nil, err
		}
		tables = append(tables, more...)
	}
	slices.Sort(tables)
	return slices.Compact(tables), nil
}

// searchTables looks through all tables.
func (db *DB) searchTables(ctx context.Context, user, dm string) (found []string, err error) {
	err = db.walk(ctx, "search the tables", tables, func(x *tx, k, _ []byte) error {
		with, err := x.tableWith(string(k), user, dm)
		if with {
			found = append(found, string(k))
		}
		return err
	})
	return found, err
}

// walk calls fn for each record of a bucket, in order, in short transactions.
func (db *DB) walk(ctx context.Context, what string, b bucket, fn func(x *tx, k, v []byte) error) error {
	for from, more := []byte{0}, true; more; {
		err := db.view(ctx, what, func(x *tx) error {
			c := x.in(b).Cursor()
			k, v := c.Seek(from)
			for n := 0; k != nil && n < searchChunk; n++ {
				if err := fn(x, k, v); err != nil {
					return err
				}
				k, v = c.Next()
			}
			if more = k != nil; more {
				from = bytes.Clone(k)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settingsWith returns the settings in which the user's id stands.
func (db *DB) settingsWith(ctx context.Context, user string) (found []settingChange, err error) {
	if !indexed(user) {
		err = db.walk(ctx, "search the settings", settings, func(_ *tx, k, v []byte) error {
			if Mentions(k, user) || Mentions(v, user) {
				found = append(found, settingChange{key: string(k), was: append([]byte{}, v...)})
			}
			return nil
		})
		return found, err
	}
	err = db.view(ctx, "read the settings", func(x *tx) error {
		return eachPair(x.in(settingNames), user, func(key string, _ []byte) error {
			v := x.in(settings).Get([]byte(key))
			if v == nil {
				return damaged("index of settings", key, errRecord)
			}
			found = append(found, settingChange{key: key, was: append([]byte{}, v...)})
			return nil
		})
	})
	return found, err
}

// indexNames is the migration that makes the indexes of ids.
func indexNames(t *bolt.Tx) error {
	if err := createBuckets(buckets2, buckets3)(t); err != nil {
		return err
	}
	x := newTx(t)
	var p puts
	c := x.in(tables).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		s, spoiled, err := x.idsOf(string(k))
		if err := cmp.Or(err, spoiled); err != nil {
			return err // a migration refuses what is damaged
		}
		p.named(x, string(k), s)
	}
	c = x.in(settings).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		s := idSet{}
		s.read(k, v)
		for _, id := range s.sorted() {
			p.put(x.in(settingNames), pairKey(id, string(k)), nil)
		}
	}
	return p.err
}
