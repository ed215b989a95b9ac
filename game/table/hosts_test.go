package table_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// later carries out a command some time after the table was opened, and returns the refusal if there
// is one.
func later(t testing.TB, at table.Table, by table.Actor, cmd table.Command, after time.Duration) (table.Table, *table.Refusal) {
	t.Helper()
	next, _, err := at.Do(by, cmd, start.Add(after))
	var refusal *table.Refusal
	if err != nil && !errors.As(err, &refusal) {
		t.Fatalf("%s: %T: %v", by.Name, cmd, err)
	}
	if refusal == nil {
		if err := next.Check(); err != nil {
			t.Fatalf("after %T: %v", cmd, err)
		}
	}
	return next, refusal
}

// hostsAlone are the commands that are the host's.
func hostsAlone() []table.Command {
	return []table.Command{
		table.Start{}, table.Cancel{}, table.AddSquire{}, table.RemoveSeat{Seat: 2}, table.SetPace{Pace: table.PaceDaily},
		table.SetStrength{Strength: squire.Easy}, table.SetSquirePace{Pace: table.SquireCalm}, table.SetLanguage{Language: "de"},
		table.SetPictures{}, table.Invite{People: []table.Person{person("Finn").Person}},
	}
}

// TestAnyoneSeatedStartsAFullTable: nothing is left to wait for, so that no host can keep the others
// waiting; what else is the host's stays theirs.
func TestAnyoneSeatedStartsAFullTable(t *testing.T) {
	at := must(t, open(t, "Ann", 4), person("Ben"), table.Join{})
	at = must(t, at, person("Cleo"), table.Join{})
	if _, no := later(t, at, person("Cleo"), table.Start{}, time.Minute); no == nil || no.Kind != table.NotHost {
		t.Errorf("a guest starts a table with a free seat: %v", no)
	}
	full := must(t, at, person("Ann"), table.AddSquire{})
	if _, no := later(t, full, person("Dan"), table.Start{}, time.Minute); no == nil || no.Kind != table.NotSeated {
		t.Errorf("somebody without a seat starts it: %v", no)
	}
	for _, cmd := range hostsAlone()[1:] {
		if _, no := later(t, full, person("Cleo"), cmd, time.Minute); no == nil || no.Kind != table.NotHost {
			t.Errorf("a guest at a full table: %T: %v", cmd, no)
		}
	}
	started, no := later(t, full, person("Cleo"), table.Start{}, time.Minute)
	if no != nil || started.Stage() != table.Playing || started.Public().Game.Dealer != 0 {
		t.Errorf("a guest cannot start a full table: %v", no)
	}
}

// TestASilentHostHoldsNobodyUp: ten minutes after the host's last press everybody seated may do what
// is the host's, and nobody else; a press of the host's ends that, whatever it is.
func TestASilentHostHoldsNobodyUp(t *testing.T) {
	at := must(t, open(t, "Ann", 5), person("Ben"), table.Join{}) // Ben and Cleo come at minute 1
	at = must(t, at, person("Cleo"), table.Join{})
	const last = table.HostIdle - time.Second
	for _, cmd := range hostsAlone() {
		_, no := later(t, at, person("Ben"), cmd, last)
		if no == nil || no.Kind != table.NotHost || !no.At.Equal(start.Add(table.HostIdle)) || no.Name != "Ann" {
			t.Errorf("%T, a second too early: %+v", cmd, no)
		}
		if _, no = later(t, at, person("Eve"), cmd, table.HostIdle); no == nil || no.Kind != table.NotHost && no.Kind != table.NotSeated || !no.At.IsZero() {
			t.Errorf("%T by somebody without a seat: %+v", cmd, no)
		}
		if _, no = later(t, at, person("Ben"), cmd, table.HostIdle); no != nil {
			t.Errorf("%T, when the host is silent: %v", cmd, no)
		}
	}
	// The host presses something that changes nothing.
	if _, no := later(t, at, person("Ben"), table.Here{}, 9*time.Minute); no == nil || no.Kind != table.NotHost {
		t.Errorf("a guest says that the host is here: %v", no)
	}
	here, no := later(t, at, person("Ann"), table.Here{}, 9*time.Minute)
	if no != nil {
		t.Fatal(no)
	}
	if _, no := later(t, here, person("Ann"), table.Here{}, 9*time.Minute+table.HereAgain-1); no == nil || no.Kind != table.Stale {
		t.Errorf("noted twice: %v", no)
	}
	if _, no := later(t, here, person("Ben"), table.Cancel{}, 18*time.Minute); no == nil {
		t.Error("Ben acts as host though Ann pressed something")
	}
	// It survives a restart, and what an older program stored counts from the last press of anybody.
	data, err := here.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if again.MayHost(person("Ben").ID, start.Add(18*time.Minute)) || !again.MayHost(person("Ben").ID, start.Add(19*time.Minute)) {
		t.Error("after a restart it is another time")
	}
	if !strings.Contains(string(data), `"host_at":`) {
		t.Fatalf("not stored: %s", data)
	}
}

