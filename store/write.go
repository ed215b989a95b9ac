package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// step is one write. check looks at the transaction and at the step's own
// argument and writes nothing: its error concerns this step alone. apply
// writes; it fails only if the file or the disk does. A step may be run again
// from the start in another transaction.
type step interface {
	kind() string // one of the kinds in Failpoints
	check(x *tx) error
	apply(x *tx) error
}

// puts writes pairs until the first error.
type puts struct{ err error }

func (p *puts) put(b *bolt.Bucket, key, value []byte) {
	if p.err == nil {
		p.err = b.Put(key, value)
	}
}

func (p *puts) delete(b *bolt.Bucket, key []byte) {
	if p.err == nil {
		p.err = b.Delete(key)
	}
}

// commitStep is Commit.
type commitStep struct {
	change Change
	old    Row
	result *addedResult // nil if the change has none, or the table had one
	with   *commitStep  // nil if the change stands alone
	done   Committed
}

func newCommitStep(c Change) *commitStep {
	s := &commitStep{change: c}
	if c.With != nil {
		s.with = newCommitStep(*c.With)
	}
	return s
}

func (*commitStep) kind() string { return "commit" }

func (s *commitStep) check(x *tx) error {
	c := &s.change
	if c.Interaction != "" && x.in(seen).Get([]byte(c.Interaction)) != nil {
		return ErrRepeated
	}
	old, _, err := x.row(c.Table, false)
	if err != nil {
		return err
	}
	if old.Version != c.Expect {
		return fmt.Errorf("%w: version %d is stored, %d was expected", ErrConflict, old.Version, c.Expect)
	}
	if c.Live && c.Channel != "" {
		if holder := x.in(channels).Get([]byte(c.Channel)); holder != nil && string(holder) != c.Table {
			return &ChannelTakenError{Channel: c.Channel, Table: string(holder)}
		}
	}
	if old.Entries+len(c.Entries) > 1<<31-1 {
		return invalid("the history of the table is full")
	}
	s.old, s.result = old, nil
	if c.Result != nil {
		s.result, err = addResult(x, c)
	}
	if s.with != nil && err == nil {
		// Neither looks at what the other one writes: they are of different
		// tables, and only one of them can take a channel or have a result.
		err = s.with.check(x)
	}
	return err
}

func (s *commitStep) apply(x *tx) error {
	c := &s.change
	row := Row{
		ID: c.Table, Version: c.Expect + 1, Snapshot: c.Snapshot,
		Live: c.Live, Channel: c.Channel, Guild: c.Guild, Users: c.Users,
		Entries: s.old.Entries + len(c.Entries), Created: s.old.Created, Touched: c.At,
		Deadlines: DeadlineSet(c.Table, c.Deadlines),
	}
	if c.Expect == 0 {
		row.Created = c.At
	}
	var p puts
	p.put(x.in(tables), []byte(c.Table), encodeRow(&row))
	for i, data := range c.Entries {
		p.put(x.in(history), entryKey(c.Table, s.old.Entries+i+1), encodeEntry(c.At, data))
	}
	if c.Interaction != "" {
		p.put(x.in(seen), []byte(c.Interaction), encodeSeen(c.At, c.Table))
		p.put(x.in(seenAt), timeKey(c.At, c.Interaction), nil)
	}
	p.reindex(x, &s.old, &row)
	told := idSet{}
	told.readChange(c)
	p.named(x, c.Table, told)
	if s.result != nil {
		p.result(x, s.result)
	}
	for _, key := range c.DropIntents {
		p.delete(x.in(outbox), pairKey(c.Table, key))
	}
	if p.err != nil {
		return p.err
	}
	intents, err := addIntents(x, c.Table, c.Intents)
	s.done = Committed{Version: row.Version, Intents: intents}
	if s.with != nil && err == nil {
		err = s.with.apply(x)
		s.done.With = &s.with.done
	}
	return err
}

// reindex changes the indexes from the old row to the new one, touching only
// what differs.
func (p *puts) reindex(x *tx, old, row *Row) {
	if old.Live != row.Live {
		if row.Live {
			p.put(x.in(live), []byte(row.ID), nil)
		} else {
			p.delete(x.in(live), []byte(row.ID))
		}
	}
	was, is := liveKeys(x, old), liveKeys(x, row)
	for k := range was {
		if _, keep := is[k]; !keep {
			p.delete(k.bucket, []byte(k.key))
		}
	}
	for k, value := range is {
		if _, have := was[k]; !have {
			p.put(k.bucket, []byte(k.key), value)
		}
	}
	// Both sets are sorted: walk them side by side.
	a, b := old.Deadlines, row.Deadlines
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && CompareDeadlines(a[0], b[0]) < 0:
			p.delete(x.in(deadlines), deadlineKey(&a[0]))
			a = a[1:]
		case len(a) == 0 || CompareDeadlines(a[0], b[0]) > 0:
			p.put(x.in(deadlines), deadlineKey(&b[0]), nil)
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
}

