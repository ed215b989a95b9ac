package store_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
)

// TestCheckFinds spoils one record at a time, with bbolt itself, so that the
// pages stay sound, and demands a sentence about it.
func TestCheckFinds(t *testing.T) {
	good := playedFile(t)
	put := func(bucket, key, value string) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), []byte(value)) }
	}
	remove := func(bucket, key string) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			if tx.Bucket([]byte(bucket)).Get([]byte(key)) == nil {
				return errors.New("there is no such key")
			}
			return tx.Bucket([]byte(bucket)).Delete([]byte(key))
		}
	}
	// first returns the first key of a bucket.
	first := func(tx *bolt.Tx, bucket string) []byte {
		k, _ := tx.Bucket([]byte(bucket)).Cursor().First()
		return append([]byte(nil), k...)
	}
	entry := func(n uint64) string { return string(binary.BigEndian.AppendUint64([]byte("table1\x00"), n)) }
	tests := []struct {
		name  string
		spoil func(tx *bolt.Tx) error
		want  string
	}{
		{"unreadable table", put("tables", "table1", "\x01nonsense"), `table "table1"`},
		{"unknown form", put("tables", "table1", "\x09"), "not in a known form"},
		{"lost table", remove("tables", "table1"), `belongs to table "table1", which does not exist`},
		{"not found as live", remove("live", "table1"), "index of live tables disagree"},
		{"live without table", put("live", "ghost", ""), `leads from "ghost" to table "ghost", which is not live`},
		{"lost channel", remove("channels", "channel-table1"), `table "table1" is not found by "channel-table1"`},
		{"channel of another", put("channels", "channel-table1", "table2"), `table "table2" of channel "channel-table2"`},
		{"channel of a ghost", put("channels", "c", "ghost"), `to table "ghost", which is not live`},
		{"lost guild", remove("guilds", "guild\x00table1"), "is not found by"},
		{"wrong guild", put("guilds", "elsewhere\x00table1", ""), `table "table1" of guild "guild"`},
		{"lost seat", remove("seats", "ann\x00table1"), "is not found by"},
		{"wrong seat", put("seats", "eve\x00table1", ""), "does not sit"},
		{"broken seat", put("seats", "eve", ""), "index of seats"},
		{"lost entry in the middle", remove("history", entry(7)), "should have 20 history entries and 19 are found"},
		{"extra entry", put("history", entry(21), "\x01aaaaaaaaaaaa"), "should have 20 history entries and 21 are found"},
		{"unreadable entry", put("history", entry(7), ""), "history entry"},
		{"entry of a ghost", put("history", "ghost\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x01\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x"), "ghost"},
		{"unreadable interaction", put("seen", "table1-3", "x"), `interaction "table1-3"`},
		{"lost interaction", remove("seen", "table1-3"), `leads to "table1-3", which does not exist`},
		{"interaction without time", func(tx *bolt.Tx) error {
			return tx.Bucket([]byte("seen-by-time")).Delete(first(tx, "seen-by-time"))
		}, "is not found by its time"},
		{"unreadable intent", put("outbox", "table1\x00board", "x"), `intent "table1\x00board"`},
		{"intent of a ghost", func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte("outbox"))
			return b.Put([]byte("ghost\x00board"), append([]byte(nil), b.Get([]byte("table1\x00board"))...))
		}, `table "ghost", which does not exist`},
		{"same generation twice", func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte("outbox"))
			return b.Put([]byte("table1\x00copy"), append([]byte(nil), b.Get([]byte("table1\x00board"))...))
		}, "impossible generation"},
		{"generation of the future", func(tx *bolt.Tx) error { return tx.Bucket([]byte("outbox")).SetSequence(1) }, "impossible generation"},
		{"unreadable surface", put("surfaces", "table1\x00board", "x"), `surface "table1\x00board"`},
		{"message of nothing", put("messages", "m1", "table1\x00board"), "does not show there"},
		{"surface without message", put("surfaces", "table1\x00board", "\x01\x00\x02m9"+"\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"+"\x00"), "is not found by its message m9"},
		{"lost deadline", func(tx *bolt.Tx) error { return tx.Bucket([]byte("deadlines")).Delete(first(tx, "deadlines")) }, "is not found by its time"},
		{"foreign deadline", func(tx *bolt.Tx) error {
			k := first(tx, "deadlines")
			k[11]++
			return tx.Bucket([]byte("deadlines")).Put(k, nil)
		}, "is not one of that table"},
		{"unreadable deadline", put("deadlines", "soon", ""), "deadline"},
		{"unreadable user", put("users", "ann", ""), `user "ann"`},
		{"a bucket among records", func(tx *bolt.Tx) error {
			_, err := tx.Bucket([]byte("settings")).CreateBucket([]byte("odd"))
			return err
		}, "is a bucket"},
		{"lost part", func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("outbox")) }, `the part "outbox" is missing`},
		{"schema", put("paladin", "schema", "1"), "schema number is damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, good)
			db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Update(test.spoil), db.Close()); err != nil {
				t.Fatal(err)
			}
			report, err := store.Check(path, store.Inspection{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(report.Faults, "\n"), test.want) {
				t.Errorf("no fault says %q:\n%s", test.want, strings.Join(report.Faults, "\n"))
			}
		})
	}
}

