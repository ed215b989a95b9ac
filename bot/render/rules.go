package render

import (
	"strconv"
	"strings"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/press"
	"paladin/game/paladin"
)

// rulePages are the rules for people, line by line; "" is an empty line. Every ruling stands here and is marked.
var rulePages = [][]Text{
	{
		"rules.minute_heading",
		"rules.minute_what",
		"",
		"rules.minute_round_heading",
		"rules.minute_row",
		"rules.minute_hand",
		"rules.minute_dealer",
		"rules.minute_lead",
		"rules.minute_place",
		"rules.minute_resolve",
		"rules.minute_scores",
		"",
		"rules.minute_cards",
	},
	{
		"rules.cards_heading",
		"rules.cards_decks",
		"rules.cards_house_deck",
		"",
		"rules.cards_stronger",
		"rules.cards_nine",
		"rules.cards_equal",
		"rules.cards_equal_red",
		"",
		"rules.cards_shapes",
	},
	{
		"rules.placing_heading",
		"rules.placing_host",
		"rules.placing_hands",
		"rules.placing_dealer",
		"rules.placing_lead",
		"rules.placing_turn",
		"rules.placing_peek",
		"rules.placing_memory",
	},
	{
		"rules.resolving_heading",
		"rules.resolving_order",
		"rules.resolving_beat",
		"rules.resolving_take",
		"rules.resolving_discard",
		"rules.resolving_won",
		"",
		"rules.resolving_honour",
		"rules.resolving_dealer",
		"rules.resolving_end",
		"rules.resolving_hand",
	},
	{
		"rules.deal_heading",
		"rules.deal_seed",
		"rules.deal_salt",
		"rules.deal_replay",
		"rules.deal_proves",
		"rules.deal_secret",
	},
}

// ruleLessons are the pictures that belong to a page.
var ruleLessons = [][]int{
	1: {picture.LessonStrength},
	2: {picture.LessonPlacing, picture.LessonPeek},
	3: {picture.LessonResolving, picture.LessonHonour},
	4: nil,
}

// Rules is one page of the rules, from 1, with pictures if they are wanted; a page that does not exist is the nearest one.
func (pr *Printer) Rules(page int, pictures bool) discord.Message {
	page = max(1, min(page, len(rulePages)))
	parts := []component{text(strings.Join(pr.ruleLines(rulePages[page-1]), "\n"))}
	var lessons []discord.File
	if pictures {
		lessons = pr.lessons(page)
	}
	for i := range lessons {
		parts = append(parts, gallery(&lessons[i])...) // two in one gallery would both be cut to squares
	}
	parts = append(parts, text(pr.Say("rules.page", "page", page, "pages", len(rulePages))))
	m := private(append(parts, pr.pager(press.Rules, "", page, len(rulePages))...)...)
	m.Files = lessons
	return m
}

// lessons are the pictures of a page of the rules. One that cannot be drawn is left out: the text says it too.
func (pr *Printer) lessons(page int) []discord.File {
	var out []discord.File
	for _, n := range ruleLessons[page-1] {
		if png, err := picture.Lesson(n); err == nil {
			out = append(out, *Picture("rules", png, pr.Say(Text("pictures.lesson"+strconv.Itoa(n)))))
		}
	}
	return out
}

// ruleLines are the lines of a page of the rules.
func (pr *Printer) ruleLines(page []Text) []string {
	shapes := make([]string, len(tokens))
	for i := range tokens {
		shapes[i] = tokens[i].sign + " " + pr.tokenWord(paladin.Seat(i))
	}
	with := []any{"ruling", pr.Say("rules.ruling"), "shapes", strings.Join(shapes, ", ")}
	lines := make([]string, len(page))
	for i, line := range page {
		if line != "" {
			lines[i] = pr.Say(line, with...)
		}
	}
	return lines
}

// Help tells how to play here.
func (pr *Printer) Help() discord.Message {
	return private(
		text(
			pr.Say("rules.help_heading"), pr.Say("rules.help_open"), pr.Say("rules.help_start"), pr.Say("rules.help_seat"), pr.Say("rules.help_move"),
		),
		text(
			pr.Say("rules.help_commands"), pr.Say("rules.help_board"), pr.Say("rules.help_cards"),
			pr.Say("rules.help_typing", "place", pr.subcommand(SubPlace), "peek", pr.subcommand(SubPeek), "resolve", pr.subcommand(SubResolve)),
			pr.Say("rules.help_order"), pr.Say("rules.help_leave"), pr.Say("rules.help_pause", "resume", pr.subcommand(SubResume)), pr.Say("rules.help_stop"),
			pr.Say("rules.help_remove"),
			pr.Say("rules.help_games"), pr.Say("rules.help_notices"),
			pr.Say("standings.help"), pr.Say("me.help"),
			pr.Say("rules.help_rules"), pr.Say("practice.help"), pr.Say("rules.help_record"), pr.Say("replay.help"), pr.Say("verify.help"),
			pr.Say("rules.help_manage", "doctor", pr.subcommand(SubDoctor)),
		),
		row(pr.practiceButton(), secondary(pr.Say("words.label_rules"), press.New(press.Rules, ""))),
	)
}
