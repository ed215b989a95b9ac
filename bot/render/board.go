package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// boardEvents is how many sentences of what happened lately a board and a panel show.
const boardEvents = 8

// Board is the one public message of a table, at every stage. It pings nobody.
func (pr *Printer) Board(p *table.Public, links Links) discord.Message {
	switch {
	case p.Stage == table.Lobby:
		return pr.lobby(p)
	case p.Stage == table.Playing && p.Game != nil:
		return fitting(boardEvents, func(events int) discord.Message { return pr.playing(p, events) })
	case p.Stage == table.Finished && p.Game != nil:
		return pr.finished(p, links)
	default:
		return pr.closed(p, links)
	}
}

// Retired is what an old board or an orphan becomes: it points to the live one.
func (pr *Printer) Retired(p *table.Public, link string) discord.Message {
	if link == "" {
		return public(text("**Paladin:** this is an old board. /paladin board shows where the game stands."))
	}
	where := "the game goes on here:"
	switch {
	case p.Stage == table.Lobby:
		where = "the table stands here:"
	case p.Over():
		where = "the result stands here:"
	}
	return public(append([]component{text("**Paladin:** this is an old board; " + where)}, rows(pr.boardLinks(link)...)...)...)
}

func (pr *Printer) boardLinks(url string) []component { return link(pr.Say(LabelBoard), url) }

// --- the lobby

func (pr *Printer) lobby(p *table.Public) discord.Message {
	parts := []component{
		text("## Paladin: who plays?", pr.lobbyOptions(p)),
		text(pr.lobbySeats(p)...),
		text(pr.lobbyWaiting(p)...),
		text(pr.fairDeal(p)),
	}
	parts = append(parts, pr.lobbyButtons(p)...)
	return framed(parts...)
}

func (pr *Printer) lobbyOptions(p *table.Public) string {
	o := joinLines(
		fmt.Sprintf("A card game for %d players, in this channel, whenever each of you has a minute.", p.Options.Seats),
		pr.paceLine(p.Options.Pace),
		"Squires (computer players): "+pr.squireOptions(p.Options)+".",
	)
	if !p.HouseDeck {
		o = joinLines(o, "This server plays with a deck of its own.")
	}
	return o
}

func (pr *Printer) lobbySeats(p *table.Public) []string {
	lines := []string{bold("Seats")}
	for i := range p.Options.Seats {
		seat := paladin.Seat(i)
		line := fmt.Sprintf("%s %s: ", tokenOf(seat).sign, pr.tokenWord(seat))
		if s, ok := seatAt(p, seat); ok {
			line += bold(pr.nameOf(p, seat)) + pr.seatRemarks(p, s)
		} else {
			line += "free"
		}
		lines = append(lines, line)
	}
	return lines
}

func (pr *Printer) seatRemarks(p *table.Public, s table.PublicSeat) string {
	switch {
	case !s.Human():
		return " (" + pr.strengthText(s.Squire) + ")"
	case !s.Ready:
		return ", who has yet to press Join"
	case s.Person.ID == p.Host:
		return ", host"
	default:
		return ""
	}
}

// lobbyWaiting says what is missing to start, who waits for a seat and who was invited.
func (pr *Printer) lobbyWaiting(p *table.Public) []string {
	lines := []string{pr.startNeeds(p)}
	if len(p.Queue) > 0 {
		lines = append(lines, fmt.Sprintf("Waiting for a seat: %s.", pr.peopleList(p.Queue)))
	}
	var missing []table.Person
	for _, person := range p.Invited {
		if p.SeatOf(person.ID) == paladin.NoSeat {
			missing = append(missing, person)
		}
	}
	if len(missing) > 0 {
		lines = append(lines, fmt.Sprintf("Invited: %s.", pr.peopleList(missing)))
	}
	return lines
}

// peopleList names a few people and counts the rest.
func (pr *Printer) peopleList(people []table.Person) string {
	const most = 5
	var names []string
	for _, person := range people[:min(most, len(people))] {
		names = append(names, Name(person.Name, "somebody"))
	}
	if more := len(people) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return pr.enumerate(names)
}

