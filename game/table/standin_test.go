package table_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
	"paladin/game/table"
)

// late returns a running game of Ann, Ben and Cleo in which Ben's time ran out once, and Eve offers to stand in for him.
func late(t testing.TB, more ...string) table.Table {
	t.Helper()
	at := paced(t, table.PaceDaily, more...)
	for at.Awaited() != 1 {
		at = moved(t, at)
	}
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(25*time.Hour))
	return must(t, at, person("Eve"), table.Offer{Seat: 1})
}

// moved makes the first move that the awaited person may make.
func moved(t testing.TB, at table.Table) table.Table {
	t.Helper()
	who, _ := at.AwaitedPerson()
	mine, _ := at.Private(who.ID)
	return must(t, at, person(who.Name), table.Play{Move: mine.View.Legal()[0]})
}

var takeEve = table.Accept{Seat: 1, User: person("Eve").ID}

func sitsAt(at *table.Table, name string) paladin.Seat { return at.SeatOf(person(name).ID) }

func TestTheHostAloneHandsNoSeatOverThatIsNotAway(t *testing.T) {
	at := late(t)
	want := []table.PublicOffer{{Seat: 1, Person: person("Eve").Person, Needed: 2}}
	if diff := cmp.Diff(want, at.Public().Offers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at = must(t, at, person("Ann"), takeEve)
	if sitsAt(&at, "Eve") != paladin.NoSeat {
		t.Fatal("the host alone gave a seat away after one turn that ran out")
	}
	if kind := refused(t, at, person("Ann"), takeEve); kind != table.AlreadyVoted {
		t.Errorf("the host's second vote: %q", kind)
	}
	if at.Public().Offers[0].Votes != 1 {
		t.Errorf("%+v", at.Public().Offers[0])
	}
	if kind := refused(t, at, person("Ben"), takeEve); kind != table.OwnSeat {
		t.Errorf("the late one votes: %q", kind)
	}
	at = must(t, at, person("Cleo"), takeEve)
	if sitsAt(&at, "Eve") != 1 {
		t.Error("two others are a majority, and did not hand the seat over")
	}
}

func TestTheHostAloneAcceptsForASeatThatIsAway(t *testing.T) {
	at := must(t, late(t), person("Ben"), table.Leave{})
	if o := at.Public().Offers[0]; !o.Host || o.Waits || o.Needed != 2 {
		t.Errorf("%+v", o)
	}
	at = must(t, at, person("Cleo"), takeEve)
	if sitsAt(&at, "Eve") != paladin.NoSeat {
		t.Fatal("one who is not the host gave the seat away")
	}
	at = must(t, at, person("Ann"), takeEve)
	if sitsAt(&at, "Eve") != 1 {
		t.Error("the host did not")
	}
}

// TestAHostsVoteCountsOnceTheSeatIsAway: nobody has to press again for what they agreed to.
func TestAHostsVoteCountsOnceTheSeatIsAway(t *testing.T) {
	at := must(t, late(t), person("Ann"), takeEve)
	left := must(t, at, person("Ben"), table.Leave{})
	if sitsAt(&left, "Eve") != 1 {
		t.Error("the seat is away, and the host agreed before")
	}
	at = must(t, late(t), person("Cleo"), takeEve)
	left = must(t, at, person("Ben"), table.Leave{})
	if sitsAt(&left, "Eve") != paladin.NoSeat {
		t.Error("the vote of one who is not the host handed it over")
	}
	left = must(t, left, person("Ann"), table.Leave{})
	if sitsAt(&left, "Eve") != 1 {
		t.Error("who agreed is the host now, and the only one there")
	}
}

// TestWithOneOtherAnOfferWaitsForTheSeatToBeAway: at a table with a squire nobody can make two votes.
func TestWithOneOtherAnOfferWaitsForTheSeatToBeAway(t *testing.T) {
	at := open(t, "Ann", 3)
	at = must(t, at, person("Ann"), table.SetPace{Pace: table.PaceDaily}, table.AddSquire{})
	at = must(t, at, person("Ben"), table.Join{})
	at = must(t, at, person("Ann"), table.Start{})
	for at.Awaited() != 2 {
		if at.SquireToAct() {
			at, _ = clock(t, at, table.SquireMove{Prompt: at.Prompt()}, start)
			continue
		}
		at = moved(t, at)
	}
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(25*time.Hour))
	at = must(t, at, person("Eve"), table.Offer{Seat: 2})
	take := table.Accept{Seat: 2, User: person("Eve").ID}
	at = must(t, at, person("Ann"), take)
	o := at.Public().Offers[0]
	if sitsAt(&at, "Eve") != paladin.NoSeat || !o.Waits || o.Host || o.Votes != 1 || o.Needed != 2 {
		t.Fatalf("%+v", o)
	}
	if kind := refused(t, at, person("Ann"), take); kind != table.AcceptWaits {
		t.Errorf("the same vote twice: %q", kind)
	}
	at = must(t, at, person("Ben"), table.Leave{})
	if sitsAt(&at, "Eve") != 2 {
		t.Error("the seat is away, and the host agreed")
	}
}

