package render

import (
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
)

// commandLocales are the locales in which the commands have words of their own; the first stands for all others.
var commandLocales = []discordgo.Locale{
	discordgo.EnglishUS, discordgo.French, discordgo.German, discordgo.Italian, discordgo.SpanishES, discordgo.SpanishLATAM,
}

// localized is what a client that speaks a locale shows.
func localized(words string, localizations map[discordgo.Locale]string, locale discordgo.Locale) string {
	if own, ok := localizations[locale]; ok {
		return own
	}
	return words
}

// A gap with a slash is filled with the command in the reader's language, without being given anything.
func TestMessagesNameCommandsByThemselves(t *testing.T) {
	for _, tc := range []struct {
		message, want string
		fails         bool
	}{
		{"Use {/board} now.", "Use /paladin board now.", false},
		{"`{/seat}` or {/new}, {who}", "`/paladin seat` or /paladin new, Ann", false},
		{"{/dance}", "", true},
		{"{/}", "", true},
		{"{board}", "", true},
	} {
		got, ok := filling{english, []any{"who", "Ann"}}.into(tc.message)
		if got != tc.want || ok == tc.fails {
			t.Errorf("%s: %q, %v; want %q", tc.message, got, ok, tc.want)
		}
	}
}

// TestCommandsArriveByTheirNames: the English catalogue calls subcommands and options what the program calls them, for these names are
// what Discord sends whatever the language.
func TestCommandsArriveByTheirNames(t *testing.T) {
	options := map[string][]string{
		SubNew: {OptSeats, OptSquires, OptPace, OptSquirePace, OptLanguage, OptPictures}, SubFirst: {OptSeat}, SubRemove: {OptSeat}, SubPlace: {OptCard, OptQuest}, SubPeek: {OptCard},
		SubResolve: {OptChoice}, SubOrder: {OptQuest, OptAct, OptAtMost}, SubRules: {OptPage}, SubStandings: {OptWho, OptPage},
	}
	var subs []string
	for _, sub := range Commands()[0].Options {
		subs = append(subs, sub.Name)
		var names []string
		for _, o := range sub.Options {
			names = append(names, o.Name)
		}
		if diff := cmp.Diff(options[sub.Name], names); diff != "" {
			t.Errorf("options of %s (-want +got):\n%s", sub.Name, diff)
		}
	}
	if diff := cmp.Diff(subcommands, subs); diff != "" {
		t.Errorf("subcommands (-want +got):\n%s", diff)
	}
}

// TestCommandsAreListedInEveryLanguage: a client shows the command in its language, exactly as the bot's messages name it there.
func TestCommandsAreListedInEveryLanguage(t *testing.T) {
	command := Commands()[0]
	for _, locale := range commandLocales {
		pr := NewPrinter(string(locale))
		if got, want := localized(command.Description, *command.DescriptionLocalizations, locale), pr.Say("commands.paladin"); got != want {
			t.Errorf("%s: the command is described as %q, want %q", locale, got, want)
		}
		for i, sub := range command.Options {
			want := pr.subcommandOptions()[i]
			if diff := cmp.Diff(listing(want, discordgo.EnglishUS), listing(sub, locale)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", locale, diff)
			}
		}
	}
}

// listing is all that a client shows of an option.
func listing(o *discordgo.ApplicationCommandOption, locale discordgo.Locale) []string {
	out := []string{localized(o.Name, o.NameLocalizations, locale), localized(o.Description, o.DescriptionLocalizations, locale)}
	for _, c := range o.Choices {
		out = append(out, localized(c.Name, c.NameLocalizations, locale))
	}
	for _, inner := range o.Options {
		out = append(out, listing(inner, locale)...)
	}
	return out
}

func TestTranslationsAreNotedOnceForEachLocale(t *testing.T) {
	options := func(name, choice string) []*discordgo.ApplicationCommandOption {
		return []*discordgo.ApplicationCommandOption{{
			Name: name, Description: "same",
			Options: []*discordgo.ApplicationCommandOption{{Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: choice, Value: "v"}}}},
		}}
	}
	got := options("board", "easy")
	translateOptions(got, options("mesa", "fácil"), "es")
	translateOptions(got, options("plateau", "easy"), "fr")
	type words = map[discordgo.Locale]string
	for _, tc := range []struct{ got, want words }{
		{got[0].NameLocalizations, words{"es-ES": "mesa", "es-419": "mesa", "fr": "plateau"}},
		{got[0].DescriptionLocalizations, words{}},
		{got[0].Options[0].Choices[0].NameLocalizations, words{"es-ES": "fácil", "es-419": "fácil"}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, lang := range Languages[1:] {
		if len(locales[lang]) == 0 {
			t.Errorf("no locale of Discord is shown in %s", lang)
		}
	}
}
