package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// life is a table with its whole history.
type life struct {
	t     testing.TB
	at    table.Table
	lines []table.Line
	now   time.Time
}

// newLife opens a table at which so many sit; Ann is the host.
func newLife(t testing.TB, people []string, squires int) *life {
	t.Helper()
	o := opening(people[0], max(len(people)+squires, table.MinSeats))
	o.Options.Pace = table.PaceDaily
	at, out, err := table.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, at: at, lines: out.Lines, now: start}
	for _, name := range people[1:] {
		l.do(person(name), table.Join{})
	}
	for range squires {
		l.do(person(people[0]), table.AddSquire{})
	}
	return l
}

// try carries out a command if it is not refused.
func (l *life) try(by table.Actor, cmd table.Command) bool {
	l.now = l.now.Add(time.Minute)
	next, out, err := l.at.Do(by, cmd, l.now)
	if err != nil {
		return false
	}
	if err := next.Check(); err != nil {
		l.t.Fatalf("after %T: %v", cmd, err)
	}
	l.at, l.lines = next, append(l.lines, out.Lines...)
	if len(l.lines)%8 == 1 {
		l.sound()
	}
	return true
}

// sound demands that the table follows from its history.
func (l *life) sound() {
	l.t.Helper()
	if err := table.Audit(&l.at, l.lines); err != nil {
		l.t.Fatalf("at stage %s after %d lines: %v", l.at.Stage(), len(l.lines), err)
	}
}

func (l *life) do(by table.Actor, cmd table.Command) {
	l.t.Helper()
	if !l.try(by, cmd) {
		l.t.Fatalf("%s: %T is refused", by.Name, cmd)
	}
}

// step makes the next move: a squire's, or the first legal one of whoever is awaited, by what they gave beforehand if they did.
func (l *life) step(choose func([]paladin.Move) paladin.Move) {
	l.t.Helper()
	if next, out, moved, err := l.at.Beforehand(l.now); err != nil {
		l.t.Fatal(err)
	} else if moved {
		l.at, l.lines = next, append(l.lines, out.Lines...)
		return
	}
	if l.at.SquireToAct() {
		l.do(table.Actor{}, table.SquireMove{Prompt: l.at.Prompt()})
		return
	}
	who, ok := l.at.AwaitedPerson()
	if !ok {
		l.t.Fatalf("nobody is awaited at stage %s", l.at.Stage())
	}
	mine, _ := l.at.Private(who.ID)
	l.do(table.Actor{Person: who}, table.Play{Prompt: l.at.Prompt(), Move: choose(mine.View.Legal())})
}

func first(legal []paladin.Move) paladin.Move { return legal[0] }

func (l *life) finish() {
	l.t.Helper()
	for l.at.Stage() == table.Playing {
		l.step(first)
	}
}

// awaits goes on until the person is to move.
func (l *life) awaits(name string) {
	l.t.Helper()
	for {
		if who, ok := l.at.AwaitedPerson(); ok && who.Name == name {
			return
		}
		l.step(first)
	}
}

// moves counts the lines of a kind from one number of a line to another that a seat's moves made.
func moves(lines []table.Line, kind table.LineKind, seat paladin.Seat) int {
	n := 0
	for _, l := range lines {
		if l.Kind == kind && l.Seat == seat {
			n++
		}
	}
	return n
}

// stoodIn is a finished game of Ann, Ben, Cleo and a squire. Ann's time runs out, Eve stands in for her and Ann takes the seat back; Ben leaves
// at last. The parts of the history in which Ann did not hold her seat lie between from and to.
func stoodIn(t testing.TB) (l *life, from, to int) {
	t.Helper()
	l = newLife(t, []string{"Ann", "Ben", "Cleo"}, 1)
	l.do(person("Ann"), table.Start{})
	l.awaits("Ann")
	l.do(table.Actor{}, table.Timeout{Prompt: l.at.Prompt()})
	l.do(person("Eve"), table.Offer{Seat: 0})
	l.do(person("Ben"), table.Accept{Seat: 0, User: person("Eve").ID})
	l.do(person("Cleo"), table.Accept{Seat: 0, User: person("Eve").ID})
	from = len(l.lines)
	for range 12 {
		l.step(first)
	}
	to = len(l.lines)
	l.do(person("Ann"), table.Reclaim{})
	l.awaits("Ann")
	l.step(first)
	l.do(person("Ben"), table.Leave{})
	l.finish()
	return l, from, to
}

