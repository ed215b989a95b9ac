package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"paladin/store"
)

// standingID is whose standing it is and where; one of user and squire is empty.
type standingID struct{ guild, user, squire string }

// mark is what is left to be done until somebody is forgotten. A Memory does all but wait in one go.
type mark struct {
	dm      string
	waiting []string
}

// addResult stores the result of a change.
func (d *data) addResult(c store.Change) {
	if c.Result == nil || slices.ContainsFunc(d.results, func(r store.Result) bool { return r.Table == c.Table }) {
		return
	}
	r := c.Result.Clone()
	r.Number, r.Table, r.Guild, r.Channel, r.Finished = uint64(len(d.results))+1, c.Table, c.Guild, c.Channel, utc(r.Finished)
	if r.Finished.IsZero() {
		r.Finished = utc(c.At)
	}
	for user, m := range d.marks {
		if slices.Contains(m.waiting, c.Table) && !slices.Contains(c.Users, user) {
			r.Forget(user)
		}
	}
	d.results = append(d.results, r)
	pools := []string{"", r.Guild}
	if r.Guild == "" {
		pools = pools[:1]
	}
	for _, guild := range pools {
		after := store.Tally(guild, &r, func(user, squire string) store.Standing { return d.standings[standingID{guild, user, squire}] })
		for _, s := range after {
			d.standings[standingID{guild, s.User, s.Squire}] = s
		}
	}
}

// ResultOf implements store.Store.
func (m *Memory) ResultOf(ctx context.Context, table string) (r store.Result, ok bool, err error) {
	list, err := m.results(ctx, "ResultOf", 0, 1, func(r store.Result) bool { return r.Table == table })
	if len(list) > 0 {
		r, ok = list[0], true
	}
	return r, ok, err
}

// ResultsByUser implements store.Store.
func (m *Memory) ResultsByUser(ctx context.Context, user string, before uint64, limit int) ([]store.Result, error) {
	return m.results(ctx, "ResultsByUser", before, limit, func(r store.Result) bool { return len(store.NewExportedResults(&r, user)) > 0 && user != "" })
}

// ResultsByGuild implements store.Store.
func (m *Memory) ResultsByGuild(ctx context.Context, guild string, before uint64, limit int) ([]store.Result, error) {
	return m.results(ctx, "ResultsByGuild", before, limit, func(r store.Result) bool { return r.Guild == guild && guild != "" })
}

func (m *Memory) results(ctx context.Context, method string, before uint64, limit int, pass func(store.Result) bool) (list []store.Result, err error) {
	err = m.read(ctx, method, func(d *data) error {
		for _, r := range slices.Backward(d.results) {
			if limit > 0 && len(list) == limit {
				break
			}
			if pass(r) && (before == 0 || r.Number < before) {
				list = append(list, r.Clone())
			}
		}
		return nil
	})
	return list, err
}

// Standing implements store.Store.
func (m *Memory) Standing(ctx context.Context, guild, user string) (s store.Standing, ok bool, err error) {
	err = m.read(ctx, "Standing", func(d *data) error {
		s, ok = d.standings[standingID{guild: guild, user: user}]
		return nil
	})
	return s, ok, err
}

// Standings implements store.Store.
func (m *Memory) Standings(ctx context.Context, guild string, q store.StandingsQuery) (list []store.Standing, total int, err error) {
	err = m.read(ctx, "Standings", func(d *data) error {
		var all []store.Standing
		for id, s := range d.standings {
			if id.guild == guild && guild != "" {
				all = append(all, s)
			}
		}
		list, total = q.Of(all)
		return nil
	})
	return list, total, err
}

// Place implements store.Store.
func (m *Memory) Place(ctx context.Context, guild, user string, order store.StandingOrder) (place int, s store.Standing, err error) {
	err = m.read(ctx, "Place", func(d *data) error {
		var all []store.Standing
		for id, s := range d.standings {
			if id.guild == guild && guild != "" {
				all = append(all, s)
			}
		}
		list, _ := store.StandingsQuery{Order: order}.Of(all)
		for i := range list {
			if list[i].User == user {
				place, s = i+1, list[i]
			}
		}
		return nil
	})
	return place, s, err
}

