package store_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"paladin/store"
	"paladin/store/storetest"
)

// TestForgetLeavesNoBytes: of somebody who was forgotten nothing stands anywhere in the file, in pages that are unused neither; the
// file does not grow for it, and nothing is left of what filled them.
func TestForgetLeavesNoBytes(t *testing.T) {
	const games = 400
	start := gamesFile(t, games)
	if !bytes.Contains(start, []byte("9001")) {
		t.Fatal("there is nothing to find")
	}
	path := write(t, start)
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		// Others who are forgotten, too, leave unused pages behind.
		for _, user := range []string{"9001", "bob", "dan"}[:round+1] {
			if _, err := db.Forget(t.Context(), user, storetest.Erase()); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{"9001", "bob", "dan"}[:round+1] {
			if n := bytes.Count(raw, []byte(user)); n > 0 {
				at := bytes.Index(raw, []byte(user))
				t.Errorf("%s stands in the file %d times, first: %q", user, n, raw[max(0, at-40):at+40])
			}
		}
		if len(raw) > 2*len(start) {
			t.Errorf("the file grew from %d to %d bytes", len(start), len(raw))
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, path)
	for k := range records(t, path, "settings") {
		if strings.Contains(k, "fill") {
			t.Fatalf("left in the settings: %q", k)
		}
	}
}

// TestForgetLeavesNoBytesOfMuch: what somebody leaves is more than one transaction overwrites.
func TestForgetLeavesNoBytesOfMuch(t *testing.T) {
	o := newOpener(t, store.WithoutSync(store.Options{}))
	const user = "900100200300400500"
	if err := o.db.Put(t.Context(), "much", bytes.Repeat([]byte(user+" "), 6<<20/len(user))); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(o.path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := storetest.Erase()
	rewrite.Setting = func(string, string, []byte) ([]byte, error) { return nil, nil }
	if _, err := o.db.Forget(t.Context(), user, rewrite); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(o.path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(raw, []byte(user)); n > 0 {
		t.Errorf("they stand in the file %d times", n)
	}
	if int64(len(raw)) > 3*before.Size() {
		t.Errorf("the file grew from %d to %d bytes", before.Size(), len(raw))
	}
}

// TestKillScrub kills a process between forgetting somebody and the end of overwriting what is left of them. ForgetRest does the rest.
func TestKillScrub(t *testing.T) {
	start := gamesFile(t, 130)
	for _, point := range []string{"scrub/before:1", "scrub/after:1", "scrub/before:2", "scrub/written:2", "scrub/after:2", "scrub/written:3", "scrub/after:3"} {
		path := write(t, start)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envCrashPath+"="+path, envForget+"=1", envCrashPoint+"="+point)
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("%s: %v: %s", point, err, out)
		}
		mustBeSound(t, path)
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ForgetRest(t.Context(), storetest.Erase())
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		mustBeSound(t, path)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(raw, []byte("9001")); n > 0 {
			t.Errorf("%s: they stand in the file %d times", point, n)
		}
		for k := range records(t, path, "settings") {
			if strings.Contains(k, "fill") {
				t.Errorf("%s: left in the settings: %q", point, k)
			}
		}
	}
}
