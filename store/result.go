package store

import (
	"encoding/binary"
	"slices"
	"time"
)

// Bounds of a result, far above what a game has.
const (
	// MaxResultSeats is the largest number of seats. A win divides into WinShare parts among up to as many winners.
	MaxResultSeats = 6
	// MaxFormer is the largest number of people who held a seat before its last holder.
	MaxFormer = 100
	// MaxCount is the largest honour and the largest number of moves of one seat.
	MaxCount = 1_000_000
)

// Result is how a game ended that was played to its end. Results are kept for ever and are what standings are made from, in
// the order of their numbers.
type Result struct {
	// Number is 1 for the first result stored and rises by one. Set by the store, like Table, Guild and Channel, which are those
	// of the change.
	Number   uint64
	Table    string
	Guild    string
	Channel  string
	Finished time.Time // the zero time means Change.At
	// HouseDeck is false if another deck was played with.
	HouseDeck bool
	Seats     []ResultSeat
}

// ResultSeat is what became of one seat.
type ResultSeat struct {
	// Player is the person who held the seat at the end. Its User is empty on a squire's seat, and on that of somebody whom the
	// store was told to forget: then Squire is empty as well, and nothing but the seat tells them apart from others.
	Player
	// Squire is the strength of the squire that played the whole game; empty on a person's seat.
	Squire string
	Honour int
	// Rank is the place by honour: 1 for the most, the same for equal honour, and after k equal ones k places on.
	Rank int
	// Away is true if a squire played the person's seat at the end.
	Away bool
	// Former are the people who held the seat before, each once.
	Former []Player
}

// Player is what somebody did on a seat while they held it.
type Player struct {
	User string
	Name string // at that time
	// Moves are the decisions they made themselves, InTime those of them that were made within the table's time for a move;
	// where there is no clock that is all.
	Moves  int
	InTime int
	// SquireMoves are the decisions that a squire made for them, Timeouts the turns whose time ran out.
	SquireMoves int
	Timeouts    int
}

// Forgotten reports whether the seat was that of somebody whom the store was told to forget.
func (s *ResultSeat) Forgotten() bool { return s.User == "" && s.Squire == "" }

// Players calls fn for everybody who held a seat, the last holder of each seat first, with the number of the seat from 0.
func (r *Result) Players(fn func(seat int, p *Player)) {
	for i := range r.Seats {
		s := &r.Seats[i]
		if s.Squire == "" {
			fn(i, &s.Player)
		}
		for n := range s.Former {
			fn(i, &s.Former[n])
		}
	}
}

// users are the people who held a seat, each once.
func (r *Result) users() (ids []string) {
	r.Players(func(_ int, p *Player) {
		if p.User != "" && !slices.Contains(ids, p.User) {
			ids = append(ids, p.User)
		}
	})
	return ids
}

// Clone returns a copy that shares nothing with r.
func (r *Result) Clone() Result {
	c := *r
	c.Seats = slices.Clone(r.Seats)
	for i := range c.Seats {
		c.Seats[i].Former = slices.Clone(r.Seats[i].Former)
	}
	return c
}

// Forget takes everything out of the result that tells who this person was and reports whether there was anything. What they
// did stays, for it is also what the others did it against.
func (r *Result) Forget(user string) (found bool) {
	r.Players(func(_ int, p *Player) {
		if p.User == user {
			p.User, p.Name, found = "", "", true
		}
	})
	return found
}

// Validate reports, as ErrInvalid, what about the result could never be stored.
func (r *Result) Validate() error { return r.validate(false) }

// validate is Validate; forgotten allows people whom the store was told to forget.
func (r *Result) validate(forgotten bool) error {
	if len(r.Seats) == 0 || len(r.Seats) > MaxResultSeats {
		return invalid("a result has %d seats, not 1 to %d", len(r.Seats), MaxResultSeats)
	}
	if err := CheckTime("the end of the game", r.Finished); err != nil {
		return err
	}
	seen := map[string]bool{}
	var err error
	for i := range r.Seats {
		if err = r.validateSeat(i, forgotten); err != nil {
			return err
		}
	}
	r.Players(func(seat int, p *Player) {
		switch {
		case err != nil:
		case forgotten && p.User == "" && p.Name == "":
			err = p.checkCounts()
		case seen[p.User]:
			err = invalid("user %s is twice in a result", p.User)
		default:
			seen[p.User], err = true, p.validate()
		}
	})
	return err
}

