package squire

import (
	"slices"

	"paladin/game/portable"
	"paladin/game/squire/core"
)

// A belief is what a seat takes the hidden cards to be: a Markov chain over deals that agree with all the seat has seen,
// which visits each deal as often as it is likely. How likely a deal is follows from what the others have done this round:
// each is taken to play by the rules of thumb mostly, so a hand counts by the chance that whoever holds it would have
// placed, taken back and discarded as was seen. From the rounds before comes only which cards are old ones, that is were
// kept in hand: strong ones mostly.
//
// Nothing in it is, or follows from, a card that the seat does not know.
type belief struct {
	m      *memory
	k      *quick
	r      *core.Rand
	model  *model
	first  core.State       // the position at the beginning of the round, without what is hidden
	movers []int            // the slots of other players' hands
	caps   [core.Kinds]int8 // if capped: how many of each card can have been in early slots
	capped bool             // this round's deal made a reshuffle
	orders int              // how many orders of the round were tried

	guess // the present one

	memo [recollections]recollection
}

// A guess is a deal that agrees with all the seat has seen, with the round played on it as it was seen.
type guess struct {
	slots []slotOf
	cards []uint8          // by slot
	early [core.Kinds]int8 // of each card in early slots
	round []event          // an order in which the events of the round can have happened
	which int              // of the orders tried
	now   core.State       // the position after the round
	fit   float64          // log likelihood of what was seen, given this deal
}

// clone is a copy that stays as it is when another guess is made of this one.
func (g *guess) clone() guess {
	c := *g
	c.slots, c.cards = slices.Clone(g.slots), slices.Clone(g.cards)
	return c
}

// A model is what others are taken to do, and how surely.
type model struct {
	slip, heat float64                      // how often a placing is not by the rules of thumb, and how far off it then is, in honour
	blur       float64                      // by how much, in honour, a decision about a card is judged otherwise
	odd        float64                      // how often it is made at random
	past       [classes][core.Kinds]float64 // how much likelier each card is in a slot of that class, as a logarithm
	excess     float64                      // log likelihood for each card too many in early slots
}

// houseModel is what others are taken to do in a round, counted from 0.
func houseModel(players, round uint8) *model {
	mod := &model{slip: 0.1, heat: 0.3, blur: 0.1, odd: 0.05, excess: -4}
	if round > 0 {
		before := worthOf(players, round-1)
		mod.past[old], mod.past[discarded] = before.old, before.discarded
	}
	return mod
}

// newBelief starts the chain.
func newBelief(m *memory, k *quick, r *core.Rand, mod *model) *belief {
	b := &belief{m: m, k: k, r: r, model: mod}
	b.begin()
	b.order()
	b.listSlots()
	b.dealRest()
	b.evaluate()
	return b
}

// warm brings the chain to where likely deals are: to the likeliest of so many, and so many steps on from there.
func (b *belief) warm(starts, burn int) {
	best := b.clone()
	for range starts - 1 {
		b.order()
		b.redeal()
		if b.fit > best.fit {
			best = b.clone()
		}
	}
	b.guess = best
	for range burn {
		b.step()
	}
}

// step tries to exchange two cards, and says whether it did.
func (b *belief) step() bool {
	i := b.movers[b.r.Below(len(b.movers))]
	j := b.r.Below(len(b.slots))
	x, y := b.slots[i], b.slots[j]
	if b.cards[i] == b.cards[j] || (x.pinned || y.pinned) && x.seat != y.seat {
		return false
	}
	change := b.pastChange(i, j)
	threshold := portable.Log(1 - b.r.Float64())
	if x.seat == y.seat { // the hand stays as it is
		if change < threshold {
			return false
		}
		b.swap(i, j)
		return true
	}
	before, fit := b.now, b.fit
	b.swap(i, j)
	b.evaluate()
	if b.fit-fit+change >= threshold {
		return true
	}
	b.swap(i, j)
	b.now, b.fit = before, fit
	return false
}

// pastChange is by how much likelier, as a logarithm, a deal would be with the cards of two slots exchanged, by the rounds
// before alone.
func (b *belief) pastChange(i, j int) float64 {
	x, y := b.slots[i], b.slots[j]
	cx, cy := b.cards[i], b.cards[j]
	past := &b.model.past
	change := past[x.class][cy] - past[x.class][cx] + past[y.class][cx] - past[y.class][cy]
	if !b.capped || x.early == y.early {
		return change
	}
	enters, leaves := cy, cx // the early slots
	if y.early {
		enters, leaves = cx, cy
	}
	if b.early[enters] >= b.caps[enters] {
		change += b.model.excess
	}
	if b.early[leaves] > b.caps[leaves] {
		change -= b.model.excess
	}
	return change
}

// swap exchanges the cards of two slots, and what is known of where they belong.
func (b *belief) swap(i, j int) {
	if b.slots[i].early != b.slots[j].early {
		early, late := i, j
		if b.slots[j].early {
			early, late = j, i
		}
		b.early[b.cards[early]]--
		b.early[b.cards[late]]++
	}
	b.cards[i], b.cards[j] = b.cards[j], b.cards[i]
	b.slots[i].pinned, b.slots[j].pinned = b.slots[j].pinned, b.slots[i].pinned
}
