package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// give lets the owner of a seat ask for something at any time.
func (g *game) give(seat paladin.Seat, cmd table.Command) {
	g.t.Helper()
	g.do(table.Actor{Person: g.public().Seats[seat].Person, Interaction: "1"}, cmd)
}

// orderAll gives every card that can have one a random standing order.
func (g *game) orderAll(r *rand.Rand) {
	g.t.Helper()
	acts := table.OrderActs()[1:]
	for seat := range paladin.Seat(len(g.public().Seats)) {
		for _, k := range g.private(seat).Orderable() {
			g.give(seat, table.SetOrder{Quest: k.Quest, Order: table.Order{Act: acts[r.IntN(len(acts))], Most: table.NoGuard}})
		}
	}
}

// moves is how many moves were made.
func (g *game) moves() int { return int(g.table.Prompt()) - 1 }

// resolved is what a show tells of the moves after the first n.
func (g *game) resolved(n int) []table.PublicLine {
	var moves []table.PublicLine
	for _, l := range g.history {
		if l.Kind == table.LineMove || l.Kind == table.LineSquireMove {
			moves = append(moves, l)
		}
	}
	return ShowLines(moves, uint64(n)+1, g.table.Prompt()-1)
}

// follow carries out what was given beforehand, as far as it holds.
func (g *game) follow() {
	g.t.Helper()
	for {
		next, out, moved, err := g.table.Beforehand(g.now)
		if err != nil {
			g.t.Fatal(err)
		}
		g.table = next
		g.remember(out)
		if !moved {
			return
		}
	}
}

func TestBeforehand(t *testing.T) {
	var s screens
	r := random(6)
	g := startTable(t, plainNames[:4], 6)
	opt := PanelOptions{BoardLink: panelOptions(g).BoardLink}
	page := func(title string, seat paladin.Seat, sel Selection) {
		s.add(title, english.Panel(g.private(seat), sel, opt))
	}
	page("plan before the dealer has named the start", 1, Selection{Page: PagePlan})
	g.until(r, 1, paladin.PhaseLead)
	mover := g.table.Awaited()
	page("plan on one's own turn is the turn", mover, Selection{Page: PagePlan})
	g.until(r, 1, paladin.PhasePlace)
	seat := paladin.Seat((int(g.table.Awaited()) + 2) % 4)
	page("orders without a card", seat, Selection{Page: PageOrders})
	page("plan", seat, Selection{Page: PagePlan})
	mine := g.private(seat)
	quests, _ := mine.Plannable()
	sel := Selection{Page: PagePlan, Card: mine.View.Hand[0].String(), Quest: quests[0].Quest}
	page("plan chosen", seat, sel)
	sel.Anyway = true
	page("plan chosen in any case", seat, sel)
	g.give(seat, table.SetPlan{Plan: &table.Plan{Card: mine.View.Hand[0], Quest: quests[0].Quest, Most: quests[0].Most}})
	page("planned", seat, Selection{})
	page("plan page with a plan", seat, Selection{Page: PagePlan})
	for g.table.Awaited() != seat {
		for _, m := range g.private(g.table.Awaited()).View.Legal() {
			if m.Kind == paladin.Place && (m.Quest == quests[0].Quest || !coverable(g, quests[0].Quest)) {
				g.play(m)
				break
			}
		}
	}
	g.follow()
	page("the plan broke", seat, Selection{})
	g.until(r, 2, paladin.PhasePlace)
	g.stepWhile(r, func(p *paladin.Public) bool { return p.Phase == paladin.PhasePlace })
	// The first card is being decided about; its owner takes it back, and the rest follows.
	page("orders while the quests are resolved", 0, Selection{Page: PageOrders})
	for i, k := range g.private(0).Orderable() {
		order := table.Order{Act: table.OrderActs()[1+i%4], Most: []int{4, table.NoGuard}[i%2]}
		g.give(0, table.SetOrder{Quest: k.Quest, Order: order})
		s.say(fmt.Sprintf("receipt %d", i), english.OrderReceipt(g.private(0), k.Quest, order))
	}
	s.say("receipt of asking", english.OrderReceipt(g.private(0), 1, table.Order{Most: table.NoGuard}))
	page("orders given", 0, Selection{})
	page("orders page with orders", 0, Selection{Page: PageOrders})
	s.say("planned", english.PlanReceipt(&table.Plan{}))
	s.say("plan taken back", english.PlanReceipt(nil))
	s.compare(t, "beforehand")
}

