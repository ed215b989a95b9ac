package table

import (
	"fmt"
	"slices"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// Practise opens a practice game, which is dealt at once: one person against two squires that answer at once, without a clock, for one
// round. The person deals, so that they meet every kind of move. Of the options only what concerns how it is read is kept.
//
// After its round a practice game is Closed, never Finished: it has no winner and no record, and nothing follows from it.
func Practise(o Opening) (Table, Outcome, error) {
	o.Options = Options{
		Seats: MinSeats, Squires: squire.Normal, SquirePace: SquireAtOnce, Pace: PaceNone, Language: o.Options.Language,
		TextOnly: o.Options.TextOnly,
	}
	t, out, err := Open(o)
	if err != nil {
		return Table{}, Outcome{}, err
	}
	for len(t.seats) < MinSeats {
		if err := t.addSquire(o.Host, o.Now, &out); err != nil {
			return Table{}, Outcome{}, err
		}
	}
	if err := t.start(o.Host, o.Now, &out); err != nil {
		return Table{}, Outcome{}, err
	}
	t.options.Practice, t.recent = true, nil
	return t, out, nil
}

// practised reports whether a practice game knows a command: its moves and standing orders. There is nobody to wait for, to vote with or
// to leave.
func practised(cmd Command) bool {
	switch cmd.(type) {
	case Play, SquireMove, SetOrder:
		return true
	default:
		return false
	}
}

// thisRound leaves out what begins the round that a practice game does not play.
func thisRound(events []paladin.Event) []paladin.Event {
	scored := slices.IndexFunc(events, func(e paladin.Event) bool { return e.Kind() == paladin.RoundScored })
	return events[:scored+1]
}

// Practised is an ended practice game with everything open.
type Practised struct {
	// Quests are those of the round as they were dealt.
	Quests []paladin.PublicQuest
	// Cards are all that were placed, by quest and place, with what became of them.
	Cards []paladin.KnownCard
	// Kept are, by seat, the cards that were dealt and never placed.
	Kept [][]paladin.Card
	// Honour of the seats after the round.
	Honour []int
	// Rounds of a whole game.
	Rounds int
}

// Practised returns what a practice game was once it is over; false before, and for any other table.
func (t *Table) Practised() (Practised, bool, error) {
	if !t.options.Practice || t.Live() || t.game == nil {
		return Practised{}, false, nil
	}
	dealt, err := paladin.New(len(t.seats), paladin.SeededDeal(t.deck, t.seed, t.salt))
	if err != nil {
		return Practised{}, false, fmt.Errorf("table %s: deal: %w", t.id, err)
	}
	p := Practised{
		Quests: dealt.Public().Row, Cards: t.game.PlacedIn(dealt.Round()), Honour: t.game.Scores(), Rounds: dealt.Rounds(),
	}
	for i := range t.seats {
		view := dealt.View(paladin.Seat(i))
		kept := view.Hand
		for _, c := range p.Cards {
			if at := slices.Index(kept, c.Card); c.Owner == paladin.Seat(i) && at >= 0 {
				kept = slices.Delete(kept, at, at+1)
			}
		}
		p.Kept = append(p.Kept, kept)
	}
	return p, true, nil
}
