package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
)

// lie is an answer that says, for good, what is not true.
type lie struct {
	status, code int
	html         bool
}

func (l lie) String() string {
	if l.html {
		return fmt.Sprintf("%d in HTML", l.status)
	}
	return fmt.Sprintf("%d %d", l.status, l.code)
}

func (l lie) fault() *sandbox.Fault {
	if l.html {
		header := http.Header{"Content-Type": {"text/html"}}
		return &sandbox.Fault{Status: l.status, Header: header, Body: []byte("<html><title>no</title></html>")}
	}
	return sandbox.ErrorFault(l.status, l.code, "no such thing")
}

// finalLies are the answers that a program may take for the end of something.
var finalLies = []lie{
	noAccess, noChannel, noGuild, noMember, noMessage, noUser, noDM, noMutual, notOurs, noPage,
	portal, barred, tooMany, {status: 403, code: 50013}, {status: 400, code: 50024},
}

// liedTo are the kinds of calls that are lied to, each with what a request of it looks like.
var liedTo = map[string]func(w *world, r sandbox.Request) bool{
	"edit of the board": func(w *world, r sandbox.Request) bool {
		return r.Method == http.MethodPatch && r.Route == editRoute && strings.Contains(r.Path, w.channel)
	},
	"edit by token": func(_ *world, r sandbox.Request) bool {
		return r.Method == http.MethodPatch && strings.HasPrefix(r.Route, "/webhooks/")
	},
	"message in the channel": func(w *world, r sandbox.Request) bool {
		return r.Method == http.MethodPost && r.Route == createRoute && strings.Contains(r.Path, w.channel)
	},
	"direct message": func(w *world, r sandbox.Request) bool {
		return r.Method == http.MethodPost && r.Route == createRoute && !strings.Contains(r.Path, w.channel)
	},
	"opening of direct messages": func(_ *world, r sandbox.Request) bool { return r.Route == "/users/@me/channels" },
	"look-up of a member":        func(_ *world, r sandbox.Request) bool { return r.Route == memberRoute },
	"look-up of a channel": func(_ *world, r sandbox.Request) bool {
		return r.Method == http.MethodGet && r.Route == channelRoute
	},
}

// unknownChannel is what people read of a channel that Discord does not know.
const unknownChannel = "it does not know the channel of this game"

const (
	memberRoute  = "/guilds/{guild}/members/{user}"
	channelRoute = "/channels/{channel}"
)

// TestAFinalAnswerOnceEndsNothing answers once with each code that may mean the end of something to
// each kind of call, while all is well: the game goes on, nobody loses their seat, the board shows
// the truth, and whoever is to move is told of it.
func TestAFinalAnswerOnceEndsNothing(t *testing.T) {
	for name, of := range liedTo {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range finalLies {
				t.Run(l.String(), func(t *testing.T) {
					w := newWorld(t)
					lies := w.lied(of, l)
					w.throughADay(name != "edit by token")
					if lies() == 0 {
						t.Fatal("nobody was lied to")
					}
					w.mustGoOn()
				})
			}
		})
	}
}

// lied answers the first request of a kind with a lie, and returns how many lies were told. A
// look-up of the channel is made because an edit of the board was lied to.
func (w *world) lied(of func(*world, sandbox.Request) bool, l lie) func() int32 {
	var told, edits atomic.Int32
	probed := of(w, sandbox.Request{Method: http.MethodGet, Route: channelRoute})
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		switch {
		case of(w, r) && told.CompareAndSwap(0, 1):
			return l.fault()
		case probed && liedTo["edit of the board"](w, r) && edits.Add(1) == 1:
			return noChannel.fault()
		}
		return nil
	})
	return told.Load
}

