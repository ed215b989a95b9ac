package paladin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// snapshotVersion is the version of stored that this program writes.
const snapshotVersion = 1

// stored is a State as it is kept in a database. Live games outlive the program that wrote them, so this type changes by
// its own rule and not with State:
//
//   - No field ever changes its meaning, its name or its spelling, and none is removed, while its version can be read.
//   - A field may be added to a version if it is left out when zero, and zero means what was so before there was that field.
//   - Everything else is a new version: a new type beside this one, and this one is read, and turned into a State, as long
//     as a game of its version can be alive.
//   - A version that this program does not know is refused; nothing is guessed.
//   - testdata/snapshots holds states as this version wrote them. Those files are added to and never rewritten.
//
// A card is one character: its value, as a digit if it is black and as a letter from a to j if it is red. Seats, rounds,
// quests and places count from 1. What follows from these facts is worked out anew (see State.derive).
type stored struct {
	Version    int       `json:"v"`
	Players    int       `json:"players"`
	Deck       *Deck     `json:"deck,omitempty"`       // left out for the house deck
	Key        string    `json:"key,omitempty"`        // of the shuffles to come (R20), in hexadecimal; left out if they are listed
	Reshuffles *[]string `json:"reshuffles,omitempty"` // the listed ones
	Round      int       `json:"round"`
	Dealer     int       `json:"dealer"`
	Start      int       `json:"start"`            // 0 until named
	Peeked     bool      `json:"peeked,omitempty"` // this turn
	Quests     string    `json:"quests"`           // a digit each, as stacked at the start, top first
	Supply     string    `json:"supply"`           // cards, top first
	Hands      []string  `json:"hands"`            // cards, sorted
	Placed     []string  `json:"placed"`           // by round: quests with a space between, and for each card seat, card, fate
	Peeks      string    `json:"peeks"`            // for each peek seat, round, quest, place
	Shuffled   int       `json:"shuffled"`         // reshuffles so far
	ShuffledAt int       `json:"shuffled_at"`      // the round whose deal made the last one; 0 before
}

// The characters of cards and of fates, by their number.
const (
	cardCodes = "0a1b2c3d4e5f6g7h8i9j"
	fateCodes = " tlbkhd" // on the table, leading, beaten, kept, in the hand again, discarded
)

// MarshalJSON writes the stored form of the state, less than 1.5 KB if the deck is the house deck and reshuffles are not
// listed. The zero State has none.
func (s State) MarshalJSON() ([]byte, error) {
	if s.players == 0 {
		return nil, errors.New("paladin: no game to store")
	}
	out := stored{
		Version: snapshotVersion, Players: s.Players(), Round: s.Round(), Dealer: s.Dealer().Number(),
		Start: Seat(s.starter).Number(), Peeked: s.peeked, Shuffled: int(s.shuffled), ShuffledAt: int(s.shuffleAt),
	}
	if !s.deck.IsHouse() {
		out.Deck = &s.deck
	}
	if s.chance.listed {
		lists := []string{}
		for _, list := range s.chance.lists {
			lists = append(lists, encodeCards(list))
		}
		out.Reshuffles = &lists
	} else {
		out.Key = hex.EncodeToString(s.chance.key[:])
	}
	for _, honour := range s.stack {
		out.Quests += string('0' + rune(honour))
	}
	supply := []byte(encodeCards(s.supply[:s.supplyLen]))
	for i, j := 0, len(supply)-1; i < j; i, j = i+1, j-1 {
		supply[i], supply[j] = supply[j], supply[i]
	}
	out.Supply = string(supply)
	for seat := range Seat(s.players) {
		out.Hands = append(out.Hands, encodeCards(s.hand(seat)))
	}
	for round := range s.round {
		out.Placed = append(out.Placed, s.encodeRound(round))
	}
	var peeks strings.Builder
	for _, look := range s.peeks[:s.peekLen] {
		round, quest, place := s.where(look.at)
		fmt.Fprintf(&peeks, "%d%d%d%d", look.seat+1, round, quest, place)
	}
	out.Peeks = peeks.String()
	return json.Marshal(out)
}

func encodeCards(cards []Card) string {
	text := make([]byte, len(cards))
	for i, c := range cards {
		text[i] = encodeCard(c)
	}
	return string(text)
}

func encodeCard(c Card) byte {
	if c >= cardKinds {
		return '?'
	}
	return cardCodes[c]
}

// encodeRound counts rounds from 0.
func (s *State) encodeRound(round uint8) string {
	var text []byte
	n := s.players
	for quest := range n {
		if quest > 0 {
			text = append(text, ' ')
		}
		first := (round*n + quest) * n
		for _, c := range s.placed[first : first+n] {
			if c.fate != 0 {
				text = append(text, '1'+c.seat, encodeCard(c.card), fateCodes[c.fate])
			}
		}
	}
	return string(text)
}

// UnmarshalJSON reads the stored form. It refuses everything that is not a state which can be played on: what another
// version wrote, what breaks R18, and what is not written exactly as MarshalJSON does. s stays as it is then.
func (s *State) UnmarshalJSON(data []byte) error {
	next, err := decodeState(data)
	if err != nil {
		return fmt.Errorf("paladin: stored game: %w", err)
	}
	*s = next
	return nil
}

func decodeState(data []byte) (State, error) {
	var version struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return State{}, err
	}
	if version.Version != snapshotVersion {
		return State{}, fmt.Errorf("version %d is not known here, only %d is", version.Version, snapshotVersion)
	}
	var in stored
	if err := json.Unmarshal(data, &in); err != nil {
		return State{}, err
	}
	s, err := in.state()
	if err != nil {
		return State{}, err
	}
	if s.derived, err = s.derive(); err != nil {
		return State{}, err
	}
	if err := s.Check(); err != nil {
		return State{}, err
	}
	// One state has one text. That refuses unknown, doubled and misspelt keys all at once.
	again, err := s.MarshalJSON()
	if err != nil {
		return State{}, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return State{}, err
	}
	if !bytes.Equal(again, compact.Bytes()) {
		return State{}, errors.New("it is not written as it should be")
	}
	return s, nil
}

