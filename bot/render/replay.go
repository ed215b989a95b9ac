package render

import (
	"errors"
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

// Why a game is not replayed.
const (
	TextReplayRunning Text = "replay.running"
	TextReplayShown   Text = "replay.shown_already"
	LabelReplay       Text = "replay.label_open"
	TextReplayDamaged Text = "replay.damaged"
)

// Replay is a game that is over, page by page. It is the one thing here that is made of whole positions: after the end everything is open
// (R20), and [NewReplay] makes none before.
type Replay struct {
	table *table.Public
	pages []replayPage
}

// replayPage is a position and what happened from there to the next page.
type replayPage struct {
	state paladin.State
	// lap is how many cards each player has placed.
	lap   int
	moves []replayMove
	// carried is how many of the moves came before the position, whose last events begin this page.
	carried int
	// stopped is true for the last page of a game that was not played to its end.
	stopped bool
}

// replayMove is a move with those of its events that a page tells.
type replayMove struct {
	line   table.PublicLine
	events []paladin.Event
}

// errStillOpen: there is no replay of a game that is not over.
var errStillOpen = errors.New("render: a game that is not over is not replayed")

// NewReplay lays out a game as its record says. moves are the lines of its history that hold moves, which name who sat there; they may be
// missing. The error is a *[paladin.RecordError] for a record that is wrong.
func NewReplay(p *table.Public, record *paladin.Record, moves []table.PublicLine) (*Replay, error) {
	if !p.Over() || p.Game == nil {
		return nil, errStillOpen
	}
	r := &Replay{table: p}
	result, err := record.Play(func(s *paladin.State, events []paladin.Event) error {
		r.visit(s, events, moves)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !result.Final.Over() {
		if last := &r.pages[len(r.pages)-1]; len(last.moves) > last.carried {
			r.pages = append(r.pages, newReplayPage(&result.Final))
		}
		r.pages[len(r.pages)-1].stopped = true
	}
	return r, nil
}

// visit adds a position with what led to it. Page follows page where a round begins, where everybody has placed once more, where the next
// quest is resolved, and at the end.
func (r *Replay) visit(s *paladin.State, events []paladin.Event, moves []table.PublicLine) {
	if len(r.pages) == 0 {
		r.pages = []replayPage{newReplayPage(s)}
		return
	}
	var m replayMove
	if n := s.Moves(); n <= len(moves) {
		m.line = moves[n-1]
	} else {
		m.line.Seat = paladin.NoSeat
	}
	last := &r.pages[len(r.pages)-1]
	fresh := newReplayPage(s)
	if fresh.same(last) {
		m.events = events
		last.moves = append(last.moves, m)
		return
	}
	cut := slices.IndexFunc(events, opensPage)
	if cut < 0 {
		cut = len(events)
	}
	next := m
	m.events, next.events = events[:cut], events[cut:]
	last.moves = append(last.moves, m)
	if len(next.events) > 0 {
		fresh.moves, fresh.carried = []replayMove{next}, 1
	}
	r.pages = append(r.pages, fresh)
}

// opensPage reports whether an event and those after it belong to what follows rather than to the move that made them happen.
func opensPage(e paladin.Event) bool {
	switch e.Kind() {
	case paladin.LeaderRevealed, paladin.Reshuffled, paladin.RoundBegan, paladin.GameOver:
		return true
	}
	return false
}

func newReplayPage(s *paladin.State) replayPage {
	p := replayPage{state: *s}
	if s.Phase() != paladin.PhasePlace {
		return p
	}
	public, placed := s.Public(), 0
	for _, q := range public.Row {
		placed += len(q.Cards)
	}
	p.lap = placed / s.Players()
	return p
}

// same reports whether both positions belong to one page.
func (p *replayPage) same(other *replayPage) bool {
	a, b := p.state.Public(), other.state.Public()
	leads := func(g *paladin.Public) bool { return g.Phase == paladin.PhaseStart || g.Phase == paladin.PhaseLead }
	return a.Round == b.Round && (a.Phase == b.Phase || leads(&a) && leads(&b)) && p.lap == other.lap && a.Resolving == b.Resolving
}

// Pages is how many pages there are, at least one.
func (r *Replay) Pages() int { return len(r.pages) }

// ReplayView is what a replay shows: a page, as somebody sees it.
type ReplayView struct {
	// Seat is whose eyes look; paladin.NoSeat knows every card.
	Seat paladin.Seat
	// Page counts from 1; one that does not exist is the nearest that does.
	Page int
	// Pictures shows the table as a picture, too.
	Pictures bool
	// SharedBy is who shows it to everybody; empty for a private replay. Shareable offers to show it to everybody.
	SharedBy  table.UserID
	Shareable bool
}

// The words of custom ids for a viewpoint that knows every card, and for what a select chooses.
const (
	viewAll  = "all"
	viewPick = "-"
)

// ReplayViewOf reads a press on a replay, with what was chosen in a select; false for one that asks for what there is not.
func ReplayViewOf(id press.ID, values []string, players int) (ReplayView, bool) {
	v := ReplayView{Seat: paladin.NoSeat, Page: 1}
	if len(id.Args) == 0 {
		return v, true
	}
	view, page := id.Arg(0), id.Arg(1)
	if view == viewPick || page == viewPick {
		if len(values) != 1 {
			return v, false
		}
		if view == viewPick {
			view = values[0]
		} else {
			page = values[0]
		}
	}
	n, err := strconv.Atoi(page)
	if err != nil {
		return v, false
	}
	v.Page = n
	if view == viewAll {
		return v, true
	}
	seat, err := strconv.Atoi(view)
	if err != nil || seat < 1 || seat > players {
		return v, false
	}
	v.Seat = paladin.SeatNumber(seat)
	return v, true
}

func (v ReplayView) word() string {
	if v.Seat == paladin.NoSeat {
		return viewAll
	}
	return strconv.Itoa(v.Seat.Number())
}

// Replay is one page of a game that is over. It pings nobody.
func (pr *Printer) Replay(r *Replay, v ReplayView) discord.Message {
	v.Page = max(1, min(v.Page, len(r.pages)))
	drawn := pr.replayPicture(r, v)
	// Names of five people at their longest may be too much for one message: their numbers say the same.
	return illustrated(fitting(1, func(names int) discord.Message {
		parts := append(pr.replayParts(r, v, drawn, names > 0), pr.replayControls(r, v)...)
		if v.SharedBy == "" {
			return private(parts...)
		}
		return framed(append(parts, text(pr.Say("replay.shared", "who", mentionUser(v.SharedBy))))...)
	}), drawn)
}

// replayPicture is the picture of a page: the table as the viewer knew it then, or the result. It is nil where none is wanted; one that
// cannot be drawn is left out: the text says it too.
func (pr *Printer) replayPicture(r *Replay, v ReplayView) *discord.File {
	if !v.Pictures {
		return nil
	}
	page := &r.pages[v.Page-1]
	public := page.state.Public()
	if public.Phase == paladin.PhaseOver {
		png, err := picture.Result(r.table)
		if err != nil {
			return nil
		}
		return Picture("result", png, pr.ResultAlternative(r.table))
	}
	p, sight := replayTable(r.table, &public, false), r.sight(page, v.Seat)
	known := func(quest, place int) (paladin.Card, bool) { return sight.card(public.Round, quest, place) }
	png, err := picture.Replayed(p, known)
	if err != nil {
		return nil
	}
	return Picture("replay", png, pr.tableAlternative(p, known))
}

func (pr *Printer) replayParts(r *Replay, v ReplayView, drawn *discord.File, names bool) []component {
	page := &r.pages[v.Page-1]
	public := page.state.Public()
	p := replayTable(r.table, &public, names)
	known := r.sight(page, v.Seat)
	parts := []component{text(pr.replayHeading(p, page), pr.replayEnd(p, page), pr.replayPageLine(r, p, v))}
	parts = append(parts, gallery(drawn)...)
	parts = append(parts, text(pr.replayQuests(p, known, v.Seat)...), text(pr.replayPlayers(p, known)...), text(pr.replayPiles(p, known)...))
	if public.Phase == paladin.PhaseOver {
		return parts // nothing happens next, and who won stands above
	}
	return append(parts, section(pr.Say("replay.next"), pr.replaySentences(p, page, v.Seat, names)...)...)
}

// replayTable is the table as it was, with what was public in the game at that moment. It tells of nobody's comings and goings.
func replayTable(end *table.Public, game *paladin.Public, names bool) *table.Public {
	p := *end
	p.Game, p.Recent = game, nil
	p.Seats = slices.Clone(end.Seats)
	for i := range p.Seats {
		p.Seats[i].Away, p.Seats[i].Owner = false, table.Person{}
		if !names {
			p.Seats[i].Person.Name = ""
		}
	}
	return &p
}

// sight is what somebody knows of cards that lie face down, and of hands.
type sight struct{ views []paladin.View }

func (r *Replay) sight(page *replayPage, seat paladin.Seat) sight {
	if seat != paladin.NoSeat {
		return sight{[]paladin.View{page.state.View(seat)}}
	}
	var all sight
	for seat := range paladin.Seat(page.state.Players()) {
		all.views = append(all.views, page.state.View(seat))
	}
	return all
}

// card is the card at a place of a quest of that round.
func (s sight) card(round, quest, place int) (paladin.Card, bool) {
	for _, v := range s.views {
		for _, list := range [][]paladin.KnownCard{v.Placed, v.Discards, v.Peeked} {
			for _, k := range list {
				if k.Round == round && k.Quest == quest && k.Place == place {
					return k.Card, true
				}
			}
		}
	}
	return 0, false
}

func (s sight) hand(seat paladin.Seat) []paladin.Card {
	for _, v := range s.views {
		if v.Seat == seat {
			return v.Hand
		}
	}
	return nil
}

func (pr *Printer) replayHeading(p *table.Public, page *replayPage) string {
	g := p.Game
	with := []any{"round", g.Round, "rounds", g.Rounds}
	switch {
	case g.Phase == paladin.PhaseOver:
		return pr.Say("replay.heading_over")
	case page.stopped:
		return pr.Say("replay.heading_stopped")
	case g.Phase == paladin.PhasePlace:
		return pr.Say("replay.heading_place", append(with, "lap", page.lap, "laps", g.Players-1)...)
	case g.Phase == paladin.PhaseResolve:
		return pr.Say("replay.heading_quest", append(with, "quest", g.Resolving)...)
	default:
		return pr.Say("replay.heading_lead", with...)
	}
}

// replayEnd says who won, or why the game stopped; empty before the end.
func (pr *Printer) replayEnd(p *table.Public, page *replayPage) string {
	switch {
	case page.stopped:
		return pr.closedText(p.Reason)
	case len(p.Game.Winners) == 0:
		return ""
	default:
		return "🏆 " + pr.winnersText(p, p.Game.Winners)
	}
}

func (pr *Printer) replayPageLine(r *Replay, p *table.Public, v ReplayView) string {
	with := []any{"page", v.Page, "pages", len(r.pages)}
	if v.Seat == paladin.NoSeat {
		return pr.Say("replay.page_all", with...)
	}
	return pr.Say("replay.page_seat", append(with, "who", pr.who(p, v.Seat))...)
}

func (pr *Printer) replayQuests(p *table.Public, known sight, seat paladin.Seat) []string {
	var lines []string
	faceDown := false
	for _, q := range p.Game.Row {
		lines = append(lines, pr.questHeading(p.Game, q), pr.questBody(p, q, func(quest, place int) (paladin.Card, bool) {
			return known.card(p.Game.Round, quest, place)
		}))
		faceDown = faceDown || slices.ContainsFunc(q.Cards, func(c paladin.PublicCard) bool { return c.Card.IsZero() })
	}
	switch {
	case !faceDown:
		return lines // there is nothing to explain
	case seat == paladin.NoSeat:
		return append(lines, pr.Say("replay.legend_all"))
	default:
		return append(lines, pr.Say("replay.legend_seat"))
	}
}

func (pr *Printer) replayPlayers(p *table.Public, known sight) []string {
	var lines []string
	for i, seat := range p.Game.Seats {
		s := paladin.Seat(i)
		lines = append(lines, pr.plural("board.player", seat.Hand, "who", pr.who(p, s), "honour", pr.honour(seat.Honour))+pr.roles(p, s))
		if hand := known.hand(s); len(hand) > 0 {
			lines = append(lines, pr.Say("replay.hand", "cards", pr.cardList(hand)))
		}
		if kept := pr.keptList(seat.Kept); kept != "" {
			lines = append(lines, pr.Say("board.won", "quests", kept))
		}
	}
	return lines
}

// replayPiles are the sizes of the piles, and the discard pile as far as it is known.
func (pr *Printer) replayPiles(p *table.Public, known sight) []string {
	g := p.Game
	lines := []string{pr.Say("board.piles", "supply", pr.plural("words.cards", g.Supply),
		"discards", pr.plural("words.cards", len(g.Discards)), "quests", g.QuestsLeft)}
	words := make([]string, len(g.Discards))
	for i, d := range g.Discards {
		card, ok := d.Card.Card()
		if !ok {
			card, ok = known.card(d.Round, d.Quest, d.Place)
		}
		words[i] = "?"
		if ok {
			words[i] = pr.cardText(card)
		}
	}
	if len(words) > 0 {
		lines = append(lines, pr.Say("replay.discards", "cards", strings.Join(words, " · ")))
	}
	return lines
}

// replaySentences tell what happens from the page's position on, as the viewer knew it then.
func (pr *Printer) replaySentences(p *table.Public, page *replayPage, viewer paladin.Seat, names bool) []string {
	var lines []string
	for i, m := range page.moves {
		then := p
		if names {
			then = asThen(p, m.line)
		}
		for j, e := range m.events {
			s := pr.replaySentence(then, e, viewer)
			if j == 0 && i >= page.carried && pr.movedBySquire(then, m.line) {
				s = pr.Say("events.by_squire", "sentence", s)
			}
			if s != "" {
				lines = append(lines, "- "+s)
			}
		}
	}
	return lines
}

// movedBySquire reports whether a squire made the move for a person.
func (pr *Printer) movedBySquire(p *table.Public, l table.PublicLine) bool {
	s, ok := seatAt(p, l.Seat)
	return ok && s.Human() && l.Kind == table.LineSquireMove
}

// secretEvents tell events with the card that not everybody saw.
var secretEvents = map[paladin.EventKind]Text{
	paladin.Placed:    "replay.placed",
	paladin.Peeked:    "replay.peeked",
	paladin.TookBack:  "replay.took_back",
	paladin.Discarded: "replay.discarded",
}

func (pr *Printer) replaySentence(p *table.Public, e paladin.Event, viewer paladin.Seat) string {
	public := e.Public()
	if viewer == paladin.NoSeat {
		viewer = public.Seat // who acts knows the card
	}
	seen := e.For(viewer)
	told, secret := secretEvents[public.Kind]
	if !secret || !seen.Knows {
		return pr.EventSentence(p, public)
	}
	if public.Kind == paladin.Placed && public.Place == 1 {
		told = Text("replay.led")
	}
	return pr.Say(told, "who", pr.who(p, public.Seat), "whose", pr.who(p, public.Target), "quest", public.Quest, "card", pr.boldCard(seen.Secret))
}

// replayControls turn the pages, go to a round and choose whose eyes look. They keep their places from page to page.
func (pr *Printer) replayControls(r *Replay, v ReplayView) []component {
	last := len(r.pages)
	turn := func(label string, page int, mark string) component {
		if page < 1 || page > last || page == v.Page {
			return disabled(label, press.New(press.Replay, r.table.ID, v.word(), strconv.Itoa(v.Page), mark))
		}
		return secondary(label, press.New(press.Replay, r.table.ID, v.word(), strconv.Itoa(page), mark))
	}
	buttons := []component{
		turn(pr.Say("replay.label_first"), 1, "A"), turn(pr.Say("replay.label_back"), v.Page-1, "B"),
		turn(pr.Say("replay.label_forward"), v.Page+1, "F"), turn(pr.Say("replay.label_last"), last, "Z"),
	}
	if v.Shareable {
		buttons = append(buttons, secondary(pr.Say("replay.label_share"), press.New(press.Share, r.table.ID, v.word(), strconv.Itoa(v.Page))))
	}
	return []component{row(buttons...), row(pr.replayMenu(r, v)), row(pr.jumpMenu(r, v))}
}

func (pr *Printer) replayMenu(r *Replay, v ReplayView) component {
	options := []discordgo.SelectMenuOption{{Label: pr.Say("replay.view_all"), Value: viewAll, Default: v.Seat == paladin.NoSeat}}
	for i := range r.table.Seats {
		seat := paladin.Seat(i)
		options = append(options, discordgo.SelectMenuOption{
			Label: clip(pr.Say("replay.view_seat", "who", pr.whoPlain(r.table, seat)), maxOption), Value: strconv.Itoa(seat.Number()), Default: v.Seat == seat,
		})
	}
	return pr.chooseOne(press.New(press.Replay, r.table.ID, viewPick, strconv.Itoa(v.Page)), pr.Say("replay.view"), options)
}

// jumpMenu leads to the first page of each round, and to the last page of all.
func (pr *Printer) jumpMenu(r *Replay, v ReplayView) component {
	var options []discordgo.SelectMenuOption
	for i := range r.pages {
		round := r.pages[i].state.Round()
		if i > 0 && r.pages[i-1].state.Round() == round || i > 0 && i == len(r.pages)-1 {
			continue
		}
		options = append(options, discordgo.SelectMenuOption{Label: pr.Say("replay.jump_round", "round", round), Value: strconv.Itoa(i + 1)})
	}
	if last := len(r.pages); last > 1 {
		options = append(options, discordgo.SelectMenuOption{Label: pr.Say("replay.jump_end"), Value: strconv.Itoa(last)})
	}
	return pr.chooseOne(press.New(press.Replay, r.table.ID, v.word(), viewPick), pr.Say("replay.jump"), options)
}

// chooseOne is a select of exactly one of the options.
func (pr *Printer) chooseOne(id press.ID, placeholder string, options []discordgo.SelectMenuOption) component {
	one := 1
	return discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(id), Placeholder: placeholder, MinValues: &one, MaxValues: 1, Options: options,
	}
}
