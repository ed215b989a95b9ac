package render

import (
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// Pages of a panel besides the seat itself. They have a page of their own so that what is given beforehand never stands in the way of
// a move.
const (
	PageOrders = "orders"
	PagePlan   = "plan"
)

// anyway marks a plan that holds whatever lies on its quest.
const anyway = "any"

// asking is the word of custom ids and commands for the order to ask; the other orders' words are their own.
const asking = "ask"

// orderWord is how custom ids, commands and the catalogue write an act.
func orderWord(act table.OrderAct) string {
	if act == table.OrderAsk {
		return asking
	}
	return string(act)
}

// OrderAct reads the act that a select or a command names.
func (pr *Printer) OrderAct(value string) (table.OrderAct, bool) {
	for _, act := range table.OrderActs() {
		if orderWord(act) == value {
			return act, true
		}
	}
	return table.OrderAsk, false
}

// orderLabel names an act where it is offered.
func (pr *Printer) orderLabel(act table.OrderAct) string {
	return pr.Say(Text("orders.option_" + orderWord(act)))
}

// orderText says what an order does, after a colon.
func (pr *Printer) orderText(o table.Order) string {
	if o.Act == table.OrderAsk || o.Most >= table.NoGuard {
		return pr.Say(Text("orders.act_" + orderWord(o.Act)))
	}
	return pr.Say(Text("orders.guarded_"+orderWord(o.Act)), "most", o.Most)
}

// OrderReceipt confirms to the seat's owner what was ordered for the card on a quest.
func (pr *Printer) OrderReceipt(p *table.Private, quest int, o table.Order) string {
	asked, set := Text("orders.will_ask"), Text("orders.set")
	card := ""
	for _, k := range p.View.Placed {
		if k.Quest == quest {
			card, asked, set = pr.boldCard(k.Card), Text("orders.will_ask_card"), Text("orders.set_card")
		}
	}
	if o.Act == table.OrderAsk {
		return pr.Say(asked, "card", card, "quest", quest)
	}
	return pr.Say(set, "card", card, "quest", quest, "order", pr.orderText(o))
}

// PlanReceipt confirms to the seat's owner what was planned; nil is a plan taken back.
func (pr *Printer) PlanReceipt(plan *table.Plan) string {
	if plan == nil {
		return pr.Say("orders.plan_dropped")
	}
	return pr.Say("orders.planned")
}

// TextNoPlan answers whoever takes back a plan that they do not have.
const TextNoPlan Text = "orders.no_plan"

// TextOrderFirst answers a guard without an order.
const TextOrderFirst Text = "orders.order_first"

// beforehandButtons open the pages of what can be given beforehand; none where nothing can.
func (pr *Printer) beforehandButtons(p *table.Private) []component {
	var out []component
	if cards := p.Orderable(); len(cards) > 0 {
		label := pr.Say("orders.label")
		if n := given(p, cards); n > 0 {
			label = pr.Say("orders.label_given", "given", n, "cards", len(cards))
		}
		out = append(out, secondary(label, press.New(press.Order, p.ID)))
	}
	if quests, _ := p.Plannable(); len(quests) > 0 && !p.Options.Practice {
		label := Text("orders.label_plan")
		if p.Plan != nil {
			label = Text("orders.label_my_plan")
		}
		out = append(out, secondary(pr.Say(label), press.New(press.PickPlan, p.ID, none, none)))
	}
	return out
}

func given(p *table.Private, cards []paladin.KnownCard) int {
	n := 0
	for _, k := range cards {
		if _, ok := p.Orders[k.Quest]; ok {
			n++
		}
	}
	return n
}

// beforehandLines are the orders and the plan that wait for their turn.
func (pr *Printer) beforehandLines(p *table.Private) []string {
	var lines []string
	for _, k := range p.Orderable() {
		if o, ok := p.Orders[k.Quest]; ok {
			lines = append(lines, pr.Say("orders.line", "quest", k.Quest, "card", pr.boldCard(k.Card), "order", pr.orderText(o)))
		}
	}
	if p.Plan != nil {
		lines = append(lines, pr.Say("orders.line_plan", "plan", pr.planText(p, *p.Plan)))
	}
	return lines
}

// planText says what a plan does, after a colon, and that it will not be carried out as soon as that is certain: within a round cards
// on a quest only become more.
func (pr *Printer) planText(p *table.Private, plan table.Plan) string {
	what := Text("orders.plan_if_uncovered")
	if plan.Most >= len(p.Seats) {
		what = Text("orders.plan_anyway")
	}
	said := pr.Say(what, "card", pr.boldCard(plan.Card), "quest", plan.Quest)
	if lie := cardsOn(p, plan.Quest); lie > plan.Most {
		return pr.plural("orders.plan_cancelled", lie, "plan", said)
	}
	return said
}

// cardsOn is how many cards lie on a quest.
func cardsOn(p *table.Private, quest int) int {
	if quest < 1 || quest > len(p.Game.Row) {
		return 0
	}
	return len(p.Game.Row[quest-1].Cards)
}

// brokenPlan tells the owner, whose move it is now, that a plan did not hold and why.
func (pr *Printer) brokenPlan(p *table.Private) string {
	if p.BrokenPlan == nil || !p.MyTurn() || p.Game.Phase == paladin.PhaseResolve {
		return ""
	}
	plan := *p.BrokenPlan
	lie, with := cardsOn(p, plan.Quest), []any{"card", pr.boldCard(plan.Card), "quest", plan.Quest}
	switch {
	case p.Game.Phase == paladin.PhaseLead && lie > 0:
		return pr.Say("orders.broken_led", with...)
	case lie > plan.Most:
		return pr.plural("orders.broken_covered", lie, with...)
	case !slices.Contains(p.View.Hand, plan.Card):
		return pr.Say("orders.broken_card", with...)
	default:
		return pr.Say("orders.broken_rules", with...)
	}
}

// ordersPage is where standing orders are given: one choice of what the card does and one of its guard for each card.
func (pr *Printer) ordersPage(p *table.Private, opt PanelOptions) discord.Message {
	parts := pr.panelHead(p, opt)
	parts = append(parts, text(pr.Say("orders.heading"), pr.Say("orders.explained"), pr.myMoveHint(p), pr.pausedLine(&p.Public)))
	cards := p.Orderable()
	if len(cards) == 0 {
		parts = append(parts, text(pr.Say("orders.no_cards")))
	}
	for _, k := range cards {
		order, some := p.Orders[k.Quest]
		if !some {
			order = table.Order{Act: table.OrderAsk, Most: table.NoGuard}
		}
		q := p.Game.Row[k.Quest-1]
		parts = append(parts,
			text(pr.plural("orders.card", countPlaced(p, q, k),
				"quest", k.Quest, "honour", pr.honour(q.Honour), "card", pr.boldCard(k.Card), "place", pr.ordinal(k.Place))),
			row(pr.orderMenu(p, k.Quest, order)), row(pr.guardMenu(p, k.Quest, order)))
	}
	return private(append(parts, pr.pageLinks(p, opt)...)...)
}

// countPlaced is how many cards were placed on the quest so far.
func countPlaced(p *table.Private, q paladin.PublicQuest, own paladin.KnownCard) int {
	n := own.Place
	for _, c := range q.Cards {
		n = max(n, c.Place)
	}
	if p.Game.Phase == paladin.PhaseResolve {
		n = p.Game.Players
	}
	return n
}

func (pr *Printer) myMoveHint(p *table.Private) string {
	if p.MyTurn() {
		return pr.Say("orders.your_move")
	}
	return ""
}

func (pr *Printer) pageLinks(p *table.Private, opt PanelOptions, more ...component) []component {
	buttons := append([]component{secondary(pr.Say("orders.back"), press.New(press.Refresh, p.ID))}, more...)
	return rows(append(buttons, pr.boardLinks(opt.BoardLink)...)...)
}

func (pr *Printer) orderMenu(p *table.Private, quest int, order table.Order) component {
	one := 1
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(press.New(press.Order, p.ID, strconv.Itoa(quest), strconv.Itoa(p.Game.Round))),
		Placeholder: pr.Say("orders.menu_act"), MinValues: &one, MaxValues: 1,
	}
	for _, act := range table.OrderActs() {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: pr.orderLabel(act), Value: orderWord(act), Default: act == order.Act})
	}
	return menu
}