// state is the State without what is derived, and not yet checked.
func (in *stored) state() (State, error) {
	s := State{deck: HouseDeck(), peeked: in.Peeked}
	if in.Deck != nil {
		s.deck = *in.Deck
	}
	if in.Players < MinPlayers || in.Players > MaxPlayers {
		return State{}, fmt.Errorf("%d players", in.Players)
	}
	s.players = uint8(in.Players)
	if in.Round < 1 || in.Round > s.Rounds() || in.Dealer < 1 || in.Dealer > in.Players || in.Start < 0 || in.Start > in.Players {
		return State{}, errors.New("a number that is too small or too large")
	}
	s.round, s.dealer, s.starter = uint8(in.Round), int8(in.Dealer-1), int8(in.Start-1)
	if in.Shuffled < 0 || in.Shuffled > maxReshuffles || in.ShuffledAt < 0 || in.ShuffledAt > in.Round {
		return State{}, errors.New("a number of reshuffles that cannot be")
	}
	s.shuffled, s.shuffleAt = uint8(in.Shuffled), uint8(in.ShuffledAt)
	if err := in.decodeChance(&s); err != nil {
		return State{}, err
	}
	if err := in.decodeCards(&s); err != nil {
		return State{}, err
	}
	if len(in.Placed) != in.Round {
		return State{}, errors.New("a round is missing")
	}
	for round, text := range in.Placed {
		if err := s.decodeRound(uint8(round), text); err != nil {
			return State{}, err
		}
	}
	return s, in.decodePeeks(&s)
}

func (in *stored) decodeChance(s *State) error {
	if (in.Key == "") == (in.Reshuffles == nil) {
		return errors.New("either the key of the shuffles or a list of them belongs to it")
	}
	if in.Reshuffles == nil {
		return parseHex32(in.Key, &s.chance.key)
	}
	s.chance.listed = true
	if len(*in.Reshuffles) > maxReshuffles {
		return errors.New("more reshuffles than can be")
	}
	for _, text := range *in.Reshuffles {
		list := make([]Card, len(text))
		if !decodeCards(text, list) {
			return errors.New("a card that there is not")
		}
		s.chance.lists = append(s.chance.lists, list)
	}
	return nil
}

func (in *stored) decodeCards(s *State) error {
	if len(in.Quests) != QuestCards || len(in.Supply) > PaladinCards || len(in.Hands) != in.Players {
		return errors.New("too few or too many quests, cards or hands")
	}
	for i := range s.stack {
		honour := in.Quests[i] - '0'
		if honour < 1 || honour > MaxHonour {
			return errors.New("a quest that there is not")
		}
		s.stack[i] = honour
	}
	wrong := errors.New("a card that there is not")
	supply := s.supply[:len(in.Supply)]
	if !decodeCards(in.Supply, supply) {
		return wrong
	}
	for i, j := 0, len(supply)-1; i < j; i, j = i+1, j-1 {
		supply[i], supply[j] = supply[j], supply[i]
	}
	s.supplyLen = uint8(len(supply))
	for seat, text := range in.Hands {
		if len(text) > maxHand || !decodeCards(text, s.hands[seat][:len(text)]) {
			return wrong
		}
		s.handLen[seat] = uint8(len(text))
	}
	return nil
}

// decodeCards fills cards, of which there are as many as text has bytes.
func decodeCards(text string, cards []Card) bool {
	for i := range text {
		code := strings.IndexByte(cardCodes, text[i])
		if code < 0 {
			return false
		}
		cards[i] = Card(code)
	}
	return true
}

// decodeRound counts rounds from 0.
func (s *State) decodeRound(round uint8, text string) error {
	n := int(s.players)
	quests := strings.Split(text, " ")
	if len(quests) != n {
		return errors.New("a round with too few or too many quests")
	}
	for quest, cards := range quests {
		if len(cards)%3 != 0 || len(cards) > 3*n {
			return errors.New("a quest with too few or too many cards")
		}
		for i := 0; i < len(cards); i += 3 {
			var card [1]Card
			fate := strings.IndexByte(fateCodes, cards[i+2])
			if cards[i] < '1' || int(cards[i]-'0') > n || !decodeCards(cards[i+1:i+2], card[:]) || fate < int(FateOnTable) {
				return errors.New("a placed card that there is not")
			}
			s.placed[(int(round)*n+quest)*n+i/3] = placedCard{card: card[0], seat: cards[i] - '1', fate: Fate(fate)}
		}
	}
	return nil
}

func (in *stored) decodePeeks(s *State) error {
	n := in.Players
	wrong := errors.New("a peek that cannot be")
	if len(in.Peeks)%4 != 0 || len(in.Peeks) > 4*maxPeeks {
		return wrong
	}
	for i := 0; i < len(in.Peeks); i += 4 {
		seat, round, quest, place := int(in.Peeks[i])-'0', int(in.Peeks[i+1])-'0', int(in.Peeks[i+2])-'0', int(in.Peeks[i+3])-'0'
		if seat < 1 || seat > n || round < 1 || round > in.Round || quest < 1 || quest > n || place < 1 || place > n {
			return wrong
		}
		at := ((round-1)*n+quest-1)*n + place - 1
		s.peeks[s.peekLen] = peek{seat: uint8(seat - 1), at: uint8(at)}
		s.peekLen++
		s.placed[at].peekers |= 1 << (seat - 1)
	}
	return nil
}
