package bot

import (
	"context"
	"slices"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
)

// gamesOf lists the live tables of a person over all servers, in the order in which lists show them, and counts those that cannot be
// read.
func (a *App) gamesOf(ctx context.Context, user table.UserID) (list []render.Listed, broken int, err error) {
	ids, err := a.store.TablesByUser(ctx, string(user))
	if err != nil {
		return nil, 0, err
	}
	known, err := a.store.User(ctx, string(user))
	if err != nil {
		return nil, 0, err
	}
	own := decodeHabits(known)
	for _, id := range ids {
		_, t, err := a.load(ctx, id)
		if err != nil {
			if !a.noteUnreadable(err) {
				a.log.Error("a table cannot be listed", "table", id, "error", err)
			}
			broken++
			continue
		}
		public := t.PublicAt(func(u table.UserID) table.Habits {
			if u == user {
				return own
			}
			return table.Habits{} // lists name the time for one's own moves only
		})
		link := a.boardLink(ctx, t.Guild(), id)
		if link == "" {
			link = render.ChannelLink(t.Guild(), t.Channel())
		}
		queued := slices.IndexFunc(public.Queue, func(p table.Person) bool { return p.ID == user }) + 1
		_, doubted := a.doubts.of(id, a.clock.Now())
		list = append(list, render.Listed{Public: &public, Seat: t.SeatOf(user), Queued: queued, Doubted: doubted, Link: link, SentOff: t.SentOff(user)})
	}
	render.SortGames(list)
	return list, broken, nil
}

// waitingFor keeps the games in which the person is awaited and their clock is not stopped.
func waitingFor(list []render.Listed) []render.Listed {
	return slices.DeleteFunc(slices.Clone(list), func(l render.Listed) bool { return !l.Mine() || l.Public.Paused })
}

// games answers /paladin games and the presses that turn its pages.
func (a *App) games(ctx context.Context, i *request, id press.ID) answer {
	page, turned, ok := pageOf(id)
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	list, broken, err := a.gamesOf(ctx, table.UserID(i.User.ID))
	if err != nil {
		return a.failure(i, "games", "", err)
	}
	return answer{message: i.pr.GamesPage(list, page, broken), update: turned}
}

// nextGame leads to the game that has waited longest for this person, other than this table; empty when none does, or when the
// person is awaited here.
func (a *App) nextGame(ctx context.Context, user table.UserID, here *table.Table) string {
	if seat := here.SeatOf(user); seat != paladin.NoSeat && here.Awaited() == seat {
		return ""
	}
	ids, err := a.store.TablesByUser(ctx, string(user))
	if err != nil || len(ids) == 0 || len(ids) == 1 && ids[0] == here.ID() {
		return "" // the usual case costs one look-up
	}
	list, _, err := a.gamesOf(ctx, user)
	if err != nil {
		a.log.Warn("the next game cannot be offered", "error", err)
		return ""
	}
	for _, l := range waitingFor(list) {
		if l.Public.ID != here.ID() {
			return l.Link
		}
	}
	return ""
}
