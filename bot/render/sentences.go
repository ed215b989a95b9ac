package render

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed catalogue/*.toml
var catalogues embed.FS

// spoken are the catalogues of all languages. Each is read when the first printer of its language is made; it is part of the program,
// so that one that cannot be read is a fault found by any test.
var spoken = func() map[string]func() *sentences {
	all := make(map[string]func() *sentences, len(Languages))
	for _, lang := range Languages {
		all[lang] = sync.OnceValue(func() *sentences {
			s, err := readSentences(lang)
			if err != nil {
				panic(fmt.Errorf("message catalogue: %w", err))
			}
			return s
		})
	}
	return all
}()

// sentences are all messages in one language.
type sentences struct {
	tag   language.Tag
	texts map[Text]wording
}

// wording is what a message says: other, and what is said instead of it for some numbers; nil where nothing is.
type wording struct {
	other string
	some  map[plural.Form]string
}

// readSentences reads what the program says in a language.
func readSentences(lang string) (*sentences, error) {
	files, err := fs.Glob(catalogues, "catalogue/*."+lang+".toml")
	if err != nil {
		return nil, err
	}
	tag, err := language.Parse(lang)
	if err != nil {
		return nil, err
	}
	s := &sentences{tag: tag, texts: map[Text]wording{}}
	for _, file := range files {
		data, err := catalogues.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := i18n.ParseMessageFileBytes(data, path.Base(file), map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, m := range parsed.Messages {
			if err := s.add(m); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, m.ID, err)
			}
		}
	}
	return s, nil
}

// add keeps a message.
func (s *sentences) add(m *i18n.Message) error {
	f := wording{other: m.Other}
	for form, words := range map[plural.Form]string{plural.Zero: m.Zero, plural.One: m.One, plural.Two: m.Two, plural.Few: m.Few, plural.Many: m.Many} {
		if words == "" {
			continue
		}
		if f.some == nil {
			f.some = map[plural.Form]string{}
		}
		f.some[form] = words
		if err := closed(words); err != nil {
			return err
		}
	}
	s.texts[Text(m.ID)] = f
	return closed(m.Other)
}

// closed reports a gap without an end.
func closed(words string) error {
	for _, after, found := strings.Cut(words, "{"); found; _, after, found = strings.Cut(after, "{") {
		if !strings.Contains(after, "}") {
			return fmt.Errorf("a { is not closed in %q", words)
		}
	}
	return nil
}

// find returns what a message says. One that is missing in a language is said in English.
func (s *sentences) find(t Text) wording {
	if f, ok := s.texts[t]; ok {
		return f
	}
	return spoken[Languages[0]]().texts[t]
}

// counted returns what a message says of a number with the given whole part and, unless it is 0, tenth.
func (s *sentences) counted(t Text, whole, tenth int) string {
	f := s.find(t)
	digits := 0
	if tenth != 0 {
		digits = 1
	}
	if words, ok := f.some[plural.Cardinal.MatchPlural(s.tag, max(whole, -whole)%10_000_000, digits, digits, tenth, tenth)]; ok {
		return words
	}
	return f.other
}
