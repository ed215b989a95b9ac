package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
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

// buggy is a Discord that does what no Discord does: it panics, or tells of messages what cannot be
// stored.
type buggy struct {
	bot.Discord
	// panics, if set, says whether a call with this message panics. channel is empty where the call
	// names none.
	panics func(call, channel string, m discord.Message) bool
	// ref, if set, changes what is told of a new message.
	ref func(channel string, ref *discord.MessageRef)
	// dm, if set, changes what channel somebody's direct messages are said to have.
	dm func(channel string) string
}

func (b *buggy) check(call, channel string, m discord.Message) {
	if b.panics != nil && b.panics(call, channel, m) {
		panic("a bug over one message")
	}
}

func (b *buggy) CreateMessage(ctx context.Context, channel string, m discord.Message) (discord.MessageRef, error) {
	b.check("create", channel, m)
	ref, err := b.Discord.CreateMessage(ctx, channel, m)
	if b.ref != nil && err == nil {
		b.ref(channel, &ref)
	}
	return ref, err
}

func (b *buggy) ReplaceMessage(ctx context.Context, channel, id string, m discord.Message) (discord.MessageRef, error) {
	b.check("replace", channel, m)
	return b.Discord.ReplaceMessage(ctx, channel, id, m)
}

func (b *buggy) EditOriginal(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	b.check("original", "", m)
	return b.Discord.EditOriginal(ctx, i, m)
}

func (b *buggy) Respond(ctx context.Context, i *discord.Interaction, r discord.Response) (discord.MessageRef, error) {
	b.check("respond", "", r.Message)
	return b.Discord.Respond(ctx, i, r)
}

func (b *buggy) OpenDM(ctx context.Context, user string) (string, error) {
	channel, err := b.Discord.OpenDM(ctx, user)
	if b.dm != nil && err == nil {
		channel = b.dm(channel)
	}
	return channel, err
}

// about reports whether a message speaks of a table: its buttons name it.
func about(m discord.Message, id string) bool {
	data, err := json.Marshal(m.Components)
	return err == nil && bytes.Contains(data, []byte(id))
}

// withBugs lets the bot speak to b, and log to l.
func withBugs(b *buggy, l *logOf) worldOption {
	return withBot(func(c *bot.Config) {
		b.Discord, c.Discord = c.Discord, b
		l.into(c)
	})
}

// elsewhere goes on in another channel of the server.
func (w *world) elsewhere() {
	w.t.Helper()
	c, err := w.discord.AddChannel(w.guild, "elsewhere")
	if err != nil {
		w.t.Fatal(err)
	}
	w.channel = c.ID
}

