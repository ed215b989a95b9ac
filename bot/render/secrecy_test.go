package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"paladin/game/paladin"
	"paladin/game/table"
)

// TestNobodyIsShownMore deals, in random games, everything anew that a viewer cannot know, and demands that nothing the viewer is
// sent changes by a byte: text, labels, custom ids, options and suggestions.
func TestNobodyIsShownMore(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(fmt.Sprintf("%d players", players), func(t *testing.T) {
			r := random(uint64(players) + 50)
			g := startTable(t, plainNames[:players], byte(players))
			changed := false
			for {
				for _, viewer := range []paladin.Seat{paladin.NoSeat, g.table.Awaited(), paladin.Seat(r.IntN(players))} {
					other := *g
					other.table = g.table.Redeal(viewer, r.IntN)
					same := r.Uint64() // both choose alike
					want, got := shown(t, g, viewer, random(same)), shown(t, &other, viewer, random(same))
					if len(want) != len(got) {
						t.Fatalf("move %d: what seat %d can be shown depends on what is hidden", g.table.Prompt(), viewer.Number())
					}
					for what, bytes := range want {
						if got[what] != bytes {
							t.Fatalf("move %d: %s of seat %d depends on what is hidden:\n%s\n%s", g.table.Prompt(), what, viewer.Number(), bytes, got[what])
						}
					}
					changed = changed || anyHandDiffers(g, &other)
				}
				if !g.step(r) || g.table.Stage() != table.Playing {
					break
				}
			}
			if !changed {
				t.Error("dealing anew changed no hand: this test shows nothing")
			}
		})
	}
}

// shown is what the viewer can be sent at this moment, by what it is; of all that could be chosen in a panel, a few.
func shown(t *testing.T, g *game, viewer paladin.Seat, choose *rand.Rand) map[string]string {
	t.Helper()
	p := g.public()
	all := map[string]any{
		"board":     english.Board(p, Links{}),
		"spectator": english.Spectator(p, "1", PanelOptions{BoardLink: ""}),
		"log":       english.LogPage(p, g.history, 0),
		"turn ping": english.TurnPing(p, p.Awaited, ""),
		"games":     english.GamesPage([]Listed{{Public: p, Seat: viewer}}, 1, 0),
		"digest":    english.Digest([]Listed{{Public: p, Seat: viewer}, {Public: p, Seat: viewer}}),
		"since":     english.SinceLastLooked(p, viewer, g.history, nil),
	}
	if viewer != paladin.NoSeat {
		own := g.private(viewer)
		for _, sel := range some(choose, 4, selections(own)) {
			all[fmt.Sprintf("panel with %+v", sel)] = english.Panel(own, sel, panelOptions(g))
		}
		for sub, options := range map[string][]string{
			SubFirst: {OptSeat}, SubPlace: {OptCard, OptQuest}, SubPeek: {OptCard}, SubResolve: {OptChoice},
		} {
			for _, focused := range options {
				all["suggestions of "+sub+" "+focused] = english.Choices(own, sub, map[string]string{OptQuest: "1"}, focused)
			}
		}
	}
	out := make(map[string]string, len(all))
	for what, value := range all {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out[what] = string(data)
	}
	return out
}

func anyHandDiffers(a, b *game) bool {
	for i := range a.public().Seats {
		if fmt.Sprint(a.private(paladin.Seat(i)).View.Hand) != fmt.Sprint(b.private(paladin.Seat(i)).View.Hand) {
			return true
		}
	}
	return false
}

// TestOthersGetNoSuggestions: whoever is not to move, or has no seat, is suggested nothing.
func TestOthersGetNoSuggestions(t *testing.T) {
	g := startTable(t, plainNames[:3], 1)
	r := random(1)
	for more := true; more; more = g.step(r) {
		for seat := range paladin.Seat(3) {
			p := g.private(seat)
			if p.MyTurn() {
				continue
			}
			for _, sub := range []string{SubFirst, SubPlace, SubPeek, SubResolve} {
				for _, option := range []string{OptSeat, OptCard, OptQuest, OptChoice} {
					if got := english.Choices(p, sub, nil, option); len(got) > 0 {
						t.Fatalf("move %d: %s %s suggests %v to seat %d", p.Prompt, sub, option, got, seat.Number())
					}
				}
			}
		}
	}
	if got := english.Choices(nil, SubPlace, nil, OptCard); got != nil {
		t.Errorf("somebody without a seat is suggested %v", got)
	}
}
