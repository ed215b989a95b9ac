package bot

import (
	"maps"
	"time"

	"paladin/store"
)

// setbackFirst and setbackMost bound the wait after a deadline could not be carried out.
const (
	setbackFirst = retryDue
	setbackMost  = time.Hour
)

// setbacks are the deadlines that could not be carried out, because of a failure or of a bug. They
// wait, longer each time: one table that goes wrong is not to keep the program busy, nor to fill
// its log.
type setbacks map[setbackOf]setback

type setbackOf struct {
	table, kind string
	prompt      uint64
}

type setback struct {
	count int
	until time.Time
}

func (setbacks) of(d store.Deadline) setbackOf { return setbackOf{d.Table, d.Kind, d.Prompt} }

// waits reports whether a deadline is to wait.
func (s setbacks) waits(d store.Deadline, now time.Time) bool {
	b, ok := s[s.of(d)]
	// A wait that is longer than any was set before the clock was turned back.
	return ok && now.Before(b.until) && b.until.Sub(now) <= setbackMost
}

// note takes note of what came of a deadline.
func (s setbacks) note(d store.Deadline, well bool, now time.Time) {
	if well {
		maps.DeleteFunc(s, func(of setbackOf, _ setback) bool { return of.table == d.Table })
		return
	}
	b := s[s.of(d)]
	b.until = now.Add(min(setbackFirst<<min(b.count, 12), setbackMost))
	b.count++
	s[s.of(d)] = b
}

// prune forgets what its table has outlived.
func (s setbacks) prune(now time.Time) {
	maps.DeleteFunc(s, func(_ setbackOf, b setback) bool { return now.Sub(b.until) > setbackMost })
}
