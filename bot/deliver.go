package bot

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// How long the outbox waits after a failure that time may mend.
const (
	retryFirst = time.Second
	retryMost  = 5 * time.Minute
	// retryBlocked is for what people must mend: a missing permission, a locked thread.
	retryBlocked = 10 * time.Minute
	// dmClosedFirst is how long nobody is written to who was refused a DM once: one answer may be
	// wrong. dmClosedFor is how long when the next one is refused as well.
	dmClosedFirst = time.Hour
	dmClosedFor   = 3 * 24 * time.Hour
	// dmPause is how long no DM is opened after Discord said that they are opened too fast.
	dmPause = 10 * time.Minute
	// unexplainedMost is how often something is tried again that Discord refuses for no reason that is known: mostly that passes. Then it is
	// given up, so that it does not keep back for ever what comes after it.
	unexplainedMost = 8
)

// delivery is one intent on its way.
type delivery struct {
	app    *App
	in     store.Intent
	want   intent
	table  table.Table
	row    store.Row
	settle store.Settlement
	tries  int
	// unexplained counts the refusals so far of which nobody knows what they mean.
	unexplained int
}

// deliver sends one intent: it renders what the intent names from the table as it is now, calls Discord, and settles what came of it
// in one transaction.
func (a *App) deliver(ctx context.Context, in store.Intent, tries int) verdict {
	d := &delivery{app: a, in: in, tries: tries, unexplained: a.troubles.unexplained(in), settle: store.Settlement{Table: in.Table, Key: in.Key, Generation: in.Generation}}
	if done, err := a.settleKept(ctx, in); err != nil {
		a.log.Error("outbox: still cannot be settled", "table", in.Table, "key", in.Key, "error", err)
		return d.retry(d.backoff(), err)
	} else if done {
		a.fail("outbox/settled")
		return verdict{}
	}
	again, err := d.send(ctx)
	if u := (*unreadableError)(nil); errors.As(err, &u) && !u.aside {
		a.noteUnreadable(err)
		a.troubles.tried(in, time.Time{}, nil)
		return verdict{} // it stays stored, for a program that can read the table; nothing waits for it
	}
	if d.went(again, err); again > 0 {
		return d.retry(again, err)
	}
	a.fail("outbox/sent")
	if err := a.settle(store.Unhurried(ctx), d.settle); err != nil {
		a.log.Error("outbox: cannot be settled", "table", in.Table, "key", in.Key, "error", err)
		a.unsettled.put(d.settle)
		return d.retry(d.backoff(), err)
	}
	a.fail("outbox/settled")
	return verdict{}
}

// retry has an intent tried again, after a failure that may pass. One that does not pass is a
// fault.
func (d *delivery) retry(again time.Duration, err error) verdict {
	return verdict{again: again, fault: lasting(err)}
}

// went notes what came of sending.
func (d *delivery) went(again time.Duration, err error) {
	if err != nil {
		level := d.app.log.Warn
		switch discord.Classify(err) {
		case discord.Cancelled, discord.RateLimited:
			level = d.app.log.Debug
		case discord.UnknownChannel, discord.UnknownGuild:
			if again > 0 {
				level = d.app.log.Debug // the log tells when such a doubt begins and when it ends
			}
		}
		level("outbox", "table", d.in.Table, "key", d.in.Key, "again", again, "error", err)
	}
	if again > 0 {
		d.app.troubles.tried(d.in, d.app.clock.Now().Add(again), err)
	} else {
		d.app.troubles.tried(d.in, time.Time{}, nil)
	}
}

// postpone returns how long an intent waits whose turn does not come in time.
func (a *App) postpone(in store.Intent, tries int, err error) time.Duration {
	d := &delivery{app: a, in: in, tries: tries}
	again := d.later(err)
	d.went(again, err)
	return again
}

