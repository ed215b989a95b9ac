package sandbox

import (
	"fmt"
	"unicode/utf8"
)

// AddUser adds a person to the world and to the given guilds.
func (s *Server) AddUser(name string, guilds ...string) (User, error) {
	var out User
	err := s.update(func() error {
		if n := utf8.RuneCountInString(name); n < 1 || n > 32 {
			return fmt.Errorf("a name has 1 to 32 characters: %w", ErrInvalidValue)
		}
		for _, id := range guilds {
			if s.w.guilds[id] == nil {
				return fmt.Errorf("guild %q: %w", id, ErrNotFound)
			}
		}
		u := s.makeUser(s.newID(), name)
		for _, id := range guilds {
			s.join(s.w.guilds[id], u.ID)
		}
		out = u.User
		return nil
	})
	return out, err
}

func (s *Server) join(g *guild, user string) {
	g.Members[user] = &member{Bits: PermMember, Joined: s.now(), Order: s.nextOrder()}
	s.save(g)
	s.channelsChanged()
	if g.BotIn {
		o := s.memberObject(g, user)
		o["guild_id"] = g.ID
		s.dispatchMember("GUILD_MEMBER_ADD", o)
	}
}

// dispatchMember sends an event that needs the members intent.
func (s *Server) dispatchMember(typ string, o object) {
	b := mustJSON(o)
	s.dispatch(typ, intentMembers, func(string) raw { return b })
}

// AddGuild adds a guild owned by the first of the members; the bot is in it only
// after InviteBot.
func (s *Server) AddGuild(name string, members ...string) (Guild, error) {
	var out Guild
	err := s.update(func() error {
		for _, id := range members {
			if s.person(id) == nil {
				return fmt.Errorf("user %q: %w", id, ErrUnknownUser)
			}
		}
		g := s.makeGuild(name, members)
		s.makeChannel(g, "general", ChannelText)
		s.channelsChanged()
		out = s.guildView(g)
		return nil
	})
	return out, err
}

// AddChannel adds a text channel that all members of the guild see.
func (s *Server) AddChannel(guild, name string) (Channel, error) {
	return s.AddChannelOfType(guild, name, ChannelText)
}

// AddChannelOfType adds a channel of another type, say ChannelForum.
func (s *Server) AddChannelOfType(guildID, name string, typ int) (Channel, error) {
	var out Channel
	err := s.onGuild(guildID, func(g *guild) error {
		c := s.makeChannel(g, name, typ)
		s.channelChanged(c, "CHANNEL_CREATE")
		out = s.channelView(c, g.OwnerID)
		return nil
	})
	return out, err
}

// AddThread adds a public thread in a text channel, owned by the guild's owner.
func (s *Server) AddThread(channelID, name string) (Channel, error) {
	var out Channel
	err := s.onChannel(channelID, func(c *channel) error {
		if c.Type != ChannelText {
			return fmt.Errorf("channel %q holds no threads: %w", channelID, ErrInvalidValue)
		}
		owner := s.w.guilds[c.GuildID].OwnerID
		t := s.makeThread(c, s.newID(), name, owner, ChannelPublicThread, 1440)
		s.channelChanged(t, "THREAD_CREATE")
		out = s.channelView(t, owner)
		return nil
	})
	return out, err
}

// DeleteChannel deletes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(channelID string) error {
	return s.onChannel(channelID, func(c *channel) error {
		s.dropChannel(c)
		return nil
	})
}

// dropChannel deletes a channel with all that is in it.
func (s *Server) dropChannel(c *channel) {
	seen := s.botBits(c).has(PermViewChannel)
	event, o := "CHANNEL_DELETE", s.channelObject(c)
	if c.isThread() {
		event = "THREAD_DELETE"
		o = object{"id": c.ID, "guild_id": c.GuildID, "parent_id": c.ParentID, "type": c.Type}
	}
	for _, t := range s.w.channels {
		if t.ParentID == c.ID && t.isThread() {
			s.forgetChannel(t)
		}
	}
	s.forgetChannel(c)
	s.channelsChanged()
	if seen && c.Type != ChannelDM {
		s.dispatchGuild(event, o)
	}
}

func (s *Server) forgetChannel(c *channel) {
	for _, m := range c.messages {
		s.erase(m)
		for _, a := range m.Attachments {
			s.dropFile(a.ID)
		}
	}
	c.messages = nil
	delete(s.w.channels, c.ID)
	s.erase(c)
}

// DeleteMessage deletes a message as a moderator does.
func (s *Server) DeleteMessage(channelID, messageID string) error {
	return s.onChannel(channelID, func(c *channel) error {
		m := c.find(messageID)
		if m == nil {
			return fmt.Errorf("message %q: %w", messageID, ErrNotFound)
		}
		s.dropMessage(c, m)
		return nil
	})
}

// SetPermissions sets what the bot may do in a guild, or, given a channel's id, in
// that channel and its threads.
func (s *Server) SetPermissions(guildOrChannel string, bits Permissions) error {
	return s.update(func() error {
		if g := s.w.guilds[guildOrChannel]; g != nil {
			g.BotBits = bits
			s.save(g)
			if g.BotIn {
				s.dispatchGuild("GUILD_ROLE_UPDATE", object{"guild_id": g.ID, "role": s.guildRoles(g)[1]})
			}
			return nil
		}
		c := s.w.channels[guildOrChannel]
		if c == nil || c.Type == ChannelDM {
			return fmt.Errorf("guild or channel %q: %w", guildOrChannel, ErrNotFound)
		}
		before := s.botBits(c)
		c.BotBits = &bits
		s.save(c)
		if (before | bits).has(PermViewChannel) {
			s.dispatchGuild("CHANNEL_UPDATE", s.channelObject(c))
		}
		return nil
	})
}

