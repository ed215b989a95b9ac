package render

import (
	"strings"
	"sync"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"paladin/bot/discord"
	"paladin/bot/picture"
)

// readers are printers of every language, of two that nobody speaks, and one whose application has every emoji under the longest of
// names: what all of them say must obey Discord.
func readers(t testing.TB) map[string]*Printer {
	t.Helper()
	pseudo(t)
	all := map[string]*Printer{}
	for _, lang := range Languages {
		all[lang] = NewPrinter(lang)
	}
	all["long"] = &Printer{language: "en", messages: i18n.NewLocalizer(bundle(), longTag)}
	all["right to left"] = &Printer{language: "en", messages: i18n.NewLocalizer(bundle(), turnedTag)}
	emojis := map[string]discord.Emoji{}
	for _, e := range picture.Emojis() {
		emojis[e.Key] = discord.Emoji{ID: "1234567890123456789", Name: strings.Repeat("n", 32)}
	}
	all["emojis"] = NewPrinter("de").With(emojis)
	if testing.Short() {
		for _, lang := range []string{"fr", "it", "es", "right to left"} {
			delete(all, lang)
		}
	}
	return all
}

// The two languages that nobody speaks: English with accents, a third longer; and English that runs from right to left.
const (
	longTag   = "en-XA"
	turnedTag = "en-XB"
)

var addPseudo sync.Once

// pseudo adds the languages that nobody speaks to the catalogues.
func pseudo(t testing.TB) {
	t.Helper()
	addPseudo.Do(func() {
		for id, m := range messagesOf(t, "en") {
			for tag, change := range map[string]func(string) string{longTag: lengthened, turnedTag: turned} {
				strange := &i18n.Message{ID: id, Other: change(m.Other)}
				if m.One != "" {
					strange.One = change(m.One)
				}
				if err := bundle().AddMessages(language.MustParse(tag), strange); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

var accents = strings.NewReplacer("a", "à", "e", "é", "i", "î", "o", "ö", "u", "ů", "c", "ç", "n", "ñ", "A", "Å", "E", "Ê", "S", "Š")

// outside changes a text except for what it is filled with.
func outside(text string, change func(string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(change(before))
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString("{" + name + "}")
		text = after
	}
}

// lengthened makes a text a third longer: no language of those that Discord speaks is longer, over whole screens.
func lengthened(text string) string {
	return outside(text, accents.Replace) + strings.Repeat("ẽ", len(text)/3)
}

// turned writes a text as one that runs from right to left.
func turned(text string) string {
	return "\u202b" + outside(text, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return 'א' + (r - 'a')
			}
			return r
		}, s)
	}) + "\u202c"
}

// TestEveryReaderIsToldEverything: whatever the language, nothing is said in English and no gap stays open.
func TestEveryReaderIsToldEverything(t *testing.T) {
	pseudo(t)
	pr := &Printer{language: "en", messages: i18n.NewLocalizer(bundle(), longTag)}
	g := startTable(t, plainNames[:3], 3)
	note := panelOptions(g).Note // the test's own words
	r := random(7)
	for more := true; more; more = g.step(r) {
		everyMessage(pr, g, r, func(what string, m discord.Message) {
			for line := range strings.Lines(rendered(m)) {
				for _, word := range []string{"the ", "card", "quest ", "honour", "round ", "{"} {
					if strings.Contains(line, word) && !strings.Contains(line, "-> ") && !strings.Contains(line, note) {
						t.Errorf("%s says %q", what, line)
					}
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}
