package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"
	"unsafe"

	bolt "go.etcd.io/bbolt"
)

// bbolt trusts its file: on a damaged one its own check can panic, read
// outside the mapped memory, follow pages in a circle or ask for all memory
// there is, and its caller cannot catch all of that. So the check runs in a
// process of its own, whose end is an answer too.

// Examination is what was found about a file's pages, in sentences.
type Examination struct {
	// Faults are damage.
	Faults []string
	// Remarks are what is worth knowing of a sound file.
	Remarks []string
}

// An Examiner has the pages of a file examined in another process. The error
// says why there is no Examination; that it did not end in time is
// context.DeadlineExceeded.
type Examiner func(ctx context.Context, path string) (Examination, error)

// examined is a line of what the other process says.
type examined struct {
	Fault  string `json:"fault,omitempty"`
	Remark string `json:"remark,omitempty"`
	// Failed says why the file could not be examined. It is the last line then.
	Failed string `json:"failed,omitempty"`
	// Done is the last line: all was read.
	Done bool `json:"done,omitempty"`
}

const (
	// examineStack is more than following a sound file takes, whose trees are
	// flat; pages in a circle soon use it up.
	examineStack = 16 << 20
	// examineMemory, and the size of the file, is more than a sound one takes.
	examineMemory = 256 << 20
	// manySaid bounds what bbolt's own check is listened to. It says some things
	// many times.
	manySaid = 1 << 14
	// exitMemory is how the process ends that needs more.
	exitMemory = 75
	// openPatience is how long Open waits for an examination.
	openPatience = 10 * time.Second
)

// examinePatience is how long an examination of so many bytes may take where
// somebody asked for it.
func examinePatience(size int64) time.Duration {
	return time.Minute + time.Duration(size>>20)*time.Second
}

// ExamineBy returns an Examiner that runs a command which calls ExamineMain.
func ExamineBy(command func(ctx context.Context, path string) (*exec.Cmd, error)) Examiner {
	return func(ctx context.Context, path string) (Examination, error) {
		cmd, err := command(ctx, path)
		if err != nil {
			return Examination{}, fmt.Errorf("its pages cannot be examined: %w", err)
		}
		// What the process leaves behind when it dies holds the secrets of live games.
		dir, err := os.MkdirTemp("", "paladin-examine-*")
		if err != nil {
			return Examination{}, fmt.Errorf("its pages cannot be examined: %w", err)
		}
		defer os.RemoveAll(dir)
		cmd.Env = append(cmd.Environ(), "GOTRACEBACK=none", "GOMAXPROCS=1", "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.WaitDelay = &out, time.Second
		err = cmd.Run()
		if ctx.Err() != nil {
			return Examination{}, ctx.Err()
		}
		var found Examination
		done, failed := found.read(&out)
		var exit *exec.ExitError
		switch {
		case failed != "":
			return Examination{}, fmt.Errorf("its pages cannot be examined: %s", failed)
		case done && err == nil:
		case err != nil && !errors.As(err, &exit):
			return Examination{}, fmt.Errorf("its pages cannot be examined: %w", err)
		case exit != nil && exit.ExitCode() < 0 && !crashed(exit):
			return Examination{}, fmt.Errorf("the examination of its pages was stopped from outside: %w", exit)
		case exit != nil && exit.ExitCode() == exitMemory:
			found.Faults = append(found.Faults, "its pages cannot be followed: that takes more memory than those of any sound file")
		default:
			found.Faults = append(found.Faults, "its pages cannot be followed: they lead in a circle or outside the file")
		}
		return found, nil
	}
}

// read takes up what the process said, and reports whether it came to its end or
// why it could not begin.
func (e *Examination) read(r io.Reader) (done bool, failed string) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var l examined
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			continue // it died while it wrote
		}
		if l.Fault != "" {
			e.Faults = append(e.Faults, l.Fault)
		}
		if l.Remark != "" {
			e.Remarks = append(e.Remarks, l.Remark)
		}
		done, failed = done || l.Done, failed+l.Failed
	}
	return done, failed
}

