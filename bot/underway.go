package bot

import (
	"context"
	"sync"
)

// underway counts what is being done. Unlike with a sync.WaitGroup, more may begin while somebody waits for the end: events arrive
// when they like, also while Flush waits. The zero value is ready.
type underway struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count comes to zero; nil while nobody waits
}

func (u *underway) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
}

func (u *underway) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count--
	if u.count == 0 && u.none != nil {
		close(u.none)
		u.none = nil
	}
}

// wait waits for a moment at which nothing is underway, or until ctx ends.
func (u *underway) wait(ctx context.Context) error {
	u.mu.Lock()
	if u.count == 0 {
		u.mu.Unlock()
		return nil
	}
	if u.none == nil {
		u.none = make(chan struct{})
	}
	none := u.none
	u.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
