package squire

import (
	"math"
	"math/bits"

	"paladin/game/paladin"
	"paladin/game/portable"
	"paladin/game/squire/core"
)

// A quick plays the compact game by the rules of thumb. Where each rule comes from is said once, in thumb.go, plan.go and
// normal.go; here they are only fast, and the tests hold the one against the other. It is scratch space: one goroutine at a
// time, and nothing of a decision matters to the next.
type quick struct {
	w    weights
	deck [core.Kinds]int8
	rest [core.Quests + 1]float64 // by round: average honour of the quests of later rounds

	// Of the seat that decides.
	me      uint8
	unseen  [core.Kinds]float64
	threat  [core.Kinds]float64
	keep    [core.Kinds]float64
	hand    []uint8
	quests  [core.MaxPlayers]uint8 // open ones
	open    int
	table   [core.MaxPlayers][core.MaxPlayers][8]int32 // by turn, open quest and card in hand; this and the next in units
	most    [1 << core.MaxPlayers][1 << core.MaxHand]int32
	worth   [core.MaxPlayers][core.MaxHand]float64 // by open quest and card in hand: what all is worth if this is the step
	chances [core.MaxPlayers][core.MaxHand]float64 // by the same, see propensities
	outlook [core.MaxPlayers]outlook               // shared by quests that look alike
	looks   int
}

// An outlook is how the cards in hand would do on quests that look alike: how likely each wins, and then holds.
type outlook struct {
	key   uint32
	turns [core.MaxPlayers]struct{ wins, holds [core.MaxHand]float64 }
}

// newQuick is for games of that many players with a deck.
func newQuick(players int, deck paladin.Deck, w *weights) *quick {
	k := &quick{w: *w}
	for _, c := range deck.Paladins() {
		k.deck[c]++
	}
	for round := 1; round <= core.Quests/players; round++ {
		k.rest[round] = restAfter(round, players, deck)
	}
	return k
}

// choose is the move of the seat to act. wish is the source of its whims, which only placing a card has.
func (k *quick) choose(s *core.State, wish *core.Rand) core.Move {
	switch s.Phase {
	case paladin.PhaseStart:
		return core.Move{Kind: paladin.Start, A: (s.ToAct + 1) % s.Players}
	case paladin.PhaseResolve:
		return core.Move{Kind: k.decide(s)}
	case paladin.PhasePlace:
		if !s.Peeked {
			if m, ok := k.peek(s); ok {
				return m
			}
		}
	}
	k.plan(s)
	best, most := core.Move{}, math.Inf(-1)
	for q := range k.open {
		for c := range k.hand {
			if all := k.worth[q][c] + float64(k.w.Whim*wish.Float64()); all > most {
				most = all
				best = core.Move{Kind: paladin.Place, A: k.hand[c], B: k.quests[q]}
			}
		}
	}
	return best
}

// look works out what follows from the cards that the seat to act cannot account for.
func (k *quick) look(s *core.State) {
	k.me = s.ToAct
	k.hand = s.Hand(k.me)
	mine := uint8(1) << k.me
	left := k.deck
	for _, c := range k.hand {
		left[c]--
	}
	resolving := s.Phase == paladin.PhaseResolve
	for quest := range s.Players {
		if s.WonBy[quest] != core.None {
			continue
		}
		first := uint8(0)
		if resolving && quest == s.Quest {
			first = s.Deciding
			left[s.Table[quest][s.Leader].Card]--
		}
		for place := first; place < s.OnQuest[quest]; place++ {
			if c := &s.Table[quest][place]; c.Seat == k.me || c.Peekers&mine != 0 {
				left[c.Card]--
			}
		}
	}
	for i := range s.Pile[:s.PileLen] {
		if s.Pile[i].Known&mine != 0 {
			left[s.Pile[i].Card]--
		}
	}
	total := int8(0)
	for c := range left {
		left[c] -= int8(s.Kept[c])
		total += left[c]
	}
	per := 1 / float64(max(1, total))
	for c, n := range left {
		k.unseen[c] = float64(n) * per
	}
	k.judge(&left, per, k.rest[s.Round])
}