func (r *Result) validateSeat(i int, forgotten bool) error {
	s := &r.Seats[i]
	rank := 1
	for _, other := range r.Seats {
		if other.Rank < s.Rank {
			rank++
		}
	}
	switch {
	case (s.User == "") == (s.Squire == "") && !(forgotten && s.Forgotten()):
		return invalid("seat %d of a result is neither a person's nor a squire's", i+1)
	case s.Squire != "" && (s.Away || s.Name != "" || len(s.Former) > 0):
		return invalid("seat %d of a result is a squire's and has a person", i+1)
	case s.Rank != rank:
		return invalid("seat %d of a result has rank %d and should have %d", i+1, s.Rank, rank)
	case s.Honour < 0 || s.Honour > MaxCount:
		return invalid("seat %d of a result has the honour %d", i+1, s.Honour)
	case len(s.Former) > MaxFormer:
		return invalid("seat %d of a result had %d holders, more than %d", i+1, len(s.Former), MaxFormer)
	}
	return firstError(checkText("the squire of a result", s.Squire), s.checkCounts())
}

func (p *Player) validate() error {
	return firstError(CheckName("a user of a result", p.User), checkText("a name in a result", p.Name), p.checkCounts())
}

func (p *Player) checkCounts() error {
	for _, n := range []int{p.Moves, p.InTime, p.SquireMoves, p.Timeouts} {
		if n < 0 || n > MaxCount {
			return invalid("a result counts %d moves", n)
		}
	}
	if p.InTime > p.Moves {
		return invalid("a result has %d moves in time of %d", p.InTime, p.Moves)
	}
	return nil
}

// resultKey is a result's key, in order of its number.
func resultKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

func splitResultKey(k []byte) (uint64, error) {
	if len(k) != 8 {
		return 0, errRecord
	}
	n := binary.BigEndian.Uint64(k)
	if n == 0 || n > 1<<31-1 {
		return 0, errRecord
	}
	return n, nil
}

// resultOfKey is the key under which a result is found by something it names.
func resultOfKey(name string, number uint64) []byte { return entryKey(name, int(number)) }

func encodeResult(r *Result) []byte {
	b := make([]byte, 0, 64+64*len(r.Seats))
	b = append(b, formatV1)
	b = appendText(b, r.Table)
	b = appendText(b, r.Guild)
	b = appendText(b, r.Channel)
	b = appendTime(b, r.Finished)
	b = appendBool(b, r.HouseDeck)
	b = binary.AppendUvarint(b, uint64(len(r.Seats)))
	for i := range r.Seats {
		s := &r.Seats[i]
		b = appendPlayer(b, &s.Player)
		b = appendText(b, s.Squire)
		b = appendCounts(b, s.Honour, s.Rank)
		b = appendBool(b, s.Away)
		b = binary.AppendUvarint(b, uint64(len(s.Former)))
		for n := range s.Former {
			b = appendPlayer(b, &s.Former[n])
		}
	}
	return b
}

func appendPlayer(b []byte, p *Player) []byte {
	b = appendText(b, p.User)
	b = appendText(b, p.Name)
	return appendCounts(b, p.Moves, p.InTime, p.SquireMoves, p.Timeouts)
}

func appendCounts(b []byte, counts ...int) []byte {
	for _, n := range counts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func decodeResult(number uint64, record []byte) (Result, error) {
	r := newReader(record)
	result := Result{Number: number, Table: r.string(), Guild: r.string(), Channel: r.string(), Finished: r.time(), HouseDeck: r.bool()}
	const playerSize = 6
	if n := r.count(playerSize + 5); n > 0 {
		result.Seats = make([]ResultSeat, n)
		for i := range result.Seats {
			s := &result.Seats[i]
			s.Player, s.Squire, s.Honour, s.Rank, s.Away = r.player(), r.string(), r.int(), r.int(), r.bool()
			if n := r.count(playerSize); n > 0 {
				s.Former = make([]Player, n)
				for k := range s.Former {
					s.Former[k] = r.player()
				}
			}
		}
	}
	return result, r.end()
}

func (r *reader) player() Player {
	return Player{User: r.string(), Name: r.string(), Moves: r.int(), InTime: r.int(), SquireMoves: r.int(), Timeouts: r.int()}
}

// int reads a number that fits an int on every machine.
func (r *reader) int() int {
	n := r.uint()
	if n > 1<<31-1 {
		r.bad = true
		return 0
	}
	return int(n)
}
