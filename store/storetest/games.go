package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/game/rating"
	"paladin/store"
)

// game is a result of these seats: names, each with its honour. "squire easy" is a squire's seat, "ann, away" one whose person had left it.
func game(seats ...any) *store.Result {
	r := &store.Result{HouseDeck: true}
	var honours []int
	for i := 0; i < len(seats); i += 2 {
		name, honour := seats[i].(string), seats[i+1].(int)
		s := store.ResultSeat{Honour: honour}
		if strength, ok := strings.CutPrefix(name, "squire "); ok {
			s.Squire = strength
		} else {
			s.User, s.Away = strings.CutSuffix(name, ", away")
			s.Name = "name of " + s.User
		}
		r.Seats, honours = append(r.Seats, s), append(honours, honour)
	}
	for i, rank := range rating.Ranks(honours) {
		r.Seats[i].Rank = rank
	}
	return r
}

// ended is the change that ends a table with a result.
func ended(table string, expect uint64, r *store.Result) store.Change {
	c := change(table, expect)
	c.Live, c.Result = false, r
	return c
}

// spoiled ends a table with a result of which something cannot be stored.
func spoiled(spoil func(*store.Result)) func(*store.Change) {
	return func(c *store.Change) {
		c.Live, c.Result = false, game("ann", 2, "bob", 1, "squire easy", 0)
		spoil(c.Result)
	}
}

func (f *fixture) standing(guild, user string) store.Standing {
	f.t.Helper()
	s, ok, err := f.s.Standing(f.ctx(), guild, user)
	f.ok(err)
	if !ok {
		f.t.Fatalf("%s has no standing in %q", user, guild)
	}
	return s
}

func (f *fixture) forget(user string) []string {
	f.t.Helper()
	waiting, err := f.s.Forget(f.ctx(), user, Erase())
	f.ok(err)
	return waiting
}

func testInvalidResults(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	long := strings.Repeat("x", store.MaxName+1)
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, spoil := range map[string]func(*store.Change){
		"live result": func(c *store.Change) { c.Result = game("ann", 1, "bob", 0) },
		"no seats":    func(c *store.Change) { c.Live, c.Result = false, &store.Result{} },
		"many seats": spoiled(func(r *store.Result) {
			r.Seats = slices.Repeat([]store.ResultSeat{{Squire: "easy", Rank: 1}}, store.MaxResultSeats+1)
		}),
		"nobody's seat":       spoiled(func(r *store.Result) { r.Seats[0].User = "" }),
		"person and squire":   spoiled(func(r *store.Result) { r.Seats[0].Squire = "easy" }),
		"squire with a past":  spoiled(func(r *store.Result) { r.Seats[2].Former = []store.Player{{User: "cid"}} }),
		"squire who left":     spoiled(func(r *store.Result) { r.Seats[2].Away = true }),
		"wrong rank":          spoiled(func(r *store.Result) { r.Seats[1].Rank = 3 }),
		"no rank":             spoiled(func(r *store.Result) { r.Seats[0].Rank = 0 }),
		"negative honour":     spoiled(func(r *store.Result) { r.Seats[0].Honour = -1 }),
		"twice at a table":    spoiled(func(r *store.Result) { r.Seats[0].User = "bob" }),
		"twice on a seat":     spoiled(func(r *store.Result) { r.Seats[0].Former = []store.Player{{User: "ann"}} }),
		"many holders":        spoiled(func(r *store.Result) { r.Seats[0].Former = make([]store.Player, store.MaxFormer+1) }),
		"zero in a name":      spoiled(func(r *store.Result) { r.Seats[0].Name = "\x00" }),
		"long strength":       spoiled(func(r *store.Result) { r.Seats[2].Squire = long }),
		"more in time":        spoiled(func(r *store.Result) { r.Seats[0].InTime = 1 }),
		"negative moves":      spoiled(func(r *store.Result) { r.Seats[0].Moves = -1 }),
		"squire's moves":      spoiled(func(r *store.Result) { r.Seats[2].SquireMoves = store.MaxCount + 1 }),
		"end of the game":     spoiled(func(r *store.Result) { r.Finished = late }),
		"nameless former one": spoiled(func(r *store.Result) { r.Seats[0].Former = []store.Player{{Name: "Cleo"}} }),
	} {
		c := change("t1", 1)
		spoil(&c)
		if _, err := f.s.Commit(f.ctx(), c); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got error %v, want ErrInvalid", name, err)
		}
	}
	f.same(f.table("t1").Version, uint64(1))
	_, err := f.s.Forget(f.ctx(), "", Erase())
	f.is(err, store.ErrInvalid)
	_, err = f.s.Forget(f.ctx(), "cid", store.Rewrite{Table: Erase().Table})
	f.is(err, store.ErrInvalid)
	_, err = f.s.ForgetRest(f.ctx(), store.Rewrite{Setting: Erase().Setting})
	f.is(err, store.ErrInvalid)
	_, err = f.s.Export(f.ctx(), "", quoteSetting)
	f.is(err, store.ErrInvalid)
	_, err = f.s.Export(f.ctx(), "ann", nil)
	f.is(err, store.ErrInvalid)
}

