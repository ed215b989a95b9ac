package bot

import (
	"cmp"
	"context"
	"errors"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
)

// reopenAfter is how old a board must be before /paladin board posts it anew; before that the answer is a link.
const reopenAfter = time.Minute

// command answers a slash command. Every answer but a board is private, errors and late answers included: Discord shows the arguments
// of a command together with a public answer.
func (a *App) command(ctx context.Context, i *request) answer {
	if i.Command.Name != "paladin" || i.Command.Group != "" || !known[i.Command.Subcommand] {
		return say(i.pr.Say(render.TextUnknownCommand))
	}
	switch i.Command.Subcommand {
	case "help":
		return answer{message: i.pr.Help()}
	case "rules":
		page, _ := i.Command.Int(render.OptPage)
		return answer{message: i.pr.Rules(int(page), i.habits.Look != render.LookText)}
	case "games":
		return a.games(ctx, i, press.New(press.Games, ""))
	case "notices":
		return a.notices(ctx, i)
	case render.SubPractice:
		return a.practise(ctx, i, press.New(press.Practice, ""))
	case "me":
		return a.me(ctx, i, press.New(press.Me, ""))
	}
	if i.Guild == "" || i.ChannelType == channelDM || i.ChannelType == channelGroupDM {
		return a.inDM(ctx, i, i.Command.Subcommand)
	}
	switch i.Command.Subcommand {
	case "new":
		return a.open(ctx, i)
	case "settings":
		return a.settings(ctx, i, press.New(press.Settings, ""))
	case "doctor":
		return a.doctor(ctx, i)
	case "standings":
		return a.standings(ctx, i)
	}
	t, ans, ok := a.here(ctx, i)
	if !ok {
		return ans
	}
	defer a.hostHere(i, t)
	switch i.Command.Subcommand {
	case "board":
		return a.board(ctx, i, t)
	case "seat":
		return a.panel(ctx, i, t, render.Selection{}, "")
	case "first", "place", "peek", "resolve":
		return a.typedMove(ctx, i, t)
	case "order":
		return a.typedOrder(ctx, i, t)
	case "leave":
		return a.leave(ctx, i, t)
	case "pause", "resume":
		return a.pause(ctx, i, t, i.Command.Subcommand == "pause")
	case "stop":
		return a.stop(ctx, i, t)
	case render.SubRemove:
		return a.typedSendOff(ctx, i, t)
	case "record", "replay", "verify":
		return a.lastGame(ctx, i, t)
	default:
		return say(i.pr.Say(render.TextUnknownCommand))
	}
}

// inDM answers in direct messages what only a channel of a server can: by the way there. What is about
// a game leads to those in which the person has a part.
func (a *App) inDM(ctx context.Context, i *request, sub string) answer {
	switch sub {
	case render.SubNew:
		return say(i.pr.Say(render.TextNewInDM))
	case render.SubStandings:
		return say(i.pr.Say(render.TextStandingsInDM))
	case "settings", "doctor":
		return say(i.pr.Say(render.TextServerInDM))
	}
	list, broken, err := a.gamesOf(ctx, table.UserID(i.User.ID))
	if err != nil {
		return a.failure(i, "games", "", err)
	}
	return answer{message: i.pr.GamesInstead(list, broken)}
}

// known are the subcommands, so that a strange one is not answered with the lack of a game.
var known = map[string]bool{
	"new": true, "board": true, "seat": true, "first": true, "place": true, "peek": true, "resolve": true, "order": true, "leave": true, "stop": true,
	"help": true, "rules": true, "record": true, "games": true, "notices": true, "pause": true, "resume": true,
	"settings": true, "doctor": true, "replay": true, "verify": true, "standings": true, "me": true, render.SubPractice: true,
	render.SubRemove: true,
}

// here finds the table of this channel: the live one, or the last.
func (a *App) here(ctx context.Context, i *request) (*table.Table, answer, bool) {
	id, ok, err := a.store.TableByChannel(ctx, i.Channel)
	if err == nil && !ok {
		var last []byte
		if last, ok, err = a.store.Get(ctx, lastTable(i.Channel)); ok {
			id = string(last)
		}
	}
	if err != nil {
		return nil, a.failure(i, "find table", "", err), false
	}
	if !ok {
		return nil, say(i.pr.Say(render.TextNoGame)), false
	}
	_, t, err := a.load(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, say(i.pr.Say(render.TextNoGame)), false
	}
	if err != nil {
		if i.Command.Subcommand == "stop" {
			if ans, stopped := a.stopUnreadable(ctx, i, err); stopped {
				return nil, ans, false
			}
		}
		return nil, a.failure(i, "load", id, err), false
	}
	return &t, answer{}, true
}

