package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// seat opens My seat.
func (w *world) seat(user string) sandbox.Message {
	w.t.Helper()
	return w.reply(w.label(user, w.board(), "My seat"))
}

// pickOption picks an option of a select.
func (w *world) pickOption(user string, m sandbox.Message, kind press.Kind, arg, value string) sandbox.Message {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == kind && id.Arg(0) == arg {
			return w.reply(w.result(w.discord.Select(w.ctx(), user, m.ChannelID, m.ID, c.CustomID, value)))
		}
	}
	w.t.Fatalf("no %s of %s in:\n%s", kind, arg, text(m))
	return sandbox.Message{}
}

// private is what the person may know.
func (w *world) private(user string) table.Private {
	w.t.Helper()
	mine, ok := w.table().Private(table.UserID(user))
	if !ok {
		w.t.Fatalf("%s has no seat", user)
	}
	return mine
}

// order gives a card a standing order by the panel.
func (w *world) order(user string, quest int, act string, most int) {
	w.t.Helper()
	page := w.reply(w.pressKind(user, w.seat(user), press.Order))
	page = w.pickOption(user, page, press.Order, strconv.Itoa(quest), act)
	if act == "ask" {
		return
	}
	if most != table.NoGuard {
		page = w.pickOption(user, page, press.Guard, strconv.Itoa(quest), strconv.Itoa(most))
	}
	if !strings.Contains(text(page), "Order set") {
		w.t.Fatalf("an order was not confirmed:\n%s", text(page))
	}
}

// orderAll gives every card of these people an order.
func (w *world) orderAll(users []string, act string) {
	w.t.Helper()
	for _, user := range users {
		mine := w.private(user)
		for _, k := range mine.Orderable() {
			w.order(user, k.Quest, act, table.NoGuard)
		}
	}
}

// placeAll plays on until the round's quests are resolved, or the table is over.
func (w *world) playUntil(rng *rand.Rand, phase paladin.Phase) {
	w.t.Helper()
	for {
		t := w.table()
		if t.Stage() != table.Playing || t.Public().Game.Phase == phase {
			return
		}
		w.playOn(rng)
	}
}

// publicRequests are the requests since the first n that others can notice: all but answers to the person who pressed, which are known
// by their tokens.
func (w *world) publicRequests(n int) []sandbox.Request {
	w.t.Helper()
	return slices.DeleteFunc(w.discord.Requests()[n:], func(r sandbox.Request) bool {
		return strings.Contains(r.Path, "/interactions/") || strings.Contains(r.Path, "/webhooks/")
	})
}

// decide presses a decision about the card whose turn it is.
func (w *world) decide(act string) sandbox.Message {
	w.t.Helper()
	who, ok := w.table().AwaitedPerson()
	if !ok {
		w.t.Fatal("nobody is awaited")
	}
	user := string(who.ID)
	return w.reply(w.result(w.discord.ForgePress(w.ctx(), user, w.channel, w.board().ID, 2,
		press.For(press.Act, w.table().ID(), w.table().Prompt(), act).String())))
}

