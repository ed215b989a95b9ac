package squire

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// TestFit makes the tables of worths.go from so many games of normal squires and prints them:
//
//	PALADIN_FIT=80000 go test ./game/squire -run TestFit -v
func TestFit(t *testing.T) {
	text := os.Getenv("PALADIN_FIT")
	if text == "" {
		t.Skip("PALADIN_FIT is not set")
	}
	games, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		for round, e := range playEnds(players, games) {
			table := worthTable{players: players, round: round + 1, old: likelier(&e.old, &e.all), discarded: likelier(&e.discarded, &e.all)}
			table.slope, table.card = fit(e.ends)
			fmt.Fprintf(&out, "\t{\n\t\tplayers: %d, round: %d, slope: %.4f,\n", table.players, table.round, table.slope)
			for i, row := range [][core.Kinds]float64{table.card, table.old, table.discarded} {
				fmt.Fprintf(&out, "\t\t%s: [core.Kinds]float64{", []string{"card", "old", "discarded"}[i])
				for _, x := range row {
					fmt.Fprintf(&out, "%.2f, ", x)
				}
				fmt.Fprintf(&out, "},\n")
			}
			fmt.Fprintf(&out, "\t},\n")
		}
	}
	t.Logf("\n%s", out.String())
}

// An end is what each seat has at the end of a round, and its share of the victory in the end.
type end struct {
	honour, won [core.MaxPlayers]float64
	cards       [core.MaxPlayers][core.Kinds]float64
	players     int
}

// The ends of one round of many games, and counts of the cards then in hands, discarded unseen, and not kept with quests.
type ends struct {
	ends                []end
	old, discarded, all [core.Kinds]float64
}

// playEnds plays games and answers with the ends of all rounds but the last.
func playEnds(players, games int) []ends {
	deck := paladin.HouseDeck()
	k, r := newQuick(players, deck, &houseWeights), core.NewRand(uint64(players))
	all := make([]ends, core.Quests/players-1)
	for range games {
		s := dealCore(players, deck, r)
		for !s.Over() {
			m := k.choose(&s, r)
			last := s.Phase == paladin.PhaseResolve && s.Quest == s.Players-1 && s.Deciding == s.Players-1
			if s.Round < s.Rounds {
				e := &all[s.Round-1]
				if m.Kind == paladin.Discard {
					e.discarded[s.Table[s.Quest][s.Deciding].Card]++
				}
				if last {
					e.add(s, m, k)
				}
			}
			s.Apply(m, r)
		}
		for round := range all {
			e := &all[round].ends[len(all[round].ends)-1]
			for seat := range e.won[:players] {
				e.won[seat] = (*worthTable)(nil).of(&s, uint8(seat))
			}
		}
	}
	return all
}

// add notes the end of a round that a move brings about.
func (e *ends) add(s core.State, m core.Move, k *quick) {
	s.Rounds = s.Round
	s.Apply(m, nil)
	end := end{players: int(s.Players)}
	for seat := range s.Players {
		end.honour[seat] = float64(s.Honour[seat])
		for _, c := range s.Hand(seat) {
			end.cards[seat][c]++
			e.old[c]++
		}
	}
	for c, n := range k.deck {
		e.all[c] += float64(n) - float64(s.Kept[c])
	}
	e.ends = append(e.ends, end)
}

// likelier is by how much, as a logarithm, each card is likelier in some place than anywhere.
func likelier(place, anywhere *[core.Kinds]float64) (out [core.Kinds]float64) {
	here, all := 0.0, 0.0
	for c := range out {
		here, all = here+place[c], all+anywhere[c]
	}
	for c := range out {
		out[c] = max(-4, math.Log((place[c]/here+1e-5)/(anywhere[c]/all)))
	}
	return out
}

// fit finds the slope and the worth of cards by which the winners were likeliest: softmax regression by Adam.
func fit(list []end) (slope float64, card [core.Kinds]float64) {
	const batch = 64
	var p, g, m, v [1 + core.Kinds]float64
	p[0] = 0.2
	step := 0.0
	for epoch := range 12 {
		rate := 0.02 / math.Pow(2, float64(epoch)/2)
		for i := range list {
			list[i].gradient(&p, &g)
			if i%batch != batch-1 {
				continue
			}
			step++
			for j := range p {
				x := g[j] / batch
				m[j], v[j], g[j] = 0.9*m[j]+0.1*x, 0.999*v[j]+0.001*x*x, 0
				p[j] += rate * m[j] / (1 - math.Pow(0.9, step)) / (math.Sqrt(v[j]/(1-math.Pow(0.999, step))) + 1e-8)
			}
		}
	}
	return p[0], [core.Kinds]float64(p[1:])
}

// gradient adds that of the log likelihood of the end's winners.
func (e *end) gradient(p, g *[1 + core.Kinds]float64) {
	var z [core.MaxPlayers]float64
	sum := 0.0
	for seat := range e.players {
		z[seat] = p[0] * e.honour[seat]
		for c, n := range e.cards[seat] {
			z[seat] += p[1+c] * n
		}
		z[seat] = math.Exp(z[seat])
		sum += z[seat]
	}
	for seat := range e.players {
		d := e.won[seat] - z[seat]/sum
		g[0] += d * e.honour[seat] * 0.1 // honour varies more than cards do
		for c, n := range e.cards[seat] {
			g[1+c] += d * n
		}
	}
}
