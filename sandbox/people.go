package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// Ping is one notification of one user.
type Ping struct {
	ChannelID string `json:"channel_id"`
	MessageID string `json:"message_id"`
	Why       string `json:"why"` // "mention", "everyone", "reply" or "dm"
}

// people are the users without the bot, in the order they joined.
func (s *Server) people() []*user {
	out := make([]*user, 0, len(s.w.users))
	for _, u := range s.w.users {
		if !u.Bot {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b *user) int { return a.Order - b.Order })
	return out
}

// Users are the people, in the order they joined, without the bot.
func (s *Server) Users() []User {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []User
	for _, u := range s.people() {
		out = append(out, u.User)
	}
	return out
}

// Bot is the bot's user.
func (s *Server) Bot() User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.users[s.appID].User
}

// Guilds are the guilds the user is a member of; all there are when user is empty.
func (s *Server) Guilds(user string) []Guild {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Guild
	for _, g := range s.sortedGuilds() {
		if user == "" || g.Members[user] != nil {
			out = append(out, s.guildView(g))
		}
	}
	return out
}

func (s *Server) guildView(g *guild) Guild {
	v := Guild{ID: g.ID, Name: g.Name, OwnerID: g.OwnerID, Unavailable: g.Unavailable, Locale: g.locale()}
	for _, u := range s.people() {
		if g.Members[u.ID] != nil {
			v.Members = append(v.Members, u.ID)
		}
	}
	if g.BotIn {
		v.Members = append(v.Members, s.appID)
	}
	return v
}

// Channels are the channels, threads and DMs the user can see, grouped by guild,
// threads behind their channel, DMs last.
func (s *Server) Channels(user string) ([]Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.person(user) == nil {
		return nil, fmt.Errorf("list channels of %q: %w", user, ErrUnknownUser)
	}
	var out []Channel
	for _, g := range s.sortedGuilds() {
		for _, c := range s.sortedChannels(g.ID) {
			if s.memberBits(c, user).has(PermViewChannel) {
				out = append(out, s.channelView(c, user))
			}
		}
	}
	for _, id := range sortedIDs(s.w.channels) {
		if c := s.w.channels[id]; c.Type == ChannelDM && c.Recipient == user {
			out = append(out, s.channelView(c, user))
		}
	}
	return out, nil
}

func (s *Server) person(id string) *user {
	if u := s.w.users[id]; u != nil && !u.Bot {
		return u
	}
	return nil
}

func (s *Server) channelView(c *channel, user string) Channel {
	v := Channel{
		ID: c.ID, Type: c.Type, GuildID: c.GuildID, ParentID: c.ParentID, Name: c.Name, Topic: c.Topic, Position: c.Position,
		Archived: c.Archived, Locked: c.Locked, LastMessage: c.newest(), CanSend: s.canSend(c, user) == nil,
	}
	if c.Type == ChannelDM {
		v.Name = s.w.users[s.appID].Name()
	}
	return v
}

// canSend is why a person may not write in a channel, or nil.
func (s *Server) canSend(c *channel, user string) error {
	bits := s.memberBits(c, user)
	need := PermSendMessages
	if c.isThread() {
		need = PermSendInThreads
	}
	switch {
	case !bits.has(PermViewChannel):
		return ErrNotVisible
	case !bits.has(need) || c.Type == ChannelForum, c.Locked && !bits.has(PermManageThreads):
		return ErrForbidden
	}
	return nil
}

// look is a channel as far as the person can see it.
func (s *Server) look(user, channelID string) (*channel, error) {
	if s.person(user) == nil {
		return nil, fmt.Errorf("user %q: %w", user, ErrUnknownUser)
	}
	c := s.w.channels[channelID]
	if c == nil || !s.memberBits(c, user).has(PermViewChannel) {
		return nil, fmt.Errorf("channel %q: %w", channelID, ErrNotVisible)
	}
	return c, nil
}

// lookAt is a message as far as the person can see it.
func (s *Server) lookAt(user, channelID, messageID string) (*channel, *message, error) {
	c, err := s.look(user, channelID)
	if err != nil {
		return nil, nil, err
	}
	m := c.find(messageID)
	if m == nil || !m.sees(user) {
		return nil, nil, fmt.Errorf("message %q: %w", messageID, ErrNotVisible)
	}
	return c, m, nil
}

