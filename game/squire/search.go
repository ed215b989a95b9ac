package squire

import (
	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// moveOf is a move of the compact game as the rules know it.
func moveOf(s *core.State, m core.Move) paladin.Move {
	move := paladin.Move{Seat: paladin.Seat(s.ToAct), Kind: m.Kind}
	switch m.Kind {
	case paladin.Start:
		move.Target = paladin.Seat(m.A)
	case paladin.Place:
		move.Card, move.Quest = paladin.Card(m.A), int(m.B)+1
	case paladin.Peek:
		move.Quest, move.Place = int(m.A)+1, int(m.B)+1
	}
	return move
}
