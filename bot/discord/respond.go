package discord

import "github.com/bwmarrin/discordgo"

// ResponseKind is the way an interaction is answered first.
type ResponseKind int

// The first answers Discord knows.
const (
	Reply       ResponseKind = 4 // a new message
	DeferReply  ResponseKind = 5 // "thinking": a new message follows by EditOriginal
	DeferUpdate ResponseKind = 6 // the pressed message will be edited by EditOriginal
	Update      ResponseKind = 7 // edit the pressed message
	Suggest     ResponseKind = 8 // autocomplete choices
	OpenModal   ResponseKind = 9
)

// Response is the first answer to an interaction.
type Response struct {
	Kind ResponseKind
	// Message is used by Reply and Update; DeferReply reads its Ephemeral only.
	Message Message
	// Choices are used by Suggest, at most 25.
	Choices []Choice
	// Modal is used by OpenModal.
	Modal Modal
}

// Choice is one suggestion. Value is a string or a number, as the option wants.
type Choice struct {
	Name  string
	Value any
}

// Modal is a form.
type Modal struct {
	CustomID   string
	Title      string
	Components []discordgo.MessageComponent
}
