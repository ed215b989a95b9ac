package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

const practiceHead = render.Text("practice.head")

// practice is the person's practice game as it is stored; false if there is none.
func (w *world) practice(user string) (*table.Table, bool) {
	w.t.Helper()
	data, ok, err := w.store.Get(w.ctx(), "practice/"+user)
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return nil, false
	}
	var kept struct{ Table json.RawMessage }
	if err := json.Unmarshal(data, &kept); err != nil {
		w.t.Fatal(err)
	}
	t, err := table.Decode(kept.Table)
	if err != nil {
		w.t.Fatal(err)
	}
	return &t, true
}

// putPractice stores another table in the place of the person's practice game.
func (w *world) putPractice(user string, t *table.Table) {
	w.t.Helper()
	data, _, err := w.store.Get(w.ctx(), "practice/"+user)
	if err != nil {
		w.t.Fatal(err)
	}
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(data, &kept); err != nil {
		w.t.Fatal(err)
	}
	if kept["table"], err = t.Encode(); err != nil {
		w.t.Fatal(err)
	}
	if data, err = json.Marshal(kept); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Put(w.ctx(), "practice/"+user, data); err != nil {
		w.t.Fatal(err)
	}
}

// mustPractise is the practice game of somebody who has one.
func (w *world) mustPractise(user string) *table.Table {
	w.t.Helper()
	t, ok := w.practice(user)
	if !ok {
		w.t.Fatalf("%s has no practice game", user)
	}
	return t
}

// startPractice starts a practice game by the command and returns its panel.
func (w *world) startPractice(user string) sandbox.Message {
	w.t.Helper()
	panel := w.reply(w.command(user, "practice"))
	if !strings.Contains(text(panel), english.Say(practiceHead)) {
		w.t.Fatalf("no practice panel:\n%s", text(panel))
	}
	return panel
}

// practiceStep presses one thing that is offered, and sometimes gives an order.
func (w *world) practiceStep(rng *rand.Rand, user string, panel sandbox.Message) sandbox.Message {
	w.t.Helper()
	t := w.mustPractise(user)
	mine, _ := t.Private(table.UserID(user))
	if cards := mine.Orderable(); len(cards) > 0 && rng.IntN(12) == 0 {
		page := w.reply(w.pressKind(user, panel, press.Order))
		for _, c := range controls(page) {
			if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Order && len(id.Args) > 0 {
				page = w.reply(w.result(w.discord.Select(w.ctx(), user, page.ChannelID, page.ID, c.CustomID, "discard")))
				return w.reply(w.pressKind(user, page, press.Refresh))
			}
		}
	}
	return w.random(rng, user, panel)
}

// pressAny presses one of all the buttons that are offered, and demands that each does what it says.
func (w *world) pressAny(rng *rand.Rand, user string, panel sandbox.Message) sandbox.Message {
	w.t.Helper()
	offered := controls(panel)
	c := offered[rng.IntN(len(offered))]
	id, err := press.Parse(c.CustomID)
	if err != nil {
		w.t.Fatal(err)
	}
	if id.Kind == press.Practice || len(c.Options) > 0 {
		return panel
	}
	m := w.reply(w.press(user, panel, c.CustomID))
	for _, not := range []render.Text{render.TextForgedPress, "practice.gone", "practice.refused", render.TextUnknownPress} {
		if strings.Contains(text(m), english.Say(not)) {
			w.t.Errorf("%s is offered and answered:\n%s", c.CustomID, text(m))
		}
	}
	if id.Kind == press.Rules {
		return panel
	}
	return m
}

// playPractice plays a practice game to its end.
func (w *world) playPractice(rng *rand.Rand, user string, panel sandbox.Message) sandbox.Message {
	w.t.Helper()
	for range 300 {
		if t := w.mustPractise(user); !t.Live() {
			return panel
		}
		panel = w.practiceStep(rng, user, panel)
	}
	w.t.Fatalf("no end after many presses:\n%s", text(panel))
	return panel
}