// startNeeds says what is missing before the game can start, or who can start it.
func (pr *Printer) startNeeds(p *table.Public) string {
	if missing := table.MinSeats - len(p.Seats); missing > 0 {
		return fmt.Sprintf("**Not yet:** at least %d more must sit down. Squires will do.", missing)
	}
	var waiting []string
	for i, s := range p.Seats {
		if !s.Ready {
			waiting = append(waiting, pr.mention(p, paladin.Seat(i)))
		}
	}
	switch {
	case len(waiting) == 1:
		return fmt.Sprintf("**Not yet:** waiting for %s to press Join, or for the host to free the seat.", waiting[0])
	case len(waiting) > 1:
		return fmt.Sprintf("**Not yet:** waiting for %s to press Join, or for the host to free the seats.", pr.enumerate(waiting))
	case p.HostLeft:
		return "**Ready:** anyone seated can press Start."
	default:
		return fmt.Sprintf("**Ready:** %s can press Start.", mentionUser(p.Host))
	}
}

func canStart(p *table.Public) bool {
	for _, s := range p.Seats {
		if !s.Ready {
			return false
		}
	}
	return len(p.Seats) >= table.MinSeats
}

func (pr *Printer) lobbyButtons(p *table.Public) []component {
	full := len(p.Seats) >= p.Options.Seats
	join := "Join"
	if full && canStart(p) {
		join = "Queue for a seat"
	}
	out := rows(
		primary(join, press.New(press.Join, p.ID)),
		secondary("Leave", press.New(press.Leave, p.ID)),
		enabledIf(!full, discordgo.SecondaryButton, "Add a squire", press.New(press.Squire, p.ID)),
		enabledIf(canStart(p), discordgo.SuccessButton, "Start", press.New(press.Start, p.ID)),
		danger("Cancel", press.New(press.Cancel, p.ID)),
	)
	return append(out, rows(
		secondary("My seat", press.New(press.Seat, p.ID)),
		secondary("Manage (host)", press.New(press.Manage, p.ID)),
		secondary("Rules", press.New(press.Rules, p.ID)),
	)...)
}

// fairDeal shows the commitment, and the rest of what checks the deal as soon as it is public (R20).
func (pr *Printer) fairDeal(p *table.Public) string {
	if p.Seed == "" {
		return joinLines("-# The deal is fixed by a secret number. Its fingerprint:", "-# `"+p.Commitment+"`")
	}
	lines := joinLines(
		"-# To check the deal (see Rules): seed",
		"-# `"+p.Seed+"`",
		"-# fingerprint, published before anybody joined",
		"-# `"+p.Commitment+"`",
	)
	if p.Salt != "" {
		lines = joinLines(lines, "-# salt", "-# `"+p.Salt+"`")
	}
	return lines
}

// --- the running game

func (pr *Printer) playing(p *table.Public, events int) discord.Message {
	g := p.Game
	parts := []component{
		text(fmt.Sprintf("## Paladin: round %d of %d", g.Round, g.Rounds), pr.waitingLine(p), pr.pausedLine(p), pr.votesLine(p), pr.pauseVotes(p), joinLines(pr.offerLines(p)...)),
		divider(),
		text(pr.questLines(p)...),
		divider(),
		text(pr.playerLines(p)...),
		text(pr.pileLines(p)...),
	}
	parts = append(parts, section("Lately", pr.recentSentences(p, events)...)...)
	parts = append(parts, text(pr.fairDeal(p)))
	parts = append(parts, rows(
		primary("My seat", press.New(press.Seat, p.ID)),
		secondary("Log", press.New(press.Log, p.ID)),
		secondary("Rules", press.New(press.Rules, p.ID)),
	)...)
	parts = append(parts, pr.presenceButtons(p)...)
	return framed(parts...)
}

// waitingLine says truthfully who has to do what, since when and until when.
func (pr *Printer) waitingLine(p *table.Public) string {
	if p.Game == nil || p.Awaited == paladin.NoSeat {
		return ""
	}
	s, _ := seatAt(p, p.Awaited)
	since := pr.timesText(p.Since, time.Time{})
	switch {
	case !s.Human():
		return fmt.Sprintf("%s (computer) is %s%s", pr.who(p, p.Awaited), pr.doing(p.Game), since)
	case s.Away:
		return fmt.Sprintf("A squire plays for %s, who is away, and is %s%s", pr.who(p, p.Awaited), pr.doing(p.Game), since)
	default:
		return fmt.Sprintf("**Waiting for %s** to %s%s", pr.mention(p, p.Awaited), pr.todo(p.Game), pr.timesText(p.Since, p.Until))
	}
}

