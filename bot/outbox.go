package bot

import (
	"slices"
	"time"

	"paladin/store"
)

// outbox decides what is sent when. It is a step machine: intents, results and the time go in, intents to send come out; it
// calls nobody. Within a lane (a channel, or one person's DMs) one intent is under way at a time, in the order in which they were
// committed; lanes do not wait for each other. An intent that takes the place of one under way goes out after it.
type outbox struct {
	lanes map[string]*lane
	// places tells where the pending intent of a table and key waits.
	places map[place]*lane
	// faults are the places at which the last attempt met a fault of this program; see lay.
	faults map[place]*fault
}

// faultWaits are the waits before an intent is tried again that met a fault of this program. After
// the last one it is laid aside: it stays in the store, and is tried again when a newer one takes
// its place or the program starts anew.
var faultWaits = [...]time.Duration{5 * time.Second, time.Minute}

// fault is what is known of a place whose intent cannot be made.
type fault struct {
	count int
	// aside is the intent in question, in no lane, until it is tried again or a newer one takes its
	// place; nil if there is none.
	aside *store.Intent
	again time.Time // zero: it is not tried again by itself
}

type place struct{ table, key string }

type lane struct {
	name    string
	waiting []store.Intent // ordered by generation
	flying  *store.Intent
	ready   time.Time // not before, after a failure
	tries   int       // failures of the first intent
	// holds counts answers under way that show this channel's board themselves; contended is set when two things that show it
	// overlap, so that nobody can say which of them Discord shows last.
	holds     int
	contended bool
}

func newOutbox() *outbox {
	return &outbox{lanes: map[string]*lane{}, places: map[place]*lane{}, faults: map[place]*fault{}}
}

func (o *outbox) lane(name string) *lane {
	l, ok := o.lanes[name]
	if !ok {
		l = &lane{name: name}
		o.lanes[name] = l
	}
	return l
}

// add puts committed intents into their lanes; one of the same table and key that still waits is replaced. A lane that waits after a
// failure goes on waiting: what is new does not mend what was in its way.
func (o *outbox) add(intents []store.Intent) {
	for _, in := range intents {
		l := o.lane(in.Channel)
		if old := o.remove(in.Table, in.Key); old != nil && old != l {
			o.tidy(old)
		}
		at, _ := slices.BinarySearchFunc(l.waiting, in.Generation, func(w store.Intent, g uint64) int {
			return compare(w.Generation, g)
		})
		l.waiting = slices.Insert(l.waiting, at, in)
		o.places[place{in.Table, in.Key}] = l
	}
}

// commit takes up what a change has to say, once it has happened.
func (o *outbox) commit(c *store.Change, done *store.Committed) {
	for _, key := range c.DropIntents {
		o.drop(c.Table, key)
	}
	o.add(done.Intents)
}

// drop forgets a waiting intent.
func (o *outbox) drop(table, key string) {
	delete(o.faults, place{table, key})
	if l := o.remove(table, key); l != nil {
		o.tidy(l)
	}
}

// remove takes a waiting intent out of its lane, which it returns; nil if there is none. One that
// was laid aside is forgotten.
func (o *outbox) remove(table, key string) *lane {
	if f, ok := o.faults[place{table, key}]; ok {
		f.aside = nil
	}
	l, ok := o.places[place{table, key}]
	if !ok {
		return nil
	}
	delete(o.places, place{table, key})
	l.waiting = slices.DeleteFunc(l.waiting, func(w store.Intent) bool { return w.Table == table && w.Key == key })
	return l
}

// take takes out the waiting intent of a table and key, to be settled otherwise.
func (o *outbox) take(table, key string) (store.Intent, bool) {
	if f, ok := o.faults[place{table, key}]; ok && f.aside != nil {
		in := *f.aside
		o.drop(table, key)
		return in, true
	}
	l, ok := o.places[place{table, key}]
	if !ok {
		return store.Intent{}, false
	}
	i := slices.IndexFunc(l.waiting, func(w store.Intent) bool { return w.Table == table && w.Key == key })
	in := l.waiting[i]
	o.drop(table, key)
	return in, true
}

// latest is what an intent under way has become: a refresh of the board that waits behind it goes in its place.
func (o *outbox) latest(in store.Intent) store.Intent {
	l := o.lane(in.Channel)
	for _, w := range l.waiting {
		if in.Key == boardName && w.Table == in.Table && w.Key == in.Key && !w.NotBefore.After(in.NotBefore) {
			o.remove(w.Table, w.Key)
			l.flying = &w
			return w
		}
	}
	return in
}

// hasten lets a waiting intent go without waiting for its time.
func (o *outbox) hasten(table, key string) {
	if l, ok := o.places[place{table, key}]; ok {
		for i := range l.waiting {
			if l.waiting[i].Table == table && l.waiting[i].Key == key {
				l.waiting[i].NotBefore = time.Time{}
			}
		}
	}
}

// kick lets a lane try at once what waits after a failure: what was in its way may be mended.
func (o *outbox) kick(name string) {
	if l, ok := o.lanes[name]; ok {
		l.ready, l.tries = time.Time{}, 0
	}
}

