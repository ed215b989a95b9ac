package render

import (
	"slices"
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
	SubRemove   = "remove"
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
	SubPractice = "practice"
	SubReplay   = "replay"
	SubVerify   = "verify"

	SubStandings = "standings"
	SubMe        = "me"

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

// subcommands are the subcommands in the order in which they are listed, by the names under which they arrive, whatever the language
// in which they were chosen.
var subcommands = []string{
	SubNew, SubBoard, SubSeat, SubFirst, SubPlace, SubPeek, SubResolve, SubOrder, SubLeave, SubStop, SubRemove, SubPause, SubResume, SubSettings,
	SubDoctor, SubGames, SubNotices, SubStandings, SubMe, SubHelp, SubRules, SubPractice, SubRecord, SubReplay, SubVerify,
}

// command is how the reader types a subcommand: "/paladin board". A message that has {/board} says it by itself.
func (pr *Printer) command(sub string) string { return "/" + CommandName + " " + pr.subcommand(sub) }

// subcommand is the name of a subcommand in the reader's client.
func (pr *Printer) subcommand(sub string) string {
	names := pr.commandNames
	if names == nil {
		names = pr.messages
	}
	t := Text("commands." + sub + "_name")
	return pr.fill(t, names.find(t).other, nil)
}

// locales are Discord's locales in which each language of ours but English, which is that of the names and descriptions themselves,
// is shown.
var locales = map[string][]discordgo.Locale{
	"fr": {discordgo.French},
	"de": {discordgo.German},
	"it": {discordgo.Italian},
	"es": {discordgo.SpanishES, discordgo.SpanishLATAM},
}

// Commands are the application's commands, in every language: one command. Games are played in servers; the direct messages with the
// bot take what is about a person. Whatever a client shows, it sends the English names and the values of choices.
func Commands() []*discordgo.ApplicationCommand {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	english := NewPrinter(Languages[0])
	description, options := english.Say("commands.paladin"), english.subcommandOptions()
	descriptions := map[discordgo.Locale]string{}
	for _, lang := range Languages[1:] {
		pr := NewPrinter(lang)
		translate(descriptions, description, pr.Say("commands.paladin"), lang)
		translateOptions(options, pr.subcommandOptions(), lang)
	}
	return []*discordgo.ApplicationCommand{{
		Type: discordgo.ChatApplicationCommand, Name: CommandName, Description: description, DescriptionLocalizations: &descriptions,
		Contexts: &contexts, IntegrationTypes: &installs, Options: options,
	}}
}

// translate notes what something is called in a language, unless it is what English calls it.
func translate(localizations map[discordgo.Locale]string, english, words, lang string) {
	if words == english {
		return
	}
	for _, locale := range locales[lang] {
		localizations[locale] = words
	}
}

// translateOptions notes what the same options say in another language.
func translateOptions(options, translated []*discordgo.ApplicationCommandOption, lang string) {
	for i, o := range options {
		if o.NameLocalizations == nil {
			o.NameLocalizations, o.DescriptionLocalizations = map[discordgo.Locale]string{}, map[discordgo.Locale]string{}
		}
		translate(o.NameLocalizations, o.Name, translated[i].Name, lang)
		translate(o.DescriptionLocalizations, o.Description, translated[i].Description, lang)
		for j, c := range o.Choices {
			if c.NameLocalizations == nil {
				c.NameLocalizations = map[discordgo.Locale]string{}
			}
			translate(c.NameLocalizations, c.Name, translated[i].Choices[j].Name, lang)
		}
		translateOptions(o.Options, translated[i].Options, lang)
	}
}

// subcommandOptions are the subcommands, all in the printer's language.
func (pr *Printer) subcommandOptions() []*discordgo.ApplicationCommandOption {
	var out []*discordgo.ApplicationCommandOption
	for _, sub := range subcommands {
		options := pr.optionsOf(sub)
		for _, o := range options {
			o.Description = pr.Say(Text("commands." + sub + "_" + o.Name))
			o.Name = pr.Say(Text("commands." + sub + "_" + o.Name + "_name"))
		}
		out = append(out, &discordgo.ApplicationCommandOption{
			Type: discordgo.ApplicationCommandOptionSubCommand, Name: pr.subcommand(sub), Description: pr.Say(Text("commands." + sub)), Options: options,
		})
	}
	return out
}

// optionsOf are the options of a subcommand, still without their words but for those of choices.
func (pr *Printer) optionsOf(sub string) []*discordgo.ApplicationCommandOption {
	type options = []*discordgo.ApplicationCommandOption
	switch sub {
	case SubNew:
		return options{number(OptSeats, table.MinSeats, table.MaxSeats), pr.squiresOption(), pr.gamePaceOption(), pr.squirePaceOption(), languageOption(), picturesOption()}
	case SubFirst, SubRemove:
		return options{suggested(OptSeat)}
	case SubPlace:
		return options{suggested(OptCard), suggested(OptQuest)}
	case SubPeek:
		return options{suggested(OptCard)}
	case SubResolve:
		return options{suggested(OptChoice)}
	case SubOrder:
		return options{suggested(OptQuest), pr.actOption(), number(OptAtMost, 0, table.NoGuard)}
	case SubStandings:
		return options{pr.whoOption(), number(OptPage, 1, maxPages)}
	case SubRules:
		return options{number(OptPage, 1, len(rulePages))}
	default:
		return nil
	}
}

// suggested is a required option with suggestions.
func suggested(name string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: name, Required: true, Autocomplete: true,
	}
}

