package squire

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"paladin/game/paladin"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// playing are the strengths that are tested by play here. The knight's tests are in knight_test.go, where it thinks less.
var playing = []Strength{Easy, Normal}

func TestNames(t *testing.T) {
	for _, s := range Strengths() {
		parsed, err := Parse(s.String())
		if err != nil || parsed != s {
			t.Errorf("Parse(%q) = %v, %v", s.String(), parsed, err)
		}
		if !strings.HasPrefix(s.Describe(), s.Title()+": ") {
			t.Errorf("%v is described as %q and titled %q", s, s.Describe(), s.Title())
		}
		data, err := json.Marshal(map[string]Strength{"squire": s})
		if want := `{"squire":"` + s.String() + `"}`; err != nil || string(data) != want {
			t.Errorf("JSON of %v: %s, %v, want %s", s, data, err, want)
		}
		var read struct{ Squire Strength }
		if err := json.Unmarshal(data, &read); err != nil || read.Squire != s {
			t.Errorf("%s is read as %v, %v", data, read.Squire, err)
		}
	}
	if diff := cmp.Diff([]Strength{Easy, Normal, Knight}, Playable()); diff != "" {
		t.Errorf("playable (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, name := range []string{"", "Easy", " easy", "none", "squire", "normal\n"} {
		s, err := Parse(name)
		if err == nil || s != 0 || !strings.Contains(err.Error(), "choose easy, normal or knight") {
			t.Errorf("Parse(%q) = %v, %v", name, s, err)
		}
	}
	if _, err := Parse(strings.Repeat("é", 1000)); err == nil || len(err.Error()) > 200 || strings.Contains(err.Error(), "\n") {
		t.Errorf("a long name: %v", err)
	}
}

func TestCannotChoose(t *testing.T) {
	state := deal(t, 3)
	for _, s := range []Strength{0, 9} {
		view := state.View(0)
		move, err := s.Choose(&view, [32]byte{})
		if err == nil || move != (paladin.Move{}) || err.Error() != s.Check().Error() {
			t.Errorf("%v chose %v, %v", s, move, err)
		}
		if _, err := s.MarshalText(); err == nil {
			t.Errorf("strength %d has a text form", s)
		}
	}
	for _, s := range Playable() {
		for _, viewer := range []paladin.Seat{1, 2, paladin.NoSeat} {
			view := state.View(viewer)
			if move, err := s.Choose(&view, [32]byte{}); !errors.Is(err, ErrNotToAct) {
				t.Errorf("%v chose %v, %v for seat %d, whose turn it is not", s, move, err, viewer)
			}
		}
	}
}

// deal deals a game from the house deck and a fixed seed.
func deal(t *testing.T, players int) paladin.State {
	t.Helper()
	state, err := paladin.New(players, paladin.SeededDeal(paladin.HouseDeck(), paladin.Seed{1}, "-"))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// drawDeal draws a deal, of the house deck mostly and sometimes of a deck of any cards.
func drawDeal(t *rapid.T) paladin.Deal {
	var seed paladin.Seed
	copy(seed[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "seed"))
	deck := paladin.HouseDeck()
	if rapid.IntRange(0, 4).Draw(t, "own deck") == 4 {
		var cards struct {
			Paladins []paladin.Card `json:"paladins"`
			Quests   []int          `json:"quests"`
		}
		card := rapid.Custom(func(t *rapid.T) paladin.Card { return paladin.Card(rapid.IntRange(0, kinds-1).Draw(t, "card")) })
		cards.Paladins = rapid.SliceOfN(card, paladin.PaladinCards, paladin.PaladinCards).Draw(t, "paladins")
		cards.Quests = rapid.SliceOfN(rapid.IntRange(1, 6), paladin.QuestCards, paladin.QuestCards).Draw(t, "quests")
		data, err := json.Marshal(cards)
		if err != nil {
			t.Fatal(err)
		}
		if deck, err = paladin.ParseDeck(data); err != nil {
			t.Fatal(err)
		}
	}
	return paladin.SeededDeal(deck, seed, "-")
}

// walk plays a random game, by random moves and by squires in turn, and shows each position in which somebody is to act.
func walk(t *rapid.T, visit func(state *paladin.State, random *rand.Rand)) {
	players := rapid.IntRange(paladin.MinPlayers, paladin.MaxPlayers).Draw(t, "players")
	state, err := paladin.New(players, drawDeal(t))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
	easily := random.IntN(4) // how many in four moves are at random
	for !state.Over() {
		visit(&state, random)
		legal := state.Legal()
		move := legal[random.IntN(len(legal))]
		if random.IntN(4) >= easily {
			view := state.View(state.ToAct())
			if move, err = Normal.Choose(&view, chance(random)); err != nil {
				t.Fatal(err)
			}
		}
		next, _, err := state.Apply(move)
		if err != nil {
			t.Fatal(err)
		}
		state = next
	}
}

func chance(random *rand.Rand) (seed [32]byte) {
	for i := range seed {
		seed[i] = byte(random.Uint32())
	}
	return seed
}

// TestChoiceIsLegal holds every decision of random games against the rules' list.
func TestChoiceIsLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			view := state.View(state.ToAct())
			for _, s := range playing {
				move, err := s.Choose(&view, chance(random))
				if err != nil || !slices.Contains(state.Legal(), move) {
					t.Fatalf("%v chose %q (%v), of %v", s, move, err, state.Legal())
				}
			}
		})
	})
}

