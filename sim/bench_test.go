package sim

import (
	"context"
	"strconv"
	"testing"
)

// BenchmarkRun plays one deal from each seat: one normal squire among easy ones, and normal squires only.
func BenchmarkRun(b *testing.B) {
	for _, field := range []string{"easy", "normal"} {
		for players := 3; players <= 5; players++ {
			b.Run(field+"/"+strconv.Itoa(players), func(b *testing.B) {
				seats := []string{"normal", field, field, field, field}[:players]
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
