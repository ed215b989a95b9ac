package bot

import (
	"sync"
	"time"

	"paladin/bot/discord"
)

// reach is what the application knows of the ways on which presses arrive: the gateway connection, on which all of them come, and each
// server, which can be out while the connection stands. While a way is down nobody can press there, so the clocks of its tables hold.
// It lives in memory: a start gives grace anyway. The zero value was never told of a connection and takes it for standing.
type reach struct {
	mu   sync.Mutex
	line way
	// servers are those of which the gateway said something else than that they are there.
	servers map[string]*server
	// announces says that Discord announced a server that READY had listed as unavailable, as all are at first. Only then does it mean
	// anything that another one was not announced: not every server that speaks Discord's API does it.
	announces bool
}

// server is what the gateway said of one server.
type server struct {
	way
	listed bool // READY listed it as unavailable, and it was not announced since
	out    bool // Discord calls it unavailable
	left   bool // Discord says that the bot is no longer in it
}

// way is a way on which presses arrive.
type way struct {
	down  bool
	since time.Time // while it is down: since when nothing can have arrived
	// back is the end of the last stretch in which it was down; dark is how long all of them lasted.
	back time.Time
	dark time.Duration
}

// lose notes that nothing arrives since then.
func (w *way) lose(since time.Time) {
	if w.down {
		return
	}
	if since.Before(w.back) {
		since = w.back
	}
	w.down, w.since = true, since
}

// restore notes that presses arrive again. It is false where they always did.
func (w *way) restore(now time.Time) bool {
	if !w.down {
		return false
	}
	w.down, w.back = false, now
	w.dark += max(0, now.Sub(w.since))
	return true
}

// hear takes what an event says of the ways. It is true when a way is back. It is called on the gateway's read loop.
func (r *reach) hear(event discord.Event, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *discord.Disconnected:
		r.line.lose(e.Heard)
	case *discord.Ready:
		back := r.line.restore(now)
		return r.listing(e, now) || back
	case *discord.GuildGone:
		s := r.server(e.ID)
		s.out, s.left = e.Unavailable, !e.Unavailable
		s.lose(now)
	case *discord.GuildJoined:
		return r.there(e.ID, now)
	case *discord.Interaction:
		// Whoever presses there shows that it is there, whatever was said of it.
		return r.there(e.Guild, now)
	}
	return false
}

// listing takes the list of servers that a new session begins with. Discord lists all of them as unavailable and announces those that
// are there in the next moments.
func (r *reach) listing(ready *discord.Ready, now time.Time) bool {
	back := false
	for _, g := range ready.Guilds {
		if !g.Unavailable {
			back = r.there(g.ID, now) || back
			continue
		}
		s := r.server(g.ID)
		s.listed, s.left = true, false
		if r.announces {
			s.lose(now)
		}
	}
	return back
}

// there notes that a server is there.
func (r *reach) there(guild string, now time.Time) bool {
	s := r.servers[guild]
	if s == nil {
		return false
	}
	if s.listed && !r.announces {
		r.announces = true
		for _, other := range r.servers {
			if other.listed {
				other.lose(now)
			}
		}
	}
	s.listed, s.out, s.left = false, false, false
	return s.restore(now)
}

func (r *reach) server(guild string) *server {
	if r.servers == nil {
		r.servers = map[string]*server{}
	}
	s := r.servers[guild]
	if s == nil {
		s = &server{}
		r.servers[guild] = s
	}
	return s
}

// unavailable reports whether the gateway calls a server unavailable: it is out, and comes back with all that is in it.
func (r *reach) unavailable(guild string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.servers[guild]
	return s != nil && (s.out || s.listed && r.announces)
}

// down reports whether there is no connection on which presses could arrive.
func (r *reach) down() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.line.down
}
