package squire

import (
	"math/rand/v2"

	"paladin/game/paladin"
)

// weights are what the rules of thumb are tuned by.
type weights struct {
	Boldness   float64 // how likely another player who can beat a leading Paladin does
	Keep       float64 // worth of a strong card in hand, per honour of the quests to come
	Shape      float64 // how much more a strong card is worth than a middling one
	KeepRed    float64 // what a red card is worth more, in the measure of Keep
	Deny       float64 // share of a quest's honour that counts because others do not get it
	PeekLeader float64 // weight of peeking at the leading Paladin of a quest still open
	PeekOther  float64 // at another card of such a quest
	PeekBehind float64 // at a card behind one's own
	StartAt    int     // whom a dealer names: so many seats to the left of the own
}

// houseWeights were found by playing.
var houseWeights = weights{
	Boldness: 0.5, Keep: 0.5, Shape: 2, KeepRed: 0.05, Deny: 0.25,
	PeekLeader: 1, PeekOther: 0.6, PeekBehind: 0.3, StartAt: 1,
}

// chooseNormal plays by rules of thumb.
func chooseNormal(v *paladin.View, random *rand.Rand, w *weights) paladin.Move {
	switch v.Phase {
	case paladin.PhaseStart:
		return nameStart(v, w)
	case paladin.PhaseResolve:
		return resolve(v, w)
	}
	t := newThumb(look(v), w)
	if v.CanPeek {
		if m, ok := t.peek(); ok {
			return m
		}
	}
	p := t.best()
	return paladin.Move{Seat: v.Seat, Kind: paladin.Place, Card: t.hand[p.card], Quest: t.row[p.quest].number}
}

func nameStart(v *paladin.View, w *weights) paladin.Move {
	target := (int(v.Seat) + w.StartAt) % v.Players
	return paladin.Move{Seat: v.Seat, Kind: paladin.Start, Target: paladin.Seat(target)}
}

// peek chooses the card that it helps most to know.
func (t *thumb) peek() (paladin.Move, bool) {
	best, most := paladin.Move{}, 0.0
	for i := range t.row {
		q := &t.row[i]
		passed := false // the viewer's own card
		for j := range q.cards {
			c := &q.cards[j]
			if c.seat == t.me {
				passed = true
				continue
			}
			if c.known || (q.mine && !passed) {
				continue
			}
			weight := t.w.PeekOther
			switch {
			case q.mine:
				weight = t.w.PeekBehind
			case j == 0:
				weight = t.w.PeekLeader
			}
			if value := q.honour * weight; value > most {
				most = value
				best = paladin.Move{Seat: t.me, Kind: paladin.Peek, Quest: q.number, Place: c.place}
			}
		}
	}
	return best, most > 0
}

// resolve decides about the viewer's card whose turn it is.
func resolve(v *paladin.View, w *weights) paladin.Move {
	m := paladin.Move{Seat: v.Seat}
	t := newThumb(look(v), w)
	var q *quest
	for i := range t.row {
		if t.row[i].number == v.Resolving {
			q = &t.row[i]
		}
	}
	at := 0
	for q.cards[at].place != v.Deciding {
		at++
	}
	card, _ := identify(v, v.Resolving, v.Row[v.Resolving-1].Cards[at])
	back := t.keep[card]
	beat := t.holds(card, q.cards[at+1:]) * t.gain(q, card)
	switch {
	case v.BeatWins && beat > back:
		m.Kind = paladin.Beat
	case back < 0:
		m.Kind = paladin.Discard
	default:
		m.Kind = paladin.Take
	}
	return m
}
