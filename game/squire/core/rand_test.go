package core

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRandIsTheSameEverywhere has the first numbers of a source: games that follow from a seed follow from them.
func TestRandIsTheSameEverywhere(t *testing.T) {
	r := NewRand(2004)
	var got []string
	for range 3 {
		got = append(got, fmt.Sprintf("%016x", r.Uint64()))
	}
	got = append(got, fmt.Sprint(r.Below(42), r.Below(42), r.Below(42)), fmt.Sprint(r.Float64()))
	list := []uint8{0, 1, 2, 3, 4, 5, 6, 7}
	r.Shuffle(list)
	got = append(got, fmt.Sprint(list))
	want := []string{
		"4e3b4363702f3cd4", "29913c413e3d048c", "9207b88d2077a5df", "12 19 11", "0.44116366239237426", "[7 4 2 1 5 0 3 6]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestShuffleIsUniform counts all orders of four cards.
func TestShuffleIsUniform(t *testing.T) {
	const times = 1000
	r := NewRand(1)
	counts := map[[4]uint8]int{}
	for range 24 * times {
		list := [4]uint8{1, 2, 3, 4}
		r.Shuffle(list[:])
		counts[list]++
	}
	if len(counts) != 24 {
		t.Errorf("%d orders came up, want 24", len(counts))
	}
	for order, n := range counts {
		if n < times-200 || n > times+200 {
			t.Errorf("%v came up %d times, want about %d", order, n, times)
		}
	}
}

// TestBelowIsUniform counts numbers below some bounds, and parts of Float64.
func TestBelowIsUniform(t *testing.T) {
	const times = 1000
	r := NewRand(1)
	for n := 1; n <= 6; n++ {
		var below, parts [6]int
		for range n * times {
			below[r.Below(n)]++
			parts[int(r.Float64()*float64(n))]++
		}
		for i := range n {
			for _, k := range []int{below[i], parts[i]} {
				if k < times-200 || k > times+200 {
					t.Errorf("%d of %d came up %d times, want about %d", i, n, k, times)
				}
			}
		}
	}
}
