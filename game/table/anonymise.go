package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ForgottenName stands where the name of somebody stood who was forgotten. It is no name: nobody can see or type it.
const ForgottenName = "\u007f"

// forgottenID begins the ids that stand for people who were forgotten. Discord's are numbers.
const forgottenID = "gone"

// Forgotten reports whether the id stands for somebody who was forgotten.
func (u UserID) Forgotten() bool {
	return u == forgottenID || strings.HasPrefix(string(u), forgottenID+"-")
}

// Anonymise takes somebody out of what is stored of a table that is over: their id everywhere and every name that it had. On their
// seat, and in the history, they become nobody in particular: an id that tells the table's seat alone and ForgottenName. What
// others did, the cards, and what proves the deal stay as they are, and so does every entry that does not tell of them.
func Anonymise(user UserID, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error) {
	t, err := Decode(snapshot)
	if err != nil {
		return nil, nil, err
	}
	if t.Live() {
		return nil, nil, fmt.Errorf("table %s is not over: nobody in it can be forgotten", t.id)
	}
	lines := make([]Line, len(entries))
	for i, entry := range entries {
		if err := json.Unmarshal(entry, &lines[i]); err != nil {
			return nil, nil, fmt.Errorf("table %s: entry %d: %w", t.id, i+1, err)
		}
	}
	f := newForgetting(&t, user, lines)
	out := slices.Clone(entries)
	for i := range lines {
		after := f.line(lines[i], f.others[i])
		if after.User == lines[i].User && after.Name == lines[i].Name && after.Other == lines[i].Other && after.By == lines[i].By && !f.tells(entries[i]) {
			continue
		}
		if out[i], err = json.Marshal(after); err != nil {
			return nil, nil, fmt.Errorf("table %s: entry %d: %w", t.id, i+1, err)
		}
	}
	f.table(&t, lines)
	if err := t.check(); err != nil {
		return nil, nil, err
	}
	snapshot, err = t.Encode()
	return snapshot, out, err
}

// Struck is the kind of a line that stands where one stood that could not be read and told of
// somebody who was forgotten.
const Struck LineKind = "struck"

// struckSnapshot is what Strike leaves of a snapshot.
const struckSnapshot = `{"struck":true}`

// WasStruck reports whether Strike took something out of what is stored of a table.
func WasStruck(snapshot []byte, entries [][]byte) bool {
	return string(snapshot) == struckSnapshot || slices.ContainsFunc(entries, func(entry []byte) bool {
		var l Line
		return json.Unmarshal(entry, &l) == nil && l.Kind == Struck
	})
}

// ToldItsEnd reports whether the last line of a history, as far as it can be read, is the end of
// the table.
func ToldItsEnd(entries [][]byte) bool {
	for _, entry := range slices.Backward(entries) {
		var l Line
		if json.Unmarshal(entry, &l) == nil {
			return l.Kind == LineFinished || l.Kind == LineClosed
		}
	}
	return false
}

// Strike does what can be done where Anonymise cannot: of a table that cannot be read, or is no
// longer played though it is not over. What cannot be read and tells of the person goes; every line
// that can be read stays, without them.
func Strike(user UserID, snapshot []byte, entries [][]byte) ([]byte, [][]byte) {
	t, err := Decode(snapshot)
	known := err == nil
	lines, readable := make([]Line, len(entries)), make([]bool, len(entries))
	for i, entry := range entries {
		if readable[i] = json.Unmarshal(entry, &lines[i]) == nil; !readable[i] {
			lines[i] = Line{}
		}
	}
	f := newForgetting(&t, user, lines)
	out := slices.Clone(entries)
	for i := range lines {
		after := lines[i]
		if readable[i] {
			after = f.line(lines[i], f.others[i])
		} else if f.tells(entries[i]) {
			after.Kind = Struck
		}
		if sameJSON(after, lines[i]) && !f.tells(entries[i]) {
			continue
		}
		if data, err := json.Marshal(after); err == nil {
			out[i] = data
		}
	}
	if known {
		f.table(&t, lines)
		if after, err := t.Encode(); err == nil {
			return after, out
		}
	}
	if f.tells(snapshot) {
		snapshot = []byte(struckSnapshot)
	}
	return snapshot, out
}

// forgetting is the work of Anonymise.
type forgetting struct {
	user, nobody UserID
	// names are those that the user had at this table.
	names map[string]bool
	// others are, for each line, whose name its Other is; empty where that cannot be found out.
	others []UserID
}

