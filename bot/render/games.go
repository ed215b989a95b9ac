package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	labelMyGames  Text = "games.label_my_games"
)

// TextNoGames answers somebody who plays nowhere.
const TextNoGames Text = "games.no_games"

// Listed is one of somebody's games in a list.
type Listed struct {
	Public *table.Public
	// Seat is theirs; NoSeat when a stand-in holds it.
	Seat paladin.Seat
	// Queued is their place in the queue for a seat, from 1; 0 for everybody else.
	Queued int
	// Doubted is true while Discord does not know the game's channel or server.
	Doubted bool
	// Link leads to the board, or to the channel where there is none.
	Link string
	// SentOff is true when somebody who manages the channel sent the reader off.
	SentOff bool
}

// Mine reports whether the game waits for the reader.
func (l Listed) Mine() bool {
	return l.Public.Stage == table.Playing && l.Seat != paladin.NoSeat && l.Public.Awaited == l.Seat && !l.away()
}

func (l Listed) away() bool {
	s, ok := seatAt(l.Public, l.Seat)
	return ok && s.Away
}

// The groups of a list, in their order.
const (
	groupMine = iota // waits for the reader
	groupOthers
	groupPaused // whosever move it is
	groupLobbies
)

func (l Listed) group() int {
	switch {
	case l.Public.Stage != table.Playing:
		return groupLobbies
	case l.Public.Paused:
		return groupPaused
	case l.Mine():
		return groupMine
	default:
		return groupOthers
	}
}

// SortGames brings a list into the order in which it is shown: the reader's own moves first, paused games after running ones, and within each part what has waited
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
	heading := pr.Say("games.heading")
	if pages > 1 {
		heading = pr.Say("games.heading_page", "page", page, "pages", pages)
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
		lines = append(lines, pr.plural("games.broken", broken))
	}
	if len(lines) > 0 {
		parts = append(parts, text(lines...))
	}
	if len(list) > 0 && list[0].group() == groupMine {
		parts = append(parts, rows(link(pr.Say(LabelNextGame), list[0].Link)...)...)
	}
	return private(append(parts, pr.pager(press.Games, "", page, pages)...)...)
}

// GamesInstead answers, where there is no game, what is about one: with the way to those of the
// reader.
func (pr *Printer) GamesInstead(list []Listed, broken int) discord.Message {
	m := pr.GamesPage(list, 1, broken)
	m.Components = append([]component{text(pr.Say(TextInDM))}, m.Components...)
	return m
}

func (pr *Printer) gamesSummary(list []Listed) string {
	own := 0
	for _, l := range list {
		if l.group() == groupMine {
			own++
		}
	}
	if own == 0 {
		return pr.Say("games.none_waits")
	}
	return pr.plural("games.wait", own)
}

func (pr *Printer) groupHeading(group int) string {
	switch group {
	case groupMine:
		return pr.Say("games.heading_mine")
	case groupOthers:
		return pr.Say("games.heading_others")
	case groupPaused:
		return pr.Say("games.heading_paused")
	default:
		return pr.Say("games.heading_lobbies")
	}
}

// gameName is how a game is called wherever several could be meant: by its channel, which is a link in every client.
func gameName(p *table.Public) string { return mentionChannel(p.Channel) }

func (pr *Printer) gameLine(l Listed) string {
	state := pr.gameState(l)
	if l.Doubted {
		state = pr.Say("games.doubted", "state", state)
	}
	if l.Link == "" {
		return pr.Say("games.game", "channel", gameName(l.Public), "state", state)
	}
	return pr.Say("games.game_with_board", "channel", gameName(l.Public), "state", state, "link", l.Link)
}

// gameState says what a game waits for, in a list of several.
func (pr *Printer) gameState(l Listed) string {
	p := l.Public
	switch {
	case p.Stage == table.Lobby:
		return pr.lobbyState(l)
	case p.Game == nil:
		return pr.Say("games.over")
	case p.Paused:
		return pr.pausedState(l)
	case l.Seat == paladin.NoSeat || l.away():
		return pr.playedFor(l)
	case l.Mine():
		return pr.Say(Text("games.mine_"+phaseWord(p.Game)), "quest", p.Game.Resolving, "times", pr.waitTimes(p.Since, p.Until))
	default:
		return pr.Say(Text("games.others_"+phaseWord(p.Game)),
			"who", pr.who(p, p.Awaited), "quest", p.Game.Resolving, "times", pr.waitTimes(p.Since, time.Time{}))
	}
}

