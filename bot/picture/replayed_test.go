package picture

import (
	"bytes"
	"errors"
	"testing"

	"paladin/game/paladin"
)

// TestReplayedShowsWhatIsKnown: every card that is known shows, and tells itself from another, wherever it lies face down; what nobody
// knows looks as on the table.
func TestReplayedShowsWhatIsKnown(t *testing.T) {
	shown, every := 0, 40
	if testing.Short() {
		every = 14 // positions makes it ten times as many
	}
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		positions(t, players, byte(20+players), every, func(g *game) {
			p := g.public()
			draw := func(known func(quest, place int) (paladin.Card, bool)) []byte {
				t.Helper()
				data, err := Replayed(p, known)
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			table, err := Table(p)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(table, draw(func(int, int) (paladin.Card, bool) { return 0, false })) {
				t.Errorf("%d players, round %d: knowing nothing shows something", players, p.Game.Round)
			}
			if data := draw(known(g, paladin.NoSeat)); len(data) > largest {
				t.Errorf("%d players, round %d: %d bytes, want at most %d", players, p.Game.Round, len(data), largest)
			}
			for _, q := range p.Game.Row {
				for _, c := range q.Cards {
					last := table
					for _, card := range []paladin.Card{0, 1, 9, 17} {
						one := draw(func(quest, place int) (paladin.Card, bool) { return card, quest == q.Number && place == c.Place })
						if changed, hidden := !bytes.Equal(one, last), c.Card.IsZero(); changed != hidden {
							t.Fatalf("%d players, quest %d, place %d, %v: changed %t, face down %t", players, q.Number, c.Place, card, changed, hidden)
						}
						last = one
						shown++
					}
				}
			}
		})
	}
	if shown < 40 {
		t.Errorf("only %d cards were looked at", shown)
	}
	if _, err := Replayed(nil, nil); !errors.Is(err, errNoGame) {
		t.Errorf("without a table: %v", err)
	}
}

// TestReplayedShowsWhoPeeked: also where the face is open to the viewer, and however many did.
func TestReplayedShowsWhoPeeked(t *testing.T) {
	g := start(t, 5, 5, paladin.HouseDeck())
	g.until(random(5), 2, paladin.PhaseResolve, 0)
	all := known(g, paladin.NoSeat)
	for _, place := range []int{0, 2} {
		seen := map[string]int{}
		for n := range 5 {
			p := g.public()
			c := &p.Game.Row[4].Cards[place]
			c.PeekedBy = nil
			for seat := range paladin.Seat(5) {
				if seat != c.Seat && len(c.PeekedBy) < n {
					c.PeekedBy = append(c.PeekedBy, seat)
				}
			}
			data, err := Replayed(p, all)
			if err != nil {
				t.Fatal(err)
			}
			if before, same := seen[string(data)]; same {
				t.Errorf("card %d: %d who peeked look like %d", place+1, n, before)
			}
			seen[string(data)] = n
		}
	}
}