func testResults(t *testing.T, f *fixture) {
	_, ok, err := f.s.ResultOf(f.ctx(), "t1")
	f.ok(err)
	f.same(ok, false)
	r := game("ann", 9, "squire easy", 4, "bob, away", 9)
	r.Seats[0].Player = store.Player{User: "ann", Name: "Ann", Moves: 20, InTime: 19, SquireMoves: 3, Timeouts: 2}
	r.Seats[0].Former = []store.Player{{User: "cid", Name: "Cid", SquireMoves: 7, Timeouts: 3}}
	c := ended("t1", 0, r)
	f.commit(c)
	want := r.Clone()
	want.Number, want.Table, want.Guild, want.Channel, want.Finished = 1, "t1", "guild", "channel of t1", Epoch()
	got, ok, err := f.s.ResultOf(f.ctx(), "t1")
	f.ok(err)
	f.same([]any{got, ok}, []any{want, true})
	// More games: of the same and of another server, and of none.
	for i, guild := range []string{"guild", "elsewhere", "", "guild"} {
		c := ended(fmt.Sprintf("t%d", i+2), 0, game("ann", i, "bob", 5))
		c.Guild = guild
		c.Result.Finished = Epoch().Add(time.Duration(-i) * time.Hour)
		f.commit(c)
	}
	f.commit(ended("t9", 0, game("dan", 1, "squire easy", 5)))
	tables := func(list []store.Result, err error) (names []string) {
		t.Helper()
		f.ok(err)
		for _, r := range list {
			names = append(names, fmt.Sprintf("%s %d", r.Table, r.Number))
		}
		return names
	}
	f.same(tables(f.s.ResultsByUser(f.ctx(), "ann", 0, 0)), []string{"t5 5", "t4 4", "t3 3", "t2 2", "t1 1"})
	f.same(tables(f.s.ResultsByUser(f.ctx(), "ann", 4, 2)), []string{"t3 3", "t2 2"})
	f.same(tables(f.s.ResultsByUser(f.ctx(), "ann", 1, 2)), []string(nil))
	f.same(tables(f.s.ResultsByUser(f.ctx(), "ann", math.MaxUint64, 1)), []string{"t5 5"})
	f.same(tables(f.s.ResultsByUser(f.ctx(), "cid", 0, 0)), []string{"t1 1"}) // who stood up before the end held a seat too
	f.same(tables(f.s.ResultsByGuild(f.ctx(), "guild", 0, 0)), []string{"t9 6", "t5 5", "t2 2", "t1 1"})
	f.same(tables(f.s.ResultsByGuild(f.ctx(), "guild", 5, 1)), []string{"t2 2"})
	for _, none := range []string{"", "an", "eve", "ann\x00"} {
		f.same(tables(f.s.ResultsByUser(f.ctx(), none, 0, 0)), []string(nil))
		f.same(tables(f.s.ResultsByGuild(f.ctx(), none, 0, 0)), []string(nil))
	}
	list, err := f.s.ResultsByUser(f.ctx(), "ann", 3, 1)
	f.ok(err)
	f.same(list[0].Finished, Epoch()) // as told, not when it was committed
}

func testOneResult(t *testing.T, f *fixture) {
	f.commit(change("t1", 0))
	f.commit(ended("t1", 1, game("ann", 5, "bob", 3)))
	before := Dump(t, f.s)
	f.commit(ended("t1", 2, game("ann", 0, "bob", 30)))
	after := Dump(t, f.s)
	f.same(after.Results, before.Results)
	f.same(after.Standings, before.Standings)
	// What is refused has no result either.
	_, err := f.s.Commit(f.ctx(), ended("t2", 5, game("ann", 0, "bob", 30)))
	f.is(err, store.ErrConflict)
	_, ok, err := f.s.ResultOf(f.ctx(), "t2")
	f.ok(err)
	f.same(ok, false)
	f.same(f.standing("guild", "ann").Games, 1)
}

