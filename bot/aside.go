package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// unreadableError says that what is stored of a table is no game that can go on. It concerns that
// table alone.
type unreadableError struct {
	row store.Row
	// newer is true of a table that a newer program stored: nothing is wrong with it.
	newer bool
	// aside is true of a table that was set aside.
	aside bool
	err   error
}

func (e *unreadableError) Error() string {
	return fmt.Sprintf("table %s cannot be read: %v", e.row.ID, e.err)
}
func (e *unreadableError) Unwrap() error { return e.err }

// words tell people of it.
func (e *unreadableError) words() render.Text {
	switch {
	case e.aside:
		return render.TextAside
	case e.newer:
		return render.TextNewer
	default:
		return render.TextUnreadable
	}
}

var (
	errAside = errors.New("it was set aside")
	// errHistory marks a history that cannot be read, of a table that can.
	errHistory = errors.New("its history cannot be read")
)

// unreadable says whether and why a row is no game that can go on; t and err are what came of
// decoding it. A row that is not live and holds a running game was set aside: nothing else leaves
// one.
func (a *App) unreadable(row store.Row, t *table.Table, err error) error {
	switch {
	case err != nil && !row.Live:
		return &unreadableError{row: row, aside: true, newer: errors.Is(err, table.ErrVersion), err: err}
	case err != nil:
		return &unreadableError{row: row, newer: errors.Is(err, table.ErrVersion), err: err}
	case !row.Live && t.Live():
		return &unreadableError{row: row, aside: true, err: errAside}
	case !isOf(t, &row):
		return &unreadableError{row: row, aside: !row.Live, err: errAnother}
	}
	if _, damage := a.audits.of(row.ID); row.Live && damage != nil {
		return &unreadableError{row: row, err: damage}
	}
	return nil
}

// noteUnreadable tells the operator of a table that cannot be read, once; false if err is about
// none.
func (a *App) noteUnreadable(err error) bool {
	var u *unreadableError
	if !errors.As(err, &u) {
		return false
	}
	switch {
	case u.aside || !a.audits.logged.add(u.row.ID):
	case u.newer:
		a.log.Error("a table was stored by a newer version of this program: it stands still until that runs again",
			"table", u.row.ID, "channel", u.row.Channel, "error", u.err)
	default:
		a.log.Error("a table is damaged and stands still: /paladin new in its channel, or /paladin stop by whoever manages it, sets it aside",
			"table", u.row.ID, "channel", u.row.Channel, "error", u.err)
	}
	return true
}

// setAside gives up a table that cannot be read: its row is kept as it is, but its channel and its
// people are free, and nothing of it is due or to be said any more. One of a newer program is only
// given up if newer is true. A table that can be read is left alone.
func (a *App) setAside(ctx context.Context, id string, by table.UserID, newer bool) error {
	return a.queued(ctx, id, func(owner context.Context) result {
		_, _, err := a.load(owner, id)
		var u *unreadableError
		switch {
		case !errors.As(err, &u):
			return result{err: err}
		case u.newer && !newer:
			return result{err: err}
		case u.aside:
			return result{}
		}
		return result{err: a.giveUp(owner, u, by)}
	}).err
}

// giveUp stores that a table is set aside.
func (a *App) giveUp(ctx context.Context, u *unreadableError, by table.UserID) error {
	pending, err := a.store.Pending(ctx)
	if err != nil {
		return err
	}
	c := store.Change{
		Table: u.row.ID, Expect: u.row.Version, Snapshot: u.row.Snapshot, Channel: u.row.Channel, Guild: u.row.Guild, Users: u.row.Users,
		At: a.clock.Now(),
	}
	for _, in := range pending {
		if in.Table == c.Table {
			c.DropIntents = append(c.DropIntents, in.Key)
		}
	}
	if _, err := a.commit(ctx, c); err != nil {
		return err
	}
	a.fresh.drop(c.Table)
	a.log.Warn("a table that cannot be read was set aside", "table", c.Table, "channel", c.Channel, "by", by, "error", u.err)
	a.spawn(func() { a.coverBoard(c.Table, c.Guild) }, nil)
	return nil
}

