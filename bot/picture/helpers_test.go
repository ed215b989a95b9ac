package picture

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// game is a table played by random moves. No clock is read.
type game struct {
	t     testing.TB
	table table.Table
	now   time.Time
	press int
}

func (g *game) actor(i int) table.Actor {
	g.press++
	return table.Actor{
		Person:      table.Person{ID: table.UserID(fmt.Sprintf("1000000000000000%d", i+1)), Name: fmt.Sprintf("Player %d", i+1)},
		Interaction: fmt.Sprintf("12000000000000%05d", g.press),
	}
}

// start begins a game of people; with a deck of its own if one is given.
func start(t testing.TB, players int, seed byte, deck paladin.Deck) *game {
	t.Helper()
	g := &game{t: t, now: time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC)}
	var err error
	g.table, _, err = table.Open(table.Opening{
		ID: "k7f3q2xa", Guild: "900000000000000001", Channel: "900000000000000002", Host: g.actor(0),
		Options: table.Options{Seats: players, Squires: squire.Normal, SquirePace: table.SquireHuman, Pace: table.PaceDaily},
		Deck:    deck, Seed: paladin.Seed{1, seed}, SquireSeed: paladin.Seed{2, seed}, Now: g.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range players - 1 {
		g.do(g.actor(i+1), table.Join{})
	}
	g.do(g.actor(0), table.Start{})
	return g
}

func (g *game) do(by table.Actor, cmd table.Command) {
	g.t.Helper()
	g.now = g.now.Add(time.Minute)
	next, _, err := g.table.Do(by, cmd, g.now)
	if err != nil {
		g.t.Fatalf("%T by %s: %v", cmd, by.ID, err)
	}
	g.table = next
}

func (g *game) public() *table.Public {
	p := g.table.Public()
	return &p
}

func (g *game) private(seat paladin.Seat) *table.Private {
	g.t.Helper()
	p, ok := g.table.Private(g.public().Seats[seat].Person.ID)
	if !ok {
		g.t.Fatalf("seat %d is nobody's", seat.Number())
	}
	return &p
}

// step makes a random legal move; false when the game is over. Peeks are likely, so that the table fills with them.
func (g *game) step(r *rand.Rand) bool {
	g.t.Helper()
	if g.table.Awaited() == paladin.NoSeat {
		return false
	}
	p := g.private(g.table.Awaited())
	legal := p.View.Legal()
	var peeks []paladin.Move
	for _, m := range legal {
		if m.Kind == paladin.Peek {
			peeks = append(peeks, m)
		}
	}
	if len(peeks) > 0 && r.IntN(5) > 0 {
		legal = peeks
	}
	g.do(table.Actor{Person: p.Seats[p.Seat].Person, Interaction: "1"}, table.Play{Prompt: p.Prompt, Move: legal[r.IntN(len(legal))]})
	return true
}

// until steps on to the phase in a round, and then so many moves more.
func (g *game) until(r *rand.Rand, round int, phase paladin.Phase, more int) {
	g.t.Helper()
	for p := g.public().Game; p.Round != round || p.Phase != phase; p = g.public().Game {
		if !g.step(r) {
			g.t.Fatalf("round %d never came to %v", round, phase)
		}
	}
	for range more {
		g.step(r)
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// known is what a seat knows of cards that lie face down, and paladin.NoSeat what all of them know together.
func known(g *game, seat paladin.Seat) func(quest, place int) (paladin.Card, bool) {
	round := g.public().Game.Round
	cards := map[[2]int]paladin.Card{}
	for i := range g.public().Seats {
		if at := paladin.Seat(i); seat == paladin.NoSeat || seat == at {
			v := g.private(at).View
			for _, list := range [][]paladin.KnownCard{v.Placed, v.Peeked} {
				for _, k := range list {
					if k.Round == round {
						cards[[2]int{k.Quest, k.Place}] = k.Card
					}
				}
			}
		}
	}
	return func(quest, place int) (paladin.Card, bool) {
		card, ok := cards[[2]int{quest, place}]
		return card, ok
	}
}
