package bot_test

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"paladin/bot/picture"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store/storetest"
)

// locale makes somebody's client speak a language.
func (w *world) locale(user, locale string) {
	w.t.Helper()
	if err := w.discord.SetLocale(user, locale); err != nil {
		w.t.Fatal(err)
	}
}

// TestEverybodyReadsTheirLanguage: what everybody reads is in the server's language, what one person reads in theirs, also in messages
// that come when they press nothing.
func TestEverybodyReadsTheirLanguage(t *testing.T) {
	w := newWorld(t)
	if err := w.discord.SetGuildLocale(w.guild, "fr"); err != nil {
		t.Fatal(err)
	}
	ann, ben, cleo := w.users[0], w.users[1], w.users[2]
	w.locale(ann, "de")
	w.locale(ben, "it")
	w.locale(cleo, "pt-BR") // none that the bot speaks
	french, german, italian := render.NewPrinter("fr"), render.NewPrinter("de"), render.NewPrinter("it")
	w.command(ann, "new", sandbox.Option{Name: "seats", Value: table.MinSeats})
	for _, user := range []string{ben, cleo} {
		w.pressKind(user, w.board(), press.Join)
	}
	w.pressKind(ann, w.board(), press.Start)
	w.flush()
	public := w.table().PublicAt(defaultHabits)
	shown := w.board().Components
	if got, want := flat(shown), flatMessage(t, boardIn(t, french, &public, render.Links{}, shown)); got != want {
		t.Errorf("the board is not in the server's language:\n%s\nbut\n%s", got, want)
	}
	for user, pr := range map[string]*render.Printer{ann: german, ben: italian, cleo: english} {
		label := pr.Say(render.LabelBoard)
		dm, ok := w.dm(user)
		if !ok {
			t.Fatalf("%s got no cards", user)
		}
		mustSay(t, "the DM of "+user, text(dm), label)
		mustSay(t, "the seat of "+user, text(w.reply(w.pressKind(user, w.board(), press.Seat))), label)
	}
}

func TestOwnLanguageAndLook(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	user := w.users[0]
	panel := w.reply(w.command(user, "notices"))
	panel = w.choose(user, panel, render.HabitLanguage, "es")
	spanish := render.NewPrinter("es")
	mustSay(t, "the answer", text(panel), spanish.Say(render.TextHabitsKept))
	seat := w.reply(w.pressKind(user, w.board(), press.Seat))
	mustSay(t, "the seat", text(seat), spanish.Say(render.LabelBoard))
	if strings.Contains(flat(seat.Components), ".png") {
		t.Error("a picture of the hand that nobody asked for")
	}
	panel = w.pressID(user, panel, press.New(press.Habits, "", render.HabitLook, string(render.LookHand)))
	seat = w.reply(w.pressKind(user, w.board(), press.Seat))
	if flat := flat(seat.Components); !strings.Contains(flat, "hand-") {
		t.Errorf("no picture of the hand:\n%s", flat)
	}
	w.choose(user, panel, render.HabitLanguage, render.NoLanguage)
	mustSay(t, "the seat", text(w.reply(w.pressKind(user, w.board(), press.Seat))), english.Say(render.LabelBoard))
}

// TestCommandsAreCalledWhatTheClientCallsThem: who chose a language that their client does not speak is told commands that it takes.
func TestCommandsAreCalledWhatTheClientCallsThem(t *testing.T) {
	for _, tc := range []struct{ client, language, named, not string }{
		{"fr", "de", "`/paladin nouvelle` eröffnet", "/paladin neu`"},
		{"nl", "de", "`/paladin new` eröffnet", "/paladin neu`"}, // none that the bot speaks: Discord shows the English names
		{"de", "en-US", "`/paladin neu` in a channel opens", "/paladin new`"},
		{"es-419", "es-ES", "`/paladin nueva` en un canal abre", "/paladin new`"},
	} {
		t.Run(tc.client+" reads "+tc.language, func(t *testing.T) {
			w := newWorld(t)
			user := w.users[0]
			w.locale(user, tc.client)
			w.choose(user, w.reply(w.command(user, "notices")), render.HabitLanguage, render.LanguageOf(tc.language))
			help := text(w.reply(w.command(user, "help")))
			mustSay(t, "the help", help, tc.named)
			if strings.Contains(help, tc.not) {
				t.Errorf("the help names %s, which this client does not know:\n%s", tc.not, help)
			}
		})
	}
}

