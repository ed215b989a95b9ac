package paladin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests are in the order of the rules and named after them.

func TestR1R2HouseDeck(t *testing.T) {
	d := HouseDeck()
	var perValue, red [10]int
	for _, c := range d.Paladins() {
		perValue[c.Value()]++
		if c.Red() {
			red[c.Value()]++
		}
	}
	if perValue != [10]int{5, 4, 4, 4, 4, 4, 4, 4, 4, 5} {
		t.Errorf("R2: of each value there are %v", perValue)
	}
	if red != [10]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1} {
		t.Errorf("R2: of each value there are %v red", red)
	}
	sum := 0
	for i, honour := range d.Quests() {
		sum += honour
		if (i < QueenQuests) != (honour <= 3) {
			t.Errorf("R1: quest %d of the deck has honour %d", i+1, honour)
		}
	}
	if sum != 63 || len(d.Quests()) != 18 || len(d.Paladins()) != 42 {
		t.Errorf("R2: %d honour, %d quests, %d Paladins", sum, len(d.Quests()), len(d.Paladins()))
	}
	if !d.IsHouse() {
		t.Error("the house deck does not know itself")
	}
}

func TestR2ReplacedDeck(t *testing.T) {
	house := string(mustJSON(t, HouseDeck()))
	reds := strings.ReplaceAll(strings.ReplaceAll(house, `r"`, `"`), `"7"`, `"7r"`)
	for _, tt := range []struct{ name, deck, fault string }{
		{"house", house, ""},
		{"another", reds, ""},
		{"other keys", strings.Replace(house, "{", `{"name": "mine", `, 1), ""},
		{"41 Paladins", strings.Replace(house, `"0",`, "", 1), "paladins: 41 cards where 42 belong"},
		{"43 Paladins", strings.Replace(house, `"0",`, `"0","0",`, 1), "paladins: 43 cards where 42 belong"},
		{"17 quests", strings.Replace(house, `[1,`, "[", 1), "quests: 17 quests where 18 belong"},
		{"honour 0", strings.Replace(house, `[1,`, "[0,", 1), "quests: a quest of honour 0: it is 1 to 6"},
		{"honour 7", strings.Replace(house, `[1,`, "[7,", 1), "quests: a quest of honour 7: it is 1 to 6"},
		{"half honour", strings.Replace(house, `[1,`, "[1.5,", 1), `quests: "1.5" is not a whole number`},
		{"value 10", strings.Replace(house, `"0",`, `"10",`, 1), `paladins: "10" is no Paladin: a card is its value 0 to 9, with r if it is red`},
		{"numbers", strings.Replace(house, `"0",`, `0,`, 1), `paladins: "0" is not a text`},
		{"null", strings.Replace(house, `"0",`, `null,`, 1), `paladins: "null" is not a text`},
		{"no quests", `{"paladins": []}`, `"quests" is missing`},
		{"twice", strings.Replace(house, "{", `{"quests": [], `, 1), `"quests" stands there twice`},
		{"trailing", house + "{}", "not JSON: invalid character '{' after top-level value"},
		{"list", `[]`, "not a JSON object"},
		{"empty", ``, "not JSON: unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ParseDeck([]byte(tt.deck))
			fault := ""
			if err != nil {
				fault = err.Error()
			}
			if fault != tt.fault {
				t.Fatalf("got %q, want %q", fault, tt.fault)
			}
			if d.IsHouse() != (tt.name == "house" || tt.name == "other keys") {
				t.Errorf("IsHouse is %v", d.IsHouse())
			}
			if err == nil {
				var again Deck
				if err := json.Unmarshal(mustJSON(t, d), &again); err != nil || again != d {
					t.Errorf("differs after a round trip: %v", err)
				}
			}
		})
	}
	if _, err := New(3, Deal{}); err == nil {
		t.Error("a game without a deck is dealt")
	}
}

// The hands of most tests, with 3 players. Nobody else holds the cards that matter.
var threeHands = []string{"0 3 9 9r", "1 2r 7 7r", "0r 5 5r 8"}

const allLead = "1 start 1, 1 place 9 1, 2 place 7 2, 3 place 5 3,"

// placed3 goes on to where all cards lie there: 1:9 2:1 3:0r, 2:7 3:8 1:3, 3:5 1:0 2:7r; the hands are 9r, 2r, 5r.
const placed3 = allLead + "1 place 0 3, 2 place 1 1, 3 place 8 2, 1 place 3 2, 2 place 7r 3, 3 place 0r 1"

