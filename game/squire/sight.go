package squire

import "paladin/game/paladin"

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
	card  paladin.Card // if known
	odds  odds         // certain if known
}

// look boils down a view.
func look(v *paladin.View) *sight {
	s := &sight{players: v.Players, me: v.Seat, leading: v.Phase == paladin.PhaseLead, hand: v.Hand}
	deck := v.Deck()
	s.unseen, s.rest = unseen(v, deck), rest(v, deck)
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
	return s
}

// slot is what v knows of a card on a quest.
func (s *sight) slot(v *paladin.View, number int, c paladin.PublicCard) slot {
	out := slot{place: c.Place, seat: c.Seat, odds: s.unseen}
	if card, known := identify(v, number, c); known {
		out.known, out.card, out.odds = true, card, certain(card)
	}
	return out
}

// has says whether a card of that seat lies on the quest.
func (q *quest) has(seat paladin.Seat) bool {
	for i := range q.cards {
		if q.cards[i].seat == seat {
			return true
		}
	}
	return false
}

// openQuests are the quests on which the viewer has still to place, as indices of the row.
func (s *sight) openQuests() []int {
	open := make([]int, 0, paladin.MaxPlayers)
	for i := range s.row {
		if !s.row[i].mine {
			open = append(open, i)
		}
	}
	return open
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
	return knownAt(known, v.Round, number, c.Place)
}

// unseen are the odds of a card of which nothing is known: the deck without what the viewer can account for. A card that
// was peeked at and taken back since may lie on the table again, so it counts as unseen.
func unseen(v *paladin.View, deck paladin.Deck) (left odds) {
	for _, c := range deck.Paladins() {
		left[c]++
	}
	for _, c := range v.Hand {
		left[c]--
	}
	for i := range v.Row {
		for _, c := range v.Row[i].Cards {
			if card, known := identify(v, v.Row[i].Number, c); known {
				left[card]--
			}
		}
	}
	for i := range v.Seats {
		for _, k := range v.Seats[i].Kept {
			if card, shown := k.Card.Card(); shown {
				left[card]--
			}
		}
	}
	for i := range v.Public.Discards {
		if card, known := identifyDiscard(v, &v.Public.Discards[i]); known {
			left[card]--
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
	return knownAt(known, d.Round, d.Quest, d.Place)
}

// knownAt is the card that was placed there, if it is one of those known.
func knownAt(known []paladin.KnownCard, round, quest, place int) (paladin.Card, bool) {
	for i := range known {
		if k := &known[i]; k.Round == round && k.Quest == quest && k.Place == place {
			return k.Card, true
		}
	}
	return 0, false
}

// rest is the average honour of the quests that later rounds will turn up; 0 in the last round. Which of a deck's quests
// are still to come nobody knows, only how many are the Queen's and how many the King's.
func rest(v *paladin.View, deck paladin.Deck) float64 {
	return restAfter(v.Round, v.Players, deck)
}

func restAfter(round, players int, deck paladin.Deck) float64 {
	coming := (paladin.QuestCards/players - round) * players
	if coming == 0 {
		return 0
	}
	quests := deck.Quests()
	queen, king := average(quests[:paladin.QueenQuests]), average(quests[paladin.QueenQuests:])
	queens := min(coming, max(0, paladin.QueenQuests-round*players))
	return (float64(queen*float64(queens)) + float64(king*float64(coming-queens))) / float64(coming)
}

func average(list []int) float64 {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return float64(sum) / float64(len(list))
}
