package render

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// wordsOf is all that a message says, in all its forms, without its gaps.
func wordsOf(m *i18n.Message) string {
	var all []string
	for _, form := range slices.Sorted(maps.Keys(forms(m))) {
		all = append(all, gap.ReplaceAllString(forms(m)[form], ""))
	}
	return strings.Join(all, "\n")
}

// terms are the words of the game: where English says one (the first expression), every language says
// its own, and no other. German, French, Spanish, Italian.
var terms = []struct {
	english string
	others  [4]string
}{
	{`\b[Qq]uests?\b`, [4]string{`Mission|mission`, `[Qq]uête`, `[Mm]isi[oó]n`, `[Mm]ission`}},
	{`\b[Hh]onour\b`, [4]string{`Ehre`, `[Hh]onneur`, `[Hh]onor`, `[Oo]nore`}},
	{`\b[Ss]quires?\b`, [4]string{`[Kk]napp`, `[ÉEée]cuyer`, `[Ee]scuder`, `[Ss]cudier`}},
	{`\b[Bb]oards?\b`, [4]string{`[Bb]rett`, `[Pp]lateau`, `[Tt]ablero`, `[Tt]abellone`}},
	{`\b[Dd]iscard`, [4]string{`[Aa]bw|[Ww]irf|[Aa]blage|abgeworfen`, `[Dd]éfauss`, `[Dd]esc[aá]rt`, `[Ss]cart`}},
	{`\b[Bb]eat(s|en)?\b`, [4]string{`[Ss]chl[aä]g|geschlagen`, `\b[Bb]at`, `[Vv][eé]nc`, `[Bb]att`}},
	{`\b[Dd]ealer\b`, [4]string{`Geber`, `[Dd]onneur`, `[Rr]epart`, `[Mm]azziere`}},
	{`\b[Rr]ounds?\b`, [4]string{`[Rr]unde`, `[Mm]anche`, `[Rr]onda`, `[Gg]ir[oi]`}},
	{`\b[Ss]upply\b`, [4]string{`Nachziehstapel`, `[Pp]ioche`, `[Mm]azo`, `[Mm]azzo`}},
	{`\b[Hh]ost\b`, [4]string{`Gastgeber`, `[Hh]ôte`, `[Aa]nfitrión`, `organizza`}},
	{`\b[Rr]ecord\b`, [4]string{`protokoll`, `[Rr]elevé`, `[Rr]egistro`, `[Rr]egistro`}},
	{`\b[Ff]ingerprint\b`, [4]string{`Fingerabdruck`, `[Ee]mpreinte`, `[Hh]uella`, `[Ii]mpronta`}},
	{`\b[Pp]aused?\b`, [4]string{`[Pp]aus`, `[Pp]ause`, `[Pp]aus`, `[Pp]ausa`}},
	{`\b[Vv]ot(e|es|ed)\b`, [4]string{`[Ss]timm`, `[Vv]ot`, `[Vv]ot`, `[Vv]ot`}},
	{`\b([Ss]tands? in|standing in|stand-in)\b`, [4]string{`[Vv]ertr[ei]t`, `[Rr]empla`, `[Ss]upl`, `[Ss]ostitu`}},
}

// unsaidTerms are messages that say a term in other words, with what they say instead.
var unsaidTerms = map[string]string{
	"answers.rule_own":     "whose card it is, not where it lies",
	"board.won":            "won, below a player: quests alone can be",
	"orders.guard_none":    "whatever leads",
	"practice.over_tied":   "the first place",
	"practice.over_behind": "the most",
	"me.delete_messages":   "messages stand in channels",
}

// TestTermsOfTheGame: one thing has one word in each language, wherever it is spoken of.
func TestTermsOfTheGame(t *testing.T) {
	english, order := messagesOf(t, "en"), []string{"de", "fr", "es", "it"}
	for n, lang := range order {
		own := messagesOf(t, lang)
		for _, term := range terms {
			said, word := regexp.MustCompile(term.english), regexp.MustCompile(term.others[n])
			for _, id := range slices.Sorted(maps.Keys(english)) {
				if strings.HasPrefix(id, "typed.") || own[id] == nil || unsaidTerms[id] != "" {
					continue // people may type what they like
				}
				if said.MatchString(wordsOf(english[id])) && !word.MatchString(wordsOf(own[id])) {
					t.Errorf("%s: %s: English says %s, this does not say %s: %q", lang, id, term.english, term.others[n], own[id].Other)
				}
			}
		}
	}
}

