package bot_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// wholeGame plays the game of the channel to its end by pressing what is offered.
func (w *world) wholeGame(seed uint64) {
	w.t.Helper()
	rng := rand.New(rand.NewPCG(seed, seed))
	for w.table().Stage() == table.Playing {
		w.playOn(rng)
		w.clock.advance(time.Minute)
	}
	if end := w.table(); end.Stage() != table.Finished {
		w.t.Fatalf("the game ended as %s: %s", end.Stage(), end.Reason())
	}
}

// member adds somebody of this name to the server, in the place of one of the users.
func (w *world) member(at int, name string) string {
	w.t.Helper()
	u, err := w.discord.AddUser(name, w.guild)
	if err != nil {
		w.t.Fatal(err)
	}
	w.users[at] = u.ID
	return u.ID
}

func (w *world) standing(user string) store.Standing {
	w.t.Helper()
	s, _, err := w.store.Standing(w.ctx(), w.guild, user)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// sort chooses from the select of standings.
func (w *world) sort(user string, m sandbox.Message, order string) sandbox.Message {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Standings && len(c.Options) > 0 {
			return w.reply(w.result(w.discord.Select(w.ctx(), user, m.ChannelID, m.ID, c.CustomID, order)))
		}
	}
	w.t.Fatalf("nothing sorts in:\n%s", text(m))
	return sandbox.Message{}
}

// download is what the only file of a message holds.
func (w *world) download(m sandbox.Message) []byte {
	w.t.Helper()
	if len(m.Attachments) != 1 {
		w.t.Fatalf("%d files: %s", len(m.Attachments), text(m))
	}
	req, err := http.NewRequestWithContext(w.ctx(), http.MethodGet, w.url+m.Attachments[0].URL, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("the file cannot be fetched: %s, %v", res.Status, err)
	}
	return data
}

// TestStandingsAfterAGame: a finished game shows in the standings of its server, in all orders, people and squires apart, and nowhere else.
func TestStandingsAfterAGame(t *testing.T) {
	wholeGame(t)
	w := newWorld(t)
	ann, ben, eve := w.users[0], w.users[1], w.users[4]
	mustSay(t, "before any game", text(w.reply(w.command(ann, "standings"))), "Nobody has finished a game")
	mustSay(t, "a newcomer's page", text(w.reply(w.command(ann, "me"))), "You have finished no game here yet", "You have finished no game yet")
	w.openGame(2, 1)
	w.wholeGame(1)
	result, ok, err := w.store.ResultOf(w.ctx(), w.table().ID())
	if err != nil || !ok {
		t.Fatalf("no result: %v", err)
	}
	game := w.table().Public()
	for i, seat := range result.Seats {
		if seat.Honour != game.Game.Seats[i].Honour || seat.User != string(game.Seats[i].Person.ID) || seat.Moves != seat.InTime || seat.User != "" && seat.Moves == 0 ||
			(seat.Rank == 1) != slices.Contains(game.Game.Winners, game.Game.Seats[i].Seat) {
			t.Errorf("seat %d: %+v", i+1, seat)
		}
	}
	res := w.command(ann, "standings")
	page := w.reply(res)
	if !page.View.Ephemeral {
		t.Error("everybody sees the answer")
	}
	people := text(page)
	mustSay(t, "the standings", people, "**1.**", "**Ann**", "**Ben**", "1 game ·", "100% in time", "provisional", fmt.Sprintf("%d honour a game", w.standing(ann).Honour))
	mustNotSay(t, "the standings", people, "squires:", "**3.**", "Your place")
	first := "Ann"
	if w.standing(ben).Honour > w.standing(ann).Honour {
		first = "Ben"
	}
	for _, order := range render.StandingOrders(render.WhoPeople) {
		page = w.sort(ann, page, order)
		said := text(page)
		if order == render.OrderHonour && w.standing(ann).Honour != w.standing(ben).Honour {
			mustSay(t, order, said, "**1.** **"+first+"**")
		}
		mustSay(t, order, said, "**Ann**", "**Ben**")
	}
	squires := w.reply(w.label(ann, page, "Squires"))
	mustSay(t, "the squires", text(squires), "**Normal squires**", "1 game")
	mustNotSay(t, "the squires", text(squires), "**Ann**", "in time")
	mustSay(t, "back to people", text(w.reply(w.label(ann, squires, "People"))), "**Ann**")
	mustSay(t, "the command for squires", text(w.reply(w.command(ann, "standings", sandbox.Option{Name: "who", Value: "squires"}))), "**Normal squires**")
	mustSay(t, "somebody without a game", text(w.reply(w.command(eve, "standings", sandbox.Option{Name: "page", Value: 99}))), "**Ann**", "You have finished no game here yet")
	mine := text(w.reply(w.command(ben, "me")))
	mustSay(t, "Ben's page", mine, "1 game", "On this server", "On all servers", "You made 100% of your moves", "<#"+w.channel+">", w.boardURL(), "notices")
	dm, err := w.discord.OpenDM(ben)
	if err != nil {
		t.Fatal(err)
	}
	private := text(w.typed(ben, dm.ID, `{"name":"paladin","options":[{"type":1,"name":"me"}]}`))
	mustSay(t, "Ben's page in a DM", private, "On all servers", "1 game")
	mustNotSay(t, "Ben's page in a DM", private, "On this server")
	mustSay(t, "standings in a DM", text(w.typed(ben, dm.ID, `{"name":"paladin","options":[{"type":1,"name":"standings"}]}`)), "in one of its channels")
}

