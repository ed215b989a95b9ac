package render

import (
	"fmt"
	"strconv"
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
	TextUnknownPress Text = "answers.unknown_press"
	TextFuturePress  Text = "answers.future_press"
	TextForgedPress  Text = "answers.forged_press"
	TextNoPart       Text = "answers.no_part"
	TextGoneTable    Text = "answers.gone_table"
	TextNoGame       Text = "answers.no_game"
	// In direct messages: what is about a game, and what only a channel or a server can do.
	TextInDM           Text = "answers.in_dm"
	TextNewInDM        Text = "answers.in_dm_new"
	TextStandingsInDM  Text = "answers.in_dm_standings"
	TextServerInDM     Text = "answers.in_dm_server"
	TextUnknownCommand Text = "answers.unknown_command"
	TextBusy           Text = "answers.busy"
	TextStopping       Text = "answers.stopping"
	TextFailure        Text = "answers.failure"
	TextCounted        Text = "answers.counted"
	TextMoveCounted    Text = "answers.move_counted"
	TextUnsayable      Text = "answers.unsayable"
	TextFileLater      Text = "answers.file_later"
	TextFileForbidden  Text = "answers.file_forbidden"
	TextFileRefused    Text = "answers.file_refused"
	// A game that cannot be read; one that was set aside; one of a newer version; the receipt of
	// setting one aside.
	TextUnreadable Text = "answers.unreadable"
	TextAside      Text = "answers.aside"
	TextNewer      Text = "answers.newer"
	TextSetAside   Text = "answers.set_aside"
	// A history that cannot be read, and a database.
	TextHistoryUnreadable Text = "answers.history_unreadable"
	TextStoreDamaged      Text = "answers.store_damaged"
	TextNoRecord          Text = "answers.no_record"
	TextNeverBegan        Text = "answers.never_began"
	TextWrongChannelType  Text = "answers.wrong_channel_type"
	TextNoHistory         Text = "answers.no_history"
)

// Note is a small private answer.
func Note(words string) discord.Message { return private(text(clipText(words))) }

// SetAside is the board of a game that cannot be read and was set aside.
func (pr *Printer) SetAside() discord.Message { return public(text(pr.Say(TextAside))) }

// NoteLink is a small private answer with a link button; without url it is Note.
func NoteLink(words, label, url string) discord.Message {
	return private(append([]component{text(clipText(words))}, rows(link(label, url)...)...)...)
}

// OtherChannel answers a press or command that belongs to a table of another channel.
func (pr *Printer) OtherChannel(boardLink string) discord.Message {
	return NoteLink(pr.Say("answers.other_channel"), pr.Say("answers.label_go_there"), boardLink)
}

// AlreadyOpen answers /paladin new in a channel that has a table. silent says that it is a lobby whose
// host has pressed nothing for long.
func (pr *Printer) AlreadyOpen(p *table.Public, silent bool, boardLink string) discord.Message {
	words := Text("answers.already_playing")
	if p.Stage == table.Lobby {
		words = Text("answers.already_open")
	}
	note := pr.Say(words)
	if silent {
		note = joinLines(note, pr.Say("answers.already_open_silent"))
	}
	return NoteLink(note, pr.Say(LabelBoard), boardLink)
}

// TooManyLobbies refuses a further lobby to somebody who has so many.
func (pr *Printer) TooManyLobbies(n int) string { return pr.plural("answers.lobbies_own", n) }

// TooManyLobbiesHere refuses a further lobby in a server that has so many.
func (pr *Printer) TooManyLobbiesHere(n int) string { return pr.plural("answers.lobbies_here", n) }