func TestCheckReport(t *testing.T) {
	path := write(t, playedFile(t))
	seen := 0
	report, err := store.Check(path, store.Inspection{Table: func(row *store.Row, history []store.Entry) error {
		if len(row.Snapshot) != 1500 || len(history) != 20 {
			t.Errorf("table %s has %d bytes and %d entries", row.ID, len(row.Snapshot), len(history))
		}
		seen++
		if row.ID == "table4" {
			return errors.New("a card is missing")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if seen != 10 || len(report.Faults) != 1 || report.Faults[0] != `table "table4": a card is missing` {
		t.Errorf("%d snapshots were verified: %q", seen, report.Faults)
	}
	if report.Bytes == 0 {
		t.Error("the report does not tell the size")
	}
	report.Faults, report.Path, report.Bytes = nil, "", 0
	want := store.Report{Schema: schema, Tables: 10, Live: 10, Entries: 200, Interactions: 200, Intents: 40, Deadlines: 10}
	if got, want := report, want; !equalReport(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func equalReport(a, b store.Report) bool {
	return a.Schema == b.Schema && a.Tables == b.Tables && a.Live == b.Live && a.Entries == b.Entries &&
		a.Interactions == b.Interactions && a.Intents == b.Intents && a.Deadlines == b.Deadlines &&
		a.Surfaces == b.Surfaces && a.Users == b.Users && a.Settings == b.Settings && a.Results == b.Results && a.Standings == b.Standings
}

// TestCheckFindsNames spoils the indexes by which somebody's data is found, one record at a time.
func TestCheckFindsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.db")
	db := openAt(t, path, store.Options{})
	_, err := db.Commit(t.Context(), play(1, "t1", "g1", ann, bob))
	err2 := db.Put(t.Context(), "looked/t1", []byte(`{"`+ann+`":3}`))
	if err := errors.Join(err, err2, db.Close()); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const byTable, bySetting = "tables-by-name", "settings-by-name"
	for _, test := range []struct {
		bucket, remove, put string
		want                string // empty: it is no fault
	}{
		{bucket: byTable, remove: ann + "\x00t1", want: `table "t1" is not found by ` + ann},
		{bucket: byTable, put: ann + "\x00ghost"}, // where they stood once, before it was dropped
		{bucket: byTable, put: ann, want: "the index of tables by ids"},
		{bucket: byTable, put: "ann\x00t1", want: "the index of tables by ids"},
		{bucket: byTable, put: cid + "\x00t1"}, // who stood there once
		{bucket: bySetting, remove: ann + "\x00looked/t1", want: `setting "looked/t1" is not found by ` + ann},
		{bucket: bySetting, put: bob + "\x00looked/t1", want: `from ` + bob + ` to "looked/t1", where it does not stand`},
		{bucket: bySetting, put: ann + "\x00looked/t2", want: `from ` + ann + ` to "looked/t2", where it does not stand`},
		{bucket: bySetting, put: ann, want: "the index of settings by ids"},
	} {
		spoiled := edited(t, good, func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(test.bucket))
			switch {
			case test.put != "":
				return b.Put([]byte(test.put), nil)
			case b.Get([]byte(test.remove)) == nil:
				return errors.New("there is no such key")
			default:
				return b.Delete([]byte(test.remove))
			}
		})
		report, err := store.Check(write(t, spoiled), store.Inspection{})
		all := strings.Join(report.Faults, "\n")
		if err != nil || (test.want == "") != (all == "") || !strings.Contains(all, test.want) {
			t.Errorf("%+v: error %v, faults:\n%s", test, err, all)
		}
	}
}
