package sandbox

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"time"
)

// world is everything that survives a restart. It is guarded by Server.mu.
type world struct {
	meta     *meta
	users    map[string]*user
	guilds   map[string]*guild
	channels map[string]*channel
	commands map[string]*command
	emojis   map[string]*appEmoji
}

// record is one thing of the world as the store keeps it.
type record interface {
	place() (bucket, key string)
}

type meta struct {
	AppID  string `json:"app_id"`
	Token  string `json:"token"`
	LastID uint64 `json:"last_id"` // the newest snowflake handed out
	Order  int    `json:"order"`   // counts what was made
}

type user struct {
	User
	Order    int    `json:"order"`
	ClosedDM bool   `json:"closed_dm,omitempty"`
	Locale   string `json:"locale"`
	Pings    []Ping `json:"pings,omitempty"`
}

type guild struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	OwnerID     string             `json:"owner_id"`
	Order       int                `json:"order"`
	Members     map[string]*member `json:"members"`
	BotIn       bool               `json:"bot_in"`
	BotJoined   time.Time          `json:"bot_joined"`
	BotBits     Permissions        `json:"bot_bits"`
	Unavailable bool               `json:"unavailable,omitempty"`
	Locale      string             `json:"locale,omitempty"`
}

type member struct {
	Bits   Permissions `json:"bits"`
	Joined time.Time   `json:"joined"`
	Order  int         `json:"order"`
}

type channel struct {
	ID          string       `json:"id"`
	Type        int          `json:"type"`
	GuildID     string       `json:"guild_id,omitempty"`
	ParentID    string       `json:"parent_id,omitempty"`
	OwnerID     string       `json:"owner_id,omitempty"` // of a thread
	Recipient   string       `json:"recipient,omitempty"`
	Name        string       `json:"name,omitempty"`
	Topic       string       `json:"topic,omitempty"`
	Position    int          `json:"position"`
	Archived    bool         `json:"archived,omitempty"`
	Locked      bool         `json:"locked,omitempty"`
	ArchivedAt  time.Time    `json:"archived_at"`
	AutoArchive int          `json:"auto_archive,omitempty"` // minutes
	BotBits     *Permissions `json:"bot_bits,omitempty"`
	LastMessage string       `json:"last_message,omitempty"`
	Sent        int          `json:"sent,omitempty"`

	messages []*message // by id
}

type message struct {
	Message
	Addressee string            `json:"addressee,omitempty"` // of an ephemeral message
	Dismissed bool              `json:"dismissed,omitempty"`
	Failed    string            `json:"failed,omitempty"`
	Command   string            `json:"command,omitempty"`
	Pinged    map[string]string `json:"pinged,omitempty"` // user id to why
	ThreadID  string            `json:"thread_id,omitempty"`
	Sent      time.Time         `json:"sent"`
}

type command struct{ Command }

type appEmoji struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Animated bool   `json:"animated"`
	Type     string `json:"content_type"`
}

func (m *meta) place() (string, string)     { return "meta", "meta" }
func (u *user) place() (string, string)     { return "users", u.ID }
func (g *guild) place() (string, string)    { return "guilds", g.ID }
func (c *channel) place() (string, string)  { return "channels", c.ID }
func (m *message) place() (string, string)  { return "messages", m.Message.ID }
func (c *command) place() (string, string)  { return "commands", c.ID }
func (e *appEmoji) place() (string, string) { return "emojis", e.ID }

func newWorld() world {
	return world{
		users: map[string]*user{}, guilds: map[string]*guild{}, channels: map[string]*channel{},
		commands: map[string]*command{}, emojis: map[string]*appEmoji{},
	}
}

const discordEpoch = 1420070400000 // milliseconds

// newID is a snowflake of the present moment, above all before it, restarts and a
// clock set back included.
func (s *Server) newID() string {
	id := uint64(0)
	if ms := s.now().UnixMilli() - discordEpoch; ms > 0 {
		id = uint64(ms) << 22
	}
	id = max(id, s.w.meta.LastID+1)
	s.w.meta.LastID = id
	s.save(s.w.meta)
	return strconv.FormatUint(id, 10)
}

func (s *Server) nextOrder() int {
	s.w.meta.Order++
	s.save(s.w.meta)
	return s.w.meta.Order
}