// Spectator answers My seat for somebody (user) who holds no seat: how the game stands, and how to get in.
func (pr *Printer) Spectator(p *table.Public, user table.UserID, opt PanelOptions) discord.Message {
	lines := []string{pr.Say("answers.no_seat_heading"), pr.scoreLine(p)}
	switch {
	case p.Stage == table.Playing:
		lines = append(lines, pr.waitingLine(p), pr.pausedLine(p), pr.ownOffer(p, user))
	case p.Stage == table.Finished && p.Game != nil:
		lines = append(lines, pr.winnersText(p, p.Game.Winners))
	case p.Over():
		lines = append(lines, pr.closedText(p.Reason))
	}
	lines = append(lines, pr.howToJoin(p, user), pr.asOf(opt))
	var parts []component
	if opt.Note != "" {
		parts = append(parts, text(opt.Note), divider())
	}
	parts = append(parts, pr.sinceParts(opt.Since)...)
	parts = append(parts, text(lines...))
	if p.Stage == table.Lobby && !queued(p, user) {
		parts = append(parts, rows(primary(pr.Say("words.label_join"), press.New(press.Join, p.ID)))...)
	}
	if opt.Moderator {
		parts = append(append(parts, pr.pauseButtons(p)...), pr.sendOffButton(p)...)
	}
	return private(append(parts, rows(append(pr.boardLinks(opt.BoardLink), pr.practiceButton())...)...)...)
}

// scoreLine says how far a game is and everybody's honour; empty before there is one.
func (pr *Printer) scoreLine(p *table.Public) string {
	if p.Game == nil {
		return ""
	}
	scores := make([]int, len(p.Game.Seats))
	for i, s := range p.Game.Seats {
		scores[i] = s.Honour
	}
	return pr.Say("answers.score", "round", p.Game.Round, "rounds", p.Game.Rounds, "scores", scoreList(scores))
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
		return pr.Say("answers.join_playing")
	case p.Stage != table.Lobby:
		return pr.Say("answers.join_over")
	case queued(p, user):
		return pr.Say("answers.join_queued")
	case len(p.Seats) < p.Options.Seats:
		return pr.plural("answers.join_room", p.Options.Seats-len(p.Seats))
	default:
		return pr.Say("answers.join_full")
	}
}

// Manage is the host's private panel of a lobby; note is a receipt or refusal shown first, or empty.
func (pr *Printer) Manage(p *table.Public, reader table.UserID, note string) discord.Message {
	if p.Stage != table.Lobby {
		return Note(joinLines(note, pr.Say("answers.manage_begun")))
	}
	var parts []component
	if note != "" {
		parts = append(parts, text(note), divider())
	}
	parts = append(parts,
		text(pr.Say("answers.manage_heading"), pr.Say("answers.manage_invite")),
		row(pr.inviteMenu(p)),
		text(pr.Say("answers.manage_pace")),
		row(pr.gamePaceButtons(p)...),
		text(pr.Say("answers.manage_strength")),
		row(pr.strengthButtons(p)...),
		text(pr.Say("answers.manage_squire_pace")),
		row(pr.paceButtons(p)...),
	)
	parts = append(parts, text(pr.Say("answers.manage_looks")), row(pr.tableLanguage(p)), row(pr.pictureButtons(p)...))
	return private(append(parts, pr.removeRows(p, reader)...)...)
}

