package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Rewrite takes a user out of what is opaque to the store. Its functions are
// called outside of any transaction, possibly several times for one value, and
// may use the store, but not forget.
//
// The store finds what to rewrite by the user's id, which whoever encodes
// must let stand as a word of its own: not beside a letter, digit or underscore.
type Rewrite struct {
	// Table returns what is stored of an ended table without the user: the
	// snapshot and the history, which has the same number of entries.
	Table func(user string, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error)
	// Setting returns a setting without the user; nil removes it.
	Setting func(user, key string, value []byte) ([]byte, error)
}

// Validate reports, as ErrInvalid, that a function is missing.
func (r Rewrite) Validate() error {
	if r.Table == nil || r.Setting == nil {
		return invalid("a rewrite without a function for tables or for settings")
	}
	return nil
}

// Mentions reports whether a user's id stands in what is stored, as a word.
func Mentions[T ~string | ~[]byte](stored T, user string) bool {
	if user == "" {
		return false
	}
	b := []byte(stored)
	for from := 0; ; {
		at := bytes.Index(b[from:], []byte(user))
		if at < 0 {
			return false
		}
		at += from
		end := at + len(user)
		if (at == 0 || !isWord(b[at-1])) && (end == len(b) || !isWord(b[end])) {
			return true
		}
		from = at + 1
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// forgetBatch is how many results or settings one transaction changes.
const forgetBatch = 100

// mark is what is still to be done until somebody is forgotten.
type mark struct {
	// begun is true until all but waiting is done; meanwhile new results do not
	// name the user.
	begun bool
	// dm is the channel of the user's direct messages; empty: there was none.
	dm string
	// waiting are tables to rewrite once they have ended.
	waiting []string
}

// waitsFor reports whether a table of these people is to be rewritten at its
// end. Of whose it is, who is forgotten has come back: none of them was one
// then.
func (m *mark) waitsFor(table, user string, users []string) bool {
	return slices.Contains(m.waiting, table) && !slices.Contains(users, user)
}

func encodeMark(m *mark) []byte {
	b := appendBool([]byte{formatV1}, m.begun)
	b = appendText(b, m.dm)
	b = binary.AppendUvarint(b, uint64(len(m.waiting)))
	for _, table := range m.waiting {
		b = appendText(b, table)
	}
	return b
}

func decodeMark(record []byte) (mark, error) {
	r := newReader(record)
	m := mark{begun: r.bool(), dm: r.string()}
	if n := r.count(1); n > 0 {
		m.waiting = make([]string, n)
		for i := range m.waiting {
			m.waiting[i] = r.string()
		}
	}
	return m, r.end()
}

// mark returns what is still to be done until the user is forgotten.
func (x *tx) mark(user string) (m mark, ok bool, err error) {
	record := x.in(forgetting).Get([]byte(user))
	if record == nil {
		return mark{}, false, nil
	}
	m, err = decodeMark(record)
	if err != nil {
		return mark{}, false, damaged("what is to be forgotten of user", user, err)
	}
	return m, true, nil
}

// markStep begins: it deletes the user and their standings.
type markStep struct {
	user  string
	mark  mark
	pools []string
}

func (*markStep) kind() string { return "forget" }

func (s *markStep) check(x *tx) error {
	seated := &SeatedError{User: s.user}
	err := eachPair(x.in(seats), s.user, func(table string, _ []byte) error {
		seated.Tables = append(seated.Tables, table)
		return nil
	})
	if err != nil {
		return err
	}
	if len(seated.Tables) > 0 {
		return seated
	}
	u, err := x.user(s.user)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err // a record that cannot be read goes with the rest
	}
	if s.mark, _, err = x.mark(s.user); err != nil {
		return err
	}
	s.mark.begun = true
	if u.DMChannel != "" {
		s.mark.dm = u.DMChannel
	}
	s.pools = nil
	return eachPair(x.in(standingOf), standingEntry(s.user, ""), func(pool string, _ []byte) error {
		s.pools = append(s.pools, pool)
		return nil
	})
}

func (s *markStep) apply(x *tx) error {
	var p puts
	p.put(x.in(forgetting), []byte(s.user), encodeMark(&s.mark))
	p.delete(x.in(users), []byte(s.user))
	last := x.in(results).Sequence()
	for _, pool := range s.pools {
		p.delete(x.in(standings), standingKey(pool, s.user, ""))
		p.delete(x.in(standingOf), standingsOfKey(pool, s.user, ""))
		// What others were rated against them can no longer be made anew.
		p.put(x.in(pools), pairKey(pool, ""), encodeBase(last))
	}
	return p.err
}

// forgetResultsStep takes the user out of some of their results.
type forgetResultsStep struct {
	user    string
	results []Result
}

func (*forgetResultsStep) kind() string { return "forget" }

func (s *forgetResultsStep) check(x *tx) error {
	s.results = nil
	return x.resultsBy(userResults, s.user, 0, forgetBatch, func(r Result) {
		r.Forget(s.user)
		s.results = append(s.results, r)
	})
}

func (s *forgetResultsStep) apply(x *tx) error {
	var p puts
	for i := range s.results {
		r := &s.results[i]
		p.put(x.in(results), resultKey(r.Number), encodeResult(r))
		p.delete(x.in(userResults), resultOfKey(s.user, r.Number))
	}
	return p.err
}

// forgetSettingsStep changes settings that are still what they were.
type forgetSettingsStep struct {
	changes []settingChange
	missed  bool // one of them was not
}

type settingChange struct {
	key        string
	was, value []byte // a nil value removes it
}

func (*forgetSettingsStep) kind() string { return "forget" }

func (s *forgetSettingsStep) check(x *tx) error {
	s.missed = false
	return nil
}

func (s *forgetSettingsStep) apply(x *tx) error {
	var p puts
	for _, c := range s.changes {
		switch stored := x.in(settings).Get([]byte(c.key)); {
		case stored == nil || !bytes.Equal(stored, c.was):
			s.missed = true
		default:
			p.setting(x, c.key, c.value)
		}
	}
	return p.err
}

// forgetTableStep writes an ended table without the user.
type forgetTableStep struct {
	user    string
	dm      string
	was     uint64 // the version of which row and entries were made
	row     Row
	entries []Entry

	intents  [][]byte // keys of intents to drop
	surfaces []string // names of surfaces to forget
}

func (*forgetTableStep) kind() string { return "forget" }

func (s *forgetTableStep) check(x *tx) error {
	old, ok, err := x.row(s.row.ID, false)
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrNotFound
	case old.Live || old.Version != s.was:
		return ErrConflict
	}
	s.surfaces, err = x.surfacesOf(s.row.ID, s.user, s.dm)
	if err != nil {
		return err
	}
	s.intents = nil
	return x.eachIntent(s.row.ID, func(in Intent, _ error) {
		if in.mentions(s.user, s.dm) {
			s.intents = append(s.intents, pairKey(in.Table, in.Key))
		}
	})
}

