package bot_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// A fixture is what a program of some day left: its database, the sandbox with all messages that it
// had out there, and a list of every custom id that stood on them, with who would press it and how
// that program answered. Buttons live in channels for years, so every later program answers them.
// Three files make one fixture: NAME.db.gz, NAME.discord.gz and NAME.txt.
//
// Before a submission changes anything that is stored or pressed, its base makes the next fixture,
// which is then never made again:
//
//	go test ./bot -run TestMakeFixture -make-fixture=tables-YEAR-MONTH
//
// Where a change of an answer is meant, -update writes the answers of all fixtures anew, and
// nothing else of them.
var makeFixture = flag.String("make-fixture", "", "make a fixture of this name")

// fixtures is where they are.
var fixtures = filepath.Join("..", "testdata")

// afterFixture is how much later than the fixture's moment people press: no clock of a game ends in
// it.
const afterFixture = 20 * time.Second

// fixture is what NAME.txt says.
type fixture struct {
	name    string
	at      time.Time
	schema  int
	tables  map[string]string // id to what it shows
	people  map[string]string // id to name
	presses []*fixed
	// missing are the kinds of which no press is there, with the reason.
	missing map[press.Kind]string
}

// fixed is one custom id on one message, for one person.
type fixed struct {
	where, scene     string // where it stands, and which table is shown
	channel, message string
	user             string
	kind             int // of the component
	custom           string
	values           []string // what is chosen in a select
	class, said      string   // how it was answered
}

func (f *fixed) on() string {
	return fmt.Sprintf("@\t%s\t%s\t%s/%s", f.scene, f.where, f.channel, f.message)
}

var fixtureTypes = map[int]string{
	sandbox.TypeButton: "button", sandbox.TypeStringSelect: "select", sandbox.TypeUserSelect: "users", sandbox.TypeRoleSelect: "roles",
	sandbox.TypeChannelSelect: "channels",
}

func (f *fixed) line(names map[string]string) string {
	return strings.Join([]string{names[f.user], fixtureTypes[f.kind], f.custom, strings.Join(f.values, ","), f.class, f.said}, "\t")
}

// kinds counts the presses of each kind.
func (f *fixture) kinds() map[press.Kind]int {
	out := map[press.Kind]int{}
	for _, p := range f.presses {
		if id, err := press.Parse(p.custom); err == nil {
			out[id.Kind]++
		}
	}
	return out
}

func (f *fixture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Every custom id that was alive in this fixture, message by message. A message: the scene, where it stands, channel/message.\n")
	fmt.Fprintf(&b, "# A press: who, the component, the custom id, what is chosen in a select, the kind of answer and its first line.\n")
	fmt.Fprintf(&b, "# Of pages that differ only in the card, quest or page chosen, two are listed.\n")
	fmt.Fprintf(&b, "at\t%s\nschema\t%d\n", f.at.Format(time.RFC3339Nano), f.schema)
	for _, id := range slices.SortedFunc(maps.Keys(f.people), compareIDs) {
		fmt.Fprintf(&b, "person\t%s\t%s\n", f.people[id], id)
	}
	for _, id := range slices.SortedFunc(maps.Keys(f.tables), func(x, y string) int { return cmp.Compare(f.tables[x], f.tables[y]) }) {
		fmt.Fprintf(&b, "table\t%s\t%s\n", f.tables[id], id)
	}
	kinds := f.kinds()
	for _, kind := range press.Kinds() {
		if kinds[kind] > 0 {
			fmt.Fprintf(&b, "kind\t%s\t%d\n", kind, kinds[kind])
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(f.missing)) {
		fmt.Fprintf(&b, "missing\t%s\t%s\n", kind, f.missing[kind])
	}
	on := ""
	for _, p := range f.presses {
		if p.on() != on {
			on = p.on()
			fmt.Fprintf(&b, "%s\n", on)
		}
		fmt.Fprintf(&b, "%s\n", p.line(f.people))
	}
	return b.String()
}

func readFixture(t testing.TB, name string) *fixture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{name: name, tables: map[string]string{}, people: map[string]string{}, missing: map[press.Kind]string{}}
	ids := map[string]string{}
	var on fixed
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		words := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case words[0] == "at":
			f.at, err = time.Parse(time.RFC3339Nano, words[1])
		case words[0] == "schema":
			f.schema, err = strconv.Atoi(words[1])
		case words[0] == "person":
			f.people[words[2]], ids[words[1]] = words[1], words[2]
		case words[0] == "table":
			f.tables[words[2]] = words[1]
		case words[0] == "missing":
			f.missing[press.Kind(words[1])] = words[2]
		case words[0] == "kind":
		case words[0] == "@":
			on = fixed{scene: words[1], where: words[2]}
			on.channel, on.message, _ = strings.Cut(words[3], "/")
		default:
			p := on
			p.user, p.custom, p.class, p.said = ids[words[0]], words[2], words[4], words[5]
			for kind, word := range fixtureTypes {
				if word == words[1] {
					p.kind = kind
				}
			}
			if words[3] != "" {
				p.values = strings.Split(words[3], ",")
			}
			f.presses = append(f.presses, &p)
		}
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
	}
	return f
}