func TestStandingOrdersInThePanel(t *testing.T) {
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(1, 1))
	w.openGame(3, 0)
	w.playUntil(rng, paladin.PhaseResolve)
	game := w.table().Public().Game
	decides, _ := w.table().AwaitedPerson()
	waits := string(w.table().Public().Seats[game.Row[0].Cards[2].Seat].Person.ID)

	before := len(w.discord.Requests())
	page := w.reply(w.pressKind(waits, w.seat(waits), press.Order))
	page = w.pickOption(waits, page, press.Order, "1", "take")
	page = w.pickOption(waits, page, press.Guard, "1", "9")
	if !strings.Contains(text(page), "Order set") || w.private(waits).Orders[1] != (table.Order{Act: table.OrderTake, Most: 9}) {
		t.Fatalf("orders %v:\n%s", w.private(waits).Orders, text(page))
	}
	cards := w.private(waits)
	other := cards.Orderable()[1].Quest
	w.command(waits, "order", sandbox.Option{Name: "quest", Value: fmt.Sprint(other)}, sandbox.Option{Name: "act", Value: "discard"},
		sandbox.Option{Name: "at_most", Value: 4})
	if mine := w.private(waits); mine.Orders[other] != (table.Order{Act: table.OrderDiscard, Most: 4}) {
		t.Errorf("orders %v", mine.Orders)
	}
	if made := w.publicRequests(before); len(made) > 0 {
		t.Fatalf("orders left a trace: %s %s", made[0].Method, made[0].Path)
	}

	// The card whose turn it is gets no order, but its decision.
	res := w.reply(w.command(string(decides.ID), "order", sandbox.Option{Name: "quest", Value: "1"}, sandbox.Option{Name: "act", Value: "take"}))
	if !strings.Contains(text(res), "has come") || !hasMove(res) {
		t.Errorf("an order for the card whose turn it is:\n%s", text(res))
	}
	if got := w.reply(w.command(w.users[4], "order", sandbox.Option{Name: "quest", Value: "1"}, sandbox.Option{Name: "act", Value: "take"})); !strings.Contains(text(got), "no seat") {
		t.Errorf("an order by somebody without a seat:\n%s", text(got))
	}
	choices, err := w.discord.Autocomplete(w.ctx(), waits, w.channel, "paladin", "order", "quest", sandbox.Option{Name: "quest", Value: ""})
	mine := w.private(waits)
	if err != nil || len(choices) != len(mine.Orderable()) {
		t.Errorf("suggestions %v, %v; want %d", choices, err, len(mine.Orderable()))
	}

	w.order(waits, other, "ask", table.NoGuard)

	// The order moves as soon as the card before it is decided; nobody is told of it but by what it did. A single one is no show.
	before = len(w.discord.Requests())
	w.decide("take")
	if last := w.table().Public().Recent; last[len(last)-1].Seat != game.Row[0].Cards[2].Seat {
		t.Errorf("the order did not move: %+v", last[len(last)-1])
	}
	for _, r := range w.publicRequests(before) {
		if r.Method == "POST" && strings.Contains(r.Path, w.channel) {
			t.Errorf("a single ordered move made a message: %s", r.Body)
		}
	}
}

// TestPlans: a plan that holds is carried out when its turn comes; one that broke is told to its owner in the panel and in the turn's
// direct message, and to nobody else.
// TestWhatOrdersDidIsTold: what somebody's orders decided while they were not looking is told when they look, as what others did is;
// what they did by a press they have seen.
func TestWhatOrdersDidIsTold(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.playUntil(rand.New(rand.NewPCG(5, 6)), paladin.PhaseResolve)
	who := ""
	for _, user := range w.users[:3] {
		if mine := w.private(user); user != w.awaited() && len(mine.Orderable()) > 0 {
			who = user
		}
	}
	w.orderAll([]string{who}, "take")
	mine := w.private(who)
	took := "**" + mine.Seats[mine.Seat].Person.Name + "** took a card back"
	mustNotSay(t, "the panel before", text(w.seat(who)), took)
	for left := len(mine.Orderable()); len(mine.Orderable()) == left; mine = w.private(who) {
		w.decide("take")
	}
	mustSay(t, "the panel after", text(w.seat(who)), "Since you last looked", took)
}

