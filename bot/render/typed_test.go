package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
	"paladin/game/table"
)

func TestTypedCards(t *testing.T) {
	black, red := paladin.NewCard(7, false), paladin.NewCard(7, true)
	for typed, want := range map[string]paladin.Card{
		"7": black, " 7 ": black, "7b": black, "b7": black, "black 7": black, "7 Black": black, "7 (black)": black,
		"7r": red, "7R": red, "r7": red, "red 7": red, "7 red": red, "Red-7": red, "7⚔": red, "7r⚔": red, "7r⚔ (red)": red,
		"0": paladin.NewCard(0, false), "9r": paladin.NewCard(9, true),
	} {
		if got, ok := english.typedCard(typed); !ok || got != want {
			t.Errorf("typedCard(%q) = %v, %v, want %v", typed, got, ok, want)
		}
	}
	for _, typed := range []string{"", "r", "77", "07", "10", "7 7", "7 red black", "7 black red", "seven", "7x", "７"} {
		if got, ok := english.typedCard(typed); ok {
			t.Errorf("typedCard(%q) = %v, want none", typed, got)
		}
	}
}

func TestTypedQuestsAndSpots(t *testing.T) {
	for typed, want := range map[string]int{"2": 2, "q2": 2, "Q 2": 2, "quest 2": 2, "#2": 2, "Mission 2": 2} {
		if got, ok := english.typedQuest(typed); !ok || got != want {
			t.Errorf("typedQuest(%q) = %d, %v, want %d", typed, got, ok, want)
		}
	}
	for _, typed := range []string{"", "q", "0", "2.1", "two", "100", "99999999999999999999"} {
		if got, ok := english.typedQuest(typed); ok {
			t.Errorf("typedQuest(%q) = %d, want none", typed, got)
		}
	}
	for _, typed := range []string{"2.3", "2 3", "q2 c3", "quest 2, card 3", "2/3", "quest 2, 3rd card"} {
		if quest, place, refusal := english.readSpot(typed); refusal != "" || quest != 2 || place != 3 {
			t.Errorf("readSpot(%q) = %d, %d, %q", typed, quest, place, refusal)
		}
	}
	for _, typed := range []string{"", "2", "2.3.4", "2.0", "left", "q2 bob", "3rd card, quest 2", "c3 q2", "3 quest 2"} {
		if _, _, refusal := english.readSpot(typed); refusal == "" {
			t.Errorf("readSpot(%q) is accepted", typed)
		}
	}
}

func TestTypedChoices(t *testing.T) {
	for typed, want := range map[string]paladin.MoveKind{
		"beat": paladin.Beat, "B": paladin.Beat, "take": paladin.Take, "Take back": paladin.Take, "take-back": paladin.Take,
		"discard": paladin.Discard, "d": paladin.Discard,
	} {
		if got, refusal := english.readAct(typed); refusal != "" || got != want {
			t.Errorf("readAct(%q) = %v, %q", typed, got, refusal)
		}
	}
	if _, refusal := english.readAct("win or lose"); refusal == "" {
		t.Error("readAct accepts anything")
	}
}

func TestTypedSeats(t *testing.T) {
	g := startTable(t, []string{"Alma", "Bela", "bela", "7", "Emil"}, 1)
	p := g.private(0)
	for typed, want := range map[string]paladin.Seat{
		"1": 0, "seat 2": 1, "Seat2": 1, "player 5": 4, "me": 0, "Myself": 0, "alma": 0, "EMIL": 4, "blue": 1, "blue square": 1,
		"square": 1, "🔶": 2, "⭐ Emil": 4,
	} {
		if got, ok := english.typedSeat(p, typed); !ok || got != want {
			t.Errorf("english.typedSeat(%q) = %d, %v, want %d", typed, got, ok, want)
		}
	}
	for _, typed := range []string{"", "0", "6", "7", "-1", "bela", "zoe", "seat"} {
		if got, ok := english.typedSeat(p, typed); ok {
			t.Errorf("english.typedSeat(%q) = %d, want none", typed, got)
		}
	}
}

// TestSuggestionsAreMoves: in random games every legal move can be put together from suggestions, by value and by name, and is
// accepted.
func TestSuggestionsAreMoves(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(fmt.Sprintf("%d players", players), func(t *testing.T) {
			r := random(uint64(players))
			g := startTable(t, plainNames[:players], byte(players))
			for more := true; more && !t.Failed(); more = g.step(r) {
				if g.table.Awaited() != paladin.NoSeat {
					checkSuggestions(t, g)
				}
			}
		})
	}
}