// throughADay opens a game of people who are told in every way, and lets them move, be reminded and
// move again.
func (w *world) throughADay(tokensEnd bool) {
	w.t.Helper()
	w.openPaced(3, 0, table.PaceDaily)
	for _, user := range w.users[:3] {
		both := press.New(press.Habits, "", render.HabitWay, string(table.RemindBoth))
		w.pressID(user, w.reply(w.command(user, "notices")), both)
	}
	if tokensEnd {
		w.pass(20 * time.Minute) // those of the presses so far, which could edit the board
	}
	rng := rand.New(rand.NewPCG(3, 1))
	w.moveByDM(rng)
	w.pass(9 * time.Hour) // a reminder, and a look-up
	w.label(w.awaited(), w.board(), "My seat")
	w.moveByDM(rng)
	w.move()
	w.pass(2 * time.Hour)
}

// moveByDM lets whoever is awaited move where the channel is not touched.
func (w *world) moveByDM(rng *rand.Rand) {
	w.t.Helper()
	user, prompt := w.awaited(), w.table().Prompt()
	panel, ok := w.dm(user)
	if !ok || !hasMove(panel) {
		w.forge(user, w.channel, w.board().ID, w.moveID())
		return
	}
	for range manyPresses {
		if panel = w.random(rng, user, panel); w.table().Prompt() != prompt {
			return
		}
	}
	w.t.Fatalf("no move by direct message:\n%s", text(panel))
}

// mustGoOn holds the game against the truth, and plays one more move.
func (w *world) mustGoOn() {
	w.t.Helper()
	for round := range 2 {
		at := w.table()
		if at.Stage() != table.Playing {
			w.t.Fatalf("round %d: the game is %s: %s", round, at.Stage(), at.Reason())
		}
		public := at.PublicAt(defaultHabits)
		for _, s := range public.Seats {
			if s.Away {
				w.t.Fatalf("round %d: the seat of %s is with a squire", round, s.Person.Name)
			}
		}
		if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
			w.t.Errorf("round %d: still to be said: %+v %v", round, pending, err)
		}
		w.mustShowTheTruth()
		if round == 1 {
			return
		}
		before, last := w.tellsNext()
		w.pass(3 * time.Hour)
		if got := w.toldSince(w.awaited(), before); got.dms+got.mentions == 0 {
			w.t.Errorf("%s, whose move it is after that of %s, was told nothing", w.awaited(), last)
		}
	}
}

// TestOneAbsentAnswerTakesNobodysSeat: one wrong "unknown member" at a reminder would hand the seat
// of the only person to a squire, and with it end the game. A second one some time later is
// believed.
func TestOneAbsentAnswerTakesNobodysSeat(t *testing.T) {
	for _, code := range []int{10007, 10013} {
		w := newWorld(t)
		w.openPaced(1, 2, table.PaceDaily)
		var asked atomic.Int32
		wrong := int32(1)
		w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
			if r.Route == memberRoute && asked.Add(1) <= wrong {
				return sandbox.ErrorFault(http.StatusNotFound, code, "Unknown Member")
			}
			return nil
		})
		w.pass(9 * time.Hour)
		if n := asked.Load(); n != 2 {
			t.Errorf("%d: the server was asked %d times, not once and once more", code, n)
		}
		public := w.table().Public()
		if w.table().Stage() != table.Playing || !public.Seats[0].Human() || public.Seats[0].Away {
			t.Fatalf("%d: the game is %s (%s), seat %+v", code, w.table().Stage(), w.table().Reason(), public.Seats[0])
		}
	}
}

// TestTheSeatOfWhoLeftGoesToASquire, once Discord says so twice, some time apart.
func TestTheSeatOfWhoLeftGoesToASquire(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	user := w.awaited()
	if err := w.discord.RemoveMember(w.guild, user); err != nil {
		t.Fatal(err)
	}
	w.users = slices.DeleteFunc(w.users, func(u string) bool { return u == user })
	away := func() bool {
		public := w.table().Public()
		return public.Seats[public.SeatOf(table.UserID(user))].Away
	}
	asked := func() (n int) {
		for _, r := range w.discord.Requests() {
			if r.Route == memberRoute {
				n++
			}
		}
		return n
	}
	for asked() == 0 {
		if w.pass(time.Minute); w.clock.Now().Hour() == 11 {
			t.Fatal("nobody looks for them")
		}
	}
	if away() {
		t.Fatal("the seat went at the first look")
	}
	w.pass(11 * time.Minute)
	if !away() {
		t.Fatal("the second look was not believed")
	}
}

