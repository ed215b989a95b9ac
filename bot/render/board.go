package render

import (
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/picture"
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
		return pr.lobby(p, links.Records)
	case p.Stage == table.Playing && p.Game != nil:
		return illustrated(fitting(boardEvents, func(events int) discord.Message { return pr.playing(p, links, events) }), links.Picture)
	case p.Stage == table.Finished && p.Game != nil:
		return illustrated(pr.finished(p, links), links.Picture)
	default:
		return pr.closed(p, links)
	}
}

// Retired is what an old board or an orphan becomes: it points to the live one.
func (pr *Printer) Retired(p *table.Public, link string) discord.Message {
	if link == "" {
		return public(text(pr.Say("board.retired")))
	}
	where := Text("board.retired_playing")
	switch {
	case p.Stage == table.Lobby:
		where = Text("board.retired_lobby")
	case p.Over():
		where = Text("board.retired_over")
	}
	return public(append([]component{text(pr.Say(where))}, rows(pr.boardLinks(link)...)...)...)
}

func (pr *Printer) boardLinks(url string) []component { return link(pr.Say(LabelBoard), url) }

// --- the lobby

func (pr *Printer) lobby(p *table.Public, records map[table.UserID]Record) discord.Message {
	parts := []component{
		text(pr.Say("board.lobby_heading"), pr.lobbyOptions(p)),
		text(pr.lobbySeats(p, records)...),
		text(pr.lobbyWaiting(p)...),
		text(pr.commitment(p)),
	}
	parts = append(parts, pr.lobbyButtons(p)...)
	return framed(parts...)
}

func (pr *Printer) lobbyOptions(p *table.Public) string {
	o := joinLines(
		pr.plural("board.lobby_players", p.Options.Seats),
		pr.paceLine(p.Options.Pace),
		pr.Say("board.lobby_squires", "options", pr.squireOptions(p.Options)),
	)
	if !p.HouseDeck {
		o = joinLines(o, pr.Say("board.lobby_own_deck"))
	}
	return o
}

