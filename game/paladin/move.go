package paladin

import (
	"fmt"
	"strings"
)

// A MoveKind is one of the six things a player can do.
type MoveKind uint8

// The kinds of moves.
const (
	Start   MoveKind = iota + 1 // R7: the dealer names the start player
	Place                       // R8, R9: place a card face down on a quest
	Peek                        // R10: look at another player's face-down card
	Beat                        // R12: turn the card up and defeat the leading Paladin
	Take                        // R12: take the card back, unseen
	Discard                     // R12: discard the card, unseen
)

// String is the verb that records use.
func (k MoveKind) String() string {
	switch k {
	case Start:
		return "start"
	case Place:
		return "place"
	case Peek:
		return "peek"
	case Beat:
		return "beat"
	case Take:
		return "take"
	case Discard:
		return "discard"
	}
	return "?"
}

// A Move is what one seat does. Fields that its kind does not use are zero.
type Move struct {
	Seat   Seat
	Kind   MoveKind
	Target Seat // Start: who begins
	Card   Card // Place: the card
	Quest  int  // Place, Peek: the quest in the row, from 1, left to right
	Place  int  // Peek: the card's position on the quest, from 1, the leading Paladin
}

// String is the move as records write it: "2 place 7r 1".
func (m Move) String() string {
	switch m.Kind {
	case Start:
		return fmt.Sprintf("%d start %d", m.Seat.Number(), m.Target.Number())
	case Place:
		return fmt.Sprintf("%d place %s %d", m.Seat.Number(), m.Card, m.Quest)
	case Peek:
		return fmt.Sprintf("%d peek %d.%d", m.Seat.Number(), m.Quest, m.Place)
	}
	return fmt.Sprintf("%d %s", m.Seat.Number(), m.Kind)
}

// ParseMove reads what String writes, character by character: one space between words, numbers of one digit from 1 to 5.
// Whether the move is legal is another question.
func ParseMove(text string) (Move, error) {
	fail := func() (Move, error) {
		return Move{}, fmt.Errorf("%s is no move: moves are \"S start P\", \"S place CARD QUEST\", \"S peek QUEST.PLACE\", "+
			"\"S beat\", \"S take\" and \"S discard\"", quote(text))
	}
	first, rest, _ := strings.Cut(text, " ")
	seat, ok := digit(first)
	if !ok {
		return fail()
	}
	m := Move{Seat: SeatNumber(seat)}
	verb, arguments, some := strings.Cut(rest, " ")
	for kind := Start; kind <= Discard; kind++ {
		if kind.String() == verb {
			m.Kind = kind
		}
	}
	ok = false
	switch m.Kind {
	case Beat, Take, Discard:
		ok = !some
	case Start:
		var target int
		target, ok = digit(arguments)
		m.Target = SeatNumber(target)
	case Place:
		card, quest, _ := strings.Cut(arguments, " ")
		var err error
		m.Card, err = ParseCard(card)
		m.Quest, ok = digit(quest)
		ok = ok && err == nil
	case Peek:
		quest, place, _ := strings.Cut(arguments, ".")
		var okQuest bool
		m.Quest, okQuest = digit(quest)
		m.Place, ok = digit(place)
		ok = ok && okQuest
	}
	if !ok {
		return fail()
	}
	return m, nil
}

// digit reads a seat, quest or place.
func digit(text string) (int, bool) {
	if len(text) != 1 || text[0] < '1' || text[0] > '0'+MaxPlayers {
		return 0, false
	}
	return int(text[0] - '0'), true
}