// TestOneClosedDirectMessageIsNotThreeDays: whoever was refused one direct message is told in the
// channel, and directly again soon.
func TestOneClosedDirectMessageIsNotThreeDays(t *testing.T) {
	for _, l := range []lie{noDM, noAccess, noUser} {
		t.Run(l.String(), func(t *testing.T) {
			w := newWorld(t)
			w.openGame(3, 0)
			lies := w.lied(liedTo["direct message"], l)
			before, _ := w.tellsNext()
			w.pass(time.Minute)
			user := w.awaited()
			if got := w.toldSince(user, before); lies() != 1 || got != (told{0, 1}) {
				t.Fatalf("after %d lies %s was told %+v", lies(), user, got)
			}
			w.pass(2 * time.Hour)
			for w.move(); w.awaited() != user; w.move() {
				before = w.toldSince(user, told{})
			}
			w.flush()
			if got := w.toldSince(user, before); got != (told{1, 0}) {
				t.Errorf("two hours later %s was told %+v", user, got)
			}
		})
	}
	t.Run("refused again", func(t *testing.T) {
		w := newWorld(t)
		w.openGame(3, 0)
		user := w.users[1]
		if err := w.discord.CloseDMs(user, true); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for w.move(); w.awaited() != user; w.move() {
				w.flush()
			}
			w.pass(2 * time.Hour)
		}
		u, err := w.store.User(w.ctx(), user)
		if err != nil || u.DMClosedUntil.Sub(w.clock.Now()) < 2*24*time.Hour {
			t.Errorf("somebody who takes none is left alone until %v (%v)", u.DMClosedUntil, err)
		}
	})
}

// TestALostBoardThatStandsLeadsOn: a board that Discord did not know for once stands beside the new
// one, and leads to it.
func TestALostBoardThatStandsLeadsOn(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.pass(20 * time.Minute)
	old := w.board()
	lies := w.lied(liedTo["edit of the board"], lie{status: 404, code: 10008})
	w.move()
	w.flush()
	live := w.board()
	if lies() != 1 || live.ID == old.ID {
		t.Fatal("no new board was posted")
	}
	after, err := w.discord.Message(w.users[0], old.ChannelID, old.ID)
	if err != nil || has(after, press.Seat) || !strings.Contains(fmt.Sprint(after.Components), live.ID) {
		t.Errorf("the old board does not lead to the new one (%v):\n%s", err, text(after))
	}
}

// TestCommandsRefusedOnceAreRegistered: a program whose commands were called invalid once is not
// without them for ever.
func TestCommandsRefusedOnceAreRegistered(t *testing.T) {
	w := newWorld(t)
	w.stop()
	var refused atomic.Int32
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.HasSuffix(r.Route, "/commands") && refused.CompareAndSwap(0, 1) {
			return sandbox.ErrorFault(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		return nil
	})
	var ready atomic.Bool
	go func() {
		for !ready.Load() { // the ticker waits for hours as well
			w.clock.timed(time.Hour)
			w.clock.advance(time.Hour)
		}
	}()
	w.start(nil) // returns when the commands are registered
	ready.Store(true)
	if refused.Load() != 1 {
		t.Error("nothing was refused")
	}
}

// swallow keeps events of one kind from the bot.
func (w *world) swallow(kind string) {
	w.discord.FaultDispatch(func(d sandbox.Dispatch) []sandbox.Dispatch {
		if d.Type == kind {
			return nil
		}
		return []sandbox.Dispatch{d}
	})
}

// closed reports whether a table was closed because its channel is gone; for any other end the test
// fails.
func (w *world) closed(id string) bool {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	at, err := table.Decode(row.Snapshot)
	if err != nil {
		w.t.Fatal(err)
	}
	if !at.Live() && at.Reason() != table.ClosedChannel {
		w.t.Fatalf("the game is %s: %s", at.Stage(), at.Reason())
	}
	return !at.Live()
}

