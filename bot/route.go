package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
)

// Discord's permission bits and channel types that matter here.
const (
	permissionAdministrator = 1 << 3
	permissionManage        = 1 << 4
	permissionView          = 1 << 10
	permissionSend          = 1 << 11
	permissionAttach        = 1 << 15
	permissionSendInThreads = 1 << 38

	channelDM      = 1
	channelGroupDM = 3
	channelThread  = 10 // to 12
	channelForum   = 15
	channelMedia   = 16
)

// InvitePermissions are exactly the permissions that the bot needs: to see the channel, to write into it and its threads, and to attach
// the record of a game.
const InvitePermissions = permissionView | permissionSend | permissionSendInThreads | permissionAttach

// route decides what an interaction asks and returns the answer. Nothing in the interaction is trusted but the user's id and the
// place, which come from Discord.
func (a *App) route(ctx context.Context, i *request) answer {
	if i.User.ID == "" {
		return say(i.pr.Say(render.TextUnknownPress)) // Discord did not say who it is
	}
	a.mended(ctx, i)
	switch i.Kind {
	case discord.KindCommand:
		return a.command(ctx, i)
	case discord.KindAutocomplete:
		return a.suggest(ctx, i)
	case discord.KindComponent:
		return a.press(ctx, i)
	default:
		return say(i.pr.Say(render.TextUnknownPress))
	}
}

func actor(i *request) table.Actor {
	return table.Actor{
		Person:      table.Person{ID: table.UserID(i.User.ID), Name: nameOf(i.User)},
		Interaction: i.ID,
		Moderator:   i.HasPermissions && i.Permissions&(permissionAdministrator|permissionManage) != 0,
	}
}

// nameOf is what people see of somebody: the nickname, the display name or the account's, the first
// that shows anything.
func nameOf(u discord.User) string {
	for _, name := range []string{u.Nick, u.GlobalName, u.Username} {
		if render.Shows(name) {
			return name
		}
	}
	return u.Name()
}

// press answers a press on a button or a choice in a select.
func (a *App) press(ctx context.Context, i *request) answer {
	id, err := press.Parse(i.CustomID)
	switch {
	case errors.Is(err, press.ErrFuture):
		return say(i.pr.Say(render.TextFuturePress))
	case err != nil:
		return say(i.pr.Say(render.TextUnknownPress))
	case id.Kind == press.Rules:
		return a.rulesPage(i, id)
	case id.Kind == press.Settings:
		return a.settings(ctx, i, id)
	case id.Kind == press.Doctor:
		return a.doctor(ctx, i)
	case id.Kind == press.Games:
		return a.games(ctx, i, id)
	case id.Kind == press.Standings:
		return a.standings(ctx, i)
	case id.Kind == press.Me:
		return a.me(ctx, i, id)
	case id.Kind == press.Habits:
		return a.changeHabits(ctx, i, id)
	case id.Kind == press.Practice:
		return a.practise(ctx, i, id)
	case practising(id.Table):
		return a.practicePress(ctx, i, id)
	}
	_, t, err := a.load(ctx, id.Table)
	if errors.Is(err, store.ErrNotFound) {
		return say(i.pr.Say(render.TextGoneTable))
	}
	var unreadable *unreadableError
	if errors.As(err, &unreadable) {
		return a.unreadablePress(ctx, i, id, unreadable)
	}
	if err != nil {
		return a.failure(i, "load", id.Table, err)
	}
	if ans, wrong := a.wrongPlace(ctx, i, id, &t); wrong {
		return ans
	}
	defer a.hostHere(i, &t)
	if ans, old := a.oldMessage(ctx, i, id, &t); old {
		return ans
	}
	return a.pressedDM(ctx, i, &t, a.pressed(ctx, i, id, &t))
}

