// Package store keeps the bot's tables, its outbox and its deadlines in one
// file, so that nothing that has happened can be lost or happen twice.
//
// The unit is the Change: everything one move makes true about one table. The
// new snapshot, the history entry, the interaction that asked for it, what is
// to be said about it (Intents) and when to look again (Deadlines) become
// durable together or not at all. What Discord then answered comes back as a
// Settlement, which is one transaction too.
//
// Snapshots, history entries, intent payloads and the Data of users and
// surfaces are opaque bytes here: whoever encodes them gives them a version.
//
// How a game ended is a Result, stored with the change that ended it. Results
// are the authority; the Standings of servers and people follow from them in
// the same transaction and can be made anew from them, as Check does. Somebody
// who is forgotten leaves results in which they are nobody; the ratings that
// others had by then are kept as they are, for they cannot be made anew without
// knowing which nobody was whom.
//
// # Promises
//
// A method that writes returns nil only after the write has reached the disk
// (fsync). Any error means that nothing was written, with one exception:
// ErrUncertain says that the disk failed in the very last step and that only
// reopening the store can tell. A context counts while a call waits for its
// turn; once the write has begun its real outcome is waited for and returned,
// so a cancelled call was not done. A read by somebody else may show a write in
// the moment before its own call returns.
//
// Methods may be called from any number of goroutines. Writes that wait at the
// same moment share one transaction and one fsync, and succeed or fail each on
// its own. Everything returned belongs to the caller. Times come back in UTC.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Sizes that a stored value may not exceed. They are far above what a game
// needs; they stop a fault elsewhere from filling the disk.
const (
	// MaxName is the longest id, key, kind or name, in bytes.
	MaxName = 200
	// MaxValue is the longest snapshot, entry, payload, data or setting, in bytes.
	MaxValue = 8 << 20
	// MaxItems is the largest number of users, entries, intents, deadlines,
	// surfaces or users' updates in one write.
	MaxItems = 10_000
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNotFound: there is no such table.
	ErrNotFound = errors.New("no such table")
	// ErrConflict: the stored version of the table is not the expected one.
	ErrConflict = errors.New("the table has changed meanwhile")
	// ErrRepeated: the interaction was committed before.
	ErrRepeated = errors.New("this interaction was committed before")
	// ErrInvalid: the argument can not be stored, whatever is stored already.
	ErrInvalid = errors.New("cannot be stored")
	// ErrClosed: the store was closed before the call could begin.
	ErrClosed = errors.New("the database is closed")
	// ErrUncertain: the disk failed while the transaction was being finished,
	// so that the write may or may not be found after a restart. The store
	// accepts no further writes.
	ErrUncertain = errors.New("the disk failed: it is unknown whether this was stored")
	// ErrFailed: an earlier write failed in a way after which the file cannot
	// be trusted with another one; the store must be opened anew.
	ErrFailed = errors.New("the database takes no more writes until it is opened anew")

	// ErrHeld: another process has the database open.
	ErrHeld = errors.New("another process holds the database")
	// ErrNotDatabase: the path is no database of this program.
	ErrNotDatabase = errors.New("not a paladin database")
	// ErrCorrupt: the database is damaged.
	ErrCorrupt = errors.New("the database is damaged")
	// ErrNewer: the database was written by a newer version of this program.
	ErrNewer = errors.New("the database is from a newer version of paladin")
)

// ChannelTakenError says that another live table holds the channel.
type ChannelTakenError struct {
	Channel string
	Table   string // the table that holds it
}

func (e *ChannelTakenError) Error() string {
	return fmt.Sprintf("channel %s is taken by table %s", e.Channel, e.Table)
}

// SeatedError says that a user is part of live tables.
type SeatedError struct {
	User   string
	Tables []string // at least one, sorted
}

func (e *SeatedError) Error() string {
	return fmt.Sprintf("user %s is part of the live tables %s", e.User, strings.Join(e.Tables, ", "))
}

