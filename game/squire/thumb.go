package squire

import "paladin/game/paladin"

// A thumb judges what a seat sees by the weights of the rules of thumb. All values are in honour.
type thumb struct {
	*sight
	w      *weights
	threat [kinds]float64 // by card: how likely an unseen card beats it
	keep   [kinds]float64 // by card: what it is worth in hand for later rounds, against a card newly drawn
}

// newThumb works out what follows from the unseen cards alone.
//
// Rule: a card is kept for what it may win later. Its power is the chance that it beats an unseen card, squared so that
// only strong cards have much of it; what counts is how far that stands above the power of the average card that would be
// drawn in its place, times the honour of the quests to come. So weak cards are worth less than nothing, strong ones most
// before the King's quests, and in the last round no card is worth keeping.
func newThumb(s *sight, w *weights) *thumb {
	t := &thumb{sight: s, w: w}
	unseen := s.unseen.sums()
	drawn := 0.0
	for c := range t.keep {
		card := paladin.Card(c)
		t.threat[c] = unseen.beating(card)
		beats := max(0, unseen.beaten(card))
		power := float64(beats * beats)
		if card.Red() {
			power += w.KeepRed
		}
		t.keep[c] = power
		drawn += float64(s.unseen[c] * power)
	}
	for c := range t.keep {
		t.keep[c] = w.Keep * s.rest * (t.keep[c] - drawn)
	}
	return t
}

// gain is what winning a quest with a card brings.
//
// Rule: the quest's honour, one more for a red card (R15), and a share of the honour because the others do not get it.
func (t *thumb) gain(q *quest, c paladin.Card) float64 {
	gain := float64(q.honour * (1 + t.w.Deny))
	if c.Red() {
		gain++
	}
	return gain
}

// holds is how likely a leading Paladin stands against the cards that lie behind it.
//
// Rule: each owner behind who can beat it does so with the probability Boldness; of a card that was peeked at one knows
// whether it can.
func (t *thumb) holds(c paladin.Card, behind []slot) float64 {
	p := 1.0
	for i := range behind {
		switch b := &behind[i]; {
		case !b.known:
			p *= 1 - float64(t.w.Boldness*t.threat[c])
		case b.card.Beats(c):
			p *= 1 - t.w.Boldness
		}
	}
	return p
}

// A row of worths holds what each card in hand is worth in one place.
type worths [paladin.MaxPlayers + 1]float64

// asLeader fills in what each card in hand is worth as the leading Paladin of q.
//
// Rule: a leading Paladin has to stand against a card of everybody else, and is gone if it does not.
func (t *thumb) asLeader(q *quest, out *worths) {
	for i, c := range t.hand {
		stand := 1 - float64(t.w.Boldness*t.threat[c])
		stands := stand
		for range t.players - 2 {
			stands *= stand
		}
		out[i] = stands * t.gain(q, c)
	}
}

// asFollower fills in what each card in hand is worth on q, placed so many turns from now; 0 is at once.
//
// Rule: it wins if it beats what leads when its turn to decide comes, and then holds. If it cannot win, or its chance is
// not worth it, it is taken back if it is worth keeping, and discarded otherwise: so a follower never loses a strong card.
// Who waits has fewer cards behind and more before, and those who wait too are taken to place on all their open quests
// alike.
func (t *thumb) asFollower(q *quest, turns int, out *worths) {
	leader := t.leader(q)
	var behind [paladin.MaxPlayers]float64 // of those who have still to place here: how likely each comes behind
	missing := t.missing(q)
	for i, seat := range missing {
		before := min(1, float64(turns)/float64(max(1, t.open[seat])))
		if before > 0 {
			leader.challenge(&t.unseen, t.w.Boldness*before)
		}
		behind[i] = 1 - before
	}
	sums := leader.sums()
	for i, c := range t.hand {
		holds := 1.0
		for _, b := range behind[:len(missing)] {
			holds *= 1 - float64(b*t.w.Boldness*t.threat[c])
		}
		back := max(0, t.keep[c])
		wins := sums.beaten(c)
		out[i] = float64(wins*max(float64(holds*t.gain(q, c)), back)) + float64((1-wins)*back)
	}
}

// leader are the odds of what will lead q when all cards that lie there have been decided about. A quest that nobody leads
// yet will be led by an unseen card.
func (t *thumb) leader(q *quest) odds {
	if len(q.cards) == 0 {
		return t.unseen
	}
	leader := q.cards[0].odds
	for i := range q.cards[1:] {
		leader.challenge(&q.cards[i+1].odds, t.w.Boldness)
	}
	return leader
}

// missing are the other seats that will still place a card behind a leading Paladin of q. Where nobody leads yet one of
// them will, and any one is left out.
func (t *thumb) missing(q *quest) []paladin.Seat {
	seats := make([]paladin.Seat, 0, paladin.MaxPlayers)
	for seat := range paladin.Seat(t.players) {
		if seat != t.me && !q.has(seat) {
			seats = append(seats, seat)
		}
	}
	if len(q.cards) == 0 {
		seats = seats[1:]
	}
	return seats
}
