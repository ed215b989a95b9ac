package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
)

// envDump tells a child process which file to read whole.
const envDump = "PALADIN_TEST_DUMP"

// dumpChild prints a digest of everything that can be read of a file. bbolt may end it.
func dumpChild(path string) {
	debug.SetMaxStack(16 << 20)
	sum := sha256.New()
	b, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err == nil {
		err = b.View(func(tx *bolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				fmt.Fprintf(sum, "part %q\n", name)
				return b.ForEach(func(k, v []byte) error {
					if got := b.Get(k); v == nil || !bytes.Equal(got, v) {
						return fmt.Errorf("record %q is not found", k)
					}
					fmt.Fprintf(sum, "%q %q\n", k, v)
					return nil
				})
			})
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%x", sum.Sum(nil))
	os.Exit(0)
}

// dump returns the digest of what a file holds; empty if it cannot be read whole.
func dump(t testing.TB, path string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), envDump+"="+path)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// richFile returns the bytes of a database in which there is something of everything.
func richFile(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rich.db")
	db := openAt(t, path, store.WithoutSync(store.Options{}))
	for i := range 30 {
		id := fmt.Sprintf("table%d", i)
		for v := range uint64(8) {
			if _, err := db.Commit(t.Context(), commit(id, v)); err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(
			db.Put(t.Context(), fmt.Sprintf("setting/%d", i), bytes.Repeat([]byte{'s'}, 100)),
			db.UpdateUser(t.Context(), fmt.Sprintf("user%d", i), func(u *store.User) { u.Name, u.Data = "somebody", bytes.Repeat([]byte{'d'}, 200) }),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		c := play(i, fmt.Sprintf("ended%d", i), "g1", ann, bob)
		c.Result = finished(ann, bob)
		if _, err := db.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return settled(t, path)
}

// settled returns the bytes of a database with the same contents whose pages lie where they always
// do, some of them free: the program itself takes free pages in any order.
func settled(t testing.TB, path string) []byte {
	t.Helper()
	from, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path = filepath.Join(t.TempDir(), "settled.db")
	to, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = bolt.Compact(to, from, 0)
	for _, part := range []string{"tables", "history", "users"} {
		err = errors.Join(err, to.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(part))
			k, v := b.Cursor().Last()
			return b.Put(bytes.Clone(k), bytes.Clone(v))
		}))
	}
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// meant knows what was put into richFile, as the bot knows what it stores.
var meant = store.Inspection{
	Examine: child,
	Table: func(row *store.Row, history []store.Entry) error {
		ok := bytes.Equal(row.Snapshot, make([]byte, 1500)) || strings.HasPrefix(row.ID, "ended") && bytes.Equal(row.Snapshot, play(0, "", "", ann, bob).Snapshot)
		for _, e := range history {
			data := string(e.Data)
			ok = ok && (data == "place 7r 2" || strings.HasPrefix(row.ID, "ended") && (data == "opened by "+ann || data == "ended"))
		}
		return expected(ok)
	},
	Setting: func(_ string, value []byte) error {
		return expected(bytes.Equal(value, bytes.Repeat([]byte{'s'}, 100)))
	},
	User: func(u *store.User) error {
		return expected(u.Name == "somebody" && bytes.Equal(u.Data, bytes.Repeat([]byte{'d'}, 200)))
	},
	Intent: func(in *store.Intent) error { return expected(len(in.Payload) == 0) },
}

func expected(ok bool) error {
	if !ok {
		return errors.New("it is not what was stored")
	}
	return nil
}

// harm is one way to damage a file.
type harm struct {
	name string
	do   func(b []byte) []byte
	// sound says that nothing of what the file holds is lost or changed, and that its pages are all in
	// order; fallback, that it is what it was before the last change; content, that it may lie in what
	// only its owner can judge, as some names and times.
	sound, fallback, content bool
}

// harms damage a file in every place once, by its pages.
func harms(good []byte) []harm {
	var all []harm
	size := int(binary.NativeEndian.Uint32(good[24:]))
	used := int(binary.NativeEndian.Uint64(latest(good)[40:]))
	add := func(sound bool, fn func(b []byte), format string, args ...any) {
		all = append(all, harm{name: fmt.Sprintf(format, args...), do: func(b []byte) []byte { return spoil(b, fn) }, sound: sound})
	}
	newer := 0
	if &latest(good)[0] != &page(good, 0)[16] {
		newer = 1
	}
	for n := range 2 {
		for name, fn := range map[string]func(b []byte){
			"torn": func(b []byte) { clear(page(b, uint64(n))[48:512]) }, "zeroed": func(b []byte) { clear(page(b, uint64(n))) },
			"with a wrong root": func(b []byte) { page(b, uint64(n))[16+33] ^= 4 },
		} {
			add(true, fn, "header %d %s", n, name)
			all[len(all)-1].fallback = n == newer
		}
	}
	add(false, func(b []byte) { clear(b[:2*size]) }, "both headers zeroed")
	root := binary.NativeEndian.Uint64(latest(good)[16:])
	for _, wrong := range []uint64{0, 1, 2, root + 1, uint64(used) - 1, uint64(used), uint64(used) + 7, 1 << 40} {
		if wrong == root {
			continue
		}
		add(false, func(b []byte) {
			binary.NativeEndian.PutUint64(latest(b)[16:], wrong)
			seal(latest(b))
		}, "root at page %d", wrong)
	}
	for n, in := range map[string]int{"root": 16, "free list": 32, "high mark": 40} {
		add(false, func(b []byte) {
			latest(b)[in+1]++
			seal(latest(b))
		}, "header's %s far away", n)
	}
	for _, left := range []int{100, size, 2 * size, 3*size + 100, used / 2 * size, used*size - 1} {
		all = append(all, harm{name: fmt.Sprintf("cut to %d bytes", left), do: func(b []byte) []byte { return bytes.Clone(b[:left]) }})
	}
	all = append(all, harm{name: "cut behind the last page that is used", do: func(b []byte) []byte { return bytes.Clone(b[:used*size]) }, sound: true})
	for id := uint64(2); id < uint64(used); id++ {
		kind := binary.NativeEndian.Uint16(page(good, id)[8:])
		free := isFree(good, id)
		add(free, func(b []byte) { clear(page(b, id)) }, "page %d (%#x) zeroed", id, kind)
		add(free, func(b []byte) { page(b, id)[8] ^= 0x41 }, "page %d (%#x) of another kind", id, kind)
		add(free, func(b []byte) { page(b, id)[10]++ }, "page %d (%#x) with an element more", id, kind)
		add(free, func(b []byte) { page(b, id)[10]-- }, "page %d (%#x) with an element less", id, kind)
		add(free, func(b []byte) { page(b, id)[12]++ }, "page %d (%#x) going on for a page more", id, kind)
		for _, at := range []int{16, 20, 24, 28, 33, 40, 44} {
			add(free, func(b []byte) { page(b, id)[at] ^= 1 }, "page %d (%#x): byte %d", id, kind, at)
			add(free, func(b []byte) { page(b, id)[at+1] ^= 0x10 }, "page %d (%#x): byte %d", id, kind, at+1)
		}
		other := (id-2+uint64(used)/2)%uint64(used-2) + 2
		add(free && isFree(good, other), func(b []byte) {
			one := bytes.Clone(page(b, id))
			copy(page(b, id), page(b, other))
			copy(page(b, other), one)
		}, "pages %d and %d exchanged", id, other)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		at := 2*size + rnd.IntN((used-2)*size)
		add(isFree(good, uint64(at/size)), func(b []byte) { b[at] ^= 1 << (at % 8) }, "a bit of byte %d of page %d", at%size, at/size)
		all[len(all)-1].content = true
	}
	return all
}

// isFree reports whether a page of a sound file is listed as free.
func isFree(good []byte, id uint64) bool {
	list := page(good, binary.NativeEndian.Uint64(latest(good)[32:]))
	for i := range int(binary.NativeEndian.Uint16(list[10:])) {
		if binary.NativeEndian.Uint64(list[16+8*i:]) == id {
			return true
		}
	}
	return false
}

// TestDamage damages a file in every place and holds the verdicts against each other: what Check
// calls sound holds exactly what the sound file held; what nothing was taken from is sound; what
// Open refuses stays as it was, and Check and BackupFile refuse it too.
func TestDamage(t *testing.T) {
	good := richFile(t)
	whole := dump(t, write(t, good))
	if whole == "" {
		t.Fatal("the good file cannot be read")
	}
	all := harms(good)
	step := 1 + len(all)/80
	if os.Getenv("PALADIN_TEST_ALL_DAMAGE") != "" {
		step = 1
	}
	for i, h := range all {
		if i >= 40 && (i+7)%step != 0 {
			continue // the first ones are each of their own kind
		}
		if testing.Short() && i%8 != 0 {
			continue // every harm costs processes, and the race detector has nothing to learn from them
		}
		bad := h.do(good)
		path := write(t, bad)
		report, err := store.Check(path, meant)
		said := strings.Join(report.Faults, "; ")
		sound := err == nil && said == ""
		if strings.Contains(said+fmt.Sprint(err), "panic") || strings.Contains(said, "assertion") || strings.Contains(said, "runtime error") || strings.Contains(said, "\n") {
			t.Errorf("%s: these are no words for an operator: %s, %v", h.name, said, err)
		}
		if slices.Sort(report.Faults); len(slices.Compact(report.Faults)) < len(report.Faults) {
			t.Errorf("%s: check says things twice: %s", h.name, said)
		}
		if sound && !h.fallback && !h.content && dump(t, path) != whole {
			t.Errorf("%s: check calls it sound, and something is changed or lost", h.name)
		}
		if strings.HasPrefix(h.name, "header ") && sound && len(report.Remarks) != 1 {
			t.Errorf("%s: check remarks %q", h.name, report.Remarks)
		}
		if h.sound && !sound {
			t.Errorf("%s: nothing is lost, and check says: %s %v", h.name, said, err)
		}
		copied := store.BackupFile(path, path+".copy", child)
		db, opened := store.Open(path, store.WithoutSync(store.Options{Examine: child}))
		if opened == nil {
			opened = db.Close()
		} else if after, _ := os.ReadFile(path); !bytes.Equal(after, bad) {
			t.Errorf("%s: the refused file was changed", h.name)
		}
		if sound && (copied != nil || opened != nil) {
			t.Errorf("%s: check calls it sound, and copying it says %v, opening it %v", h.name, copied, opened)
		}
		if (copied == nil) != (opened == nil) {
			t.Errorf("%s: copying it says %v, opening it %v", h.name, copied, opened)
		}
	}
}
