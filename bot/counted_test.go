package bot_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store/storetest"
)

// deed is something that a person does by one press or command.
type deed struct {
	// prepare brings the world to where it can be done.
	prepare func(w *world)
	// do does it, and is what the person sees of it.
	do func(w *world) sandbox.Result
	// moves is true for a move of a game.
	moves bool
}

// awaitedSeat is the seat whose person is awaited, as they may know it.
func (w *world) awaitedSeat() table.Private {
	w.t.Helper()
	t := w.table()
	who, ok := t.AwaitedPerson()
	if !ok {
		w.t.Fatalf("nobody is awaited at stage %s", t.Stage())
	}
	mine, _ := t.Private(who.ID)
	return mine
}

// firstMove makes the first legal move by a command.
func (w *world) firstMove() sandbox.Result {
	w.t.Helper()
	mine := w.awaitedSeat()
	sub, options := typed(mine.View.Legal()[0])
	return w.command(string(mine.Seats[mine.Seat].Person.ID), sub, options...)
}

// pressed presses a button of the table, wherever it stands.
func (w *world) pressed(user string, kind press.Kind, args ...string) sandbox.Result {
	w.t.Helper()
	return w.forge(user, w.channel, w.board().ID, press.New(kind, w.table().ID(), args...).String())
}

// deeds is something of every kind that is stored because somebody asked for it.
func deeds() map[string]deed {
	lobby := func(w *world) { w.openLobby(2, 1) }
	game := func(w *world) { w.openGame(3, 0); w.firstMove() }
	placing := func(w *world) {
		game(w)
		for w.table().Public().Game.Phase != paladin.PhasePlace {
			w.firstMove()
		}
	}
	// behind has a card behind a leading one, whose turn is still to come.
	behind := func(w *world) { placing(w); w.firstMove(); w.firstMove() }
	waiting := func(w *world) (user string, mine table.Private) {
		t := w.table()
		for i, s := range t.Public().Seats {
			if mine, _ := t.Private(s.Person.ID); t.Awaited() != paladin.Seat(i) && len(mine.Orderable()) > 0 {
				return string(s.Person.ID), mine
			}
		}
		w.t.Fatal("nobody has a card to order")
		return "", mine
	}
	return map[string]deed{
		"opening a table": {prepare: func(*world) {}, do: func(w *world) sandbox.Result { return w.command(w.users[0], "new") }},
		"joining":         {prepare: lobby, do: func(w *world) sandbox.Result { return w.pressed(w.users[2], press.Join) }},
		"starting":        {prepare: lobby, do: func(w *world) sandbox.Result { return w.pressed(w.users[0], press.Start) }},
		"a host's choice": {prepare: lobby, do: func(w *world) sandbox.Result { return w.pressed(w.users[0], press.Pace, string(table.PaceRelaxed)) }},
		"a typed move":    {prepare: game, moves: true, do: func(w *world) sandbox.Result { return w.firstMove() }},
		"a pressed move": {prepare: game, moves: true, do: func(w *world) sandbox.Result {
			mine := w.awaitedSeat()
			for _, m := range mine.View.Legal() {
				if id, ok := confirms(mine, m.String()); ok {
					return w.forge(string(mine.Seats[mine.Seat].Person.ID), w.channel, w.board().ID, id)
				}
			}
			w.t.Fatal("no move can be pressed")
			return sandbox.Result{}
		}},
		"a standing order": {prepare: behind, do: func(w *world) sandbox.Result {
			user, mine := waiting(w)
			quest := strconv.Itoa(mine.Orderable()[0].Quest)
			return w.command(user, "order", sandbox.Option{Name: "quest", Value: quest}, sandbox.Option{Name: "act", Value: "take"})
		}},
		"a plan": {prepare: placing, do: func(w *world) sandbox.Result {
			t := w.table()
			for i, s := range t.Public().Seats {
				mine, _ := t.Private(s.Person.ID)
				if quests, _ := mine.Plannable(); t.Awaited() != paladin.Seat(i) && len(quests) > 0 {
					return w.pressed(string(s.Person.ID), press.Plan, mine.View.Hand[0].String(), strconv.Itoa(quests[0].Quest),
						strconv.Itoa(quests[0].Most), strconv.Itoa(mine.Game.Round))
				}
			}
			w.t.Fatal("nobody can plan")
			return sandbox.Result{}
		}},
		"a vote to stop":  {prepare: game, do: func(w *world) sandbox.Result { return w.pressed(w.users[1], press.Stop) }},
		"a vote to pause": {prepare: game, do: func(w *world) sandbox.Result { return w.command(w.users[1], "pause") }},
		"leaving":         {prepare: game, do: func(w *world) sandbox.Result { return w.pressed(w.users[1], press.Quit) }},
		"coming back": {prepare: func(w *world) { game(w); w.pressed(w.users[1], press.Quit) }, do: func(w *world) sandbox.Result {
			return w.pressed(w.users[1], press.Back)
		}},
		"playing again": {prepare: func(w *world) { w.over() }, do: func(w *world) sandbox.Result { return w.pressed(w.users[1], press.Again) }},
		"a setting of the server": {prepare: lobby, do: func(w *world) sandbox.Result {
			return w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Settings, "", render.SettingPace, string(table.PaceRelaxed)).String())
		}},
		"a habit": {prepare: lobby, do: func(w *world) sandbox.Result {
			return w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Habits, "", render.HabitWay, string(table.RemindBoth)).String())
		}},
		"being forgotten": {prepare: lobby, do: func(w *world) sandbox.Result {
			return w.forge(w.users[3], w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())
		}},
		"a practice game": {prepare: lobby, do: func(w *world) sandbox.Result { return w.command(w.users[2], "practice") }},
	}
}

