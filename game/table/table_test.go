package table_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func person(name string) table.Actor {
	return table.Actor{Person: table.Person{ID: table.UserID("id-" + name), Name: name}, Interaction: "int-" + name}
}

func habits(table.UserID) table.Habits { return table.Habits{} }

func moderator(name string) table.Actor {
	a := person(name)
	a.Moderator = true
	return a
}

func opening(host string, seats int) table.Opening {
	return table.Opening{
		ID: "t1", Guild: "g", Channel: "c", Host: person(host), Deck: paladin.HouseDeck(), Seed: paladin.Seed{1}, SquireSeed: paladin.Seed{2},
		Options: table.Options{Seats: seats, Squires: squire.Easy, SquirePace: table.SquireAtOnce, Pace: table.PaceNone}, Now: start,
	}
}

func open(t testing.TB, host string, seats int) table.Table {
	t.Helper()
	opened, _, err := table.Open(opening(host, seats))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// must carries out commands that are not refused; the time goes on by a second each.
func must(t testing.TB, at table.Table, by table.Actor, cmds ...table.Command) table.Table {
	t.Helper()
	for _, cmd := range cmds {
		next, _, err := at.Do(by, cmd, start.Add(time.Minute))
		if err != nil {
			t.Fatalf("%s: %T: %v", by.Name, cmd, err)
		}
		if err := next.Check(); err != nil {
			t.Fatalf("after %T: %v", cmd, err)
		}
		at = next
	}
	return at
}

// refused carries out a command that must be refused and returns the kind.
func refused(t testing.TB, at table.Table, by table.Actor, cmd table.Command) table.RefusalKind {
	t.Helper()
	_, _, err := at.Do(by, cmd, start.Add(time.Minute))
	var refusal *table.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("%s: %T: got error %v, want a refusal", by.Name, cmd, err)
	}
	return refusal.Kind
}

func names(p table.Public) []string {
	var out []string
	for _, s := range p.Seats {
		if s.Human() {
			out = append(out, s.Person.Name)
		} else {
			out = append(out, "squire")
		}
	}
	return out
}

// playing returns a table of three people in a running game.
func playing(t testing.TB) table.Table {
	t.Helper()
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Cleo"), table.Join{})
	return must(t, at, person("Ann"), table.Start{})
}

func TestLobbySeatsPeopleInTheOrderInWhichTheyJoin(t *testing.T) {
	at := open(t, "Ann", 4)
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Ann"), table.AddSquire{})
	at = must(t, at, person("Cleo"), table.Join{})
	if diff := cmp.Diff([]string{"Ann", "Ben", "squire", "Cleo"}, names(at.Public())); diff != "" {
		t.Error(diff)
	}
}

func TestR20CommitmentStandsBeforeAnybodyJoinsAndSeedStaysHidden(t *testing.T) {
	at := open(t, "Ann", 5)
	before := at.Public()
	if before.Commitment != (paladin.Seed{1}).Commitment() || before.Seed != "" {
		t.Fatalf("opened lobby: commitment %q, seed %q", before.Commitment, before.Seed)
	}
	at = playing(t)
	if p := at.Public(); p.Commitment != before.Commitment || p.Seed != "" {
		t.Errorf("running game: commitment %q, seed %q", p.Commitment, p.Seed)
	}
	if want := "int-Ann,int-Ben,int-Cleo,int-Ann"; at.Public().Salt != want {
		t.Errorf("salt %q, want %q", at.Public().Salt, want)
	}
	stopped := must(t, at, moderator("Mod"), table.ForceStop{})
	if p := stopped.Public(); p.Seed != (paladin.Seed{1}).String() {
		t.Errorf("a stopped game publishes its seed: got %q", p.Seed)
	}
}

func TestR20SquireContributesADash(t *testing.T) {
	at := open(t, "Ann", 3)
	at = must(t, at, person("Ann"), table.AddSquire{}, table.AddSquire{}, table.Start{})
	if want := "int-Ann,-,-,int-Ann"; at.Public().Salt != want {
		t.Errorf("salt %q, want %q", at.Public().Salt, want)
	}
}

