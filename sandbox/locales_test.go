package sandbox_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/sandbox"
)

// The languages go along with what people do, and the bot learns of the guild's.
func TestLocales(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	m := w.post(legacy(row(button("go", "Go")))).message()
	languages := func(user string) [3]any {
		t.Helper()
		check[*sandbox.Interaction](t)(w.s.Press(t.Context(), user, w.channel, m.ID, "go"))
		i := w.interaction(g).obj
		return [3]any{i["locale"], i["guild_locale"], i["guild"].(obj)["locale"]}
	}
	if diff := cmp.Diff([3]any{"en-US", "en-US", "en-US"}, languages(w.ben)); diff != "" {
		t.Errorf("at first: %s", diff)
	}
	must(t, w.s.SetLocale(w.ben, "de"))
	must(t, w.s.SetGuildLocale(w.guild, "pt-BR"))
	if u := g.event("GUILD_UPDATE"); u["id"] != w.guild || u["preferred_locale"] != "pt-BR" {
		t.Errorf("GUILD_UPDATE says %v of %v", u["preferred_locale"], u["id"])
	}
	if diff := cmp.Diff([3]any{"de", "pt-BR", "pt-BR"}, languages(w.ben)); diff != "" {
		t.Errorf("later: %s", diff)
	}
	if diff := cmp.Diff([3]any{"en-US", "pt-BR", "pt-BR"}, languages(w.cleo)); diff != "" {
		t.Errorf("somebody else: %s", diff)
	}
	if o := w.do("GET", "/guilds/"+w.guild, nil).fine(); o["preferred_locale"] != "pt-BR" {
		t.Errorf("the guild says %v", o["preferred_locale"])
	}
	for _, bad := range []string{"", "xx", "EN-us", "en"} {
		if err := w.s.SetLocale(w.ben, bad); !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("the language %q of a person: %v", bad, err)
		}
		if err := w.s.SetGuildLocale(w.guild, bad); !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("the language %q of a guild: %v", bad, err)
		}
	}
	if err := w.s.SetLocale("1", "de"); !errors.Is(err, sandbox.ErrUnknownUser) {
		t.Errorf("the language of nobody: %v", err)
	}
	if err := w.s.SetGuildLocale("1", "de"); !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("the language of no guild: %v", err)
	}
	dm := w.do("POST", w.messages(w.dm(w.ben)), legacy(row(button("go", "Go")))).message()
	check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, dm.ChannelID, dm.ID, "go"))
	i := w.interaction(g).obj
	if _, there := i["guild_locale"]; there || i["locale"] != "de" {
		t.Errorf("in a DM: %v, a guild's language is there: %v", i["locale"], there)
	}
}

func TestLocalesSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "side.db")
	stored := func(c *sandbox.Config) { c.Path = path }
	w := newWorld(t, stored)
	must(t, w.s.SetLocale(w.ben, "ja"))
	must(t, w.s.SetGuildLocale(w.guild, "fr"))
	w.do("PUT", "/applications/"+w.s.ApplicationID()+"/commands", list{obj{"name": "play", "description": "d", "name_localizations": obj{"fr": "jouer"}}}).checkStatus(200)
	must(t, w.s.Close())
	again := newWorld(t, stored)
	offered := check[[]sandbox.Command](t)(again.s.Commands(again.ben, again.channel))
	got := []string{again.s.Locale(again.ben), again.s.Locale(again.cleo), again.s.Guilds("")[0].Locale, offered[0].NameLocalizations["fr"]}
	if diff := cmp.Diff([]string{"ja", "en-US", "fr", "jouer"}, got); diff != "" {
		t.Errorf("after the restart: %s", diff)
	}
}

// Every part of a command can be translated, each translation held to the rules of
// what it translates; lists name them only when asked.
func TestLocalizations(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/commands"
	long := make([]byte, 101)
	for i := range long {
		long[i] = 'a'
	}
	option := func(more obj) obj {
		return with(obj{"type": 3, "name": "card", "description": "d"}, more)
	}
	command := func(options ...any) obj { return obj{"name": "play", "description": "d", "options": options} }
	for _, c := range []struct {
		name string
		body obj
		at   string
		code string
	}{
		{"an unknown language", obj{"name": "play", "description": "d", "name_localizations": obj{"xx": "a"}}, "name_localizations.xx", "ENUM_TYPE_COERCE"},
		{"upper case", obj{"name": "play", "description": "d", "name_localizations": obj{"de": "Spielen"}}, "name_localizations.de", "APPLICATION_COMMAND_INVALID_NAME"},
		{"a space", command(option(obj{"name_localizations": obj{"de": "die karte"}})), "options.0.name_localizations.de", "APPLICATION_COMMAND_INVALID_NAME"},
		{"a long name", obj{"name": "play", "description": "d", "name_localizations": obj{"de": string(long[:33])}}, "name_localizations.de", badLength},
		{"a long description", obj{"name": "play", "description": "d", "description_localizations": obj{"de": string(long)}}, "description_localizations.de", badLength},
		{"an empty description", command(option(obj{"description_localizations": obj{"de": ""}})), "options.0.description_localizations.de", badLength},
		{"a long choice", command(option(obj{"choices": list{obj{"name": "a", "value": "a", "name_localizations": obj{"de": string(long)}}}})), "options.0.choices.0.name_localizations.de", badLength},
		{"two options that read the same", command(option(obj{"name_localizations": obj{"de": "karte"}}), option(obj{"name": "other", "name_localizations": obj{"de": "karte"}})),
			"options.1.name_localizations.de", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"},
		{"a list", obj{"name": "play", "description": "d", "name_localizations": list{}}, "name_localizations", "DICT_TYPE_CONVERT"},
	} {
		t.Run(c.name, func(t *testing.T) { w.do("POST", path, c.body).form(c.at, c.code) })
	}
	full := with(command(option(obj{
		"name_localizations": obj{"de": "karte", "ja": "カード", "hi": "पत्ता"}, "description_localizations": obj{"de": "Beschreibung"},
		"choices": list{obj{"name": "red", "value": "r", "name_localizations": obj{"de": "Rot"}}},
	})), obj{"name_localizations": obj{"de": "spielen"}, "description_localizations": obj{"de": "Spielt eine Karte"}})
	w.do("PUT", path, list{full}).checkStatus(200)
	read := func(query string) sandbox.Command {
		t.Helper()
		var out []sandbox.Command
		must(t, json.Unmarshal(w.do("GET", path+query, nil).checkStatus(200).body, &out))
		return out[0]
	}
	for query, want := range map[string]string{"": "", "?with_localizations=false": "", "?with_localizations=true": "karte Beschreibung Rot spielen Spielt eine Karte"} {
		c := read(query)
		o := c.Options[0]
		got := ""
		if c.NameLocalizations != nil || o.NameLocalizations != nil || o.Choices[0].NameLocalizations != nil {
			got = o.NameLocalizations["de"] + " " + o.DescriptionLocalizations["de"] + " " + o.Choices[0].NameLocalizations["de"] + " " +
				c.NameLocalizations["de"] + " " + c.DescriptionLocalizations["de"]
		}
		if got != want {
			t.Errorf("the list %q has the translations %q, want %q", query, got, want)
		}
	}
}
