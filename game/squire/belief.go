package squire

import (
	"slices"

	"paladin/game/paladin"
	"paladin/game/portable"
	"paladin/game/squire/core"
)

// A belief is what a seat takes the hidden cards to be: a Markov chain over deals that agree with all the seat has seen,
// which visits each deal as often as it is likely. How likely a deal is follows from what the others have done this round:
// each is taken to play by the rules of thumb mostly, so a hand counts by the chance that whoever holds it would have
// placed, taken back and discarded as was seen. From the rounds before comes only which cards are old ones, that is were
// kept in hand: strong ones mostly.
//
// Nothing in it is, or follows from, a card that the seat does not know.
type belief struct {
	m      *memory
	k      *quick
	r      *core.Rand
	model  *model
	round  []event // of this round, in an order in which they can have happened
	orders int     // how many such orders were tried
	first  core.State

	slots  []slotOf
	cards  []uint8 // by slot
	movers []int   // the slots of other players' hands
	caps   [core.Kinds]int8
	capped bool

	memo [recollections]recollection

	early [core.Kinds]int8 // of each card in slots that were filled before the last reshuffle
	now   core.State       // as the present deal has it
	fit   float64          // log likelihood of what was seen, given the present deal
}

// A slotOf is a place for a hidden card at the beginning of the round.
type slotOf struct {
	seat   uint8 // core.None: nobody's hand
	class  class
	early  bool // filled before the last reshuffle
	pinned bool // its card is known to belong to that seat
}

// A class of slots says what its cards have been through.
type class uint8

const (
	drawn     class = iota // in a hand since this round, or in the supply
	old                    // in a hand since before
	discarded              // on the pile, unseen
	classes
)

// An event is something that a seat did this round.
type event struct {
	seat         uint8
	kind         paladin.MoveKind
	quest, place uint8
	card         uint8 // placed; unknown, if so
}

// A model is what others are taken to do, and how surely.
type model struct {
	slip, heat float64 // how often a placing is not by the rules of thumb, and how far off it then is, in honour
	blur       float64 // by how much, in honour, a decision about a card is judged otherwise
	odd        float64 // how often it is made at random
	past       [classes][core.Kinds]float64
	excess     float64 // log likelihood for each card too many in early slots
}

// houseModel is what others are taken to do in a round, counted from 0.
func houseModel(players, round uint8) *model {
	mod := &model{slip: 0.1, heat: 0.3, blur: 0.1, odd: 0.05, excess: -4}
	if round > 0 {
		before := worthOf(players, round-1)
		mod.past[old], mod.past[discarded] = before.old, before.discarded
	}
	return mod
}

// newBelief starts the chain.
func newBelief(m *memory, k *quick, r *core.Rand, mod *model) *belief {
	b := &belief{m: m, k: k, r: r, model: mod}
	b.begin()
	b.order()
	b.listSlots()
	b.dealRest()
	b.evaluate()
	return b
}

// begin makes the position at the beginning of the round, without what is hidden.
func (b *belief) begin() {
	m := b.m
	s := core.State{
		Players: m.players, Round: m.round + 1, Rounds: m.rounds, Phase: paladin.PhaseStart, ToAct: m.dealer, Dealer: m.dealer,
		Starter: core.None, SupplyLen: m.supply, Honour: m.honour,
		WonBy: [core.MaxPlayers]uint8{core.None, core.None, core.None, core.None, core.None},
	}
	copy(s.Stack[m.round*m.players:], m.row[:m.players])
	for seat := range m.players {
		s.Clear(seat)
	}
	for _, c := range m.hand {
		s.Draw(m.me, c)
	}
	for quest := range m.players {
		for _, p := range m.table()[quest][:m.players] {
			if p.fate == paladin.FateKept {
				s.Honour[p.seat] -= m.row[quest] + p.card&1
			}
			if p.seat == m.me && p.fate != 0 && p.fate != paladin.FateTakenBack {
				s.Draw(m.me, p.card)
			}
		}
	}
	m.sketchPast(&s, m.round)
	b.first = s
}

