package paladin

// A Seed is the 32 random bytes from which all shuffles of a game follow (R20). It stays secret until the game is over.
type Seed [32]byte

// ParseSeed reads 64 hexadecimal digits.
func ParseSeed(text string) (Seed, error) { panic("later") }

// String is the seed as 64 lower-case hexadecimal digits.
func (s Seed) String() string { panic("later") }

// Commitment is hex(SHA-256(seed)), published before anybody joins (R20).
func (s Seed) Commitment() string { panic("later") }

// Salt joins the public entropy of the seats, in seat order, and the id that started the game (R20). An empty part is a
// computer player's "-"; start is empty in simulations, and then left out.
func Salt(parts []string, start string) string { panic("later") }

// A Deal is how chance enters a game: a seed and salt, or the shuffles listed outright.
type Deal struct {
	deck       Deck
	seeded     bool
	seed       Seed
	salt       string
	supply     [PaladinCards]Card
	quests     [QuestCards]uint8
	reshuffles [][]Card
}

// SeededDeal shuffles deck by R20 to R22.
func SeededDeal(deck Deck, seed Seed, salt string) Deal { panic("later") }

// ListedDeal gives the shuffles outright, each list with its top card first. supply and quests must hold exactly the
// deck's cards, the first nine quests being the Queen's. A reshuffle is checked when it comes to be used.
func ListedDeal(deck Deck, supply []Card, quests []int, reshuffles [][]Card) (Deal, error) {
	panic("later")
}
