package discord

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// Discord allows 50 counted requests a second. The window is a little longer
	// than a second because requests do not travel equally fast.
	globalCount  = 50
	globalWindow = 1050 * time.Millisecond

	// Discord bans an address for 10 000 refused requests in 10 minutes. Half of
	// that stops everything but the answers to presses, and nearly all of it
	// stops those too.
	refusedWindow  = 10 * time.Minute
	refusedLimit   = 5000
	refusedLimitAt = 9000

	// longPause is the least that is left of a global pause that somebody should know
	// of. Usual ones last less.
	longPause = 10 * time.Second

	// pruneAt is the number of remembered routes that makes idle ones be dropped.
	pruneAt = 512
)

// limits is everything that may hold a request back. Waiting always obeys the
// context, and a wait longer than the context allows is refused at once, so
// that nobody hangs for the hour Discord sometimes asks for.
type limits struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu sync.Mutex
	// globalUntil and cloudUntil are the ends of the pauses in force.
	globalUntil time.Time
	// stopped says what stopped all counted requests, and until when.
	stopped stop
	places  [globalCount]place
	// refused counts 401, 403 and 429 by minute.
	refused map[int64]int
	buckets map[string]*bucket
	// hooks are the interactions' tokens by which nothing may be sent at present, and until when.
	hooks map[string]time.Time
}

func newLimits(now func() time.Time, sleep func(context.Context, time.Duration) error) *limits {
	return &limits{now: now, sleep: sleep, refused: map[int64]int{}, buckets: map[string]*bucket{}}
}

// place is one of the 50 counted requests of a second. Between two requests that
// leave by the same place lies a whole window, so that no window sees more than 50.
type place struct {
	planned time.Time // when it is taken, or was last
	left    time.Time // when the last request left by it
	holder  *turn     // whose time has come and who has not left yet
	held    time.Time // since when
}

// turn is a place that somebody has taken. It is spent by leaving and void once
// the place's next holder has come.
type turn struct {
	l     *limits
	place *place
	at    time.Time
}

// bucket is the limit of one route in one channel or guild, as learned from the
// headers of its answers. Discord names buckets, but keeps separate counts where
// the names are equal, so that the route is the better key.
type bucket struct {
	known     bool          // an answer has been seen
	probe     chan struct{} // open while the first request is under way
	limit     int           // 0: the server names none
	remaining int
	inFlight  int
	window    time.Duration
	reset     time.Time
	blocked   time.Time // end of the wait a 429 asked for, or of a rest
	rests     int       // refusals in a row after which the route rests
}

// stop is a pause of all counted requests that only the way to Discord causes.
// Answers to presses are still tried: people wait for them, and they tell when it
// is over.
type stop struct {
	since, until time.Time
	why          string
	cloudflare   bool
}

// pause waits for d, or says at once that ctx will not last that long.
func (l *limits) pause(ctx context.Context, rq *request, d time.Duration, reason string) *Error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return &Error{Op: rq.op, Message: reason, RetryAfter: d, token: rq.token}
	}
	ctx, cancel := impatient(ctx, rq)
	defer cancel()
	if err := l.sleep(ctx, d); err != nil {
		return &Error{Op: rq.op, Message: reason, RetryAfter: d, Err: contextError(ctx, err), token: rq.token}
	}
	return nil
}

// admit waits until rq may be sent. The caller must call done with the answer.
func (l *limits) admit(ctx context.Context, rq *request) *Error {
	if rq.token {
		return l.admitToken(ctx, rq)
	}
	own, _ := ctx.Value(turnKey{}).(*turn)
	for {
		if err := l.gates(rq); err != nil {
			return err
		}
		wait, probe := l.take(rq)
		if own != nil && (probe != nil || wait > 0) {
			own.giveBack()
		}
		switch {
		case probe != nil:
			if err := l.probed(ctx, rq, probe); err != nil {
				return err
			}
			continue
		case wait > 0:
			if err := l.pause(ctx, rq, wait, "the route's limit is used up"); err != nil {
				return err
			}
			continue
		}
		if err := l.leave(ctx, rq, own); err != nil {
			l.done(rq, nil)
			return err
		}
		return nil
	}
}

// admitToken waits until a request by an interaction's token may be sent. The first answer to an
// interaction never waits: its time is short.
func (l *limits) admitToken(ctx context.Context, rq *request) *Error {
	for {
		if err := l.gates(rq); err != nil {
			return err
		}
		wait := l.usedUp(rq)
		if wait <= 0 {
			return nil
		}
		if err := l.pause(ctx, rq, wait, "the interaction's limit is used up"); err != nil {
			return err
		}
	}
}

