package paladin

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files under testdata that the program writes")

// numberedSeed is a seed for a test, the same every time.
func numberedSeed(n uint64) (s Seed) {
	r := rand.New(rand.NewPCG(n, 1))
	for i := range s {
		s[i] = byte(r.Uint32())
	}
	return s
}

// mixedDeck is a deck with many red cards and several of the same, and with an uneven stack of quests.
func mixedDeck(r *rand.Rand) (d Deck) {
	for i := range d.paladins {
		d.paladins[i] = NewCard(r.IntN(MaxValue+1), r.IntN(2) == 0)
	}
	for i := range d.quests {
		d.quests[i] = uint8(r.IntN(MaxHonour) + 1)
	}
	return d
}

// A manner says how a random player plays: how often, of 100 times, it peeks when it may, beats when it can, and takes
// back rather than discards.
type manner struct{ peek, beat, take int }

func randomManner(r *rand.Rand) manner { return manner{r.IntN(101), r.IntN(101), r.IntN(101)} }

// choose picks one of the legal moves.
func (m manner) choose(r *rand.Rand, legal []Move) Move {
	var kinds [Discard + 1][]Move
	for _, move := range legal {
		kinds[move.Kind] = append(kinds[move.Kind], move)
	}
	pick := func(k MoveKind) Move { return kinds[k][r.IntN(len(kinds[k]))] }
	switch {
	case kinds[Start] != nil:
		return pick(Start)
	case kinds[Peek] != nil && r.IntN(100) < m.peek:
		return pick(Peek)
	case kinds[Place] != nil:
		return pick(Place)
	case kinds[Beat] != nil && r.IntN(100) < m.beat:
		return pick(Beat)
	case r.IntN(100) < m.take:
		return pick(Take)
	}
	return pick(Discard)
}

// play plays a game by random to its end and shows each position with what led there; it answers with the moves.
func play(t failer, r *rand.Rand, s State, visit func(before, s *State, m Move, events []Event)) ([]Move, State) {
	t.Helper()
	style := randomManner(r)
	var moves []Move
	for !s.Over() {
		m := style.choose(r, s.Legal())
		next, events, err := s.Apply(m)
		if err != nil {
			t.Fatalf("legal move %q of %v: %v", m, moves, err)
		}
		if visit != nil {
			visit(&s, &next, m, events)
		}
		s = next
		moves = append(moves, m)
		if len(moves) > 400 {
			t.Fatal("the game does not end")
		}
	}
	return moves, s
}

func newGame(t testing.TB, players int, deal Deal) State {
	t.Helper()
	s, err := New(players, deal)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}