// wrongPlace refuses a press that does not come from the table's own channel or from a seated person's DMs.
func (a *App) wrongPlace(ctx context.Context, i *request, id press.ID, t *table.Table) (answer, bool) {
	user := table.UserID(i.User.ID)
	had := t.OwnedSeat(user) != paladin.NoSeat || t.FormerSeat(user) != paladin.NoSeat
	switch {
	case i.Guild == "" && t.SeatOf(user) == paladin.NoSeat && had && id.Kind != press.Reclaim:
		return a.panel(ctx, i, t, render.Selection{}, ""), true
	case i.Guild == "" && t.SeatOf(user) == paladin.NoSeat && !had:
		return say(i.pr.Say(render.TextNoPart)), true
	case i.Guild == "":
		return answer{}, false
	case t.Guild() != "" && i.Guild != t.Guild():
		return say(i.pr.Say(render.TextForgedPress)), true
	case i.Channel != "" && i.Channel != t.Channel():
		return answer{message: i.pr.OtherChannel(a.boardLink(ctx, t.Guild(), t.ID()))}, true
	default:
		return answer{}, false
	}
}

// oldMessage retires what is not the live board or the live DM any more: an old DM loses its buttons, an old board points to the live
// one. The press itself still tells the person what they asked, where that is only to be read.
func (a *App) oldMessage(ctx context.Context, i *request, id press.ID, t *table.Table) (answer, bool) {
	if i.Guild == "" && (id.Kind == press.Accept || id.Kind == press.Seat || id.Kind == press.Back) {
		return answer{}, false // a question, a reminder or the way back, whatever message it stands on
	}
	if i.Guild == "" {
		name := panelKey(t.SeatOf(table.UserID(i.User.ID)))
		live, ok, err := a.store.Surface(ctx, t.ID(), name)
		if err != nil || !ok || live.Message == "" || live.Channel != i.Channel || live.Message == i.Message.ID || i.Message.ID == "" || i.Message.Ephemeral {
			return answer{}, false // an ephemeral answer within the DMs, say the log, is no panel
		}
		link := render.MessageLink("", live.Channel, live.Message)
		return answer{message: render.NoteLink(i.pr.Say(render.TextOldPanel), i.pr.Say(render.LabelOpenPanel), link), update: true}, true
	}
	if i.Message.Ephemeral || !onBoard[id.Kind] || id.Arg(0) == press.Call {
		return answer{}, false
	}
	live, ok, err := a.store.Surface(ctx, t.ID(), boardName)
	if err != nil || !ok || i.Message.ID == live.Message || !older(i.Message.ID, live.Message) && !a.orphaned(i, t.ID()) {
		return answer{}, false
	}
	public := a.publicOf(ctx, t)
	if _, known, err := a.store.SurfaceByMessage(ctx, i.Message.ID); err != nil || known {
		return answer{}, false // an invitation or a call, not an old board
	}
	link := render.MessageLink(t.Guild(), live.Channel, live.Message)
	ans := answer{message: a.publicWords(t).Retired(&public, link), retire: true}
	further, looked := a.panelFor(ctx, i, t, render.Selection{}, "")
	ans.further, ans.after = &further, func(bool) { looked() }
	return ans, true
}

// registering is how long it may take until a board that was posted is registered, with much to spare.
const registering = time.Minute

// orphaned reports whether a message that is newer than the registered board will never be registered: it was posted, and the word that it
// was got lost. What was posted a moment ago, or cannot be settled at present, is still to be registered. Both ids are Discord's, so that
// no other clock is asked.
func (a *App) orphaned(i *request, id string) bool {
	posted, known := discord.SnowflakeTime(i.Message.ID)
	pressed, dated := discord.SnowflakeTime(i.ID)
	return known && dated && pressed.Sub(posted) > registering && !slices.Contains(a.unsettled.tables(), id)
}

// onBoard are the presses that stand on lobbies and boards alone.
var onBoard = map[press.Kind]bool{
	press.Join: true, press.Leave: true, press.Squire: true, press.Start: true, press.Cancel: true, press.Manage: true,
	press.Seat: true, press.Again: true, press.Offer: true, press.Resume: true,
}

// older reports whether message a was made before message b; false if either id is none.
func older(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX == nil && errY == nil && x < y
}

