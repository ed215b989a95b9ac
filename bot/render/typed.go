package render

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"paladin/game/paladin"
	"paladin/game/table"
)

// ParseMove reads the arguments of first, place, peek or resolve as people type them, in words of their language or English ones: "7r",
// "red 7", "7 red"; "q2"; "2.3". The text is the reason when they make no move, and empty when they do. Whether the move is legal is the
// table's question; its Seat is p's.
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

// inEnglish writes English, whose words everybody may type.
var inEnglish = sync.OnceValue(func() *Printer { return NewPrinter(Languages[0]) })

// means reports whether words that were typed are among those of a message, a list with commas, in the reader's language or English.
func (pr *Printer) means(t Text, typed string) bool {
	listed := func(pr *Printer) bool {
		for entry := range strings.SplitSeq(pr.Say(t), ",") {
			if strings.Join(words(entry), " ") == typed {
				return true
			}
		}
		return false
	}
	return listed(pr) || listed(inEnglish())
}

func (pr *Printer) readSeat(p *table.Private, typed string) (paladin.Seat, string) {
	if seat, ok := pr.typedSeat(p, typed); ok {
		return seat, ""
	}
	var seats []string
	for i := range p.Seats {
		seats = append(seats, pr.Say("typed.seat_of", "seat", i+1, "who", pr.who(&p.Public, paladin.Seat(i))))
	}
	return 0, pr.Say("typed.unknown_seat", "seats", pr.enumerate(seats))
}

// typedSeat reads a seat's number, token or name, or "me".
func (pr *Printer) typedSeat(p *table.Private, typed string) (paladin.Seat, bool) {
	said := strings.Join(words(typed), " ")
	if pr.means(Text("typed.me"), said) {
		return p.Seat, true
	}
	if n, ok := pr.number(typed, Text("typed.seat")); ok {
		return paladin.SeatNumber(n), n <= len(p.Seats)
	}
	found := paladin.NoSeat
	for i := range p.Seats {
		seat := paladin.Seat(i)
		if !pr.names(&p.Public, seat, typed) {
			continue
		}
		if found != paladin.NoSeat {
			return 0, false // two people of that name
		}
		found = seat
	}
	return found, found != paladin.NoSeat
}

// names reports whether what was typed names a seat: by its owner's name, its token or a word for that.
func (pr *Printer) names(p *table.Public, seat paladin.Seat, typed string) bool {
	typed = strings.TrimSpace(typed)
	for _, name := range []string{tokenOf(seat).sign, pr.plainOf(p, seat), pr.whoPlain(p, seat)} {
		if strings.EqualFold(name, typed) {
			return true
		}
	}
	said := strings.Join(words(typed), " ")
	for _, pr := range []*Printer{pr, inEnglish()} {
		shape := words(pr.tokenWord(seat))
		if said != "" && (slices.Contains(shape, said) || strings.Join(shape, " ") == said) {
			return true
		}
	}
	return false
}

func (pr *Printer) readCard(p *table.Private, typed string) (paladin.Card, string) {
	c, ok := pr.typedCard(typed)
	if !ok {
		if p.View == nil || len(p.View.Hand) == 0 {
			return 0, pr.Say("typed.unknown_card")
		}
		return 0, pr.Say("typed.unknown_card_hand", "cards", pr.cardList(p.View.Hand))
	}
	other := paladin.NewCard(c.Value(), !c.Red())
	if p.View != nil && !slices.Contains(p.View.Hand, c) && slices.Contains(p.View.Hand, other) {
		held := Text("typed.hold_black")
		if other.Red() {
			held = Text("typed.hold_red")
		}
		return 0, pr.Say(held, "value", c.Value(), "card", other)
	}
	return c, ""
}

