package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// panelText is what My seat shows to this person.
func (w *world) panelText(user string) string {
	w.t.Helper()
	return text(w.reply(w.label(user, w.board(), "My seat")))
}

func mustSay(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Errorf("%s lacks %q:\n%s", what, s, got)
		}
	}
}

func mustNotSay(t *testing.T, what, got string, unwanted ...string) {
	t.Helper()
	for _, s := range unwanted {
		if strings.Contains(got, s) {
			t.Errorf("%s says %q:\n%s", what, s, got)
		}
	}
}

func (w *world) openPaced(people, squires int, pace table.Pace) {
	w.t.Helper()
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: max(people+squires, 3)}, sandbox.Option{Name: "pace", Value: string(pace)})
	for _, user := range w.users[1:people] {
		w.label(user, w.board(), "Join")
	}
	for range squires {
		w.label(w.users[0], w.board(), "Add a squire")
	}
	w.label(w.users[0], w.board(), "Start")
}

func TestThePaceIsShownAndChosen(t *testing.T) {
	w := newWorld(t)
	w.command(w.users[0], "new", sandbox.Option{Name: "pace", Value: "slow"})
	mustSay(t, "the lobby", text(w.board()), "72 hours")
	manage := w.reply(w.label(w.users[0], w.board(), "Manage"))
	w.label(w.users[0], manage, "Relaxed")
	mustSay(t, "the lobby", text(w.board()), "12 hours")
	if pace := w.table().Public().Options.Pace; pace != table.PaceRelaxed {
		t.Errorf("the pace is %q", pace)
	}
	for range 2 {
		w.label(w.users[0], w.board(), "Add a squire")
	}
	began := w.clock.Now()
	w.label(w.users[0], w.board(), "Start")
	until := fmt.Sprintf("deadline <t:%d:R>", began.Add(12*time.Hour).Unix())
	mustSay(t, "the board", text(w.board()), until, "<@"+w.users[0]+">")
	mustSay(t, "the panel's doctor", text(w.reply(w.command(w.users[0], "doctor"))), until)
	mustSay(t, "the spectator's view", w.panelText(w.users[3]), until)
}

func TestTimeRunsOutThreeTimes(t *testing.T) {
	w := newWorld(t)
	w.openPaced(1, 2, table.PaceDaily)
	for missed := 1; missed <= table.MaxMissed; missed++ {
		w.pass(24*time.Hour + time.Minute)
		if got := w.table().Public().Seats[0].Missed; got != missed && missed < table.MaxMissed {
			t.Fatalf("%d turns ran out, %d are counted", missed, got)
		}
	}
	at := w.table()
	if at.Stage() != table.Closed {
		t.Fatalf("the last person is gone for good, and the game is %s", at.Stage())
	}

	w = newWorld(t)
	w.openPaced(2, 1, table.PaceDaily)
	ann := w.users[0]
	for w.table().Stage() == table.Playing && !w.table().Public().Seats[0].Away {
		if w.awaited() == ann {
			w.pass(24*time.Hour + time.Minute)
			mustSay(t, "the log", text(w.reply(w.label(ann, w.board(), "Log"))), "⏰", "a squire moved")
			continue
		}
		w.playOn(rand.New(rand.NewPCG(1, 2)))
	}
	if missed := w.table().Public().Seats[0].Missed; missed != table.MaxMissed {
		t.Errorf("the squire keeps the seat after %d turns", missed)
	}
	panel := w.reply(w.label(ann, w.board(), "My seat"))
	mustSay(t, "the panel", text(panel), "I am back", "A squire plays your seat")
	mustSay(t, "the answer", text(w.reply(w.label(ann, panel, "I am back"))), "Welcome back")
	if w.table().Public().Seats[0].Away {
		t.Error("Ann is still away")
	}
}

// late opens a game of three people and lets the time of one who is not the host run out; it returns who that is.
func (w *world) late() (string, paladin.Seat) {
	w.t.Helper()
	w.openPaced(3, 0, table.PaceDaily)
	rng := rand.New(rand.NewPCG(3, 3))
	for w.awaited() == w.users[0] {
		w.playOn(rng)
	}
	user := w.awaited()
	seat := w.table().SeatOf(table.UserID(user))
	w.pass(24*time.Hour + time.Minute)
	return user, seat
}

// acceptAll has everybody accept the first offer to stand in who may, until somebody stands in.
func (w *world) acceptAll() {
	w.t.Helper()
	seat := w.table().Public().Offers[0].Seat
	for i, s := range w.table().Public().Seats {
		if s.Human() && !s.Away && paladin.Seat(i) != seat && len(w.table().Public().Offers) > 0 {
			w.label(string(s.Person.ID), w.board(), "Accept")
		}
	}
	if len(w.table().Public().Offers) > 0 {
		w.t.Fatalf("nobody stands in: %+v", w.table().Public().Offers)
	}
}

