package bot

import (
	"sync"

	"paladin/game/table"
)

// decodedTables is how many tables are kept as they were last decoded.
const decodedTables = 128

// decoded keeps the tables that were decoded or stored last, each with the version of its row. One move looks at its table four times
// within moments (the press, its owner, the board's refresh and the next one's panel), and decoding is the most expensive part of
// that. The row is read anew every time: a table is taken from here only if it is the very version that is stored. A table is never
// changed in place, so that it can be handed to several at once. That there are so few keeps a table at rest out of memory.
type decoded struct {
	mu     sync.Mutex
	tables map[string]decodedTable
	ring   [decodedTables]string
	next   int
}

type decodedTable struct {
	version uint64
	table   table.Table
}

func newDecoded() *decoded { return &decoded{tables: make(map[string]decodedTable, decodedTables)} }

// get returns the table at this version, if it is kept.
func (d *decoded) get(id string, version uint64) (table.Table, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tables[id]
	return t.table, ok && t.version == version
}

// put keeps a table, in place of the one that was put in longest ago.
func (d *decoded) put(id string, version uint64, t table.Table) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, known := d.tables[id]
	if known && old.version > version {
		return // somebody decoded a newer one meanwhile
	}
	if !known {
		delete(d.tables, d.ring[d.next])
		d.ring[d.next] = id
		d.next = (d.next + 1) % len(d.ring)
	}
	d.tables[id] = decodedTable{version, t}
}
