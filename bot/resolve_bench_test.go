package bot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/table"
)

// BenchmarkResolveCalls plays whole games and reports the REST requests that count against the bot's 50 a second in their resolve phases:
// from the placement that begins one until the next round, or the end, is said. It plays each game twice with the same deal and placements:
// once everybody decides when asked, once every placed card has a standing order, given a while before. Decisions are a simulated minute
// apart, as in BenchmarkCountedCalls.
func BenchmarkResolveCalls(b *testing.B) {
	for _, seats := range []int{3, 4, 5} {
		b.Run(fmt.Sprint(seats, "seats"), func(b *testing.B) {
			var calls [2]int
			for game := range b.N {
				for i, ordered := range []bool{false, true} {
					calls[i] += resolveCalls(b, seats, uint64(game), ordered)
				}
			}
			b.ReportMetric(float64(calls[0])/float64(b.N), "asked-calls/game")
			b.ReportMetric(float64(calls[1])/float64(b.N), "ordered-calls/game")
			b.ReportMetric(float64(calls[1])/float64(calls[0]), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// resolveCalls plays a game in which everybody beats where they can and else takes back.
func resolveCalls(b *testing.B, seats int, game uint64, ordered bool) int {
	b.Helper()
	w := newWorld(b)
	defer w.stop()
	rng := rand.New(rand.NewPCG(uint64(seats), game))
	w.openGame(seats, 0)
	calls := 0
	for w.table().Stage() == table.Playing {
		w.pass(time.Minute)
		if w.table().Public().Game.Phase == paladin.PhaseResolve {
			b.Fatal("a resolve phase goes on by itself")
		}
		last := lastPlacement(w.table())
		if last && ordered {
			w.orderAll(w.users[:seats], "beat-take")
		}
		before := w.discord.Counted()
		round := w.table().Public().Game.Round
		w.playOn(rng)
		for w.table().Stage() == table.Playing && w.table().Public().Game.Phase == paladin.PhaseResolve {
			w.pass(time.Minute)
			w.decideWell()
		}
		if at := w.table(); at.Stage() != table.Playing || at.Public().Game.Round != round {
			w.pass(time.Minute)
			calls += w.discord.Counted() - before
		}
	}
	return calls
}

// lastPlacement reports whether the next placement is the last of its round.
func lastPlacement(at *table.Table) bool {
	game := at.Public().Game
	placed := 0
	for _, q := range game.Row {
		placed += len(q.Cards)
	}
	return game.Phase == paladin.PhasePlace && placed == game.Players*game.Players-1
}

// decideWell beats where that is possible, and else takes back.
func (w *world) decideWell() {
	w.t.Helper()
	who, _ := w.table().AwaitedPerson()
	act := "take"
	if w.private(string(who.ID)).View.BeatWins {
		act = "beat"
	}
	w.decide(act)
}
