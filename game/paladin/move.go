package paladin

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
func (m Move) String() string { panic("later") }

// ParseMove reads what String writes, character by character. Whether the move is legal is another question.
func ParseMove(text string) (Move, error) { panic("later") }