func checkSuggestions(t *testing.T, g *game) {
	t.Helper()
	p := g.private(g.table.Awaited())
	reached := map[paladin.Move]bool{}
	try := func(sub string, options map[string]string) {
		t.Helper()
		move, refusal := english.ParseMove(p, sub, options)
		if refusal != "" {
			t.Errorf("%s %v: %s", sub, options, refusal)
			return
		}
		reached[move] = true
		if _, _, err := g.table.Do(table.Actor{Person: p.Seats[p.Seat].Person}, table.Play{Move: move}, g.now); err != nil {
			t.Errorf("%s %v is suggested and refused: %v", sub, options, err)
		}
	}
	for sub, option := range map[string]string{SubFirst: OptSeat, SubPeek: OptCard, SubResolve: OptChoice} {
		for _, c := range english.Choices(p, sub, nil, option) {
			checkChoice(t, c.Name)
			try(sub, map[string]string{option: c.Value.(string)})
			try(sub, map[string]string{option: c.Name})
		}
	}
	for _, quest := range english.Choices(p, SubPlace, nil, OptQuest) {
		options := map[string]string{OptQuest: quest.Value.(string)}
		for _, card := range english.Choices(p, SubPlace, options, OptCard) {
			checkChoice(t, card.Name)
			try(SubPlace, map[string]string{OptQuest: quest.Value.(string), OptCard: card.Value.(string)})
			try(SubPlace, map[string]string{OptQuest: quest.Name, OptCard: card.Name})
		}
	}
	legal := p.View.Legal()
	for _, m := range legal {
		if !reached[m] {
			t.Errorf("move %d: no suggestions lead to %v", p.Prompt, m)
		}
	}
	if len(reached) != len(legal) {
		t.Errorf("move %d: %d moves by suggestions, %d are legal", p.Prompt, len(reached), len(legal))
	}
}

func checkChoice(t *testing.T, name string) {
	t.Helper()
	if n := utf16Length(name); n < 1 || n > 100 {
		t.Errorf("a suggestion of %d units: %q", n, name)
	}
}

func TestSuggestionsFollowTheTyping(t *testing.T) {
	g := startTable(t, plainNames[:5], 1)
	p := g.private(0)
	for typed, want := range map[string]int{"": 5, "bel": 1, "seat 3": 1, "BLUE": 0, "2": 1, "zoe": 0, "a": 5} {
		if got := english.Choices(p, SubFirst, map[string]string{OptSeat: typed}, OptSeat); len(got) != want {
			t.Errorf("%q suggests %v, want %d", typed, got, want)
		}
	}
}

// TestSuggestionsNeedNoAccents: who types without accents is offered what has them, and the other way round.
func TestSuggestionsNeedNoAccents(t *testing.T) {
	g := startTable(t, []string{"Élodie", "Bela", "Cœurine"}, 1)
	for typed, want := range map[string]int{"élo": 1, "elo": 1, "ELODIE": 1, "coeur": 1, "Cœur": 1, "béla": 1, "ó": 2, "zoé": 0} {
		if got := english.Choices(g.private(0), SubFirst, map[string]string{OptSeat: typed}, OptSeat); len(got) != want {
			t.Errorf("%q suggests %v, want %d", typed, got, want)
		}
	}
}

func TestTheWrongColourIsNamed(t *testing.T) {
	g := startTable(t, plainNames[:3], 1)
	g.until(random(1), 1, paladin.PhaseLead)
	p := g.private(g.table.Awaited())
	held := p.View.Hand
	for _, c := range held {
		other := paladin.NewCard(c.Value(), !c.Red())
		_, refusal := english.ParseMove(p, SubPlace, map[string]string{OptCard: other.String(), OptQuest: "1"})
		both := false
		for _, h := range held {
			both = both || h == other
		}
		if (refusal == "") != both {
			t.Errorf("hand %v, typed %v: %q", held, other, refusal)
		}
	}
}

func TestTypedMovesBeforeTheDeal(t *testing.T) {
	p := openTable(t, 3, "Alma", 1).private(0)
	for sub, options := range map[string]map[string]string{
		SubFirst: {OptSeat: "1"}, SubPlace: {OptCard: "7", OptQuest: "1"}, SubPeek: {OptCard: "1.1"}, SubResolve: {OptChoice: "take"},
	} {
		if _, refusal := english.ParseMove(p, sub, options); refusal != "" {
			t.Errorf("%s: %s; whether it is legal is the table's question", sub, refusal)
		}
		for option := range options {
			if got := english.Choices(p, sub, nil, option); got != nil {
				t.Errorf("%s %s suggests %v", sub, option, got)
			}
		}
	}
	if _, refusal := english.ParseMove(p, "fly", nil); refusal != english.Say(TextUnknownCommand) {
		t.Errorf("an unknown command is refused with %q", refusal)
	}
}

