package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// sendOff answers somebody who manages the channel: with the list of seats, with the question about one, or by handing it to a squire.
func (a *App) sendOff(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	if len(id.Args) == 0 {
		return a.sendOffList(i, t, "")
	}
	n, err := strconv.Atoi(id.Arg(0))
	user := table.UserID(id.Arg(1))
	if err != nil || n < 1 || n > table.MaxSeats || user == "" {
		return say(i.pr.Say(render.TextForgedPress))
	}
	cmd := table.SendOff{Seat: paladin.SeatNumber(n), User: user}
	if id.Arg(2) != press.Sure {
		return a.askSendOff(i, t, cmd)
	}
	name := t.Holder(cmd.Seat).Name
	if public := t.Public(); t.OwnedSeat(user) == cmd.Seat {
		name = public.Seats[cmd.Seat].Owner.Name
	}
	return a.manageSeat(ctx, i, t, cmd, name)
}

// letBack lets somebody back who was sent off.
func (a *App) letBack(ctx context.Context, i *request, user table.UserID, t *table.Table) answer {
	if user == "" {
		return say(i.pr.Say(render.TextForgedPress))
	}
	name := ""
	for _, who := range t.Public().SentOff {
		if who.ID == user {
			name = who.Name
		}
	}
	return a.manageSeat(ctx, i, t, table.LetBack{User: user}, name)
}

// sendOffList shows the seats that can be handed to a squire, below a note, to whoever may do so.
func (a *App) sendOffList(i *request, t *table.Table, note string) answer {
	public, by := t.Public(), actor(i)
	if refusal := t.SendingOff(by); refusal != nil {
		return say(i.pr.RefusalText(refusal, &public))
	}
	return answer{message: i.pr.SendOffList(&public, by.ID, note), update: true}
}

// askSendOff asks before a seat is handed to a squire, or says why it cannot be.
func (a *App) askSendOff(i *request, t *table.Table, cmd table.SendOff) answer {
	public := t.Public()
	_, _, err := t.Do(actor(i), cmd, a.clock.Now())
	var refusal *table.Refusal
	if errors.As(err, &refusal) {
		return a.sendOffList(i, t, i.pr.RefusalText(refusal, &public))
	}
	if err != nil {
		return a.failure(i, "send off", t.ID(), err)
	}
	return answer{message: i.pr.ConfirmSendOff(&public, cmd.Seat, cmd.User), update: true}
}

// manageSeat carries out what somebody who manages the channel decides about a player, and shows the list as it is then.
func (a *App) manageSeat(ctx context.Context, i *request, t *table.Table, cmd table.Command, name string) answer {
	res := a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public := res.table.Public()
	switch refusal := res.refusal(); {
	case refusal != nil:
		return a.sendOffList(i, &res.table, i.pr.RefusalText(refusal, &public))
	case res.repeated:
		return a.sendOffList(i, &res.table, i.pr.Say(render.TextRepeated))
	}
	return answer{message: i.pr.SendOffList(&public, table.UserID(i.User.ID), i.pr.SentOffReceipt(&public, cmd, name)), update: true}
}

// typedSendOff does what the command names: it asks about a seat, or lets somebody back.
func (a *App) typedSendOff(ctx context.Context, i *request, t *table.Table) answer {
	public, by := t.Public(), actor(i)
	if refusal := t.SendingOff(by); refusal != nil {
		return say(i.pr.RefusalText(refusal, &public))
	}
	cmd, ok := i.pr.ReadSendOff(&public, by.ID, i.Command.Text(render.OptSeat))
	if !ok {
		return a.sendOffList(i, t, i.pr.Say(render.TextSendOffUnknown))
	}
	switch cmd := cmd.(type) {
	case table.SendOff:
		return a.askSendOff(i, t, cmd)
	case table.LetBack:
		return a.letBack(ctx, i, cmd.User, t)
	default:
		return a.failure(i, "send off", t.ID(), fmt.Errorf("unknown command %T", cmd))
	}
}

// planSentOff tells whoever was sent off or let back, and the owner of a seat whose stand-in was sent off. The second person of these
// intents is who did it.
func planSentOff(c *store.Change, out table.Outcome) error {
	var sent table.Line
	for _, line := range out.Lines {
		who := table.Person{ID: line.User, Name: line.Name}
		in := intent{What: whatOff, Seat: int(line.Seat), Users: []table.Person{who, {ID: line.By, Name: line.Other}}}
		switch line.Kind {
		case table.LineSentOff:
			sent = line
		case table.LineReturned:
			in.Users[1] = table.Person{ID: sent.By, Name: sent.Other}
			in.Users = append(in.Users, table.Person{ID: sent.User, Name: sent.Name})
		case table.LineLetBack:
			in.What = whatBack
		default:
			continue
		}
		if err := addIntent(c, "off/"+string(who.ID), dmLane(who.ID), in); err != nil {
			return err
		}
	}
	return nil
}

// sentOff tells somebody that they were sent off, or that whoever stood in for them was. Who was let back meanwhile is told that.
func (d *delivery) sentOff(ctx context.Context) (time.Duration, error) {
	if !d.concerned() {
		return 0, nil
	}
	who, by := d.want.Users[0], d.want.Users[1]
	public := d.app.publicOf(ctx, &d.table)
	pr, link := d.to(ctx, who.ID).pr, d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	message := pr.SentOff(&public, paladin.Seat(d.want.Seat), who.ID, by.Name, link)
	if len(d.want.Users) > 2 {
		if d.table.Holder(paladin.Seat(d.want.Seat)).ID != who.ID || !d.table.Live() {
			return 0, nil
		}
		message = pr.StandInSentOff(&public, who.ID, d.want.Users[2].Name, by.Name, link)
	}
	return d.tell(ctx, who, "off", message)
}

// letBack tells somebody that they may come back.
func (d *delivery) letBack(ctx context.Context) (time.Duration, error) {
	if !d.concerned() || !d.table.Live() || d.table.SentOff(d.want.Users[0].ID) {
		return 0, nil
	}
	who, by := d.want.Users[0], d.want.Users[1]
	public := d.app.publicOf(ctx, &d.table)
	link := d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	return d.tell(ctx, who, "back", d.to(ctx, who.ID).pr.LetBack(&public, who.ID, by.Name, link))
}

// concerned reports whether the first person of the intent has, or had, a seat at the table still.
func (d *delivery) concerned() bool {
	if len(d.want.Users) < 2 {
		return false
	}
	who := d.want.Users[:1]
	return len(d.known(who)) > 0 || d.table.FormerSeat(who[0].ID) != paladin.NoSeat
}