// unpacked is the file of a fixture, whole.
func (f *fixture) unpacked(t testing.TB, suffix string) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join(fixtures, f.name+suffix))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// opened is a bot of today on a copy of a fixture, some time after its moment.
type opened struct {
	*world
	fixture *fixture
	path    string
	db      *store.DB
	// closed are lobbies that never became a game: older programs kept them.
	closed map[string]bool
	// lobbies are those, and the ones that are open and that nobody touches.
	lobbies map[string]bool
}

func (f *fixture) open(t testing.TB, database, place []byte, later time.Duration) *opened {
	t.Helper()
	dir := t.TempDir()
	o := &opened{fixture: f, path: filepath.Join(dir, "paladin.db"), closed: map[string]bool{}, lobbies: map[string]bool{}}
	if err := os.WriteFile(o.path, database, 0o600); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(dir, "sandbox.db")
	if err := os.WriteFile(there, place, 0o600); err != nil {
		t.Fatal(err)
	}
	clock := newTestClock()
	clock.now = f.at.Add(later)
	var err error
	if o.db, err = store.Open(o.path, store.Options{BackupDir: dir, Now: clock.Now}); err != nil {
		t.Fatal(err)
	}
	for id := range f.tables {
		row, err := o.db.Table(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		at, err := table.Decode(row.Snapshot)
		o.closed[id] = err == nil && at.NeverBegan()
		o.lobbies[id] = err == nil && (at.NeverBegan() || at.Stage() == table.Lobby)
	}
	o.world = newWorld(t, withStore(o.db), withPlace(there), func(c *worldConfig) { c.clock = clock })
	return o
}

// close ends the bot and demands a sound database, in which every table of the fixture is still
// there and can be read, but for lobbies that never became a game: those go.
func (o *opened) close() {
	o.t.Helper()
	o.settle()
	o.stop()
	for id, scene := range o.fixture.tables {
		row, err := o.db.Table(context.Background(), id)
		if o.closed[id] && (err == nil || errors.Is(err, store.ErrNotFound)) {
			continue
		} else if err != nil {
			o.t.Errorf("%s: %v", scene, err)
			continue
		}
		if _, err := table.Decode(row.Snapshot); err != nil {
			o.t.Errorf("%s: %v", scene, err)
		}
	}
	if err := o.db.Close(); err != nil {
		o.t.Error(err)
	}
	report, err := store.Check(o.path, bot.Inspection())
	if err != nil || len(report.Faults) > 0 {
		o.t.Errorf("the database: %v, %v", report.Faults, err)
	}
}

// state is what a press may change.
func (o *opened) state(p *fixed) string {
	o.t.Helper()
	id, err := press.Parse(p.custom)
	if err != nil {
		o.t.Fatalf("%q: %v", p.custom, err)
	}
	if row, err := o.db.Table(o.ctx(), id.Table); err == nil {
		return fmt.Sprint(row.Version)
	}
	user, err := o.db.User(o.ctx(), p.user)
	if err != nil {
		o.t.Fatal(err)
	}
	out := string(user.Data)
	for _, key := range []string{"guild/" + o.guild, "practice/" + p.user} {
		value, _, err := o.db.Get(o.ctx(), key)
		if err != nil {
			o.t.Fatal(err)
		}
		out += "\n" + string(value)
	}
	return out
}

// excuses are the sentences that tell somebody that their press was not understood or not carried
// out.
var excuses = map[string]render.Text{
	"unknown": render.TextUnknownPress, "future": render.TextFuturePress, "forged": render.TextForgedPress, "gone": render.TextGoneTable,
	"busy": render.TextBusy, "failure": render.TextFailure,
}

// classOf says of what kind an answer is: where it stands, whether it is a page or one word or an
// excuse, and whether something changed.
func classOf(p *fixed, res sandbox.Result, changed bool) (class, said string) {
	if res.Message == nil {
		return "none", ""
	}
	m := *res.Message
	words := []string{"public"}
	switch {
	case len(res.Followups) > 0:
		m, words = res.Followups[len(res.Followups)-1], []string{"retired"} // an old board that tells where the new one is
	case m.View.Ephemeral || m.GuildID == "":
		words = []string{"private"}
	case m.ID == p.message:
		words = []string{"board"}
	}
	full := text(m)
	shape := "word"
	if len(controls(m)) > 0 {
		shape = "page"
	} else if len(m.Attachments) > 0 {
		shape = "file"
	}
	for name, excuse := range excuses {
		for _, lang := range render.Languages {
			if strings.Contains(full, render.NewPrinter(lang).Say(excuse)) {
				shape = name
			}
		}
	}
	words = append(words, shape)
	if changed {
		words = append(words, "changes")
	}
	return strings.Join(words, " "), firstLine(full)
}

var times = regexp.MustCompile(`<t:\d+(:\w)?>`)

// firstLine is enough of an answer for whoever reads the file.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	line = times.ReplaceAllString(strings.ReplaceAll(line, "\t", " "), "<time>")
	if runes := []rune(line); len(runes) > 60 {
		line = string(runes[:60]) + "…"
	}
	return line
}

