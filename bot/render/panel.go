package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// panelEvents is how many sentences of what happened lately a panel shows.
const panelEvents = 6

// Panel is the private message of a seat's owner, at every stage.
//
// While a move is due, the controls keep their places from press to press and the button that confirms stands alone in the last row,
// disabled until there is something to confirm: it is never where another button was pressed.
func (pr *Printer) Panel(p *table.Private, sel Selection, opt PanelOptions) discord.Message {
	var m discord.Message
	switch {
	case p.Stage == table.Lobby:
		m = pr.lobbyPanel(p, opt)
	case p.Stage == table.Playing && p.View != nil:
		m = fitting(panelEvents, func(events int) discord.Message { return pr.playingPanel(p, sel, opt, events) })
	default:
		m = pr.endPanel(p, opt)
	}
	m.Ephemeral = !opt.DM
	return m
}

// panelHead is what every panel begins with: the note, which game this is and as of when. Nobody sees
// whether a private message still holds: it stands where it was written until its next press.
func (pr *Printer) panelHead(p *table.Private, opt PanelOptions) []component {
	var parts []component
	if opt.Note != "" {
		parts = append(parts, text(opt.Note), divider())
	}
	if p.Options.Practice {
		return append(parts, text(pr.Say("practice.head")))
	}
	words, with := Text("panel.head"), []any{"channel", mentionChannel(p.Channel)}
	at := ago(opt.AsOf)
	switch {
	case opt.DM && at != "":
		words = Text("panel.head_dm_as_of")
	case opt.DM:
		words = Text("panel.head_dm")
	case at != "":
		words = Text("panel.head_as_of")
	}
	parts = append(parts, text(pr.Say(words, append(with, "when", at)...)))
	return append(parts, pr.sinceParts(opt.Since)...)
}

// asOf says when a private message without a panel's head was drawn; empty where nobody knows.
func (pr *Printer) asOf(opt PanelOptions) string {
	if opt.AsOf.IsZero() {
		return ""
	}
	return pr.Say("panel.as_of", "when", ago(opt.AsOf))
}

// panelLinks are the ways on that every panel offers.
func (pr *Printer) panelLinks(p *table.Private, opt PanelOptions) []component {
	if p.Options.Practice {
		return pr.practiceLinks(p)
	}
	buttons := append([]component{secondary(pr.Say("panel.refresh"), press.New(press.Refresh, p.ID))}, pr.boardLinks(opt.BoardLink)...)
	buttons = append(buttons, pr.beforehandButtons(p)...)
	return rows(append(buttons, link(pr.Say(LabelNextGame), opt.Next)...)...)
}

func (pr *Printer) lobbyPanel(p *table.Private, opt PanelOptions) discord.Message {
	token := tokenOf(p.Seat)
	parts := pr.panelHead(p, opt)
	lines := []string{pr.Say("panel.lobby_heading", "token", token.sign, "shape", pr.tokenWord(p.Seat))}
	s, _ := seatAt(&p.Public, p.Seat)
	if !s.Ready {
		lines = append(lines, pr.Say("panel.lobby_again"))
	}
	lines = append(lines, pr.startNeeds(&p.Public), pr.Say("panel.lobby_cards"))
	parts = append(parts, text(lines...))
	if !s.Ready {
		parts = append(parts, rows(
			primary(pr.Say("words.label_join"), press.New(press.Join, p.ID)),
			secondary(pr.Say("words.label_leave"), press.New(press.Leave, p.ID)))...)
	}
	return private(append(parts, pr.panelLinks(p, opt)...)...)
}

func (pr *Printer) endPanel(p *table.Private, opt PanelOptions) discord.Message {
	parts := pr.panelHead(p, opt)
	if p.Stage == table.Finished && p.Game != nil {
		lines := []string{pr.Say("panel.over_heading"), pr.winnersText(&p.Public, p.Game.Winners)}
		lines = append(lines, pr.finalScores(&p.Public)...)
		parts = append(parts, text(lines...))
	} else {
		parts = append(parts, text(pr.Say("panel.closed_heading"), pr.closedText(p.Reason)))
	}
	buttons := append(pr.boardLinks(opt.BoardLink), secondary(pr.Say("words.label_log"), press.New(press.Log, p.ID)))
	if p.Game != nil {
		buttons = append(buttons, secondary(pr.Say("replay.label_open"), press.New(press.Replay, p.ID)))
	}
	parts = append(parts, rows(buttons...)...)
	return private(append(parts, rows(link(pr.Say(LabelNextGame), opt.Next)...)...)...)
}

