// Package render says everything that people read: the board, the panels, the answers and the commands. All of it is pure: a value
// goes in and a message comes out.
//
// Secrecy rests on the types. What everybody reads is made of a [table.Public], which holds no hidden card; only what a seat's
// owner alone reads is made of a [table.Private]. Only a [Replay] holds more, and none is made of a game that is not over. Names come from people and go through one door (names.go), and nobody is pinged who
// is not in a message's AllowedUsers.
package render

import (
	"time"

	"paladin/bot/discord"
	"paladin/game/table"
)

// Links are what a board shows that is not the table's own: addresses, empty ones of which are left out, and the rest.
type Links struct {
	// Next is the board of the game that followed by Play again.
	Next string
	// Picture is that of the table or of the result, with its alternative text; nil where there is none.
	Picture *discord.File
	// Records are what people came to in this server, for a lobby that tells it beside them.
	Records map[table.UserID]Record
}

// MessageLink is the address of a message in a channel of a server.
func MessageLink(guild, channel, message string) string {
	return ChannelLink(guild, channel) + "/" + message
}

// ChannelLink is the address of a channel of a server; the server "" stands for direct messages.
func ChannelLink(guild, channel string) string {
	if guild == "" {
		guild = "@me"
	}
	return "https://discord.com/channels/" + guild + "/" + channel
}

// Selection is what somebody has chosen in a panel and not yet confirmed. It lives in custom ids alone. What no longer fits the
// position is dropped when the panel is drawn.
type Selection struct {
	// Card to place, as records write it; Quest to place it on, from 1.
	Card  string
	Quest int
	// Peek is the card to look at, as QUEST.PLACE.
	Peek string
	// First is the number of the seat that shall start.
	First int
	// Act is beat, take or discard.
	Act string
	// Page is what the panel shows instead of the seat: PageOrders or PagePlan, or empty.
	Page string
	// Anyway is true for a plan that holds whatever lies on its quest by then.
	Anyway bool
}

// PanelOptions are what a panel needs besides the game.
type PanelOptions struct {
	// DM is true for the panel in somebody's direct messages.
	DM bool
	// AsOf is when the panel was drawn, which it says.
	AsOf time.Time
	// BoardLink leads to the board; empty when there is none.
	BoardLink string
	// Moderator is true for a reader who may manage the channel.
	Moderator bool
	// Note is a receipt or a refusal, shown before anything else.
	Note string
	// Since is what happened since the reader last looked.
	Since Since
	// Next leads to the next game in which the reader is awaited; empty when there is none.
	Next string
	// Hint is what the reader is told because they do something for the first time.
	Hint Hint
	// Hand is the picture of the reader's own hand, with its alternative text; nil where there is none.
	Hand *discord.File
}
