package discord

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

type wireReady struct {
	User        wireUser    `json:"user"`
	Guilds      []wireGuild `json:"guilds"`
	SessionID   text        `json:"session_id"`
	ResumeURL   text        `json:"resume_gateway_url"`
	Application struct {
		ID snowflake `json:"id"`
	} `json:"application"`
}

type wireGuild struct {
	ID          snowflake `json:"id"`
	Unavailable bool      `json:"unavailable"`
}

type wireGuildCreate struct {
	ID            snowflake     `json:"id"`
	Name          text          `json:"name"`
	Locale        text          `json:"preferred_locale"`
	OwnerID       snowflake     `json:"owner_id"`
	SystemChannel snowflake     `json:"system_channel_id"`
	RulesChannel  snowflake     `json:"rules_channel_id"`
	JoinedAt      text          `json:"joined_at"`
	Unavailable   bool          `json:"unavailable"`
	Channels      []wireChannel `json:"channels"`
	Roles         []wireRole    `json:"roles"`
	Members       []wireMember  `json:"members"`
}

type wireRole struct {
	ID          snowflake `json:"id"`
	Permissions bits      `json:"permissions"`
}

type wireRoleGone struct {
	Guild snowflake `json:"guild_id"`
	Role  snowflake `json:"role_id"`
}

// translator turns dispatches into events. It remembers which guilds it has
// heard of, because that is the only way to tell an invitation from an outage's
// end. One goroutine uses it.
type translator struct {
	now   func() time.Time
	learn func(app, user, name string)
	who   func() identity
	known map[string]bool
}

// freshJoin is how old joined_at may be for a guild that READY did not list.
const freshJoin = 10 * time.Minute

// event translates one dispatch; nil if it is of no interest.
func (t *translator) event(kind string, data []byte) Event {
	switch kind {
	case "INTERACTION_CREATE":
		i := parseInteraction(data, t.now())
		if i.ApplicationID != "" {
			t.learn(i.ApplicationID, "", "")
		}
		return i
	case "READY":
		return t.ready(data)
	case "RESUMED":
		w := t.who()
		return &Ready{ApplicationID: w.app, BotUserID: w.user, BotName: w.name, Resumed: true}
	case "GUILD_CREATE":
		return t.guildCreate(data)
	case "GUILD_DELETE":
		var w wireGuild
		_ = json.Unmarshal(data, &w)
		if w.ID == "" {
			return nil
		}
		if !w.Unavailable {
			delete(t.known, string(w.ID))
		} else {
			t.known[string(w.ID)] = true
		}
		return &GuildGone{ID: string(w.ID), Unavailable: w.Unavailable}
	case "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE":
		return channelEvent(kind, data)
	case "GUILD_ROLE_DELETE":
		var w wireRoleGone
		_ = json.Unmarshal(data, &w)
		if w.Role == "" || w.Guild == "" {
			return nil
		}
		return &RoleGone{ID: string(w.Role), Guild: string(w.Guild)}
	}
	return nil
}

func (t *translator) ready(data []byte) Event {
	var w wireReady
	_ = json.Unmarshal(data, &w) // odd fields are left out
	t.learn(string(w.Application.ID), string(w.User.ID), string(w.User.Username))
	who := t.who()
	r := &Ready{ApplicationID: who.app, BotUserID: who.user, BotName: who.name}
	known := make(map[string]bool, len(w.Guilds))
	for _, g := range w.Guilds {
		if g.ID != "" {
			known[string(g.ID)] = true
			r.Guilds = append(r.Guilds, GuildRef{ID: string(g.ID), Unavailable: g.Unavailable})
		}
	}
	// A server that lists nothing has said nothing.
	if len(known) > 0 || t.known == nil {
		t.known = known
	}
	return r
}

