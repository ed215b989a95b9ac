package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// Fixed answers about sending somebody off.
const (
	TextSendOffUnknown Text = "sendoff.unknown"
	TextSendOffClosed  Text = "sendoff.done_closed"
)

// maxLetBack is how many of those who were sent off have a button; the command names them all.
const maxLetBack = 10

// sentOff reports whether the person was sent off this table.
func sentOff(p *table.Public, user table.UserID) bool {
	return user != "" && slices.ContainsFunc(p.SentOff, func(who table.Person) bool { return who.ID == user })
}

// sendOffButton opens the list of seats for somebody who manages the channel.
func (pr *Printer) sendOffButton(p *table.Public) []component {
	if p.Stage != table.Playing {
		return nil
	}
	return rows(secondary(pr.Say("sendoff.label_open"), press.New(press.SendOff, p.ID)))
}

// sendable are the seats that the reader can hand to a squire.
func sendable(p *table.Public, reader table.UserID) []paladin.Seat {
	var seats []paladin.Seat
	for i, s := range p.Seats {
		if s.Human() && !s.SentOff && s.Person.ID != reader {
			seats = append(seats, paladin.Seat(i))
		}
	}
	return seats
}

// ownersKept are the seats with a stand-in whose owner the reader can keep from coming back.
func ownersKept(p *table.Public, reader table.UserID) []paladin.Seat {
	var seats []paladin.Seat
	for i, s := range p.Seats {
		if s.Owner.ID != "" && s.Owner.ID != reader && !sentOff(p, s.Owner.ID) {
			seats = append(seats, paladin.Seat(i))
		}
	}
	return seats
}

// SendOffList offers the seats that somebody who manages the channel can hand to a squire, and to let those back who were sent off. note
// is a receipt or refusal shown first, or empty.
func (pr *Printer) SendOffList(p *table.Public, reader table.UserID, note string) discord.Message {
	if p.Stage != table.Playing {
		return Note(note)
	}
	var parts []component
	if note != "" {
		parts = append(parts, text(note), divider())
	}
	var seats []component
	for _, seat := range sendable(p, reader) {
		id := press.New(press.SendOff, p.ID, fmt.Sprint(seat.Number()), string(p.Seats[seat].Person.ID))
		seats = append(seats, secondary(pr.whoPlain(p, seat), id))
	}
	if len(seats) == 0 {
		parts = append(parts, text(pr.Say("sendoff.nobody")))
	} else {
		parts = append(append(parts, text(pr.Say("sendoff.heading"))), rows(seats...)...)
	}
	if len(p.SentOff) > 0 {
		var back []component
		for _, who := range p.SentOff[max(0, len(p.SentOff)-maxLetBack):] {
			back = append(back, secondary(pr.Say("sendoff.label_let_back", "who", pr.calledPlain(who.Name)), press.New(press.LetBack, p.ID, string(who.ID))))
		}
		parts = append(append(parts, text(pr.Say("sendoff.off_heading"))), rows(back...)...)
	}
	return private(parts...)
}

// ConfirmSendOff asks whether to send this person (user) off the seat: whoever plays it, or its owner while somebody stands in. The button
// that does so stands in a row of its own, where none stood before. The owner's question is reached from that of the stand-in.
func (pr *Printer) ConfirmSendOff(p *table.Public, seat paladin.Seat, user table.UserID) discord.Message {
	s := p.Seats[seat]
	if user == s.Owner.ID {
		owner := tokenOf(seat).sign + " "
		said := pr.Say("sendoff.question_owner", "who", pr.somebody(s.Person.Name), "owner", owner+pr.somebody(s.Owner.Name))
		return pr.sureToSendOff(p, seat, user, pr.Say("sendoff.label_sure_owner", "who", owner+pr.calledPlain(s.Owner.Name)), said)
	}
	lines := []string{pr.Say("sendoff.question", "who", pr.who(p, seat))}
	if s.Owner.ID != "" {
		lines = append(lines, pr.Say("sendoff.question_returned", "who", pr.somebody(s.Person.Name), "owner", pr.somebody(s.Owner.Name)))
	}
	if !s.Away && presentBut(p, seat) == 0 {
		lines = append(lines, pr.Say("sendoff.question_last"))
	}
	m := pr.sureToSendOff(p, seat, user, pr.Say("sendoff.label_sure", "who", pr.whoPlain(p, seat)), lines...)
	if s.Owner.ID != "" && !sentOff(p, s.Owner.ID) {
		label := pr.Say("sendoff.label_sure_owner", "who", tokenOf(seat).sign+" "+pr.calledPlain(s.Owner.Name))
		m.Components = append(m.Components, row(secondary(label, press.New(press.SendOff, p.ID, fmt.Sprint(seat.Number()), string(s.Owner.ID)))))
	}
	return m
}

