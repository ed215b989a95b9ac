package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// Names of the command, its subcommands and their options.
const (
	CommandName = "paladin"

	SubNew      = "new"
	SubBoard    = "board"
	SubSeat     = "seat"
	SubFirst    = "first"
	SubPlace    = "place"
	SubPeek     = "peek"
	SubResolve  = "resolve"
	SubLeave    = "leave"
	SubStop     = "stop"
	SubHelp     = "help"
	SubRules    = "rules"
	SubRecord   = "record"
	SubGames    = "games"
	SubNotices  = "notices"
	SubPause    = "pause"
	SubResume   = "resume"
	SubSettings = "settings"
	SubDoctor   = "doctor"
	SubOrder    = "order"

	OptSeats      = "seats"
	OptSquires    = "squires"
	OptPace       = "pace"
	OptSquirePace = "squire_pace"
	OptSeat       = "seat"
	OptCard       = "card"
	OptQuest      = "quest"
	OptChoice     = "choice"
	OptPage       = "page"
	OptAct        = "act"
	OptAtMost     = "at_most"
)

// Subcommands are the subcommands by the names under which they arrive, whatever language they were typed in.
var Subcommands = []string{
	SubNew, SubBoard, SubSeat, SubFirst, SubPlace, SubPeek, SubResolve, SubOrder, SubLeave, SubStop, SubPause, SubResume, SubSettings,
	SubDoctor, SubGames, SubNotices, SubHelp, SubRules, SubRecord,
}

// command is how the reader types a subcommand: "/paladin board". A message that has {/board} says it by itself.
func (pr *Printer) command(sub string) string { return "/" + CommandName + " " + pr.subcommand(sub) }

// subcommand is the name of a subcommand in the reader's client.
func (pr *Printer) subcommand(sub string) string { return pr.Say(Text("commands." + sub + "_name")) }

// Commands are the application's commands: one. Games are played in servers; the direct messages with the bot take what is about a
// person.
func Commands() []*discordgo.ApplicationCommand {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	return []*discordgo.ApplicationCommand{{
		Type: discordgo.ChatApplicationCommand, Name: CommandName, Description: "Play Paladin, a card game of bluff for 3 to 5",
		Contexts: &contexts, IntegrationTypes: &installs,
		Options: []*discordgo.ApplicationCommandOption{
			subcommand(SubNew, "Open a table in this channel", seatsOption(), squiresOption(), gamePaceOption(), squirePaceOption()),
			subcommand(SubBoard, "See where the game in this channel stands"),
			subcommand(SubSeat, "See your cards and your move; only you see them"),
			subcommand(SubFirst, "Name the start player (when you deal)", suggested(OptSeat, "Who shall start")),
			subcommand(SubPlace, "Place a card face down on a quest",
				suggested(OptCard, "A card of your hand, like 7, or 7r for the red one"), suggested(OptQuest, "The quest, counted from the left")),
			subcommand(SubPeek, "Look at a face-down card of somebody else before you place",
				suggested(OptCard, "Quest and position, like 2.1 for the leading card of quest 2")),
			subcommand(SubResolve, "Decide about your card on the quest that is resolved", suggested(OptChoice, "Beat, take back or discard")),
			subcommand(SubOrder, "Say beforehand what a placed card of yours shall do when its turn comes", orderOptions()...),
			subcommand(SubLeave, "Leave the table; in a running game a squire plays on"),
			subcommand(SubStop, "Vote to stop the game for everybody"),
			subcommand(SubPause, "Vote to pause the game: no clock runs meanwhile"),
			subcommand(SubResume, "Vote to go on after a pause"),
			subcommand(SubSettings, "What this server allows; for those who may manage it"),
			subcommand(SubDoctor, "Check permissions, messages and clocks in this channel, and how to mend them"),
			subcommand(SubGames, "All your games, and which of them wait for you"),
			subcommand(SubNotices, "How I call you when it is your move, and your quiet hours"),
			subcommand(SubHelp, "How to play here"),
			subcommand(SubRules, "The rules in a few short pages", pageOption()),
			subcommand(SubRecord, "The last finished game of this channel as a file"),
		},
	}}
}

func subcommand(name, description string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: description, Options: options,
	}
}

// suggested is a required option with suggestions.
func suggested(name, description string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: name, Description: description, Required: true, Autocomplete: true,
	}
}

func seatsOption() *discordgo.ApplicationCommandOption {
	least := float64(table.MinSeats)
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionInteger, Name: OptSeats, Description: "How many can play, 3 to 5 (5 if you say nothing)",
		MinValue: &least, MaxValue: table.MaxSeats,
	}
}

func squiresOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: OptSquires, Description: "How well squires (computer players) play",
	}
	for _, s := range squire.Playable() {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: clip(s.Describe(), maxOption), Value: s.String()})
	}
	return o
}

func squirePaceOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: OptSquirePace, Description: "How fast squires answer",
	}
	for _, pace := range paces {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: NewPrinter("en").paceLabel(pace), Value: string(pace)})
	}
	return o
}

func pageOption() *discordgo.ApplicationCommandOption {
	least := 1.0
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionInteger, Name: OptPage, Description: "The page",
		MinValue: &least, MaxValue: float64(len(rulePages)),
	}
}

