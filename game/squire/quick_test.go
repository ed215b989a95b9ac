package squire

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"paladin/game/paladin"
	"paladin/game/squire/core"

	"pgregory.net/rapid"
)

// quickMove is what the fast rules of thumb choose where the readable ones would with the same random numbers, and whether
// that is more than a matter of rounding: the two add up in different orders, and what is worth nothing to the one may be
// worth the last bit of a number to the other.
func quickMove(v *paladin.View, random *rand.Rand) (move paladin.Move, clear bool) {
	s := remember(v).sketch()
	k := newQuick(v.Players, v.Deck(), &houseWeights)
	const rounding = 1e-5
	switch v.Phase {
	case paladin.PhaseStart:
		return s.InRules(k.choose(&s, nil)), true
	case paladin.PhaseResolve:
		beat, keep := k.weigh(&s)
		clear = beat > rounding || beat < -rounding && math.Abs(keep) > rounding
		return s.InRules(k.choose(&s, nil)), clear
	}
	if v.Phase == paladin.PhasePlace && !s.Peeked {
		if peek, ok := k.peek(&s); ok {
			return s.InRules(peek), true
		}
	}
	k.plan(&s)
	first, second := -1e9, -1e9
	for q := range k.open {
		for c := range k.hand {
			worth := k.worth[q][c] + k.w.Whim*random.Float64()
			if worth > first {
				first, second = worth, first
				move = s.InRules(core.Move{Kind: paladin.Place, A: k.hand[c], B: k.quests[q]})
			} else if worth > second {
				second = worth
			}
		}
	}
	return move, first-second > rounding
}

// TestQuickIsNormal holds the fast rules of thumb against the readable ones: the same decisions from the same views and
// random numbers.
func TestQuickIsNormal(t *testing.T) {
	decisions := 0
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			view := state.View(state.ToAct())
			seed := chance(random)
			want := chooseNormal(&view, rand.New(rand.NewChaCha8(seed)), &houseWeights)
			got, clear := quickMove(&view, rand.New(rand.NewChaCha8(seed)))
			decisions++
			if got != want && clear {
				t.Fatalf("quick chose %q, normal %q", got, want)
			}
		})
	})
	t.Logf("%d decisions", decisions)
}

// BenchmarkQuick plays whole games by the fast rules of thumb.
func BenchmarkQuick(b *testing.B) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		b.Run(strconv.Itoa(players), func(b *testing.B) {
			deck := paladin.HouseDeck()
			k := newQuick(players, deck, &houseWeights)
			r := core.NewRand(1)
			moves := 0
			b.ReportAllocs()
			for b.Loop() {
				s := dealCore(players, deck, r)
				for ; !s.Over(); moves++ {
					s.Apply(k.choose(&s, r), r)
				}
			}
			b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

// dealCore deals a game.
func dealCore(players int, deck paladin.Deck, r *core.Rand) core.State {
	var supply [core.Cards]uint8
	var quests [core.Quests]uint8
	for i, c := range deck.Paladins() {
		supply[i] = uint8(c)
	}
	for i, q := range deck.Quests() {
		quests[i] = uint8(q)
	}
	r.Shuffle(supply[:])
	r.Shuffle(quests[:paladin.QueenQuests])
	r.Shuffle(quests[paladin.QueenQuests:])
	return core.New(players, &supply, &quests, r)
}
