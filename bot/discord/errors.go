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

	form     form
	gone     Class // what a 404 without a code means on this route, None if nothing
	maybe    bool  // a 404 may mean that the server does not know the route
	unproven bool  // nobody believes yet that the bot token is refused
	// elsewhere: the answer sends on to another address, as portals do.
	elsewhere bool
	odd       bool // the answer is not what was asked for, and may never be
}

// form is what the body of an answer looks like, which tells who answered.
type form int

const (
	formUnseen  form = iota // there was no answer
	formNone                // empty
	formDiscord             // Discord's own: a JSON object
	formPage                // a page for people, which a proxy or a portal makes
	formOther
)

// formOf tells the form of a body.
func formOf(body []byte) form {
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return formNone
	case body[0] == '{' && json.Valid(body):
		return formDiscord
	case body[0] == '<', bytes.Contains(bytes.ToLower(body[:min(len(body), 4096)]), []byte("<html")):
		return formPage
	}
	return formOther
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
	Cloudflare                       // blocked in front of Discord: counted calls stop for 10 minutes, alert
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
		if c == Unauthorized && e.doubtful() {
			return Temporary
		}
		return c
	}
	switch {
	case e.Cloudflare:
		return Cloudflare
	case e.heavy:
		return TooLong
	case e.odd, e.denied():
		return Other
	case e.doubtful():
		return Temporary
	case e.Status == http.StatusTooManyRequests || e.RetryAfter > 0:
		return RateLimited
	case errors.Is(e.Err, context.Canceled):
		return Cancelled
	case e.Status == 0 && e.Err != nil, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return Temporary
	}
	return e.statusClass()
}

// statusClass is what an HTTP status means that comes without a code. A page in
// place of Discord's JSON is a proxy's and says nothing of what it stands for.
func (e *Error) statusClass() Class {
	switch e.Status {
	case http.StatusUnauthorized:
		switch {
		case !e.token:
			return Unauthorized
		case e.form == formPage:
			return Temporary
		}
		return TokenExpired
	case http.StatusNotFound:
		switch {
		case e.token && e.form <= formDiscord:
			return TokenExpired
		case e.form != formDiscord && e.form != formUnseen && !e.maybe:
			return Temporary
		case e.gone != None:
			return e.gone
		}
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusBadRequest:
		if e.form == formPage && !e.token {
			return Other // whoever waits for an answer is told that it cannot be shown
		}
		return Invalid
	}
	if e.elsewhere || e.Status/100 <= 3 && e.form == formPage {
		return Temporary
	}
	return Other
}

// denied reports whether something in front of Discord refused this route alone.
func (e *Error) denied() bool {
	return e.Status == http.StatusForbidden && (e.form == formPage || e.form == formOther)
}

// doubtful reports whether the bot token is refused in words that nobody believes
// yet.
func (e *Error) doubtful() bool { return e.unproven && !e.token }

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

const (
	// cloudflareRest is how long counted calls stop after a block in front of
	// Discord.
	cloudflareRest = 10 * time.Minute
	// deniedRest is how long a route rests at first that was refused in front of
	// Discord, and deniedMost at most.
	deniedRest = time.Minute
	deniedMost = 10 * time.Minute
	// doubtRest is how long a route rests at first on which a 401 came that nobody
	// believes.
	doubtRest = 5 * time.Second
)

// wireError is the body of a refusal. Code is nil where there is none.
type wireError struct {
	Code       *num            `json:"code"`
	Message    text            `json:"message"`
	RetryAfter seconds         `json:"retry_after"`
	Global     bool            `json:"global"`
	Errors     json.RawMessage `json:"errors"`
}

// judge reads an answer: nil for success, otherwise what went wrong. A success
// stays one whatever its body looks like, unless the body is itself an error, or a
// page where the same call can be made once more.
func judge(rq *request, res *result) *Error {
	if res.err != nil {
		return &Error{Op: rq.op, Sent: res.sent, Err: res.err, token: rq.token, files: rq.files}
	}
	success := res.status/100 == 2
	var w wireError
	body := bytes.TrimSpace(res.body)
	if success && !bytes.Contains(body, []byte(`"code"`)) && (!rq.safe || len(body) == 0 || body[0] != '<') {
		return nil
	}
	e := &Error{
		Op: rq.op, Status: res.status, Sent: true, token: rq.token, files: rq.files,
		form: formOf(body), gone: rq.gone, maybe: rq.maybe,
	}
	if e.form == formDiscord {
		_ = json.Unmarshal(body, &w) // odd fields are left out
	}
	if w.Code != nil {
		e.Code = int(*w.Code)
	}
	if success && (e.Code < 10000 || w.Message == "") && (!rq.safe || e.form != formPage) {
		return nil
	}
	e.Message = shorten(rq.redact(string(w.Message)), 200)
	e.Global = w.Global || res.header.Get("X-RateLimit-Global") != ""
	e.Scope = shorten(res.header.Get("X-RateLimit-Scope"), 20)
	for _, f := range formErrors(w.Errors) {
		e.Fields = append(e.Fields, shorten(rq.redact(f), 200))
	}
	if res.status == http.StatusTooManyRequests || (!success && w.RetryAfter > 0) {
		e.RetryAfter = retryAfter(time.Duration(w.RetryAfter), res.header)
	}
	if e.Code == CodeCloudflare || (e.form != formDiscord && blockedInFront(res, body)) {
		e.Cloudflare = true
		e.RetryAfter = max(cloudflareRest, e.RetryAfter)
	}
	if e.Code == 0 && res.status == http.StatusInternalServerError && textWeight(rq.body) > maxTextWeight {
		e.heavy = true
	}
	e.elsewhere = res.status/100 == 3 && res.header.Get("Location") != ""
	e.unproven = e.Status == http.StatusUnauthorized && !e.saysUnauthorized(w.Code != nil)
	return e
}

// saysUnauthorized reports whether a 401 is in Discord's own words. Portals and
// proxies answer 401 too, with words of theirs or none.
func (e *Error) saysUnauthorized(coded bool) bool {
	if !coded || e.Message == "" {
		return false
	}
	return e.Code == 0 || e.Code == CodeUnauthorized || e.Code == CodeInvalidToken
}

// blockedInFront tells Cloudflare's refusals of too many requests, which know
// nothing of Discord's error format, from those of a server that merely leaves out
// the body.
func blockedInFront(res *result, body []byte) bool {
	if res.status != http.StatusTooManyRequests {
		return false
	}
	low := bytes.ToLower(body[:min(len(body), 4096)])
	for _, mark := range []string{"<html", "<!doctype", "cloudflare", "1015"} {
		if bytes.Contains(low, []byte(mark)) {
			return true
		}
	}
	return res.header.Get("Retry-After") == "" && res.header.Get("X-RateLimit-Reset-After") == ""
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
