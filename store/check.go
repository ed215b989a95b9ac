package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Report is what Check found in a database.
type Report struct {
	Path   string
	Bytes  int64 // size of the file
	Schema int   // 0: the program that made the file ended before it had a schema

	Tables, Live, Entries, Interactions, Intents, Surfaces, Deadlines, Users, Settings, Results, Standings int

	// Faults are sentences; none means that the database is sound. Of very
	// many the last one tells how many are not listed.
	Faults []string
	// Contained is true if each of the faults lies within one record that means
	// nothing to the store: whoever reads the rest can do without it.
	Contained bool
	// Remarks are what is worth knowing of a sound database.
	Remarks []string
}

// An Inspection is what Check needs of others: another process for the pages,
// and what it makes of records that mean nothing to the store. Any of it may be
// nil. The errors are faults, but for a Remark; they are called once per record.
type Inspection struct {
	Examine Examiner
	// Table is handed a table and the whole history of it.
	Table func(row *Row, history []Entry) error
	// Setting, User and Intent are handed what is kept.
	Setting func(key string, value []byte) error
	User    func(u *User) error
	Intent  func(in *Intent) error
}

// Remark is what an Inspection returns of a record that is worth knowing and is
// no fault.
type Remark string

func (r Remark) Error() string { return string(r) }

// maxFaults is how many faults and how many remarks are listed; one fault is
// enough to refuse a file.
const maxFaults = 50

// faults collects what is wrong, up to maxFaults sentences.
type faults struct {
	list []string
	more int
}

func (f *faults) add(format string, args ...any) {
	if len(f.list) < maxFaults {
		f.list = append(f.list, fmt.Sprintf(format, args...))
		return
	}
	f.more++
}

// sentences returns what was collected, with a last line about what is not
// listed.
func (f *faults) sentences(what string) []string {
	if f.more == 0 {
		return f.list
	}
	return append(f.list[:len(f.list):len(f.list)], fmt.Sprintf("and %d more %s", f.more, what))
}

// Check examines a database that no process may hold: that its pages are well
// formed, that every record can be read, and that every index and every record
// that belongs to a table agrees with it both ways, and that the standings are
// what follows from the results. What is in the records is in's to judge.
// Nothing is written or created.
//
// A damaged database is a Report with faults. The error says why there is no
// report: the file is missing (fs.ErrNotExist), held (ErrHeld), no database
// (ErrNotDatabase) or from a newer program (ErrNewer).
func Check(path string, in Inspection) (Report, error) {
	r, err := check(path, DefaultLockTimeout, in)
	if err != nil {
		return Report{}, fmt.Errorf("check database %s: %w", path, err)
	}
	return r, nil
}

// mustBeFile refuses what cannot hold a database.
func mustBeFile(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; name an existing database", fs.ErrNotExist)
	}
	empty, err := isFresh(path)
	if err == nil && empty {
		err = fmt.Errorf("%w: the file is empty", ErrNotDatabase)
	}
	return err
}

