package bot_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store/storetest"
)

// contract holds every request of the worlds it watches against the rules.
type contract struct {
	t     *testing.T
	check func(sandbox.Request) []string

	mu       sync.Mutex
	seen     map[string]int
	statuses map[string]int
	faults   int
}

// watch takes in everything that the bot of w has asked for, when the test ends.
func (c *contract) watch(t *testing.T, w *world) {
	c.t.Helper()
	t.Cleanup(func() {
		for _, r := range w.discord.Requests() {
			c.request(r)
		}
	})
}

func (c *contract) request(r sandbox.Request) {
	problems := c.check(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[requestKind(r)]++
	for _, p := range problems {
		if c.faults++; c.faults <= 20 {
			c.t.Errorf("%s\n%s", p, r.Body)
		}
	}
	if r.Status >= 400 {
		c.statuses[fmt.Sprintf("%s: %d %d", requestKind(r), r.Status, r.Code)]++
		if r.Code == 50035 || r.Status == 400 && r.Code == 0 || r.Status == 404 && r.Code == 0 {
			c.t.Errorf("%s %s is refused: %s\n%s", r.Method, r.Route, r.Response, r.Body)
		}
	}
}

// wantedRequests are what must have been seen for the test to mean anything.
var wantedRequests = []string{
	"GET /gateway/bot", "GET /applications/{app}/commands", "PUT /applications/{app}/commands",
	"POST /interactions/{id}/{token}/callback 4", "POST /interactions/{id}/{token}/callback 5", "POST /interactions/{id}/{token}/callback 6",
	"POST /interactions/{id}/{token}/callback 7", "POST /interactions/{id}/{token}/callback 8",
	"POST /webhooks/{app}/{token}", "PATCH /webhooks/{app}/{token}/messages/{message}",
	"POST /channels/{channel}/messages", "PATCH /channels/{channel}/messages/{message}", "PATCH /channels/{channel}", "POST /users/@me/channels",
	"DELETE /channels/{channel}/messages/{message}",
}

// TestContract plays whole games, types every command, presses every kind of button and meets every failure that has a way on of its
// own. Every request that the bot makes on the way keeps the rules of Discord's documentation, and is valid under Discord's own
// published description where a copy of it is at hand.
func TestContract(t *testing.T) {
	rules := &contract{t: t, seen: map[string]int{}, statuses: map[string]int{}, check: lintRequest}
	if d, err := loadDescription(); err == nil && !testing.Short() {
		rules.check = func(r sandbox.Request) []string {
			problems := lintRequest(r)
			if err := d.check(r); err != nil {
				problems = append(problems, err.Error())
			}
			return problems
		}
	}
	t.Run("scenarios", func(t *testing.T) {
		for name, scenario := range contractScenarios() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				scenario(t, rules)
			})
		}
	})
	for _, want := range wantedRequests {
		if rules.seen[want] == 0 {
			t.Errorf("never asked: %s; the test shows nothing of it", want)
		}
	}
	for kind := range rules.seen {
		if !slices.Contains(wantedRequests, kind) {
			t.Errorf("asked and not expected: %s", kind)
		}
	}
	t.Logf("requests: %v; refusals: %v", rules.seen, rules.statuses)
}

// TestContractDescription says whether TestContract could ask the description.
func TestContractDescription(t *testing.T) { needDescription(t) }

func contractScenarios() map[string]func(*testing.T, *contract) {
	scenarios := map[string]func(*testing.T, *contract){
		"commands":          contractCommands,
		"presses":           contractPresses,
		"lobby":             contractLobby,
		"queue":             contractQueue,
		"late answers":      contractLate,
		"closed DMs":        contractClosedDMs,
		"board deleted":     contractBoardDeleted,
		"old board":         contractOldBoard,
		"archived thread":   contractThread,
		"channel deleted":   contractChannelDeleted,
		"invited to server": contractInvited,
		"odd names":         contractOddNames,
	}
	for _, n := range []struct{ people, squires int }{{3, 0}, {2, 2}, {2, 3}} {
		scenarios[fmt.Sprintf("game of %d", n.people+n.squires)] = func(t *testing.T, c *contract) { contractGame(t, c, n.people, n.squires) }
	}
	return scenarios
}

func (c *contract) world(t *testing.T, options ...worldOption) *world {
	w := newWorld(t, options...)
	c.watch(t, w)
	return w
}

