package paladin

// RecordFormat is the "format" of a game record.
const RecordFormat = "paladin-record/1"

// A Record is a game written down: how it was dealt, its moves, and how it ended if it did.
type Record struct {
	players int
	deal    Deal
	moves   []string
}

// NewRecord writes down a game that was dealt as deal and has come to final by moves.
func NewRecord(deal Deal, moves []Move, final *State) Record { panic("later") }

// ParseRecord reads a record and checks its keys. The error is a *[RecordError] without a move.
func ParseRecord(data []byte) (Record, error) { panic("later") }

// Encode writes the record as indented JSON.
func (r Record) Encode() []byte { panic("later") }

// A Result is where a record leads.
type Result struct {
	Players int
	Moves   int
	Final   State
	Err     *RecordError // the fault, if there is one; Final is the position before it
}

// Replay plays a record through and checks all of it. The error is a *[RecordError].
func Replay(data []byte) (Result, error) { panic("later") }

// Summary is the result in words, for people.
func (r *Result) Summary() []byte { panic("later") }

// JSON is the result as one object on one line, with the fault in it if there is one.
func (r *Result) JSON() []byte { panic("later") }

// Trace plays a record through and hands each position to emit as one line of JSON, without a line feed, the initial one
// first. The error is a *[RecordError], after all positions before the fault, or what emit answered.
func Trace(data []byte, emit func(line []byte) error) error { panic("later") }

// A RecordError is a fault of a record: an illegal move, or a key that is wrong.
type RecordError struct {
	Move   int    // from 1; 0 if it is no move that is wrong
	Text   string // the move
	Rule   string // the rule it breaks
	Key    string // the key that is wrong, if it is no move
	Reason string
}

// Error is the fault on one line: `move 17 "2 place 7r 1": R9: reason` or `commitment: reason`.
func (e *RecordError) Error() string { panic("later") }
