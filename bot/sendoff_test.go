package bot_test

import (
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
)

// withoutAnn opens a game of Ben, Cleo and Dan. Ann owns the server, so that she may manage its channels, and does not play.
func (w *world) withoutAnn() (ann, ben, cleo, dan string) {
	w.t.Helper()
	ann, ben, cleo, dan = w.users[0], w.users[1], w.users[2], w.users[3]
	w.command(ben, "new", sandbox.Option{Name: "seats", Value: 3}, sandbox.Option{Name: "pace", Value: string(table.PaceDaily)})
	w.label(cleo, w.board(), "Join")
	w.label(dan, w.board(), "Join")
	w.label(ben, w.board(), "Start")
	return ann, ben, cleo, dan
}

const handOver = "Hand a seat to a squire"

func TestAModeratorWhoDoesNotPlaySendsSomebodyOff(t *testing.T) {
	w := newWorld(t)
	ann, ben, cleo, _ := w.withoutAnn()
	mustNotSay(t, "a player's seat", w.panelText(cleo), handOver)
	old := mustDM(w, ben)
	mustSay(t, "Ben's message", text(old), "Your move")
	list := w.reply(w.label(ann, w.reply(w.label(ann, w.board(), "My seat")), handOver))
	question := w.reply(w.label(ann, list, "Ben"))
	mustSay(t, "the question", text(question), "Hand the seat of 🟣 **Ben** to a squire?", "Everybody reads that you did it")
	if w.table().Public().Seats[0].Away {
		t.Fatal("it happened before the question was answered")
	}
	mustSay(t, "the answer", text(w.reply(w.label(ann, question, "Hand over"))), "✅ **Ben** was sent off", "Let Ben back")
	board := text(w.board())
	mustSay(t, "the board", board, "who manages this channel, sent 🟣 **Ben** off", "sent off: a squire plays")
	mustNotSay(t, "Ben's old message", w.read(ben, old), "Your move", "I am back")
	told, _ := w.dm(ben)
	mustSay(t, "what Ben is told", text(told), "who manages that channel, sent you off", "once somebody who manages the channel lets you")
	sure := press.New(press.SendOff, w.table().ID(), "1", ben, press.Sure).String()
	mustSay(t, "the same press again", text(w.reply(w.forge(ann, w.channel, w.board().ID, sure))), "That was done already")
	w.stop()
	w.start(nil)
	panel := w.reply(w.label(ben, w.board(), "My seat"))
	mustSay(t, "Ben's seat", text(panel), "You were sent off")
	mustNotSay(t, "Ben's seat", text(panel), "I am back")
	mustSay(t, "Ben's games", text(w.reply(w.command(ben, "games"))), "you were sent off")
	for _, kind := range []press.Kind{press.Back, press.Reclaim, press.Quit, press.Stop, press.Pause} {
		said := text(w.reply(w.forge(ben, w.channel, w.board().ID, press.New(kind, w.table().ID()).String())))
		mustSay(t, "Ben's "+string(kind), said, "You were sent off this game")
	}
	mustSay(t, "Ben lets himself back", text(w.reply(w.forge(ben, w.channel, w.board().ID, press.New(press.LetBack, w.table().ID(), ben).String()))),
		"Only somebody who may manage this channel")
	list = w.reply(w.label(ann, w.reply(w.label(ann, w.board(), "My seat")), handOver))
	mustSay(t, "the answer", text(w.reply(w.label(ann, list, "Let Ben back"))), "**Ben** may come back")
	told, _ = w.dm(ben)
	mustSay(t, "what Ben is told", text(told), "lets you back")
	panel = w.reply(w.label(ben, told, "My seat"))
	mustSay(t, "Ben's return", text(w.reply(w.label(ben, panel, "I am back"))), "Welcome back")
	if s := w.table().Public().Seats[0]; s.Away || s.SentOff {
		t.Errorf("%+v", s)
	}
	mustSay(t, "the log", text(w.reply(w.label(ann, w.board(), "Log"))), "sent 🟣 **Ben** off", "lets 🟣 **Ben** back")
}

// TestSendOffByCommand, with suggestions for whoever may do so and for nobody else, and from the question of /paladin stop.
func TestSendOffByCommand(t *testing.T) {
	w := newWorld(t)
	ann, ben, cleo, _ := w.withoutAnn()
	seat := func(value string) sandbox.Option { return sandbox.Option{Name: render.OptSeat, Value: value} }
	choices, err := w.discord.Autocomplete(w.ctx(), ann, w.channel, "paladin", render.SubRemove, render.OptSeat, seat(""))
	if err != nil || len(choices) != 3 {
		t.Errorf("suggestions %v, %v", choices, err)
	}
	choices, err = w.discord.Autocomplete(w.ctx(), ben, w.channel, "paladin", render.SubRemove, render.OptSeat, seat(""))
	if err != nil || len(choices) != 0 {
		t.Errorf("a player is offered %v, %v", choices, err)
	}
	mustSay(t, "a player's command", text(w.reply(w.command(ben, render.SubRemove, seat("2")))), "Only somebody who may manage this channel")
	mustSay(t, "nobody", text(w.reply(w.command(ann, render.SubRemove, seat("Zoe")))), "No player of this game is called that")
	mustSay(t, "stop", text(w.reply(w.command(ann, "stop"))), handOver)
	question := w.reply(w.command(ann, render.SubRemove, seat("cleo")))
	mustSay(t, "the question", text(question), "Hand the seat of", "**Cleo**")
	// The permission counts when it happens, whoever was asked.
	sure := press.New(press.SendOff, w.table().ID(), "2", cleo, press.Sure).String()
	mustSay(t, "a player's answer", text(w.reply(w.forge(ben, w.channel, w.board().ID, sure))), "Only somebody who may manage this channel")
	if w.table().Public().Seats[1].Away {
		t.Fatal("a player sent another off")
	}
	w.label(ann, question, "Hand over")
	mustSay(t, "let back", text(w.reply(w.command(ann, render.SubRemove, seat("back-"+cleo)))), "**Cleo** may come back")
	mustSay(t, "let back twice", text(w.reply(w.command(ann, render.SubRemove, seat("back-"+cleo)))), "let back already")
}

