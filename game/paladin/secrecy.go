package paladin

import (
	"fmt"
	"log/slog"
)

// Values that hold secrets do not show them where somebody prints or logs one by mistake. Their stored form is another
// matter: a State is written by MarshalJSON, which a program has to ask for.

// String says where the game stands, and no card.
func (s State) String() string {
	return fmt.Sprintf("Paladin, %d players, round %d, %s, %d moves", s.players, s.round, s.phase, s.moves)
}

// GoString is String.
func (s State) GoString() string { return s.String() }

// LogValue is String.
func (s State) LogValue() slog.Value { return slog.StringValue(s.String()) }

// String says whose view it is, and no card.
func (v View) String() string { return fmt.Sprintf("view of seat %d, %v", v.Seat.Number(), v.known) }

// GoString is String.
func (v View) GoString() string { return v.String() }

// LogValue is String.
func (v View) LogValue() slog.Value { return slog.StringValue(v.String()) }

// String says what happened, and no secret.
func (e Event) String() string { return fmt.Sprintf("%+v", e.Public()) }

// GoString is String.
func (e Event) GoString() string { return e.String() }

// LogValue is String.
func (e Event) LogValue() slog.Value { return slog.StringValue(e.String()) }

// String says how chance enters, and neither seed nor card.
func (d Deal) String() string {
	if d.seeded {
		return "deal with commitment " + d.seed.Commitment()
	}
	return "listed deal"
}

// GoString is String.
func (d Deal) GoString() string { return d.String() }

// LogValue is String.
func (d Deal) LogValue() slog.Value { return slog.StringValue(d.String()) }