// coverable reports whether the seat to act can place on the quest.
func coverable(g *game, quest int) bool {
	for _, m := range g.private(g.table.Awaited()).View.Legal() {
		if m.Kind == paladin.Place && m.Quest == quest {
			return true
		}
	}
	return false
}

func TestShow(t *testing.T) {
	var s screens
	r := random(8)
	g := startTable(t, plainNames[:3], 8)
	from := 0
	show := func(what string) {
		lines := g.resolved(from)
		steps := ShowSteps(lines)
		for step := range steps {
			m := english.Show(g.public(), lines, ShowPart{From: 21, Last: 29, Step: step})
			s.add(fmt.Sprintf("%s, step %d of %d", what, step+1, steps), m)
		}
	}
	g.until(r, 1, paladin.PhaseResolve)
	g.orderAll(r)
	from = g.moves()
	g.play(paladin.Move{Kind: paladin.Take})
	g.follow()
	show("a round")

	g.until(r, 2, paladin.PhaseResolve)
	g.orderAll(r)
	// Whoever decides on quest 3 wants to be asked.
	for seat := range paladin.Seat(3) {
		for _, k := range g.private(seat).Orderable() {
			if k.Quest == 3 {
				g.give(seat, table.SetOrder{Quest: 3, Order: table.Order{Most: table.NoGuard}})
			}
		}
	}
	from = g.moves()
	g.play(paladin.Move{Kind: paladin.Discard})
	g.follow()
	show("as far as nobody is asked")
	g.play(paladin.Move{Kind: paladin.Take})
	from = g.moves()
	g.play(paladin.Move{Kind: paladin.Take})
	show("the rest of a quest")
	s.compare(t, "show")
}

// TestShowGrows: every step holds what the one before it held, but for the line that promises more, and the last one has no button.
func TestShowGrows(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		for _, names := range [][]string{plainNames[:players], worst(players, players)} {
			r := random(uint64(players))
			g := startTable(t, names, byte(players))
			for round := 1; g.table.Stage() == table.Playing && round <= 3; round++ {
				g.until(r, round, paladin.PhaseResolve)
				g.orderAll(r)
				from := g.moves()
				g.play(paladin.Move{Kind: paladin.Take})
				g.follow()
				lines := g.resolved(from)
				before := ""
				for step := range ShowSteps(lines) {
					m := english.Show(g.public(), lines, ShowPart{From: 1, Last: 99, Step: step})
					checkLimits(t, "a show", m)
					if strings.Contains(before, "…") && !strings.HasPrefix(rendered(m), before[:strings.LastIndex(before, "…")]) && names[0] == plainNames[0] {
						t.Fatalf("step %d takes back what the one before showed:\n%s\n%s", step, before, rendered(m))
					}
					before = rendered(m)
				}
				if n := len(pressables(t, english.Show(g.public(), lines, ShowPart{Step: 99}))); n != 0 || ShowSteps(lines) != players {
					t.Fatalf("%d steps, %d buttons at the end", ShowSteps(lines), n)
				}
			}
		}
	}
}

// TestOnlyLegalBeforehand presses, in random games, everything that the pages of orders and plans offer at any seat: the table accepts
// it, and whatever can be given is offered.
func TestOnlyLegalBeforehand(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(fmt.Sprintf("%d players", players), func(t *testing.T) {
			r := random(uint64(players) + 9)
			g := startTable(t, worst(players, 2), byte(players))
			for more := true; more && !t.Failed(); more = g.step(r) {
				seat := paladin.Seat(r.IntN(players))
				p := g.private(seat)
				if p.Stage != table.Playing {
					continue
				}
				checkOrders(t, g, p)
				checkPlans(t, g, p, r)
				if cards := p.Orderable(); len(cards) > 0 {
					act := table.OrderActs()[r.IntN(5)]
					g.give(seat, table.SetOrder{Quest: cards[r.IntN(len(cards))].Quest, Order: table.Order{Act: act, Most: r.IntN(10)}})
				}
			}
		})
	}
}

