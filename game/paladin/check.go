package paladin

import (
	"errors"
	"fmt"
)

var (
	errTurns = errors.New("cards were placed out of turn (R8, R9)")
	errPeek  = errors.New("a peek that cannot have been (R10)")
)

// Check says whether every card of the deck is there exactly once (R18) and the rest of the state fits together: hand
// sizes, turns, what became of each card, the dealer, peeks. The owner of a table calls it before it stores a state;
// Apply does not.
func (s *State) Check() error {
	d, err := s.derive()
	if err != nil {
		return err
	}
	if d != s.derived {
		return errors.New("what is kept for speed differs from what it follows from")
	}
	if err := s.checkCards(); err != nil {
		return err
	}
	if err := s.checkHands(); err != nil {
		return err
	}
	return s.checkPeeks()
}

// derive works out what follows from the cards placed and their fates, and checks those on the way.
func (s *State) derive() (derived, error) {
	var d derived
	n := s.players
	switch {
	case n < MinPlayers || n > MaxPlayers:
		return d, fmt.Errorf("%d players", n)
	case s.round < 1 || s.round > s.rounds():
		return d, fmt.Errorf("round %d", s.round)
	case s.dealer < 0 || s.dealer >= int8(n) || s.starter < -1 || s.starter >= int8(n):
		return d, errors.New("a seat that there is not")
	case !s.deck.sameQuests(&s.stack):
		return d, errNotQuests
	case s.shuffled > maxReshuffles || (s.shuffled == 0) != (s.shuffleAt == 0) || s.shuffleAt > s.round || s.shuffleAt == 1:
		return d, errors.New("a reshuffle that cannot have been")
	}
	dealer := int8(0)
	for round := uint8(1); round <= s.round; round++ {
		if err := s.deriveRound(round, &d); err != nil {
			return d, fmt.Errorf("round %d: %w", round, err)
		}
		if round < s.round {
			dealer = nextDealer(n, dealer, d.honour)
		}
	}
	if dealer != s.dealer {
		return d, errors.New("another seat should have dealt (R16)")
	}
	for _, c := range s.placed[int(s.round)*int(n*n):] {
		if c != (placedCard{}) {
			return d, errors.New("a card of a round to come")
		}
	}
	d.moves += uint16(s.peekLen)
	return d, nil
}

// deriveRound goes through one round.
func (s *State) deriveRound(round uint8, d *derived) error {
	n := s.players
	cards := s.placed[int(round-1)*int(n*n):][:n*n]
	count, total, err := countPlaced(cards, n)
	if err != nil {
		return err
	}
	last := round == s.round
	if !last && total < n*n {
		return errors.New("it was left before its end")
	}
	starter := s.starter
	if !last {
		starter = 0 // whoever it was; every seat has placed a card everywhere
	}
	if err := checkTurns(cards, n, total, starter); err != nil {
		return err
	}
	if starter >= 0 {
		d.moves++
	}
	d.moves += uint16(total)
	if last {
		d.onQuest = count
	}
	switch {
	case starter < 0:
		d.phase, d.toAct = PhaseStart, s.dealer
	case total < n:
		d.phase, d.toAct = PhaseLead, (starter+int8(total))%int8(n)
	case total < n*n:
		d.phase, d.toAct = PhasePlace, int8((uint8(starter)+total)%n)
	default:
		return s.deriveResolving(round, d)
	}
	for _, c := range cards {
		if c.fate > FateOnTable {
			return errors.New("a card was moved before all were placed")
		}
	}
	return nil
}

// countPlaced counts the cards of a round on each quest and looks that they lie there without a gap.
func countPlaced(cards []placedCard, n uint8) (count [MaxPlayers]uint8, total uint8, err error) {
	for i, c := range cards {
		quest, place := uint8(i)/n, uint8(i)%n
		if c.fate == 0 {
			if c != (placedCard{}) {
				return count, total, errors.New("a card without a fate")
			}
			continue
		}
		if c.card >= cardKinds || c.seat >= n || c.fate > FateDiscarded || count[quest] != place {
			return count, total, fmt.Errorf("a card at %d.%d that cannot be", quest+1, place+1)
		}
		count[quest]++
		total++
	}
	return count, total, nil
}