// Choices are the suggestions for the focused option: only what is legal for the person who asks, at most 25, those that fit what
// was typed. There are none for somebody without a seat (p nil) or whose move it is not. Values are strings.
func (pr *Printer) Choices(p *table.Private, subcommand string, options map[string]string, focused string) []discord.Choice {
	if p != nil && p.View != nil && subcommand == SubOrder && focused == OptQuest {
		return matching(pr.orderChoices(p), options[focused])
	}
	if p == nil || p.View == nil || !p.MyTurn() {
		return nil
	}
	legal := p.View.Legal()
	var all []discord.Choice
	switch {
	case subcommand == SubFirst && focused == OptSeat:
		all = pr.seatChoices(p, legal)
	case subcommand == SubPlace && focused == OptCard:
		all = pr.cardChoices(p, legal, options[OptQuest])
	case subcommand == SubPlace && focused == OptQuest:
		all = pr.questChoices(p, legal, options[OptCard])
	case subcommand == SubPeek && focused == OptCard:
		all = pr.peekChoices(p, legal)
	case subcommand == SubResolve && focused == OptChoice:
		all = pr.actChoices(p, legal)
	}
	return matching(all, options[focused])
}

func suggestion(name, value string) discord.Choice {
	return discord.Choice{Name: clip(name, maxOption), Value: value}
}

func (pr *Printer) seatChoices(p *table.Private, legal []paladin.Move) []discord.Choice {
	var out []discord.Choice
	for _, m := range legal {
		if m.Kind != paladin.Start {
			continue
		}
		name := fmt.Sprintf("%s (seat %d)", pr.whoPlain(&p.Public, m.Target), m.Target.Number())
		if m.Target == p.Seat {
			name += ", myself"
		}
		out = append(out, suggestion(name, strconv.Itoa(m.Target.Number())))
	}
	return out
}

func (pr *Printer) cardWords(c paladin.Card) string {
	colour := "black"
	if c.Red() {
		colour = "red"
	}
	return fmt.Sprintf("%s (%s %d)", pr.cardText(c), colour, c.Value())
}

func (pr *Printer) cardChoices(p *table.Private, legal []paladin.Move, quest string) []discord.Choice {
	wanted, some := typedQuest(quest)
	if !some || !hasQuest(legal, wanted) {
		wanted = 0
	}
	var out []discord.Choice
	for _, c := range placingOf(legal).cards {
		if wanted == 0 || canPlace(legal, c, wanted) {
			name := pr.cardWords(c)
			if n := copies(p.View.Hand, c); n > 1 {
				name += fmt.Sprintf(", you hold %d", n)
			}
			out = append(out, suggestion(name, c.String()))
		}
	}
	return out
}

func hasQuest(legal []paladin.Move, quest int) bool {
	for _, m := range legal {
		if m.Kind == paladin.Place && m.Quest == quest {
			return true
		}
	}
	return false
}

func canPlace(legal []paladin.Move, c paladin.Card, quest int) bool {
	for _, m := range legal {
		if m.Kind == paladin.Place && m.Card == c && m.Quest == quest {
			return true
		}
	}
	return false
}

func (pr *Printer) questChoices(p *table.Private, legal []paladin.Move, card string) []discord.Choice {
	c, some := typedCard(card)
	var out []discord.Choice
	for _, q := range placingOf(legal).quests {
		if some && hasCard(legal, c) && !canPlace(legal, c, q) {
			continue
		}
		row := p.Game.Row[q-1]
		name := fmt.Sprintf("Quest %d (%s, %s)", q, pr.honour(row.Honour), pr.plural("words.cards", len(row.Cards)))
		out = append(out, suggestion(name, strconv.Itoa(q)))
	}
	return out
}

func hasCard(legal []paladin.Move, c paladin.Card) bool {
	for _, m := range legal {
		if m.Kind == paladin.Place && m.Card == c {
			return true
		}
	}
	return false
}

func (pr *Printer) peekChoices(p *table.Private, legal []paladin.Move) []discord.Choice {
	var out []discord.Choice
	for _, m := range placingOf(legal).peeks {
		name := fmt.Sprintf("Quest %d, %s card: %s", m.Quest, pr.ordinal(m.Place), pr.whoPlain(&p.Public, ownerAt(p.Game, m.Quest, m.Place)))
		if c, ok := knownCard(p.View, m.Quest, m.Place); ok {
			name += ", you know it: " + pr.cardText(c)
		}
		out = append(out, suggestion(name, spot(m.Quest, m.Place)))
	}
	return out
}

func (pr *Printer) actChoices(p *table.Private, legal []paladin.Move) []discord.Choice {
	own, leader, _, ok := deciding(p)
	if !ok {
		return nil
	}
	var out []discord.Choice
	for _, m := range legal {
		switch m.Kind {
		case paladin.Beat:
			out = append(out, suggestion(fmt.Sprintf("Beat %s with %s", pr.cardText(leader), pr.cardText(own)), actBeat))
		case paladin.Take:
			out = append(out, suggestion(fmt.Sprintf("Take %s back, unseen", pr.cardText(own)), actTake))
		case paladin.Discard:
			out = append(out, suggestion(fmt.Sprintf("Discard %s, unseen", pr.cardText(own)), actDiscard))
		}
	}
	return out
}

// matching keeps the choices that fit what was typed, in their order.
func matching(all []discord.Choice, typed string) []discord.Choice {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var out []discord.Choice
	for _, c := range all {
		value, _ := c.Value.(string)
		if typed == "" || strings.Contains(strings.ToLower(c.Name), typed) || strings.HasPrefix(value, typed) || sameWords(c.Name, typed) {
			out = append(out, c)
		}
		if len(out) == maxOptions {
			break
		}
	}
	return out
}

// sameWords reports whether every word typed occurs in the name, in any order: "red 7" finds "7r⚔ (red 7)".
func sameWords(name, typed string) bool {
	name = strings.ToLower(name)
	for _, w := range strings.Fields(typed) {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}