func TestStandInTakesOverAndTheOwnerReturns(t *testing.T) {
	w := newWorld(t)
	owner, seat := w.late()
	ann, eve := w.users[0], w.users[4]
	ownerDM, _ := w.dm(owner)
	refresh := press.New(press.Refresh, w.table().ID()).String() // a client keeps the buttons
	w.forge(owner, ownerDM.ChannelID, ownerDM.ID, refresh)
	board := w.board()
	mustSay(t, "the board", text(board), "Stand in for")
	mustSay(t, "a player's offer", text(w.reply(w.label(ann, board, "Stand in for"))), "another seat")
	mustSay(t, "the offer", text(w.reply(w.label(eve, board, "Stand in for"))), "offer stands")
	mustSay(t, "a second offer", text(w.reply(w.label(eve, w.board(), "Stand in for"))), "waits for an answer")
	mustSay(t, "the board", text(w.board()), "offers to stand in", "Accept")
	ask, _ := w.dm(ann)
	mustSay(t, "the host's message", text(ask), "offers to stand in", "Accept")
	mustSay(t, "Eve's own accept", text(w.reply(w.label(eve, w.board(), "Accept"))), "no seat")
	before, _ := w.table().Private(table.UserID(owner))
	notices := w.choose(owner, w.reply(w.command(owner, "notices")), render.HabitLanguage, "fr")
	mustSay(t, "the host's accept", text(w.reply(w.label(ann, ask, "Accept"))), "1 of 2")
	other := w.otherThan(ann, owner)
	otherAsk, _ := w.dm(other)
	mustSay(t, "the other's message", text(otherAsk), "offers to stand in", "It takes 2 votes of the other players", "the host's alone is enough")
	mustSay(t, "the other's accept", text(w.reply(w.label(other, otherAsk, "Accept"))), "plays the seat from now on")

	mine, ok := w.table().Private(table.UserID(eve))
	if !ok || mine.Seat != seat || len(mine.View.Hand) == 0 || len(before.View.Peeked) != len(mine.View.Peeked) {
		t.Fatalf("Eve has seat %v, %v", mine.Seat, ok)
	}
	evesDM, _ := w.dm(eve)
	mustSay(t, "Eve's message", text(evesDM), "You stand in for", "Your hand")
	if strings.Contains(text(w.board()), "Stand in for") {
		t.Error("the board still offers the seat")
	}
	// The old owner's buttons are dead, whichever message they stand on.
	dead, err := w.discord.Message(owner, ownerDM.ChannelID, ownerDM.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustNotSay(t, "the owner's old message", text(dead), "Your hand")
	mustSay(t, "the owner's old message", text(dead), render.NewPrinter("fr").Say("presence.no_longer_yours"))
	told, _ := w.dm(owner)
	mustSay(t, "what the owner is told", text(told), "te remplace", "voit ta main", "Eve", "Reprendre ma place")
	mustNotSay(t, "what the owner is told", text(told), "Ta main :")
	w.choose(owner, notices, render.HabitLanguage, render.NoLanguage)
	answer := w.reply(w.forge(owner, ownerDM.ChannelID, ownerDM.ID, press.New(press.Refresh, w.table().ID()).String()))
	mustSay(t, "the owner's press in the DM", text(answer), "stands in for you", "Take my seat back")
	mustNotSay(t, "the owner's press in the DM", text(answer), "Your hand")
	prompt := w.table().Prompt()
	answer = w.reply(w.forge(owner, board.ChannelID, board.ID, press.For(press.First, w.table().ID(), prompt, "1").String()))
	mustSay(t, "the owner's old button", text(answer), "Take my seat back")
	if w.table().Prompt() != prompt {
		t.Error("the old owner moved")
	}
	mustSay(t, "the owner's command", text(w.reply(w.command(owner, "place", sandbox.Option{Name: "card", Value: "1"}, sandbox.Option{Name: "quest", Value: "1"}))), "Take my seat back")

	panel := w.reply(w.label(owner, w.board(), "My seat"))
	back := w.reply(w.label(owner, panel, "Take my seat back"))
	mustSay(t, "the owner's panel", text(back), "the seat is yours again", "Your hand", "saw its cards: **Eve**")
	evesDM, err = w.discord.Message(eve, evesDM.ChannelID, evesDM.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustNotSay(t, "Eve's message", text(evesDM), "Your hand", "yours") // it never was hers
	mustSay(t, "Eve's press", text(w.reply(w.label(eve, evesDM, "My seat"))), "Thank you for standing in")
	mustSay(t, "the log", text(w.reply(w.label(eve, w.board(), "Log"))), "offers to stand in", "stands in for", "sees that hand", "no longer stands in, but has seen the hand")
	mustSay(t, "taking back twice", text(w.reply(w.forge(owner, board.ChannelID, board.ID, press.New(press.Reclaim, w.table().ID()).String()))), "your seat is your own")
}

func TestTheOthersAcceptWhereTheHostIsLate(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	w.pass(24*time.Hour + time.Minute) // Ann, the host, deals and does not
	eve := w.users[4]
	w.label(eve, w.board(), "Stand in for")
	for n, user := range w.users[1:3] {
		dm, ok := w.dm(user)
		if !ok || !strings.Contains(text(dm), "Accept") {
			t.Fatalf("player %d was not asked", n+2)
		}
		answer := text(w.reply(w.label(user, dm, "Accept")))
		if n == 0 {
			mustSay(t, "the first vote", answer, "1 of 2")
			mustSay(t, "the same vote twice", text(w.reply(w.label(user, dm, "Accept"))), "voted already")
		}
	}
	if w.table().SeatOf(table.UserID(eve)) != 0 || w.table().Public().Host != table.UserID(eve) {
		t.Error("Eve does not sit on the host's seat, as the host")
	}
}

func TestStandInWithClosedMessages(t *testing.T) {
	w := newWorld(t)
	w.late()
	eve := w.users[4]
	if err := w.discord.CloseDMs(eve, true); err != nil {
		t.Fatal(err)
	}
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	pings := w.discord.Pings(eve)
	mustSay(t, "Eve's panel", w.panelText(eve), "Your hand", "stands in for")
	if len(pings) > 1 {
		t.Errorf("%d pings", len(pings))
	}
}

func TestWhoLeftTheServerIsNoticed(t *testing.T) {
	for name, leave := range map[string]func(w *world, user string){
		"looked up at a reminder": func(w *world, user string) {
			w.sharedServer(user)
		},
		"no server shared": func(*world, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openPaced(3, 0, table.PaceDaily)
			user := w.awaited()
			leave(w, user)
			if err := w.discord.RemoveMember(w.guild, user); err != nil {
				t.Fatal(err)
			}
			w.pass(9 * time.Hour) // the first reminder is due
			public := w.table().Public()
			if seat := public.SeatOf(table.UserID(user)); !public.Seats[seat].Away || public.Seats[seat].Missed != 0 {
				t.Fatalf("seat %+v", public.Seats[seat])
			}
			if public.Host == table.UserID(user) {
				t.Error("the host is somebody who is gone")
			}
			w.users = w.users[1:]
			mustSay(t, "the board", text(w.board()), "no longer in this server")
		})
	}
}

func TestLeaversMessageTellsThatTheyAreGone(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceNone)
	rng := rand.New(rand.NewPCG(5, 5))
	first := w.awaited()
	var gone string
	for _, user := range w.users[:3] {
		if user != first {
			gone = user
			if err := w.discord.RemoveMember(w.guild, user); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for range 20 {
		public := w.table().Public()
		if public.Seats[public.SeatOf(table.UserID(gone))].Away {
			return
		}
		w.playOn(rng)
		w.pass(11 * time.Minute) // the server is asked, and asked once more
	}
	t.Error("the message that told them of their move could not be sent, and nobody noticed")
}

func TestPauseAndResume(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	ben, cleo := w.users[1], w.users[2]
	mustSay(t, "one vote", text(w.reply(w.command(ben, "pause"))), "1 of 2 votes")
	mustSay(t, "the board", text(w.board()), "To pause the game: 1 of 2 votes", "Pause too")
	mustSay(t, "a second time", text(w.reply(w.command(ben, "pause"))), "voted already")
	mustSay(t, "the second vote", text(w.reply(w.label(cleo, w.board(), "Pause too"))), "paused")
	mustSay(t, "the board", text(w.board()), "The game is paused", "Resume")
	mustNotSay(t, "the board", text(w.board()), "deadline <t:")
	mustSay(t, "pausing twice", text(w.reply(w.command(ben, "pause"))), "paused already")
	prompt := w.table().Prompt()
	w.pass(5 * 24 * time.Hour)
	if w.table().Prompt() != prompt {
		t.Fatal("a clock ran in the pause")
	}
	mustSay(t, "a spectator", text(w.reply(w.label(w.users[4], w.board(), "Resume"))), "no seat")
	w.label(ben, w.board(), "Resume")
	mustSay(t, "the board", text(w.board()), "To go on: 1 of 2 votes")
	mustSay(t, "going on", text(w.reply(w.command(cleo, "resume"))), "goes on")
	mustSay(t, "the board", text(w.board()), "deadline <t:")
	mustSay(t, "going on twice", text(w.reply(w.command(cleo, "resume"))), "is not paused")
	w.pass(25 * time.Hour)
	if w.table().Prompt() == prompt {
		t.Fatal("no clock runs after the pause")
	}
	if err := w.discord.SetMemberPermissions(w.guild, w.users[3], sandbox.PermMember|sandbox.PermManageChannels); err != nil {
		t.Fatal(err)
	}
	mustSay(t, "a moderator", text(w.reply(w.command(w.users[3], "pause"))), "paused")
	if !w.table().Public().Paused {
		t.Error("a moderator pauses at once")
	}
}

func TestServerSettings(t *testing.T) {
	w := newWorld(t)
	owner, member := w.users[0], w.users[1]
	mustSay(t, "a member", text(w.reply(w.command(member, "settings"))), "Manage Server")
	panel := w.reply(w.command(owner, "settings"))
	mustSay(t, "the settings", text(panel), "Time for a move")
	panel = w.reply(w.label(owner, panel, "Relaxed"))
	mustSay(t, "the settings", text(panel), "Kept", "✓ Relaxed")
	other, err := w.discord.AddChannel(w.guild, "games")
	if err != nil {
		t.Fatal(err)
	}
	choose := func(what string, values ...string) {
		t.Helper()
		id := selectID(t, panel, press.New(press.Settings, "", what))
		panel = w.reply(w.result(w.discord.Select(w.ctx(), owner, panel.ChannelID, panel.ID, id, values...)))
	}
	choose("channels", other.ID)
	mustSay(t, "another channel", text(w.reply(w.command(owner, "new"))), "<#"+other.ID+">")
	if _, open, _ := w.store.TableByChannel(w.ctx(), w.channel); open {
		t.Fatal("a table was opened where none may be")
	}
	choose("channels")
	choose("roles", "123456789012345678")
	mustSay(t, "without the role", text(w.reply(w.command(member, "new"))), "<@&123456789012345678>")
	choose("roles", w.guild) // everybody
	w.command(member, "new")
	if pace := w.table().Public().Options.Pace; pace != table.PaceRelaxed {
		t.Errorf("the default pace is %q", pace)
	}
	forged := w.forge(member, panel.ChannelID, w.board().ID, press.New(press.Settings, "", "pace", "live").String())
	mustSay(t, "a forged press", text(w.reply(forged)), "Manage Server")
	forged = w.forge(owner, panel.ChannelID, w.board().ID, press.New(press.Settings, "", "nothing", "live").String())
	mustSay(t, "an odd press", text(w.reply(forged)), "does not fit")
}

// metSettings is a store in which something else happens between reading a server's settings and keeping them, for the first time.
type metSettings struct {
	store.Store
	once  sync.Once
	meet  func()
	reads chan struct{} // one for each time they are read
}

func (s *metSettings) Get(ctx context.Context, key string) ([]byte, bool, error) {
	value, ok, err := s.Store.Get(ctx, key)
	if strings.HasPrefix(key, "guild/") {
		s.reads <- struct{}{}
	}
	return value, ok, err
}

func (s *metSettings) Put(ctx context.Context, key string, value []byte) error {
	if strings.HasPrefix(key, "guild/") {
		s.once.Do(s.meet)
	}
	return s.Store.Put(ctx, key, value)
}

// TestSettingsAtOnce: of two choices made at the same time both are kept.
func TestSettingsAtOnce(t *testing.T) {
	met := &metSettings{Store: storetest.NewMemory(), reads: make(chan struct{}, 100)}
	w := newWorld(t, withStore(met))
	owner := w.users[0]
	panel := w.reply(w.command(owner, "settings"))
	var second *sandbox.Interaction
	met.meet = func() {
		for len(met.reads) > 0 {
			<-met.reads
		}
		var err error
		id := selectID(t, panel, press.New(press.Settings, "", render.SettingChannels))
		if second, err = w.discord.Select(w.ctx(), owner, panel.ChannelID, panel.ID, id, w.channel); err != nil {
			t.Error(err)
		}
		// The other choice either reads what is about to be changed, or waits.
		select {
		case <-met.reads:
		case <-time.After(50 * time.Millisecond):
		}
	}
	mustSay(t, "the pace", text(w.reply(w.label(owner, panel, "Relaxed"))), "✓ Relaxed")
	w.answered(second)
	kept, _, err := met.Store.Get(t.Context(), "guild/"+w.guild)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, "what is kept", string(kept), `"relaxed"`, w.channel)
}

func TestSettingsLetThreadsOfAChannelPlay(t *testing.T) {
	w := newWorld(t)
	panel := w.reply(w.command(w.users[0], "settings"))
	id := selectID(t, panel, press.New(press.Settings, "", "channels"))
	w.result(w.discord.Select(w.ctx(), w.users[0], panel.ChannelID, panel.ID, id, w.channel))
	thread, err := w.discord.AddThread(w.channel, "a game")
	if err != nil {
		t.Fatal(err)
	}
	w.channel = thread.ID
	w.command(w.users[1], "new")
	if _, open, _ := w.store.TableByChannel(w.ctx(), thread.ID); !open {
		t.Error("a thread of an allowed channel is refused")
	}
}

func TestDoctorNamesWhatIsWrongAndEachMend(t *testing.T) {
	w := newWorld(t)
	mustSay(t, "without a table", text(w.reply(w.command(w.users[3], "doctor"))), "✅ View Channel", "✅ Send Messages", "✅ Attach Files", "there is none")
	w.openPaced(3, 0, table.PaceDaily)
	report := text(w.reply(w.command(w.users[3], "doctor")))
	mustSay(t, "a healthy game", report, "up to date", "deadline <t:", "24 hours")
	mustNotSay(t, "a healthy game", report, "❌")

	if err := w.discord.CloseDMs(w.users[1], true); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for w.awaited() != w.users[1] {
		w.playOn(rng)
	}
	mustSay(t, "closed messages", text(w.reply(w.command(w.users[3], "doctor"))), "takes none from me", "Privacy Settings")
	if err := w.discord.CloseDMs(w.users[1], false); err != nil {
		t.Fatal(err)
	}
	dm, err := w.discord.OpenDM(w.users[1])
	if err != nil {
		t.Fatal(err)
	}
	if message, ok := w.dm(w.users[1]); ok {
		w.forge(w.users[1], dm.ID, message.ID, press.New(press.Refresh, w.table().ID()).String())
		mustNotSay(t, "messages that are open again", text(w.reply(w.command(w.users[3], "doctor"))), "takes none from me")
	}
}

func TestAPermissionTakenAwayAndGivenBack(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	board := w.board()
	if err := w.discord.SetPermissions(w.channel, sandbox.PermBot&^sandbox.PermSendMessages); err != nil {
		t.Fatal(err)
	}
	if err := w.discord.DeleteMessage(board.ChannelID, board.ID); err != nil {
		t.Fatal(err)
	}
	report := w.reply(w.command(w.users[0], "doctor"))
	mustSay(t, "the report", text(report), "❌ **Send Messages**", "cannot bring it up to date")
	panel := w.reply(w.command(w.users[0], "seat"))
	mustSay(t, "my seat", text(panel), "I cannot update the board", "Send Messages", "<#"+w.channel+">")
	if err := w.discord.SetPermissions(w.channel, sandbox.PermBot); err != nil {
		t.Fatal(err)
	}
	w.label(w.users[0], panel, "Refresh") // any interaction tells that the permission is back
	if w.board().ID == board.ID {
		t.Fatal("the board was not posted at once")
	}
	mustSay(t, "looking again", text(w.reply(w.label(w.users[0], report, "Look again"))), "up to date")
	mustNotSay(t, "my seat", text(w.reply(w.command(w.users[0], "seat"))), "cannot update")
}

func TestAThreadLockedAndUnlocked(t *testing.T) {
	w := newWorld(t)
	thread, err := w.discord.AddThread(w.channel, "a game")
	if err != nil {
		t.Fatal(err)
	}
	w.channel = thread.ID
	w.openPaced(3, 0, table.PaceDaily)
	board := w.board()
	if err := w.discord.LockThread(thread.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := w.discord.DeleteMessage(board.ChannelID, board.ID); err != nil {
		t.Fatal(err)
	}
	user := w.awaited()
	dm, _ := w.dm(user)
	rng := rand.New(rand.NewPCG(1, 1))
	for prompt := w.table().Prompt(); w.table().Prompt() == prompt; {
		dm = w.random(rng, user, dm)
	}
	mustSay(t, "the panel", text(w.reply(w.pressKind(user, dm, press.Refresh))), "the thread is locked")
	if err := w.discord.LockThread(thread.ID, false); err != nil {
		t.Fatal(err)
	}
	w.waitFor("a new board", func() bool {
		surface, ok, err := w.store.Surface(w.ctx(), w.table().ID(), "board")
		return err == nil && ok && surface.Message != board.ID
	})
}

// waitFor waits until what the gateway brings has been taken in and the condition holds.
func (w *world) waitFor(what string, holds func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			w.t.Fatalf("%s never came", what)
		}
		w.command(w.users[3], "rules")
	}
}