// pressed answers a press that belongs to this table and stands where it may.
func (a *App) pressed(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	switch id.Kind {
	case press.Join:
		return a.lobby(ctx, i, t, table.Join{})
	case press.Leave:
		return a.leave(ctx, i, t) // a lobby's button pressed as the game begins asks first, like the command
	case press.Squire:
		return a.lobby(ctx, i, t, table.AddSquire{})
	case press.Start:
		return a.lobby(ctx, i, t, table.Start{})
	case press.Cancel:
		return a.cancelTable(ctx, i, t, id.Arg(0) == press.Sure)
	case press.Manage, press.Invite, press.Remove, press.Strength, press.Pace, press.Language, press.Pictures:
		return a.manage(ctx, i, id, t)
	case press.Log:
		return a.logPage(ctx, i, id, t)
	case press.Record:
		return a.recordFile(ctx, i, t)
	case press.Verify:
		return a.verify(ctx, i, t, nil)
	case press.Replay:
		return a.replay(ctx, i, id, t)
	case press.Share:
		return a.share(ctx, i, id, t)
	case press.Again:
		return a.again(ctx, i, t)
	case press.Seat, press.Refresh:
		return a.panel(ctx, i, t, render.Selection{}, "")
	case press.Pick, press.PickPeek, press.PickFirst, press.PickAct:
		return a.choose(ctx, i, id, t)
	case press.Place, press.Peek, press.First, press.Act:
		move, ok := render.MoveOf(id)
		if !ok {
			return say(i.pr.Say(render.TextForgedPress))
		}
		return a.play(ctx, i, t, table.Play{Prompt: id.Prompt, Move: move})
	case press.Order, press.Guard:
		return a.order(ctx, i, id, t)
	case press.PickPlan:
		sel, ok := render.Selected(id, nil)
		if !ok {
			return say(i.pr.Say(render.TextForgedPress))
		}
		return a.panel(ctx, i, t, sel, "")
	case press.Plan, press.DropPlan:
		return a.plan(ctx, i, id, t)
	case press.ShowAll:
		return a.showAll(ctx, i, id, t)
	default:
		return a.pressedBeside(ctx, i, id, t)
	}
}

// pressedBeside answers a press about who plays a seat, and whether the game goes on.
func (a *App) pressedBeside(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	switch id.Kind {
	case press.Offer:
		return a.offer(ctx, i, id, t)
	case press.Accept:
		return a.accept(ctx, i, id, t)
	case press.Reclaim:
		return a.game(ctx, i, t, table.Reclaim{}, render.TextReclaimed)
	case press.Pause, press.Resume:
		return a.pause(ctx, i, t, id.Kind == press.Pause)
	case press.SendOff:
		return a.sendOff(ctx, i, id, t)
	case press.LetBack:
		return a.letBack(ctx, i, table.UserID(id.Arg(0)), t)
	case press.Back:
		return a.game(ctx, i, t, table.Back{}, render.TextBack)
	case press.Quit:
		if t.Stage() == table.Lobby {
			return a.lobby(ctx, i, t, table.Leave{})
		}
		return a.game(ctx, i, t, table.Leave{}, render.TextLeft)
	case press.Stop:
		return a.stopPressed(ctx, i, id, t)
	default:
		return say(i.pr.Say(render.TextUnknownPress))
	}
}

// stopPressed votes to stop the game, or stops it where the person may.
func (a *App) stopPressed(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	switch id.Arg(0) {
	case "":
		return a.game(ctx, i, t, table.VoteStop{}, render.TextVoted)
	case "force":
		return a.game(ctx, i, t, table.ForceStop{}, render.TextStopped)
	default:
		return say(i.pr.Say(render.TextForgedPress))
	}
}

