package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"
)

// The stored forms. Each record starts with its format byte, so that one of
// them can get another form while the others stay. Numbers are unsigned
// varints, texts and bytes have their length in front, a time is its key form.
// Every record has exactly one encoding; decoding refuses anything else, so a
// damaged record is noticed instead of half understood.
const formatV1 = 1

const (
	minUnix = -62135596800 // the first second of the year 1
	maxUnix = 253402300799 // the last second of the year 9999
	timeLen = 12
)

var errRecord = errors.New("record is not in a known form")

// appendTime appends t so that byte order is time order: seconds, then
// nanoseconds, big-endian, with the sign bit turned.
func appendTime(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.Unix())^(1<<63))
	return binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

func appendText[T ~string | ~[]byte](b []byte, text T) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// reader takes a record apart. After the first fault it returns zero values
// and keeps the fault.
type reader struct {
	b   []byte
	bad bool
}

func newReader(record []byte) *reader {
	r := &reader{b: record}
	if r.byte() != formatV1 {
		r.bad = true
	}
	return r
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	head := r.b[:n:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool {
	b := r.byte()
	if b > 1 {
		r.bad = true
	}
	return b == 1
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	// A last byte of zero would be a longer form of a shorter number.
	if n <= 0 || n > 1 && r.b[n-1] == 0 {
		r.bad = true
		return 0
	}
	r.take(n)
	return v
}

// count reads the number of items of which each takes at least size bytes.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) view() []byte   { return r.take(r.count(1)) }
func (r *reader) string() string { return string(r.view()) }

func (r *reader) time() time.Time {
	b := r.take(timeLen)
	if b == nil {
		return time.Time{}
	}
	sec := int64(binary.BigEndian.Uint64(b) ^ (1 << 63))
	nsec := binary.BigEndian.Uint32(b[8:])
	if sec < minUnix || sec > maxUnix || nsec > 999_999_999 {
		r.bad = true
		return time.Time{}
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

func (r *reader) rest() []byte { return r.take(len(r.b)) }

// end returns the fault of the whole record, bytes left over being one.
func (r *reader) end() error {
	if r.bad || len(r.b) != 0 {
		return errRecord
	}
	return nil
}

// copyBytes copies b out of the file's memory; no bytes become nil.
func copyBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return append([]byte(nil), b...)
}

func encodeRow(row *Row) []byte {
	b := make([]byte, 0, 128+len(row.Snapshot)+24*len(row.Users)+48*len(row.Deadlines))
	b = append(b, formatV1)
	b = binary.AppendUvarint(b, row.Version)
	b = appendBool(b, row.Live)
	b = appendText(b, row.Channel)
	b = appendText(b, row.Guild)
	b = binary.AppendUvarint(b, uint64(len(row.Users)))
	for _, user := range row.Users {
		b = appendText(b, user)
	}
	b = binary.AppendUvarint(b, uint64(row.Entries))
	b = appendTime(b, row.Created)
	b = appendTime(b, row.Touched)
	b = binary.AppendUvarint(b, uint64(len(row.Deadlines)))
	for _, d := range row.Deadlines {
		b = appendTime(b, d.At)
		b = appendText(b, d.Kind)
		b = binary.AppendUvarint(b, d.Prompt)
	}
	return append(b, row.Snapshot...)
}

// decodeRow reads a table's record. The snapshot, the largest part, is copied
// only if wanted.
func decodeRow(id string, record []byte, wantSnapshot bool) (Row, error) {
	r := newReader(record)
	row := Row{ID: id, Version: r.uint(), Live: r.bool(), Channel: r.string(), Guild: r.string()}
	if n := r.count(1); n > 0 {
		row.Users = make([]string, n)
		for i := range row.Users {
			row.Users[i] = r.string()
		}
	}
	entries := r.uint()
	if entries > 1<<31-1 {
		r.bad = true
	}
	row.Entries = int(entries)
	row.Created = r.time()
	row.Touched = r.time()
	if n := r.count(timeLen + 2); n > 0 {
		row.Deadlines = make([]Deadline, n)
		for i := range row.Deadlines {
			row.Deadlines[i] = Deadline{Table: id, At: r.time(), Kind: r.string(), Prompt: r.uint()}
		}
	}
	snapshot := r.rest()
	if err := r.end(); err != nil {
		return Row{}, err
	}
	if wantSnapshot {
		row.Snapshot = copyBytes(snapshot)
	}
	return row, nil
}

func encodeEntry(at time.Time, data []byte) []byte {
	b := make([]byte, 0, 1+timeLen+len(data))
	b = append(b, formatV1)
	b = appendTime(b, at)
	return append(b, data...)
}

func decodeEntry(seq int, record []byte) (Entry, error) {
	r := newReader(record)
	e := Entry{Seq: seq, At: r.time(), Data: copyBytes(r.rest())}
	return e, r.end()
}

// encodeSeen is the record of an interaction: when, and for which table.
func encodeSeen(at time.Time, table string) []byte {
	b := make([]byte, 0, 1+timeLen+len(table))
	b = append(b, formatV1)
	b = appendTime(b, at)
	return append(b, table...)
}

func decodeSeen(record []byte) (at time.Time, table string, err error) {
	r := newReader(record)
	at = r.time()
	table = string(r.rest())
	return at, table, r.end()
}

func encodeIntent(in *Intent) []byte {
	b := make([]byte, 0, 64+len(in.Payload))
	b = append(b, formatV1)
	b = binary.AppendUvarint(b, in.Generation)
	b = appendText(b, in.Channel)
	b = appendTime(b, in.NotBefore)
	return append(b, in.Payload...)
}

func decodeIntent(table, key string, record []byte) (Intent, error) {
	r := newReader(record)
	in := Intent{Table: table, Key: key, Generation: r.uint(), Channel: r.string(), NotBefore: r.time()}
	in.Payload = copyBytes(r.rest())
	return in, r.end()
}

func encodeSurface(s *Surface) []byte {
	b := make([]byte, 0, 80+len(s.Data))
	b = append(b, formatV1)
	b = appendText(b, s.Channel)
	b = appendText(b, s.Message)
	b = appendTime(b, s.Posted)
	b = binary.AppendUvarint(b, s.Prompt)
	return append(b, s.Data...)
}

func decodeSurface(table, name string, record []byte) (Surface, error) {
	r := newReader(record)
	s := Surface{Table: table, Name: name, Channel: r.string(), Message: r.string(), Posted: r.time(), Prompt: r.uint()}
	s.Data = copyBytes(r.rest())
	return s, r.end()
}

func encodeUser(u *User) []byte {
	b := make([]byte, 0, 80+len(u.Data))
	b = append(b, formatV1)
	b = appendText(b, u.Name)
	b = appendText(b, u.DMChannel)
	b = appendTime(b, u.DMClosedUntil)
	return append(b, u.Data...)
}

func decodeUser(id string, record []byte) (User, error) {
	r := newReader(record)
	u := User{ID: id, Name: r.string(), DMChannel: r.string(), DMClosedUntil: r.time()}
	u.Data = copyBytes(r.rest())
	return u, r.end()
}

// pairKey is the key of something that belongs to a: a, a zero byte, b. Names
// hold no zero byte, so keys of one a stand together and nothing else does.
func pairKey(a, b string) []byte {
	k := make([]byte, 0, len(a)+1+len(b))
	k = append(k, a...)
	k = append(k, 0)
	return append(k, b...)
}

func splitPair(k []byte) (a, b string, err error) {
	a, b, ok := strings.Cut(string(k), "\x00")
	if !ok || a == "" || b == "" || strings.IndexByte(b, 0) >= 0 {
		return "", "", errRecord
	}
	return a, b, nil
}

// entryKey is the key of a table's history entry, in order of its number.
func entryKey(table string, seq int) []byte {
	return binary.BigEndian.AppendUint64(pairKey(table, ""), uint64(seq))
}

func splitEntryKey(k []byte) (table string, seq int, err error) {
	table, tail, ok := strings.Cut(string(k), "\x00")
	if !ok || table == "" || len(tail) != 8 {
		return "", 0, errRecord
	}
	n := binary.BigEndian.Uint64([]byte(tail))
	if n == 0 || n > 1<<31-1 {
		return "", 0, errRecord
	}
	return table, int(n), nil
}

// timeKey is the key of something that is found by its time.
func timeKey(at time.Time, name string) []byte {
	b := make([]byte, 0, timeLen+len(name))
	return append(appendTime(b, at), name...)
}

func splitTimeKey(k []byte) (at time.Time, name string, err error) {
	r := &reader{b: k}
	at = r.time()
	name = string(r.rest())
	if err := r.end(); err != nil || name == "" {
		return time.Time{}, "", errRecord
	}
	return at, name, nil
}

// deadlineKey orders deadlines by time, then table, kind and prompt.
func deadlineKey(d *Deadline) []byte {
	b := make([]byte, 0, timeLen+len(d.Table)+len(d.Kind)+10)
	b = appendTime(b, d.At)
	b = append(b, d.Table...)
	b = append(b, 0)
	b = append(b, d.Kind...)
	b = append(b, 0)
	return binary.BigEndian.AppendUint64(b, d.Prompt)
}

func splitDeadlineKey(k []byte) (Deadline, error) {
	at, rest, err := splitTimeKey(k)
	if err != nil {
		return Deadline{}, err
	}
	table, rest, ok1 := strings.Cut(rest, "\x00")
	kind, prompt, ok2 := strings.Cut(rest, "\x00")
	if !ok1 || !ok2 || table == "" || kind == "" || len(prompt) != 8 {
		return Deadline{}, errRecord
	}
	return Deadline{Table: table, Kind: kind, Prompt: binary.BigEndian.Uint64([]byte(prompt)), At: at}, nil
}

// CompareDeadlines is the order of deadlines: by time, then table, kind and
// prompt.
func CompareDeadlines(a, b Deadline) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	if c := strings.Compare(a.Table, b.Table); c != 0 {
		return c
	}
	if c := strings.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}
	switch {
	case a.Prompt < b.Prompt:
		return -1
	case a.Prompt > b.Prompt:
		return 1
	}
	return 0
}

// DeadlineSet returns the deadlines as a table keeps them: with its id, their
// times in UTC, sorted, each once.
func DeadlineSet(table string, deadlines []Deadline) []Deadline {
	if len(deadlines) == 0 {
		return nil
	}
	set := make([]Deadline, len(deadlines))
	for i, d := range deadlines {
		set[i] = Deadline{Table: table, Kind: d.Kind, Prompt: d.Prompt, At: d.At.Round(0).UTC()}
	}
	slices.SortFunc(set, CompareDeadlines)
	return slices.CompactFunc(set, func(a, b Deadline) bool { return CompareDeadlines(a, b) == 0 })
}
