package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// largest is how many bytes a picture of the table may have.
const largest = 15 << 10

// positions plays a random game to its end and shows one position in so many, the last among them; far fewer in a short run, for the
// race detector is slow where every pixel counts.
func positions(t testing.TB, players int, seed byte, every int, show func(g *game)) {
	t.Helper()
	if testing.Short() {
		every *= 10
	}
	r := random(uint64(seed))
	g := start(t, players, seed, paladin.HouseDeck())
	for n := 0; ; n++ {
		if n%every == 0 || g.table.Awaited() == paladin.NoSeat {
			show(g)
		}
		if !g.step(r) {
			return
		}
	}
}

func pictures(t testing.TB, p *table.Public) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, draw := range map[string]func(*table.Public) ([]byte, error){"table": Table, "result": Result} {
		data, err := draw(p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = data
	}
	return out
}

// TestNothingHiddenIsDrawn deals, in random games, everything anew that nobody may see, and demands that not a byte changes (R19).
func TestNothingHiddenIsDrawn(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(digits(players)+" players", func(t *testing.T) {
			r := random(99)
			changed := false
			positions(t, players, byte(10+players), 4, func(g *game) {
				other := *g
				other.table = g.table.Redeal(paladin.NoSeat, r.IntN)
				want, got := pictures(t, g.public()), pictures(t, other.public())
				for name := range want {
					if !bytes.Equal(want[name], got[name]) {
						t.Fatalf("move %d: the %s depends on what is hidden", g.table.Prompt(), name)
					}
				}
				changed = changed || fmt.Sprint(g.private(0).View.Hand) != fmt.Sprint(other.private(0).View.Hand)
			})
			if !changed {
				t.Error("dealing anew changed no hand: this test shows nothing")
			}
		})
	}
}

// TestTableIsSmall holds throughout whole games, with more peeks than people make.
func TestTableIsSmall(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		most, sum, n := 0, 0, 0
		for seed := range byte(3) {
			positions(t, players, seed, 3, func(g *game) {
				data, err := Table(g.public())
				if err != nil {
					t.Fatal(err)
				}
				n++
				sum += len(data)
				if most = max(most, len(data)); len(data) > largest {
					t.Errorf("%d players, seed %d, move %d: %d bytes, want at most %d", players, seed, g.table.Prompt(), len(data), largest)
				}
			})
		}
		t.Logf("%d players: %d bytes on average, at most %d", players, sum/n, most)
	}
}