// quiet demands that the bot asks Discord for nothing but answers to interactions while f runs.
func (w *world) quiet(f func()) {
	w.t.Helper()
	w.flush()
	before := len(w.discord.Requests())
	f()
	w.flush()
	for _, r := range w.discord.Requests()[before:] {
		if !strings.HasPrefix(r.Route, "/interactions/") && !strings.HasPrefix(r.Route, "/webhooks/") || r.Counted {
			w.t.Errorf("%s %s (counted: %t) while somebody practises:\n%s", r.Method, r.Route, r.Counted, r.Body)
		}
	}
}

// checkPracticePanel demands what every panel of a running practice game shows, and that nothing in it depends on what its person cannot
// know. It returns the panel as it is then.
func (w *world) checkPracticePanel(rng *rand.Rand, user string, panel sandbox.Message) sandbox.Message {
	w.t.Helper()
	t := w.mustPractise(user)
	mine, _ := t.Private(table.UserID(user))
	said := text(panel)
	hint := english.HintText(&mine, render.HintFor(&mine))
	for _, want := range []string{english.Say(practiceHead), english.Say("practice.table_heading"), hint} {
		if !strings.Contains(said, want) {
			w.t.Errorf("a practice panel lacks %q:\n%s", want, said)
		}
	}
	for _, c := range controls(panel) {
		switch id, _ := press.Parse(c.CustomID); id.Kind {
		case press.Leave, press.Quit, press.Stop, press.Pause, press.Log, press.Record, press.Again, press.Offer:
			w.t.Errorf("a practice panel offers %s", c.CustomID)
		}
	}
	refresh := press.New(press.Refresh, t.ID()).String()
	want := w.reply(w.forge(user, panel.ChannelID, panel.ID, refresh))
	other := t.Redeal(mine.Seat, rng.IntN)
	w.putPractice(user, &other)
	got := w.reply(w.forge(user, panel.ChannelID, panel.ID, refresh))
	w.putPractice(user, t)
	if diff := gocmp.Diff(unmarked(want.Components), unmarked(got.Components)); diff != "" {
		w.t.Errorf("a practice panel depends on what is hidden (-dealt +dealt anew):\n%s", diff)
	}
	return got
}

// checkPracticeEnd demands a result that shows every card, and the ways on.
func (w *world) checkPracticeEnd(user string, panel sandbox.Message) {
	w.t.Helper()
	t := w.mustPractise(user)
	if t.Stage() != table.Closed || t.Reason() != table.ClosedPractice {
		w.t.Fatalf("practice ends as %s: %s", t.Stage(), t.Reason())
	}
	result, over, err := t.Practised()
	if err != nil || !over {
		w.t.Fatal(over, err)
	}
	said := text(panel)
	if !strings.Contains(said, english.Say("practice.over_heading")) || !has(panel, press.Practice) || !has(panel, press.Rules) {
		w.t.Errorf("no end of practice:\n%s", said)
	}
	for _, c := range result.Cards {
		if !strings.Contains(said, "**"+strings.ReplaceAll(c.Card.String(), "r", "r⚔")+"**") {
			w.t.Errorf("the card %s of seat %d is not shown:\n%s", c.Card, c.Owner.Number(), said)
		}
	}
	if strings.Contains(said, t.Public().Seed) {
		w.t.Errorf("the seed is of no use here:\n%s", said)
	}
}

