package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
	"paladin/store/storetest"
)

// envExamine tells a child process which file to examine.
const envExamine = "PALADIN_TEST_EXAMINE"

// child examines files in a process of its own, as the program does.
var child = store.ExamineBy(func(ctx context.Context, path string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), envExamine+"="+path)
	return cmd, nil
})

// playedFile returns the bytes of a closed database in which several tables
// were played.
func playedFile(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "played.db")
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint64(20) {
		for i := range 10 {
			if _, err := db.Commit(t.Context(), commit(fmt.Sprintf("table%d", i), v)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write puts bytes into a file.
func write(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// oneLine demands an error that is one readable line.
func oneLine(t testing.TB, err error) {
	t.Helper()
	if text := err.Error(); strings.ContainsAny(text, "\n\x00") || len(text) > 400 {
		t.Errorf("not one readable line: %q", text)
	}
}

// foreign returns a bbolt file of another program.
func foreign(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("widgets"))
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newer returns a database whose schema is one more than this program knows.
func newer(t testing.TB) []byte {
	t.Helper()
	path := write(t, playedFile(t))
	db, err := store.Open(path, store.WithMigrations(store.Options{}, store.Step{Name: "of the future", Run: func(*bolt.Tx) error { return nil }}))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func random(n int) []byte {
	b := make([]byte, n)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// spoil returns a copy of b that fn has changed.
func spoil(b []byte, fn func(b []byte)) []byte {
	b = bytes.Clone(b)
	fn(b)
	return b
}

// edited returns the bytes of a database after one more transaction.
func edited(t testing.TB, b []byte, fn func(tx *bolt.Tx) error) []byte {
	t.Helper()
	path := write(t, b)
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// page returns the page with this number.
func page(b []byte, id uint64) []byte {
	size := uint64(binary.NativeEndian.Uint32(b[24:]))
	return b[id*size : (id+1)*size]
}

// latest returns the contents of the meta page that counts.
func latest(b []byte) []byte {
	m0, m1 := page(b, 0)[16:], page(b, 1)[16:]
	if binary.NativeEndian.Uint64(m0[48:]) > binary.NativeEndian.Uint64(m1[48:]) {
		return m0
	}
	return m1
}

// seal makes the checksum of a meta page right again.
func seal(meta []byte) {
	sum := fnv.New64a()
	sum.Write(meta[:56])
	binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
}

func TestOpenRefuses(t *testing.T) {
	good := playedFile(t)
	pageSize := int(binary.NativeEndian.Uint32(good[24:]))
	root := binary.NativeEndian.Uint64(latest(good)[16:])
	freelist := binary.NativeEndian.Uint64(latest(good)[32:])
	used := int(binary.NativeEndian.Uint64(latest(good)[40:])) * pageSize
	tests := []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"text", []byte("these are my notes\n"), store.ErrNotDatabase},
		{"one byte", []byte{7}, store.ErrNotDatabase},
		{"zeros", make([]byte, 1<<16), store.ErrNotDatabase},
		{"random bytes", random(1 << 17), store.ErrNotDatabase},
		{"another program's", foreign(t), store.ErrNotDatabase},
		{"newer", newer(t), store.ErrNewer},
		{"cut inside the first page", good[:100], store.ErrCorrupt},
		{"cut after the first page", good[:pageSize], store.ErrCorrupt},
		{"cut after both headers", good[:2*pageSize], store.ErrCorrupt},
		{"cut in the middle", good[:used/2], store.ErrCorrupt},
		{"cut inside the last used page", good[:used-1], store.ErrCorrupt},
		{"both headers damaged", spoil(good, func(b []byte) { page(b, 0)[50]++; page(b, 1)[50]++ }), store.ErrCorrupt},
		{"root is no page of data", spoil(good, func(b []byte) { page(b, root)[8] = 0x77 }), store.ErrCorrupt},
		{"root says it is another page", spoil(good, func(b []byte) { page(b, root)[0]++ }), store.ErrCorrupt},
		{"root is overwritten", spoil(good, func(b []byte) { copy(page(b, root)[16:], random(pageSize-16)) }), store.ErrCorrupt},
		{"root is zeros", spoil(good, func(b []byte) { clear(page(b, root)) }), store.ErrCorrupt},
		{"free list is overwritten", spoil(good, func(b []byte) { copy(page(b, freelist), random(pageSize)) }), store.ErrCorrupt},
		{"free list names the root", spoil(good, func(b []byte) { binary.NativeEndian.PutUint64(page(b, freelist)[16:], root) }), store.ErrCorrupt},
		{"header leads to itself", spoil(good, func(b []byte) {
			binary.NativeEndian.PutUint64(latest(b)[16:], 1)
			seal(latest(b))
		}), store.ErrCorrupt},
		{"header leads past the end", spoil(good, func(b []byte) {
			binary.NativeEndian.PutUint64(latest(b)[16:], 1<<50)
			seal(latest(b))
		}), store.ErrCorrupt},
		{"page size of zero", spoil(good, func(b []byte) {
			for _, m := range [][]byte{page(b, 0)[16:], page(b, 1)[16:]} {
				defer seal(m)
				defer binary.NativeEndian.PutUint32(m[8:], 0)
			}
		}), store.ErrCorrupt},
		{"part missing", edited(t, good, func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("tables-by-name")) }), store.ErrCorrupt},
		{"older and a part missing", edited(t, oldFile(t, "schema2.db.gz"), func(tx *bolt.Tx) error {
			return tx.DeleteBucket([]byte("pools"))
		}), store.ErrCorrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.bytes)
			db, err := store.Open(path, store.Options{Examine: child})
			if err == nil {
				db.Close()
				t.Fatal("the file was opened")
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got error %v, want %v", err, test.want)
			}
			oneLine(t, err)
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(after, test.bytes) {
				t.Error("the refused file was changed")
			}
			checkAgrees(t, path, test.want)
		})
	}
}

// TestOpenRefusesOlder: an older file with a record that cannot be read is not migrated, is left as it was, and Check says what is wrong
// with it.
func TestOpenRefusesOlder(t *testing.T) {
	for bucket, old := range map[string]string{
		"tables": "schema1.db.gz", "history": "schema1.db.gz", "surfaces": "schema1.db.gz", "outbox": "schema1.db.gz",
		"results": "schema2.db.gz", "standings": "schema2.db.gz", "pools": "schema2.db.gz", "forgetting": "schema2.db.gz",
	} {
		t.Run(bucket, func(t *testing.T) {
			spoiled := edited(t, oldFile(t, old), func(tx *bolt.Tx) error {
				b := tx.Bucket([]byte(bucket))
				k, _ := b.Cursor().First()
				if k == nil {
					k = []byte("100000000000000001")
				}
				return b.Put(bytes.Clone(k), []byte("\x02 of another form"))
			})
			path := write(t, spoiled)
			db, err := store.Open(path, store.Options{Score: scored, Examine: child})
			if err == nil {
				db.Close()
				t.Fatal("the file was opened")
			}
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("got error %v, want ErrCorrupt", err)
			}
			oneLine(t, err)
			if after, _ := os.ReadFile(path); !bytes.Equal(after, spoiled) {
				t.Error("the refused file was changed")
			}
			if report, err := store.Check(path, store.Inspection{Examine: child}); err != nil || len(report.Faults) == 0 {
				t.Errorf("check returned error %v and faults %q", err, report.Faults)
			}
		})
	}
}

