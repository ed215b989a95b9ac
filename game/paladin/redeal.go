package paladin

import (
	"encoding/binary"
	"slices"
)

// Redeal deals anew everything that viewer cannot know: the hands of the others, face-down cards that viewer has not
// looked at, the supply, the face-down part of the discard pile, the quests to come and all shuffles to come. NoSeat is a
// spectator. The result is a state like any other, and the viewer's view of it is the same as before. below answers with a
// random number from 0 to n-1.
//
// A card that viewer saw and that was taken back stays with its owner: in the hand, or among the cards that the owner has
// placed since and viewer has not seen, discarded ones included. What else could be inferred (from how somebody plays, or
// from what went into a reshuffle) is not kept.
//
// The answer depends on the viewer's knowledge and below alone; see [View.Redeal].
func (s *State) Redeal(viewer Seat, below func(n int) int) State {
	if !s.seated(viewer) {
		viewer = NoSeat
	}
	m := s.mask(viewer)
	m.fill(viewer, below)
	return m
}

// Redeal is a state that the viewer could be in, dealt as by [State.Redeal].
func (v *View) Redeal(below func(n int) int) State {
	m := v.known
	m.fill(v.Seat, below)
	return m
}

// fill puts a card into every hidden place of a masked state.
func (s *State) fill(viewer Seat, below func(n int) int) {
	for i := 0; i < len(s.chance.key); i += 4 {
		binary.BigEndian.PutUint32(s.chance.key[i:], uint32(below(1<<16)<<16|below(1<<16)))
	}
	s.fillStack(below)
	r := redeal{s: s, viewer: viewer, below: below}
	r.collect()
	r.keepTaken()
	r.dealRest()
	r.fillPast()
	for seat := range Seat(s.players) {
		if seat != viewer {
			slices.Sort(s.hand(seat))
		}
	}
}

// fillStack shuffles the quests that were not turned up, the Queen's and the King's each among themselves.
func (s *State) fillStack(below func(n int) int) {
	known := int(s.round * s.players)
	for _, part := range [2][2]int{{0, QueenQuests}, {QueenQuests, QuestCards}} {
		var left [MaxHonour + 1]int
		for i := part[0]; i < part[1]; i++ {
			left[s.deck.quests[i]]++
			if i < known {
				left[s.stack[i]]--
			}
		}
		open := s.stack[max(known, part[0]):max(known, part[1])]
		k := 0
		for honour, n := range left {
			for range n {
				open[k] = uint8(honour)
				k++
			}
		}
		randomize(open, below)
	}
}

