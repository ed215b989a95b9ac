package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"paladin/store"
	"paladin/store/storetest"
)

// finish is the change that ends a game of these people in the order of their
// places; the first one's name stands everywhere.
func finish(table, guild string, users ...string) store.Change {
	c := commit(table, 0)
	c.Guild, c.Live, c.Users, c.Result = guild, false, users, finished(users...)
	c.Result.Seats = append(c.Result.Seats, store.ResultSeat{Squire: "easy", Rank: len(users) + 1})
	c.Snapshot = fmt.Appendf(nil, "seats: %s", strings.Join(users, " "))
	c.Entries = [][]byte{[]byte("opened"), fmt.Appendf(nil, "%s joined", users[0])}
	c.Deadlines = nil
	return c
}

// gamesFile returns the bytes of a closed database with many finished games of
// somebody with the id 9001 and of bob, cid and dan.
func gamesFile(t testing.TB, games int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games.db")
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	orders := [][]string{{"9001", "bob", "cid"}, {"bob", "dan"}, {"dan", "9001"}, {"cid", "bob", "9001", "dan"}, {"cid", "dan"}}
	var errs []error
	for i := range games {
		guild := []string{"g1", "g2", ""}[i%3]
		_, err := db.Commit(t.Context(), finish(fmt.Sprintf("t%03d", i), guild, orders[i%len(orders)]...))
		errs = append(errs, err)
	}
	for _, user := range []string{"9001", "bob"} {
		errs = append(errs, db.UpdateUser(t.Context(), user, func(u *store.User) { u.Name, u.DMChannel = user, "dm of "+user }))
	}
	errs = append(errs, db.Put(t.Context(), "looked/t001", []byte("9001 and bob")), db.Close())
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// records returns a bucket of a file.
func records(t testing.TB, path, bucket string) map[string]string {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string]string{}
	_ = db.View(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error {
			all[string(k)] = string(v)
			return nil
		})
	})
	return all
}

// forgetIn forgets a user in a file.
func forgetIn(t testing.TB, path, user string) {
	t.Helper()
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := db.Forget(t.Context(), user, storetest.Erase())
	if err := errors.Join(err, db.Close()); err != nil || len(waiting) > 0 {
		t.Fatalf("waiting %v, error %v", waiting, err)
	}
}

// TestForgetLeavesBytes: what is stored of other people's standings and of
// games without the forgotten one is the same to the byte, and nothing in the
// file names them any more.
func TestForgetLeavesBytes(t *testing.T) {
	path := write(t, gamesFile(t, 250))
	standings, results := records(t, path, "standings"), records(t, path, "results")
	forgetIn(t, path, "9001")
	report := mustBeSound(t, path)
	if report.Results != 250 {
		t.Errorf("%d results are left", report.Results)
	}
	maps.DeleteFunc(standings, func(k, _ string) bool { return strings.HasSuffix(k, "\x00u9001") })
	if got := records(t, path, "standings"); !maps.Equal(got, standings) || len(got) != 11 {
		t.Errorf("%d standings of others became %d", len(standings), len(got))
	}
	untouched := 0
	for k, now := range records(t, path, "results") {
		if was := results[k]; !strings.Contains(was, "9001") {
			untouched++
			if now != was {
				t.Errorf("result %x was changed", k)
			}
		}
	}
	if untouched != 100 {
		t.Errorf("%d results were without 9001", untouched)
	}
	for _, bucket := range []string{
		"tables", "live", "seats", "history", "outbox", "surfaces", "users", "settings", "results", "results-by-table", "results-by-guild",
		"results-by-user", "standings", "standings-by-entry", "pools", "forgetting",
	} {
		for k, v := range records(t, path, bucket) {
			if strings.Contains(k, "9001") || strings.Contains(v, "9001") {
				t.Errorf("%s: %q still names 9001: %q", bucket, k, v)
			}
		}
	}
}