// options returns the typed options as text.
func options(i *request) map[string]string {
	out := map[string]string{}
	for _, o := range i.Command.Options {
		out[o.Name] = o.Text
	}
	return out
}

// typedMove makes the move that a command names.
func (a *App) typedMove(ctx context.Context, i *request, t *table.Table) answer {
	public := t.Public()
	mine, ok := t.Private(table.UserID(i.User.ID))
	_, handed := a.handedOver(ctx, i, t, "")
	switch {
	case handed:
		return a.panel(ctx, i, t, render.Selection{}, "")
	case t.Stage() == table.Lobby:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.NotStarted}, &public))
	case t.Stage() != table.Playing:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.GameOver}, &public))
	case !ok:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.NotSeated}, &public))
	}
	move, text := i.pr.ParseMove(&mine, i.Command.Subcommand, options(i))
	if text != "" {
		return a.panel(ctx, i, t, render.Selection{}, text)
	}
	return a.play(ctx, i, t, table.Play{Move: move})
}

// suggest answers a request for suggestions: only what is legal for this person, and nothing when nothing is.
func (a *App) suggest(ctx context.Context, i *request) answer {
	focused, ok := i.Command.Focused()
	if !ok || i.Command.Name != "paladin" {
		return answer{}
	}
	id, ok, err := a.store.TableByChannel(ctx, i.Channel)
	if err != nil || !ok {
		return answer{}
	}
	_, t, err := a.load(ctx, id)
	if err != nil {
		if !a.noteUnreadable(err) {
			a.log.Error("suggestions fail", "table", id, "error", err)
		}
		return answer{}
	}
	if public := t.Public(); i.Command.Subcommand == render.SubRemove {
		if !actor(i).Moderator {
			return answer{}
		}
		return answer{choices: i.pr.SendOffChoices(&public, table.UserID(i.User.ID), focused.Text)}
	}
	mine, ok := t.Private(table.UserID(i.User.ID))
	if !ok {
		return answer{}
	}
	return answer{choices: i.pr.Choices(&mine, i.Command.Subcommand, options(i), focused.Name)}
}

// leave gives up a seat: at once in a lobby, after a question in a game.
func (a *App) leave(ctx context.Context, i *request, t *table.Table) answer {
	mine, ok := t.Private(table.UserID(i.User.ID))
	if t.Stage() == table.Playing && ok && !mine.Away {
		return answer{message: i.pr.ConfirmLeave(&mine)}
	}
	return a.lobby(ctx, i, t, table.Leave{})
}

// stop cancels a lobby, or asks before a vote or a moderator's stop.
func (a *App) stop(ctx context.Context, i *request, t *table.Table) answer {
	public := t.Public()
	by := actor(i)
	switch {
	case t.Stage() == table.Lobby:
		return a.cancelTable(ctx, i, t, false)
	case t.Stage() != table.Playing:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.GameOver}, &public))
	case t.SeatOf(by.ID) == paladin.NoSeat && !by.Moderator:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.NotModerator}, &public))
	case by.Moderator:
		return answer{message: i.pr.ConfirmForceStop(&public, t.SeatOf(by.ID) != paladin.NoSeat)}
	default:
		return answer{message: i.pr.ConfirmStop(&public)}
	}
}

// cancelTable closes a lobby. Where others have sat down, whoever may do so is asked first: on a phone the buttons of a lobby lie close
// together.
func (a *App) cancelTable(ctx context.Context, i *request, t *table.Table, sure bool) answer {
	public, by := t.Public(), actor(i)
	others := 0
	for _, s := range public.Seats {
		if s.Human() && s.Person.ID != by.ID {
			others++
		}
	}
	if _, _, err := t.Do(by, table.Cancel{}, a.clock.Now()); err == nil && others > 0 && !sure {
		return answer{message: i.pr.ConfirmCancel(&public, others)}
	}
	ans := a.lobby(ctx, i, t, table.Cancel{})
	ans.update = ans.update || sure
	return ans
}

