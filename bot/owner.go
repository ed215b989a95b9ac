package bot

import (
	"context"
	"log/slog"
	"sync"
)

// queueLength bounds what waits for one table. More than that is somebody hammering a button; they are told to press again.
const queueLength = 64

// owners gives each table one owner at a time: jobs of a table run one after the other in the order in which they were submitted,
// jobs of different tables side by side. A table at rest has no goroutine and takes no memory here.
type owners struct {
	mu      sync.Mutex
	queues  map[string][]func()
	stopped bool
	running underway
	idle    *sync.Cond
	log     *slog.Logger
}

func newOwners() *owners {
	o := &owners{queues: map[string][]func(){}, log: slog.New(slog.DiscardHandler)}
	o.idle = sync.NewCond(&o.mu)
	return o
}

// submit puts a job onto the table's queue. It never waits; false means that the queue is full or the program is stopping.
func (o *owners) submit(table string, job func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue, awake := o.queues[table]
	if o.stopped || len(queue) >= queueLength {
		return false
	}
	o.queues[table] = append(queue, job)
	if !awake {
		o.running.begin()
		beside(o.log, "a table's owner", func() { o.run(table) }, "table", table)
	}
	return true
}

// run is the owner's goroutine: it lives while there is something to do.
func (o *owners) run(table string) {
	defer o.running.end()
	for o.next(table) {
	}
}

// next does the first job of a queue, and reports whether there is more to do. The job that runs
// stays at the head, so that it counts towards the bound and keeps the table awake. A panic in it
// ends this job alone.
func (o *owners) next(table string) (more bool) {
	o.mu.Lock()
	job := o.queues[table][0]
	o.mu.Unlock()

	guard(o.log, "a table's step", job, "table", table)

	o.mu.Lock()
	defer o.mu.Unlock()
	queue := o.queues[table]
	queue[0] = nil
	o.queues[table] = queue[1:]
	if len(o.queues[table]) > 0 {
		return true
	}
	delete(o.queues, table)
	o.idle.Broadcast()
	return false
}

// rest waits until no table has a job, or ctx ends.
func (o *owners) rest(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.idle.Broadcast()
	})
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queues) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.idle.Wait()
	}
	return nil
}

// ending reports whether further jobs are refused for good.
func (o *owners) ending() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stopped
}

// stop refuses further jobs and waits until those submitted are done, or ctx ends.
func (o *owners) stop(ctx context.Context) error {
	o.mu.Lock()
	o.stopped = true
	o.mu.Unlock()
	return o.running.wait(ctx)
}
