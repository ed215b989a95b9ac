package squire

import (
	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// A slotOf is a place for a hidden card at the beginning of the round.
type slotOf struct {
	seat   uint8 // core.None: nobody's hand
	class  class
	early  bool // filled before the last reshuffle
	pinned bool // its card is known to belong to that seat
}

// A class of slots says what its cards have been through.
type class uint8

const (
	drawn     class = iota // in a hand since this round, or in the supply
	old                    // in a hand since before
	discarded              // on the pile, unseen
	classes
)

// begin makes the position at the beginning of the round, without what is hidden.
func (b *belief) begin() {
	m := b.m
	s := core.State{
		Players: m.players, Round: m.round + 1, Rounds: m.rounds, Phase: paladin.PhaseStart, ToAct: m.dealer, Dealer: m.dealer,
		Starter: core.None, SupplyLen: m.supply, Honour: m.honour,
		WonBy: [core.MaxPlayers]uint8{core.None, core.None, core.None, core.None, core.None},
	}
	copy(s.Stack[m.round*m.players:], m.row[:m.players])
	for seat := range m.players {
		s.Clear(seat)
	}
	for _, c := range m.hand {
		s.Draw(m.me, c)
	}
	for quest := range m.players {
		for _, p := range m.table()[quest][:m.players] {
			if p.fate == paladin.FateKept {
				s.Honour[p.seat] -= m.row[quest] + p.card&1
			}
			if p.seat == m.me && p.fate != 0 && p.fate != paladin.FateTakenBack {
				s.Draw(m.me, p.card)
			}
		}
	}
	m.sketchPast(&s, m.round)
	b.first = s
}

// listSlots lists the slots and fills those of which a card is known.
func (b *belief) listSlots() {
	m := b.m
	kept := m.oldCards(m.round)
	before, from := m.lastShuffle()
	b.capped = before >= 0
	if b.capped {
		b.capEarly(from)
	}
	for i := range m.players {
		seat := (m.dealer + 1 + i) % m.players
		fresh := int(m.players) + 1 - kept[seat]
		if seat == m.me {
			before -= fresh
			continue
		}
		known := b.knownOf(seat)
		for j := range int(m.players) + 1 {
			slot := slotOf{seat: seat, class: old, early: b.capped}
			if j >= kept[seat] {
				slot.class, slot.early = drawn, b.capped && before > 0
				before--
			}
			card := uint8(unknown)
			if j < len(known) {
				card, slot.pinned = known[j], true
			}
			b.movers = append(b.movers, len(b.slots))
			b.slots, b.cards = append(b.slots, slot), append(b.cards, card)
		}
	}
	for i := range b.first.Pile[:b.first.PileLen] {
		if b.first.Pile[i].Known>>m.me&1 == 0 {
			b.slots, b.cards = append(b.slots, slotOf{seat: core.None, class: discarded}), append(b.cards, unknown)
		}
	}
	for range m.supply {
		b.slots, b.cards = append(b.slots, slotOf{seat: core.None, class: drawn}), append(b.cards, unknown)
	}
}

// knownOf are the cards of which the seat knows that they were in somebody's hand when the round began: those seen of what
// was placed since, and those seen taken back in the round before. Old ones come first.
func (b *belief) knownOf(seat uint8) (known []uint8) {
	m := b.m
	var placed [core.Kinds]int
	for quest := range m.players {
		for _, p := range m.table()[quest][:m.players] {
			if p.fate != 0 && p.seat == seat && p.card != unknown {
				placed[p.card]++
			}
		}
	}
	if m.round > 0 {
		for quest := range m.players {
			for _, p := range m.placed[m.round-1][quest][:m.players] {
				if p.seat == seat && p.fate == paladin.FateTakenBack && p.card != unknown {
					known = append(known, p.card)
					placed[p.card]--
				}
			}
		}
	}
	for card, n := range placed {
		for range n {
			known = append(known, uint8(card))
		}
	}
	return known
}

// capEarly works out how many of each card can have been in hands before the reshuffle of this round's deal: what is known to
// have been in the pile then was not.
func (b *belief) capEarly(from uint8) {
	m := b.m
	b.caps = m.deck
	for round := range m.round {
		for quest := range m.players {
			for _, p := range m.placed[round][quest][:m.players] {
				gone := round >= from && (p.fate == paladin.FateBeaten || p.fate == paladin.FateDiscarded)
				if p.card != unknown && (gone || p.fate == paladin.FateKept) {
					b.caps[p.card]--
				}
				if round+1 == m.round && p.seat == m.me && p.fate == paladin.FateTakenBack {
					b.caps[p.card]--
				}
			}
		}
	}
}

// dealRest deals the cards that are not known into the slots that are left.
func (b *belief) dealRest() {
	left := b.m.deck
	for _, c := range b.first.Hand(b.m.me) {
		left[c]--
	}
	for c, n := range b.first.Kept {
		left[c] -= int8(n)
	}
	for i := range b.first.Pile[:b.first.PileLen] {
		if d := b.first.Pile[i]; d.Known>>b.m.me&1 == 1 {
			left[d.Card]--
		}
	}
	for i := range b.slots {
		if b.slots[i].pinned {
			left[b.cards[i]]--
		}
	}
	var pool [core.Cards]uint8
	n := 0
	for c, count := range left {
		for range count {
			pool[n] = uint8(c)
			n++
		}
	}
	b.r.Shuffle(pool[:n])
	for i := range b.slots {
		if !b.slots[i].pinned {
			n--
			b.cards[i] = pool[n]
		}
		if b.slots[i].early {
			b.early[b.cards[i]]++
		}
	}
}

// redeal deals anew without regard to what the others did.
func (b *belief) redeal() {
	b.slots, b.cards, b.movers = b.slots[:0], b.cards[:0], b.movers[:0]
	b.early = [core.Kinds]int8{}
	b.listSlots()
	b.dealRest()
	b.evaluate()
}
