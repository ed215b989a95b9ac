package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Options of Open. The zero value is right for the bot.
type Options struct {
	// LockTimeout is how long to wait for another process to let go of the
	// file; 0 means DefaultLockTimeout.
	LockTimeout time.Duration
	// BackupDir is where a copy of the database is put before a migration
	// changes its schema. Empty: no copy is made.
	BackupDir string
	// Now is used to name that copy; nil means time.Now.
	Now func() time.Time
	// Score works out how a table's game ended, from its snapshot and all
	// entries of its history; nil if it was not played to its end or cannot be
	// told. People who were forgotten are nobody in it, as in ResultSeat. It is
	// called once for each ended table of a database from the time before
	// results were kept of all games. nil: those games have no results.
	Score func(table string, snapshot []byte, entries [][]byte) *Result
	// Migrated, if set, is told that an existing database was brought from one
	// schema to another and where its copy is; empty: none was made.
	Migrated func(from, to int, copied string)
	// Examine has the pages of an existing file, and of copies, examined in
	// another process; nil: in this one, which a badly damaged file can end.
	Examine Examiner
	// Remark, if set, is told what is worth knowing of an existing file that
	// is opened all the same.
	Remark func(sentence string)
	// Failpoint, if set, is called with the name of each of Failpoints as a
	// write passes it. Crash tests end the process there.
	Failpoint func(name string)

	// migrations replaces the program's own in tests.
	migrations []migration
	// maxSize limits the file in tests, as a full disk would.
	maxSize int
	// noSync spares tests that do not end the process the wait for the disk.
	noSync bool
}

const (
	// DefaultLockTimeout is how long Open, Check and BackupFile wait for a
	// database that is held.
	DefaultLockTimeout = 3 * time.Second
	// mapSize is how much address space is reserved for the file at once. A
	// file below it never has to be mapped anew, for which a write would have
	// to wait until running reads and backups end.
	mapSize = 256 << 20
	// allocSize is by how much the file grows beyond what is needed, so that it
	// does not have to grow with every write.
	allocSize = 1 << 20
)

// CorruptError says what is wrong with a damaged file. It is ErrCorrupt.
type CorruptError struct {
	Faults []string // sentences, at least one
}

func (e *CorruptError) Error() string {
	more := ""
	if n := len(e.Faults) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more faults)", n)
	}
	return fmt.Sprintf("%v: %s%s; put a backup in its place", ErrCorrupt, e.Faults[0], more)
}

// Is makes a CorruptError an ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// NewerError says that a newer program wrote the file. It is ErrNewer.
type NewerError struct {
	Schema int // of the file
	Known  int // the last one this program knows
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%v: it has schema %d and this program knows up to %d; run the newer version or use an older backup", ErrNewer, e.Schema, e.Known)
}

// Is makes a NewerError an ErrNewer.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// DB is the Store in a bbolt file. One process at a time holds the file.
type DB struct {
	bolt      *bolt.DB
	path      string
	pageSize  int // bbolt tells it only while nobody closes or enlarges the file
	failpoint func(string)
	examine   Examiner
	commit    func(*bolt.Tx) error // bbolt's own, except in tests

	requests chan *request
	quit     chan struct{} // closed by Close
	stopped  chan struct{} // closed when the writer has ended
	close    sync.Once
	closeErr error
	// failed is why no more writes are taken; only the writer uses it.
	failed error
	// stuck is set when bbolt panicked while it began a transaction: it still holds
	// its locks, so that whatever asks it for something more waits for ever.
	stuck atomic.Pointer[error]
	// accepts is what Accepts knows.
	accepts acceptance

	// forgets has room for one: two who forget at the same time would change
	// each other's marks and give up the pages that the other one fills.
	forgets chan struct{}
	// reads is held for reading by everybody who reads, but for copies.
	reads sync.RWMutex
}

var _ Store = (*DB)(nil)

// Open opens the database at path, or creates it with mode 0600 if the file is
// missing or empty. An older schema is migrated.
//
// The errors are ErrHeld, ErrNotDatabase, ErrCorrupt (as *CorruptError),
// ErrNewer (as *NewerError), or what the operating system says; each is one
// line that tells what to do. A file that is refused was opened for reading
// only and is left as it was. It is also left as it was, but opened for more,
// where a migration fails; over a record that cannot be read that is ErrCorrupt.
//
// A damaged file is refused if the damage shows in its pages, as far as they
// are examined within ten seconds. Damage met later is ErrCorrupt from the call
// that meets it.
func Open(path string, opts Options) (*DB, error) {
	db, err := open(path, opts)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return db, nil
}

