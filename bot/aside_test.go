package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// restore stores another snapshot of a table; all else stays.
func (w *world) restore(id string, change func([]byte) []byte) store.Row {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.store.Commit(w.ctx(), store.Change{
		Table: id, Expect: row.Version, Snapshot: change(bytes.Clone(row.Snapshot)), Live: row.Live, Channel: row.Channel, Guild: row.Guild,
		Users: row.Users, At: row.Touched, Deadlines: row.Deadlines,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	row, err = w.store.Table(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

// Ways in which a stored table cannot be read.
func torn(b []byte) []byte  { return b[:len(b)/2] }
func newer(b []byte) []byte { return bytes.Replace(b, []byte(`{"v":1,`), []byte(`{"v":2,`), 1) }

// undigested takes its digest off a stored table, as who changes it would.
func undigested(b []byte) []byte {
	for _, key := range []string{`"seed":"`, `"squire_seed":"`} {
		at := bytes.Index(b, []byte(key)) + len(key)
		copy(b[at:], bytes.ToLower(b[at:at+64]))
	}
	return b
}

// otherSeed changes the seed of a table and its digest with it.
func otherSeed(b []byte) []byte {
	const key, digits = `"seed":"`, "0123456789abcdef"
	b = undigested(b)
	at := bytes.Index(b, []byte(key)) + len(key)
	b[at] = digits[(strings.IndexByte(digits, b[at])+1)%len(digits)]
	return b
}

// everySub are the commands that ask about the table of a channel.
var everySub = []string{"board", "seat", "leave", "stop", "pause", "resume", "record", "replay", "verify"}

// logOf collects what the operator reads.
type logOf struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logOf) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logOf) count(what ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range strings.Split(l.b.String(), "\n") {
		all := true
		for _, part := range what {
			all = all && strings.Contains(line, part)
		}
		if all {
			n++
		}
	}
	return n
}

// into has a bot log here.
func (l *logOf) into(c *bot.Config) { c.Log = slog.New(slog.NewTextHandler(l, nil)) }

// gameElsewhere opens a game in another channel of the server and returns its channel.
func (w *world) gameElsewhere() string {
	w.t.Helper()
	was := w.channel
	w.elsewhere()
	channel := w.channel
	w.openGame(3, 0)
	w.channel = was
	return channel
}

// passUntil waits until something is so. Time goes by where somebody waits for the next second:
// what is looked through in the background waits for the clock too, but not in a [world.flush].
func (w *world) passUntil(is func() bool) {
	w.t.Helper()
	for ctx := w.ctx(); !is(); runtime.Gosched() {
		if ctx.Err() != nil {
			w.t.Fatal("it does not come to that")
		}
		if at, any := w.clock.next(); any && at.Sub(w.clock.Now()) <= time.Second {
			w.pass(time.Second)
		}
	}
}

// in does something in another channel.
func (w *world) in(channel string, f func()) {
	was := w.channel
	w.channel = channel
	defer func() { w.channel = was }()
	f()
}

// goesOn makes a move and fails if it does not count.
func (w *world) goesOn() {
	w.t.Helper()
	before := w.table().Prompt()
	w.playOn(rand.New(rand.NewPCG(1, before)))
	if w.table().Prompt() == before {
		w.t.Error("a table that is sound does not go on")
	}
}

// walk tries every command and every button as player, moderator and stranger, and looks for the
// sentence.
func (w *world) walk(t *testing.T, id string, m sandbox.Message, says render.Text) {
	t.Helper()
	want := english.Say(says)
	for _, user := range []string{w.users[1], w.users[4]} {
		for _, sub := range everySub {
			mustSay(t, "/paladin "+sub, text(w.reply(w.command(user, sub))), want)
		}
		for _, kind := range []press.Kind{
			press.Join, press.Leave, press.Start, press.Cancel, press.Manage, press.Seat, press.Refresh, press.Place, press.Log, press.Record,
			press.Verify, press.Replay, press.Again, press.Stop, press.Quit, press.Pause, press.Offer, press.Order,
		} {
			mustSay(t, string(kind), text(w.reply(w.forge(user, w.channel, m.ID, press.New(kind, id).String()))), want)
		}
	}
}

// TestUnreadableTable: a table whose snapshot cannot be read says so to everybody, in every phase,
// holds up nothing else, and is set aside by a new game or by who manages the channel.
func TestUnreadableTable(t *testing.T) {
	for _, phase := range []string{"lobby", "playing"} {
		for _, way := range []string{"new", "stop"} {
			t.Run(phase+" "+way, func(t *testing.T) {
				var log logOf
				w := newWorld(t, withBot(log.into))
				other := w.gameElsewhere()
				if phase == "lobby" {
					w.openLobby(3, 0)
				} else {
					w.openGame(3, 0)
				}
				w.flush()
				board, id := w.board(), w.table().ID()
				damaged := w.restore(id, torn)
				w.walk(t, id, board, render.TextUnreadable)
				if n := log.count("damaged", id); n != 1 {
					t.Errorf("the log names the table %d times, want once", n)
				}
				mustSay(t, "the list of games", text(w.reply(w.command(w.users[1], "games"))), "<#"+other+">", "1 of your games cannot be read")
				mustSay(t, "the doctor", text(w.reply(w.command(w.users[1], "doctor"))), english.Say(render.TextUnreadable))
				w.in(other, w.goesOn)

				if way == "stop" {
					mustSay(t, "a moderator's stop", text(w.reply(w.command(w.users[0], "stop"))), english.Say(render.TextSetAside))
				} else {
					w.command(w.users[4], "new")
					if w.table().ID() == id || w.table().Stage() != table.Lobby {
						t.Fatal("no new lobby stands in the channel")
					}
				}
				row, err := w.store.Table(w.ctx(), id)
				if err != nil || row.Live || !bytes.Equal(row.Snapshot, damaged.Snapshot) || len(row.Deadlines) != 0 {
					t.Errorf("what was set aside: live %t, %d deadlines, %v; its snapshot is as it was: %t", row.Live, len(row.Deadlines), err,
						bytes.Equal(row.Snapshot, damaged.Snapshot))
				}
				if log.count("set aside", "table="+id, "by="+map[string]string{"new": w.users[4], "stop": w.users[0]}[way]) != 1 {
					t.Error("the log does not say who set the table aside")
				}
				pending, err := w.store.Pending(w.ctx())
				for _, in := range pending {
					if in.Table == id {
						t.Errorf("%s is still to be said of it (%v)", in.Key, err)
					}
				}
				old := text(w.reply(w.forge(w.users[1], w.channel, board.ID, press.New(press.Seat, id).String())))
				mustSay(t, "its old button", old, english.Say(render.TextAside))
				w.flush()
				covered, err := w.discord.Message(w.users[1], board.ChannelID, board.ID)
				if err != nil || len(controls(covered)) > 0 {
					t.Errorf("its old board has buttons: %v", err)
				}
				mustSay(t, "its old board", text(covered), english.Say(render.TextAside))
				if way == "stop" {
					w.walk(t, id, board, render.TextAside)
					w.command(w.users[4], "new")
				}
				w.stop()
				w.start(log.into)
				w.label(w.users[1], w.board(), "Join")
				w.label(w.users[2], w.board(), "Join")
				w.label(w.users[4], w.board(), "Start")
				w.goesOn()
				w.in(other, w.goesOn)
			})
		}
	}
}

// TestUnreadableAfterTheEnd: the last game of a channel is damaged; it says so, and the channel
// goes on.
func TestUnreadableAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.label(w.users[0], w.reply(w.command(w.users[0], "stop")), "Stop the game")
	w.flush()
	board, id := w.board(), w.table().ID()
	w.restore(id, torn)
	w.walk(t, id, board, render.TextAside)
	w.openGame(3, 0)
	w.goesOn()
}

// TestNewerTable: what a newer program stored is not damaged. Nobody's new game sets it aside; who
// manages the channel is asked.
func TestNewerTable(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.flush()
	board, id := w.board(), w.table().ID()
	w.restore(id, newer)
	w.walk(t, id, board, render.TextNewer)
	mustSay(t, "a new game", text(w.reply(w.command(w.users[4], "new"))), english.Say(render.TextNewer))
	me := w.reply(w.label(w.users[1], w.reply(w.command(w.users[1], "me")), "Delete"))
	mustSay(t, "who wants to be forgotten", text(me), "1 of your games cannot be read")
	row := w.restore(id, func(b []byte) []byte { return b })
	if !row.Live || len(row.Deadlines) == 0 {
		t.Fatalf("it was given up: live %t, %d deadlines", row.Live, len(row.Deadlines))
	}
	asked := w.reply(w.command(w.users[0], "stop"))
	forged := w.reply(w.forge(w.users[4], w.channel, board.ID, press.New(press.Stop, id, render.StopAside).String()))
	mustSay(t, "a stranger's press", text(forged), english.Say(render.TextNewer))
	mustSay(t, "a moderator's stop", text(w.reply(w.label(w.users[0], asked, "Stop the game"))), english.Say(render.TextSetAside))
	w.openGame(3, 0)
	w.goesOn()
}

// TestUnreadableClock: deadlines of a damaged table are tried once, and those of others go on to
// the second.
func TestUnreadableClock(t *testing.T) {
	var log logOf
	w := newWorld(t, withBot(log.into))
	other := w.gameElsewhere()
	w.openGame(3, 0)
	w.flush()
	id := w.table().ID()
	w.restore(id, torn)
	w.clock.advance(24*time.Hour + time.Minute)
	w.flush()
	for range 20 {
		w.pass(5 * time.Second)
	}
	if n := log.count(id); n != 1 {
		t.Errorf("the log names the table %d times, want once", n)
	}
	w.in(other, func() {
		before := w.table().Prompt()
		w.pass(25 * time.Hour)
		if w.table().Prompt() == before {
			t.Error("the clock of another table stands still")
		}
	})
}

// TestUnreadableIsToBeSaid: what was still to be said of a damaged table holds up nobody's lane,
// and stays stored until it is set aside.
func TestUnreadableIsToBeSaid(t *testing.T) {
	w := newWorld(t)
	other := w.gameElsewhere()
	w.openGame(3, 0)
	w.flush()
	id := w.table().ID()
	w.restore(id, torn)
	w.stop()
	payload, _ := json.Marshal(map[string]any{"v": 1, "what": "panel", "seat": 0})
	for _, user := range w.users[:3] {
		if _, err := w.store.Enqueue(w.ctx(), id, []store.Intent{{Key: "dm/" + user, Channel: "user/" + user, Payload: payload}}); err != nil {
			t.Fatal(err)
		}
	}
	w.start(nil)
	w.in(other, func() {
		told := 0
		for range 4 {
			mover, _ := w.table().AwaitedPerson()
			before := map[string]string{}
			for _, user := range w.users[:3] {
				m, _ := w.dm(user)
				before[user] = m.ID
			}
			w.goesOn()
			w.flush()
			next, _ := w.table().AwaitedPerson()
			m, _ := w.dm(string(next.ID))
			if next.ID != mover.ID && m.ID != before[string(next.ID)] {
				told++
			}
		}
		if told == 0 {
			t.Error("whoever is to move elsewhere is not told")
		}
	})
	left := 0
	pending, _ := w.store.Pending(w.ctx())
	for _, in := range pending {
		if in.Table == id {
			left++
		}
	}
	if left != 3 {
		t.Errorf("%d intents are left of the damaged table, want 3", left)
	}
}

// TestForgetAtUnreadableTable: who has a part in a damaged table is forgotten, before and after it
// was set aside.
func TestForgetAtUnreadableTable(t *testing.T) {
	for _, aside := range []bool{false, true} {
		t.Run(fmt.Sprint("aside ", aside), func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			w.goesOn()
			w.flush()
			id := w.table().ID()
			w.restore(id, torn)
			if aside {
				w.command(w.users[0], "stop")
			}
			user := w.users[1]
			asked := w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete"))
			mustSay(t, "whoever wants it", text(w.reply(w.pressArg(user, asked, render.MeForget))), "**Done.**")
			row, err := w.store.Table(w.ctx(), id)
			if err != nil || row.Live || store.Mentions(row.Snapshot, user) {
				t.Errorf("the table is live: %t, names them: %t (%v)", row.Live, store.Mentions(row.Snapshot, user), err)
			}
			entries, err := w.store.History(w.ctx(), id, 1, 0)
			others := 0
			for _, e := range entries {
				if store.Mentions(e.Data, user) {
					t.Errorf("entry %d names them", e.Seq)
				}
				if store.Mentions(e.Data, w.users[0]) || store.Mentions(e.Data, w.users[2]) {
					others++
				}
			}
			if err != nil || others == 0 {
				t.Errorf("what others did is gone too (%v)", err)
			}
			w.openGame(3, 0)
			w.goesOn()
		})
	}
}

