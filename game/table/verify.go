package table

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"paladin/game/paladin"
)

// Checked says what came of one check.
type Checked uint8

// What can come of a check. The zero value is a check that another one's fault left nothing to do for.
const (
	NotChecked Checked = iota
	CheckedRight
	CheckedWrong
	// CheckedUnknown is a check for which this table kept too little: an older program opened it.
	CheckedUnknown
)

// Verification is what recomputing an ended game from its seed found (R20 to R23).
type Verification struct {
	// Commitment is the SHA-256 of the seed, computed anew.
	Commitment, Seed, Salt string
	// Published says whether the commitment is the one that stood in the lobby before anybody else had joined.
	Published Checked
	// Salted says whether the salt is made of the presses of those who sit there, in their order (R20).
	Salted Checked
	// Shuffled says whether the game was dealt and played on the shuffles computed anew: of Paladins and quests, and of the discard pile
	// Reshuffles times (R6, R22). Cards dealt otherwise would show in the moves or in where the game stands.
	Shuffled   Checked
	Reshuffles int
	// Legal says whether all Moves that are written down are legal; Illegal is the first one that is not.
	Legal   Checked
	Moves   int
	Illegal FaultyMove
	// Told says whether what everybody was told during the game is what those moves make happen, all Events of it; Otherwise is the
	// first move that was told otherwise.
	Told      Checked
	Events    int
	Otherwise FaultyMove
	// Ended says whether the game stands where these moves lead, card by card. Scores are everybody's honour there.
	Ended  Checked
	Scores []int
}

// FaultyMove is a move of which something is wrong.
type FaultyMove struct {
	Number int    // from 1
	Text   string // as it is written down; whoever wrote it, it may be anything
	Rule   string // that it breaks
}

// Right reports whether nothing is wrong.
func (v *Verification) Right() bool {
	for _, c := range []Checked{v.Published, v.Salted, v.Shuffled, v.Legal, v.Told, v.Ended} {
		if c == CheckedWrong || c == NotChecked {
			return false
		}
	}
	return true
}

// Verify computes all shuffles of an ended game anew from its seed and salt, plays the moves of its history on them by the rules, and
// compares what comes of it with what everybody was told and with where the game stands; false while the game runs or when none was
// begun.
func (t *Table) Verify(history []Line) (Verification, bool) {
	record, ok := t.Record(history)
	if !ok {
		return Verification{}, false
	}
	v := Verification{
		Commitment: t.seed.Commitment(), Seed: t.seed.String(), Salt: t.salt, Published: t.wasPublished(history), Salted: right(t.saltedByPresses()),
		Moves: len(record.Moves()),
	}
	var told [][]paladin.PublicEvent
	for _, l := range history {
		if l.Move != "" {
			told = append(told, l.Events)
		}
	}
	result, err := record.Play(func(s *paladin.State, events []paladin.Event) error {
		if n := s.Moves(); n > 0 {
			v.hear(FaultyMove{Number: n, Text: record.Moves()[n-1]}, told[n-1], events)
		}
		return nil
	})
	if !result.Dealt {
		return v, true
	}
	v.Scores = result.Final.Scores()
	var fault *paladin.RecordError
	if errors.As(err, &fault) && fault.Move > 0 {
		v.Legal, v.Illegal = CheckedWrong, FaultyMove{fault.Move, fault.Text, fault.Rule}
		return v, true
	}
	v.Legal, v.Ended = CheckedRight, right(err == nil && sameState(&result.Final, t.game))
	if v.Told == NotChecked {
		v.Told = CheckedRight
	}
	if v.Ended == CheckedRight {
		v.Shuffled = CheckedRight
	}
	return v, true
}

func right(is bool) Checked {
	if is {
		return CheckedRight
	}
	return CheckedWrong
}

// hear compares what everybody was told of a move with what it makes happen.
func (v *Verification) hear(m FaultyMove, told []paladin.PublicEvent, events []paladin.Event) {
	happened := make([]paladin.PublicEvent, len(events))
	for i := range events {
		happened[i] = events[i].Public()
		if events[i].Kind() == paladin.Reshuffled {
			v.Reshuffles++
		}
	}
	switch {
	case v.Told == CheckedWrong:
	case sameJSON(told, happened):
		v.Events += len(events)
	default:
		v.Told, v.Otherwise = CheckedWrong, m
	}
}

// wasPublished compares the seed with the commitment that the history begins with.
func (t *Table) wasPublished(history []Line) Checked {
	for _, l := range history {
		if l.Commitment != "" {
			return right(l.Commitment == t.seed.Commitment())
		}
	}
	return CheckedUnknown
}

// saltedByPresses reports whether the salt is the ids of the presses with which the seats were taken, and that of Start (R20).
func (t *Table) saltedByPresses() bool {
	_, ok := t.startPart()
	return ok
}

// startPart is the part that the press on Start has in the salt; false where the salt is not made of
// the presses of those who sit here.
func (t *Table) startPart() (string, bool) {
	entries := make([]string, len(t.seats))
	for i, seat := range t.seats {
		entries[i] = seat.entry
	}
	start, ok := strings.CutPrefix(t.salt, paladin.Salt(entries, "")+",")
	return start, ok && start != "" && !strings.Contains(start, ",")
}

// SaltPart is what one person's presses gave to the salt of a deal (R20), as Discord's ids of them.
// It is public: the salt as a whole is, and in which order it is made of whose presses.
type SaltPart struct {
	Joined  string // their press for their seat; empty if they took none
	Started string // their press on Start; empty if somebody else started the game
}

// SaltPart returns what this person gave to the salt; nothing before the deal. Whoever took a seat
// that is somebody's in another's stead gave nothing for it: its owner did.
func (t *Table) SaltPart(user UserID, history []Line) SaltPart {
	var part SaltPart
	if t.salt == "" || user == "" {
		return part
	}
	for _, s := range t.seats {
		if owner := cmp.Or(s.owner.ID, s.Person.ID); owner == user {
			part.Joined = s.entry
		}
	}
	started := slices.ContainsFunc(history, func(l Line) bool { return l.Kind == LineStarted && l.User == user })
	if start, ok := t.startPart(); ok && started {
		part.Started = start
	}
	return part
}

// sameState compares two games card by card, in their stored form.
func sameState(a, b *paladin.State) bool {
	one, errOne := a.MarshalJSON()
	two, errTwo := b.MarshalJSON()
	return errOne == nil && errTwo == nil && bytes.Equal(one, two)
}

func sameJSON(a, b any) bool {
	one, errOne := json.Marshal(a)
	two, errTwo := json.Marshal(b)
	return errOne == nil && errTwo == nil && bytes.Equal(one, two)
}
