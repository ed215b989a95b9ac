package bot_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// away is the connection's end as the edge tells it, and back its return.
func (w *world) away() { w.app.Handle(&discord.Disconnected{Heard: w.clock.Now()}) }

func (w *world) back() {
	w.t.Helper()
	w.app.Handle(&discord.Ready{Resumed: true})
	w.flush()
}

// ranOut is how many turns ended by the clock at the channel's table.
func (w *world) ranOut() int {
	w.t.Helper()
	n := 0
	for _, line := range w.table().Public().Recent {
		if line.Kind == table.LineTimeout {
			n++
		}
	}
	return n
}

// stays lets time pass in which the question must not change, changes time in which it must.
func (w *world) stays(d time.Duration, why string) {
	w.t.Helper()
	before := w.table().Prompt()
	if w.pass(d); w.table().Prompt() != before {
		w.t.Fatalf("the question changed: %s", why)
	}
}

func (w *world) changes(d time.Duration, why string) {
	w.t.Helper()
	before := w.table().Prompt()
	if w.pass(d); w.table().Prompt() == before {
		w.t.Fatalf("the question stands: %s", why)
	}
}

// TestAnOutageOfTheNetworkTakesNobodysTurn: the connection dies without a word, which is noticed
// late, and for a while there is no other. Two people could not press, and both still can when it
// is over.
func TestAnOutageOfTheNetworkTakesNobodysTurn(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceLive)
	w.pass(time.Minute)
	prompt := w.table().Prompt()
	asked := make(chan struct{}, 1000)
	w.discord.FaultGateway(func(op int) *sandbox.GatewayFault {
		asked <- struct{}{}
		return &sandbox.GatewayFault{Ignore: true}
	})
	w.discord.Fault(func(sandbox.Request) *sandbox.Fault { return &sandbox.Fault{Drop: true} })

	// The end of the turn, and nobody knows yet that the way is down.
	w.clock.advance(2 * time.Minute)
	select {
	case <-asked: // whether the connection lives
	case <-time.After(10 * time.Second):
		t.Error("nobody asks whether the connection lives")
	}
	w.clock.advance(5 * time.Second) // there is no answer
	for range 1000 {
		runtime.Gosched()
	}
	if w.table().Prompt() != prompt {
		t.Fatal("a turn was called over on the word of a dead connection")
	}
	w.discord.FaultGateway(func(int) *sandbox.GatewayFault { return &sandbox.GatewayFault{Close: 4000} })
	w.discord.DropGateway() // now it is noticed
	w.pass(105 * time.Second)
	if w.table().Prompt() != prompt {
		t.Fatal("a turn ended while there was no connection")
	}
	w.discord.FaultGateway(nil)
	w.discord.Fault(nil)
	w.untilHeard()
	if w.table().Prompt() != prompt {
		t.Fatal("a turn ended the instant the connection was back")
	}
	w.stays(50*time.Second, "it ended while nobody could press")
	if w.move(); w.table().Prompt() == prompt {
		t.Fatal("the move did not count")
	}
	w.stays(170*time.Second, "the next one has all of their time")
	w.move()
	if n := w.ranOut(); n != 0 {
		t.Errorf("%d turns ran out", n)
	}
}

// untilHeard lets time pass until the bot hears what happens.
func (w *world) untilHeard() {
	w.t.Helper()
	for began := time.Now(); w.discord.Connections() == 0; runtime.Gosched() {
		w.clock.advance(time.Second)
		if time.Since(began) > 20*time.Second {
			w.t.Fatal("the bot does not connect")
		}
	}
	for range 20 {
		i, err := w.discord.Command(w.ctx(), w.users[4], w.channel, "paladin", "rules")
		if err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.ctx(), time.Second)
		res, err := i.Wait(ctx)
		cancel()
		if err == nil && res.Outcome == sandbox.Replied {
			w.flush()
			return
		}
		w.clock.advance(4 * time.Second) // it went into the dying connection
	}
	w.t.Fatal("the bot hears nothing")
}

