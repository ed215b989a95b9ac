package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

var appRoutes = []route{
	{method: "GET", pattern: "/gateway", serve: (*Server).getGateway},
	{method: "GET", pattern: "/gateway/bot", serve: (*Server).getGatewayBot},
	{method: "GET", pattern: "/users/@me", serve: (*Server).getMe},
	{method: "GET", pattern: "/users/@me/guilds", serve: (*Server).myGuilds},
	{method: "DELETE", pattern: "/users/@me/guilds/{guild}", serve: (*Server).leaveGuild},
	{method: "POST", pattern: "/users/@me/channels", serve: (*Server).openDM},
	{method: "GET", pattern: "/users/{user}", serve: (*Server).getUser},
	{method: "GET", pattern: "/oauth2/applications/@me", serve: (*Server).getApplication},
	{method: "GET", pattern: "/applications/@me", serve: (*Server).getApplication},
}

var guildRoutes = []route{
	{method: "GET", pattern: "/guilds/{guild}", serve: (*Server).getGuild},
	{method: "GET", pattern: "/guilds/{guild}/channels", serve: (*Server).guildChannels},
	{method: "GET", pattern: "/guilds/{guild}/roles", serve: (*Server).getRoles},
	{method: "GET", pattern: "/guilds/{guild}/members/{user}", serve: (*Server).getMember},
	{method: "GET", pattern: "/guilds/{guild}/members", serve: (*Server).listMembers},
	{method: "GET", pattern: "/guilds/{guild}/threads/active", serve: (*Server).activeThreads},
}

var channelRoutes = []route{
	{method: "GET", pattern: "/channels/{channel}", serve: (*Server).getChannel},
	{method: "PATCH", pattern: "/channels/{channel}", serve: (*Server).changeChannel},
	{method: "DELETE", pattern: "/channels/{channel}", serve: (*Server).deleteChannelRoute},
	{method: "POST", pattern: "/channels/{channel}/threads", serve: (*Server).startThread},
	{method: "POST", pattern: "/channels/{channel}/messages/{message}/threads", serve: (*Server).startThreadFrom},
	{method: "PUT", pattern: "/channels/{channel}/thread-members/@me", serve: (*Server).joinThread},
	{method: "PUT", pattern: "/channels/{channel}/thread-members/{user}", serve: (*Server).joinThread},
	{method: "DELETE", pattern: "/channels/{channel}/thread-members/{user}", serve: (*Server).joinThread},
}

func (s *Server) getGateway(c *call) (int, any, error) {
	return ok(object{"url": "ws" + strings.TrimPrefix(c.base, "http") + "/gateway"})
}

func (s *Server) getGatewayBot(c *call) (int, any, error) {
	used, reset := 0, time.Duration(0)
	if w := s.windows["identify"]; w != nil && s.now().Before(w.ends) {
		used, reset = w.n, w.ends.Sub(s.now())
	}
	total := s.limits.Identify.N
	if total < 0 {
		total, used = 1000, 0
	}
	return ok(object{"url": "ws" + strings.TrimPrefix(c.base, "http") + "/gateway", "shards": 1, "session_start_limit": object{
		"total": total, "remaining": max(0, total-used), "reset_after": reset.Milliseconds(), "max_concurrency": 1,
	}})
}

// getMe is the bot's user with what only itself sees.
func (s *Server) getMe(*call) (int, any, error) {
	u := s.w.users[s.appID]
	return ok(object{
		"id": u.ID, "username": u.Username, "discriminator": u.Discriminator, "global_name": u.GlobalName, "avatar": nil,
		"bot": true, "public_flags": 0, "flags": 0, "primary_guild": nil, "mfa_enabled": true, "locale": "en-US",
		"premium_type": 0, "email": nil, "verified": true, "banner": nil, "accent_color": nil, "bio": "",
	})
}

func (s *Server) myGuilds(*call) (int, any, error) {
	out := []object{}
	for _, g := range s.sortedGuilds() {
		if g.BotIn {
			out = append(out, object{"id": g.ID, "name": g.Name, "icon": nil, "banner": nil, "owner": false, "permissions": g.BotBits.String(), "features": []string{}})
		}
	}
	return ok(out)
}