// contractGame plays a game by presses and typed commands in turn, to the record and the next lobby.
func contractGame(t *testing.T, c *contract, people, squires int) {
	w := c.world(t)
	rng := rand.New(rand.NewPCG(uint64(people), uint64(squires)))
	w.openGame(people, squires)
	for w.table().Stage() == table.Playing {
		if rng.IntN(3) == 0 {
			w.playOn(rng)
		} else {
			w.typeMove(rng)
		}
		w.clock.advance(time.Minute)
	}
	checkRecord(t, w)
	w.label(w.users[0], w.board(), "Log")
	w.label(w.users[0], w.board(), "Record")
	w.label(w.users[0], w.board(), "Verify")
	shown := w.reply(w.label(w.users[1], w.reply(w.label(w.users[1], w.board(), "Replay")), "Show everybody"))
	w.label(w.users[1], shown, "Forward")
	old := w.board()
	w.label(w.users[1], old, "Play again")
	w.label(w.users[0], w.board(), "Join")
	w.forge(w.users[0], old.ChannelID, old.ID, press.New(press.Again, tableOf(t, old)).String())
}

// tableOf is the table whose controls a message has.
func tableOf(t *testing.T, m sandbox.Message) string {
	t.Helper()
	for _, ctl := range controls(m) {
		if id, err := press.Parse(ctl.CustomID); err == nil && id.Table != "" {
			return id.Table
		}
	}
	t.Fatalf("no table's controls in:\n%s", text(m))
	return ""
}

// typeMove makes a random legal move of the awaited person by a command, asking for suggestions first.
func (w *world) typeMove(rng *rand.Rand) {
	w.t.Helper()
	t := w.table()
	person, ok := t.AwaitedPerson()
	if !ok {
		w.t.Fatalf("nobody is awaited at stage %s", t.Stage())
	}
	mine, _ := t.Private(person.ID)
	legal := mine.View.Legal()
	sub, options := typed(legal[rng.IntN(len(legal))])
	for i := range options {
		asked := slices.Clone(options[:i+1])
		asked[i].Value = ""
		choices, err := w.discord.Autocomplete(w.ctx(), string(person.ID), w.channel, "paladin", sub, options[i].Name, asked...)
		if err != nil {
			w.t.Fatal(err)
		}
		if !slices.ContainsFunc(choices, func(c sandbox.Choice) bool { return c.Value == options[i].Value }) {
			w.t.Fatalf("%s %v is legal and not among the suggestions %v", sub, options, choices)
		}
	}
	w.command(string(person.ID), sub, options...)
	if after := w.table(); after.Prompt() == t.Prompt() {
		w.t.Fatalf("the typed move %s %v did nothing", sub, options)
	}
}

// typed is the command that makes a move.
func typed(m paladin.Move) (string, []sandbox.Option) {
	option := func(name, value string) sandbox.Option { return sandbox.Option{Name: name, Value: value} }
	switch m.Kind {
	case paladin.Start:
		return "first", []sandbox.Option{option("seat", fmt.Sprint(m.Target.Number()))}
	case paladin.Place:
		return "place", []sandbox.Option{option("card", m.Card.String()), option("quest", fmt.Sprint(m.Quest))}
	case paladin.Peek:
		return "peek", []sandbox.Option{option("card", fmt.Sprintf("%d.%d", m.Quest, m.Place))}
	case paladin.Beat:
		return "resolve", []sandbox.Option{option("choice", "beat")}
	case paladin.Take:
		return "resolve", []sandbox.Option{option("choice", "take")}
	default:
		return "resolve", []sandbox.Option{option("choice", "discard")}
	}
}

var everyCommand = []string{"board", "seat", "first", "place", "peek", "resolve", "leave", "stop", "help", "rules", "record", "replay", "verify", "standings", "me"}

// everyCommandNow types every command as everybody: seated, not seated, awaited or not.
func (w *world) everyCommandNow(users ...string) {
	w.t.Helper()
	for _, user := range users {
		for _, sub := range everyCommand {
			var options []sandbox.Option
			switch sub {
			case "first":
				options = []sandbox.Option{{Name: "seat", Value: "nobody"}}
			case "place":
				options = []sandbox.Option{{Name: "card", Value: "<@&1> @everyone"}, {Name: "quest", Value: "99"}}
			case "peek":
				options = []sandbox.Option{{Name: "card", Value: "9.9"}}
			case "resolve":
				options = []sandbox.Option{{Name: "choice", Value: strings.Repeat("x", 2000)}}
			case "rules":
				options = []sandbox.Option{{Name: "page", Value: 2}}
			}
			w.command(user, sub, options...)
		}
	}
}

