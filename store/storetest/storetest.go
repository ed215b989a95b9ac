// Package storetest is what every store.Store has to pass, and a store in
// memory that passes it and can be told to fail at any call.
package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"paladin/store"
)

// TB is the part of testing.TB that is needed here; *rapid.T has it too.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Open makes an empty store for one test and closes it when the test ends.
// reopen closes the present one and returns a store on the same data, as the
// next process would find it.
type Open func(t *testing.T) (s store.Store, reopen func() store.Store)

// Run runs the contract.
func Run(t *testing.T, open Open) {
	tests := []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"commit and read", testCommit},
		{"empty values", testEmpty},
		{"conflict", testConflict},
		{"repeated interaction", testRepeated},
		{"channel taken", testChannelTaken},
		{"a refused change leaves nothing", testRefusedLeavesNothing},
		{"indexes follow the table", testIndexes},
		{"live tables", testLiveTables},
		{"ended tables", testEndedTables},
		{"drop", testDrop},
		{"drop keeps games", testDropKeepsGames},
		{"history", testHistory},
		{"intents coalesce", testIntents},
		{"generations go on after reopening", testGenerations},
		{"settle by generation", testSettle},
		{"surfaces", testSurfaces},
		{"deadlines", testDeadlines},
		{"users", testUsers},
		{"settlement updates users", testSettleUsers},
		{"settings", testSettings},
		{"prune", testPrune},
		{"invalid arguments", testInvalid},
		{"invalid results", testInvalidResults},
		{"context", testContext},
		{"close", testClose},
		{"reopen", testReopen},
		{"bytes belong to the caller", testOwnership},
		{"a panicking update", testPanickingUpdate},
		{"backup", testBackup},
		{"two tables in one change", testTogether},
		{"results", testResults},
		{"a table has one result", testOneResult},
		{"standings", testStandings},
		{"ratings", testRatings},
		{"order of standings", testStandingOrders},
		{"many standings", testManyStandings},
		{"forget", testForget},
		{"forget leaves others alone", testForgetOthers},
		{"forget is refused to the seated", testForgetSeated},
		{"forget waits for live tables", testForgetWaits},
		{"forget and come back", testForgetReturn},
		{"forget and be waited for", testForgetWaitsForResult},
		{"forget and take the seat again", testForgetSparesReturn},
		{"forget the rest but for one", testForgetRestGoesOn},
		{"forget much", testForgetMuch},
		{"forget with a bad rewrite", testForgetRefused},
		{"export", testExport},
		{"no update is lost", testLostUpdate},
		{"one winner", testOneWinner},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, reopen := open(t)
			test.run(t, &fixture{t: t, s: s, reopen: reopen})
		})
	}
}

// Epoch is the time at which the tests begin.
func Epoch() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 678, time.UTC) }

// fixture is a store with helpers that end the test on an unexpected error.
type fixture struct {
	t      *testing.T
	s      store.Store
	reopen func() store.Store
}

func (f *fixture) ctx() context.Context { return f.t.Context() }

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatalf("unexpected error: %v", err)
	}
}

func (f *fixture) is(err, want error) {
	f.t.Helper()
	if !errors.Is(err, want) {
		f.t.Fatalf("got error %v, want %v", err, want)
	}
}

func (f *fixture) same(got, want any) {
	f.t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		f.t.Fatalf("-want +got:\n%s", diff)
	}
}

func (f *fixture) commit(c store.Change) store.Committed {
	f.t.Helper()
	done, err := f.s.Commit(f.ctx(), c)
	f.ok(err)
	return done
}

func (f *fixture) table(id string) store.Row {
	f.t.Helper()
	row, err := f.s.Table(f.ctx(), id)
	f.ok(err)
	return row
}

func (f *fixture) pending() []store.Intent {
	f.t.Helper()
	intents, err := f.s.Pending(f.ctx())
	f.ok(err)
	return intents
}

// change is a live table in the middle of a game.
func change(table string, expect uint64) store.Change {
	return store.Change{
		Table: table, Expect: expect, Snapshot: fmt.Appendf(nil, "%s after %d", table, expect),
		Live: true, Channel: "channel of " + table, Guild: "guild", Users: []string{"ann", "bob"},
		At: Epoch().Add(time.Duration(expect) * time.Minute),
	}
}

func testCommit(t *testing.T, f *fixture) {
	_, err := f.s.Table(f.ctx(), "t1")
	f.is(err, store.ErrNotFound)
	c := change("t1", 0)
	// A time is a moment, whatever the zone it is told in.
	c.At = c.At.In(time.FixedZone("elsewhere", 3*3600))
	c.Deadlines = []store.Deadline{{Kind: "turn", Prompt: 7, At: Epoch().Add(time.Hour)}}
	c.Entries = [][]byte{[]byte("deal")}
	f.same(f.commit(c), store.Committed{Version: 1})
	want := store.Row{
		ID: "t1", Version: 1, Snapshot: c.Snapshot, Live: true, Channel: c.Channel, Guild: "guild",
		Users: []string{"ann", "bob"}, Entries: 1, Created: Epoch(), Touched: Epoch(),
		Deadlines: []store.Deadline{{Table: "t1", Kind: "turn", Prompt: 7, At: Epoch().Add(time.Hour)}},
	}
	f.same(f.table("t1"), want)
	f.same(f.commit(change("t1", 1)), store.Committed{Version: 2})
	want.Version, want.Snapshot, want.Touched, want.Deadlines = 2, []byte("t1 after 1"), Epoch().Add(time.Minute), nil
	f.same(f.table("t1"), want)
}

func testEmpty(t *testing.T, f *fixture) {
	f.same(f.commit(store.Change{Table: "t", Snapshot: []byte{}, Entries: [][]byte{nil, {}}}), store.Committed{Version: 1})
	row := f.table("t")
	if row.Snapshot != nil || row.Users != nil || row.Deadlines != nil || !row.Created.IsZero() {
		t.Fatalf("what was empty came back as %+v", row)
	}
	entries, err := f.s.History(f.ctx(), "t", 0, 0)
	f.ok(err)
	f.same(entries, []store.Entry{{Seq: 1}, {Seq: 2}})
}