// panelFor draws what My seat shows to whoever asks. The function that it returns remembers that they looked; it is called after the
// answer.
func (a *App) panelFor(ctx context.Context, i *request, t *table.Table, sel render.Selection, note string) (discord.Message, func()) {
	if t.Options().Practice {
		return a.practicePanel(ctx, i, t, sel, note), func() {}
	}
	link := a.boardLink(ctx, t.Guild(), t.ID())
	user := table.UserID(i.User.ID)
	mine, ok := a.privateOf(ctx, t, user)
	if !ok {
		if message, was := a.handedOver(ctx, i, t, note); was {
			return message, func() {}
		}
		public := a.publicOf(ctx, t)
		if barred := i.pr.RefusalText(&table.Refusal{Kind: table.Barred}, &public); t.Stage() == table.Lobby && t.Barred(user) {
			return render.NoteLink(strings.TrimPrefix(note+"\n", "\n")+barred, i.pr.Say(render.LabelBoard), link), func() {}
		}
		told, looked := a.since(ctx, i, t)
		return i.pr.Spectator(&public, user, render.PanelOptions{
			AsOf: a.clock.Now(), BoardLink: link, Note: a.warned(i, t, note), Since: told, Moderator: actor(i).Moderator,
		}), looked
	}
	told, looked := a.since(ctx, i, t)
	note = told.Untold(note)
	note = a.warned(i, t, note)
	return i.pr.Panel(&mine, sel, render.PanelOptions{
			DM: i.Guild == "", AsOf: a.clock.Now(), BoardLink: link, Note: note, Since: told, Next: a.nextGame(ctx, user, t),
			Hand: a.handPicture(&mine, i.reader), Hint: i.hint(&mine),
		}), func() {
			looked()
			if hint := i.hint(&mine); hint == render.HintWait {
				a.learned(a.ctx, i, hint) // told once is enough
			}
		}
}

func (a *App) panel(ctx context.Context, i *request, t *table.Table, sel render.Selection, note string) answer {
	message, looked := a.panelFor(ctx, i, t, sel, note)
	return answer{message: message, update: true, after: func(bool) { looked() }}
}

// choose shows the panel with what was chosen. Nothing has happened yet; a choice for a question that is closed is dropped.
func (a *App) choose(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	public := t.Public()
	seat := t.SeatOf(table.UserID(i.User.ID))
	sel, ok := render.Selected(id, i.Values)
	switch {
	case !ok:
		return say(i.pr.Say(render.TextForgedPress))
	case t.Stage() == table.Lobby:
		return a.panel(ctx, i, t, render.Selection{}, i.pr.RefusalText(&table.Refusal{Kind: table.NotStarted}, &public))
	case t.Stage() != table.Playing:
		return a.panel(ctx, i, t, render.Selection{}, i.pr.RefusalText(&table.Refusal{Kind: table.GameOver}, &public))
	case seat != paladin.NoSeat && id.Prompt != t.Prompt():
		return a.panel(ctx, i, t, render.Selection{}, i.pr.RefusalText(&table.Refusal{Kind: table.Stale, Seat: t.Awaited()}, &public))
	default:
		return a.panel(ctx, i, t, sel, "")
	}
}

// do carries out a command on the table's owner and waits for what comes of it.
func (a *App) do(ctx context.Context, id string, by table.Actor, cmd table.Command) result {
	queue := id
	if practising(id) {
		queue = practiceKey(by.ID)
	}
	return a.queued(ctx, queue, func(owner context.Context) result { return a.act(owner, id, by, cmd, by.Interaction) })
}

// queued does a job on a queue and waits for what comes of it.
func (a *App) queued(ctx context.Context, queue string, job func(context.Context) result) result {
	done := make(chan result, 1)
	ok := a.submit(queue, func(owner context.Context) {
		res := result{err: errPanicked}
		defer func() { done <- res }()
		res = job(owner)
	})
	if !ok {
		return result{err: errBusy}
	}
	select {
	case res := <-done:
		return res
	case <-ctx.Done():
		return result{err: ctx.Err()}
	}
}

var (
	errBusy     = errors.New("the table's queue is full")
	errPanicked = errors.New("the table's step panicked")
)

