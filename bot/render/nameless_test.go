package render

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"paladin/bot/discord"
	"paladin/game/table"
)

// blankNames show nothing, each in a way of its own.
var blankNames = map[string]string{
	"empty": "", "spaces": "  \t ", "no-break spaces": "\u00a0\u2007\u202f", "zero width": "\u200b\u200c\u200d\u2060\ufeff",
	"direction": "\u202e\u2066\u200f\u061c", "hangul": "\u3164\uffa0\u115f\u1160", "braille": "\u2800\u2800", "marks": "\u0301\u034f\u0302",
	"selectors": "\ufe0e\ufe0f\U000e0101", "tags": "\U000e0041\U000e007f", "soft hyphen": "\u00ad", "control": "\x00\x1b\u0085",
	"not UTF-8": "\xff\xfe", "private use": "\ue000\U0010fffd", "lines": "\n\r\u2028\u2029", "music": "\U0001d159\U0001d173",
	"khmer": "\u17b4\u17b5", "mongolian": "\u180e\u180b", "ideographic space": "\u3000", "object": "\ufffc",
}

// TestBlankNamesReadTheSameEverywhere shows every screen that names people to readers of every
// language, once with a name that shows nothing and once with the words that stand in for it.
func TestBlankNamesReadTheSameEverywhere(t *testing.T) {
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		want := namedScreens(t, pr, pr.Say(nameless))
		for why, name := range blankNames {
			if Shows(name) {
				t.Errorf("%s: %q is said to show something", why, name)
			}
			for view, shown := range namedScreens(t, pr, name) {
				if shown != want[view] {
					t.Errorf("%s: %s: %s:\n%s\nbut a name of that sound:\n%s", lang, why, view, shown, want[view])
				}
			}
		}
	}
}

// namedScreens are the screens that name people, who are all called the same.
func namedScreens(t *testing.T, pr *Printer, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(view string, m discord.Message) { out[view] = rendered(m) }
	refused := func(view string, p *table.Public, r table.Refusal) {
		r.Name = name
		out["refused: "+view] = pr.RefusalText(&r, p)
	}

	lobby := openTable(t, 3, name, 1)
	lobby.do(lobby.actor(0, name), table.Invite{People: []table.Person{{ID: userID(8), Name: name}}})
	for i := 1; i < 5; i++ {
		lobby.do(lobby.actor(i, name), table.Join{})
	}
	p := lobby.public()
	add("lobby", pr.Board(p, Links{}))
	add("manage", pr.Manage(p, p.Host, ""))
	add("lobby's log", pr.LogPage(p, lobby.history, 0))
	add("invitation", pr.Invitation(p, p.Queue, ""))
	refused("seated", p, table.Refusal{Kind: table.AlreadySeated, Seat: 1, Invited: true})
	refused("invited", p, table.Refusal{Kind: table.AlreadyInvited})
	refused("barred", p, table.Refusal{Kind: table.InviteBarred})
	refused("not ready", p, table.Refusal{Kind: table.NotReady, Seat: 1})
	refused("not the host", p, table.Refusal{Kind: table.NotHost})
	out["removed"] = strings.Join(pr.LineSentences(p, table.PublicLine{Kind: table.LineRemoved, Name: name}), "\n")

	g := startTable(t, []string{name, name, name}, 4)
	g.play(g.private(0).View.Legal()[1])
	add("commands: first", discord.Message{Components: []component{text(choicesOf(pr, g.private(0)))}})
	g.do(table.Actor{}, table.Timeout{Prompt: g.table.Prompt()})
	late := g.table.Awaited()
	g.do(table.Actor{}, table.Timeout{Prompt: g.table.Prompt()})
	g.do(g.actor(7, name), table.Offer{Seat: late})
	p = g.public()
	add("board", pr.Board(p, Links{}))
	add("offer", pr.OfferNotice(p, p.Offers[0], ""))
	add("turn", pr.TurnPing(p, p.Awaited, ""))
	add("no DM", pr.NoDM(p, p.Awaited))
	for _, user := range []table.UserID{userID(0), userID(1), userID(2)} {
		if user != p.Seats[late].Person.ID {
			g.do(table.Actor{Person: table.Person{ID: user, Name: name}}, table.Accept{Seat: late, User: userID(7)})
		}
		if g.public().Seats[late].Owner.ID != "" {
			break
		}
	}
	p = g.public()
	add("board with a stand-in", pr.Board(p, Links{}))
	add("stood in", pr.StoodIn(p, late, PanelOptions{}))
	out["stands in"] = pr.StandInNote(p, late)
	add("seat", pr.Panel(g.private(p.Awaited), Selection{}, PanelOptions{}))
	add("games", pr.GamesPage([]Listed{{Public: p, Seat: (p.Awaited + 1) % 3}}, 1, 0))
	add("log", pr.LogPage(p, g.history, 0))
	add("goodbye", pr.Goodbye(p, "", ""))
	refused("turn", p, table.Refusal{Kind: table.NotYourTurn, Seat: p.Awaited})
	refused("overdue", p, table.Refusal{Kind: table.NotOverdue, Seat: late})
	for _, kind := range []table.LineKind{table.LineAway, table.LineBack, table.LineVote, table.LineGone, table.LineKept, table.LinePauseVote} {
		out["line: "+string(kind)] = strings.Join(pr.LineSentences(p, table.PublicLine{Kind: kind, Seat: late, Name: name}), "\n")
	}
	for r := random(3); g.step(r); {
	}
	add("the end", pr.Board(g.public(), Links{}))
	add("standings", pr.Standings(Standings{
		Rows: []Ranked{{Place: 1, Record: Record{Name: name, Games: 3}}}, Who: WhoPeople, Order: OrderRating, Page: 1, Pages: 1,
	}))
	return out
}

func choicesOf(pr *Printer, p *table.Private) string {
	var names []string
	for _, c := range pr.Choices(p, SubFirst, nil, OptSeat) {
		names = append(names, c.Name)
	}
	return "names: " + strings.Join(names, ", ")
}

// TestNamesHaveOneDoor: what makes a name safe is asked for by the door alone, so that no other
// place finds words of its own for a name that shows nothing.
func TestNamesHaveOneDoor(t *testing.T) {
	set := gotoken.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	within := []string{"safeName", "plainName", "cleanName", "escapeMarkdown"}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") || source == "names.go" {
			continue
		}
		file, err := parser.ParseFile(set, source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(within, id.Name) {
				t.Errorf("%s: a name goes through %s, not through Printer.called", set.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
	for _, lang := range Languages {
		if word := NewPrinter(lang).Say(nameless); word == "" || !unicode.IsUpper([]rune(word)[0]) {
			t.Errorf("%s: %q does not look like a name", lang, word)
		}
	}
}
