package bot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"paladin/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func in(generation uint64, lane, table, key string) store.Intent {
	return store.Intent{Generation: generation, Channel: lane, Table: table, Key: key}
}

func keys(intents []store.Intent) []string {
	out := []string{}
	for _, in := range intents {
		out = append(out, fmt.Sprintf("%s/%s@%d", in.Table, in.Key, in.Generation))
	}
	return out
}

func expect(t *testing.T, got []store.Intent, want ...string) {
	t.Helper()
	if !slices.Equal(keys(got), want) {
		t.Fatalf("sends %v, want %v", keys(got), want)
	}
}

func TestOutboxTenRefreshesAreOneEdit(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board")})
	expect(t, o.next(noon), "t/board@1")
	for g := uint64(2); g <= 10; g++ {
		o.add([]store.Intent{in(g, "c", "t", "board")})
	}
	expect(t, o.next(noon)) // the first is still under way
	o.sent(in(1, "c", "t", "board"))
	expect(t, o.next(noon), "t/board@10")
	o.sent(in(10, "c", "t", "board"))
	if o.pending(noon) != 0 || len(o.lanes) != 0 || len(o.places) != 0 {
		t.Errorf("an empty outbox keeps something: %d lanes, %d places", len(o.lanes), len(o.places))
	}
}

func TestOutboxLanesDoNotWaitForEachOther(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board"), in(2, "c", "t", "invite"), in(3, "user/7", "t", "dm/1")})
	expect(t, o.next(noon), "t/board@1", "t/dm/1@3")
	o.sent(in(3, "user/7", "t", "dm/1"))
	expect(t, o.next(noon))
	o.sent(in(1, "c", "t", "board"))
	expect(t, o.next(noon), "t/invite@2")
}

func TestOutboxFailureWaitsAndKeepsTheOrder(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board"), in(2, "c", "t", "invite")})
	first := o.next(noon)
	o.failed(first[0], noon.Add(time.Minute))
	expect(t, o.next(noon.Add(59*time.Second)))
	if at, any := o.wake(); !any || !at.Equal(noon.Add(time.Minute)) {
		t.Fatalf("wakes at %v, %v", at, any)
	}
	if o.tries("c") != 1 {
		t.Errorf("%d failures", o.tries("c"))
	}
	expect(t, o.next(noon.Add(time.Minute)), "t/board@1")
	// A newer refresh came while it failed again: the old one is not repeated, the newer one takes its own place in the order.
	o.add([]store.Intent{in(3, "c", "t", "board")})
	o.failed(first[0], noon.Add(2*time.Minute))
	expect(t, o.next(noon.Add(2*time.Minute)), "t/invite@2")
	o.sent(in(2, "c", "t", "invite"))
	expect(t, o.next(noon.Add(2*time.Minute)), "t/board@3")
}

// A channel that refuses us is not tried again at every move.
func TestOutboxNewIntentKeepsTheBackOff(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board")})
	o.failed(o.next(noon)[0], noon.Add(10*time.Minute))
	o.add([]store.Intent{in(2, "c", "t", "board")})
	expect(t, o.next(noon.Add(9*time.Minute)))
	if o.tries("c") != 1 {
		t.Errorf("%d failures are remembered", o.tries("c"))
	}
	expect(t, o.next(noon.Add(10*time.Minute)), "t/board@2")
}

func TestOutboxHoldsALaneWhileAnAnswerShowsItsBoard(t *testing.T) {
	o := newOutbox()
	o.hold("c")
	o.add([]store.Intent{in(1, "c", "t", "board")})
	expect(t, o.next(noon))
	if o.contended("c") {
		t.Fatal("nothing else was under way")
	}
	o.settled(in(1, "c", "t", "board"))
	o.release("c")
	expect(t, o.next(noon))

	// Two answers overlap: nobody knows which of them Discord shows, so the refresh stays.
	o.hold("c")
	o.hold("c")
	o.add([]store.Intent{in(2, "c", "t", "board")})
	if !o.contended("c") {
		t.Fatal("two answers at once")
	}
	o.release("c")
	o.release("c")
	expect(t, o.next(noon), "t/board@2")

	// An answer that begins while an edit is under way overlaps, too.
	o.hold("c")
	if !o.contended("c") {
		t.Fatal("an edit was under way")
	}
	o.release("c")
	o.sent(in(2, "c", "t", "board"))
	// A settlement of an older refresh leaves the newer one.
	o.add([]store.Intent{in(5, "c", "t", "board")})
	o.settled(in(4, "c", "t", "board"))
	expect(t, o.next(noon), "t/board@5")
}