// Export implements store.Store.
func (m *Memory) Export(ctx context.Context, user string, setting store.ExportSetting) (text []byte, err error) {
	if err := store.ValidateExport(user, setting); err != nil {
		return nil, err
	}
	err = m.read(ctx, "Export", func(d *data) (err error) {
		text, err = d.export(user, setting)
		return err
	})
	return text, err
}

func (d *data) export(user string, setting store.ExportSetting) ([]byte, error) {
	u, m := d.user(user), d.marks[user]
	u.DMChannel = cmp.Or(u.DMChannel, m.dm)
	e := store.Exported{
		User: store.NewExportedUser(u), Tables: []store.ExportedTable{}, Servers: []store.ExportedStanding{}, Results: []store.ExportedResult{},
		Notes: map[string]json.RawMessage{},
	}
	_, e.Forgetting = d.marks[user]
	e.Waiting = m.waiting
	for _, id := range d.with(user, u.DMChannel) {
		row := d.tables[id]
		e.Tables = append(e.Tables, store.NewExportedTable(&row, slices.Contains(row.Users, user)))
	}
	for _, r := range d.results {
		e.Results = append(e.Results, store.NewExportedResults(&r, user)...)
	}
	for id, s := range d.standings {
		exported := store.NewExportedStanding(&s)
		switch {
		case id.user != user:
		case id.guild == "":
			e.All = &exported
		default:
			e.Servers = append(e.Servers, exported)
		}
	}
	slices.SortFunc(e.Servers, func(a, b store.ExportedStanding) int { return cmp.Compare(a.Guild, b.Guild) })
	for key, value := range d.settings {
		if !names(key, user) && !names(string(value), user) {
			continue
		}
		note, err := setting(user, key, own(value))
		if err != nil {
			return nil, err
		}
		if note != nil {
			e.Notes[key] = note
		}
	}
	return e.Encode()
}

// names reports whether a user's id stands in a text as a word.
func names(text, user string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(user) + `\b`).MatchString(text)
}