func checkOrders(t *testing.T, g *game, p *table.Private) {
	t.Helper()
	m := english.Panel(p, Selection{Page: PageOrders}, panelOptions(g))
	checkLimits(t, "orders", m)
	offered := map[string]int{}
	for _, o := range pressables(t, m) {
		if o.id.Kind == press.Order {
			offered[o.id.Arg(0)] = len(o.values)
			for _, value := range o.values {
				act, ok := english.OrderAct(value)
				quest, _ := smallNumber(o.id.Arg(0))
				_, _, err := g.table.Do(table.Actor{Person: p.Seats[p.Seat].Person}, table.SetOrder{Quest: quest, Order: table.Order{Act: act, Most: 9}}, g.now)
				if !ok || err != nil || o.id.Arg(1) != fmt.Sprint(p.Game.Round) {
					t.Errorf("move %d: %v = %s is offered and refused: %v", p.Prompt, o.id, value, err)
				}
			}
		}
	}
	if len(offered) != len(p.Orderable()) {
		t.Errorf("move %d: orders for %v, want %v", p.Prompt, offered, p.Orderable())
	}
	for _, c := range english.Choices(p, SubOrder, nil, OptQuest) {
		if offered[fmt.Sprint(c.Value)] != len(table.OrderActs()) {
			t.Errorf("move %d: quest %v is suggested and not offered", p.Prompt, c.Value)
		}
	}
}

func checkPlans(t *testing.T, g *game, p *table.Private, r *rand.Rand) {
	t.Helper()
	quests, _ := p.Plannable()
	for _, q := range quests {
		card := p.View.Hand[r.IntN(len(p.View.Hand))]
		for _, any := range []bool{false, true} {
			m := english.Panel(p, Selection{Page: PagePlan, Card: card.String(), Quest: q.Quest, Anyway: any}, panelOptions(g))
			checkLimits(t, "plan", m)
			offered := pressables(t, m)
			last := offered[len(offered)-1]
			plan, ok := PlanOf(last.id)
			if !ok || plan.Card != card || plan.Quest != q.Quest {
				t.Fatalf("move %d: the last button is %v", p.Prompt, last.id)
			}
			if _, _, err := g.table.Do(table.Actor{Person: p.Seats[p.Seat].Person}, table.SetPlan{Plan: &plan}, g.now); err != nil {
				t.Errorf("move %d: %+v is offered and refused: %v", p.Prompt, plan, err)
			}
		}
	}
}

// TestBeforehandShowsNobodyMore: the pages depend on nothing that their owner cannot know, and what others give changes nothing that
// somebody else can be shown.
func TestBeforehandShowsNobodyMore(t *testing.T) {
	r := random(70)
	g := startTable(t, plainNames[:4], 7)
	for more := true; more && g.table.Stage() == table.Playing; more = g.step(r) {
		seat := paladin.Seat(r.IntN(4))
		other := *g
		other.table = g.table.Redeal(seat, r.IntN)
		for _, page := range []string{PageOrders, PagePlan} {
			a, b := english.Panel(g.private(seat), Selection{Page: page}, PanelOptions{}), english.Panel(other.private(seat), Selection{Page: page}, PanelOptions{})
			if rendered(a) != rendered(b) {
				t.Fatalf("move %d: page %s of seat %d depends on what is hidden", g.table.Prompt(), page, seat.Number())
			}
		}
		watcher := paladin.Seat((int(seat) + 1) % 4)
		before := everything(t, g, watcher)
		for _, k := range g.private(seat).Orderable() {
			g.give(seat, table.SetOrder{Quest: k.Quest, Order: table.Order{Act: table.OrderTake, Most: 3}})
		}
		if after := everything(t, g, watcher); after != before {
			t.Fatalf("move %d: an order of seat %d shows at seat %d", g.table.Prompt(), seat.Number(), watcher.Number())
		}
	}
}

