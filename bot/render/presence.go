package render

import (
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

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

// gamePaces are the paces of a game with their words, in the order in which they are offered.
var gamePaces = []struct {
	pace        table.Pace
	label, text string
}{
	{table.PaceLive, "Live: 3 minutes", "3 minutes"},
	{table.PaceRelaxed, "Relaxed: 12 hours", "12 hours"},
	{table.PaceDaily, "Daily: 24 hours", "24 hours"},
	{table.PaceWeekend, "Slow: 72 hours", "72 hours"},
	{table.PaceNone, "No clock", ""},
}

// paceLine says how long everybody has for a move.
func (pr *Printer) paceLine(pace table.Pace) string {
	for _, row := range gamePaces {
		switch {
		case row.pace != pace:
		case row.text == "":
			return "Time for a move: as long as you like; no clock runs."
		case pace == table.PaceLive:
			return fmt.Sprintf("Time for a move: %s, for everybody is there. After that a squire makes it.", row.text)
		default:
			return fmt.Sprintf("Time for a move: %s. After that a squire makes it.", row.text)
		}
	}
	return ""
}

func (pr *Printer) gamePaceButtons(p *table.Public) []component {
	var out []component
	for _, row := range gamePaces {
		out = append(out, choice(row.pace == p.Options.Pace, row.label, press.New(press.Pace, p.ID, string(row.pace))))
	}
	return out
}

// timesText says since when something is awaited and until when there is time. It ends a sentence.
func (pr *Printer) timesText(since, until time.Time) string {
	switch {
	case !until.IsZero() && !since.IsZero():
		return fmt.Sprintf(", until %s. Asked %s.", ago(until), ago(since))
	case !until.IsZero():
		return fmt.Sprintf(", until %s.", ago(until))
	case !since.IsZero():
		return fmt.Sprintf(", since %s.", ago(since))
	default:
		return "."
	}
}

// pausedLine says that no clock runs, and what it takes to go on.
func (pr *Printer) pausedLine(p *table.Public) string {
	if !p.Paused || p.Over() {
		return ""
	}
	return fmt.Sprintf("⏸ **The game is paused:** no clock runs. %s for Resume starts it again.", capital(pr.plural("words.votes", p.VotesToEnd)))
}

// pauseVotes says how far a vote to pause or to go on has come.
func (pr *Printer) pauseVotes(p *table.Public) string {
	if p.PauseVotes == 0 {
		return ""
	}
	what := "To pause the game"
	if p.Paused {
		what = "To go on"
	}
	return fmt.Sprintf("%s: %d of %s so far.", what, p.PauseVotes, pr.plural("words.votes", p.VotesToEnd))
}

// PauseReceipt tells somebody what came of their vote.
func (pr *Printer) PauseReceipt(p *table.Public, pause bool) string {
	switch {
	case p.Paused && pause:
		return "⏸ The game is paused: no clock runs. Whoever likes may still move."
	case !p.Paused && !pause:
		return "▶️ The game goes on, and its clock."
	default:
		return "✅ Your vote counts. " + pr.pauseVotes(p)
	}
}

// offerLines are the offers to stand in that wait for an answer.
func (pr *Printer) offerLines(p *table.Public) []string {
	var lines []string
	for _, o := range p.Offers {
		lines = append(lines, fmt.Sprintf("🤝 %s offers to stand in for %s. %s", bold(Name(o.Person.Name, "somebody")), pr.who(p, o.Seat), pr.takesToAccept(p, o)))
	}
	return lines
}

// takesToAccept says who can accept an offer: the host at once, unless the seat is the host's own.
func (pr *Printer) takesToAccept(p *table.Public, o table.PublicOffer) string {
	votes := fmt.Sprintf("%s of the other players (%d so far)", pr.plural("words.votes", o.Needed), o.Votes)
	if host := p.SeatOf(p.Host); host != paladin.NoSeat && host != o.Seat {
		return "It takes the host, or " + votes + "."
	}
	return "It takes " + votes + "."
}

// maxStandIns is how many offers have a button on a board; the others wait until these are decided.
const maxStandIns = 5

// presenceButtons are the board's controls about people who are not there: standing in, accepting it, pausing and going on.
func (pr *Printer) presenceButtons(p *table.Public) []component {
	var stand, accept, pause []component
	for i, s := range p.Seats {
		if s.Overdue {
			seat := paladin.Seat(i)
			stand = append(stand, secondary("Stand in for "+pr.whoPlain(p, seat), press.New(press.Offer, p.ID, fmt.Sprint(seat.Number()))))
		}
	}
	for _, o := range p.Offers[:min(maxStandIns, len(p.Offers))] {
		accept = append(accept, pr.acceptButton(p, o))
	}
	switch {
	case p.Paused:
		pause = rows(success("Resume", press.New(press.Resume, p.ID)))
	case p.PauseVotes > 0:
		pause = rows(secondary("Pause too", press.New(press.Pause, p.ID)))
	}
	return append(append(rows(stand...), rows(accept...)...), pause...)
}

func (pr *Printer) acceptButton(p *table.Public, o table.PublicOffer) component {
	label := fmt.Sprintf("Accept %s for %s", Plain(o.Person.Name, "somebody"), tokenOf(o.Seat).sign)
	return success(label, press.New(press.Accept, p.ID, fmt.Sprint(o.Seat.Number()), string(o.Person.ID)))
}

// OfferNotice asks somebody who can accept an offer to stand in.
func (pr *Printer) OfferNotice(p *table.Public, o table.PublicOffer, boardLink string) discord.Message {
	words := fmt.Sprintf("🤝 %s offers to stand in for %s in **Paladin** in %s.", bold(Name(o.Person.Name, "somebody")), pr.who(p, o.Seat), mentionChannel(p.Channel))
	more := "Whoever stands in sees all that the seat has seen. The owner can take it back at any time. " + pr.takesToAccept(p, o)
	return public(text(words, more), row(append([]component{pr.acceptButton(p, o)}, pr.boardLinks(boardLink)...)...))
}

// AcceptReceipt tells somebody what came of accepting an offer.
func (pr *Printer) AcceptReceipt(p *table.Public, seat paladin.Seat, user table.UserID) string {
	if p.SeatOf(user) == seat {
		return fmt.Sprintf("✅ %s plays the seat from now on.", pr.who(p, seat))
	}
	for _, o := range p.Offers {
		if o.Seat == seat && o.Person.ID == user {
			return fmt.Sprintf("✅ Your vote counts: %d of %d.", o.Votes, o.Needed)
		}
	}
	return "✅ Done."
}

// StoodIn is what the owner of a seat sees while somebody stands in: how the game stands, and the way back. It shows no card: whoever
// takes the seat back sees them all.
func (pr *Printer) StoodIn(p *table.Public, seat paladin.Seat, opt PanelOptions) discord.Message {
	lines := []string{"### " + pr.who(p, seat) + " stands in for you"}
	if p.Game != nil {
		lines = append(lines, fmt.Sprintf("Round %d of %d. Honour: %s.", p.Game.Round, p.Game.Rounds, scoreList(honours(p.Game))))
	}
	lines = append(lines, pr.waitingLine(p), "The seat is still yours: take it back whenever you like, with all that it has seen meanwhile.")
	return pr.handedOver(p, opt, lines, rows(primary("Take my seat back", press.New(press.Reclaim, p.ID))))
}

// HandedBack is what somebody who stood in sees when the seat is no longer theirs.
func (pr *Printer) HandedBack(p *table.Public, seat paladin.Seat, opt PanelOptions) discord.Message {
	lines := []string{
		"### " + pr.who(p, seat) + " plays this seat again", "Thank you for standing in.", pr.waitingLine(p),
		"You know its cards, so you can stand in for this seat alone until the game is over.",
	}
	return pr.handedOver(p, opt, lines, nil)
}

func (pr *Printer) handedOver(p *table.Public, opt PanelOptions, lines []string, buttons []component) discord.Message {
	var parts []component
	if opt.Note != "" {
		parts = append(parts, text(opt.Note), divider())
	}
	if opt.DM {
		parts = append(parts, text("**Paladin** in "+mentionChannel(p.Channel)))
	}
	parts = append(parts, text(lines...))
	parts = append(parts, buttons...)
	m := private(append(parts, rows(pr.boardLinks(opt.BoardLink)...)...)...)
	m.Ephemeral = !opt.DM
	return m
}

// StandInNote greets somebody who stands in from now on.
func (pr *Printer) StandInNote(p *table.Public, seat paladin.Seat) string {
	s, _ := seatAt(p, seat)
	if s.Owner.ID == "" {
		return "This seat is yours again."
	}
	return fmt.Sprintf("🤝 You stand in for %s. This is all that the seat has seen.", bold(Name(s.Owner.Name, "somebody")))
}

// presenceSentences tell the lines about people who are not there; nil for others.
func (pr *Printer) presenceSentences(l table.PublicLine) []string {
	name, other := bold(Name(l.Name, "somebody")), bold(Name(l.Other, "somebody"))
	sign := tokenOf(l.Seat).sign + " "
	switch l.Kind {
	case table.LineTimeout:
		return []string{"⏰ " + sign + name + "'s time ran out: a squire moved."}
	case table.LineKept:
		return []string{fmt.Sprintf("%s%s let %d turns in a row run out: a squire keeps the seat until the player is back.", sign, name, table.MaxMissed)}
	case table.LineGone:
		return []string{sign + name + " is no longer in this server; a squire plays the seat on."}
	case table.LineOffer:
		return []string{fmt.Sprintf("%s offers to stand in for %s%s.", name, sign, other)}
	case table.LineAccept:
		return []string{fmt.Sprintf("%s agrees that %s stands in for the seat %s.", name, other, tokenOf(l.Seat).sign)}
	case table.LineStandIn:
		return []string{fmt.Sprintf("🤝 %s stands in for %s%s.", name, sign, other)}
	case table.LinePauseVote:
		if l.Reason == table.VotedToResume {
			return []string{sign + name + " votes to go on."}
		}
		return []string{sign + name + " votes to pause the game."}
	case table.LinePaused:
		return []string{"⏸ The game is paused; no clock runs."}
	case table.LineResumed:
		return []string{"▶️ The game goes on."}
	default:
		return nil
	}
}

func gamePaceOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: OptPace, Description: "How long each of you has for a move",
	}
	for _, row := range gamePaces {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: row.label, Value: string(row.pace)})
	}
	return o
}

// NoLongerYours takes the place of a seat's direct message when somebody else plays the seat.
func (pr *Printer) NoLongerYours(p *table.Public, boardLink string) discord.Message {
	return public(append([]component{
		text("**Paladin** in "+mentionChannel(p.Channel), "Somebody else plays this seat now. My seat says who, and how it can become yours again."),
	}, rows(append([]component{secondary("My seat", press.New(press.Refresh, p.ID))}, pr.boardLinks(boardLink)...)...)...)...)
}

// Calling begins a message with a mention of the person whom it is for.
func Calling(m discord.Message, user table.UserID) discord.Message {
	m.Components = append([]component{text(mentionUser(user) + ":")}, m.Components...)
	return m
}