// judge fills in threat and keep.
func (k *quick) judge(left *[core.Kinds]int8, per, rest float64) {
	total, below := int8(0), int8(0)
	for _, n := range left {
		total += n
	}
	nothing, nine := left[0]+left[1], left[core.Kinds-2]+left[core.Kinds-1]
	drawn := 0.0
	for c := 0; c < core.Kinds; c += 2 {
		black, red := left[c], left[c+1]
		beaten, beating := below, total-below-black-red
		switch c {
		case 0:
			beaten += nine
			beating -= nine
		case core.Kinds - 2:
			beaten -= nothing
			beating += nothing
		}
		below += black + red
		k.threat[c] = float64(beating+red) * per
		k.threat[c+1] = k.threat[c]
		for i, n := range [2]int8{beaten, beaten + black + red} {
			beats := max(0, float64(n)*per)
			k.keep[c+i] = float64(beats * beats)
		}
		k.keep[c+1] += k.w.KeepRed
		drawn += float64(k.unseen[c]*k.keep[c]) + float64(k.unseen[c+1]*k.keep[c+1])
	}
	for c := range k.keep {
		k.keep[c] = k.w.Keep * rest * (k.keep[c] - drawn)
	}
}

func (k *quick) gain(honour, card uint8) float64 {
	return float64(float64(honour)*(1+k.w.Deny)) + float64(card&1)
}

// decide is what the seat to act does with the card whose turn it is.
func (k *quick) decide(s *core.State) paladin.MoveKind {
	beat, _ := k.weigh(s)
	own := s.Table[s.Quest][s.Deciding].Card
	switch {
	case beat > 0:
		return paladin.Beat
	case k.keep[own] < 0:
		return paladin.Discard
	}
	return paladin.Take
}

// weigh answers by how much beating is worth more than what else can be done, less than nothing if it is illegal, and what
// the card is worth in hand.
func (k *quick) weigh(s *core.State) (beat, keep float64) {
	k.look(s)
	q := &s.Table[s.Quest]
	own := q[s.Deciding].Card
	keep = k.keep[own]
	if !core.Beats(own, q[s.Leader].Card) {
		return math.Inf(-1), keep
	}
	holds := 1.0
	for place := s.Deciding + 1; place < s.Players; place++ {
		switch c := &q[place]; {
		case c.Peekers>>k.me&1 == 0:
			holds *= 1 - float64(k.w.Boldness*k.threat[own])
		case core.Beats(c.Card, own):
			holds *= 1 - k.w.Boldness
		}
	}
	return float64(holds*k.gain(s.Row()[s.Quest], own)) - max(0, keep), keep
}

// peek chooses the card that it helps most to know, and says whether there is one.
func (k *quick) peek(s *core.State) (best core.Move, ok bool) {
	me, row := s.ToAct, s.Row()
	most := 0.0
	for quest := range s.Players {
		mine := s.Has[me]>>quest&1 == 1
		passed := false
		for place := range s.OnQuest[quest] {
			c := &s.Table[quest][place]
			if c.Seat == me {
				passed = true
				continue
			}
			if c.Peekers>>me&1 == 1 || mine && !passed {
				continue
			}
			interest := 1 + float64(k.w.PeekLate*float64(place))
			if mine {
				interest = k.w.PeekBehind
			}
			if value := float64(row[quest]) * interest; value > most {
				most = value
				best = core.Move{Kind: paladin.Peek, A: quest, B: place}
			}
		}
	}
	return best, most > 0
}

// plan works out what each step of this turn is worth together with the best that can follow it: see worth.
func (k *quick) plan(s *core.State) {
	k.look(s)
	k.open, k.looks = 0, 0
	for quest := range s.Players {
		if s.Has[k.me]>>quest&1 == 0 {
			k.quests[k.open] = quest
			k.open++
		}
	}
	for i, quest := range k.quests[:k.open] {
		k.fill(s, i, quest)
	}
	k.solve()
}

// fill fills in the timetable of one quest.
func (k *quick) fill(s *core.State, index int, quest uint8) {
	leading := s.Phase == paladin.PhaseLead
	o := k.outlookOn(s, quest)
	honour := s.Row()[quest]
	first := 0
	if leading {
		first = 1
		for i, c := range k.hand {
			k.table[0][index][i] = never
			if s.OnQuest[quest] == 0 {
				stand := 1 - float64(k.w.Boldness*k.threat[c])
				stands := stand
				for range s.Players - 2 {
					stands *= stand
				}
				k.table[0][index][i] = int32(units * stands * k.gain(honour, c))
			}
		}
	}
	for turn := first; turn < k.open; turn++ {
		t := &o.turns[turn]
		out := &k.table[turn][index]
		for i, c := range k.hand {
			back := max(0, k.keep[c])
			wins := float64(t.wins[i] * max(float64(t.holds[i]*k.gain(honour, c)), back))
			out[i] = int32(units * (wins + float64((1-t.wins[i])*back)))
		}
	}
}