func TestFullLobbyQueues(t *testing.T) {
	at := open(t, "Ann", 3)
	for _, name := range []string{"Ben", "Cleo", "Dan", "Eve"} {
		at = must(t, at, person(name), table.Join{})
	}
	p := at.Public()
	if len(p.Seats) != 3 || len(p.Queue) != 2 {
		t.Fatalf("%d seated, %d in the queue", len(p.Seats), len(p.Queue))
	}
	next, out, err := at.Do(person("Ben"), table.Leave{}, start)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Ann", "Cleo", "Dan"}, names(next.Public())); diff != "" {
		t.Error(diff)
	}
	if len(out.Seated) != 1 || out.Seated[0].Name != "Dan" {
		t.Errorf("seated from the queue: %v", out.Seated)
	}
	next = must(t, next, person("Eve"), table.Leave{})
	if len(next.Public().Queue) != 0 {
		t.Error("Eve still waits")
	}
	// The press that led into the queue is the seat's part of the salt.
	next = must(t, next, person("Ann"), table.Start{})
	if want := "int-Ann,int-Cleo,int-Dan,int-Ann"; next.Public().Salt != want {
		t.Errorf("salt %q, want %q", next.Public().Salt, want)
	}
}

func TestHostLeavesTheLobby(t *testing.T) {
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ann"), table.AddSquire{})
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Cleo"), table.Join{})
	at = must(t, at, person("Ann"), table.Leave{})
	p := at.Public()
	if diff := cmp.Diff([]string{"Ben", "squire", "Cleo"}, names(p)); diff != "" {
		t.Errorf("R5: the host sits in seat 1 and deals first:\n%s", diff)
	}
	if p.Host != person("Ben").ID || !p.HostLeft {
		t.Errorf("host %q, left %v", p.Host, p.HostLeft)
	}
	// Anyone seated may start when the host has left.
	at = must(t, at, person("Cleo"), table.Start{})
	if at.Stage() != table.Playing {
		t.Errorf("stage %s", at.Stage())
	}
}

func TestLastPersonLeavesTheLobby(t *testing.T) {
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ann"), table.AddSquire{}, table.Leave{})
	if p := at.Public(); p.Stage != table.Closed || p.Reason != table.ClosedEmpty {
		t.Errorf("stage %s, reason %q", p.Stage, p.Reason)
	}
}

func TestRemovedPersonCannotRejoin(t *testing.T) {
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Ann"), table.RemoveSeat{Seat: 1})
	if kind := refused(t, at, person("Ben"), table.Join{}); kind != table.Barred {
		t.Errorf("refused as %q", kind)
	}
	at = must(t, at, person("Ann"), table.AddSquire{}, table.RemoveSeat{Seat: 1})
	if len(at.Public().Seats) != 1 {
		t.Error("the squire is still there")
	}
}

func TestLobbyRefusals(t *testing.T) {
	at := open(t, "Ann", 3)
	at = must(t, at, person("Ben"), table.Join{})
	full := must(t, at, person("Ann"), table.AddSquire{})
	started := must(t, full, person("Ann"), table.Start{})
	over := must(t, started, moderator("Mod"), table.ForceStop{})
	open3of4 := must(t, must(t, open(t, "Ann", 4), person("Ben"), table.Join{}), person("Ann"), table.AddSquire{})
	for _, tc := range []struct {
		name string
		at   table.Table
		by   table.Actor
		cmd  table.Command
		want table.RefusalKind
	}{
		{"join twice", at, person("Ben"), table.Join{}, table.AlreadySeated},
		{"start as guest", open3of4, person("Ben"), table.Start{}, table.NotHost},
		{"start as stranger", full, person("Eve"), table.Start{}, table.NotSeated},
		{"start with two", at, person("Ann"), table.Start{}, table.TooFew},
		{"squire as guest", at, person("Ben"), table.AddSquire{}, table.NotHost},
		{"squire at a full table", full, person("Ann"), table.AddSquire{}, table.TableFull},
		{"remove oneself", at, person("Ann"), table.RemoveSeat{Seat: 0}, table.RemoveSelf},
		{"remove nobody", at, person("Ann"), table.RemoveSeat{Seat: 4}, table.NoSuchSeat},
		{"remove as guest", at, person("Ben"), table.RemoveSeat{Seat: 0}, table.NotHost},
		{"cancel as guest", at, person("Ben"), table.Cancel{}, table.NotHost},
		{"leave as stranger", at, person("Eve"), table.Leave{}, table.NotSeated},
		{"play in a lobby", at, person("Ann"), table.Play{}, table.NotStarted},
		{"vote in a lobby", at, person("Ann"), table.VoteStop{}, table.NotStarted},
		{"back in a lobby", at, person("Ann"), table.Back{}, table.NotStarted},
		{"no squire", at, person("Ann"), table.SetStrength{Strength: squire.Knight + 1}, table.BadStrength},
		{"pace", at, person("Ann"), table.SetSquirePace{Pace: "warp"}, table.BadPace},
		{"stop as guest", at, person("Ben"), table.ForceStop{}, table.NotModerator},
		{"invite a seated person", at, person("Ann"), table.Invite{People: []table.Person{person("Ben").Person}}, table.AlreadySeated},
		{"join a running game", started, person("Eve"), table.Join{}, table.Started},
		{"start twice", started, person("Ann"), table.Start{}, table.Started},
		{"join a closed table", over, person("Eve"), table.Join{}, table.GameOver},
		{"leave a closed table", over, person("Ann"), table.Leave{}, table.GameOver},
		{"play a closed game", over, person("Ann"), table.Play{}, table.GameOver},
		{"stop twice", over, moderator("Mod"), table.ForceStop{}, table.GameOver},
		{"back without having left", started, person("Ann"), table.Back{}, table.NotAway},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, err := tc.at.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if got := refused(t, tc.at, tc.by, tc.cmd); got != tc.want {
				t.Errorf("refused as %q, want %q", got, tc.want)
			}
			after, err := tc.at.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(before), string(after)); diff != "" {
				t.Errorf("a refusal changed the table:\n%s", diff)
			}
		})
	}
}