func testStandings(t *testing.T, f *fixture) {
	r := game("ann", 9, "bob", 9, "squire easy", 4, "squire easy", 9)
	r.Seats[0].Player = store.Player{User: "ann", Name: "Ann", Moves: 20, InTime: 18, SquireMoves: 4, Timeouts: 3}
	r.Seats[1].Former = []store.Player{{User: "cid", Name: "Cid", SquireMoves: 5, Timeouts: 3}}
	f.commit(ended("t1", 0, r))
	c := ended("t2", 0, game("ann", 2, "bob, away", 3, "squire easy", 3))
	c.Guild, c.At = "elsewhere", Epoch().Add(time.Hour)
	f.commit(c)
	c = ended("t3", 0, game("ann", 4, "squire easy", 3))
	c.Guild = ""
	f.commit(c)

	ann := f.standing("guild", "ann")
	ann.Rating = rating.Rating{}
	f.same(ann, store.Standing{
		Guild: "guild", User: "ann", Name: "Ann", Games: 1, WinParts: store.WinShare / 3, Honour: 9, Rated: 1,
		Moves: 20, InTime: 18, SquireMoves: 4, Timeouts: 3, Last: Epoch(),
	})
	reliability, known := ann.Reliability()
	f.same([]any{reliability, known, ann.Wins(), ann.MeanHonour()}, []any{18.0 / 24, true, 1.0 / 3, 9.0})
	all := f.standing("", "ann")
	f.same([]any{all.Games, all.Wins(), all.MeanHonour(), all.Rated, all.Name}, []any{3, 1.0/3 + 1, 5.0, 2, "name of ann"})
	// Whoever had left the seat has no part in the win, the others do not get theirs.
	bob := f.standing("elsewhere", "bob")
	f.same([]any{bob.Games, bob.WinParts, bob.Honour}, []any{1, 0, 3})
	// A former holder has played no game, and yet was asked to move.
	cid := f.standing("guild", "cid")
	reliability, known = cid.Reliability()
	f.same([]any{cid.Games, cid.Rated, reliability, known}, []any{0, 0, 0.0, true})

	list, total, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{})
	f.ok(err)
	f.same([]any{len(list), total, list[0].User, list[1].User}, []any{2, 2, "ann", "bob"})
	list, total, err = f.s.Standings(f.ctx(), "guild", store.StandingsQuery{Squires: true})
	f.ok(err)
	f.same([]any{len(list), total, list[0].Squire, list[0].Games, list[0].WinParts, list[0].Honour, list[0].Rated}, []any{1, 1, "easy", 2, store.WinShare / 3, 13, 1})
	_, known = list[0].Reliability()
	f.same(known, false)
	// What somebody did across servers is listed for nobody, nor is there a server without a name.
	list, total, err = f.s.Standings(f.ctx(), "", store.StandingsQuery{})
	f.ok(err)
	f.same([]any{len(list), total}, []any{0, 0})
	for _, none := range [][2]string{{"guild", "dan"}, {"gui", "ann"}, {"guild", ""}, {"nowhere", "ann"}, {"guild\x00", "ann"}} {
		_, ok, err := f.s.Standing(f.ctx(), none[0], none[1])
		f.ok(err)
		f.same(ok, false)
	}
}

func testRatings(t *testing.T, f *fixture) {
	rate := func(players ...rating.Player) []rating.Rating { return rating.Rate(players) }
	f.commit(ended("t1", 0, game("ann", 5, "squire easy", 9, "bob", 3)))
	people := rate(rating.Player{Rank: 1}, rating.Player{Rank: 2})
	f.same(f.standing("guild", "ann").Rating, people[0])
	f.same(f.standing("guild", "bob").Rating, people[1])
	f.same(f.standing("", "bob").Rating, people[1])
	squire := func() store.Standing {
		t.Helper()
		list, _, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{Squires: true})
		f.ok(err)
		return list[0]
	}
	f.same(squire().Rating, rate(rating.Player{Rank: 1}, rating.Player{Rank: 2}, rating.Player{Rank: 3})[0])
	// One person among squires is not rated; the squires are, against them.
	was := squire().Rating
	f.commit(ended("t2", 0, game("ann", 5, "squire easy", 5, "squire easy", 2)))
	f.same(f.standing("guild", "ann").Rating, people[0])
	f.same(f.standing("guild", "ann").Rated, 1)
	seats := rate(rating.Player{Rating: people[0], Rank: 1}, rating.Player{Rating: was, Rank: 1}, rating.Player{Rating: was, Rank: 3})
	f.same(squire().Rating, rating.Combine(was, seats[1], seats[2]))
	// Who had left is last, whatever the squire won for them, and teaches the squires nothing.
	was = squire().Rating
	f.commit(ended("t3", 0, game("ann, away", 9, "bob", 5, "squire easy", 1)))
	left := rate(rating.Player{Rating: people[0], Rank: 2}, rating.Player{Rating: people[1], Rank: 1})
	f.same([]any{f.standing("guild", "ann").Rating, f.standing("guild", "bob").Rating}, []any{left[0], left[1]})
	f.same(squire().Rating, rate(rating.Player{Rating: was, Rank: 2}, rating.Player{Rating: people[1], Rank: 1})[0])
	// Another server begins anew; all servers go on.
	c := ended("t4", 0, game("ann", 5, "bob", 3))
	c.Guild = "elsewhere"
	f.commit(c)
	f.same(f.standing("elsewhere", "ann").Rating, people[0])
	f.same(f.standing("", "ann").Rating, rate(rating.Player{Rating: left[0], Rank: 1}, rating.Player{Rating: left[1], Rank: 2})[0])
}