func (d *delivery) send(ctx context.Context) (time.Duration, error) {
	if err := json.Unmarshal(d.in.Payload, &d.want); err != nil {
		return 0, fmt.Errorf("unreadable intent: %w", err)
	}
	var err error
	if d.row, d.table, err = d.app.load(ctx, d.in.Table); err != nil {
		u := (*unreadableError)(nil)
		switch {
		case errors.As(err, &u) && d.want.What == whatProbe:
			d.row = u.row
			return d.probe(ctx) // all that it asks for stands in the row
		case errors.Is(err, store.ErrNotFound), u != nil:
			return 0, err
		}
		return d.backoff(), err
	}
	switch d.want.What {
	case whatBoard:
		return d.board(ctx)
	case whatPanel:
		return d.panel(ctx)
	case whatInvite:
		return d.invite(ctx)
	case whatSeated:
		return d.seated(ctx)
	case whatOver:
		return d.over(ctx)
	case whatBye:
		return d.bye(ctx)
	case whatShow:
		return d.show(ctx)
	case whatRetire:
		return d.retire(ctx)
	case whatUncall:
		return d.uncall(ctx)
	case whatOldDM:
		return d.oldDM(ctx)
	case whatCalls:
		d.answered(ctx)
		return 0, nil
	case whatRemind:
		return d.remind(ctx)
	case whatOffer:
		return d.offered(ctx)
	case whatStands:
		return d.stands(ctx)
	case whatOff:
		return d.sentOff(ctx)
	case whatBack:
		return d.letBack(ctx)
	case whatTaken:
		return d.taken(ctx)
	case whatLookup:
		return d.lookup(ctx)
	case whatProbe:
		return d.probe(ctx)
	default:
		return 0, fmt.Errorf("unknown intent %q", d.want.What)
	}
}

// backoff is the wait after a failure that may pass by itself.
func (d *delivery) backoff() time.Duration {
	return min(retryFirst<<min(d.tries, 12), retryMost)
}

// nonce makes a message that may have been sent before a crash the same message: Discord gives the first one back for some minutes. It
// depends on what the message is, not on which attempt it is.
func (d *delivery) nonce(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendln([]byte(d.in.Table), parts...))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// board shows the board as it is now: by editing it, or by posting it if there is none that can be edited.
func (d *delivery) board(ctx context.Context) (time.Duration, error) {
	if lost(&d.table) {
		return 0, nil
	}
	if wait := d.app.shows.left(d.in.Table, d.app.clock.Now()); wait > 0 {
		return wait, nil // the channel is watching how it came to what this board would say
	}
	message := d.draw(ctx)
	live, ok, err := d.app.store.Surface(ctx, d.in.Table, boardName)
	if err != nil {
		return d.backoff(), err
	}
	if !ok {
		return d.post(ctx, message, "")
	}
	if d.editByToken(ctx, live, message) {
		d.answered(ctx)
		return 0, nil
	}
	edit := func() error {
		return d.app.revise(ctx, live.Channel, live.Message, message)
	}
	err = edit()
	switch discord.Classify(err) {
	case discord.None:
		d.trusted()
		d.answered(ctx)
		return 0, nil
	case discord.UnknownMessage, discord.NotOurs:
		return d.postAnew(ctx, message, live)
	case discord.OldEdit:
		return d.postBeside(ctx, message, live)
	case discord.ThreadArchived:
		return d.unarchived(ctx, live.Channel, edit)
	default:
		return d.channelFailure(ctx, err)
	}
}

// draw makes the board, one after the other: many at once would take all cores from those who wait
// for an answer. What it shows is read before, so that nobody waits for another's disk.
func (d *delivery) draw(ctx context.Context) discord.Message {
	public, links := d.app.boardParts(ctx, &d.table)
	d.app.pictures.pen.Lock()
	defer d.app.pictures.pen.Unlock()
	return d.app.drawBoard(&d.table, &public, links)
}