// guardMenu keeps its place while there is no order to guard.
func (pr *Printer) guardMenu(p *table.Private, quest int, order table.Order) component {
	one := 1
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(press.New(press.Guard, p.ID, strconv.Itoa(quest), strconv.Itoa(p.Game.Round))),
		Placeholder: pr.Say("orders.menu_guard"), MinValues: &one, MaxValues: 1, Disabled: order.Act == table.OrderAsk,
	}
	for most := table.NoGuard; most >= 0; most-- {
		label := pr.Say("orders.guard_none")
		if most < table.NoGuard {
			label = pr.Say("orders.guard", "most", most)
		}
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: label, Value: strconv.Itoa(most), Default: most == order.Most && order.Act != table.OrderAsk,
		})
	}
	return menu
}

// planPage is where the next placement is planned: a card, a quest, the condition, and the button that confirms alone in the last row.
func (pr *Printer) planPage(p *table.Private, sel Selection, quests []table.PlanQuest, leads bool, opt PanelOptions) discord.Message {
	sel = planValid(p, sel, quests)
	parts := pr.panelHead(p, opt)
	what := Text("orders.plan_explained")
	if leads {
		what = Text("orders.plan_explained_lead")
	}
	now := pr.Say("orders.plan_none")
	var drop []component
	if p.Plan != nil {
		now = pr.Say("orders.plan_now", "plan", pr.planText(p, *p.Plan))
		drop = []component{danger(pr.Say("orders.label_drop"), press.New(press.DropPlan, p.ID))}
	}
	parts = append(parts, text(pr.Say("orders.plan_heading"), pr.Say(what), now, pr.pausedLine(&p.Public)), text(pr.knownQuestLines(p)...))
	parts = append(parts, pr.pageLinks(p, opt, drop...)...)
	parts = append(parts, rows(pr.planCards(p, sel)...)...)
	parts = append(parts, rows(pr.planQuests(p, sel, quests)...)...)
	if !leads {
		parts = append(parts, row(
			choice(!sel.Anyway, pr.Say("orders.label_if_uncovered"), planPick(p, Selection{Card: sel.Card, Quest: sel.Quest}, "if")),
			choice(sel.Anyway, pr.Say("orders.label_anyway"), planPick(p, Selection{Card: sel.Card, Quest: sel.Quest, Anyway: true}, "so")),
		))
	}
	return private(append(parts, pr.planConfirm(p, sel, quests, leads))...)
}