func (pr *Printer) playingPanel(p *table.Private, sel Selection, opt PanelOptions, events int) discord.Message {
	if sel.Page == PageOrders && !p.Away {
		return pr.ordersPage(p, opt)
	}
	if quests, leads := p.Plannable(); sel.Page == PagePlan && len(quests) > 0 {
		return pr.planPage(p, sel, quests, leads, opt)
	}
	if events < panelEvents {
		opt.Since = opt.Since.atMost(events)
	}
	if len(opt.Since.Sentences) > 0 {
		events = 0 // told already, since when the reader last looked
	}
	parts := pr.panelHead(p, opt)
	parts = append(parts, text(pr.panelHeadline(p), pr.sentOffLine(p), pr.ownTimes(p), pr.standingLines(&p.Public), pr.missedTurns(p), pr.brokenPlan(p),
		pr.youAre(p), pr.seenBy(&p.Public, p.Seat), pr.HintText(p, opt.Hint)), pr.handText(p))
	parts = append(parts, gallery(opt.Hand)...)
	parts = append(parts, text(pr.knownQuestLines(p)...))
	parts = append(parts, pr.practiceTable(p)...)
	parts = append(parts, section(pr.Say("panel.beforehand_heading"), pr.beforehandLines(p)...)...)
	parts = append(parts, section(pr.Say("panel.peeked_heading"), pr.peekedLines(p)...)...)
	parts = append(parts, section(pr.Say("panel.discards_heading"), pr.discardLines(p)...)...)
	parts = append(parts, section(pr.Say("words.lately"), pr.recentSentences(&p.Public, events)...)...)
	parts = append(parts, text(pr.Say("words.card_legend")))
	parts = append(parts, pr.panelLinks(p, opt)...)
	if !p.Away {
		parts = append(parts, pr.pauseButtons(&p.Public)...)
	}
	parts = append(parts, pr.controls(p, sel)...)
	return illustrated(private(parts...), opt.Hand)
}

// panelHeadline says whose move it is.
func (pr *Printer) panelHeadline(p *table.Private) string {
	switch {
	case p.Away:
		return pr.Say("panel.away_heading")
	case !p.MyTurn():
		return pr.waitingLine(&p.Public)
	}
	g := p.Game
	switch g.Phase {
	case paladin.PhaseStart:
		return pr.Say("panel.move_first")
	case paladin.PhaseLead:
		return pr.Say("panel.move_lead")
	case paladin.PhasePlace:
		return pr.Say("panel.move_place")
	case paladin.PhaseResolve:
		return pr.Say("panel.move_resolve", "quest", g.Resolving)
	default:
		return pr.Say("panel.move")
	}
}

// youAre is the seat with its token, honour and roles; practice ends with its only round, which needs no number.
func (pr *Printer) youAre(p *table.Private) string {
	t, words := tokenOf(p.Seat), Text("panel.you_are")
	if p.Options.Practice {
		words = Text("practice.you_are")
	}
	return pr.Say(words, "token", t.sign, "shape", pr.tokenWord(p.Seat), "honour", pr.honour(p.Game.Seats[p.Seat].Honour),
		"roles", pr.roles(&p.Public, p.Seat), "round", p.Game.Round, "rounds", p.Game.Rounds)
}

func (pr *Printer) handText(p *table.Private) component {
	if len(p.View.Hand) == 0 {
		return text(pr.Say("panel.hand_empty"))
	}
	return text(pr.Say("panel.hand", "cards", pr.cardList(p.View.Hand)))
}

// knownQuestLines are the quests with every card that the seat knows at its place.
func (pr *Printer) knownQuestLines(p *table.Private) []string {
	known := func(quest, place int) (paladin.Card, bool) { return knownCard(p.View, quest, place) }
	var lines []string
	for _, q := range p.Game.Row {
		lines = append(lines, pr.questHeading(p.Game, q), pr.questBody(&p.Public, q, known))
	}
	return append(lines, pr.Say("board.legend_panel"))
}

// knownCard is what the seat knows of the card that lies at a place of the present round.
func knownCard(v *paladin.View, quest, place int) (paladin.Card, bool) {
	for _, k := range v.Placed {
		if k.Quest == quest && k.Place == place {
			return k.Card, true
		}
	}
	for _, k := range v.Peeked {
		if k.Round == v.Round && k.Quest == quest && k.Place == place && k.Fate == paladin.FateOnTable {
			return k.Card, true
		}
	}
	return 0, false
}

