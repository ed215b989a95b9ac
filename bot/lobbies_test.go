package bot_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// stored reports what the store has of a table.
func (w *world) stored(id string) bool {
	w.t.Helper()
	_, err := w.store.Table(w.ctx(), id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		w.t.Fatal(err)
	}
	return err == nil
}

// TestAClosedLobbyIsDropped, whole, once everything was said about it; its old buttons and the channel's
// commands say what is so, and its channel is free.
func TestAClosedLobbyIsDropped(t *testing.T) {
	w := newWorld(t)
	w.openLobby(1, 1)
	id, old := w.table().ID(), w.board()
	w.label(w.users[0], old, "My seat")
	w.label(w.users[0], old, "Cancel")
	w.pass(time.Minute)
	mustSay(t, "the board", text(w.board()), "The lobby was cancelled", "/paladin new")
	if said := text(w.board()); strings.Contains(said, "[Play again]") || strings.Contains(said, "[Log]") {
		t.Errorf("a closed lobby offers what is dropped:\n%s", said)
	}
	if !w.stored(id) {
		t.Fatal("dropped while people may still press on it")
	}
	mustSay(t, "a late press", text(w.reply(w.forge(w.users[1], w.channel, old.ID, press.New(press.Join, id).String()))), "over")
	w.pass(table.DropAfter)
	if w.stored(id) {
		t.Fatal("it is kept")
	}
	for _, key := range []string{"looked/" + id, "last/" + w.channel} {
		if value, ok, err := w.store.Get(w.ctx(), key); err != nil || ok {
			t.Errorf("%s is kept: %q (%v)", key, value, err)
		}
	}
	for _, kind := range []press.Kind{press.Join, press.Start, press.Cancel, press.Manage, press.Seat, press.Again, press.Log} {
		said := text(w.reply(w.forge(w.users[1], w.channel, old.ID, press.New(kind, id).String())))
		mustSay(t, string(kind), said, english.Say(render.TextGoneTable))
	}
	mustSay(t, "seat", text(w.reply(w.command(w.users[0], "seat"))), "no game")
	w.openLobby(3, 0)
	if w.table().ID() == id || w.table().Stage() != table.Lobby {
		t.Error("the channel is not free")
	}
}

// TestALobbyIsKeptUntilAllIsSaid: while its board cannot be changed it says something untrue, and is not
// dropped.
func TestALobbyIsKeptUntilAllIsSaid(t *testing.T) {
	w := newWorld(t)
	w.openLobby(1, 1)
	id, old := w.table().ID(), w.board()
	lies := true
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if lies && r.Method == "PATCH" && strings.HasSuffix(r.Path, "/messages/"+old.ID) {
			return &sandbox.Fault{Status: 403, Body: []byte(`{"message":"Missing Permissions","code":50013}`)}
		}
		return nil
	})
	w.pass(20 * time.Minute) // the token of the press that opened it is no more
	w.command(w.users[0], "stop")
	w.pass(table.DropAfter + 5*time.Minute)
	if !w.stored(id) {
		t.Fatal("dropped before its board said that it is closed")
	}
	lies = false
	w.pass(20 * time.Minute)
	if w.stored(id) {
		t.Fatal("it is kept")
	}
	now, err := w.discord.Message(w.users[0], w.channel, old.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, "the board", text(now), "The lobby was cancelled")
}

// TestPlayAgainAfterACancelledLobby: the game before offers it once more, and opens another lobby.
func TestPlayAgainAfterACancelledLobby(t *testing.T) {
	wholeGame(t)
	w := playedWorld(t, 3, 0)
	played := w.table().ID()
	board := w.board()
	w.label(w.users[0], board, "Play again")
	lobby := w.table().ID()
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Cancel, lobby, press.Sure).String())
	w.pass(table.DropAfter + 2*time.Minute)
	if w.stored(lobby) || !w.stored(played) {
		t.Fatalf("the lobby is kept: %v; the game is kept: %v", w.stored(lobby), w.stored(played))
	}
	if w.table().ID() != played {
		t.Errorf("the channel's last table is %s", w.table().ID())
	}
	again, err := w.discord.Message(w.users[0], w.channel, board.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.label(w.users[1], again, "Play again")
	if p := w.table().Public(); p.Stage != table.Lobby || p.Host != table.UserID(w.users[1]) || len(p.Seats) != 3 {
		t.Errorf("the next lobby: %+v", p)
	}
}

