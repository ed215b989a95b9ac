package render

import (
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

// Fixed answers.
const (
	TextUnknownPress     Text = "answers.unknown_press"
	TextFuturePress      Text = "answers.future_press"
	TextForgedPress      Text = "answers.forged_press"
	TextGoneTable        Text = "answers.gone_table"
	TextNoGame           Text = "answers.no_game"
	TextInDM             Text = "answers.in_dm"
	TextUnknownCommand   Text = "answers.unknown_command"
	TextBusy             Text = "answers.busy"
	TextFailure          Text = "answers.failure"
	TextUnsayable        Text = "answers.unsayable"
	TextNoRecord         Text = "answers.no_record"
	TextNeverBegan       Text = "answers.never_began"
	TextWrongChannelType Text = "answers.wrong_channel_type"
	TextNoHistory        Text = "answers.no_history"
)

// Note is a small private answer.
func Note(words string) discord.Message { return private(text(clipText(words))) }

// NoteLink is a small private answer with a link button; without url it is Note.
func NoteLink(words, label, url string) discord.Message {
	return private(append([]component{text(clipText(words))}, rows(link(label, url)...)...)...)
}

// OtherChannel answers a press or command that belongs to a table of another channel.
func (pr *Printer) OtherChannel(boardLink string) discord.Message {
	return NoteLink("That belongs to a game in another channel.", "Go there", boardLink)
}

// AlreadyOpen answers /paladin new in a channel that has a table.
func (pr *Printer) AlreadyOpen(p *table.Public, boardLink string) discord.Message {
	words := "A game is running in this channel already; one at a time. Use another channel or a thread for a second one."
	if p.Stage == table.Lobby {
		words = "A table is open in this channel already. Join it, or use another channel or a thread for a second one."
	}
	return NoteLink(words, pr.Say(LabelBoard), boardLink)
}

// Spectator answers My seat for somebody (user) who holds no seat: how the game stands, and how to get in.
func (pr *Printer) Spectator(p *table.Public, user table.UserID, opt PanelOptions) discord.Message {
	lines := []string{"### You have no seat in this game"}
	if p.Game != nil {
		lines = append(lines, fmt.Sprintf("Round %d of %d. Honour: %s.", p.Game.Round, p.Game.Rounds, scoreList(honours(p.Game))))
	}
	if p.Stage == table.Playing {
		lines = append(lines, pr.waitingLine(p))
	}
	if p.Stage == table.Finished && p.Game != nil {
		lines = append(lines, pr.winnersText(p, p.Game.Winners))
	}
	lines = append(lines, pr.howToJoin(p, user))
	var parts []component
	if opt.Note != "" {
		parts = append(parts, text(opt.Note), divider())
	}
	parts = append(parts, pr.sinceParts(opt.Since)...)
	parts = append(parts, text(lines...))
	if p.Stage == table.Lobby && !queued(p, user) {
		parts = append(parts, rows(primary("Join", press.New(press.Join, p.ID)))...)
	}
	return private(append(parts, rows(pr.boardLinks(opt.BoardLink)...)...)...)
}

func honours(g *paladin.Public) []int {
	scores := make([]int, len(g.Seats))
	for i, s := range g.Seats {
		scores[i] = s.Honour
	}
	return scores
}

func queued(p *table.Public, user table.UserID) bool {
	for _, person := range p.Queue {
		if person.ID == user {
			return true
		}
	}
	return false
}

func (pr *Printer) howToJoin(p *table.Public, user table.UserID) string {
	switch {
	case p.Stage == table.Playing:
		return "Seats are given in the lobby only. When this game is over, /paladin new opens the next table here; in another channel you can do so now."
	case p.Stage != table.Lobby:
		return "This game is over. /paladin new opens the next table."
	case queued(p, user):
		return "You wait for a seat. As soon as one is free, it is yours."
	case len(p.Seats) < p.Options.Seats:
		return fmt.Sprintf("There is room: %s free. Press Join.", pr.plural("words.seats", p.Options.Seats-len(p.Seats)))
	default:
		return "All seats are taken. Press Join to wait for one; you get the first that is free."
	}
}

// Manage is the host's private panel of a lobby; note is a receipt or refusal shown first, or empty.
func (pr *Printer) Manage(p *table.Public, note string) discord.Message {
	if p.Stage != table.Lobby {
		return Note(joinLines(note, "The game has begun; there is nothing left to arrange."))
	}
	var parts []component
	if note != "" {
		parts = append(parts, text(note), divider())
	}
	parts = append(parts,
		text("### Arrange the table", "Call people by name. Each is pinged once, in the channel."),
		row(pr.inviteMenu(p)),
		text("**Time for a move.** When it runs out, a squire makes the move."),
		row(pr.gamePaceButtons(p)...),
		text("**New squires play**"),
		row(pr.strengthButtons(p)...),
		text("**Squires answer**"),
		row(pr.paceButtons(p)...),
	)
	return private(append(parts, pr.removeRows(p)...)...)
}

func (pr *Printer) inviteMenu(p *table.Public) component {
	atLeast := 1
	return discordgo.SelectMenu{
		MenuType: discordgo.UserSelectMenu, CustomID: press.New(press.Invite, p.ID).String(), Placeholder: "Invite people",
		MinValues: &atLeast, MaxValues: table.MaxSeats,
	}
}

func (pr *Printer) strengthButtons(p *table.Public) []component {
	var out []component
	for _, s := range squire.Playable() {
		out = append(out, choice(s == p.Options.Squires, capital(pr.strengthText(s)), press.New(press.Strength, p.ID, s.String())))
	}
	return out
}

func (pr *Printer) paceButtons(p *table.Public) []component {
	var out []component
	for _, pace := range paces {
		out = append(out, choice(pace == p.Options.SquirePace, pr.paceLabel(pace), press.New(press.Pace, p.ID, string(pace))))
	}
	return out
}

// removeRows offers every seat but the host's. The button names who sits there, besides the seat: seats move up when one is freed,
// and a late press must not remove somebody else.
func (pr *Printer) removeRows(p *table.Public) []component {
	var buttons []component
	for i, s := range p.Seats {
		if s.Person.ID == p.Host {
			continue
		}
		seat := paladin.Seat(i)
		buttons = append(buttons, danger("Remove "+pr.whoPlain(p, seat),
			press.New(press.Remove, p.ID, fmt.Sprint(seat.Number()), SeatMark(s))))
	}
	if len(buttons) == 0 {
		return nil
	}
	return append([]component{text("**Free a seat.** A person who is removed cannot join this table again.")}, rows(buttons...)...)
}

// SeatMark is the second argument of a Remove press: who sat there when the button was made, "-" for a squire.
func SeatMark(s table.PublicSeat) string {
	if !s.Human() {
		return none
	}
	return string(s.Person.ID)
}

// MarkedPerson reads a SeatMark: who sat there; nobody (an empty id) stands for a squire.
func (pr *Printer) MarkedPerson(mark string) *table.UserID {
	var who table.UserID
	if mark != none {
		who = table.UserID(mark)
	}
	return &who
}

// ConfirmLeave asks whether to leave a running game.
func (pr *Printer) ConfirmLeave(p *table.Private) discord.Message {
	words := joinLines(
		"**Leave the game?** A squire plays your seat on, and everybody is told.",
		"You can come back at any time: My seat, then I am back.",
	)
	if others := presentOthers(p); others == 0 {
		words = joinLines(words, "You are the last person at the table: **when you leave, the game is closed.**")
	}
	return private(append([]component{text(words)},
		rows(secondary("Stay", press.New(press.Refresh, p.ID)), danger("Leave the game", press.New(press.Quit, p.ID)))...)...)
}

func presentOthers(p *table.Private) int {
	n := 0
	for i, s := range p.Seats {
		if s.Human() && !s.Away && paladin.Seat(i) != p.Seat {
			n++
		}
	}
	return n
}

// ConfirmStop asks whether to vote for stopping the game.
func (pr *Printer) ConfirmStop(p *table.Public) discord.Message {
	words := joinLines(
		"**Stop this game for everybody?** It ends without a winner.",
		fmt.Sprintf("It takes %s of the people at the table; %d so far.", pr.plural("words.votes", p.VotesToEnd), p.StopVotes),
	)
	return private(append([]component{text(words)},
		rows(secondary("Play on", press.New(press.Refresh, p.ID)), danger("Vote to stop", press.New(press.Stop, p.ID)))...)...)
}

// ConfirmForceStop asks somebody who manages the channel whether to stop the game or lobby at once.
func (pr *Printer) ConfirmForceStop(p *table.Public) discord.Message {
	words := "**Stop this game for everybody, at once?** It ends without a winner. You can do so because you manage this channel."
	return private(append([]component{text(words)},
		rows(danger("Stop the game", press.New(press.Stop, p.ID, "force")))...)...)
}

// Invitation calls people to a lobby: it pings exactly them.
func (pr *Printer) Invitation(p *table.Public, people []table.Person, boardLink string) discord.Message {
	var calls, ids []string
	for _, person := range people {
		calls = append(calls, mentionUser(person.ID))
		ids = append(ids, string(person.ID))
	}
	words := fmt.Sprintf("%s: %s invites you to a game of Paladin in this channel. It is a card game for %d; a move takes a minute, whenever you have one.",
		pr.enumerate(calls), pr.inviter(p), p.Options.Seats)
	m := public(text(words), row(append([]component{primary("Join", press.New(press.Join, p.ID))}, pr.boardLinks(boardLink)...)...))
	m.AllowedUsers = ids
	return m
}

func (pr *Printer) inviter(p *table.Public) string {
	if seat := p.SeatOf(p.Host); seat != paladin.NoSeat {
		return bold(pr.nameOf(p, seat))
	}
	return "the host"
}

// Seated tells somebody from the queue that they have a seat now: it pings exactly them.
func (pr *Printer) Seated(p *table.Public, people []table.Person) discord.Message {
	var calls, ids []string
	for _, person := range people {
		calls = append(calls, mentionUser(person.ID))
		ids = append(ids, string(person.ID))
	}
	words := "you have a seat now."
	m := public(text(pr.enumerate(calls)+": "+words), row(secondary("My seat", press.New(press.Seat, p.ID))))
	m.AllowedUsers = ids
	return m
}

// TurnPing tells in the channel whose move it is: it pings exactly the owner of that seat.
func (pr *Printer) TurnPing(p *table.Public, seat paladin.Seat, boardLink string) discord.Message {
	words := pr.mention(p, seat) + ", it is your move"
	if p.Game != nil && p.Awaited == seat {
		words += ": " + pr.todo(p.Game)
	}
	m := public(text(words+"."), row(append([]component{primary("My seat", press.New(press.Seat, p.ID))}, pr.boardLinks(boardLink)...)...))
	if s, ok := seatAt(p, seat); ok && s.Human() {
		m.AllowedUsers = []string{string(s.Person.ID)}
	}
	return m
}

// NoDM says in the channel that somebody takes no direct messages and where they read their cards. It pings them only if it is their
// move, for then nothing else calls them.
func (pr *Printer) NoDM(p *table.Public, seat paladin.Seat) discord.Message {
	words := fmt.Sprintf("%s takes no direct messages from me. That is fine: **My seat** shows the cards, to them alone.", pr.who(p, seat))
	s, ok := seatAt(p, seat)
	turn := ok && s.Human() && !s.Away && p.Game != nil && p.Awaited == seat
	if turn {
		words = joinLines(pr.mention(p, seat)+", it is your move: "+pr.todo(p.Game)+".", words)
	}
	m := public(text(words, "-# To get a message when it is your move, allow direct messages in this server's privacy settings."),
		row(primary("My seat", press.New(press.Seat, p.ID))))
	if turn {
		m.AllowedUsers = []string{string(s.Person.ID)}
	}
	return m
}

// Goodbye is the direct message to everybody seated when the channel of their table is gone.
func (pr *Printer) Goodbye(p *table.Public) discord.Message {
	var names []string
	for i := range p.Seats {
		names = append(names, pr.who(p, paladin.Seat(i)))
	}
	words := "Your game of **Paladin** (" + pr.enumerate(names) + ") has ended: its channel is gone, or I may no longer see it."
	if p.Game != nil {
		words += fmt.Sprintf(" It stopped in round %d of %d.", p.Game.Round, p.Game.Rounds)
	}
	return public(text(words, "You are free for another game; /paladin new opens one in any channel where I am."))
}

// Hello is the one message when the bot is invited to a server; channel is where it is posted.
func (pr *Printer) Hello(channel string) discord.Message {
	return public(
		text("## Thank you for inviting me", "I deal **Paladin**, a card game of bluff for 3 to 5, played a minute at a time over a day or in one sitting. Squires (computer players) fill empty seats."),
		text("**Next step:** type `/paladin new` in "+mentionChannel(channel)+" or in any channel or thread that I may write in."),
		row(secondary("Rules", press.New(press.Rules, ""))),
	)
}

// RecordFile hands out a game record as a file.
func (pr *Printer) RecordFile(data []byte, tableID string) discord.Message {
	name := "paladin-" + tableID + ".json"
	m := private(
		text("The whole game, every card and every shuffle, to keep or to check: `paladin replay "+name+"`"),
		discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + name}},
	)
	m.Files = []discord.File{{Name: name, ContentType: "application/json", Description: "Record of a game of Paladin", Data: data}}
	return m
}