func (pr *Printer) inviteMenu(p *table.Public) component {
	atLeast := 1
	return discordgo.SelectMenu{
		MenuType: discordgo.UserSelectMenu, CustomID: pr.selectID(press.New(press.Invite, p.ID)), Placeholder: pr.Say("answers.label_invite"),
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

// removeRows offers every seat but the reader's own. The button names who sits there, besides the seat: seats move up when one is freed,
// and a late press must not remove somebody else.
func (pr *Printer) removeRows(p *table.Public, reader table.UserID) []component {
	var buttons []component
	for i, s := range p.Seats {
		if s.Person.ID == reader {
			continue
		}
		seat := paladin.Seat(i)
		buttons = append(buttons, danger(pr.Say("answers.label_remove", "who", pr.whoPlain(p, seat)),
			press.New(press.Remove, p.ID, fmt.Sprint(seat.Number()), SeatMark(s, len(p.Seats)))))
	}
	if len(buttons) == 0 {
		return nil
	}
	return append([]component{text(pr.Say("answers.manage_remove"))}, rows(buttons...)...)
}

// SeatMark is the second argument of a Remove press: who sat there when the button was made; for a squire "-" and how many seats were
// taken.
func SeatMark(s table.PublicSeat, taken int) string {
	if !s.Human() {
		return none + strconv.Itoa(taken)
	}
	return string(s.Person.ID)
}

// ReadSeatMark reads a SeatMark: who sat there, nobody (an empty id) standing for a squire, and how many seats were taken; 0 if the
// mark does not say, as older ones do not. It is false for what is no mark.
func ReadSeatMark(mark string) (sits *table.UserID, taken int, ok bool) {
	var who table.UserID
	n, squire := strings.CutPrefix(mark, none)
	switch {
	case !squire:
		who = table.UserID(mark)
		return &who, 0, mark != ""
	case n == "":
		return &who, 0, true
	}
	taken, err := strconv.Atoi(n)
	return &who, taken, err == nil && taken >= 1 && taken <= table.MaxSeats
}

// ConfirmLeave asks whether to leave a running game.
func (pr *Printer) ConfirmLeave(p *table.Private) discord.Message {
	words := joinLines(pr.Say("answers.leave_question"), pr.Say("answers.leave_back"))
	if others := presentBut(&p.Public, p.Seat); others == 0 {
		words = joinLines(words, pr.Say("answers.leave_last"))
	}
	return private(append([]component{text(words)},
		rows(secondary(pr.Say("answers.label_stay"), press.New(press.Refresh, p.ID)), danger(pr.Say("answers.label_leave_game"), press.New(press.Quit, p.ID)))...)...)
}

// ConfirmCancel asks whether to close a lobby in which so many others sit.
func (pr *Printer) ConfirmCancel(p *table.Public, others int) discord.Message {
	return private(append([]component{text(pr.plural("answers.cancel_question", others))},
		rows(secondary(pr.Say("answers.label_keep"), press.New(press.Refresh, p.ID)), danger(pr.Say("answers.label_cancel_table"), press.New(press.Cancel, p.ID, press.Sure)))...)...)
}

// ConfirmRemove asks whether to remove somebody from a lobby. mark is the SeatMark of their seat.
func (pr *Printer) ConfirmRemove(p *table.Public, seat paladin.Seat, mark string) discord.Message {
	words := Text("answers.remove_question")
	if p.Seats[seat].Person.ID == p.Host {
		words = Text("answers.remove_host_question")
	}
	return private(append([]component{text(pr.Say(words, "who", pr.who(p, seat)))},
		rows(
			secondary(pr.Say("answers.label_keep_seat"), press.New(press.Manage, p.ID)),
			danger(pr.Say("answers.label_remove", "who", pr.whoPlain(p, seat)),
				press.New(press.Remove, p.ID, fmt.Sprint(seat.Number()), mark, press.Sure)),
		)...)...)
}

// ConfirmStop asks whether to vote for stopping the game.
func (pr *Printer) ConfirmStop(p *table.Public) discord.Message {
	words := joinLines(pr.Say("answers.stop_question"), pr.plural("answers.stop_votes", p.VotesToEnd, "votes", p.StopVotes))
	return private(append([]component{text(words)},
		rows(secondary(pr.Say("answers.label_play_on"), press.New(press.Refresh, p.ID)), danger(pr.Say("answers.label_vote_stop"), press.New(press.Stop, p.ID)))...)...)
}

// ConfirmForceStop asks somebody who manages the channel whether to stop the game at once. Who plays in it is offered the way back too.
func (pr *Printer) ConfirmForceStop(p *table.Public, plays bool) discord.Message {
	buttons := []component{danger(pr.Say("answers.label_stop"), press.New(press.Stop, p.ID, "force"))}
	if plays {
		buttons = append([]component{secondary(pr.Say("answers.label_play_on"), press.New(press.Refresh, p.ID))}, buttons...)
	}
	parts := append([]component{text(pr.Say("answers.force_stop_question"))}, rows(buttons...)...)
	return private(append(parts, pr.sendOffButton(p)...)...)
}

// StopAside marks the press that sets aside a table that a newer program stored.
const StopAside = "aside"

// ConfirmSetAside asks somebody who manages the channel whether to give up a table that a newer
// program stored.
func (pr *Printer) ConfirmSetAside(table string) discord.Message {
	return private(append([]component{text(pr.Say("answers.aside_question"))},
		rows(danger(pr.Say("answers.label_stop"), press.New(press.Stop, table, StopAside)))...)...)
}

// Invitation calls people to a lobby: it pings exactly them.
func (pr *Printer) Invitation(p *table.Public, people []table.Person, boardLink string) discord.Message {
	calls, ids := mentionsOf(people)
	words := Text("answers.invitation")
	with := []any{"people", pr.enumerate(calls), "seats", p.Options.Seats}
	if seat := p.SeatOf(p.Host); seat != paladin.NoSeat {
		words, with = Text("answers.invitation_from"), append(with, "who", bold(pr.nameOf(p, seat)))
	}
	join := primary(pr.Say("words.label_join"), press.New(press.Join, p.ID))
	m := public(text(pr.plural(words, len(people), with...)), row(append([]component{join}, pr.boardLinks(boardLink)...)...))
	m.AllowedUsers = ids
	return m
}

// mentionsOf are people as Discord shows them, and their ids.
func mentionsOf(people []table.Person) (mentions, ids []string) {
	for _, person := range people {
		mentions = append(mentions, mentionUser(person.ID))
		ids = append(ids, string(person.ID))
	}
	return mentions, ids
}

// Seated tells somebody from the queue that they have a seat now: it pings exactly them.
func (pr *Printer) Seated(p *table.Public, people []table.Person) discord.Message {
	calls, ids := mentionsOf(people)
	m := public(text(pr.plural("answers.seated", len(people), "people", pr.enumerate(calls))), row(secondary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID, press.Call))))
	m.AllowedUsers = ids
	return m
}

