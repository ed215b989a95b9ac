package bot_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"paladin/bot/press"
	"paladin/sandbox"
)

// The rules of Discord's documentation that the bot's requests rely on and that Discord's published description does not hold, and those
// that the bot makes for itself. They are checked on every request of the tests in which they are used.
const (
	flagEphemeral = 1 << 6
	flagV2        = 1 << 15

	mostComponents   = 40
	mostText         = 4000  // characters of all texts of a message
	mostTextBytes    = 10170 // of all texts; Discord answers 500 beyond it
	mostButtons      = 5     // in a row
	mostOptions      = 25
	mostLabel        = 80
	mostOptionLabel  = 100
	mostPlaceholder  = 150
	mostCustomID     = 100
	mostNonce        = 25
	mostAltText      = 1024
	mostCommandsText = 8000
)

// Callback types.
const (
	callbackReply       = 4
	callbackDeferReply  = 5
	callbackDeferUpdate = 6
	callbackUpdate      = 7
	callbackSuggest     = 8
)

// wirePayload is a message in a request. Fields that must not be there are read too.
type wirePayload struct {
	Content     json.RawMessage     `json:"content"`
	Embeds      json.RawMessage     `json:"embeds"`
	Poll        json.RawMessage     `json:"poll"`
	Stickers    json.RawMessage     `json:"sticker_ids"`
	TTS         json.RawMessage     `json:"tts"`
	Flags       *int                `json:"flags"`
	Components  []sandbox.Component `json:"components"`
	Mentions    *wireMentions       `json:"allowed_mentions"`
	Attachments *[]wireAttachment   `json:"attachments"`
	Nonce       *string             `json:"nonce"`
	Enforce     bool                `json:"enforce_nonce"`
}

type wireMentions struct {
	Parse       *[]string       `json:"parse"`
	Users       []string        `json:"users"`
	Roles       []string        `json:"roles"`
	RepliedUser json.RawMessage `json:"replied_user"`
}

type wireAttachment struct {
	ID          json.RawMessage `json:"id"`
	Filename    string          `json:"filename"`
	Description string          `json:"description"`
}

// requestKind says what a request is: its method and route, and for answers to interactions the callback's type.
func requestKind(r sandbox.Request) string {
	kind := r.Method + " " + r.Route
	if strings.HasSuffix(r.Route, "/callback") {
		var body struct {
			Type int `json:"type"`
		}
		_ = json.Unmarshal(r.Body, &body)
		kind += fmt.Sprintf(" %d", body.Type)
	}
	return kind
}

