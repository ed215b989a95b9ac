package sandbox

import (
	"context"
	"encoding/json"
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
	v := Guild{ID: g.ID, Name: g.Name, OwnerID: g.OwnerID, Unavailable: g.Unavailable}
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
		Archived: c.Archived, Locked: c.Locked, LastMessage: c.LastMessage, CanSend: s.canSend(c, user) == nil,
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

// OpenDM is the user's DM channel with the bot, opened when there is none yet.
func (s *Server) OpenDM(user string) (Channel, error) {
	var out Channel
	err := s.update(func() error {
		if s.person(user) == nil {
			return fmt.Errorf("user %q: %w", user, ErrUnknownUser)
		}
		c, made := s.dmWith(user)
		if made {
			s.channelsChanged()
		}
		out = s.channelView(c, user)
		return nil
	})
	return out, err
}

// Dismiss removes an ephemeral message from its addressee's sight for good.
func (s *Server) Dismiss(user, channel, message string) error {
	return s.update(func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		if m.Addressee == "" {
			return fmt.Errorf("only an ephemeral message can be dismissed: %w", ErrForbidden)
		}
		m.Dismissed = true
		s.save(m)
		s.messageGone(c, m)
		return nil
	})
}

// Press presses a button the user can see and press.
func (s *Server) Press(ctx context.Context, user, channel, message, customID string) (*Interaction, error) {
	return s.use(ctx, user, channel, message, customID, nil, func(c *Component) error {
		if c.Type != TypeButton {
			return fmt.Errorf("%q is not a button: %w", customID, ErrNoComponent)
		}
		return nil
	})
}

// Select chooses in a select menu the user can see and use.
func (s *Server) Select(ctx context.Context, user, channel, message, customID string, values ...string) (*Interaction, error) {
	return s.use(ctx, user, channel, message, customID, values, func(c *Component) error {
		if !isSelect(c.Type) {
			return fmt.Errorf("%q is not a select: %w", customID, ErrNoComponent)
		}
		return s.checkSelection(c, values, true)
	})
}

func isSelect(typ int) bool {
	return typ == TypeStringSelect || typ >= TypeUserSelect && typ <= TypeChannelSelect
}

// checkSelection is what a client makes sure of before it sends a selection.
func (s *Server) checkSelection(c *Component, values []string, required bool) error {
	least, most := 1, 1
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	if !required && len(values) == 0 {
		return nil
	}
	if len(values) < least || len(values) > most {
		return fmt.Errorf("%d values where %d to %d are chosen: %w", len(values), least, most, ErrInvalidValue)
	}
	for i, v := range values {
		known := slices.Contains(values[:i], v)
		switch c.Type {
		case TypeStringSelect:
			known = known || !slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == v })
		case TypeUserSelect:
			known = known || s.w.users[v] == nil
		case TypeChannelSelect:
			known = known || s.w.channels[v] == nil
		}
		if known {
			return fmt.Errorf("%q is twice there or not among the options: %w", v, ErrInvalidValue)
		}
	}
	return nil
}

// use sends a press or a selection on a component that is there and enabled.
func (s *Server) use(ctx context.Context, user, channel, message, customID string, values []string, check func(*Component) error) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		component, err := findComponent(m.Components, customID)
		if err != nil {
			return err
		}
		if component.Disabled {
			return fmt.Errorf("%q: %w", customID, ErrDisabled)
		}
		if err := check(component); err != nil {
			return err
		}
		out = s.startComponent(user, c, m, component.Type, component.ID, customID, values)
		return nil
	})
	return out, err
}

func (s *Server) startComponent(user string, c *channel, m *message, typ, id int, customID string, values []string) *Interaction {
	data := object{"component_type": typ, "custom_id": customID, "id": id}
	if isSelect(typ) {
		if values == nil {
			values = []string{}
		}
		data["values"] = values
		if r := s.resolve(c, typ, values); r != nil {
			data["resolved"] = r
		}
	}
	return s.start(&interaction{typ: interactionComponent, user: user, channel: c, message: m}, data)
}

