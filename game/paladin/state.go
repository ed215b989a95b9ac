package paladin

import "fmt"

// A Phase says what kind of move is due. Its text form is that of the records.
type Phase uint8

// The phases, in their order within a round.
const (
	PhaseStart   Phase = iota + 1 // the dealer names the start player (R7)
	PhaseLead                     // every player leads one quest (R8)
	PhasePlace                    // peeks and followers (R9, R10)
	PhaseResolve                  // owners decide about their cards (R12)
	PhaseOver                     // R17
)

func (p Phase) String() string {
	switch p {
	case PhaseStart:
		return "start"
	case PhaseLead:
		return "lead"
	case PhasePlace:
		return "place"
	case PhaseResolve:
		return "resolve"
	case PhaseOver:
		return "over"
	}
	return "?"
}

// MarshalText writes the phase as records do.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Phase) UnmarshalText(text []byte) error {
	for phase := PhaseStart; phase <= PhaseOver; phase++ {
		if phase.String() == string(text) {
			*p = phase
			return nil
		}
	}
	return fmt.Errorf("%s is no phase", quote(string(text)))
}

// Sizes of the arrays in a State. Each of r rounds with n players puts n*n cards on the table and allows n*(n-1) peeks:
// 54, 64 and 75 cards, 36, 48 and 60 peeks with 3, 4 and 5 players.
const (
	maxHand   = MaxPlayers + 1
	maxPlaced = 75
	maxPeeks  = 60
)

// hidden stands for a card that the viewer of a masked state does not know.
const hidden Card = 0xff

// A State is a game of Paladin between two moves. It is a value: a plain copy is independent of the original. It holds
// secrets, so it goes to the table's owner and nobody else. The zero State is not a game.
type State struct {
	deck   Deck
	chance chance

	players uint8
	round   uint8 // from 1
	dealer  int8
	starter int8 // -1 until named
	peeked  bool // the seat to act has peeked this turn

	stack     [QuestCards]uint8 // honours, top first; the row of round r is the r-th group of as many as players
	supply    [PaladinCards]Card
	supplyLen uint8 // the top is the last one, so that drawing is cheap
	hands     [MaxPlayers][maxHand]Card
	handLen   [MaxPlayers]uint8 // each hand is sorted

	// placed remembers every card that was ever placed: by round, quest of the row and place. What anybody has to know
	// about the table, the discard pile, quests won and past peeks is told by where a card was placed and its fate.
	placed    [maxPlaced]placedCard
	peeks     [maxPeeks]peek
	peekLen   uint8
	shuffled  uint8 // reshuffles so far
	shuffleAt uint8 // the round whose deal made the last reshuffle; 0 before

	derived
}

// derived is what follows from the rest of a State (see derive) and is kept beside it for speed.
type derived struct {
	phase   Phase
	toAct   int8              // -1 after the end
	moves   uint16            // made so far
	onQuest [MaxPlayers]uint8 // cards placed on each quest of the row
	honour  [MaxPlayers]uint8 // R15

	// PhaseResolve: the quest that is being resolved, the place of its leading Paladin, and the place of the card whose
	// owner decides, all from 0.
	quest, leader, deciding uint8

	// The discard pile as indices into placed, in the order in which cards reached it (R23).
	pile    [PaladinCards]uint8
	pileLen uint8
}

type placedCard struct {
	card    Card
	seat    uint8
	fate    Fate
	peekers uint8 // a bit for each seat that has looked
}

type peek struct{ seat, at uint8 } // at is an index into State.placed

// at is the index into placed of a card of the current round.
func (s *State) at(quest, place uint8) uint8 {
	return ((s.round-1)*s.players+quest)*s.players + place
}

// where is the inverse of at: round and quest and place, all from 1.
func (s *State) where(at uint8) (round, quest, place int) {
	n := int(s.players)
	return int(at)/(n*n) + 1, int(at)/n%n + 1, int(at)%n + 1
}