// told reports whether somebody has a direct message about a table.
func (w *world) told(user, id string) bool {
	w.t.Helper()
	for _, c := range w.channels(user) {
		if c.Type != sandbox.ChannelDM {
			continue
		}
		messages, err := w.discord.Messages(user, c.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range messages {
			for _, control := range controls(m) {
				if strings.Contains(control.CustomID, id) {
					return true
				}
			}
		}
	}
	return false
}

// boardIsTrue fails where the board is not what the table is.
func (w *world) boardIsTrue(what string) {
	w.t.Helper()
	public := w.table().PublicAt(func(table.UserID) table.Habits { return table.Habits{} })
	shown := w.board().Components
	if got, want := flat(shown), flatMessage(w.t, boardLike(w.t, &public, render.Links{}, shown)); got != want {
		w.t.Errorf("%s: the board is not the truth:\n%s\nbut:\n%s", what, got, want)
	}
}

// TestOneMessageThatCannotBeMade: a panic over one direct message costs that message alone. It is
// tried again some times and laid aside; everybody else is told, and so is that person of other
// games. It is kept, and said by a program that can.
func TestOneMessageThatCannotBeMade(t *testing.T) {
	var id atomic.Value
	var tries atomic.Int32
	log := &logOf{}
	b := &buggy{}
	w := newWorld(t, withBugs(b, log))
	ben := w.users[1]
	dm, err := w.discord.OpenDM(ben)
	if err != nil {
		t.Fatal(err)
	}
	w.openLobby(3, 0)
	bad := w.table().ID()
	id.Store(bad)
	b.panics = func(_, channel string, m discord.Message) bool {
		if channel != dm.ID || !about(m, id.Load().(string)) {
			return false
		}
		tries.Add(1)
		return true
	}
	w.label(w.users[0], w.board(), "Start")
	w.flush()
	for _, user := range []string{w.users[0], w.users[2]} {
		if !w.told(user, bad) {
			t.Errorf("%s was not told of the game", user)
		}
	}
	w.boardIsTrue("with one message that cannot be made")

	first := w.channel
	w.elsewhere()
	w.openGame(3, 0)
	w.flush()
	if other := w.table().ID(); !w.told(ben, other) {
		t.Error("the person is not told of another game")
	}
	if got := tries.Load(); got != 1 {
		t.Errorf("tried %d times at once", got)
	}
	w.pass(time.Hour)
	if got := tries.Load(); got != 3 {
		t.Errorf("tried %d times within an hour", got)
	}
	if n := log.count("is laid aside"); n != 1 || log.count("a bug over one message") < 3 || log.count("bugs_test.go") < 3 {
		t.Errorf("the log tells %d times that it is laid aside:\n%s", n, log.b.String())
	}
	w.channel = first
	mustSay(t, "the doctor", text(w.reply(w.command(w.users[0], "doctor"))), english.Say("doctor.direct_fault"))

	w.stop()
	w.start(nil)
	w.flush()
	if !w.told(ben, bad) {
		t.Error("a program without the bug does not say it")
	}
}

// TestABoardThatCannotBeMade: everybody plays on in their own messages, each move tries the board
// once more, and it is there again as soon as it can be made.
func TestABoardThatCannotBeMade(t *testing.T) {
	var broken atomic.Bool
	var tries atomic.Int32
	b := &buggy{}
	w := newWorld(t, withBugs(b, &logOf{}))
	w.openGame(3, 0)
	b.panics = func(call, channel string, _ discord.Message) bool {
		if byToken := call == "original"; !broken.Load() || channel != w.channel && !byToken {
			return false
		}
		tries.Add(1)
		return true
	}
	broken.Store(true)
	move := func() {
		t.Helper()
		game := w.table()
		person, _ := game.AwaitedPerson()
		mine, _ := game.Private(person.ID)
		sub, options := typed(mine.View.Legal()[0])
		w.command(string(person.ID), sub, options...)
		if now := w.table(); now.Prompt() == game.Prompt() {
			t.Fatal("no move was made")
		}
		w.flush()
		if next, awaited := w.table().AwaitedPerson(); !awaited || !w.told(string(next.ID), game.ID()) {
			t.Error("the next one is not told")
		}
	}
	move()
	w.pass(10 * time.Minute)
	if got := tries.Load(); got != 3 {
		t.Errorf("tried %d times", got)
	}
	move()
	w.pass(10 * time.Minute)
	if got := tries.Load(); got != 4 {
		t.Errorf("after another move, tried %d times", got)
	}
	mustSay(t, "the doctor", text(w.reply(w.command(w.users[0], "doctor"))), "this program makes a mistake over it")
	broken.Store(false)
	move()
	w.boardIsTrue("when it can be made")
}

// TestADeadlineThatPanics waits longer each time, and puts off no other table's.
func TestADeadlineThatPanics(t *testing.T) {
	var bad atomic.Value
	bad.Store("")
	var tries atomic.Int32
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(&panicsOver{Store: memory, id: &bad, tries: &tries}), withBot(func(c *bot.Config) { c.Pace = table.SquireHuman }))
	w.openLobby(2, 1)
	w.label(w.users[0], w.board(), "Start")
	bad.Store(w.table().ID())
	first := w.channel
	w.untilSquire()
	w.clock.advance(time.Minute) // longer than any squire takes
	w.flush()
	if got := tries.Load(); got != 1 {
		t.Fatalf("the squire's move was tried %d times at once", got)
	}
	w.elsewhere()
	w.openLobby(2, 1)
	w.label(w.users[0], w.board(), "Start")
	w.untilSquire()
	prompt := w.table().Prompt()
	w.pass(30 * time.Second)
	if w.table().Prompt() == prompt {
		t.Error("another table's squire does not move")
	}
	if got := tries.Load(); got > 5 {
		t.Errorf("the squire's move was tried %d times within 30 s", got)
	}
	w.channel = first
	prompt = w.table().Prompt()
	bad.Store("")
	w.pass(2 * time.Minute)
	if w.table().Prompt() == prompt {
		t.Error("the squire does not move when it can")
	}
}

