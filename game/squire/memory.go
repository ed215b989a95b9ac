package squire

import (
	"paladin/game/paladin"
	"paladin/game/squire/core"
)

// unknown stands for a card that the seat does not know.
const unknown = 0xff

// A memory is a view as a search needs it: all that the seat knows of the game so far, past rounds included, with
// seats, rounds, quests and places counted from 0.
type memory struct {
	players, round, rounds uint8
	me                     uint8
	phase                  paladin.Phase
	dealer, starter        uint8 // starter is core.None until named
	peeked                 bool
	quest, deciding        uint8 // while resolving
	deck                   [core.Kinds]int8
	honour                 [core.MaxPlayers]uint8
	hand                   []uint8
	row                    [core.MaxPlayers]uint8
	placed                 [core.Quests / paladin.MinPlayers][core.MaxPlayers][core.MaxPlayers]placed
	peeks                  []glance // of this round, in order
	shuffled               uint8    // the round, from 1, whose deal made the last reshuffle; 0 before
	supply                 uint8
}

// placed is a card that was placed at some time.
type placed struct {
	card    uint8 // unknown, if so
	seat    uint8
	fate    paladin.Fate // 0: no card was placed there
	peekers uint8
}

// A glance is a peek.
type glance struct{ seat, quest, place uint8 }

// remember makes the memory of a view.
func remember(v *paladin.View) *memory {
	m := &memory{
		players: uint8(v.Players), round: uint8(v.Round - 1), rounds: uint8(v.Rounds), me: uint8(v.Seat), phase: v.Phase,
		dealer: uint8(v.Dealer), starter: core.None, peeked: v.PeekUsed, shuffled: uint8(v.ReshuffledIn()), supply: uint8(v.Supply),
	}
	if v.Start != paladin.NoSeat {
		m.starter = uint8(v.Start)
	}
	if v.Phase == paladin.PhaseResolve {
		m.quest, m.deciding = uint8(v.Resolving-1), uint8(v.Deciding-1)
	}
	deck := v.Deck()
	for _, c := range deck.Paladins() {
		m.deck[c]++
	}
	for _, c := range v.Hand {
		m.hand = append(m.hand, uint8(c))
	}
	for seat, s := range v.Seats {
		m.honour[seat] = uint8(s.Honour)
	}
	for i, q := range v.Row {
		m.row[i] = uint8(q.Honour)
	}
	m.recall(v)
	return m
}

// recall puts in the cards that were placed, and the peeks.
func (m *memory) recall(v *paladin.View) {
	for _, c := range v.Past() {
		p := &m.placed[c.Round-1][c.Quest-1][c.Place-1]
		*p = placed{card: unknown, seat: uint8(c.Owner), fate: c.Fate}
		if c.Known {
			p.card = uint8(c.Card)
		}
		for _, seat := range c.PeekedBy {
			p.peekers |= 1 << seat
		}
	}
	for _, p := range v.Peeks {
		if p.Round == v.Round {
			m.peeks = append(m.peeks, glance{uint8(p.Seat), uint8(p.Quest - 1), uint8(p.Place - 1)})
		}
	}
}

// table is the cards of this round.
func (m *memory) table() *[core.MaxPlayers][core.MaxPlayers]placed { return &m.placed[m.round] }

// sketch is the position in the compact form. Cards that the seat does not know are 0, and so is the supply.
func (m *memory) sketch() core.State {
	s := core.State{
		Players: m.players, Round: m.round + 1, Rounds: m.rounds, Phase: m.phase, ToAct: m.me, Dealer: m.dealer,
		Starter: m.starter, Peeked: m.peeked, Quest: m.quest, Deciding: m.deciding, SupplyLen: m.supply,
		Honour: m.honour, WonBy: [core.MaxPlayers]uint8{core.None, core.None, core.None, core.None, core.None},
	}
	copy(s.Stack[m.round*m.players:], m.row[:m.players])
	for seat := range m.players {
		s.Clear(seat)
		s.HandLen[seat] = m.players + 1
	}
	s.HandLen[m.me] = 0
	for _, c := range m.hand {
		s.Draw(m.me, c)
	}
	for quest := range m.players {
		for place, p := range m.table()[quest][:m.players] {
			if p.fate == 0 {
				break
			}
			card := p.card
			if card == unknown {
				card = 0
			}
			s.Table[quest][place] = core.Slot{Card: card, Seat: p.seat, Peekers: p.peekers}
			s.OnQuest[quest]++
			s.Placed++
			s.Has[p.seat] |= 1 << quest
			if p.seat != m.me && p.fate != paladin.FateTakenBack {
				s.HandLen[p.seat]--
			}
			switch p.fate {
			case paladin.FateLeading:
				s.Leader = uint8(place)
			case paladin.FateKept:
				s.WonBy[quest] = p.seat
			}
		}
	}
	m.sketchPast(&s, m.round+1)
	return s
}

// sketchPast fills in the kept cards and the discard pile, whose order does not matter to a search, of the first rounds.
func (m *memory) sketchPast(s *core.State, rounds uint8) {
	for round := range rounds {
		for quest := range m.players {
			for _, p := range m.placed[round][quest][:m.players] {
				d := core.Discard{Card: p.card, Known: p.peekers | 1<<p.seat}
				switch p.fate {
				case paladin.FateKept:
					s.Kept[p.card]++
					continue
				case paladin.FateBeaten:
					d.Known = 0xff
				case paladin.FateDiscarded:
				default:
					continue
				}
				if round+1 < m.shuffled {
					continue
				}
				if d.Card == unknown {
					d.Card = 0
				}
				s.Pile[s.PileLen] = d
				s.PileLen++
			}
		}
	}
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