// MissingPermission says which permissions the bot lacks in which channel.
func (pr *Printer) MissingPermission(names []string, channel string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = bold(n)
	}
	noun := "permission"
	if len(names) > 1 {
		noun = "permissions"
	}
	where := "here"
	if channel != "" {
		where = "in " + mentionChannel(channel)
	}
	if len(names) == 0 {
		return fmt.Sprintf("I lack a permission %s. Somebody who manages the channel has to let me see it and write in it.", where)
	}
	return fmt.Sprintf("I lack the %s %s %s. Somebody who manages the channel can give me that in its settings.", noun, pr.enumerate(words), where)
}

// RefusalText is the sentence for a refusal, with the way on. Only the person who asked may read it.
func (pr *Printer) RefusalText(r *table.Refusal, p *table.Public) string {
	switch r.Kind {
	case table.RuleBroken:
		return pr.ruleText(r.Rule)
	case table.StillPlaying:
		if p.Stage == table.Lobby {
			return "This game has yet to begin. Press Join on its board to play."
		}
		return "The game is still going on. Play again is for when it is over."
	case table.NotYourTurn:
		return fmt.Sprintf("It is not your move: %s is to %s.", pr.who(p, r.Seat), pr.todoOf(p))
	case table.Stale:
		return "That button belonged to an earlier moment; the game has moved on. What you see now is current."
	case table.GameOver:
		return "This game is over. Play again on the board, or /paladin new."
	case table.NotReady:
		return fmt.Sprintf("%s has yet to press Join. The host can also free the seat with Manage.", pr.who(p, r.Seat))
	case table.TooFew:
		return fmt.Sprintf("At least %d more must sit down first. Add a squire, or wait for somebody.", r.Count)
	case table.NotHost:
		return fmt.Sprintf("Only the host can do that, and that is %s.", pr.hostText(r, p))
	case table.AlreadySeated:
		if r.Name != "" {
			return Name(r.Name, "That person") + " has a seat already."
		}
		return fmt.Sprintf("You have a seat already: %s %s.", tokenOf(r.Seat).sign, pr.tokenWord(r.Seat))
	case table.AlreadyInvited:
		return Name(r.Name, "That person") + " was invited already; once is enough."
	case table.InviteBarred:
		return Name(r.Name, "That person") + " was removed from this table and cannot be invited to it."
	case table.NoCardThere:
		return fmt.Sprintf("You have no card on quest %d whose turn is still to come. Leading cards have no choice.", r.Count)
	case table.CardsTurn:
		return fmt.Sprintf("The turn of your card on quest %d has come: decide about it now.", r.Count)
	case table.AlreadyVoted:
		return fmt.Sprintf("You voted already; %s missing.", pr.areMissing(r.Count))
	case table.NotOverdue:
		return fmt.Sprintf("%s plays that seat and let no turn run out, so nobody can stand in. If a turn runs out, this board offers it.", pr.who(p, r.Seat))
	case table.PauseAlready:
		if p.Paused {
			return "The game is paused already. Resume, on the board, starts it again."
		}
		return "The game is not paused. /paladin pause stops its clock."
	default:
		if sentence, ok := refusals[r.Kind]; ok {
			return sentence
		}
		return "That is not possible now. Press My seat to see what is."
	}
}