func TestR3TokensTellTheSeatAndNoValue(t *testing.T) {
	s, _ := after(t, dealt(t, threeHands...), allLead+"1 place 0 3, 2 place 1 1")
	p := s.Public()
	var got []string
	for _, q := range p.Row {
		for _, c := range q.Cards {
			got = append(got, fmt.Sprintf("%d.%d:%d %v", q.Number, c.Place, c.Seat.Number(), c.Card))
		}
	}
	want := []string{"1.1:1 face down", "1.2:2 face down", "2.1:2 face down", "3.1:3 face down", "3.2:1 face down"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestR4QueenOnKing(t *testing.T) {
	for n := range uint64(50) {
		s := newGame(t, 3, SeededDeal(HouseDeck(), numberedSeed(n), ""))
		for i, honour := range s.stack {
			if (i < QueenQuests) != (honour <= 3) {
				t.Fatalf("seed %d: the stack is %v", n, s.stack)
			}
		}
		if got := s.Public().Row[0].King; got {
			t.Error("the first quest is said to be from the King's deck")
		}
	}
}

func TestR5HostDealsFirst(t *testing.T) {
	s := dealt(t, threeHands...)
	if s.Dealer() != 0 || s.ToAct() != 0 || s.Phase() != PhaseStart || s.Round() != 1 {
		t.Errorf("seat %d deals, seat %d acts in %v of round %d", s.Dealer().Number(), s.ToAct().Number(), s.Phase(), s.Round())
	}
}

func TestR6Deal(t *testing.T) {
	deck := HouseDeck()
	for players := MinPlayers; players <= MaxPlayers; players++ {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			deal, err := ListedDeal(deck, deck.Paladins(), deck.Quests(), nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newGame(t, players, deal)
			for offset := range players {
				seat := (1 + offset) % players // the dealer's left first, one player filled completely before the next
				want := deck.Paladins()[offset*(players+1):][:players+1]
				if !slices.Equal(s.hand(Seat(seat)), want) {
					t.Errorf("seat %d holds %v, want %v", seat+1, s.hand(Seat(seat)), want)
				}
			}
			p := s.Public()
			if len(p.Row) != players || p.Supply != 42-players*(players+1) || p.QuestsLeft != 18-players {
				t.Errorf("%d quests in the row, supply %d, %d quests left", len(p.Row), p.Supply, p.QuestsLeft)
			}
			for _, seat := range p.Seats {
				if seat.Hand != players+1 {
					t.Errorf("seat %d holds %d cards", seat.Seat.Number(), seat.Hand)
				}
			}
		})
	}
	for _, players := range []int{-1, 0, 2, 6, 300} {
		if _, err := New(players, SeededDeal(deck, Seed{}, "")); err == nil {
			t.Errorf("%d players are dealt cards", players)
		}
	}
}

// discarding plays as whoever discards all that can be discarded, so that the supply runs out soonest.
func discarding(t failer, s State, visit func(before, s *State, events []Event)) State {
	t.Helper()
	for !s.Over() {
		legal := s.Legal()
		i := slices.IndexFunc(legal, func(m Move) bool { return m.Kind != Peek && m.Kind != Beat })
		next, events, err := s.Apply(legal[i])
		if err != nil {
			t.Fatal(err)
		}
		visit(&s, &next, events)
		s = next
	}
	return s
}

func TestR6ReshuffleWhenACardIsNeeded(t *testing.T) {
	seed := numberedSeed(6)
	s := newGame(t, 3, SeededDeal(HouseDeck(), seed, "salt"))
	var numbers []int
	end := discarding(t, s, func(before, after *State, events []Event) {
		for i := range events {
			e := events[i].Public()
			if e.Kind != Reshuffled {
				continue
			}
			numbers = append(numbers, e.Number)
			if events[i+1].Kind() != RoundBegan || before.supplyLen >= 9 {
				t.Errorf("a reshuffle with %d cards in the supply, before %v", before.supplyLen, kinds(events[i:]))
			}
			// The deck consists of what was discarded before and in this move.
			pile := append([]Card(nil), traceDiscards(before)...)
			pile = append(pile, before.placed[before.at(before.quest, before.deciding)].card)
			if e.Count != len(pile) {
				t.Errorf("%d cards reshuffled, want %d", e.Count, len(pile))
			}
			want := naiveShuffle(seed, "salt", fmt.Sprintf("reshuffle/%d", e.Number), texted(pile))
			drawn := 9 - int(before.supplyLen)
			var got []string
			for k := range after.supplyLen {
				got = append(got, after.supply[after.supplyLen-1-k].String())
			}
			if diff := cmp.Diff(want[drawn:], got); diff != "" {
				t.Errorf("the supply after reshuffle %d: %s", e.Number, diff)
			}
			if after.pileLen != 0 {
				t.Errorf("%d cards are left on the discard pile", after.pileLen)
			}
		}
	})
	if diff := cmp.Diff([]int{1}, numbers); diff != "" || end.shuffled != 1 {
		t.Errorf("reshuffles: %s", diff)
	}
}

func traceDiscards(s *State) (list []Card) {
	for _, at := range s.pile[:s.pileLen] {
		list = append(list, s.placed[at].card)
	}
	return list
}

func texted(cards []Card) (list []string) {
	for _, c := range cards {
		list = append(list, c.String())
	}
	return list
}

func TestR6ListedReshuffle(t *testing.T) {
	seeded := newGame(t, 3, SeededDeal(HouseDeck(), numberedSeed(6), "salt"))
	var pile []Card
	var refusals, fits int
	discarding(t, seeded, func(before, after *State, events []Event) {
		if after.shuffled == before.shuffled {
			return
		}
		pile = append(traceDiscards(before), before.placed[before.at(before.quest, before.deciding)].card)
		for _, tt := range []struct {
			lists [][]Card
			fits  bool
		}{
			{nil, false},
			{[][]Card{nil}, false},
			{[][]Card{pile[1:]}, false},
			{[][]Card{append(slices.Clone(pile[1:]), pile[1])}, false},
			{[][]Card{append(slices.Clone(pile[1:]), 200)}, false},
			{[][]Card{pile}, true},
			{[][]Card{append(slices.Clone(pile[1:]), pile[0]), {1}}, true},
		} {
			s := *before
			s.chance = chance{listed: true, lists: tt.lists}
			next, _, err := s.Apply(Move{Seat: s.ToAct(), Kind: Discard})
			if tt.fits {
				fits++
				if err != nil || next.Check() != nil {
					t.Errorf("lists %v: %v, %v", tt.lists, err, next.Check())
				}
				continue
			}
			refusals++
			refused(t, s, fmt.Sprintf("%d discard", s.ToAct().Number()), "R6", RefusedReshuffle)
		}
	})
	if refusals != 5 || fits != 2 {
		t.Errorf("%d refusals, %d fits", refusals, fits)
	}
}

func TestR7Start(t *testing.T) {
	s := dealt(t, threeHands...)
	if diff := cmp.Diff([]string{"1 start 1", "1 start 2", "1 start 3"}, texts(s.Legal())); diff != "" {
		t.Error(diff)
	}
	refused(t, s, "2 start 2", "R7", RefusedTurn)
	refused(t, s, "1 start 4", "R7", RefusedSeat)
	refused(t, s, "4 start 1", "R7", RefusedSeat)
	refused(t, s, "1 place 9 1", "R7", RefusedPhase)
	for start := 1; start <= 3; start++ {
		next, events := after(t, s, fmt.Sprintf("1 start %d", start))
		if next.ToAct().Number() != start || next.Phase() != PhaseLead || next.Public().Start.Number() != start {
			t.Errorf("start %d: seat %d is to act in %v", start, next.ToAct().Number(), next.Phase())
		}
		if e := events[0].Public(); len(events) != 1 || e.Kind != StartNamed || e.Seat != 0 || e.Target.Number() != start {
			t.Errorf("events %v", events)
		}
	}
	led, _ := after(t, s, "1 start 1")
	refused(t, led, "1 start 1", "R7", RefusedPhase)
}

func TestR8Lead(t *testing.T) {
	s, _ := after(t, dealt(t, threeHands...), "1 start 2, 2 place 7 2")
	if s.ToAct() != 2 || s.Phase() != PhaseLead {
		t.Fatalf("seat %d is to act in %v", s.ToAct().Number(), s.Phase())
	}
	refused(t, s, "3 place 5 2", "R8", RefusedLed)
	refused(t, s, "3 place 5 4", "R8", RefusedQuest)
	refused(t, s, "3 place 9 1", "R8", RefusedCard)
	refused(t, s, "1 place 9 1", "R8", RefusedTurn)
	refused(t, s, "3 beat", "R12", RefusedPhase)
	want := []string{
		"3 place 0r 1", "3 place 0r 3", "3 place 5 1", "3 place 5 3", "3 place 5r 1", "3 place 5r 3", "3 place 8 1", "3 place 8 3",
	}
	if diff := cmp.Diff(want, texts(s.Legal())); diff != "" {
		t.Error(diff)
	}
	s, events := after(t, s, "3 place 5r 3, 1 place 9 1")
	if s.ToAct() != 1 || s.Phase() != PhasePlace {
		t.Errorf("seat %d is to act in %v", s.ToAct().Number(), s.Phase())
	}
	if got := table(&s); got != "1:9, 2:7, 3:5r" {
		t.Errorf("on the table lies %s", got)
	}
	if e := events[0].Public(); e.Kind != Placed || e.Seat != 0 || e.Quest != 1 || e.Place != 1 || !e.Card.IsZero() {
		t.Errorf("the event is %v", e)
	}
}

func TestR9Place(t *testing.T) {
	s, _ := after(t, dealt(t, threeHands...), allLead+"1 place 0 3")
	refused(t, s, "2 place 1 2", "R9", RefusedOnQuest)
	refused(t, s, "2 place 9 1", "R9", RefusedCard)
	refused(t, s, "2 place 1 5", "R9", RefusedQuest)
	refused(t, s, "3 place 8 1", "R9", RefusedTurn)
	refused(t, s, "2 start 1", "R7", RefusedPhase)
	refused(t, s, "2 take", "R12", RefusedPhase)
	s, _ = after(t, s, "2 place 1 3")
	if got := table(&s); got != "1:9, 2:7, 3:5 1:0 2:1" {
		t.Errorf("on the table lies %s", got)
	}
	if s.ToAct() != 2 || s.Phase() != PhasePlace {
		t.Errorf("seat %d is to act in %v", s.ToAct().Number(), s.Phase())
	}
}

func TestR10Peek(t *testing.T) {
	lead, _ := after(t, dealt(t, threeHands...), "1 start 1, 1 place 9 1, 2 place 7 2")
	refused(t, lead, "3 peek 1.1", "R10", RefusedPhase)
	s, _ := after(t, dealt(t, threeHands...), allLead)
	refused(t, s, "1 peek 1.1", "R10", RefusedOwn)
	refused(t, s, "1 peek 2.2", "R10", RefusedPlace)
	refused(t, s, "1 peek 4.1", "R10", RefusedQuest)
	refused(t, s, "2 peek 1.1", "R9", RefusedTurn)
	s, events := after(t, s, "1 peek 2.1")
	refused(t, s, "1 peek 3.1", "R10", RefusedPeekedOnce)
	refused(t, s, "1 peek 2.1", "R10", RefusedPeekedOnce)
	if s.ToAct() != 0 || !s.Public().PeekUsed {
		t.Error("the turn is over, or the peek is not used up")
	}
	e := events[0].Public()
	if e.Kind != Peeked || e.Seat != 0 || e.Target != 1 || e.Quest != 2 || e.Place != 1 || !e.Card.IsZero() {
		t.Errorf("in public: %+v", e)
	}
	for seat, want := range []string{"7", "7", "-"} {
		got := "-"
		if p := events[0].For(Seat(seat)); p.Knows {
			got = p.Secret.String()
		}
		if got != want {
			t.Errorf("seat %d sees %s, want %s", seat+1, got, want)
		}
	}
	if events[0].For(NoSeat).Knows || events[0].For(17).Knows {
		t.Error("a spectator sees the card")
	}
	// The player need not place there, and may look at the same card in the next turn.
	s, _ = after(t, s, "1 place 0 3, 2 place 1 1, 3 peek 3.2, 3 place 8 2, 1 peek 2.1, 1 place 3 2")
	resolve, _ := after(t, s, "2 place 7r 3, 3 place 0r 1")
	refused(t, resolve, "2 peek 1.1", "R10", RefusedPhase)
	v := resolve.View(0)
	if len(v.Peeked) != 2 || v.Peeked[0] != v.Peeked[1] {
		t.Errorf("seat 1 remembers %v", v.Peeked)
	}
	if got := len(resolve.Public().Peeks); got != 3 {
		t.Errorf("%d peeks are public", got)
	}
}

func TestR11PlacingEndsWithOneCardInHand(t *testing.T) {
	s, events := after(t, dealt(t, threeHands...), placed3)
	if got := table(&s); got != "1:9 2:1 3:0r, 2:7 3:8 1:3, 3:5 1:0 2:7r" {
		t.Errorf("on the table lies %s", got)
	}
	for seat, want := range []string{"9r", "2r", "5r"} {
		if got := s.hand(Seat(seat)); len(got) != 1 || got[0].String() != want {
			t.Errorf("seat %d holds %v", seat+1, got)
		}
	}
	if s.Phase() != PhaseResolve {
		t.Errorf("the phase is %v", s.Phase())
	}
	if diff := cmp.Diff([]EventKind{Placed, LeaderRevealed}, kinds(events)); diff != "" {
		t.Error(diff)
	}
	refused(t, s, "2 place 2r 1", "R11", RefusedPhase)
}

func TestR12Choices(t *testing.T) {
	s, events := after(t, dealt(t, threeHands...), placed3)
	if e := events[1].Public(); e.Seat != 0 || e.Quest != 1 || e.Place != 1 || e.Card.String() != "9" {
		t.Errorf("turned up: %+v", e)
	}
	if p := s.Public(); p.ToAct != 1 || p.Resolving != 1 || p.Deciding != 2 || p.Row[0].Cards[0].Card.String() != "9" {
		t.Errorf("public: %+v", p)
	}
	// A beat that would fail is refused, and the choice stays open.
	refused(t, s, "2 beat", "R12", RefusedWeaker)
	refused(t, s, "3 beat", "R12", RefusedTurn)
	refused(t, s, "1 take", "R12", RefusedTurn)
	if diff := cmp.Diff([]string{"2 discard", "2 take"}, texts(s.Legal())); diff != "" {
		t.Error(diff)
	}
	t.Run("take back", func(t *testing.T) {
		s, events := after(t, s, "2 take")
		if got := table(&s); got != "1:9 3:0r, 2:7 3:8 1:3, 3:5 1:0 2:7r" {
			t.Errorf("on the table lies %s", got)
		}
		if v := s.View(1); len(v.Hand) != 2 || v.Hand[0].String() != "1" {
			t.Errorf("the hand is %v", v.Hand)
		}
		if e := events[0].Public(); e.Kind != TookBack || e.Seat != 1 || e.Quest != 1 || e.Place != 2 || !e.Card.IsZero() {
			t.Errorf("the event is %+v", e)
		}
		if !events[0].For(1).Knows || events[0].For(0).Knows {
			t.Error("the wrong seat knows the card")
		}
	})
	t.Run("discard", func(t *testing.T) {
		s, events := after(t, s, "2 discard")
		p := s.Public()
		if len(p.Discards) != 1 || !p.Discards[0].Card.IsZero() || p.Discards[0].Seat != 1 {
			t.Errorf("the discard pile is %+v", p.Discards)
		}
		if v := s.View(1); len(v.Discards) != 1 || v.Discards[0].Card.String() != "1" || len(v.Hand) != 1 {
			t.Errorf("seat 2 remembers %v", v.Discards)
		}
		if events[0].Kind() != Discarded || !events[0].For(1).Knows || events[0].For(0).Knows {
			t.Errorf("the event is %v", events[0])
		}
	})
	t.Run("beat", func(t *testing.T) {
		s, _ := after(t, s, "2 discard")
		if diff := cmp.Diff([]string{"3 beat", "3 discard", "3 take"}, texts(s.Legal())); diff != "" {
			t.Error(diff)
		}
		s, events := after(t, s, "3 beat")
		e := events[0].Public()
		if e.Kind != Beaten || e.Seat != 2 || e.Target != 0 || e.Card.String() != "0r" || e.Beaten.String() != "9" {
			t.Errorf("the event is %+v", e)
		}
		// It was the last card, so the quest is won and the next leading Paladin turned up at once.
		if diff := cmp.Diff([]EventKind{Beaten, QuestWon, LeaderRevealed}, kinds(events)); diff != "" {
			t.Error(diff)
		}
		if p := s.Public(); len(p.Discards) != 2 || p.Discards[1].Card.String() != "9" || p.Resolving != 2 || p.Deciding != 2 || p.ToAct != 2 {
			t.Errorf("public: %+v", p)
		}
		if got := table(&s); got != "-, 2:7 3:8 1:3, 3:5 1:0 2:7r" {
			t.Errorf("on the table lies %s", got)
		}
	})
	t.Run("peeked at", func(t *testing.T) {
		// What was peeked at is known to the peeker when it is taken back or discarded.
		s, _ := after(t, dealt(t, threeHands...), strings.Replace(placed3, "1 place 3 2", "1 peek 1.2, 1 place 3 2", 1))
		_, taken := after(t, s, "2 take")
		_, gone := after(t, s, "2 discard")
		for _, e := range []Event{taken[0], gone[0]} {
			if p := e.For(0); !p.Knows || p.Secret.String() != "1" || e.For(2).Knows {
				t.Errorf("%v: seat 1 knows %v %v, seat 3 %v", e.Kind(), p.Knows, p.Secret, e.For(2).Knows)
			}
		}
	})
}

func TestR13Stronger(t *testing.T) {
	for _, tt := range []struct {
		challenger, leader string
		wins               bool
	}{
		{"5", "4", true}, {"4", "5", false}, {"9", "8r", true}, {"1", "0r", true},
		{"0", "9", true}, {"0r", "9", true}, {"0", "9r", true}, {"9", "0", false}, {"9r", "0", false}, {"9r", "0r", false},
		{"0", "1", false}, {"0r", "1", false}, {"0r", "8", false}, {"0", "8", false},
		{"5r", "5", true}, {"5", "5r", false}, {"5", "5", false}, {"5r", "5r", true},
		{"0r", "0", true}, {"0", "0", false}, {"0", "0r", false}, {"9r", "9", true}, {"9", "9", false}, {"9", "9r", false},
		{"4r", "5", false}, {"5", "4r", true},
	} {
		if got := cards(t, tt.challenger)[0].Beats(cards(t, tt.leader)[0]); got != tt.wins {
			t.Errorf("%s beats %s: %v", tt.challenger, tt.leader, got)
		}
	}
	// All pairs against the rule in its own words.
	for c := range Card(cardKinds) {
		for l := range Card(cardKinds) {
			var want bool
			switch {
			case c.Value() == 0 && l.Value() == 9:
				want = true
			case c.Value() == 9 && l.Value() == 0:
				want = false
			case c.Value() == l.Value():
				want = c.Red()
			default:
				want = c.Value() > l.Value()
			}
			if got := c.Beats(l); got != want {
				t.Errorf("%v beats %v: %v", c, l, got)
			}
		}
	}
}

func TestR14WinnerKeepsQuestAndPaladin(t *testing.T) {
	s, events := after(t, dealt(t, threeHands...), placed3+", 2 take, 3 take")
	e := events[1].Public()
	if e.Kind != QuestWon || e.Seat != 0 || e.Quest != 1 || e.Place != 1 || e.Honour != 1 || e.Card.String() != "9" {
		t.Errorf("the event is %+v", e)
	}
	p := s.Public()
	if q := p.Row[0]; !q.Won || q.WonBy != 0 || q.Kept.String() != "9" || len(q.Cards) != 0 {
		t.Errorf("the quest is %+v", q)
	}
	want := []KeptQuest{{Round: 1, Quest: 1, Honour: 1, Card: faceUp(cards(t, "9")[0])}}
	if diff := cmp.Diff(want, p.Seats[0].Kept, cmp.AllowUnexported(FaceUp{})); diff != "" {
		t.Error(diff)
	}
}

func TestR15Honour(t *testing.T) {
	// Quest 1 (honour 1) goes to seat 3 with the red 0, quest 2 (2) to seat 3 with a black 8, quest 3 (3) to seat 2 with the red 7.
	s, events := after(t, dealt(t, threeHands...), placed3+", 2 take, 3 beat, 3 beat, 1 take, 1 take, 2 beat")
	if diff := cmp.Diff([]int{0, 4, 4}, s.Scores()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]EventKind{Beaten, QuestWon, RoundScored, RoundBegan}, kinds(events)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 4, 4}, events[2].Public().Scores); diff != "" {
		t.Error(diff)
	}
}

