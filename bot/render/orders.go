package render

import (
	"fmt"
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

// orderWords are the acts of standing orders with the words of custom ids and commands, in the order in which they are offered.
var orderWords = []struct {
	act         table.OrderAct
	value, text string
}{
	{table.OrderAsk, "ask", "ask me"},
	{table.OrderBeatTake, "beat-take", "beat if it can, else take back"},
	{table.OrderBeatDiscard, "beat-discard", "beat if it can, else discard"},
	{table.OrderTake, "take", "take back"},
	{table.OrderDiscard, "discard", "discard"},
}

// OrderAct reads the act that a select or a command names.
func (pr *Printer) OrderAct(value string) (table.OrderAct, bool) {
	for _, row := range orderWords {
		if row.value == value {
			return row.act, true
		}
	}
	return table.OrderAsk, false
}

func (pr *Printer) orderAct(act table.OrderAct) (value, words string) {
	for _, row := range orderWords {
		if row.act == act {
			return row.value, row.text
		}
	}
	return "", ""
}

// orderText says what an order does.
func (pr *Printer) orderText(o table.Order) string {
	_, words := pr.orderAct(o.Act)
	if o.Act == table.OrderAsk || o.Most >= table.NoGuard {
		return words
	}
	return fmt.Sprintf("%s, while the leader is at most %d; otherwise ask me", words, o.Most)
}

// OrderReceipt confirms to the seat's owner what was ordered for the card on a quest.
func (pr *Printer) OrderReceipt(p *table.Private, quest int, o table.Order) string {
	card := "your card"
	for _, k := range p.View.Placed {
		if k.Quest == quest {
			card = "your " + pr.boldCard(k.Card)
		}
	}
	if o.Act == table.OrderAsk {
		return fmt.Sprintf("✅ You will be asked about %s on quest %d.", card, quest)
	}
	return fmt.Sprintf("✅ Order set: %s on quest %d: %s.", card, quest, pr.orderText(o))
}

// PlanReceipt confirms to the seat's owner what was planned; nil is a plan taken back.
func (pr *Printer) PlanReceipt(plan *table.Plan) string {
	if plan == nil {
		return "✅ Your plan is taken back: you will be asked."
	}
	return "✅ Planned; nobody else sees it."
}

// pr.Say(TextNoPlan) answers whoever takes back a plan that they do not have.
const TextNoPlan Text = "orders.no_plan"

// pr.Say(TextOrderFirst) answers a guard without an order.
const TextOrderFirst Text = "orders.order_first"

// beforehandButtons open the pages of what can be given beforehand; none where nothing can.
func (pr *Printer) beforehandButtons(p *table.Private) []component {
	var out []component
	if cards := p.Orderable(); len(cards) > 0 {
		label := "Standing orders"
		if n := given(p, cards); n > 0 {
			label = fmt.Sprintf("Standing orders (%d of %d)", n, len(cards))
		}
		out = append(out, secondary(label, press.New(press.Order, p.ID)))
	}
	if quests, _ := p.Plannable(); len(quests) > 0 {
		label := "Plan my next placement"
		if p.Plan != nil {
			label = "My plan"
		}
		out = append(out, secondary(label, press.New(press.PickPlan, p.ID, none, none)))
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
			lines = append(lines, fmt.Sprintf("- Quest %d, your %s: %s", k.Quest, pr.boldCard(k.Card), pr.orderText(o)))
		}
	}
	if p.Plan != nil {
		lines = append(lines, "- Next placement: "+pr.planText(p, *p.Plan)+pr.planCancelled(p))
	}
	return lines
}

// planText says what a plan does.
func (pr *Printer) planText(p *table.Private, plan table.Plan) string {
	where := fmt.Sprintf("%s on quest %d", pr.boldCard(plan.Card), plan.Quest)
	if plan.Most >= len(p.Seats) {
		return where
	}
	return where + " if nobody has covered it by then; otherwise ask me"
}

// planCancelled says that the plan will not be carried out, as soon as that is certain: within a round cards on a quest only become
// more.
func (pr *Printer) planCancelled(p *table.Private) string {
	plan := p.Plan
	if plan.Quest < 1 || plan.Quest > len(p.Game.Row) {
		return ""
	}
	lie := len(p.Game.Row[plan.Quest-1].Cards)
	if lie <= plan.Most {
		return ""
	}
	return fmt.Sprintf("; ⚠️ **cancelled**, for %s there by now: you will be asked", pr.countLie(lie))
}