// TestALobbyOfAnOlderProgram has no time of the host's last press: it was at the last press of anybody
// at the latest.
func TestALobbyOfAnOlderProgram(t *testing.T) {
	at := must(t, open(t, "Ann", 4), person("Ben"), table.Join{}) // at minute 1
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old, err := table.Decode([]byte(withoutHostAt(string(data))))
	if err != nil {
		t.Fatal(err)
	}
	ben := person("Ben").ID
	if old.MayHost(ben, start.Add(10*time.Minute)) || !old.MayHost(ben, start.Add(11*time.Minute)) {
		t.Error("ten minutes do not begin at the last press")
	}
}

// withoutHostAt takes the time out of a snapshot, which has no digest then, as older ones.
func withoutHostAt(snapshot string) string {
	before, after, _ := strings.Cut(snapshot, `,"host_at":`)
	_, rest, _ := strings.Cut(after, "}")
	if at := strings.IndexByte(after, ','); at >= 0 && at < len(after)-len(rest)-1 {
		return before + after[at:]
	}
	return before + "}" + rest
}

// TestRemovingTheHost: whoever acts in a silent host's place can free that seat, too. The next one
// seated becomes the host and deals first (R5), and the one who was silent may sit down again.
func TestRemovingTheHost(t *testing.T) {
	at := must(t, open(t, "Ann", 3), person("Ben"), table.Join{})
	at = must(t, at, person("Cleo"), table.Join{})
	at = must(t, at, person("Dan"), table.Join{}) // queues
	ann := person("Ann").ID
	at, no := later(t, at, person("Cleo"), table.RemoveSeat{Seat: 0, Sits: &ann}, table.HostIdle)
	if no != nil {
		t.Fatal(no)
	}
	p := at.Public()
	if p.Host != person("Ben").ID || !p.HostLeft || p.SeatOf(person("Dan").ID) == paladin.NoSeat || p.SeatOf(p.Host) != 0 {
		t.Errorf("host %s, left %v, seats %v", p.Host, p.HostLeft, names(p))
	}
	// Ben is the host for ten minutes before somebody else may act in his stead.
	if _, no := later(t, at, person("Cleo"), table.SetPace{Pace: table.PaceDaily}, table.HostIdle+time.Minute); no == nil {
		t.Error("Cleo acts as host beside Ben")
	}
	at, no = later(t, at, person("Dan"), table.Leave{}, table.HostIdle+time.Minute)
	if no != nil {
		t.Fatal(no)
	}
	if _, no = later(t, at, person("Ann"), table.Join{}, table.HostIdle+time.Minute); no != nil {
		t.Errorf("Ann cannot sit down again: %v", no)
	}
}

// TestAHostWhoIsGoneIsSucceeded as if they had left, with a queue as with squires alone beside them.
func TestAHostWhoIsGoneIsSucceeded(t *testing.T) {
	at := must(t, open(t, "Ann", 3), person("Ben"), table.Join{})
	at, no := later(t, at, table.Actor{}, table.Gone{User: person("Ann").ID}, time.Minute)
	if no != nil || at.Public().Host != person("Ben").ID || !at.Public().HostLeft {
		t.Errorf("host %s: %v", at.Public().Host, no)
	}
	alone := must(t, open(t, "Ann", 3), person("Ann"), table.AddSquire{})
	alone, no = later(t, alone, table.Actor{}, table.Gone{User: person("Ann").ID}, time.Minute)
	if no != nil || alone.Stage() != table.Closed {
		t.Errorf("a lobby of squires alone is %s: %v", alone.Stage(), no)
	}
}
