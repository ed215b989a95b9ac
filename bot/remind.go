package bot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// digestCovers is how long a reminder that told of several games stands at least for the reminders of the others.
const digestCovers = 30 * time.Minute

// covered is how long it does so for a game of this pace: half the time between two reminders, so that games which began at different
// hours of a day do not make as many digests.
func covered(h table.Habits, p table.Pace) time.Duration { return max(h.Between(p)/2, digestCovers) }

// remind tells the awaited person once more. It is made from the state at this moment: never "you have not moved" to somebody who has,
// never in the night, never to somebody who wants it no more.
func (d *delivery) remind(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	who, mine, ok := d.owner(ctx, seat)
	if !ok || d.want.Prompt != d.table.Prompt() || !mine.MyTurn() || mine.Paused {
		return 0, nil
	}
	user, err := d.app.store.User(ctx, string(who.ID))
	if err != nil {
		return d.backoff(), err
	}
	known := readHabits(user)
	chosen := known.table()
	now := d.app.clock.Now()
	if chosen.Asleep(mine.Options.Pace, now) || chosen.Count() == 0 {
		return 0, nil // it was held up on its way
	}
	live := mine.Options.Pace == table.PaceLive
	told := !live && known.Digest.covers(d.in.Table, d.want.Prompt, now, covered(chosen, mine.Options.Pace))
	if d.want.Mention {
		if !chosen.Way.Mention() || told && known.Digest.From != d.in.Table {
			return 0, nil
		}
		return d.remindInChannel(ctx, seat, &mine)
	}
	if !chosen.Way.DM() || told {
		return 0, nil
	}
	if d.want.Instead != 0 {
		return d.remindInChannel(ctx, seat, &mine)
	}
	again, err := d.remindByDM(ctx, who, &mine, live)
	if errors.Is(err, errClosedDM) {
		if chosen.Way.Mention() {
			return 0, nil // an intent of its own says it there
		}
		return d.instead(ctx)
	}
	return again, err
}

// covers reports whether the digest told of this question a short while ago.
func (g *digest) covers(id string, prompt uint64, now time.Time, while time.Duration) bool {
	if g == nil {
		return false
	}
	step, told := g.Steps[id]
	since := now.Sub(time.Unix(g.At, 0))
	return told && step == prompt && since >= 0 && since < while
}

func (d *delivery) remindInChannel(ctx context.Context, seat paladin.Seat, mine *table.Private) (time.Duration, error) {
	old, _, err := d.mentioned(ctx, seat)
	if err != nil {
		return d.backoff(), err
	}
	message := d.pr().TurnPing(&mine.Public, seat, d.app.boardLink(ctx, d.table.Guild(), d.in.Table))
	message.Nonce = d.nonce("remind in channel", seat, cmp.Or(d.want.Instead, d.in.Generation))
	ref, err := d.create(ctx, d.table.Channel(), message)
	if err != nil {
		return d.channelFailure(ctx, err)
	}
	d.called(ctx, seat, ref, old)
	return 0, nil
}

// remindByDM sends the panel anew, or, to somebody for whom several games wait, one list of them. In a live game nobody reads lists.
func (d *delivery) remindByDM(ctx context.Context, who table.Person, mine *table.Private, live bool) (time.Duration, error) {
	list, _, err := d.app.gamesOf(ctx, who.ID)
	if err != nil {
		return d.backoff(), err
	}
	waiting := waitingFor(list)
	if len(waiting) > 1 && !live {
		return d.digest(ctx, who, waiting)
	}
	here := render.Listed{Public: &mine.Public, Seat: mine.Seat, Link: d.app.boardLink(ctx, d.table.Guild(), d.in.Table)}
	to := d.to(ctx, who.ID)
	message := to.pr.Panel(mine, render.Selection{}, render.PanelOptions{
		DM: true, AsOf: d.app.clock.Now(), BoardLink: here.Link, Note: to.pr.ReminderNote(here),
		Hand: d.app.handPicture(mine, to), Hint: to.hint(mine),
	})
	message.Nonce = d.nonce("remind", mine.Seat, d.in.Generation)
	ref, again, err := d.dm(ctx, who, message)
	if again == 0 && err == nil {
		if err := d.sentDM(ctx, who.ID, mine.Seat, ref, d.want.Prompt); err != nil {
			return d.backoff(), err
		}
	}
	return again, err
}

// digest tells somebody of all the games that wait for them at once.
func (d *delivery) digest(ctx context.Context, who table.Person, waiting []render.Listed) (time.Duration, error) {
	message := d.to(ctx, who.ID).pr.Digest(waiting)
	message.Nonce = d.nonce("digest", d.in.Generation)
	ref, again, err := d.dm(ctx, who, message)
	if again > 0 || err != nil {
		return again, err
	}
	told := &digest{At: d.app.clock.Now().Unix(), From: d.in.Table, Steps: map[string]uint64{}, Channel: ref.Channel, Message: ref.ID}
	if user, err := d.app.store.User(ctx, string(who.ID)); err == nil {
		if old := readHabits(user).Digest; old != nil && old.Message != ref.ID && old.Channel == ref.Channel {
			d.supersede(ctx, who.ID, paladin.NoSeat, store.Surface{Channel: old.Channel, Message: old.Message})
		}
	}
	for _, l := range waiting {
		told.Steps[l.Public.ID] = l.Public.Prompt
	}
	d.remember(who, func(u *store.User) { updateHabits(u, func(h *habits) { h.Digest = told }) })
	return 0, nil
}

// hushed makes a message in the channel come without a sound where it is night for anybody whom it calls.
func (d *delivery) hushed(ctx context.Context, m discord.Message, called ...table.Person) discord.Message {
	m.Silent = slices.ContainsFunc(called, func(p table.Person) bool {
		u, err := d.app.store.User(ctx, string(p.ID))
		return err == nil && d.asleep(u)
	})
	return m
}

// asleep reports whether it is night for a person, in a game of this pace.
func (d *delivery) asleep(u store.User) bool {
	return decodeHabits(u).Asleep(d.table.Options().Pace, d.app.clock.Now())
}
