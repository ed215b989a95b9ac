package sandbox

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

//go:embed web
var webFiles embed.FS

// Mount is everything the sandbox serves on its listener: the page for people at /, with what it needs
// beside it, and the bot's side ([Server.Handler]): the API under /api/, the gateway, and files. It answers this
// machine only, under a loopback name, and no page of another origin (see guarded).
//
// One Mount belongs to one Server; it ends with the Server's Close.
func (s *Server) Mount() http.Handler {
	p := newPage(s)
	bot := s.Handler()
	mux := http.NewServeMux()
	mux.Handle("/api/", guarded(accessBot, bot))
	mux.Handle("/gateway", guarded(accessBot, bot))
	mux.Handle("/gateway/", guarded(accessBot, bot))
	mux.Handle("/attachments/", guarded(accessFile, inert(bot)))
	mux.Handle("/emojis/", guarded(accessFile, inert(bot)))
	mux.Handle("GET /{$}", guarded(accessPage, http.HandlerFunc(p.serveIndex)))
	mux.Handle("GET /assets/{name}", guarded(accessPage, http.HandlerFunc(p.serveAsset)))
	mux.Handle("GET /live", guarded(accessAction, http.HandlerFunc(p.serveLive)))
	for name, do := range p.actions() {
		mux.Handle("POST /do/"+name, guarded(accessAction, p.action(do)))
	}
	mux.Handle("/", guarded(accessPage, http.HandlerFunc(http.NotFound)))
	return mux
}

// inert serves uploaded files so that they can be looked at but never run.
func inert(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		h.ServeHTTP(w, r)
	})
}

// page is the people's side of a Server in a browser. It holds no state of the world: whatever a window
// shows is rendered from what the Server says at that moment, and sent where it differs from what the
// window has.
type page struct {
	s         *Server
	templates *template.Template
	assets    map[string]asset
	version   string // of templates, script and style: a window with another one loads itself anew
	now       func() time.Time
	closed    chan struct{} // closed when the Server is

	mu      sync.Mutex
	read    map[string]map[string]string // user, channel: the newest message that user has seen
	windows map[chan struct{}]struct{}   // told that something changed
	watched map[string]bool              // users whose events are followed
}

type asset struct {
	body        []byte
	contentType string
	tag         string
}

func newPage(s *Server) *page {
	p := &page{
		s:         s,
		templates: template.Must(template.New("").Funcs(template.FuncMap{"time": timeElement, "edited": editedElement, "size": sizeText}).ParseFS(webFiles, "web/*.html")),
		assets:    make(map[string]asset),
		now:       s.now,
		closed:    make(chan struct{}),
		read:      make(map[string]map[string]string),
		windows:   make(map[chan struct{}]struct{}),
		watched:   make(map[string]bool),
	}
	p.version = fileVersion()
	for name, contentType := range map[string]string{
		"page.css": "text/css; charset=utf-8",
		"page.js":  "text/javascript; charset=utf-8",
		"theme.js": "text/javascript; charset=utf-8",
		"icon.svg": "image/svg+xml",
	} {
		body, err := fs.ReadFile(webFiles, "web/"+name)
		if err != nil {
			panic(err) // the file is part of the program
		}
		p.assets[name] = asset{body: body, contentType: contentType, tag: fingerprint(string(body))}
	}
	p.follow()
	return p
}

// fileVersion is the fingerprint of all the page is made of.
func fileVersion() string {
	files, err := webFiles.ReadDir("web")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	all := ""
	for _, f := range files {
		body, err := webFiles.ReadFile("web/" + f.Name())
		if err != nil {
			panic(err)
		}
		all += fingerprint(string(body))
	}
	return fingerprint(all)
}

// fingerprint tells two texts apart.
func fingerprint(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

func (p *page) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+a.tag+`"`)
	if r.Header.Get("If-None-Match") == `"`+a.tag+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(a.body)
}

// serveIndex serves the page of one person in one channel. Without both in the address it leads to
// the first that fits, so that every window's address says whose it is.
func (p *page) serveIndex(w http.ResponseWriter, r *http.Request) {
	want := pageWindow{User: r.URL.Query().Get("user"), Channel: r.URL.Query().Get("channel")}
	view, err := p.view(want)
	if err != nil {
		if want.User != "" {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if view.window.User != want.User || view.window.Channel != want.Channel {
		http.Redirect(w, r, view.link(view.window.Channel, ""), http.StatusSeeOther)
		return
	}
	body, err := p.renderPage(view)
	if err != nil {
		http.Error(w, "the page cannot be drawn: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// ws: is named because some browsers do not count it as 'self'. r.Host has been checked.
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://"+r.Host+
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	_, _ = w.Write(body)
}

// pageWindow is what one browser window looks at.
type pageWindow struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Limit   int    `json:"limit"` // how many of the newest messages
}

const (
	messagesAtFirst = 50
	messagesAtMost  = 1000
)

// pageLink is the page's address of a channel, and of a message in it, for the person of this window.
func pageLink(user, channel, message string) string {
	q := url.Values{"user": {user}}
	if channel != "" {
		q.Set("channel", channel)
	}
	address := "/?" + q.Encode()
	if message != "" {
		address += "#m" + message
	}
	return address
}

// newer says whether snowflake a is newer than b; "" is older than all.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// markRead notes that a user has seen a channel up to a message.
func (p *page) markRead(user, channel, message string) (changed bool) {
	if !isSnowflake(user) || !isSnowflake(channel) || !isSnowflake(message) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read[user] == nil {
		p.read[user] = make(map[string]string)
	}
	if !newer(message, p.read[user][channel]) {
		return false
	}
	p.read[user][channel] = message
	return true
}

func (p *page) lastRead(user, channel string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read[user][channel]
}

func isSnowflake(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// follow listens to the events of every user there is, so that each window learns at once of what
// concerns its own person and of the badges of the others.
func (p *page) follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, user := range p.s.Users() {
		if p.watched[user.ID] {
			continue
		}
		p.watched[user.ID] = true
		events, _ := p.s.Subscribe(user.ID) // closed by Server.Close
		go func() {
			for range events {
				p.changed()
			}
			p.end()
		}()
	}
}

// end closes the live connections: the Server is closed.
func (p *page) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
}

// changed tells every window to look again.
func (p *page) changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.windows {
		select {
		case w <- struct{}{}:
		default: // it has been told and has not looked yet
		}
	}
}

func (p *page) openWindow() (changes chan struct{}, closeWindow func()) {
	changes = make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.windows[changes] = struct{}{}
	return changes, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.windows, changes)
	}
}

// pageError is a fault of the request, told to the person in its own words.
type pageError struct{ text string }

func (e pageError) Error() string { return e.text }

func pageErrorf(format string, args ...any) error { return pageError{fmt.Sprintf(format, args...)} }

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, `{"error":"the answer cannot be written"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

var (
	errNobody        = errors.New("the sandbox has no people")
	errUnknownPerson = errors.New("nobody here has that id")
)