func newForgetting(t *Table, user UserID, lines []Line) *forgetting {
	f := &forgetting{user: user, nobody: forgottenID, names: map[string]bool{}}
	for i, s := range t.seats {
		if s.Person.ID == user || s.owner.ID == user || s.heldBefore(user) {
			f.nobody = UserID(fmt.Sprintf("%s-%d", forgottenID, i+1))
		}
		f.called(s.Person)
		f.called(s.owner)
		for _, p := range s.former {
			f.called(p)
		}
	}
	for _, p := range t.invited {
		f.called(p)
	}
	for _, a := range t.queue {
		f.called(a.Person)
	}
	for _, l := range slices.Concat(lines, t.recent) {
		f.called(Person{ID: l.User, Name: l.Name})
		f.called(Person{ID: l.By, Name: l.Other})
	}
	f.others = meant(t.firstHolders(), lines)
	return f
}

func (f *forgetting) called(p Person) {
	if p.ID == f.user && p.Name != "" {
		f.names[p.Name] = true
	}
}

// tells reports whether the user's id or a name that they had stands somewhere in data: in a field
// that a line does not have, too, which is lost when the line is written anew.
func (f *forgetting) tells(data []byte) bool {
	for name := range f.names {
		if bytes.Contains(data, []byte(name)) {
			return true
		}
	}
	return bytes.Contains(data, []byte(f.user))
}

// meant finds out whose name the Other of each line is: it stands there without an id, and two people may have one name.
func meant(seats holders, lines []Line) []UserID {
	out := make([]UserID, len(lines))
	for i, l := range lines {
		seated := l.Seat >= 0 && int(l.Seat) < len(seats)
		switch {
		case l.By != "":
			out[i] = l.By
		case l.Other == "" || !seated:
		case l.Kind == LineAccept:
			for _, o := range lines[:i] {
				if o.Kind == LineOffer && o.Seat == l.Seat && o.Name == l.Other {
					out[i] = o.User // the last of them
				}
			}
		default:
			out[i] = seats[l.Seat].ID
		}
		seats.read(l)
	}
	return out
}

// line returns a line without the user; other is whose name its Other is, if known.
func (f *forgetting) line(l Line, other UserID) Line {
	if l.User == f.user {
		l.User, l.Name = f.nobody, ForgottenName
	}
	l.By = f.id(l.By)
	if other == f.user && l.Other != "" || other == "" && f.names[l.Other] {
		l.Other = ForgottenName
	}
	return l
}

func (f *forgetting) id(u UserID) UserID {
	if u == f.user {
		return f.nobody
	}
	return u
}

func (f *forgetting) person(p Person) Person {
	if p.ID == f.user {
		return Person{ID: f.nobody, Name: ForgottenName}
	}
	return p
}

// table takes the user out of the table, whose history these lines were.
func (f *forgetting) table(t *Table, lines []Line) {
	t.host = f.id(t.host)
	for i := range t.seats {
		s := &t.seats[i]
		s.Person, s.owner = f.person(s.Person), f.person(s.owner)
		s.former = slices.Clone(s.former)
		for n := range s.former {
			s.former[n] = f.person(s.former[n])
		}
	}
	own := func(u UserID) bool { return u == f.user }
	t.queue = slices.DeleteFunc(t.queue, func(a Actor) bool { return own(a.ID) })
	t.invited = slices.DeleteFunc(t.invited, func(p Person) bool { return own(p.ID) })
	t.barred = slices.DeleteFunc(t.barred, own)
	t.stopVotes, t.pauseVotes = slices.DeleteFunc(t.stopVotes, own), slices.DeleteFunc(t.pauseVotes, own)
	t.offers = slices.DeleteFunc(t.offers, func(o offer) bool { return own(o.Person.ID) })
	t.sentOff = slices.DeleteFunc(t.sentOff, func(p Person) bool { return own(p.ID) })
	for i := range t.offers {
		t.offers[i].Votes = slices.DeleteFunc(t.offers[i].Votes, own)
	}
	before := len(lines) - len(t.recent) // they are the end of the history
	for i, l := range t.recent {
		var other UserID
		if n := before + i; n >= 0 && lines[n].Kind == l.Kind && lines[n].Seat == l.Seat && lines[n].At.Equal(l.At) {
			other = f.others[n]
		}
		if l.By != "" {
			other = l.By
		}
		t.recent[i] = f.line(l, other)
	}
}
