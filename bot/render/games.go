package render

import (
	"fmt"
	"slices"
	"strings"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

const (
	// gamesOnPage is how many games one page lists.
	gamesOnPage = 10
	// gamesInDigest is how many games one reminder names.
	gamesInDigest = 12
)

// Labels of buttons between games.
const (
	LabelNextGame Text = "games.label_next_game"
	labelMyGames       = "All my games"
)

// pr.Say(TextNoGames) answers somebody who plays nowhere.
const TextNoGames Text = "games.no_games"

// Listed is one of somebody's games in a list.
type Listed struct {
	Public *table.Public
	// Seat is theirs; NoSeat when a stand-in holds it.
	Seat paladin.Seat
	// Queued is their place in the queue for a seat, from 1; 0 for everybody else.
	Queued int
	// Link leads to the board, or to the channel where there is none.
	Link string
}

// Mine reports whether the game waits for the reader.
func (l Listed) Mine() bool {
	return l.Public.Stage == table.Playing && l.Seat != paladin.NoSeat && l.Public.Awaited == l.Seat && !l.away()
}

func (l Listed) away() bool {
	s, ok := seatAt(l.Public, l.Seat)
	return ok && s.Away
}

// group orders a list: what waits for the reader, running games, lobbies.
func (l Listed) group() int {
	switch {
	case l.Mine() && !l.Public.Paused:
		return 0
	case l.Public.Stage == table.Playing:
		return 1
	default:
		return 2
	}
}

// SortGames brings a list into the order in which it is shown: the reader's own moves first, and within each part what has waited
// longest.
func SortGames(list []Listed) {
	slices.SortStableFunc(list, func(a, b Listed) int {
		if a.group() != b.group() {
			return a.group() - b.group()
		}
		return a.Public.Since.Compare(b.Public.Since)
	})
}

// GamesPage is one page of somebody's games in the order of SortGames, counted from 1. broken games could not be read.
func (pr *Printer) GamesPage(list []Listed, page, broken int) discord.Message {
	if len(list) == 0 && broken == 0 {
		return Note(pr.Say(TextNoGames))
	}
	pages := max(1, (len(list)+gamesOnPage-1)/gamesOnPage)
	page = min(max(page, 1), pages)
	first := (page - 1) * gamesOnPage
	heading := "### Your games"
	if pages > 1 {
		heading += fmt.Sprintf(", page %d of %d", page, pages)
	}
	parts := []component{text(heading, pr.gamesSummary(list))}
	var lines []string
	group := -1
	for _, l := range list[first:min(first+gamesOnPage, len(list))] {
		if l.group() != group {
			group = l.group()
			lines = append(lines, pr.groupHeading(group))
		}
		lines = append(lines, "- "+pr.gameLine(l))
	}
	if broken > 0 {
		lines = append(lines, fmt.Sprintf("-# %s cannot be shown at the moment.", pr.plural("words.more_games", broken)))
	}
	if len(lines) > 0 {
		parts = append(parts, text(lines...))
	}
	if len(list) > 0 && list[0].group() == 0 {
		parts = append(parts, rows(link(pr.Say(LabelNextGame), list[0].Link)...)...)
	}
	return private(append(parts, pr.pager(press.Games, "", page, pages)...)...)
}

func (pr *Printer) gamesSummary(list []Listed) string {
	own := 0
	for _, l := range list {
		if l.group() == 0 {
			own++
		}
	}
	if own == 0 {
		return "None of them waits for you."
	}
	if own == 1 {
		return "**One waits for you.**"
	}
	return fmt.Sprintf("**%d wait for you.**", own)
}

func (pr *Printer) groupHeading(group int) string {
	switch group {
	case 0:
		return "**Your move**"
	case 1:
		return "**Others are to move**"
	default:
		return "**Not begun**"
	}
}

// gameName is how a game is called wherever several could be meant: by its channel, which is a link in every client.
func gameName(p *table.Public) string { return mentionChannel(p.Channel) }

func (pr *Printer) gameLine(l Listed) string {
	line := gameName(l.Public) + ": " + pr.gameState(l)
	if l.Link != "" {
		line += " · [board](" + l.Link + ")"
	}
	return line
}

// gameState says what a game waits for, in a list of several.
func (pr *Printer) gameState(l Listed) string {
	p := l.Public
	switch {
	case p.Stage == table.Lobby:
		return pr.lobbyState(l)
	case p.Game == nil:
		return "over"
	case p.Paused:
		return fmt.Sprintf("paused in round %d of %d", p.Game.Round, p.Game.Rounds)
	case l.Seat == paladin.NoSeat:
		return "a stand-in plays your seat; take it back there whenever you like"
	case l.away():
		return "a squire plays your seat; press **I am back** there whenever you like"
	case l.Mine():
		return pr.todo(p.Game) + pr.sinceText(p) + pr.untilText(p)
	default:
		return fmt.Sprintf("%s is to %s%s", pr.who(p, p.Awaited), pr.todo(p.Game), pr.sinceText(p))
	}
}

func (pr *Printer) lobbyState(l Listed) string {
	state := fmt.Sprintf("%d of %s taken", len(l.Public.Seats), pr.plural("words.seats", l.Public.Options.Seats))
	if l.Queued > 0 {
		state += fmt.Sprintf(", you are %s in the queue", pr.ordinal(l.Queued))
	}
	if s, ok := seatAt(l.Public, l.Seat); ok && !s.Ready {
		state += ", yours from the game before: press Join there to play again"
	}
	return state
}

func (pr *Printer) sinceText(p *table.Public) string {
	if at := ago(p.Since); at != "" {
		return ", since " + at
	}
	return ""
}

// untilText says when the time for the move is over, in a direct message or a list of one's own.
func (pr *Printer) untilText(p *table.Public) string {
	if at := ago(p.Until); at != "" {
		return ", time is up " + at
	}
	return ""
}

// ReminderNote is what a panel says first that is sent because the game still waits for its owner.
func (pr *Printer) ReminderNote(l Listed) string {
	return joinLines(fmt.Sprintf("⏰ **This game still waits for you:** %s.", pr.gameState(l)), noticesHint)
}

// noticesHint says how to be told otherwise.
const noticesHint = "-# /paladin notices sets how I call you, how often, and your quiet hours."

// Digest tells somebody by one direct message of all the games that wait for them, the oldest first.
func (pr *Printer) Digest(list []Listed) discord.Message {
	lines := []string{fmt.Sprintf("**Paladin:** %d games wait for you.", len(list))}
	for _, l := range list[:min(gamesInDigest, len(list))] {
		lines = append(lines, "- "+pr.gameLine(l))
	}
	if more := len(list) - gamesInDigest; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	buttons := append(link(pr.Say(LabelNextGame), list[0].Link), secondary(labelMyGames, press.New(press.Games, "")))
	m := private(text(lines...), text(noticesHint), row(buttons...))
	m.Ephemeral = false
	return m
}

// Since is what happened since somebody last looked.
type Since struct {
	// Sentences, the oldest first.
	Sentences []string
	// More is how many came before them and are not told.
	More int
}

// sinceSentences bounds what is told of the time since somebody last looked.
const sinceSentences = 8

// SinceLastLooked tells the lines of the history that somebody has not seen: the latest few, and how many more there are. What they
// did themselves is not told.
func (pr *Printer) SinceLastLooked(p *table.Public, own paladin.Seat, lines []table.PublicLine) Since {
	var out Since
	for _, l := range lines {
		if l.Kind == table.LineMove && own != paladin.NoSeat && l.Seat == own {
			l.Events = othersEvents(own, l.Events)
		}
		out.Sentences = append(out.Sentences, pr.LineSentences(p, l)...)
	}
	return out.atMost(sinceSentences)
}

// othersEvents are what followed from a person's own move, without the move itself.
func othersEvents(own paladin.Seat, events []paladin.PublicEvent) []paladin.PublicEvent {
	var out []paladin.PublicEvent
	for _, e := range events {
		switch e.Kind {
		case paladin.StartNamed, paladin.Placed, paladin.Peeked, paladin.TookBack, paladin.Discarded, paladin.Beaten:
			if e.Seat == own {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

func (s Since) atMost(n int) Since {
	if extra := len(s.Sentences) - n; extra > 0 {
		return Since{Sentences: s.Sentences[extra:], More: s.More + extra}
	}
	return s
}

// sinceParts show what happened since the viewer last looked; nothing when nothing did.
func (pr *Printer) sinceParts(s Since) []component {
	if len(s.Sentences) == 0 {
		return nil
	}
	lines := make([]string, 0, len(s.Sentences)+1)
	if s.More > 0 {
		lines = append(lines, fmt.Sprintf("-# and %d more before that, in the log", s.More))
	}
	for _, sentence := range s.Sentences {
		lines = append(lines, "- "+sentence)
	}
	return []component{text(bold("Since you last looked:"), strings.Join(lines, "\n"))}
}
