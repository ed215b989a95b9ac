package bot

import (
	"context"
	"errors"
	"slices"

	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

const (
	// maxLobbies is how many lobbies one person may have open that they host, maxLobbiesHere how many
	// a server: each holds its channel, and one person could take all of them.
	maxLobbies     = 5
	maxLobbiesHere = 20
	// opens is the queue of what opens lobbies: whoever counts them finds all that were opened before.
	opens = "new lobbies"
	// sweptLobbies is the setting that says how far the ended tables have been looked through for
	// lobbies that older programs left: an id, or sweptAll.
	sweptLobbies = "swept/lobbies"
	sweptAll     = "~"
	sweepChunk   = 100
)

// answered runs a job on the queue of a table, or another one, and waits for its answer. The answer of
// somebody who has gone is dropped, with its hold on the channel.
func (a *App) answered(ctx context.Context, i *request, id string, job func(context.Context) answer) answer {
	done := make(chan answer)
	ok := a.submit(id, func(owner context.Context) {
		var ans answer
		ended := false
		defer func() {
			if !ended {
				ans = a.sorry(i) // it panicked
			}
			select {
			case done <- ans:
			case <-ctx.Done():
				if ans.board != nil {
					a.outbox.update(func(o *outbox) { o.release(ans.board.channel) })
				}
			}
		}()
		ans = job(owner)
		ended = true
	})
	if !ok {
		return a.sayBusy(i)
	}
	select {
	case ans := <-done:
		return ans
	case <-ctx.Done():
		return a.sorry(i)
	}
}

// limited says why somebody may open no further lobby, if so. It is asked on the queue of what opens
// them.
func (a *App) limited(ctx context.Context, i *request, channel, guild string) (answer, bool) {
	if _, taken, err := a.store.TableByChannel(ctx, channel); err != nil || taken {
		return answer{}, false // that is said when the transaction is refused
	}
	own, err := a.store.TablesByUser(ctx, i.User.ID)
	if err != nil {
		return a.failure(i, "count lobbies", "", err), true
	}
	hosted := a.lobbiesOf(ctx, own, func(p *table.Public) bool { return p.Host == table.UserID(i.User.ID) })
	if len(hosted) >= maxLobbies {
		first := slices.MinFunc(hosted, func(x, y *table.Public) int { return x.Opened.Compare(y.Opened) })
		link := a.boardLink(ctx, first.Guild, first.ID)
		return answer{message: render.NoteLink(i.pr.TooManyLobbies(len(hosted)), i.pr.Say(render.LabelBoard), link)}, true
	}
	here, err := a.store.TablesByGuild(ctx, guild)
	if err != nil {
		return a.failure(i, "count lobbies", "", err), true
	}
	if n := len(a.lobbiesOf(ctx, here, func(*table.Public) bool { return true })); n >= maxLobbiesHere {
		return say(i.pr.TooManyLobbiesHere(n)), true
	}
	return answer{}, false
}

// lobbiesOf are those of the tables that are lobbies and pass. What cannot be read is none.
func (a *App) lobbiesOf(ctx context.Context, ids []string, pass func(*table.Public) bool) (list []*table.Public) {
	for _, id := range ids {
		_, t, err := a.load(ctx, id)
		if err != nil || t.Stage() != table.Lobby {
			continue
		}
		if p := t.Public(); pass(&p) {
			list = append(list, &p)
		}
	}
	return list
}

// dropLobby drops a lobby that never became a game, when everything was said about it. It runs on the
// lobby's owner. What stands in its way passes, so that it is tried again.
func (a *App) dropLobby(ctx context.Context, id string) outcome {
	row, t, err := a.load(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return well
	case err != nil:
		return outcomeOf(err)
	case !t.NeverBegan():
		return well
	}
	if a.unlinking(ctx, &t) {
		return hindered
	}
	err = errors.Join(a.unremember(ctx, &t), a.store.Put(ctx, looksKey(id), nil))
	if err == nil {
		err = a.store.Drop(ctx, id, row.Version)
	}
	switch {
	case errors.Is(err, store.ErrConflict):
		return hindered // something is still to be said about it
	case err != nil && !errors.Is(err, store.ErrNotFound):
		a.log.Error("a closed lobby cannot be dropped", "table", id, "error", err)
		return outcomeOf(err)
	}
	return well
}

// unlinking has the table whose Play again opened this lobby offer it once more, and reports whether
// that is still to be done. It is the other table's owner who does it: two owners that wait for each
// other would wait for ever.
func (a *App) unlinking(ctx context.Context, t *table.Table) bool {
	prev := t.Previous()
	if prev == "" {
		return false
	}
	_, old, err := a.load(ctx, prev)
	if err != nil || old.Public().Next != t.ID() {
		return false
	}
	a.submit(prev, func(ctx context.Context) {
		res := a.act(ctx, prev, table.Actor{}, table.Unlink{Next: t.ID()}, "")
		if res.err != nil && res.refusal() == nil {
			a.log.Warn("Play again cannot be offered once more", "table", prev, "error", res.err)
		}
	})
	return true
}

// unremember makes the last game of a channel its last table again, where that is this lobby.
func (a *App) unremember(ctx context.Context, t *table.Table) error {
	last, ok, err := a.store.Get(ctx, lastTable(t.Channel()))
	if err != nil || !ok || string(last) != t.ID() {
		return err
	}
	game, _, err := a.store.Get(ctx, lastGame(t.Channel()))
	if err != nil {
		return err
	}
	return a.store.Put(ctx, lastTable(t.Channel()), game)
}

// sweepLobbies looks once through all ended tables for lobbies that older programs closed and left,
// and drops them. It goes on where it ended.
func (a *App) sweepLobbies() {
	for a.ctx.Err() == nil && !a.stopping.Load() {
		more := false
		guard(a.log, "a look for closed lobbies", func() { more = a.sweepSome() })
		if !more {
			return
		}
	}
}

// tidyLobby lets a lobby that an older program closed be dropped like any other. It is false where that
// may be done later.
func (a *App) tidyLobby(ctx context.Context, id string) bool {
	res := a.queued(ctx, id, func(owner context.Context) result {
		return a.act(store.Unhurried(owner), id, table.Actor{}, table.Tidy{}, "")
	})
	var broken *unreadableError
	switch {
	case res.err == nil, res.refusal() != nil, errors.Is(res.err, store.ErrNotFound), errors.As(res.err, &broken):
		return true
	}
	a.log.Warn("a closed lobby cannot be dropped", "table", id, "error", res.err)
	return false
}

// sweepSome looks through the next tables, and reports whether there may be more.
func (a *App) sweepSome() bool {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	from, _, err := a.store.Get(ctx, sweptLobbies)
	if err != nil || string(from) == sweptAll {
		return false
	}
	ids, err := a.store.EndedTables(ctx, string(from), sweepChunk)
	if err != nil {
		a.log.Warn("closed lobbies cannot be looked for", "error", err)
		return false
	}
	for _, id := range ids {
		row, t, err := a.load(ctx, id)
		if err != nil || !t.NeverBegan() || len(row.Deadlines) > 0 {
			continue // one with a deadline is dropped at that
		}
		if !a.tidyLobby(ctx, id) {
			return false // the next look begins here
		}
	}
	next := sweptAll
	if len(ids) == sweepChunk {
		next = ids[len(ids)-1]
	}
	if err := a.store.Put(store.Unhurried(ctx), sweptLobbies, []byte(next)); err != nil {
		return false
	}
	return next != sweptAll
}
