package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
	"paladin/store/storetest"
)

// gate holds the writer at a failpoint until it is opened.
type gate struct {
	name    string
	reached chan struct{} // closed when the writer stands there
	open    chan struct{}
	once    sync.Once
}

func newGate(name string) *gate {
	return &gate{name: name, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) pass(name string) {
	if name != g.name {
		return
	}
	g.once.Do(func() {
		close(g.reached)
		<-g.open
	})
}

// TestGroup makes many writes wait behind one and looks at what becomes of
// them: they share transactions, and each has its own outcome.
func TestGroup(t *testing.T) {
	g := newGate("put/before")
	o := newOpener(t, store.Options{Failpoint: g.pass})
	transactions := 0 // only the writer counts
	store.FailCommits(o.db, func(tx *bolt.Tx) error { transactions++; return tx.Commit() })
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := o.db.Put(t.Context(), "first", []byte("x")); err != nil {
			t.Error(err)
		}
	})
	<-g.reached
	const n = 200
	errs := make([]error, n)
	var started sync.WaitGroup
	for i := range n {
		started.Add(1)
		wg.Go(func() {
			c := commit(fmt.Sprintf("t%d", i), 0)
			switch i % 4 {
			case 1:
				c.Expect = 7 // refused
			case 2:
				c.Channel = "one for all"
			}
			started.Done()
			_, errs[i] = o.db.Commit(t.Context(), c)
		})
	}
	started.Wait()
	close(g.open)
	wg.Wait()
	taken, won := 0, 0
	for i, err := range errs {
		var takenErr *store.ChannelTakenError
		switch {
		case i%4 == 1:
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("commit %d: got error %v, want a conflict", i, err)
			}
		case i%4 == 2 && errors.As(err, &takenErr):
			taken++
		case err != nil:
			t.Errorf("commit %d: %v", i, err)
		case i%4 == 2:
			won++
		}
	}
	if won != 1 || taken != n/4-1 {
		t.Errorf("%d tables got the channel and %d were refused", won, taken)
	}
	if err := o.db.Close(); err != nil {
		t.Error(err)
	}
	if transactions >= n/2 {
		t.Errorf("%d writes took %d transactions", n+1, transactions)
	}
}

// TestGroupMemberBreaks: a write that breaks the transaction fails alone.
func TestGroupMemberBreaks(t *testing.T) {
	g := newGate("put/before")
	// Half a megabyte holds all small changes and not the large one.
	o := newOpener(t, store.WithMaxSize(store.Options{Failpoint: g.pass}, 512<<10))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := o.db.Put(t.Context(), "first", []byte("x")); err != nil {
			t.Error(err)
		}
	})
	<-g.reached
	const n = 20
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			c := commit(fmt.Sprintf("t%d", i), 0)
			if i == 7 {
				c.Snapshot = make([]byte, 1<<20)
			}
			_, errs[i] = o.db.Commit(t.Context(), c)
		})
	}
	close(g.open)
	wg.Wait()
	for i, err := range errs {
		if (err != nil) != (i == 7) {
			t.Errorf("commit %d: %v", i, err)
		}
		if errors.Is(err, store.ErrUncertain) {
			t.Errorf("commit %d: a full disk is no uncertain outcome: %v", i, err)
		}
		_, err := o.db.Table(t.Context(), fmt.Sprintf("t%d", i))
		if errors.Is(err, store.ErrNotFound) != (i == 7) {
			t.Errorf("table %d: %v", i, err)
		}
	}
	// Nothing is broken: the next write goes through.
	if _, err := o.db.Commit(t.Context(), commit("after", 0)); err != nil {
		t.Error(err)
	}
}

