package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// failing is a short game on a store of which one call fails.
type failing struct {
	*world
	memory *storetest.Memory
	failed atomic.Bool
	told   int // how often somebody was told that something went wrong
	// counted is how often somebody was told that it counted all the same.
	counted int
}

// script is a short game: a table is opened and filled, and some moves are made by buttons and by words. Each act is done again until
// it has been done, at most three times: one for the failure, one for what it left behind.
func (f *failing) script() {
	f.t.Helper()
	f.until("the table is open", func() bool { return f.stage() == table.Lobby }, func() sandbox.Result {
		return f.command(f.users[0], "new", sandbox.Option{Name: "seats", Value: 3})
	})
	f.until("Ben sits", func() bool { return len(f.table().People()) == 2 }, func() sandbox.Result { return f.onBoard(f.users[1], press.Join) })
	f.until("a squire sits", func() bool { return len(f.table().Public().Seats) == 3 }, func() sandbox.Result { return f.onBoard(f.users[0], press.Squire) })
	f.until("the game runs", func() bool { return f.stage() == table.Playing }, func() sandbox.Result { return f.onBoard(f.users[0], press.Start) })
	for n := range 6 {
		t := f.table()
		person, ok := t.AwaitedPerson()
		if !ok {
			f.t.Fatalf("nobody is awaited at stage %s", t.Stage())
		}
		mine, _ := t.Private(person.ID)
		move := mine.View.Legal()[n%len(mine.View.Legal())]
		sub, options := typed(move)
		prompt := t.Prompt()
		moved := func() bool { return f.table().Prompt() > prompt }
		if id, ok := confirms(mine, move.String()); ok && n%2 == 0 {
			board := f.live()
			f.until("the pressed move is made", moved, func() sandbox.Result { return f.forge(string(person.ID), f.channel, board, id) })
		} else {
			f.until("the typed move is made", moved, func() sandbox.Result { return f.command(string(person.ID), sub, options...) })
		}
		f.clock.advance(time.Minute)
	}
	f.onBoard(f.users[1], press.Log)
}

// confirms is the custom id of the button that makes the move.
func confirms(p table.Private, move string) (string, bool) {
	words := strings.Fields(move)
	switch words[1] {
	case "start":
		return press.For(press.First, p.ID, p.Prompt, words[2]).String(), true
	case "place":
		return press.For(press.Place, p.ID, p.Prompt, words[2], words[3]).String(), true
	case "peek":
		return press.For(press.Peek, p.ID, p.Prompt, words[2]).String(), true
	}
	return "", false
}

// stage is the stage of the channel's table; empty without one.
func (f *failing) stage() table.Stage {
	f.t.Helper()
	if _, ok, err := f.store.TableByChannel(context.Background(), f.channel); err != nil || !ok {
		return ""
	}
	return f.table().Stage()
}

// live is the registered board's message, or any board that stands.
func (f *failing) live() string {
	f.t.Helper()
	surface, ok, err := f.store.Surface(context.Background(), f.table().ID(), "board")
	if err == nil && ok {
		return surface.Message
	}
	messages, err := f.discord.Messages(f.users[0], f.channel)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range slices.Backward(messages) {
		if has(m, press.Rules) {
			return m.ID
		}
	}
	f.t.Fatal("no board stands in the channel")
	return ""
}

func (f *failing) onBoard(user string, kind press.Kind) sandbox.Result {
	f.t.Helper()
	if _, ok, _ := f.store.Surface(context.Background(), f.table().ID(), "board"); !ok {
		f.clock.advance(10 * time.Second) // what could not be settled is tried again
		f.flush()
	}
	return f.forge(user, f.channel, f.live(), press.New(kind, f.table().ID()).String())
}

