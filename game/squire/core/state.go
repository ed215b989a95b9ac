package core

import (
	"math/bits"

	"paladin/game/paladin"
)

// Sizes.
const (
	Kinds      = 2 * (paladin.MaxValue + 1) // different cards
	MaxPlayers = paladin.MaxPlayers
	MaxHand    = MaxPlayers + 1
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
	Shuffled                uint8 // reshuffles so far
	SupplyLen, PileLen      uint8

	Honour  [MaxPlayers]uint8
	HandLen [MaxPlayers]uint8
	Has     [MaxPlayers]uint8 // by seat: a bit for each quest on which it has placed this round
	OnQuest [MaxPlayers]uint8 // cards placed on each quest this round
	WonBy   [MaxPlayers]uint8 // by quest of the row; None before
	Hands   [MaxPlayers][MaxHand]uint8
	Table   [MaxPlayers][MaxPlayers]Slot // by quest and place, gone cards included
	Stack   [Quests]uint8                // honours, top first
	Kept    [Kinds]uint8                 // how many of each card are kept with quests
	Supply  [Cards]uint8                 // the top is the last one
	Pile    [Cards]Discard               // in the order in which cards reached it
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
	s.deal(0, r)
	return s
}

// Row is the honours of the quests of this round.
func (s *State) Row() []uint8 { return s.Stack[(s.Round-1)*s.Players:][:s.Players] }

// Hand is the hand of a seat, sorted.
func (s *State) Hand(seat uint8) []uint8 { return s.Hands[seat][:s.HandLen[seat]] }

// Over says whether the game has ended.
func (s *State) Over() bool { return s.Phase == paladin.PhaseOver }

// Draw gives seat a card.
func (s *State) Draw(seat, c uint8) {
	h := &s.Hands[seat]
	i := s.HandLen[seat]
	s.HandLen[seat]++
	for ; i > 0 && h[i-1] > c; i-- {
		h[i] = h[i-1]
	}
	h[i] = c
}

// Drop takes a card out of the hand of seat, which holds it.
func (s *State) Drop(seat, c uint8) {
	h := &s.Hands[seat]
	s.HandLen[seat]--
	n := s.HandLen[seat]
	i := uint8(0)
	for h[i] != c {
		i++
	}
	for ; i < n; i++ {
		h[i] = h[i+1]
	}
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
	seat := s.ToAct
	hand, open := s.Hand(seat), s.open()
	quests, cards, peeks := bits.OnesCount8(open), 1, 0
	for i := 1; i < len(hand); i++ {
		if hand[i] != hand[i-1] {
			cards++
		}
	}
	if s.Phase == paladin.PhasePlace && !s.Peeked {
		peeks = int(s.Placed) - bits.OnesCount8(s.Has[seat])
	}
	k := r.Below(peeks + cards*quests)
	if k < peeks {
		return s.otherCard(k)
	}
	k -= peeks
	card := k / quests
	for k %= quests; k > 0; k-- {
		open &= open - 1
	}
	i := 0
	for ; card > 0; card-- {
		for i++; hand[i] == hand[i-1]; i++ {
		}
	}
	return Move{Kind: paladin.Place, A: hand[i], B: uint8(bits.TrailingZeros8(open))}
}

// otherCard is a peek at the k-th card on the table that is not the own one.
func (s *State) otherCard(k int) Move {
	for quest := range s.Players {
		n := int(s.OnQuest[quest]) - int(s.Has[s.ToAct]>>quest&1)
		if k >= n {
			k -= n
			continue
		}
		for place := range s.OnQuest[quest] {
			if s.Table[quest][place].Seat == s.ToAct {
				continue
			}
			if k == 0 {
				return Move{Kind: paladin.Peek, A: quest, B: place}
			}
			k--
		}
	}
	panic("core: fewer cards on the table than counted")
}