// TestChoiceIsAFunction asks twice with views made anew, and looks whether the view was left alone.
func TestChoiceIsAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			if random.IntN(4) != 0 {
				return // a quarter of the positions is enough
			}
			seed := chance(random)
			for _, s := range playing {
				first, second := state.View(state.ToAct()), state.View(state.ToAct())
				move, _ := s.Choose(&first, seed)
				if again, _ := s.Choose(&second, seed); again != move {
					t.Fatalf("%v chose %q and then %q", s, move, again)
				}
				if again, _ := s.Choose(&first, seed); again != move {
					t.Fatalf("%v chose %q and, asked again with the same view, %q", s, move, again)
				}
			}
		})
	})
}

// TestEasyIsUniform counts the choices of the first position: three start players, each about a third of the time.
func TestEasyIsUniform(t *testing.T) {
	state := deal(t, 3)
	view := state.View(0)
	random := rand.New(rand.NewPCG(1, 2))
	counts := map[paladin.Move]int{}
	const times = 3000
	for range times {
		move, err := Easy.Choose(&view, chance(random))
		if err != nil {
			t.Fatal(err)
		}
		counts[move]++
	}
	for _, move := range state.Legal() {
		if n := counts[move]; n < times/3-150 || n > times/3+150 {
			t.Errorf("%q was chosen %d times in %d", move, n, times)
		}
	}
}

// TestNormalEndsWell looks at the last round, in which no card is worth keeping: the last card of a quest that can beat does.
func TestNormalEndsWell(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			view := state.View(state.ToAct())
			if view.Round != view.Rounds || !view.BeatWins {
				return
			}
			cards := view.Row[view.Resolving-1].Cards
			if cards[len(cards)-1].Place != view.Deciding {
				return
			}
			seen++
			if move, err := Normal.Choose(&view, chance(random)); err != nil || move.Kind != paladin.Beat {
				t.Fatalf("normal chose %q, %v", move, err)
			}
		})
	})
	if seen == 0 {
		t.Error("no such position came up")
	}
}

func BenchmarkChoose(b *testing.B) {
	for _, s := range playing {
		for _, players := range []int{3, 5} {
			b.Run(s.String()+"/"+string(rune('0'+players)), func(b *testing.B) {
				views := positions(b, players)
				var seed [32]byte
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := s.Choose(&views[i%len(views)], seed); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// positions are the views of all decisions of a game.
func positions(b *testing.B, players int) (views []paladin.View) {
	state, err := paladin.New(players, paladin.SeededDeal(paladin.HouseDeck(), paladin.Seed{1}, "-"))
	for !state.Over() {
		if err != nil {
			b.Fatal(err)
		}
		view := state.View(state.ToAct())
		views = append(views, view)
		move, chooseErr := Normal.Choose(&view, [32]byte{byte(len(views))})
		if chooseErr != nil {
			b.Fatal(chooseErr)
		}
		state, _, err = state.Apply(move)
	}
	return views
}
