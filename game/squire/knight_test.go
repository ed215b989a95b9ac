package squire

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire/core"

	"pgregory.net/rapid"
)

// hasty is an effort for tests.
var hasty = Effort{Rollouts: 24}

// sometimes says whether to look at a position, so that of a game only some are looked at.
func sometimes(random *rand.Rand) bool { return random.IntN(60) == 0 }

// TestKnightIsLegalAndAFunction holds decisions against the rules' list, asks twice, and looks whether the view was left alone.
func TestKnightIsLegalAndAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if !sometimes(random) {
				return
			}
			seed := chance(random)
			first, second := state.View(state.ToAct()), state.View(state.ToAct())
			move, err := hasty.Choose(&first, seed)
			if err != nil || !slices.Contains(state.Legal(), move) {
				t.Fatalf("the knight chose %q (%v), of %v", move, err, state.Legal())
			}
			for _, view := range []*paladin.View{&first, &second} {
				if again, err := hasty.Choose(view, seed); err != nil || again != move {
					t.Fatalf("the knight chose %q and then %q, %v", move, again, err)
				}
			}
		})
	})
}

func TestKnightNotToAct(t *testing.T) {
	state := deal(t, 3)
	for _, viewer := range []paladin.Seat{1, 2, paladin.NoSeat} {
		view := state.View(viewer)
		if move, err := hasty.Choose(&view, [32]byte{}); !errors.Is(err, ErrNotToAct) {
			t.Errorf("the knight chose %v, %v for seat %d, whose turn it is not", move, err, viewer)
		}
	}
}

// TestKnightStops has the knight stop at once: it plays what a normal squire could, and asks no more.
func TestKnightStops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if !sometimes(random) {
				return
			}
			view := state.View(state.ToAct())
			asked := 0
			move, err := Effort{Stop: func() bool { asked++; return true }}.Choose(&view, chance(random))
			if err != nil || !slices.Contains(state.Legal(), move) || asked > 1 {
				t.Fatalf("the knight chose %q (%v) and asked %d times", move, err, asked)
			}
			if view.Phase != paladin.PhaseResolve && view.Phase != paladin.PhaseStart {
				return
			}
			if usual := chooseNormal(&view, random, &houseWeights); move != usual {
				t.Fatalf("the knight chose %q, a normal squire %q", move, usual)
			}
		})
	})
}

// TestKnightThinksWhereItHasNoChoice looks at positions in which only one card can be placed in only one way: that must not
// show in how soon the knight answers.
func TestKnightThinksWhereItHasNoChoice(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if legal := state.Legal(); len(legal) > 1 || legal[0].Kind != paladin.Place {
				return
			}
			met++
			view := state.View(state.ToAct())
			asked := 0
			_, err := Effort{Rollouts: hasty.Rollouts, Stop: func() bool { asked++; return false }}.Choose(&view, chance(random))
			if err != nil || asked != 1+hasty.Rollouts {
				t.Fatalf("the knight tried %d deals, want %d; %v", asked-1, hasty.Rollouts, err)
			}
		})
	})
	if met == 0 {
		t.Error("no such position came up")
	}
}

// TestKeyIsWhatTheSeatKnows plays rounds to their end from deals of a belief: wherever the seat is to act with the same
// key, it sees the same and has the same legal moves.
func TestKeyIsWhatTheSeatKnows(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if !sometimes(random) {
				return
			}
			view := state.View(state.ToAct())
			b := beliefOf(&view, random.Uint64())
			x := &search{m: b.m, k: b.k, r: b.r, belief: b}
			seen := map[uint64]string{}
			for range 40 {
				b.redeal()
				s, key := b.now, uint64(1)
				for s.Rounds = s.Round; !s.Over(); {
					m := x.k.choose(&s, x.r)
					if s.ToAct == x.m.me {
						sight := fmt.Sprint(s.AppendLegal(nil), s.Hand(s.ToAct), known(&s))
						if before, again := seen[key]; again {
							met++
							if sight != before {
								t.Fatalf("the same key for\n%s\n%s", before, sight)
							}
						}
						seen[key] = sight
						if random.IntN(2) == 0 {
							m = s.Random(x.r)
						}
					}
					key = x.act(&s, m, key)
				}
			}
		})
	})
	if met == 0 {
		t.Error("no position was met twice")
	}
}

