package render

import (
	"strings"
	"testing"

	"paladin/game/paladin"
	"paladin/game/table"
)

// What somebody did before a stand-in took their seat stays theirs in the log.
func TestMovesKeepTheNameOfWhoeverMadeThem(t *testing.T) {
	p := &table.Public{Seats: []table.PublicSeat{{Person: table.Person{ID: "2", Name: "Eve"}, Owner: table.Person{ID: "1", Name: "Ann"}}}}
	line := table.PublicLine{
		Kind: table.LineMove, Seat: 0, Name: "Ann",
		Events: []paladin.PublicEvent{{Kind: paladin.Placed, Seat: 0, Target: paladin.NoSeat, Quest: 2, Place: 2}},
	}
	got := strings.Join(english.LineSentences(p, line), " ")
	if !strings.Contains(got, "Ann") || strings.Contains(got, "Eve") {
		t.Errorf("Ann's move is told as %q", got)
	}
	line.Name = "" // as lines were written before they kept the name
	if got := strings.Join(english.LineSentences(p, line), " "); !strings.Contains(got, "Eve") {
		t.Errorf("a line without a name is told as %q", got)
	}
	if p.Seats[0].Person.Name != "Eve" {
		t.Error("telling a line changed the table")
	}
}