// mustTellTheEndOnce: everybody who sat was told once by direct message that the game is over.
func (w *world) mustTellTheEndOnce(users []string) {
	w.t.Helper()
	for _, user := range users {
		n := 0
		for _, m := range w.dms(user) {
			if strings.Contains(text(m), "has ended: its channel is gone") {
				n++
			}
		}
		if n != 1 {
			w.t.Errorf("%s was told %d times that the game is over", user, n)
		}
	}
}

// TestADeletedChannelNobodyToldOf: no event says that the channel was deleted, and Discord says the
// same for hours. The game waits, its people read why, nobody's time runs out; then it is closed.
func TestADeletedChannelNobodyToldOf(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceLive)
	w.pass(20 * time.Minute)
	id, rng := w.table().ID(), rand.New(rand.NewPCG(1, 1))
	home := w.channel
	w.swallow("CHANNEL_DELETE")
	if err := w.discord.DeleteChannel(home); err != nil {
		t.Fatal(err)
	}
	user := w.awaited()
	panel, _ := w.dm(user)
	for prompt := w.table().Prompt(); w.table().Prompt() == prompt; {
		panel = w.random(rng, user, panel)
	}
	w.flush()
	first := w.clock.Now()
	panel = w.reply(w.pressKind(user, panel, press.Refresh))
	mustSay(t, "the panel", text(panel), unknownChannel, fmt.Sprintf("<t:%d:R>", first.Unix()),
		fmt.Sprintf("<t:%d:f>", first.Add(12*time.Hour).Unix()))
	list := text(w.reply(w.at(w.otherChannel()).command(user, "games")))
	mustSay(t, "the list of games", list, "Discord does not know its channel", "<#"+home+">")
	prompt := w.table().Prompt()
	for w.clock.Now().Sub(first) < 12*time.Hour-time.Minute {
		w.pass(time.Hour - time.Second)
		if w.closed(id) && w.clock.Now().Sub(first) < 12*time.Hour {
			t.Fatalf("the game is closed after %v", w.clock.Now().Sub(first))
		}
		if w.table().Prompt() != prompt {
			t.Fatal("somebody's time ran out while the game waited")
		}
	}
	w.pass(2 * time.Hour)
	if !w.closed(id) {
		t.Fatal("the game is never closed")
	}
	w.mustTellTheEndOnce(w.users[:3])
	asked := 0
	for _, r := range w.discord.Requests() {
		if strings.Contains(r.Path, home) && r.Status == http.StatusNotFound {
			asked++
		}
	}
	if asked < 8 || asked > 60 {
		t.Errorf("Discord was asked %d times", asked)
	}
	w.channel = w.otherChannel()
	w.openGame(3, 0)
}

// TestARestartInTheMiddleOfADoubt begins the count anew, and the game ends all the same.
func TestARestartInTheMiddleOfADoubt(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	w.pass(20 * time.Minute)
	id := w.table().ID()
	w.swallow("CHANNEL_DELETE")
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	w.moveByDM(rand.New(rand.NewPCG(1, 1)))
	w.pass(11 * time.Hour)
	w.stop()
	w.clock.advance(5 * time.Minute)
	w.start(nil)
	w.pass(11 * time.Hour)
	if w.closed(id) {
		t.Fatal("the answers before the restart count")
	}
	w.pass(3 * time.Hour)
	if !w.closed(id) {
		t.Fatal("the game is never closed")
	}
	w.mustTellTheEndOnce(w.users[:3])
}

// TestADeletedThread counts by its event alone, as a deleted channel does.
func TestADeletedThread(t *testing.T) {
	w := newWorld(t)
	thread, err := w.discord.AddThread(w.channel, "a game")
	if err != nil {
		t.Fatal(err)
	}
	home := w.channel
	w.channel = thread.ID
	w.openPaced(3, 0, table.PaceDaily)
	id := w.table().ID()
	if err := w.discord.DeleteChannel(thread.ID); err != nil {
		t.Fatal(err)
	}
	w.channel = home
	w.waitFor("the end", func() bool { return w.closed(id) })
	w.flush()
	w.mustTellTheEndOnce(w.users[:3])
}

