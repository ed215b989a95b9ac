package sandbox

import (
	"encoding/json"
	"errors"
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
	Version  string              `json:"version"`
	User     string              `json:"user"`
	Channel  string              `json:"channel"`
	Asked    string              `json:"asked"` // the channel the window asked for
	Address  string              `json:"address"`
	Title    string              `json:"title"`
	Now      int64               `json:"now"`   // the server's clock, in milliseconds
	Order    []string            `json:"order"` // of the messages in view
	Parts    map[string]fragment `json:"parts"` // regions by name, messages as "m" and their id
	Composer composerState       `json:"composer"`
	Locale   string              `json:"locale"` // of the person's client
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
	drawn   map[string]drawnMessage
}

// drawnMessage is a message as it was last drawn, and what it was drawn from: most of what a window shows
// has not changed when something else has.
type drawnMessage struct {
	from string
	fragment
}

// draw draws a message, or takes it as it was drawn before from the same things. world stands for whatever
// of the view a message's drawing may depend on beside the message itself.
func (l *pageLive) draw(m *messageView, world string) (drawnMessage, error) {
	body, err := json.Marshal([]any{m.Message, m.Joined, m.Reply(), world})
	if err != nil {
		return drawnMessage{}, err
	}
	from := fingerprint(string(body))
	if old, ok := l.drawn[m.ID]; ok && old.from == from {
		return old, nil
	}
	f, err := m.Fragment()
	return drawnMessage{from, f}, err
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
	l.page.follow()
	v, err := l.page.view(l.window)
	if errors.Is(err, errUnknownPerson) {
		return l.write(pageUpdate{Version: l.page.version, Gone: true})
	}
	if err != nil {
		return err // the window comes back, perhaps to a sandbox started anew
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
		Version: l.page.version, User: v.window.User, Channel: v.window.Channel, Asked: l.window.Channel, Title: v.Title(),
		Address: v.link(v.window.Channel, ""), Now: v.page.now().UnixMilli(),
		Order: []string{}, Parts: make(map[string]fragment), Composer: v.Composer(), Locale: v.locale,
	}
	next := make(map[string]string)
	for _, name := range regions {
		f, err := v.Part(name)
		if err != nil {
			return u, err
		}
		next[name] = f.Hash
		if l.have[name] != f.Hash {
			u.Parts[name] = f
		}
	}
	c := v.catalog()
	body, err := json.Marshal(c)
	if err != nil {
		return u, err
	}
	hash := fingerprint(string(body))
	if hash != l.catalog {
		l.catalog, u.Catalog = hash, &c
	}
	world, err := json.Marshal([]any{v.user.ID, v.users, v.names, v.places, v.emojis, hash})
	if err != nil {
		return u, err
	}
	drawn := make(map[string]drawnMessage, len(v.messages))
	for _, m := range v.Messages() {
		d, err := l.draw(m, fingerprint(string(world)))
		if err != nil {
			return u, err
		}
		drawn[m.ID] = d
		u.Order = append(u.Order, m.ID)
		next["m"+m.ID] = d.Hash
		if l.have["m"+m.ID] != d.Hash {
			u.Parts["m"+m.ID] = d.fragment
		}
	}
	l.have, l.drawn = next, drawn
	return u, nil
}

func (l *pageLive) write(u pageUpdate) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(liveWriteTime)); err != nil {
		return err
	}
	return l.conn.WriteJSON(u)
}
