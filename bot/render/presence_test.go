package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/table"
)

// lateGame is a running game in which the dealer, who is the host, let a turn run out and somebody offers to stand in.
func lateGame(t *testing.T, names []string) *game {
	t.Helper()
	g := startTable(t, names, 3)
	g.do(table.Actor{}, table.Timeout{Prompt: g.table.Prompt()})
	g.do(g.actor(7, "Ida"), table.Offer{Seat: 0})
	return g
}

func (g *game) at(until time.Time) *table.Public {
	p := g.public()
	p.Until = until
	return p
}

func TestPeopleWhoAreNotThere(t *testing.T) {
	var s screens
	g := lateGame(t, plainNames[:3])
	link := panelOptions(g).BoardLink
	until := g.now.Add(20 * time.Hour)
	s.add("a turn ran out and somebody offers to stand in", english.Board(g.at(until), Links{}))
	s.add("asking who can accept", english.OfferNotice(g.public(), g.public().Offers[0], link))
	s.say("the offer", english.Offered(g.public(), userID(7)))
	g.do(g.actor(1, "Bela"), table.Accept{Seat: 0, User: userID(7)})
	s.say("one vote", english.AcceptReceipt(g.public(), 0, userID(7)))
	g.do(g.actor(2, "Cleo"), table.Accept{Seat: 0, User: userID(7)})
	s.say("accepted", english.AcceptReceipt(g.public(), 0, userID(7)))
	s.add("the stand-in plays", english.Board(g.at(until), Links{}))
	s.say("the stand-in is told", english.StandInNote(g.public(), 0))
	s.add("the owner looks", english.StoodIn(g.at(until), 0, PanelOptions{BoardLink: link}))
	s.add("the owner looks in a DM", english.StoodIn(g.public(), 0, PanelOptions{DM: true, BoardLink: link, Note: "A note."}))
	s.add("the owner's old message", english.NoLongerYours(g.public(), link))
	g.do(g.actor(0, "Alma"), table.Reclaim{})
	s.add("who stood in looks", english.HandedBack(g.public(), 0, userID(7), PanelOptions{BoardLink: link}))
	g.do(g.actor(1, "Bela"), table.VotePause{})
	s.say("one vote to pause", english.PauseReceipt(g.public(), true))
	s.add("a vote to pause", english.Board(g.at(until), Links{}))
	g.do(g.actor(2, "Cleo"), table.VotePause{})
	s.say("paused", english.PauseReceipt(g.public(), true))
	s.add("a paused game", english.Board(g.public(), Links{}))
	g.do(g.actor(1, "Bela"), table.VoteResume{})
	s.say("one vote to go on", english.PauseReceipt(g.public(), false))
	g.do(g.actor(2, "Cleo"), table.VoteResume{})
	s.say("going on", english.PauseReceipt(g.public(), false))
	g.do(table.Actor{}, table.Gone{User: userID(1)})
	s.add("somebody is gone", english.Board(g.at(until), Links{}))
	s.add("the log", english.LogPage(g.public(), g.history, 0))
	s.compare(t, "presence")
}

func TestSettingsAndDoctor(t *testing.T) {
	var s screens
	s.add("settings, nothing chosen", english.Settings(ServerSettings{Pace: table.PaceDaily}, ""))
	chosen := ServerSettings{Pace: table.PaceLive, Channels: []string{"900000000000000002"}, Roles: []string{"900000000000000005", "900000000000000006"}}
	s.add("settings, much chosen", english.Settings(chosen, english.Say(TextSettingsKept)))
	s.say("not in this channel", english.OnlyInChannels([]string{"1", "2", "3"}))
	s.say("not without the role", english.OnlyForRoles([]string{"5"}))
	s.say("no manager", english.Say(TextNotManager))
	for _, r := range reports(t, plainNames[:3]) {
		s.add(r.title, english.Doctor(&r.report))
	}
	for _, class := range []discord.Class{discord.MissingAccess, discord.MissingPermission, discord.ThreadLocked} {
		s.say("in a panel: "+class.String(), english.Unwell(class, nil, "900000000000000002"))
	}
	// A refusal is not believed to be about a permission that the bot has.
	has := []Permission{{Name: english.Say(PermissionView), Known: true, Has: true}}
	for _, class := range []discord.Class{discord.MissingAccess, discord.MissingPermission} {
		said := []string{english.Unwell(class, has, "2"), english.blockedText(class, &Report{Permissions: has, Channel: "2"})}
		for _, text := range said {
			if passing := english.Say("doctor.why_passing"); !strings.HasSuffix(text, passing) {
				t.Errorf("%s where nothing is lacking: %q, want %q", class, text, passing)
			}
		}
	}
	for _, server := range []bool{false, true} {
		at := time.Unix(1772366400, 0)
		u := Unknown{Server: server, Since: at, Until: at.Add(12 * time.Hour)}
		s.say(fmt.Sprintf("in a panel: unknown, the server: %v", server), english.UnwellUnknown(u))
	}
	if text := english.Unwell(discord.Temporary, nil, "1"); text != "" {
		t.Errorf("what passes by itself is told: %q", text)
	}
	s.compare(t, "settings")
}

