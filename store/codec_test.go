package store

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"paladin/game/rating"
)

func drawMoment(t *rapid.T, name string) time.Time {
	sec := rapid.OneOf(rapid.Just(int64(minUnix)), rapid.Just(int64(maxUnix)), rapid.Int64Range(minUnix, maxUnix)).Draw(t, name)
	return time.Unix(sec, rapid.Int64Range(0, 999_999_999).Draw(t, name+" ns")).UTC()
}

// name draws what CheckName allows.
func drawName(t *rapid.T, label string) string {
	return rapid.StringMatching(`[a-z0-9/ é☃\x01-\x7f]{1,20}`).Draw(t, label)
}

func drawData(t *rapid.T, label string) []byte {
	if b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, label); len(b) > 0 {
		return b
	}
	return nil
}

// TestRecords: every record comes back as it was.
func TestRecords(t *testing.T) {
	same := func(t *rapid.T, got, want any, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("error %v, -want +got:\n%s", err, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		row := Row{
			ID: "t", Version: rapid.Uint64().Draw(t, "version"), Live: rapid.Bool().Draw(t, "live"),
			Channel: drawName(t, "channel"), Snapshot: drawData(t, "snapshot"), Entries: rapid.IntRange(0, math.MaxInt32).Draw(t, "entries"),
			Created: drawMoment(t, "created"), Touched: drawMoment(t, "touched"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			row.Users = append(row.Users, drawName(t, "user"))
			row.Deadlines = append(row.Deadlines, Deadline{Table: "t", Kind: drawName(t, "kind"), Prompt: rapid.Uint64().Draw(t, "prompt"), At: drawMoment(t, "at")})
		}
		got, err := decodeRow("t", encodeRow(&row), true)
		same(t, got, row, err)
		got, err = decodeRow("t", encodeRow(&row), false)
		row.Snapshot = nil
		same(t, got, row, err)

		at, data := drawMoment(t, "moment"), drawData(t, "data")
		entry, err := decodeEntry(3, encodeEntry(at, data))
		same(t, entry, Entry{Seq: 3, At: at, Data: data}, err)
		in := Intent{Table: "t", Key: "k", Generation: rapid.Uint64().Draw(t, "generation"), Channel: drawName(t, "lane"), Payload: data, NotBefore: at}
		gotIntent, err := decodeIntent("t", "k", encodeIntent(&in))
		same(t, gotIntent, in, err)
		sf := Surface{Table: "t", Name: "n", Channel: drawName(t, "c"), Message: drawName(t, "m"), Posted: at, Prompt: in.Generation, Data: data}
		gotSurface, err := decodeSurface("t", "n", encodeSurface(&sf))
		same(t, gotSurface, sf, err)
		u := User{ID: "u", Name: drawName(t, "name"), DMChannel: drawName(t, "dm"), DMClosedUntil: at, Data: data}
		gotUser, err := decodeUser("u", encodeUser(&u))
		same(t, gotUser, u, err)
		result := drawStoredResult(t)
		gotResult, err := decodeResult(7, encodeResult(&result))
		same(t, gotResult, result, err)
		standing := standingRow{Standing: Standing{
			Guild: rapid.SampledFrom([]string{"", "g"}).Draw(t, "guild"), User: "u", Name: drawName(t, "called"), Games: drawCount(t), WinParts: drawCount(t),
			Honour: drawCount(t), Moves: drawCount(t), InTime: drawCount(t), SquireMoves: drawCount(t), Timeouts: drawCount(t), Last: at,
			Rating: drawStoredRating(t), Rated: drawCount(t),
		}}
		if rapid.Bool().Draw(t, "squire") {
			standing.User, standing.Squire = "", "easy"
		}
		standing.base = standingBase{at: rapid.Uint64().Draw(t, "base"), rating: drawStoredRating(t), rated: drawCount(t)}
		gotStanding, err := decodeStanding(standingKey(standing.Guild, standing.User, standing.Squire), encodeStanding(&standing))
		if gotStanding != standing || err != nil {
			t.Fatalf("error %v, got %+v, want %+v", err, gotStanding, standing)
		}
		m := mark{begun: rapid.Bool().Draw(t, "begun"), dm: drawName(t, "dm")}
		for range rapid.IntRange(0, 3).Draw(t, "waiting") {
			m.waiting = append(m.waiting, drawName(t, "waits"))
		}
		gotMark, err := decodeMark(encodeMark(&m))
		if !reflect.DeepEqual(gotMark, m) || err != nil {
			t.Fatalf("error %v, got %+v, want %+v", err, gotMark, m)
		}
		seenAt, table, err := decodeSeen(encodeSeen(at, "t"))
		same(t, []any{seenAt, table}, []any{at, "t"}, err)
	})
}

func drawCount(t *rapid.T) int { return rapid.IntRange(0, math.MaxInt32).Draw(t, "count") }

func drawStoredRating(t *rapid.T) rating.Rating {
	if rapid.Bool().Draw(t, "unrated") {
		return rating.Rating{}
	}
	return rating.Rating{Mu: rapid.Float64Range(-rating.Limit, rating.Limit).Draw(t, "mu"), Sigma: rapid.Float64Range(1e-9, rating.Limit).Draw(t, "sigma")}
}

func drawStoredResult(t *rapid.T) Result {
	player := func() Player {
		return Player{User: drawName(t, "user"), Name: drawName(t, "name"), Moves: drawCount(t), InTime: drawCount(t), SquireMoves: drawCount(t), Timeouts: drawCount(t)}
	}
	r := Result{
		Number: 7, Table: drawName(t, "table"), Guild: drawName(t, "guild"), Channel: drawName(t, "channel"),
		Finished: drawMoment(t, "finished"), HouseDeck: rapid.Bool().Draw(t, "house"),
	}
	for range rapid.IntRange(1, 5).Draw(t, "seats") {
		s := ResultSeat{Honour: drawCount(t), Rank: drawCount(t), Away: rapid.Bool().Draw(t, "away")}
		switch rapid.IntRange(0, 2).Draw(t, "who") {
		case 0:
			s.Player = player()
		case 1:
			s.Squire = "easy"
		}
		for range rapid.IntRange(0, 2).Draw(t, "former") {
			s.Former = append(s.Former, player())
		}
		r.Seats = append(r.Seats, s)
	}
	return r
}

// TestPinned holds the stored forms against those that earlier versions wrote.
// A change here is a new form: files that exist must stay readable.
func TestPinned(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 678, time.UTC)
	result := Result{
		Table: "t1", Guild: "guild", Channel: "c", Finished: at, HouseDeck: true,
		Seats: []ResultSeat{
			{
				Player: Player{User: "ann", Name: "Ann", Moves: 300, InTime: 299, SquireMoves: 2, Timeouts: 1}, Honour: 9, Rank: 1,
				Former: []Player{{User: "bob", Name: "Bob", Moves: 4, InTime: 3, SquireMoves: 2, Timeouts: 1}},
			},
			{Squire: "normal", Honour: 5, Rank: 2},
			{Player: Player{User: "cid", Name: "Cid"}, Rank: 3, Away: true},
		},
	}
	standing := standingRow{
		Standing: Standing{
			Guild: "guild", User: "ann", Name: "Ann", Games: 3, WinParts: 90, Honour: 21, Moves: 300, InTime: 299, SquireMoves: 2, Timeouts: 1,
			Last: at, Rating: rating.Rating{Mu: 27.5, Sigma: 7.25}, Rated: 2,
		},
		base: standingBase{at: 5, rating: rating.Rating{Mu: 25, Sigma: 8.5}, rated: 1},
	}
	forms := map[string][]byte{
		"row": encodeRow(&Row{Version: 3, Live: true, Channel: "c", Guild: "g", Users: []string{"ann", "bob"}, Entries: 4, Created: at, Touched: at,
			Deadlines: []Deadline{{Kind: "turn", Prompt: 9, At: at}}, Snapshot: []byte("snapshot")}),
		"entry":        encodeEntry(at, []byte("entry")),
		"entry key":    entryKey("t1", 7),
		"interaction":  encodeSeen(at, "t1"),
		"intent":       encodeIntent(&Intent{Generation: 300, Channel: "lane", NotBefore: at, Payload: []byte("p")}),
		"surface":      encodeSurface(&Surface{Channel: "c", Message: "m", Posted: at, Prompt: 5, Data: []byte("d")}),
		"user":         encodeUser(&User{Name: "Ann", DMChannel: "dm", DMClosedUntil: at, Data: []byte("d")}),
		"deadline key": deadlineKey(&Deadline{Table: "t", Kind: "turn", Prompt: 5, At: at}),
		"result":       encodeResult(&result),
		"result key":   resultKey(7),
		"standing":     encodeStanding(&standing),
		"standing key": standingKey("guild", "ann", ""),
		"squire's key": standingKey("guild", "", "normal"),
		"all servers":  standingKey("", "ann", ""),
		"pool":         encodeBase(300),
		"mark":         encodeMark(&mark{begun: true, dm: "dm", waiting: []string{"t1", "t2"}}),
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		fmt.Fprintf(&text, "%s: %x\n", name, forms[name])
	}
	path := filepath.Join("testdata", "forms.golden")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMentions: an id is found where it stands as a word, and only there.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"123": true, `{"id":"123"}`: true, "user/123": true, "<@123>": true, "1234 123": true, "0123,123": true, "\x00123": true, "é123é": true,
		"": false, "1234": false, "0123": false, "a123": false, "123_": false, "12 3": false, "123123": false,
	} {
		if got := Mentions(text, "123"); got != want {
			t.Errorf("%q mentions 123: %v, want %v", text, got, want)
		}
	}
	if Mentions("anything", "") {
		t.Error("nobody is mentioned")
	}
}