// usedUp is how long nothing more may be sent by the token of rq.
func (l *limits) usedUp(rq *request) time.Duration {
	if !rq.webhook() {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hooks[rq.secret].Sub(l.now())
}

// doneToken learns from the headers of an answer to a request by an interaction's token whether
// anything more may be sent by it. Each interaction has a limit of its own. Only those that are used
// up are remembered, and only until they no longer are.
func (l *limits) doneToken(rq *request, h http.Header) {
	if !rq.webhook() || h == nil {
		return
	}
	var after seconds
	after.parse(h.Get("X-RateLimit-Reset-After"))
	if h.Get("X-RateLimit-Remaining") != "0" || after <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.holdToken(rq, now, now.Add(time.Duration(after)))
}

// holdToken keeps back what is sent by the token of rq until then. l.mu is held.
func (l *limits) holdToken(rq *request, now, until time.Time) {
	maps.DeleteFunc(l.hooks, func(_ string, until time.Time) bool { return !until.After(now) })
	if l.hooks == nil {
		l.hooks = map[string]time.Time{}
	}
	l.hooks[rq.secret] = later(l.hooks[rq.secret], until)
}

// probed waits until the first request of rq's bucket has its answer.
func (l *limits) probed(ctx context.Context, rq *request, probe <-chan struct{}) *Error {
	ctx, cancel := impatient(ctx, rq)
	defer cancel()
	select {
	case <-probe:
		return nil
	case <-ctx.Done():
		return &Error{Op: rq.op, Err: contextError(ctx, ctx.Err())}
	}
}

// leave waits until rq may leave: at once by a turn that is not spent, else by a
// turn of its own.
func (l *limits) leave(ctx context.Context, rq *request, own *turn) *Error {
	for own == nil || !own.leave() {
		var err *Error
		if own, err = l.turn(ctx, rq); err != nil {
			return err
		}
	}
	return nil
}

// gates refuses while the way to Discord is blocked or too much has been refused.
func (l *limits) gates(rq *request) *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if d := l.stopped.until.Sub(now); d > 0 && !rq.token {
		return &Error{
			Op: rq.op, Message: l.stopped.why + ", all calls but answers to presses pause",
			Cloudflare: l.stopped.cloudflare, RetryAfter: d,
		}
	}
	limit := refusedLimit
	if rq.token {
		limit = refusedLimitAt
	}
	if l.refusedSince(now) >= limit {
		return &Error{
			Op: rq.op, Message: textTooMany,
			RetryAfter: time.Minute, token: rq.token,
		}
	}
	return nil
}

// take takes one request from rq's bucket, or returns how long to wait, or the
// channel that closes when the first request of the bucket has its answer.
func (l *limits) take(rq *request) (time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b := l.buckets[rq.bucket()]
	if b == nil {
		l.prune(now)
		b = &bucket{}
		l.buckets[rq.bucket()] = b
	}
	switch {
	case b.blocked.After(now):
		return b.blocked.Sub(now), nil
	case !b.known && b.probe != nil:
		return 0, b.probe
	case !b.known && rq.major != "":
		// The first request learns the limit. A route that is the same for all
		// channels does without: a hanging one would hold everybody up.
		b.probe = make(chan struct{})
	case b.limit > 0:
		if !b.reset.After(now) {
			b.remaining = max(1, b.limit-b.inFlight)
			b.reset = now.Add(max(b.window, time.Millisecond))
		}
		if b.remaining <= 0 {
			return b.reset.Sub(now), nil
		}
		b.remaining--
	}
	b.inFlight++
	return 0, nil
}

// turn takes a place among the 50 of a second and waits for its time. A global
// pause moves all places behind its end.
func (l *limits) turn(ctx context.Context, rq *request) (*turn, *Error) {
	t := &turn{l: l}
	for {
		wait, err := l.plan(ctx, rq, t)
		for err == nil && wait > 0 {
			if err = l.pause(ctx, rq, wait, textUsedUp); err == nil {
				wait = l.due(t)
			}
		}
		if err != nil {
			return nil, err
		}
		if t.place != nil {
			return t, nil
		}
	}
}

const (
	textUsedUp  = "the bot's limit is used up"
	textBlocked = "blocked in front of Discord"
	textTooMany = "Discord refused too many requests, pausing before it bans this address"
)

