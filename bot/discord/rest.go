package discord

import (
	"github.com/bwmarrin/discordgo"
)

// Message is what a message shall look like: always Components V2, and nobody
// is ever pinged who is not in AllowedUsers.
type Message struct {
	// Components are the whole content.
	Components []discordgo.MessageComponent
	// AllowedUsers are the user ids whose mentions ping.
	AllowedUsers []string
	// Nonce, up to 25 characters, makes a repeated CreateMessage within minutes
	// return the first message instead of sending a second one.
	Nonce string
	// Files replace all files of an edited message.
	Files []File
	// Ephemeral makes a reply or follow-up private. Edits cannot change it.
	Ephemeral bool
}

// File is an attachment; components refer to it as "attachment://" + Name.
type File struct {
	Name        string // plain ASCII
	ContentType string
	Description string // alt text, up to 1024 characters
	Data        []byte
}

// MessageRef is where a message is.
type MessageRef struct {
	ID      string
	Channel string
}

// Channel is a channel or thread as the REST API shows it.
type Channel struct {
	ID       string
	Type     int
	Guild    string
	Name     string
	ParentID string
	Archived bool
	Locked   bool
}

// Member is a member of a guild.
type Member struct {
	User        User
	Roles       []string
	Permissions uint64 // 0 if not sent
}

// Guild is a guild as the REST API shows it.
type Guild struct {
	ID      string
	Name    string
	OwnerID string
	Locale  string
}

// Application is the bot's own application.
type Application struct {
	ID   string
	Name string
}