// TurnPing tells in the channel whose move it is: it pings exactly the owner of that seat.
func (pr *Printer) TurnPing(p *table.Public, seat paladin.Seat, boardLink string) discord.Message {
	words := pr.Say("answers.turn", "who", pr.mention(p, seat))
	if p.Game != nil && p.Awaited == seat {
		words = pr.yourTurn(p, seat)
	}
	m := public(text(words, pr.pausedLine(p)), row(append([]component{primary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID, press.Call))}, pr.boardLinks(boardLink)...)...))
	if s, ok := seatAt(p, seat); ok && s.Human() {
		m.AllowedUsers = []string{string(s.Person.ID)}
	}
	return m
}

// RanOut is what a call in the channel becomes when the time of the one called ran out. It pings
// nobody.
func (pr *Printer) RanOut(p *table.Public, seat paladin.Seat, boardLink string) discord.Message {
	words := Text("answers.ran_out")
	if s, ok := seatAt(p, seat); ok && s.Away {
		words = Text("answers.ran_out_kept")
	}
	button := secondary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID, press.Call))
	return public(text(pr.Say(words, "who", pr.who(p, seat))), row(append([]component{button}, pr.boardLinks(boardLink)...)...))
}

// yourTurn calls the owner of the seat to act and says what there is to do.
func (pr *Printer) yourTurn(p *table.Public, seat paladin.Seat) string {
	return pr.Say(Text("answers.turn_"+phaseWord(p.Game)), "who", pr.mention(p, seat), "quest", p.Game.Resolving)
}

