package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// habitsNow reads somebody's habits when they are asked for. What cannot be read counts as the defaults, as in a store that is new.
func (a *App) habitsNow(ctx context.Context) func(table.UserID) table.Habits {
	return func(user table.UserID) table.Habits {
		u, err := a.store.User(ctx, string(user))
		if err != nil {
			a.log.Error("somebody's habits cannot be read", "error", err)
			return table.Habits{}
		}
		return decodeHabits(u)
	}
}

// publicOf is what everybody may know of the table, with the time until which the awaited person has.
func (a *App) publicOf(ctx context.Context, t *table.Table) table.Public {
	return t.PublicAt(a.habitsNow(ctx))
}

// privateOf is what this person may know, with the time until which the awaited person has.
func (a *App) privateOf(ctx context.Context, t *table.Table, user table.UserID) (table.Private, bool) {
	return t.PrivateAt(user, a.habitsNow(ctx))
}

// handedOver is what somebody sees whose seat is with a stand-in, or who stood in; false for everybody else.
func (a *App) handedOver(ctx context.Context, i *request, t *table.Table, note string) (discord.Message, bool) {
	user := table.UserID(i.User.ID)
	owned, former := t.OwnedSeat(user), t.FormerSeat(user)
	if t.Stage() != table.Playing || owned == paladin.NoSeat && former == paladin.NoSeat {
		return discord.Message{}, false
	}
	public := a.publicOf(ctx, t)
	if note == i.pr.RefusalText(&table.Refusal{Kind: table.NotSeated}, &public) {
		note = "" // what follows says it better
	}
	opt := render.PanelOptions{
		DM: i.Guild == "", AsOf: a.clock.Now(), BoardLink: a.boardLink(ctx, t.Guild(), t.ID()), Note: a.warned(i, t, note),
	}
	if owned != paladin.NoSeat {
		return i.pr.StoodIn(&public, owned, opt), true
	}
	return i.pr.HandedBack(&public, former, user, opt), true
}

// offer offers to stand in for a seat.
func (a *App) offer(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	seat, err := strconv.Atoi(id.Arg(0))
	if err != nil || seat < 1 || seat > len(t.Public().Seats) {
		return say(i.pr.Say(render.TextForgedPress))
	}
	return a.game(ctx, i, t, table.Offer{Seat: paladin.SeatNumber(seat)}, render.TextOffered)
}

// accept takes somebody's offer to stand in.
func (a *App) accept(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	number, err := strconv.Atoi(id.Arg(0))
	user := table.UserID(id.Arg(1))
	if err != nil || number < 1 || number > len(t.Public().Seats) || user == "" {
		return say(i.pr.Say(render.TextForgedPress))
	}
	seat := paladin.SeatNumber(number)
	return a.vote(ctx, i, t, table.Accept{Seat: seat, User: user}, func(p *table.Public) string {
		return i.pr.AcceptReceipt(p, seat, user)
	})
}

// pause votes to pause, or to go on.
func (a *App) pause(ctx context.Context, i *request, t *table.Table, pause bool) answer {
	cmd := table.Command(table.VotePause{})
	if !pause {
		cmd = table.VoteResume{}
	}
	receipt := func(p *table.Public) string { return i.pr.PauseReceipt(p, pause) }
	if !private(i) {
		return a.vote(ctx, i, t, cmd, receipt)
	}
	// The panel that was pressed says that the game is paused, or is to be: it shall not go on saying so.
	res, text, failed, ans := a.voted(ctx, i, t, cmd, receipt)
	if failed {
		return ans
	}
	return a.panel(ctx, i, &res.table, render.Selection{}, text)
}

// vote carries out a command whose receipt depends on the table after it, and answers with a small private message: it does not take
// the place of a panel that the person is looking at.
func (a *App) vote(ctx context.Context, i *request, t *table.Table, cmd table.Command, receipt func(*table.Public) string) answer {
	_, text, failed, ans := a.voted(ctx, i, t, cmd, receipt)
	if failed {
		return ans
	}
	return answer{message: render.NoteLink(text, i.pr.Say(render.LabelBoard), a.boardLink(ctx, t.Guild(), t.ID()))}
}

// voted carries out such a command and says what came of it, or gives the answer to one that failed.
func (a *App) voted(
	ctx context.Context, i *request, t *table.Table, cmd table.Command, receipt func(*table.Public) string,
) (res result, text string, failed bool, ans answer) {
	res = a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed = a.failed(i, &res, t.ID()); failed {
		return res, "", true, ans
	}
	public := a.publicOf(ctx, &res.table)
	text = i.pr.Say(render.TextRepeated)
	if refusal := res.refusal(); refusal != nil {
		text = i.pr.RefusalText(refusal, &public)
	} else if !res.repeated {
		text = receipt(&public)
	}
	return res, text, false, answer{}
}

