package bot_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// tracesOfDM looks for the channel of somebody's direct messages in all that the store holds of tables, besides their id and name.
func (w *world) tracesOfDM(user, name, dm string) []string {
	w.t.Helper()
	found := w.tracesOf(user, name)
	surfaces, err := w.store.Surfaces(w.ctx(), w.table().ID())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range surfaces {
		if s.Channel == dm {
			found = append(found, "surface "+s.Name+" in the direct messages")
		}
	}
	if u, err := w.store.User(w.ctx(), user); err != nil || u.DMChannel != "" || len(u.Data) > 0 {
		found = append(found, "user: "+u.DMChannel+" "+string(u.Data))
	}
	return found
}

// stopNow ends the game as the server's owner, without waiting for what is to be said of it.
func (w *world) stopNow() {
	w.t.Helper()
	w.answered(w.begin(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String()))
}

// TestForgottenWhileADirectMessageIsUnderWay: what comes of it is not stored after the person was forgotten.
func TestForgottenWhileADirectMessageIsUnderWay(t *testing.T) {
	w := newWorld(t)
	const name = "Zacharias"
	user := w.member(1, name)
	w.openGame(3, 0)
	dm, err := w.discord.OpenDM(user)
	if err != nil {
		t.Fatal(err)
	}
	goOn, hangs := make(chan struct{}), make(chan struct{}, 1)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.Path, "/channels/"+dm.ID+"/messages") {
			return nil
		}
		hangs <- struct{}{}
		return &sandbox.Fault{Hang: goOn}
	})
	w.stopNow()
	<-hangs
	forgotten := w.begin(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())
	w.clock.timed(1500 * time.Millisecond)
	w.clock.advance(1500 * time.Millisecond)
	w.answered(forgotten)
	close(goOn)
	if said := text(w.reply(w.result(forgotten, nil))); !strings.Contains(said, "Done.") {
		t.Errorf("the answer: %s", said)
	}
	if left := w.tracesOfDM(user, name, dm.ID); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
}

// TestForgottenBeforeTheyAreTold: what waits to be said to somebody is not said any more once they are forgotten, in no direct message and
// by no mention, while others are told.
func TestForgottenBeforeTheyAreTold(t *testing.T) {
	w := newWorld(t)
	const name = "Zacharias"
	user, other := w.member(1, name), w.users[2]
	for _, u := range []string{user, other} {
		w.label(u, w.reply(w.command(u, "notices")), "Both")
	}
	w.openGame(3, 0)
	down := true
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if down && r.Method == http.MethodPost && r.Route == createRoute {
			return sandbox.ErrorFault(http.StatusServiceUnavailable, 0, "down")
		}
		return nil
	})
	dm, err := w.discord.OpenDM(user)
	if err != nil {
		t.Fatal(err)
	}
	w.stopNow()
	w.settle()
	pending, err := w.store.Pending(w.ctx())
	if err != nil || !slices.ContainsFunc(pending, func(in store.Intent) bool { return store.Mentions(in.Channel, user) }) {
		t.Fatalf("nothing waits for them: %v, %v", pending, err)
	}
	calls := w.mentions(other)
	w.answered(w.begin(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String()))
	w.settle()
	down = false
	asked := len(w.discord.Requests())
	w.pass(time.Hour)
	for _, r := range w.discord.Requests()[asked:] {
		if r.Status >= http.StatusBadRequest || strings.Contains(r.Path, dm.ID) || store.Mentions(r.Body, user) || strings.Contains(string(r.Body), "gone-") {
			t.Errorf("%s %s %d: %s", r.Method, r.Path, r.Status, r.Body)
		}
	}
	if now := w.mentions(other); now != calls+1 {
		t.Errorf("the other was called %d times", now-calls)
	}
	if left := w.tracesOfDM(user, name, dm.ID); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
}

