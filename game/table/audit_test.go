package table_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/game/table"
)

// running is a live game after so many moves, with its history as a store gives it back. A squire
// sits at it.
func running(t testing.TB, moves int) (table.Table, []table.Line) {
	t.Helper()
	l := newLife(t, []string{"Ann", "Ben"}, 1)
	l.do(person("Ann"), table.Start{})
	for range moves {
		l.step(first)
	}
	if !l.at.Live() {
		t.Fatal("the game is over")
	}
	_, entries := encoded(t, l)
	lines, err := table.ReadHistory(entries)
	if err != nil {
		t.Fatal(err)
	}
	return l.at, lines
}

// damages are what one changed place can do to what is stored of a live game: in its snapshot, or
// in its lines.
var damages = []struct {
	name     string
	snapshot func(string) string
	lines    func([]table.Line)
	want     string // part of what is said
}{
	{name: "seed", snapshot: turn(`"seed":"(.)`), want: "cards were not dealt by its seed"},
	{name: "salt", snapshot: turn(`"salt":"i(.)`), want: "salt"},
	{name: "a press of a seat", snapshot: turn(`"entry":"i(.)`), want: "salt"},
	{name: "key of the shuffles", snapshot: turn(`"key":"(.)`), want: "cards were not dealt by its seed"},
	{name: "order of the supply", snapshot: swapped(`"supply":"([^"]*)`), want: "lead to where the game stands"},
	{name: "order of the discard pile", snapshot: swappedFates},
	{name: "order of the peeks", snapshot: func(s string) string {
		return regexp.MustCompile(`"peeks":"(....)(....)`).ReplaceAllString(s, `"peeks":"$2$1`)
	}, want: "lead to where the game stands"},
	{name: "when it was begun", snapshot: turn(`"started":1(\d)`), want: "when it was opened"},
	{name: "when it was opened", snapshot: turn(`"opened":1(\d)`), want: "when it was opened"},
	{name: "what the board shows", snapshot: turn(`"recent":.*"name":"A(n)n"`), want: "what its board shows"},

	{name: "card of a move", lines: func(ls []table.Line) {
		l := line(ls, " place ")
		if strings.Contains(l.Move, "7r") {
			l.Move = strings.Replace(l.Move, "7r", "7b", 1)
		} else {
			l.Move = regexp.MustCompile(`place \S+`).ReplaceAllString(l.Move, "place 7r")
		}
	}, want: "move "},
	{name: "commitment", lines: func(ls []table.Line) { ls[0].Commitment = turned(ls[0].Commitment, 5) }, want: "commitment"},
	{name: "a second commitment", lines: func(ls []table.Line) { ls[3].Commitment = ls[0].Commitment }, want: "second commitment"},
	{name: "who moved", lines: func(ls []table.Line) { line(ls, " place ").Seat++ }, want: "another seat"},
	{name: "what was told", lines: func(ls []table.Line) { line(ls, " place ").Events[0].Quest++ }, want: "told of it"},
	{name: "kind of a line", lines: func(ls []table.Line) { line(ls, " place ").Kind = table.LineVote }, want: "cannot stand there"},
	{name: "a move without its text", lines: func(ls []table.Line) { line(ls, " place ").Move = "" }, want: "cannot stand there"},
	{name: "its begin", lines: func(ls []table.Line) { kind(ls, table.LineStarted).Kind = table.LineVote }, want: "whether the game was begun"},
	{name: "its opening", lines: func(ls []table.Line) { ls[0].Kind = table.LineVote }, want: "does not begin"},
	{name: "an end in its midst", lines: func(ls []table.Line) { ls[2].Kind = table.LineClosed }, want: "cannot stand there"},
	{name: "time of its begin", lines: func(ls []table.Line) {
		kind(ls, table.LineStarted).At = start.Add(9 * time.Hour)
	}, want: "when it was opened"},
}

func TestAuditFindsWhatWasDamaged(t *testing.T) {
	for _, d := range damages {
		at, lines := running(t, 34)
		if err := table.Audit(&at, lines); err != nil {
			t.Fatalf("before anything was changed: %v", err)
		}
		if d.snapshot != nil {
			at = reread(t, &at, d.snapshot)
		} else {
			d.lines(lines)
		}
		if err := table.Audit(&at, lines); err == nil || !strings.Contains(err.Error(), d.want) {
			t.Errorf("%s: %v, want that %q", d.name, err, d.want)
		}
	}
}

