package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"paladin/store"
	"paladin/store/storetest"
)

// Who plays in testdata/schema2.db.gz, with ids like Discord's. Dan and eve are forgotten there, eve but for a live table.
const (
	ann, bob, cid = "100000000000000001", "100000000000000002", "100000000000000003"
	eve           = "100000000000000005"
	annDM         = "200000000000000001"
)

// play is the change that ends a game of these people in the order of their places, which its snapshot tells.
func play(day int, table, guild string, users ...string) store.Change {
	var seats []string
	for i, u := range users {
		seats = append(seats, fmt.Sprintf("%s=%d", u, 10-i))
	}
	return store.Change{
		Table: table, Snapshot: []byte("honour " + strings.Join(seats, " ")), Guild: guild, Channel: "channel of " + table, Users: users,
		At: storetest.Epoch().AddDate(0, 0, day), Entries: [][]byte{[]byte("opened by " + users[0]), []byte("ended")},
	}
}

// scored reads what play wrote.
func scored(_ string, snapshot []byte, entries [][]byte) *store.Result {
	seats, ok := strings.CutPrefix(string(snapshot), "honour ")
	if !ok || len(entries) != 2 {
		return nil
	}
	var users []string
	for _, seat := range strings.Fields(seats) {
		user, _, _ := strings.Cut(seat, "=")
		users = append(users, user)
	}
	r := finished(users...)
	for _, nobody := range []string{"gone-1", "somebody"} {
		r.Forget(nobody)
	}
	return r
}