// ExamineMain is the other process: it examines the pages of a file that
// nobody writes to, and writes what an Examiner reads, that it could not be
// examined too. The process ends when it returns, or while it reads. The error
// is one of writing.
func ExamineMain(path string, w io.Writer) error {
	debug.SetMaxStack(examineStack)
	if info, err := os.Stat(path); err == nil {
		go limitMemory(examineMemory + uint64(info.Size()))
	}
	found, err := examineHere(path)
	enc := json.NewEncoder(w)
	if err != nil {
		return enc.Encode(examined{Failed: reason(err).Error()})
	}
	for _, text := range found.Faults {
		err = errors.Join(err, enc.Encode(examined{Fault: text}))
	}
	for _, text := range found.Remarks {
		err = errors.Join(err, enc.Encode(examined{Remark: text}))
	}
	return errors.Join(err, enc.Encode(examined{Done: true}))
}

// limitMemory ends the process when it uses more.
func limitMemory(most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		if metrics.Read(sample); sample[0].Value.Uint64() > most {
			os.Exit(exitMemory)
		}
	}
}

// examine runs the examiner; nil means in this process, which a badly damaged
// file can end.
func examine(ctx context.Context, by Examiner, path string) (Examination, error) {
	if by == nil {
		return examineHere(path)
	}
	return by(ctx, path)
}

// examineHere examines in this process.
func examineHere(path string) (Examination, error) {
	b, err := openBolt(path, true, Options{LockTimeout: time.Second})
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		return Examination{Faults: corrupt.Faults}, nil
	}
	if err != nil {
		return Examination{}, err
	}
	defer b.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	e := &examining{bolt: b}
	err = guard(func() error { return b.View(e.run) })
	if errors.Is(err, errHeader) {
		return examineMended(b)
	}
	if err != nil {
		e.add("%s", faultOf(err))
	}
	return Examination{Faults: e.sentences("faults"), Remarks: headerRemarks(path, b.Info().PageSize)}, nil
}

// errHeader says that bbolt's own check stops at a header page that bbolt does
// without.
var errHeader = errors.New(tornHeader)

const tornHeader = "one of its two header pages is damaged: the other one is used, and the next write makes it anew; " +
	"if it was the newer one, the last change is not there"

// examineMended examines a copy with the header pages that the next write would
// make.
func examineMended(b *bolt.DB) (Examination, error) {
	f, err := os.CreateTemp("", "paladin-mended-*")
	if err != nil {
		return Examination{}, err
	}
	defer os.Remove(f.Name())
	err = b.View(func(t *bolt.Tx) error {
		_, err := t.WriteTo(f)
		return err
	})
	if err := errors.Join(err, f.Close()); err != nil {
		return Examination{}, err
	}
	found, err := examineHere(f.Name())
	found.Remarks = append(found.Remarks, tornHeader)
	return found, err
}

// faultOf is the sentence of what guard caught, without what means something
// only beside the source.
func faultOf(err error) string {
	text := err.Error()
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		text = corrupt.Faults[0]
	}
	text, _, _ = strings.Cut(text, " (runtime error:")
	return text
}

// examining is the work of examineHere.
type examining struct {
	faults
	bolt *bolt.DB
	tx   *bolt.Tx
	// head is, for each page, the first of those that it belongs to.
	head []uint32
}

// add says nothing twice: one damaged page is met time and again.
func (e *examining) add(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(e.list, text) {
		e.faults.add("%s", text)
	}
}

