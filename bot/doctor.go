package bot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// doctorWaits is how long a look waits for what it asked the outbox to try.
const doctorWaits = 5 * time.Second

// trouble is why something that is to be said does not go out.
type trouble struct {
	table, key, lane string
	class            discord.Class
	again            time.Time // when it is tried again; zero: not by itself
	fault            bool      // a fault of this program keeps it from being made
	unexplained      int       // refusals so far of which nobody knows what they mean
}

// troubles remembers what does not go out, as long as it does not. It is empty in a world without faults.
type troubles struct {
	mu  sync.Mutex
	all map[place]trouble
}

func newTroubles() *troubles { return &troubles{all: map[place]trouble{}} }

// tried takes note of what came of sending an intent: again is when it is tried again, and zero when it is settled.
func (t *troubles) tried(in store.Intent, again time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := place{in.Table, in.Key}
	if again.IsZero() || err == nil {
		delete(t.all, at)
		return
	}
	tr := trouble{
		table: in.Table, key: in.Key, lane: in.Channel, class: discord.Classify(err), again: again, unexplained: t.all[at].unexplained,
	}
	switch tr.class {
	case discord.Other, discord.NotOurs, discord.WrongChannelType, discord.UnknownMessage, discord.UnknownMember,
		discord.UnknownChannel, discord.UnknownGuild:
		tr.unexplained++
	}
	t.all[at] = tr
}

// fault takes note of an intent that this program cannot make; again is when it is tried again, and
// zero when that is not known.
func (t *troubles) fault(in store.Intent, again time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[place{in.Table, in.Key}] = trouble{table: in.Table, key: in.Key, lane: in.Channel, again: again, fault: true}
}

// unexplained counts how often an intent, or an older one in its place, was refused for no known reason since it last went out.
func (t *troubles) unexplained(in store.Intent) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[place{in.Table, in.Key}].unexplained
}

// of returns the troubles of a table, in the order of their keys.
func (t *troubles) of(table string) []trouble {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []trouble
	for _, tr := range t.all {
		if tr.table == table {
			out = append(out, tr)
		}
	}
	slices.SortFunc(out, func(a, b trouble) int { return cmp.Compare(a.key, b.key) })
	return out
}

// in reports whether something of one of these classes waits in a lane.
func (t *troubles) in(lane string, classes ...discord.Class) bool {
	return slices.Contains(t.lanes(classes...), lane)
}

// lanes are those in which something of one of these classes waits, each once.
func (t *troubles) lanes(classes ...discord.Class) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, tr := range t.all {
		if slices.Contains(classes, tr.class) && !slices.Contains(out, tr.lane) {
			out = append(out, tr.lane)
		}
	}
	return out
}

// needed are the permissions that the bot needs in the channel of an interaction, with the names that Discord's settings show.
func needed(i *request) []render.Permission {
	send := render.Permission{Name: i.pr.Say(render.PermissionSend), Bit: permissionSend, For: i.pr.Say(render.WithoutSend)}
	if i.ChannelType >= channelThread && i.ChannelType <= channelThread+2 {
		send.Name, send.Bit = i.pr.Say(render.PermissionSendInThreads), permissionSendInThreads
	}
	all := []render.Permission{
		{Name: i.pr.Say(render.PermissionView), Bit: permissionView, For: i.pr.Say(render.WithoutView)},
		send,
		{Name: i.pr.Say(render.PermissionAttach), Bit: permissionAttach, For: i.pr.Say(render.WithoutAttach)},
	}
	for n := range all {
		all[n].Known = i.HasAppPermissions
		all[n].Has = i.AppPermissions&(all[n].Bit|permissionAdministrator) != 0
	}
	return all
}

// mended looks at what an interaction tells by the way: that a permission is back, or that somebody's direct messages are open. What
// waited for it goes out at once.
func (a *App) mended(ctx context.Context, i *request) {
	if i.Guild == "" {
		a.reopened(ctx, i.User.ID)
		return
	}
	a.heardFrom(i)
	if !i.HasAppPermissions || !a.troubles.in(i.Channel, discord.MissingAccess, discord.MissingPermission) {
		return
	}
	for _, p := range needed(i)[:2] {
		if !p.Has {
			return
		}
	}
	a.outbox.update(func(o *outbox) { o.kick(i.Channel) })
}

// reopened forgets that somebody takes no direct messages: they are using them.
func (a *App) reopened(ctx context.Context, user string) {
	u, err := a.store.User(ctx, user)
	if err != nil || u.DMClosedUntil.IsZero() {
		return
	}
	if err := a.store.UpdateUser(ctx, user, func(u *store.User) { u.DMClosedUntil = time.Time{} }); err != nil {
		a.log.Warn("an open direct message cannot be remembered", "error", err)
	}
}

// unblocked lets go at once what waits because the way to Discord was blocked: an answer to a press
// has got through.
func (a *App) unblocked() {
	lanes := a.troubles.lanes(discord.Cloudflare)
	if len(lanes) == 0 {
		return
	}
	a.outbox.update(func(o *outbox) {
		for _, lane := range lanes {
			o.kick(lane)
		}
	})
}