func (pr *Printer) sureToSendOff(p *table.Public, seat paladin.Seat, user table.UserID, label string, lines ...string) discord.Message {
	sure := press.New(press.SendOff, p.ID, fmt.Sprint(seat.Number()), string(user), press.Sure)
	return private(
		text(lines...),
		row(secondary(pr.Say("sendoff.label_keep"), press.New(press.SendOff, p.ID))),
		row(danger(label, sure)),
	)
}

// SentOffReceipt tells whoever did it what came of sending somebody off, or of letting them back.
func (pr *Printer) SentOffReceipt(p *table.Public, cmd table.Command, name string) string {
	switch {
	case p.Stage != table.Playing:
		return pr.Say(TextSendOffClosed)
	case isLetBack(cmd):
		return pr.Say("sendoff.let_back", "who", pr.somebody(name))
	case keptAway(p, cmd):
		return pr.Say("sendoff.done_owner", "who", pr.somebody(name))
	default:
		return pr.Say("sendoff.done", "who", pr.somebody(name))
	}
}

// keptAway reports whether the command sent off the owner of a seat at which somebody stands in.
func keptAway(p *table.Public, cmd table.Command) bool {
	off, ok := cmd.(table.SendOff)
	if !ok {
		return false
	}
	s, _ := seatAt(p, off.Seat)
	return s.Owner.ID != "" && s.Owner.ID == off.User
}

func isLetBack(cmd table.Command) bool {
	_, ok := cmd.(table.LetBack)
	return ok
}

// letBackMark begins the value of a suggestion to let somebody back.
const letBackMark = "back-"

// ownerMark begins the value of a suggestion to keep the owner of a seat away at which somebody stands in.
const ownerMark = "owner-"

// SendOffChoices are the suggestions for whose seat to hand to a squire, and for whom to let back.
func (pr *Printer) SendOffChoices(p *table.Public, reader table.UserID, typed string) []discord.Choice {
	if p.Stage != table.Playing {
		return nil
	}
	return matching(pr.sendOffChoices(p, reader), typed)
}

func (pr *Printer) sendOffChoices(p *table.Public, reader table.UserID) []discord.Choice {
	var out []discord.Choice
	for _, seat := range sendable(p, reader) {
		name := pr.Say("commands.suggest_seat", "who", pr.whoPlain(p, seat), "seat", seat.Number())
		out = append(out, suggestion(name, strconv.Itoa(seat.Number())))
	}
	for _, seat := range ownersKept(p, reader) {
		owner := p.Seats[seat].Owner
		name := pr.Say("sendoff.label_sure_owner", "who", tokenOf(seat).sign+" "+pr.calledPlain(owner.Name))
		out = append(out, suggestion(name, ownerMark+strconv.Itoa(seat.Number())))
	}
	for _, who := range p.SentOff {
		out = append(out, suggestion(pr.Say("sendoff.label_let_back", "who", pr.calledPlain(who.Name)), letBackMark+string(who.ID)))
	}
	return out
}

