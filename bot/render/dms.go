package render

import (
	"strings"

	"paladin/bot/discord"
	"paladin/game/table"
)

// DoneLine is what stays of somebody's direct message after their move: what it did, as note, and where
// the game and the next one that waits for them are to be found. Links may be empty.
func (pr *Printer) DoneLine(p *table.Public, note, board, next string) discord.Message {
	parts := []string{strings.ReplaceAll(note, "\n", " · ")}
	parts = append(parts, pr.Say("panel.done_in", "channel", mentionChannel(p.Channel)))
	for _, l := range []struct {
		label Text
		url   string
	}{{LabelBoard, board}, {LabelNextGame, next}} {
		if l.url != "" {
			parts = append(parts, "["+pr.Say(l.label)+"]("+l.url+")")
		}
	}
	return public(text(clipText(strings.Join(parts, " · "))))
}

// OutOfTime is what somebody's direct message becomes when their time ran out.
func (pr *Printer) OutOfTime(p *table.Public, board string) discord.Message {
	return pr.DoneLine(p, pr.Say("panel.out_of_time"), board, "")
}