// TestIDs: the index has exactly the numbers of the length of Discord's ids that stand as words, as Mentions has it.
func TestIDs(t *testing.T) {
	words := regexp.MustCompile(`\b[0-9]{15,20}\b`)
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(
			rapid.StringMatching(`[0-9]{14,21}`), rapid.StringMatching(`[0-9]{17,19}`), rapid.SampledFrom([]string{"", "_", "x", " ", "\"", "/", "-", "\x00", "é", "\xff", "z9"}),
		)
		text := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "")
		got, want := idSet{}, idSet{}
		got.read([]byte(text))
		for _, word := range words.FindAllString(text, -1) {
			want[word] = struct{}{}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%q has %v, want %v", text, got.sorted(), want.sorted())
		}
		for id := range got {
			if !indexed(id) || !Mentions(text, id) {
				t.Fatalf("%q does not stand in %q", id, text)
			}
		}
	})
}

// TestKeys: every key comes back as it was, and the order of the bytes is the
// order of what they say.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) Deadline {
			return Deadline{Table: drawName(t, label+" table"), Kind: drawName(t, label+" kind"), Prompt: rapid.Uint64().Draw(t, label+" prompt"), At: drawMoment(t, label)}
		}
		a, b := draw("a"), draw("b")
		if rapid.Bool().Draw(t, "same time") {
			b.At = a.At
		}
		if rapid.Bool().Draw(t, "same table") {
			b.Table = a.Table
		}
		if got := bytes.Compare(deadlineKey(&a), deadlineKey(&b)); got != CompareDeadlines(a, b) {
			t.Fatalf("%+v and %+v: keys compare as %d", a, b, got)
		}
		got, err := splitDeadlineKey(deadlineKey(&a))
		if diff := cmp.Diff(a, got); diff != "" || err != nil {
			t.Fatalf("error %v, -want +got:\n%s", err, diff)
		}
		first, second, err := splitPair(pairKey(a.Table, a.Kind))
		if first != a.Table || second != a.Kind || err != nil {
			t.Fatalf("pair %q, %q, %v", first, second, err)
		}
		m, n := rapid.IntRange(1, math.MaxInt32).Draw(t, "m"), rapid.IntRange(1, math.MaxInt32).Draw(t, "n")
		table, seq, err := splitEntryKey(entryKey(a.Table, n))
		if table != a.Table || seq != n || err != nil {
			t.Fatalf("entry %q, %d, %v", table, seq, err)
		}
		if (bytes.Compare(entryKey(a.Table, m), entryKey(a.Table, n)) < 0) != (m < n) {
			t.Fatalf("entries %d and %d are out of order", m, n)
		}
		at, name, err := splitTimeKey(timeKey(a.At, a.Kind))
		if !at.Equal(a.At) || name != a.Kind || err != nil {
			t.Fatalf("time %v, %q, %v", at, name, err)
		}
	})
}