func (s *Server) leaveGuild(c *call) (int, any, error) {
	g := s.w.guilds[c.path("guild")]
	if g == nil || !g.BotIn {
		return 0, nil, errUnknownGuild()
	}
	s.removeBot(g)
	return done()
}

func (s *Server) openDM(c *call) (int, any, error) {
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	var id string
	if v.object("recipient_id") {
		id = v.need("recipient_id").snowflake()
	}
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	u := s.w.users[id]
	switch {
	case u == nil:
		return 0, nil, errUnknownUser()
	case u.Bot:
		return 0, nil, errRecipient()
	}
	if _, wait, room := s.take("dm", s.limits.OpenDM); !room {
		refusal := errOpeningDMs()
		refusal.header = tooMany(wait, false, "user", "").header
		return 0, nil, refusal
	}
	ch, made := s.dmWith(id)
	if made {
		s.channelsChanged()
	}
	return ok(s.channelObject(ch))
}

func (s *Server) getUser(c *call) (int, any, error) {
	u := s.w.users[c.path("user")]
	if u == nil {
		return 0, nil, errUnknownUser()
	}
	return ok(u.User)
}

func (s *Server) getApplication(*call) (int, any, error) {
	bot := s.w.users[s.appID].User
	owner := bot
	for _, u := range s.people() {
		owner = u.User
		break
	}
	guilds := 0
	for _, g := range s.w.guilds {
		if g.BotIn {
			guilds++
		}
	}
	return ok(object{
		"id": s.appID, "name": bot.Name(), "icon": nil, "description": "", "type": nil, "bot": bot, "summary": "",
		"bot_public": true, "bot_require_code_grant": false, "integration_types_config": object{"0": object{}},
		"verify_key": strings.Repeat("0", 64), "flags": 0, "flags_new": "0", "hook": true, "is_monetized": false,
		"redirect_uris": []string{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil,
		"owner": owner, "approximate_guild_count": guilds, "approximate_user_install_count": 0,
		"approximate_user_authorization_count": 0, "explicit_content_filter": 0, "team": nil,
		"event_webhooks_status": 1, "eligible_oauth2_scopes": []string{},
	})
}

// botGuild is the guild of the path, if the bot is in it.
func (s *Server) botGuild(c *call) (*guild, error) {
	g := s.w.guilds[c.path("guild")]
	switch {
	case g == nil:
		return nil, errUnknownGuild()
	case !g.BotIn:
		return nil, errMissingAccess()
	case g.Unavailable:
		return nil, errOverloaded()
	}
	return g, nil
}

func (s *Server) getGuild(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(s.guildObject(g))
}

func (s *Server) guildChannels(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	out := []object{}
	for _, ch := range s.sortedChannels(g.ID) {
		if !ch.isThread() && s.botBits(ch).has(PermViewChannel) {
			out = append(out, s.channelObject(ch))
		}
	}
	return ok(out)
}

func (s *Server) getRoles(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(s.guildRoles(g))
}

func (s *Server) getMember(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	id := c.path("user")
	switch {
	case s.w.users[id] == nil:
		return 0, nil, errUnknownUser()
	case g.Members[id] == nil && id != s.appID:
		return 0, nil, errUnknownMember()
	}
	return ok(s.memberObject(g, id))
}

// listMembers needs the privileged members intent, which this application has not.
func (s *Server) listMembers(c *call) (int, any, error) {
	if _, err := s.botGuild(c); err != nil {
		return 0, nil, err
	}
	return 0, nil, errMissingAccess()
}

func (s *Server) activeThreads(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	threads := []object{}
	for _, ch := range s.sortedChannels(g.ID) {
		if ch.isThread() && !ch.Archived && s.botBits(ch).has(PermViewChannel) {
			threads = append(threads, s.channelObject(ch))
		}
	}
	return ok(object{"threads": threads, "members": []any{}, "has_more": false})
}

func (s *Server) getChannel(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(s.channelObject(ch))
}

// changeChannel changes a channel's name and topic, or a thread's state.
func (s *Server) changeChannel(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	if ch.Type == ChannelDM {
		return 0, nil, errChannelType()
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	known := []string{"name", "topic", "rate_limit_per_user", "nsfw", "position"}
	if ch.isThread() {
		known = []string{"name", "archived", "locked", "auto_archive_duration", "rate_limit_per_user", "invitable"}
	}
	name, topic, archived, locked, after := ch.Name, ch.Topic, ch.Archived, ch.Locked, ch.AutoArchive
	if v.object(known...) {
		if f := v.get("name"); f.set {
			name = f.str(1, 100)
		}
		if f := v.get("topic"); f.set {
			topic = f.str(0, 1024)
		}
		if f := v.get("archived"); f.set {
			archived = f.boolean()
		}
		if f := v.get("locked"); f.set {
			locked = f.boolean()
		}
		if f := v.get("auto_archive_duration"); !f.null() {
			after = int(f.oneOf(60, 1440, 4320, 10080))
		}
	}
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	if err := s.mayChange(ch, locked != ch.Locked, archived && !ch.Archived || name != ch.Name); err != nil {
		return 0, nil, err
	}
	if ch.Archived && archived {
		return 0, nil, errArchived()
	}
	if name != ch.Name || topic != ch.Topic {
		if _, wait, room := s.take("channel/"+ch.ID, s.limits.Channel); !room {
			return 0, nil, tooMany(wait, false, "shared", "You are being rate limited.")
		}
	}
	if archived != ch.Archived {
		ch.ArchivedAt = s.now()
	}
	ch.Name, ch.Topic, ch.Archived, ch.Locked, ch.AutoArchive = name, topic, archived, locked, after
	s.save(ch)
	if ch.isThread() {
		s.channelChanged(ch, "THREAD_UPDATE")
	} else {
		s.channelChanged(ch, "CHANNEL_UPDATE")
	}
	return ok(s.channelObject(ch))
}

// mayChange is whether the bot may change a channel: a channel with Manage
// Channels; a thread with Manage Threads, its own without, and anybody who can
// write there revives one that is not locked.
func (s *Server) mayChange(ch *channel, lock, more bool) error {
	bits := s.botBits(ch)
	switch {
	case !ch.isThread() && !bits.has(PermManageChannels):
		return errMissingPermission()
	case !ch.isThread() || bits.has(PermManageThreads):
		return nil
	case lock:
		return errMissingPermission()
	case more && ch.OwnerID != s.appID:
		return errMissingPermission()
	case ch.Locked:
		return errThreadLocked()
	case !bits.has(PermSendInThreads):
		return errMissingPermission()
	}
	return nil
}

func (s *Server) deleteChannelRoute(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	o := s.channelObject(ch)
	switch bits := s.botBits(ch); {
	case ch.Type == ChannelDM: // closes it for the bot; it stays the same channel
		return ok(o)
	case ch.isThread() && !bits.has(PermManageThreads), !ch.isThread() && !bits.has(PermManageChannels):
		return 0, nil, errMissingPermission()
	}
	s.dropChannel(ch)
	return ok(o)
}

// readThread checks the body of a new thread.
func (s *Server) readThread(c *call, fromMessage bool) (name string, typ, autoArchive int, err error) {
	v, refusal := c.read()
	if refusal != nil {
		return "", 0, 0, refusal
	}
	known := []string{"name", "auto_archive_duration", "rate_limit_per_user"}
	if !fromMessage {
		known = append(known, "type", "invitable")
	}
	typ, autoArchive = ChannelPublicThread, 1440
	if v.object(known...) {
		name = v.get("name").str(1, 100)
		if f := v.get("auto_archive_duration"); !f.null() {
			autoArchive = int(f.oneOf(60, 1440, 4320, 10080))
		}
		v.get("rate_limit_per_user").integer(0, 21600)
		v.get("invitable").boolean()
		if !fromMessage {
			if typ = int(v.get("type").oneOf(ChannelPublicThread, ChannelPrivateThread)); typ == 0 {
				typ = ChannelPrivateThread
			}
		}
	}
	if err := v.err(); err != nil {
		return "", 0, 0, err
	}
	return name, typ, autoArchive, nil
}

func (s *Server) startThread(c *call) (int, any, error) { return s.openThread(c, false) }

func (s *Server) startThreadFrom(c *call) (int, any, error) { return s.openThread(c, true) }

func (s *Server) openThread(c *call, fromMessage bool) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	if ch.Type != ChannelText {
		return 0, nil, errChannelType()
	}
	var m *message
	if fromMessage {
		if m = ch.find(c.path("message")); m == nil || m.Addressee != "" {
			return 0, nil, errUnknownMessage()
		}
		if m.ThreadID != "" {
			return 0, nil, errThreadExists()
		}
	}
	name, typ, after, err := s.readThread(c, fromMessage)
	if err != nil {
		return 0, nil, err
	}
	need := PermCreatePublicThreads
	if typ == ChannelPrivateThread {
		need = PermCreatePrivateThread
	}
	if !s.botBits(ch).has(need) {
		return 0, nil, errMissingPermission()
	}
	id := ""
	if m != nil {
		id = m.ID
		m.ThreadID = id
		s.save(m)
	} else {
		id = s.newID()
	}
	t := s.makeThread(ch, id, name, s.appID, typ, after)
	s.channelChanged(t, "THREAD_CREATE")
	return http.StatusCreated, s.channelObject(t), nil
}

// joinThread takes part in or leaves a thread, which changes nothing here: every
// member sees every thread.
func (s *Server) joinThread(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	id := c.path("user")
	switch {
	case !ch.isThread():
		return 0, nil, errChannelType()
	case ch.Archived:
		return 0, nil, errArchived()
	case id != "" && id != "@me" && s.w.users[id] == nil:
		return 0, nil, errUnknownUser()
	}
	return done()
}

func (s *Server) ownApp(c *call) error {
	if c.path("app") != s.appID {
		return errUnknownApp()
	}
	return nil
}

func sortedIDs[T any](m map[string]T) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		switch {
		case idLess(a, b):
			return -1
		case idLess(b, a):
			return 1
		}
		return 0
	})
	return ids
}