func open(path string, opts Options) (*DB, error) {
	if opts.migrations == nil {
		opts.migrations = migrations(opts.Score)
	}
	fresh, err := isFresh(path)
	if err != nil {
		return nil, err
	}
	if !fresh {
		if err := inspect(path, opts); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(path); fresh && err == nil && opts.Remark != nil {
		opts.Remark("its file was empty, so it begins anew; if there were games in it, put a backup in its place")
	}
	b, err := openBolt(path, false, opts)
	if err != nil {
		return nil, err
	}
	db := &DB{
		bolt: b, path: path, pageSize: b.Info().PageSize, failpoint: opts.Failpoint, examine: opts.Examine, commit: (*bolt.Tx).Commit,
		requests: make(chan *request), quit: make(chan struct{}), stopped: make(chan struct{}),
		forgets: make(chan struct{}, 1),
	}
	if err := guard(func() error { return db.migrate(opts) }); err != nil {
		_ = b.Close()
		return nil, err
	}
	if fresh {
		// A move is durable only if the file's name is.
		if err := syncDir(filepath.Dir(path)); err != nil {
			_ = b.Close()
			return nil, err
		}
	}
	go db.run()
	return db, nil
}

// isFresh reports whether there is nothing at path yet that could be refused.
func isFresh(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir := filepath.Dir(path)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("the folder %s does not exist: create it, or use another path", dir)
		}
		return true, nil
	case err != nil:
		return false, reason(err)
	case info.IsDir():
		return false, fmt.Errorf("%w: it is a folder; use the path of a file", ErrNotDatabase)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%w: it is no ordinary file; use another path", ErrNotDatabase)
	}
	return info.Size() == 0, nil
}

// reason is the bare reason of a file error, whose path the caller names.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// inspect refuses a file that must not be opened for writing. It only reads.
func inspect(path string, opts Options) error {
	f, err := openReader(path, opts.LockTimeout)
	if err != nil {
		return err
	}
	defer f.close()
	ctx, cancel := context.WithTimeout(context.Background(), openPatience)
	defer cancel()
	found, err := examine(ctx, opts.Examine, path)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		found.Remarks = []string{fmt.Sprintf("its pages could not all be examined within %s: they are in every copy that is made, and by paladin check", openPatience)}
	case err != nil:
		found.Remarks = []string{err.Error()}
	case len(found.Faults) > 0:
		return &CorruptError{Faults: found.Faults}
	}
	for _, remark := range found.Remarks {
		if opts.Remark != nil {
			opts.Remark(remark)
		}
	}
	schema, err := f.schema()
	if err != nil {
		return err
	}
	if known := len(opts.migrations); schema > known {
		return &NewerError{Schema: schema, Known: known}
	}
	return nil
}

// readerFile is a database opened for reading: bbolt's lock keeps writers
// away, from whoever examines it meanwhile too.
type readerFile struct {
	bolt *bolt.DB
	size int64
}

// openReader opens an existing database without any right to write. Its pages
// are not examined yet.
func openReader(path string, timeout time.Duration) (*readerFile, error) {
	b, err := openBolt(path, true, Options{LockTimeout: timeout})
	if err != nil {
		return nil, err
	}
	f := &readerFile{bolt: b}
	info, err := os.Stat(path)
	if err != nil {
		f.close()
		return nil, reason(err)
	}
	f.size = info.Size()
	return f, nil
}

// schema reads the schema of a file; 0 means that the program ended before it
// had made one.
func (f *readerFile) schema() (schema int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = guard(func() error {
		return f.bolt.View(func(t *bolt.Tx) error {
			schema, err = schemaOf(t)
			return err
		})
	})
	return schema, err
}

// close lets go of the file; nothing was written that could be lost.
func (f *readerFile) close() { _ = f.bolt.Close() }

// openBolt opens the file with bbolt and puts its errors into words.
func openBolt(path string, readOnly bool, opts Options) (b *bolt.DB, err error) {
	timeout := opts.LockTimeout
	if timeout <= 0 {
		timeout = DefaultLockTimeout
	}
	o := &bolt.Options{
		Timeout: timeout, ReadOnly: readOnly, FreelistType: bolt.FreelistMapType, MaxSize: opts.maxSize, NoSync: opts.noSync, NoGrowSync: opts.noSync,
	}
	if runtime.GOOS != "windows" && !readOnly {
		o.InitialMmapSize = mapSize // on Windows the file itself would grow to it
	}
	var opened *os.File // which bbolt does not close where it panics
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		opened, err = os.OpenFile(name, flag, mode)
		return opened, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = guard(func() error { b, err = bolt.Open(path, 0o600, o); return err })
	switch {
	case errors.Is(err, ErrCorrupt):
		_ = opened.Close()
		return nil, err
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%w; stop it first, or use another file", ErrHeld)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: let this user read and write the file and its folder", reason(err))
	case err != nil && !errors.As(err, new(syscall.Errno)):
		return nil, headless(path) // bbolt's own, of which each says this
	case err != nil:
		return nil, reason(err)
	}
	b.AllocSize = allocSize
	return b, nil
}

