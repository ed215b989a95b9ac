package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
)

// migration is one step from a schema to the next.
type migration struct {
	name string
	run  func(*bolt.Tx) error
}

// migrations are all steps that ever were, in order. The schema of a file is
// how many of them it has gone through; it records their names. A step that
// was released is never changed: the next step mends what it did.
func migrations(score scorer) []migration {
	return []migration{
		{"first tables", createBuckets(0, buckets1)},
		{"results and standings", createBuckets(buckets1, buckets2)},
		{"tables and settings by the ids in them", indexNames},
		{"results of earlier games", func(t *bolt.Tx) error { return scoreEarlier(t, score) }},
	}
}

// createBuckets makes the buckets from first to before end.
func createBuckets(first, end bucket) func(*bolt.Tx) error {
	return func(t *bolt.Tx) error {
		for b := first; b < end; b++ {
			if _, err := t.CreateBucket([]byte(b.name())); err != nil {
				return fmt.Errorf("bucket %s: %w", b.name(), err)
			}
		}
		return nil
	}
}

// schemaOf returns the schema of the file; 0 for one that holds nothing yet.
func schemaOf(t *bolt.Tx) (int, error) {
	meta := t.Bucket([]byte(bucketMeta))
	if meta == nil {
		if k, _ := t.Cursor().First(); k != nil {
			return 0, fmt.Errorf("%w: it is the database of another program; use another path", ErrNotDatabase)
		}
		return 0, nil
	}
	schema, err := decodeSchema(meta.Get([]byte(keySchema)))
	if err != nil {
		return 0, &CorruptError{Faults: []string{"its schema number is damaged"}}
	}
	if missing := missingBuckets(t, schema); missing != nil && schema <= len(migrations(nil)) {
		return 0, &CorruptError{Faults: missing}
	}
	return schema, nil
}

// migrate brings the file to the present schema, in one transaction: after an
// error it is as it was. Before an existing database is changed a copy goes to
// the backup folder, if there is one; without the copy nothing is changed. It
// is taken away again if a migration fails.
func (db *DB) migrate(opts Options) error {
	var schema int
	err := db.bolt.View(func(t *bolt.Tx) (err error) {
		schema, err = schemaOf(t)
		return err
	})
	if err != nil {
		return err
	}
	known := len(opts.migrations)
	switch {
	case schema > known:
		return &NewerError{Schema: schema, Known: known}
	case schema == known:
		return nil
	}
	copied := ""
	if schema > 0 && opts.BackupDir != "" {
		now := opts.Now
		if now == nil {
			now = time.Now
		}
		if copied, err = db.backupTo(context.Background(), opts.BackupDir, now()); err != nil {
			return fmt.Errorf("copy it to %s before its schema changes: %w", opts.BackupDir, err)
		}
	}
	var failed error
	err = db.bolt.Update(func(t *bolt.Tx) error {
		failed = guard(func() error { return runMigrations(t, schema, opts.migrations) })
		return failed
	})
	if failed != nil && copied != "" {
		// Nothing was changed, and who tries again gets another copy.
		_ = os.Remove(copied)
	}
	if err == nil && schema > 0 && opts.Migrated != nil {
		opts.Migrated(schema, known, copied)
	}
	return err
}

func runMigrations(t *bolt.Tx, schema int, all []migration) error {
	meta, err := t.CreateBucketIfNotExists([]byte(bucketMeta))
	if err != nil {
		return err
	}
	for i, m := range all[schema:] {
		number := schema + i + 1
		if err := m.run(t); err != nil {
			return fmt.Errorf("migration %d (%s) failed and nothing was changed: %w", number, m.name, err)
		}
		err := errors.Join(
			meta.Put(fmt.Appendf(nil, keyMigrationForm, number), []byte(m.name)),
			meta.Put([]byte(keySchema), binary.BigEndian.AppendUint64(nil, uint64(number))),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
