package table_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"paladin/game/table"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("no time zone data: %v", err)
	}
	return z
}

func TestQuietHoursStopTheClock(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	night := table.Quiet{From: 22 * 60, To: 8 * 60, Zone: berlin}
	noon := table.Quiet{From: 12 * 60, To: 14 * 60, Zone: time.UTC}
	missing := table.Quiet{From: 2 * 60, To: 3 * 60, Zone: berlin} // does not exist on the day on which clocks go forward
	havana := zone(t, "America/Havana")                            // where that happens at midnight
	evening, early := table.Quiet{From: 16 * 60, To: 0, Zone: havana}, table.Quiet{From: 0, To: 8 * 60, Zone: havana}
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, tc := range []struct {
		name  string
		quiet table.Quiet
		from  string
		wait  time.Duration
		want  string
	}{
		{"no quiet hours", table.Quiet{}, "2026-01-10T21:00:00Z", 12 * time.Hour, "2026-01-11T09:00:00Z"},
		{"before the night", night, "2026-01-10T15:00:00+01:00", 4 * time.Hour, "2026-01-10T19:00:00+01:00"},
		{"through the night", night, "2026-01-10T20:00:00+01:00", 12 * time.Hour, "2026-01-11T18:00:00+01:00"},
		{"from within the night", night, "2026-01-11T03:00:00+01:00", time.Hour, "2026-01-11T09:00:00+01:00"},
		{"ends exactly when the night begins", night, "2026-01-10T20:00:00+01:00", 2 * time.Hour, "2026-01-10T22:00:00+01:00"},
		{"three days of nights", night, "2026-01-10T20:00:00+01:00", 30 * time.Hour, "2026-01-12T22:00:00+01:00"},
		{"clocks go forward in the night", night, "2026-03-28T21:00:00+01:00", 2 * time.Hour, "2026-03-29T09:00:00+02:00"},
		{"clocks go back in the night", night, "2026-10-24T21:00:00+02:00", 2 * time.Hour, "2026-10-25T09:00:00+01:00"},
		{"clocks go forward across all the quiet hours", missing, "2026-03-29T01:00:00+01:00", 2 * time.Hour, "2026-03-29T04:00:00+02:00"},
		{"clocks go forward in the moment in which the quiet hours end", evening, "2026-03-07T15:00:00-05:00", 2 * time.Hour, "2026-03-08T02:00:00-04:00"},
		{"clocks go forward in the moment in which the quiet hours begin", early, "2026-03-07T22:30:00-05:00", time.Hour, "2026-03-07T23:30:00-05:00"},
		{"a rest at noon", noon, "2026-01-10T11:30:00Z", time.Hour, "2026-01-10T14:30:00Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.quiet.After(at(tc.from), tc.wait)
			if want := at(tc.want); !got.Equal(want) {
				t.Errorf("got %v, want %v", got.UTC(), want.UTC())
			}
		})
	}
}

