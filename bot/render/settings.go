package render

import (
	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/table"
)

// Fixed answers about the settings of a server.
const (
	TextNotManager   Text = "settings.not_manager"
	TextSettingsKept Text = "settings.settings_kept"
)

// What a press on the settings chooses: its first argument.
const (
	SettingLanguage = "language"
	SettingPace     = "pace"
	SettingChannels = "channels"
	SettingRoles    = "roles"
	// MaxChosen is how many channels or roles can be chosen.
	MaxChosen = 25
)

// ServerSettings are what a server has chosen.
type ServerSettings struct {
	// Language of its tables; empty: the one that Discord names.
	Language string
	Pace     table.Pace
	// Channels in which tables may be opened; empty: in all.
	Channels []string
	// Roles whose members may open tables; empty: everybody.
	Roles []string
}

// Settings is the private panel of those who manage a server; note is a receipt shown first, or empty.
func (pr *Printer) Settings(s ServerSettings, note string) discord.Message {
	var parts []component
	if note != "" {
		parts = append(parts, text(note), divider())
	}
	var paces []component
	for _, pace := range table.Paces() {
		paces = append(paces, choice(pace == s.Pace, pr.gamePaceLabel(pace), press.New(press.Settings, "", SettingPace, string(pace))))
	}
	channels, roles := pr.Say("settings.channels"), pr.Say("settings.roles")
	if len(s.Channels) == 0 {
		channels = pr.Say("settings.channels_all")
	}
	if len(s.Roles) == 0 {
		roles = pr.Say("settings.roles_all")
	}
	parts = append(parts,
		text(pr.Say("settings.heading"), pr.Say("settings.private")),
		text(pr.Say("settings.language")),
		row(pr.serverLanguage(s.Language)),
		text(pr.Say("settings.pace")),
		row(paces...),
		text(channels),
		row(pr.settingsMenu(discordgo.ChannelSelectMenu, SettingChannels, pr.Say("settings.label_channels"), s.Channels, discordgo.SelectMenuDefaultValueChannel)),
		text(roles),
		row(pr.settingsMenu(discordgo.RoleSelectMenu, SettingRoles, pr.Say("settings.label_roles"), s.Roles, discordgo.SelectMenuDefaultValueRole)),
	)
	return private(parts...)
}

func (pr *Printer) settingsMenu(kind discordgo.SelectMenuType, what, placeholder string, ids []string, typ discordgo.SelectMenuDefaultValueType) component {
	atLeast := 0
	menu := discordgo.SelectMenu{
		MenuType: kind, CustomID: pr.selectID(press.New(press.Settings, "", what)), Placeholder: placeholder, MinValues: &atLeast, MaxValues: MaxChosen,
	}
	if kind == discordgo.ChannelSelectMenu {
		menu.ChannelTypes = []discordgo.ChannelType{discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildForum}
	}
	for _, id := range ids[:min(MaxChosen, len(ids))] {
		menu.DefaultValues = append(menu.DefaultValues, discordgo.SelectMenuDefaultValue{ID: id, Type: typ})
	}
	return menu
}

// OnlyInChannels says where tables may be opened.
func (pr *Printer) OnlyInChannels(ids []string) string {
	words := make([]string, len(ids))
	for n, id := range ids {
		words[n] = mentionChannel(id)
	}
	return pr.Say("settings.only_in_channels", "channels", pr.either(words))
}

// OnlyForRoles says who may open tables. It pings nobody, for it is said to one person alone.
func (pr *Printer) OnlyForRoles(ids []string) string {
	words := make([]string, len(ids))
	for n, id := range ids {
		words[n] = "<@&" + id + ">"
	}
	return pr.plural("settings.only_for_roles", len(ids), "roles", pr.either(words))
}
