package table

import (
	"maps"
	"slices"
	"time"

	"paladin/game/paladin"
)

// OrderAct is what a standing order does when its card's turn comes.
type OrderAct string

// What can be ordered.
const (
	OrderAsk         OrderAct = ""             // ask me
	OrderBeatTake    OrderAct = "beat-take"    // beat if it can, else take back
	OrderBeatDiscard OrderAct = "beat-discard" // beat if it can, else discard
	OrderTake        OrderAct = "take"
	OrderDiscard     OrderAct = "discard"
)

// OrderActs are all acts, asking first.
func OrderActs() []OrderAct {
	return []OrderAct{OrderAsk, OrderBeatTake, OrderBeatDiscard, OrderTake, OrderDiscard}
}

// NoGuard is the Most of an order without a guard.
const NoGuard = 9

// Order is what a placed card shall do when its turn to be resolved comes, given beforehand.
type Order struct {
	Act OrderAct `json:"act"`
	// Most guards the order: it holds only while the leading Paladin's value is at most this, 0 to 9; otherwise the owner is asked.
	Most int `json:"most"`
}

func (o Order) valid() bool {
	if o.Most < 0 || o.Most > NoGuard {
		return false
	}
	for _, act := range OrderActs() {
		if o.Act == act {
			return true
		}
	}
	return false
}

// Plan is a placement given beforehand: it is made when the seat's turn comes, if it still holds, and else the owner is asked.
type Plan struct {
	Card  paladin.Card `json:"card"`
	Quest int          `json:"quest"`
	// Most is how many cards may lie on the quest by then: with the number that lay there when the plan was made, it says "if nobody
	// has covered it".
	Most int `json:"most"`
}

// Commands for what is given beforehand.
type (
	// SetOrder gives the card that the asking person's seat has on this quest a standing order, or takes it back (OrderAsk).
	SetOrder struct {
		Quest int
		Order Order
	}
	// SetPlan plans the next placement; nil takes the plan back.
	SetPlan struct{ Plan *Plan }
)

func (SetOrder) command() {}
func (SetPlan) command()  {}

// setOrder changes what is known to the seat's owner alone: it leaves no line in the history and no trace on the board.
func (t *Table) setOrder(by Actor, cmd SetOrder) error {
	seat, err := t.ownSeat(by)
	if err != nil {
		return err
	}
	if !cmd.Order.valid() {
		return &Refusal{Kind: BadOrder}
	}
	if view := t.game.View(paladin.Seat(seat)); view.Phase == paladin.PhaseResolve && t.Awaited() == paladin.Seat(seat) && cmd.Quest == view.Resolving {
		return &Refusal{Kind: CardsTurn, Count: cmd.Quest}
	}
	if !t.orderable(paladin.Seat(seat), cmd.Quest) {
		return &Refusal{Kind: NoCardThere, Count: cmd.Quest}
	}
	orders := maps.Clone(t.seats[seat].orders)
	if orders == nil {
		orders = map[int]Order{}
	}
	if cmd.Order.Act == OrderAsk {
		delete(orders, cmd.Quest)
	} else {
		orders[cmd.Quest] = cmd.Order
	}
	t.seats[seat].orders = orders
	return nil
}

// orderable reports whether the seat has a card on the quest that can be given an order.
func (t *Table) orderable(seat paladin.Seat, quest int) bool {
	view := t.game.View(seat)
	for _, card := range orderable(&view) {
		if card.Quest == quest {
			return true
		}
	}
	return false
}

// orderable are the seat's cards that follow a leading Paladin and whose turn is still to come. The card whose turn it is now is not
// among them: its owner is being asked, and an order would be a move that nobody confirmed.
func orderable(view *paladin.View) []paladin.KnownCard {
	var out []paladin.KnownCard
	for _, card := range view.Placed {
		ahead := view.Phase != paladin.PhaseResolve || card.Quest > view.Resolving ||
			card.Quest == view.Resolving && card.Place > view.Deciding
		if card.Place > 1 && card.Fate == paladin.FateOnTable && ahead {
			out = append(out, card)
		}
	}
	slices.SortFunc(out, func(a, b paladin.KnownCard) int { return a.Quest - b.Quest })
	return out
}

// Orderable are the seat's own cards that can be given a standing order now, by quest.
func (p *Private) Orderable() []paladin.KnownCard {
	if p.Stage != Playing || p.View == nil || p.Away {
		return nil
	}
	return orderable(p.View)
}

// PlanQuest is a quest on which the seat's next placement can be planned, with the Most that says "if nobody covers it by then": the
// number of cards on it now; a quest that is led before the seat's next placement counts as led.
type PlanQuest struct{ Quest, Most int }

// Plannable are the quests on which the seat's next placement can be planned now; leads is true when that placement will lead a quest.
// There are none while it is the seat's own turn, and none when all its cards of this round are placed.
func (p *Private) Plannable() (quests []PlanQuest, leads bool) {
	if p.Stage != Playing || p.View == nil || p.Away || len(p.View.Hand) == 0 {
		return nil, false
	}
	v := p.View
	if p.MyTurn() || v.Phase != paladin.PhaseStart && v.Phase != paladin.PhaseLead && v.Phase != paladin.PhasePlace {
		return nil, false
	}
	leads = v.Phase != paladin.PhasePlace && len(v.Placed) == 0
	for _, q := range v.Row {
		own := false
		for _, card := range q.Cards {
			own = own || card.Seat == p.Seat
		}
		switch {
		case own, leads && len(q.Cards) > 0:
		case leads:
			quests = append(quests, PlanQuest{Quest: q.Number})
		default:
			quests = append(quests, PlanQuest{Quest: q.Number, Most: max(len(q.Cards), 1)})
		}
	}
	return quests, leads
}

