package sim

import (
	"testing"

	"paladin/game/squire"

	"github.com/google/go-cmp/cmp"
)

func sample() Result {
	return Result{
		Players: 3, Games: 400, Seed: 7, Seconds: 1.9, MovesPerSecond: 512000, Deals: 134, Moves: 972800,
		Seats: []Entry{
			{Squire: squire.Normal, WinShare: 0.97, CI95: [2]float64{0.95, 0.99}, MeanHonour: 41.9},
			{Squire: squire.Easy, WinShare: 0.02, CI95: [2]float64{0, 0.04}, MeanHonour: 15},
			{Squire: squire.Easy, WinShare: 0.01, CI95: [2]float64{0, 0.03}, MeanHonour: 14.5},
		},
	}
}

func TestTable(t *testing.T) {
	r := sample()
	want := `400 games at 3 seats, 134 deals, seed 7

squire       wins      95 % interval  mean honour
normal     97.0 %   95.0 % to  99.0 %         41.9
easy        2.0 %    0.0 % to   4.0 %         15.0
easy        1.0 %    0.0 % to   3.0 %         14.5

972 800 moves in 1.9 s: 512 000 a second
`
	if diff := cmp.Diff(want, r.Table()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	r.Games, r.Deals, r.Seconds, r.MovesPerSecond = 1, 1, 0, 0
	want = "1 game at 3 seats, 1 deal, seed 7\n"
	if got := r.Table(); got[:len(want)] != want || got[len(got)-len("\n972 800 moves\n"):] != "\n972 800 moves\n" {
		t.Errorf("table without a clock:\n%s", got)
	}
}

func TestBar(t *testing.T) {
	tests := []struct {
		done, total, width int
		want               string
	}{
		{0, 400, 40, "[...............]    0 %  0 of 400 games"},
		{200, 400, 40, "[######.......]   50 %  200 of 400 games"},
		{399, 400, 40, "[############.]   99 %  399 of 400 games"},
		{400, 400, 40, "[#############]  100 %  400 of 400 games"},
		{500, 400, 40, "[#############]  100 %  400 of 400 games"},
		{-1, 400, 0, "  0 %  0 of 400 games"},
		{1234, 5000, 20, " 24 %  1 234 of 5 000 games"},
		{1, 1, 30, "[########]  100 %  1 of 1 game"},
		{0, 0, 10, "100 %  0 of 0 games"},
	}
	for _, test := range tests {
		got := Bar(test.done, test.total, test.width)
		if got != test.want {
			t.Errorf("Bar(%d, %d, %d) = %q, want %q", test.done, test.total, test.width, got, test.want)
		}
	}
}
