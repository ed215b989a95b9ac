package squire

import (
	"math/rand/v2"

	"paladin/game/paladin"
)

// weights are what the rules of thumb are tuned by. The rules stand where each is used.
type weights struct {
	Boldness float64 // how likely another player who can beat a leading Paladin does
	Keep     float64 // what holding power in hand is worth, in the honour of a coming quest
	KeepRed  float64 // the power that being red adds
	Deny     float64 // the share of a quest's honour that counts because others do not get it
	Whim     float64 // honour below which two ways to place are as good as each other

	PeekLate   float64 // interest that each card further back on a quest gains, that of a leading Paladin being 1
	PeekBehind float64 // interest in a card behind one's own
}

// houseWeights were found by play, against easy squires and against squires with other weights.
var houseWeights = weights{
	Boldness: 0.5, Keep: 1.1, KeepRed: 0.05, Deny: 0.1, Whim: 0.1,
	PeekLate: 0.15, PeekBehind: 0.3,
}

// chooseNormal plays by rules of thumb: it judges chances from what it sees and never looks further than the round.
func chooseNormal(v *paladin.View, random *rand.Rand, w *weights) paladin.Move {
	if v.Phase == paladin.PhaseStart {
		return nameStart(v)
	}
	t := newThumb(look(v), w)
	if v.Phase == paladin.PhaseResolve {
		return t.decide(v)
	}
	if v.CanPeek {
		if peek, ok := t.peek(); ok {
			return peek
		}
	}
	s := t.place(random)
	return paladin.Move{Seat: v.Seat, Kind: paladin.Place, Card: t.hand[s.card], Quest: t.row[s.quest].number}
}

// nameStart names the start player.
//
// Rule: the left neighbour. The dealer then leads last, on the quest the others leave, but places last in every turn
// around the table and so has the last card on more quests than anybody.
func nameStart(v *paladin.View) paladin.Move {
	return paladin.Move{Seat: v.Seat, Kind: paladin.Start, Target: (v.Seat + 1) % paladin.Seat(v.Players)}
}

// peek chooses the card that it helps most to know, and says whether there is one.
//
// Rule: a peek costs nothing, so it is always used while there is a card that can matter: one on a quest where the own
// card has still to be chosen, or else one behind the own card. The more honour there is to win, the more it matters; and
// players who think lead with what they can spare and follow with what is to win, so the later card says more.
func (t *thumb) peek() (paladin.Move, bool) {
	var best paladin.Move
	most := 0.0
	for i := range t.row {
		q := &t.row[i]
		passed := false // the own card
		for j := range q.cards {
			c := &q.cards[j]
			passed = passed || c.seat == t.me
			if c.seat == t.me || c.known || q.mine && !passed {
				continue
			}
			interest := 1 + float64(t.w.PeekLate*float64(j))
			if q.mine {
				interest = t.w.PeekBehind
			}
			if value := q.honour * interest; value > most {
				most = value
				best = paladin.Move{Seat: t.me, Kind: paladin.Peek, Quest: q.number, Place: c.place}
			}
		}
	}
	return best, most > 0
}

// decide decides about the own card whose turn it is.
//
// Rule: beat if that is worth more than the card is in hand; otherwise take back a card that is better than what would be
// drawn for it, and discard a worse one.
func (t *thumb) decide(v *paladin.View) paladin.Move {
	m := paladin.Move{Seat: v.Seat, Kind: paladin.Take}
	for i := range t.row {
		q := &t.row[i]
		if q.number != v.Resolving {
			continue
		}
		for j := range q.cards {
			own := &q.cards[j]
			if own.place != v.Deciding {
				continue
			}
			hand := max(0, t.keep[own.card])
			switch {
			case v.BeatWins && t.holds(own.card, q.cards[j+1:])*t.gain(q, own.card) > hand:
				m.Kind = paladin.Beat
			case t.keep[own.card] < 0:
				m.Kind = paladin.Discard
			}
		}
	}
	return m
}