// TestClocksHoldWhileTheConnectionIsDown: what ends meanwhile gets grace; everything else ends when
// it would have.
func TestClocksHoldWhileTheConnectionIsDown(t *testing.T) {
	live := func(t *testing.T) *world {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceLive)
		return w
	}
	t.Run("a turn that ended meanwhile gets grace, once", func(t *testing.T) {
		w := live(t)
		w.pass(170 * time.Second)
		w.away()
		w.stays(230*time.Second, "nobody could press")
		w.back()
		w.stays(59*time.Second, "it gets grace")
		w.changes(2*time.Second, "the grace never ends")
		w.stays(178*time.Second, "the next one has all of their time")
	})
	t.Run("a turn that goes on ends in its time", func(t *testing.T) {
		w := live(t)
		w.pass(10 * time.Second)
		w.away()
		w.pass(60 * time.Second)
		w.back()
		w.stays(109*time.Second, "there is time left")
		w.changes(2*time.Second, "a break in the middle of a turn puts nothing off")
	})
	t.Run("what is left is nothing against what was lost", func(t *testing.T) {
		w := live(t)
		w.pass(5 * time.Second)
		w.away()
		w.pass(170 * time.Second)
		w.back()
		w.stays(64*time.Second, "five seconds are not enough after three minutes")
		w.changes(2*time.Second, "the grace never ends")
	})
	t.Run("a connection that comes back for a moment gives nobody time", func(t *testing.T) {
		w := live(t)
		w.pass(5 * time.Second)
		w.away()
		w.pass(165 * time.Second)
		w.back()
		w.pass(5 * time.Second)
		w.away()
		w.pass(time.Second)
		w.back()
		w.stays(63*time.Second, "four seconds are not enough after three minutes")
		w.changes(2*time.Second, "the grace never ends")
	})
	t.Run("grace that cannot be stored is given all the same", func(t *testing.T) {
		w := newWorld(t, withStore(&noCommits{Memory: storetest.NewMemory()}))
		w.openPaced(3, 0, table.PaceLive)
		w.pass(170 * time.Second)
		w.away()
		w.pass(20 * time.Second)
		store := w.store.(*noCommits)
		store.broken.Store(true)
		w.back()
		w.pass(time.Minute)
		store.broken.Store(false)
		if n := store.asked.Load(); n > 20 {
			t.Errorf("a store that fails is asked %d times in a minute", n)
		}
		w.stays(64*time.Second, "a failure takes nobody's move")
		w.changes(20*time.Second, "the grace never ends")
	})
	t.Run("what was lost is nothing against what is left", func(t *testing.T) {
		w := live(t)
		w.pass(170 * time.Second)
		w.away()
		w.pass(2 * time.Second)
		w.back()
		w.stays(7*time.Second, "there is time left")
		w.changes(2*time.Second, "two seconds put nothing off")
	})
	t.Run("a connection that breaks every few minutes does not keep a turn open", func(t *testing.T) {
		w := live(t)
		w.pass(179 * time.Second)
		w.away()
		w.pass(20 * time.Second)
		w.back()
		w.stays(59*time.Second, "it gets grace")
		w.away()
		w.pass(20 * time.Second) // the end of the grace
		w.back()
		w.stays(4*time.Second, "presses of the break may still arrive")
		w.changes(2*time.Second, "it gets grace twice")
	})
	t.Run("a connection that is hardly ever there does", func(t *testing.T) {
		w := live(t)
		w.pass(179 * time.Second)
		for range 4 {
			w.away()
			w.pass(100 * time.Second)
			w.back()
			w.stays(59*time.Second, "nobody had half a minute of two")
		}
		w.changes(2*time.Second, "the grace never ends")
	})
	t.Run("the clock of the next question is its own", func(t *testing.T) {
		w := live(t)
		for range 2 {
			w.pass(170 * time.Second)
			w.away()
			w.pass(20 * time.Second)
			w.back()
			w.stays(59*time.Second, "it gets grace")
			w.changes(2*time.Second, "the grace never ends")
		}
	})
	t.Run("presses of the break that come late still count", func(t *testing.T) {
		w := live(t)
		w.pass(179 * time.Second)
		w.away()
		w.pass(3 * time.Second)
		w.back()
		prompt := w.table().Prompt()
		w.move()
		if w.table().Prompt() == prompt || w.ranOut() != 0 {
			t.Error("the move did not count")
		}
	})
	t.Run("the program starts and finds no connection", func(t *testing.T) {
		w := live(t)
		w.pass(100 * time.Second)
		w.away()
		w.stop()
		w.discord.FaultGateway(func(int) *sandbox.GatewayFault { return &sandbox.GatewayFault{Close: 4000} })
		stop := w.run(nil, nil)
		w.pass(time.Hour)
		w.discord.FaultGateway(nil)
		w.stop = stop
		w.untilHeard()
		if w.ranOut() != 0 {
			t.Fatal("a turn ran out before the first connection")
		}
		w.stays(50*time.Second, "it gets grace")
		w.changes(70*time.Second, "the grace never ends")
	})
}

// noCommits is a store that writes no step of a table while it is broken.
type noCommits struct {
	*storetest.Memory
	broken atomic.Bool
	asked  atomic.Int32 // how often it was asked to while it was broken
}

func (s *noCommits) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	if s.broken.Load() {
		s.asked.Add(1)
		return store.Committed{}, errors.New("the disk is full")
	}
	return s.Memory.Commit(ctx, c)
}

