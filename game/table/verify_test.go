package table_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
	"paladin/game/table"
)

// chronicle plays a game of Ann, Ben and Cleo at random, most moves moves, with its history as a store gives it back.
func chronicle(t testing.TB, most int) (table.Table, []table.Line) {
	t.Helper()
	at, out, err := table.Open(opening("Ann", 3))
	if err != nil {
		t.Fatal(err)
	}
	history := out.Lines
	do := func(by table.Actor, cmd table.Command) {
		t.Helper()
		next, out, err := at.Do(by, cmd, start)
		if err != nil {
			t.Fatalf("%T: %v", cmd, err)
		}
		at, history = next, append(history, out.Lines...)
	}
	do(person("Ben"), table.Join{})
	do(person("Cleo"), table.Join{})
	do(person("Ann"), table.Start{})
	r := rand.New(rand.NewPCG(1, 2))
	for range most {
		if at.Awaited() == paladin.NoSeat {
			break
		}
		who := at.People()[at.Awaited()]
		mine, _ := at.Private(who.ID)
		legal := mine.View.Legal()
		if i := slices.IndexFunc(legal, func(m paladin.Move) bool { return m.Kind == paladin.Discard }); i >= 0 && r.IntN(3) > 0 {
			legal = legal[i : i+1] // so that the supply runs out
		}
		do(table.Actor{Person: who, Interaction: "7"}, table.Play{Move: legal[r.IntN(len(legal))]})
	}
	if at.Live() {
		do(moderator("Dan"), table.ForceStop{})
	}
	data, err := json.Marshal(history)
	if err != nil {
		t.Fatal(err)
	}
	var stored []table.Line
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	return at, stored
}

// reread is a table as a store gives it back, with its text changed.
func reread(t *testing.T, at *table.Table, change func(string) string) table.Table {
	t.Helper()
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(data))
	if changed == string(data) {
		t.Fatal("nothing was changed")
	}
	again, err := table.Decode([]byte(changed))
	if err != nil {
		t.Fatalf("%v\n%s", err, changed)
	}
	return again
}

// verdict is a verification in short: a sign for each check, and the faulty moves.
func verdict(v table.Verification) string {
	signs := map[table.Checked]string{table.NotChecked: "-", table.CheckedRight: "+", table.CheckedWrong: "x", table.CheckedUnknown: "?"}
	var b strings.Builder
	for _, c := range []table.Checked{v.Published, v.Salted, v.Shuffled, v.Legal, v.Told, v.Ended} {
		b.WriteString(signs[c])
	}
	if v.Illegal.Number > 0 {
		fmt.Fprintf(&b, " illegal %d %q %s", v.Illegal.Number, v.Illegal.Text, v.Illegal.Rule)
	}
	if v.Otherwise.Number > 0 {
		fmt.Fprintf(&b, " otherwise %d", v.Otherwise.Number)
	}
	return b.String()
}

func TestR20VerifyFindsEveryGameRight(t *testing.T) {
	for _, most := range []int{0, 1, 9, 30, 70, 1000} {
		at, history := chronicle(t, most)
		v, ok := at.Verify(history)
		if got := verdict(v); !ok || got != "++++++" || !v.Right() {
			t.Fatalf("after %d moves: %v %s", most, ok, got)
		}
		moves, events := 0, 0
		for _, l := range history {
			if l.Move != "" {
				moves, events = moves+1, events+len(l.Events)
			}
		}
		public := at.Public()
		scores := make([]int, len(public.Game.Seats))
		for i, s := range public.Game.Seats {
			scores[i] = s.Honour
		}
		want := table.Verification{
			Commitment: public.Commitment, Seed: public.Seed, Salt: public.Salt, Published: table.CheckedRight, Salted: table.CheckedRight,
			Shuffled: table.CheckedRight, Reshuffles: v.Reshuffles, Legal: table.CheckedRight, Moves: moves, Told: table.CheckedRight, Events: events,
			Ended: table.CheckedRight, Scores: scores,
		}
		if diff := cmp.Diff(want, v); diff != "" {
			t.Errorf("after %d moves (-want +got):\n%s", most, diff)
		}
		if most == 1000 && v.Reshuffles == 0 {
			t.Error("no reshuffle was computed: the game shows nothing of them")
		}
	}
}

func TestVerifyOfWhatIsNotOver(t *testing.T) {
	for name, at := range map[string]table.Table{
		"lobby": open(t, "Ann", 3), "running": playing(t), "never begun": must(t, open(t, "Ann", 3), person("Ann"), table.Cancel{}),
	} {
		if v, ok := at.Verify(nil); ok {
			t.Errorf("%s: %s", name, verdict(v))
		}
	}
}