func openAt(t testing.TB, path string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(path, store.WithoutSync(opts))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestSecondSchema opens a database of the time before ids were indexed, in which not every game has a result: every game has one then,
// in the order in which they ended, and whoever is in the database is found.
func TestSecondSchema(t *testing.T) {
	path, dir := write(t, oldFile(t, "schema2.db.gz")), t.TempDir()
	if report := mustBeSound(t, path); report.Schema != 2 || report.Results != 3 || report.Tables != 10 {
		t.Errorf("before the migration: %+v", report)
	}
	db := openAt(t, path, store.Options{BackupDir: dir, Now: storetest.Epoch, Score: scored})
	var order []string
	for n, table := range []string{"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"} {
		r, ok, err := db.ResultOf(t.Context(), table)
		if err != nil || !ok || r.Number != uint64(n)+1 || r.Channel != "channel of "+table || !r.Finished.Equal(storetest.Epoch().AddDate(0, 0, n+1)) {
			t.Errorf("the result of %s: %v, %+v, %v", table, ok, r, err)
		}
		order = append([]string{table}, order...)
	}
	if _, ok, err := db.ResultOf(t.Context(), "t9"); ok || err != nil {
		t.Errorf("a game that was stopped has a result: %v, %v", ok, err)
	}
	own, err := db.ResultsByUser(t.Context(), ann, 0, 0)
	var tables []string
	for _, r := range own {
		tables = append(tables, r.Table)
	}
	if err != nil || !slices.Equal(tables, []string{"t8", "t3", "t2", "t1"}) {
		t.Errorf("the results of one person: %v, %v, all are %v", tables, err, order)
	}
	// Where nobody was forgotten, all is as if results had always been kept.
	always := openAt(t, filepath.Join(t.TempDir(), "always.db"), store.Options{})
	defer always.Close()
	for day, users := range [][]string{{ann, bob}, {bob, ann}, {cid, bob, ann}} {
		c := play(day+1, fmt.Sprintf("t%d", day+1), "g1", users...)
		c.Result = finished(users...)
		if _, err := always.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, user := range []string{ann, bob, cid} {
		got, _, err := db.Standing(t.Context(), "g1", user)
		want, _, err2 := always.Standing(t.Context(), "g1", user)
		if err := errors.Join(err, err2); err != nil || got != want {
			t.Errorf("standing (-want +got), %v:\n%s", err, cmp.Diff(want, got))
		}
	}
	// Where somebody was, games up to then count, and later ones rate as well.
	all, _, err := db.Standing(t.Context(), "", ann)
	if err != nil || all.Games != 4 || all.Rated != 2 {
		t.Errorf("standing across servers: %+v, %v", all, err)
	}
	if here, _, err := db.Standing(t.Context(), "g2", cid); err != nil || here.Games != 2 || here.Honour != 19 || here.Rated != 1 {
		t.Errorf("standing where somebody was forgotten: %+v, %v", here, err)
	}
	mustTell(t, db, ann, "live", "t1", "t2", "t3", "t6", "t8", "t9")
	mustTell(t, db, cid, "live", "t3", "t5", "t6", "t9")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report := mustBeSound(t, path)
	if report.Schema != schema || report.Results != 8 || report.Tables != 10 {
		t.Errorf("after the migration: %+v", report)
	}
	copied, err := os.ReadFile(filepath.Join(dir, "test-20300102T030405Z.db"))
	if err != nil {
		t.Fatal(err)
	}
	if report := mustBeSound(t, write(t, copied)); report.Schema != 2 {
		t.Errorf("the copy before the migration: %+v", report)
	}
}

// mustTell demands the tables of somebody's export. It holds them against a search through everything.
func mustTell(t *testing.T, db *store.DB, user string, want ...string) {
	t.Helper()
	text, err := db.Export(t.Context(), user, func(_, _ string, v []byte) (json.RawMessage, error) { return json.Marshal(string(v)) })
	if err != nil {
		t.Fatal(err)
	}
	var e store.Exported
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range e.Tables {
		got = append(got, table.ID)
	}
	if !slices.Equal(got, want) || len(e.Notes) != 1 {
		t.Errorf("the export of %s tells of %v and %d settings, want %v", user, got, len(e.Notes), want)
	}
}

// TestSecondSchemaForgets: who is forgotten after the migration is named nowhere in the file.
func TestSecondSchemaForgets(t *testing.T) {
	path := write(t, oldFile(t, "schema2.db.gz"))
	db := openAt(t, path, store.Options{Score: scored})
	end := play(9, "live", "g1", bob, cid)
	end.Expect, end.DropIntents = 1, []string{"bye/" + ann}
	_, err := db.Commit(t.Context(), end)
	// What named her once and does not any more.
	once := store.Change{Table: "once", Snapshot: []byte("invited: " + ann), Intents: []store.Intent{{Key: "dm/0", Channel: annDM}}, At: end.At}
	now := store.Change{Table: "once", Expect: 1, Snapshot: []byte("invited: nobody"), DropIntents: []string{"dm/0"}, At: end.At}
	_, err4 := db.Commit(t.Context(), once)
	_, err5 := db.Commit(t.Context(), now)
	err6 := db.Put(t.Context(), "looked/once", []byte(`{"`+ann+`":3}`))
	err7 := db.Put(t.Context(), "looked/once", []byte(`{"`+bob+`":3}`))
	if named := records(t, copied(t, db), "tables-by-name"); err4 == nil {
		_, stood := named[ann+"\x00once"]
		_, dm := named[annDM+"\x00once"]
		if !stood || !dm {
			t.Error("the index has forgotten by itself: nothing is tested")
		}
	}
	waiting, err2 := db.Forget(t.Context(), ann, storetest.Erase())
	left, err3 := db.ForgetRest(t.Context(), storetest.Erase())
	if err := errors.Join(err, err2, err3, err4, err5, err6, err7, db.Close()); err != nil || len(waiting) > 0 || left > 0 {
		t.Fatalf("%v wait, %d are left, %v", waiting, left, err)
	}
	mustBeSound(t, path)
	mustNotName(t, path, ann, annDM, eve)
}

// TestFoundWhereverTheyStand: in each of these tables somebody's id, or the channel of their direct messages, stands in one place only. They
// are found there both in a new database and after a migration, and nowhere when they were forgotten.
func TestFoundWhereverTheyStand(t *testing.T) {
	const user, dm = "700000000000000001", "700000000000000002"
	places := map[string]func(c *store.Change, s *store.Settlement){
		"user":           func(c *store.Change, _ *store.Settlement) { c.Users = []string{user} },
		"snapshot":       func(c *store.Change, _ *store.Settlement) { c.Snapshot = []byte("by " + user) },
		"entry":          func(c *store.Change, _ *store.Settlement) { c.Entries = append(c.Entries, []byte("["+user+"]")) },
		"intent key":     func(c *store.Change, _ *store.Settlement) { c.Intents[0].Key = "bye/" + user },
		"intent channel": func(c *store.Change, _ *store.Settlement) { c.Intents[0].Channel = "user/" + user },
		"intent payload": func(c *store.Change, _ *store.Settlement) { c.Intents[0].Payload = []byte(`{"u":"` + user + `"}`) },
		"intent dm":      func(c *store.Change, _ *store.Settlement) { c.Intents[0].Channel = dm },
		"surface name":   func(_ *store.Change, s *store.Settlement) { s.Put[0].Name = "shown/" + user },
		"surface data":   func(_ *store.Change, s *store.Settlement) { s.Put[0].Data = []byte(user) },
		"surface dm":     func(_ *store.Change, s *store.Settlement) { s.Put[0].Channel = dm },
	}
	unindex := func(path string) { // as a database of the second schema
		b, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		err = b.Update(func(tx *bolt.Tx) error {
			meta := tx.Bucket([]byte("paladin"))
			return errors.Join(tx.DeleteBucket([]byte("tables-by-name")), tx.DeleteBucket([]byte("settings-by-name")),
				meta.Put([]byte("schema"), []byte{7: 2}), meta.Delete([]byte("migration/0003")), meta.Delete([]byte("migration/0004")))
		})
		if err := errors.Join(err, b.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, migrated := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "test.db")
		db := openAt(t, path, store.Options{})
		for place, stand := range places {
			c := store.Change{Table: place, Entries: [][]byte{[]byte("opened")}, At: storetest.Epoch(), Intents: []store.Intent{{Key: "board"}}}
			s := store.Settlement{Table: place, Put: []store.Surface{{Name: "panel", Message: "m " + place}}}
			stand(&c, &s)
			_, err := db.Commit(t.Context(), c)
			if err := errors.Join(err, db.Settle(t.Context(), s)); err != nil {
				t.Fatal(err)
			}
		}
		err := db.UpdateUser(t.Context(), user, func(u *store.User) { u.DMChannel = dm })
		if err := errors.Join(err, db.Put(t.Context(), "of/"+user, []byte("theirs")), db.Close()); err != nil {
			t.Fatal(err)
		}
		if migrated {
			unindex(path)
		}
		db = openAt(t, path, store.Options{})
		mustTell(t, db, user, slices.Sorted(maps.Keys(places))...)
		waiting, err := db.Forget(t.Context(), user, storetest.Erase())
		if err := errors.Join(err, db.Close()); err != nil || len(waiting) > 0 {
			t.Fatalf("%v wait, error %v", waiting, err)
		}
		mustBeSound(t, path)
		mustNotName(t, path, user, dm)
		if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), user) || strings.Contains(string(raw), dm) {
			t.Errorf("migrated %v: they stand in the file, error %v", migrated, err)
		}
	}
}

