package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/table"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return place
}

func TestNoticesPanel(t *testing.T) {
	quiet := table.Quiet{From: 22 * 60, To: 8 * 60, Zone: berlin(t)}
	var s screens
	for _, tc := range []struct {
		title string
		n     Notices
	}{
		{"defaults", Notices{Now: opened}},
		{"an hour was chosen", Notices{Now: opened, Places: ZonesAt(opened, 19)}},
		{"everything chosen", Notices{
			Now: opened, Zone: "Europe/Berlin", Note: english.Say(TextHabitsKept),
			Habits: table.Habits{Quiet: quiet, Way: table.RemindBoth, Reminders: 4, Every: 3 * time.Hour},
		}},
		{"one reminder by mention", Notices{Now: opened, Habits: table.Habits{Way: table.RemindMention, Reminders: 1}}},
		{"no reminders", Notices{Now: opened, Habits: table.Habits{Reminders: -1}}},
		{"never called", Notices{Now: opened, Habits: table.Habits{Way: table.RemindNone}}},
	} {
		m := english.NoticesPanel(tc.n)
		checkLimits(t, tc.title, m)
		s.add(tc.title, m)
	}
	s.say("quiet hours without a clock", english.Say(TextQuietZone))
	s.say("quiet hours that are too long", english.Say(TextQuietTooLong))
	s.compare(t, "notices")
}

// games are tables at different points, as one person's list.
func listOf(t *testing.T, names []string, n int) []Listed {
	t.Helper()
	var list []Listed
	r := random(9)
	for i := range n {
		g := startTable(t, names, byte(i))
		for range i * 3 {
			g.step(r)
		}
		p := g.table.PublicAt(func(table.UserID) table.Habits { return table.Habits{} })
		p.ID, p.Channel = fmt.Sprintf("table%03d", i), fmt.Sprintf("9000000000000001%02d", i)
		p.Since = p.Since.Add(-time.Duration(i) * time.Hour)
		list = append(list, Listed{Public: &p, Seat: 0, Link: MessageLink(p.Guild, p.Channel, "900000000000000003")})
	}
	return list
}

func TestGamesPages(t *testing.T) {
	var s screens
	s.add("none", english.GamesPage(nil, 1, 0))
	list := listOf(t, plainNames[:3], 6)
	lobby := openTable(t, 4, "Alma", 1).public()
	paused, away, stand := *list[1].Public, *list[2].Public, *list[3].Public
	paused.Paused = true
	away.Seats = append([]table.PublicSeat{}, away.Seats...)
	away.Seats[0].Away = true
	list[1].Public, list[2].Public, list[3].Public, list[3].Seat = &paused, &away, &stand, paladin.NoSeat
	list = append(list, Listed{Public: lobby, Seat: 0, Link: ChannelLink(lobby.Guild, lobby.Channel)})
	SortGames(list)
	s.add("all kinds", english.GamesPage(list, 1, 0))
	s.add("one of them cannot be read", english.GamesPage(list[:1], 1, 1))
	s.add("a digest", english.Digest(list[:2]))
	s.say("a reminder", english.ReminderNote(list[0]))
	s.compare(t, "games")
}

// TestManyGamesFit holds the longest lists, with the worst names, against Discord's limits.
func TestManyGamesFit(t *testing.T) {
	list := listOf(t, worst(5, 0), 30)
	SortGames(list)
	for page := range 5 {
		checkLimits(t, fmt.Sprintf("page %d", page), english.GamesPage(list, page, 3))
	}
	for _, l := range list {
		l.Public.Awaited = 0
	}
	checkLimits(t, "digest", english.Digest(list))
	if said := rendered(english.Digest(list)); !strings.Contains(said, "and 18 more") {
		t.Errorf("a digest of 30 games:\n%s", said)
	}
}

// TestSinceFits: a panel that tells of a long time stays within the limits, whatever people are called, and tells the reader nothing of
// their own moves.
func TestSinceFits(t *testing.T) {
	for seed := range 4 {
		r := random(uint64(seed))
		g := startTable(t, worst(5, seed), byte(seed))
		for g.step(r) {
			if r.IntN(6) > 0 && g.table.Live() {
				continue
			}
			seat := paladin.Seat(r.IntN(5))
			since := english.SinceLastLooked(g.public(), seat, g.history, nil)
			if len(since.Sentences) > sinceSentences {
				t.Fatalf("%d sentences", len(since.Sentences))
			}
			opt := panelOptions(g)
			opt.Since, opt.Next = since, opt.BoardLink
			checkLimits(t, "panel", english.Panel(g.private(seat), Selection{}, opt))
			checkLimits(t, "spectator", english.Spectator(g.public(), "1", opt))
			if g.table.Live() {
				checkLimits(t, "panel to move", english.Panel(g.private(g.table.Awaited()), chooseSome(g), opt))
			}
		}
	}
}

func TestSinceLeavesOutTheReadersOwnMoves(t *testing.T) {
	g := startTable(t, plainNames[:3], 2)
	r := random(2)
	begun := len(g.history)
	mover := g.table.Awaited()
	g.step(r)
	moved := g.history[begun:]
	if own := english.SinceLastLooked(g.public(), mover, moved, nil); len(own.Sentences) != 0 {
		t.Errorf("the reader is told of their own move: %q", own.Sentences)
	}
	if own := english.SinceLastLooked(g.public(), mover, moved, map[int]bool{0: true}); len(own.Sentences) != 1 {
		t.Errorf("of their own move, which they had given beforehand, the reader is told %q", own.Sentences)
	}
	for _, seat := range []paladin.Seat{(mover + 1) % 3, paladin.NoSeat} {
		if others := english.SinceLastLooked(g.public(), seat, moved, nil); len(others.Sentences) != 1 {
			t.Errorf("seat %d is told %q", seat, others.Sentences)
		}
	}
}

// TestNothingIsToldTwice: what a panel tells of the time since the reader last looked does not stand in its receipt as well.
func TestNothingIsToldTwice(t *testing.T) {
	since := Since{Sentences: []string{"Bela beats Alma.", "Bela wins."}}
	for receipt, want := range map[string]string{
		"Taken back.\nBela beats Alma.\nBela wins.": "Taken back.",
		"Taken back.\nCleo wins.":                   "Taken back.\nCleo wins.",
		"Bela wins.":                                "",
		"":                                          "",
	} {
		if got := since.Untold(receipt); got != want {
			t.Errorf("of %q remains %q, not %q", receipt, got, want)
		}
	}
	if got := (Since{}).Untold("Bela wins."); got != "Bela wins." {
		t.Errorf("of a receipt with nothing else told remains %q", got)
	}
}
