package discord

import (
	"strconv"
	"time"
)

// InteractionKind is what the user did.
type InteractionKind int

// Kinds of interactions. KindUnknown is anything this program does not know; it
// can still be answered.
const (
	KindUnknown InteractionKind = iota
	KindCommand
	KindAutocomplete
	KindComponent
	KindModal
)

// Interaction is a command, a press, a modal or a request for suggestions. Any
// field but ID and Token may be empty: a field that was missing or odd is left
// at its zero value.
type Interaction struct {
	ID            string
	Token         string `json:"-"` // never log it
	ApplicationID string
	Kind          InteractionKind

	Guild       string // empty in a DM
	Channel     string
	ChannelType int // -1 if not sent
	ChannelName string
	ParentID    string // the channel a thread hangs on, or a category
	User        User

	// Permissions are those of the user, AppPermissions those of the bot, in
	// this channel. HasPermissions and HasAppPermissions tell whether they were
	// sent at all.
	Permissions    uint64
	HasPermissions bool
	// Roles are the ids of the user's roles in the guild, without that of everybody.
	Roles             []string
	AppPermissions    uint64
	HasAppPermissions bool

	Locale      string
	GuildLocale string

	// Message is the message a pressed component stands on.
	Message Pressed
	// CustomID belongs to a component or a modal.
	CustomID string
	// Values are what was chosen in a select menu.
	Values []string
	// Fields are the inputs of a modal, in order.
	Fields []Field
	// Command is set for KindCommand and KindAutocomplete.
	Command Command
	// Users are the resolved users of options and menus, by id.
	Users map[string]User

	// Received is when this process read the interaction.
	Received time.Time
	// Odd says that part of the payload could not be understood.
	Odd bool
}

// User is who acted, or who was named.
type User struct {
	ID         string
	Username   string
	GlobalName string
	Nick       string
	Bot        bool
}

// Name is the name people see: nickname, display name or account name.
func (u User) Name() string {
	switch {
	case u.Nick != "":
		return u.Nick
	case u.GlobalName != "":
		return u.GlobalName
	}
	return u.Username
}

// Pressed is the message a component stands on.
type Pressed struct {
	ID        string
	Channel   string
	Flags     int
	Ephemeral bool
	// Attachments are the files it has.
	Attachments []Attachment
}

// Field is one input of a modal.
type Field struct {
	CustomID string
	Value    string
	Values   []string
}

// Command is a slash command as it was entered.
type Command struct {
	ID         string
	Name       string
	Group      string
	Subcommand string
	Options    []Option
}

// Option is one argument of a command. Text holds the value as text whatever
// its type: the focused option of an autocomplete request is whatever has been
// typed so far, even where a number is wanted.
type Option struct {
	Name    string
	Type    int // Discord's option type
	Text    string
	Focused bool
}

// Option returns the option called name.
func (c Command) Option(name string) (Option, bool) {
	for _, o := range c.Options {
		if o.Name == name {
			return o, true
		}
	}
	return Option{}, false
}

// Text returns the value of the option called name, or "" if it was not given.
func (c Command) Text(name string) string {
	o, _ := c.Option(name)
	return o.Text
}

// Int returns the option called name as a whole number.
func (c Command) Int(name string) (int64, bool) {
	o, ok := c.Option(name)
	if !ok {
		return 0, false
	}
	return o.Int()
}

// Bool returns the option called name; ok is false if it was not given.
func (c Command) Bool(name string) (value, ok bool) {
	o, ok := c.Option(name)
	return o.Text == "true", ok && (o.Text == "true" || o.Text == "false")
}

// Focused returns the option being typed in an autocomplete request.
func (c Command) Focused() (Option, bool) {
	for _, o := range c.Options {
		if o.Focused {
			return o, true
		}
	}
	return Option{}, false
}

// Int returns the value as a whole number.
func (o Option) Int() (int64, bool) {
	return whole(o.Text)
}

// Name is the best name of who acted.
func (i *Interaction) Name() string { return i.User.Name() }

// Path is the full command as typed, for example "paladin place".
func (c Command) Path() string {
	path := c.Name
	for _, part := range []string{c.Group, c.Subcommand} {
		if part != "" {
			path += " " + part
		}
	}
	return path
}

// Age is how long ago Discord made the interaction, by the time in its id; 0 if
// the id holds none. It grows with the skew of the two clocks.
func (i *Interaction) Age(now time.Time) time.Duration {
	made, ok := SnowflakeTime(i.ID)
	if !ok {
		return 0
	}
	return max(0, now.Sub(made))
}

// TokenLife is how long an interaction's token works.
const TokenLife = 15 * time.Minute

// TokenAlive reports whether the interaction's token can still be used at now,
// with a margin for the way to Discord. It goes by the time of receipt, because
// not every server puts the time into its ids.
func (i *Interaction) TokenAlive(now time.Time) bool {
	return i.Token != "" && now.Sub(i.Received) < TokenLife-15*time.Second
}

// epoch is the first millisecond a Discord id can name.
const epoch = 1420070400000

// SnowflakeTime returns the time an id was made.
func SnowflakeTime(id string) (time.Time, bool) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil || n>>22 == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(n>>22) + epoch), true
}