func (pr *Printer) peekedLines(p *table.Private) []string {
	var lines []string
	for _, k := range p.View.Peeked {
		line := pr.Say(fateTexts[k.Fate], "round", k.Round, "quest", k.Quest, "who", pr.who(&p.Public, k.Owner), "card", pr.boldCard(k.Card))
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// fateTexts say what became of a card that was peeked at, as far as that is public.
var fateTexts = map[paladin.Fate]Text{
	paladin.FateOnTable:   "panel.peeked_lies",
	paladin.FateLeading:   "panel.peeked_leads",
	paladin.FateBeaten:    "panel.peeked_beaten",
	paladin.FateKept:      "panel.peeked_kept",
	paladin.FateTakenBack: "panel.peeked_taken_back",
	paladin.FateDiscarded: "panel.peeked_discarded",
}

func (pr *Printer) discardLines(p *table.Private) []string {
	var rounds []int
	cards := map[int][]string{}
	for _, k := range p.View.Discards {
		if !slices.Contains(rounds, k.Round) {
			rounds = append(rounds, k.Round)
		}
		cards[k.Round] = append(cards[k.Round], pr.boldCard(k.Card))
	}
	lines := make([]string, len(rounds))
	for i, round := range rounds {
		lines[i] = pr.Say("panel.discards", "round", round, "cards", strings.Join(cards[round], ", "))
	}
	return lines
}

// controls are the buttons of the move that is due, or of coming back; none otherwise.
func (pr *Printer) controls(p *table.Private, sel Selection) []component {
	if p.SentOff() {
		return nil
	}
	if p.Away {
		return rows(primary(pr.Say("panel.back"), press.New(press.Back, p.ID)))
	}
	if !p.MyTurn() {
		return nil
	}
	legal := p.View.Legal()
	switch p.Game.Phase {
	case paladin.PhaseStart:
		return pr.firstControls(p, sel, legal)
	case paladin.PhaseLead, paladin.PhasePlace:
		return pr.placeControls(p, sel, legal)
	case paladin.PhaseResolve:
		return pr.resolveControls(p, sel, legal)
	default:
		return nil
	}
}

// confirmRow is the last row: the button that makes the move, or a disabled one that says what is to be chosen first.
func confirmRow(p *table.Private, label string, id press.ID, missing string) component {
	if label == "" {
		return row(disabled(missing, press.For(press.Refresh, p.ID, p.Prompt, none)))
	}
	return row(success(label, id))
}

func (pr *Printer) firstControls(p *table.Private, sel Selection, legal []paladin.Move) []component {
	var buttons []component
	label := ""
	for _, m := range legal {
		number := m.Target.Number()
		name, confirmed := pr.whoPlain(&p.Public, m.Target), Text("panel.first")
		if m.Target == p.Seat {
			name, confirmed = pr.Say("panel.pick_myself", "token", tokenOf(p.Seat).sign), Text("panel.first_myself")
		}
		arg := strconv.Itoa(number)
		if number == sel.First {
			label = pr.Say(confirmed, "who", name, "token", tokenOf(m.Target).sign)
			buttons = append(buttons, primary("✓ "+name, press.For(press.PickFirst, p.ID, p.Prompt, none)))
			continue
		}
		buttons = append(buttons, secondary(name, press.For(press.PickFirst, p.ID, p.Prompt, arg)))
	}
	confirm := press.For(press.First, p.ID, p.Prompt, strconv.Itoa(sel.First))
	return append(rows(buttons...), confirmRow(p, label, confirm, pr.Say("panel.choose_first")))
}

// placing is what can be placed and peeked at.
type placing struct {
	cards  []paladin.Card
	quests []int
	peeks  []paladin.Move
}

func placingOf(legal []paladin.Move) placing {
	var out placing
	for _, m := range legal {
		switch m.Kind {
		case paladin.Place:
			if !slices.Contains(out.cards, m.Card) {
				out.cards = append(out.cards, m.Card)
			}
			if !slices.Contains(out.quests, m.Quest) {
				out.quests = append(out.quests, m.Quest)
			}
		case paladin.Peek:
			out.peeks = append(out.peeks, m)
		}
	}
	slices.Sort(out.cards)
	slices.Sort(out.quests)
	return out
}

// valid drops from a selection what is not possible now, and chooses the quest where only one is left.
func (pl placing) valid(sel Selection) Selection {
	if !slices.ContainsFunc(pl.cards, func(c paladin.Card) bool { return c.String() == sel.Card }) {
		sel.Card = ""
	}
	if !slices.Contains(pl.quests, sel.Quest) {
		sel.Quest = 0
	}
	if !slices.ContainsFunc(pl.peeks, func(m paladin.Move) bool { return spot(m.Quest, m.Place) == sel.Peek }) {
		sel.Peek = ""
	}
	if len(pl.quests) == 1 {
		sel.Quest = pl.quests[0] // there is nothing to choose
	}
	return sel
}

func (pr *Printer) placeControls(p *table.Private, sel Selection, legal []paladin.Move) []component {
	options := placingOf(legal)
	sel = options.valid(sel)
	out := rows(pr.cardButtons(p, sel, options.cards)...)
	out = append(out, rows(pr.questButtons(p, sel, options.quests)...)...)
	if len(options.peeks) > 0 {
		out = append(out, row(pr.peekSelect(p, sel, options.peeks)))
	}
	return append(out, pr.placeConfirm(p, sel))
}

func (pr *Printer) cardButtons(p *table.Private, sel Selection, cards []paladin.Card) []component {
	var buttons []component
	for _, c := range cards {
		label := pr.cardLabel(p.View.Hand, c)
		arg, picked := c.String(), c.String() == sel.Card
		if picked {
			arg = none
		}
		button := choice(picked, label, press.For(press.Pick, p.ID, p.Prompt, arg, questArg(sel.Quest)))
		buttons = append(buttons, pr.badged(button, picture.CardKey(c)))
	}
	return buttons
}

func (pr *Printer) questButtons(p *table.Private, sel Selection, quests []int) []component {
	var buttons []component
	for _, q := range quests {
		quest := p.Game.Row[q-1]
		label := pr.Say("panel.pick_quest", "quest", q, "honour", pr.honour(quest.Honour))
		arg, picked := questArg(q), q == sel.Quest
		if picked {
			arg = none
		}
		button := choice(picked, label, press.For(press.Pick, p.ID, p.Prompt, cardArg(sel.Card), arg))
		buttons = append(buttons, pr.badged(button, picture.QuestKey(quest.Honour, quest.King)))
	}
	return buttons
}

// cardLabel is a card of a hand on a button, with how many of it there are.
func (pr *Printer) cardLabel(hand []paladin.Card, c paladin.Card) string {
	if n := copies(hand, c); n > 1 {
		return pr.cardText(c) + " ×" + strconv.Itoa(n)
	}
	return pr.cardText(c)
}

func copies(hand []paladin.Card, c paladin.Card) int {
	n := 0
	for _, h := range hand {
		if h == c {
			n++
		}
	}
	return n
}

func cardArg(card string) string {
	if card == "" {
		return none
	}
	return card
}

func questArg(quest int) string {
	if quest == 0 {
		return none
	}
	return strconv.Itoa(quest)
}

// peekSelect offers the face-down cards of the others; one that is known already says so.
func (pr *Printer) peekSelect(p *table.Private, sel Selection, peeks []paladin.Move) component {
	atLeast := 0
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(press.For(press.PickPeek, p.ID, p.Prompt)),
		Placeholder: pr.Say("panel.peek_menu"), MinValues: &atLeast, MaxValues: 1,
	}
	for _, m := range peeks[:min(maxOptions, len(peeks))] {
		owner := ownerAt(p.Game, m.Quest, m.Place)
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label:       clip(pr.Say("panel.peek_option", "quest", m.Quest, "place", pr.ordinal(m.Place), "who", pr.whoPlain(&p.Public, owner)), maxOption),
			Value:       spot(m.Quest, m.Place),
			Description: pr.peekDescription(p.View, m),
			Emoji:       pr.peekBadge(p.View, m),
			Default:     spot(m.Quest, m.Place) == sel.Peek,
		})
	}
	return menu
}

