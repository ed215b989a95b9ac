package bot_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
)

// at is this world seen from another channel.
func (w *world) at(channel string) *world {
	other := *w
	other.channel = channel
	return &other
}

// newChannel makes a channel in the server.
func (w *world) newChannel(name string) *world {
	w.t.Helper()
	c, err := w.discord.AddChannel(w.guild, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.at(c.ID)
}

// dms are all direct messages that the bot has sent the user, the oldest first: as they are now, or, of
// those that it has removed, as they were sent.
func (w *world) dms(user string) []sandbox.Message {
	w.t.Helper()
	out := w.dmsNow(user)
	for _, r := range w.discord.Requests() {
		var m sandbox.Message
		if r.Method != "POST" || r.Route != createRoute || r.Status != 200 || json.Unmarshal(r.Response, &m) != nil {
			continue
		}
		there := slices.ContainsFunc(out, func(n sandbox.Message) bool { return n.ID == m.ID })
		if !there && slices.ContainsFunc(w.channels(user), func(c sandbox.Channel) bool {
			return c.ID == m.ChannelID && c.Type == sandbox.ChannelDM
		}) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b sandbox.Message) int { return compareIDs(a.ID, b.ID) })
	return out
}

// dmsNow are the direct messages of the bot that the user sees, the oldest first.
func (w *world) dmsNow(user string) []sandbox.Message {
	w.t.Helper()
	var out []sandbox.Message
	for _, c := range w.channels(user) {
		if c.Type != sandbox.ChannelDM {
			continue
		}
		messages, err := w.discord.Messages(user, c.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, messages...)
	}
	slices.SortFunc(out, func(a, b sandbox.Message) int { return compareIDs(a.ID, b.ID) })
	return out
}

// choose chooses a value of the select whose custom id begins with the words of a Habits press.
func (w *world) choose(user string, m sandbox.Message, what, value string) sandbox.Message {
	w.t.Helper()
	for _, c := range controls(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Kind == press.Habits && id.Arg(0) == what {
			return w.reply(w.result(w.discord.Select(w.ctx(), user, m.ChannelID, m.ID, c.CustomID, value)))
		}
	}
	w.t.Fatalf("no select %q in:\n%s", what, text(m))
	return sandbox.Message{}
}

// sleepsInBerlin gives the person quiet hours from 22:00 to 08:00 in Berlin. The world begins there at 13:00.
func (w *world) sleepsInBerlin(user string) sandbox.Message {
	w.t.Helper()
	m := w.reply(w.command(user, "notices"))
	hour := w.clock.Now().Add(time.Hour).Hour() // winter
	m = w.choose(user, m, render.HabitHour, fmt.Sprint(hour))
	m = w.choose(user, m, render.HabitPlace, "Europe/Berlin")
	m = w.choose(user, m, render.HabitFrom, "22")
	return w.choose(user, m, render.HabitTo, "8")
}

func (w *world) deadlines() map[string]time.Time {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), w.table().ID())
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]time.Time{}
	for _, d := range row.Deadlines {
		out[d.Kind] = d.At
	}
	return out
}

