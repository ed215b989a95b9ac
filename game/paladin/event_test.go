package paladin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEventFiles tells whole games as their events: the public form of each, and what a seat was told beyond it.
func TestEventFiles(t *testing.T) {
	for _, name := range []string{"example", "listed-3", "shared-5"} {
		t.Run(name, func(t *testing.T) {
			record, err := ParseRecord([]byte(finished(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			var told bytes.Buffer
			_, err = record.Play(func(s *State, events []Event) error {
				if s.Moves() > 0 {
					fmt.Fprintln(&told, record.moves[s.Moves()-1])
				}
				for i := range events {
					tellEvent(t, &told, &events[i], s.Players())
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/events/"+name+".golden", told.Bytes())
		})
	}
}

func tellEvent(t *testing.T, told *bytes.Buffer, e *Event, players int) {
	t.Helper()
	fmt.Fprintf(told, "  %s\n", mustJSON(t, e.Public()))
	for seat := range Seat(players) {
		p := e.For(seat)
		if !reflect.DeepEqual(p.PublicEvent, e.Public()) {
			t.Errorf("seat %d is told %+v", seat.Number(), p)
		}
		if p.Knows {
			fmt.Fprintf(told, "    seat %d: %v\n", seat.Number(), p.Secret)
		}
		if p.Drawn != nil {
			fmt.Fprintf(told, "    seat %d draws %s\n", seat.Number(), strings.Join(texted(p.Drawn), " "))
		}
	}
}

func TestPublicEventsCanBeStored(t *testing.T) {
	seen := map[EventKind]bool{}
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		play(t, r, s, func(_, _ *State, _ Move, events []Event) {
			for i := range events {
				e := events[i].Public()
				seen[e.Kind] = true
				var again PublicEvent
				if err := json.Unmarshal(mustJSON(t, e), &again); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(e, again) {
					t.Fatalf("%+v is read as %+v", e, again)
				}
			}
		})
	})
	for kind := StartNamed; kind <= GameOver; kind++ {
		if !seen[kind] {
			t.Errorf("%v never happened", kind)
		}
	}
}

func TestTextForms(t *testing.T) {
	for phase := PhaseStart; phase <= PhaseOver; phase++ {
		var again Phase
		if err := json.Unmarshal(mustJSON(t, phase), &again); err != nil || again != phase {
			t.Errorf("phase %v is read as %v, %v", phase, again, err)
		}
	}
	for fate := FateOnTable; fate <= FateDiscarded; fate++ {
		var again Fate
		if err := json.Unmarshal(mustJSON(t, fate), &again); err != nil || again != fate {
			t.Errorf("fate %v is read as %v, %v", fate, again, err)
		}
	}
	for card := range Card(cardKinds) {
		var again Card
		if err := json.Unmarshal(mustJSON(t, card), &again); err != nil || again != card || NewCard(card.Value(), card.Red()) != card {
			t.Errorf("card %v is read as %v, %v", card, again, err)
		}
		var shown FaceUp
		if err := json.Unmarshal(mustJSON(t, faceUp(card)), &shown); err != nil || shown != faceUp(card) {
			t.Errorf("card %v is shown as %v, %v", card, shown, err)
		}
	}
	if got := string(mustJSON(t, FaceUp{})); got != "null" {
		t.Errorf("a face-down card is %s", got)
	}
	for _, bad := range []any{new(Phase), new(Fate), new(Card), new(EventKind), new(FaceUp)} {
		for _, text := range []string{`""`, `"?"`, `"10"`, `"rr"`, `7`} {
			if err := json.Unmarshal([]byte(text), bad); err == nil {
				t.Errorf("%T reads %s", bad, text)
			}
		}
	}
	for _, bad := range []any{hidden, EventKind(0), GameOver + 1} {
		if data, err := json.Marshal(bad); err == nil {
			t.Errorf("%T is written as %s", bad, data)
		}
	}
}
