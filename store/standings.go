package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// addedResult is a result with what follows from it, read and not yet written.
type addedResult struct {
	Result
	rows  []standingRow
	fresh []bool   // which of rows are not there yet
	bases []string // the pools whose ratings are given up to this result
}

// pools are the pools in which a result counts.
func (r *Result) pools() []string {
	if r.Guild == "" {
		return []string{""}
	}
	return []string{r.Guild, ""}
}

// addResult works out what a change's result does; nil if the table has one
// already.
func addResult(x *tx, c *Change) (*addedResult, error) {
	if x.in(resultOf).Get([]byte(c.Table)) != nil {
		return nil, nil
	}
	a := &addedResult{Result: c.Result.Clone()}
	a.Number, a.Table, a.Guild, a.Channel = x.in(results).Sequence()+1, c.Table, c.Guild, c.Channel
	if a.Finished.IsZero() {
		a.Finished = c.At
	}
	if a.Number > 1<<31-1 {
		return nil, invalid("there is no room for another result")
	}
	forgotten, err := x.forgetMarked(&a.Result, c.Users)
	if err != nil {
		return nil, err
	}
	for _, pool := range a.pools() {
		if err := a.tally(x, pool); err != nil {
			return nil, err
		}
		if forgotten {
			a.bases = append(a.bases, pool)
		}
	}
	return a, nil
}

// forgetMarked takes those out of a result who are being forgotten, or were
// while its table was under way; users are the people whose table it is.
func (x *tx) forgetMarked(r *Result, users []string) (found bool, err error) {
	for _, user := range r.users() {
		m, ok, err := x.mark(user)
		if err != nil {
			return false, err
		}
		if ok && (m.begun || m.waitsFor(r.Table, user, users)) {
			found = r.Forget(user) || found
		}
	}
	return found, nil
}

// tally works out the standings of one pool.
func (a *addedResult) tally(x *tx, pool string) error {
	base, err := x.base(pool)
	if err != nil {
		return err
	}
	before := map[string]standingRow{}
	had := map[string]bool{}
	after := Tally(pool, &a.Result, func(user, squire string) Standing {
		entry := standingEntry(user, squire)
		if _, read := had[entry]; !read {
			row, ok, readErr := x.standing(pool, user, squire)
			if readErr != nil && err == nil {
				err = readErr
			}
			before[entry], had[entry] = row, ok
		}
		return before[entry].Standing
	})
	if err != nil {
		return err
	}
	for _, s := range after {
		entry := standingEntry(s.User, s.Squire)
		was := before[entry]
		a.rows = append(a.rows, standingRow{Standing: s, base: was.baseFor(base)})
		a.fresh = append(a.fresh, !had[entry])
	}
	return nil
}

// base is the number of the result up to which a pool's ratings are given.
func (x *tx) base(pool string) (uint64, error) {
	record := x.in(pools).Get(pairKey(pool, ""))
	if record == nil {
		return 0, nil
	}
	n, err := decodeBase(record)
	if err != nil {
		return 0, damaged("pool of server", pool, err)
	}
	return n, nil
}

func encodeBase(number uint64) []byte { return binary.AppendUvarint([]byte{formatV1}, number) }

func decodeBase(record []byte) (uint64, error) {
	r := newReader(record)
	n := r.uint()
	return n, r.end()
}

func (x *tx) standing(pool, user, squire string) (row standingRow, ok bool, err error) {
	key := standingKey(pool, user, squire)
	record := x.in(standings).Get(key)
	if record == nil {
		return standingRow{}, false, nil
	}
	row, err = decodeStanding(key, record)
	if err != nil {
		return standingRow{}, false, damaged("standing", string(key), err)
	}
	return row, true, nil
}