// NoDM says in the channel that somebody takes no direct messages and where they read their cards. It pings them only if it is their
// move, for then nothing else calls them.
func (pr *Printer) NoDM(p *table.Public, seat paladin.Seat) discord.Message {
	words := pr.Say("answers.no_dm", "who", pr.who(p, seat))
	s, ok := seatAt(p, seat)
	turn := ok && s.Human() && !s.Away && p.Game != nil && p.Awaited == seat
	if turn {
		words = joinLines(pr.yourTurn(p, seat), words)
	}
	m := public(text(words, pr.Say("answers.no_dm_hint")), row(primary(pr.Say("words.label_my_seat"), press.New(press.Seat, p.ID, press.Call))))
	if turn {
		m.AllowedUsers = []string{string(s.Person.ID)}
	}
	return m
}

// OverCall tells people in the channel that their game is over.
func (pr *Printer) OverCall(p *table.Public, people []table.Person, boardLink string) discord.Message {
	how := pr.closedText(p.Reason)
	if p.Stage == table.Finished && p.Game != nil {
		how = pr.winnersText(p, p.Game.Winners)
	}
	buttons := pr.boardLinks(boardLink)
	if p.Game != nil {
		buttons = append(buttons, secondary(pr.Say("replay.label_open"), press.New(press.Replay, p.ID)))
	}
	calls, ids := mentionsOf(people)
	words := pr.Say("answers.over", "who", pr.enumerate(calls), "how", how)
	m := public(append([]component{text(words)}, rows(buttons...)...)...)
	m.AllowedUsers = ids
	return m
}

// Goodbye is the direct message to everybody seated when the channel of their table is gone. server and
// channel are the names of where it stood; empty where they are not known.
func (pr *Printer) Goodbye(p *table.Public, server, channel string) discord.Message {
	var names []string
	for i := range p.Seats {
		names = append(names, pr.who(p, paladin.Seat(i)))
	}
	words := pr.Say("answers.goodbye", "players", pr.enumerate(names))
	if p.Game != nil {
		words = pr.Say("answers.goodbye_round", "players", pr.enumerate(names), "round", p.Game.Round, "rounds", p.Game.Rounds)
	}
	return public(text(words, pr.stoodIn(server, channel), pr.Say("answers.goodbye_free")))
}

// stoodIn says where a table stood; empty where nobody knows.
func (pr *Printer) stoodIn(server, channel string) string {
	switch {
	case Shows(server) && Shows(channel):
		return pr.Say("answers.goodbye_where", "channel", pr.called(channel), "server", pr.called(server))
	case Shows(channel):
		return pr.Say("answers.goodbye_where_channel", "channel", pr.called(channel))
	case Shows(server):
		return pr.Say("answers.goodbye_where_server", "server", pr.called(server))
	}
	return ""
}

// Hello is the one message when the bot is invited to a server; channel is where it is posted.
func (pr *Printer) Hello(channel string) discord.Message {
	return public(
		text(pr.Say("answers.hello_heading"), pr.Say("answers.hello")),
		text(pr.Say("answers.hello_next", "channel", mentionChannel(channel)), pr.Say("practice.hello")),
		row(pr.practiceButton(), secondary(pr.Say("words.label_rules"), press.New(press.Rules, ""))),
	)
}

// RecordFile hands out a game record as a file.
func (pr *Printer) RecordFile(data []byte, tableID string) discord.Message {
	name := recordName(tableID)
	m := private(
		text(pr.Say("answers.record", "file", name)),
		discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + name}},
	)
	m.Files = []discord.File{{Name: name, ContentType: "application/json", Description: pr.Say("answers.record_description"), Data: data}}
	return m
}

// recordName is the name of the file that holds a game's record.
func recordName(tableID string) string { return "paladin-" + tableID + ".json" }

// MissingPermission says which permissions the bot lacks in which channel.
func (pr *Printer) MissingPermission(names []string, channel string) string {
	if len(names) == 0 && channel == "" {
		return pr.Say("answers.lacks_some_here")
	}
	if len(names) == 0 {
		return pr.Say("answers.lacks_some", "channel", mentionChannel(channel))
	}
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = bold(n)
	}
	if channel == "" {
		return pr.plural("answers.lacks_here", len(names), "permissions", pr.enumerate(words))
	}
	return pr.plural("answers.lacks", len(names), "permissions", pr.enumerate(words), "channel", mentionChannel(channel))
}

