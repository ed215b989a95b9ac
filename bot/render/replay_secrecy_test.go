package render

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/discord"
	"paladin/game/paladin"
)

// A world is a game as the cards themselves went: each of the 42 has a number, under which it can be followed. Cards that look the same
// are told apart in some way that fits; nobody at the table could.
type world struct {
	t      *testing.T
	value  []paladin.Card  // of each card
	supply []int           // the supply of the beginning, top first
	piles  [][]int         // each discard pile that became the supply, top first
	quests []int           // those that were turned up, in order
	moves  []func() string // as the record writes them, with the values of now
	known  []map[int]bool  // by seat: cards that it had in hand or saw

	hands []map[int]bool // held now
	lying map[[3]int]int // by round, quest and place
	pile  []int          // discarded now
	loose map[int]bool   // in a supply that was a discard pile, not drawn yet
	next  map[int]bool   // the discard pile that becomes the supply in the midst of this deal
	end   paladin.State
}

// follow follows the cards of a game through its first n moves.
func follow(t *testing.T, record *paladin.Record, n int) *world {
	t.Helper()
	w := &world{t: t, lying: map[[3]int]int{}}
	for range record.Players() {
		w.known, w.hands = append(w.known, map[int]bool{}), append(w.hands, map[int]bool{})
	}
	moves := record.Moves()
	_, err := record.Play(func(s *paladin.State, events []paladin.Event) error {
		switch made := s.Moves(); {
		case made > n:
			return nil
		case made == 0:
			w.firstDeal(s)
		default:
			m, err := paladin.ParseMove(moves[made-1])
			if err != nil {
				return err
			}
			w.move(m, events)
		}
		if s.Moves() == 0 || s.Round() > w.end.Round() {
			public := s.Public()
			for _, q := range public.Row {
				w.quests = append(w.quests, q.Honour)
			}
		}
		w.end = *s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.rest()
	return w
}

// rest are the cards that nobody has drawn, and the quests that nobody has seen.
func (w *world) rest() {
	left := map[paladin.Card]int{}
	deck := w.end.Deck()
	for _, c := range deck.Paladins() {
		left[c]++
	}
	for _, c := range w.value {
		left[c]--
	}
	for c := range paladin.Card(20) {
		for range left[c] {
			w.supply = append(w.supply, len(w.value))
			w.value = append(w.value, c)
		}
	}
	if last := len(w.piles) - 1; last >= 0 {
		for id := range w.value {
			if w.loose[id] {
				w.piles[last] = append(w.piles[last], id)
			}
		}
	}
	seen := slices.Clone(w.quests)
	for _, h := range deck.Quests() {
		if i := slices.Index(seen, h); i >= 0 {
			seen = slices.Delete(seen, i, i+1)
		} else {
			w.quests = append(w.quests, h)
		}
	}
}

// firstDeal gives everybody their first hand (R6).
func (w *world) firstDeal(s *paladin.State) {
	for k := range s.Players() {
		seat := paladin.Seat((int(s.Dealer()) + 1 + k) % s.Players())
		view := s.View(seat)
		for _, c := range view.Hand {
			w.draw(seat, c)
		}
	}
}

// draw takes the next card of the supply.
func (w *world) draw(seat paladin.Seat, c paladin.Card) {
	id := len(w.value)
	if w.loose == nil {
		w.value, w.supply = append(w.value, c), append(w.supply, id)
	} else {
		id = slices.IndexFunc(w.value, func(v paladin.Card) bool { return v == c })
		for !w.loose[id] || w.value[id] != c {
			id++
		}
		delete(w.loose, id)
		w.piles[len(w.piles)-1] = append(w.piles[len(w.piles)-1], id)
	}
	w.hands[seat][id], w.known[seat][id] = true, true
}

func (w *world) everybodySees(id int) {
	for seat := range w.known {
		w.known[seat][id] = true
	}
}

// move follows one move, made at the position w.end.
func (w *world) move(m paladin.Move, events []paladin.Event) {
	g := w.end.Public()
	switch m.Kind {
	case paladin.Place:
		id := 0
		for !w.hands[m.Seat][id] || w.value[id] != m.Card {
			id++
		}
		delete(w.hands[m.Seat], id)
		w.lying[[3]int{g.Round, m.Quest, len(g.Row[m.Quest-1].Cards) + 1}] = id
		w.moves = append(w.moves, func() string { m.Card = w.value[id]; return m.String() })
	case paladin.Peek:
		w.known[m.Seat][w.lying[[3]int{g.Round, m.Quest, m.Place}]] = true
		w.moves = append(w.moves, m.String)
	default:
		w.moves = append(w.moves, m.String)
	}
	for _, e := range events {
		w.event(e, &g)
	}
}

func (w *world) event(e paladin.Event, before *paladin.Public) {
	public := e.Public()
	id := w.lying[[3]int{public.Round, public.Quest, public.Place}]
	switch public.Kind {
	case paladin.LeaderRevealed:
		w.everybodySees(id)
	case paladin.Beaten:
		w.everybodySees(id)
		w.pile = append(w.pile, w.lying[[3]int{public.Round, public.Quest, before.Row[public.Quest-1].Cards[0].Place}])
	case paladin.TookBack:
		w.hands[public.Seat][id] = true
	case paladin.Discarded:
		w.pile = append(w.pile, id)
	case paladin.Reshuffled:
		w.next = map[int]bool{}
		for _, id := range w.pile {
			w.next[id] = true
		}
		w.pile = nil
	case paladin.RoundBegan:
		drawn := 0
		for k := range len(w.hands) {
			seat := paladin.Seat((int(public.Seat) + 1 + k) % len(w.hands))
			for _, c := range e.For(seat).Drawn {
				if drawn == before.Supply && w.next != nil {
					w.loose, w.next, w.piles = w.next, nil, append(w.piles, nil)
				}
				w.draw(seat, c)
				drawn++
			}
		}
	}
}

// record writes the world down as it is now: with its shuffles listed, to where it was followed.
func (w *world) record() paladin.Record {
	w.t.Helper()
	cards := func(ids []int) []paladin.Card {
		list := make([]paladin.Card, len(ids))
		for i, id := range ids {
			list[i] = w.value[id]
		}
		return list
	}
	var piles [][]paladin.Card
	for _, pile := range w.piles {
		piles = append(piles, cards(pile))
	}
	deal, err := paladin.ListedDeal(w.end.Deck(), cards(w.supply), w.quests, piles)
	if err != nil {
		w.t.Fatal(err)
	}
	moves := make([]string, len(w.moves))
	for i, m := range w.moves {
		moves[i] = m()
	}
	return paladin.RecordOf(deal, moves, &w.end)
}

// alter deals everything anew that the seat cannot know: cards that it never had and never saw, and quests to come.
func (w *world) alter(seat paladin.Seat, r *rand.Rand) {
	var unknown []int
	for id := range w.value {
		if !w.known[seat][id] {
			unknown = append(unknown, id)
		}
	}
	r.Shuffle(len(unknown), func(i, j int) {
		a, b := unknown[i], unknown[j]
		w.value[a], w.value[b] = w.value[b], w.value[a]
	})
	turned := w.end.Round() * w.end.Players()
	for _, stack := range [][]int{w.quests[min(turned, 9):9], w.quests[max(turned, 9):]} {
		r.Shuffle(len(stack), func(i, j int) { stack[i], stack[j] = stack[j], stack[i] })
	}
}

var pageCount = regexp.MustCompile(`of \d+, `)

// TestReplayShowsASeatWhatItKnewThen: a page from a seat's viewpoint is the same in every world that this seat could have been in by
// the end of that page, and it does not depend on what came later.
func TestReplayShowsASeatWhatItKnewThen(t *testing.T) {
	differ := 0
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		g, lines := played(t, plainNames[:players], byte(10+players))
		record, _ := g.table.Record(lines)
		moves := publicMoves(lines)
		whole := replayed(t, g, lines)
		r := random(uint64(players))
		show := func(re *Replay, seat paladin.Seat, page int) string {
			v := ReplayView{Seat: seat, Page: page, Pictures: !testing.Short()} // drawing is slow under the race detector
			drawn := english.replayPicture(re, v)
			m := illustrated(discord.Message{Components: english.replayParts(re, v, drawn, true)}, drawn)
			return pageCount.ReplaceAllString(rendered(m), "")
		}
		lay := func(w *world) *Replay {
			record := w.record()
			re, err := NewReplay(g.public(), &record, moves)
			if err != nil {
				t.Fatalf("%d players: a world that should be possible is not: %v", players, err)
			}
			return re
		}
		for page := 1; page < whole.Pages(); page++ {
			until := whole.pages[page].state.Moves()
			for seat := range paladin.Seat(players) {
				w := follow(t, &record, until)
				before := lay(w)
				w.alter(seat, r)
				after := lay(w)
				want := show(before, seat, page)
				if diff := cmp.Diff(want, show(after, seat, page)); diff != "" {
					t.Fatalf("%d players, page %d: seat %d sees what it cannot know (-one world +another):\n%s", players, page, seat.Number(), diff)
				}
				if diff := cmp.Diff(want, show(whole, seat, page)); diff != "" {
					t.Fatalf("%d players, page %d, seat %d: the page depends on what came later (-then +in the end):\n%s", players, page, seat.Number(), diff)
				}
				if show(before, paladin.NoSeat, page) != show(after, paladin.NoSeat, page) {
					differ++
				}
			}
		}
	}
	if differ < 100 {
		t.Errorf("only %d of the worlds differ at all: the test shows nothing", differ)
	}
}

// TestReplayWithoutHistory: lines of the history change names alone, and here nobody's name changed.
func TestReplayWithoutHistory(t *testing.T) {
	g, lines := played(t, plainNames[:4], 4)
	record, _ := g.table.Record(lines)
	bare, err := NewReplay(g.public(), &record, nil)
	if err != nil {
		t.Fatal(err)
	}
	told := replayed(t, g, lines)
	for page := 1; page <= told.Pages(); page++ {
		v := ReplayView{Seat: paladin.NoSeat, Page: page}
		if diff := cmp.Diff(english.Replay(told, v), english.Replay(bare, v)); diff != "" {
			t.Fatalf("page %d (-with +without history):\n%s", page, diff)
		}
	}
}