// play makes a move and answers with the panel as it is then, the receipt first.
func (a *App) play(ctx context.Context, i *request, t *table.Table, cmd table.Play) answer {
	var done render.Hint
	if mine, ok := a.privateOf(ctx, t, table.UserID(i.User.ID)); ok {
		done = render.HintFor(&mine)
	}
	res := a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public := res.table.Public()
	note := ""
	switch refusal := res.refusal(); {
	case refusal != nil:
		note = i.pr.RefusalText(refusal, &public)
		done = ""
	case res.repeated:
		note, done = i.pr.Say(render.TextRepeated), ""
	default:
		seat := res.table.SeatOf(table.UserID(i.User.ID))
		note = receipt(i.pr, &public, seat, res.out)
	}
	if line, last := a.lineAfter(ctx, i, &res.table, note); last && res.refusal() == nil {
		return answer{message: line, update: true, after: func(bool) { a.learned(a.ctx, i, done) }}
	}
	ans := a.panel(ctx, i, &res.table, render.Selection{}, note)
	looked := ans.after
	ans.after = func(updated bool) {
		looked(updated)
		a.learned(a.ctx, i, done)
	}
	if i.Guild == "" {
		ans.said = func() { a.overShown(res.intents, res.table.SeatOf(table.UserID(i.User.ID))) }
	}
	return ans
}

// overShown settles what would bring a direct message to the end of its game that shows it by now, with what the last press did.
func (a *App) overShown(intents []store.Intent, seat paladin.Seat) {
	at := slices.IndexFunc(intents, func(in store.Intent) bool { return in.Key == overKey(seat) })
	if at < 0 {
		return
	}
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	in := intents[at]
	if err := a.store.Settle(ctx, store.Settlement{Table: in.Table, Key: in.Key, Generation: in.Generation}); err != nil {
		a.log.Warn("a message that shows the end is made once more", "table", in.Table, "error", err)
		return
	}
	a.outbox.update(func(o *outbox) { o.settled(in) })
}

// game carries out a command of a running game and answers with the panel.
func (a *App) game(ctx context.Context, i *request, t *table.Table, cmd table.Command, done render.Text) answer {
	res := a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public := res.table.Public()
	note := i.pr.Say(done)
	switch refusal := res.refusal(); {
	case refusal != nil:
		note = i.pr.RefusalText(refusal, &public)
	case res.repeated:
		note = i.pr.Say(render.TextRepeated)
	case done == render.TextLeft && public.Over():
		note = i.pr.Say(render.TextLeftLast)
	case done == render.TextOffered:
		note = i.pr.Offered(&public, table.UserID(i.User.ID))
	case done == render.TextVoted:
		note = i.pr.Voted(&public)
	}
	return a.panel(ctx, i, &res.table, render.Selection{}, note)
}

// failed answers what is neither done nor refused.
func (a *App) failed(i *request, res *result, id string) (answer, bool) {
	switch {
	case res.err == nil || res.refusal() != nil:
		return answer{}, false
	case errors.Is(res.err, errBusy):
		return a.sayBusy(i), true
	case errors.Is(res.err, errNoPractice):
		return answer{message: i.pr.PracticeGone(), update: true}, true
	default:
		return a.failure(i, "step", id, res.err), true
	}
}

// failure logs what went wrong, once, and gives the sentence that is true of it.
func (a *App) failure(i *request, what, id string, err error) answer {
	if a.counts(i) {
		a.log.Error("failure after what was done", "what", what, "table", id, "error", err)
		return a.sorry(i)
	}
	var u *unreadableError
	if errors.As(err, &u) {
		a.noteUnreadable(err)
		return say(i.pr.Say(u.words()))
	}
	a.log.Error("failure", "what", what, "table", id, "error", err)
	switch {
	case errors.Is(err, errHistory):
		return say(i.pr.Say(render.TextHistoryUnreadable))
	case errors.Is(err, store.ErrCorrupt):
		return say(i.pr.Say(render.TextStoreDamaged))
	}
	return a.sorry(i)
}

// lobby carries out a press on the lobby. Done, the public message itself shows it; refused, the person is told privately.
func (a *App) lobby(ctx context.Context, i *request, t *table.Table, cmd table.Command) answer {
	board, registered, err := a.store.Surface(ctx, t.ID(), boardName)
	shown := err == nil && registered && board.Message == i.Message.ID && !i.Message.Ephemeral && i.Message.ID != ""
	step := func() answer { return a.lobbyStep(ctx, i, t, cmd, board, shown) }
	if !shown {
		return step()
	}
	return a.holding(t.Channel(), step)
}

