package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// stableAfter is the uptime after which a session was worth its IDENTIFY.
	stableAfter = 2 * time.Minute
	// Back-offs grow from one second, doubling. Those of dials, which cost
	// nothing, end at half a minute: as soon as the server is back people press.
	// Those of IDENTIFYs end at four minutes, of which at least half is waited:
	// that is at most 720 new sessions a day, below Discord's 1000 and our own
	// limit.
	firstBackoff    = time.Second
	lastBackoff     = 30 * time.Second
	identifyBackoff = 4 * time.Minute
	// shortLived is how long a connection stands that counts as dropped at once.
	// A server may drop one so; after a second in a row the next one begins no
	// sooner than that after the last.
	shortLived = time.Second
	// invalidWait and invalidSpread are the random one to five seconds for which
	// Discord asks after an INVALID_SESSION.
	invalidWait   = time.Second
	invalidSpread = 4 * time.Second
	// identifyPace is the time between two IDENTIFYs that Discord asks for.
	identifyPace = 5 * time.Second
	// dailyIdentifies is where this bot stops by itself. At 1000 in 24 hours
	// Discord ends all sessions and resets the token.
	dailyIdentifies = 900
	// maxResumes is how often an unconfirmed RESUME is tried.
	maxResumes = 2
)

// gateway is what outlives one connection.
type gateway struct {
	c *Client

	mu           sync.Mutex
	identifies   Identifies
	uncounted    bool // the identifies could not be read
	lastIdentify time.Time
	limit        int           // of identifies in a day, from the server
	begun        int           // IDENTIFYs since a connection last stood for stableAfter
	heard        time.Time     // when the last packet came
	standing     *relay        // the connection, from READY or RESUMED to its end
	listening    chan struct{} // closed with the next packet or the connection's end; nil while nobody waits

	// The rest belongs to the goroutine of Run.
	address   string // of new sessions
	session   session
	failures  int // connections in a row that came to no answer
	invalids  int // INVALID_SESSIONs in a row
	drops     int // short-lived connections in a row
	resumes   int // RESUMEs in a row without a RESUMED
	translate translator
}

// session is what a RESUME needs.
type session struct {
	id  string
	url string
	seq int64
}

func (g *gateway) init(c *Client) {
	g.c = c
	g.limit = dailyIdentifies
	g.translate = translator{now: c.cfg.Now, learn: c.learn, who: c.identity, known: map[string]bool{}}
}

// Run connects and hands every event to handle, in the order Discord sent them,
// from one goroutine. handle must not block: no further event is read meanwhile.
// Run keeps the connection up whatever happens to it, and returns nil when ctx
// ends and a *FatalError when going on makes no sense. It is called once.
func (c *Client) Run(ctx context.Context, handle func(Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-c.ended:
			cancel()
		case <-stop:
		}
	}()
	defer c.web.CloseIdleConnections()
	defer c.connected.Store(false)

	g := &c.gate
	g.load()
	for {
		end := g.attempt(ctx, handle)
		stood := c.connected.Swap(false) // also where a bug ended it
		select {
		case <-c.ended:
			return c.dead
		default:
		}
		if end.fatal != nil {
			c.fatal(end.fatal)
			return c.dead
		}
		if ctx.Err() != nil {
			return nil
		}
		if stood {
			g.guarded("the end of a connection", func() { handle(&Disconnected{Heard: c.Heard()}) })
		}
		wait := g.next(end)
		level, what := slog.LevelInfo, "gateway connection ended"
		if end.uptime == 0 && end.code == 0 && !end.invalid {
			// The server cannot be reached. Nobody can play until it can, so that those hear of it who read warnings alone.
			level, what = slog.LevelWarn, "no gateway connection"
		}
		c.log.Log(ctx, level, what, "reason", end.reason(c), "uptime", end.uptime.Round(time.Second),
			"resume", g.session.id != "", "wait", wait.Round(time.Millisecond))
		if wait > 0 && c.cfg.Sleep(ctx, wait) != nil {
			continue // the next connect sees that ctx is done
		}
	}
}

