package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"paladin/store"
	"paladin/store/storetest"
)

// opener opens databases in a folder of its own and checks the whole file when
// it is closed for good.
type opener struct {
	t    testing.TB
	path string
	opts store.Options
	db   *store.DB
}

func newOpener(t testing.TB, opts store.Options) *opener {
	t.Helper()
	o := &opener{t: t, path: filepath.Join(t.TempDir(), "test.db"), opts: opts}
	o.open()
	t.Cleanup(o.finish)
	return o
}

func (o *opener) open() store.Store {
	o.t.Helper()
	db, err := store.Open(o.path, o.opts)
	if err != nil {
		o.t.Fatal(err)
	}
	o.db = db
	return db
}

func (o *opener) reopen() store.Store {
	o.t.Helper()
	if err := o.db.Close(); err != nil {
		o.t.Fatal(err)
	}
	return o.open()
}

func (o *opener) finish() {
	if err := o.db.Close(); err != nil {
		o.t.Errorf("close: %v", err)
	}
	mustBeSound(o.t, o.path)
}

// mustBeSound checks a whole file.
func mustBeSound(t testing.TB, path string) store.Report {
	t.Helper()
	report, err := store.Check(path, store.Inspection{})
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, fault := range report.Faults {
		t.Errorf("check: %s", fault)
	}
	return report
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (store.Store, func() store.Store) {
		o := newOpener(t, store.Options{})
		return o.db, o.reopen
	})
}

// TestAgreesWithMemory is the model test: random writes to a file and to the
// twin in memory.
func TestAgreesWithMemory(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		o := &opener{t: t, path: filepath.Join(dir, fmt.Sprintf("%d.db", n)), opts: store.WithoutSync(store.Options{})}
		s := o.open()
		defer os.Remove(o.path)
		defer o.finish()
		storetest.Agree(rt, s, o.reopen)
	})
}

// commit is a change like those of a game.
func commit(table string, expect uint64) store.Change {
	return store.Change{
		Table: table, Expect: expect, Snapshot: make([]byte, 1500), Live: true, Channel: "channel-" + table, Guild: "guild",
		Users: []string{"ann", "bob", "cid"}, At: storetest.Epoch().Add(time.Duration(expect) * time.Minute),
		Entries:     [][]byte{[]byte("place 7r 2")},
		Interaction: fmt.Sprintf("%s-%d", table, expect),
		Intents:     []store.Intent{{Key: "board", Channel: "channel-" + table}, {Key: fmt.Sprintf("dm/%d", expect%3)}},
		Deadlines:   []store.Deadline{{Kind: "turn", Prompt: expect, At: storetest.Epoch().Add(time.Duration(expect) * time.Hour)}},
	}
}

// finished is a result of people who placed in the order given.
func finished(users ...string) *store.Result {
	r := &store.Result{}
	for i, user := range users {
		r.Seats = append(r.Seats, store.ResultSeat{Player: store.Player{User: user, Name: "name of " + user, Moves: 9, InTime: 8}, Honour: 10 - i, Rank: i + 1})
	}
	return r
}