// with returns the tables in which the user's id stands or that show in the channel of their direct messages, sorted.
func (d *data) with(user, dm string) (ids []string) {
	for id, row := range d.tables {
		with := slices.Contains(row.Users, user) || names(string(row.Snapshot), user)
		for _, e := range d.history[id] {
			with = with || names(string(e.Data), user)
		}
		for key, sf := range d.surfaces {
			with = with || key.table == id && shows(sf, user, dm)
		}
		for key, in := range d.outbox {
			with = with || key.table == id && about(in, user, dm)
		}
		if with {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// about reports whether an intent is about the user or goes to them.
func about(in store.Intent, user, dm string) bool {
	return names(in.Key, user) || names(in.Channel, user) || names(string(in.Payload), user) || dm != "" && in.Channel == dm
}

// shows reports whether a surface is about the user or theirs to read.
func shows(sf store.Surface, user, dm string) bool {
	return names(sf.Name, user) || names(string(sf.Data), user) || dm != "" && sf.Channel == dm
}

// Forget implements store.Store. Its functions must not use m.
func (m *Memory) Forget(ctx context.Context, user string, rewrite store.Rewrite) (waiting []string, err error) {
	invalid := store.CheckName("the user's id", user)
	if invalid == nil {
		invalid = rewrite.Validate()
	}
	err = m.write(ctx, invalid, "Forget", func(d *data) (err error) {
		if tables := d.live(func(r store.Row) bool { return slices.Contains(r.Users, user) }); len(tables) > 0 {
			return &store.SeatedError{User: user, Tables: tables}
		}
		next := d.clone()
		if waiting, err = next.forget(user, rewrite); err == nil {
			*d = *next
		}
		return err
	})
	return waiting, err
}

// ForgetRest implements store.Store. Its functions must not use m.
func (m *Memory) ForgetRest(ctx context.Context, rewrite store.Rewrite) (waiting int, err error) {
	err = m.write(ctx, rewrite.Validate(), "ForgetRest", func(d *data) error {
		next := d.clone()
		var failed error
		for _, user := range slices.Sorted(maps.Keys(next.marks)) {
			mark := next.marks[user]
			tables, err := next.forgetTables(user, mark.dm, mark.waiting, false, rewrite)
			if failed = errors.Join(failed, err); err == nil && len(tables) > 0 {
				waiting++
			}
		}
		*d = *next
		return failed
	})
	if err != nil {
		return 0, err
	}
	return waiting, nil
}

// clone returns data of which each part can be changed without changing d.
func (d *data) clone() *data {
	c := *d
	c.tables, c.outbox, c.surfaces, c.users, c.settings = maps.Clone(d.tables), maps.Clone(d.outbox), maps.Clone(d.surfaces), maps.Clone(d.users), maps.Clone(d.settings)
	c.history = map[string][]store.Entry{}
	for id, entries := range d.history {
		c.history[id] = slices.Clone(entries)
	}
	c.results, c.standings, c.marks = slices.Clone(d.results), maps.Clone(d.standings), maps.Clone(d.marks)
	return &c
}

func (d *data) forget(user string, rewrite store.Rewrite) ([]string, error) {
	dm := cmp.Or(d.users[user].DMChannel, d.marks[user].dm)
	delete(d.users, user)
	maps.DeleteFunc(d.standings, func(id standingID, _ store.Standing) bool { return id.user == user })
	for i := range d.results {
		r := d.results[i].Clone()
		r.Forget(user)
		d.results[i] = r
	}
	for key, value := range d.settings {
		if !names(key, user) && !names(string(value), user) {
			continue
		}
		after, err := rewrite.Setting(user, key, own(value))
		switch {
		case err != nil:
			return nil, err
		case after == nil:
			delete(d.settings, key)
		case names(key, user) || names(string(after), user):
			return nil, fmt.Errorf("%w: setting %q still names the user", store.ErrInvalid, key)
		default:
			d.settings[key] = append([]byte{}, after...)
		}
	}
	return d.forgetTables(user, dm, d.with(user, dm), true, rewrite)
}

// forgetTables rewrites those of the tables that have ended and notes the others. begun is true when the user has just asked for it: then
// no table is one to which they came back.
func (d *data) forgetTables(user, dm string, ids []string, begun bool, rewrite store.Rewrite) (waiting []string, err error) {
	with := d.with(user, dm)
	for _, id := range ids {
		row := d.tables[id]
		switch {
		case !slices.Contains(with, id) || slices.Contains(row.Users, user) && (row.Live || !begun):
		case row.Live:
			waiting = append(waiting, id)
		default:
			if err := d.forgetTable(row, user, dm, rewrite); err != nil {
				return nil, err
			}
		}
	}
	if len(waiting) == 0 {
		delete(d.marks, user)
	} else {
		d.marks[user] = mark{dm, waiting}
	}
	return waiting, nil
}

func (d *data) forgetTable(row store.Row, user, dm string, rewrite store.Rewrite) error {
	row = cloneRow(row)
	named := names(string(row.Snapshot), user)
	lines := make([][]byte, len(d.history[row.ID]))
	for i, e := range d.history[row.ID] {
		lines[i] = own(e.Data)
		named = named || names(string(e.Data), user)
	}
	if named {
		snapshot, after, err := rewrite.Table(user, row.Snapshot, lines)
		if err != nil {
			return err
		}
		if names(string(snapshot), user) || len(after) != len(lines) {
			return fmt.Errorf("%w: table %q still names the user", store.ErrInvalid, row.ID)
		}
		row.Snapshot = own(snapshot)
		for i, line := range after {
			if names(string(line), user) {
				return fmt.Errorf("%w: table %q still names the user", store.ErrInvalid, row.ID)
			}
			d.history[row.ID][i].Data = own(line)
		}
	}
	row.Version++
	row.Users = slices.DeleteFunc(row.Users, func(u string) bool { return u == user })
	d.tables[row.ID] = cloneRow(row)
	maps.DeleteFunc(d.outbox, func(key pair, in store.Intent) bool { return key.table == row.ID && about(in, user, dm) })
	maps.DeleteFunc(d.surfaces, func(key pair, sf store.Surface) bool { return key.table == row.ID && shows(sf, user, dm) })
	return nil
}