// outlookOn works out the outlook on a quest, or finds it: quests look alike if as many unknown cards lie there, and none
// else, of the same seats.
func (k *quick) outlookOn(s *core.State, quest uint8) *outlook {
	var missing [core.MaxPlayers]uint8
	n := 0
	for seat := range s.Players {
		if seat != k.me && s.Has[seat]>>quest&1 == 0 {
			missing[n] = seat
			n++
		}
	}
	cards := s.OnQuest[quest]
	from := 0
	if cards == 0 {
		from = 1
	}
	known := false
	for place := range cards {
		known = known || s.Table[quest][place].Peekers>>k.me&1 == 1
	}
	key := uint32(max(1, cards))
	for _, seat := range missing[from:n] {
		key |= 1 << (8 + seat)
	}
	if known {
		key |= 1<<16 | uint32(quest)<<17
	}
	for i := range k.outlook[:k.looks] {
		if k.outlook[i].key == key {
			return &k.outlook[i]
		}
	}
	o := &k.outlook[k.looks]
	k.looks++
	o.key = key
	k.foresee(s, quest, missing[from:n], o)
	return o
}

// foresee fills in an outlook.
func (k *quick) foresee(s *core.State, quest uint8, missing []uint8, o *outlook) {
	base := k.unseen
	for place := range s.OnQuest[quest] {
		switch c := &s.Table[quest][place]; {
		case c.Peekers>>k.me&1 == 1 && place == 0:
			base = [core.Kinds]float64{}
			base[c.Card] = 1
		case c.Peekers>>k.me&1 == 1:
			meet(&base, c.Card, k.w.Boldness)
		case place > 0:
			k.challenge(&base, k.w.Boldness)
		}
	}
	for turn := range k.open {
		if turn == 0 && s.Phase == paladin.PhaseLead {
			continue
		}
		t := &o.turns[turn]
		leader := base
		var behind [core.MaxPlayers]float64
		for i, seat := range missing {
			open := int(s.Players) - bits.OnesCount8(s.Has[seat])
			before := min(1, float64(turn)/float64(max(1, open)))
			if before > 0 {
				k.challenge(&leader, k.w.Boldness*before)
			}
			behind[i] = 1 - before
		}
		beaten := beatenBy(&leader)
		for i, c := range k.hand {
			holds := 1.0
			for _, b := range behind[:len(missing)] {
				holds *= 1 - float64(b*k.w.Boldness*k.threat[c])
			}
			t.wins[i], t.holds[i] = beaten[c], holds
		}
	}
}

// challenge is [odds.challenge] by an unseen card.
func (k *quick) challenge(leader *[core.Kinds]float64, p float64) {
	below := 0.0
	nothing, nine := leader[0]+leader[1], leader[core.Kinds-2]+leader[core.Kinds-1]
	for c := 0; c < core.Kinds; c += 2 {
		black, red := leader[c], leader[c+1]
		beaten := below
		switch c {
		case 0:
			beaten += nine
		case core.Kinds - 2:
			beaten -= nothing
		}
		below += black + red
		stay := 1 - float64(p*k.threat[c])
		leader[c] = float64(black*stay) + float64(p*k.unseen[c]*beaten)
		leader[c+1] = float64(red*stay) + float64(p*k.unseen[c+1]*(beaten+black+red))
	}
}

// meet is [odds.challenge] by a card that is known.
func meet(leader *[core.Kinds]float64, card uint8, p float64) {
	won := 0.0
	for c, o := range leader {
		if core.Beats(card, uint8(c)) {
			won += float64(o * p)
			leader[c] = o * (1 - p)
		}
	}
	leader[card] += won
}

// beatenBy is how likely each card beats one that has these odds.
func beatenBy(o *[core.Kinds]float64) (beaten [core.Kinds]float64) {
	below := 0.0
	for c := 0; c < core.Kinds; c += 2 {
		beaten[c] = below
		beaten[c+1] = below + o[c] + o[c+1]
		below += o[c] + o[c+1]
	}
	nine, nothing := o[core.Kinds-2]+o[core.Kinds-1], o[0]+o[1]
	beaten[0] += nine
	beaten[1] += nine
	beaten[core.Kinds-2] -= nothing
	beaten[core.Kinds-1] -= nothing
	return beaten
}

