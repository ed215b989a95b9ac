package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/squire"
	"paladin/game/table"
)

// ranked are rows of people of these names, each a little worse than the one before.
func ranked(first int, names []string) []Ranked {
	var rows []Ranked
	for i, name := range names {
		rows = append(rows, Ranked{Place: first + i, Record: Record{
			Name: name, Games: 1234 - 100*i, Wins: float64(500-40*i) + 1.0/3, Honour: 23.46 - float64(i), Rating: 31.25 - float64(i), Unsure: 1.04,
			Rated: 12 - i, InTime: 0.999, Asked: true, SquireMoves: 7, Timeouts: 3,
		}})
	}
	return rows
}

// worstPage is the page of standings that takes the most room.
func worstPage(seed int) Standings {
	own := ranked(99999, worst(1, seed+3))[0]
	own.Rated = 1
	return Standings{Rows: ranked(9990, worst(StandingsOnPage, seed)), Own: &own, Who: WhoPeople, Order: OrderReliability, Page: 999, Pages: 9999}
}

func squireRows() []Ranked {
	return []Ranked{
		{Place: 1, Record: Record{Squire: squire.Knight, Games: 40, Wins: 30.5, Honour: 25, Rating: 33, Unsure: 0.9, Rated: 40}},
		{Place: 2, Record: Record{Squire: squire.Normal, Games: 2, Wins: 1, Honour: 19.5, Rating: 25.04, Unsure: 7, Rated: 2}},
		{Place: 3, Record: Record{Squire: squire.Easy, Games: 1, Honour: 4}},
	}
}

func somebody() Me {
	all := ranked(1, plainNames[:1])[0].Record
	here := Record{Games: 1, Wins: 1, Honour: 21, Rating: 27.63, Unsure: 8.06, Rated: 1, InTime: 1, Asked: true}
	link := MessageLink("900000000000000001", "900000000000000002", "900000000000000003")
	return Me{
		Here: &here, All: all,
		Last: []Played{
			{At: opened, Channel: "900000000000000002", Link: link, Place: 2, Seats: 4, Honour: 1, ToTheEnd: true},
			{At: opened.Add(-time.Hour), Channel: "900000000000000009", Place: 1, Seats: 3, Honour: 30},
		},
		Notices: Notices{Habits: table.Habits{Reminders: 3}, Language: "fr", Now: opened},
	}
}

// lobbyWithRecords is a lobby in which somebody sits of whom everything is known, and others of whom less is.
func lobbyWithRecords(t *testing.T, names []string) (*table.Public, Links) {
	t.Helper()
	g := openTable(t, 5, names[0], 1)
	for i, name := range names[1:] {
		g.do(g.actor(i+1, name), table.Join{})
	}
	return g.public(), Links{Records: map[table.UserID]Record{
		userID(0): {Games: 12, InTime: 0.9666, Asked: true}, userID(1): {Games: 1}, userID(2): {InTime: 0.5, Asked: true},
	}}
}