func TestPlans(t *testing.T) {
	for _, covered := range []bool{false, true} {
		t.Run(fmt.Sprint("covered ", covered), func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			id := w.table().ID()
			dealer, _ := w.table().AwaitedPerson()
			planner := w.users[2]
			hand := w.private(planner).View.Hand[0]
			before := len(w.discord.Requests())
			page := w.reply(w.pressKind(planner, w.seat(planner), press.PickPlan))
			page = w.reply(w.label(planner, page, "Quest 1"))
			page = w.pressID(planner, page, press.New(press.PickPlan, id, hand.String(), "1", "-", "c"+hand.String()))
			page = w.reply(w.pressKind(planner, page, press.Plan))
			if !strings.Contains(text(page), "Planned") || w.private(planner).Plan == nil {
				t.Fatalf("no plan:\n%s", text(page))
			}
			if made := w.publicRequests(before); len(made) > 0 {
				t.Fatalf("a plan left a trace: %s %s", made[0].Method, made[0].Path)
			}
			w.forge(string(dealer.ID), w.channel, w.board().ID, press.For(press.First, id, w.table().Prompt(), "2").String())
			quest := 2
			if covered {
				quest = 1
			}
			second := w.users[1]
			w.forge(second, w.channel, w.board().ID, press.For(press.Place, id, w.table().Prompt(), w.private(second).View.Hand[0].String(), fmt.Sprint(quest)).String())
			w.pass(time.Minute)
			mine := w.private(planner)
			if mine.MyTurn() != covered || mine.Plan != nil || len(mine.View.Placed) > 0 == covered {
				t.Fatalf("covered %v: plan %v, placed %v", covered, mine.Plan, mine.View.Placed)
			}
			dm, _ := w.dm(planner)
			if told := strings.Contains(text(dm), "Your plan"); told != covered || strings.Contains(text(w.seat(planner)), "Your plan") != covered {
				t.Errorf("covered %v, told %v:\n%s", covered, told, text(dm))
			}
			for _, m := range []sandbox.Message{w.board(), w.seat(second)} {
				if strings.Contains(text(m), "lan") && strings.Contains(text(m), "not carried out") {
					t.Errorf("others are told:\n%s", text(m))
				}
			}
		})
	}
}

// TestACancelledPlanSaysSoBeforeItsTurn: its owner reads it as soon as it is certain, and nobody else does.
func TestACancelledPlanSaysSoBeforeItsTurn(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	id := w.table().ID()
	planner := w.users[2]
	hand := w.private(planner).View.Hand[0].String()
	w.forge(planner, w.channel, w.board().ID, press.New(press.Plan, id, hand, "1", "0", "1").String())
	mustSay(t, "the planner's panel", text(w.seat(planner)), "Next placement:")
	mustNotSay(t, "the planner's panel", text(w.seat(planner)), "cancelled")
	dealer := w.awaited()
	w.forge(dealer, w.channel, w.board().ID, press.For(press.First, id, w.table().Prompt(), "1").String())
	first := w.users[0]
	w.forge(first, w.channel, w.board().ID, press.For(press.Place, id, w.table().Prompt(), w.private(first).View.Hand[0].String(), "1").String())
	if w.awaited() != w.users[1] {
		t.Fatalf("%s is awaited", w.awaited())
	}
	mustSay(t, "the planner's panel", text(w.seat(planner)), "cancelled", "1 card lies there by now", "you will be asked")
	for _, m := range []sandbox.Message{w.board(), w.seat(w.users[1])} {
		mustNotSay(t, "what others read", text(m), "cancelled")
	}
}

func (w *world) pressID(user string, m sandbox.Message, id press.ID) sandbox.Message {
	w.t.Helper()
	return w.reply(w.press(user, m, id.String()))
}

// show returns the newest message of the channel that tells how quests were resolved.
func (w *world) show() (sandbox.Message, bool) {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	messages = slices.DeleteFunc(messages, func(m sandbox.Message) bool {
		return m.Flags&sandbox.FlagEphemeral != 0 || !strings.Contains(text(m), "the quests are resolved")
	})
	if len(messages) == 0 {
		return sandbox.Message{}, false
	}
	return slices.MaxFunc(messages, func(a, b sandbox.Message) int { return compareIDs(a.ID, b.ID) }), true
}

// resolveAtOnce plays to a resolve phase in which everybody has given orders and lets it begin.
func (w *world) resolveAtOnce(rng *rand.Rand) {
	w.t.Helper()
	w.playUntil(rng, paladin.PhaseResolve)
	w.orderAll(w.users[:len(w.table().People())], "beat-take")
	w.decide("take")
}

