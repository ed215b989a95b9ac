package bot

import (
	"strconv"
	"testing"

	"paladin/game/table"
)

// A table is found at the version that was put in and at no other.
func TestDecodedVersions(t *testing.T) {
	d := newDecoded()
	if _, ok := d.get("a", 0); ok {
		t.Error("an empty one has a table")
	}
	d.put("a", 2, table.Table{})
	d.put("a", 1, table.Table{}) // came late
	for version, want := range []bool{false, false, true, false} {
		if _, ok := d.get("a", uint64(version)); ok != want {
			t.Errorf("version %d: found %t, want %t", version, ok, want)
		}
	}
}

// However many tables there are, few are kept: those that were put in last.
func TestDecodedBound(t *testing.T) {
	d := newDecoded()
	const many = 3*decodedTables + 1
	for n := range many {
		d.put(strconv.Itoa(n), 1, table.Table{})
		d.put(strconv.Itoa(n), 2, table.Table{})
	}
	if len(d.tables) != decodedTables {
		t.Errorf("%d tables are kept, want %d", len(d.tables), decodedTables)
	}
	for n := range many {
		if _, ok := d.get(strconv.Itoa(n), 2); ok != (n >= many-decodedTables) {
			t.Errorf("table %d of %d: found %t", n, many, ok)
		}
	}
}
