package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// EventSentence tells one event as everybody saw it; empty for a kind that this program does not know.
func (pr *Printer) EventSentence(p *table.Public, e paladin.PublicEvent) string {
	with := []any{
		"who", pr.who(p, e.Seat), "whose", pr.who(p, e.Target), "quest", e.Quest, "round", e.Round,
		"card", pr.faceUp(e.Card), "beaten", pr.faceUp(e.Beaten),
	}
	switch e.Kind {
	case paladin.StartNamed:
		if e.Seat == e.Target {
			return pr.Say("events.start_self", with...)
		}
		return pr.Say("events.start_other", with...)
	case paladin.Placed:
		if e.Place == 1 {
			return pr.Say("events.led", with...)
		}
		return pr.Say("events.placed", with...)
	case paladin.Peeked:
		return pr.Say("events.peeked", with...)
	case paladin.LeaderRevealed:
		return pr.Say("events.revealed", with...)
	case paladin.Beaten:
		return pr.Say("events.beaten", with...)
	case paladin.TookBack:
		return pr.Say("events.took_back", with...)
	case paladin.Discarded:
		return pr.Say("events.discarded", with...)
	case paladin.QuestWon:
		return pr.plural("events.quest_won", e.Honour, "who", pr.who(p, e.Seat), "quest", e.Quest, "card", pr.kept(e.Card))
	case paladin.RoundScored:
		return pr.Say("events.round_scored", "round", e.Round, "scores", scoreList(e.Scores))
	case paladin.Reshuffled:
		return pr.plural("events.reshuffled", e.Count)
	case paladin.RoundBegan:
		return pr.Say("events.round_began", with...)
	case paladin.GameOver:
		return pr.Say("events.game_over", "winners", pr.winnersText(p, e.Winners))
	default:
		return ""
	}
}

// scoreList is everybody's honour by token.
func scoreList(scores []int) string {
	words := make([]string, len(scores))
	for i, n := range scores {
		words[i] = fmt.Sprintf("%s %d", tokenOf(paladin.Seat(i)).sign, n)
	}
	return strings.Join(words, ", ")
}

// winnersText says who won; several share the victory (R17).
func (pr *Printer) winnersText(p *table.Public, winners []paladin.Seat) string {
	names := make([]string, len(winners))
	for i, w := range winners {
		names[i] = pr.who(p, w)
	}
	if len(names) == 0 {
		return ""
	}
	return pr.plural("events.winners", len(names), "who", pr.enumerate(names))
}

// closedText says why a table was closed.
func (pr *Printer) closedText(reason string) string {
	switch reason {
	case table.ClosedCancelled:
		return pr.Say("events.closed_cancelled")
	case table.ClosedEmpty:
		return pr.Say("events.closed_empty")
	case table.ClosedStopped:
		return pr.Say("events.closed_stopped")
	case table.ClosedModerator:
		return pr.Say("events.closed_moderator")
	case table.ClosedIdle:
		return pr.Say("events.closed_idle")
	case table.ClosedChannel:
		return pr.Say("events.closed_channel")
	default:
		return pr.Say("events.closed_otherwise")
	}
}

// asThen is the table with whoever held the line's seat when it was written: a stand-in may hold it by now.
func asThen(p *table.Public, l table.PublicLine) *table.Public {
	if seat, ok := seatAt(p, l.Seat); !ok || !seat.Human() || l.Name == "" || seat.Person.Name == l.Name {
		return p
	}
	then := *p
	then.Seats = slices.Clone(p.Seats)
	then.Seats[l.Seat].Person.Name = l.Name
	return &then
}

// LineSentences tells one line of the history, a move event by event.
func (pr *Printer) LineSentences(p *table.Public, l table.PublicLine) []string {
	who := pr.somebody(l.Name)
	token := tokenOf(l.Seat).sign
	switch l.Kind {
	case table.LineOpened:
		return []string{pr.Say("events.opened", "who", who)}
	case table.LineJoined:
		return []string{pr.Say("events.joined", "who", who)}
	case table.LineReady:
		return []string{pr.Say("events.plays_again", "who", who)}
	case table.LineQueued:
		return []string{pr.Say("events.queued", "who", who)}
	case table.LineUnqueued:
		return []string{pr.Say("events.unqueued", "who", who)}
	case table.LineLeft:
		return []string{pr.Say("events.left_lobby", "who", who)}
	case table.LineSquire:
		return []string{pr.Say("events.squire_sat", "strength", pr.strengthText(l.Squire))}
	case table.LineRemoved:
		if l.Squire != 0 {
			return []string{pr.Say("events.squire_removed")}
		}
		return []string{pr.Say("events.removed", "who", who)}
	case table.LineInvited:
		return []string{pr.Say("events.invited", "who", who)}
	case table.LineStarted:
		return []string{pr.Say("events.started", "who", who)}
	case table.LineMove:
		return pr.eventSentences(asThen(p, l), l)
	case table.LineSquireMove:
		return pr.squireSentences(asThen(p, l), l)
	case table.LineAway:
		return []string{pr.Say("events.left_game", "token", token, "who", who)}
	case table.LineBack:
		return []string{pr.backSentence(l)}
	case table.LineVote:
		return []string{pr.Say("events.vote_stop", "token", token, "who", who)}
	case table.LineFinished:
		return nil // the last move's events say so
	case table.LineClosed:
		return []string{pr.closedText(l.Reason)}
	default:
		return pr.presenceSentences(l)
	}
}