func TestTallyCountsForWhoeverHeldTheSeat(t *testing.T) {
	l, from, to := stoodIn(t)
	before, during, after := l.lines[:from], l.lines[from:to], l.lines[to:]
	late := moves(before, table.LineSquireMove, 0)
	if late == 0 || moves(during, table.LineMove, 0) == 0 || moves(after, table.LineMove, 0) == 0 || moves(after, table.LineSquireMove, 1) == 0 {
		t.Fatal("the game has not what is to be counted")
	}
	deeds := func(name string, own, squires, timeouts int) table.Deeds {
		return table.Deeds{Person: person(name).Person, Moves: own, InTime: own, SquireMoves: squires, Timeouts: timeouts}
	}
	own := moves(before, table.LineMove, 0) + moves(after, table.LineMove, 0)
	game := l.at.Public().Game
	want := []table.Score{
		{
			Holder: deeds("Ann", own, late+moves(after, table.LineSquireMove, 0), 1), Honour: game.Seats[0].Honour,
			Former: []table.Deeds{deeds("Eve", moves(during, table.LineMove, 0), 0, 0)},
		},
		{Holder: deeds("Ben", moves(l.lines, table.LineMove, 1), moves(l.lines, table.LineSquireMove, 1), 0), Honour: game.Seats[1].Honour, Away: true},
		{Holder: deeds("Cleo", moves(l.lines, table.LineMove, 2), 0, 0), Honour: game.Seats[2].Honour},
		{Squire: squire.Easy, Honour: game.Seats[3].Honour},
	}
	if diff := cmp.Diff(want, l.at.Tally(l.lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Programs before kept no names with the lines of moves.
	old := slices.Clone(l.lines)
	for i := range old {
		if old[i].Kind == table.LineMove || old[i].Kind == table.LineSquireMove {
			old[i].User, old[i].Name = "", ""
		}
	}
	if diff := cmp.Diff(want, l.at.Tally(old)); diff != "" {
		t.Errorf("from an old history (-want +got):\n%s", diff)
	}
}

// TestTallyOfAStandInAtTheEnd: who holds the seat at the end has it, and the owner held it before.
func TestTallyOfAStandInAtTheEnd(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	l.do(person("Ann"), table.Start{})
	l.awaits("Ben")
	l.do(table.Actor{}, table.Timeout{Prompt: l.at.Prompt()})
	l.do(person("Eve"), table.Offer{Seat: 1})
	l.do(person("Ann"), table.Accept{Seat: 1, User: person("Eve").ID})
	l.do(person("Cleo"), table.Accept{Seat: 1, User: person("Eve").ID})
	l.finish()
	score := l.at.Tally(l.lines)[1]
	if score.Holder.Name != "Eve" || score.Holder.Moves == 0 || len(score.Former) != 1 || score.Former[0].Name != "Ben" || score.Former[0].Timeouts != 1 {
		t.Errorf("seat 2: %+v", score)
	}
}

func TestTallyCountsWhatWasGivenBeforehand(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	l.do(person("Ann"), table.Start{})
	for l.at.Public().Game.Phase != paladin.PhaseResolve {
		l.step(first)
	}
	for _, name := range []string{"Ann", "Ben", "Cleo"} {
		for quest := 1; quest <= 3; quest++ {
			l.try(person(name), table.SetOrder{Quest: quest, Order: table.Order{Act: table.OrderTake, Most: table.NoGuard}})
		}
	}
	l.finish()
	total := 0
	for i, score := range l.at.Tally(l.lines) {
		want := moves(l.lines, table.LineMove, paladin.Seat(i))
		if total += score.Holder.Moves; score.Holder.Moves != want || score.Holder.InTime != want {
			t.Errorf("seat %d: %+v, want %d moves", i+1, score.Holder, want)
		}
	}
	if total == 0 {
		t.Error("nobody moved")
	}
}

func TestNoTallyWithoutAnEnd(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	l.do(person("Ann"), table.Start{})
	if got := l.at.Tally(l.lines); got != nil {
		t.Errorf("of a running game: %+v", got)
	}
	l.do(moderator("Mod"), table.ForceStop{})
	if got := l.at.Tally(l.lines); got != nil {
		t.Errorf("of a stopped game: %+v", got)
	}
}

// randomLife is a finished or closed table with people who come, leave, are late and stand in.
func randomLife(t *testing.T, r *rapid.T) *life {
	everybody := []string{"Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"}
	l := newLife(t, everybody[:rapid.IntRange(2, 4).Draw(r, "people")], 1)
	l.try(person("Fay"), table.Join{})
	l.try(person("Ann"), table.Invite{People: []table.Person{person("Gus").Person}})
	if rapid.Bool().Draw(r, "remove") {
		l.try(person("Ann"), table.RemoveSeat{Seat: 1})
		l.try(person("Dan"), table.Join{})
	}
	l.try(person("Ann"), table.Start{})
	for l.at.Stage() == table.Playing {
		by := person(rapid.SampledFrom(everybody).Draw(r, "who"))
		seat := paladin.Seat(rapid.IntRange(0, 3).Draw(r, "seat"))
		switch rapid.IntRange(0, 40).Draw(r, "what") {
		case 0:
			l.try(by, table.Leave{})
		case 1:
			l.try(by, table.Back{})
		case 2, 3:
			l.try(table.Actor{}, table.Timeout{Prompt: l.at.Prompt()})
		case 4, 5, 6:
			l.try(by, table.Offer{Seat: seat})
		case 7, 8, 9:
			l.try(by, table.Accept{Seat: seat, User: person(rapid.SampledFrom(everybody).Draw(r, "stand-in")).ID})
		case 10:
			l.try(by, table.Reclaim{})
		case 11:
			l.try(mod, table.SendOff{Seat: seat, User: l.at.Holder(seat).ID})
		case 12:
			l.try(mod, table.LetBack{User: by.ID})
		default:
			l.step(func(legal []paladin.Move) paladin.Move { return rapid.SampledFrom(legal).Draw(r, "move") })
		}
	}
	if l.at.Stage() == table.Lobby {
		l.do(moderator("Mod"), table.ForceStop{})
	}
	return l
}

func encoded(t testing.TB, l *life) (snapshot []byte, entries [][]byte) {
	t.Helper()
	snapshot, err := l.at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range l.lines {
		entry, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	return snapshot, entries
}

func decoded(t testing.TB, snapshot []byte, entries [][]byte) (table.Table, []table.Line) {
	t.Helper()
	at, err := table.Decode(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]table.Line, len(entries))
	for i, entry := range entries {
		if err := json.Unmarshal(entry, &lines[i]); err != nil {
			t.Fatal(err)
		}
	}
	return at, lines
}

// TestRandomTallies: every move of a person's seat is counted once, nobody stands twice, and all of that stays as it is for the others
// when people are forgotten one after the other, after which nothing of them is left.
func TestRandomTallies(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := randomLife(t, r)
		scores := l.at.Tally(l.lines)
		if (scores != nil) != (l.at.Stage() == table.Finished) {
			r.Fatalf("stage %s: %+v", l.at.Stage(), scores)
		}
		seen := map[table.UserID]bool{}
		for i, s := range scores {
			own, squires := 0, 0
			for _, d := range append([]table.Deeds{s.Holder}, s.Former...) {
				if d.ID != "" && seen[d.ID] {
					r.Fatalf("%s stands twice: %+v", d.Name, scores)
				}
				seen[d.ID] = true
				own, squires = own+d.Moves, squires+d.SquireMoves
			}
			if s.Squire != 0 {
				continue
			}
			seat := paladin.Seat(i)
			if own != moves(l.lines, table.LineMove, seat) || squires != moves(l.lines, table.LineSquireMove, seat) {
				r.Fatalf("seat %d: %d and %d moves are counted: %+v", i+1, own, squires, s)
			}
		}
		l.sound()
		snapshot, entries := encoded(t, l)
		for _, name := range []string{"Ben", "Ann", "Mod", "Eve", "Fay", "Gus", "Dan", "Cleo"} {
			snapshot, entries = forgotten(t, name, snapshot, entries)
		}
	})
}

