package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
	"paladin/store/storetest"
)

// twoTables is a file with two live tables, of which one is damaged.
func twoTables(t *testing.T, damage func(tx *bolt.Tx) error) *store.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n, id := range []string{"a", "b"} {
		_, err := db.Commit(t.Context(), store.Change{
			Table: id, Snapshot: []byte(`{}`), Live: true, Channel: "10" + id, Guild: "1", Users: []string{"7" + id, "8" + id}, At: at,
			Deadlines: []store.Deadline{{Table: id, Kind: "move", Prompt: 1, At: at.Add(time.Duration(n) * time.Hour)}},
			Entries:   [][]byte{[]byte("one"), []byte("two")},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Update(damage); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(path, store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestUnreadableRecordOfATable: what leads to it tells where it stands, and what is then stored of
// it takes all of that away.
func TestUnreadableRecordOfATable(t *testing.T) {
	var record []byte
	db := twoTables(t, func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("tables"))
		record = bytes.Clone(b.Get([]byte("a")))
		record[0] = 9
		return b.Put([]byte("a"), record)
	})
	row, err := db.Table(t.Context(), "a")
	if err != nil || !row.Live || row.Version == 0 || row.Channel != "10a" || row.Guild != "1" || !slices.Equal(row.Users, []string{"7a", "8a"}) ||
		row.Entries != 2 || len(row.Deadlines) != 1 || !bytes.Equal(row.Snapshot, record) {
		t.Fatalf("%+v, %v", row, err)
	}
	_, err = db.Commit(t.Context(), store.Change{
		Table: "a", Expect: row.Version, Snapshot: row.Snapshot, Channel: row.Channel, Guild: row.Guild, Users: row.Users, At: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, taken, err := db.TableByChannel(t.Context(), "10a"); taken || err != nil {
		t.Errorf("its channel is not free (%v)", err)
	}
	tables, err := db.TablesByUser(t.Context(), "7a")
	due, errDue := db.Due(t.Context(), time.Now().AddDate(100, 0, 0), 0)
	if len(tables) > 0 || err != nil || len(due) != 1 || due[0].Table != "b" || errDue != nil {
		t.Errorf("its people sit at %v (%v), due is %v (%v)", tables, err, due, errDue)
	}
}

// TestForgetAtUnreadableRecords: what is to be said and where it was said cannot be read. Who is
// named there is forgotten all the same, nobody else is kept from it, and nothing leads to what is
// gone.
func TestForgetAtUnreadableRecords(t *testing.T) {
	path := write(t, edited(t, gamesFile(t, 3), func(tx *bolt.Tx) error {
		put := func(part, key, value string) error { return tx.Bucket([]byte(part)).Put([]byte(key), []byte(value)) }
		return errors.Join(
			put("outbox", "t000\x00spoiled", "\xffnobody is named"), put("outbox", "t000\x00told", "\xffsomething for 9001"),
			put("surfaces", "t000\x00spoiled", "\xffnobody is named"), put("surfaces", "t000\x00shown", "\xffshown to 9001"),
			put("messages", "777001", "t000\x00shown"),
		)
	}))
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if row, err := db.Table(t.Context(), "t000"); err != nil || row.Live {
		t.Fatalf("the table is live: %t, %v", row.Live, err)
	}
	for _, user := range []string{"9001", "bob"} {
		if waiting, err := db.Forget(t.Context(), user, storetest.Erase()); err != nil || len(waiting) > 0 {
			t.Errorf("%s: waits for %v, %v", user, waiting, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || bytes.Contains(data, []byte("9001")) {
		t.Errorf("what is left names them (%v)", err)
	}
	if left := records(t, path, "messages"); len(left) > 0 {
		t.Errorf("%q lead to what is gone", left)
	}
}

// TestUnreadableDeadline: one that cannot be read stops no clock but its own.
func TestUnreadableDeadline(t *testing.T) {
	db := twoTables(t, func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("deadlines"))
		k, _ := b.Cursor().First()
		spoiled := bytes.Clone(k[:len(k)-1])
		if err := b.Delete(k); err != nil {
			return err
		}
		return b.Put(spoiled, nil)
	})
	due, err := db.Due(t.Context(), time.Now().AddDate(100, 0, 0), 0)
	if err != nil || len(due) != 1 || due[0].Table != "b" {
		t.Errorf("due is %v, %v", due, err)
	}
	if at, ok, err := db.NextDeadline(t.Context()); err != nil || !ok || !at.Equal(due[0].At) {
		t.Errorf("the next one is at %v, %v, %v", at, ok, err)
	}
}
