package render

import "testing"

// A gap with a slash is filled with the command in the reader's language, without being given anything.
func TestMessagesNameCommandsByThemselves(t *testing.T) {
	for _, tc := range []struct {
		message, want string
		fails         bool
	}{
		{"Use {/board} now.", "Use /paladin board now.", false},
		{"`{/seat}` or {/new}, {who}", "`/paladin seat` or /paladin new, Ann", false},
		{"{/dance}", "", true},
		{"{/}", "", true},
		{"{board}", "", true},
	} {
		parsed, err := braces{}.Parse(tc.message, "", "")
		if err != nil {
			t.Fatalf("%s: %v", tc.message, err)
		}
		got, err := parsed.Execute(filling{english, []any{"who", "Ann"}})
		if got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v; want %q", tc.message, got, err, tc.want)
		}
	}
}
