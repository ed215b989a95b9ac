package paladin

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Result is where a record leads.
type Result struct {
	Players int          // 0 if the record does not say
	Moves   int          // played, all of them legal
	Final   State        // the position after those; nothing if Dealt is false
	Dealt   bool         // the keys and the commitment are right
	Err     *RecordError // the fault, if there is one
}

// Replay plays a record through and checks all of it, in this order: keys, commitment, moves, scores, winners. The error
// is a *[RecordError], which the result holds too.
func Replay(data []byte) (Result, error) {
	r, fault := parseRecord(data)
	if fault != nil {
		return Result{Players: r.players, Err: fault}, fault
	}
	return r.Play(func(*State, []Event) error { return nil })
}

// Play plays the record through like [Replay] and shows every position to visit, the initial one first, with what the
// move before it made happen. It stops at the first error that visit answers, and answers with it.
func (r *Record) Play(visit func(s *State, events []Event) error) (Result, error) {
	result := Result{Players: r.players}
	fail := func(fault *RecordError) (Result, error) {
		result.Err = fault
		return result, fault
	}
	if r.deal.seeded && r.commitment != sha256.Sum256(r.deal.seed[:]) {
		return fail(keyError("commitment", errors.New("it is not the SHA-256 of the seed")))
	}
	s, err := New(r.players, r.deal)
	if err != nil {
		return fail(keyError("players", err))
	}
	result.Final, result.Dealt = s, true
	if err := visit(&s, nil); err != nil {
		return result, err
	}
	for i, text := range r.moves {
		next, events, fault := playText(&s, text)
		if fault != nil {
			fault.Move = i + 1
			return fail(fault)
		}
		s = next
		result.Final, result.Moves = s, i+1
		if err := visit(&s, events); err != nil {
			return result, err
		}
	}
	if fault := r.checkEnd(&s); fault != nil {
		return fail(fault)
	}
	return result, nil
}

func playText(s *State, text string) (State, []Event, *RecordError) {
	m, err := ParseMove(text)
	if err != nil {
		return State{}, nil, &RecordError{Text: text, Rule: s.phase.rule(), Reason: "not a move that can be read"}
	}
	next, events, err := s.Apply(m)
	if err != nil {
		var refusal *RuleError
		errors.As(err, &refusal)
		return State{}, nil, &RecordError{Text: text, Rule: refusal.Rule, Reason: refusal.Reason}
	}
	return next, events, nil
}

// checkEnd checks scores and winners against the last position.
func (r *Record) checkEnd(s *State) *RecordError {
	if r.scores == nil {
		return nil
	}
	if !s.Over() {
		return keyError("scores", errors.New("the game is not over"))
	}
	if !slices.Equal(r.scores, s.Scores()) {
		return keyError("scores", fmt.Errorf("they are %s", jsonText(s.Scores())))
	}
	if winners := numbers(s.Winners()); r.winners != nil && !slices.Equal(r.winners, winners) {
		return keyError("winners", fmt.Errorf("they are %s", jsonText(winners)))
	}
	return nil
}

