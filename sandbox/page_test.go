package sandbox

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

var updatePage = flag.Bool("update-page", false, "write the golden files of testdata/page anew")

// drawnView is a view of a made-up world, for drawing without a Server: Ann looks at #games of guild 7.
func drawnView(t *testing.T) *pageView {
	t.Helper()
	s, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	channels := []Channel{{ID: "4", GuildID: "7", Name: "games", CanSend: true}}
	return &pageView{
		page: newPage(s), user: User{ID: "1", Username: "Ann"}, botUser: User{ID: "9", Username: "paladin", Bot: true},
		guilds:   []Guild{{ID: "7", Name: "Home", Members: []string{"1", "2", "9"}}},
		channels: channels, channel: &channels[0],
		names:  map[string]string{"1": "Ann", "2": "<script>alert(1)</script>", "9": "Paladin"},
		places: map[string]string{"4": "games"},
	}
}

// Each testdata/page/NAME.json is a message; NAME.html is how it is drawn.
func TestMessageFragments(t *testing.T) {
	inputs, err := filepath.Glob("testdata/page/*.json")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no messages in testdata/page (%v)", err)
	}
	v := drawnView(t)
	for _, name := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := &messageView{view: v}
			if err := json.Unmarshal(body, &m.Message); err != nil {
				t.Fatal(err)
			}
			f, err := m.Fragment()
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".json") + ".html"
			if *updatePage {
				if err := os.WriteFile(golden, []byte(f.HTML+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), f.HTML+"\n"); diff != "" {
				t.Errorf("drawn otherwise than %s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// A hostile name stands in many places of the page; in none of them it may become markup.
func TestHostileNames(t *testing.T) {
	s, base := servePage(t)
	names := []string{
		`<script>alert("x")</script>`, `"><img src=x onerror=alert(1)>`, "@everyone", "\u202Eevil\u2066", "<@&1>", "`_**||",
		strings.Repeat("🛡", 32), "{{.}}", "&amp;", " x ",
	}
	guild := s.Guilds("")[0].ID
	for _, name := range names {
		u, err := s.AddUser(name, guild)
		if err != nil {
			t.Logf("the sandbox refuses the name %q: %v", name, err)
			continue
		}
		places, err := s.Channels(u.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Say(t.Context(), u.ID, places[0].ID, name+" <@"+u.ID+">"); err != nil {
			t.Fatal(err)
		}
		_, body := get(t, base+pageLink(u.ID, places[0].ID, "")[1:], nil)
		for _, bad := range []string{"<script>alert", "<img src=x", "onerror=alert(1)>"} {
			if strings.Contains(body, bad) {
				t.Errorf("name %q: the page holds %q", name, bad)
			}
		}
		if strings.Contains(body, "ZgotmplZ") {
			t.Errorf("name %q: a template refused a value", name)
		}
	}
}

// servePage is a new sandbox with its page on a listener; base ends with a slash.
func servePage(t *testing.T) (s *Server, base string) {
	t.Helper()
	s, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	listener, base, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.Mount()}}
	server.Start()
	t.Cleanup(func() {
		_ = s.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return s, base
}

func get(t *testing.T, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	return do(t, http.MethodGet, address, "", header)
}

// do sends a request without following redirects; a Host in header replaces the address's.
func do(t *testing.T, method, address, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func port(t *testing.T, base string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestIndex(t *testing.T) {
	s, base := servePage(t)
	ann := s.Users()[0]
	channels, err := s.Channels(ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	resp, _ := get(t, base, nil)
	want := pageLink(ann.ID, channels[0].ID, "")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != want {
		t.Fatalf("/ answers %d to %q, want 303 to %q", resp.StatusCode, resp.Header.Get("Location"), want)
	}
	resp, body := get(t, base+want[1:], nil)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "You are <bdi>"+ann.Name()+"</bdi>") {
		t.Fatalf("%s answers %d:\n%s", want, resp.StatusCode, body)
	}
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("Content-Security-Policy %q", csp)
	}
	if strings.Contains(body, "style=") || strings.Contains(body, "<style") || strings.Contains(body, "onclick") {
		t.Error("the page holds inline style or script, which its policy forbids")
	}
	for _, u := range s.Users() {
		if !strings.Contains(body, "user="+u.ID) {
			t.Errorf("no way to become %s", u.Name())
		}
	}
	for _, wrong := range []string{"?user=1", "?user=%3Cscript%3E&channel=2", "?channel=0&user=" + ann.ID} {
		if resp, _ := get(t, base+wrong, nil); resp.StatusCode != http.StatusSeeOther {
			t.Errorf("%s answers %d, want a way back", wrong, resp.StatusCode)
		}
	}
	if resp, _ := get(t, base+"nothing", nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown address answers %d", resp.StatusCode)
	}
}

func TestAssets(t *testing.T) {
	_, base := servePage(t)
	for _, name := range []string{"page.css", "page.js", "theme.js", "icon.svg"} {
		resp, body := get(t, base+"assets/"+name, nil)
		if resp.StatusCode != http.StatusOK || body == "" {
			t.Errorf("%s answers %d with %d bytes", name, resp.StatusCode, len(body))
		}
		if name != "icon.svg" && strings.Contains(body, "http://") || strings.Contains(body, "https://") {
			t.Errorf("%s names an outside address", name)
		}
		again, _ := get(t, base+"assets/"+name, http.Header{"If-None-Match": {resp.Header.Get("ETag")}})
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s is sent again though it has not changed: %d", name, again.StatusCode)
		}
	}
	for _, name := range []string{"page.html", "..%2fpage.go", ""} {
		if resp, _ := get(t, base+"assets/"+name, nil); resp.StatusCode != http.StatusNotFound {
			t.Errorf("assets/%s answers %d", name, resp.StatusCode)
		}
	}
}

// Every way in is tried from every wrong place.
func TestAccess(t *testing.T) {
	s, base := servePage(t)
	p := port(t, base)
	own := "http://127.0.0.1:" + p
	routes := []struct {
		name, method, path string
		level              access
	}{
		{"page", "GET", "", accessPage},
		{"asset", "GET", "assets/page.js", accessPage},
		{"unknown", "GET", "nothing", accessPage},
		{"api", "GET", "api/v10/gateway", accessBot},
		{"api write", "POST", "api/v10/channels/1/messages", accessBot},
		{"gateway", "GET", "gateway", accessBot},
		{"attachment", "GET", "attachments/1/2/x.png", accessFile},
		{"emoji", "GET", "emojis/1.png", accessFile},
		{"live", "GET", "live", accessAction},
	}
	for name := range newPage(s).actions() {
		routes = append(routes, struct {
			name, method, path string
			level              access
		}{"do " + name, "POST", "do/" + name, accessAction})
	}
	for _, route := range routes {
		cases := []struct {
			name   string
			header http.Header
			served bool
		}{
			{"own origin", http.Header{"Origin": {own}, "Sec-Fetch-Site": {"same-origin"}}, true},
			{"no origin", http.Header{}, route.level != accessAction},
			{"localhost", http.Header{"Host": {"localhost:" + p}, "Origin": {"http://localhost:" + p}}, true},
			{"IPv6 name", http.Header{"Host": {"[::1]:" + p}, "Origin": {"http://[::1]:" + p}}, true},
			{"foreign host", http.Header{"Host": {"evil.example:" + p}, "Origin": {"http://evil.example:" + p}}, false},
			{"host that looks like ours", http.Header{"Host": {"localhost.evil.example:" + p}}, false},
			{"wrong port", http.Header{"Host": {"localhost:1"}, "Origin": {"http://localhost:1"}}, false},
			{"no port", http.Header{"Host": {"localhost"}, "Origin": {"http://localhost"}}, false},
			{"foreign origin", http.Header{"Origin": {"https://evil.example"}}, route.level == accessPage},
			{"origin null", http.Header{"Origin": {"null"}}, route.level == accessPage},
			{"other port's origin", http.Header{"Origin": {"http://127.0.0.1:1"}, "Sec-Fetch-Site": {"same-site"}}, route.level == accessPage},
			{"cross-site without origin", http.Header{"Sec-Fetch-Site": {"cross-site"}}, route.level == accessPage},
		}
		for _, c := range cases {
			t.Run(route.name+"/"+c.name, func(t *testing.T) {
				c.header.Set("Content-Type", "application/json")
				resp, body := do(t, route.method, base+route.path, "{}", c.header)
				refused := resp.StatusCode == http.StatusForbidden && strings.HasPrefix(body, "refused: ")
				if refused == c.served {
					t.Errorf("status %d, body %q; want served: %v", resp.StatusCode, body, c.served)
				}
			})
		}
	}
}

// What comes from another machine is refused even if somebody mounts the page on an open listener.
func TestAccessFromElsewhere(t *testing.T) {
	s, _ := servePage(t)
	req := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	req.RemoteAddr = "192.0.2.1:1234"
	recorder := httptest.NewRecorder()
	s.Mount().ServeHTTP(recorder, req)
	if recorder.Code != http.StatusForbidden {
		t.Errorf("status %d, want 403", recorder.Code)
	}
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.org:80", "[::]:0", "127.0.0.1", "localhost:x", ""} {
		listener, _, err := Listen(addr)
		if err == nil {
			_ = listener.Close()
			t.Errorf("Listen(%q) listens on %s", addr, listener.Addr())
			continue
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("%q", addr)) {
			t.Errorf("Listen(%q): %v does not name the address", addr, err)
		}
	}
	listener, address, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	want := fmt.Sprintf("http://localhost:%d/", listener.Addr().(*net.TCPAddr).Port)
	if address != want {
		t.Errorf("the page's address is %q, want %q", address, want)
	}
	if _, _, err := Listen(listener.Addr().String()); err == nil {
		t.Error("an address in use is taken again")
	}
}

// The page's address has the port as browsers write it, however it was given.
func TestListenNamesThePort(t *testing.T) {
	free, _, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	for _, addr := range []string{fmt.Sprintf("127.0.0.1:%07d", port), "127.0.0.1:", "127.0.0.1:http-alt"} {
		listener, address, err := Listen(addr)
		if err != nil {
			t.Logf("%s is not to be had here: %v", addr, err) // somebody else may have the port, and not every machine knows its name
			continue
		}
		if want := fmt.Sprintf("http://%s/", listener.Addr()); address != want {
			t.Errorf("Listen(%q) says that the page is at %q, want %q", addr, address, want)
		}
		_ = listener.Close()
	}
}

// The page is there at whatever loopback address it was put.
func TestPageOnEveryLoopbackAddress(t *testing.T) {
	for _, addr := range []string{"127.0.0.2:0", "127.9.9.9:0", "[::1]:0", "localhost:0"} {
		t.Run(addr, func(t *testing.T) {
			s, err := Open(Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			listener, base, err := Listen(addr)
			if err != nil {
				t.Skipf("this machine has no such address: %v", err)
			}
			server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.Mount()}}
			server.Start()
			defer server.Close()
			if res, body := get(t, base, nil); res.StatusCode >= 400 {
				t.Errorf("%s: %d %s", base, res.StatusCode, body)
			}
			if res, _ := get(t, base, http.Header{"Host": {"192.0.2.1:" + fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)}}); res.StatusCode != http.StatusForbidden {
				t.Errorf("another machine's address: %d", res.StatusCode)
			}
			if _, body := get(t, base, http.Header{"Host": {"example.org"}}); !strings.Contains(body, "open it as "+listener.Addr().String()) {
				t.Errorf("a refusal that leads nowhere: %s", body)
			}
		})
	}
}

// An action's faults are told in words.
func TestActionFaults(t *testing.T) {
	s, base := servePage(t)
	ann := s.Users()[0].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	own := http.Header{"Origin": {strings.TrimSuffix(base, "/")}, "Content-Type": {"application/json"}}
	cases := []struct {
		name, action, body string
		header             http.Header
		status             int
		words              string
	}{
		{"not JSON", "say", "x", own, 400, "cannot be read"},
		{"unknown field", "say", `{"nonsense":1}`, own, 400, "nonsense"},
		{"a form", "say", "text=x", http.Header{"Origin": own["Origin"], "Content-Type": {"application/x-www-form-urlencoded"}}, 415, "JSON"},
		{"empty message", "say", `{"user":"` + ann + `","channel":"` + channels[0].ID + `","text":" "}`, own, 422, "empty"},
		{"unknown channel", "say", `{"user":"` + ann + `","channel":"1","text":"x"}`, own, 422, "not there any more"},
		{"unknown person", "say", `{"user":"1","channel":"` + channels[0].ID + `","text":"x"}`, own, 422, "not here any more"},
		{"too long", "say", `{"user":"` + ann + `","channel":"` + channels[0].ID + `","text":"` + strings.Repeat("x", 2001) + `"}`, own, 422, "1 to 2000 characters"},
		{"unknown message", "press", `{"user":"` + ann + `","channel":"` + channels[0].ID + `","message":"1","custom_id":"x"}`, own, 422, "not there any more"},
		{"unknown command", "command", `{"user":"` + ann + `","channel":"` + channels[0].ID + `","command":"nothing"}`, own, 422, "not offered here: /nothing."},
		{"nameless person", "add-person", `{"user":"` + ann + `","text":" "}`, own, 422, "name"},
		{"not a number", "command", `{"user":"` + ann + `","command":"c","options":[{"name":"n","type":4,"text":"x"}]}`, own, 422, "whole number"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			resp, body := do(t, http.MethodPost, base+"do/"+c.action, c.body, c.header)
			var answer pageAnswer
			if err := json.Unmarshal([]byte(body), &answer); err != nil {
				t.Fatalf("status %d, not JSON: %q", resp.StatusCode, body)
			}
			if resp.StatusCode != c.status || answer.Error == "" || !strings.Contains(answer.Error, c.words) {
				t.Errorf("status %d %q, want %d with %q", resp.StatusCode, answer.Error, c.status, c.words)
			}
		})
	}
}

