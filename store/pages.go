package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bbolt trusts its file: on a damaged one it can panic, read outside the
// mapped memory or follow pages in a circle until the stack is used up, and
// none of that can be caught by its caller in every case. So the file is read
// here first, by plain reads that believe nothing, and bbolt sees only files
// that passed.

const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaLen     = 64
	metaSum     = 56 // where the checksum stands, which covers all before it
	pageHead    = 16
	elementLen  = 16
	bucketHead  = 16

	pageBranch   = 0x01
	pageLeaf     = 0x02
	pageFreelist = 0x10

	elementBucket = 0x01
	noFreelist    = ^uint64(0)

	// maxDepth is far more than a tree of any real size has.
	maxDepth = 64
	// maxFaults is how many faults are listed; one is enough to refuse a file.
	maxFaults = 50
)

// header is what the valid meta page with the latest transaction says.
type header struct {
	pageSize uint64
	root     uint64
	freelist uint64
	high     uint64 // pages from here on are not used
	txid     uint64
}

// faults collects what is wrong, up to maxFaults sentences.
type faults struct {
	list []string
	more int
}

func (f *faults) add(format string, args ...any) {
	if len(f.list) < maxFaults {
		f.list = append(f.list, fmt.Sprintf(format, args...))
		return
	}
	f.more++
}

// sentences returns the faults, with a last line about those not listed.
func (f *faults) sentences() []string {
	if f.more == 0 {
		return f.list
	}
	return append(f.list[:len(f.list):len(f.list)], fmt.Sprintf("and %d more faults", f.more))
}

// decodeMeta reads a meta page's contents. known tells whether they begin like
// a meta page at all, ok whether they are intact.
func decodeMeta(b []byte) (h header, known, ok bool) {
	order := binary.NativeEndian
	if len(b) < metaLen || order.Uint32(b) != metaMagic {
		return header{}, false, false
	}
	sum := fnv.New64a()
	sum.Write(b[:metaSum])
	h = header{
		pageSize: uint64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		high:     order.Uint64(b[40:]),
		txid:     order.Uint64(b[48:]),
	}
	ok = order.Uint32(b[4:]) == metaVersion && order.Uint64(b[metaSum:]) == sum.Sum64() &&
		h.pageSize >= 1024 && h.pageSize <= 16<<20 && h.pageSize&(h.pageSize-1) == 0
	return h, true, ok
}

// readHeader finds the header of a bbolt file. It returns ErrNotDatabase if
// nothing in the file looks like one and ErrCorrupt if it is damaged.
func readHeader(r io.ReaderAt, size int64) (header, error) {
	at := func(off int64) (header, bool, bool, error) {
		var b [metaLen]byte
		n, err := r.ReadAt(b[:], off+pageHead)
		if err != nil && !errors.Is(err, io.EOF) {
			return header{}, false, false, err
		}
		h, known, ok := decodeMeta(b[:n])
		return h, known, ok, nil
	}
	h0, seen, ok0, err := at(0)
	if err != nil {
		return header{}, err
	}
	best, found := h0, ok0
	// The second meta page lies one page on: if the first one does not say how
	// far that is, it is looked for.
	for step := int64(1024); step <= 16<<20 && step < size; step *= 2 {
		if ok0 && uint64(step) != h0.pageSize {
			continue
		}
		h, known, ok, err := at(step)
		if err != nil {
			return header{}, err
		}
		seen = seen || known
		if ok && h.pageSize == uint64(step) && (!found || h.txid > best.txid) {
			best, found = h, true
		}
	}
	switch {
	case !found && seen:
		return header{}, &CorruptError{Faults: []string{"both header pages are damaged"}}
	case !found:
		return header{}, ErrNotDatabase
	case best.high < 3 || best.root < 2 || best.root >= best.high:
		return header{}, &CorruptError{Faults: []string{"the header points outside the file"}}
	case best.high > uint64(size)/best.pageSize:
		return header{}, &CorruptError{Faults: []string{fmt.Sprintf("the file is cut off: %d bytes are left of at least %d pages of %d", size, best.high, best.pageSize)}}
	}
	return best, nil
}

