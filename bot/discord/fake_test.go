package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

const (
	testToken = "BOT.SECRET.TOKEN"
	testPress = "PRESS-SECRET-TOKEN"
)

// pipes is a network in memory, so that time in a synctest bubble can pass.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// sentRequest is one REST request as the fake saw it.
type sentRequest struct {
	Method, Path string
	Header       http.Header
	Body         []byte
	At           time.Time
}

// fake is a scripted server that speaks as much of Discord as a test wants.
type fake struct {
	t   testing.TB
	net *pipes
	web *http.Server

	// rest answers everything but the gateway routes; nil answers 204.
	rest func(w http.ResponseWriter, r *http.Request)
	// gateway is the script of the n-th gateway connection, from 1.
	gateway func(n int, p *peer)
	// bot overrides the answer to GET /gateway/bot.
	bot http.HandlerFunc

	mu         sync.Mutex
	requests   []sentRequest
	dials      int
	identifies []json.RawMessage
	resumes    []json.RawMessage
	closes     []int // close codes the client sent
	paths      []string
}

func newFake(t testing.TB) *fake {
	f := &fake{t: t, net: newPipes()}
	f.web = &http.Server{Handler: f}
	go func() { _ = f.web.Serve(f.net) }()
	return f
}

// close ends the server; in a bubble it must be called before the bubble ends.
func (f *fake) close() {
	f.net.Close()
	f.web.Close()
}

func (f *fake) client(edit func(*Config)) *Client {
	f.t.Helper()
	cfg := Config{
		Token: testToken, APIURL: "http://discord.test/api/", DialContext: f.net.Dial,
		Jitter: func() float64 { return 0.5 },
	}
	if edit != nil {
		edit(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/ws") {
		f.serveGateway(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	f.requests = append(f.requests, sentRequest{r.Method, r.URL.RequestURI(), r.Header, body, time.Now()})
	f.mu.Unlock()
	switch {
	case r.URL.Path == "/api/v10/gateway/bot" && f.bot != nil:
		f.bot(w, r)
	case r.URL.Path == "/api/v10/gateway/bot":
		fmt.Fprint(w, `{"url":"ws://discord.test/ws","shards":1,"session_start_limit":{"total":1000,"remaining":999,"reset_after":1000,"max_concurrency":1}}`)
	case f.rest != nil:
		f.rest(w, r)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (f *fake) sent() []sentRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sentRequest(nil), f.requests...)
}

func (f *fake) count() (identifies, resumes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.identifies), len(f.resumes)
}

func (f *fake) serveGateway(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	f.mu.Lock()
	f.dials++
	n := f.dials
	f.paths = append(f.paths, r.URL.RequestURI())
	f.mu.Unlock()
	// A pipe holds no bytes, as a socket would: the queue does.
	p := &peer{f: f, conn: conn, out: make(chan frame, 1000)}
	written := make(chan struct{})
	go func() {
		defer close(written)
		for m := range p.out {
			_ = conn.WriteMessage(m.kind, m.data)
		}
	}()
	f.gateway(n, p)
	close(p.out)
	<-written
}

type frame struct {
	kind int
	data []byte
}

// peer is the server's end of one gateway connection.
type peer struct {
	f    *fake
	conn *websocket.Conn
	out  chan frame
	mute bool // heartbeats are not answered
	seq  int
}

func (p *peer) send(op int, kind string, d string) {
	seq := "null"
	if op == opDispatch {
		p.seq++
		seq = fmt.Sprint(p.seq)
	}
	if kind != "" {
		kind = `"` + kind + `"`
	} else {
		kind = "null"
	}
	p.raw(fmt.Sprintf(`{"op":%d,"s":%s,"t":%s,"d":%s}`, op, seq, kind, d))
}

func (p *peer) raw(s string) { p.out <- frame{websocket.TextMessage, []byte(s)} }

func (p *peer) closeWith(code int) {
	p.out <- frame{websocket.CloseMessage, websocket.FormatCloseMessage(code, "because")}
}

// read returns the next packet that is not a heartbeat; ok is false at the end.
func (p *peer) read() (op int, d json.RawMessage, ok bool) {
	for {
		_, data, err := p.conn.ReadMessage()
		if err != nil {
			if e, is := err.(*websocket.CloseError); is {
				p.f.mu.Lock()
				p.f.closes = append(p.f.closes, e.Code)
				p.f.mu.Unlock()
			}
			return 0, nil, false
		}
		var m struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			p.f.t.Errorf("client sent %q", data)
			return 0, nil, false
		}
		switch m.Op {
		case opHeartbeat:
			if !p.mute {
				p.send(opHeartbeatAck, "", "null")
			}
			continue
		case opIdentify:
			p.f.mu.Lock()
			p.f.identifies = append(p.f.identifies, m.D)
			p.f.mu.Unlock()
		case opResume:
			p.f.mu.Lock()
			p.f.resumes = append(p.f.resumes, m.D)
			p.f.mu.Unlock()
		}
		return m.Op, m.D, true
	}
}

// open greets and reads IDENTIFY or RESUME.
func (p *peer) open() (op int, ok bool) {
	p.send(opHello, "", `{"heartbeat_interval":41250}`)
	op, _, ok = p.read()
	return op, ok
}

const readyData = `{"v":10,"user":{"id":"900","username":"paladin","bot":true},"guilds":[{"id":"1","unavailable":true}],"session_id":"S1","application":{"id":"900","flags":0}}`

// start greets, and answers IDENTIFY with READY and RESUME with RESUMED.
func (p *peer) start() bool {
	op, ok := p.open()
	switch {
	case !ok:
		return false
	case op == opResume:
		p.send(opDispatch, "RESUMED", "{}")
	default:
		p.send(opDispatch, "READY", readyData)
	}
	return true
}

// stay keeps the connection until the client ends it.
func (p *peer) stay() {
	for {
		if _, _, ok := p.read(); !ok {
			return
		}
	}
}

// recorder collects events.
type recorder struct {
	mu     sync.Mutex
	events []Event
}

func (r *recorder) handle(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) all() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

func (r *recorder) readies() (fresh, resumed int) {
	for _, e := range r.all() {
		if ready, ok := e.(*Ready); ok {
			if ready.Resumed {
				resumed++
			} else {
				fresh++
			}
		}
	}
	return fresh, resumed
}

// run starts Run in the background of a bubble.
func run(c *Client, handle func(Event)) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- c.Run(ctx, handle) }()
	return func() error {
		cancel()
		err := <-result
		synctest.Wait() // the server has seen the end too
		return err
	}
}

// pass lets virtual time go by, then waits until all is quiet.
func pass(d time.Duration) {
	<-time.After(d) // inside a bubble: no real time passes
	synctest.Wait()
}

// capture is a logger that keeps everything.
type capture struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.Write(p)
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.String()
}

func (c *capture) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(c, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func press() *Interaction {
	return &Interaction{
		ID: "1000", Token: testPress, ApplicationID: "900", Kind: KindComponent, Channel: "77",
		Message: Pressed{ID: "500", Channel: "77"}, Received: time.Now(),
	}
}