// checkAgrees demands that Check sees the same as Open.
func checkAgrees(t *testing.T, path string, want error) {
	t.Helper()
	report, err := store.Check(path, store.Inspection{Examine: child})
	switch {
	case errors.Is(want, store.ErrCorrupt):
		if err != nil || len(report.Faults) == 0 {
			t.Errorf("check returned error %v and faults %q of a damaged file", err, report.Faults)
		}
	case !errors.Is(err, want):
		t.Errorf("check returned error %v, want %v", err, want)
	default:
		oneLine(t, err)
	}
	dst := path + ".copy"
	if err := store.BackupFile(path, dst, child); !errors.Is(err, want) && want != store.ErrNewer {
		t.Errorf("backup returned error %v, want %v", err, want)
	}
}

// TestOpenAnyDamage damages a good file in many random places. Whatever
// happens is an answer: no panic, no fault, no endless walk, and a refused file
// stays as it was.
func TestOpenAnyDamage(t *testing.T) {
	good := playedFile(t)
	used := int(binary.NativeEndian.Uint64(latest(good)[40:])) * int(binary.NativeEndian.Uint32(good[24:]))
	good = good[:used]
	rnd := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for n := range 60 {
		bad := spoil(good, func(b []byte) {
			for range 1 + rnd.IntN(4) {
				at := rnd.IntN(len(b))
				for i := at; i < min(len(b), at+1+rnd.IntN(64)); i++ {
					b[i] = byte(rnd.Uint32())
				}
			}
		})
		path := write(t, bad)
		db, err := store.Open(path, store.WithoutSync(store.Options{Examine: child}))
		if err != nil {
			refused++
			oneLine(t, err)
			if after, _ := os.ReadFile(path); !bytes.Equal(after, bad) {
				t.Errorf("case %d: the refused file was changed", n)
			}
			continue
		}
		// The damage is inside a record, or in a page that is not used. Every
		// call has to return.
		exercise(t, db)
		if err := db.Close(); err != nil {
			t.Errorf("case %d: close: %v", n, err)
		}
	}
	if refused == 0 {
		t.Error("no damage was ever noticed")
	}
}