// plan takes the place that is free first and returns how long to wait for it;
// with no wait it is held.
func (l *limits) plan(ctx context.Context, rq *request, t *turn) (time.Duration, *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	p := &l.places[0]
	for i := range l.places {
		if l.places[i].planned.Before(p.planned) {
			p = &l.places[i]
		}
	}
	at := later(later(now, p.planned.Add(globalWindow)), l.globalUntil)
	wait := at.Sub(now)
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return 0, &Error{Op: rq.op, Message: textUsedUp, RetryAfter: wait}
	}
	p.planned, t.at, t.place = at, at, p
	return l.hold(t, now), nil
}

// due holds the place when its time has come, or returns how much longer to wait.
func (l *limits) due(t *turn) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.globalUntil.After(now) {
		t.place = nil // a pause began meanwhile: all plans are made anew
		return 0
	}
	return l.hold(t, now)
}

// hold is called with l.mu held.
func (l *limits) hold(t *turn, now time.Time) time.Duration {
	p := t.place
	// Whoever came before may have left later than planned, or be about to leave.
	wait := max(t.at.Sub(now), p.left.Add(globalWindow).Sub(now))
	if p.holder != nil {
		wait = max(wait, p.held.Add(globalWindow).Sub(now))
	}
	if wait > 0 {
		return wait
	}
	p.holder, p.held = t, now
	return 0
}

// leave spends the turn at this moment; false if it is spent or void, or all
// counted requests pause.
func (t *turn) leave() bool {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	now := t.l.now()
	if t.place == nil || t.place.holder != t || t.l.globalUntil.After(now) {
		return false
	}
	t.place.left, t.place.holder = now, nil
	t.place.planned = later(t.place.planned, now)
	t.place = nil
	return true
}

// giveBack lets go of an unspent turn.
func (t *turn) giveBack() {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	if p := t.place; p != nil && p.holder == t {
		p.holder = nil
		if p.planned.Equal(t.at) {
			p.planned = p.left // nobody waits for it
		}
	}
	t.place = nil
}

type turnKey struct{}

// Turn waits until a counted request may leave, and returns a context whose first
// counted request leaves at once. Who makes a message only then says nothing that
// became untrue while it waited, and makes nothing in vain. The error is the
// limit's: nothing was sent. An unused turn is given back by release, which is
// called in any case.
func (c *Client) Turn(ctx context.Context) (_ context.Context, release func(), err error) {
	t, e := c.limits.turn(ctx, &request{op: "wait for a turn"})
	if e != nil {
		return ctx, func() {}, e
	}
	return context.WithValue(ctx, turnKey{}, t), t.giveBack, nil
}

// spareShare is the part of the 50 of a second that is kept free of calls that nobody waits for.
const spareShare = 2

// Spare reports whether a counted request that nobody waits for may leave now: nothing is paused, and
// at least half of the 50 of this second are left.
func (c *Client) Spare() bool {
	l := c.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.globalUntil.After(now) {
		return false
	}
	free := 0
	for i := range l.places {
		if p := &l.places[i]; p.holder == nil && !later(p.planned, p.left).Add(globalWindow).After(now) {
			free++
		}
	}
	return free >= globalCount/spareShare
}

// done returns what admit took and learns from the answer's headers. A nil
// header means that there was no answer.
func (l *limits) done(rq *request, h http.Header) {
	if rq.token {
		l.doneToken(rq, h)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[rq.bucket()]
	if b == nil {
		return
	}
	b.inFlight--
	if b.probe != nil {
		close(b.probe)
		b.probe = nil
	}
	if h == nil {
		return
	}
	b.known = true
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	var after seconds
	after.parse(h.Get("X-RateLimit-Reset-After"))
	if err2 != nil || after <= 0 {
		return
	}
	if err1 != nil || limit <= 0 {
		limit = max(1, remaining+1)
	}
	now := l.now()
	reset := now.Add(time.Duration(after))
	if fresh := !b.reset.After(now) || reset.After(b.reset.Add(time.Duration(after)/2)); fresh || b.limit == 0 {
		b.remaining = max(0, remaining-b.inFlight)
	} else {
		b.remaining = min(b.remaining, remaining)
	}
	b.limit, b.reset = limit, reset
	b.window = max(b.window, time.Duration(after))
}

// refuse takes the consequences of a refusal for the requests that follow, and
// reports whether the circuit opened with it.
func (l *limits) refuse(rq *request, e *Error) (opened bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		if e.Scope != "shared" {
			l.refused[now.Unix()/60]++
			opened = l.refusedSince(now) == refusedLimit
		}
	}
	b := l.buckets[rq.bucket()]
	if b != nil && !rq.token && (e.denied() || e.doubtful()) {
		b.rest(e)
	}
	if e.RetryAfter <= 0 {
		return opened
	}
	until := now.Add(e.RetryAfter)
	switch {
	case e.Cloudflare:
		l.stop(now, until, textBlocked, true)
	case e.Global:
		l.globalUntil = later(l.globalUntil, until)
	case e.Code == CodeOldEdits: // it concerns old messages alone; newer ones in the channel go on
	case rq.webhook():
		l.holdToken(rq, now, until)
	case !rq.token && b != nil:
		b.blocked = later(b.blocked, until)
	}
	return opened
}

