package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// Error is a refusal or failure of one REST call. It never holds a token.
type Error struct {
	Op     string // what was tried, e.g. "edit message"
	Status int    // HTTP status, 0 when no answer arrived
	Code   int    // Discord's JSON error code, 0 if none
	// Message is Discord's text, shortened.
	Message string
	// Fields are the paths of an invalid form (50035) with their texts.
	Fields []string
	// RetryAfter is how long to wait at least, 0 if unknown.
	RetryAfter time.Duration
	Scope      string // X-RateLimit-Scope
	Global     bool
	// Cloudflare: the answer came from in front of Discord.
	Cloudflare bool
	// Sent is false when the request certainly never left this process.
	Sent bool
	// Err is the cause below, if any: a context error or a network error.
	Err error

	files bool // the message had files
	token bool // the route was authorised by an interaction's token
	heavy bool // a 500 for a message above the size Discord is known to fail at
}

// Error gives the operation and the reason in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("discord: " + e.Op)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": HTTP %d", e.Status)
	}
	if e.Code != 0 {
		fmt.Fprintf(&b, ": code %d", e.Code)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	for _, f := range e.Fields {
		b.WriteString("; " + f)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, " (not before %v)", e.RetryAfter)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Class is what an error means for the caller.
type Class int

// Classes of errors; the comment says what a caller does.
const (
	None                Class = iota // no error
	Temporary                        // Discord's side or the network: try again later
	RateLimited                      // wait RetryAfter
	Cloudflare                       // blocked in front of Discord: stop everything for 10 minutes, alert
	OldEdit                          // the message is too old to edit often: post it anew
	SlowDown                         // a write limit of the channel or guild: back off there
	Disabled                         // temporarily switched off by Discord: back off for minutes
	Unauthorized                     // the bot token is refused: stop
	UnknownInteraction               // answered too late or elsewhere: keep the move, never retry
	AlreadyAcknowledged              // answered before: use edits and follow-ups
	TokenExpired                     // the interaction token is dead: use the channel
	TooManyFollowUps                 // edit the original instead
	CannotDM                         // this user takes no DMs: never block the game
	DMTooFast                        // opening DMs too fast: stop for 10 minutes, alert
	MissingAccess                    // the channel is hidden from the bot
	MissingPermission                // a permission is missing in the channel
	UnknownChannel                   // the channel is gone
	UnknownGuild                     // the guild is gone
	UnknownMessage                   // the message is gone: post a new one once
	NotOurs                          // not our message: forget it, post a new one
	ThreadArchived                   // unarchive once, then again
	ThreadLocked                     // pause, tell
	WrongChannelType                 // refuse at the start
	UnknownMember                    // user or member is gone: mark absent
	UnknownEmoji                     // fall back to text
	EmojiLimit                       // there is no room for another emoji: fall back to text
	TooLarge                         // files refused, for their size or otherwise: send again without them
	TooLong                          // more text than Discord digests: shorten
	Blocked                          // the text was blocked by a filter: use a neutral one
	Invalid                          // our fault: log, never retry
	CommandLimit                     // do not register again in a loop
	UnknownCommand                   // register commands once
	Cancelled                        // the caller's context was cancelled
	Other                            // anything else: a failure, no retry
)

var classNames = [...]string{
	"none", "temporary", "rate limited", "cloudflare", "old edit", "slow down", "disabled", "unauthorized",
	"unknown interaction", "already acknowledged", "token expired", "too many follow-ups", "cannot dm",
	"dm too fast", "missing access", "missing permission", "unknown channel", "unknown guild",
	"unknown message", "not ours", "thread archived", "thread locked", "wrong channel type",
	"unknown member", "unknown emoji", "emoji limit", "too large", "too long", "blocked", "invalid", "command limit",
	"unknown command", "cancelled", "other",
}

// String names the class for logs and metrics.
func (c Class) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return fmt.Sprintf("class %d", int(c))
	}
	return classNames[c]
}

// Classify says what err means for the caller.
func Classify(err error) Class {
	var e *Error
	switch {
	case err == nil:
		return None
	case errors.As(err, &e):
		return e.class()
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return Temporary
	}
	return Other
}

// RetryAfter returns how long err asks to wait, 0 if it does not.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// class looks at a message with files once more: where it is no valid one, or the
// refusal says nothing, the server may just not take files.
func (e *Error) class() Class {
	c := e.anyClass()
	if e.files && e.Status != 0 && (c == Invalid || c == Other) {
		return TooLarge
	}
	return c
}

func (e *Error) anyClass() Class {
	if e.Code == CodeInvalidForm && slices.ContainsFunc(e.Fields, atEmoji) {
		return UnknownEmoji
	}
	if c, ok := classOf(e.Code); ok {
		return c
	}
	switch {
	case e.Cloudflare:
		return Cloudflare
	case e.heavy:
		return TooLong
	case e.Status == http.StatusTooManyRequests || e.RetryAfter > 0:
		return RateLimited
	case errors.Is(e.Err, context.Canceled):
		return Cancelled
	case e.Status == 0 && e.Err != nil, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return Temporary
	case e.Status == http.StatusUnauthorized && !e.token:
		return Unauthorized
	case e.token && (e.Status == http.StatusUnauthorized || e.Status == http.StatusNotFound):
		return TokenExpired
	case e.Status == http.StatusRequestEntityTooLarge:
		return TooLarge
	case e.Status == http.StatusBadRequest:
		return Invalid
	}
	return Other
}

// atEmoji reports whether a fault of a form, as formErrors writes it, is that of an
// emoji: of a button or of a select's option, as a whole or in one of its fields.
func atEmoji(fault string) bool {
	path, what, _ := strings.Cut(fault, ": ")
	code, _, _ := strings.Cut(what, " ")
	return strings.HasSuffix(code, "INVALID_EMOJI") || slices.Contains(strings.Split(path, "."), "emoji")
}