// TestLobbiesOfOlderProgramsAreDropped: those that were closed before this program have no deadline and
// are found at its start; games are kept, and the look is not repeated.
func TestLobbiesOfOlderProgramsAreDropped(t *testing.T) {
	w := newWorld(t)
	w.openLobby(1, 1)
	id := w.table().ID()
	w.label(w.users[0], w.board(), "Cancel")
	w.flush()
	row, err := w.store.Table(w.ctx(), id)
	if err != nil {
		t.Fatal(err)
	}
	older := store.Change{
		Table: id, Expect: row.Version, Snapshot: row.Snapshot, Channel: row.Channel, Guild: row.Guild, Users: row.Users, At: row.Touched,
	}
	if _, err := w.store.Commit(w.ctx(), older); err != nil {
		t.Fatal(err)
	}
	w.openGame(3, 0)
	game := w.table().ID()
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, game, "force").String())
	if err := w.store.Put(w.ctx(), "swept/lobbies", nil); err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.start(nil)
	w.pass(table.DropAfter)
	if w.stored(id) || !w.stored(game) {
		t.Errorf("the lobby is kept: %v; the game is kept: %v", w.stored(id), w.stored(game))
	}
	if swept, _, err := w.store.Get(w.ctx(), "swept/lobbies"); err != nil || string(swept) != "~" {
		t.Errorf("swept up to %q (%v)", swept, err)
	}
}

// TestNobodyHoldsAllChannels: five lobbies a person and twenty a server, counted also where presses come
// at the same moment; what is started, cancelled or somebody else's counts no more.
func TestNobodyHoldsAllChannels(t *testing.T) {
	w := newWorld(t)
	channels := make([]string, 24)
	for n := range channels {
		c, err := w.discord.AddChannel(w.guild, fmt.Sprintf("channel %d", n))
		if err != nil {
			t.Fatal(err)
		}
		channels[n] = c.ID
	}
	open := func(user, channel string) string {
		res, err := w.discord.Command(w.ctx(), user, channel, "paladin", "new")
		if err != nil {
			t.Error(err)
			return ""
		}
		return text(w.reply(w.result(res, nil)))
	}
	var wg sync.WaitGroup
	for _, c := range channels[:12] {
		wg.Go(func() { open(w.users[0], c) })
	}
	wg.Wait()
	w.flush()
	lobbies := func() (n int) {
		t.Helper()
		ids, err := w.store.TablesByGuild(w.ctx(), w.guild)
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	if n := lobbies(); n != 5 {
		t.Fatalf("one person opened %d lobbies at once", n)
	}
	free := func() string {
		t.Helper()
		for _, c := range channels {
			if _, taken, err := w.store.TableByChannel(w.ctx(), c); err != nil || !taken {
				return c
			}
		}
		t.Fatal("no free channel")
		return ""
	}
	mustSay(t, "the sixth", open(w.users[0], free()), "You have 5 open lobbies, and that is the most", "/paladin games")
	taken := ""
	for _, c := range channels {
		if _, ok, _ := w.store.TableByChannel(w.ctx(), c); ok {
			taken = c
		}
	}
	mustSay(t, "in a channel that has one", open(w.users[0], taken), "A table is open in this channel already")
	for _, user := range w.users[1:4] {
		for range 5 {
			open(user, free())
		}
	}
	if n := lobbies(); n != 20 {
		t.Fatalf("%d lobbies", n)
	}
	mustSay(t, "the twenty-first", open(w.users[4], free()), "20 lobbies are open in this server")
	// A lobby that was cancelled makes room.
	id, _, err := w.store.TableByChannel(w.ctx(), taken)
	if err != nil {
		t.Fatal(err)
	}
	w.result(w.discord.Command(w.ctx(), w.users[0], taken, "paladin", "stop"))
	if row, err := w.store.Table(w.ctx(), id); err != nil || row.Live {
		t.Fatalf("not cancelled: %v", err)
	}
	open(w.users[0], free())
	if n := lobbies(); n != 20 {
		t.Errorf("%d lobbies after one was cancelled and one opened", n)
	}
}
