package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// nothingAsks demands that no direct message of theirs offers a move.
func (w *world) nothingAsks(user, when string) {
	w.t.Helper()
	for _, m := range w.dmsNow(user) {
		if hasMove(m) {
			w.t.Errorf("%s: a message asks for a move:\n%s", when, text(m))
		}
	}
}

// TestWhoLeavesElsewhereIsAskedNoMore: the direct message says so too.
func TestWhoLeavesElsewhereIsAskedNoMore(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	if dm, ok := w.dm(user); !ok || !hasMove(dm) {
		t.Fatal("no direct message asks for a move: this shows nothing")
	}
	w.pressKind(user, w.reply(w.command(user, "leave")), press.Quit)
	w.pass(time.Minute)
	w.nothingAsks(user, "after leaving")
}

// TestAGameWhoseChannelIsGoneAsksForNothing in direct messages.
func TestAGameWhoseChannelIsGoneAsksForNothing(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	id, elsewhere := w.table().ID(), w.channels(user)[1].ID
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	w.at(elsewhere).command(user, "help") // what came before it has been heard
	w.pass(time.Minute)
	if !w.closed(id) {
		t.Fatal("it goes on")
	}
	w.nothingAsks(user, "without a channel")
}

// TestAListThatIsAnsweredGoes when the next reminder or call comes, which repeats what is left of it.
func TestAListThatIsAnsweredGoes(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	games := []*world{w, w.newChannel("second")}
	for _, game := range games {
		game.openGame(1, 2)
		w.pass(10 * time.Minute)
	}
	w.pass(9 * time.Hour)
	lists := func() (n int) {
		for _, m := range w.dmsNow(user) {
			if strings.Contains(text(m), "<#"+games[0].channel+">") && strings.Contains(text(m), "<#"+games[1].channel+">") {
				n++
			}
		}
		return n
	}
	if lists() != 1 {
		t.Fatalf("%d lists", lists())
	}
	games[1].at(games[1].channel).forge(user, games[1].channel, games[1].board().ID, press.New(press.Stop, games[1].table().ID(), "force").String())
	w.pass(time.Minute)
	if games[1].table().Live() {
		t.Fatal("the second game goes on")
	}
	w.pass(8 * time.Hour)
	if lists() != 0 {
		for _, m := range w.dmsNow(user) {
			t.Log(text(m))
		}
		t.Errorf("%d lists tell of a game that is over", lists())
	}
}

// TestAStandInForWhomNothingLiveStands: where the owner's last message is one line, there is nothing that
// has to die, and nothing is asked of Discord about no message.
func TestAStandInForWhomNothingLiveStands(t *testing.T) {
	w := newWorld(t)
	owner, seat := w.late()
	eve := w.users[4]
	before := len(w.discord.Requests())
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	w.pass(time.Minute)
	if w.table().Holder(seat).ID != table.UserID(eve) {
		t.Fatal("nobody stands in: this shows nothing")
	}
	for _, r := range w.discord.Requests()[before:] {
		if strings.HasSuffix(r.Path, "/messages/") || r.Status >= 400 {
			t.Errorf("%s %s: %d", r.Method, r.Path, r.Status)
		}
	}
	w.nothingAsks(owner, "after the hand-over")
}

// TestOneLiveDirectMessageThroughHandOvers: over games in which people also leave and come back, let others
// stand in and take their seats back, in direct messages and elsewhere, nobody has two panels of a game
// in direct messages, and only who holds a seat has one that offers a move.
func TestOneLiveDirectMessageThroughHandOvers(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.openPaced(3, 0, table.PaceDaily)
			rng := rand.New(rand.NewPCG(seed, 20))
			handed := 0
			for n := 0; n < 60 && w.table().Stage() == table.Playing; n++ {
				did := w.handOn(rng)
				if strings.HasPrefix(did, "hand") {
					handed++
				}
				w.pass(time.Minute)
				if w.table().Stage() != table.Playing {
					break
				}
				when := fmt.Sprintf("step %d (%s)", n, did)
				for _, user := range w.users {
					if list := w.panelsLive(user); len(list) > 1 {
						t.Fatalf("%s: %s has %d panels:\n%s\n\n%s", when, user, len(list), text(list[0]), text(list[1]))
					}
					if w.table().SeatOf(table.UserID(user)) < 0 {
						w.nothingAsks(user, when)
					}
				}
				if t.Failed() {
					return
				}
			}
			if handed == 0 {
				t.Error("no seat changed hands: this shows nothing")
			}
		})
	}
}

