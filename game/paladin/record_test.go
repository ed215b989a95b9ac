package paladin

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example is the record of the rules page.
const example = `{"format": "paladin-record/1", "players": 3, "seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f", "salt": "-,-,-",
 "commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803",
 "moves": ["1 start 1", "1 place 5 3", "2 place 8 1", "3 place 9r 2", "1 place 0 2", "2 place 4 2", "3 peek 2.3", "3 place 9 1", "1 place 6 1", "2 place 3 3", "3 peek 3.2", "3 place 7 3",
           "3 take", "1 take", "1 discard", "2 take", "2 discard", "3 discard", "2 start 1", "1 place 3 2"]}
`

// exampleTrace is its first position, as the rules page has it.
const exampleTrace = `{"ply": 0, "round": 1, "phase": "start", "to_act": 1, "legal": ["1 start 1", "1 start 2", "1 start 3"], "scores": [0,0,0], "hands": [["0","3","5","6"],["0","3","4","8"],["0r","7","9","9r"]], "quests": [2,1,3], "table": [[],[],[]], "supply": 30, "discards": []}`

func traceOf(t *testing.T, data []byte) (lines [][]byte, err error) {
	t.Helper()
	err = Trace(data, func(line []byte) error {
		if bytes.ContainsRune(line, '\n') || !json.Valid(line) {
			t.Errorf("not one line of JSON: %s", line)
		}
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	return lines, err
}

func TestRecordExample(t *testing.T) {
	lines, err := traceOf(t, []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 21 {
		t.Errorf("%d positions, want 21", len(lines))
	}
	var want, got any
	if err := errors.Join(json.Unmarshal([]byte(exampleTrace), &want), json.Unmarshal(lines[0], &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	result, err := Replay([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	const object = `{"format":"paladin-record/1","players":3,"moves":20,"phase":"lead","to_act":2,"scores":[3,2,2],"winners":[],"error":null}`
	if got := string(result.JSON()); got != object {
		t.Errorf("the object is %s", got)
	}
	if got := string(result.Summary()); !strings.Contains(got, "It is the turn of seat 2") {
		t.Errorf("the summary is %s", got)
	}
}

// TestRecordFiles replays every record under testdata/records and compares summary, object and all positions with the golden
// file beside it. Names that begin with bad- are of records with a fault.
func TestRecordFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/records/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			result, replayed := Replay(data)
			if (replayed != nil) != strings.HasPrefix(name, "bad-") {
				t.Errorf("replay: %v", replayed)
			}
			lines, traced := traceOf(t, data)
			if !errors.Is(traced, replayed) && traced.Error() != replayed.Error() {
				t.Errorf("trace ends with %v, replay with %v", traced, replayed)
			}
			var got bytes.Buffer
			got.Write(result.Summary())
			got.Write(append(result.JSON(), '\n'))
			for _, line := range lines {
				got.Write(append(line, '\n'))
			}
			golden(t, strings.TrimSuffix(file, ".json")+".golden", got.Bytes())
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (rewrite it with -update): %s", file, diff)
	}
}

// finished is a whole game as a record, to break in one place each.
func finished(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/records", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRecordFaults(t *testing.T) {
	whole, listed, custom := finished(t, "seeded-3"), finished(t, "listed-3"), finished(t, "custom-4")
	for _, tt := range []struct {
		name, record, old, new string
		fault                  string // the beginning of the line; "" if there is none
		positions              int    // in the trace; -1 does not matter
	}{
		{"fine", whole, "", "", "", -1},
		{"not JSON", `not JSON`, "", "", `format: not JSON: invalid character 'o' in literal null`, 0},
		{"empty", ``, "", "", `format: not JSON: unexpected end of JSON input`, 0},
		{"blank", " \n", "", "", `format: not JSON: unexpected end of JSON input`, 0},
		{"cut off", whole[:len(whole)/2], "", "", `format: not JSON: unexpected end of JSON input`, 0},
		{"trailing", example, "]}", "]} {}", `format: not JSON: invalid character '{' after top-level value`, 0},
		{"trailing comma", example, "]}", "],}", `format: not JSON: `, 0},
		{"not UTF-8", example, `"salt"`, "\"\xff\": 1, \"salt\"", `format: not JSON: the text is not UTF-8`, 0},
		{"a mark before it", "\ufeff" + example, "", "", `format: not JSON: `, 0},
		{"NaN", example, `"salt"`, `"x": NaN, "salt"`, `format: not JSON: `, 0},
		{"a list", `[]`, "", "", `format: not a JSON object`, 0},
		{"null", `null`, "", "", `format: not a JSON object`, 0},
		{"no keys", `{}`, "", "", `format: is missing`, 0},
		{"another format", example, "record/1", "record/2", `format: "paladin-record/2" is not "paladin-record/1"`, 0},
		{"dungeon", example, "paladin-record", "dungeon-record", `format: "dungeon-record/1" is not `, 0},
		{"format is a number", example, `"paladin-record/1"`, `1`, `format: "1" is not a text`, 0},
		{"format is null", example, `"paladin-record/1"`, `null`, `format: "null" is not a text`, 0},
		{"format twice", example, "{", `{"format": "paladin-record/1", `, `format: stands there twice`, 0},
		{"format in capitals", example, `"format"`, `"FORMAT"`, `format: is missing`, 0},
		{"no players", example, `"players"`, `"Players"`, `players: is missing`, 0},
		{"2 players", example, `"players": 3`, `"players": 2`, `players: 2 players: `, 0},
		{"6 players", example, `"players": 3`, `"players": 6`, `players: 6 players: `, 0},
		{"-3 players", example, `"players": 3`, `"players": -3`, `players: -3 players: `, 0},
		{"259 players", example, `"players": 3`, `"players": 259`, `players: 259 players: `, 0},
		{"a great many players", example, `"players": 3`, `"players": 18446744073709551619`, `players: "18446744073709551619" is not a whole number`, 0},
		{"3.0 players", example, `"players": 3`, `"players": 3.0`, `players: "3.0" is not a whole number`, 0},
		{"3e0 players", example, `"players": 3`, `"players": 3e0`, `players: "3e0" is not a whole number`, 0},
		{"players is a text", example, `"players": 3`, `"players": "3"`, `players: `, 0},
		{"players is null", example, `"players": 3`, `"players": null`, `players: "null" is not a whole number`, 0},
		{"players is true", example, `"players": 3`, `"players": true`, `players: "true" is not a whole number`, 0},
		{"players twice", example, `"players": 3`, `"players": 3, "players": 3`, `players: stands there twice`, 0},
		{"another key twice", example, `"players": 3`, `"players": 3, "a": 1, "a": 2`, ``, 21},
		{"key in capitals is another key", example, `"players": 3`, `"players": 3, "Players": 2, "MOVES": 0`, ``, 21},
		{"4 players in a game of 3", example, `"players": 3`, `"players": 4`, `move 2 "1 place 5 3": R8: `, 2},

		{"no deal", example, `"seed"`, `"sead"`, `seed: is missing`, 0},
		{"no deal at all", `{"format": "paladin-record/1", "players": 3, "moves": []}`, "", "", `seed: is missing`, 0},
		{"no salt", example, `"salt"`, `"pepper"`, `salt: is missing`, 0},
		{"no commitment", example, `"commitment"`, `"comment"`, `commitment: is missing`, 0},
		{"short seed", example, `"d17d`, `"7d`, `seed: "7d2058`, 0},
		{"long seed", example, `"d17d`, `"d1d17d`, `seed: "d1d17d`, 0},
		{"seed is no hex", example, `"d17d`, `"g17d`, `seed: "g17d`, 0},
		{"seed is null", example, `"d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f"`, `null`, `seed: "null" is not a text`, 0},
		{"seed in capitals", example, `d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f`, `D17D2058FD2F89BE62FBA9644B25C0D835F1DC46E3A6CDAA5C537DB677E3174F`, ``, 21},
		{"commitment in capitals", example, `e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803`, `E31DC446580A1AC88070B96E69593B493B5BB7CFBE4B400D74EF5AB8BE979803`, ``, 21},
		{"another seed", example, `"d17d`, `"d17e`, `commitment: it is not the SHA-256 of the seed`, 0},
		{"another commitment", example, `"e31d`, `"e31e`, `commitment: it is not the SHA-256 of the seed`, 0},
		{"commitment is no hex", example, `"e31d`, `"x31d`, `commitment: "x31d`, 0},
		{"commitment before moves", strings.Replace(example, `"1 start 1"`, `"1 start 9"`, 1), `"e31d`, `"e31e`, `commitment: `, 0},
		{"moves key before commitment", strings.Replace(example, `"1 start 1"`, `1`, 1), `"e31d`, `"e31e`, `moves: `, 0},
		{"another salt", example, `-,-,-`, `-,-,x`, `move `, -1},
		{"salt is empty", `{"format": "paladin-record/1", "players": 3, "salt": "", "moves": [], "seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f", "commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803"}`, "", "", ``, 1},
		{"salt is any ASCII", `{"format": "paladin-record/1", "players": 3, "salt": "\u0000\n\u007f <&>", "moves": [], "seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f", "commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803"}`, "", "", ``, 1},
		{"salt is not ASCII", example, `"-,-,-"`, `"-,-,é"`, `salt: "-,-,é" is not ASCII`, 0},
		{"salt escapes what is not ASCII", example, `"-,-,-"`, `"\u0080"`, `salt: `, 0},
		{"salt is a lone surrogate", example, `"-,-,-"`, `"\ud800"`, `salt: `, 0},
		{"salt is a number", example, `"-,-,-"`, `5`, `salt: "5" is not a text`, 0},

		{"listed", listed, "", "", "", -1},
		{"both groups", listed, `"supply"`, `"seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f", "salt": "", "commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803", "supply"`, `supply: `, 0},
		{"a bit of the other group", listed, `"supply"`, `"salt": "", "supply"`, `supply: `, 0},
		{"null of the other group", example, `"moves"`, `"supply": null, "moves"`, `supply: `, 0},
		{"seeded with reshuffles", example, `"moves"`, `"reshuffles": [], "moves"`, `reshuffles: `, 0},
		{"no supply", listed, `"supply"`, `"supplies"`, `supply: is missing`, 0},
		{"no quests", listed, `"quests"`, `"guests"`, `quests: is missing`, 0},
		{"supply is an object", listed, `"supply": [`, `"supply": {}, "x": [`, `supply: "{}" is not a list`, 0},
		{"a card too few", listed, `"supply": ["8",`, `"supply": [`, `supply: 41 cards where 42 belong`, 0},
		{"a card too many", listed, `"supply": [`, `"supply": ["8",`, `supply: 43 cards where 42 belong`, 0},
		{"another card", listed, `"supply": ["8",`, `"supply": ["8r",`, `supply: these are not exactly the cards of the deck`, 0},
		{"no card", listed, `"supply": ["8",`, `"supply": ["08",`, `supply: "08" is no Paladin`, 0},
		{"a number for a card", listed, `"supply": ["8",`, `"supply": [8,`, `supply: "8" is not a text`, 0},
		{"a quest too few", listed, `"quests": [2,`, `"quests": [`, `quests: 17 quests where 18 belong`, 0},
		{"another quest", listed, `"quests": [2,`, `"quests": [1,`, `quests: these are not exactly the quests`, 0},
		{"a quest of 1.0", listed, `"quests": [2,`, `"quests": [2.0,`, `quests: "2.0" is not a whole number`, 0},
		{"the King's quests first", `{"format": "paladin-record/1", "players": 3, "moves": [], "quests": [4,4,4,5,5,5,6,6,6,1,1,1,2,2,2,3,3,3], "supply": ["0","0","0","0","0r","1","1","1","1r","2","2","2","2r","3","3","3","3r","4","4","4","4r","5","5","5","5r","6","6","6","6r","7","7","7","7r","8","8","8","8r","9","9","9","9","9r"]}`, "", "", `quests: these are not exactly the quests`, 0},
		{"no reshuffles needed", `{"format": "paladin-record/1", "players": 3, "moves": [], "quests": [1,1,1,2,2,2,3,3,3,4,4,4,5,5,5,6,6,6], "supply": ["0","0","0","0","0r","1","1","1","1r","2","2","2","2r","3","3","3","3r","4","4","4","4r","5","5","5","5r","6","6","6","6r","7","7","7","7r","8","8","8","8r","9","9","9","9","9r"]}`, "", "", ``, 1},
		{"unused reshuffles", listed, `]],`, `],["4","x"],[],[7],[],[],[],[]],`, ``, -1},
		{"reshuffles missing", listed, `"reshuffles"`, `"reshufles"`, `move 64 "3 take": R6: the discard pile becomes the supply, but reshuffle 1 is not listed`, 64},
		{"reshuffles is null", listed, `"reshuffles": [[`, `"reshuffles": null, "x": [[`, `reshuffles: "null" is not a list`, 0},
		{"reshuffles is no list of lists", listed, `"reshuffles": [[`, `"reshuffles": ["4"], "x": [[`, `reshuffles: "\"4\"" is not a list`, 0},
		{"a reshuffle without a card", listed, `"reshuffles": [["3r",`, `"reshuffles": [[`, `move 64 "3 take": R6: reshuffle 1 does not hold exactly the discard pile`, 64},
		{"a reshuffle with another card", listed, `"reshuffles": [["3r",`, `"reshuffles": [["3",`, `move 64 `, 64},
		{"a used reshuffle with no card", listed, `"reshuffles": [["3r",`, `"reshuffles": [["x",`, `move 64 `, 64},

		{"custom deck", custom, "", "", "", -1},
		{"deck is null", example, `"moves"`, `"deck": null, "moves"`, `deck: not a JSON object`, 0},
		{"deck is a list", example, `"moves"`, `"deck": [], "moves"`, `deck: not a JSON object`, 0},
		{"deck without quests", custom, `"quests"`, `"guests"`, `deck: "quests" is missing`, 0},
		{"deck with a card too few", custom, `{"paladins":["0",`, `{"paladins":[`, `deck: paladins: 41 cards where 42 belong`, 0},
		{"deck with more keys", custom, `{"paladins":`, `{"name": "mine", "paladins":`, ``, -1},
		{"without its deck", custom, `"deck"`, `"dock"`, `move `, -1},

		{"no moves", example, `"moves"`, `"mover"`, `moves: is missing`, 0},
		{"moves is null", example, `"moves": [`, `"moves": null, "x": [`, `moves: "null" is not a list`, 0},
		{"moves is a text", example, `"moves": [`, `"moves": "1 start 1", "x": [`, `moves: `, 0},
		{"a move is a number", example, `"1 start 1"`, `1`, `moves: "1" is not a text`, 0},
		{"a move is null", example, `"1 start 1"`, `null`, `moves: "null" is not a text`, 0},
		{"two spaces", example, `"1 place 5 3"`, `"1 place  5 3"`, `move 2 "1 place  5 3": R8: `, 2},
		{"space at the end", example, `"3 take"`, `"3 take "`, `move 13 "3 take ": R12: `, 13},
		{"capital letter", example, `"3 take"`, `"3 Take"`, `move 13 "3 Take": R12: `, 13},
		{"leading zero", example, `"1 start 1"`, `"1 start 01"`, `move 1 "1 start 01": R7: `, 1},
		{"line feed", example, `"1 start 1"`, `"1 start 1\n"`, `move 1 "1 start 1\n": R7: `, 1},
		{"other digits", example, `"1 start 1"`, `"1 start ١"`, `move 1 "1 start ١": R7: `, 1},
		{"escapes are read", example, `"1 start 1"`, `"1 start \u0031"`, ``, 21},
		{"long text", example, `"1 start 1"`, `"` + strings.Repeat("x", 1000) + `"`, `move 1 "` + strings.Repeat("x", 60) + `"...: R7: `, 1},

		{"scores too early", example, `]}`, `], "scores": [3, 2, 2]}`, `scores: the game is not over`, 21},
		{"scores empty and too early", example, `]}`, `], "scores": []}`, `scores: the game is not over`, 21},
		{"winners without scores", example, `]}`, `], "winners": [1]}`, `winners: there are no scores with them`, 0},
		{"whole, but winners without scores", whole, `"scores"`, `"scares"`, `winners: there are no scores with them`, 0},
		{"whole without winners", whole, `"winners"`, `"winter"`, ``, -1},
		{"scores null", whole, `"scores": [`, `"scores": null, "x": [`, `scores: "null" is not a list`, 0},
		{"scores of texts", whole, `"scores": [`, `"scores": ["1"], "x": [`, `scores: `, 0},
		{"scores with fractions", whole, `"scores": [`, `"scores": [1.0], "x": [`, `scores: "1.0" is not a whole number`, 0},
		{"wrong scores", whole, `"scores": [`, `"scores": [0,0,0], "x": [`, `scores: they are [`, -1},
		{"too few scores", whole, `"scores": [`, `"scores": [], "x": [`, `scores: they are [`, -1},
		{"wrong winners", whole, `"winners": [`, `"winners": [1,2,3], "x": [`, `winners: they are [`, -1},
		{"no winners", whole, `"winners": [`, `"winners": [], "x": [`, `winners: they are [`, -1},
		{"winners null", whole, `"winners": [`, `"winners": null, "x": [`, `winners: "null" is not a list`, 0},
		{"a move after the end", whole, `"],`, `","1 start 1"],`, `move `, -1},
		{"scores before winners", strings.Replace(whole, `"winners": [`, `"winners": [1,2,3], "y": [`, 1), `"scores": [`, `"scores": [0,0,0], "x": [`, `scores: they are [`, -1},
		{"moves before scores", strings.Replace(whole, `"scores": [`, `"scores": [0,0,0], "y": [`, 1), `"1 start `, `"2 start `, `move 1 "2 start `, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(tt.record, tt.old) {
				t.Fatalf("the record has no %s", tt.old)
			}
			checkFault(t, strings.Replace(tt.record, tt.old, tt.new, 1), tt.fault, tt.positions)
		})
	}
}

func checkFault(t *testing.T, record, fault string, positions int) {
	t.Helper()
	result, err := Replay([]byte(record))
	line := ""
	if err != nil {
		line = err.Error()
	}
	if !strings.HasPrefix(line, fault) || (line == "") != (fault == "") {
		t.Fatalf("got  %s\nwant %s", line, fault)
	}
	if strings.ContainsAny(line, "\n\r") {
		t.Errorf("more than one line: %q", line)
	}
	lines, traced := traceOf(t, []byte(record))
	if positions >= 0 && len(lines) != positions {
		t.Errorf("%d positions, want %d", len(lines), positions)
	}
	if traced == nil && err != nil || traced != nil && traced.Error() != line {
		t.Errorf("the trace ends with %v", traced)
	}
	var object struct {
		Moves int
		Error *struct {
			Move               *int
			Text, Rule, Reason *string
		}
	}
	if err := json.Unmarshal(result.JSON(), &object); err != nil {
		t.Fatal(err)
	}
	if err == nil {
		if object.Error != nil {
			t.Errorf("the object has an error: %s", result.JSON())
		}
		return
	}
	var want *RecordError
	if !errors.As(err, &want) || want != result.Err {
		t.Fatalf("the error is %#v", err)
	}
	e := object.Error
	if e == nil || *e.Move != want.Move || *e.Text != want.Text || *e.Rule != want.Rule || *e.Reason != want.Reason {
		t.Errorf("the object is %s", result.JSON())
	}
	if want.Move > 0 && object.Moves != want.Move-1 {
		t.Errorf("move %d is wrong and %d were played", want.Move, object.Moves)
	}
}

func TestRecordObjectOfKeyFaults(t *testing.T) {
	for _, tt := range []struct{ record, want string }{
		{`x`, `{"format":"","players":0,"moves":0,"phase":"","to_act":0,"scores":[],"winners":[],"error":{"move":0,"text":"","rule":"","key":"format","reason":"not JSON: invalid character 'x' looking for beginning of value"}}`},
		{`{"format": "paladin-record/1", "players": 4}`, `{"format":"paladin-record/1","players":4,"moves":0,"phase":"","to_act":0,"scores":[],"winners":[],"error":{"move":0,"text":"","rule":"","key":"seed","reason":"is missing; a record has either seed, salt and commitment or supply and quests"}}`},
		{strings.Replace(example, "]}", `], "scores": []}`, 1), `{"format":"paladin-record/1","players":3,"moves":20,"phase":"lead","to_act":2,"scores":[3,2,2],"winners":[],"error":{"move":0,"text":"","rule":"","key":"scores","reason":"the game is not over"}}`},
		{strings.Replace(example, "1 start 1", "1 start 4", 1), `{"format":"paladin-record/1","players":3,"moves":0,"phase":"start","to_act":1,"scores":[0,0,0],"winners":[],"error":{"move":1,"text":"1 start 4","rule":"R7","reason":"there is no seat 4"}}`},
	} {
		result, err := Replay([]byte(tt.record))
		if err == nil {
			t.Errorf("%s is accepted", tt.record)
		}
		if diff := cmp.Diff(tt.want, string(result.JSON())); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRecordKeepsOtherKeys(t *testing.T) {
	data := strings.Replace(example, `"players"`, `"title": "An <evening>", "at": {"b": [1.50, null], "a": 1}, "players"`, 1)
	r, err := ParseRecord([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal([]byte(data), &want), json.Unmarshal(r.Encode(), &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Players() != 3 || len(r.Moves()) != 20 {
		t.Errorf("%d players, %d moves", r.Players(), len(r.Moves()))
	}
}

func TestTraceStopsWithItsReader(t *testing.T) {
	stop := errors.New("the reader has gone")
	n := 0
	err := Trace([]byte(example), func([]byte) error {
		if n++; n == 5 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 5 {
		t.Errorf("%v after %d lines", err, n)
	}
}
