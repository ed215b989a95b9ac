package core

import (
	"math/bits"

	"paladin/game/paladin"
)

// Playout plays at random to the end and answers with how many moves that took. Every card that can be placed or looked at
// is as likely as the others, and so is everything that can be done with a card in resolving. It allocates nothing.
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
		case paladin.PhaseLead, paladin.PhasePlace:
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

// playPlacing leads, peeks and places until all cards lie on the table. What a turn needs of the turns before is in registers or
// always in the same place; a peek, which could be at any card, is only noted, for to look into memory that was just
// written somewhere takes a processor long.
func (s *State) playPlacing(r *Rand) (moves int) {
	n := int(s.Players)
	every := uint8(1)<<n - 1
	var unled uint8
	if s.Phase == paladin.PhaseLead {
		unled = s.open()
	}
	onQuest := uint64(0) // a byte for each
	for quest, k := range s.OnQuest {
		onQuest |= uint64(k) << (8 * quest)
	}
	var looks [MaxPlayers * MaxPlayers]struct{ at, by uint8 } // by turn: an index into Order, and a bit for the seat if it peeks
	random := *r
	seat, first := s.ToAct, int(s.Placed)
	mine := first % n // of each n cards in a row, the one of whose turn it is: the seats place in turn
	for turn := first; turn < n*n; turn++ {
		open := unled
		if unled == 0 {
			open = every &^ s.Has[seat]
		}
		quests := bits.OnesCount8(open)
		places := int(s.HandLen[seat]) * quests
		u := random.Uint64()
		if unled == 0 && !s.Peeked {
			others := turn - n + quests // cards that can be looked at
			k := below(u, others+places)
			peek := negative(k - others)
			moves += peek
			k *= peek
			row := k * oneIn[n-1] >> 16
			at := k + row + negative(mine-1-(k-row*(n-1))) // the own cards are passed over
			looks[turn].at, looks[turn].by = uint8(at), uint8(peek)<<seat
		}
		s.Peeked = false

		k := below(u>>32, places)
		index := k * oneIn[quests] >> 16
		quest := nth[open&31][k-index*quests]
		unled &^= 1 << quest
		hand := s.word(seat)
		s.setWord(seat, hand.without(8*index))
		s.HandLen[seat]--
		s.Has[seat] |= 1 << quest
		place := uint8(onQuest >> (8 * quest & 63) & 7)
		onQuest += 1 << (8 * quest & 63)
		s.Table[quest][place] = Slot{Card: uint8(hand >> (8 * index & 63)), Seat: seat}
		s.Order[turn] = Spot{Quest: quest, Place: place}
		seat = s.next(seat)
		if mine++; mine == n {
			mine = 0
		}
	}
	*r = random
	for _, look := range looks[first : n*n] {
		at := s.Order[look.at]
		s.Table[at.Quest][at.Place].Peekers |= look.by
	}
	for quest := range s.OnQuest[:n] {
		s.OnQuest[quest] = s.Players
	}
	s.Placed, s.Phase = s.Players*s.Players, paladin.PhaseResolve
	s.turnUp(0)
	return moves + n*n - first
}

// playResolving decides about all cards that are left, and ends the round.
func (s *State) playResolving(r *Rand) (moves int) {
	for ended := false; !ended; ended = s.endQuest(r) {
		q := &s.Table[s.Quest]
		leader, pile := s.Leader, s.PileLen
		u := r.Uint64() // 16 bits of it for each card
		for place := s.Deciding; place < s.Players; place++ {
			own, lead := q[place], q[leader]
			ways := 2 + uint64(wins[own.Card]>>lead.Card&1)
			way := u & 0xffff * ways >> 16 // discard, take, beat
			u >>= 16
			beat, take := -uint8(way>>1), uint8(way&1)
			s.Pile[pile] = Discard{Card: own.Card ^ (own.Card^lead.Card)&beat, Known: own.Peekers | 1<<own.Seat | beat}
			pile += 1 - take
			hand := s.word(own.Seat)
			s.setWord(own.Seat, hand^(hand^hand.with(own.Card))&-word(take))
			s.HandLen[own.Seat] += take
			leader ^= (leader ^ place) & beat
			moves++
		}
		s.Leader, s.Deciding, s.PileLen = leader, s.Players-1, pile
	}
	return moves
}
