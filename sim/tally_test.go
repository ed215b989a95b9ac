package sim

import (
	"math"
	"testing"
)

// TestStudent compares with the printed tables of the 97.5 % point.
func TestStudent(t *testing.T) {
	table := map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980, 1000000: 1.960}
	for freedom, want := range table {
		if got := student(freedom); math.Abs(got-want) > want/500 {
			t.Errorf("student(%d) = %.4f, want %.3f", freedom, got, want)
		}
	}
}

func TestNameAt(t *testing.T) {
	for players := 3; players <= 5; players++ {
		for g := range 20 {
			for name := range players {
				seat := (name + g) % players
				if got := nameAt(seat, g, players); got != name {
					t.Errorf("%d players, game %d: seat %d is name %d, want %d", players, g, seat, got, name)
				}
			}
		}
	}
}

func TestInterval(t *testing.T) {
	// play makes the tally of deals of that many games each in which the name has won so many.
	play := func(wins, games []int) (t total) {
		t.names = make([]tally, 1)
		for i := range wins {
			d := &dealt{records: make([][]byte, games[i])}
			d.wins[0] = wholeWin * wins[i]
			t.add(d)
		}
		return t
	}
	tests := []struct {
		name        string
		wins, games []int
		low, high   float64
	}{
		{"one deal says nothing", []int{2}, []int{3}, 0, 1},
		{"shares 1/3 and 2/3: 0.5 ± 12.706 · 1/6, clamped", []int{1, 2}, []int{3, 3}, 0, 1},
		// Shares 0, 1/4, 1/4, 1/2: mean 1/4, deviation sqrt(1/24), standard error sqrt(1/96), times 3.182.
		{"four deals", []int{0, 1, 1, 2}, []int{4, 4, 4, 4}, 0, 0.25 + 3.1824/math.Sqrt(96)},
		{"all deals alike", []int{1, 1, 1}, []int{3, 3, 3}, 1.0 / 3, 1.0 / 3},
		{"all won", []int{3, 3, 3}, []int{3, 3, 3}, math.Cbrt(0.025), 1},
		{"none won", []int{0, 0, 0}, []int{3, 3, 3}, 0, 1 - math.Cbrt(0.025)},
		// Games 4, 4, 2 and wins 1, 1, 2: share 0.4, residues -0.6, -0.6, 1.2, so sqrt(2.16 · 3/2) / 10 times 4.303.
		{"a last deal cut short", []int{1, 1, 2}, []int{4, 4, 2}, 0, 1},
		{"many deals", repeat([]int{1, 2}, 200), repeat([]int{3, 3}, 200), 0.5 - 1.9659/6/math.Sqrt(399), 0.5 + 1.9659/6/math.Sqrt(399)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sum := play(test.wins, test.games)
			all := 0
			for _, n := range test.games {
				all += n
			}
			got := sum.names[0].interval(sum.deals, all, sum.gamesSquared)
			if math.Abs(got[0]-test.low) > 1e-3 || math.Abs(got[1]-test.high) > 1e-3 {
				t.Errorf("interval %v, want %v to %v", got, test.low, test.high)
			}
		})
	}
}

func repeat(list []int, times int) (out []int) {
	for range times {
		out = append(out, list...)
	}
	return out
}