// TestQuietAfterAgainstMinutes holds After against a clock that is looked at every minute, over the days on which clocks change too.
func TestQuietAfterAgainstMinutes(t *testing.T) {
	zones := []*time.Location{time.UTC, zone(t, "Europe/Berlin"), zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe"), zone(t, "Asia/Kolkata")}
	rapid.Check(t, func(t *rapid.T) {
		q := table.Quiet{
			From: rapid.IntRange(0, 24*60-1).Draw(t, "from"), To: rapid.IntRange(0, 24*60-1).Draw(t, "to"),
			Zone: rapid.SampledFrom(zones).Draw(t, "zone"),
		}
		if !q.Valid() {
			t.Skip("too quiet")
		}
		begin := time.Date(2026, rapid.SampledFrom([]time.Month{1, 3, 4, 10, 11}).Draw(t, "month"), rapid.IntRange(1, 31).Draw(t, "day"),
			rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, time.UTC)
		wait := time.Duration(rapid.IntRange(1, 40*60).Draw(t, "wait")) * time.Minute
		end := q.After(begin, wait)
		var counted time.Duration
		for at := begin; at.Before(end); at = at.Add(time.Minute) {
			if !q.In(at) {
				counted += time.Minute
			}
		}
		// An hour that exists twice, or not at all, belongs to the day it lies in: allow its minutes.
		if diff := (counted - wait).Abs(); diff > 2*time.Hour || diff > 0 && !changes(q.Zone, begin, end) {
			t.Fatalf("from %v to %v: %v outside the quiet hours, want %v", begin, end, counted, wait)
		}
		if q.In(end.Add(-time.Minute)) && wait > time.Minute {
			t.Fatalf("time runs out at %v, within the quiet hours", end)
		}
	})
}

// changes reports whether the zone's clocks change between the two moments.
func changes(z *time.Location, from, to time.Time) bool {
	_, a := from.In(z).Zone()
	_, b := to.In(z).Zone()
	return a != b
}

// TestRemindersKeepOutOfTheNight: not even one whose time comes in the moment in which the night begins.
func TestRemindersKeepOutOfTheNight(t *testing.T) {
	at := paced(t, table.PaceWeekend)
	began := start.Add(time.Minute)                              // 12:01
	quiet := table.Quiet{From: 18*60 + 1, To: 6 * 60, Zone: nil} // six hours later
	h := table.Habits{Quiet: quiet, Reminders: 5, Every: 3 * time.Hour}
	for _, want := range []time.Time{
		began.Add(3 * time.Hour), time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
	} {
		due, ok := deadline(t, at, table.DeadlineRemind, h)
		if !ok || !due.Equal(want) {
			t.Fatalf("a reminder at %v, want %v", due, want)
		}
		var out table.Outcome
		if at, out = clock(t, at, table.Nudge{Prompt: at.Prompt(), Habits: h}, due); !out.Reminded {
			t.Fatalf("no reminder at %v", due)
		}
	}
}

// TestLateRemindersComeOnce: after a time in which nothing ran, or for habits chosen late, what would have been due is not made up for.
func TestLateRemindersComeOnce(t *testing.T) {
	h := table.Habits{Reminders: 5, Every: time.Hour}
	began := start.Add(time.Minute)
	late := began.Add(3*time.Hour + 30*time.Minute)
	before := paced(t, table.PaceDaily)
	at, out := clock(t, before, table.Nudge{Prompt: before.Prompt(), Habits: h}, late)
	if due, _ := deadline(t, at, table.DeadlineRemind, h); !out.Reminded || !due.Equal(began.Add(4*time.Hour)) {
		t.Errorf("after a late reminder (%v) the next is due at %v", out.Reminded, due)
	}
	// One that would follow it closely has been given with it.
	at, out = clock(t, before, table.Nudge{Prompt: before.Prompt(), Habits: h}, began.Add(time.Hour+50*time.Minute))
	if due, _ := deadline(t, at, table.DeadlineRemind, h); !out.Reminded || !due.Equal(began.Add(3*time.Hour)) {
		t.Errorf("after a late reminder (%v) the next is due at %v", out.Reminded, due)
	}
	who, _ := before.AwaitedPerson()
	at, out = clock(t, before, table.Replan{User: who.ID, Habits: h}, late)
	if due, _ := deadline(t, at, table.DeadlineRemind, h); out.Reminded || len(out.Lines) != 0 || !due.Equal(began.Add(4*time.Hour)) {
		t.Errorf("after new habits (%v) the next reminder is due at %v", out.Reminded, due)
	}
	night := table.Habits{Quiet: table.Quiet{From: 15 * 60, To: 6 * 60}, Reminders: 5, Every: time.Hour}
	if _, out := clock(t, before, table.Nudge{Prompt: before.Prompt(), Habits: night}, late); out.Reminded {
		t.Error("a late reminder comes in the night")
	}
}
