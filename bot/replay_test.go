package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// playedWorld is a world with a game of people and squires that is over. The test that asks for it runs beside others.
func playedWorld(t *testing.T, people, squires int) *world {
	t.Helper()
	t.Parallel()
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(uint64(people), 11))
	w.openGame(people, squires)
	for w.table().Stage() == table.Playing {
		w.playOn(rng)
		w.clock.advance(time.Minute)
	}
	return w
}

var (
	replayPage = regexp.MustCompile(`Page (\d+) of (\d+)`)
	cardsSeen  = regexp.MustCompile(`\d+r?⚔?`)
)

// replayKey is which page a message shows.
func replayKey(t *testing.T, m sandbox.Message) string {
	t.Helper()
	at := replayPage.FindString(text(m))
	if at == "" {
		t.Fatalf("no page of a replay:\n%s", text(m))
	}
	return at
}

// TestReplayByPressingWhatIsOffered looks at every page of a finished game from every viewpoint, by buttons and choices alone: all of it
// privately, in one message, and without a word to anybody else.
func TestReplayByPressingWhatIsOffered(t *testing.T) {
	w := playedWorld(t, 2, 1)
	ben := w.users[1]
	public := w.others(w.channel)
	panel := w.reply(w.label(ben, w.board(), "Replay"))
	first := panel.ID
	seen := map[string]string{}
	for _, view := range []string{"all", "1", "2", "3"} {
		panel = w.chooseView(ben, panel, "-", view)
		panel = w.reply(w.label(ben, panel, "Last"))
		panel = w.reply(w.label(ben, panel, "First"))
		pages := 0
		for {
			if !panel.View.Ephemeral || panel.ID != first {
				t.Fatalf("a page is not in the place of the one before (private: %v):\n%s", panel.View.Ephemeral, text(panel))
			}
			key := view + " " + replayKey(t, panel)
			if _, again := seen[key]; again {
				t.Fatalf("%s comes twice", key)
			}
			seen[key] = text(panel)
			pages++
			if !offers(panel, "Forward") {
				break
			}
			panel = w.reply(w.label(ben, panel, "Forward"))
		}
		if want := fmt.Sprintf("Page %d of %d", pages, pages); replayKey(t, panel) != want || pages != 37 {
			t.Fatalf("%s: %d pages, the last is %s", view, pages, replayKey(t, panel))
		}
		for pages > 1 && pages > 33 {
			panel = w.reply(w.label(ben, panel, "Back"))
			if pages--; seen[view+" "+replayKey(t, panel)] != text(panel) {
				t.Fatalf("%s looks otherwise on the way back", replayKey(t, panel))
			}
		}
	}
	panel = w.chooseView(ben, panel, "", "13")
	if !strings.Contains(text(panel), "round 3 of 6, the leading Paladins") {
		t.Errorf("round 3 begins with:\n%s", text(panel))
	}
	if diff := cmp.Diff(public, w.others(w.channel)); diff != "" {
		t.Errorf("others saw something (-before +after):\n%s", diff)
	}
	for n := range 37 {
		all := seen[fmt.Sprintf("all Page %d of 37", n+1)]
		for seat := 1; seat <= 3; seat++ {
			own := seen[fmt.Sprintf("%d Page %d of 37", seat, n+1)]
			if len(cardsSeen.FindAllString(own, -1)) > len(cardsSeen.FindAllString(all, -1)) {
				t.Errorf("page %d: seat %d sees more than there is", n+1, seat)
			}
		}
		if n < 36 && strings.Contains(strings.ReplaceAll(all, "Who looks?", ""), "?") {
			t.Errorf("page %d hides a card from somebody who knows all:\n%s", n+1, all)
		}
	}
}

// offers reports whether a button can be pressed.
func offers(m sandbox.Message, label string) bool {
	return slices.ContainsFunc(controls(m), func(c sandbox.Component) bool { return c.Label == label })
}

