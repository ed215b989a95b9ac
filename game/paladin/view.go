package paladin

import "fmt"

// A Fate is what became of a card that was placed.
type Fate uint8

// The fates.
const (
	FateOnTable   Fate = iota + 1 // lies face down on its quest
	FateLeading                   // turned up, leads its quest
	FateBeaten                    // led and was defeated: face up on the discard pile, or reshuffled since
	FateKept                      // won its quest and is kept with it
	FateTakenBack                 // returned to its owner's hand, unseen
	FateDiscarded                 // discarded, unseen
)

func (f Fate) String() string {
	switch f {
	case FateOnTable:
		return "on the table"
	case FateLeading:
		return "leading"
	case FateBeaten:
		return "beaten"
	case FateKept:
		return "kept"
	case FateTakenBack:
		return "taken back"
	case FateDiscarded:
		return "discarded"
	}
	return "?"
}

// MarshalText writes the fate in words.
func (f Fate) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Fate) UnmarshalText(text []byte) error {
	for fate := FateOnTable; fate <= FateDiscarded; fate++ {
		if fate.String() == string(text) {
			*f = fate
			return nil
		}
	}
	return fmt.Errorf("%s is no fate of a card", quote(string(text)))
}

// Public is what everybody may know of a game (R19). No type in it can hold a hidden card.
type Public struct {
	Players    int
	Round      int // from 1
	Rounds     int
	Moves      int // made so far
	Phase      Phase
	ToAct      Seat // NoSeat after the end
	Dealer     Seat
	Start      Seat // the start player; NoSeat until named
	Resolving  int  // number of the quest that is being resolved; 0 outside PhaseResolve
	Deciding   int  // place of the card whose owner decides; 0 outside PhaseResolve
	PeekUsed   bool // the seat to act has peeked this turn
	Row        []PublicQuest
	Seats      []PublicSeat
	Peeks      []PublicPeek // of the whole game, in order
	Supply     int          // cards left in the supply
	Discards   []PublicDiscard
	QuestsLeft int    // in the face-down stack
	HouseDeck  bool   // the deck of R2 is played with, and no other
	Winners    []Seat // nil before the end
}

// A PublicQuest is one quest of the row.
type PublicQuest struct {
	Number int // from 1, left to right
	Honour int
	King   bool         // from the King's deck; otherwise the Queen's
	Cards  []PublicCard // still lying there, in order of placement
	Won    bool
	WonBy  Seat   // NoSeat before
	Kept   FaceUp // the Paladin that won it
}

// A PublicCard is a card on a quest.
type PublicCard struct {
	Place    int // from 1, as placed
	Seat     Seat
	Card     FaceUp // shows something for the current leading Paladin only
	PeekedBy []Seat
}

// A PublicSeat is what everybody sees of one player.
type PublicSeat struct {
	Seat   Seat
	Hand   int // cards in hand
	Honour int // R15
	Kept   []KeptQuest
}

// A KeptQuest is a quest won, with the Paladin that won it.
type KeptQuest struct {
	Round  int
	Quest  int
	Honour int
	Card   FaceUp
}

// A PublicPeek says who looked at which card, and what became of that card.
type PublicPeek struct {
	Round int
	Seat  Seat // who looked
	Owner Seat // whose card it was
	Quest int
	Place int
	Fate  Fate
}

// A PublicDiscard is a card of the discard pile, with where it came from.
type PublicDiscard struct {
	Seat  Seat // whose card it was
	Round int
	Quest int
	Place int
	Card  FaceUp // beaten leading Paladins lie face up
}

// A View is what one seat may know. It can be handed to a computer player.
type View struct {
	Public
	Seat     Seat
	Hand     []Card      // sorted
	Placed   []KnownCard // own cards lying on quests now
	Discards []KnownCard `json:"OwnDiscards"` // own discards of the whole game; the discard pile is Public.Discards
	Peeked   []KnownCard // every card this seat has peeked at, in order; a card may repeat
	CanPeek  bool        // a peek is allowed now
	BeatWins bool        // Beat is allowed now

	known State // all that this seat knows, and hidden in every other place
}

