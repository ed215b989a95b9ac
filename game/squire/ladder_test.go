package squire

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paladin/game/paladin"
)

// steps are what a knight is made of, taken away one at a time.
var steps = map[string]func(*budget, *model){
	"full":   func(*budget, *model) {},
	"blind":  func(p *budget, _ *model) { p.Believe = false },                           // hands by the cards seen alone
	"fresh":  func(_ *budget, m *model) { m.past = (&model{}).past },                    // nothing of the rounds before
	"flat":   func(p *budget, _ *model) { p.Widen = 0 },                                 // no tree
	"peeks":  func(p *budget, _ *model) { p.Peeks = !p.Peeks },                          // peeks by search, not by rule
	"half":   func(p *budget, _ *model) { p.Rollouts, p.Burn = p.Rollouts/2, p.Burn/2 }, // half the effort
	"double": func(p *budget, _ *model) { p.Rollouts, p.Burn = p.Rollouts*2, p.Burn*2 }, // twice the effort
	"mixing": func(p *budget, _ *model) { p.Steps *= 3 },                                // deals less like the one before
	"sure":   func(_ *budget, m *model) { m.slip, m.odd = 0.02, 0.01 },                  // others hardly ever slip
	"unsure": func(_ *budget, m *model) { m.slip, m.odd, m.blur = 0.3, 0.15, 3*m.blur }, // others slip often
}

// TestLadder measures what each step gains: one knight among normal squires, every deal from each seat. It is for people
// who work on the knight: PALADIN_LADDER names players, deals and steps.
//
//	PALADIN_LADDER=3,200,full,blind,flat go test ./game/squire -run TestLadder -v -timeout 0
func TestLadder(t *testing.T) {
	text := os.Getenv("PALADIN_LADDER")
	if text == "" {
		t.Skip("PALADIN_LADDER is not set")
	}
	words := strings.Split(text, ",")
	players, err := strconv.Atoi(words[0])
	if err != nil || len(words) < 3 {
		t.Fatalf("PALADIN_LADDER is players, deals and steps: %q", text)
	}
	deals, err := strconv.Atoi(words[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range words[2:] {
		step := steps[name]
		if step == nil {
			t.Fatalf("there is no step %q", name)
		}
		sum, squares := 0.0, 0.0
		for deal := range deals {
			share := playDeal(t, players, deal, step)
			sum += share
			squares += share * share
			if n := float64(deal + 1); deal+1 == deals || (deal+1)%25 == 0 {
				t.Logf("%s, %d players, %d games: %.1f ± %.1f %%", name, players, players*(deal+1), 100*sum/n,
					196*math.Sqrt(max(0, squares/n-sum*sum/n/n)/max(1, n-1)))
			}
		}
	}
}

// playDeal plays a deal from each seat and answers with the knight's share of the games.
func playDeal(t *testing.T, players, number int, step func(*budget, *model)) (share float64) {
	for game := range players {
		state, err := paladin.New(players, paladin.SeededDeal(paladin.HouseDeck(), paladin.Seed{3, byte(number >> 8), byte(number)}, "-"))
		if err != nil {
			t.Fatal(err)
		}
		for !state.Over() {
			view, seed := state.View(state.ToAct()), [32]byte{byte(number), byte(number >> 8), byte(game), byte(state.Moves())}
			var move paladin.Move
			if state.ToAct() == paladin.Seat(game) {
				p, m := budgetFor(players, 0), houseModel(uint8(players), uint8(view.Round-1))
				step(&p, m)
				move = searchMove(&view, seed, &p, m, nil)
			} else {
				move, err = Normal.Choose(&view, seed)
			}
			if err != nil {
				t.Fatal(err)
			}
			if state, _, err = state.Apply(move); err != nil {
				t.Fatal(err)
			}
		}
		if winners := state.Winners(); slices.Contains(winners, paladin.Seat(game)) {
			share += 1 / float64(len(winners)*players)
		}
	}
	return share
}
