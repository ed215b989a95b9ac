package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"paladin/game/paladin"
	"paladin/game/table"
)

// ParseMove reads the arguments of first, place, peek or resolve as people type them: "7r", "red 7", "7 red"; "q2"; "2.3". The text
// is the reason when they make no move, and empty when they do. Whether the move is legal is the table's question; its Seat is p's.
func (pr *Printer) ParseMove(p *table.Private, subcommand string, options map[string]string) (paladin.Move, string) {
	var m paladin.Move
	var refusal string
	given := func(option string) string { return pr.suggestedValue(p, subcommand, options, option) }
	switch subcommand {
	case SubFirst:
		m.Kind = paladin.Start
		m.Target, refusal = pr.readSeat(p, given(OptSeat))
	case SubPlace:
		m.Kind = paladin.Place
		if m.Card, refusal = pr.readCard(p, given(OptCard)); refusal == "" {
			m.Quest, refusal = pr.readQuest(p, given(OptQuest))
		}
	case SubPeek:
		m.Kind = paladin.Peek
		m.Quest, m.Place, refusal = pr.readSpot(given(OptCard))
	case SubResolve:
		m.Kind, refusal = pr.readAct(given(OptChoice))
	default:
		refusal = pr.Say(TextUnknownCommand)
	}
	if refusal != "" {
		return paladin.Move{}, refusal
	}
	m.Seat = p.Seat
	return m, ""
}

// suggestedValue is the value of the suggestion whose name was typed in full, or else what was typed.
func (pr *Printer) suggestedValue(p *table.Private, subcommand string, options map[string]string, option string) string {
	typed := strings.TrimSpace(options[option])
	rest := make(map[string]string, len(options))
	for k, v := range options {
		if k != option {
			rest[k] = v
		}
	}
	for _, c := range pr.Choices(p, subcommand, rest, option) {
		if value, ok := c.Value.(string); ok && strings.EqualFold(c.Name, typed) {
			return value
		}
	}
	return typed
}

func (pr *Printer) readSeat(p *table.Private, typed string) (paladin.Seat, string) {
	if seat, ok := pr.typedSeat(p, typed); ok {
		return seat, ""
	}
	var words []string
	for i := range p.Seats {
		words = append(words, fmt.Sprintf("%d for %s", i+1, pr.who(&p.Public, paladin.Seat(i))))
	}
	return 0, "I do not know who that is. Type the number of a seat: " + pr.enumerate(words) + "."
}

// typedSeat reads a seat's number, token or name, or "me".
func (pr *Printer) typedSeat(p *table.Private, typed string) (paladin.Seat, bool) {
	low := strings.ToLower(strings.TrimSpace(typed))
	if low == "" {
		return 0, false
	}
	if low == "me" || low == "myself" || low == "i" {
		return p.Seat, true
	}
	number := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(low, "seat"), "player"))
	if n, err := strconv.Atoi(number); err == nil {
		return paladin.SeatNumber(n), n >= 1 && n <= len(p.Seats)
	}
	found := paladin.NoSeat
	for i := range p.Seats {
		seat := paladin.Seat(i)
		t := tokenOf(seat)
		word := pr.tokenWord(seat)
		names := append(strings.Fields(word), word, t.sign, strings.ToLower(pr.plainOf(&p.Public, seat)), strings.ToLower(pr.whoPlain(&p.Public, seat)))
		if !slices.Contains(names, low) {
			continue
		}
		if found != paladin.NoSeat {
			return 0, false // two people of that name
		}
		found = seat
	}
	return found, found != paladin.NoSeat
}

func (pr *Printer) readCard(p *table.Private, typed string) (paladin.Card, string) {
	c, ok := typedCard(typed)
	if !ok {
		return 0, "I do not know that card. Type its value, with r for a red one: 7 or 7r." + pr.handHint(p)
	}
	other := paladin.NewCard(c.Value(), !c.Red())
	if p.View != nil && !slices.Contains(p.View.Hand, c) && slices.Contains(p.View.Hand, other) {
		return 0, fmt.Sprintf("You hold the %s, not the %s. Type %s to place it.", pr.plainCard(other), pr.plainCard(c), other)
	}
	return c, ""
}