func (t *Table) setPlan(by Actor, cmd SetPlan) error {
	seat, err := t.ownSeat(by)
	if err != nil {
		return err
	}
	if cmd.Plan == nil {
		t.seats[seat].plan = nil
		return nil
	}
	view := t.game.View(paladin.Seat(seat))
	if view.Phase != paladin.PhaseLead && view.Phase != paladin.PhasePlace && view.Phase != paladin.PhaseStart {
		return &Refusal{Kind: NoPlanNow}
	}
	plan := *cmd.Plan
	if plan.Quest < 1 || plan.Quest > len(view.Row) || plan.Most < 0 || plan.Most > len(view.Seats) || !holds(view.Hand, plan.Card) {
		return &Refusal{Kind: BadPlan}
	}
	for _, card := range view.Row[plan.Quest-1].Cards {
		if card.Seat == paladin.Seat(seat) {
			return &Refusal{Kind: BadPlan}
		}
	}
	t.seats[seat].plan, t.seats[seat].brokenPlan = &plan, nil
	return nil
}

func holds(hand []paladin.Card, card paladin.Card) bool {
	for _, c := range hand {
		if c == card {
			return true
		}
	}
	return false
}

// ownSeat returns the index of the seat that the person plays in the running game.
func (t *Table) ownSeat(by Actor) (int, error) {
	if err := t.needPlaying(); err != nil {
		return 0, err
	}
	seat := t.seatOf(by.ID)
	switch {
	case seat < 0:
		return 0, &Refusal{Kind: NotSeated}
	case t.seats[seat].Away:
		return 0, t.awayRefusal(by.ID)
	}
	return seat, nil
}

// beforehand returns the move that the awaited person gave beforehand, if it holds. What does not hold is cancelled, and the owner is
// asked as anybody is.
func (t *Table) beforehand() (paladin.Move, bool) {
	seat := t.Awaited()
	if seat == paladin.NoSeat || !t.seats[seat].Present() {
		return paladin.Move{}, false
	}
	view := t.game.View(seat)
	switch view.Phase {
	case paladin.PhaseResolve:
		return t.orderedMove(seat, &view)
	case paladin.PhaseLead, paladin.PhasePlace:
		return t.plannedMove(seat, &view)
	default:
		return paladin.Move{}, false
	}
}

func (t *Table) orderedMove(seat paladin.Seat, view *paladin.View) (paladin.Move, bool) {
	order, ok := t.seats[seat].orders[view.Resolving]
	if !ok {
		return paladin.Move{}, false
	}
	leader, ok := view.Row[view.Resolving-1].Cards[0].Card.Card()
	if !ok || leader.Value() > order.Most {
		return paladin.Move{}, false
	}
	move := paladin.Move{Seat: seat}
	switch {
	case order.Act == OrderBeatTake && view.BeatWins, order.Act == OrderBeatDiscard && view.BeatWins:
		move.Kind = paladin.Beat
	case order.Act == OrderBeatTake, order.Act == OrderTake:
		move.Kind = paladin.Take
	case order.Act == OrderBeatDiscard, order.Act == OrderDiscard:
		move.Kind = paladin.Discard
	default:
		return paladin.Move{}, false
	}
	return move, true
}

func (t *Table) plannedMove(seat paladin.Seat, view *paladin.View) (paladin.Move, bool) {
	plan := t.seats[seat].plan
	if plan == nil {
		return paladin.Move{}, false
	}
	move := paladin.Move{Seat: seat, Kind: paladin.Place, Card: plan.Card, Quest: plan.Quest}
	t.seats[seat].plan = nil
	if len(view.Row[plan.Quest-1].Cards) <= plan.Most {
		for _, legal := range view.Legal() {
			if legal == move {
				return move, true
			}
		}
	}
	t.seats[seat].brokenPlan = plan
	return paladin.Move{}, false
}

// Beforehand lets the awaited person's standing order or plan make the move, if there is one that holds. Nobody asks for it: it follows
// every step of a table, so that what was given beforehand looks like a quick press. The second result is false when the person has to
// be asked; the table may have changed even then (a plan that broke is cancelled).
func (t *Table) Beforehand(now time.Time) (Table, Outcome, bool, error) {
	next := t.clone()
	move, ok := next.beforehand()
	var out Outcome
	if !ok {
		return next, out, false, nil
	}
	if err := next.move(move, LineMove, now, &out); err != nil {
		return Table{}, Outcome{}, false, err
	}
	out.Lines[0].Beforehand = true
	next.seats[move.Seat].missed = 0 // this turn did not run out
	return next, out, true, nil
}

// forget drops what was given beforehand for a round that is over.
func (t *Table) forget() {
	for i := range t.seats {
		t.seats[i].orders, t.seats[i].plan, t.seats[i].brokenPlan = nil, nil, nil
	}
}