func (pr *Printer) areMissing(votes int) string {
	if votes == 1 {
		return "1 more vote is"
	}
	return fmt.Sprintf("%d more votes are", votes)
}

func (pr *Printer) todoOf(p *table.Public) string {
	if p.Game == nil {
		return "act"
	}
	return pr.todo(p.Game)
}

func (pr *Printer) hostText(r *table.Refusal, p *table.Public) string {
	if seat := p.SeatOf(p.Host); seat != paladin.NoSeat {
		return pr.who(p, seat)
	}
	return Name(r.Name, "somebody else")
}

// refusals are the sentences that need no facts.
var refusals = map[table.RefusalKind]string{
	table.BadSeats:       "Paladin is for 3 to 5 players. Choose 3, 4 or 5 seats.",
	table.BadStrength:    "There is no such squire. Choose easy or normal.",
	table.BadPace:        "There is no such pace. Choose one of those that are offered.",
	table.HeldSeat:       "You hold, or held, another seat of this game and know its cards, so you cannot stand in for this one.",
	table.AlreadyOffered: "Your offer to stand in waits for an answer already. The host or the other players accept it on the board.",
	table.NoOffer:        "That offer no longer stands: the player is back, or somebody else stands in. The board shows who plays.",
	table.OffersFull:     "Enough people offer to stand in already. The board shows whom the players take.",
	table.OwnSeat:        "That is your own seat: press My seat to play it. The others decide who stands in while you are away.",
	table.NotSeated:      "You have no seat in this game. My seat tells how to get one.",
	table.AlreadyQueued:  "You wait for a seat already. As soon as one is free, it is yours.",
	table.AlreadyAway:    "You left this game, and a squire plays your seat. Press My seat, then I am back.",
	table.NotAway:        "You are here already; your seat is your own.",
	table.Barred:         "The host removed you from this table. You can join the next one, or open your own with /paladin new in another channel.",
	table.BarredFull:     "Too many people were removed from this table. Cancel it and open another.",
	table.QueueFull:      "Too many people wait already. Try again when a seat is free.",
	table.TableFull:      "All seats are taken. Free one first, with Manage.",
	table.NoSuchSeat:     "There is no such seat. Press Manage again to see who sits where.",
	table.RemoveSelf:     "That is your own seat. Use Leave to give it up.",
	table.NotModerator:   "Only somebody who may manage this channel can do that. Players can vote: /paladin stop.",
	table.Started:        "The game has begun; that was possible in the lobby only.",
	table.BadOrder:       "There is no such standing order. Choose one in My seat, under Standing orders.",
	table.BadPlan:        "That cannot be planned: choose a card of your hand and a quest on which you can place next.",
	table.NoPlanNow:      "There is nothing to plan now: all cards of this round are placed.",
	table.NotStarted:     "The game has not begun yet. The host starts it with Start.",
}

