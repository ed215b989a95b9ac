package store

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"paladin/game/rating"
)

// WinShare is how many parts a win has: winners who share it get equal whole parts.
const WinShare = 60

// Standing is what somebody, or the squires of one strength, came to in all their finished games of one server, or of all servers.
type Standing struct {
	Guild string // empty: of all servers
	// User is a person, else Squire a strength.
	User   string
	Squire string
	Name   string // of a person, as of their last game
	Games  int
	// WinParts are the wins in parts of WinShare each; k winners of one game get a k-th of a win each. A person who had left
	// their seat to a squire at the end has no part in its win.
	WinParts int
	Honour   int // the sum over all games
	// Rating is the zero value while Rated, the number of games that counted for it, is 0.
	Rating rating.Rating
	Rated  int
	// Moves to Timeouts are sums of what Player has, over all seats ever held, also those that somebody else held at the end.
	Moves       int
	InTime      int
	SquireMoves int
	Timeouts    int
	Last        time.Time // the end of the last game
}

// Wins is the number of wins, in which a shared one counts for a part.
func (s *Standing) Wins() float64 { return float64(s.WinParts) / WinShare }

// MeanHonour is the honour of a game on average; 0 without games.
func (s *Standing) MeanHonour() float64 {
	if s.Games == 0 {
		return 0
	}
	return float64(s.Honour) / float64(s.Games)
}

// Reliability is the part, 0 to 1, of all decisions asked of a person that they made themselves and in time. It is false while none
// was asked.
func (s *Standing) Reliability() (share float64, known bool) {
	asked := s.Moves + s.SquireMoves
	if asked == 0 || s.Squire != "" {
		return 0, false
	}
	return float64(s.InTime) / float64(asked), true
}

// StandingOrder is by what standings are sorted.
type StandingOrder int

// The orders, each from the most to the least. What is equal is in order of the ordinal of the rating, then of games, then of names.
const (
	// ByRating puts those who have no rating after those who have.
	ByRating StandingOrder = iota
	ByWins
	ByHonour // on average
	ByGames
	ByReliability
)

// StandingsQuery says which standings of a server are wanted.
type StandingsQuery struct {
	// Squires asks for those of the squires, which stand apart from those of people.
	Squires bool
	Order   StandingOrder
	// Offset is how many to leave out at the beginning, Limit how many to return at most; 0 means all.
	Offset, Limit int
}

// Of returns the part of all that the query asks for, and how many there are in its order. Standings without a finished game
// of which they held a seat to the end are left out.
func (q StandingsQuery) Of(all []Standing) (list []Standing, total int) {
	var sorted []*Standing // pointers are quicker to move
	for i := range all {
		if s := &all[i]; (s.Squire != "") == q.Squires && s.Games > 0 {
			sorted = append(sorted, s)
		}
	}
	slices.SortFunc(sorted, q.Order.compare)
	total = len(sorted)
	sorted = sorted[min(max(q.Offset, 0), total):]
	if q.Limit > 0 && len(sorted) > q.Limit {
		sorted = sorted[:q.Limit]
	}
	for _, s := range sorted {
		list = append(list, *s)
	}
	return list, total
}

