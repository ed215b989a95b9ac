package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
)

// Gateway close codes.
const (
	closeUnknownOpcode  = 4001
	closeDecode         = 4002
	closeNotIdentified  = 4003
	closeAuthentication = 4004
	closeAlready        = 4005
	closeSeq            = 4007
	closeRate           = 4008
	closeTimedOut       = 4009
	closeShard          = 4010
	closeVersion        = 4012
	closeIntents        = 4013
	closeDisallowed     = 4014
)

// Intents.
const (
	intentGuilds         = 1 << 0
	intentMembers        = 1 << 1
	intentPresences      = 1 << 8
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentContent        = 1 << 15
	intentsKnown         = 1<<26 - 1 // 22 and 23 are not in use
	intentsPrivileged    = intentMembers | intentPresences | intentContent
)

const (
	heartbeatInterval = 41250 * time.Millisecond
	replayEvents      = 1000            // kept per session for a resume
	sessionLife       = 5 * time.Minute // without a connection
	maxFrame          = 4096            // bytes of one payload from the bot
	sendsPerMinute    = 120
)

// packet is one gateway payload.
type packet struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

// session is one gateway session; it outlives its connections. Guarded by
// Server.mu.
type session struct {
	id      string
	intents int64
	base    string // for addresses in its events
	seq     int64
	events  []packet // the last ones, for a replay
	conn    *gateConn
	left    time.Time // when the last connection went
}

// gateConn is one websocket. Its writer goroutine sends what is queued, so that
// nobody ever waits for the bot.
type gateConn struct {
	ws   *websocket.Conn
	base string

	mu     sync.Mutex
	queue  [][]byte
	code   int  // close with it once the queue is sent
	cut    bool // close without a frame, at once
	wake   chan struct{}
	sends  int
	minute time.Time
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		s.log.Debug("gateway: no websocket", "error", err)
		return
	}
	c := &gateConn{ws: ws, base: "http://" + r.Host, wake: make(chan struct{}, 1), minute: s.now()}
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	defer func() { _ = ws.Close() }()
	if bad := badQuery(r.URL.Query()); bad != 0 {
		c.closeWith(bad)
	} else {
		c.send(packet{Op: opHello, Data: mustJSON(object{"heartbeat_interval": heartbeatInterval.Milliseconds()})})
		s.readGateway(c)
	}
	c.abort()
	<-written
	// A socket closed with unread data is reset, and the close frame may be lost
	// with it: read what is still coming. The writer has set a deadline.
	for err == nil {
		_, _, err = ws.NextReader()
	}
}

// badQuery is the close code for a connection that asks for what is not there.
func badQuery(q url.Values) int {
	if v := q.Get("v"); v != "" && v != "9" && v != "10" {
		return closeVersion
	}
	if e := q.Get("encoding"); e != "" && e != "json" {
		return closeDecode
	}
	return 0
}

// write sends the queue until the connection ends. After it the reader gets
// nothing more for long.
func (c *gateConn) write() {
	drain := time.Duration(0)
	defer func() { _ = c.ws.NetConn().SetReadDeadline(time.Now().Add(drain)) }()
	for range c.wake {
		for {
			c.mu.Lock()
			queue, code, cut := c.queue, c.code, c.cut
			c.queue = nil
			c.mu.Unlock()
			if cut {
				return
			}
			for _, b := range queue {
				if err := c.ws.WriteMessage(websocket.TextMessage, b); err != nil {
					return
				}
			}
			if len(queue) > 0 {
				continue
			}
			if code != 0 {
				drain = time.Second // of the socket, not of the sandbox
				deadline := time.Now().Add(drain)
				_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, closeText(code)), deadline)
				return
			}
			break
		}
	}
}

func closeText(code int) string {
	switch code {
	case closeAuthentication:
		return "Authentication failed."
	case closeDisallowed:
		return "Disallowed intent(s)."
	case closeIntents:
		return "Invalid intent(s)."
	case closeTimedOut:
		return "Session timed out."
	}
	return ""
}

func (c *gateConn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *gateConn) send(p packet) {
	b := mustJSON(p)
	c.mu.Lock()
	if c.code == 0 && !c.cut {
		c.queue = append(c.queue, b)
	}
	c.mu.Unlock()
	c.poke()
}

