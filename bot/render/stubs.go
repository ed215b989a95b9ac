package render

import (
	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// Selected is what a press on a panel leaves chosen; values are those of a select. Any press of a panel can be asked, Refresh too.
func Selected(id press.ID, values []string) Selection { return Selection{} }

// MoveOf is the move that a press of kind Place, Peek, First or Act confirms; false for any other press or malformed arguments. Its
// Seat is left zero: who acts comes from Discord's user id.
func MoveOf(id press.ID) (paladin.Move, bool) { return paladin.Move{}, false }

// Board is the one public message of a table at every stage.
func Board(p *table.Public, links Links) discord.Message { return discord.Message{} }

// Retired is what an old board or an orphan becomes: it points to the live one.
func Retired(p *table.Public, link string) discord.Message { return discord.Message{} }

// Panel is the private message of a seat's owner at every stage.
func Panel(p *table.Private, sel Selection, opt PanelOptions) discord.Message {
	return discord.Message{}
}

// Spectator answers My seat for somebody (user) who holds no seat.
func Spectator(p *table.Public, user table.UserID, boardLink string) discord.Message {
	return discord.Message{}
}

// Manage is the host's private panel of a lobby; note is a receipt or refusal shown first, or empty.
func Manage(p *table.Public, note string) discord.Message { return discord.Message{} }

// Note is a small private answer.
func Note(text string) discord.Message { return discord.Message{} }

// NoteLink is a small private answer with a link button; without url it is Note.
func NoteLink(text, label, url string) discord.Message { return discord.Message{} }

// ConfirmLeave asks whether to leave a running game.
func ConfirmLeave(p *table.Private) discord.Message { return discord.Message{} }

// ConfirmStop asks whether to vote for stopping the game.
func ConfirmStop(p *table.Public) discord.Message { return discord.Message{} }

// LogPage is one page of the history, the newest line last. Pages count from 1; page 0 is the newest.
func LogPage(p *table.Public, lines []table.PublicLine, page int) discord.Message {
	return discord.Message{}
}

// EventSentence tells one event as everybody saw it; empty for what needs no words.
func EventSentence(p *table.Public, e paladin.PublicEvent) string { return "" }

// LineSentences tells one line of the history.
func LineSentences(p *table.Public, l table.PublicLine) []string { return nil }

// Rules is one page of the rules, from 1; a page that does not exist is the nearest one.
func Rules(page int) discord.Message { return discord.Message{} }

// Help tells how to play here.
func Help() discord.Message { return discord.Message{} }

// Invitation calls people to a lobby: it pings exactly them.
func Invitation(p *table.Public, people []table.Person, boardLink string) discord.Message {
	return discord.Message{}
}

// TurnPing tells in the channel whose move it is: it pings exactly the owner of that seat.
func TurnPing(p *table.Public, seat paladin.Seat, boardLink string) discord.Message {
	return discord.Message{}
}

// NoDM says in the channel that somebody takes no direct messages and where they read their cards.
func NoDM(p *table.Public, seat paladin.Seat) discord.Message { return discord.Message{} }

// Goodbye is the direct message to everybody seated when the channel of their table is gone.
func Goodbye(p *table.Public) discord.Message { return discord.Message{} }

// Hello is the one message when the bot is invited to a server.
func Hello(channel string) discord.Message { return discord.Message{} }

// RecordFile hands out a game record as a file.
func RecordFile(data []byte, tableID string) discord.Message { return discord.Message{} }

// RefusalText is the sentence for a refusal. The person who asked is the only one to read it.
func RefusalText(r *table.Refusal, p *table.Public) string { return "" }

// MissingPermission says which permissions the bot lacks in which channel.
func MissingPermission(names []string, channel string) string { return "" }

// Fixed answers.
const (
	TextUnknownPress     = "I do not know this button. Use /paladin board to get the present one."
	TextFuturePress      = "This button comes from a newer version of me. Use /paladin board to get one that works."
	TextForgedPress      = "This button does not fit the game. Use /paladin seat."
	TextGoneTable        = "This game is over and gone. Start another with /paladin new."
	TextNoGame           = "There is no game in this channel. Start one with /paladin new."
	TextInDM             = "Games are played in a server's channel. Use /paladin there."
	TextUnknownCommand   = "I do not know this command. /paladin help lists what I can do."
	TextBusy             = "Many presses at once: please press again in a moment."
	TextFailure          = "Something went wrong on our side; nothing is lost. Press again."
	TextNoRecord         = "There is no record: no game was played to its end or stopped here."
	TextWrongChannelType = "I cannot play here: use a text channel or a thread."
)

// OtherChannel answers a press that belongs to a table of another channel.
func OtherChannel(boardLink string) discord.Message { return discord.Message{} }

// Commands are the application's commands.
func Commands() []*discordgo.ApplicationCommand { return nil }

// Choices are the suggestions for the focused option: only what is legal for the person who asks, at most 25. p is nil for somebody
// without a seat.
func Choices(p *table.Private, subcommand string, options map[string]string, focused string) []discord.Choice {
	return nil
}

// ParseMove reads the arguments of first, place, peek or resolve. The text is the reason when they make no move, and empty when they
// do. Whether the move is legal is the table's question; its Seat is p's.
func ParseMove(p *table.Private, subcommand string, options map[string]string) (paladin.Move, string) {
	return paladin.Move{}, ""
}

// Name makes a person's name safe within a text with markdown; fallback stands in for one that shows nothing.
func Name(name, fallback string) string { return "" }

// Plain makes a person's name safe for a label, where there is no markdown.
func Plain(name, fallback string) string { return "" }
