package store

import (
	"context"
	"io"
	"time"

	bolt "go.etcd.io/bbolt"
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
	// Failpoint, if set, is called with the name of each of Failpoints as a
	// write passes it. Crash tests end the process there.
	Failpoint func(name string)
}

// DefaultLockTimeout is how long Open waits for a database that is held.
const DefaultLockTimeout = 3 * time.Second

// DB is the Store in a bbolt file.
type DB struct {
	bolt *bolt.DB
	path string
}

var _ Store = (*DB)(nil)

var errStub = ErrFailed

func Open(path string, opts Options) (*DB, error)                      { return nil, errStub }
func (db *DB) Commit(ctx context.Context, c Change) (Committed, error) { return Committed{}, errStub }
func (db *DB) Table(ctx context.Context, id string) (Row, error)       { return Row{}, errStub }
func (db *DB) TableByChannel(ctx context.Context, ch string) (string, bool, error) {
	return "", false, errStub
}
func (db *DB) TablesByUser(ctx context.Context, user string) ([]string, error)   { return nil, errStub }
func (db *DB) TablesByGuild(ctx context.Context, guild string) ([]string, error) { return nil, errStub }
func (db *DB) LiveTables(ctx context.Context, fn func(id string) error) error    { return errStub }
func (db *DB) History(ctx context.Context, id string, from, limit int) ([]Entry, error) {
	return nil, errStub
}
func (db *DB) Repeated(ctx context.Context, interaction string) (string, bool, error) {
	return "", false, errStub
}
func (db *DB) Enqueue(ctx context.Context, table string, intents []Intent) ([]Intent, error) {
	return nil, errStub
}
func (db *DB) Pending(ctx context.Context) ([]Intent, error)  { return nil, errStub }
func (db *DB) Settle(ctx context.Context, s Settlement) error { return errStub }
func (db *DB) Surface(ctx context.Context, table, name string) (Surface, bool, error) {
	return Surface{}, false, errStub
}
func (db *DB) Surfaces(ctx context.Context, table string) ([]Surface, error) { return nil, errStub }
func (db *DB) SurfaceByMessage(ctx context.Context, message string) (Surface, bool, error) {
	return Surface{}, false, errStub
}
func (db *DB) Due(ctx context.Context, now time.Time, limit int) ([]Deadline, error) {
	return nil, errStub
}
func (db *DB) NextDeadline(ctx context.Context) (time.Time, bool, error) {
	return time.Time{}, false, errStub
}
func (db *DB) User(ctx context.Context, id string) (User, error) { return User{}, errStub }
func (db *DB) UpdateUser(ctx context.Context, id string, fn func(*User)) error {
	return errStub
}
func (db *DB) Get(ctx context.Context, key string) ([]byte, bool, error) { return nil, false, errStub }
func (db *DB) Put(ctx context.Context, key string, value []byte) error   { return errStub }
func (db *DB) Prune(ctx context.Context, before time.Time) (int, error)  { return 0, errStub }
func (db *DB) Backup(ctx context.Context, w io.Writer) (int64, error)    { return 0, errStub }
func (db *DB) Close() error                                              { return nil }

// BackupTo writes a consistent copy of the running database into dir.
func (db *DB) BackupTo(ctx context.Context, dir string, now time.Time) (string, error) {
	return "", errStub
}

// BackupFile copies the database src, which nobody holds, to the new file dst.
func BackupFile(src, dst string) error { return errStub }

// Report is what Check found.
type Report struct {
	Faults []string
}

// Check examines a database that nobody holds.
func Check(path string, verify func(id string, snapshot []byte) error) (Report, error) {
	return Report{}, errStub
}
