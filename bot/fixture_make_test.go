package bot_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// maker makes a fixture by playing.
type maker struct {
	*world
	fixture *fixture
	who     map[string]string // name to user id
	scenes  map[string]*world // by name
}

// fixtureNobody are the kinds of press that no message of this program holds, with the reason.
var fixtureNobody = map[press.Kind]string{}

// TestMakeFixture makes a fixture with the program that it is built with, when asked to.
func TestMakeFixture(t *testing.T) {
	if *makeFixture == "" {
		t.Skip("makes a fixture when a name is given")
	}
	dir := t.TempDir()
	path, place := filepath.Join(dir, "paladin.db"), filepath.Join(dir, "sandbox.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{
		world: newWorld(t, withStore(db), withPlace(place), func(c *worldConfig) {
			c.token, c.clock.now = "a.token.of-a-fixture", time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
		}), who: map[string]string{}, scenes: map[string]*world{},
		fixture: &fixture{name: *makeFixture, tables: map[string]string{}, people: map[string]string{}, missing: fixtureNobody},
	}
	m.invite()
	m.long()
	m.lobbies()
	m.games()
	m.votes()
	m.ends()
	m.beforehand()
	m.live()
	m.persons()
	m.open()
	m.walk()
	m.pending()
	m.complete()
	m.fixture.at = m.clock.Now()
	wanted := m.wanted()
	m.stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.discord.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := store.Check(path, bot.Inspection())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	t.Logf("%+v", report)
	m.fixture.schema = report.Schema
	pack(t, path, filepath.Join(fixtures, *makeFixture+".db.gz"), func(string, string) bool { return true })
	pack(t, place, filepath.Join(fixtures, *makeFixture+".discord.gz"), wanted)
	t.Logf("%d presses", len(m.fixture.presses))
	t.Logf("%d presses in %d groups", len(m.fixture.presses), len(m.fixture.groups()))
	m.fixture.pressAll(t, m.fixture.groups(), func(_ *testing.T, p *fixed, class, said string) { p.class, p.said = class, said })
	if err := os.WriteFile(filepath.Join(fixtures, *makeFixture+".txt"), []byte(m.fixture.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wanted tells what of the sandbox is kept: no pictures, and of messages that one person alone sees
// only those on which something listed stands, and those that the bot knows.
func (m *maker) wanted() func(bucket, key string) bool {
	listed := map[string]bool{}
	for _, p := range m.fixture.presses {
		listed[p.message] = true
	}
	private := map[string]bool{}
	for _, user := range m.byOrder() {
		for _, c := range m.channels(user) {
			messages, err := m.discord.Messages(user, c.ID)
			if err != nil {
				m.t.Fatal(err)
			}
			for _, msg := range messages {
				_, shown, err := m.store.SurfaceByMessage(m.ctx(), msg.ID)
				if err != nil {
					m.t.Fatal(err)
				}
				private[msg.ID] = private[msg.ID] || msg.View.Ephemeral || msg.GuildID == "" && !shown
			}
		}
	}
	return func(bucket, key string) bool {
		return bucket != "files" && (bucket != "messages" || listed[key] || !private[key])
	}
}

// pack writes what is wanted of a bbolt file, without its unused pages, small.
func pack(t *testing.T, from, to string, wanted func(bucket, key string) bool) {
	t.Helper()
	src, err := bbolt.Open(from, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	err = src.Update(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			var unwanted [][]byte
			err := b.ForEach(func(k, v []byte) error {
				if v != nil && !wanted(string(name), string(k)) {
					unwanted = append(unwanted, slices.Clone(k))
				}
				return nil
			})
			for _, k := range unwanted {
				err = errors.Join(err, b.Delete(k))
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small.db")
	dst, err := bbolt.Open(small, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := bbolt.Compact(dst, src, 0); err != nil {
		t.Fatal(err)
	}
	if err := dst.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes, packed %d", filepath.Base(to), len(data), b.Len())
}

// invite brings everybody who plays, and a second server, which the bot greets.
func (m *maker) invite() {
	m.t.Helper()
	for _, name := range []string{"Finn", "Gus", "Hal", "Ida", "Jon", "Kim"} {
		if _, err := m.discord.AddUser(name, m.guild); err != nil {
			m.t.Fatal(err)
		}
	}
	for _, u := range m.discord.Users() {
		m.who[u.Name()], m.fixture.people[u.ID] = u.ID, u.Name()
	}
	abroad, err := m.discord.AddGuild("Abroad", m.who["Kim"], m.who["Jon"])
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.discord.InviteBot(abroad.ID); err != nil {
		m.t.Fatal(err)
	}
	m.settle()
}

// scene opens a lobby in a channel of its own, with these people, the host first.
func (m *maker) scene(name string, people []string, squires int, options ...sandbox.Option) *world {
	m.t.Helper()
	g := m.newChannel(name)
	m.seatAt(g, name, people, squires, options...)
	return g
}

func (m *maker) seatAt(g *world, name string, people []string, squires int, options ...sandbox.Option) {
	m.t.Helper()
	g.users = nil
	for _, p := range people {
		g.users = append(g.users, m.who[p])
	}
	if !slices.ContainsFunc(options, func(o sandbox.Option) bool { return o.Name == "seats" }) {
		options = append(options, sandbox.Option{Name: "seats", Value: max(len(people)+squires, table.MinSeats)})
	}
	g.command(g.users[0], "new", options...)
	for _, user := range g.users[1:] {
		g.pressKind(user, g.board(), press.Join)
	}
	for range squires {
		g.pressKind(g.users[0], g.board(), press.Squire)
	}
	m.scenes[name] = g
	m.fixture.tables[g.table().ID()] = name
}

// game is a scene whose game has begun.
func (m *maker) game(name string, people []string, squires int, options ...sandbox.Option) *world {
	m.t.Helper()
	g := m.scene(name, people, squires, options...)
	g.pressKind(g.users[0], g.board(), press.Start)
	return g
}

func pace(p table.Pace) sandbox.Option { return sandbox.Option{Name: "pace", Value: string(p)} }

// turn makes the move of whoever is awaited: of the first kind that there is.
func (w *world) turn(kinds ...paladin.MoveKind) {
	w.t.Helper()
	at := w.table()
	who, ok := at.AwaitedPerson()
	if !ok {
		w.t.Fatalf("nobody is awaited at stage %s", at.Stage())
	}
	mine, _ := at.Private(who.ID)
	legal := mine.View.Legal()
	move := legal[0]
	for _, kind := range slices.Backward(kinds) {
		if i := slices.IndexFunc(legal, func(m paladin.Move) bool { return m.Kind == kind }); i >= 0 {
			move = legal[i]
		}
	}
	id := press.For(press.Act, at.ID(), at.Prompt(), move.Kind.String())
	switch move.Kind {
	case paladin.Start:
		id = press.For(press.First, at.ID(), at.Prompt(), fmt.Sprint(move.Target.Number()))
	case paladin.Place:
		id = press.For(press.Place, at.ID(), at.Prompt(), move.Card.String(), fmt.Sprint(move.Quest))
	case paladin.Peek:
		id = press.For(press.Peek, at.ID(), at.Prompt(), fmt.Sprintf("%d.%d", move.Quest, move.Place))
	}
	w.forge(string(who.ID), w.channel, w.board().ID, id.String())
	if now := w.table(); now.Stage() == table.Playing && now.Prompt() == at.Prompt() {
		w.t.Fatalf("no move by %s", id)
	}
}

// until plays until the table is as wanted.
func (w *world) until(done func(*table.Table) bool, kinds ...paladin.MoveKind) {
	w.t.Helper()
	for range 500 {
		if done(w.table()) {
			return
		}
		w.turn(kinds...)
	}
	w.t.Fatal("the table never comes to be as wanted")
}

func inPhase(phase paladin.Phase) func(*table.Table) bool {
	return func(t *table.Table) bool { return t.Public().Game.Phase == phase }
}

// whole plays a game to its end.
func (w *world) whole() {
	w.t.Helper()
	w.until(func(t *table.Table) bool { return t.Stage() != table.Playing })
}

// long plays what takes days: a lobby that nobody wanted, somebody whose time ran out once, and
// somebody who is away for good.
func (m *maker) long() {
	m.t.Helper()
	m.scene("idle", []string{"Jon"}, 0)
	away := m.game("away", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceRelaxed))
	for range 40 {
		if slices.ContainsFunc(away.table().Public().Seats, func(s table.PublicSeat) bool { return s.Away }) {
			break
		}
		if away.awaited() == m.who["Cleo"] {
			m.pass(12*time.Hour + time.Minute)
		} else {
			away.turn()
		}
	}
	offer := m.game("offer", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceDaily))
	second := m.game("stand-in", []string{"Dan", "Ben", "Cleo"}, 0, pace(table.PaceDaily))
	for _, g := range []*world{offer, second} {
		g.until(func(t *table.Table) bool { p, ok := t.AwaitedPerson(); return ok && string(p.ID) == m.who["Cleo"] })
	}
	m.pass(24*time.Hour + time.Minute)
	for _, g := range []*world{offer, second} {
		g.pressKind(m.who["Eve"], g.board(), press.Offer)
	}
	second.pressKind(m.who["Dan"], second.board(), press.Accept)
	if second.table().SeatOf(table.UserID(m.who["Eve"])) < 0 {
		m.t.Fatal("nobody stands in")
	}
}

// lobbies are an open one with everything in it, one without pictures in another language, and a
// cancelled one.
func (m *maker) lobbies() {
	m.t.Helper()
	g := m.scene("lobby", []string{"Ben", "Cleo", "Gus"}, 0, sandbox.Option{Name: "seats", Value: 4})
	manage := g.reply(g.pressKind(m.who["Ben"], g.board(), press.Manage))
	for _, c := range controls(manage) {
		id, err := press.Parse(c.CustomID)
		if err == nil && id.Kind == press.Remove && id.Arg(0) == strconv.Itoa(g.table().SeatOf(table.UserID(m.who["Gus"])).Number()) {
			manage = g.reply(g.press(m.who["Ben"], manage, c.CustomID))
		}
	}
	for _, c := range controls(manage) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Invite {
			g.result(m.discord.Select(m.ctx(), m.who["Ben"], manage.ChannelID, manage.ID, c.CustomID, m.who["Finn"], m.who["Hal"]))
		}
	}
	g.pressKind(m.who["Dan"], g.board(), press.Join)
	g.pressKind(m.who["Ben"], g.board(), press.Squire)
	g.pressKind(m.who["Eve"], g.board(), press.Join)
	if p := g.table().Public(); len(p.Queue) != 1 || len(p.Invited) != 2 || !g.table().Barred(table.UserID(m.who["Gus"])) {
		m.t.Fatalf("the lobby: %+v", p)
	}
	m.scene("lobby in French", []string{"Dan"}, 1, sandbox.Option{Name: "language", Value: "fr"}, sandbox.Option{Name: "pictures", Value: false})
	c := m.scene("cancelled", []string{"Cleo"}, 0)
	c.pressKind(m.who["Cleo"], c.board(), press.Cancel)
}

// games are one in every phase.
func (m *maker) games() {
	m.t.Helper()
	m.game("start", []string{"Ben", "Cleo", "Dan", "Eve"}, 0, pace(table.PaceDaily))
	m.game("lead", []string{"Cleo", "Dan", "Ben"}, 1, pace(table.PaceRelaxed)).until(inPhase(paladin.PhaseLead))
	g := m.game("place", []string{"Dan", "Ben", "Cleo"}, 0, pace(table.PaceWeekend))
	g.until(func(t *table.Table) bool {
		who, ok := t.AwaitedPerson()
		if !ok || t.Public().Game.Phase != paladin.PhasePlace {
			return false
		}
		mine, _ := t.Private(who.ID)
		return slices.ContainsFunc(mine.View.Legal(), func(m paladin.Move) bool { return m.Kind == paladin.Peek })
	})
	m.game("peeked", []string{"Ben", "Dan", "Eve"}, 0, pace(table.PaceNone)).until(func(t *table.Table) bool {
		peeked := 0
		for _, p := range t.People() {
			if mine, ok := t.Private(p.ID); ok && len(mine.View.Peeked) > 0 {
				peeked++
			}
		}
		who, ok := t.AwaitedPerson()
		if !ok || peeked < 3 {
			return false
		}
		mine, _ := t.Private(who.ID)
		return t.Public().Game.Phase == paladin.PhasePlace &&
			!slices.ContainsFunc(mine.View.Legal(), func(m paladin.Move) bool { return m.Kind == paladin.Peek })
	}, paladin.Peek)
	m.game("resolve", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceDaily)).until(inPhase(paladin.PhaseResolve))
	plain := m.game("plain", []string{"Eve", "Dan", "Ben"}, 0, sandbox.Option{Name: "pictures", Value: false}, sandbox.Option{Name: "language", Value: "de"})
	plain.until(inPhase(paladin.PhasePlace))
	thread, err := m.discord.AddThread(m.channel, "a game")
	if err != nil {
		m.t.Fatal(err)
	}
	inThread := m.at(thread.ID)
	m.seatAt(inThread, "thread", []string{"Cleo", "Ben"}, 1)
	inThread.pressKind(inThread.users[0], inThread.board(), press.Start)
	left := m.game("left", []string{"Dan", "Ben", "Eve"}, 0, pace(table.PaceDaily))
	left.pressKind(m.who["Eve"], left.reply(left.command(m.who["Eve"], "leave")), press.Quit)
}

// votes are a paused game, one in which some want to stop and to pause, and a queue that outlived
// its lobby.
func (m *maker) votes() {
	m.t.Helper()
	paused := m.game("paused", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceDaily))
	for _, user := range paused.users {
		if !paused.table().Public().Paused {
			paused.command(user, "pause")
		}
	}
	paused.command(m.who["Dan"], "resume")
	votes := m.game("votes", []string{"Cleo", "Dan", "Ben", "Eve"}, 0, pace(table.PaceDaily))
	votes.pressKind(m.who["Dan"], votes.reply(votes.command(m.who["Dan"], "stop")), press.Stop)
	votes.command(m.who["Ben"], "pause")
	if p := votes.table().Public(); p.StopVotes != 1 || p.PauseVotes != 1 || !paused.table().Public().Paused {
		m.t.Fatalf("the votes: %+v", p)
	}
}

// ends are games that are over in every way.
func (m *maker) ends() {
	m.t.Helper()
	for n, people := range [][]string{{"Ben", "Cleo", "Dan"}, {"Ben", "Eve", "Hal", "Ida"}, {"Hal", "Ida", "Cleo"}} {
		g := m.game(fmt.Sprint("finished ", n+1), people, n%2)
		g.whole()
		if g.table().Stage() != table.Finished {
			m.t.Fatalf("a game ended as %s", g.table().Stage())
		}
	}
	shown := m.scenes["finished 1"]
	shown.pressKind(m.who["Ben"], shown.reply(shown.pressKind(m.who["Ben"], shown.board(), press.Replay)), press.Share)
	linked := m.scenes["finished 3"]
	linked.pressKind(m.who["Hal"], linked.board(), press.Again)
	m.fixture.tables[linked.table().ID()] = "again"
	m.scenes["again"] = linked
	stopped := m.game("stopped", []string{"Ben", "Cleo", "Dan"}, 0)
	for _, user := range stopped.users {
		if stopped.table().Live() {
			stopped.pressKind(user, stopped.reply(stopped.command(user, "stop")), press.Stop)
		}
	}
	forced := m.game("stopped by a moderator", []string{"Cleo"}, 2)
	forced.pressKind(m.who["Ann"], forced.reply(forced.command(m.who["Ann"], "stop")), press.Stop)
	gone := m.game("channel gone", []string{"Dan", "Ben"}, 1)
	if err := m.discord.DeleteChannel(gone.channel); err != nil {
		m.t.Fatal(err)
	}
	delete(m.scenes, "channel gone")
	m.settle()
	// Ida is forgotten: in what is over at once, in a lobby that she only passed through when that is
	// over.
	passed := m.scene("passed through", []string{"Ben", "Ida"}, 0)
	passed.pressKind(m.who["Ida"], passed.board(), press.Leave)
	linked.command(m.who["Ida"], "leave")
	ask := m.reply(m.pressKind(m.who["Ida"], m.reply(m.command(m.who["Ida"], "me")), press.Me))
	m.forge(m.who["Ida"], m.channel, ask.ID, press.New(press.Me, "", render.MeForget).String())
	if len(m.dataOf("Ida")) > 0 {
		m.t.Fatal("Ida is still known")
	}
}

func (m *maker) dataOf(name string) []byte {
	m.t.Helper()
	results, err := m.store.ResultsByUser(m.ctx(), m.who[name], 0, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	u, err := m.store.User(m.ctx(), m.who[name])
	if err != nil {
		m.t.Fatal(err)
	}
	return append(u.Data, make([]byte, len(results))...)
}

// beforehand are orders, a plan, and what orders decide while somebody is asked, and while the
// channel watches.
func (m *maker) beforehand() {
	m.t.Helper()
	planned := m.game("planned", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceDaily))
	planned.until(inPhase(paladin.PhasePlace))
	ordered := m.game("ordered", []string{"Cleo", "Dan", "Ben"}, 0, pace(table.PaceDaily))
	ordered.until(inPhase(paladin.PhaseResolve))
	for _, g := range []*world{planned, ordered} {
		for _, user := range g.users {
			if user == g.awaited() && g == ordered {
				continue
			}
			mine := g.private(user)
			for _, k := range mine.Orderable() {
				m.choose(g, user, press.New(press.Order, g.table().ID(), fmt.Sprint(k.Quest), fmt.Sprint(g.table().Public().Game.Round)), "beat-take")
				m.choose(g, user, press.New(press.Guard, g.table().ID(), fmt.Sprint(k.Quest), fmt.Sprint(g.table().Public().Game.Round)), "3")
			}
		}
	}
	for _, user := range planned.users {
		if user != planned.awaited() {
			m.plan(planned, user)
		}
	}
	shown := m.game("shown", []string{"Ben", "Cleo", "Dan", "Eve"}, 0, pace(table.PaceNone))
	shown.until(inPhase(paladin.PhaseResolve))
	for _, user := range shown.users {
		mine := shown.private(user)
		for _, k := range mine.Orderable() {
			m.choose(shown, user, press.New(press.Order, shown.table().ID(), fmt.Sprint(k.Quest), "1"), "beat-take")
		}
	}
}

// choose chooses a value in a select of somebody's panel.
func (m *maker) choose(g *world, user string, id press.ID, value string) {
	m.t.Helper()
	panel := g.reply(g.pressKind(user, g.board(), press.Seat))
	g.result(m.discord.ForgePress(m.ctx(), user, panel.ChannelID, panel.ID, sandbox.TypeStringSelect, id.String(), value))
}

// plan plans the first placement that the page of plans offers.
func (m *maker) plan(g *world, user string) {
	m.t.Helper()
	page := g.reply(g.pressKind(user, g.reply(g.pressKind(user, g.board(), press.Seat)), press.PickPlan))
	for range 3 { // a card, a quest, and that it is meant
		best, most := "", 0
		for _, c := range controls(page) {
			id, err := press.Parse(c.CustomID)
			if err != nil || strings.HasPrefix(c.Label, "✓") {
				continue
			}
			said := 0
			switch {
			case id.Kind == press.Plan:
				said = 3
			case id.Kind == press.PickPlan && id.Arg(0) != "-" && id.Arg(1) != "-":
				said = 2
			case id.Kind == press.PickPlan && id.Arg(0) != "-":
				said = 1
			}
			if said > most {
				best, most = c.CustomID, said
			}
		}
		page = g.reply(g.press(user, page, best))
	}
	if g.private(user).Plan != nil {
		return
	}
	m.t.Fatalf("nothing planned:\n%s", text(page))
}

// live are games with three minutes for a move, and one that waits for a squire who thinks; nothing
// passes from here on but seconds.
func (m *maker) live() {
	m.t.Helper()
	m.game("live", []string{"Ben", "Cleo", "Dan"}, 0, pace(table.PaceLive)).until(inPhase(paladin.PhasePlace))
	g := m.game("a squire thinks", []string{"Eve", "Dan"}, 2, sandbox.Option{Name: "squire_pace", Value: string(table.SquireCalm)}, pace(table.PaceDaily))
	g.until(func(t *table.Table) bool { return t.SquireToAct() })
}

// persons are what people and servers have chosen, and practice games.
func (m *maker) persons() {
	m.t.Helper()
	ann, cleo, dan, eve, hal, gus := m.who["Ann"], m.who["Cleo"], m.who["Dan"], m.who["Eve"], m.who["Hal"], m.who["Gus"]
	pages := map[string]sandbox.Message{}
	notices := func(user, what, value string) {
		page, ok := pages[user]
		if !ok {
			page = m.reply(m.command(user, "notices"))
		}
		for _, c := range controls(page) {
			if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Habits && id.Arg(0) == what {
				if len(c.Options) > 0 {
					pages[user] = m.reply(m.result(m.discord.Select(m.ctx(), user, page.ChannelID, page.ID, c.CustomID, value)))
					return
				} else if id.Arg(1) == value {
					pages[user] = m.reply(m.press(user, page, c.CustomID))
					return
				}
			}
		}
		m.t.Fatalf("%s cannot be chosen:\n%s", what, text(page))
	}
	notices(cleo, render.HabitHour, fmt.Sprint(m.clock.Now().Add(time.Hour).Hour()))
	notices(cleo, render.HabitPlace, "Europe/Berlin")
	notices(cleo, render.HabitFrom, "22")
	notices(cleo, render.HabitTo, "8")
	notices(cleo, render.HabitCount, "1")
	notices(dan, render.HabitLanguage, "it")
	notices(dan, render.HabitLook, string(render.LookText))
	notices(eve, render.HabitWay, string(table.RemindMention))
	if err := m.discord.CloseDMs(m.who["Ben"], true); err != nil {
		m.t.Fatal(err)
	}
	m.scenes["closed messages"] = m.game("closed messages", []string{"Ben", "Eve"}, 1)
	if err := m.discord.CloseDMs(m.who["Ben"], false); err != nil {
		m.t.Fatal(err)
	}
	m.command(gus, "practice")
	practice := m.reply(m.command(hal, "practice"))
	for range manyPresses {
		if !hasMove(practice) {
			break
		}
		practice = m.practiceMove(hal, practice)
	}
	settings := m.reply(m.command(ann, "settings"))
	for _, c := range controls(settings) {
		id, err := press.Parse(c.CustomID)
		switch {
		case err != nil || id.Kind != press.Settings:
		case id.Arg(0) == render.SettingPace && id.Arg(1) == string(table.PaceRelaxed):
			m.press(ann, settings, c.CustomID)
		case id.Arg(0) == render.SettingLanguage:
			m.result(m.discord.Select(m.ctx(), ann, settings.ChannelID, settings.ID, c.CustomID, "es"))
		}
	}
}

// practiceMove makes the first move of a practice game, or chooses what belongs to it.
func (m *maker) practiceMove(user string, page sandbox.Message) sandbox.Message {
	m.t.Helper()
	var pick *sandbox.Component
	for _, c := range controls(page) {
		id, err := press.Parse(c.CustomID)
		if err != nil {
			m.t.Fatal(err)
		}
		switch id.Kind {
		case press.Place, press.First, press.Act:
			return m.reply(m.press(user, page, c.CustomID))
		case press.Pick, press.PickFirst, press.PickAct:
			if chosen := strings.HasPrefix(c.Label, "✓"); !chosen && len(c.Options) == 0 && (pick == nil || id.Arg(0) != "-" && id.Arg(1) != "-") {
				pick = &c
			}
		}
	}
	if pick == nil {
		m.t.Fatalf("nothing to press:\n%s", text(page))
	}
	return m.reply(m.press(user, page, pick.CustomID))
}

// open opens what people have in front of them: their panels, and the pages that only a command
// opens.
func (m *maker) open() {
	m.t.Helper()
	shown := m.scenes["shown"]
	shown.forge(shown.awaited(), shown.channel, shown.board().ID, press.For(press.Act, shown.table().ID(), shown.table().Prompt(), "take").String())
	for _, user := range []string{m.who["Ben"], m.who["Ann"], m.who["Jon"]} {
		for _, sub := range []string{"help", "rules", "games", "notices", "me", "standings", "doctor"} {
			m.command(user, sub)
		}
	}
	m.command(m.who["Ann"], "settings")
	for _, name := range slices.Sorted(maps.Keys(m.scenes)) {
		g := m.scenes[name]
		at := g.table()
		if !at.Live() {
			continue
		}
		host := string(at.Public().Host)
		g.command(host, "stop")
		if at.Stage() == table.Playing {
			g.command(m.who["Ann"], "stop")
			g.command(host, "leave")
		}
	}
}

// walk notes every press on every message, and looks at all that can be looked at from there.
func (m *maker) walk() {
	m.t.Helper()
	seen, times := map[string]bool{}, map[string]int{}
	type sight struct {
		user string
		m    sandbox.Message
	}
	var queue []sight
	for _, user := range m.byOrder() {
		for _, c := range m.channels(user) {
			messages, err := m.discord.Messages(user, c.ID)
			if err != nil {
				m.t.Fatal(err)
			}
			for _, msg := range slices.Backward(messages) {
				if len(controls(msg)) > 0 && (msg.GuildID == "" || msg.View.Ephemeral || m.presses(user, msg)) {
					queue = append(queue, sight{user, msg})
				}
			}
		}
	}
	for len(queue) > 0 {
		now := queue[0]
		queue = queue[1:]
		for _, c := range controls(now.m) {
			id, err := press.Parse(c.CustomID)
			if err != nil {
				m.t.Fatalf("a custom id that is none of ours: %q", c.CustomID)
			}
			for _, values := range choices(c, m.who["Jon"]) {
				where := m.where(now.m)
				key := strings.Join(append([]string{now.user, where, c.CustomID}, values...), " ")
				alike := strings.Join([]string{now.user, where, m.alike(id)}, " ")
				most := 2
				if id.Kind == press.Pick || id.Kind == press.PickPlan {
					most = 1 // there are very many
				}
				if seen[key] || times[alike] >= most {
					continue
				}
				seen[key] = true
				times[alike]++
				p := &fixed{
					where: where, scene: m.sceneOf(id, now.m), channel: now.m.ChannelID, message: now.m.ID, user: now.user,
					kind: c.Type, custom: c.CustomID, values: values,
				}
				m.fixture.presses = append(m.fixture.presses, p)
				if !looksOnly(id) || now.user == m.who["Ida"] { // who is forgotten does nothing more
					continue
				}
				res := m.result(m.discord.ForgePress(m.ctx(), p.user, p.channel, p.message, p.kind, p.custom, p.values...))
				if res.Message != nil {
					queue = append(queue, sight{now.user, m.reply(res)})
				}
			}
		}
	}
	slices.SortStableFunc(m.fixture.presses, func(a, b *fixed) int {
		if c := strings.Compare(a.scene, b.scene); c != 0 {
			return c
		}
		return compareIDs(a.message, b.message)
	})
}

// byOrder are all people, those who came first first.
func (m *maker) byOrder() []string {
	var out []string
	for _, u := range m.discord.Users() {
		out = append(out, u.ID)
	}
	return out
}

// choices are what is chosen in a component: the first value and the last, or nothing where it is a
// button.
func choices(c sandbox.Component, somebody string) [][]string {
	switch c.Type {
	case sandbox.TypeButton:
		return [][]string{nil}
	case sandbox.TypeStringSelect:
		first, last := c.Options[0].Value, c.Options[len(c.Options)-1].Value
		if first == last {
			return [][]string{{first}}
		}
		return [][]string{{first}, {last}}
	case sandbox.TypeUserSelect:
		return [][]string{{somebody}}
	default:
		return [][]string{nil} // nothing chosen: every channel, every role
	}
}

// alike names what all presses have in common that differ in a card, a quest, a page or the value
// chosen. Those that answer the question that is open are not like those that answer an earlier
// one.
func (m *maker) alike(id press.ID) string {
	words := []string{string(id.Kind), id.Table}
	if row, err := m.store.Table(m.ctx(), id.Table); err == nil && id.Prompt > 0 {
		at, err := table.Decode(row.Snapshot)
		if err != nil {
			m.t.Fatal(err)
		}
		words = append(words, fmt.Sprint(at.Prompt() == id.Prompt))
	}
	named := id.Kind == press.Habits || id.Kind == press.Settings || id.Kind == press.Me || id.Kind == press.Pace || id.Kind == press.Strength
	for i, arg := range id.Args {
		if arg != "-" && (!named || i > 0 && id.Kind == press.Habits) {
			arg = "#"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// presses reports whether this person is one of those who press on a message that everybody sees:
// whoever is awaited, the host and somebody who only watches.
func (m *maker) presses(user string, msg sandbox.Message) bool {
	if user == m.who["Jon"] {
		return true
	}
	for _, c := range controls(msg) {
		id, err := press.Parse(c.CustomID)
		if err != nil || id.Table == "" {
			continue
		}
		row, err := m.store.Table(m.ctx(), id.Table)
		if err != nil {
			return false
		}
		at, err := table.Decode(row.Snapshot)
		if err != nil {
			m.t.Fatal(err)
		}
		who, ok := at.AwaitedPerson()
		return string(at.Public().Host) == user || ok && string(who.ID) == user
	}
	return false
}

// where says what kind of message it is.
func (m *maker) where(msg sandbox.Message) string {
	surface, ok, err := m.store.SurfaceByMessage(m.ctx(), msg.ID)
	switch {
	case err != nil:
		m.t.Fatal(err)
	case ok && strings.HasPrefix(surface.Name, "dm/"):
		return "panel in direct messages"
	case ok && strings.HasPrefix(surface.Name, "replay/"):
		return "replay for everybody"
	case ok:
		return surface.Name
	case msg.View.Ephemeral:
		return "private page"
	case msg.GuildID == "":
		return "direct message"
	}
	return "message in the channel"
}

func (m *maker) sceneOf(id press.ID, msg sandbox.Message) string {
	if name := m.fixture.tables[id.Table]; name != "" {
		return name
	}
	for _, c := range controls(msg) {
		if other, err := press.Parse(c.CustomID); err == nil && m.fixture.tables[other.Table] != "" {
			return m.fixture.tables[other.Table]
		}
	}
	if practising := strings.HasPrefix(id.Table, "practice-"); practising {
		return "practice"
	}
	return "no table"
}

// pending leaves in the outbox what cannot be said: Discord fails, and the games go on.
func (m *maker) pending() {
	m.t.Helper()
	m.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.Contains(r.Path, "/interactions/") || strings.Contains(r.Path, "/webhooks/") || r.Method == http.MethodGet {
			return nil
		}
		return &sandbox.Fault{Status: http.StatusServiceUnavailable, Body: []byte(`{"code": 0, "message": "out of order"}`)}
	})
	m.scenes["thread"].turn()
	m.settle()
	waiting, err := m.store.Pending(m.ctx())
	if err != nil || len(waiting) < 2 {
		m.t.Fatalf("%d intents wait, %v", len(waiting), err)
	}
}

// complete demands that everything is there that a fixture is for.
func (m *maker) complete() {
	m.t.Helper()
	found := map[string]bool{}
	keys, err := m.store.Keys(m.ctx(), "")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, key := range keys {
		name, _, _ := strings.Cut(key, "/")
		found["setting "+name] = true
	}
	for id := range m.fixture.tables {
		row, err := m.store.Table(m.ctx(), id)
		if err != nil {
			m.t.Fatal(err)
		}
		at, err := table.Decode(row.Snapshot)
		if err != nil {
			m.t.Fatal(err)
		}
		found["stage "+string(at.Stage())], found["closed: "+at.Reason()], found["pace "+string(at.Options().Pace)] = true, true, true
		for _, d := range row.Deadlines {
			found["deadline "+d.Kind] = true
		}
		if game := at.Public().Game; game != nil && at.Live() {
			found["phase "+game.Phase.String()] = true
		}
	}
	for _, want := range []string{
		"setting identifies", "setting greeted", "setting last", "setting game", "setting looked", "setting practice", "setting guild",
		"stage lobby", "stage playing", "stage finished", "stage closed", "phase start", "phase lead", "phase place", "phase resolve",
		"closed: " + table.ClosedCancelled, "closed: " + table.ClosedStopped, "closed: " + table.ClosedModerator, "closed: " + table.ClosedIdle,
		"closed: " + table.ClosedChannel, "pace live", "pace relaxed", "pace daily", "pace slow", "pace none",
		"deadline " + table.DeadlineSquire, "deadline " + table.DeadlineTurn, "deadline " + table.DeadlineRemind, "deadline " + table.DeadlineIdle,
	} {
		if !found[want] {
			m.t.Errorf("the fixture has no %s among %v", want, slices.Sorted(maps.Keys(found)))
		}
	}
}
