package table_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/table"
)

// paced returns a running game of Ann, who deals, Ben, Cleo and these others at this pace.
func paced(t testing.TB, pace table.Pace, more ...string) table.Table {
	t.Helper()
	at := open(t, "Ann", 5)
	at = must(t, at, person("Ann"), table.SetPace{Pace: pace})
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Cleo"), table.Join{})
	for _, name := range more {
		at = must(t, at, person(name), table.Join{})
	}
	return must(t, at, person("Ann"), table.Start{})
}

// clock carries out what the clock asks for.
func clock(t testing.TB, at table.Table, cmd table.Command, now time.Time) (table.Table, table.Outcome) {
	t.Helper()
	next, out, err := at.Do(table.Actor{}, cmd, now)
	if err != nil {
		t.Fatalf("%T: %v", cmd, err)
	}
	if err := next.Check(); err != nil {
		t.Fatal(err)
	}
	return next, out
}

func deadline(t testing.TB, at table.Table, kind string, h table.Habits) (time.Time, bool) {
	t.Helper()
	for _, d := range at.Deadlines(func(table.UserID) table.Habits { return h }) {
		if d.Kind == kind {
			return d.At, true
		}
	}
	return time.Time{}, false
}

func TestTurnEndsByThePace(t *testing.T) {
	began := start.Add(time.Minute)
	quiet := table.Habits{Quiet: table.Quiet{From: 12 * 60, To: 20 * 60}}
	for pace, limit := range map[table.Pace]time.Duration{
		table.PaceLive: 3 * time.Minute, table.PaceRelaxed: 12 * time.Hour, table.PaceDaily: 24 * time.Hour, table.PaceWeekend: 72 * time.Hour,
	} {
		at := paced(t, pace)
		if end, ok := deadline(t, at, table.DeadlineTurn, table.Habits{}); !ok || !end.Equal(began.Add(limit)) {
			t.Errorf("%s: ends at %v, %v", pace, end, ok)
		}
		end, _ := deadline(t, at, table.DeadlineTurn, quiet)
		if stands := end.After(began.Add(limit)); stands != (pace != table.PaceLive) {
			t.Errorf("%s: with quiet hours it ends at %v", pace, end)
		}
	}
	if end, ok := deadline(t, paced(t, table.PaceNone), table.DeadlineTurn, table.Habits{}); ok {
		t.Errorf("no clock, and it ends at %v", end)
	}
}

func TestTimeoutIsOneMarkedTurnAndThreeInARowKeepTheSeat(t *testing.T) {
	at := paced(t, table.PaceDaily)
	now := start.Add(24 * time.Hour)
	missed := map[paladin.Seat]int{}
	for range 40 {
		seat := at.Awaited()
		if at.SquireToAct() {
			at, _ = clock(t, at, table.SquireMove{Prompt: at.Prompt()}, now)
			continue
		}
		if at.Public().Seats[1].Away {
			break
		}
		if who, _ := at.AwaitedPerson(); who.Name != "Ben" { // everybody but Ben moves in time
			mine, _ := at.Private(who.ID)
			at = must(t, at, person(who.Name), table.Play{Prompt: at.Prompt(), Move: mine.View.Legal()[0]})
			continue
		}
		old := at.Prompt()
		var out table.Outcome
		at, out = clock(t, at, table.Timeout{Prompt: at.Prompt()}, now)
		missed[seat]++
		if out.Lines[0].Kind != table.LineTimeout {
			t.Fatalf("the move is not marked: %+v", out.Lines[0])
		}
		if kind := refused(t, at, table.Actor{}, table.Timeout{Prompt: old}); kind != table.Stale {
			t.Fatalf("the same end twice: %q", kind)
		}
		if at.Awaited() == seat && at.Public().Game.Phase != paladin.PhaseResolve {
			t.Fatal("the squire peeked and did not place")
		}
	}
	if missed[1] != table.MaxMissed {
		t.Errorf("Ben lost the seat after %d turns", missed[1])
	}
	at = must(t, at, person("Ben"), table.Back{})
	if at.Public().Seats[1].Away || at.Public().Seats[1].Missed != 0 {
		t.Error("Ben is not back")
	}
}

