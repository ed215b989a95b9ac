package discord

import (
	"encoding/json"
	"time"
)

// Discord's numbers for what an interaction is.
const (
	wireCommand      = 2
	wireComponent    = 3
	wireAutocomplete = 4
	wireModal        = 5

	optionSubcommand = 1
	optionGroup      = 2

	flagEphemeral = 1 << 6
	flagSilent    = 1 << 12
	flagV2        = 1 << 15
)

type wireInteraction struct {
	ID             snowflake   `json:"id"`
	ApplicationID  snowflake   `json:"application_id"`
	Token          text        `json:"token"`
	Type           num         `json:"type"`
	GuildID        snowflake   `json:"guild_id"`
	ChannelID      snowflake   `json:"channel_id"`
	Channel        wireChannel `json:"channel"`
	Member         *wireMember `json:"member"`
	User           *wireUser   `json:"user"`
	AppPermissions bits        `json:"app_permissions"`
	Locale         text        `json:"locale"`
	GuildLocale    text        `json:"guild_locale"`
	Guild          struct {
		ID     snowflake `json:"id"`
		Locale text      `json:"locale"`
	} `json:"guild"`
	Message wireMessage `json:"message"`
	Data    wireData    `json:"data"`
}

type wireData struct {
	ID         snowflake    `json:"id"`
	Name       text         `json:"name"`
	Options    []wireOption `json:"options"`
	CustomID   text         `json:"custom_id"`
	Values     []text       `json:"values"`
	Components []wireInput  `json:"components"`
	Resolved   struct {
		Users   map[string]*wireUser   `json:"users"`
		Members map[string]*wireMember `json:"members"`
	} `json:"resolved"`
}

type wireOption struct {
	Name    text         `json:"name"`
	Type    num          `json:"type"`
	Value   text         `json:"value"`
	Focused bool         `json:"focused"`
	Options []wireOption `json:"options"`
}

// wireInput is anything that may stand in a submitted modal: a row, a label
// around one input, or the input itself.
type wireInput struct {
	CustomID   text        `json:"custom_id"`
	Value      text        `json:"value"`
	Values     []text      `json:"values"`
	Component  *wireInput  `json:"component"`
	Components []wireInput `json:"components"`
}

// parseInteraction reads the data of an INTERACTION_CREATE. It takes what it
// can; the result is unusable only if it has no ID or no Token, because then it
// cannot be answered.
func parseInteraction(data []byte, received time.Time) *Interaction {
	var w wireInteraction
	err := json.Unmarshal(data, &w)
	i := &Interaction{
		ID: string(w.ID), Token: string(w.Token), ApplicationID: string(w.ApplicationID),
		Guild: first(w.GuildID, w.Guild.ID), Channel: first(w.ChannelID, w.Channel.ID, w.Message.ChannelID),
		ChannelType: -1, ChannelName: string(w.Channel.Name), ParentID: string(w.Channel.ParentID),
		Locale: string(w.Locale), GuildLocale: first(w.GuildLocale, w.Guild.Locale),
		Received: received, Odd: err != nil,
	}
	if w.Channel.Type != nil {
		i.ChannelType = int(*w.Channel.Type)
	}
	if i.User = w.Member.user(); i.User.ID == "" {
		nick := i.User.Nick
		i.User = w.User.user()
		i.User.Nick = nick
	}
	if w.Member != nil {
		i.Permissions, i.HasPermissions = w.Member.Permissions.value, w.Member.Permissions.known
		i.Roles = ids(w.Member.Roles)
	}
	i.AppPermissions, i.HasAppPermissions = w.AppPermissions.value, w.AppPermissions.known
	i.Message = Pressed{
		ID: string(w.Message.ID), Channel: first(w.Message.ChannelID, w.ChannelID),
		Flags: int(w.Message.Flags), Ephemeral: w.Message.Flags&flagEphemeral != 0,
		Attachments: w.Message.attachments(),
	}
	if i.Message.ID == "" {
		i.Message = Pressed{}
	}
	i.fill(int(w.Type), &w.Data)
	return i
}

// fill adds what is particular to the kind of interaction.
func (i *Interaction) fill(kind int, d *wireData) {
	switch kind {
	case wireCommand, wireAutocomplete:
		i.Kind = KindCommand
		if kind == wireAutocomplete {
			i.Kind = KindAutocomplete
		}
		i.Command = Command{ID: string(d.ID), Name: string(d.Name)}
		i.Command.take(d.Options)
	case wireComponent:
		i.Kind = KindComponent
		i.CustomID = string(d.CustomID)
		i.Values = texts(d.Values)
	case wireModal:
		i.Kind = KindModal
		i.CustomID = string(d.CustomID)
		i.Fields = appendFields(nil, d.Components, 0)
	}
	for id, u := range d.Resolved.Users {
		if u == nil || !isSnowflake(id) {
			continue
		}
		if i.Users == nil {
			i.Users = make(map[string]User, len(d.Resolved.Users))
		}
		user := u.user()
		if user.ID == "" {
			user.ID = id
		}
		if m := d.Resolved.Members[id]; m != nil {
			user.Nick = string(m.Nick)
		}
		i.Users[id] = user
	}
}

// take goes down through group and subcommand to the arguments.
func (c *Command) take(options []wireOption) {
	for depth := 0; depth < 2 && len(options) == 1; depth++ {
		switch options[0].Type {
		case optionGroup:
			c.Group = string(options[0].Name)
		case optionSubcommand:
			c.Subcommand = string(options[0].Name)
			depth = 2
		default:
			depth = 2
			continue
		}
		options = options[0].Options
	}
	for _, o := range options {
		c.Options = append(c.Options, Option{
			Name: string(o.Name), Type: int(o.Type), Text: string(o.Value), Focused: o.Focused,
		})
	}
}

// maxModalDepth is far above what Discord nests: label, row, input.
const maxModalDepth = 8

func appendFields(fields []Field, inputs []wireInput, depth int) []Field {
	if depth > maxModalDepth {
		return fields
	}
	for _, in := range inputs {
		if in.CustomID != "" {
			fields = append(fields, Field{CustomID: string(in.CustomID), Value: string(in.Value), Values: texts(in.Values)})
		}
		if in.Component != nil {
			fields = appendFields(fields, []wireInput{*in.Component}, depth+1)
		}
		fields = appendFields(fields, in.Components, depth+1)
	}
	return fields
}

func texts(list []text) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

// ids are those of the list that are ids.
func ids(list []snowflake) []string {
	var out []string
	for _, id := range list {
		if id != "" {
			out = append(out, string(id))
		}
	}
	return out
}

// first returns the first that is not empty.
func first[T ~string](list ...T) string {
	for _, t := range list {
		if t != "" {
			return string(t)
		}
	}
	return ""
}
