package bot_test

import (
	"context"
	"sync"

	"paladin/store"
)

// tapStore is a store that can be made slow and that tells what was committed.
type tapStore struct {
	store.Store
	noted sync.RWMutex // held while a commit is made and noted

	mu sync.Mutex
	// slow, if set, gives a channel that the call waits for before it begins, or nil.
	slow func(method string) <-chan struct{}
	// committed, if set, is told of every change that was made.
	committed func(store.Change)
}

func (s *tapStore) wait(ctx context.Context, method string) error {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	if slow == nil {
		return nil
	}
	if c := slow(method); c != nil {
		select {
		case <-c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// setSlow makes the calls slow for which f gives a channel; nil makes none.
func (s *tapStore) setSlow(f func(method string) <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = f
}

func (s *tapStore) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	if err := s.wait(ctx, "Commit"); err != nil {
		return store.Committed{}, err
	}
	// Nobody reads a table before it is known what was committed: the simulation judges by it what is said.
	s.noted.Lock()
	defer s.noted.Unlock()
	done, err := s.Store.Commit(ctx, c)
	if err == nil && s.committed != nil {
		s.committed(c)
	}
	return done, err
}

func (s *tapStore) Table(ctx context.Context, id string) (store.Row, error) {
	if err := s.wait(ctx, "Table"); err != nil {
		return store.Row{}, err
	}
	s.noted.RLock()
	defer s.noted.RUnlock()
	return s.Store.Table(ctx, id)
}