func TestShowGrowsInTheChannelAndTheBoardFollows(t *testing.T) {
	w := newWorld(t)
	w.openGame(4, 0)
	w.playUntil(rand.New(rand.NewPCG(2, 2)), paladin.PhaseResolve)
	w.orderAll(w.users[:4], "beat-take")
	w.pass(time.Minute)
	old := text(w.board())
	before := len(w.discord.Requests())
	answer := w.decide("take")
	if w.table().Public().Game.Round != 2 {
		t.Fatal("the orders did not finish the round")
	}
	if !strings.Contains(text(answer), "shown in the channel") {
		t.Errorf("the answer to the press:\n%s", text(answer))
	}
	for quest := 1; quest <= 4; quest++ {
		m, ok := w.show()
		if !ok {
			t.Fatal("no show")
		}
		if n := strings.Count(text(m), "wins the quest"); n != quest {
			t.Errorf("step %d shows %d quests:\n%s", quest, n, text(m))
		}
		if has(m, press.ShowAll) != (quest < 4) {
			t.Errorf("step %d: %s", quest, text(m))
		}
		if text(w.board()) != old {
			t.Errorf("step %d: the board tells the end already:\n%s", quest, text(w.board()))
		}
		if !strings.Contains(text(w.seat(w.users[1])), "Round 2 of") {
			t.Error("My seat waits for the show")
		}
		if quest < 4 {
			w.pass(2 * time.Second)
		}
	}
	w.pass(time.Second)
	if !strings.Contains(text(w.board()), "name the start player") {
		t.Errorf("the board does not follow:\n%s", text(w.board()))
	}
	posts, edits := 0, 0
	m, _ := w.show()
	for _, r := range w.publicRequests(before) {
		switch {
		case r.Method == "POST" && strings.HasSuffix(r.Path, w.channel+"/messages"):
			posts++
		case strings.HasSuffix(r.Path, m.ID):
			edits++
		}
	}
	if posts != 1 || edits != 3 {
		t.Errorf("%d messages and %d edits, want 1 and 3", posts, edits)
	}
}

func TestShowAll(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.resolveAtOnce(rand.New(rand.NewPCG(3, 3)))
	m, _ := w.show()
	counted := w.discord.Counted()
	w.locale(w.users[4], "de")
	w.pressKind(w.users[4], m, press.ShowAll) // anybody who watches; everybody goes on reading it in the table's language
	m, _ = w.show()
	if n := strings.Count(text(m), "wins the quest"); n != 3 || has(m, press.ShowAll) || !strings.Contains(text(m), "Round 1 is over") {
		t.Errorf("not shown to the end:\n%s", text(m))
	}
	w.pass(time.Minute)
	if after, _ := w.show(); text(after) != text(m) {
		t.Errorf("it goes on:\n%s", text(after))
	}
	if !strings.Contains(text(w.board()), "name the start player") {
		t.Errorf("the board does not follow:\n%s", text(w.board()))
	}
	if calls := w.discord.Counted() - counted; calls > 2 { // the board and the dealer's direct message
		t.Errorf("%d counted calls", calls)
	}
	// Once more on what is complete, and by hand on the board: told privately, and nothing is written over.
	board := w.board()
	id := press.New(press.ShowAll, w.table().ID(), "1", fmt.Sprint(w.table().Prompt()-1)).String()
	w.forge(w.users[4], w.channel, board.ID, id)
	w.forge(w.users[4], w.channel, m.ID, id)
	if after, _ := w.show(); text(after) != text(m) || text(w.board()) != text(board) {
		t.Error("a forged press wrote over a public message")
	}
}

func TestShowSurvivesARestart(t *testing.T) {
	for _, down := range []time.Duration{0, time.Hour} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			w := newWorld(t)
			w.openGame(4, 0)
			w.resolveAtOnce(rand.New(rand.NewPCG(4, 4)))
			w.pass(2 * time.Second)
			before, _ := w.show()
			w.stop()
			w.clock.advance(down)
			w.start(nil)
			w.pass(20 * time.Second)
			after, _ := w.show()
			if after.ID != before.ID || strings.Count(text(after), "wins the quest") != 4 || has(after, press.ShowAll) {
				t.Errorf("message %s became %s:\n%s", before.ID, after.ID, text(after))
			}
			if !strings.Contains(text(w.board()), "name the start player") {
				t.Errorf("the board:\n%s", text(w.board()))
			}
			pending, err := w.store.Pending(w.ctx())
			if err != nil || len(pending) > 0 {
				t.Errorf("still to be said: %v %v", pending, err)
			}
		})
	}
}