func TestStandingsAndMe(t *testing.T) {
	var s screens
	rows := ranked(11, plainNames)
	rows[4].Rated = 0
	rows[3].Rated, rows[3].Asked = 3, false
	s.add("a page of people", english.Standings(Standings{Rows: rows, Own: &ranked(2, []string{"Zoe"})[0], Who: WhoPeople, Order: OrderRating, Page: 2, Pages: 3}))
	s.add("one page, the reader has no row", english.Standings(Standings{Rows: rows[:2], Absent: true, Who: WhoPeople, Order: OrderWins, Page: 1, Pages: 1}))
	s.add("nobody", english.Standings(Standings{Absent: true, Who: WhoPeople, Order: OrderRating, Page: 1, Pages: 1}))
	s.add("squires", english.Standings(Standings{Rows: squireRows(), Absent: true, Who: WhoSquires, Order: OrderRating, Page: 1, Pages: 1}))
	s.add("no squire", english.Standings(Standings{Absent: true, Who: WhoSquires, Order: OrderRating, Page: 1, Pages: 1}))
	p, links := lobbyWithRecords(t, plainNames[:4])
	s.add("a lobby that tells of people", english.Board(p, links))
	me := somebody()
	s.add("me", english.Me(me))
	me.Here, me.Notices.Look = nil, LookHand
	s.add("me in a DM", english.Me(me))
	s.add("me as a newcomer", english.Me(Me{Here: &Record{}, Notices: Notices{Look: LookText}}))
	s.add("delete", english.ConfirmForget())
	g := startTable(t, plainNames[:3], 1)
	s.add("delete while seated", english.StillSeated([]Listed{{Public: g.public(), Link: links.Next}}, 1))
	s.add("deleted", english.Forgotten(0))
	s.add("deleted, and two tables wait", english.Forgotten(2))
	s.add("export", english.ExportFile(discord.File{Name: ExportName, Data: []byte("{}")}))
	s.add("export packed", english.ExportFile(discord.File{Name: ExportPackedName, Data: []byte("PK")}))
	s.compare(t, "standings")
}

// TestStandingsObeyDiscord in every language, with the worst names on a full page.
func TestStandingsObeyDiscord(t *testing.T) {
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		for seed := range worstNames {
			checkLimits(t, lang+": standings", pr.Standings(worstPage(seed)))
			p, links := lobbyWithRecords(t, worst(5, seed))
			for i := range p.Seats {
				links.Records[userID(i)] = ranked(1, worstNames[:1])[0].Record
			}
			checkLimits(t, lang+": lobby", pr.Board(p, links))
		}
		checkLimits(t, lang+": squires", pr.Standings(Standings{Rows: squireRows(), Who: WhoSquires, Order: OrderRating, Page: 1, Pages: 1}))
		checkLimits(t, lang+": me", pr.Me(somebody()))
		checkLimits(t, lang+": newcomer", pr.Me(Me{Here: &Record{}}))
		checkLimits(t, lang+": delete", pr.ConfirmForget())
		checkLimits(t, lang+": deleted", pr.Forgotten(3))
		checkLimits(t, lang+": export", pr.ExportFile(discord.File{Name: ExportPackedName, Data: []byte("PK")}))
		var list []Listed
		for i := range 40 {
			list = append(list, Listed{Public: startTable(t, worst(5, i), 1).public(), Link: MessageLink("900000000000000001", "900000000000000002", "900000000000000003")})
		}
		checkLimits(t, lang+": seated", pr.StillSeated(list, 2))
	}
}

// TestDeleteIsNotUnderTheFinger: the press that deletes does not stand where the one stood that led to it, and nothing that does is
// offered by any other page.
func TestDeleteIsNotUnderTheFinger(t *testing.T) {
	at := func(page, want string) int {
		t.Helper()
		for i, label := range strings.Split(page, "  [")[1:] {
			if strings.Contains(label, want) {
				return i
			}
		}
		return -1
	}
	me, ask := rendered(english.Me(somebody())), rendered(english.ConfirmForget())
	asks, does := at(me, "/"+MeDelete), at(ask, "/"+MeForget)
	if asks < 0 || does < 0 || asks == does {
		t.Errorf("button %d asks, and button %d deletes", asks, does)
	}
	if at(me, "/"+MeForget) >= 0 {
		t.Error("the page deletes without a question")
	}
}