// chooseView chooses a value in the select of a replay whose custom id has "-" for the viewpoint, or for the page.
func (w *world) chooseView(user string, m sandbox.Message, viewpoint, value string) sandbox.Message {
	w.t.Helper()
	for _, c := range controls(m) {
		id, err := press.Parse(c.CustomID)
		if err == nil && id.Kind == press.Replay && len(c.Options) > 0 && (id.Arg(0) == "-") == (viewpoint == "-") {
			return w.reply(w.result(w.discord.Select(w.ctx(), user, m.ChannelID, m.ID, c.CustomID, value)))
		}
	}
	w.t.Fatalf("nothing to choose from in:\n%s", text(m))
	return sandbox.Message{}
}

// TestReplayForEverybody: one public message whose pages turn under the hand of whoever showed it. Whoever else presses gets their own.
// Nobody is called, and what turns pages costs no request that Discord counts.
func TestReplayForEverybody(t *testing.T) {
	wholeGame(t)
	w := playedWorld(t, 3, 0)
	ann, ben, eve := w.users[0], w.users[1], w.users[4]
	pings := len(w.discord.Pings(ann)) + len(w.discord.Pings(ben)) + len(w.discord.Pings(eve))
	private := w.reply(w.label(ben, w.board(), "Replay"))
	asked := len(w.discord.Requests())
	shown := w.reply(w.label(ben, private, "Show everybody"))
	if shown.View.Ephemeral || !strings.Contains(text(shown), "Shown by") || replayKey(t, shown) != replayKey(t, private) {
		t.Fatalf("what is shown to everybody (private: %v):\n%s", shown.View.Ephemeral, text(shown))
	}
	turned := w.reply(w.label(ben, shown, "Forward"))
	if turned.ID != shown.ID || turned.View.Ephemeral || replayKey(t, turned) == replayKey(t, shown) || !strings.Contains(text(turned), "Shown by") {
		t.Errorf("its page turned (private: %v):\n%s", turned.View.Ephemeral, text(turned))
	}
	turned = w.chooseView(ben, turned, "-", "1")
	for _, other := range []string{ann, eve} {
		own := w.reply(w.label(other, turned, "Forward"))
		if !own.View.Ephemeral || own.ID == shown.ID || !strings.Contains(text(own), "Page 3 of") || strings.Contains(text(own), "Shown by") {
			t.Errorf("somebody else's press (private: %v):\n%s", own.View.Ephemeral, text(own))
		}
	}
	if now, err := w.discord.Message(ann, w.channel, shown.ID); err != nil || text(now) != text(turned) {
		t.Errorf("somebody else turned the page: %v\n%s", err, text(now))
	}
	for _, r := range w.discord.Requests()[asked:] {
		if !strings.HasPrefix(r.Route, "/interactions/") && !strings.HasPrefix(r.Route, "/webhooks/") {
			t.Errorf("counted: %s %s", r.Method, r.Route)
		}
	}
	if now := len(w.discord.Pings(ann)) + len(w.discord.Pings(ben)) + len(w.discord.Pings(eve)); now != pings {
		t.Errorf("%d people were called", now-pings)
	}
	// The board is nobody's replay: a forged press on it leaves it as it is.
	board := w.board()
	forged := w.reply(w.forge(ben, w.channel, board.ID, press.New(press.Replay, w.table().ID(), "all", "2").String()))
	if !forged.View.Ephemeral || text(w.board()) != text(board) {
		t.Errorf("a forged press on the board (private: %v):\n%s", forged.View.Ephemeral, text(forged))
	}
	if twice := w.reply(w.label(ben, private, "Show everybody")); !twice.View.Ephemeral || !strings.Contains(text(twice), english.Say(render.TextReplayShown)) {
		t.Errorf("shown twice (private: %v):\n%s", twice.View.Ephemeral, text(twice))
	}
	// A later one takes the first one's place: the first opens private ones from now on.
	w.clock.advance(2 * time.Minute)
	again := w.reply(w.label(ben, private, "Show everybody"))
	if again.ID == shown.ID || again.View.Ephemeral {
		t.Errorf("shown again (private: %v):\n%s", again.View.Ephemeral, text(again))
	}
	if old := w.reply(w.label(ben, turned, "Forward")); !old.View.Ephemeral {
		t.Errorf("the earlier one is turned too:\n%s", text(old))
	}
}

