package render

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

var mod = table.Actor{Person: table.Person{ID: "77", Name: "Mod"}, Moderator: true}

// TestSendingOff shows what whoever manages the channel, and whoever is sent off, read.
func TestSendingOff(t *testing.T) {
	const link = "https://discord.com/channels/1/2/3"
	var s screens
	g := startTable(t, plainNames[:3], 4)
	s.add("the list", english.SendOffList(g.public(), "77", ""))
	s.add("the list of somebody who plays", english.SendOffList(g.public(), userID(1), "A note."))
	s.add("the question", english.ConfirmSendOff(g.public(), 1, g.public().Seats[1].Person.ID))
	g.do(mod, table.SendOff{Seat: 1, User: userID(1)})
	s.say("the receipt", english.SentOffReceipt(g.public(), table.SendOff{}, "Bela"))
	s.add("the list afterwards", english.SendOffList(g.public(), "77", ""))
	s.add("whoever was sent off is told", english.SentOff(g.public(), 1, userID(1), "Mod", link))
	s.add("their seat", english.Panel(g.private(1), Selection{}, PanelOptions{BoardLink: link}))
	g.do(g.actor(7, "Ida"), table.Offer{Seat: 1})
	g.do(g.actor(0, "Alma"), table.Accept{Seat: 1, User: userID(7)})
	s.add("the owner looks while somebody stands in", english.StoodIn(g.public(), 1, PanelOptions{BoardLink: link}))
	s.add("the question about a stand-in", english.ConfirmSendOff(g.public(), 1, g.public().Seats[1].Person.ID))
	g.do(mod, table.LetBack{User: userID(1)})
	s.add("the question about the owner of a stood-in seat", english.ConfirmSendOff(g.public(), 1, userID(1)))
	s.say("the receipt of the owner", english.SentOffReceipt(g.public(), table.SendOff{Seat: 1, User: userID(1)}, "Bela"))
	s.add("the owner of a stood-in seat is told", english.SentOff(g.public(), 1, userID(1), "Mod", link))
	g.do(mod, table.SendOff{Seat: 1, User: userID(1)})
	g.do(mod, table.LetBack{User: userID(1)})
	s.add("let back to a seat with a stand-in", english.LetBack(g.public(), userID(1), "Mod", link))
	g.do(mod, table.SendOff{Seat: 1, User: userID(7)})
	s.add("the owner is told", english.StandInSentOff(g.public(), userID(1), "Ida", "Mod", link))
	s.add("the stand-in looks", english.HandedBack(g.public(), 1, userID(7), PanelOptions{BoardLink: link}))
	g.do(mod, table.LetBack{User: userID(7)})
	s.add("a stand-in is let back", english.LetBack(g.public(), userID(7), "Mod", link))
	s.add("let back to one's own seat", english.LetBack(g.public(), userID(1), "Mod", link))
	g.do(g.actor(2, "Cleo"), table.Leave{})
	s.add("the question about the last one", english.ConfirmSendOff(g.public(), 0, userID(0)))
	s.add("the board", english.Board(g.public(), Links{}))
	g.do(mod, table.SendOff{Seat: 0, User: userID(0)})
	s.say("the receipt of the last one", english.SentOffReceipt(g.public(), table.SendOff{}, "Alma"))
	s.add("the last one is told", english.SentOff(g.public(), 0, userID(0), "Mod", link))
	s.add("the log", english.LogPage(g.public(), g.history, 0))
	s.compare(t, "sendoff")
}

// TestReadSendOff: a number, a name and a suggestion name a seat or somebody who was sent off; what fits nobody, or several, does not.
func TestReadSendOff(t *testing.T) {
	g := startTable(t, plainNames[:3], 4)
	g.do(mod, table.SendOff{Seat: 2, User: userID(2)})
	off := func(seat int) table.Command { return table.SendOff{Seat: paladin.Seat(seat), User: userID(seat)} }
	back := table.Command(table.LetBack{User: userID(2)})
	for typed, want := range map[string]table.Command{
		"2": off(1), " alma ": off(0), "Bela": off(1), "back-" + string(userID(2)): back, "cleo": back, "": nil, "a": nil, "Zoe": nil, "9": nil,
		"0": nil, "back-": nil, "owner-2": nil, "owner-9": nil,
	} {
		if cmd, ok := english.ReadSendOff(g.public(), "77", typed); ok != (want != nil) || ok && cmd != want {
			t.Errorf("%q: %+v, %v", typed, cmd, ok)
		}
	}
	g.do(g.actor(0, "Alma"), table.Leave{})
	g.do(g.actor(7, "Ida"), table.Offer{Seat: 0})
	g.do(g.actor(1, "Bela"), table.Accept{Seat: 0, User: userID(7)})
	for typed, want := range map[string]table.Command{
		"1": table.SendOff{User: userID(7)}, "Ida": table.SendOff{User: userID(7)}, "owner-1": off(0), "alma": off(0),
	} {
		if cmd, ok := english.ReadSendOff(g.public(), "77", typed); !ok || cmd != want {
			t.Errorf("%q: %+v, %v", typed, cmd, ok)
		}
	}
	if got := len(english.SendOffChoices(g.public(), userID(0), "")); got != 3 {
		t.Errorf("a player who manages the channel is offered %d", got)
	}
}

// TestSendOffScreensObeyDiscord in every language, with the longest names and as many people as there can be.
func TestSendOffScreensObeyDiscord(t *testing.T) {
	const link = "https://discord.com/channels/1/2/3"
	long := strings.Repeat("W", 32)
	g := startTable(t, []string{long, long, long, long, long}, 4)
	p := g.public()
	for i := range table.MaxSentOff {
		p.SentOff = append(p.SentOff, table.Person{ID: userID(30 + i), Name: long})
	}
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		checkLimits(t, lang, pr.SendOffList(p, "77", pr.Say("sendoff.refused_full")))
		checkLimits(t, lang, pr.ConfirmSendOff(p, 1, userID(1)))
		checkLimits(t, lang, pr.SentOff(p, 1, userID(1), long, link))
		if n := len(pr.SendOffChoices(p, "77", "")); n > maxOptions {
			t.Errorf("%d suggestions", n)
		}
	}
}

// TestTheSureButtonOfSendOff stands where none stood before: neither in the list nor in what opens it.
func TestTheSureButtonOfSendOff(t *testing.T) {
	g := startTable(t, plainNames[:3], 4)
	at := map[[2]int]bool{}
	var sure [2]int
	places(english.ConfirmSendOff(g.public(), 1, g.public().Seats[1].Person.ID), func(r, c int, id press.ID) {
		if id.Arg(2) == press.Sure {
			sure = [2]int{r, c}
		}
	})
	places(english.SendOffList(g.public(), "77", ""), func(r, c int, id press.ID) {
		if id.Kind == press.SendOff {
			at[[2]int{r, c}] = true
		}
	})
	if at[sure] || sure == [2]int{} {
		t.Errorf("it stands at %v", sure)
	}
}

// places calls fn for every button of a message, with its row and its place there.
func places(m discord.Message, fn func(row, place int, id press.ID)) {
	n := 0
	for _, part := range m.Components {
		row, ok := part.(discordgo.ActionsRow)
		if !ok {
			continue
		}
		for i, c := range row.Components {
			if b, ok := c.(discordgo.Button); ok {
				if id, err := press.Parse(b.CustomID); err == nil {
					fn(n, i, id)
				}
			}
		}
		n++
	}
}
