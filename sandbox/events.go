package sandbox

// EventType says what changed.
type EventType string

// The types of events.
const (
	EventMessage     EventType = "message"     // new or changed: Message
	EventDelete      EventType = "delete"      // gone or dismissed: Message has its ids only
	EventChannels    EventType = "channels"    // the list of channels changed
	EventCommands    EventType = "commands"    // the list of commands changed
	EventEmojis      EventType = "emojis"      // the application's emojis changed
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