// What a plan is worth is summed up in whole numbers, of which so many are a point of honour: their maximum is found
// without a jump.
const (
	units = 1 << 20
	never = -1 << 30
)

// setsOf[n] are the sets of n of up to six things, as bits, the smaller numbers first.
var setsOf = func() (sets [core.MaxHand + 1][]uint8) {
	for set := range uint8(1 << core.MaxHand) {
		n := bits.OnesCount8(set)
		sets[n] = append(sets[n], set)
	}
	return sets
}()

// A joining adds a card to a set of cards.
type joining struct{ cards, card, both uint8 }

// joinings[hand][n] are those to sets of n cards of a hand of that size.
var joinings = func() (all [core.MaxHand + 1][core.MaxHand + 1][]joining) {
	for hand := range all {
		for set := range uint8(1) << hand {
			for card := range uint8(hand) {
				if n := bits.OnesCount8(set); set>>card&1 == 0 {
					all[hand][n] = append(all[hand][n], joining{set, card, set | 1<<card})
				}
			}
		}
	}
	return all
}()

// solve fills in worth from the timetable.
func (k *quick) solve() {
	n, hand := k.open, len(k.hand)
	for _, cards := range setsOf[n] {
		if cards>>hand != 0 {
			break
		}
		sum := 0.0
		for i, c := range k.hand {
			if cards>>i&1 == 0 {
				sum += k.keep[c]
			}
		}
		k.most[1<<n-1][cards] = int32(units * sum)
	}
	for turn := n - 1; turn > 0; turn-- {
		k.solveTurn(turn)
	}
	for q := range n {
		most := &k.most[1<<q]
		for c := range hand {
			k.worth[q][c] = math.Inf(-1)
			if here := k.table[0][q][c]; here != never {
				k.worth[q][c] = float64(here+most[1<<c]) / units
			}
		}
	}
}

func (k *quick) solveTurn(turn int) {
	all := uint8(1)<<k.open - 1
	joins := joinings[len(k.hand)][turn]
	for _, quests := range setsOf[turn] {
		if quests > all {
			break
		}
		out := &k.most[quests]
		for i := range joins {
			out[joins[i].cards&63] = never
		}
		for left := all &^ quests; left != 0; left &= left - 1 {
			q := bits.TrailingZeros8(left)
			next, row := &k.most[(quests|1<<q)&31], &k.table[turn][q]
			for _, j := range joins {
				out[j.cards&63] = max(out[j.cards&63], row[j.card&7]+next[j.both&63])
			}
		}
	}
}

// propensities fills in chances from worth: how likely each step is, of a player who is moved by whims and slips.
func (k *quick) propensities(m *model) {
	n, hand := k.open, len(k.hand)
	top := math.Inf(-1)
	for q := range n {
		for _, w := range k.worth[q][:hand] {
			top = max(top, w)
		}
	}
	var near [core.MaxPlayers * core.MaxHand]float64
	count, spread := 0, 0.0
	for q := range n {
		for i, w := range k.worth[q][:hand] {
			e := 0.0
			if top-w < 16*m.heat {
				e = portable.Exp((w - top) / m.heat)
			}
			k.chances[q][i] = e
			spread += e
			if top-w < k.w.Whim {
				near[count] = (w - top) / k.w.Whim
				count++
			}
		}
	}
	share := m.slip / spread
	for q := range n {
		for i, w := range k.worth[q][:hand] {
			p := float64(k.chances[q][i] * share)
			if top-w < k.w.Whim {
				p += float64((1 - m.slip) * first((w-top)/k.w.Whim, near[:count]))
			}
			k.chances[q][i] = p + 1e-9
		}
	}
}

// first is how likely x and a whim from 0 to 1 are more than all of list, which holds x too, with a whim each.
func first(x float64, list []float64) float64 {
	if len(list) == 1 {
		return 1
	}
	const points = 4
	sum := 0.0
	for i := range points {
		at := x + float64((float64(i)+0.5)/points)
		p := 1.0
		skipped := false
		for _, y := range list {
			if y == x && !skipped {
				skipped = true
				continue
			}
			p *= min(1, max(0, at-y))
		}
		sum += p
	}
	return sum / points
}