func testConflict(t *testing.T, f *fixture) {
	_, err := f.s.Commit(f.ctx(), change("t1", 1))
	f.is(err, store.ErrConflict) // there is no such table
	f.commit(change("t1", 0))
	for _, expect := range []uint64{0, 2, 1 << 63} {
		_, err = f.s.Commit(f.ctx(), change("t1", expect))
		f.is(err, store.ErrConflict)
	}
	f.commit(change("t1", 1))
	_, err = f.s.Commit(f.ctx(), change("t1", 1))
	f.is(err, store.ErrConflict)
}

func testRepeated(t *testing.T, f *fixture) {
	c := change("t1", 0)
	c.Interaction = "press"
	f.commit(c)
	// The version has moved on; that it is a repeat is what matters.
	_, err := f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrRepeated)
	c.Expect = 1
	_, err = f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrRepeated)
	other := change("t2", 0)
	other.Interaction = "press"
	_, err = f.s.Commit(f.ctx(), other)
	f.is(err, store.ErrRepeated)
	table, ok, err := f.s.Repeated(f.ctx(), "press")
	f.ok(err)
	f.same([]any{table, ok}, []any{"t1", true})
	table, ok, err = f.s.Repeated(f.ctx(), "another press")
	f.ok(err)
	f.same([]any{table, ok}, []any{"", false})
	// No interaction repeats nothing.
	f.commit(change("t1", 1))
	f.commit(change("t1", 2))
}

func testChannelTaken(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	c := change("t2", 0)
	c.Channel = "channel of t1"
	_, err := f.s.Commit(f.ctx(), c)
	var taken *store.ChannelTakenError
	if !errors.As(err, &taken) || taken.Table != "t1" || taken.Channel != c.Channel {
		t.Fatalf("got error %v, want that t1 holds the channel", err)
	}
	c.Live = false // a table that does not play holds no channel
	f.commit(c)
	ended := change("t1", 1)
	ended.Live = false
	f.commit(ended)
	c.Live, c.Expect = true, 1
	f.commit(c)
	id, ok, err := f.s.TableByChannel(f.ctx(), c.Channel)
	f.ok(err)
	f.same([]any{id, ok}, []any{"t2", true})
	// Tables without a channel are not in each other's way.
	for _, table := range []string{"t3", "t4"} {
		c := change(table, 0)
		c.Channel = ""
		f.commit(c)
	}
}

func testRefusedLeavesNothing(t *testing.T, f *fixture) {
	c := change("t1", 0)
	c.Interaction = "first"
	f.commit(c)
	all := change("t2", 0)
	all.Channel = "channel of t1"
	all.Interaction = "second"
	all.Entries = [][]byte{[]byte("entry")}
	all.Intents = []store.Intent{{Key: "board"}}
	all.Deadlines = []store.Deadline{{Kind: "turn", At: Epoch()}}
	var taken *store.ChannelTakenError
	if _, err := f.s.Commit(f.ctx(), all); !errors.As(err, &taken) {
		t.Fatalf("got error %v, want that the channel is taken", err)
	}
	all.Channel, all.Expect = "free", 3
	_, err := f.s.Commit(f.ctx(), all)
	f.is(err, store.ErrConflict)
	_, err = f.s.Table(f.ctx(), "t2")
	f.is(err, store.ErrNotFound)
	_, ok, err := f.s.Repeated(f.ctx(), "second")
	f.ok(err)
	due, err := f.s.Due(f.ctx(), Epoch(), 0)
	f.ok(err)
	if ok || len(due) > 0 || len(f.pending()) > 0 {
		t.Fatalf("a refused change left something: interaction %v, deadlines %v, intents %v", ok, due, f.pending())
	}
	_, free, err := f.s.TableByChannel(f.ctx(), "free")
	f.ok(err)
	f.same(free, false)
}

func testTogether(t *testing.T, f *fixture) {
	old := change("old", 0)
	old.Live = false
	f.commit(old)
	old.Expect, old.Snapshot, old.Entries = 1, []byte("leads on"), [][]byte{[]byte("entry")}
	old.Intents = []store.Intent{{Key: "board"}}
	c := change("fresh", 0)
	c.Interaction, c.Intents, c.With = "press", []store.Intent{{Key: "board"}, {Key: "invite"}}, &old
	untouched := func() {
		t.Helper()
		_, err := f.s.Table(f.ctx(), "fresh")
		f.is(err, store.ErrNotFound)
		_, repeated, err := f.s.Repeated(f.ctx(), "press")
		f.ok(err)
		if row := f.table("old"); row.Version != 1 || row.Entries != 0 || repeated || len(f.pending()) > 0 {
			t.Fatalf("a refused change left %+v, %v, %v", row, repeated, f.pending())
		}
	}
	// What is wrong with one of them is wrong with both.
	old.Expect = 2
	_, err := f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrConflict)
	untouched()
	old.Expect, c.Expect = 1, 1
	_, err = f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrConflict)
	untouched()
	c.Expect = 0
	for _, wrong := range []func(*store.Change){
		func(with *store.Change) { with.Table = "fresh" },
		func(with *store.Change) { with.Table = "" },
		func(with *store.Change) { with.Live = true },
		func(with *store.Change) { with.Interaction = "another" },
		func(with *store.Change) { with.Result = &store.Result{} },
		func(with *store.Change) { with.With = &store.Change{Table: "third"} },
		func(with *store.Change) { with.Entries = [][]byte{make([]byte, store.MaxValue+1)} },
	} {
		with, odd := old, c
		wrong(&with)
		odd.With = &with
		_, err := f.s.Commit(f.ctx(), odd)
		f.is(err, store.ErrInvalid)
		untouched()
	}
	done := f.commit(c)
	if done.Version != 1 || len(done.Intents) != 2 || done.With == nil || done.With.Version != 2 || len(done.With.Intents) != 1 ||
		done.With.Intents[0].Table != "old" {
		t.Fatalf("two changes made %+v and %+v", done, done.With)
	}
	f.same(f.pending(), append(slices.Clone(done.Intents), done.With.Intents...))
	row := f.table("old")
	f.same([]any{row.Version, string(row.Snapshot), row.Entries, f.table("fresh").Version}, []any{uint64(2), "leads on", 1, uint64(1)})
	_, err = f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrRepeated)
}

