package render

import (
	"paladin/game/paladin"
	"paladin/game/table"
)

// Hint is one sentence for somebody who does something for the first time.
type Hint string

// The hints, by what they help with.
const (
	HintStart   Hint = "start"
	HintLead    Hint = "lead"
	HintPlace   Hint = "place"
	HintResolve Hint = "resolve"
	HintWait    Hint = "wait" // what can be done while others are to move
)

// HintFor is the hint that fits what a seat can do now; empty where there is none.
func HintFor(p *table.Private) Hint {
	if p.Stage != table.Playing || p.View == nil || p.Away {
		return ""
	}
	if !p.MyTurn() {
		if len(p.View.Placed) == 0 {
			return ""
		}
		return HintWait
	}
	switch p.Game.Phase {
	case paladin.PhaseStart:
		return HintStart
	case paladin.PhaseLead:
		return HintLead
	case paladin.PhasePlace:
		return HintPlace
	case paladin.PhaseResolve:
		return HintResolve
	default:
		return ""
	}
}

// hintText is the sentence of a hint.
func (pr *Printer) hintText(hint Hint) string {
	if hint == "" {
		return ""
	}
	return pr.Say(Text("hints." + string(hint)))
}