// exercise calls everything; errors are allowed, panics are not.
func exercise(t *testing.T, db *store.DB) {
	ctx := t.Context()
	for i := range 10 {
		id := fmt.Sprintf("table%d", i)
		row, _ := db.Table(ctx, id)
		_, _ = db.History(ctx, id, 1, 0)
		_, _ = db.Surfaces(ctx, id)
		_, _ = db.Commit(ctx, commit(id, row.Version))
		_ = db.Settle(ctx, store.Settlement{Table: id, Key: "board", Generation: 1})
	}
	_, _ = db.Pending(ctx)
	_, _ = db.Due(ctx, storetest.Epoch().AddDate(1, 0, 0), 0)
	_, _ = db.TablesByUser(ctx, "ann")
	_, _ = db.Prune(ctx, storetest.Epoch().AddDate(1, 0, 0))
}

func TestOpenNoFile(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		path string
		want string
	}{
		"a folder":       {dir, "it is a folder"},
		"missing folder": {filepath.Join(dir, "missing", "p.db"), "create it"},
		"below a file":   {filepath.Join(write(t, []byte("x")), "p.db"), "not a directory"},
	} {
		db, err := store.Open(test.path, store.Options{})
		if err == nil {
			db.Close()
			t.Errorf("%s: opened", name)
			continue
		}
		oneLine(t, err)
		if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.path) {
			t.Errorf("%s: error %q does not say %q of %s", name, err, test.want, test.path)
		}
		if _, err := store.Check(test.path, store.Inspection{}); err == nil {
			t.Errorf("%s: check found a database", name)
		}
	}
	missing := filepath.Join(dir, "none.db")
	if _, err := store.Check(missing, store.Inspection{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("check of a missing file: %v", err)
	}
	if err := store.BackupFile(missing, filepath.Join(dir, "copy.db"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("backup of a missing file: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("something was created: %v", entries)
	}
}

func TestOpenWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may open any file")
	}
	path := write(t, playedFile(t))
	for _, mode := range []os.FileMode{0, 0o400} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(path, store.Options{})
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("mode %o: got error %v, want that permission is missing", mode, err)
		}
		if err == nil {
			db.Close()
		}
	}
}

func TestOpenCreates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("created with mode %v (%v), want 0600", info.Mode(), err)
	}
	if db.Path() != path {
		t.Errorf("path %s, want %s", db.Path(), path)
	}
}