func testIndexes(t *testing.T, f *fixture) {
	find := func(user, guild, channel string) []any {
		t.Helper()
		byUser, err := f.s.TablesByUser(f.ctx(), user)
		f.ok(err)
		byGuild, err := f.s.TablesByGuild(f.ctx(), guild)
		f.ok(err)
		byChannel, _, err := f.s.TableByChannel(f.ctx(), channel)
		f.ok(err)
		return []any{byUser, byGuild, byChannel}
	}
	none := []string(nil)
	f.commit(change("t2", 0))
	f.commit(change("t1", 0))
	f.same(find("ann", "guild", "channel of t1"), []any{[]string{"t1", "t2"}, []string{"t1", "t2"}, "t1"})
	// Names that begin alike are different names.
	f.same(find("an", "guil", "channel of t"), []any{none, none, ""})
	f.same(find("", "", ""), []any{none, none, ""})
	f.same(find("ann\x00t1", "guild\x00", "\x00"), []any{none, none, ""})
	moved := change("t1", 1)
	moved.Users, moved.Guild, moved.Channel = []string{"bob", "cid", "cid"}, "elsewhere", "thread"
	f.commit(moved)
	f.same(find("ann", "guild", "channel of t1"), []any{[]string{"t2"}, []string{"t2"}, ""})
	f.same(find("cid", "elsewhere", "thread"), []any{[]string{"t1"}, []string{"t1"}, "t1"})
	moved.Expect, moved.Live = 2, false
	f.commit(moved)
	f.same(find("cid", "elsewhere", "thread"), []any{none, none, ""})
	f.same(find("bob", "guild", "channel of t2"), []any{[]string{"t2"}, []string{"t2"}, "t2"})
	moved.Expect, moved.Live = 3, true
	f.commit(moved)
	f.same(find("cid", "elsewhere", "thread"), []any{[]string{"t1"}, []string{"t1"}, "t1"})
}

func testLiveTables(t *testing.T, f *fixture) {
	// More than a store reads at once.
	const n = 1100
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c := change(fmt.Sprintf("t%04d", i), 0)
			c.Live = i%2 == 0
			if _, err := f.s.Commit(f.ctx(), c); err != nil {
				t.Errorf("commit %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	next := 0
	f.ok(f.s.LiveTables(f.ctx(), func(id string) error {
		if want := fmt.Sprintf("t%04d", next); id != want {
			t.Fatalf("got table %s, want %s", id, want)
		}
		next += 2
		if next%200 != 0 {
			return nil
		}
		// The store may be used meanwhile.
		return f.s.Put(f.ctx(), "walk", []byte(id))
	}))
	f.same(next, n)
	stop := errors.New("enough")
	f.is(f.s.LiveTables(f.ctx(), func(string) error { return stop }), stop)
}

func testEndedTables(t *testing.T, f *fixture) {
	for i := range 7 {
		c := change(fmt.Sprintf("t%d", i), 0)
		c.Live = i%3 == 0
		f.commit(c)
	}
	ended := func(after string, limit int) []string {
		t.Helper()
		ids, err := f.s.EndedTables(f.ctx(), after, limit)
		f.ok(err)
		return ids
	}
	f.same(ended("", 3), []string{"t1", "t2", "t4"})
	f.same(ended("t4", 3), []string{"t5"})
	f.same(ended("t3", 1), []string{"t4"})
	f.same(len(ended("t5", 3)), 0)
}

func testDrop(t *testing.T, f *fixture) {
	const person = "1575843633561600001" // found by what is stored of them
	f.is(f.s.Drop(f.ctx(), "t1", 1), store.ErrNotFound)
	c := change("t1", 0)
	c.Entries = [][]byte{[]byte("one of " + person), []byte("two")}
	c.Interaction = "press"
	c.Deadlines = []store.Deadline{{Kind: "idle", At: Epoch().Add(time.Hour)}}
	c.Users = []string{person}
	f.commit(c)
	f.is(f.s.Drop(f.ctx(), "t1", 1), store.ErrConflict) // live
	ended := change("t1", 1)
	ended.Live, ended.Users = false, []string{person}
	ended.Deadlines = []store.Deadline{{Kind: "drop", At: Epoch().Add(2 * time.Hour)}}
	ended.Intents = []store.Intent{{Key: "board", Channel: "channel of t1"}}
	done := f.commit(ended)
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Put: []store.Surface{
		{Name: "board", Channel: "channel of t1", Message: "m1"}, {Name: "invite", Channel: "channel of t1"},
	}}))
	beside := change("t1x", 0) // its records stand next to those of t1
	beside.Live, beside.Entries = false, [][]byte{[]byte("of another table")}
	f.commit(beside)
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1x", Put: []store.Surface{{Name: "board", Message: "m2"}}}))
	f.is(f.s.Drop(f.ctx(), "t1", 2), store.ErrConflict) // something is still to be said
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Key: "board", Generation: done.Intents[0].Generation}))
	f.is(f.s.Drop(f.ctx(), "t1", 1), store.ErrConflict)
	f.ok(f.s.Drop(f.ctx(), "t1", 2))
	f.is(f.s.Drop(f.ctx(), "t1", 2), store.ErrNotFound)

	gone := func() {
		t.Helper()
		_, err := f.s.Table(f.ctx(), "t1")
		f.is(err, store.ErrNotFound)
		_, err = f.s.History(f.ctx(), "t1", 1, 0)
		f.is(err, store.ErrNotFound)
		list, err := f.s.Surfaces(f.ctx(), "t1")
		f.ok(err)
		f.same(len(list), 0)
		_, ok, err := f.s.SurfaceByMessage(f.ctx(), "m1")
		f.ok(err)
		f.same(ok, false)
		due, err := f.s.Due(f.ctx(), Epoch().Add(24*time.Hour), 0)
		f.ok(err)
		f.same(len(due), 0)
		// A press that comes again is known, and what stands beside it is as it was.
		table, ok, err := f.s.Repeated(f.ctx(), "press")
		f.ok(err)
		f.same([]any{table, ok}, []any{"t1", true})
		entries, err := f.s.History(f.ctx(), "t1x", 1, 0)
		f.ok(err)
		f.same(len(entries), 1)
		if _, ok, err = f.s.SurfaceByMessage(f.ctx(), "m2"); err != nil || !ok {
			t.Errorf("the board of another table is gone: %v", err)
		}
		text, err := f.s.Export(f.ctx(), person, quoteSetting)
		f.ok(err)
		if bytes.Contains(text, []byte("one of")) {
			t.Errorf("a dropped table is exported: %s", text)
		}
	}
	gone()
	f.s = f.reopen()
	gone()
	waiting, err := f.s.Forget(f.ctx(), person, Erase())
	f.ok(err)
	f.same(len(waiting), 0)
	f.commit(change("t1", 0)) // the id is free again
}