// holding keeps the outbox from showing the channel's board while f decides about an answer that may show it itself. If it does, the hold
// goes over to the answer; if not, or if f panics, it ends here.
func (a *App) holding(channel string, f func() answer) answer {
	a.outbox.update(func(o *outbox) { o.hold(channel) })
	handed := false
	defer func() {
		if !handed {
			a.outbox.update(func(o *outbox) { o.release(channel) })
		}
	}()
	ans := f()
	handed = ans.board != nil
	return ans
}

func (a *App) lobbyStep(ctx context.Context, i *request, t *table.Table, cmd table.Command, board store.Surface, shown bool) answer {
	res := a.do(ctx, t.ID(), actor(i), cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public := res.table.Public()
	if refusal := res.refusal(); refusal != nil {
		a.lookForHost(ctx, &res.table, refusal)
		return say(i.pr.RefusalText(refusal, &public))
	}
	done := i.pr.LobbyReceipt(&public, table.UserID(i.User.ID), cmd, res.out)
	if !shown || res.repeated {
		return say(done)
	}
	return answer{message: a.boardOf(ctx, &res.table), board: &boardWrite{
		table: t.ID(), channel: t.Channel(), guild: t.Guild(), message: board.Message, intent: boardIntent(res.intents),
		private: render.Note(done),
	}}
}

// boardIntent returns the refresh of the board among the intents of a commit.
func boardIntent(intents []store.Intent) store.Intent {
	for _, in := range intents {
		if in.Key == boardName {
			return in
		}
	}
	return store.Intent{}
}

// manage shows the host's panel of the lobby, and does what is pressed on it.
func (a *App) manage(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	public := t.Public()
	by := actor(i)
	switch {
	case t.Stage() == table.Playing:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.Started}, &public))
	case t.Stage() != table.Lobby:
		return say(i.pr.RefusalText(&table.Refusal{Kind: table.GameOver}, &public))
	}
	if refusal := t.Hosting(by, a.clock.Now()); refusal != nil {
		a.lookForHost(ctx, t, refusal)
		return say(i.pr.RefusalText(refusal, &public))
	}
	cmd, text := managed(i, id, &public)
	if text != "" {
		return answer{message: i.pr.Manage(&public, by.ID, text), update: true}
	}
	if cmd == nil {
		return answer{message: i.pr.Manage(&public, by.ID, ""), update: true}
	}
	if question, asked := a.askRemoval(i, id, t, cmd); asked {
		return question
	}
	res := a.do(ctx, t.ID(), by, cmd)
	if ans, failed := a.failed(i, &res, t.ID()); failed {
		return ans
	}
	public = res.table.Public()
	if refusal := res.refusal(); refusal != nil && refusal.Kind == table.NoSuchSeat {
		text = i.pr.Say(render.TextSeatsMoved)
	} else if refusal != nil {
		text = i.pr.RefusalText(refusal, &public)
	} else {
		text = i.pr.LobbyReceipt(&public, by.ID, cmd, res.out)
	}
	if res.table.Stage() != table.Lobby {
		return answer{message: render.Note(text), update: true}
	}
	return answer{message: i.pr.Manage(&public, by.ID, text), update: true}
}

// askRemoval asks before a person is removed: they cannot come back. A squire can be added again.
func (a *App) askRemoval(i *request, id press.ID, t *table.Table, cmd table.Command) (answer, bool) {
	remove, ok := cmd.(table.RemoveSeat)
	if !ok || id.Arg(2) == press.Sure || remove.Sits == nil || *remove.Sits == "" {
		return answer{}, false
	}
	if _, _, err := t.Do(actor(i), remove, a.clock.Now()); err != nil {
		return answer{}, false // why not is said by what carries it out
	}
	public := t.Public()
	return answer{message: i.pr.ConfirmRemove(&public, remove.Seat, id.Arg(1)), update: true}, true
}

