package bot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
)

// links are the addresses behind a message's link buttons, by label.
func links(m sandbox.Message) map[string]string {
	out := map[string]string{}
	var walk func([]sandbox.Component)
	walk = func(list []sandbox.Component) {
		for _, c := range list {
			if c.URL != "" {
				out[c.Label] = c.URL
			}
			walk(c.Components)
		}
	}
	walk(m.Components)
	return out
}

func (w *world) boardURL() string {
	w.t.Helper()
	return render.MessageLink(w.guild, w.channel, w.board().ID)
}

// TestGamesList: the own moves first and the oldest of them on top, then the others with whose move it is, then lobbies; each with its
// link.
func TestGamesList(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	if said := text(w.reply(w.command(user, "games"))); !strings.Contains(said, english.Say(render.TextNoGames)) {
		t.Errorf("without a game:\n%s", said)
	}
	lobby := w.newChannel("lobby")
	lobby.openLobby(1, 1)
	w.pass(time.Minute)
	first, second := w.newChannel("first"), w.newChannel("second")
	second.openGame(1, 2)
	w.pass(time.Minute)
	first.openGame(1, 2)
	w.pass(time.Minute)
	shared := w.newChannel("shared")
	shared.openGame(3, 0)
	waits := shared.table().Public()
	said := text(w.reply(w.command(user, "games")))
	order := []*world{second, first, shared, lobby}
	if waits.Seats[waits.Awaited].Person.ID != table.UserID(user) {
		if !strings.Contains(said, "Others are to move") {
			t.Errorf("the game in which others move has no part of its own:\n%s", said)
		}
	}
	last := -1
	for _, game := range order {
		at := strings.Index(said, "<#"+game.channel+">")
		if at <= last || !strings.Contains(said, game.boardURL()) {
			t.Fatalf("a game is missing, has no link or stands in the wrong place:\n%s", said)
		}
		last = at
	}
	for _, want := range []string{"name the start player, asked <t:", "2 of 3 seats taken"} {
		if !strings.Contains(said, want) {
			t.Errorf("the list lacks %q:\n%s", want, said)
		}
	}
}

// TestThirtyGames are listed on pages that a phone takes.
func TestThirtyGames(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	var games []*world
	for n := range 30 {
		game := w.newChannel(fmt.Sprintf("game-%d", n))
		game.openGame(1, 2) // nobody may have so many lobbies
		games = append(games, game)
	}
	m := w.reply(w.command(user, "games"))
	found := map[string]bool{}
	for page := 1; page <= 3; page++ {
		for _, game := range games {
			if strings.Contains(text(m), "<#"+game.channel+">") {
				found[game.channel] = true
			}
		}
		if want := fmt.Sprintf("page %d of 3", page); !strings.Contains(text(m), want) {
			t.Fatalf("not %s:\n%s", want, text(m))
		}
		if page < 3 {
			m = w.reply(w.label(user, m, "Forward"))
		}
	}
	if len(found) != 30 {
		t.Errorf("%d of 30 games are listed", len(found))
	}
}