// boltMagic is how a header page begins; see file(1).
var boltMagic = binary.NativeEndian.AppendUint32(nil, 0xED0CDAED)

// headless says what a file is that has no whole header page: a damaged
// database if there is something in it that only such a one holds.
func headless(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	head := make([]byte, 16<<20)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return reason(err)
	}
	for _, sign := range [][]byte{boltMagic, []byte(seenAt.name())} {
		if bytes.Contains(head[:n], sign) {
			return &CorruptError{Faults: []string{"both header pages are damaged"}}
		}
	}
	return fmt.Errorf("%w: it is some other file; use another path", ErrNotDatabase)
}

// Path is the path that Open was given.
func (db *DB) Path() string { return db.path }

// Close implements Store.
func (db *DB) Close() error {
	db.close.Do(func() {
		close(db.quit)
		<-db.stopped
		var err error
		if stuck := db.stuck.Load(); stuck != nil {
			err = *stuck // the end of the process closes the file
		} else {
			err = db.bolt.Close()
		}
		if err != nil {
			db.closeErr = fmt.Errorf("close database %s: %w", db.path, err)
		}
	})
	return db.closeErr
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// damagedMark is in the name of a copy of which pages are damaged.
const damagedMark = "-damaged"

// copyTime is how the time stands in the name of a copy.
const copyTime = "20060102T150405Z"

// IsCopy reports whether name is one that BackupTo gives a copy of the database at path. Another
// database's name may begin alike, and the database itself may lie beside its copies.
func IsCopy(path, name string) bool {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	at, ours := strings.CutPrefix(name, strings.TrimSuffix(base, ext)+"-")
	at, whole := strings.CutSuffix(at, ext)
	if !ours || !whole {
		return false
	}
	at, _ = strings.CutSuffix(at, damagedMark)
	at, number, numbered := strings.Cut(at, "-")
	if n, err := strconv.Atoi(number); numbered && (err != nil || n < 2) {
		return false
	}
	_, err := time.Parse(copyTime, at)
	return err == nil
}

// BackupTo writes a consistent copy of the running database into dir, which is
// created if it is missing, and returns the copy's path: the database's name
// with the time in UTC. The copy has mode 0600, is on the disk when BackupTo
// returns, and has its name only from then on. If BackupTo fails it leaves
// nothing behind.
//
// A path beside an error is that of a copy all the same. Of ErrCorrupt: the
// pages of the copy, and with it those of the database, are damaged. Such a copy
// is kept, since nobody knows how much longer there is something to copy, and
// its name says so, since nobody shall take it for a good one. Of anything else:
// its pages could not be examined.
func (db *DB) BackupTo(ctx context.Context, dir string, now time.Time) (string, error) {
	path, err := db.backupTo(ctx, dir, now)
	if err != nil {
		return path, fmt.Errorf("back up database %s: %w", db.path, err)
	}
	return path, nil
}

// unfinishedLife is how long an unfinished copy may still be somebody's work.
const unfinishedLife = 24 * time.Hour

// dropUnfinished removes from dir what copies of the database at path left there that a crash or a
// power cut ended: they are as large as the database, and their names begin with a dot. Where one
// cannot be removed, the copy that is made now will tell what is wrong.
func dropUnfinished(path, dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, unfinished := strings.CutSuffix(e.Name(), partialMark)
		name, hidden := strings.CutPrefix(name, ".")
		info, err := e.Info()
		if !unfinished || !hidden || err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < unfinishedLife {
			continue
		}
		if IsCopy(path, strings.TrimSuffix(name, filepath.Ext(name))) { // the last part is a number
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func (db *DB) backupTo(ctx context.Context, dir string, now time.Time) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dropUnfinished(db.path, dir, now)
	base := filepath.Base(db.path)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext) + "-" + now.UTC().Format(copyTime)
	// A second copy in the same second gets a number.
	for n := 1; n <= 100; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		dst, marked := filepath.Join(dir, name+ext), filepath.Join(dir, name+damagedMark+ext)
		if _, err := os.Lstat(dst); err == nil {
			continue
		}
		var unsound error
		path, err := writeNew(dst, func(f *os.File) (string, error) {
			size, err := db.Backup(ctx, f)
			if err != nil {
				return "", err
			}
			unsound = soundPages(ctx, db.examine, f.Name(), size)
			if err := ctx.Err(); err != nil {
				return "", err
			}
			if errors.Is(unsound, ErrCorrupt) {
				return marked, nil
			}
			return dst, nil
		})
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return "", err
		default:
			return path, unsound
		}
	}
	return "", fmt.Errorf("a hundred copies named %s exist already in %s", stem, dir)
}