// FuzzRecords: whatever stands in a record, reading it returns, and what was
// accepted has this one encoding.
func FuzzRecords(f *testing.F) {
	at := time.Unix(1893553445, 678).UTC()
	f.Add(encodeRow(&Row{Version: 3, Live: true, Channel: "c", Guild: "g", Users: []string{"ann", "bob"}, Entries: 4, Created: at, Touched: at,
		Deadlines: []Deadline{{Kind: "turn", Prompt: 9, At: at}}, Snapshot: []byte("snapshot")}))
	f.Add(encodeEntry(at, []byte("entry")))
	f.Add(encodeIntent(&Intent{Generation: 300, Channel: "lane", NotBefore: at, Payload: []byte("p")}))
	f.Add(encodeSurface(&Surface{Channel: "c", Message: "m", Posted: at, Prompt: 5, Data: []byte("d")}))
	f.Add(encodeUser(&User{Name: "Ann", DMChannel: "dm", DMClosedUntil: at, Data: []byte("d")}))
	f.Add(deadlineKey(&Deadline{Table: "t", Kind: "turn", Prompt: 5, At: at}))
	f.Add(entryKey("t", 7))
	f.Add([]byte{1, 0x80, 0x00})
	f.Add(encodeResult(&Result{Table: "t", Finished: at, Seats: []ResultSeat{{Player: Player{User: "ann"}, Former: []Player{{User: "bob", Moves: 300}}}, {Squire: "easy"}}}))
	f.Add(encodeStanding(&standingRow{Standing: Standing{Name: "Ann", Games: 3, Last: at, Rating: rating.New()}, base: standingBase{at: 4}}))
	f.Add(standingKey("g", "", "easy"))
	f.Add(encodeMark(&mark{begun: true, dm: "dm", waiting: []string{"t"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		same := func(what string, again []byte, err error) {
			t.Helper()
			if err == nil && !bytes.Equal(again, b) {
				t.Errorf("%s %x encodes as %x", what, b, again)
			}
		}
		row, err := decodeRow("t", b, true)
		same("row", encodeRow(&row), err)
		entry, err := decodeEntry(1, b)
		same("entry", encodeEntry(entry.At, entry.Data), err)
		in, err := decodeIntent("t", "k", b)
		same("intent", encodeIntent(&in), err)
		sf, err := decodeSurface("t", "n", b)
		same("surface", encodeSurface(&sf), err)
		u, err := decodeUser("u", b)
		same("user", encodeUser(&u), err)
		moment, table, err := decodeSeen(b)
		same("interaction", encodeSeen(moment, table), err)
		d, err := splitDeadlineKey(b)
		same("deadline", deadlineKey(&d), err)
		moment, name, err := splitTimeKey(b)
		same("time", timeKey(moment, name), err)
		first, second, err := splitPair(b)
		same("pair", pairKey(first, second), err)
		table, seq, err := splitEntryKey(b)
		same("entry key", entryKey(table, seq), err)
		result, err := decodeResult(1, b)
		same("result", encodeResult(&result), err)
		standing, err := decodeStanding(standingKey("g", "u", ""), b)
		same("standing", encodeStanding(&standing), err)
		guild, user, squire, err := splitStandingKey(b)
		same("standing key", standingKey(guild, user, squire), err)
		guild, user, squire, err = splitStandingsOfKey(b)
		same("key by whose standing it is", standingsOfKey(guild, user, squire), err)
		number, err := splitResultKey(b)
		same("result key", resultKey(number), err)
		base, err := decodeBase(b)
		same("pool", encodeBase(base), err)
		m, err := decodeMark(b)
		same("mark", encodeMark(&m), err)
	})
}
