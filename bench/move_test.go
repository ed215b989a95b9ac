package bench

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	tables = 64 // games that run side by side
	// round is how many presses one bot is given before it is the other's turn.
	round = 256
)

// BenchmarkConfirmedMove measures a confirmed move from the press to its callback: parsed, ruled, durably committed, rendered and
// answered; beside an empty discordgo bot that commits as many bytes and answers with one word. They take turns of 256 presses in one
// run, so that a machine that is slow at the moment is slow for both. Before the echo's turn our bot says in peace what its moves made
// it say: its outbox is part of its own turn and no part of the echo's.
//
// With "short" presses the pressed message is only its id; with "whole" ones it is the panel as Discord sends it along, which discordgo
// decodes.
func BenchmarkConfirmedMove(b *testing.B) {
	for _, flight := range []int{1, 16} {
		for _, full := range []bool{false, true} {
			name := "short"
			if full {
				name = "whole"
			}
			b.Run(fmt.Sprintf("%dinflight/%s", flight, name), func(b *testing.B) { confirmedMoves(b, flight, full) })
		}
	}
}

func confirmedMoves(b *testing.B, flight int, full bool) {
	d := newLoopback(b)
	bot := startOurs(b, d)
	h := newHall(b, bot.db, tables)
	h.full = full
	ours := &timings{}
	// A warm-up, which also tells how much a move commits.
	ours.turn(b, d, bot.link, h.moves(flight))
	echo := startEcho(b, d, bot.sizes.mean())
	theirs := &timings{}
	theirs.turn(b, d, echo, h.looks(flight))
	ours, theirs = &timings{}, &timings{}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		moves := h.moves(flight)
		b.StartTimer()
		ours.turn(b, d, bot.link, moves)
		b.StopTimer()
		h.check()
		if err := bot.app.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		looks := h.looks(flight)
		b.StartTimer()
		theirs.turn(b, d, echo, looks)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(0, "B/op")
	b.ReportMetric(0, "allocs/op")
	for name, t := range map[string]*timings{"ours": ours, "echo": theirs} {
		b.ReportMetric(t.quantile(0.50), name+"-p50-µs")
		b.ReportMetric(t.quantile(0.99), name+"-p99-µs")
		b.ReportMetric(t.rate(), name+"-presses/s")
	}
	b.ReportMetric(ours.quantile(0.50)/theirs.quantile(0.50), "p50-ratio")
	b.ReportMetric(ours.quantile(0.99)/theirs.quantile(0.99), "p99-ratio")
	b.ReportMetric(ours.rate()/theirs.rate(), "throughput-ratio")
	b.ReportMetric(float64(bot.sizes.mean()), "commit-B")
}

// moves plans a turn of moves: one list for each press in flight. A table belongs to one list, since its next move can be pressed only
// when the one before is answered.
func (h *hall) moves(flight int) [][]*pressing { return h.plan(flight, h.move) }

// looks plans a turn of presses that are like moves to whoever does not know the game.
func (h *hall) looks(flight int) [][]*pressing { return h.plan(flight, h.look) }

func (h *hall) plan(flight int, one func(slot int) *pressing) [][]*pressing {
	lists := make([][]*pressing, flight)
	for n := range round {
		slot := n % len(h.tables)
		lists[slot%flight] = append(lists[slot%flight], one(slot))
	}
	return lists
}

// timings are what the turns of one bot took.
type timings struct {
	took    []time.Duration // each press
	presses int
	busy    time.Duration // all turns
}

// turn sends each list of presses, one press after the other and the lists side by side.
func (t *timings) turn(b *testing.B, d *loopback, l *link, lists [][]*pressing) {
	b.Helper()
	took := make([][]time.Duration, len(lists))
	var wg sync.WaitGroup
	began := time.Now()
	for n, list := range lists {
		took[n] = make([]time.Duration, 0, len(list))
		wg.Go(func() {
			done := make(chan time.Time, 1)
			for _, p := range list {
				one, err := d.press(l, p, done)
				if err != nil {
					b.Error(err)
					return
				}
				took[n] = append(took[n], one)
			}
		})
	}
	wg.Wait()
	t.busy += time.Since(began)
	for _, one := range took {
		t.presses += len(one)
		t.took = append(t.took, one...)
	}
	if b.Failed() {
		b.FailNow()
	}
}

// quantile is in microseconds.
func (t *timings) quantile(q float64) float64 {
	slices.Sort(t.took)
	return float64(t.took[int(q*float64(len(t.took)-1))].Nanoseconds()) / 1e3
}

func (t *timings) rate() float64 { return float64(t.presses) / t.busy.Seconds() }
