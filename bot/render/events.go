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
	seat, target := pr.who(p, e.Seat), pr.who(p, e.Target)
	switch e.Kind {
	case paladin.StartNamed:
		if e.Seat == e.Target {
			return fmt.Sprintf("%s deals round %d and starts it.", seat, e.Round)
		}
		return fmt.Sprintf("%s deals round %d and names %s to start it.", seat, e.Round, target)
	case paladin.Placed:
		if e.Place == 1 {
			return fmt.Sprintf("%s leads quest %d with a face-down card.", seat, e.Quest)
		}
		return fmt.Sprintf("%s placed a face-down card on quest %d.", seat, e.Quest)
	case paladin.Peeked:
		return fmt.Sprintf("%s looked at %s's card on quest %d.", seat, target, e.Quest)
	case paladin.LeaderRevealed:
		return fmt.Sprintf("Quest %d: %s turns up %s, it leads.", e.Quest, seat, pr.faceUp(e.Card))
	case paladin.Beaten:
		return fmt.Sprintf("%s's %s beats %s's %s on quest %d.", seat, pr.faceUp(e.Card), target, pr.faceUp(e.Beaten), e.Quest)
	case paladin.TookBack:
		return fmt.Sprintf("%s took a card back from quest %d, unseen.", seat, e.Quest)
	case paladin.Discarded:
		return fmt.Sprintf("%s discarded a card from quest %d, unseen.", seat, e.Quest)
	case paladin.QuestWon:
		return fmt.Sprintf("%s wins quest %d with %s: %s.", seat, e.Quest, pr.faceUp(e.Card), pr.honour(e.Honour))
	case paladin.RoundScored:
		return fmt.Sprintf("Round %d is over. Honour: %s.", e.Round, scoreList(e.Scores))
	case paladin.Reshuffled:
		return fmt.Sprintf("The supply ran out: the discard pile of %s was shuffled and is the new supply.", pr.plural("words.cards", e.Count))
	case paladin.RoundBegan:
		return fmt.Sprintf("Round %d begins; %s deals.", e.Round, seat)
	case paladin.GameOver:
		return "The game is over. " + pr.winnersText(p, e.Winners)
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
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " wins."
	default:
		return pr.enumerate(names) + " share the victory."
	}
}

// closedText says why a table was closed.
func (pr *Printer) closedText(reason string) string {
	switch reason {
	case table.ClosedCancelled:
		return "The lobby was cancelled."
	case table.ClosedEmpty:
		return "The last person left, so the game was closed."
	case table.ClosedStopped:
		return "The players voted to stop the game."
	case table.ClosedModerator:
		return "Somebody who manages this channel stopped the game."
	case table.ClosedIdle:
		return "Nobody touched this table for a long time, so it was closed."
	case table.ClosedChannel:
		return "The channel is gone, and the game with it."
	default:
		return "The game was closed."
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
	name := bold(Name(l.Name, "somebody"))
	switch l.Kind {
	case table.LineOpened:
		return []string{name + " opened the table."}
	case table.LineJoined:
		return []string{name + " joined."}
	case table.LineReady:
		return []string{name + " plays again."}
	case table.LineQueued:
		return []string{name + " waits for a seat."}
	case table.LineUnqueued:
		return []string{name + " no longer waits for a seat."}
	case table.LineLeft:
		return []string{name + " left."}
	case table.LineSquire:
		return []string{fmt.Sprintf("A squire (%s) sits down.", pr.strengthText(l.Squire))}
	case table.LineRemoved:
		if l.Name == "" {
			return []string{"The host sent a squire away."}
		}
		return []string{"The host removed " + name + "."}
	case table.LineInvited:
		return []string{name + " was invited."}
	case table.LineStarted:
		return []string{name + " started the game."}
	case table.LineMove:
		return pr.eventSentences(asThen(p, l), l)
	case table.LineSquireMove:
		return pr.squireSentences(asThen(p, l), l)
	case table.LineAway:
		return []string{tokenOf(l.Seat).sign + " " + name + " left; a squire plays the seat on."}
	case table.LineBack:
		return []string{pr.backSentence(l)}
	case table.LineVote:
		return []string{tokenOf(l.Seat).sign + " " + name + " votes to stop the game."}
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
	back := tokenOf(l.Seat).sign + " " + bold(Name(l.Name, "somebody")) + " is back"
	if l.Other == "" {
		return back + "."
	}
	return back + "; " + bold(Name(l.Other, "somebody")) + " no longer stands in."
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
		out[0] += " (A squire's move.)"
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
	heading := fmt.Sprintf("### Log, page %d of %d", page, len(pages))
	parts := []component{text(heading, "-# Game "+p.ID), text(pages[page-1]...)}
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
		current = []string{"Nothing has happened yet."}
	}
	return append(pages, current)
}

// pager is the row that turns pages; none for a single page. The newest or first page's button stays where it is and is disabled
// where it leads nowhere, so that a second press does no harm.
func (pr *Printer) pager(kind press.Kind, tableID string, page, pages int) []component {
	if pages < 2 {
		return nil
	}
	to := func(label string, target int) component {
		id := press.New(kind, tableID, strconv.Itoa(target), label[:1])
		if target < 1 || target > pages {
			return disabled(label, press.New(kind, tableID, strconv.Itoa(page), label[:1]))
		}
		return secondary(label, id)
	}
	return rows(to("Back", page-1), to("Forward", page+1))
}
