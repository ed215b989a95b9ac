package core_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// A twin is one game in both forms. The core plays it first, to learn the reshuffles; the rules follow with those listed.
type twin struct {
	players    int
	supply     [core.Cards]uint8
	quests     [core.Quests]uint8
	start      core.State
	moves      []core.Move
	reshuffles [][]paladin.Card
}

// play plays a random game by numbers that follow from seed, with the house deck or a deck of any cards.
func play(seed uint64, players int, ownDeck bool, choose func(legal []core.Move, r *core.Rand) int) (t twin, deck paladin.Deck, err error) {
	r := core.NewRand(seed)
	deck = paladin.HouseDeck()
	if ownDeck {
		if deck, err = anyDeck(r); err != nil {
			return t, deck, err
		}
	}
	t.players = players
	for i, c := range deck.Paladins() {
		t.supply[i] = uint8(c)
	}
	for i, q := range deck.Quests() {
		t.quests[i] = uint8(q)
	}
	r.Shuffle(t.supply[:])
	r.Shuffle(t.quests[:paladin.QueenQuests])
	r.Shuffle(t.quests[paladin.QueenQuests:])
	r.Reshuffle = func(supply [core.Cards]uint8, n int) [core.Cards]uint8 {
		list := make([]paladin.Card, n)
		for i, c := range supply[:n] {
			list[n-1-i] = paladin.Card(c)
		}
		t.reshuffles = append(t.reshuffles, list)
		return supply
	}
	t.start = core.New(players, &t.supply, &t.quests, r)
	s := t.start
	var legal []core.Move
	for !s.Over() {
		legal = s.AppendLegal(legal[:0])
		m := legal[choose(legal, r)]
		t.moves = append(t.moves, m)
		s.Apply(m, r)
	}
	return t, deck, nil
}

func anyDeck(r *core.Rand) (paladin.Deck, error) {
	text := `{"paladins": [`
	for i := range core.Cards {
		if i > 0 {
			text += ","
		}
		text += strconv.Quote(paladin.Card(r.Below(core.Kinds)).String())
	}
	text += `], "quests": [`
	for i := range core.Quests {
		if i > 0 {
			text += ","
		}
		text += strconv.Itoa(1 + r.Below(paladin.MaxHonour))
	}
	return paladin.ParseDeck([]byte(text + "]}"))
}

// follow plays the same game by the rules and compares at each position; it answers with how many there were.
func (t *twin) follow(deck paladin.Deck) (positions int, err error) {
	supply := make([]paladin.Card, core.Cards)
	for i, c := range t.supply {
		supply[i] = paladin.Card(c)
	}
	quests := make([]int, core.Quests)
	for i, q := range t.quests {
		quests[i] = int(q)
	}
	deal, err := paladin.ListedDeal(deck, supply, quests, t.reshuffles)
	if err != nil {
		return 0, err
	}
	clear, err := paladin.New(t.players, deal)
	if err != nil {
		return 0, err
	}
	// The core plays a second time, with the reshuffles that it made the first time.
	s, r := t.start, core.NewRand(0)
	made := 0
	r.Reshuffle = func(supply [core.Cards]uint8, n int) [core.Cards]uint8 {
		for i, c := range t.reshuffles[made] {
			supply[n-1-i] = uint8(c)
		}
		made++
		return supply
	}
	for i, m := range t.moves {
		if err := compare(&s, &clear); err != nil {
			return i, fmt.Errorf("position %d: %w", i, err)
		}
		next, _, err := clear.Apply(s.InRules(m))
		if err != nil {
			return i, fmt.Errorf("position %d: %w", i, err)
		}
		clear = next
		s.Apply(m, r)
	}
	return len(t.moves) + 1, compare(&s, &clear)
}

