package render

import (
	"fmt"
	"strings"
	"testing"

	"paladin/game/table"
)

func TestVerification(t *testing.T) {
	var s screens
	part := table.SaltPart{Joined: "1575843633561600001", Started: "1575843900000000001"}
	g, lines := played(t, plainNames[:3], 3)
	lines = append([]table.Line{{Kind: table.LineOpened, Commitment: g.public().Commitment}}, lines...)
	v, ok := g.table.Verify(lines)
	if !ok || !v.Right() {
		t.Fatalf("a game that was played by the rules: %+v", v)
	}
	s.add("all is right", english.Verification(g.public(), &v, part, nil))
	running := startTable(t, plainNames[:3], 4)
	s.add("another game runs", english.Verification(g.public(), &v, table.SaltPart{}, running.public()))
	s.add("only a lobby", english.VerifyRunning(openTable(t, 3, "Alma", 1).public(), table.SaltPart{}))
	s.add("a game runs", english.VerifyRunning(running.public(), table.SaltPart{Joined: part.Joined}))
	s.add("a game runs, for who started it", english.VerifyRunning(running.public(), part))
	for i := range lines {
		if lines[i].Move != "" && i == 12 {
			lines[i].Move = "3 `fly`\n@everyone"
		}
	}
	lines[0].Commitment = ""
	v, _ = g.table.Verify(lines)
	s.add("a move was tampered with", english.Verification(g.public(), &v, table.SaltPart{}, nil))
	s.compare(t, "verify")
}

// TestVerificationsObeyDiscord shows everything that checks can come to, in every language.
func TestVerificationsObeyDiscord(t *testing.T) {
	g, lines := played(t, worst(5, 0), 5)
	v, _ := g.table.Verify(lines)
	running := startTable(t, worst(5, 3), 4)
	fault := table.FaultyMove{Number: 12345, Text: strings.Repeat("漢`@everyone", 50), Rule: "R12"}
	v.Illegal, v.Otherwise = fault, fault
	part := table.SaltPart{Joined: strings.Repeat("9", 19), Started: strings.Repeat("9", 19)}
	all := []table.Checked{table.NotChecked, table.CheckedRight, table.CheckedWrong, table.CheckedUnknown}
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		for i, c := range all {
			v.Legal, v.Told, v.Shuffled = c, c, c
			v.Published = all[max(1, i)]
			v.Salted = all[1+i%2]
			v.Ended = all[i%3]
			checkLimits(t, fmt.Sprintf("%s: %v", lang, c), pr.Verification(g.public(), &v, part, running.public()))
		}
		checkLimits(t, lang+": running", pr.VerifyRunning(running.public(), part))
	}
}

// TestVerificationOfARunningGameSaysWhatIsPublic: the same in every world that a spectator could be looking at, and no seed.
func TestVerificationOfARunningGameSaysWhatIsPublic(t *testing.T) {
	g := startTable(t, plainNames[:3], 4)
	said := rendered(english.VerifyRunning(g.public(), table.SaltPart{}))
	p := g.public()
	if p.Seed != "" || !strings.Contains(said, p.Commitment) || !strings.Contains(said, p.Salt) {
		t.Errorf("said of a running game:\n%s", said)
	}
	g.do(table.Actor{Moderator: true, Person: table.Person{ID: "1"}}, table.ForceStop{})
	if seed := g.public().Seed; seed == "" || strings.Contains(said, seed) {
		t.Error("the seed is said while the game runs (R20)")
	}
}