// threadChanged sends what waited for a thread to be unlocked.
func (a *App) threadChanged(e *discord.ThreadChanged) {
	if !e.Locked && a.troubles.in(e.ID, discord.ThreadLocked, discord.ThreadArchived, discord.MissingPermission) {
		a.outbox.update(func(o *outbox) { o.kick(e.ID) })
	}
}

// unwell says what keeps a table's board from being current; empty when nothing does.
func (a *App) unwell(i *request, t *table.Table) string {
	if d, doubted := a.doubts.of(t.ID(), a.clock.Now()); doubted {
		return i.pr.UnwellUnknown(d.shown())
	}
	for _, tr := range a.troubles.of(t.ID()) {
		if tr.lane != t.Channel() {
			continue
		}
		var permissions []render.Permission
		if i.Channel == t.Channel() {
			permissions = needed(i)
		}
		if text := i.pr.Unwell(tr.class, permissions, t.Channel()); text != "" {
			return text
		}
	}
	return ""
}

// warned is a note with what keeps the game from going on, or its board from being right, before it.
func (a *App) warned(i *request, t *table.Table, note string) string {
	return strings.Trim(a.unwell(i, t)+"\n"+note, "\n")
}

// doctor examines this channel and says what is wrong and how to mend it. Anybody may ask; it shows nothing that the board does not.
func (a *App) doctor(ctx context.Context, i *request) answer {
	if i.Guild == "" {
		return a.inDM(ctx, i, "doctor")
	}
	report := render.Report{Channel: i.Channel, Permissions: needed(i), Now: a.clock.Now()}
	if i.ChannelType >= channelThread && i.ChannelType <= channelThread+2 {
		if ch, err := a.discord.GetChannel(ctx, i.Channel); err == nil {
			report.Archived, report.Locked = ch.Archived, ch.Locked
		}
	}
	id, ok, err := a.store.TableByChannel(ctx, i.Channel)
	if err != nil {
		return a.failure(i, "doctor", "", err)
	}
	if ok {
		var u *unreadableError
		if err := a.inspect(ctx, i, id, &report); errors.As(err, &u) {
			a.noteUnreadable(err)
			report.Unreadable = i.pr.Say(u.words())
		} else if err != nil {
			return a.failure(i, "doctor", id, err)
		}
	}
	return answer{message: i.pr.Doctor(&report), update: true}
}

// inspect looks at the table of a channel.
func (a *App) inspect(ctx context.Context, i *request, id string, report *render.Report) error {
	_, t, err := a.load(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	asked, err := a.tryBoard(ctx, &t)
	if err != nil {
		return err
	}
	report.Unasked = !asked
	public := a.publicOf(ctx, &t)
	report.Table = &public
	board, ok, err := a.store.Surface(ctx, id, boardName)
	if err != nil {
		return err
	}
	if ok {
		report.Board, report.Posted = render.MessageLink(t.Guild(), board.Channel, board.Message), board.Posted
	}
	for _, p := range t.People() {
		u, err := a.store.User(ctx, string(p.ID))
		if errors.Is(err, store.ErrCorrupt) {
			a.log.Error("somebody's habits cannot be read", "error", err) // one damaged record does not hide what is found of the others
		} else if err != nil {
			return err
		}
		reach := render.ReachUnknown
		switch {
		case !u.DMClosedUntil.IsZero(): // the last one was refused
			reach = render.ReachClosed
		case u.DMChannel != "":
			reach = render.ReachOpen
		}
		report.Reach = append(report.Reach, render.SeatReach{Seat: t.SeatOf(p.ID), Reach: reach})
	}
	own, err := a.store.User(ctx, i.User.ID)
	if err != nil {
		return err
	}
	quiet := decodeHabits(own).Quiet
	report.OwnQuiet = quiet.From != quiet.To
	if d, doubted := a.doubts.of(id, a.clock.Now()); doubted {
		shown := d.shown()
		report.Unknown = &shown
	}
	for _, tr := range a.troubles.of(id) {
		if tr.key == probeKey || asideLane(tr.lane) {
			continue // they say nothing to anybody
		}
		report.Blocked = append(report.Blocked, render.Blocked{Board: tr.key == boardName, Direct: tr.lane != t.Channel(), Class: tr.class, Fault: tr.fault, Again: tr.again})
	}
	return nil
}

// tryBoard brings the board up to date, so that the report says what happens now and not what happened some time ago. asked is false
// where Discord has said nothing of it in time.
func (a *App) tryBoard(ctx context.Context, t *table.Table) (asked bool, err error) {
	var c store.Change
	if err := addIntent(&c, boardName, t.Channel(), intent{What: whatBoard}); err != nil {
		return false, err
	}
	if err := a.enqueue(ctx, t.ID(), c.Intents); err != nil {
		return false, err
	}
	a.outbox.update(func(o *outbox) { o.kick(t.Channel()) })
	wait, cancel := context.WithTimeout(ctx, doctorWaits)
	defer cancel()
	a.outbox.tried(wait, t.Channel())
	return !a.outbox.unsent(t.ID(), t.Channel(), boardName), nil
}
