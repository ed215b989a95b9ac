package bot_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
)

// wickedNames are what people call themselves to see what happens.
func wickedNames() []string {
	return []string{
		"@everyone", "@here", "<@&1>", "<@1477636521984000001>", "<#1477636521984000010>", "</paladin new:1>", "<t:0:R>", "<:x:1>",
		"**bold** _x_ ~~y~~", "`code` ```js", "||spoiler||", "# heading", "> quote\n- list", "[link](https://example.org)", "https://example.org",
		"\u202egnp.exe", "\u2067שלום\u2069 @everyone", "مرحبا", "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324a\u0351l\u0343g\u0302o",
		"\u3164", "\u2800\u2800", "\u200b\u200b\u200b", strings.Repeat("漢", 32), strings.Repeat("👩‍👩‍👧‍👦", 4), strings.Repeat("🂡", 32),
		strings.Repeat("ﷺ", 32), strings.Repeat("𒐫", 32), strings.Repeat("W", 32), "\\", "_", "p1/seat/x/0", "{{.Seed}}", "%s%n%d", "seat 2", "me", "2",
	}
}

// TestWickedNames plays whole games with five people of such names. The sandbox refuses what is too long or malformed; nobody is called but
// who is meant; no name turns into a mention, a heading or a line of its own.
func TestWickedNames(t *testing.T) {
	names := wickedNames()
	for first := 0; first < len(names); first += 5 {
		some := slices.Collect(func(yield func(string) bool) {
			for i := range 5 {
				if !yield(names[(first+i)%len(names)]) {
					return
				}
			}
		})
		t.Run(fmt.Sprint(first/5), func(t *testing.T) {
			if first > 0 {
				wholeGame(t)
			}
			t.Parallel()
			playWicked(t, some, uint64(first))
		})
	}
}

func playWicked(t *testing.T, names []string, seed uint64) {
	w := newWorld(t)
	bystander := w.users[4]
	for i, name := range names {
		u, err := w.discord.AddUser(name, w.guild)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		w.users = slices.Insert(w.users, i, u.ID)
	}
	w.openLobby(5, 0)
	w.inspect()
	w.label(w.users[0], w.board(), "Manage")
	w.result(w.discord.ForgePress(w.ctx(), w.users[0], w.channel, w.board().ID, sandbox.TypeUserSelect, press.New(press.Invite, w.table().ID()).String(), bystander))
	if n := w.mentions(bystander); n != 1 {
		t.Errorf("somebody invited is called %d times", n)
	}
	w.label(w.users[0], w.board(), "Start")
	if err := w.discord.CloseDMs(w.users[1], true); err != nil { // one of them is called in the channel
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	whole := seed%15 == 0 // every third game to its end: what can be shown of a name is shown by then
	for move := 0; w.table().Stage() == table.Playing; move++ {
		if !whole && move == 20 {
			w.forge(w.users[5], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String()) // the server's owner
			break
		}
		if move > 0 && move%7 == 0 {
			w.inspect()
		}
		if move == 40 {
			w.forge(w.users[2], w.channel, w.board().ID, press.New(press.Quit, w.table().ID()).String())
			w.forge(w.users[3], w.channel, w.board().ID, press.New(press.Stop, w.table().ID()).String())
		}
		if w.table().Stage() == table.Playing {
			w.clock.advance(10 * time.Second) // the bot's own limits count by this clock
			w.quick(rng)
		}
	}
	w.clock.advance(2 * time.Minute)
	w.command(bystander, "board")
	w.inspect()
	for _, id := range []string{
		press.New(press.Log, w.table().ID()).String(), press.New(press.Log, w.table().ID(), "1").String(), press.New(press.Seat, w.table().ID()).String(),
	} {
		sane(t, spoken(w.reply(w.forge(w.users[0], w.channel, w.board().ID, id))))
	}
	w.label(w.users[1], w.board(), "Play again")
	w.inspect()
	if n := w.mentions(bystander); n != 1 {
		t.Errorf("a bystander is called %d times", n)
	}
	for _, p := range w.discord.Pings(bystander) {
		if p.Why == "everyone" {
			t.Error("everyone was called")
		}
	}
	for _, user := range w.users[5:9] {
		if n := len(w.discord.Pings(user)); n > 0 {
			t.Errorf("somebody who has no part in it is called %d times", n)
		}
	}
}

// quick makes some legal move through the board.
func (w *world) quick(rng *rand.Rand) {
	w.t.Helper()
	at := w.table()
	person, ok := at.AwaitedPerson()
	if !ok {
		w.t.Fatal("nobody is awaited")
	}
	id := legalID(w.t, at, person.ID)
	if rng.IntN(3) == 0 {
		w.label(string(person.ID), w.board(), "My seat")
	}
	w.forge(string(person.ID), w.channel, w.board().ID, id)
}

// inspect looks at everything that everybody can read, and at everybody's newest message.
func (w *world) inspect() {
	w.t.Helper()
	messages, err := w.discord.Messages(w.users[0], w.channel)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range messages {
		sane(w.t, spoken(m))
		if m.MentionEveryone || len(m.MentionRoles) > 0 {
			w.t.Errorf("it calls everyone or a role:\n%s", text(m))
		}
	}
	for _, user := range w.users[:5] {
		if m, ok := w.dm(user); ok {
			sane(w.t, spoken(m))
		}
	}
}

// spoken is what a message says in texts, where names could do something; labels of buttons are shown as they are.
func spoken(m sandbox.Message) string {
	var out []string
	var walk func([]sandbox.Component)
	walk = func(list []sandbox.Component) {
		for _, c := range list {
			if c.Content != "" {
				out = append(out, c.Content)
			}
			walk(c.Components)
		}
	}
	walk(m.Components)
	return strings.Join(out, "\n")
}

// escaped is a sign that markdown shows as it is.
var escaped = regexp.MustCompile(`\\.`)

// sane demands that names cannot do anything but be read.
func sane(t testing.TB, said string) {
	t.Helper()
	shown := escaped.ReplaceAllString(said, "")
	for _, raw := range []string{"@everyone", "@here", "<@&", "\u202e", "</paladin", "<:x", "<t:0", "](https", "\u2800", "\u3164"} {
		if strings.Contains(shown, raw) {
			t.Errorf("%q stands in:\n%s", raw, said)
		}
	}
	for line := range strings.SplitSeq(said, "\n") {
		if strings.HasPrefix(line, "# heading") || strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "- list") {
			t.Errorf("a name begins a line of its own: %q", line)
		}
		marks, depth := 0, 0
		for _, r := range line {
			switch {
			case r == '\u2066' || r == '\u2067' || r == '\u2068':
				depth++
			case r == '\u2069':
				depth--
			case unicode.Is(unicode.Mn, r) && r != 0xfe0f:
				if marks++; marks > 3 {
					t.Errorf("a tower of marks in %q", line)
				}
				continue
			}
			marks = 0
		}
		if depth != 0 {
			t.Errorf("a direction is left open in %q", line)
		}
	}
	if strings.Contains(said, "****") {
		t.Errorf("a name that shows nothing:\n%s", said)
	}
}

