package core

import (
	"encoding/binary"
	"math/bits"

	"paladin/game/paladin"
)

// Sizes.
const (
	Kinds      = 2 * (paladin.MaxValue + 1) // different cards
	MaxPlayers = paladin.MaxPlayers
	MaxHand    = MaxPlayers + 1
	handBytes  = 8 // what a hand takes: one machine word
	Cards      = paladin.PaladinCards
	Quests     = paladin.QuestCards
)

// None is no seat.
const None = 0xff

// A Move is what the seat to act does. Of its kinds, Start uses A for the seat that begins, Place A for the card and B for
// the quest, Peek A for the quest and B for the place.
type Move struct {
	Kind paladin.MoveKind
	A, B uint8
}

// A Slot is a card that was placed this round.
type Slot struct {
	Card    uint8
	Seat    uint8
	Peekers uint8 // a bit for each seat that has looked
}

// A Spot is a place on a quest.
type Spot struct{ Quest, Place uint8 }

// A Discard is a card of the discard pile.
type Discard struct {
	Card  uint8
	Known uint8 // a bit for each seat that knows which card it is
}

// A State is a game between two moves. It is a value: a copy is independent of the original.
type State struct {
	Players, Round, Rounds  uint8
	Phase                   paladin.Phase
	ToAct                   uint8 // None after the end
	Dealer, Starter         uint8 // Starter is None until named
	Peeked                  bool  // the seat to act has peeked this turn
	Quest, Leader, Deciding uint8 // PhaseResolve: the quest, the place of its leading Paladin, the place of the card that is decided about
	Placed                  uint8 // cards placed this round
	SupplyLen, PileLen      uint8

	Honour  [MaxPlayers]uint8
	HandLen [MaxPlayers]uint8
	Has     [MaxPlayers]uint8             // by seat: a bit for each quest on which it has placed this round
	OnQuest [MaxPlayers]uint8             // cards placed on each quest this round
	WonBy   [MaxPlayers]uint8             // by quest of the row; None before
	Hands   [MaxPlayers][handBytes]uint8  // sorted; what is beyond HandLen is filler
	Order   [MaxPlayers * MaxPlayers]Spot // where the cards of this round were placed, in order
	Table   [MaxPlayers][MaxPlayers]Slot  // by quest and place, gone cards included
	Stack   [Quests]uint8                 // honours, top first
	Kept    [Kinds]uint8                  // how many of each card are kept with quests
	Supply  [Cards]uint8                  // the top is the last one
	Pile    [Cards]Discard                // in the order in which cards reached it
}

// wins[c] has a bit for each card that c beats (R13).
var wins = func() (w [Kinds]uint32) {
	for c := range paladin.Card(Kinds) {
		for d := range paladin.Card(Kinds) {
			if c.Beats(d) {
				w[c] |= 1 << d
			}
		}
	}
	return w
}()

// Beats says whether c defeats the leading Paladin (R13).
func Beats(c, leader uint8) bool { return wins[c]>>leader&1 == 1 }

// New deals the first round. Supply and quests are in their shuffled order, the top card first.
func New(players int, supply *[Cards]uint8, quests *[Quests]uint8, r *Rand) State {
	s := State{Players: uint8(players), Rounds: uint8(Quests / players), SupplyLen: Cards, Stack: *quests}
	for i, c := range supply {
		s.Supply[Cards-1-i] = c
	}
	for seat := range uint8(MaxPlayers) {
		s.Clear(seat)
	}
	s.deal(0, r)
	return s
}

// Row is the honours of the quests of this round.
func (s *State) Row() []uint8 { return s.Stack[(s.Round-1)*s.Players:][:s.Players] }

// Hand is the hand of a seat, sorted.
func (s *State) Hand(seat uint8) []uint8 { return s.Hands[seat][:s.HandLen[seat]] }

// Over says whether the game has ended.
func (s *State) Over() bool { return s.Phase == paladin.PhaseOver }