// forgotten forgets somebody and checks what is left.
func forgotten(t testing.TB, name string, snapshot []byte, entries [][]byte) ([]byte, [][]byte) {
	t.Helper()
	user := person(name).ID
	was, lines := decoded(t, snapshot, entries)
	given := bytes.Clone(snapshot)
	after, rest, err := table.Anonymise(user, snapshot, entries)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(given, snapshot) {
		t.Fatal("what was given is changed")
	}
	for _, stored := range append([][]byte{after}, rest...) {
		for _, trace := range []string{string(user), `"` + name + `"`} {
			if bytes.Contains(stored, []byte(trace)) {
				t.Fatalf("%s is left in %s", trace, stored)
			}
		}
	}
	for i, entry := range rest {
		if !bytes.Contains(entries[i], []byte(`"`+name+`"`)) && !bytes.Equal(entry, entries[i]) {
			t.Fatalf("an entry that does not tell of %s is changed:\n%s\n%s", name, entries[i], entry)
		}
	}
	at, left := decoded(t, after, rest)
	if err := table.Audit(&at, left); err != nil {
		t.Fatalf("%s forgotten: %v", name, err)
	}
	hide := func(p table.Person) table.Person {
		if p.ID == user {
			return table.Person{ID: "gone", Name: table.ForgottenName}
		}
		if p.ID.Forgotten() {
			p.ID = "gone"
		}
		return p
	}
	if diff := cmp.Diff(seats(was, hide), seats(at, hide)); diff != "" {
		t.Fatalf("%s forgotten (-before +after):\n%s", name, diff)
	}
	before, _ := was.Record(lines)
	if now, _ := at.Record(left); !bytes.Equal(before.Encode(), now.Encode()) {
		t.Fatal("the record is another one")
	}
	if len(left) != len(lines) {
		t.Fatalf("%d lines of %d", len(left), len(lines))
	}
	return after, rest
}

