package table

import (
	"fmt"
	"time"

	"paladin/game/paladin"
)

// RefusalKind is why a table says no. Each has a sentence for people, written where people are spoken to.
type RefusalKind string

// Kinds of refusals.
const (
	BadSeats       RefusalKind = "seats out of range"
	BadStrength    RefusalKind = "no such strength"
	BadPace        RefusalKind = "no such pace"
	NotSeated      RefusalKind = "not seated"
	AlreadySeated  RefusalKind = "already seated"
	AlreadyQueued  RefusalKind = "already queued"
	AlreadyInvited RefusalKind = "already invited"
	AlreadyAway    RefusalKind = "away"
	AlreadyVoted   RefusalKind = "already voted"
	NotAway        RefusalKind = "not away"
	Barred         RefusalKind = "removed by the host"
	InviteBarred   RefusalKind = "invites somebody removed"
	InvitedFull    RefusalKind = "too many invited"
	BarredFull     RefusalKind = "too many removed"
	QueueFull      RefusalKind = "queue full"
	TableFull      RefusalKind = "table full"
	NoSuchSeat     RefusalKind = "no such seat"
	RemoveSelf     RefusalKind = "host removes self"
	NotHost        RefusalKind = "not the host"
	NotModerator   RefusalKind = "not a moderator"
	TooFew         RefusalKind = "too few players"
	NotReady       RefusalKind = "somebody is not ready"
	Started        RefusalKind = "already started"
	NotStarted     RefusalKind = "not started"
	StillPlaying   RefusalKind = "still playing"
	GameOver       RefusalKind = "over"
	Stale          RefusalKind = "stale"
	NotYourTurn    RefusalKind = "not your turn"
	RuleBroken     RefusalKind = "rule"
	NotOverdue     RefusalKind = "not overdue"
	HeldSeat       RefusalKind = "knows another seat"
	AlreadyOffered RefusalKind = "already offered"
	NoOffer        RefusalKind = "no such offer"
	AcceptWaits    RefusalKind = "accepted until the seat is away"
	SentOff        RefusalKind = "sent off"
	SentOffAlready RefusalKind = "sent off already"
	SentOffFull    RefusalKind = "too many sent off"
	SendOffSelf    RefusalKind = "sends off self"
	NotSentOff     RefusalKind = "not sent off"
	NotTheirSeat   RefusalKind = "somebody else's seat by now"
	OffersFull     RefusalKind = "too many offers"
	OwnSeat        RefusalKind = "one's own seat"
	PauseAlready   RefusalKind = "paused or going on already"
	BadOrder       RefusalKind = "no such order"
	NoCardThere    RefusalKind = "no card there to order"
	CardsTurn      RefusalKind = "the card's turn has come"
	BadPlan        RefusalKind = "no such placement"
	NoPlanNow      RefusalKind = "nothing to plan now"
	PracticeOnly   RefusalKind = "not in a practice game"
)

// Refusal is the table's or the rules' no, with the facts that a sentence to the person needs. Nothing has changed.
type Refusal struct {
	Kind RefusalKind
	// Seat is the seat spoken of: whose turn it is, who is not ready.
	Seat paladin.Seat
	// Name is the name of the person spoken of; empty for a squire.
	Name string
	// Invited says that the person spoken of was to be invited, and is not who asked.
	Invited bool
	// Count is a number spoken of: players or votes missing.
	Count int
	// At is, for NotHost, when it becomes what everybody seated may do if the host presses nothing in
	// the lobby until then; zero for somebody without a seat.
	At time.Time
	// Rule is set for RuleBroken. Its facts may be secret to others: it is told to nobody but the one who asked.
	Rule *paladin.RuleError
}

// Error describes the refusal for logs and tests, without names.
func (r *Refusal) Error() string {
	if r.Rule != nil {
		return fmt.Sprintf("refused: %s", r.Rule.Rule)
	}
	return "refused: " + string(r.Kind)
}