// commandRoutes are the same for the application and for one guild.
var commandRoutes = slices.Concat(commandRoutesUnder("/applications/{app}/commands"), commandRoutesUnder("/applications/{app}/guilds/{guild}/commands"))

func commandRoutesUnder(path string) []route {
	return []route{
		{method: "GET", pattern: path, serve: (*Server).listCommands},
		{method: "POST", pattern: path, serve: (*Server).createCommand},
		{method: "PUT", pattern: path, serve: (*Server).replaceCommands},
		{method: "GET", pattern: path + "/{command}", serve: (*Server).getCommand},
		{method: "PATCH", pattern: path + "/{command}", serve: (*Server).editCommand},
		{method: "DELETE", pattern: path + "/{command}", serve: (*Server).deleteCommand},
	}
}

// commandScope is the guild id of the path, "" for global commands.
func (s *Server) commandScope(c *call) (string, error) {
	if err := s.ownApp(c); err != nil {
		return "", err
	}
	id := c.path("guild")
	if id == "" {
		return "", nil
	}
	if _, err := s.botGuild(c); err != nil {
		return "", err
	}
	return id, nil
}

func (s *Server) commandsIn(guildID string) []*command {
	out := []*command{}
	for _, id := range sortedIDs(s.w.commands) {
		if c := s.w.commands[id]; c.GuildID == guildID {
			out = append(out, c)
		}
	}
	return out
}

