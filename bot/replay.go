package bot

import (
	"context"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// replayOf lays out a game that is over, or says why it cannot. Of a game that is not over nothing is laid out, whoever asks and by
// whatever press.
func (a *App) replayOf(ctx context.Context, i *request, t *table.Table) (*render.Replay, answer, bool) {
	if t.Live() {
		return nil, say(i.pr.Say(render.TextReplayRunning)), false
	}
	lines, err := a.history(ctx, t.ID())
	if err != nil {
		return nil, a.failure(i, "history", t.ID(), err), false
	}
	record, ok := t.Record(lines)
	if !ok {
		return nil, say(i.pr.Say(render.TextNeverBegan)), false
	}
	var moves []table.PublicLine
	for _, line := range lines {
		if line.Move != "" {
			moves = append(moves, line.Public())
		}
	}
	public := t.Public()
	r, err := render.NewReplay(&public, &record, moves)
	if err != nil {
		a.log.Error("a game cannot be replayed", "table", t.ID(), "error", err)
		return nil, say(i.pr.Say(render.TextReplayDamaged)), false
	}
	return r, answer{}, true
}

// replay shows a page of a replay: to whoever asked alone, or in the place of the one that they show everybody. Turning pages makes no
// further message.
func (a *App) replay(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	r, ans, ok := a.replayOf(ctx, i, t)
	if !ok {
		return ans
	}
	view, ok := render.ReplayViewOf(id, i.Values, len(t.Public().Seats))
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	view.Pictures = !t.Public().Options.TextOnly
	if a.shares(ctx, i, t) {
		view.SharedBy = table.UserID(i.User.ID)
		return answer{message: a.publicWords(t).Marked(markOf(i.ID)).Replay(r, view), inPlace: true}
	}
	view.Pictures = view.Pictures && i.habits.Look != render.LookText
	view.Shareable = i.Guild != ""
	return answer{message: i.pr.Replay(r, view), update: len(id.Args) > 0}
}

// share shows everybody in the channel a page of a replay, as one message whose pages turn under the hand of whoever asked for it. It
// calls nobody. A second press leads to that message: nobody fills a channel by pressing twice.
func (a *App) share(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	if i.Guild == "" || len(id.Args) == 0 {
		return a.replay(ctx, i, id, t)
	}
	r, ans, ok := a.replayOf(ctx, i, t)
	if !ok {
		return ans
	}
	view, ok := render.ReplayViewOf(id, nil, len(t.Public().Seats))
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	view.Pictures = !t.Public().Options.TextOnly
	key := place{t.ID(), i.User.ID}
	if !a.sharing.add(key) {
		return say(i.pr.Say(render.TextReplayShown))
	}
	handed := false
	defer func() {
		if !handed {
			a.sharing.drop(key)
		}
	}()
	// Looked for after add: what was on its way a moment ago is remembered by now.
	if link, shown := a.showsNow(ctx, i, t); shown {
		return answer{message: render.NoteLink(i.pr.Say(render.TextReplayShown), i.pr.Say(render.LabelReplay), link)}
	}
	view.SharedBy = table.UserID(i.User.ID)
	message := a.publicWords(t).Marked(markOf(i.ID)).Replay(r, view)
	handed = true
	return answer{
		message: message,
		posted:  func(ref discord.MessageRef) { a.shared(ctx, i, t, ref) },
		after:   func(bool) { a.sharing.drop(key) },
	}
}

// showsNow reports whether this person has shown everybody a replay of the table a short while ago, and where.
func (a *App) showsNow(ctx context.Context, i *request, t *table.Table) (link string, shown bool) {
	s, ok, err := a.store.Surface(ctx, t.ID(), sharedName(i.User.ID))
	if err != nil || !ok || a.clock.Now().Sub(s.Posted) >= reopenAfter {
		return "", false
	}
	return render.MessageLink(t.Guild(), s.Channel, s.Message), true
}

// sharedName is the surface of the replay of a table that somebody shows everybody. Each person has one: the one shown last.
func sharedName(user string) string { return "replay/" + user }

// shared remembers whose replay a message is. One that is not remembered stays as it is: a press on it opens a private one.
func (a *App) shared(ctx context.Context, i *request, t *table.Table, ref discord.MessageRef) {
	if ref.ID == "" {
		return
	}
	a.about(i, func() {
		err := a.store.Settle(ctx, store.Settlement{Table: t.ID(), Put: []store.Surface{{
			Table: t.ID(), Name: sharedName(i.User.ID), Channel: i.Channel, Message: ref.ID, Posted: a.clock.Now(),
		}}})
		if err != nil {
			a.log.Warn("a shown replay cannot be remembered", "table", t.ID(), "error", err)
		}
	})
}

// shares reports whether the pressed message is the replay that this person shows everybody.
func (a *App) shares(ctx context.Context, i *request, t *table.Table) bool {
	if i.Message.ID == "" || i.Message.Ephemeral || i.Guild == "" {
		return false
	}
	surface, ok, err := a.store.SurfaceByMessage(ctx, i.Message.ID)
	if err != nil {
		a.log.Warn("a shown replay cannot be found", "table", t.ID(), "error", err)
	}
	return ok && surface.Table == t.ID() && surface.Name == sharedName(i.User.ID)
}

// verify computes a game that is over anew and says what came of it; of one that runs it says what is public.
func (a *App) verify(ctx context.Context, i *request, t, running *table.Table) answer {
	lines, err := a.history(ctx, t.ID())
	own := t.SaltPart(table.UserID(i.User.ID), lines)
	if t.Live() {
		if err != nil {
			a.log.Warn("who started a game cannot be read", "table", t.ID(), "error", err)
		}
		public := t.Public()
		return answer{message: i.pr.VerifyRunning(&public, own)}
	} else if err != nil {
		return a.failure(i, "history", t.ID(), err)
	}
	found, ok := t.Verify(lines)
	if !ok {
		return say(i.pr.Say(render.TextNeverBegan))
	}
	if !found.Right() {
		a.log.Error("a game does not come out as it is kept", "table", t.ID(), "move", max(found.Illegal.Number, found.Otherwise.Number))
	}
	public := t.Public()
	var now *table.Public
	if running != nil {
		p := running.Public()
		now = &p
	}
	return answer{message: i.pr.Verification(&public, &found, own, now)}
}