// untilSquire makes moves for the people until a squire is to move.
func (w *world) untilSquire() {
	w.t.Helper()
	for range 20 {
		game := w.table()
		person, awaited := game.AwaitedPerson()
		if !awaited {
			return
		}
		mine, _ := game.Private(person.ID)
		sub, options := typed(mine.View.Legal()[0])
		w.command(string(person.ID), sub, options...)
	}
	w.t.Fatal("no squire is to move")
}

// panicsOver is a store that panics over what the clock does to one table: over the commit of a
// step that nobody asked for.
type panicsOver struct {
	store.Store
	id    *atomic.Value
	tries *atomic.Int32
}

func (s *panicsOver) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	if c.Table == s.id.Load() && c.Interaction == "" {
		s.tries.Add(1)
		panic("a bug over one table")
	}
	return s.Store.Commit(ctx, c)
}

// TestAnAnswerThatPanics: the person is told, and what was held for the answer is let go of.
func TestAnAnswerThatPanics(t *testing.T) {
	for _, what := range []string{"a lobby's board", "a panel", "a shown replay"} {
		t.Run(what, func(t *testing.T) {
			var armed atomic.Bool
			b := &buggy{}
			w := newWorld(t, withBugs(b, &logOf{}))
			b.panics = func(call, _ string, _ discord.Message) bool {
				return call == "respond" && armed.CompareAndSwap(true, false)
			}
			var over string
			if what == "a shown replay" {
				over = w.over()
			} else {
				w.openLobby(1, 0)
			}
			ann, ben := w.users[0], w.users[1]
			hit := func() sandbox.Result {
				switch what {
				case "a lobby's board":
					return w.forge(ben, w.channel, w.board().ID, press.New(press.Join, w.table().ID()).String())
				case "a panel":
					return w.label(ann, w.board(), "My seat")
				default:
					return w.forge(ann, w.channel, w.board().ID, press.New(press.Share, over, "all", "1").String())
				}
			}
			armed.Store(true)
			words := render.TextFailure
			if what == "a lobby's board" {
				words = render.TextCounted // Ben sits
			}
			mustSay(t, "the answer", text(w.reply(hit())), english.Say(words))
			w.pass(time.Minute)
			if over == "" {
				w.boardIsTrue("after the panic")
			}
			if res := hit(); what == "a shown replay" && strings.Contains(text(w.reply(res)), english.Say(render.TextReplayShown)) {
				t.Error("the replay counts as shown, and nobody sees it")
			}
		})
	}
}

// TestEveryStoreCallPanics lets a call of the store panic once in the course of a short game, every
// third one in turn: the process lives, pressing again works, nothing happens twice and all that
// was to be said is said.
func TestEveryStoreCallPanics(t *testing.T) {
	calls, stride := failingGame(t, 0, storetest.None), 3
	if testing.Short() {
		stride = 17
	}
	for k := 1; k <= calls; k += stride {
		failingGame(t, k, panicking)
	}
}