// checkTurns looks whether total cards were placed by whose turn it was, as far as that can be told (R8, R9).
func checkTurns(cards []placedCard, n, total uint8, starter int8) error {
	var leads, follows [MaxPlayers]uint8
	for quest := range n {
		var seen uint8
		for place, c := range cards[quest*n : quest*n+n] {
			if c.fate == 0 {
				break
			}
			if seen>>c.seat&1 == 1 {
				return errors.New("two cards of a seat on one quest")
			}
			seen |= 1 << c.seat
			if place == 0 {
				leads[c.seat]++
			} else {
				follows[c.seat]++
			}
		}
	}
	if starter < 0 {
		if total > 0 {
			return errTurns
		}
		return nil
	}
	for offset := range n {
		seat := (uint8(starter) + offset) % n
		// Before this seat's turn, of the first n turns or of the others, each seat with a lower offset has had one more.
		var lead, follow uint8
		if offset < total {
			lead = 1
		}
		if total > n {
			follow = (total - n + n - 1 - offset) / n
		}
		if leads[seat] != lead || follows[seat] != follow {
			return errTurns
		}
	}
	return nil
}

// deriveResolving follows the resolving of a round in which all cards were placed (R12 to R15).
func (s *State) deriveResolving(round uint8, d *derived) error {
	n := s.players
	for quest := range n {
		first := ((round-1)*n + quest) * n
		leader, place, err := s.resolved(first, round, d)
		if err != nil {
			return fmt.Errorf("quest %d: %w", quest+1, err)
		}
		lead := s.placed[first+leader]
		if place < n {
			if lead.fate != FateLeading {
				return fmt.Errorf("quest %d: its leading Paladin does not lead", quest+1)
			}
			if round < s.round {
				return errors.New("it was left before its end")
			}
			d.phase, d.toAct = PhaseResolve, int8(s.placed[first+place].seat)
			d.quest, d.leader, d.deciding = quest, leader, place
			return s.checkWaiting(first + n)
		}
		if lead.fate != FateKept {
			return fmt.Errorf("quest %d: nobody keeps it", quest+1)
		}
		d.honour[lead.seat] += s.stack[(round-1)*n+quest]
		if lead.card.Red() {
			d.honour[lead.seat]++
		}
	}
	if round == s.round {
		if round < s.rounds() {
			return errors.New("it is over, and the next was not dealt")
		}
		d.phase, d.toAct = PhaseOver, -1
	}
	return nil
}

// resolved follows the resolving of one quest, whose cards begin at first: it answers with its leading Paladin, and with
// the place of the card that is decided about, or with players if none is.
func (s *State) resolved(first, round uint8, d *derived) (leader, place uint8, err error) {
	discard := func(at uint8) {
		if round >= s.shuffleAt {
			d.pile[d.pileLen] = at
			d.pileLen++
		}
	}
	if !s.placed[first].turnedUp() {
		return 0, 0, errors.New("its first card was not turned up")
	}
	for place = 1; place < s.players; place++ {
		c := s.placed[first+place]
		switch c.fate {
		case FateTakenBack:
		case FateDiscarded:
			discard(first + place)
		case FateOnTable:
			for _, later := range s.placed[first+place : first+s.players] {
				if later.fate != FateOnTable {
					return 0, 0, errors.New("a card was decided about before its turn")
				}
			}
			return leader, place, nil
		default:
			lead := s.placed[first+leader]
			if lead.fate != FateBeaten || !c.card.Beats(lead.card) {
				return 0, 0, errors.New("a leading Paladin was defeated that was not (R13)")
			}
			discard(first + leader)
			leader = place
		}
		d.moves++
	}
	return leader, place, nil
}

// checkWaiting looks that every card of this round from that index on waits face down.
func (s *State) checkWaiting(from uint8) error {
	for _, c := range s.placed[from : s.round*s.players*s.players] {
		if c.fate != FateOnTable {
			return errors.New("a quest was resolved before its turn")
		}
	}
	return nil
}