// try presses as the person who would, and returns what came.
func (o *opened) try(p *fixed) (class, said string) {
	o.t.Helper()
	before := o.state(p)
	i, err := o.discord.ForgePress(o.ctx(), p.user, p.channel, p.message, p.kind, p.custom, p.values...)
	if err != nil {
		o.t.Fatalf("%s, %s: %v", p.scene, p.custom, err)
	}
	if _, err := i.Wait(o.ctx()); err != nil {
		o.t.Fatal(err)
	}
	o.settle()
	return classOf(p, i.Result(), o.state(p) != before)
}

// onlyLooks are the kinds of presses that show something and change nothing that another press asks
// for.
var onlyLooks = map[press.Kind]bool{
	press.Seat: true, press.Log: true, press.Rules: true, press.Manage: true, press.Record: true, press.Verify: true, press.Replay: true,
	press.Pick: true, press.PickPeek: true, press.PickFirst: true, press.PickAct: true, press.Refresh: true, press.PickPlan: true,
	press.Games: true, press.Doctor: true, press.Standings: true,
}

// looksOnly reports whether a press only shows something.
func looksOnly(id press.ID) bool {
	switch id.Kind {
	case press.Order, press.Settings, press.Habits:
		return len(id.Args) == 0
	case press.Me:
		return id.Arg(0) != render.MeForget // which comes alone
	}
	return onlyLooks[id.Kind]
}

// groups divides presses so that none in a group changes what another one of it asks for: looks
// first, then one change for each table, person and server. Whoever has their data deleted does so
// alone.
func (f *fixture) groups() [][]*fixed {
	var out [][]*fixed
	at := func(n int) *[]*fixed {
		for len(out) <= n {
			out = append(out, nil)
		}
		return &out[n]
	}
	used := map[string]int{}
	var alone []*fixed
	for _, p := range f.presses {
		id, _ := press.Parse(p.custom)
		scope := cmp.Or(id.Table, "person "+p.user)
		switch {
		case looksOnly(id):
			g := at(0)
			*g = append(*g, p)
			continue
		case id.Kind == press.Me:
			alone = append(alone, p)
			continue
		case id.Kind == press.Settings:
			scope = "server"
		}
		used[scope]++
		g := at(used[scope])
		*g = append(*g, p)
	}
	for _, p := range alone {
		out = append(out, []*fixed{p})
	}
	return slices.DeleteFunc(out, func(g []*fixed) bool { return len(g) == 0 })
}

// pressAll presses everything and calls answered with each answer.
func (f *fixture) pressAll(t *testing.T, presses [][]*fixed, answered func(t *testing.T, p *fixed, class, said string)) {
	t.Helper()
	database, place := f.unpacked(t, ".db.gz"), f.unpacked(t, ".discord.gz")
	t.Run("presses", func(t *testing.T) {
		for n, group := range presses {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				o := f.open(t, database, place, afterFixture)
				o.settle()
				for _, p := range group {
					class, said := o.try(p)
					answered(t, p, class, said)
				}
				o.close()
			})
		}
	})
}

// fixtureNames are all fixtures.
func fixtureNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, "tables-*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixture: %v", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".txt")
	}
	return files
}

