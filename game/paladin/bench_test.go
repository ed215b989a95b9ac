package paladin

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// BenchmarkRandomGame plays whole games: legal moves, one of them by random, Apply.
func BenchmarkRandomGame(b *testing.B) {
	for players := MinPlayers; players <= MaxPlayers; players++ {
		for _, checked := range []bool{false, true} {
			name := strconv.Itoa(players)
			if checked {
				name += "/checked"
			}
			b.Run(name, func(b *testing.B) { benchmarkGames(b, players, checked) })
		}
	}
}

func benchmarkGames(b *testing.B, players int, checked bool) {
	r := rand.New(rand.NewPCG(1, 1))
	deal := SeededDeal(HouseDeck(), numberedSeed(1), "-,-,-")
	first := newGame(b, players, deal)
	var legal []Move
	moves := 0
	b.ReportAllocs()
	for b.Loop() {
		s := first
		for !s.Over() {
			legal = s.AppendLegal(legal[:0])
			next, _, err := s.Apply(legal[r.IntN(len(legal))])
			if err != nil {
				b.Fatal(err)
			}
			if checked {
				if err := next.Check(); err != nil {
					b.Fatal(err)
				}
			}
			s = next
			moves++
		}
	}
	b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
	b.ReportMetric(float64(moves)/float64(b.N), "moves/op")
}

// BenchmarkRedeal deals anew what a seat cannot know, in the middle of a game.
func BenchmarkRedeal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newGame(b, 4, SeededDeal(HouseDeck(), numberedSeed(1), "-,-,-,-"))
	for s.Round() < 3 || s.Phase() != PhasePlace {
		legal := s.Legal()
		s, _, _ = s.Apply(legal[r.IntN(len(legal))])
	}
	v := s.View(1)
	b.ReportAllocs()
	for b.Loop() {
		v.Redeal(r.IntN)
	}
}
