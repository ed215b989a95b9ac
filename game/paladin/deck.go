package paladin

// A Deck is the 42 Paladins and 18 quests of a game in their order before shuffling (R1, R2). It is comparable; the first
// nine quests are the Queen's deck. The zero Deck is not a deck.
type Deck struct {
	paladins [PaladinCards]Card
	quests   [QuestCards]uint8
}

// HouseDeck is the deck of R2.
func HouseDeck() Deck { panic("later") }

// ParseDeck reads {"paladins": [...], "quests": [...]}, the form of the PALADIN_DECK file and of a record's deck. A deck
// has 42 Paladins of values 0 to 9 and 18 quests of honour 1 to 6; how many of each, and how many are red, is free.
func ParseDeck(data []byte) (Deck, error) { panic("later") }

// IsHouse says whether this is the house deck, in its order too.
func (d Deck) IsHouse() bool { return d == HouseDeck() }

// Paladins are the cards before shuffling.
func (d Deck) Paladins() []Card { panic("later") }

// Quests are the honours before shuffling, the Queen's nine first.
func (d Deck) Quests() []int { panic("later") }

// MarshalJSON writes the form that ParseDeck reads.
func (d Deck) MarshalJSON() ([]byte, error) { panic("later") }

// UnmarshalJSON is [ParseDeck].
func (d *Deck) UnmarshalJSON(data []byte) error { panic("later") }