func TestOwnMoveEndsTheCount(t *testing.T) {
	at := paced(t, table.PaceDaily)
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(25*time.Hour)) // Ann's first turn
	if at.Public().Seats[0].Missed != 1 || !at.Public().Seats[0].Overdue {
		t.Fatalf("%+v", at.Public().Seats[0])
	}
	for at.Awaited() != 0 {
		who, _ := at.AwaitedPerson()
		mine, _ := at.Private(who.ID)
		at = must(t, at, person(who.Name), table.Play{Move: mine.View.Legal()[0]})
	}
	mine, _ := at.Private(person("Ann").ID)
	at = must(t, at, person("Ann"), table.Play{Move: mine.View.Legal()[0]})
	if at.Public().Seats[0].Missed != 0 {
		t.Error("a move in time does not end the count")
	}
}

func TestRemindersAreFewAndEnd(t *testing.T) {
	at := paced(t, table.PaceDaily)
	began := start.Add(time.Minute)
	for i, want := range []time.Duration{8 * time.Hour, 16 * time.Hour} {
		due, ok := deadline(t, at, table.DeadlineRemind, table.Habits{})
		if !ok || !due.Equal(began.Add(want)) {
			t.Fatalf("reminder %d: %v, %v", i, due, ok)
		}
		var out table.Outcome
		at, out = clock(t, at, table.Nudge{Prompt: at.Prompt()}, due)
		if !out.Reminded || len(out.Lines) != 0 {
			t.Fatalf("outcome %+v", out)
		}
	}
	if due, ok := deadline(t, at, table.DeadlineRemind, table.Habits{}); ok {
		t.Errorf("a third reminder at %v", due)
	}
	none := table.Habits{Way: table.RemindNone}
	if due, ok := deadline(t, paced(t, table.PaceDaily), table.DeadlineRemind, none); ok {
		t.Errorf("a reminder at %v for somebody who wants none", due)
	}
	own := table.Habits{Reminders: 4, Every: time.Hour}
	if due, _ := deadline(t, paced(t, table.PaceNone), table.DeadlineRemind, own); !due.Equal(began.Add(time.Hour)) {
		t.Errorf("own spacing: %v", due)
	}
}

func TestGraceAfterDowntime(t *testing.T) {
	at := paced(t, table.PaceDaily)
	up := start.Add(48 * time.Hour) // the time ran out while nothing ran
	at, _ = clock(t, at, table.Grace{Prompt: at.Prompt()}, up)
	if end, _ := deadline(t, at, table.DeadlineTurn, table.Habits{}); !end.Equal(up.Add(2 * time.Hour)) {
		t.Errorf("after the start the turn ends at %v", end)
	}
	mine, _ := at.Private(person("Ann").ID)
	at = must(t, at, person("Ann"), table.Play{Move: mine.View.Legal()[0]})
	if end, _ := deadline(t, at, table.DeadlineTurn, table.Habits{}); !end.Equal(start.Add(time.Minute + 24*time.Hour)) {
		t.Errorf("the next turn ends at %v", end)
	}
	at = paced(t, table.PaceDaily)
	night := table.Habits{Quiet: table.Quiet{From: 11 * 60, To: 20 * 60}} // the program comes back at 12:00
	at, _ = clock(t, at, table.Grace{Prompt: at.Prompt(), Habits: night}, up)
	if end, _ := deadline(t, at, table.DeadlineTurn, night); !end.Equal(up.Add(10 * time.Hour)) {
		t.Errorf("after a start in the night the turn ends at %v", end)
	}
}

