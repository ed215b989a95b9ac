package render

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

var update = flag.Bool("update", false, "write the text files under testdata anew")

// screens collects messages into one text file.
type screens struct{ text strings.Builder }

func (s *screens) add(title string, m discord.Message) {
	fmt.Fprintf(&s.text, "==== %s\n%s\n", title, rendered(m))
}

func (s *screens) say(title, words string) { fmt.Fprintf(&s.text, "==== %s\n%s\n\n", title, words) }

func (s *screens) compare(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	got := s.text.String()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: run with -update if this is meant (-want +got):\n%s", path, diff)
	}
}

func TestGames(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(fmt.Sprintf("%d players", players), func(t *testing.T) {
			wholeGame(t, plainNames[:players], byte(players)).compare(t, fmt.Sprintf("game%d", players))
		})
	}
	t.Run("worst names", func(t *testing.T) {
		wholeGame(t, worst(5, 0), 5).compare(t, "worst")
	})
}

// wholeGame shows a game at one position of each phase.
func wholeGame(t *testing.T, names []string, seed byte) *screens {
	var s screens
	r := random(uint64(seed))
	g := startTable(t, names, seed)
	opt := panelOptions(g)
	show := func(phase string, sels ...Selection) {
		s.add(phase+": board", english.Board(g.public(), Links{}))
		mover := g.table.Awaited()
		for _, sel := range sels {
			s.add(fmt.Sprintf("%s: panel of seat %d to move, %+v", phase, mover.Number(), sel), english.Panel(g.private(mover), sel, PanelOptions{BoardLink: opt.BoardLink}))
		}
		other := paladin.Seat((int(mover) + 1) % len(names))
		opt.AsOf = g.now
		s.add(fmt.Sprintf("%s: panel of seat %d in a DM", phase, other.Number()), english.Panel(g.private(other), Selection{}, opt))
	}
	show("start", Selection{}, Selection{First: 2})
	g.until(r, 1, paladin.PhaseLead)
	show("lead", Selection{}, chooseSome(g))
	g.until(r, 1, paladin.PhasePlace)
	show("place", Selection{}, chooseSome(g), Selection{Peek: firstPeek(g)})
	g.until(r, 2, paladin.PhasePlace)
	g.stepWhile(r, func(p *paladin.Public) bool { return p.Phase == paladin.PhasePlace && !p.PeekUsed })
	show("placing after a peek", chooseSome(g))
	g.until(r, 2, paladin.PhaseResolve)
	g.stepWhile(r, func(p *paladin.Public) bool { return p.Resolving < 2 })
	show("resolve", Selection{}, Selection{Act: actBeat}, Selection{Act: actTake}, Selection{Act: actDiscard})
	for g.step(r) {
	}
	s.add("end: board", english.Board(g.public(), Links{}))
	s.add("end: board with the next game", english.Board(g.public(), Links{Next: opt.BoardLink}))
	s.add("end: panel", english.Panel(g.private(0), Selection{}, PanelOptions{BoardLink: opt.BoardLink}))
	s.add("end: spectator", english.Spectator(g.public(), "1", PanelOptions{BoardLink: opt.BoardLink}))
	s.add("log, page 1", english.LogPage(g.public(), g.history, 1))
	s.add("log, the newest page", english.LogPage(g.public(), g.history, 0))
	return &s
}

// stepWhile steps on while the condition holds.
func (g *game) stepWhile(r *rand.Rand, more func(*paladin.Public) bool) {
	g.t.Helper()
	for more(g.public().Game) {
		if !g.step(r) {
			return
		}
	}
}

// chooseSome is a card and a quest that may be placed now.
func chooseSome(g *game) Selection {
	for _, m := range g.private(g.table.Awaited()).View.Legal() {
		if m.Kind == paladin.Place {
			return Selection{Card: m.Card.String(), Quest: m.Quest}
		}
	}
	return Selection{}
}

func firstPeek(g *game) string {
	for _, m := range g.private(g.table.Awaited()).View.Legal() {
		if m.Kind == paladin.Peek {
			return spot(m.Quest, m.Place)
		}
	}
	return ""
}