// result writes a result with its indexes and standings.
func (p *puts) result(x *tx, a *addedResult) {
	p.put(x.in(results), resultKey(a.Number), encodeResult(&a.Result))
	if p.err == nil {
		p.err = x.in(results).SetSequence(a.Number)
	}
	p.put(x.in(resultOf), []byte(a.Table), resultKey(a.Number))
	if a.Guild != "" {
		p.put(x.in(guildResults), resultOfKey(a.Guild, a.Number), nil)
	}
	for _, user := range a.users() {
		p.put(x.in(userResults), resultOfKey(user, a.Number), nil)
	}
	for i := range a.rows {
		row := &a.rows[i]
		p.put(x.in(standings), standingKey(row.Guild, row.User, row.Squire), encodeStanding(row))
		if a.fresh[i] {
			p.put(x.in(standingOf), standingsOfKey(row.Guild, row.User, row.Squire), nil)
		}
	}
	for _, pool := range a.bases {
		p.put(x.in(pools), pairKey(pool, ""), encodeBase(a.Number))
	}
}

func (x *tx) result(number uint64) (Result, error) {
	record := x.in(results).Get(resultKey(number))
	if record == nil {
		return Result{}, damaged("result", fmt.Sprint(number), errRecord)
	}
	r, err := decodeResult(number, record)
	if err != nil {
		return Result{}, damaged("result", fmt.Sprint(number), err)
	}
	return r, nil
}

// ResultOf implements Store.
func (db *DB) ResultOf(ctx context.Context, table string) (r Result, ok bool, err error) {
	err = db.view(ctx, "read the result of a table", func(x *tx) error {
		key := x.in(resultOf).Get([]byte(table))
		if key == nil {
			return nil
		}
		number, err := splitResultKey(key)
		if err != nil {
			return damaged("result of table", table, err)
		}
		r, err = x.result(number)
		ok = err == nil
		return err
	})
	return r, ok, err
}

// ResultsByUser implements Store.
func (db *DB) ResultsByUser(ctx context.Context, user string, before uint64, limit int) ([]Result, error) {
	return db.resultsBy(ctx, "read the results of a user", userResults, user, before, limit)
}

// ResultsByGuild implements Store.
func (db *DB) ResultsByGuild(ctx context.Context, guild string, before uint64, limit int) ([]Result, error) {
	return db.resultsBy(ctx, "read the results of a server", guildResults, guild, before, limit)
}

