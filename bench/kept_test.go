package bench

import (
	"runtime"
	"testing"
	"time"
)

// settled is how many presses a bot is given before what it keeps is measured: more than it remembers to recognise a repetition.
const settled = 6000

// BenchmarkKept measures what a bot still holds of an interaction that is over: the heap after so many presses less the heap before,
// for each press. For our bot they are confirmed moves with all that follows from them; games that are over make room for new ones.
// The full figure takes a million (about ten minutes on a quiet machine):
//
//	go test -run=- -bench=Kept -benchtime=1000000x -timeout=2h ./bench
func BenchmarkKept(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		d := newLoopback(b)
		bot := startOurs(b, d)
		h := newHall(b, bot.db, tables)
		kept(b, func(count int) {
			for ; count > 0; count -= round {
				new(timings).turn(b, d, bot.link, h.moves(16))
			}
			if err := bot.app.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
			h.check()
		})
	})
	b.Run("echo", func(b *testing.B) {
		d := newLoopback(b)
		bot := startOurs(b, d) // for the tables that are pressed at
		h := newHall(b, bot.db, tables)
		echo := startEcho(b, d, 3000)
		kept(b, func(count int) {
			for ; count > 0; count -= round {
				new(timings).turn(b, d, echo, h.looks(16))
			}
		})
	})
}

// kept reports the growth of the heap over b.N presses, and over the second half of them alone: what is kept for good grows all the
// time, while what is filled once has stopped by then.
func kept(b *testing.B, press func(count int)) {
	press(settled)
	presses := func(count int) float64 { return float64((count + round - 1) / round * round) }
	b.ResetTimer()
	began := time.Now()
	first := heap()
	press(b.N / 2)
	half := heap()
	press(b.N - b.N/2)
	last := heap()
	b.ReportMetric(presses(b.N)/time.Since(began).Seconds(), "presses/s")
	b.ReportMetric((last-first)/(presses(b.N/2)+presses(b.N-b.N/2)), "kept-B/press")
	b.ReportMetric((last-half)/presses(b.N-b.N/2), "kept-late-B/press")
	b.ReportMetric(last/1024, "heap-KB")
	b.ReportMetric(0, "ns/op")
}

// heap is what is in use after a collection, in bytes. Three collections empty what the runtime keeps over one or two (pools,
// finalizers).
func heap() float64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