// editByToken edits the board with the token of a recent press on it, which does not count against the bot's limit.
func (d *delivery) editByToken(ctx context.Context, live store.Surface, message discord.Message) bool {
	i, ok := d.app.fresh.get(d.in.Table, live.Message, d.app.clock.Now())
	if !ok {
		return false
	}
	err := d.app.revised(ctx, live.Channel, live.Message, message, func(m discord.Message) (discord.MessageRef, error) {
		return d.app.discord.EditOriginal(ctx, i, m)
	})
	if err != nil {
		d.app.fresh.drop(d.in.Table)
		return false
	}
	d.trusted()
	return true
}

// post makes a new board in place of the one called old.
func (d *delivery) post(ctx context.Context, message discord.Message, old string) (time.Duration, error) {
	message.Nonce = d.nonce("board", old)
	ref, err := d.app.illustrated(d.table.Channel(), "", message, func(m discord.Message) (discord.MessageRef, error) {
		return d.create(ctx, d.table.Channel(), m)
	})
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.put(boardName, ref, d.table.Prompt())
	return 0, nil
}

// postAnew makes a new board in place of one that is gone, as Discord says. Where it stands all the
// same, it leads to the new one.
func (d *delivery) postAnew(ctx context.Context, message discord.Message, old store.Surface) (time.Duration, error) {
	again, err := d.post(ctx, message, old.Message)
	if err == nil && again == 0 {
		d.app.retire(ctx, d.in.Table, old.Channel, old.Message)
	}
	return again, err
}

// create posts a message; an archived thread is opened for it.
func (d *delivery) create(ctx context.Context, channel string, message discord.Message) (discord.MessageRef, error) {
	ref, err := d.app.discord.CreateMessage(ctx, channel, message)
	if discord.Classify(err) == discord.ThreadArchived && d.app.discord.Unarchive(ctx, channel) == nil {
		ref, err = d.app.discord.CreateMessage(ctx, channel, message)
	}
	if err == nil && channel == d.table.Channel() {
		d.trusted()
	}
	if ref.Channel == "" {
		ref.Channel = channel
	}
	return ref, err
}

func (d *delivery) put(name string, ref discord.MessageRef, prompt uint64) {
	if ref.ID == "" {
		return // the server did not say which message it made; the next press on it finds the table by its custom id
	}
	d.settle.Put = append(d.settle.Put, store.Surface{
		Table: d.in.Table, Name: name, Channel: ref.Channel, Message: ref.ID, Posted: d.app.clock.Now(), Prompt: prompt,
	})
}

// unarchived opens a thread and tries once more.
func (d *delivery) unarchived(ctx context.Context, channel string, again func() error) (time.Duration, error) {
	err := d.app.discord.Unarchive(ctx, channel)
	if err == nil {
		err = again()
	}
	if err == nil {
		return 0, nil
	}
	return d.channelFailure(ctx, err)
}

// channelFailure says what a failure in the table's channel means.
func (d *delivery) channelFailure(ctx context.Context, err error) (time.Duration, error) {
	switch discord.Classify(err) {
	case discord.UnknownChannel, discord.UnknownGuild:
		return d.suspected(ctx, err), err
	case discord.MissingAccess, discord.MissingPermission, discord.ThreadLocked, discord.ThreadArchived:
		return retryBlocked, err
	case discord.Invalid, discord.Blocked, discord.TooLarge, discord.TooLong, discord.UnknownEmoji:
		return 0, err // sending the same once more cannot help
	case discord.Other, discord.NotOurs, discord.WrongChannelType, discord.UnknownMessage, discord.UnknownMember:
		return d.unknown(err), err
	default:
		return d.later(err), err
	}
}

// unknown is how long to wait after a refusal of which nobody knows what it means; 0 if it is given up.
func (d *delivery) unknown(err error) time.Duration {
	if d.unexplained >= unexplainedMost {
		return 0
	}
	return d.later(err)
}