// testDropKeepsGames: a game that came to its end is kept for good.
func testDropKeepsGames(t *testing.T, f *fixture) {
	won := change("t1", 0)
	won.Live, won.Result = false, game("ann", 2, "bob", 1)
	f.commit(won)
	f.is(f.s.Drop(f.ctx(), "t1", 1), store.ErrConflict)
}

func testHistory(t *testing.T, f *fixture) {
	_, err := f.s.History(f.ctx(), "t1", 1, 0)
	f.is(err, store.ErrNotFound)
	var all []store.Entry
	for v := range uint64(5) {
		c := change("t1", v)
		for range v {
			data := fmt.Appendf(nil, "entry %d", len(all)+1)
			c.Entries = append(c.Entries, data)
			all = append(all, store.Entry{Seq: len(all) + 1, At: c.At, Data: data})
		}
		f.commit(c)
	}
	other := change("t1x", 0) // its entries stand next to those of t1
	other.Entries = [][]byte{[]byte("of another table")}
	f.commit(other)
	f.same(f.table("t1").Entries, len(all))
	for _, test := range []struct {
		from, limit int
		want        []store.Entry
	}{
		{0, 0, all}, {1, 0, all}, {-3, 0, all}, {4, 0, all[3:]}, {4, 2, all[3:5]}, {10, 5, all[9:]},
		{11, 0, nil}, {1, 3, all[:3]}, {1, 100, all},
	} {
		got, err := f.s.History(f.ctx(), "t1", test.from, test.limit)
		f.ok(err)
		f.same(got, test.want)
	}
}

func testIntents(t *testing.T, f *fixture) {
	later := Epoch().Add(time.Minute)
	c := change("t1", 0)
	c.Intents = []store.Intent{
		{Key: "board", Channel: "lane", Payload: []byte("one")},
		{Key: "dm/0", NotBefore: later, Generation: 99, Table: "ignored"},
	}
	first := f.commit(c).Intents
	f.same(first, []store.Intent{
		{Table: "t1", Key: "board", Generation: first[0].Generation, Channel: "lane", Payload: []byte("one")},
		{Table: "t1", Key: "dm/0", Generation: first[1].Generation, NotBefore: later},
	})
	if first[0].Generation == 0 || first[0].Generation >= first[1].Generation {
		t.Fatalf("generations %d and %d do not rise from 1", first[0].Generation, first[1].Generation)
	}
	f.same(f.pending(), first)
	// Ten refreshes are one row with the newest generation.
	var last store.Intent
	for v := range uint64(10) {
		c := change("t1", v+1)
		c.Intents = []store.Intent{{Key: "board", Payload: fmt.Appendf(nil, "refresh %d", v)}}
		next := f.commit(c).Intents[0]
		if next.Generation <= last.Generation || next.Generation <= first[1].Generation {
			t.Fatalf("generation %d after %d", next.Generation, last.Generation)
		}
		last = next
	}
	f.same(f.pending(), []store.Intent{first[1], last})
	// The same key of another table is another intent.
	other := change("t2", 0)
	other.Intents = []store.Intent{{Key: "board"}}
	of2 := f.commit(other).Intents[0]
	f.same(f.pending(), []store.Intent{first[1], last, of2})
	drop := change("t1", 11)
	drop.DropIntents = []string{"dm/0", "board", "unknown"}
	drop.Intents = []store.Intent{{Key: "board", Payload: []byte("anew")}}
	anew := f.commit(drop).Intents[0]
	f.same(f.pending(), []store.Intent{of2, anew})
	added, err := f.s.Enqueue(f.ctx(), "t2", []store.Intent{{Key: "board", Payload: []byte("x")}, {Key: "say/1"}, {Key: "say/1"}})
	f.ok(err)
	f.same(len(added), 3)
	f.same(f.pending(), []store.Intent{anew, added[0], added[2]})
	f.same(f.table("t2").Version, uint64(1))
	_, err = f.s.Enqueue(f.ctx(), "t3", []store.Intent{{Key: "board"}})
	f.is(err, store.ErrNotFound)
}

