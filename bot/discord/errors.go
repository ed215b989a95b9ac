package discord

import (
	"fmt"
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
	// Err is the cause below, if any: context errors and network errors.
	Err error
}

// Error gives the operation and the reason in one line.
func (e *Error) Error() string {
	s := "discord: " + e.Op
	if e.Status != 0 {
		s += fmt.Sprintf(": HTTP %d", e.Status)
	}
	if e.Code != 0 {
		s += fmt.Sprintf(": code %d", e.Code)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	for _, f := range e.Fields {
		s += "; " + f
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
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
	TooLarge                         // file refused: send again without it
	Blocked                          // the text was blocked by a filter: use a neutral one
	Invalid                          // our fault: log, never retry
	CommandLimit                     // do not register again in a loop
	UnknownCommand                   // register commands once
	Cancelled                        // the caller's context ended
	Other                            // anything else: treat as a failure, no retry
)
