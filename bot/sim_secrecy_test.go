package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/bot"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// givenIDs are the ids that Discord gives.
var givenIDs = regexp.MustCompile(`[0-9]{17,20}`)

// fixedRandom gives every world the same seeds and table ids.
func fixedRandom(c *bot.Config) { c.Random = rand.NewChaCha8([32]byte{7}) }

// redeal deals anew, in the store, what the viewer cannot know of the world's table, the shuffles to come included.
func (w *world) redeal(viewer paladin.Seat, seed uint64) {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), w.table().ID())
	if err != nil {
		w.t.Fatal(err)
	}
	other := w.table().Redeal(viewer, rand.New(rand.NewPCG(seed, 99)).IntN)
	snapshot, err := other.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.store.Commit(w.ctx(), store.Change{
		Table: row.ID, Expect: row.Version, Snapshot: snapshot, Live: row.Live, Channel: row.Channel, Guild: row.Guild, Users: row.Users,
		At: w.clock.Now(), Deadlines: row.Deadlines,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// twoWorlds plays the same presses in two worlds that differ in what the viewer cannot know.
type twoWorlds struct {
	t      *testing.T
	worlds [2]*world
	viewer string
	ids    [2]map[string]string // ids of messages and interactions, by order of appearance
	shown  int
}

// all is everything that the viewer can see: every message of every channel, direct and ephemeral ones included, with ids replaced by
// the order in which they appear.
func (d *twoWorlds) all(n int) string {
	d.t.Helper()
	w := d.worlds[n]
	var b strings.Builder
	for _, c := range w.channels(d.viewer) {
		messages, err := w.discord.Messages(d.viewer, c.ID)
		if err != nil {
			d.t.Fatal(err)
		}
		fmt.Fprintf(&b, "channel %s\n", c.Name)
		for _, m := range messages {
			fmt.Fprintf(&b, "message %d, flags %d\n%s", len(messages), m.Flags, flat(m.Components))
		}
	}
	return d.plain(n, b.String())
}

// plain replaces what differs between any two runs: the ids that Discord gives.
func (d *twoWorlds) plain(n int, s string) string {
	return givenIDs.ReplaceAllStringFunc(s, func(id string) string {
		if d.ids[n][id] == "" {
			d.ids[n][id] = fmt.Sprintf("id%d", len(d.ids[n]))
		}
		return d.ids[n][id]
	})
}

// compare demands that the viewer sees the same in both worlds.
func (d *twoWorlds) compare(what string) {
	d.t.Helper()
	a, b := d.all(0), d.all(1)
	if a != b {
		d.t.Fatalf("%s: what the viewer sees depends on what is hidden:\n%s", what, firstDifference(a, b))
	}
	d.shown++
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + "\n" + bs[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(as), len(bs))
}

// look lets the viewer ask everything that can be asked, in both worlds.
func (d *twoWorlds) look(what string) {
	d.t.Helper()
	var told [2]string
	for n, w := range d.worlds {
		board := w.board()
		w.label(d.viewer, board, "My seat")
		w.label(d.viewer, board, "Log")
		for _, sub := range []string{"seat", "record", "replay", "verify", "resolve"} {
			var options []sandbox.Option
			if sub == "resolve" {
				options = []sandbox.Option{{Name: "choice", Value: "nothing"}}
			}
			w.command(d.viewer, sub, options...)
		}
		var all []sandbox.Choice
		for _, ask := range []struct{ sub, option string }{{"first", "seat"}, {"place", "card"}, {"peek", "card"}, {"resolve", "choice"}} {
			choices, err := w.discord.Autocomplete(context.Background(), d.viewer, w.channel, "paladin", ask.sub, ask.option, sandbox.Option{Name: ask.option, Value: ""})
			if err != nil {
				d.t.Fatal(err)
			}
			all = append(all, choices...)
		}
		data, err := json.Marshal(all)
		if err != nil {
			d.t.Fatal(err)
		}
		told[n] = string(data)
	}
	if told[0] != told[1] {
		d.t.Fatalf("%s: suggestions depend on what is hidden:\n%s\n%s", what, told[0], told[1])
	}
	d.compare(what)
}

// same finds, for the move of one world, the move of the other that looks the same to the viewer; false if there is none.
func (d *twoWorlds) same(move paladin.Move, seat paladin.Seat) (paladin.Move, bool) {
	t := d.worlds[1].table()
	person, ok := t.AwaitedPerson()
	if !ok {
		return paladin.Move{}, false
	}
	mine, _ := t.Private(person.ID)
	var fits []paladin.Move
	for _, m := range mine.View.Legal() {
		if m.Kind != move.Kind || m.Quest != move.Quest || m.Place != move.Place || m.Target != move.Target {
			continue
		}
		if m == move || seat != t.SeatOf(table.UserID(d.viewer)) {
			fits = append(fits, m)
		}
	}
	if len(fits) == 0 {
		return paladin.Move{}, false
	}
	if slices.Contains(fits, move) {
		return move, true
	}
	return fits[0], true
}

// TestNobodyIsSentMore plays the same game in two worlds. At some moment the cards that a viewer cannot know are dealt anew in one of
// them. As long as the public course is the same, everything that the viewer is sent afterwards, in channels, privately, by direct
// message and as suggestions, is the same to the byte.
func TestNobodyIsSentMore(t *testing.T) {
	for _, viewer := range []int{0, 1, 4} {
		for _, after := range []int{0, 4, 8, 11} {
			t.Run(fmt.Sprintf("user %d after %d moves", viewer, after), func(t *testing.T) {
				t.Parallel()
				sentMore(t, viewer, after)
			})
		}
	}
}

func sentMore(t *testing.T, viewer, after int) {
	d := &twoWorlds{t: t, ids: [2]map[string]string{{}, {}}}
	for n := range d.worlds {
		d.worlds[n] = newWorld(t, withStore(storetest.NewMemory()), withBot(fixedRandom))
		// Ids that Discord gives depend on the time alone; two worlds that make them in the same order have the same game.
		d.worlds[n].openGame(3, 0)
	}
	d.viewer = d.worlds[0].users[viewer]
	rng := rand.New(rand.NewPCG(uint64(viewer), uint64(after)))
	hand := func(n int) string {
		w := d.worlds[n]
		var all []string
		for _, user := range w.users[:3] {
			mine, _ := w.table().Private(table.UserID(user))
			all = append(all, fmt.Sprint(mine.View.Hand))
		}
		return strings.Join(all, " ")
	}
	if a, b := hand(0), hand(1); a != b {
		t.Fatalf("the two worlds were not dealt the same cards: %s and %s", a, b)
	}
	for move := range after + 40 {
		if move == after {
			d.look("before the cards are dealt anew")
			seat := d.worlds[1].table().SeatOf(table.UserID(d.viewer))
			for seed := uint64(0); hand(0) == hand(1) && seed < 20; seed++ {
				d.worlds[1].redeal(seat, seed)
			}
			if hand(0) == hand(1) {
				t.Fatal("no hand changed by dealing anew: this test shows nothing")
			}
			d.look("when the cards are dealt anew")
		}
		if !d.step(rng, move >= after) {
			break
		}
		if move >= after {
			d.look(fmt.Sprintf("after move %d", move+1))
		}
	}
	if d.shown < 3 {
		t.Fatalf("compared only %d times", d.shown)
	}
}

// step makes one move in both worlds: the same where the viewer knows it, else one that looks the same. It is false when the public
// courses part.
func (d *twoWorlds) step(rng *rand.Rand, differ bool) bool {
	d.t.Helper()
	at := d.worlds[0].table()
	person, ok := at.AwaitedPerson()
	if !ok {
		return false
	}
	mine, _ := at.Private(person.ID)
	legal := mine.View.Legal()
	for range 20 {
		move := legal[rng.IntN(len(legal))]
		other, ok := d.same(move, mine.Seat)
		if !ok {
			continue
		}
		if differ && (string(person.ID) == d.viewer && move.Kind == paladin.Peek || move.Kind == paladin.Beat) {
			continue // what is turned up is new to the viewer, and may differ
		}
		pressed := rng.IntN(2) == 0
		for n, m := range []paladin.Move{move, other} {
			w := d.worlds[n]
			if id, ok := confirms(mine, m.String()); ok && pressed {
				w.forge(string(person.ID), w.channel, w.board().ID, id)
			} else {
				sub, options := typed(m)
				w.command(string(person.ID), sub, options...)
			}
			w.clock.advance(time.Minute)
		}
		return !differ || d.samePublic()
	}
	return false
}

// samePublic reports whether everybody could know the same of both worlds.
func (d *twoWorlds) samePublic() bool {
	var all [2]string
	for n, w := range d.worlds {
		public := w.table().Public()
		data, err := json.Marshal(public.Game)
		if err != nil {
			d.t.Fatal(err)
		}
		all[n] = string(data)
		for _, line := range public.Recent {
			events, err := json.Marshal(line.Events)
			if err != nil {
				d.t.Fatal(err)
			}
			all[n] += string(events)
		}
	}
	return all[0] == all[1]
}