// TestForgottenWhileSomethingIsUnsettled: what Discord was told and the store could not take is settled before anybody is forgotten, and
// while it cannot be, nobody is told that they were.
func TestForgottenWhileSomethingIsUnsettled(t *testing.T) {
	memory := storetest.NewMemory()
	w := newWorld(t, withStore(memory))
	const name = "Zacharias"
	user := w.member(1, name)
	w.openGame(3, 0)
	dm, err := w.discord.OpenDM(user)
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.UpdateUser(context.Background(), user, func(u *store.User) { u.DMChannel = "" }); err != nil {
		t.Fatal(err)
	}
	// Nothing of the table is said while something of it cannot be settled: theirs must come first.
	goOn, kept := make(chan struct{}), make(chan struct{}, 1)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.Contains(r.Path, "/messages") && !strings.Contains(r.Path, "/channels/"+dm.ID+"/") {
			return &sandbox.Fault{Hang: goOn}
		}
		return nil
	})
	memory.Fail(func(c storetest.Call) storetest.Fault {
		if c.Method != "Settle" {
			return storetest.None
		}
		select {
		case kept <- struct{}{}:
		default:
		}
		return storetest.Before
	})
	w.stopNow()
	<-kept
	close(goOn)
	w.flush()
	forget := func() string {
		t.Helper()
		return text(w.reply(w.forge(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())))
	}
	mustSay(t, "while it cannot be settled", forget(), english.Say(render.TextForgetFailed))
	memory.Fail(nil)
	mustSay(t, "when it can", forget(), "Done.")
	w.pass(time.Hour)
	if left := w.tracesOfDM(user, name, dm.ID); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
}

// TestForgottenWhileAnAnswerIsUnderWay: what is remembered after an answer is not remembered of somebody who was forgotten before it
// arrived: neither that they looked, nor their language, nor that they show a replay.
func TestForgottenWhileAnAnswerIsUnderWay(t *testing.T) {
	w := newWorld(t)
	const name = "Zacharias"
	user := w.member(4, name)
	over := w.over()
	w.command(w.users[0], "new")
	w.label(w.users[1], w.board(), "Join")
	w.label(w.users[0], w.board(), "Add a squire")
	w.label(w.users[0], w.board(), "Start")
	for what, id := range map[string]press.ID{
		"My seat": press.New(press.Seat, w.table().ID()), "a replay": press.New(press.Share, over, "all", "1"), "the rules": press.New(press.Rules, ""),
	} {
		w.locale(user, "fr")
		goOn, hangs := make(chan struct{}), make(chan struct{}, 1)
		slow := true
		w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
			if !slow || r.Route != callbackRoute {
				return nil
			}
			slow = false
			hangs <- struct{}{}
			return &sandbox.Fault{Hang: goOn}
		})
		i := w.begin(user, w.channel, w.board().ID, id.String())
		<-hangs
		forgotten := w.begin(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String())
		w.answered(forgotten)
		close(goOn)
		w.answered(i)
		w.flush()
		w.discord.Fault(nil)
		if left := w.tracesOf(user, name); len(left) > 0 {
			t.Errorf("after %s, left of the person:\n%s", what, strings.Join(left, "\n"))
		}
	}
}

// TestTheForgottenAreToldTheTruth by the buttons that stand in their direct messages.
func TestTheForgottenAreToldTheTruth(t *testing.T) {
	w := newWorld(t)
	user := w.member(1, "Zacharias")
	w.openGame(3, 0)
	w.pass(time.Minute)
	panel, ok := w.dm(user)
	if !ok {
		t.Fatal("no direct message")
	}
	refresh := press.New(press.Refresh, w.table().ID()).String()
	w.stopNow()
	w.flush()
	panel, _ = w.dm(user)
	w.answered(w.begin(user, w.channel, w.board().ID, press.New(press.Me, "", render.MeForget).String()))
	w.flush()
	for range 2 {
		said := text(w.reply(w.forge(user, panel.ChannelID, panel.ID, refresh)))
		mustSay(t, "the press", said, english.Say(render.TextNoPart))
	}
}
