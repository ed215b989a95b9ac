package core

import (
	"encoding/binary"
	"math/bits"

	"paladin/game/paladin"
)

// Playout plays at random to the end and answers with how many moves that took. Every card that can be placed or looked at
// is as likely as the others, and so is everything that can be done with a card in resolving.
//
// It makes the moves that Apply makes, but a phase at a time, and chance decides by arithmetic rather than by jumps,
// which a processor could not foresee.
func (s *State) Playout(r *Rand) (moves int) {
	for {
		switch s.Phase {
		case paladin.PhaseStart:
			s.Starter = uint8(r.Below(int(s.Players)))
			s.ToAct, s.Phase = s.Starter, paladin.PhaseLead
			moves++
		case paladin.PhaseLead:
			moves += s.playLeads(r)
		case paladin.PhasePlace:
			moves += s.playPlacing(r)
		case paladin.PhaseResolve:
			moves += s.playResolving(r)
		default:
			return moves
		}
	}
}

// below is a number from 0 to n-1 from 32 random bits.
func below(random uint64, n int) int { return int(random & (1<<32 - 1) * uint64(n) >> 32) }

// negative is 1 for a number below 0, and otherwise 0.
func negative(n int) int { return int(uint64(n) >> 63) }

// playLeads leads the quests that are not led.
func (s *State) playLeads(r *Rand) (moves int) {
	for open := s.open(); open != 0; moves++ {
		u := r.Uint64()
		quest := nth[open&31][below(u, bits.OnesCount8(open))]
		open &^= 1 << quest
		s.placeAt(s.ToAct, below(u>>32, int(s.HandLen[s.ToAct])), quest)
		s.ToAct = s.next(s.ToAct)
	}
	s.Phase = paladin.PhasePlace
	return moves
}

// placeAt puts the card at that index of a hand on a quest.
func (s *State) placeAt(seat uint8, index int, quest uint8) {
	hand := &s.Hands[seat]
	card := hand[index&7]
	h := binary.LittleEndian.Uint64(hand[:])
	kept := uint64(1)<<(8*index&63) - 1
	binary.LittleEndian.PutUint64(hand[:], h&kept|(h>>8|0x7f<<56)&^kept)
	s.HandLen[seat]--
	place := s.OnQuest[quest]
	s.Table[quest][place] = Slot{Card: card, Seat: seat}
	s.Order[s.Placed] = Spot{Quest: quest, Place: place}
	s.OnQuest[quest] = place + 1
	s.Has[seat] |= 1 << quest
	s.Placed++
}

// playPlacing peeks and places until all cards lie on the table.
func (s *State) playPlacing(r *Rand) (moves int) {
	n := int(s.Players)
	every := uint8(1)<<n - 1
	seat := s.ToAct
	random := *r // in registers
	for total := uint8(n * n); s.Placed < total; {
		u := random.Uint64()
		open := every &^ s.Has[seat]
		quests := bits.OnesCount8(open)
		places := int(s.HandLen[seat]) * quests
		peek := 0
		if !s.Peeked {
			// The seats place in turn, so of each n cards in a row the one at mine is the own one.
			others := int(s.Placed) - n + quests
			k := below(u, others+places)
			peek = negative(k - others)
			k *= peek
			mine := int(seat) - int(s.Starter)
			mine += n * negative(mine)
			row := k * oneIn[n-1] >> 16
			k += row
			k += negative(mine - 1 - (k - row*n))
			at := s.Order[k]
			s.Table[at.Quest][at.Place].Peekers |= uint8(peek) << seat
		}
		moves += 1 + peek
		k := below(u>>32, places)
		index := k * oneIn[quests] >> 16
		s.placeAt(seat, index, nth[open&31][k-index*quests])
		s.Peeked = false
		seat = s.next(seat)
	}
	*r = random
	s.Phase = paladin.PhaseResolve
	s.turnUp(0)
	return moves
}

// playResolving decides about all cards that are left, and ends the round.
func (s *State) playResolving(r *Rand) (moves int) {
	n := s.Players
	for {
		q := &s.Table[s.Quest]
		leader := s.Leader
		u := r.Uint64()
		for place := s.Deciding; place < n-1; place++ {
			leader = s.play(q, leader, place, u)
			u >>= 16
			moves++
		}
		s.Leader, s.Deciding = s.play(q, leader, n-1, u), n-1
		moves++
		if s.endQuest(r) {
			return moves
		}
	}
}

// play takes one of the cards' ways by chance and answers with the place of the leading Paladin then.
func (s *State) play(q *[MaxPlayers]Slot, leader, place uint8, u uint64) uint8 {
	own, lead := q[place], q[leader]
	ways := 2 + uint64(wins[own.Card]>>lead.Card&1)
	way := u & 0xffff * ways >> 16 // discard, take, beat
	beat, take := -uint8(way>>1), uint8(way&1)
	s.Pile[s.PileLen] = Discard{Card: own.Card ^ (own.Card^lead.Card)&beat, Known: own.Peekers | 1<<own.Seat | beat}
	s.PileLen += 1 - take
	h := binary.LittleEndian.Uint64(s.Hands[own.Seat][:])
	at := above(h, own.Card)
	kept := uint64(1)<<at - 1
	with := h&kept | uint64(own.Card)<<at | (h&^kept)<<8
	binary.LittleEndian.PutUint64(s.Hands[own.Seat][:], h^(h^with)&-uint64(take))
	s.HandLen[own.Seat] += take
	return leader ^ (leader^place)&beat
}
