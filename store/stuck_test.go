package store_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"paladin/store"
)

// TestHeadersLostWhileOpen: both header pages go bad under an open database. bbolt then panics with
// its locks held; still every call ends, and so does the program.
func TestHeadersLostWhileOpen(t *testing.T) {
	for _, first := range []string{"a read", "a write"} {
		path := write(t, playedFile(t))
		db, err := store.Open(path, store.Options{Examine: child})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteAt(make([]byte, 2*os.Getpagesize()), 0)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		ends := func(what string, call func() error) {
			t.Helper()
			ended := make(chan error, 1)
			go func() { ended <- call() }()
			select {
			case err := <-ended:
				if !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("%s first: %s ends with %v", first, what, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s first: %s never ends", first, what)
			}
		}
		read := func() error { _, err := db.Table(t.Context(), "table1"); return err }
		put := func() error { return db.Put(t.Context(), "k", []byte("v")) }
		if first == "a read" {
			ends("the first read", read)
		}
		ends("a write", put)
		ends("a read", read)
		ends("a second write", put)
		ends("whether it accepts writes", func() error { return db.Accepts(t.Context()) })
		ends("the end", db.Close)
	}
}
