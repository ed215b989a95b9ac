package bot_test

import (
	"context"
	"errors"
	"testing"

	"paladin/bot"
	"paladin/store"
	"paladin/store/storetest"
)

// inspected is a store in which every table is held against its history after each of its commits.
type inspected struct {
	store.Store
	t       *testing.T
	commits int
}

func (s *inspected) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	done, err := s.Store.Commit(ctx, c)
	if err != nil {
		return done, err
	}
	s.commits++
	row, err := s.Store.Table(ctx, c.Table)
	history, err2 := s.Store.History(ctx, c.Table, 1, 0)
	if err := errors.Join(err, err2, bot.Inspection().Table(&row, history)); err != nil {
		s.t.Errorf("table %s after %d entries: %v", c.Table, len(history), err)
	}
	for i := range done.Intents {
		if err := bot.Inspection().Intent(&done.Intents[i]); err != nil {
			s.t.Errorf("intent %q: %v", done.Intents[i].Key, err)
		}
	}
	return done, nil
}

// TestEveryStepOfATableIsFoundSound: lobby, game, its end, the next lobby, and after somebody was
// forgotten.
func TestEveryStepOfATableIsFoundSound(t *testing.T) {
	s := &inspected{Store: storetest.NewMemory(), t: t}
	w := newWorld(t, withStore(s))
	ben := w.users[1]
	w.openGame(2, 1)
	w.wholeGame(3)
	over := w.table().ID()
	w.label(w.users[0], w.board(), "Play again")
	w.label(ben, w.board(), "Join")
	w.label(w.users[0], w.board(), "Start")
	w.wholeGame(4)
	ask := w.reply(w.label(ben, w.reply(w.command(ben, "me")), "Delete my data"))
	mustSay(t, "the answer", text(w.reply(w.label(ben, ask, "Delete for good"))), "Done.")
	row, err := s.Table(t.Context(), over)
	history, err2 := s.History(t.Context(), over, 1, 0)
	if err := errors.Join(err, err2, bot.Inspection().Table(&row, history)); err != nil {
		t.Errorf("after somebody was forgotten: %v", err)
	}
	w.stop()
	if s.commits < 60 {
		t.Errorf("only %d commits were looked at", s.commits)
	}
}