// TestPracticeByPressingWhatIsOffered: practice rounds from the command to the result by random presses, two people at once in one
// channel, one of them seated in the game that runs there and one in the direct messages; the game notices nothing.
func TestPracticeByPressingWhatIsOffered(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.openGame(3, 0)
			rng := rand.New(rand.NewPCG(seed, 15))
			board, before := w.board(), w.table()
			dm, err := w.discord.OpenDM(w.users[3])
			if err != nil {
				t.Fatal(err)
			}
			w.quiet(func() {
				panels := map[string]sandbox.Message{w.users[0]: w.startPractice(w.users[0]), w.users[4]: w.startPractice(w.users[4])}
				panels[w.users[3]] = w.reply(w.result(w.discord.Command(w.ctx(), w.users[3], dm.ID, "paladin", "practice")))
				if v := panels[w.users[3]].View; v != nil && v.Ephemeral {
					t.Error("practice in direct messages is gone when the client is closed")
				}
				for user, panel := range panels {
					if v := panel.View; user != w.users[3] && (v == nil || !v.Ephemeral) {
						t.Errorf("everybody sees a practice panel:\n%s", text(panel))
					}
				}
				for len(panels) > 0 {
					for _, user := range []string{w.users[0], w.users[3], w.users[4]} {
						panel, plays := panels[user]
						if !plays {
							continue
						}
						if at := w.mustPractise(user); !at.Live() {
							w.checkPracticeEnd(user, panel)
							delete(panels, user)
							continue
						}
						if rng.IntN(4) == 0 {
							panel = w.checkPracticePanel(rng, user, panel)
						}
						if panel = w.pressAny(rng, user, panel); !has(panel, press.Practice) {
							panel = w.reply(w.pressKind(user, panel, press.Refresh)) // from the page of orders
						}
						if at := w.mustPractise(user); at.Live() {
							panel = w.practiceStep(rng, user, panel)
						}
						panels[user] = panel
					}
				}
			})
			if diff := gocmp.Diff(text(board), text(w.board())); diff != "" {
				t.Errorf("the board of the game has changed:\n%s", diff)
			}
			if after := w.table(); after.ID() != before.ID() || after.Prompt() != before.Prompt() {
				t.Error("the game in the channel has moved")
			}
			w.practiceLeavesNothing()
		})
	}
}

