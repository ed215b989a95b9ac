package paladin

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// naiveShuffle is R20 to R22 word by word, with big numbers and without any of the code under test.
func naiveShuffle(seed [32]byte, salt, label string, list []string) []string {
	key := sha256.Sum256([]byte(string(seed[:]) + salt))
	var numbers []*big.Int
	block := 0
	next := func() *big.Int {
		if len(numbers) == 0 {
			mac := hmac.New(sha256.New, key[:])
			fmt.Fprintf(mac, "%s:%d", label, block)
			block++
			sum := mac.Sum(nil)
			for i := 0; i < 32; i += 8 {
				numbers = append(numbers, new(big.Int).SetBytes(sum[i:i+8]))
			}
		}
		u := numbers[0]
		numbers = numbers[1:]
		return u
	}
	below := func(m int64) int64 {
		big64 := new(big.Int).Lsh(big.NewInt(1), 64)
		bound := new(big.Int).Mul(new(big.Int).Div(big64, big.NewInt(m)), big.NewInt(m))
		u := next()
		for u.Cmp(bound) >= 0 {
			u = next()
		}
		return new(big.Int).Mod(u, big.NewInt(m)).Int64()
	}
	a := slices.Clone(list)
	for i := len(a) - 1; i >= 1; i-- {
		j := below(int64(i + 1))
		a[i], a[j] = a[j], a[i]
	}
	return a
}

func TestR20Commitment(t *testing.T) {
	seed, err := ParseSeed("d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f")
	if err != nil {
		t.Fatal(err)
	}
	if got := seed.Commitment(); got != "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803" {
		t.Errorf("the commitment is %s", got)
	}
	again, err := ParseSeed(seed.String())
	if err != nil || again != seed {
		t.Errorf("the seed reads as %v, %v", again, err)
	}
	for _, text := range []string{"", "d1", seed.String() + "00", seed.String()[:62] + "0g", " " + seed.String()[1:]} {
		if _, err := ParseSeed(text); err == nil {
			t.Errorf("%q is a seed", text)
		}
	}
}

func TestR20Salt(t *testing.T) {
	for _, tt := range []struct {
		parts []string
		start string
		want  string
	}{
		{[]string{"", "", ""}, "", "-,-,-"},
		{[]string{"11", "", "22"}, "33", "11,-,22,33"},
		{[]string{"1", "2", "3", "4", "5"}, "6", "1,2,3,4,5,6"},
	} {
		if got := Salt(tt.parts, tt.start); got != tt.want {
			t.Errorf("Salt(%q, %q) = %q", tt.parts, tt.start, got)
		}
	}
}

func TestR21R22Shuffles(t *testing.T) {
	paladins, queen, king := []string{}, []string{}, []string{}
	for value := 0; value <= 9; value++ {
		blacks := 3
		if value == 0 || value == 9 {
			blacks = 4
		}
		for range blacks {
			paladins = append(paladins, fmt.Sprint(value))
		}
		paladins = append(paladins, fmt.Sprintf("%dr", value))
	}
	for honour := 1; honour <= 3; honour++ {
		for range 3 {
			queen = append(queen, fmt.Sprint(honour))
			king = append(king, fmt.Sprint(honour+3))
		}
	}
	slices.Sort(queen)
	slices.Sort(king)
	for n := range uint64(30) {
		seed, salt := numberedSeed(n), fmt.Sprintf("%d,-,9", n)
		deal := SeededDeal(HouseDeck(), seed, salt)
		if diff := cmp.Diff(naiveShuffle(seed, salt, "paladins", paladins), texted(deal.supply[:])); diff != "" {
			t.Fatal(diff)
		}
		var quests []string
		for _, honour := range deal.quests {
			quests = append(quests, fmt.Sprint(honour))
		}
		want := append(naiveShuffle(seed, salt, "queen", queen), naiveShuffle(seed, salt, "king", king)...)
		if diff := cmp.Diff(want, quests); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestR21Below(t *testing.T) {
	// A bound that throws half of all numbers away shows that those are thrown away, block borders included.
	for _, m := range []uint64{1, 2, 3, 42, 1 << 32, 1<<63 + 1, 1 << 63, 1<<64 - 1} {
		s := newStream([32]byte{7}, "label")
		plain := newStream([32]byte{7}, "label")
		bound := new(big.Int).Lsh(big.NewInt(1), 64)
		wide := new(big.Int).SetUint64(m)
		bound.Mul(bound.Div(bound, wide), wide)
		for range 200 {
			u := plain.uint64()
			for new(big.Int).SetUint64(u).Cmp(bound) >= 0 {
				u = plain.uint64()
			}
			if got := s.below(m); got != u%m {
				t.Fatalf("below %d: %d, want %d", m, got, u%m)
			}
		}
	}
}

func TestR23DiscardsInOrder(t *testing.T) {
	s, _ := after(t, dealt(t, threeHands...), placed3+", 2 discard, 3 beat, 3 beat, 1 discard, 1 discard, 2 beat")
	// 1 discarded; 9 defeated; 7 defeated; 3 discarded; 0 discarded; 5 defeated.
	if diff := cmp.Diff([]string{"1", "9", "7", "3", "0", "5"}, texted(traceDiscards(&s))); diff != "" {
		t.Error(diff)
	}
}
