package render

import (
	"strconv"
	"strings"

	"paladin/bot/press"
	"paladin/game/paladin"
)

// none stands in a custom id for "nothing chosen".
const none = "-"

// Words of the three choices about a placed card (R12), as custom ids and options of commands write them.
const (
	actBeat    = "beat"
	actTake    = "take"
	actDiscard = "discard"
)

// Selected is what a press on a panel leaves chosen; values are those of a select. A press that makes a move, or that has nothing to
// do with choosing, leaves nothing chosen: the button that confirms the next move must not be ready where the last one stood. It is
// false for arguments and values that nobody was offered, whatever the position.
func Selected(id press.ID, values []string) (sel Selection, ok bool) {
	ok = true
	read := func(is bool) { ok = ok && is }
	switch id.Kind {
	case press.Pick:
		read(chosenCard(id.Arg(0), &sel.Card))
		read(chosenNumber(id.Arg(1), &sel.Quest))
	case press.PickPeek:
		read(chosenSpot(values, &sel.Peek))
	case press.PickFirst:
		read(chosenNumber(id.Arg(0), &sel.First))
	case press.PickAct:
		read(chosenAct(id.Arg(0), &sel.Act))
	case press.Order, press.Guard:
		sel.Page = PageOrders
	case press.PickPlan:
		sel.Page, sel.Anyway = PagePlan, id.Arg(2) == anyway
		read(chosenCard(id.Arg(0), &sel.Card))
		read(chosenNumber(id.Arg(1), &sel.Quest))
		read(sel.Anyway || id.Arg(2) == none || id.Arg(2) == "")
	}
	return sel, ok
}

func chosenCard(arg string, card *string) bool {
	if arg == none {
		return true
	}
	*card = arg
	_, err := paladin.ParseCard(arg)
	return err == nil
}

// chosenNumber reads a quest or a seat.
func chosenNumber(arg string, number *int) (ok bool) {
	if arg == none {
		return true
	}
	*number, ok = smallNumber(arg)
	return ok
}

func chosenAct(arg string, act *string) bool {
	if arg == none {
		return true
	}
	*act = arg
	_, ok := actKind(arg)
	return ok
}

// chosenSpot reads the choice of a select, which may be to choose nothing.
func chosenSpot(values []string, peek *string) bool {
	if len(values) == 0 {
		return true
	}
	*peek = values[0]
	_, _, ok := parseSpot(values[0])
	return ok && len(values) == 1
}

// MoveOf is the move that a press of kind Place, Peek, First or Act confirms; false for any other press and for malformed
// arguments. Its Seat is left zero: who acts comes from Discord's user id.
func MoveOf(id press.ID) (paladin.Move, bool) {
	switch id.Kind {
	case press.Place:
		card, err := paladin.ParseCard(id.Arg(0))
		quest, ok := smallNumber(id.Arg(1))
		return paladin.Move{Kind: paladin.Place, Card: card, Quest: quest}, err == nil && ok
	case press.Peek:
		quest, place, ok := parseSpot(id.Arg(0))
		return paladin.Move{Kind: paladin.Peek, Quest: quest, Place: place}, ok
	case press.First:
		seat, ok := smallNumber(id.Arg(0))
		return paladin.Move{Kind: paladin.Start, Target: paladin.SeatNumber(seat)}, ok
	case press.Act:
		kind, ok := actKind(id.Arg(0))
		return paladin.Move{Kind: kind}, ok
	default:
		return paladin.Move{}, false
	}
}

// smallNumber reads a seat, quest or place: of none there are more than players.
func smallNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= paladin.MaxPlayers && strconv.Itoa(n) == s
}

// parseSpot reads QUEST.PLACE.
func parseSpot(s string) (quest, place int, ok bool) {
	q, p, found := strings.Cut(s, ".")
	quest, okQuest := smallNumber(q)
	place, okPlace := smallNumber(p)
	return quest, place, found && okQuest && okPlace
}

func spot(quest, place int) string { return strconv.Itoa(quest) + "." + strconv.Itoa(place) }

func actKind(word string) (paladin.MoveKind, bool) {
	for _, fate := range fates {
		if fate.word == word {
			return fate.kind, true
		}
	}
	return 0, false
}