// known lists the cards on the table that the seat to act knows.
func known(s *core.State) (list []string) {
	for quest := range s.Players {
		for place := range s.OnQuest[quest] {
			c := s.Table[quest][place]
			leads := s.Phase == paladin.PhaseResolve && quest == s.Quest && place == s.Leader
			if c.Seat == s.ToAct || leads || c.Peekers>>s.ToAct&1 == 1 {
				list = append(list, fmt.Sprint(quest, place, c.Card))
			}
		}
	}
	return list
}

// beliefOf makes the belief of the seat to act.
func beliefOf(view *paladin.View, seed uint64) *belief {
	m := remember(view)
	r := core.NewRand(seed)
	return newBelief(m, newQuick(view.Players, view.Deck(), &houseWeights), r, houseModel(m.players, m.round))
}

// TestBeliefAgreesWithTheView looks at deals that a belief visits: each holds exactly the cards of the deck, and is what the
// seat sees where the seat sees something.
func TestBeliefAgreesWithTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if !sometimes(random) {
				return
			}
			view := state.View(state.ToAct())
			b := beliefOf(&view, random.Uint64())
			known := b.m.sketch()
			b.warm(3, 20)
			for range 5 {
				if message := disagrees(b, &known); message != "" {
					t.Fatalf("a deal differs from what is known: %s", message)
				}
				b.step()
			}
		})
	})
}

// disagrees says in what the present deal of a belief is not what is known.
func disagrees(b *belief, known *core.State) string {
	s, m := &b.now, b.m
	left := m.deck
	for seat := range s.Players {
		if s.HandLen[seat] != known.HandLen[seat] {
			return "the size of a hand"
		}
		for _, c := range s.Hand(seat) {
			left[c]--
		}
	}
	if !slices.Equal(s.Hand(m.me), known.Hand(m.me)) {
		return "the own hand"
	}
	for quest := range s.Players {
		for place := range s.OnQuest[quest] {
			have, p := s.Table[quest][place], m.table()[quest][place]
			if have.Seat != p.seat || have.Peekers != p.peekers || p.card != unknown && have.Card != p.card {
				return "the table"
			}
			if p.fate == paladin.FateOnTable || p.fate == paladin.FateLeading {
				left[have.Card]--
			}
		}
	}
	for c, n := range s.Kept {
		left[c] -= int8(n)
	}
	for _, d := range s.Pile[:s.PileLen] {
		left[d.Card]--
	}
	for _, c := range s.Supply[:s.SupplyLen] {
		left[c]--
	}
	switch {
	case left != [core.Kinds]int8{}:
		return "the cards of the deck"
	case s.Phase != known.Phase || s.ToAct != known.ToAct || s.Peeked != known.Peeked || s.Quest != known.Quest ||
		s.Deciding != known.Deciding || s.Phase == paladin.PhaseResolve && s.Leader != known.Leader || s.Starter != known.Starter:
		return "whose move it is"
	case s.Honour != known.Honour || s.Kept != known.Kept || s.PileLen != known.PileLen || s.OnQuest != known.OnQuest:
		return "what is public"
	}
	return ""
}

