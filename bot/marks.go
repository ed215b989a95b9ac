package bot

import "sync"

// marks is a set that many goroutines share. The zero value is empty.
type marks[K comparable] struct {
	mu  sync.Mutex
	set map[K]struct{}
}

// add puts key in, and is false where it was in already.
func (m *marks[K]) add(key K) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, in := m.set[key]; in {
		return false
	}
	if m.set == nil {
		m.set = map[K]struct{}{}
	}
	m.set[key] = struct{}{}
	return true
}

func (m *marks[K]) has(key K) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, in := m.set[key]
	return in
}

func (m *marks[K]) drop(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.set, key)
}