func contractCommands(t *testing.T, c *contract) {
	w := c.world(t)
	w.everyCommandNow(w.users[0])
	w.openLobby(3, 0)
	w.everyCommandNow(w.users[4])
	w.command(w.users[1], "new")
	w.label(w.users[0], w.board(), "Start")
	w.clock.advance(10 * time.Minute)
	w.everyCommandNow(w.users[1], w.users[4])
	person, _ := w.table().AwaitedPerson()
	w.everyCommandNow(string(person.ID))
	for _, user := range w.users[1:3] {
		m := w.reply(w.command(user, "stop"))
		w.pressKind(user, m, press.Stop)
	}
	if stage := w.table().Stage(); stage != table.Closed {
		t.Fatalf("the game is %s after most voted to stop", stage)
	}
	w.everyCommandNow(w.users[0], w.users[4])
}

// contractPresses presses a button of every kind there is: where it is offered, where it is stale, and as somebody to whom it was
// never shown.
func contractPresses(t *testing.T, c *contract) {
	w := c.world(t)
	w.openGame(2, 1)
	id := w.table().ID()
	board := w.board()
	panel := w.reply(w.label(w.users[0], board, "My seat"))
	kinds := []press.Kind{
		press.Join, press.Leave, press.Squire, press.Start, press.Cancel, press.Manage, press.Seat, press.Log, press.Rules, press.Again,
		press.Record, press.Invite, press.Remove, press.Strength, press.Pace, press.Pick, press.Place, press.PickPeek, press.Peek,
		press.PickFirst, press.First, press.PickAct, press.Act, press.Refresh, press.Back,
	}
	arguments := [][]string{nil, {"1"}, {"7r", "2"}, {"-", "-"}, {"2.1"}, {"beat"}, {"force"}, {"normal"}}
	for _, kind := range kinds {
		for n, args := range arguments {
			user := w.users[[]int{0, 1, 4}[n%3]]
			w.forge(user, board.ChannelID, board.ID, press.For(kind, id, uint64(n%2)*w.table().Prompt(), args...).String())
			w.forge(w.users[0], panel.ChannelID, panel.ID, press.For(kind, id, w.table().Prompt(), args...).String())
		}
	}
	for _, odd := range []string{"", "x", "p1/seat", "p9/seat/a/0", "p1/seat/unknown/0", strings.Repeat("é", 100), "p1/place/" + id + "/1/7r/99"} {
		if odd != "" {
			w.forge(w.users[4], board.ChannelID, board.ID, odd)
		}
	}
	if dm, ok := w.dm(w.users[1]); ok {
		w.pressKind(w.users[1], dm, press.Refresh)
	} else {
		t.Error("no DM at the deal")
	}
	m := w.reply(w.command(w.users[1], "leave"))
	w.pressKind(w.users[1], m, press.Quit)
	w.pressKind(w.users[1], w.reply(w.label(w.users[1], w.board(), "My seat")), press.Back)
}

func contractLobby(t *testing.T, c *contract) {
	w := c.world(t)
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: 3}, sandbox.Option{Name: "pace", Value: "daily"}, sandbox.Option{Name: "squire_pace", Value: "human"})
	panel := func() sandbox.Message { return w.reply(w.label(w.users[0], w.board(), "Manage")) }
	invite := func(users ...string) {
		m := panel()
		for _, ctl := range controls(m) {
			if id, err := press.Parse(ctl.CustomID); err == nil && id.Kind == press.Invite {
				w.result(w.discord.Select(w.ctx(), w.users[0], m.ChannelID, m.ID, ctl.CustomID, users...))
			}
		}
	}
	invite(w.users[1], w.users[2])
	invite(w.users[1])
	invite(w.discord.Bot().ID)
	for _, user := range w.users[1:3] {
		if n := len(w.discord.Pings(user)); n != 1 {
			t.Errorf("somebody invited once was pinged %d times", n)
		}
	}
	w.label(w.users[1], w.board(), "Join")
	w.label(w.users[0], w.board(), "Add a squire")
	for _, kind := range []press.Kind{press.Strength, press.Pace, press.Remove} {
		w.pressKind(w.users[0], panel(), kind)
	}
	w.label(w.users[3], w.board(), "My seat")
	w.label(w.users[3], w.board(), "Rules")
	w.label(w.users[0], w.board(), "Leave")
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: 5})
	w.pass(25 * time.Hour)
	w.untilRest()
}

func contractQueue(t *testing.T, c *contract) {
	w := c.world(t)
	w.openLobby(3, 0)
	w.label(w.users[3], w.board(), "Queue for a seat")
	w.label(w.users[3], w.board(), "My seat")
	w.label(w.users[1], w.board(), "Leave")
	if n := len(w.discord.Pings(w.users[3])); n != 1 {
		t.Errorf("who came from the queue into a seat was pinged %d times", n)
	}
}