// TestWhateverIsPublicIsSeen changes what is public, one thing after the other, and wants another picture each time.
func TestWhateverIsPublicIsSeen(t *testing.T) {
	r := random(5)
	g := start(t, 5, 5, paladin.HouseDeck())
	g.until(r, 2, paladin.PhaseResolve, 2)
	plain := pictures(t, g.public())["table"]
	quest := func(p *table.Public) *paladin.PublicQuest { return &p.Game.Row[4] }
	for what, change := range map[string]func(p *table.Public){
		"honour of a seat":     func(p *table.Public) { p.Game.Seats[1].Honour++ },
		"cards in hand":        func(p *table.Public) { p.Game.Seats[1].Hand++ },
		"dealer":               func(p *table.Public) { p.Game.Dealer = (p.Game.Dealer + 1) % 5 },
		"start player":         func(p *table.Public) { p.Game.Start = (p.Game.Start + 1) % 5 },
		"whose move":           func(p *table.Public) { p.Game.ToAct = (p.Game.ToAct + 1) % 5 },
		"a pause":              func(p *table.Public) { p.Paused = true },
		"a squire in a seat":   func(p *table.Public) { p.Seats[3] = table.PublicSeat{Squire: squire.Normal} },
		"somebody away":        func(p *table.Public) { p.Seats[2].Away = true },
		"round":                func(p *table.Public) { p.Game.Round++ },
		"phase":                func(p *table.Public) { p.Game.Phase = paladin.PhasePlace },
		"supply":               func(p *table.Public) { p.Game.Supply++ },
		"discard pile":         func(p *table.Public) { p.Game.Discards = append(p.Game.Discards, paladin.PublicDiscard{}) },
		"quests to come":       func(p *table.Public) { p.Game.QuestsLeft++ },
		"quest resolved":       func(p *table.Public) { p.Game.Resolving++ },
		"card decided about":   func(p *table.Public) { p.Game.Deciding++ },
		"honour of a quest":    func(p *table.Public) { quest(p).Honour = quest(p).Honour%6 + 1 },
		"deck of a quest":      func(p *table.Public) { quest(p).King = !quest(p).King },
		"order on a quest":     func(p *table.Public) { c := quest(p).Cards; c[1], c[2] = c[2], c[1] },
		"who leads a quest":    func(p *table.Public) { c := quest(p).Cards; c[0], c[2] = c[2], c[0] },
		"a card taken back":    func(p *table.Public) { quest(p).Cards = quest(p).Cards[:3] },
		"peek at a leader":     func(p *table.Public) { quest(p).Cards[0].PeekedBy = []paladin.Seat{3} },
		"peek at another card": func(p *table.Public) { quest(p).Cards[3].PeekedBy = []paladin.Seat{1, 3} },
		"a quest won":          func(p *table.Public) { quest(p).Won, quest(p).WonBy = true, 2 },
		"nobody on a quest":    func(p *table.Public) { quest(p).Cards = nil },
		"a leader turned up":   func(p *table.Public) { quest(p).Cards[0].Card = faceUp(t, paladin.NewCard(7, true)) },
	} {
		p := g.public()
		change(p)
		if bytes.Equal(pictures(t, p)["table"], plain) {
			t.Errorf("%s: the picture does not show it", what)
		}
	}
}

func faceUp(t *testing.T, c paladin.Card) (f paladin.FaceUp) {
	t.Helper()
	data, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestEveryDeckCanBeDrawn plays with decks of all kinds that the format allows (R2).
func TestEveryDeckCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cards := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) string {
			return rapid.StringMatching(`[0-9]r?`).Draw(rt, "card")
		}), paladin.PaladinCards, paladin.PaladinCards).Draw(rt, "paladins")
		quests := rapid.SliceOfN(rapid.IntRange(1, paladin.MaxHonour), paladin.QuestCards, paladin.QuestCards).Draw(rt, "quests")
		data, err := json.Marshal(map[string]any{"paladins": cards, "quests": quests})
		if err != nil {
			rt.Fatal(err)
		}
		deck, err := paladin.ParseDeck(data)
		if err != nil {
			rt.Fatal(err)
		}
		players := rapid.IntRange(paladin.MinPlayers, paladin.MaxPlayers).Draw(rt, "players")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "moves"), 1))
		g := start(t, players, 1, deck)
		for range rapid.IntRange(0, 150).Draw(rt, "how many moves") {
			g.step(r)
		}
		for name, data := range pictures(t, g.public()) {
			if w := decoded(t, data).Bounds().Dx(); w != Width {
				rt.Fatalf("%s: %d pixels wide", name, w)
			}
		}
		if _, err := Hand(0, g.private(0).View.Hand); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestOneWinsEverything draws the most that a row of the result can hold.
