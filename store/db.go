package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
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
	// shallowFrom is the size in bytes from which Open no longer reads every
	// page before it trusts the file: Check does, whatever the size.
	shallowFrom = 64 << 20
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
	commit    func(*bolt.Tx) error // bbolt's own, except in tests

	requests chan *request
	quit     chan struct{} // closed by Close
	stopped  chan struct{} // closed when the writer has ended
	close    sync.Once
	closeErr error
	// failed is why no more writes are taken; only the writer uses it.
	failed error
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
// A damaged file is refused if the damage shows in its pages, of which all are
// read in a file of up to 64 MiB, and the first ones in a larger one. Damage
// met later is ErrCorrupt from the call that meets it.
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
	b, err := openBolt(path, false, opts)
	if err != nil {
		return nil, err
	}
	db := &DB{
		bolt: b, path: path, pageSize: b.Info().PageSize, failpoint: opts.Failpoint, commit: (*bolt.Tx).Commit,
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
	if faults := walkPages(f.file, f.head, f.size <= shallowFrom); len(faults) > 0 {
		return &CorruptError{Faults: faults}
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

// readerFile is a database opened for reading: through bbolt, whose lock keeps
// writers away, and as plain bytes.
type readerFile struct {
	bolt *bolt.DB
	file *os.File
	size int64
	head header
}

// openReader opens an existing database without any right to write. Its pages
// are not verified yet, apart from the header.
func openReader(path string, timeout time.Duration) (*readerFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	f := &readerFile{file: file}
	// bbolt takes the page size from the header, so that has to be sound
	// before bbolt sees it. What counts is read again under the lock.
	if err = f.readHeader(); err == nil {
		if f.bolt, err = openBolt(path, true, Options{LockTimeout: timeout}); err == nil {
			err = f.readHeader()
		}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *readerFile) readHeader() error {
	info, err := f.file.Stat()
	if err != nil {
		return reason(err)
	}
	f.size = info.Size()
	f.head, err = readHeader(f.file, f.size)
	if errors.Is(err, ErrNotDatabase) {
		return fmt.Errorf("%w: it is some other file; use another path", err)
	}
	return err
}

// schema reads the schema of a file whose pages were verified; 0 means that
// the program ended before it had made one.
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
func (f *readerFile) close() {
	if f.bolt != nil {
		_ = f.bolt.Close()
	}
	_ = f.file.Close()
}

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
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = guard(func() error { b, err = bolt.Open(path, 0o600, o); return err })
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%w; stop it first, or use another file", ErrHeld)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: let this user read and write the file and its folder", reason(err))
	case err != nil:
		return nil, reason(err)
	}
	b.AllocSize = allocSize
	return b, nil
}

// Path is the path that Open was given.
func (db *DB) Path() string { return db.path }

// Close implements Store.
func (db *DB) Close() error {
	db.close.Do(func() {
		close(db.quit)
		<-db.stopped
		if err := db.bolt.Close(); err != nil {
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

// BackupTo writes a consistent copy of the running database into dir, which is
// created if it is missing, and returns the copy's path: the database's name
// with the time in UTC. The copy has mode 0600, is on the disk when BackupTo
// returns, and has its name only from then on. If BackupTo fails it leaves
// nothing behind.
func (db *DB) BackupTo(ctx context.Context, dir string, now time.Time) (string, error) {
	path, err := db.backupTo(ctx, dir, now)
	if err != nil {
		return "", fmt.Errorf("back up database %s: %w", db.path, err)
	}
	return path, nil
}

func (db *DB) backupTo(ctx context.Context, dir string, now time.Time) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	base := filepath.Base(db.path)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext) + "-" + now.UTC().Format("20060102T150405Z")
	// A second copy in the same second gets a number.
	for n := 1; n <= 100; n++ {
		dst := filepath.Join(dir, stem+ext)
		if n > 1 {
			dst = filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, ext))
		}
		if _, err := os.Lstat(dst); err == nil {
			continue
		}
		err := writeNew(dst, func(f *os.File) error {
			_, err := db.Backup(ctx, f)
			return err
		})
		if !errors.Is(err, fs.ErrExist) {
			return dst, err
		}
	}
	return "", fmt.Errorf("a hundred copies named %s exist already in %s", stem, dir)
}
