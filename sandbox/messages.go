package sandbox

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	oldMessage  = time.Hour       // older ones can be edited only so often
	nonceMemory = 5 * time.Minute // how long a nonce keeps a message from doubling
)

type nonceEntry struct {
	at          time.Time
	channel, id string
}

var messageRoutes = []route{
	{method: "GET", pattern: "/channels/{channel}/messages", serve: (*Server).listMessages},
	{method: "GET", pattern: "/channels/{channel}/messages/{message}", serve: (*Server).getMessage},
	{method: "POST", pattern: "/channels/{channel}/messages", limit: limitCreate, serve: (*Server).createMessage},
	{method: "PATCH", pattern: "/channels/{channel}/messages/{message}", limit: limitEdit, serve: (*Server).editMessage},
	{method: "DELETE", pattern: "/channels/{channel}/messages/{message}", limit: limitDelete, serve: (*Server).removeMessage},
	{method: "PUT", pattern: "/channels/{channel}/messages/pins/{message}", serve: (*Server).pinMessage},
	{method: "DELETE", pattern: "/channels/{channel}/messages/pins/{message}", serve: (*Server).unpinMessage},
	{method: "POST", pattern: "/channels/{channel}/typing", serve: (*Server).typing},
}

// visibleChannel is the channel of the path, if the bot can see it.
func (s *Server) visibleChannel(c *call) (*channel, error) {
	ch := s.w.channels[c.path("channel")]
	if ch == nil {
		return nil, errUnknownChannel()
	}
	if ch.Type == ChannelDM {
		return ch, nil
	}
	if g := s.w.guilds[ch.GuildID]; g != nil && g.BotIn && g.Unavailable {
		return nil, errOverloaded()
	}
	if !s.botBits(ch).has(PermViewChannel) {
		return nil, errMissingAccess()
	}
	return ch, nil
}

// mayPost is whether the bot may write a new message in a channel it can see.
func (s *Server) mayPost(ch *channel) error {
	switch {
	case ch.Type == ChannelDM:
		if s.w.users[ch.Recipient].ClosedDM {
			return errCannotDM()
		}
		if !s.mutualGuild(ch.Recipient) {
			return errNoMutualGuild()
		}
		return nil
	case ch.Type == ChannelForum:
		return errNotText()
	}
	bits := s.botBits(ch)
	need := PermSendMessages
	if ch.isThread() {
		need = PermSendInThreads
		if ch.Locked && !bits.has(PermManageThreads) {
			return errThreadLocked()
		}
	}
	if !bits.has(need) {
		return errMissingPermission()
	}
	return nil
}

// mayCarry is whether the bot's permissions allow what the draft holds.
func (s *Server) mayCarry(ch *channel, c *call, d *draft) error {
	bits := s.botBits(ch)
	if len(c.files) > 0 && !bits.has(PermAttachFiles) || len(d.embeds) > 0 && !bits.has(PermEmbedLinks) {
		return errMissingPermission()
	}
	return nil
}

func (s *Server) hasEmoji(id string) bool { return s.w.emojis[id] != nil }