func TestOptionValue(t *testing.T) {
	cases := []struct {
		typ  int
		text string
		want any // nil: refused
	}{
		{OptionString, " a ", " a "},
		{OptionInteger, "7", int64(7)},
		{OptionInteger, "7.5", nil},
		{OptionInteger, "9007199254740993", nil},
		{OptionNumber, "2.5", 2.5},
		{OptionNumber, "NaN", nil},
		{OptionBoolean, "true", true},
		{OptionBoolean, "yes", nil},
		{OptionUser, "12", "12"},
		{OptionUser, "Ann", nil},
		{OptionAttachment, "x", nil},
	}
	for _, c := range cases {
		got, err := optionValue(pageOption{Name: "o", Type: c.typ, Text: c.text})
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.want == nil) {
			t.Errorf("type %d, %q: %v, %v; want %v", c.typ, c.text, got, err, c.want)
		}
	}
}

// testWindow is the browser's end of a live connection.
type testWindow struct {
	t    *testing.T
	conn *websocket.Conn
	have map[string]string
}

func openTestWindow(t *testing.T, base, user, channel string, have map[string]string) *testWindow {
	t.Helper()
	header := http.Header{"Origin": {strings.TrimSuffix(base, "/")}}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(base, "http")+"live", header)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	t.Cleanup(func() { conn.Close() })
	w := &testWindow{t, conn, have}
	w.say(map[string]any{"type": "view", "user": user, "channel": channel, "have": have})
	return w
}

