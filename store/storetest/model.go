package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"paladin/game/rating"
	"paladin/store"
)

// State is all that can be read from a store about the names that the tests
// use.
type State struct {
	Tables    []store.Row
	History   map[string][]store.Entry
	Surfaces  map[string][]store.Surface
	Live      []string
	Channels  map[string]string
	Seats     map[string][]string
	Guilds    map[string][]string
	Seen      map[string]string
	Pending   []store.Intent
	Deadlines []store.Deadline
	Next      time.Time
	Users     []store.User
	Settings  map[string]string
	Results   map[string][]store.Result // by "table t1", "user ann", "guild g2"
	Standings map[string][]store.Standing
	Exports   map[string]string
}

func tableNames() []string { return []string{"t1", "t1x", "t2", "t3"} }
func channelNames() []string {
	return []string{"", "c1", "c2", "channel of t1", "dm of a", "200000000000000001"}
}
func userNames() []string        { return append([]string{"ann", "anna", "bob"}, idNames()...) }
func idNames() []string          { return []string{"100000000000000001", "1000000000000000012"} } // as Discord's are
func guildNames() []string       { return []string{"", "guild", "g2"} }
func interactionNames() []string { return []string{"", "press", "i1", "i2", "i3", "i4", "i5", "i6"} }
func messageNames() []string     { return []string{"", "m", "m1", "m2", "m3"} }
func intentKeys() []string       { return []string{"board", "dm/0", "dm/1", "k"} }
func surfaceNames() []string     { return append(intentKeys(), "replay/ann", "replay/100000000000000001") }

// Dump reads the State of a store.
func Dump(t TB, s store.Store) State {
	t.Helper()
	d := State{
		History: map[string][]store.Entry{}, Surfaces: map[string][]store.Surface{}, Channels: map[string]string{},
		Seats: map[string][]string{}, Guilds: map[string][]string{}, Seen: map[string]string{}, Settings: map[string]string{},
		Results: map[string][]store.Result{}, Standings: map[string][]store.Standing{}, Exports: map[string]string{},
	}
	ctx := context.Background()
	err := s.LiveTables(ctx, func(id string) error { d.Live = append(d.Live, id); return nil })
	var errs [4]error
	d.Pending, errs[0] = s.Pending(ctx)
	d.Deadlines, errs[1] = s.Due(ctx, Epoch().AddDate(100, 0, 0), 0)
	d.Next, _, errs[2] = s.NextDeadline(ctx)
	errs[3] = errors.Join(d.tables(ctx, s), d.indexes(ctx, s), d.names(ctx, s), d.games(ctx, s))
	if err := errors.Join(err, errors.Join(errs[:]...)); err != nil {
		t.Fatalf("read the store: %v", err)
	}
	return d
}