// compare says in what a position of the core differs from that of the rules.
func compare(s *core.State, clear *paladin.State) error {
	legal := s.AppendLegal(nil)
	var moves []paladin.Move
	for _, m := range legal {
		moves = append(moves, s.InRules(m))
	}
	if want := clear.Legal(); !slices.Equal(moves, want) {
		return fmt.Errorf("legal moves: %v, want %v", moves, want)
	}
	public := clear.Public()
	toAct := paladin.NoSeat
	if s.ToAct != core.None {
		toAct = paladin.Seat(s.ToAct)
	}
	same := s.Phase == public.Phase && toAct == public.ToAct && int(s.Round) == public.Round &&
		paladin.Seat(s.Dealer) == public.Dealer && s.Peeked == public.PeekUsed && int(s.SupplyLen) == public.Supply
	if s.Phase == paladin.PhaseResolve {
		same = same && int(s.Quest)+1 == public.Resolving && int(s.Deciding)+1 == public.Deciding
	}
	if !same {
		return fmt.Errorf("%+v, want %+v", s, public)
	}
	cards, err := compareSeats(s, clear, &public)
	if err != nil {
		return err
	}
	if err := compareTable(s, &public, cards); err != nil {
		return err
	}
	return comparePile(s, clear, &public)
}

// compareSeats looks at hands, honour and kept cards, and answers with the placed cards that their owners see.
func compareSeats(s *core.State, clear *paladin.State, public *paladin.Public) (map[[2]int]paladin.Card, error) {
	cards := map[[2]int]paladin.Card{}
	var kept [core.Kinds]uint8
	for seat, p := range public.Seats {
		view := clear.View(paladin.Seat(seat))
		hand := s.Hand(uint8(seat))
		if len(hand) != len(view.Hand) || int(s.Honour[seat]) != p.Honour {
			return nil, fmt.Errorf("seat %d: %v, honour %d, want %v, %d", seat, hand, s.Honour[seat], view.Hand, p.Honour)
		}
		for i, c := range view.Hand {
			if paladin.Card(hand[i]) != c {
				return nil, fmt.Errorf("seat %d: hand %v, want %v", seat, hand, view.Hand)
			}
		}
		for _, beyond := range s.Hands[seat][len(hand):] {
			if beyond != 0x7f {
				return nil, fmt.Errorf("seat %d: hand %v of %d cards, want filler above them", seat, s.Hands[seat], len(hand))
			}
		}
		for _, k := range view.Placed {
			cards[[2]int{k.Quest, k.Place}] = k.Card
		}
		for _, k := range p.Kept {
			c, _ := k.Card.Card()
			kept[c]++
		}
	}
	if kept != s.Kept {
		return nil, fmt.Errorf("kept %v, want %v", s.Kept, kept)
	}
	return cards, nil
}

func compareTable(s *core.State, public *paladin.Public, cards map[[2]int]paladin.Card) error {
	if s.Phase == paladin.PhaseOver {
		return nil
	}
	for i, q := range public.Row {
		if int(s.Row()[i]) != q.Honour || (s.WonBy[i] != core.None) != q.Won || q.Won && paladin.Seat(s.WonBy[i]) != q.WonBy {
			return fmt.Errorf("quest %d: honour %d, won by %d, want %+v", i+1, s.Row()[i], s.WonBy[i], q)
		}
		for _, c := range q.Cards {
			slot := s.Table[i][c.Place-1]
			peekers := uint8(0)
			for _, seat := range c.PeekedBy {
				peekers |= 1 << seat
			}
			if paladin.Card(slot.Card) != cards[[2]int{i + 1, c.Place}] || paladin.Seat(slot.Seat) != c.Seat || slot.Peekers != peekers {
				return fmt.Errorf("card %d.%d: %+v, want %+v", i+1, c.Place, slot, c)
			}
		}
	}
	return nil
}

func comparePile(s *core.State, clear *paladin.State, public *paladin.Public) error {
	if int(s.PileLen) != len(public.Discards) {
		return fmt.Errorf("%d cards in the pile, want %d", s.PileLen, len(public.Discards))
	}
	for seat := range paladin.Seat(s.Players) {
		view := clear.View(seat)
		for i, d := range public.Discards {
			card, known := d.Card.Card()
			for _, k := range append(view.Peeked, view.Discards...) {
				if k.Round == d.Round && k.Quest == d.Quest && k.Place == d.Place {
					card, known = k.Card, true
				}
			}
			if have := s.Pile[i]; (have.Known>>seat&1 == 1) != known || known && paladin.Card(have.Card) != card {
				return fmt.Errorf("card %d of the pile: %+v, for seat %d %v, %v", i, have, seat, card, known)
			}
		}
	}
	return nil
}

