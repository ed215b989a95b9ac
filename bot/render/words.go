package render

import (
	"fmt"
	"strings"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// token is what marks a seat's cards: a colour and a shape, so that nothing rests on the colour.
type token struct{ sign, word string }

// tokens are those of the seats, in their order. None of them is red: red is a colour of cards.
var tokens = [table.MaxSeats]token{
	{"🟣", "purple circle"},
	{"🟦", "blue square"},
	{"🔶", "orange diamond"},
	{"💚", "green heart"},
	{"⭐", "yellow star"},
}

// cardLegend explains how cards are written.
const cardLegend = "-# **7** is a black card, **7r⚔** a red one: it beats a black 7 and brings 1 honour more if it wins a quest. 0 beats 9."

func tokenOf(seat paladin.Seat) token {
	if seat < 0 || int(seat) >= len(tokens) {
		return token{"▫️", "nobody"}
	}
	return tokens[seat]
}

// cardText writes a card the same way everywhere: its value, and for a red one the letter and a sword.
func (pr *Printer) cardText(c paladin.Card) string {
	if c.Red() {
		return c.String() + "⚔"
	}
	return c.String()
}

func bold(text string) string { return "**" + text + "**" }

func (pr *Printer) boldCard(c paladin.Card) string { return bold(pr.cardText(c)) }

// faceUp writes a card that everybody may see.
func (pr *Printer) faceUp(f paladin.FaceUp) string {
	if c, ok := f.Card(); ok {
		return pr.boldCard(c)
	}
	return "a face-down card"
}

func (pr *Printer) cardList(cards []paladin.Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = pr.boldCard(c)
	}
	return strings.Join(words, " · ")
}

// seatFallback is what a seat is called whose owner's name shows nothing.
func (pr *Printer) seatFallback(seat paladin.Seat) string {
	return fmt.Sprintf("player %d", seat.Number())
}

func (pr *Printer) squireName(seat paladin.Seat) string {
	return fmt.Sprintf("Squire %d", seat.Number())
}

func seatAt(p *table.Public, seat paladin.Seat) (table.PublicSeat, bool) {
	if seat < 0 || int(seat) >= len(p.Seats) {
		return table.PublicSeat{}, false
	}
	return p.Seats[seat], true
}

// nameOf is the name of a seat's owner, for texts.
func (pr *Printer) nameOf(p *table.Public, seat paladin.Seat) string {
	s, ok := seatAt(p, seat)
	switch {
	case !ok:
		return "nobody"
	case s.Human():
		return Name(s.Person.Name, pr.seatFallback(seat))
	default:
		return pr.squireName(seat)
	}
}

// plainOf is the name of a seat's owner, for labels.
func (pr *Printer) plainOf(p *table.Public, seat paladin.Seat) string {
	s, ok := seatAt(p, seat)
	switch {
	case !ok:
		return "nobody"
	case s.Human():
		return Plain(s.Person.Name, pr.seatFallback(seat))
	default:
		return pr.squireName(seat)
	}
}

// who is a seat in a sentence: its token and name.
func (pr *Printer) who(p *table.Public, seat paladin.Seat) string {
	return tokenOf(seat).sign + " " + bold(pr.nameOf(p, seat))
}

// whoPlain is a seat in a label.
func (pr *Printer) whoPlain(p *table.Public, seat paladin.Seat) string {
	return tokenOf(seat).sign + " " + pr.plainOf(p, seat)
}

// mention is the owner of a seat as Discord shows them; a squire has a name only.
func (pr *Printer) mention(p *table.Public, seat paladin.Seat) string {
	if s, ok := seatAt(p, seat); ok && s.Human() {
		return tokenOf(seat).sign + " " + mentionUser(s.Person.ID)
	}
	return pr.who(p, seat)
}

func mentionUser(id table.UserID) string { return "<@" + string(id) + ">" }

func mentionChannel(id string) string { return "<#" + id + ">" }

func signs(seats []paladin.Seat) string {
	words := make([]string, len(seats))
	for i, s := range seats {
		words[i] = tokenOf(s).sign
	}
	return strings.Join(words, " ")
}

// ago is a time that every reader's client counts on by itself; empty for the zero time.
func ago(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return fmt.Sprintf("<t:%d:R>", at.Unix())
}

func dateTime(at time.Time) string { return fmt.Sprintf("<t:%d:f>", at.Unix()) }

// count writes a number with its noun: "1 card", "2 cards". The plural adds an s.
func (pr *Printer) count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (pr *Printer) honour(n int) string { return fmt.Sprintf("%d honour", n) }

func (pr *Printer) ordinal(n int) string {
	switch n {
	case 1:
		return "1st"
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	default:
		return fmt.Sprintf("%dth", n)
	}
}

// enumerate writes "a", "a and b", "a, b and c".
func (pr *Printer) enumerate(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// deckName says which of the two quest decks a quest is from.
func (pr *Printer) deckName(king bool) string {
	if king {
		return "King's"
	}
	return "Queen's"
}

// paces are the paces of squires with their words, in the order in which they are offered.
var paces = []struct {
	pace        table.SquirePace
	label, text string
}{
	{table.SquireAtOnce, "At once", "at once"},
	{table.SquireHuman, "A few seconds", "after a few seconds"},
	{table.SquireCalm, "Half a minute", "after half a minute"},
}

func (pr *Printer) paceText(pace table.SquirePace) string {
	for _, row := range paces {
		if row.pace == pace {
			return row.text
		}
	}
	return "at some time"
}

func (pr *Printer) squireOptions(o table.Options) string {
	return fmt.Sprintf("%s, they answer %s", pr.strengthText(o.Squires), pr.paceText(o.SquirePace))
}

func (pr *Printer) strengthText(s squire.Strength) string { return s.String() }