func testGenerations(t *testing.T, f *fixture) {
	c := change("t1", 0)
	c.Intents = []store.Intent{{Key: "board"}, {Key: "dm/0"}}
	before := f.commit(c).Intents
	for _, in := range before {
		f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Key: in.Key, Generation: in.Generation}))
	}
	f.s = f.reopen()
	c = change("t1", 1)
	c.Intents = []store.Intent{{Key: "board"}}
	if after := f.commit(c).Intents[0]; after.Generation <= before[1].Generation {
		t.Fatalf("generation %d after %d: a late settlement could remove the wrong intent", after.Generation, before[1].Generation)
	}
}

func testSettle(t *testing.T, f *fixture) {
	f.is(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Key: "board"}), store.ErrNotFound)
	c := change("t1", 0)
	c.Intents = []store.Intent{{Key: "board", Payload: []byte("old")}}
	old := f.commit(c).Intents[0]
	c = change("t1", 1)
	c.Intents = []store.Intent{{Key: "board", Payload: []byte("new")}}
	fresh := f.commit(c).Intents[0]
	// The old one was sent. The new one is still to be sent, and what the old
	// one posted is known.
	board := store.Surface{Name: "board", Channel: "c", Message: "m1", Posted: Epoch(), Prompt: 3, Data: []byte("hash")}
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Key: "board", Generation: old.Generation, Put: []store.Surface{board}}))
	f.same(f.pending(), []store.Intent{fresh})
	board.Table = "t1"
	got, ok, err := f.s.Surface(f.ctx(), "t1", "board")
	f.ok(err)
	f.same([]any{got, ok}, []any{board, true})
	done := store.Settlement{Table: "t1", Key: "board", Generation: fresh.Generation}
	f.ok(f.s.Settle(f.ctx(), done))
	f.same(f.pending(), []store.Intent(nil))
	f.ok(f.s.Settle(f.ctx(), done)) // again: harmless
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t1", Key: "never queued", Generation: 1}))
	f.same(f.table("t1").Version, uint64(2))
}

func testSurfaces(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	f.commit(change("t2", 0))
	put := func(table string, list ...store.Surface) {
		t.Helper()
		f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: table, Put: list}))
	}
	names := func(table string) (names []string) {
		t.Helper()
		list, err := f.s.Surfaces(f.ctx(), table)
		f.ok(err)
		for _, sf := range list {
			names = append(names, sf.Name+"="+sf.Message)
		}
		return names
	}
	by := func(message string) string {
		t.Helper()
		sf, ok, err := f.s.SurfaceByMessage(f.ctx(), message)
		f.ok(err)
		if !ok {
			return ""
		}
		return sf.Table + "/" + sf.Name
	}
	put("t1", store.Surface{Name: "dm/1", Message: "m2"}, store.Surface{Name: "board", Message: "m1"}, store.Surface{Name: "dm/2"})
	f.same(names("t1"), []string{"board=m1", "dm/1=m2", "dm/2="})
	f.same([]string{by("m1"), by("m2"), by("m"), by("")}, []string{"t1/board", "t1/dm/1", "", ""})
	// A new message of a surface: the old message shows nothing any more.
	put("t1", store.Surface{Name: "board", Message: "m3", Table: "ignored"})
	f.same([]string{by("m1"), by("m3")}, []string{"", "t1/board"})
	// A message changes its role, within the table and across tables.
	put("t1", store.Surface{Name: "result", Message: "m3"})
	f.same(names("t1"), []string{"dm/1=m2", "dm/2=", "result=m3"})
	put("t2", store.Surface{Name: "board", Message: "m3"})
	f.same(names("t1"), []string{"dm/1=m2", "dm/2="})
	f.same(by("m3"), "t2/board")
	// Forgotten first, then put.
	f.ok(f.s.Settle(f.ctx(), store.Settlement{
		Table: "t1", Forget: []string{"dm/1", "dm/2", "unknown"}, Put: []store.Surface{{Name: "dm/2", Message: "m2"}},
	}))
	f.same(names("t1"), []string{"dm/2=m2"})
	f.same(by("m2"), "t1/dm/2")
	// Twice in one settlement: the last one counts.
	put("t1", store.Surface{Name: "a", Message: "m4"}, store.Surface{Name: "b", Message: "m4"}, store.Surface{Name: "b", Message: "m5"})
	f.same(names("t1"), []string{"b=m5", "dm/2=m2"})
	f.same([]string{by("m4"), by("m5")}, []string{"", "t1/b"})
	_, ok, err := f.s.Surface(f.ctx(), "t9", "board")
	f.ok(err)
	f.same(ok, false)
	f.same(names("t9"), []string(nil))
}

func testDeadlines(t *testing.T, f *fixture) {
	_, ok, err := f.s.NextDeadline(f.ctx())
	f.ok(err)
	f.same(ok, false)
	at := func(n int) time.Time { return Epoch().Add(time.Duration(n)) } // nanoseconds count
	due := func(now time.Time, limit int) (list []string) {
		t.Helper()
		deadlines, err := f.s.Due(f.ctx(), now, limit)
		f.ok(err)
		for _, d := range deadlines {
			list = append(list, fmt.Sprintf("%s %s %d %d", d.Table, d.Kind, d.Prompt, d.At.Sub(Epoch())))
		}
		return list
	}
	c := change("t1", 0)
	c.Deadlines = []store.Deadline{
		{Kind: "turn", Prompt: 256, At: at(3)}, {Kind: "turn", Prompt: 2, At: at(3)},
		{Kind: "remind", At: at(1), Table: "ignored"}, {Kind: "remind", At: at(1)},
	}
	f.commit(c)
	c = change("t2", 0)
	c.Deadlines = []store.Deadline{{Kind: "lobby", At: at(2)}, {Kind: "old", At: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)}}
	c.Live = false // an ended table may have something left to do
	f.commit(c)
	old := fmt.Sprintf("t2 old 0 %d", time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC).Sub(Epoch()))
	f.same(due(at(0), 0), []string{old})
	f.same(due(at(2), 0), []string{old, "t1 remind 0 1", "t2 lobby 0 2"})
	f.same(due(at(9), 0), []string{old, "t1 remind 0 1", "t2 lobby 0 2", "t1 turn 2 3", "t1 turn 256 3"})
	f.same(due(at(9), 2), []string{old, "t1 remind 0 1"})
	f.same(len(due(at(9), 2)), 2) // looking does not remove
	// A change replaces those of its own table only.
	c = change("t2", 1)
	c.Deadlines = []store.Deadline{{Kind: "lobby", At: at(2)}, {Kind: "lobby", At: at(5)}}
	f.commit(c)
	f.same(due(at(9), 0), []string{"t1 remind 0 1", "t2 lobby 0 2", "t1 turn 2 3", "t1 turn 256 3", "t2 lobby 0 5"})
	f.commit(change("t1", 1))
	f.same(due(at(9), 0), []string{"t2 lobby 0 2", "t2 lobby 0 5"})
	next, ok, err := f.s.NextDeadline(f.ctx())
	f.ok(err)
	f.same([]any{next, ok}, []any{at(2), true})
	f.commit(change("t2", 2))
	f.same(due(at(9), 0), []string(nil))
}