// planHandovers tells a new holder of a seat all that it knows, and lets the old holder's message die.
func planHandovers(c *store.Change, before, after *table.Table, by table.UserID) error {
	if before == nil || before.Stage() != table.Playing || after.Stage() != table.Playing {
		return nil
	}
	for i := range table.MaxSeats {
		seat := paladin.Seat(i)
		was, is := before.Holder(seat), after.Holder(seat)
		if was.ID == is.ID {
			continue
		}
		if err := addIntent(c, takenKey(seat, was.ID), dmLane(was.ID), intent{What: whatTaken, Seat: i, Users: []table.Person{was}}); err != nil {
			return err
		}
		if err := planStandIn(c, after, seat); err != nil {
			return err
		}
		if after.Public().Seats[seat].Away {
			continue // planSentOff tells whose seat it is again
		}
		if is.ID == by {
			continue // they see the seat in the answer to their press
		}
		in := intent{What: whatPanel, Seat: i, Taken: true, Users: []table.Person{was}}
		if after.Awaited() == seat {
			in.Prompt = after.Prompt()
		}
		if err := addIntent(c, panelKey(seat), dmLane(is.ID), in); err != nil {
			return err
		}
	}
	return nil
}

// planStandIn tells the owner of a seat who stands in from now on: whoever it is reads their hand.
func planStandIn(c *store.Change, after *table.Table, seat paladin.Seat) error {
	owner := after.Public().Seats[seat].Owner
	if owner.ID == "" || owner.ID.Forgotten() {
		return nil
	}
	in := intent{What: whatStands, Seat: int(seat), Users: []table.Person{owner}}
	return addIntent(c, fmt.Sprintf("stands/%d", seat), dmLane(owner.ID), in)
}

// stands tells the owner of a seat who stands in. Who is back by then was told when they came back.
func (d *delivery) stands(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	public := d.app.publicOf(ctx, &d.table)
	if public.Stage != table.Playing || len(d.want.Users) == 0 || d.table.OwnedSeat(d.want.Users[0].ID) != seat {
		return 0, nil
	}
	owner := public.Seats[seat].Owner
	message := d.to(ctx, owner.ID).pr.StoodIn(&public, seat, render.PanelOptions{
		DM: true, AsOf: d.app.clock.Now(), BoardLink: d.app.boardLink(ctx, d.table.Guild(), d.in.Table),
	})
	return d.tell(ctx, owner, "stands", message)
}

// tell sends somebody a message of a kind that the board and My seat say too.
func (d *delivery) tell(ctx context.Context, who table.Person, kind string, message discord.Message) (time.Duration, error) {
	message.Nonce = d.nonce(kind, who.ID, d.in.Generation)
	_, again, err := d.dm(ctx, who, message)
	if errors.Is(err, errClosedDM) {
		return 0, nil
	}
	return again, err
}

// planOffers asks who can accept an offer to stand in: the host alone where that is enough, and else the others.
func planOffers(c *store.Change, after *table.Table, out table.Outcome, habits func(table.UserID) table.Habits) error {
	offer := func(l table.Line) bool { return l.Kind == table.LineOffer }
	if !slices.ContainsFunc(out.Lines, offer) {
		return nil
	}
	public := after.Public()
	for _, line := range out.Lines {
		if !offer(line) {
			continue
		}
		host, alone := public.SeatOf(public.Host), public.Seats[line.Seat].Away
		for i, s := range public.Seats {
			seat := paladin.Seat(i)
			if !s.Human() || s.Away || seat == line.Seat || alone && seat != host {
				continue
			}
			in := intent{What: whatOffer, Seat: i, Users: []table.Person{{ID: line.User, Name: line.Name}}}
			way := habits(s.Person.ID).Way
			if !alone && way.Mention() {
				way = table.RemindDM // several are asked: the channel is not to be full of it
			}
			if err := addNotice(c, after, s.Person, seat, in, "offer/"+string(line.User), way); err != nil {
				return err
			}
		}
	}
	return nil
}

