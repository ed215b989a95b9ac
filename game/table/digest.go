package table

import (
	"bytes"
	"crypto/sha256"
)

// A stored table carries a digest of itself in the case of the letters of its two seeds, as
// addresses do by EIP-55: letter by letter a bit of the SHA-256 of the text in which all of them
// are small; 1 is a capital. Most of a table does not follow from anything else (the squires' seed,
// orders, votes, who sits where), so that nothing but a digest tells that it was changed.
//
// It has this form because older programs read what this one stores: they refuse fields that they
// do not know, and to all of them small and capital letters of a seed are one number. Seeds without
// any capital are those of a table that an older program stored. Two random seeds have 48 letters
// on average, and hardly ever fewer than 20.

// seedKeys are what stands in the text before the digits of the seeds.
var seedKeys = [][]byte{[]byte(`"seed":"`), []byte(`"squire_seed":"`)}

// withDigest returns the text of a table with its digest. Whatever case its seeds had before does
// not matter.
func withDigest(text []byte) []byte {
	out := bytes.Clone(text)
	var letters [][]byte // of one byte each, within out
	for _, key := range seedKeys {
		at := bytes.Index(out, key)
		if at < 0 {
			continue
		}
		digits := out[at+len(key):]
		for i := range min(len(digits), 64) {
			if lower := digits[i] | 0x20; lower >= 'a' && lower <= 'f' {
				digits[i] = lower
				letters = append(letters, digits[i:i+1])
			}
		}
	}
	sum := sha256.Sum256(out)
	for i, letter := range letters {
		if sum[i/8%len(sum)]>>(i%8)&1 == 1 {
			letter[0] &^= 0x20
		}
	}
	return out
}

// digestRight reports whether the text of a table is the one that its digest was made of, if it has
// one.
func digestRight(text []byte) bool {
	for _, key := range seedKeys {
		if at := bytes.Index(text, key); at >= 0 {
			digits := text[at+len(key):]
			digits = digits[:min(len(digits), 64)]
			if !bytes.Equal(digits, bytes.ToLower(digits)) {
				return bytes.Equal(text, withDigest(text))
			}
		}
	}
	return true
}
