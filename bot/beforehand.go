package bot

import (
	"context"
	"strconv"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
)

// order opens the page of standing orders, or sets what was chosen there.
func (a *App) order(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	page := render.Selection{Page: render.PageOrders}
	mine, ok := t.Private(table.UserID(i.User.ID))
	if len(id.Args) == 0 || !ok || mine.View == nil {
		return a.panel(ctx, i, t, page, "")
	}
	quest, errQuest := strconv.Atoi(id.Arg(0))
	if errQuest != nil || len(i.Values) != 1 {
		return say(i.pr.Say(render.TextForgedPress))
	}
	if id.Arg(1) != strconv.Itoa(mine.Game.Round) {
		return a.panel(ctx, i, t, page, i.pr.RefusalText(&table.Refusal{Kind: table.Stale}, &mine.Public))
	}
	order, some := mine.Orders[quest]
	if !some {
		order = table.Order{Act: table.OrderAsk, Most: table.NoGuard}
	}
	if id.Kind == press.Guard {
		most, err := strconv.Atoi(i.Values[0])
		switch {
		case err != nil:
			return say(i.pr.Say(render.TextForgedPress))
		case order.Act == table.OrderAsk:
			return a.panel(ctx, i, t, page, i.pr.Say(render.TextOrderFirst))
		}
		order.Most = most
	} else if order.Act, ok = i.pr.OrderAct(i.Values[0]); !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	return a.setOrder(ctx, i, t, page, quest, order)
}

// typedOrder sets the standing order that a command names.
func (a *App) typedOrder(ctx context.Context, i *request, t *table.Table) answer {
	mine, ok := t.Private(table.UserID(i.User.ID))
	if !ok || mine.View == nil || t.Stage() != table.Playing {
		return a.setOrder(ctx, i, t, render.Selection{}, 0, table.Order{})
	}
	quest, order, refusal := i.pr.TypedOrder(&mine, options(i))
	if refusal != "" {
		return a.panel(ctx, i, t, render.Selection{}, refusal)
	}
	return a.setOrder(ctx, i, t, render.Selection{}, quest, order)
}

// setOrder gives the order and answers with the panel. A card whose turn has come meanwhile is decided about there.
func (a *App) setOrder(ctx context.Context, i *request, t *table.Table, sel render.Selection, quest int, order table.Order) answer {
	res := a.do(ctx, t.ID(), actor(i), table.SetOrder{Quest: quest, Order: order})
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	note := ""
	if refusal := res.refusal(); refusal != nil {
		public := res.table.Public()
		note = i.pr.RefusalText(refusal, &public)
		if refusal.Kind == table.CardsTurn {
			sel = render.Selection{}
		}
	} else if mine, ok := res.table.Private(table.UserID(i.User.ID)); ok && mine.View != nil {
		note = i.pr.OrderReceipt(&mine, quest, order)
	}
	return a.panel(ctx, i, &res.table, sel, note)
}

// plan sets or takes back the plan of the next placement. One that is set when the turn has come already is carried out at once, like
// any that holds then.
func (a *App) plan(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	cmd := table.SetPlan{}
	if id.Kind == press.Plan {
		plan, ok := render.PlanOf(id)
		if !ok {
			return say(i.pr.Say(render.TextForgedPress))
		}
		public := t.Public()
		if public.Game != nil && id.Arg(3) != strconv.Itoa(public.Game.Round) {
			return a.panel(ctx, i, t, render.Selection{}, i.pr.RefusalText(&table.Refusal{Kind: table.Stale}, &public))
		}
		cmd.Plan = &plan
	}
	if mine, ok := t.Private(table.UserID(i.User.ID)); ok && cmd.Plan == nil && !mine.Away && mine.Plan == nil && t.Stage() == table.Playing {
		return a.panel(ctx, i, t, render.Selection{}, i.pr.Say(render.TextNoPlan))
	}
	res := a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public := res.table.Public()
	mine, ok := res.table.Private(table.UserID(i.User.ID))
	note := ""
	switch refusal := res.refusal(); {
	case refusal != nil:
		note = i.pr.RefusalText(refusal, &public)
	case res.repeated:
		note = i.pr.Say(render.TextRepeated)
	case len(res.out.Events) > 0:
		note = receipt(i.pr, &public, mine.Seat, res.out)
	case ok && mine.BrokenPlan == nil:
		note = i.pr.PlanReceipt(cmd.Plan)
	}
	return a.panel(ctx, i, &res.table, render.Selection{}, note)
}
