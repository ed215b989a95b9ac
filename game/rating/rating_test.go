package rating

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// near fails unless got is want to the digits that are known of it.
func near(t *testing.T, what string, got, want Rating, within float64) {
	t.Helper()
	if math.Abs(got.Mu-want.Mu) > within || math.Abs(got.Sigma-want.Sigma) > within {
		t.Errorf("%s: got %v, want %v within %g", what, got, want, within)
	}
}

// newcomers are players with these ranks of whom nothing is known.
func newcomers(ranks ...int) []Player {
	players := make([]Player, len(ranks))
	for i, rank := range ranks {
		players[i] = Player{Rank: rank}
	}
	return players
}

// TestPublished holds the model against values that others have published for it. Those of two to five newcomers are the
// expected ones of openskill.js (github.com/philihp/openskill.js, src/models/__tests__/plackett-luce.test.ts), those with three
// decimals and ranks the examples of its README ("Artificial Ranking"), a tie among them.
func TestPublished(t *testing.T) {
	tests := []struct {
		name   string
		ranks  []int
		want   []Rating
		within float64
	}{
		{"one learns nothing", []int{1}, []Rating{{25, 25.0 / 3}}, 0},
		{"two", []int{1, 2}, []Rating{{27.63523138347365, 8.065506316323548}, {22.36476861652635, 8.065506316323548}}, 1e-12},
		{"three", []int{1, 2, 3}, []Rating{
			{27.868876552746237, 8.204837030780652}, {25.717219138186557, 8.057829747583874}, {21.413904309067206, 8.057829747583874},
		}, 1e-12},
		{"four", []int{1, 2, 3, 4}, []Rating{
			{27.795084971874736, 8.263160757613477}, {26.552824984374855, 8.179213704945203},
			{24.68943500312503, 8.083731307186588}, {20.96265504062538, 8.083731307186588},
		}, 1e-12},
		{"five", []int{1, 2, 3, 4, 5}, []Rating{
			{27.666666666666668, 8.290556877154474}, {26.833333333333332, 8.240145629781066}, {25.72222222222222, 8.179996679645559},
			{24.055555555555557, 8.111796013701358}, {20.72222222222222, 8.111796013701358},
		}, 1e-12},
		{"in another order", []int{4, 1, 3, 2}, []Rating{{20.963, 8.084}, {27.795, 8.263}, {24.689, 8.084}, {26.553, 8.179}}, 0.0005},
		{"a tie", Ranks([]int{37, 19, 37, 42}), []Rating{{24.689, 8.179}, {22.826, 8.179}, {24.689, 8.179}, {27.795, 8.263}}, 0.0005},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, got := range Rate(newcomers(test.ranks...)) {
				near(t, fmt.Sprintf("player %d", i), got, test.want[i], test.within)
			}
		})
	}
}

// TestPublishedSeries plays the three games with ties of openskill.js
// (src/models/__tests__/plackett-luce-series.test.ts), whose numbers its author took from yet another implementation, rank 1.02
// for Python.
func TestPublishedSeries(t *testing.T) {
	ratings := make([]Rating, 5)
	for _, game := range []struct{ who, scores []int }{
		{[]int{0, 1, 2, 3, 4}, []int{9, 7, 7, 5, 5}},
		{[]int{4, 2, 1}, []int{9, 5, 5}},
		{[]int{3, 1, 2, 0}, []int{9, 9, 7, 7}},
	} {
		ranks := Ranks(game.scores)
		players := make([]Player, len(game.who))
		for i, who := range game.who {
			players[i] = Player{Rating: ratings[who], Rank: ranks[i]}
		}
		for i, after := range Rate(players) {
			ratings[game.who[i]] = after
		}
	}
	want := []Rating{
		{26.353761103, 8.11102706}, {24.618479789, 7.90533551}, {23.065819512, 7.822005595}, {24.476332403, 8.106111471}, {26.385499685, 8.054090809},
	}
	for i := range want {
		near(t, fmt.Sprintf("player %d", i), ratings[i], want[i], 1e-8)
	}
}