// contractLate answers later than Discord waits for an answer without an acknowledgement.
func contractLate(t *testing.T, c *contract) {
	tap := &tapStore{Store: storetest.NewMemory()}
	w := c.world(t, withStore(tap))
	late := func(begin func() (*sandbox.Interaction, error)) sandbox.Message {
		t.Helper()
		gate := make(chan struct{})
		tap.setSlow(func(string) <-chan struct{} { return gate })
		i, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		w.clock.awaitTimer(1500 * time.Millisecond)
		w.clock.advance(1600 * time.Millisecond)
		if res, err := i.First(w.ctx()); err != nil || res.Callback != callbackDeferReply && res.Callback != callbackDeferUpdate {
			t.Fatalf("no acknowledgement in time: %+v %v", res, err)
		}
		tap.setSlow(nil)
		close(gate)
		return w.reply(w.result(i, nil))
	}
	late(func() (*sandbox.Interaction, error) {
		return w.discord.Command(w.ctx(), w.users[0], w.channel, "paladin", "new", sandbox.Option{Name: "seats", Value: 3})
	})
	pressing := func(user string, m sandbox.Message, kind press.Kind) func() (*sandbox.Interaction, error) {
		return func() (*sandbox.Interaction, error) {
			for _, ctl := range controls(m) {
				if id, err := press.Parse(ctl.CustomID); err == nil && id.Kind == kind {
					return w.discord.Press(w.ctx(), user, m.ChannelID, m.ID, ctl.CustomID)
				}
			}
			return nil, fmt.Errorf("no %s in %s", kind, text(m))
		}
	}
	late(pressing(w.users[1], w.board(), press.Join))
	late(pressing(w.users[0], w.board(), press.Squire))
	late(pressing(w.users[0], w.board(), press.Manage))
	late(pressing(w.users[0], w.board(), press.Start))
	person, ok := w.table().AwaitedPerson()
	if !ok {
		w.clock.advance(time.Minute)
		person, _ = w.table().AwaitedPerson()
	}
	user := string(person.ID)
	panel := late(pressing(user, w.board(), press.Seat))
	if panel.View == nil || !panel.View.Ephemeral {
		t.Fatal("a late panel is not private")
	}
	late(pressing(user, panel, press.Refresh))
	dm, ok := w.dm(user)
	if !ok {
		t.Fatal("no DM")
	}
	late(pressing(user, dm, press.Refresh))
	// A private note cannot take the place of the panel that was pressed: it comes beside it.
	join := press.New(press.Join, w.table().ID()).String()
	late(func() (*sandbox.Interaction, error) {
		return w.discord.ForgePress(w.ctx(), user, panel.ChannelID, panel.ID, sandbox.TypeButton, join)
	})
}

// awaitTimer waits until somebody waits for the clock for this long.
func (c *testClock) awaitTimer(d time.Duration) {
	for {
		c.mu.Lock()
		found := false
		for t := range c.timers {
			found = found || t.at.Equal(c.now.Add(d))
		}
		c.mu.Unlock()
		if found {
			return
		}
		runtime.Gosched()
	}
}

// untilRest lets the deadlines that are due happen and everything be said.
func (w *world) untilRest() {
	w.t.Helper()
	for {
		due, err := w.store.Due(w.ctx(), w.clock.Now(), 1)
		if err != nil {
			w.t.Fatal(err)
		}
		w.flush()
		if len(due) == 0 {
			return
		}
		runtime.Gosched()
	}
}

func contractClosedDMs(t *testing.T, c *contract) {
	w := c.world(t)
	for _, user := range w.users[:2] {
		if err := w.discord.CloseDMs(user, true); err != nil {
			t.Fatal(err)
		}
	}
	w.openGame(2, 1)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 12 {
		w.typeMove(rng)
		w.clock.advance(time.Minute)
	}
	for _, user := range w.users[:2] {
		if len(w.discord.Pings(user)) == 0 {
			t.Error("somebody without DMs is never told that it is their move")
		}
	}
}

func contractBoardDeleted(t *testing.T, c *contract) {
	w := c.world(t)
	w.openGame(2, 1)
	rng := rand.New(rand.NewPCG(4, 4))
	before := w.board()
	if err := w.discord.DeleteMessage(before.ChannelID, before.ID); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(time.Minute)
	w.typeMove(rng)
	if after := w.board(); after.ID == before.ID {
		t.Error("the deleted board is not posted anew")
	}
	w.command(w.users[0], "board")
	w.clock.advance(2 * time.Minute)
	old := w.board()
	w.command(w.users[0], "board")
	if now := w.board(); now.ID == old.ID {
		t.Error("the board is not posted anew when asked for")
	}
	if m, err := w.discord.Message(w.users[0], old.ChannelID, old.ID); err != nil || has(m, press.Seat) {
		t.Errorf("the old board still offers a seat: %v", err)
	}
	// Somebody presses the old board of which their client has kept the buttons.
	w.forge(w.users[1], old.ChannelID, old.ID, press.New(press.Seat, w.table().ID()).String())
}