func (w *testWindow) say(v any) {
	w.t.Helper()
	if err := w.conn.WriteJSON(v); err != nil {
		w.t.Fatal(err)
	}
}

// until reads updates until one satisfies ok.
func (w *testWindow) until(ok func(pageUpdate) bool) pageUpdate {
	w.t.Helper()
	for {
		var u pageUpdate
		if err := w.conn.ReadJSON(&u); err != nil {
			w.t.Fatal(err)
		}
		if ok(u) {
			return u
		}
	}
}

func TestLive(t *testing.T) {
	s, base := servePage(t)
	ann, ben := s.Users()[0].ID, s.Users()[1].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	here := channels[0].ID
	w := openTestWindow(t, base, ann, here, nil)
	first := w.until(func(pageUpdate) bool { return true })
	if first.User != ann || first.Channel != here || first.Parts["places"].HTML == "" || first.Catalog == nil {
		t.Fatalf("the first update is not whole: %+v", first)
	}
	m, err := s.Say(t.Context(), ben, here, "hello *Ann*")
	if err != nil {
		t.Fatal(err)
	}
	key := "m" + m.ID
	u := w.until(func(u pageUpdate) bool { return u.Parts[key].HTML != "" })
	if !strings.Contains(u.Parts[key].HTML, "hello <em>Ann</em>") || u.Order[len(u.Order)-1] != m.ID {
		t.Errorf("the message came as %+v in %v", u.Parts[key], u.Order)
	}

	// A window that comes back and has all gets none of it again, and a deleted message is gone from the order.
	have := map[string]string{key: u.Parts[key].Hash, "places": first.Parts["places"].Hash}
	again := openTestWindow(t, base, ann, here, have)
	back := again.until(func(pageUpdate) bool { return true })
	if _, sent := back.Parts[key]; sent || len(back.Order) != 1 {
		t.Errorf("after coming back: parts %v, order %v", back.Parts, back.Order)
	}
	if err := s.DeleteMessage(here, m.ID); err != nil {
		t.Fatal(err)
	}
	again.until(func(u pageUpdate) bool { return len(u.Order) == 0 })

	// A channel that vanishes leads to another.
	if err := s.DeleteChannel(here); err != nil {
		t.Fatal(err)
	}
	again.until(func(u pageUpdate) bool { return u.Channel != here && u.Asked == here })

	// A person who does not exist is told so.
	lost := openTestWindow(t, base, "1", "", nil)
	lost.until(func(u pageUpdate) bool { return u.Gone })

	// The connection ends with the sandbox.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = again.conn.ReadMessage()
	}
}

