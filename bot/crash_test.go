package bot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// TestMain lets the test binary be the bot that crashes.
func TestMain(m *testing.M) {
	if os.Getenv("PALADIN_CRASH_DATABASE") != "" {
		if err := crashingBot(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// crashPoints are the named points of one move's path at which the process is killed: before and after the commit, before and after the
// answer, before and after the outbox settles what Discord was told, and inside the store's own write.
func crashPoints() []string {
	points := []string{"move/decided", "move/committed", "move/answering", "move/answered", "outbox/sent", "outbox/settled"}
	for _, p := range store.Failpoints() {
		if kind, _, _ := strings.Cut(p, "/"); kind == "commit" || kind == "settle" {
			points = append(points, "store:"+p)
		}
	}
	return points
}

// crashingBot is the bot as a process of its own. It kills itself (SIGKILL: nothing is flushed, nothing is deferred) when it passes the
// point PALADIN_CRASH_POINT for the PALADIN_CRASH_COUNT-th time.
func crashingBot() error {
	point := os.Getenv("PALADIN_CRASH_POINT")
	left, _ := strconv.Atoi(os.Getenv("PALADIN_CRASH_COUNT"))
	passes := make(chan string)
	go func() {
		for p := range passes {
			if p != point || p == "" {
				continue
			}
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}
	}()
	pass := func(p string) { passes <- p; passes <- "" } // the second send returns when the first was looked at
	db, err := store.Open(os.Getenv("PALADIN_CRASH_DATABASE"), store.Options{Failpoint: func(p string) { pass("store:" + p) }})
	if err != nil {
		return err
	}
	client, err := discord.New(discord.Config{
		Token: os.Getenv("PALADIN_CRASH_TOKEN"), APIURL: os.Getenv("PALADIN_CRASH_URL"), UserAgent: "DiscordBot (https://example.org, 1)",
	})
	if err != nil {
		return err
	}
	app, err := bot.New(bot.Config{Store: db, Discord: client, Pace: table.SquireAtOnce, Failpoint: pass})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // the end of standard input is the order to stop
		cancel()
	}()
	service := &bot.Service{App: app, Client: client, Ready: func(string) { fmt.Println("ready") }}
	if err := service.Run(ctx); err != nil {
		return err
	}
	return db.Close()
}

// crashWorld is a sandbox in this process and a bot that dies again and again.
type crashWorld struct {
	t        *testing.T
	rng      *rand.Rand
	discord  *sandbox.Server
	url      string
	database string
	channel  string
	users    []string
	people   int
	points   []string
	crashes  map[string]int
	most     int  // crashes after which the game is played to its end in peace
	calm     bool // nothing kills the bot that runs now

	cmd   *exec.Cmd
	stdin interface{ Close() error }
	dead  chan struct{}
	point string
	floor uint64 // every question up to here was answered, and the person was told so
}

// boot starts the bot; it will kill itself at a random point unless calm, or when it has died often enough.
func (w *crashWorld) boot(calm bool) {
	w.t.Helper()
	for {
		w.point, w.calm = "", calm || w.total() >= w.most
		if !w.calm {
			w.point = w.points[w.rng.IntN(len(w.points))]
		}
		w.cmd = exec.Command(os.Args[0])
		w.cmd.Env = append(os.Environ(), "PALADIN_CRASH_DATABASE="+w.database, "PALADIN_CRASH_TOKEN="+w.discord.Token(),
			"PALADIN_CRASH_URL="+w.url+"/api", "PALADIN_CRASH_POINT="+w.point, fmt.Sprint("PALADIN_CRASH_COUNT=", 1+w.rng.IntN(5)))
		w.cmd.Stderr = os.Stderr
		stdin, err := w.cmd.StdinPipe()
		if err != nil {
			w.t.Fatal(err)
		}
		stdout, err := w.cmd.StdoutPipe()
		if err != nil {
			w.t.Fatal(err)
		}
		if err := w.cmd.Start(); err != nil {
			w.t.Fatal(err)
		}
		w.stdin = stdin
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		dead, cmd := make(chan struct{}), w.cmd
		w.dead = dead
		go func() {
			_ = cmd.Wait()
			close(dead)
		}()
		if line == "ready\n" {
			return
		}
		<-w.dead // it died while it started
		w.fell()
	}
}

// total is how often the bot has died.
func (w *crashWorld) total() int {
	n := 0
	for _, k := range w.crashes {
		n += k
	}
	return n
}

func (w *crashWorld) fell() {
	w.t.Helper()
	status, ok := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		w.t.Fatalf("the bot ended by itself: %v", w.cmd.ProcessState)
	}
	w.crashes[w.point]++
}

// see waits for the answer to an interaction; false when the bot died instead, which is then started again.
func (w *crashWorld) see(i *sandbox.Interaction, err error) (sandbox.Message, bool) {
	w.t.Helper()
	if errors.Is(err, sandbox.ErrNoComponent) {
		return sandbox.Message{}, false // the message has changed since we looked at it
	}
	if err != nil {
		return sandbox.Message{}, w.again(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	dead := w.dead // of this process, not of the next
	go func() {
		select {
		case <-dead:
			cancel()
		case <-stop:
		}
	}()
	res, err := i.Wait(ctx)
	switch {
	case err != nil:
		return sandbox.Message{}, w.again(err)
	case res.Outcome == sandbox.Failed:
		return sandbox.Message{}, w.again(errors.New(res.Text))
	case len(res.Followups) > 0:
		return res.Followups[len(res.Followups)-1], true
	case res.Message == nil:
		w.t.Fatalf("no message: %+v", res)
	}
	return *res.Message, true
}

// again starts the bot after it died. It is always false: what was pressed has no answer.
func (w *crashWorld) again(reason error) bool {
	w.t.Helper()
	select {
	case <-w.dead:
		w.fell()
		w.boot(false)
	case <-time.After(20 * time.Second):
		w.t.Fatalf("the bot lives and did not answer: %v", reason)
	}
	return false
}

func (w *crashWorld) ctx() context.Context { return context.Background() }

// board finds the board as a person does: the newest public message with a seat to press.
func (w *crashWorld) boards() []sandbox.Message {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	var boards []sandbox.Message
	for _, m := range messages {
		if m.Flags&sandbox.FlagEphemeral == 0 && (has(m, press.Seat) || has(m, press.Again)) {
			boards = append(boards, m)
		}
	}
	return boards
}

func has(m sandbox.Message, kind press.Kind) bool {
	return slices.ContainsFunc(controls(m), func(c sandbox.Component) bool {
		id, err := press.Parse(c.CustomID)
		return err == nil && id.Kind == kind
	})
}

// press presses the first control of that kind; if it is not there, nothing happens.
func (w *crashWorld) press(user string, m sandbox.Message, kind press.Kind) (sandbox.Message, bool) {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == kind {
			return w.see(w.discord.Press(w.ctx(), user, m.ChannelID, m.ID, c.CustomID))
		}
	}
	return sandbox.Message{}, false
}

// lobby opens a table, seats everybody and starts, whatever dies on the way.
func (w *crashWorld) lobby() {
	w.t.Helper()
	for len(w.boards()) == 0 {
		w.see(w.discord.Command(w.ctx(), w.users[0], w.channel, "paladin", "new"))
		if len(w.boards()) == 0 {
			// It was killed after the commit, perhaps: then there is a table, and a second one is refused with a link.
			w.see(w.discord.Command(w.ctx(), w.users[0], w.channel, "paladin", "seat"))
		}
	}
	for {
		boards := w.boards()
		board := boards[len(boards)-1]
		if !has(board, press.Start) && !has(board, press.Join) {
			return
		}
		for _, user := range w.users[1:w.people] {
			w.press(user, board, press.Join)
		}
		if w.people < 3 {
			w.press(w.users[0], board, press.Squire)
		}
		w.press(w.users[0], board, press.Start)
	}
}

// turn finds whose move it is by asking for everybody's seat, and makes random presses until the question is answered. It is false when
// the game is over.
func (w *crashWorld) turn() bool {
	w.t.Helper()
	boards := w.boards()
	if len(boards) == 0 {
		w.t.Fatalf("no board stands in the channel; crashes %v", w.crashes)
	}
	board := boards[len(boards)-1]
	if has(board, press.Again) {
		return false
	}
	for _, user := range w.users[:w.people] {
		panel, ok := w.press(user, board, press.Seat)
		if !ok || !hasMove(panel) {
			continue
		}
		w.move(user, panel)
		return true
	}
	return true
}

func (w *crashWorld) move(user string, panel sandbox.Message) {
	w.t.Helper()
	prompt := promptOf(panel)
	if prompt < w.floor {
		w.t.Fatalf("question %d is open again; the person was told that it is answered up to %d", prompt, w.floor)
	}
	for range 60 {
		choices := slices.DeleteFunc(controls(panel), func(c sandbox.Component) bool {
			id, err := press.Parse(c.CustomID)
			return err != nil || id.Prompt == 0 || id.Kind == press.Refresh
		})
		if len(choices) == 0 {
			return
		}
		c := choices[w.rng.IntN(len(choices))]
		id, _ := press.Parse(c.CustomID)
		var i *sandbox.Interaction
		var err error
		if len(c.Options) > 0 {
			i, err = w.discord.Select(w.ctx(), user, panel.ChannelID, panel.ID, c.CustomID, c.Options[w.rng.IntN(len(c.Options))].Value)
		} else {
			i, err = w.discord.Press(w.ctx(), user, panel.ChannelID, panel.ID, c.CustomID)
		}
		if err == nil && !w.calm && w.point == "" && w.rng.IntN(8) == 0 {
			_ = w.cmd.Process.Kill() // at a moment that has no name
		}
		next, ok := w.see(i, err)
		if !ok {
			return
		}
		switch id.Kind {
		case press.Place, press.Peek, press.First, press.Act:
			w.floor = id.Prompt + 1
			return
		}
		panel = next
	}
}

func promptOf(m sandbox.Message) uint64 {
	var prompt uint64
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil {
			prompt = max(prompt, id.Prompt)
		}
	}
	return prompt
}

// TestCrash plays whole games while the bot's process is killed at every named point of a move's path and at random moments. Nothing that
// a person was told is lost, nothing happens twice, no second board stays, and the record of the game replays.
func TestCrash(t *testing.T) {
	games, most := 2, 24 // each crash costs half a second
	if testing.Short() {
		games, most = 1, 12
	}
	if n, err := strconv.Atoi(os.Getenv("PALADIN_CRASHES")); err == nil {
		most = n
	}
	for seed := range games {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { crashGame(t, uint64(seed), most) })
	}
}