func contractOldBoard(t *testing.T, c *contract) {
	limits := sandbox.NoLimits()
	limits.OldEdit = sandbox.Limit{N: 1, Per: time.Hour}
	w := c.world(t, withLimits(limits))
	w.openGame(2, 1)
	rng := rand.New(rand.NewPCG(5, 5))
	before := w.board()
	w.clock.advance(2 * time.Hour)
	for range 4 {
		w.typeMove(rng)
		w.clock.advance(time.Minute)
	}
	if after := w.board(); after.ID == before.ID {
		t.Error("the board that cannot be edited any more is not posted anew")
	}
	// The old one could not be told; it points to the new one at its first press, and shows the seat beside.
	w.forge(w.users[0], before.ChannelID, before.ID, press.New(press.Seat, w.table().ID()).String())
	if m, err := w.discord.Message(w.users[0], before.ChannelID, before.ID); err != nil || has(m, press.Seat) {
		t.Errorf("the pressed old board still offers a seat: %v", err)
	}
}

func contractThread(t *testing.T, c *contract) {
	w := c.world(t)
	thread, err := w.discord.AddThread(w.channel, "a game beside")
	if err != nil {
		t.Fatal(err)
	}
	w.channel = thread.ID
	w.openGame(2, 1)
	dms := map[string]sandbox.Message{}
	for _, user := range w.users[:2] {
		dms[user], _ = w.dm(user)
	}
	if err := w.discord.ArchiveThread(thread.ID, true); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(time.Hour)
	person, _ := w.table().AwaitedPerson()
	rng := rand.New(rand.NewPCG(6, 6))
	panel := w.reply(w.pressKind(string(person.ID), dms[string(person.ID)], press.Refresh))
	for prompt := w.table().Prompt(); w.table().Prompt() == prompt; {
		panel = w.random(rng, string(person.ID), panel)
	}
	if got, want := text(w.board()), "round 1"; !strings.Contains(got, want) {
		t.Errorf("the board in the archived thread lacks %q:\n%s", want, got)
	}
}

func contractChannelDeleted(t *testing.T, c *contract) {
	w := c.world(t)
	w.openGame(2, 1)
	id := w.table().ID()
	channels := w.channels(w.users[0])
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	w.channel = channels[1].ID
	w.command(w.users[0], "help") // what came before it has been heard
	for _, user := range w.users[:2] {
		if m, ok := w.dm(user); !ok || !strings.Contains(text(m), "has ended") {
			t.Errorf("nobody told a player that table %s is gone: %s", id, text(m))
		}
	}
	w.openGame(2, 1)
}

func contractInvited(t *testing.T, c *contract) {
	w := c.world(t)
	guild, err := w.discord.AddGuild("Castle", w.users[0], w.users[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := w.discord.InviteBot(guild.ID); err != nil {
		t.Fatal(err)
	}
	w.command(w.users[0], "help")
	for _, ch := range w.channels(w.users[0]) {
		if ch.GuildID != guild.ID {
			continue
		}
		messages, err := w.discord.Messages(w.users[0], ch.ID)
		if err != nil || len(messages) != 1 {
			t.Fatalf("%d greetings: %v", len(messages), err)
		}
		w.press(w.users[0], messages[0], controls(messages[0])[0].CustomID)
	}
}

// oddNames are names as people have them.
var oddNames = []string{
	"@everyone", "<@&1>", "**_x_**||`", "\u202eevil\u202c", "🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A", "عبد الله", "[a](https://evil)", "# big\n> x",
	strings.Repeat("𝕎", 16), "ㅤ", "<t:0:R>", "<@1>", "`" + strings.Repeat("\\", 31), "-# small",
}

func contractOddNames(t *testing.T, c *contract) {
	w := c.world(t)
	w.users = nil
	for _, name := range oddNames[:5] {
		u, err := w.discord.AddUser(name, w.guild)
		if err != nil {
			t.Fatal(err)
		}
		w.users = append(w.users, u.ID)
	}
	w.openGame(5, 0)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 30 {
		w.typeMove(rng)
	}
	for _, user := range w.users {
		w.label(user, w.board(), "My seat")
		w.label(user, w.board(), "Log")
	}
}