func TestADeletedChannelTellsEachSeatOnce(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	id := w.table().ID()
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	w.channel = w.otherChannel()
	w.waitFor("the end", func() bool {
		row, err := w.store.Table(w.ctx(), id)
		return err == nil && !row.Live
	})
	w.pass(48 * time.Hour)
	for _, user := range w.users[:3] {
		told := 0
		for _, c := range w.channels(user) {
			if c.Type != sandbox.ChannelDM {
				continue
			}
			messages, err := w.discord.Messages(user, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				if strings.Contains(text(m), "has ended") {
					told++
				}
			}
		}
		if told != 1 {
			t.Errorf("%s was told %d times", user, told)
		}
	}
}

// TestADeletedChannelTellsTheOwnerOfAStoodInSeat, who could have come back at any time, and the stand-in.
func TestADeletedChannelTellsTheOwnerOfAStoodInSeat(t *testing.T) {
	w := newWorld(t)
	owner, _ := w.late()
	eve := w.users[4]
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	id := w.table().ID()
	if err := w.discord.DeleteChannel(w.channel); err != nil {
		t.Fatal(err)
	}
	w.channel = w.otherChannel()
	w.waitFor("the end", func() bool {
		row, err := w.store.Table(w.ctx(), id)
		return err == nil && !row.Live
	})
	w.pass(48 * time.Hour)
	for name, user := range map[string]string{"the owner": owner, "the stand-in": eve, "the host": w.users[0]} {
		told := 0
		for _, m := range w.dms(user) {
			if strings.Contains(text(m), "has ended") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s was told %d times", name, told)
		}
	}
	mustNotSay(t, "the owner's list", text(w.reply(w.command(owner, "games"))), "stand-in")
}