// briefly leaves one press of each kind on each kind of message at each table, for a short run.
func briefly(groups [][]*fixed) [][]*fixed {
	seen := map[string]bool{}
	var out [][]*fixed
	for _, g := range groups {
		g = slices.DeleteFunc(slices.Clone(g), func(p *fixed) bool {
			id, _ := press.Parse(p.custom)
			key := fmt.Sprint(id.Kind, p.where)
			double := seen[key]
			seen[key] = true
			return double
		})
		if len(g) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// TestFixturePresses opens what earlier programs left and presses everything that they had out
// there: each press gets an answer of the kind that the program gave which made the button.
func TestFixturePresses(t *testing.T) {
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			f := readFixture(t, name)
			groups := f.groups()
			if testing.Short() {
				groups = briefly(groups)
			}
			f.pressAll(t, groups, func(t *testing.T, p *fixed, class, said string) {
				if *update {
					p.class, p.said = class, said
				} else if class != p.class {
					t.Errorf("%s, %s: %s presses %s %v: %q, said %q; it was %q, said %q (meant? -update)",
						p.scene, p.where, f.people[p.user], p.custom, p.values, class, said, p.class, p.said)
				}
			})
			if *update && !testing.Short() {
				if err := os.WriteFile(filepath.Join(fixtures, name+".txt"), []byte(f.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFixtureKinds: each kind of press that there was stands in the fixture, or it says why not;
// and each was understood then.
func TestFixtureKinds(t *testing.T) {
	for _, name := range fixtureNames(t) {
		f := readFixture(t, name)
		kinds := f.kinds()
		data, err := os.ReadFile(filepath.Join(fixtures, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, []byte(f.String())) {
			t.Errorf("%s: the file does not read as it was written", name)
		}
		// A kind that is newer than the fixture cannot stand in it.
		if name == newestFixture(t) {
			for _, kind := range press.Kinds() {
				if kinds[kind] == 0 && f.missing[kind] == "" {
					t.Errorf("%s: no press %q and no reason", name, kind)
				}
			}
		}
		for _, p := range f.presses {
			_, shape, _ := strings.Cut(p.class, " ")
			if p.scene == "idle" && shape == "gone" {
				continue // a lobby that never became a game
			}
			switch shape {
			case "", "unknown", "future", "gone", "busy", "failure":
				t.Errorf("%s, %s: %s by %s was answered %q: %s", p.scene, p.where, p.custom, f.people[p.user], p.class, p.said)
			}
		}
	}
}

// newestFixture is the one that knows all kinds.
func newestFixture(t testing.TB) string { return slices.Max(fixtureNames(t)) }

// TestFixtureGoesOn: every table of the fixture is read, what waited in the outbox goes out, and
// every clock that runs comes to its end.
func TestFixtureGoesOn(t *testing.T) {
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			f := readFixture(t, name)
			database, place := f.unpacked(t, ".db.gz"), f.unpacked(t, ".discord.gz")
			f.leftOver(t, database)
			o := f.open(t, database, place, afterFixture)
			o.pass(time.Minute) // a show goes on by itself
			if waiting, err := o.db.Pending(o.ctx()); err != nil || len(waiting) > 0 {
				t.Errorf("%d intents wait, %v: %v", len(waiting), err, waiting)
			}
			for id := range f.tables {
				_, ok, err := o.db.Surface(o.ctx(), id, "board")
				if err != nil {
					t.Fatal(err)
				}
				row, err := o.db.Table(o.ctx(), id)
				if err != nil && !(o.closed[id] && errors.Is(err, store.ErrNotFound)) {
					t.Fatal(err)
				}
				if row.Live && !ok {
					t.Errorf("%s has no board", f.tables[id])
				}
			}
			o.pass(25 * time.Hour)
			late := o.clock.Now()
			due, err := o.db.Due(o.ctx(), late, 0)
			if err != nil || len(due) > 0 {
				t.Errorf("%d deadlines are over and have not fired, %v: %+v", len(due), err, due)
			}
			o.pass(time.Hour)
			for id, lobby := range o.lobbies {
				if _, err := o.db.Table(o.ctx(), id); lobby && !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s is kept (%v)", f.tables[id], err)
				}
			}
			o.closed = o.lobbies
			o.close()
		})
	}
}

// leftOver demands that something waits in the fixture, and that clocks end in the time that this
// test lets go by.
func (f *fixture) leftOver(t *testing.T, database []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "paladin.db")
	if err := os.WriteFile(path, database, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	waiting, err := db.Pending(t.Context())
	due, errDue := db.Due(t.Context(), f.at.Add(24*time.Hour), 0)
	kinds := map[string]bool{}
	for _, d := range due {
		kinds[d.Kind] = true
	}
	if err := errors.Join(err, errDue); err != nil || len(waiting) < 2 || len(kinds) < 4 {
		t.Errorf("%d intents wait, clocks of the kinds %v end, %v", len(waiting), slices.Sorted(maps.Keys(kinds)), err)
	}
}