// until does the act until it has been done. Nobody is told that it was done when it was not.
func (f *failing) until(what string, done func() bool, act func() sandbox.Result) {
	f.t.Helper()
	for attempt := 0; attempt < 3; attempt++ {
		failedBefore := f.failed.Load()
		res := act()
		words := ""
		if m := shownBy(res); m != nil {
			words = text(*m)
		}
		wrong := strings.Contains(words, english.Say(render.TextFailure))
		counted := strings.Contains(words, english.Say(render.TextCounted)) || strings.Contains(words, english.Say(render.TextMoveCounted))
		if wrong {
			f.told++
		}
		if counted {
			f.counted++
		}
		switch {
		case wrong && done():
			f.t.Fatalf("%s, and whoever did it is told to press again:\n%s", what, words)
		case counted && !done():
			f.t.Fatalf("%s is not so, and whoever tried is told that it counted:\n%s", what, words)
		case wrong && failedBefore:
			f.t.Fatalf("%s: something goes wrong although the store works again", what)
		case done():
			return
		case !wrong && f.failed.Load() == failedBefore:
			f.t.Fatalf("%s is not so, and nothing was said to be wrong:\n%s", what, words)
		}
	}
	f.t.Fatalf("it does not come to pass that %s", what)
}

// TestEveryStoreCallFails lets each call of the store fail once, before it did anything and after it did it, in the course of a short
// game. The person is told that something went wrong, or the truth; pressing again works; nothing happens twice; and when time has
// gone by and the bot has been started anew, all that was to be said is said.
func TestEveryStoreCallFails(t *testing.T) {
	calls := failingGame(t, 0, storetest.None)
	if calls < 60 {
		t.Fatalf("only %d calls in a whole game", calls)
	}
	stride := 4
	if testing.Short() {
		stride = 16
	}
	for _, fault := range []storetest.Fault{storetest.Before, storetest.After} {
		for first := range stride {
			if testing.Short() && first > 0 {
				break
			}
			t.Run(fmt.Sprintf("%s, every %dth from %d", map[storetest.Fault]string{storetest.Before: "before", storetest.After: "after"}[fault], stride, first+1), func(t *testing.T) {
				t.Parallel()
				for k := first + 1; k <= calls; k += stride {
					failingGame(t, k, fault)
				}
			})
		}
	}
}

// besideStore is the store for the driver: its calls are told apart from the bot's.
type besideStore struct {
	store.Store
	reading atomic.Int32
}

func (s *besideStore) read() func() {
	s.reading.Add(1)
	return func() { s.reading.Add(-1) }
}

func (s *besideStore) Table(ctx context.Context, id string) (store.Row, error) {
	defer s.read()()
	return s.Store.Table(ctx, id)
}

func (s *besideStore) TableByChannel(ctx context.Context, channel string) (string, bool, error) {
	defer s.read()()
	return s.Store.TableByChannel(ctx, channel)
}

func (s *besideStore) Get(ctx context.Context, key string) ([]byte, bool, error) {
	defer s.read()()
	return s.Store.Get(ctx, key)
}

func (s *besideStore) History(ctx context.Context, id string, from, limit int) ([]store.Entry, error) {
	defer s.read()()
	return s.Store.History(ctx, id, from, limit)
}

func (s *besideStore) Surface(ctx context.Context, id, name string) (store.Surface, bool, error) {
	defer s.read()()
	return s.Store.Surface(ctx, id, name)
}

// panicking is a fault that is a panic.
const panicking storetest.Fault = -1

// failingGame plays the script while call number k fails, and returns how many calls there were.
func failingGame(t *testing.T, k int, fault storetest.Fault) int {
	t.Helper()
	f := &failing{memory: storetest.NewMemory()}
	f.world = newWorld(t, withStore(f.memory))
	defer func() { f.stop(); _ = f.discord.Close() }()
	beside := &besideStore{Store: f.memory}
	f.world.store = beside // the driver's own calls do not fail, and do not count
	calls, failedCall := 0, ""
	f.memory.Fail(func(c storetest.Call) storetest.Fault {
		if beside.reading.Load() > 0 {
			return storetest.None
		}
		if calls++; calls != k {
			return storetest.None
		}
		f.failed.Store(true)
		failedCall = c.Method
		if fault == panicking {
			panic("a bug over one call of the store")
		}
		return fault
	})
	defer func() {
		if t.Failed() {
			t.Logf("call %d (%s) failed, fault %d", k, failedCall, fault)
		}
	}()
	f.script()
	f.memory.Fail(nil)
	f.rest()
	f.checkOnce()
	f.stop()
	f.start(nil)
	f.rest()
	f.checkOnce()
	f.checkShown()
	return calls
}