// falseFriends are words that say something else than is meant, with what they say.
var falseFriends = map[string][]struct{ words, why string }{
	"en": {
		{`time is up`, "a deadline that has passed is shown too: time is up 22 seconds ago"},
		{`\b(vote|votes) (is|are) missing\b`, "votes are needed"},
		{`\bBeat (shows|turns)\b`, "read as an order: beat shows"},
		{`for everybody is\b`, "3 minutes for everybody"},
		{`\bcover(s|ed)? it\b`, "a quest is led and placed on, not covered"},
		{`on our side`, "the bot says I"},
	},
	"de": {
		{`Bedenkzeit endet`, "endet vor 22 Sekunden"},
		{`\bbei uns\b|Bei uns`, "the bot says I"},
		{`\bLobby\b`, "a table that has not begun"},
		{`Dein Platz\*\*$`, "the seat, not the place in the standings"},
	},
	"fr": {
		{`[Bb]attre l[ae] montre`, "beat the watch"},
		{`\b[Oo]n te demande`, "the bot says I"},
		{`joueurs de l'ordinateur`, "players of the computer"},
		{`Ta place\*\*$`, "the seat, not the place in the standings"},
		{`celui du salon`, "a channel, not the lobby"},
		{`de notre côté`, "the bot says I"},
	},
	"es": {
		{`se acaba \{until\}`, "se acaba hace 22 segundos"},
		{`todos a la vez`, "all at the same time"},
		{`\b[Ss]ala\b`, "a table that has not begun is a table"},
		{`cubr[ae]|cubiert[ao]`, "a quest is led and placed on, not covered"},
		{`para tus ojos`, "taken word for word from English"},
	},
	"it": {
		{`scade \{until\}`, "scade 22 secondi fa"},
		{`\bci pensa\b`, "takes care of it"},
		{`[Bb]atti la mostra`, "beat the exhibition"},
		{`giocatori del computer`, "players of the computer"},
		{`\bdiario\b`, "the log is the cronaca"},
		{`\bpartita è ferma\b`, "stands still, and may go on"},
		{`Il tuo posto\*\*$`, "the seat, not the place in the standings"},
	},
}

// TestFalseFriends: nothing says what was found to say something else than is meant.
func TestFalseFriends(t *testing.T) {
	for lang, list := range falseFriends {
		for id, m := range messagesOf(t, lang) {
			for _, friend := range list {
				for form, text := range forms(m) {
					if regexp.MustCompile(friend.words).MatchString(text) && !strings.HasPrefix(id, "typed.") {
						t.Errorf("%s: %s: %s: %q: %s", lang, id, form, text, friend.why)
					}
				}
			}
		}
	}
}

// isLabel reports whether a message is what a button or the like says.
func isLabel(id string) bool {
	return strings.Contains(id, ".label") || strings.HasPrefix(id, "panel.pick_") || id == "panel.back" || id == "panel.refresh" ||
		id == "orders.back"
}

// TestButtonsAreToldApart: buttons that English tells apart are told apart in every language.
func TestButtonsAreToldApart(t *testing.T) {
	english := messagesOf(t, "en")
	// Which of two buttons asks first what the other one does need not be told apart.
	same := map[string]string{"answers.label_cancel_table": "board.label_cancel"}
	for _, lang := range Languages {
		own, said := messagesOf(t, lang), map[string]string{}
		for _, id := range slices.Sorted(maps.Keys(own)) {
			if !isLabel(id) {
				continue
			}
			other, twice := said[own[id].Other]
			if twice && english[other].Other != english[id].Other && same[other] != id && same[id] != other {
				t.Errorf("%s: %s and %s both say %q", lang, other, id, own[id].Other)
			}
			said[own[id].Other] = id
		}
	}
}

// named are the buttons of which texts speak by name, in English with these words around them, %s being the name.
var named = map[string][]string{
	"words.label_my_seat":   {"%s"},
	"words.label_join":      {"**%s**", "press %s", "Press %s"},
	"board.label_start":     {"**%s**", "press %s", "with %s."},
	"board.label_again":     {"(%s)", "%s on the board"},
	"board.label_record":    {"**%s**"},
	"panel.back":            {"**%s**", "then %s"},
	"presence.label_resume": {"for %s", "%s, on the board"},
	"replay.label_open":     {"**%s**"},
	"practice.label":        {"**%s**"},
	"practice.label_anew":   {"**%s**"},
	"orders.label":          {"**%s**", "under %s"},
	"orders.back":           {"%s."},
}

// TestTextsNameButtonsAsTheyAre: a text that speaks of a button names it as the button does.
func TestTextsNameButtonsAsTheyAre(t *testing.T) {
	english, found := messagesOf(t, "en"), map[string]bool{}
	for _, lang := range Languages {
		own := messagesOf(t, lang)
		for label, ways := range named {
			for id, m := range english {
				if isLabel(id) || strings.HasPrefix(id, "typed.") {
					continue
				}
				speaks := slices.ContainsFunc(ways, func(way string) bool {
					return strings.Contains(m.Other, strings.ReplaceAll(way, "%s", saidBy(english, label)))
				})
				if !speaks {
					continue
				}
				found[label] = true
				for form, text := range forms(own[id]) {
					if !strings.Contains(text, saidBy(own, label)) {
						t.Errorf("%s: %s: %s: the button is called %q: %q", lang, id, form, saidBy(own, label), text)
					}
				}
			}
		}
	}
	for label := range named {
		if !found[label] {
			t.Errorf("no text speaks of %s any more", label)
		}
	}
}

// saidBy is what a message without forms says.
func saidBy(messages map[string]*i18n.Message, id string) string { return messages[id].Other }