func testStandingOrders(t *testing.T, f *fixture) {
	n := 0
	play := func(seats ...any) *store.Result {
		n++
		r := game(seats...)
		f.commit(ended(fmt.Sprintf("t%d", n), 0, r))
		return r
	}
	play("ann", 9, "bob", 3, "cid", 1)
	play("ann", 9, "bob", 3)
	play("bob", 20, "squire easy", 1)
	play("bob", 20, "squire easy", 1)
	play("bob", 20, "squire easy", 1)
	play("dan", 5, "squire easy", 9) // not rated
	r := game("eve", 1, "dan", 1)
	r.Seats[0].Moves, r.Seats[0].InTime, r.Seats[1].SquireMoves = 10, 10, 5
	f.commit(ended("last", 0, r))
	order := func(q store.StandingsQuery) (names []string) {
		t.Helper()
		list, total, err := f.s.Standings(f.ctx(), "guild", q)
		f.ok(err)
		f.same(total, 5)
		for _, s := range list {
			names = append(names, s.User)
		}
		return names
	}
	f.same(order(store.StandingsQuery{Order: store.ByWins}), []string{"bob", "ann", "dan", "eve", "cid"})
	f.same(order(store.StandingsQuery{Order: store.ByGames}), []string{"bob", "ann", "dan", "eve", "cid"})
	f.same(order(store.StandingsQuery{Order: store.ByHonour}), []string{"bob", "ann", "dan", "eve", "cid"})
	f.same(order(store.StandingsQuery{Order: store.ByReliability}), []string{"eve", "dan", "ann", "bob", "cid"})
	byRating := order(store.StandingsQuery{})
	f.same([]string{byRating[0], byRating[4]}, []string{"ann", "cid"})
	f.same(order(store.StandingsQuery{Offset: 1, Limit: 3}), byRating[1:4])
	f.same(order(store.StandingsQuery{Offset: 4, Limit: 3}), byRating[4:])
	f.same(order(store.StandingsQuery{Offset: 9}), []string(nil))
	f.same(order(store.StandingsQuery{Offset: -1}), byRating)
	for i, user := range byRating {
		place, s, err := f.s.Place(f.ctx(), "guild", user, store.ByRating)
		f.ok(err)
		f.same([]any{place, s}, []any{i + 1, f.standing("guild", user)})
	}
	// Who held no seat to the end stands nowhere, nor does anybody across servers.
	r = game("ann", 2, "bob", 1)
	r.Seats[1].Former = []store.Player{{User: "fay", Name: "Fay", Moves: 1, InTime: 1}}
	f.commit(ended("former", 0, r))
	for _, none := range [][2]string{{"guild", "fay"}, {"guild", "nobody"}, {"", "ann"}, {"guild", ""}, {"nowhere", "ann"}, {"guild\x00uann", "ann"}} {
		place, s, err := f.s.Place(f.ctx(), none[0], none[1], store.ByGames)
		f.ok(err)
		f.same([]any{place, s}, []any{0, store.Standing{}})
	}
}

func testManyStandings(t *testing.T, f *fixture) {
	var wg sync.WaitGroup
	for i := range 150 {
		wg.Go(func() {
			a, b := fmt.Sprintf("user%03d", i*7%150), fmt.Sprintf("user%03d", i*11%150)
			if a == b {
				b = "anybody"
			}
			if _, err := f.s.Commit(f.ctx(), ended(fmt.Sprintf("t%03d", i), 0, game(a, i%9, b, i%4))); err != nil {
				t.Errorf("game %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for _, by := range []store.StandingOrder{store.ByRating, store.ByWins, store.ByHonour, store.ByGames, store.ByReliability} {
		all, n, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{Order: by})
		f.ok(err)
		if n < 100 || len(all) != n {
			t.Fatalf("%d of %d standings", len(all), n)
		}
		for offset := 0; offset < n+10; offset += 10 {
			list, total, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{Order: by, Offset: offset, Limit: 10})
			f.ok(err)
			f.same(total, n)
			f.same(list, all[min(offset, n):min(offset+10, n)])
		}
		for _, i := range []int{0, 1, n / 2, n - 1} {
			place, s, err := f.s.Place(f.ctx(), "guild", all[i].User, by)
			f.ok(err)
			f.same([]any{place, s}, []any{i + 1, all[i]})
		}
	}
}

// played is a store in which ann has left traces everywhere.
func (f *fixture) played() {
	f.t.Helper()
	for i, guild := range []string{"guild", "elsewhere", "guild"} {
		c := ended(fmt.Sprintf("t%d", i), 0, game("ann", 3+i, "bob", 4, "squire easy", 2))
		c.Guild, c.Users = guild, []string{"ann", "bob"}
		c.Snapshot = []byte(`{"seats":["ann","bob"],"seed":"annual"}`)
		c.Entries = [][]byte{[]byte(`ann opens`), []byte(`bob joins`), []byte(`anna watches`)}
		if i == 2 {
			c.Result.Seats[1].Former = []store.Player{{User: "cid", Name: "Cid", Moves: 2, InTime: 1}}
			c.Intents = []store.Intent{{Key: "board"}, {Key: "bye/ann"}, {Key: "k", Channel: "user/ann"}, {Key: "l", Payload: []byte(`"ann"`)}, {Key: "m", Channel: "dm"}}
		}
		f.commit(c)
	}
	c := ended("t3", 0, game("bob", 4, "cid", 3))
	c.Users = []string{"bob", "cid"}
	f.commit(c)
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name, u.DMChannel, u.Data = "Ann", "dm", []byte(`{"way":"dm"}`) }))
	f.ok(f.s.UpdateUser(f.ctx(), "bob", func(u *store.User) { u.Name = "Bob" }))
	f.ok(f.s.Settle(f.ctx(), store.Settlement{Table: "t0", Put: []store.Surface{
		{Name: "board", Channel: "c", Message: "m1"}, {Name: "dm/0", Channel: "dm", Message: "m2"},
		{Name: "replay/ann", Channel: "c", Message: "m3"}, {Name: "shown", Channel: "c", Message: "m4", Data: []byte(`{"by":"ann"}`)},
	}}))
	f.ok(f.s.Put(f.ctx(), "looked/t0", []byte(`{"ann":3,"bob":4}`)))
	f.ok(f.s.Put(f.ctx(), "of/ann", []byte(`mine`)))
	f.ok(f.s.Put(f.ctx(), "annual", []byte(`report`)))
}

