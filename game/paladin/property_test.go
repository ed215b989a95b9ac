package paladin

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawGame is any game: players, deck and deal, and a source for its moves.
func drawGame(t *rapid.T) (State, Deal, *rand.Rand) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "random"), 2))
	deck := HouseDeck()
	if rapid.Bool().Draw(t, "mixed deck") {
		deck = mixedDeck(r)
	}
	deal := SeededDeal(deck, numberedSeed(r.Uint64()), "-,-,-")
	s, err := New(rapid.IntRange(MinPlayers, MaxPlayers).Draw(t, "players"), deal)
	if err != nil {
		t.Fatal(err)
	}
	return s, deal, r
}

// conceivable is every move that can be written down, and some that cannot.
func conceivable() (moves []Move) {
	for seat := NoSeat; seat <= MaxPlayers; seat++ {
		for target := NoSeat; target <= MaxPlayers; target++ {
			moves = append(moves, Move{Seat: seat, Kind: Start, Target: target})
		}
		for quest := 0; quest <= MaxPlayers+1; quest++ {
			for card := range Card(cardKinds + 1) {
				moves = append(moves, Move{Seat: seat, Kind: Place, Card: card, Quest: quest})
			}
			for place := 0; place <= MaxPlayers+1; place++ {
				moves = append(moves, Move{Seat: seat, Kind: Peek, Quest: quest, Place: place})
			}
		}
		for kind := Beat; kind <= Discard+1; kind++ {
			moves = append(moves, Move{Seat: seat, Kind: kind})
		}
		moves = append(moves, Move{Seat: seat})
	}
	return moves
}

func texts(moves []Move) []string {
	list := []string{}
	for _, m := range moves {
		list = append(list, m.String())
	}
	return list
}

func mustJSON(t interface{ Fatal(...any) }, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRandomGamesKeepTheCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		_, end := play(t, r, s, func(_, s *State, m Move, _ []Event) {
			if err := s.Check(); err != nil {
				t.Fatalf("after %q: %v", m, err)
			}
		})
		if end.Round() != map[int]int{3: 6, 4: 4, 5: 3}[end.Players()] {
			t.Fatalf("R17: over in round %d with %d players", end.Round(), end.Players())
		}
	})
}

func TestLegalIsWhatApplyAccepts(t *testing.T) {
	all := conceivable()
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		check := func(s *State) {
			if r.IntN(12) > 0 {
				return
			}
			accepted := []string{}
			for _, m := range all {
				if _, _, err := s.Apply(m); err == nil {
					accepted = append(accepted, m.String())
				}
			}
			slices.Sort(accepted)
			if diff := cmp.Diff(accepted, texts(s.Legal())); diff != "" {
				t.Fatalf("accepted (-) and legal (+): %s", diff)
			}
		}
		check(&s)
		play(t, r, s, func(_, s *State, _ Move, _ []Event) { check(s) })
	})
}

func TestOnlyTheSeatToActHasMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		check := func(s *State) {
			if r.IntN(4) > 0 {
				return
			}
			for seat := NoSeat; seat < Seat(s.Players()); seat++ {
				v := s.View(seat)
				var want []Move
				if seat != NoSeat && seat == s.ToAct() {
					want = s.Legal()
				}
				if diff := cmp.Diff(texts(want), texts(v.Legal())); diff != "" {
					t.Fatalf("seat %d: %s", seat.Number(), diff)
				}
				peeks := slices.ContainsFunc(want, func(m Move) bool { return m.Kind == Peek })
				beats := slices.ContainsFunc(want, func(m Move) bool { return m.Kind == Beat })
				if v.CanPeek != peeks || v.BeatWins != beats {
					t.Fatalf("peek %v, beat %v, but legal is %v", v.CanPeek, v.BeatWins, want)
				}
			}
		}
		check(&s)
		play(t, r, s, func(_, s *State, _ Move, _ []Event) { check(s) })
	})
}

func TestSnapshotRoundTrip(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		check := func(s *State) {
			if r.IntN(2) > 0 && !s.Over() {
				return
			}
			data := mustJSON(t, s)
			if s.deck.IsHouse() {
				most = max(most, len(data))
			}
			var again State
			if err := json.Unmarshal(data, &again); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			if !sameState(s, &again) {
				t.Fatalf("differs after reading: %s", data)
			}
		}
		check(&s)
		play(t, r, s, func(_, s *State, _ Move, _ []Event) { check(s) })
	})
	if most == 0 || most >= 1536 {
		t.Errorf("the largest stored game has %d bytes", most)
	}
	t.Logf("the largest stored game has %d bytes", most)
}

// sameState compares everything, what is derived too.
func sameState(a, b *State) bool {
	return reflect.DeepEqual(*a, *b)
}

func TestRedealKeepsWhatTheViewerKnows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		check := func(s *State) {
			if r.IntN(6) > 0 {
				return
			}
			viewer := Seat(r.IntN(s.Players()+1)) - 1
			view := s.View(viewer)
			before := mustJSON(t, view)
			other := s.Redeal(viewer, r.IntN)
			if err := other.Check(); err != nil {
				t.Fatalf("viewer %d: %v", viewer.Number(), err)
			}
			if after := mustJSON(t, other.View(viewer)); !bytes.Equal(before, after) {
				t.Fatalf("viewer %d sees\n%s\nand after the deal\n%s", viewer.Number(), before, after)
			}
			if r.IntN(10) == 0 {
				play(t, r, other, func(_, s *State, m Move, _ []Event) {
					if err := s.Check(); err != nil {
						t.Fatalf("playing on, after %q: %v", m, err)
					}
				})
			}
		}
		check(&s)
		play(t, r, s, func(_, s *State, _ Move, _ []Event) { check(s) })
	})
}

func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, deal, r := drawGame(t)
		moves, end := play(t, r, s, nil)
		record := NewRecord(deal, moves, &end)
		data := record.Encode()
		result, err := Replay(data)
		if err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if !sameState(&result.Final, &end) {
			t.Fatal("the record leads elsewhere")
		}
		again, err := ParseRecord(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(data), string(again.Encode())); diff != "" {
			t.Fatal(diff)
		}
	})
}
