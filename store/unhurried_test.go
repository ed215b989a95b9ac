package store

import (
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"
)

// written is the number of the last transaction that was written.
func (db *DB) written(t *testing.T) (id int) {
	t.Helper()
	if err := db.bolt.View(func(tx *bolt.Tx) error { id = tx.ID(); return nil }); err != nil {
		t.Fatal(err)
	}
	return id
}

// In the bubble of synctest the clock moves only when everybody waits for it.
func TestUnhurriedWrites(t *testing.T) {
	put := func(t *testing.T, db *DB, all *sync.WaitGroup, hurried bool, key string) {
		ctx := t.Context()
		if !hurried {
			ctx = Unhurried(ctx)
		}
		all.Go(func() {
			if err := db.Put(ctx, key, []byte("value")); err != nil {
				t.Error(err)
			}
		})
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T, db *DB, all *sync.WaitGroup)
		took time.Duration
	}{
		{"share a transaction after a while", func(t *testing.T, db *DB, all *sync.WaitGroup) {
			put(t, db, all, false, "a")
			synctest.Wait()
			<-time.After(patience / 2)
			put(t, db, all, false, "b")
		}, patience},
		{"go with the first one in a hurry", func(t *testing.T, db *DB, all *sync.WaitGroup) {
			put(t, db, all, false, "a")
			put(t, db, all, false, "b")
			synctest.Wait()
			<-time.After(patience / 2)
			put(t, db, all, true, "c")
		}, patience / 2},
		{"go when so many wait that they fill a transaction", func(t *testing.T, db *DB, all *sync.WaitGroup) {
			for range maxBatch {
				put(t, db, all, false, "a")
			}
		}, 0},
		{"go before the store closes", func(t *testing.T, db *DB, all *sync.WaitGroup) {
			put(t, db, all, false, "a")
			synctest.Wait()
			close(db.quit)
			<-db.stopped
		}, 0},
		{"keep nobody in a hurry waiting", func(t *testing.T, db *DB, all *sync.WaitGroup) {
			put(t, db, all, true, "a")
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "paladin.db")
			synctest.Test(t, func(t *testing.T) {
				db, err := Open(path, Options{noSync: true})
				if err != nil {
					t.Fatal(err)
				}
				before, began := db.written(t), time.Now()
				var all sync.WaitGroup
				test.run(t, db, &all)
				all.Wait()
				if took := time.Since(began); took != test.took {
					t.Errorf("it took %v, want %v", took, test.took)
				}
				if n := db.written(t) - before; n != 1 {
					t.Errorf("%d transactions, want 1", n)
				}
				if _, ok, err := db.Get(t.Context(), "a"); !ok || err != nil {
					t.Errorf("it is not there: %v", err)
				}
				select {
				case <-db.quit:
					err = db.bolt.Close()
				default:
					err = db.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
}
