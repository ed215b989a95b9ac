package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// A loopback is the least Discord that two bots can be measured on: it takes any number of gateway connections, hands out presses
// and takes the answers. It knows no limits and checks nothing, so that what is measured is the bot. HTTP is read straight off the
// connection: net/http's server would cost more than some of what stands on the other side.
type loopback struct {
	api     string // the base of the REST API, without a version
	gateway string

	mu       sync.Mutex
	waiting  map[string]chan time.Time // by interaction, for its callback
	links    map[string]*link          // by bot token
	arrived  *sync.Cond
	messages uint64
	commands int // how often commands were registered
}

// link is one bot's gateway connection.
type link struct {
	mu   sync.Mutex
	conn *websocket.Conn
	seq  uint64
}

func newLoopback(tb testing.TB) *loopback {
	tb.Helper()
	d := &loopback{waiting: map[string]chan time.Time{}, links: map[string]*link{}, messages: 1 << 60}
	d.arrived = sync.NewCond(&d.mu)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	gateway := httptest.NewServer(http.HandlerFunc(d.serveGateway))
	d.api = "http://" + listener.Addr().String() + "/api"
	d.gateway = "ws" + strings.TrimPrefix(gateway.URL, "http")
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go d.serve(conn)
		}
	}()
	tb.Cleanup(func() {
		_ = listener.Close()
		gateway.Close()
	})
	return d
}

// serve answers the requests of one connection, one after the other.
func (d *loopback) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var out []byte
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		body := d.route(r, time.Now())
		out = append(out[:0], "HTTP/1.1 204 No Content\r\n\r\n"...)
		if body != "" {
			out = append(out[:0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "...)
			out = strconv.AppendInt(out, int64(len(body)), 10)
			out = append(append(out, "\r\n\r\n"...), body...)
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// route returns the body of the answer to a request that was read whole at the given time; empty for 204.
func (d *loopback) route(r *http.Request, at time.Time) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/v"), "/")
	words := strings.Split(path, "/")
	switch {
	case words[0] == "interactions" && len(words) == 4:
		d.answered(words[1], at)
		if r.URL.RawQuery == "" {
			return ""
		}
		return `{"interaction":{"id":"` + words[1] + `","type":3},"resource":{"type":7,"message":{"id":"` + panelMessage + `","channel_id":"1"}}}`
	case words[0] == "gateway":
		return `{"url":"` + d.gateway + `","shards":1}`
	case strings.HasSuffix(path, "/commands"):
		if r.Method == http.MethodPut {
			d.mu.Lock()
			d.commands++
			d.arrived.Broadcast()
			d.mu.Unlock()
		}
		return `[]`
	case words[0] == "applications":
		return `{"id":"` + application + `","name":"paladin"}`
	default:
		return `{"id":"` + d.message() + `","channel_id":"1","type":1}`
	}
}

func (d *loopback) message() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages++
	return strconv.FormatUint(d.messages, 10)
}

func (d *loopback) answered(interaction string, at time.Time) {
	d.mu.Lock()
	done := d.waiting[interaction]
	delete(d.waiting, interaction)
	d.mu.Unlock()
	if done != nil {
		done <- at
	}
}

// serveGateway welcomes a bot and keeps its heart beating.
func (d *loopback) serveGateway(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	l := &link{conn: conn}
	if l.write(`{"op":10,"d":{"heartbeat_interval":41250}}`) != nil {
		return
	}
	for {
		var p struct {
			Op int `json:"op"`
			D  json.RawMessage
		}
		if conn.ReadJSON(&p) != nil {
			return
		}
		switch p.Op {
		case 1:
			err = l.write(`{"op":11}`)
		case 2:
			var identify struct{ Token string }
			if json.Unmarshal(p.D, &identify) != nil {
				return
			}
			err = l.write(`{"op":0,"s":1,"t":"READY","d":{"v":10,"session_id":"s","user":{"id":"` + application +
				`","username":"paladin","bot":true},"application":{"id":"` + application + `"},"guilds":[]}}`)
			d.mu.Lock()
			d.links[strings.TrimPrefix(identify.Token, "Bot ")] = l
			d.arrived.Broadcast()
			d.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (l *link) write(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn.WriteMessage(websocket.TextMessage, []byte(text))
}

// connected returns the gateway connection of the bot with this token, once it stands and, for a bot that registers commands,
// once that is done.
func (d *loopback) connected(token string, commands bool) *link {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.links[token] == nil || commands && d.commands == 0 {
		d.arrived.Wait()
	}
	return d.links[token]
}

// press sends a press over the link and returns how long it took from there until its callback had arrived whole.
func (d *loopback) press(l *link, p *pressing, done chan time.Time) (time.Duration, error) {
	d.mu.Lock()
	d.waiting[p.id] = done
	d.mu.Unlock()
	began := time.Now()
	l.mu.Lock()
	l.seq++
	err := l.conn.WriteMessage(websocket.TextMessage, p.payload)
	l.mu.Unlock()
	if err != nil {
		return 0, err
	}
	select {
	case at := <-done:
		return at.Sub(began), nil
	case <-time.After(20 * time.Second):
		return 0, fmt.Errorf("interaction %s was not answered", p.id)
	}
}
