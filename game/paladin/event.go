package paladin

// An EventKind says what happened.
type EventKind uint8

// The kinds of events, with the fields of [PublicEvent] that each sets besides Kind and Round.
const (
	StartNamed     EventKind = iota + 1 // the dealer Seat named Target the start player (R7)
	Placed                              // Seat placed a card at Quest, Place (R8, R9); its value is secret
	Peeked                              // Seat looked at Target's card at Quest, Place (R10); its value is secret
	LeaderRevealed                      // the leading Paladin of Quest, Card of Seat, was turned up (R12)
	Beaten                              // Seat turned up Card at Quest, Place and defeated Beaten of Target (R12, R13)
	TookBack                            // Seat took the card at Quest, Place back to the hand (R12); its value is secret
	Discarded                           // Seat discarded the card at Quest, Place unseen (R12); its value is secret
	QuestWon                            // Seat won Quest of that Honour and keeps it with Card (R14)
	RoundScored                         // the round is over; Scores hold everybody's honour (R15)
	Reshuffled                          // the discard pile, Count cards, became the supply (R6); Number counts from 1
	RoundBegan                          // Round was dealt by Seat, Count cards in all; the cards drawn are secret (R6)
	GameOver                            // Scores and Winners are final (R17)
)

// A PublicEvent is an event as everybody saw it. It has no field for a secret card. Its JSON form is stored in logs.
type PublicEvent struct {
	Kind    EventKind `json:"kind"`
	Round   int       `json:"round"`            // from 1
	Seat    Seat      `json:"seat"`             // who acted, or whom it happened to; NoSeat if nobody
	Target  Seat      `json:"target"`           // the other seat, or NoSeat
	Quest   int       `json:"quest,omitempty"`  // from 1, in the row of the round
	Place   int       `json:"place,omitempty"`  // from 1, the leading Paladin
	Honour  int       `json:"honour,omitempty"` // of the quest won
	Card    FaceUp    `json:"card,omitzero"`
	Beaten  FaceUp    `json:"beaten,omitzero"`
	Count   int       `json:"count,omitempty"`
	Number  int       `json:"number,omitempty"`
	Scores  []int     `json:"scores,omitempty"`
	Winners []Seat    `json:"winners,omitempty"`
}

// A PrivateEvent is an event as one seat saw it.
type PrivateEvent struct {
	PublicEvent
	Knows  bool   `json:"knows,omitempty"`  // whether Secret is known to the seat
	Secret Card   `json:"secret,omitempty"` // the card that was placed, peeked at, taken back or discarded
	Drawn  []Card `json:"drawn,omitempty"`  // RoundBegan: the cards that the seat drew, in the order of drawing
}

// An Event is what a move made happen, secrets included.
type Event struct {
	public PublicEvent
}

// Public is the event as everybody saw it.
func (e *Event) Public() PublicEvent { panic("later") }

// For is the event as that seat saw it; for NoSeat there is no secret in it.
func (e *Event) For(seat Seat) PrivateEvent { panic("later") }

// Kind says what happened.
func (e *Event) Kind() EventKind { return e.public.Kind }