func TestPlayRefusesTheWrongPersonAndTheClosedQuestion(t *testing.T) {
	at := playing(t)
	first := paladin.Move{Kind: paladin.Start, Target: 1}
	if kind := refused(t, at, person("Ben"), table.Play{Move: first}); kind != table.NotYourTurn {
		t.Errorf("R7: a player who does not deal: %q", kind)
	}
	if kind := refused(t, at, person("Eve"), table.Play{Move: first}); kind != table.NotSeated {
		t.Errorf("a stranger: %q", kind)
	}
	if kind := refused(t, at, person("Ann"), table.Play{Prompt: at.Prompt() + 1, Move: first}); kind != table.Stale {
		t.Errorf("another question: %q", kind)
	}
	next := must(t, at, person("Ann"), table.Play{Prompt: at.Prompt(), Move: first})
	if kind := refused(t, next, person("Ann"), table.Play{Prompt: at.Prompt(), Move: first}); kind != table.Stale {
		t.Errorf("the same press once more: %q", kind)
	}
	if next.Prompt() == at.Prompt() {
		t.Error("the question did not change with the move")
	}
}

func TestMoveIsMadeForTheSeatOfWhoeverAsks(t *testing.T) {
	at := playing(t)
	// A forged move names another seat; the seat comes from the user's id alone.
	next := must(t, at, person("Ann"), table.Play{Move: paladin.Move{Seat: 2, Kind: paladin.Start, Target: 1}})
	if awaited, ok := next.AwaitedPerson(); !ok || awaited.Name != "Ben" {
		t.Errorf("awaited %v", awaited)
	}
}

func TestLeavingARunningGame(t *testing.T) {
	at := playing(t)
	at = must(t, at, person("Ann"), table.Leave{})
	if !at.SquireToAct() {
		t.Fatal("a squire plays the seat of somebody who left")
	}
	if p := at.Public(); p.Host != person("Ben").ID {
		t.Errorf("host %q", p.Host)
	}
	if kind := refused(t, at, person("Ann"), table.Play{Move: paladin.Move{Kind: paladin.Start}}); kind != table.AlreadyAway {
		t.Errorf("who left does not move: %q", kind)
	}
	if _, ok := at.Private(person("Ann").ID); !ok {
		t.Error("who left still sees the seat, to come back")
	}
	back := must(t, at, person("Ann"), table.Back{})
	if awaited, ok := back.AwaitedPerson(); !ok || awaited.Name != "Ann" {
		t.Errorf("awaited %v", awaited)
	}
	at = must(t, at, person("Ben"), table.Leave{})
	at = must(t, at, person("Cleo"), table.Leave{})
	if p := at.Public(); p.Stage != table.Closed || p.Reason != table.ClosedEmpty {
		t.Errorf("stage %s, reason %q", p.Stage, p.Reason)
	}
}

