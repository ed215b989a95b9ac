package store_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"paladin/store"
)

// These tests really kill a process: they start the test binary again, which
// sees by these variables that it is to write until it is killed.
const (
	envCrashPath  = "STORE_TEST_CRASH_PATH"
	envCrashPoint = "STORE_TEST_CRASH_POINT" // "commit/after:3": the third time it is passed
)

func TestMain(m *testing.M) {
	if how := os.Getenv(envDie); how != "" {
		dieChild(how)
	}
	if path := os.Getenv(envDump); path != "" {
		dumpChild(path)
	}
	if path := os.Getenv(envExamine); path != "" {
		if err := store.ExamineMain(path, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv(envCrashPath); path != "" {
		if os.Getenv(envForget) != "" {
			forgetChild(path, os.Getenv(envCrashPoint))
		}
		crashChild(path, os.Getenv(envCrashPoint))
	}
	os.Exit(m.Run())
}

const crashTables = 4

// killAt returns a failpoint that kills the process at "commit/after:3" the
// third time that commit/after is passed.
func killAt(point string) func(string) {
	name, count, _ := strings.Cut(point, ":")
	left, _ := strconv.Atoi(count)
	return func(passed string) {
		if passed != name {
			return
		}
		if left--; left == 0 {
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = p.Kill()
			}
			if err != nil {
				os.Exit(3)
			}
			select {} // the signal is on its way
		}
	}
}

// crashChild commits to several tables at once and tells each acknowledged
// version on standard output, until it is killed.
func crashChild(path, point string) {
	opts := store.Options{Failpoint: killAt(point)}
	db, err := store.Open(path, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx := context.Background()
	var out sync.Mutex
	var wg sync.WaitGroup
	for n := range crashTables {
		wg.Go(func() {
			table := fmt.Sprintf("t%d", n)
			row, err := db.Table(ctx, table)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				os.Exit(4)
			}
			must := func(err error) {
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(5)
				}
			}
			// What the last process committed it may not have settled.
			if row.Version > 0 {
				must(db.Settle(ctx, crashSettlement(table, row.Version)))
			}
			for version := row.Version; ; version++ {
				out.Lock()
				fmt.Println(n, version)
				out.Unlock()
				must(crashStep(ctx, db, table, version))
			}
		})
	}
	wg.Wait()
}

// crashStep is a move with what follows from it.
func crashStep(ctx context.Context, db *store.DB, table string, version uint64) error {
	c := commit(table, version)
	c.Snapshot = crashSnapshot(version + 1)
	c.With = &store.Change{Table: table + "-with", Expect: version, Snapshot: c.Snapshot, At: c.At}
	done, err := db.Commit(ctx, c)
	if err != nil {
		return err
	}
	s := crashSettlement(table, version+1)
	s.Key, s.Generation = done.Intents[0].Key, done.Intents[0].Generation
	return db.Settle(ctx, s)
}

// crashSettlement settles a version.
func crashSettlement(table string, version uint64) store.Settlement {
	return store.Settlement{
		Table: table,
		Put:   []store.Surface{{Name: "board", Message: fmt.Sprintf("%s-m%d", table, version), Prompt: version}},
		Users: []store.UserUpdate{{ID: table, Update: func(u *store.User) { u.Data = crashSnapshot(version) }}},
	}
}

// crashSnapshot is a snapshot of varying size that tells its version.
func crashSnapshot(version uint64) []byte {
	b := make([]byte, 8+version*37%3000)
	binary.BigEndian.PutUint64(b, version)
	return b
}

// acknowledged is the last version of each table that a child told of.
type acknowledged [crashTables]uint64

