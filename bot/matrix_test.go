package bot_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

var update = flag.Bool("update", false, "write the expected wordings anew")

// matrix is a table whose every stage can be put back, and one person for each part that somebody can have in it.
type matrix struct {
	*world
	id    string
	roles map[string]string // role to user id
	names map[string]string // user id to name
	dms   map[string]sandbox.Message
	// elsewhere is the board of a game in another channel, abroad one in another server.
	elsewhere, abroad sandbox.Message
	panels            map[string]sandbox.Message // own ephemeral panels
	stages            map[string]table.Table
	lines             map[string][]table.Line // the history of each stage since the game began
	few               bool
	seen              *look // what everybody saw last; nil after a change
}

// newMatrix opens the game through the bot, so that all its messages exist, and then replaces it by one whose cards are known.
func newMatrix(t *testing.T) *matrix {
	t.Helper()
	return matrixOf(t, "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal")
}

// matrixOf is a matrix whose players, whoever queues, whoever watches and whoever was removed have these names.
func matrixOf(t *testing.T, names ...string) *matrix {
	t.Helper()
	w := newWorld(t)
	m := &matrix{world: w, roles: map[string]string{}, names: map[string]string{}, dms: map[string]sandbox.Message{}, panels: map[string]sandbox.Message{}}
	for n, name := range names {
		if n < 4 && slices.ContainsFunc(w.discord.Users(), func(u sandbox.User) bool { return u.ID == w.users[n+1] && u.Name() == name }) {
			continue
		}
		u, err := w.discord.AddUser(name, w.guild)
		if err != nil {
			t.Fatal(err)
		}
		w.users = append(w.users[:min(n+1, len(w.users))], append([]string{u.ID}, w.users[min(n+2, len(w.users)):]...)...)
	}
	ann, ben, cleo, dan, eve := w.users[0], w.users[1], w.users[2], w.users[3], w.users[4]
	queued, watching, removed := w.users[5], w.users[6], w.users[7]
	w.command(ben, "new", sandbox.Option{Name: "seats", Value: 4})
	for _, user := range []string{cleo, dan, eve} {
		w.label(user, w.board(), "Join")
	}
	w.label(ben, w.board(), "Start")
	m.id = w.table().ID()
	// Ann owns the server, so she may manage its channels.
	m.roles = map[string]string{"host": ben, "away": eve, "queued": queued, "spectator": watching, "removed": removed, "moderator": ann}
	for _, u := range w.discord.Users() {
		m.names[u.ID] = u.Name()
	}
	second := w.channels(ann)[1].ID
	w.result(w.discord.Command(w.ctx(), ann, second, "paladin", "new"))
	m.elsewhere = m.last(ann, second)
	m.foreign()
	m.stages = m.play([]string{ben, cleo, dan, eve}, queued, removed)
	for user := range m.names {
		m.dms[user] = m.direct(user)
		if user != m.roles["foreign"] {
			m.panels[user] = w.reply(w.result(w.discord.ForgePress(w.ctx(), user, w.channel, w.board().ID, sandbox.TypeButton, press.New(press.Seat, m.id).String())))
		}
	}
	return m
}

// foreign adds somebody who is a member of another server only, where another game stands.
func (m *matrix) foreign() {
	m.t.Helper()
	user, err := m.discord.AddUser("Ida")
	if err != nil {
		m.t.Fatal(err)
	}
	guild, err := m.discord.AddGuild("Abroad", user.ID)
	if err != nil {
		m.t.Fatal(err)
	}
	channel, err := m.discord.AddChannel(guild.ID, "table")
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.discord.InviteBot(guild.ID); err != nil {
		m.t.Fatal(err)
	}
	m.result(m.discord.Command(m.ctx(), user.ID, channel.ID, "paladin", "new"))
	m.roles["foreign"], m.names[user.ID], m.abroad = user.ID, user.Name(), m.last(user.ID, channel.ID)
}

// last is the newest message of a channel.
func (w *world) last(user, channel string) sandbox.Message {
	w.t.Helper()
	messages, err := w.discord.Messages(user, channel)
	if err != nil || len(messages) == 0 {
		w.t.Fatalf("no message in the channel: %v", err)
	}
	return messages[len(messages)-1]
}

// direct is the newest panel in the person's DMs, or the newest message of the bot there; one is made for those to whom nothing was sent.
func (m *matrix) direct(user string) sandbox.Message {
	m.t.Helper()
	for _, c := range m.channels(user) {
		if c.Type != sandbox.ChannelDM {
			continue
		}
		messages, err := m.discord.Messages(user, c.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		messages = slices.DeleteFunc(messages, func(msg sandbox.Message) bool { return msg.View.Ephemeral })
		panels := slices.DeleteFunc(slices.Clone(messages), func(msg sandbox.Message) bool { return !has(msg, press.Refresh) && !has(msg, press.Log) }) // Log: the one that told of the end
		if len(panels) > 0 {
			return panels[len(panels)-1]
		}
		if len(messages) > 0 {
			return messages[len(messages)-1]
		}
	}
	channel, err := m.discord.OpenDM(user)
	if err != nil {
		m.t.Fatal(err)
	}
	m.rest(http.MethodPost, "/channels/"+channel.ID+"/messages", map[string]any{
		"flags": sandbox.FlagComponentsV2, "components": []any{map[string]any{"type": sandbox.TypeTextDisplay, "content": "A message of another game."}},
	})
	return m.last(user, channel.ID)
}

// rest makes a request with the bot's token, as another part of the bot would.
func (w *world) rest(method, path string, body any) {
	w.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.ctx(), method, w.url+"/api/v10"+path, bytes.NewReader(data))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+w.discord.Token())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		w.t.Fatalf("%s %s: %s", method, path, res.Status)
	}
}

