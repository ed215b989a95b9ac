package paladin

// Apply makes one move, and all that follows from it at once. It answers with the new state and what happened, in order;
// s stays as it is. The error is a *[RuleError].
func (s *State) Apply(m Move) (State, []Event, error) {
	if refusal := s.refuse(m); refusal != nil {
		refusal.Move = m
		return State{}, nil, refusal
	}
	next := *s
	next.moves++
	events := make([]Event, 0, 1)
	var err error
	switch m.Kind {
	case Start:
		next.starter, next.toAct, next.phase = int8(m.Target), int8(m.Target), PhaseLead
		events = append(events, next.event(StartNamed, next.dealer).target(m.Target))
	case Place:
		events = next.place(m, events)
	case Peek:
		events = next.look(m, events)
	default:
		events, err = next.decide(m.Kind, events)
	}
	if err != nil {
		refusal := s.refusal("R6", RefusedReshuffle, "%v", err)
		refusal.Move = m
		return State{}, nil, refusal
	}
	return next, events, nil
}

// place puts a card on a quest (R8, R9). When the last one lies there, resolving begins (R11).
func (s *State) place(m Move, events []Event) []Event {
	quest := uint8(m.Quest - 1)
	place := s.onQuest[quest]
	s.drop(s.toAct, m.Card)
	s.onQuest[quest]++
	s.placed[s.at(quest, place)] = placedCard{card: m.Card, seat: uint8(m.Seat), fate: FateOnTable}
	events = append(events, s.event(Placed, s.toAct).at(quest, place).secret(m.Card, 1<<m.Seat))
	s.peeked = false
	s.toAct = s.next(s.toAct)
	switch s.onTable() {
	case s.players:
		s.phase = PhasePlace
	case s.players * s.players:
		s.phase = PhaseResolve
		return s.open(0, events)
	}
	return events
}

// look is a peek (R10).
func (s *State) look(m Move, events []Event) []Event {
	quest, place := uint8(m.Quest-1), uint8(m.Place-1)
	at := s.at(quest, place)
	card := &s.placed[at]
	card.peekers |= 1 << m.Seat
	s.peeks[s.peekLen] = peek{seat: uint8(m.Seat), at: at}
	s.peekLen++
	s.peeked = true
	e := s.event(Peeked, s.toAct).target(Seat(card.seat)).at(quest, place)
	return append(events, e.secret(card.card, 1<<m.Seat|1<<card.seat))
}

// open turns up the leading Paladin of a quest and asks the owner of the next card (R12). Every quest has a card of each
// player, so there always is one.
func (s *State) open(quest uint8, events []Event) []Event {
	s.quest, s.leader, s.deciding = quest, 0, 1
	leader := &s.placed[s.at(quest, 0)]
	leader.fate = FateLeading
	s.toAct = int8(s.placed[s.at(quest, 1)].seat)
	return append(events, s.event(LeaderRevealed, int8(leader.seat)).at(quest, 0).shows(leader.card))
}

// decide is what the owner of the next card does with it (R12), and all that follows.
func (s *State) decide(kind MoveKind, events []Event) ([]Event, error) {
	quest, place := s.quest, s.deciding
	card := &s.placed[s.at(quest, place)]
	switch kind {
	case Beat:
		loser := &s.placed[s.at(quest, s.leader)]
		loser.fate, card.fate = FateBeaten, FateLeading
		s.discard(s.at(quest, s.leader))
		s.leader = place
		e := s.event(Beaten, s.toAct).target(Seat(loser.seat)).at(quest, place).shows(card.card)
		e.beaten = faceUp(loser.card)
		events = append(events, e)
	case Take:
		card.fate = FateTakenBack
		s.draw(s.toAct, card.card)
		events = append(events, s.event(TookBack, s.toAct).at(quest, place).secret(card.card, 1<<card.seat|card.peekers))
	case Discard:
		card.fate = FateDiscarded
		s.discard(s.at(quest, place))
		events = append(events, s.event(Discarded, s.toAct).at(quest, place).secret(card.card, 1<<card.seat|card.peekers))
	}
	s.deciding++
	if s.deciding < s.players {
		s.toAct = int8(s.placed[s.at(quest, s.deciding)].seat)
		return events, nil
	}
	events = s.win(events)
	if quest+1 < s.players {
		return s.open(quest+1, events), nil
	}
	return s.endRound(events)
}