// later is how long to wait after a failure that time mends.
func (d *delivery) later(err error) time.Duration {
	wait := d.backoff()
	var failure *discord.Error
	if errors.As(err, &failure) {
		wait = max(wait, failure.RetryAfter)
	}
	switch discord.Classify(err) {
	case discord.Cloudflare, discord.DMTooFast:
		wait = max(wait, dmPause)
	case discord.Disabled:
		wait = max(wait, time.Minute)
	}
	return wait
}

// panel sends a seat its panel by DM, because it is to move or because the cards were dealt. What has become untrue meanwhile is not
// sent.
func (d *delivery) panel(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	who, mine, ok := d.owner(ctx, seat)
	if !ok || d.table.Stage() != table.Playing {
		return 0, nil
	}
	if d.want.Prompt != 0 && !d.want.Taken && (d.want.Prompt != d.table.Prompt() || !mine.MyTurn()) {
		return 0, nil
	}
	if d.want.RanOut {
		return d.outOfTime(ctx, seat, who, &mine)
	}
	if d.want.Mention {
		return d.mention(ctx, who, seat)
	}
	if d.want.Instead != 0 {
		return d.ping(ctx, seat)
	}
	old, sent, err := d.app.store.Surface(ctx, d.in.Table, panelKey(seat))
	if err != nil {
		return d.backoff(), err
	} else if sent && d.want.Prompt != 0 && !d.want.Taken && old.Prompt == d.want.Prompt {
		return 0, nil
	}
	to := d.to(ctx, who.ID)
	note := ""
	if d.want.Taken {
		note = to.pr.StandInNote(&mine.Public, seat)
	}
	message := to.pr.Panel(&mine, render.Selection{}, render.PanelOptions{
		DM: true, AsOf: d.app.clock.Now(), BoardLink: d.app.boardLink(ctx, d.table.Guild(), d.in.Table), Note: note,
		Hand: d.app.handPicture(&mine, to), Hint: to.hint(&mine),
	})
	if d.want.Quiet {
		return d.quietly(ctx, seat, who, message)
	}
	message.Nonce = d.nonce("panel", seat, d.want.Prompt)
	if d.want.Taken {
		message.Nonce = d.nonce("panel", seat, who.ID, d.in.Generation)
	}
	ref, again, err := d.dm(ctx, who, message)
	switch {
	case errors.Is(err, errClosedDM):
		return d.instead(ctx)
	case again > 0 || err != nil:
		return again, err
	}
	asked := d.want.Prompt
	if mine.MyTurn() {
		asked = d.table.Prompt() // a deal that goes out late asks the question that is open by then
	}
	if err := d.sentDM(ctx, who.ID, seat, ref, asked); err != nil {
		return d.backoff(), err
	}
	if sent && old.Channel != ref.Channel && old.Message != "" {
		return d.dieBeside(ctx, seat, old)
	}
	return 0, nil
}

// owner returns who holds the seat and what they may know; false where nobody does who can be told anything.
func (d *delivery) owner(ctx context.Context, seat paladin.Seat) (table.Person, table.Private, bool) {
	public := d.table.Public()
	if seat < 0 || int(seat) >= len(public.Seats) {
		return table.Person{}, table.Private{}, false
	}
	who := public.Seats[seat].Person
	mine, ok := d.app.privateOf(ctx, &d.table, who.ID)
	return who, mine, ok && !who.ID.Forgotten()
}

// errClosedDM: this person takes no DMs from the bot, or not this one.
var errClosedDM = errors.New("direct messages are closed")

// instead leaves it to the lane of the table's channel to say there what no DM can say. In the lane of the person it would wait for
// whatever is in the way in that channel, and with it all that other tables have to tell them.
func (d *delivery) instead(ctx context.Context) (time.Duration, error) {
	in := d.want
	in.Instead = d.in.Generation
	var c store.Change
	if err := addIntent(&c, "instead/"+d.in.Key, d.table.Channel(), in); err != nil {
		return 0, err
	}
	if err := d.app.enqueue(ctx, d.in.Table, c.Intents); err != nil {
		return d.backoff(), err
	}
	return 0, nil
}

