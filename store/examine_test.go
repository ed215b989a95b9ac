package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"paladin/store"
	"paladin/store/storetest"
)

// envDie tells a child process how to end.
const envDie = "PALADIN_TEST_DIE"

// dieChild ends as a process does that examines a damaged file.
func dieChild(how string) {
	switch how {
	case "recursion":
		fmt.Println(`{"fault":"page 7 is used twice"}`)
		debug.SetMaxStack(1 << 20)
		var deep func(n int) int
		deep = func(n int) int { return deep(n+1) + 1 }
		deep(0)
	case "nil":
		fmt.Print(`{"fault":"pa`)
		panic("bbolt's own words")
	case "memory":
		os.Exit(75)
	case "unable":
		if store.ExamineMain(filepath.Join(os.TempDir(), "none"), os.Stdout) == nil {
			os.Exit(0)
		}
		os.Exit(2)
	case "untidy":
		if os.WriteFile(filepath.Join(os.TempDir(), "copy"), []byte("the seeds of live games"), 0o600) == nil {
			os.Exit(75)
		}
	case "killed":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
	}
	select {} // forever
}

func dying(how string) store.Examiner {
	return store.ExamineBy(func(ctx context.Context, _ string) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), envDie+"="+how)
		return cmd, nil
	})
}

// TestTheEndOfAnExaminationIsAnAnswer: however the other process ends, this one has words for it,
// and a sound file is not called damaged because the process could not be started or was killed by
// somebody.
func TestTheEndOfAnExaminationIsAnAnswer(t *testing.T) {
	for how, want := range map[string]string{
		"recursion": "page 7 is used twice\nits pages cannot be followed: they lead in a circle or outside the file",
		"nil":       "its pages cannot be followed: they lead in a circle or outside the file",
		"memory":    "its pages cannot be followed: that takes more memory than those of any sound file",
	} {
		found, err := dying(how)(t.Context(), "any")
		if got := strings.Join(found.Faults, "\n"); err != nil || got != want {
			t.Errorf("%s: %v, found:\n%s", how, err, got)
		}
	}
	soon, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := dying("never")(soon, "any"); err == nil || len(found.Faults) > 0 {
		t.Errorf("an endless examination: %v, %v", found, err)
	}
	missing := store.ExamineBy(func(ctx context.Context, _ string) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, filepath.Join(t.TempDir(), "none")), nil
	})
	path := write(t, playedFile(t))
	for name, by := range map[string]store.Examiner{
		"no such program": missing, "killed by somebody": dying("killed"), "it cannot read the file": dying("unable"),
	} {
		report, err := store.Check(path, store.Inspection{Examine: by})
		if err == nil || errors.Is(err, store.ErrCorrupt) || len(report.Faults) > 0 {
			t.Errorf("%s: check says %v, %q", name, err, report.Faults)
		}
		// The bot has to run all the same, and says so.
		var remarks []string
		db, err := store.Open(path, store.Options{Examine: by, Remark: func(s string) { remarks = append(remarks, s) }})
		if err != nil || len(remarks) != 1 || !strings.Contains(remarks[0], "examin") {
			t.Errorf("%s: open says %v, remarks %q", name, err, remarks)
		}
		if err == nil {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAnExaminationLeavesNothingBehind: a process that dies takes its copy of the file with it.
func TestAnExaminationLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	if found, err := dying("untidy")(t.Context(), "any"); err != nil || len(found.Faults) != 1 {
		t.Errorf("%q, %v", found.Faults, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestOpenRemarksATornHeader: the bot runs on it, and the next write makes it whole.
func TestOpenRemarksATornHeader(t *testing.T) {
	good := playedFile(t)
	torn := spoil(good, func(b []byte) {
		older := page(b, 0)
		if &latest(b)[0] == &older[16] {
			older = page(b, 1)
		}
		clear(older[40:])
	})
	path := write(t, torn)
	report, err := store.Check(path, store.Inspection{Examine: child})
	if err != nil || len(report.Faults) > 0 || len(report.Remarks) != 1 || !strings.Contains(report.Remarks[0], "header pages") {
		t.Errorf("check: %v, faults %q, remarks %q", err, report.Faults, report.Remarks)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, torn) {
		t.Error("check changed the file")
	}
	var remarks []string
	db, err := store.Open(path, store.Options{Examine: child, Remark: func(s string) { remarks = append(remarks, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(remarks) != 1 {
		t.Errorf("open remarks %q", remarks)
	}
	if err := errors.Join(db.Put(t.Context(), "k", []byte("v")), db.Close()); err != nil {
		t.Fatal(err)
	}
	if report, err := store.Check(path, store.Inspection{Examine: child}); err != nil || len(report.Faults)+len(report.Remarks) > 0 {
		t.Errorf("after a write: %v, faults %q, remarks %q", err, report.Faults, report.Remarks)
	}
}

// TestBackupToOfADamagedDatabase: a page goes bad while the bot runs. The copy is kept under a name
// that says so, and an error tells.
func TestBackupToOfADamagedDatabase(t *testing.T) {
	good := playedFile(t)
	path, dir := write(t, good), t.TempDir()
	db, err := store.Open(path, store.Options{Examine: child})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if copied, err := db.BackupTo(t.Context(), dir, storetest.Epoch()); err != nil || copied != filepath.Join(dir, "test-20300102T030405Z.db") {
		t.Fatalf("while all is well: %s, %v", copied, err)
	}
	root := binary.NativeEndian.Uint64(latest(good)[16:])
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(binary.NativeEndian.Uint32(good[24:]))
	_, err = f.WriteAt([]byte{0x77}, int64(root)*size+8)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	copied, err := db.BackupTo(t.Context(), dir, storetest.Epoch().Add(time.Hour))
	if !errors.Is(err, store.ErrCorrupt) || copied != filepath.Join(dir, "test-20300102T040405Z-damaged.db") {
		t.Errorf("after a page went bad: %q, %v", copied, err)
	}
	if _, err := os.Stat(copied); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("the folder holds %v", entries)
	}
}