const (
	pageUnknown = iota
	pageUsed
	pageFree
)

// pageWalk reads the trees of a file and notes what each page is for.
type pageWalk struct {
	faults
	r     io.ReaderAt
	head  header
	state []byte
	// deep is false if only the first page of each tree is to be read.
	deep bool
}

// walkPages verifies the pages of a file whose header was read: that they are
// well formed, in order, used once and none lost. If deep is false it looks
// only at the list of free pages and at the first page of each bucket.
func walkPages(r io.ReaderAt, head header, deep bool) []string {
	w := &pageWalk{r: r, head: head, state: make([]byte, head.high), deep: deep}
	w.state[0], w.state[1] = pageUsed, pageUsed
	w.tree(head.root, 0, nil, nil)
	w.freelist()
	if deep && len(w.list) == 0 {
		for id, s := range w.state {
			// Without a stored list bbolt finds free pages by this same walk.
			if s == pageUnknown && head.freelist != noFreelist {
				w.add("page %d is lost: neither used nor free", id)
			}
		}
	}
	return w.sentences()
}

type page struct {
	id    uint64
	flags uint16
	count uint16
	body  []byte // the whole page, its header and following pages included
}

// read reads a page with the pages that continue it and claims them all.
func (w *pageWalk) read(id uint64) (page, bool) {
	if id < 2 || id >= w.head.high {
		w.add("page %d is outside the file", id)
		return page{}, false
	}
	body := make([]byte, w.head.pageSize)
	if _, err := w.r.ReadAt(body, int64(id*w.head.pageSize)); err != nil {
		w.add("page %d cannot be read: %v", id, err)
		return page{}, false
	}
	order := binary.NativeEndian
	p := page{id: id, flags: order.Uint16(body[8:]), count: order.Uint16(body[10:])}
	if got := order.Uint64(body); got != id {
		w.add("page %d says that it is page %d", id, got)
		return page{}, false
	}
	overflow := uint64(order.Uint32(body[12:]))
	if overflow >= w.head.high-id {
		w.add("page %d goes on past the end of the file", id)
		return page{}, false
	}
	for i := id; i <= id+overflow; i++ {
		if w.state[i] != pageUnknown {
			w.add("page %d is used twice", i)
			return page{}, false
		}
		w.state[i] = pageUsed
	}
	if overflow > 0 {
		body = append(body, make([]byte, overflow*w.head.pageSize)...)
		if _, err := w.r.ReadAt(body[w.head.pageSize:], int64((id+1)*w.head.pageSize)); err != nil {
			w.add("page %d cannot be read: %v", id, err)
			return page{}, false
		}
	}
	p.body = body
	return p, true
}

// slice returns length bytes at pos behind the element at off.
func (p *page) slice(off int, pos, length uint32) ([]byte, bool) {
	from := uint64(off) + uint64(pos)
	to := from + uint64(length)
	if from < pageHead || to > uint64(len(p.body)) {
		return nil, false
	}
	return p.body[from:to], true
}

// tree walks the pages from id down. All keys are at least low and, unless
// high is nil, less than high.
func (w *pageWalk) tree(id uint64, depth int, low, high []byte) {
	if depth > maxDepth {
		w.add("page %d lies deeper than any tree reaches", id)
		return
	}
	p, ok := w.read(id)
	if !ok {
		return
	}
	switch p.flags {
	case pageBranch:
		w.branch(&p, depth, low, high)
	case pageLeaf:
		w.leaf(&p, depth, low, high)
	default:
		w.add("page %d is of no known kind (%#x)", id, p.flags)
	}
}