// number is an optional whole number within bounds.
func number(name string, least, most int) *discordgo.ApplicationCommandOption {
	from := float64(least)
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionInteger, Name: name, MinValue: &from, MaxValue: float64(most),
	}
}

func (pr *Printer) squiresOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptSquires}
	for _, s := range squire.Playable() {
		o.Choices = append(o.Choices, offered(pr.Say(Text("commands.new_squires_"+s.String())), s.String()))
	}
	return o
}

func (pr *Printer) gamePaceOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptPace}
	for _, pace := range table.Paces() {
		o.Choices = append(o.Choices, offered(pr.gamePaceLabel(pace), string(pace)))
	}
	return o
}

func (pr *Printer) squirePaceOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptSquirePace}
	for _, pace := range paces {
		o.Choices = append(o.Choices, offered(pr.paceLabel(pace), string(pace)))
	}
	return o
}

// languageOption offers the languages under the names that their own speakers give them.
func languageOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptLanguage}
	for _, lang := range Languages {
		o.Choices = append(o.Choices, offered(endonyms[lang], lang))
	}
	return o
}

func picturesOption() *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionBoolean, Name: OptPictures}
}

func (pr *Printer) actOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptAct, Required: true}
	for _, act := range table.OrderActs() {
		o.Choices = append(o.Choices, offered(pr.orderLabel(act), orderWord(act)))
	}
	return o
}

func (pr *Printer) whoOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: OptWho}
	o.Choices = append(o.Choices, offered(pr.Say("standings.label_people"), WhoPeople), offered(pr.Say("standings.label_squires"), WhoSquires))
	return o
}

func offered(name, value string) *discordgo.ApplicationCommandOptionChoice {
	return &discordgo.ApplicationCommandOptionChoice{Name: name, Value: value}
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
		said := Text("commands.suggest_seat")
		if m.Target == p.Seat {
			said = Text("commands.suggest_own_seat")
		}
		number := m.Target.Number()
		out = append(out, suggestion(pr.Say(said, "who", pr.whoPlain(&p.Public, m.Target), "seat", number), strconv.Itoa(number)))
	}
	return out
}

// heldWords is a card of which n are in the hand.
func (pr *Printer) heldWords(c paladin.Card, n int) string {
	with := []any{"card", pr.cardText(c), "value", c.Value()}
	switch {
	case c.Red() && n > 1:
		return pr.plural("commands.suggest_red_cards", n, with...)
	case c.Red():
		return pr.Say("commands.suggest_red_card", with...)
	case n > 1:
		return pr.plural("commands.suggest_black_cards", n, with...)
	default:
		return pr.Say("commands.suggest_black_card", with...)
	}
}

func (pr *Printer) cardChoices(p *table.Private, legal []paladin.Move, quest string) []discord.Choice {
	wanted, some := pr.typedQuest(quest)
	if !some || !hasQuest(legal, wanted) {
		wanted = 0
	}
	var out []discord.Choice
	for _, c := range placingOf(legal).cards {
		if wanted == 0 || canPlace(legal, c, wanted) {
			out = append(out, suggestion(pr.heldWords(c, copies(p.View.Hand, c)), c.String()))
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
	c, some := pr.typedCard(card)
	var out []discord.Choice
	for _, q := range placingOf(legal).quests {
		if some && hasCard(legal, c) && !canPlace(legal, c, q) {
			continue
		}
		row := p.Game.Row[q-1]
		name := pr.plural("commands.suggest_quest", len(row.Cards), "quest", q, "honour", pr.honour(row.Honour))
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
		with := []any{"quest", m.Quest, "place", pr.ordinal(m.Place), "who", pr.whoPlain(&p.Public, ownerAt(p.Game, m.Quest, m.Place))}
		name := pr.Say("panel.peek_option", with...)
		if c, ok := knownCard(p.View, m.Quest, m.Place); ok {
			name = pr.Say("commands.suggest_known_card", append(with, "card", pr.cardText(c))...)
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
	for _, fate := range fates {
		if slices.ContainsFunc(legal, func(m paladin.Move) bool { return m.Kind == fate.kind }) {
			out = append(out, suggestion(pr.Say(fate.confirm, "leader", pr.cardText(leader), "card", pr.cardText(own)), fate.word))
		}
	}
	return out
}

// matching keeps the choices that fit what was typed, in their order.
func matching(all []discord.Choice, typed string) []discord.Choice {
	typed = unaccented(strings.TrimSpace(typed))
	var out []discord.Choice
	for _, c := range all {
		value, _ := c.Value.(string)
		if typed == "" || strings.Contains(unaccented(c.Name), typed) || strings.HasPrefix(value, typed) || sameWords(c.Name, typed) {
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
	name = unaccented(name)
	for _, w := range strings.Fields(typed) {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}
