package store

import (
	"math"

	"paladin/game/rating"
)

// resultAudit makes the standings anew from the results and holds them
// against those that are stored.
type resultAudit struct {
	*audit
	last   uint64            // the number of the last result
	bases  map[string]uint64 // by pool
	begun  map[string]bool   // who is being forgotten: they have no standings any more
	stored map[string]standingRow
	made   map[string]Standing
}

func (a *audit) results() {
	w := &resultAudit{
		audit: a, last: a.x.in(results).Sequence(), bases: map[string]uint64{}, begun: map[string]bool{},
		stored: map[string]standingRow{}, made: map[string]Standing{},
	}
	a.each(a.x.in(forgetting), func(k, v []byte) {
		m, err := decodeMark(v)
		if err != nil {
			a.add("what is to be forgotten of user %q: %v", k, err)
		}
		w.begun[string(k)] = m.begun
	})
	a.each(a.x.in(pools), w.pool)
	a.report.Standings = a.each(a.x.in(standings), w.standing)
	a.report.Results = a.each(a.x.in(results), w.result)
	a.each(a.x.in(resultOf), w.tableIndex)
	a.eachIndex("results by server", a.x.in(guildResults), w.guildIndex)
	a.eachIndex("results by user", a.x.in(userResults), w.userIndex)
	a.eachIndex("standings", a.x.in(standingOf), w.standingIndex)
	w.compare()
}

func (w *resultAudit) pool(k, v []byte) {
	n, err := decodeBase(v)
	if err != nil || len(k) == 0 || k[len(k)-1] != 0 {
		w.add("pool %q: %v", k, errRecord)
		return
	}
	if n > w.last {
		w.add("pool %q is given up to result %d of %d", k, n, w.last)
	}
	w.bases[string(k[:len(k)-1])] = n
}

func (w *resultAudit) standing(k, v []byte) {
	row, err := decodeStanding(k, v)
	if err != nil {
		w.add("standing %q: %v", k, err)
		return
	}
	if row.base.at > w.bases[row.Guild] {
		w.add("standing %q is given up to result %d, its pool up to %d", k, row.base.at, w.bases[row.Guild])
	}
	if w.x.in(standingOf).Get(standingsOfKey(row.Guild, row.User, row.Squire)) == nil {
		w.add("standing %q is not found by whose it is", k)
	}
	w.stored[string(k)] = row
}

func (w *resultAudit) result(k, v []byte) {
	number, err := splitResultKey(k)
	var r Result
	if err == nil {
		r, err = decodeResult(number, v)
	}
	if err != nil {
		w.add("result %q: %v", k, err)
		return
	}
	if number > w.last {
		w.add("result %d has an impossible number, the last one is %d", number, w.last)
	}
	w.hasTable("result", k, r.Table)
	if string(w.x.in(resultOf).Get([]byte(r.Table))) != string(k) {
		w.add("result %d is not found by its table %q", number, r.Table)
	}
	if r.Guild != "" && w.x.in(guildResults).Get(resultOfKey(r.Guild, number)) == nil {
		w.add("result %d is not found by its server %q", number, r.Guild)
	}
	for _, user := range r.users() {
		if w.x.in(userResults).Get(resultOfKey(user, number)) == nil {
			w.add("result %d is not found by its user %q", number, user)
		}
	}
	for _, pool := range r.pools() {
		w.tally(pool, &r)
	}
}

// tally counts a result once more. Up to its pool's base the ratings are
// given.
func (w *resultAudit) tally(pool string, r *Result) {
	base := w.bases[pool]
	given := func(s *Standing, key string) {
		row := w.stored[key]
		b := row.baseFor(base)
		s.Rating, s.Rated = b.rating, b.rated
	}
	after := Tally(pool, r, func(user, squire string) Standing {
		key := string(standingKey(pool, user, squire))
		s, ok := w.made[key]
		if !ok {
			given(&s, key)
		}
		return s
	})
	for _, s := range after {
		key := string(standingKey(pool, s.User, s.Squire))
		if r.Number <= base {
			given(&s, key)
		}
		w.made[key] = s
	}
}

func (w *resultAudit) tableIndex(k, v []byte) {
	number, err := splitResultKey(v)
	if err != nil {
		w.add("the index of results: table %q: %v", k, err)
		return
	}
	if r, ok := w.found("tables", k, number); ok && r.Table != string(k) {
		w.add("the index of results leads from table %q to that of table %q", k, r.Table)
	}
}

func (w *resultAudit) guildIndex(k, _ []byte) {
	guild, number, err := splitEntryKey(k)
	if err != nil {
		w.add("the index of results by server: %q: %v", k, err)
		return
	}
	if r, ok := w.found("servers", k, uint64(number)); ok && r.Guild != guild {
		w.add("the index of results leads from server %q to one of server %q", guild, r.Guild)
	}
}

func (w *resultAudit) userIndex(k, _ []byte) {
	user, number, err := splitEntryKey(k)
	if err != nil {
		w.add("the index of results by user: %q: %v", k, err)
		return
	}
	if r, ok := w.found("users", k, uint64(number)); ok {
		held := false
		r.Players(func(_ int, p *Player) { held = held || p.User == user })
		if !held {
			w.add("the index of results leads from user %q to result %d, in which they held no seat", user, number)
		}
	}
}

// found returns the result to which an index leads.
func (w *resultAudit) found(index string, key []byte, number uint64) (Result, bool) {
	record := w.x.in(results).Get(resultKey(number))
	if record == nil {
		w.add("the index of results by %s leads from %q to result %d, which does not exist", index, key, number)
		return Result{}, false
	}
	r, err := decodeResult(number, record)
	return r, err == nil // a fault is said where results are read
}

func (w *resultAudit) standingIndex(k, _ []byte) {
	guild, user, squire, err := splitStandingsOfKey(k)
	if err != nil {
		w.add("the index of standings: %q: %v", k, err)
		return
	}
	if _, ok := w.stored[string(standingKey(guild, user, squire))]; !ok {
		w.add("the index of standings leads from %q to one that does not exist", k)
	}
}

func (w *resultAudit) compare() {
	for key, s := range w.made {
		row, ok := w.stored[key]
		switch {
		case w.begun[s.User] && !ok:
		case !ok:
			w.add("standing %q follows from the results and is missing", key)
		case !sameStanding(row.Standing, s):
			w.add("standing %q is not what follows from the results: %+v instead of %+v", key, row.Standing, s)
		}
	}
	for key := range w.stored {
		if _, ok := w.made[key]; !ok {
			w.add("standing %q does not follow from any result", key)
		}
	}
}

// sameStanding compares all but the last digits of the rating: another
// machine's exp may round otherwise.
func sameStanding(a, b Standing) bool {
	x, y := a.Rating, b.Rating
	a.Rating, b.Rating = rating.Rating{}, rating.Rating{}
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*max(1, math.Abs(x)) }
	return a == b && near(x.Mu, y.Mu) && near(x.Sigma, y.Sigma)
}