// tables reads the tables with their history and surfaces.
func (d *State) tables(ctx context.Context, s store.Store) error {
	for _, id := range tableNames() {
		row, err := s.Table(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		d.Tables = append(d.Tables, row)
		if d.History[id], err = s.History(ctx, id, 1, 0); err != nil {
			return err
		}
		if d.Surfaces[id], err = s.Surfaces(ctx, id); err != nil {
			return err
		}
		for _, sf := range d.Surfaces[id] {
			got, ok, err := s.Surface(ctx, id, sf.Name)
			if err != nil {
				return err
			}
			if !ok || !reflect.DeepEqual(got, sf) {
				return fmt.Errorf("surface %s of %s is %+v in the list and %+v alone", sf.Name, id, sf, got)
			}
		}
	}
	return nil
}

// indexes reads by what tables and surfaces are found.
func (d *State) indexes(ctx context.Context, s store.Store) error {
	for _, channel := range channelNames() {
		id, ok, err := s.TableByChannel(ctx, channel)
		if err != nil {
			return err
		}
		if ok {
			d.Channels[channel] = id
		}
	}
	for _, guild := range guildNames() {
		ids, err := s.TablesByGuild(ctx, guild)
		if err != nil {
			return err
		}
		d.Guilds[guild] = ids
	}
	for _, message := range messageNames() {
		sf, ok, err := s.SurfaceByMessage(ctx, message)
		if err != nil {
			return err
		}
		if ok {
			d.Surfaces["message "+message] = []store.Surface{sf}
		}
	}
	return nil
}

// names reads the users, interactions and settings.
func (d *State) names(ctx context.Context, s store.Store) error {
	for _, user := range userNames() {
		ids, err := s.TablesByUser(ctx, user)
		if err != nil {
			return err
		}
		u, err := s.User(ctx, user)
		if err != nil {
			return err
		}
		d.Seats[user], d.Users = ids, append(d.Users, u)
	}
	for _, interaction := range interactionNames() {
		table, ok, err := s.Repeated(ctx, interaction)
		if err != nil {
			return err
		}
		if ok {
			d.Seen[interaction] = table
		}
	}
	for _, key := range intentKeys() {
		value, ok, err := s.Get(ctx, key)
		if err != nil {
			return err
		}
		if ok {
			d.Settings[key] = string(value)
		}
	}
	return nil
}

// games reads results and standings, and what can be exported.
func (d *State) games(ctx context.Context, s store.Store) error {
	var errs []error
	note := func(what string, list []store.Result, err error) {
		d.Results[what] = list
		errs = append(errs, err)
	}
	for _, table := range tableNames() {
		if r, ok, err := s.ResultOf(ctx, table); ok || err != nil {
			note("table "+table, []store.Result{r}, err)
		}
	}
	for _, user := range userNames() {
		list, err := s.ResultsByUser(ctx, user, 0, 0)
		note("user "+user, list, err)
		text, err := s.Export(ctx, user, quoteSetting)
		d.Exports[user] = string(text)
		errs = append(errs, err)
	}
	for _, guild := range guildNames() {
		list, err := s.ResultsByGuild(ctx, guild, 0, 0)
		note("guild "+guild, list, err)
		for _, q := range []store.StandingsQuery{{}, {Squires: true}, {Order: store.ByReliability, Offset: 1, Limit: 1}, {Order: store.ByWins, Limit: 2}} {
			list, total, err := s.Standings(ctx, guild, q)
			d.Standings[fmt.Sprintf("%s %v of %d", guild, q, total)] = list
			errs = append(errs, err)
		}
		for _, user := range userNames() {
			one, ok, err := s.Standing(ctx, guild, user)
			errs = append(errs, err)
			if ok {
				d.Standings[guild+" "+user] = []store.Standing{one}
			}
			place, there, err := s.Place(ctx, guild, user, store.ByHonour)
			errs = append(errs, err)
			d.Standings[fmt.Sprintf("%s %s at place %d", guild, user, place)] = []store.Standing{there}
		}
	}
	return errors.Join(errs...)
}

// Agree does the same random writes to s and to a Memory and demands the same
// answers and the same State. reopen is as in Open.
func Agree(t *rapid.T, s store.Store, reopen func() store.Store) {
	p := &twins{s: s, twin: NewMemory()}
	t.Repeat(map[string]func(*rapid.T){
		"commit":  p.commit,
		"commit2": p.commit, // the most frequent write
		"commit3": p.commit,
		"enqueue": p.enqueue,
		"settle":  p.settle,
		"settle2": p.settle,
		"user":    p.user,
		"put":     p.put,
		"prune":   p.prune,
		"drop":    p.drop,
		"ended":   p.ended,
		"forget":  p.forget,
		"rest":    p.forgetRest,
		"reopen": func(*rapid.T) {
			p.s = reopen()
			p.twin = p.twin.Reopen()
		},
		"look": p.look,
	})
	p.look(t)
}

type twins struct {
	s    store.Store
	twin *Memory
}

// look compares all that can be read.
func (p *twins) look(t *rapid.T) {
	want, got := Dump(t, p.twin), Dump(t, p.s)
	if reflect.DeepEqual(want, got) {
		return // much faster than to look for differences
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the stores differ (-twin +store):\n%s", diff)
	}
}

// same compares two answers.
func (p *twins) same(t *rapid.T, got, want any, gotErr, wantErr error) {
	t.Helper()
	if outcome(gotErr) != outcome(wantErr) {
		t.Fatalf("the store answers %v, its twin %v", gotErr, wantErr)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the answers differ (-twin +store):\n%s", diff)
	}
}

// outcome is the kind of an error, as callers tell them apart.
func outcome(err error) string {
	var taken *store.ChannelTakenError
	if errors.As(err, &taken) {
		return taken.Error()
	}
	var seated *store.SeatedError
	if errors.As(err, &seated) {
		return seated.Error()
	}
	for _, kind := range []error{store.ErrInvalid, store.ErrNotFound, store.ErrConflict, store.ErrRepeated} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return fmt.Sprint(err)
}

func drawTime(t *rapid.T, name string) time.Time {
	return Epoch().Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, name)))
}

// drawBytes draws bytes, some of which name somebody.
func drawBytes(t *rapid.T, name string) []byte {
	if user := pick(t, name+" names", append(userNames(), "", "")); user != "" {
		return []byte(rapid.SampledFrom([]string{"", "\x00", "x ", "x"}).Draw(t, name+" begins") + user)
	}
	return rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, name)
}

func pick(t *rapid.T, name string, from []string) string {
	return rapid.SampledFrom(from).Draw(t, name)
}

func drawIntents(t *rapid.T) []store.Intent {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) store.Intent {
		return store.Intent{
			Key: pick(t, "key", intentKeys()), Channel: pick(t, "lane", channelNames()),
			Payload: drawBytes(t, "payload"), NotBefore: drawTime(t, "not before"),
		}
	}), 0, 3).Draw(t, "intents")
}

