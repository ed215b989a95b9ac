package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"paladin/store"
)

// ErrInjected is the failure that a Memory was told to have.
var ErrInjected = errors.New("injected failure")

// Fault is how a call fails on purpose.
type Fault int

const (
	// None lets the call do its work.
	None Fault = iota
	// Before fails the call before it does anything.
	Before
	// After fails a call that would have succeeded, once its work is done. The
	// error of a write is store.ErrUncertain as well, for that is what it is.
	After
)

// Call is one call of a Memory.
type Call struct {
	N      int    // from 1, since the Memory was made
	Method string // "Commit"
	Writes bool
}

// Memory is a Store in memory, for tests. It keeps all promises but the one
// about the disk, and fails when told to. It may be used by many goroutines.
type Memory struct {
	mu     sync.Mutex
	data   *data
	closed bool
	calls  int
	fail   func(Call) Fault
}

var _ store.Store = (*Memory)(nil)

// data is what outlives closing.
type data struct {
	tables     map[string]store.Row
	history    map[string][]store.Entry
	seen       map[string]seen
	generation uint64
	outbox     map[pair]store.Intent
	surfaces   map[pair]store.Surface
	users      map[string]store.User
	settings   map[string][]byte
	results    []store.Result
	standings  map[standingID]store.Standing
	marks      map[string]mark
}

type pair struct{ table, name string }

type seen struct {
	at    time.Time
	table string
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{data: &data{
		tables: map[string]store.Row{}, history: map[string][]store.Entry{}, seen: map[string]seen{},
		outbox: map[pair]store.Intent{}, surfaces: map[pair]store.Surface{},
		users: map[string]store.User{}, settings: map[string][]byte{},
		standings: map[standingID]store.Standing{}, marks: map[string]mark{},
	}}
}

// Reopen closes m and returns a store with the same contents, as a new process
// would find them. Its calls count from 1 and none of them fails.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return &Memory{data: m.data}
}

// Fail makes fn decide about every call from now on; nil lets all succeed. fn
// must not use m.
func (m *Memory) Fail(fn func(Call) Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fn
}

// FailAt makes the call with number n fail, and no other. A test that counts n
// up from 1 until Calls stays below it has failed every call once.
func (m *Memory) FailAt(n int, fault Fault) {
	m.Fail(func(c Call) Fault {
		if c.N == n {
			return fault
		}
		return None
	})
}

// Calls returns how many calls there were. Calls with an invalid argument or
// an ended context, and Close, do not count.
func (m *Memory) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

func (m *Memory) read(ctx context.Context, method string, fn func(d *data) error) error {
	return m.do(ctx, Call{Method: method}, fn)
}

// write runs fn unless the argument is invalid. fn must find every reason to
// fail before it changes anything.
func (m *Memory) write(ctx context.Context, invalid error, method string, fn func(d *data) error) error {
	if invalid != nil {
		return invalid
	}
	return m.do(ctx, Call{Method: method, Writes: true}, fn)
}

func (m *Memory) do(ctx context.Context, call Call, fn func(d *data) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.closed {
		return store.ErrClosed
	}
	m.calls++
	call.N = m.calls
	fault := None
	if m.fail != nil {
		fault = m.fail(call)
	}
	if fault == Before {
		return fmt.Errorf("%s: %w", call.Method, ErrInjected)
	}
	if err := fn(m.data); err != nil {
		return err
	}
	if fault == None {
		return nil
	}
	if call.Writes {
		return fmt.Errorf("%s: %w: %w", call.Method, store.ErrUncertain, ErrInjected)
	}
	return fmt.Errorf("%s: %w", call.Method, ErrInjected)
}

// own returns a copy of b; no bytes are nil, as they are after a restart.
func own(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return bytes.Clone(b)
}

func utc(t time.Time) time.Time { return t.Round(0).UTC() }

func cloneRow(r store.Row) store.Row {
	r.Snapshot = own(r.Snapshot)
	r.Users = append([]string(nil), r.Users...)
	r.Deadlines = append([]store.Deadline(nil), r.Deadlines...)
	return r
}

// Commit implements store.Store.
func (m *Memory) Commit(ctx context.Context, c store.Change) (done store.Committed, err error) {
	err = m.write(ctx, c.Validate(), "Commit", func(d *data) error {
		if _, repeated := d.seen[c.Interaction]; repeated && c.Interaction != "" {
			return store.ErrRepeated
		}
		old := d.tables[c.Table]
		if old.Version != c.Expect {
			return fmt.Errorf("%w: version %d is stored, %d was expected", store.ErrConflict, old.Version, c.Expect)
		}
		if holder := d.holder(c.Channel); c.Live && holder != "" && holder != c.Table {
			return &store.ChannelTakenError{Channel: c.Channel, Table: holder}
		}
		if with := c.With; with != nil && d.tables[with.Table].Version != with.Expect {
			return fmt.Errorf("%w: version %d of %s is stored, %d was expected", store.ErrConflict, d.tables[with.Table].Version, with.Table, with.Expect)
		}
		done = d.commit(c, old)
		if c.With != nil {
			with := d.commit(*c.With, d.tables[c.With.Table])
			done.With = &with
		}
		return nil
	})
	if err != nil {
		return store.Committed{}, err
	}
	return done, nil
}