func TestPauseStopsTheClock(t *testing.T) {
	at := paced(t, table.PaceDaily)
	at = must(t, at, person("Ann"), table.VotePause{})
	if at.Public().Paused {
		t.Fatal("one of three paused the game")
	}
	at = must(t, at, person("Ben"), table.VotePause{})
	if !at.Public().Paused {
		t.Fatal("two of three did not")
	}
	for _, kind := range []string{table.DeadlineTurn, table.DeadlineRemind} {
		if due, ok := deadline(t, at, kind, table.Habits{}); ok {
			t.Errorf("paused, and %s at %v", kind, due)
		}
	}
	if kind := refused(t, at, table.Actor{}, table.Timeout{Prompt: at.Prompt()}); kind != table.Stale {
		t.Errorf("a timeout in a pause: %q", kind)
	}
	resumed, _, err := at.Do(moderator("Mod"), table.VoteResume{}, start.Add(time.Minute+5*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := deadline(t, resumed, table.DeadlineTurn, table.Habits{}); !end.Equal(start.Add(time.Minute + 29*time.Hour)) {
		t.Errorf("the pause counts: the turn ends at %v", end)
	}
}

func TestStandIn(t *testing.T) {
	at := paced(t, table.PaceDaily)
	if kind := refused(t, at, person("Eve"), table.Offer{Seat: 0}); kind != table.NotOverdue {
		t.Errorf("nobody is late: %q", kind)
	}
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(25*time.Hour))
	if kind := refused(t, at, person("Ben"), table.Offer{Seat: 0}); kind != table.HeldSeat {
		t.Errorf("a player of another seat: %q", kind)
	}
	at = must(t, at, person("Eve"), table.Offer{Seat: 0})
	accept := table.Accept{Seat: 0, User: person("Eve").ID}
	if kind := refused(t, at, person("Eve"), accept); kind != table.NotSeated {
		t.Errorf("Eve accepts herself: %q", kind)
	}
	// Ann is the host and the one who is late: the others decide.
	at = must(t, at, person("Ben"), accept)
	if at.SeatOf(person("Eve").ID) != paladin.NoSeat {
		t.Fatal("one of two others is no majority")
	}
	before, _ := at.Private(person("Ann").ID)
	at = must(t, at, person("Cleo"), accept)
	mine, ok := at.Private(person("Eve").ID)
	if !ok || mine.Seat != 0 || len(mine.View.Hand) != len(before.View.Hand) {
		t.Fatal("the seat's knowledge did not go over")
	}
	if _, ok := at.Private(person("Ann").ID); ok {
		t.Error("the old owner still sees the cards")
	}
	if kind := refused(t, at, person("Ann"), table.Play{}); kind != table.NotSeated {
		t.Errorf("the old owner moves: %q", kind)
	}
	at = must(t, at, person("Ann"), table.Reclaim{})
	if at.SeatOf(person("Ann").ID) != 0 || at.SeatOf(person("Eve").ID) != paladin.NoSeat {
		t.Fatal("the owner did not get the seat back")
	}
	// Eve knows seat 1's cards and can stand in for no other.
	for at.Awaited() != 1 {
		who, _ := at.AwaitedPerson()
		view, _ := at.Private(who.ID)
		at = must(t, at, person(who.Name), table.Play{Move: view.View.Legal()[0]})
	}
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(99*time.Hour))
	if kind := refused(t, at, person("Eve"), table.Offer{Seat: 1}); kind != table.HeldSeat {
		t.Errorf("who held another seat: %q", kind)
	}
}

// TestVotesForAStandInAreCountedAgain when somebody leaves who has not voted: what is a majority now needs no further press, and nobody
// could give one.
func TestVotesForAStandInAreCountedAgain(t *testing.T) {
	for _, leaver := range []string{"Cleo", "Ben"} {
		at := paced(t, table.PaceDaily, "Dan", "Eli")
		at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(25*time.Hour)) // Ann, the host
		at = must(t, at, person("Eve"), table.Offer{Seat: 0})
		at = must(t, at, person("Ben"), table.Accept{Seat: 0, User: person("Eve").ID})
		at = must(t, at, person("Dan"), table.Accept{Seat: 0, User: person("Eve").ID})
		at = must(t, at, person(leaver), table.Leave{})
		if sits := at.SeatOf(person("Eve").ID) == 0; sits != (leaver == "Cleo") {
			t.Errorf("Ben voted for Eve and %s left: she sits there: %v", leaver, sits)
		}
		if leaver == "Ben" && at.Public().Offers[0].Votes != 1 {
			t.Error("the vote of somebody who left counts")
		}
	}
}