// TestCoreIsTheRules holds the core against the rules in all positions of random games. PALADIN_CORE_POSITIONS asks for
// more of them: `PALADIN_CORE_POSITIONS=5000000 go test ./game/squire/core -run TestCoreIsTheRules -timeout 0`.
func TestCoreIsTheRules(t *testing.T) {
	want := 20_000
	if text := os.Getenv("PALADIN_CORE_POSITIONS"); text != "" {
		var err error
		if want, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	positions := 0
	for seed := uint64(0); positions < want; seed++ {
		for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
			game, deck, err := play(seed, players, seed%4 == 3, func(legal []core.Move, r *core.Rand) int { return r.Below(len(legal)) })
			if err != nil {
				t.Fatal(err)
			}
			n, err := game.follow(deck)
			if err != nil {
				t.Fatalf("seed %d, %d players: %v", seed, players, err)
			}
			positions += n
		}
	}
	t.Logf("%d positions", positions)
}

// FuzzCore lets the fuzzer choose the moves.
func FuzzCore(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte{})
	f.Add(uint64(2), uint8(1), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint64(3), uint8(5), []byte("the last move again and again \xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, choices []byte) {
		i := 0
		game, deck, err := play(seed, paladin.MinPlayers+int(kind%3), kind&4 != 0, func(legal []core.Move, r *core.Rand) int {
			if len(choices) == 0 {
				return r.Below(len(legal))
			}
			i++
			return int(choices[i%len(choices)]) % len(legal)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := game.follow(deck); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRandomIsLegalAndUniform counts what Random chooses in some positions.
func TestRandomIsLegalAndUniform(t *testing.T) {
	const times = 400 // for each legal move
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		game, _, err := play(5, players, false, func(legal []core.Move, r *core.Rand) int { return r.Below(len(legal)) })
		if err != nil {
			t.Fatal(err)
		}
		r := core.NewRand(1)
		s := game.start
		for i := 0; !s.Over(); i++ {
			legal := s.AppendLegal(nil)
			counts := map[core.Move]int{}
			for range times * len(legal) {
				counts[s.Random(r)]++
			}
			for _, l := range legal {
				if n := counts[l]; n < times-120 || n > times+120 {
					t.Fatalf("%d players, position %d: %v was chosen %d times, want about %d", players, i, l, n, times)
				}
				delete(counts, l)
			}
			if len(counts) > 0 {
				t.Fatalf("%d players, position %d: illegal moves %v", players, i, counts)
			}
			s.Apply(legal[r.Below(len(legal))], r)
		}
	}
}

// TestPlayout plays from all positions of games to the end: the cards must be those of the deck, and seats, honours and
// numbers of moves come out as with single random moves, on average.
func TestPlayout(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		var single, whole means
		for seed := range uint64(60) {
			game, _, err := play(seed, players, false, func([]core.Move, *core.Rand) int { return 0 })
			if err != nil {
				t.Fatal(err)
			}
			r := core.NewRand(seed)
			for s := game.start; !s.Over(); s.Apply(s.Random(r), r) {
				x, y := s, s
				moves := 0
				for ; !x.Over(); moves++ {
					x.Apply(x.Random(r), r)
				}
				single.add(&x, moves)
				whole.add(&y, y.Playout(r))
				if cards(&y) != cards(&game.start) {
					t.Fatalf("seed %d: the cards after a play-out from %+v are not those of the deck: %+v", seed, s, y)
				}
			}
		}
		if message := single.differs(&whole); message != "" {
			t.Errorf("%d players: %s", players, message)
		}
	}
}

// cards counts each card wherever it is between two rounds.
func cards(s *core.State) (n [core.Kinds]int) {
	for _, c := range s.Supply[:s.SupplyLen] {
		n[c]++
	}
	for _, d := range s.Pile[:s.PileLen] {
		n[d.Card]++
	}
	for seat := range s.Players {
		for _, c := range s.Hand(seat) {
			n[c]++
		}
	}
	for c, k := range s.Kept {
		n[c] += int(k)
	}
	return n
}

// means add up what came out of games: moves, cards in the supply, in hand and in the pile, and the honour of each seat.
type means struct {
	n            float64
	sum, squares [4 + core.MaxPlayers]float64
}

func (m *means) add(s *core.State, moves int) {
	hands := 0
	for _, n := range s.HandLen {
		hands += int(n)
	}
	values := [4 + core.MaxPlayers]float64{float64(moves), float64(s.SupplyLen), float64(hands), float64(s.PileLen)}
	for seat, h := range s.Honour {
		values[4+seat] = float64(h)
	}
	m.n++
	for i, v := range values {
		m.sum[i] += v
		m.squares[i] += v * v
	}
}

// differs says which mean is further from the other's than chance would have it.
func (m *means) differs(other *means) string {
	for i := range m.sum {
		a, b := m.sum[i]/m.n, other.sum[i]/other.n
		spread := math.Sqrt((m.squares[i]/m.n-a*a)/m.n + (other.squares[i]/other.n-b*b)/other.n)
		if math.Abs(a-b) > 5*spread {
			return fmt.Sprintf("mean %d is %.3f with single moves and %.3f in play-outs, ± %.3f", i, a, b, spread)
		}
	}
	return ""
}

// TestNoAllocation plays a random game, which must not allocate.
func TestNoAllocation(t *testing.T) {
	game, _, err := play(1, 5, false, func([]core.Move, *core.Rand) int { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	r := core.NewRand(1)
	if n := testing.AllocsPerRun(10, func() { s := game.start; s.Playout(r) }); n != 0 {
		t.Errorf("a play-out makes %v allocations", n)
	}
}

// BenchmarkPlayout plays random games to their end, in turns with random games by the rules, legality checked, and reports
// how many moves a second both make and how many times as many the core does, by the medians of many short turns: so it
// hardly matters what else the machine does. GC included, so run it with -cpu 1.
func BenchmarkPlayout(b *testing.B) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		b.Run(strconv.Itoa(players), func(b *testing.B) {
			game, deck, err := play(1, players, false, func([]core.Move, *core.Rand) int { return 0 })
			if err != nil {
				b.Fatal(err)
			}
			first, err := paladin.New(players, paladin.SeededDeal(deck, paladin.Seed{1}, "-"))
			if err != nil {
				b.Fatal(err)
			}
			r := core.NewRand(1)
			var legal []paladin.Move
			var fast, clear []float64 // moves a second
			for b.Loop() {
				began, moves := time.Now(), 0
				for range 40 {
					s := game.start
					moves += s.Playout(r)
				}
				middle := time.Now()
				fast = append(fast, float64(moves)/middle.Sub(began).Seconds())
				moves = 0
				for range 2 {
					var n int
					if n, legal, err = playClear(first, legal, r); err != nil {
						b.Fatal(err)
					}
					moves += n
				}
				clear = append(clear, float64(moves)/time.Since(middle).Seconds())
			}
			core, rules := median(fast), median(clear)
			b.ReportMetric(core, "moves/s")
			b.ReportMetric(rules, "rules-moves/s")
			b.ReportMetric(core/rules, "times")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// playClear plays a random game by the rules.
func playClear(s paladin.State, legal []paladin.Move, r *core.Rand) (moves int, _ []paladin.Move, _ error) {
	for ; !s.Over(); moves++ {
		legal = s.AppendLegal(legal[:0])
		next, _, err := s.Apply(legal[r.Below(len(legal))])
		if err != nil {
			return moves, legal, err
		}
		s = next
	}
	return moves, legal, nil
}
