package bot

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestUnderwayTakesMoreWhileSomebodyWaits: under the race detector this is what a sync.WaitGroup does not allow.
func TestUnderwayTakesMoreWhileSomebodyWaits(t *testing.T) {
	var u underway
	if err := u.wait(t.Context()); err != nil {
		t.Fatalf("nothing is underway: %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				u.begin()
				u.end()
			}
		})
		all.Go(func() {
			for range 50 {
				if err := u.wait(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestUnderwayWaitsForTheEnd(t *testing.T) {
	var u underway
	u.begin()
	u.begin()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.wait(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("two underway and no time left: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- u.wait(t.Context()) }()
	u.end()
	select {
	case <-done:
		t.Error("it does not wait for the second")
	default:
	}
	u.end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