func TestGoneFromTheServer(t *testing.T) {
	at := paced(t, table.PaceNone)
	at, _ = clock(t, at, table.Gone{User: person("Ann").ID}, start.Add(time.Hour))
	if !at.SquireToAct() || at.Public().Host != person("Ben").ID {
		t.Error("a squire plays on, and the host is somebody who is there")
	}
}

// TestSomebodyIsAwaitedOrAClockRuns: at any time either somebody present is awaited by name, or a clock runs, or the game is over;
// whoever vanishes, and at every pace.
func TestSomebodyIsAwaitedOrAClockRuns(t *testing.T) {
	people := []string{"Ann", "Ben", "Cleo", "Eve"}
	rapid.Check(t, func(t *rapid.T) {
		o := opening("Ann", 3)
		o.Options.Pace = rapid.SampledFrom(table.Paces()).Draw(t, "pace")
		at, _, err := table.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		now := start
		do := func(by table.Actor, cmd table.Command) {
			if next, _, err := at.Do(by, cmd, now); err == nil {
				at = next
			}
		}
		do(person("Ben"), table.Join{})
		do(person("Cleo"), table.Join{})
		do(person("Ann"), table.Start{})
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			now = now.Add(time.Minute)
			by := person(rapid.SampledFrom(people).Draw(t, "who"))
			switch rapid.IntRange(0, 14).Draw(t, "what") {
			case 0:
				do(by, table.Leave{})
			case 1:
				do(by, table.Back{})
			case 2:
				do(by, table.VotePause{})
			case 3:
				do(by, table.VoteResume{})
			case 4:
				do(by, table.Offer{Seat: paladin.Seat(rapid.IntRange(0, 2).Draw(t, "seat"))})
			case 5:
				do(by, table.Accept{Seat: paladin.Seat(rapid.IntRange(0, 2).Draw(t, "seat")), User: person("Eve").ID})
			case 6:
				do(by, table.Reclaim{})
			case 7:
				do(table.Actor{}, table.Timeout{Prompt: at.Prompt()})
			case 8:
				do(table.Actor{}, table.Gone{User: by.ID})
			case 10:
				seat := rapid.IntRange(0, 2).Draw(t, "seat")
				do(mod, table.SendOff{Seat: paladin.Seat(seat), User: at.Holder(paladin.Seat(seat)).ID})
			case 11:
				do(mod, table.LetBack{User: by.ID})
			case 9:
				do(table.Actor{}, table.Nudge{Prompt: at.Prompt()})
			default:
				play(t, &at, by, now)
			}
			if err := at.Check(); err != nil {
				t.Fatal(err)
			}
			reencode(t, &at)
			if at.Stage() != table.Playing {
				return
			}
			moves := 0
			for _, d := range at.Deadlines(habits) {
				if d.Kind == table.DeadlineSquire || d.Kind == table.DeadlineTurn {
					moves++
				}
			}
			_, awaited := at.AwaitedPerson()
			if !awaited && moves == 0 {
				t.Fatalf("nobody is awaited and no clock runs: %+v", at.Public())
			}
		}
	})
}

func play(t *rapid.T, at *table.Table, by table.Actor, now time.Time) {
	cmd := table.Command(table.SquireMove{Prompt: at.Prompt()})
	if who, ok := at.AwaitedPerson(); ok {
		mine, _ := at.Private(who.ID)
		by = person(who.Name)
		cmd = table.Play{Prompt: at.Prompt(), Move: rapid.SampledFrom(mine.View.Legal()).Draw(t, "move")}
	}
	next, _, err := at.Do(by, cmd, now)
	if err != nil {
		t.Fatalf("%T: %v", cmd, err)
	}
	*at = next
}

func reencode(t *rapid.T, at *table.Table) {
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Decode(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	second, err := again.Encode()
	if err != nil || string(second) != string(data) {
		t.Fatalf("stored form changed: %v\n%s\n%s", err, data, second)
	}
}