// seats are who sits at a table.
func seats(at table.Table, hide func(table.Person) table.Person) []table.PublicSeat {
	list := slices.Clone(at.Public().Seats)
	for i := range list {
		list[i].Person, list[i].Owner = hide(list[i].Person), hide(list[i].Owner)
		list[i].SentOff = false // nobody asks for it after the end but Play again
		for n := range list[i].Former {
			list[i].Former[n] = hide(list[i].Former[n])
		}
	}
	return list
}

func TestAnonymise(t *testing.T) {
	l, _, _ := stoodIn(t)
	snapshot, entries := encoded(t, l)
	snapshot, entries, err := table.Anonymise(person("Ann").ID, snapshot, entries)
	if err != nil {
		t.Fatal(err)
	}
	at, lines := decoded(t, snapshot, entries)
	public := at.Public()
	if p := public.Seats[0].Person; p.ID != "gone-1" || p.Name != table.ForgottenName || !p.ID.Forgotten() || public.Host != "gone-1" {
		t.Errorf("Ann's seat: %+v, the host is %s", p, public.Host)
	}
	for _, line := range lines {
		switch {
		case line.Kind == table.LineStandIn && (line.User != person("Eve").ID || line.Name != "Eve" || line.Other != table.ForgottenName),
			line.Kind == table.LineBack && (line.User != "gone-1" || line.Name != table.ForgottenName || line.Other != "Eve"),
			line.Kind == table.LineOffer && line.Other != table.ForgottenName,
			line.Kind == table.LineOpened && line.User != "gone-1":
			t.Errorf("%+v", line)
		}
	}
	o := opening("Ben", 3)
	o.ID = "t2"
	fresh, _, _, err := at.Again(o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Ben", "Cleo", "squire"}, names(fresh.Public())); diff != "" {
		t.Errorf("who sits down again (-want +got):\n%s", diff)
	}
	if person("Ann").ID.Forgotten() || table.UserID("").Forgotten() || table.UserID("1477636521984000001").Forgotten() {
		t.Error("somebody counts as forgotten who is not")
	}
}

