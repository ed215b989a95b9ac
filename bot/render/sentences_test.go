package render

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"paladin/game/paladin"
	"paladin/game/table"
)

// TestEveryEventIsTold: no kind of event lacks its sentence, and all differ.
func TestEveryEventIsTold(t *testing.T) {
	p := startTable(t, plainNames[:3], 1).public()
	seen := map[string]paladin.EventKind{}
	for kind := paladin.StartNamed; kind <= paladin.GameOver; kind++ {
		s := english.EventSentence(p, paladin.PublicEvent{Kind: kind, Round: 1, Seat: 0, Target: 1, Quest: 2, Place: 2, Winners: []paladin.Seat{2}})
		if s == "" || strings.Contains(s, "nobody") {
			t.Errorf("event %d is told as %q", kind, s)
		}
		if other, twice := seen[s]; twice {
			t.Errorf("events %d and %d are told alike", kind, other)
		}
		seen[s] = kind
	}
	if s := english.EventSentence(p, paladin.PublicEvent{Kind: paladin.GameOver + 1}); s != "" {
		t.Errorf("an unknown event is told as %q", s)
	}
}

// TestEveryLineIsTold: no kind of line lacks its sentence, but for the one that the last move's events tell.
func TestEveryLineIsTold(t *testing.T) {
	p := startTable(t, plainNames[:3], 1).public()
	seen := map[string]table.LineKind{}
	for _, kind := range []table.LineKind{
		table.LineOpened, table.LineJoined, table.LineReady, table.LineQueued, table.LineUnqueued, table.LineLeft, table.LineSquire,
		table.LineRemoved, table.LineInvited, table.LineStarted, table.LineMove, table.LineSquireMove, table.LineAway,
		table.LineBack, table.LineVote, table.LineClosed,
	} {
		l := table.PublicLine{Kind: kind, Name: "Alma", Events: []paladin.PublicEvent{{Kind: paladin.Placed, Quest: 1, Place: 1}}}
		told := strings.Join(english.LineSentences(p, l), "\n")
		if told == "" {
			t.Errorf("line %q is not told", kind)
		}
		if other, twice := seen[told]; twice {
			t.Errorf("lines %q and %q are told alike: %s", kind, other, told)
		}
		seen[told] = kind
	}
	if told := english.LineSentences(p, table.PublicLine{Kind: table.LineFinished}); told != nil {
		t.Errorf("the end is told twice: %v", told)
	}
}

// TestClosedTablesSayWhy: no reason for closing lacks its sentence.
func TestClosedTablesSayWhy(t *testing.T) {
	seen := map[string]string{english.closedText("no such reason"): "no such reason"}
	for _, reason := range []string{
		table.ClosedCancelled, table.ClosedEmpty, table.ClosedStopped, table.ClosedModerator, table.ClosedIdle, table.ClosedChannel,
	} {
		if other, twice := seen[english.closedText(reason)]; twice {
			t.Errorf("%q and %q are told alike", reason, other)
		}
		seen[english.closedText(reason)] = reason
	}
}

// TestTheLogIsWholeAndItsPagesStay: the pages together tell every sentence once, and a page that is full never changes.
func TestTheLogIsWholeAndItsPagesStay(t *testing.T) {
	r := random(6)
	g := startTable(t, plainNames[:3], 6)
	var before [][]string
	for more := true; more; more = g.step(r) {
		pages := english.logPages(g.public(), g.history)
		for i := 0; i+1 < len(before); i++ {
			if strings.Join(before[i], "\n") != strings.Join(pages[i], "\n") {
				t.Fatalf("page %d changed after it was full", i+1)
			}
		}
		before = pages
	}
	var want, got []string
	for _, l := range g.history {
		for _, s := range english.LineSentences(g.public(), l) {
			want = append(want, "- "+s)
		}
	}
	for _, page := range before {
		for _, l := range page {
			if strings.HasPrefix(l, "- ") {
				got = append(got, l)
			}
		}
	}
	if strings.Join(want, "\n") != strings.Join(got, "\n") {
		t.Errorf("the log tells %d sentences of %d", len(got), len(want))
	}
}

// TestHonourAddsUp: the quests that stand below a player, each with its 1 for a red Paladin (R15), make up what is said of their honour.
func TestHonourAddsUp(t *testing.T) {
	g, r := startTable(t, plainNames[:3], 5), random(5)
	for g.step(r) {
	}
	number, red := regexp.MustCompile(`(\d+) (?:honour )?with`), 0
	for _, s := range g.public().Game.Seats {
		list, sum := english.keptList(s.Kept), 0
		for _, m := range number.FindAllStringSubmatch(list, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		more := strings.Count(list, "(+1)")
		red += more
		if sum+more != s.Honour {
			t.Errorf("%d honour, but %s", s.Honour, list)
		}
	}
	if red == 0 {
		t.Error("no red Paladin won a quest")
	}
}
