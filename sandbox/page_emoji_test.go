package sandbox

import (
	"strings"
	"testing"
)

func TestEmojiLength(t *testing.T) {
	for text, want := range map[string]string{
		"🛡️ shield": "🛡️", "⚔️": "⚔️", "⚔": "⚔", "⚔\ufe0e": "", "▶ x": "▶", "⚡x": "⚡", "👍🏽!": "👍🏽", "👩‍🚒": "👩‍🚒", "🇩🇪🇫🇷": "🇩🇪", "🇩": "", "1️⃣": "1️⃣", "1": "", "#️⃣a": "#️⃣",
		"🏴\U000e0067\U000e0062\U000e007f": "🏴\U000e0067\U000e0062\U000e007f", "a🛡️": "", "→": "", "✓": "", "✔️": "✔️", "©": "©", "": "", "\xff": "", "⭐\ufe0e": "",
		"🙂\u200da": "🙂",
	} {
		if n := emojiLength(text); text[:n] != want {
			t.Errorf("%q begins with the emoji %q, want %q", text, text[:n], want)
		}
	}
}

// Emojis alone are shown large, up to thirty of them; the least word makes them small.
func TestJumbo(t *testing.T) {
	for text, want := range map[string]bool{
		"🛡️": true, "<:sword:5>": true, " <:sword:5>🛡️\n<a:sword:5> ": true, strings.Repeat("🛡️", 30): true, strings.Repeat("🛡️", 31): false,
		"🛡️ a": false, "<:none:6>": false, "": false, " ": false, "1": false, "`🛡️`": false, "> 🛡️": false, "# 🛡️": false,
	} {
		if got := strings.Contains(string(renderMarkdown(text, testNames{})), `<p class="jumbo">`); got != want {
			t.Errorf("%q large: %v", text, got)
		}
	}
}

// A private answer quotes nothing of the board it answers that changes, so that a move does not draw it anew.
func TestPrivateAnswerStays(t *testing.T) {
	v := drawnView(t)
	answer := func(round string) string {
		v.messages = []Message{
			{ID: "100", Author: v.botUser, Flags: FlagComponentsV2, Components: []Component{{Type: TypeTextDisplay, Content: "# Round " + round}}},
			{ID: "101", Type: 19, Author: v.botUser, Flags: FlagComponentsV2 | FlagEphemeral, MessageReference: &MessageReference{MessageID: "100"},
				Components: []Component{{Type: TypeTextDisplay, Content: "Your hand"}}},
		}
		f, err := v.Messages()[1].Fragment()
		if err != nil {
			t.Fatal(err)
		}
		return f.HTML
	}
	first := answer("1")
	if second := answer("2"); second != first {
		t.Errorf("drawn anew:\n%s\nbefore:\n%s", second, first)
	}
	if !strings.Contains(first, `<a href="#m100">`) || !strings.Contains(first, `<bdi>paladin</bdi><span class="unseen">: </span> <bdi class="said">Click to see the message</bdi></a>`) {
		t.Errorf("it does not lead to what it answers:\n%s", first)
	}
}
