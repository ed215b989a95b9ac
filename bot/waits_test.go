package bot_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/store"
	"paladin/store/storetest"
)

// stuck is a store whose writes hang while it is told so, each in the moment before it is made.
type stuck struct {
	store.Store
	mu    sync.Mutex
	goOn  chan struct{} // nil: nothing hangs
	hangs chan string   // told of each write that begins to hang
}

// hang lets writes hang until what it returns is called.
func (s *stuck) hang() (goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{})
	s.goOn = c
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.goOn = nil
		s.mu.Unlock()
		close(c)
	})
}

func (s *stuck) wait(what string) {
	s.mu.Lock()
	goOn := s.goOn
	s.mu.Unlock()
	if goOn == nil {
		return
	}
	select {
	case s.hangs <- what:
	default:
	}
	<-goOn
}

func (s *stuck) UpdateUser(ctx context.Context, id string, fn func(*store.User)) error {
	s.wait("UpdateUser")
	return s.Store.UpdateUser(ctx, id, fn)
}

func (s *stuck) Put(ctx context.Context, key string, value []byte) error {
	s.wait("Put")
	return s.Store.Put(ctx, key, value)
}

func (s *stuck) Settle(ctx context.Context, x store.Settlement) error {
	s.wait("Settle")
	return s.Store.Settle(ctx, x)
}

func (s *stuck) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	s.wait("Commit")
	return s.Store.Commit(ctx, c)
}

func (s *stuck) Enqueue(ctx context.Context, id string, intents []store.Intent) ([]store.Intent, error) {
	s.wait("Enqueue")
	return s.Store.Enqueue(ctx, id, intents)
}

func (s *stuck) Forget(ctx context.Context, user string, r store.Rewrite) ([]string, error) {
	s.wait("Forget")
	return s.Store.Forget(ctx, user, r)
}

func (s *stuck) ForgetRest(ctx context.Context, r store.Rewrite) (int, error) {
	s.wait("ForgetRest")
	return s.Store.ForgetRest(ctx, r)
}

// standsIn waits until a goroutine that is within a function waits for something.
func standsIn(t *testing.T, function string) {
	t.Helper()
	stacks := make([]byte, 1<<22)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); runtime.Gosched() {
		for one := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			state, _, _ := strings.Cut(one, "\n")
			if strings.Contains(one, function) && !strings.Contains(state, "[run") {
				return
			}
		}
	}
	t.Fatalf("nobody waits in %s", function)
}

// atOnce fails where f does not return by itself. The time is that of a test which fails: nothing
// waits for it otherwise.
func atOnce(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s waits", what)
	}
}

// TestTheReadLoopWaitsForNothing: while the disk hangs, something about somebody is being stored,
// and they have it deleted at that moment, every kind of event is taken at once. What was under way
// then brings nothing of them back.
func TestTheReadLoopWaitsForNothing(t *testing.T) {
	for _, what := range []string{"UpdateUser", "Put"} {
		t.Run(what, func(t *testing.T) {
			disk := &stuck{Store: storetest.NewMemory(), hangs: make(chan string, 64)}
			w := newWorld(t, withStore(disk))
			const name = "Zacharias"
			user := w.member(4, name)
			w.openGame(3, 0)
			w.forge(user, w.channel, w.board().ID, press.New(press.Rules, "").String()) // their language is known
			w.flush()
			goOn := disk.hang()
			t.Cleanup(goOn) // before the bot is stopped

			custom := press.New(press.Seat, w.table().ID())
			if what == "UpdateUser" {
				custom = press.New(press.Rules, "")
				w.locale(user, "fr")
			}
			i := w.begin(user, w.channel, w.board().ID, custom.String())
			if hung := <-disk.hangs; hung != what {
				t.Fatalf("%s hangs", hung)
			}
			w.locale(user, "en-US")
			forgotten := w.begin(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())
			standsIn(t, "bot.(*App).forgetNow")
			// A move, too, and what is to be said of it.
			game := w.table()
			person, _ := game.AwaitedPerson()
			mine, _ := game.Private(person.ID)
			sub, options := typed(mine.View.Legal()[0])
			if _, err := w.discord.Command(w.ctx(), string(person.ID), w.channel, "paladin", sub, options...); err != nil {
				t.Fatal(err)
			}
			atOnce(t, "the gateway's read loop", func() {
				for hung := range disk.hangs {
					if hung == "Commit" {
						break
					}
				}
			})
			w.everyEvent(user)
			w.everyEvent(w.users[0])

			goOn()
			w.answered(i)
			w.clock.advance(1500 * time.Millisecond)
			if said := text(w.reply(w.result(forgotten, nil))); !strings.Contains(said, "Done.") {
				t.Errorf("the answer: %s", said)
			}
			w.flush()
			if w.table().Prompt() == game.Prompt() {
				t.Error("the move was lost")
			}
			if left := w.tracesOf(user, name); len(left) > 0 {
				t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
			}
		})
	}
}

