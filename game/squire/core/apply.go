package core

import "paladin/game/paladin"

// Apply makes one move, which must be legal, and all that follows from it at once. Only a reshuffle needs r.
func (s *State) Apply(m Move, r *Rand) {
	switch m.Kind {
	case paladin.Start:
		s.Starter, s.ToAct, s.Phase = m.A, m.A, paladin.PhaseLead
	case paladin.Place:
		s.place(m.A, m.B)
	case paladin.Peek:
		s.Table[m.A][m.B].Peekers |= 1 << s.ToAct
		s.Peeked = true
	default:
		s.decide(m.Kind, r)
	}
}

func (s *State) next(seat uint8) uint8 {
	if seat++; seat < s.Players {
		return seat
	}
	return 0
}

// place puts a card on a quest (R8, R9). When the last one lies there, resolving begins (R11).
func (s *State) place(card, quest uint8) {
	seat := s.ToAct
	s.Drop(seat, card)
	s.Table[quest][s.OnQuest[quest]] = Slot{Card: card, Seat: seat}
	s.Order[s.Placed] = Spot{Quest: quest, Place: s.OnQuest[quest]}
	s.OnQuest[quest]++
	s.Has[seat] |= 1 << quest
	s.Placed++
	s.Peeked = false
	s.ToAct = s.next(seat)
	switch s.Placed {
	case s.Players:
		s.Phase = paladin.PhasePlace
	case s.Players * s.Players:
		s.Phase = paladin.PhaseResolve
		s.turnUp(0)
	}
}

// turnUp begins the resolving of a quest (R12).
func (s *State) turnUp(quest uint8) {
	s.Quest, s.Leader, s.Deciding = quest, 0, 1
	s.ToAct = s.Table[quest][1].Seat
}

// decide is what the owner of the next card does with it (R12), and all that follows.
func (s *State) decide(kind paladin.MoveKind, r *Rand) {
	q := &s.Table[s.Quest]
	own := &q[s.Deciding]
	switch kind {
	case paladin.Beat:
		s.discard(q[s.Leader].Card, 0xff)
		s.Leader = s.Deciding
	case paladin.Take:
		s.Draw(own.Seat, own.Card)
	case paladin.Discard:
		s.discard(own.Card, own.Peekers|1<<own.Seat)
	}
	if s.Deciding+1 < s.Players {
		s.Deciding++
		s.ToAct = q[s.Deciding].Seat
		return
	}
	s.endQuest(r)
}

// endQuest gives the quest to the owner of its last leading Paladin, and goes on: it says whether the round has ended.
func (s *State) endQuest(r *Rand) bool {
	kept := &s.Table[s.Quest][s.Leader]
	s.Honour[kept.Seat] += s.Row()[s.Quest] + kept.Card&1 // R14, R15
	s.Kept[kept.Card]++
	s.WonBy[s.Quest] = kept.Seat
	switch {
	case s.Quest+1 < s.Players:
		s.turnUp(s.Quest + 1)
		return false
	case s.Round < s.Rounds:
		s.deal(s.nextDealer(), r)
	default:
		s.Phase, s.ToAct = paladin.PhaseOver, None
		s.Quest, s.Leader, s.Deciding = 0, 0, 0
	}
	return true
}

func (s *State) discard(card, known uint8) {
	s.Pile[s.PileLen] = Discard{Card: card, Known: known}
	s.PileLen++
}

// nextDealer is the seat with the least honour, of several the first clockwise from the dealer's left (R16).
func (s *State) nextDealer() uint8 {
	seat, least := s.Dealer, 1<<16
	for k := range int(s.Players) {
		seat = s.next(seat)
		least = min(least, int(s.Honour[seat])<<8|k<<4|int(seat))
	}
	return uint8(least & 15)
}

// deal begins a round (R6).
func (s *State) deal(dealer uint8, r *Rand) {
	s.Round++
	s.Phase, s.Dealer, s.ToAct, s.Starter = paladin.PhaseStart, dealer, dealer, None
	s.Quest, s.Leader, s.Deciding, s.Placed = 0, 0, 0, 0
	s.Has, s.OnQuest = [MaxPlayers]uint8{}, [MaxPlayers]uint8{}
	s.WonBy = [MaxPlayers]uint8{None, None, None, None, None}
	seat := dealer
	for range s.Players {
		seat = s.next(seat)
		hand := s.word(seat)
		for n := s.HandLen[seat]; n <= s.Players; n++ {
			if s.SupplyLen == 0 {
				s.reshuffle(r)
			}
			s.SupplyLen--
			hand = hand.with(s.Supply[s.SupplyLen])
		}
		s.setWord(seat, hand)
		s.HandLen[seat] = s.Players + 1
	}
}

// reshuffle makes the discard pile the supply (R6).
func (s *State) reshuffle(r *Rand) {
	for i, d := range s.Pile[:s.PileLen] {
		s.Supply[i] = d.Card
	}
	s.SupplyLen, s.PileLen = s.PileLen, 0
	r.Shuffle(s.Supply[:s.SupplyLen])
	if r.Reshuffle != nil {
		s.Supply = r.Reshuffle(s.Supply, int(s.SupplyLen))
	}
}