func (t *translator) guildCreate(data []byte) Event {
	var w wireGuildCreate
	_ = json.Unmarshal(data, &w)
	switch {
	case w.ID == "":
		return nil
	case w.Unavailable:
		return &GuildGone{ID: string(w.ID), Unavailable: true}
	}
	g := &GuildJoined{
		ID: string(w.ID), Name: string(w.Name), Locale: string(w.Locale), OwnerID: string(w.OwnerID),
		SystemChannel: string(w.SystemChannel), RulesChannel: string(w.RulesChannel),
	}
	g.JoinedAt, _ = time.Parse(time.RFC3339, string(w.JoinedAt))
	switch {
	case t.known[g.ID]:
		g.Arrival = ArrivalKnown
	case g.JoinedAt.IsZero():
		g.Arrival = ArrivalUnsure
	case t.now().Sub(g.JoinedAt) < freshJoin:
		g.Arrival = ArrivalNew
	}
	t.known[g.ID] = true
	powers := newPowers(&w, t.who().user)
	for _, ch := range w.Channels {
		if ch.ID == "" {
			continue
		}
		out := GuildChannel{ID: string(ch.ID), Name: string(ch.Name), ParentID: string(ch.ParentID), Position: int(ch.Position)}
		if ch.Type != nil {
			out.Type = int(*ch.Type)
		}
		out.Permissions, out.Known = powers.in(ch.Overwrites)
		g.Channels = append(g.Channels, out)
	}
	for _, r := range w.Roles {
		if r.ID != "" {
			g.Roles = append(g.Roles, string(r.ID))
		}
	}
	slices.SortStableFunc(g.Channels, func(a, b GuildChannel) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return g
}

// powers computes the bot's permissions in the channels of one guild.
type powers struct {
	guild, user string
	roles       []snowflake
	base        uint64
	all         bool // owner or administrator
	known       bool
}

func newPowers(w *wireGuildCreate, user string) *powers {
	p := &powers{guild: string(w.ID), user: user}
	for _, m := range w.Members {
		// With no intent for members the bot itself is the only one listed.
		if id := m.user().ID; id != "" && (id == user || (user == "" && len(w.Members) == 1)) {
			p.user, p.roles, p.known = id, m.Roles, true
		}
	}
	everyone := false
	for _, r := range w.Roles {
		everyone = everyone || string(r.ID) == p.guild
		if string(r.ID) == p.guild || slices.Contains(p.roles, r.ID) {
			p.base |= r.Permissions.value
		}
	}
	p.known = p.known && everyone
	p.all = p.base&PermAdministrator != 0 || (p.user != "" && p.user == string(w.OwnerID))
	return p
}

// in applies a channel's overwrites: everyone's, then roles', then the member's.
func (p *powers) in(overwrites []wireOverwrite) (permissions uint64, known bool) {
	if !p.known {
		return 0, false
	}
	if p.all {
		return ^uint64(0), true
	}
	perms := p.base
	var allow, deny uint64
	var own *wireOverwrite
	for i, o := range overwrites {
		switch {
		case string(o.ID) == p.guild:
			perms = perms&^o.Deny.value | o.Allow.value
		case string(o.ID) == p.user:
			own = &overwrites[i]
		case slices.Contains(p.roles, o.ID):
			allow |= o.Allow.value
			deny |= o.Deny.value
		}
	}
	perms = perms&^deny | allow
	if own != nil {
		perms = perms&^own.Deny.value | own.Allow.value
	}
	return perms, true
}

func channelEvent(kind string, data []byte) Event {
	var w wireChannel
	_ = json.Unmarshal(data, &w)
	if w.ID == "" {
		return nil
	}
	id, guild, parent := string(w.ID), string(w.GuildID), string(w.ParentID)
	switch kind {
	case "CHANNEL_DELETE":
		return &ChannelGone{ID: id, Guild: guild}
	case "THREAD_DELETE":
		return &ThreadGone{ID: id, Guild: guild, Parent: parent}
	}
	e := &ThreadChanged{ID: id, Guild: guild, Parent: parent}
	if w.Thread != nil {
		e.Archived, e.Locked = w.Thread.Archived, w.Thread.Locked
	}
	return e
}
