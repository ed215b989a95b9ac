package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// opened is when the tables of these tests were opened. The tests count from here; no clock is read.
var opened = time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC)

// english is who reads what these tests look at, where nothing else is said.
var english = NewPrinter("en")

// game is a table with its history, played by its people.
type game struct {
	t       testing.TB
	table   table.Table
	history []table.PublicLine
	now     time.Time
	press   int
}

// plainNames are names that need no care.
var plainNames = []string{"Alma", "Bela", "Cleo", "Dora", "Emil"}

// worstNames are what people call themselves to break things; each is as long as Discord allows.
var worstNames = []string{
	"@everyone @here <@&1> **x** ||y||",                             // 32 characters, a ping in every way
	strings.Repeat("👩‍🚀", 10),                                       // sequences of emoji
	strings.Repeat("漢", 32),                                         // three bytes and two columns each
	strings.Repeat("שלום", 8),                                       // from right to left
	strings.Repeat("_*`~|>#[", 4),                                   // markdown only: doubles when it is escaped
	"\u202e" + strings.Repeat("e\u0301\u0302\u0303\u0304\u0305", 5), // override and towers of marks
	strings.Repeat("\u3164\u200b", 16),                              // nothing to be seen
	strings.Repeat("𒐫", 32),                                         // the widest there is
	"https://x.example/[a](b) <t:0:R>",
	"``````````````````````````````\\\\",
}

func userID(i int) table.UserID { return table.UserID(fmt.Sprintf("10000000000000000%02d", i+1)) }

func (g *game) actor(i int, name string) table.Actor {
	g.press++
	return table.Actor{
		Person:      table.Person{ID: userID(i), Name: name},
		Interaction: fmt.Sprintf("12000000000000%05d", g.press),
	}
}