func testUsers(t *testing.T, f *fixture) {
	u, err := f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same(u, store.User{ID: "ann"})
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) {
		u.ID, u.Name, u.DMChannel, u.DMClosedUntil, u.Data = "another", "Ann", "dm", Epoch(), []byte("quiet")
	}))
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name += "a" }))
	u, err = f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same(u, store.User{ID: "ann", Name: "Anna", DMChannel: "dm", DMClosedUntil: Epoch(), Data: []byte("quiet")})
	err = f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name = strings.Repeat("n", store.MaxName+1) })
	f.is(err, store.ErrInvalid)
	u, err = f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same(u.Name, "Anna")
}

func testSettleUsers(t *testing.T, f *fixture) {
	c := change("t1", 0)
	c.Intents = []store.Intent{{Key: "dm/0"}}
	in := f.commit(c).Intents[0]
	settlement := store.Settlement{
		Table: "t1", Key: in.Key, Generation: in.Generation,
		Put: []store.Surface{{Name: "dm/0", Message: "m"}},
		Users: []store.UserUpdate{
			{ID: "ann", Update: func(u *store.User) { u.DMChannel = "dm" }},
			{ID: "bob", Update: func(u *store.User) { u.DMClosedUntil = Epoch() }},
			{ID: "ann", Update: func(u *store.User) { u.Name = u.DMChannel + "!" }},
		},
	}
	bad := settlement
	bad.Users = append(bad.Users[:3:3], store.UserUpdate{ID: "cid", Update: func(u *store.User) { u.Name = "\x00" }})
	f.is(f.s.Settle(f.ctx(), bad), store.ErrInvalid)
	f.same(f.pending(), []store.Intent{in}) // nothing of it happened
	list, err := f.s.Surfaces(f.ctx(), "t1")
	f.ok(err)
	f.same(len(list), 0)
	f.ok(f.s.Settle(f.ctx(), settlement))
	f.same(f.pending(), []store.Intent(nil))
	for _, want := range []store.User{{ID: "ann", DMChannel: "dm", Name: "dm!"}, {ID: "bob", DMClosedUntil: Epoch()}, {ID: "cid"}} {
		u, err := f.s.User(f.ctx(), want.ID)
		f.ok(err)
		f.same(u, want)
	}
}

func testSettings(t *testing.T, f *fixture) {
	get := func(key string) []any {
		t.Helper()
		value, ok, err := f.s.Get(f.ctx(), key)
		f.ok(err)
		return []any{string(value), ok}
	}
	f.same(get("hash"), []any{"", false})
	f.ok(f.s.Put(f.ctx(), "hash", []byte("abc")))
	f.same(get("hash"), []any{"abc", true})
	f.ok(f.s.Put(f.ctx(), "hash", []byte{}))
	f.same(get("hash"), []any{"", true})
	f.ok(f.s.Put(f.ctx(), "hash", nil))
	f.same(get("hash"), []any{"", false})
	f.ok(f.s.Put(f.ctx(), "hash", nil))
	f.same(get(""), []any{"", false})

	keys := func(prefix string) []string {
		t.Helper()
		list, err := f.s.Keys(f.ctx(), prefix)
		f.ok(err)
		return list
	}
	f.same(keys(""), []string(nil))
	for _, key := range []string{"b/2", "c", "b/1", "a", "b", "b/", "b0"} {
		f.ok(f.s.Put(f.ctx(), key, []byte(key)))
	}
	f.same(keys("b/"), []string{"b/", "b/1", "b/2"})
	f.ok(f.s.Put(f.ctx(), "b/1", nil))
	f.same(keys("b/"), []string{"b/", "b/2"})
	f.same(keys("d"), []string(nil))
	f.same(keys(""), []string{"a", "b", "b/", "b/2", "b0", "c"})
}