func TestLobby(t *testing.T) {
	var s screens
	g := openTable(t, 4, "Alma", 1)
	link := panelOptions(g).BoardLink
	host := g.actor(0, "Alma")
	s.add("just opened", english.Board(g.public(), Links{}))
	g.do(host, table.AddSquire{})
	g.do(host, table.Invite{People: []table.Person{{ID: userID(1), Name: "Bela"}, {ID: userID(2), Name: "Cleo"}}})
	s.add("invitation", english.Invitation(g.public(), []table.Person{{ID: userID(1), Name: "Bela"}, {ID: userID(2), Name: "Cleo"}}, link))
	g.do(g.actor(1, "Bela"), table.Join{})
	s.add("a squire, one joined, one invited", english.Board(g.public(), Links{}))
	s.add("manage", english.Manage(g.public(), g.public().Host, "**Bela** was invited."))
	s.add("panel", english.Panel(g.private(2), Selection{}, PanelOptions{BoardLink: link}))
	s.add("spectator while there is room", english.Spectator(g.public(), userID(7), PanelOptions{BoardLink: link}))
	g.do(g.actor(2, "Cleo"), table.Join{})
	s.add("spectator when full", english.Spectator(g.public(), userID(7), PanelOptions{BoardLink: link}))
	g.do(g.actor(3, "Dora"), table.Join{})
	s.add("full, one waits", english.Board(g.public(), Links{}))
	s.add("spectator who waits", english.Spectator(g.public(), userID(3), PanelOptions{BoardLink: link}))
	g.do(host, table.Leave{})
	s.add("the host left, the queue moved up", english.Board(g.public(), Links{}))
	s.add("seated from the queue", english.Seated(g.public(), []table.Person{{ID: userID(3), Name: "Dora"}}))
	g.do(g.actor(1, "Bela"), table.Cancel{})
	s.add("cancelled", english.Board(g.public(), Links{}))
	s.add("panel after the end", english.Panel(g.private(0), Selection{}, PanelOptions{BoardLink: link}))
	s.compare(t, "lobby")
}