func randomize[T any](list []T, below func(n int) int) {
	for i := len(list) - 1; i > 0; i-- {
		j := below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// A redeal is one filling of hidden places in the course of being made.
type redeal struct {
	s      *State
	viewer Seat
	below  func(n int) int

	unknown [PaladinCards]Card // cards that lie in hidden places, in random order
	cards   int
	places  [PaladinCards]hiddenPlace
	count   int
	taken   [maxPlaced]takenBack
	takens  int
}

// A hiddenPlace holds one of the unknown cards.
type hiddenPlace struct {
	card   *Card
	seat   Seat  // whose it is; NoSeat for the supply
	round  uint8 // when its card was placed; 0 in a hand
	filled bool
	now    bool // filled with a card that was taken back this round
}

// takenBack is a card that the viewer saw and that its owner took back.
type takenBack struct {
	seat  Seat
	card  Card
	round uint8
}

// collect finds the hidden places and the cards that lie in them.
func (r *redeal) collect() {
	s := r.s
	var left cardCounts
	left.add(s.deck.paladins[:]...)
	for seat := range Seat(s.players) {
		for i := range s.hand(seat) {
			r.place(&s.hands[seat][i], seat, 0, &left)
		}
	}
	for i := range s.placed {
		if c := &s.placed[i]; c.fate == FateOnTable || c.fate == FateLeading || c.fate == FateKept {
			r.place(&c.card, Seat(c.seat), r.roundOf(uint8(i)), &left)
		}
	}
	for _, at := range s.pile[:s.pileLen] {
		c := &s.placed[at]
		r.place(&c.card, Seat(c.seat), r.roundOf(at), &left)
	}
	for i := range s.supply[:s.supplyLen] {
		r.place(&s.supply[i], NoSeat, 0, &left)
	}
	for c, n := range left {
		for range n {
			r.unknown[r.cards] = Card(c)
			r.cards++
		}
	}
	randomize(r.unknown[:r.cards], r.below)
}

func (r *redeal) place(card *Card, seat Seat, round uint8, left *cardCounts) {
	if *card != hidden {
		left[*card]--
		return
	}
	r.places[r.count] = hiddenPlace{card: card, seat: seat, round: round}
	r.count++
}

func (r *redeal) roundOf(at uint8) uint8 { return at/(r.s.players*r.s.players) + 1 }

// keepTaken gives the cards that the viewer saw taken back a place where they can be by now. The later a card was taken
// back, the fewer those places are, and they are among those of an earlier one: so in this order none is left without.
func (r *redeal) keepTaken() {
	r.findTaken()
	taken := r.taken[:r.takens]
	slices.SortStableFunc(taken, func(a, b takenBack) int { return int(b.round) - int(a.round) })
	for i, t := range taken {
		var can [PaladinCards]int
		n := 0
		for k, p := range r.places[:r.count] {
			if p.seat == t.seat && !p.filled && (p.round == 0 || p.round > t.round) {
				can[n] = k
				n++
			}
		}
		gone := r.reshuffled(t)
		for _, earlier := range taken[:i] {
			if earlier.seat == t.seat && earlier.card == hidden {
				gone-- // that one went with the reshuffle, and took a place there
			}
		}
		if n+gone <= 0 {
			continue
		}
		k := r.below(n + gone)
		if k >= n {
			taken[i].card = hidden
			continue
		}
		p := &r.places[can[k]]
		if r.take(t.card) {
			*p.card, p.filled, p.now = t.card, true, t.round == r.s.round
		}
	}
}

// findTaken lists the cards that the viewer saw taken back and has not seen again from the same seat.
func (r *redeal) findTaken() {
	s := r.s
	for round := uint8(1); round <= s.round; round++ {
		first := (round - 1) * s.players * s.players
		cards := s.placed[first : first+s.players*s.players]
		before := r.takens
		for _, c := range cards {
			if c.fate != 0 && c.card != hidden && Seat(c.seat) != r.viewer {
				before -= r.forget(Seat(c.seat), c.card, before)
			}
		}
		for _, c := range cards {
			if c.fate == FateTakenBack && c.card != hidden && Seat(c.seat) != r.viewer {
				r.taken[r.takens] = takenBack{seat: Seat(c.seat), card: c.card, round: round}
				r.takens++
			}
		}
	}
}

// forget drops the latest of the first n cards taken back by seat that equals card, and answers with how many it dropped.
// The card that was seen now may be that one; of several the latest is the one whose places are the fewest, and to claim
// them of an earlier one would be more than the viewer knows.
func (r *redeal) forget(seat Seat, card Card, n int) int {
	for i := n - 1; i >= 0; i-- {
		if t := r.taken[i]; t.seat == seat && t.card == card {
			copy(r.taken[i:], r.taken[i+1:r.takens])
			r.takens--
			return 1
		}
	}
	return 0
}

// reshuffled counts the cards that the owner of t discarded unseen after taking t back and that were reshuffled since.
func (r *redeal) reshuffled(t takenBack) (n int) {
	for i, c := range r.s.placed {
		round := r.roundOf(uint8(i))
		if c.fate == FateDiscarded && c.card == hidden && Seat(c.seat) == t.seat && round > t.round && round < r.s.shuffleAt {
			n++
		}
	}
	return n
}

// take takes one such card from the unknown ones, if there is one.
func (r *redeal) take(card Card) bool {
	for i, c := range r.unknown[:r.cards] {
		if c == card {
			r.cards--
			r.unknown[i] = r.unknown[r.cards]
			return true
		}
	}
	return false
}

// dealRest fills all other hidden places.
func (r *redeal) dealRest() {
	for i := range r.places[:r.count] {
		if p := &r.places[i]; !p.filled {
			r.cards--
			*p.card = r.unknown[r.cards]
		}
	}
}

// fillPast gives cards to the hidden places of the past, which nothing lies in any more: what was taken back and what was
// reshuffled. They are what other seats remember, so it is something that can have been: cards taken back this round are
// in the hand of their owner, cards taken back earlier preferably too.
func (r *redeal) fillPast() {
	s := r.s
	var used [PaladinCards]bool
	for i := range s.placed {
		c := &s.placed[i]
		if c.fate == 0 || c.card != hidden {
			continue
		}
		if c.fate == FateDiscarded {
			c.card = s.deck.paladins[r.below(PaladinCards)]
			continue
		}
		now := r.roundOf(uint8(i)) == s.round
		if !now {
			hand := s.hand(Seat(c.seat))
			c.card = hand[r.below(len(hand))]
			continue
		}
		for k, p := range r.places[:r.count] {
			if p.seat == Seat(c.seat) && p.round == 0 && !p.now && !used[k] {
				c.card, used[k] = *p.card, true
				break
			}
		}
	}
}