// idLess compares snowflakes.
func idLess(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func (c *channel) isThread() bool {
	return c.Type == ChannelPublicThread || c.Type == ChannelPrivateThread
}

// find is the message with the id, or nil.
func (c *channel) find(id string) *message {
	i := sort.Search(len(c.messages), func(i int) bool { return !idLess(c.messages[i].Message.ID, id) })
	if i < len(c.messages) && c.messages[i].Message.ID == id {
		return c.messages[i]
	}
	return nil
}

// newest is the id of the newest message for everybody that still stands, "" if there is none. What the
// bot is told of a channel names the newest that was ever sent, as Discord does.
func (c *channel) newest() string {
	for _, m := range slices.Backward(c.messages) {
		if m.Addressee == "" {
			return m.Message.ID
		}
	}
	return ""
}

func (c *channel) remove(m *message) {
	if i := slices.Index(c.messages, m); i >= 0 {
		c.messages = slices.Delete(c.messages, i, i+1)
	}
}

func (s *Server) sortedGuilds() []*guild {
	out := make([]*guild, 0, len(s.w.guilds))
	for _, g := range s.w.guilds {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *guild) int { return a.Order - b.Order })
	return out
}

// sortedChannels are a guild's channels, each with its threads behind it.
func (s *Server) sortedChannels(guildID string) []*channel {
	var tops, threads, out []*channel
	for _, c := range s.w.channels {
		switch {
		case c.GuildID != guildID || c.Type == ChannelDM:
		case c.isThread():
			threads = append(threads, c)
		default:
			tops = append(tops, c)
		}
	}
	slices.SortFunc(tops, func(a, b *channel) int { return a.Position - b.Position })
	slices.SortFunc(threads, func(a, b *channel) int {
		if idLess(a.ID, b.ID) {
			return -1
		}
		return 1
	})
	for _, c := range tops {
		out = append(out, c)
		for _, t := range threads {
			if t.ParentID == c.ID {
				out = append(out, t)
			}
		}
	}
	return out
}

// botBits is what the bot may do in a channel; nothing when it is not there.
func (s *Server) botBits(c *channel) Permissions {
	if c.Type == ChannelDM {
		return PermBot | PermMember
	}
	g := s.w.guilds[c.GuildID]
	if g == nil || !g.BotIn {
		return 0
	}
	if c.isThread() {
		if parent := s.w.channels[c.ParentID]; parent != nil && c.BotBits == nil {
			return s.botBits(parent)
		}
	}
	if c.BotBits != nil {
		return *c.BotBits
	}
	return g.BotBits
}

// memberBits is what a person may do in a channel; nothing where they are not.
func (s *Server) memberBits(c *channel, userID string) Permissions {
	if c.Type == ChannelDM {
		if c.Recipient == userID {
			return PermMember
		}
		return 0
	}
	g := s.w.guilds[c.GuildID]
	if g == nil || g.Unavailable || g.Members[userID] == nil {
		return 0
	}
	if g.OwnerID == userID {
		return PermAll
	}
	return g.Members[userID].Bits
}

// mutualGuild is whether the bot and the user share a guild.
func (s *Server) mutualGuild(userID string) bool {
	for _, g := range s.w.guilds {
		if g.BotIn && g.Members[userID] != nil {
			return true
		}
	}
	return false
}

// The JSON forms of guild things.

type object = map[string]any

func (s *Server) guildRoles(g *guild) []object {
	role := func(id, name string, position int, bits Permissions, managed bool, tags object) object {
		o := object{"id": id, "name": name, "description": nil, "permissions": bits.String(), "position": position,
			"color": 0, "colors": object{"primary_color": 0, "secondary_color": nil, "tertiary_color": nil},
			"hoist": false, "managed": managed, "mentionable": false, "icon": nil, "unicode_emoji": nil, "flags": 0}
		if tags != nil {
			o["tags"] = tags
		}
		return o
	}
	roles := []object{role(g.ID, "@everyone", 0, PermMember, false, nil)}
	if g.BotIn {
		roles = append(roles, role(s.botRole(g), s.w.users[s.appID].Username, 1, g.BotBits, true, object{"bot_id": s.appID}))
	}
	return roles
}

// botRole is the id of the bot's own role in a guild: fixed and unlike any other.
func (s *Server) botRole(g *guild) string {
	n, err := strconv.ParseUint(g.ID, 10, 64)
	if err != nil {
		return g.ID
	}
	return strconv.FormatUint(n|0x3ff<<12, 10)
}