// TestVotesOfWhoeverPlaysNoSeatDoNotCount: somebody voted and has left, or had a stand-in take their own seat.
func TestVotesOfWhoeverPlaysNoSeatDoNotCount(t *testing.T) {
	at := must(t, late(t, "Dan", "Eli"), person("Cleo"), takeEve)
	at = must(t, at, person("Cleo"), table.Leave{})
	if o := at.Public().Offers[0]; o.Votes != 0 || o.Needed != 2 {
		t.Errorf("three others are left: %+v", o)
	}
	at = must(t, at, person("Ann"), takeEve)
	at = must(t, at, person("Fay"), table.Offer{Seat: 2})
	at = must(t, at, person("Ann"), table.Accept{Seat: 2, User: person("Fay").ID})
	if o := at.Public().Offers[0]; o.Votes != 1 || o.Needed != 3 || sitsAt(&at, "Fay") != 2 {
		t.Errorf("four others: %+v", o)
	}
}

// TestAVoterWhoseSeatIsTakenOver: their votes for other seats go with the seat.
func TestAVoterWhoseSeatIsTakenOver(t *testing.T) {
	at := late(t, "Dan", "Eli")
	for at.Awaited() != 2 {
		at = moved(t, at)
	}
	at, _ = clock(t, at, table.Timeout{Prompt: at.Prompt()}, start.Add(50*time.Hour))
	at = must(t, at, person("Cleo"), takeEve)
	at = must(t, at, person("Fay"), table.Offer{Seat: 2})
	for _, name := range []string{"Ann", "Dan", "Eli"} {
		at = must(t, at, person(name), table.Accept{Seat: 2, User: person("Fay").ID})
	}
	if o := at.Public().Offers[0]; sitsAt(&at, "Fay") != 2 || o.Votes != 0 {
		t.Errorf("Cleo's vote counts still: %+v", o)
	}
	at = must(t, at, person("Ann"), takeEve)
	at = must(t, at, person("Dan"), takeEve)
	if sitsAt(&at, "Eve") != paladin.NoSeat {
		t.Error("two of four others, and the seat was handed over")
	}
}

// TestAnOwnersMoveEndsTheOffers for their seat.
func TestAnOwnersMoveEndsTheOffers(t *testing.T) {
	at := late(t)
	at = must(t, at, person("Ann"), takeEve)
	for at.Awaited() != 1 {
		at = moved(t, at)
	}
	at = moved(t, at)
	if kind := refused(t, at, person("Cleo"), takeEve); kind != table.NoOffer {
		t.Errorf("Ben moved meanwhile: %q", kind)
	}
}

// TestWhoStoodInIsKept by name, in what everybody may know, and once.
func TestWhoStoodInIsKept(t *testing.T) {
	at := must(t, late(t), person("Ann"), takeEve)
	at = must(t, at, person("Cleo"), takeEve)
	at = must(t, at, person("Ben"), table.Reclaim{}, table.Leave{})
	at = must(t, at, person("Eve"), table.Offer{Seat: 1})
	at = must(t, at, person("Ann"), takeEve)
	at = must(t, at, person("Ben"), table.Reclaim{})
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]table.Person{person("Eve").Person}, again.Public().Seats[1].Former); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAnOlderTableWithAStandIn: older programs kept no names of those who stood in before.
func TestAnOlderTableWithAStandIn(t *testing.T) {
	at := must(t, late(t), person("Ann"), takeEve)
	at = must(t, at, person("Cleo"), takeEve)
	at = must(t, at, person("Ben"), table.Reclaim{})
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`,"former_names":\[[^]]*\]|,"digest":"[^"]*"`).ReplaceAllString(string(data), "")
	if len(old) == len(data) {
		t.Fatal("nothing was taken away")
	}
	again, err := table.Decode([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if former := again.Public().Seats[1].Former; len(former) != 1 || former[0] != (table.Person{ID: person("Eve").ID}) {
		t.Errorf("%+v", former)
	}
	if kind := refused(t, again, person("Eve"), table.Offer{Seat: 0}); kind != table.HeldSeat && kind != table.NotOverdue {
		t.Errorf("%q", kind)
	}
	if again.FormerSeat(person("Eve").ID) != 1 {
		t.Error("Eve never stood in")
	}
}