func (pr *Printer) plainCard(c paladin.Card) string {
	if c.Red() {
		return fmt.Sprintf("red %d", c.Value())
	}
	return fmt.Sprintf("black %d", c.Value())
}

func (pr *Printer) handHint(p *table.Private) string {
	if p.View == nil || len(p.View.Hand) == 0 {
		return ""
	}
	return " Your hand: " + pr.cardList(p.View.Hand) + "."
}

// typedCard reads a card: one digit, and perhaps its colour before or after.
func typedCard(typed string) (paladin.Card, bool) {
	value, red, coloured := -1, false, false
	for _, w := range words(typed) {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && value < 0 && n <= paladin.MaxValue && len(w) == 1:
			value = n
		case (w == "r" || w == "red" || w == "⚔") && (!coloured || red):
			red, coloured = true, true
		case (w == "b" || w == "black") && !coloured:
			coloured = true
		default:
			return 0, false
		}
	}
	if value < 0 {
		return 0, false
	}
	return paladin.NewCard(value, red), true
}

func (pr *Printer) readQuest(p *table.Private, typed string) (int, string) {
	q, ok := typedQuest(typed)
	if !ok {
		return 0, "I do not know that quest. Type its number, counted from the left: 1, 2 and so on."
	}
	if p.Game != nil && q > len(p.Game.Row) {
		return 0, fmt.Sprintf("There is no quest %d: this round has the quests 1 to %d.", q, len(p.Game.Row))
	}
	return q, ""
}

// typedQuest reads a number from 1, with or without a word for quest.
func typedQuest(typed string) (int, bool) {
	numbers, ok := numbersOf(typed, "q", "quest", "mission")
	if !ok || len(numbers) != 1 {
		return 0, false
	}
	return numbers[0], true
}

func (pr *Printer) readSpot(typed string) (quest, place int, refusal string) {
	numbers, ok := numbersOf(typed, "q", "quest", "c", "card", "place", "p", "position", "st", "nd", "rd", "th")
	if !ok || len(numbers) != 2 {
		return 0, 0, "I do not know that card. Type quest and position, like 2.1 for the first (leading) card of quest 2."
	}
	return numbers[0], numbers[1], ""
}

// numbersOf reads small numbers from 1, among which only the words given may stand.
func numbersOf(typed string, allowed ...string) ([]int, bool) {
	var numbers []int
	for _, w := range words(typed) {
		if n, err := strconv.Atoi(w); err == nil {
			if n < 1 || n > 99 {
				return nil, false
			}
			numbers = append(numbers, n)
			continue
		}
		if !slices.Contains(allowed, w) {
			return nil, false
		}
	}
	return numbers, true
}

func (pr *Printer) readAct(typed string) (paladin.MoveKind, string) {
	switch strings.Join(words(typed), " ") {
	case "beat", "b", "win":
		return paladin.Beat, ""
	case "take", "take back", "take it back", "back", "t":
		return paladin.Take, ""
	case "discard", "d", "drop":
		return paladin.Discard, ""
	default:
		return 0, "I do not know that choice. Type beat, take or discard."
	}
}

// words cuts text into runs of digits and runs of letters, in lower case; the sword of a red card is a word too.
func words(typed string) []string {
	var out []string
	var current strings.Builder
	digits := false
	flush := func() {
		if current.Len() > 0 {
			out = append(out, current.String())
			current.Reset()
		}
	}
	for _, r := range strings.ToLower(typed) {
		isDigit := r >= '0' && r <= '9'
		switch {
		case r == '⚔':
			flush()
			out = append(out, "⚔")
			continue
		case !isDigit && !unicode.IsLetter(r):
			flush()
			continue
		case isDigit != digits:
			flush()
			digits = isDigit
		}
		current.WriteRune(r)
	}
	flush()
	return out
}
