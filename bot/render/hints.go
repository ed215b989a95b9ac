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

// HintText is the sentence of a hint. It speaks of no choice that the seat does not have now.
func (pr *Printer) HintText(p *table.Private, hint Hint) string {
	switch {
	case hint == "":
		return ""
	case hint == HintPlace && len(placingOf(p.View.Legal()).peeks) == 0:
		return pr.Say("hints.place_only")
	case hint == HintResolve && !p.View.BeatWins:
		return pr.Say("hints.resolve_weaker")
	default:
		return pr.Say(Text("hints." + string(hint)))
	}
}