// practiceLeavesNothing demands that nothing in the store but the one setting knows of practice.
func (w *world) practiceLeavesNothing() {
	w.t.Helper()
	live := 0
	if err := w.store.LiveTables(w.ctx(), func(id string) error {
		live++
		if id != w.table().ID() {
			w.t.Errorf("table %s is live", id)
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	if ids, err := w.store.TablesByUser(w.ctx(), w.users[4]); err != nil || len(ids) > 0 {
		w.t.Errorf("somebody who only practised has the tables %v, error %v", ids, err)
	}
	if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
		w.t.Errorf("there is something to say: %v, error %v", pending, err)
	}
	if results, err := w.store.ResultsByUser(w.ctx(), w.users[4], 0, 0); err != nil || len(results) > 0 {
		w.t.Errorf("practice counts: %v, error %v", results, err)
	}
}

// TestPracticeIsOfferedWhereNewcomersLook: every button that starts practice does so for whoever presses it.
func TestPracticeIsOfferedWhereNewcomersLook(t *testing.T) {
	w := newWorld(t)
	w.openLobby(1, 2)
	guild, err := w.discord.AddGuild("Another", w.users...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.discord.InviteBot(guild.ID); err != nil {
		t.Fatal(err)
	}
	help := w.reply(w.command(w.users[4], "help")) // what came before it has been heard
	var hello sandbox.Message
	for _, c := range w.channels(w.users[4]) {
		messages, err := w.discord.Messages(w.users[4], c.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if strings.Contains(text(m), english.Say("answers.hello_heading")) {
				hello = m
			}
		}
	}
	for name, m := range map[string]sandbox.Message{
		"lobby": w.board(), "help": help, "spectator": w.reply(w.label(w.users[4], w.board(), "My seat")), "hello": hello,
	} {
		before := text(m)
		panel := w.reply(w.pressKind(w.users[4], m, press.Practice))
		if !strings.Contains(text(panel), english.Say(practiceHead)) || panel.View == nil || !panel.View.Ephemeral {
			t.Errorf("%s: no private practice panel:\n%s", name, text(panel))
		}
		if now, err := w.discord.Message(w.users[4], m.ChannelID, m.ID); err != nil || text(now) != before {
			t.Errorf("%s: what was pressed has changed, error %v:\n%s", name, err, text(now))
		}
	}
}

func TestPracticeAnewAndOnceMore(t *testing.T) {
	w := newWorld(t)
	ann, rng := w.users[0], rand.New(rand.NewPCG(7, 7))
	first := w.startPractice(ann)
	for first = w.practiceStep(rng, ann, first); w.mustPractise(ann).Prompt() == 1; {
		first = w.practiceStep(rng, ann, first)
	}
	begun := w.mustPractise(ann)

	again := w.startPractice(ann)
	if now := w.mustPractise(ann); now.ID() != begun.ID() || now.Prompt() != begun.Prompt() || !strings.Contains(text(again), english.Say(render.TextPracticeGoesOn)) {
		t.Errorf("who comes back does not find the round as it was left:\n%s", text(again))
	}
	anew := w.reply(w.label(ann, again, english.Say("practice.label_anew")))
	dealt := w.mustPractise(ann)
	if dealt.ID() == begun.ID() || dealt.Prompt() != 1 || anew.ID != again.ID {
		t.Errorf("not dealt anew in the place of the old panel:\n%s", text(anew))
	}
	// The panel that was left behind answers for the round that is gone, and leaves the new one alone.
	for _, c := range controls(first) {
		if id, err := press.Parse(c.CustomID); err != nil || id.Table != begun.ID() {
			continue
		}
		said := text(w.reply(w.forge(ann, first.ChannelID, first.ID, c.CustomID)))
		if !strings.Contains(said, english.Say("practice.gone")) && !strings.Contains(said, english.Say(render.TextPracticeGoesOn)) {
			t.Errorf("%s of a round that is gone: %s", c.CustomID, said)
		}
	}
	if now := w.mustPractise(ann); now.ID() != dealt.ID() || now.Prompt() != 1 {
		t.Error("a press on the old panel changed the new round")
	}
	end := w.playPractice(rng, ann, anew)
	w.checkPracticeEnd(ann, end)
	next := w.reply(w.label(ann, end, english.Say("practice.label_again")))
	if now := w.mustPractise(ann); now.ID() == dealt.ID() || !now.Live() || next.ID != end.ID {
		t.Errorf("Again does not deal again:\n%s", text(next))
	}
}

// TestPracticeTellsWhatOrdersDid: no more than one card is ever decided by an order in one step, for the one that leads needs none and the
// last one placed cannot have one yet. So nothing is shown in a channel, which practice does not have, and the answer tells it.
func TestPracticeTellsWhatOrdersDid(t *testing.T) {
	w := newWorld(t)
	ann, rng := w.users[0], rand.New(rand.NewPCG(3, 9))
	panel := w.startPractice(ann)
	ordered := map[int]bool{}
	for at := w.mustPractise(ann); at.Live(); at = w.mustPractise(ann) {
		mine, _ := at.Private(table.UserID(ann))
		for _, card := range mine.Orderable() {
			if ordered[card.Quest] || mine.Game.Phase == paladin.PhaseResolve {
				continue
			}
			ordered[card.Quest] = true
			page := w.reply(w.pressKind(ann, panel, press.Order))
			order := selectID(t, page, press.New(press.Order, at.ID(), fmt.Sprint(card.Quest), "1"))
			page = w.reply(w.result(w.discord.Select(w.ctx(), ann, page.ChannelID, page.ID, order, "discard")))
			panel = w.reply(w.pressKind(ann, page, press.Refresh))
		}
		panel = w.random(rng, ann, panel)
		if strings.Contains(text(panel), english.Say(render.TextShown)) {
			t.Errorf("what nobody else sees is shown in the channel:\n%s", text(panel))
		}
	}
	if len(ordered) == 0 {
		t.Fatal("no order was given: this test shows nothing")
	}
	w.checkPracticeEnd(ann, panel)
}

// TestNobodyTouchesAnothersPractice: whatever somebody forges, another's round stays as it is and shows nothing.
func TestNobodyTouchesAnothersPractice(t *testing.T) {
	w := newWorld(t)
	ann, ben := w.users[0], w.users[1]
	w.openGame(2, 1) // Ben has a board to press on
	w.startPractice(ann)
	before, _, err := w.store.Get(w.ctx(), "practice/"+ann)
	if err != nil {
		t.Fatal(err)
	}
	at := w.mustPractise(ann)
	own := w.startPractice(ben)
	gone, forged := english.Say("practice.gone"), english.Say(render.TextForgedPress)
	moves := []press.Kind{
		press.Refresh, press.Pick, press.PickPeek, press.PickFirst, press.PickAct, press.Place, press.Peek, press.First, press.Act, press.Order,
		press.Guard, press.Log, press.Seat, press.Join, press.Quit,
	}
	for _, kind := range press.Kinds() {
		for _, args := range [][]string{nil, {"1"}, {"7", "1"}, {"beat"}, {"2.1"}} {
			id := press.For(kind, at.ID(), at.Prompt(), args...).String()
			for _, on := range []sandbox.Message{w.board(), own} {
				m := w.reply(w.forge(ben, on.ChannelID, on.ID, id))
				said := text(m)
				if !m.View.Ephemeral || slices.Contains(moves, kind) && !strings.Contains(said, gone) {
					t.Errorf("%s: %s", id, said)
				}
				if strings.Contains(said, english.Say(practiceHead)) && !strings.Contains(said, english.Say(render.TextPracticeGoesOn)) {
					t.Errorf("%s shows a practice round that is not Ben's: %s", id, said)
				}
			}
		}
	}
	// What a practice round does not offer is refused to its own person as well.
	for _, kind := range []press.Kind{press.Join, press.Leave, press.Stop, press.Quit, press.Log, press.Record, press.Again, press.Pause, press.Offer, press.Manage} {
		m := w.reply(w.forge(ann, w.channel, w.board().ID, press.New(kind, at.ID()).String()))
		if !strings.Contains(text(m), forged) {
			t.Errorf("%s: %s", kind, text(m))
		}
	}
	after, _, err := w.store.Get(w.ctx(), "practice/"+ann)
	if err != nil || string(after) != string(before) {
		t.Errorf("the round has changed, error %v", err)
	}
}

// TestPracticeOutlivesARestart: what was stored counts, though the program ends before the answer; the same press again does nothing.
func TestPracticeOutlivesARestart(t *testing.T) {
	for _, point := range []string{"move/decided", "move/committed"} {
		t.Run(point, func(t *testing.T) {
			var armed atomic.Bool
			w := newWorld(t, withBot(func(c *bot.Config) {
				c.Failpoint = func(name string) {
					if name == point && armed.CompareAndSwap(true, false) {
						panic("the program ends here")
					}
				}
			}))
			ann := w.users[0]
			panel := w.startPractice(ann)
			t1 := w.mustPractise(ann)
			name := press.For(press.First, t1.ID(), 1, "2").String()
			armed.Store(true)
			w.forge(ann, panel.ChannelID, panel.ID, name)
			w.stop()
			w.start(nil)
			made := w.mustPractise(ann)
			if counts := made.Prompt() > 1; counts != (point == "move/committed") {
				t.Fatalf("the move counts: %t", counts)
			}
			again := w.reply(w.forge(ann, panel.ChannelID, panel.ID, name))
			now := w.mustPractise(ann)
			if now.Prompt() == 1 || point == "move/committed" && now.Prompt() != made.Prompt() {
				t.Errorf("after the same press once more the question is %d, it was %d", now.Prompt(), made.Prompt())
			}
			w.checkPracticeEnd(ann, w.playPractice(rand.New(rand.NewPCG(1, 2)), ann, again))
		})
	}
}

// TestPracticeKnowsARepeatedInteraction: Discord delivers an interaction twice, the second time to a program that was started meanwhile.
func TestPracticeKnowsARepeatedInteraction(t *testing.T) {
	w := newWorld(t)
	ann := w.users[0]
	deliver := func(i *sandbox.Interaction, err error) string {
		t.Helper()
		w.result(i, err)
		return i.ID
	}
	begun := deliver(w.discord.Command(w.ctx(), ann, w.channel, "paladin", "practice"))
	t1 := w.mustPractise(ann)
	board := w.reply(w.command(ann, "help"))
	moved := deliver(w.discord.ForgePress(w.ctx(), ann, w.channel, board.ID, sandbox.TypeButton, press.For(press.First, t1.ID(), 1, "1").String()))
	want, _, err := w.store.Get(w.ctx(), "practice/"+ann)
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.start(nil)
	for _, id := range []string{begun, moved} {
		if err := w.discord.Redeliver(id); err != nil {
			t.Fatal(err)
		}
		w.command(w.users[1], "help") // what came before it has been heard
		if got, _, err := w.store.Get(w.ctx(), "practice/"+ann); err != nil || string(got) != string(want) {
			t.Errorf("interaction %s counted twice, error %v", id, err)
		}
	}
	messages, err := w.discord.Messages(ann, w.channel)
	if err != nil {
		t.Fatal(err)
	}
	told := func(m sandbox.Message) bool { return strings.Contains(text(m), english.Say(render.TextRepeated)) }
	if !slices.ContainsFunc(messages, told) {
		t.Error("whoever is answered twice is not told that it counts once")
	}
}

// TestPracticeIsPutAway: a round that nobody goes on with is kept for an hour and dropped soon after.
func TestPracticeIsPutAway(t *testing.T) {
	w := newWorld(t)
	ann := w.users[0]
	panel := w.startPractice(ann)
	w.pass(55 * time.Minute)
	if _, ok := w.practice(ann); !ok {
		t.Fatal("dropped within the hour")
	}
	w.pass(70 * time.Minute)
	if _, ok := w.practice(ann); ok {
		t.Error("kept for two hours and more")
	}
	gone := w.reply(w.pressKind(ann, panel, press.PickFirst))
	if !strings.Contains(text(gone), english.Say("practice.gone")) || gone.ID != panel.ID {
		t.Errorf("a press on it: %s", text(gone))
	}
	w.pressKind(ann, gone, press.Practice)
	if _, ok := w.practice(ann); !ok {
		t.Error("the way on leads nowhere")
	}
}

// TestPracticeDoesNotStandInTheWay: who practises is in no game, can open one in the same channel, and is forgotten when they want to be.
func TestPracticeDoesNotStandInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paladin.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withStore(db))
	ann := w.users[0]
	none := text(w.reply(w.command(ann, "games")))
	panel := w.startPractice(ann)
	w.practiceStep(rand.New(rand.NewPCG(2, 2)), ann, panel)
	if got := text(w.reply(w.command(ann, "games"))); got != none {
		t.Errorf("a practice game is listed:\n%s", got)
	}
	page := w.reply(w.command(ann, "me"))
	var exported store.Exported
	if err := json.Unmarshal(w.download(w.reply(w.label(ann, page, "Export"))), &exported); err != nil {
		t.Fatal(err)
	}
	at := w.mustPractise(ann)
	note := string(exported.Notes["practice/"+ann])
	if len(exported.Tables) != 0 || !strings.Contains(note, "touched") || strings.Contains(note, at.Options().Squires.String()) {
		t.Errorf("what is exported of a practice game: tables %v, note %s", exported.Tables, note)
	}
	ask := w.reply(w.label(ann, page, "Delete my data"))
	if said := text(w.reply(w.label(ann, ask, "Delete for good"))); !strings.Contains(said, "Done.") {
		t.Errorf("who practises cannot be forgotten: %s", said)
	}
	if _, ok := w.practice(ann); ok {
		t.Error("practice outlives its person")
	}
	w.startPractice(ann)
	w.openGame(1, 2)
	if w.table().Options().Practice {
		t.Error("the game in the channel is practice")
	}
	w.stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := store.Check(path, bot.Inspection())
	if err != nil || len(report.Faults) > 0 || report.Tables != 1 {
		t.Errorf("%d tables, faults %v, error %v", report.Tables, report.Faults, err)
	}
}
