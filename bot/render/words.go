package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"paladin/bot/picture"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// token is what marks a seat's cards: a colour and a shape, so that nothing rests on the colour.
type token struct{ sign string }

// tokens are those of the seats, in their order. None of them is red: red is a colour of cards.
var tokens = [table.MaxSeats]token{
	{"🟣"},
	{"🟦"},
	{"🔶"},
	{"💚"},
	{"⭐"},
}

func tokenOf(seat paladin.Seat) token {
	if seat < 0 || int(seat) >= len(tokens) {
		return token{"▫️"}
	}
	return tokens[seat]
}

// tokenWord says what a seat's token looks like.
func (pr *Printer) tokenWord(seat paladin.Seat) string {
	if seat < 0 || int(seat) >= len(tokens) {
		return pr.Say("words.nobody")
	}
	return pr.Say(Text(fmt.Sprintf("words.token%d", seat.Number())))
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

// face is a card with its picture, where it is looked at rather than talked about: in a hand, on a quest.
func (pr *Printer) face(c paladin.Card) string { return pr.symbol(picture.CardKey(c)) + pr.boldCard(c) }

// faceUp writes a card that everybody may see.
func (pr *Printer) faceUp(f paladin.FaceUp) string {
	if c, ok := f.Card(); ok {
		return pr.boldCard(c)
	}
	return pr.Say("words.face_down_card")
}

// kept writes a card that won its quest. A red one brings 1 honour besides the quest's (R15), which is said beside it: what stands there
// as the quest's honour would not add up to what its owner has.
func (pr *Printer) kept(f paladin.FaceUp) string {
	if c, ok := f.Card(); ok && c.Red() {
		return pr.faceUp(f) + " (+1)"
	}
	return pr.faceUp(f)
}

func (pr *Printer) cardList(cards []paladin.Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = pr.face(c)
	}
	return strings.Join(words, " · ")
}

func (pr *Printer) squireName(seat paladin.Seat) string {
	return pr.Say("words.squire", "n", seat.Number())
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
		return pr.Say("words.nobody")
	case s.Human():
		return pr.called(s.Person.Name)
	default:
		return pr.squireName(seat)
	}
}

// plainOf is the name of a seat's owner, for labels.
func (pr *Printer) plainOf(p *table.Public, seat paladin.Seat) string {
	s, ok := seatAt(p, seat)
	switch {
	case !ok:
		return pr.Say("words.nobody")
	case s.Human():
		return pr.calledPlain(s.Person.Name)
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
	if s, ok := seatAt(p, seat); ok && s.Human() && !s.Person.ID.Forgotten() {
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

// exactTime is a time with its seconds.
func exactTime(at time.Time) string { return fmt.Sprintf("<t:%d:d> <t:%d:T>", at.Unix(), at.Unix()) }

func (pr *Printer) honour(n int) string { return pr.plural("words.honour", n) }

// ordinal is the place of a card on its quest.
func (pr *Printer) ordinal(n int) string {
	if n >= 1 && n <= 3 {
		return pr.Say(Text(fmt.Sprintf("words.ordinal%d", n)))
	}
	return pr.Say("words.ordinal", "n", n)
}

// enumerate writes "a", "a and b", "a, b and c".
func (pr *Printer) enumerate(words []string) string { return pr.enumerated("words.and", words) }

// either writes "a", "a or b", "a, b or c".
func (pr *Printer) either(words []string) string { return pr.enumerated("words.or", words) }

func (pr *Printer) enumerated(joined Text, words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	last := len(words) - 1
	return pr.Say(joined, "before", strings.Join(words[:last], ", "), "last", words[last])
}

func capital(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// deckName says which of the two quest decks a quest is from.
func (pr *Printer) deckName(king bool) string {
	if king {
		return pr.Say("words.kings")
	}
	return pr.Say("words.queens")
}

// paces are the paces of squires, in the order in which they are offered.
var paces = []table.SquirePace{table.SquireAtOnce, table.SquireHuman, table.SquireCalm}

// paceLabel names a pace of squires where it is offered.
func (pr *Printer) paceLabel(pace table.SquirePace) string {
	return pr.Say(Text("words.pace_" + string(pace)))
}

func (pr *Printer) squireOptions(o table.Options) string {
	if !o.SquirePace.Valid() {
		return pr.strengthText(o.Squires)
	}
	return pr.Say(Text("words.squires_"+string(o.SquirePace)), "strength", pr.strengthText(o.Squires))
}

// strengthText names a strength of squires in a sentence.
func (pr *Printer) strengthText(s squire.Strength) string {
	return pr.Say(Text("words.strength_" + s.String()))
}