// dm writes to a person, without a sound where it is night for them. A closed DM is remembered for some days and never holds up a game.
// What is refused for another reason, for good, counts as closed this once: there is another way to reach them.
func (d *delivery) dm(ctx context.Context, who table.Person, message discord.Message) (discord.MessageRef, time.Duration, error) {
	user, err := d.app.store.User(ctx, string(who.ID))
	if err != nil {
		return discord.MessageRef{}, d.backoff(), err
	}
	if user.DMClosedUntil.After(d.app.clock.Now()) {
		return discord.MessageRef{}, 0, errClosedDM
	}
	message.Silent = d.asleep(user)
	channel := user.DMChannel
	for attempt := 0; ; attempt++ {
		if channel == "" {
			if channel, err = d.app.discord.OpenDM(ctx, string(who.ID)); err != nil {
				return d.dmFailure(ctx, who, err)
			}
			d.remember(who, func(u *store.User) { u.DMChannel = channel })
		}
		ref, err := d.app.illustrated(channel, "", message, func(m discord.Message) (discord.MessageRef, error) {
			return d.app.discord.CreateMessage(ctx, channel, m)
		})
		if err == nil {
			if ref.Channel == "" {
				ref.Channel = channel
			}
			if !user.DMClosedUntil.IsZero() {
				d.remember(who, func(u *store.User) { u.DMClosedUntil = time.Time{} })
			}
			return ref, 0, nil
		}
		if discord.Classify(err) != discord.UnknownChannel || attempt > 0 {
			return d.dmFailure(ctx, who, err)
		}
		channel = "" // this DM channel is gone, and that is all: open it once more, and then forget the old one
	}
}

func (d *delivery) dmFailure(
	ctx context.Context, who table.Person, err error,
) (discord.MessageRef, time.Duration, error) {
	var failure *discord.Error
	if errors.As(err, &failure) && failure.Code == discord.CodeNoMutualGuild {
		d.mayHaveLeft(ctx, who) // no server is shared any more, this table's least of all
		return discord.MessageRef{}, 0, errClosedDM
	}
	switch class := discord.Classify(err); class {
	case discord.CannotDM, discord.UnknownMember, discord.UnknownChannel, discord.MissingAccess, discord.MissingPermission:
		now := d.app.clock.Now()
		d.remember(who, func(u *store.User) {
			wait := dmClosedFirst
			if class == discord.CannotDM && !u.DMClosedUntil.IsZero() {
				wait = dmClosedFor
			}
			u.DMClosedUntil = now.Add(wait)
		})
		return discord.MessageRef{}, 0, errClosedDM
	case discord.Other:
		if again := d.unknown(err); again > 0 {
			return discord.MessageRef{}, again, err
		}
	case discord.Invalid, discord.Blocked, discord.TooLarge, discord.TooLong, discord.UnknownEmoji, discord.WrongChannelType, discord.NotOurs, discord.UnknownMessage:
	default:
		return discord.MessageRef{}, d.later(err), err
	}
	d.app.log.Warn("a direct message is refused", "table", d.in.Table, "key", d.in.Key, "error", err)
	return discord.MessageRef{}, 0, errClosedDM
}

// mayHaveLeft has the server asked whether somebody is still in it.
func (d *delivery) mayHaveLeft(ctx context.Context, who table.Person) {
	seat := d.table.SeatOf(who.ID)
	if seat == paladin.NoSeat || !d.table.Live() {
		return
	}
	var c store.Change
	err := addLookup(&c, seat, who.ID)
	if err == nil {
		err = d.app.enqueue(ctx, d.in.Table, c.Intents)
	}
	if err != nil {
		d.app.log.Error("somebody who may have left cannot be looked for", "table", d.in.Table, "error", err)
	}
}

