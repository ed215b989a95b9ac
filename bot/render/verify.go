package render

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/table"
)

// Verification says step by step what was checked of a game that is over, with the numbers, and how to check it without this program.
// own is what its reader gave to the salt. running, if not nil, is the table that stands in the channel now, of which only what is
// public is said.
func (pr *Printer) Verification(
	p *table.Public, v *table.Verification, own table.SaltPart, running *table.Public,
) discord.Message {
	verdict := Text("verify.wrong")
	if v.Right() {
		verdict = Text("verify.right")
	}
	numbers := []string{
		pr.Say("verify.seed"), "-# `" + v.Seed + "`",
		pr.Say("verify.fingerprint"), "-# `" + v.Commitment + "`",
	}
	parts := []component{
		text(pr.Say("verify.heading"), pr.Say("events.log_game", "id", p.ID), pr.Say(verdict)),
		text(pr.verifySteps(v)...),
		text(append(numbers, pr.saltLines(v.Salt, own)...)...),
		text(
			pr.Say("verify.yourself"),
			pr.Say("verify.by_hand", "command", "`echo "+v.Seed+" | xxd -r -p | sha256sum`"),
			pr.Say("verify.by_record", "command", "`paladin replay "+recordName(p.ID)+"`"),
		),
		text(pr.verifyLimits()...),
	}
	if running != nil {
		parts = append(parts, text(pr.verifyRunning(running, table.SaltPart{})...))
	}
	return private(append(parts, rows(secondary(pr.Say("board.label_record"), press.New(press.Record, p.ID)))...)...)
}

// VerifyRunning says what of a deal is public while it is secret: its fingerprint, and the salt as
// soon as there is one, with what its reader gave to that.
func (pr *Printer) VerifyRunning(p *table.Public, own table.SaltPart) discord.Message {
	lines := append([]string{pr.Say("verify.heading")}, pr.verifyRunning(p, own)...)
	return private(text(lines...), text(pr.verifyLimits()...))
}

func (pr *Printer) verifyRunning(p *table.Public, own table.SaltPart) []string {
	lines := []string{pr.Say("verify.running"), "-# `" + p.Commitment + "`"}
	if p.Salt != "" {
		lines = append(lines, pr.saltLines(p.Salt, own)...)
	}
	return lines
}

// verifyLimits say what a deal that checks out proves, and what nothing can prove.
func (pr *Printer) verifyLimits() []string {
	return []string{pr.Say("verify.proves"), pr.Say("verify.proves_not")}
}

// saltLines are the salt in full, and which of its numbers are the reader's own.
func (pr *Printer) saltLines(salt string, own table.SaltPart) []string {
	lines := []string{pr.Say("verify.salt"), "-# `" + salt + "`"}
	if own.Joined != "" {
		lines = append(lines, pr.ownPart(Text("verify.own_joined"), own.Joined))
	}
	if own.Started != "" {
		lines = append(lines, pr.ownPart(Text("verify.own_started"), own.Started))
	}
	return lines
}

// ownPart names a press of the reader's with its time, which Discord wrote into the number: that is
// what they can hold it against.
func (pr *Printer) ownPart(what Text, id string) string {
	words := pr.Say(what, "number", "`"+id+"`")
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return words
	}
	return words + " " + pr.Say("verify.own_time", "time", exactTime(at))
}

// verifySteps are the checks in their order, each with what came of it.
func (pr *Printer) verifySteps(v *table.Verification) []string {
	lines := []string{pr.Say(checkTexts[step{"published", v.Published}]), pr.Say(checkTexts[step{"salted", v.Salted}])}
	switch {
	case v.Shuffled != table.CheckedRight:
		lines = append(lines, pr.Say("verify.shuffled_open"))
	case v.Reshuffles == 0:
		lines = append(lines, pr.Say("verify.shuffled_once"))
	default:
		lines = append(lines, pr.plural("verify.shuffled", v.Reshuffles))
	}
	switch v.Legal {
	case table.CheckedRight:
		lines = append(lines, pr.plural("verify.legal", v.Moves))
	case table.CheckedWrong:
		lines = append(lines, pr.Say("verify.legal_wrong", "number", v.Illegal.Number, "move", moveText(v.Illegal), "rule", v.Illegal.Rule))
	default:
		lines = append(lines, pr.Say("verify.legal_open"))
	}
	switch v.Told {
	case table.CheckedRight:
		lines = append(lines, pr.plural("verify.told", v.Events))
	case table.CheckedWrong:
		lines = append(lines, pr.Say("verify.told_wrong", "number", v.Otherwise.Number, "move", moveText(v.Otherwise)))
	default:
		lines = append(lines, pr.Say("verify.told_open"))
	}
	return append(lines, pr.Say(checkTexts[step{"ended", v.Ended}], "scores", scoreList(v.Scores)))
}

// step is a check with what came of it.
type step struct {
	check string
	came  table.Checked
}

// checkTexts are those of checks that count nothing.
var checkTexts = map[step]Text{
	{"published", table.CheckedRight}:   "verify.published",
	{"published", table.CheckedWrong}:   "verify.published_wrong",
	{"published", table.CheckedUnknown}: "verify.published_unknown",
	{"salted", table.CheckedRight}:      "verify.salted",
	{"salted", table.CheckedWrong}:      "verify.salted_wrong",
	{"ended", table.CheckedRight}:       "verify.ended",
	{"ended", table.CheckedWrong}:       "verify.ended_wrong",
	{"ended", table.NotChecked}:         "verify.ended_open",
}

// moveText is a faulty move as it is written down. Whoever tampered with it, it does no more than be read.
func moveText(m table.FaultyMove) string {
	return "`" + clip(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '`' || r == '@' {
			return '?'
		}
		return r
	}, m.Text), maxMoveText) + "`"
}

// maxMoveText is how much is shown of a move that is no move.
const maxMoveText = 40