type indexKey struct {
	bucket *bolt.Bucket
	key    string
}

// liveKeys are the index entries by which a live table is found.
func liveKeys(x *tx, row *Row) map[indexKey][]byte {
	if !row.Live {
		return nil
	}
	keys := make(map[indexKey][]byte, 2+len(row.Users))
	if row.Channel != "" {
		keys[indexKey{x.in(channels), row.Channel}] = []byte(row.ID)
	}
	if row.Guild != "" {
		keys[indexKey{x.in(guilds), string(pairKey(row.Guild, row.ID))}] = nil
	}
	for _, user := range row.Users {
		keys[indexKey{x.in(seats), string(pairKey(user, row.ID))}] = nil
	}
	return keys
}

// addIntents puts the intents into the outbox with new generations.
func addIntents(x *tx, table string, intents []Intent) ([]Intent, error) {
	if len(intents) == 0 {
		return nil, nil
	}
	generation := x.in(outbox).Sequence()
	added := make([]Intent, len(intents))
	told := idSet{}
	for i, in := range intents {
		generation++
		in.Table, in.Generation = table, generation
		in.NotBefore = in.NotBefore.Round(0).UTC()
		in.Payload = copyBytes(in.Payload)
		if err := x.in(outbox).Put(pairKey(table, in.Key), encodeIntent(&in)); err != nil {
			return nil, err
		}
		told.readIntent(&in)
		added[i] = in
	}
	var p puts
	if p.named(x, table, told); p.err != nil {
		return nil, p.err
	}
	return added, x.in(outbox).SetSequence(generation)
}

// Commit implements Store.
func (db *DB) Commit(ctx context.Context, c Change) (Committed, error) {
	s := newCommitStep(c)
	if err := db.write(ctx, c.Validate(), s); err != nil {
		return Committed{}, fmt.Errorf("commit table %q: %w", c.Table, err)
	}
	return s.done, nil
}

// enqueueStep is Enqueue.
type enqueueStep struct {
	table   string
	intents []Intent
	added   []Intent
}

func (*enqueueStep) kind() string        { return "enqueue" }
func (s *enqueueStep) check(x *tx) error { return x.mustExist(s.table) }
func (s *enqueueStep) apply(x *tx) (err error) {
	s.added, err = addIntents(x, s.table, s.intents)
	return err
}

// Enqueue implements Store.
func (db *DB) Enqueue(ctx context.Context, table string, intents []Intent) ([]Intent, error) {
	s := &enqueueStep{table: table, intents: intents}
	err := firstError(CheckName("the table id", table), ValidateIntents(intents))
	if err := db.write(ctx, err, s); err != nil {
		return nil, fmt.Errorf("enqueue for table %q: %w", table, err)
	}
	return s.added, nil
}

// settleStep is Settle.
type settleStep struct {
	Settlement
	remove bool
	users  map[string]User
}

func (*settleStep) kind() string { return "settle" }

func (s *settleStep) check(x *tx) error {
	if err := x.mustExist(s.Table); err != nil {
		return err
	}
	s.remove = false
	if s.Key != "" {
		if record := x.in(outbox).Get(pairKey(s.Table, s.Key)); record != nil {
			in, err := decodeIntent(s.Table, s.Key, record)
			s.remove = err != nil || in.Generation == s.Generation // what cannot be read is never said
		}
	}
	s.users = make(map[string]User, len(s.Users))
	for _, change := range s.Users {
		u, ok := s.users[change.ID]
		if !ok {
			var err error
			if u, err = x.userAnew(change.ID); err != nil {
				return err
			}
		}
		u, err := updated(u, change.Update)
		if err != nil {
			return err
		}
		s.users[change.ID] = u
	}
	return nil
}

func (s *settleStep) apply(x *tx) error {
	var p puts
	if s.remove {
		p.delete(x.in(outbox), pairKey(s.Table, s.Key))
	}
	for _, name := range s.Forget {
		p.forgetSurface(x, s.Table, name)
	}
	for _, sf := range s.Put {
		sf.Table = s.Table
		key := pairKey(s.Table, sf.Name)
		p.forgetSurface(x, s.Table, sf.Name)
		if sf.Message != "" {
			if other := x.in(messages).Get([]byte(sf.Message)); other != nil && !bytes.Equal(other, key) {
				p.delete(x.in(surfaces), append([]byte(nil), other...))
			}
			p.put(x.in(messages), []byte(sf.Message), key)
		}
		p.put(x.in(surfaces), key, encodeSurface(&sf))
		told := idSet{}
		told.readSurface(&sf)
		p.named(x, s.Table, told)
	}
	for id := range s.users {
		u := s.users[id]
		p.put(x.in(users), []byte(id), encodeUser(&u))
	}
	return p.err
}