func (pr *Printer) peekDescription(v *paladin.View, m paladin.Move) string {
	if c, ok := knownCard(v, m.Quest, m.Place); ok {
		return pr.Say("panel.peek_known", "card", pr.cardText(c))
	}
	if m.Place == 1 {
		return pr.Say("panel.peek_leads")
	}
	return pr.Say("panel.peek_face_down")
}

// peekBadge is the card where it is known, and a back where it is not.
func (pr *Printer) peekBadge(v *paladin.View, m paladin.Move) *discordgo.ComponentEmoji {
	if c, ok := knownCard(v, m.Quest, m.Place); ok {
		return pr.badge(picture.CardKey(c))
	}
	return pr.badge(picture.BackKey)
}

// ownerAt is whose card lies at a place of a quest.
func ownerAt(g *paladin.Public, quest, place int) paladin.Seat {
	if quest < 1 || quest > len(g.Row) {
		return paladin.NoSeat
	}
	for _, c := range g.Row[quest-1].Cards {
		if c.Place == place {
			return c.Seat
		}
	}
	return paladin.NoSeat
}

func (pr *Printer) placeConfirm(p *table.Private, sel Selection) component {
	switch {
	case sel.Peek != "":
		quest, place, _ := parseSpot(sel.Peek)
		label := pr.Say("panel.peek", "who", pr.plainOf(&p.Public, ownerAt(p.Game, quest, place)), "quest", quest)
		return confirmRow(p, label, press.For(press.Peek, p.ID, p.Prompt, sel.Peek), "")
	case sel.Card == "" || sel.Quest == 0:
		return confirmRow(p, "", press.ID{}, pr.missing(sel))
	}
	card, _ := paladin.ParseCard(sel.Card)
	verb := Text("panel.place")
	if p.Game.Phase == paladin.PhaseLead {
		verb = Text("panel.lead")
	}
	id := press.For(press.Place, p.ID, p.Prompt, sel.Card, strconv.Itoa(sel.Quest))
	return confirmRow(p, pr.Say(verb, "card", pr.cardText(card), "quest", sel.Quest), id, "")
}

