package bot_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"paladin/game/table"
)

// BenchmarkCountedCalls plays whole games of random people and reports the REST requests that count against the bot's 50 a second: all
// but interaction callbacks, follow-ups and edits by an interaction's token. Moves are a simulated minute apart, so that most of them
// are later than an hour after the board was posted; the outbox is empty between moves; half the presses come from the DM. Removals of
// earlier direct messages, for which nobody waits, and of answered calls, where people chose to be called in the channel, are reported
// apart.
func BenchmarkCountedCalls(b *testing.B) {
	for n := range 6 {
		seats, where := 3+n%3, []string{"", "/channel"}[n/3]
		b.Run(fmt.Sprint(seats, "seats", where), func(b *testing.B) {
			var calls, removed, moves, pings, late int
			for game := range b.N {
				w := newWorld(b)
				before := w.discord.Counted()
				rng := rand.New(rand.NewPCG(uint64(seats), uint64(game)))
				opened := w.clock.Now()
				w.openLobby(seats, 0)
				if where != "" {
					w.wantMentions(seats)
				}
				w.clock.advance(10 * time.Minute)
				w.label(w.users[0], w.board(), "Start")
				for w.table().Stage() == table.Playing {
					w.clock.advance(time.Minute)
					w.playOn(rng)
					w.flush()
					moves++
					if w.clock.Now().Sub(opened) > time.Hour {
						late++
					}
				}
				calls += w.discord.Counted() - before
				for _, r := range w.discord.Requests() {
					if r.Method == http.MethodDelete && r.Counted {
						removed++
					}
				}
				for _, user := range w.users {
					pings += len(w.discord.Pings(user))
				}
				w.stop()
			}
			b.ReportMetric(float64(calls-removed)/float64(b.N), "calls/game")
			b.ReportMetric(float64(removed)/float64(b.N), "removals/game")
			b.ReportMetric(float64(moves)/float64(b.N), "moves/game")
			b.ReportMetric(float64(pings)/float64(b.N), "pings/game")
			b.ReportMetric(100*float64(late)/float64(moves), "%late")
			b.ReportMetric(0, "ns/op")
		})
	}
}