// TestHoursOfAnswersThatOneSuccessEnds: a doubt that was nearly certain begins anew after a single
// success.
func TestHoursOfAnswersThatOneSuccessEnds(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	w.pass(20 * time.Minute)
	var lying atomic.Bool
	lying.Store(true)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if lying.Load() && strings.HasPrefix(r.Path, "/api/v10/channels/"+w.channel) {
			return sandbox.ErrorFault(http.StatusNotFound, 10003, "Unknown Channel")
		}
		return nil
	})
	id, rng := w.table().ID(), rand.New(rand.NewPCG(1, 1))
	for range 2 {
		w.moveByDM(rng)
		w.pass(11 * time.Hour)
		if w.closed(id) {
			t.Fatal("the game is closed")
		}
		lying.Store(false)
		w.pass(time.Hour)
		mustSay(t, "the board", text(w.board()), mentionOf(w.awaited()))
		lying.Store(true)
	}
}

// TestAPressInTheChannelEndsTheDoubt: where somebody presses there is a channel. The doctor, asked
// there, says what Discord says now.
func TestAPressInTheChannelEndsTheDoubt(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	w.pass(20 * time.Minute)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.HasPrefix(r.Path, "/api/v10/channels/"+w.channel) {
			return sandbox.ErrorFault(http.StatusNotFound, 10003, "Unknown Channel")
		}
		return nil
	})
	w.moveByDM(rand.New(rand.NewPCG(1, 1)))
	for range 30 {
		w.pass(time.Hour)
		report := text(w.reply(w.command(w.users[3], "doctor")))
		mustSay(t, "the report", report, unknownChannel, fmt.Sprintf("<t:%d:R>", w.clock.Now().Unix()))
	}
	if w.table().Stage() != table.Playing {
		t.Fatalf("the game is %s: %s", w.table().Stage(), w.table().Reason())
	}
	w.discord.Fault(nil)
	report := text(w.reply(w.command(w.users[3], "doctor")))
	mustNotSay(t, "the report", report, "it does not know")
	mustSay(t, "the board", text(w.board()), mentionOf(w.awaited()))
}

// TestAnOutageThatLies: the server is unavailable for a day, and Discord says of all that is in it
// that there is no such thing. Nothing is closed, and when it is back everybody is told what they
// have missed.
func TestAnOutageThatLies(t *testing.T) {
	for _, l := range []lie{noAccess, noChannel, noGuild, noMember} {
		t.Run(l.String(), func(t *testing.T) {
			w := newWorld(t)
			w.openPaced(3, 0, table.PaceDaily)
			w.pass(20 * time.Minute)
			id := w.table().ID()
			var lies atomic.Int32
			w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
				if strings.HasPrefix(r.Path, "/api/v10/channels/"+w.channel) || r.Route == memberRoute {
					lies.Add(1)
					return l.fault()
				}
				return nil
			})
			panel, _ := w.dm(w.awaited())
			if err := w.discord.GuildUnavailable(w.guild, true); err != nil {
				t.Fatal(err)
			}
			rng, user := rand.New(rand.NewPCG(1, 1)), w.awaited()
			for prompt := w.table().Prompt(); w.table().Prompt() == prompt; {
				panel = w.random(rng, user, panel)
			}
			w.pass(24 * time.Hour)
			if w.closed(id) || lies.Load() == 0 {
				t.Fatalf("after %d lies the game is closed: %v", lies.Load(), w.closed(id))
			}
			w.discord.Fault(nil)
			if err := w.discord.GuildUnavailable(w.guild, false); err != nil {
				t.Fatal(err)
			}
			w.command(w.users[3], "rules")
			w.pass(20 * time.Minute)
			w.mustShowTheTruth()
		})
	}
}