// missing says what is still to be chosen of a card and its quest.
func (pr *Printer) missing(sel Selection) string {
	switch {
	case sel.Card != "":
		return pr.Say("panel.choose_quest")
	case sel.Quest != 0:
		return pr.Say("panel.choose_card")
	default:
		return pr.Say("panel.choose_card_and_quest")
	}
}

// deciding is the seat's card whose fate is due, and the leading Paladin it stands against.
func deciding(p *table.Private) (own, leader paladin.Card, leads paladin.Seat, ok bool) {
	g := p.Game
	if g.Resolving < 1 || g.Resolving > len(g.Row) {
		return 0, 0, paladin.NoSeat, false
	}
	for _, c := range g.Row[g.Resolving-1].Cards {
		if up, shown := c.Card.Card(); shown {
			leader, leads, ok = up, c.Seat, true
		}
	}
	own, known := knownCard(p.View, g.Resolving, g.Deciding)
	return own, leader, leads, ok && known
}

// fates are the three choices about a placed card (R12), in the order in which they are offered: the word of custom ids, the button
// that chooses it, the one that confirms it, and the words that people type.
var fates = []struct {
	kind                 paladin.MoveKind
	word                 string
	pick, confirm, typed Text
}{
	{paladin.Beat, actBeat, "panel.pick_beat", "panel.beat", "typed.beat"},
	{paladin.Take, actTake, "panel.pick_take", "panel.take", "typed.take"},
	{paladin.Discard, actDiscard, "panel.pick_discard", "panel.discard", "typed.discard"},
}

func (pr *Printer) resolveControls(p *table.Private, sel Selection, legal []paladin.Move) []component {
	own, leader, leads, ok := deciding(p)
	if !ok {
		return nil
	}
	question := Text("panel.resolve_weaker")
	if p.View.BeatWins {
		question = Text("panel.resolve_beats")
	}
	var buttons []component
	label := ""
	for _, fate := range fates {
		if !slices.ContainsFunc(legal, func(m paladin.Move) bool { return m.Kind == fate.kind }) {
			continue
		}
		if fate.word == sel.Act {
			label = pr.Say(fate.confirm, "leader", pr.cardText(leader), "card", pr.cardText(own))
			buttons = append(buttons, primary("✓ "+pr.Say(fate.pick), press.For(press.PickAct, p.ID, p.Prompt, none)))
			continue
		}
		buttons = append(buttons, secondary(pr.Say(fate.pick), press.For(press.PickAct, p.ID, p.Prompt, fate.word)))
	}
	confirm := press.For(press.Act, p.ID, p.Prompt, cardArg(sel.Act))
	out := []component{text(pr.Say(question,
		"who", pr.who(&p.Public, leads), "leader", pr.boldCard(leader), "quest", p.Game.Resolving, "card", pr.boldCard(own)))}
	out = append(out, rows(buttons...)...)
	return append(out, confirmRow(p, label, confirm, pr.Say("panel.choose_act", "card", pr.cardText(own))))
}