// play plays the game with fixed seeds and keeps it at every stage.
func (m *matrix) play(users []string, queued, removed string) map[string]table.Table {
	m.t.Helper()
	now := m.clock.Now()
	actors := make([]table.Actor, len(users))
	for i, u := range users {
		actors[i] = table.Actor{Person: table.Person{ID: table.UserID(u), Name: m.names[u]}, Interaction: fmt.Sprint(1000 + i)}
	}
	var seed paladin.Seed
	seed[0] = 7
	at, _, err := table.Open(table.Opening{
		ID: m.id, Guild: m.guild, Channel: m.channel, Host: actors[0], Deck: paladin.HouseDeck(), Seed: seed, SquireSeed: seed, Now: now,
		Options: table.Options{Seats: 4, Squires: squire.Default, SquirePace: table.SquireAtOnce, Pace: table.PaceDaily},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	var lines []table.Line
	do := func(by table.Actor, cmd table.Command) {
		m.t.Helper()
		next, out, err := at.Do(by, cmd, now)
		if err != nil {
			m.t.Fatalf("%T: %v", cmd, err)
		}
		at, lines = next, append(lines, out.Lines...)
	}
	person := func(u string) table.Actor {
		return table.Actor{Person: table.Person{ID: table.UserID(u), Name: m.names[u]}, Interaction: "2000"}
	}
	do(person(removed), table.Join{})
	do(actors[0], table.RemoveSeat{Seat: 1})
	for _, a := range actors[1:] {
		do(a, table.Join{})
	}
	do(person(queued), table.Join{})
	stages := map[string]table.Table{"lobby": at}
	m.lines = map[string][]table.Line{}
	lines = nil
	keep := func(name string) { stages[name], m.lines[name] = at, slices.Clone(lines) }
	do(actors[0], table.Start{})
	keep("start")
	do(actors[3], table.Leave{})
	legal := func() []paladin.Move {
		mine, ok := at.Private(table.UserID(users[at.Awaited()]))
		if !ok {
			m.t.Fatal("nobody is awaited")
		}
		return mine.View.Legal()
	}
	for at.Stage() == table.Playing {
		if at.SquireToAct() {
			do(table.Actor{}, table.SquireMove{Prompt: at.Prompt()})
			continue
		}
		moves := legal()
		name := at.Public().Game.Phase.String()
		peek := slices.IndexFunc(moves, func(p paladin.Move) bool { return p.Kind == paladin.Peek })
		if name == "place" && peek < 0 {
			name = "" // nothing to look at: no stage of its own
		}
		if _, known := stages[name]; !known && name != "" && at.Awaited() != 0 {
			keep(name)
			if name == "place" {
				do(actors[at.Awaited()], table.Play{Move: moves[peek]})
				keep("peeked")
			}
			moves = legal()
		}
		move := moves[0]
		if i := slices.IndexFunc(moves, func(p paladin.Move) bool { return p.Kind == paladin.Beat }); i >= 0 {
			move = moves[i]
		}
		do(actors[at.Awaited()], table.Play{Move: move})
	}
	keep("finished")
	at, lines = stages["start"], slices.Clone(m.lines["start"])
	for _, a := range actors[:3] {
		if at.Stage() == table.Playing {
			do(a, table.VoteStop{})
		}
	}
	keep("closed")
	at, lines = stages["start"], slices.Clone(m.lines["start"])
	for _, a := range actors[:3] {
		if !at.Public().Paused {
			do(a, table.VotePause{})
		}
	}
	keep("paused")
	// Eve has left and Finn plays her seat; the host's time has run out and Gus offers to stand in.
	at, lines = stages["start"], slices.Clone(m.lines["start"])
	do(actors[3], table.Leave{})
	do(person(queued), table.Offer{Seat: 3})
	do(actors[0], table.Accept{Seat: 3, User: table.UserID(queued)})
	late := at.Awaited()
	do(table.Actor{}, table.Timeout{Prompt: at.Prompt()})
	do(person(m.roles["spectator"]), table.Offer{Seat: late})
	keep("handed")
	return stages
}

// write adds the history of a stage, which the bot did not make, to that of the stored table.
func (m *matrix) write(lines []table.Line) {
	m.t.Helper()
	row, err := m.store.Table(m.ctx(), m.id)
	if err != nil {
		m.t.Fatal(err)
	}
	c := store.Change{Table: m.id, Expect: row.Version, Snapshot: row.Snapshot, Live: row.Live, Channel: m.channel, Guild: m.guild, Users: row.Users, At: m.clock.Now()}
	for _, line := range lines {
		entry, err := json.Marshal(line)
		if err != nil {
			m.t.Fatal(err)
		}
		c.Entries = append(c.Entries, entry)
	}
	if _, err := m.store.Commit(m.ctx(), c); err != nil {
		m.t.Fatal(err)
	}
}

// mend lets the board show the table that was put back: the doctor brings it up to date.
func (m *matrix) mend() {
	m.t.Helper()
	m.forge(m.roles["moderator"], m.channel, m.board().ID, press.New(press.Doctor, "").String())
}

// forget takes back what presses that belong to no table have chosen.
func (m *matrix) forget(user string) {
	m.t.Helper()
	if err := m.store.UpdateUser(m.ctx(), user, func(u *store.User) { u.Data = nil }); err != nil {
		m.t.Fatal(err)
	}
	for _, g := range m.discord.Guilds("") {
		if err := m.store.Put(m.ctx(), "guild/"+g.ID, nil); err != nil {
			m.t.Fatal(err)
		}
	}
}

// put makes the stored table the given one again, and closes what stands in its channel besides.
func (m *matrix) put(at *table.Table) {
	m.t.Helper()
	if id, ok, err := m.store.TableByChannel(m.ctx(), m.channel); err != nil {
		m.t.Fatal(err)
	} else if ok && id != m.id {
		row, err := m.store.Table(m.ctx(), id)
		if err != nil {
			m.t.Fatal(err)
		}
		_, err = m.store.Commit(m.ctx(), store.Change{Table: id, Expect: row.Version, Snapshot: row.Snapshot, Channel: m.channel, Guild: m.guild, At: m.clock.Now()})
		if err != nil {
			m.t.Fatal(err)
		}
	}
	row, err := m.store.Table(m.ctx(), m.id)
	if err != nil {
		m.t.Fatal(err)
	}
	snapshot, err := at.Encode()
	if err != nil {
		m.t.Fatal(err)
	}
	c := store.Change{Table: m.id, Expect: row.Version, Snapshot: snapshot, Live: at.Live(), Channel: m.channel, Guild: m.guild, At: m.clock.Now()}
	for _, p := range at.People() {
		c.Users = append(c.Users, string(p.ID))
	}
	if _, err := m.store.Commit(m.ctx(), c); err != nil {
		m.t.Fatal(err)
	}
	m.app.Trust(m.id) // the history of all stages is one
	if err := m.store.Put(m.ctx(), "last/"+m.channel, []byte(m.id)); err != nil {
		m.t.Fatal(err)
	}
	m.putPanels(at)
}

// putPanels makes the panels in direct messages the present ones again where the end of the game was told below them.
func (m *matrix) putPanels(at *table.Table) {
	m.t.Helper()
	for _, p := range at.People() {
		name := fmt.Sprintf("dm/%d", at.SeatOf(p.ID))
		surface, ok, err := m.store.Surface(m.ctx(), m.id, name)
		if err != nil {
			m.t.Fatal(err)
		}
		panel := m.direct(string(p.ID))
		if !ok || surface.Channel != panel.ChannelID || surface.Message == panel.ID || !has(panel, press.Refresh) {
			continue
		}
		surface.Message = panel.ID
		if err := m.store.Settle(m.ctx(), store.Settlement{Table: m.id, Put: []store.Surface{surface}}); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *matrix) version() uint64 {
	m.t.Helper()
	row, err := m.store.Table(m.ctx(), m.id)
	if err != nil {
		m.t.Fatal(err)
	}
	return row.Version
}

// pressed is one thing that can be pressed, well formed or not.
type pressed struct {
	name   string
	custom string
	kind   int
	values []string
}

// presses are all kinds, with arguments that fit the table where there are any.
func (m *matrix) presses(at *table.Table) []pressed {
	prompt := max(at.Prompt(), 1)
	args := map[press.Kind][]string{
		press.Place: {"7", "1"}, press.Pick: {"7", "1"}, press.Peek: {"1.1"}, press.First: {"2"}, press.PickFirst: {"2"},
		press.Act: {"take"}, press.PickAct: {"take"},
	}
	if seat := at.Awaited(); seat != paladin.NoSeat {
		mine, _ := at.Private(at.People()[seat].ID)
		for _, move := range slices.Backward(mine.View.Legal()) {
			switch move.Kind {
			case paladin.Place:
				args[press.Place] = []string{move.Card.String(), fmt.Sprint(move.Quest)}
				args[press.Pick] = args[press.Place]
			case paladin.Peek:
				args[press.Peek] = []string{fmt.Sprintf("%d.%d", move.Quest, move.Place)}
			case paladin.Start:
				args[press.First] = []string{fmt.Sprint(move.Target.Number())}
				args[press.PickFirst] = args[press.First]
			}
		}
	}
	plain := func(kind press.Kind, a ...string) pressed {
		name := strings.Join(append([]string{string(kind)}, a...), " ")
		return pressed{name, press.New(kind, m.id, a...).String(), sandbox.TypeButton, nil}
	}
	answers := func(kind press.Kind) pressed {
		return pressed{string(kind), press.For(kind, m.id, prompt, args[kind]...).String(), sandbox.TypeButton, nil}
	}
	people := at.People()
	choose := answers(press.PickPeek)
	choose.kind, choose.values = sandbox.TypeStringSelect, args[press.Peek]
	choose.custom = press.For(press.PickPeek, m.id, prompt).String()
	invite := plain(press.Invite)
	invite.kind, invite.values = sandbox.TypeUserSelect, []string{m.roles["spectator"]}
	remove := pressed{"remove", press.New(press.Remove, m.id, "2", string(people[1].ID)).String(), sandbox.TypeButton, nil}
	other := pressed{"remove somebody who sits elsewhere", press.New(press.Remove, m.id, "2", string(people[2].ID)).String(), sandbox.TypeButton, nil}
	stale := pressed{"place for an earlier question", press.For(press.Place, m.id, prompt+1, args[press.Place]...).String(), sandbox.TypeButton, nil}
	illegal := pressed{"place on no quest", press.For(press.Place, m.id, prompt, args[press.Place][0], "9").String(), sandbox.TypeButton, nil}
	broken := pressed{"place nonsense", press.For(press.Place, m.id, prompt, "99r", "x").String(), sandbox.TypeButton, nil}
	speak := plain(press.Language)
	speak.name, speak.kind, speak.values = "language de", sandbox.TypeStringSelect, []string{"de"}
	own := []pressed{
		plain(press.Join), plain(press.Leave), plain(press.Squire), plain(press.Start), plain(press.Cancel), plain(press.Cancel, press.Sure),
		plain(press.Manage), invite, plain(press.Invite), remove, other, plain(press.Remove, "x"), plain(press.Strength, "easy"), plain(press.Strength, "genius"),
		speak, plain(press.Language), plain(press.Pictures, "off"), plain(press.Pace, "human"), plain(press.Pace, "yesterday"), plain(press.Seat), plain(press.Log), plain(press.Log, "99"), plain(press.Rules), plain(press.Rules, "99"),
		plain(press.Again), plain(press.Record), answers(press.Pick), answers(press.Place), stale, illegal, broken, choose, answers(press.Peek),
		answers(press.PickFirst), answers(press.First), answers(press.PickAct), answers(press.Act), plain(press.Refresh),
		plain(press.Back), plain(press.Quit), plain(press.Stop), plain(press.Stop, "force"),
	}
	return slices.Concat(own, m.presencePresses(at), m.beforehandPresses(at, args[press.Place]), m.replayPresses(), m.tablelessPresses())
}

// selected is a choice in a select.
func selected(name string, id press.ID, kind int, values ...string) pressed {
	return pressed{name, id.String(), kind, values}
}

// presencePresses are those about people who are not there.
func (m *matrix) presencePresses(at *table.Table) []pressed {
	public := at.Public()
	seat, offering := "4", m.roles["queued"]
	for i, s := range public.Seats {
		if s.Overdue {
			seat = fmt.Sprint(i + 1)
		}
	}
	for _, o := range public.Offers {
		seat, offering = fmt.Sprint(o.Seat.Number()), string(o.Person.ID)
	}
	button := func(name string, kind press.Kind, args ...string) pressed {
		return selected(name, press.New(kind, m.id, args...), sandbox.TypeButton)
	}
	return []pressed{
		button("offer", press.Offer, seat), button("offer for a seat whose person is there", press.Offer, "2"), button("offer for no seat", press.Offer, "9"),
		button("offer nonsense", press.Offer, "x"), button("accept", press.Accept, seat, offering),
		button("accept what nobody offered", press.Accept, seat, m.roles["removed"]), button("accept nobody", press.Accept, seat),
		button("seats to hand to a squire", press.SendOff), button("hand a seat to a squire", press.SendOff, "1", m.roles["host"]),
		button("hand a seat of somebody else", press.SendOff, "2", m.roles["removed"]), button("hand no seat", press.SendOff, "x"),
		button("a seat for a squire, sure", press.SendOff, "1", m.roles["host"], press.Sure), button("let somebody back", press.LetBack, m.roles["host"]),
		button("let nobody back", press.LetBack), button("reclaim", press.Reclaim), button("pause", press.Pause), button("resume", press.Resume),
	}
}

// beforehandPresses are those that give something beforehand, and the one that shows what came of it.
func (m *matrix) beforehandPresses(at *table.Table, place []string) []pressed {
	round, first := 1, 1
	if game := at.Public().Game; game != nil {
		round = game.Round
	}
	moves := 0
	for _, line := range m.stageLines(at) {
		if line.Kind == table.LineMove || line.Kind == table.LineSquireMove {
			if moves++; render.Decides(line.Public()) {
				first = moves
				break
			}
		}
	}
	now, before := fmt.Sprint(round), fmt.Sprint(round-1)
	button := func(name string, kind press.Kind, args ...string) pressed {
		return selected(name, press.New(kind, m.id, args...), sandbox.TypeButton)
	}
	choice := func(name string, kind press.Kind, value string, args ...string) pressed {
		return selected(name, press.New(kind, m.id, args...), sandbox.TypeStringSelect, value)
	}
	return []pressed{
		button("order", press.Order), choice("order take", press.Order, "take", "1", now), choice("order in an earlier round", press.Order, "take", "1", before),
		choice("order on no quest", press.Order, "take", "9", now), choice("order nonsense", press.Order, "win", "1", now),
		choice("guard", press.Guard, "3", "1", now), choice("guard in an earlier round", press.Guard, "3", "1", before), choice("guard nonsense", press.Guard, "x", "1", now),
		button("plan?", press.PickPlan, "-", "-"), button("plan? card", press.PickPlan, place[0], place[1], "any"),
		button("plan", press.Plan, place[0], place[1], "5", now), button("plan in an earlier round", press.Plan, place[0], place[1], "5", before),
		button("plan on no quest", press.Plan, place[0], "9", "5", now), button("plan nonsense", press.Plan, "99r", "x", "y", now),
		button("unplan", press.DropPlan),
		button("showall", press.ShowAll, fmt.Sprint(first), fmt.Sprint(first+3)), button("showall nonsense", press.ShowAll, "x"),
	}
}

// replayPresses are those that look back at a game.
func (m *matrix) replayPresses() []pressed {
	button := func(name string, kind press.Kind, args ...string) pressed {
		return selected(name, press.New(kind, m.id, args...), sandbox.TypeButton)
	}
	choice := func(name, value string, args ...string) pressed {
		return selected(name, press.New(press.Replay, m.id, args...), sandbox.TypeStringSelect, value)
	}
	return []pressed{
		button("verify", press.Verify), button("replay", press.Replay), button("replay page", press.Replay, "all", "2", "F"),
		button("replay page 999", press.Replay, "all", "999"), choice("replay as seat 2", "2", "-", "3"), choice("replay as no seat", "9", "-", "3"),
		choice("replay from round 2", "9", "2", "-"), button("replay nonsense", press.Replay, "x", "y"), button("replay without a value", press.Replay, "-", "3"),
		button("share", press.Share, "all", "2"), button("share nonsense", press.Share, "x", "y"), button("share without a page", press.Share),
	}
}

// stageLines is the history of the stage at which the table is.
func (m *matrix) stageLines(at *table.Table) []table.Line {
	for name, stage := range m.stages {
		if stage.Prompt() == at.Prompt() && stage.Stage() == at.Stage() && len(m.lines[name]) > 0 {
			return m.lines[name]
		}
	}
	return nil
}

// tablelessPresses are those on what belongs to a person or a server.
func (m *matrix) tablelessPresses() []pressed {
	return []pressed{
		selected("games", press.New(press.Games, ""), sandbox.TypeButton), selected("games 99", press.New(press.Games, "", "99"), sandbox.TypeButton),
		selected("habits way", press.New(press.Habits, "", render.HabitWay, string(table.RemindBoth)), sandbox.TypeButton),
		selected("habits count", press.New(press.Habits, "", render.HabitCount), sandbox.TypeStringSelect, "1"),
		selected("habits from without a place", press.New(press.Habits, "", render.HabitFrom), sandbox.TypeStringSelect, "22"),
		selected("habits hour", press.New(press.Habits, "", render.HabitHour, "0"), sandbox.TypeStringSelect, "12"),
		selected("habits nonsense", press.New(press.Habits, "", "colour"), sandbox.TypeStringSelect, "red"),
		selected("habits without a value", press.New(press.Habits, "", render.HabitCount), sandbox.TypeButton),
		selected("settings", press.New(press.Settings, ""), sandbox.TypeButton),
		selected("settings pace", press.New(press.Settings, "", render.SettingPace, string(table.PaceLive)), sandbox.TypeButton),
		selected("settings roles", press.New(press.Settings, "", render.SettingRoles), sandbox.TypeRoleSelect, m.guild),
		selected("settings nonsense", press.New(press.Settings, "", "colour"), sandbox.TypeButton),
		selected("doctor", press.New(press.Doctor, ""), sandbox.TypeButton),
		selected("practice", press.New(press.Practice, ""), sandbox.TypeButton),
		selected("practice in place of another", press.New(press.Practice, m.id, "new"), sandbox.TypeButton),
		selected("standings", press.New(press.Standings, ""), sandbox.TypeButton),
		selected("standings by wins", press.New(press.Standings, "", "1", "O", render.WhoPeople, render.OrderRating), sandbox.TypeStringSelect, render.OrderWins),
		selected("standings nonsense", press.New(press.Standings, "", "1", "O", "trees", render.OrderRating), sandbox.TypeButton),
		selected("me", press.New(press.Me, ""), sandbox.TypeButton), selected("me export", press.New(press.Me, "", render.MeExport), sandbox.TypeButton),
		selected("me delete", press.New(press.Me, "", render.MeDelete), sandbox.TypeButton), selected("me nonsense", press.New(press.Me, "", "colour"), sandbox.TypeButton),
	}
}

// standpoint is where something is pressed.
type standpoint struct {
	name    string
	message func(user string) sandbox.Message
	roles   []string
}

func (m *matrix) standpoints() []standpoint {
	everybody := []string{"turn", "other", "host", "away", "queued", "spectator", "removed", "moderator"}
	if m.few {
		everybody = []string{"turn", "other", "away", "spectator"} // what is alike at the other stages is pressed there
	}
	fixed := func(msg sandbox.Message) func(string) sandbox.Message {
		return func(string) sandbox.Message { return msg }
	}
	board := m.board()
	return []standpoint{
		{"board", fixed(board), everybody},
		{"panel", func(u string) sandbox.Message { return m.panels[u] }, []string{"turn", "spectator"}},
		{"DM", m.direct, []string{"turn", "spectator"}},
		{"other channel", fixed(m.elsewhere), []string{"turn"}},
		{"other server", fixed(m.abroad), []string{"foreign"}},
	}
}

// TestEveryPressOfEverybodyEverywhere presses everything as everybody from everywhere at every stage. Each press gets exactly one answer,
// which only that person sees, unless it changed the public board; the table changes only where the file says so; and the words are
// those of the file.
func TestEveryPressOfEverybodyEverywhere(t *testing.T) {
	for _, stage := range []string{"lobby", "start", "lead", "place", "peeked", "resolve", "finished", "closed", "paused", "handed"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && stage != "resolve" {
				t.Skip("a short run presses everything at one stage")
			}
			m := newMatrix(t)
			at, ok := m.stages[stage]
			if !ok {
				t.Fatalf("no such stage among %v", slices.Sorted(maps.Keys(m.stages)))
			}
			m.put(&at)
			m.write(m.lines[stage])
			m.mend()
			m.few = stage == "start" || stage == "lead" || stage == "peeked" || stage == "closed" || stage == "paused"
			all := m.presses(&at)
			m.checkKinds(all)
			var out strings.Builder
			var order []string
			named := map[string][]string{} // what was pressed, by the answers
			for _, p := range all {
				answers := m.cells(&at, p)
				if named[answers] == nil {
					order = append(order, answers)
				}
				named[answers] = append(named[answers], p.name)
			}
			for _, answers := range order {
				fmt.Fprintf(&out, "%s\n%s\n", strings.Join(named[answers], ", "), answers)
			}
			compareFile(t, filepath.Join("testdata", "presses-"+stage+".txt"), out.String())
		})
	}
}

// checkKinds demands that no kind of press is left out.
func (m *matrix) checkKinds(all []pressed) {
	m.t.Helper()
	var kinds []press.Kind
	for _, p := range all {
		if id, err := press.Parse(p.custom); err == nil {
			kinds = append(kinds, id.Kind)
		}
	}
	slices.Sort(kinds)
	if diff := gocmp.Diff(press.Kinds(), slices.Compact(kinds)); diff != "" {
		m.t.Errorf("kinds of presses (-known +pressed):\n%s", diff)
	}
}

// cells presses one thing as everybody from everywhere, and writes who gets which answer.
func (m *matrix) cells(at *table.Table, p pressed) string {
	m.t.Helper()
	var out strings.Builder
	var order []string
	who := map[string][]string{}
	for _, where := range m.standpoints() {
		for _, role := range where.roles {
			answer := m.cell(at, p, where, role)
			if who[answer] == nil {
				order = append(order, answer)
			}
			list := who[answer]
			if n := len(list) - 1; n >= 0 && strings.HasPrefix(list[n], where.name+":") {
				list[n] += " " + role
			} else {
				list = append(list, where.name+": "+role)
			}
			who[answer] = list
		}
	}
	for _, answer := range order {
		fmt.Fprintf(&out, "  %s\n    %s\n", strings.Join(who[answer], "; "), answer)
	}
	return out.String()
}

func (m *matrix) user(at *table.Table, role string) string {
	awaited := at.Awaited()
	if awaited == paladin.NoSeat {
		awaited = 1
	}
	people := at.People()
	switch role {
	case "turn":
		return string(people[awaited].ID)
	case "other":
		return string(people[1+awaited%2].ID)
	default:
		return m.roles[role]
	}
}

// cell presses once and puts the table back.
func (m *matrix) cell(at *table.Table, p pressed, where standpoint, role string) string {
	m.t.Helper()
	user := m.user(at, role)
	on := where.message(user)
	if m.seen == nil {
		seen := m.look()
		m.seen = &seen
	}
	before, version := *m.seen, m.version()
	res := m.result(m.discord.ForgePress(m.ctx(), user, on.ChannelID, on.ID, p.kind, p.custom, p.values...))
	changed := m.version() != version
	name := fmt.Sprintf("%s by %s on %s", p.name, role, where.name)
	answer := m.checkAnswer(name, res, on, changed)
	switch {
	case strings.HasPrefix(answer, forEverybody):
		m.seen = nil
	case !changed:
		m.checkPublic(name, before, m.look())
	default:
		m.put(at)
		m.mend()
		m.seen = nil
		answer = "CHANGED " + answer
	}
	if strings.HasPrefix(p.name, "habits") || strings.HasPrefix(p.name, "settings") {
		m.forget(user)
	}
	return answer
}

// forEverybody marks a new message that was asked for on purpose: it changes nothing, and everybody sees it.
const forEverybody = "for everybody: "

// checkAnswer demands one answer that nobody else sees.
func (m *matrix) checkAnswer(name string, res sandbox.Result, on sandbox.Message, changed bool) string {
	m.t.Helper()
	if res.Message == nil {
		m.t.Errorf("%s: no answer: %+v", name, res)
		return ""
	}
	said := *res.Message
	private := said.View != nil && said.View.Ephemeral || m.isDM(said.ChannelID)
	switch {
	case len(res.Followups) > 0:
		m.t.Errorf("%s: %d further messages", name, len(res.Followups))
	case private:
	case strings.HasPrefix(name, "share ") && said.ID != on.ID && strings.Contains(text(said), "Shown by"):
		return forEverybody + m.brief(said)
	case changed && said.ID == on.ID:
		return "the board: " + m.brief(said)
	case changed:
		return "a new board: " + m.brief(said)
	default:
		m.t.Errorf("%s: everybody sees the answer:\n%s", name, text(said))
	}
	return m.brief(said)
}

func (m *matrix) isDM(channel string) bool {
	for _, d := range m.dms {
		if d.ChannelID == channel {
			return true
		}
	}
	return false
}

// look is what everybody can see and whom a sound called.
type look struct {
	public []string
	pings  map[string]int
}

func (m *matrix) look() look {
	m.t.Helper()
	l := look{pings: map[string]int{}}
	watcher := m.roles["moderator"]
	for _, c := range m.channels(watcher) {
		if c.Type == sandbox.ChannelDM {
			continue
		}
		messages, err := m.discord.Messages(watcher, c.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, msg := range messages {
			if msg.View == nil || !msg.View.Ephemeral {
				l.public = append(l.public, msg.ID+"\n"+text(msg))
			}
		}
	}
	for user := range m.names {
		l.pings[m.names[user]] = len(m.discord.Pings(user))
	}
	return l
}

// checkPublic demands that nothing public changed and nobody was called.
func (m *matrix) checkPublic(name string, before, after look) {
	m.t.Helper()
	if diff := gocmp.Diff(before.public, after.public, cmpopts.EquateEmpty()); diff != "" {
		m.t.Errorf("%s: nothing happened, but the public sees (-before +after):\n%s", name, diff)
	}
	if diff := gocmp.Diff(before.pings, after.pings); diff != "" {
		m.t.Errorf("%s: nothing happened, but somebody was called (-before +after):\n%s", name, diff)
	}
}

var (
	timestamps = regexp.MustCompile(`<t:\d+:R>`)
	snowflakes = regexp.MustCompile(`<@!?(\d+)>`)
	channels   = regexp.MustCompile(`<#\d+>`)
	tokens     = regexp.MustCompile(`🟣 purple circle|🟦 blue square|🔶 orange diamond|💚 green heart`)
	digests    = regexp.MustCompile("`[0-9a-f]{64}`")
	addresses  = regexp.MustCompile(`https://discord\.com/channels(/(@me|\d+))+`)
)

// brief is what the person reads first: all of a short answer, the first words of a panel.
func (m *matrix) brief(msg sandbox.Message) string {
	var parts []string
	past := false // within what happened since this person last looked, which depends on who pressed before
	for part := range strings.SplitSeq(text(msg), "\n") {
		part = strings.TrimSpace(part)
		past = strings.HasPrefix(part, "**Since you last looked") || past && (strings.HasPrefix(part, "- ") || strings.HasPrefix(part, "-# and "))
		if part != "" && !past && !strings.HasPrefix(part, "Your seat in") && !strings.HasPrefix(part, "-# Your seat in") {
			parts = append(parts, part)
		}
	}
	if head := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "#") }); head >= 0 && head < 3 && !strings.Contains(parts[head], "no seat") {
		parts = append(parts[:head+1:head+1], "…")
	} else if len(parts) > 6 {
		parts = append(parts[:2:2], "…")
	}
	line := strings.Join(parts, " / ")
	line = timestamps.ReplaceAllString(line, "<time>")
	line = channels.ReplaceAllString(line, "#channel")
	line = strings.ReplaceAll(line, m.id, "TABLE")
	line = tokens.ReplaceAllString(line, "SEAT")
	line = digests.ReplaceAllString(line, "`…`")
	line = addresses.ReplaceAllString(line, "<address>")
	return snowflakes.ReplaceAllStringFunc(line, func(s string) string {
		return "@" + cmp.Or(m.names[snowflakes.FindStringSubmatch(s)[1]], "?")
	})
}

