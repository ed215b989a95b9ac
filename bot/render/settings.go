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
	SettingPace     = "pace"
	SettingChannels = "channels"
	SettingRoles    = "roles"
	// MaxChosen is how many channels or roles can be chosen.
	MaxChosen = 25
)

// ServerSettings are what a server has chosen.
type ServerSettings struct {
	Pace table.Pace
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
	for _, p := range gamePaces {
		paces = append(paces, choice(p.pace == s.Pace, p.label, press.New(press.Settings, "", SettingPace, string(p.pace))))
	}
	parts = append(parts,
		text("### Settings of this server", "Only you see this, and nobody is told. I speak English; there is no other language to choose yet."),
		text("**Time for a move**, unless whoever opens a table chooses another. When it runs out, a squire makes the move."),
		row(paces...),
		text("**Channels for tables** (and threads in them). "+nowAll(len(s.Channels), "Now: all.", "Choose none to allow all.")),
		row(settingsMenu(discordgo.ChannelSelectMenu, SettingChannels, "All channels", s.Channels, discordgo.SelectMenuDefaultValueChannel)),
		text("**Who may open tables.** "+nowAll(len(s.Roles), "Now: everybody.", "Choose none to allow everybody.")+" Those who manage the server always may."),
		row(settingsMenu(discordgo.RoleSelectMenu, SettingRoles, "Everybody", s.Roles, discordgo.SelectMenuDefaultValueRole)),
	)
	return private(parts...)
}

func nowAll(n int, none, some string) string {
	if n == 0 {
		return none
	}
	return some
}

func settingsMenu(kind discordgo.SelectMenuType, what, placeholder string, ids []string, typ discordgo.SelectMenuDefaultValueType) component {
	atLeast := 0
	menu := discordgo.SelectMenu{
		MenuType: kind, CustomID: press.New(press.Settings, "", what).String(), Placeholder: placeholder, MinValues: &atLeast, MaxValues: MaxChosen,
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
	return "On this server tables are opened in " + pr.either(words) + ", or in a thread there. Use /paladin new in one of them."
}

// OnlyForRoles says who may open tables. It pings nobody, for it is said to one person alone.
func (pr *Printer) OnlyForRoles(ids []string) string {
	words := make([]string, len(ids))
	for n, id := range ids {
		words[n] = "<@&" + id + ">"
	}
	return "On this server tables are opened by members with the role " + pr.either(words) + ". Ask one of them; at their table anybody may play."
}
