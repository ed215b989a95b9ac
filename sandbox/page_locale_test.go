package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A command reads in the language of the person's client, or in the one that stands in
// for it; it is sent under its own names.
func TestCatalogIsTranslated(t *testing.T) {
	command := Command{
		ID: "1", Type: 1, Name: "play", Description: "Play a card",
		NameLocalizations: map[string]string{"de": "spielen", "es-ES": "jugar"}, DescriptionLocalizations: map[string]string{"de": "Spielt eine Karte", "en-GB": "Play a card, please"},
		Options: []CommandOption{{Type: OptionSubcommand, Name: "now", Description: "At once", NameLocalizations: map[string]string{"de": "jetzt"}, Options: []CommandOption{{
			Type: OptionString, Name: "card", Description: "Which", Required: true,
			NameLocalizations: map[string]string{"de": "karte"}, DescriptionLocalizations: map[string]string{"de": "Welche"},
			Choices: []Choice{{Name: "red", Value: "r", NameLocalizations: map[string]string{"de": "Rot"}}},
		}}}},
	}
	for locale, want := range map[string][]string{
		"de":     {"spielen jetzt", "At once", "karte", "Welche", "Rot"},
		"es-419": {"jugar now", "At once", "card", "Which", "red"},
		"fr":     {"play now", "At once", "card", "Which", "red"},
		"en-US":  {"play now", "At once", "card", "Which", "red"},
	} {
		t.Run(locale, func(t *testing.T) {
			v := drawnView(t)
			v.locale, v.commands = locale, []Command{command}
			c := v.catalog().Commands[0]
			o := c.Options[0]
			if diff := cmp.Diff(want, []string{c.Name, c.Description, o.Label, o.Description, o.Choices[0].Name}); diff != "" {
				t.Errorf("what is read (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]any{"play", "now", "card", "r"}, []any{c.Command, c.Sub, o.Name, o.Choices[0].Value}); diff != "" {
				t.Errorf("what is sent (-want +got):\n%s", diff)
			}
		})
	}
	flat := command
	flat.Options = nil
	v := drawnView(t)
	v.locale, v.commands = "en-US", []Command{flat}
	if got := v.catalog().Commands[0].Description; got != "Play a card, please" {
		t.Errorf("English, US takes %q", got)
	}
}

// The page offers every language there is, with the person's and the server's chosen.
func TestPageLanguages(t *testing.T) {
	s, base := servePage(t)
	ann := s.Users()[0].ID
	if err := s.SetLocale(ann, "ja"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetGuildLocale(s.Guilds("")[0].ID, "nl"); err != nil {
		t.Fatal(err)
	}
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	_, page := get(t, base+pageLink(ann, channels[0].ID, "")[1:], nil)
	for _, want := range []string{`<option value="ja" selected>日本語</option>`, `<option value="nl" selected>Nederlands</option>`, `data-locale="ja"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, "<option value="); n != 2*len(localeNames) {
		t.Errorf("%d languages are offered, want twice %d", n, len(localeNames))
	}
}
