package render

import (
	"fmt"
	"slices"
	"strings"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// Text names a message of the catalogues, as catalogue/*.LANGUAGE.toml lists them.
type Text string

// Languages are the languages that the program speaks, as Discord names its clients' languages: the first is the one that stands in
// for all others.
var Languages = []string{"en", "fr", "de", "it", "es"}

// Printer writes for readers of one language. It is safe for use by several goroutines.
type Printer struct {
	language string
	messages *sentences
	// commandNames holds what commands are called, in the language of the reader's client; nil where that is the printer's.
	commandNames *sentences
	// emojis are those of the application, by the keys of package picture; empty where there are none.
	emojis map[string]discord.Emoji
	// mark is in the custom ids of selects.
	mark string
}

// NewPrinter returns a printer for a language as Discord names it ("fr", "es-ES"); one that the program does not speak is written in
// English.
func NewPrinter(lang string) *Printer {
	lang = LanguageOf(lang)
	return &Printer{language: lang, messages: spoken[lang]()}
}

// LanguageOf is the language of Languages that serves a reader of a language as Discord names it: "es" for "es-419"; English if there
// is none better.
func LanguageOf(lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	if slices.Contains(Languages, base) {
		return base
	}
	return Languages[0]
}

// With returns a printer of the same language that shows the application's emojis beside the words, by the keys of package picture.
// The map must not change any more.
func (pr *Printer) With(emojis map[string]discord.Emoji) *Printer {
	with := *pr
	with.emojis = emojis
	return &with
}

// Marked returns a printer of the same language whose selects have a mark in their custom ids,
// which shall be another one each time a message is drawn anew. A client keeps in mind what was
// chosen from a select by its id, and sends nothing when the same is chosen again, though the
// message shows nothing chosen or something else by now.
func (pr *Printer) Marked(mark string) *Printer {
	marked := *pr
	marked.mark = mark
	return &marked
}

// selectID is the custom id of a select in this drawing of a message.
func (pr *Printer) selectID(id press.ID) string { return id.Marked(pr.mark).String() }

// Naming returns a printer of the same language for a reader whose client speaks another one, as Discord names it: commands are called
// what that client shows and takes.
func (pr *Printer) Naming(client string) *Printer {
	named := *pr
	named.commandNames = spoken[LanguageOf(client)]()
	return &named
}

// Language is the language in which the printer writes, one of Languages.
func (pr *Printer) Language() string { return pr.language }

// Say writes a message. with are the names and values of what it is filled with, by turns: Say("board.round", "round", 2, "rounds", 3).
// A gap that begins with a slash fills itself: {/board} is what the reader types to have the board.
func (pr *Printer) Say(t Text, with ...any) string {
	return pr.fill(t, pr.messages.find(t).other, with)
}

// plural writes a message in the form that the number n asks for in the printer's language. The message is filled with {n} besides.
func (pr *Printer) plural(t Text, n int, with ...any) string {
	return pr.fill(t, pr.messages.counted(t, n, 0), append([]any{"n", n}, with...))
}

// fill never fails before people: a message that is missing altogether or lacks what it is filled with, which tests rule out, shows its
// name.
func (pr *Printer) fill(t Text, words string, with []any) string {
	filled, ok := filling{pr, with}.into(words)
	if !ok {
		return string(t)
	}
	return filled
}

// filling is what a message is filled with: names and values by turns, and the reader's printer for the commands that it names.
type filling struct {
	pr   *Printer
	with []any
}

// into fills a message's gaps, {name} each. Values stand as they are, with no further meaning.
func (f filling) into(words string) (string, bool) {
	before, rest, found := strings.Cut(words, "{")
	if !found {
		return words, words != ""
	}
	var b strings.Builder
	b.Grow(len(words) + 32)
	for ; found; before, rest, found = strings.Cut(rest, "{") {
		name, after, _ := strings.Cut(rest, "}")
		value, ok := f.value(name)
		if !ok {
			return "", false
		}
		b.WriteString(before)
		switch v := value.(type) {
		case string:
			b.WriteString(v)
		default:
			fmt.Fprint(&b, v)
		}
		rest = after
	}
	b.WriteString(before)
	return b.String(), true
}

func (f filling) value(name string) (any, bool) {
	if sub, isCommand := strings.CutPrefix(name, "/"); isCommand {
		return f.pr.command(sub), slices.Contains(subcommands, sub)
	}
	for i := 0; i+1 < len(f.with); i += 2 {
		if f.with[i] == name {
			return f.with[i+1], true
		}
	}
	return nil, false
}
