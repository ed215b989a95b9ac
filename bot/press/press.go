// Package press gives every button and select of the bot a typed custom id.
//
// A custom id is parsed once, at the edge, into an ID and never looked at as text again. It names the table and the prompt it
// answers and what was chosen; it never names who acts, because any member can send any custom id: who acts comes from
// Discord's user id. Discord allows 1 to 100 characters.
//
// The text form is "p1/KIND/TABLE/PROMPT/ARG/ARG/~MARK", with as many arguments as there are and
// mostly without a mark. The leading "p1" is the version of the form: buttons live in channels for
// years, so a later form gets another version and this one stays readable.
package press

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxLength is Discord's limit for a custom id, in characters; ours are ASCII.
const MaxLength = 100

const (
	version = "p1"
	// beforeMark stands before a mark; no word contains it.
	beforeMark = "/~"
	maxArgs    = 4
	maxWord    = 24
)

// Kind says what a press asks for.
type Kind string

// Presses on public messages: the lobby and the board.
const (
	Join   Kind = "join"
	Leave  Kind = "leave"
	Squire Kind = "squire" // add a squire
	Start  Kind = "start"
	Cancel Kind = "cancel"
	Manage Kind = "manage" // the host's private panel of the lobby
	Seat   Kind = "seat"   // My seat; args: Call on a message that is no board
	Log    Kind = "log"    // args: page, counted from 1; "" the newest
	Rules  Kind = "rules"  // args: page
	Again  Kind = "again"  // Play again
	Record Kind = "record"
	Verify Kind = "verify" // compute the deal anew
	// Replay shows a game that is over. args: viewpoint ("all" or a seat number), page from 1, a mark that tells buttons of one row apart;
	// "-" stands for the one of the two that a select chooses. Without them it opens the first page.
	Replay Kind = "replay"
	Share  Kind = "share" // show everybody a page of a replay; args: viewpoint, page
)

// Sure is the last argument of a press of somebody who was asked.
const Sure = "sure"

// Call is the argument of a Seat press on a message that calls somebody to the table.
const Call = "call"

// Presses on the host's private panel of a lobby.
const (
	Invite   Kind = "invite"   // a user select
	Remove   Kind = "remove"   // args: seat number
	Strength Kind = "strength" // args: the strength of the squires added from now on
	Pace     Kind = "pace"     // args: how fast squires answer
	Language Kind = "language" // a select of the language of what everybody reads
	Pictures Kind = "pictures" // args: on or off: the picture of the table
)

// Presses on a seat's private panel. Only Do kinds make a move.
const (
	Pick      Kind = "pick"   // args: card or "-", quest or "-": what is chosen so far
	Place     Kind = "place"  // args: card, quest
	PickPeek  Kind = "peek?"  // a select of cards as QUEST.PLACE
	Peek      Kind = "peek"   // args: QUEST.PLACE
	PickFirst Kind = "first?" // args: seat number
	First     Kind = "first"  // args: seat number
	PickAct   Kind = "act?"   // args: beat, take or discard
	Act       Kind = "act"    // args: beat, take or discard
	Refresh   Kind = "panel"  // show the panel anew, nothing chosen
	Back      Kind = "back"   // I am back
	Quit      Kind = "quit"   // leave a running game, confirmed
	Stop      Kind = "stop"   // vote to stop, confirmed
)

// Presses about people who are not there, on the board and on panels.
const (
	Offer   Kind = "offer"   // args: seat number: stand in for it
	Accept  Kind = "accept"  // args: seat number, user id
	Reclaim Kind = "reclaim" // the owner takes the seat back from a stand-in
	Pause   Kind = "pause"   // vote to pause
	Resume  Kind = "resume"  // vote to go on
	// SendOff hands a seat to a squire; args: seat number and user id of who plays it, and Sure from somebody who was asked. Without
	// them it opens the list of seats.
	SendOff Kind = "sendoff"
	LetBack Kind = "letback" // args: user id of whoever was sent off
)

// Presses that give something beforehand, on a seat's private panel.
const (
	Order    Kind = "order"   // args: quest, round; a select of acts; without them it opens the page of orders
	Guard    Kind = "guard"   // args: quest, round; a select of the highest leading Paladin
	PickPlan Kind = "plan?"   // args: card or "-", quest or "-", "any" or "-": what is chosen so far
	Plan     Kind = "plan"    // args: card, quest, most cards that may lie there, round
	DropPlan Kind = "unplan"  // take the plan back
	ShowAll  Kind = "showall" // args: first and last move: show what was resolved to its end
)

// Presses on what belongs to a person or a server, not to a table.
const (
	Games    Kind = "games"    // args: page
	Habits   Kind = "habits"   // args: what is chosen; a select, or a button with its value
	Settings Kind = "settings" // args: what is chosen; a select, or a button with its value
	Doctor   Kind = "doctor"   // look again

	Standings Kind = "standings" // args: page, a mark, of whom, order; or a select of the order
	Me        Kind = "me"        // args: what is asked for, or none: the page
	// Practice starts a practice game, or goes on with the person's own. The table, if any, is the practice game that it shall take the
	// place of.
	Practice Kind = "practice"
)

