package bot_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// testClock is a clock that goes on when it is told to.
type testClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*testTimer]bool
	set    *sync.Cond // a timer was set, or what else waits may have changed
}

type testTimer struct {
	sleeps bool // somebody waits for it within a call
	clock  *testClock
	at     time.Time
	c      chan time.Time
	f      func()
}

func newTestClock() *testClock {
	c := &testClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), timers: map[*testTimer]bool{}}
	c.set = sync.NewCond(&c.mu)
	return c
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) add(d time.Duration, f func()) *testTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &testTimer{clock: c, at: c.now.Add(d), c: make(chan time.Time, 1), f: f}
	c.timers[t] = true
	c.set.Broadcast()
	return t
}

func (c *testClock) Timer(d time.Duration) bot.Timer { return c.add(d, nil) }

func (c *testClock) AfterFunc(d time.Duration, f func()) func() bool {
	t := c.add(d, f)
	return func() bool { return t.end() }
}

func (t *testTimer) C() <-chan time.Time { return t.c }
func (t *testTimer) Stop()               { t.end() }

func (t *testTimer) end() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	live := t.clock.timers[t]
	delete(t.clock.timers, t)
	t.clock.set.Broadcast()
	return live
}

// Sleep waits for the clock, as the edge's limits do.
func (c *testClock) Sleep(ctx context.Context, d time.Duration) error {
	t := c.add(d, nil)
	defer t.end()
	c.mu.Lock()
	t.sleeps = true
	c.set.Broadcast()
	c.mu.Unlock()
	select {
	case <-t.c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// advance moves the clock and fires what is due, in order.
func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*testTimer
	for t := range c.timers {
		if !t.at.After(c.now) {
			due = append(due, t)
			delete(c.timers, t)
		}
	}
	now := c.now
	c.mu.Unlock()
	slices.SortFunc(due, func(a, b *testTimer) int { return a.at.Compare(b.at) })
	for _, t := range due {
		if t.f != nil {
			t.f()
		} else {
			t.c <- now
		}
	}
}

// next is when the first timer fires.
func (c *testClock) next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first time.Time
	for t := range c.timers {
		if first.IsZero() || t.at.Before(first) {
			first = t.at
		}
	}
	return first, !first.IsZero()
}

// turn puts the clock elsewhere without anything firing, as an administrator does.
func (c *testClock) turn(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = to
}

// world is the whole bot against the sandbox, in one process.
type world struct {
	t       testing.TB
	clock   *testClock
	discord *sandbox.Server
	url     string
	store   store.Store
	app     *bot.App
	guild   string
	channel string
	users   []string // ids of Ann, Ben, Cleo, Dan, Eve
	deals   io.Reader
	stop    func()
	emojis  bool // whether the application keeps emojis
	// commandsIn is the server in which a bot registers its commands from its next start on; empty for
	// all.
	commandsIn string
}

// english reads what the people of these tests read.
var english = render.NewPrinter("en")

// wholeGame leaves out of a short run a test that plays whole games only to look at their end: others play them there.
func wholeGame(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("whole games are played for it; a short run has others")
	}
}

// dealtFor is where a test's deals come from: a test that fails for a deal in a thousand is to fail always or never. What such a deal
// brings to light, the simulation looks for.
func dealtFor(test string) io.Reader {
	return &lockedReader{r: rand.NewChaCha8(sha256.Sum256([]byte(test)))}
}

// lockedReader is a reader for many goroutines.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

// manyPresses are more than anybody needs who presses at random until they have moved: they choose a card and a quest, change their mind
// three times out of four, and go on.
const manyPresses = 2000

type worldOption func(*worldConfig)

type worldConfig struct {
	limits sandbox.Limits
	store  store.Store
	bot    func(*bot.Config)
	clock  *testClock
	emojis bool
	place  string // the file of the sandbox; empty: none
	token  string // of the bot; empty: one at random
}

func withStore(s store.Store) worldOption { return func(c *worldConfig) { c.store = s } }