// writes are the calls of the store by which something is done for good.
var writes = map[string]bool{"Commit": true, "Put": true, "UpdateUser": true, "Forget": true}

// after lets one thing fail that follows what a person did, and reports whether it failed.
type after struct {
	mu      sync.Mutex
	armed   bool
	written bool
	failed  bool
	// skip is how many calls of the store after the write are let through.
	skip int
}

func (a *after) arm(skip int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed, a.written, a.failed, a.skip = true, false, false, skip
}

func (a *after) disarm() (written, failed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed = false
	return a.written, a.failed
}

// call is called before each call of the store.
func (a *after) call(c storetest.Call) (panics bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.armed || a.failed:
	case !a.written:
		a.written = writes[c.Method]
	case a.skip > 0:
		a.skip--
	default:
		a.failed = true
		return true
	}
	return false
}

// answering is called before each answer.
func (a *after) answering(call string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.armed || a.failed || call != "respond" {
		return false
	}
	a.failed = true
	return true
}

// TestWhatCountedIsNotToBePressedAgain does something of every kind while one thing fails that comes
// after it is on disk: a call of the store, each in turn, or the answer. Nobody is told to press
// again. Where it fails before, everybody is.
func TestWhatCountedIsNotToBePressedAgain(t *testing.T) {
	all := deeds()
	for _, what := range slices.Sorted(maps.Keys(all)) {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := all[what]
			want := english.Say(render.TextCounted)
			if d.moves {
				want = english.Say(render.TextMoveCounted)
			}
			counted := 0
			for skip := range 4 {
				if d.fails(t, "call", skip, want) {
					counted++
				}
			}
			if !d.fails(t, "answer", 0, want) {
				t.Error("whose answer panics is not told that it counted")
			}
			t.Logf("told %d times that it counted", counted)
			d.refused(t)
		})
	}
}

// fails does the deed while something after it fails; true if the person is told that it counted.
func (d *deed) fails(t *testing.T, what string, skip int, want string) (told bool) {
	t.Helper()
	var fault after
	memory, b := storetest.NewMemory(), &buggy{}
	b.panics = func(call, _ string, _ discord.Message) bool { return what == "answer" && fault.answering(call) }
	w := newWorld(t, withStore(memory), withBugs(b, &logOf{}))
	d.prepare(w)
	w.flush()
	memory.Fail(func(c storetest.Call) storetest.Fault {
		if what == "call" && fault.call(c) {
			panic("a bug over one call of the store")
		}
		return storetest.None
	})
	fault.arm(skip)
	said := text(w.reply(d.do(w)))
	_, failed := fault.disarm()
	memory.Fail(nil)
	told = strings.Contains(said, want)
	if failed && strings.Contains(said, english.Say(render.TextFailure)) {
		t.Errorf("a failure of the %s (%d) after it counted is told as:\n%s", what, skip, said)
	}
	w.flush()
	return told
}

// refused does the deed while its write fails: it is to be done again.
func (d *deed) refused(t *testing.T) {
	t.Helper()
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(memory))
	d.prepare(w)
	w.flush()
	memory.Fail(func(c storetest.Call) storetest.Fault {
		if writes[c.Method] {
			return storetest.Before
		}
		return storetest.None
	})
	said := text(w.reply(d.do(w)))
	memory.Fail(nil)
	if !strings.Contains(said, english.Say(render.TextFailure)) && !strings.Contains(said, english.Say(render.TextForgetFailed)) {
		t.Errorf("a failure before it counted is told as:\n%s", said)
	}
}