func (db *DB) resultsBy(ctx context.Context, what string, index bucket, name string, before uint64, limit int) (list []Result, err error) {
	err = db.view(ctx, what, func(x *tx) error {
		return x.resultsBy(index, name, before, limit, func(r Result) { list = append(list, r) })
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// resultsBy calls fn for up to limit results below before that the index has
// for the name, the last first; 0 means all.
func (x *tx) resultsBy(index bucket, name string, before uint64, limit int, fn func(Result)) error {
	if bytes.IndexByte([]byte(name), 0) >= 0 || name == "" {
		return nil // no name: it would read into others
	}
	if before == 0 || before > 1<<31 {
		before = 1 << 31
	}
	prefix := pairKey(name, "")
	c := x.in(index).Cursor()
	n := 0
	for k := seekBefore(c, resultOfKey(name, before)); bytes.HasPrefix(k, prefix) && (limit <= 0 || n < limit); k, _ = c.Prev() {
		_, number, err := splitEntryKey(k)
		if err != nil {
			return damaged("index of results", string(k), err)
		}
		r, err := x.result(uint64(number))
		if err != nil {
			return err
		}
		fn(r)
		n++
	}
	return nil
}

// seekBefore moves to the last key before end.
func seekBefore(c *bolt.Cursor, end []byte) []byte {
	if k, _ := c.Seek(end); k == nil {
		k, _ = c.Last()
		return k
	}
	k, _ := c.Prev()
	return k
}

// Standing implements Store.
func (db *DB) Standing(ctx context.Context, guild, user string) (s Standing, ok bool, err error) {
	err = db.view(ctx, "read a standing", func(x *tx) error {
		if checkText("", guild) != nil || CheckName("", user) != nil {
			return nil
		}
		row, found, err := x.standing(guild, user, "")
		s, ok = row.Standing, found
		return err
	})
	return s, ok, err
}

// Standings implements Store.
func (db *DB) Standings(ctx context.Context, guild string, q StandingsQuery) (list []Standing, total int, err error) {
	err = db.view(ctx, "read the standings of a server", func(x *tx) error {
		best := selection{before: q.Order.compare, most: max(q.Offset, 0) + q.Limit}
		if q.Limit <= 0 {
			best.most = 0
		}
		few := q.Limit > 0 // then only those that are returned get their names
		err := x.eachRanked(guild, q.Squires, !few, func(s *Standing) { best.add(s) })
		if err != nil {
			return err
		}
		total, list = best.seen, best.from(q.Offset)
		for i := range list {
			if s := &list[i]; few {
				row, _, err := x.standing(guild, s.User, s.Squire)
				if err != nil {
					return err
				}
				s.Name = row.Name
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// Place implements Store.
func (db *DB) Place(ctx context.Context, guild, user string, order StandingOrder) (place int, s Standing, err error) {
	err = db.view(ctx, "find a place in the standings of a server", func(x *tx) error {
		if checkText("", guild) != nil || CheckName("", user) != nil {
			return nil
		}
		row, ok, err := x.standing(guild, user, "")
		if err != nil || !ok || row.Games == 0 || guild == "" {
			return err
		}
		s, place = row.Standing, 1
		return x.eachRanked(guild, false, false, func(other *Standing) {
			if order.compare(other, &s) < 0 {
				place++
			}
		})
	})
	if err != nil {
		return 0, Standing{}, err
	}
	return place, s, nil
}

// eachRanked calls fn for the standings of a server that stand in an order, of people or of squires, each for the duration of the call
// and with its name if that is wanted. It makes nothing that grows with the server but what fn keeps.
func (x *tx) eachRanked(guild string, squires, wantNames bool, fn func(*Standing)) error {
	if guild == "" || checkText("", guild) != nil {
		return nil // what somebody did across servers is for them alone
	}
	kind := entryUser
	if squires {
		kind = entrySquire
	}
	prefix := pairKey(guild, kind)
	c := x.in(standings).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		row := standingRow{Standing: Standing{Guild: guild}}
		if name := string(k[len(prefix):]); squires {
			row.Squire = name
		} else {
			row.User = name
		}
		if err := row.decode(v, wantNames); err != nil {
			return damaged("standing", string(k), err)
		}
		if row.Games > 0 {
			fn(&row.Standing)
		}
	}
	return nil
}

// selection keeps the first ones of what is added, in an order.
type selection struct {
	before func(a, b *Standing) int
	most   int // how many are kept; 0 means all
	seen   int
	kept   []Standing // unsorted, and up to twice as many
	last   *Standing  // the last one of those that were enough once
}

func (l *selection) add(s *Standing) {
	l.seen++
	if l.last != nil && l.before(s, l.last) > 0 {
		return
	}
	l.kept = append(l.kept, *s)
	if l.most > 0 && len(l.kept) >= 2*l.most+selectionRoom {
		l.cut()
	}
}

// selectionRoom is how many more than twice as many are kept, so that few are not sorted all the time.
const selectionRoom = 64

func (l *selection) cut() {
	order := make([]*Standing, len(l.kept)) // pointers are quicker to move
	for i := range l.kept {
		order[i] = &l.kept[i]
	}
	slices.SortFunc(order, l.before)
	if l.most > 0 && len(order) > l.most {
		order = order[:l.most]
		l.last = order[l.most-1]
	}
	kept := make([]Standing, len(order), max(len(order), 2*l.most+selectionRoom))
	for i, s := range order {
		kept[i] = *s
	}
	l.kept = kept
}

// from returns what was selected, without the first ones.
func (l *selection) from(offset int) []Standing {
	l.cut()
	return l.kept[min(max(offset, 0), len(l.kept)):]
}