func (p *twins) commit(t *rapid.T) {
	c := p.drawChange(t)
	if !c.Live && rapid.IntRange(0, 2).Draw(t, "finished") > 0 {
		c.Result = drawResult(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "with another") == 0 {
		with := p.drawChange(t)
		with.Interaction, with.Live = "", rapid.IntRange(0, 9).Draw(t, "wrong") == 0
		c.With = &with
	}
	got, gotErr := p.s.Commit(context.Background(), c)
	want, wantErr := p.twin.Commit(context.Background(), c)
	p.same(t, got, want, gotErr, wantErr)
}

// drawChange draws a change without a result.
func (p *twins) drawChange(t *rapid.T) store.Change {
	c := store.Change{
		Table: pick(t, "table", tableNames()), Snapshot: drawBytes(t, "snapshot"),
		Live: rapid.Bool().Draw(t, "live"), Channel: pick(t, "channel", channelNames()), Guild: pick(t, "guild", guildNames()),
		Users: rapid.SliceOfN(rapid.SampledFrom(userNames()), 0, 3).Draw(t, "users"),
		At:    drawTime(t, "at"), Interaction: pick(t, "interaction", interactionNames()),
		Entries:     rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []byte { return drawBytes(t, "entry") }), 0, 3).Draw(t, "entries"),
		Intents:     drawIntents(t),
		DropIntents: rapid.SliceOfN(rapid.SampledFrom(intentKeys()), 0, 2).Draw(t, "drop"),
		Deadlines: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) store.Deadline {
			return store.Deadline{
				Kind: pick(t, "kind", []string{"turn", "remind"}), Prompt: rapid.Uint64Max(2).Draw(t, "prompt"), At: drawTime(t, "deadline"),
			}
		}), 0, 3).Draw(t, "deadlines"),
	}
	row, _ := p.twin.Table(context.Background(), c.Table)
	c.Expect = row.Version
	if rapid.IntRange(0, 5).Draw(t, "stale") == 0 {
		c.Expect = rapid.Uint64Max(3).Draw(t, "expect")
	}
	return c
}

func (p *twins) enqueue(t *rapid.T) {
	table, intents := pick(t, "table", tableNames()), drawIntents(t)
	got, gotErr := p.s.Enqueue(context.Background(), table, intents)
	want, wantErr := p.twin.Enqueue(context.Background(), table, intents)
	p.same(t, got, want, gotErr, wantErr)
}

func (p *twins) settle(t *rapid.T) {
	s := store.Settlement{
		Table: pick(t, "table", tableNames()), Key: pick(t, "key", append(intentKeys(), "")),
		Generation: rapid.Uint64Max(30).Draw(t, "generation"),
		Forget:     rapid.SliceOfN(rapid.SampledFrom(surfaceNames()), 0, 2).Draw(t, "forget"),
		Put: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) store.Surface {
			return store.Surface{
				Name: pick(t, "name", surfaceNames()), Channel: pick(t, "channel", channelNames()), Message: pick(t, "message", messageNames()),
				Posted: drawTime(t, "posted"), Prompt: rapid.Uint64().Draw(t, "prompt"), Data: drawBytes(t, "data"),
			}
		}), 0, 3).Draw(t, "put"),
	}
	if pending, _ := p.twin.Pending(context.Background()); len(pending) > 0 && rapid.Bool().Draw(t, "current") {
		in := rapid.SampledFrom(pending).Draw(t, "intent")
		s.Table, s.Key, s.Generation = in.Table, in.Key, in.Generation
	}
	for range rapid.IntRange(0, 2).Draw(t, "users") {
		s.Users = append(s.Users, drawUpdate(t))
	}
	p.same(t, nil, nil, p.s.Settle(context.Background(), s), p.twin.Settle(context.Background(), s))
}

func drawUpdate(t *rapid.T) store.UserUpdate {
	name := pick(t, "name", []string{"a", "b", "\x00 cannot be stored"})
	closed, data := drawTime(t, "closed"), drawBytes(t, "data")
	dm := pick(t, "dm", []string{"dm of a", "dm of b", "200000000000000001"})
	return store.UserUpdate{ID: pick(t, "user", userNames()), Update: func(u *store.User) {
		u.Name += name
		if len(u.Name) > 20 {
			u.Name = ""
		}
		u.DMChannel = dm
		u.DMClosedUntil, u.Data = closed, slices.Concat(data, u.Data)[:min(24, len(data)+len(u.Data))]
	}}
}

func (p *twins) user(t *rapid.T) {
	u := drawUpdate(t)
	p.same(t, nil, nil, p.s.UpdateUser(context.Background(), u.ID, u.Update), p.twin.UpdateUser(context.Background(), u.ID, u.Update))
}

