package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"paladin/sandbox"
)

type obj = map[string]any
type list = []any

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a sandbox with its HTTP server, a clock, and what the tests look at
// most: the first guild's first channel, and its people.
type world struct {
	t       *testing.T
	s       *sandbox.Server
	clock   *clock
	http    *httptest.Server
	guild   string
	channel string
	second  string
	ann     string // owns the guild
	ben     string
	cleo    string
}

// newWorld opens a sandbox without rate limits unless the configuration has some.
// Every answer it gives is checked against Discord's description.
func newWorld(t *testing.T, configure ...func(*sandbox.Config)) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	cfg := sandbox.Config{Now: w.clock.now, Limits: sandbox.NoLimits()}
	for _, f := range configure {
		f(&cfg)
	}
	s, err := sandbox.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.s = s
	w.http = httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		w.http.Close()
	})
	s.Observe(func(r sandbox.Request) { checkAnswer(t, r) })
	users := s.Users()
	w.ann, w.ben, w.cleo = users[0].ID, users[1].ID, users[2].ID
	w.guild = s.Guilds(w.ann)[0].ID
	channels, err := s.Channels(w.ann)
	if err != nil {
		t.Fatal(err)
	}
	w.channel, w.second = channels[0].ID, channels[1].ID
	return w
}

// pass moves the clock and lets the sandbox notice.
func (w *world) pass(d time.Duration) {
	w.clock.move(d)
	w.s.Expire()
}

// reply is an answer to the bot.
type reply struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

// do sends a request as the bot. body is JSON text, or is encoded.
func (w *world) do(method, path string, body any) reply {
	w.t.Helper()
	var content []byte
	switch b := body.(type) {
	case nil:
	case string:
		content = []byte(b)
	default:
		var err error
		if content, err = json.Marshal(b); err != nil {
			w.t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.http.URL+"/api/v10"+path, bytes.NewReader(content))
	if err != nil {
		w.t.Fatal(err)
	}
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return w.send(req)
}

func (w *world) send(req *http.Request) reply {
	w.t.Helper()
	req.Header.Set("Authorization", "Bot "+w.s.Token())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{t: w.t, what: req.Method + " " + req.URL.Path, status: res.StatusCode, header: res.Header, body: b}
}

// file is one part of an upload.
type file struct{ field, name, content string }

// upload sends a multipart request as the bot. prefix is the API's, /api/v10.
func (w *world) upload(method, prefix, path string, payload any, files ...file) reply {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if payload != nil {
		p, err := json.Marshal(payload)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := form.WriteField("payload_json", string(p)); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, f.field, f.name))
		part, err := form.CreatePart(h)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := io.WriteString(part, f.content); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.http.URL+prefix+path, &b)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return w.send(req)
}

// fine demands success and returns the body.
func (r reply) fine() obj {
	r.t.Helper()
	if r.status < 200 || r.status > 299 {
		r.t.Fatalf("%s: %d %s", r.what, r.status, r.body)
	}
	if len(r.body) == 0 {
		return nil
	}
	var o obj
	if err := json.Unmarshal(r.body, &o); err != nil {
		r.t.Fatalf("%s: %v in %s", r.what, err, r.body)
	}
	return o
}

// message demands success and returns the body as a message.
func (r reply) message() sandbox.Message {
	r.t.Helper()
	r.fine()
	var m sandbox.Message
	if err := json.Unmarshal(r.body, &m); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// refused demands a status and one of Discord's codes.
func (r reply) refused(status, code int) obj {
	r.t.Helper()
	var o obj
	if err := json.Unmarshal(r.body, &o); err != nil {
		r.t.Fatalf("%s: no JSON: %d %s", r.what, r.status, r.body)
	}
	if got, _ := o["code"].(float64); r.status != status || int(got) != code {
		r.t.Fatalf("%s: got %d %s, want %d with code %d", r.what, r.status, r.body, status, code)
	}
	return o
}

// form demands 50035 with a fault of the given code at the dotted path.
func (r reply) form(path, code string) {
	r.t.Helper()
	o := r.refused(400, 50035)
	at, _ := o["errors"].(obj)
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		at, _ = at[key].(obj)
	}
	own, _ := at["_errors"].(list)
	for _, e := range own {
		if e.(obj)["code"] == code {
			return
		}
	}
	r.t.Fatalf("%s: got %s, want %s at %q", r.what, r.body, code, path)
}