// todo is what the seat to act has to do.
func (pr *Printer) todo(g *paladin.Public) string {
	switch g.Phase {
	case paladin.PhaseStart:
		return "name the start player"
	case paladin.PhaseLead:
		return "lead a quest"
	case paladin.PhasePlace:
		return "place a card"
	case paladin.PhaseResolve:
		return fmt.Sprintf("decide about a card on quest %d", g.Resolving)
	default:
		return "act"
	}
}

func (pr *Printer) doing(g *paladin.Public) string {
	switch g.Phase {
	case paladin.PhaseStart:
		return "naming the start player"
	case paladin.PhaseLead:
		return "choosing a quest to lead"
	case paladin.PhasePlace:
		return "placing a card"
	case paladin.PhaseResolve:
		return fmt.Sprintf("deciding about a card on quest %d", g.Resolving)
	default:
		return "thinking"
	}
}

func (pr *Printer) votesLine(p *table.Public) string {
	if p.StopVotes == 0 {
		return ""
	}
	return fmt.Sprintf("To stop the game: %d of %s so far (/paladin stop).", p.StopVotes, pr.plural("words.votes", p.VotesToEnd))
}

// questLines are the quests of the row as everybody sees them.
func (pr *Printer) questLines(p *table.Public) []string {
	var lines []string
	for _, q := range p.Game.Row {
		lines = append(lines, pr.questHeading(p.Game, q), pr.questBody(p, q, nil))
	}
	return append(lines, boardLegend)
}

func (pr *Printer) questHeading(g *paladin.Public, q paladin.PublicQuest) string {
	mark := ""
	if g.Resolving == q.Number {
		mark = "▶ "
	}
	return fmt.Sprintf("%s**Quest %d: %s** (%s)", mark, q.Number, pr.honour(q.Honour), pr.deckName(q.King))
}

// knowledge is what a viewer knows of the face-down card at a place of a quest; nil knows nothing.
type knowledge func(quest, place int) (paladin.Card, bool)

// questBody tells what lies on a quest, in order of placement.
func (pr *Printer) questBody(p *table.Public, q paladin.PublicQuest, known knowledge) string {
	switch {
	case q.Won:
		return fmt.Sprintf("won by %s with %s", pr.who(p, q.WonBy), pr.faceUp(q.Kept))
	case len(q.Cards) == 0:
		return "nobody leads it yet"
	}
	words := make([]string, len(q.Cards))
	for i, c := range q.Cards {
		words[i] = tokenOf(c.Seat).sign + " " + pr.cardState(p.Game, q, c, known)
	}
	line := strings.Join(words, " · ")
	var seen []string
	for _, c := range q.Cards {
		if len(c.PeekedBy) > 0 {
			seen = append(seen, fmt.Sprintf("%s's card by %s", tokenOf(c.Seat).sign, signs(c.PeekedBy)))
		}
	}
	if len(seen) > 0 {
		line += "\n-# seen: " + strings.Join(seen, ", ")
	}
	return line
}

// Legends of how questBody writes cards.
const (
	boardLegend = "-# **?** is a face-down card. The first one leads its quest."
	panelLegend = "-# **?** is a face-down card, **(7)** one that you know. The first one leads its quest."
)

func (pr *Printer) cardState(g *paladin.Public, q paladin.PublicQuest, c paladin.PublicCard, known knowledge) string {
	if card, ok := c.Card.Card(); ok {
		return pr.boldCard(card) + " leads"
	}
	state := "?"
	if known != nil {
		if card, ok := known(q.Number, c.Place); ok {
			state = "(" + pr.boldCard(card) + ")"
		}
	}
	if g.Resolving == q.Number && g.Deciding == c.Place {
		state += " decides"
	}
	return state
}

// playerLines are the seats with honour, hand and role.
func (pr *Printer) playerLines(p *table.Public) []string {
	var lines []string
	for i, seat := range p.Game.Seats {
		s := paladin.Seat(i)
		lines = append(lines, fmt.Sprintf("%s: **%s**, %s in hand%s", pr.who(p, s), pr.honour(seat.Honour), pr.plural("words.cards", seat.Hand), pr.roles(p, s)))
		if kept := pr.keptList(seat.Kept); kept != "" {
			lines = append(lines, "-# won "+kept)
		}
	}
	return lines
}