func (p *twins) put(t *rapid.T) {
	key, value := pick(t, "key", intentKeys()), drawBytes(t, "value")
	if rapid.Bool().Draw(t, "remove") {
		value = nil
	}
	p.same(t, nil, nil, p.s.Put(context.Background(), key, value), p.twin.Put(context.Background(), key, value))
}

func (p *twins) drop(t *rapid.T) {
	table := pick(t, "table", tableNames())
	version := uint64(rapid.IntRange(0, 3).Draw(t, "version"))
	if row, err := p.twin.Table(context.Background(), table); err == nil && rapid.Bool().Draw(t, "as it is") {
		version = row.Version
	}
	gotErr, wantErr := p.s.Drop(context.Background(), table, version), p.twin.Drop(context.Background(), table, version)
	p.same(t, nil, nil, gotErr, wantErr)
}

func (p *twins) ended(t *rapid.T) {
	after, limit := pick(t, "after", append([]string{""}, tableNames()...)), rapid.IntRange(1, 3).Draw(t, "limit")
	got, gotErr := p.s.EndedTables(context.Background(), after, limit)
	want, wantErr := p.twin.EndedTables(context.Background(), after, limit)
	p.same(t, append([]string{}, got...), append([]string{}, want...), gotErr, wantErr)
}

func (p *twins) prune(t *rapid.T) {
	before := drawTime(t, "before")
	got, gotErr := p.s.Prune(context.Background(), before)
	want, wantErr := p.twin.Prune(context.Background(), before)
	p.same(t, got, want, gotErr, wantErr)
}

// drawResult draws a game of some people and squires, in which anybody may have held any seat.
func drawResult(t *rapid.T) *store.Result {
	people := rapid.Permutation(userNames()).Draw(t, "people")
	r := &store.Result{HouseDeck: rapid.Bool().Draw(t, "house")}
	if rapid.Bool().Draw(t, "ended before") {
		r.Finished = drawTime(t, "finished")
	}
	var honours []int
	for range rapid.IntRange(1, store.MaxResultSeats).Draw(t, "seats") {
		s := store.ResultSeat{Honour: rapid.IntRange(0, 3).Draw(t, "honour")}
		if len(people) == 0 || rapid.Bool().Draw(t, "squire") {
			s.Squire = pick(t, "strength", []string{"easy", "normal"})
		} else {
			s.Player, s.Away, people = drawPlayer(t, people[0]), rapid.Bool().Draw(t, "away"), people[1:]
			if len(people) > 0 && rapid.Bool().Draw(t, "stood in") {
				s.Former, people = []store.Player{drawPlayer(t, people[0])}, people[1:]
			}
		}
		r.Seats, honours = append(r.Seats, s), append(honours, s.Honour)
	}
	for i, rank := range rating.Ranks(honours) {
		r.Seats[i].Rank = rank
	}
	return r
}

func drawPlayer(t *rapid.T, user string) store.Player {
	moves := rapid.IntRange(0, 40).Draw(t, "moves")
	return store.Player{
		User: user, Name: "name of " + user, Moves: moves, InTime: rapid.IntRange(0, moves).Draw(t, "in time"),
		SquireMoves: rapid.IntRange(0, 9).Draw(t, "squire's"), Timeouts: rapid.IntRange(0, 3).Draw(t, "timeouts"),
	}
}

func (p *twins) forget(t *rapid.T) {
	user := pick(t, "user", userNames())
	got, gotErr := p.s.Forget(context.Background(), user, Erase())
	want, wantErr := p.twin.Forget(context.Background(), user, Erase())
	p.same(t, got, want, gotErr, wantErr)
}

func (p *twins) forgetRest(t *rapid.T) {
	got, gotErr := p.s.ForgetRest(context.Background(), Erase())
	want, wantErr := p.twin.ForgetRest(context.Background(), Erase())
	p.same(t, got, want, gotErr, wantErr)
}

// Erase returns a rewrite that puts "somebody" in the place of the user, and removes settings that name them.
func Erase() store.Rewrite {
	erase := func(user string, b []byte) []byte {
		return regexp.MustCompile(`\b`+regexp.QuoteMeta(user)+`\b`).ReplaceAll(b, []byte("somebody"))
	}
	return store.Rewrite{
		Table: func(user string, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error) {
			for i := range entries {
				entries[i] = erase(user, entries[i])
			}
			return erase(user, snapshot), entries, nil
		},
		Setting: func(user, key string, value []byte) ([]byte, error) {
			if store.Mentions(key, user) {
				return nil, nil
			}
			return erase(user, value), nil
		},
	}
}

// quoteSetting exports a setting as it is.
func quoteSetting(_, _ string, value []byte) (json.RawMessage, error) {
	return json.Marshal(string(value))
}