func testPrune(t *testing.T, f *fixture) {
	const n = store.PruneLimit + 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c := store.Change{Table: fmt.Sprintf("t%d", i), Interaction: fmt.Sprintf("i%d", i), At: Epoch().Add(time.Duration(i))}
			if _, err := f.s.Commit(f.ctx(), c); err != nil {
				t.Errorf("commit %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	left := func() (list []int) {
		t.Helper()
		for i := range n {
			_, ok, err := f.s.Repeated(f.ctx(), fmt.Sprintf("i%d", i))
			f.ok(err)
			if ok {
				list = append(list, i)
			}
		}
		return list
	}
	prune := func(before time.Time) int {
		t.Helper()
		n, err := f.s.Prune(f.ctx(), before)
		f.ok(err)
		return n
	}
	f.same(prune(Epoch()), 0)
	f.same(prune(Epoch().Add(5)), 5)
	f.same(left()[0], 5) // exactly at that time stays
	f.same(prune(Epoch().Add(time.Hour)), store.PruneLimit)
	f.same(left()[0], 5+store.PruneLimit) // the oldest went first
	f.same(prune(Epoch().Add(time.Hour)), n-5-store.PruneLimit)
	f.same(prune(Epoch().Add(time.Hour)), 0)
	f.same(len(left()), 0)
}

func testInvalid(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	long := strings.Repeat("x", store.MaxName+1)
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	huge := make([]byte, store.MaxValue+1)
	changes := map[string]func(c *store.Change){
		"no id":            func(c *store.Change) { c.Table = "" },
		"zero in id":       func(c *store.Change) { c.Table = "a\x00b" },
		"long id":          func(c *store.Change) { c.Table = long },
		"long channel":     func(c *store.Change) { c.Channel = long },
		"zero in guild":    func(c *store.Change) { c.Guild = "\x00" },
		"empty user":       func(c *store.Change) { c.Users = []string{""} },
		"many users":       func(c *store.Change) { c.Users = make([]string, store.MaxItems+1) },
		"long interaction": func(c *store.Change) { c.Interaction = long },
		"late":             func(c *store.Change) { c.At = late },
		"huge snapshot":    func(c *store.Change) { c.Snapshot = huge },
		"huge entry":       func(c *store.Change) { c.Entries = [][]byte{huge} },
		"intent's key":     func(c *store.Change) { c.Intents = []store.Intent{{}} },
		"intent's time":    func(c *store.Change) { c.Intents = []store.Intent{{Key: "k", NotBefore: late}} },
		"intent's payload": func(c *store.Change) { c.Intents = []store.Intent{{Key: "k", Payload: huge}} },
		"dropped key":      func(c *store.Change) { c.DropIntents = []string{""} },
		"deadline's kind":  func(c *store.Change) { c.Deadlines = []store.Deadline{{At: Epoch()}} },
		"deadline's time":  func(c *store.Change) { c.Deadlines = []store.Deadline{{Kind: "k", At: late}} },
	}
	for name, spoil := range changes {
		c := change("t1", 1)
		spoil(&c)
		if _, err := f.s.Commit(f.ctx(), c); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got error %v, want ErrInvalid", name, err)
		}
	}
	for name, s := range map[string]store.Settlement{
		"no table":          {},
		"long key":          {Table: "t1", Key: long},
		"forget":            {Table: "t1", Forget: []string{""}},
		"surface's name":    {Table: "t1", Put: []store.Surface{{Message: "m"}}},
		"surface's message": {Table: "t1", Put: []store.Surface{{Name: "n", Message: long}}},
		"surface's data":    {Table: "t1", Put: []store.Surface{{Name: "n", Data: huge}}},
		"no update":         {Table: "t1", Users: []store.UserUpdate{{ID: "ann"}}},
		"no user":           {Table: "t1", Users: []store.UserUpdate{{Update: func(*store.User) {}}}},
	} {
		if err := f.s.Settle(f.ctx(), s); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("settle with %s: got error %v, want ErrInvalid", name, err)
		}
	}
	f.is(f.s.UpdateUser(f.ctx(), "", func(*store.User) {}), store.ErrInvalid)
	f.is(f.s.UpdateUser(f.ctx(), "ann", nil), store.ErrInvalid)
	f.is(f.s.Put(f.ctx(), "", []byte("x")), store.ErrInvalid)
	f.is(f.s.Put(f.ctx(), "k", huge), store.ErrInvalid)
	_, err := f.s.Enqueue(f.ctx(), "t1", []store.Intent{{Key: long}})
	f.is(err, store.ErrInvalid)
	_, err = f.s.Prune(f.ctx(), late)
	f.is(err, store.ErrInvalid)
	f.same(f.table("t1").Version, uint64(1))
}

func testContext(t *testing.T, f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx())
	cancel()
	_, err := f.s.Commit(ctx, change("t1", 0))
	f.is(err, context.Canceled)
	f.is(f.s.Put(ctx, "k", []byte("v")), context.Canceled)
	_, err = f.s.Table(ctx, "t1")
	f.is(err, context.Canceled)
	_, err = f.s.Table(f.ctx(), "t1")
	f.is(err, store.ErrNotFound) // a cancelled commit was not done
	_, ok, err := f.s.Get(f.ctx(), "k")
	f.ok(err)
	f.same(ok, false)
}

func testClose(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	f.ok(f.s.Close())
	f.ok(f.s.Close())
	_, err := f.s.Commit(f.ctx(), change("t1", 1))
	f.is(err, store.ErrClosed)
	_, err = f.s.Table(f.ctx(), "t1")
	f.is(err, store.ErrClosed)
	f.is(f.s.LiveTables(f.ctx(), func(string) error { return nil }), store.ErrClosed)
	_, err = f.s.Backup(f.ctx(), &bytes.Buffer{})
	f.is(err, store.ErrClosed)
}

func testReopen(t *testing.T, f *fixture) {
	c := change("t1", 0)
	c.Interaction = "press"
	c.Entries = [][]byte{[]byte("one"), []byte("two")}
	c.Intents = []store.Intent{{Key: "board", Channel: "lane", Payload: []byte("p"), NotBefore: Epoch()}}
	c.Deadlines = []store.Deadline{{Kind: "turn", Prompt: 1, At: Epoch()}}
	f.commit(c)
	f.ok(f.s.Settle(f.ctx(), store.Settlement{
		Table: "t1", Put: []store.Surface{{Name: "board", Message: "m", Data: []byte("d")}},
		Users: []store.UserUpdate{{ID: "ann", Update: func(u *store.User) { u.Name = "Ann" }}},
	}))
	f.ok(f.s.Put(f.ctx(), "k", []byte("v")))
	f.commit(ended("t2", 0, game("ann", 5, "bob", 3, "squire easy", 4)))
	before := Dump(t, f.s)
	f.s = f.reopen()
	f.same(Dump(t, f.s), before)
	_, err := f.s.Commit(f.ctx(), c)
	f.is(err, store.ErrRepeated)
	f.commit(change("t1", 1))
}