// runUntilKilled runs a child on the file and notes what it acknowledges. It
// kills it after so many lines, unless the child does that itself at a
// failpoint.
func (last *acknowledged) runUntilKilled(t *testing.T, path, point string, lines int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envCrashPath+"="+path, envCrashPoint+"="+point)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(stdout)
	for n := 0; in.Scan(); n++ {
		var table int
		var version uint64
		// A line may be cut off by the end of the process.
		if got, _ := fmt.Sscan(in.Text(), &table, &version); got == 2 {
			last[table] = version
		}
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the child was not killed but ended with %v: %s", err, stderr.String())
	}
}

// verify opens the file after a crash and demands all that was
// acknowledged, at most one step more, and everything in step.
func (last *acknowledged) verify(t *testing.T, path string) {
	t.Helper()
	mustBeSound(t, path)
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for n, told := range last {
		table := fmt.Sprintf("t%d", n)
		row, err := db.Table(t.Context(), table)
		if errors.Is(err, store.ErrNotFound) && told == 0 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if row.Version != told && row.Version != told+1 {
			t.Errorf("%s: version %d is stored, %d was acknowledged", table, row.Version, told)
		}
		if got := binary.BigEndian.Uint64(row.Snapshot); got != row.Version || len(row.Snapshot) != len(crashSnapshot(got)) || uint64(row.Entries) != row.Version {
			t.Errorf("%s: version %d has the snapshot of %d and %d entries", table, row.Version, got, row.Entries)
		}
		if with, err := db.Table(t.Context(), table+"-with"); err != nil || with.Version != row.Version {
			t.Errorf("%s: version %d, and the table changed with it has %d (%v)", table, row.Version, with.Version, err)
		}
		if _, err := db.Commit(t.Context(), commit(table, row.Version-1)); !errors.Is(err, store.ErrRepeated) {
			t.Errorf("%s: the last press again: got error %v, want ErrRepeated", table, err)
		}
		sf, _, err := db.Surface(t.Context(), table, "board")
		u, err2 := db.User(t.Context(), table)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		settled := uint64(0)
		if len(u.Data) > 0 {
			settled = binary.BigEndian.Uint64(u.Data)
		}
		// A step is acknowledged after its settlement.
		if sf.Prompt != settled || settled < told || settled > row.Version {
			t.Errorf("%s: settled up to %d and %d, acknowledged %d", table, sf.Prompt, settled, told)
		}
	}
}

// TestKill kills a writing process at random moments, several times on the
// same file.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.db")
	rnd := rand.New(rand.NewPCG(5, 6))
	var last acknowledged
	for range 6 {
		last.runUntilKilled(t, path, "", rnd.IntN(60))
		last.verify(t, path)
	}
	if last == (acknowledged{}) {
		t.Error("nothing was ever acknowledged")
	}
}

// TestKillAtFailpoint kills a writing process at each named point.
func TestKillAtFailpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.db")
	var last acknowledged
	for _, kind := range []string{"commit", "settle"} {
		for _, point := range []string{"before", "written", "after"} {
			for _, times := range []int{1, 7} {
				at := fmt.Sprintf("%s/%s:%d", kind, point, times)
				t.Run(at, func(t *testing.T) {
					last.runUntilKilled(t, path, at, -1)
					last.verify(t, path)
				})
			}
		}
	}
}

// TestKillOutcome: what was killed before the disk had it never happened, and
// what was killed after it happened, though nobody was told.
func TestKillOutcome(t *testing.T) {
	for point, want := range map[string]bool{"before": false, "written": false, "after": true} {
		path := filepath.Join(t.TempDir(), "crash.db")
		var last acknowledged
		last.runUntilKilled(t, path, "commit/"+point+":1", -1)
		if last != (acknowledged{}) {
			t.Errorf("%s: acknowledged %v", point, last)
		}
		report, err := store.Check(path, store.Inspection{})
		if err != nil || len(report.Faults) > 0 {
			t.Errorf("%s: %v, %v", point, err, report.Faults)
		}
		if got := report.Tables > 0; got != want {
			t.Errorf("%s: the change happened: %v, want %v", point, got, want)
		}
	}
}
