package bot_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
	"paladin/store/storetest"
)

// resultless is a store as before results were kept: it keeps none, and remembers what would have been.
type resultless struct {
	store.Store
	lost map[string]*store.Result
}

func (s *resultless) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	if c.Result != nil {
		s.lost[c.Table], c.Result = c.Result, nil
	}
	return s.Store.Commit(ctx, c)
}

// stored returns what is kept of a table.
func stored(t *testing.T, s store.Store, id string) (snapshot []byte, lines [][]byte) {
	t.Helper()
	row, err := s.Table(context.Background(), id)
	entries, err2 := s.History(context.Background(), id, 1, 0)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		lines = append(lines, e.Data)
	}
	return row.Snapshot, lines
}

// TestScore: what is worked out of a game long after it ended is what would have been kept at its end, with hands that changed on the
// way. Somebody who was forgotten since is nobody in it.
func TestScore(t *testing.T) {
	wholeGame(t)
	s := &resultless{storetest.NewMemory(), map[string]*store.Result{}}
	w := newWorld(t, withStore(s))
	w.openPaced(3, 1, table.PaceLive)
	ben, cleo := w.users[1], w.users[2]
	w.forge(cleo, w.channel, w.board().ID, press.New(press.Quit, w.table().ID()).String())
	w.forge(w.users[3], w.channel, w.board().ID, press.New(press.Offer, w.table().ID(), "3").String())
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Accept, w.table().ID(), "3", w.users[3]).String())
	for w.table().Stage() == table.Playing {
		at := w.table()
		who, awaited := at.AwaitedPerson()
		if !awaited {
			t.Fatal("nobody is awaited")
		}
		w.forge(string(who.ID), w.channel, w.board().ID, legalID(t, at, who.ID))
		w.clock.advance(10 * time.Second)
	}
	id := w.table().ID()
	want := s.lost[id]
	if want == nil || want.Seats[2].User != w.users[3] || len(want.Seats[2].Former) != 1 || want.Seats[0].Moves == 0 {
		t.Fatalf("the game that is looked at: %+v", want)
	}
	score := bot.Score(testLog(t))
	if diff := cmp.Diff(want, score(scoreArgs(t, s, id))); diff != "" {
		t.Errorf("-kept +worked out:\n%s", diff)
	}
	for _, user := range []string{ben, cleo} {
		mustSay(t, "a deletion", text(w.reply(w.forge(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String()))), "Done.")
		want.Forget(user)
		if diff := cmp.Diff(want, score(scoreArgs(t, s, id))); diff != "" {
			t.Errorf("with somebody forgotten, -kept +worked out:\n%s", diff)
		}
	}
	if !want.Seats[1].Forgotten() || want.Seats[2].Former[0].User != "" {
		t.Errorf("nobody is forgotten in %+v", want)
	}
	// What was not played to its end, or cannot be read, has no result.
	w.label(w.users[0], w.board(), "Play again")
	w.label(w.users[0], w.reply(w.label(w.users[0], w.board(), "Cancel")), "Cancel the table")
	if r := score(scoreArgs(t, s, w.table().ID())); r != nil {
		t.Errorf("a lobby that was closed has the result %+v", r)
	}
	if r := bot.Score(slog.New(slog.DiscardHandler))("t", []byte("{"), nil); r != nil {
		t.Errorf("what cannot be read has the result %+v", r)
	}
}

func scoreArgs(t *testing.T, s store.Store, id string) (string, []byte, [][]byte) {
	snapshot, lines := stored(t, s, id)
	return id, snapshot, lines
}
