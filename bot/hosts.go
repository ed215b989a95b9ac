package bot

import (
	"context"

	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// hostHere notes that the host of a lobby pressed something that changed nothing in it: they are
// there, and what is the host's stays theirs.
func (a *App) hostHere(i *request, t *table.Table) {
	by := actor(i)
	if !t.HostUnheard(by.ID, a.clock.Now()) {
		return
	}
	a.submit(t.ID(), func(ctx context.Context) {
		res := a.act(store.Unhurried(ctx), t.ID(), by, table.Here{}, "")
		if res.err != nil && res.refusal() == nil {
			a.log.Warn("a host's press is not noted", "table", t.ID(), "error", res.err)
		}
	})
}

// lookForHost has Discord asked whether the host of a lobby is still in the server, when somebody who
// sits there was refused what is the host's. One who is gone is succeeded as if they had left.
func (a *App) lookForHost(ctx context.Context, t *table.Table, refusal *table.Refusal) {
	public := t.Public()
	seat := public.SeatOf(public.Host)
	if refusal.Kind != table.NotHost || refusal.At.IsZero() || seat == paladin.NoSeat ||
		!t.HostUnheard(public.Host, a.clock.Now()) {
		return
	}
	var c store.Change
	err := addLookup(&c, seat, public.Host)
	if err == nil {
		err = a.enqueue(ctx, t.ID(), c.Intents)
	}
	if err != nil {
		a.log.Warn("a host cannot be looked for", "table", t.ID(), "error", err)
	}
}