// TestForgottenAreNobody: two games of one forgotten person are stored as two
// games of two of them.
func TestForgottenAreNobody(t *testing.T) {
	file := func(first, second string) string {
		path := write(t, gamesFile(t, 7))
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		_, err1 := db.Commit(t.Context(), finish("x1", "g1", first, "bob"))
		_, err2 := db.Commit(t.Context(), finish("x2", "g1", second, "cid"))
		if err := errors.Join(err1, err2, db.Close()); err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{"eve", "fay"} {
			forgetIn(t, path, user)
		}
		mustBeSound(t, path)
		return path
	}
	same, different := file("eve", "eve"), file("eve", "fay")
	for _, bucket := range []string{"results", "tables", "history", "results-by-user", "standings-by-entry", "pools"} {
		if a, b := records(t, same, bucket), records(t, different, bucket); !maps.Equal(a, b) {
			t.Errorf("%s tells whether two forgotten ones were the same:\n%q\n%q", bucket, a, b)
		}
	}
}

// TestStandingsFollow plays at random, with people who are forgotten and come
// back, and demands after each file that Check makes the same standings anew.
func TestStandingsFollow(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprintf("%d.db", n))
		defer os.Remove(path)
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			rt.Fatal(err)
		}
		people := []string{"9001", "bob", "cid", "dan", "eve"}
		for i := range rapid.IntRange(1, 25).Draw(rt, "games") {
			seated := rapid.Permutation(people).Draw(rt, "seats")[:rapid.IntRange(1, 4).Draw(rt, "people")]
			guild := rapid.SampledFrom([]string{"g1", "g2", ""}).Draw(rt, "guild")
			_, err := db.Commit(t.Context(), finish(fmt.Sprintf("t%d", i), guild, seated...))
			if err == nil && rapid.IntRange(0, 5).Draw(rt, "forget") == 0 {
				_, err = db.Forget(t.Context(), rapid.SampledFrom(people).Draw(rt, "whom"), storetest.Erase())
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			rt.Fatal(err)
		}
		report, err := store.Check(path, store.Inspection{})
		if err != nil || len(report.Faults) > 0 {
			rt.Fatalf("error %v, faults %q", err, report.Faults)
		}
	})
}