// compare puts the greater standing first.
func (o StandingOrder) compare(a, b *Standing) int {
	by := 0
	switch o {
	case ByWins:
		by = cmp.Compare(b.WinParts, a.WinParts)
	case ByHonour:
		by = cmp.Compare(b.MeanHonour(), a.MeanHonour())
	case ByGames:
		by = cmp.Compare(b.Games, a.Games)
	case ByReliability:
		x, known := a.Reliability()
		y, other := b.Reliability()
		by = cmp.Or(compareBool(other, known), cmp.Compare(y, x))
	}
	return cmp.Or(by, compareBool(b.Rated > 0, a.Rated > 0), cmp.Compare(b.Rating.Ordinal(), a.Rating.Ordinal()),
		cmp.Compare(b.Games, a.Games), strings.Compare(a.User, b.User), strings.Compare(a.Squire, b.Squire))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// Tally returns what standings become by a result: those of everybody in it, in one server or, if guild is empty, across all of them, where
// squires have none. before gives the present standing; of what it does not know, the zero value.
//
// People are rated by how they placed among themselves. Who had left their seat to a squire at the end is last, for
// leaving must not save a rating. Squires are rated by how they placed among all who were there at the end, and move
// nobody's rating but their own: playing against them is practice. Forgotten seats are rated for nobody.
func Tally(guild string, r *Result, before func(user, squire string) Standing) []Standing {
	t := tally{result: r, guild: guild, before: before}
	t.count()
	t.ratePeople()
	if guild != "" {
		t.rateSquires()
	}
	return t.rows
}

// tally is the work of Tally.
type tally struct {
	result *Result
	guild  string
	before func(user, squire string) Standing
	rows   []Standing
}

// row returns the standing that is being made.
func (t *tally) row(user, squire string) *Standing {
	i := slices.IndexFunc(t.rows, func(s Standing) bool { return s.User == user && s.Squire == squire })
	if i < 0 {
		s := t.before(user, squire)
		s.Guild, s.User, s.Squire, s.Last = t.guild, user, squire, t.result.Finished
		i = len(t.rows)
		t.rows = append(t.rows, s)
	}
	return &t.rows[i]
}

// counted reports whether a seat has a standing here.
func (t *tally) counted(s *ResultSeat) bool { return s.User != "" || s.Squire != "" && t.guild != "" }

func (t *tally) count() {
	winners := 0
	for _, s := range t.result.Seats {
		if s.Rank == 1 {
			winners++
		}
	}
	for i := range t.result.Seats {
		s := &t.result.Seats[i]
		if !t.counted(s) {
			continue
		}
		row := t.row(s.User, s.Squire)
		row.Games++
		row.Honour += s.Honour
		if s.Rank == 1 && !s.Away {
			row.WinParts += WinShare / winners
		}
		if s.Squire != "" {
			row.add(&s.Player)
		}
	}
	t.result.Players(func(_ int, p *Player) {
		if p.User != "" {
			row := t.row(p.User, "")
			row.Name = p.Name
			row.add(p)
		}
	})
}

// add adds what somebody did on one seat.
func (s *Standing) add(p *Player) {
	s.Moves += p.Moves
	s.InTime += p.InTime
	s.SquireMoves += p.SquireMoves
	s.Timeouts += p.Timeouts
}

func (t *tally) ratePeople() {
	var who []int
	var players []rating.Player
	for i, s := range t.result.Seats {
		if s.User == "" {
			continue
		}
		rank := s.Rank
		if s.Away {
			rank = MaxResultSeats + 1
		}
		who = append(who, i)
		players = append(players, rating.Player{Rating: t.before(s.User, "").Rating, Rank: rank})
	}
	if len(players) < 2 {
		return
	}
	for n, after := range rating.Rate(players) {
		row := t.row(t.result.Seats[who[n]].User, "")
		row.Rating = after
		row.Rated++
	}
}

func (t *tally) rateSquires() {
	var who []int
	var players []rating.Player
	for i, s := range t.result.Seats {
		if !s.Forgotten() && !s.Away {
			who = append(who, i)
			players = append(players, rating.Player{Rating: t.before(s.User, s.Squire).Rating, Rank: s.Rank})
		}
	}
	if len(players) < 2 {
		return
	}
	after := map[string][]rating.Rating{} // by strength: several seats may have the same
	for n, r := range rating.Rate(players) {
		if squire := t.result.Seats[who[n]].Squire; squire != "" {
			after[squire] = append(after[squire], r)
		}
	}
	for squire, ratings := range after {
		row := t.row("", squire)
		row.Rating = rating.Combine(row.Rating, ratings...)
		row.Rated++
	}
}

// standingRow is a standing as stored. A rating cannot be made anew from results in which somebody was forgotten who was rated, so each
// pool, which is a server or all servers, remembers the number of the result up to which its ratings are given, and each row what its
// rating was there.
type standingRow struct {
	Standing
	base standingBase
}

// standingBase is a rating that is not made anew from results.
type standingBase struct {
	at     uint64 // the number of the result after which it was this
	rating rating.Rating
	rated  int
}

// baseFor returns the rating that the row had at the pool's base.
func (r *standingRow) baseFor(base uint64) standingBase {
	if r.base.at == base {
		return r.base
	}
	return standingBase{at: base, rating: r.Rating, rated: r.Rated} // not played since
}

// Entries of a pool: persons and strengths are names of different kinds.
const (
	entryUser   = "u"
	entrySquire = "s"
)

// standingEntry is the name of a standing in its pool.
func standingEntry(user, squire string) string {
	if squire != "" {
		return entrySquire + squire
	}
	return entryUser + user
}

func standingKey(guild, user, squire string) []byte {
	return pairKey(guild, standingEntry(user, squire))
}

// standingsOfKey is the key under which the pools are found that hold an entry.
func standingsOfKey(guild, user, squire string) []byte {
	return pairKey(standingEntry(user, squire), guild)
}

// splitStandingKey tells whose standing a key names. The pool of all servers has an empty name.
func splitStandingKey(k []byte) (guild, user, squire string, err error) {
	guild, entry, ok := strings.Cut(string(k), "\x00")
	if !ok || len(entry) < 2 || strings.IndexByte(entry, 0) >= 0 {
		return "", "", "", errRecord
	}
	switch entry[:1] {
	case entryUser:
		return guild, entry[1:], "", nil
	case entrySquire:
		return guild, "", entry[1:], nil
	}
	return "", "", "", errRecord
}

// splitStandingsOfKey is the reverse of standingsOfKey.
func splitStandingsOfKey(k []byte) (guild, user, squire string, err error) {
	entry, guild, ok := strings.Cut(string(k), "\x00")
	if !ok {
		return "", "", "", errRecord
	}
	return splitStandingKey(pairKey(guild, entry))
}

func encodeStanding(r *standingRow) []byte {
	b := make([]byte, 0, 80+len(r.Name))
	b = append(b, formatV1)
	b = appendText(b, r.Name)
	b = appendCounts(b, r.Games, r.WinParts, r.Honour, r.Moves, r.InTime, r.SquireMoves, r.Timeouts)
	b = appendTime(b, r.Last)
	b = appendRating(b, r.Rating)
	b = appendCounts(b, r.Rated)
	b = binary.AppendUvarint(b, r.base.at)
	b = appendRating(b, r.base.rating)
	return appendCounts(b, r.base.rated)
}

func appendRating(b []byte, r rating.Rating) []byte {
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Mu))
	return binary.BigEndian.AppendUint64(b, math.Float64bits(r.Sigma))
}