// roles are what sets a seat apart at the moment.
func (pr *Printer) roles(p *table.Public, seat paladin.Seat) string {
	var words []string
	if p.Game.Dealer == seat {
		words = append(words, "dealer")
	}
	if p.Game.Start == seat {
		words = append(words, "start player")
	}
	if s, ok := seatAt(p, seat); ok && s.Away {
		words = append(words, "away: a squire plays")
	} else if s.Owner.ID != "" {
		words = append(words, "stands in for "+Name(s.Owner.Name, pr.seatFallback(seat)))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// keptList are the quests won, with the Paladins that are kept with them.
func (pr *Printer) keptList(kept []paladin.KeptQuest) string {
	words := make([]string, len(kept))
	for i, k := range kept {
		worth := strconv.Itoa(k.Honour)
		if i == 0 {
			worth = pr.honour(k.Honour)
		}
		words[i] = fmt.Sprintf("%s with %s", worth, pr.faceUp(k.Card))
	}
	return strings.Join(words, ", ")
}

// pileLines are the sizes of the piles and what lies face up on the discard pile.
func (pr *Printer) pileLines(p *table.Public) []string {
	var up []paladin.Card
	for _, d := range p.Game.Discards {
		if c, ok := d.Card.Card(); ok {
			up = append(up, c)
		}
	}
	lines := []string{fmt.Sprintf("Supply: %s. Discard pile: %s. Quests to come: %d.",
		pr.plural("words.cards", p.Game.Supply), pr.plural("words.cards", len(p.Game.Discards)), p.Game.QuestsLeft)}
	if len(up) > 0 {
		lines = append(lines, "-# face up in the discard pile: "+pr.cardList(up))
	}
	return lines
}

// --- the end

func (pr *Printer) finished(p *table.Public, links Links) discord.Message {
	parts := []component{text("## Paladin: the game is over", "🏆 "+pr.winnersText(p, p.Game.Winners))}
	parts = append(parts, text(pr.finalScores(p)...), text(pr.fairDeal(p)))
	return framed(append(parts, pr.endButtons(p, links)...)...)
}

// finalScores are the seats by honour, the most first, with what it is made of (R15).
func (pr *Printer) finalScores(p *table.Public) []string {
	var lines []string
	for _, seat := range byHonour(p.Game) {
		s := p.Game.Seats[seat]
		lines = append(lines, fmt.Sprintf("%s: **%s**", pr.who(p, seat), pr.honour(s.Honour)))
		if len(s.Kept) == 0 {
			lines = append(lines, "-# won no quest")
			continue
		}
		lines = append(lines, "-# won "+pr.keptList(s.Kept))
	}
	return lines
}

func byHonour(g *paladin.Public) []paladin.Seat {
	seats := make([]paladin.Seat, len(g.Seats))
	for i := range seats {
		seats[i] = paladin.Seat(i)
	}
	slices.SortStableFunc(seats, func(a, b paladin.Seat) int { return g.Seats[b].Honour - g.Seats[a].Honour })
	return seats
}

func (pr *Printer) closed(p *table.Public, links Links) discord.Message {
	again := "Whoever had a seat can open a new table with the same players (Play again). Anybody can start afresh with /paladin new."
	parts := []component{text("## Paladin: this table is closed", pr.closedText(p.Reason), again)}
	if p.Game != nil {
		parts = append(parts, text(fmt.Sprintf("It stopped in round %d of %d.", p.Game.Round, p.Game.Rounds)), text(pr.finalScores(p)...))
	}
	parts = append(parts, text(pr.fairDeal(p)))
	return framed(append(parts, pr.endButtons(p, links)...)...)
}

func (pr *Printer) endButtons(p *table.Public, links Links) []component {
	var buttons []component
	switch {
	case links.Next != "":
		buttons = link("To the next game", links.Next)
	case p.Next == "":
		buttons = []component{primary("Play again", press.New(press.Again, p.ID))}
	}
	if p.Game != nil {
		buttons = append(buttons, secondary("Record", press.New(press.Record, p.ID)))
	}
	buttons = append(buttons,
		secondary("Log", press.New(press.Log, p.ID)),
		secondary("Rules", press.New(press.Rules, p.ID)))
	return rows(buttons...)
}
