package squire

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"paladin/game/paladin"
	"paladin/game/portable"
	"paladin/game/squire/core"
)

// A budget is how a search spends its effort.
type budget struct {
	Rollouts int // play-outs in all
	Starts   int // deals of which the chain begins with the likeliest
	Burn     int // steps of the chain before the first deal
	Steps    int // steps of the chain between two deals
	Keep     int // most moves of the root that are tried
	Widen    int // visits of a node below the root for each further move that it tries; 0: no tree
	Explore  float64
	Believe  bool
	Peeks    bool // search for peeks too
}

// budgetFor is the budget for that many play-outs, or for the usual number if it is 0.
func budgetFor(players, rollouts int) budget {
	p := budget{Keep: 12, Widen: 10, Explore: 0.2, Believe: true, Peeks: true}
	p.Rollouts = [...]int{3: 1200, 4: 1000, 5: 700}[players]
	p.Steps = [...]int{3: 12, 4: 10, 5: 6}[players]
	if rollouts > 0 {
		p.Rollouts = rollouts
	}
	p.Starts, p.Burn = min(16, 2+p.Rollouts/20), p.Rollouts/2
	return p
}

// A search chooses the move of a seat by information set Monte Carlo tree search.
//
// Each iteration takes a new deal from the belief, so nothing hidden is ever fixed to one value, least of all to the true
// one. It goes down a tree whose nodes are what this seat will know when it is to act: the others move by the rules of
// thumb from what they would know in that deal, and are no nodes. Where the tree ends everybody plays by the rules of
// thumb to the end of the round, which is judged by a table.
//
// At the root the candidates are tried on the same deals, and the worse half is dropped again and again; below it moves
// open up one by one as visits come in, the one of the rules of thumb first, and are chosen by upper confidence bounds.
type search struct {
	m      *memory
	k      *quick
	r      *core.Rand
	belief *belief
	worth  *worthTable
	budget *budget
	stop   func() bool
	left   int // play-outs
	tree   map[uint64]*node
	path   []*arm
}

// A node is what the seat knows when it is to act.
type node struct {
	visits int
	arms   []arm
}

// An arm is a move that can be tried.
type arm struct {
	move   core.Move
	visits int
	sum    float64
	thumb  float64 // what the rules of thumb think of it
}

func (a *arm) mean() float64 { return a.sum / float64(max(1, a.visits)) }

// seedOf folds a seed into the start of a fast source.
func seedOf(seed [32]byte) (n uint64) {
	for i := 0; i < len(seed); i += 8 {
		n = mix(n, binary.LittleEndian.Uint64(seed[i:]))
	}
	return n
}

// mix works another number into a hash.
func mix(hash, n uint64) uint64 {
	hash = (hash ^ n) * 0x9e3779b97f4a7c15
	return hash ^ hash>>32
}

// searchMove searches for the move of the seat whose view v is, and which is to act. See [Effort] for stop.
func searchMove(v *paladin.View, seed [32]byte, p *budget, mod *model, stop func() bool) paladin.Move {
	m := remember(v)
	x := &search{
		m: m, k: newQuick(v.Players, v.Deck(), &houseWeights), r: core.NewRand(seedOf(seed)), budget: p, stop: stop,
		worth: worthOf(m.players, m.round), tree: map[uint64]*node{},
	}
	s := m.sketch()
	if m.phase == paladin.PhasePlace && !p.Peeks && !s.Peeked {
		if peek, ok := x.k.peek(&s); ok {
			return s.InRules(peek)
		}
	}
	arms := x.arms(&s)
	places := arms[0].move.Kind == paladin.Place
	if stop != nil && stop() || len(arms) == 1 && !places {
		return s.InRules(arms[0].move)
	}
	// How long it thinks must not tell others how many moves its hidden cards allow: it thinks even where they allow but one.
	if x.left = p.Rollouts; !places {
		x.left /= 2
	}
	x.belief = newBelief(m, x.k, x.r, mod)
	if p.Believe {
		x.belief.warm(p.Starts, p.Burn)
	}
	return s.InRules(x.halve(arms).move)
}

// arms lists the moves that are worth trying in a position, the one of the rules of thumb first.
func (x *search) arms(s *core.State) []arm {
	var list []arm
	switch s.Phase {
	case paladin.PhasePlace, paladin.PhaseLead:
		if s.Phase == paladin.PhasePlace && !s.Peeked {
			if list = x.peeks(s); len(list) > 0 {
				break
			}
		}
		x.k.plan(s)
		for q := range x.k.open {
			for i, card := range x.k.hand {
				if i > 0 && card == x.k.hand[i-1] || math.IsInf(x.k.worth[q][i], -1) {
					continue
				}
				list = append(list, arm{move: core.Move{Kind: paladin.Place, A: card, B: x.k.quests[q]}, thumb: x.k.worth[q][i]})
			}
		}
	default:
		usual := x.k.choose(s, x.r)
		for _, m := range s.AppendLegal(nil) {
			a := arm{move: m}
			if m == usual {
				a.thumb = 1
			}
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b arm) int { return cmp.Compare(b.thumb, a.thumb) })
	return list[:min(len(list), x.budget.Keep)]
}

