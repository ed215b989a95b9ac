package render

import (
	"cmp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNames(t *testing.T) {
	for _, tc := range []struct{ why, name, plain, text string }{
		{"plain", "Alma", "Alma", "Alma"},
		{"spaces", "  A \t\n b\u00a0 c ", "A b c", "A b c"},
		{"markdown", "_x_ **y** `z` ~w~ ||v||", "_x_ **y** `z` ~w~ ||v||", `\_x\_ \*\*y\*\* \` + "`z\\` " + `\~w\~ \|\|v\|\|`},
		{"heading", "# big", "# big", `\# big`},
		{"quote and list", "> - 1. x", "> - 1. x", `\> \- 1\. x`},
		{"everyone", "@everyone", "@everyone", "@\u200beveryone"},
		{"role", "<@&123>", "<@&123>", "\\<@\u200b&123\\>"},
		{"channel and time", "<#1> <t:0:R>", "<#1> <t:0:R>", `\<\#1\> \<t\:0\:R\>`},
		{"link", "[a](https://x.y)", "[a](https://x.y)", `\[a\]\(https\://x\.y\)`},
		{"backslash", `a\`, `a\`, `a\\`},
		{"override", "\u202eevil\u202c", "evil", "evil"},
		{"right to left", "שלום", "\u2068שלום\u2069", "\u2068שלום\u2069"},
		{"zalgo", "Z\u0301\u0302\u0303\u0304\u0305\u0306algo", "Z\u0301\u0302\u0303algo", "Z\u0301\u0302\u0303algo"},
		{"marks alone", "\u0301\u0302", "nobody", "nobody"},
		{"nothing to see", "\u200b\u3164\u2800\u115f\u00ad", "nobody", "nobody"},
		{"empty", "", "nobody", "nobody"},
		{"control", "a\x00\x1bb\u007f", "ab", "ab"},
		{"invalid", "a\xffb", "ab", "ab"},
		{"emoji sequence", "👩‍🚀", "👩‍🚀", "👩‍🚀"},
		{"joiners at the ends", "\u200da\u200d\u200c", "a", "a"},
		{"tags", "🏴\U000e0067\U000e007f", "🏴", "🏴"},
		{"wide", strings.Repeat("漢", 32), strings.Repeat("漢", 15) + "…", strings.Repeat("漢", 15) + "…"},
		{"long", strings.Repeat("a", 99), strings.Repeat("a", 31) + "…", strings.Repeat("a", 31) + "…"},
		{"as long as allowed", strings.Repeat("a", 32), strings.Repeat("a", 32), strings.Repeat("a", 32)},
	} {
		if got := cmp.Or(plainName(tc.name), "nobody"); got != tc.plain {
			t.Errorf("%s: Plain(%q) = %q, want %q", tc.why, tc.name, got, tc.plain)
		}
		if got := cmp.Or(safeName(tc.name), "nobody"); got != tc.text {
			t.Errorf("%s: Name(%q) = %q, want %q", tc.why, tc.name, got, tc.text)
		}
	}
}

// FuzzNames: whatever a person is called, the name stays on one line, within its bounds, and harmless.
func FuzzNames(f *testing.F) {
	for _, name := range worstNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		plain, text := english.calledPlain(name), english.called(name)
		checkName(t, plain, nameRunes+2, labelName+2)
		checkName(t, text, 2*nameRunes+2, 4*nameRunes+2)
		if again := english.calledPlain(plain); again != plain {
			t.Errorf("Plain(%q) = %q, and of that %q", name, plain, again)
		}
		checkEscaped(t, text)
	})
}

// checkEscaped demands that nothing in text has a meaning for Discord.
func checkEscaped(t *testing.T, text string) {
	t.Helper()
	escaped := false
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case strings.ContainsRune("*_~`|<>#-+:[]()", r):
			t.Errorf("%q holds a bare %q", text, r)
		case r == '@' && i+1 < len(runes) && string(runes[i+1]) != zeroWidthSpace:
			t.Errorf("%q holds a mention", text)
		}
	}
	if escaped {
		t.Errorf("%q ends by escaping what follows it", text)
	}
}

func checkName(t *testing.T, name string, runes, units int) {
	t.Helper()
	if !utf8.ValidString(name) {
		t.Errorf("%q is not UTF-8", name)
	}
	if n := utf8.RuneCountInString(name); n == 0 || n > runes {
		t.Errorf("%q has %d runes, want 1 to %d", name, n, runes)
	}
	if n := utf16Length(name); n > units {
		t.Errorf("%q has %d units, want %d at most", name, n, units)
	}
	seen, open := false, 0
	for _, r := range name {
		switch {
		case unicode.IsControl(r), r == '\u202e', r == '\u2028', r == '\u2029':
			t.Errorf("%q holds %U", name, r)
		case string(r) == firstStrongIsolate:
			open++
		case string(r) == popIsolate:
			open--
		case unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S):
			seen = true
		}
	}
	if !seen || open != 0 {
		t.Errorf("%q shows nothing or leaves an isolate open", name)
	}
}