// pressArg presses the button whose custom id has this argument.
func (w *world) pressArg(user string, m sandbox.Message, arg string) sandbox.Result {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Arg(0) == arg {
			return w.press(user, m, c.CustomID)
		}
	}
	w.t.Fatalf("no button with %q in:\n%s", arg, text(m))
	return sandbox.Result{}
}

// TestDamagedTable: a table that reads well and does not follow from its history is found before
// its next step, or without one after a start. It is not played on and not closed, and set aside
// like one that cannot be read.
func TestDamagedTable(t *testing.T) {
	for _, found := range []string{"step", "start"} {
		t.Run(found, func(t *testing.T) {
			var log logOf
			w := newWorld(t, withBot(log.into))
			other := w.gameElsewhere()
			w.openGame(3, 0)
			w.flush()
			board, id := w.board(), w.table().ID()
			w.stop()
			w.restore(id, otherSeed)
			w.start(log.into)
			if found == "start" {
				w.passUntil(func() bool { return log.count("damaged", id) > 0 })
			} else {
				w.forge(w.users[1], w.channel, board.ID, press.New(press.Quit, id).String())
			}
			w.walk(t, id, board, render.TextUnreadable)
			if n := log.count("damaged", id); n != 1 {
				t.Errorf("the log names the table %d times, want once", n)
			}
			row, err := w.store.Table(w.ctx(), id)
			if err != nil || !row.Live {
				t.Fatalf("it was closed (%v)", err)
			}
			w.in(other, w.goesOn)
			w.command(w.users[4], "new")
			old := text(w.reply(w.forge(w.users[1], w.channel, board.ID, press.New(press.Seat, id).String())))
			mustSay(t, "its old button", old, english.Say(render.TextAside))
		})
	}
}