// backSentence tells that somebody plays their own seat again, from a squire or from whoever stood in.
func (pr *Printer) backSentence(l table.PublicLine) string {
	token, who := tokenOf(l.Seat).sign, pr.somebody(l.Name)
	if l.Other == "" {
		return pr.Say("events.back", "token", token, "who", who)
	}
	return pr.Say("events.back_from_stand_in", "token", token, "who", who, "stand_in", pr.somebody(l.Other))
}

func (pr *Printer) eventSentences(p *table.Public, l table.PublicLine) []string {
	var out []string
	for _, e := range l.Events {
		if s := pr.EventSentence(p, e); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// squireSentences marks a move that a squire made for a person.
func (pr *Printer) squireSentences(p *table.Public, l table.PublicLine) []string {
	out := pr.eventSentences(p, l)
	if s, ok := seatAt(p, l.Seat); ok && s.Human() && len(out) > 0 {
		out[0] = pr.Say("events.by_squire", "sentence", out[0])
	}
	return out
}

// recentSentences are the last n sentences of what the board remembers, oldest first.
func (pr *Printer) recentSentences(p *table.Public, n int) []string {
	var all []string
	for i := len(p.Recent) - 1; i >= 0 && len(all) < n; i-- {
		all = append(pr.LineSentences(p, p.Recent[i]), all...)
	}
	if extra := len(all) - n; extra > 0 {
		all = all[extra:]
	}
	for i, s := range all {
		all[i] = "- " + s
	}
	return all
}

// Bounds of a page of the log, well within a message's.
const (
	logPageLines = 24
	logPageUnits = 3000
	logPageBytes = 7500
	// logGap is the pause after which the log names the time again.
	logGap = 10 * time.Minute
)

// LogPage is one page of the history, the newest line last. Pages count from 1 and stay what they are while the history grows; page
// 0, and any that does not exist, is the newest.
func (pr *Printer) LogPage(p *table.Public, lines []table.PublicLine, page int) discord.Message {
	pages := pr.logPages(p, lines)
	if page < 1 || page > len(pages) {
		page = len(pages)
	}
	heading := pr.Say("events.log_heading", "page", page, "pages", len(pages))
	parts := []component{text(heading, pr.Say("events.log_game", "id", p.ID)), text(pages[page-1]...)}
	return private(append(parts, pr.pager(press.Log, p.ID, page, len(pages))...)...)
}

// logPages cuts the history into pages from its beginning on. There is at least one.
func (pr *Printer) logPages(p *table.Public, lines []table.PublicLine) [][]string {
	var pages [][]string
	var current []string
	var last time.Time
	units, bytes := 0, 0
	for _, l := range lines {
		for _, sentence := range pr.LineSentences(p, l) {
			rows := []string{"- " + sentence}
			u, b := utf16Length(sentence)+3, len(sentence)+3
			if len(current) >= logPageLines || units+u > logPageUnits || bytes+b > logPageBytes {
				pages, current, units, bytes, last = append(pages, current), nil, 0, 0, time.Time{}
			}
			if last.IsZero() || l.At.Sub(last) >= logGap {
				rows = []string{"-# " + dateTime(l.At), rows[0]}
				last = l.At
			}
			for _, row := range rows {
				units += utf16Length(row) + 1
				bytes += len(row) + 1
			}
			current = append(current, rows...)
		}
	}
	if len(current) == 0 {
		current = []string{pr.Say("events.log_empty")}
	}
	return append(pages, current)
}

// pager is the row that turns pages; none for a single page. The newest or first page's button stays where it is and is disabled
// where it leads nowhere, so that a second press does no harm.
func (pr *Printer) pager(kind press.Kind, tableID string, page, pages int) []component {
	return pr.turning(page, pages, func(page int, mark string) press.ID { return press.New(kind, tableID, strconv.Itoa(page), mark) })
}

// turning is the pager whose buttons have the ids that id gives: for a page, with a mark that tells the two apart.
func (pr *Printer) turning(page, pages int, id func(page int, mark string) press.ID) []component {
	if pages < 2 {
		return nil
	}
	to := func(label, mark string, target int) component {
		if target < 1 || target > pages {
			return disabled(label, id(page, mark))
		}
		return secondary(label, id(target, mark))
	}
	return rows(
		to(pr.Say("events.label_page_back"), "B", page-1),
		to(pr.Say("events.label_page_forward"), "F", page+1),
	)
}