func (w *world) messages(channel string) string { return "/channels/" + channel + "/messages" }

// post writes a message into the first channel.
func (w *world) post(body any) reply {
	w.t.Helper()
	return w.do("POST", w.messages(w.channel), body)
}

func (w *world) edit(m sandbox.Message, body any) reply {
	w.t.Helper()
	return w.do("PATCH", w.messages(m.ChannelID)+"/"+m.ID, body)
}

// dm opens the DM channel with a user.
func (w *world) dm(user string) string {
	w.t.Helper()
	return w.do("POST", "/users/@me/channels", obj{"recipient_id": user}).fine()["id"].(string)
}

// Shorthands for components.

func row(children ...any) obj { return obj{"type": 1, "components": append(list{}, children...)} }

func button(id, label string) obj {
	return obj{"type": 2, "style": 1, "custom_id": id, "label": label}
}

func text(s string) obj { return obj{"type": 10, "content": s} }

func container(children ...any) obj {
	return obj{"type": 17, "components": append(list{}, children...)}
}

func v2(children ...any) obj {
	return obj{"flags": 1 << 15, "components": append(list{}, children...)}
}

func options(n int) list {
	out := list{}
	for i := range n {
		out = append(out, obj{"label": "option " + strconv.Itoa(i), "value": strconv.Itoa(i)})
	}
	return out
}

func stringSelect(id string, more obj, opts list) obj {
	o := obj{"type": 3, "custom_id": id, "options": opts}
	for k, v := range more {
		o[k] = v
	}
	return o
}

// packet is one gateway payload.
type packet struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type string          `json:"t"`
}

// gate is the bot's gateway connection, read step by step.
type gate struct {
	t       *testing.T
	ws      *websocket.Conn
	session string
	seq     int64
	kept    []packet // read while looking for another
}

const patience = 10 * time.Second // of the socket; nothing waits that long unless it is broken

// dial connects and reads HELLO.
func (w *world) dial() *gate {
	w.t.Helper()
	url := w.do("GET", "/gateway", nil).fine()["url"].(string)
	ws, res, err := websocket.DefaultDialer.DialContext(w.t.Context(), url+"/?v=10&encoding=json", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	res.Body.Close()
	w.t.Cleanup(func() { ws.Close() })
	g := &gate{t: w.t, ws: ws}
	if p := g.read(); p.Op != 10 || !bytes.Contains(p.Data, []byte("heartbeat_interval")) {
		w.t.Fatalf("no HELLO but %d %s", p.Op, p.Data)
	}
	return g
}

func (g *gate) send(op int, data any) {
	g.t.Helper()
	if err := g.ws.WriteJSON(obj{"op": op, "d": data}); err != nil {
		g.t.Fatal(err)
	}
}

// read is the next payload; it keeps the sequence number.
func (g *gate) read() packet {
	g.t.Helper()
	p, err := g.tryRead()
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *gate) tryRead() (packet, error) {
	if len(g.kept) > 0 {
		p := g.kept[0]
		g.kept = g.kept[1:]
		return p, nil
	}
	if err := g.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return packet{}, err
	}
	var p packet
	if err := g.ws.ReadJSON(&p); err != nil {
		return p, err
	}
	if p.Seq != nil {
		g.seq = *p.Seq
	}
	return p, nil
}

// closed demands that the connection ends with a code.
func (g *gate) closed(code int) {
	g.t.Helper()
	for {
		if _, err := g.tryRead(); err != nil {
			var c *websocket.CloseError
			if !errors.As(err, &c) || c.Code != code {
				g.t.Fatalf("connection ended with %v, want code %d", err, code)
			}
			return
		}
	}
}

// event is the next dispatch of a type; others before it are dropped.
func (g *gate) event(typ string) obj {
	g.t.Helper()
	for {
		p := g.read()
		if p.Op == 0 && p.Type == typ {
			var o obj
			if err := json.Unmarshal(p.Data, &o); err != nil {
				g.t.Fatal(err)
			}
			return o
		}
	}
}