// typedCard reads a card: one digit, and perhaps its colour before or after.
func (pr *Printer) typedCard(typed string) (paladin.Card, bool) {
	value, red, coloured := -1, false, false
	for _, w := range words(typed) {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && value < 0 && n <= paladin.MaxValue && len(w) == 1:
			value = n
		case (w == "⚔" || pr.means(Text("typed.red"), w)) && (!coloured || red):
			red, coloured = true, true
		case !coloured && pr.means(Text("typed.black"), w):
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
	q, ok := pr.typedQuest(typed)
	switch {
	case ok && p.Game != nil && q > len(p.Game.Row):
		return 0, pr.Say("typed.no_quest", "quest", q, "quests", len(p.Game.Row))
	case !ok || q > paladin.MaxPlayers:
		return 0, pr.Say("typed.unknown_quest")
	default:
		return q, ""
	}
}

// typedQuest reads a number from 1, with or without a word for quest.
func (pr *Printer) typedQuest(typed string) (int, bool) { return pr.number(typed, Text("typed.quest")) }

// readSpot reads a quest and a place on it: there are at most as many of either as players.
func (pr *Printer) readSpot(typed string) (quest, place int, refusal string) {
	numbers, ok := pr.numbersOf(typed, Text("typed.quest"), Text("typed.place"))
	if !ok || len(numbers) != 2 || slices.Max(numbers) > paladin.MaxPlayers || pr.questComesLast(typed) {
		return 0, 0, pr.Say("typed.unknown_spot")
	}
	return numbers[0], numbers[1], ""
}

// questComesLast reports whether a quest is named after the first number, as in "2nd card, quest 3": read in its order, that would be
// another card.
func (pr *Printer) questComesLast(typed string) bool {
	list := words(typed)
	first := slices.IndexFunc(list, func(w string) bool { return isDigit([]rune(w)[0]) })
	return first >= 0 && slices.ContainsFunc(list[first:], func(w string) bool { return pr.means("typed.quest", w) })
}

// number reads one small number from 1, with or without the words allowed.
func (pr *Printer) number(typed string, allowed Text) (int, bool) {
	numbers, ok := pr.numbersOf(typed, allowed)
	if !ok || len(numbers) != 1 {
		return 0, false
	}
	return numbers[0], true
}

// numbersOf reads small numbers from 1, among which only the words allowed may stand.
func (pr *Printer) numbersOf(typed string, allowed ...Text) ([]int, bool) {
	var numbers []int
	for _, w := range words(typed) {
		if n, err := strconv.Atoi(w); err == nil {
			if n < 1 || n > 99 {
				return nil, false
			}
			numbers = append(numbers, n)
			continue
		}
		if !slices.ContainsFunc(allowed, func(t Text) bool { return pr.means(t, w) }) {
			return nil, false
		}
	}
	return numbers, true
}

func (pr *Printer) readAct(typed string) (paladin.MoveKind, string) {
	said := strings.Join(words(typed), " ")
	for _, fate := range fates {
		if pr.means(fate.typed, said) {
			return fate.kind, ""
		}
	}
	return 0, pr.Say("typed.unknown_act")
}

// words cuts text into runs of digits and runs of letters, in lower case and without accents. What would make another number of the
// digits beside it is a word of its own, which nothing means: a sign before them, a digit of another script. So is the sword of a red
// card, which means one.
func words(typed string) []string {
	var out []string
	var current strings.Builder
	flush := func() {
		if current.Len() > 0 {
			out = append(out, current.String())
			current.Reset()
		}
	}
	runes := []rune(unaccented(typed))
	before := ' '
	for i, r := range runes {
		switch {
		case r == '⚔' || isSign(r) && !isWord(before) && i+1 < len(runes) && isDigit(runes[i+1]) || unicode.IsNumber(r) && !isDigit(r):
			flush()
			out = append(out, string(r))
		case !isWord(r):
			flush()
		default:
			if isDigit(r) != isDigit(before) {
				flush()
			}
			current.WriteRune(r)
		}
		before = r
	}
	flush()
	return out
}

// ligatures are letters that some languages write and few keyboards have, in the letters that every keyboard has.
var ligatures = strings.NewReplacer("œ", "oe", "æ", "ae", "ß", "ss")

// unaccented is text in lower case and in the letters that every keyboard has: without accents and ligatures.
func unaccented(text string) string {
	runes := slices.DeleteFunc([]rune(norm.NFD.String(strings.ToLower(text))), func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	return ligatures.Replace(string(runes))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isWord(r rune) bool { return isDigit(r) || unicode.IsLetter(r) }

func isSign(r rune) bool { return r == '-' || r == '+' || r == '−' }