// TestBeliefLearns plays games of normal squires and compares how likely a belief takes the true hidden cards of the table
// to be with how likely they are in deals made without regard to what the others did: those that lie there while others
// place, and those that were taken back or discarded unseen.
func TestBeliefLearns(t *testing.T) {
	const samples = 60
	gained, cards := map[paladin.Fate]float64{}, map[paladin.Fate]int{}
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		state, random := deal(t, players), rand.New(rand.NewPCG(uint64(players), 0))
		for !state.Over() {
			view := state.View(state.ToAct())
			if view.Phase == paladin.PhasePlace && random.IntN(5) == 0 || view.Phase == paladin.PhaseResolve && random.IntN(2) == 0 {
				b := beliefOf(&view, random.Uint64())
				blind := tableOdds(samples, b, b.redeal)
				b.warm(16, 300)
				learnt := tableOdds(samples, b, func() {
					for range 15 {
						b.step()
					}
				})
				for _, c := range state.PlacedIn(view.Round) {
					if b.m.table()[c.Quest-1][c.Place-1].card == unknown && (c.Fate == paladin.FateOnTable) == (view.Phase == paladin.PhasePlace) {
						at := c.Quest*10 + c.Place
						gained[c.Fate] += math.Log((learnt[at][c.Card] + 1) / (blind[at][c.Card] + 1))
						cards[c.Fate]++
					}
				}
			}
			move, err := Normal.Choose(&view, chance(random))
			if err != nil {
				t.Fatal(err)
			}
			if state, _, err = state.Apply(move); err != nil {
				t.Fatal(err)
			}
		}
	}
	for fate, least := range map[paladin.Fate]float64{paladin.FateOnTable: 0.1, paladin.FateTakenBack: 0.4, paladin.FateDiscarded: 0.1} {
		if n := cards[fate]; n == 0 || gained[fate]/float64(n) < least {
			t.Errorf("%v: the true cards became likelier by a factor of %.2f, of %d cards", fate, math.Exp(gained[fate]/float64(max(1, n))), n)
		}
	}
}

// tableOdds counts, by quest and place, the cards on the table in so many deals.
func tableOdds(samples int, b *belief, next func()) map[int]*odds {
	counts := map[int]*odds{}
	for range samples {
		next()
		for quest := range b.now.Players {
			for place := range b.now.OnQuest[quest] {
				at := int(quest+1)*10 + int(place) + 1
				if counts[at] == nil {
					counts[at] = &odds{}
				}
				counts[at][b.now.Table[quest][place].Card]++
			}
		}
	}
	return counts
}

// TestKnightBeatsNormal plays one knight among normal squires, from each seat: at three seats a third of the games would be
// a fair share.
func TestKnightBeatsNormal(t *testing.T) {
	const deals, players = 10, 3
	won := 0.0
	for game := range deals * players {
		state, err := paladin.New(players, paladin.SeededDeal(paladin.HouseDeck(), paladin.Seed{2, byte(game / players)}, "-"))
		if err != nil {
			t.Fatal(err)
		}
		knight := paladin.Seat(game % players)
		for !state.Over() {
			view, seed := state.View(state.ToAct()), [32]byte{byte(game), byte(state.Moves())}
			choose := Normal.Choose
			if state.ToAct() == knight {
				choose = Effort{Rollouts: 200}.Choose
			}
			move, err := choose(&view, seed)
			if err != nil {
				t.Fatal(err)
			}
			if state, _, err = state.Apply(move); err != nil {
				t.Fatal(err)
			}
		}
		if winners := state.Winners(); slices.Contains(winners, knight) {
			won += 1 / float64(len(winners))
		}
	}
	if won < 0.45*deals*players {
		t.Errorf("the knight won %.1f of %d games", won, deals*players)
	}
}

// BenchmarkKnight decides about the positions of whole games, at the usual effort, and reports the slowest decision but for
// one in a hundred.
func BenchmarkKnight(b *testing.B) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		b.Run(strconv.Itoa(players), func(b *testing.B) {
			views := positions(b, players)
			var took []float64
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				if _, err := (Effort{}).Choose(&views[i%len(views)], [32]byte{byte(i)}); err != nil {
					b.Fatal(err)
				}
				took = append(took, float64(time.Since(began).Microseconds())/1000)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)*99/100], "p99-ms")
		})
	}
}

// BenchmarkStep moves a belief on, in the middle of a round.
func BenchmarkStep(b *testing.B) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		b.Run(strconv.Itoa(players), func(b *testing.B) {
			for _, view := range positions(b, players) {
				if view.Round == 2 && len(view.Row[0].Cards) == players-1 {
					belief := beliefOf(&view, 1)
					b.ReportAllocs()
					for b.Loop() {
						belief.step()
					}
					return
				}
			}
		})
	}
}