// planPick is a press that leaves this selection. The last word keeps two buttons that lead to the same one apart.
func planPick(p *table.Private, sel Selection, word string) press.ID {
	condition := none
	if sel.Anyway {
		condition = anyway
	}
	return press.New(press.PickPlan, p.ID, cardArg(sel.Card), questArg(sel.Quest), condition, word)
}

func planValid(p *table.Private, sel Selection, quests []table.PlanQuest) Selection {
	if !slices.ContainsFunc(p.View.Hand, func(c paladin.Card) bool { return c.String() == sel.Card }) {
		sel.Card = ""
	}
	if !slices.ContainsFunc(quests, func(q table.PlanQuest) bool { return q.Quest == sel.Quest }) {
		sel.Quest = 0
	}
	return sel
}

func (pr *Printer) planCards(p *table.Private, sel Selection) []component {
	var out []component
	for _, c := range slices.Compact(slices.Sorted(slices.Values(p.View.Hand))) {
		label := pr.cardLabel(p.View.Hand, c)
		next, picked := sel, c.String() == sel.Card
		if next.Card = c.String(); picked {
			next.Card = ""
		}
		out = append(out, choice(picked, label, planPick(p, next, "c"+c.String())))
	}
	return out
}

func (pr *Printer) planQuests(p *table.Private, sel Selection, quests []table.PlanQuest) []component {
	var out []component
	for _, q := range quests {
		next, picked := sel, q.Quest == sel.Quest
		if next.Quest = q.Quest; picked {
			next.Quest = 0
		}
		label := pr.Say("panel.pick_quest", "quest", q.Quest, "honour", pr.honour(p.Game.Row[q.Quest-1].Honour))
		out = append(out, choice(picked, label, planPick(p, next, "q"+strconv.Itoa(q.Quest))))
	}
	return out
}