func TestR16NextDealer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		dealer int
		honour []uint8
		want   int
	}{
		{"least", 1, []uint8{3, 2, 1}, 3},
		{"least is the dealer", 1, []uint8{0, 2, 1}, 1},
		{"all tied", 1, []uint8{2, 2, 2}, 2},
		{"all tied, last seat dealt", 3, []uint8{2, 2, 2}, 1},
		{"tied with the dealer", 2, []uint8{5, 1, 1}, 3},
		{"dealer is the last of the tied", 3, []uint8{5, 1, 1}, 2},
		{"tied on both sides", 3, []uint8{1, 4, 4, 1, 4}, 4},
		{"red Paladins count", 2, []uint8{4, 5, 5}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var honour [MaxPlayers]uint8
			copy(honour[:], tt.honour)
			if got := Seat(nextDealer(uint8(len(tt.honour)), int8(tt.dealer-1), honour)); got.Number() != tt.want {
				t.Errorf("seat %d deals, want %d", got.Number(), tt.want)
			}
		})
	}
	// In play: seat 1 has least and deals; cards taken back count towards the hand.
	s, events := after(t, dealt(t, threeHands...), placed3+", 2 take, 3 beat, 3 beat, 1 take, 1 take, 2 beat")
	if s.Dealer() != 0 || s.ToAct() != 0 || s.Round() != 2 || s.Phase() != PhaseStart {
		t.Errorf("seat %d deals round %d", s.Dealer().Number(), s.Round())
	}
	began := events[3]
	// Seat 2 kept 2r and took 1 back, seat 3 kept 5r, seat 1 kept 9r and took 3 and 0 back.
	for seat, want := range []int{1, 2, 3} {
		if got := began.For(Seat(seat)).Drawn; len(got) != want {
			t.Errorf("seat %d drew %v", seat+1, got)
		}
		if len(s.hand(Seat(seat))) != 4 {
			t.Errorf("seat %d holds %v", seat+1, s.hand(Seat(seat)))
		}
	}
	if e := began.Public(); e.Round != 2 || e.Seat != 0 || e.Count != 6 {
		t.Errorf("the event is %+v", e)
	}
	if s.supplyLen != 24 {
		t.Errorf("the supply has %d cards", s.supplyLen)
	}
}