// Store is what the bot needs from durable storage. DB is the one that runs;
// storetest has the contract every implementation passes and a twin in memory
// that can be told to fail.
type Store interface {
	// Commit makes all of c durable in one transaction, or nothing of it. It
	// returns ErrRepeated if c.Interaction was committed before, for whatever
	// table; else ErrConflict if the stored version is not c.Expect; else a
	// *ChannelTakenError if c is live and another live table holds c.Channel;
	// else ErrConflict if that of c.With is not c.With.Expect. ErrInvalid comes
	// before all of these.
	Commit(ctx context.Context, c Change) (Committed, error)

	// Table returns the table as of its last change, or ErrNotFound.
	Table(ctx context.Context, id string) (Row, error)
	// TableByChannel returns the live table of a channel or thread.
	TableByChannel(ctx context.Context, channel string) (id string, ok bool, err error)
	// TablesByUser returns the live tables that name the user in Change.Users, sorted by id.
	TablesByUser(ctx context.Context, user string) ([]string, error)
	// TablesByGuild returns the live tables of a guild, sorted by id.
	TablesByGuild(ctx context.Context, guild string) ([]string, error)
	// LiveTables calls fn for each live table in order of id. It stops at the
	// first error of fn and returns it. fn may call the store; a table that
	// becomes live or ends during the walk may be missed or met.
	LiveTables(ctx context.Context, fn func(id string) error) error
	// EndedTables returns up to limit tables that are not live, from the first
	// id after the given one on, in order of id.
	EndedTables(ctx context.Context, after string, limit int) ([]string, error)
	// Drop removes a table that is not live, whole: its row, history, surfaces
	// and deadlines. Interactions that asked for its changes stay remembered.
	// The error is ErrNotFound if there is no such table, and ErrConflict if it
	// is live, has a result or pending intents, or another version.
	Drop(ctx context.Context, table string, version uint64) error
	// History returns up to limit entries of the table from number from on, in
	// order; limit 0 means all. The first entry has number 1. The error is
	// ErrNotFound if there is no such table.
	History(ctx context.Context, id string, from, limit int) ([]Entry, error)
	// Repeated tells whether the interaction was committed, and for which
	// table. Interactions are remembered until Prune forgets them.
	Repeated(ctx context.Context, interaction string) (table string, ok bool, err error)

	// Enqueue adds intents without changing their table; it coalesces by key
	// like Commit and returns the intents with their generations. ErrNotFound
	// if there is no such table.
	Enqueue(ctx context.Context, table string, intents []Intent) ([]Intent, error)
	// Pending returns all intents in order of generation.
	Pending(ctx context.Context) ([]Intent, error)
	// Settle records what came of an intent, in one transaction. ErrNotFound
	// if there is no such table.
	Settle(ctx context.Context, s Settlement) error
	// Surface returns the message of a table that is known by this name.
	Surface(ctx context.Context, table, name string) (Surface, bool, error)
	// Surfaces returns all known messages of a table, sorted by name.
	Surfaces(ctx context.Context, table string) ([]Surface, error)
	// SurfaceByMessage returns the surface that shows in this message.
	SurfaceByMessage(ctx context.Context, message string) (Surface, bool, error)

	// Due returns up to limit deadlines that are not after now, the earliest
	// first; limit 0 means all. A deadline stays until a Change of its table
	// replaces it.
	Due(ctx context.Context, now time.Time, limit int) ([]Deadline, error)
	// NextDeadline returns the time of the earliest deadline, if there is one.
	NextDeadline(ctx context.Context) (time.Time, bool, error)

	// User returns what is kept about a user; of an unknown one only the ID is
	// set.
	User(ctx context.Context, id string) (User, error)
	// UpdateUser changes what is kept about a user, starting from what User
	// returns. fn runs inside the transaction: it must not call the store nor
	// wait, and it may be called more than once, each time from the stored
	// value. Its changes of the ID are ignored.
	UpdateUser(ctx context.Context, id string, fn func(*User)) error

	// Get returns a setting.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Put sets a setting; a nil value removes it.
	Put(ctx context.Context, key string, value []byte) error
	// Keys returns the keys of the settings that begin with prefix, sorted.
	Keys(ctx context.Context, prefix string) ([]string, error)

	// ResultOf returns the result of a table's game.
	ResultOf(ctx context.Context, table string) (Result, bool, error)
	// ResultsByUser returns the results of games in which the user held a
	// seat, those stored last first: up to limit of those with numbers below
	// before; 0 means all.
	ResultsByUser(ctx context.Context, user string, before uint64, limit int) ([]Result, error)
	// ResultsByGuild does the same for the games of a server.
	ResultsByGuild(ctx context.Context, guild string, before uint64, limit int) ([]Result, error)
	// Standing returns what the user came to in a server, or across all
	// servers if guild is empty, which is for nobody but the user. It is false
	// if they held no seat of a game that was finished there.
	Standing(ctx context.Context, guild, user string) (Standing, bool, error)
	// Standings returns the standings of a server and how many there are
	// without Offset and Limit.
	Standings(ctx context.Context, guild string, q StandingsQuery) ([]Standing, int, error)
	// Place returns at which place, from 1, a person stands in a server's
	// Standings in this order, with their standing; 0 if they are not in it.
	Place(ctx context.Context, guild, user string, order StandingOrder) (int, Standing, error)

	// Export returns all that is stored about a user, as one JSON value; see
	// Exported.
	Export(ctx context.Context, user string, setting ExportSetting) ([]byte, error)
	// Forget deletes what is stored about a user. In the results of finished
	// games they become nobody: who a result forgot cannot be found in another
	// one, and the results, standings and ratings of others stay what they
	// are. Ended tables, with their histories, and settings in which the
	// user's id stands are rewritten.
	//
	// A user who is part of a live table is refused with a *SeatedError. Else
	// it returns the live tables that only tell of the user, sorted by id; they
	// are rewritten by a ForgetRest after their end.
	//
	// It takes many transactions. The first one deletes the user and their
	// standings; from then on the user is being forgotten, also in another
	// process, until ForgetRest has done the rest. Games that the user ends
	// before are stored as games of somebody forgotten, and so is what they did
	// in games that are waited for, unless they are part of one again at its end.
	// Pages of the file that are unused when it returns hold nothing of the
	// user any more, but for those that a Backup under way reads.
	Forget(ctx context.Context, user string, rewrite Rewrite) (waiting []string, err error)
	// ForgetRest goes on with every Forget that did not come to its end, or
	// waits for tables to end, and returns how many users wait. It spares what
	// a user who came back has done since.
	ForgetRest(ctx context.Context, rewrite Rewrite) (waiting int, err error)

	// Prune forgets interactions committed before the given time, a bounded
	// number in one call, the oldest first, and returns how many. Call it
	// again until that is 0.
	Prune(ctx context.Context, before time.Time) (int, error)
	// Backup writes a consistent copy of the database as of one moment between
	// two writes and returns its length. Writes go on meanwhile.
	Backup(ctx context.Context, w io.Writer) (int64, error)
	// Close waits for the write that is under way. Calls that have not begun
	// return ErrClosed. Closing twice is harmless.
	Close() error
}