// rest lets time go by until nothing is left to be said.
func (f *failing) rest() {
	f.t.Helper()
	for range 12 {
		f.flush()
		f.clock.advance(10 * time.Second)
	}
	f.untilRest()
}

// checkOnce: the history says each thing once, and there is one board.
func (f *failing) checkOnce() {
	f.t.Helper()
	t := f.table()
	seen := map[table.LineKind]int{}
	moves := uint64(0)
	for _, line := range historyOf(f.t.(*testing.T), f.world) {
		seen[line.Kind]++
		if line.Move != "" {
			moves++
		}
	}
	if seen[table.LineOpened] != 1 || seen[table.LineJoined] != 1 || seen[table.LineSquire] != 1 || seen[table.LineStarted] != 1 || moves+1 != t.Prompt() {
		f.t.Fatalf("question %d after %v", t.Prompt(), seen)
	}
	if err := t.Check(); err != nil {
		f.t.Fatal(err)
	}
}

// checkShown: nothing is left to be said, the registered board is the truth, and nobody was told the same twice.
func (f *failing) checkShown() {
	f.t.Helper()
	pending, err := f.store.Pending(context.Background())
	if err != nil || len(pending) > 0 {
		f.t.Fatalf("still to be said: %+v %v", pending, err)
	}
	public := f.table().PublicAt(func(table.UserID) table.Habits { return table.Habits{} }) // a board tells until when the clock runs
	shown := f.board().Components
	if got, want := flat(shown), flatMessage(f.t, boardLike(f.t, &public, render.Links{}, shown)); got != want {
		f.t.Fatalf("the board is not the truth:\n%s\nbut:\n%s", got, want)
	}
	for _, user := range f.users[:2] {
		told := map[uint64]int{}
		for _, c := range f.channels(user) {
			if c.Type != sandbox.ChannelDM {
				continue
			}
			messages, err := f.discord.Messages(user, c.ID)
			if err != nil {
				f.t.Fatal(err)
			}
			for _, m := range messages {
				if prompt := promptOf(m); prompt > 0 {
					if told[prompt]++; told[prompt] > 1 {
						f.t.Fatalf("a person was told twice of question %d", prompt)
					}
				}
			}
		}
	}
}

// TestDeadStoreSaysNothingTwice: while nothing can be settled for hours, what was said is not said again.
func TestDeadStoreSaysNothingTwice(t *testing.T) {
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(memory), withBot(func(c *bot.Config) { c.Pace = table.SquireAtOnce }))
	w.openLobby(2, 1)
	var dead atomic.Bool
	memory.Fail(func(c storetest.Call) storetest.Fault {
		if dead.Load() && c.Method == "Settle" {
			return storetest.Before
		}
		return storetest.None
	})
	dead.Store(true)
	w.label(w.users[0], w.board(), "Start")
	count := func() int {
		n := 0
		for _, r := range w.discord.Requests() {
			if r.Method == "POST" && r.Route == "/channels/{channel}/messages" || r.Method == "PATCH" && r.Route == "/channels/{channel}/messages/{message}" {
				n++
			}
		}
		return n
	}
	w.flush()
	before := count()
	for range 60 {
		w.clock.advance(time.Minute)
		w.flush()
	}
	if after := count(); after > before {
		t.Errorf("%d messages were sent while nothing could be settled, after %d that said it all", after-before, before)
	}
	dead.Store(false)
	for range 12 {
		w.clock.advance(time.Minute)
		w.flush()
	}
	pending, err := memory.Pending(w.ctx())
	if err != nil || len(pending) > 0 {
		t.Errorf("still to be settled: %+v %v", pending, errors.Join(err))
	}
}