// ReadSendOff reads what was typed or chosen: whom to send off or to let back. It is false for what names nobody, or several.
func (pr *Printer) ReadSendOff(p *table.Public, reader table.UserID, typed string) (table.Command, bool) {
	typed = strings.TrimSpace(typed)
	if id, found := strings.CutPrefix(typed, letBackMark); found {
		return table.LetBack{User: table.UserID(id)}, id != ""
	}
	number, owner := strings.CutPrefix(typed, ownerMark)
	if n, err := strconv.Atoi(number); err == nil {
		s, ok := seatAt(p, paladin.SeatNumber(n))
		if owner {
			return table.SendOff{Seat: paladin.SeatNumber(n), User: s.Owner.ID}, ok && s.Owner.ID != ""
		}
		return table.SendOff{Seat: paladin.SeatNumber(n), User: s.Person.ID}, ok
	}
	found := matching(pr.sendOffChoices(p, reader), typed)
	if typed == "" || len(found) != 1 {
		return nil, false
	}
	value, _ := found[0].Value.(string)
	return pr.ReadSendOff(p, reader, value)
}

// sentOffLine tells the owner of a seat that they were sent off, and the way back.
func (pr *Printer) sentOffLine(p *table.Private) string {
	if !p.SentOff() {
		return ""
	}
	return pr.Say("sendoff.seat")
}

// sendOffSentences tell the lines about people who were sent off; nil for others.
func (pr *Printer) sendOffSentences(l table.PublicLine) []string {
	who := pr.somebody(l.Name)
	if l.Seat != paladin.NoSeat {
		who = tokenOf(l.Seat).sign + " " + who
	}
	switch l.Kind {
	case table.LineSentOff:
		if l.Reason == table.OwnerSentOff {
			return []string{pr.Say("sendoff.line_kept_away", "who", who, "moderator", pr.somebody(l.Other))}
		}
		return []string{pr.Say("sendoff.line_sent_off", "who", who, "moderator", pr.somebody(l.Other))}
	case table.LineReturned:
		return []string{pr.Say("sendoff.line_returned", "who", who)}
	case table.LineLetBack:
		return []string{pr.Say("sendoff.line_let_back", "who", who, "moderator", pr.somebody(l.Other))}
	default:
		return nil
	}
}

// SentOff tells somebody by direct message that moderator sent them off the seat.
func (pr *Printer) SentOff(p *table.Public, seat paladin.Seat, user table.UserID, moderator, boardLink string) discord.Message {
	said := Text("sendoff.told")
	s, _ := seatAt(p, seat)
	switch {
	case p.Over():
		said = Text("sendoff.told_closed")
	case s.Owner.ID == user:
		said = Text("sendoff.told_owner")
	}
	return pr.toldOf(p, boardLink, pr.Say(said, "moderator", pr.somebody(moderator), "token", tokenOf(seat).sign))
}

// StandInSentOff tells the owner of a seat that moderator sent off whoever stood in there.
func (pr *Printer) StandInSentOff(p *table.Public, owner table.UserID, standIn, moderator, boardLink string) discord.Message {
	said := pr.Say("sendoff.told_returned", "moderator", pr.somebody(moderator), "who", pr.somebody(standIn))
	if sentOff(p, owner) {
		said = joinLines(said, pr.Say("sendoff.seat"))
	}
	return pr.toldOf(p, boardLink, said, primary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID)))
}

// LetBack tells somebody by direct message that moderator lets them back, with the way to their seat if they have one.
func (pr *Printer) LetBack(p *table.Public, user table.UserID, moderator, boardLink string) discord.Message {
	said := pr.Say("sendoff.told_back", "moderator", pr.somebody(moderator))
	for _, s := range p.Seats {
		switch {
		case s.Owner.ID == user:
			return pr.toldOf(p, boardLink, said, primary(pr.Say("presence.label_reclaim"), press.New(press.Reclaim, p.ID)))
		case s.Person.ID == user && s.Away:
			return pr.toldOf(p, boardLink, said, primary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID)))
		}
	}
	return pr.toldOf(p, boardLink, said)
}

func (pr *Printer) toldOf(p *table.Public, boardLink, said string, buttons ...component) discord.Message {
	words := text(pr.Say("presence.which_game", "channel", mentionChannel(p.Channel)), said)
	return public(append([]component{words}, rows(append(buttons, pr.boardLinks(boardLink)...)...)...)...)
}

// presentBut counts the people who make the moves of another seat.
func presentBut(p *table.Public, seat paladin.Seat) int {
	n := 0
	for i, s := range p.Seats {
		if s.Human() && !s.Away && paladin.Seat(i) != seat {
			n++
		}
	}
	return n
}
