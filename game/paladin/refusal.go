package paladin

// A RefusalKind says why a move is refused, for a program that makes its own sentence of it.
type RefusalKind uint8

// The kinds of refusals.
const (
	RefusedOver       RefusalKind = iota + 1 // the game is over
	RefusedTurn                              // another seat is to act
	RefusedPhase                             // not a move of this phase
	RefusedSeat                              // there is no such seat
	RefusedQuest                             // there is no such quest in the row
	RefusedCard                              // the seat does not hold that card
	RefusedLed                               // the quest has a leading Paladin already
	RefusedOnQuest                           // the seat has a card on that quest already
	RefusedPlace                             // no card lies there
	RefusedOwn                               // one's own card is no peek
	RefusedPeekedOnce                        // one peek a turn
	RefusedWeaker                            // the card would not beat the leading Paladin
	RefusedKind                              // there is no such move
	RefusedReshuffle                         // the listed deal has no fitting reshuffle
)

// A RuleError is a refused move. It is for the seat that asked for it: the reason may name a card that only this seat knows.
type RuleError struct {
	Rule   string // "R9"
	Kind   RefusalKind
	Reason string // a clause for people, lower-case, without the rule
	Phase  Phase  // what is due
	ToAct  Seat   // by whom
	Move   Move   // what was asked for
	// Own and Leader are the card that is decided about and the leading Paladin; set for RefusedWeaker alone.
	Own, Leader Card
}

func (e *RuleError) Error() string { return e.Rule + ": " + e.Reason }