// closeWith closes with a code once everything queued is sent.
func (c *gateConn) closeWith(code int) {
	c.mu.Lock()
	if c.code == 0 {
		c.code = code
	}
	c.mu.Unlock()
	c.poke()
}

// abort ends the connection; a close that is under way is finished first.
func (c *gateConn) abort() {
	c.mu.Lock()
	if c.code == 0 {
		c.cut = true
	}
	c.mu.Unlock()
	c.poke()
}

// cutOff ends the connection at once, without a close frame.
func (c *gateConn) cutOff() {
	c.mu.Lock()
	c.cut = true
	c.mu.Unlock()
	c.poke()
	_ = c.ws.NetConn().Close()
}

// readGateway serves what the bot sends until the connection ends.
func (s *Server) readGateway(c *gateConn) {
	var ses *session
	c.ws.SetReadLimit(maxFrame)
	// A close is answered only when the session knows of it.
	c.ws.SetCloseHandler(func(int, string) error { return nil })
	for {
		_, b, err := c.ws.ReadMessage()
		if err != nil {
			s.disconnected(c, ses, err)
			var closed *websocket.CloseError
			if errors.As(err, &closed) {
				c.closeWith(closed.Code)
			}
			return
		}
		var p packet
		if err := json.Unmarshal(b, &p); err != nil {
			c.closeWith(closeDecode)
			s.disconnected(c, ses, err)
			return
		}
		var code int
		ses, code = s.gatewayOp(c, ses, p)
		if code != 0 {
			c.closeWith(code)
			s.disconnected(c, ses, &websocket.CloseError{Code: code})
			return
		}
	}
}

// gatewayOp serves one payload; a code closes the connection.
func (s *Server) gatewayOp(c *gateConn, ses *session, p packet) (after *session, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ses, websocket.CloseGoingAway
	}
	now := s.now()
	if now.Sub(c.minute) >= time.Minute {
		c.minute, c.sends = now, 0
	}
	if c.sends++; c.sends > sendsPerMinute {
		return ses, closeRate
	}
	if ses != nil && s.sessions[ses.id] != ses { // made invalid meanwhile
		ses = nil
	}
	if s.faultGateway != nil {
		if f := s.faultGateway(p.Op); f != nil {
			return s.spoil(c, ses, f)
		}
	}
	switch p.Op {
	case opHeartbeat:
		c.send(packet{Op: opAck, Data: raw("null")})
	case opIdentify:
		if ses != nil {
			return ses, closeAlready
		}
		return s.identify(c, p.Data)
	case opResume:
		if ses != nil {
			return ses, closeAlready
		}
		return s.resume(c, p.Data)
	case opPresence, opRequestMembers, 4:
		if ses == nil {
			return ses, closeNotIdentified
		}
	default:
		return ses, closeUnknownOpcode
	}
	return ses, 0
}

// spoil does what a fault says.
func (s *Server) spoil(c *gateConn, ses *session, f *GatewayFault) (*session, int) {
	switch {
	case f.Close != 0:
		return ses, f.Close
	case f.Reconnect:
		c.send(packet{Op: opReconnect, Data: raw("null")})
	case f.Invalid != nil:
		c.send(packet{Op: opInvalidSession, Data: mustJSON(*f.Invalid)})
	}
	return ses, 0
}

func (s *Server) identify(c *gateConn, data json.RawMessage) (*session, int) {
	var d struct {
		Token      string          `json:"token"`
		Properties json.RawMessage `json:"properties"`
		Intents    *int64          `json:"intents"`
		Shard      *[2]int         `json:"shard"`
	}
	switch err := json.Unmarshal(data, &d); {
	case err != nil || d.Properties == nil || d.Intents == nil:
		return nil, closeDecode
	case d.Token != s.token && d.Token != "Bot "+s.token:
		return nil, closeAuthentication
	case d.Shard != nil && *d.Shard != [2]int{0, 1}:
		return nil, closeShard
	case *d.Intents&^intentsKnown != 0:
		return nil, closeIntents
	case *d.Intents&intentsPrivileged != 0:
		return nil, closeDisallowed
	}
	if _, _, room := s.take("identify", s.limits.Identify); !room {
		return nil, closeAuthentication
	}
	if _, _, room := s.take("concurrency", s.limits.Concurrency); !room {
		c.send(packet{Op: opInvalidSession, Data: raw("false")})
		return nil, 0
	}
	ses := &session{id: randomText(16), intents: *d.Intents, base: c.base, conn: c}
	s.sessions[ses.id] = ses
	s.ready(ses)
	s.readyChanged()
	return ses, 0
}