// brokenPlan tells the owner, whose move it is now, that a plan did not hold and why.
func (pr *Printer) brokenPlan(p *table.Private) string {
	if p.BrokenPlan == nil || !p.MyTurn() || p.Game.Phase == paladin.PhaseResolve {
		return ""
	}
	plan := *p.BrokenPlan
	why := "the rules do not allow it now"
	if plan.Quest >= 1 && plan.Quest <= len(p.Game.Row) {
		switch lie := len(p.Game.Row[plan.Quest-1].Cards); {
		case p.Game.Phase == paladin.PhaseLead && lie > 0:
			why = "somebody leads that quest already"
		case lie > plan.Most:
			why = fmt.Sprintf("%s there by now", pr.countLie(lie))
		case !slices.Contains(p.View.Hand, plan.Card):
			why = "you no longer hold that card"
		}
	}
	return fmt.Sprintf("⚠️ Your plan (%s on quest %d) was not carried out: %s. You decide.", pr.boldCard(plan.Card), plan.Quest, why)
}

func (pr *Printer) countLie(n int) string {
	if n == 1 {
		return "1 card lies"
	}
	return fmt.Sprintf("%d cards lie", n)
}

// ordersPage is where standing orders are given: one choice of what the card does and one of its guard for each card.
func (pr *Printer) ordersPage(p *table.Private, opt PanelOptions) discord.Message {
	parts := pr.panelHead(p, opt)
	parts = append(parts, text("### Standing orders", "What your cards do by themselves when their turn comes. Nobody sees it; change it until then.", pr.myMoveHint(p)))
	cards := p.Orderable()
	if len(cards) == 0 {
		parts = append(parts, text("No card of yours waits for its turn now. Cards that you place behind a leading one do."))
	}
	for _, k := range cards {
		order, some := p.Orders[k.Quest]
		if !some {
			order = table.Order{Act: table.OrderAsk, Most: table.NoGuard}
		}
		q := p.Game.Row[k.Quest-1]
		parts = append(parts,
			text(fmt.Sprintf("**Quest %d** (%s): your %s, the %s of %s", k.Quest, pr.honour(q.Honour), pr.boldCard(k.Card), pr.ordinal(k.Place), pr.plural("words.cards", countPlaced(p, q, k)))),
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
		return "**It is your move:** Back to my seat."
	}
	return ""
}

func (pr *Printer) pageLinks(p *table.Private, opt PanelOptions, more ...component) []component {
	buttons := append([]component{secondary("Back to my seat", press.New(press.Refresh, p.ID))}, more...)
	return rows(append(buttons, pr.boardLinks(opt.BoardLink)...)...)
}

func (pr *Printer) orderMenu(p *table.Private, quest int, order table.Order) component {
	one := 1
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: press.New(press.Order, p.ID, strconv.Itoa(quest), strconv.Itoa(p.Game.Round)).String(),
		Placeholder: "What shall this card do?", MinValues: &one, MaxValues: 1,
	}
	for _, w := range orderWords {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: capital(w.text), Value: w.value, Default: w.act == order.Act})
	}
	return menu
}