// TestOutboxModel: whatever happens, the newest intent of each table and key goes out last and exactly the unsettled ones remain.
func TestOutboxModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOutbox()
		now, generation := noon, uint64(0)
		newest := map[string]uint64{} // committed and not yet sent, by key
		flying := map[string]uint64{} // by lane
		onWay := map[string]store.Intent{}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				generation++
				n := rapid.IntRange(0, 5).Draw(t, "n")
				next := in(generation, fmt.Sprint("lane", n%3), fmt.Sprint("t", n), "board")
				o.add([]store.Intent{next})
				newest[next.Table] = generation
			case 2:
				for _, i := range o.next(now) {
					if flying[i.Channel] != 0 {
						t.Fatalf("two of lane %s under way", i.Channel)
					}
					if newest[i.Table] != i.Generation {
						t.Fatalf("sends %d of %s, newest is %d", i.Generation, i.Table, newest[i.Table])
					}
					flying[i.Channel] = i.Generation
					onWay[i.Channel] = i
				}
			case 3:
				for lane, i := range onWay {
					o.sent(i)
					if newest[i.Table] == i.Generation {
						delete(newest, i.Table)
					}
					delete(onWay, lane)
					delete(flying, lane)
				}
			case 4:
				for lane, i := range onWay {
					o.failed(i, now.Add(time.Second))
					delete(onWay, lane)
					delete(flying, lane)
				}
				now = now.Add(time.Second)
			}
		}
		for range 200 {
			for _, i := range onWay {
				o.sent(i)
				if newest[i.Table] == i.Generation {
					delete(newest, i.Table)
				}
			}
			clear(onWay)
			now = now.Add(time.Second)
			for _, i := range o.next(now) {
				onWay[i.Channel] = i
			}
		}
		if len(newest) != 0 || len(o.lanes) != 0 {
			t.Fatalf("left unsent: %v; lanes %d", newest, len(o.lanes))
		}
	})
}

// A refresh that came up while an older one waited for its turn goes in its place: the board says now all that both would.
func TestOutboxARefreshGoesInTheTurnOfAnOlderOne(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board"), in(2, "c", "t", "invite"), in(3, "c", "u", "board")})
	expect(t, o.next(noon), "t/board@1")
	if got := o.latest(in(1, "c", "t", "board")); got.Generation != 1 {
		t.Errorf("nothing newer waits, but %d goes", got.Generation)
	}
	o.add([]store.Intent{in(4, "c", "t", "board")})
	expect(t, []store.Intent{o.latest(in(1, "c", "t", "board"))}, "t/board@4")
	o.failed(in(4, "c", "t", "board"), noon) // it is tried again, after what came before it
	expect(t, o.next(noon), "t/invite@2")
	expect(t, []store.Intent{o.latest(in(2, "c", "t", "invite"))}, "t/invite@2")
	o.sent(in(2, "c", "t", "invite"))
	expect(t, o.next(noon), "u/board@3")
	o.sent(in(3, "c", "u", "board"))
	expect(t, o.next(noon), "t/board@4")

	later := in(5, "c", "t", "board")
	later.NotBefore = noon.Add(time.Minute)
	o.add([]store.Intent{later})
	if got := o.latest(in(4, "c", "t", "board")); got.Generation != 4 {
		t.Error("a refresh goes before its time")
	}
	o.sent(in(4, "c", "t", "board"))
	expect(t, o.next(noon))
	expect(t, o.next(noon.Add(time.Minute)), "t/board@5")
	o.sent(later)
	if len(o.lanes) != 0 || len(o.places) != 0 {
		t.Errorf("an empty outbox keeps something: %d lanes, %d places", len(o.lanes), len(o.places))
	}
}

// TestOutboxLaysAsideWhatCannotBeMade: it holds up nothing, is tried again twice and then rests,
// until something newer takes its place.
func TestOutboxLaysAsideWhatCannotBeMade(t *testing.T) {
	o := newOutbox()
	o.add([]store.Intent{in(1, "c", "t", "board"), in(2, "c", "t", "dm")})
	expect(t, o.next(noon), "t/board@1")
	at := o.lay(in(1, "c", "t", "board"), noon)
	expect(t, o.next(noon), "t/dm@2") // the lane goes on
	o.sent(in(2, "c", "t", "dm"))
	o.adopt([]store.Intent{in(1, "c", "t", "board")}) // it is known
	expect(t, o.next(at.Add(-1)))
	if wake, any := o.wake(); !any || !wake.Equal(at) {
		t.Errorf("it wakes at %v, not at %v", wake, at)
	}
	expect(t, o.next(at), "t/board@1")
	at = o.lay(in(1, "c", "t", "board"), at)
	expect(t, o.next(at), "t/board@1")
	if again := o.lay(in(1, "c", "t", "board"), at); !again.IsZero() {
		t.Errorf("a third failure is tried again at %v", again)
	}
	expect(t, o.next(at.Add(1000*time.Hour)))
	if _, any := o.wake(); any || o.pending(at.Add(time.Hour)) != 0 || len(o.lanes) != 0 {
		t.Error("something still waits for it")
	}

	// What is newer gets one try.
	o.add([]store.Intent{in(3, "c", "t", "board")})
	expect(t, o.next(at), "t/board@3")
	if again := o.lay(in(3, "c", "t", "board"), at); !again.IsZero() {
		t.Errorf("a newer one is tried again at %v", again)
	}
	// What was done otherwise is no longer said, nor is what was dropped.
	o.settled(in(3, "c", "t", "board"))
	if len(o.faults) != 0 {
		t.Error("a board that was shown otherwise is kept")
	}
	// One that goes out is like any other from then on.
	o.add([]store.Intent{in(4, "c", "t", "board")})
	expect(t, o.next(at), "t/board@4")
	at = o.lay(in(4, "c", "t", "board"), at)
	expect(t, o.next(at), "t/board@4")
	o.sent(in(4, "c", "t", "board"))
	if len(o.faults) != 0 || len(o.lanes) != 0 {
		t.Error("something is remembered of what went out")
	}
}
