package sandbox

import "encoding/json"

// User is Discord's user object.
type User struct {
	ID            string    `json:"id"`
	Username      string    `json:"username"`
	Discriminator string    `json:"discriminator"`
	GlobalName    *string   `json:"global_name"`
	Avatar        *string   `json:"avatar"`
	Bot           bool      `json:"bot,omitempty"`
	PublicFlags   int       `json:"public_flags"`
	Flags         int       `json:"flags"`
	PrimaryGuild  *struct{} `json:"primary_guild"` // always null
}

// Name is what others see: the display name, or else the user name.
func (u User) Name() string {
	if u.GlobalName != nil && *u.GlobalName != "" {
		return *u.GlobalName
	}
	return u.Username
}

// Guild is a server as its members see it.
type Guild struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	OwnerID     string   `json:"owner_id"`
	Members     []string `json:"members"` // user ids, the bot's too while it is there
	Locale      string   `json:"preferred_locale"`
	Unavailable bool     `json:"unavailable,omitempty"`
}

// The channel types the sandbox knows.
const (
	ChannelText          = 0
	ChannelDM            = 1
	ChannelPublicThread  = 11
	ChannelPrivateThread = 12
	ChannelForum         = 15
)

// Channel is a channel, thread or DM as one person sees it.
type Channel struct {
	ID          string `json:"id"`
	Type        int    `json:"type"`
	GuildID     string `json:"guild_id,omitempty"`
	ParentID    string `json:"parent_id,omitempty"` // of a thread: its channel
	Name        string `json:"name"`
	Topic       string `json:"topic,omitempty"`
	Position    int    `json:"position"`
	Archived    bool   `json:"archived,omitempty"` // threads only
	Locked      bool   `json:"locked,omitempty"`   // threads only
	LastMessage string `json:"last_message_id,omitempty"`
	CanSend     bool   `json:"can_send"` // whether this person may write there
}

// Message flags.
const (
	FlagSuppressEmbeds        = 1 << 2
	FlagEphemeral             = 1 << 6
	FlagLoading               = 1 << 7 // a deferred reply that has not come yet
	FlagSuppressNotifications = 1 << 12
	FlagComponentsV2          = 1 << 15
)

// Message is Discord's message object. URLs of attachments and media are paths
// from the root of [Server.Handler] on the people's side, and absolute on the
// bot's.
type Message struct {
	ID                  string               `json:"id"`
	Type                int                  `json:"type"` // 0 plain, 19 reply, 20 answer to a command, 23 to a context menu
	ChannelID           string               `json:"channel_id"`
	GuildID             string               `json:"guild_id,omitempty"` // people's side and gateway only
	Author              User                 `json:"author"`
	Content             string               `json:"content"`
	Timestamp           string               `json:"timestamp"`
	EditedTimestamp     *string              `json:"edited_timestamp"`
	Flags               int                  `json:"flags"`
	TTS                 bool                 `json:"tts"`
	Pinned              bool                 `json:"pinned"`
	MentionEveryone     bool                 `json:"mention_everyone"`
	Mentions            []User               `json:"mentions"`
	MentionRoles        []string             `json:"mention_roles"`
	Embeds              []json.RawMessage    `json:"embeds"`
	Attachments         []Attachment         `json:"attachments"`
	Components          []Component          `json:"components"`
	Nonce               json.RawMessage      `json:"nonce,omitempty"`
	ApplicationID       string               `json:"application_id,omitempty"`
	WebhookID           string               `json:"webhook_id,omitempty"`
	MessageReference    *MessageReference    `json:"message_reference,omitempty"`
	InteractionMetadata *InteractionMetadata `json:"interaction_metadata,omitempty"`

	// View is set on the people's side only.
	View *MessageView `json:"sandbox,omitempty"`
}

// MessageView is what a renderer needs beside Discord's own fields.
type MessageView struct {
	Ephemeral bool   `json:"ephemeral,omitempty"` // "Only you can see this"; may be dismissed
	Thinking  bool   `json:"thinking,omitempty"`  // "is thinking…"
	Failed    string `json:"failed,omitempty"`    // what a client shows instead of a reply that never came
	PingsMe   bool   `json:"pings_me,omitempty"`  // it notified the person who looks
	Command   string `json:"command,omitempty"`   // "/paladin new": what it answers
}

// MessageReference names the message this one replies to.
type MessageReference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// InteractionMetadata says what a message answers.
type InteractionMetadata struct {
	ID                           string               `json:"id"`
	Type                         int                  `json:"type"`
	Name                         string               `json:"name,omitempty"`
	CommandType                  int                  `json:"command_type,omitempty"`
	User                         User                 `json:"user"`
	AuthorizingIntegrationOwners map[string]string    `json:"authorizing_integration_owners"`
	OriginalResponseMessageID    string               `json:"original_response_message_id,omitempty"`
	InteractedMessageID          string               `json:"interacted_message_id,omitempty"`
	TriggeringInteraction        *InteractionMetadata `json:"triggering_interaction_metadata,omitempty"`
}

// Attachment is an uploaded file of a message.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

// Component types.
const (
	TypeActionRow         = 1
	TypeButton            = 2
	TypeStringSelect      = 3
	TypeTextInput         = 4
	TypeUserSelect        = 5
	TypeRoleSelect        = 6
	TypeMentionableSelect = 7
	TypeChannelSelect     = 8
	TypeSection           = 9
	TypeTextDisplay       = 10
	TypeThumbnail         = 11
	TypeMediaGallery      = 12
	TypeFile              = 13
	TypeSeparator         = 14
	TypeContainer         = 17
	TypeLabel             = 18
	TypeRadioGroup        = 21
	TypeCheckboxGroup     = 22
	TypeCheckbox          = 23
)

