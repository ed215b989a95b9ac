package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// What a Me press asks for: its first argument; none shows the page itself.
const (
	MeExport = "export"
	MeDelete = "delete" // ask whether that is meant
	MeForget = "forget" // it is meant
)

// forgottenPlayer is what somebody is called who was forgotten.
const forgottenPlayer Text = "me.forgotten"

// TextForgetFailed answers somebody who could not be forgotten just now.
const TextForgetFailed Text = "me.failed"

// Me is what somebody is shown about themselves.
type Me struct {
	// Here is what they came to in this server; nil where there is none, in direct messages.
	Here *Record
	// All is what they came to in all servers.
	All Record
	// Last are their last games, the latest first.
	Last []Played
	// Notices are their own habits.
	Notices Notices
}

// Played is a finished game in which somebody had a seat.
type Played struct {
	At      time.Time
	Channel string
	Link    string // to its board; empty where there is none
	// Place is that of the seat among Seats seats, Honour its honour.
	Place, Seats, Honour int
	// ToTheEnd is true if they held the seat at the end and made its moves.
	ToTheEnd bool
}

// Me is the private page about the reader.
func (pr *Printer) Me(m Me) discord.Message {
	parts := []component{text(pr.Say("me.heading"))}
	if m.Here != nil {
		parts = append(parts, section(pr.Say("me.heading_here"), pr.ownRecord(*m.Here, Text("me.none_here"))...)...)
	}
	parts = append(parts, section(pr.Say("me.heading_all"), pr.ownRecord(m.All, Text("me.none_all"))...)...)
	var games []string
	for _, g := range m.Last {
		games = append(games, "- "+pr.playedLine(g))
	}
	parts = append(parts, section(pr.Say("me.heading_last"), games...)...)
	language := pr.Say("me.language_client")
	if m.Notices.Language != "" {
		language = pr.Say("me.language", "language", endonyms[LanguageOf(m.Notices.Language)])
	}
	h, look := m.Notices.Habits, ""
	switch m.Notices.Look {
	case LookHand:
		look = pr.Say("me.look_hand")
	case LookText:
		look = pr.Say("me.look_text")
	}
	parts = append(parts, section(pr.Say("me.heading_settings"),
		pr.wayWords(h), pr.reminderWords(h), pr.quietWords(&m.Notices), language, look, pr.Say("me.change"))...)
	parts = append(parts, row(
		secondary(pr.Say("me.label_export"), press.New(press.Me, "", MeExport)),
		danger(pr.Say("me.label_delete"), press.New(press.Me, "", MeDelete)),
	))
	return private(parts...)
}

// ownRecord tells somebody what they came to; none says that there is nothing.
func (pr *Printer) ownRecord(r Record, none Text) []string {
	if r.Games == 0 && !r.Asked {
		return []string{pr.Say(none)}
	}
	lines := []string{strings.Join([]string{
		pr.plural("standings.games", r.Games), pr.amount("standings.wins", r.Wins), pr.amount("standings.honour", r.Honour), pr.ratingWords(r),
	}, " · ")}
	if r.Asked {
		words := []string{pr.Say("me.reliability", "percent", percent(r.InTime))}
		if r.Timeouts > 0 {
			words = append(words, pr.plural("me.timeouts", r.Timeouts))
		}
		if r.SquireMoves > 0 {
			words = append(words, pr.plural("me.squire_moves", r.SquireMoves))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func (pr *Printer) playedLine(g Played) string {
	line := pr.Say("me.played", "date", fmt.Sprintf("<t:%d:d>", g.At.Unix()), "place", g.Place, "seats", g.Seats, "honour", pr.honour(g.Honour),
		"channel", mentionChannel(g.Channel))
	if !g.ToTheEnd {
		line += " · " + pr.Say("me.played_left")
	}
	if g.Link != "" {
		line += " · " + pr.Say("me.played_board", "link", g.Link)
	}
	return line
}

// ConfirmForget asks whether somebody means to be forgotten, and says what that does. The button that does it does not stand where the
// one stood that led here.
func (pr *Printer) ConfirmForget() discord.Message {
	return private(
		text(pr.Say("me.delete_heading"), pr.Say("me.delete_own"), pr.Say("me.delete_games"), pr.Say("me.delete_others"),
			pr.Say("me.delete_messages"), pr.Say("me.delete_backups"), pr.Say("me.delete_final")),
		row(
			danger(pr.Say("me.label_forget"), press.New(press.Me, "", MeForget)),
			secondary(pr.Say("me.label_keep"), press.New(press.Me, "")),
		),
	)
}

// StillSeated tells somebody at which tables they have a part, so that they cannot be forgotten yet. broken tables could not be read.
func (pr *Printer) StillSeated(list []Listed, broken int) discord.Message {
	lines := []string{pr.plural("me.seated", len(list)+broken)}
	for _, l := range list[:min(gamesOnPage, len(list))] {
		lines = append(lines, "- "+pr.gameLine(l))
	}
	if more := len(list) - gamesOnPage; more > 0 {
		lines = append(lines, pr.plural("games.digest_more", more))
	}
	if broken > 0 {
		lines = append(lines, pr.plural("games.broken", broken))
	}
	return private(text(lines...), text(pr.Say("me.seated_leave")), row(secondary(pr.Say("me.label_back"), press.New(press.Me, ""))))
}

// Forgotten tells somebody that they are forgotten; at waiting running tables something of them is left until these end.
func (pr *Printer) Forgotten(waiting int) discord.Message {
	lines := []string{pr.Say("me.done")}
	if waiting > 0 {
		lines = append(lines, pr.plural("me.done_waiting", waiting))
	}
	return Note(joinLines(append(lines, pr.Say("me.done_again"))...))
}

// Names of the file that holds all that is stored about somebody: of the file itself, and of the archive in which a large one is packed.
const (
	ExportName       = "paladin-export.json"
	ExportPackedName = "paladin-export.zip"
)

// TextExportTooLarge answers somebody about whom more is stored than Discord takes even when it is packed.
const TextExportTooLarge Text = "me.export_too_large"

// ExportFile hands out the file with all that is stored about somebody.
func (pr *Printer) ExportFile(file discord.File) discord.Message {
	lines := []string{pr.Say("me.export", "file", file.Name)}
	if file.Name == ExportPackedName {
		lines = append(lines, pr.Say("me.export_packed", "file", ExportName))
	}
	m := private(
		text(lines...),
		discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + file.Name}},
	)
	file.Description = pr.Say("me.export_description")
	m.Files = []discord.File{file}
	return m
}