// TestStandingsOnPages: ten on a page, and the reader's own row on every page on which it is not anyway.
func TestStandingsOnPages(t *testing.T) {
	w := newWorld(t)
	const people = 24
	for n := range people / 2 {
		name := func(i int) string { return fmt.Sprintf("Player %c", 'A'+i) }
		seats := []store.ResultSeat{
			{Player: store.Player{User: fmt.Sprint(7000 + 2*n), Name: name(2 * n), Moves: 10, InTime: 10}, Honour: 40 - n, Rank: 1},
			{Player: store.Player{User: fmt.Sprint(7001 + 2*n), Name: name(2*n + 1), Moves: 10, InTime: 5, SquireMoves: 2}, Honour: 20 - n, Rank: 2},
		}
		if n == people/2-1 {
			seats[1].User, seats[1].Name = w.users[0], "Ann"
		}
		_, err := w.store.Commit(w.ctx(), store.Change{
			Table: fmt.Sprint("old", n), Channel: "c", Guild: w.guild, At: w.clock.Now(), Snapshot: []byte("x"), Result: &store.Result{Seats: seats},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ann := w.users[0]
	m := w.sort(ann, w.reply(w.command(ann, "standings")), render.OrderHonour)
	seen := map[string]bool{}
	row := regexp.MustCompile(`(?m)^\*\*(\d+)\.\*\* \*\*(.+)\*\*:`)
	for page := 1; page <= 3; page++ {
		said := text(m)
		mustSay(t, "the page", said, fmt.Sprintf("Page %d of 3", page), "**24.** **Ann**")
		if own := strings.Contains(said, "Your place"); own != (page < 3) {
			t.Errorf("page %d: the own row stands apart: %v", page, own)
		}
		rows := row.FindAllStringSubmatch(said, -1)
		for _, r := range rows {
			seen[r[2]] = true
		}
		if want := []int{11, 11, 4}[page-1]; len(rows) != want {
			t.Errorf("page %d has %d rows, want %d:\n%s", page, len(rows), want, said)
		}
		if page < 3 {
			m = w.reply(w.label(ann, m, "Forward"))
		}
	}
	if len(seen) != people {
		t.Errorf("%d people are named, want %d", len(seen), people)
	}
	mustSay(t, "the page before", text(w.reply(w.label(ann, m, "Back"))), "Page 2 of 3")
	// The reliability of somebody whose seat a squire played: 5 of 12, rounded down.
	mustSay(t, "reliability", text(w.reply(w.command(ann, "me"))), "You made 41% of your moves")
}

// TestReliabilityInTheLobby: whose time ran out and who stood in shows beside them before anybody else joins.
func TestReliabilityInTheLobby(t *testing.T) {
	w := newWorld(t)
	owner, seat := w.late()
	eve := w.users[4]
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	if w.table().SeatOf(table.UserID(eve)) != seat {
		t.Fatal("Eve does not stand in")
	}
	w.wholeGame(5)
	late, stand := w.standing(owner), w.standing(eve)
	if late.Games != 0 || late.Timeouts != 1 || late.SquireMoves == 0 {
		t.Errorf("whose time ran out: %+v", late)
	}
	if stand.Games != 1 || stand.Moves == 0 || stand.InTime != stand.Moves || stand.SquireMoves != 0 {
		t.Errorf("who stood in: %+v", stand)
	}
	again := w.newChannel("again")
	res := again.command(owner, "new")
	share, _ := late.Reliability()
	mustSay(t, "the lobby as the answer", text(*res.Message), fmt.Sprintf("host · %d%% in time", int(share*100)))
	mustNotSay(t, "the lobby", text(again.board()), "1 game")
	again.label(eve, again.board(), "Join")
	mustSay(t, "the lobby after a press", text(again.board()), "· 1 game, 100% in time")
	again.clock.advance(time.Hour)
	again.command(w.users[0], "board")
	mustSay(t, "the lobby anew", text(again.board()), "· 1 game, 100% in time")
	mustSay(t, "the page of whose time ran out", text(w.reply(w.command(owner, "me"))), "1 turn ran out", "A squire made", "not to the end")
	stranger := w.newChannel("fresh")
	u, err := w.discord.AddUser("Nobody Yet", w.guild)
	if err != nil {
		t.Fatal(err)
	}
	stranger.command(u.ID, "new")
	mustNotSay(t, "a newcomer's lobby", text(stranger.board()), " · ")
}

// traces looks for somebody's id and name in all that the store holds.
func (w *world) tracesOf(user, name string) []string {
	w.t.Helper()
	var found []string
	look := func(what, stored string) {
		if store.Mentions(stored, user) || name != "" && strings.Contains(stored, name) {
			found = append(found, what+": "+stored)
		}
	}
	var dump bytes.Buffer
	if _, err := w.store.Backup(w.ctx(), &dump); err != nil {
		w.t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(dump.Bytes(), &all); err != nil {
		w.t.Fatal(err)
	}
	tables := all["tables"].(map[string]any)
	eachText(all, func(s string) {
		look("store", s)
		if data, err := base64.StdEncoding.DecodeString(s); err == nil {
			look("store", string(data))
		}
	})
	pending, err := w.store.Pending(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, in := range pending {
		look("outbox", in.Key+" "+in.Channel+" "+string(in.Payload))
	}
	for id := range tables {
		surfaces, err := w.store.Surfaces(w.ctx(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		look("surfaces", fmt.Sprint(surfaces))
	}
	for _, guild := range []string{w.guild, ""} {
		if s, ok, err := w.store.Standing(w.ctx(), guild, user); err != nil || ok {
			found = append(found, fmt.Sprintf("standing: %+v %v", s, err))
		}
	}
	return found
}

// eachText calls fn with every text and every name in a JSON value.
func eachText(value any, fn func(string)) {
	switch v := value.(type) {
	case string:
		fn(v)
	case []any:
		for _, e := range v {
			eachText(e, fn)
		}
	case map[string]any:
		for k, e := range v {
			fn(k)
			eachText(e, fn)
		}
	}
}

// others are everybody's standings and results but one person's.
func (w *world) othersThan(user string) string {
	w.t.Helper()
	var out []any
	for _, squires := range []bool{false, true} {
		list, _, err := w.store.Standings(w.ctx(), w.guild, store.StandingsQuery{Squires: squires})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, s := range list {
			if s.User != user {
				out = append(out, s)
			}
		}
	}
	results, err := w.store.ResultsByGuild(w.ctx(), w.guild, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range results {
		r.Players(func(_ int, p *store.Player) {
			if p.User == user || p.User == "" {
				p.User, p.Name = "", ""
			}
		})
		out = append(out, r)
	}
	data, err := json.Marshal(out)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// TestExportAndDelete: somebody plays, looks at what is known of them, has it handed out and deleted. Nothing of them is left then, others
// keep what is theirs, and the finished game can still be read and played again.
func TestExportAndDelete(t *testing.T) {
	w := newWorld(t)
	const name = "Zacharias"
	user := w.member(1, name)
	ann := w.users[0]
	mustSay(t, "the habits", text(w.choose(user, w.reply(w.command(user, "notices")), render.HabitCount, "4")), "4")
	watched := w.newChannel("watched")
	watched.openGame(1, 2)
	for _, watcher := range []string{user, w.users[3]} {
		watched.label(watcher, watched.board(), "My seat")
	}
	looks := "looked/" + watched.table().ID()
	w.openGame(2, 1)
	w.wholeGame(2)
	game := w.table()
	w.label(user, w.reply(w.label(user, w.board(), "Replay")), "Show everybody")
	page := w.reply(w.command(user, "me"))
	file := w.reply(w.label(user, page, "Export"))
	if !file.View.Ephemeral {
		t.Fatal("everybody sees the export")
	}
	data := w.download(file)
	var exported store.Exported
	if err := json.Unmarshal(data, &exported); err != nil {
		t.Fatal(err)
	}
	if exported.User.ID != user || len(exported.Results) != 1 || exported.Results[0].Table != game.ID() || exported.Results[0].Name != name ||
		exported.All == nil || exported.All.Games != 1 || len(exported.Servers) != 1 || exported.User.DMChannel == "" ||
		!strings.Contains(string(exported.User.Data), `"reminders": 4`) || exported.Notes[looks] == nil {
		t.Errorf("the export:\n%s", data)
	}
	if store.Mentions(data, ann) || strings.Contains(string(data), "Ann") {
		t.Errorf("the export tells of somebody else:\n%s", data)
	}
	if len(w.tracesOf(user, name)) < 5 {
		t.Fatal("the search finds nothing")
	}
	before := w.othersThan(user)
	// The question first, and the way back.
	ask := w.reply(w.label(user, page, "Delete my data"))
	mustSay(t, "the question", text(ask), "forgotten player", "Backups", "cannot be undone")
	mustSay(t, "the way back", text(w.reply(w.label(user, ask, "Keep everything"))), "What I know of you")
	if w.standing(user).Games != 1 {
		t.Fatal("asking deletes")
	}
	ask = w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete my data"))
	mustSay(t, "the answer", text(w.reply(w.label(user, ask, "Delete for good"))), "Done.")
	if left := w.tracesOf(user, name); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
	if diff := cmp.Diff(before, w.othersThan(user)); diff != "" {
		t.Errorf("what is others' (-before +after):\n%s", diff)
	}
	if left, _, err := w.store.Get(w.ctx(), looks); err != nil || !store.Mentions(left, w.users[3]) {
		t.Errorf("the other who watched is forgotten as well: %s, %v", left, err)
	}
	shown := text(w.reply(w.label(ann, w.board(), "Log"))) + text(w.reply(w.command(ann, "standings")))
	mustSay(t, "what is shown of the game", shown, "a forgotten player")
	mustNotSay(t, "what is shown of the game", shown, name, table.ForgottenName, "gone-")
	mustSay(t, "a newcomer's page", text(w.reply(w.command(user, "me"))), "You have finished no game here yet")
	checkRecord(t, w)
	w.label(ann, w.board(), "Play again")
	seats := w.table().Public().Seats
	if len(seats) != 2 || seats[0].Person.ID != table.UserID(ann) || seats[1].Human() {
		t.Errorf("who sits down again: %+v", seats)
	}
	mustNotSay(t, "the next lobby", text(w.board()), name, "forgotten")
	w.label(user, w.board(), "Join")
	mustSay(t, "the next lobby", text(w.board()), name)
}

// longForget is a store that takes its time to forget somebody.
type longForget struct {
	store.Store
	begun, goOn chan struct{}
}

func (s *longForget) Forget(ctx context.Context, user string, rewrite store.Rewrite) ([]string, error) {
	close(s.begun)
	<-s.goOn
	return s.Store.Forget(ctx, user, rewrite)
}

// muchStored is a store in which very much is stored about everybody.
type muchStored struct {
	store.Store
	data []byte
}

func (s *muchStored) Export(context.Context, string, store.ExportSetting) ([]byte, error) {
	return s.data, nil
}

// TestExportOfMuch: what Discord would not take as it is comes packed, and what it takes in no form is answered in words.
func TestExportOfMuch(t *testing.T) {
	noise := make([]byte, discord.MaxFileSize+1<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	for what, c := range map[string]struct {
		data []byte
		name string // of the file; empty: there is none
	}{
		"as much as a file holds": {bytes.Repeat([]byte("x"), discord.MaxFileSize), render.ExportName},
		"one more":                {bytes.Repeat([]byte("x"), discord.MaxFileSize+1), render.ExportPackedName},
		"more than can be packed": {noise, ""},
	} {
		s := &muchStored{storetest.NewMemory(), c.data}
		w := newWorld(t, withStore(s))
		user := w.users[0]
		answer := w.reply(w.label(user, w.reply(w.command(user, "me")), "Export"))
		if !answer.View.Ephemeral {
			t.Errorf("%s: everybody sees the answer", what)
		}
		if c.name == "" {
			mustSay(t, what, text(answer), "too much")
			if len(answer.Attachments) > 0 {
				t.Errorf("%s: a file came", what)
			}
			continue
		}
		mustSay(t, what, text(answer), "all that I have stored", c.name)
		data := w.download(answer)
		if c.name == render.ExportPackedName {
			data = unpack(t, data)
		}
		if answer.Attachments[0].Filename != c.name || !bytes.Equal(data, c.data) {
			t.Errorf("%s: %s has %d bytes, want %s with %d", what, answer.Attachments[0].Filename, len(data), c.name, len(c.data))
		}
	}
}

// unpack returns the only file of an archive.
func unpack(t *testing.T, archive []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 1 || z.File[0].Name != render.ExportName {
		t.Fatalf("in the archive: %+v", z.File)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNobodyWaitsForForgetting: while somebody is being forgotten, others look at their seats, and what comes after their answers is done.
func TestNobodyWaitsForForgetting(t *testing.T) {
	slow := &longForget{Store: storetest.NewMemory(), begun: make(chan struct{}), goOn: make(chan struct{})}
	w := newWorld(t, withStore(slow))
	w.openGame(3, 0)
	ben, gone := w.users[1], w.users[4]
	w.label(gone, w.board(), "My seat")
	page := w.reply(w.command(gone, "me"))
	forgotten := w.begin(gone, page.ChannelID, page.ID, press.New(press.Me, "", render.MeForget).String())
	<-slow.begun
	w.locale(ben, "de")
	seat := w.begin(ben, w.channel, w.board().ID, press.New(press.Seat, w.table().ID()).String())
	w.answered(seat)
	waitUntil(t, w, func() bool { // his language is remembered after his look
		u, err := w.store.User(w.ctx(), ben)
		return err == nil && strings.Contains(string(u.Data), `"locale":"de"`)
	})
	close(slow.goOn)
	w.answered(forgotten)
	w.flush()
	if left := w.tracesOf(gone, ""); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
}

// TestDeleteWhileSeated is refused at the question already, with the tables and the ways to them.
func TestDeleteWhileSeated(t *testing.T) {
	w := newWorld(t)
	ben := w.users[1]
	page := w.reply(w.command(ben, "me"))
	mustSay(t, "the question before", text(w.reply(w.label(ben, page, "Delete my data"))), "cannot be undone")
	w.openGame(2, 1)
	lobby := w.newChannel("lobby")
	lobby.openLobby(2, 0)
	for _, what := range []string{render.MeForget, render.MeDelete} {
		said := text(w.reply(w.forge(ben, page.ChannelID, page.ID, press.New(press.Me, "", what).String())))
		mustSay(t, what, said, "a part in 2 tables", "<#"+w.channel+">", "<#"+lobby.channel+">", w.boardURL(), lobby.boardURL(), "/paladin leave")
	}
	if w.table().SeatOf(table.UserID(ben)) < 0 {
		t.Error("Ben lost his seat")
	}
	// Who left a running game can come back to it: it has to end.
	lobby.label(ben, lobby.board(), "Leave")
	w.label(ben, w.reply(w.command(ben, "leave")), "Leave")
	page = w.reply(w.command(ben, "me"))
	mustSay(t, "the question", text(w.reply(w.label(ben, page, "Delete my data"))), "a part in 1 table,", "<#"+w.channel+">")
}

// TestDeleteWaitsForRunningTables: what a running table of others tells of somebody goes when it has ended, also after a restart.
func TestDeleteWaitsForRunningTables(t *testing.T) {
	wholeGame(t)
	w := newWorld(t)
	const name = "Zacharias"
	user := w.member(4, name)
	w.openLobby(2, 1)
	w.label(w.users[0], w.board(), "Manage")
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Remove, w.table().ID(), "3", "squire").String())
	w.label(w.users[0], w.reply(w.command(w.users[0], "stop")), "Cancel the table")
	w.command(w.users[0], "new", sandbox.Option{Name: "seats", Value: 4})
	w.label(user, w.board(), "Join")
	w.label(user, w.board(), "Leave")
	w.label(w.users[1], w.board(), "Join")
	w.label(w.users[0], w.board(), "Add a squire")
	w.label(w.users[0], w.board(), "Start")
	ask := w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete my data"))
	mustSay(t, "the answer", text(w.reply(w.label(user, ask, "Delete for good"))), "Done.", "1 running game still tells of you")
	w.stop()
	w.start(nil)
	w.wholeGame(3)
	if len(w.tracesOf(user, name)) == 0 {
		t.Fatal("there was nothing to wait for")
	}
	w.pass(61 * time.Minute)
	w.flush()
	if left := w.tracesOf(user, name); len(left) > 0 {
		t.Errorf("left of the person:\n%s", strings.Join(left, "\n"))
	}
}

// meddling is a store in which something happens right before a change is made.
type meddling struct {
	store.Store
	before atomic.Pointer[func(store.Change)]
	// forgetful histories cannot be read from their beginning.
	forgetful atomic.Bool
}

func (m *meddling) History(ctx context.Context, id string, from, limit int) ([]store.Entry, error) {
	if m.forgetful.Load() && from == 1 {
		return nil, errors.New("the disk is tired")
	}
	return m.Store.History(ctx, id, from, limit)
}

func (m *meddling) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	if f := m.before.Load(); f != nil {
		(*f)(c)
	}
	return m.Store.Commit(ctx, c)
}

// TestNoGameEndsWithoutItsResult: while the history cannot be read the last move is not made, and pressing once more makes it.
func TestNoGameEndsWithoutItsResult(t *testing.T) {
	m := &meddling{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(m))
	w.openGame(3, 0)
	m.forgetful.Store(true)
	failed := 0
	for w.table().Stage() == table.Playing && failed < 2 {
		at := w.table()
		who, _ := at.AwaitedPerson()
		said := text(w.reply(w.forge(string(who.ID), w.channel, w.board().ID, legalID(t, at, who.ID))))
		if w.table().Prompt() == at.Prompt() {
			failed++
			mustSay(t, "the answer to the last move", said, english.Say(render.TextFailure))
		}
		w.clock.advance(10 * time.Second)
	}
	if failed != 2 {
		t.Fatalf("the game is %s", w.table().Stage())
	}
	m.forgetful.Store(false)
	w.playOn(rand.New(rand.NewPCG(1, 1)))
	if _, ok, err := w.store.ResultOf(w.ctx(), w.table().ID()); !ok || err != nil || w.table().Stage() != table.Finished {
		t.Errorf("the game is %s, its result is there: %v, %v", w.table().Stage(), ok, err)
	}
}

// TestDeleteLeavesASoundDatabase: what was played, forgotten and played again follows from the results, as a check finds.
func TestDeleteLeavesASoundDatabase(t *testing.T) {
	wholeGame(t)
	path := filepath.Join(t.TempDir(), "games.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withStore(db))
	ben := w.users[1]
	w.openGame(2, 1)
	w.wholeGame(6)
	ask := w.reply(w.label(ben, w.reply(w.command(ben, "me")), "Delete my data"))
	mustSay(t, "the answer", text(w.reply(w.label(ben, ask, "Delete for good"))), "Done.")
	w.label(w.users[0], w.board(), "Play again")
	w.label(ben, w.board(), "Join")
	w.label(w.users[0], w.board(), "Start")
	w.wholeGame(7)
	if got := w.standing(ben).Games; got != 1 {
		t.Errorf("who came back has %d games", got)
	}
	w.stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := store.Check(path, bot.Inspection())
	if err != nil || len(report.Faults) > 0 || report.Results != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestPlayAgainWhileSomebodyIsForgotten: the ended table points to the next one although it was rewritten meanwhile.
func TestPlayAgainWhileSomebodyIsForgotten(t *testing.T) {
	m := &meddling{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(m))
	ann := w.users[0]
	w.openGame(2, 1)
	w.wholeGame(4)
	old := w.table().ID()
	done := false
	meddle := func(c store.Change) {
		if c.With == nil || c.With.Table != old || done {
			return
		}
		done = true
		row, err := m.Table(context.Background(), old)
		if err != nil {
			t.Error(err)
		}
		if _, err := m.Store.Commit(context.Background(), store.Change{
			Table: old, Expect: row.Version, Snapshot: row.Snapshot, Channel: row.Channel, Guild: row.Guild, Users: row.Users, At: w.clock.Now(),
		}); err != nil {
			t.Error(err)
		}
	}
	m.before.Store(&meddle)
	w.label(ann, w.board(), "Play again")
	if !done {
		t.Fatal("nothing came between")
	}
	row, err := w.store.Table(w.ctx(), old)
	if err != nil {
		t.Fatal(err)
	}
	at, err := table.Decode(row.Snapshot)
	if err != nil || at.Public().Next != w.table().ID() {
		t.Errorf("the old table points to %q, %v", at.Public().Next, err)
	}
}

// TestForgedStandings: what nobody was offered is answered in words, to whoever pressed it alone, and changes nothing.
func TestForgedStandings(t *testing.T) {
	w := newWorld(t)
	w.openGame(2, 1)
	eve := w.users[4]
	for custom, want := range map[string]string{
		"p1/standings//0":                         "Nobody has finished a game",
		"p1/standings//0/x/B/people/rating":       "does not fit",
		"p1/standings//0/1/B/nobody/rating":       "does not fit",
		"p1/standings//0/1/B/people/beauty":       "does not fit",
		"p1/standings//0/1":                       "does not fit",
		"p1/standings//0/-9/B/people/rating":      "Nobody has finished a game",
		"p1/standings//0/99/B/squires/wins":       "No squire has finished a game",
		"p1/standings//0/1/S/squires/reliability": "No squire has finished a game",
		"p1/me//0":            "What I know of you",
		"p1/me//0/everything": "does not fit",
		"p1/me//0/delete":     "cannot be undone",
		"p1/me//0/export":     "all that I have stored",
		"p1/me//0/forget":     "Done.",
	} {
		res := w.forge(eve, w.channel, w.board().ID, custom)
		said := w.reply(res)
		if !said.View.Ephemeral || len(res.Followups) > 0 || !strings.Contains(text(said), want) {
			t.Errorf("%q is answered (private: %v):\n%s\nwant %q", custom, said.View.Ephemeral, text(said), want)
		}
	}
	mustSay(t, "a player's forged deletion", text(w.reply(w.forge(w.users[0], w.channel, w.board().ID, "p1/me//0/forget"))), "a part in 1 table,")
	if w.table().Stage() != table.Playing {
		t.Error("a press on standings ended the game")
	}
}

// TestStoppedGamesDoNotCount for anybody.
func TestStoppedGamesDoNotCount(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.playOn(rand.New(rand.NewPCG(1, 1)))
	for _, user := range w.users[:3] {
		if w.table().Stage() == table.Playing {
			w.forge(user, w.channel, w.board().ID, press.New(press.Stop, w.table().ID()).String())
		}
	}
	if w.table().Stage() != table.Closed {
		t.Fatalf("the game is %s", w.table().Stage())
	}
	if _, ok, err := w.store.ResultOf(w.ctx(), w.table().ID()); ok || err != nil {
		t.Errorf("a stopped game has a result: %v", err)
	}
}
