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
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
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

// Client is one bot on one Discord. All methods may be used at the same time,
// before, during and after Run.
type Client struct {
	cfg    Config
	log    *slog.Logger
	base   string
	rest   *discordgo.Session
	web    *http.Transport
	limits *limits

	refused atomic.Pointer[Error] // the answer that refused the bot token
	token   credit
	ended   chan struct{} // closed with the first fatal error
	finish  sync.Once
	dead    *FatalError // set before ended is closed

	connected atomic.Bool
	who       atomic.Pointer[identity]
	gate      gateway
}

// identity is what is known of the bot itself.
type identity struct{ app, user, name string }

const (
	defaultAPI   = "https://discord.com/api"
	defaultAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, 0.29.0)"

	textRefused = "Discord refused the bot token: copy it again from the developer portal (Bot, Reset Token) into DISCORD_TOKEN"
)

var loggerOnce sync.Once

// New checks cfg and returns a Client that has not connected.
func New(cfg Config) (*Client, error) {
	cfg.Token = strings.TrimPrefix(strings.TrimSpace(cfg.Token), "Bot ")
	if cfg.Token == "" || strings.ContainsFunc(cfg.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("discord: the bot token is empty or holds characters no token has")
	}
	if cfg.APIURL == "" {
		cfg.APIURL = defaultAPI
	}
	base, err := url.Parse(strings.TrimRight(cfg.APIURL, "/"))
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, errors.New("discord: the API address must be an http or https URL")
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("discord: the API address must not have a query")
	}
	cfg.fillDefaults()
	loggerOnce.Do(func() { discordgo.Logger = logDiscordgo })

	c := &Client{cfg: cfg, log: cfg.Log, base: base.String() + "/v10", ended: make(chan struct{})}
	c.limits = newLimits(cfg.Now, cfg.Sleep)
	c.web = &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	if cfg.DialContext != nil {
		c.web.Proxy, c.web.DialContext = nil, cfg.DialContext
	}
	// The session gets neither token nor address: both are put in by the edge.
	c.rest, err = newSession(&http.Client{
		Transport: &edge{base: c.base, auth: "Bot " + cfg.Token, agent: cfg.UserAgent, network: c.web},
	})
	if err != nil {
		return nil, err
	}
	c.gate.init(c)
	return c, nil
}

func (cfg *Config) fillDefaults() {
	if cfg.UserAgent == "" {
		cfg.UserAgent = defaultAgent
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	if cfg.CallTimeout <= 0 {
		cfg.CallTimeout = 15 * time.Second
	}
	if cfg.OpenTimeout <= 0 {
		cfg.OpenTimeout = 45 * time.Second
	}
}

// newSession makes a discordgo Session in which everything it does on its own is
// switched off: state, reconnecting, retries.
func newSession(client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot ***")
	if err != nil {
		return nil, err
	}
	s.StateEnabled, s.SyncEvents, s.Compress = false, true, false
	s.ShouldReconnectOnError, s.ShouldReconnectVoiceOnSessionError = false, false
	s.ShouldRetryOnRateLimit, s.MaxRestRetries = false, 0
	s.LogLevel = discordgo.LogError
	s.Identify.Intents = discordgo.IntentsGuilds
	s.Identify.Compress = false
	s.Client = client
	return s, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) jitter() float64 { return c.cfg.Jitter() }

// redact removes the bot token from a text that came from outside.
func (c *Client) redact(s string) string { return strings.ReplaceAll(s, c.cfg.Token, "***") }

// fatal ends Run, now or when it is called.
func (c *Client) fatal(e *FatalError) {
	c.finish.Do(func() {
		c.dead = e
		close(c.ended)
	})
}

// Connected reports whether the gateway session stands.
func (c *Client) Connected() bool { return c.connected.Load() }

func (c *Client) identity() identity {
	if w := c.who.Load(); w != nil {
		return *w
	}
	return identity{}
}

// learn keeps what an event or answer said about the bot itself.
func (c *Client) learn(app, user, name string) {
	for {
		old := c.who.Load()
		known := identity{}
		if old != nil {
			known = *old
		}
		merged := identity{app: cmp.Or(app, known.app), user: cmp.Or(user, known.user), name: cmp.Or(name, known.name)}
		if merged == known || c.who.CompareAndSwap(old, &merged) {
			return
		}
	}
}
