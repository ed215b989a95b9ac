package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"paladin/game/paladin"
)

// ReadHistory reads the lines of a table's history as they are stored. It refuses what no line of
// this program holds, so that a field whose name was damaged does not count as one that is not
// there.
func ReadHistory(entries [][]byte) ([]Line, error) {
	lines := make([]Line, len(entries))
	for i, entry := range entries {
		decoder := json.NewDecoder(bytes.NewReader(entry))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&lines[i]); err != nil {
			return nil, fmt.Errorf("line %d of its history: %w", i+1, err)
		}
		if decoder.InputOffset() != int64(len(entry)) {
			return nil, fmt.Errorf("line %d of its history does not end where it should", i+1)
		}
	}
	return lines, nil
}

// Audit holds a table, live or over, against the lines of its whole history and reports the first
// thing that does not follow from them: the seed is the one whose commitment was published, the
// salt is made of the presses with which the seats were taken, and the moves, played on the
// shuffles of seed and salt, make happen what everybody was told and lead to where the game stands,
// card by card. A practice game has no history: its deal alone is held against its seed. The error
// names no card and no seed: whoever reads it may be playing.
//
// What follows from nothing else (the squires' seed, orders, votes) is covered by the digest of the
// stored form; see Encode.
func Audit(t *Table, lines []Line) error {
	if err := t.auditDeal(); err != nil {
		return err
	}
	if t.options.Practice {
		return nil
	}
	for _, part := range []func([]Line) error{t.auditCourse, t.auditCommitment, t.auditMoves, t.auditRecent} {
		if err := part(lines); err != nil {
			return err
		}
	}
	return nil
}

// auditDeal holds the game against the seed and the salt, as far as it can be done without its
// moves.
func (t *Table) auditDeal() error {
	switch {
	case t.game == nil && t.salt != "":
		return errors.New("it has a salt though nothing was dealt")
	case t.game == nil:
		return nil
	case !t.saltedByPresses():
		return errors.New("the salt is not made of the presses with which its seats were taken (R20)")
	case !t.game.Follows(paladin.SeededDeal(t.deck, t.seed, t.salt)):
		return errors.New("the cards were not dealt by its seed and salt (R20)")
	}
	return nil
}

// auditCourse holds the stage and its times against the lines that tell of them.
func (t *Table) auditCourse(lines []Line) error {
	if len(lines) == 0 || lines[0].Kind != LineOpened {
		return errors.New("its history does not begin with its opening")
	}
	var started, ended Line
	for i, l := range lines {
		fresh := false
		switch l.Kind {
		case LineOpened:
			fresh = i == 0
		case LineStarted:
			fresh, started = started.Kind == "", l
		case LineFinished, LineClosed:
			fresh, ended = i == len(lines)-1, l
		case LineMove, LineSquireMove:
			fresh = l.Move != ""
		default:
			fresh = l.Move == ""
		}
		if !fresh {
			return fmt.Errorf("line %d of its history, %q, cannot stand there", i+1, l.Kind)
		}
	}
	end := map[Stage]LineKind{Finished: LineFinished, Closed: LineClosed}[t.stage]
	switch {
	case (started.Kind != "") != (t.game != nil):
		return errors.New("its history and its snapshot differ in whether the game was begun")
	case ended.Kind != end || ended.Reason != t.reason:
		return errors.New("its history and its snapshot differ in how it ended")
	case !sameMoment(t.opened, lines[0].At) || !sameMoment(t.started, started.At) || !sameMoment(t.ended, ended.At):
		return errors.New("its history and its snapshot differ in when it was opened, begun or ended")
	}
	return nil
}

// sameMoment compares two times as they are stored in a snapshot.
func sameMoment(a, b time.Time) bool { return millis(a) == millis(b) }

// auditCommitment accepts a history without a commitment: an older program began it.
func (t *Table) auditCommitment(lines []Line) error {
	if t.wasPublished(lines) == CheckedWrong {
		return errors.New("its seed is not the one whose commitment was published when it was opened (R20)")
	}
	if slices.ContainsFunc(lines[1:], func(l Line) bool { return l.Commitment != "" }) {
		return errors.New("its history publishes a second commitment")
	}
	return nil
}

// auditMoves plays the game once more.
func (t *Table) auditMoves(lines []Line) error {
	if t.game == nil {
		return nil
	}
	var made []Line
	var moves []string
	for _, l := range lines {
		if l.Move != "" {
			made, moves = append(made, l), append(moves, l.Move)
		}
	}
	record := paladin.RecordOf(paladin.SeededDeal(t.deck, t.seed, t.salt), moves, t.game)
	var told Verification
	result, err := record.Play(func(s *paladin.State, events []paladin.Event) error {
		if n := s.Moves(); n > 0 {
			told.hear(FaultyMove{Number: n}, made[n-1].Events, events)
		}
		return nil
	})
	var fault *paladin.RecordError
	switch {
	case errors.As(err, &fault) && fault.Move > 0:
		return fmt.Errorf("move %d of its history is not legal (%s)", fault.Move, fault.Rule)
	case told.Told == CheckedWrong:
		return fmt.Errorf("move %d of its history does not make happen what everybody was told of it", told.Otherwise.Number)
	case err != nil || !sameState(&result.Final, t.game):
		return errors.New("the moves of its history do not lead to where the game stands")
	}
	for i, l := range made {
		if m, err := paladin.ParseMove(l.Move); err != nil || m.Seat != l.Seat {
			return fmt.Errorf("move %d of its history is told of another seat", i+1)
		}
	}
	return nil
}

// auditRecent holds the lines that the board shows against the end of the history. Names are left
// out of those of a table that is over: its people may have been taken out of it.
func (t *Table) auditRecent(lines []Line) error {
	if want := min(len(lines), MaxRecent); len(t.recent) != want {
		return fmt.Errorf("its board shows %d lines of its history instead of %d", len(t.recent), want)
	}
	shown := func(l Line) Line {
		l.Move, l.Beforehand = "", false
		if !t.Live() {
			l.User, l.Name, l.Other = "", "", ""
		}
		return l
	}
	for i, l := range lines[len(lines)-len(t.recent):] {
		if !sameJSON(shown(t.recent[i]), shown(l)) {
			return errors.New("what its board shows of its history differs from it")
		}
	}
	return nil
}