// copied is the path of a copy of a database.
func copied(t *testing.T, db *store.DB) string {
	t.Helper()
	path, err := db.BackupTo(t.Context(), t.TempDir(), storetest.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mustNotName demands that no record and no index has any of these words.
func mustNotName(t *testing.T, path string, words ...string) {
	t.Helper()
	b, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var buckets []string
	_ = b.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, _ *bolt.Bucket) error { buckets = append(buckets, string(name)); return nil })
	})
	if err := b.Close(); err != nil || len(buckets) < 20 {
		t.Fatal(buckets, err)
	}
	for _, bucket := range buckets {
		for k, v := range records(t, path, bucket) {
			for _, word := range words {
				if strings.Contains(k, word) || strings.Contains(v, word) {
					t.Errorf("%s: %q names %s: %q", bucket, k, word, v)
				}
			}
		}
	}
}

// TestFirstSchemaScored: a database from before there were any results has them all after the migration.
func TestFirstSchemaScored(t *testing.T) {
	path := write(t, oldFile(t, "schema1.db.gz"))
	asked := map[string]int{}
	db := openAt(t, path, store.Options{Score: func(table string, snapshot []byte, entries [][]byte) *store.Result {
		asked[table]++
		if string(snapshot) != "t1 as it was" || len(entries) != 5 {
			t.Errorf("%s has the snapshot %q and %d entries", table, snapshot, len(entries))
		}
		return finished("ann", "bob")
	}})
	r, ok, err := db.ResultOf(t.Context(), "t1")
	row, err2 := db.Table(t.Context(), "t1")
	entries, err3 := db.History(t.Context(), "t1", 5, 0)
	s, _, err4 := db.Standing(t.Context(), row.Guild, "ann")
	if err := errors.Join(err, err2, err3, err4, db.Close()); err != nil {
		t.Fatal(err)
	}
	if !ok || r.Number != 1 || !r.Finished.Equal(entries[0].At) || s.Games != 1 || !maps.Equal(asked, map[string]int{"t1": 1}) {
		t.Errorf("result %v %+v, standing %+v, asked about %v", ok, r, s, asked)
	}
	mustBeSound(t, path)
}