// SetMemberPermissions sets what a member may do in a guild. An owner may do
// everything in any case.
func (s *Server) SetMemberPermissions(guildID, userID string, bits Permissions) error {
	return s.onGuild(guildID, func(g *guild) error {
		m := g.Members[userID]
		if m == nil {
			return fmt.Errorf("member %q: %w", userID, ErrUnknownUser)
		}
		m.Bits = bits
		s.save(g)
		s.channelsChanged()
		return nil
	})
}

// CloseDMs makes the user refuse messages from the bot (50007), or accept them.
func (s *Server) CloseDMs(userID string, closed bool) error {
	return s.onUser(userID, func(u *user) error {
		u.ClosedDM = closed
		return nil
	})
}

// DMsClosed is whether the user refuses messages from the bot.
func (s *Server) DMsClosed(user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.w.users[user]
	return u != nil && u.ClosedDM
}

// ArchiveThread archives or revives a thread.
func (s *Server) ArchiveThread(thread string, archived bool) error {
	return s.onThread(thread, func(t *channel) { t.Archived, t.ArchivedAt = archived, s.now() })
}

// LockThread locks or unlocks a thread.
func (s *Server) LockThread(thread string, locked bool) error {
	return s.onThread(thread, func(t *channel) { t.Locked = locked })
}

// AddMember puts a user into a guild.
func (s *Server) AddMember(guildID, userID string) error {
	return s.onGuild(guildID, func(g *guild) error {
		if s.person(userID) == nil {
			return fmt.Errorf("user %q: %w", userID, ErrUnknownUser)
		}
		if g.Members[userID] == nil {
			s.join(g, userID)
		}
		return nil
	})
}

// RemoveMember takes a user out of a guild.
func (s *Server) RemoveMember(guildID, userID string) error {
	return s.onGuild(guildID, func(g *guild) error {
		if g.Members[userID] == nil {
			return fmt.Errorf("member %q: %w", userID, ErrUnknownUser)
		}
		delete(g.Members, userID)
		s.save(g)
		s.channelsChanged()
		if g.BotIn {
			s.dispatchMember("GUILD_MEMBER_REMOVE", object{"guild_id": g.ID, "user": s.w.users[userID].User})
		}
		return nil
	})
}

// KickBot removes the bot from a guild: GUILD_DELETE. Its commands of that guild
// go with it.
func (s *Server) KickBot(guildID string) error {
	return s.onGuild(guildID, func(g *guild) error {
		if g.BotIn {
			s.removeBot(g)
		}
		return nil
	})
}

func (s *Server) removeBot(g *guild) {
	g.BotIn = false
	s.save(g)
	for _, c := range s.commandsIn(g.ID) {
		delete(s.w.commands, c.ID)
		s.erase(c)
	}
	s.channelsChanged()
	s.commandsChanged()
	s.dispatchGuild("GUILD_DELETE", object{"id": g.ID})
}

// InviteBot puts the bot into a guild: GUILD_CREATE.
func (s *Server) InviteBot(guildID string) error {
	return s.onGuild(guildID, func(g *guild) error {
		if g.BotIn {
			return nil
		}
		s.putBot(g)
		s.channelsChanged()
		s.commandsChanged()
		s.dispatchGuild("GUILD_CREATE", s.guildCreate(g))
		return nil
	})
}

// GuildUnavailable starts an outage of a guild (GUILD_DELETE with unavailable) or
// ends it (GUILD_CREATE).
func (s *Server) GuildUnavailable(guildID string, unavailable bool) error {
	return s.onGuild(guildID, func(g *guild) error {
		if g.Unavailable == unavailable {
			return nil
		}
		g.Unavailable = unavailable
		s.save(g)
		s.channelsChanged()
		switch {
		case !g.BotIn:
		case unavailable:
			s.dispatchGuild("GUILD_DELETE", object{"id": g.ID, "unavailable": true})
		default:
			s.dispatchGuild("GUILD_CREATE", s.guildCreate(g))
		}
		return nil
	})
}

// Expire notices what has run out by the clock: unanswered interactions fail,
// deferred replies whose token is over give up, old nonces are forgotten. Only
// needed when the clock is moved by hand.
func (s *Server) Expire() {
	// Every update begins by noticing what has run out.
	if err := s.update(func() error { return nil }); err != nil {
		s.log.Debug("expire", "error", err)
	}
}

func (s *Server) onGuild(id string, f func(*guild) error) error {
	return s.update(func() error {
		g := s.w.guilds[id]
		if g == nil {
			return fmt.Errorf("guild %q: %w", id, ErrNotFound)
		}
		return f(g)
	})
}

func (s *Server) onChannel(id string, f func(*channel) error) error {
	return s.update(func() error {
		c := s.w.channels[id]
		if c == nil {
			return fmt.Errorf("channel %q: %w", id, ErrNotFound)
		}
		return f(c)
	})
}

func (s *Server) onUser(id string, f func(*user) error) error {
	return s.update(func() error {
		u := s.person(id)
		if u == nil {
			return fmt.Errorf("user %q: %w", id, ErrUnknownUser)
		}
		if err := f(u); err != nil {
			return err
		}
		s.save(u)
		return nil
	})
}

func (s *Server) onThread(id string, f func(*channel)) error {
	return s.onChannel(id, func(t *channel) error {
		if !t.isThread() {
			return fmt.Errorf("channel %q is no thread: %w", id, ErrInvalidValue)
		}
		f(t)
		s.save(t)
		s.channelChanged(t, "THREAD_UPDATE")
		return nil
	})
}
