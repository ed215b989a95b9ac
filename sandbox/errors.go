package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// What the people's side refuses; errors of Press, Command and the like wrap one
// of these.
var (
	ErrUnknownUser    = errors.New("no such user")
	ErrNotVisible     = errors.New("not visible to this user")
	ErrNoComponent    = errors.New("no such component on this message")
	ErrDisabled       = errors.New("the component is disabled")
	ErrInvalidValue   = errors.New("a client would not send this value")
	ErrUnknownCommand = errors.New("no such command here")
	ErrForbidden      = errors.New("this user may not do that here")
	ErrNotFound       = errors.New("no such thing")
	ErrNoAnswer       = errors.New("the application did not respond")
	ErrClosed         = errors.New("the sandbox is closed")
)

// apiError is a refusal as the bot gets it.
type apiError struct {
	status  int
	code    int
	message string
	errors  *problems    // of 50035
	retry   *rateLimited // of 429
	header  http.Header  // more headers, or nil
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%d %s (%d)", e.status, e.message, e.code)
}

func (e *apiError) body() []byte {
	b := struct {
		Message    string    `json:"message"`
		Code       int       `json:"code"`
		Errors     *problems `json:"errors,omitempty"`
		RetryAfter *float64  `json:"retry_after,omitempty"`
		Global     *bool     `json:"global,omitempty"`
	}{Message: e.message, Code: e.code, Errors: e.errors}
	if e.retry != nil {
		seconds := e.retry.after.Seconds()
		b.RetryAfter, b.Global = &seconds, &e.retry.global
	}
	out, err := json.Marshal(b)
	if err != nil { // strings, numbers and maps of them always marshal
		return []byte(`{"message":"500: Internal Server Error","code":0}`)
	}
	return out
}

func refuse(status, code int, message string) *apiError {
	return &apiError{status: status, code: code, message: message}
}

// The refusals that are not about the form of a body. Each call makes a new value,
// so that nobody can change another's.
func errUnauthorized() *apiError { return refuse(401, 0, "401: Unauthorized") }
func errNotFound() *apiError     { return refuse(404, 0, "404: Not Found") }
func errMethod() *apiError       { return refuse(405, 0, "405: Method Not Allowed") }
func errInternal() *apiError     { return refuse(500, 0, "500: Internal Server Error") }
func errOverloaded() *apiError {
	return refuse(503, 130000, "API resource is currently overloaded. Try again a little later")
}
func errUnknownApp() *apiError      { return refuse(404, 10002, "Unknown Application") }
func errUnknownChannel() *apiError  { return refuse(404, 10003, "Unknown Channel") }
func errUnknownGuild() *apiError    { return refuse(404, 10004, "Unknown Guild") }
func errUnknownMember() *apiError   { return refuse(404, 10007, "Unknown Member") }
func errUnknownMessage() *apiError  { return refuse(404, 10008, "Unknown Message") }
func errUnknownUser() *apiError     { return refuse(404, 10013, "Unknown User") }
func errUnknownEmoji() *apiError    { return refuse(404, 10014, "Unknown Emoji") }
func errUnknownWebhook() *apiError  { return refuse(404, 10015, "Unknown Webhook") }
func errUnknownInteract() *apiError { return refuse(404, 10062, "Unknown interaction") }
func errUnknownCommand() *apiError  { return refuse(404, 10063, "Unknown application command") }
func errTooManyCommands() *apiError {
	return refuse(400, 30032, "Maximum number of application commands reached (100)")
}
func errTooManyEmojis() *apiError {
	return refuse(400, 30008, "Maximum number of emojis reached (2000)")
}
func errOldEdits() *apiError {
	return refuse(429, 30046, "Maximum number of edits to messages older than 1 hour reached. Try again later")
}
func errOpeningDMs() *apiError { return refuse(400, 40003, "You are opening direct messages too fast") }
func errTooLarge() *apiError   { return refuse(413, 40005, "Request entity too large") }
func errAcknowledged() *apiError {
	return refuse(400, 40060, "Interaction has already been acknowledged.")
}
func errMissingAccess() *apiError { return refuse(403, 50001, "Missing Access") }
func errNotAuthor() *apiError {
	return refuse(403, 50005, "Cannot edit a message authored by another user")
}
func errEmptyMessage() *apiError      { return refuse(400, 50006, "Cannot send an empty message") }
func errCannotDM() *apiError          { return refuse(403, 50007, "Cannot send messages to this user") }
func errNotText() *apiError           { return refuse(400, 50008, "Cannot send messages in a non-text channel") }
func errMissingPermission() *apiError { return refuse(403, 50013, "Missing Permissions") }
func errChannelType() *apiError {
	return refuse(400, 50024, "Cannot execute action on this channel type")
}
func errWebhookToken() *apiError { return refuse(401, 50027, "Invalid Webhook Token") }
func errRecipient() *apiError    { return refuse(400, 50033, "Invalid Recipient(s)") }
func errArchived() *apiError     { return refuse(400, 50083, "Thread is archived") }
func errInvalidJSON() *apiError  { return refuse(400, 50109, "The request body contains invalid JSON.") }
func errNoMutualGuild() *apiError {
	return refuse(403, 50278, "Cannot send messages to this user due to having no mutual guilds")
}
func errThreadExists() *apiError {
	return refuse(400, 160004, "A thread has already been created for this message")
}
func errThreadLocked() *apiError { return refuse(400, 160005, "Thread is locked") }

// problems is the tree of faults of a body: Discord's "errors".
type problems struct {
	own      []problem
	children map[string]*problems
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p *problems) add(path []string, code, message string) {
	for _, key := range path {
		if p.children == nil {
			p.children = map[string]*problems{}
		}
		if p.children[key] == nil {
			p.children[key] = &problems{}
		}
		p = p.children[key]
	}
	p.own = append(p.own, problem{code, message})
}

func (p *problems) empty() bool { return len(p.own) == 0 && len(p.children) == 0 }

// MarshalJSON writes Discord's shape: the faults of a field stand under _errors, and
// then those of what is in it are left out.
func (p *problems) MarshalJSON() ([]byte, error) {
	if len(p.own) > 0 {
		return json.Marshal(map[string]any{"_errors": p.own})
	}
	return json.Marshal(p.children)
}

func errForm(p *problems) *apiError {
	return &apiError{status: 400, code: 50035, message: "Invalid Form Body", errors: p}
}
