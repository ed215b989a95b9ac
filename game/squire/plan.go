package squire

import (
	"math"
	"math/bits"

	"paladin/game/paladin"
)

// A plan says where a card goes this turn.
type plan struct {
	quest int // index in the row of the sight
	card  int // index in the hand
	value float64
}

// worth is what the rules of thumb expect of each card in hand on each quest, in honour, by the turn in which it is placed,
// 0 being this one.
type worth [paladin.MaxPlayers][paladin.MaxPlayers][paladin.MaxPlayers + 1]float64

// A thumb is a sight with the weights by which it is judged.
type thumb struct {
	*sight
	w      *weights
	threat [kinds]float64 // by card: how likely an unseen card beats it
	keep   [kinds]float64 // by card: what it is worth in hand for later rounds, against a card newly drawn
}

func newThumb(s *sight, w *weights) *thumb {
	t := &thumb{sight: s, w: w}
	sums := s.unseen.sums()
	average := 0.0
	for c := range t.keep {
		card := paladin.Card(c)
		t.threat[c] = sums.beating(card)
		power := math.Pow(sums.beaten(card), w.Shape)
		if card.Red() {
			power += w.KeepRed
		}
		t.keep[c] = power
		average += s.unseen[c] * power
	}
	for c := range t.keep {
		t.keep[c] = w.Keep * s.rest * (t.keep[c] - average)
	}
	return t
}

// gain is what winning a quest with a card brings.
func (t *thumb) gain(q *quest, c paladin.Card) float64 {
	g := q.honour * (1 + t.w.Deny)
	if c.Red() {
		g++
	}
	return g
}

// holds is how likely a leading Paladin c stands against the cards that lie behind it.
func (t *thumb) holds(c paladin.Card, behind []slot) float64 {
	p := 1.0
	for i := range behind {
		if b := &behind[i]; b.known {
			sums := b.odds.sums()
			p *= 1 - t.w.Boldness*sums.beating(c)
		} else {
			p *= 1 - t.w.Boldness*t.threat[c]
		}
	}
	return p
}

// weigh fills in worth for the open quests of the viewer.
func (t *thumb) weigh(open []int) *worth {
	var w worth
	for turn := range open {
		for i, q := range open {
			t.weighQuest(&t.row[q], turn, &w[turn][i])
		}
	}
	return &w
}

// weighQuest fills in what each card in hand is worth on q, placed that many turns from now.
func (t *thumb) weighQuest(q *quest, turn int, out *[paladin.MaxPlayers + 1]float64) {
	if t.leading && turn == 0 {
		for i, c := range t.hand {
			if len(q.cards) > 0 {
				out[i] = math.Inf(-1)
				continue
			}
			hold := math.Pow(1-t.w.Boldness*t.threat[c], float64(t.players-1))
			out[i] = hold * t.gain(q, c)
		}
		return
	}
	var leader odds
	for i := range q.cards {
		if i == 0 {
			leader = q.cards[0].odds
		} else {
			leader.challenge(&q.cards[i].odds, t.w.Boldness)
		}
	}
	led := len(q.cards) > 0
	if !led {
		leader = t.unseen
	}
	// Those who have not placed here yet come before this card or behind it.
	var behind [paladin.MaxPlayers]float64
	missing := 0
	for seat := range t.players {
		if paladin.Seat(seat) == t.me || q.has(paladin.Seat(seat)) {
			continue
		}
		if !led {
			led = true // somebody leads it
			continue
		}
		before := min(1, float64(turn)/float64(max(1, t.open[seat])))
		if before > 0 {
			leader.challenge(&t.unseen, t.w.Boldness*before)
		}
		behind[missing] = 1 - before
		missing++
	}
	sums := leader.sums()
	for i, c := range t.hand {
		hold := 1.0
		for _, b := range behind[:missing] {
			hold *= 1 - b*t.w.Boldness*t.threat[c]
		}
		back := max(0, t.keep[c])
		win := sums.beaten(c)
		out[i] = win*max(hold*t.gain(q, c), back) + (1-win)*back
	}
}

func (q *quest) has(seat paladin.Seat) bool {
	for i := range q.cards {
		if q.cards[i].seat == seat {
			return true
		}
	}
	return false
}

// openQuests are the indices of the quests on which the viewer has still to place.
func (s *sight) openQuests() []int {
	var open []int
	for i := range s.row {
		if !s.row[i].mine {
			open = append(open, i)
		}
	}
	return open
}

// best plans the rest of the viewer's placings, each quest, its card and its turn, and answers with the step for this turn.
func (t *thumb) best() plan {
	open := t.openQuests()
	w := t.weigh(open)
	n, hand := len(open), len(t.hand)
	// most[quests][cards] is the most that can be had when those quests and cards are already used.
	var most [1 << paladin.MaxPlayers][1 << (paladin.MaxPlayers + 1)]float64
	var step plan
	for quests := 1<<n - 1; quests >= 0; quests-- {
		turn := bits.OnesCount(uint(quests))
		for cards := 1<<hand - 1; cards >= 0; cards-- {
			if bits.OnesCount(uint(cards)) != turn {
				continue
			}
			best := math.Inf(-1)
			if turn == n {
				best = t.left(cards)
			}
			for q := range n {
				if quests&(1<<q) != 0 {
					continue
				}
				for c := range hand {
					if cards&(1<<c) != 0 {
						continue
					}
					value := w[turn][q][c] + most[quests|1<<q][cards|1<<c]
					if value > best {
						best = value
						if quests == 0 {
							step = plan{quest: open[q], card: c, value: value}
						}
					}
				}
			}
			most[quests][cards] = best
		}
	}
	return step
}

// left is what the cards that are not placed are worth.
func (t *thumb) left(used int) float64 {
	sum := 0.0
	for i, c := range t.hand {
		if used&(1<<i) == 0 {
			sum += t.keep[c]
		}
	}
	return sum
}
