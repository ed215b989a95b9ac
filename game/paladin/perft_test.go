package paladin

import (
	"fmt"
	"testing"
)

// TestPerft counts every way to go on for some moves. One error in the rules changes the numbers, which were counted by
// another program, written from the rules alone.
func TestPerft(t *testing.T) {
	for _, tt := range []struct {
		record       string
		played, deep int
		want         int
	}{
		{"example", 0, 1, 3},
		{"example", 0, 2, 36},
		{"example", 0, 3, 288},
		{"example", 0, 4, 1152},
		{"example", 0, 5, 9216},
		{"example", 4, 2, 66},
		{"example", 4, 3, 576},
		{"example", 12, 2, 6},
		{"example", 12, 4, 42},
		{"example", 12, 6, 252},
		{"example", 12, 7, 756},
		{"seeded-4", 0, 2, 80},
		{"seeded-4", 0, 3, 1200},
		{"seeded-4", 60, 2, 72},
		{"seeded-4", 118, 4, 36},
		{"seeded-5", 0, 2, 135},
		{"seeded-5", 0, 3, 2920},
		{"seeded-5", 60, 2, 432},
		{"seeded-5", 145, 4, 44},
	} {
		t.Run(fmt.Sprintf("%s/%d/%d", tt.record, tt.played, tt.deep), func(t *testing.T) {
			record, err := ParseRecord([]byte(finished(t, tt.record)))
			if err != nil {
				t.Fatal(err)
			}
			record.moves, record.scores, record.winners = record.moves[:tt.played], nil, nil
			result, err := record.Play(func(*State, []Event) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := perft(t, &result.Final, tt.deep); got != tt.want {
				t.Errorf("%d ways, want %d", got, tt.want)
			}
		})
	}
}

func perft(t *testing.T, s *State, deep int) (ways int) {
	if deep == 0 {
		return 1
	}
	for _, m := range s.Legal() {
		next, _, err := s.Apply(m)
		if err != nil {
			t.Fatal(err)
		}
		ways += perft(t, &next, deep-1)
	}
	return ways
}
