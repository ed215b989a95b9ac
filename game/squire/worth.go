package squire

import (
	"paladin/game/paladin"
	"paladin/game/portable"
	"paladin/game/squire/core"
)

// A worthTable judges a position between two rounds: the chance to win is a softmax over what each seat has.
type worthTable struct {
	players, round int
	slope          float64             // of a point of honour
	card           [core.Kinds]float64 // of a card in hand

	// How much likelier than by the deck alone a card is, as a logarithm, in a hand at the end of the round, and on the pile
	// unseen.
	old, discarded [core.Kinds]float64
}

// worthOf is the table for the end of a round, counted from 0; nil at the end of the game.
func worthOf(players, round uint8) *worthTable {
	for i := range worthTables {
		if t := &worthTables[i]; t.players == int(players) && t.round == int(round)+1 {
			return t
		}
	}
	return nil
}

// of is the chance of a seat to win.
func (t *worthTable) of(s *core.State, me uint8) float64 {
	if t == nil {
		best, n := uint8(0), 0
		for _, h := range s.Honour[:s.Players] {
			if h > best {
				best, n = h, 0
			}
			if h == best {
				n++
			}
		}
		if s.Honour[me] == best {
			return 1 / float64(n)
		}
		return 0
	}
	var z [paladin.MaxPlayers]float64
	for seat := range s.Players {
		z[seat] = float64(t.slope * float64(s.Honour[seat]))
		for _, c := range s.Hand(seat) {
			z[seat] += t.card[c]
		}
	}
	sum := 0.0
	for _, w := range z[:s.Players] {
		sum += portable.Exp(w - z[me])
	}
	return 1 / sum
}