func TestUnread(t *testing.T) {
	s, base := servePage(t)
	ann, ben := s.Users()[0].ID, s.Users()[1].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	here, there := channels[0].ID, channels[1].ID
	w := openTestWindow(t, base, ann, here, nil)
	m, err := s.Say(t.Context(), ben, there, "<@"+ann+"> come")
	if err != nil {
		t.Fatal(err)
	}
	w.until(func(u pageUpdate) bool {
		return strings.Contains(u.Parts["places"].HTML, `class="place unread"`) && strings.Contains(u.Title, "(1)")
	})
	w.say(map[string]any{"type": "read", "channel": there, "message": m.ID})
	w.until(func(u pageUpdate) bool { return !strings.Contains(u.Title, "(1)") })
	w.say(map[string]any{"type": "read", "channel": "<script>", "message": "x"}) // refused, and harmless
	if _, err := s.Say(t.Context(), ben, there, "more"); err != nil {
		t.Fatal(err)
	}
	w.until(func(u pageUpdate) bool { return strings.Contains(u.Parts["places"].HTML, `class="place unread"`) })
}

// What was deleted, alone or with its channel, waits for nobody any more.
func TestUnreadOfWhatIsGone(t *testing.T) {
	s, base := servePage(t)
	ann, ben := s.Users()[0].ID, s.Users()[1].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	here, there := channels[0].ID, channels[1].ID
	w := openTestWindow(t, base, ann, here, nil)
	for what, gone := range map[string]func(Message) error{
		"a message": func(m Message) error { return s.DeleteMessage(there, m.ID) },
		"a channel": func(Message) error { return s.DeleteChannel(there) },
	} {
		if what == "a channel" {
			c, err := s.AddChannel(s.Guilds("")[0].ID, "third-table")
			if err != nil {
				t.Fatal(err)
			}
			there = c.ID
		}
		m, err := s.Say(t.Context(), ben, there, "<@"+ann+"> come")
		if err != nil {
			t.Fatal(err)
		}
		w.until(func(u pageUpdate) bool {
			return strings.Contains(u.Parts["places"].HTML, `class="place unread"`) && strings.Contains(u.Title, "(1)")
		})
		if err := gone(m); err != nil {
			t.Fatal(err)
		}
		u := w.until(func(u pageUpdate) bool { return !strings.Contains(u.Title, "(1)") })
		if strings.Contains(u.Parts["places"].HTML, `class="place unread"`) {
			t.Errorf("%s that is gone still waits:\n%s", what, u.Parts["places"].HTML)
		}
	}
	if n := len(s.Pings(ann)); n != 2 {
		t.Errorf("%d pings are remembered, want both", n)
	}
}

