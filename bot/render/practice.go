package render

import (
	"slices"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// TextPracticeGoesOn is told to somebody who comes back to their practice game.
const TextPracticeGoesOn Text = "practice.goes_on"

// practiceAnew is the argument of a press that wants another practice game in the place of the one it names.
const practiceAnew = "new"

// practiceButton starts a practice game, wherever it stands, or goes on with one.
func (pr *Printer) practiceButton() component {
	return secondary(pr.Say("practice.label"), press.New(press.Practice, ""))
}

// practiceLinks are the ways on from the panel of a practice game, which has no board and waits for nobody.
func (pr *Printer) practiceLinks(p *table.Private) []component {
	buttons := append(pr.beforehandButtons(p), secondary(pr.Say("words.label_rules"), press.New(press.Rules, "")))
	return rows(append(buttons, secondary(pr.Say("practice.label_anew"), press.New(press.Practice, p.ID, practiceAnew)))...)
}

// practiceTable is what a board would show of everybody; nothing in other games, which have one.
func (pr *Printer) practiceTable(p *table.Private) []component {
	if !p.Options.Practice {
		return nil
	}
	return section(pr.Say("practice.table_heading"), append(pr.playerLines(&p.Public), pr.faceUpLine(&p.Public)...)...)
}

// PracticeGone answers a press on a practice game that its person does not have any more.
func (pr *Printer) PracticeGone() discord.Message {
	return private(text(pr.Say("practice.gone")), row(pr.practiceButton()))
}

// PracticeOver tells what came of a practice game, with every card open.
func (pr *Printer) PracticeOver(p *table.Private, r *table.Practised, opt PanelOptions) discord.Message {
	parts := []component{text(pr.Say("practice.head"), pr.Say("practice.over_heading"), pr.practiceOutcome(p.Seat, r))}
	for i := range r.Quests {
		parts = append(parts, text(pr.practiceQuest(&p.Public, r, &r.Quests[i])...))
	}
	var kept []string
	for seat, cards := range r.Kept {
		kept = append(kept, pr.Say("practice.unplaced", "who", pr.who(&p.Public, paladin.Seat(seat)), "cards", pr.cardList(cards)))
	}
	parts = append(parts, section(pr.Say("practice.unplaced_heading"), kept...)...)
	var scores []string
	for seat, honour := range r.Honour {
		scores = append(scores, pr.Say("practice.score", "who", pr.who(&p.Public, paladin.Seat(seat)), "honour", pr.honour(honour)))
	}
	parts = append(parts, section(pr.Say("practice.scores_heading"), scores...)...)
	parts = append(parts, text(pr.Say("practice.over_open"), pr.Say("practice.over_next", "rounds", r.Rounds)))
	buttons := []component{
		primary(pr.Say("practice.label_again"), press.New(press.Practice, p.ID, practiceAnew)),
		secondary(pr.Say("words.label_rules"), press.New(press.Rules, "")),
	}
	m := private(append(parts, rows(append(buttons, link(pr.Say(LabelNextGame), opt.Next)...)...)...)...)
	m.Ephemeral = !opt.DM
	return m
}

// practiceOutcome says how the learner's seat did.
func (pr *Printer) practiceOutcome(seat paladin.Seat, r *table.Practised) string {
	own, most, first := r.Honour[seat], slices.Max(r.Honour), 0
	for _, honour := range r.Honour {
		if honour == most {
			first++
		}
	}
	switch {
	case own < most:
		return pr.Say("practice.over_behind", "honour", pr.honour(own), "most", pr.honour(most))
	case first > 1:
		return pr.Say("practice.over_tied", "honour", pr.honour(own))
	default:
		return pr.Say("practice.over_first", "honour", pr.honour(own))
	}
}

// practiceFates say what became of a card that is shown after the round.
var practiceFates = map[paladin.Fate]Text{
	paladin.FateBeaten:    "practice.card_beaten",
	paladin.FateKept:      "practice.card_kept",
	paladin.FateTakenBack: "practice.card_taken_back",
	paladin.FateDiscarded: "practice.card_discarded",
}

// practiceQuest is a quest with every card that was placed on it.
func (pr *Printer) practiceQuest(p *table.Public, r *table.Practised, q *paladin.PublicQuest) []string {
	lines := []string{pr.questHeading(&paladin.Public{}, *q)}
	for _, c := range r.Cards {
		if c.Quest == q.Number {
			lines = append(lines, pr.Say(practiceFates[c.Fate], "who", pr.who(p, c.Owner), "card", pr.face(c.Card)))
		}
	}
	return lines
}