// TestNothingIsConcludedFromAFailure: a history that cannot be had says nothing about its table.
func TestNothingIsConcludedFromAFailure(t *testing.T) {
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(memory))
	w.openGame(3, 0)
	w.goesOn()
	w.stop()
	w.store = historyFails{memory}
	w.start(nil)
	w.goesOn()
}

// historyFails is a store that has no history at the moment.
type historyFails struct{ store.Store }

func (historyFails) History(ctx context.Context, id string, _, _ int) ([]store.Entry, error) {
	return nil, fmt.Errorf("read %s: input/output error", id)
}

// lostIndex is a store whose index of channels does not lead to one table.
type lostIndex struct {
	store.Store
	channel atomic.Value
}

func (s *lostIndex) TableByChannel(ctx context.Context, channel string) (string, bool, error) {
	if channel == s.channel.Load() {
		return "", false, nil
	}
	return s.Store.TableByChannel(ctx, channel)
}

// TestATableThatIsNotFound: the operator hears at the start of a live table to which its index does
// not lead, and of no other.
func TestATableThatIsNotFound(t *testing.T) {
	var log logOf
	s := &lostIndex{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(s))
	other := w.gameElsewhere()
	w.openGame(3, 0)
	w.flush()
	id := w.table().ID()
	w.stop()
	s.channel.Store(w.channel)
	w.start(log.into)
	w.passUntil(func() bool { return log.count("indexes", id) > 0 })
	w.in(other, w.goesOn)
	if n := log.count("indexes"); n != 1 {
		t.Errorf("the log speaks %d times of indexes, want once", n)
	}
}