// TestReplayShownLate: what Discord was told to wait for is shown to everybody all the same, as a message of its own; the private page on
// which it was asked for stays. A page that is turned late comes privately: what was acknowledged may not be written into a public message.
func TestReplayShownLate(t *testing.T) {
	slow := &slowStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(slow))
	w.openGame(3, 0)
	for range 5 {
		w.move()
	}
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	ben := w.users[1]
	late := func(m sandbox.Message, label string) sandbox.Result {
		t.Helper()
		n := slices.IndexFunc(controls(m), func(c sandbox.Component) bool { return c.Label == label })
		open := slow.close()
		i, err := w.discord.Press(w.ctx(), ben, m.ChannelID, m.ID, controls(m)[n].CustomID)
		if err != nil {
			open()
			t.Fatal(err)
		}
		w.clock.timed(1500 * time.Millisecond)
		w.clock.advance(1500 * time.Millisecond)
		open()
		return w.result(i, nil)
	}
	private := w.reply(w.label(ben, w.board(), "Replay"))
	res := late(private, "Show everybody")
	if len(res.Followups) != 1 || res.Followups[0].View.Ephemeral || !strings.Contains(text(res.Followups[0]), "Shown by") {
		t.Fatalf("shown late: %+v", res)
	}
	shown := res.Followups[0]
	turned := w.reply(w.label(ben, shown, "Forward"))
	if turned.ID != shown.ID || turned.View.Ephemeral {
		t.Errorf("its page does not turn:\n%s", text(turned))
	}
	if own := w.reply(late(turned, "Back")); !own.View.Ephemeral || replayKey(t, own) != replayKey(t, shown) {
		t.Errorf("turned late (private: %v):\n%s", own.View.Ephemeral, text(own))
	}
	if now, err := w.discord.Message(ben, w.channel, shown.ID); err != nil || text(now) != text(turned) {
		t.Errorf("what everybody sees changed late: %v\n%s", err, text(now))
	}
}

// TestReplayInDirectMessages: somebody who played reads it there, and cannot show it to a channel.
func TestReplayInDirectMessages(t *testing.T) {
	wholeGame(t)
	w := playedWorld(t, 3, 0)
	ann := w.users[0]
	dm, ok := w.dm(ann)
	if !ok {
		t.Fatal("no DM")
	}
	id := w.table().ID()
	opened := w.reply(w.result(w.discord.ForgePress(w.ctx(), ann, dm.ChannelID, dm.ID, sandbox.TypeButton, press.New(press.Replay, id).String())))
	if offers(opened, "Show everybody") || !offers(opened, "Forward") {
		t.Errorf("a replay in direct messages:\n%s", text(opened))
	}
	before := w.others(w.channel)
	w.result(w.discord.ForgePress(w.ctx(), ann, dm.ChannelID, dm.ID, sandbox.TypeButton, press.New(press.Share, id, "all", "2").String()))
	if diff := cmp.Diff(before, w.others(w.channel)); diff != "" {
		t.Errorf("the channel saw it:\n%s", diff)
	}
}

