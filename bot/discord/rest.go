package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

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
	// Files replace all files of an edited message.
	Files []File
	// Ephemeral makes a reply or follow-up private. Edits cannot change it.
	Ephemeral bool
	// Silent makes a new message come without a sound on anybody's device.
	Silent bool
}

// File is an attachment; components refer to it as "attachment://" + Name.
type File struct {
	Name        string // plain ASCII
	ContentType string
	Description string // alt text, up to 1024 characters
	Data        []byte
}

// MessageRef is where a message is. After a success ID is empty if Discord took
// the message but its answer could not be read: the message was sent all the
// same and must not be sent again (except with the same Nonce).
type MessageRef struct {
	ID      string
	Channel string
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
	p := m.payload(false)
	p.Nonce, p.EnforceNonce = m.Nonce, m.Nonce != ""
	if err := rq.message(p, p, m.Files); err != nil {
		return MessageRef{}, err
	}
	body, err := c.do(ctx, rq)
	if err != nil {
		return MessageRef{}, err
	}
	ref := messageRef(body, channel)
	if ref.ID == "" && rq.safe {
		// The nonce makes Discord show the message it took instead of a second one.
		if body, err = c.do(ctx, rq); err == nil {
			ref = messageRef(body, channel)
		}
	}
	return ref, nil
}

// EditMessage replaces the whole content of a message of ours, files included.
func (c *Client) EditMessage(ctx context.Context, channel, id string, m Message) error {
	rq := messageRequest("edit message", http.MethodPatch, channel, id)
	p := m.payload(true)
	if err := rq.message(p, p, m.Files); err != nil {
		return err
	}
	_, err := c.do(ctx, rq)
	return err
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
		return "", unreadable(rq)
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
		Name    text `json:"name"`
		OwnerID text `json:"owner_id"`
		Locale  text `json:"preferred_locale"`
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
	m := Member{User: w.user(), Roles: texts(w.Roles), Permissions: w.Permissions.value}
	if m.User.ID == "" {
		m.User.ID = user
	}
	return m, nil
}

// Application asks who the bot is. Servers know one address or the other.
func (c *Client) Application(ctx context.Context) (Application, error) {
	var failed error
	for _, path := range []string{"/applications/@me", "/oauth2/applications/@me"} {
		rq := &request{op: "get application", method: http.MethodGet, route: path, path: path, safe: true}
		var w struct {
			ID   text `json:"id"`
			Name text `json:"name"`
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

// payload is a message as Discord wants it. Attachments is never nil in an edit:
// without it old files would stay and pile up.
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

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
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
	if edit || len(m.Files) > 0 {
		list := make([]attachment, len(m.Files))
		for i, f := range m.Files {
			list[i] = attachment{ID: strconv.Itoa(i), Filename: fileName(f.Name), Description: f.Description}
		}
		p.Attachments = &list
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

// message makes whole, which contains p, the body of rq, with files beside it.
// The bytes are made once, so that a second attempt sends what the first sent.
func (rq *request) message(whole any, p *payload, files []File) error {
	for i, component := range p.Components {
		if component == nil {
			return invalid(rq.op, "component %d is nil", i)
		}
	}
	if err := rq.json(whole); err != nil || len(files) == 0 {
		return err
	}
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	parts := make([]part, 0, len(files)+1)
	parts = append(parts, part{`form-data; name="payload_json"`, rq.contentType, rq.body})
	for i, f := range files {
		head := fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, fileName(f.Name))
		parts = append(parts, part{head, mediaType(f.ContentType), f.Data})
	}
	for _, p := range parts {
		out, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {p.head}, "Content-Type": {p.kind}})
		if err == nil {
			_, err = out.Write(p.data)
		}
		if err != nil {
			return invalid(rq.op, "cannot be encoded: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		return invalid(rq.op, "cannot be encoded: %v", err)
	}
	rq.body, rq.contentType = buf.Bytes(), w.FormDataContentType()
	return nil
}

type part struct {
	head, kind string
	data       []byte
}

// fileName keeps what is harmless in a header and in an attachment:// address.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "file"
	}
	return clean
}

func mediaType(t string) string {
	if t == "" || strings.ContainsAny(t, "\r\n") {
		return "application/octet-stream"
	}
	return t
}

// messageRef reads where a sent message is, as far as the answer tells.
func messageRef(body []byte, channel string) MessageRef {
	var w wireMessage
	_ = json.Unmarshal(body, &w) // sent all the same
	ref := MessageRef{ID: string(w.ID), Channel: string(w.ChannelID)}
	if ref.Channel == "" {
		ref.Channel = channel
	}
	return ref
}