func (s *forgetTableStep) apply(x *tx) error {
	var p puts
	p.put(x.in(tables), []byte(s.row.ID), encodeRow(&s.row))
	for _, e := range s.entries {
		p.put(x.in(history), entryKey(s.row.ID, e.Seq), encodeEntry(e.At, e.Data))
	}
	for _, key := range s.intents {
		p.delete(x.in(outbox), key)
	}
	for _, name := range s.surfaces {
		p.forgetSurface(x, s.row.ID, name)
	}
	p.unnamed(x, s.row.ID, s.user, s.dm)
	return p.err
}

// surfacesOf are the names of a table's surfaces that are about the user or in
// the channel of their direct messages; an empty channel has none.
func (x *tx) surfacesOf(table, user, dm string) (names []string, err error) {
	err = x.eachSurface(table, func(sf Surface, spoiled error) {
		there := sf.Channel == dm || spoiled != nil && bytes.Contains(sf.Data, []byte(dm))
		if Mentions(sf.Name, user) || Mentions(sf.Data, user) || dm != "" && there {
			names = append(names, sf.Name)
		}
	})
	return names, err
}

// eachSurface calls fn for each surface of a table. It is for who looks for
// somebody: one that cannot be read, which is what spoiled says, has its record
// as data.
func (x *tx) eachSurface(table string, fn func(sf Surface, spoiled error)) error {
	return eachPair(x.in(surfaces), table, func(name string, record []byte) error {
		sf, err := decodeSurface(table, name, record)
		if err != nil {
			sf, err = Surface{Table: table, Name: name, Data: copyBytes(record)}, damaged("surface of table", table, err)
		}
		fn(sf, err)
		return nil
	})
}

// eachIntent calls fn for each pending intent of a table, as eachSurface does
// for surfaces: one that cannot be read has its record as payload.
func (x *tx) eachIntent(table string, fn func(in Intent, spoiled error)) error {
	return eachPair(x.in(outbox), table, func(key string, record []byte) error {
		in, err := decodeIntent(table, key, record)
		if err != nil {
			in, err = Intent{Table: table, Key: key, Payload: copyBytes(record)}, damaged("intent of table", table, err)
		}
		fn(in, err)
		return nil
	})
}