func (w *world) mustShowTheTruth() {
	w.t.Helper()
	public := w.table().PublicAt(defaultHabits)
	shown := w.board().Components
	if got, want := flat(shown), flatMessage(w.t, boardLike(w.t, &public, render.Links{}, shown)); got != want {
		w.t.Errorf("the board is not the truth:\n%s\nbut:\n%s", got, want)
	}
}

// TestARemovalIsConfirmedByTheChannel: a GUILD_DELETE, or an absence from READY, closes a game when
// the channel says so too, whenever that answer comes, and not when the channel is there.
func TestARemovalIsConfirmedByTheChannel(t *testing.T) {
	w := newWorld(t)
	other := w.sharedServer(w.users[:3]...)
	w.openPaced(3, 0, table.PaceDaily)
	w.pass(20 * time.Minute)
	id := w.table().ID()
	probes := func() (n int) {
		for _, r := range w.discord.Requests() {
			if r.Method == http.MethodGet && r.Route == channelRoute {
				n++
			}
		}
		return n
	}
	// An outage that is told as a removal.
	w.discord.FaultDispatch(func(d sandbox.Dispatch) []sandbox.Dispatch {
		if d.Type == "GUILD_DELETE" {
			d.Data, _ = json.Marshal(map[string]string{"id": w.guild})
		}
		return []sandbox.Dispatch{d}
	})
	for _, down := range []bool{true, false} {
		if err := w.discord.GuildUnavailable(w.guild, down); err != nil {
			t.Fatal(err)
		}
	}
	w.waitFor("a question", func() bool { return probes() > 0 })
	// READY that leaves the server out, and nothing announces it.
	w.discord.FaultDispatch(func(d sandbox.Dispatch) []sandbox.Dispatch {
		var data map[string]json.RawMessage
		switch {
		case json.Unmarshal(d.Data, &data) != nil:
		case d.Type == "READY":
			data["guilds"] = json.RawMessage(`[{"id":"1","unavailable":true}]`)
			d.Data, _ = json.Marshal(data)
		case d.Type == "GUILD_CREATE" && string(data["id"]) == strconv.Quote(w.guild):
			return nil
		}
		return []sandbox.Dispatch{d}
	})
	for range 2 {
		before := probes()
		w.stop()
		w.start(nil)
		w.waitFor("a question", func() bool { return probes() > before })
		w.pass(time.Hour)
	}
	w.discord.FaultDispatch(nil)
	if w.closed(id) {
		t.Fatal("the game is closed although its channel is there")
	}
	w.moveByDM(rand.New(rand.NewPCG(1, 1)))
	w.flush()
	w.mustShowTheTruth()
	// A removal, while something in front of Discord answers in its place.
	var ill atomic.Bool
	ill.Store(true)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if ill.Load() && r.Method == http.MethodGet && r.Route == channelRoute {
			if r.Time.Minute()%2 == 0 {
				header := http.Header{"Content-Type": {"application/json"}}
				return &sandbox.Fault{Status: http.StatusOK, Header: header, Body: []byte("{}")}
			}
			return lie{status: http.StatusOK, html: true}.fault()
		}
		return nil
	})
	before := probes()
	if err := w.discord.KickBot(w.guild); err != nil {
		t.Fatal(err)
	}
	w.waitForElsewhere(other, func() bool { return probes() > before })
	w.pass(time.Hour)
	if w.closed(id) {
		t.Fatal("the game is closed and nobody knows whether the channel is gone")
	}
	ill.Store(false)
	w.pass(6 * time.Minute)
	if !w.closed(id) {
		t.Fatal("the game is not closed")
	}
	w.mustTellTheEndOnce(w.users[:3])
}

// waitForElsewhere is waitFor where the bot is no longer in the world's own server.
func (w *world) waitForElsewhere(guild string, holds func() bool) {
	w.t.Helper()
	for _, c := range w.channels(w.users[0]) {
		if c.GuildID == guild {
			elsewhere := *w
			elsewhere.channel, elsewhere.users = c.ID, []string{w.users[0], w.users[1], w.users[2], w.users[0]}
			elsewhere.waitFor("a question", holds)
			return
		}
	}
	w.t.Fatal("no channel elsewhere")
}