func TestWhatElseHoldsWhileTheConnectionIsDown(t *testing.T) {
	t.Run("squires wait, so that nobody's time begins", func(t *testing.T) {
		w := newWorld(t)
		w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: 3}, sandbox.Option{Name: "pace", Value: "live"},
			sandbox.Option{Name: "squire_pace", Value: "human"})
		w.label(w.users[1], w.board(), "Join")
		w.label(w.users[0], w.board(), "Add a squire")
		w.label(w.users[0], w.board(), "Start")
		for at := w.table(); !at.SquireToAct(); at = w.table() {
			w.move()
		}
		w.away()
		w.stays(time.Hour, "a squire moved while nobody could see it")
		w.back()
		if at := w.table(); at.SquireToAct() {
			t.Fatal("the squire does not move when the connection is back")
		}
		w.stays(179*time.Second, "whoever follows has all of their time")
	})
	t.Run("reminders come once", func(t *testing.T) {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceDaily)
		user := w.awaited()
		told := func() int { return len(w.dms(user)) }
		w.pass(7 * time.Hour)
		before := told()
		w.away()
		w.pass(9*time.Hour - time.Minute) // the first of two is due after 8 hours, the second after 16
		if n := told() - before; n != 0 {
			t.Fatalf("%d reminders of what nobody can do", n)
		}
		w.back()
		if n := told() - before; n != 1 {
			t.Fatalf("%d reminders when the connection is back", n)
		}
		w.pass(7 * time.Hour)
		if n := told() - before; n != 1 {
			t.Errorf("a second reminder a minute after the first: %d", n)
		}
	})
	t.Run("a lobby stays open until people could come", func(t *testing.T) {
		w := newWorld(t)
		w.openLobby(1, 0)
		w.pass(table.LobbyIdle - 10*time.Minute)
		w.away()
		w.pass(20 * time.Minute)
		w.back()
		w.pass(59 * time.Minute)
		if stage := w.table().Stage(); stage != table.Lobby {
			t.Fatalf("the lobby is %s", stage)
		}
		w.pass(2 * time.Minute)
		if at := w.table(); at.Reason() != table.ClosedIdle {
			t.Errorf("the lobby is %s", at.Stage())
		}
	})
	t.Run("a lobby whose end is not the break's", func(t *testing.T) {
		w := newWorld(t)
		w.openLobby(1, 0)
		w.pass(time.Hour)
		w.away()
		w.pass(time.Minute)
		w.back()
		w.pass(table.LobbyIdle - 61*time.Minute)
		if at := w.table(); at.Reason() != table.ClosedIdle {
			t.Errorf("the lobby is %s", at.Stage())
		}
	})
}

// TestAPracticeGameOutlivesAnOutage: it is dropped when nobody goes on with it for an hour, but not
// for an hour in which nobody could.
func TestAPracticeGameOutlivesAnOutage(t *testing.T) {
	w := newWorld(t)
	ann := w.users[0]
	kept := func() bool {
		t.Helper()
		data, _, err := w.store.Get(w.ctx(), "practice/"+ann)
		if err != nil {
			t.Fatal(err)
		}
		return data != nil
	}
	w.pass(5 * time.Minute)
	w.startPractice(ann)
	w.pass(50 * time.Minute)
	w.away()
	w.pass(90 * time.Minute) // forgotten is what is old once an hour
	w.back()
	w.pass(40 * time.Minute)
	if !kept() {
		t.Fatal("the practice game was dropped before anybody could go on with it")
	}
	if w.pass(90 * time.Minute); kept() {
		t.Error("the practice game is kept for ever")
	}
}

// TestClocksHoldWhileAServerIsOut: those of its tables, and no others.
func TestClocksHoldWhileAServerIsOut(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceLive)
	here, prompt := w.channel, w.table().Prompt()
	other := w.sharedServer(w.users...)
	there, err := w.discord.AddChannel(other, "hall")
	if err != nil {
		t.Fatal(err)
	}
	w.channel = there.ID
	w.openPaced(3, 0, table.PaceLive)
	elsewhere := w.table().Prompt()
	w.app.Handle(&discord.GuildGone{ID: w.guild, Unavailable: true})
	w.pass(3*time.Minute - time.Second)
	w.stays(0, "there is time left")
	w.changes(time.Second, "another server's outage holds it")
	w.pass(time.Minute)
	w.channel = here
	if w.table().Prompt() != prompt {
		t.Fatal("a turn ended in a server that is out")
	}
	w.app.Handle(&discord.GuildJoined{ID: w.guild})
	w.flush()
	w.stays(59*time.Second, "it gets grace")
	w.changes(2*time.Second, "the grace never ends")
	w.channel = there.ID
	if w.table().Prompt() == elsewhere || w.ranOut() == 0 {
		t.Error("the clocks of the other server stood still")
	}
}

// TestALiveConnectionCallsATurnOver: the sign of life that is asked for changes no time.
func TestALiveConnectionCallsATurnOver(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceLive)
	for range 3 {
		w.stays(3*time.Minute-time.Millisecond, "there is time left")
		w.changes(time.Millisecond, "nobody calls it over")
	}
	if said := text(w.board()); !strings.Contains(said, "ran out") && w.ranOut() == 0 {
		t.Errorf("the board says nothing of it:\n%s", said)
	}
}