// TestHabitsCountAtOnce: quiet hours chosen in the middle of a turn move its end and its reminders, in every game, and nobody else
// sees anything of it.
func TestHabitsCountAtOnce(t *testing.T) {
	w := newWorld(t)
	began := w.clock.Now()
	user := w.users[0]
	other := w.newChannel("second")
	for _, game := range []*world{w, other} {
		game.openGame(1, 2)
		if d := game.deadlines(); !d[table.DeadlineTurn].Equal(began.Add(24*time.Hour)) || !d[table.DeadlineRemind].Equal(began.Add(8*time.Hour)) {
			t.Fatalf("deadlines before: %v", d)
		}
	}
	lines, board := len(historyOf(t, w)), w.board()
	m := w.sleepsInBerlin(user)
	if said := text(m); !strings.Contains(said, "Quiet from 22:00 to 08:00") || !strings.Contains(said, "Berlin") {
		t.Errorf("the panel says:\n%s", said)
	}
	for _, game := range []*world{w, other} {
		d := game.deadlines()
		// 9 hours until 22:00, 14 on the next day, one more on the day after.
		if want := time.Date(2026, 3, 3, 8, 0, 0, 0, time.UTC); !d[table.DeadlineTurn].Equal(want) {
			t.Errorf("the turn ends at %v, want %v", d[table.DeadlineTurn], want)
		}
		if want := began.Add(8 * time.Hour); !d[table.DeadlineRemind].Equal(want) {
			t.Errorf("the first reminder is due at %v, want %v", d[table.DeadlineRemind], want)
		}
	}
	if now := w.board(); len(historyOf(t, w)) != lines || now.EditedTimestamp != nil && (board.EditedTimestamp == nil || *now.EditedTimestamp != *board.EditedTimestamp) {
		t.Error("new habits leave a public trace")
	}
	m = w.choose(user, m, render.HabitFrom, render.NoQuiet)
	if d := w.deadlines(); !d[table.DeadlineTurn].Equal(began.Add(24 * time.Hour)) {
		t.Errorf("without quiet hours the turn ends at %v", d[table.DeadlineTurn])
	}
	m = w.choose(user, m, render.HabitFrom, "10")
	if m = w.choose(user, m, render.HabitTo, "9"); !strings.Contains(text(m), english.Say(render.TextQuietTooLong)) {
		t.Errorf("23 quiet hours are answered by:\n%s", text(m))
	}
}