func check(path string, timeout time.Duration, in Inspection) (Report, error) {
	if err := mustBeFile(path); err != nil {
		return Report{}, err
	}
	r := Report{Path: path}
	f, err := openReader(path, timeout)
	if corrupt := (*CorruptError)(nil); errors.As(err, &corrupt) {
		r.Faults = corrupt.Faults
		return r, nil
	}
	if err != nil {
		return Report{}, err
	}
	defer f.close()
	r.Bytes = f.size
	ctx, cancel := context.WithTimeout(context.Background(), examinePatience(f.size))
	defer cancel()
	found, err := examine(ctx, in.Examine, path)
	if errors.Is(err, context.DeadlineExceeded) {
		found, err = endless(f.size), nil
	}
	if err != nil {
		return Report{}, err
	}
	if r.Faults, r.Remarks = found.Faults, found.Remarks; len(r.Faults) > 0 {
		return r, nil // what the records say is not worth reading
	}
	r.Schema, err = f.schema()
	if corrupt := (*CorruptError)(nil); errors.As(err, &corrupt) {
		r.Faults = corrupt.Faults
		return r, nil
	}
	if err != nil {
		return Report{}, err
	}
	if known := len(migrations(nil)); r.Schema > known {
		return Report{}, &NewerError{Schema: r.Schema, Known: known}
	}
	if r.Schema == 0 {
		return r, nil // there is nothing in it
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	a := &audit{report: &r, in: in}
	if err := guard(func() error { return f.bolt.View(a.run) }); err != nil {
		a.add("%s", faultOf(err))
	}
	r.Faults = a.sentences("faults")
	r.Contained = a.contained == len(a.list)+a.more
	r.Remarks = append(r.Remarks, a.remarks.sentences("remarks")...)
	return r, nil
}

// audit holds the records of a database against each other.
type audit struct {
	faults
	remarks faults
	// contained counts the faults that an Inspection found.
	contained int
	report    *Report
	in        Inspection
	x         *tx
}

// inspected takes up what an Inspection says of a record.
func (a *audit) inspected(what string, key any, err error) {
	var remark Remark
	switch {
	case err == nil:
	case errors.As(err, &remark):
		a.remarks.add("%s %q: %s", what, key, remark)
	default:
		a.contained++
		a.add("%s %q: %v", what, key, err)
	}
}

func (a *audit) run(t *bolt.Tx) error {
	x := newTx(t)
	a.x = x
	r := a.report
	r.Tables = a.each(x.in(tables), a.table)
	r.Live = a.eachIndex("live tables", x.in(live), a.liveIndex)
	a.each(x.in(channels), a.channelIndex)
	a.eachIndex("guilds", x.in(guilds), a.guildIndex)
	a.eachIndex("seats", x.in(seats), a.seatIndex)
	r.Entries = a.each(x.in(history), a.entry)
	r.Interactions = a.each(x.in(seen), a.interaction)
	a.eachIndex("interactions", x.in(seenAt), a.interactionIndex)
	a.outbox()
	r.Surfaces = a.each(x.in(surfaces), a.surface)
	a.each(x.in(messages), a.messageIndex)
	r.Deadlines = a.eachIndex("deadlines", x.in(deadlines), a.deadlineIndex)
	r.Users = a.each(x.in(users), a.user)
	r.Settings = a.each(x.in(settings), a.setting)
	if a.has(names) {
		a.eachIndex("tables by ids", x.in(names), a.nameIndex)
		a.eachIndex("settings by ids", x.in(settingNames), a.settingIndex)
	}
	if a.has(results) {
		a.results()
	}
	return nil
}

// has reports whether the file has a bucket: an older one that is still to be
// migrated has not all of them.
func (a *audit) has(b bucket) bool { return b < bucketsOf(a.report.Schema) }

// each calls fn for each record of a bucket and returns how many there are.
func (a *audit) each(b *bolt.Bucket, fn func(k, v []byte)) (n int) {
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		n++
		if v == nil {
			a.add("%q should be a record and is a bucket", k)
			continue
		}
		fn(k, v)
	}
	return n
}

// eachIndex is each for an index whose keys say everything.
func (a *audit) eachIndex(index string, b *bolt.Bucket, fn func(k, v []byte)) int {
	return a.each(b, func(k, v []byte) {
		if len(v) > 0 {
			a.add("the index of %s has %d bytes behind %q, where none belong", index, len(v), k)
		}
		fn(k, v)
	})
}

// liveRow returns the row of the live table to which an index entry leads.
func (a *audit) liveRow(index string, key []byte, table string) (Row, bool) {
	row, ok, err := a.x.row(table, false)
	if err != nil {
		return Row{}, false // said where tables are read
	}
	if !ok || !row.Live {
		a.add("the index of %s leads from %q to table %q, which is not live", index, key, table)
		return Row{}, false
	}
	return row, true
}

func (a *audit) hasTable(what string, key []byte, table string) {
	if a.x.in(tables).Get([]byte(table)) == nil {
		a.add("%s %q belongs to table %q, which does not exist", what, key, table)
	}
}