// jsonText is v as JSON. It is for values that cannot fail.
func jsonText(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("paladin: encode %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Summary is the result in words, for people.
func (r *Result) Summary() []byte {
	if r.Err != nil {
		return []byte(r.Err.Error() + "\n")
	}
	var b strings.Builder
	s := &r.Final
	fmt.Fprintf(&b, "A legal game of Paladin with %d players, %s", r.Players, plural(r.Moves, "move"))
	if s.Over() {
		fmt.Fprintf(&b, ", played to its end in %d rounds.\n", s.Rounds())
	} else {
		fmt.Fprintf(&b, ". It stops early, in round %d of %d.\nIt is the turn of seat %d, %s.\n",
			s.Round(), s.Rounds(), s.ToAct().Number(), s.due())
	}
	for seat, honour := range s.Scores() {
		fmt.Fprintf(&b, "Seat %d: %d honour\n", seat+1, honour)
	}
	if winners := numbers(s.Winners()); len(winners) == 1 {
		fmt.Fprintf(&b, "Seat %d wins.\n", winners[0])
	} else if len(winners) > 1 {
		names := make([]string, len(winners))
		for i, n := range winners {
			names[i] = strconv.Itoa(n)
		}
		last := len(names) - 1
		fmt.Fprintf(&b, "Seats %s and %s share the victory.\n", strings.Join(names[:last], ", "), names[last])
	}
	return []byte(b.String())
}

// due says what the seat to act is to do.
func (s *State) due() string {
	switch s.phase {
	case PhaseStart:
		return "the dealer, to name the start player"
	case PhaseLead:
		return "to lead a quest"
	case PhasePlace:
		return "to place a card"
	}
	return fmt.Sprintf("to decide about card %d on quest %d", s.deciding+1, s.quest+1)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

type resultJSON struct {
	Format  string     `json:"format"`
	Players int        `json:"players"`
	Moves   int        `json:"moves"`
	Phase   string     `json:"phase"`
	ToAct   int        `json:"to_act"`
	Scores  []int      `json:"scores"`
	Winners []int      `json:"winners"`
	Error   *faultJSON `json:"error"`
}

type faultJSON struct {
	Move   int    `json:"move"`
	Text   string `json:"text"`
	Rule   string `json:"rule"`
	Key    string `json:"key,omitempty"`
	Reason string `json:"reason"`
}

// JSON is the result as one object on one line, without a line feed. For a bad record it tells where the game stood before
// the fault, and the fault: with a move, or with a key, and then move 0. The format is empty if it is not this one.
func (r *Result) JSON() []byte {
	out := resultJSON{Format: RecordFormat, Players: r.Players, Moves: r.Moves, Scores: []int{}, Winners: []int{}}
	if r.Err != nil && r.Err.Key == "format" {
		out.Format = ""
	}
	if r.Dealt {
		s := &r.Final
		out.Phase, out.ToAct = s.phase.String(), s.ToAct().Number()
		out.Scores, out.Winners = s.Scores(), numbers(s.Winners())
	}
	if e := r.Err; e != nil {
		out.Error = &faultJSON{Move: e.Move, Text: e.Text, Rule: e.Rule, Key: e.Key, Reason: e.Reason}
	}
	return jsonText(out)
}

type traceLine struct {
	Ply      int        `json:"ply"`
	Round    int        `json:"round"`
	Phase    string     `json:"phase"`
	ToAct    int        `json:"to_act"`
	Legal    []string   `json:"legal"`
	Scores   []int      `json:"scores"`
	Hands    [][]Card   `json:"hands"`
	Quests   []int      `json:"quests"`
	Table    [][]string `json:"table"`
	Supply   int        `json:"supply"`
	Discards []Card     `json:"discards"`
}

// Trace plays a record through and hands each position to emit as one line of JSON, without a line feed, the initial one
// first. The error is a *[RecordError], after all positions before the fault, or what emit answered.
func Trace(data []byte, emit func(line []byte) error) error {
	r, fault := parseRecord(data)
	if fault != nil {
		return fault
	}
	_, err := r.Play(func(s *State, _ []Event) error { return emit(s.trace()) })
	return err
}

// trace is the all-knowing line of a position.
func (s *State) trace() []byte {
	line := traceLine{
		Ply: s.Moves(), Round: s.Round(), Phase: s.phase.String(), ToAct: s.ToAct().Number(), Legal: []string{},
		Scores: s.Scores(), Quests: honours(s.row()), Supply: int(s.supplyLen), Discards: []Card{},
	}
	for _, m := range s.Legal() {
		line.Legal = append(line.Legal, m.String())
	}
	for seat := range Seat(s.players) {
		line.Hands = append(line.Hands, s.hand(seat))
	}
	for quest := range s.players {
		line.Table = append(line.Table, s.lying(quest))
	}
	for _, at := range s.pile[:s.pileLen] {
		line.Discards = append(line.Discards, s.placed[at].card)
	}
	return jsonText(line)
}

// lying is the cards that still lie on a quest as SEAT:CARD. The leading Paladin comes first by itself: those before it
// are gone.
func (s *State) lying(quest uint8) []string {
	list := []string{}
	for place := range s.onQuest[quest] {
		if c := s.placed[s.at(quest, place)]; c.fate == FateOnTable || c.fate == FateLeading {
			list = append(list, fmt.Sprintf("%d:%s", c.seat+1, c.card))
		}
	}
	return list
}
