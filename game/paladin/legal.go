package paladin

import "fmt"

// Legal is every legal move once, sorted bytewise by its text.
func (s *State) Legal() []Move { return s.AppendLegal(nil) }

// AppendLegal appends what Legal answers. It asks for nothing that the seat to act does not know, so that it serves views too.
func (s *State) AppendLegal(dst []Move) []Move {
	seat := Seat(s.toAct)
	switch s.phase {
	case PhaseStart:
		for target := range Seat(s.players) {
			dst = append(dst, Move{Seat: seat, Kind: Start, Target: target})
		}
	case PhaseLead:
		dst = s.appendPlaces(dst)
	case PhasePlace:
		if !s.peeked {
			dst = s.appendPeeks(dst)
		}
		dst = s.appendPlaces(dst)
	case PhaseResolve:
		if s.beats() {
			dst = append(dst, Move{Seat: seat, Kind: Beat})
		}
		dst = append(dst, Move{Seat: seat, Kind: Discard}, Move{Seat: seat, Kind: Take})
	}
	return dst
}

func (s *State) appendPeeks(dst []Move) []Move {
	for quest := range s.players {
		for place := range s.onQuest[quest] {
			if Seat(s.placed[s.at(quest, place)].seat) != Seat(s.toAct) {
				dst = append(dst, Move{Seat: Seat(s.toAct), Kind: Peek, Quest: int(quest) + 1, Place: int(place) + 1})
			}
		}
	}
	return dst
}

func (s *State) appendPlaces(dst []Move) []Move {
	seat := Seat(s.toAct)
	var open [MaxPlayers]bool
	for quest := range s.players {
		if s.phase == PhaseLead {
			open[quest] = s.onQuest[quest] == 0
		} else {
			open[quest] = !s.hasCardOn(seat, quest)
		}
	}
	hand := s.hand(seat)
	for i, c := range hand {
		if i > 0 && c == hand[i-1] {
			continue
		}
		for quest := range s.players {
			if open[quest] {
				dst = append(dst, Move{Seat: seat, Kind: Place, Card: c, Quest: int(quest) + 1})
			}
		}
	}
	return dst
}

func (s *State) hasCardOn(seat Seat, quest uint8) bool {
	for place := range s.onQuest[quest] {
		if Seat(s.placed[s.at(quest, place)].seat) == seat {
			return true
		}
	}
	return false
}

// beats says whether the card that is decided about would defeat the leading Paladin.
func (s *State) beats() bool {
	return s.placed[s.at(s.quest, s.deciding)].card.Beats(s.placed[s.at(s.quest, s.leader)].card)
}

// refuse says why a move is not legal, or nil.
func (s *State) refuse(m Move) *RuleError {
	switch {
	case s.phase == PhaseOver:
		return s.refusal("R17", RefusedOver, "the game is over")
	case m.Kind < Start || m.Kind > Discard:
		return s.refusal(s.phase.rule(), RefusedKind, "there is no such move")
	case !s.seated(m.Seat):
		return s.refusal(s.phase.rule(), RefusedSeat, "there is no seat %d", m.Seat.Number())
	case m.Seat != Seat(s.toAct):
		return s.refusal(s.phase.rule(), RefusedTurn, "it is the turn of seat %d", Seat(s.toAct).Number())
	}
	switch {
	case m.Kind == Start:
		return s.refuseStart(m)
	case m.Kind == Place:
		return s.refusePlace(m)
	case m.Kind == Peek:
		return s.refusePeek(m)
	case s.phase != PhaseResolve:
		return s.refusal("R12", RefusedPhase, "no quest is being resolved now")
	case m.Kind == Beat && !s.beats():
		own, leader := s.placed[s.at(s.quest, s.deciding)].card, s.placed[s.at(s.quest, s.leader)].card
		refusal := s.refusal("R12", RefusedWeaker, "%s does not defeat %s", own, leader)
		refusal.Own, refusal.Leader = own, leader
		return refusal
	}
	return nil
}

func (s *State) refuseStart(m Move) *RuleError {
	switch {
	case s.phase != PhaseStart:
		return s.refusal("R7", RefusedPhase, "the start player is named already")
	case !s.seated(m.Target):
		return s.refusal("R7", RefusedSeat, "there is no seat %d", m.Target.Number())
	}
	return nil
}

func (s *State) refusePlace(m Move) *RuleError {
	switch {
	case s.phase == PhaseStart:
		return s.refusal("R7", RefusedPhase, "the dealer names the start player first")
	case s.phase == PhaseResolve:
		return s.refusal("R11", RefusedPhase, "all cards are placed; the quests are being resolved")
	}
	rule := s.phase.rule()
	switch {
	case m.Quest < 1 || m.Quest > int(s.players):
		return s.refusal(rule, RefusedQuest, "there is no quest %d", m.Quest)
	case !s.holds(m.Seat, m.Card):
		return s.refusal(rule, RefusedCard, "seat %d does not hold %s", m.Seat.Number(), m.Card)
	case s.phase == PhaseLead && s.onQuest[m.Quest-1] > 0:
		return s.refusal(rule, RefusedLed, "quest %d has a leading Paladin", m.Quest)
	case s.phase == PhasePlace && s.hasCardOn(m.Seat, uint8(m.Quest-1)):
		return s.refusal(rule, RefusedOnQuest, "seat %d has a card on quest %d", m.Seat.Number(), m.Quest)
	}
	return nil
}

func (s *State) refusePeek(m Move) *RuleError {
	switch {
	case s.phase == PhaseResolve:
		return s.refusal("R10", RefusedPhase, "all cards are placed; nobody peeks any more")
	case s.phase != PhasePlace:
		return s.refusal("R10", RefusedPhase, "nobody peeks before every quest is led")
	case m.Quest < 1 || m.Quest > int(s.players):
		return s.refusal("R10", RefusedQuest, "there is no quest %d", m.Quest)
	case m.Place < 1 || m.Place > int(s.onQuest[m.Quest-1]):
		return s.refusal("R10", RefusedPlace, "no card lies at %d.%d", m.Quest, m.Place)
	case Seat(s.placed[s.at(uint8(m.Quest-1), uint8(m.Place-1))].seat) == m.Seat:
		return s.refusal("R10", RefusedOwn, "the card at %d.%d is one's own", m.Quest, m.Place)
	case s.peeked:
		return s.refusal("R10", RefusedPeekedOnce, "one peek a turn")
	}
	return nil
}

func (s *State) refusal(rule string, kind RefusalKind, format string, args ...any) *RuleError {
	return &RuleError{Rule: rule, Kind: kind, Reason: fmt.Sprintf(format, args...), Phase: s.phase, ToAct: Seat(s.toAct)}
}

// rule is the rule that a move breaks when it is none of this phase.
func (p Phase) rule() string {
	switch p {
	case PhaseStart:
		return "R7"
	case PhaseLead:
		return "R8"
	case PhasePlace:
		return "R9"
	case PhaseResolve:
		return "R12"
	}
	return "R17"
}
