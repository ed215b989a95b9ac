package table

import (
	"slices"

	"paladin/game/squire"
)

// Score is what came of one seat of a finished game.
type Score struct {
	// Holder held the seat at the end; the id is empty where a squire played the whole game.
	Holder Deeds
	// Squire is the strength of that squire; 0 on a person's seat.
	Squire squire.Strength
	Honour int
	// Away is true if a squire played the person's seat at the end.
	Away bool
	// Former held the seat before, in the order in which they first did. Nobody stands twice among all holders and former holders
	// of a table.
	Former []Deeds
}

// Deeds are what a person did on a seat while they held it.
type Deeds struct {
	Person
	// Moves are the decisions that they made themselves, standing orders and plans included; InTime those of them that were made
	// before the clock ran out, which are all of them: a turn that runs out is a squire's.
	Moves, InTime int
	// SquireMoves are the decisions that a squire made for them, Timeouts the turns that ran out.
	SquireMoves, Timeouts int
}

// Tally counts what everybody did at a finished table, from its whole history; nil if the table was not played to its end.
func (t *Table) Tally(history []Line) []Score {
	if t.stage != Finished || t.game == nil {
		return nil
	}
	game := t.game.Public()
	c := tally{scores: make([]Score, len(t.seats)), holders: t.firstHolders()}
	for i, seat := range t.seats {
		c.scores[i] = Score{Holder: Deeds{Person: seat.Person}, Squire: seat.Squire, Honour: game.Seats[i].Honour, Away: seat.Away}
		if seat.Human() {
			c.scores[i].Squire = 0
		}
	}
	for i, first := range c.holders {
		c.of(i, first)
	}
	for _, l := range history {
		c.count(l)
	}
	return c.scores
}

// tally is the work of Tally.
type tally struct {
	scores  []Score
	holders holders
}

// count adds one line. Lines of moves that were stored before they kept who moved belong to whoever held the seat then.
func (c *tally) count(l Line) {
	if c.holders.read(l) {
		c.of(int(l.Seat), c.holders[l.Seat])
	}
	if l.Seat < 0 || int(l.Seat) >= len(c.scores) || l.Kind != LineMove && l.Kind != LineSquireMove && l.Kind != LineTimeout {
		return
	}
	who := Person{ID: l.User, Name: l.Name}
	if who.ID == "" {
		who = c.holders[l.Seat]
	}
	d := c.of(int(l.Seat), who)
	switch {
	case d == nil: // a squire's own seat
	case l.Kind == LineMove:
		d.Moves++
		d.InTime++
	case l.Kind == LineSquireMove:
		d.SquireMoves++
	default:
		d.Timeouts++
	}
}

// of returns what somebody did, wherever they stand already; nil for nobody.
func (c *tally) of(seat int, who Person) *Deeds {
	if who.ID == "" {
		return nil
	}
	for i := range c.scores {
		s := &c.scores[i]
		if s.Holder.ID == who.ID {
			return &s.Holder
		}
		if n := slices.IndexFunc(s.Former, func(d Deeds) bool { return d.ID == who.ID }); n >= 0 {
			if who.Name != "" {
				s.Former[n].Name = who.Name
			}
			return &s.Former[n]
		}
	}
	s := &c.scores[seat]
	s.Former = append(s.Former, Deeds{Person: who})
	return &s.Former[len(s.Former)-1]
}

// holders are the people who hold the seats while a history is read; nobody holds a squire's.
type holders []Person

// firstHolders are those with whom the game began.
func (t *Table) firstHolders() holders {
	h := make(holders, len(t.seats))
	for i, seat := range t.seats {
		h[i] = seat.Person
		if seat.owner.ID != "" {
			h[i] = seat.owner
		}
	}
	return h
}

// read takes up a line and reports whether it gave a seat to somebody else.
func (h holders) read(l Line) bool {
	handed := l.Kind == LineStandIn || l.Kind == LineReturned || l.Kind == LineBack && l.Other != ""
	if !handed || l.Seat < 0 || int(l.Seat) >= len(h) {
		return false
	}
	h[l.Seat] = Person{ID: l.User, Name: l.Name}
	return true
}
