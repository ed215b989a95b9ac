package paladin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// RecordFormat is the "format" of a game record.
const RecordFormat = "paladin-record/1"

// A Record is a game written down: how it was dealt, its moves, and how it ended if it did.
type Record struct {
	players    int
	deal       Deal
	commitment [32]byte // of a seeded deal, as claimed
	moves      []string
	scores     []int // nil if the record has none
	winners    []int // likewise
	extra      members
}

// NewRecord writes down a game that was dealt as deal and has come to final by moves. A finished game's record holds its
// scores and winners; that of another stops early.
func NewRecord(deal Deal, moves []Move, final *State) Record {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = m.String()
	}
	return RecordOf(deal, texts, final)
}

// RecordOf is [NewRecord] of moves as they were written down, which nobody has checked.
func RecordOf(deal Deal, moves []string, final *State) Record {
	r := Record{players: final.Players(), deal: deal, moves: append([]string{}, moves...)}
	if deal.seeded {
		r.commitment = sha256.Sum256(deal.seed[:])
	}
	if final.Over() {
		r.scores, r.winners = final.Scores(), numbers(final.Winners())
	}
	return r
}

// Players is 3, 4 or 5.
func (r *Record) Players() int { return r.players }

// Deal is how the game was dealt.
func (r *Record) Deal() Deal { return r.deal }

// Moves are the moves as written; nobody has checked them.
func (r *Record) Moves() []string { return slices.Clone(r.moves) }

func numbers(seats []Seat) []int {
	list := make([]int, len(seats))
	for i, seat := range seats {
		list[i] = seat.Number()
	}
	return list
}

// A RecordError is a fault of a record: an illegal move, or a key that is wrong.
type RecordError struct {
	Move   int    // from 1; 0 if it is no move that is wrong
	Text   string // the move
	Rule   string // the rule it breaks
	Key    string // the key that is wrong, if it is no move
	Reason string
}

// Error is the fault on one line: `move 17 "2 place 7r 1": R9: reason` or `commitment: reason`.
func (e *RecordError) Error() string {
	if e.Move == 0 {
		return e.Key + ": " + e.Reason
	}
	return fmt.Sprintf("move %d %s: %s: %s", e.Move, quote(e.Text), e.Rule, e.Reason)
}

func keyError(key string, err error) *RecordError { return &RecordError{Key: key, Reason: err.Error()} }

// The keys that a record has a meaning for; all others are kept and ignored.
var recordKeys = [...]string{
	"format", "players", "deck", "seed", "salt", "commitment", "supply", "quests", "reshuffles", "moves", "scores", "winners",
}

// ParseRecord reads a record and checks its keys, not yet the commitment nor the moves. The error is a *[RecordError]
// without a move.
func ParseRecord(data []byte) (Record, error) {
	r, fault := parseRecord(data)
	if fault != nil {
		return Record{}, fault
	}
	return r, nil
}

// parseRecord answers with what it has read before a fault, too.
func parseRecord(data []byte) (Record, *RecordError) {
	var r Record
	keys, err := readObject(data)
	if err != nil {
		return r, keyError("format", err)
	}
	if fault := checkFormat(keys); fault != nil {
		return r, fault
	}
	for _, key := range recordKeys {
		if keys.count(key) > 1 {
			return r, keyError(key, errors.New("stands there twice"))
		}
	}
	if fault := r.readPlayers(keys); fault != nil {
		return r, fault
	}
	if fault := r.readDeal(keys); fault != nil {
		return r, fault
	}
	if fault := r.readGame(keys); fault != nil {
		return r, fault
	}
	for _, m := range keys {
		if !slices.Contains(recordKeys[:], m.key) {
			r.extra = append(r.extra, m)
		}
	}
	return r, nil
}

func checkFormat(keys members) *RecordError {
	raw := keys.find("format")
	if raw == nil {
		return keyError("format", errMissing)
	}
	format, err := readString(raw)
	if err != nil {
		return keyError("format", err)
	}
	if format != RecordFormat {
		return keyError("format", fmt.Errorf("%s is not %q", quote(format), RecordFormat))
	}
	return nil
}

var errMissing = errors.New("is missing")

func (r *Record) readPlayers(keys members) *RecordError {
	raw := keys.find("players")
	if raw == nil {
		return keyError("players", errMissing)
	}
	n, err := readInt(raw)
	if err == nil && (n < MinPlayers || n > MaxPlayers) {
		err = fmt.Errorf("%d players: Paladin is for %d to %d", n, MinPlayers, MaxPlayers)
	}
	if err != nil {
		return keyError("players", err)
	}
	r.players = n
	return nil
}

// readDeal reads the deck and either of the two groups of keys that say how it was shuffled.
func (r *Record) readDeal(keys members) *RecordError {
	deck := HouseDeck()
	if raw := keys.find("deck"); raw != nil {
		var err error
		if deck, err = ParseDeck(raw); err != nil {
			return keyError("deck", err)
		}
	}
	seeded, listed := keys.first("seed", "salt", "commitment"), keys.first("supply", "quests", "reshuffles")
	switch {
	case seeded != "" && listed != "":
		return keyError(listed, fmt.Errorf("a record has either seed, salt and commitment or supply and quests, and this one has %q too", seeded))
	case seeded != "":
		return r.readSeed(keys, deck)
	case listed != "":
		return r.readLists(keys, deck)
	}
	return keyError("seed", errors.New("is missing; a record has either seed, salt and commitment or supply and quests"))
}

