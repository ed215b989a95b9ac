package squire

import (
	"paladin/game/paladin"
	"paladin/game/portable"
	"paladin/game/squire/core"
)

// An event is something that a seat did this round.
type event struct {
	seat         uint8
	kind         paladin.MoveKind
	quest, place uint8
	card         uint8 // placed; unknown, if so
}

// order finds an order in which all that was done this round can have happened: of the placings and peeks any one that agrees
// with what was seen.
func (b *belief) order() {
	m := b.m
	b.round = nil
	b.orders++
	b.which = b.orders
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
	if m.phase == paladin.PhaseResolve {
		b.addDecisions()
	}
}

// addDecisions adds what has been decided about cards so far. Their order is known (R12).
func (b *belief) addDecisions() {
	m := b.m
	for quest := uint8(0); quest <= m.quest; quest++ {
		for place := uint8(1); place < m.players; place++ {
			p := m.table()[quest][place]
			e := event{seat: p.seat, quest: quest, place: place, card: p.card}
			switch p.fate {
			case paladin.FateTakenBack:
				e.kind = paladin.Take
			case paladin.FateDiscarded:
				e.kind = paladin.Discard
			case paladin.FateBeaten, paladin.FateKept, paladin.FateLeading:
				e.kind = paladin.Beat
			default:
				continue
			}
			b.round = append(b.round, e)
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
	key := uint64(index+1) | uint64(b.which)<<32
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