func TestR17End(t *testing.T) {
	shared := false
	for players, rounds := range map[int]int{3: 6, 4: 4, 5: 3} {
		for n := range uint64(40) {
			r := rand.New(rand.NewPCG(n, uint64(players)))
			_, end := play(t, r, newGame(t, players, SeededDeal(HouseDeck(), numberedSeed(n), "")), nil)
			p := end.Public()
			if end.Round() != rounds || end.Rounds() != rounds || p.QuestsLeft >= players || end.ToAct() != NoSeat {
				t.Fatalf("%d players: over in round %d of %d with %d quests left", players, end.Round(), end.Rounds(), p.QuestsLeft)
			}
			best := slices.Max(end.Scores())
			for seat, honour := range end.Scores() {
				if (honour == best) != slices.Contains(end.Winners(), Seat(seat)) {
					t.Fatalf("scores %v, winners %v", end.Scores(), end.Winners())
				}
			}
			shared = shared || len(end.Winners()) > 1
			refused(t, end, "1 start 1", "R17", RefusedOver)
			if len(end.Legal()) != 0 {
				t.Fatal("there are moves after the end")
			}
			// Round, quests and hands stay as the last round left them; nothing lies on the table.
			if len(p.Row) != players || p.Row[0].Cards != nil || p.Seats[0].Hand == 0 {
				t.Fatalf("after the end: %+v", p)
			}
		}
	}
	if !shared {
		t.Error("no game ended in a shared victory")
	}
}