// panelsLive are the direct messages in which somebody plays a seat, or looks at it. One that has died leads
// to My seat, and shows no seat.
func (w *world) panelsLive(user string) (list []sandbox.Message) {
	w.t.Helper()
	for _, m := range w.dmsNow(user) {
		if (m.View == nil || !m.View.Ephemeral) && has(m, press.Refresh) && strings.Contains(text(m), "[Refresh]") {
			list = append(list, m)
		}
	}
	return list
}

// handOn does one thing at the table, mostly about who plays a seat.
func (w *world) handOn(rng *rand.Rand) string {
	w.t.Helper()
	user, board := w.awaited(), w.board()
	id := w.table().ID()
	switch what := rng.IntN(12); {
	case user == "":
		w.pass(25 * time.Hour)
		return "time"
	case what == 0:
		w.pass(25 * time.Hour)
		return "time"
	case what == 1:
		w.pass(9 * time.Hour)
		return "reminder"
	case what == 2:
		w.forge(user, w.channel, board.ID, press.New(press.Quit, id).String())
		return "leave"
	case what == 3:
		for _, u := range w.users[:3] {
			w.forge(u, w.channel, board.ID, press.New(press.Back, id).String())
		}
		return "back"
	case what == 4:
		for _, s := range w.table().Public().Seats {
			if s.Owner.ID != "" {
				w.takeBack(rng, string(s.Owner.ID))
				return "hand back"
			}
		}
		fallthrough
	case what < 7:
		for i, s := range w.table().Public().Seats {
			if s.Owner.ID != "" || s.Person.ID == table.UserID(w.users[0]) {
				continue
			}
			eve := w.users[4]
			w.forge(eve, w.channel, board.ID, press.New(press.Offer, id, fmt.Sprint(i+1)).String())
			for _, u := range w.users[:3] {
				w.forge(u, w.channel, board.ID, press.New(press.Accept, id, fmt.Sprint(i+1), eve).String())
			}
			if w.table().Holder(paladin.Seat(i)).ID == table.UserID(eve) {
				return "hand over"
			}
		}
		return "offer"
	case what < 10:
		w.moveByDM(rng)
		return "move by DM"
	default:
		w.playOn(rng)
		return "move"
	}
}

// takeBack lets an owner take their seat back, in their last direct message or in the channel.
func (w *world) takeBack(rng *rand.Rand, owner string) {
	w.t.Helper()
	if dm, ok := w.dm(owner); ok && rng.IntN(2) == 0 && has(dm, press.Reclaim) {
		w.pressKind(owner, dm, press.Reclaim)
		return
	}
	w.forge(owner, w.channel, w.board().ID, press.New(press.Reclaim, w.table().ID()).String())
}

// settlesLate registers a newer direct message only after the removal of the one before was looked at.
type settlesLate struct {
	store.Store
	armed, held atomic.Bool
	looked      chan struct{}
	once        sync.Once
}

func (s *settlesLate) seen() {
	if s.held.Load() {
		s.once.Do(func() { close(s.looked) })
	}
}

func (s *settlesLate) Pending(ctx context.Context) ([]store.Intent, error) {
	defer s.seen()
	return s.Store.Pending(ctx)
}

func (s *settlesLate) Settle(ctx context.Context, set store.Settlement) error {
	if strings.HasPrefix(set.Key, "old-dm/") {
		s.seen()
		return s.Store.Settle(ctx, set)
	}
	newer := slices.ContainsFunc(set.Put, func(sf store.Surface) bool { return strings.HasPrefix(sf.Name, "dm/") })
	if newer && set.Key != "" && s.armed.CompareAndSwap(true, false) {
		s.held.Store(true)
		select {
		case <-s.looked:
		case <-ctx.Done():
		}
	}
	return s.Store.Settle(ctx, set)
}

// TestARemovalThatComesFirst waits until the newer message is registered: until then the old one looks
// like the live one.
func TestARemovalThatComesFirst(t *testing.T) {
	late := &settlesLate{looked: make(chan struct{})}
	w := newWorld(t, withBot(func(cfg *bot.Config) { late.Store, cfg.Store = cfg.Store, late }))
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	late.armed.Store(true)
	w.pass(9 * time.Hour) // a reminder
	w.pass(time.Minute)
	if !late.held.Load() {
		t.Fatal("nothing was registered late: this shows nothing")
	}
	if n := len(w.panelsLive(user)); n != 1 {
		t.Errorf("%d panels", n)
	}
}