func TestPlayAgain(t *testing.T) {
	var s screens
	g := startTable(t, plainNames[:3], 2)
	r := random(2)
	for g.step(r) {
	}
	fresh, _, _, err := g.table.Again(table.Opening{
		ID: "m2xxq9ab", Channel: g.table.Channel(), Host: g.actor(1, "Bela"), Deck: paladin.HouseDeck(), Now: g.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.table = fresh
	s.add("two have yet to say", english.Board(g.public(), Links{}))
	s.add("panel of one of them", english.Panel(g.private(1), Selection{}, PanelOptions{}))
	s.compare(t, "again")
}

func TestPeopleComeAndGo(t *testing.T) {
	var s screens
	g := openTable(t, 4, "Alma", 3)
	link := panelOptions(g).BoardLink
	g.do(g.actor(1, "Bela"), table.Join{})
	g.do(g.actor(2, "Cleo"), table.Join{})
	g.do(g.actor(0, "Alma"), table.AddSquire{})
	g.do(g.actor(0, "Alma"), table.Start{})
	s.add("confirm leaving", english.ConfirmLeave(g.private(1)))
	g.do(g.actor(0, "Alma"), table.Leave{})
	s.add("the one to move left", english.Board(g.public(), Links{}))
	s.add("panel of one who left", english.Panel(g.private(0), Selection{}, PanelOptions{BoardLink: link}))
	g.do(table.Actor{}, table.SquireMove{Prompt: g.table.Prompt()})
	s.add("log of a squire's move", english.LogPage(g.public(), g.history, 0))
	g.do(g.actor(0, "Alma"), table.Back{})
	g.do(g.actor(1, "Bela"), table.VoteStop{})
	s.add("one vote to stop", english.Board(g.public(), Links{}))
	s.add("confirm cancelling", english.ConfirmCancel(g.public(), 2))
	s.add("confirm stopping", english.ConfirmStop(g.public()))
	s.add("confirm stopping by force", english.ConfirmForceStop(g.public(), false))
	s.add("confirm stopping by force of one who plays", english.ConfirmForceStop(g.public(), true))
	s.add("turn ping", english.TurnPing(g.public(), 0, link))
	s.add("turn ping for a seat that is not to move", english.TurnPing(g.public(), 2, link))
	s.add("no DM", english.NoDM(g.public(), 1))
	s.add("spectator", english.Spectator(g.public(), userID(9), PanelOptions{BoardLink: link}))
	s.add("already open", english.AlreadyOpen(g.public(), false, link))
	g.do(g.actor(2, "Cleo"), table.VoteStop{})
	s.add("stopped", english.Board(g.public(), Links{}))
	s.add("panel of a stopped game", english.Panel(g.private(1), Selection{}, panelOptions(g)))
	s.add("call after a stopped game", english.OverCall(g.public(), []table.Person{{ID: userID(0), Name: "Alma"}}, link))
	s.add("goodbye", english.Goodbye(g.public(), "The *Round* Table", "games"))
	s.compare(t, "people")
}

func TestFixedTexts(t *testing.T) {
	var s screens
	for page := range rulePages {
		s.add(fmt.Sprintf("rules, page %d", page+1), english.Rules(page+1, true))
	}
	g := openTable(t, 3, "Alma", 1)
	s.add("help", english.Help())
	s.add("hello", english.Hello("900000000000000002"))
	s.add("retired", english.Retired(g.public(), panelOptions(g).BoardLink))
	s.add("retired without a board", english.Retired(g.public(), ""))
	s.add("other channel", english.OtherChannel("https://discord.com/channels/1/2/3"))
	s.add("record", english.RecordFile([]byte(`{"format": "paladin-record/1"}`), "k7f3q2xa"))
	s.say("one permission", english.MissingPermission([]string{"Send Messages"}, "900000000000000002"))
	s.say("two permissions", english.MissingPermission([]string{"View Channel", "Send Messages"}, ""))
	s.say("some permission", english.MissingPermission(nil, "900000000000000002"))
	s.compare(t, "fixed")
}

// TestRefusals gives every refusal that a table knows a sentence of its own.
func TestRefusals(t *testing.T) {
	g := startTable(t, plainNames[:3], 4)
	p := g.public()
	kinds := []table.RefusalKind{
		table.BadSeats, table.BadStrength, table.BadPace, table.NotSeated, table.AlreadySeated, table.AlreadyQueued,
		table.AlreadyInvited, table.AlreadyAway, table.AlreadyVoted, table.NotAway, table.Barred, table.InviteBarred,
		table.InvitedFull, table.BarredFull, table.QueueFull, table.TableFull, table.NoSuchSeat, table.RemoveSelf, table.NotHost,
		table.NotModerator, table.TooFew, table.NotReady, table.Started, table.NotStarted, table.StillPlaying, table.GameOver,
		table.Stale, table.NotYourTurn, table.NotOverdue, table.HeldSeat, table.AlreadyOffered, table.NoOffer, table.SentOff, table.SentOffAlready, table.SentOffFull, table.SendOffSelf, table.NotSentOff, table.NotTheirSeat, table.AcceptWaits, table.OffersFull, table.OwnSeat,
		table.PauseAlready,
	}
	var s screens
	seen := map[string]table.RefusalKind{english.RefusalText(&table.Refusal{Kind: "no such kind"}, p): "no such kind"}
	for _, kind := range kinds {
		text := english.RefusalText(&table.Refusal{Kind: kind, Seat: 1, Name: "Bela", Count: 1, Invited: true}, p)
		if other, twice := seen[text]; twice {
			t.Errorf("%s and %s have the same sentence", kind, other)
		}
		seen[text] = kind
		s.say(string(kind), text)
	}
	over := *p
	over.Stage = table.Finished
	s.say("not seated, afterwards", english.RefusalText(&table.Refusal{Kind: table.NotSeated}, &over))
	s.say("already seated, oneself", english.RefusalText(&table.Refusal{Kind: table.AlreadySeated, Seat: 1}, p))
	for _, broken := range brokenRules(t) {
		s.say("rule: "+broken.Reason, english.RefusalText(&table.Refusal{Kind: table.RuleBroken, Rule: broken}, p))
	}
	s.say("rule without a reason", english.RefusalText(&table.Refusal{Kind: table.RuleBroken}, p))
	s.compare(t, "refusals")
}

// brokenRules are refusals as the rules themselves give them.
func brokenRules(t *testing.T) []*paladin.RuleError {
	t.Helper()
	var out []*paladin.RuleError
	g := startTable(t, plainNames[:3], 4)
	try := func(m paladin.Move) {
		t.Helper()
		p := g.private(g.table.Awaited())
		_, _, err := g.table.Do(table.Actor{Person: p.Seats[p.Seat].Person}, table.Play{Move: m}, g.now)
		refusal, ok := err.(*table.Refusal)
		if !ok || refusal.Rule == nil {
			t.Fatalf("%v: %v, want a broken rule", m, err)
		}
		out = append(out, refusal.Rule)
	}
	r := random(4)
	try(paladin.Move{Kind: paladin.Start, Target: 8})
	try(paladin.Move{Kind: paladin.Place, Quest: 1})
	g.until(r, 1, paladin.PhaseLead)
	g.step(r)
	hand := g.private(g.table.Awaited()).View.Hand
	led := g.public().Game.Row
	for _, q := range led {
		if len(q.Cards) > 0 {
			try(paladin.Move{Kind: paladin.Place, Card: hand[0], Quest: q.Number})
		}
	}
	try(paladin.Move{Kind: paladin.Place, Card: missing(hand), Quest: 1})
	try(paladin.Move{Kind: paladin.Place, Card: hand[0], Quest: 7})
	try(paladin.Move{Kind: paladin.Peek, Quest: 1, Place: 1})
	g.until(r, 1, paladin.PhasePlace)
	for _, q := range g.public().Game.Row {
		if q.Cards[0].Seat == g.table.Awaited() {
			try(paladin.Move{Kind: paladin.Place, Card: g.private(g.table.Awaited()).View.Hand[0], Quest: q.Number})
			try(paladin.Move{Kind: paladin.Peek, Quest: q.Number, Place: 1})
		}
	}
	try(paladin.Move{Kind: paladin.Peek, Quest: 1, Place: 4})
	try(paladin.Move{Kind: paladin.Take})
	for _, m := range g.private(g.table.Awaited()).View.Legal() {
		if m.Kind == paladin.Peek {
			g.play(m)
			try(m)
			break
		}
	}
	g.until(r, 1, paladin.PhaseResolve)
	for g.private(g.table.Awaited()).View.BeatWins {
		g.play(paladin.Move{Kind: paladin.Take})
	}
	try(paladin.Move{Kind: paladin.Beat})
	return out
}

// missing is a card that the hand does not hold.
func missing(hand []paladin.Card) paladin.Card {
	for c := paladin.Card(0); ; c++ {
		held := false
		for _, h := range hand {
			held = held || h == c
		}
		if !held {
			return c
		}
	}
}

// TestReceipts tells the owner of each seat what every move of a game did, and everybody what happened in a lobby.
func TestReceipts(t *testing.T) {
	var s screens
	r := random(3)
	g := startTable(t, plainNames[:3], 3)
	seen := map[paladin.EventKind]bool{}
	for g.table.Awaited() != paladin.NoSeat {
		seat := g.table.Awaited()
		legal := g.private(seat).View.Legal()
		move := legal[r.IntN(len(legal))]
		actor := table.Actor{Person: g.public().Seats[seat].Person}
		next, out, err := g.table.Do(actor, table.Play{Move: move}, g.now)
		if err != nil {
			t.Fatal(err)
		}
		g.table = next
		for _, e := range out.Events {
			if own := e.For(seat); !seen[e.Kind()] {
				seen[e.Kind()] = true
				s.say(fmt.Sprintf("event %d by seat %d", e.Kind(), own.Seat.Number()), english.Receipt(g.public(), seat, own))
			}
		}
	}
	lobby := openTable(t, 3, "Alma", 1).public()
	for _, cmd := range []table.Command{
		table.Join{}, table.Leave{}, table.AddSquire{}, table.RemoveSeat{}, table.Invite{People: make([]table.Person, 1)},
		table.Invite{People: make([]table.Person, 3)}, table.SetStrength{Strength: squire.Easy}, table.SetSquirePace{}, table.Start{}, table.Cancel{},
	} {
		s.say(fmt.Sprintf("%T", cmd), english.LobbyReceipt(lobby, userID(0), cmd, table.Outcome{}))
	}
	s.say("queued", english.LobbyReceipt(lobby, userID(7), table.Join{}, table.Outcome{Queued: true}))
	s.compare(t, "receipts")
}

func TestSquireWords(t *testing.T) {
	for _, s := range squire.Playable() {
		if english.strengthText(s) != s.String() {
			t.Errorf("%v is called %q", s, english.strengthText(s))
		}
	}
	for _, pace := range []table.SquirePace{table.SquireAtOnce, table.SquireHuman, table.SquireCalm} {
		if strings.HasPrefix(english.paceLabel(pace), "words.") {
			t.Errorf("pace %q has no words", pace)
		}
	}
}