// Messages are what the user sees in a channel, oldest first: ephemeral ones only
// when they are for this user and not dismissed.
func (s *Server) Messages(user, channel string) ([]Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.look(user, channel)
	if err != nil {
		return nil, err
	}
	out := []Message{}
	for _, m := range c.messages {
		if m.sees(user) {
			out = append(out, s.forUser(m, user))
		}
	}
	return out, nil
}

// Message is one message as the user sees it.
func (s *Server) Message(user, channel, message string) (Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.lookAt(user, channel, message)
	if err != nil {
		return Message{}, err
	}
	return s.forUser(m, user), nil
}

// Commands are the slash commands the user is offered in a channel.
func (s *Server) Commands(user, channel string) ([]Command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.look(user, channel)
	if err != nil {
		return nil, err
	}
	return s.offered(user, c), nil
}

// offered are the commands a client lists: those of the guild and the global ones,
// where the bot is, the context fits and the member may.
func (s *Server) offered(user string, c *channel) []Command {
	out := []Command{}
	if s.mayUseCommands(user, c) != nil {
		return out
	}
	where := 0
	if c.Type == ChannelDM {
		where = 1
	}
	bits := s.memberBits(c, user)
	for _, id := range sortedIDs(s.w.commands) {
		cmd := s.w.commands[id].Command
		if cmd.Type != 1 || cmd.GuildID != "" && cmd.GuildID != c.GuildID {
			continue
		}
		if cmd.Contexts != nil && !slices.Contains(cmd.Contexts, where) {
			continue
		}
		if p := cmd.DefaultMemberPermissions; p != nil && where == 0 && !bits.has(parsePermissions(*p)) {
			continue
		}
		out = append(out, cmd)
	}
	return out
}

// mayUseCommands is why no command works for this person here, or nil.
func (s *Server) mayUseCommands(user string, c *channel) error {
	if c.Type == ChannelDM {
		return nil
	}
	if g := s.w.guilds[c.GuildID]; g == nil || !g.BotIn {
		return fmt.Errorf("the bot is not in this guild: %w", ErrUnknownCommand)
	}
	if c.Archived || c.Locked && !s.memberBits(c, user).has(PermManageThreads) {
		return fmt.Errorf("the thread is archived or locked: %w", ErrForbidden)
	}
	if !s.memberBits(c, user).has(PermUseCommands) {
		return ErrForbidden
	}
	return nil
}

// Pings are what notified the user, in order.
func (s *Server) Pings(user string) []Ping {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.w.users[user]; u != nil {
		return slices.Clone(u.Pings)
	}
	return nil
}

// livePings are those of the user's pings that lead somewhere still: what was deleted, or can't be seen
// any more, waits for nobody.
func (s *Server) livePings(user string) (list []Ping) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.w.users[user]
	if u == nil {
		return nil
	}
	for _, p := range u.Pings {
		if c := s.w.channels[p.ChannelID]; c == nil || !s.memberBits(c, user).has(PermViewChannel) {
			continue
		} else if m := c.find(p.MessageID); m != nil && m.sees(user) {
			list = append(list, p)
		}
	}
	return list
}

// Say writes a plain message as the user.
func (s *Server) Say(ctx context.Context, user, channel, content string) (Message, error) {
	var out Message
	err := s.asPerson(ctx, func() error {
		c, err := s.look(user, channel)
		if err != nil {
			return err
		}
		if err := s.canSend(c, user); err != nil {
			return err
		}
		if strings.TrimSpace(content) == "" || utf16Len(content) > maxContent {
			return fmt.Errorf("a message has 1 to %d characters: %w", maxContent, ErrInvalidValue)
		}
		m := s.newMessage(c, user)
		m.Content = content
		s.readMentions(m, c, allowedMentions{allUsers: true, everyone: s.memberBits(c, user).has(PermMentionEveryone)})
		s.publishNew(c, m)
		out = s.forUser(m, user)
		return nil
	})
	return out, err
}

// asPerson is update for the people's side.
func (s *Server) asPerson(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.update(f)
}
