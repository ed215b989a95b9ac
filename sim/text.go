package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Table is the result as text for people, some lines of less than 80 columns, each ended by a line feed.
func (r *Result) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %d seats, %s, seed %d\n\n", plural(r.Games, "game"), r.Players, plural(r.Deals, "deal"), r.Seed)
	fmt.Fprintf(&b, "%-8s  %7s  %17s  %11s\n", "squire", "wins", "95 % interval", "mean honour")
	for _, e := range r.Seats {
		fmt.Fprintf(&b, "%-8s  %5.1f %%  %5.1f %% to %5.1f %%  %11.1f\n",
			e.Squire, 100*e.WinShare, 100*e.CI95[0], 100*e.CI95[1], e.MeanHonour)
	}
	fmt.Fprintf(&b, "\n%s", plural(r.Moves, "move"))
	if r.Seconds > 0 {
		fmt.Fprintf(&b, " in %.1f s: %s a second", r.Seconds, grouped(int(r.MovesPerSecond)))
	}
	b.WriteString("\n")
	return b.String()
}

// Bar is a progress bar of width columns, where that leaves room for one, and what stands beside it: "[####....]  50 %
// 200 of 400 games".
func Bar(done, total, width int) string {
	done = max(0, min(done, total))
	percent := 100
	if total > 0 {
		percent = int(100 * int64(done) / int64(total))
	}
	text := fmt.Sprintf("%3d %%  %s of %s", percent, grouped(done), plural(total, "game"))
	room := width - len(text) - len("[]  ")
	if room < 1 {
		return text
	}
	full := room * percent / 100
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", room-full) + "]  " + text
}

// plural is a number and what it counts.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// grouped writes a number from 0 with a space between groups of three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}