// mentions reports whether the intent is about the user or goes to them.
func (in *Intent) mentions(user, dm string) bool {
	return Mentions(in.Key, user) || Mentions(in.Channel, user) || Mentions(in.Payload, user) || dm != "" && in.Channel == dm
}

// unmarkStep ends: the user is forgotten, but for tables that still wait.
type unmarkStep struct {
	user string
	left mark
}

func (*unmarkStep) kind() string      { return "forget" }
func (*unmarkStep) check(x *tx) error { return nil }

func (s *unmarkStep) apply(x *tx) error {
	var p puts
	if len(s.left.waiting) == 0 {
		p.delete(x.in(forgetting), []byte(s.user))
	} else {
		p.put(x.in(forgetting), []byte(s.user), encodeMark(&s.left))
	}
	p.put(x.in(settings), []byte(fillKey), nil) // scrub is to come
	return p.err
}

// Forget implements Store.
func (db *DB) Forget(ctx context.Context, user string, rewrite Rewrite) (waiting []string, err error) {
	err = firstError(CheckName("the user's id", user), rewrite.Validate())
	if err == nil {
		err = db.alone(ctx, func() error {
			if err := db.write(ctx, nil, &markStep{user: user}); err != nil {
				return err
			}
			waiting, err = db.forget(ctx, user, rewrite)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("forget user %q: %w", user, err)
	}
	return waiting, nil
}

// alone runs fn while nobody else forgets.
func (db *DB) alone(ctx context.Context, fn func() error) error {
	select {
	case db.forgets <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-db.forgets }()
	return fn()
}

// ForgetRest implements Store.
func (db *DB) ForgetRest(ctx context.Context, rewrite Rewrite) (waiting int, err error) {
	if err := rewrite.Validate(); err != nil {
		return 0, fmt.Errorf("forget users: %w", err)
	}
	if err := db.scrubRest(ctx); err != nil {
		return 0, fmt.Errorf("forget users: %w", err)
	}
	var ids []string
	err = db.view(ctx, "list the users to forget", func(x *tx) error {
		return x.in(forgetting).ForEach(func(k, _ []byte) error {
			ids = append(ids, string(k))
			return nil
		})
	})
	if err != nil {
		return 0, fmt.Errorf("forget users: %w", err)
	}
	for _, id := range ids {
		var tables []string
		// What cannot be forgotten of one of them holds up none of the others.
		failed := db.alone(ctx, func() (err error) {
			tables, err = db.forget(ctx, id, rewrite)
			return err
		})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("user %q: %w", id, failed))
		} else if len(tables) > 0 {
			waiting++
		}
		if ctx.Err() != nil {
			err = errors.Join(err, ctx.Err()) // who comes after was not tried
			break
		}
	}
	if err != nil {
		return 0, fmt.Errorf("forget users: %w", err)
	}
	return waiting, nil
}

// forget does what the user's mark says. Each of its steps finds what is
// left to do, so that it can begin anew at any point. The caller alone forgets.
func (db *DB) forget(ctx context.Context, user string, rewrite Rewrite) (waiting []string, err error) {
	var m mark
	var marked bool
	err = db.view(ctx, "read what is to be forgotten", func(x *tx) error {
		m, marked, err = x.mark(user)
		return err
	})
	if err != nil || !marked {
		return nil, err
	}
	var failed error
	tables := m.waiting
	if m.begun {
		if err := db.forgetResults(ctx, user); err != nil {
			return nil, err
		}
		if err := db.forgetSettings(ctx, user, rewrite); err != nil {
			return nil, err
		}
		if tables, err = db.tablesNaming(ctx, user, m.dm); err != nil {
			return nil, err
		}
	}
	for _, table := range tables {
		waits, err := db.forgetTable(ctx, user, &m, table, rewrite)
		if err != nil {
			// The others do not wait for it; the mark stays, and the next round tries again.
			failed = errors.Join(failed, fmt.Errorf("table %q: %w", table, err))
		}
		if waits {
			waiting = append(waiting, table)
		}
	}
	if failed != nil {
		return waiting, failed
	}
	if !m.begun && len(waiting) == len(m.waiting) {
		return waiting, nil // nothing has changed
	}
	if err := db.write(ctx, nil, &unmarkStep{user: user, left: mark{dm: m.dm, waiting: waiting}}); err != nil {
		return waiting, err
	}
	return waiting, db.scrub(ctx)
}

func (db *DB) forgetResults(ctx context.Context, user string) error {
	for {
		s := &forgetResultsStep{user: user}
		if err := db.write(ctx, nil, s); err != nil || len(s.results) < forgetBatch {
			return err
		}
	}
}

