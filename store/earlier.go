package store

import (
	"cmp"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// scorer is Options.Score.
type scorer func(table string, snapshot []byte, entries [][]byte) *Result

// scoreEarlier is the migration that makes the results of games that ended
// before results were kept. They take their places among the others by when
// they ended, for standings follow from results in their order, and the
// results and standings are made anew.
//
// Where ratings are given up to some result, because somebody was forgotten,
// those up to it stay as they are: the games before it count, and rate nobody.
func scoreEarlier(t *bolt.Tx, score scorer) error {
	x := newTx(t)
	earlier, err := x.earlier(score)
	if err != nil || len(earlier) == 0 {
		return err
	}
	m := remaking{x: x}
	if err := m.read(); err != nil {
		return err
	}
	m.merge(earlier)
	m.tally()
	return m.write()
}

// earlier returns the results of ended tables that have none, the first one
// that ended first.
func (x *tx) earlier(score scorer) (found []Result, err error) {
	if score == nil {
		return nil, nil
	}
	c := x.in(tables).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if x.in(resultOf).Get(k) != nil || x.in(live).Get(k) != nil {
			continue
		}
		r, err := x.scored(string(k), score)
		if err != nil {
			return nil, err
		}
		if r != nil {
			found = append(found, *r)
		}
	}
	slices.SortStableFunc(found, func(a, b Result) int { return a.Finished.Compare(b.Finished) })
	return found, nil
}

// scored works out the result of one table.
func (x *tx) scored(id string, score scorer) (*Result, error) {
	row, err := decodeRow(id, x.in(tables).Get([]byte(id)), true)
	if err != nil {
		return nil, damaged("table", id, err) // what is brought up to date is understood as a whole
	}
	entries, err := x.history(id, 1, 0)
	if err != nil {
		return nil, err
	}
	lines := make([][]byte, len(entries))
	last := row.Touched
	for i, e := range entries {
		lines[i], last = e.Data, e.At
	}
	scored := score(id, row.Snapshot, lines)
	if scored == nil {
		return nil, nil
	}
	r := scored.Clone()
	r.Table, r.Guild, r.Channel = id, row.Guild, row.Channel
	if r.Finished.IsZero() {
		r.Finished = last
	}
	if err := r.validate(true); err != nil {
		return nil, fmt.Errorf("table %q: %w", id, err)
	}
	_, err = x.forgetMarked(&r, row.Users)
	return &r, err
}

// remaking makes all standings anew.
type remaking struct {
	x       *tx
	results []Result
	bases   map[string]uint64 // by pool
	given   map[string]standingBase
	made    map[string]Standing
	order   []string // keys of made
}

// read takes up what there is: results, and by what ratings are given.
func (m *remaking) read() error {
	x := m.x
	m.bases, m.given, m.made = map[string]uint64{}, map[string]standingBase{}, map[string]Standing{}
	err := x.in(results).ForEach(func(k, _ []byte) error {
		number, err := splitResultKey(k)
		if err != nil {
			return damaged("result", string(k), err)
		}
		r, err := x.result(number)
		m.results = append(m.results, r)
		return err
	})
	if err != nil {
		return err
	}
	err = x.in(pools).ForEach(func(k, v []byte) error {
		n, err := decodeBase(v)
		if err != nil || len(k) == 0 || k[len(k)-1] != 0 {
			return damaged("pool", string(k), errRecord)
		}
		m.bases[string(k[:len(k)-1])] = n
		return nil
	})
	if err != nil {
		return err
	}
	return x.in(standings).ForEach(func(k, v []byte) error {
		row, err := decodeStanding(k, v)
		if err != nil {
			return damaged("standing", string(k), err)
		}
		m.given[string(k)] = row.baseFor(m.bases[row.Guild])
		return nil
	})
}

// merge puts earlier results before the first one that ended later, and
// numbers all of them anew.
func (m *remaking) merge(earlier []Result) {
	all := make([]Result, 0, len(m.results)+len(earlier))
	number := map[uint64]uint64{0: 0}
	for _, r := range m.results {
		n := 0
		for n < len(earlier) && earlier[n].Finished.Before(r.Finished) {
			n++
		}
		all, earlier = append(all, earlier[:n]...), earlier[n:]
		all = append(all, r)
		number[r.Number] = uint64(len(all))
	}
	m.results = append(all, earlier...)
	for i := range m.results {
		m.results[i].Number = uint64(i) + 1
	}
	for pool, base := range m.bases {
		m.bases[pool] = number[base]
	}
}

// tally counts all results once more.
func (m *remaking) tally() {
	for i := range m.results {
		r := &m.results[i]
		for _, pool := range r.pools() {
			m.count(pool, r)
		}
	}
}

func (m *remaking) count(pool string, r *Result) {
	after := Tally(pool, r, func(user, squire string) Standing {
		key := standingKey(pool, user, squire)
		s, ok := m.made[string(key)]
		if given := m.given[string(key)]; !ok {
			s.Rating, s.Rated = given.rating, given.rated
		}
		return s
	})
	for _, s := range after {
		key := string(standingKey(pool, s.User, s.Squire))
		if r.Number <= m.bases[pool] {
			s.Rating, s.Rated = m.given[key].rating, m.given[key].rated
		}
		if _, known := m.made[key]; !known {
			m.order = append(m.order, key)
		}
		m.made[key] = s
	}
}

// write puts everything in the place of what there was.
func (m *remaking) write() error {
	x := m.x
	for _, b := range []bucket{results, resultOf, guildResults, userResults, standings, standingOf} {
		if err := x.bolt.DeleteBucket([]byte(b.name())); err != nil {
			return err
		}
		fresh, err := x.bolt.CreateBucket([]byte(b.name()))
		if err != nil {
			return err
		}
		x.open[b] = fresh
	}
	var p puts
	for i := range m.results {
		p.result(x, &addedResult{Result: m.results[i]})
	}
	for pool, base := range m.bases {
		p.put(x.in(pools), pairKey(pool, ""), encodeBase(base))
	}
	begun := map[string]bool{} // who is being forgotten has no standing any more
	err := x.in(forgetting).ForEach(func(k, v []byte) error {
		mark, err := decodeMark(v)
		if err != nil {
			return damaged("what is to be forgotten of user", string(k), err)
		}
		begun[string(k)] = mark.begun
		return nil
	})
	slices.SortFunc(m.order, cmp.Compare[string])
	for _, key := range m.order {
		s := m.made[key]
		if s.User != "" && begun[s.User] {
			continue
		}
		given := m.given[key]
		row := standingRow{Standing: s, base: standingBase{at: m.bases[s.Guild], rating: given.rating, rated: given.rated}}
		p.put(x.in(standings), []byte(key), encodeStanding(&row))
		p.put(x.in(standingOf), standingsOfKey(s.Guild, s.User, s.Squire), nil)
	}
	return cmp.Or(err, p.err)
}