// first is the first of these keys that is there, or "".
func (ms members) first(keys ...string) string {
	for _, key := range keys {
		if ms.count(key) > 0 {
			return key
		}
	}
	return ""
}

func (r *Record) readSeed(keys members, deck Deck) *RecordError {
	var texts [3]string
	for i, key := range []string{"seed", "salt", "commitment"} {
		raw := keys.find(key)
		if raw == nil {
			return keyError(key, errMissing)
		}
		var err error
		if texts[i], err = readString(raw); err != nil {
			return keyError(key, err)
		}
	}
	seed, err := ParseSeed(texts[0])
	if err != nil {
		return keyError("seed", err)
	}
	for _, letter := range texts[1] {
		if letter > 0x7f {
			return keyError("salt", fmt.Errorf("%s is not ASCII", quote(texts[1])))
		}
	}
	if err := parseHex32(texts[2], &r.commitment); err != nil {
		return keyError("commitment", err)
	}
	r.deal = SeededDeal(deck, seed, texts[1])
	return nil
}

func (r *Record) readLists(keys members, deck Deck) *RecordError {
	var supply [PaladinCards]Card
	var quests [QuestCards]uint8
	for _, key := range []string{"supply", "quests"} {
		raw := keys.find(key)
		if raw == nil {
			return keyError(key, errMissing)
		}
		var err error
		if key == "supply" {
			err = readCards(raw, supply[:])
			if err == nil && !sameCards(supply[:], deck.paladins[:]) {
				err = errNotDeck
			}
		} else {
			err = readHonours(raw, quests[:])
			if err == nil && !deck.sameQuests(&quests) {
				err = errNotQuests
			}
		}
		if err != nil {
			return keyError(key, err)
		}
	}
	reshuffles, err := readReshuffles(keys.find("reshuffles"))
	if err != nil {
		return keyError("reshuffles", err)
	}
	r.deal = Deal{deck: deck, supply: supply, quests: quests, reshuffles: reshuffles}
	return nil
}

// readReshuffles reads a list of lists. What they hold is checked when it is used: a list that is no list of cards is left
// empty, which no discard pile ever is, and is ignored like any other that is not used.
func readReshuffles(raw json.RawMessage) ([][]Card, error) {
	if raw == nil {
		return nil, nil
	}
	list, err := readList(raw)
	if err != nil {
		return nil, err
	}
	var reshuffles [][]Card
	for _, item := range list {
		if _, err := readList(item); err != nil {
			return nil, err
		}
		cards, err := readCardList(item)
		if err != nil {
			cards = nil
		}
		if len(reshuffles) < maxReshuffles {
			reshuffles = append(reshuffles, cards)
		}
	}
	return reshuffles, nil
}

// readGame reads the moves and the end.
func (r *Record) readGame(keys members) *RecordError {
	raw := keys.find("moves")
	if raw == nil {
		return keyError("moves", errMissing)
	}
	var err error
	if r.moves, err = readStrings(raw); err != nil {
		return keyError("moves", err)
	}
	scores, winners := keys.find("scores"), keys.find("winners")
	if scores != nil {
		if r.scores, err = readInts(scores); err != nil {
			return keyError("scores", err)
		}
	}
	if winners != nil {
		if r.winners, err = readInts(winners); err != nil {
			return keyError("winners", err)
		}
		if scores == nil {
			return keyError("winners", errors.New("there are no scores with them"))
		}
	}
	return nil
}

// Encode writes the record as JSON, one line for each key.
func (r *Record) Encode() []byte {
	var b bytes.Buffer
	put := func(key string, value any) {
		if b.Len() == 0 {
			b.WriteString("{\n ")
		} else {
			b.WriteString(",\n ")
		}
		name, _ := json.Marshal(key)
		text, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("paladin: encode %s: %v", key, err)) // there are cards, numbers and texts only
		}
		b.Write(name)
		b.WriteString(": ")
		b.Write(text)
	}
	put("format", RecordFormat)
	put("players", r.players)
	if !r.deal.deck.IsHouse() {
		put("deck", r.deal.deck)
	}
	if r.deal.seeded {
		put("seed", r.deal.seed.String())
		put("salt", r.deal.salt)
		put("commitment", hex.EncodeToString(r.commitment[:]))
	} else {
		put("supply", r.deal.supply[:])
		put("quests", honours(r.deal.quests[:]))
		put("reshuffles", lists(r.deal.reshuffles))
	}
	put("moves", r.moves)
	if r.scores != nil {
		put("scores", r.scores)
	}
	if r.winners != nil {
		put("winners", r.winners)
	}
	for _, m := range r.extra {
		put(m.key, m.value)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// lists is reshuffles with [] for every list that is nil.
func lists(reshuffles [][]Card) [][]Card {
	all := make([][]Card, len(reshuffles))
	for i, list := range reshuffles {
		all[i] = append([]Card{}, list...)
	}
	return all
}