func (e *examining) run(t *bolt.Tx) error {
	e.tx = t
	info, err := os.Stat(e.bolt.Path())
	if err != nil {
		return err
	}
	// What is not there must not be read: it is not mapped.
	if size := t.Size(); info.Size() < size {
		e.add("the file is cut off: %d bytes are left of at least %d", info.Size(), size)
		return nil
	}
	header, said := false, 0
	for err := range t.Check() {
		if said++; said > manySaid {
			return nil // pages in a circle have no last fault
		}
		header = header || said == 1 && headerSaid.MatchString(err.Error())
		e.add("%s", inWords(err.Error()))
	}
	if header {
		e.faults = faults{}
		return errHeader
	}
	if len(e.list) > 0 {
		return nil // more of it would be said of the same damage
	}
	e.pages()
	if len(e.list) > 0 {
		return nil
	}
	return t.ForEach(func(name []byte, b *bolt.Bucket) error { return e.bucket(name, b) })
}

// pages looks for what bbolt's own check passes over: pages that go on into
// free ones or past the end, and free pages that there are not.
func (e *examining) pages() {
	last := int(e.tx.Size()/int64(e.bolt.Info().PageSize)) - 1
	e.head = make([]uint32, last+1)
	free, lists := 0, 0
	kind := func(id int) (string, int) {
		info, err := e.tx.Page(id)
		if err != nil || info == nil {
			return "", 0
		}
		return info.Type, info.OverflowCount
	}
	for id := 2; id <= last; id++ {
		what, more := kind(id)
		e.head[id] = uint32(id)
		switch what {
		case "free":
			free++
			continue
		case "freelist":
			lists++
		}
		if more > last-id {
			e.add("page %d goes on past the end of the file", id)
			return
		}
		for next := id + 1; next <= id+more; next++ {
			if what, _ := kind(next); what == "free" {
				e.add("page %d is used and listed as free", next)
			}
			e.head[next] = uint32(id)
		}
		id += more
	}
	if listed := e.bolt.Stats().FreePageN; listed != free {
		e.add("of %d pages that are listed as free %d are there", listed, free)
	}
	if lists == 0 {
		e.add("the page that lists the free pages is listed as free itself")
	}
}

// bucket reads every record of a bucket to its end.
func (e *examining) bucket(name []byte, b *bolt.Bucket) error {
	var last []byte
	var begin, end uintptr
	any, paged := false, b.Root() != 0
	inline := inlineHead + listedHead*b.Stats().KeyN
	return b.ForEach(func(k, v []byte) error {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(k)))
		if !any {
			begin = at
		}
		switch {
		case len(k) == 0 || any && bytes.Compare(last, k) >= 0:
			e.add("the records of the part %q are out of order", name)
		case paged && !e.onePage(at, len(k)+len(v)):
			e.add("a record of the part %q reaches outside its page", name)
		case !paged && !e.stands(name, inline+int(at-begin), k, v):
			e.add("a record of the part %q is not what stands in the file", name)
		case any && at == end, !any && !paged, paged && e.firstOnPage(at):
		default:
			e.add("records of the part %q are missing, or lie where none belong", name)
		}
		last, end, any = k, at+uintptr(len(k)+len(v)), true
		return nil
	})
}

// bbolt writes the records of a page one behind the other, each with its value
// behind its key, and the first one behind a list of all of them. So a record
// that dropped off the list leaves a gap.
const (
	pageHead   = 16
	listedHead = 16
	// inlineHead is what stands before that list in a small part, whose only
	// page stands behind its name.
	inlineHead = 16 + pageHead
)

// stands reports whether a record stands so many bytes behind the name of its
// part. bbolt copies a small part before it reads it, by a length that may be
// damaged.
func (e *examining) stands(name []byte, offset int, k, v []byte) bool {
	n := len(k) + len(v)
	at := unsafe.SliceData(name)
	if !e.onePage(uintptr(unsafe.Pointer(at)), len(name)+offset+n) {
		return false
	}
	there := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(at), len(name)+offset)), n)
	return bytes.Equal(there[:len(k)], k) && bytes.Equal(there[len(k):], v)
}