func (d *data) commit(c store.Change, old store.Row) store.Committed {
	row := cloneRow(store.Row{
		ID: c.Table, Version: c.Expect + 1, Snapshot: c.Snapshot, Live: c.Live, Channel: c.Channel, Guild: c.Guild,
		Users: c.Users, Entries: old.Entries + len(c.Entries), Created: old.Created, Touched: utc(c.At),
		Deadlines: store.DeadlineSet(c.Table, c.Deadlines),
	})
	if c.Expect == 0 {
		row.Created = row.Touched
	}
	d.tables[c.Table] = row
	for i, entry := range c.Entries {
		d.history[c.Table] = append(d.history[c.Table], store.Entry{Seq: old.Entries + i + 1, At: row.Touched, Data: own(entry)})
	}
	if c.Interaction != "" {
		d.seen[c.Interaction] = seen{row.Touched, c.Table}
	}
	d.addResult(c)
	for _, key := range c.DropIntents {
		delete(d.outbox, pair{c.Table, key})
	}
	return store.Committed{Version: row.Version, Intents: d.enqueue(c.Table, c.Intents)}
}

func (d *data) enqueue(table string, intents []store.Intent) (added []store.Intent) {
	for _, in := range intents {
		d.generation++
		in.Table, in.Generation = table, d.generation
		in.NotBefore = utc(in.NotBefore)
		in.Payload = own(in.Payload)
		d.outbox[pair{table, in.Key}] = in
		in.Payload = own(in.Payload)
		added = append(added, in)
	}
	return added
}

// holder returns the live table that holds the channel.
func (d *data) holder(channel string) string {
	if channel == "" {
		return ""
	}
	for id, row := range d.tables {
		if row.Live && row.Channel == channel {
			return id
		}
	}
	return ""
}