func TestOneWinsEverything(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		g := start(t, players, 1, paladin.HouseDeck())
		p := g.public()
		before := pictures(t, p)["result"]
		for round := 1; round <= p.Game.Rounds; round++ {
			for quest := 1; quest <= players; quest++ {
				p.Game.Seats[1].Kept = append(p.Game.Seats[1].Kept, paladin.KeptQuest{
					Round: round, Quest: quest, Honour: 6, Card: faceUp(t, paladin.NewCard(round, true)),
				})
			}
		}
		p.Game.Seats[1].Honour = 73
		p.Game.Winners = []paladin.Seat{1}
		data := pictures(t, p)["result"]
		img := decoded(t, data)
		for y := range img.Bounds().Dy() {
			for x := Width - margin; x < Width; x++ {
				if !sameColour(img.At(x, y), felt) {
					t.Fatalf("%d players: something stands outside the row at %d, %d", players, x, y)
				}
			}
		}
		if bytes.Equal(before, data) {
			t.Errorf("%d players: what was won is not drawn", players)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	for what, p := range map[string]*table.Public{
		"no table":         nil,
		"a lobby":          {},
		"too few seats":    {Game: &paladin.Public{Seats: make([]paladin.PublicSeat, 2)}},
		"too many seats":   {Game: &paladin.Public{Seats: make([]paladin.PublicSeat, 6)}},
		"a game of nobody": {Game: &paladin.Public{}},
	} {
		if _, err := Table(p); err == nil {
			t.Errorf("Table draws %s", what)
		}
		if _, err := Result(p); err == nil {
			t.Errorf("Result draws %s", what)
		}
	}
	for _, n := range []int{-1, 0, Lessons + 1} {
		if _, err := Lesson(n); err == nil {
			t.Errorf("there is a lesson %d", n)
		}
	}
}

// TestManyAtOnce draws the same pictures from many goroutines: each is the same, byte by byte.
func TestManyAtOnce(t *testing.T) {
	r := random(3)
	g := start(t, 4, 3, paladin.HouseDeck())
	g.until(r, 2, paladin.PhaseResolve, 3)
	p := g.public()
	want, err := Table(p)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 2 {
				if got, err := Table(p); err != nil || !bytes.Equal(got, want) {
					t.Errorf("another picture of the same table, or %v", err)
				}
				if _, err := Result(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestHand(t *testing.T) {
	seen := map[string]string{}
	for _, cards := range [][]paladin.Card{
		nil, {0}, {1}, {7, 7}, {18, 19}, {0, 2, 4, 6, 8, 10}, {0, 2, 4, 6, 8, 11}, make([]paladin.Card, paladin.PaladinCards),
	} {
		data, err := Hand(1, cards)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > largest {
			t.Errorf("%v: %d bytes, want at most %d", cards, len(data), largest)
		}
		if bounds := decoded(t, data).Bounds(); bounds != image.Rect(0, 0, Width, HandHeight) {
			t.Errorf("%v: %v large", cards, bounds)
		}
		if other, ok := seen[string(data)]; ok {
			t.Errorf("%v looks like %s", cards, other)
		}
		seen[string(data)] = fmt.Sprint(cards)
	}
	mine, _ := Hand(1, []paladin.Card{4})
	others, _ := Hand(2, []paladin.Card{4})
	if bytes.Equal(mine, others) {
		t.Error("a hand does not show whose it is")
	}
}

// TestNumbersCanBeReadOnAPhone: on a picture 360 pixels wide every number is written at least 11 high.
func TestNumbersCanBeReadOnAPhone(t *testing.T) {
	const least = 11 * Width / 360.0
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		l, err := layoutFor(players)
		if err != nil {
			t.Fatal(err)
		}
		for what, n := range map[string]numerals{"quest": l.number, "honour": l.honour, "hand": l.hand, "round": l.round, "piles": l.piles} {
			if n.size < least {
				t.Errorf("%d players: the number of %s is %.0f high, want at least %.1f", players, what, n.size, least)
			}
		}
		if size := 66 * shieldWidth * l.scale / 100; size < least {
			t.Errorf("%d players: a quest's honour is %.0f high, want at least %.1f", players, size, least)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		b.Run(digits(players)+" players", func(b *testing.B) {
			r := random(uint64(players))
			g := start(b, players, byte(players), paladin.HouseDeck())
			g.until(r, 2, paladin.PhaseResolve, 2)
			p := g.public()
			size := 0
			for b.Loop() {
				data, err := Table(p)
				if err != nil {
					b.Fatal(err)
				}
				size = len(data)
			}
			b.ReportMetric(float64(size), "B/picture")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/picture")
		})
	}
}