// TestAuditOfALobbyHoldsTheSeedAgainstTheCommitment: nothing is dealt yet, and the seed is what
// will be dealt by.
func TestAuditOfALobbyHoldsTheSeedAgainstTheCommitment(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben"}, 1)
	l.sound()
	at := reread(t, &l.at, turn(`"seed":"(.)`))
	if err := table.Audit(&at, l.lines); err == nil || !strings.Contains(err.Error(), "commitment") {
		t.Errorf("a lobby with another seed: %v", err)
	}
	at = reread(t, &l.at, func(s string) string { return strings.Replace(s, `"squire_seed"`, `"salt":"1,2","squire_seed"`, 1) })
	if err := table.Audit(&at, l.lines); err == nil {
		t.Error("a lobby with a salt is found sound")
	}
	l.do(person("Ann"), table.Cancel{})
	l.sound()
	if err := table.Audit(&l.at, l.lines[:len(l.lines)-1]); err == nil {
		t.Error("a cancelled table whose history goes on is found sound")
	}
}

// TestAuditOfAnEndedTable: the end has to be told, and people may have been taken out.
func TestAuditOfAnEndedTable(t *testing.T) {
	for _, most := range []int{0, 30, 1000} {
		at, lines := chronicle(t, most)
		if err := table.Audit(&at, lines); err != nil {
			t.Errorf("after %d moves: %v", most, err)
		}
		for n := range lines {
			if err := table.Audit(&at, lines[:n]); err == nil {
				t.Errorf("after %d moves %d lines of %d are found sound", most, n, len(lines))
			}
		}
		last := &lines[len(lines)-1]
		if last.Reason = table.ClosedChannel; table.Audit(&at, lines) == nil {
			t.Errorf("after %d moves another end is found sound", most)
		}
	}
}

// TestAuditOfAPracticeGame: it has no history, and what its seed gives is known all the same.
func TestAuditOfAPracticeGame(t *testing.T) {
	at := practice(t, 1)
	if err := table.Audit(&at, nil); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"seed": turn(`"seed":"(.)`), "salt": turn(`"salt":"i(.)`), "key": turn(`"key":"(.)`), "supply": swapped(`"supply":"([^"]*)`),
	} {
		damaged := reread(t, &at, change)
		if err := table.Audit(&damaged, nil); err == nil {
			t.Errorf("a practice game with another %s is found sound", name)
		}
	}
}

// TestAuditOfAnOlderTable: a history without a commitment is one of an older program, and its deal
// still follows from its seed.
func TestAuditOfAnOlderTable(t *testing.T) {
	at, lines := running(t, 34)
	lines[0].Commitment = ""
	if err := table.Audit(&at, lines); err != nil {
		t.Error(err)
	}
	damaged := reread(t, &at, turn(`"seed":"(.)`))
	if err := table.Audit(&damaged, lines); err == nil {
		t.Error("another seed is found sound")
	}
}

