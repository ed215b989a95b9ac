package bot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"paladin/sandbox"
)

// TestWickedNamesEverywhere presses everything at a table of people of such names, each reading another language, and looks at every text,
// label and file name that the bot sends: nothing but the bot's own links and mentions can do anything.
func TestWickedNamesEverywhere(t *testing.T) {
	wholeGame(t)
	names, languages := wickedNames(), []string{"en-US", "de", "fr", "it", "es-ES", "ar"}
	for k, stage := range []string{"lobby", "handed", "finished"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			some := make([]string, 7)
			for i := range some {
				some[i] = names[(13*k+i)%len(names)]
			}
			m := matrixOf(t, some...)
			for i, user := range m.users {
				m.locale(user, languages[(i+k)%len(languages)])
			}
			at := m.stages[stage]
			m.put(&at)
			m.write(m.lines[stage])
			m.mend()
			m.few = true
			for _, p := range m.presses(&at) {
				if !strings.HasPrefix(p.name, "share") { // its answer is looked at in English
					m.cells(&at, p)
				}
			}
			seen := map[string]bool{}
			for _, r := range m.discord.Requests() {
				var body any
				if json.Unmarshal(r.Body, &body) != nil || seen[string(r.Body)] {
					continue
				}
				seen[string(r.Body)] = true
				checkSaid(t, r, body)
			}
			if len(seen) < 100 {
				t.Fatalf("only %d different bodies", len(seen))
			}
		})
	}
}

// checkSaid looks at all texts of a request's body.
func checkSaid(t *testing.T, r sandbox.Request, value any) {
	t.Helper()
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			checkSaid(t, r, e)
		}
	case map[string]any:
		for key, e := range v {
			said, ok := e.(string)
			switch {
			case !ok:
				checkSaid(t, r, e)
			case key == "content":
				sane(t, strings.ReplaceAll(said, "](https://discord.com/", "]("))
			case key == "filename" || key == "label" || key == "placeholder" || key == "description":
				checkLabel(t, key, said)
			}
		}
	}
}

// checkLabel demands that what has no markdown shows on one line, can be read, and leaves no direction open.
func checkLabel(t *testing.T, key, said string) {
	t.Helper()
	open := 0
	for _, r := range said {
		switch {
		case r >= '\u2066' && r <= '\u2068':
			open++
		case r == '\u2069':
			open--
		case unicode.IsControl(r) || r == '\u202e' || r == '\u2800' || r == '\u3164':
			t.Errorf("%s %q holds %U", key, said, r)
		}
	}
	if open != 0 || key != "description" && strings.TrimSpace(said) == "" {
		t.Errorf("%s %q shows nothing, or leaves a direction open", key, said)
	}
	if key == "filename" && strings.Trim(said, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		t.Errorf("a file is called %q", said)
	}
}
