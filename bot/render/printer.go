package render

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"

	"paladin/bot/discord"
)

// Text names a message of the catalogues, as catalogue/*.LANGUAGE.toml lists them.
type Text string

// Languages are the languages that the program speaks, as Discord names its clients' languages: the first is the one that stands in
// for all others.
var Languages = []string{"en", "fr", "de", "it", "es"}

//go:embed catalogue/*.toml
var catalogues embed.FS

// bundle holds the catalogues of all languages. They are part of the program: one that cannot be read is a fault found by any test.
var bundle = sync.OnceValue(func() *i18n.Bundle {
	b := i18n.NewBundle(language.English)
	b.RegisterUnmarshalFunc("toml", toml.Unmarshal)
	files, err := fs.Glob(catalogues, "catalogue/*.toml")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		if _, err := b.LoadMessageFileFS(catalogues, file); err != nil {
			panic(fmt.Errorf("message catalogue %s: %w", file, err))
		}
	}
	return b
})

// Printer writes for readers of one language. It is safe for use by several goroutines.
type Printer struct {
	language string
	messages *i18n.Localizer
	// commandNames holds what commands are called, in the language of the reader's client; nil where that is the printer's.
	commandNames *i18n.Localizer
	// emojis are those of the application, by the keys of package picture; empty where there are none.
	emojis map[string]discord.Emoji
}

// NewPrinter returns a printer for a language as Discord names it ("fr", "es-ES"); one that the program does not speak is written in
// English.
func NewPrinter(lang string) *Printer {
	lang = LanguageOf(lang)
	return &Printer{language: lang, messages: i18n.NewLocalizer(bundle(), lang)}
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

// Naming returns a printer of the same language for a reader whose client speaks another one, as Discord names it: commands are called
// what that client shows and takes.
func (pr *Printer) Naming(client string) *Printer {
	named := *pr
	named.commandNames = i18n.NewLocalizer(bundle(), LanguageOf(client))
	return &named
}

// Language is the language in which the printer writes, one of Languages.
func (pr *Printer) Language() string { return pr.language }

// Say writes a message. with are the names and values of what it is filled with, by turns: Say("board.round", "round", 2, "rounds", 3).
// A gap that begins with a slash fills itself: {/board} is what the reader types to have the board.
func (pr *Printer) Say(t Text, with ...any) string {
	return pr.localize(&i18n.LocalizeConfig{MessageID: string(t), TemplateData: filling{pr, with}, TemplateParser: braces{}})
}

// plural writes a message in the form that the number n asks for in the printer's language. The message is filled with {n} besides.
func (pr *Printer) plural(t Text, n int, with ...any) string {
	return pr.localize(&i18n.LocalizeConfig{
		MessageID: string(t), PluralCount: n, TemplateData: filling{pr, append([]any{"n", n}, with...)}, TemplateParser: braces{},
	})
}

// localize never fails before people: a message that is missing in a language is said in English, and one that is missing altogether,
// which a test rules out, shows its name.
func (pr *Printer) localize(what *i18n.LocalizeConfig) string { return localize(pr.messages, what) }

func localize(messages *i18n.Localizer, what *i18n.LocalizeConfig) string {
	words, err := messages.Localize(what)
	if err != nil && words == "" {
		return what.MessageID
	}
	return words
}

// braces is the form of what a message is filled with: {name}. Values stand as they are, with no further meaning.
type braces struct{}

var _ template.Parser = braces{}

// Cacheable implements template.Parser.
func (braces) Cacheable() bool { return true }

// Parse implements template.Parser.
func (braces) Parse(src, _, _ string) (template.ParsedTemplate, error) {
	var t filled
	for {
		before, rest, found := strings.Cut(src, "{")
		if !found {
			t.rest = src
			return t, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("a { is not closed in %q", src)
		}
		t.parts = append(t.parts, part{before: before, name: name})
		src = after
	}
}

// filled is a message with its gaps.
type filled struct {
	parts []part
	rest  string
}

type part struct{ before, name string }

// filling is what a message is filled with: names and values by turns, and the reader's printer for the commands that it names.
type filling struct {
	pr   *Printer
	with []any
}

// Execute implements template.ParsedTemplate; data is a filling.
func (t filled) Execute(data any) (string, error) {
	if len(t.parts) == 0 {
		return t.rest, nil
	}
	with, _ := data.(filling)
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.before)
		value, ok := with.value(p.name)
		if !ok {
			return "", fmt.Errorf("nothing was given for {%s}", p.name)
		}
		switch v := value.(type) {
		case string:
			b.WriteString(v)
		default:
			fmt.Fprint(&b, v)
		}
	}
	b.WriteString(t.rest)
	return b.String(), nil
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
