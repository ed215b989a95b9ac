package discord

import "time"

// Event is one of *Ready, *Disconnected, *Interaction, *GuildJoined, *GuildGone,
// *ChannelGone, *RoleGone, *ThreadChanged and *ThreadGone.
type Event interface{ event() }

// Ready says that the gateway session stands: after a new session (Resumed
// false) and after a resumed one, whose missed events follow or came before.
// Discord, and servers like it, may repeat it.
type Ready struct {
	ApplicationID string // empty if the server did not say
	BotUserID     string // empty if the server did not say
	BotName       string
	Guilds        []GuildRef // empty when Resumed
	Resumed       bool
}

// Disconnected says that a connection that stood has ended: until the next Ready
// no event arrives. Discord keeps what happens meanwhile, for a while. It is not
// said when Run ends.
type Disconnected struct {
	// Heard is when the last packet came: what was sent later has not arrived.
	Heard time.Time
}

// GuildRef names a guild the bot is in.
type GuildRef struct {
	ID          string
	Unavailable bool
}

// Arrival tells why a guild was announced.
type Arrival int

// Reasons for a GuildJoined event.
const (
	// ArrivalKnown: the guild was listed in READY or seen before; it is
	// announced at start-up, after an outage or by a repetition.
	ArrivalKnown Arrival = iota
	// ArrivalNew: the bot was invited just now.
	ArrivalNew
	// ArrivalUnsure: not listed in READY and no usable joined_at.
	ArrivalUnsure
)

// GuildJoined is a guild that became available (GUILD_CREATE).
type GuildJoined struct {
	ID            string
	Name          string
	Locale        string
	OwnerID       string
	SystemChannel string // empty if none
	RulesChannel  string // empty if none
	JoinedAt      time.Time
	Arrival       Arrival
	// Channels are ordered as people see them.
	Channels []GuildChannel
	// Roles are the ids of the roles that there are.
	Roles []string
}

// GuildChannel is a channel of a GuildJoined event.
type GuildChannel struct {
	ID       string
	Name     string
	Type     int
	ParentID string
	Position int
	// Permissions are the bot's own permissions in this channel, computed from
	// roles and overwrites; meaningful only if Known.
	Permissions uint64
	Known       bool
}

// GuildGone is a guild that went away (GUILD_DELETE). With Unavailable set it is
// an outage of Discord: the guild comes back, and nothing may be deleted. A guild
// may also be announced as one that is out (GUILD_CREATE with unavailable).
type GuildGone struct {
	ID          string
	Unavailable bool
}

// ChannelGone is a deleted channel.
type ChannelGone struct {
	ID    string
	Guild string
}

// RoleGone is a deleted role.
type RoleGone struct {
	ID    string
	Guild string
}

// ThreadChanged is a thread that was created, archived, unarchived or locked.
type ThreadChanged struct {
	ID       string
	Guild    string
	Parent   string
	Archived bool
	Locked   bool
}

// ThreadGone is a deleted thread.
type ThreadGone struct {
	ID     string
	Guild  string
	Parent string
}

func (*Ready) event()         {}
func (*Disconnected) event()  {}
func (*Interaction) event()   {}
func (*GuildJoined) event()   {}
func (*GuildGone) event()     {}
func (*ChannelGone) event()   {}
func (*RoleGone) event()      {}
func (*ThreadChanged) event() {}
func (*ThreadGone) event()    {}
