package portable

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// within says whether two numbers differ by at most that many units of the last place of the second.
func within(units, a, b float64) bool {
	return a == b || math.Abs(a-b) <= units*(math.Nextafter(math.Abs(b), math.Inf(1))-math.Abs(b))
}

// The functions of package math are held to where they are right on every processor: some give up earlier than they must.
func TestExpIsExp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-700, 700).Draw(t, "x")
		if got, want := Exp(x), math.Exp(x); !within(2, got, want) {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
	})
}

func TestLogIsLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, x := range []float64{
			rapid.Float64Range(0x1p-1022, math.MaxFloat64).Draw(t, "any"), rapid.Float64Range(0.5, 2).Draw(t, "around 1"),
		} {
			if got, want := Log(x), math.Log(x); !within(3, got, want) {
				t.Fatalf("Log(%v) = %v, want %v", x, got, want)
			}
		}
	})
}

func TestEdges(t *testing.T) {
	inf, none := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name string
		f    func(float64) float64
		x    float64
		want float64
	}{
		{"Exp", Exp, 0, 1},
		{"Exp", Exp, inf, inf},
		{"Exp", Exp, -inf, 0},
		{"Exp", Exp, 709.7, 1.6549840276802644e+308},
		{"Exp", Exp, 709.79, inf},
		{"Exp", Exp, 1e300, inf},
		{"Exp", Exp, -1e300, 0},
		{"Exp", Exp, -745.2, 0},
		{"Exp", Exp, -745, math.SmallestNonzeroFloat64},
		{"Exp", Exp, none, none},
		{"Log", Log, 1, 0},
		{"Log", Log, math.SmallestNonzeroFloat64, -744.4400719213812},
		{"Log", Log, 0, -inf},
		{"Log", Log, -1, none},
		{"Log", Log, inf, inf},
		{"Log", Log, none, none},
	} {
		if got := test.f(test.x); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s(%v) = %v, want %v", test.name, test.x, got, test.want)
		}
	}
}

// TestSameBitsEverywhere has results to the last bit, for whatever processor runs it.
func TestSameBitsEverywhere(t *testing.T) {
	exp, log := uint64(0), uint64(0)
	x := 0x1p-60
	for range 4000 {
		for _, y := range []float64{x, -x} {
			exp = exp*31 + math.Float64bits(Exp(y))
		}
		log = log*31 + math.Float64bits(Log(x))
		x *= 1.0123456789
	}
	if exp != wantExp || log != wantLog {
		t.Errorf("the bits are summed up by %#x and %#x, want %#x and %#x", exp, log, uint64(wantExp), uint64(wantLog))
	}
}

const (
	wantExp = 0x5649f19baa2dc4ac
	wantLog = 0xc7753bd4a1ef590c
)

func BenchmarkExp(b *testing.B) {
	x := 0.0
	for b.Loop() {
		x = Exp(-x)
	}
}

func BenchmarkLog(b *testing.B) {
	x := 2.0
	for b.Loop() {
		x = 2 + Log(x)
	}
}