// ready sends READY and the guilds.
func (s *Server) ready(ses *session) {
	guilds := []object{}
	for _, g := range s.sortedGuilds() {
		if g.BotIn {
			guilds = append(guilds, object{"id": g.ID, "unavailable": true})
		}
	}
	s.push(ses, "READY", mustJSON(object{
		"v": 10, "user": s.w.users[s.appID].User, "guilds": guilds, "session_id": ses.id, "session_type": "normal",
		"resume_gateway_url": "ws" + ses.base[len("http"):] + "/gateway", "shard": []int{0, 1},
		"application": object{"id": s.appID, "flags": 0}, "private_channels": []any{}, "relationships": []any{},
		"user_settings": object{}, "presences": []any{}, "guild_join_requests": []any{}, "geo_ordered_rtc_regions": []any{},
	}))
	if ses.intents&intentGuilds == 0 {
		return
	}
	for _, g := range s.sortedGuilds() {
		if g.BotIn && !g.Unavailable {
			s.push(ses, "GUILD_CREATE", mustJSON(s.guildCreate(g)))
		}
	}
}

func (s *Server) resume(c *gateConn, data json.RawMessage) (*session, int) {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     *int64 `json:"seq"`
	}
	switch err := json.Unmarshal(data, &d); {
	case err != nil || d.Seq == nil:
		return nil, closeDecode
	case d.Token != s.token && d.Token != "Bot "+s.token:
		return nil, closeAuthentication
	}
	ses := s.sessions[d.Session]
	if ses != nil && ses.conn == nil && s.now().Sub(ses.left) > sessionLife {
		delete(s.sessions, ses.id)
		ses = nil
	}
	oldest := int64(0)
	if ses != nil && len(ses.events) > 0 {
		oldest = *ses.events[0].Seq - 1
	}
	switch {
	case ses == nil || *d.Seq < oldest:
		c.send(packet{Op: opInvalidSession, Data: raw("false")})
		return nil, 0
	case *d.Seq > ses.seq:
		return nil, closeSeq
	}
	if ses.conn != nil { // the bot comes back before we noticed that it went
		ses.conn.abort()
	}
	ses.conn, ses.base = c, c.base
	for _, p := range ses.events {
		if *p.Seq > *d.Seq {
			c.send(p)
		}
	}
	s.push(ses, "RESUMED", raw(`{}`))
	s.readyChanged()
	return ses, 0
}

// disconnected notes that a connection ended. A clean close by the bot ends the
// session too, as does a code that says it is void.
func (s *Server) disconnected(c *gateConn, ses *session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ses == nil || ses.conn != c {
		return
	}
	c.mu.Lock()
	code := c.code
	c.mu.Unlock()
	var closed *websocket.CloseError
	if errors.As(err, &closed) && code == 0 {
		code = closed.Code
	}
	s.detach(ses, code)
}

// voidCodes are the close codes, of either side, that end the session too.
var voidCodes = []int{websocket.CloseNormalClosure, websocket.CloseGoingAway, closeAuthentication, closeSeq, closeTimedOut}

// detach takes a session's connection away; the session stays for a while unless
// the code says that it is over.
func (s *Server) detach(ses *session, code int) {
	ses.conn, ses.left = nil, s.now()
	if slices.Contains(voidCodes, code) {
		delete(s.sessions, ses.id)
	}
	for id, old := range s.sessions {
		if old.conn == nil && s.now().Sub(old.left) > sessionLife {
			delete(s.sessions, id)
		}
	}
	s.readyChanged()
}

func (ses *session) drop() {
	if ses.conn != nil {
		ses.conn.closeWith(websocket.CloseGoingAway)
	}
}

// readyChanged keeps gateReady closed exactly while a session is connected.
func (s *Server) readyChanged() {
	isClosed := false
	select {
	case <-s.gateReady:
		isClosed = true
	default:
	}
	switch n := s.connected(); {
	case n > 0 && !isClosed:
		close(s.gateReady)
	case n == 0 && isClosed:
		s.gateReady = make(chan struct{})
	}
}