func (pr *Printer) lobbySeats(p *table.Public, records map[table.UserID]Record) []string {
	lines := []string{pr.Say("board.seats_heading")}
	for i := range p.Options.Seats {
		line := pr.lobbySeat(p, paladin.Seat(i))
		if s, ok := seatAt(p, paladin.Seat(i)); ok && s.Human() {
			if record := pr.lobbyRecord(records[s.Person.ID]); record != "" {
				line += " · " + record
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func (pr *Printer) lobbySeat(p *table.Public, seat paladin.Seat) string {
	token, shape := tokenOf(seat).sign, pr.tokenWord(seat)
	s, ok := seatAt(p, seat)
	if !ok {
		return pr.Say("board.seat_free", "token", token, "shape", shape)
	}
	who := bold(pr.nameOf(p, seat))
	switch {
	case !s.Human():
		return pr.Say("board.seat_squire", "token", token, "shape", shape, "who", who, "strength", pr.strengthText(s.Squire))
	case !s.Ready:
		return pr.Say("board.seat_not_ready", "token", token, "shape", shape, "who", who)
	case s.Person.ID == p.Host:
		return pr.Say("board.seat_host", "token", token, "shape", shape, "who", who)
	default:
		return pr.Say("board.seat_taken", "token", token, "shape", shape, "who", who)
	}
}

// lobbyWaiting says what is missing to start, who waits for a seat and who was invited.
func (pr *Printer) lobbyWaiting(p *table.Public) []string {
	lines := []string{pr.startNeeds(p)}
	if len(p.Seats) < p.Options.Seats && slices.ContainsFunc(p.Seats, guest(p)) {
		lines = append(lines, pr.Say("board.host_silent"))
	}
	if len(p.Queue) > 0 {
		lines = append(lines, pr.Say("board.queue", "people", pr.peopleList(p.Queue)))
	}
	var missing []table.Person
	for _, person := range p.Invited {
		if p.SeatOf(person.ID) == paladin.NoSeat {
			missing = append(missing, person)
		}
	}
	if len(missing) > 0 {
		lines = append(lines, pr.Say("board.invited", "people", pr.peopleList(missing)))
	}
	return lines
}

// guest tells the people at a table from its host and squires.
func guest(p *table.Public) func(table.PublicSeat) bool {
	return func(s table.PublicSeat) bool { return s.Human() && s.Person.ID != p.Host }
}

// peopleList names a few people and counts the rest.
func (pr *Printer) peopleList(people []table.Person) string {
	const most = 5
	var names []string
	for _, person := range people[:min(most, len(people))] {
		names = append(names, pr.called(person.Name))
	}
	if more := len(people) - most; more > 0 {
		names = append(names, pr.plural("board.more_people", more))
	}
	return pr.enumerate(names)
}

// startNeeds says what is missing before the game can start, or who can start it.
func (pr *Printer) startNeeds(p *table.Public) string {
	if missing := table.MinSeats - len(p.Seats); missing > 0 {
		return pr.plural("board.too_few", missing)
	}
	var waiting []string
	for i, s := range p.Seats {
		if !s.Ready {
			waiting = append(waiting, pr.mention(p, paladin.Seat(i)))
		}
	}
	switch {
	case len(waiting) > 0:
		return pr.plural("board.not_ready", len(waiting), "who", pr.enumerate(waiting))
	case p.HostLeft || len(p.Seats) == p.Options.Seats:
		return pr.Say("board.ready_anyone")
	default:
		return pr.Say("board.ready_host", "host", mentionUser(p.Host))
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
	join := Text("words.label_join")
	if full && canStart(p) {
		join = Text("board.label_queue")
	}
	out := rows(
		primary(pr.Say(join), press.New(press.Join, p.ID)),
		secondary(pr.Say("words.label_leave"), press.New(press.Leave, p.ID)),
		enabledIf(!full, discordgo.SecondaryButton, pr.Say("board.label_squire"), press.New(press.Squire, p.ID)),
		enabledIf(canStart(p), discordgo.SuccessButton, pr.Say("board.label_start"), press.New(press.Start, p.ID)),
		danger(pr.Say("board.label_cancel"), press.New(press.Cancel, p.ID)),
	)
	return append(out, rows(
		secondary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID)),
		secondary(pr.Say("board.label_manage"), press.New(press.Manage, p.ID)),
		secondary(pr.Say("words.label_rules"), press.New(press.Rules, p.ID)),
		pr.practiceButton(),
	)...)
}

// commitment shows the fingerprint of the deal while people join (R20). From the deal on it stands
// under Verify.
func (pr *Printer) commitment(p *table.Public) string {
	return joinLines(pr.Say("board.deal_fixed"), "-# `"+p.Commitment+"`")
}

// --- the running game

func (pr *Printer) playing(p *table.Public, links Links, events int) discord.Message {
	g := p.Game
	parts := []component{
		text(pr.Say("board.round_heading", "round", g.Round, "rounds", g.Rounds), pr.waitingLine(p), pr.standingLines(p)),
	}
	parts = append(parts, gallery(links.Picture)...)
	parts = append(parts,
		divider(),
		text(pr.questLines(p)...),
		divider(),
		text(pr.playerLines(p)...),
		text(pr.pileLines(p)...),
	)
	parts = append(parts, section(pr.Say("words.lately"), pr.recentSentences(p, events)...)...)
	parts = append(parts, rows(
		primary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID)),
		secondary(pr.Say("words.label_log"), press.New(press.Log, p.ID)),
		secondary(pr.Say("words.label_rules"), press.New(press.Rules, p.ID)),
		secondary(pr.Say("verify.label_open"), press.New(press.Verify, p.ID)),
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
	phase := phaseWord(p.Game)
	with := []any{"who", pr.who(p, p.Awaited), "quest", p.Game.Resolving, "times", pr.timesText(p.Since, time.Time{})}
	switch {
	case !s.Human():
		return pr.Say(Text("board.squire_"+phase), with...)
	case s.Away:
		return pr.Say(Text("board.away_"+phase), with...)
	default:
		return pr.Say(Text("board.waiting_"+phase),
			"who", pr.mention(p, p.Awaited), "quest", p.Game.Resolving, "times", pr.timesText(p.Since, p.Until))
	}
}

// phaseWord is the end of the names of messages that say what the seat to act has to do.
func phaseWord(g *paladin.Public) string {
	switch g.Phase {
	case paladin.PhaseStart:
		return "start"
	case paladin.PhaseLead:
		return "lead"
	case paladin.PhasePlace:
		return "place"
	case paladin.PhaseResolve:
		return "resolve"
	default:
		return "act"
	}
}

func (pr *Printer) votesLine(p *table.Public) string {
	if p.StopVotes == 0 {
		return ""
	}
	return pr.plural("board.stop_votes", p.VotesToEnd, "votes", p.StopVotes)
}

// questLines are the quests of the row as everybody sees them.
func (pr *Printer) questLines(p *table.Public) []string {
	var lines []string
	for _, q := range p.Game.Row {
		lines = append(lines, pr.questHeading(p.Game, q), pr.questBody(p, q, nil))
	}
	return append(lines, pr.Say("board.legend"))
}

func (pr *Printer) questHeading(g *paladin.Public, q paladin.PublicQuest) string {
	mark := ""
	if g.Resolving == q.Number {
		mark = "▶ "
	}
	mark += pr.symbol(picture.QuestKey(q.Honour, q.King))
	if q.King {
		return mark + pr.plural("board.quest_king", q.Honour, "quest", q.Number)
	}
	return mark + pr.plural("board.quest_queen", q.Honour, "quest", q.Number)
}

// knowledge is what a viewer knows of the face-down card at a place of a quest; nil knows nothing.
type knowledge func(quest, place int) (paladin.Card, bool)

// questBody tells what lies on a quest, in order of placement.
func (pr *Printer) questBody(p *table.Public, q paladin.PublicQuest, known knowledge) string {
	switch {
	case q.Won:
		return pr.Say("board.quest_won", "who", pr.who(p, q.WonBy), "card", pr.kept(q.Kept))
	case len(q.Cards) == 0:
		return pr.Say("board.quest_empty")
	}
	words := make([]string, len(q.Cards))
	for i, c := range q.Cards {
		words[i] = pr.cardState(p.Game, q, c, known)
	}
	line := strings.Join(words, " · ")
	var seen []string
	for _, c := range q.Cards {
		if len(c.PeekedBy) > 0 {
			seen = append(seen, pr.Say("board.seen_card", "owner", tokenOf(c.Seat).sign, "viewers", signs(c.PeekedBy)))
		}
	}
	if len(seen) > 0 {
		line += "\n" + pr.Say("board.seen", "list", strings.Join(seen, ", "))
	}
	return line
}

// cardState is a card on a quest with the token of whose it is.
func (pr *Printer) cardState(g *paladin.Public, q paladin.PublicQuest, c paladin.PublicCard, known knowledge) string {
	token := tokenOf(c.Seat).sign
	if card, ok := c.Card.Card(); ok {
		return pr.Say("board.card_leads", "token", token, "card", pr.face(card))
	}
	shown := "?"
	if known != nil {
		if card, ok := known(q.Number, c.Place); ok {
			shown = "(" + pr.face(card) + ")"
		}
	}
	if g.Resolving == q.Number && g.Deciding == c.Place {
		return pr.Say("board.card_decides", "token", token, "card", shown)
	}
	return token + " " + shown
}

// playerLines are the seats with honour, hand and role.
func (pr *Printer) playerLines(p *table.Public) []string {
	var lines []string
	for i, seat := range p.Game.Seats {
		s := paladin.Seat(i)
		lines = append(lines, pr.plural("board.player", seat.Hand, "who", pr.who(p, s), "honour", pr.honour(seat.Honour))+pr.roles(p, s))
		if kept := pr.keptList(seat.Kept); kept != "" {
			lines = append(lines, pr.Say("board.won", "quests", kept))
		}
	}
	return lines
}

// roles are what sets a seat apart at the moment.
func (pr *Printer) roles(p *table.Public, seat paladin.Seat) string {
	var words []string
	if p.Game.Dealer == seat {
		words = append(words, pr.Say("board.role_dealer"))
	}
	if p.Game.Start == seat {
		words = append(words, pr.Say("board.role_start"))
	}
	if s, ok := seatAt(p, seat); ok && s.SentOff && s.Away {
		words = append(words, pr.Say("sendoff.role"))
	} else if ok && s.Away {
		words = append(words, pr.Say("board.role_away"))
	} else if s.Owner.ID != "" {
		words = append(words, pr.Say("board.role_stands_in", "who", pr.called(s.Owner.Name)))
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
		if i == 0 {
			words[i] = pr.plural("board.kept_first", k.Honour, "card", pr.kept(k.Card))
			continue
		}
		words[i] = pr.Say("board.kept_more", "n", k.Honour, "card", pr.kept(k.Card))
	}
	return strings.Join(words, ", ")
}

// pileLines are the sizes of the piles and what lies face up on the discard pile.
func (pr *Printer) pileLines(p *table.Public) []string {
	piles := pr.Say("board.piles", "supply", pr.plural("words.cards", p.Game.Supply),
		"discards", pr.plural("words.cards", len(p.Game.Discards)), "quests", p.Game.QuestsLeft)
	return append([]string{piles}, pr.faceUpLine(p)...)
}

// faceUpLine names the cards that lie face up in the discard pile; nothing if there is none.
func (pr *Printer) faceUpLine(p *table.Public) []string {
	var up []paladin.Card
	for _, d := range p.Game.Discards {
		if c, ok := d.Card.Card(); ok {
			up = append(up, c)
		}
	}
	if len(up) == 0 {
		return nil
	}
	return []string{pr.Say("board.face_up", "cards", pr.cardList(up))}
}

// --- the end

func (pr *Printer) finished(p *table.Public, links Links) discord.Message {
	parts := []component{text(pr.Say("board.over_heading"), "🏆 "+pr.winnersText(p, p.Game.Winners))}
	parts = append(parts, gallery(links.Picture)...)
	parts = append(parts, text(pr.finalScores(p)...))
	return framed(append(parts, pr.endButtons(p, links)...)...)
}

// finalScores are the seats by honour, the most first, with what it is made of (R15).
func (pr *Printer) finalScores(p *table.Public) []string {
	var lines []string
	for _, seat := range byHonour(p.Game) {
		s := p.Game.Seats[seat]
		lines = append(lines, pr.plural("board.final_score", s.Honour, "who", pr.who(p, seat)))
		if len(s.Kept) == 0 {
			lines = append(lines, pr.Say("board.won_none"))
			continue
		}
		lines = append(lines, pr.Say("board.won", "quests", pr.keptList(s.Kept)))
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
	if p.Game == nil {
		return pr.closedLobby(p, links)
	}
	parts := []component{text(pr.Say("board.closed_heading"), pr.closedText(p.Reason), pr.closedAgain(p))}
	parts = append(parts, text(pr.Say("board.closed_round", "round", p.Game.Round, "rounds", p.Game.Rounds)), text(pr.finalScores(p)...))
	return framed(append(parts, pr.endButtons(p, links)...)...)
}

// closedAgain says how to play on; where that was done, a button leads there.
func (pr *Printer) closedAgain(p *table.Public) string {
	if p.Next != "" {
		return ""
	}
	return pr.Say("board.closed_again")
}

// closedLobby is what stays of a lobby that never became a game: nothing is kept that a button could
// ask for.
func (pr *Printer) closedLobby(p *table.Public, links Links) discord.Message {
	parts := []component{text(pr.Say("board.closed_heading"), pr.closedText(p.Reason), pr.Say("board.closed_new"))}
	var buttons []component
	if links.Next != "" {
		buttons = link(pr.Say("board.label_next"), links.Next)
	}
	buttons = append(buttons, secondary(pr.Say("words.label_rules"), press.New(press.Rules, p.ID)), pr.practiceButton())
	return framed(append(parts, rows(buttons...)...)...)
}

func (pr *Printer) endButtons(p *table.Public, links Links) []component {
	var buttons []component
	switch {
	case links.Next != "":
		buttons = link(pr.Say("board.label_next"), links.Next)
	case p.Next == "":
		buttons = []component{primary(pr.Say("board.label_again"), press.New(press.Again, p.ID))}
	}
	if p.Game != nil {
		buttons = append(buttons, secondary(pr.Say("replay.label_open"), press.New(press.Replay, p.ID)))
	}
	buttons = append(buttons,
		secondary(pr.Say("words.label_log"), press.New(press.Log, p.ID)),
		secondary(pr.Say("words.label_rules"), press.New(press.Rules, p.ID)))
	out := rows(buttons...)
	if p.Game != nil {
		out = append(out, rows(
			secondary(pr.Say("board.label_record"), press.New(press.Record, p.ID)),
			secondary(pr.Say("verify.label_open"), press.New(press.Verify, p.ID)),
		)...)
	}
	return out
}