// A KnownCard is a placed card whose value the viewer knows, with what became of it.
type KnownCard struct {
	Round int
	Quest int
	Place int
	Owner Seat
	Card  Card
	Fate  Fate
}

// A PastCard is a card that was placed at some time, as the viewer has seen it.
type PastCard struct {
	Round    int
	Quest    int
	Place    int
	Owner    Seat
	Fate     Fate   // what became of it by now
	PeekedBy []Seat // in seat order
	Known    bool   // the viewer placed it, looked at it or saw it turned up
	Card     Card   // if Known, else 0
}

// Past is every card placed so far in the game, of this round and those before, by round, quest and place. It follows from
// what the seat knows alone: everything in it but Card is public (R19).
func (v *View) Past() []PastCard {
	s := &v.known
	var past []PastCard
	for at, c := range s.placed {
		if c.fate == 0 {
			continue
		}
		round, quest, place := s.where(uint8(at))
		p := PastCard{Round: round, Quest: quest, Place: place, Owner: Seat(c.seat), Fate: c.fate, PeekedBy: s.peekersOf(c)}
		if c.card != hidden {
			p.Card, p.Known = c.card, true
		}
		past = append(past, p)
	}
	return past
}

// ReshuffledIn is the round whose deal made the last reshuffle (R6), 0 before there was one. It is public: everybody sees
// the supply run out.
func (v *View) ReshuffledIn() int { return int(v.known.shuffleAt) }

// Legal is the legal moves of this seat, as [State.Legal]; none when another seat is to act. It follows from what the seat
// knows alone.
func (v *View) Legal() []Move { return v.AppendLegal(nil) }

// AppendLegal appends what Legal answers.
func (v *View) AppendLegal(dst []Move) []Move {
	if v.Seat == NoSeat || v.known.ToAct() != v.Seat {
		return dst
	}
	return v.known.AppendLegal(dst)
}

// Deck is the deck that is played with. What it consists of is public, and so is that of every [Public].
func (v *View) Deck() Deck { return v.known.deck }

// Public is what everybody may know (R19).
func (s *State) Public() Public {
	p := Public{
		Players: s.Players(), Round: s.Round(), Rounds: s.Rounds(), Moves: s.Moves(), Phase: s.phase, ToAct: s.ToAct(),
		Dealer: s.Dealer(), Start: Seat(s.starter), PeekUsed: s.peeked, Supply: int(s.supplyLen),
		QuestsLeft: QuestCards - int(s.round*s.players), HouseDeck: s.deck.IsHouse(), Winners: s.Winners(),
	}
	if s.phase == PhaseResolve {
		p.Resolving, p.Deciding = int(s.quest)+1, int(s.deciding)+1
	}
	for seat := range Seat(s.players) {
		p.Seats = append(p.Seats, PublicSeat{Seat: seat, Hand: int(s.handLen[seat]), Honour: int(s.honour[seat])})
	}
	for quest := range s.players {
		p.Row = append(p.Row, s.publicQuest(quest))
	}
	for at, c := range s.placed {
		if c.fate != FateKept {
			continue
		}
		round, quest, _ := s.where(uint8(at))
		kept := &p.Seats[c.seat].Kept
		honour := s.stack[(round-1)*s.Players()+quest-1]
		*kept = append(*kept, KeptQuest{Round: round, Quest: quest, Honour: int(honour), Card: faceUp(c.card)})
	}
	for _, look := range s.peeks[:s.peekLen] {
		c := s.placed[look.at]
		round, quest, place := s.where(look.at)
		p.Peeks = append(p.Peeks, PublicPeek{Round: round, Seat: Seat(look.seat), Owner: Seat(c.seat), Quest: quest, Place: place, Fate: c.fate})
	}
	for _, at := range s.pile[:s.pileLen] {
		c := s.placed[at]
		round, quest, place := s.where(at)
		p.Discards = append(p.Discards, PublicDiscard{Seat: Seat(c.seat), Round: round, Quest: quest, Place: place, Card: c.shown()})
	}
	return p
}