func (s *State) discard(at uint8) {
	s.pile[s.pileLen] = at
	s.pileLen++
}

// win gives the quest to the owner of its last leading Paladin (R14, R15).
func (s *State) win(events []Event) []Event {
	card := &s.placed[s.at(s.quest, s.leader)]
	card.fate = FateKept
	honour := s.row()[s.quest]
	s.honour[card.seat] += honour
	if card.card.Red() {
		s.honour[card.seat]++
	}
	e := s.event(QuestWon, int8(card.seat)).at(s.quest, s.leader).shows(card.card)
	e.honour = honour
	return append(events, e)
}

// endRound ends the game (R17), or deals the next round (R16).
func (s *State) endRound(events []Event) ([]Event, error) {
	s.quest, s.leader, s.deciding = 0, 0, 0
	e := s.event(RoundScored, -1)
	e.scores = s.honour
	events = append(events, e)
	if s.round == s.rounds() {
		s.phase, s.toAct = PhaseOver, -1
		e = s.event(GameOver, -1)
		e.scores = s.honour
		for _, seat := range s.best() {
			e.winners |= 1 << seat
		}
		return append(events, e), nil
	}
	return s.deal(nextDealer(s.players, s.dealer, s.honour), events)
}

// nextDealer is the seat with the least honour, of several the first clockwise from the dealer's left (R16).
func nextDealer(players uint8, dealer int8, honour [MaxPlayers]uint8) int8 {
	least := (dealer + 1) % int8(players)
	for k := int8(2); k <= int8(players); k++ {
		if seat := (dealer + k) % int8(players); honour[seat] < honour[least] {
			least = seat
		}
	}
	return least
}

// deal begins a round: hands are filled to players + 1 cards, from the dealer's left (R6). Supply and discard pile never
// are empty both when a card is needed: after r rounds r*n Paladins are kept, none lies on the table, and hands hold
// n*(n+1) cards once filled, in all at most 15+12, 12+20 or 10+30 of the 42 cards for 3, 4 or 5 players. So at most one
// reshuffle happens in a deal.
func (s *State) deal(dealer int8, events []Event) ([]Event, error) {
	s.round++
	s.phase, s.dealer, s.toAct, s.starter = PhaseStart, dealer, dealer, -1
	s.onQuest = [MaxPlayers]uint8{}
	began := s.event(RoundBegan, dealer)
	seat := s.next(dealer)
	for range s.players {
		for k := 0; s.handLen[seat] <= s.players; k++ {
			if s.supplyLen == 0 {
				count := s.pileLen
				if err := s.reshuffle(); err != nil {
					return nil, err
				}
				e := s.event(Reshuffled, -1)
				e.count, e.number = count, s.shuffled
				events = append(events, e)
			}
			s.supplyLen--
			c := s.supply[s.supplyLen]
			s.supply[s.supplyLen] = 0
			s.draw(seat, c)
			began.drawn[seat][k] = faceUp(c)
			began.count++
		}
		seat = s.next(seat)
	}
	return append(events, began), nil
}

// reshuffle makes the discard pile the supply (R6).
func (s *State) reshuffle() error {
	var cards [PaladinCards]Card
	pile := cards[:s.pileLen]
	for i, at := range s.pile[:s.pileLen] {
		pile[i] = s.placed[at].card
	}
	if err := s.chance.reshuffle(int(s.shuffled)+1, pile); err != nil {
		return err
	}
	for i, c := range pile {
		s.supply[len(pile)-1-i] = c
	}
	s.supplyLen = s.pileLen
	s.pile, s.pileLen = [PaladinCards]uint8{}, 0
	s.shuffled++
	s.shuffleAt = s.round
	return nil
}
