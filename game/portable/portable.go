// Package portable has those functions of package math whose last bits differ between kinds of processors, made so that they
// do not: what squires decide and how people are rated must be the same wherever it is worked out.
//
// Package math has versions of its own for some processors. And where Go may compute x*y + z it may do so in one step, which
// rounds once instead of twice, and on some processors it does. An explicit conversion, float64(x*y) + z, forbids that: whoever
// needs results that are the same everywhere writes one around every product that is added to something. (Square roots and
// the functions that take numbers apart, such as [math.Frexp], are exact everywhere.)
package portable

import "math"

// ln 2 in two parts. The first has so few digits that its products with exponents of numbers are exact.
const (
	ln2     = 0x1.62e42fefap-1
	ln2Rest = math.Ln2 - ln2
)

// The factors of the sums below, as many as make a difference: 1/n! and 1/(2n+1).
var (
	overFactorials = func() (list [14]float64) {
		list[0] = 1
		for n := 1; n < len(list); n++ {
			list[n] = list[n-1] / float64(n)
		}
		return list
	}()
	overOdd = func() (list [12]float64) {
		for n := range list {
			list[n] = 1 / float64(2*n+1)
		}
		return list
	}()
)

// series is factors[0] + factors[1] x + factors[2] x^2 + ...
func series(factors []float64, x float64) (sum float64) {
	for n := len(factors) - 1; n >= 0; n-- {
		sum = float64(sum*x) + factors[n]
	}
	return sum
}

// Exp is e to the power of x, to within one unit of the last place but where it is less than the smallest normal number. It is
// +Inf where that is too great for a float64, 0 where it is too small, and not a number for what is none.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -750:
		return 0
	}
	// e^x = 2^k e^r, with r within half of ln 2 around 0.
	k := math.Floor(float64(x/math.Ln2) + 0.5)
	r := x - float64(k*ln2) - float64(k*ln2Rest)
	return math.Ldexp(series(overFactorials[:], r), int(k))
}

// Log is the natural logarithm of x, to within two units of the last place. It is -Inf for 0 and not a number for what is less
// or is none.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// ln x = k ln 2 + ln f, with f around 1, and ln f = 2 (s + s^3/3 + s^5/5 + ...).
	f, k := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, k = 2*f, k-1
	}
	s := (f - 1) / (f + 1)
	rest := float64(2 * s * series(overOdd[:], s*s))
	return float64(float64(k)*ln2) + (float64(float64(k)*ln2Rest) + rest)
}
