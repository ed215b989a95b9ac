package squire

import (
	"encoding/json"
	"fmt"
	"strings"

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
	coming                 [2][paladin.MaxHonour + 1]uint8 // by deck and honour: quests not turned up yet
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

// story is what the stored form of a game tells of its past. What is public of the past stands in no other form that can
// be read; the rest of it is not looked at.
type story struct {
	Placed     []string `json:"placed"`
	Peeks      string   `json:"peeks"`
	ShuffledAt int      `json:"shuffled_at"`
}

// remember makes the memory of a view. The view is dealt anew for it, so that what it cannot know has no part in it: below
// only chooses what is then ignored.
func remember(v *paladin.View) (*memory, error) {
	state := v.Redeal(func(int) int { return 0 })
	data, err := state.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var past story
	if err := json.Unmarshal(data, &past); err != nil {
		return nil, err
	}
	m := &memory{
		players: uint8(v.Players), round: uint8(v.Round - 1), rounds: uint8(v.Rounds), me: uint8(v.Seat), phase: v.Phase,
		dealer: uint8(v.Dealer), starter: core.None, peeked: v.PeekUsed, shuffled: uint8(past.ShuffledAt), supply: uint8(v.Supply),
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
	if err := m.recall(&past); err != nil {
		return nil, err
	}
	m.recognise(v)
	m.count(deck, v)
	return m, nil
}

// recall reads the past: who placed where, what became of it, who peeked. Of its cards only the seat's own are taken, for
// what others hold in it is made up.
func (m *memory) recall(past *story) error {
	fates := map[byte]paladin.Fate{
		't': paladin.FateOnTable, 'l': paladin.FateLeading, 'b': paladin.FateBeaten, 'k': paladin.FateKept,
		'h': paladin.FateTakenBack, 'd': paladin.FateDiscarded,
	}
	for round, text := range past.Placed {
		quest, place := 0, 0
		for i := 0; i < len(text); {
			if text[i] == ' ' {
				quest, place, i = quest+1, 0, i+1
				continue
			}
			p := placed{card: unknown, seat: text[i] - '1', fate: fates[text[i+2]]}
			if p.seat == m.me {
				p.card = uint8(strings.IndexByte("0a1b2c3d4e5f6g7h8i9j", text[i+1]))
			}
			m.placed[round][quest][place] = p
			place, i = place+1, i+3
		}
	}
	if len(past.Peeks)%4 != 0 {
		return fmt.Errorf("squire: peeks %q cannot be read", past.Peeks)
	}
	for text := past.Peeks; text != ""; text = text[4:] {
		seat, round, quest, place := text[0]-'1', text[1]-'1', text[2]-'1', text[3]-'1'
		m.placed[round][quest][place].peekers |= 1 << seat
		if round == m.round {
			m.peeks = append(m.peeks, glance{seat, quest, place})
		}
	}
	return nil
}

// recognise puts in the cards that the seat knows.
func (m *memory) recognise(v *paladin.View) {
	know := func(round, quest, place int, c paladin.Card) { m.placed[round-1][quest-1][place-1].card = uint8(c) }
	for _, list := range [][]paladin.KnownCard{v.Placed, v.Discards, v.Peeked} {
		for _, k := range list {
			know(k.Round, k.Quest, k.Place, k.Card)
		}
	}
	for i := range v.Row {
		for _, c := range v.Row[i].Cards {
			if card, shown := c.Card.Card(); shown {
				know(v.Round, i+1, c.Place, card)
			}
		}
	}
	for _, d := range v.Public.Discards {
		if card, shown := d.Card.Card(); shown {
			know(d.Round, d.Quest, d.Place, card)
		}
	}
	for _, s := range v.Seats {
		for _, k := range s.Kept {
			card, _ := k.Card.Card()
			for place, p := range m.placed[k.Round-1][k.Quest-1] {
				if p.fate == paladin.FateKept {
					know(k.Round, k.Quest, place+1, card)
				}
			}
		}
	}
}

// count works out which quests are to come.
func (m *memory) count(deck paladin.Deck, v *paladin.View) {
	for i, honour := range deck.Quests() {
		m.coming[i/paladin.QueenQuests][honour]++
	}
	for _, s := range v.Seats {
		for _, k := range s.Kept {
			if k.Round < v.Round {
				m.coming[m.half(k.Round-1, k.Quest-1)][k.Honour]--
			}
		}
	}
	for i := range v.Row {
		m.coming[m.half(v.Round-1, i)][v.Row[i].Honour]--
	}
}

// half is 0 for the Queen's quests and 1 for the King's.
func (m *memory) half(round, quest int) int {
	if round*int(m.players)+quest < paladin.QueenQuests {
		return 0
	}
	return 1
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
