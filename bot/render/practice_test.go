package render

import (
	"strings"
	"testing"

	"paladin/game/paladin"
	"paladin/game/table"
)

// practise deals a practice game.
func practise(t testing.TB, name string, seed byte) *game {
	t.Helper()
	g := &game{t: t, now: opened}
	var err error
	g.table, _, err = table.Practise(table.Opening{
		ID: "practice-k7f3q2xa", Guild: "900000000000000001", Channel: "900000000000000002", Host: g.actor(0, name),
		Deck: paladin.HouseDeck(), Seed: paladin.Seed{1, seed}, SquireSeed: paladin.Seed{2, seed}, Now: g.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// practiceMove makes a move of the person and those of the squires after it.
func (g *game) practiceMove(m paladin.Move) {
	g.t.Helper()
	g.do(g.actor(0, g.public().Seats[0].Person.Name), table.Play{Prompt: g.table.Prompt(), Move: m})
	for g.table.SquireToAct() {
		g.do(table.Actor{}, table.SquireMove{Prompt: g.table.Prompt()})
	}
}

// practiceOver is what came of it.
func (g *game) practiceOver() (*table.Private, table.Practised) {
	g.t.Helper()
	r, over, err := g.table.Practised()
	if err != nil || !over {
		g.t.Fatal(over, err)
	}
	return g.private(0), r
}

// TestPractice is a practice round, screen by screen.
func TestPractice(t *testing.T) {
	var s screens
	g := practise(t, "Alma", 6)
	seen := map[paladin.Phase]bool{}
	for g.table.Live() {
		p := g.private(0)
		if !seen[p.Game.Phase] {
			seen[p.Game.Phase] = true
			s.add(p.Game.Phase.String(), english.Panel(p, Selection{}, PanelOptions{Hint: HintFor(p)}))
		}
		legal := p.View.Legal()
		g.practiceMove(legal[len(legal)/2])
	}
	p, r := g.practiceOver()
	s.add("over", english.PracticeOver(p, &r, PanelOptions{}))
	s.add("over, awaited elsewhere", english.PracticeOver(p, &r, PanelOptions{Next: "https://discord.com/channels/1/2/3"}))
	s.add("gone", english.PracticeGone())
	s.compare(t, "practice")
}

// TestHintsSpeakOfWhatIsPossible: nobody is told to peek, or what beating does, who cannot do it now.
func TestHintsSpeakOfWhatIsPossible(t *testing.T) {
	g, r := startTable(t, plainNames[:4], 2), random(2)
	told := map[string]int{}
	for more := true; more; more = g.step(r) {
		seat := g.table.Awaited()
		if seat == paladin.NoSeat {
			break
		}
		p := g.private(seat)
		words := english.HintText(p, HintFor(p))
		can := map[string]bool{}
		for _, m := range p.View.Legal() {
			can["peek"] = can["peek"] || m.Kind == paladin.Peek
			can["If it beats"] = can["If it beats"] || m.Kind == paladin.Beat
		}
		for _, act := range []string{"peek", "If it beats"} {
			if strings.Contains(words, act) != can[act] {
				t.Fatalf("move %d, possible: %v, told: %s", p.Prompt, can, words)
			}
		}
		told[words]++
	}
	if len(told) != 6 {
		t.Errorf("hints of %d kinds: %v", len(told), told)
	}
}

// TestPracticeOutcomes: who is ahead, shares the lead or is behind is told so.
func TestPracticeOutcomes(t *testing.T) {
	for _, tc := range []struct {
		honour []int
		want   Text
	}{
		{[]int{5, 3, 4}, "practice.over_first"}, {[]int{5, 5, 4}, "practice.over_tied"}, {[]int{3, 5, 4}, "practice.over_behind"},
		{[]int{0, 5, 5}, "practice.over_behind"},
	} {
		want := english.Say(tc.want, "honour", english.honour(tc.honour[0]), "most", english.honour(5))
		if got := english.practiceOutcome(0, &table.Practised{Honour: tc.honour}); got != want {
			t.Errorf("%v: %q, want %q", tc.honour, got, want)
		}
	}
}

// TestPracticeFits: in every language and with the worst names, every screen of practice keeps within Discord's limits.
func TestPracticeFits(t *testing.T) {
	for i, name := range worstNames {
		for _, lang := range Languages {
			pr, r := NewPrinter(lang), random(uint64(i))
			g := practise(t, name, byte(i))
			for g.table.Live() {
				p := g.private(0)
				for _, sel := range some(r, 2, selections(p)) {
					checkLimits(t, lang+" practice", pr.Panel(p, sel, PanelOptions{Hint: HintFor(p), Note: pr.Say(TextPracticeGoesOn)}))
				}
				legal := p.View.Legal()
				g.practiceMove(legal[r.IntN(len(legal))])
			}
			p, result := g.practiceOver()
			checkLimits(t, lang+" practice over", pr.PracticeOver(p, &result, PanelOptions{Next: "https://discord.com/channels/1/2/3"}))
			checkLimits(t, lang+" practice gone", pr.PracticeGone())
		}
	}
}
