package paladin

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Sizes that the rules fix.
const (
	MinPlayers   = 3
	MaxPlayers   = 5
	PaladinCards = 42 // R1
	QuestCards   = 18 // R1
	QueenQuests  = 9  // the first nine quests of a deck are the Queen's, the rest the King's
	MaxValue     = 9  // of a Paladin
	MaxHonour    = 6  // of a quest
)

// A Seat is the place of a player at the table, counted from 0 in code and from 1 for people (see [Seat.Number]).
type Seat int

// NoSeat is nobody: a spectator as a viewer, or nobody to act.
const NoSeat Seat = -1

// SeatNumber is the seat that people call n.
func SeatNumber(n int) Seat { return Seat(n - 1) }

// Number is the seat as people count it, from 1; NoSeat is 0.
func (s Seat) Number() int { return int(s) + 1 }

// A Card is a Paladin: twice its value, plus one if it is red. So cards sort by value, black before red.
// Its text and JSON form is that of the records: "7", "7r". Cards of the same value and colour are not told apart.
type Card uint8

// cardKinds is the number of different cards.
const cardKinds = 2 * (MaxValue + 1)

// NewCard is the Paladin of that value, 0 to 9, and colour.
func NewCard(value int, red bool) Card {
	c := Card(value * 2)
	if red {
		c++
	}
	return c
}

// Value is 0 to 9.
func (c Card) Value() int { return int(c >> 1) }

// Red says whether the card is red; otherwise it is black.
func (c Card) Red() bool { return c&1 == 1 }

func (c Card) String() string {
	if c >= cardKinds {
		return "?"
	}
	return cardText[c]
}

var cardText = func() (t [cardKinds]string) {
	for c := range t {
		t[c] = strconv.Itoa(c >> 1)
		if c&1 == 1 {
			t[c] += "r"
		}
	}
	return t
}()

// ParseCard reads a card as records write it, "7" or "7r", character by character.
func ParseCard(text string) (Card, error) {
	red := len(text) == 2 && text[1] == 'r'
	if (len(text) != 1 && !red) || text[0] < '0' || text[0] > '9' {
		return 0, fmt.Errorf("%s is no Paladin: a card is its value 0 to 9, with r if it is red", quote(text))
	}
	return NewCard(int(text[0]-'0'), red), nil
}

// Beats says whether c defeats the leading Paladin (R13): the higher value; 0 beats 9 and 9 never beats 0; of equal values
// the red card is stronger, and an equal red card beats a red one.
func (c Card) Beats(leader Card) bool {
	switch v, l := c.Value(), leader.Value(); {
	case v == l:
		return c.Red()
	case v == 0 && l == MaxValue:
		return true
	case v == MaxValue && l == 0:
		return false
	default:
		return v > l
	}
}

// MarshalText writes the card as records do.
func (c Card) MarshalText() ([]byte, error) {
	if c >= cardKinds {
		return nil, fmt.Errorf("card %d does not exist", uint8(c))
	}
	return []byte(c.String()), nil
}

// UnmarshalText is [ParseCard].
func (c *Card) UnmarshalText(text []byte) error {
	card, err := ParseCard(string(text))
	if err != nil {
		return err
	}
	*c = card
	return nil
}

// A FaceUp is a card as everybody sees it: the Paladin if it lies face up, and nothing otherwise. Public types hold FaceUp
// and never Card, and only this package can make one that shows something. The zero FaceUp shows nothing; its JSON form
// is null, and left out where it is a field.
type FaceUp struct{ shown uint8 }

func faceUp(c Card) FaceUp { return FaceUp{shown: uint8(c) + 1} }

// Card is the card that is shown, and whether one is.
func (f FaceUp) Card() (Card, bool) {
	if f.shown == 0 {
		return 0, false
	}
	return Card(f.shown - 1), true
}

// IsZero says that nothing is shown.
func (f FaceUp) IsZero() bool { return f.shown == 0 }

func (f FaceUp) String() string {
	if c, ok := f.Card(); ok {
		return c.String()
	}
	return "face down"
}

// MarshalJSON writes the card, or null.
func (f FaceUp) MarshalJSON() ([]byte, error) {
	c, ok := f.Card()
	if !ok {
		return []byte("null"), nil
	}
	return json.Marshal(c)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *FaceUp) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*f = FaceUp{}
		return nil
	}
	var c Card
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	*f = faceUp(c)
	return nil
}

// quote writes text on one line, shortened when it is long.
func quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return strconv.Quote(string(r[:most])) + "..."
	}
	return strconv.Quote(text)
}