func (w *world) otherChannel() string {
	w.t.Helper()
	other, err := w.discord.AddChannel(w.guild, "other")
	if err != nil {
		w.t.Fatal(err)
	}
	return other.ID
}

// TestRemovedWhileItWasDown: no event tells the bot that it was removed, so it asks as it starts about servers that READY does not name;
// each seat is told once.
func TestRemovedWhileItWasDown(t *testing.T) {
	w := newWorld(t)
	w.sharedServer(w.users[:3]...)
	w.openPaced(3, 0, table.PaceDaily)
	at := w.table()
	w.stop()
	if err := w.discord.KickBot(w.guild); err != nil {
		t.Fatal(err)
	}
	w.start(nil)
	w.flush()
	w.flush() // what was found out is said
	row, err := w.store.Table(w.ctx(), at.ID())
	if err != nil {
		t.Fatal(err)
	}
	if now, err := table.Decode(row.Snapshot); err != nil || row.Live || now.Reason() != table.ClosedChannel {
		t.Fatalf("the game is %s %s (%v)", now.Stage(), now.Reason(), err)
	}
	for _, user := range w.users[:3] {
		told := 0
		for _, m := range w.dms(user) {
			if strings.Contains(text(m), "has ended") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s was told %d times", user, told)
		}
	}
}

