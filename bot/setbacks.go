package bot

import (
	"errors"
	"maps"
	"time"

	"paladin/store"
)

const (
	// setbackFirst and setbackMost bound the wait after a deadline could not be carried out.
	setbackFirst = retryDue
	setbackMost  = time.Hour
	// setbackHindered is the most where nothing is wrong with the table: when the disk has room
	// again, nobody is to wait long for a squire.
	setbackHindered = time.Minute
)

// outcome is what came of a deadline.
type outcome int

const (
	well     outcome = iota
	hindered         // the store failed; it may not the next time
	faulty           // something is wrong with the table, or with this program
)

// outcomeOf is what came of a deadline that ended with err.
func outcomeOf(err error) outcome {
	var own *stepError
	switch {
	case err == nil:
		return well
	case lasting(err), errors.As(err, &own):
		return faulty
	}
	return hindered
}

// stepError is a step that its table refused or that this program cannot make. No store is to
// blame.
type stepError struct{ error }

func (e *stepError) Unwrap() error { return e.error }

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
func (s setbacks) note(d store.Deadline, came outcome, now time.Time) {
	most := setbackMost
	switch came {
	case hindered:
		most = setbackHindered
	case well:
		maps.DeleteFunc(s, func(of setbackOf, _ setback) bool { return of.table == d.Table })
		return
	}
	b := s[s.of(d)]
	b.until = now.Add(min(setbackFirst<<min(b.count, 12), most))
	b.count++
	s[s.of(d)] = b
}

// prune forgets what its table has outlived.
func (s setbacks) prune(now time.Time) {
	maps.DeleteFunc(s, func(_ setbackOf, b setback) bool { return now.Sub(b.until) > setbackMost })
}
