package sandbox

import (
	"strings"
	"unicode/utf8"
)

// maxJumbo is how many emojis alone in a text are still shown large.
const maxJumbo = 30

// onlyEmojis is whether a text is nothing but emojis and the space between them, few
// enough to be shown large.
func onlyEmojis(s string, names markdownNames) bool {
	n := 0
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, " \n\t") {
		length := emojiLength(s)
		if match := customEmoji.FindStringSubmatch(s[:min(len(s), 64)]); length == 0 && match != nil {
			if _, known := names.emojiSource(match[3]); known {
				length = len(match[0])
			}
		}
		if length == 0 {
			return false
		}
		s = s[length:]
		n++
	}
	return n > 0 && n <= maxJumbo
}

const (
	joiner      = '\u200d'
	textShape   = '\ufe0e'
	emojiShape  = '\ufe0f'
	keycapShape = '\u20e3'
)

// emojiLength is how many bytes the emoji at the start of s takes, modifiers and what
// is joined to it included; 0 when s begins with something else. Characters which are
// both text and emoji count as emoji only where the text says so.
func emojiLength(s string) int {
	r, at := utf8.DecodeRuneInString(s)
	next, size := utf8.DecodeRuneInString(s[at:])
	switch {
	case strings.ContainsRune("0123456789#*", r) && at == 1:
		shaped := strings.TrimPrefix(s[at:], string(emojiShape))
		if !strings.HasPrefix(shaped, string(keycapShape)) {
			return 0
		}
		return len(s) - len(shaped) + len(string(keycapShape))
	case isFlagLetter(r):
		if !isFlagLetter(next) {
			return 0
		}
		return at + size
	case isEmoji(r) && next != textShape, canBeEmoji(r) && next == emojiShape:
	default:
		return 0
	}
	for at < len(s) {
		next, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case next == emojiShape, next >= 0x1f3fb && next <= 0x1f3ff, next >= 0xe0020 && next <= 0xe007f:
			at += size
		case next == joiner:
			joined, more := utf8.DecodeRuneInString(s[at+size:])
			if !isEmoji(joined) && !canBeEmoji(joined) {
				return at
			}
			at += size + more
		default:
			return at
		}
	}
	return at
}

func isFlagLetter(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// emojiRanges are the characters which are emojis without saying so.
var emojiRanges = [][2]rune{
	{0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x23f0, 0x23f0}, {0x23f3, 0x23f3}, {0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653},
	{0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1}, {0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce},
	{0x26d4, 0x26d4}, {0x26ea, 0x26ea}, {0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd}, {0x2705, 0x2705},
	{0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
	{0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f201, 0x1f201}, {0x1f21a, 0x1f21a}, {0x1f22f, 0x1f22f}, {0x1f232, 0x1f236},
	{0x1f238, 0x1f23a}, {0x1f250, 0x1f251}, {0x1f300, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
	{0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
	{0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
	{0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df},
	{0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff},
}

func isEmoji(r rune) bool {
	for _, pair := range emojiRanges {
		if r >= pair[0] && r <= pair[1] {
			return true
		}
	}
	return false
}

// canBeEmoji is whether a character becomes an emoji by the shape that follows it.
func canBeEmoji(r rune) bool {
	return r == 0xa9 || r == 0xae || r >= 0x203c && r <= 0x3299 || r >= 0x1f000 && r <= 0x1faff
}