// quiet demands that nothing of the given types has been sent: what was sent
// before the answer to a heartbeat has come before that answer.
func (g *gate) quiet(types ...string) {
	g.t.Helper()
	g.send(1, g.seq)
	for {
		p := g.read()
		if p.Op == 11 {
			return
		}
		if len(types) == 0 || slices.Contains(types, p.Type) {
			g.t.Fatalf("unexpected %d %s %s", p.Op, p.Type, p.Data)
		}
	}
}

func identify(token string, intents int) obj {
	return obj{"token": token, "intents": intents, "properties": obj{"os": "linux", "browser": "test", "device": "test"}}
}

// connect identifies with intent GUILDS and reads up to the first GUILD_CREATE.
func (w *world) connect(intents ...int) *gate {
	w.t.Helper()
	bits := 1
	if len(intents) > 0 {
		bits = intents[0]
	}
	g := w.dial()
	g.send(2, identify(w.s.Token(), bits))
	ready := g.event("READY")
	g.session = ready["session_id"].(string)
	if bits&1 != 0 {
		g.event("GUILD_CREATE")
	}
	return g
}

// heard is an interaction as the bot heard it.
type heard struct {
	obj
	w *world
}

// interaction is the next INTERACTION_CREATE.
func (w *world) interaction(g *gate) heard {
	w.t.Helper()
	return heard{g.event("INTERACTION_CREATE"), w}
}

func (h heard) id() string    { return h.obj["id"].(string) }
func (h heard) token() string { return h.obj["token"].(string) }
func (h heard) data() obj     { return h.obj["data"].(obj) }

// answer sends the first response.
func (h heard) answer(typ int, data any) reply {
	h.w.t.Helper()
	body := obj{"type": typ}
	if data != nil {
		body["data"] = data
	}
	return h.w.do("POST", "/interactions/"+h.id()+"/"+h.token()+"/callback", body)
}

// hook is the path of the interaction's webhook.
func (h heard) hook(rest string) string {
	return "/webhooks/" + h.w.s.ApplicationID() + "/" + h.token() + rest
}

func (h heard) original(method string, body any) reply {
	h.w.t.Helper()
	return h.w.do(method, h.hook("/messages/@original"), body)
}

// register registers the commands the tests use.
func (w *world) register() {
	w.t.Helper()
	w.do("PUT", "/applications/"+w.s.ApplicationID()+"/commands", testCommands()).checkStatus(200)
}

func (r reply) checkStatus(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: %d %s, want %d", r.what, r.status, r.body, status)
	}
	return r
}

func testCommands() list {
	return list{
		obj{"name": "paladin", "description": "Play", "contexts": list{0}, "integration_types": list{0}, "options": list{
			obj{"type": 1, "name": "new", "description": "Start", "options": list{
				obj{"type": 4, "name": "seats", "description": "How many", "required": true, "min_value": 3, "max_value": 5},
				obj{"type": 3, "name": "pace", "description": "How fast", "choices": list{obj{"name": "Live", "value": "live"}, obj{"name": "Slow", "value": "slow"}}},
				obj{"type": 6, "name": "guest", "description": "Whom"},
			}},
			obj{"type": 1, "name": "place", "description": "Place", "options": list{
				obj{"type": 3, "name": "card", "description": "Which", "required": true, "autocomplete": true},
				obj{"type": 4, "name": "quest", "description": "Where", "required": true, "autocomplete": true},
			}},
		}},
		obj{"name": "help", "description": "Explain", "contexts": list{0, 1}},
		obj{"name": "admin", "description": "Manage", "default_member_permissions": "16", "contexts": list{0}},
	}
}

// newPress posts a message with a button and has Ben press it.
func (w *world) newPress(g *gate) (sandbox.Message, *sandbox.Interaction, heard) {
	w.t.Helper()
	m := w.post(obj{"content": "board", "components": list{row(button("go", "Go"))}}).message()
	i, err := w.s.Press(w.t.Context(), w.ben, w.channel, m.ID, "go")
	if err != nil {
		w.t.Fatal(err)
	}
	return m, i, w.interaction(g)
}

func check[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