// TestScoreRefused: a result that cannot be stored ends the migration, and the file is as it was.
func TestScoreRefused(t *testing.T) {
	old := oldFile(t, "schema2.db.gz")
	path := write(t, old)
	_, err := store.Open(path, store.WithoutSync(store.Options{Score: func(string, []byte, [][]byte) *store.Result { return &store.Result{} }}))
	if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "results of earlier games") {
		t.Errorf("got error %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(old) {
		t.Error("a failed migration changed the file")
	}
}

// TestScoreWhileForgetting: somebody whose forgetting has begun is nobody in the results that are made then.
func TestScoreWhileForgetting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path, store.Options{})
	first := play(1, "t1", "g1", ann, bob)
	first.Result = finished(ann, bob)
	_, err := db.Commit(t.Context(), first)
	_, err2 := db.Commit(t.Context(), play(2, "t2", "g1", ann, bob))
	if err := errors.Join(err, err2, db.Put(t.Context(), "looked/t1", []byte(ann))); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	failing := storetest.Erase()
	failing.Setting = func(string, string, []byte) ([]byte, error) { return nil, boom }
	if _, err := db.Forget(t.Context(), ann, failing); !errors.Is(err, boom) {
		t.Fatalf("got error %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, store.WithMigrations(store.Options{}, store.ScoreEarlier(scored)))
	own, err := db.ResultsByUser(t.Context(), ann, 0, 0)
	_, there, err2 := db.Standing(t.Context(), "g1", ann)
	other, _, err3 := db.Standing(t.Context(), "g1", bob)
	_, err4 := db.ForgetRest(t.Context(), storetest.Erase())
	if err := errors.Join(err, err2, err3, err4, db.Close()); err != nil {
		t.Fatal(err)
	}
	if len(own) > 0 || there || other.Games != 2 || other.Rated != 1 {
		t.Errorf("results %+v, a standing: %v, the other's: %+v", own, there, other)
	}
	mustNotName(t, path, ann)
}

// TestScoreWhileWaited: somebody who was forgotten while two games went on that they had left is nobody in the result of the one, and has
// the other for their own, in which they sit again.
func TestScoreWhileWaited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path, store.Options{})
	steps := func(version uint64, live bool, users ...string) {
		for day, table := range []string{"left", "back"} {
			c := play(day+1, table, "g1", ann, bob)
			c.Expect, c.Live, c.Users = version, live, users
			if table == "left" {
				c.Users = []string{bob}
			}
			c.Entries = c.Entries[:1]
			if _, err := db.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps(0, true, bob)
	if waiting, err := db.Forget(t.Context(), ann, storetest.Erase()); err != nil || len(waiting) != 2 {
		t.Fatalf("%v wait, error %v", waiting, err)
	}
	steps(1, false, ann, bob)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, store.WithMigrations(store.Options{}, store.ScoreEarlier(scored)))
	list, err := db.ResultsByUser(t.Context(), ann, 0, 0)
	own, _, err2 := db.Standing(t.Context(), "g1", ann)
	other, _, err3 := db.Standing(t.Context(), "g1", bob)
	if err := errors.Join(err, err2, err3, db.Close()); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Table != "back" || own.Games != 1 || other.Games != 2 {
		t.Errorf("results %+v, standing %+v, the other's %+v", list, own, other)
	}
}