// order finds an order in which the placings and peeks of this round can have happened; of those that cannot be told apart
// by what was seen it is any one.
func (b *belief) order() {
	m := b.m
	b.round = nil
	b.orders++
	if m.starter == core.None {
		return
	}
	total := 0
	for quest := range m.players {
		for _, p := range m.table()[quest][:m.players] {
			if p.fate != 0 {
				total++
			}
		}
	}
	for _, strict := range []bool{true, false} {
		o := ordering{belief: b, total: total, strict: strict, tries: 10_000}
		if o.from(0, 0) {
			break
		}
		b.round = b.round[:0]
	}
	if m.phase != paladin.PhaseResolve {
		return
	}
	kinds := map[paladin.Fate]paladin.MoveKind{
		paladin.FateTakenBack: paladin.Take, paladin.FateDiscarded: paladin.Discard,
		paladin.FateBeaten: paladin.Beat, paladin.FateKept: paladin.Beat, paladin.FateLeading: paladin.Beat,
	}
	for quest := uint8(0); quest <= m.quest; quest++ {
		for place := uint8(1); place < m.players; place++ {
			p := m.table()[quest][place]
			if kind, decided := kinds[p.fate]; decided {
				b.round = append(b.round, event{seat: p.seat, kind: kind, quest: quest, place: place, card: p.card})
			}
		}
	}
}

// An ordering is the search for an order of a round's placings and peeks.
type ordering struct {
	*belief
	total  int // cards placed
	strict bool
	tries  int                    // left
	on     [core.MaxPlayers]uint8 // cards placed on each quest so far
}

// from goes on from the given turn with so many peeks used, and says whether it came to an end.
func (o *ordering) from(turn, peeks int) bool {
	m := o.m
	if turn == o.total {
		return o.last(peeks)
	}
	if o.tries--; o.tries < 0 {
		return false
	}
	seat := uint8((int(m.starter) + turn) % int(m.players))
	before := len(o.round)
	if o.strict && turn >= int(m.players) && peeks < m.pastPeeks() {
		if p := m.peeks[peeks]; p.seat == seat && p.place < o.on[p.quest] {
			o.round = append(o.round, event{seat: seat, kind: paladin.Peek, quest: p.quest, place: p.place})
			peeks++
		}
	}
	looked := len(o.round)
	first := uint8(o.r.Below(int(m.players)))
	for i := range m.players {
		quest := (first + i) % m.players
		place := o.on[quest]
		if place >= m.players || turn < int(m.players) && place > 0 {
			continue
		}
		p := m.table()[quest][place]
		if p.fate == 0 || p.seat != seat {
			continue
		}
		o.round = append(o.round[:looked], event{seat: seat, kind: paladin.Place, quest: quest, place: place, card: p.card})
		o.on[quest]++
		if o.from(turn+1, peeks) {
			return true
		}
		o.on[quest]--
	}
	o.round = o.round[:before]
	return false
}

// last ends an order: the seat to act may have peeked this turn.
func (o *ordering) last(peeks int) bool {
	m := o.m
	if o.strict && peeks < m.pastPeeks() {
		return false
	}
	if m.peeked {
		p := m.peeks[len(m.peeks)-1]
		o.round = append(o.round, event{seat: p.seat, kind: paladin.Peek, quest: p.quest, place: p.place})
	}
	return true
}

// pastPeeks is how many of the peeks were made in earlier turns.
func (m *memory) pastPeeks() int {
	if m.peeked {
		return len(m.peeks) - 1
	}
	return len(m.peeks)
}

// fates counts what became of the cards that a seat placed in a round.
func (m *memory) fates(round, seat uint8) (taken, gone int) {
	for quest := range m.players {
		for _, p := range m.placed[round][quest][:m.players] {
			if p.seat != seat {
				continue
			}
			switch p.fate {
			case paladin.FateTakenBack:
				taken++
			case paladin.FateBeaten, paladin.FateDiscarded:
				gone++
			}
		}
	}
	return taken, gone
}

// oldCards is how many cards each seat had kept in hand when the round began.
func (m *memory) oldCards(round uint8) (n [core.MaxPlayers]int) {
	if round == 0 {
		return n
	}
	for seat := range m.players {
		taken, _ := m.fates(round-1, seat)
		n[seat] = 1 + taken
	}
	return n
}

