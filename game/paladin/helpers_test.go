package paladin

import (
	"errors"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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
	Errorf(string, ...any)
}

// cards reads "0 7r 9".
func cards(t failer, text string) []Card {
	t.Helper()
	var list []Card
	for _, word := range strings.Fields(text) {
		c, err := ParseCard(word)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// dealt is a house-deck game in which seat 1 deals and the seats are dealt these hands; the rest of the supply is sorted.
// Quests are 1 2 3 1 2 3 1 2 3 4 5 6 4 5 6 4 5 6.
func dealt(t failer, hands ...string) State {
	t.Helper()
	return dealtFrom(t, HouseDeck(), hands...)
}

func dealtFrom(t failer, deck Deck, hands ...string) State {
	t.Helper()
	s, err := New(len(hands), listedFor(t, deck, hands...))
	if err != nil {
		t.Fatal(err)
	}
	for seat, hand := range hands {
		want := cards(t, hand)
		slices.Sort(want)
		if !slices.Equal(want, s.hand(Seat(seat))) {
			t.Fatalf("seat %d was dealt %v", seat+1, s.hand(Seat(seat)))
		}
	}
	return s
}

func listedFor(t failer, deck Deck, hands ...string) Deal {
	t.Helper()
	var supply []Card
	for i := range hands {
		supply = append(supply, cards(t, hands[(i+1)%len(hands)])...)
	}
	rest := deck.Paladins()
	for _, c := range supply {
		i := slices.Index(rest, c)
		if i < 0 {
			t.Fatalf("the deck has no %v left", c)
		}
		rest = slices.Delete(rest, i, i+1)
	}
	quests := []int{1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6}
	deal, err := ListedDeal(deck, append(supply, rest...), quests, nil)
	if err != nil {
		t.Fatal(err)
	}
	return deal
}

// after makes moves, written with commas between, and answers with the state and what the last one made happen.
func after(t failer, s State, moves string) (State, []Event) {
	t.Helper()
	var events []Event
	for _, text := range strings.Split(moves, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		m, err := ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		next, made, err := s.Apply(m)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := next.Check(); err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		s, events = next, made
	}
	return s, events
}

// refused makes a move that must be refused, by this rule and for this reason.
func refused(t failer, s State, move, rule string, kind RefusalKind) {
	t.Helper()
	m, err := ParseMove(move)
	if err != nil {
		t.Fatal(err)
	}
	before := s
	_, _, err = s.Apply(m)
	var refusal *RuleError
	if !errors.As(err, &refusal) {
		t.Fatalf("%q: %v, want a refusal", move, err)
	}
	if refusal.Rule != rule || refusal.Kind != kind || refusal.Reason == "" || refusal.ToAct != s.ToAct() || refusal.Phase != s.Phase() || refusal.Move != m {
		t.Errorf("%q is refused with %+v, want %s and kind %d", move, *refusal, rule, kind)
	}
	if kind == RefusedWeaker && refusal.Reason != refusal.Own.String()+" does not defeat "+refusal.Leader.String() {
		t.Errorf("%q is refused because %s: %+v", move, refusal.Reason, *refusal)
	}
	if !reflect.DeepEqual(before, s) {
		t.Errorf("%q was refused and changed the state", move)
	}
}

// table is what lies on the quests, as in a trace: "1:5 2:8, 3:9r, -".
func table(s *State) string {
	var quests []string
	for quest := range s.players {
		lying := strings.Join(s.lying(quest), " ")
		if lying == "" {
			lying = "-"
		}
		quests = append(quests, lying)
	}
	return strings.Join(quests, ", ")
}

func kinds(events []Event) (list []EventKind) {
	for i := range events {
		list = append(list, events[i].Kind())
	}
	return list
}