// remember changes what is known of a person, with the settlement.
func (d *delivery) remember(who table.Person, change func(*store.User)) {
	d.settle.Users = append(d.settle.Users, store.UserUpdate{ID: string(who.ID), Update: change})
}

// ping calls somebody in the channel whose DMs are closed: the first time it also says how they read their cards.
func (d *delivery) ping(ctx context.Context, seat paladin.Seat) (time.Duration, error) {
	public := d.table.Public()
	name := fmt.Sprintf("ping/%d", seat)
	old, told, err := d.app.store.Surface(ctx, d.in.Table, name)
	if err != nil {
		return d.backoff(), err
	}
	if d.want.Taken {
		told = false // it was told to whoever held the seat before
	}
	if told && (d.want.Prompt == 0 || old.Prompt == d.want.Prompt) {
		return 0, nil
	}
	who := public.Seats[seat].Person
	if told {
		return d.mention(ctx, who, seat)
	}
	if _, called, err := d.mentioned(ctx, seat); err != nil {
		return d.backoff(), err
	} else if called {
		return 0, nil
	}
	message := d.pr().NoDM(&public, seat)
	message.Nonce = d.nonce("ping", seat, who.ID, d.want.Prompt)
	ref, err := d.create(ctx, d.table.Channel(), d.hushed(ctx, message, who))
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.put(name, ref, d.want.Prompt)
	return 0, nil
}