// lastShuffle answers with how many cards were drawn in this round's deal before it reshuffled, or -1 if it did not, and
// with the first round whose discards went into that reshuffle.
func (m *memory) lastShuffle() (before int, from uint8) {
	supply, pile := core.Cards, 0
	for round := range m.round + 1 {
		need := 0
		for seat, n := range m.oldCards(round) {
			if uint8(seat) < m.players {
				need += int(m.players) + 1 - n
			}
		}
		if need > supply {
			if round == m.round {
				return supply, from
			}
			supply, pile, from = supply+pile, 0, round
		}
		supply -= need
		for seat := range m.players {
			_, gone := m.fates(round, seat)
			pile += gone
		}
	}
	return -1, from
}

// listSlots lists the slots and fills those of which a card is known.
func (b *belief) listSlots() {
	m := b.m
	kept := m.oldCards(m.round)
	before, from := m.lastShuffle()
	b.capped = before >= 0
	if b.capped {
		b.capEarly(from)
	}
	for i := range m.players {
		seat := (m.dealer + 1 + i) % m.players
		fresh := int(m.players) + 1 - kept[seat]
		if seat == m.me {
			before -= fresh
			continue
		}
		known := b.knownOf(seat)
		for j := range int(m.players) + 1 {
			slot := slotOf{seat: seat, class: old, early: b.capped}
			if j >= kept[seat] {
				slot.class, slot.early = drawn, b.capped && before > 0
				before--
			}
			card := uint8(unknown)
			if j < len(known) {
				card, slot.pinned = known[j], true
			}
			b.movers = append(b.movers, len(b.slots))
			b.slots, b.cards = append(b.slots, slot), append(b.cards, card)
		}
	}
	for i := range b.first.Pile[:b.first.PileLen] {
		if b.first.Pile[i].Known>>m.me&1 == 0 {
			b.slots, b.cards = append(b.slots, slotOf{seat: core.None, class: discarded}), append(b.cards, unknown)
		}
	}
	for range m.supply {
		b.slots, b.cards = append(b.slots, slotOf{seat: core.None, class: drawn}), append(b.cards, unknown)
	}
}

// knownOf are the cards of which the seat knows that they were in somebody's hand when the round began: those seen of what
// was placed since, and those seen taken back in the round before. Old ones come first.
func (b *belief) knownOf(seat uint8) (known []uint8) {
	m := b.m
	var placed [core.Kinds]int
	for quest := range m.players {
		for _, p := range m.table()[quest][:m.players] {
			if p.fate != 0 && p.seat == seat && p.card != unknown {
				placed[p.card]++
			}
		}
	}
	if m.round > 0 {
		for quest := range m.players {
			for _, p := range m.placed[m.round-1][quest][:m.players] {
				if p.seat == seat && p.fate == paladin.FateTakenBack && p.card != unknown {
					known = append(known, p.card)
					placed[p.card]--
				}
			}
		}
	}
	for card, n := range placed {
		for range n {
			known = append(known, uint8(card))
		}
	}
	return known
}

// capEarly works out how many of each card can have been in hands before the reshuffle of this round's deal: what is known to
// have been in the pile then was not.
func (b *belief) capEarly(from uint8) {
	m := b.m
	b.caps = m.deck
	for round := range m.round {
		for quest := range m.players {
			for _, p := range m.placed[round][quest][:m.players] {
				gone := round >= from && (p.fate == paladin.FateBeaten || p.fate == paladin.FateDiscarded)
				if p.card != unknown && (gone || p.fate == paladin.FateKept) {
					b.caps[p.card]--
				}
				if round+1 == m.round && p.seat == m.me && p.fate == paladin.FateTakenBack {
					b.caps[p.card]--
				}
			}
		}
	}
}

// dealRest deals the cards that are not known into the slots that are left.
func (b *belief) dealRest() {
	left := b.m.deck
	for _, c := range b.first.Hand(b.m.me) {
		left[c]--
	}
	for c, n := range b.first.Kept {
		left[c] -= int8(n)
	}
	for i := range b.first.Pile[:b.first.PileLen] {
		if d := b.first.Pile[i]; d.Known>>b.m.me&1 == 1 {
			left[d.Card]--
		}
	}
	for i := range b.slots {
		if b.slots[i].pinned {
			left[b.cards[i]]--
		}
	}
	var pool [core.Cards]uint8
	n := 0
	for c, count := range left {
		for range count {
			pool[n] = uint8(c)
			n++
		}
	}
	b.r.Shuffle(pool[:n])
	for i := range b.slots {
		if !b.slots[i].pinned {
			n--
			b.cards[i] = pool[n]
		}
		if b.slots[i].early {
			b.early[b.cards[i]]++
		}
	}
}