// TestShowsDoNotHoldUpTheGame: somebody who moves while the channel watches is answered, and a show that cannot go on ends.
func TestShowsDoNotHoldUpTheGame(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	rng := rand.New(rand.NewPCG(5, 5))
	w.resolveAtOnce(rng)
	m, _ := w.show()
	if err := w.discord.DeleteMessage(m.ChannelID, m.ID); err != nil {
		t.Fatal(err)
	}
	w.playOn(rng) // the dealer names the start player
	w.pass(10 * time.Second)
	if !strings.Contains(text(w.board()), "lead a quest") {
		t.Errorf("the board does not follow:\n%s", text(w.board()))
	}
	if again, ok := w.show(); ok {
		t.Errorf("a deleted show came back:\n%s", text(again))
	}
}

// TestWholeGamesOfOrdersAndPlans plays games in which everybody gives random orders and plans at random times, all by the panel; they end
// and their records replay.
func TestWholeGamesOfOrdersAndPlans(t *testing.T) {
	tables := []int{3, 5}
	if testing.Short() {
		tables = tables[:1] // some thousand presses each, and the race detector makes them slow
	}
	for _, people := range tables {
		t.Run(fmt.Sprint(people, " people"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			rng := rand.New(rand.NewPCG(uint64(people), 9))
			w.openGame(people, 0)
			shows := map[string]bool{}
			for w.table().Stage() == table.Playing {
				for range 2 {
					w.giveSome(rng, w.users[rng.IntN(people)])
				}
				if w.table().Stage() != table.Playing {
					break
				}
				w.playOn(rng)
				w.pass(time.Duration(rng.IntN(4)) * time.Second)
				if m, ok := w.show(); ok {
					shows[m.ID] = true
				}
			}
			w.pass(time.Minute)
			if end := w.table(); end.Stage() != table.Finished {
				t.Fatalf("the game ended as %s: %s", end.Stage(), end.Reason())
			}
			checkRecord(t, w)
			if len(shows) == 0 {
				t.Error("nothing was ever shown")
			}
			for id := range shows {
				m, err := w.discord.Message(w.users[0], w.channel, id)
				if err != nil || has(m, press.ShowAll) {
					t.Errorf("a show was not finished: %v\n%s", err, text(m))
				}
			}
		})
	}
}

// giveSome lets a person give orders or a plan by pressing what their panel offers.
func (w *world) giveSome(rng *rand.Rand, user string) {
	w.t.Helper()
	panel := w.seat(user)
	switch {
	case has(panel, press.Order) && rng.IntN(2) == 0:
		page := w.reply(w.pressKind(user, panel, press.Order))
		for range 3 {
			var menus []sandbox.Component
			for _, c := range controls(page) {
				if len(c.Options) > 0 {
					menus = append(menus, c)
				}
			}
			c := menus[rng.IntN(len(menus))]
			value := c.Options[rng.IntN(len(c.Options))].Value
			page = w.reply(w.result(w.discord.Select(w.ctx(), user, page.ChannelID, page.ID, c.CustomID, value)))
		}
	case has(panel, press.PickPlan):
		page := w.reply(w.pressKind(user, panel, press.PickPlan))
		for range 6 {
			var picks []sandbox.Component
			for _, c := range controls(page) {
				switch id, _ := press.Parse(c.CustomID); id.Kind {
				case press.PickPlan:
					picks = append(picks, c)
				case press.Plan, press.DropPlan:
					picks = append(picks, c, c)
				}
			}
			if len(picks) == 0 {
				return
			}
			page = w.reply(w.press(user, page, picks[rng.IntN(len(picks))].CustomID))
		}
	}
}

