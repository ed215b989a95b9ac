package render

import (
	"strings"
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
	long, turned := pseudo(t)
	all := map[string]*Printer{}
	for _, lang := range Languages {
		all[lang] = NewPrinter(lang)
	}
	all["long"] = &Printer{language: "en", messages: long}
	all["right to left"] = &Printer{language: "en", messages: turned}
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

// pseudo makes the two languages that nobody speaks: English with accents, a third longer; and English that runs from right to left.
func pseudo(t testing.TB) (long, rightToLeft *sentences) {
	t.Helper()
	strange := func(change func(string) string) *sentences {
		s := &sentences{tag: language.English, texts: map[Text]wording{}}
		for id, m := range messagesOf(t, "en") {
			strange := &i18n.Message{ID: id, Other: change(m.Other)}
			if m.One != "" {
				strange.One = change(m.One)
			}
			if err := s.add(strange); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	return strange(lengthened), strange(turned)
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
	long, _ := pseudo(t)
	pr := &Printer{language: "en", messages: long}
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