func everything(t *testing.T, g *game, seat paladin.Seat) string {
	t.Helper()
	own := g.private(seat)
	data, err := json.Marshal([]discord.Message{
		english.Board(g.public(), Links{}), english.Panel(own, Selection{}, PanelOptions{}), english.Panel(own, Selection{Page: PageOrders}, PanelOptions{}),
		english.Panel(own, Selection{Page: PagePlan}, PanelOptions{}), english.LogPage(g.public(), g.history, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPlanButtonsKeepTheirPlaces: while somebody chooses, no button moves, and the confirm button is alone in the last row.
func TestPlanButtonsKeepTheirPlaces(t *testing.T) {
	r := random(3)
	g := startTable(t, plainNames[:5], 3)
	for more := true; more && g.table.Stage() == table.Playing; more = g.step(r) {
		p := g.private(paladin.Seat(r.IntN(5)))
		quests, _ := p.Plannable()
		if len(quests) == 0 {
			continue
		}
		want := fmt.Sprint(rowShape(english.Panel(p, Selection{Page: PagePlan}, PanelOptions{})))
		for _, sel := range []Selection{
			{Card: p.View.Hand[0].String()}, {Quest: quests[0].Quest}, {Card: p.View.Hand[0].String(), Quest: quests[0].Quest}, {Anyway: true},
			{Card: "zz", Quest: 77},
		} {
			sel.Page = PagePlan
			got := rowShape(english.Panel(p, sel, PanelOptions{}))
			if fmt.Sprint(got) != want || got[len(got)-1] != 1 {
				t.Fatalf("move %d: rows %v with %+v, %s with nothing chosen", p.Prompt, got, sel, want)
			}
		}
	}
}

func TestTypedOrders(t *testing.T) {
	r := random(4)
	g := startTable(t, plainNames[:3], 4)
	g.until(r, 1, paladin.PhaseResolve)
	var p *table.Private
	for seat := range paladin.Seat(3) {
		if p = g.private(seat); len(p.Orderable()) > 0 {
			break
		}
	}
	quest := p.Orderable()[0].Quest
	for _, tc := range []struct {
		options map[string]string
		want    table.Order
		refused bool
	}{
		{map[string]string{OptQuest: fmt.Sprint(quest), OptAct: "take"}, table.Order{Act: table.OrderTake, Most: 9}, false},
		{map[string]string{OptQuest: fmt.Sprintf("quest %d", quest), OptAct: "beat-discard", OptAtMost: "0"}, table.Order{Act: table.OrderBeatDiscard}, false},
		{map[string]string{OptQuest: english.Choices(p, SubOrder, nil, OptQuest)[0].Name, OptAct: "ask"}, table.Order{Most: 9}, false},
		{map[string]string{OptQuest: "x", OptAct: "take"}, table.Order{}, true},
		{map[string]string{OptQuest: "1", OptAct: "eat"}, table.Order{}, true},
		{map[string]string{OptQuest: "1", OptAct: "take", OptAtMost: "10"}, table.Order{}, true},
	} {
		got, order, refusal := english.TypedOrder(p, tc.options)
		if (refusal != "") != tc.refused || refusal == "" && (order != tc.want || got != quest) {
			t.Errorf("%v: quest %d, %+v, %q", tc.options, got, order, refusal)
		}
	}
	for _, c := range Commands() {
		for _, sub := range c.Options {
			if sub.Name != SubOrder {
				continue
			}
			if n := len(sub.Options[1].Choices); n != len(table.OrderActs()) || sub.Options[1].Type != discordgo.ApplicationCommandOptionString {
				t.Errorf("%d acts are offered", n)
			}
		}
	}
}