// TestAModeratorWhoPlaysAndAStandInWhoIsSentOff: not the moderator's own seat; the stand-in's seat is its owner's again, who is told.
func TestAModeratorWhoPlaysAndAStandInWhoIsSentOff(t *testing.T) {
	w := newWorld(t)
	owner, seat := w.late()
	ann, eve := w.users[0], w.users[4]
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	list := w.reply(w.label(ann, w.reply(w.command(ann, "stop")), handOver))
	mustNotSay(t, "the list", text(list), "Ann")
	own := press.New(press.SendOff, w.table().ID(), "1", ann, press.Sure).String()
	mustSay(t, "one's own seat", text(w.reply(w.forge(ann, w.channel, w.board().ID, own))), "That is your own seat")
	question := w.reply(w.label(ann, list, "Eve"))
	mustSay(t, "the question", text(question), "**Eve** stands in for", "the seat goes back to")
	// Ann may also keep the owner away, while Eve plays on; and lets them back.
	kept := w.reply(w.label(ann, question, "Keep"))
	mustSay(t, "the question about the owner", text(kept), "from coming back to this seat?", "**Eve** stands in and plays on")
	list = w.reply(w.label(ann, kept, "Keep"))
	mustSay(t, "the answer", text(list), "the stand-in plays on")
	toldOff, _ := w.dm(owner)
	mustSay(t, "what the owner is told", text(toldOff), "keeps you from coming back")
	mustSay(t, "the owner's seat", w.panelText(owner), "stands in for you", "sees your hand", "You were sent off")
	mustNotSay(t, "the owner's seat", w.panelText(owner), "Take my seat back")
	w.label(ann, list, "Let ")
	mustSay(t, "the owner's seat", w.panelText(owner), "Take my seat back")
	list = w.reply(w.label(ann, w.reply(w.command(ann, "stop")), handOver))
	question = w.reply(w.label(ann, list, "Eve"))
	w.label(ann, question, "Hand over")
	public := w.table().Public()
	if s := public.Seats[seat]; s.Person.ID != table.UserID(owner) || !s.Away || s.SentOff {
		t.Fatalf("%+v", s)
	}
	told, _ := w.dm(owner)
	mustSay(t, "what the owner is told", text(told), "sent **Eve** off, who stood in for you", "until you are back")
	evesDM, _ := w.dm(eve)
	mustSay(t, "what Eve is told", text(evesDM), "sent you off")
	mustSay(t, "Eve's seat", w.panelText(eve), "You were sent off")
	mustNotSay(t, "Eve's seat", w.panelText(eve), "Your hand")
	mustSay(t, "Eve's offer", text(w.reply(w.label(eve, w.board(), "Stand in for"))), "You were sent off this game")
	mustSay(t, "the owner's return", text(w.reply(w.label(owner, w.reply(w.label(owner, told, "My seat")), "I am back"))), "Welcome back", "saw its cards: **Eve**")
	if w.table().SeatOf(table.UserID(eve)) != paladin.NoSeat {
		t.Error("Eve plays on")
	}
}

// TestTheLastPlayerIsSentOff: the question says that the game ends, and who did it is told with the end.
func TestTheLastPlayerIsSentOff(t *testing.T) {
	w := newWorld(t)
	ann, ben, cleo, dan := w.withoutAnn()
	for _, user := range []string{cleo, dan} {
		w.label(user, w.reply(w.command(user, "leave")), "Leave")
	}
	list := w.reply(w.label(ann, w.reply(w.label(ann, w.board(), "My seat")), handOver))
	question := w.reply(w.label(ann, list, "Ben"))
	mustSay(t, "the question", text(question), "the game is closed with it")
	mustSay(t, "the answer", text(w.reply(w.label(ann, question, "Hand over"))), "the game was closed")
	if w.table().Live() {
		t.Fatal("the game goes on with nobody")
	}
	said := ""
	messages, err := w.discord.Messages(ben, mustDM(w, ben).ChannelID)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		said += text(m) + "\n"
	}
	mustSay(t, "what Ben is told", said, "sent you off the seat", "the game was closed")
	w.pass(time.Minute)
	if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
		t.Errorf("still to be said: %+v %v", pending, err)
	}
}

func mustDM(w *world, user string) sandbox.Message {
	w.t.Helper()
	m, ok := w.dm(user)
	if !ok {
		w.t.Fatal("no message")
	}
	return m
}