// resolve is the "resolved" of chosen users and channels.
func (s *Server) resolve(c *channel, typ int, ids []string) object {
	users, members, channels := object{}, object{}, object{}
	for _, id := range ids {
		if u := s.w.users[id]; u != nil && typ != TypeChannelSelect {
			users[id] = u.User
			if g := s.w.guilds[c.GuildID]; g != nil && g.Members[id] != nil {
				m := s.memberObject(g, id)
				delete(m, "user")
				delete(m, "deaf")
				delete(m, "mute")
				m["permissions"] = s.memberBits(c, id).String()
				members[id] = m
			}
		}
		if ch := s.w.channels[id]; ch != nil && typ == TypeChannelSelect {
			channels[id] = s.partialChannel(ch, id)
		}
	}
	out := object{}
	for name, m := range map[string]object{"users": users, "members": members, "channels": channels} {
		if len(m) > 0 {
			out[name] = m
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// ForgePress sends any custom id as a press on any message the user can see, as a
// modified client can. componentType is TypeButton or a select's, with values.
func (s *Server) ForgePress(ctx context.Context, user, channel, message string, componentType int, customID string, values ...string) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		out = s.startComponent(user, c, m, componentType, 1, customID, values)
		return nil
	})
	return out, err
}

// SendRaw sends an interaction of the given type (2 command, 3 component, 4
// autocomplete, 5 modal) whose data is the caller's JSON, unchecked. message may
// be empty.
func (s *Server) SendRaw(ctx context.Context, user, channel, message string, interactionType int, data json.RawMessage) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, err := s.look(user, channel)
		if err != nil {
			return err
		}
		i := &interaction{typ: interactionType, user: user, channel: c, option: OptionString}
		if message != "" {
			if _, i.message, err = s.lookAt(user, channel, message); err != nil {
				return err
			}
		}
		if !json.Valid(data) {
			return fmt.Errorf("the data is not JSON: %w", ErrInvalidValue)
		}
		out = s.start(i, data)
		return nil
	})
	return out, err
}

// SubmitModal sends the form which the given interaction opened. values maps
// custom ids to what was filled in; a select in a modal takes several.
func (s *Server) SubmitModal(ctx context.Context, user, interactionID string, values map[string][]string) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		opened := s.live[interactionID]
		switch {
		case opened == nil || opened.user != user || opened.modal == nil:
			return fmt.Errorf("modal of interaction %q: %w", interactionID, ErrNotVisible)
		case opened.submitted:
			return fmt.Errorf("the modal was sent already: %w", ErrForbidden)
		case s.w.channels[opened.channel.ID] == nil:
			return fmt.Errorf("channel %q: %w", opened.channel.ID, ErrNotVisible)
		}
		fields, err := s.fillModal(opened.modal.Components, values)
		if err != nil {
			return err
		}
		opened.submitted = true
		i := &interaction{typ: interactionModal, user: user, channel: opened.channel, message: opened.message, meta: s.metadata(opened)}
		out = s.start(i, object{"custom_id": opened.modal.CustomID, "components": fields})
		return nil
	})
	return out, err
}

// fillModal is the components of a submission.
func (s *Server) fillModal(list []Component, values map[string][]string) ([]object, error) {
	known, out := 0, []object{}
	for i := range list {
		c := &list[i]
		o := object{"type": c.Type, "id": c.ID}
		switch c.Type {
		case TypeActionRow:
			var inner []object
			for j := range c.Components {
				f, err := s.fillField(&c.Components[j], values, &known)
				if err != nil {
					return nil, err
				}
				inner = append(inner, f)
			}
			o["components"] = inner
		case TypeLabel:
			f, err := s.fillField(c.Component, values, &known)
			if err != nil {
				return nil, err
			}
			o["component"] = f
		}
		out = append(out, o)
	}
	if known != len(values) {
		return nil, fmt.Errorf("values for fields the modal does not have: %w", ErrInvalidValue)
	}
	return out, nil
}

func (s *Server) fillField(c *Component, values map[string][]string, known *int) (object, error) {
	given, filled := values[c.CustomID]
	if filled {
		*known++
	}
	required := c.Required == nil || *c.Required
	o := object{"type": c.Type, "id": c.ID, "custom_id": c.CustomID}
	if c.Type != TypeTextInput {
		if err := s.checkSelection(c, given, required); err != nil {
			return nil, err
		}
		o["values"] = append([]string{}, given...)
		return o, nil
	}
	text := c.Value
	if filled {
		text = strings.Join(given, "\n")
	}
	least, most := 0, 4000
	if c.MinLength != nil {
		least = *c.MinLength
	}
	if c.MaxLength != nil {
		most = *c.MaxLength
	}
	if required {
		least = max(least, 1)
	}
	if n := utf16Len(text); n > most || n < least && (required || n > 0) {
		return nil, fmt.Errorf("%q takes %d to %d characters: %w", c.CustomID, least, most, ErrInvalidValue)
	}
	o["value"] = text
	return o, nil
}

