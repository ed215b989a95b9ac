package table_test

import (
	"testing"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// TestKnightStopsThinkingWhenItIsTold: at a table where people wait, a knight moves all the same.
func TestKnightStopsThinkingWhenItIsTold(t *testing.T) {
	for name, patience := range map[string]int{"at once": 0, "after a while": 5} {
		ann := person("Ann")
		at := must(t, open(t, "Ann", 3), ann, table.SetStrength{Strength: squire.Knight}, table.AddSquire{}, table.AddSquire{}, table.Start{})
		seat := at.SeatOf(ann.ID)
		first := paladin.Move{Kind: paladin.Start, Seat: seat, Target: (seat + 1) % 3}
		at = must(t, at, ann, table.Play{Prompt: at.Prompt(), Move: first})
		asked := 0
		stop := func() bool { asked++; return asked > patience }
		before := at.Prompt()
		at = must(t, at, table.Actor{}, table.SquireMove{Prompt: before, Stop: stop})
		if at.Prompt() == before || asked == 0 {
			t.Errorf("%s: asked %d times, question %d after %d", name, asked, at.Prompt(), before)
		}
	}
}
