package render

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"

	"paladin/game/table"
)

// messagesOf reads the catalogues of a language: every message by its name.
func messagesOf(t testing.TB, lang string) map[string]*i18n.Message {
	t.Helper()
	files, err := fs.Glob(catalogues, "catalogue/*."+lang+".toml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*i18n.Message{}
	for _, file := range files {
		data, err := catalogues.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := i18n.ParseMessageFileBytes(data, path.Base(file), map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, m := range parsed.Messages {
			if all[m.ID] != nil {
				t.Errorf("%s: %s is there twice", file, m.ID)
			}
			all[m.ID] = m
		}
	}
	return all
}

// forms are the texts of a message by the name of their plural form.
func forms(m *i18n.Message) map[string]string {
	all := map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

var gap = regexp.MustCompile(`\{([^}]*)\}`)

// gaps are the names of what a text is filled with, each once. Those that begin with a slash are commands, which fill themselves.
func gaps(text string) []string {
	var names []string
	for _, m := range gap.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestCataloguesAgree: every language has every message, with the same gaps, and counts where English counts.
func TestCataloguesAgree(t *testing.T) {
	english := messagesOf(t, "en")
	for _, lang := range Languages {
		own := messagesOf(t, lang)
		for _, id := range slices.Sorted(maps.Keys(english)) {
			m := own[id]
			if m == nil {
				t.Errorf("%s lacks %s: %q", lang, id, english[id].Other)
				continue
			}
			if err := agree(english[id], m); err != nil {
				t.Errorf("%s: %s: %v", lang, id, err)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(own)) {
			if english[id] == nil {
				t.Errorf("%s has %s, which English has not", lang, id)
			}
		}
	}
}

// agree compares a message with its English one. A form for one may leave out the number: "one card".
func agree(english, m *i18n.Message) error {
	if m.Other == "" {
		return fmt.Errorf("nothing is said")
	}
	if (english.One != "") != (m.One != "") {
		return fmt.Errorf("one of the two languages has a form for one: %q, %q", english.One, m.One)
	}
	want := gaps(english.Other)
	for form, text := range forms(m) {
		have := gaps(text)
		if form == "one" {
			if slices.Equal(have, slices.DeleteFunc(slices.Clone(want), func(n string) bool { return n == "n" })) {
				continue
			}
		}
		if !slices.Equal(have, want) {
			return fmt.Errorf("form %s: gaps %q, English has %q", form, have, want)
		}
	}
	return nil
}

// use is how a message is named in the source: wholly, or by the beginning of its name.
type use struct {
	name   string
	prefix bool
	at     string
}

// usesOf collects the names of messages from the package's source.
func usesOf(t testing.TB) []use {
	t.Helper()
	set := gotoken.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var uses []use
	note := func(e ast.Expr) {
		at := set.Position(e.Pos()).String()
		switch e := e.(type) {
		case *ast.BasicLit:
			if name, err := strconv.Unquote(e.Value); err == nil {
				uses = append(uses, use{name: name, at: at})
			}
		case *ast.BinaryExpr: // "words.token" + something
			if lit, ok := leftmost(e).(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(lit.Value)
				uses = append(uses, use{name: name, prefix: true, at: at})
			}
		case *ast.CallExpr: // fmt.Sprintf("words.token%d", n)
			if len(e.Args) > 0 {
				if lit, ok := e.Args[0].(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(lit.Value)
					before, _, _ := strings.Cut(name, "%")
					uses = append(uses, use{name: before, prefix: true, at: at})
				}
			}
		}
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := called(n); name == "Say" || name == "plural" || name == "Text" || name == "enumerated" {
					for _, arg := range n.Args[:min(1, len(n.Args))] {
						note(arg)
					}
				}
			case *ast.ValueSpec:
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Text" {
					for _, v := range n.Values {
						note(v)
					}
				}
			case *ast.CompositeLit: // tables of texts: map[...]Text{...}, []Text{...} and structs hold names of our form
				ast.Inspect(n, func(inner ast.Node) bool {
					if lit, ok := inner.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
						if name, err := strconv.Unquote(lit.Value); err == nil && messageName.MatchString(name) {
							uses = append(uses, use{name: name, at: set.Position(lit.Pos()).String()})
						}
					}
					return true
				})
			}
			return true
		})
	}
	return uses
}

var messageName = regexp.MustCompile(`^[a-z]+\.[a-z][a-z0-9_]*$`)

