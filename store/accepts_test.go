package store_test

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
)

// A database says why it accepts no writes, from the first that fails until one
// succeeds, also where nobody writes any more.
func TestAccepts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var full, small atomic.Bool
		commits := 0
		store.FailCommits(db, func(tx *bolt.Tx) error {
			commits++
			if full.Load() && !small.Swap(false) {
				return errors.Join(tx.Rollback(), syscall.ENOSPC)
			}
			return tx.Commit()
		})
		ctx := t.Context()
		if err := db.Put(ctx, "a", []byte("1")); err != nil {
			t.Fatal(err)
		}
		if err := db.Accepts(ctx); err != nil || commits != 1 {
			t.Fatalf("a healthy database: %v after %d transactions", err, commits)
		}
		full.Store(true)
		if err := db.Put(ctx, "a", []byte("2")); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		for range 60 { // a minute in which it is asked each second
			if err := db.Accepts(ctx); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("a full disk: %v", err)
			}
			<-time.After(time.Second) // virtual
		}
		if commits < 3 || commits > 16 {
			t.Errorf("%d transactions in a minute to find out", commits)
		}
		full.Store(false)
		<-time.After(5 * time.Second)
		if err := db.Accepts(ctx); err != nil {
			t.Errorf("with room again: %v", err)
		}
		full.Store(true)
		_ = db.Put(ctx, "a", []byte("3"))
		full.Store(false)
		if err := db.Put(ctx, "a", []byte("4")); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		if err := db.Accepts(ctx); err != nil {
			t.Errorf("after a write that succeeded: %v", err)
		}
		// Where only small writes find room, the disk is as full as before.
		full.Store(true)
		_ = db.Put(ctx, "a", make([]byte, 8000))
		small.Store(true)
		if err := db.Put(ctx, "a", []byte("5")); err != nil {
			t.Fatal(err)
		}
		if err := db.Accepts(ctx); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("where only small writes find room: %v", err)
		}
		full.Store(false)
		<-time.After(5 * time.Second)
		if err := db.Accepts(ctx); err != nil {
			t.Errorf("with room once more: %v", err)
		}
		// A refusal of the write itself is not the disk's.
		if err := db.Put(ctx, "", nil); err == nil {
			t.Error("a setting without a name")
		}
		if err := db.Accepts(ctx); err != nil {
			t.Errorf("after an invalid write: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	// What was written to find out is gone.
	if report, err := store.Check(path, store.Inspection{}); err != nil {
		t.Errorf("%+v, %v", report, err)
	}
}