// TestOpenEmpty: an empty file, and one whose maker ended before it had a
// schema, are new databases. An empty one may be what is left of games, so it
// is remarked.
func TestOpenEmpty(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.db")
	b, err := bolt.Open(bare, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	report := mustBeSound(t, bare)
	if report.Schema != 0 {
		t.Errorf("a file without a schema has schema %d", report.Schema)
	}
	for path, want := range map[string]int{write(t, nil): 1, bare: 0, filepath.Join(t.TempDir(), "none.db"): 0} {
		var remarks []string
		db, err := store.Open(path, store.Options{Remark: func(s string) { remarks = append(remarks, s) }})
		if err != nil {
			t.Fatal(err)
		}
		if len(remarks) != want || want > 0 && !strings.Contains(remarks[0], "empty") {
			t.Errorf("%s: remarks %q", path, remarks)
		}
		if _, err := db.Commit(t.Context(), commit("t", 0)); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, path)
	}
	if _, err := store.Check(write(t, nil), store.Inspection{}); !errors.Is(err, store.ErrNotDatabase) {
		t.Errorf("check of an empty file: %v", err)
	}
}

func TestHeld(t *testing.T) {
	o := newOpener(t, store.Options{})
	_, err := store.Open(o.path, store.Options{LockTimeout: time.Millisecond})
	if !errors.Is(err, store.ErrHeld) {
		t.Errorf("second open: got error %v, want ErrHeld", err)
	}
	oneLine(t, err)
	if _, err := store.CheckWithin(o.path, time.Millisecond); !errors.Is(err, store.ErrHeld) {
		t.Errorf("check: got error %v, want ErrHeld", err)
	}
	dst := filepath.Join(t.TempDir(), "copy.db")
	if err := store.BackupFileWithin(o.path, dst, time.Millisecond); !errors.Is(err, store.ErrHeld) {
		t.Errorf("backup: got error %v, want ErrHeld", err)
	}
	if _, err := os.Stat(dst); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused backup left a file")
	}
}

func TestMigrate(t *testing.T) {
	old := playedFile(t)
	path, dir := write(t, old), filepath.Join(t.TempDir(), "backups")
	rename := store.Step{Name: "keep the channel's name", Run: func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("settings")).Put([]byte("migrated"), []byte("yes"))
	}}
	ran := 0
	count := store.Step{Name: "count", Run: func(*bolt.Tx) error { ran++; return nil }}
	opts := store.WithMigrations(store.Options{BackupDir: dir, Now: storetest.Epoch}, rename, count)
	for range 2 { // the second time there is nothing to do
		db, err := store.Open(path, opts)
		if err != nil {
			t.Fatal(err)
		}
		value, ok, err := db.Get(t.Context(), "migrated")
		if string(value) != "yes" || !ok || err != nil || ran != 1 {
			t.Errorf("after the migration: %q, %v, %v, ran %d times", value, ok, err, ran)
		}
		if row, err := db.Table(t.Context(), "table3"); err != nil || row.Version != 20 {
			t.Errorf("a table after the migration: %+v, %v", row, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_ = b.View(func(tx *bolt.Tx) error {
		for n, name := range []string{
			"first tables", "results and standings", "tables and settings by the ids in them", "results of earlier games", rename.Name, count.Name,
		} {
			if got := tx.Bucket([]byte("paladin")).Get(fmt.Appendf(nil, "migration/%04d", n+1)); string(got) != name {
				t.Errorf("migration %d is recorded as %q, want %q", n+1, got, name)
			}
		}
		return nil
	})
	// The copy is the database before the migration.
	copied := filepath.Join(dir, "test-20300102T030405Z.db")
	if report := mustBeSound(t, copied); report.Schema != schema || report.Tables != 10 {
		t.Errorf("the copy before the migration: %+v", report)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the backup folder holds %v", entries)
	}
}

func TestMigrateFails(t *testing.T) {
	old := playedFile(t)
	boom := errors.New("boom")
	first := store.Step{Name: "fill", Run: func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("settings")).Put([]byte("big"), make([]byte, 4<<20))
	}}
	for name, second := range map[string]store.Step{
		"error": {Name: "second", Run: func(*bolt.Tx) error { return boom }},
		"panic": {Name: "second", Run: func(*bolt.Tx) error { panic(boom) }},
	} {
		path, dir := write(t, old), t.TempDir()
		_, err := store.Open(path, store.WithMigrations(store.Options{BackupDir: dir}, first, second))
		if err == nil || !strings.Contains(err.Error(), "boom") {
			t.Fatalf("%s: got error %v", name, err)
		}
		oneLine(t, err)
		// A program that is started again and again must not fill the disk.
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%s: a failed migration left the copy %v", name, entries)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, old) {
			t.Errorf("%s: a failed migration changed the file", name)
		}
	}
	// No copy, no migration.
	path := write(t, old)
	_, err := store.Open(path, store.WithMigrations(store.Options{BackupDir: write(t, nil)}, first))
	if err == nil {
		t.Fatal("migrated without the copy that was asked for")
	}
	oneLine(t, err)
	if after, _ := os.ReadFile(path); !bytes.Equal(after, old) {
		t.Error("a migration without its copy changed the file")
	}
}

