package bot

import (
	"fmt"
	"strings"

	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
)

// receipt tells the person who moved what their move did, from that seat's own knowledge, and whose move it is now.
// Where the channel shows what followed, it does not tell that.
func receipt(pr *render.Printer, p *table.Public, seat paladin.Seat, out table.Outcome) string {
	var lines []string
	shown := showSteps(out) > 0
	for i := range out.Events {
		e := out.Events[i].For(seat)
		if shown && e.Kind != paladin.Placed && e.Kind != paladin.TookBack && e.Kind != paladin.Discarded && e.Kind != paladin.Beaten {
			continue
		}
		if shown && e.Seat != seat {
			continue
		}
		if line := pr.Receipt(p, seat, e); line != "" {
			lines = append(lines, line)
		}
	}
	if shown {
		lines = append(lines, pr.Say(render.TextShown))
	}
	return strings.Join(lines, "\n")
}

// String helps in logs.
func (in intent) String() string { return fmt.Sprintf("%s/%d/%d", in.What, in.Seat, in.Prompt) }