func (db *DB) forgetSettings(ctx context.Context, user string, rewrite Rewrite) error {
	for missed := true; missed; {
		missed = false
		changes, err := db.settingsWith(ctx, user)
		if err != nil {
			return err
		}
		for i := range changes {
			c := &changes[i]
			if c.value, err = rewrite.Setting(user, c.key, c.was); err != nil {
				return fmt.Errorf("setting %q: %w", c.key, err)
			}
			if c.value != nil && (Mentions(c.key, user) || Mentions(c.value, user)) {
				return invalid("setting %q is rewritten and still names the user", c.key)
			}
			if err := CheckValue("a setting", c.value); err != nil {
				return err
			}
		}
		for batch := range slices.Chunk(changes, forgetBatch) {
			s := &forgetSettingsStep{changes: batch}
			if err := db.write(ctx, nil, s); err != nil {
				return err
			}
			missed = missed || s.missed
		}
	}
	return nil
}

// tableWith reports whether the user's id stands in a table, or whether it
// shows in the channel of their direct messages.
func (x *tx) tableWith(id, user, dm string) (bool, error) {
	row, ok, err := x.row(id, true)
	if err != nil || !ok {
		return false, err
	}
	if slices.Contains(row.Users, user) || Mentions(row.Snapshot, user) {
		return true, nil
	}
	shown, err := x.surfacesOf(id, user, dm)
	if err != nil || len(shown) > 0 {
		return len(shown) > 0, err
	}
	with := false
	err = x.eachIntent(id, func(in Intent, _ error) { with = with || in.mentions(user, dm) })
	if err != nil || with {
		return with, err
	}
	prefix := pairKey(id, "")
	c := x.in(history).Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if len(v) > 1+timeLen && Mentions(v[1+timeLen:], user) {
			return true, nil
		}
	}
	return false, nil
}

// forgetTable rewrites one table, or says that it waits for its end.
func (db *DB) forgetTable(ctx context.Context, user string, m *mark, id string, rewrite Rewrite) (waits bool, err error) {
	for dm := m.dm; ; {
		var row Row
		var entries []Entry
		with := false
		err := db.view(ctx, "read it", func(x *tx) (err error) {
			if with, err = x.tableWith(id, user, dm); err != nil || !with {
				return err
			}
			if row, _, err = x.row(id, true); err == nil {
				entries, err = x.history(id, 1, 0)
			}
			return err
		})
		switch {
		case err != nil:
			return false, err
		case !with && !indexed(user) && !indexed(dm):
			return false, nil
		case !with:
			return false, db.write(ctx, nil, &unnameStep{table: id, ids: []string{user, dm}})
		case slices.Contains(row.Users, user) && (row.Live || !m.begun):
			return false, nil // they came back: it is their table again
		case row.Live:
			return true, nil
		}
		s := &forgetTableStep{user: user, dm: dm, was: row.Version}
		if err := s.rewrite(row, entries, rewrite); err != nil {
			return false, err
		}
		if err := db.write(ctx, nil, s); !errors.Is(err, ErrConflict) {
			return false, err
		}
	}
}

// rewrite makes the row and the entries that change.
func (s *forgetTableStep) rewrite(row Row, entries []Entry, rewrite Rewrite) error {
	s.row = row
	s.row.Version++
	s.row.Users = slices.DeleteFunc(slices.Clone(row.Users), func(u string) bool { return u == s.user })
	named := slices.ContainsFunc(entries, func(e Entry) bool { return Mentions(e.Data, s.user) })
	if !named && !Mentions(row.Snapshot, s.user) {
		return nil
	}
	lines := make([][]byte, len(entries))
	for i, e := range entries {
		lines[i] = bytes.Clone(e.Data)
	}
	snapshot, after, err := rewrite.Table(s.user, bytes.Clone(row.Snapshot), lines)
	if err != nil {
		return err
	}
	if len(after) != len(entries) {
		return invalid("%d entries were rewritten as %d", len(entries), len(after))
	}
	if Mentions(snapshot, s.user) {
		return invalid("the snapshot is rewritten and still names the user")
	}
	s.row.Snapshot = snapshot
	err = CheckValue("the snapshot", snapshot)
	for i, e := range entries {
		switch {
		case Mentions(after[i], s.user):
			return invalid("entry %d is rewritten and still names the user", e.Seq)
		case bytes.Equal(after[i], e.Data):
			continue
		}
		err = firstError(err, CheckValue("an entry", after[i]))
		e.Data = after[i]
		s.entries = append(s.entries, e)
	}
	return err
}
