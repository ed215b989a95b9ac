package table

import (
	"maps"
	"slices"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// LineKind is what a line of the history tells.
type LineKind string

// Kinds of lines.
const (
	LineOpened     LineKind = "opened"
	LineJoined     LineKind = "joined"
	LineReady      LineKind = "ready"
	LineQueued     LineKind = "queued"
	LineUnqueued   LineKind = "unqueued"
	LineLeft       LineKind = "left"
	LineSquire     LineKind = "squire"
	LineRemoved    LineKind = "removed"
	LineInvited    LineKind = "invited"
	LineStarted    LineKind = "started"
	LineMove       LineKind = "move"
	LineSquireMove LineKind = "squire move"
	LineAway       LineKind = "away"
	LineBack       LineKind = "back"
	LineVote       LineKind = "vote"
	LineTimeout    LineKind = "timeout" // the clock ran out; a squire's move follows
	LineKept       LineKind = "kept"    // too many turns ran out: a squire keeps the seat
	LineGone       LineKind = "gone"    // the person left the server
	LineOffer      LineKind = "offer"   // somebody offers to stand in
	LineAccept     LineKind = "accept"  // somebody agrees to that
	LineStandIn    LineKind = "stand-in"
	LineSentOff    LineKind = "sent off" // by somebody who manages the channel; a squire plays the seat
	LineReturned   LineKind = "returned" // the seat of a stand-in who was sent off is its owner's, who is away
	LineLetBack    LineKind = "let back" // whoever was sent off may come back
	LinePauseVote  LineKind = "pause vote"
	LinePaused     LineKind = "paused"
	LineResumed    LineKind = "resumed"
	LineFinished   LineKind = "finished"
	LineClosed     LineKind = "closed"
)

// VotedToResume is the Reason of a LinePauseVote that asks to go on.
const VotedToResume = "resume"

// OwnerSentOff is the Reason of a LineSentOff of the owner of a seat at which somebody stands in, who plays on.
const OwnerSentOff = "owner"

// Line is one line of a table's history as it is stored. Move is the move in the record's notation and may name a hidden card:
// it is for the record at the end, and Public strips it.
type Line struct {
	At   time.Time    `json:"at"`
	Kind LineKind     `json:"kind"`
	Seat paladin.Seat `json:"seat"`
	User UserID       `json:"user,omitempty"`
	Name string       `json:"name,omitempty"`
	// Other is the name of the second person of the line: for whom somebody stands in, who is agreed to, who gave the seat back, who
	// sent somebody off.
	Other string `json:"other,omitempty"`
	// By is whose name Other is, where that is somebody who manages the channel.
	By     UserID          `json:"by,omitempty"`
	Squire squire.Strength `json:"squire,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Move   string          `json:"move,omitempty"`
	// Beforehand says that the person had given this move beforehand, as an order or a plan, and was not there. Nobody else is told so.
	Beforehand bool `json:"beforehand,omitempty"`
	// Commitment is that of the deal, as it was published when the table was opened (R20): lines are only ever added, so that nobody
	// can change it later. Empty on all lines but that one, and where an older program wrote it.
	Commitment string                `json:"commitment,omitempty"`
	Events     []paladin.PublicEvent `json:"events,omitempty"`
}

// PublicLine is a line of the history as everybody may read it: it has no field for the move's text.
type PublicLine struct {
	At     time.Time
	Kind   LineKind
	Seat   paladin.Seat
	Name   string
	Other  string
	Squire squire.Strength
	Reason string
	Events []paladin.PublicEvent
}

// Public returns the form of the line that everybody may read.
func (l Line) Public() PublicLine {
	return PublicLine{At: l.At, Kind: l.Kind, Seat: l.Seat, Name: l.Name, Other: l.Other, Squire: l.Squire, Reason: l.Reason, Events: l.Events}
}

// note adds a line to the outcome's history and to the few that the board shows.
func (t *Table) note(out *Outcome, l Line) {
	out.Lines = append(out.Lines, l)
	l.Move, l.Beforehand = "", false
	t.recent = append(t.recent, l)
	if extra := len(t.recent) - MaxRecent; extra > 0 {
		t.recent = t.recent[extra:]
	}
}

// PublicSeat is a seat as everybody sees it.
type PublicSeat struct {
	// Person has an empty id for a squire.
	Person Person
	Squire squire.Strength
	Ready  bool
	Away   bool
	// Missed counts the turns in a row that ran out; Overdue is true when somebody may stand in.
	Missed  int
	Overdue bool
	// Owner is whose seat it is while Person stands in; empty otherwise.
	Owner Person
	// Former are those who stood in here before: they know the seat's cards.
	Former []Person
	// SentOff is true when somebody who manages the channel sent the person off, who cannot come back by themselves.
	SentOff bool
}

// PublicOffer is an offer to stand in for a seat.
type PublicOffer struct {
	Seat   paladin.Seat
	Person Person
	Votes  int
	Needed int
	// Host is true when the host alone can accept it: the seat is away. Waits is true when nobody can before the seat is away.
	Host, Waits bool
}

// Human reports whether the seat belongs to a person, present or not.
func (s PublicSeat) Human() bool { return s.Person.ID != "" }

// Reason says why a closed table was closed: one of the Closed constants.
func (t *Table) Reason() string { return t.reason }

// Public is what everybody may know of a table (R19). It has no field for anything else.
type Public struct {
	ID         string
	Guild      string
	Channel    string
	Stage      Stage
	Reason     string // why it was closed
	Host       UserID
	HostLeft   bool
	Seats      []PublicSeat
	Queue      []Person
	Invited    []Person
	Options    Options
	HouseDeck  bool
	Commitment string
	Salt       string // empty before the start
	Seed       string // empty until the table is over (R20)
	Prompt     uint64
	Awaited    paladin.Seat // or NoSeat
	Since      time.Time    // since when it is awaited
	Game       *paladin.Public
	Recent     []PublicLine
	// Until is when the awaited person's time is over; zero where no clock runs. It does not say whether quiet hours moved it.
	Until      time.Time
	Paused     bool
	PausedAt   time.Time // since when it is paused; zero where nobody knows
	PauseVotes int       // to pause, or to go on when it is paused
	Offers     []PublicOffer
	// SentOff are those who may not come back or stand in until somebody who manages the channel lets them.
	SentOff    []Person
	StopVotes  int
	VotesToEnd int // how many votes stop, pause or resume the game
	Next       string
	Opened     time.Time
	Started    time.Time
	Ended      time.Time
}

// Over reports whether the table is finished or closed.
func (p *Public) Over() bool { return p.Stage == Finished || p.Stage == Closed }

// SeatOf returns the seat that the person holds, or paladin.NoSeat.
func (p *Public) SeatOf(user UserID) paladin.Seat {
	for i, seat := range p.Seats {
		if user != "" && seat.Person.ID == user {
			return paladin.Seat(i)
		}
	}
	return paladin.NoSeat
}

// Public returns what everybody may know. Until is set by PublicAt, which knows people's habits.
func (t *Table) Public() Public {
	p := Public{
		ID: t.id, Guild: t.guild, Channel: t.channel, Stage: t.stage, Reason: t.reason, Host: t.host, HostLeft: t.hostLeft,
		Options: t.options, HouseDeck: t.deck.IsHouse(), Commitment: t.seed.Commitment(), Salt: t.salt, Prompt: t.Prompt(),
		Awaited: t.Awaited(), Since: t.awaited, StopVotes: len(t.stopVotes), VotesToEnd: t.votesNeeded(), Next: t.next,
		Opened: t.opened, Started: t.started, Ended: t.ended,
	}
	for _, s := range t.seats {
		p.Seats = append(p.Seats, PublicSeat{
			Person: s.Person, Squire: s.Squire, Ready: s.Ready, Away: s.Away, Missed: s.missed, Overdue: t.stage == Playing && s.Overdue(),
			Owner: s.owner, Former: slices.Clone(s.former), SentOff: t.SentOff(s.Person.ID),
		})
	}
	for _, a := range t.queue {
		p.Queue = append(p.Queue, a.Person)
	}
	p.Invited = append(p.Invited, t.invited...)
	p.SentOff = append(p.SentOff, t.sentOff...)
	p.Paused, p.PausedAt, p.PauseVotes = t.paused, t.pausedSince, len(t.pauseVotes)
	for _, o := range t.offers {
		p.Offers = append(p.Offers, PublicOffer{
			Seat: o.Seat, Person: o.Person, Votes: t.acceptVotes(o), Needed: t.acceptsNeeded(o.Seat),
			Host: t.hostAccepts(o.Seat), Waits: t.acceptWaits(o.Seat),
		})
	}
	for _, l := range t.recent {
		p.Recent = append(p.Recent, l.Public())
	}
	if t.game != nil {
		game := t.game.Public()
		p.Game = &game
	}
	if !t.Live() {
		p.Seed = t.seed.String()
	}
	return p
}

// Private is what the owner of a seat may know: the public part and the seat's View.
type Private struct {
	Public
	Seat paladin.Seat
	// View is nil in the lobby.
	View *paladin.View
	// Away is true while a squire plays the seat.
	Away bool
	// Voted is true for somebody who voted to stop.
	Voted bool
	// Orders are the standing orders of the seat's own cards by quest; Plan is the placement given beforehand, BrokenPlan the last one
	// that did not hold when its turn came.
	Orders     map[int]Order
	Plan       *Plan
	BrokenPlan *Plan
}

// MyTurn reports whether the seat's owner is the one whose decision is awaited.
func (p *Private) MyTurn() bool { return p.Awaited == p.Seat && p.Seat != paladin.NoSeat && !p.Away }

// SentOff reports whether somebody who manages the channel sent the seat's owner off.
func (p *Private) SentOff() bool {
	return p.Seat >= 0 && int(p.Seat) < len(p.Seats) && p.Seats[p.Seat].SentOff
}

// Private returns what this person may know; false for somebody who holds no seat.
func (t *Table) Private(user UserID) (Private, bool) {
	seat := t.SeatOf(user)
	if seat == paladin.NoSeat {
		return Private{}, false
	}
	own := t.seats[seat]
	p := Private{
		Public: t.Public(), Seat: seat, Away: own.Away, Orders: maps.Clone(own.orders), Plan: own.plan, BrokenPlan: own.brokenPlan,
	}
	for _, u := range t.stopVotes {
		p.Voted = p.Voted || u == user
	}
	if t.game != nil {
		view := t.game.View(seat)
		p.View = &view
	}
	return p, true
}

// PublicAt is Public with the time at which the awaited person's turn is over.
func (t *Table) PublicAt(habits func(UserID) Habits) Public {
	p := t.Public()
	p.Until = t.until(habits)
	return p
}

// PrivateAt is Private with the time at which the awaited person's turn is over.
func (t *Table) PrivateAt(user UserID, habits func(UserID) Habits) (Private, bool) {
	p, ok := t.Private(user)
	p.Until = t.until(habits)
	return p, ok
}

func (t *Table) until(habits func(UserID) Habits) time.Time {
	who, ok := t.AwaitedPerson()
	if !ok {
		return time.Time{}
	}
	end, _ := t.turnEnd(habits(who.ID))
	return end
}