// open opens a table in this channel. The answer is the lobby itself.
func (a *App) open(ctx context.Context, i *request) answer {
	if text := a.cannotPlay(i); text != "" {
		return say(text)
	}
	chosen, err := a.settingsNow(ctx, i.Guild)
	if err != nil {
		return a.failure(i, "settings", "", err)
	}
	if text := chosen.refuse(i); text != "" {
		return say(text)
	}
	opening, text := a.opening(i, chosen)
	if text != "" {
		return say(text)
	}
	t, out, err := table.Open(opening)
	var refusal *table.Refusal
	if errors.As(err, &refusal) {
		return say(i.pr.RefusalText(refusal, &table.Public{}))
	}
	if err != nil {
		return a.failure(i, "open", "", err)
	}
	c, err := change(nil, &t, 0, table.UserID(i.User.ID), i.ID, out, a.clock.Now(), noHabits)
	if err != nil {
		return a.failure(i, "open", t.ID(), err)
	}
	return a.answered(ctx, i, opens, func(ctx context.Context) answer {
		if ans, limited := a.limited(ctx, i, t.Channel(), t.Guild()); limited {
			return ans
		}
		ans, err := a.openTable(ctx, i, &t, c)
		if a.madeRoom(ctx, i, err) {
			ans, _ = a.openTable(ctx, i, &t, c)
		}
		return ans
	})
}

// cannotPlay says why no table can stand in this channel, if so.
func (a *App) cannotPlay(i *request) string {
	if i.ChannelType == channelForum || i.ChannelType == channelMedia || i.Channel == "" {
		return i.pr.Say(render.TextWrongChannelType)
	}
	if !i.HasAppPermissions || i.AppPermissions&permissionAdministrator != 0 {
		return ""
	}
	write, name := uint64(permissionSend), i.pr.Say(render.PermissionSend)
	if i.ChannelType >= channelThread && i.ChannelType <= channelThread+2 {
		write, name = permissionSendInThreads, i.pr.Say(render.PermissionSendInThreads)
	}
	var missing []string
	if i.AppPermissions&permissionView == 0 {
		missing = append(missing, i.pr.Say(render.PermissionView))
	}
	if i.AppPermissions&write == 0 {
		missing = append(missing, name)
	}
	if len(missing) == 0 {
		return ""
	}
	return i.pr.MissingPermission(missing, i.Channel)
}

// opening reads the options of /paladin new and draws the seeds.
func (a *App) opening(i *request, chosen guildSettings) (table.Opening, string) {
	o := table.Opening{
		Guild: i.Guild, Channel: i.Channel, Place: i.ChannelName, Host: actor(i), Deck: a.deck, Now: a.clock.Now(),
		Options: table.Options{Seats: table.MaxSeats, Squires: squire.Default, SquirePace: a.pace, Pace: chosen.pace(), Language: chosen.language(i.GuildLocale)},
	}
	if _, given := i.Command.Option("seats"); given {
		seats, _ := i.Command.Int("seats") // what is no number is refused as 0 is
		o.Options.Seats = int(seats)
	}
	if name := i.Command.Text("squires"); name != "" {
		s, err := squire.Parse(name)
		if err != nil {
			return table.Opening{}, i.pr.RefusalText(&table.Refusal{Kind: table.BadStrength}, &table.Public{})
		}
		o.Options.Squires = s
	}
	if pace := i.Command.Text("pace"); pace != "" {
		o.Options.Pace = table.Pace(pace)
	}
	if pace := i.Command.Text("squire_pace"); pace != "" {
		o.Options.SquirePace = table.SquirePace(pace)
	}
	if lang := i.Command.Text(render.OptLanguage); lang != "" {
		o.Options.Language = render.LanguageOf(lang)
	}
	if pictures, given := i.Command.Bool(render.OptPictures); given {
		o.Options.TextOnly = !pictures
	}
	var errID, errSeed, errSquire error
	o.ID, errID = a.id()
	o.Seed, errSeed = a.seed()
	o.SquireSeed, errSquire = a.seed()
	if err := errors.Join(errID, errSeed, errSquire); err != nil {
		a.log.Error("no random numbers", "error", err)
		return table.Opening{}, i.pr.Say(render.TextFailure)
	}
	return o, ""
}

// openTable makes the change by which a new table opens and answers with its board, or with why it was not opened, which is the error
// as well.
func (a *App) openTable(ctx context.Context, i *request, t *table.Table, c store.Change) (ans answer, err error) {
	ans = a.holding(t.Channel(), func() answer {
		var intents []store.Intent
		intents, err = a.commit(ctx, c)
		switch {
		case errors.Is(err, store.ErrConflict):
			return say(i.pr.Say(render.TextFailure)) // the other table of the change; whoever made it knows
		case err != nil:
			return a.notOpened(ctx, i, t, err)
		}
		a.rememberLast(ctx, t)
		told := render.NoteLink(i.pr.Say(render.TextOpened), i.pr.Say(render.LabelChannel), render.ChannelLink(t.Guild(), t.Channel()))
		return answer{message: a.boardOf(ctx, t), board: &boardWrite{
			table: t.ID(), channel: t.Channel(), guild: t.Guild(), intent: boardIntent(intents), private: told,
		}}
	})
	return ans, err
}