// invite calls people to the lobby.
func (d *delivery) invite(ctx context.Context) (time.Duration, error) {
	if d.table.Stage() != table.Lobby {
		return 0, nil
	}
	var called []table.Person
	for _, p := range d.want.Users {
		if seat := d.table.SeatOf(p.ID); seat == paladin.NoSeat || !d.table.Public().Seats[seat].Ready {
			called = append(called, p)
		}
	}
	if len(called) == 0 {
		return 0, nil
	}
	public := d.table.Public()
	message := d.pr().Invitation(&public, called, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
	message.Nonce = d.nonce("invite", d.in.Key, d.in.Generation)
	ref, err := d.create(ctx, d.table.Channel(), message)
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.put(d.in.Key, ref, 0)
	return 0, nil
}

// seated calls somebody from the queue who has a seat now.
func (d *delivery) seated(ctx context.Context) (time.Duration, error) {
	public := d.table.Public()
	var called []table.Person
	for _, p := range d.want.Users {
		if public.SeatOf(p.ID) != paladin.NoSeat {
			called = append(called, p)
		}
	}
	if len(called) == 0 || public.Over() {
		return 0, nil
	}
	message := d.pr().Seated(&public, called)
	message.Nonce = d.nonce("seated", d.in.Generation)
	ref, err := d.create(ctx, d.table.Channel(), message)
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.put(d.in.Key, ref, 0)
	return 0, nil
}

// over tells somebody how their game ended, by DM with their last panel of it, or calls people in the channel. Whoever takes no DMs
// is called there too: nobody is to find out by chance.
func (d *delivery) over(ctx context.Context) (time.Duration, error) {
	if d.want.Mention {
		return d.overInChannel(ctx, d.want.Users)
	}
	seat := paladin.Seat(d.want.Seat)
	who, mine, ok := d.owner(ctx, seat)
	if !ok || d.table.Live() {
		return 0, nil
	}
	if d.want.Instead != 0 {
		return d.overInChannel(ctx, []table.Person{who})
	}
	to := d.to(ctx, who.ID)
	message := to.pr.Panel(&mine, render.Selection{}, render.PanelOptions{
		DM: true, AsOf: d.app.clock.Now(), BoardLink: d.app.boardLink(ctx, d.table.Guild(), d.in.Table),
	})
	if d.want.Quiet {
		return d.quietly(ctx, seat, who, message)
	}
	message.Nonce = d.nonce("over", seat, who.ID)
	ref, again, err := d.dm(ctx, who, message)
	switch {
	case errors.Is(err, errClosedDM):
		if d.app.habitsNow(ctx)(who.ID).Way.Mention() {
			return 0, nil // an intent of its own says it there
		}
		return d.instead(ctx)
	case again > 0 || err != nil:
		return again, err
	}
	if err := d.sentDM(ctx, who.ID, seat, ref, d.table.Prompt()); err != nil {
		return d.backoff(), err
	}
	return 0, nil
}

// quietly brings the last direct message of a seat up to date, if it is its holder's, without calling them.
func (d *delivery) quietly(ctx context.Context, seat paladin.Seat, who table.Person, message discord.Message) (time.Duration, error) {
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
	return d.touched(d.reviseOrRemove(ctx, live.Channel, live.Message, message))
}

func (d *delivery) overInChannel(ctx context.Context, people []table.Person) (time.Duration, error) {
	public := d.table.Public()
	called := d.known(people)
	if len(called) == 0 {
		return 0, nil
	}
	message := d.pr().OverCall(&public, called, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
	message.Nonce = d.nonce("over", d.in.Key)
	if _, err := d.create(ctx, d.table.Channel(), d.hushed(ctx, message, called...)); err != nil {
		return d.channelFailure(ctx, err)
	}
	return 0, nil
}

// known are those of the people whom the table still knows: not whoever was forgotten since.
func (d *delivery) known(people []table.Person) []table.Person {
	part := partOf(&d.table)
	return slices.DeleteFunc(slices.Clone(people), func(p table.Person) bool { return !slices.Contains(part, string(p.ID)) })
}

// bye tells somebody once that the channel of their game is gone.
func (d *delivery) bye(ctx context.Context) (time.Duration, error) {
	who, _, ok := d.owner(ctx, paladin.Seat(d.want.Seat))
	if len(d.want.Users) > 0 {
		who, ok = d.want.Users[0], len(d.known(d.want.Users)) > 0
	}
	if !ok {
		return 0, nil
	}
	public := d.table.Public()
	message := d.to(ctx, who.ID).pr.Goodbye(&public, d.app.guildName(ctx, d.table.Guild()), d.table.Place())
	message.Nonce = d.nonce("bye", who.ID)
	_, again, err := d.dm(ctx, who, message)
	if errors.Is(err, errClosedDM) {
		return 0, nil // there is no other way to reach them
	}
	return again, err
}

// retire lets an old board point to the live one. Where that cannot be done now, it happens at the old board's first press.
func (d *delivery) retire(ctx context.Context) (time.Duration, error) {
	public := d.table.Public()
	link := d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	err := d.app.revise(ctx, d.want.Channel, d.want.Message, d.pr().Retired(&public, link))
	return d.touchedOld(ctx, err)
}

// touched says what a failure to change an older message means: what time mends is tried again, and else its first press does it.
func (d *delivery) touched(err error) (time.Duration, error) {
	switch discord.Classify(err) {
	case discord.Temporary, discord.RateLimited, discord.SlowDown, discord.Cloudflare, discord.Disabled:
		return d.later(err), err
	case discord.Other:
		return d.unknown(err), err
	default:
		return 0, err
	}
}

// mention tells somebody in the channel that it is their move, because they chose to be told there or take no direct messages.
func (d *delivery) mention(ctx context.Context, who table.Person, seat paladin.Seat) (time.Duration, error) {
	old, called, err := d.mentioned(ctx, seat)
	if err != nil {
		return d.backoff(), err
	} else if called {
		return 0, nil
	}
	public := d.table.Public()
	message := d.pr().TurnPing(&public, seat, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
	message.Nonce = d.nonce("mention", seat, d.want.Prompt)
	ref, err := d.create(ctx, d.table.Channel(), d.hushed(ctx, message, who))
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.called(ctx, seat, ref, old)
	return 0, nil
}

// called notes how a seat was called in the channel, and removes the call before it: a channel full of calls long answered is no place to
// talk, and it pushes the board away. One that cannot be removed now is removed later, and keeps
// nothing in the channel waiting.
func (d *delivery) called(ctx context.Context, seat paladin.Seat, ref discord.MessageRef, old store.Surface) {
	d.put(mentionKey(seat), ref, d.want.Prompt)
	if old.Message == "" || ref.ID == "" || ref.ID == old.Message {
		return
	}
	err := d.app.discord.DeleteMessage(ctx, old.Channel, old.Message)
	if again, _ := d.touched(err); again > 0 {
		err = d.beside(ctx, "uncall/"+old.Message, uncallLane(old.Channel), intent{What: whatUncall, Channel: old.Channel, Message: old.Message})
	}
	if err != nil {
		d.app.log.Debug("an earlier call stays", "table", d.in.Table, "seat", seat, "error", err)
	}
}

// uncall removes a call that could not be removed when a newer one took its place.
func (d *delivery) uncall(ctx context.Context) (time.Duration, error) {
	err := d.app.discord.DeleteMessage(ctx, d.want.Channel, d.want.Message)
	if discord.Classify(err) == discord.UnknownMessage {
		return 0, nil
	}
	return d.touched(err)
}

// beside leaves something to an intent of its own, which waits for Discord without this one.
func (d *delivery) beside(ctx context.Context, key, lane string, in intent) error {
	var c store.Change
	if err := addIntent(&c, key, lane, in); err != nil {
		return err
	}
	return d.app.enqueue(ctx, d.in.Table, c.Intents)
}

// mentioned returns how the seat was called last in the channel, and whether that told it of this question already.
func (d *delivery) mentioned(ctx context.Context, seat paladin.Seat) (old store.Surface, called bool, err error) {
	old, told, err := d.app.store.Surface(ctx, d.in.Table, mentionKey(seat))
	return old, told && d.want.Prompt != 0 && !d.want.Taken && old.Prompt == d.want.Prompt, err
}

func mentionKey(seat paladin.Seat) string { return fmt.Sprintf("mention/%d", seat) }

// lookup asks Discord whether somebody whose time ran out is still in the server. It needs no privileged intent.
func (d *delivery) lookup(ctx context.Context) (time.Duration, error) {
	who, mine, ok := d.owner(ctx, paladin.Seat(d.want.Seat))
	if !ok || mine.Away || d.table.Guild() == "" {
		return 0, nil
	}
	_, err := d.app.discord.GetMember(ctx, d.table.Guild(), string(who.ID))
	switch discord.Classify(err) {
	case discord.None:
		d.app.absences.end(d.table.Guild(), string(who.ID))
		return 0, nil
	case discord.UnknownMember:
		return d.missing(who, err), nil
	case discord.UnknownGuild:
		d.app.suspect(ctx, &d.row, discord.UnknownGuild)
		return 0, err // the next reminder asks again
	case discord.Temporary, discord.RateLimited, discord.SlowDown, discord.Cloudflare, discord.Disabled:
		return d.later(err), err
	default:
		return 0, err
	}
}

// missing hands on the seat of somebody who is not in the server, when a second look some time
// later says so too: a seat that was the last one's takes the game with it. It returns how long to
// wait for that look.
func (d *delivery) missing(who table.Person, err error) time.Duration {
	guild, user := d.table.Guild(), string(who.ID)
	if d.app.server(guild) == serverDown {
		return d.later(err)
	}
	if !d.app.absences.confirmed(guild, user, d.app.clock.Now()) {
		return absentAgain
	}
	d.app.absences.end(guild, user)
	d.app.goneFrom(d.in.Table, who.ID)
	return 0
}