// RefusalText is the sentence for a refusal, with the way on. Only the person who asked may read it.
func (pr *Printer) RefusalText(r *table.Refusal, p *table.Public) string {
	switch r.Kind {
	case table.RuleBroken:
		return pr.ruleText(r.Rule)
	case table.StillPlaying:
		if p.Stage == table.Lobby {
			return pr.Say("answers.refused_yet_to_begin")
		}
		return pr.Say("answers.refused_still_playing")
	case table.NotYourTurn:
		if p.Game == nil {
			return pr.Say("answers.refused_turn", "who", pr.who(p, r.Seat))
		}
		return joinLines(
			pr.Say(Text("answers.refused_turn_"+phaseWord(p.Game)), "who", pr.who(p, r.Seat), "quest", p.Game.Resolving), pr.pausedLine(p))
	case table.NotSeated:
		if p.Stage == table.Finished || p.Stage == table.Closed {
			return pr.Say("answers.refused_had_no_seat")
		}
		return pr.Say("answers.refused_not_seated")
	case table.NotReady:
		return pr.Say("answers.refused_not_ready", "who", pr.who(p, r.Seat))
	case table.TooFew:
		return pr.plural("answers.refused_too_few", r.Count)
	case table.NotHost:
		if !r.At.IsZero() {
			return pr.Say("answers.refused_not_host_yet", "host", pr.hostText(r, p), "when", clockTime(r.At))
		}
		return pr.Say("answers.refused_not_host", "host", pr.hostText(r, p))
	case table.AlreadySeated:
		if r.Invited {
			return pr.Say("answers.refused_seated", "who", pr.who(p, r.Seat))
		}
		return pr.Say("answers.refused_you_seated", "token", tokenOf(r.Seat).sign, "shape", pr.tokenWord(r.Seat))
	case table.AlreadyInvited:
		return pr.Say("answers.refused_invited", "who", pr.called(r.Name))
	case table.InviteBarred:
		return pr.Say("answers.refused_invite_barred", "who", pr.called(r.Name))
	case table.NoCardThere:
		return pr.Say("answers.refused_no_card_there", "quest", r.Count)
	case table.CardsTurn:
		return pr.Say("answers.refused_cards_turn", "quest", r.Count)
	case table.AlreadyVoted:
		return pr.plural("answers.refused_voted", r.Count)
	case table.NotOverdue:
		return pr.Say("answers.refused_not_overdue", "who", pr.who(p, r.Seat))
	case table.PauseAlready:
		if p.Paused {
			return pr.Say("answers.refused_paused")
		}
		return pr.Say("answers.refused_not_paused")
	default:
		if sentence, ok := refusals[r.Kind]; ok {
			return pr.Say(sentence)
		}
		return pr.Say("answers.refused")
	}
}

func (pr *Printer) hostText(r *table.Refusal, p *table.Public) string {
	if seat := p.SeatOf(p.Host); seat != paladin.NoSeat {
		return pr.who(p, seat)
	}
	if r.Name == "" {
		return pr.Say("answers.somebody_else")
	}
	return pr.called(r.Name)
}

