package squire

import "paladin/game/paladin"

// An Effort is how hard a knight thinks about one decision.
type Effort struct {
	// Rollouts is how many play-outs it makes to place a card, and half of them for any other decision; 0 means as many as
	// [Strength.Choose] has it make. What is found out about hidden cards is in proportion.
	Rollouts int

	// Stop, if set, is asked again and again while the knight thinks. Once it says true the knight plays what it thinks best
	// by then, at worst what a normal squire would play. That is for a caller with a clock, at a table where people wait;
	// without it a decision is a function of view and seed.
	Stop func() bool
}

// Choose answers with a legal move, as [Strength.Choose] does.
func (e Effort) Choose(v *paladin.View, seed [32]byte) (paladin.Move, error) {
	if v.ToAct == paladin.NoSeat || v.ToAct != v.Seat {
		return paladin.Move{}, ErrNotToAct
	}
	p := budgetFor(v.Players, e.Rollouts)
	return searchMove(v, seed, &p, houseModel(uint8(v.Players), uint8(v.Round-1)), e.Stop), nil
}
