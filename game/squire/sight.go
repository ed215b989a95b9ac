package squire

import "paladin/game/paladin"

// Averages of the quests in the face-down stack, by which the rules of thumb reckon with what is still to come.
const (
	queenHonour = 2.0
	kingHonour  = 5.0
)

// A sight is a view boiled down to what the rules of thumb weigh.
type sight struct {
	players int
	me      paladin.Seat
	leading bool // quests are being led, so that this turn's card leads one
	hand    []paladin.Card
	row     []quest
	unseen  odds                    // of a card of which nothing is known
	open    [paladin.MaxPlayers]int // by seat: quests of the row on which it has still to place
	rest    float64                 // average honour of the quests of later rounds; 0 in the last round
}

// A quest of the row that is not won yet.
type quest struct {
	number int
	honour float64
	cards  []slot // in order; what has been beaten, taken back or discarded is gone
	mine   bool   // one of the cards is the viewer's
}

// A slot is a card on a quest.
type slot struct {
	place int
	seat  paladin.Seat
	known bool
	odds  odds // certain if known
}

// look boils down a view.
func look(v *paladin.View) *sight {
	s := &sight{players: v.Players, me: v.Seat, leading: v.Phase == paladin.PhaseLead, hand: v.Hand}
	s.unseen = unseen(v)
	for seat := range s.players {
		s.open[seat] = v.Players
	}
	for i := range v.Row {
		row := &v.Row[i]
		q := quest{number: row.Number, honour: float64(row.Honour), cards: make([]slot, 0, v.Players)}
		for _, c := range row.Cards {
			s.open[c.Seat]--
			q.mine = q.mine || c.Seat == v.Seat
			q.cards = append(q.cards, s.slot(v, row.Number, c))
		}
		if !row.Won {
			s.row = append(s.row, q)
		}
	}
	s.rest = rest(v)
	return s
}

// slot is what v knows of a card on a quest.
func (s *sight) slot(v *paladin.View, number int, c paladin.PublicCard) slot {
	out := slot{place: c.Place, seat: c.Seat, odds: s.unseen}
	if card, known := identify(v, number, c); known {
		out.known, out.odds = true, certain(card)
	}
	return out
}

// identify is the value of a card on the table, if the viewer knows it.
func identify(v *paladin.View, number int, c paladin.PublicCard) (paladin.Card, bool) {
	if card, shown := c.Card.Card(); shown {
		return card, true
	}
	known := v.Peeked
	if c.Seat == v.Seat {
		known = v.Placed
	}
	for i := len(known) - 1; i >= 0; i-- {
		k := &known[i]
		if k.Round == v.Round && k.Quest == number && k.Place == c.Place {
			return k.Card, true
		}
	}
	return 0, false
}

// unseen are the odds of a card of which nothing is known: the deck without what the viewer can account for. Where a
// card peeked at has been taken back it may lie on the table again, so it counts as unseen.
func unseen(v *paladin.View) odds {
	left := houseDeck
	spend := func(c paladin.Card) { left[c] = max(0, left[c]-1) }
	for _, c := range v.Hand {
		spend(c)
	}
	for i := range v.Row {
		for _, c := range v.Row[i].Cards {
			if card, known := identify(v, v.Row[i].Number, c); known {
				spend(card)
			}
		}
	}
	for i := range v.Seats {
		for _, k := range v.Seats[i].Kept {
			if card, shown := k.Card.Card(); shown {
				spend(card)
			}
		}
	}
	for i := range v.Public.Discards {
		if card, known := identifyDiscard(v, &v.Public.Discards[i]); known {
			spend(card)
		}
	}
	total := 0.0
	for _, n := range left {
		total += n
	}
	for c := range left {
		left[c] /= max(1, total)
	}
	return left
}

// identifyDiscard is the value of a card of the discard pile, if the viewer knows it.
func identifyDiscard(v *paladin.View, d *paladin.PublicDiscard) (paladin.Card, bool) {
	if card, shown := d.Card.Card(); shown {
		return card, true
	}
	known := v.Peeked
	if d.Seat == v.Seat {
		known = v.Discards
	}
	for i := len(known) - 1; i >= 0; i-- {
		k := &known[i]
		if k.Round == d.Round && k.Quest == d.Quest && k.Place == d.Place {
			return k.Card, true
		}
	}
	return 0, false
}

// rest is the average honour of the quests that later rounds will turn up; 0 in the last round.
func rest(v *paladin.View) float64 {
	rounds := v.Rounds - v.Round
	if rounds == 0 {
		return 0
	}
	turned := v.Round * v.Players
	queens := max(0, paladin.QueenQuests-turned)
	coming := rounds * v.Players
	kings := coming - queens
	return (queenHonour*float64(queens) + kingHonour*float64(kings)) / float64(coming)
}

// houseDeck counts the cards of the house deck (R2).
var houseDeck = func() (n odds) {
	for c := range n {
		switch card := paladin.Card(c); {
		case card.Red():
			n[c] = 1
		case card.Value() == 0 || card.Value() == paladin.MaxValue:
			n[c] = 4
		default:
			n[c] = 3
		}
	}
	return n
}()