// TestRunningGameIsNotReplayed: whatever is pressed or typed, whoever does it, at every point of a game. Not a word depends on the cards.
func TestRunningGameIsNotReplayed(t *testing.T) {
	w := newWorld(t)
	w.openLobby(3, 0)
	rng := rand.New(rand.NewPCG(3, 3))
	const refused = "The cards stay hidden while a game is played"
	try := func() {
		t.Helper()
		id := w.table().ID()
		for _, user := range []string{w.users[0], w.users[4]} {
			for _, custom := range []string{
				press.New(press.Replay, id).String(), press.New(press.Replay, id, "all", "1").String(), press.New(press.Replay, id, "1", "2", "F").String(),
				press.New(press.Share, id, "all", "1").String(), press.New(press.Share, id).String(),
			} {
				if said := w.reply(w.forge(user, w.channel, w.board().ID, custom)); !said.View.Ephemeral || strings.TrimSpace(text(said)) != refused+". When it is over, **Replay** shows all of them." {
					t.Fatalf("%s in a game that runs (private: %v):\n%s", custom, said.View.Ephemeral, text(said))
				}
			}
			verify := w.reply(w.forge(user, w.channel, w.board().ID, press.New(press.Verify, id).String()))
			if public := w.table().Public(); !strings.Contains(text(verify), public.Commitment) || public.Seed != "" || strings.Contains(text(verify), "Moves") {
				t.Fatalf("verified while it runs:\n%s", text(verify))
			}
			if said := text(w.reply(w.command(user, "replay"))); !strings.Contains(said, refused) {
				t.Fatalf("/paladin replay in a game that runs:\n%s", said)
			}
		}
	}
	try()
	w.label(w.users[0], w.board(), "Start")
	for n := 0; n < 24; n++ {
		if n%6 == 0 {
			try()
		}
		w.playOn(rng)
		w.clock.advance(time.Minute)
	}
}

// TestLastGameIsReplayedBesideTheNext: the commands find the game that is over while the next one runs, and say nothing of that one but
// what is public.
func TestLastGameIsReplayedBesideTheNext(t *testing.T) {
	wholeGame(t)
	w := playedWorld(t, 3, 0)
	old := w.table()
	w.label(w.users[0], w.board(), "Play again")
	for _, user := range w.users[1:3] {
		w.label(user, w.board(), "Join")
	}
	w.label(w.users[0], w.board(), "Start")
	now := w.table()
	if now.ID() == old.ID() {
		t.Fatal("no further game")
	}
	replay := w.reply(w.command(w.users[4], "replay"))
	for _, c := range controls(replay) {
		if id, err := press.Parse(c.CustomID); err != nil || id.Table != old.ID() {
			t.Errorf("a press on another game: %v", id)
		}
	}
	verify := text(w.reply(w.command(w.users[4], "verify")))
	for _, want := range []string{"All is right", old.Public().Seed, now.Public().Commitment, "until then the seed is secret"} {
		if !strings.Contains(verify, want) {
			t.Errorf("%q is not in:\n%s", want, verify)
		}
	}
}

// TestVerifyAGame: a game that was played by pressing is right in every step, with the numbers that the board shows.
func TestVerifyAGame(t *testing.T) {
	for _, squires := range []int{0, 2} {
		t.Run(fmt.Sprint(squires, " squires"), func(t *testing.T) {
			if squires > 0 {
				wholeGame(t)
			}
			verifyPlayed(t, playedWorld(t, 3, squires))
		})
	}
}