func (pr *Printer) planConfirm(p *table.Private, sel Selection, quests []table.PlanQuest, leads bool) component {
	if sel.Card == "" || sel.Quest == 0 {
		return confirmRow(p, "", press.ID{}, pr.missing(sel))
	}
	card, _ := paladin.ParseCard(sel.Card)
	most, label := len(p.Seats), Text("orders.confirm")
	if leads || !sel.Anyway {
		at := slices.IndexFunc(quests, func(q table.PlanQuest) bool { return q.Quest == sel.Quest })
		most, label = quests[at].Most, Text("orders.confirm_if_uncovered")
	}
	if leads {
		label = Text("orders.confirm_lead")
	}
	id := press.New(press.Plan, p.ID, sel.Card, strconv.Itoa(sel.Quest), strconv.Itoa(most), strconv.Itoa(p.Game.Round))
	return confirmRow(p, pr.Say(label, "card", pr.cardText(card), "quest", sel.Quest), id, "")
}

// PlanOf is the plan that a press of kind Plan confirms; false for malformed arguments.
func PlanOf(id press.ID) (table.Plan, bool) {
	card, err := paladin.ParseCard(id.Arg(0))
	quest, okQuest := smallNumber(id.Arg(1))
	most, errMost := strconv.Atoi(id.Arg(2))
	return table.Plan{Card: card, Quest: quest, Most: most}, id.Kind == press.Plan && err == nil && okQuest && errMost == nil
}

// orderChoices are the suggestions for the quest of /paladin order: those on which the seat has a card whose turn is still to come.
func (pr *Printer) orderChoices(p *table.Private) []discord.Choice {
	var out []discord.Choice
	for _, k := range p.Orderable() {
		name := pr.Say("orders.suggestion", "quest", k.Quest, "card", pr.cardText(k.Card))
		if o, ok := p.Orders[k.Quest]; ok {
			name = pr.Say("orders.suggestion_given", "quest", k.Quest, "card", pr.cardText(k.Card), "order", pr.orderText(o))
		}
		out = append(out, suggestion(name, strconv.Itoa(k.Quest)))
	}
	return out
}

// TypedOrder reads the arguments of /paladin order. The text is the reason when they make no order, and empty when they do. An order
// without a limit holds whatever leads the quest.
func (pr *Printer) TypedOrder(p *table.Private, options map[string]string) (quest int, order table.Order, refusal string) {
	quest, refusal = pr.readQuest(p, pr.suggestedValue(p, SubOrder, options, OptQuest))
	if refusal != "" {
		return 0, table.Order{}, refusal
	}
	act, ok := pr.OrderAct(options[OptAct])
	if !ok {
		return 0, table.Order{}, pr.Say("orders.unknown_order")
	}
	order = table.Order{Act: act, Most: table.NoGuard}
	if most := options[OptAtMost]; most != "" {
		n, err := strconv.Atoi(most)
		if err != nil || n < 0 || n > table.NoGuard {
			return 0, table.Order{}, pr.Say("orders.unknown_limit")
		}
		order.Most = n
	}
	return quest, order, ""
}
