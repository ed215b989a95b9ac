package sim

import (
	"context"
	"strconv"
	"testing"
)

// BenchmarkRun plays one deal from each seat: one normal squire among easy ones, normal squires only, one knight among them.
func BenchmarkRun(b *testing.B) {
	for _, pair := range [][2]string{{"normal", "easy"}, {"normal", "normal"}, {"knight", "normal"}} {
		one, field := pair[0], pair[1]
		for players := 3; players <= 5; players++ {
			b.Run(one+" among "+field+"/"+strconv.Itoa(players), func(b *testing.B) {
				seats := []string{one, field, field, field, field}[:players]
				moves := 0
				for i := 0; b.Loop(); i++ {
					r, err := Run(context.Background(), Options{Players: players, Games: players, Seed: int64(i), Seats: seats, Workers: 1})
					if err != nil {
						b.Fatal(err)
					}
					moves += r.Moves
				}
				b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
			})
		}
	}
}