// EventType says what changed.
type EventType string

// The types of events.
const (
	EventMessage     EventType = "message"     // new or changed: Message
	EventDelete      EventType = "delete"      // gone or dismissed: Message has its ids only
	EventChannels    EventType = "channels"    // the list of channels changed
	EventCommands    EventType = "commands"    // the list of commands changed
	EventInteraction EventType = "interaction" // one of the user's own: Interaction and Result
	EventPing        EventType = "ping"        // a notification: Message
	EventResync      EventType = "resync"      // the subscriber was too slow: read everything anew
)

// Event tells one user's page what changed.
type Event struct {
	Type        EventType `json:"type"`
	ChannelID   string    `json:"channel_id,omitempty"`
	Message     *Message  `json:"message,omitempty"`
	Interaction string    `json:"interaction,omitempty"`
	Result      *Result   `json:"result,omitempty"`
}

// subscriber is one live page.
type subscriber struct {
	user   string
	events chan Event
	missed bool
}

const subscriberQueue = 256

func (sub *subscriber) end() { close(sub.events) }

// Subscribe sends the user's events from now on, in order, until cancel is called
// (the channel is closed then, and by Close). A subscriber who falls behind gets
// one EventResync in place of what it missed.
func (s *Server) Subscribe(user string) (events <-chan Event, cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := &subscriber{user: user, events: make(chan Event, subscriberQueue)}
	if s.closed {
		sub.end()
		return sub.events, func() {}
	}
	s.subs[sub] = true
	return sub.events, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.subs[sub] {
			delete(s.subs, sub)
			sub.end()
		}
	}
}

// deliver hands an event to the user's pages now, without waiting for any.
func (s *Server) deliver(user string, e Event) {
	for sub := range s.subs {
		if sub.user != user {
			continue
		}
		if sub.missed && len(sub.events) > subscriberQueue/2 {
			continue // it will read everything anew anyway
		}
		if sub.missed {
			sub.missed = false
			sub.events <- Event{Type: EventResync}
		}
		if len(sub.events) >= subscriberQueue-1 { // the last place is for the resync
			sub.missed = true
			sub.events <- Event{Type: EventResync}
			continue
		}
		sub.events <- e
	}
}

// emit delivers an event once everything is stored.
func (s *Server) emit(user string, e Event) {
	s.tell(func() { s.deliver(user, e) })
}

// messageChanged tells everybody who sees the message.
func (s *Server) messageChanged(c *channel, m *message) {
	for user := range s.watchers() {
		if m.sees(user) && s.memberBits(c, user).has(PermViewChannel) {
			view := s.forUser(m, user)
			s.emit(user, Event{Type: EventMessage, ChannelID: c.ID, Message: &view})
		}
	}
}

func (s *Server) messageGone(c *channel, m *message) {
	for user := range s.watchers() {
		if (m.Addressee == "" || m.Addressee == user) && s.memberBits(c, user).has(PermViewChannel) {
			s.emit(user, Event{Type: EventDelete, ChannelID: c.ID, Message: &Message{ID: m.ID, ChannelID: c.ID}})
		}
	}
}

// watchers are the users with a page open.
func (s *Server) watchers() map[string]bool {
	out := map[string]bool{}
	for sub := range s.subs {
		out[sub.user] = true
	}
	return out
}

func (s *Server) everyWatcher(e Event) {
	for user := range s.watchers() {
		s.emit(user, e)
	}
}

func (s *Server) channelsChanged() { s.everyWatcher(Event{Type: EventChannels}) }

func (s *Server) commandsChanged() { s.everyWatcher(Event{Type: EventCommands}) }

// channelChanged tells the people, and the bot if it sees the channel.
func (s *Server) channelChanged(c *channel, event string) {
	s.channelsChanged()
	if s.botBits(c).has(PermViewChannel) {
		s.dispatchGuild(event, s.channelObject(c))
	}
}