// TestNextGame: after a move the answer leads to the game that has waited longest, and nowhere when none waits.
func TestNextGame(t *testing.T) {
	wholeGame(t)
	w := newWorld(t)
	user := w.users[0]
	var games []*world
	for n := range 3 {
		game := w.newChannel(fmt.Sprintf("game-%d", n))
		game.openLobby(2, 1)
		game.label(user, game.board(), "Start")
		games = append(games, game)
		w.pass(time.Minute)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range 60 {
		for _, game := range games {
			tab := game.table()
			who, ok := tab.AwaitedPerson()
			if !ok {
				continue
			}
			panel := game.moveNow(rng, string(who.ID))
			want := ""
			var since time.Time
			for _, other := range games {
				p := other.table().Public()
				if other.channel != game.channel && p.Awaited != paladin.NoSeat && p.Seats[p.Awaited].Person.ID == who.ID && (want == "" || p.Since.Before(since)) {
					want, since = other.boardURL(), p.Since
				}
			}
			if again, awaited := game.table().AwaitedPerson(); awaited && again.ID == who.ID {
				want = "" // still their move here
			}
			if got := links(panel)[english.Say(render.LabelNextGame)]; got != want {
				t.Fatalf("the next game is %q, want %q:\n%s", got, want, text(panel))
			}
			if want != "" {
				checked++
			}
			w.clock.advance(time.Second)
		}
	}
	if checked < 5 {
		t.Errorf("only %d times was there a next game", checked)
	}
}

// moveNow lets a person answer the open question in My seat and returns the panel that answers it.
func (w *world) moveNow(rng *rand.Rand, user string) sandbox.Message {
	w.t.Helper()
	prompt := w.table().Prompt()
	panel := w.reply(w.label(user, w.board(), "My seat"))
	for range manyPresses {
		panel = w.random(rng, user, panel)
		if t := w.table(); t.Stage() != table.Playing || t.Prompt() != prompt {
			return panel
		}
	}
	w.t.Fatalf("no move after many presses; the panel:\n%s", text(panel))
	return sandbox.Message{}
}

const sinceHeading = "Since you last looked"

// TestSinceYouLastLooked: the first look tells nothing special, later ones what happened meanwhile, to players and to others.
func TestSinceYouLastLooked(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	watcher := w.users[4]
	seat := func(user string) string { return text(w.reply(w.label(user, w.board(), "My seat"))) }
	for _, user := range append(slices.Clone(w.users[:3]), watcher) {
		if said := seat(user); strings.Contains(said, sinceHeading) {
			t.Errorf("a first look tells:\n%s", said)
		}
	}
	if said := seat(watcher); strings.Contains(said, sinceHeading) {
		t.Errorf("nothing happened, and yet:\n%s", said)
	}
	before := len(historyOf(t, w))
	mover := w.userToMove()
	w.moveNow(rng, mover)
	var sentence string
	for _, line := range historyOf(t, w)[before:] {
		public := w.table().Public()
		for _, s := range english.LineSentences(&public, line.Public()) {
			sentence = s
		}
	}
	for _, user := range []string{w.users[0], w.users[1], w.users[2], watcher} {
		said := seat(user)
		told := strings.Contains(said, sinceHeading) && strings.Contains(said, sentence)
		if told == (user == mover) {
			t.Errorf("told %v what happened (%s), who moved: %v\n%s", told, sentence, user == mover, said)
		}
		if again := seat(user); strings.Contains(again, sinceHeading) {
			t.Errorf("told twice:\n%s", again)
		}
	}
	for range 14 {
		if user := w.userToMove(); user != "" {
			w.moveNow(rng, user)
		}
	}
	said := seat(watcher)
	if n := strings.Count(said[strings.Index(said, sinceHeading):], "\n- "); n != 8 || !strings.Contains(said, "more before that, in the log") {
		t.Errorf("%d sentences of a long time:\n%s", n, said)
	}
}

func (w *world) userToMove() string {
	who, _ := w.table().AwaitedPerson()
	return string(who.ID)
}

// TestChoosingKeepsWhatIsTold: while somebody chooses a card, nothing above it changes its place.
func TestChoosingKeepsWhatIsTold(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, user := range w.users[:3] {
		w.label(user, w.board(), "My seat")
	}
	first := w.userToMove()
	for w.userToMove() == first {
		w.moveNow(rng, first)
	}
	user := w.userToMove()
	panel := w.reply(w.label(user, w.board(), "My seat"))
	if !strings.Contains(text(panel), sinceHeading) {
		t.Fatalf("nothing is told:\n%s", text(panel))
	}
	for _, c := range controls(panel) {
		if id, err := press.Parse(c.CustomID); err == nil && (id.Kind == press.Pick || id.Kind == press.PickFirst) {
			if m := w.reply(w.press(user, panel, c.CustomID)); !strings.Contains(text(m), sinceHeading) {
				t.Errorf("choosing takes away what was told:\n%s", text(m))
			}
			return
		}
	}
	t.Fatal("nothing to choose")
}

// TestLooksAreForgotten when everybody has seen the end, and never grow beyond a bound.
func TestLooksAreForgotten(t *testing.T) {
	w := newWorld(t)
	w.openGame(1, 2)
	id := w.table().ID()
	for n := range 70 {
		u, err := w.discord.AddUser(fmt.Sprintf("Guest%d", n), w.guild)
		if err != nil {
			t.Fatal(err)
		}
		w.label(u.ID, w.board(), "My seat")
	}
	data, ok, err := w.store.Get(w.ctx(), "looked/"+id)
	var stored struct{ Viewers map[string]any }
	if err != nil || !ok || json.Unmarshal(data, &stored) != nil || len(stored.Viewers) != 64 {
		t.Fatalf("%d looks of 70 people are kept, want 64 (%v)", len(stored.Viewers), err)
	}
	if err := w.store.Put(w.ctx(), "looked/"+id, nil); err != nil {
		t.Fatal(err)
	}
	user := w.users[0]
	w.label(user, w.board(), "My seat")
	panel := w.reply(w.command(user, "leave"))
	w.pressKind(user, panel, press.Quit)
	w.command(user, "seat")
	if _, ok, err := w.store.Get(w.ctx(), "looked/"+id); ok || err != nil {
		t.Errorf("a look at an ended table is kept (%v)", err)
	}
}

// TestGamesNeverMix: one person plays three games in turn from three direct messages; each names its own game and moves in it alone.
func TestGamesNeverMix(t *testing.T) {
	w := newWorld(t)
	user := w.users[0]
	var games []*world
	thread, err := w.discord.AddThread(w.channel, "a thread")
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range []*world{w, w.newChannel("second"), w.at(thread.ID)} {
		game.openGame(1, 2)
		games = append(games, game)
	}
	panels := w.dms(user)
	if len(panels) != len(games) {
		t.Fatalf("%d direct messages for %d games", len(panels), len(games))
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		n := rng.IntN(len(games))
		if games[n].table().Stage() != table.Playing {
			continue
		}
		var before []uint64
		for _, game := range games {
			before = append(before, game.table().Prompt())
		}
		panels[n] = games[n].random(rng, user, panels[n])
		said := text(panels[n])
		for k, game := range games {
			if named := strings.Contains(said, "<#"+game.channel+">"); named != (k == n) {
				t.Fatalf("the panel of game %d names game %d: %v\n%s", n, k, named, said)
			}
			if k != n && game.table().Prompt() != before[k] {
				t.Fatalf("a press in game %d moved game %d", n, k)
			}
		}
		if got := links(panels[n])[english.Say(render.LabelBoard)]; got != games[n].boardURL() {
			t.Fatalf("the panel of game %d links to %s", n, got)
		}
	}
}

// TestGamesListsASeatThatAStandInHolds: its owner finds the way back in their list, and the stand-in has the game in theirs.
func TestGamesListsASeatThatAStandInHolds(t *testing.T) {
	w := newWorld(t)
	owner, _ := w.late()
	eve := w.users[4]
	w.label(eve, w.board(), "Stand in for")
	w.acceptAll()
	if said := text(w.reply(w.command(owner, "games"))); !strings.Contains(said, "a stand-in plays your seat") || !strings.Contains(said, w.boardURL()) {
		t.Errorf("the owner's list:\n%s", said)
	}
	if said := text(w.reply(w.command(eve, "games"))); !strings.Contains(said, "<#"+w.channel+">") || strings.Contains(said, "a stand-in plays") {
		t.Errorf("the stand-in's list:\n%s", said)
	}
}

// TestGamesListsAQueue: whoever waits for a seat finds the lobby in their list, with their place.
func TestGamesListsAQueue(t *testing.T) {
	w := newWorld(t)
	w.openLobby(3, 0)
	dan, eve := w.users[3], w.users[4]
	w.label(dan, w.board(), "Queue for a seat")
	w.label(eve, w.board(), "Queue for a seat")
	mustSay(t, "Eve's list", text(w.reply(w.command(eve, "games"))), "Not begun", "<#"+w.channel+">", "you are 2nd in the queue", w.boardURL())
	w.label(w.users[1], w.board(), "Leave")
	mustSay(t, "Eve's list", text(w.reply(w.command(eve, "games"))), "you are 1st in the queue")
	mustNotSay(t, "Dan's list", text(w.reply(w.command(dan, "games"))), "queue")
	w.label(w.users[0], w.board(), "Start")
	mustSay(t, "Eve's list after the start", text(w.reply(w.command(eve, "games"))), english.Say(render.TextNoGames))
}