// compareFile compares text with a file of testdata, or writes it with -update.
func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got), rewrite it with -update:\n%s", path, diff)
	}
}

// TestOddCustomIDs presses what no program of ours made: everybody gets a private word, and nothing changes.
func TestOddCustomIDs(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	id := w.table().ID()
	const (
		unknown = "I do not know this button"
		future  = "newer version"
		gone    = "closed before its game began"
	)
	for _, tc := range []struct{ custom, want string }{
		{"x", unknown}, {"p", unknown}, {"p1", unknown}, {"p1/", unknown}, {"p1//" + id + "/0", future}, {"/", unknown}, {"p1/seat", unknown},
		{"p1/seat/" + id, unknown}, {"p1/seat/" + id + "/-1", unknown}, {"p1/seat/" + id + "/18446744073709551616", unknown},
		{"p1/seat/" + id + "/0/../../etc", ""}, {"p1/seat/" + id + "/0\n", unknown}, {"p1/seat/" + id + "/0/" + strings.Repeat("9", 25), unknown},
		{"p1/seat/" + id + "/0/1/2/3/4/5", unknown}, {"p0/seat/" + id + "/0", unknown}, {"p01/seat/" + id + "/0", unknown}, {"P1/seat/" + id + "/0", unknown},
		{"p2/seat/" + id + "/0", future}, {"p9/anything/at/all", future}, {"p65535/x", unknown}, {"p1/fly/" + id + "/0", future},
		{"p1/seat/nowhere/0", gone}, {"p1/seat//0", gone}, {"p1/place/00000000/1/7/1", gone}, {strings.Repeat("p", 100), unknown},
		{"p1/seat/" + strings.Repeat("a", 92), unknown}, {strings.Repeat("🂡", 50), unknown}, {"\u202ep1/seat/" + id + "/0", unknown},
		{"{\"custom\":1}", unknown}, {"@everyone", unknown}, {"p1/place/" + id + "/1/7r/1", ""}, {"p1/place/" + id + "/1/7r/99999999999999999999", "does not fit"},
		{"p1/place/" + id + "/1/-/-", "does not fit"}, {"p1/peek/" + id + "/1/1.1.1", "does not fit"}, {"p1/first/" + id + "/1/0", "does not fit"},
		{"p1/first/" + id + "/1/-1", "does not fit"}, {"p1/act/" + id + "/1/win", "does not fit"}, {"p1/pick/" + id + "/1/99/99", ""},
		{"p1/log/" + id + "/0/99999999999999999999", ""}, {"p1/log/" + id + "/0/-5", ""}, {"p1/rules//0/-5", ""}, {"p1/rules//0/x", ""},
	} {
		before := w.table().Prompt()
		for _, user := range []string{w.users[0], w.users[4]} {
			res := w.forge(user, w.channel, w.board().ID, tc.custom)
			said := w.reply(res)
			if !said.View.Ephemeral || len(res.Followups) > 0 || !strings.Contains(text(said), tc.want) {
				t.Errorf("%q is answered (private: %v):\n%s\nwant %q", tc.custom, said.View.Ephemeral, text(said), tc.want)
			}
		}
		if w.table().Prompt() != before {
			t.Errorf("%q made a move", tc.custom)
		}
	}
}

