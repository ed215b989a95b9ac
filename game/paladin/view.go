package paladin

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

func (f Fate) String() string { panic("later") }

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
	Discards []KnownCard // own discards of the whole game
	Peeked   []KnownCard // every card this seat has peeked at, in order; a card may repeat
	CanPeek  bool        // a peek is allowed now
	BeatWins bool        // Beat is allowed now
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

// Legal is the legal moves of this seat, as [State.Legal]; none when another seat is to act.
func (v *View) Legal() []Move { panic("later") }