func TestVoteStop(t *testing.T) {
	at := playing(t)
	at = must(t, at, person("Ann"), table.VoteStop{})
	if at.Stage() != table.Playing {
		t.Fatal("one of three stopped the game")
	}
	if kind := refused(t, at, person("Ann"), table.VoteStop{}); kind != table.AlreadyVoted {
		t.Errorf("second vote: %q", kind)
	}
	stopped := must(t, at, person("Ben"), table.VoteStop{})
	if p := stopped.Public(); p.Stage != table.Closed || p.Reason != table.ClosedStopped {
		t.Errorf("two of three: stage %s, reason %q", p.Stage, p.Reason)
	}
	// Votes count among the present: when the third leaves, one of two is no majority, and a vote of two of two is.
	left := must(t, at, person("Cleo"), table.Leave{})
	if left.Stage() != table.Playing {
		t.Fatal("one of two present is no majority")
	}
	// A vote goes with the voter.
	gone := must(t, at, person("Ann"), table.Leave{})
	if p := gone.Public(); p.StopVotes != 0 {
		t.Errorf("%d votes", p.StopVotes)
	}
}

func TestIdleTablesClose(t *testing.T) {
	at := open(t, "Ann", 5)
	due := at.Deadlines(habits)
	if len(due) != 1 || due[0].Kind != table.DeadlineIdle || !due[0].At.Equal(start.Add(table.LobbyIdle)) {
		t.Fatalf("deadlines of a lobby: %v", due)
	}
	if _, _, err := at.Do(table.Actor{}, table.Idle{}, start.Add(table.LobbyIdle-time.Second)); err == nil {
		t.Error("closed before its time")
	}
	closed, _, err := at.Do(table.Actor{}, table.Idle{}, start.Add(table.LobbyIdle))
	if err != nil || closed.Live() {
		t.Errorf("after a day: %v, stage %s", err, closed.Stage())
	}
	game := playing(t)
	for _, d := range game.Deadlines(habits) {
		if d.Kind == table.DeadlineIdle && d.At.Sub(start) < table.GameIdle {
			t.Errorf("a game would close at %v", d.At)
		}
	}
}

func TestSquiresMoveByDeadline(t *testing.T) {
	for _, pace := range []table.SquirePace{table.SquireAtOnce, table.SquireHuman, table.SquireCalm} {
		o := opening("Ann", 3)
		o.Options.SquirePace = pace
		at, _, err := table.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		at = must(t, at, person("Ann"), table.AddSquire{}, table.AddSquire{}, table.Start{})
		at = must(t, at, person("Ann"), table.Play{Move: paladin.Move{Kind: paladin.Start, Target: 1}})
		var wait time.Duration
		for _, d := range at.Deadlines(habits) {
			if d.Kind == table.DeadlineSquire && d.Prompt == at.Prompt() {
				wait = d.At.Sub(start.Add(time.Minute)) + 1
			}
		}
		limits := map[table.SquirePace][2]time.Duration{
			table.SquireAtOnce: {1, 1}, table.SquireHuman: {2 * time.Second, 6 * time.Second}, table.SquireCalm: {20 * time.Second, 40 * time.Second},
		}[pace]
		if wait < limits[0] || wait > limits[1] {
			t.Errorf("%s: a squire moves after %v", pace, wait)
		}
		if kind := refused(t, at, table.Actor{}, table.SquireMove{Prompt: at.Prompt() - 1}); kind != table.Stale {
			t.Errorf("a squire's move for a closed question: %q", kind)
		}
	}
}

func TestPlayAgainKeepsTheSeats(t *testing.T) {
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Ann"), table.AddSquire{})
	at = must(t, at, person("Cleo"), table.Join{})
	at = must(t, at, person("Ann"), table.Start{})
	o := opening("Ben", 5)
	o.ID = "t2"
	if _, _, _, err := at.Again(o); err == nil {
		t.Fatal("again while the game runs")
	}
	at = must(t, at, moderator("Mod"), table.ForceStop{})
	fresh, old, _, err := at.Again(o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Ben", "squire", "Cleo", "Ann"}, names(fresh.Public())); diff != "" {
		t.Errorf("R5: whoever asks deals first, the others keep their places clockwise:\n%s", diff)
	}
	if old.Public().Next != "t2" {
		t.Errorf("the old table points to %q", old.Public().Next)
	}
	if kind := refused(t, fresh, person("Ben"), table.Start{}); kind != table.NotReady {
		t.Errorf("start before all said that they play: %q", kind)
	}
	again := person("Ann")
	again.Interaction = "ready-Ann"
	fresh = must(t, fresh, again, table.Join{})
	fresh = must(t, fresh, person("Ben"), table.RemoveSeat{Seat: 2}) // Cleo does not answer
	fresh = must(t, fresh, person("Ben"), table.Start{})
	if want := "int-Ben,-,ready-Ann,int-Ben"; fresh.Public().Salt != want {
		t.Errorf("R20: salt %q, want %q", fresh.Public().Salt, want)
	}
	o.Host = person("Eve")
	if _, _, _, err := at.Again(o); err == nil {
		t.Error("somebody without a seat played again")
	}
}

