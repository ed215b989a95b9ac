package squire

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"paladin/game/paladin"

	"pgregory.net/rapid"
)

// TestNonInterference deals anew everything that the seat to act cannot know: a squire of whatever strength must decide the
// same. It counts the situations in which it asked, so that none is left out: every kind of decision, and everything that
// a seat can know or not know of.
func TestNonInterference(t *testing.T) {
	asked := map[string]int{}
	choosers := []struct {
		name   string
		oneIn  int // of so many positions one is looked at
		choose func(*paladin.View, [32]byte) (paladin.Move, error)
	}{{"easy", 4, Easy.Choose}, {"normal", 4, Normal.Choose}, {"knight", 30, hasty.Choose}}
	rapid.Check(t, func(t *rapid.T) {
		walk(t, func(state *paladin.State, random *rand.Rand) {
			for _, c := range choosers {
				if random.IntN(c.oneIn) != 0 {
					continue
				}
				seat, seed := state.ToAct(), chance(random)
				other := state.Redeal(seat, random.IntN)
				here, there := state.View(seat), other.View(seat)
				move, err := c.choose(&here, seed)
				again, errAgain := c.choose(&there, seed)
				if err != nil || errAgain != nil || again != move {
					t.Fatalf("a squire that is %s chose %q, and %q with other cards where it cannot see; %v, %v", c.name, move, again, err, errAgain)
				}
				for _, situation := range situations(state, &other, &here, move) {
					asked[c.name+": "+situation]++
				}
			}
		})
	})
	for _, c := range choosers {
		for _, situation := range []string{
			"start", "place in phase lead", "place in phase place", "peek", "beat", "take", "discard",
			"others' hands are dealt anew", "cards on the table are dealt anew", "the discard pile is dealt anew",
			"a card on the table is known by a peek", "a discard is known by a peek", "the own discard is known",
			"a card that was taken back is known by a peek", "a card of an earlier round is known by a peek",
			"there was a reshuffle",
		} {
			if asked[c.name+": "+situation] == 0 {
				t.Errorf("a squire that is %s was never asked where %s", c.name, situation)
			}
		}
	}
}

// situations names what a decision was about: the move, what the other deal changed, and what the seat knows.
func situations(state, other *paladin.State, v *paladin.View, move paladin.Move) (list []string) {
	note := func(name string, so bool) {
		if so {
			list = append(list, name)
		}
	}
	kind := map[paladin.MoveKind]string{
		paladin.Start: "start", paladin.Peek: "peek", paladin.Beat: "beat", paladin.Take: "take", paladin.Discard: "discard",
		paladin.Place: fmt.Sprintf("place in phase %v", v.Phase),
	}
	note(kind[move.Kind], true)
	var hands, table, pile bool
	for rival := range paladin.Seat(state.Players()) {
		here, there := state.View(rival), other.View(rival)
		hands = hands || rival != v.Seat && !slices.Equal(here.Hand, there.Hand)
		table = table || !slices.Equal(here.Placed, there.Placed)
		pile = pile || !slices.Equal(here.Discards, there.Discards)
	}
	note("others' hands are dealt anew", hands)
	note("cards on the table are dealt anew", table)
	note("the discard pile is dealt anew", pile)
	for _, k := range v.Peeked {
		note("a card on the table is known by a peek", k.Fate == paladin.FateOnTable)
		note("a discard is known by a peek", k.Fate == paladin.FateDiscarded)
		note("a card that was taken back is known by a peek", k.Fate == paladin.FateTakenBack)
		note("a card of an earlier round is known by a peek", k.Round < v.Round)
	}
	note("the own discard is known", len(v.Discards) > 0)
	note("there was a reshuffle", v.ReshuffledIn() > 0)
	return list
}