func TestOrdinal(t *testing.T) {
	for _, test := range []struct {
		rating Rating
		want   float64
	}{
		{Rating{}, 0}, {New(), 0},
		{Rating{Mu: 43.07, Sigma: 2.42}, 35.81}, // from the README of openskill.js
		{Rating{Mu: math.NaN(), Sigma: 1}, 0},
	} {
		if got := test.rating.Ordinal(); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: ordinal %v, want %v", test.rating, got, test.want)
		}
	}
}

func TestValid(t *testing.T) {
	for _, r := range []Rating{New(), {Mu: -Limit, Sigma: Limit}, {Mu: 0, Sigma: math.SmallestNonzeroFloat64}} {
		if !r.Valid() {
			t.Errorf("%v should be valid", r)
		}
	}
	for _, r := range []Rating{
		{}, {Mu: 1, Sigma: -1}, {Mu: 2 * Limit, Sigma: 1}, {Mu: 1, Sigma: 2 * Limit},
		{Mu: math.NaN(), Sigma: 1}, {Mu: 1, Sigma: math.NaN()}, {Mu: math.Inf(1), Sigma: 1}, {Mu: 1, Sigma: math.Inf(1)},
	} {
		if r.Valid() {
			t.Errorf("%v should not be valid", r)
		}
	}
}

func TestRanks(t *testing.T) {
	for _, test := range []struct{ scores, want []int }{
		{nil, []int{}}, {[]int{3}, []int{1}}, {[]int{5, 9, 5, 7}, []int{3, 1, 3, 2}}, {[]int{0, 0, 0}, []int{1, 1, 1}}, {[]int{4, 4, 1}, []int{1, 1, 3}},
	} {
		if diff := cmp.Diff(test.want, Ranks(test.scores)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.scores, diff)
		}
	}
}

// drawRating draws what people's ratings look like, and what they never do.
func drawRating(t *rapid.T) Rating {
	if rapid.IntRange(0, 4).Draw(t, "extreme") == 0 {
		return Rating{
			Mu:    rapid.SampledFrom([]float64{-Limit, 0, Limit, 1e-300}).Draw(t, "mu"),
			Sigma: rapid.SampledFrom([]float64{math.SmallestNonzeroFloat64, 1e-9, 1, Limit}).Draw(t, "sigma"),
		}
	}
	return Rating{Mu: rapid.Float64Range(-20, 60).Draw(t, "mu"), Sigma: rapid.Float64Range(0.5, 10).Draw(t, "sigma")}
}

func drawPlayers(t *rapid.T, least int) []Player {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Player {
		return Player{Rating: drawRating(t), Rank: rapid.IntRange(-3, 3).Draw(t, "rank")}
	}), least, 6).Draw(t, "players")
}

// TestProperties: whatever was played, ratings stay ratings, nobody becomes less certain, and a sole winner does not fall nor a sole
// last one rise.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := drawPlayers(t, 1)
		given := slices.Clone(players)
		after := Rate(players)
		if diff := cmp.Diff(given, players); diff != "" {
			t.Fatalf("the players were changed:\n%s", diff)
		}
		for i, r := range after {
			before, better, worse := players[i].Rating, 0, 0
			for j, other := range players {
				if j != i && other.Rank <= players[i].Rank {
					better++
				}
				if j != i && other.Rank >= players[i].Rank {
					worse++
				}
			}
			switch {
			case !r.Valid():
				t.Fatalf("player %d went from %v to %v", i, before, r)
			case r.Sigma > before.Sigma:
				t.Fatalf("player %d became less certain: %v to %v", i, before, r)
			case better == 0 && r.Mu < before.Mu:
				t.Fatalf("the winner %d fell from %v to %v", i, before, r)
			case worse == 0 && r.Mu > before.Mu:
				t.Fatalf("the last one %d rose from %v to %v", i, before, r)
			}
		}
	})
}

// TestWinnerRises: among ratings as people have them a win always counts, and teaches something about everybody.
func TestWinnerRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Player {
			return Player{Rank: 2, Rating: Rating{Mu: rapid.Float64Range(0, 50).Draw(t, "mu"), Sigma: rapid.Float64Range(1, 9).Draw(t, "sigma")}}
		}), 2, 6).Draw(t, "players")
		players[0].Rank = 1
		after := Rate(players)
		if after[0].Mu <= players[0].Rating.Mu || after[0].Sigma >= players[0].Rating.Sigma {
			t.Fatalf("the winner went from %v to %v", players[0].Rating, after[0])
		}
		for i, r := range after {
			if r.Sigma >= players[i].Rating.Sigma {
				t.Fatalf("nothing was learned of %d: %v to %v", i, players[i].Rating, r)
			}
		}
	})
}

