package store

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// bucket is one of the file's buckets. Facts are in one place each; what is
// marked as an index repeats them under another key, and Check holds the two
// against each other.
type bucket int

const (
	tables    bucket = iota // table -> row
	live                    // index: table, live ones only
	channels                // index: channel -> live table
	guilds                  // index: guild 0 live table
	seats                   // index: user 0 live table
	history                 // table 0 number -> entry
	seen                    // interaction -> time, table
	seenAt                  // index: time interaction
	outbox                  // table 0 key -> intent; the bucket's sequence is the last generation
	surfaces                // table 0 name -> surface
	messages                // index: message -> table 0 name
	deadlines               // index: time table 0 kind 0 prompt
	users                   // user -> what is kept about them
	settings                // key -> value
	// from the second schema on
	results      // number -> result; the bucket's sequence is the last number
	resultOf     // index: table -> number
	guildResults // index: guild 0 number
	userResults  // index: user 0 number, of those who held a seat
	standings    // server 0 entry -> standing; made from the results
	standingOf   // index: entry 0 server
	pools        // server 0 -> number of the result up to which its ratings are given
	forgetting   // user -> what is still to be done until they are forgotten
	// from the third schema on
	names        // index: id 0 table, of the tables in which the id stands or stood
	settingNames // index: id 0 key, of the settings in which the id stands
	bucketCount
)

// Schemas are made of the buckets up to these.
const (
	buckets1 = settings + 1
	buckets2 = forgetting + 1
	buckets3 = settingNames + 1
)

// bucketsOf is the end of the buckets that a file of a schema has.
func bucketsOf(schema int) bucket {
	ends := [...]bucket{0, buckets1, buckets2, buckets3}
	return ends[min(schema, len(ends)-1)]
}

// name is the bucket's name in the file.
func (b bucket) name() string {
	return [bucketCount]string{
		"tables", "live", "channels", "guilds", "seats", "history", "seen", "seen-by-time",
		"outbox", "surfaces", "messages", "deadlines", "users", "settings",
		"results", "results-by-table", "results-by-guild", "results-by-user", "standings", "standings-by-entry", "pools", "forgetting",
		"tables-by-name", "settings-by-name",
	}[b]
}

// What the program notes about the file itself stands in one more bucket: the
// schema and the name of each migration the file has gone through.
const (
	bucketMeta       = "paladin"
	keySchema        = "schema"
	keyMigrationForm = "migration/%04d"
)

// tx is a transaction that opens each bucket once, when it is needed.
type tx struct {
	bolt *bolt.Tx
	open [bucketCount]*bolt.Bucket
}

func newTx(t *bolt.Tx) *tx { return &tx{bolt: t} }

// in returns a bucket. Open and Check have seen that all of them are there.
func (x *tx) in(b bucket) *bolt.Bucket {
	if x.open[b] == nil {
		if x.open[b] = x.bolt.Bucket([]byte(b.name())); x.open[b] == nil {
			panic(missingBucket(b)) // guard makes it ErrCorrupt
		}
	}
	return x.open[b]
}

// missingBucket is what in panics with.
type missingBucket bucket

func (m missingBucket) String() string {
	return fmt.Sprintf("the part %q is missing", bucket(m).name())
}

// missingBuckets returns the faults of a file that should have every bucket
// of its schema.
func missingBuckets(t *bolt.Tx, schema int) (missing []string) {
	for b := range bucketsOf(schema) {
		if t.Bucket([]byte(b.name())) == nil {
			missing = append(missing, missingBucket(b).String())
		}
	}
	return missing
}

// damaged says which record could not be read.
func damaged(what, id string, err error) error {
	return fmt.Errorf("%w: %s %q: %w", ErrCorrupt, what, id, err)
}

// row reads a table's row; ok is false if there is none.
func (x *tx) row(id string, wantSnapshot bool) (row Row, ok bool, err error) {
	record := x.in(tables).Get([]byte(id))
	if record == nil {
		return Row{}, false, nil
	}
	row, err = decodeRow(id, record, wantSnapshot)
	if err != nil {
		row = x.salvage(id, record)
	}
	return row, true, nil
}

// mustExist returns ErrNotFound unless the table exists.
func (x *tx) mustExist(table string) error {
	if x.in(tables).Get([]byte(table)) == nil {
		return ErrNotFound
	}
	return nil
}

func (x *tx) user(id string) (User, error) {
	record := x.in(users).Get([]byte(id))
	if record == nil {
		return User{ID: id}, nil
	}
	u, err := decodeUser(id, record)
	if err != nil {
		return User{}, damaged("user", id, err)
	}
	return u, nil
}

// decodeSchema reads the number of migrations a file has gone through.
func decodeSchema(value []byte) (int, error) {
	if len(value) != 8 {
		return 0, errRecord
	}
	n := binary.BigEndian.Uint64(value)
	if n == 0 || n > 1<<31-1 {
		return 0, errRecord
	}
	return int(n), nil
}