// firstOnPage reports whether a key at this address is where the first one of
// its page belongs.
func (e *examining) firstOnPage(at uintptr) bool {
	offset := at - e.bolt.Info().Data
	page, ok := e.pageOf(at)
	if !ok {
		return false
	}
	info, err := e.tx.Page(int(page))
	return err == nil && info != nil && offset == uintptr(page)*uintptr(e.bolt.Info().PageSize)+pageHead+listedHead*uintptr(info.Count)
}

// onePage reports whether so many bytes lie on one page, and with it on those
// that continue it.
func (e *examining) onePage(at uintptr, n int) bool {
	first, ok := e.pageOf(at)
	last, okLast := e.pageOf(at + uintptr(n-1))
	return ok && okLast && first == last
}

// pageOf returns the first page of those on which a byte of the file lies.
func (e *examining) pageOf(at uintptr) (uint32, bool) {
	info := e.bolt.Info()
	page := (at - info.Data) / uintptr(info.PageSize)
	if page >= uintptr(len(e.head)) {
		return 0, false
	}
	return e.head[page], true
}

// headerRemarks says whether one of the two header pages is damaged. bbolt
// reads a file as long as one of them is whole: so each is shown to it alone.
func headerRemarks(path string, pageSize int) []string {
	both := make([]byte, 2*pageSize)
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := io.ReadFull(f, both); err != nil {
		return nil
	}
	for n := range 2 {
		alone := make([]byte, len(both))
		copy(alone[n*pageSize:], both[n*pageSize:][:pageSize])
		if whole, err := readable(alone, pageSize); err == nil && !whole {
			return []string{tornHeader}
		}
	}
	return nil
}

// readable reports whether bbolt would open a file with these header pages.
func readable(headers []byte, pageSize int) (bool, error) {
	f, err := os.CreateTemp("", "paladin-header-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(headers)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	b, err := bolt.Open(f.Name(), 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second, PageSize: pageSize})
	if err != nil {
		return false, nil
	}
	return true, b.Close()
}

// words are the sentences for what bbolt says, which is meant for whoever
// knows its format.
var words = []struct {
	said *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`^page (\d+): already freed`), "page $1 is listed as free twice"},
	{regexp.MustCompile(`^page (\d+): unreachable unfreed`), "page $1 is lost: neither used nor free"},
	{regexp.MustCompile(`^page (\d+): out of bounds`), "page $1 is outside the file"},
	{regexp.MustCompile(`^page (\d+): multiple references`), "page $1 is used twice"},
	{regexp.MustCompile(`^page (\d+): reachable freed`), "page $1 is used and listed as free"},
	{regexp.MustCompile(`^page (\d+): invalid type`), "page $1 is of no known kind"},
	{regexp.MustCompile(`^unexpected page type .* for pgId:(\d+)`), "page $1 is of no known kind"},
	{regexp.MustCompile(`assertion failed: page (\d+): has unexpected type`), "page $1 is of no known kind"},
	{regexp.MustCompile(`assertion failed: Page expected to be: (\d+), but self identifies as (\d+)`), "page $1 says that it is page $2"},
	{regexp.MustCompile(`invalid freelist page: `), "the page that should list the free pages does not"},
	{regexp.MustCompile(`key\[.* on (?:branch|leaf) page\((\d+)\)`), "the records on page $1 are out of order"},
	{regexp.MustCompile(`invalid page type: (\d+)`), "page $1 is of no known kind"},
}

// headerSaid is what bbolt's check says of a header page, before all else.
var headerSaid = regexp.MustCompile(`assertion failed: (?:Page expected to be: [01],|page [01]:)`)

// inWords says what bbolt found wrong. What it has no sentence for comes of
// pages that hold nonsense.
func inWords(said string) string {
	for _, w := range words {
		if m := w.said.FindStringSubmatchIndex(said); m != nil {
			return string(w.said.ExpandString(nil, w.text, said, m))
		}
	}
	return "its pages cannot be followed: one of them leads nowhere"
}
