package render

import (
	"slices"
	"strconv"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// ShowPart says how far a show is shown.
type ShowPart struct {
	// From and Last are the numbers of the moves that are shown.
	From, Last uint64
	// Step counts from 0.
	Step int
}

// Decides reports whether a line of the history decided about a placed card (R12).
func Decides(l table.PublicLine) bool {
	return slices.ContainsFunc(l.Events, func(e paladin.PublicEvent) bool {
		return e.Kind == paladin.Beaten || e.Kind == paladin.TookBack || e.Kind == paladin.Discarded
	})
}

// showRow is one thing that happened on a quest.
type showRow struct {
	event  paladin.PublicEvent
	squire bool // a squire decided for a person
}

// showQuest is what happened on one quest, in order.
type showQuest struct {
	number int
	rows   []showRow
}

// open reports whether nothing is decided on the quest yet.
func (q showQuest) open() bool {
	return len(q.rows) == 1 && q.rows[0].event.Kind == paladin.LeaderRevealed
}

// showParts are the quests of these moves and what followed from the last one.
func showParts(p *table.Public, lines []table.PublicLine) (quests []showQuest, after []paladin.PublicEvent) {
	for _, l := range lines {
		s, _ := seatAt(p, l.Seat)
		for _, e := range l.Events {
			switch e.Kind {
			case paladin.LeaderRevealed, paladin.Beaten, paladin.TookBack, paladin.Discarded, paladin.QuestWon:
				if n := len(quests); n == 0 || quests[n-1].number != e.Quest {
					quests = append(quests, showQuest{number: e.Quest})
				}
				q := &quests[len(quests)-1]
				q.rows = append(q.rows, showRow{event: e, squire: l.Kind == table.LineSquireMove && s.Human() && e.Seat == l.Seat})
			case paladin.RoundScored, paladin.RoundBegan, paladin.GameOver:
				after = append(after, e)
			}
		}
	}
	return quests, after
}

// ShowLines picks from all moves of a game those from number first to last, and before them what happened already on the quest with which
// they begin, so that a show always tells of whole quests.
func ShowLines(moves []table.PublicLine, first, last uint64) []table.PublicLine {
	if first < 1 || last < first || first > uint64(len(moves)) {
		return nil
	}
	out := slices.Clone(moves[first-1 : min(last, uint64(len(moves)))])
	quests, _ := showParts(&table.Public{}, out)
	for i := int(first) - 2; i >= 0 && len(quests) > 0 && !startsFresh(quests[0]); i-- {
		earlier := moves[i]
		earlier.Events = slices.DeleteFunc(slices.Clone(earlier.Events), func(e paladin.PublicEvent) bool {
			return e.Round != quests[0].rows[0].event.Round || e.Quest != quests[0].number || e.Kind == paladin.Placed || e.Kind == paladin.Peeked
		})
		if len(earlier.Events) == 0 {
			break
		}
		out = slices.Insert(out, 0, earlier)
		quests, _ = showParts(&table.Public{}, out)
	}
	return out
}

// ShowSteps is in how many steps these moves are shown: one for each quest. A quest of which only the leading Paladin is known closes the
// step before.
func ShowSteps(lines []table.PublicLine) int {
	quests, _ := showParts(&table.Public{}, lines)
	n := len(quests)
	if n > 1 && quests[n-1].open() {
		n--
	}
	return n
}

// Show is the public message that tells, quest by quest, what was resolved at once. Each step ends with the leading Paladin of the next
// quest turned up; the last one tells what came of the round. It pings nobody.
func (pr *Printer) Show(p *table.Public, lines []table.PublicLine, part ShowPart) discord.Message {
	quests, after := showParts(p, lines)
	last := part.Step >= ShowSteps(lines)-1
	// Names of five people at their longest may be too much for one message: their tokens say the same.
	return fitting(1, func(names int) discord.Message {
		parts := []component{text(pr.showHeading(quests))}
		for i, q := range quests {
			if i > part.Step+1 {
				break
			}
			parts = append(parts, text(pr.showQuestLines(p, q, names > 0, i > part.Step && !last)...))
		}
		if !last {
			parts = append(parts, rows(secondary(pr.Say("show.label_all"),
				press.New(press.ShowAll, p.ID, strconv.FormatUint(part.From, 10), strconv.FormatUint(part.Last, 10))))...)
			return framed(parts...)
		}
		return framed(append(parts, text(pr.showEnd(p, after)...))...)
	})
}

// startsFresh reports whether the quest begins within these moves.
func startsFresh(q showQuest) bool { return q.rows[0].event.Kind == paladin.LeaderRevealed }

func (pr *Printer) showHeading(quests []showQuest) string {
	if len(quests) == 0 {
		return pr.Say("show.heading")
	}
	return pr.Say("show.heading_round", "round", quests[0].rows[0].event.Round)
}

func (pr *Printer) showQuestLines(p *table.Public, q showQuest, names, teaser bool) []string {
	heading := pr.Say("show.quest", "quest", q.number)
	if h := showHonour(p, q); h > 0 {
		heading = pr.plural("show.quest_worth", h, "quest", q.number)
	}
	lines := []string{heading}
	if teaser {
		return append(lines, pr.showLine(p, q.rows[0], names), "…")
	}
	for _, r := range q.rows {
		lines = append(lines, pr.showLine(p, r, names))
	}
	return lines
}

// showHonour is what the quest is worth, if that is known here: the row that lies there may be of a later round.
func showHonour(p *table.Public, q showQuest) int {
	for _, r := range q.rows {
		if r.event.Kind == paladin.QuestWon {
			return r.event.Honour
		}
	}
	if p.Game != nil && p.Game.Round == q.rows[0].event.Round && q.number <= len(p.Game.Row) {
		return p.Game.Row[q.number-1].Honour
	}
	return 0
}

func (pr *Printer) showLine(p *table.Public, r showRow, names bool) string {
	e := r.event
	who := tokenOf(e.Seat).sign
	if names {
		who = pr.who(p, e.Seat)
	}
	line := ""
	switch e.Kind {
	case paladin.LeaderRevealed:
		line = pr.Say("show.leads", "who", who, "card", pr.faceUp(e.Card))
	case paladin.Beaten:
		line = pr.Say("show.beats", "who", who, "card", pr.faceUp(e.Card), "whose", tokenOf(e.Target).sign, "beaten", pr.faceUp(e.Beaten))
	case paladin.TookBack:
		line = pr.Say("show.takes_back", "who", who)
	case paladin.Discarded:
		line = pr.Say("show.discards", "who", who)
	case paladin.QuestWon:
		line = pr.Say("show.wins", "who", who, "card", pr.kept(e.Card))
	}
	if r.squire {
		return pr.Say("show.by_squire", "what", line)
	}
	return line
}

// showEnd tells what came of the round, or where it goes on.
func (pr *Printer) showEnd(p *table.Public, after []paladin.PublicEvent) []string {
	var lines []string
	for _, e := range after {
		lines = append(lines, pr.EventSentence(p, e))
	}
	if len(lines) == 0 {
		lines = append(lines, pr.Say("show.goes_on"))
	}
	return lines
}
