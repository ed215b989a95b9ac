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
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(press.New(press.Language, p.ID)), Placeholder: pr.Say("looks.language"),
		MinValues: &atLeast, MaxValues: 1, Options: languageOptions(LanguageOf(p.Options.Language)),
	}
}

// pictureButtons let the host choose whether the board shows a picture of the table.
func (pr *Printer) pictureButtons(p *table.Public) []component {
	return []component{
		choice(!p.Options.TextOnly, pr.Say("looks.pictures_on"), press.New(press.Pictures, p.ID, switchOn)),
		choice(p.Options.TextOnly, pr.Say("looks.pictures_off"), press.New(press.Pictures, p.ID, switchOff)),
	}
}

// ownLanguage lets somebody choose the language of what they alone read.
func (pr *Printer) ownLanguage(n *Notices) component {
	options := []discordgo.SelectMenuOption{{Label: clip(pr.Say("looks.client_language"), maxOption), Value: NoLanguage, Default: n.Language == ""}}
	return pr.menu(habitID(HabitLanguage), pr.Say("looks.own_language"), append(options, languageOptions(n.Language)...))
}

// looks are offered in this order.
var looks = []Look{LookSymbols, LookHand, LookText}

// lookButtons let somebody choose how much is drawn for them.
func (pr *Printer) lookButtons(chosen Look) []component {
	var buttons []component
	for _, look := range looks {
		name := Text("looks.symbols")
		if look != LookSymbols {
			name = Text("looks.look_" + string(look))
		}
		value := string(look)
		if value == "" {
			value = none
		}
		buttons = append(buttons, choice(look == chosen, pr.Say(name), habitID(HabitLook, value)))
	}
	return buttons
}

// ParseLook reads a look from a custom id; false for what was never offered.
func ParseLook(value string) (Look, bool) {
	if value == none {
		return LookSymbols, true
	}
	return Look(value), value == string(LookHand) || value == string(LookText)
}

// serverLanguage lets a server choose the language of its tables.
func (pr *Printer) serverLanguage(chosen string) component {
	options := []discordgo.SelectMenuOption{{Label: clip(pr.Say("looks.discord_language"), maxOption), Value: NoLanguage, Default: chosen == ""}}
	return pr.menu(press.New(press.Settings, "", SettingLanguage), pr.Say("looks.server_language"), append(options, languageOptions(chosen)...))
}

// The words of a Pictures press.
const (
	switchOn  = "on"
	switchOff = "off"
)

// ReadSwitch reads the argument of a Pictures press; false for what nobody was offered.
func ReadSwitch(arg string) (on, ok bool) {
	return arg == switchOn, arg == switchOn || arg == switchOff
}