// A hand is a machine word with a card in each byte, the lowest first, and filler, which is above every card, in the rest.
const (
	filler    = 0x7f7f7f7f7f7f7f7f
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// A word is a hand as a number. No byte of it has its high bit set, so that in subtractions none borrows from the next.
type word uint64

func (s *State) word(seat uint8) word { return word(binary.LittleEndian.Uint64(s.Hands[seat][:])) }

func (s *State) setWord(seat uint8, h word) {
	binary.LittleEndian.PutUint64(s.Hands[seat][:], uint64(h))
}

// above is the number of bits below the first card that is not less than c.
func (h word) above(c uint8) int {
	return bits.TrailingZeros64(((uint64(h)|highBits)-everyByte*uint64(c))&highBits) &^ 7
}

// with is the hand with one card more.
func (h word) with(c uint8) word {
	at := h.above(c)
	below := word(1)<<at - 1
	return h&below | word(c)<<at | (h&^below)<<8
}

// without is the hand without the card that so many bits lie below.
func (h word) without(at int) word {
	below := word(1)<<(at&63) - 1
	return h&below | (h>>8|0x7f<<56)&^below
}

// Draw gives seat a card.
func (s *State) Draw(seat, c uint8) {
	s.setWord(seat, s.word(seat).with(c))
	s.HandLen[seat]++
}

// Drop takes a card out of the hand of seat, which holds it.
func (s *State) Drop(seat, c uint8) {
	h := s.word(seat)
	s.setWord(seat, h.without(h.above(c)))
	s.HandLen[seat]--
}

// Clear empties the hand of seat.
func (s *State) Clear(seat uint8) {
	s.setWord(seat, filler)
	s.HandLen[seat] = 0
}

// open has a bit for each quest on which the seat to act can place now (R8, R9).
func (s *State) open() uint8 {
	all := uint8(1)<<s.Players - 1
	if s.Phase == paladin.PhasePlace {
		return all &^ s.Has[s.ToAct]
	}
	for quest, n := range s.OnQuest[:s.Players] {
		if n > 0 {
			all &^= 1 << quest
		}
	}
	return all
}

// beats says whether the card that is decided about would defeat the leading Paladin.
func (s *State) beats() bool {
	q := &s.Table[s.Quest]
	return Beats(q[s.Deciding].Card, q[s.Leader].Card)
}

// AppendLegal appends every legal move once, in the order of [paladin.State.Legal].
func (s *State) AppendLegal(dst []Move) []Move {
	switch s.Phase {
	case paladin.PhaseStart:
		for seat := range s.Players {
			dst = append(dst, Move{Kind: paladin.Start, A: seat})
		}
	case paladin.PhasePlace:
		if !s.Peeked {
			for quest := range s.Players {
				for place := range s.OnQuest[quest] {
					if s.Table[quest][place].Seat != s.ToAct {
						dst = append(dst, Move{Kind: paladin.Peek, A: quest, B: place})
					}
				}
			}
		}
		dst = s.appendPlaces(dst)
	case paladin.PhaseLead:
		dst = s.appendPlaces(dst)
	case paladin.PhaseResolve:
		if s.beats() {
			dst = append(dst, Move{Kind: paladin.Beat})
		}
		dst = append(dst, Move{Kind: paladin.Discard}, Move{Kind: paladin.Take})
	}
	return dst
}

func (s *State) appendPlaces(dst []Move) []Move {
	open, hand := s.open(), s.Hand(s.ToAct)
	for i, c := range hand {
		if i > 0 && c == hand[i-1] {
			continue
		}
		for left := open; left != 0; left &= left - 1 {
			dst = append(dst, Move{Kind: paladin.Place, A: c, B: uint8(bits.TrailingZeros8(left))})
		}
	}
	return dst
}

// InRules is a move of the seat to act as the rules know it.
func (s *State) InRules(m Move) paladin.Move {
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

// Random is a legal move, each as likely as the others. There is none after the end.
func (s *State) Random(r *Rand) Move {
	switch s.Phase {
	case paladin.PhaseStart:
		return Move{Kind: paladin.Start, A: uint8(r.Below(int(s.Players)))}
	case paladin.PhaseResolve:
		if s.beats() {
			return Move{Kind: paladin.Beat + paladin.MoveKind(r.Below(3))}
		}
		return Move{Kind: paladin.Take + paladin.MoveKind(r.Below(2))}
	}
	if s.Phase == paladin.PhasePlace && !s.Peeked {
		return s.randomTurn(r, s.open(), int(s.Placed))
	}
	return s.randomTurn(r, s.open(), 0)
}

// randomTurn is a random peek, if peeks are counted, or placing. What is not legal, or named twice, is drawn and rejected.
func (s *State) randomTurn(r *Rand, open uint8, peeks int) Move {
	seat := s.ToAct
	hand := &s.Hands[seat]
	quests := bits.OnesCount8(open)
	all := peeks + int(s.HandLen[seat])*quests
	for {
		k := r.Below(all)
		if k < peeks {
			at := s.Order[k]
			if s.Table[at.Quest][at.Place].Seat != seat {
				return Move{Kind: paladin.Peek, A: at.Quest, B: at.Place}
			}
			continue
		}
		k -= peeks
		card := k * oneIn[quests] >> 16
		if card == 0 || hand[card&7] != hand[card-1] {
			return Move{Kind: paladin.Place, A: hand[card&7], B: nth[open&31][k-card*quests]}
		}
	}
}

// oneIn[n] times k, over 2^16, is k/n for all k below 64.
var oneIn = [MaxPlayers + 1]int{0, 1 << 16, 1<<15 + 1, 1<<16/3 + 1, 1<<14 + 1, 1<<16/5 + 1}

// nth[set][n] is the n-th bit of a set.
var nth = func() (t [1 << MaxPlayers][MaxPlayers]uint8) {
	for set := range t {
		n := 0
		for bit := range uint8(MaxPlayers) {
			if set>>bit&1 == 1 {
				t[set][n] = bit
				n++
			}
		}
	}
	return t
}()