func (w *pageWalk) branch(p *page, depth int, low, high []byte) {
	if p.count == 0 {
		w.add("page %d leads nowhere", p.id)
		return
	}
	type child struct {
		key []byte
		id  uint64
	}
	children := make([]child, 0, p.count)
	keys := keyOrder{low: low, high: high}
	for i := range int(p.count) {
		off := pageHead + i*elementLen
		if off+elementLen > len(p.body) {
			w.add("page %d has more elements than room", p.id)
			return
		}
		e := p.body[off:]
		key, ok := p.slice(off, binary.NativeEndian.Uint32(e), binary.NativeEndian.Uint32(e[4:]))
		if !ok || !keys.next(key) {
			w.add("page %d: element %d is out of place", p.id, i)
			return
		}
		children = append(children, child{key, binary.NativeEndian.Uint64(e[8:])})
	}
	if !w.deep {
		return
	}
	for i, c := range children {
		end := high
		if i+1 < len(children) {
			end = children[i+1].key
		}
		w.tree(c.id, depth+1, c.key, end)
	}
}

func (w *pageWalk) leaf(p *page, depth int, low, high []byte) {
	keys := keyOrder{low: low, high: high}
	for i := range int(p.count) {
		off := pageHead + i*elementLen
		if off+elementLen > len(p.body) {
			w.add("page %d has more elements than room", p.id)
			return
		}
		e := p.body[off:]
		order := binary.NativeEndian
		flags, pos, klen, vlen := order.Uint32(e), order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
		key, ok := p.slice(off, pos, klen)
		if !ok || klen == 0 || !keys.next(key) || pos+klen < pos {
			w.add("page %d: element %d is out of place", p.id, i)
			return
		}
		value, ok := p.slice(off, pos+klen, vlen)
		if !ok || flags > elementBucket {
			w.add("page %d: the value of element %d is out of place", p.id, i)
			return
		}
		if flags == elementBucket {
			w.bucket(p.id, i, value, depth)
		}
	}
}

// bucket walks a bucket, whose head stands in an element of page id.
func (w *pageWalk) bucket(id uint64, element int, value []byte, depth int) {
	if len(value) < bucketHead {
		w.add("page %d: the bucket in element %d is cut off", id, element)
		return
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		w.tree(root, depth+1, nil, nil)
		return
	}
	// A small bucket's only page stands in the element itself.
	inline := value[bucketHead:]
	if len(inline) < pageHead || binary.NativeEndian.Uint16(inline[8:]) != pageLeaf || depth > maxDepth {
		w.add("page %d: the bucket in element %d is damaged", id, element)
		return
	}
	w.leaf(&page{id: id, count: binary.NativeEndian.Uint16(inline[10:]), body: inline}, depth+1, nil, nil)
}

func (w *pageWalk) freelist() {
	if w.head.freelist == noFreelist {
		return
	}
	p, ok := w.read(w.head.freelist)
	if !ok {
		return
	}
	if p.flags != pageFreelist {
		w.add("page %d should list the free pages and does not", p.id)
		return
	}
	list := p.body[pageHead:]
	count := uint64(p.count)
	if p.count == 0xFFFF {
		// More than fit the header's count: then the first element is the count.
		count = binary.NativeEndian.Uint64(list)
		list = list[8:]
	}
	if count > uint64(len(list)/8) {
		w.add("page %d lists more free pages than it has room for", p.id)
		return
	}
	for i := range count {
		id := binary.NativeEndian.Uint64(list[i*8:])
		switch {
		case id < 2 || id >= w.head.high:
			w.add("page %d is listed as free and is outside the file", id)
		case w.state[id] == pageUsed:
			w.add("page %d is listed as free and is used", id)
		case w.state[id] == pageFree:
			w.add("page %d is listed as free twice", id)
		default:
			w.state[id] = pageFree
		}
	}
}

// keyOrder checks that keys rise from low to below high.
type keyOrder struct {
	low, high, last []byte
	any             bool
}

func (k *keyOrder) next(key []byte) bool {
	if k.any && bytes.Compare(key, k.last) <= 0 || bytes.Compare(key, k.low) < 0 || k.high != nil && bytes.Compare(key, k.high) >= 0 {
		return false
	}
	k.any, k.last = true, key
	return true
}