// Button styles.
const (
	ButtonPrimary   = 1
	ButtonSecondary = 2
	ButtonSuccess   = 3
	ButtonDanger    = 4
	ButtonLink      = 5
	ButtonPremium   = 6
)

// Component is any component of a message or a modal, in Discord's JSON form.
// Which fields mean something depends on Type.
type Component struct {
	Type          int            `json:"type"`
	ID            int            `json:"id,omitempty"`
	CustomID      string         `json:"custom_id,omitempty"`
	Style         int            `json:"style,omitempty"`
	Label         string         `json:"label,omitempty"`
	Emoji         *Emoji         `json:"emoji,omitempty"`
	URL           string         `json:"url,omitempty"`
	SKUID         string         `json:"sku_id,omitempty"`
	Disabled      bool           `json:"disabled,omitempty"`
	Options       []SelectOption `json:"options,omitempty"`
	Placeholder   string         `json:"placeholder,omitempty"`
	MinValues     *int           `json:"min_values,omitempty"`
	MaxValues     *int           `json:"max_values,omitempty"`
	ChannelTypes  []int          `json:"channel_types,omitempty"`
	DefaultValues []DefaultValue `json:"default_values,omitempty"`
	MinLength     *int           `json:"min_length,omitempty"`
	MaxLength     *int           `json:"max_length,omitempty"`
	Required      *bool          `json:"required,omitempty"`
	Default       bool           `json:"default,omitempty"` // of a checkbox
	Value         string         `json:"value,omitempty"`
	Content       string         `json:"content,omitempty"`
	Description   string         `json:"description,omitempty"`
	Spoiler       bool           `json:"spoiler,omitempty"`
	Divider       *bool          `json:"divider,omitempty"`
	Spacing       int            `json:"spacing,omitempty"`
	AccentColor   *int           `json:"accent_color,omitempty"`
	Media         *Media         `json:"media,omitempty"`
	Items         []GalleryItem  `json:"items,omitempty"`
	File          *Media         `json:"file,omitempty"`
	Name          string         `json:"name,omitempty"`
	Size          int            `json:"size,omitempty"`
	Components    []Component    `json:"components,omitempty"`
	Accessory     *Component     `json:"accessory,omitempty"`
	Component     *Component     `json:"component,omitempty"` // of a label
}

// SelectOption is one option of a string select, a radio group or a checkbox group.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// DefaultValue is a preselected user, role or channel of a select.
type DefaultValue struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// Emoji is an emoji as components carry it: a Unicode one by Name alone, an
// application's by ID and Name.
type Emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Animated bool   `json:"animated,omitempty"`
}

// GalleryItem is one picture of a media gallery.
type GalleryItem struct {
	Media       Media  `json:"media"`
	Description string `json:"description,omitempty"`
	Spoiler     bool   `json:"spoiler,omitempty"`
}

// Media is a resolved file.
type Media struct {
	ID           string `json:"id,omitempty"`
	URL          string `json:"url"`
	ProxyURL     string `json:"proxy_url,omitempty"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	ContentType  string `json:"content_type,omitempty"`
	AttachmentID string `json:"attachment_id,omitempty"`
}

// Command is an application command as registered.
type Command struct {
	ID                       string            `json:"id"`
	ApplicationID            string            `json:"application_id"`
	GuildID                  string            `json:"guild_id,omitempty"`
	Version                  string            `json:"version"`
	Type                     int               `json:"type"` // 1 chat, 2 user, 3 message
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	Options                  []CommandOption   `json:"options,omitempty"`
	DefaultMemberPermissions *string           `json:"default_member_permissions"`
	Contexts                 []int             `json:"contexts"` // 0 guild, 1 DM with the bot, 2 private channel; null: all
	IntegrationTypes         []int             `json:"integration_types"`
	NSFW                     bool              `json:"nsfw"`
}

// Option types of a command.
const (
	OptionSubcommand      = 1
	OptionSubcommandGroup = 2
	OptionString          = 3
	OptionInteger         = 4
	OptionBoolean         = 5
	OptionUser            = 6
	OptionChannel         = 7
	OptionRole            = 8
	OptionMentionable     = 9
	OptionNumber          = 10
	OptionAttachment      = 11
)

// CommandOption is an option, a subcommand or a subcommand group.
type CommandOption struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	Choices                  []Choice          `json:"choices,omitempty"`
	Options                  []CommandOption   `json:"options,omitempty"`
	ChannelTypes             []int             `json:"channel_types,omitempty"`
	MinValue                 *float64          `json:"min_value,omitempty"`
	MaxValue                 *float64          `json:"max_value,omitempty"`
	MinLength                *int              `json:"min_length,omitempty"`
	MaxLength                *int              `json:"max_length,omitempty"`
}

// Choice is one value an option may take; Value is a string or a number.
type Choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
	Value             any               `json:"value"`
}

// Option is a filled-in option of a command: Value is a string (ids of users and
// channels too), a whole number, a float64 or a bool.
type Option struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Modal is a form the bot has opened for somebody.
type Modal struct {
	InteractionID string      `json:"interaction_id"` // give it to SubmitModal
	CustomID      string      `json:"custom_id"`
	Title         string      `json:"title"`
	Components    []Component `json:"components"`
}
