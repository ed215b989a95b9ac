package squire

import (
	"encoding/binary"
	"math"

	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// A search chooses the move of a seat by play-outs.
type search struct {
	m      *memory
	k      *quick
	r      *core.Rand
	belief *belief
	worth  *worthTable
	plan   plan
	root   []choice
}

// plan is how a search spends its effort.
type plan struct {
	Rollouts int     // play-outs in all
	Burn     int     // steps of the chain before the first deal
	Steps    int     // steps of the chain between two deals
	Share    int     // play-outs of one deal
	Starts   int     // deals of which the chain begins with the likeliest
	Explore  float64 // of the bandit
	Keep     int     // most candidates
	Believe  bool
	Prior    float64 // honour of the rules of thumb's judgement counted in win chance, as so many visits
}

type choice struct {
	move   core.Move
	visits int
	sum    float64
	thumb  float64
}

// seedOf folds a seed into the start of a fast source.
func seedOf(seed [32]byte) (n uint64) {
	for i := 0; i < len(seed); i += 8 {
		n = (n ^ binary.LittleEndian.Uint64(seed[i:])) * 0x9e3779b97f4a7c15
		n ^= n >> 29
	}
	return n
}

// moveOf is a move of the compact game as the rules know it.
func moveOf(s *core.State, m core.Move) paladin.Move {
	move := paladin.Move{Seat: paladin.Seat(s.ToAct), Kind: m.Kind}
	switch m.Kind {
	case paladin.Start:
		move.Target = paladin.Seat(m.A)
	case paladin.Place:
		move.Card, move.Quest = paladin.Card(m.A), int(m.B)+1
	case paladin.Peek:
		move.Quest, move.Place = int(m.A)+1, int(m.B)+1
	}
	return move
}

func searchMove(v *paladin.View, seed [32]byte, p plan, mod *model) (paladin.Move, error) {
	m, err := remember(v)
	if err != nil {
		return paladin.Move{}, err
	}
	x := &search{m: m, k: newQuick(v.Players, v.Deck(), &houseWeights), r: core.NewRand(seedOf(seed)), plan: p}
	x.worth = worthOf(m.players, m.round)
	if m.round > 0 && mod.past[old][0] == 0 {
		c := *mod
		w := worthOf(m.players, m.round-1)
		c.past[old], c.past[discarded] = w.old, w.discarded
		mod = &c
	}
	s := m.sketch()
	x.candidates(&s)
	if len(x.root) == 1 {
		return moveOf(&s, x.root[0].move), nil
	}
	x.belief = newBelief(m, x.k, x.r, mod)
	if p.Believe {
		x.belief.warm(p.Starts, p.Burn)
	}
	for i := range p.Rollouts {
		switch {
		case i%p.Share != 0:
		case p.Believe:
			for range p.Steps {
				x.belief.step()
			}
		default:
			x.belief.again()
		}
		c := x.pick(i)
		s := x.belief.now
		c.sum += x.rollout(&s, c.move)
		c.visits++
	}
	best := &x.root[0]
	for i := range x.root {
		if c := &x.root[i]; c.visits > best.visits || c.visits == best.visits && c.sum > best.sum {
			best = c
		}
	}
	return moveOf(&s, best.move), nil
}

// candidates lists the moves that are tried.
func (x *search) candidates(s *core.State) {
	legal := s.AppendLegal(nil)
	for _, m := range legal {
		x.root = append(x.root, choice{move: m})
	}
	if s.Phase != paladin.PhaseLead && s.Phase != paladin.PhasePlace {
		return
	}
	if s.Phase == paladin.PhasePlace && !s.Peeked {
		// a peek costs nothing
		var peeks []choice
		for _, c := range x.root {
			if c.move.Kind == paladin.Peek && s.Table[c.move.A][c.move.B].Peekers>>s.ToAct&1 == 0 {
				peeks = append(peeks, c)
			}
		}
		if len(peeks) > 0 {
			x.root = peeks
			return
		}
	}
	x.k.plan(s)
	out := x.root[:0]
	for _, c := range x.root {
		if c.move.Kind != paladin.Place {
			continue
		}
		c.thumb = math.Inf(-1)
		for q := range x.k.open {
			for i, card := range x.k.hand {
				if x.k.quests[q] == c.move.B && card == c.move.A {
					c.thumb = max(c.thumb, x.k.worth[q][i])
				}
			}
		}
		out = append(out, c)
	}
	x.root = out
	for len(x.root) > x.plan.Keep {
		worst := 0
		for i := range x.root {
			if x.root[i].thumb < x.root[worst].thumb {
				worst = i
			}
		}
		x.root = append(x.root[:worst], x.root[worst+1:]...)
	}
}

func (x *search) pick(n int) *choice {
	best, most := &x.root[0], math.Inf(-1)
	log := math.Log(float64(n + 1))
	for i := range x.root {
		c := &x.root[i]
		if c.visits == 0 {
			return c
		}
		v := float64(c.visits)
		if u := c.sum/v + x.plan.Explore*math.Sqrt(log/v); u > most {
			best, most = c, u
		}
	}
	return best
}

// rollout plays the round to its end and answers with what the position is then worth.
func (x *search) rollout(s *core.State, m core.Move) float64 {
	s.Rounds = s.Round
	s.Apply(m, x.r)
	for !s.Over() {
		s.Apply(x.k.choose(s, x.r), x.r)
	}
	return x.worth.of(s, x.m.me)
}

// again deals anew without regard to what the others did.
func (b *belief) again() {
	b.slots, b.cards, b.movers = b.slots[:0], b.cards[:0], b.movers[:0]
	b.early = [core.Kinds]int8{}
	b.list()
	b.rest()
	b.evaluate()
}

// warm brings the chain to where likely deals are.
func (b *belief) warm(starts, burn int) {
	cards, early, now, fit := append([]uint8(nil), b.cards...), b.early, b.now, b.fit
	slots := append([]slotOf(nil), b.slots...)
	for range starts - 1 {
		b.again()
		if b.fit > fit {
			early, now, fit = b.early, b.now, b.fit
			copy(cards, b.cards)
			copy(slots, b.slots)
		}
	}
	b.early, b.now, b.fit = early, now, fit
	copy(b.cards, cards)
	copy(b.slots, slots)
	for range burn {
		b.step()
	}
}

func defaultPlan(players int) plan {
	return plan{Rollouts: 1000, Burn: 300, Steps: 10, Share: 2, Starts: 16, Explore: 0.3, Keep: 12, Believe: true}
}

func houseModel(players int) *model {
	return &model{slip: 0.1, heat: 0.3, blur: 0.1, odd: 0.05, seen: 2, excess: -4}
}