// TestAuditNamesNoCard: whoever reads what is wrong with a game may be playing it.
func TestAuditNamesNoCard(t *testing.T) {
	card := regexp.MustCompile(`\b[0-9][rb]\b|[0-9a-f]{16}`)
	for _, d := range damages {
		at, lines := running(t, 34)
		if d.snapshot != nil {
			at = reread(t, &at, d.snapshot)
		} else {
			d.lines(lines)
		}
		if err := table.Audit(&at, lines); err == nil || card.MatchString(err.Error()) {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}

func TestReadHistoryIsStrict(t *testing.T) {
	_, lines := running(t, 3)
	good, err := json.Marshal(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.ReadHistory([][]byte{good}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", "{", strings.Replace(string(good), `"commitment"`, `"commitmenu"`, 1), string(good) + "{}", string(good) + " ",
	} {
		if _, err := table.ReadHistory([][]byte{good, []byte(bad)}); err == nil || !strings.Contains(err.Error(), "line 2 ") {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
}

// turn changes one digit or letter, the group of the expression, to its neighbour.
func turn(expression string) func(string) string {
	re := regexp.MustCompile(expression)
	return func(s string) string {
		at := re.FindStringSubmatchIndex(s)
		if at == nil {
			panic(fmt.Sprintf("no %s in %s", expression, s))
		}
		return turned(s, at[2])
	}
}

// turned flips the lowest bit of one character.
func turned(s string, at int) string { return s[:at] + string(s[at]^1) + s[at+1:] }

// swapped exchanges the first two cards of the group that differ.
func swapped(expression string) func(string) string {
	re := regexp.MustCompile(expression)
	return func(s string) string {
		at := re.FindStringSubmatchIndex(s)
		cards := []byte(s[at[2]:at[3]])
		i := slices.IndexFunc(cards, func(c byte) bool { return c != cards[0] })
		cards[0], cards[i] = cards[i], cards[0]
		return s[:at[2]] + string(cards) + s[at[3]:]
	}
}

// swappedFates exchanges two cards of the discard pile.
func swappedFates(s string) string {
	from := strings.Index(s, `"placed":`)
	all := regexp.MustCompile(`[1-5].d`).FindAllStringIndex(s[from:strings.Index(s, `"peeks":`)], -1)
	for _, b := range all {
		if one, two := from+all[0][0]+1, from+b[0]+1; s[one] != s[two] {
			out := []byte(s)
			out[one], out[two] = out[two], out[one]
			return string(out)
		}
	}
	panic("fewer than two cards were discarded: " + s)
}

// line is the last move that holds the text, kind the last line of a kind.
func line(lines []table.Line, text string) *table.Line {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.Contains(lines[i].Move, text) {
			return &lines[i]
		}
	}
	panic(fmt.Sprintf("no move %q", text))
}

func kind(lines []table.Line, kind table.LineKind) *table.Line {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Kind == kind {
			return &lines[i]
		}
	}
	panic("no line " + kind)
}

// planned lets somebody who may give a plan.
func planned(l *life) bool {
	for _, name := range []string{"Ann", "Ben"} {
		mine, _ := l.at.Private(person(name).ID)
		quests, _ := mine.Plannable()
		for _, q := range quests {
			plan := table.SetPlan{Plan: &table.Plan{Card: mine.View.Hand[0], Quest: q.Quest, Most: q.Most}}
			if next, out, err := l.at.Do(person(name), plan, l.now); err == nil {
				l.at, l.lines = next, append(l.lines, out.Lines...)
				return true
			}
		}
	}
	return false
}

// TestDecodeShowsNothing: whatever one character of a stored table becomes, what is said of it
// shows no seed, no key and no card, and nothing that cannot be read ends the program.
func TestDecodeShowsNothing(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben"}, 1)
	l.do(person("Ann"), table.Start{})
	for range 20 {
		l.step(first)
	}
	for !planned(l) {
		l.step(first)
	}
	snapshot, err := l.at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(snapshot), `"plan":`) {
		t.Fatalf("nobody has a plan: %s", snapshot)
	}
	older := regexp.MustCompile(`"(squire_)?seed":"[0-9A-Fa-f]{64}`).ReplaceAllStringFunc(string(snapshot), strings.ToLower)
	shown := regexp.MustCompile(`[0-9a-fA-F]{12}|"[^"]*"`)
	for _, text := range []string{string(snapshot), older} {
		for at := range len(text) {
			for _, c := range []byte{text[at] ^ 1, 'z', '9', '"', '\\'} {
				changed := text[:at] + string(c) + text[at+1:]
				damaged, err := table.Decode([]byte(changed))
				if err == nil {
					err = table.Audit(&damaged, l.lines)
				}
				if err == nil {
					continue
				}
				said := regexp.MustCompile(`unknown field "[^"]{0,14}"`).ReplaceAllString(err.Error(), "")
				if shown.MatchString(said) || regexp.MustCompile(`\b[0-9][a-j]?[rb]\b`).MatchString(said) {
					t.Fatalf("%q at %d: %v", c, at, err)
				}
			}
		}
	}
}
