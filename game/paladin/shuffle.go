package paladin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// A Seed is the 32 random bytes from which all shuffles of a game follow (R20). It stays secret until the game is over.
type Seed [32]byte

// ParseSeed reads 64 hexadecimal digits. Small and capital letters are the same number.
func ParseSeed(text string) (Seed, error) {
	var s Seed
	if err := parseHex32(text, (*[32]byte)(&s)); err != nil {
		return Seed{}, err
	}
	return s, nil
}

func parseHex32(text string, out *[32]byte) error {
	if len(text) != hex.EncodedLen(len(out)) {
		return fmt.Errorf("%s is not 64 hexadecimal digits", quote(text))
	}
	if _, err := hex.Decode(out[:], []byte(text)); err != nil {
		return fmt.Errorf("%s is not 64 hexadecimal digits", quote(text))
	}
	return nil
}

// String is the seed as 64 lower-case hexadecimal digits.
func (s Seed) String() string { return hex.EncodeToString(s[:]) }

// Commitment is hex(SHA-256(seed)), published before anybody joins (R20).
func (s Seed) Commitment() string {
	sum := sha256.Sum256(s[:])
	return hex.EncodeToString(sum[:])
}

// Salt joins the public entropy of the seats, in seat order, and the id that started the game (R20). An empty part is a
// computer player's "-"; start is empty in simulations, and then left out.
func Salt(parts []string, start string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		if part == "" {
			part = "-"
		}
		b.WriteString(part)
	}
	if start != "" {
		b.WriteString("," + start)
	}
	return b.String()
}

// shuffleKey is SHA-256(seed || salt) (R20).
func shuffleKey(seed Seed, salt string) [32]byte {
	return sha256.Sum256(append(seed[:], salt...))
}

// A stream is the random numbers of one label (R21).
type stream struct {
	mac   hash.Hash
	label string
	next  int // block
	block [sha256.Size]byte
	used  int // bytes of block
}

func newStream(key [32]byte, label string) *stream {
	return &stream{mac: hmac.New(sha256.New, key[:]), label: label, used: sha256.Size}
}

func (s *stream) uint64() uint64 {
	if s.used == len(s.block) {
		s.mac.Reset()
		s.mac.Write([]byte(s.label + ":" + strconv.Itoa(s.next)))
		s.mac.Sum(s.block[:0])
		s.next++
		s.used = 0
	}
	u := binary.BigEndian.Uint64(s.block[s.used:])
	s.used += 8
	return u
}

// below is a number from 0 to m-1, each as likely as the others (R21).
func (s *stream) below(m uint64) uint64 {
	// The numbers from floor(2^64/m)*m up are the last 2^64 mod m; none if m divides 2^64.
	tail := -m % m
	for {
		if u := s.uint64(); tail == 0 || u < -tail {
			return u % m
		}
	}
}

// shuffle puts list in a random order (R22).
func shuffle[T any](key [32]byte, label string, list []T) {
	s := newStream(key, label)
	for i := len(list) - 1; i > 0; i-- {
		j := s.below(uint64(i + 1))
		list[i], list[j] = list[j], list[i]
	}
}
