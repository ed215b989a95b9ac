package store

import (
	"time"

	bolt "go.etcd.io/bbolt"
)

// WithoutSync spares a test that does not end the process the wait for the
// disk.
func WithoutSync(o Options) Options {
	o.noSync = true
	return o
}

// WithMaxSize limits the file, as a full disk would.
func WithMaxSize(o Options, bytes int) Options {
	o.maxSize = bytes
	return o
}

// Step is a migration of a test.
type Step struct {
	Name string
	Run  func(*bolt.Tx) error
}

// WithMigrations appends steps to those of the program.
func WithMigrations(o Options, steps ...Step) Options {
	o.migrations = migrations(o.Score)
	for _, s := range steps {
		o.migrations = append(o.migrations, migration{s.Name, s.Run})
	}
	return o
}

// ScoreEarlier is the step that makes the results of games that have none.
func ScoreEarlier(score func(string, []byte, [][]byte) *Result) Step {
	return Step{"score once more", func(t *bolt.Tx) error { return scoreEarlier(t, score) }}
}

// FailCommits replaces bbolt's commit. It must be called before the first
// write.
func FailCommits(db *DB, commit func(*bolt.Tx) error) { db.commit = commit }

// CheckWithin is Check with another patience.
func CheckWithin(path string, timeout time.Duration) (Report, error) {
	return check(path, timeout, Inspection{})
}

// BackupFileWithin is BackupFile with another patience.
func BackupFileWithin(src, dst string, timeout time.Duration) error {
	return backupFile(src, dst, timeout, nil)
}