// next takes out everything that can be sent now.
func (o *outbox) next(now time.Time) []store.Intent {
	for _, f := range o.faults {
		if f.due(now) {
			o.add([]store.Intent{*f.aside})
		}
	}
	var out []store.Intent
	for _, l := range o.lanes {
		if l.flying != nil || l.holds > 0 || len(l.waiting) == 0 || now.Before(l.readyAt()) {
			continue
		}
		in := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.flying = &in
		delete(o.places, place{in.Table, in.Key})
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b store.Intent) int { return compare(a.Generation, b.Generation) })
	return out
}

// readyAt is when the first waiting intent may go.
func (l *lane) readyAt() time.Time {
	at := l.waiting[0].NotBefore
	if l.ready.After(at) {
		at = l.ready
	}
	return at
}

// wake returns when something that waits for the time can go; false when nothing waits for it.
func (o *outbox) wake() (time.Time, bool) {
	var first time.Time
	found := false
	for _, l := range o.lanes {
		if l.flying != nil || l.holds > 0 || len(l.waiting) == 0 {
			continue
		}
		if at := l.readyAt(); !found || at.Before(first) {
			first, found = at, true
		}
	}
	for _, f := range o.faults {
		if f.aside != nil && !f.again.IsZero() && (!found || f.again.Before(first)) {
			first, found = f.again, true
		}
	}
	return first, found
}

// sent ends the sending of an intent that is settled.
func (o *outbox) sent(in store.Intent) {
	l := o.lane(in.Channel)
	l.flying, l.tries, l.ready = nil, 0, time.Time{}
	if f, ok := o.faults[place{in.Table, in.Key}]; ok && f.aside == nil {
		delete(o.faults, place{in.Table, in.Key})
	}
	o.tidy(l)
}

// lay takes an intent out of its lane that met a fault of this program. Nothing is wrong with the
// lane, and nothing else waits. The intent is tried again some times, and then laid aside. It
// returns when it is tried again; the zero time says that it is not.
func (o *outbox) lay(in store.Intent, now time.Time) (again time.Time) {
	l := o.lane(in.Channel)
	l.flying, l.tries, l.ready = nil, 0, time.Time{}
	at := place{in.Table, in.Key}
	f, ok := o.faults[at]
	if !ok {
		f = &fault{}
		o.faults[at] = f
	}
	f.count++
	if f.count <= len(faultWaits) {
		again = now.Add(faultWaits[f.count-1])
	}
	if _, newer := o.places[at]; newer {
		again = now // it goes in place of this one
	} else {
		f.aside, f.again = &in, again
	}
	o.tidy(l)
	return again
}

// due reports whether it is time to try once more what was taken out of its lane.
func (f *fault) due(now time.Time) bool {
	return f.aside != nil && !f.again.IsZero() && !f.again.After(now)
}

// failed puts an intent back to be sent again after the given time, unless a newer one has taken its place.
func (o *outbox) failed(in store.Intent, again time.Time) {
	l := o.lane(in.Channel)
	l.flying = nil
	l.tries++
	l.ready = again
	if _, newer := o.places[place{in.Table, in.Key}]; !newer {
		o.add([]store.Intent{in})
	}
	o.tidy(l)
}

// tries returns how often the lane's present intent has failed.
func (o *outbox) tries(lane string) int {
	if l, ok := o.lanes[lane]; ok {
		return l.tries
	}
	return 0
}

// hold keeps a lane from sending while an answer is under way that shows the channel's board itself.
func (o *outbox) hold(name string) {
	l := o.lane(name)
	if l.holds > 0 || l.flying != nil {
		l.contended = true
	}
	l.holds++
}

// contended reports whether something else may have changed the board since the lane was held.
func (o *outbox) contended(name string) bool { return o.lane(name).contended }

// release ends a hold.
func (o *outbox) release(name string) {
	l := o.lane(name)
	l.holds--
	if l.holds == 0 {
		l.contended = false
	}
	o.tidy(l)
}

// settled forgets a waiting intent that was done otherwise, unless a newer one has taken its place.
func (o *outbox) settled(in store.Intent) {
	if f, ok := o.faults[place{in.Table, in.Key}]; ok && f.aside != nil && f.aside.Generation == in.Generation {
		o.drop(in.Table, in.Key)
		return
	}
	l, ok := o.places[place{in.Table, in.Key}]
	if ok && slices.ContainsFunc(l.waiting, func(w store.Intent) bool {
		return w.Table == in.Table && w.Key == in.Key && w.Generation == in.Generation
	}) {
		o.drop(in.Table, in.Key)
	}
}

// pending counts what waits or is under way and is not waiting for the time alone.
func (o *outbox) pending(now time.Time) int {
	n := 0
	for _, l := range o.lanes {
		if l.flying != nil || l.holds > 0 {
			n++
		}
		if len(l.waiting) > 0 && !now.Before(l.readyAt()) {
			n += len(l.waiting)
		}
	}
	for _, f := range o.faults {
		if f.due(now) {
			n++
		}
	}
	return n
}

// busy reports whether something of the lane is under way or can go now.
func (o *outbox) busy(name string, now time.Time) bool {
	l, ok := o.lanes[name]
	return ok && (l.flying != nil || len(l.waiting) > 0 && l.holds == 0 && !now.Before(l.readyAt()))
}

func (o *outbox) tidy(l *lane) {
	if l.flying == nil && l.holds == 0 && len(l.waiting) == 0 && !l.contended {
		delete(o.lanes, l.name)
	}
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}