// ruleHints are the ways on after a move that a rule forbids.
var ruleHints = map[paladin.RefusalKind]string{
	paladin.RefusedOver:       "The game is over.",
	paladin.RefusedTurn:       "Wait until it is your move; I will tell you.",
	paladin.RefusedPhase:      "My seat shows what is to be done now.",
	paladin.RefusedSeat:       "Choose one of the seats of this game.",
	paladin.RefusedQuest:      "Choose one of the quests of this round.",
	paladin.RefusedCard:       "Choose a card of your hand; My seat shows it.",
	paladin.RefusedLed:        "Choose a quest that nobody leads yet.",
	paladin.RefusedOnQuest:    "Choose a quest on which you have no card.",
	paladin.RefusedPlace:      "Choose a face-down card that lies on a quest.",
	paladin.RefusedOwn:        "You see your own cards in My seat. Choose somebody else's.",
	paladin.RefusedPeekedOnce: "Now place a card.",
	paladin.RefusedWeaker:     "Take it back or discard it; nobody sees it.",
	paladin.RefusedKind:       "My seat shows what is to be done now.",
}

// ruleText says which rule forbids a move, why, and what to do instead.
func (pr *Printer) ruleText(rule *paladin.RuleError) string {
	if rule == nil {
		return "The rules do not allow that. My seat shows what is possible."
	}
	// The rules speak of seats by number. Only the seat to act gets as far as a rule, so its number is the reader's.
	you := fmt.Sprintf("seat %d ", rule.ToAct.Number())
	reason := strings.NewReplacer(you+"has ", "you already have ", you+"does not hold", "you do not hold", "one's own", "your own").
		Replace(strings.TrimSuffix(rule.Reason, "."))
	return strings.TrimSpace(fmt.Sprintf("%s: %s. %s", rule.Rule, reason, ruleHints[rule.Kind]))
}