// TestWhatCannotBeStored: a message id or a channel of direct messages that no store takes keeps
// nothing back: the table's board and messages go on, and everybody can be forgotten.
func TestWhatCannotBeStored(t *testing.T) {
	long := strings.Repeat("9", 5000)
	for what, lie := range map[string]func(b *buggy, dm, channel string){
		"the id of a direct message": func(b *buggy, dm, _ string) {
			b.ref = func(channel string, ref *discord.MessageRef) {
				if channel == dm {
					ref.ID = long
				}
			}
		},
		"the id of a message in the channel": func(b *buggy, _, in string) {
			b.ref = func(channel string, ref *discord.MessageRef) {
				if channel == in {
					ref.ID = long
				}
			}
		},
		"the channel of a message": func(b *buggy, dm, _ string) {
			b.ref = func(channel string, ref *discord.MessageRef) {
				if channel == dm {
					ref.Channel = long
				}
			}
		},
		"the channel of direct messages": func(b *buggy, dm, _ string) {
			b.dm = func(channel string) string {
				if channel == dm {
					return long
				}
				return channel
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			b, log := &buggy{}, &logOf{}
			w := newWorld(t, withBugs(b, log))
			const name = "Zacharias"
			user := w.member(1, name)
			dm, err := w.discord.OpenDM(user)
			if err != nil {
				t.Fatal(err)
			}
			w.command(w.users[0], "notices") // somebody is known
			w.label(w.users[2], w.reply(w.command(w.users[2], "notices")), "Mention")
			w.openLobby(3, 0)
			lie(b, dm.ID, w.channel)
			w.label(w.users[0], w.board(), "Start")
			w.pass(time.Minute)
			id := w.table().ID()
			w.boardIsTrue("after the start")
			for range 3 {
				game := w.table()
				person, _ := game.AwaitedPerson()
				mine, _ := game.Private(person.ID)
				sub, options := typed(mine.View.Legal()[0])
				w.command(string(person.ID), sub, options...)
			}
			w.pass(time.Minute)
			w.boardIsTrue("after some moves")
			for _, u := range []string{w.users[0], w.users[2]} {
				if !w.told(u, id) {
					t.Errorf("%s was told nothing", u)
				}
			}
			forget := func(u string) string {
				t.Helper()
				return text(w.reply(w.forge(u, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())))
			}
			mustSay(t, "a stranger's forgetting", forget(w.users[4]), "Done.")
			w.stopNow()
			w.pass(time.Minute)
			mustSay(t, "the person's forgetting", forget(user), "Done.")
			w.pass(time.Hour)
			if left := w.tracesOfDM(user, name, dm.ID); len(left) > 0 {
				t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
			}
			if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
				t.Errorf("still to be said: %+v %v", pending, err)
			}
		})
	}
}

// TestATableThatCannotBeReadHoldsUpNoOther: what is to be said of it to somebody waits, and other
// games are told to them.
func TestATableThatCannotBeReadHoldsUpNoOther(t *testing.T) {
	w := newWorld(t)
	ben := w.users[1]
	w.openGame(3, 0)
	bad := w.table().ID()
	w.stop()
	row, err := w.store.Table(w.ctx(), bad)
	if err != nil {
		t.Fatal(err)
	}
	broken := store.Change{
		Table: bad, Expect: row.Version, Snapshot: []byte("no table"), Live: true, Channel: row.Channel, Guild: row.Guild, At: w.clock.Now(), Users: row.Users,
		Intents: []store.Intent{{Key: "dm/1", Channel: "user/" + ben, Payload: []byte(`{"v":1,"what":"remind","seat":1}`)}},
	}
	if _, err := w.store.Commit(w.ctx(), broken); err != nil {
		t.Fatal(err)
	}
	w.start(nil)
	w.elsewhere()
	w.openGame(3, 0)
	w.flush()
	if !w.told(ben, w.table().ID()) {
		t.Error("another game is not told to somebody who is in it")
	}
	pending, err := w.store.Pending(w.ctx())
	if err != nil || len(pending) != 1 || pending[0].Table != bad {
		t.Errorf("what waits: %+v %v", pending, err)
	}
}