// TestUncertain: when bbolt fails after its header page is written nobody
// knows what the disk holds, and no more is written.
func TestUncertain(t *testing.T) {
	o := newOpener(t, store.Options{})
	broken := errors.New("input/output error")
	store.FailCommits(o.db, func(tx *bolt.Tx) error {
		if err := tx.Commit(); err != nil {
			return err
		}
		return broken
	})
	if err := o.db.Put(t.Context(), "k", []byte("v")); !errors.Is(err, store.ErrUncertain) || !errors.Is(err, broken) {
		t.Errorf("got error %v, want ErrUncertain and its cause", err)
	}
	_, err := o.db.Commit(t.Context(), commit("t", 0))
	if !errors.Is(err, store.ErrFailed) || !errors.Is(err, broken) || errors.Is(err, store.ErrUncertain) {
		t.Errorf("got error %v, want ErrFailed and its cause", err)
	}
	o.reopen()
	if _, err := o.db.Commit(t.Context(), commit("t", 0)); err != nil {
		t.Errorf("after opening anew: %v", err)
	}
}

// TestUncertainGroup: of those who shared a transaction of which nobody knows all are told so, and whoever came later that nothing of theirs
// was written.
func TestUncertainGroup(t *testing.T) {
	g := newGate("user/before")
	o := newOpener(t, store.Options{Failpoint: g.pass})
	commits := 0
	store.FailCommits(o.db, func(tx *bolt.Tx) error {
		err := tx.Commit()
		if commits++; err == nil && commits > 1 {
			err = errors.New("input/output error")
		}
		return err
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := o.db.UpdateUser(t.Context(), "first", func(*store.User) {}); err != nil {
			t.Error(err)
		}
	})
	<-g.reached
	errs := make([]error, 50)
	var started sync.WaitGroup
	for i := range errs {
		started.Add(1)
		wg.Go(func() {
			started.Done()
			errs[i] = o.db.Put(t.Context(), fmt.Sprint(i), []byte("v"))
		})
	}
	started.Wait()
	close(g.open)
	wg.Wait()
	o.reopen()
	for i, err := range errs {
		_, stored, readErr := o.db.Get(t.Context(), fmt.Sprint(i))
		uncertain, failed := errors.Is(err, store.ErrUncertain), errors.Is(err, store.ErrFailed)
		if readErr != nil || uncertain == failed || stored != uncertain {
			t.Errorf("write %d: stored %v, told %v; %v", i, stored, err, readErr)
		}
	}
}

// TestCertainFailure: when bbolt fails before that, nothing was written and
// the store goes on.
func TestCertainFailure(t *testing.T) {
	o := newOpener(t, store.Options{})
	full, times := errors.New("no space left on device"), 0
	store.FailCommits(o.db, func(tx *bolt.Tx) error {
		if times++; times == 1 {
			return full
		}
		return tx.Commit()
	})
	if err := o.db.Put(t.Context(), "k", []byte("v")); !errors.Is(err, full) || errors.Is(err, store.ErrUncertain) {
		t.Errorf("got error %v, want only that the disk is full", err)
	}
	if _, ok, err := o.db.Get(t.Context(), "k"); ok || err != nil {
		t.Errorf("a failed write can be read (error %v)", err)
	}
	if err := o.db.Put(t.Context(), "k", []byte("v")); err != nil {
		t.Error(err)
	}
}

// TestCommitPanics: bbolt's panic over a damaged page is an error, and the end
// of writing.
func TestCommitPanics(t *testing.T) {
	o := newOpener(t, store.Options{})
	store.FailCommits(o.db, func(*bolt.Tx) error { panic("unexpected page") })
	if err := o.db.Put(t.Context(), "k", []byte("v")); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got error %v, want ErrCorrupt", err)
	}
	if err := o.db.Put(t.Context(), "k", []byte("v")); !errors.Is(err, store.ErrFailed) {
		t.Errorf("got error %v, want ErrFailed", err)
	}
	if _, ok, err := o.db.Get(t.Context(), "k"); ok || err != nil {
		t.Errorf("reading has to go on: %v, %v", ok, err)
	}
}