// typed is one slash command as somebody, whatever the client would allow.
func (w *world) typed(user, channel, data string) sandbox.Message {
	w.t.Helper()
	res := w.result(w.discord.SendRaw(w.ctx(), user, channel, "", 2, json.RawMessage(data)))
	said := w.reply(res)
	if !said.View.Ephemeral || len(res.Followups) > 0 {
		w.t.Errorf("%s: everybody sees the answer, or there are two:\n%s", data, text(said))
	}
	return said
}

// TestOddCommands types what no client of Discord would send.
func TestOddCommands(t *testing.T) {
	w := newWorld(t)
	option := func(sub, options string) string {
		return `{"id":"1","name":"paladin","type":1,"options":[{"type":1,"name":"` + sub + `","options":[` + options + `]}]}`
	}
	for _, tc := range []struct{ data, want string }{
		{`{"id":"1","name":"other","type":1}`, "do not know this command"},
		{`{"id":"1","name":"paladin","type":1}`, "do not know this command"},
		{`{}`, "do not know this command"},
		{`{"name":"paladin","options":null}`, "do not know this command"},
		{`{"name":"paladin","options":[{"type":2,"name":"new","options":[{"type":1,"name":"new"}]}]}`, "do not know this command"},
		{option("fly", ""), "do not know this command"},
		{option("new", `{"type":4,"name":"seats","value":2}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":4,"name":"seats","value":6}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":4,"name":"seats","value":-1}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":4,"name":"seats","value":99999999999999999999}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":3,"name":"seats","value":"five"}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":10,"name":"seats","value":3.5}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":5,"name":"seats","value":true}`), "Choose 3, 4 or 5"},
		{option("new", `{"type":3,"name":"squires","value":"genius"}`), "no such squire"},
		{option("new", `{"type":4,"name":"squires","value":1}`), "no such squire"},
		{option("new", `{"type":3,"name":"pace","value":"yesterday"}`), "no such pace"},
		{option("rules", `{"type":4,"name":"page","value":-3}`), "Paladin in a minute"},
		{option("rules", `{"type":4,"name":"page","value":9999}`), "deal that you can check"},
		{option("rules", `{"type":3,"name":"page","value":"x"}`), "Paladin in a minute"},
		{option("place", `{"type":3,"name":"card","value":"7"}`), "no game in this channel"},
	} {
		if said := w.typed(w.users[0], w.channel, tc.data); !strings.Contains(text(said), tc.want) {
			t.Errorf("%s is answered:\n%s\nwant %q", tc.data, text(said), tc.want)
		}
	}
	w.openGame(3, 0)
	at := w.table()
	dealer := string(at.People()[at.Awaited()].ID)
	for _, tc := range []struct{ user, data, want string }{
		{dealer, option("fly", ""), "do not know this command"},
		{dealer, option("first", ""), "do not know who that is"},
		{dealer, option("first", `{"type":3,"name":"seat","value":""}`), "do not know who that is"},
		{dealer, option("first", `{"type":3,"name":"seat","value":"9"}`), "do not know who that is"},
		{dealer, option("first", `{"type":3,"name":"seat","value":"`+strings.Repeat("🂡", 6000)+`"}`), "do not know who that is"},
		{dealer, option("place", `{"type":3,"name":"card","value":"red"}`), "do not know that card"},
		{dealer, option("place", `{"type":3,"name":"quest","value":"1"}`), "do not know that card"},
		{dealer, option("peek", `{"type":3,"name":"card","value":"everything"}`), "do not know that card"},
		{dealer, option("resolve", `{"type":3,"name":"choice","value":"@everyone"}`), "do not know that choice"},
		{dealer, option("resolve", `{"type":3,"name":"choice","value":"beat"}`), "R12"},
		{w.users[4], option("first", `{"type":3,"name":"seat","value":"1"}`), "no seat in this game"},
		{w.users[4], option("new", ""), "A game is running in this channel already"},
		{w.users[4], option("leave", ""), "no seat in this game"},
		{w.users[4], option("stop", ""), "Only somebody who may manage this channel"},
		{w.users[4], option("record", ""), "There is no record yet"},
	} {
		if said := w.typed(tc.user, w.channel, tc.data); !strings.Contains(text(said), tc.want) {
			t.Errorf("%.200s is answered:\n%s\nwant %q", tc.data, text(said), tc.want)
		}
	}
	if w.table().Prompt() != at.Prompt() {
		t.Error("one of them made a move")
	}
}