// guardMenu keeps its place while there is no order to guard.
func (pr *Printer) guardMenu(p *table.Private, quest int, order table.Order) component {
	one := 1
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: press.New(press.Guard, p.ID, strconv.Itoa(quest), strconv.Itoa(p.Game.Round)).String(),
		Placeholder: "When shall it do so?", MinValues: &one, MaxValues: 1, Disabled: order.Act == table.OrderAsk,
	}
	for most := table.NoGuard; most >= 0; most-- {
		label := "Whatever leads the quest"
		if most < table.NoGuard {
			label = fmt.Sprintf("Only while the leader is at most %d, otherwise ask me", most)
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
	what := "Give your next placement beforehand: it is made the moment your turn comes, without a peek. Nobody sees the plan."
	if leads {
		what = "Give your next placement beforehand: it leads a quest the moment your turn comes. Nobody sees the plan."
	}
	now := "You have planned nothing yet."
	var drop []component
	if p.Plan != nil {
		now = "Planned now: " + pr.planText(p, *p.Plan) + pr.planCancelled(p) + "."
		drop = []component{danger("Take my plan back", press.New(press.DropPlan, p.ID))}
	}
	parts = append(parts, text("### Plan my next placement", what, now), text(pr.knownQuestLines(p)...))
	parts = append(parts, pr.pageLinks(p, opt, drop...)...)
	parts = append(parts, rows(pr.planCards(p, sel)...)...)
	parts = append(parts, rows(pr.planQuests(p, sel, quests)...)...)
	if !leads {
		parts = append(parts, row(
			choice(!sel.Anyway, "If nobody covers it by then", planPick(p, Selection{Card: sel.Card, Quest: sel.Quest}, "if")),
			choice(sel.Anyway, "In any case", planPick(p, Selection{Card: sel.Card, Quest: sel.Quest, Anyway: true}, "so")),
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
		label := pr.cardText(c)
		if n := copies(p.View.Hand, c); n > 1 {
			label += fmt.Sprintf(" ×%d", n)
		}
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
		label := fmt.Sprintf("Quest %d (%s)", q.Quest, pr.honour(p.Game.Row[q.Quest-1].Honour))
		out = append(out, choice(picked, label, planPick(p, next, "q"+strconv.Itoa(q.Quest))))
	}
	return out
}

func (pr *Printer) planConfirm(p *table.Private, sel Selection, quests []table.PlanQuest, leads bool) component {
	switch {
	case sel.Card == "" && sel.Quest == 0:
		return confirmRow(p, "", press.ID{}, "Choose a card and a quest above")
	case sel.Card == "":
		return confirmRow(p, "", press.ID{}, "Now choose a card above")
	case sel.Quest == 0:
		return confirmRow(p, "", press.ID{}, "Now choose a quest above")
	}
	card, _ := paladin.ParseCard(sel.Card)
	most := len(p.Seats)
	label := fmt.Sprintf("Place %s on quest %d when my turn comes", pr.cardText(card), sel.Quest)
	if leads || !sel.Anyway {
		at := slices.IndexFunc(quests, func(q table.PlanQuest) bool { return q.Quest == sel.Quest })
		most = quests[at].Most
		label = fmt.Sprintf("Place %s on quest %d if nobody has covered it by then, else ask me", pr.cardText(card), sel.Quest)
	}
	if leads {
		label = fmt.Sprintf("Lead quest %d with %s if nobody leads it by then, else ask me", sel.Quest, pr.cardText(card))
	}
	return confirmRow(p, label, press.New(press.Plan, p.ID, sel.Card, strconv.Itoa(sel.Quest), strconv.Itoa(most), strconv.Itoa(p.Game.Round)), "")
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
		name := fmt.Sprintf("Quest %d: your %s", k.Quest, pr.cardText(k.Card))
		if o, ok := p.Orders[k.Quest]; ok {
			name += ", now: " + pr.orderText(o)
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
		return 0, table.Order{}, "I do not know that order. Choose one of those that are offered."
	}
	order = table.Order{Act: act, Most: table.NoGuard}
	if most := options[OptAtMost]; most != "" {
		n, err := strconv.Atoi(most)
		if err != nil || n < 0 || n > table.NoGuard {
			return 0, table.Order{}, "The limit is the highest value of the leader for which the order holds, 0 to 9."
		}
		order.Most = n
	}
	return quest, order, ""
}

func orderOptions() []*discordgo.ApplicationCommandOption {
	act := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: OptAct, Description: "What it shall do when its turn comes", Required: true,
	}
	for _, w := range orderWords {
		act.Choices = append(act.Choices, &discordgo.ApplicationCommandOptionChoice{Name: capital(w.text), Value: w.value})
	}
	least := 0.0
	return []*discordgo.ApplicationCommandOption{
		suggested(OptQuest, "The quest on which your card lies"), act,
		{
			Type: discordgo.ApplicationCommandOptionInteger, Name: OptAtMost, MinValue: &least, MaxValue: table.NoGuard,
			Description: "Only while the leader is at most this, otherwise you are asked",
		},
	}
}