func (s *Server) listCommands(c *call) (int, any, error) {
	scope, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(commandObjects(s.commandsIn(scope), c.query("with_localizations") == "true"))
}

// commandObjects leaves the localizations out unless they are asked for.
func commandObjects(list []*command, localized bool) []Command {
	out := []Command{}
	for _, cmd := range list {
		o := cmd.Command
		if !localized {
			o.NameLocalizations, o.DescriptionLocalizations = nil, nil
			o.Options = withoutLocalizations(o.Options)
		}
		out = append(out, o)
	}
	return out
}

func withoutLocalizations(list []CommandOption) []CommandOption {
	out := slices.Clone(list)
	for i := range out {
		o := &out[i]
		o.NameLocalizations, o.DescriptionLocalizations = nil, nil
		o.Options = withoutLocalizations(o.Options)
		o.Choices = slices.Clone(o.Choices)
		for j := range o.Choices {
			o.Choices[j].NameLocalizations = nil
		}
	}
	return out
}

func (s *Server) createCommand(c *call) (int, any, error) {
	scope, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	cmd := readCommand(v, false, scope != "")
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	had := s.commandsIn(scope)
	stored := s.putCommand(scope, cmd, had)
	status := http.StatusCreated
	if slices.Contains(had, stored) {
		status = http.StatusOK
	} else if tooManyCommands(append(had, stored)) {
		delete(s.w.commands, stored.ID)
		s.erase(stored)
		return 0, nil, errTooManyCommands()
	}
	s.commandsChanged()
	return status, stored.Command, nil
}

