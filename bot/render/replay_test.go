package render

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// played is a game that was played at random and is over, with the lines of its moves as they are stored.
func played(t testing.TB, names []string, seed byte) (*game, []table.Line) {
	t.Helper()
	g := startTable(t, names, seed)
	r := random(uint64(seed))
	var lines []table.Line
	for stepOn(g, r, &lines) {
	}
	return g, lines
}

// stepOn is step, and keeps the lines that it writes.
func stepOn(g *game, r *rand.Rand, lines *[]table.Line) bool {
	g.t.Helper()
	if g.table.Awaited() == paladin.NoSeat {
		return false
	}
	p := g.private(g.table.Awaited())
	legal := p.View.Legal()
	peeks := slices.DeleteFunc(slices.Clone(legal), func(m paladin.Move) bool { return m.Kind != paladin.Peek })
	if len(peeks) > 0 && r.IntN(4) > 0 {
		legal = peeks
	}
	next, out, err := g.table.Do(table.Actor{Person: p.Seats[p.Seat].Person, Interaction: "1"}, table.Play{Prompt: p.Prompt, Move: legal[r.IntN(len(legal))]}, g.now)
	if err != nil {
		g.t.Fatal(err)
	}
	g.table = next
	*lines = append(*lines, out.Lines...)
	return true
}

// replayed lays out a game that is over.
func replayed(t testing.TB, g *game, lines []table.Line) *Replay {
	t.Helper()
	record, ok := g.table.Record(lines)
	if !ok {
		t.Fatal("no record")
	}
	r, err := NewReplay(g.public(), &record, publicMoves(lines))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func publicMoves(lines []table.Line) []table.PublicLine {
	var moves []table.PublicLine
	for _, l := range lines {
		if l.Move != "" {
			moves = append(moves, l.Public())
		}
	}
	return moves
}

// viewpoints are everybody's, and the one that knows all.
func viewpoints(players int) []paladin.Seat {
	all := []paladin.Seat{paladin.NoSeat}
	for seat := range paladin.Seat(players) {
		all = append(all, seat)
	}
	return all
}

func TestReplay(t *testing.T) {
	var s screens
	g, lines := played(t, plainNames[:3], 3)
	r := replayed(t, g, lines)
	for page := 1; page <= r.Pages(); page++ {
		if page > 8 && page < r.Pages()-1 {
			continue
		}
		s.add(fmt.Sprintf("page %d, all cards", page), unhung(english.Replay(r, ReplayView{Seat: paladin.NoSeat, Page: page, Shareable: true, Pictures: true})))
		if page < 8 {
			s.add(fmt.Sprintf("page %d, seat 2", page), unhung(english.Replay(r, ReplayView{Seat: 1, Page: page, Pictures: true})))
		}
	}
	s.add("shown to everybody", english.Replay(r, ReplayView{Seat: 2, Page: 4, SharedBy: userID(1)}))
	s.compare(t, "replay")
}

// unhung is a message without its files, of which not every kind of processor makes the same bytes.
func unhung(m discord.Message) discord.Message {
	m.Files = nil
	return m
}

// TestReplayTellsOfEveryMove: every move stands on one page, in its order, and the last page is where the game ended.
func TestReplayTellsOfEveryMove(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		g, lines := played(t, plainNames[:players], byte(players))
		r := replayed(t, g, lines)
		var told []string
		for _, p := range r.pages {
			for i, m := range p.moves {
				for _, e := range m.events {
					told = append(told, fmt.Sprint(e.Public()))
				}
				if i >= p.carried && len(m.events) == 0 {
					t.Errorf("a move of which nothing is told: %+v", m.line)
				}
			}
		}
		var happened []string
		for _, l := range publicMoves(lines) {
			for _, e := range l.Events {
				happened = append(happened, fmt.Sprint(e))
			}
		}
		if diff := cmp.Diff(happened, told); diff != "" {
			t.Errorf("%d players (-happened +told):\n%s", players, diff)
		}
		last := &r.pages[len(r.pages)-1].state
		if !last.Over() || !slices.Equal(last.Scores(), scoresOf(g.public())) {
			t.Errorf("%d players: the last page is not the end", players)
		}
		if rounds := last.Rounds(); r.Pages() != rounds*2*players+1 {
			t.Errorf("%d players: %d pages in %d rounds", players, r.Pages(), rounds)
		}
	}
}

func scoresOf(p *table.Public) []int {
	scores := make([]int, len(p.Game.Seats))
	for i, s := range p.Game.Seats {
		scores[i] = s.Honour
	}
	return scores
}