// rest asks for a rest of the route, longer with each refusal in a row. Where the
// token is in doubt it is short: what answers then may go away at any time.
func (b *bucket) rest(e *Error) {
	first, most := deniedRest, deniedMost
	if e.doubtful() {
		first, most = doubtRest, deniedRest
	}
	e.RetryAfter = min(first<<min(b.rests, 10), most)
	b.rests++
}

// stop stops counted requests. l.mu is held.
func (l *limits) stop(now, until time.Time, why string, cloudflare bool) {
	if !until.After(l.stopped.until) {
		return
	}
	since := l.stopped.since
	if !l.stopped.until.After(now) {
		since = now
	}
	l.stopped = stop{since: since, until: until, why: why, cloudflare: cloudflare}
}

// stopCounted stops counted requests for d.
func (l *limits) stopCounted(d time.Duration, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.stop(now, now.Add(d), why, false)
}

// heard takes note that Discord itself answered a request that began then, and
// reports whether that ends a pause.
func (l *limits) heard(rq *request, success bool, began time.Time) (over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[rq.bucket()]; b != nil && success && !rq.token {
		b.rests = 0
	}
	// Who set out before the pause says nothing of the time since.
	if !l.stopped.until.After(l.now()) || began.Before(l.stopped.since) {
		return false
	}
	l.stopped = stop{}
	return true
}

// trouble says why counted requests are stopped at present, "" if they are not.
func (l *limits) trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	switch {
	case l.stopped.until.After(now):
		return l.stopped.why + "; presses are still answered where that is possible, all else is tried again at " +
			l.stopped.until.UTC().Format(time.TimeOnly) + " UTC"
	case l.globalUntil.Sub(now) >= longPause:
		return "Discord refuses all calls but answers to presses; they are tried again at " +
			l.globalUntil.UTC().Format(time.TimeOnly) + " UTC"
	case l.refusedSince(now) >= refusedLimit:
		return textTooMany
	}
	return ""
}

// Trouble says why the bot sends nothing but answers to presses at present, ""
// if it sends what it likes.
func (c *Client) Trouble() string {
	why := c.limits.trouble()
	if why == "" && c.token.behind(c.cfg.Now()) {
		why = textPortal
	}
	return why
}

type impatientKey struct{}

// Impatient returns a context under which calls wait for Discord's limits, for
// turns and for another try only until the other context, waits, is done. What has
// left by then is not disturbed, and answers to presses wait all the same.
func Impatient(ctx, waits context.Context) context.Context {
	return context.WithValue(ctx, impatientKey{}, waits)
}

// impatient returns the context of a wait of rq.
func impatient(ctx context.Context, rq *request) (context.Context, context.CancelFunc) {
	waits, _ := ctx.Value(impatientKey{}).(context.Context)
	if waits == nil || rq.token {
		return ctx, func() {}
	}
	waiting, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(waits, cancel)
	return waiting, func() { stop(); cancel() }
}

// refusedSince counts the refusals of the last ten minutes. l.mu is held.
func (l *limits) refusedSince(now time.Time) int {
	sum, oldest, newest := 0, now.Add(-refusedWindow).Unix()/60, now.Unix()/60
	for minute, n := range l.refused {
		if minute < oldest || minute > newest { // the clock was set back
			delete(l.refused, minute)
			continue
		}
		sum += n
	}
	return sum
}

// prune drops buckets nobody uses, so that memory follows the channels in use
// and not all there ever were. l.mu is held.
func (l *limits) prune(now time.Time) {
	if len(l.buckets) < pruneAt {
		return
	}
	for key, b := range l.buckets {
		if b.inFlight == 0 && b.probe == nil && !b.reset.After(now) && !b.blocked.After(now) {
			delete(l.buckets, key)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