type titled struct {
	title  string
	report Report
}

// reports are what the doctor finds in a channel in good and in bad times.
func reports(t *testing.T, names []string) []titled {
	t.Helper()
	g := lateGame(t, names)
	has := []Permission{{Name: english.Say(PermissionView), For: "f", Known: true, Has: true}, {Name: english.Say(PermissionSend), For: "f", Known: true, Has: true}}
	lacks := []Permission{{Name: english.Say(PermissionView), For: "f", Known: true, Has: true}, {Name: english.Say(PermissionSend), For: "without it I cannot post the board", Known: true}}
	var reach []SeatReach
	for i := range names {
		reach = append(reach, SeatReach{Seat: paladin.Seat(i), Reach: Reach(i % 3)})
	}
	p := g.at(g.now.Add(time.Hour))
	unknown := &Unknown{Since: g.now, Until: g.now.Add(12 * time.Hour)}
	waits := []Blocked{
		{Board: true, Class: discord.UnknownChannel, Again: g.now}, {Class: discord.UnknownChannel, Again: g.now},
	}
	at := panelOptions(g).BoardLink
	ill := Report{Channel: "2", Now: g.now, Permissions: has, Table: p, Board: at, Posted: g.now, Blocked: waits}
	doubted := ill
	doubted.Unknown = unknown
	blocked := []Blocked{{Board: true, Class: discord.MissingPermission, Again: g.now}, {Class: discord.ThreadLocked, Again: g.now}, {Direct: true, Class: discord.DMTooFast, Again: g.now}}
	paused := *p
	paused.Paused, paused.Until = true, time.Time{}
	lobby := openTable(t, len(names), names[0], 1).public()
	return []titled{
		{"no table", Report{Channel: "2", Now: g.now, Permissions: has}},
		{"a lobby without a board", Report{Channel: "2", Now: g.now, Permissions: []Permission{{}}, Table: lobby}},
		{"a healthy game", Report{Channel: "2", Now: g.now, Permissions: has, Table: p, Board: at, Posted: g.now, Reach: reach, OwnQuiet: true}},
		{"a board of which Discord has not spoken", Report{Channel: "2", Now: g.now, Permissions: has, Table: p, Board: at, Posted: g.now, Unasked: true, Reach: reach}},
		{"a sick game", Report{Channel: "2", Now: g.now, Permissions: lacks, Locked: true, Archived: true, Table: &paused, Board: at, Posted: g.now, Reach: reach, Blocked: blocked}},
		{"a channel that Discord does not know", doubted},
		{"the same, in an outage", ill},
	}
}

