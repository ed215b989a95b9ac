package table

import (
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
	LineFinished   LineKind = "finished"
	LineClosed     LineKind = "closed"
)

// Line is one line of a table's history as it is stored. Move is the move in the record's notation and may name a hidden card:
// it is for the record at the end, and Public strips it.
type Line struct {
	At     time.Time             `json:"at"`
	Kind   LineKind              `json:"kind"`
	Seat   paladin.Seat          `json:"seat"`
	User   UserID                `json:"user,omitempty"`
	Name   string                `json:"name,omitempty"`
	Squire squire.Strength       `json:"squire,omitempty"`
	Reason string                `json:"reason,omitempty"`
	Move   string                `json:"move,omitempty"`
	Events []paladin.PublicEvent `json:"events,omitempty"`
}

// PublicLine is a line of the history as everybody may read it: it has no field for the move's text.
type PublicLine struct {
	At     time.Time
	Kind   LineKind
	Seat   paladin.Seat
	Name   string
	Squire squire.Strength
	Reason string
	Events []paladin.PublicEvent
}

// Public returns the form of the line that everybody may read.
func (l Line) Public() PublicLine {
	return PublicLine{At: l.At, Kind: l.Kind, Seat: l.Seat, Name: l.Name, Squire: l.Squire, Reason: l.Reason, Events: l.Events}
}

// note adds a line to the outcome's history and to the few that the board shows.
func (t *Table) note(out *Outcome, l Line) {
	out.Lines = append(out.Lines, l)
	l.Move = ""
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
	StopVotes  int
	VotesToEnd int // how many stop the game
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

// Public returns what everybody may know.
func (t *Table) Public() Public {
	p := Public{
		ID: t.id, Guild: t.guild, Channel: t.channel, Stage: t.stage, Reason: t.reason, Host: t.host, HostLeft: t.hostLeft,
		Options: t.options, HouseDeck: t.deck.IsHouse(), Commitment: t.seed.Commitment(), Salt: t.salt, Prompt: t.Prompt(),
		Awaited: t.Awaited(), Since: t.awaited, StopVotes: len(t.stopVotes), VotesToEnd: t.votesNeeded(), Next: t.next,
		Opened: t.opened, Started: t.started, Ended: t.ended,
	}
	for _, s := range t.seats {
		p.Seats = append(p.Seats, PublicSeat{Person: s.Person, Squire: s.Squire, Ready: s.Ready, Away: s.Away})
	}
	for _, a := range t.queue {
		p.Queue = append(p.Queue, a.Person)
	}
	p.Invited = append(p.Invited, t.invited...)
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
}

// MyTurn reports whether the seat's owner is the one whose decision is awaited.
func (p *Private) MyTurn() bool { return p.Awaited == p.Seat && p.Seat != paladin.NoSeat && !p.Away }

// Private returns what this person may know; false for somebody who holds no seat.
func (t *Table) Private(user UserID) (Private, bool) {
	seat := t.SeatOf(user)
	if seat == paladin.NoSeat {
		return Private{}, false
	}
	p := Private{Public: t.Public(), Seat: seat, Away: t.seats[seat].Away}
	for _, u := range t.stopVotes {
		p.Voted = p.Voted || u == user
	}
	if t.game != nil {
		view := t.game.View(seat)
		p.View = &view
	}
	return p, true
}