// redeal deals anew without regard to what the others did.
func (b *belief) redeal() {
	b.slots, b.cards, b.movers = b.slots[:0], b.cards[:0], b.movers[:0]
	b.early = [core.Kinds]int8{}
	b.listSlots()
	b.dealRest()
	b.evaluate()
}

// warm brings the chain to where likely deals are.
func (b *belief) warm(starts, burn int) {
	cards, slots, early := slices.Clone(b.cards), slices.Clone(b.slots), b.early
	round, orders, now, fit := b.round, b.orders, b.now, b.fit
	last := b.orders
	for range starts - 1 {
		b.orders = last
		b.order()
		last = b.orders
		b.redeal()
		if b.fit > fit {
			copy(cards, b.cards)
			copy(slots, b.slots)
			early, round, orders, now, fit = b.early, b.round, b.orders, b.now, b.fit
		}
	}
	b.round, b.orders = round, orders
	b.early, b.now, b.fit = early, now, fit
	copy(b.cards, cards)
	copy(b.slots, slots)
	for range burn {
		b.step()
	}
}

// step tries to exchange two cards, and says whether it did.
func (b *belief) step() bool {
	i := b.movers[b.r.Below(len(b.movers))]
	j := b.r.Below(len(b.slots))
	x, y := b.slots[i], b.slots[j]
	cx, cy := b.cards[i], b.cards[j]
	if cx == cy || (x.pinned || y.pinned) && x.seat != y.seat {
		return false
	}
	past := &b.model.past
	change := past[x.class][cy] - past[x.class][cx] + past[y.class][cx] - past[y.class][cy]
	if b.capped && x.early != y.early {
		enters, leaves := cy, cx
		if y.early {
			enters, leaves = cx, cy
		}
		if b.early[enters] >= b.caps[enters] {
			change += b.model.excess
		}
		if b.early[leaves] > b.caps[leaves] {
			change -= b.model.excess
		}
	}
	threshold := portable.Log(1 - b.r.Float64())
	if x.seat == y.seat { // the hand stays as it is
		if change < threshold {
			return false
		}
		b.swap(i, j)
		return true
	}
	before, fit := b.now, b.fit
	b.swap(i, j)
	b.evaluate()
	if b.fit-fit+change >= threshold {
		return true
	}
	b.swap(i, j)
	b.now, b.fit = before, fit
	return false
}

func (b *belief) swap(i, j int) {
	if b.slots[i].early != b.slots[j].early {
		early, late := i, j
		if b.slots[j].early {
			early, late = j, i
		}
		b.early[b.cards[early]]--
		b.early[b.cards[late]]++
	}
	b.cards[i], b.cards[j] = b.cards[j], b.cards[i]
	b.slots[i].pinned, b.slots[j].pinned = b.slots[j].pinned, b.slots[i].pinned
}

// evaluate plays the round as it was seen with the present deal: it fills in now and fit. Cards that were placed unseen
// are drawn from the hand, each as likely as its owner was to place it there.
func (b *belief) evaluate() {
	b.now, b.fit = b.first, 0
	s := &b.now
	pile, supply := 0, 0
	for i, slot := range b.slots {
		switch {
		case slot.seat != core.None:
			s.Draw(slot.seat, b.cards[i])
		case slot.class == discarded:
			for s.Pile[pile].Known>>b.m.me&1 == 1 {
				pile++
			}
			s.Pile[pile].Card = b.cards[i]
			pile++
		default:
			s.Supply[supply] = b.cards[i]
			supply++
		}
	}
	if b.m.starter == core.None {
		return
	}
	s.Apply(core.Move{Kind: paladin.Start, A: b.m.starter}, nil)
	reserved := b.reserve()
	s.Rounds = s.Round // no deal: the round is not over
	for i := range b.round {
		b.follow(i, &reserved)
	}
	s.Rounds = b.first.Rounds
	for quest := range s.Players {
		for place := range s.OnQuest[quest] {
			s.Table[quest][place].Peekers = b.m.table()[quest][place].peekers // should the order not have had all peeks
		}
	}
}

