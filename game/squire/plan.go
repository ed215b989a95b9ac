package squire

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"paladin/game/paladin"
)

// A step says which card goes where this turn.
type step struct {
	quest int // index in the row of the sight
	card  int // index in the hand
}

// A timetable holds, by turn (0 is this one) and quest, what each card in hand is worth there.
type timetable [paladin.MaxPlayers][paladin.MaxPlayers]worths

// timetable fills in the worths of the viewer's open quests.
//
// Rule: of steps that are worth nearly the same now one, now the other is taken, so that nobody can read the cards from
// the order of placing. So the worths of this turn are raised by up to Whim each.
func (t *thumb) timetable(open []int, random *rand.Rand) *timetable {
	var table timetable
	for turn := range open {
		for i, index := range open {
			q, out := &t.row[index], &table[turn][i]
			switch {
			case turn > 0 || !t.leading:
				t.asFollower(q, turn, out)
			case len(q.cards) == 0:
				t.asLeader(q, out)
			default:
				for c := range out {
					out[c] = math.Inf(-1) // it is led already
				}
			}
		}
	}
	for i := range open {
		for c := range t.hand {
			table[0][i][c] += float64(t.w.Whim * random.Float64())
		}
	}
	return &table
}

// place plans the rest of the viewer's placings in this round and answers with the step for this turn.
//
// Rule: every open quest gets a card and a turn such that all together, and the card that is left over, are worth most. So
// the card and the quest for which waiting gains least come first, and the great quest and its card wait until the others
// have shown where they stand.
func (t *thumb) place(random *rand.Rand) step {
	open := t.openQuests()
	table := t.timetable(open, random)
	n, hand := len(open), len(t.hand)

	// most[quests][cards] is the most that is to be had when those quests have got those cards, as sets of bits.
	var most [1 << paladin.MaxPlayers][1 << (paladin.MaxPlayers + 1)]float64
	var first step
	for quests := 1<<n - 1; quests >= 0; quests-- {
		turn := bits.OnesCount(uint(quests))
		for cards := range 1 << hand {
			switch {
			case bits.OnesCount(uint(cards)) != turn:
			case turn == n:
				most[quests][cards] = t.leftOver(cards)
			default:
				best := math.Inf(-1)
				for q := range n {
					for c := range hand {
						if quests&(1<<q) != 0 || cards&(1<<c) != 0 {
							continue
						}
						if all := table[turn][q][c] + most[quests|1<<q][cards|1<<c]; all > best {
							best = all
							if turn == 0 {
								first = step{quest: open[q], card: c}
							}
						}
					}
				}
				most[quests][cards] = best
			}
		}
	}
	return first
}

// leftOver is what the cards are worth that are not placed.
func (t *thumb) leftOver(placed int) float64 {
	sum := 0.0
	for i, c := range t.hand {
		if placed&(1<<i) == 0 {
			sum += t.keep[c]
		}
	}
	return sum
}