// TestRandomLives drives tables through random lives and checks what must always hold: the stored form gives the same table back, the
// table's own invariants and R18 stand, exactly one seat is awaited while a game runs, and nothing secret is in the public form of
// the history.
func TestRandomLives(t *testing.T) {
	people := []string{"Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"}
	rapid.Check(t, func(t *rapid.T) {
		o := opening("Ann", rapid.IntRange(table.MinSeats, table.MaxSeats).Draw(t, "seats"))
		o.Seed = paladin.Seed{byte(rapid.IntRange(0, 255).Draw(t, "seed"))}
		at, _, err := table.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		now := start
		for step := range rapid.IntRange(1, 120).Draw(t, "steps") {
			now = now.Add(time.Minute)
			by := person(rapid.SampledFrom(people).Draw(t, "who"))
			by.Interaction = fmt.Sprint("int-", step)
			by.Moderator = rapid.IntRange(0, 200).Draw(t, "moderator") == 0
			next, out, err := at.Do(by, command(t, &at, by), now)
			var refusal *table.Refusal
			switch {
			case errors.As(err, &refusal):
				continue
			case err != nil:
				t.Fatal(err)
			}
			at = next
			checkTable(t, &at, out)
		}
	})
}

func command(t *rapid.T, at *table.Table, by table.Actor) table.Command {
	if at.Stage() == table.Playing {
		if at.SquireToAct() {
			return table.SquireMove{Prompt: at.Prompt()}
		}
		switch rapid.IntRange(0, 30).Draw(t, "odd") {
		case 0:
			return table.Leave{}
		case 1:
			return table.Back{}
		case 2:
			return table.VoteStop{}
		case 3:
			return table.ForceStop{}
		}
		mine, ok := at.Private(by.ID)
		if !ok || mine.View == nil {
			return table.Join{}
		}
		legal := mine.View.Legal()
		if len(legal) == 0 {
			return table.Play{Prompt: at.Prompt(), Move: paladin.Move{Kind: paladin.Beat}}
		}
		return table.Play{Prompt: at.Prompt(), Move: rapid.SampledFrom(legal).Draw(t, "move")}
	}
	return rapid.SampledFrom([]table.Command{
		table.Join{}, table.Join{}, table.Join{}, table.Leave{}, table.AddSquire{}, table.RemoveSeat{Seat: 1}, table.Start{},
		table.Start{}, table.Invite{People: []table.Person{person("Gus").Person}}, table.SetStrength{Strength: squire.Normal},
		table.ForceStop{}, table.Idle{},
	}).Draw(t, "command")
}

func checkTable(t *rapid.T, at *table.Table, out table.Outcome) {
	if err := at.Check(); err != nil {
		t.Fatal(err)
	}
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Decode(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	data2, err := again.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), string(data2)); diff != "" {
		t.Fatalf("stored form (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(at.Public(), again.Public(), cmpopts.EquateComparable(paladin.FaceUp{})); diff != "" {
		t.Fatalf("public form (-before +after):\n%s", diff)
	}
	if (at.Awaited() == paladin.NoSeat) != (at.Stage() != table.Playing) {
		t.Fatalf("stage %s awaits seat %d", at.Stage(), at.Awaited())
	}
	for _, line := range out.Lines {
		if line.At.IsZero() || line.Kind == "" {
			t.Fatalf("line %+v", line)
		}
	}
}

func TestDecodeRefusals(t *testing.T) {
	at := playing(t)
	good, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Decode([]byte(`{"v":2}`)); !errors.Is(err, table.ErrVersion) {
		t.Errorf("a newer version: %v", err)
	}
	for _, bad := range []string{"", "{", "null", `{"v":0}`, `{"v":1}`, `{"v":1,"id":"x","unknown":1}`, string(good[:len(good)/2])} {
		if _, err := table.Decode([]byte(bad)); err == nil {
			t.Errorf("Decode(%.40q) took it", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	at := playing(f)
	good, err := at.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"v":1,"id":"a","channel":"c","stage":"lobby","options":{"seats":3}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		at, err := table.Decode(data)
		if err != nil {
			return
		}
		if err := at.Check(); err != nil {
			t.Fatalf("decoded a broken table: %v", err)
		}
		at.Public()
	})
}