// everyEvent hands the bot one event of each kind, as the gateway's read loop does.
func (w *world) everyEvent(user string) {
	t := w.t.(*testing.T)
	t.Helper()
	interaction := func(n int, kind discord.InteractionKind) *discord.Interaction {
		id := fmt.Sprintf("9%s%d", user, n)
		custom := press.New(press.Rules, "").String() // nothing is remembered of it
		return &discord.Interaction{ID: id, Token: "none", Kind: kind, User: discord.User{ID: user}, CustomID: custom, Guild: w.guild, Channel: w.channel}
	}
	for _, e := range []discord.Event{
		interaction(1, discord.KindCommand),
		interaction(2, discord.KindAutocomplete),
		interaction(3, discord.KindComponent),
		&discord.Ready{BotUserID: "1"},
		&discord.GuildJoined{ID: "77", Arrival: discord.ArrivalNew},
		&discord.GuildGone{ID: "77"},
		&discord.ChannelGone{ID: "78", Guild: w.guild},
		&discord.RoleGone{ID: "80", Guild: w.guild},
		&discord.ThreadGone{ID: "79"},
		&discord.ThreadChanged{ID: w.channel},
	} {
		atOnce(t, fmt.Sprintf("%T of %s", e, user), func() { w.app.Handle(e) })
	}
}

// refusing is a store that does not find the tables of the channels 5..., after a while.
type refusing struct {
	store.Store
	hangs, goOn chan struct{}
}

func (s *refusing) TableByChannel(ctx context.Context, channel string) (string, bool, error) {
	if !strings.HasPrefix(channel, "5") {
		return s.Store.TableByChannel(ctx, channel)
	}
	s.hangs <- struct{}{}
	<-s.goOn
	return "", false, context.DeadlineExceeded
}

// TestADeletedChannelIsHeardInAFlood: the gateway says once that a channel was deleted, and it is
// heard however many events are worked on at that moment.
func TestADeletedChannelIsHeardInAFlood(t *testing.T) {
	disk := &refusing{Store: storetest.NewMemory(), hangs: make(chan struct{}), goOn: make(chan struct{})}
	goOn := sync.OnceFunc(func() { close(disk.goOn) })
	defer goOn()
	w := newWorld(t, withStore(disk))
	w.openGame(3, 0)
	id := w.table().ID()
	w.flush()
	// As many as the program works on at once wait for the disk.
	const atOnceMost = 512
	ctx := w.ctx()
	for n := range atOnceMost {
		w.app.Handle(&discord.ChannelGone{ID: fmt.Sprint(5000000 + n), Guild: w.guild})
		select {
		case <-disk.hangs:
		case <-ctx.Done():
			t.Fatalf("%d events are worked on", n)
		}
	}
	w.app.Handle(&discord.ChannelGone{ID: w.channel, Guild: w.guild})
	goOn()
	w.flush()
	row, err := w.store.Table(w.ctx(), id)
	if err != nil || row.Live {
		t.Errorf("the table of the deleted channel is live: %v (%v)", row.Live, err)
	}
}