func TestTableInWordsAloneAndInAnotherLanguage(t *testing.T) {
	w := newWorld(t)
	w.openLobby(3, 0)
	host := w.users[0]
	manage := w.reply(w.pressKind(host, w.board(), press.Manage))
	manage = w.reply(w.result(w.discord.Select(w.ctx(), host, manage.ChannelID, manage.ID, selectID(t, manage, press.New(press.Language, w.table().ID())), "de")))
	w.pressID(host, manage, press.New(press.Pictures, w.table().ID(), "off"))
	refused := w.forge(w.users[1], w.channel, w.board().ID, press.New(press.Pictures, w.table().ID(), "on").String())
	mustSay(t, "somebody else", text(w.reply(refused)), "host")
	w.pressKind(host, w.board(), press.Start)
	w.flush()
	board := flat(w.board().Components)
	if o := w.table().Options(); o.Language != "de" || !o.TextOnly || strings.Contains(board, ".png") {
		t.Errorf("%+v\n%s", o, board)
	}
	mustSay(t, "the board", board, render.NewPrinter("de").Say(render.Text("words.label_my_seat")))
}

// pictureOf is the name of the table's picture on a board; empty where there is none.
func pictureOf(m sandbox.Message) string {
	return regexp.MustCompile(`table-[0-9a-f]+\.png`).FindString(flat(m.Components))
}

// TestPictureShowsAPause: the table's picture changes with a pause and back, though nobody moves.
func TestPictureShowsAPause(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.flush()
	moderator := w.users[0]
	before := pictureOf(w.board())
	mustSay(t, "the pause", text(w.reply(w.command(moderator, "pause"))), "paused")
	w.settle()
	if paused := pictureOf(w.board()); before == "" || paused == "" || paused == before {
		t.Errorf("%q before the pause, %q in it", before, paused)
	}
	w.command(moderator, "resume")
	w.settle()
	if after := pictureOf(w.board()); after != before {
		t.Errorf("%q before the pause, %q after it", before, after)
	}
}

// TestPicturesAreNotUploadedTwice: a move makes one upload; what else changes the board makes none.
func TestPicturesAreNotUploadedTwice(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.flush()
	if board := flat(w.board().Components); !strings.Contains(board, "table-") {
		t.Fatalf("no picture:\n%s", board)
	}
	sent := func() (n int) {
		for _, r := range w.discord.Requests() {
			n += len(r.Files)
		}
		return n
	}
	before := sent()
	mustSay(t, "a vote", text(w.reply(w.command(w.users[1], "pause"))), "1 of 2 votes")
	w.settle()
	mustSay(t, "the board", text(w.board()), "1 of 2 votes")
	if n := sent() - before; n != 0 {
		t.Errorf("%d pictures were uploaded though the table looks the same", n)
	}
}

// TestBoardInWordsWherePicturesAreRefused: the game goes on without.
func TestBoardInWordsWherePicturesAreRefused(t *testing.T) {
	for _, code := range []int{40005, 50013} {
		w := newWorld(t)
		w.openLobby(3, 0)
		w.refuseFiles(code)
		w.pressKind(w.users[0], w.board(), press.Start)
		w.settle()
		rng := rand.New(rand.NewPCG(1, 2))
		for range 4 {
			w.playOn(rng)
		}
		w.settle()
		board := flat(w.board().Components)
		if strings.Contains(board, ".png") || !strings.Contains(board, mentionOf(w.awaited())) {
			t.Errorf("code %d:\n%s", code, board)
		}
		w.discord.Fault(nil)
		w.clock.advance(2 * time.Hour)
		w.playOn(rng)
		w.settle()
		if board := flat(w.board().Components); !strings.Contains(board, ".png") {
			t.Errorf("code %d: pictures do not come back:\n%s", code, board)
		}
	}
}

// TestEmojisStandBesideTheWords: once they are there, hands and buttons show them; one that Discord does not know any more is left out
// of the same answer.
func TestEmojisStandBesideTheWords(t *testing.T) {
	w := newWorld(t, withEmojis())
	waitUntil(t, w, func() bool {
		w.clock.advance(time.Second)
		return len(w.discord.Emojis()) == len(picture.Emojis())
	})
	w.openGame(3, 0)
	w.playOn(rand.New(rand.NewPCG(1, 2))) // somebody starts
	w.flush()
	user := w.awaited()
	seat := w.reply(w.pressKind(user, w.board(), press.Seat))
	if badges(seat.Components) == 0 {
		t.Fatalf("no emoji on any button:\n%s", flat(seat.Components))
	}
	mustSay(t, "the seat", text(seat), "<:")
	mustSay(t, "the board", text(w.board()), "<:")
	if parted := regexp.MustCompile(`<:\w+:\d+> `).FindString(text(seat)); parted != "" {
		t.Errorf("a line may end between %q and what it shows:\n%s", parted, text(seat))
	}
	for _, e := range w.discord.Emojis() {
		w.rest(http.MethodDelete, "/applications/"+w.discord.ApplicationID()+"/emojis/"+e.ID, nil)
	}
	seat = w.reply(w.pressKind(user, w.board(), press.Seat))
	if n := badges(seat.Components); n > 0 || strings.Contains(text(seat), "<:") || strings.Contains(text(seat), "\u00a0") {
		t.Errorf("%d emojis that are gone:\n%s", n, text(seat))
	}
}