// A long channel is shown from its end; the older part on demand.
func TestEarlier(t *testing.T) {
	s, base := servePage(t)
	ann := s.Users()[0].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	for i := range messagesAtFirst + 5 {
		if _, err := s.Say(t.Context(), ann, channels[0].ID, fmt.Sprint("line ", i)); err != nil {
			t.Fatal(err)
		}
	}
	w := openTestWindow(t, base, ann, channels[0].ID, nil)
	u := w.until(func(pageUpdate) bool { return true })
	if len(u.Order) != messagesAtFirst || !strings.Contains(u.Parts["log-head"].HTML, "data-earlier") {
		t.Fatalf("%d messages, %q", len(u.Order), u.Parts["log-head"].HTML)
	}
	have := make(map[string]string)
	for key, part := range u.Parts {
		have[key] = part.Hash
	}
	w.say(map[string]any{"type": "view", "user": ann, "channel": channels[0].ID, "limit": messagesAtFirst + 100, "have": have})
	u = w.until(func(u pageUpdate) bool { return len(u.Order) > messagesAtFirst })
	fresh := 0
	for key := range u.Parts {
		if strings.HasPrefix(key, "m1") || strings.HasPrefix(key, "m2") {
			fresh++
		}
	}
	// The five that were missing, and the one which no longer begins the page.
	if len(u.Order) != messagesAtFirst+5 || fresh != 6 || strings.Contains(u.Parts["log-head"].HTML, "data-earlier") {
		t.Errorf("%d messages, %d sent", len(u.Order), fresh)
	}
}

