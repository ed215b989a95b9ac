package table

import (
	"errors"
	"slices"
	"time"

	"paladin/game/paladin"
)

// MaxSentOff bounds how many people can be kept from a running table.
const MaxSentOff = 50

// Commands of whoever manages the channel, about one seat of a running game.
type (
	// SendOff hands a seat to a squire and keeps whoever plays it from the table. User is who was seen there: a press that comes late
	// sends nobody else off. The seat of a stand-in is its owner's again, and a squire plays it until they are back. User may be that
	// owner as well: then the stand-in plays on.
	SendOff struct {
		Seat paladin.Seat
		User UserID
	}
	// LetBack allows somebody who was sent off to come back, or to stand in.
	LetBack struct{ User UserID }
)

func (SendOff) command() {}
func (LetBack) command() {}

func (t *Table) sendOff(by Actor, cmd SendOff, now time.Time, out *Outcome) error {
	if refusal := t.SendingOff(by); refusal != nil {
		return refusal
	}
	if err := t.maySendOff(by, cmd); err != nil {
		return err
	}
	seat := &t.seats[cmd.Seat]
	who := seat.meant(cmd.User)
	t.sentOff = append(slices.Clone(t.sentOff), who)
	t.forgetOffers(cmd.Seat, who.ID)
	line := Line{At: now, Kind: LineSentOff, Seat: cmd.Seat, User: who.ID, Name: who.Name, Other: by.Name, By: by.ID}
	if who.ID == seat.owner.ID {
		line.Reason = OwnerSentOff
		t.note(out, line)
		return nil
	}
	if owner := seat.owner; owner.ID != "" {
		t.note(out, line)
		t.giveBack(cmd.Seat)
		line = Line{At: now, Kind: LineReturned, Seat: cmd.Seat, User: owner.ID, Name: owner.Name}
	} else if seat.Away {
		t.note(out, line)
		return nil
	}
	t.vacate(int(cmd.Seat), who.ID, line, now, out)
	return nil
}

// SendingOff is why this person cannot send anybody off, nor let anybody back, whoever it is; nil where they can.
func (t *Table) SendingOff(by Actor) *Refusal {
	var refusal *Refusal
	if errors.As(t.needPlaying(), &refusal) {
		return refusal
	}
	if !by.Moderator {
		return &Refusal{Kind: NotModerator}
	}
	return nil
}

// maySendOff refuses what is nobody's to do, or was meant for somebody else.
func (t *Table) maySendOff(by Actor, cmd SendOff) error {
	if cmd.Seat < 0 || int(cmd.Seat) >= len(t.seats) {
		return &Refusal{Kind: NotTheirSeat}
	}
	who := t.seats[cmd.Seat].meant(cmd.User)
	switch {
	case t.SentOff(cmd.User):
		return &Refusal{Kind: SentOffAlready, Seat: cmd.Seat}
	case who.ID == "" || who.ID != cmd.User:
		return &Refusal{Kind: NotTheirSeat}
	case who.ID == by.ID:
		return &Refusal{Kind: SendOffSelf}
	case len(t.sentOff) >= MaxSentOff:
		return &Refusal{Kind: SentOffFull}
	}
	return nil
}

// meant is whom of those whose seat it is a command means: its owner by their id, and else whoever plays it.
func (s *Seat) meant(user UserID) Person {
	if s.owner.ID != "" && s.owner.ID == user {
		return s.owner
	}
	return s.Person
}

// forgetOffers takes back what was agreed about the seat: its new squire is not to make room in the same moment for whom people wanted
// before. The offers themselves stay, and those of whoever is sent off go.
func (t *Table) forgetOffers(seat paladin.Seat, gone UserID) {
	t.offers = slices.DeleteFunc(t.offers, func(o offer) bool { return o.Person.ID == gone })
	for i := range t.offers {
		if t.offers[i].Seat == seat {
			t.offers[i].Votes = nil
		}
	}
}

// giveBack makes a seat its owner's again, as one who is away. Whoever stood in knows its cards.
func (t *Table) giveBack(seat paladin.Seat) {
	s := &t.seats[seat]
	s.remember(s.Person)
	s.Person, s.owner, s.missed = s.owner, Person{}, 0
}

func (t *Table) letBack(by Actor, cmd LetBack, now time.Time, out *Outcome) error {
	if refusal := t.SendingOff(by); refusal != nil {
		return refusal
	}
	at := slices.IndexFunc(t.sentOff, func(p Person) bool { return p.ID == cmd.User })
	if at < 0 {
		return &Refusal{Kind: NotSentOff}
	}
	who := t.sentOff[at]
	t.sentOff = slices.Delete(slices.Clone(t.sentOff), at, at+1)
	line := Line{At: now, Kind: LineLetBack, Seat: t.seatKnown(who.ID), User: who.ID, Name: who.Name, Other: by.Name, By: by.ID}
	t.note(out, line)
	return nil
}

// seatKnown is the seat that somebody holds, owns or held.
func (t *Table) seatKnown(user UserID) paladin.Seat {
	for _, seat := range []paladin.Seat{t.SeatOf(user), t.OwnedSeat(user)} {
		if seat != paladin.NoSeat {
			return seat
		}
	}
	return t.FormerSeat(user)
}

// SentOff reports whether somebody who manages the channel sent this person off the table and nobody has let them back.
func (t *Table) SentOff(user UserID) bool {
	return user != "" && slices.ContainsFunc(t.sentOff, func(p Person) bool { return p.ID == user })
}

// awayRefusal is the refusal of what only whoever makes a seat's moves may do, for somebody who does not at present.
func (t *Table) awayRefusal(user UserID) *Refusal {
	if t.SentOff(user) {
		return &Refusal{Kind: SentOff}
	}
	return &Refusal{Kind: AlreadyAway}
}
