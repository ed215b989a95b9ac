package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// pressable are the ids of a message's enabled controls in order, with the options of selects.
type pressable struct {
	id     press.ID
	values []string
	row    int
}

func pressables(t testing.TB, m discord.Message) []pressable {
	t.Helper()
	var out []pressable
	row := 0
	var walk func(parts []discordgo.MessageComponent)
	add := func(text string, values []string) {
		id, err := press.Parse(text)
		if err != nil {
			t.Fatalf("custom id %q: %v", text, err)
		}
		out = append(out, pressable{id: id, values: values, row: row})
	}
	walk = func(parts []discordgo.MessageComponent) {
		for _, part := range parts {
			switch part := part.(type) {
			case discordgo.Container:
				walk(part.Components)
			case discordgo.ActionsRow:
				row++
				walk(part.Components)
			case discordgo.Button:
				if !part.Disabled && part.Style != discordgo.LinkButton {
					add(part.CustomID, nil)
				}
			case discordgo.SelectMenu:
				var values []string
				for _, o := range part.Options {
					values = append(values, o.Value)
				}
				add(part.CustomID, values)
			}
		}
	}
	walk(m.Components)
	return out
}

func confirms(kind press.Kind) bool {
	return kind == press.Place || kind == press.Peek || kind == press.First || kind == press.Act
}

// TestOnlyLegalControls presses, in random games, everything that a panel offers: what chooses leads to a panel whose confirm button
// makes a legal move, and together they reach every legal move.
func TestOnlyLegalControls(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(fmt.Sprintf("%d players", players), func(t *testing.T) {
			r := random(uint64(players))
			g := startTable(t, plainNames[:players], byte(players))
			for more := true; more && !t.Failed(); more = g.step(r) {
				checkControls(t, g, paladin.Seat(r.IntN(players)))
				if mover := g.table.Awaited(); mover != paladin.NoSeat {
					checkControls(t, g, mover)
				}
			}
		})
	}
}

func checkControls(t *testing.T, g *game, seat paladin.Seat) {
	t.Helper()
	p := g.private(seat)
	reached := map[string]bool{}
	seen := map[Selection]bool{{}: true}
	for queue := []Selection{{}}; len(queue) > 0; queue = queue[1:] {
		m := english.Panel(p, queue[0], PanelOptions{})
		offered := pressables(t, m)
		lastRow := 0
		for _, o := range offered {
			lastRow = max(lastRow, o.row)
		}
		for _, o := range offered {
			if confirms(o.id.Kind) {
				checkConfirm(t, g, p, o, lastRow, reached)
				continue
			}
			for _, sel := range leadsTo(o) {
				if !seen[sel] {
					seen[sel] = true
					queue = append(queue, sel)
				}
			}
		}
	}
	if p.Stage != table.Playing {
		return
	}
	for _, m := range p.View.Legal() {
		if m.Seat = 0; !reached[m.String()] {
			t.Errorf("move %d, seat %d: no button leads to %v", p.Prompt, seat.Number(), m)
		}
	}
}

// leadsTo are the selections that a press can leave.
func leadsTo(o pressable) []Selection {
	if o.values == nil {
		return []Selection{selected(o.id)}
	}
	var out []Selection
	for _, v := range o.values {
		out = append(out, selected(o.id, v))
	}
	return append(out, selected(o.id))
}

func checkConfirm(t *testing.T, g *game, p *table.Private, o pressable, lastRow int, reached map[string]bool) {
	t.Helper()
	move, ok := MoveOf(o.id)
	if !ok {
		t.Errorf("confirm button %q is no move", o.id)
		return
	}
	if o.row != lastRow {
		t.Errorf("%v is confirmed in row %d of %d", move, o.row, lastRow)
	}
	owner := table.Actor{Person: p.Seats[p.Seat].Person, Interaction: "1"}
	if _, _, err := g.table.Do(owner, table.Play{Prompt: o.id.Prompt, Move: move}, g.now); err != nil {
		t.Errorf("offered and refused: %v by seat %d: %v", move, p.Seat.Number(), err)
	}
	if rest := selected(o.id, o.values...); rest != (Selection{}) {
		t.Errorf("%v leaves %+v chosen", move, rest)
	}
	reached[move.String()] = true
}

// rowShape is how many controls each row of a message holds.
func rowShape(m discord.Message) []int {
	var shape []int
	for _, part := range m.Components {
		if row, ok := part.(discordgo.ActionsRow); ok {
			shape = append(shape, len(row.Components))
		}
	}
	return shape
}

// TestControlsKeepTheirPlaces: while somebody chooses, no button moves, and the confirm button is alone in the last row.
func TestControlsKeepTheirPlaces(t *testing.T) {
	r, choose := random(1), random(2)
	g := startTable(t, plainNames[:5], 1)
	for more := true; more; more = g.step(r) {
		if g.table.Awaited() == paladin.NoSeat {
			break
		}
		p := g.private(g.table.Awaited())
		want := fmt.Sprint(rowShape(english.Panel(p, Selection{}, PanelOptions{})))
		for _, sel := range some(choose, 8, selections(p)) {
			got := rowShape(english.Panel(p, sel, PanelOptions{}))
			if fmt.Sprint(got) != want {
				t.Fatalf("move %d: rows %v with %+v, %s with nothing chosen", p.Prompt, got, sel, want)
			}
			if got[len(got)-1] != 1 {
				t.Fatalf("move %d: %d buttons in the last row", p.Prompt, got[len(got)-1])
			}
		}
	}
}

