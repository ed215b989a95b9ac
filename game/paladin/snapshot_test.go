package paladin

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStoredGamesStayReadable reads states as version 1 wrote them. The files are never rewritten: beside each is how the
// game stood, and that must not change either.
func TestStoredGamesStayReadable(t *testing.T) {
	files, err := filepath.Glob("testdata/snapshots/*.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d stored games, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s State
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(data)), string(mustJSON(t, s))); diff != "" {
				t.Error(diff)
			}
			golden(t, strings.TrimSuffix(file, ".json")+".golden", append(s.trace(), '\n'))
		})
	}
}

func TestSnapshotRefuses(t *testing.T) {
	s, _ := after(t, dealt(t, threeHands...), strings.Replace(placed3, "1 place 3 2", "1 peek 1.2, 1 place 3 2", 1)+", 2 discard, 3 beat")
	s.chance = chance{key: [32]byte{1}}
	good := string(mustJSON(t, s))
	for _, tt := range []struct{ name, old, new string }{
		{"a newer version", `"v":1`, `"v":2`},
		{"no version", `"v":1,`, ``},
		{"an older version", `"v":1`, `"v":0`},
		{"not JSON", `{`, ``},
		{"trailing", `"shuffled_at":0}`, `"shuffled_at":0}{}`},
		{"an unknown key", `{"v"`, `{"name":"","v"`},
		{"a key twice", `"v":1,`, `"v":1,"v":1,`},
		{"a key in capitals", `"round"`, `"Round"`},
		{"null", `"round"`, `"deck":null,"round"`},
		{"another number of players", `"players":3`, `"players":4`},
		{"a great many players", `"players":3`, `"players":259`},
		{"a half player", `"players":3`, `"players":3.5`},
		{"another round", `"round":1`, `"round":2`},
		{"another dealer", `"dealer":1`, `"dealer":2`},
		{"no dealer", `"dealer":1`, `"dealer":0`},
		{"another start player", `"start":1`, `"start":4`},
		{"no start player", `"start":1`, `"start":0`},
		{"no key", `"key"`, `"kea"`},
		{"a short key", `"key":"01`, `"key":"`},
		{"both keys", `"key"`, `"reshuffles":[],"key"`},
		{"another quest", `"quests":"1`, `"quests":"4`},
		{"a quest of 0", `"quests":"1`, `"quests":"0`},
		{"a quest less", `"quests":"1`, `"quests":"`},
		{"another card", `"supply":"0`, `"supply":"a`},
		{"a card less", `"supply":"0`, `"supply":"`},
		{"no card", `"supply":"0`, `"supply":"z`},
		{"no letter", `"supply":"0`, `"supply":"é`},
		{"a hand less", `"hands":["j",`, `"hands":[`},
		{"another hand", `"hands":["j"`, `"hands":["i"`},
		{"a hand of seven", `"hands":["j"`, `"hands":["jjjjjjj"`},
		{"another fate", `19b21d3ak`, `19b21h3ak`},
		{"a fate that there is not", `19b21d3ak`, `19b21x3ak`},
		{"a fate that means none", `19b21d3ak`, `19b21 3ak`},
		{"a seat that there is not", `19b21d3ak`, `19b41d3ak`},
		{"half a card", `19b21d3ak`, `19b21d3a`},
		{"a quest more", `19b21d3ak`, `19b21d3ak 19b`},
		{"half a peek", `"peeks":"1112"`, `"peeks":"111"`},
		{"a peek at one's own", `"peeks":"1112"`, `"peeks":"2112"`},
		{"a peek at nothing", `"peeks":"1112"`, `"peeks":"1152"`},
		{"a peek of the next round", `"peeks":"1112"`, `"peeks":"1212"`},
		{"a peek twice in one turn", `"peeks":"1112"`, `"peeks":"111211121112"`},
		{"a reshuffle", `"shuffled":0`, `"shuffled":1`},
		{"a great many reshuffles", `"shuffled":0`, `"shuffled":256`},
		{"a reshuffle of a round to come", `"shuffled":0,"shuffled_at":0`, `"shuffled":1,"shuffled_at":2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(good, tt.old) {
				t.Fatalf("there is no %s in %s", tt.old, good)
			}
			var read State
			if err := json.Unmarshal([]byte(strings.Replace(good, tt.old, tt.new, 1)), &read); err == nil {
				t.Error("it is read")
			} else if read.players != 0 {
				t.Error("it is refused and there")
			}
		})
	}
	var read State
	if err := json.Unmarshal([]byte("\n "+strings.ReplaceAll(good, ",\"", ",\n  \"")), &read); err != nil || !sameState(&s, &read) {
		t.Errorf("with other spacing: %v", err)
	}
	if _, err := json.Marshal(State{}); err == nil {
		t.Error("no game is stored")
	}
	if err := json.Unmarshal([]byte(strings.Replace(good, `"v":1`, `"v":7`, 1)), &read); err == nil || !strings.Contains(errors.Unwrap(err).Error(), "version 7") {
		t.Errorf("a newer version is refused with %v", err)
	}
}