func testForget(t *testing.T, f *fixture) {
	f.played()
	before := f.table("t0")
	f.same(f.forget("ann"), []string(nil))
	u, err := f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same(u, store.User{ID: "ann"})
	list, err := f.s.ResultsByUser(f.ctx(), "ann", 0, 0)
	f.ok(err)
	f.same(len(list), 0)
	for _, guild := range []string{"guild", "elsewhere", ""} {
		_, ok, err := f.s.Standing(f.ctx(), guild, "ann")
		f.ok(err)
		f.same(ok, false)
	}
	r, _, err := f.s.ResultOf(f.ctx(), "t0")
	f.ok(err)
	f.same(r.Seats[0], store.ResultSeat{Honour: 3, Rank: 2}) // nobody's, and yet what it was against
	f.same(r.Seats[0].Forgotten(), true)
	f.same(r.Seats[2].Forgotten(), false)
	row := f.table("t0")
	f.same([]any{row.Users, string(row.Snapshot), row.Version > before.Version}, []any{[]string{"bob"}, `{"seats":["somebody","bob"],"seed":"annual"}`, true})
	f.same([]any{row.Created, row.Touched}, []any{before.Created, before.Touched})
	entries, err := f.s.History(f.ctx(), "t0", 0, 0)
	f.ok(err)
	f.same(entries, []store.Entry{
		{Seq: 1, At: Epoch(), Data: []byte("somebody opens")}, {Seq: 2, At: Epoch(), Data: []byte("bob joins")}, {Seq: 3, At: Epoch(), Data: []byte("anna watches")},
	})
	var keys []string
	for _, in := range f.pending() {
		keys = append(keys, in.Key)
	}
	f.same(keys, []string{"board"})
	surfaces, err := f.s.Surfaces(f.ctx(), "t0")
	f.ok(err)
	f.same(surfaces, []store.Surface{{Table: "t0", Name: "board", Channel: "c", Message: "m1"}})
	for key, want := range map[string]string{"looked/t0": `{"somebody":3,"bob":4}`, "of/ann": "", "annual": "report"} {
		value, _, err := f.s.Get(f.ctx(), key)
		f.ok(err)
		f.same(string(value), want)
	}
	// Nothing is left to be exported, nor to be done.
	text, err := f.s.Export(f.ctx(), "ann", quoteSetting)
	f.ok(err)
	var e store.Exported
	f.ok(json.Unmarshal(text, &e))
	f.same(e, store.Exported{Version: 1, User: store.ExportedUser{ID: "ann"}})
	waiting, err := f.s.ForgetRest(f.ctx(), Erase())
	f.ok(err)
	f.same(waiting, 0)
	f.same(f.forget("ann"), []string(nil)) // forgetting nobody is no fault
	f.same(f.forget("eve"), []string(nil))
}

func testForgetOthers(t *testing.T, f *fixture) {
	f.played()
	type games struct {
		standings map[string][]store.Standing
		results   map[string][]store.Result
	}
	others := func() games {
		d := Dump(t, f.s)
		g := games{standings: map[string][]store.Standing{}, results: map[string][]store.Result{}}
		for _, guild := range []string{"guild", "elsewhere", ""} {
			for _, user := range []string{"bob", "cid"} {
				if s, ok, err := f.s.Standing(f.ctx(), guild, user); ok || err != nil {
					f.ok(err)
					g.standings[guild+" "+user] = []store.Standing{s}
				}
			}
			squires, _, err := f.s.Standings(f.ctx(), guild, store.StandingsQuery{Squires: true})
			f.ok(err)
			g.standings[guild+" squires"] = squires
		}
		for _, r := range d.Results["user bob"] {
			r.Forget("ann")
			g.results["bob"] = append(g.results["bob"], r)
		}
		return g
	}
	before := others()
	if len(before.standings) != 8 || len(before.results["bob"]) != 4 {
		t.Fatalf("the test looks at the wrong names: %+v", before)
	}
	f.forget("ann")
	after := others()
	f.same(after.standings, before.standings)
	f.same(after.results, before.results)
	// And goes on from there.
	bob, cid := f.standing("guild", "bob").Rating, f.standing("guild", "cid").Rating
	f.commit(ended("t9", 0, game("bob", 1, "cid", 2)))
	want := rating.Rate([]rating.Player{{Rating: bob, Rank: 2}, {Rating: cid, Rank: 1}})
	f.same([]any{f.standing("guild", "bob").Rating, f.standing("guild", "cid").Rating}, []any{want[0], want[1]})
	// One after the other, nobody is left, and the squires are what they were.
	f.forget("bob")
	f.forget("cid")
	list, _, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{})
	f.ok(err)
	f.same(len(list), 0)
	squires, _, err := f.s.Standings(f.ctx(), "guild", store.StandingsQuery{Squires: true})
	f.ok(err)
	f.same(squires, before.standings["guild squires"])
}

