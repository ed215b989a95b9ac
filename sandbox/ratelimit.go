package sandbox

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"time"
)

func (l Limits) withDefaults() Limits {
	set := func(p *Limit, n int, per time.Duration) {
		if *p == (Limit{}) {
			*p = Limit{n, per}
		}
		if p.Per <= 0 {
			p.Per = per
		}
	}
	set(&l.Global, 50, time.Second)
	set(&l.Create, 5, 5*time.Second)
	set(&l.Edit, 5, 5*time.Second)
	set(&l.OldEdit, 3, 6*time.Second)
	set(&l.Delete, 5, time.Second)
	set(&l.Webhook, 5, 2*time.Second)
	set(&l.Channel, 2, 10*time.Minute)
	set(&l.OpenDM, 20, 10*time.Minute)
	set(&l.Other, 20, time.Second)
	set(&l.Identify, 1000, 24*time.Hour)
	set(&l.Concurrency, -1, 5*time.Second)
	return l
}

// NoLimits turns every rate limit off.
func NoLimits() Limits {
	off := Limit{N: -1, Per: time.Second}
	return Limits{Global: off, Create: off, Edit: off, OldEdit: off, Delete: off, Webhook: off,
		Channel: off, OpenDM: off, Other: off, Identify: off, Concurrency: off}
}

// window counts the requests of one limit since it began.
type window struct {
	ends time.Time
	n    int
}

type rateLimited struct {
	after  time.Duration
	global bool
	scope  string
}

// take counts one request against a limit. Without room it reports how long it is
// until there is; nothing is counted then.
func (s *Server) take(key string, l Limit) (left int, reset time.Duration, ok bool) {
	if l.N < 0 {
		return math.MaxInt32, 0, true
	}
	now := s.now()
	w := s.windows[key]
	if w == nil || !now.Before(w.ends) || w.ends.Sub(now) > l.Per { // the last: the clock was set back
		if len(s.windows) > 10_000 {
			s.forgetWindows(now)
		}
		w = &window{ends: now.Add(l.Per)}
		s.windows[key] = w
	}
	reset = w.ends.Sub(now)
	if w.n >= l.N {
		return 0, reset, false
	}
	w.n++
	return l.N - w.n, reset, true
}

func (s *Server) forgetWindows(now time.Time) {
	for key, w := range s.windows {
		if !now.Before(w.ends) {
			delete(s.windows, key)
		}
	}
}

// limitFor is the limit of a route and the key of its counter.
func (s *Server) limitFor(r *route, c *call) (string, Limit) {
	switch r.limit {
	case limitCreate:
		return "create/" + c.path("channel"), s.limits.Create
	case limitEdit:
		return "edit/" + c.path("channel"), s.limits.Edit
	case limitDelete:
		return "delete/" + c.path("channel"), s.limits.Delete
	case limitWebhook:
		return "webhook/" + c.path("token"), s.limits.Webhook
	case limitNone:
		return "", Limit{N: -1}
	}
	return r.method + r.pattern + "/" + c.path("channel") + c.path("guild"), s.limits.Other
}

// admit takes the request against the global limit and its route's own. The
// headers are for the answer in any case.
func (s *Server) admit(r *route, c *call, h http.Header) *apiError {
	key, limit := s.limitFor(r, c)
	if r.counted() {
		if _, wait, ok := s.take("global", s.limits.Global); !ok {
			return tooMany(wait, true, "global", "You are being rate limited.")
		}
	}
	if limit.N < 0 {
		return nil
	}
	left, reset, ok := s.take(key, limit)
	h.Set("X-RateLimit-Bucket", bucketName(r))
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit.N))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", seconds(time.Duration(s.now().Add(reset).UnixNano())))
	h.Set("X-RateLimit-Reset-After", seconds(reset))
	if !ok {
		return tooMany(reset, false, "user", "You are being rate limited.")
	}
	return nil
}

func tooMany(wait time.Duration, global bool, scope, message string) *apiError {
	h := http.Header{}
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	h.Set("X-RateLimit-Scope", scope)
	if global {
		h.Set("X-RateLimit-Global", "true")
	}
	return &apiError{status: 429, message: message, retry: &rateLimited{wait, global, scope}, header: h}
}

// bucketName is opaque and the same for the routes that share a kind of limit.
func bucketName(r *route) string {
	h := fnv.New64a()
	if r.limit == limitOther {
		fmt.Fprint(h, r.method, r.pattern)
	} else {
		fmt.Fprint(h, r.limit)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