// TestTheOnlyQuestIsChosen: where one quest alone is left for a card, it takes one press less; a panel that was just opened is still
// not ready to confirm anything.
func TestTheOnlyQuestIsChosen(t *testing.T) {
	g, r, single := startTable(t, plainNames[:3], 3), random(3), 0
	for more := true; more; more = g.step(r) {
		seat := g.table.Awaited()
		if seat == paladin.NoSeat {
			break
		}
		p := g.private(seat)
		options := placingOf(p.View.Legal())
		if len(options.cards) == 0 {
			continue
		}
		ready := func(sel Selection) (out []press.ID) {
			for _, o := range pressables(t, english.Panel(p, sel, PanelOptions{})) {
				if o.id.Kind == press.Place {
					out = append(out, o.id)
				}
			}
			return out
		}
		if ids := ready(Selection{}); len(ids) > 0 {
			t.Fatalf("move %d: %v can be confirmed with nothing chosen", p.Prompt, ids)
		}
		ids := ready(Selection{Card: options.cards[0].String()})
		if only := len(options.quests) == 1; (len(ids) == 1) != only {
			t.Fatalf("move %d: quests %v, and with a card chosen %v can be confirmed", p.Prompt, options.quests, ids)
		} else if only {
			single++
		}
	}
	if single == 0 {
		t.Error("there was a choice of quests at every move")
	}
}

// TestStartIsOfferedWhenItIsPossible compares the lobby's Start and Add a squire with what the table says.
func TestStartIsOfferedWhenItIsPossible(t *testing.T) {
	g := openTable(t, 4, "Alma", 1)
	host := g.actor(0, "Alma")
	for {
		offered := map[press.Kind]bool{}
		for _, o := range pressables(t, english.Board(g.public(), Links{})) {
			offered[o.id.Kind] = true
		}
		_, _, err := g.table.Do(host, table.Start{}, g.now)
		if offered[press.Start] != (err == nil) {
			t.Errorf("%d seated: Start offered %v, the table says %v", len(g.public().Seats), offered[press.Start], err)
		}
		_, _, err = g.table.Do(host, table.AddSquire{}, g.now)
		if offered[press.Squire] != (err == nil) {
			t.Errorf("%d seated: Add a squire offered %v, the table says %v", len(g.public().Seats), offered[press.Squire], err)
		}
		if err != nil {
			return
		}
		g.do(host, table.AddSquire{})
	}
}

func TestMoveOfRefusesForgedPresses(t *testing.T) {
	for _, id := range []press.ID{
		press.New(press.Seat, "t"), press.For(press.Place, "t", 1), press.For(press.Place, "t", 1, "7", "0"),
		press.For(press.Place, "t", 1, "7", "6"), press.For(press.Peek, "t", 1, "10.1"), press.For(press.Peek, "t", 1, "1.6"),
		press.For(press.First, "t", 1, "6"),
		press.For(press.Place, "t", 1, "77", "1"), press.For(press.Place, "t", 1, "7r", "-"), press.For(press.Peek, "t", 1, "2"),
		press.For(press.Peek, "t", 1, "2.0"), press.For(press.Peek, "t", 1, "2.1.1"), press.For(press.First, "t", 1, "0"),
		press.For(press.First, "t", 1, "-"), press.For(press.First, "t", 1, "01"), press.For(press.Act, "t", 1, "-"),
	} {
		if m, ok := MoveOf(id); ok {
			t.Errorf("%v is read as %v", id, m)
		}
	}
}

// selected is what a control that was offered leaves chosen.
func selected(id press.ID, values ...string) Selection {
	sel, ok := Selected(id, values)
	if !ok {
		panic("offered and refused: " + id.String() + " " + strings.Join(values, " "))
	}
	return sel
}

// TestSelectedRefuses what nobody was offered in any position.
func TestSelectedRefuses(t *testing.T) {
	for _, odd := range []struct {
		kind   press.Kind
		args   []string
		values []string
	}{
		{kind: press.Pick}, {kind: press.Pick, args: []string{"7"}}, {kind: press.Pick, args: []string{"seven", "1"}},
		{kind: press.Pick, args: []string{"-", "0"}}, {kind: press.Pick, args: []string{"-", "6"}}, {kind: press.Pick, args: []string{"-", "01"}},
		{kind: press.PickPeek, values: []string{"1"}}, {kind: press.PickPeek, values: []string{"1.x"}}, {kind: press.PickPeek, values: []string{"1.1", "1.2"}},
		{kind: press.PickFirst}, {kind: press.PickFirst, args: []string{"0"}}, {kind: press.PickFirst, args: []string{"first"}},
		{kind: press.PickAct}, {kind: press.PickAct, args: []string{"eat"}},
		{kind: press.PickPlan}, {kind: press.PickPlan, args: []string{"7", "x"}}, {kind: press.PickPlan, args: []string{"7", "1", "all"}},
	} {
		if sel, ok := Selected(press.New(odd.kind, "t", odd.args...), odd.values); ok {
			t.Errorf("%s %q %q leaves %+v chosen", odd.kind, odd.args, odd.values, sel)
		}
	}
}
