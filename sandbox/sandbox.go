// Package sandbox is Discord on loopback: the REST API and the gateway, as far
// as a bot with slash commands, components, modals, direct messages and threads
// uses them, and the people on the other side of it.
//
// It serves two purposes. Somebody without a token can try the bot, and the
// tests of this repository have something to be judged by: the sandbox refuses
// what Discord refuses, with Discord's statuses, codes and error shape, and it
// keeps Discord's clocks (three seconds for a first answer, fifteen minutes for
// an interaction token) by the clock it is given.
//
// A [Server] has three sides. [Server.Handler] is the bot's: HTTP and websocket,
// nothing else. The people's side are methods such as [Server.Press] and
// [Server.Messages]; each acts as one user and does only what that user could do
// in a Discord client, apart from [Server.ForgePress] and [Server.SendRaw], which
// do what a modified client could. The third side arranges the world:
// [Server.AddUser], [Server.SetPermissions], [Server.Fault] and the like.
//
// All methods are safe for concurrent use.
package sandbox

import (
	"log/slog"
	"net/http"
	"time"
)

// Config says how a sandbox is set up. The zero value is an in-memory sandbox on
// the system clock.
type Config struct {
	// Path is the bbolt file of the sandbox's own side: users, guilds, channels,
	// messages, commands, ids. Everything a person has been shown is in it before
	// they are shown it. Empty keeps everything in memory.
	Path string

	// Now is the clock for every limit, expiry and id. Nil is time.Now.
	Now func() time.Time

	// AfterFunc starts a timer on the clock of Now, so that what has run out (the
	// three seconds of an interaction) is noticed by itself. Nil is
	// time.AfterFunc when Now is nil too; with a Now of your own and no AfterFunc,
	// call [Server.Expire] after moving the clock.
	AfterFunc func(time.Duration, func()) (stop func() bool)

	// Log receives what the sandbox refuses (at Debug) and its own failures. Nil
	// discards.
	Log *slog.Logger

	// BotName is the name of the bot user of a new sandbox. Empty is "Paladin".
	BotName string

	// ApplicationID is the snowflake of the application and its bot user in a new
	// sandbox. Empty draws one.
	ApplicationID string

	// Token is the bot's token. Empty takes the one in Path, or makes one.
	Token string

	// Limits are the rate limits; zero fields take Discord's.
	Limits Limits
}

// Limit allows N requests in each window of Per; a negative N allows any number.
type Limit struct {
	N   int
	Per time.Duration
}

// Limits are the rate limits the sandbox enforces, by its clock.
type Limits struct {
	Global   Limit // all routes but those of interactions; 50 a second
	Create   Limit // creating messages, per channel; 5 in 5 s
	Edit     Limit // editing messages, per channel; 5 in 5 s
	OldEdit  Limit // editing messages older than an hour, per channel; 3 in 6 s, then 30046
	Delete   Limit // deleting messages, per channel; 5 a second
	Webhook  Limit // follow-ups and edits, per interaction token; 5 in 2 s
	Channel  Limit // changing a channel's name or topic; 2 in 10 min
	OpenDM   Limit // opening DM channels, then 40003; 20 in 10 min
	Other    Limit // every other route, each by itself; 20 in 1 s
	Identify Limit // gateway sessions; 1000 in 24 h, then the token is void (4004)

	// Concurrency is how many sessions may be identified in a moment, else op 9.
	// Discord allows 1 in 5 s; the zero value allows any number, so that a test can
	// restart its bot without moving the clock.
	Concurrency Limit
}

// Open loads the sandbox in cfg.Path, or creates it: an application with its bot
// user, the guild "Sandbox" with the text channels #paladin-table and
// #second-table, and five members, Ann (the owner), Ben, Cleo, Dan and Eve.
func Open(cfg Config) (*Server, error) { return open(cfg) }

// Handler serves the bot: the API under /api/v10/ and /api/v9/, the gateway's
// websocket under /gateway, and uploaded files under /attachments/ and /emojis/.
func (s *Server) Handler() http.Handler { return s.handler() }

// Token is the bot's token, without the "Bot " in front of it.
func (s *Server) Token() string { return s.token }

// ApplicationID is the snowflake of the application, which is its bot user's too.
func (s *Server) ApplicationID() string { return s.appID }

// Close drops every gateway connection and closes the file. Requests after it
// fail with 503.
func (s *Server) Close() error { return s.close() }