// TestPeopleOfNoName: a user without any usable name still has something to be called by.
func TestPeopleOfNoName(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{"\u3164", "\u200b\u200b", "\u2800"} {
		u, err := w.discord.AddUser(name, w.guild)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		w.users[i] = u.ID
	}
	w.openLobby(3, 0)
	board := text(w.board())
	for i := range 3 {
		line := strings.Split(board, "\n")
		at := slices.IndexFunc(line, func(l string) bool {
			return strings.Contains(l, []string{"purple circle:", "blue square:", "orange diamond:"}[i])
		})
		if at < 0 || strings.Contains(line[at], "free") || len(strings.Trim(line[at][strings.Index(line[at], ":")+1:], " *,")) < 3 {
			t.Errorf("seat %d is shown so:\n%s", i+1, board)
		}
	}
}

// TestRemovingTwiceRemovesOne: seats move up when one is freed, and squires are all alike; a second press on the same button finds the
// next one there and leaves it alone.
func TestRemovingTwiceRemovesOne(t *testing.T) {
	w := newWorld(t)
	host := w.users[0]
	w.command(host, "new")
	for range 3 {
		w.label(host, w.board(), "Add a squire")
	}
	manage := w.reply(w.label(host, w.board(), "Manage"))
	var remove string
	for _, c := range controls(manage) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Remove {
			remove = c.CustomID
			break
		}
	}
	for range 3 {
		manage = w.reply(w.forge(host, manage.ChannelID, manage.ID, remove))
	}
	if n := len(w.table().Public().Seats); n != 3 {
		t.Errorf("%d seats are taken after three presses on one button, not 3", n)
	}
	mustSay(t, "the panel", text(manage), english.Say(render.TextSeatsMoved))
}

// TestCancelAsksWhereOthersSit: a lobby in which others have sat down is closed at the second press alone, on the board as by the command;
// whoever may not close it is told at once, and one without others closes at once.
func TestCancelAsksWhereOthersSit(t *testing.T) {
	for name, ask := range map[string]func(w *world) sandbox.Result{
		"button": func(w *world) sandbox.Result { return w.label(w.users[0], w.board(), "Cancel") },
		"stop":   func(w *world) sandbox.Result { return w.command(w.users[0], "stop") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openLobby(1, 2)
			ask(w)
			if s := w.table().Stage(); s != table.Closed {
				t.Fatalf("a lobby with squires alone is %v", s)
			}
			w.command(w.users[0], "new")
			for _, user := range w.users[1:3] {
				w.label(user, w.board(), "Join")
			}
			board := text(w.board())
			mustSay(t, "a guest", text(w.reply(w.pressKind(w.users[1], w.board(), press.Cancel))), "host")
			question := w.reply(ask(w))
			mustSay(t, "the host is asked", text(question), "Cancel this table?", "2 other people")
			if s := w.table().Stage(); s != table.Lobby || text(w.board()) != board || !question.View.Ephemeral {
				t.Fatalf("before the answer it is %v:\n%s", s, text(w.board()))
			}
			w.label(w.users[0], question, "Keep the table")
			if s := w.table().Stage(); s != table.Lobby {
				t.Fatalf("a table that is kept is %v", s)
			}
			question = w.reply(ask(w))
			id := press.New(press.Cancel, w.table().ID(), press.Sure).String()
			mustSay(t, "a guest who forges the answer", text(w.reply(w.forge(w.users[1], w.channel, w.board().ID, id))), "host")
			w.label(w.users[2], w.board(), "Leave")
			done := w.reply(w.label(w.users[0], question, "Cancel the table"))
			if s := w.table().Stage(); s != table.Closed || done.ID != question.ID {
				t.Errorf("after the answer it is %v; %s", s, text(done))
			}
			mustSay(t, "the board", text(w.board()), "cancelled")
			mustSay(t, "once more", text(w.reply(w.forge(w.users[0], w.channel, w.board().ID, id))), english.Say(render.Text("answers.refused_over")))
		})
	}
}