// reserve counts, by seat, the cards that are known to be placed in the round.
func (b *belief) reserve() (n [core.MaxPlayers][core.Kinds]uint8) {
	for i := range b.round {
		if e := &b.round[i]; e.kind == paladin.Place && e.card != unknown {
			n[e.seat][e.card]++
		}
	}
	return n
}

// follow makes one move of the round.
func (b *belief) follow(index int, reserved *[core.MaxPlayers][core.Kinds]uint8) {
	s, e := &b.now, &b.round[index]
	mine := e.seat == b.m.me
	switch e.kind {
	case paladin.Peek:
		s.Apply(core.Move{Kind: paladin.Peek, A: e.quest, B: e.place}, nil)
		return
	case paladin.Place:
		card := e.card
		if !mine {
			card = b.placed(index, &reserved[e.seat])
		}
		if e.card != unknown {
			reserved[e.seat][e.card]--
		}
		s.Apply(core.Move{Kind: paladin.Place, A: card, B: e.quest}, nil)
		return
	}
	if !mine {
		beat, keep := b.k.weigh(s)
		p := b.model.odd / 3
		sure := 1 - b.model.odd
		beats := logistic(beat / b.model.blur)
		switch e.kind {
		case paladin.Beat:
			p += float64(sure * beats)
		case paladin.Take:
			p += float64(sure * (1 - beats) * logistic(keep/b.model.blur))
		default:
			p += float64(sure * (1 - beats) * logistic(-keep/b.model.blur))
		}
		b.fit += portable.Log(p)
	}
	s.Apply(core.Move{Kind: e.kind}, nil)
}

func logistic(x float64) float64 { return 1 / (1 + portable.Exp(-x)) }

// placed answers with the card that was placed, and counts how likely it was that one was placed on that quest.
func (b *belief) placed(index int, reserved *[core.Kinds]uint8) uint8 {
	e := &b.round[index]
	row := b.chances(index)
	hand := b.now.Hand(e.seat)
	var weight [core.MaxHand]float64
	total := 0.0
	for i, c := range hand {
		if e.card != unknown {
			if c != e.card {
				continue
			}
		} else if reserved[c] > 0 && count(hand, c) <= reserved[c] {
			continue
		}
		weight[i] = row[i]
		total += weight[i]
	}
	b.fit += portable.Log(total)
	u := float64(b.r.Float64() * total)
	last := uint8(unknown)
	for i, c := range hand {
		if weight[i] == 0 {
			continue
		}
		last = c
		if u -= weight[i]; u < 0 {
			break
		}
	}
	return last
}

// count is how many such cards are in a hand.
func count(hand []uint8, card uint8) (n uint8) {
	for _, c := range hand {
		if c == card {
			n++
		}
	}
	return n
}

// A recollection is what was worked out about a placing before.
type recollection struct {
	key uint64
	row [core.MaxHand]float64
}

// recollections is how many are kept.
const recollections = 1 << 12

// chances is how likely the seat to act was to place each of its cards where that event says that it placed one.
func (b *belief) chances(index int) *[core.MaxHand]float64 {
	key := b.key(index)
	at := &b.memo[key%recollections]
	if at.key == key {
		return &at.row
	}
	k := b.k
	k.plan(&b.now)
	k.propensities(b.model)
	quest := 0
	for k.quests[quest] != b.round[index].quest {
		quest++
	}
	at.key, at.row = key, k.chances[quest]
	return &at.row
}

// key stands for all that the seat to act can know at that event and that differs between deals.
func (b *belief) key(index int) uint64 {
	s := &b.now
	key := uint64(index+1) | uint64(b.orders)<<32
	add := func(c uint8) { key = (key ^ uint64(c)) * 0x9e3779b97f4a7c15; key ^= key >> 32 }
	for _, c := range s.Hand(s.ToAct) {
		add(c)
	}
	for quest := range s.Players {
		for place := range s.OnQuest[quest] {
			if c := &s.Table[quest][place]; c.Seat == s.ToAct || c.Peekers>>s.ToAct&1 == 1 {
				add(c.Card)
			}
		}
	}
	for i := range s.Pile[:s.PileLen] {
		if d := &s.Pile[i]; d.Known>>s.ToAct&1 == 1 {
			add(d.Card)
		}
	}
	return key
}
