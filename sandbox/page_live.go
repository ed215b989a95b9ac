package sandbox

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

const (
	liveWriteTime = 10 * time.Second
	livePing      = 20 * time.Second // a window that answers none of two is gone
	liveLookAgain = 3 * time.Second  // for what has no event, such as the bot's connection
	liveMessage   = 256 << 10        // bytes a window may send at once
)

// fromWindow is what a window says on its live connection.
type fromWindow struct {
	// Type is "view" (what I look at, and what I have of it) or "read" (I have seen this message).
	Type string `json:"type"`
	pageWindow
	Have    map[string]string            `json:"have"` // fingerprints of what the window shows
	Message string                       `json:"message"`
	Read    map[string]map[string]string `json:"read"` // with "view": what this browser's people have seen
}

// pageUpdate is what a window gets: everything that differs from what it has.
type pageUpdate struct {
	User     string              `json:"user"`
	Channel  string              `json:"channel"`
	Asked    string              `json:"asked"` // the channel the window asked for
	Address  string              `json:"address"`
	Title    string              `json:"title"`
	Now      int64               `json:"now"`   // the server's clock, in milliseconds
	Order    []string            `json:"order"` // of the messages in view
	Parts    map[string]fragment `json:"parts"` // regions by name, messages as "m" and their id
	Composer composerState       `json:"composer"`
	Catalog  *catalog            `json:"catalog,omitempty"`
	Gone     bool                `json:"gone,omitempty"` // the person of the window is not there
}

// regions are the live parts of the page beside the messages.
var regions = []string{"people", "places", "heading", "log-head", "menu"}

// serveLive keeps one window up to date over a websocket. (Server-sent events would do but for browsers
// allowing six of them at most to one host: five people's windows would leave none for a sixth, and
// hardly one for the presses.) A connection starts with the window saying what it has, so one that was
// lost and comes back is brought up to date like a new one.
func (p *page) serveLive(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // guarded has checked it
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer conn.Close()
	changes, closeWindow := p.openWindow()
	defer closeWindow()

	said := make(chan fromWindow)
	done := make(chan struct{})
	defer close(done)
	go readWindow(conn, said, done)

	l := pageLive{page: p, conn: conn}
	ping := time.NewTicker(livePing)
	defer ping.Stop()
	again := time.NewTicker(liveLookAgain)
	defer again.Stop()
	for err == nil {
		select {
		case message, ok := <-said:
			if !ok {
				return
			}
			err = l.hear(message)
		case <-p.closed:
			return
		case <-changes:
			err = l.refresh()
		case <-again.C:
			err = l.refresh()
		case <-ping.C:
			err = conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(liveWriteTime))
		}
	}
}

// readWindow passes on what the window says, until it is gone.
func readWindow(conn *websocket.Conn, said chan<- fromWindow, done <-chan struct{}) {
	defer close(said)
	conn.SetReadLimit(liveMessage)
	alive := func(string) error { return conn.SetReadDeadline(time.Now().Add(2*livePing + liveWriteTime)) }
	conn.SetPongHandler(alive)
	for {
		_ = alive("")
		_, body, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var message fromWindow
		if json.Unmarshal(body, &message) != nil {
			continue // of an older page, perhaps; the next view tells all
		}
		select {
		case said <- message:
		case <-done:
			return
		}
	}
}

// pageLive is the server's end of one window's connection.
type pageLive struct {
	page    *page
	conn    *websocket.Conn
	window  pageWindow        // what it looks at; User is "" before it has said
	have    map[string]string // fingerprints of what it shows
	catalog string            // fingerprint of its catalog
	sent    string            // fingerprint of the last update's frame
}

func (l *pageLive) hear(message fromWindow) error {
	switch message.Type {
	case "view":
		l.window, l.have, l.catalog, l.sent = message.pageWindow, message.Have, "", ""
		if l.have == nil {
			l.have = make(map[string]string)
		}
		for user, channels := range message.Read {
			for channel, id := range channels {
				l.page.markRead(user, channel, id)
			}
		}
		l.page.follow()
		return l.refresh()
	case "read":
		if l.page.markRead(l.window.User, message.Channel, message.Message) {
			l.page.changed()
		}
	}
	return nil
}

// refresh renders what the window looks at and sends what differs, if anything does.
func (l *pageLive) refresh() error {
	if l.window.User == "" {
		return nil
	}
	v, err := l.page.view(l.window)
	if err != nil {
		return l.write(pageUpdate{Gone: true})
	}
	u, err := l.difference(v)
	if err != nil {
		return err
	}
	// The clock alone is no news.
	frame := u
	frame.Now = 0
	body, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if hash := fingerprint(string(body)); hash != l.sent || len(u.Parts) > 0 {
		l.sent = hash
		return l.write(u)
	}
	return nil
}

func (l *pageLive) difference(v *pageView) (pageUpdate, error) {
	u := pageUpdate{
		User: v.window.User, Channel: v.window.Channel, Asked: l.window.Channel, Title: v.Title(),
		Address: v.link(v.window.Channel, ""), Now: v.page.now().UnixMilli(),
		Order: []string{}, Parts: make(map[string]fragment), Composer: v.Composer(),
	}
	next := make(map[string]string)
	add := func(key, name string, data any) error {
		f, err := l.page.fragment(name, data)
		if err != nil {
			return err
		}
		next[key] = f.Hash
		if l.have[key] != f.Hash {
			u.Parts[key] = f
		}
		return nil
	}
	for _, name := range regions {
		if err := add(name, name, v); err != nil {
			return u, err
		}
	}
	for _, m := range v.Messages() {
		u.Order = append(u.Order, m.ID)
		if err := add("m"+m.ID, "message", m); err != nil {
			return u, err
		}
	}
	l.have = next
	c := v.catalog()
	body, err := json.Marshal(c)
	if err != nil {
		return u, err
	}
	if hash := fingerprint(string(body)); hash != l.catalog {
		l.catalog, u.Catalog = hash, &c
	}
	return u, nil
}

func (l *pageLive) write(u pageUpdate) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(liveWriteTime)); err != nil {
		return err
	}
	return l.conn.WriteJSON(u)
}
