package bot

import (
	"context"
	"errors"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// Of each game a person has one live direct message. A press in it turns it into the answer, and after
// their move into one line; what was not pressed goes when the next one comes.

// spareAgain is how long a call waits that nobody waits for, where Discord's limit leaves no room.
const spareAgain = 2 * time.Second

// registerTries is how often a removal waits for the newer message to be registered.
const registerTries = 4

// oldDMLane is the lane of a person's direct messages that are to go: they wait for nothing, and nothing
// waits for them.
func oldDMLane(user table.UserID) string { return "old-dm/" + string(user) }

// unhurried reports whether nobody waits for what is said in a lane: it goes out only while there is
// room.
func unhurried(lane string) bool { return strings.HasPrefix(lane, oldDMLane("")) }

// supersede has a direct message removed in the place of which a newer one was sent. It is stored before
// the newer one is registered: until then the old one is known by its surface.
func (d *delivery) supersede(ctx context.Context, who table.UserID, seat paladin.Seat, old store.Surface) {
	if old.Message == "" {
		return
	}
	in := intent{
		What: whatOldDM, Seat: int(seat), Users: []table.Person{{ID: who}}, Channel: old.Channel, Message: old.Message,
	}
	if err := d.beside(ctx, "old-dm/"+old.Message, oldDMLane(who), in); err != nil {
		d.app.log.Warn("an earlier direct message stays", "table", d.in.Table, "seat", seat, "error", err)
	}
}

// sentDM registers a direct message as the live one of its seat, and has the one before removed.
func (d *delivery) sentDM(ctx context.Context, who table.UserID, seat paladin.Seat, ref discord.MessageRef, asked uint64) error {
	old, sent, err := d.app.store.Surface(ctx, d.in.Table, panelKey(seat))
	if err != nil {
		return err
	}
	if sent && ref.ID != "" && old.Message != ref.ID && old.Channel == ref.Channel {
		d.supersede(ctx, who, seat, old)
	}
	d.put(panelKey(seat), ref, asked)
	return nil
}

// oldDM removes a direct message that a newer one has replaced. Where it became the live one again,
// because somebody pressed it meanwhile, it stays.
func (d *delivery) oldDM(ctx context.Context) (time.Duration, error) {
	live, ok, err := d.app.store.Surface(ctx, d.in.Table, panelKey(paladin.Seat(d.want.Seat)))
	if err != nil {
		return d.backoff(), err
	}
	switch {
	case !ok || live.Message != d.want.Message:
	case d.tries < registerTries:
		return d.backoff(), nil // the newer one may not be registered yet
	default:
		return 0, nil
	}
	err = d.app.discord.DeleteMessage(ctx, d.want.Channel, d.want.Message)
	if discord.Classify(err) == discord.UnknownMessage {
		return 0, nil
	}
	return d.touched(err)
}

// outOfTime lets a direct message say that the time ran out and that a squire moved, in one line. Where
// it cannot be changed it goes.
func (d *delivery) outOfTime(ctx context.Context, seat paladin.Seat, who table.Person, mine *table.Private) (time.Duration, error) {
	if mine.MyTurn() {
		return 0, nil // the next call says more
	}
	live, ok, err := d.app.store.Surface(ctx, d.in.Table, panelKey(seat))
	if err != nil {
		return d.backoff(), err
	}
	user, err := d.app.store.User(ctx, string(who.ID))
	if err != nil {
		return d.backoff(), err
	}
	if !ok || live.Message == "" || live.Channel != user.DMChannel {
		return 0, nil
	}
	link := d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	err = d.reviseOrRemove(ctx, live.Channel, live.Message, d.to(ctx, who.ID).pr.OutOfTime(&mine.Public, link))
	if again, failed := d.touched(err); again > 0 {
		return again, failed
	}
	live.Message = "" // nothing of it is live
	d.settle.Put = append(d.settle.Put, live)
	return 0, nil
}

// lineAfter is what a press in somebody's direct message leaves there after their move: one line.
// Where they are awaited again, or the game is over, the message goes on. False then.
func (a *App) lineAfter(ctx context.Context, i *request, t *table.Table, note string) (discord.Message, bool) {
	if i.Guild != "" || i.Message.Ephemeral || i.Kind != discord.KindComponent || t.Stage() != table.Playing {
		return discord.Message{}, false
	}
	mine, ok := a.privateOf(ctx, t, table.UserID(i.User.ID))
	if !ok || mine.MyTurn() {
		return discord.Message{}, false
	}
	public := mine.Public
	link := a.boardLink(ctx, t.Guild(), t.ID())
	return i.pr.DoneLine(&public, note, link, a.nextGame(ctx, public.Seats[mine.Seat].Person.ID, t)), true
}

// pressedDM keeps what is known of somebody's live direct message in step with an answer that takes its
// place: one without buttons is live no more, and one with buttons is, where none was.
func (a *App) pressedDM(ctx context.Context, i *request, t *table.Table, ans answer) answer {
	if i.Guild != "" || i.Message.Ephemeral || i.Message.ID == "" || !ans.update {
		return ans
	}
	seat := t.SeatOf(table.UserID(i.User.ID))
	if seat == paladin.NoSeat {
		return ans
	}
	live, ok, err := a.store.Surface(ctx, t.ID(), panelKey(seat))
	if err != nil || !ok {
		return ans
	}
	now := live
	switch buttons := render.HasControls(ans.message); {
	case live.Message == i.Message.ID && !buttons:
		now.Message = ""
	case live.Message == "" && buttons:
		now.Message, now.Channel = i.Message.ID, i.Channel
	default:
		return ans
	}
	said, after := ans.said, ans.after
	ans.said = func() {
		if said != nil {
			said()
		}
		a.about(i, func() { a.livesIn(t.ID(), live, now) })
	}
	ans.after = func(shown bool) {
		if after != nil {
			after(shown)
		}
	}
	return ans
}

// livesIn notes which direct message of a seat is live, unless a newer one was sent meanwhile.
func (a *App) livesIn(id string, was, now store.Surface) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	if live, ok, err := a.store.Surface(ctx, id, was.Name); err != nil || !ok || live.Message != was.Message {
		return
	}
	err := a.store.Settle(ctx, store.Settlement{Table: id, Put: []store.Surface{now}})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		a.log.Warn("what became of a direct message cannot be noted", "table", id, "error", err)
	}
}
