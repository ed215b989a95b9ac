package render

import (
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// What does not work without a permission.
const (
	WithoutView   Text = "doctor.without_view"
	WithoutSend   Text = "doctor.without_send"
	WithoutAttach Text = "doctor.without_attach"
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
	Fault  bool // a fault of this program keeps it from being made
}

// Unknown says that Discord does not know the channel or the server of a game, which nobody knows
// yet to be gone.
type Unknown struct {
	Server bool // the server, and not the channel alone
	Since  time.Time
	// Until is about when the game is closed if that stays so.
	Until time.Time
}

// Report is what the doctor found in a channel. It holds nothing that not everybody may know, but whether the reader has quiet hours.
type Report struct {
	Channel          string
	Now              time.Time
	Permissions      []Permission
	Archived, Locked bool
	// Table is the live table of the channel; nil if there is none.
	Table *table.Public
	// Unreadable says why the channel's table cannot be read; empty if it can.
	Unreadable string
	Board      string // its address; empty when there is none
	Posted     time.Time
	// Unasked is set where Discord has not said whether the board is there.
	Unasked bool
	Reach   []SeatReach
	Blocked []Blocked
	// Unknown is set while Discord does not know the table's channel or server.
	Unknown  *Unknown
	OwnQuiet bool
}

// Doctor is the private report on a channel: what works, what does not, and how to mend it.
func (pr *Printer) Doctor(r *Report) discord.Message {
	parts := []component{text(pr.Say("doctor.heading", "channel", mentionChannel(r.Channel)))}
	parts = append(parts, section(pr.Say("doctor.permissions"), pr.permissionLines(r)...)...)
	if r.Unreadable != "" {
		parts = append(parts, text("❌ "+r.Unreadable))
	} else if r.Table == nil {
		parts = append(parts, text(pr.Say("doctor.no_table")))
	} else {
		parts = append(parts, section(pr.Say("doctor.board"), pr.boardReport(r)...)...)
		parts = append(parts, section(pr.Say("doctor.clock"), pr.clockReport(r)...)...)
		parts = append(parts, section(pr.Say("doctor.direct_messages"), pr.reachReport(r)...)...)
		parts = append(parts, section(pr.Say("doctor.waiting"), pr.blockedReport(r)...)...)
	}
	id := ""
	if r.Table != nil {
		id = r.Table.ID
	}
	buttons := append([]component{secondary(pr.Say("doctor.label_again"), press.New(press.Doctor, id))}, pr.boardLinks(r.Board)...)
	return private(append(parts, rows(buttons...)...)...)
}

func (pr *Printer) permissionLines(r *Report) []string {
	var lines []string
	for _, p := range r.Permissions {
		switch {
		case !p.Known:
			return []string{pr.Say("doctor.permissions_unknown")}
		case p.Has:
			lines = append(lines, "✅ "+p.Name)
		default:
			lines = append(lines, pr.Say("doctor.permission_lacks", "permission", p.Name, "without", p.For, "channel", mentionChannel(r.Channel)))
		}
	}
	if r.Locked {
		lines = append(lines, pr.Say("doctor.thread_locked"))
	} else if r.Archived {
		lines = append(lines, pr.Say("doctor.thread_archived"))
	}
	return lines
}

func (pr *Printer) boardReport(r *Report) []string {
	if r.Board == "" {
		return []string{pr.Say("doctor.no_board")}
	}
	for _, b := range r.Blocked {
		if b.Board && b.Fault {
			return []string{pr.Say("doctor.board_fault", "posted", ago(r.Posted))}
		}
		if b.Board {
			return []string{pr.Say("doctor.board_blocked", "posted", ago(r.Posted), "why", pr.blockedText(b.Class, r))}
		}
	}
	if r.Unasked {
		return []string{pr.Say("doctor.board_unasked", "posted", ago(r.Posted))}
	}
	return []string{pr.Say("doctor.board_well", "posted", ago(r.Posted), "now", ago(r.Now))}
}

func (pr *Printer) clockReport(r *Report) []string {
	p := r.Table
	if p.Stage != table.Playing {
		return []string{pr.Say("doctor.not_begun") + " " + pr.paceLine(p.Options.Pace)}
	}
	lines := []string{pr.waitingLine(p), pr.pausedLine(p)}
	switch {
	case p.Paused:
	case p.Options.Pace == table.PaceNone:
		lines = append(lines, pr.Say("doctor.no_clock"))
	default:
		lines = append(lines, pr.paceLine(p.Options.Pace))
	}
	if r.OwnQuiet && p.Options.Pace == table.PaceLive {
		lines = append(lines, pr.Say("doctor.quiet_live"))
	} else if r.OwnQuiet {
		lines = append(lines, pr.Say("doctor.quiet"))
	}
	return lines
}

func (pr *Printer) reachReport(r *Report) []string {
	var lines []string
	for _, s := range r.Reach {
		who := pr.who(r.Table, s.Seat)
		switch s.Reach {
		case ReachOpen:
			lines = append(lines, "✅ "+who)
		case ReachClosed:
			lines = append(lines, pr.Say("doctor.reach_closed", "who", who))
		default:
			lines = append(lines, pr.Say("doctor.reach_unknown", "who", who))
		}
	}
	return lines
}

func (pr *Printer) blockedReport(r *Report) []string {
	var lines []string
	for _, b := range r.Blocked {
		what := Text("doctor.blocked_message")
		switch {
		case b.Board:
			continue // told of the board
		case b.Fault && b.Direct:
			lines = append(lines, pr.Say("doctor.direct_fault"))
			continue
		case b.Fault:
			lines = append(lines, pr.Say("doctor.message_fault"))
			continue
		case b.Direct:
			what = Text("doctor.blocked_direct")
		}
		lines = append(lines, pr.Say(what, "why", pr.blockedText(b.Class, r), "again", ago(b.Again)))
	}
	return lines
}

// blockedText says why something does not go out, and who mends it.
func (pr *Printer) blockedText(c discord.Class, r *Report) string {
	switch c {
	case discord.MissingAccess, discord.MissingPermission:
		return pr.refusedPermission(c, r.Permissions, r.Channel)
	case discord.UnknownChannel, discord.UnknownGuild:
		if r.Unknown != nil {
			return pr.unknownText(*r.Unknown)
		}
		return pr.Say("doctor.why_passing")
	case discord.ThreadLocked, discord.ThreadArchived:
		return pr.Say("doctor.why_locked")
	case discord.DMTooFast:
		return pr.Say("doctor.why_too_fast")
	default:
		return pr.Say("doctor.why_passing")
	}
}

func (pr *Printer) unknownText(u Unknown) string {
	if u.Server {
		return pr.Say("doctor.why_unknown_server", "since", ago(u.Since), "until", dateTime(u.Until))
	}
	return pr.Say("doctor.why_unknown_channel", "since", ago(u.Since), "until", dateTime(u.Until))
}

// UnwellUnknown says in a panel that the board is not current since Discord does not know the
// game's channel or server.
func (pr *Printer) UnwellUnknown(u Unknown) string {
	return pr.Say("doctor.unwell") + " " + pr.unknownText(u)
}

// refusedPermission says what the bot lacks after Discord refused it something for want of a
// permission. That it lacks one is not said where it has all: Discord refuses them at random for a
// day after it was ill. permissions are those that it needs, nil if nobody knows which it has.
func (pr *Printer) refusedPermission(c discord.Class, permissions []Permission, channel string) string {
	var missing []string
	known := len(permissions) > 0
	for _, p := range permissions {
		known = known && p.Known
		if p.Known && !p.Has {
			missing = append(missing, p.Name)
		}
	}
	if known && len(missing) == 0 {
		return pr.Say("doctor.why_passing")
	}
	if len(missing) == 0 && c == discord.MissingAccess {
		missing = []string{pr.Say(PermissionView)}
	}
	return pr.MissingPermission(missing, channel)
}

// Unwell says in a panel what keeps the board from being current; empty for what passes by itself.
// permissions are those that the bot needs there, nil if nobody knows which it has.
func (pr *Printer) Unwell(c discord.Class, permissions []Permission, channel string) string {
	switch c {
	case discord.MissingAccess, discord.MissingPermission:
		return pr.Say("doctor.unwell") + " " + pr.refusedPermission(c, permissions, channel)
	case discord.ThreadLocked, discord.ThreadArchived:
		return pr.Say("doctor.unwell_locked")
	default:
		return ""
	}
}
