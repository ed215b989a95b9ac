package paladin

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// maxReshuffles bounds how often the discard pile can become the supply. A reshuffle happens in a deal only, and at most
// once in it: see (*State).deal.
const maxReshuffles = QuestCards/MinPlayers - 1

// A Deal is how chance enters a game: a seed and salt, or the shuffles listed outright. The zero Deal is none.
type Deal struct {
	deck       Deck
	seeded     bool
	seed       Seed
	salt       string
	supply     [PaladinCards]Card // top first
	quests     [QuestCards]uint8  // top first
	reshuffles [][]Card
}

// SeededDeal shuffles deck by R20 to R22.
func SeededDeal(deck Deck, seed Seed, salt string) Deal {
	d := Deal{deck: deck, seeded: true, seed: seed, salt: salt, supply: deck.paladins, quests: deck.quests}
	key := shuffleKey(seed, salt)
	shuffle(key, "paladins", d.supply[:])
	shuffle(key, "queen", d.quests[:QueenQuests])
	shuffle(key, "king", d.quests[QueenQuests:])
	return d
}

// ListedDeal gives the shuffles outright, each list with its top card first. supply and quests must hold exactly the
// deck's cards, the first nine quests being the Queen's. A reshuffle is checked when it comes to be used: it must hold
// exactly the discard pile of then.
func ListedDeal(deck Deck, supply []Card, quests []int, reshuffles [][]Card) (Deal, error) {
	d := Deal{deck: deck}
	if !sameCards(supply, deck.paladins[:]) {
		return Deal{}, fmt.Errorf("supply: %w", errNotDeck)
	}
	copy(d.supply[:], supply)
	if len(quests) != QuestCards {
		return Deal{}, fmt.Errorf("quests: %d quests where %d belong", len(quests), QuestCards)
	}
	for i, honour := range quests {
		if honour < 1 || honour > MaxHonour {
			return Deal{}, fmt.Errorf("quests: a quest of honour %d: it is 1 to %d", honour, MaxHonour)
		}
		d.quests[i] = uint8(honour)
	}
	if !deck.sameQuests(&d.quests) {
		return Deal{}, fmt.Errorf("quests: %w", errNotQuests)
	}
	for i, list := range reshuffles {
		if i == maxReshuffles {
			break
		}
		d.reshuffles = append(d.reshuffles, append([]Card(nil), list...))
	}
	return d, nil
}

var (
	errNotDeck   = errors.New("these are not exactly the cards of the deck")
	errNotQuests = errors.New("these are not exactly the quests of the deck, the Queen's nine first")
)

// Deck is what is dealt.
func (d *Deal) Deck() Deck { return d.deck }

// chance is what a state still needs of its deal. It is never changed once made, so that states can share it.
type chance struct {
	key    [32]byte // for the reshuffles to come, unless they are listed
	listed bool
	lists  [][]Card
}

func (d *Deal) chance() chance {
	if d.seeded {
		return chance{key: shuffleKey(d.seed, d.salt)}
	}
	return chance{listed: true, lists: d.reshuffles}
}

// reshuffle puts the discard pile, in the order in which cards reached it, in the order of the number-th reshuffle.
func (c *chance) reshuffle(number int, pile []Card) error {
	if !c.listed {
		shuffle(c.key, "reshuffle/"+strconv.Itoa(number), pile)
		return nil
	}
	if number > len(c.lists) {
		return fmt.Errorf("the discard pile becomes the supply, but reshuffle %d is not listed", number)
	}
	if list := c.lists[number-1]; sameCards(list, pile) {
		copy(pile, list)
		return nil
	}
	return fmt.Errorf("reshuffle %d does not hold exactly the discard pile", number)
}

// Follows reports whether the state can have come of the deal as far as that can be told without
// its moves: the shuffles to come, the quests, and the cards that each seat was dealt in the first
// round, with the supply behind them until the second is dealt.
func (s *State) Follows(d Deal) bool {
	dealt, err := New(s.Players(), d)
	if err != nil || s.players == 0 || s.deck != dealt.deck || s.stack != dealt.stack || s.chance.listed != dealt.chance.listed ||
		s.chance.key != dealt.chance.key {
		return false
	}
	var first, had [MaxPlayers]cardCounts
	for seat := range Seat(s.players) {
		first[seat].add(dealt.hand(seat)...)
		if s.round == 1 {
			had[seat].add(s.hand(seat)...)
		}
	}
	for _, c := range s.placed[:s.players*s.players] {
		if c.fate != 0 && (s.round > 1 || c.fate != FateTakenBack) {
			had[c.seat][c.card]++
		}
	}
	if s.round == 1 {
		return had == first && slices.Equal(s.supply[:s.supplyLen], dealt.supply[:dealt.supplyLen])
	}
	for seat := range s.players {
		for card := range had[seat] {
			if had[seat][card] > first[seat][card] {
				return false
			}
		}
	}
	return true
}