// TestR20VerifyFindsWhatWasTamperedWith changes one thing that is kept of a game and names what must be found.
func TestR20VerifyFindsWhatWasTamperedWith(t *testing.T) {
	at, history := chronicle(t, 1000)
	seed := at.Public().Seed
	move := func(n int, change func(l *table.Line)) func() (table.Table, []table.Line) {
		return func() (table.Table, []table.Line) {
			lines := append([]table.Line(nil), history...)
			for i := range lines {
				if lines[i].Move == "" {
					continue
				}
				if n--; n == 0 {
					lines[i].Events = append([]paladin.PublicEvent(nil), lines[i].Events...)
					change(&lines[i])
				}
			}
			return at, lines
		}
	}
	snapshot := func(old, new string) func() (table.Table, []table.Line) {
		return func() (table.Table, []table.Line) {
			return reread(t, &at, func(s string) string { return strings.Replace(s, old, new, 1) }), history
		}
	}
	for _, tc := range []struct {
		name   string
		tamper func() (table.Table, []table.Line)
		want   string
	}{
		{"a move that is none", move(5, func(l *table.Line) { l.Move = "3 fly" }), `++-x-- illegal 5 "3 fly" R9`},
		{"somebody else's move", move(1, func(l *table.Line) { l.Move = "2 start 1" }), `++-x-- illegal 1 "2 start 1" R7`},
		{"another start player", move(1, func(l *table.Line) { l.Move = otherStart(l.Move) }), ""},
		{"something told otherwise", move(12, func(l *table.Line) { l.Events[0].Round++ }), "++++x+ otherwise 12"},
		{"something kept quiet", move(9, func(l *table.Line) { l.Events = nil }), "++++x+ otherwise 9"},
		{"another seed", snapshot(seed, strings.Repeat("ab", 32)), ""},
		{"another salt", snapshot(`"salt":"int-Ann`, `"salt":"int-Eve`), ""},
		{"another press", snapshot(`"entry":"int-Ben"`, `"entry":"int-Eve"`), "+x++++"},
		{"another end", func() (table.Table, []table.Line) {
			return reread(t, &at, func(s string) string { return swapSupply(t, s) }), history
		}, "++-++x"},
		{"a commitment that was published", func() (table.Table, []table.Line) {
			lines := append([]table.Line(nil), history...)
			lines[0].Commitment = strings.Repeat("0", 64)
			return at, lines
		}, "x+++++"},
		{"a table of an older program", func() (table.Table, []table.Line) {
			lines := append([]table.Line(nil), history...)
			lines[0].Commitment = ""
			return at, lines
		}, "?+++++"},
		{"the last move", func() (table.Table, []table.Line) {
			lines := append([]table.Line(nil), history...)
			for i := range lines {
				if lines[i].Move != "" && lines[i].Events[len(lines[i].Events)-1].Kind == paladin.GameOver {
					lines[i].Move = ""
				}
			}
			return at, lines
		}, "++-++x"},
	} {
		tampered, lines := tc.tamper()
		v, ok := tampered.Verify(lines)
		if !ok {
			t.Errorf("%s: nothing is said", tc.name)
			continue
		}
		if got := verdict(v); tc.want != "" && got != tc.want || v.Right() != strings.HasPrefix(tc.name, "a table of an older") {
			t.Errorf("%s: found %s, want %s", tc.name, got, tc.want)
		}
	}
}

func otherStart(move string) string {
	if strings.HasSuffix(move, "1") {
		return "1 start 2"
	}
	return "1 start 1"
}

// swapSupply exchanges two cards that nobody has drawn.
func swapSupply(t *testing.T, snapshot string) string {
	t.Helper()
	_, rest, ok := strings.Cut(snapshot, `"supply":"`)
	supply, _, _ := strings.Cut(rest, `"`)
	for i := 1; ok && i < len(supply); i++ {
		if supply[i] != supply[0] {
			swapped := []byte(supply)
			swapped[0], swapped[i] = swapped[i], swapped[0]
			return strings.Replace(snapshot, supply, string(swapped), 1)
		}
	}
	t.Fatalf("nothing to exchange in supply %q", supply)
	return ""
}

// TestSaltPart: each knows their own presses in the salt (R20), the one that started the game too;
// whoever stands in for a seat gave nothing for it, and before the deal nobody gave anything.
func TestSaltPart(t *testing.T) {
	at, out, err := table.Open(opening("Ann", 4))
	if err != nil {
		t.Fatal(err)
	}
	history := out.Lines
	do := func(by table.Actor, cmd table.Command) {
		t.Helper()
		next, out, err := at.Do(by, cmd, start)
		if err != nil {
			t.Fatalf("%T: %v", cmd, err)
		}
		at, history = next, append(history, out.Lines...)
	}
	do(person("Ben"), table.Join{})
	do(person("Cleo"), table.Join{})
	do(person("Ann"), table.AddSquire{})
	if part := at.SaltPart(person("Ann").ID, history); part != (table.SaltPart{}) {
		t.Errorf("before the deal: %+v", part)
	}
	starter := person("Ann")
	starter.Interaction = "int-start"
	do(starter, table.Start{})
	do(person("Ben"), table.Leave{})
	do(person("Dan"), table.Offer{Seat: 1})
	do(person("Ann"), table.Accept{Seat: 1, User: person("Dan").ID})
	if at.Public().Seats[1].Person.Name != "Dan" {
		t.Fatal("Dan does not stand in for Ben")
	}
	for name, want := range map[string]table.SaltPart{
		"Ann":  {Joined: "int-Ann", Started: "int-start"},
		"Ben":  {Joined: "int-Ben"},
		"Cleo": {Joined: "int-Cleo"},
		"Dan":  {},
		"Eve":  {},
	} {
		if part := at.SaltPart(person(name).ID, history); part != want {
			t.Errorf("%s: %+v, want %+v", name, part, want)
		}
	}
	if part := at.SaltPart("", history); part != (table.SaltPart{}) {
		t.Errorf("of a squire: %+v", part)
	}
}
