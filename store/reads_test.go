package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// nobody is a rewrite where there is nothing to rewrite.
var nobody = Rewrite{
	Table:   func(_ string, s []byte, e [][]byte) ([]byte, [][]byte, error) { return s, e, nil },
	Setting: func(string, string, []byte) ([]byte, error) { return nil, nil },
}

// TestForgetOutlastsReads: somebody reads from before a user is forgotten until pages are to be filled, and those that they read are
// filled all the same.
func TestForgetOutlastsReads(t *testing.T) {
	const user = "900100200300400500"
	path := filepath.Join(t.TempDir(), "paladin.db")
	filling, scrubs := make(chan struct{}), 0
	db, err := Open(path, Options{noSync: true, Failpoint: func(name string) {
		if name == "scrub/before" {
			if scrubs++; scrubs == 2 { // after the one of nothing
				close(filling)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	err = db.UpdateUser(t.Context(), user, func(u *User) { u.Name, u.DMChannel = "Ann", "900100200300400501" })
	if err != nil {
		t.Fatal(err)
	}
	began, ended, over := make(chan struct{}), make(chan error), make(chan struct{})
	go func() {
		ended <- db.view(t.Context(), "read for long", func(x *tx) error {
			close(began)
			// It ends when it is waited for, or is too late to be.
			for db.reads.TryRLock() {
				db.reads.RUnlock()
				select {
				case <-filling:
					return errors.New("pages are filled while somebody reads")
				case <-over:
					return errors.New("nobody waited")
				default:
					runtime.Gosched()
				}
			}
			return nil
		})
	}()
	<-began
	_, err = db.Forget(t.Context(), user, nobody)
	close(over)
	raw, err2 := os.ReadFile(path)
	if err := errors.Join(err, <-ended, err2, db.Close()); err != nil {
		t.Error(err)
	}
	if n := bytes.Count(raw, []byte("9001002003004005")); n > 0 {
		t.Errorf("they stand in the file %d times", n)
	}
}

// TestForgetWhileOthersRead: somebody reads at any moment, and of those who were forgotten nothing is left all the same.
func TestForgetWhileOthersRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paladin.db")
	db, err := Open(path, Options{noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !over.Load() {
				if _, err := db.Keys(t.Context(), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 25 {
		user := fmt.Sprint(900100200300400500 + n)
		err := db.UpdateUser(t.Context(), user, func(u *User) { u.Name = "Ann" })
		if err == nil {
			_, err = db.Forget(t.Context(), user, nobody)
		}
		raw, err2 := os.ReadFile(path)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(raw, []byte(user)); n > 0 {
			t.Errorf("%s stands in the file %d times", user, n)
		}
	}
	over.Store(true)
	readers.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestScrubOfClosed: who closes the store while somebody is being forgotten ends that with an error, at whichever step.
func TestScrubOfClosed(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "paladin.db"), Options{noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.scrub(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("got error %v, want ErrClosed", err)
	}
}
