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
	seen              *look // what everybody saw last; nil after a change
}

// newMatrix opens the game through the bot, so that all its messages exist, and then replaces it by one whose cards are known.
func newMatrix(t *testing.T) *matrix {
	t.Helper()
	w := newWorld(t)
	m := &matrix{world: w, roles: map[string]string{}, names: map[string]string{}, dms: map[string]sandbox.Message{}, panels: map[string]sandbox.Message{}}
	ann, ben, cleo, dan, eve := w.users[0], w.users[1], w.users[2], w.users[3], w.users[4]
	extra := map[string]string{}
	for _, name := range []string{"Finn", "Gus", "Hal"} {
		u, err := w.discord.AddUser(name, w.guild)
		if err != nil {
			t.Fatal(err)
		}
		extra[name] = u.ID
	}
	w.command(ben, "new", sandbox.Option{Name: "seats", Value: 4})
	for _, user := range []string{cleo, dan, eve} {
		w.label(user, w.board(), "Join")
	}
	w.label(ben, w.board(), "Start")
	m.id = w.table().ID()
	// Ann owns the server, so she may manage its channels.
	m.roles = map[string]string{"host": ben, "away": eve, "queued": extra["Finn"], "spectator": extra["Gus"], "removed": extra["Hal"], "moderator": ann}
	for _, u := range w.discord.Users() {
		m.names[u.ID] = u.Name()
	}
	second := w.channels(ann)[1].ID
	w.result(w.discord.Command(w.ctx(), ann, second, "paladin", "new"))
	m.elsewhere = m.last(ann, second)
	m.foreign()
	m.stages = m.play([]string{ben, cleo, dan, eve}, extra["Finn"], extra["Hal"])
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

// direct is the newest message of the bot in the person's DMs; one is made for those to whom nothing was sent.
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
		for _, found := range slices.Backward(messages) {
			if !found.View.Ephemeral {
				return found
			}
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
		Options: table.Options{Seats: 4, Squires: squire.Default, Pace: table.PaceAtOnce},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	do := func(by table.Actor, cmd table.Command) {
		m.t.Helper()
		next, _, err := at.Do(by, cmd, now)
		if err != nil {
			m.t.Fatalf("%T: %v", cmd, err)
		}
		at = next
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
	do(actors[0], table.Start{})
	stages["start"] = at
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
			stages[name] = at
			if name == "place" {
				do(actors[at.Awaited()], table.Play{Move: moves[peek]})
				stages["peeked"] = at
			}
			moves = legal()
		}
		move := moves[0]
		if i := slices.IndexFunc(moves, func(p paladin.Move) bool { return p.Kind == paladin.Beat }); i >= 0 {
			move = moves[i]
		}
		do(actors[at.Awaited()], table.Play{Move: move})
	}
	stages["finished"] = at
	at = stages["start"]
	for _, a := range actors[:3] {
		if at.Stage() == table.Playing {
			do(a, table.VoteStop{})
		}
	}
	stages["closed"] = at
	return stages
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
	if err := m.store.Put(m.ctx(), "last/"+m.channel, []byte(m.id)); err != nil {
		m.t.Fatal(err)
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
	return []pressed{
		plain(press.Join), plain(press.Leave), plain(press.Squire), plain(press.Start), plain(press.Cancel),
		plain(press.Manage), invite, plain(press.Invite), remove, other, plain(press.Remove, "x"), plain(press.Strength, "easy"), plain(press.Strength, "genius"),
		plain(press.Pace, "human"), plain(press.Pace, "yesterday"), plain(press.Seat), plain(press.Log), plain(press.Log, "99"), plain(press.Rules), plain(press.Rules, "99"),
		plain(press.Again), plain(press.Record), answers(press.Pick), answers(press.Place), stale, illegal, broken, choose, answers(press.Peek),
		answers(press.PickFirst), answers(press.First), answers(press.PickAct), answers(press.Act), plain(press.Refresh),
		plain(press.Back), plain(press.Quit), plain(press.Stop), plain(press.Stop, "force"),
	}
}

// place is where something is pressed.
type place struct {
	name    string
	message func(user string) sandbox.Message
	roles   []string
}

func (m *matrix) places() []place {
	everybody := []string{"turn", "other", "host", "away", "queued", "spectator", "removed", "moderator"}
	fixed := func(msg sandbox.Message) func(string) sandbox.Message {
		return func(string) sandbox.Message { return msg }
	}
	board := m.board()
	return []place{
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
	for _, stage := range []string{"lobby", "start", "lead", "place", "peeked", "resolve", "finished", "closed"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t)
			at, ok := m.stages[stage]
			if !ok {
				t.Fatalf("no such stage among %v", slices.Sorted(maps.Keys(m.stages)))
			}
			m.put(&at)
			var out strings.Builder
			var order []string
			named := map[string][]string{} // what was pressed, by the answers
			for _, p := range m.presses(&at) {
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

// cells presses one thing as everybody from everywhere, and writes who gets which answer.
func (m *matrix) cells(at *table.Table, p pressed) string {
	m.t.Helper()
	var out strings.Builder
	var order []string
	who := map[string][]string{}
	for _, where := range m.places() {
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
func (m *matrix) cell(at *table.Table, p pressed, where place, role string) string {
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
	if !changed {
		m.checkPublic(name, before, m.look())
	} else {
		m.put(at)
		m.seen = nil
		answer = "CHANGED " + answer
	}
	return answer
}

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
)

// brief is what the person reads first: all of a short answer, the first words of a panel.
func (m *matrix) brief(msg sandbox.Message) string {
	var parts []string
	for part := range strings.SplitSeq(text(msg), "\n") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) > 1 && strings.HasPrefix(parts[0], "Your seat in") {
		parts = parts[1:]
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