// rememberLast makes t the channel's last table, and keeps which game before it can be asked for its record.
func (a *App) rememberLast(ctx context.Context, t *table.Table) {
	var err error
	if before, ok, _ := a.store.Get(ctx, lastTable(t.Channel())); ok {
		if _, old, failed := a.load(ctx, string(before)); failed == nil && old.Public().Game != nil {
			err = a.store.Put(ctx, lastGame(t.Channel()), before)
		}
	}
	if err := errors.Join(err, a.store.Put(ctx, lastTable(t.Channel()), []byte(t.ID()))); err != nil {
		a.log.Warn("the channel's last table cannot be remembered", "table", t.ID(), "error", err)
	}
}

// lastGame is the setting that remembers the last game of a channel before its last table.
func lastGame(channel string) string { return "game/" + channel }

// lastGame hands out, replays or verifies the last game of the channel that is over, though another table may stand there already.
func (a *App) lastGame(ctx context.Context, i *request, t *table.Table) answer {
	ended := t
	if t.Live() || t.Public().Game == nil {
		before, ok, err := a.store.Get(ctx, lastGame(i.Channel))
		if err != nil {
			return a.failure(i, "find game", t.ID(), err)
		}
		if ok {
			_, old, err := a.load(ctx, string(before))
			if err != nil {
				return a.failure(i, "load", string(before), err)
			}
			ended = &old
		}
	}
	switch {
	case i.Command.Subcommand == "record":
		return a.recordFile(ctx, i, ended)
	case i.Command.Subcommand == "replay":
		return a.replay(ctx, i, press.New(press.Replay, ended.ID()), ended)
	case ended != t && t.Live():
		return a.verify(ctx, i, ended, t)
	default:
		return a.verify(ctx, i, ended, nil)
	}
}

// notOpened says why no table was opened: the channel has one (with a link to it), or this very command was carried out before.
func (a *App) notOpened(ctx context.Context, i *request, t *table.Table, err error) answer {
	var taken *store.ChannelTakenError
	switch {
	case errors.As(err, &taken):
		link := a.boardLink(ctx, t.Guild(), taken.Table)
		if link == "" {
			link = render.ChannelLink(t.Guild(), t.Channel())
		}
		_, other, err := a.load(ctx, taken.Table)
		if err != nil {
			return a.failure(i, "load", taken.Table, err)
		}
		public := other.Public()
		return answer{message: i.pr.AlreadyOpen(&public, other.HostSilent(a.clock.Now()), link)}
	case errors.Is(err, store.ErrRepeated):
		return answer{message: render.NoteLink(i.pr.Say(render.TextRepeated), i.pr.Say(render.LabelChannel), render.ChannelLink(t.Guild(), t.Channel()))}
	default:
		return a.failure(i, "open", t.ID(), err)
	}
}

// board posts the board anew at the end of the channel; the old one then points to it. A board that is fresh anyway is linked to.
func (a *App) board(ctx context.Context, i *request, t *table.Table) answer {
	old, ok, err := a.store.Surface(ctx, t.ID(), boardName)
	if err != nil {
		return a.failure(i, "board", t.ID(), err)
	}
	if ok && a.clock.Now().Sub(old.Posted) < reopenAfter {
		link, words, err := a.boardNow(ctx, i, t)
		if err != nil {
			return a.failure(i, "board", t.ID(), err)
		}
		return answer{message: render.NoteLink(words, i.pr.Say(render.LabelBoard), link)}
	}
	if text := a.cannotPlay(i); text != "" {
		return say(text)
	}
	return a.holding(t.Channel(), func() answer {
		// Read within the hold: what is committed from now on waits for this answer and edits the new board.
		_, now, err := a.load(ctx, t.ID())
		if err != nil {
			return a.failure(i, "load", t.ID(), err)
		}
		return answer{message: a.boardOf(ctx, &now), board: &boardWrite{
			table: t.ID(), channel: t.Channel(), guild: t.Guild(), retired: old.Message,
			private: render.NoteLink(i.pr.Say(render.TextBoardHere), i.pr.Say(render.LabelBoard), a.boardLink(ctx, t.Guild(), t.ID())),
		}}
	})
}

func (a *App) links(ctx context.Context, p *table.Public) render.Links {
	if p.Next != "" && a.dropped(ctx, p.Next) {
		p.Next = "" // Play again is offered once more
	}
	if p.Next == "" {
		return render.Links{}
	}
	return render.Links{Next: a.boardLink(ctx, p.Guild, p.Next)}
}

