package bot

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"paladin/game/paladin"
	"paladin/game/squire"
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

// The table that a step leads to is kept as it is, without decoding what was stored: both must be the same, move by move.
func TestDecodedIsWhatWasStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	who := func(n int) table.Actor {
		return table.Actor{Person: table.Person{ID: table.UserID(strconv.Itoa(n)), Name: "P" + strconv.Itoa(n)}, Interaction: strconv.Itoa(100 + n)}
	}
	at, _, err := table.Open(table.Opening{
		ID: "t", Channel: "c", Host: who(1), Deck: paladin.HouseDeck(), Now: now,
		Options: table.Options{Seats: 3, Squires: squire.Normal, SquirePace: table.SquireAtOnce, Pace: table.PaceDaily},
	})
	if err != nil {
		t.Fatal(err)
	}
	do := func(by table.Actor, cmd table.Command) {
		t.Helper()
		now = now.Add(time.Duration(rng.IntN(5000)) * time.Millisecond)
		if at, _, err = step(at, by, cmd, now, nil); err != nil {
			t.Fatalf("%T: %v", cmd, err)
		}
		data, err := at.Encode()
		if err != nil {
			t.Fatal(err)
		}
		stored, err := table.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(stored, at, cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("after %T, stored and kept differ:\n%s", cmd, d)
		}
	}
	do(who(2), table.Join{})
	do(who(1), table.AddSquire{})
	do(who(1), table.Start{})
	for at.Stage() == table.Playing {
		person, _ := at.AwaitedPerson()
		mine, _ := at.Private(person.ID)
		legal := mine.View.Legal()
		do(table.Actor{Person: person}, table.Play{Prompt: at.Prompt(), Move: legal[rng.IntN(len(legal))]})
	}
}