func (s *Server) createMessage(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	if err := s.mayPost(ch); err != nil {
		return 0, nil, err
	}
	d, err := s.readMessage(c, channelCreate, nil)
	if err != nil {
		return 0, nil, err
	}
	if err := s.mayCarry(ch, c, d); err != nil {
		return 0, nil, err
	}
	if d.reference != "" && ch.find(d.reference) == nil {
		d.root.get("message_reference").fail("REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		return 0, nil, d.root.err()
	}
	if d.enforceNonce && d.nonce != nil {
		if n, known := s.nonces[string(d.nonce)]; known && s.now().Sub(n.at) < nonceMemory && n.channel == ch.ID {
			if m := ch.find(n.id); m != nil {
				return ok(s.forBot(m, c.base, false))
			}
		}
	}
	m := s.newMessage(ch, s.appID)
	if d.reference != "" {
		m.Type = 19
		m.MessageReference = &MessageReference{MessageID: d.reference, ChannelID: ch.ID, GuildID: ch.GuildID}
	}
	s.fill(m, ch, c, d)
	if d.nonce != nil {
		m.Nonce = d.nonce
		s.nonces[string(d.nonce)] = nonceEntry{s.now(), ch.ID, m.ID}
	}
	s.publishNew(ch, m)
	return ok(s.forBot(m, c.base, false))
}

// readMessage reads and checks a message body for its kind. old is the message it
// edits, or nil.
func (s *Server) readMessage(c *call, kind draftKind, old *message) (*draft, error) {
	v, refusal := c.read()
	if refusal != nil {
		return nil, refusal
	}
	return s.checkMessage(c, v, kind, old)
}

func (s *Server) checkMessage(c *call, v value, kind draftKind, old *message) (*draft, error) {
	var before *Message
	var attachments []Attachment
	if old != nil {
		before, attachments = &old.Message, old.Attachments
	}
	d := readDraft(v, kind, before, s.hasEmoji)
	c.checkFiles(d, attachments)
	if err := v.err(); err != nil {
		return nil, err
	}
	if d.tooBig {
		return nil, errInternal()
	}
	if before == nil && d.empty(len(c.files)) {
		return nil, errEmptyMessage()
	}
	if before != nil && s.emptied(before, d, len(c.files)) {
		return nil, errEmptyMessage()
	}
	return d, nil
}

// emptied is whether nothing would be left of the message after the edit. A
// deferred reply has nothing yet, so its edit must bring something.
func (s *Server) emptied(old *Message, d *draft, uploads int) bool {
	content, embeds, components, files := old.Content, len(old.Embeds), len(old.Components), len(old.Attachments)
	if d.hasContent {
		content = d.content
	}
	if d.hasEmbeds {
		embeds = len(d.embeds)
	}
	if d.hasComponents {
		components = len(d.components)
	}
	if d.hasFiles {
		files = len(d.files)
	}
	return strings.TrimSpace(content) == "" && embeds == 0 && components == 0 && files+uploads == 0
}

// newMessage makes an empty message; publishNew shows it.
func (s *Server) newMessage(ch *channel, author string) *message {
	now := s.now()
	m := &message{Sent: now, Message: Message{
		ID: s.newID(), ChannelID: ch.ID, GuildID: ch.GuildID, Author: s.w.users[author].User, Timestamp: stamp(now),
		Mentions: []User{}, MentionRoles: []string{}, Embeds: []json.RawMessage{}, Attachments: []Attachment{}, Components: []Component{},
	}}
	if author == s.appID {
		m.ApplicationID = s.appID
	}
	return m
}

// fill puts what a draft says into a message, new or old.
func (s *Server) fill(m *message, ch *channel, c *call, d *draft) {
	if d.hasContent || !d.kind.edits() {
		m.Content = d.content
	}
	if d.hasEmbeds {
		m.Embeds = d.embeds
	}
	ephemeral := m.Addressee != ""
	if d.hasFiles || len(c.files) > 0 {
		m.Attachments = s.applyFiles(c, d, ch.ID, m.Attachments, ephemeral)
	}
	if d.hasComponents || d.components != nil {
		m.Components = d.components
	}
	s.resolveMedia(m.Components, m.Attachments, c.base)
	m.TTS = m.TTS || d.tts
	const mine = FlagSuppressEmbeds | FlagSuppressNotifications | FlagComponentsV2
	if d.kind.edits() {
		m.Flags |= d.flags & FlagComponentsV2
		if d.hasFlags {
			m.Flags = m.Flags&^FlagSuppressEmbeds | d.flags&FlagSuppressEmbeds
		}
	} else {
		m.Flags |= d.flags & mine
	}
	s.readMentions(m, ch, d.allowed)
	s.save(m)
}

var (
	userMention = regexp.MustCompile(`<@!?(\d{1,20})>`)
	roleMention = regexp.MustCompile(`<@&(\d{1,20})>`)
)

// readMentions finds whom a message mentions, and whom the new one notifies: those
// the sender allowed, who can see the channel.
func (s *Server) readMentions(m *message, ch *channel, allowed allowedMentions) {
	text := m.Content
	walk(m.Components, func(c *Component) {
		if c.Type == TypeTextDisplay {
			text += "\n" + c.Content
		}
	})
	m.Mentions, m.MentionRoles = []User{}, []string{}
	pinged := map[string]string{}
	see := func(id string) bool { return s.memberBits(ch, id).has(PermViewChannel) }
	for _, match := range userMention.FindAllStringSubmatch(text, -1) {
		u := s.w.users[match[1]]
		if u == nil || !(allowed.allUsers || slices.Contains(allowed.users, u.ID)) {
			continue
		}
		if !slices.ContainsFunc(m.Mentions, func(o User) bool { return o.ID == u.ID }) {
			m.Mentions = append(m.Mentions, u.User)
		}
		if see(u.ID) {
			pinged[u.ID] = "mention"
		}
	}
	for _, match := range roleMention.FindAllStringSubmatch(text, -1) {
		if (allowed.allRoles || slices.Contains(allowed.roles, match[1])) && !slices.Contains(m.MentionRoles, match[1]) {
			m.MentionRoles = append(m.MentionRoles, match[1])
		}
	}
	m.MentionEveryone = false
	if g := s.w.guilds[ch.GuildID]; g != nil && allowed.everyone && (strings.Contains(text, "@everyone") || strings.Contains(text, "@here")) {
		if m.Author.ID != s.appID || s.botBits(ch).has(PermMentionEveryone) {
			m.MentionEveryone = true
			for id := range g.Members {
				if _, already := pinged[id]; !already && see(id) {
					pinged[id] = "everyone"
				}
			}
		}
	}
	if ref := m.MessageReference; ref != nil && m.InteractionMetadata == nil && allowed.repliedUser {
		if to := ch.find(ref.MessageID); to != nil && !to.Author.Bot && see(to.Author.ID) {
			if _, already := pinged[to.Author.ID]; !already {
				pinged[to.Author.ID] = "reply"
			}
		}
	}
	if m.EditedTimestamp == nil && m.Flags&FlagLoading == 0 && m.Pinged == nil {
		m.Pinged = pinged
	}
}

// publishNew puts a finished new message into its channel and tells everybody.
func (s *Server) publishNew(ch *channel, m *message) {
	ch.messages = append(ch.messages, m)
	s.save(m)
	if m.Addressee == "" {
		ch.LastMessage, ch.Sent = m.ID, ch.Sent+1
		if ch.isThread() && ch.Archived {
			ch.Archived, ch.ArchivedAt = false, s.now()
			s.channelChanged(ch, "THREAD_UPDATE")
		}
		s.save(ch)
	}
	s.notify(ch, m)
	s.messageChanged(ch, m)
	if m.Addressee == "" && m.Flags&FlagLoading == 0 {
		s.dispatchMessage("MESSAGE_CREATE", ch, m)
	}
}

// notify records the pings of a message, once.
func (s *Server) notify(ch *channel, m *message) {
	if m.Flags&FlagSuppressNotifications != 0 || m.Flags&FlagLoading != 0 {
		return
	}
	why := m.Pinged
	if ch.Type == ChannelDM && m.Author.ID != ch.Recipient && m.InteractionMetadata == nil {
		why = map[string]string{ch.Recipient: "dm"}
		m.Pinged = why
	}
	for _, u := range s.people() {
		reason, pinged := why[u.ID]
		if !pinged || u.ID == m.Author.ID || m.Addressee != "" && m.Addressee != u.ID {
			continue
		}
		u.Pings = append(u.Pings, Ping{ChannelID: ch.ID, MessageID: m.ID, Why: reason})
		s.save(u)
		view := s.forUser(m, u.ID)
		s.emit(u.ID, Event{Type: EventPing, ChannelID: ch.ID, Message: &view})
	}
}

func (s *Server) editMessage(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	m, err := s.botsMessage(ch, c.path("message"))
	if err != nil {
		return 0, nil, err
	}
	if ch.Archived {
		return 0, nil, errArchived()
	}
	d, err := s.readMessage(c, channelEdit, m)
	if err != nil {
		return 0, nil, err
	}
	if err := s.mayCarry(ch, c, d); err != nil {
		return 0, nil, err
	}
	if s.now().Sub(m.Sent) > oldMessage {
		if _, wait, room := s.take("old/"+ch.ID, s.limits.OldEdit); !room {
			refusal := errOldEdits()
			refusal.header = tooMany(wait, false, "user", "").header
			refusal.retry = &rateLimited{after: wait}
			return 0, nil, refusal
		}
	}
	s.edit(m, ch, c, d)
	return ok(s.forBot(m, c.base, false))
}

// edit applies a draft to a message that is there already.
func (s *Server) edit(m *message, ch *channel, c *call, d *draft) {
	loading := m.Flags&FlagLoading != 0
	m.Flags &^= FlagLoading
	if !loading {
		now := stamp(s.now())
		m.EditedTimestamp = &now
	}
	s.fill(m, ch, c, d)
	if loading {
		s.notify(ch, m)
	}
	s.messageChanged(ch, m)
	if m.Addressee == "" {
		s.dispatchMessage("MESSAGE_UPDATE", ch, m)
	}
}

// botsMessage is a message of the bot that its channel routes can reach: ephemeral
// ones they cannot.
func (s *Server) botsMessage(ch *channel, id string) (*message, error) {
	m := ch.find(id)
	switch {
	case m == nil || m.Addressee != "":
		return nil, errUnknownMessage()
	case m.Author.ID != s.appID:
		return nil, errNotAuthor()
	}
	return m, nil
}

func (s *Server) getMessage(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	m := ch.find(c.path("message"))
	if m == nil || m.Addressee != "" {
		return 0, nil, errUnknownMessage()
	}
	if !s.botBits(ch).has(PermReadHistory) {
		return 0, nil, errMissingPermission()
	}
	return ok(s.forBot(m, c.base, false))
}

func (s *Server) listMessages(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	limit := 50
	if q := c.query("limit"); q != "" {
		n, err := strconv.Atoi(q)
		if err != nil || n < 1 || n > 100 {
			p := &problems{}
			p.add([]string{"limit"}, "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
			return 0, nil, errForm(p)
		}
		limit = n
	}
	out := []Message{}
	before, after := c.query("before"), c.query("after")
	for i := len(ch.messages) - 1; i >= 0 && len(out) < limit; i-- {
		m := ch.messages[i]
		if m.Addressee != "" || before != "" && !idLess(m.ID, before) || after != "" && !idLess(after, m.ID) {
			continue
		}
		if s.botBits(ch).has(PermReadHistory) {
			out = append(out, s.forBot(m, c.base, false))
		}
	}
	return ok(out)
}

func (s *Server) removeMessage(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	m := ch.find(c.path("message"))
	switch {
	case m == nil || m.Addressee != "":
		return 0, nil, errUnknownMessage()
	case m.Author.ID != s.appID && ch.Type == ChannelDM:
		return 0, nil, refuse(403, 50003, "Cannot execute action on a DM channel")
	case m.Author.ID != s.appID && !s.botBits(ch).has(PermManageMessages):
		return 0, nil, errMissingPermission()
	case ch.Archived:
		return 0, nil, errArchived()
	}
	s.dropMessage(ch, m)
	return done()
}

// dropMessage removes a message for everybody.
func (s *Server) dropMessage(ch *channel, m *message) {
	ch.remove(m)
	s.erase(m)
	for _, a := range m.Attachments {
		s.dropFile(a.ID)
	}
	s.messageGone(ch, m)
	if m.Addressee == "" {
		s.dispatchMessage("MESSAGE_DELETE", ch, m)
	}
}

func (s *Server) pinMessage(c *call) (int, any, error)   { return s.setPin(c, true) }
func (s *Server) unpinMessage(c *call) (int, any, error) { return s.setPin(c, false) }

func (s *Server) setPin(c *call, pinned bool) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	m := ch.find(c.path("message"))
	if m == nil || m.Addressee != "" {
		return 0, nil, errUnknownMessage()
	}
	if ch.Type != ChannelDM && !s.botBits(ch).has(PermPinMessages) {
		return 0, nil, errMissingPermission()
	}
	m.Pinned = pinned
	s.save(m)
	s.messageChanged(ch, m)
	return done()
}

func (s *Server) typing(c *call) (int, any, error) {
	ch, err := s.visibleChannel(c)
	if err != nil {
		return 0, nil, err
	}
	if err := s.mayPost(ch); err != nil {
		return 0, nil, err
	}
	return done()
}

// forBot is a message as the bot gets it: addresses absolute, nothing of the
// people's side. gateway adds the guild, which REST leaves out.
func (s *Server) forBot(m *message, base string, gateway bool) Message {
	out := m.Message
	out.View = nil
	if !gateway {
		out.GuildID = ""
	}
	if len(out.Attachments) > 0 || hasMedia(out.Components) {
		out.Attachments = slices.Clone(out.Attachments)
		for i := range out.Attachments {
			a := &out.Attachments[i]
			a.URL, a.ProxyURL = absolute(base, a.URL), absolute(base, a.ProxyURL)
		}
		out.Components = cloneComponents(out.Components)
		eachMedia(out.Components, func(md *Media) {
			md.URL, md.ProxyURL = absolute(base, md.URL), absolute(base, md.ProxyURL)
		})
	}
	return out
}

func hasMedia(list []Component) (found bool) {
	eachMedia(list, func(*Media) { found = true })
	return found
}

func absolute(base, address string) string {
	if strings.HasPrefix(address, "/") {
		return base + address
	}
	return address
}

// cloneComponents copies deep enough for changing media.
func cloneComponents(list []Component) []Component {
	out := slices.Clone(list)
	for i := range out {
		c := &out[i]
		c.Components = cloneComponents(c.Components)
		c.Items = slices.Clone(c.Items)
		c.Media, c.File = clone(c.Media), clone(c.File)
		if c.Accessory != nil {
			c.Accessory = &cloneComponents([]Component{*c.Accessory})[0]
		}
		if c.Component != nil {
			c.Component = &cloneComponents([]Component{*c.Component})[0]
		}
	}
	return out
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// forUser is a message as one person sees it. It shares nothing that is written to
// later: an edit replaces lists as a whole.
func (s *Server) forUser(m *message, userID string) Message {
	out := m.Message
	out.Attachments = slices.Clone(out.Attachments)
	_, pinged := m.Pinged[userID]
	out.View = &MessageView{
		Ephemeral: m.Addressee != "", Thinking: m.Flags&FlagLoading != 0 && m.Failed == "", Failed: m.Failed,
		PingsMe: pinged && m.Flags&FlagSuppressNotifications == 0, Command: m.Command,
	}
	return out
}

// sees is whether a person sees a message of a channel they can see.
func (m *message) sees(userID string) bool {
	return m.Addressee == "" || m.Addressee == userID && !m.Dismissed
}
