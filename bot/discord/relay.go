package discord

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes.
const (
	opDispatch     = 0
	opHeartbeat    = 1
	opIdentify     = 2
	opResume       = 6
	opReconnect    = 7
	opInvalid      = 9
	opHello        = 10
	opHeartbeatAck = 11
)

const (
	// maxPacket bounds one gateway message; large guilds take a few megabytes.
	maxPacket = 64 << 20
	// writeLimit bounds every write, so that a dead peer cannot hold a goroutine.
	writeLimit = 10 * time.Second
	// heartbeatDefault is used if the server names no usable interval.
	heartbeatDefault = 41250 * time.Millisecond
	// settle is how long a Session may come to rest before its pipe closes: its
	// Close sleeps a second with the lock held that its heartbeat wants.
	settle = 100 * time.Millisecond
	// closeResumable ends a connection without ending the session, which 1000
	// and 1001 would.
	closeResumable = 4900
)

// relay stands between a discordgo Session and the server, on one connection.
//
// The Session connects to an in-memory pipe. It is shown the packets it needs to
// identify and to keep its heart beating, and no other: not RECONNECT and
// INVALID_SESSION, at which its Open deadlocks, and no event, because it drops
// the interactions it cannot decode, panics on guilds without fields, and would
// decode all others for nothing. Nor does it learn the token. When a connection
// ends, its Session goes with it, and the next begins with a fresh one; the
// relay turns its IDENTIFY into a RESUME. So nothing that goes wrong in a
// Session outlives its connection.
type relay struct {
	gate   *gateway
	handle func(Event)

	up       *websocket.Conn // to the server
	upWrites sync.Mutex
	down     *websocket.Conn // to the Session

	old     session      // to be resumed, if it has an id
	resumed atomic.Bool  // a RESUME was sent
	over    atomic.Bool  // the connection has ended; the Session may not know yet
	seq     atomic.Int64 // of the last dispatch, 0 if none

	interval time.Duration // between heartbeats, 0 before HELLO
	began    time.Time     // when READY or RESUMED came, zero before
	watchdog *time.Timer   // runs from then on

	mu   sync.Mutex
	peer *websocket.Conn // up, for those who close it
	why  string          // why this side closed the connection
}

// packet is a message from the server.
type packet struct {
	Op  num             `json:"op"`
	Seq num             `json:"s"`
	T   text            `json:"t"`
	D   json.RawMessage `json:"d"`
}

// run connects to address and relays until the connection ends.
func (r *relay) run(ctx context.Context, address string) *ending {
	c := r.gate.c
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	openLimit := time.AfterFunc(c.cfg.OpenTimeout, func() {
		r.close("no READY in time")
		cancel()
	})
	defer openLimit.Stop()

	up, answer, err := c.dialer().DialContext(ctx, address, http.Header{"User-Agent": {c.cfg.UserAgent}})
	if answer != nil && answer.Body != nil {
		answer.Body.Close()
	}
	if err != nil {
		return r.ended(&ending{text: "connecting to the gateway", err: errors.New(errorWithoutAddress(err)), noDial: true})
	}
	defer up.Close()
	up.SetReadLimit(maxPacket)
	r.mu.Lock()
	r.up, r.peer = up, up
	r.mu.Unlock()
	hangup := context.AfterFunc(ctx, func() { r.hangUp(websocket.CloseNormalClosure) })
	defer hangup()

	if err := r.attach(ctx); err != nil {
		r.hangUp(closeResumable)
		return r.ended(&ending{text: "starting the session", err: err})
	}
	if r.old.id != "" {
		r.seq.Store(r.old.seq)
	}
	defer func() { time.AfterFunc(settle, func() { r.down.Close() }) }()
	go r.fromSession()
	end := r.ended(r.fromServer(openLimit))
	r.over.Store(true)
	r.hangUp(closeResumable)
	end.resumed = r.resumed.Load()
	r.gate.session.seq = r.seq.Load()
	if !r.began.IsZero() {
		r.watchdog.Stop()
		r.gate.stands(nil)
		if end.uptime = max(time.Since(r.began), 1); end.uptime >= stableAfter {
			r.gate.lived()
		}
	}
	return end
}

// ended adds why this side closed, if it did. A server or a proxy may echo the
// code that it was closed with; that says nothing.
func (r *relay) ended(end *ending) *ending {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" {
		return end
	}
	end.text, end.err = r.why, nil
	if end.code == closeResumable || end.code == websocket.CloseNormalClosure {
		end.code = 0
	}
	return end
}

// close ends the connection for the reason given.
func (r *relay) close(why string) {
	r.mu.Lock()
	if r.why == "" {
		r.why = why
	}
	open := r.peer != nil
	r.mu.Unlock()
	if open {
		r.hangUp(closeResumable)
	}
}

