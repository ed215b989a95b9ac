package render

import (
	"fmt"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// Permission is one permission that the bot needs in a channel.
type Permission struct {
	Name string
	Bit  uint64
	// For says what does not work without it.
	For string
	// Known is whether Discord said at all what the bot may do; Has is whether it has this one.
	Known, Has bool
}

// Reach says whether somebody can be written to.
type Reach int

// Ways in which somebody can be reached.
const (
	ReachUnknown Reach = iota // nothing was sent yet
	ReachOpen
	ReachClosed
)

// SeatReach says whether the person of a seat can be written to.
type SeatReach struct {
	Seat  paladin.Seat
	Reach Reach
}

// Blocked is something that is to be said and does not go out.
type Blocked struct {
	Board  bool // the board itself
	Direct bool // a direct message
	Class  discord.Class
	Again  time.Time
}

// Report is what the doctor found in a channel. It holds nothing that not everybody may know, but whether the reader has quiet hours.
type Report struct {
	Channel          string
	Now              time.Time
	Permissions      []Permission
	Archived, Locked bool
	// Table is the live table of the channel; nil if there is none.
	Table    *table.Public
	Board    string // its address; empty when there is none
	Posted   time.Time
	Reach    []SeatReach
	Blocked  []Blocked
	OwnQuiet bool
}

// Doctor is the private report on a channel: what works, what does not, and how to mend it.
func (pr *Printer) Doctor(r *Report) discord.Message {
	parts := []component{text("### How I am in " + mentionChannel(r.Channel))}
	parts = append(parts, section("Permissions", pr.permissionLines(r)...)...)
	if r.Table == nil {
		parts = append(parts, text("**Table:** there is none in this channel. /paladin new opens one."))
	} else {
		parts = append(parts, section("Board", pr.boardReport(r)...)...)
		parts = append(parts, section("Clock", pr.clockReport(r)...)...)
		parts = append(parts, section("Direct messages", pr.reachReport(r)...)...)
		parts = append(parts, section("Waiting to be sent", pr.blockedReport(r)...)...)
	}
	id := ""
	if r.Table != nil {
		id = r.Table.ID
	}
	buttons := append([]component{secondary("Look again", press.New(press.Doctor, id))}, pr.boardLinks(r.Board)...)
	return private(append(parts, rows(buttons...)...)...)
}

func (pr *Printer) permissionLines(r *Report) []string {
	var lines []string
	for _, p := range r.Permissions {
		switch {
		case !p.Known:
			return []string{"❔ Discord did not tell me what I may do here."}
		case p.Has:
			lines = append(lines, "✅ "+p.Name)
		default:
			lines = append(lines, fmt.Sprintf("❌ **%s**: %s. Mend: somebody who manages %s opens its settings, Permissions, and allows it for my role.",
				p.Name, p.For, mentionChannel(r.Channel)))
		}
	}
	if r.Locked {
		lines = append(lines, "❌ **This thread is locked**: nobody but moderators can write. Mend: a moderator unlocks it; I go on at once.")
	} else if r.Archived {
		lines = append(lines, "ℹ️ This thread is archived. I open it again with the next message.")
	}
	return lines
}

func (pr *Printer) boardReport(r *Report) []string {
	if r.Board == "" {
		return []string{"❌ There is no board. Mend: /paladin board posts one."}
	}
	for _, b := range r.Blocked {
		if b.Board {
			return []string{fmt.Sprintf("❌ Posted %s, and I cannot bring it up to date: %s", ago(r.Posted), pr.blockedText(b.Class, r.Channel))}
		}
	}
	return []string{fmt.Sprintf("✅ Posted %s and up to date as of %s. /paladin board posts it anew at the end of the channel.", ago(r.Posted), ago(r.Now))}
}

func (pr *Printer) clockReport(r *Report) []string {
	p := r.Table
	if p.Stage != table.Playing {
		return []string{"The game has not begun. " + pr.paceLine(p.Options.Pace)}
	}
	lines := []string{pr.waitingLine(p), pr.pausedLine(p)}
	switch {
	case p.Paused:
	case p.Options.Pace == table.PaceNone:
		lines = append(lines, "No clock runs in this game; after 30 days without anybody it is closed.")
	default:
		lines = append(lines, pr.paceLine(p.Options.Pace))
	}
	if r.OwnQuiet && p.Options.Pace == table.PaceLive {
		lines = append(lines, "Your quiet hours do not count in a live game.")
	} else if r.OwnQuiet {
		lines = append(lines, "Your clock stands still in your quiet hours; /paladin notices shows them.")
	}
	return lines
}

func (pr *Printer) reachReport(r *Report) []string {
	var lines []string
	for _, s := range r.Reach {
		name := pr.who(r.Table, s.Seat)
		switch s.Reach {
		case ReachOpen:
			lines = append(lines, "✅ "+name)
		case ReachClosed:
			lines = append(lines, "❌ "+name+" takes none from me and reads the cards with My seat. Mend, for them alone: this server's name, Privacy Settings, allow Direct Messages; then press anything in mine.")
		default:
			lines = append(lines, "❔ "+name+": I have sent none yet.")
		}
	}
	return lines
}

func (pr *Printer) blockedReport(r *Report) []string {
	var lines []string
	for _, b := range r.Blocked {
		what := "A message in this channel"
		switch {
		case b.Board:
			continue // told of the board
		case b.Direct:
			what = "A direct message"
		}
		lines = append(lines, fmt.Sprintf("❌ %s: %s I try again %s.", what, pr.blockedText(b.Class, r.Channel), ago(b.Again)))
	}
	return lines
}

// blockedText says why something does not go out, and who mends it.
func (pr *Printer) blockedText(c discord.Class, channel string) string {
	switch c {
	case discord.MissingAccess:
		return pr.MissingPermission([]string{pr.Say(PermissionView)}, channel)
	case discord.MissingPermission:
		return pr.MissingPermission(nil, channel)
	case discord.ThreadLocked, discord.ThreadArchived:
		return "the thread is locked. A moderator can unlock it."
	case discord.DMTooFast:
		return "I opened many direct messages at once, and Discord lets me rest. It passes by itself."
	default:
		return "Discord does not take it at the moment. It passes by itself."
	}
}

// Unwell says in a panel what keeps the board from being current; empty for what passes by itself. missing are the permissions that the
// bot is known to lack.
func (pr *Printer) Unwell(c discord.Class, missing []string, channel string) string {
	switch c {
	case discord.MissingAccess, discord.MissingPermission:
		if len(missing) == 0 && c == discord.MissingAccess {
			missing = []string{pr.Say(PermissionView)}
		}
		return "⚠️ I cannot update the board. " + pr.MissingPermission(missing, channel)
	case discord.ThreadLocked, discord.ThreadArchived:
		return "⚠️ I cannot update the board: the thread is locked. A moderator can unlock it; what you do here counts all the same."
	default:
		return ""
	}
}
