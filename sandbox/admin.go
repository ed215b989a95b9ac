package sandbox

// AddUser adds a person to the world and to the given guilds.
func (s *Server) AddUser(name string, guilds ...string) (User, error) { return s.addUser(name, guilds) }

// AddGuild adds a guild owned by the first of the members; the bot is in it only
// after InviteBot.
func (s *Server) AddGuild(name string, members ...string) (Guild, error) {
	return s.addGuild(name, members)
}

// AddChannel adds a text channel that all members of the guild see.
func (s *Server) AddChannel(guild, name string) (Channel, error) {
	return s.addChannel(guild, name, ChannelText)
}

// AddChannelOfType adds a channel of another type, say ChannelForum.
func (s *Server) AddChannelOfType(guild, name string, typ int) (Channel, error) {
	return s.addChannel(guild, name, typ)
}

// AddThread adds a public thread in a text channel.
func (s *Server) AddThread(channel, name string) (Channel, error) { return s.addThread(channel, name) }

// DeleteChannel deletes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(channel string) error { return s.deleteChannel(channel) }

// DeleteMessage deletes a message as a moderator does.
func (s *Server) DeleteMessage(channel, message string) error {
	return s.deleteMessage(channel, message)
}

// SetPermissions sets what the bot may do in a guild, or, given a channel's id, in
// that channel and its threads.
func (s *Server) SetPermissions(guildOrChannel string, bits Permissions) error {
	return s.setPermissions(guildOrChannel, bits)
}

// SetMemberPermissions sets what a member may do in a guild.
func (s *Server) SetMemberPermissions(guild, user string, bits Permissions) error {
	return s.setMemberPermissions(guild, user, bits)
}

// CloseDMs makes the user refuse messages from the bot (50007), or accept them.
func (s *Server) CloseDMs(user string, closed bool) error { return s.closeDMs(user, closed) }

// ArchiveThread archives or revives a thread.
func (s *Server) ArchiveThread(thread string, archived bool) error {
	return s.archiveThread(thread, archived)
}

// LockThread locks or unlocks a thread.
func (s *Server) LockThread(thread string, locked bool) error { return s.lockThread(thread, locked) }

// RemoveMember takes a user out of a guild.
func (s *Server) RemoveMember(guild, user string) error { return s.removeMember(guild, user) }

// AddMember puts a user into a guild.
func (s *Server) AddMember(guild, user string) error { return s.addMember(guild, user) }

// KickBot removes the bot from a guild: GUILD_DELETE.
func (s *Server) KickBot(guild string) error { return s.kickBot(guild) }

// InviteBot puts the bot into a guild: GUILD_CREATE.
func (s *Server) InviteBot(guild string) error { return s.inviteBot(guild) }

// GuildUnavailable starts an outage of a guild (GUILD_DELETE with unavailable) or
// ends it (GUILD_CREATE).
func (s *Server) GuildUnavailable(guild string, unavailable bool) error {
	return s.guildUnavailable(guild, unavailable)
}

// SetLocale sets a user's language, "en-US" at first.
func (s *Server) SetLocale(user, locale string) error { return s.setLocale(user, locale) }

// Expire notices what has run out by the clock: unanswered interactions fail,
// deferred replies whose token is over give up, old nonces are forgotten. Only
// needed when the clock is moved by hand.
func (s *Server) Expire() { s.expire() }