// hangUp says goodbye with code and closes the connection to the server. The
// goodbye is short: a peer that does not read must not hold anybody up.
func (r *relay) hangUp(code int) {
	_ = r.up.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	r.up.Close()
}

// attach starts a fresh Session on the other end of a pipe.
func (r *relay) attach(ctx context.Context) error {
	ours, theirs := net.Pipe()
	s, err := newSession(&http.Client{Transport: pipeAddress{}})
	if err != nil {
		return err
	}
	s.Dialer = &websocket.Dialer{
		HandshakeTimeout: writeLimit,
		NetDialContext:   func(context.Context, string, string) (net.Conn, error) { return theirs, nil },
	}
	stop := context.AfterFunc(ctx, func() { ours.Close() })
	defer stop()
	go func() {
		defer r.survive("opening the session")
		// Open returns when the pipe closes, at the latest; a Session that hangs
		// all the same is left behind.
		if s.Open() != nil {
			ours.Close()
			theirs.Close()
		}
	}()
	_ = ours.SetDeadline(time.Now().Add(writeLimit))
	in := bufio.NewReader(ours)
	rq, err := http.ReadRequest(in)
	if err != nil {
		ours.Close()
		return err
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	r.down, err = up.Upgrade(&hijacked{ours, bufio.NewReadWriter(in, bufio.NewWriter(ours))}, rq, nil)
	if err != nil {
		ours.Close()
		return err
	}
	return nil
}

// hijacked lets an Upgrader work on a connection that no http.Server owns.
type hijacked struct {
	conn net.Conn
	rw   *bufio.ReadWriter
}

func (h *hijacked) Header() http.Header                          { return http.Header{} }
func (h *hijacked) WriteHeader(int)                              {}
func (h *hijacked) Write(b []byte) (int, error)                  { return len(b), nil }
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, h.rw, nil }

// pipeAddress answers the one REST call that Session.Open makes, GET /gateway.
type pipeAddress struct{}

