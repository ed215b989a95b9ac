package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// Message is what a message shall look like: always Components V2, and nobody
// is ever pinged who is not in AllowedUsers.
type Message struct {
	// Components are the whole content.
	Components []discordgo.MessageComponent
	// AllowedUsers are the user ids whose mentions ping.
	AllowedUsers []string
	// Nonce, up to 25 characters, makes a repeated CreateMessage within minutes
	// return the first message instead of sending a second one.
	Nonce string
	// Files are all the files the message shall have, at most MaxFiles. An edit
	// drops every other file the message had.
	Files []File
	// Has is what files an edited message has now, as the last MessageRef or the
	// press on it told. A file that is among them is kept and not uploaded again.
	// It may be wrong or nil at the price of an upload.
	Has []Attachment
	// Ephemeral makes a reply or follow-up private. Edits cannot change it.
	Ephemeral bool
	// Silent makes a new message come without a sound on anybody's device.
	Silent bool
}

// MessageRef is where a message is. After a success ID is empty if Discord took
// the message but its answer could not be read: the message was sent all the
// same and must not be sent again (except with the same Nonce).
type MessageRef struct {
	ID      string
	Channel string
	// Attachments are those of the message's Files of which the ids are known, for
	// Message.Has of the next edit.
	Attachments []Attachment
}

// Channel is a channel or thread as the REST API shows it.
type Channel struct {
	ID       string
	Type     int
	Guild    string
	Name     string
	ParentID string
	Archived bool
	Locked   bool
}

// Member is a member of a guild.
type Member struct {
	User        User
	Roles       []string
	Permissions uint64 // 0 if not sent
}

// Guild is a guild as the REST API shows it.
type Guild struct {
	ID      string
	Name    string
	OwnerID string
	Locale  string
}

// Application is the bot's own application.
type Application struct {
	ID   string
	Name string
}

// Permission flags the bot needs or names.
const (
	PermAdministrator         uint64 = 1 << 3
	PermManageChannels        uint64 = 1 << 4
	PermViewChannel           uint64 = 1 << 10
	PermSendMessages          uint64 = 1 << 11
	PermManageMessages        uint64 = 1 << 13
	PermEmbedLinks            uint64 = 1 << 14
	PermAttachFiles           uint64 = 1 << 15
	PermReadHistory           uint64 = 1 << 16
	PermManageThreads         uint64 = 1 << 34
	PermSendMessagesInThreads uint64 = 1 << 38
)

// Types of channels.
const (
	ChannelText          = 0
	ChannelDM            = 1
	ChannelVoice         = 2
	ChannelCategory      = 4
	ChannelNews          = 5
	ChannelNewsThread    = 10
	ChannelPublicThread  = 11
	ChannelPrivateThread = 12
	ChannelForum         = 15
)

// CreateMessage sends m to a channel. It is repeated after an unclear failure
// only if m has a Nonce, because otherwise a second message could appear.
func (c *Client) CreateMessage(ctx context.Context, channel string, m Message) (MessageRef, error) {
	rq := &request{
		op: "create message", method: http.MethodPost, major: channel, safe: m.Nonce != "",
		route: "/channels/{channel}/messages", path: "/channels/" + url.PathEscape(channel) + "/messages",
	}
	p, err := m.pack(rq.op, false)
	if err != nil {
		return MessageRef{}, err
	}
	p.payload.Nonce, p.payload.EnforceNonce = m.Nonce, m.Nonce != ""
	if err := rq.put(p.payload, p); err != nil {
		return MessageRef{}, err
	}
	body, err := c.do(ctx, rq)
	if err != nil {
		return MessageRef{}, err
	}
	ref := p.ref(readMessage(body), channel)
	if ref.ID == "" && rq.safe {
		// The nonce makes Discord show the message it took instead of a second one.
		if body, err = c.do(ctx, rq); err == nil {
			ref = p.ref(readMessage(body), channel)
		}
	}
	return ref, nil
}

// EditMessage replaces the whole content of a message of ours, files included.
func (c *Client) EditMessage(ctx context.Context, channel, id string, m Message) error {
	_, err := c.ReplaceMessage(ctx, channel, id, m)
	return err
}

