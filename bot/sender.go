package bot

import (
	"context"
	"sync"
	"time"

	"paladin/store"
)

// sender drives the outbox: it sends what the outbox gives out, each beside the others, and tells it what came of it.
type sender struct {
	app *App

	mu      sync.Mutex
	changed *sync.Cond
	box     *outbox
	stopped bool
	started bool
	// looks counts the changes of the outbox, awaits the last one after which the next wake-up was set.
	looks, awaits uint64
	kick          chan struct{}
	flying        underway
	over          chan struct{}
}

func newSender(a *App) *sender {
	s := &sender{app: a, box: newOutbox(), kick: make(chan struct{}, 1), over: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *sender) start(pending []store.Intent) {
	s.mu.Lock()
	s.box.add(pending)
	s.started = true
	s.mu.Unlock()
	beside(s.app.log, "the outbox", s.watch)
	s.pump()
}

// watch wakes the outbox until the end. What goes wrong in one look ends that look alone.
func (s *sender) watch() {
	for !guard(s.app.log, "the outbox", s.wait) {
		timer := s.app.clock.Timer(retryFirst)
		select {
		case <-timer.C():
		case <-s.over:
		}
		timer.Stop()
	}
}

// wakes tells when something can go that waits for the time, and which look at the outbox this was.
func (s *sender) wakes() (at time.Time, any bool, look uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, any = s.box.wake()
	return at, any && !s.stopped, s.looks
}

// wait wakes the outbox when something that waits for the time can go.
func (s *sender) wait() {
	for {
		at, any, look := s.wakes()
		var fired <-chan time.Time
		var timer Timer
		if any {
			wait := at.Sub(s.app.clock.Now())
			if wait <= 0 {
				s.pump() // its time came since the last look
				continue
			}
			timer = s.app.clock.Timer(wait)
			fired = timer.C()
		}
		s.mu.Lock()
		s.awaits = look
		s.changed.Broadcast()
		s.mu.Unlock()
		select {
		case <-fired:
			s.pump()
		case <-s.kick:
		case <-s.over:
		}
		if timer != nil {
			timer.Stop()
		}
		select {
		case <-s.over:
			return
		default:
		}
	}
}

// later changes the outbox and sends nothing: the caller will, with pump.
func (s *sender) later(f func(*outbox)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.box)
}

// update changes the outbox and sends what can go.
func (s *sender) update(f func(*outbox)) {
	s.later(f)
	s.pump()
}

func (s *sender) pump() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	s.looks++
	select {
	case s.kick <- struct{}{}:
	default:
	}
	if s.stopped {
		return
	}
	for _, in := range s.box.next(s.app.clock.Now()) {
		s.flying.begin()
		beside(s.app.log, "the outbox", func() {
			defer s.flying.end()
			s.send(in)
		}, "table", in.Table, "key", in.Key)
	}
}

// verdict is what is to become of an intent after an attempt to send it.
type verdict struct {
	// again is how long to wait before it is tried again; 0: it is settled.
	again time.Duration
	// fault: it cannot be made, for a reason that neither Discord nor time mends. It is to hold up
	// nothing else.
	fault bool
}

// send makes one attempt to send an intent. A panic in it is a fault of this program in making this
// one message.
func (s *sender) send(in store.Intent) {
	ctx, cancel := context.WithTimeout(s.app.ctx, callTimeout)
	defer cancel()
	s.mu.Lock()
	tries := s.box.tries(in.Channel)
	s.mu.Unlock()
	v := verdict{fault: true}
	guard(s.app.log, "making a message", func() { v = s.inTurn(ctx, &in, tries) }, "table", in.Table, "key", in.Key)
	s.update(func(o *outbox) {
		now := s.app.clock.Now()
		switch {
		case v.fault:
			s.laid(in, o.lay(in, now))
		case v.again > 0:
			o.failed(in, now.Add(v.again))
		default:
			o.sent(in)
		}
	})
}

// laid notes that an intent was taken out of its lane, to be tried again then; never, by itself, if
// that is the zero time.
func (s *sender) laid(in store.Intent, again time.Time) {
	s.app.troubles.fault(in, again)
	if again.IsZero() {
		s.app.log.Error("outbox: a message cannot be made and is laid aside; it is tried again when there is "+
			"something newer to say in its place, and at the next start", "table", in.Table, "key", in.Key)
	}
}

// inTurn delivers an intent when Discord's limit lets a request leave. What it says is made only then, and what has come to be said
// instead meanwhile is said in its place. An edit by token counts against no limit.
func (s *sender) inTurn(ctx context.Context, in *store.Intent, tries int) verdict {
	if in.Key == boardName && s.app.fresh.any(in.Table, s.app.clock.Now()) {
		return s.app.deliver(ctx, *in, tries)
	}
	if unhurried(in.Channel) && !s.app.discord.Spare() {
		return verdict{again: spareAgain}
	}
	ctx, release, err := s.app.discord.Turn(ctx)
	if err != nil {
		return verdict{again: s.app.postpone(*in, tries, err)}
	}
	defer release()
	s.later(func(o *outbox) { *in = o.latest(*in) })
	return s.app.deliver(ctx, *in, tries)
}

// settle waits until nothing can be sent any more without time going by, and the wake-up for what can then is set.
func (s *sender) settle(ctx context.Context) error {
	s.pump() // a clock that is moved by hand may have passed the moment for which wait sets its timer
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.started && !s.stopped && (s.box.pending(s.app.clock.Now()) > 0 || s.awaits != s.looks) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.changed.Wait()
	}
	return nil
}

// tried waits until nothing of a lane is under way or can go now, or ctx ends.
func (s *sender) tried(ctx context.Context, lane string) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && !s.stopped && s.box.busy(lane, s.app.clock.Now()) {
		s.changed.Wait()
	}
}

// unsent reports whether an intent waits or is under way.
func (s *sender) unsent(table, lane, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, waits := s.box.places[place{table, key}]; waits {
		return true
	}
	l, ok := s.box.lanes[lane]
	return ok && l.flying != nil && l.flying.Table == table && l.flying.Key == key
}

// stop sends nothing new and waits for what is under way.
func (s *sender) stop(ctx context.Context) error {
	s.mu.Lock()
	already := s.stopped
	s.stopped = true
	s.changed.Broadcast()
	s.mu.Unlock()
	if !already {
		close(s.over)
	}
	return s.flying.wait(ctx)
}