func (pipeAddress) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/gateway") {
		return nil, errUnplanned
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"url":"ws://session.invalid"}`)), Request: r,
	}, nil
}

// fromServer reads the server's packets until the connection ends.
func (r *relay) fromServer(openLimit *time.Timer) *ending {
	for {
		kind, data, err := r.up.ReadMessage()
		if err != nil {
			return endOfReading(err)
		}
		r.gate.hear()
		if kind == websocket.BinaryMessage {
			if data, err = inflate(data); err != nil {
				return &ending{text: "a packet cannot be inflated", err: err}
			}
		}
		var p packet
		if json.Unmarshal(data, &p) != nil && len(p.D) == 0 {
			r.gate.c.log.Warn("an unreadable packet from the gateway was skipped")
			continue
		}
		switch p.Op {
		case opHello:
			err = r.hello(p.D)
		case opHeartbeatAck:
			err = r.acknowledged()
		case opHeartbeat:
			err = r.beat()
		case opReconnect:
			return &ending{text: "the server asked for a new connection"}
		case opInvalid:
			return &ending{text: "the server calls the session invalid", invalid: true, keep: bytes.Equal(bytes.TrimSpace(p.D), []byte("true"))}
		case opDispatch:
			if p.Seq > 0 {
				r.seq.Store(int64(p.Seq))
			}
			err = r.dispatch(&p, openLimit)
		}
		if err != nil {
			return &ending{text: "relaying", err: err}
		}
	}
}

func endOfReading(err error) *ending {
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return &ending{code: closed.Code, fatal: fatalClose(closed.Code)}
	}
	return &ending{text: "the connection broke", err: errors.New(errorWithoutAddress(err))}
}

// errorWithoutAddress describes a network error by its innermost text.
func errorWithoutAddress(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	return shorten(err.Error(), 200)
}

// hello passes the server's first packet on, once.
func (r *relay) hello(d json.RawMessage) error {
	if r.interval != 0 {
		return nil
	}
	var w struct {
		Interval num `json:"heartbeat_interval"`
	}
	_ = json.Unmarshal(d, &w)
	r.interval = time.Duration(w.Interval) * time.Millisecond
	if w.Interval <= 0 || w.Interval > 3600*1000 {
		r.interval = heartbeatDefault
	}
	return r.tell(opHello, 0, "", map[string]int64{"heartbeat_interval": r.interval.Milliseconds()})
}

// acknowledged notes that the heart beats. A Session that is still opening is
// not told: it would wait for a lock that it holds.
func (r *relay) acknowledged() error {
	if r.began.IsZero() {
		return nil
	}
	r.watchdog.Reset(r.patience())
	return r.tell(opHeartbeatAck, 0, "", nil)
}

// patience is how long the heart may be silent: two heartbeats without an answer
// mean that the peer is gone, or that the Session no longer sends any. discordgo
// would wait for five and then end the session for good.
func (r *relay) patience() time.Duration { return 2*r.interval + r.interval/8 }

// stand marks the session as standing and begins the watch over the heartbeat.
func (r *relay) stand(openLimit *time.Timer) {
	openLimit.Stop()
	if r.interval == 0 {
		r.interval = heartbeatDefault
	}
	r.began = time.Now()
	r.watchdog = time.AfterFunc(r.patience(), func() { r.close("no heartbeat was answered") })
	r.gate.c.connected.Store(true)
	r.gate.stands(r)
}

// dispatch handles READY and RESUMED for the connection, then passes the event on.
func (r *relay) dispatch(p *packet, openLimit *time.Timer) error {
	kind := string(p.T)
	if kind != "READY" && kind != "RESUMED" {
		r.gate.dispatch(r.handle, kind, p.D)
		return nil
	}
	again := !r.began.IsZero()
	if kind == "READY" {
		var w wireReady
		_ = json.Unmarshal(p.D, &w)
		if again && r.gate.session.id == string(w.SessionID) {
			return nil // a repetition
		}
		r.gate.session = session{id: string(w.SessionID)}
		if address, err := gatewayURL(string(w.ResumeURL)); err == nil {
			r.gate.session.url = address
		}
	} else if again {
		return nil
	}
	if !again {
		r.stand(openLimit)
		r.gate.c.log.Info("gateway connected", "resumed", kind == "RESUMED")
	}
	r.gate.dispatch(r.handle, kind, p.D)
	if again {
		return nil
	}
	return r.tell(opDispatch, 1, kind, map[string]string{"session_id": "relayed"})
}

// tell sends a packet to the Session.
func (r *relay) tell(op int, seq int64, kind string, d any) error {
	_ = r.down.SetWriteDeadline(time.Now().Add(writeLimit))
	return r.down.WriteJSON(struct {
		Op  int    `json:"op"`
		Seq int64  `json:"s"`
		T   string `json:"t"`
		D   any    `json:"d"`
	}{op, seq, kind, d})
}

// send sends a packet to the server.
func (r *relay) send(op int, d any) error {
	r.upWrites.Lock()
	defer r.upWrites.Unlock()
	_ = r.up.SetWriteDeadline(time.Now().Add(writeLimit))
	return r.up.WriteJSON(struct {
		Op int `json:"op"`
		D  any `json:"d"`
	}{op, d})
}

// beat sends a heartbeat with the sequence number of this connection, not the
// Session's.
func (r *relay) beat() error {
	if seq := r.seq.Load(); seq > 0 {
		return r.send(opHeartbeat, seq)
	}
	return r.send(opHeartbeat, nil)
}

// fromSession reads what the Session sends until its pipe closes.
func (r *relay) fromSession() {
	defer r.survive("reading from the session")
	for {
		_, data, err := r.down.ReadMessage()
		if err != nil {
			r.close("the session ended by itself")
			return
		}
		var p packet
		if json.Unmarshal(data, &p) != nil {
			continue
		}
		switch p.Op {
		case opIdentify:
			err = r.identify(p.D)
		case opHeartbeat:
			err = r.beat()
		}
		if err != nil {
			r.close("the server takes no packets")
			return
		}
	}
}

// survive, deferred, makes a panic the end of this connection alone.
func (r *relay) survive(what string) {
	if p := recover(); p != nil {
		r.gate.c.log.Error("bug: "+what+" panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		r.close("a bug of this program")
	}
}

// identify sends the Session's IDENTIFY with the real token, or resumes.
func (r *relay) identify(d json.RawMessage) error {
	if r.over.Load() {
		return net.ErrClosed
	}
	token := r.gate.c.cfg.Token
	if r.old.id != "" {
		r.resumed.Store(true)
		return r.send(opResume, struct {
			Token   string `json:"token"`
			Session string `json:"session_id"`
			Seq     int64  `json:"seq"`
		}{token, r.old.id, r.old.seq})
	}
	// Only what is documented is passed on: discordgo adds an empty presence and
	// names its properties as long ago.
	var asked struct {
		Intents        int  `json:"intents"`
		LargeThreshold int  `json:"large_threshold"`
		Compress       bool `json:"compress"`
	}
	if err := json.Unmarshal(d, &asked); err != nil {
		return err
	}
	r.gate.identifying()
	return r.send(opIdentify, map[string]any{
		"token": token, "intents": asked.Intents, "large_threshold": asked.LargeThreshold, "compress": asked.Compress,
		"properties": map[string]string{"os": runtime.GOOS, "browser": "discordgo", "device": "discordgo"},
	})
}

// inflate unpacks a packet of a server that compresses unasked.
func inflate(data []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, maxPacket))
}
