package bot

import (
	"fmt"
	"strings"

	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
)

// receipt tells the person who moved what their move did, from that seat's own knowledge, and whose move it is now.
func receipt(p *table.Public, seat paladin.Seat, events []paladin.Event) string {
	var lines []string
	for i := range events {
		e := events[i].For(seat)
		if line := render.Receipt(p, seat, e); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// String helps in logs.
func (in intent) String() string { return fmt.Sprintf("%s/%d/%d", in.What, in.Seat, in.Prompt) }
