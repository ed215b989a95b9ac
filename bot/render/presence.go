package render

import (
	"fmt"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// Fixed answers about people who are not there.
const (
	TextOffered   Text = "presence.offered"
	TextReclaimed Text = "presence.reclaimed"
)

// gamePaceLabel names a pace of a game where it is offered.
func (pr *Printer) gamePaceLabel(pace table.Pace) string {
	return pr.Say(Text("presence.pace_label_" + string(pace)))
}

// paceLine says how long everybody has for a move.
func (pr *Printer) paceLine(pace table.Pace) string {
	if !pace.Valid() {
		return ""
	}
	return pr.Say(Text("presence.pace_line_" + string(pace)))
}

func (pr *Printer) gamePaceButtons(p *table.Public) []component {
	var out []component
	for _, pace := range table.Paces() {
		out = append(out, choice(pace == p.Options.Pace, pr.gamePaceLabel(pace), press.New(press.Pace, p.ID, string(pace))))
	}
	return out
}

// timesText says since when something is awaited and until when there is time. It ends a sentence.
func (pr *Printer) timesText(since, until time.Time) string {
	switch {
	case !until.IsZero() && !since.IsZero():
		return pr.Say("presence.times_until_asked", "until", ago(until), "since", ago(since))
	case !until.IsZero():
		return pr.Say("presence.times_until", "until", ago(until))
	case !since.IsZero():
		return pr.Say("presence.times_since", "since", ago(since))
	default:
		return "."
	}
}

// pausedLine says that no clock runs, since when, and what it takes to go on.
func (pr *Printer) pausedLine(p *table.Public) string {
	switch {
	case !p.Paused || p.Over():
		return ""
	case p.PausedAt.IsZero():
		return pr.plural("presence.paused", p.VotesToEnd)
	default:
		return pr.plural("presence.paused_since", p.VotesToEnd, "since", ago(p.PausedAt))
	}
}

// standingLines say what else holds of a running game, besides whose move it is: a pause, votes and
// offers to stand in.
func (pr *Printer) standingLines(p *table.Public) string {
	return joinLines(pr.pausedLine(p), pr.votesLine(p), pr.pauseVotes(p), joinLines(pr.offerLines(p)...))
}

// ownTimes say below one's own move until when it is awaited and since when.
func (pr *Printer) ownTimes(p *table.Private) string {
	switch {
	case !p.MyTurn() || p.Since.IsZero() || p.Options.Practice:
		return ""
	case p.Until.IsZero():
		return pr.Say("presence.own_times_since", "since", ago(p.Since))
	default:
		return pr.Say("presence.own_times_until", "until", ago(p.Until), "since", ago(p.Since))
	}
}

// missedTurns warn somebody whose turns ran out of what the next ones lead to.
func (pr *Printer) missedTurns(p *table.Private) string {
	s, _ := seatAt(&p.Public, p.Seat)
	if s.Missed == 0 || p.Away {
		return ""
	}
	return pr.plural("presence.missed", s.Missed, "most", table.MaxMissed)
}

// pauseVotes says how far a vote to pause or to go on has come.
func (pr *Printer) pauseVotes(p *table.Public) string {
	if p.PauseVotes == 0 {
		return ""
	}
	if p.Paused {
		return pr.plural("presence.resume_votes", p.VotesToEnd, "votes", p.PauseVotes)
	}
	return pr.plural("presence.pause_votes", p.VotesToEnd, "votes", p.PauseVotes)
}

// PauseReceipt tells somebody what came of their vote.
func (pr *Printer) PauseReceipt(p *table.Public, pause bool) string {
	switch {
	case p.Paused && pause:
		return pr.Say("presence.now_paused")
	case !p.Paused && !pause:
		return pr.Say("presence.now_resumed")
	default:
		return pr.Say("presence.vote_counts") + " " + pr.pauseVotes(p)
	}
}

// offerLines are the offers to stand in that wait for an answer.
func (pr *Printer) offerLines(p *table.Public) []string {
	var lines []string
	for _, o := range p.Offers {
		lines = append(lines, pr.offerLine(p, o))
	}
	return lines
}

func (pr *Printer) offerLine(p *table.Public, o table.PublicOffer) string {
	return pr.Say("presence.offer", "who", pr.somebody(o.Person.Name), "owner", pr.who(p, o.Seat)) + " " + pr.takesToAccept(o)
}

// ownOffer is what became of the reader's own offer to stand in, as far as it waits.
func (pr *Printer) ownOffer(p *table.Public, reader table.UserID) string {
	for _, o := range p.Offers {
		if o.Person.ID == reader {
			return pr.offerLine(p, o)
		}
	}
	return ""
}

// takesToAccept says who can accept an offer: the host alone for a seat that is away, before that enough others, if there are enough.
func (pr *Printer) takesToAccept(o table.PublicOffer) string {
	switch {
	case o.Host:
		return pr.plural("presence.takes_host_or_votes", o.Needed, "votes", o.Votes)
	case o.Waits:
		return pr.Say("presence.takes_away", "needed", o.Needed, "votes", o.Votes)
	}
	return pr.plural("presence.takes_votes", o.Needed, "votes", o.Votes)
}

// somebody is a person's name in a sentence.
func (pr *Printer) somebody(name string) string { return bold(pr.called(name)) }

// maxStandIns is how many offers have a button on a board; the others wait until these are decided.
const maxStandIns = 5

// presenceButtons are the board's controls about people who are not there: standing in, accepting it, pausing and going on.
func (pr *Printer) presenceButtons(p *table.Public) []component {
	var stand, accept []component
	for i, s := range p.Seats {
		if s.Overdue {
			seat := paladin.Seat(i)
			stand = append(stand, secondary(pr.Say("presence.label_offer", "owner", pr.whoPlain(p, seat)), press.New(press.Offer, p.ID, fmt.Sprint(seat.Number()))))
		}
	}
	for _, o := range p.Offers[:min(maxStandIns, len(p.Offers))] {
		accept = append(accept, pr.acceptButton(p, o))
	}
	return append(append(rows(stand...), rows(accept...)...), pr.pauseButtons(p)...)
}

// pauseButtons let a paused game go on, or agree to a pause that somebody asked for.
func (pr *Printer) pauseButtons(p *table.Public) []component {
	switch {
	case p.Over():
		return nil
	case p.Paused:
		return rows(success(pr.Say("presence.label_resume"), press.New(press.Resume, p.ID)))
	case p.PauseVotes > 0:
		return rows(secondary(pr.Say("presence.label_pause_too"), press.New(press.Pause, p.ID)))
	}
	return nil
}

func (pr *Printer) acceptButton(p *table.Public, o table.PublicOffer) component {
	label := pr.Say("presence.label_accept", "who", pr.calledPlain(o.Person.Name), "token", tokenOf(o.Seat).sign)
	return success(label, press.New(press.Accept, p.ID, fmt.Sprint(o.Seat.Number()), string(o.Person.ID)))
}

// OfferNotice asks somebody who can accept an offer to stand in.
func (pr *Printer) OfferNotice(p *table.Public, o table.PublicOffer, boardLink string) discord.Message {
	words := pr.Say("presence.offer_notice", "who", pr.somebody(o.Person.Name), "owner", pr.who(p, o.Seat), "channel", mentionChannel(p.Channel))
	more := pr.Say("presence.offer_means") + " " + pr.takesToAccept(o)
	return public(text(words, more), row(append([]component{pr.acceptButton(p, o)}, pr.boardLinks(boardLink)...)...))
}

// AcceptReceipt tells somebody what came of accepting an offer.
func (pr *Printer) AcceptReceipt(p *table.Public, seat paladin.Seat, user table.UserID) string {
	if p.SeatOf(user) == seat {
		return pr.Say("presence.accepted", "who", pr.who(p, seat))
	}
	for _, o := range p.Offers {
		if o.Seat == seat && o.Person.ID == user {
			if o.Waits {
				return pr.Say("presence.vote_counts") + " " + pr.takesToAccept(o)
			}
			return pr.Say("presence.accept_vote", "votes", o.Votes, "needed", o.Needed)
		}
	}
	return pr.Say("replies.done")
}

// Offered tells somebody that their offer to stand in was noted, and what it takes.
func (pr *Printer) Offered(p *table.Public, user table.UserID) string {
	said := pr.Say(TextOffered)
	for _, o := range p.Offers {
		if o.Person.ID == user {
			said += " " + pr.takesToAccept(o)
		}
	}
	return said
}

// seenBy says who else knows the cards of a seat, because they stood in there before.
func (pr *Printer) seenBy(p *table.Public, seat paladin.Seat) string {
	s, _ := seatAt(p, seat)
	var names []string
	for _, who := range s.Former {
		if who.ID != s.Person.ID {
			names = append(names, pr.somebody(who.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pr.Say("presence.seen_by", "who", pr.enumerate(names))
}

// StoodIn is what the owner of a seat sees while somebody stands in: how the game stands, and the way back. It shows no card: whoever
// takes the seat back sees them all.
func (pr *Printer) StoodIn(p *table.Public, seat paladin.Seat, opt PanelOptions) discord.Message {
	lines := []string{
		pr.Say("presence.stood_in_heading", "who", pr.who(p, seat)), pr.scoreLine(p), pr.waitingLine(p), pr.pausedLine(p),
		pr.Say("presence.stood_in", "who", pr.who(p, seat)), pr.seenBy(p, seat),
	}
	if sentOff(p, p.Seats[seat].Owner.ID) {
		return pr.handedOver(p, opt, append(lines[:len(lines)-2:len(lines)-2], pr.Say("sendoff.sees", "who", pr.who(p, seat)), pr.seenBy(p, seat), pr.Say("sendoff.seat")), nil)
	}
	return pr.handedOver(p, opt, lines, rows(primary(pr.Say("presence.label_reclaim"), press.New(press.Reclaim, p.ID))))
}

// HandedBack is what somebody (user) who stood in sees when the seat is no longer theirs.
func (pr *Printer) HandedBack(p *table.Public, seat paladin.Seat, user table.UserID, opt PanelOptions) discord.Message {
	said, after := pr.Say("presence.handed_back"), pr.Say("presence.handed_back_bound")
	if sentOff(p, user) {
		said, after = pr.Say("sendoff.stood_in"), ""
	}
	lines := []string{pr.Say("presence.handed_back_heading", "who", pr.who(p, seat)), said, pr.waitingLine(p), pr.pausedLine(p), after}
	if s, _ := seatAt(p, seat); s.Away {
		lines = lines[1:] // a squire plays it
	}
	return pr.handedOver(p, opt, lines, nil)
}

func (pr *Printer) handedOver(p *table.Public, opt PanelOptions, lines []string, buttons []component) discord.Message {
	var parts []component
	if opt.Note != "" {
		parts = append(parts, text(opt.Note), divider())
	}
	if opt.DM {
		parts = append(parts, text(pr.Say("presence.which_game", "channel", mentionChannel(p.Channel))))
	}
	parts = append(parts, text(append([]string{pr.asOf(opt)}, lines...)...))
	parts = append(parts, buttons...)
	m := private(append(parts, rows(pr.boardLinks(opt.BoardLink)...)...)...)
	m.Ephemeral = !opt.DM
	return m
}

// StandInNote greets somebody who stands in from now on.
func (pr *Printer) StandInNote(p *table.Public, seat paladin.Seat) string {
	s, _ := seatAt(p, seat)
	if s.Owner.ID == "" {
		return pr.Say("presence.yours_again")
	}
	return pr.Say("presence.you_stand_in", "owner", pr.somebody(s.Owner.Name))
}

// presenceSentences tell the lines about people who are not there; nil for others.
func (pr *Printer) presenceSentences(l table.PublicLine) []string {
	token := tokenOf(l.Seat).sign
	name, other := pr.somebody(l.Name), pr.somebody(l.Other)
	seated, owner := token+" "+name, token+" "+other
	switch l.Kind {
	case table.LineTimeout:
		return []string{pr.Say("presence.line_timeout", "who", seated)}
	case table.LineKept:
		return []string{pr.plural("presence.line_kept", table.MaxMissed, "who", seated)}
	case table.LineGone:
		return []string{pr.Say("presence.line_gone", "who", seated)}
	case table.LineOffer:
		return []string{pr.Say("presence.line_offer", "who", name, "owner", owner)}
	case table.LineAccept:
		return []string{pr.Say("presence.line_accept", "voter", name, "who", other, "token", token)}
	case table.LineStandIn:
		return []string{pr.Say("presence.line_stand_in", "who", name, "owner", owner)}
	case table.LinePauseVote:
		if l.Reason == table.VotedToResume {
			return []string{pr.Say("presence.line_resume_vote", "who", seated)}
		}
		return []string{pr.Say("presence.line_pause_vote", "who", seated)}
	case table.LinePaused:
		return []string{pr.Say("presence.line_paused")}
	case table.LineResumed:
		return []string{pr.Say("presence.line_resumed")}
	default:
		return pr.sendOffSentences(l)
	}
}

// NoLongerYours takes the place of a seat's direct message when somebody else plays the seat.
func (pr *Printer) NoLongerYours(p *table.Public, boardLink string) discord.Message {
	return public(append([]component{
		text(pr.Say("presence.which_game", "channel", mentionChannel(p.Channel)), pr.Say("presence.no_longer_yours")),
	}, rows(append([]component{secondary(pr.Say("words.label_my_seat"), press.New(press.Refresh, p.ID))}, pr.boardLinks(boardLink)...)...)...)...)
}

// Calling begins a message with a mention of the person whom it is for.
func Calling(m discord.Message, user table.UserID) discord.Message {
	m.Components = append([]component{text(mentionUser(user) + ":")}, m.Components...)
	return m
}
