package table

import "time"

// Pace is how long a person has for a move.
type Pace string

// The paces of a game.
const (
	PaceLive    Pace = "live"    // everybody is there: 3 minutes, quiet hours do not count
	PaceRelaxed Pace = "relaxed" // 12 hours
	PaceDaily   Pace = "daily"   // 24 hours
	PaceWeekend Pace = "slow"    // 72 hours
	PaceNone    Pace = "none"    // no clock
)

// Paces are all paces, the fastest first.
func Paces() []Pace { return []Pace{PaceLive, PaceRelaxed, PaceDaily, PaceWeekend, PaceNone} }

// Valid reports whether p is one of the paces.
func (p Pace) Valid() bool {
	for _, q := range Paces() {
		if p == q {
			return true
		}
	}
	return false
}

// Limit is the time for one move; 0 where there is no clock.
func (p Pace) Limit() time.Duration {
	switch p {
	case PaceLive:
		return 3 * time.Minute
	case PaceRelaxed:
		return 12 * time.Hour
	case PaceDaily:
		return 24 * time.Hour
	case PaceWeekend:
		return 72 * time.Hour
	default:
		return 0
	}
}

// Grace is what is left at least of a turn whose time ran out while nobody could move: a sixth of
// the limit, between a minute and two hours.
func (p Pace) Grace() time.Duration {
	return min(max(p.Limit()/6, time.Minute), 2*time.Hour)
}

// Quiet are the hours of the day in which somebody's clock stands still. The zero value is none.
type Quiet struct {
	// From and To are minutes after midnight, From included and To not; equal means no quiet hours. From may be the later one: then
	// the night lies between.
	From, To int
	// Zone is where the person lives; nil is UTC.
	Zone *time.Location
}

// MaxQuiet is the longest stretch of quiet hours a day, so that every clock comes to its end.
const MaxQuiet = 16 * 60

// Valid reports whether the hours are within a day and leave enough of it.
func (q Quiet) Valid() bool {
	return q.From >= 0 && q.From < 24*60 && q.To >= 0 && q.To < 24*60 && q.length() <= MaxQuiet
}

func (q Quiet) none() bool { return q.From == q.To }

func (q Quiet) length() int { return (q.To - q.From + 24*60) % (24 * 60) }

// next returns the first moment after t at which the person's clock on the wall shows this minute of the day. On the day on which
// clocks go forward a minute that does not exist is the moment of the change.
func (q Quiet) next(t time.Time, minute int) time.Time {
	zone := q.Zone
	if zone == nil {
		zone = time.UTC
	}
	local := t.In(zone)
	for day := range 3 {
		if at := wall(local.Year(), local.Month(), local.Day()+day, minute, zone); at.After(t) {
			return at
		}
	}
	return t.Add(24 * time.Hour)
}

// wall is when clocks in the zone show this minute of the day. time.Date takes a minute that does not exist for one an hour away, on
// either side of the change; where clocks go forward at midnight that is even on the day before.
func wall(year int, month time.Month, day, minute int, zone *time.Location) time.Time {
	at := time.Date(year, month, day, 0, minute, 0, 0, zone)
	shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
	meant := time.Date(year, month, day, 0, minute, 0, 0, time.UTC)
	begin, end := at.ZoneBounds()
	switch {
	case shown.Before(meant):
		return end
	case shown.After(meant):
		return begin
	default:
		return at
	}
}

// In reports whether t lies in the quiet hours.
func (q Quiet) In(t time.Time) bool {
	if q.none() {
		return false
	}
	return q.next(t, q.To).Before(q.next(t, q.From))
}

// After returns the moment at which d has passed since from, not counting quiet hours.
func (q Quiet) After(from time.Time, d time.Duration) time.Time {
	if q.none() || !q.Valid() {
		return from.Add(d)
	}
	at := from
	if q.In(at) {
		at = q.next(at, q.To)
	}
	for {
		quiet := q.next(at, q.From)
		if left := quiet.Sub(at); d <= left {
			return at.Add(d)
		} else {
			d -= left
		}
		at = q.next(quiet.Add(-1), q.To) // not after quiet: both ends are the same moment where clocks go forward across the whole
	}
}

// Remind is how somebody wants to be told that it is their move.
type Remind string

// The ways of reminding.
const (
	RemindDM      Remind = "dm"
	RemindMention Remind = "mention"
	RemindBoth    Remind = "both"
	RemindNone    Remind = "none"
)

// DM reports whether a direct message is wanted.
func (r Remind) DM() bool { return r == RemindDM || r == RemindBoth || r == "" }

// Mention reports whether a mention in the channel is wanted.
func (r Remind) Mention() bool { return r == RemindMention || r == RemindBoth }

// MaxReminders bounds the reminders of one step.
const MaxReminders = 5

// Habits are what a person has chosen for all their games. The zero value are the defaults: no quiet hours, notices by DM, two
// reminders spread over the time for a move.
type Habits struct {
	Quiet Quiet
	Way   Remind
	// Reminders of one step after the first notice; negative means none, 0 the default of two.
	Reminders int
	// Every is the time between them, outside quiet hours; 0 spreads them evenly over the time for the move, or takes a day where
	// there is no clock.
	Every time.Duration
}

const defaultReminders = 2

// reminderAt returns when reminder n (from 0) of a step that began at since is due; false when there is none.
func (h Habits) reminderAt(since time.Time, p Pace, n int) (time.Time, bool) {
	if n >= h.Count() {
		return time.Time{}, false
	}
	wait := h.Between(p) * time.Duration(n+1)
	if p.Limit() > 0 && wait >= p.Limit() {
		return time.Time{}, false
	}
	quiet := h.quiet(p)
	at := quiet.After(since, wait)
	if quiet.In(at) {
		at = quiet.next(at, quiet.To) // the wait was over in the moment in which the night begins
	}
	return at, true
}

// Between is the time between two reminders of one step at this pace, quiet hours not counted.
func (h Habits) Between(p Pace) time.Duration {
	switch {
	case h.Every > 0:
		return h.Every
	case p.Limit() > 0:
		return p.Limit() / time.Duration(h.Count()+1)
	default:
		return 24 * time.Hour
	}
}

// Count is how many reminders of one step there are at most.
func (h Habits) Count() int {
	switch {
	case h.Way == RemindNone || h.Reminders < 0:
		return 0
	case h.Reminders == 0:
		return defaultReminders
	default:
		return min(h.Reminders, MaxReminders)
	}
}

// Asleep reports whether t lies in the person's quiet hours, as far as they count at this pace.
func (h Habits) Asleep(p Pace, t time.Time) bool { return h.quiet(p).In(t) }

// quiet are the quiet hours that count at this pace: none in a live game.
func (h Habits) quiet(p Pace) Quiet {
	if p == PaceLive {
		return Quiet{}
	}
	return h.Quiet
}