// rounds is how many rounds a game has: a round needs as many quests as players (R17).
func (s *State) rounds() uint8 { return QuestCards / s.players }

func (s *State) next(seat int8) int8 { return (seat + 1) % int8(s.players) }

// row is the honours of the quests of this round.
func (s *State) row() []uint8 { return s.stack[(s.round-1)*s.players : s.round*s.players] }

func (s *State) hand(seat Seat) []Card { return s.hands[seat][:s.handLen[seat]] }

func (s *State) seated(seat Seat) bool { return seat >= 0 && seat < Seat(s.players) }

// onTable is how many cards were placed this round.
func (s *State) onTable() (n uint8) {
	for _, k := range s.onQuest {
		n += k
	}
	return n
}

// draw gives seat a card.
func (s *State) draw(seat int8, c Card) {
	h := &s.hands[seat]
	i := s.handLen[seat]
	for ; i > 0 && h[i-1] > c; i-- {
		h[i] = h[i-1]
	}
	h[i] = c
	s.handLen[seat]++
}

// drop takes a card out of the hand of seat, which holds it.
func (s *State) drop(seat int8, c Card) {
	h := s.hands[seat][:s.handLen[seat]]
	i := 0
	for h[i] != c {
		i++
	}
	copy(h[i:], h[i+1:])
	h[len(h)-1] = 0
	s.handLen[seat]--
}

func (s *State) holds(seat Seat, c Card) bool {
	for _, held := range s.hand(seat) {
		if held == c {
			return true
		}
	}
	return false
}

// New deals the first round (R4 to R6). The host, seat 0, is the dealer (R5).
func New(players int, deal Deal) (State, error) {
	if players < MinPlayers || players > MaxPlayers {
		return State{}, fmt.Errorf("%d players: Paladin is for %d to %d", players, MinPlayers, MaxPlayers)
	}
	if deal.deck == (Deck{}) {
		return State{}, fmt.Errorf("the deal has no deck")
	}
	s := State{
		deck: deal.deck, chance: deal.chance(), players: uint8(players), stack: deal.quests, supplyLen: PaladinCards,
	}
	for i, c := range deal.supply {
		s.supply[PaladinCards-1-i] = c
	}
	if _, err := s.deal(0, nil); err != nil {
		return State{}, err
	}
	return s, nil
}

// Players is 3, 4 or 5.
func (s *State) Players() int { return int(s.players) }

// Phase says what kind of move is due.
func (s *State) Phase() Phase { return s.phase }

// Round counts from 1; after the end it stays that of the last round.
func (s *State) Round() int { return int(s.round) }

// Rounds is how many rounds the game has (R17).
func (s *State) Rounds() int { return int(s.rounds()) }

// Moves is how many moves were made.
func (s *State) Moves() int { return int(s.moves) }

// ToAct is the seat whose move it is; NoSeat after the end.
func (s *State) ToAct() Seat { return Seat(s.toAct) }

// Dealer is who dealt this round.
func (s *State) Dealer() Seat { return Seat(s.dealer) }

// Scores is the honour of each seat (R15).
func (s *State) Scores() []int { return honours(s.honour[:s.players]) }

// Winners are the seats with most honour in seat order, several if they share (R17); nil before the end.
func (s *State) Winners() []Seat {
	if !s.Over() {
		return nil
	}
	return s.best()
}

func (s *State) best() (seats []Seat) {
	most := s.honour[0]
	for _, h := range s.honour[1:s.players] {
		most = max(most, h)
	}
	for seat, h := range s.honour[:s.players] {
		if h == most {
			seats = append(seats, Seat(seat))
		}
	}
	return seats
}

// Over says whether the game has ended.
func (s *State) Over() bool { return s.phase == PhaseOver }

// Deck is the deck that is played with. What it consists of is public.
func (s *State) Deck() Deck { return s.deck }