func testForgetSeated(t *testing.T, f *fixture) {
	f.played()
	f.commit(change("live2", 0))
	f.commit(change("live1", 0))
	before := Dump(t, f.s)
	_, err := f.s.Forget(f.ctx(), "ann", Erase())
	var seated *store.SeatedError
	if !errors.As(err, &seated) || seated.User != "ann" || !slices.Equal(seated.Tables, []string{"live1", "live2"}) {
		t.Fatalf("got error %v, want that ann sits at live1 and live2", err)
	}
	f.same(Dump(t, f.s), before)
	for _, table := range seated.Tables {
		c := change(table, 1)
		c.Live = false
		f.commit(c)
	}
	f.same(f.forget("ann"), []string(nil))
}

func testForgetWaits(t *testing.T, f *fixture) {
	f.played()
	for _, table := range []string{"w2", "w1"} {
		c := change(table, 0)
		c.Users, c.Snapshot, c.Entries = []string{"bob"}, []byte("bob, once ann"), [][]byte{[]byte("ann left")}
		f.commit(c)
	}
	f.same(f.forget("ann"), []string{"w1", "w2"})
	f.same(string(f.table("w1").Snapshot), "bob, once ann") // a running game is nobody's to rewrite
	rest := func() int {
		t.Helper()
		f.s = f.reopen()
		n, err := f.s.ForgetRest(f.ctx(), Erase())
		f.ok(err)
		return n
	}
	f.same(rest(), 1)
	// Meanwhile ann comes back: what she does now is hers.
	f.ok(f.s.UpdateUser(f.ctx(), "ann", func(u *store.User) { u.Name = "Ann" }))
	f.ok(f.s.Put(f.ctx(), "of/ann", []byte("new")))
	f.commit(ended("t8", 0, game("ann", 1, "bob", 2)))
	end := func(table string) {
		c := change(table, 1)
		c.Live, c.Users, c.Snapshot = false, []string{"bob"}, []byte("bob, once ann, ended")
		f.commit(c)
	}
	end("w1")
	f.same(rest(), 1)
	f.same(string(f.table("w1").Snapshot), "bob, once somebody, ended")
	text, err := f.s.Export(f.ctx(), "ann", quoteSetting)
	f.ok(err)
	var e store.Exported
	f.ok(json.Unmarshal(text, &e))
	f.same([]any{e.Forgetting, e.Waiting, e.User.DMChannel}, []any{true, []string{"w2"}, "dm"}) // the channel is what is waited with
	end("w2")
	f.same(rest(), 0)
	f.same(rest(), 0)
	f.same(string(f.table("w2").Snapshot), "bob, once somebody, ended")
	u, err := f.s.User(f.ctx(), "ann")
	f.ok(err)
	f.same([]any{u.Name, f.standing("guild", "ann").Games, string(f.table("t8").Snapshot)}, []any{"Ann", 1, "t8 after 0"})
	value, _, err := f.s.Get(f.ctx(), "of/ann")
	f.ok(err)
	f.same(string(value), "new")
}

// testForgetWaitsForResult: a game that ends while it is waited for tells of who was forgotten no more than one that had ended before.
func testForgetWaitsForResult(t *testing.T, f *fixture) {
	f.played()
	c := change("w1", 0)
	c.Users, c.Entries = []string{"bob", "cid"}, [][]byte{[]byte("ann left")}
	f.commit(c)
	f.same(f.forget("ann"), []string{"w1"})
	r := game("bob", 9, "cid", 4)
	r.Seats[0].Former = []store.Player{{User: "ann", Name: "Ann", Moves: 3, InTime: 2}}
	c = ended("w1", 1, r)
	c.Users = []string{"bob", "cid"}
	f.commit(c)
	got, _, err := f.s.ResultOf(f.ctx(), "w1")
	f.ok(err)
	f.same(got.Seats[0].Former, []store.Player{{Moves: 3, InTime: 2}})
	list, err := f.s.ResultsByUser(f.ctx(), "ann", 0, 0)
	f.ok(err)
	f.same(len(list), 0)
	for _, guild := range []string{"guild", ""} {
		_, ok, err := f.s.Standing(f.ctx(), guild, "ann")
		f.ok(err)
		f.same(ok, false)
	}
	n, err := f.s.ForgetRest(f.ctx(), Erase())
	f.ok(err)
	f.same(n, 0)
	// A game that was not waited for is that of somebody who came back.
	f.commit(ended("t8", 0, game("ann", 1, "bob", 2)))
	f.same(f.standing("guild", "ann").Games, 1)
}