func TestAnOutageIsNoRemoval(t *testing.T) {
	w := newWorld(t)
	w.openPaced(3, 0, table.PaceDaily)
	for _, down := range []bool{true, false} {
		if err := w.discord.GuildUnavailable(w.guild, down); err != nil {
			t.Fatal(err)
		}
	}
	w.command(w.users[3], "rules")
	if w.table().Stage() != table.Playing {
		t.Errorf("an outage of Discord ended the game: %s", w.table().Reason())
	}
}

func TestClocksThatAreMoved(t *testing.T) {
	t.Run("downtime across the end gives grace", func(t *testing.T) {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceDaily)
		prompt := w.table().Prompt()
		w.stop()
		w.clock.advance(40 * time.Hour)
		w.start(nil)
		w.flush()
		w.pass(time.Hour)
		if w.table().Prompt() != prompt {
			t.Fatal("the turn ended the instant the bot came back")
		}
		w.pass(time.Hour + time.Minute)
		if w.table().Prompt() == prompt {
			t.Fatal("the grace never ends")
		}
	})
	t.Run("a jump forward ends nothing early", func(t *testing.T) {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceDaily)
		prompt := w.table().Prompt()
		w.clock.advance(30 * 24 * time.Hour / 2)
		w.flush()
		w.pass(time.Hour)
		if w.table().Prompt() != prompt {
			t.Fatal("the turn ended by the jump")
		}
		w.pass(2 * time.Hour)
		if w.table().Prompt() == prompt {
			t.Fatal("the grace never ends")
		}
	})
	t.Run("a clock set back ends nothing early, and it ends", func(t *testing.T) {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceDaily)
		prompt, end := w.table().Prompt(), w.clock.Now().Add(24*time.Hour)
		w.pass(12 * time.Hour)
		w.clock.turn(w.clock.Now().Add(-6 * time.Hour))
		w.pass(17 * time.Hour)
		if w.table().Prompt() != prompt || !w.clock.Now().Before(end) {
			t.Fatal("the turn ended early")
		}
		w.pass(2 * time.Hour)
		if w.table().Prompt() == prompt {
			t.Fatal("the turn never ends")
		}
	})
	t.Run("a jump forward that is taken back costs nobody a clock", func(t *testing.T) {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceDaily)
		prompt, began := w.table().Prompt(), w.clock.Now()
		w.clock.advance(10 * 365 * time.Hour)
		w.flush()
		w.clock.turn(began.Add(time.Minute))
		w.command(w.users[3], "doctor")
		w.pass(23 * time.Hour)
		if w.table().Prompt() != prompt {
			t.Fatal("the turn ended early")
		}
	})
}