// TestCommandsInOddPlaces types commands where no game can stand, and where the bot may not write: the answer names what is missing.
func TestCommandsInOddPlaces(t *testing.T) {
	w := newWorld(t)
	ann := w.users[0]
	dm, err := w.discord.OpenDM(ann)
	if err != nil {
		t.Fatal(err)
	}
	forum, err := w.discord.AddChannelOfType(w.guild, "forum", sandbox.ChannelForum)
	if err != nil {
		t.Fatal(err)
	}
	thread, err := w.discord.AddThread(w.channel, "a thread")
	if err != nil {
		t.Fatal(err)
	}
	second := w.channels(ann)
	quiet := second[len(second)-1].ID
	for _, c := range second {
		if c.Type == sandbox.ChannelText && c.ID != w.channel {
			quiet = c.ID
		}
	}
	const all = sandbox.PermBot
	set := func(channel string, bits sandbox.Permissions) {
		t.Helper()
		if err := w.discord.SetPermissions(channel, bits); err != nil {
			t.Fatal(err)
		}
	}
	newTable := `{"name":"paladin","options":[{"type":1,"name":"new"}]}`
	for _, tc := range []struct {
		name, channel string
		before        func()
		want          []string
	}{
		{"DM", dm.ID, nil, []string{"in a channel of a server"}},
		{"forum", forum.ID, nil, []string{"Use a text channel or a thread"}},
		{"no View", quiet, func() { set(quiet, all&^sandbox.PermViewChannel) }, []string{"View Channel", "<#" + quiet + ">"}},
		{"no Send", quiet, func() { set(quiet, all&^sandbox.PermSendMessages) }, []string{"Send Messages", "<#" + quiet + ">"}},
		{"neither", quiet, func() { set(quiet, 0) }, []string{"View Channel", "Send Messages"}},
		{"thread without Send in Threads", thread.ID, func() { set(w.channel, all&^sandbox.PermSendInThreads) }, []string{"Send Messages in Threads", "<#" + thread.ID + ">"}},
	} {
		if tc.before != nil {
			tc.before()
		}
		said := text(w.typed(ann, tc.channel, newTable))
		for _, want := range tc.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not in:\n%s", tc.name, want, said)
			}
		}
	}
	set(w.channel, all)
	res := w.result(w.discord.Command(w.ctx(), ann, thread.ID, "paladin", "new"))
	if res.Message == nil || res.Message.View.Ephemeral {
		t.Errorf("no table in a thread: %+v", res)
	}
	for _, sub := range []string{"board", "seat", "leave", "stop", "record", "replay", "verify", "place", "peek", "resolve", "first"} {
		said := text(w.typed(ann, dm.ID, `{"name":"paladin","options":[{"type":1,"name":"`+sub+`"}]}`))
		if !strings.Contains(said, english.Say(render.TextInDM)) {
			t.Errorf("/paladin %s in a DM: %s", sub, said)
		}
	}
	for _, sub := range []string{"help", "rules"} {
		if said := text(w.typed(ann, dm.ID, `{"name":"paladin","options":[{"type":1,"name":"`+sub+`"}]}`)); strings.Contains(said, english.Say(render.TextInDM)) {
			t.Errorf("/paladin %s helps nobody in a DM: %s", sub, said)
		}
	}
}