// openTable opens a lobby of so many seats; the first name is the host's.
func openTable(t testing.TB, seats int, host string, seed byte) *game {
	t.Helper()
	g := &game{t: t, now: opened}
	var err error
	var out table.Outcome
	g.table, out, err = table.Open(table.Opening{
		ID: "k7f3q2xa", Guild: "900000000000000001", Channel: "900000000000000002", Host: g.actor(0, host),
		Options: table.Options{Seats: seats, Squires: squire.Normal, SquirePace: table.SquireHuman, Pace: table.PaceDaily},
		Deck:    paladin.HouseDeck(), Seed: paladin.Seed{1, seed}, SquireSeed: paladin.Seed{2, seed}, Now: g.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.remember(out)
	return g
}

// startTable seats people of these names and starts.
func startTable(t testing.TB, names []string, seed byte) *game {
	t.Helper()
	g := openTable(t, len(names), names[0], seed)
	for i, name := range names[1:] {
		g.do(g.actor(i+1, name), table.Join{})
	}
	g.do(g.actor(0, names[0]), table.Start{})
	return g
}

func (g *game) remember(out table.Outcome) {
	for _, l := range out.Lines {
		g.history = append(g.history, l.Public())
	}
}

// do carries out a command that must be accepted, a minute later.
func (g *game) do(by table.Actor, cmd table.Command) {
	g.t.Helper()
	g.now = g.now.Add(time.Minute)
	next, out, err := g.table.Do(by, cmd, g.now)
	if err != nil {
		g.t.Fatalf("%T by %s: %v", cmd, by.ID, err)
	}
	g.table = next
	g.remember(out)
}

func (g *game) public() *table.Public {
	p := g.table.Public()
	return &p
}

// private is what the owner of the seat may know; nil for a squire's seat.
func (g *game) private(seat paladin.Seat) *table.Private {
	owner := g.public().Seats[seat].Person
	p, ok := g.table.Private(owner.ID)
	if !ok {
		return nil
	}
	return &p
}

// play makes a move for the seat whose turn it is.
func (g *game) play(m paladin.Move) {
	g.t.Helper()
	p := g.private(g.table.Awaited())
	g.do(table.Actor{Person: p.Seats[p.Seat].Person, Interaction: "1"}, table.Play{Prompt: p.Prompt, Move: m})
}

// step makes a random legal move; false when the game is over. Peeks are as likely as placing, so that they happen at all.
func (g *game) step(r *rand.Rand) bool {
	g.t.Helper()
	if g.table.Awaited() == paladin.NoSeat {
		return false
	}
	legal := g.private(g.table.Awaited()).View.Legal()
	var peeks []paladin.Move
	for _, m := range legal {
		if m.Kind == paladin.Peek {
			peeks = append(peeks, m)
		}
	}
	if len(peeks) > 0 && r.IntN(4) > 0 {
		legal = peeks
	}
	g.play(legal[r.IntN(len(legal))])
	return true
}

// until steps on until the phase is reached.
func (g *game) until(r *rand.Rand, round int, phase paladin.Phase) {
	g.t.Helper()
	for {
		if p := g.public().Game; p.Round == round && p.Phase == phase {
			return
		}
		if !g.step(r) {
			g.t.Fatalf("round %d never came to %v", round, phase)
		}
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// worst is so many of the worst names, beginning with a different one for each seed.
func worst(players int, seed int) []string {
	names := make([]string, players)
	for i := range names {
		names[i] = worstNames[(seed+i)%len(worstNames)]
	}
	return names
}

// options for the panels of tests: the longest that the application gives.
func panelOptions(g *game) PanelOptions {
	return PanelOptions{
		DM: true, AsOf: g.now, BoardLink: MessageLink("900000000000000001", "900000000000000002", "900000000000000003"),
		Note: "You placed **7r⚔** on quest 2.",
	}
}

// rendered is a message as readable text: what people see, and behind -> what a press sends.
func rendered(m discord.Message) string {
	var b strings.Builder
	if m.Ephemeral {
		b.WriteString("(only you see this)\n")
	}
	if len(m.AllowedUsers) > 0 {
		fmt.Fprintf(&b, "(pings %s)\n", strings.Join(m.AllowedUsers, ", "))
	}
	writeParts(&b, m.Components)
	for _, f := range m.Files {
		fmt.Fprintf(&b, "(file %s, %s, %d bytes)\n", f.Name, f.ContentType, len(f.Data))
	}
	return b.String()
}

func writeParts(b *strings.Builder, parts []discordgo.MessageComponent) {
	for _, part := range parts {
		switch part := part.(type) {
		case discordgo.Container:
			writeParts(b, part.Components)
		case discordgo.TextDisplay:
			b.WriteString(part.Content + "\n")
		case discordgo.Separator:
			b.WriteString("----\n")
		case discordgo.ActionsRow:
			for _, c := range part.Components {
				writeControl(b, c)
			}
		case discordgo.FileComponent:
			fmt.Fprintf(b, "{file} %s\n", part.File.URL)
		case discordgo.MediaGallery:
			for _, item := range part.Items {
				fmt.Fprintf(b, "{picture} %s\n", *item.Description)
			}
		default:
			fmt.Fprintf(b, "unknown component %T\n", part)
		}
	}
}

var styles = map[discordgo.ButtonStyle]string{
	discordgo.PrimaryButton: "primary", discordgo.SecondaryButton: "secondary", discordgo.SuccessButton: "success",
	discordgo.DangerButton: "danger", discordgo.LinkButton: "link",
}

func writeControl(b *strings.Builder, c discordgo.MessageComponent) {
	switch c := c.(type) {
	case discordgo.Button:
		style := styles[c.Style]
		if c.Disabled {
			style = "disabled"
		}
		fmt.Fprintf(b, "  [%s] (%s) -> %s%s\n", c.Label, style, c.CustomID, c.URL)
	case discordgo.SelectMenu:
		fmt.Fprintf(b, "  <%s> -> %s\n", c.Placeholder, c.CustomID)
		for _, o := range c.Options {
			mark := " "
			if o.Default {
				mark = "*"
			}
			fmt.Fprintf(b, "   %s %s (%s) = %s\n", mark, o.Label, o.Description, o.Value)
		}
	}
}