// testForgetRestGoesOn: who cannot be forgotten holds up nobody else, and is forgotten as soon as
// it can be done.
func testForgetRestGoesOn(t *testing.T, f *fixture) {
	all := map[string]string{"ann": "w1", "cid": "w2", "dan": "w3"}
	for user, id := range all {
		c := change(id, 0)
		c.Users, c.Channel, c.Snapshot = []string{"bob"}, "of-"+id, []byte("bob, once "+user)
		f.commit(c)
		f.same(f.forget(user), []string{id})
		c = change(id, 1)
		c.Live, c.Users, c.Channel, c.Snapshot = false, []string{"bob"}, "of-"+id, []byte("bob, once "+user)
		f.commit(c)
	}
	fails := Erase()
	whole := fails.Table
	fails.Table = func(user string, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error) {
		if user == "cid" {
			return nil, nil, ErrInjected
		}
		return whole(user, snapshot, entries)
	}
	_, err := f.s.ForgetRest(f.ctx(), fails)
	f.is(err, ErrInjected)
	for user, id := range all {
		f.same(store.Mentions(f.table(id).Snapshot, user), user == "cid")
	}
	n, err := f.s.ForgetRest(f.ctx(), Erase())
	f.ok(err)
	f.same(n, 0)
	f.same(store.Mentions(f.table("w2").Snapshot, "cid"), false)
}

// testForgetSparesReturn: who takes a seat again in a game that is waited for has it for their own, also once it has ended.
func testForgetSparesReturn(t *testing.T, f *fixture) {
	f.played()
	c := change("w1", 0)
	c.Users, c.Snapshot, c.Entries = []string{"bob"}, []byte("bob, once ann"), [][]byte{[]byte("ann left")}
	f.commit(c)
	f.same(f.forget("ann"), []string{"w1"})
	c = change("w1", 1)
	c.Users, c.Entries = []string{"ann", "bob"}, [][]byte{[]byte("ann joined")}
	f.commit(c)
	c = ended("w1", 2, game("ann", 9, "bob", 4))
	c.Users, c.Snapshot = []string{"ann", "bob"}, []byte("ann and bob")
	f.commit(c)
	n, err := f.s.ForgetRest(f.ctx(), Erase())
	f.ok(err)
	f.same(n, 0)
	row := f.table("w1")
	f.same([]any{string(row.Snapshot), row.Users, row.Version}, []any{"ann and bob", []string{"ann", "bob"}, uint64(3)})
	f.same(f.standing("guild", "ann").Games, 1)
	// They may want to be forgotten once more.
	f.same(f.forget("ann"), []string(nil))
	f.same(string(f.table("w1").Snapshot), "somebody and bob")
}

func testForgetReturn(t *testing.T, f *fixture) {
	f.played()
	f.forget("ann")
	bob := f.standing("guild", "bob").Rating
	f.commit(ended("t9", 0, game("ann", 7, "bob", 2)))
	ann := f.standing("guild", "ann")
	want := rating.Rate([]rating.Player{{Rank: 1}, {Rating: bob, Rank: 2}})[0] // a newcomer
	f.same([]any{ann.Games, ann.Honour, ann.Rating}, []any{1, 7, want})
	f.forget("ann")
	list, err := f.s.ResultsByGuild(f.ctx(), "guild", 0, 0)
	f.ok(err)
	for _, r := range list {
		if r.Forget("ann") {
			t.Errorf("ann was found in the result of %s", r.Table)
		}
	}
	f.same(len(list), 4)
}