// TestScoredAsKept: whichever games have no result, working them out later makes the very results and standings that keeping them at once
// would have made, to the byte.
func TestScoredAsKept(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		paths := []string{filepath.Join(dir, fmt.Sprintf("kept%d.db", n)), filepath.Join(dir, fmt.Sprintf("later%d.db", n))}
		kept, later := openAt(t, paths[0], store.Options{}), openAt(t, paths[1], store.Options{})
		games := rapid.IntRange(1, 8).Draw(rt, "games")
		for i := range games {
			users := rapid.Permutation([]string{ann, bob, cid, "dan"}).Draw(rt, "users")[:rapid.IntRange(1, 4).Draw(rt, "seats")]
			table := fmt.Sprintf("t%d", (3*i+1)%8) // not in the order of their ends
			c := play(i, table, rapid.SampledFrom([]string{"g1", "g2", ""}).Draw(rt, "guild"), users...)
			with := c
			with.Result = finished(users...)
			_, err := kept.Commit(t.Context(), with)
			if rapid.Bool().Draw(rt, "kept at once") {
				c = with
			}
			_, err2 := later.Commit(t.Context(), c)
			if err := errors.Join(err, err2); err != nil {
				rt.Fatal(err)
			}
		}
		if err := errors.Join(kept.Close(), later.Close()); err != nil {
			rt.Fatal(err)
		}
		if err := openAt(t, paths[1], store.WithMigrations(store.Options{}, store.ScoreEarlier(scored))).Close(); err != nil {
			rt.Fatal(err)
		}
		for _, bucket := range []string{"results", "results-by-table", "results-by-guild", "results-by-user", "standings", "standings-by-entry", "pools"} {
			if diff := cmp.Diff(records(t, paths[0], bucket), records(t, paths[1], bucket)); diff != "" {
				rt.Fatalf("%s (-kept at once +made later):\n%s", bucket, diff)
			}
		}
		for _, path := range paths {
			_ = os.Remove(path)
		}
	})
}

// TestScoredBeforeForgotten: games that ended before somebody was forgotten count for the others, whose ratings stay what they were.
func TestScoredBeforeForgotten(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprintf("%d.db", n))
		defer os.Remove(path)
		db := openAt(t, path, store.Options{})
		others, played := []string{ann, bob, cid}, map[string]int{}
		last := rapid.IntRange(1, 7).Draw(rt, "games")
		for i := range last + 1 {
			users := rapid.Permutation(append([]string{"dan"}, others...)).Draw(rt, "users")[:rapid.IntRange(2, 4).Draw(rt, "seats")]
			if i == last && !slices.Contains(users, "dan") {
				users[0] = "dan" // with whom it ends that ratings follow from results
			}
			c := play(i, fmt.Sprintf("t%d", (3*i+1)%8), "g1", users...)
			if i == last || rapid.Bool().Draw(rt, "kept at once") {
				c.Result = finished(users...)
			}
			if _, err := db.Commit(t.Context(), c); err != nil {
				rt.Fatal(err)
			}
			for _, u := range users {
				played[u]++
			}
		}
		if _, err := db.Forget(t.Context(), "dan", storetest.Erase()); err != nil {
			rt.Fatal(err)
		}
		standings := func() map[string]store.Standing {
			all := map[string]store.Standing{}
			for _, guild := range []string{"g1", ""} {
				for _, u := range others {
					s, _, err := db.Standing(t.Context(), guild, u)
					if err != nil {
						rt.Fatal(err)
					}
					all[guild+"/"+u] = s
				}
			}
			return all
		}
		before := standings()
		if err := db.Close(); err != nil {
			rt.Fatal(err)
		}
		db = openAt(t, path, store.WithMigrations(store.Options{}, store.ScoreEarlier(scored)))
		for key, s := range standings() {
			_, user, _ := strings.Cut(key, "/")
			if was := before[key]; s.Rating != was.Rating || s.Rated != was.Rated || s.Games != played[user] {
				rt.Errorf("%s has played %d games, had the standing %+v and has %+v", key, played[user], was, s)
			}
		}
		if err := db.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestScoreAfterKill: who was being forgotten when a process was killed, in whose results they still are, has no standing after a migration.
func TestScoreAfterKill(t *testing.T) {
	path := write(t, gamesFile(t, 9))
	db := openAt(t, path, store.Options{})
	c := finish("x", "g1", "bob", "cid")
	c.Result = nil
	_, err := db.Commit(t.Context(), c)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envCrashPath+"="+path, envForget+"=1", envCrashPoint+"=forget/after:1")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	db = openAt(t, path, store.WithMigrations(store.Options{}, store.ScoreEarlier(func(string, []byte, [][]byte) *store.Result {
		return finished("bob", "cid")
	})))
	_, there, err := db.Standing(t.Context(), "g1", "9001")
	list, err2 := db.ResultsByUser(t.Context(), "9001", 0, 0)
	_, found, err3 := db.ResultOf(t.Context(), "x")
	if err := errors.Join(err, err2, err3); err != nil || there || len(list) == 0 || !found {
		t.Errorf("a standing: %v, %d results, the new one: %v, error %v", there, len(list), found, err)
	}
	_, err = db.ForgetRest(t.Context(), storetest.Erase())
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	mustNotName(t, path, "9001")
}