// TestEndAndTimeoutInTheSameMoment: whatever comes first, one of them happens, and nothing fires after the end.
func TestEndAndTimeoutInTheSameMoment(t *testing.T) {
	for _, first := range []string{"move", "clock"} {
		w := newWorld(t)
		w.openPaced(3, 0, table.PaceLive)
		user := w.awaited()
		prompt := w.table().Prompt()
		panel := w.reply(w.label(user, w.board(), "My seat"))
		panel = w.reply(w.label(user, panel, "Ben"))
		if first == "move" {
			w.pass(3*time.Minute - time.Second)
			w.pressKind(user, panel, press.First)
			w.pass(time.Second)
			if got := w.table().Prompt(); got != prompt+1 {
				t.Errorf("after the move in time the question is %d of %d", got, prompt)
			}
		} else {
			w.pass(3 * time.Minute)
			got := w.table().Prompt()
			mustSay(t, "the late press", text(w.reply(w.pressKind(user, panel, press.First))), "the game has moved on")
			if w.table().Prompt() != got || got == prompt {
				t.Errorf("both counted: %d, %d", prompt, got)
			}
		}
		w.label(w.users[0], w.reply(w.command(w.users[0], "stop")), "Stop the game")
		if stage := w.table().Stage(); stage != table.Closed {
			t.Fatalf("the game is %s", stage)
		}
		ended := w.table().Public()
		requests := len(w.discord.Requests())
		w.pass(100 * 24 * time.Hour)
		if after := w.table().Public(); len(after.Recent) != len(ended.Recent) || len(w.discord.Requests()) != requests {
			t.Errorf("something fires after the end: %d requests", len(w.discord.Requests())-requests)
		}
	}
}