// TestUnreadableHistory: a game whose snapshot reads well goes on without its history, which says
// what is the matter.
func TestUnreadableHistory(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.flush()
	w.stop()
	row, err := w.store.Table(w.ctx(), w.table().ID())
	if err == nil {
		_, err = w.store.Commit(w.ctx(), store.Change{
			Table: row.ID, Expect: row.Version, Snapshot: row.Snapshot, Live: row.Live, Channel: row.Channel, Guild: row.Guild, Users: row.Users,
			At: row.Touched, Deadlines: row.Deadlines, Entries: [][]byte{[]byte(`{"kind":"mo`)},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.start(nil)
	w.goesOn()
	w.flush()
	board := w.board()
	log := w.reply(w.forge(w.users[0], w.channel, board.ID, press.New(press.Log, row.ID).String()))
	mustSay(t, "the log", text(log), english.Say(render.TextHistoryUnreadable))
}

// damagedUser is a store that holds a damaged record of one person.
type damagedUser struct {
	store.Store
	id atomic.Value
}

func (s *damagedUser) User(ctx context.Context, id string) (store.User, error) {
	if id == s.id.Load() {
		return store.User{}, fmt.Errorf("read user %q: %w", id, store.ErrCorrupt)
	}
	return s.Store.User(ctx, id)
}

// TestDoctorWithDamagedUser: what is stored of one player is damaged, and the doctor reports on the
// table and the others all the same.
func TestDoctorWithDamagedUser(t *testing.T) {
	s := &damagedUser{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(s))
	w.openGame(3, 0)
	w.flush()
	s.id.Store(w.users[1])
	mustSay(t, "the doctor", text(w.reply(w.command(w.users[0], "doctor"))), "**Clock**", "**Direct messages**")
}

// TestUnreadableNotes: no note of the bot about itself ends it when it is damaged. The games go on,
// and the note is written anew.
func TestUnreadableNotes(t *testing.T) {
	for _, key := range []string{"identifies", "commands"} {
		t.Run(key, func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			w.flush()
			w.stop()
			kept, ok, err := w.store.Get(w.ctx(), key)
			if err == nil && ok {
				err = w.store.Put(w.ctx(), key, kept[:len(kept)/2])
			}
			if err != nil || !ok {
				t.Fatalf("the note is there: %t, %v", ok, err)
			}
			w.start(nil)
			w.goesOn()
			w.stop()
			if now, _, err := w.store.Get(w.ctx(), key); err != nil || !json.Valid(now) {
				t.Errorf("the note is %q (%v)", now, err)
			}
		})
	}
}

// TestUnreadableSettings: what a server chose and what somebody practised cannot be read; tables
// are opened and practice is dealt anew.
func TestUnreadableSettings(t *testing.T) {
	w := newWorld(t)
	game := w.reply(w.command(w.users[1], render.SubPractice))
	for _, key := range []string{"guild/" + w.guild, "practice/" + w.users[1]} {
		if err := w.store.Put(w.ctx(), key, []byte(`{"v`)); err != nil {
			t.Fatal(err)
		}
	}
	w.openGame(3, 0)
	if err := w.store.Put(w.ctx(), "looked/"+w.table().ID(), []byte(`{"v`)); err != nil {
		t.Fatal(err)
	}
	w.goesOn()
	var old sandbox.Message
	for _, c := range controls(game) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Prompt > 0 {
			old = w.reply(w.forge(w.users[1], game.ChannelID, game.ID, c.CustomID))
			break
		}
	}
	mustSay(t, "the old practice game", text(old), english.Say("practice.gone"))
	mustSay(t, "the export", text(w.reply(w.label(w.users[1], w.reply(w.command(w.users[1], "me")), "Export"))), "")
	if fresh := w.reply(w.command(w.users[1], render.SubPractice)); !hasMove(fresh) {
		t.Errorf("no practice game is dealt:\n%s", text(fresh))
	}
	mustSay(t, "the settings", text(w.reply(w.command(w.users[0], "settings"))), "")
}

// TestSoundTables: a game that is started anew again and again, with squires, people who leave and
// come back and one who is stood in for, is never called damaged.
func TestSoundTables(t *testing.T) {
	var log logOf
	w := newWorld(t, withBot(log.into))
	w.openLobby(3, 1)
	for n := range 12 {
		w.stop()
		w.start(log.into)
		switch n {
		case 0:
			w.label(w.users[0], w.board(), "Start")
		case 3:
			w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Quit, w.table().ID()).String())
		case 6:
			w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Back, w.table().ID()).String())
		}
		w.goesOn()
	}
	if n := log.count("damaged") + log.count("bug"); n > 0 {
		t.Errorf("the log speaks of damage %d times", n)
	}
}