// ReplaceMessage is EditMessage for messages with files: it tells which
// attachments the message has now.
func (c *Client) ReplaceMessage(ctx context.Context, channel, id string, m Message) (MessageRef, error) {
	ref, err := c.edit(ctx, messageRequest("edit message", http.MethodPatch, channel, id), m, channel)
	if err == nil && ref.ID == "" {
		ref.ID = id
	}
	return ref, err
}

// edit makes m the content of the message that rq names. What the message was
// thought to have may be gone; then all files are uploaded.
func (c *Client) edit(ctx context.Context, rq *request, m Message, channel string) (MessageRef, error) {
	p, err := m.pack(rq.op, true)
	if err != nil {
		return MessageRef{}, err
	}
	if err := rq.put(p.payload, p); err != nil {
		return MessageRef{}, err
	}
	body, err := c.do(ctx, rq)
	if err != nil && p.stale(err) {
		m.Has = nil
		if whole, cannot := m.pack(rq.op, true); cannot == nil && rq.put(whole.payload, whole) == nil {
			p = whole
			body, err = c.do(ctx, rq)
		}
	}
	if err != nil {
		return MessageRef{}, err
	}
	p.unclear = rq.unclear
	return p.ref(readMessage(body), channel), nil
}

// DeleteMessage deletes a message of ours. A message that is gone already is an
// error of class UnknownMessage.
func (c *Client) DeleteMessage(ctx context.Context, channel, id string) error {
	_, err := c.do(ctx, messageRequest("delete message", http.MethodDelete, channel, id))
	return err
}

func messageRequest(op, method, channel, id string) *request {
	return &request{
		op: op, method: method, major: channel, safe: true,
		route: "/channels/{channel}/messages/{message}",
		path:  "/channels/" + url.PathEscape(channel) + "/messages/" + url.PathEscape(id),
		gone:  UnknownMessage,
	}
}

// OpenDM returns the channel id of the DM with user. It stays the same for good:
// store it, because Discord minds bots that open many.
func (c *Client) OpenDM(ctx context.Context, user string) (string, error) {
	rq := &request{
		op: "open direct message", method: http.MethodPost, safe: true,
		route: "/users/@me/channels", path: "/users/@me/channels",
	}
	if err := rq.json(map[string]string{"recipient_id": user}); err != nil {
		return "", err
	}
	var w wireChannel
	if err := c.fetch(ctx, rq, &w); err != nil {
		return "", err
	}
	if w.ID == "" {
		e := unreadable(rq)
		e.odd = true // whoever waits for this message is told in another way
		return "", e
	}
	return string(w.ID), nil
}

// GetChannel looks a channel or thread up.
func (c *Client) GetChannel(ctx context.Context, id string) (Channel, error) {
	rq := &request{
		op: "get channel", method: http.MethodGet, major: id, safe: true,
		route: "/channels/{channel}", path: "/channels/" + url.PathEscape(id),
	}
	var w wireChannel
	if err := c.fetch(ctx, rq, &w); err != nil {
		return Channel{}, err
	}
	if string(w.ID) != id {
		return Channel{}, unreadable(rq) // something in front of Discord may have answered: whether there is such a channel is not said
	}
	ch := Channel{ID: id, Guild: string(w.GuildID), Name: string(w.Name), ParentID: string(w.ParentID)}
	if w.Type != nil {
		ch.Type = int(*w.Type)
	}
	if w.Thread != nil {
		ch.Archived, ch.Locked = w.Thread.Archived, w.Thread.Locked
	}
	return ch, nil
}

// Unarchive opens an archived thread again. It fails with ThreadLocked or
// MissingPermission if the thread is locked.
func (c *Client) Unarchive(ctx context.Context, thread string) error {
	rq := &request{
		op: "unarchive thread", method: http.MethodPatch, major: thread, safe: true,
		route: "/channels/{channel}", path: "/channels/" + url.PathEscape(thread),
	}
	if err := rq.json(map[string]bool{"archived": false}); err != nil {
		return err
	}
	_, err := c.do(ctx, rq)
	return err
}