// peeks lists the peeks that tell something.
func (x *search) peeks(s *core.State) (list []arm) {
	usual, ok := x.k.peek(s)
	if !ok {
		return nil
	}
	for quest := range s.Players {
		for place := range s.OnQuest[quest] {
			if c := &s.Table[quest][place]; c.Seat != s.ToAct && c.Peekers>>s.ToAct&1 == 0 {
				a := arm{move: core.Move{Kind: paladin.Peek, A: quest, B: place}}
				if a.move == usual {
					a.thumb = 1
				}
				list = append(list, a)
			}
		}
	}
	return list
}

// halve tries the arms on the same deals and drops the worse half again and again.
func (x *search) halve(arms []arm) *arm {
	live := make([]*arm, len(arms))
	for i := range arms {
		live[i] = &arms[i]
	}
	rounds := 1
	for n := (len(live) + 1) / 2; n > 1; n = (n + 1) / 2 {
		rounds++
	}
	for ; rounds > 0 && x.left > 0; rounds-- {
		for budget := x.left / rounds; budget > 0; budget -= len(live) {
			if x.stop != nil && x.stop() {
				x.left = 0
				break
			}
			x.deal()
			dice := *x.r
			for _, a := range live {
				*x.r = dice
				a.sum += x.playout(a)
				a.visits++
			}
			x.left -= len(live)
		}
		slices.SortStableFunc(live, func(a, b *arm) int { return cmp.Compare(b.mean(), a.mean()) })
		live = live[:(len(live)+1)/2]
	}
	return live[0]
}

// deal moves the belief on to another deal.
func (x *search) deal() {
	if !x.budget.Believe {
		x.belief.redeal()
		return
	}
	for range x.budget.Steps {
		x.belief.step()
	}
}

// playout plays one arm of the root on the present deal, down the tree and on to the end of the round, and answers with
// what this is worth.
func (x *search) playout(root *arm) float64 {
	s := x.belief.now
	s.Rounds = s.Round // the round is played, and no other dealt
	key := x.act(&s, root.move, 1)
	x.path = x.path[:0]
	for x.budget.Widen > 0 {
		for !s.Over() && s.ToAct != x.m.me {
			key = x.act(&s, x.k.choose(&s, x.r), key)
		}
		if s.Over() {
			break
		}
		at := x.tree[key]
		if at == nil {
			x.tree[key] = &node{}
			break
		}
		if at.visits++; at.visits < x.budget.Widen {
			break
		}
		if at.arms == nil {
			at.arms = x.arms(&s)
		}
		a := x.choose(at)
		x.path = append(x.path, a)
		key = x.act(&s, a.move, key)
	}
	for !s.Over() {
		s.Apply(x.k.choose(&s, x.r), x.r)
	}
	value := x.worth.of(&s, x.m.me)
	for _, a := range x.path {
		a.visits++
		a.sum += value
	}
	return value
}

// act makes a move and works what the seat sees of it into the key, so that positions with the same key are the same to
// the seat. Of others' peeks it takes no notice: they would part what is worth being counted together.
func (x *search) act(s *core.State, m core.Move, key uint64) uint64 {
	mine := s.ToAct == x.m.me
	see := func(what, a, b uint8) { key = mix(key, uint64(what)<<16|uint64(a)<<8|uint64(b)) }
	switch m.Kind {
	case paladin.Place:
		card := m.A
		if !mine {
			card = unknown
		}
		see(uint8(m.Kind), card, m.B)
	case paladin.Peek:
		if mine {
			see(uint8(m.Kind), m.A<<4|m.B, s.Table[m.A][m.B].Card)
		}
	case paladin.Beat:
		see(uint8(m.Kind), s.Table[s.Quest][s.Deciding].Card, 0)
	default:
		see(uint8(m.Kind), m.A, m.B)
	}
	quest, phase := s.Quest, s.Phase
	s.Apply(m, x.r)
	if s.Phase == paladin.PhaseResolve && (phase != s.Phase || quest != s.Quest) {
		see(0xff, s.Table[s.Quest][0].Card, 0)
	}
	return key
}

// choose is the arm to follow at a node below the root.
func (x *search) choose(n *node) *arm {
	open := min(len(n.arms), 1+n.visits/x.budget.Widen)
	best, most := &n.arms[0], math.Inf(-1)
	log := portable.Log(float64(n.visits + 1))
	for i := range n.arms[:open] {
		a := &n.arms[i]
		if a.visits == 0 {
			return a
		}
		if u := a.mean() + float64(x.budget.Explore*math.Sqrt(log/float64(a.visits))); u > most {
			best, most = a, u
		}
	}
	return best
}