// load reads the count of IDENTIFYs that earlier processes sent. One that cannot be read must not
// keep the bot from its games: most of a day's are taken to be used.
func (g *gateway) load() {
	if g.c.cfg.LoadIdentifies == nil {
		return
	}
	known, err := g.c.cfg.LoadIdentifies()
	if err == nil && (known.Count < 0 || known.Count > dailyIdentifies) {
		err = fmt.Errorf("there cannot have been %d", known.Count)
	}
	if err != nil {
		g.c.log.Error("the count of sessions started today cannot be read: few more will be started within a day", "error", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.uncounted = err != nil; !g.uncounted {
		g.identifies = known
	}
}

// assume makes up for a count that could not be read, once it is known what the server allows.
// g.mu is held.
func (g *gateway) assume() {
	if g.uncounted {
		g.uncounted = false
		g.identifies = Identifies{Since: g.c.cfg.Now(), Count: g.limit * 9 / 10}
	}
}

// ending says how a connection ended.
type ending struct {
	fatal   *FatalError
	code    int    // close code of the server, 0 if none
	text    string // what happened, as far as this side knows
	err     error
	uptime  time.Duration // since READY or RESUMED, 0 if it never came
	noDial  bool          // no connection came about
	resumed bool          // a RESUME was sent
	invalid bool          // op 9
	keep    bool          // op 9 with d true: the session may be resumed
	after   time.Duration // the least wait the server asks for
}

func (e *ending) reason(c *Client) string {
	switch {
	case e.text != "" && e.code != 0:
		return fmt.Sprintf("%s (the server closed with code %d)", e.text, e.code)
	case e.code != 0:
		return fmt.Sprintf("closed with code %d", e.code)
	case e.text != "" && e.err != nil:
		return e.text + ": " + c.redact(e.err.Error())
	case e.err != nil:
		return c.redact(e.err.Error())
	}
	return e.text
}

// next decides from the end of one connection how the next begins, and after
// which wait.
func (g *gateway) next(end *ending) time.Duration {
	up := end.uptime > 0
	switch {
	case up:
		g.resumes = 0
	case end.resumed:
		g.resumes++
	}
	gone := end.code == 4007 || end.code == 4009 || (end.invalid && !end.keep)
	if gone || g.resumes >= maxResumes {
		g.session, g.resumes = session{}, 0
	}
	if !up {
		// The address may be what is wrong.
		if end.noDial && g.session.url == "" {
			g.address = ""
		}
		g.session.url = ""
	}
	wait := max(g.pause(end), end.after)
	if g.session.id == "" {
		wait = max(wait, g.untilIdentify())
	}
	return wait
}

// attempt is connect. A panic in it is a bug here; it costs one connection, and
// the next one comes after the wait of a failed one.
func (g *gateway) attempt(ctx context.Context, handle func(Event)) (end *ending) {
	defer func() {
		if p := recover(); p != nil {
			g.c.log.Error("bug: the gateway connection panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			g.stands(nil)
			end = &ending{text: "a bug of this program"}
		}
	}()
	return g.connect(ctx, handle)
}

// pause is how long the server is left alone after the end of a connection,
// whatever the next one begins with.
func (g *gateway) pause(end *ending) time.Duration {
	if end.uptime == 0 && !end.invalid {
		g.failures++
		return g.backoff(g.failures, lastBackoff)
	}
	// It answered, so earlier failures say nothing about the next dial.
	g.failures = 0
	var wait time.Duration
	if end.uptime > 0 {
		if end.resumed || end.uptime >= stableAfter {
			g.invalids = 0
		}
		if end.uptime >= shortLived {
			g.drops = 0
		} else if g.drops++; g.drops > 1 {
			wait = shortLived
		}
	}
	if end.invalid {
		// So does a healthy server; only one that keeps at it is left alone for
		// longer, as one that does not answer.
		wait = max(wait, invalidWait+time.Duration(g.c.jitter()*float64(invalidSpread)))
		if g.invalids++; g.invalids > 1 {
			wait = max(wait, g.backoff(g.invalids-1, lastBackoff))
		}
	}
	return wait
}

// untilIdentify is how long no IDENTIFY may be sent: Discord wants five seconds
// between two, and sessions that do not last must not use up the day's number.
func (g *gateway) untilIdentify() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lastIdentify.IsZero() {
		return 0
	}
	wait := identifyPace
	if g.begun > 1 {
		wait = max(wait, g.backoff(g.begun, identifyBackoff))
	}
	return g.lastIdentify.Add(wait).Sub(g.c.cfg.Now())
}

// backoff is the wait after so many failures in a row: between half of it and all.
func (g *gateway) backoff(failures int, last time.Duration) time.Duration {
	wait := min(firstBackoff<<min(failures-1, 10), last)
	return wait/2 + time.Duration(g.c.jitter()*float64(wait/2))
}

// connect holds one connection from dialling to its end.
func (g *gateway) connect(ctx context.Context, handle func(Event)) *ending {
	address := g.session.url
	if address == "" {
		address = g.address
	}
	if g.session.id == "" || address == "" {
		if end := g.find(ctx); end != nil && (g.address == "" || !barred(end.err)) {
			return end
		}
		address = g.address
	}
	if g.session.id == "" {
		if fatal := g.mayIdentify(); fatal != nil {
			return &ending{fatal: fatal}
		}
	}
	r := &relay{gate: g, handle: handle, old: g.session}
	return r.run(ctx, address)
}

// barred reports whether a call did not reach Discord because calls pause, or was
// refused in front of it. That says nothing of the gateway, which is elsewhere: a
// session that begins at the address known so far lets people press meanwhile, and
// the answers to their presses tell when the pause is over.
func barred(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == 0 && e.RetryAfter > 0 || e.Cloudflare || e.denied())
}

// find asks where the gateway is and how many sessions may still be started.
// discordgo would ask for the address alone and without regard for the limits.
func (g *gateway) find(ctx context.Context) *ending {
	rq := &request{op: "find gateway", method: http.MethodGet, route: "/gateway/bot", path: "/gateway/bot", safe: true, maybe: true}
	var w struct {
		URL    text `json:"url"`
		Limits *struct {
			Total      num  `json:"total"`
			Remaining  *num `json:"remaining"`
			ResetAfter num  `json:"reset_after"` // milliseconds
		} `json:"session_start_limit"`
	}
	err := g.c.fetch(ctx, rq, &w)
	if class := Classify(err); err != nil && (class == Other || class == Invalid) {
		rq.route, rq.path = "/gateway", "/gateway" // some servers know only this one
		err = g.c.fetch(ctx, rq, &w)
	}
	if err != nil {
		return &ending{err: err, after: RetryAfter(err)}
	}
	address, err := gatewayURL(string(w.URL))
	if err != nil {
		return &ending{text: "the server names no usable gateway address", err: err}
	}
	g.address = address
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limit = dailyIdentifies
	defer g.assume()
	if w.Limits == nil {
		return nil
	}
	if w.Limits.Total > 0 {
		g.limit = min(g.limit, max(1, int(w.Limits.Total)*9/10))
	}
	if left := w.Limits.Remaining; left != nil && *left <= 0 && w.Limits.Total > 0 {
		after := time.Duration(min(max(w.Limits.ResetAfter, 0), 48*3600*1000)) * time.Millisecond
		return &ending{fatal: budgetError(g.c.cfg.Now().Add(after))}
	}
	return nil
}

// gatewayURL checks an address and asks for the API version this bot speaks.
func gatewayURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "ws" && u.Scheme != "wss") || u.Host == "" {
		return "", errors.New("not a ws or wss address")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	q := u.Query()
	q.Set("v", "10")
	q.Set("encoding", "json")
	q.Del("compress")
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func budgetError(again time.Time) *FatalError {
	return &FatalError{Text: fmt.Sprintf("too many new sessions in a day, and Discord would reset the bot token at 1000: "+
		"find out what keeps ending the connection, then start again after %s", again.UTC().Format("2006-01-02 15:04 UTC"))}
}

// mayIdentify refuses when the day's IDENTIFYs are used up.
func (g *gateway) mayIdentify() *FatalError {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.newDay()
	if g.identifies.Count >= g.limit {
		return budgetError(g.identifies.Since.Add(24 * time.Hour))
	}
	return nil
}

// newDay begins a new count when the old one is a day old, or lies in the future
// because the clock was set back. g.mu is held.
func (g *gateway) newDay() {
	now := g.c.cfg.Now()
	if age := now.Sub(g.identifies.Since); age < 0 || age >= 24*time.Hour {
		g.identifies = Identifies{Since: now}
	}
}

// identifying counts an IDENTIFY before it is sent.
func (g *gateway) identifying() {
	g.mu.Lock()
	g.newDay()
	g.identifies.Count++
	g.begun++
	g.lastIdentify = g.c.cfg.Now()
	count := g.identifies
	g.mu.Unlock()
	if g.c.cfg.SaveIdentifies == nil {
		return
	}
	if err := g.c.cfg.SaveIdentifies(count); err != nil {
		g.c.log.Warn("the count of IDENTIFYs could not be kept", "error", err)
	}
}

// dispatch hands one event on.
func (g *gateway) dispatch(handle func(Event), kind string, data json.RawMessage) {
	g.guarded(kind, func() {
		e := g.translate.event(kind, data)
		if e == nil {
			return
		}
		if i, ok := e.(*Interaction); ok && (i.ID == "" || i.Token == "") {
			g.c.log.Warn("an interaction without id or token cannot be answered")
			return
		}
		handle(e)
	})
}

// guarded does what an event leads to. A panic in the handler is a bug there; it
// costs one event here and not the process with all its games.
func (g *gateway) guarded(kind string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			g.c.log.Error("the handler of an event panicked", "event", kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	f()
}

// hear notes that a packet came.
func (g *gateway) hear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = g.c.cfg.Now()
	g.listened()
}

// listened wakes those who wait for a packet. g.mu is held.
func (g *gateway) listened() {
	if g.listening != nil {
		close(g.listening)
		g.listening = nil
	}
}

// stands notes which connection stands; nil at its end.
func (g *gateway) stands(r *relay) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.standing = r
	g.listened()
}