// twins are two bots that were used in the same way up to a resolve phase, with decks in the same order; then, in the second, every card
// that will not be turned up is dealt anew, until the card whose turn is next can beat in one and not in the other.
func twins(t *testing.T) (a, b *world) {
	t.Helper()
	make := func() *world {
		w := newWorld(t, withBot(func(c *bot.Config) { c.Random = rand.NewChaCha8([32]byte{5}) }))
		w.openGame(3, 0)
		w.playUntil(rand.New(rand.NewPCG(6, 6)), paladin.PhaseResolve)
		w.pass(time.Minute)
		return w
	}
	a, b = make(), make()
	rng := rand.New(rand.NewPCG(7, 7))
	at := b.table()
	second := at.Public().Game.Row[0].Cards[2].Seat
	was := couldBeat(at, second)
	for range 50_000 {
		dealt := at.Redeal(paladin.NoSeat, rng.IntN)
		if leaders(&dealt) == leaders(at) && couldBeat(&dealt, second) != was {
			b.replace(&dealt)
			return a, b
		}
	}
	t.Fatal("no deal makes a difference")
	return nil, nil
}

// leaders are the leading Paladins of the round: they are turned up, so that they must be the same in both games.
func leaders(at *table.Table) string {
	var out string
	for _, p := range at.People() {
		mine, _ := at.Private(p.ID)
		for _, k := range mine.View.Placed {
			if k.Place == 1 {
				out += fmt.Sprintf("%d:%v ", k.Quest, k.Card)
			}
		}
	}
	return out
}

// couldBeat reports whether the second card that follows on quest 1 beats its leader, if the first is taken back.
func couldBeat(at *table.Table, second paladin.Seat) bool {
	game := at.Public().Game
	leader, _ := game.Row[0].Cards[0].Card.Card()
	mine, _ := at.Private(at.Public().Seats[second].Person.ID)
	for _, k := range mine.View.Placed {
		if k.Quest == 1 {
			return k.Card.Beats(leader)
		}
	}
	return false
}