func crashGame(t *testing.T, seed uint64, most int) {
	local, err := sandbox.Open(sandbox.Config{Limits: sandbox.NoLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	server := httptest.NewServer(local.Handler())
	defer server.Close()
	w := &crashWorld{
		t: t, rng: rand.New(rand.NewPCG(seed, 7)), discord: local, url: server.URL, database: filepath.Join(t.TempDir(), "paladin.db"),
		people: 2 + int(seed%2), points: append(crashPoints(), "", ""), crashes: map[string]int{}, most: most,
	}
	for _, u := range local.Users() {
		w.users = append(w.users, u.ID)
	}
	channels, err := local.Channels(w.users[0])
	if err != nil {
		t.Fatal(err)
	}
	w.channel = channels[0].ID
	w.boot(false)
	w.lobby()
	for w.turn() {
	}
	// One last calm run says what is still to be said and ends by itself.
	_ = w.cmd.Process.Kill()
	<-w.dead
	w.boot(true)
	w.see(w.discord.Command(w.ctx(), w.users[0], w.channel, "paladin", "seat"))
	w.retire()
	w.stdin.Close()
	<-w.dead
	if !w.cmd.ProcessState.Success() {
		t.Fatalf("the last bot ended with %v", w.cmd.ProcessState)
	}
	w.check()
}

// retire presses what stands besides the newest board: the program died after it was posted and before it was registered. It points to
// the live one from then on.
func (w *crashWorld) retire() {
	w.t.Helper()
	boards := w.boards()
	slices.SortFunc(boards, func(a, b sandbox.Message) int { return compareIDs(a.ID, b.ID) })
	for _, orphan := range boards[:max(len(boards)-1, 0)] {
		kind := press.Seat
		if !has(orphan, kind) {
			kind = press.Again
		}
		w.press(w.users[0], orphan, kind)
	}
}

// check looks at what is left on disk and in the channel.
func (w *crashWorld) check() {
	w.t.Helper()
	if n := len(w.boards()); n != 1 {
		w.t.Errorf("%d boards stand in the channel, want 1", n)
	}
	report, err := store.Check(w.database, bot.Inspection())
	if err != nil || len(report.Faults) > 0 {
		w.t.Fatalf("the database: %v %v", err, report.Faults)
	}
	db, err := store.Open(w.database, store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	id, ok, err := db.Get(w.ctx(), "last/"+w.channel)
	if err != nil || !ok {
		w.t.Fatalf("the last table: %v", err)
	}
	row, err := db.Table(w.ctx(), string(id))
	if err != nil {
		w.t.Fatal(err)
	}
	at, err := table.Decode(row.Snapshot)
	if err != nil {
		w.t.Fatal(err)
	}
	entries, err := db.History(w.ctx(), string(id), 1, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	lines := make([]table.Line, len(entries))
	for i, e := range entries {
		if err := json.Unmarshal(e.Data, &lines[i]); err != nil {
			w.t.Fatal(err)
		}
	}
	record, ok := at.Record(lines)
	if !ok || at.Stage() != table.Finished {
		w.t.Fatalf("no finished game: stage %s", at.Stage())
	}
	if _, err := paladin.Replay(record.Encode()); err != nil {
		w.t.Errorf("the record is refused: %v", err)
	}
	total := w.total()
	if total < 5 {
		w.t.Errorf("only %d crashes: %v", total, w.crashes)
	}
	w.t.Logf("%d crashes in %d moves: %s", total, at.Prompt()-1, strings.Join(crashList(w.crashes), " "))
}

func crashList(crashes map[string]int) []string {
	var out []string
	for point, n := range crashes {
		if point == "" {
			point = "any"
		}
		out = append(out, fmt.Sprintf("%s:%d", point, n))
	}
	slices.Sort(out)
	return out
}
