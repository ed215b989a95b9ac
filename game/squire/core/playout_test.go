package core

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"paladin/game/paladin"
)

// dealt deals a game of the house deck.
func dealt(players int, r *Rand) State {
	var supply [Cards]uint8
	var quests [Quests]uint8
	deck := paladin.HouseDeck()
	for i, c := range deck.Paladins() {
		supply[i] = uint8(c)
	}
	for i, q := range deck.Quests() {
		quests[i] = uint8(q)
	}
	r.Shuffle(supply[:])
	r.Shuffle(quests[:])
	return New(players, &supply, &quests, r)
}

// singly plays moves as Playout chooses them, one at a time, until done says so or the game is over, and answers with how
// many. Unlike in Random, a card that is twice in a hand counts twice.
func singly(s *State, r *Rand, done func(*State) bool) (moves int) {
	for ; !s.Over() && !done(s); moves++ {
		var list []Move
		for _, m := range s.AppendLegal(nil) {
			list = append(list, m)
			if m.Kind == paladin.Place {
				for range bytes.Count(s.Hand(s.ToAct), []byte{m.A}) - 1 {
					list = append(list, m)
				}
			}
		}
		s.Apply(list[r.Below(len(list))], r)
	}
	return moves
}

// An outcome is what came of a few moves: all that the position is, and how many moves it took.
type outcome struct {
	State
	moves int
}

// TestPhasesArePlayedAsMoves plays short ends of phases many times, by single random moves and by what Playout plays them
// with: every outcome must come out about as often.
func TestPhasesArePlayedAsMoves(t *testing.T) {
	const times = 8_000
	placing := func(s *State) bool { return s.Phase == paladin.PhaseResolve }
	never := func(*State) bool { return false }
	// leads leaves of an outcome who leads with what.
	leads := func(o outcome) outcome {
		out := outcome{}
		for quest := range o.Players {
			out.Table[quest][0] = Slot{Card: o.Table[quest][0].Card, Seat: o.Table[quest][0].Seat}
		}
		return out
	}
	whole := func(o outcome) outcome {
		clear(o.Pile[o.PileLen:]) // what lies there is no part of the position
		return o
	}
	for _, test := range []struct {
		name  string
		from  func(*State) bool // the position that is played on from
		to    func(*State) bool
		whole func(*State, *Rand) int
		of    func(outcome) outcome
	}{
		{
			"the last two leads", func(s *State) bool { return s.Phase == paladin.PhaseLead && s.Placed == s.Players-2 },
			placing, (*State).playPlacing, leads,
		},
		{
			"the last turn", func(s *State) bool { return s.Phase == paladin.PhasePlace && s.Placed == s.Players*s.Players-1 },
			placing, (*State).playPlacing, whole,
		},
		{
			"the last turn, the peek used", func(s *State) bool { return s.Peeked && s.Placed == s.Players*s.Players-1 },
			placing, (*State).playPlacing, whole,
		},
		{
			"the last two turns", func(s *State) bool { return s.Phase == paladin.PhasePlace && s.Placed == s.Players*s.Players-2 },
			placing, (*State).playPlacing, func(o outcome) outcome {
				for seat := range o.Hands { // which cards is told above; so there are fewer outcomes
					o.Clear(uint8(seat))
				}
				for quest := range o.Table {
					for place := range o.Table[quest] {
						o.Table[quest][place].Card = 0
					}
				}
				return o
			},
		},
		{
			"the last quest but one card", func(s *State) bool {
				return s.Phase == paladin.PhaseResolve && s.Round == s.Rounds && s.Quest == s.Players-1 && s.Deciding == 2
			}, never, (*State).playResolving, whole,
		},
		{
			"the last quest", func(s *State) bool {
				return s.Phase == paladin.PhaseResolve && s.Round == s.Rounds && s.Quest == s.Players-1
			},
			never, (*State).playResolving, whole,
		},
		{
			"who starts", func(s *State) bool { return s.Phase == paladin.PhaseStart && s.Round == s.Rounds },
			never, (*State).Playout, func(o outcome) outcome { return outcome{State: State{Starter: o.Starter}} },
		},
	} {
		for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
			t.Run(fmt.Sprintf("%s, %d players", test.name, players), func(t *testing.T) {
				r := NewRand(uint64(players))
				from := dealt(players, r)
				singly(&from, r, test.from)
				for from.Over() { // a position that not every game has
					from = dealt(players, r)
					singly(&from, r, test.from)
				}
				one, all := map[outcome]int{}, map[outcome]int{}
				for range times {
					s := from
					moves := singly(&s, r, test.to)
					one[test.of(outcome{s, moves})]++
					s = from
					moves = test.whole(&s, r)
					all[test.of(outcome{s, moves})]++
				}
				for o := range all {
					one[o] += 0
				}
				if len(one) < 2 {
					t.Fatalf("there are %d outcomes", len(one))
				}
				for o, n := range one {
					if m := all[o]; math.Abs(float64(n-m)) > 6*math.Sqrt(float64(n+m)) {
						t.Fatalf("%d times by single moves and %d times at once: %+v", n, m, o)
					}
				}
			})
		}
	}
}