// replace stores another state of the table, unseen by anybody.
func (w *world) replace(t *table.Table) {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), t.ID())
	if err != nil {
		w.t.Fatal(err)
	}
	snapshot, err := t.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.store.Commit(w.ctx(), store.Change{
		Table: t.ID(), Expect: row.Version, Snapshot: snapshot, Live: true, Channel: row.Channel, Guild: row.Guild, Users: row.Users,
		At: row.Touched, Deadlines: row.Deadlines,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

var directChannel = regexp.MustCompile(`/channels/\d+`)

var messageID = regexp.MustCompile(`/messages/\d+|"nonce":"[^"]*"`)

// traces are what others can notice of the requests since the first n: where, when and what in the channel, and of direct messages where
// and when.
func (w *world) traces(n int) []string {
	w.t.Helper()
	var out []string
	for _, r := range w.publicRequests(n) {
		line := fmt.Sprintf("%s %s %s", r.Time.Format(time.TimeOnly), r.Method, messageID.ReplaceAllString(r.Path, "/messages/*"))
		if strings.Contains(r.Path, w.channel) {
			var body any
			if err := json.Unmarshal(r.Body, &body); err == nil {
				line += messageID.ReplaceAllString(string(r.Body), "*")
			}
		} else {
			line = directChannel.ReplaceAllString(line, "/channels/direct")
		}
		out = append(out, line)
	}
	slices.Sort(out) // lanes do not wait for each other
	return out
}

// TestTracesDoNotDependOnHiddenCards: a person without a real choice is asked like any other, an order is set without a trace, and what
// follows looks the same in two games that differ only in cards nobody in the channel can know.
func TestTracesDoNotDependOnHiddenCards(t *testing.T) {
	wholeGame(t)
	a, b := twins(t)
	var seen [2][]string
	for i, w := range []*world{a, b} {
		before := len(w.discord.Requests())
		w.decide("take") // the next person is asked, whether their card can beat or not
		w.pass(3 * time.Second)
		if _, asked := w.table().AwaitedPerson(); !asked {
			t.Fatal("nobody is asked")
		}
		n := len(w.discord.Requests())
		w.orderAll(w.users[:3], "take")
		if made := w.publicRequests(n); len(made) > 0 {
			t.Fatalf("setting orders left a trace: %s %s", made[0].Method, made[0].Path)
		}
		w.pass(2 * time.Second)
		w.decide("take") // all others are ordered to take back: a show
		w.pass(time.Minute)
		seen[i] = w.traces(before)
	}
	if !slices.Equal(seen[0], seen[1]) {
		for i := range min(len(seen[0]), len(seen[1])) {
			if seen[0][i] != seen[1][i] {
				t.Errorf("request %d differs:\n%s\n%s", i, seen[0][i], seen[1][i])
			}
		}
		t.Errorf("%d and %d requests", len(seen[0]), len(seen[1]))
	}
	if len(seen[0]) < 5 {
		t.Errorf("only %d requests: this test shows nothing", len(seen[0]))
	}
}

// TestAnOrderedMoveLooksLikeAPress: of two games alike, in one a person orders what they press in the other. The channel sees the same.
func TestAnOrderedMoveLooksLikeAPress(t *testing.T) {
	var boards [2]string
	var traces [2][]string
	for i, ordered := range []bool{false, true} {
		w := newWorld(t, withBot(func(c *bot.Config) { c.Random = rand.NewChaCha8([32]byte{5}) }), withStore(storetest.NewMemory()))
		w.openGame(3, 0)
		w.playUntil(rand.New(rand.NewPCG(6, 6)), paladin.PhaseResolve)
		w.pass(time.Minute)
		game := w.table().Public().Game
		second := string(w.table().Public().Seats[game.Row[0].Cards[2].Seat].Person.ID)
		if ordered {
			w.order(second, 1, "take", table.NoGuard)
			w.decide("take")
		} else {
			w.decide("take")
			before := len(w.discord.Requests())
			w.decide("take")
			traces[i] = w.traces(before)
		}
		w.pass(time.Minute)
		boards[i] = text(w.board())
		if ordered {
			continue
		}
		for _, line := range traces[i] {
			if strings.Contains(line, "POST") && strings.Contains(line, w.channel) {
				t.Errorf("a press made a message: %s", line)
			}
		}
	}
	if boards[0] != boards[1] {
		t.Errorf("pressed:\n%s\nordered:\n%s", boards[0], boards[1])
	}
}

// TestShowSurvivesAFailingStore lets each write that a show makes fail once, before and after its work is done: there is one message, and
// it is shown to its end.
func TestShowSurvivesAFailingStore(t *testing.T) {
	for _, fault := range []storetest.Fault{storetest.Before, storetest.After} {
		for n := 1; n <= 9; n++ {
			t.Run(fmt.Sprint("write ", n, " fault ", fault), func(t *testing.T) {
				t.Parallel()
				memory := storetest.NewMemory()
				w := newWorld(t, withStore(memory))
				w.openGame(3, 0)
				w.playUntil(rand.New(rand.NewPCG(8, 8)), paladin.PhaseResolve)
				w.orderAll(w.users[:3], "beat-take")
				w.pass(time.Minute)
				writes := 0
				memory.Fail(func(c storetest.Call) storetest.Fault {
					if c.Method != "Settle" && c.Method != "Enqueue" {
						return storetest.None
					}
					if writes++; writes == n {
						return fault
					}
					return storetest.None
				})
				before := len(w.discord.Requests())
				w.decide("take")
				w.pass(time.Minute)
				m, ok := w.show()
				if !ok || strings.Count(text(m), "wins the quest") != 3 || has(m, press.ShowAll) {
					t.Errorf("the show:\n%s", text(m))
				}
				messages, err := w.discord.Messages(w.users[0], w.channel)
				if err != nil {
					t.Fatal(err)
				}
				shows := 0
				for _, m := range messages {
					if m.Flags&sandbox.FlagEphemeral == 0 && strings.Contains(text(m), ": the quests are resolved") {
						shows++
					}
				}
				if shows != 1 {
					t.Errorf("%d shows after %d requests", shows, len(w.discord.Requests())-before)
				}
				if !strings.Contains(text(w.board()), "name the start player") {
					t.Errorf("the board does not follow:\n%s", text(w.board()))
				}
			})
		}
	}
}