// pausedState says since when a game is paused and whose move it is, or who plays the reader's seat.
func (pr *Printer) pausedState(l Listed) string {
	p, whose := l.Public, "others"
	if l.Mine() {
		whose = "mine"
	}
	if !p.PausedAt.IsZero() {
		whose += "_since"
	}
	state := pr.Say(Text("games.paused_"+whose), "since", ago(p.PausedAt), "round", p.Game.Round, "rounds", p.Game.Rounds, "who", pr.who(p, p.Awaited))
	if l.Seat == paladin.NoSeat || l.away() {
		return state + "; " + pr.playedFor(l)
	}
	return state
}

// playedFor says who plays the reader's seat, and how it becomes theirs again.
func (pr *Printer) playedFor(l Listed) string {
	switch {
	case l.SentOff:
		return pr.Say("sendoff.state")
	case l.Seat == paladin.NoSeat:
		return pr.Say("games.stand_in_plays")
	default:
		return pr.Say("games.squire_plays")
	}
}

func (pr *Printer) lobbyState(l Listed) string {
	words, with := Text("games.lobby"), []any{"taken", len(l.Public.Seats)}
	if s, ok := seatAt(l.Public, l.Seat); ok && !s.Ready {
		words = Text("games.lobby_again")
	} else if l.Queued > 0 {
		words, with = Text("games.lobby_queued"), append(with, "place", pr.placeInQueue(l.Queued))
	}
	return pr.plural(words, l.Public.Options.Seats, with...)
}

func (pr *Printer) placeInQueue(n int) string {
	if n >= 1 && n <= 3 {
		return pr.Say(Text(fmt.Sprintf("games.queue_place%d", n)))
	}
	return pr.Say("games.queue_place", "n", n)
}

// waitTimes says since when a game waits and when the time for the move is over, of those that are given. It follows what is to be done.
func (pr *Printer) waitTimes(since, until time.Time) string {
	switch {
	case !until.IsZero() && !since.IsZero():
		return pr.Say("games.since_until", "since", ago(since), "until", ago(until))
	case !until.IsZero():
		return pr.Say("games.until", "until", ago(until))
	case !since.IsZero():
		return pr.Say("games.since", "since", ago(since))
	default:
		return ""
	}
}

// ReminderNote is what a panel says first that is sent because the game still waits for its owner.
func (pr *Printer) ReminderNote(l Listed) string {
	return joinLines(pr.Say("games.reminder", "state", pr.gameState(l)), pr.Say(noticesHint))
}

// noticesHint says how to be told otherwise.
const noticesHint Text = "games.notices_hint"

// Digest tells somebody by one direct message of all the games that wait for them, the oldest first.
func (pr *Printer) Digest(list []Listed) discord.Message {
	lines := []string{pr.plural("games.digest", len(list))}
	for _, l := range list[:min(gamesInDigest, len(list))] {
		lines = append(lines, "- "+pr.gameLine(l))
	}
	if more := len(list) - gamesInDigest; more > 0 {
		lines = append(lines, pr.plural("games.digest_more", more))
	}
	buttons := append(link(pr.Say(LabelNextGame), list[0].Link), secondary(pr.Say(labelMyGames), press.New(press.Games, "")))
	m := private(text(lines...), text(pr.Say(noticesHint)), row(buttons...))
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
// did themselves is not told, unless beforehand, which holds the indices of such lines, says that they had only given it beforehand.
func (pr *Printer) SinceLastLooked(p *table.Public, own paladin.Seat, lines []table.PublicLine, beforehand map[int]bool) Since {
	var out Since
	for i, l := range lines {
		if l.Kind == table.LineMove && own != paladin.NoSeat && l.Seat == own && !beforehand[i] {
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

// Untold is a receipt without the lines that s tells as well.
func (s Since) Untold(receipt string) string {
	lines := slices.DeleteFunc(strings.Split(receipt, "\n"), func(line string) bool { return slices.Contains(s.Sentences, line) })
	return strings.Join(lines, "\n")
}

// sinceParts show what happened since the viewer last looked; nothing when nothing did.
func (pr *Printer) sinceParts(s Since) []component {
	if len(s.Sentences) == 0 {
		return nil
	}
	lines := make([]string, 0, len(s.Sentences)+1)
	if s.More > 0 {
		lines = append(lines, pr.plural("games.since_more", s.More))
	}
	for _, sentence := range s.Sentences {
		lines = append(lines, "- "+sentence)
	}
	return []component{text(pr.Say("games.since_heading"), strings.Join(lines, "\n"))}
}