// messageOf returns the message that a request carries; false if it carries none.
func messageOf(r sandbox.Request) (wirePayload, bool) {
	var p wirePayload
	switch {
	case strings.HasSuffix(r.Route, "/callback"):
		var body struct {
			Type int             `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(r.Body, &body) != nil || body.Type != callbackReply && body.Type != callbackUpdate {
			return p, false
		}
		return p, json.Unmarshal(body.Data, &p) == nil
	case r.Method == http.MethodGet || r.Method == http.MethodDelete || !strings.Contains(r.Route, "/messages") && !strings.HasPrefix(r.Route, "/webhooks/"):
		return p, false
	default:
		return p, json.Unmarshal(r.Body, &p) == nil
	}
}

// lint collects what is wrong with one request.
type lint struct {
	r      sandbox.Request
	faults []string
}

func (l *lint) fail(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf("%s: ", requestKind(l.r))+fmt.Sprintf(format, args...))
}

func (l *lint) must(holds bool, format string, args ...any) {
	if !holds {
		l.fail(format, args...)
	}
}

// lintRequest returns every rule that the request breaks.
func lintRequest(r sandbox.Request) []string {
	l := &lint{r: r}
	l.headers()
	switch {
	case strings.HasSuffix(r.Route, "/callback"):
		l.callback()
	case r.Method == http.MethodPut && strings.HasSuffix(r.Route, "/commands"):
		l.commands()
	default:
		if p, ok := messageOf(r); ok {
			edit := r.Method == http.MethodPatch
			l.message(&p, edit)
			if r.Method == http.MethodPost && strings.HasPrefix(r.Route, "/channels/") {
				l.nonce(&p)
			} else {
				l.must(p.Nonce == nil && !p.Enforce, "a nonce where none is known")
			}
		}
	}
	return l.faults
}

var agent = regexp.MustCompile(`^DiscordBot \(https?://\S+, \S+\)`)

func (l *lint) headers() {
	l.must(agent.MatchString(l.r.Header.Get("User-Agent")), "the user agent %q has not the form Discord asks for", l.r.Header.Get("User-Agent"))
	l.must(strings.HasPrefix(l.r.Path, "/api/v10/"), "not version 10: %s", l.r.Path)
	if len(l.r.Body) > 0 {
		kind := l.r.Header.Get("Content-Type")
		l.must(strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "multipart/form-data"), "a body of type %q", kind)
	}
}

func (l *lint) callback() {
	var body struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(l.r.Body, &body); err != nil {
		l.fail("the body cannot be read: %v", err)
		return
	}
	switch body.Type {
	case callbackReply, callbackUpdate:
		l.must(l.r.Query == "with_response=true", "the answer is not asked which message it made: %q", l.r.Query)
		var p wirePayload
		if err := json.Unmarshal(body.Data, &p); err != nil {
			l.fail("the data cannot be read: %v", err)
			return
		}
		l.message(&p, body.Type == callbackUpdate)
	case callbackDeferReply:
		var data map[string]int
		err := json.Unmarshal(body.Data, &data)
		l.must(err == nil && len(data) == 1 && data["flags"] == flagEphemeral, "a deferral may carry the ephemeral flag alone: %s", body.Data)
	case callbackDeferUpdate:
		l.must(len(body.Data) == 0, "a deferred update carries no data: %s", body.Data)
	case callbackSuggest:
		l.choices(body.Data)
	default:
		l.fail("an answer of type %d", body.Type)
	}
}

func (l *lint) choices(raw json.RawMessage) {
	var data struct {
		Choices []struct {
			Name  string `json:"name"`
			Value any    `json:"value"`
		} `json:"choices"`
	}
	l.must(json.Unmarshal(raw, &data) == nil && data.Choices != nil, "suggestions are a list, if empty: %s", raw)
	l.must(len(data.Choices) <= mostOptions, "%d suggestions", len(data.Choices))
	for _, c := range data.Choices {
		value, text := c.Value.(string)
		l.must(text && within(value, 1, mostOptionLabel) && within(c.Name, 1, mostOptionLabel), "suggestion %q: %v", c.Name, c.Value)
	}
}

func (l *lint) nonce(p *wirePayload) {
	l.must(p.Nonce != nil && within(*p.Nonce, 1, mostNonce) && p.Enforce, "a message that could double after an unclear failure: no enforced nonce")
}

func (l *lint) message(p *wirePayload, edit bool) {
	for name, field := range map[string]json.RawMessage{"content": p.Content, "embeds": p.Embeds, "poll": p.Poll, "sticker_ids": p.Stickers, "tts": p.TTS} {
		l.must(len(field) == 0, "%s beside components of version 2", name)
	}
	allowed := flagV2
	if !edit && !strings.HasPrefix(l.r.Route, "/channels/") {
		allowed |= flagEphemeral
	}
	l.must(p.Flags != nil && *p.Flags&flagV2 != 0 && *p.Flags&^allowed == 0, "flags %v", p.Flags)
	l.must(!edit || p.Attachments != nil, "an edit that does not list its files: old ones would stay")
	l.files(p)
	c := componentLint{lint: l, ids: map[string]bool{}}
	if p.Attachments != nil {
		for _, a := range *p.Attachments {
			c.listed = append(c.listed, a.Filename)
		}
	}
	l.must(len(p.Components) > 0, "an empty message")
	for i := range p.Components {
		c.component(&p.Components[i], 0)
	}
	l.must(c.count <= mostComponents, "%d components", c.count)
	l.must(c.units <= mostText && c.bytes <= mostTextBytes, "%d characters, %d bytes of text", c.units, c.bytes)
	l.mentions(p, c.text.String())
}

func (l *lint) mentions(p *wirePayload, text string) {
	if p.Mentions == nil || p.Mentions.Parse == nil {
		l.fail("without allowed_mentions Discord pings whoever is named")
		return
	}
	m := p.Mentions
	l.must(len(*m.Parse) == 0 && len(m.Roles) == 0 && len(m.RepliedUser) == 0, "mentions of groups are allowed: %+v", *m)
	for i, user := range m.Users {
		l.must(!slices.Contains(m.Users[:i], user), "user %s is allowed twice", user)
		l.must(strings.Contains(text, "<@"+user+">"), "user %s may be pinged and is not named", user)
	}
}

func (l *lint) files(p *wirePayload) {
	var listed []wireAttachment
	if p.Attachments != nil {
		listed = *p.Attachments
	}
	sent := 0
	for i, a := range listed {
		l.must(plainFile.MatchString(a.Filename) && within(a.Description, 1, mostAltText), "file %q described as %q", a.Filename, a.Description)
		if kept := snowflake.MatchString(string(a.ID)); !kept {
			l.must(string(a.ID) == fmt.Sprintf("%q", fmt.Sprint(sent)), "file %d has the id %s", i, a.ID)
			l.must(sent < len(l.r.Files), "file %q is listed and not sent", a.Filename)
			if sent < len(l.r.Files) {
				f := l.r.Files[sent]
				l.must(f.Filename == a.Filename && f.Field == fmt.Sprintf("files[%d]", sent), "file %d is %+v, listed as %q", i, f, a.Filename)
			}
			sent++
		}
		shown, err := json.Marshal(p.Components)
		l.must(err == nil && strings.Contains(string(shown), "attachment://"+a.Filename), "file %q is shown by no component", a.Filename)
	}
	l.must(sent == len(l.r.Files), "%d files are listed as new, %d are sent", sent, len(l.r.Files))
}

// snowflake is the id of an attachment that an edited message keeps.
var snowflake = regexp.MustCompile(`^"[0-9]{15,20}"$`)

var plainFile = regexp.MustCompile(`^[A-Za-z0-9._-]{1,80}$`)

type componentLint struct {
	*lint
	count, units, bytes int
	text                strings.Builder
	ids                 map[string]bool
	listed              []string // names of the message's files
}

func (l *componentLint) component(c *sandbox.Component, depth int) {
	l.count++
	if c.CustomID != "" {
		l.must(!l.ids[c.CustomID], "custom id %q is there twice", c.CustomID)
		l.ids[c.CustomID] = true
		_, err := press.Parse(c.CustomID)
		l.must(err == nil && len(c.CustomID) <= mostCustomID, "custom id %q: %v", c.CustomID, err)
	}
	switch c.Type {
	case sandbox.TypeContainer:
		l.must(depth == 0, "a container inside another component")
	case sandbox.TypeActionRow:
		l.row(c)
	case sandbox.TypeButton:
		l.button(c)
	case sandbox.TypeStringSelect, sandbox.TypeUserSelect:
		l.menu(c)
	case sandbox.TypeTextDisplay:
		l.must(strings.TrimSpace(c.Content) != "", "an empty text")
		l.units += len(utf16.Encode([]rune(c.Content)))
		l.bytes += len(c.Content)
		l.text.WriteString(c.Content + "\n")
	case sandbox.TypeFile:
		l.must(c.File != nil && strings.HasPrefix(c.File.URL, "attachment://"), "a file from elsewhere")
		name := ""
		if c.File != nil {
			name = strings.TrimPrefix(c.File.URL, "attachment://")
		}
		l.must(slices.ContainsFunc(l.r.Files, func(f sandbox.Upload) bool { return f.Filename == name }), "file %q is not sent", name)
	case sandbox.TypeMediaGallery:
		l.must(len(c.Items) > 0, "an empty gallery")
		for _, item := range c.Items {
			name, attached := strings.CutPrefix(item.Media.URL, "attachment://")
			l.must(attached && slices.Contains(l.listed, name), "picture %q is not among the files", item.Media.URL)
			l.must(within(item.Description, 1, mostAltText), "a picture described as %q", item.Description)
		}
	case sandbox.TypeSeparator:
	default:
		l.fail("a component of type %d, which the bot does not use", c.Type)
	}
	for i := range c.Components {
		l.component(&c.Components[i], depth+1)
	}
}

func (l *componentLint) row(c *sandbox.Component) {
	buttons, menus := 0, 0
	for _, inner := range c.Components {
		if inner.Type == sandbox.TypeButton {
			buttons++
		} else {
			menus++
		}
	}
	l.must(buttons >= 1 && buttons <= mostButtons && menus == 0 || buttons == 0 && menus == 1, "a row of %d buttons and %d menus", buttons, menus)
}

func (l *componentLint) button(c *sandbox.Component) {
	l.must(within(c.Label, 1, mostLabel) || c.Label == "" && c.Emoji != nil, "a button labelled %q", c.Label)
	l.must(c.SKUID == "", "a button that sells something")
	if c.Style == sandbox.ButtonLink {
		l.must(c.CustomID == "" && strings.HasPrefix(c.URL, "https://discord.com/channels/"), "a link button with id %q to %q", c.CustomID, c.URL)
		return
	}
	l.must(c.Style >= sandbox.ButtonPrimary && c.Style <= sandbox.ButtonDanger && c.CustomID != "" && c.URL == "", "button %q: style %d, id %q, url %q", c.Label, c.Style, c.CustomID, c.URL)
}

func (l *componentLint) menu(c *sandbox.Component) {
	l.must(c.CustomID != "" && within(c.Placeholder, 0, mostPlaceholder), "menu %q: %q", c.CustomID, c.Placeholder)
	least, most := 1, 1
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	l.must(least >= 0 && least <= most && most <= mostOptions, "menu %q takes %d to %d", c.CustomID, least, most)
	if c.Type == sandbox.TypeUserSelect {
		l.must(len(c.Options) == 0, "a menu of users with options")
		return
	}
	l.must(len(c.Options) >= 1 && len(c.Options) <= mostOptions && most <= len(c.Options), "menu %q has %d options", c.CustomID, len(c.Options))
	seen := map[string]bool{}
	for _, o := range c.Options {
		l.must(within(o.Label, 1, mostOptionLabel) && within(o.Value, 1, mostOptionLabel) && within(o.Description, 0, mostOptionLabel) && !seen[o.Value],
			"menu %q, option %q: %q", c.CustomID, o.Label, o.Value)
		seen[o.Value] = true
	}
}

func (l *lint) commands() {
	var list []sandbox.Command
	if err := json.Unmarshal(l.r.Body, &list); err != nil {
		l.fail("cannot be read: %v", err)
		return
	}
	for _, c := range list {
		l.must(c.Contexts != nil && c.IntegrationTypes != nil, "command %q goes where Discord thinks fit", c.Name)
		l.must(commandName.MatchString(c.Name) && within(c.Description, 1, 100), "command %q: %q", c.Name, c.Description)
		size := len(c.Name) + len(c.Description)
		l.options(c.Options, &size)
		l.must(size <= mostCommandsText, "command %q has %d characters", c.Name, size)
	}
}

var commandName = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

func (l *lint) options(list []sandbox.CommandOption, size *int) {
	l.must(len(list) <= mostOptions, "%d options", len(list))
	optional := false
	for _, o := range list {
		l.must(commandName.MatchString(o.Name) && within(o.Description, 1, 100), "option %q: %q", o.Name, o.Description)
		l.must(!o.Required || !optional, "option %q is required and stands behind one that is not", o.Name)
		l.must(len(o.Choices) == 0 || !o.Autocomplete, "option %q has choices and suggestions", o.Name)
		optional = optional || !o.Required
		*size += len(o.Name) + len(o.Description)
		for _, c := range o.Choices {
			l.must(within(c.Name, 1, mostOptionLabel), "choice %q", c.Name)
			*size += len(c.Name) + len(fmt.Sprint(c.Value))
		}
		l.options(o.Options, size)
	}
}

func within(s string, least, most int) bool {
	n := len(utf16.Encode([]rune(s)))
	return n >= least && n <= most
}