// TestPresenceKeepsWithinLimits holds what is said about people who are not there against Discord's limits, at its longest: everybody
// is overdue, everybody may accept, names are the worst.
func TestPresenceKeepsWithinLimits(t *testing.T) {
	for seed := range len(worstNames) {
		names := worst(5, seed)
		g := startTable(t, names, byte(seed))
		for _, p := range g.public().Seats[1:] {
			g.do(table.Actor{}, table.Gone{User: p.Person.ID})
		}
		for i := range table.MaxOffers {
			g.do(g.actor(20+i, worstNames[i%len(worstNames)]), table.Offer{Seat: paladin.Seat(1 + i%4)})
		}
		g.do(g.actor(0, names[0]), table.VoteStop{})
		if g.table.Stage() != table.Playing {
			g = lateGame(t, names)
		}
		checkPresence(t, g)
	}
	for _, names := range [][]string{plainNames, worst(5, 1)} {
		for _, r := range reports(t, names) {
			checkLimits(t, r.title, english.Doctor(&r.report))
		}
	}
	many := make([]string, MaxChosen)
	for i := range many {
		many[i] = fmt.Sprintf("9000000000000000%02d", i)
	}
	checkLimits(t, "settings", english.Settings(ServerSettings{Pace: table.PaceLive, Channels: many, Roles: many}, english.Say(TextSettingsKept)))
	checkLimits(t, "channels", Note(english.OnlyInChannels(many)))
}

func checkPresence(t *testing.T, g *game) {
	t.Helper()
	p, opt := g.public(), panelOptions(g)
	p.Until, p.PauseVotes = g.now, 1
	checkLimits(t, "board", english.Board(p, Links{}))
	p.Paused = true
	checkLimits(t, "paused board", english.Board(p, Links{}))
	for i := range p.Seats {
		checkLimits(t, "stood in", english.StoodIn(p, paladin.Seat(i), opt))
		checkLimits(t, "handed back", english.HandedBack(p, paladin.Seat(i), userID(7), opt))
	}
	for _, o := range p.Offers {
		checkLimits(t, "offer", english.OfferNotice(p, o, opt.BoardLink))
	}
	checkLimits(t, "no longer yours", english.NoLongerYours(p, opt.BoardLink))
	checkLimits(t, "log", english.LogPage(p, g.history, 0))
}

// TestWhoHandsASeatOverIsShownNoCard: what the owner of a stood-in seat and a former stand-in are shown does not depend on any card.
func TestWhoHandsASeatOverIsShownNoCard(t *testing.T) {
	g := lateGame(t, plainNames[:3])
	r := random(9)
	for range 20 {
		other := *g
		other.table = g.table.Redeal(paladin.NoSeat, r.IntN)
		for name, draw := range map[string]func(*table.Public) discord.Message{
			"stood in":    func(p *table.Public) discord.Message { return english.StoodIn(p, 0, panelOptions(g)) },
			"handed back": func(p *table.Public) discord.Message { return english.HandedBack(p, 0, userID(7), panelOptions(g)) },
			"dead":        func(p *table.Public) discord.Message { return english.NoLongerYours(p, "") },
		} {
			a, _ := json.Marshal(draw(g.public()))
			b, _ := json.Marshal(draw(other.public()))
			if string(a) != string(b) {
				t.Fatalf("%s depends on what is hidden:\n%s\n%s", name, a, b)
			}
		}
		if !g.step(r) {
			return
		}
	}
}

// TestPresenceLinesAreToldApart: each kind of line about people who are not there has a sentence of its own, that names who is meant.
func TestPresenceLinesAreToldApart(t *testing.T) {
	seen := map[string]string{}
	for _, l := range []table.PublicLine{
		{Kind: table.LineTimeout}, {Kind: table.LineKept}, {Kind: table.LineGone}, {Kind: table.LineOffer}, {Kind: table.LineAccept},
		{Kind: table.LineStandIn}, {Kind: table.LinePauseVote}, {Kind: table.LinePauseVote, Reason: table.VotedToResume}, {Kind: table.LinePaused},
		{Kind: table.LineResumed}, {Kind: table.LineBack}, {Kind: table.LineBack, Other: "Ida"},
	} {
		l.Name = "Alma"
		told := strings.Join(english.LineSentences(nil, l), "\n")
		paused := l.Kind == table.LinePaused || l.Kind == table.LineResumed
		if told == "" || !paused && !strings.Contains(told, "Alma") {
			t.Errorf("line %q is told as %q", l.Kind, told)
		}
		if other, twice := seen[told]; twice {
			t.Errorf("lines %q and %q are told alike", l.Kind, other)
		}
		seen[told] = string(l.Kind) + l.Reason
	}
}