// Change is one step of one table.
type Change struct {
	Table    string
	Expect   uint64 // the version the change starts from; 0: there is no such table yet
	Snapshot []byte // the table from now on

	// Live tables hold their channel and are found by channel, guild and user.
	Live    bool
	Channel string   // may be empty: then no channel is held
	Guild   string   // may be empty
	Users   []string // the people whose table it is

	Entries     [][]byte  // appended to the history
	At          time.Time // when it happened
	Interaction string    // which interaction asked for it; empty: none did

	// Intents are added to the outbox. One with the key of a pending intent of
	// this table takes its place, with a new generation, so ten refreshes of a
	// board are one. Their Table and Generation are set by the store.
	Intents []Intent
	// DropIntents are the keys of pending intents that are no longer wanted;
	// they go before Intents are added. Unknown keys are ignored.
	DropIntents []string
	// Deadlines are a set that replaces all deadlines of the table. Their
	// Table is set by the store.
	Deadlines []Deadline
	// Result is how the table's game ended, with the change that ended it or
	// any later one; nil otherwise. Everybody's standings follow from it in
	// the same transaction. A table has one result: the first. Further ones
	// are ignored.
	Result *Result
	// With is a change of one more table, which happens with this one or not at
	// all: of a table that is not live from then on, without an Interaction, a
	// Result or a With of its own. nil: of no other.
	With *Change
}

// Committed is what a Commit made.
type Committed struct {
	Version uint64   // of the table: one more than Change.Expect
	Intents []Intent // those of the change, in the same order, with table and generation
	// With is what came of Change.With.
	With *Committed
}

// Row is a table as stored.
type Row struct {
	ID       string
	Version  uint64 // 1 after the first change
	Snapshot []byte
	Live     bool
	Channel  string
	Guild    string
	Users    []string
	Entries  int       // length of the history
	Created  time.Time // Change.At of the first change
	Touched  time.Time // Change.At of the last one
	// Deadlines of the table, sorted by time, kind and prompt.
	Deadlines []Deadline
}

// Entry is one line of a table's history.
type Entry struct {
	Seq  int // from 1
	At   time.Time
	Data []byte
}

// Intent is something to be said to Discord about a table. It names what is
// to be shown, not the text: that is made from the table when it is sent.
type Intent struct {
	Table string
	Key   string // "board", "dm/2": what it replaces while it waits
	// Generation is larger for every intent added later, also across a
	// restart. A settlement that names an older one leaves the intent alone.
	Generation uint64
	Channel    string // the lane in which order matters; may be empty
	Payload    []byte
	NotBefore  time.Time
}

// Settlement is what came of sending an intent.
type Settlement struct {
	Table string
	// Key and Generation name the intent that is done. It is removed only if
	// its generation is still this one; the rest of the settlement happens in
	// any case. An empty Key removes nothing.
	Key        string
	Generation uint64
	// Forget are the names of surfaces that are gone; unknown ones are
	// ignored. They go before Put.
	Forget []string
	// Put are surfaces of this table to remember, each in place of the one
	// with its name. A message shows one surface only: it is taken away from
	// any other surface that had it, which is forgotten.
	Put []Surface
	// Users to update, as UpdateUser does.
	Users []UserUpdate
}

// UserUpdate is one UpdateUser inside a settlement.
type UserUpdate struct {
	ID     string
	Update func(*User)
}

// Surface is a message in which a table shows.
type Surface struct {
	Table   string // set by the store
	Name    string // "board", "dm/0"
	Channel string
	Message string // may be empty: none at present
	Posted  time.Time
	Prompt  uint64 // the prompt its controls answer
	Data    []byte
}

// Deadline is a moment at which somebody must look at a table.
type Deadline struct {
	Table  string
	Kind   string
	Prompt uint64
	At     time.Time
}

// User is what is kept about a person, whatever the table.
type User struct {
	ID            string
	Name          string
	DMChannel     string
	DMClosedUntil time.Time
	Data          []byte
}
