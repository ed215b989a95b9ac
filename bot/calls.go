package bot

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// outMark is the data of a call in the channel that says that the time of the one called ran out.
const outMark = "out"

// callsNow is what is to become of a message that calls somebody in the channel.
type callsNow int

const (
	callStands callsNow = iota
	callGoes
	callRanOut
)

// callsOf says what is to become of a message in the table's channel. What calls somebody goes when it
// was answered, or says that the time ran out; an invitation goes when there is no lobby any more.
func callsOf(p *table.Public, sf *store.Surface) callsNow {
	kind, arg, _ := strings.Cut(sf.Name, "/")
	if sf.Message == "" {
		return callStands
	}
	switch kind {
	case "invite", "seated":
		if p.Stage == table.Lobby {
			return callStands
		}
		return callGoes
	case "offer":
		if p.Stage == table.Playing && offers(p, sf.Name) {
			return callStands
		}
		return callGoes
	case "mention", "ping":
	default:
		return callStands
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n >= len(p.Seats) || p.Stage != table.Playing {
		return callGoes
	}
	seat := p.Seats[n]
	switch open := p.Awaited == paladin.Seat(n) && sf.Prompt == p.Prompt; {
	case sf.Prompt == 0, open && seat.Human() && !seat.Away:
		return callStands
	case !seat.Away && seat.Missed == 0:
		return callGoes
	case string(sf.Data) == outMark:
		return callStands
	}
	return callRanOut
}

// answered clears the channel of calls that say what is no longer true. The board, which was brought up
// to date before, says the rest. It keeps nothing in the channel waiting.
func (d *delivery) answered(ctx context.Context) {
	shown, err := d.app.store.Surfaces(ctx, d.in.Table)
	if err != nil {
		d.app.log.Warn("calls cannot be looked for", "table", d.in.Table, "error", err)
		return
	}
	public := d.table.Public()
	for i := range shown {
		switch sf := &shown[i]; callsOf(&public, sf) {
		case callGoes:
			d.withdraw(ctx, sf)
		case callRanOut:
			d.ranOut(ctx, &public, sf)
		}
	}
}

// answeredWithBoard has the channel cleared of answered calls, where the answer to a press has brought
// the board up to date.
func (a *App) answeredWithBoard(ctx context.Context, id string) {
	shown, err := a.store.Surfaces(ctx, id)
	if err != nil || len(shown) < 2 {
		return // the board alone
	}
	_, t, err := a.load(ctx, id)
	if err != nil {
		return
	}
	public := t.Public()
	if !slices.ContainsFunc(shown, func(sf store.Surface) bool { return callsOf(&public, &sf) != callStands }) {
		return
	}
	var c store.Change
	err = addIntent(&c, whatCalls, t.Channel(), intent{What: whatCalls})
	if err == nil {
		err = a.enqueue(ctx, id, c.Intents)
	}
	if err != nil {
		a.log.Warn("answered calls cannot be removed", "table", id, "error", err)
	}
}

// withdraw removes a call, now or as soon as that can be done.
func (d *delivery) withdraw(ctx context.Context, sf *store.Surface) {
	err := d.app.discord.DeleteMessage(ctx, sf.Channel, sf.Message)
	if again, _ := d.touched(err); again > 0 {
		in := intent{What: whatUncall, Channel: sf.Channel, Message: sf.Message}
		err = d.beside(ctx, "uncall/"+sf.Message, uncallLane(sf.Channel), in)
	}
	if err != nil && discord.Classify(err) != discord.UnknownMessage {
		d.app.log.Debug("a call stays", "table", d.in.Table, "call", sf.Name, "error", err)
	}
	d.misplaced(sf)
}

// misplaced forgets where a call stands. That somebody was told how they read their cards is not
// forgotten.
func (d *delivery) misplaced(sf *store.Surface) {
	if strings.HasPrefix(sf.Name, "ping/") {
		gone := *sf
		gone.Message, gone.Data = "", nil
		d.settle.Put = append(d.settle.Put, gone)
		return
	}
	d.settle.Forget = append(d.settle.Forget, sf.Name)
}

// ranOut lets a call say that the time of the one called ran out: whoever comes late learns why it is
// no longer their move.
func (d *delivery) ranOut(ctx context.Context, p *table.Public, sf *store.Surface) {
	_, arg, _ := strings.Cut(sf.Name, "/")
	n, _ := strconv.Atoi(arg)
	link := d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	err := d.app.revise(ctx, sf.Channel, sf.Message, d.pr().RanOut(p, paladin.Seat(n), link))
	if err != nil {
		d.withdraw(ctx, sf)
		return
	}
	told := *sf
	told.Data = []byte(outMark)
	d.settle.Put = append(d.settle.Put, told)
}

// uncallLane is the lane of calls that are to be removed: they wait for nothing, and nothing waits for
// them. retireLane is that of old boards.
func uncallLane(channel string) string { return "uncall/" + channel }

func retireLane(channel string) string { return "retire/" + channel }

// asideLane reports whether a lane is one of those: what is late in them says nothing to anybody.
func asideLane(lane string) bool {
	for _, of := range []string{uncallLane(""), retireLane(""), lookupLane(""), oldDMLane("")} {
		if strings.HasPrefix(lane, of) {
			return true
		}
	}
	return false
}

// touchedOld says what a failure to change an older message of the channel means. One that Discord lets
// nobody edit at present is edited later, on a lane of its own: nothing else in the channel waits for it.
func (d *delivery) touchedOld(ctx context.Context, err error) (time.Duration, error) {
	lane := retireLane(d.want.Channel)
	switch {
	case discord.Classify(err) != discord.OldEdit:
		return d.touched(err)
	case d.in.Channel == lane:
		return d.later(err), err
	}
	if failed := d.beside(ctx, d.in.Key, lane, d.want); failed != nil {
		return d.backoff(), failed
	}
	return 0, err
}

// reviseOrRemove edits a direct message, and removes one that Discord lets nobody edit at present: it
// would go on saying what is not true, and what is to be said to that person would wait for it.
func (d *delivery) reviseOrRemove(ctx context.Context, channel, message string, m discord.Message) error {
	err := d.app.revise(ctx, channel, message, m)
	if discord.Classify(err) == discord.OldEdit {
		err = d.app.discord.DeleteMessage(ctx, channel, message)
	}
	return err
}

// postBeside makes a new board in place of one that Discord lets nobody edit at present. The old one
// leads to it as soon as it can be edited; the new one does not wait for that.
func (d *delivery) postBeside(ctx context.Context, message discord.Message, old store.Surface) (time.Duration, error) {
	again, err := d.post(ctx, message, old.Message)
	if err != nil || again > 0 {
		return again, err
	}
	in := intent{What: whatRetire, Channel: old.Channel, Message: old.Message}
	if err := d.beside(ctx, "retire/"+old.Message, retireLane(old.Channel), in); err != nil {
		d.app.log.Error("an old board cannot be retired", "table", d.in.Table, "error", err)
	}
	return 0, nil
}

// boardNow brings the board up to date at Discord, which says whether it is there, and returns where it
// is then. words say no more than Discord has said.
func (a *App) boardNow(ctx context.Context, i *request, t *table.Table) (link, words string, err error) {
	asked, err := a.tryBoard(ctx, t)
	if err != nil {
		return "", "", err
	}
	if link = a.boardLink(ctx, t.Guild(), t.ID()); link == "" {
		link = render.ChannelLink(t.Guild(), t.Channel())
	}
	here := render.TextBoardHere
	if !asked {
		here = render.TextBoardUnasked
	}
	return link, a.warned(i, t, i.pr.Say(here)), nil
}