// TestReplayOfAllObeysDiscord shows every page from every viewpoint of games with the worst names.
func TestReplayOfAllObeysDiscord(t *testing.T) {
	for seed := range worstNames {
		players := paladin.MinPlayers + seed%3
		if seed < 4 {
			players = paladin.MaxPlayers
		}
		g, lines := played(t, worst(players, seed), byte(seed))
		r := replayed(t, g, lines)
		for page := 0; page <= r.Pages()+1; page++ {
			for _, seat := range viewpoints(players) {
				v := ReplayView{Seat: seat, Page: page, Shareable: true, Pictures: page%5 == 0 && !testing.Short()}
				where := fmt.Sprintf("names %d, page %d, seat %d", seed, page, seat.Number())
				for _, lang := range Languages[:1+4*(page%8/7)] { // all languages now and then
					checkLimits(t, where+" "+lang, NewPrinter(lang).Replay(r, v))
				}
				v.Shareable, v.SharedBy = false, userID(0)
				m := english.Replay(r, v)
				checkLimits(t, where+", shared", m)
				if m.Ephemeral || len(m.AllowedUsers) > 0 {
					t.Errorf("%s: what everybody shall see is private, or pings", where)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// TestReplayPressesLeadOn: every button and choice of every page leads to a page that there is.
func TestReplayPressesLeadOn(t *testing.T) {
	g, lines := played(t, plainNames[:3], 3)
	r := replayed(t, g, lines)
	reached := map[string]bool{}
	todo := []ReplayView{{Seat: paladin.NoSeat, Page: 1}}
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		name := fmt.Sprintf("%s/%d", v.word(), v.Page)
		if reached[name] {
			continue
		}
		reached[name] = true
		for _, p := range replayPresses(t, english.Replay(r, v)) {
			next, ok := ReplayViewOf(p.id, p.values, 3)
			if !ok || next.Page < 1 || next.Page > r.Pages() {
				t.Fatalf("%s: a press on %v %v leads nowhere", name, p.id, p.values)
			}
			todo = append(todo, next)
		}
	}
	if want := 4 * r.Pages(); len(reached) != want {
		t.Errorf("%d of %d views can be reached", len(reached), want)
	}
}

type replayPress struct {
	id     press.ID
	values []string
}

func replayPresses(t *testing.T, m discord.Message) []replayPress {
	t.Helper()
	var out []replayPress
	value := ""
	for line := range strings.SplitSeq(rendered(m), "\n") {
		_, custom, found := strings.Cut(line, " -> ")
		if found && !strings.Contains(line, "(disabled)") {
			id, err := press.Parse(custom)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, replayPress{id: id})
			continue
		}
		if _, after, option := strings.Cut(line, ") = "); option {
			value = after
			last := &out[len(out)-1]
			if len(last.values) > 0 {
				out = append(out, replayPress{id: last.id})
				last = &out[len(out)-1]
			}
			last.values = []string{value}
		}
	}
	return out
}

func TestReplayViewOf(t *testing.T) {
	for _, tc := range []struct {
		args, values []string
		want         string
	}{
		{nil, nil, "all/1"}, {[]string{"all", "3"}, nil, "all/3"}, {[]string{"2", "3", "F"}, nil, "2/3"},
		{[]string{"-", "3"}, []string{"2"}, "2/3"}, {[]string{"2", "-"}, []string{"9"}, "2/9"}, {[]string{"2", "-5"}, nil, "2/-5"},
		{[]string{"4", "1"}, nil, ""}, {[]string{"0", "1"}, nil, ""}, {[]string{"x", "1"}, nil, ""}, {[]string{"all"}, nil, ""},
		{[]string{"all", "x"}, nil, ""}, {[]string{"-", "1"}, nil, ""}, {[]string{"-", "-"}, []string{"1"}, ""}, {[]string{"-", "1"}, []string{"-"}, ""},
		{[]string{"-", "1"}, []string{"1", "2"}, ""}, {[]string{"all", "99999999999999999999"}, nil, ""},
	} {
		v, ok := ReplayViewOf(press.New(press.Replay, "k7f3q2xa", tc.args...), tc.values, 3)
		got := ""
		if ok {
			got = v.word() + "/" + strconv.Itoa(v.Page)
		}
		if got != tc.want {
			t.Errorf("%q %q is taken for %q, want %q", tc.args, tc.values, got, tc.want)
		}
	}
}

// TestNothingIsReplayedBeforeTheEnd: not of a game that runs, whatever record is handed over.
func TestNothingIsReplayedBeforeTheEnd(t *testing.T) {
	g, lines := played(t, plainNames[:3], 3)
	record, _ := g.table.Record(lines)
	running := startTable(t, plainNames[:3], 3)
	if r, err := NewReplay(running.public(), &record, nil); err == nil {
		t.Errorf("a game that runs is replayed in %d pages", r.Pages())
	}
	lobby := openTable(t, 3, "Alma", 3)
	lobby.do(lobby.actor(0, "Alma"), table.Cancel{})
	if r, err := NewReplay(lobby.public(), &record, nil); err == nil {
		t.Errorf("a table without a game is replayed in %d pages", r.Pages())
	}
	if _, ok := running.table.Record(lines); ok {
		t.Error("a game that runs has a record")
	}
}

// TestStoppedGameIsReplayed: to where it stopped, after any number of moves.
func TestStoppedGameIsReplayed(t *testing.T) {
	for n := range 40 {
		g := startTable(t, plainNames[:3], byte(n))
		var lines []table.Line
		r := random(uint64(n))
		for range n {
			stepOn(g, r, &lines)
		}
		g.do(table.Actor{Person: table.Person{ID: "1"}, Moderator: true}, table.ForceStop{})
		re := replayed(t, g, lines)
		last := rendered(english.Replay(re, ReplayView{Seat: paladin.NoSeat, Page: re.Pages()}))
		if !strings.Contains(last, "here the game stopped") || re.pages[re.Pages()-1].state.Moves() != n {
			t.Fatalf("after %d moves:\n%s", n, last)
		}
		for page := 1; page < re.Pages(); page++ {
			if m := rendered(english.Replay(re, ReplayView{Seat: 0, Page: page})); strings.Contains(m, "here the game stopped") {
				t.Fatalf("page %d of %d: the game has not stopped yet", page, re.Pages())
			}
		}
	}
}