// live returns the sorted ids of the live tables that pass.
func (d *data) live(pass func(store.Row) bool) (ids []string) {
	for id, row := range d.tables {
		if row.Live && pass(row) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Table implements store.Store.
func (m *Memory) Table(ctx context.Context, id string) (row store.Row, err error) {
	err = m.read(ctx, "Table", func(d *data) error {
		stored, ok := d.tables[id]
		if !ok {
			return store.ErrNotFound
		}
		row = cloneRow(stored)
		return nil
	})
	return row, err
}

// TableByChannel implements store.Store.
func (m *Memory) TableByChannel(ctx context.Context, channel string) (id string, ok bool, err error) {
	err = m.read(ctx, "TableByChannel", func(d *data) error {
		id = d.holder(channel)
		ok = id != ""
		return nil
	})
	return id, ok, err
}

// TablesByUser implements store.Store.
func (m *Memory) TablesByUser(ctx context.Context, user string) (ids []string, err error) {
	err = m.read(ctx, "TablesByUser", func(d *data) error {
		ids = d.live(func(r store.Row) bool { return slices.Contains(r.Users, user) })
		return nil
	})
	return ids, err
}

// TablesByGuild implements store.Store.
func (m *Memory) TablesByGuild(ctx context.Context, guild string) (ids []string, err error) {
	err = m.read(ctx, "TablesByGuild", func(d *data) error {
		ids = d.live(func(r store.Row) bool { return r.Guild == guild && guild != "" })
		return nil
	})
	return ids, err
}

// LiveTables implements store.Store.
func (m *Memory) LiveTables(ctx context.Context, fn func(id string) error) error {
	var ids []string
	err := m.read(ctx, "LiveTables", func(d *data) error {
		ids = d.live(func(store.Row) bool { return true })
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := fn(id); err != nil {
			return err
		}
	}
	return nil
}

// EndedTables implements store.Store.
func (m *Memory) EndedTables(ctx context.Context, after string, limit int) (ids []string, err error) {
	err = m.read(ctx, "EndedTables", func(d *data) error {
		for id, row := range d.tables {
			if !row.Live && id > after {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		ids = ids[:min(len(ids), limit)]
		return nil
	})
	return ids, err
}

// Drop implements store.Store.
func (m *Memory) Drop(ctx context.Context, table string, version uint64) error {
	return m.write(ctx, store.CheckName("the table id", table), "Drop", func(d *data) error {
		row, ok := d.tables[table]
		of := func(p pair) bool { return p.table == table }
		switch {
		case !ok:
			return store.ErrNotFound
		case row.Live || row.Version != version,
			slices.ContainsFunc(d.results, func(r store.Result) bool { return r.Table == table }),
			slices.ContainsFunc(slices.Collect(maps.Keys(d.outbox)), of):
			return store.ErrConflict
		}
		delete(d.tables, table)
		delete(d.history, table)
		maps.DeleteFunc(d.surfaces, func(p pair, _ store.Surface) bool { return of(p) })
		return nil
	})
}

// History implements store.Store.
func (m *Memory) History(ctx context.Context, id string, from, limit int) (entries []store.Entry, err error) {
	err = m.read(ctx, "History", func(d *data) error {
		if _, ok := d.tables[id]; !ok {
			return store.ErrNotFound
		}
		for _, e := range d.history[id] {
			if e.Seq >= from && (limit <= 0 || len(entries) < limit) {
				e.Data = own(e.Data)
				entries = append(entries, e)
			}
		}
		return nil
	})
	return entries, err
}

// Repeated implements store.Store.
func (m *Memory) Repeated(ctx context.Context, interaction string) (table string, ok bool, err error) {
	err = m.read(ctx, "Repeated", func(d *data) error {
		s, found := d.seen[interaction]
		table, ok = s.table, found
		return nil
	})
	return table, ok, err
}

// Enqueue implements store.Store.
func (m *Memory) Enqueue(ctx context.Context, table string, intents []store.Intent) (added []store.Intent, err error) {
	invalid := store.CheckName("the table id", table)
	if invalid == nil {
		invalid = store.ValidateIntents(intents)
	}
	err = m.write(ctx, invalid, "Enqueue", func(d *data) error {
		if _, ok := d.tables[table]; !ok {
			return store.ErrNotFound
		}
		added = d.enqueue(table, intents)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// Pending implements store.Store.
func (m *Memory) Pending(ctx context.Context) (intents []store.Intent, err error) {
	err = m.read(ctx, "Pending", func(d *data) error {
		for _, in := range d.outbox {
			in.Payload = own(in.Payload)
			intents = append(intents, in)
		}
		slices.SortFunc(intents, func(a, b store.Intent) int { return cmp.Compare(a.Generation, b.Generation) })
		return nil
	})
	return intents, err
}

// Settle implements store.Store.
func (m *Memory) Settle(ctx context.Context, s store.Settlement) error {
	return m.write(ctx, s.Validate(), "Settle", func(d *data) error {
		if _, ok := d.tables[s.Table]; !ok {
			return store.ErrNotFound
		}
		users := map[string]store.User{}
		for _, change := range s.Users {
			u, ok := users[change.ID]
			if !ok {
				u = d.user(change.ID)
			}
			u, err := updated(u, change.Update)
			if err != nil {
				return err
			}
			users[change.ID] = u
		}
		if in, ok := d.outbox[pair{s.Table, s.Key}]; ok && in.Generation == s.Generation {
			delete(d.outbox, pair{s.Table, s.Key})
		}
		for _, name := range s.Forget {
			delete(d.surfaces, pair{s.Table, name})
		}
		for _, sf := range s.Put {
			d.putSurface(s.Table, sf)
		}
		maps.Copy(d.users, users)
		return nil
	})
}

func (d *data) putSurface(table string, sf store.Surface) {
	sf.Table = table
	sf.Posted = utc(sf.Posted)
	sf.Data = own(sf.Data)
	maps.DeleteFunc(d.surfaces, func(_ pair, other store.Surface) bool {
		return sf.Message != "" && other.Message == sf.Message
	})
	d.surfaces[pair{table, sf.Name}] = sf
}

// list returns the surfaces that pass, in order of name.
func (d *data) list(pass func(store.Surface) bool) (found []store.Surface) {
	for _, sf := range d.surfaces {
		if pass(sf) {
			sf.Data = own(sf.Data)
			found = append(found, sf)
		}
	}
	slices.SortFunc(found, func(a, b store.Surface) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

// Surface implements store.Store.
func (m *Memory) Surface(ctx context.Context, table, name string) (sf store.Surface, ok bool, err error) {
	return m.one(ctx, "Surface", func(s store.Surface) bool { return s.Table == table && s.Name == name })
}

// SurfaceByMessage implements store.Store.
func (m *Memory) SurfaceByMessage(ctx context.Context, message string) (sf store.Surface, ok bool, err error) {
	return m.one(ctx, "SurfaceByMessage", func(s store.Surface) bool { return s.Message == message && message != "" })
}

func (m *Memory) one(ctx context.Context, method string, pass func(store.Surface) bool) (sf store.Surface, ok bool, err error) {
	err = m.read(ctx, method, func(d *data) error {
		if found := d.list(pass); len(found) > 0 {
			sf, ok = found[0], true
		}
		return nil
	})
	return sf, ok, err
}

// Surfaces implements store.Store.
func (m *Memory) Surfaces(ctx context.Context, table string) (list []store.Surface, err error) {
	err = m.read(ctx, "Surfaces", func(d *data) error {
		list = d.list(func(s store.Surface) bool { return s.Table == table })
		return nil
	})
	return list, err
}

func (d *data) deadlines() (all []store.Deadline) {
	for _, row := range d.tables {
		all = append(all, row.Deadlines...)
	}
	slices.SortFunc(all, store.CompareDeadlines)
	return all
}

// Due implements store.Store.
func (m *Memory) Due(ctx context.Context, now time.Time, limit int) (due []store.Deadline, err error) {
	err = m.read(ctx, "Due", func(d *data) error {
		for _, dl := range d.deadlines() {
			if dl.At.After(now) || limit > 0 && len(due) == limit {
				break
			}
			due = append(due, dl)
		}
		return nil
	})
	return due, err
}

// NextDeadline implements store.Store.
func (m *Memory) NextDeadline(ctx context.Context) (at time.Time, ok bool, err error) {
	err = m.read(ctx, "NextDeadline", func(d *data) error {
		if all := d.deadlines(); len(all) > 0 {
			at, ok = all[0].At, true
		}
		return nil
	})
	return at, ok, err
}

func (d *data) user(id string) store.User {
	u := d.users[id]
	u.ID = id
	u.Data = own(u.Data)
	return u
}

func updated(u store.User, update func(*store.User)) (store.User, error) {
	id := u.ID
	update(&u)
	u.ID = id
	if err := u.Validate(); err != nil {
		return store.User{}, err
	}
	u.Data = own(u.Data)
	u.DMClosedUntil = utc(u.DMClosedUntil)
	return u, nil
}

// User implements store.Store.
func (m *Memory) User(ctx context.Context, id string) (u store.User, err error) {
	err = m.read(ctx, "User", func(d *data) error {
		u = d.user(id)
		return nil
	})
	return u, err
}

// UpdateUser implements store.Store.
func (m *Memory) UpdateUser(ctx context.Context, id string, fn func(*store.User)) error {
	err := store.CheckName("the user's id", id)
	if fn == nil {
		err = fmt.Errorf("%w: the update of user %s is nil", store.ErrInvalid, id)
	}
	return m.write(ctx, err, "UpdateUser", func(d *data) error {
		u, err := updated(d.user(id), fn)
		if err == nil {
			d.users[id] = u
		}
		return err
	})
}

// Get implements store.Store.
func (m *Memory) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	err = m.read(ctx, "Get", func(d *data) error {
		var v []byte
		if v, ok = d.settings[key]; ok {
			value = append([]byte{}, v...)
		}
		return nil
	})
	return value, ok, err
}

// Put implements store.Store.
func (m *Memory) Put(ctx context.Context, key string, value []byte) error {
	err := store.CheckName("the key of a setting", key)
	if err == nil {
		err = store.CheckValue("a setting", value)
	}
	return m.write(ctx, err, "Put", func(d *data) error {
		if value == nil {
			delete(d.settings, key)
		} else {
			d.settings[key] = bytes.Clone(value)
		}
		return nil
	})
}

// Keys implements store.Store.
func (m *Memory) Keys(ctx context.Context, prefix string) (keys []string, err error) {
	err = m.read(ctx, "Keys", func(d *data) error {
		for key := range d.settings {
			if strings.HasPrefix(key, prefix) {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		return nil
	})
	return keys, err
}

// Prune implements store.Store.
func (m *Memory) Prune(ctx context.Context, before time.Time) (n int, err error) {
	err = m.write(ctx, store.CheckTime("the time to prune to", before), "Prune", func(d *data) error {
		var old []string
		for id, s := range d.seen {
			if s.at.Before(before) {
				old = append(old, id)
			}
		}
		slices.SortFunc(old, func(a, b string) int {
			return cmp.Or(d.seen[a].at.Compare(d.seen[b].at), cmp.Compare(a, b))
		})
		n = min(len(old), store.PruneLimit)
		for _, id := range old[:n] {
			delete(d.seen, id)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Backup implements store.Store: the copy is a JSON text for people to read.
func (m *Memory) Backup(ctx context.Context, w io.Writer) (n int64, err error) {
	var text []byte
	err = m.read(ctx, "Backup", func(d *data) (err error) {
		text, err = json.Marshal(map[string]any{"tables": d.tables, "history": d.history, "users": d.users, "settings": d.settings, "results": d.results})
		return err
	})
	if err != nil {
		return 0, err
	}
	written, err := w.Write(text)
	return int64(written), err
}

// Close implements store.Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