// putCommand stores a command: in place of the one of the same type and name, or
// as a new one. The version changes only when something else does.
func (s *Server) putCommand(scope string, cmd Command, had []*command) *command {
	cmd.ApplicationID, cmd.GuildID = s.appID, scope
	for _, old := range had {
		if old.Name == cmd.Name && old.Type == cmd.Type {
			cmd.ID, cmd.Version = old.ID, old.Version
			if !sameCommand(old.Command, cmd) {
				cmd.Version = s.newID()
			}
			old.Command = cmd
			s.save(old)
			return old
		}
	}
	cmd.ID = s.newID()
	cmd.Version = s.newID()
	stored := &command{cmd}
	s.w.commands[cmd.ID] = stored
	s.save(stored)
	return stored
}

func (s *Server) replaceCommands(c *call) (int, any, error) {
	scope, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	list := readCommands(v, scope != "")
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	probe := make([]*command, len(list))
	for i := range list {
		probe[i] = &command{list[i]}
	}
	if tooManyCommands(probe) {
		return 0, nil, errTooManyCommands()
	}
	had := s.commandsIn(scope)
	kept := []*command{}
	for _, cmd := range list {
		kept = append(kept, s.putCommand(scope, cmd, had))
	}
	for _, old := range had {
		if !slices.Contains(kept, old) {
			delete(s.w.commands, old.ID)
			s.erase(old)
		}
	}
	s.commandsChanged()
	return ok(commandObjects(kept, true))
}

func (s *Server) findCommand(c *call) (*command, error) {
	scope, err := s.commandScope(c)
	if err != nil {
		return nil, err
	}
	cmd := s.w.commands[c.path("command")]
	if cmd == nil || cmd.GuildID != scope {
		return nil, errUnknownCommand()
	}
	return cmd, nil
}

func (s *Server) getCommand(c *call) (int, any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(cmd.Command)
}

func (s *Server) editCommand(c *call) (int, any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return 0, nil, err
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	n := readCommand(v, true, cmd.GuildID != "")
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	changed := cmd.Command
	for name, apply := range map[string]func(){
		"name":                       func() { changed.Name = n.Name },
		"name_localizations":         func() { changed.NameLocalizations = n.NameLocalizations },
		"description":                func() { changed.Description = n.Description },
		"description_localizations":  func() { changed.DescriptionLocalizations = n.DescriptionLocalizations },
		"options":                    func() { changed.Options = n.Options },
		"default_member_permissions": func() { changed.DefaultMemberPermissions = n.DefaultMemberPermissions },
		"contexts":                   func() { changed.Contexts = n.Contexts },
		"integration_types":          func() { changed.IntegrationTypes = n.IntegrationTypes },
		"nsfw":                       func() { changed.NSFW = n.NSFW },
	} {
		if v.get(name).set {
			apply()
		}
	}
	for _, other := range s.commandsIn(cmd.GuildID) {
		if other != cmd && other.Name == changed.Name && other.Type == changed.Type {
			v.get("name").fail("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
			return 0, nil, v.err()
		}
	}
	if !sameCommand(cmd.Command, changed) {
		changed.Version = s.newID()
	}
	cmd.Command = changed
	s.save(cmd)
	s.commandsChanged()
	return ok(cmd.Command)
}

func (s *Server) deleteCommand(c *call) (int, any, error) {
	cmd, err := s.findCommand(c)
	if err != nil {
		return 0, nil, err
	}
	delete(s.w.commands, cmd.ID)
	s.erase(cmd)
	s.commandsChanged()
	return done()
}
