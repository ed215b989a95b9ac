package press

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	all := Kinds()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[0-9a-zA-Z.?-]{0,10}`)
		want := ID{
			Kind:   rapid.SampledFrom(all).Draw(t, "kind"),
			Table:  word.Draw(t, "table"),
			Prompt: rapid.Uint64().Draw(t, "prompt"),
			Args:   rapid.SliceOfN(word, 0, maxArgs).Draw(t, "args"),
			Mark:   word.Draw(t, "mark"),
		}
		if len(want.Args) == 0 {
			want.Args = nil
		}
		text := want.String()
		if len(text) > MaxLength {
			t.Fatalf("%q is longer than Discord allows", text)
		}
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	})
}

func TestParseRefusals(t *testing.T) {
	for _, tc := range []struct {
		text string
		want error
	}{
		{"", ErrForeign},
		{"p1", ErrMalformed},
		{"delete_buttons_7", ErrForeign},
		{"p2/seat/abc/0", ErrFuture},
		{"p1/fly/abc/0", ErrFuture},
		{"p1/seat/abc", ErrMalformed},
		{"p1/seat/abc/-1", ErrMalformed},
		{"p1/seat/abc/01", ErrMalformed},
		{"p1/seat/abc/18446744073709551616", ErrMalformed},
		{"p1/seat/a b/0", ErrMalformed},
		{"p1/seat/abc/0/1/2/3/4/5", ErrMalformed},
		{"p1/seat/abc/0/" + strings.Repeat("9", maxWord+1), ErrMalformed},
		{"p1/seat/abc/0/~", ErrMalformed},
		{"p1/seat/abc/0/~a/1", ErrMalformed},
		{"p1/seat/abc/0/~a/~b", ErrMalformed},
		{"p1/seat/abc/~a", ErrMalformed},
		{"p1/seat/~a", ErrMalformed},
		{"~a", ErrForeign},
		{"p1/seat/" + strings.Repeat("a", 200) + "/0", ErrForeign},
	} {
		if _, err := Parse(tc.text); !errors.Is(err, tc.want) {
			t.Errorf("Parse(%q) = %v, want %v", tc.text, err, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("p1/pick/k7f3q2xa/17/7r/2")
	f.Add("p1/seat/k7f3q2xa/0")
	f.Add("p1/peek?/k7f3q2xa/17/~1a2b3c")
	f.Add("p9/seat/k7f3q2xa/0")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := Parse(text)
		if err != nil {
			return
		}
		if again := id.String(); again != text {
			t.Fatalf("Parse(%q).String() = %q", text, again)
		}
	})
}