// TestContextWhileWaiting: a call that is given up while it waits was not done;
// one whose write has begun returns what became of it.
func TestContextWhileWaiting(t *testing.T) {
	g := newGate("put/before")
	o := newOpener(t, store.Options{Failpoint: g.pass})
	var wg sync.WaitGroup
	begun, cancelBegun := context.WithCancel(t.Context())
	wg.Go(func() {
		if err := o.db.Put(begun, "begun", []byte("x")); err != nil {
			t.Errorf("a write that had begun: %v", err)
		}
	})
	<-g.reached
	cancelBegun()
	waiting, cancel := context.WithCancel(t.Context())
	wg.Go(func() {
		if err := o.db.Put(waiting, "waiting", []byte("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("a write that waited: got error %v, want that it was cancelled", err)
		}
		close(g.open) // only now may the writer go on
	})
	cancel()
	wg.Wait()
	for key, want := range map[string]bool{"begun": true, "waiting": false} {
		if _, ok, err := o.db.Get(t.Context(), key); ok != want || err != nil {
			t.Errorf("%s: stored is %v (error %v), want %v", key, ok, err, want)
		}
	}
}

// TestCloseWhileWriting: closing waits for the write that has begun.
func TestCloseWhileWriting(t *testing.T) {
	g := newGate("put/written")
	o := newOpener(t, store.Options{Failpoint: g.pass})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := o.db.Put(t.Context(), "begun", []byte("x")); err != nil {
			t.Error(err)
		}
	})
	<-g.reached
	wg.Go(func() {
		if err := o.db.Close(); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		// It either begins before the end or says that it was closed.
		if err := o.db.Put(t.Context(), "late", []byte("x")); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
		close(g.open)
	})
	// The late one cannot begin while the writer stands at the gate, so it
	// returns only when the store is closing.
	wg.Wait()
	o.reopen()
	if _, ok, err := o.db.Get(t.Context(), "begun"); !ok || err != nil {
		t.Errorf("the write that had begun is lost (error %v)", err)
	}
	if _, ok, _ := o.db.Get(t.Context(), "late"); ok {
		t.Error("the late write was stored, though it was refused")
	}
}

