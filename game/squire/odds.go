package squire

import "paladin/game/paladin"

// kinds is the number of different cards: ten values, black and red.
const kinds = 2 * (paladin.MaxValue + 1)

// odds say how likely each card is, by its number as a [paladin.Card]. They sum to 1.
type odds [kinds]float64

// certain are the odds of a card that is known.
func certain(c paladin.Card) odds {
	var o odds
	o[c] = 1
	return o
}

// sums[c] is what the odds of all cards below c, in the order of their numbers, sum to.
type sums [kinds + 1]float64

func (o *odds) sums() (s sums) {
	for c, p := range o {
		s[c+1] = s[c] + p
	}
	return s
}

// beaten is how likely c beats a card that has these odds (R13): every lower value, red an equal one too, and among the
// extremes 0 the 9.
func (s *sums) beaten(c paladin.Card) float64 {
	same := 2 * c.Value()
	p := s[same]
	switch c.Value() {
	case paladin.MaxValue:
		p -= s[2]
	case 0:
		p += s[kinds] - s[kinds-2]
	}
	if c.Red() {
		p += s[same+2] - s[same]
	}
	return p
}

// beating is how likely a card that has these odds beats c.
func (s *sums) beating(c paladin.Card) float64 {
	same := 2 * c.Value()
	p := s[kinds] - s[same+2]
	switch c.Value() {
	case paladin.MaxValue:
		p += s[2]
	case 0:
		p -= s[kinds] - s[kinds-2]
	}
	return p + s[same+2] - s[same+1] // an equal red one beats either colour
}

// challenge is what happens to the odds of a leading Paladin when the next card, which has the odds next, is used with
// probability p if it is the stronger one.
func (o *odds) challenge(next *odds, p float64) {
	leader, challenger := o.sums(), next.sums()
	var after odds
	for c := range after {
		card := paladin.Card(c)
		stays := 1 - float64(p*challenger.beating(card))
		after[c] = float64(o[c]*stays) + float64(p*next[c]*leader.beaten(card))
	}
	*o = after
}
