package render

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"paladin/game/table"
)

// Bounds of a name as it is shown. A name is bounded in runes because of messages' limits, in columns because of phones.
const (
	nameRunes   = 32
	nameColumns = 32
	// nameMarks is how many combining marks a letter may carry: living scripts need up to three.
	nameMarks = 3
	// labelName is how many UTF-16 units of a name a button or option shows.
	labelName = 40
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	zeroWidthSpace     = "\u200b"
	firstStrongIsolate = "\u2068"
	popIsolate         = "\u2069"
)

// nameless is what everybody is called, wherever they stand, whose name shows nothing.
const nameless Text = "words.nameless"

// called is a person's name within a text with markdown. It is, with calledPlain, the one door
// through which names reach people: one that shows nothing reads the same everywhere, and somebody
// who was forgotten has none.
func (pr *Printer) called(name string) string {
	if name == table.ForgottenName {
		return pr.Say(forgottenPlayer)
	}
	return cmp.Or(safeName(name), pr.Say(nameless))
}

// calledPlain is a person's name for a label, where there is no markdown.
func (pr *Printer) calledPlain(name string) string {
	if name == table.ForgottenName {
		return pr.Say(forgottenPlayer)
	}
	return cmp.Or(plainName(name), pr.Say(nameless))
}

// Shows reports whether anything of a name can be seen.
func Shows(name string) bool { return plainName(name) != "" }

// safeName makes a person's name safe within a text with markdown: it shows as it is written,
// mentions nobody, and cannot turn the direction of the text around it. It is empty for a name that
// shows nothing.
func safeName(name string) string {
	if harmless(name) {
		return name
	}
	clean := cleanName(name, nameRunes*2)
	return isolate(clean, escapeMarkdown(clean))
}

// plainName makes a person's name safe for a label; empty for one that shows nothing.
func plainName(name string) string {
	if harmless(name) {
		return name
	}
	clean := cleanName(name, labelName)
	return isolate(clean, clean)
}

// harmless reports whether a name is short and of ASCII letters and digits alone, as most are: it needs no care.
func harmless(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= nameRunes
}

// isolate wraps text in a bidirectional isolate when its name holds letters that run from right to left.
func isolate(name, text string) string {
	if strings.IndexFunc(name, rightToLeft) < 0 {
		return text
	}
	return firstStrongIsolate + text + popIsolate
}

// cleanName keeps what can be seen of a name, on one line, within the bounds and units UTF-16 units. It is empty when nothing can be
// seen.
func cleanName(name string, units int) string {
	var b nameBuilder
	for _, r := range strings.ToValidUTF8(name, "") {
		b.add(r)
	}
	return bound(strings.TrimRight(b.text.String(), " "+string(zeroWidthJoiner)+string(zeroWidthNonJoiner)), units)
}

// nameBuilder takes the runes of a name and keeps those that may stay.
type nameBuilder struct {
	text  strings.Builder
	last  rune // the last rune kept, 0 before the first
	marks int  // since the last base character
}

func (b *nameBuilder) add(r rune) {
	switch {
	case r > ' ' && r <= '~':
		b.marks = 0
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		// They join emoji and letters of some scripts, and mean nothing elsewhere.
		if b.last == 0 || b.last == ' ' || b.last == zeroWidthJoiner || b.last == zeroWidthNonJoiner {
			return
		}
	case unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
		if b.last == 0 || b.last == ' ' {
			return
		}
		r = ' '
	case invisible(r):
		return
	case unicode.Is(unicode.M, r):
		if b.last == 0 || b.last == ' ' || b.marks >= nameMarks {
			return
		}
		b.marks++
	case unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S):
		b.marks = 0
	default: // control, format, private use, unassigned
		return
	}
	b.last = r
	b.text.WriteRune(r)
}

// bound cuts a name to the bounds and marks the cut.
func bound(name string, units int) string {
	const cut = "…"
	size := measure{}
	room := 0 // bytes that still fit together with the mark
	for i, r := range name {
		size.add(r)
		if size.runes < nameRunes && size.columns < nameColumns && size.units < units {
			room = i + utf8.RuneLen(r)
		}
		if size.runes > nameRunes || size.columns > nameColumns || size.units > units {
			return strings.TrimRight(name[:room], " "+string(zeroWidthJoiner)+string(zeroWidthNonJoiner)) + cut
		}
	}
	return name
}

// measure is how much of the bounds a name takes.
type measure struct{ runes, columns, units int }

func (m *measure) add(r rune) {
	m.runes++
	m.columns += columnsOf(r)
	m.units += utf16.RuneLen(r)
}

// utf16Length counts as Discord is supposed to: in UTF-16 units.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// wideRunes are shown two columns wide or wider; the exact widths depend on the font.
var wideRunes = []struct {
	from, to rune
	columns  int
}{
	{0x1100, 0x115e, 2}, {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfdfd, 0xfdfd, 8},
	{0xfe30, 0xfe6f, 2}, {0xff01, 0xff60, 2}, {0x12000, 0x1254f, 4}, {0x1f000, 0x1faff, 2}, {0x20000, 0x3ffff, 2},
}

func columnsOf(r rune) int {
	if r < 0x300 { // below the first combining mark
		return 1
	}
	if r == zeroWidthJoiner || r == zeroWidthNonJoiner || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		return 0
	}
	for _, w := range wideRunes {
		if r >= w.from && r <= w.to {
			return w.columns
		}
	}
	return 1
}

// invisible reports whether r is classed as a letter, mark or symbol but shows nothing, or stands for what was no character. The
// variation selector that asks for an emoji is none of them: it changes what is shown.
func invisible(r rune) bool {
	switch {
	case r == 0xfe0f:
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r == 0xfffc, r == 0xfffd,
		r == 0x1d159, r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// rightToLeft reports whether r lies in one of the blocks that Unicode keeps for scripts from right to left.
func rightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

// escapeMarkdown makes text show as it is written. A mention is broken up besides, for it is not only read by the client that shows
// it.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@':
			b.WriteString("@" + zeroWidthSpace)
			continue
		case strings.ContainsRune("\\*_~`|<>#-+.:[]()", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