// offered asks somebody about an offer that still stands.
func (d *delivery) offered(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	who, mine, ok := d.owner(ctx, seat)
	if !ok || mine.Away || len(d.want.Users) == 0 {
		return 0, nil
	}
	for _, o := range mine.Offers {
		if o.Person.ID != d.want.Users[0].ID {
			continue
		}
		pr := d.to(ctx, who.ID).pr
		if d.want.Mention {
			pr = d.pr()
		}
		message := pr.OfferNotice(&mine.Public, o, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
		message.Nonce = d.nonce("offer", seat, d.in.Generation)
		if d.want.Mention {
			message.AllowedUsers = []string{string(who.ID)}
			message = render.Calling(message, who.ID)
			ref, err := d.create(ctx, d.table.Channel(), d.hushed(ctx, message, who))
			if err != nil {
				return d.channelFailure(ctx, err)
			}
			d.put(offerName(seat, o, "channel"), ref, 0)
			return 0, nil
		}
		ref, again, err := d.dm(ctx, who, message)
		if errors.Is(err, errClosedDM) {
			return 0, nil // the board shows it too
		}
		if again == 0 && err == nil {
			d.put(offerName(seat, o, "dm"), ref, 0)
		}
		return again, err
	}
	return 0, nil
}

// offerName is the surface on which somebody, who holds the asked seat, is asked about an offer.
func offerName(asked paladin.Seat, o table.PublicOffer, where string) string {
	return fmt.Sprintf("%s%d/%s/%d/%s", offerNames, o.Seat, o.Person.ID, asked, where)
}

const offerNames = "offer/"

// offers reports whether the offer still stands about which a surface asks.
func offers(p *table.Public, name string) bool {
	return slices.ContainsFunc(p.Offers, func(o table.PublicOffer) bool {
		return strings.HasPrefix(name, fmt.Sprintf("%s%d/%s/", offerNames, o.Seat, o.Person.ID))
	})
}

// taken lets the message die in which somebody read a seat that is no longer theirs. Where that cannot be done now, it happens at its
// first press.
func (d *delivery) taken(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	if d.want.Message != "" {
		return d.left(ctx, seat)
	}
	old, ok, err := d.app.store.Surface(ctx, d.in.Table, panelKey(seat))
	if err != nil {
		return d.backoff(), err
	}
	if !ok || len(d.want.Users) == 0 {
		return 0, nil
	}
	was := d.want.Users[0]
	user, err := d.app.store.User(ctx, string(was.ID))
	if err != nil {
		return d.backoff(), err
	}
	if user.DMChannel != old.Channel {
		return 0, nil // the new holder's message has taken its place, and let it die
	}
	again, failed := d.touched(d.die(ctx, old))
	now, ok, err := d.app.store.Surface(ctx, d.in.Table, panelKey(seat))
	if err != nil {
		return d.backoff(), err
	}
	if ok && now.Message == old.Message { // and not the new holder's, who was written to meanwhile
		d.settle.Forget = append(d.settle.Forget, panelKey(seat))
	}
	return again, failed
}

// dieBeside lets the message of whoever held a seat before die, since the new holder's takes its
// place: from now on nothing else leads to it. What time mends is tried again beside the new
// holder's message, which is out.
func (d *delivery) dieBeside(ctx context.Context, seat paladin.Seat, old store.Surface) (time.Duration, error) {
	again, err := d.touched(d.die(ctx, old))
	if again == 0 {
		return 0, err
	}
	in := intent{What: whatTaken, Seat: int(seat), Users: d.want.Users, Channel: old.Channel, Message: old.Message}
	// Where nobody knows whose message it is, its channel says it: whoever is forgotten takes it
	// with them.
	key, lane := "taken/"+old.Message, old.Channel
	if len(in.Users) > 0 {
		key, lane = takenKey(seat, in.Users[0].ID), dmLane(in.Users[0].ID)
	}
	if failed := d.beside(ctx, key, lane, in); failed != nil {
		return d.backoff(), failed // the new holder's message goes out once more, and is the same by its nonce
	}
	return 0, err
}

// left lets a message die that is registered no more, unless whoever reads it holds the seat again.
func (d *delivery) left(ctx context.Context, seat paladin.Seat) (time.Duration, error) {
	if len(d.want.Users) > 0 && d.table.Holder(seat).ID == d.want.Users[0].ID {
		return 0, nil // then it is one of their own older messages
	}
	return d.touched(d.die(ctx, store.Surface{Channel: d.want.Channel, Message: d.want.Message}))
}

func takenKey(seat paladin.Seat, was table.UserID) string {
	return fmt.Sprintf("taken/%d/%s", seat, was)
}

// die takes cards and buttons off a message in which somebody read a seat that is no longer theirs. It is said in their words, as far as
// the delivery knows whose message that is, and else in the table's.
func (d *delivery) die(ctx context.Context, old store.Surface) error {
	pr := d.pr()
	if len(d.want.Users) > 0 {
		pr = d.to(ctx, d.want.Users[0].ID).pr
	}
	public := d.app.publicOf(ctx, &d.table)
	message := pr.NoLongerYours(&public, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
	return d.reviseOrRemove(ctx, old.Channel, old.Message, message)
}