// again opens the lobby of the next game at the same table, or joins the one that somebody opened a moment ago.
//
// In direct messages nobody opens one: there Discord does not say whether they are still in the server, and what they may do in it.
func (a *App) again(ctx context.Context, i *request, old *table.Table) answer {
	if public := old.Public(); i.Guild == "" && public.Over() {
		link := a.boardLink(ctx, public.Guild, cmp.Or(public.Next, public.ID))
		return answer{message: render.NoteLink(i.pr.RefusalText(&table.Refusal{Kind: table.GameOver}, &public), i.pr.Say(render.LabelBoard), link)}
	}
	opening, text := a.opening(i, guildSettings{Pace: old.Options().Pace})
	if text != "" {
		return say(text)
	}
	opening.Guild, opening.Channel = old.Guild(), old.Channel()
	return a.answered(ctx, i, old.ID(), func(owner context.Context) answer {
		for {
			ans, err := a.openAgain(owner, i, old.ID(), opening)
			if !errors.Is(err, store.ErrConflict) {
				return ans
			}
			// Somebody is forgotten at the old table at the same time.
		}
	})
}

// openAgain opens the next game in one transaction: the new lobby, the link to it on the old table, and the call to those who are to
// say whether they play again. So nobody can find one without the other, and no second press opens a second lobby. The error is why the
// transaction was not made, if it was tried.
func (a *App) openAgain(ctx context.Context, i *request, id string, opening table.Opening) (answer, error) {
	row, old, err := a.load(ctx, id)
	if err != nil {
		return a.failure(i, "load", id, err), nil
	}
	public := old.Public()
	if public.Next != "" && !a.dropped(ctx, public.Next) {
		return a.joinNext(ctx, i, public.Next), nil
	}
	if text := a.cannotPlay(i); text != "" {
		return say(text), nil
	}
	chosen, err := a.settingsNow(ctx, i.Guild)
	if err != nil {
		return a.failure(i, "settings", id, err), nil
	}
	if text := chosen.refuse(i); text != "" {
		return say(text), nil
	}
	fresh, pointed, out, err := old.Again(opening)
	var refusal *table.Refusal
	if errors.As(err, &refusal) {
		return say(i.pr.RefusalText(refusal, &public)), nil
	}
	if err != nil {
		return a.failure(i, "again", id, err), nil
	}
	c, err := change(nil, &fresh, 0, opening.Host.ID, i.ID, out, opening.Now, noHabits)
	if err == nil {
		err = callBack(&c, &fresh)
	}
	if err != nil {
		return a.failure(i, "open", fresh.ID(), err), nil
	}
	with, err := change(&old, &pointed, row.Version, opening.Host.ID, "", table.Outcome{}, opening.Now, noHabits)
	if err != nil {
		return a.failure(i, "again", id, err), nil
	}
	c.With = &with
	made := make(chan error, 1)
	ans := a.answered(ctx, i, opens, func(ctx context.Context) answer {
		if ans, limited := a.limited(ctx, i, fresh.Channel(), fresh.Guild()); limited {
			return ans
		}
		ans, err := a.openTable(ctx, i, &fresh, c)
		if a.madeRoom(ctx, i, err) {
			ans, err = a.openTable(ctx, i, &fresh, c)
		}
		made <- err
		return ans
	})
	select {
	case err = <-made:
	default:
	}
	return ans, err
}

// dropped reports whether a table is there no more: a lobby that never became a game.
func (a *App) dropped(ctx context.Context, id string) bool {
	_, err := a.store.Table(ctx, id)
	return errors.Is(err, store.ErrNotFound)
}

// callBack pings those who hold a seat from the game before and have not said that they play again.
func callBack(c *store.Change, t *table.Table) error {
	var people []table.Person
	for _, seat := range t.Public().Seats {
		if seat.Human() && !seat.Ready {
			people = append(people, seat.Person)
		}
	}
	if len(people) == 0 {
		return nil
	}
	return addIntent(c, "invite/again", t.Channel(), intent{What: whatInvite, Users: people})
}

// joinNext joins the lobby that somebody else's Play again opened.
func (a *App) joinNext(ctx context.Context, i *request, next string) answer {
	res := a.do(ctx, next, actor(i), table.Join{})
	if ans, failed := a.failed(i, &res, next); failed {
		return ans
	}
	public := res.table.Public()
	text := i.pr.LobbyReceipt(&public, table.UserID(i.User.ID), table.Join{}, res.out)
	if refusal := res.refusal(); refusal != nil {
		text = i.pr.RefusalText(refusal, &public)
	}
	return answer{message: render.NoteLink(text, i.pr.Say(render.LabelBoard), a.boardLink(ctx, public.Guild, next))}
}
