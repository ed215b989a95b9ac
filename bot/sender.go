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
	go s.wait()
	s.pump()
}

// wait wakes the outbox when something that waits for the time can go.
func (s *sender) wait() {
	for {
		s.mu.Lock()
		at, any := s.box.wake()
		any = any && !s.stopped
		look := s.looks
		s.mu.Unlock()
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
		go func() {
			defer s.flying.end()
			s.send(in)
		}()
	}
}

func (s *sender) send(in store.Intent) {
	ctx, cancel := context.WithTimeout(s.app.ctx, callTimeout)
	defer cancel()
	s.mu.Lock()
	tries := s.box.tries(in.Channel)
	s.mu.Unlock()
	again := s.inTurn(ctx, &in, tries)
	s.update(func(o *outbox) {
		if again > 0 {
			o.failed(in, s.app.clock.Now().Add(again))
		} else {
			o.sent(in)
		}
	})
}

// inTurn delivers an intent when Discord's limit lets a request leave. What it says is made only then, and what has come to be said
// instead meanwhile is said in its place. An edit by token counts against no limit.
func (s *sender) inTurn(ctx context.Context, in *store.Intent, tries int) time.Duration {
	if in.Key == boardName && s.app.fresh.any(in.Table, s.app.clock.Now()) {
		return s.app.deliver(ctx, *in, tries)
	}
	ctx, release, err := s.app.discord.Turn(ctx)
	if err != nil {
		return s.app.postpone(*in, tries, err)
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