func (s *Server) connected() (n int) {
	for _, ses := range s.sessions {
		if ses.conn != nil {
			n++
		}
	}
	return n
}

// Connections is how many gateway sessions are connected and have had READY.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected()
}

// WaitReady waits until a gateway session is connected and has had READY.
func (s *Server) WaitReady(ctx context.Context) error {
	s.mu.Lock()
	ready := s.gateReady
	s.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the bot to connect: %w", ctx.Err())
	}
}

// push gives a session one event now.
func (s *Server) push(ses *session, typ string, data json.RawMessage) {
	events := []Dispatch{{typ, data}}
	if s.faultDispatch != nil {
		events = s.faultDispatch(events[0])
	}
	for _, e := range events {
		ses.seq++
		seq, name := ses.seq, e.Type
		p := packet{Op: opDispatch, Data: e.Data, Seq: &seq, Type: &name}
		ses.events = append(ses.events, p)
		if n := len(ses.events); n > 2*replayEvents {
			ses.events = slices.Clone(ses.events[n-replayEvents:])
		}
		if ses.conn != nil {
			ses.conn.send(p)
		}
	}
}

// dispatch gives every session with the intent (0: any) an event, once all is
// stored. make is called at once, with what addresses begin with.
func (s *Server) dispatch(typ string, intent int64, make func(base string) json.RawMessage) {
	for _, ses := range s.sessions {
		if intent != 0 && ses.intents&intent == 0 {
			continue
		}
		data := make(ses.base)
		s.tell(func() { s.push(ses, typ, data) })
	}
}

// dispatchGuild sends an event about a guild or its channels.
func (s *Server) dispatchGuild(typ string, data any) {
	b := mustJSON(data)
	s.dispatch(typ, intentGuilds, func(string) json.RawMessage { return b })
}

// dispatchMessage sends an event about a message, without its content where the
// bot has no right to it.
func (s *Server) dispatchMessage(typ string, ch *channel, m *message) {
	intent := int64(intentGuildMessages)
	if ch.Type == ChannelDM {
		intent = intentDirectMessages
	} else if !s.botBits(ch).has(PermViewChannel) {
		return
	}
	s.dispatch(typ, intent, func(base string) json.RawMessage {
		if typ == "MESSAGE_DELETE" {
			o := object{"id": m.ID, "channel_id": ch.ID}
			if ch.GuildID != "" {
				o["guild_id"] = ch.GuildID
			}
			return mustJSON(o)
		}
		out := s.forBot(m, base, true)
		mentioned := slices.ContainsFunc(m.Mentions, func(u User) bool { return u.ID == s.appID })
		if m.Author.ID != s.appID && ch.Type != ChannelDM && !mentioned {
			out.Content, out.Embeds, out.Attachments, out.Components = "", []json.RawMessage{}, []Attachment{}, []Component{}
		}
		return mustJSON(out)
	})
}

// everyConn runs f on each connected session.
func (s *Server) everyConn(f func(*session, *gateConn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		if ses.conn != nil {
			f(ses, ses.conn)
		}
	}
}

// DropGateway cuts every gateway connection without a close frame; the sessions
// can be resumed.
func (s *Server) DropGateway() {
	s.everyConn(func(ses *session, c *gateConn) {
		c.cutOff()
		s.detach(ses, 0)
	})
}

// CloseGateway closes every gateway connection with a code.
func (s *Server) CloseGateway(code int) {
	s.everyConn(func(ses *session, c *gateConn) {
		c.closeWith(code)
		s.detach(ses, code)
	})
}

// Reconnect sends op 7 to every connection.
func (s *Server) Reconnect() {
	s.everyConn(func(_ *session, c *gateConn) { c.send(packet{Op: opReconnect, Data: raw("null")}) })
}

// InvalidSession sends op 9 to every connection; without resumable the sessions
// are gone.
func (s *Server) InvalidSession(resumable bool) {
	s.everyConn(func(ses *session, c *gateConn) {
		c.send(packet{Op: opInvalidSession, Data: mustJSON(resumable)})
		if !resumable {
			delete(s.sessions, ses.id)
		}
	})
}

// RepeatReady sends READY, and the GUILD_CREATEs after it, once more.
func (s *Server) RepeatReady() {
	s.everyConn(func(ses *session, _ *gateConn) { s.ready(ses) })
}
