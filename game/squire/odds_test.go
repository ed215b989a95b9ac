package squire

import (
	"math"
	"testing"

	"paladin/game/paladin"

	"pgregory.net/rapid"
)

// drawOdds draws odds that sum to 1.
func drawOdds(t *rapid.T, label string) (o odds) {
	total := 0.0
	for c := range o {
		o[c] = float64(rapid.IntRange(0, 5).Draw(t, label))
		total += o[c]
	}
	if total == 0 {
		return certain(paladin.Card(rapid.IntRange(0, kinds-1).Draw(t, label)))
	}
	for c := range o {
		o[c] /= total
	}
	return o
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestOddsFollowR13 counts out, pair by pair by the rules' own Beats, what the sums answer in one go.
func TestOddsFollowR13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOdds(t, "odds")
		s := o.sums()
		for c := range paladin.Card(kinds) {
			var beaten, beating float64
			for d := range paladin.Card(kinds) {
				if c.Beats(d) {
					beaten += o[d]
				}
				if d.Beats(c) {
					beating += o[d]
				}
			}
			if !near(s.beaten(c), beaten) {
				t.Fatalf("%v beats %v of these odds, the sums say %v", c, beaten, s.beaten(c))
			}
			if !near(s.beating(c), beating) {
				t.Fatalf("%v is beaten by %v of these odds, the sums say %v", c, beating, s.beating(c))
			}
		}
	})
}

// TestChallenge plays out every pair of leader and challenger.
func TestChallenge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leader, next := drawOdds(t, "leader"), drawOdds(t, "next")
		p := rapid.Float64Range(0, 1).Draw(t, "boldness")
		var want odds
		for l := range paladin.Card(kinds) {
			for c := range paladin.Card(kinds) {
				chance := leader[l] * next[c]
				if c.Beats(l) {
					want[c] += chance * p
					want[l] += chance * (1 - p)
				} else {
					want[l] += chance
				}
			}
		}
		got := leader
		got.challenge(&next, p)
		total := 0.0
		for c := range got {
			total += got[c]
			if !near(got[c], want[c]) {
				t.Fatalf("odds of %v: %v, want %v", paladin.Card(c), got[c], want[c])
			}
		}
		if !near(total, 1) {
			t.Fatalf("the odds sum to %v", total)
		}
	})
}