// coverBoard lets the board of a table that was set aside say so: it would go on saying who is
// waited for. No intent can bring it, for those are made from the table. Where the edit fails, the
// first press on the board says it.
func (a *App) coverBoard(id, guild string) {
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	board, ok, err := a.store.Surface(ctx, id, boardName)
	if err != nil || !ok {
		return
	}
	s, err := a.settingsNow(ctx, guild)
	if err != nil {
		s = guildSettings{}
	}
	err = a.revise(ctx, board.Channel, board.Message, a.words.in(s.Language).SetAside())
	if err != nil {
		a.log.Info("the board of a table that was set aside stays as it was", "table", id, "error", err)
	}
}

// madeRoom sets aside the table that err says holds the channel, if that cannot be read; then the
// channel is free.
func (a *App) madeRoom(ctx context.Context, i *request, err error) bool {
	var taken *store.ChannelTakenError
	if !errors.As(err, &taken) {
		return false
	}
	_, _, err = a.load(ctx, taken.Table)
	var u *unreadableError
	if !errors.As(err, &u) || u.newer {
		return false
	}
	if err := a.setAside(ctx, taken.Table, table.UserID(i.User.ID), false); err != nil {
		a.log.Error("a table cannot be set aside", "table", taken.Table, "error", err)
		return false
	}
	return true
}

// stopUnreadable answers a moderator's /paladin stop at a table that cannot be read: it is set
// aside, one of a newer program only after a question. It is false for everybody else and of every
// other table.
func (a *App) stopUnreadable(ctx context.Context, i *request, err error) (answer, bool) {
	var u *unreadableError
	if !errors.As(err, &u) || u.aside || !actor(i).Moderator {
		return answer{}, false
	}
	if u.newer {
		return answer{message: i.pr.ConfirmSetAside(u.row.ID)}, true
	}
	return a.settingAside(ctx, i, u.row.ID), true
}

func (a *App) settingAside(ctx context.Context, i *request, id string) answer {
	if err := a.setAside(ctx, id, table.UserID(i.User.ID), true); err != nil {
		return a.failure(i, "set aside", id, err)
	}
	a.counted.add(i.ID)
	return answer{message: render.Note(i.pr.Say(render.TextSetAside)), update: i.Kind == discord.KindComponent}
}

// unreadablePress answers a press on a table that cannot be read.
func (a *App) unreadablePress(ctx context.Context, i *request, id press.ID, u *unreadableError) answer {
	part := slices.Contains(u.row.Users, i.User.ID)
	switch {
	case i.Guild == "" && !part, i.Guild != "" && i.Guild != u.row.Guild:
		return say(i.pr.Say(render.TextForgedPress))
	case id.Kind == press.Stop && id.Arg(0) == render.StopAside && !u.aside && i.Channel == u.row.Channel && actor(i).Moderator:
		return a.settingAside(ctx, i, id.Table)
	}
	return a.failure(i, "load", id.Table, u)
}

// damagedOf are the live tables of a person that cannot be read and are not a newer program's, and
// how many others there are.
func (a *App) damagedOf(ctx context.Context, user table.UserID) (damaged []string, others int, err error) {
	ids, err := a.store.TablesByUser(ctx, string(user))
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		_, _, err := a.load(ctx, id)
		var u *unreadableError
		if errors.As(err, &u) && !u.newer {
			damaged = append(damaged, id)
		} else {
			others++
		}
	}
	return damaged, others, nil
}

// freed sets aside the tables that keep somebody from being forgotten though nobody can read them.
// Where others keep them too, they are left as they are.
func (a *App) freed(ctx context.Context, user table.UserID) error {
	damaged, others, err := a.damagedOf(ctx, user)
	if err != nil || others > 0 {
		return err
	}
	for _, id := range damaged {
		if err := a.setAside(ctx, id, user, false); err != nil {
			return err
		}
	}
	return nil
}