// TestTheFormerHoldersMessageDiesAfterAnOutage: the message that shows a hand to whoever no longer
// holds the seat is changed as soon as Discord takes it, though the new holder's message has long
// taken its place, and through a restart.
func TestTheFormerHoldersMessageDiesAfterAnOutage(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		owner, seat := w.late()
		eve := w.users[4]
		old, _ := w.dm(owner)
		refresh := press.New(press.Refresh, w.table().ID()).String() // a client keeps the buttons
		old = w.reply(w.forge(owner, old.ChannelID, old.ID, refresh))
		mustSay(t, "the owner's message", text(old), "Your hand")
		w.label(eve, w.board(), "Stand in for")
		var ill atomic.Bool
		ill.Store(true)
		w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
			if ill.Load() && r.Method == http.MethodPatch && strings.Contains(r.Path, old.ChannelID) {
				return barred.fault()
			}
			return nil
		})
		w.acceptAll()
		w.pass(time.Minute)
		if evesDM, _ := w.dm(eve); !strings.Contains(text(evesDM), "Your hand") {
			t.Fatalf("the new holder waits for the old one's message:\n%s", text(evesDM))
		}
		mustSay(t, "the owner's message meanwhile", w.read(owner, old), "Your hand")
		if restarts {
			w.stop()
			w.start(nil)
		}
		ill.Store(false)
		w.pass(10 * time.Minute)
		mustNotSay(t, "the owner's old message", w.read(owner, old), "Your hand")
		mustSay(t, "the owner's old message", w.read(owner, old), english.Say("presence.no_longer_yours"))
		surface, ok, err := w.store.Surface(w.ctx(), w.table().ID(), fmt.Sprintf("dm/%d", seat))
		if evesDM, _ := w.dm(eve); err != nil || !ok || surface.Message != evesDM.ID {
			t.Errorf("the seat's message is %+v (%v), and not the new holder's", surface, err)
		}
		if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
			t.Errorf("still to be said: %+v %v", pending, err)
		}
	}
}

// read returns the words of a message as it stands now.
func (w *world) read(user string, m sandbox.Message) string {
	w.t.Helper()
	now, err := w.discord.Message(user, m.ChannelID, m.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return text(now)
}

// TestACallThatCouldNotBeRemovedGoesLater: of the calls of one seat only the newest stays, whatever
// Discord said to the removal of the one before.
func TestACallThatCouldNotBeRemovedGoesLater(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	w.label(user, w.reply(w.command(user, "notices")), "Mention")
	w.openGame(3, 0)
	var ill atomic.Bool
	ill.Store(true)
	var refused atomic.Int32
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if ill.Load() && r.Method == http.MethodDelete && r.Route == editRoute {
			refused.Add(1)
			return barred.fault()
		}
		return nil
	})
	rng := rand.New(rand.NewPCG(2, 2))
	for moves := 0; w.calls(user) < 2 && moves < 12; moves++ {
		w.playOn(rng)
		w.pass(5 * time.Second)
	}
	if refused.Load() == 0 || w.calls(user) < 2 {
		t.Fatalf("%d calls were not removed, %d stand", refused.Load(), w.calls(user))
	}
	ill.Store(false)
	w.pass(10 * time.Minute)
	if n := w.calls(user); n != 1 {
		t.Errorf("%d calls of one seat stand in the channel", n)
	}
	if pending, err := w.store.Pending(w.ctx()); err != nil || len(pending) > 0 {
		t.Errorf("still to be said: %+v %v", pending, err)
	}
}