func (s *Server) guildObject(g *guild) object {
	return object{
		"id": g.ID, "name": g.Name, "icon": nil, "description": nil, "home_header": nil, "splash": nil,
		"discovery_splash": nil, "features": []string{}, "banner": nil, "owner_id": g.OwnerID,
		"application_id": nil, "region": "deprecated", "afk_channel_id": nil, "afk_timeout": 300,
		"system_channel_id": nil, "system_channel_flags": 0, "widget_enabled": false, "widget_channel_id": nil,
		"verification_level": 0, "roles": s.guildRoles(g), "default_message_notifications": 0, "mfa_level": 0,
		"explicit_content_filter": 0, "max_presences": nil, "max_members": 500000,
		"max_stage_video_channel_users": 50, "max_video_channel_users": 25, "vanity_url_code": nil,
		"premium_tier": 0, "premium_subscription_count": 0, "preferred_locale": g.locale(),
		"rules_channel_id": nil, "safety_alerts_channel_id": nil, "public_updates_channel_id": nil,
		"premium_progress_bar_enabled": false, "nsfw": false, "nsfw_level": 0, "emojis": []any{},
		"stickers": []any{}, "incidents_data": nil,
	}
}

// guildCreate is the GUILD_CREATE payload.
func (s *Server) guildCreate(g *guild) object {
	o := s.guildObject(g)
	channels, threads := []object{}, []object{}
	for _, c := range s.sortedChannels(g.ID) {
		if !s.botBits(c).has(PermViewChannel) {
			continue
		}
		if !c.isThread() {
			channels = append(channels, s.channelObject(c))
		} else if !c.Archived {
			threads = append(threads, s.channelObject(c))
		}
	}
	o["joined_at"], o["large"], o["unavailable"] = stamp(g.BotJoined), false, false
	o["member_count"] = len(g.Members) + 1
	o["members"] = []object{s.memberObject(g, s.appID)}
	o["channels"], o["threads"] = channels, threads
	o["voice_states"], o["presences"] = []any{}, []any{}
	o["stage_instances"], o["guild_scheduled_events"], o["soundboard_sounds"] = []any{}, []any{}, []any{}
	return o
}

func (s *Server) memberObject(g *guild, userID string) object {
	roles, joined := []string{}, g.BotJoined
	if userID == s.appID {
		roles = append(roles, s.botRole(g))
	} else if m := g.Members[userID]; m != nil {
		joined = m.Joined
	}
	return object{
		"user": s.w.users[userID].User, "nick": nil, "avatar": nil, "banner": nil, "roles": roles,
		"joined_at": stamp(joined), "premium_since": nil, "deaf": false, "mute": false, "flags": 0,
		"pending": false, "communication_disabled_until": nil,
	}
}

// channelObject is a channel as the bot gets it.
func (s *Server) channelObject(c *channel) object {
	o := object{"id": c.ID, "type": c.Type, "flags": 0, "last_message_id": orNil(c.LastMessage)}
	if c.Type == ChannelDM {
		o["recipients"] = []User{s.w.users[c.Recipient].User}
		return o
	}
	o["guild_id"], o["name"], o["parent_id"] = c.GuildID, c.Name, orNil(c.ParentID)
	o["rate_limit_per_user"] = 0
	if c.isThread() {
		meta := object{"archived": c.Archived, "locked": c.Locked, "auto_archive_duration": c.AutoArchive,
			"archive_timestamp": stamp(c.ArchivedAt), "create_timestamp": stamp(c.ArchivedAt)}
		if c.Type == ChannelPrivateThread {
			meta["invitable"] = true
		}
		o["thread_metadata"], o["owner_id"] = meta, c.OwnerID
		o["message_count"], o["total_message_sent"], o["member_count"] = min(c.Sent, 50), c.Sent, 1
		return o
	}
	o["position"], o["topic"], o["nsfw"] = c.Position, orNil(c.Topic), false
	overwrites := []object{}
	if c.BotBits != nil {
		overwrites = append(overwrites, object{"id": s.appID, "type": 1, "allow": c.BotBits.String(), "deny": (PermAll &^ *c.BotBits).String()})
	}
	o["permission_overwrites"] = overwrites
	return o
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// stamp is a time as Discord writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// String is the decimal number, as Discord writes permissions.
func (p Permissions) String() string { return strconv.FormatUint(uint64(p), 10) }

// mustJSON encodes what cannot fail to encode: maps, strings and our own structs.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
