package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"paladin/game/paladin"
	"paladin/game/table"
)

// TestWholeGamesByPressingWhatIsOffered plays games from /paladin new to the winner with random presses, at all player counts, with
// and without squires, and checks the record at the end.
func TestWholeGamesByPressingWhatIsOffered(t *testing.T) {
	for _, tc := range []struct{ people, squires int }{{3, 0}, {4, 0}, {5, 0}, {1, 2}, {2, 3}, {1, 4}} {
		t.Run(fmt.Sprintf("%d people %d squires", tc.people, tc.squires), func(t *testing.T) {
			if tc.people > 3 || tc.squires > 3 {
				wholeGame(t)
			}
			t.Parallel()
			w := newWorld(t)
			rng := rand.New(rand.NewPCG(uint64(tc.people), uint64(tc.squires)))
			w.openGame(tc.people, tc.squires)
			for w.table().Stage() == table.Playing {
				w.playOn(rng)
				w.clock.advance(time.Minute)
			}
			end := w.table()
			if end.Stage() != table.Finished {
				t.Fatalf("the game ended as %s: %s", end.Stage(), end.Reason())
			}
			checkRecord(t, w)
		})
	}
}

// checkRecord asks for the record of the finished game and replays it.
func checkRecord(t *testing.T, w *world) {
	t.Helper()
	res := w.command(w.users[0], "record")
	m := w.reply(res)
	if len(m.Attachments) != 1 {
		t.Fatalf("no record: %s", text(m))
	}
	var data []byte
	for _, line := range historyOf(t, w) {
		_ = line
	}
	record, ok := w.table().Record(historyOf(t, w))
	if !ok {
		t.Fatal("no record of a finished game")
	}
	data = record.Encode()
	result, err := paladin.Replay(data)
	if err != nil {
		t.Fatalf("the record of the game is refused: %v\n%s", err, data)
	}
	public := w.table().Public()
	if !strings.Contains(string(data), public.Seed) || public.Seed == "" {
		t.Error("the seed is not published at the end (R20)")
	}
	_ = result
	board := text(w.board())
	if !strings.Contains(board, "Play again") {
		t.Errorf("the finished board offers no further game:\n%s", board)
	}
}

func historyOf(t *testing.T, w *world) []table.Line {
	t.Helper()
	entries, err := w.store.History(w.ctx(), w.table().ID(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]table.Line, len(entries))
	for i, e := range entries {
		if err := json.Unmarshal(e.Data, &lines[i]); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}
