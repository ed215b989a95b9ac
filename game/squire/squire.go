// Package squire holds the computer players. A squire is handed a [paladin.View], which is what its seat may know, and a
// seed, and answers with a move; it never sees a State, so it cannot use what its seat has not seen.
//
// A decision is a function of view and seed alone: the same two give the same move, on every machine. (So no fraction may be
// left to the processor to round; package portable says how.) Nothing is remembered between decisions; what a seat has seen
// is in its view.
//
// A normal squire's rules of thumb are in thumb.go, plan.go and normal.go, and once more, fast, in quick.go. The knight
// searches by them: memory.go is what its seat has seen; belief.go what it makes of that, with slots.go, where hidden cards
// can be, and round.go, what they say about the round so far; search.go the tree; and worth.go what it is all for.
package squire

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"paladin/game/paladin"
)

// A Strength is how well a squire plays. The zero Strength is none. Its text and JSON form is its name.
type Strength uint8

// The strengths, the weakest first.
const (
	Easy   Strength = iota + 1 // uniform over the legal moves, peeks included
	Normal                     // rules of thumb
	Knight                     // searches, see [Effort]
)

// Default is the strength of a squire of whom nothing is said.
const Default = Normal

// ErrNotToAct says that the seat has nothing to decide.
var ErrNotToAct = errors.New("it is not this seat's turn")

// Strengths are all named strengths, the weakest first.
func Strengths() []Strength { return []Strength{Easy, Normal, Knight} }

// Playable are the strengths that can be chosen, the weakest first.
func Playable() []Strength {
	var out []Strength
	for _, s := range Strengths() {
		if s.Available() {
			out = append(out, s)
		}
	}
	return out
}

// Parse finds a strength by its name, as String writes it.
func Parse(name string) (Strength, error) {
	for _, s := range Strengths() {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("there is no squire %q: choose %s", clip(name), choices())
}

// String is the name in commands and records: "easy", "normal" or "knight".
func (s Strength) String() string {
	switch s {
	case Easy:
		return "easy"
	case Normal:
		return "normal"
	case Knight:
		return "knight"
	default:
		return "none"
	}
}

// Title is the name for people: "Easy squire", "Normal squire", "Knight".
func (s Strength) Title() string {
	switch s {
	case Easy:
		return "Easy squire"
	case Normal:
		return "Normal squire"
	case Knight:
		return "Knight"
	default:
		return "No squire"
	}
}

// Describe says on one line, for people, how this squire plays.
func (s Strength) Describe() string {
	switch s {
	case Easy:
		return "Easy squire: plays at random, a first opponent"
	case Normal:
		return "Normal squire: peeks, weighs its chances and keeps its strong cards for the great quests"
	case Knight:
		return "Knight: thinks ahead, and reads the others' cards from what they do"
	default:
		return "No squire"
	}
}

// Available says whether this strength can play.
func (s Strength) Available() bool { return s >= Easy && s <= Knight }

// Check is nil if this strength can play, and otherwise says what can be chosen instead.
func (s Strength) Check() error {
	if s.Available() {
		return nil
	}
	return fmt.Errorf("there is no such squire: choose %s", choices())
}

// MarshalText writes the name.
func (s Strength) MarshalText() ([]byte, error) {
	if s < Easy || s > Knight {
		return nil, fmt.Errorf("squire strength %d has no name", uint8(s))
	}
	return []byte(s.String()), nil
}

// UnmarshalText is [Parse].
func (s *Strength) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// Choose answers with a legal move for the seat whose view v is. It does not change v. The error is that of
// [Strength.Check], or ErrNotToAct when the seat has nothing to decide.
func (s Strength) Choose(v *paladin.View, seed [32]byte) (paladin.Move, error) {
	if err := s.Check(); err != nil {
		return paladin.Move{}, err
	}
	if v.ToAct == paladin.NoSeat || v.ToAct != v.Seat {
		return paladin.Move{}, ErrNotToAct
	}
	random := rand.New(rand.NewChaCha8(seed))
	switch s {
	case Easy:
		legal := v.Legal()
		return legal[random.IntN(len(legal))], nil
	case Knight:
		return Effort{}.Choose(v, seed)
	default:
		return chooseNormal(v, random, &houseWeights), nil
	}
}

// choices lists the strengths that can be chosen, for an error: "easy, normal or knight".
func choices() string {
	var names []string
	for _, s := range Playable() {
		names = append(names, s.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// clip shortens what somebody typed, so that an error stays one short line.
func clip(name string) string {
	const most = 40
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "..."
	}
	return name
}