// forgetSurface removes a surface with its way back from the message.
func (p *puts) forgetSurface(x *tx, table, name string) {
	key := pairKey(table, name)
	record := x.in(surfaces).Get(key)
	if record == nil || p.err != nil {
		return
	}
	switch sf, err := decodeSurface(table, name, record); {
	case err != nil: // it goes as well, and what leads to it with it
		var leading [][]byte
		_ = x.in(messages).ForEach(func(message, to []byte) error {
			if bytes.Equal(to, key) {
				leading = append(leading, bytes.Clone(message))
			}
			return nil
		})
		for _, message := range leading {
			p.delete(x.in(messages), message)
		}
	case sf.Message != "":
		p.delete(x.in(messages), []byte(sf.Message))
	}
	p.delete(x.in(surfaces), key)
}

// Settle implements Store.
func (db *DB) Settle(ctx context.Context, s Settlement) error {
	if err := db.write(ctx, s.Validate(), &settleStep{Settlement: s}); err != nil {
		return fmt.Errorf("settle for table %q: %w", s.Table, err)
	}
	return nil
}

// updated runs a user's update on a value of its own.
func updated(u User, update func(*User)) (_ User, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &callerPanic{v}
		}
	}()
	id := u.ID
	update(&u)
	u.ID = id
	if err := u.Validate(); err != nil {
		return User{}, err
	}
	u.Data = copyBytes(u.Data)
	return u, nil
}

// userAnew is a user as stored, or, of a record that cannot be read, an unknown
// one: what is known of them from now on is stored in its place.
func (x *tx) userAnew(id string) (User, error) {
	u, err := x.user(id)
	if errors.Is(err, ErrCorrupt) {
		return User{ID: id}, nil
	}
	return u, err
}

// userStep is UpdateUser.
type userStep struct {
	id     string
	update func(*User)
	user   User
}

func (*userStep) kind() string { return "user" }

func (s *userStep) check(x *tx) error {
	u, err := x.userAnew(s.id)
	if err != nil {
		return err
	}
	s.user, err = updated(u, s.update)
	return err
}

func (s *userStep) apply(x *tx) error {
	return x.in(users).Put([]byte(s.id), encodeUser(&s.user))
}

// UpdateUser implements Store.
func (db *DB) UpdateUser(ctx context.Context, id string, fn func(*User)) error {
	err := CheckName("the user's id", id)
	if fn == nil {
		err = invalid("the update of user %s is nil", id)
	}
	if err := db.write(ctx, err, &userStep{id: id, update: fn}); err != nil {
		return fmt.Errorf("update user %q: %w", id, err)
	}
	return nil
}

// putStep is Put.
type putStep struct {
	key   string
	value []byte
}

func (*putStep) kind() string      { return "put" }
func (*putStep) check(x *tx) error { return nil }
func (s *putStep) apply(x *tx) error {
	var p puts
	p.setting(x, s.key, s.value)
	return p.err
}

// Put implements Store.
func (db *DB) Put(ctx context.Context, key string, value []byte) error {
	err := firstError(CheckName("the key of a setting", key), CheckValue("a setting", value))
	if err := db.write(ctx, err, &putStep{key: key, value: value}); err != nil {
		return fmt.Errorf("put setting %q: %w", key, err)
	}
	return nil
}

// PruneLimit is how many interactions one call of Prune forgets at most, so
// that moves do not wait long behind it.
const PruneLimit = 1000

// pruneStep is Prune.
type pruneStep struct {
	before time.Time
	n      int
}

func (*pruneStep) kind() string      { return "prune" }
func (*pruneStep) check(x *tx) error { return nil }

func (s *pruneStep) apply(x *tx) error {
	s.n = 0
	end := timeKey(s.before, "")
	var old [][]byte
	for c, k := x.in(seenAt).Cursor(), []byte(nil); len(old) < PruneLimit; {
		if k == nil {
			k, _ = c.First()
		} else {
			k, _ = c.Next()
		}
		if k == nil || bytes.Compare(k, end) >= 0 {
			break
		}
		old = append(old, append([]byte(nil), k...))
	}
	var p puts
	for _, k := range old {
		_, id, err := splitTimeKey(k)
		if err != nil {
			return damaged("interaction", string(k), err)
		}
		p.delete(x.in(seenAt), k)
		p.delete(x.in(seen), []byte(id))
	}
	s.n = len(old)
	return p.err
}

// Prune implements Store.
func (db *DB) Prune(ctx context.Context, before time.Time) (int, error) {
	s := &pruneStep{before: before}
	if err := db.write(ctx, CheckTime("the time to prune to", before), s); err != nil {
		return 0, fmt.Errorf("prune interactions: %w", err)
	}
	return s.n, nil
}