// TestSuggestions: only the person whose move it is gets any, only of what is legal, and whoever types nonsense gets nothing.
func TestSuggestions(t *testing.T) {
	m := newMatrix(t)
	ask := func(user, sub, focused string, options ...sandbox.Option) []sandbox.Choice {
		t.Helper()
		choices, err := m.discord.Autocomplete(m.ctx(), user, m.channel, "paladin", sub, focused, options...)
		if err != nil {
			t.Fatal(err)
		}
		return choices
	}
	asked := []struct{ sub, focused string }{{"first", "seat"}, {"place", "card"}, {"place", "quest"}, {"peek", "card"}, {"resolve", "choice"}}
	for stage, at := range m.stages {
		m.put(&at)
		for _, role := range []string{"turn", "other", "away", "spectator", "removed", "moderator"} {
			user := m.user(&at, role)
			total := 0
			for _, q := range asked {
				choices := ask(user, q.sub, q.focused, sandbox.Option{Name: q.focused, Value: ""})
				total += len(choices)
				mine, seated := at.Private(table.UserID(user))
				for _, c := range choices {
					if !seated || !legalValue(mine.View.Legal(), q.sub, q.focused, fmt.Sprint(c.Value)) {
						t.Errorf("%s: %s is offered %v for /paladin %s %s", stage, role, c, q.sub, q.focused)
					}
				}
			}
			if live := at.Stage() == table.Playing; (total > 0) != (live && user == m.user(&at, "turn")) {
				t.Errorf("%s: %s gets %d suggestions", stage, role, total)
			}
		}
		for _, typed := range []string{"@everyone", strings.Repeat("🂡", 3000), "\x00", "'; drop", "99999999999999999999"} {
			if choices := ask(m.user(&at, "turn"), "place", "card", sandbox.Option{Name: "card", Value: typed}); len(choices) > 0 {
				t.Errorf("%s: %.20q is suggested %v", stage, typed, choices)
			}
		}
	}
}

func legalValue(legal []paladin.Move, sub, focused, value string) bool {
	return slices.ContainsFunc(legal, func(m paladin.Move) bool {
		switch {
		case sub == "first":
			return m.Kind == paladin.Start && fmt.Sprint(m.Target.Number()) == value
		case sub == "place" && focused == "card":
			return m.Kind == paladin.Place && m.Card.String() == value
		case sub == "place":
			return m.Kind == paladin.Place && fmt.Sprint(m.Quest) == value
		case sub == "peek":
			return m.Kind == paladin.Peek && fmt.Sprintf("%d.%d", m.Quest, m.Place) == value
		default:
			return m.Kind == paladin.Beat && value == "beat" || m.Kind == paladin.Take && value == "take" || m.Kind == paladin.Discard && value == "discard"
		}
	})
}