func withPlace(path string) worldOption { return func(c *worldConfig) { c.place = path } }

func withLimits(l sandbox.Limits) worldOption { return func(c *worldConfig) { c.limits = l } }

func withBot(f func(*bot.Config)) worldOption { return func(c *worldConfig) { c.bot = f } }

// newWorld starts a sandbox and a bot that is connected to it. Squires answer at once.
func newWorld(t testing.TB, options ...worldOption) *world {
	t.Helper()
	cfg := worldConfig{limits: sandbox.NoLimits(), clock: newTestClock()}
	for _, o := range options {
		o(&cfg)
	}
	if cfg.store == nil {
		cfg.store = storetest.NewMemory()
	}
	w := &world{t: t, clock: cfg.clock, store: cfg.store, emojis: cfg.emojis, deals: dealtFor(t.Name())}
	var err error
	w.discord, err = sandbox.Open(sandbox.Config{
		Path: cfg.place, Token: cfg.token, Now: w.clock.Now, AfterFunc: w.clock.AfterFunc, Limits: cfg.limits, Log: testLog(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w.discord.Handler())
	w.url = server.URL
	for _, u := range w.discord.Users() {
		w.users = append(w.users, u.ID)
	}
	guilds := w.discord.Guilds("")
	w.guild = guilds[0].ID
	w.channel = w.channels(w.users[0])[0].ID
	w.start(cfg.bot)
	t.Cleanup(func() {
		w.stop()
		_ = w.discord.Close()
		server.Close()
	})
	return w
}

func testLog(t testing.TB) *slog.Logger {
	if os.Getenv("PALADIN_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// start starts a bot; after stop it can be called again, as after a restart.
func (w *world) start(configure func(*bot.Config)) {
	w.t.Helper()
	ready := make(chan struct{})
	w.stop = w.run(configure, func(string) { close(ready) })
	select {
	case <-ready:
	case <-time.After(20 * time.Second):
		w.t.Fatal("the bot does not get ready")
	}
}

// run starts a bot and does not wait for it.
func (w *world) run(configure func(*bot.Config), ready func(string)) (stop func()) {
	w.t.Helper()
	log := testLog(w.t)
	load, save := bot.IdentifyBudget(w.store)
	client, err := discord.New(discord.Config{
		Token: w.discord.Token(), APIURL: w.url + "/api", Log: log, Now: w.clock.Now, Sleep: w.clock.Sleep, UserAgent: "DiscordBot (https://example.org, 1)",
		Jitter: func() float64 { return 0 }, LoadIdentifies: load, SaveIdentifies: save, GuildID: w.commandsIn,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := bot.Config{Store: w.store, Discord: client, Clock: w.clock, Log: log, Pace: table.SquireAtOnce, Random: w.deals}
	if w.emojis {
		cfg.Emojis = client
	}
	if configure != nil {
		configure(&cfg)
	}
	w.app, err = bot.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	service := &bot.Service{App: w.app, Client: client, Ready: ready}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("the bot ended: %v", err)
		}
	})
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) channels(user string) []sandbox.Channel {
	w.t.Helper()
	channels, err := w.discord.Channels(user)
	if err != nil {
		w.t.Fatal(err)
	}
	return channels
}

// flush waits until everything is done and said.
func (w *world) flush() {
	w.t.Helper()
	if err := w.app.Flush(w.ctx()); err != nil {
		w.t.Fatalf("the bot does not come to rest: %v", err)
	}
}

// pass lets time go by as it does: timer by timer, with everything done and said in between.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	end := w.clock.Now().Add(d)
	for {
		w.flush()
		at, any := w.clock.next()
		if !any || at.After(end) {
			break
		}
		w.clock.advance(max(0, at.Sub(w.clock.Now())))
	}
	w.clock.advance(end.Sub(w.clock.Now()))
	w.flush()
}

// result waits for what the person sees of an interaction.
func (w *world) result(i *sandbox.Interaction, err error) sandbox.Result {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := i.Wait(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle()
	if res = i.Result(); res.Outcome == sandbox.Failed {
		w.t.Fatalf("an interaction failed: %s", res.Text)
	}
	return res
}

func (w *world) command(user, sub string, options ...sandbox.Option) sandbox.Result {
	w.t.Helper()
	return w.result(w.discord.Command(w.ctx(), user, w.channel, "paladin", sub, options...))
}

// press presses a button that is offered.
func (w *world) press(user string, m sandbox.Message, customID string) sandbox.Result {
	w.t.Helper()
	return w.result(w.discord.Press(w.ctx(), user, m.ChannelID, m.ID, customID))
}

// forge presses what is not offered.
func (w *world) forge(user, channel, message, customID string) sandbox.Result {
	w.t.Helper()
	return w.result(w.discord.ForgePress(w.ctx(), user, channel, message, 2, customID))
}

// label presses the button with this label.
func (w *world) label(user string, m sandbox.Message, label string) sandbox.Result {
	w.t.Helper()
	for _, c := range controls(m) {
		if strings.Contains(c.Label, label) {
			return w.press(user, m, c.CustomID)
		}
	}
	w.t.Fatalf("no button %q in:\n%s", label, text(m))
	return sandbox.Result{}
}

// table returns the table of the channel as it is stored.
func (w *world) table() *table.Table {
	w.t.Helper()
	id, ok, err := w.store.TableByChannel(w.ctx(), w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		last, _, err := w.store.Get(w.ctx(), "last/"+w.channel)
		if err != nil || last == nil {
			w.t.Fatalf("no table: %v", err)
		}
		id = string(last)
	}
	row, err := w.store.Table(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	t, err := table.Decode(row.Snapshot)
	if err != nil {
		w.t.Fatal(err)
	}
	return &t
}

// board returns the newest public message that is a board or lobby.
func (w *world) board() sandbox.Message {
	w.t.Helper()
	surface, ok, err := w.store.Surface(w.ctx(), w.table().ID(), "board")
	if err != nil || !ok {
		w.t.Fatalf("no board: %v", err)
	}
	m, err := w.discord.Message(w.users[0], surface.Channel, surface.Message)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// sharedServer is another server in which people are with the bot: they can still be written to
// when they, or the bot, have left this one. It returns its id.
func (w *world) sharedServer(users ...string) string {
	w.t.Helper()
	other, err := w.discord.AddGuild("Elsewhere", users...)
	if err == nil {
		err = w.discord.InviteBot(other.ID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return other.ID
}

// dm returns the newest direct message of the bot to the user.
func (w *world) dm(user string) (sandbox.Message, bool) {
	w.t.Helper()
	for _, c := range w.channels(user) {
		if c.Type != sandbox.ChannelDM {
			continue
		}
		messages, err := w.discord.Messages(user, c.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(messages) > 0 {
			return slices.MaxFunc(messages, func(a, b sandbox.Message) int { return compareIDs(a.ID, b.ID) }), true
		}
	}
	return sandbox.Message{}, false
}

func compareIDs(a, b string) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// controls are the components of a message that can be pressed or chosen from.
func controls(m sandbox.Message) []sandbox.Component {
	var out []sandbox.Component
	var walk func([]sandbox.Component)
	walk = func(list []sandbox.Component) {
		for _, c := range list {
			if c.CustomID != "" && !c.Disabled {
				out = append(out, c)
			}
			walk(c.Components)
			if c.Accessory != nil {
				walk([]sandbox.Component{*c.Accessory})
			}
		}
	}
	walk(m.Components)
	return out
}

// text is what a message says, for failures and for what must be in it.
func text(m sandbox.Message) string {
	var b strings.Builder
	var walk func([]sandbox.Component)
	walk = func(list []sandbox.Component) {
		for _, c := range list {
			switch {
			case c.Content != "":
				fmt.Fprintln(&b, c.Content)
			case c.Label != "":
				fmt.Fprintf(&b, "[%s] ", c.Label)
			case c.Placeholder != "":
				fmt.Fprintf(&b, "[%s ▾] ", c.Placeholder)
			}
			walk(c.Components)
			if c.Accessory != nil {
				walk([]sandbox.Component{*c.Accessory})
			}
		}
	}
	walk(m.Components)
	return b.String()
}

// reply returns the message that a result shows privately.
func (w *world) reply(res sandbox.Result) sandbox.Message {
	w.t.Helper()
	if len(res.Followups) > 0 {
		return res.Followups[len(res.Followups)-1]
	}
	if res.Message == nil {
		w.t.Fatalf("no message came: %+v", res)
	}
	return *res.Message
}

// openGame opens a table, seats people and squires, and starts.
func (w *world) openGame(people, squires int) {
	w.t.Helper()
	w.openLobby(people, squires)
	w.label(w.users[0], w.board(), "Start")
}

// openLobby opens a table and seats people and squires.
func (w *world) openLobby(people, squires int) {
	w.t.Helper()
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: max(people+squires, table.MinSeats)})
	for _, user := range w.users[1:people] {
		w.label(user, w.board(), "Join")
	}
	for range squires {
		w.label(w.users[0], w.board(), "Add a squire")
	}
}

// playOn lets the awaited person press random offered controls until their question is answered. Half of the people use the DM, half
// My seat.
func (w *world) playOn(rng *rand.Rand) {
	w.t.Helper()
	t := w.table()
	person, ok := t.AwaitedPerson()
	if !ok {
		w.t.Fatalf("nobody is awaited at stage %s", t.Stage())
	}
	user, prompt := string(person.ID), t.Prompt()
	panel, ok := w.dm(user)
	if asked := ok && !has(panel, press.Refresh); !ok || asked || rng.IntN(2) == 0 { // asked: about an offer to stand in
		panel = w.reply(w.label(user, w.board(), "My seat"))
	} else if !hasMove(panel) {
		panel = w.reply(w.pressKind(user, panel, press.Refresh))
	}
	for range manyPresses {
		panel = w.random(rng, user, panel)
		if t = w.table(); t.Stage() != table.Playing || t.Prompt() != prompt {
			return
		}
	}
	w.t.Fatalf("no move after many presses; the panel:\n%s", text(panel))
}

func hasMove(m sandbox.Message) bool {
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind != press.Refresh && id.Prompt > 0 {
			return true
		}
	}
	return false
}

func (w *world) pressKind(user string, m sandbox.Message, kind press.Kind) sandbox.Result {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == kind {
			return w.press(user, m, c.CustomID)
		}
	}
	w.t.Fatalf("no %s in:\n%s", kind, text(m))
	return sandbox.Result{}
}

// random presses one of the controls that are offered; confirmations are twice as likely.
func (w *world) random(rng *rand.Rand, user string, m sandbox.Message) sandbox.Message {
	w.t.Helper()
	var choices []sandbox.Component
	for _, c := range controls(m) {
		id, err := press.Parse(c.CustomID)
		if err != nil {
			w.t.Fatalf("a custom id that is none of ours: %q", c.CustomID)
		}
		switch id.Kind {
		case press.Pick, press.PickPeek, press.PickFirst, press.PickAct:
			choices = append(choices, c)
		case press.Place, press.Peek, press.First, press.Act:
			choices = append(choices, c, c, c)
		}
	}
	if len(choices) == 0 {
		w.t.Fatalf("%s is awaited and has nothing to press:\n%s", user, text(m))
	}
	c := choices[rng.IntN(len(choices))]
	if len(c.Options) > 0 {
		value := c.Options[rng.IntN(len(c.Options))].Value
		return w.reply(w.result(w.discord.Select(w.ctx(), user, m.ChannelID, m.ID, c.CustomID, value)))
	}
	return w.reply(w.press(user, m, c.CustomID))
}
