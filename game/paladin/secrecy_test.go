package paladin

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestR19PublicTypesCannotHoldACard(t *testing.T) {
	secret := []reflect.Type{
		reflect.TypeFor[Card](), reflect.TypeFor[State](), reflect.TypeFor[Event](), reflect.TypeFor[View](),
		reflect.TypeFor[KnownCard](), reflect.TypeFor[PastCard](), reflect.TypeFor[Deal](), reflect.TypeFor[Seed](), reflect.TypeFor[placedCard](),
	}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		if slices.Contains(secret, typ) {
			t.Errorf("%s is a %v", path, typ)
			return
		}
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				walk(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Slice, reflect.Array, reflect.Pointer:
			walk(path+"[]", typ.Elem())
		case reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("%s is a %v, which could hold anything", path, typ)
		}
	}
	walk("Public", reflect.TypeFor[Public]())
	walk("PublicEvent", reflect.TypeFor[PublicEvent]())
}

func TestR19WhatASeatKnows(t *testing.T) {
	moves := strings.Replace(placed3, "1 place 3 2", "1 peek 1.2, 1 place 3 2", 1)
	s, _ := after(t, dealt(t, threeHands...), strings.Replace(moves, "2 place 7r 3", "2 peek 3.1, 2 place 7r 3", 1))
	show := func(s State, seat Seat) string {
		v := s.View(seat)
		list := func(known []KnownCard) (words []string) {
			for _, k := range known {
				words = append(words, fmt.Sprintf("%d:%d.%d of %d is %v, %v", k.Round, k.Quest, k.Place, k.Owner.Number(), k.Card, k.Fate))
			}
			return words
		}
		return fmt.Sprintf("hand %v\nplaced %q\ndiscards %q\npeeked %q", v.Hand, list(v.Placed), list(v.Discards), list(v.Peeked))
	}
	for _, tt := range []struct {
		name  string
		moves string
		seat  Seat
		want  string
	}{
		{"own cards and peek", "", 0, `hand [9r]
placed ["1:1.1 of 1 is 9, leading" "1:2.3 of 1 is 3, on the table" "1:3.2 of 1 is 0, on the table"]
discards []
peeked ["1:1.2 of 2 is 1, on the table"]`},
		{"nothing without a peek", "", 2, `hand [5r]
placed ["1:1.3 of 3 is 0r, on the table" "1:2.2 of 3 is 8, on the table" "1:3.1 of 3 is 5, on the table"]
discards []
peeked []`},
		{"a spectator", "", NoSeat, "hand []\nplaced []\ndiscards []\npeeked []"},
		{"peeked at and taken back", "2 take", 0, `hand [9r]
placed ["1:1.1 of 1 is 9, leading" "1:2.3 of 1 is 3, on the table" "1:3.2 of 1 is 0, on the table"]
discards []
peeked ["1:1.2 of 2 is 1, taken back"]`},
		{"own discard", "2 discard", 1, `hand [2r]
placed ["1:2.1 of 2 is 7, on the table" "1:3.3 of 2 is 7r, on the table"]
discards ["1:1.2 of 2 is 1, discarded"]
peeked ["1:3.1 of 3 is 5, on the table"]`},
		{"still known in the next round", "2 discard, 3 beat, 3 beat, 1 take, 1 take, 2 beat", 1, `hand [0 0 0 2r]
placed []
discards ["1:1.2 of 2 is 1, discarded"]
peeked ["1:3.1 of 3 is 5, beaten"]`},
		{"a kept Paladin", "2 discard, 3 beat, 3 take, 1 take, 1 take, 2 take", 1, `hand [0 0 2r 7r]
placed []
discards ["1:1.2 of 2 is 1, discarded"]
peeked ["1:3.1 of 3 is 5, kept"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := after(t, s, tt.moves)
			if diff := cmp.Diff(tt.want, show(s, tt.seat)); diff != "" {
				t.Error(diff)
			}
		})
	}
	refused := s.View(1)
	if refused.BeatWins || !slices.Equal(texts(refused.Legal()), []string{"2 discard", "2 take"}) {
		t.Errorf("seat 2 may do %v", refused.Legal())
	}
}

// TestNonInterference plays two games that differ only in what one viewer cannot know, and demands that the viewer is
// told the same of both as long as the same happens in public.
func TestNonInterference(t *testing.T) {
	var same, revealed int
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		play(t, r, s, func(before, real *State, m Move, events []Event) {
			if r.IntN(3) > 0 {
				return
			}
			viewer := Seat(r.IntN(before.Players()+1)) - 1
			other := before.Redeal(viewer, r.IntN)
			if m.Seat != viewer && m.Kind == Place {
				// Another seat may hold other cards there: it places one of those, face down.
				hand := other.hand(m.Seat)
				m.Card = hand[r.IntN(len(hand))]
			}
			twin, twinEvents, err := other.Apply(m)
			if err != nil {
				if m.Kind != Beat || m.Seat == viewer {
					t.Fatalf("%q is legal by what seat %d knows, and refused: %v", m, viewer.Number(), err)
				}
				return // what is turned up may be weaker than it was
			}
			if !sameInPublic(t, events, twinEvents) {
				revealed++
				return
			}
			same++
			if m.Seat == viewer && m.Kind == Peek {
				checkPeekTellsOneCard(t, events, twinEvents)
				return
			}
			for i := range events {
				a, b := mustJSON(t, events[i].For(viewer)), mustJSON(t, twinEvents[i].For(viewer))
				if !bytes.Equal(a, b) && events[i].Kind() != RoundBegan {
					t.Fatalf("%q tells seat %d\n%s\nor\n%s", m, viewer.Number(), a, b)
				}
			}
			if dealt := slices.Contains(kinds(events), RoundBegan); dealt {
				return // other cards are drawn
			}
			if a, b := mustJSON(t, real.View(viewer)), mustJSON(t, twin.View(viewer)); !bytes.Equal(a, b) {
				t.Fatalf("after %q seat %d sees\n%s\nor\n%s", m, viewer.Number(), a, b)
			}
		})
	})
	t.Logf("%d moves compared, %d revealed something", same, revealed)
	if same < 100 || revealed < 5 {
		t.Errorf("only %d moves were compared, and %d revealed something", same, revealed)
	}
}

// sameInPublic compares the public forms. Those that show no card must be the same in any case.
func sameInPublic(t *rapid.T, a, b []Event) bool {
	for i := range a {
		if i >= len(b) {
			return false
		}
		x, y := mustJSON(t, a[i].Public()), mustJSON(t, b[i].Public())
		if !bytes.Equal(x, y) {
			switch a[i].Kind() {
			case StartNamed, Placed, Peeked, TookBack, Discarded:
				t.Fatalf("in public it is\n%s\nor\n%s", x, y)
			}
			return false
		}
	}
	return len(a) == len(b)
}

func checkPeekTellsOneCard(t *rapid.T, a, b []Event) {
	if len(a) != 1 || len(b) != 1 || a[0].Kind() != Peeked {
		t.Fatalf("a peek makes %v happen", kinds(a))
	}
	viewer := a[0].Public().Seat
	x, y := a[0].For(viewer), b[0].For(viewer)
	if !x.Knows || !y.Knows {
		t.Fatal("the peek tells nothing")
	}
	x.Secret, y.Secret = 0, 0
	if !bytes.Equal(mustJSON(t, x), mustJSON(t, y)) {
		t.Fatalf("a peek tells more than the card: %+v, %+v", x, y)
	}
}

// TestRedealMovesWhatIsHidden guards the tests above against a Redeal that leaves everything where it was.
func TestRedealMovesWhatIsHidden(t *testing.T) {
	s := newGame(t, 3, SeededDeal(HouseDeck(), numberedSeed(3), ""))
	r := rand.New(rand.NewPCG(3, 3))
	for s.Phase() != PhasePlace || s.Round() < 3 {
		legal := s.Legal()
		s, _, _ = s.Apply(legal[r.IntN(len(legal))])
	}
	moved := map[string]bool{}
	for range 20 {
		o := s.Redeal(0, r.IntN)
		moved["hand of 2"] = moved["hand of 2"] || o.hands[1] != s.hands[1]
		moved["hand of 3"] = moved["hand of 3"] || o.hands[2] != s.hands[2]
		moved["supply"] = moved["supply"] || o.supply != s.supply
		moved["key"] = moved["key"] || o.chance.key != s.chance.key
		moved["quests"] = moved["quests"] || o.stack != s.stack
		moved["placed"] = moved["placed"] || o.placed != s.placed
		if o.hands[0] != s.hands[0] {
			t.Fatal("the own hand is dealt anew")
		}
	}
	for what, m := range moved {
		if !m {
			t.Errorf("the %s never moves", what)
		}
	}
}

func TestRedealFollowsCardsTakenBack(t *testing.T) {
	// Seat 1 looks at the only red 7 while it lies on quest 3, and seat 2 takes it back.
	moves := allLead + "1 place 0 3, 2 place 7r 3, 3 place 8 2, 1 peek 3.3, 1 place 3 2, 2 place 1 1, 3 place 0r 1"
	next := ", 2 take, 3 beat, 3 beat, 1 take, 1 take, 2 take"
	r := rand.New(rand.NewPCG(1, 7))
	red7 := cards(t, "7r")[0]
	count := func(s State, where func(s *State) bool) (n int) {
		for range 200 {
			o := s.Redeal(0, r.IntN)
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
			if where(&o) {
				n++
			}
		}
		return n
	}
	inHand := func(s *State) bool { return s.holds(1, red7) }
	s, _ := after(t, dealt(t, threeHands...), moves+next)
	if n := count(s, inHand); n != 200 {
		t.Errorf("it is in the hand of seat 2 %d times of 200", n)
	}
	// When seat 2 has placed a card that seat 1 has not seen, it may be that one.
	s, _ = after(t, s, "2 start 2, 2 place 7r 1")
	onTable := func(s *State) bool { return s.placed[9].card == red7 }
	if h, l := count(s, inHand), count(s, onTable); h < 20 || l < 20 {
		t.Errorf("it is in the hand %d times, on the table %d times of 200", h, l)
	}
	if n := count(s, func(s *State) bool { return inHand(s) || onTable(s) }); n != 200 {
		t.Errorf("it is with seat 2 %d times of 200", n)
	}
}

func TestPrintingShowsNoSecret(t *testing.T) {
	s, events := after(t, dealt(t, threeHands...), allLead+"1 peek 2.1")
	seed := numberedSeed(1)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	view, deal := s.View(0), SeededDeal(HouseDeck(), seed, "")
	for _, v := range []any{s, view, events[0], deal, &s, &view, &deal} {
		logger.Info("", "value", v)
		text := fmt.Sprintf("%v %+v %#v %s", v, v, v, v) + log.String()
		for _, secret := range []string{"7", "9r", "hands", "supply", fmt.Sprint(seed[:3])[1:], seed.String()[:8]} {
			text = strings.ReplaceAll(text, seed.Commitment(), "")
			if at := strings.Index(stripTime(text), secret); at >= 0 {
				t.Errorf("%T shows %q in %s", v, secret, stripTime(text))
			}
		}
		log.Reset()
	}
}

// stripTime removes the time that a log line begins with.
func stripTime(text string) string {
	before, after, found := strings.Cut(text, `{"time":`)
	if !found {
		return text
	}
	_, after, _ = strings.Cut(after, ",")
	return before + after
}

// TestRedealKeepsWhatIsCertain looks at random games for cards of others that a viewer knows to be in a hand: taken back
// under the viewer's eyes, with every card that their owner has placed since seen by the viewer, and none of them such a card.
func TestRedealKeepsWhatIsCertain(t *testing.T) {
	certain := 0
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		play(t, r, s, func(_, s *State, _ Move, _ []Event) {
			if r.IntN(4) > 0 {
				return
			}
			viewer := Seat(r.IntN(s.Players()))
			v := s.View(viewer)
			other := v.Redeal(r.IntN)
			for _, k := range v.Peeked {
				if k.Fate == FateTakenBack && inHandForSure(s, viewer, k) {
					certain++
					if !s.holds(k.Owner, k.Card) || !other.holds(k.Owner, k.Card) {
						t.Fatalf("seat %d knows that seat %d holds %v, and it is dealt %v", viewer.Number(), k.Owner.Number(), k.Card, other.hand(k.Owner))
					}
				}
			}
		})
	})
	t.Logf("%d times something was certain", certain)
	if certain < 5 {
		t.Errorf("only %d times something was certain", certain)
	}
}

func inHandForSure(s *State, viewer Seat, k KnownCard) bool {
	for at, c := range s.placed {
		round, _, _ := s.where(uint8(at))
		if c.fate == 0 || Seat(c.seat) != k.Owner || round <= k.Round {
			continue
		}
		if seen := c.turnedUp() || c.peekers>>viewer&1 == 1; !seen || c.card == k.Card {
			return false
		}
	}
	return true
}
