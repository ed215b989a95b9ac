package table

import "paladin/game/paladin"

// Redeal is the table with everything dealt anew that viewer cannot know (see [paladin.State.Redeal]); NoSeat is a spectator. It
// is for tests, which demand that nothing sent to the viewer changes by it, and for squires that imagine how the cards could lie.
// The seed and what else belongs to the table stay: below answers with a random number from 0 to n-1.
func (t *Table) Redeal(viewer paladin.Seat, below func(n int) int) Table {
	next := t.clone()
	if next.game != nil {
		game := next.game.Redeal(viewer, below)
		next.game = &game
	}
	return next
}
