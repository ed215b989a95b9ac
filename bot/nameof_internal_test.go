package bot

import (
	"testing"

	"paladin/bot/discord"
)

// TestWhoeverHasANameThatShowsIsCalledByIt: an invisible nickname hides nobody who has another name.
func TestWhoeverHasANameThatShowsIsCalledByIt(t *testing.T) {
	for _, tc := range []struct{ nick, global, account, want string }{
		{"Nick", "Global", "account", "Nick"},
		{"", "Global", "account", "Global"},
		{"\u3164\u200b", "Global", "account", "Global"},
		{"\u2800", "\u200b ", "account", "account"},
		{"\u202e", "", "", "\u202e"}, // whoever shows this has words for it
	} {
		if got := nameOf(discord.User{Nick: tc.nick, GlobalName: tc.global, Username: tc.account}); got != tc.want {
			t.Errorf("%q is called %q", tc, got)
		}
	}
}