// kinds lists every kind that this version knows.
var kinds = map[Kind]bool{
	Join: true, Leave: true, Squire: true, Start: true, Cancel: true, Manage: true, Seat: true, Log: true, Rules: true,
	Again: true, Record: true, Invite: true, Remove: true, Strength: true, Pace: true, Language: true, Pictures: true, Pick: true, Place: true,
	PickPeek: true, Peek: true, PickFirst: true, First: true, PickAct: true, Act: true, Refresh: true, Back: true,
	Quit: true, Stop: true, Offer: true, Accept: true, Reclaim: true, Pause: true, Resume: true, Order: true, Guard: true, PickPlan: true,
	Plan: true, DropPlan: true, ShowAll: true, Verify: true, Replay: true, Share: true, Games: true, Habits: true, Settings: true, Doctor: true,
	Standings: true, Me: true, Practice: true, SendOff: true, LetBack: true,
}

// Kinds returns every kind that this version knows, in alphabetical order.
func Kinds() []Kind { return slices.Sorted(maps.Keys(kinds)) }

// Errors of Parse.
var (
	// ErrForeign: the text was not made by this bot.
	ErrForeign = errors.New("custom id is not one of ours")
	// ErrFuture: the text has our form, but a version or kind that this program does not know: a newer program made it.
	ErrFuture = errors.New("custom id comes from another version of this bot")
	// ErrMalformed: the text claims to be ours and is not well formed; somebody made it by hand.
	ErrMalformed = errors.New("custom id is malformed")
)

// ID is one custom id.
type ID struct {
	Kind Kind
	// Table is the id of the table it belongs to; empty for what belongs to none (rules).
	Table string
	// Prompt is the question it answers; 0 where none is asked (lobby, My seat).
	Prompt uint64
	Args   []string
	// Mark, if any, tells a select from the same one drawn before and means nothing. A client keeps in
	// mind what was chosen from a select by its custom id, and does not send the same choice twice.
	Mark string
}

// New returns the id of a press without a prompt.
func New(kind Kind, table string, args ...string) ID { return ID{Kind: kind, Table: table, Args: args} }

// For returns the id of a press that answers a prompt.
func For(kind Kind, table string, prompt uint64, args ...string) ID {
	return ID{Kind: kind, Table: table, Prompt: prompt, Args: args}
}

// Marked returns the same id with a mark.
func (id ID) Marked(mark string) ID {
	id.Mark = mark
	return id
}

// Arg returns argument i, or "" when there are fewer.
func (id ID) Arg(i int) string {
	if i < 0 || i >= len(id.Args) {
		return ""
	}
	return id.Args[i]
}

// String returns the text form. Parse(id.String()) gives id back for every id whose words are valid; an invalid one (a
// programmer's mistake) panics, because Discord would refuse the whole message.
func (id ID) String() string {
	if err := id.check(); err != nil {
		panic(fmt.Sprintf("press: %v: %#v", err, id))
	}
	var b strings.Builder
	b.WriteString(version)
	for _, word := range append([]string{string(id.Kind), id.Table, strconv.FormatUint(id.Prompt, 10)}, id.Args...) {
		b.WriteByte('/')
		b.WriteString(word)
	}
	if id.Mark != "" {
		b.WriteString(beforeMark + id.Mark)
	}
	if b.Len() > MaxLength {
		panic(fmt.Sprintf("press: %d characters: %q", b.Len(), b.String()))
	}
	return b.String()
}

func (id ID) check() error {
	if !kinds[id.Kind] {
		return ErrFuture
	}
	if len(id.Args) > maxArgs {
		return ErrMalformed
	}
	for _, word := range append([]string{id.Table, id.Mark}, id.Args...) {
		if !validWord(word) {
			return ErrMalformed
		}
	}
	return nil
}

// Parse reads a custom id. It returns ErrForeign, ErrFuture or ErrMalformed, wrapped with nothing: the text itself may be
// anything a stranger typed and belongs in no message.
func Parse(text string) (ID, error) {
	if len(text) > MaxLength {
		return ID{}, ErrForeign
	}
	text, mark, marked := strings.Cut(text, beforeMark)
	if marked && mark == "" {
		return ID{}, ErrMalformed
	}
	words := strings.Split(text, "/")
	if words[0] != version {
		if len(words) > 1 && isVersion(words[0]) {
			return ID{}, ErrFuture
		}
		return ID{}, ErrForeign
	}
	if len(words) < 4 {
		return ID{}, ErrMalformed
	}
	prompt, err := strconv.ParseUint(words[3], 10, 64)
	if err != nil || strconv.FormatUint(prompt, 10) != words[3] {
		return ID{}, ErrMalformed
	}
	id := ID{Kind: Kind(words[1]), Table: words[2], Prompt: prompt, Mark: mark}
	if len(words) > 4 {
		id.Args = words[4:]
	}
	if err := id.check(); err != nil {
		return ID{}, err
	}
	return id, nil
}

func isVersion(word string) bool {
	if len(word) < 2 || len(word) > 4 || word[0] != 'p' || word[1] == '0' {
		return false
	}
	_, err := strconv.ParseUint(word[1:], 10, 16)
	return err == nil
}

func validWord(word string) bool {
	if len(word) > maxWord {
		return false
	}
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '-', c == '?':
		default:
			return false
		}
	}
	return true
}
