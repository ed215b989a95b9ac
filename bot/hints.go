package bot

import (
	"context"
	"slices"

	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// hint is what somebody is told who has never yet done what they are asked to do; empty for everybody else.
func (r reader) hint(mine *table.Private) render.Hint {
	hint := render.HintFor(mine)
	if slices.Contains(r.habits.Learned, hint) {
		return ""
	}
	return hint
}

// learned remembers that somebody needs no hint any more of how to do what they have just done. It is called after the answer.
func (a *App) learned(ctx context.Context, i *request, hint render.Hint) {
	if hint == "" || slices.Contains(i.habits.Learned, hint) {
		return
	}
	a.about(i, func() {
		err := a.store.UpdateUser(store.Unhurried(ctx), i.User.ID, func(u *store.User) {
			updateHabits(u, func(h *habits) {
				if !slices.Contains(h.Learned, hint) {
					h.Learned = append(h.Learned, hint)
				}
			})
		})
		if err != nil {
			a.log.Warn("what somebody has learned cannot be remembered", "error", err)
		}
	})
}