// invalid makes the error of a call that cannot be sent as it is.
func invalid(op, format string, args ...any) *Error {
	return &Error{Op: op, Code: CodeInvalidForm, Message: fmt.Sprintf(format, args...)}
}

// cloudflareRest is how long everything stops after a block in front of Discord.
const cloudflareRest = 10 * time.Minute

// wireError is the body of a refusal.
type wireError struct {
	Code       num             `json:"code"`
	Message    text            `json:"message"`
	RetryAfter seconds         `json:"retry_after"`
	Global     bool            `json:"global"`
	Errors     json.RawMessage `json:"errors"`
}

// judge reads an answer: nil for success, otherwise what went wrong. A success
// stays one whatever its body looks like, unless the body is itself an error.
func judge(rq *request, res *result) *Error {
	if res.err != nil {
		return &Error{Op: rq.op, Sent: res.sent, Err: res.err, token: rq.token, files: rq.files}
	}
	if res.status/100 == 2 && !bytes.Contains(res.body, []byte(`"code"`)) {
		return nil
	}
	var w wireError
	body := bytes.TrimSpace(res.body)
	isJSON := len(body) > 0 && body[0] == '{' && json.Valid(body)
	if isJSON {
		_ = json.Unmarshal(body, &w) // odd fields are left out
	}
	if res.status/100 == 2 && (w.Code < 10000 || w.Message == "") {
		return nil
	}
	e := &Error{
		Op: rq.op, Status: res.status, Code: int(w.Code), Sent: true, token: rq.token, files: rq.files,
		Message: shorten(rq.redact(string(w.Message)), 200),
		Global:  w.Global || res.header.Get("X-RateLimit-Global") != "",
		Scope:   shorten(res.header.Get("X-RateLimit-Scope"), 20),
	}
	for _, f := range formErrors(w.Errors) {
		e.Fields = append(e.Fields, shorten(rq.redact(f), 200))
	}
	if res.status == http.StatusTooManyRequests || (res.status/100 != 2 && w.RetryAfter > 0) {
		e.RetryAfter = retryAfter(time.Duration(w.RetryAfter), res.header)
	}
	if e.Code == CodeCloudflare || (!isJSON && blockedInFront(res, body)) {
		e.Cloudflare = true
		e.RetryAfter = max(cloudflareRest, e.RetryAfter)
	}
	if e.Code == 0 && res.status == http.StatusInternalServerError && textWeight(rq.body) > maxTextWeight {
		e.heavy = true
	}
	return e
}

// blockedInFront tells Cloudflare's refusals, which know nothing of Discord's
// error format, from those of a server that merely leaves out the body.
func blockedInFront(res *result, body []byte) bool {
	if res.status != http.StatusTooManyRequests && res.status != http.StatusForbidden {
		return false
	}
	low := bytes.ToLower(body[:min(len(body), 4096)])
	for _, mark := range []string{"<html", "<!doctype", "cloudflare", "1015"} {
		if bytes.Contains(low, []byte(mark)) {
			return true
		}
	}
	return res.status == http.StatusTooManyRequests &&
		res.header.Get("Retry-After") == "" && res.header.Get("X-RateLimit-Reset-After") == ""
}

// retryAfter finds the time to wait in body or headers; a 429 that names none
// asks for a second.
func retryAfter(fromBody time.Duration, h http.Header) time.Duration {
	if fromBody > 0 {
		return fromBody
	}
	for _, name := range []string{"X-RateLimit-Reset-After", "Retry-After"} {
		var s seconds
		if s.parse(h.Get(name)); s > 0 {
			return time.Duration(s)
		}
	}
	return time.Second
}

// formErrors flattens the tree of a 50035 into "path: text" lines.
func formErrors(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	var tree any
	if json.Unmarshal(raw, &tree) != nil {
		return nil
	}
	var lines []string
	walkForm("", tree, &lines)
	sort.Strings(lines)
	return lines[:min(len(lines), 10)]
}

func walkForm(path string, v any, lines *[]string) {
	node, ok := v.(map[string]any)
	if !ok {
		return
	}
	for key, child := range node {
		if key != "_errors" {
			walkForm(strings.TrimPrefix(path+"."+key, "."), child, lines)
			continue
		}
		list, _ := child.([]any)
		for _, item := range list {
			fault, ok := item.(map[string]any)
			if !ok {
				continue
			}
			code, _ := fault["code"].(string)
			message, _ := fault["message"].(string)
			*lines = append(*lines, strings.TrimSpace(path+": "+code+" "+message))
		}
	}
}

// maxTextWeight is the size above which Discord answers a Components V2 message
// with a bare 500: bytes of text plus 12 for each text display.
const maxTextWeight = 10170

// textWeight measures the text displays in a request body by that rule.
func textWeight(body []byte) int {
	if at := bytes.IndexByte(body, '{'); at > 0 { // multipart: payload_json comes first
		body = body[at:]
	}
	var tree any
	if json.NewDecoder(bytes.NewReader(body)).Decode(&tree) != nil {
		return 0
	}
	var weigh func(v any) int
	weigh = func(v any) int {
		sum := 0
		switch v := v.(type) {
		case []any:
			for _, child := range v {
				sum += weigh(child)
			}
		case map[string]any:
			if content, ok := v["content"].(string); ok && v["type"] == 10.0 {
				sum += len(content) + 12
			}
			for _, child := range v {
				sum += weigh(child)
			}
		}
		return sum
	}
	return weigh(tree)
}

// shorten cuts s to n bytes at most, at a rune's border.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