func decodeStanding(key, record []byte) (standingRow, error) {
	guild, user, squire, err := splitStandingKey(key)
	if err != nil {
		return standingRow{}, err
	}
	row := standingRow{Standing: Standing{Guild: guild, User: user, Squire: squire}}
	if err := row.decode(record, true); err != nil {
		return standingRow{}, err
	}
	return row, nil
}

// decode reads all that the record holds; the name, which has to be copied, only if it is wanted.
func (r *standingRow) decode(record []byte, wantName bool) error {
	in := newReader(record)
	if name := in.view(); wantName {
		r.Name = string(name)
	}
	r.Games, r.WinParts, r.Honour = in.int(), in.int(), in.int()
	r.Moves, r.InTime, r.SquireMoves, r.Timeouts = in.int(), in.int(), in.int(), in.int()
	r.Last, r.Rating, r.Rated = in.time(), in.rating(), in.int()
	r.base = standingBase{at: in.uint(), rating: in.rating(), rated: in.int()}
	return in.end()
}

// rating reads a rating, or the zero value of one that nothing is known of.
func (r *reader) rating() rating.Rating {
	b := r.take(16)
	if b == nil {
		return rating.Rating{}
	}
	mu, sigma := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	rated := rating.Rating{Mu: math.Float64frombits(mu), Sigma: math.Float64frombits(sigma)}
	if !rated.Valid() && mu|sigma != 0 {
		r.bad = true
		return rating.Rating{}
	}
	return rated
}