// calls counts the messages in the channel, besides the board, that call somebody to move.
func (w *world) calls(user string) int {
	w.t.Helper()
	messages, err := w.discord.Messages(user, w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, m := range messages {
		if m.ID != w.board().ID && strings.Contains(text(m), "<@"+user+">") {
			n++
		}
	}
	return n
}

// TestAPausedGameSaysSoInMySeat: whoever plays reads in My seat that the game is paused, since when and
// what it takes to go on, and lets it go on from there; in a list it waits for nobody. Whoever manages
// the channel and does not play needs no vote.
func TestAPausedGameSaysSoInMySeat(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	ann, ben, cleo := w.users[0], w.users[1], w.users[2]
	awaited, _ := w.table().AwaitedPerson()
	mover := string(awaited.ID)
	w.command(ann, "pause") // who manages the channel alone decides
	if !w.table().Public().Paused {
		w.command(ben, "pause")
	}
	since := fmt.Sprintf("paused <t:%d:R>", w.clock.Now().Unix())
	w.clock.advance(time.Hour)
	list := text(w.reply(w.command(mover, "games")))
	mustSay(t, "the list of whoever is to move", list, "**Paused**", since, "your move")
	mustNotSay(t, "the list of whoever is to move", list, "Others are to move", english.Say(render.LabelNextGame))
	seat := w.reply(w.label(ben, w.board(), "My seat"))
	mustSay(t, "My seat", text(seat), since, "[Resume]")
	seat = w.reply(w.label(ben, seat, "Resume"))
	mustSay(t, "My seat after one vote", text(seat), "To go on: 1 of 2 votes so far.", "[Resume]")
	dm, ok := w.dm(cleo)
	if !ok {
		t.Fatal("no direct message")
	}
	dm = w.reply(w.pressKind(cleo, dm, press.Refresh))
	mustSay(t, "My seat in a direct message", text(dm), since, "[Resume]")
	dm = w.reply(w.label(cleo, dm, "Resume"))
	mustSay(t, "My seat after the last vote", text(dm), english.Say("presence.now_resumed"))
	mustNotSay(t, "My seat after the last vote", text(dm), since, "[Resume]")
	if w.table().Public().Paused {
		t.Error("the game is still paused")
	}
	mustNotSay(t, "the board", text(w.board()), since)
}

// otherThan returns a player who is none of these.
func (w *world) otherThan(users ...string) string {
	w.t.Helper()
	for _, p := range w.table().People() {
		if !slices.Contains(users, string(p.ID)) {
			return string(p.ID)
		}
	}
	w.t.Fatal("there is nobody else")
	return ""
}

// TestTheHostAloneGivesNobodyASeatThatIsNotAway: not by a button, not at a table where nobody else can vote, and what is said is true
// at every step.
func TestTheHostAloneGivesNobodyASeatThatIsNotAway(t *testing.T) {
	w := newWorld(t)
	w.openPaced(2, 1, table.PaceDaily)
	ann, ben, eve := w.users[0], w.users[1], w.users[4]
	rng := rand.New(rand.NewPCG(3, 3))
	for w.awaited() != ben {
		w.playOn(rng)
	}
	w.pass(24*time.Hour + time.Minute)
	waits := "It waits until the seat is away and a squire plays it"
	mustSay(t, "the offer", text(w.reply(w.label(eve, w.board(), "Stand in for"))), "offer stands", waits)
	mustSay(t, "the board", text(w.board()), waits)
	ask, _ := w.dm(ann)
	mustSay(t, "the host's message", text(ask), waits)
	mustSay(t, "the host's accept", text(w.reply(w.label(ann, ask, "Accept"))), "Your vote counts", waits)
	mustSay(t, "the host's accept twice", text(w.reply(w.label(ann, w.board(), "Accept"))), "waits until a squire plays the seat")
	if w.table().SeatOf(table.UserID(eve)) != paladin.NoSeat {
		t.Fatal("the host's second account reads Ben's hand")
	}
	mustSay(t, "My seat", w.panelText(ben), "offers to stand in for", waits)
	mustSay(t, "My seat of who offers", w.panelText(eve), "offers to stand in for", waits)
	w.reply(w.label(ben, w.reply(w.command(ben, "leave")), "Leave"))
	if w.table().SeatOf(table.UserID(eve)) == paladin.NoSeat {
		t.Fatal("the seat is away, and the host agreed")
	}
	told, _ := w.dm(ben)
	mustSay(t, "what Ben is told", text(told), "Eve", "sees your hand", "Take my seat back")
	mustSay(t, "the log", text(w.reply(w.label(ann, w.board(), "Log"))), "sees that hand")
}

// TestTheOwnerIsToldByNameThroughARestart who sees their hand, though Discord was ill at that moment.
func TestTheOwnerIsToldByNameThroughARestart(t *testing.T) {
	w := newWorld(t)
	owner, _ := w.late()
	w.label(w.users[4], w.board(), "Stand in for")
	var ill atomic.Bool
	ill.Store(true)
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if dm, ok := w.dm(owner); ill.Load() && ok && strings.Contains(r.Path, dm.ChannelID) {
			return barred.fault()
		}
		return nil
	})
	w.acceptAll()
	w.stop()
	w.start(nil)
	ill.Store(false)
	w.pass(10 * time.Minute)
	told, _ := w.dm(owner)
	mustSay(t, "what the owner is told", text(told), "Eve", "sees your hand", "Take my seat back")
}