func verifyPlayed(t *testing.T, w *world) {
	t.Helper()
	said := text(w.reply(w.label(w.users[1], w.board(), "Verify")))
	p := w.table().Public()
	moves := 0
	for _, l := range historyOf(t, w) {
		if l.Move != "" {
			moves++
		}
	}
	for _, want := range []string{
		"All is right", p.Seed, p.Commitment, p.Salt, fmt.Sprintf("all %d are legal", moves), "✅ **Fingerprint", "✅ **Salt", "✅ **Shuffles", "✅ **Moves",
		"✅ **What was told", "✅ **Result", "paladin replay paladin-" + p.ID + ".json",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	for _, unwanted := range []string{"❌", "➖", "❔"} {
		if strings.Contains(said, unwanted) {
			t.Errorf("%s in:\n%s", unwanted, said)
		}
	}
}

// TestVerifyAStoppedGame: its seed is published too (R20), and it is right as far as it went.
func TestVerifyAStoppedGame(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	for range 7 {
		w.move()
	}
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	if w.table().Stage() != table.Closed {
		t.Fatalf("stage %s", w.table().Stage())
	}
	said := text(w.reply(w.label(w.users[1], w.board(), "Verify")))
	if !strings.Contains(said, "All is right") || !strings.Contains(said, "all 7 are legal") {
		t.Errorf("a stopped game:\n%s", said)
	}
	last := w.reply(w.label(w.users[1], w.reply(w.label(w.users[1], w.board(), "Replay")), "Last"))
	if !strings.Contains(text(last), "here the game stopped") {
		t.Errorf("its last page:\n%s", text(last))
	}
}

// TestVerifyIsOpenToEverybody: the lobby shows the fingerprint in full, and from the deal on it stands under
// Verify, with the salt and each person's own part of it (R20); the board has no such number.
func TestVerifyIsOpenToEverybody(t *testing.T) {
	w := newWorld(t)
	w.openLobby(3, 1)
	commitment := w.table().Public().Commitment
	if !strings.Contains(text(w.board()), commitment) {
		t.Fatalf("the lobby lacks the fingerprint:\n%s", text(w.board()))
	}
	w.label(w.users[1], w.board(), "Queue for a seat") // Ben sits there: it adds nothing to the salt
	w.label(w.users[0], w.board(), "Start")
	check := func(stage string) {
		t.Helper()
		w.settle()
		if long := hexNumber.FindString(text(w.board())); long != "" {
			t.Errorf("%s: the board shows %s", stage, long)
		}
		public := w.table().Public()
		parts := strings.Split(public.Salt, ",")
		for n, user := range []string{w.users[0], w.users[1], w.users[2], w.users[4]} {
			said := w.reply(w.label(user, w.board(), "Verify"))
			if !said.View.Ephemeral {
				t.Fatalf("%s: a public answer", stage)
			}
			for _, want := range []string{commitment, public.Salt, "What this proves", "What it can't prove"} {
				if !strings.Contains(text(said), want) {
					t.Errorf("%s: %q is not said to %d:\n%s", stage, want, n, text(said))
				}
			}
			if own := "**Your part** is `" + parts[n] + "`"; strings.Contains(text(said), own) != (n < 3) {
				t.Errorf("%s: %q said to %d: %v", stage, own, n, n >= 3)
			}
			if strings.Contains(text(said), "`"+parts[4]+"`, of the press that started") != (n == 0) {
				t.Errorf("%s: who started the game, to %d:\n%s", stage, n, text(said))
			}
		}
	}
	check("dealt")
	for range 6 {
		w.move()
	}
	check("played")
	w.forge(w.users[0], w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
	check("stopped")
}

var hexNumber = regexp.MustCompile(`[0-9a-f]{64}`)

// TestVerifyFindsTamperedGames changes what the store keeps of a game: the move is named, with its rule, and no replay is made of it.
func TestVerifyFindsTamperedGames(t *testing.T) {
	wholeGame(t)
	w := playedWorld(t, 3, 0)
	id := w.table().ID()
	lines := historyOf(t, w)
	number := 0
	for i := range lines {
		if lines[i].Move == "" {
			continue
		}
		if number++; number == 8 {
			m, err := paladin.ParseMove(lines[i].Move)
			if err != nil {
				t.Fatal(err)
			}
			lines[i].Move = fmt.Sprintf("%d place 9 9", m.Seat.Number())
			break
		}
	}
	w.rewrite(id, lines)
	said := text(w.reply(w.command(w.users[1], "verify")))
	for _, want := range []string{"Something is wrong", "❌ **Moves:** move 8, `", " place 9 9`, is not legal: it breaks R9", "➖ **Result"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if said := text(w.reply(w.command(w.users[1], "replay"))); !strings.Contains(said, "cannot be replayed") {
		t.Errorf("a replay of it:\n%s", said)
	}
	if m := w.reply(w.command(w.users[1], "record")); len(m.Attachments) != 1 {
		t.Errorf("the record, which others check, is kept back:\n%s", text(m))
	}
}

// rewrite moves a table to another one with this history, as somebody would who has the file of the database.
func (w *world) rewrite(id string, lines []table.Line) {
	w.t.Helper()
	row, err := w.store.Table(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	fresh := strings.Repeat("z", len(id))
	c := store.Change{
		Table: fresh, Snapshot: undigested([]byte(strings.Replace(string(row.Snapshot), `"`+id+`"`, `"`+fresh+`"`, 1))),
		Channel: w.channel, Guild: w.guild, At: w.clock.Now(),
	}
	for _, line := range lines {
		entry, err := json.Marshal(line)
		if err != nil {
			w.t.Fatal(err)
		}
		c.Entries = append(c.Entries, entry)
	}
	if _, err := w.store.Commit(w.ctx(), c); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Put(w.ctx(), "last/"+w.channel, []byte(fresh)); err != nil {
		w.t.Fatal(err)
	}
}

// TestReplayShowsTheTable: each page has one picture, of the table as it was on that page, where pictures are wanted.
func TestReplayShowsTheTable(t *testing.T) {
	w := newWorld(t)
	ann, ben := w.users[0], w.users[1]
	stopped := func() sandbox.Message {
		t.Helper()
		for range 5 {
			w.move()
		}
		w.forge(ann, w.channel, w.board().ID, press.New(press.Stop, w.table().ID(), "force").String())
		return w.board()
	}
	picture := func(m sandbox.Message, page string) string {
		t.Helper()
		if len(m.Attachments) != 1 || !strings.HasPrefix(m.Attachments[0].Filename, "replay-") || replayKey(t, m) != page {
			t.Fatalf("%s with %+v", replayKey(t, m), m.Attachments)
		}
		return m.Attachments[0].Filename
	}
	plain := func(what string, m sandbox.Message) {
		t.Helper()
		if len(m.Attachments) > 0 || strings.Contains(flat(m.Components), ".png") || replayKey(t, m) == "" {
			t.Errorf("%s: %+v\n%s", what, m.Attachments, flat(m.Components))
		}
	}
	w.openGame(3, 0)
	board := stopped()
	first := w.reply(w.label(ben, board, "Replay"))
	was := picture(first, "Page 1 of 3")
	second := w.reply(w.label(ben, first, "Forward"))
	all := picture(second, "Page 2 of 3")
	second = w.chooseView(ben, second, "-", "1")
	own := picture(second, "Page 2 of 3")
	if was == all || own == all {
		t.Errorf("one picture for two pages or viewpoints: %s, %s, %s", was, all, own)
	}
	shown := w.reply(w.label(ben, second, "Show everybody"))
	if picture(shown, "Page 2 of 3") != own {
		t.Error("what everybody sees is another page")
	}
	if picture(w.reply(w.label(ben, shown, "Back")), "Page 1 of 3") != was {
		t.Error("its page does not turn")
	}
	w.pressID(ben, w.reply(w.command(ben, "notices")), press.New(press.Habits, "", render.HabitLook, string(render.LookText)))
	plain("whoever wants words", w.reply(w.label(ben, second, "Back")))
	picture(w.reply(w.label(ann, board, "Replay")), "Page 1 of 3")

	w.command(ann, "new", sandbox.Option{Name: "seats", Value: 3}, sandbox.Option{Name: render.OptPictures, Value: false})
	w.label(ben, w.board(), "Join")
	w.label(ann, w.board(), "Add a squire")
	w.label(ann, w.board(), "Start")
	private := w.reply(w.label(ann, stopped(), "Replay"))
	plain("a table in words alone", private)
	plain("shown to everybody", w.reply(w.label(ann, private, "Show everybody")))
}