// TestOrderOfNaming: who is named first changes nothing, to the last bit, and only the order of the ranks counts.
func TestOrderOfNaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := drawPlayers(t, 2)
		if rapid.Bool().Draw(t, "alike") { // all but for their means
			for i := range players {
				players[i].Rank, players[i].Rating.Sigma = 1, Sigma
			}
		}
		want := Rate(players)
		at := rapid.Permutation(indexes(len(players))).Draw(t, "order")
		shuffled := make([]Player, len(players))
		for i, from := range at {
			shuffled[i] = players[from]
			shuffled[i].Rank = 10*players[from].Rank + 7
		}
		for i, got := range Rate(shuffled) {
			if got != want[at[i]] {
				t.Fatalf("player %d is rated %v, and %v when named in the order %v", at[i], want[at[i]], got, at)
			}
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestTies: equals who tie stay equal, and if all tie who were equal, nobody's mean moves.
func TestTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := drawPlayers(t, 2)
		players[1] = players[0]
		if after := Rate(players); after[0] != after[1] {
			t.Fatalf("equals who tied became %v and %v", after[0], after[1])
		}
		same := Rating{Mu: rapid.Float64Range(-20, 60).Draw(t, "mu"), Sigma: rapid.Float64Range(0.5, 10).Draw(t, "sigma")}
		all := slices.Repeat([]Player{{Rating: same}}, rapid.IntRange(2, 6).Draw(t, "n"))
		for _, r := range Rate(all) {
			if math.Abs(r.Mu-same.Mu) > 1e-9 {
				t.Fatalf("%d equals tied and went from %v to %v", len(all), same, r)
			}
		}
	})
}

// TestCombine: one seat is rated as it is, and several add up in whatever order.
func TestCombine(t *testing.T) {
	players := []Player{{Rank: 1}, {Rank: 2}, {Rank: 3}}
	after := Rate(players)
	near(t, "one seat", Combine(Rating{}, after[1]), after[1], 1e-12)
	near(t, "no seat", Combine(Rating{}), New(), 0)
	both := Combine(Rating{}, after[0], after[2])
	if want := after[0].Mu + after[2].Mu - Mu; math.Abs(both.Mu-want) > 1e-12 {
		t.Errorf("two seats: mean %v, want %v", both.Mu, want)
	}
	lost := func(r Rating) float64 { return Sigma*Sigma - r.Sigma*r.Sigma }
	if math.Abs(lost(both)-lost(after[0])-lost(after[2])) > 1e-9 {
		t.Errorf("two seats: deviation %v from %v and %v", both.Sigma, after[0].Sigma, after[2].Sigma)
	}
	if got := Combine(Rating{}, after[2], after[0]); got != both {
		t.Errorf("in another order two seats are rated %v and not %v", got, both)
	}
	// Of seats that say more than can be known together: the variance shrinks to a ten-thousandth and no further.
	sure := Rating{Mu: Mu, Sigma: Sigma / 10}
	near(t, "sure seats", Combine(New(), sure, sure), Rating{Mu: Mu, Sigma: Sigma / 100}, 1e-12)
	least := Rating{Mu: Mu, Sigma: math.SmallestNonzeroFloat64}
	if got := Combine(Rating{Mu: Mu, Sigma: 2 * least.Sigma}, least, least); got != least {
		t.Errorf("the surest are rated %v, want %v", got, least)
	}
	given := []Rating{after[0], after[2], after[1]}
	if Combine(Rating{}, given...); !slices.Equal(given, []Rating{after[0], after[2], after[1]}) {
		t.Errorf("what was given became %v", given)
	}
	rapid.Check(t, func(t *rapid.T) {
		players := drawPlayers(t, 1)
		prior := players[0].Rating
		for i := range players {
			players[i].Rating = prior
		}
		got := Combine(prior, Rate(players)...)
		if !got.Valid() || got.Sigma > prior.Sigma {
			t.Fatalf("%v at %d seats became %v", prior, len(players), got)
		}
	})
}
