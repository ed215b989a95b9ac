package sandbox

import (
	"context"
	"encoding/json"
)

// Outcome is how an interaction stands for the person who started it.
type Outcome string

// The outcomes. Replied, Updated, ModalOpened, Choices, Acknowledged and Failed
// are what the person sees in the end; the others are on the way.
const (
	Waiting      Outcome = "waiting"      // not answered yet, the three seconds run
	Thinking     Outcome = "thinking"     // deferred with a reply to come (5)
	Acknowledged Outcome = "acknowledged" // deferred without one (6): the client shows nothing
	Replied      Outcome = "replied"      // a new message, at once (4) or after 5
	Updated      Outcome = "updated"      // the message of the component was edited (7, or after 6)
	ModalOpened  Outcome = "modal"        // 9
	Choices      Outcome = "choices"      // 8
	Failed       Outcome = "failed"       // "This interaction failed" or "The application did not respond"
)

// Result is what the person sees of an interaction at one moment.
type Result struct {
	Outcome   Outcome   `json:"outcome"`
	Callback  int       `json:"callback,omitempty"` // the type of the first response, 0 before it
	Message   *Message  `json:"message,omitempty"`  // the reply, or the updated message
	Modal     *Modal    `json:"modal,omitempty"`
	Choices   []Choice  `json:"choices,omitempty"`
	Followups []Message `json:"followups,omitempty"`
	Text      string    `json:"text,omitempty"` // of a failure: what the client writes
}

// Interaction is one press, command, submission or autocompletion under way.
type Interaction struct {
	ID string

	s     *Server
	entry *interaction
}

// Result is how it stands now.
func (i *Interaction) Result() Result { return i.result() }

// First waits until the bot has answered in any way, deferral included, or the
// three seconds are over.
func (i *Interaction) First(ctx context.Context) (Result, error) { return i.first(ctx) }

// Wait waits until the person has an answer: a deferred one (5 or 6) counts when
// its edit or a follow-up has come, or its token has run out.
func (i *Interaction) Wait(ctx context.Context) (Result, error) { return i.wait(ctx) }

// Interaction finds an interaction by its id. Those whose token has run out are
// forgotten.
func (s *Server) Interaction(id string) (*Interaction, bool) { return s.findInteraction(id) }

// Users are the people, in the order they joined, without the bot.
func (s *Server) Users() []User { return s.users() }

// Bot is the bot's user.
func (s *Server) Bot() User { return s.bot() }

// Guilds are the guilds the user is a member of; of all users when user is empty.
func (s *Server) Guilds(user string) []Guild { return s.guildsOf(user) }

// Channels are the channels, threads and DMs the user can see, grouped by guild,
// threads behind their channel, DMs last.
func (s *Server) Channels(user string) ([]Channel, error) { return s.channelsOf(user) }

// Messages are what the user sees in a channel, oldest first: ephemeral ones only
// when they are for this user and not dismissed.
func (s *Server) Messages(user, channel string) ([]Message, error) {
	return s.messagesOf(user, channel)
}

// Message is one message as the user sees it.
func (s *Server) Message(user, channel, message string) (Message, error) {
	return s.messageOf(user, channel, message)
}

// Commands are the slash commands the user is offered in a channel.
func (s *Server) Commands(user, channel string) ([]Command, error) {
	return s.commandsOf(user, channel)
}

// Pings counts what notified the user: the messages, in order.
func (s *Server) Pings(user string) []Ping { return s.pingsOf(user) }

// Ping is one notification of one user.
type Ping struct {
	ChannelID string `json:"channel_id"`
	MessageID string `json:"message_id"`
	Why       string `json:"why"` // "mention", "everyone", "reply" or "dm"
}

// Say writes a plain message as the user.
func (s *Server) Say(ctx context.Context, user, channel, content string) (Message, error) {
	return s.say(ctx, user, channel, content)
}

// Dismiss removes an ephemeral message from its addressee's sight for good.
func (s *Server) Dismiss(user, channel, message string) error {
	return s.dismiss(user, channel, message)
}

// Press presses a button the user can see and press.
func (s *Server) Press(ctx context.Context, user, channel, message, customID string) (*Interaction, error) {
	return s.press(ctx, user, channel, message, customID)
}

// Select chooses in a select menu the user can see and use.
func (s *Server) Select(ctx context.Context, user, channel, message, customID string, values ...string) (*Interaction, error) {
	return s.selectValues(ctx, user, channel, message, customID, values)
}

// SubmitModal sends the form which the given interaction opened. values maps
// custom ids to what was filled in; a select in a modal takes several.
func (s *Server) SubmitModal(ctx context.Context, user, interaction string, values map[string][]string) (*Interaction, error) {
	return s.submitModal(ctx, user, interaction, values)
}

// Command runs a slash command. sub is "" or the subcommand's name, "group sub"
// inside a group.
func (s *Server) Command(ctx context.Context, user, channel, name, sub string, options ...Option) (*Interaction, error) {
	return s.runCommand(ctx, user, channel, name, sub, options)
}

// Autocomplete asks the bot for choices while the user types. options holds what
// has been filled in so far, the focused option (what is typed, possibly empty)
// among them.
func (s *Server) Autocomplete(ctx context.Context, user, channel, name, sub, focused string, options ...Option) ([]Choice, error) {
	return s.autocomplete(ctx, user, channel, name, sub, focused, options)
}

// ForgePress sends any custom id as a press on any message the user can see, as a
// modified client can. componentType is TypeButton or a select's, with values.
func (s *Server) ForgePress(ctx context.Context, user, channel, message string, componentType int, customID string, values ...string) (*Interaction, error) {
	return s.forgePress(ctx, user, channel, message, componentType, customID, values)
}

// SendRaw sends an interaction of the given type (2 command, 3 component, 4
// autocomplete, 5 modal) whose data is the caller's JSON, unchecked. message may
// be empty.
func (s *Server) SendRaw(ctx context.Context, user, channel, message string, interactionType int, data json.RawMessage) (*Interaction, error) {
	return s.sendRaw(ctx, user, channel, message, interactionType, data)
}

// EventType says what changed.
type EventType string

// The types of events.
const (
	EventMessage     EventType = "message"     // new or changed: Message
	EventDelete      EventType = "delete"      // gone or dismissed: Message has its ids only
	EventChannels    EventType = "channels"    // the list of channels changed
	EventCommands    EventType = "commands"    // the list of commands changed
	EventInteraction EventType = "interaction" // one of the user's own: Interaction and Result
	EventPing        EventType = "ping"        // a notification: Message
	EventResync      EventType = "resync"      // the subscriber was too slow: read everything anew
)

// Event tells one user's page what changed.
type Event struct {
	Type        EventType `json:"type"`
	ChannelID   string    `json:"channel_id,omitempty"`
	Message     *Message  `json:"message,omitempty"`
	Interaction string    `json:"interaction,omitempty"`
	Result      *Result   `json:"result,omitempty"`
}

// Subscribe sends the user's events from now on, in order, until cancel is called
// (the channel is closed then, and by Close). A subscriber who falls behind gets
// one EventResync in place of what it missed.
func (s *Server) Subscribe(user string) (events <-chan Event, cancel func()) {
	return s.subscribe(user)
}