// BenchmarkView is what one change costs for each open window: 50 messages with components, nothing new in them.
func BenchmarkView(b *testing.B) {
	s, err := Open(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	p := newPage(s)
	body, err := os.ReadFile("testdata/page/v2.json")
	if err != nil {
		b.Fatal(err)
	}
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		b.Fatal(err)
	}
	l := pageLive{page: p}
	for b.Loop() {
		v, err := p.view(pageWindow{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range 50 {
			m.ID = fmt.Sprint(100 + i)
			v.messages = append(v.messages, m)
		}
		if _, err := l.difference(v); err != nil {
			b.Fatal(err)
		}
	}
}

// A picture the bot uploads stands on the page and is served, to the page alone.
func TestPictures(t *testing.T) {
	s, base := servePage(t)
	ann := s.Users()[0].ID
	channels, err := s.Channels(ann)
	if err != nil {
		t.Fatal(err)
	}
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 64)...)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	payload := `{"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://board.png"},"description":"the board"}]},` +
		`{"type":13,"file":{"url":"attachment://record.json"}}],` +
		`"attachments":[{"id":"0","filename":"board.png"},{"id":"1","filename":"record.json"}]}`
	if err := form.WriteField("payload_json", payload); err != nil {
		t.Fatal(err)
	}
	for i, file := range []struct{ name, content string }{{"board.png", string(png)}, {"record.json", "{}"}} {
		part, err := form.CreateFormFile(fmt.Sprintf("files[%d]", i), file.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, file.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	resp, text := do(t, http.MethodPost, base+"api/v10/channels/"+channels[0].ID+"/messages", body.String(), http.Header{
		"Authorization": {"Bot " + s.Token()}, "Content-Type": {form.FormDataContentType()}, "User-Agent": {"DiscordBot (https://example.org, 1.0)"}})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the bot's upload is refused: %d %s", resp.StatusCode, text)
	}
	_, page := get(t, base+pageLink(ann, channels[0].ID, "")[1:], nil)
	match := regexp.MustCompile(`<img src="(/attachments/[^"]+)" alt="the board"`).FindStringSubmatch(page)
	if match == nil || !strings.Contains(page, "<bdi>record.json</bdi></a>") {
		t.Fatalf("the page does not show the files:\n%s", page[strings.Index(page, `id="log"`):])
	}
	resp, content := get(t, strings.TrimSuffix(base, "/")+html.UnescapeString(match[1]), http.Header{"Sec-Fetch-Site": {"same-origin"}})
	if resp.StatusCode != http.StatusOK || content != string(png) || !strings.HasPrefix(resp.Header.Get("Content-Type"), "image/png") {
		t.Errorf("the picture: %d %s, %d bytes", resp.StatusCode, resp.Header.Get("Content-Type"), len(content))
	}
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") {
		t.Errorf("the picture's Content-Security-Policy is %q", csp)
	}
}

// What a file holds is never run, whatever its name and type.
func TestFilesAreInert(t *testing.T) {
	_, base := servePage(t)
	resp, _ := get(t, base+"attachments/1/2/x.html", nil)
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") {
		t.Errorf("Content-Security-Policy %q", csp)
	}
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("no nosniff")
	}
}

func TestNewer(t *testing.T) {
	if !newer("10", "9") || newer("9", "10") || newer("9", "9") || !newer("1", "") {
		t.Error("snowflakes are compared as numbers")
	}
}

// Opening the page many times leaves nothing behind but the windows that are open.
func TestWindowsAreForgotten(t *testing.T) {
	s, _ := servePage(t)
	p := newPage(s)
	var closers []func()
	for range 10 {
		_, c := p.openWindow()
		closers = append(closers, c)
	}
	for _, c := range closers {
		c()
	}
	if len(p.windows) != 0 {
		t.Errorf("%d windows are kept", len(p.windows))
	}
}