// lived forgives the IDENTIFYs that led to a connection that lasted.
func (g *gateway) lived() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = 0
}

// Heard is when the last packet came over the gateway, by Config.Now; zero
// before the first.
func (c *Client) Heard() time.Time {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.gate.heard
}

// Alive asks the server for a sign of life with a heartbeat and waits for any
// packet. It is false when none came before ctx ended, and when no connection
// stands. A connection that broke without a word is noticed by its silence after
// two heartbeats; until then this tells it from one on which nothing happens.
func (c *Client) Alive(ctx context.Context) bool {
	g := &c.gate
	g.mu.Lock()
	r := g.standing
	if r != nil && g.listening == nil {
		g.listening = make(chan struct{})
	}
	packet := g.listening
	g.mu.Unlock()
	if r == nil || r.beat() != nil {
		return false
	}
	select {
	case <-packet:
	case <-ctx.Done():
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.standing == r
}

// fatalClose tells the close codes after which connecting again is useless.
func fatalClose(code int) *FatalError {
	text := ""
	switch code {
	case 4004:
		text = textRefused
	case 4010, 4011:
		text = "Discord wants this bot to be split into shards, which this program does not do"
	case 4012:
		text = "Discord no longer speaks the gateway version this program uses: update the program"
	case 4013:
		text = "Discord calls the requested intents invalid: update the program"
	case 4014:
		text = "Discord does not allow this bot an intent it asked for: check the bot's page in the developer portal"
	default:
		return nil
	}
	return &FatalError{Close: code, Text: text}
}

// dialer opens the connection to the server.
func (c *Client) dialer() *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 15 * time.Second}
	if c.cfg.DialContext != nil {
		d.Proxy = nil
		d.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			return c.cfg.DialContext(ctx, network, addr)
		}
	}
	return d
}
