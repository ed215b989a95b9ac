package bot

import (
	"context"
	"sync"
	"time"

	"paladin/bot/discord"
)

// reach is what the application knows of the ways on which presses arrive: the gateway connection,
// on which all of them come, and each server, which can be out while the connection stands. While a
// way is down nobody can press there, so the clocks of its tables hold. It lives in memory: a start
// gives grace anyway. The zero value was never told of a connection and takes it for standing.
type reach struct {
	mu sync.Mutex
	// life tells whether the connection lives; nil: nobody can tell.
	life lifeline
	line way
	// servers are those of which the gateway ever said something else than that they are there.
	servers map[string]*server
	// announces says that Discord announced a server that READY had listed as unavailable, as all
	// are at first. Only then does it mean anything that another one was not announced: not every
	// server that speaks Discord's API does it.
	announces bool
}

// lifeline tells whether the connection lives before its silence has lasted long enough to end it;
// *discord.Client is one.
type lifeline interface {
	// Heard is when the last packet came.
	Heard() time.Time
	// Alive asks for a sign of life and waits for it; false if none came before ctx ended.
	Alive(ctx context.Context) bool
}

// server is what the gateway said of one server.
type server struct {
	way
	listed bool // READY listed it as unavailable, and it was not announced since
	out    bool // Discord calls it unavailable
}

// way is a way on which presses arrive.
type way struct {
	down  bool
	since time.Time // while it is down: since when nothing can have arrived
	// from and back are the ends of the last stretch in which it was down, took how long it was
	// down in it, and dark how long it was in all. Outages that follow each other closely are one
	// stretch: nobody gets to press in between.
	from, back time.Time
	took, dark time.Duration
}

// shortRelief is how long a way must be there between two outages that are not one.
const shortRelief = time.Minute

// lose notes that nothing arrives since then.
func (w *way) lose(since time.Time) {
	if w.down {
		return
	}
	// The time on the wall, for that is what deadlines are compared with.
	if since = since.Round(0); since.Before(w.back) {
		since = w.back
	}
	w.down, w.since = true, since
}

// restore notes that presses arrive again. It is false where they always did.
func (w *way) restore(now time.Time) bool {
	if !w.down {
		return false
	}
	now = now.Round(0)
	lasted := max(0, now.Sub(w.since))
	if w.since.Sub(w.back) >= shortRelief {
		w.from, w.took = w.since, 0
	}
	w.down, w.back, w.took, w.dark = false, now, w.took+lasted, w.dark+lasted
	return true
}

// spares reports whether something that nobody touches stays, though its time is over: that passed
// while nobody could touch it, and they have not been able to for long.
func (w *way) spares(end, now time.Time) bool {
	return w.down || !end.Before(w.from) && !end.After(w.back) && now.Before(w.back.Add(idleGrace))
}

// turnedBack makes good that the clock was set back: what is to come was missed by nobody.
func (w *way) turnedBack(now time.Time) {
	now = now.Round(0)
	if w.back.After(now) {
		w.back = now
	}
	if w.since.After(now) {
		w.since = now
	}
}

// follow takes the connection for down until the first event of it, and from then on asks life
// whether it lives.
func (r *reach) follow(life lifeline, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.life = life
	r.line.lose(now)
}

// began notes that the program begins: what ended before did so while it was down.
func (r *reach) began(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line.back = now.Round(0)
}

// stood notes that the clock jumped, or that the program stood still: nobody could move then
// either.
func (r *reach) stood(since, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.line.down {
		r.line.lose(since)
		r.line.restore(now)
	}
}

// way returns the way of a server's presses as it is now.
func (r *reach) way(guild string) way {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.line
	s := r.servers[guild]
	if s == nil {
		return w
	}
	return w.through(s.way)
}

// through is the way over both: it is down while one of them is. A new session announces each
// server a moment after the connection is back: that moment is the end of the outage, and not
// another one that was short.
func (w way) through(s way) way {
	both := way{down: w.down || s.down, dark: w.dark + s.dark}
	first, last := w, s
	if w.back.After(s.back) {
		first, last = s, w
	}
	both.from, both.back, both.took = last.from, last.back, last.took
	if last.from.Sub(first.back) < shortRelief {
		if first.from.Before(last.from) {
			both.from = first.from
		}
		both.took = min(first.took+last.took, both.back.Sub(both.from)) // both may have been down at once
	}
	return both
}

// turnedBack forgets a jump of the clock forward that was taken back.
func (r *reach) turnedBack(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line.turnedBack(now)
	for _, s := range r.servers {
		s.turnedBack(now)
	}
}

// split reports whether the ways of servers ever differed, so that it matters whose a table is.
func (r *reach) split() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.servers) > 0
}

// lifeline returns who tells whether the connection lives; nil if nobody can.
func (r *reach) lifeline() lifeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.life
}

// reached takes what an event says of the ways on which presses arrive, and lets go on what was
// held while one was down.
func (a *App) reached(event discord.Event) {
	if gone, ok := event.(*discord.GuildGone); ok && gone.Unavailable {
		a.log.Info("a server is out; the clocks of its tables hold until it is announced again, or somebody presses there",
			"guild", gone.ID)
	}
	if a.reach.hear(event, a.clock.Now()) {
		a.ticker.wake()
	}
}

// hear takes what an event says of the ways. It is true when a way is back. It is called on the
// gateway's read loop.
func (r *reach) hear(event discord.Event, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *discord.Disconnected:
		if since := e.Heard; since.IsZero() || since.After(now) {
			r.line.lose(now)
		} else {
			r.line.lose(since)
		}
	case *discord.Ready:
		back := r.line.restore(now)
		return r.listing(e, now) || back
	case *discord.GuildGone:
		if !e.Unavailable {
			return r.found(e.ID, now) // no outage, whatever else it is
		}
		s := r.server(e.ID)
		s.out = true
		s.lose(now)
	case *discord.GuildJoined:
		return r.announced(e.ID, now)
	case *discord.Interaction:
		// Whoever presses there shows that it is there, whatever was said of it.
		return r.found(e.Guild, now)
	}
	return false
}

// listing takes the list of servers that a new session begins with. Discord lists all of them as
// unavailable and announces those that are there in the next moments.
func (r *reach) listing(ready *discord.Ready, now time.Time) bool {
	back := false
	for _, g := range ready.Guilds {
		if !g.Unavailable {
			back = r.found(g.ID, now) || back
			continue
		}
		s := r.server(g.ID)
		s.listed = true
		if r.announces {
			s.lose(now)
		}
	}
	return back
}

// announced notes that Discord announced a server.
func (r *reach) announced(guild string, now time.Time) bool {
	if s := r.servers[guild]; s != nil && s.listed && !r.announces {
		r.announces = true
		for _, other := range r.servers {
			if other.listed {
				other.lose(now)
			}
		}
	}
	return r.found(guild, now)
}

// found notes that a server is not out.
func (r *reach) found(guild string, now time.Time) bool {
	s := r.servers[guild]
	if s == nil {
		return false
	}
	s.listed, s.out = false, false
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

// unavailable reports whether the gateway calls a server unavailable: it is out, and comes back
// with all that is in it.
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