// GetGuild looks a guild up.
func (c *Client) GetGuild(ctx context.Context, id string) (Guild, error) {
	rq := &request{
		op: "get guild", method: http.MethodGet, major: id, safe: true,
		route: "/guilds/{guild}", path: "/guilds/" + url.PathEscape(id),
	}
	var w struct {
		Name    text      `json:"name"`
		OwnerID snowflake `json:"owner_id"`
		Locale  text      `json:"preferred_locale"`
	}
	if err := c.fetch(ctx, rq, &w); err != nil {
		return Guild{}, err
	}
	return Guild{ID: id, Name: string(w.Name), OwnerID: string(w.OwnerID), Locale: string(w.Locale)}, nil
}

// GetMember looks a member up; UnknownMember means that they left.
func (c *Client) GetMember(ctx context.Context, guild, user string) (Member, error) {
	rq := &request{
		op: "get member", method: http.MethodGet, major: guild, safe: true,
		route: "/guilds/{guild}/members/{user}",
		path:  "/guilds/" + url.PathEscape(guild) + "/members/" + url.PathEscape(user),
	}
	var w wireMember
	if err := c.fetch(ctx, rq, &w); err != nil {
		return Member{}, err
	}
	m := Member{User: w.user(), Roles: ids(w.Roles), Permissions: w.Permissions.value}
	if m.User.ID == "" {
		m.User.ID = user
	}
	return m, nil
}

// Application asks who the bot is. Servers know one address or the other.
func (c *Client) Application(ctx context.Context) (Application, error) {
	var failed error
	for _, path := range []string{"/applications/@me", "/oauth2/applications/@me"} {
		rq := &request{op: "get application", method: http.MethodGet, route: path, path: path, safe: true, maybe: true}
		var w struct {
			ID   snowflake `json:"id"`
			Name text      `json:"name"`
		}
		err := c.fetch(ctx, rq, &w)
		if err == nil && w.ID == "" {
			err = unreadable(rq)
		}
		if err == nil {
			c.learn(string(w.ID), "", "")
			return Application{ID: string(w.ID), Name: string(w.Name)}, nil
		}
		failed = err
		if class := Classify(err); class != Other && class != Invalid {
			break
		}
	}
	return Application{}, failed
}

// fetch makes a call whose answer is needed, into v.
func (c *Client) fetch(ctx context.Context, rq *request, v any) error {
	body, err := c.do(ctx, rq)
	if err != nil {
		return err
	}
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(body, v); err != nil && !errors.As(err, &odd) {
		return unreadable(rq)
	}
	return nil
}

func unreadable(rq *request) *Error {
	return &Error{Op: rq.op, Message: "the answer could not be read", Sent: true, Err: errors.New("not what was expected"), token: rq.token}
}

// payload is a message as Discord wants it. Attachments is set by pack, never nil
// in an edit: without it old files would stay and pile up.
type payload struct {
	Components   []discordgo.MessageComponent `json:"components"`
	Flags        int                          `json:"flags"`
	Mentions     mentions                     `json:"allowed_mentions"`
	Attachments  *[]attachment                `json:"attachments,omitempty"`
	Nonce        string                       `json:"nonce,omitempty"`
	EnforceNonce bool                         `json:"enforce_nonce,omitempty"`
}

type mentions struct {
	Parse []string `json:"parse"`
	Users []string `json:"users,omitempty"`
}

func (m *Message) payload(edit bool) *payload {
	p := &payload{Components: m.Components, Flags: flagV2, Mentions: mentions{Parse: []string{}, Users: m.AllowedUsers}}
	if p.Components == nil {
		p.Components = []discordgo.MessageComponent{}
	}
	if m.Ephemeral && !edit {
		p.Flags |= flagEphemeral
	}
	if m.Silent && !edit {
		p.Flags |= flagSilent
	}
	return p
}

// json makes v the body of rq.
func (rq *request) json(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return invalid(rq.op, "cannot be encoded: %v", err)
	}
	rq.body, rq.contentType = body, "application/json"
	return nil
}

// readMessage reads a message in an answer. What cannot be read stays empty: the
// message was sent all the same.
func readMessage(body []byte) *wireMessage {
	var w wireMessage
	_ = json.Unmarshal(body, &w)
	return &w
}