func TestNumbersInEveryLanguage(t *testing.T) {
	for _, tc := range []struct {
		lang string
		wins float64
		want string
	}{
		{"en", 0, "0 wins"}, {"en", 1, "1 win"}, {"en", 0.5, "0.5 wins"}, {"en", 1.0 / 3, "0.3 wins"}, {"en", 2.96, "3 wins"}, {"en", 0.96, "1 win"},
		{"de", 1.5, "1,5 Siege"}, {"de", 1, "1 Sieg"}, {"fr", 0, "0 victoire"}, {"fr", 1.5, "1,5 victoire"}, {"fr", 1, "1 victoire"},
		{"it", 2.5, "2,5 vittorie"}, {"es", 1.5, "1,5 victorias"},
	} {
		if got := NewPrinter(tc.lang).amount("standings.wins", tc.wins); got != tc.want {
			t.Errorf("%s: %v is written %q, want %q", tc.lang, tc.wins, got, tc.want)
		}
	}
	for share, want := range map[float64]int{0: 0, 1: 100, 0.999: 99, 0.29: 29, 0.57: 57, 1.0 / 3: 33} {
		if got := percent(share); got != want {
			t.Errorf("%v is %d%%, want %d%%", share, got, want)
		}
	}
}

// TestForgottenPeople: a table shows nothing of somebody who was forgotten but that there was somebody, wherever their name stood.
func TestForgottenPeople(t *testing.T) {
	g := startTable(t, plainNames[:3], 4)
	r := random(4)
	g.do(table.Actor{}, table.Timeout{Prompt: g.table.Prompt()})
	var lines []table.Line
	for g.table.Awaited() != 0 {
		g.step(r)
	}
	keep := func(by table.Actor, cmd table.Command) {
		t.Helper()
		next, out, err := g.table.Do(by, cmd, g.now)
		if err != nil {
			t.Fatalf("%T: %v", cmd, err)
		}
		g.table, lines = next, append(lines, out.Lines...)
	}
	late := table.Timeout{Prompt: g.table.Prompt()}
	keep(table.Actor{}, late)
	keep(g.actor(7, "Emil"), table.Offer{Seat: 0})
	keep(g.actor(1, "Bela"), table.Accept{Seat: 0, User: userID(7)})
	keep(g.actor(2, "Cleo"), table.Accept{Seat: 0, User: userID(7)})
	keep(g.actor(0, "Alma"), table.Reclaim{})
	keep(g.actor(0, "Alma"), table.Leave{})
	keep(table.Actor{Person: table.Person{ID: "1"}, Moderator: true}, table.ForceStop{})
	snapshot, err := g.table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var entries [][]byte
	for _, line := range lines {
		entry, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	before := len(english.LogPage(g.public(), publicLines(t, entries), 0).Components)
	for _, user := range []int{0, 7} {
		if snapshot, entries, err = table.Anonymise(userID(user), snapshot, entries); err != nil {
			t.Fatal(err)
		}
	}
	at, err := table.Decode(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	p := at.Public()
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		log := pr.LogPage(&p, publicLines(t, entries), 0)
		said := rendered(pr.Board(&p, Links{})) + rendered(log) + rendered(pr.Spectator(&p, userID(4), PanelOptions{})) + pr.mention(&p, 0) + pr.whoPlain(&p, 0)
		for _, trace := range []string{"Alma", "Emil", "gone", table.ForgottenName, string(userID(0)), string(userID(7))} {
			if strings.Contains(said, trace) {
				t.Errorf("%s: %q stands in:\n%s", lang, trace, said)
			}
		}
		if n := strings.Count(said, pr.Say(forgottenPlayer)); n < 8 {
			t.Errorf("%s: a forgotten player is named %d times:\n%s", lang, n, said)
		}
		checkLimits(t, lang, log)
	}
	if after := len(english.LogPage(&p, publicLines(t, entries), 0).Components); after != before {
		t.Errorf("the log has %d parts, and had %d", after, before)
	}
}

func publicLines(t *testing.T, entries [][]byte) []table.PublicLine {
	t.Helper()
	lines := make([]table.PublicLine, len(entries))
	for i, entry := range entries {
		var line table.Line
		if err := json.Unmarshal(entry, &line); err != nil {
			t.Fatal(fmt.Errorf("entry %d: %w", i, err))
		}
		lines[i] = line.Public()
	}
	return lines
}