// refuseFiles lets Discord take no files, with this code, until it is told otherwise.
func (w *world) refuseFiles(code int) {
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if len(r.Files) > 0 {
			return sandbox.ErrorFault(http.StatusForbidden, code, "no files here")
		}
		return nil
	})
}

// TestLateHandWherePicturesAreRefused: who waited for their hand has it in words; and the next answer is not tried with a picture again.
func TestLateHandWherePicturesAreRefused(t *testing.T) {
	slow := &slowStore{Store: storetest.NewMemory()}
	w := newWorld(t, withStore(slow))
	w.openGame(3, 0)
	user := w.users[1]
	w.pressID(user, w.reply(w.command(user, "notices")), press.New(press.Habits, "", render.HabitLook, string(render.LookHand)))
	w.flush()
	w.refuseFiles(50013)
	board, id := w.board(), press.New(press.Seat, w.table().ID()).String()
	open := slow.close()
	i := w.begin(user, w.channel, board.ID, id)
	w.clock.timed(1500 * time.Millisecond)
	w.clock.advance(1500 * time.Millisecond)
	open()
	said := w.reply(w.result(i, nil))
	if !said.View.Ephemeral || strings.Contains(flat(said.Components), ".png") {
		t.Errorf("private: %v\n%s", said.View.Ephemeral, flat(said.Components))
	}
	mustSay(t, "the late seat", text(said), "Your hand")
	asked := len(w.discord.Requests())
	mustSay(t, "the next seat", text(w.reply(w.pressKind(user, w.board(), press.Seat))), "Your hand")
	for _, r := range w.discord.Requests()[asked:] {
		if len(r.Files) > 0 {
			t.Errorf("tried with a picture again: %s %s", r.Method, r.Route)
		}
	}
}

// TestPicturesAreNotToBlame: where a message goes out without its pictures no more than with them, pictures stay.
func TestPicturesAreNotToBlame(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.clock.advance(20 * time.Minute) // no press's token edits the board any more
	w.flush()
	refused := 0
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if strings.Contains(r.Path, "/channels/"+w.channel+"/messages") {
			refused += len(r.Files)
			return sandbox.ErrorFault(http.StatusForbidden, 50013, "Missing Permissions")
		}
		return nil
	})
	rng := rand.New(rand.NewPCG(1, 2))
	w.playOn(rng)
	w.settle()
	w.discord.Fault(nil)
	if refused == 0 {
		t.Fatal("no picture was refused")
	}
	w.clock.advance(10 * time.Minute)
	w.playOn(rng)
	w.settle()
	if board := w.board(); pictureOf(board) == "" || !strings.Contains(text(board), mentionOf(w.awaited())) {
		t.Errorf("no picture, or no board:\n%s", flat(board.Components))
	}
}

// TestAnEditThatMayHaveBeenMade: an edit changed the picture, and Discord's answer said nothing of it. When the board is as it was before,
// it does not ask for a picture that the message has no more.
func TestAnEditThatMayHaveBeenMade(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.clock.advance(20 * time.Minute) // no press's token edits the board any more
	w.flush()
	ben, first := w.users[1], pictureOf(w.board())
	spoiled := 0
	w.discord.Fault(func(r sandbox.Request) *sandbox.Fault {
		if r.Method != http.MethodPatch {
			return nil
		}
		spoiled++
		return &sandbox.Fault{After: true, Status: http.StatusTeapot}
	})
	w.label(ben, w.reply(w.command(ben, "leave")), "Leave the game")
	w.flush()
	w.discord.Fault(nil)
	if other := pictureOf(w.board()); spoiled == 0 || other == first {
		t.Fatalf("%d edits were made and not told of; the picture is another: %v", spoiled, other != first)
	}
	asked := len(w.discord.Requests())
	w.label(ben, w.reply(w.pressKind(ben, w.board(), press.Seat)), "I am back")
	w.pass(time.Minute)
	for _, r := range w.discord.Requests()[asked:] {
		if r.Status == http.StatusBadRequest {
			t.Errorf("refused: %s %s: %s", r.Method, r.Path, r.Response)
		}
	}
	if got := pictureOf(w.board()); got != first {
		t.Errorf("the board shows %q, not %q", got, first)
	}
}

func badges(parts []sandbox.Component) (n int) {
	for _, c := range parts {
		if c.Emoji != nil && c.Emoji.ID != "" {
			n++
		}
		n += badges(c.Components)
	}
	return n
}

func withEmojis() worldOption { return func(c *worldConfig) { c.emojis = true } }

// TestNewTakesLanguageAndPictures: they can be chosen as the table is opened, too.
func TestNewTakesLanguageAndPictures(t *testing.T) {
	w := newWorld(t)
	w.command(w.users[0], "new", sandbox.Option{Name: render.OptLanguage, Value: "it"}, sandbox.Option{Name: render.OptPictures, Value: false})
	if o := w.table().Options(); o.Language != "it" || !o.TextOnly {
		t.Errorf("%+v", o)
	}
}
