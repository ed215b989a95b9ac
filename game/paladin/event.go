package paladin

import "fmt"

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
	Knows  bool   `json:"knows"`           // whether Secret is known to the seat
	Secret Card   `json:"secret"`          // the card that was placed, peeked at, taken back or discarded; 0 unless Knows
	Drawn  []Card `json:"drawn,omitempty"` // RoundBegan: the cards that the seat drew, in the order of drawing
}

// An Event is what a move made happen, secrets included. Only its public and private forms leave the table's owner.
type Event struct {
	kind               EventKind
	round              uint8
	seat, other        int8
	quest, place       uint8
	honour             uint8
	count, number      uint8
	face, beaten, card FaceUp // card is the secret one
	knows              uint8  // a bit for each seat that may know card
	players            uint8
	winners            uint8 // a bit for each
	scores             [MaxPlayers]uint8
	drawn              [MaxPlayers][maxHand]FaceUp
}

// Kind says what happened.
func (e *Event) Kind() EventKind { return e.kind }

// Public is the event as everybody saw it.
func (e *Event) Public() PublicEvent {
	p := PublicEvent{
		Kind: e.kind, Round: int(e.round), Seat: Seat(e.seat), Target: Seat(e.other), Quest: int(e.quest), Place: int(e.place),
		Honour: int(e.honour), Card: e.face, Beaten: e.beaten, Count: int(e.count), Number: int(e.number),
	}
	if e.kind == RoundScored || e.kind == GameOver {
		p.Scores = honours(e.scores[:e.players])
	}
	for seat := range Seat(e.players) {
		if e.winners>>seat&1 == 1 {
			p.Winners = append(p.Winners, seat)
		}
	}
	return p
}

// For is the event as that seat saw it; for NoSeat there is no secret in it.
func (e *Event) For(seat Seat) PrivateEvent {
	p := PrivateEvent{PublicEvent: e.Public()}
	if seat < 0 || seat >= Seat(e.players) {
		return p
	}
	if e.knows>>seat&1 == 1 {
		p.Secret, p.Knows = e.card.Card()
	}
	for _, drawn := range e.drawn[seat] {
		if c, ok := drawn.Card(); ok {
			p.Drawn = append(p.Drawn, c)
		}
	}
	return p
}

func (s *State) event(kind EventKind, seat int8) Event {
	return Event{kind: kind, round: s.round, seat: seat, other: -1, players: s.players}
}

func (e Event) target(seat Seat) Event {
	e.other = int8(seat)
	return e
}

// at counts quest and place from 0.
func (e Event) at(quest, place uint8) Event {
	e.quest, e.place = quest+1, place+1
	return e
}

func (e Event) shows(c Card) Event {
	e.face = faceUp(c)
	return e
}

func (e Event) secret(c Card, knows uint8) Event {
	e.card, e.knows = faceUp(c), knows
	return e
}

// String is the kind as it is stored.
func (k EventKind) String() string {
	if name, ok := eventName(k); ok {
		return name
	}
	return "?"
}

func eventName(k EventKind) (string, bool) {
	switch k {
	case StartNamed:
		return "start-named", true
	case Placed:
		return "placed", true
	case Peeked:
		return "peeked", true
	case LeaderRevealed:
		return "leader-revealed", true
	case Beaten:
		return "beaten", true
	case TookBack:
		return "took-back", true
	case Discarded:
		return "discarded", true
	case QuestWon:
		return "quest-won", true
	case RoundScored:
		return "round-scored", true
	case Reshuffled:
		return "reshuffled", true
	case RoundBegan:
		return "round-began", true
	case GameOver:
		return "game-over", true
	}
	return "", false
}

// MarshalText writes the kind as it is stored.
func (k EventKind) MarshalText() ([]byte, error) {
	name, ok := eventName(k)
	if !ok {
		return nil, fmt.Errorf("event kind %d does not exist", uint8(k))
	}
	return []byte(name), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *EventKind) UnmarshalText(text []byte) error {
	for kind := StartNamed; kind <= GameOver; kind++ {
		if kind.String() == string(text) {
			*k = kind
			return nil
		}
	}
	return fmt.Errorf("%s is no kind of event", quote(string(text)))
}
