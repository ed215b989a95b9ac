package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

const (
	firstAnswer = 3 * time.Second  // to acknowledge an interaction
	tokenLife   = 15 * time.Minute // to edit and follow up
	maxLive     = 50_000           // interactions remembered; under such a load tokens die early
)

// What a client writes when nothing comes.
const (
	textFailed     = "This interaction failed"
	textNoResponse = "The application did not respond"
)

// Interaction types.
const (
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

// Callback types.
const (
	callbackMessage       = 4
	callbackDefer         = 5
	callbackDeferUpdate   = 6
	callbackMessageUpdate = 7
	callbackAutocomplete  = 8
	callbackModal         = 9
)

// interaction is one interaction while its token lives.
type interaction struct {
	id, token string
	typ       int
	user      string
	channel   *channel
	created   time.Time
	payload   object
	command   string   // "/paladin new"
	message   *message // the component's
	meta      *InteractionMetadata
	option    int // of an autocompletion: the type of the focused option

	callback  int
	original  *message // what @original means
	outcome   Outcome
	modal     *Modal
	submitted bool
	choices   []Choice
	followups []*message
	text      string
	quiet     bool          // the deferred reply was deleted
	dead      bool          // forgotten: the token is over
	changed   chan struct{} // closed at the next change
	stop      func() bool   // the timer of the three seconds
}

func (i *interaction) stopTimer() {
	if i.stop != nil {
		i.stop()
		i.stop = nil
	}
}

// announce wakes who waits.
func (i *interaction) announce() {
	close(i.changed)
	i.changed = make(chan struct{})
}

// settled is whether the person sees an answer.
func (i *interaction) settled() bool {
	switch i.outcome {
	case Waiting, Thinking:
		return false
	case Acknowledged:
		return len(i.followups) > 0 || i.quiet || i.dead
	}
	return true
}

// start makes an interaction of a person and hands it to the bot.
func (s *Server) start(i *interaction, data any) *Interaction {
	i.id, i.token = s.newID(), randomText(120)
	i.created, i.outcome, i.changed = s.now(), Waiting, make(chan struct{})
	i.payload = s.interactionObject(i, data)
	s.live[i.id], s.byToken[i.token] = i, i
	s.queue, s.waiting = append(s.queue, i), append(s.waiting, i)
	if s.after != nil {
		i.stop = s.after(firstAnswer+time.Millisecond, s.Expire)
	}
	s.dispatchInteraction(i)
	s.tellInteraction(i)
	return &Interaction{ID: i.id, s: s, entry: i}
}

// interactionObject is the INTERACTION_CREATE payload but for the message, whose
// addresses depend on the connection.
func (s *Server) interactionObject(i *interaction, data any) object {
	u := s.w.users[i.user]
	o := object{
		"version": 1, "id": i.id, "application_id": s.appID, "type": i.typ, "token": i.token, "data": data,
		"channel_id": i.channel.ID, "channel": s.partialChannel(i.channel, i.user), "locale": u.Locale,
		"entitlements": []any{}, "attachment_size_limit": maxFileSize,
		"app_permissions": s.botBits(i.channel).String(),
	}
	if i.channel.Type == ChannelDM {
		o["context"], o["user"] = 1, u.User
		o["authorizing_integration_owners"] = map[string]string{"0": "0"}
		return o
	}
	g := s.w.guilds[i.channel.GuildID]
	m := s.memberObject(g, i.user)
	m["permissions"] = s.memberBits(i.channel, i.user).String()
	o["context"], o["member"], o["guild_id"], o["guild_locale"] = 0, m, g.ID, g.locale()
	o["guild"] = object{"id": g.ID, "locale": g.locale(), "features": []string{}}
	o["authorizing_integration_owners"] = map[string]string{"0": g.ID}
	return o
}

func (s *Server) partialChannel(ch *channel, userID string) object {
	o := s.channelObject(ch)
	o["permissions"] = s.memberBits(ch, userID).String()
	return o
}

// metadata is what the messages of an interaction say about it.
func (s *Server) metadata(i *interaction) *InteractionMetadata {
	owner := "0"
	if i.channel.GuildID != "" {
		owner = i.channel.GuildID
	}
	m := &InteractionMetadata{ID: i.id, Type: i.typ, User: s.w.users[i.user].User, AuthorizingIntegrationOwners: map[string]string{"0": owner}}
	switch i.typ {
	case interactionCommand:
		m.Name, m.CommandType = i.command, 1
	case interactionComponent:
		if i.message != nil {
			m.InteractedMessageID = i.message.ID
		}
	case interactionModal:
		m.TriggeringInteraction = i.meta
	}
	return m
}

// sweep notices what has run out.
func (s *Server) sweep() {
	now := s.now()
	for len(s.waiting) > 0 {
		i := s.waiting[0]
		if i.outcome == Waiting && now.Sub(i.created) <= firstAnswer {
			break
		}
		s.waiting = s.waiting[1:]
		if i.outcome == Waiting {
			s.failInteraction(i)
		}
	}
	for len(s.queue) > maxLive || len(s.queue) > 0 && now.Sub(s.queue[0].created) > tokenLife {
		i := s.queue[0]
		s.queue = s.queue[1:]
		i.dead = true
		delete(s.live, i.id)
		delete(s.byToken, i.token)
		if i.outcome == Thinking {
			if s.originalStands(i) {
				i.original.Failed = textNoResponse
				s.save(i.original)
				s.messageChanged(i.channel, i.original)
			}
			s.failInteraction(i)
		} else if i.outcome == Acknowledged {
			s.tellInteraction(i)
		}
	}
	if len(s.nonces) > 1000 {
		for key, n := range s.nonces {
			if now.Sub(n.at) >= nonceMemory {
				delete(s.nonces, key)
			}
		}
	}
}

func (s *Server) failInteraction(i *interaction) {
	i.stopTimer()
	i.outcome, i.text = Failed, textFailed
	if i.typ == interactionCommand || i.typ == interactionAutocomplete {
		i.text = textNoResponse
	}
	s.tellInteraction(i)
}

// tellInteraction tells the person and whoever waits, once all is stored.
func (s *Server) tellInteraction(i *interaction) {
	s.tell(func() {
		i.announce()
		r := s.resultOf(i)
		s.deliver(i.user, Event{Type: EventInteraction, ChannelID: i.channel.ID, Interaction: i.id, Result: &r})
	})
}

func (s *Server) resultOf(i *interaction) Result {
	r := Result{Outcome: i.outcome, Callback: i.callback, Modal: i.modal, Choices: i.choices, Text: i.text}
	if i.original != nil {
		m := s.forUser(i.original, i.user)
		r.Message = &m
	}
	for _, f := range i.followups {
		r.Followups = append(r.Followups, s.forUser(f, i.user))
	}
	return r
}

// Result is how it stands now.
func (i *Interaction) Result() Result {
	i.s.mu.Lock()
	defer i.s.mu.Unlock()
	return i.s.resultOf(i.entry)
}

// First waits until the bot has answered in any way, deferral included, or the
// three seconds are over.
func (i *Interaction) First(ctx context.Context) (Result, error) {
	return i.until(ctx, func(e *interaction) bool { return e.outcome != Waiting })
}

// Wait waits until the person has an answer: a deferred one (5 or 6) counts when
// its edit or a follow-up has come, or its token has run out.
func (i *Interaction) Wait(ctx context.Context) (Result, error) {
	return i.until(ctx, (*interaction).settled)
}

func (i *Interaction) until(ctx context.Context, reached func(*interaction) bool) (Result, error) {
	for {
		i.s.mu.Lock()
		r, changed, closed := i.s.resultOf(i.entry), i.entry.changed, i.s.closed
		there := reached(i.entry)
		i.s.mu.Unlock()
		switch {
		case there:
			return r, nil
		case closed:
			return r, ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return r, fmt.Errorf("wait for interaction %s (%s): %w", i.ID, r.Outcome, ctx.Err())
		}
	}
}

// Interaction finds an interaction by its id. Those whose token has run out are
// forgotten.
func (s *Server) Interaction(id string) (*Interaction, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.live[id]
	if i == nil {
		return nil, false
	}
	return &Interaction{ID: id, s: s, entry: i}, true
}

var interactionRoutes = []route{
	{method: "POST", pattern: "/interactions/{id}/{token}/callback", limit: limitNone, open: true, serve: (*Server).callback},
	{method: "POST", pattern: "/webhooks/{app}/{token}", limit: limitWebhook, open: true, serve: (*Server).followUp},
	{method: "GET", pattern: "/webhooks/{app}/{token}/messages/{message}", limit: limitWebhook, open: true, serve: (*Server).getReply},
	{method: "PATCH", pattern: "/webhooks/{app}/{token}/messages/{message}", limit: limitWebhook, open: true, serve: (*Server).editReply},
	{method: "DELETE", pattern: "/webhooks/{app}/{token}/messages/{message}", limit: limitWebhook, open: true, serve: (*Server).deleteReply},
}

// callbackTypes are the answers each type of interaction takes.
func (i *interaction) callbackTypes() []int64 {
	switch i.typ {
	case interactionAutocomplete:
		return []int64{callbackAutocomplete}
	case interactionComponent:
		return []int64{callbackMessage, callbackDefer, callbackDeferUpdate, callbackMessageUpdate, callbackModal}
	case interactionModal:
		if i.message != nil {
			return []int64{callbackMessage, callbackDefer, callbackDeferUpdate, callbackMessageUpdate}
		}
		return []int64{callbackMessage, callbackDefer}
	}
	return []int64{callbackMessage, callbackDefer, callbackModal}
}

// callback is the first answer to an interaction.
func (s *Server) callback(c *call) (int, any, error) {
	i := s.live[c.path("id")]
	switch {
	case i == nil || i.token != c.path("token"):
		return 0, nil, errUnknownInteract()
	case i.callback != 0:
		return 0, nil, errAcknowledged()
	case i.outcome == Failed:
		return 0, nil, errUnknownInteract()
	case s.w.channels[i.channel.ID] == nil:
		return 0, nil, errUnknownChannel()
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	if !v.object("type", "data") {
		return 0, nil, v.err()
	}
	t := v.need("type")
	typ := int(t.oneOf(i.callbackTypes()...))
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	if err := s.applyCallback(c, i, typ, v.get("data")); err != nil {
		return 0, nil, err
	}
	i.callback = typ
	if typ != callbackDefer {
		i.stopTimer()
	}
	s.tellInteraction(i)
	if c.query("with_response") == "true" {
		return ok(s.callbackResult(i, c.base))
	}
	return done()
}

// applyCallback checks the data of a callback and does what it says; i is
// unchanged when it fails.
func (s *Server) applyCallback(c *call, i *interaction, typ int, data value) error {
	switch typ {
	case callbackMessage:
		return s.replyTo(c, i, data)
	case callbackDefer:
		flags, err := readDeferral(data)
		if err != nil {
			return err
		}
		m := s.replyMessage(i, flags&FlagEphemeral != 0)
		m.Flags |= FlagLoading
		i.original, i.outcome = m, Thinking
		s.publishNew(i.channel, m)
		i.stopTimer()
		if s.after != nil {
			i.stop = s.after(tokenLife+time.Millisecond-s.now().Sub(i.created), s.Expire)
		}
	case callbackDeferUpdate:
		if _, err := readDeferral(data); err != nil {
			return err
		}
		i.original, i.outcome = i.message, Acknowledged
	case callbackMessageUpdate:
		return s.updateWith(c, i, data)
	case callbackAutocomplete:
		if err := onlyEmpty(data, "choices"); err != nil {
			return err
		}
		choices := readChoices(data.get("choices"), i.option, maxChoices)
		if err := data.err(); err != nil {
			return err
		}
		i.choices, i.outcome = append([]Choice{}, choices...), Choices
	case callbackModal:
		return s.openModal(i, data)
	}
	return nil
}

// readDeferral reads the data of a deferral: of its flags only EPHEMERAL has an
// effect. The other fields of a reply may be there, empty or not; Discord passes
// over them.
func readDeferral(data value) (int, error) {
	if data.null() {
		return 0, nil
	}
	if !data.object(draftFields[callbackReply]...) {
		return 0, data.err()
	}
	flags := int(data.get("flags").integer(0, 1<<31-1))
	if err := data.err(); err != nil {
		return 0, err
	}
	return flags, nil
}

// replyMessage is a new message that answers an interaction.
func (s *Server) replyMessage(i *interaction, ephemeral bool) *message {
	m := s.newMessage(i.channel, s.appID)
	m.WebhookID = s.appID
	m.InteractionMetadata = s.metadata(i)
	switch {
	case i.typ == interactionCommand:
		m.Type, m.Command = 20, "/"+i.command
	case i.message != nil:
		m.Type = 19
		m.MessageReference = &MessageReference{MessageID: i.message.ID, ChannelID: i.channel.ID, GuildID: i.channel.GuildID}
	}
	if ephemeral {
		m.Addressee = i.user
		m.Flags |= FlagEphemeral
	}
	return m
}

func (s *Server) replyTo(c *call, i *interaction, data value) error {
	if data.null() {
		return errEmptyMessage()
	}
	d, err := s.checkMessage(c, data, callbackReply, nil)
	if err != nil {
		return err
	}
	m := s.replyMessage(i, d.flags&FlagEphemeral != 0)
	s.fill(m, i.channel, c, d)
	i.original, i.outcome = m, Replied
	s.publishNew(i.channel, m)
	return nil
}

func (s *Server) updateWith(c *call, i *interaction, data value) error {
	m := i.message
	if i.channel.find(m.ID) == nil {
		return errUnknownMessage()
	}
	if data.null() {
		data.raw, data.set = map[string]any{}, true
	}
	d, err := s.checkMessage(c, data, callbackUpdate, m)
	if err != nil {
		return err
	}
	i.original, i.outcome = m, Updated
	s.edit(m, i.channel, c, d)
	return nil
}

func (s *Server) openModal(i *interaction, data value) error {
	if data.null() {
		data.missing()
		return data.err()
	}
	if err := onlyEmpty(data, "custom_id", "title", "components"); err != nil {
		return err
	}
	modal := &Modal{InteractionID: i.id, CustomID: data.get("custom_id").str(1, 100), Title: data.get("title").str(1, 45)}
	k := componentCheck{where: modalForm, emojis: s.hasEmoji}
	modal.Components = k.components(data.get("components"))
	if err := data.err(); err != nil {
		return err
	}
	i.modal, i.outcome = modal, ModalOpened
	return nil
}

// onlyEmpty checks that data has nothing but the given fields, and the other fields
// of a reply only with nothing in them, as clients with one type for all answers
// send them.
func onlyEmpty(data value, fields ...string) error {
	if !data.object(append(slices.Clone(draftFields[callbackReply]), fields...)...) {
		return data.err()
	}
	for _, name := range draftFields[callbackReply] {
		f := data.get(name)
		list, _ := f.raw.([]any)
		empty := f.null() || f.raw == "" || f.raw == false || f.raw == json.Number("0") || list != nil && len(list) == 0
		if !empty && !slices.Contains(fields, name) {
			f.fail("UNKNOWN_FIELD", "This field is not known here")
		}
	}
	return nil
}

// callbackResult is the body of a callback that asked for one.
func (s *Server) callbackResult(i *interaction, base string) object {
	in := object{"id": i.id, "type": i.typ}
	out := object{"interaction": in}
	resource := object{"type": i.callback}
	if m := i.original; m != nil {
		in["response_message_id"] = m.ID
		in["response_message_loading"] = m.Flags&FlagLoading != 0
		in["response_message_ephemeral"] = m.Addressee != ""
		if i.callback == callbackMessage || i.callback == callbackDefer || i.callback == callbackMessageUpdate {
			resource["message"] = s.forBot(m, base, false)
		}
	}
	if i.callback == callbackMessage || i.callback == callbackDefer || i.callback == callbackMessageUpdate {
		out["resource"] = resource
	}
	return out
}

// tokenOf is the interaction whose token stands in the path.
func (s *Server) tokenOf(c *call) (*interaction, error) {
	i := s.byToken[c.path("token")]
	switch {
	case c.path("app") != s.appID:
		return nil, errUnknownWebhook()
	case i == nil:
		return nil, errWebhookToken()
	case i.callback == 0 || i.callback == callbackAutocomplete:
		return nil, errUnknownWebhook()
	case s.w.channels[i.channel.ID] == nil:
		return nil, errUnknownChannel()
	}
	return i, nil
}

// followUp sends one more message by an interaction's token. Right after a deferral
// it is the deferred reply, as Discord still has it.
func (s *Server) followUp(c *call) (int, any, error) {
	i, err := s.tokenOf(c)
	if err != nil {
		return 0, nil, err
	}
	d, err := s.readMessage(c, webhookCreate, nil)
	if err != nil {
		return 0, nil, err
	}
	if i.outcome == Thinking && s.originalStands(i) {
		s.finishDeferred(c, i, d)
		return ok(s.forBot(i.original, c.base, false))
	}
	m := s.newMessage(i.channel, s.appID)
	m.WebhookID, m.InteractionMetadata = s.appID, s.metadata(i)
	if i.original != nil {
		m.Type = 19
		m.MessageReference = &MessageReference{MessageID: i.original.ID, ChannelID: i.channel.ID, GuildID: i.channel.GuildID}
		m.InteractionMetadata.OriginalResponseMessageID = i.original.ID
	}
	if d.flags&FlagEphemeral != 0 {
		m.Addressee = i.user
		m.Flags |= FlagEphemeral
	}
	s.fill(m, i.channel, c, d)
	s.publishNew(i.channel, m)
	if i.outcome == Thinking { // a moderator deleted what it was to become
		i.stopTimer()
		i.outcome = Acknowledged
	}
	i.followups = append(slices.Clip(i.followups), m)
	s.tellInteraction(i)
	return ok(s.forBot(m, c.base, false))
}

// finishDeferred turns the deferred reply into what the draft says.
func (s *Server) finishDeferred(c *call, i *interaction, d *draft) {
	i.stopTimer()
	s.edit(i.original, i.channel, c, d)
	i.outcome = Replied
	s.tellInteraction(i)
}

// originalStands is whether @original is there and nobody has deleted it.
func (s *Server) originalStands(i *interaction) bool {
	return i.original != nil && s.w.channels[i.channel.ID] != nil && i.channel.find(i.original.ID) != nil
}

// replyOf is the message of the path among those the token reaches.
func (s *Server) replyOf(c *call) (*interaction, *message, error) {
	i, err := s.tokenOf(c)
	if err != nil {
		return nil, nil, err
	}
	id := c.path("message")
	if id == "@original" || i.original != nil && i.original.ID == id {
		if !s.originalStands(i) {
			return nil, nil, errUnknownMessage()
		}
		return i, i.original, nil
	}
	for _, m := range i.followups {
		if m.ID == id && i.channel.find(id) != nil {
			return i, m, nil
		}
	}
	return nil, nil, errUnknownMessage()
}

func (s *Server) getReply(c *call) (int, any, error) {
	_, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(s.forBot(m, c.base, false))
}

func (s *Server) editReply(c *call) (int, any, error) {
	i, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	d, err := s.readMessage(c, webhookEdit, m)
	if err != nil {
		return 0, nil, err
	}
	if m == i.original && i.outcome == Thinking {
		s.finishDeferred(c, i, d)
		return ok(s.forBot(m, c.base, false))
	}
	s.edit(m, i.channel, c, d)
	if m == i.original && i.outcome == Acknowledged {
		i.outcome = Updated
	}
	s.tellInteraction(i)
	return ok(s.forBot(m, c.base, false))
}

func (s *Server) deleteReply(c *call) (int, any, error) {
	i, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	if m == i.original && i.outcome == Thinking {
		i.outcome, i.quiet = Acknowledged, true
	}
	if m == i.original {
		i.original = nil
	}
	i.followups = slices.DeleteFunc(slices.Clone(i.followups), func(f *message) bool { return f == m })
	s.dropMessage(i.channel, m)
	s.tellInteraction(i)
	return done()
}

// Redeliver dispatches an interaction once more, same id and token.
func (s *Server) Redeliver(id string) error {
	return s.update(func() error {
		i := s.live[id]
		if i == nil {
			return fmt.Errorf("redeliver interaction %s: %w", id, ErrNotFound)
		}
		s.dispatchInteraction(i)
		return nil
	})
}

// dispatchInteraction sends INTERACTION_CREATE.
func (s *Server) dispatchInteraction(i *interaction) {
	s.dispatch("INTERACTION_CREATE", 0, func(base string) json.RawMessage {
		o := object{}
		for key, v := range i.payload {
			o[key] = v
		}
		if i.message != nil {
			o["message"] = s.forBot(i.message, base, false)
		}
		return mustJSON(o)
	})
}