func (a *audit) table(k, v []byte) {
	id := string(k)
	row, err := decodeRow(id, v, true)
	if err != nil {
		a.salvaged(id, v, err)
		return
	}
	if row.Version == 0 {
		a.add("table %q has version 0", id)
	}
	if (a.x.in(live).Get(k) != nil) != row.Live {
		a.add("table %q and the index of live tables disagree", id)
	}
	for key, want := range liveKeys(a.x, &row) {
		got := key.bucket.Get([]byte(key.key))
		if got == nil || string(got) != string(want) {
			a.add("table %q is not found by %q", id, key.key)
		}
	}
	if !slices.EqualFunc(row.Deadlines, DeadlineSet(id, row.Deadlines), func(x, y Deadline) bool { return CompareDeadlines(x, y) == 0 }) {
		a.add("table %q: its deadlines are not in order", id)
	}
	for i := range row.Deadlines {
		if a.x.in(deadlines).Get(deadlineKey(&row.Deadlines[i])) == nil {
			a.add("table %q: its deadline %q is not found by its time", id, row.Deadlines[i].Kind)
		}
	}
	a.history(id, row.Entries)
	if a.has(names) {
		a.tableNames(id)
	}
	if a.in.Table == nil {
		return
	}
	entries, err := a.x.history(id, 1, 0)
	if err != nil {
		return // said where entries are read
	}
	a.inspected("table", id, a.in.Table(&row, entries))
}

// salvaged says of a table that its record cannot be read, and what comes of it.
func (a *audit) salvaged(id string, record []byte, err error) {
	row := a.x.salvage(id, record)
	if entries, errHistory := a.x.history(id, 1, 0); a.in.Table != nil && errHistory == nil {
		if said := a.in.Table(&row, entries); said != nil {
			err = fmt.Errorf("%w: %w", err, said)
		}
	}
	a.contained++
	a.add("table %q: %v", id, err)
}

// history checks that a table's entries are numbered from 1 to count.
func (a *audit) history(id string, count int) {
	n := 0
	_ = eachPair(a.x.in(history), id, func(_ string, _ []byte) error { n++; return nil })
	if n != count || count > 0 && (a.x.in(history).Get(entryKey(id, 1)) == nil || a.x.in(history).Get(entryKey(id, count)) == nil) {
		a.add("table %q should have %d history entries and %d are found", id, count, n)
	}
}

// tableNames checks that a table is found by all ids that stand in it.
func (a *audit) tableNames(id string) {
	s, spoiled, err := a.x.idsOf(id)
	if err != nil || spoiled != nil {
		return // said where its parts are read
	}
	for _, name := range s.sorted() {
		if a.x.in(names).Get(pairKey(name, id)) == nil {
			a.add("table %q is not found by %s, which stands in it", id, name)
		}
	}
}

func (a *audit) nameIndex(k, _ []byte) {
	// Its table may have been dropped: an id that stood there once stays, and finds nobody.
	if name, _, err := splitPair(k); err != nil || !indexed(name) {
		a.add("the index of tables by ids: %q: %v", k, errRecord)
	}
}

func (a *audit) user(k, v []byte) {
	u, err := decodeUser(string(k), v)
	switch {
	case err != nil:
		a.add("user %q: %v", k, err)
	case a.in.User != nil:
		a.inspected("user", k, a.in.User(&u))
	}
}

func (a *audit) setting(k, v []byte) {
	if a.in.Setting != nil {
		a.inspected("setting", k, a.in.Setting(string(k), copyBytes(v)))
	}
	if !a.has(settingNames) {
		return
	}
	s := idSet{}
	s.read(k, v)
	for _, name := range s.sorted() {
		if a.x.in(settingNames).Get(pairKey(name, string(k))) == nil {
			a.add("setting %q is not found by %s, which stands in it", k, name)
		}
	}
}

func (a *audit) settingIndex(k, _ []byte) {
	name, key, err := splitPair(k)
	if err != nil || !indexed(name) {
		a.add("the index of settings by ids: %q: %v", k, errRecord)
		return
	}
	v := a.x.in(settings).Get([]byte(key))
	if v == nil || !Mentions(key, name) && !Mentions(v, name) {
		a.add("the index of settings leads from %s to %q, where it does not stand", name, key)
	}
}

func (a *audit) liveIndex(k, _ []byte) { a.liveRow("live tables", k, string(k)) }