// refusals are the sentences that need no facts.
var refusals = map[table.RefusalKind]Text{
	table.Stale:          "answers.refused_stale",
	table.GameOver:       "answers.refused_over",
	table.BadSeats:       "answers.refused_seats",
	table.BadStrength:    "answers.refused_strength",
	table.BadPace:        "answers.refused_pace",
	table.HeldSeat:       "answers.refused_held_seat",
	table.AlreadyOffered: "answers.refused_offered",
	table.NoOffer:        "answers.refused_no_offer",
	table.AcceptWaits:    "answers.refused_accept_waits",
	table.SentOff:        "sendoff.refused",
	table.SentOffAlready: "sendoff.refused_already",
	table.SentOffFull:    "sendoff.refused_full",
	table.SendOffSelf:    "sendoff.refused_self",
	table.NotSentOff:     "sendoff.refused_not_off",
	table.NotTheirSeat:   "sendoff.refused_moved",
	table.OffersFull:     "answers.refused_offers_full",
	table.OwnSeat:        "answers.refused_own_seat",
	table.AlreadyQueued:  "answers.refused_queued",
	table.AlreadyAway:    "answers.refused_away",
	table.NotAway:        "answers.refused_not_away",
	table.Barred:         "answers.refused_barred",
	table.InvitedFull:    "answers.refused_invited_full",
	table.BarredFull:     "answers.refused_barred_full",
	table.QueueFull:      "answers.refused_queue_full",
	table.TableFull:      "answers.refused_table_full",
	table.NoSuchSeat:     "answers.refused_no_such_seat",
	table.RemoveSelf:     "answers.refused_remove_self",
	table.NotModerator:   "answers.refused_not_moderator",
	table.Started:        "answers.refused_started",
	table.BadOrder:       "answers.refused_order",
	table.BadPlan:        "answers.refused_plan",
	table.NoPlanNow:      "answers.refused_no_plan_now",
	table.PracticeOnly:   "practice.refused",
	table.NotStarted:     "answers.refused_not_started",
}

// ruleTexts say which rule forbids a move, why, and what to do instead.
var ruleTexts = map[paladin.RefusalKind]Text{
	paladin.RefusedOver:       "answers.rule_over",
	paladin.RefusedTurn:       "answers.rule_turn",
	paladin.RefusedSeat:       "answers.rule_seat",
	paladin.RefusedQuest:      "answers.rule_quest",
	paladin.RefusedCard:       "answers.rule_card",
	paladin.RefusedLed:        "answers.rule_led",
	paladin.RefusedOnQuest:    "answers.rule_on_quest",
	paladin.RefusedPlace:      "answers.rule_place",
	paladin.RefusedOwn:        "answers.rule_own",
	paladin.RefusedPeekedOnce: "answers.rule_peeked",
	paladin.RefusedWeaker:     "answers.rule_weaker",
	paladin.RefusedKind:       "answers.rule_kind",
}

// ruleText is the sentence for a move that a rule forbids. Only the seat to act gets as far as a rule: it speaks to that seat's owner.
func (pr *Printer) ruleText(rule *paladin.RuleError) string {
	if rule == nil {
		return pr.Say("answers.rule")
	}
	sentence, ok := ruleTexts[rule.Kind]
	switch {
	case rule.Kind == paladin.RefusedPhase:
		sentence = notInPhase(rule)
	case !ok:
		sentence = "answers.rule"
	}
	seat := rule.Move.Target
	if rule.Kind == paladin.RefusedTurn {
		seat = rule.ToAct
	}
	return pr.Say(sentence, "rule", rule.Rule, "seat", seat.Number(), "card", rule.Move.Card, "quest", rule.Move.Quest, "place", rule.Move.Place,
		"own", rule.Own, "leader", rule.Leader)
}

// notInPhase is the sentence for a move that another phase of the round allows.
func notInPhase(rule *paladin.RuleError) Text {
	resolving := rule.Phase == paladin.PhaseResolve
	switch {
	case rule.Move.Kind == paladin.Start:
		return Text("answers.rule_start_named")
	case rule.Move.Kind == paladin.Place && resolving:
		return Text("answers.rule_placed_all")
	case rule.Move.Kind == paladin.Place:
		return Text("answers.rule_start_first")
	case rule.Move.Kind == paladin.Peek && resolving:
		return Text("answers.rule_peek_late")
	case rule.Move.Kind == paladin.Peek:
		return Text("answers.rule_peek_early")
	default:
		return Text("answers.rule_not_resolving")
	}
}