// schema is the present one.
const schema = 4

// oldFile returns the bytes of a database that an earlier program made.
func oldFile(t testing.TB, name string) []byte {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	old, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return old
}

// TestFirstSchema opens a database that was made before there were results:
// all that is in it stays, and results can be added.
func TestFirstSchema(t *testing.T) {
	path, dir := write(t, oldFile(t, "schema1.db.gz")), t.TempDir()
	old := store.Report{Schema: 1, Tables: 2, Live: 1, Entries: 10, Interactions: 10, Intents: 8, Surfaces: 1, Deadlines: 1, Users: 2, Settings: 1}
	if report := mustBeSound(t, path); !equalReport(report, old) {
		t.Fatalf("the old file: %+v", report)
	}
	migrated := ""
	told := func(from, to int, copied string) { migrated = fmt.Sprintln(from, to, copied) }
	db, err := store.Open(path, store.Options{BackupDir: dir, Now: storetest.Epoch, Migrated: told})
	if err != nil {
		t.Fatal(err)
	}
	live, err := db.TablesByUser(t.Context(), "ann")
	ended, err1 := db.Table(t.Context(), "t1")
	u, err2 := db.User(t.Context(), "bob")
	sf, _, err3 := db.Surface(t.Context(), "t1", "board")
	entries, err4 := db.History(t.Context(), "t2", 0, 0)
	if err := errors.Join(err, err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(live, []string{"t2"}) || ended.Version != 5 || string(ended.Snapshot) != "t1 as it was" || u.Name != "name of bob" ||
		sf.Message != "m1" || len(entries) != 5 {
		t.Errorf("after the migration: %v, %+v, %+v, %+v, %v", live, ended, u, sf, entries)
	}
	c := commit("t1", 5)
	c.Live, c.Result = false, finished("ann", "bob")
	if _, err := db.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if s, ok, err := db.Standing(t.Context(), "guild", "ann"); err != nil || !ok || s.Games != 1 {
		t.Errorf("standing %+v, %v, %v", s, ok, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	want := store.Report{Schema: schema, Tables: 2, Live: 1, Entries: 11, Interactions: 11, Intents: 8, Surfaces: 1, Deadlines: 2, Users: 2, Settings: 1, Results: 1, Standings: 4}
	if report := mustBeSound(t, path); !equalReport(report, want) {
		t.Errorf("got %+v, want %+v", report, want)
	}
	copied := filepath.Join(dir, "test-20300102T030405Z.db")
	if want := fmt.Sprintln(1, schema, copied); migrated != want {
		t.Errorf("told %q, want %q", migrated, want)
	}
	if report := mustBeSound(t, copied); report.Schema != 1 {
		t.Errorf("the copy before the migration: %+v", report)
	}
}
