package core

import "math/bits"

// A Rand is a fast source of random numbers. The same start gives the same numbers on every machine.
type Rand struct {
	state uint64

	// Reshuffle, if set, sees each new supply that is made from a discard pile, n cards, the bottom one first, and answers
	// with the supply that it shall be. (The array goes by value, so that a State need not be on the heap.)
	Reshuffle func(supply [Cards]uint8, n int) [Cards]uint8
}

// NewRand is a source whose numbers follow from seed.
func NewRand(seed uint64) *Rand { return &Rand{state: seed} }

// Uint64 is any number. The generator is Wang Yi's wyrand.
func (r *Rand) Uint64() uint64 {
	r.state += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(r.state, r.state^0xe7037ed1a0b428db)
	return hi ^ lo
}

// Below is a number from 0 to n-1. For n below 2^16 no number is likelier than another by more than one part in 2^48.
func (r *Rand) Below(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Float64 is a number from 0 up to but not including 1.
func (r *Rand) Float64() float64 { return float64(float64(r.Uint64()>>11) / (1 << 53)) }

// Shuffle puts list in a random order.
func (r *Rand) Shuffle(list []uint8) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
