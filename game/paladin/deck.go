package paladin

import (
	"encoding/json"
	"fmt"
)

// A Deck is the 42 Paladins and 18 quests of a game in their order before shuffling (R1, R2). It is comparable; the first
// nine quests are the Queen's deck. The zero Deck is not a deck.
type Deck struct {
	paladins [PaladinCards]Card
	quests   [QuestCards]uint8
}

// HouseDeck is the deck of R2: values 0 and 9 five times, 1 to 8 four times, exactly one card of each value red; three
// quests of each honour 1 to 6.
func HouseDeck() Deck {
	var d Deck
	n := 0
	for value := 0; value <= MaxValue; value++ {
		blacks := 3
		if value == 0 || value == MaxValue {
			blacks = 4
		}
		for range blacks {
			d.paladins[n] = NewCard(value, false)
			n++
		}
		d.paladins[n] = NewCard(value, true)
		n++
	}
	for i := range d.quests {
		d.quests[i] = uint8(i/3 + 1)
	}
	return d
}

// ParseDeck reads {"paladins": [...], "quests": [...]}, the form of the PALADIN_DECK file and of a record's deck. A deck
// has 42 Paladins of values 0 to 9 and 18 quests of honour 1 to 6, the Queen's nine first; how many there are of each, and
// how many are red, is free. Other keys are ignored.
func ParseDeck(data []byte) (Deck, error) {
	members, err := readObject(data)
	if err != nil {
		return Deck{}, err
	}
	paladins, quests := members.find("paladins"), members.find("quests")
	for _, key := range []string{"paladins", "quests"} {
		switch members.count(key) {
		case 0:
			return Deck{}, fmt.Errorf("%q is missing", key)
		case 1:
		default:
			return Deck{}, fmt.Errorf("%q stands there twice", key)
		}
	}
	var d Deck
	if err := readCards(paladins, d.paladins[:]); err != nil {
		return Deck{}, fmt.Errorf("paladins: %w", err)
	}
	if err := readHonours(quests, d.quests[:]); err != nil {
		return Deck{}, fmt.Errorf("quests: %w", err)
	}
	return d, nil
}

// IsHouse says whether this is the house deck, in its order too.
func (d Deck) IsHouse() bool { return d == HouseDeck() }

// Paladins are the cards before shuffling.
func (d Deck) Paladins() []Card { return append([]Card(nil), d.paladins[:]...) }

// Quests are the honours before shuffling, the Queen's nine first.
func (d Deck) Quests() []int { return honours(d.quests[:]) }

type deckJSON struct {
	Paladins []Card `json:"paladins"`
	Quests   []int  `json:"quests"`
}

// MarshalJSON writes the form that ParseDeck reads.
func (d Deck) MarshalJSON() ([]byte, error) {
	return json.Marshal(deckJSON{Paladins: d.Paladins(), Quests: d.Quests()})
}

// UnmarshalJSON is [ParseDeck].
func (d *Deck) UnmarshalJSON(data []byte) error {
	deck, err := ParseDeck(data)
	if err != nil {
		return err
	}
	*d = deck
	return nil
}

// cardCounts tells how many there are of each card.
type cardCounts [cardKinds]int8

func (n *cardCounts) add(cards ...Card) {
	for _, c := range cards {
		n[c]++
	}
}

// sameCards says whether a and b are the same cards in any order.
func sameCards(a, b []Card) bool {
	var n cardCounts
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] >= cardKinds || b[i] >= cardKinds {
			return false
		}
		n[a[i]]++
		n[b[i]]--
	}
	return n == cardCounts{}
}

// sameHonours says whether a and b are the same quests in any order.
func sameHonours(a, b []uint8) bool {
	var n [MaxHonour + 1]int
	for i := range a {
		if a[i] > MaxHonour || b[i] > MaxHonour {
			return false
		}
		n[a[i]]++
		n[b[i]]--
	}
	return n == [MaxHonour + 1]int{}
}

// sameQuests says whether quests are the deck's, the Queen's nine and the King's nine each in any order.
func (d *Deck) sameQuests(quests *[QuestCards]uint8) bool {
	return sameHonours(quests[:QueenQuests], d.quests[:QueenQuests]) && sameHonours(quests[QueenQuests:], d.quests[QueenQuests:])
}

func honours(quests []uint8) []int {
	list := make([]int, len(quests))
	for i, q := range quests {
		list[i] = int(q)
	}
	return list
}