func TestFailpoints(t *testing.T) {
	var mu sync.Mutex
	var passed []string
	o := newOpener(t, store.Options{Failpoint: func(name string) {
		mu.Lock()
		defer mu.Unlock()
		passed = append(passed, name)
	}})
	ctx := t.Context()
	_, err := o.db.Commit(ctx, commit("t", 0))
	_, err2 := o.db.Enqueue(ctx, "t", []store.Intent{{Key: "k"}})
	_, err3 := o.db.Prune(ctx, storetest.Epoch())
	_, err4 := o.db.Forget(ctx, "eve", storetest.Erase())
	err = errors.Join(err, err2, err3, err4,
		o.db.Settle(ctx, store.Settlement{Table: "t"}),
		o.db.UpdateUser(ctx, "ann", func(*store.User) {}),
		o.db.Put(ctx, "k", nil))
	ended := commit("ended", 0)
	ended.Live, ended.Intents = false, nil
	_, err5 := o.db.Commit(ctx, ended)
	err = errors.Join(err, err5, o.db.Drop(ctx, "ended", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.db.Commit(ctx, commit("t", 0)) // refused: it passes the first point only
	if !errors.Is(err, store.ErrRepeated) {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	want := append(store.Failpoints(), "commit/before", "commit/before", "commit/written", "commit/after")
	for range 2 {
		// To forget somebody of whom nothing is known takes three writes, and three more to let unused pages be released, fill them, and
		// give them up.
		want = append(want, "forget/before", "forget/written", "forget/after", "scrub/before", "scrub/written", "scrub/after")
	}
	slices.Sort(want)
	slices.Sort(passed)
	if !slices.Equal(passed, want) {
		t.Errorf("passed %v, want %v", passed, want)
	}
}

// TestBackupToDropsWhatCrashesLeft: an unfinished copy of this database that nobody works on any more
// is removed with the next copy; a young one, another database's and every whole copy stay.
func TestBackupToDropsWhatCrashesLeft(t *testing.T) {
	o := newOpener(t, store.Options{})
	dir, now := t.TempDir(), time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	left := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	stem := strings.TrimSuffix(filepath.Base(o.path), filepath.Ext(o.path))
	stay := []string{
		"." + stem + "-20300102T020405Z.db.77.partial", "." + stem + "-sandbox-20291201T000000Z.db.77.partial",
		"." + stem + ".db.77.partial", stem + "-20291201T000000Z.db", "notes.partial",
	}
	left(stay[0], time.Hour)
	for _, name := range stay[1:] {
		left(name, 48*time.Hour)
	}
	left("."+stem+"-20291201T000000Z.db.123.partial", 48*time.Hour)
	left("."+stem+"-20291201T000000Z-2.db.123.partial", 48*time.Hour)
	path, err := o.db.BackupTo(t.Context(), dir, now)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(stay, filepath.Base(path))
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("in the directory: %q, want %q", names, want)
	}
}

func TestBackupTo(t *testing.T) {
	o := newOpener(t, store.Options{})
	if _, err := o.db.Commit(t.Context(), commit("t", 0)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "not", "yet")
	// Writes go on while copies are made.
	var wg sync.WaitGroup
	wg.Go(func() {
		for v := range uint64(50) {
			if _, err := o.db.Commit(t.Context(), commit("t", v+1)); err != nil {
				t.Error(err)
			}
		}
	})
	now := time.Date(2031, 12, 5, 23, 59, 1, 0, time.FixedZone("", -3600))
	for _, want := range []string{"test-20311206T005901Z.db", "test-20311206T005901Z-2.db", "test-20311206T005901Z-3.db"} {
		path, err := o.db.BackupTo(t.Context(), dir, now)
		if err != nil || path != filepath.Join(dir, want) {
			t.Fatalf("copied to %q (error %v), want %s", path, err, want)
		}
		if report := mustBeSound(t, path); report.Tables != 1 {
			t.Errorf("the copy holds %d tables", report.Tables)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the copy has mode %v (%v)", info.Mode(), err)
		}
	}
	wg.Wait()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.db.BackupTo(cancelled, dir, now); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that it was cancelled", err)
	}
	if _, err := o.db.BackupTo(t.Context(), o.path, now); err == nil {
		t.Error("copied into a folder that is a file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("the folder holds %v, want the three copies alone", entries)
	}
}

// TestBackupIsConsistent: a copy that is made while tables and users change
// together holds both or neither.
func TestBackupIsConsistent(t *testing.T) {
	o := newOpener(t, store.Options{})
	if _, err := o.db.Commit(t.Context(), commit("t", 0)); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			data := fmt.Appendf(nil, "%d", n)
			err := o.db.Settle(t.Context(), store.Settlement{
				Table: "t", Put: []store.Surface{{Name: "board", Data: data}},
				Users: []store.UserUpdate{{ID: "ann", Update: func(u *store.User) { u.Data = data }}},
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 10 {
		var b bytes.Buffer
		if _, err := o.db.Backup(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(write(t, b.Bytes()), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sf, _, err := db.Surface(t.Context(), "t", "board")
		u, err2 := db.User(t.Context(), "ann")
		if err := errors.Join(err, err2, db.Close()); err != nil || !bytes.Equal(sf.Data, u.Data) {
			t.Errorf("the copy holds %q and %q (error %v)", sf.Data, u.Data, err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestBackupFile(t *testing.T) {
	src := write(t, playedFile(t))
	before, _ := os.ReadFile(src)
	dir := t.TempDir()
	dst := filepath.Join(dir, "copy.db")
	if err := store.BackupFile(src, dst, nil); err != nil {
		t.Fatal(err)
	}
	if report := mustBeSound(t, dst); report.Tables != 10 || report.Entries != 200 {
		t.Errorf("the copy: %+v", report)
	}
	if info, err := os.Stat(dst); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v (%v)", info.Mode(), err)
	}
	copied, _ := os.ReadFile(dst)
	err := store.BackupFile(src, dst, nil)
	if !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), dst) {
		t.Errorf("over an existing file: got error %v", err)
	}
	oneLine(t, err)
	if err := store.BackupFile(src, filepath.Join(dir, "none", "copy.db"), nil); err == nil {
		t.Error("copied into a folder that does not exist")
	}
	if after, _ := os.ReadFile(src); !bytes.Equal(after, before) {
		t.Error("the database was changed")
	}
	if after, _ := os.ReadFile(dst); !bytes.Equal(after, copied) {
		t.Error("the existing copy was changed")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds %v, want the copy alone", entries)
	}
}
