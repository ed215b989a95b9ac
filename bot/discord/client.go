// Package discord is the bot's only door to Discord: one gateway connection
// that is supervised and resumed, one REST edge that obeys Discord's limits, and
// interactions parsed without trust in what was sent.
//
// Nothing here knows the game. Events come out of [Client.Run] as plain values
// in the order Discord sent them; calls go in with a context and come back with
// an [Error] whose [Class] says what to do. Neither the bot's token nor an
// interaction's token is ever part of an error or of a log line.
package discord

import (
	"context"
	"log/slog"
	"net"
	"time"
)

// Config is what a Client needs to know. Only Token is required.
type Config struct {
	// Token is the bot token, without the "Bot " prefix.
	Token string
	// APIURL is the base of the REST API without a version; a trailing slash is
	// allowed. Empty means Discord's own.
	APIURL string
	// GuildID, when set, is the one guild in which commands are registered by
	// SyncCommands with an empty guild.
	GuildID string
	// UserAgent has the form Discord asks for: "DiscordBot (url, version)".
	UserAgent string

	// Log receives what operators should know. Nil discards it.
	Log *slog.Logger
	// Observe is called after every HTTP request, from the goroutine that made
	// it. It must not block.
	Observe func(Call)

	// Now is the clock of every limit and budget; nil means time.Now.
	Now func() time.Time
	// Sleep waits for d or until ctx is done, and then returns the cause. It is
	// used for back-off and rate limits, never for network deadlines.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0, 1); nil means a random one.
	Jitter func() float64
	// DialContext opens every TCP connection, REST and gateway; nil means the
	// network (and the proxy settings of the environment).
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)

	// LoadIdentifies and SaveIdentifies keep the count of IDENTIFYs over
	// restarts: Discord resets the token of a bot that sends 1000 in a day. Save
	// is called before each IDENTIFY. Nil keeps the count in memory only.
	LoadIdentifies func() (Identifies, error)
	SaveIdentifies func(Identifies) error

	// CallTimeout bounds one REST call with all its waiting and retries when the
	// caller's context has no earlier deadline; 0 means 15 seconds.
	CallTimeout time.Duration
	// OpenTimeout bounds the time from dialling the gateway to READY or RESUMED;
	// 0 means 45 seconds.
	OpenTimeout time.Duration
}

// Identifies is the number of IDENTIFYs sent in the 24 hours that began at Since.
type Identifies struct {
	Since time.Time `json:"since"`
	Count int       `json:"count"`
}

// Call describes one finished HTTP request for metrics.
type Call struct {
	Route    string // template, e.g. "/channels/{channel}/messages/{message}"
	Method   string
	Status   int // 0 when no answer arrived
	Code     int // Discord's JSON error code, 0 if none
	Duration time.Duration
	// Counted tells whether the request falls under the law of 50 a second;
	// interaction callbacks, follow-ups and edits by token do not.
	Counted bool
}

// FatalError ends Run: going on would be useless or harmful. Its text is one
// sentence for the operator.
type FatalError struct {
	// Close is the gateway close code (4004, 4010 to 4014), 0 if none.
	Close int
	// Text says what is wrong and how to mend it.
	Text string
	// Err is the cause, if there is one.
	Err error
}

func (e *FatalError) Error() string { return e.Text }

func (e *FatalError) Unwrap() error { return e.Err }