// TestReminders lets a day go by for people of different habits, and notes when each was written to.
func TestReminders(t *testing.T) {
	for _, tc := range []struct {
		name  string
		set   func(w *world, user string)
		hours []float64 // of the reminders, after the move came to them
	}{
		{"by default", func(*world, string) {}, []float64{8, 16}},
		{"five, three hours apart", func(w *world, user string) {
			m := w.choose(user, w.reply(w.command(user, "notices")), render.HabitCount, "5")
			w.choose(user, m, render.HabitEvery, "3")
		}, []float64{3, 6, 9, 12, 15}},
		{"no reminders", func(w *world, user string) {
			w.choose(user, w.reply(w.command(user, "notices")), render.HabitCount, "0")
		}, nil},
		{"never called", func(w *world, user string) {
			w.label(user, w.reply(w.command(user, "notices")), "Neither")
		}, nil},
		{"not by night", func(w *world, user string) {
			w.choose(user, w.sleepsInBerlin(user), render.HabitEvery, "6") // due at 19:00 and, after 12 waking hours, at 11:00
		}, []float64{6, 22}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			user := w.users[0]
			tc.set(w, user)
			w.openGame(1, 2)
			began, before := w.clock.Now(), len(w.dms(user))
			w.pass(23*time.Hour + 30*time.Minute)
			var got []float64
			for _, m := range w.dms(user)[before:] {
				sent, err := time.Parse(time.RFC3339, m.Timestamp)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, sent.Sub(began).Round(time.Minute).Hours())
				if said := text(m); !strings.Contains(said, "still waits for you") || !strings.Contains(said, "<#"+w.channel+">") || !hasMove(m) {
					t.Errorf("a reminder says:\n%s", said)
				}
			}
			if diff := cmp.Diff(tc.hours, got); diff != "" {
				t.Errorf("hours of the reminders (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMoreRemindersComeOneAtATime: whoever chooses many reminders late in a turn gets no burst of those that would have been due.
func TestMoreRemindersComeOneAtATime(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	w.openGame(1, 2)
	w.pass(7 * time.Hour)
	before := len(w.dms(user))
	m := w.choose(user, w.reply(w.command(user, "notices")), render.HabitCount, "5")
	w.choose(user, m, render.HabitEvery, "1")
	w.pass(20 * time.Minute)
	if n := len(w.dms(user)) - before; n != 0 {
		t.Errorf("%d reminders at once", n)
	}
}

// TestClosedDMsAreRemindedInTheChannel as they are told of their move.
func TestClosedDMsAreRemindedInTheChannel(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	if err := w.discord.CloseDMs(user, true); err != nil {
		t.Fatal(err)
	}
	w.openGame(1, 2)
	w.pass(7 * time.Hour)
	before := w.mentions(user)
	w.pass(2 * time.Hour)
	if n := w.mentions(user) - before; n != 1 {
		t.Errorf("%d mentions for one reminder", n)
	}
	if n := len(w.dms(user)); n != 0 {
		t.Errorf("%d messages through closed DMs", n)
	}
}

// TestOneReminderForManyGames: several games that wait are told in one message, and their own reminders within some hours are not
// said again.
func TestOneReminderForManyGames(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	games := []*world{w, w.newChannel("second"), w.newChannel("third")}
	for _, game := range games {
		game.openGame(1, 2)
		w.pass(10 * time.Minute)
	}
	before := len(w.dms(user))
	w.pass(9 * time.Hour)
	sent := w.dms(user)[before:]
	if len(sent) != 1 {
		for _, m := range sent {
			t.Log(text(m))
		}
		t.Fatalf("%d messages instead of one", len(sent))
	}
	said, last := text(sent[0]), -1
	for _, game := range games {
		at := strings.Index(said, "<#"+game.channel+">")
		if at <= last || !strings.Contains(said, game.channel+"/"+game.board().ID) {
			t.Errorf("a game is missing, without a link or not the oldest first:\n%s", said)
		}
		last = at
	}
	w.pass(8 * time.Hour) // the second reminders
	if n := len(w.dms(user)) - before; n != 2 {
		t.Errorf("%d messages after the second reminders, want 2", n)
	}
	now := w.dmsNow(user)
	list := w.reply(w.label(user, now[len(now)-1], "All my games"))
	if !strings.Contains(text(list), "3 wait for you") {
		t.Errorf("the list says:\n%s", text(list))
	}
}

// TestGamesOfDifferentHoursMakeFewDigests: ten games that began at ten hours of a day remind four times a day and not twenty.
func TestGamesOfDifferentHoursMakeFewDigests(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	const games = 10
	for n := range games {
		w.newChannel(fmt.Sprintf("game-%d", n)).openGame(1, 2)
		w.pass(45 * time.Minute)
	}
	before := len(w.dms(user))
	w.pass(16 * time.Hour) // all second reminders are due by then, and no turn is over
	if n := len(w.dms(user)) - before; n == 0 || n > 4 {
		t.Errorf("%d messages for the reminders of %d games", n, games)
	}
}

// TestBothWaysAreUsed: whoever wants a direct message and a mention gets both, once.
func TestBothWaysAreUsed(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	w.label(user, w.reply(w.command(user, "notices")), "Both")
	w.openGame(1, 2)
	dms, mentions := len(w.dms(user)), w.mentions(user)
	w.pass(9 * time.Hour)
	if d, m := len(w.dms(user))-dms, w.mentions(user)-mentions; d != 1 || m != 1 {
		t.Errorf("%d direct messages and %d mentions for one reminder", d, m)
	}
}

// TestNoticesInDirectMessages: one's own habits and games can be asked for where nobody plays.
func TestNoticesInDirectMessages(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	w.openGame(1, 2)
	dm, ok := w.dm(user)
	if !ok {
		t.Fatal("no direct message")
	}
	there := w.at(dm.ChannelID)
	if said := text(there.reply(there.command(user, "notices"))); !strings.Contains(said, "How I call you") {
		t.Errorf("notices:\n%s", said)
	}
	if said := text(there.reply(there.command(user, "games"))); !strings.Contains(said, "<#"+w.channel+">") {
		t.Errorf("games:\n%s", said)
	}
	if said := text(there.reply(there.command(user, "board"))); !strings.Contains(said, english.Say(render.TextInDM)) {
		t.Errorf("board:\n%s", said)
	}
}

// TestCommandsInDirectMessages: whatever is asked for there, nothing is said of a server or channel
// that there is not, and what is about a game leads to those of whoever asks.
func TestCommandsInDirectMessages(t *testing.T) {
	w := newWorld(t)
	w.openGame(1, 2)
	board := w.board()
	stranger := w.users[3]
	for _, user := range []string{w.users[0], stranger} {
		dm, ok := w.dm(w.users[0])
		if user == stranger {
			opened, err := w.discord.OpenDM(user)
			if err != nil {
				t.Fatal(err)
			}
			dm.ChannelID = opened.ID
		} else if !ok {
			t.Fatal("no direct message")
		}
		there := w.at(dm.ChannelID)
		for _, sub := range []string{
			"new", "board", "seat", "leave", "stop", "pause", "resume", "settings", "doctor", "games", "notices", "standings", "me", "help", "rules",
			"practice", "record", "replay", "verify",
		} {
			said := text(there.reply(there.command(user, sub)))
			for _, untrue := range []string{"this server", "this channel"} {
				if strings.Contains(strings.ToLower(said), untrue) {
					t.Errorf("%s in direct messages speaks of %s:\n%s", sub, untrue, said)
				}
			}
			switch sub {
			case "board", "seat", "leave", "stop", "pause", "resume", "record", "replay", "verify":
				mustSay(t, sub, said, english.Say(render.TextInDM))
				if user == stranger {
					mustSay(t, sub, said, english.Say(render.TextNoGames))
				} else {
					mustSay(t, sub, said, render.MessageLink(w.guild, w.channel, board.ID))
				}
			case "standings":
				mustSay(t, sub, said, english.Say(render.TextStandingsInDM))
			case "settings", "doctor":
				mustSay(t, sub, said, english.Say(render.TextServerInDM))
			case "new":
				mustSay(t, sub, said, english.Say(render.TextNewInDM))
			}
		}
	}
}

// TestTheMoveComesWithoutASoundByNight: whoever sleeps finds the message in the morning.
func TestTheMoveComesWithoutASoundByNight(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	w.sleepsInBerlin(user)
	silent := func(game *world) bool {
		game.openGame(1, 2)
		m, ok := w.dm(user)
		if !ok || !strings.Contains(text(m), "<#"+game.channel+">") {
			t.Fatalf("no message about the game:\n%s", text(m))
		}
		return m.Flags&sandbox.FlagSuppressNotifications != 0
	}
	if silent(w.newChannel("by day")) {
		t.Error("no sound in the middle of the day")
	}
	w.pass(12 * time.Hour) // 01:00
	if !silent(w.newChannel("by night")) {
		t.Error("a sound in the middle of the night")
	}
}

// TestCallsComeWithoutASoundByNight: neither does what is said in the channel to somebody who sleeps, nor how their game ended.
func TestCallsComeWithoutASoundByNight(t *testing.T) {
	w := newWorld(t)
	ann, ben, cleo := w.users[0], w.users[1], w.users[2]
	w.sleepsInBerlin(ann)
	w.sleepsInBerlin(ben)
	w.label(ben, w.reply(w.command(ben, "notices")), "Mention")
	for _, user := range []string{ann, cleo} {
		if err := w.discord.CloseDMs(user, true); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(12 * time.Hour) // 01:00
	calls := func() map[string]bool {
		t.Helper()
		silent := map[string]bool{}
		messages, err := w.discord.Messages(cleo, w.channel)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			for _, user := range []string{ann, ben, cleo} {
				if said := text(m); m.View != nil && !m.View.Ephemeral && !strings.Contains(said, "## Paladin:") && strings.Contains(said, "<@"+user+">") {
					silent[user] = m.Flags&sandbox.FlagSuppressNotifications != 0
				}
			}
		}
		return silent
	}
	want := map[string]bool{ann: true} // it is her move
	w.openGame(3, 0)
	w.flush()
	if diff := cmp.Diff(want, calls()); diff != "" {
		t.Errorf("at the deal (-want +without a sound):\n%s", diff)
	}
	w.forge(ann, w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	want = map[string]bool{ben: true, cleo: false} // it is nobody's move any more
	if diff := cmp.Diff(want, calls()); diff != "" {
		t.Errorf("at the end (-want +without a sound):\n%s", diff)
	}
}