// TestForgetBegun: a game that ends while its player is being forgotten is
// stored as one of somebody forgotten.
func TestForgetBegun(t *testing.T) {
	boom := errors.New("boom")
	stuck := storetest.Erase()
	stuck.Setting = func(string, string, []byte) ([]byte, error) { return nil, boom }
	path := write(t, gamesFile(t, 20))
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Forget(t.Context(), "9001", stuck); !errors.Is(err, boom) {
		t.Fatalf("got error %v", err)
	}
	if _, err := db.Commit(t.Context(), finish("late", "g1", "9001", "bob")); err != nil {
		t.Fatal(err)
	}
	r, _, err := db.ResultOf(t.Context(), "late")
	if err != nil || !r.Seats[0].Forgotten() || r.Seats[1].User != "bob" {
		t.Errorf("the late result is %+v, %v", r, err)
	}
	if _, ok, err := db.Standing(t.Context(), "g1", "9001"); ok || err != nil {
		t.Errorf("9001 has a standing again (error %v)", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, path)
	if db, err = store.Open(path, store.WithoutSync(store.Options{})); err != nil {
		t.Fatal(err)
	}
	if waiting, err := db.ForgetRest(t.Context(), storetest.Erase()); waiting != 0 || err != nil {
		t.Errorf("%d are waiting, error %v", waiting, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, path)
	for k := range records(t, path, "results-by-user") {
		if strings.HasPrefix(k, "9001") {
			t.Errorf("9001 is still found in result %q", k)
		}
	}
}

// TestForgetMeetsChanges: what changes between being read and being rewritten
// is read again, and keeps its change.
func TestForgetMeetsChanges(t *testing.T) {
	path := write(t, gamesFile(t, 1))
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(t.Context(), "k", []byte("9001")); err != nil {
		t.Fatal(err)
	}
	rewrite := storetest.Erase()
	erase, tables, settings := rewrite, 0, 0
	rewrite.Table = func(user string, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error) {
		if tables++; tables == 1 { // the table gets a successor
			c := finish("t000", "g1", "9001", "bob", "cid")
			c.Expect, c.Interaction, c.Snapshot = 1, "again", append(bytes.Clone(snapshot), " next t1"...)
			if _, err := db.Commit(t.Context(), c); err != nil {
				return nil, nil, err
			}
		}
		return erase.Table(user, snapshot, entries)
	}
	rewrite.Setting = func(user, key string, value []byte) ([]byte, error) {
		if settings++; settings == 1 {
			if err := db.Put(t.Context(), key, append([]byte("new "), value...)); err != nil {
				return nil, err
			}
		}
		return erase.Setting(user, key, value)
	}
	waiting, err := db.Forget(t.Context(), "9001", rewrite)
	if err != nil || len(waiting) > 0 {
		t.Fatalf("waiting %v, error %v", waiting, err)
	}
	row, err := db.Table(t.Context(), "t000")
	value, _, err2 := db.Get(t.Context(), "k")
	entries, err3 := db.History(t.Context(), "t000", 0, 0)
	if err := errors.Join(err, err2, err3, db.Close()); err != nil {
		t.Fatal(err)
	}
	if string(row.Snapshot) != "seats: somebody bob cid next t1" || string(value) != "new somebody" || len(entries) != 4 || tables != 2 {
		t.Errorf("the table is %q with %d entries after %d calls, the setting %q", row.Snapshot, len(entries), tables, value)
	}
	mustBeSound(t, path)
}

// TestForgetMeetsAChangeAmongMany: of more settings than one transaction takes the first one changes while it is rewritten.
func TestForgetMeetsAChangeAmongMany(t *testing.T) {
	db := newOpener(t, store.WithoutSync(store.Options{})).db
	const many = 150
	for n := range many {
		if err := db.Put(t.Context(), fmt.Sprintf("k%03d", n), []byte("9001")); err != nil {
			t.Fatal(err)
		}
	}
	rewrite := storetest.Erase()
	erase, asked := rewrite.Setting, 0
	rewrite.Setting = func(user, key string, value []byte) ([]byte, error) {
		if asked++; asked == 1 {
			if err := db.Put(t.Context(), key, []byte("new 9001")); err != nil {
				return nil, err
			}
		}
		return erase(user, key, value)
	}
	if _, err := db.Forget(t.Context(), "9001", rewrite); err != nil {
		t.Fatal(err)
	}
	for n := range many {
		want := "somebody"
		if n == 0 {
			want = "new somebody"
		}
		if value, _, err := db.Get(t.Context(), fmt.Sprintf("k%03d", n)); err != nil || string(value) != want {
			t.Errorf("setting %d is %q, want %q; error %v", n, value, want, err)
		}
	}
	if asked != many+1 {
		t.Errorf("asked %d times, want %d", asked, many+1)
	}
}

// TestForgetAtOnce: several calls forget the same and different people while
// games end, and nobody is left who should not be.
func TestForgetAtOnce(t *testing.T) {
	path := write(t, gamesFile(t, 30))
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, user := range []string{"9001", "9001", "bob", "cid"} {
		wg.Go(func() {
			if waiting, err := db.Forget(t.Context(), user, storetest.Erase()); err != nil || len(waiting) > 0 {
				t.Errorf("%s: waiting %v, error %v", user, waiting, err)
			}
		})
	}
	wg.Go(func() {
		for i := range 20 {
			if _, err := db.Commit(t.Context(), finish(fmt.Sprintf("x%d", i), "g1", "dan", "eve")); err != nil {
				t.Errorf("game %d: %v", i, err)
			}
		}
	})
	wg.Wait()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"9001", "bob", "cid"} {
		if at := bytes.Index(raw, []byte(user)); at >= 0 {
			t.Errorf("%s stands in the file: %q", user, raw[max(0, at-40):at+40])
		}
	}
	waiting, err := db.ForgetRest(t.Context(), storetest.Erase())
	list, total, err2 := db.Standings(t.Context(), "g1", store.StandingsQuery{Order: store.ByGames})
	if err := errors.Join(err, err2, db.Close()); err != nil {
		t.Fatal(err)
	}
	if waiting != 0 || total != 2 || list[0].User != "dan" || list[1].User != "eve" {
		t.Errorf("%d wait, standings %+v", waiting, list)
	}
	mustBeSound(t, path)
	if left := records(t, path, "forgetting"); len(left) > 0 {
		t.Errorf("still to be forgotten: %q", left)
	}
}

// TestForgetOneByOne: while somebody is being forgotten nobody else is, and who gives up waiting for it has changed nothing.
func TestForgetOneByOne(t *testing.T) {
	path := write(t, gamesFile(t, 10))
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	rewrite := storetest.Erase()
	erase, asked := rewrite.Setting, 0
	rewrite.Setting = func(user, key string, value []byte) ([]byte, error) {
		asked++
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := db.Forget(ctx, "bob", storetest.Erase()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("somebody else was forgotten meanwhile: error %v", err)
		}
		if u, err := db.User(t.Context(), "bob"); err != nil || u.Name != "bob" {
			t.Errorf("somebody else is %+v, error %v", u, err)
		}
		return erase(user, key, value)
	}
	if _, err := db.Forget(t.Context(), "9001", rewrite); err != nil || asked != 1 {
		t.Errorf("error %v after %d settings", err, asked)
	}
	if _, err := db.Forget(t.Context(), "bob", storetest.Erase()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, path)
}

// endsAfter is a context that ends when it has been asked so often.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestForgetRestCutShort: whenever its time is over, ForgetRest says so, or everybody is forgotten.
func TestForgetRestCutShort(t *testing.T) {
	boom := errors.New("boom")
	failing := storetest.Erase()
	failing.Setting = func(string, string, []byte) ([]byte, error) { return nil, boom }
	start := write(t, gamesFile(t, 3))
	db, err := store.Open(start, store.WithoutSync(store.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"9001", "bob"} {
		if _, err := db.Forget(t.Context(), user, failing); !errors.Is(err, boom) {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(start)
	if err != nil {
		t.Fatal(err)
	}
	for asked := int64(0); ; asked++ {
		path := write(t, begun)
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(asked)
		_, err = db.ForgetRest(ctx, storetest.Erase())
		if closed := db.Close(); closed != nil {
			t.Fatal(closed)
		}
		if left := records(t, path, "forgetting"); err == nil && len(left) > 0 {
			t.Errorf("its time ended after %d looks: %d people are left, and no error says so", asked, len(left))
		}
		if ctx.left.Load() >= 0 {
			break
		}
	}
}

// envForget makes the test binary forget 9001 in the file of envCrashPath.
const envForget = "STORE_TEST_FORGET"

// forgetChild forgets 9001 and is killed at the point.
func forgetChild(path, point string) {
	db, err := store.Open(path, store.Options{Failpoint: killAt(point)})
	if err == nil {
		_, err = db.Forget(context.Background(), "9001", storetest.Erase())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// TestKillForget kills a process at every step of forgetting somebody. What is
// left is sound, and ForgetRest makes of it what it would have become.
func TestKillForget(t *testing.T) {
	start := gamesFile(t, 130)
	done := write(t, start)
	forgetIn(t, done, "9001")
	buckets := []string{"tables", "history", "outbox", "users", "settings", "results", "results-by-user", "standings", "pools", "forgetting"}
	killed := 0
	for n := 1; ; n++ {
		path := write(t, start)
		// Of the many tables that are rewritten one after the other a few are enough.
		step := n
		if n > 6 {
			step = 6 + (n-6)*25
		}
		point := []string{"before", "written", "after"}[n%3]
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envCrashPath+"="+path, envForget+"=1", envCrashPoint+"="+fmt.Sprintf("forget/%s:%d", point, step))
		out, err := cmd.CombinedOutput()
		exit := (*exec.ExitError)(nil)
		if err == nil {
			break // it has fewer steps
		}
		if !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("step %d: %v: %s", step, err, out)
		}
		killed++
		mustBeSound(t, path)
		db, err := store.Open(path, store.WithoutSync(store.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		// Killed before the first step had reached the disk it never began.
		waiting, err := db.ForgetRest(t.Context(), storetest.Erase())
		if err == nil && step == 1 {
			_, err = db.Forget(t.Context(), "9001", storetest.Erase())
		}
		if err := errors.Join(err, db.Close()); err != nil || waiting != 0 {
			t.Fatalf("step %d: waiting %d, error %v", step, waiting, err)
		}
		mustBeSound(t, path)
		for _, bucket := range buckets {
			if !maps.Equal(records(t, path, bucket), records(t, done, bucket)) {
				t.Errorf("killed %s step %d: %s is not what it would have become", point, step, bucket)
			}
		}
	}
	if killed < 6 {
		t.Errorf("only %d processes were killed", killed)
	}
}

// TestCheckFindsResults spoils one record at a time of what results and
// standings are made of.
func TestCheckFindsResults(t *testing.T) {
	good := gamesFile(t, 20)
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
	copied := func(bucket, from, to string) func(tx *bolt.Tx) error {
		return func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			return b.Put([]byte(to), bytes.Clone(b.Get([]byte(from))))
		}
	}
	number := func(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }
	tests := []struct {
		name  string
		spoil func(tx *bolt.Tx) error
		want  string
	}{
		{"unreadable result", put("results", number(3), "\x01nonsense"), "result"},
		{"result with another key", put("results", "x", ""), `result "x"`},
		{"lost result", remove("results", number(3)), "result 3, which does not exist"},
		{"result of the future", copied("results", number(3), number(99)), "impossible number"},
		{"result of a ghost", remove("tables", "t002"), `belongs to table "t002", which does not exist`},
		{"lost table", remove("results-by-table", "t002"), `result 3 is not found by its table "t002"`},
		{"table of another", put("results-by-table", "t002", number(4)), `from table "t002" to that of table "t003"`},
		{"unreadable table", put("results-by-table", "t002", "4"), "the index of results"},
		{"lost server", remove("results-by-guild", "g1\x00"+number(1)), `result 1 is not found by its server "g1"`},
		{"server of another", put("results-by-guild", "g1\x00"+number(2), ""), `from server "g1" to one of server "g2"`},
		{"unreadable server", put("results-by-guild", "g1", ""), "results by server"},
		{"lost user", remove("results-by-user", "9001\x00"+number(1)), `result 1 is not found by its user "9001"`},
		{"user who was not there", put("results-by-user", "9001\x00"+number(2), ""), "in which they held no seat"},
		{"unreadable user", put("results-by-user", "9001", ""), "results by user"},
		{"unreadable standing", put("standings", "g1\x00u9001", "\x01"), `standing "g1\x00u9001"`},
		{"standing of nothing", put("standings", "g1\x00xann", "\x01"), `standing "g1\x00xann"`},
		{"lost standing", remove("standings", "g1\x00u9001"), "follows from the results and is missing"},
		{"wrong standing", copied("standings", "g1\x00u9001", "g1\x00ubob"), "is not what follows from the results"},
		{"wrong squire", copied("standings", "g1\x00seasy", "g2\x00seasy"), "is not what follows from the results"},
		{"standing without a game", copied("standings", "g1\x00u9001", "g1\x00ueve"), "does not follow from any result"},
		{"standing that is not found", remove("standings-by-entry", "u9001\x00g1"), "is not found by whose it is"},
		{"index of no standing", put("standings-by-entry", "ueve\x00g1", ""), "to one that does not exist"},
		{"unreadable index", put("standings-by-entry", "eve", ""), "the index of standings"},
		{"pool of the future", put("pools", "g1\x00", "\x01\x63"), "is given up to result 99 of 20"},
		{"unreadable pool", put("pools", "g1\x00", "x"), `pool "g1\x00"`},
		{"pool without an end", put("pools", "g1", "\x01\x01"), `pool "g1"`},
		{"unreadable mark", put("forgetting", "9001", "x"), `forgotten of user "9001"`},
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
			if !slices.ContainsFunc(report.Faults, func(f string) bool { return strings.Contains(f, test.want) }) {
				t.Errorf("no fault says %q:\n%s", test.want, strings.Join(report.Faults, "\n"))
			}
		})
	}
}

// TestCheckFindsRating: a rating that is off by little is not what follows, and
// one that another machine rounded is.
func TestCheckFindsRating(t *testing.T) {
	good := gamesFile(t, 20)
	for bit, want := range map[uint]bool{0: true, 45: false} {
		path := write(t, good)
		db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte("standings"))
			record := bytes.Clone(b.Get([]byte("g1\x00u9001")))
			at := len(record) - 1 - 16 - 1 - 1 - 8 // before the base and the number of rated games: sigma
			binary.BigEndian.PutUint64(record[at:], binary.BigEndian.Uint64(record[at:])^1<<bit)
			return b.Put([]byte("g1\x00u9001"), record)
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		report, err := store.Check(path, store.Inspection{})
		if err != nil || (len(report.Faults) == 0) != want {
			t.Errorf("bit %d: error %v, faults %q", bit, err, report.Faults)
		}
	}
}