func (a *audit) channelIndex(k, v []byte) {
	if row, ok := a.liveRow("channels", k, string(v)); ok && row.Channel != string(k) {
		a.add("the index of channels leads from %q to table %q of channel %q", k, v, row.Channel)
	}
}

func (a *audit) guildIndex(k, _ []byte) {
	guild, table, err := splitPair(k)
	if err != nil {
		a.add("the index of guilds: %q: %v", k, err)
		return
	}
	if row, ok := a.liveRow("guilds", k, table); ok && row.Guild != guild {
		a.add("the index of guilds leads from %q to table %q of guild %q", guild, table, row.Guild)
	}
}

func (a *audit) seatIndex(k, _ []byte) {
	user, table, err := splitPair(k)
	if err != nil {
		a.add("the index of seats: %q: %v", k, err)
		return
	}
	if row, ok := a.liveRow("seats", k, table); ok && !slices.Contains(row.Users, user) {
		a.add("the index of seats leads from %q to table %q, where that user does not sit", user, table)
	}
}

func (a *audit) entry(k, v []byte) {
	table, seq, err := splitEntryKey(k)
	if err == nil {
		_, err = decodeEntry(seq, v)
	}
	if err != nil {
		a.add("history entry %q: %v", k, err)
		return
	}
	a.hasTable("history entry", k, table)
}

func (a *audit) interaction(k, v []byte) {
	at, _, err := decodeSeen(v) // its table may have been dropped
	if err != nil {
		a.add("interaction %q: %v", k, err)
		return
	}
	if a.x.in(seenAt).Get(timeKey(at, string(k))) == nil {
		a.add("interaction %q is not found by its time", k)
	}
}

func (a *audit) interactionIndex(k, _ []byte) {
	at, id, err := splitTimeKey(k)
	if err != nil {
		a.add("the index of interactions: %q: %v", k, err)
		return
	}
	v := a.x.in(seen).Get([]byte(id))
	if v == nil {
		a.add("the index of interactions leads to %q, which does not exist", id)
		return
	}
	if got, _, err := decodeSeen(v); err == nil && !got.Equal(at) {
		a.add("the index of interactions has %q at another time", id)
	}
}

func (a *audit) outbox() {
	last := a.x.in(outbox).Sequence()
	taken := map[uint64]bool{}
	a.report.Intents = a.each(a.x.in(outbox), func(k, v []byte) {
		table, key, err := splitPair(k)
		if err != nil {
			a.add("intent %q: %v", k, err)
			return
		}
		in, err := decodeIntent(table, key, v)
		if err != nil {
			a.add("intent %q: %v", k, err)
			return
		}
		if a.in.Intent != nil {
			a.inspected("intent", k, a.in.Intent(&in))
		}
		a.hasTable("intent", k, table)
		if in.Generation == 0 || in.Generation > last || taken[in.Generation] {
			a.add("intent %q has the impossible generation %d of %d", k, in.Generation, last)
		}
		taken[in.Generation] = true
	})
}

func (a *audit) surface(k, _ []byte) {
	sf, _, err := a.x.surface(k)
	if err != nil {
		a.add("surface %q: %v", k, err)
		return
	}
	a.hasTable("surface", k, sf.Table)
	if sf.Message != "" && string(a.x.in(messages).Get([]byte(sf.Message))) != string(k) {
		a.add("surface %q is not found by its message %s", k, sf.Message)
	}
}

func (a *audit) messageIndex(k, v []byte) {
	sf, ok, err := a.x.surface(v)
	if err == nil && (!ok || sf.Message != string(k)) {
		a.add("the index of messages leads from %q to surface %q, which does not show there", k, v)
	}
}

func (a *audit) deadlineIndex(k, _ []byte) {
	d, err := splitDeadlineKey(k)
	if err != nil {
		a.add("deadline %q: %v", k, err)
		return
	}
	row, ok, err := a.x.row(d.Table, false)
	if err != nil {
		return // said where tables are read
	}
	if !ok || !slices.ContainsFunc(row.Deadlines, func(own Deadline) bool { return CompareDeadlines(own, d) == 0 }) {
		a.add("deadline %q of table %q is not one of that table", d.Kind, d.Table)
	}
}
