package config

import (
	"slices"
	"strings"
)

// warnings names the variables that look like ours and are not, in order of
// their names, and settings that cannot have an effect.
func warnings(use Use, values map[string]string) []string {
	var out []string
	for name, value := range values {
		if value == "" || known(name) || !looksOurs(use, name) {
			continue
		}
		w := name + " is not a setting of this program and has no effect"
		if near := nearest(name); near != "" {
			w += ": did you mean " + near + "?"
		}
		out = append(out, w)
	}
	slices.Sort(out)
	if use&(Serve|Sandbox) != 0 && strings.TrimSpace(values["BACKUP_INTERVAL"]) != "" && strings.TrimSpace(values["BACKUP_DIR"]) == "" {
		out = append(out, "BACKUP_INTERVAL has no effect without BACKUP_DIR")
	}
	return out
}

func known(name string) bool {
	for _, v := range variables {
		if v.Name == name {
			return true
		}
	}
	return false
}

// looksOurs reports whether an unknown name deserves a warning. Only the bot
// itself reads DISCORD_*; elsewhere such names belong to somebody else.
func looksOurs(use Use, name string) bool {
	return strings.HasPrefix(name, "PALADIN_") || use == Serve && strings.HasPrefix(name, "DISCORD_")
}

// nearest returns the known name that an unknown one was probably meant to be,
// or "" if none is close: the same name behind a prefix (PALADIN_LOG_LEVEL),
// the same words with one more or less (DISCORD_BOT_TOKEN, DISCORD_GUILD), or
// up to two typing mistakes.
func nearest(name string) string {
	const mistakesMax = 2
	best, bestMistakes := "", mistakesMax+1
	for _, v := range variables {
		if name == "PALADIN_"+v.Name || name == "DISCORD_"+v.Name || oneWordApart(name, v.Name) {
			return v.Name
		}
		if d := distance(name, v.Name); d < bestMistakes {
			best, bestMistakes = v.Name, d
		}
	}
	return best
}

// oneWordApart reports whether dropping one word of the longer name gives the
// shorter one. A name of a single word is too little to go by.
func oneWordApart(a, b string) bool {
	long, short := strings.Split(a, "_"), strings.Split(b, "_")
	if len(long) < len(short) {
		long, short = short, long
	}
	if len(long) != len(short)+1 || len(short) < 2 {
		return false
	}
	for i := range long {
		if slices.Equal(slices.Delete(slices.Clone(long), i, i+1), short) {
			return true
		}
	}
	return false
}

// distance is the number of single-byte insertions, deletions and replacements
// that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