// checkCards is R18.
func (s *State) checkCards() error {
	if s.supplyLen > PaladinCards {
		return errors.New("the supply is too large")
	}
	var want, have cardCounts
	if err := want.addChecked(s.deck.paladins[:]); err != nil {
		return err
	}
	if err := have.addChecked(s.supply[:s.supplyLen]); err != nil {
		return err
	}
	for seat := range Seat(s.players) {
		if s.handLen[seat] > maxHand {
			return fmt.Errorf("the hand of seat %d is too large", seat.Number())
		}
		if err := have.addChecked(s.hand(seat)); err != nil {
			return err
		}
	}
	for _, c := range s.placed {
		if c.fate == FateOnTable || c.fate == FateLeading || c.fate == FateKept {
			have[c.card]++
		}
	}
	for _, at := range s.pile[:s.pileLen] {
		have[s.placed[at].card]++
	}
	if have != want {
		return errors.New("the cards are not exactly those of the deck (R18)")
	}
	return nil
}

// addChecked is add for cards that may not exist.
func (n *cardCounts) addChecked(cards []Card) error {
	for _, c := range cards {
		if c >= cardKinds {
			return fmt.Errorf("card %d does not exist", uint8(c))
		}
		n[c]++
	}
	return nil
}

// checkHands checks that hands are as large as they must be and hold what was taken back this round.
func (s *State) checkHands() error {
	var size [MaxPlayers]uint8
	var taken [MaxPlayers]cardCounts
	for seat := range s.players {
		size[seat] = s.players + 1
	}
	for _, c := range s.placed[s.at(0, 0):][:s.players*s.players] {
		switch c.fate {
		case 0:
		case FateTakenBack:
			taken[c.seat][c.card]++
		default:
			size[c.seat]--
		}
	}
	for seat := range Seat(s.players) {
		hand := s.hand(seat)
		if uint8(len(hand)) != size[seat] {
			return fmt.Errorf("seat %d holds %d cards instead of %d", seat.Number(), len(hand), size[seat])
		}
		for i, c := range hand {
			if i > 0 && hand[i-1] > c {
				return fmt.Errorf("the hand of seat %d is not sorted", seat.Number())
			}
			taken[seat][c]--
		}
		for _, n := range taken[seat] {
			if n > 0 {
				return fmt.Errorf("seat %d does not hold what it took back", seat.Number())
			}
		}
	}
	return nil
}

// checkPeeks checks that the peeks can have been (R10).
func (s *State) checkPeeks() error {
	if s.peekLen > maxPeeks {
		return errPeek
	}
	var looked [maxPlaced]uint8
	var perRound [MaxPlayers]uint8
	round := 0
	for _, look := range s.peeks[:s.peekLen] {
		if look.seat >= s.players || look.at >= maxPlaced {
			return errPeek
		}
		c := s.placed[look.at]
		r, _, _ := s.where(look.at)
		if c.fate == 0 || c.seat == look.seat || r < round {
			return errPeek
		}
		if r > round {
			round, perRound = r, [MaxPlayers]uint8{}
		}
		perRound[look.seat]++
		if perRound[look.seat] > s.players-1 {
			return errPeek
		}
		looked[look.at] |= 1 << look.seat
	}
	for at, c := range s.placed {
		if c.peekers != looked[at] {
			return errPeek
		}
	}
	if round < int(s.round) {
		perRound = [MaxPlayers]uint8{}
	}
	return s.checkTurnPeeks(perRound)
}

// checkTurnPeeks checks this round's peeks against the turns that each seat has begun.
func (s *State) checkTurnPeeks(peeks [MaxPlayers]uint8) error {
	var turns [MaxPlayers]uint8
	for quest := range s.players {
		for place := uint8(1); place < s.onQuest[quest]; place++ {
			turns[s.placed[s.at(quest, place)].seat]++
		}
	}
	if s.peeked {
		if s.phase != PhasePlace || s.peekLen == 0 || s.peeks[s.peekLen-1].seat != uint8(s.toAct) {
			return errors.New("the peek of this turn is missing (R10)")
		}
		turns[s.toAct]++
		if peeks[s.toAct] == 0 {
			return errors.New("the peek of this turn is missing (R10)")
		}
	}
	for seat := range s.players {
		if peeks[seat] > turns[seat] {
			return errors.New("more peeks than turns (R10)")
		}
	}
	return nil
}