// managed reads a press on the host's panel: a command, nothing for the panel itself, or the reason why it makes none.
func managed(i *request, id press.ID, p *table.Public) (table.Command, string) {
	switch id.Kind {
	case press.Remove:
		n, err := strconv.Atoi(id.Arg(0))
		sits, taken, ok := render.ReadSeatMark(id.Arg(1))
		if err != nil || n < 1 || n > table.MaxSeats || !ok {
			return nil, i.pr.Say(render.TextForgedPress)
		}
		return table.RemoveSeat{Seat: paladin.SeatNumber(n), Sits: sits, Taken: taken}, ""
	case press.Strength:
		s, err := squire.Parse(id.Arg(0))
		if err != nil {
			return nil, i.pr.Say(render.TextForgedPress)
		}
		return table.SetStrength{Strength: s}, ""
	case press.Pace:
		if pace := table.Pace(id.Arg(0)); pace.Valid() {
			return table.SetPace{Pace: pace}, ""
		}
		if pace := table.SquirePace(id.Arg(0)); pace.Valid() {
			return table.SetSquirePace{Pace: pace}, ""
		}
		return nil, i.pr.Say(render.TextForgedPress)
	case press.Language:
		if len(i.Values) != 1 || !slices.Contains(render.Languages, i.Values[0]) {
			return nil, i.pr.Say(render.TextForgedPress)
		}
		return table.SetLanguage{Language: i.Values[0]}, ""
	case press.Pictures:
		on, ok := render.ReadSwitch(id.Arg(0))
		if !ok {
			return nil, i.pr.Say(render.TextForgedPress)
		}
		return table.SetPictures{On: on}, ""
	case press.Invite:
		var people []table.Person
		for _, user := range i.Values {
			u, known := i.Users[user]
			switch {
			case !known && notID(user): // who it is may be left out; that it is somebody may not
				return nil, i.pr.Say(render.TextForgedPress)
			case u.Bot:
				return nil, i.pr.Say(render.TextInviteBot)
			}
			people = append(people, table.Person{ID: table.UserID(user), Name: nameOf(u)})
		}
		if len(people) == 0 {
			return nil, i.pr.Say(render.TextInviteNobody)
		}
		return table.Invite{People: people}, ""
	default:
		return nil, ""
	}
}

// rulesPage turns a page where the person reads already, and else opens the rules privately.
func (a *App) rulesPage(i *request, id press.ID) answer {
	page, turned, ok := pageOf(id)
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	return answer{message: i.pr.Rules(page, i.habits.Look != render.LookText), update: turned}
}

// pageOf reads the page to which a press turns; turned is false for one that opens the list, and ok is false for what is no number. A page that there
// is not is for whoever shows it: what a list had once, it may not have any more.
func pageOf(id press.ID) (page int, turned, ok bool) {
	if len(id.Args) == 0 {
		return 0, false, true
	}
	page, err := strconv.Atoi(id.Arg(0))
	return page, true, err == nil
}

// logPage shows the history.
func (a *App) logPage(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	page, turned, ok := pageOf(id)
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	lines, err := a.history(ctx, t.ID())
	if err != nil {
		return a.failure(i, "history", t.ID(), err)
	}
	public := t.Public()
	readers := make([]table.PublicLine, len(lines))
	for n, line := range lines {
		readers[n] = line.Public()
	}
	return answer{message: i.pr.LogPage(&public, readers, page), update: turned}
}

func (a *App) history(ctx context.Context, id string) ([]table.Line, error) {
	entries, err := a.store.History(ctx, id, 1, 0)
	if err != nil {
		return nil, err
	}
	lines := make([]table.Line, len(entries))
	for n, e := range entries {
		if err := json.Unmarshal(e.Data, &lines[n]); err != nil {
			return nil, fmt.Errorf("%w: entry %d: %w", errHistory, e.Seq, err)
		}
	}
	return lines, nil
}

// recordFile hands out the record of an ended game.
func (a *App) recordFile(ctx context.Context, i *request, t *table.Table) answer {
	if t.Live() {
		return say(i.pr.Say(render.TextNoRecord))
	}
	lines, err := a.history(ctx, t.ID())
	if err != nil {
		return a.failure(i, "history", t.ID(), err)
	}
	record, ok := t.Record(lines)
	if !ok {
		return say(i.pr.Say(render.TextNeverBegan))
	}
	return answer{message: i.pr.RecordFile(record.Encode(), t.ID())}
}
