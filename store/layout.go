package store

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// The file's buckets. Facts are in one place each; what is marked as an index
// repeats them under another key, and Check holds the two against each other.
const (
	bucketMeta       = "paladin"      // "schema" -> number; "migration/0001" -> its name
	bucketTables     = "tables"       // table -> row
	bucketLive       = "live"         // index: table, live ones only
	bucketChannels   = "channels"     // index: channel -> live table
	bucketGuilds     = "guilds"       // index: guild 0 live table
	bucketSeats      = "seats"        // index: user 0 live table
	bucketHistory    = "history"      // table 0 number -> entry
	bucketSeen       = "seen"         // interaction -> time, table
	bucketSeenAt     = "seen-by-time" // index: time interaction
	bucketOutbox     = "outbox"       // table 0 key -> intent; the bucket's sequence is the last generation
	bucketSurfaces   = "surfaces"     // table 0 name -> surface
	bucketMessages   = "messages"     // index: message -> table 0 name
	bucketDeadlines  = "deadlines"    // index: time table 0 kind 0 prompt
	bucketUsers      = "users"        // user -> what is kept about them
	bucketSettings   = "settings"     // key -> value
	keySchema        = "schema"
	keyMigrationForm = "migration/%04d"
)

// bucketNames are those of the present schema, bucketMeta aside.
func bucketNames() []string {
	return []string{
		bucketTables, bucketLive, bucketChannels, bucketGuilds, bucketSeats, bucketHistory, bucketSeen, bucketSeenAt,
		bucketOutbox, bucketSurfaces, bucketMessages, bucketDeadlines, bucketUsers, bucketSettings,
	}
}

// tx is a transaction with its buckets at hand.
type tx struct {
	tables, live, channels, guilds, seats, history, seen, seenAt,
	outbox, surfaces, messages, deadlines, users, settings *bolt.Bucket
}

func newTx(t *bolt.Tx) (*tx, error) {
	x := &tx{
		tables:    t.Bucket([]byte(bucketTables)),
		live:      t.Bucket([]byte(bucketLive)),
		channels:  t.Bucket([]byte(bucketChannels)),
		guilds:    t.Bucket([]byte(bucketGuilds)),
		seats:     t.Bucket([]byte(bucketSeats)),
		history:   t.Bucket([]byte(bucketHistory)),
		seen:      t.Bucket([]byte(bucketSeen)),
		seenAt:    t.Bucket([]byte(bucketSeenAt)),
		outbox:    t.Bucket([]byte(bucketOutbox)),
		surfaces:  t.Bucket([]byte(bucketSurfaces)),
		messages:  t.Bucket([]byte(bucketMessages)),
		deadlines: t.Bucket([]byte(bucketDeadlines)),
		users:     t.Bucket([]byte(bucketUsers)),
		settings:  t.Bucket([]byte(bucketSettings)),
	}
	for _, b := range []*bolt.Bucket{
		x.tables, x.live, x.channels, x.guilds, x.seats, x.history, x.seen, x.seenAt,
		x.outbox, x.surfaces, x.messages, x.deadlines, x.users, x.settings,
	} {
		if b == nil {
			return nil, fmt.Errorf("%w: a part of it is missing", ErrCorrupt)
		}
	}
	return x, nil
}

// damaged says which record could not be read.
func damaged(what, id string, err error) error {
	return fmt.Errorf("%w: %s %q: %w", ErrCorrupt, what, id, err)
}

// row reads a table's row; ok is false if there is none.
func (x *tx) row(id string, wantSnapshot bool) (row Row, ok bool, err error) {
	record := x.tables.Get([]byte(id))
	if record == nil {
		return Row{}, false, nil
	}
	row, err = decodeRow(id, record, wantSnapshot)
	if err != nil {
		return Row{}, false, damaged("table", id, err)
	}
	return row, true, nil
}

// mustExist returns ErrNotFound unless the table exists.
func (x *tx) mustExist(table string) error {
	if x.tables.Get([]byte(table)) == nil {
		return ErrNotFound
	}
	return nil
}

func (x *tx) user(id string) (User, error) {
	record := x.users.Get([]byte(id))
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