func (s *State) publicQuest(quest uint8) PublicQuest {
	index := (s.round-1)*s.players + quest
	q := PublicQuest{Number: int(quest) + 1, Honour: int(s.stack[index]), King: index >= QueenQuests, WonBy: NoSeat}
	for place := range s.onQuest[quest] {
		c := s.placed[s.at(quest, place)]
		switch c.fate {
		case FateKept:
			q.Won, q.WonBy, q.Kept = true, Seat(c.seat), faceUp(c.card)
		case FateOnTable, FateLeading:
			q.Cards = append(q.Cards, PublicCard{Place: int(place) + 1, Seat: Seat(c.seat), Card: c.shown(), PeekedBy: s.peekersOf(c)})
		}
	}
	return q
}

// peekersOf are those who have looked at a card, in seat order; nil if nobody has.
func (s *State) peekersOf(c placedCard) (seats []Seat) {
	for seat := range Seat(s.players) {
		if c.peekers>>seat&1 == 1 {
			seats = append(seats, seat)
		}
	}
	return seats
}

// turnedUp says that everybody has seen the card.
func (c placedCard) turnedUp() bool {
	return c.fate == FateLeading || c.fate == FateBeaten || c.fate == FateKept
}

func (c placedCard) shown() FaceUp {
	if c.turnedUp() {
		return faceUp(c.card)
	}
	return FaceUp{}
}

// PlacedIn is every card that was placed in a round so far, by quest and place, with its value: secrets of all seats, for whoever shows
// a game after its end.
func (s *State) PlacedIn(round int) []KnownCard {
	var cards []KnownCard
	for at, c := range s.placed {
		if r, _, _ := s.where(uint8(at)); r == round && c.fate != 0 {
			cards = append(cards, s.known(uint8(at)))
		}
	}
	return cards
}

// View is what that seat may know: all that is public, the own cards and what it peeked at. NoSeat is a spectator.
func (s *State) View(seat Seat) View {
	if !s.seated(seat) {
		seat = NoSeat
	}
	v := View{Public: s.Public(), Seat: seat, known: s.mask(seat)}
	if seat == NoSeat {
		return v
	}
	v.Hand = append(v.Hand, s.hand(seat)...)
	for at, c := range s.placed {
		if Seat(c.seat) != seat {
			continue
		}
		switch c.fate {
		case FateOnTable, FateLeading:
			v.Placed = append(v.Placed, s.known(uint8(at)))
		case FateDiscarded:
			v.Discards = append(v.Discards, s.known(uint8(at)))
		}
	}
	for _, look := range s.peeks[:s.peekLen] {
		if Seat(look.seat) == seat {
			v.Peeked = append(v.Peeked, s.known(look.at))
		}
	}
	if s.ToAct() == seat {
		v.CanPeek = s.phase == PhasePlace && !s.peeked
		v.BeatWins = s.phase == PhaseResolve && s.beats()
	}
	return v
}

func (s *State) known(at uint8) KnownCard {
	c := s.placed[at]
	round, quest, place := s.where(at)
	return KnownCard{Round: round, Quest: quest, Place: place, Owner: Seat(c.seat), Card: c.card, Fate: c.fate}
}

// mask is the state as viewer knows it: every card that viewer may not know is hidden, and so is all of chance.
func (s *State) mask(viewer Seat) State {
	m := *s
	m.chance = chance{}
	for i := s.round * s.players; i < QuestCards; i++ {
		m.stack[i] = 0
	}
	for i := range m.supply[:s.supplyLen] {
		m.supply[i] = hidden
	}
	for seat := range Seat(s.players) {
		if seat == viewer {
			continue
		}
		for i := range m.hand(seat) {
			m.hands[seat][i] = hidden
		}
	}
	for i := range m.placed {
		c := &m.placed[i]
		known := c.turnedUp() || Seat(c.seat) == viewer || viewer != NoSeat && c.peekers>>viewer&1 == 1
		if c.fate != 0 && !known {
			c.card = hidden
		}
	}
	return m
}