// numberings are spellings of numbers with the number that each is, 0 for none that a quest, place or seat can have: there are at most
// five of each, and only plain digits are read.
var numberings = map[string]int{
	"1": 1, "5": 5, "02": 2, "0": 0, "6": 0, "9": 0, "10": 0, "12": 0, "55": 0, "100": 0, "99999999999999999999": 0,
	"-1": 0, "+1": 0, "−2": 0, "１": 0, "٣": 0, "२": 0, "1２": 0, "٣1": 0, "1²": 0, "½": 0, "②": 0, "x1": 0, "1e0": 0,
}

// TestNumbersAreReadAsTheyStand: whatever is not the number of a quest, place or seat makes no move, whichever signs, scripts or
// further digits it is made of, and what is makes the move of just these numbers.
func TestNumbersAreReadAsTheyStand(t *testing.T) {
	p := openTable(t, 3, plainNames[0], 1).private(0)
	read := func(sub string, options map[string]string, want paladin.Move, some bool) {
		t.Helper()
		m, refusal := english.ParseMove(p, sub, options)
		if (refusal == "") != some || some && m != want {
			t.Errorf("%s %v is read as %v, %q", sub, options, m, refusal)
		}
	}
	for a, first := range numberings {
		for _, typed := range []string{a, "quest " + a, "#" + a} {
			read(SubPlace, map[string]string{OptCard: "7", OptQuest: typed},
				paladin.Move{Kind: paladin.Place, Card: paladin.NewCard(7, false), Quest: first}, first > 0)
		}
		read(SubPeek, map[string]string{OptCard: a + "C1"}, paladin.Move{Kind: paladin.Peek, Quest: first, Place: 1}, first > 0)
		read(SubFirst, map[string]string{OptSeat: a}, paladin.Move{Kind: paladin.Start, Target: paladin.SeatNumber(first)}, first == 1)
		for b, second := range numberings {
			for _, between := range []string{".", " ", " card ", ", "} {
				read(SubPeek, map[string]string{OptCard: a + between + b},
					paladin.Move{Kind: paladin.Peek, Quest: first, Place: second}, first > 0 && second > 0)
			}
		}
	}
}

// TestTypedWordsAreClear: in every language, what people may type for one thing is not what they may type for another of its kind, in
// that language or in English.
func TestTypedWordsAreClear(t *testing.T) {
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		for _, kind := range [][]Text{{"typed.red", "typed.black"}, {"typed.beat", "typed.take", "typed.discard"}} {
			for _, meant := range kind {
				for entry := range strings.SplitSeq(pr.Say(meant), ",") {
					said := strings.Join(words(entry), " ")
					if said == "" || !slices.Equal(words(said), words(entry)) {
						t.Errorf("%s: %s has %q, which nobody can type", lang, meant, entry)
					}
					for _, other := range kind {
						if pr.means(other, said) != (other == meant) {
							t.Errorf("%s: %q of %s means %s: %v", lang, entry, meant, other, other != meant)
						}
					}
				}
			}
		}
	}
}

func TestTypedTextIsCutIntoWords(t *testing.T) {
	for typed, want := range map[string][]string{
		"Défausser": {"defausser"}, "Cœur": {"coeur"}, "weiß": {"weiss"}, "e\u0301toile": {"etoile"}, "quête n° 2": {"quete", "n", "2"}, "7⚔️": {"7", "⚔"}, "Red-7": {"red", "7"},
		"2-3": {"2", "3"}, "-7": {"-", "7"}, "٣": {"٣"}, "1２": {"1", "２"}, " , ": nil,
	} {
		if diff := cmp.Diff(want, words(typed)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}

func FuzzParseMove(f *testing.F) {
	for _, s := range []string{"7r", "red 7", "q2", "2.3", "seat 2", "me", "take back", "7⚔", "quest 2, card 3", "\xff", "٣", "10C1", "1.６", "-2"} {
		f.Add(s, s)
	}
	g := startTable(f, plainNames[:4], 1)
	own := g.private(0)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, sub := range []string{SubFirst, SubPlace, SubPeek, SubResolve, a} {
			options := map[string]string{OptSeat: a, OptCard: a, OptQuest: b, OptChoice: a}
			m, refusal := english.ParseMove(own, sub, options)
			if refusal != "" {
				if m != (paladin.Move{}) {
					t.Fatalf("refused and yet %v", m)
				}
				continue
			}
			if again, err := paladin.ParseMove(m.String()); err != nil || again != m {
				t.Fatalf("%s %q %q is read as %+v, which is no move: %v", sub, a, b, m, err)
			}
			for focused := range options {
				english.Choices(own, sub, options, focused)
			}
		}
	})
}