// derivedOnly names the faults below that lie in what is derived, and are gone when it is derived anew.
var derivedOnly = []string{
	"another seat to act", "another phase", "another number of moves", "another honour", "another discard pile", "61 peeks",
}

func TestR18CheckFindsFaults(t *testing.T) {
	start, _ := after(t, dealt(t, threeHands...), strings.Replace(placed3, "1 place 3 2", "1 peek 1.2, 1 place 3 2", 1))
	s, _ := after(t, start, "2 discard, 3 beat, 3 take")
	placing, _ := after(t, dealt(t, threeHands...), allLead+"1 peek 2.1")
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		state State
		fault func(s *State)
	}{
		{"a card more in the supply", s, func(s *State) { s.supplyLen++ }},
		{"a card less in the supply", s, func(s *State) { s.supplyLen-- }},
		{"another card in the supply", s, func(s *State) { s.supply[0] = (s.supply[0] + 2) % cardKinds }},
		{"no card in the supply", s, func(s *State) { s.supply[0] = hidden }},
		{"another card in hand", s, func(s *State) { s.hands[0][0]-- }},
		{"a hand that is not sorted", s, func(s *State) { s.hands[2][0], s.hands[2][1] = s.hands[2][1], s.hands[2][0] }},
		{"two hands exchanged", s, func(s *State) {
			s.hands[1], s.hands[2], s.handLen[1], s.handLen[2] = s.hands[2], s.hands[1], s.handLen[2], s.handLen[1]
		}},
		{"taken back, but not in hand", s, func(s *State) { s.placed[5].card, s.hands[2][0] = 1, 1 }},
		{"a weaker Paladin won", s, func(s *State) { s.placed[2].card, s.placed[8].card = s.placed[8].card, s.placed[2].card }},
		{"another fate", s, func(s *State) { s.placed[1].fate = FateTakenBack }},
		{"nobody leads", s, func(s *State) { s.placed[3].fate = FateOnTable }},
		{"decided too early", s, func(s *State) { s.placed[7].fate = FateDiscarded }},
		{"a gap", s, func(s *State) { s.placed[7] = placedCard{} }},
		{"a card of the next round", s, func(s *State) { s.placed[9] = s.placed[8] }},
		{"another dealer", s, func(s *State) { s.dealer = 1 }},
		{"another seat to act", s, func(s *State) { s.toAct = 1 }},
		{"another phase", s, func(s *State) { s.phase = PhasePlace }},
		{"another number of moves", s, func(s *State) { s.moves++ }},
		{"another honour", s, func(s *State) { s.honour[0]++ }},
		{"another discard pile", s, func(s *State) { s.pile[0], s.pile[1] = s.pile[1], s.pile[0] }},
		{"another row", s, func(s *State) { s.stack[0], s.stack[17] = s.stack[17], s.stack[0] }},
		{"no such start player", s, func(s *State) { s.starter = 3 }},
		{"another start player", placing, func(s *State) { s.starter, s.toAct = 1, 1 }},
		{"a reshuffle in round 1", s, func(s *State) { s.shuffled, s.shuffleAt = 1, 1 }},
		{"a reshuffle that never was", s, func(s *State) { s.shuffled = 1 }},
		{"a peek less", s, func(s *State) { s.peekLen = 0 }},
		{"a peek at one's own card", s, func(s *State) { s.peeks[0].seat = 1 }},
		{"a peek that nobody remembers", s, func(s *State) { s.placed[1].peekers = 0 }},
		{"a peek in the wrong phase", s, func(s *State) { s.peeked = true }},
		{"a peek that was not", placing, func(s *State) { s.peekLen = 0; s.moves--; s.placed[3].peekers = 0 }},
		{"a peek too much", placing, func(s *State) { s.peeked = false }},
		{"another deck", s, func(s *State) { s.deck.paladins[0] = 1 }},
		{"a card that there is not, in the deck", s, func(s *State) { s.deck.paladins[0] = 20 }},
		{"a card that there is not, in a hand", s, func(s *State) { s.hands[0][0] = hidden }},
		{"a supply of 43", s, func(s *State) { s.supplyLen = 43 }},
		{"a hand of seven", s, func(s *State) { s.handLen[0] = 7 }},
		{"six peeks in a round", s, func(s *State) { s.peekLen = 6 }},
		{"61 peeks", s, func(s *State) { s.peekLen = 61; s.moves += 60 }},
		{"a card without a fate", placing, func(s *State) { s.placed[1].card = 1 }},
		{"a card moved before all are placed", placing, func(s *State) { s.placed[0].fate = FateLeading }},
		{"two cards of a seat on one quest", s, func(s *State) { s.placed[4].seat = 1 }},
		{"a card placed before the start player is named", placing, func(s *State) { s.starter = -1 }},
		{"nobody keeps a quest", s, func(s *State) { s.placed[2].fate = FateLeading }},
		{"a round to come", s, func(s *State) { s.round = 2 }},
		{"decided before its turn", start, func(s *State) { s.placed[2].fate = FateDiscarded }},
		{"no game", s, func(s *State) { *s = State{} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := tt.state
			tt.fault(&bad)
			if bad.Check() == nil {
				t.Error("Check finds nothing")
			}
			// With all that is derived worked out anew, as for a stored game, it still is wrong.
			if d, err := bad.derive(); err == nil && bad.derived != d {
				if bad.derived = d; bad.Check() == nil && !slices.Contains(derivedOnly, tt.name) {
					t.Error("Check finds nothing once the derived is put right")
				}
			}
		})
	}
}