func testForgetMuch(t *testing.T, f *fixture) {
	const n = 230 // more than one transaction takes
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c := ended(fmt.Sprintf("t%03d", i), 0, game("ann", i%7, "bob", i%5))
			c.Users, c.Snapshot = []string{"bob"}, nil
			if i%40 == 0 {
				c.Users = []string{"ann"}
			}
			_, err := f.s.Commit(f.ctx(), c)
			err = errors.Join(err, f.s.Put(f.ctx(), fmt.Sprintf("looked/t%03d", i), []byte("ann")))
			if err != nil {
				t.Errorf("game %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	before := f.standing("guild", "bob")
	f.forget("ann")
	f.same(f.standing("guild", "bob"), before)
	list, err := f.s.ResultsByUser(f.ctx(), "bob", 0, 0)
	f.ok(err)
	f.same(len(list), n)
	for i := range n {
		f.same(list[i].Seats[0].Forgotten(), true)
		value, _, err := f.s.Get(f.ctx(), fmt.Sprintf("looked/t%03d", i))
		f.ok(err)
		f.same(string(value), "somebody")
	}
	f.same(len(f.table("t040").Users), 0)
}

func testForgetRefused(t *testing.T, f *fixture) {
	f.played()
	boom := errors.New("boom")
	good := Erase()
	// In the order in which things are rewritten: what came before a failure is done.
	for _, test := range []struct {
		name    string
		rewrite store.Rewrite
		want    error
	}{
		{"setting fails", store.Rewrite{Table: good.Table, Setting: func(string, string, []byte) ([]byte, error) { return nil, boom }}, boom},
		{"setting stays", store.Rewrite{Table: good.Table, Setting: func(_, _ string, v []byte) ([]byte, error) { return v, nil }}, store.ErrInvalid},
		{"table fails", store.Rewrite{Setting: good.Setting, Table: func(string, []byte, [][]byte) ([]byte, [][]byte, error) { return nil, nil, boom }}, boom},
		{"table stays", store.Rewrite{Setting: good.Setting, Table: func(_ string, s []byte, e [][]byte) ([]byte, [][]byte, error) { return s, e, nil }}, store.ErrInvalid},
		{"history stays", store.Rewrite{Setting: good.Setting, Table: func(_ string, _ []byte, e [][]byte) ([]byte, [][]byte, error) { return nil, e, nil }}, store.ErrInvalid},
		{"entries vanish", store.Rewrite{Setting: good.Setting, Table: func(string, []byte, [][]byte) ([]byte, [][]byte, error) { return nil, nil, nil }}, store.ErrInvalid},
	} {
		if _, err := f.s.Forget(f.ctx(), "ann", test.rewrite); !errors.Is(err, test.want) {
			t.Errorf("%s: got error %v, want %v", test.name, err, test.want)
		}
	}
	// A later call does what is left.
	f.forget("ann")
	text, err := f.s.Export(f.ctx(), "ann", quoteSetting)
	f.ok(err)
	var e store.Exported
	f.ok(json.Unmarshal(text, &e))
	f.same(e, store.Exported{Version: 1, User: store.ExportedUser{ID: "ann"}})
}

func testExport(t *testing.T, f *fixture) {
	f.played()
	c := change("live", 0)
	c.Snapshot = []byte("the hidden cards")
	f.commit(c)
	c = change("watched", 0)
	c.Users, c.Entries = []string{"bob"}, [][]byte{[]byte("ann was here")}
	f.commit(c)
	text, err := f.s.Export(f.ctx(), "ann", func(user, key string, value []byte) (json.RawMessage, error) {
		if key == "of/ann" {
			return nil, nil
		}
		return quoteSetting(user, key, value)
	})
	f.ok(err)
	if bytes := string(text); strings.Contains(bytes, "hidden") || strings.Contains(bytes, "name of bob") {
		t.Errorf("the export tells of others:\n%s", bytes)
	}
	var e store.Exported
	f.ok(json.Unmarshal(text, &e))
	var tables, results []string
	for _, row := range e.Tables {
		tables = append(tables, fmt.Sprintf("%s live %v seated %v", row.ID, row.Live, row.Seated))
	}
	for _, r := range e.Results {
		results = append(results, fmt.Sprintf("%s seat %d of %d honour %d rank %d to the end %v", r.Table, r.Seat, r.Seats, r.Honour, r.Rank, r.ToTheEnd))
	}
	f.same(tables, []string{
		"live live true seated true", "t0 live false seated true", "t1 live false seated true", "t2 live false seated true", "watched live true seated false",
	})
	f.same(results, []string{
		"t0 seat 1 of 3 honour 3 rank 2 to the end true", "t1 seat 1 of 3 honour 4 rank 1 to the end true", "t2 seat 1 of 3 honour 5 rank 1 to the end true",
	})
	f.same([]any{e.Version, e.User.Name, e.User.DMChannel, e.User.DMClosedUntil}, []any{1, "Ann", "dm", (*time.Time)(nil)})
	var data map[string]string
	f.ok(json.Unmarshal(e.User.Data, &data))
	f.same(data, map[string]string{"way": "dm"})
	f.same([]any{len(e.Servers), e.Servers[0].Guild, e.Servers[1].Guild, e.All.Games, e.All.Rating.Games}, []any{2, "elsewhere", "guild", 3, 3})
	f.same(e.Notes, map[string]json.RawMessage{"looked/t0": json.RawMessage(`"{\"ann\":3,\"bob\":4}"`)})
	// A former holder is told what they did, and that it was not to the end.
	text, err = f.s.Export(f.ctx(), "cid", quoteSetting)
	f.ok(err)
	e = store.Exported{}
	f.ok(json.Unmarshal(text, &e))
	f.same([]any{len(e.Results), e.Results[0].Table, e.Results[0].Seat, e.Results[0].ToTheEnd, e.Results[0].Moves, e.Results[1].ToTheEnd}, []any{2, "t2", 2, false, 2, true})
}
