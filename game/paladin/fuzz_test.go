package paladin

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func FuzzParseMove(f *testing.F) {
	for _, text := range []string{
		"1 start 1", "2 place 7r 1", "3 peek 2.3", "1 beat", "5 take", "4 discard", "", "1", "1 ", "1 take ", " 1 take", "1 place 7r", "1 ?", "0 start 1",
		"1 peek 2", "1 peek 2.", "1 peek 2.3.1", "1 place 7R 1", "6 beat", "1 start +1", "1 place 10 1", "１ take",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMove(text)
		if err != nil {
			if m != (Move{}) {
				t.Errorf("%q is refused and read as %v", text, m)
			}
			return
		}
		if m.String() != text {
			t.Errorf("%q is read as %q", text, m)
		}
	})
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(example))
	files, _ := filepath.Glob("testdata/records/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		result, err := Replay(data)
		if !json.Valid(result.JSON()) || len(result.Summary()) == 0 {
			t.Errorf("the result cannot be told: %s %s", result.JSON(), result.Summary())
		}
		if err != nil {
			var fault *RecordError
			if !errors.As(err, &fault) || fault != result.Err || bytes.ContainsAny([]byte(err.Error()), "\r\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		if err := result.Final.Check(); err != nil {
			t.Errorf("a legal record leads to %v", err)
		}
		record, err := ParseRecord(data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Replay(record.Encode())
		if err != nil || !sameState(&again.Final, &result.Final) {
			t.Errorf("written anew it leads elsewhere: %v", err)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	files, _ := filepath.Glob("testdata/snapshots/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s State
		if err := json.Unmarshal(data, &s); err != nil {
			if s.players != 0 {
				t.Error("a state was refused and is there")
			}
			return
		}
		if err := s.Check(); err != nil {
			t.Fatalf("a stored state is read and wrong: %v", err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, data); err != nil {
			t.Fatal(err)
		}
		if again := mustJSON(t, s); !bytes.Equal(again, compact.Bytes()) {
			t.Fatalf("it was\n%s\nand is\n%s", compact.Bytes(), again)
		}
		// It can be seen and played on to its end, as far as listed reshuffles go.
		r := rand.New(rand.NewPCG(1, 1))
		for !s.Over() {
			legal := s.Legal()
			if len(legal) == 0 {
				t.Fatal("nobody can move")
			}
			viewer := Seat(r.IntN(s.Players()))
			view := s.View(viewer)
			if other := view.Redeal(r.IntN); other.Check() != nil {
				t.Fatalf("dealt anew it is wrong: %v", other.Check())
			}
			next, _, err := s.Apply(legal[r.IntN(len(legal))])
			if err != nil {
				var refusal *RuleError
				if errors.As(err, &refusal) && refusal.Kind == RefusedReshuffle {
					return
				}
				t.Fatal(err)
			}
			if err := next.Check(); err != nil {
				t.Fatal(err)
			}
			s = next
		}
	})
}

func FuzzParseDeck(f *testing.F) {
	f.Add(mustJSON(f, HouseDeck()))
	f.Add(mustJSON(f, mixedDeck(rand.New(rand.NewPCG(1, 1)))))
	f.Add([]byte(`{"paladins": [], "quests": [1.0]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDeck(data)
		if err != nil {
			return
		}
		again, err := ParseDeck(mustJSON(t, d))
		if err != nil || again != d {
			t.Errorf("differs after a round trip: %v", err)
		}
		s := newGame(t, 3, SeededDeal(d, Seed{}, ""))
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	})
}