func leftmost(e ast.Expr) ast.Expr {
	for {
		b, ok := e.(*ast.BinaryExpr)
		if !ok {
			return e
		}
		e = b.X
	}
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// TestMessagesAreUsed: what the source names is in the catalogue, and what is in the catalogue is named in the source.
func TestMessagesAreUsed(t *testing.T) {
	english := messagesOf(t, "en")
	used := map[string]bool{}
	for _, u := range usesOf(t) {
		found := false
		for id := range english {
			if id == u.name || u.prefix && strings.HasPrefix(id, u.name) {
				used[id], found = true, true
			}
		}
		if !found && strings.Contains(u.name, ".") {
			t.Errorf("%s: no message is called %s", u.at, u.name)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(english)) {
		if !used[id] {
			t.Errorf("nobody says %s: %q", id, english[id].Other)
		}
	}
}

func TestFormOfMessages(t *testing.T) {
	for _, lang := range Languages {
		for id, m := range messagesOf(t, lang) {
			for form, text := range forms(m) {
				if err := closed(text); err != nil {
					t.Errorf("%s: %s: %s: %v", lang, id, form, err)
				}
				if strings.Contains(text, "{{") || strings.Count(text, "**")%2 != 0 || strings.Count(text, "`")%2 != 0 {
					t.Errorf("%s: %s: %s: marks without their match: %q", lang, id, form, text)
				}
				if text != strings.TrimSpace(text) {
					t.Errorf("%s: %s: %s: space at an end: %q", lang, id, form, text)
				}
			}
		}
	}
}

// phoneMenu is how many characters of a closed menu a phone of 360 px shows for certain.
const phoneMenu = 27

// TestClosedMenusFitAPhone demands that what a menu says while it is closed, its placeholder or what is chosen in it, is not cut off:
// what is cut looks alike ("beat if possible, els…"). Options that name people or cards are left out, as what they name may be long.
func TestClosedMenusFitAPhone(t *testing.T) {
	said := func(id Text, with ...any) func(*Printer) []string {
		return func(pr *Printer) []string { return []string{pr.Say(id, with...)} }
	}
	hours := func(id Text) func(*Printer) []string {
		return func(pr *Printer) (out []string) {
			for hour := range 24 {
				out = append(out, pr.Say(id, "hour", pr.hourLabel(hour)))
			}
			return out
		}
	}
	all := []func(*Printer) []string{
		said("panel.peek_menu"), said("answers.label_invite"), said("replay.view_all"), said("replay.view"), said("replay.jump"), said("replay.jump_round", "round", 6), said("replay.jump_end"),
		said("looks.language"), said("looks.client_language"), said("looks.discord_language"), said("settings.label_channels"), said("settings.label_roles"),
		said("standings.label_order"), said("orders.menu_act"), said("orders.menu_guard"), said("orders.guard_none"), said("orders.guard", "most", 9),
		said("notices.label_reminders"), said("notices.option_no_reminders"), said("notices.label_apart"), said("notices.option_evenly"),
		said("notices.label_clock"), said("notices.label_place"), said("notices.label_from"), said("notices.label_until"), said("notices.option_no_quiet"),
		hours("notices.option_from"), hours("notices.option_until"),
		func(pr *Printer) (out []string) {
			for n := range table.MaxReminders {
				out = append(out, pr.plural("notices.option_reminders", n+1), pr.plural("notices.option_apart", spacings[len(spacings)-1]))
			}
			for _, act := range table.OrderActs() {
				out = append(out, pr.orderLabel(act))
			}
			for _, who := range []string{WhoPeople, WhoSquires} {
				for _, order := range StandingOrders(who) {
					out = append(out, pr.Say(Text("standings.order_"+order)))
				}
			}
			return out
		},
	}
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		for _, texts := range all {
			for _, words := range texts(pr) {
				if n := utf8.RuneCountInString(words); n > phoneMenu {
					t.Errorf("%s: a closed menu of %d characters, a phone shows %d: %q", lang, n, phoneMenu, words)
				}
			}
		}
	}
}

func TestPrinter(t *testing.T) {
	for locale, want := range map[string]string{"": "en", "en-US": "en", "en-GB": "en", "fr": "fr", "de": "de", "it": "it", "es-ES": "es", "es-419": "es", "ja": "en", "x": "en"} {
		if got := NewPrinter(locale).Language(); got != want {
			t.Errorf("a client that speaks %q is answered in %s, not %s", locale, got, want)
		}
	}
	pr := NewPrinter("en")
	if got := pr.plural("words.cards", 1); got != "1 card" {
		t.Error(got)
	}
	if got := pr.Say("words.and", "before", "{last}", "last", "%d"); got != "{last} and %d" {
		t.Errorf("what a gap is filled with is taken for more than it is: %q", got)
	}
	if got := pr.Say("no.such"); got != "no.such" {
		t.Errorf("a message that is missing: %q", got)
	}
}
