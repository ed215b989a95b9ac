package paladin

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestR19Past follows random games move by move and notes for each viewer what it saw of each card; at every position the
// view must tell the same of the past, and so must that of a game in which all that the viewer cannot know is dealt anew.
func TestR19Past(t *testing.T) {
	known, unknown, reshuffled := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, _, r := drawGame(t)
		viewer := Seat(r.IntN(s.Players()+1)) - 1
		saw := map[int]bool{} // indices into State.placed
		play(t, r, s, func(before, s *State, m Move, events []Event) {
			switch {
			case m.Kind == Place && m.Seat == viewer:
				saw[int(before.at(uint8(m.Quest-1), before.onQuest[m.Quest-1]))] = true
			case m.Kind == Peek && m.Seat == viewer:
				saw[int(before.at(uint8(m.Quest-1), uint8(m.Place-1)))] = true
			}
			for at, c := range s.placed {
				if c.fate == FateLeading || c.fate == FateBeaten || c.fate == FateKept {
					saw[at] = true
				}
			}
			if r.IntN(8) > 0 {
				return
			}
			view := s.View(viewer)
			past := view.Past()
			i := 0
			for at, c := range s.placed {
				if c.fate == 0 {
					continue
				}
				round, quest, place := s.where(uint8(at))
				want := PastCard{Round: round, Quest: quest, Place: place, Owner: Seat(c.seat), Fate: c.fate, Known: saw[at]}
				if want.Known {
					want.Card = c.card
					known++
				} else {
					unknown++
				}
				for _, p := range view.Peeks {
					if p.Round == round && p.Quest == quest && p.Place == place && !slices.Contains(want.PeekedBy, p.Seat) {
						want.PeekedBy = append(want.PeekedBy, p.Seat)
					}
				}
				slices.Sort(want.PeekedBy)
				if diff := cmp.Diff(want, past[i]); diff != "" {
					t.Fatalf("seat %d (-want +got):\n%s", viewer.Number(), diff)
				}
				i++
			}
			if i != len(past) {
				t.Fatalf("%d cards are told of, %d were placed", len(past), i)
			}
			other := s.Redeal(viewer, r.IntN)
			twin := other.View(viewer)
			if diff := cmp.Diff(past, twin.Past()); diff != "" {
				t.Fatalf("with other cards where seat %d cannot see:\n%s", viewer.Number(), diff)
			}
			if view.ReshuffledIn() != int(s.shuffleAt) || twin.ReshuffledIn() != int(s.shuffleAt) {
				t.Fatalf("reshuffled in round %d, the views say %d and %d", s.shuffleAt, view.ReshuffledIn(), twin.ReshuffledIn())
			}
			if view.ReshuffledIn() > 0 {
				reshuffled++
			}
		})
	})
	if known < 100 || unknown < 100 || reshuffled == 0 {
		t.Errorf("%d cards known, %d unknown, %d positions after a reshuffle", known, unknown, reshuffled)
	}
}