// TestAnonymiseTellsNamesakesApart: a name is dropped where it was that of the forgotten person, and nowhere else.
func TestAnonymiseTellsNamesakesApart(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	other := table.Actor{Person: table.Person{ID: "id-other", Name: "Ann"}}
	l.do(person("Ann"), table.Start{})
	l.awaits("Ben")
	l.do(table.Actor{}, table.Timeout{Prompt: l.at.Prompt()})
	l.do(other, table.Offer{Seat: 1})
	l.do(person("Cleo"), table.Accept{Seat: 1, User: "id-other"})
	l.do(person("Ann"), table.Accept{Seat: 1, User: "id-other"})
	l.do(person("Ben"), table.Reclaim{})
	l.finish()
	snapshot, entries := encoded(t, l)
	snapshot, entries, err := table.Anonymise(person("Ann").ID, snapshot, entries)
	if err != nil {
		t.Fatal(err)
	}
	at, lines := decoded(t, snapshot, entries)
	kinds := map[table.LineKind]int{}
	for _, line := range lines {
		if line.Other != "" {
			kinds[line.Kind]++
		}
		if line.Other == table.ForgottenName || line.User == "id-other" && line.Name != "Ann" {
			t.Errorf("the namesake is forgotten: %+v", line)
		}
	}
	if kinds[table.LineAccept] == 0 || kinds[table.LineBack] == 0 {
		t.Errorf("the game has not what is to be told apart: %v", kinds)
	}
	if at.FormerSeat("id-other") != 1 {
		t.Error("the namesake held no seat")
	}
}

// TestForgottenInDamagedLines: a letter of a field's name went bad, and the line can be read without
// that field. What it holds goes too.
func TestForgottenInDamagedLines(t *testing.T) {
	l, _, _ := stoodIn(t)
	snapshot, entries := encoded(t, l)
	spoiled := 0
	for i, entry := range entries {
		for _, field := range []string{`"user":"id-Ann"`, `"name":"Ann"`, `"other":"Ann"`} {
			if bytes.Contains(entries[i], []byte(field)) {
				entries[i] = bytes.Replace(bytes.Clone(entries[i]), []byte(field), []byte(`"x`+field[2:]), 1)
			}
		}
		if !bytes.Equal(entry, entries[i]) {
			spoiled++
		}
	}
	if spoiled == 0 {
		t.Fatal("nothing tells of Ann")
	}
	_, left, err := table.Anonymise("id-Ann", snapshot, entries)
	if err != nil {
		t.Fatal(err)
	}
	_, struck := table.Strike("id-Ann", []byte("{}"), entries)
	for i := range entries {
		if bytes.Contains(left[i], []byte("id-Ann")) || bytes.Contains(left[i], []byte(`"Ann"`)) {
			t.Errorf("Ann is left in %s", left[i])
		}
		if bytes.Contains(struck[i], []byte("id-Ann")) {
			t.Errorf("Ann is left in what was struck: %s", struck[i])
		}
	}
}

func TestAnonymiseRefusesWhatItCannotDo(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	snapshot, entries := encoded(t, l)
	if _, _, err := table.Anonymise(person("Ann").ID, snapshot, entries); err == nil {
		t.Error("at a table that is not over")
	}
	l.do(moderator("Mod"), table.ForceStop{})
	snapshot, entries = encoded(t, l)
	if _, _, err := table.Anonymise(person("Ann").ID, snapshot, append(entries, []byte("{"))); err == nil {
		t.Error("an entry that cannot be read")
	}
	if _, _, err := table.Anonymise(person("Ann").ID, []byte("{}"), entries); err == nil {
		t.Error("a table that cannot be read")
	}
	same, rest, err := table.Anonymise("somebody else", snapshot, entries)
	if err != nil || string(same) != string(snapshot) || fmt.Sprint(rest) != fmt.Sprint(entries) {
		t.Errorf("somebody who was never there: %v\n%s", err, strings.TrimSpace(string(same)))
	}
}
