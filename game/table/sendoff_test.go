package table_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
	"paladin/game/table"
)

var mod = moderator("Mod")

func sendOff(seat int, name string) table.SendOff {
	return table.SendOff{Seat: paladin.Seat(seat), User: person(name).ID}
}

// again is the table as it is read after a restart.
func again(t testing.TB, at table.Table) table.Table {
	t.Helper()
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	next, err := table.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	was, is := at.Public(), next.Public()
	if diff := cmp.Diff([]any{was.Seats, was.Offers, was.SentOff, was.Host}, []any{is.Seats, is.Offers, is.SentOff, is.Host}); diff != "" {
		t.Fatalf("(-before +after a restart):\n%s", diff)
	}
	return next
}

func TestSendOffHandsTheSeatToASquire(t *testing.T) {
	at := paced(t, table.PaceDaily, "Dan")
	if kind := refused(t, at, person("Ann"), sendOff(1, "Ben")); kind != table.NotModerator {
		t.Errorf("the host: %q", kind)
	}
	for cmd, want := range map[table.SendOff]table.RefusalKind{
		sendOff(1, "Cleo"): table.NotTheirSeat, sendOff(-1, "Ben"): table.NotTheirSeat, sendOff(9, "Ben"): table.NotTheirSeat,
		{Seat: 1}: table.NotTheirSeat,
	} {
		if kind := refused(t, at, mod, cmd); kind != want {
			t.Errorf("%+v: %q", cmd, kind)
		}
	}
	at = must(t, at, person("Ben"), table.VoteStop{}, table.VotePause{})
	next, out, err := at.Do(mod, sendOff(1, "Ben"), start)
	if err != nil {
		t.Fatal(err)
	}
	want := table.Line{At: start, Kind: table.LineSentOff, Seat: 1, User: person("Ben").ID, Name: "Ben", Other: "Mod", By: mod.ID}
	if diff := cmp.Diff([]table.Line{want}, out.Lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at = again(t, next)
	public := at.Public()
	if s := public.Seats[1]; !s.Away || !s.SentOff || public.StopVotes != 0 || public.PauseVotes != 0 {
		t.Errorf("%+v, %d and %d votes", s, public.StopVotes, public.PauseVotes)
	}
	if kind := refused(t, at, mod, sendOff(1, "Ben")); kind != table.SentOffAlready {
		t.Errorf("the same press twice: %q", kind)
	}
	for _, cmd := range []table.Command{table.Back{}, table.Leave{}, table.VoteStop{}, table.VotePause{}, table.Play{}} {
		if kind := refused(t, at, person("Ben"), cmd); kind != table.SentOff {
			t.Errorf("%T: %q", cmd, kind)
		}
	}
	if kind := refused(t, at, person("Ben"), table.LetBack{User: person("Ben").ID}); kind != table.NotModerator {
		t.Errorf("Ben lets himself back: %q", kind)
	}
	if kind := refused(t, at, mod, table.LetBack{User: person("Ann").ID}); kind != table.NotSentOff {
		t.Errorf("Ann was not sent off: %q", kind)
	}
	at = again(t, must(t, at, mod, table.LetBack{User: person("Ben").ID}))
	if kind := refused(t, at, mod, table.LetBack{User: person("Ben").ID}); kind != table.NotSentOff {
		t.Errorf("let back twice: %q", kind)
	}
	at = must(t, at, person("Ben"), table.Back{})
	if s := at.Public().Seats[1]; s.Away || s.SentOff {
		t.Errorf("%+v", s)
	}
}

func TestSendOffInEveryCase(t *testing.T) {
	t.Run("the awaited host, in a pause", func(t *testing.T) {
		at := must(t, paced(t, table.PaceDaily), mod, table.VotePause{}, sendOff(0, "Ann"))
		if p := at.Public(); !p.Paused || p.Host != person("Ben").ID || !at.SquireToAct() {
			t.Errorf("%+v", p)
		}
		at, _ = clock(t, at, table.SquireMove{Prompt: at.Prompt()}, start)
	})
	t.Run("somebody away", func(t *testing.T) {
		at := must(t, paced(t, table.PaceDaily), person("Ben"), table.Leave{})
		at = must(t, at, mod, sendOff(1, "Ben"))
		if kind := refused(t, at, person("Ben"), table.Back{}); kind != table.SentOff {
			t.Errorf("%q", kind)
		}
	})
	t.Run("the last who is there", func(t *testing.T) {
		at := must(t, paced(t, table.PaceDaily), person("Ben"), table.Leave{})
		at = must(t, at, person("Cleo"), table.Leave{})
		at = must(t, at, mod, sendOff(0, "Ann"))
		if at.Stage() != table.Closed || at.Reason() != table.ClosedEmpty {
			t.Errorf("%s %s", at.Stage(), at.Reason())
		}
	})
	t.Run("one's own seat", func(t *testing.T) {
		if kind := refused(t, paced(t, table.PaceDaily), moderator("Ann"), sendOff(0, "Ann")); kind != table.SendOffSelf {
			t.Errorf("%q", kind)
		}
	})
	t.Run("a lobby and a game that is over", func(t *testing.T) {
		if kind := refused(t, open(t, "Ann", 3), mod, sendOff(0, "Ann")); kind != table.NotStarted {
			t.Errorf("%q", kind)
		}
		over := must(t, paced(t, table.PaceDaily), mod, table.ForceStop{})
		if kind := refused(t, over, mod, sendOff(1, "Ben")); kind != table.GameOver {
			t.Errorf("%q", kind)
		}
	})
	t.Run("offers for the seat stay, and what was agreed goes", func(t *testing.T) {
		at := must(t, late(t), person("Ann"), takeEve)
		at = must(t, at, mod, sendOff(1, "Ben"))
		if o := at.Public().Offers; sitsAt(&at, "Eve") != paladin.NoSeat || len(o) != 1 || o[0].Votes != 0 || !o[0].Host {
			t.Fatalf("%+v", o)
		}
		at = must(t, at, person("Ann"), takeEve)
		if kind := refused(t, at, person("Ben"), table.Reclaim{}); kind != table.SentOff || sitsAt(&at, "Eve") != 1 {
			t.Errorf("Ben takes the seat back from Eve: %q", kind)
		}
		at = must(t, at, mod, table.LetBack{User: person("Ben").ID})
		at = must(t, at, person("Ben"), table.Reclaim{})
		if sitsAt(&at, "Ben") != 1 {
			t.Error("Ben was let back")
		}
	})
}

// TestAStandInIsSentOff: the seat is its owner's again, who is away and may come back; the stand-in may not.
func TestAStandInIsSentOff(t *testing.T) {
	at := must(t, late(t), person("Ben"), table.Leave{})
	at = must(t, at, person("Ann"), takeEve)
	at = must(t, at, person("Eve"), table.VoteStop{})
	at = again(t, must(t, at, mod, sendOff(1, "Eve")))
	public := at.Public()
	if s := public.Seats[1]; s.Person.ID != person("Ben").ID || !s.Away || s.SentOff || s.Owner.ID != "" || public.StopVotes != 0 {
		t.Fatalf("%+v", s)
	}
	if kind := refused(t, at, mod, sendOff(1, "Eve")); kind != table.SentOffAlready {
		t.Errorf("the same press twice: %q", kind)
	}
	if kind := refused(t, at, person("Eve"), table.Offer{Seat: 1}); kind != table.SentOff {
		t.Errorf("Eve offers again: %q", kind)
	}
	back := must(t, at, person("Ben"), table.Back{})
	if diff := cmp.Diff([]table.Person{person("Eve").Person}, back.Public().Seats[1].Former); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at = must(t, at, mod, table.LetBack{User: person("Eve").ID})
	must(t, at, person("Eve"), table.Offer{Seat: 1})
}

// TestTheOwnerOfAStoodInSeatIsSentOff: the stand-in plays on, and the owner cannot take the seat back.
func TestTheOwnerOfAStoodInSeatIsSentOff(t *testing.T) {
	at := must(t, late(t), person("Ben"), table.Leave{})
	at = must(t, at, person("Ann"), takeEve)
	if kind := refused(t, at, moderator("Ben"), sendOff(1, "Ben")); kind != table.SendOffSelf {
		t.Errorf("oneself: %q", kind)
	}
	at = again(t, must(t, at, mod, sendOff(1, "Ben")))
	if s := at.Public().Seats[1]; s.Person.ID != person("Eve").ID || s.Away || s.SentOff {
		t.Fatalf("%+v", s)
	}
	if l := at.Public().Recent; l[len(l)-1].Reason != table.OwnerSentOff {
		t.Errorf("%+v", l[len(l)-1])
	}
	if kind := refused(t, at, person("Ben"), table.Reclaim{}); kind != table.SentOff {
		t.Errorf("Ben takes the seat back: %q", kind)
	}
	at = must(t, at, mod, table.LetBack{User: person("Ben").ID})
	at = must(t, at, person("Ben"), table.Reclaim{})
	if sitsAt(&at, "Ben") != 1 {
		t.Error("Ben was let back")
	}
}

// TestSentOffInResultsAndAfterwards: a seat counts as one that was left, whoever was sent off is not carried into the next game, and
// nothing is left of people who are forgotten.
func TestSentOffInResultsAndAfterwards(t *testing.T) {
	l := newLife(t, []string{"Ann", "Ben", "Cleo"}, 0)
	l.do(person("Ann"), table.Start{})
	l.awaits("Ben")
	l.do(table.Actor{}, table.Timeout{Prompt: l.at.Prompt()})
	l.do(person("Ben"), table.Leave{})
	l.do(person("Eve"), table.Offer{Seat: 1})
	l.do(person("Ann"), takeEve)
	for range 6 {
		l.step(first)
	}
	l.do(mod, sendOff(1, "Eve"))
	l.do(person("Ben"), table.Back{})
	for range 6 {
		l.step(first)
	}
	l.do(mod, sendOff(2, "Cleo"))
	l.finish()
	scores := l.at.Tally(l.lines)
	if s := scores[1]; s.Holder.Name != "Ben" || s.Away || len(s.Former) != 1 || s.Former[0].Name != "Eve" {
		t.Errorf("%+v", s)
	}
	if s := scores[2]; s.Holder.Name != "Cleo" || !s.Away || s.Holder.SquireMoves == 0 {
		t.Errorf("%+v", s)
	}
	o := opening("Ann", 3)
	o.ID = "t2"
	fresh, _, _, err := l.at.Again(o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Ann", "Ben"}, names(fresh.Public())); diff != "" {
		t.Errorf("who sits down again (-want +got):\n%s", diff)
	}
	snapshot, entries := encoded(t, l)
	for _, name := range []string{"Mod", "Cleo", "Eve", "Ben", "Ann"} {
		snapshot, entries = forgotten(t, name, snapshot, entries)
	}
}

// TestSendOffLeavesTheClockTrue: the turn of somebody who is sent off is a squire's from that moment.
func TestSendOffLeavesTheClockTrue(t *testing.T) {
	at := paced(t, table.PaceDaily)
	at, _, err := at.Do(mod, sendOff(0, "Ann"), start.Add(5*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if end, ok := deadline(t, at, table.DeadlineTurn, table.Habits{}); ok {
		t.Errorf("a clock runs until %v", end)
	}
	if _, ok := deadline(t, at, table.DeadlineSquire, table.Habits{}); !ok {
		t.Error("no squire moves")
	}
}