func testOwnership(t *testing.T, f *fixture) {
	snapshot, entry, payload, data, value := []byte("snapshot"), []byte("entry"), []byte("payload"), []byte("data"), []byte("value")
	c := change("t1", 0)
	c.Snapshot, c.Entries = snapshot, [][]byte{entry}
	c.Intents = []store.Intent{{Key: "k", Payload: payload}}
	c.Deadlines = []store.Deadline{{Kind: "turn", At: Epoch()}}
	done := f.commit(c)
	f.ok(f.s.Settle(f.ctx(), store.Settlement{
		Table: "t1", Put: []store.Surface{{Name: "board", Message: "m", Data: data}},
		Users: []store.UserUpdate{{ID: "ann", Update: func(u *store.User) { u.Data = data }}},
	}))
	f.ok(f.s.Put(f.ctx(), "k", value))
	result := game("ann", 5, "bob", 3)
	result.Seats[0].Former = []store.Player{{User: "cid", Name: "Cleo"}}
	f.commit(ended("t2", 0, result))
	want := Dump(t, f.s)
	// What was handed in, and what came out, can be spoiled without effect.
	for _, b := range [][]byte{snapshot, entry, payload, data, value, done.Intents[0].Payload} {
		clear(b)
	}
	c.Users[0], c.Deadlines[0].Kind = "mallory", "spoiled"
	result.Seats[0].User, result.Seats[0].Former[0].Name = "mallory", "spoiled"
	got := Dump(t, f.s)
	f.same(got, want)
	clear(got.Tables[0].Snapshot)
	got.Tables[0].Users[0], got.Tables[0].Deadlines[0].Kind = "mallory", "spoiled"
	clear(got.History["t1"][0].Data)
	clear(got.Pending[0].Payload)
	clear(got.Surfaces["t1"][0].Data)
	clear(got.Users[0].Data)
	clear(got.Results["user ann"][0].Seats[0].Former)
	clear(got.Results["table t2"][0].Seats)
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name = "Ann" }))
	want.Users[0].Name = "Ann"
	got = Dump(t, f.s)
	want.Exports, got.Exports = nil, nil // texts, of which one has the new name
	f.same(got, want)
}

func testPanickingUpdate(t *testing.T, f *fixture) {
	got := func() (v any) {
		defer func() { v = recover() }()
		_ = f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { panic("bug of the caller") })
		return nil
	}()
	f.same(got, any("bug of the caller"))
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name = "Ann" }))
}

// limitedWriter fails when it is full.
type limitedWriter struct{ left int }

var errFull = errors.New("full")

func (w *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		return 0, errFull
	}
	w.left -= len(b)
	return len(b), nil
}

func testBackup(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	var copied bytes.Buffer
	n, err := f.s.Backup(f.ctx(), &copied)
	f.ok(err)
	if n == 0 || n != int64(copied.Len()) {
		t.Fatalf("a backup of %d bytes says that it has %d", copied.Len(), n)
	}
	if _, err = f.s.Backup(f.ctx(), &limitedWriter{left: int(n) - 1}); err == nil {
		t.Fatal("a backup that did not fit ended well")
	}
	f.commit(change("t1", 1))
}

func testLostUpdate(t *testing.T, f *fixture) {
	f.commit(store.Change{Table: "t", Snapshot: make([]byte, 8)})
	const workers, each = 8, 25
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				if err := increment(f.ctx(), f.s, fmt.Sprintf("press %d of %d", i, w)); err != nil {
					t.Errorf("worker %d: %v", w, err)
					return
				}
			}
		})
	}
	wg.Wait()
	row := f.table("t")
	f.same([]uint64{binary.BigEndian.Uint64(row.Snapshot), row.Version}, []uint64{workers * each, workers*each + 1})
	entries, err := f.s.History(f.ctx(), "t", 1, 0)
	f.ok(err)
	f.same(len(entries), workers*each)
	u, err := f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same(len(u.Data), workers*each)
}

// increment counts the table and the user up by one, as a reader that writes
// back what it read.
func increment(ctx context.Context, s store.Store, press string) error {
	for {
		row, err := s.Table(ctx, "t")
		if err != nil {
			return err
		}
		next := binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(row.Snapshot)+1)
		_, err = s.Commit(ctx, store.Change{Table: "t", Expect: row.Version, Snapshot: next, Interaction: press, Entries: [][]byte{next}})
		if errors.Is(err, store.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		return s.UpdateUser(ctx, "ann", func(u *store.User) { u.Data = append(u.Data, '.') })
	}
}

func testOneWinner(t *testing.T, f *fixture) {
	const n = 20
	race := func(spoil func(i int, c *store.Change), refused func(error) bool) {
		t.Helper()
		var mu sync.Mutex
		var wg sync.WaitGroup
		won := 0
		for i := range n {
			wg.Go(func() {
				c := change(fmt.Sprintf("t%d", i), 0)
				spoil(i, &c)
				_, err := f.s.Commit(f.ctx(), c)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else if !refused(err) {
					t.Errorf("commit %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		f.same(won, 1)
	}
	race(func(i int, c *store.Change) { c.Table = fmt.Sprintf("a%d", i); c.Channel = "one channel" }, func(err error) bool {
		var taken *store.ChannelTakenError
		return errors.As(err, &taken)
	})
	race(func(i int, c *store.Change) {
		c.Table = fmt.Sprintf("b%d", i)
		c.Channel = c.Table
		c.Interaction = "one press"
	},
		func(err error) bool { return errors.Is(err, store.ErrRepeated) })
	race(func(i int, c *store.Change) { c.Table = "one table"; c.Channel = "" },
		func(err error) bool { return errors.Is(err, store.ErrConflict) })
}
