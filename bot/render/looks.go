package render

import (
	"github.com/bwmarrin/discordgo"

	"paladin/bot/press"
	"paladin/game/table"
)

// Options of /paladin new about how a table looks to those who read it.
const (
	OptLanguage = "language"
	OptPictures = "pictures"
)

// endonyms are what the languages are called by those who speak them: whoever looks for theirs need not read any other.
var endonyms = map[string]string{"en": "English", "fr": "Français", "de": "Deutsch", "it": "Italiano", "es": "Español"}

// languageOptions offers the languages, with the chosen one marked.
func languageOptions(chosen string) []discordgo.SelectMenuOption {
	var out []discordgo.SelectMenuOption
	for _, lang := range Languages {
		out = append(out, discordgo.SelectMenuOption{Label: endonyms[lang], Value: lang, Default: lang == chosen})
	}
	return out
}

// tableLanguage lets the host choose the language of what everybody at the table reads.
func (pr *Printer) tableLanguage(p *table.Public) component {
	atLeast := 1
	return discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: press.New(press.Language, p.ID).String(), Placeholder: pr.Say("looks.language"),
		MinValues: &atLeast, MaxValues: 1, Options: languageOptions(LanguageOf(p.Options.Language)),
	}
}

// pictureButtons let the host choose whether the board shows a picture of the table.
func (pr *Printer) pictureButtons(p *table.Public) []component {
	return []component{
		choice(!p.Options.TextOnly, pr.Say("looks.pictures_on"), press.New(press.Pictures, p.ID, "on")),
		choice(p.Options.TextOnly, pr.Say("looks.pictures_off"), press.New(press.Pictures, p.ID, "off")),
	}
}
