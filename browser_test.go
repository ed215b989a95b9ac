//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// These tests are what a newcomer does: start the program, open the page, play.
// They know the program's command line and what stands on the page, nothing else.

var updatePictures = flag.Bool("update-pictures", false, "take the pictures of docs anew, in a browser (emojis need a font: fonts-noto-color-emoji)")

// browser starts a chromium of its own. Without one the test is skipped, or
// fails where PALADIN_REQUIRE_BROWSER=1 demands one.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	switch {
	case path != "":
	case os.Getenv("PALADIN_REQUIRE_BROWSER") == "1":
		t.Fatal("no chromium here, and PALADIN_REQUIRE_BROWSER=1 demands one")
	default:
		t.Skip("no chromium here: no game is played in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancelBrowser := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancelBrowser()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return ctx
}

// A program is the sandbox as a process that can be ended and started again on
// the same files and at the same address.
type program struct {
	t   *testing.T
	dir string
	run *running
	url string
}

func startProgram(t *testing.T) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir()}
	p.start("127.0.0.1:0")
	return p
}

func (p *program) start(addr string) {
	p.t.Helper()
	p.run = start(p.t, p.dir, nil, "sandbox", "--addr", addr, "--database", "game.db")
	p.url = p.run.line()
	p.run.awaits("msg=ready")
}

func (p *program) startAgain() {
	p.t.Helper()
	p.start("127.0.0.1:" + pageURL.FindStringSubmatch(p.url)[1])
}

// stop ends it as a service manager does.
func (p *program) stop() {
	p.t.Helper()
	p.run.signal(syscall.SIGTERM)
	p.run.ends(0)
}

// kill ends it as a power cut does.
func (p *program) kill() {
	p.t.Helper()
	p.run.signal(syscall.SIGKILL)
	p.run.ends(-1)
}

// A window is one window of the browser. It waits for what stands on the page,
// never for time to pass.
type window struct {
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, browser context.Context, address string) *window {
	t.Helper()
	return openSized(t, browser, address, 1200, 900)
}

func openSized(t *testing.T, browser context.Context, address string, width, height int64, options ...chromedp.EmulateViewportOption) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	limited, stop := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	w := &window{t, limited}
	w.do(chromedp.EmulateViewport(width, height, options...), chromedp.Navigate(address))
	w.wait(`document.body.dataset.live === "yes"`)
	w.shows("#heading .bot", "bot online")
	return w
}

func (w *window) do(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, actions...); err != nil {
		w.t.Fatal(err)
	}
}

// eval is the value of an expression, promises included.
func eval[T any](w *window, expression string) T {
	w.t.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait waits until the expression is true. What the page shows instead is part
// of the failure.
func (w *window) wait(expression string) {
	w.t.Helper()
	_, err := chromedp.Run(w.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(30*time.Second)))
	if err != nil {
		page, _ := chromedp.Run(w.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		w.t.Fatalf("never came true: %s (%v) on the page\n%s", expression, err, page)
	}
}

// visible is the last visible element that the selector names and that holds text.
func visible(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility() && e.innerText.includes(%q)).at(-1)`, selector, text)
}

func (w *window) shows(selector, text string) {
	w.t.Helper()
	w.wait(visible(selector, text))
}

func (w *window) click(selector string) {
	w.t.Helper()
	w.do(chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// keys types into whatever has the focus. Enter is one event, as a keyboard
// sends it.
func (w *window) keys(text string) {
	w.t.Helper()
	w.do(chromedp.KeyEvent(text, func(k *input.DispatchKeyEventParams) {
		switch {
		case k.Key != "Enter":
		case k.Type == kb.KeyChar:
			k.Modifiers = int64(chromedp.ModifierCtrl) // not sent
		case k.Type != kb.KeyUp:
			k.Type, k.Text = kb.KeyDown, "\r"
		}
	}))
}

// press presses the button with the label in the newest message that has it, as
// soon as it can be pressed, and waits until something has come of it: the
// message has changed or another has come.
func (w *window) press(label string) {
	w.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll("#log button[data-press]:not([disabled])")].filter(e => e.innerText.trim() === %q).at(-1)`, label)
	w.wait(idle(button))
	before := w.log()
	eval[bool](w, `(() => { const e = `+button+`; e.scrollIntoView({block: "center"}); e.click(); return true; })()`)
	w.wait(logOf + ` !== ` + quote(before) + ` || document.querySelector("#log .note")`)
	w.noNote()
}

// idle is whether the element is there and no press of it is under way: the page passes over what is pressed twice at once, and shows what
// came of a press before the press itself has ended.
func idle(element string) string { return `((e) => e && e.ariaBusy !== "true")(` + element + `)` }

// logOf changes with every change of a message.
const logOf = `[...document.querySelectorAll("#log > li")].map(e => e.id + e.dataset.hash).join()`

func (w *window) log() string { return eval[string](w, logOf) }

// noNote fails if the page says beside a message that a press went wrong.
func (w *window) noNote() {
	w.t.Helper()
	if note := eval[string](w, `document.querySelector("#log .note")?.innerText ?? ""`); note != "" {
		w.t.Fatalf("the page says: %s", note)
	}
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// board is what the newest board says, without what changes by itself.
func (w *window) board() string {
	w.t.Helper()
	return eval[string](w, `(() => {
		const board = [...document.querySelectorAll("#log > li")].filter(e => !e.querySelector(".only-you") && e.querySelector(".container")).at(-1).cloneNode(true);
		for (const time of board.querySelectorAll("time")) time.remove();
		return board.querySelector(".content").textContent;
	})()`)
}

// A panel is the newest private message with a seat: what it says and what it
// offers.
type panel struct {
	ID, Text string   // but for the news
	News     []string // sentences on what happened lately, or since the last look
	Doors    []offer  // what leads elsewhere: the row with Refresh
	Buttons  []offer  // what serves the move: the rows below it
	Options  []string // of the select of cards to peek at, but for the chosen one
}

// An offer is a button that can be pressed.
type offer struct {
	ID, Label       string
	Chosen, Confirm bool
}

const findPanel = `[...document.querySelectorAll("#log > li")].filter(e => e.querySelector(".only-you") && /Round \d|game is over/.test(e.innerText)).at(-1)`

// readPanel is a function of the page that reads the panel, without what changes
// by itself.
const readPanel = `() => {
	const li = ` + findPanel + `;
	if (!li) return {};
	const isNews = e => /^(Since you last looked|Lately)/.test(e.textContent.trim());
	const copy = li.querySelector(".content").cloneNode(true);
	for (const e of copy.querySelectorAll("time, .md")) if (e.matches("time") || isNews(e)) e.remove();
	const offers = rows => rows.flatMap(row => [...row.querySelectorAll("button[data-press]:not([disabled])")]).map(e => ({
		ID: e.dataset.press, Label: e.innerText.trim(), Chosen: e.innerText.includes("✓"), Confirm: e.classList.contains("success"),
	}));
	const rows = [...li.querySelectorAll(".content > .row")];
	const doors = rows.findIndex(row => offers([row]).some(o => o.Label === "Refresh"));
	return {
		ID: li.id, Text: copy.textContent.replace(/\s*\n\s*/g, "\n").replace(/ +/g, " ").trim(), // emojis may come after the words
		News: [...li.querySelectorAll(".content > .md")].filter(isNews).flatMap(e => e.innerText.split("\n").map(s => s.trim()).filter(Boolean).slice(1)),
		Doors: doors < 0 ? [] : offers([rows[doors]]),
		Buttons: offers(rows.slice(doors + 1)),
		Options: [...li.querySelectorAll("select[data-select] option:not([disabled])")].filter(o => !o.defaultSelected).map(o => o.value).filter(Boolean),
	};
}`

// checkSame compares a seat before and after a restart. Which look tells what is
// news depends on the looks between, but both tell the newest last. The bot looks
// for its emojis in the background: the first panels may be without the symbols,
// and so without what binds them to the words.
func checkSame(t *testing.T, name string, before, after panel) {
	t.Helper()
	for _, p := range []*panel{&before, &after} {
		p.Text = strings.ReplaceAll(p.Text, "\u00a0", "")
		p.News = slices.Clone(p.News)
		for i, news := range p.News {
			p.News[i] = strings.ReplaceAll(news, "\u00a0", "")
		}
	}
	if diff := cmp.Diff(before.Text, after.Text); diff != "" {
		t.Errorf("the seat of %s after the restart (-before +after):\n%s", name, diff)
	}
	n := min(len(before.News), len(after.News))
	if n == 0 {
		t.Errorf("the seat of %s tells no news: before %q, after %q", name, before.News, after.News)
	}
	if diff := cmp.Diff(before.News[len(before.News)-n:], after.News[len(after.News)-n:]); diff != "" {
		t.Errorf("the news of %s after the restart (-before +after):\n%s", name, diff)
	}
}

func (w *window) panel() panel {
	w.t.Helper()
	return eval[panel](w, `(`+readPanel+`)()`)
}

// after does something to the panel, with li as its element, and returns the
// panel as soon as the page shows another text or other offers.
func (w *window) after(p panel, statements string) panel {
	w.t.Helper()
	next := eval[panel](w, fmt.Sprintf(`new Promise((resolve, reject) => {
		const li = document.getElementById(%q), read = %s, before = JSON.stringify(read());
		const look = () => {
			const now = read();
			if (JSON.stringify(now) === before && !document.querySelector("#log .note")) return;
			watch.disconnect();
			clearTimeout(patience);
			resolve(now);
		};
		const watch = new MutationObserver(look);
		const patience = setTimeout(() => reject(new Error("nothing has come of a press")), 30000);
		watch.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
		%s;
	})`, p.ID, readPanel, statements))
	w.noNote()
	return next
}

func (p panel) mine() bool { return strings.Contains(p.Text, "Your move") }
func (p panel) over() bool { return strings.Contains(p.Text, "The game is over") }

// act does one thing that the panel offers and returns what the panel is then.
// Mostly it goes on towards a move, sometimes it changes its mind or peeks.
// moved tells that what it pressed was a move.
func (w *window) act(p panel, random *rand.Rand) (next panel, moved bool) {
	w.t.Helper()
	var confirm *offer
	var others []offer
	for i, b := range p.Buttons {
		switch {
		case b.Confirm:
			confirm = &p.Buttons[i]
		case !b.Chosen:
			others = append(others, b)
		}
	}
	switch {
	case confirm != nil && (len(others) == 0 || random.IntN(5) > 0):
		return w.choose(p, *confirm), true
	case len(p.Options) > 0 && random.IntN(4) == 0:
		value := p.Options[random.IntN(len(p.Options))]
		w.wait(idle(fmt.Sprintf(`document.querySelector("#%s select")`, p.ID)))
		return w.after(p, fmt.Sprintf(`const e = li.querySelector("select"); e.focus(); e.value = %q; e.dispatchEvent(new Event("change", {bubbles: true}))`, value)), false
	case len(others) > 0:
		return w.choose(p, others[random.IntN(len(others))]), false
	}
	w.t.Fatalf("nothing is offered:\n%s", p.Text)
	return panel{}, false
}

// order gives a standing order for the first card that waits for its turn and
// goes back to the seat, which tells of it.
func (w *window) order(p panel, door offer) panel {
	w.t.Helper()
	w.choose(p, door)
	page := fmt.Sprintf("document.getElementById(%q)", p.ID)
	w.wait(page + `.innerText.includes("What your cards do by themselves")`)
	eval[bool](w, `(() => {
		const e = `+page+`.querySelector("select");
		e.focus();
		e.value = [...e.options].find(o => o.text === "Beat, else take back").value;
		return e.dispatchEvent(new Event("change", {bubbles: true}));
	})()`)
	w.wait(page + `.innerText.includes("Order set")`)
	w.press("Back to my seat")
	w.wait(findPanel + `?.id === ` + quote(p.ID))
	back := w.panel()
	if !strings.Contains(back.Text, "Given beforehand") || !strings.Contains(back.Text, "beat if it can, else take back") {
		w.t.Errorf("the seat does not tell of the order just given:\n%s", back.Text)
	}
	return back
}

func (w *window) choose(p panel, o offer) panel {
	w.t.Helper()
	w.wait(idle(fmt.Sprintf(`document.querySelector("#%s button[data-press='%s']")`, p.ID, o.ID)))
	return w.after(p, fmt.Sprintf(`const e = li.querySelector("button[data-press='%s']"); e.scrollIntoView({block: "center"}); e.click()`, o.ID))
}

// newTable opens a table by keyboard alone, as one who has never done it: the
// page completes the command and its options.
func (w *window) newTable(seats int) {
	w.t.Helper()
	w.click("#say")
	w.keys("/pal")
	w.shows("#say-list [role=option]", "/paladin new")
	w.keys(" new")
	w.wait(`document.querySelectorAll("#say-list [role=option]").length === 1`)
	w.keys(kb.Enter)
	w.shows(".chip b", "/paladin new")
	w.wait(`document.activeElement.dataset.option === "seats"`)
	w.keys(fmt.Sprint(seats) + kb.Tab)
	w.wait(`document.activeElement.dataset.option === "squires"`)
	w.keys("norm")
	w.wait(`document.querySelectorAll(".option .list:not([hidden]) [role=option]").length === 1`)
	w.keys(kb.Enter)
	w.wait(`document.activeElement.id === "send-command"`)
	w.keys(kb.Enter)
	w.shows("#log .md", "Paladin: who plays?")
}

// seat opens one's own seat from the board: a private message of its own.
func (w *window) seat() panel {
	w.t.Helper()
	before := w.panel()
	w.press("My seat")
	w.wait(fmt.Sprintf(`%s && %s.id !== %q`, findPanel, findPanel, before.ID))
	return w.panel()
}

// toMove refreshes the seat of somebody who is waited for.
func (w *window) toMove() panel {
	w.t.Helper()
	if now := w.panel(); now.mine() {
		return now
	}
	refresh := `[...` + findPanel + `.querySelectorAll("button")].find(e => e.innerText.trim() === "Refresh")`
	w.wait(idle(refresh))
	eval[bool](w, `(`+refresh+`.click(), true)`)
	w.wait(findPanel + `.innerText.includes("Your move") || document.querySelector("#log .note")`)
	w.noNote()
	return w.panel()
}

// A whole game on the page: from the command to the winner and the record that
// replay accepts, with the program restarted in the middle.
func TestGameInBrowser(t *testing.T) {
	chromium := browser(t)
	p := startProgram(t)
	ann := open(t, chromium, p.url)
	ann.newTable(3)
	ann.press("Add a squire")
	ann.press("Add a squire")
	ann.press("Start")
	ann.shows("#log .md", "round 1 of 6")

	const seed = 2004
	random := rand.New(rand.NewPCG(seed, seed))
	now, restarted, ordered := ann.seat(), false, false
	for steps := 0; !now.over(); steps++ {
		if steps == 1000 {
			t.Fatalf("the game does not end; the panel says\n%s", now.Text)
		}
		if !restarted && strings.Contains(now.Text, "Round 3 of 6") {
			restarted = true
			now = ann.seat()
			ann.shows("#log .md", "Paladin: round 3 of 6") // the public board follows in its own time
			board := ann.board()
			p.stop()
			ann.shows("#lost", "Connection to the sandbox lost")
			p.startAgain()
			ann.wait(`document.querySelector("#lost").hidden`)
			ann.shows("#heading .bot", "bot online")
			if diff := cmp.Diff(board, ann.board()); diff != "" {
				t.Errorf("the board after the restart (-before +after):\n%s", diff)
			}
			again := ann.seat()
			checkSame(t, "Ann", now, again)
			now = again
		}
		if !now.mine() {
			t.Fatalf("squires answer at once, and yet it is not Ann's move:\n%s", now.Text)
		}
		for _, door := range now.Doors {
			if !ordered && door.Label == "Standing orders" {
				now, ordered = ann.order(now, door), true
			}
		}
		now, _ = ann.act(now, random)
	}
	if !restarted {
		t.Error("the game ended without its restart")
	}
	if !ordered {
		t.Error("no standing order could be given in the whole game")
	}
	ann.shows("#log .md", "Paladin: the game is over")
	checkRecord(t, p, ann)
	p.stop()
}

// checkRecord downloads the record as people do and has the program judge it.
func checkRecord(t *testing.T, p *program, w *window) {
	t.Helper()
	w.press("Record")
	w.wait(`document.querySelector("#log .only-you") && document.querySelector("#log .file a[href]")`)
	record := eval[string](w, `fetch([...document.querySelectorAll("#log .file a[href]")].at(-1).href).then(r => r.text())`)
	if err := os.WriteFile(filepath.Join(p.dir, "record.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	replay := start(t, p.dir, nil, "replay", "--json", "record.json")
	line := replay.line()
	if log := replay.ends(0); log != "" {
		t.Errorf("replay says %s", log)
	}
	var result struct {
		Phase  string
		Scores []int
	}
	if err := json.Unmarshal([]byte(line), &result); err != nil {
		t.Fatal(err)
	}
	if result.Phase != "over" {
		t.Errorf("the record ends in phase %q, want over", result.Phase)
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`(\d+) honour`).FindAllStringSubmatch(w.board(), -1) {
		shown[m[1]] = true
	}
	for i, score := range result.Scores {
		if !shown[fmt.Sprint(score)] {
			t.Errorf("the board does not show the %d honour of seat %d:\n%s", score, i+1, w.board())
		}
	}
}

// address is the first channel seen by the person of that name.
func (w *window) address(name string) string {
	w.t.Helper()
	return eval[string](w, fmt.Sprintf(`(() => {
		const link = new URL(%s.closest("a").href);
		link.searchParams.set("channel", new URL(location.href).searchParams.get("channel"));
		return link.href;
	})()`, visible("#people .name", name)))
}

var waitingFor = regexp.MustCompile(`Waiting for \S+ @(\w+)`)

// Three people with a window each, and two who look on from one window. The
// power goes in the middle.
func TestFivePeopleInBrowser(t *testing.T) {
	chromium := browser(t)
	p := startProgram(t)
	ann := open(t, chromium, p.url)
	people := map[string]*window{
		"Ann": ann, "Ben": open(t, chromium, ann.address("Ben")), "Cleo": open(t, chromium, ann.address("Cleo")),
	}
	ann.newTable(3)
	people["Ben"].press("Join")
	people["Cleo"].press("Join")
	ann.press("Start")
	for _, w := range people {
		w.shows("#log .md", "round 1 of 6")
		w.seat()
	}

	const seed, moves = 5, 12
	random := rand.New(rand.NewPCG(seed, seed))
	for move := range moves {
		if move == moves/2 {
			before := map[string]panel{}
			for name, w := range people {
				before[name] = w.seat()
			}
			p.kill()
			for _, w := range people {
				w.shows("#lost", "Connection to the sandbox lost")
			}
			p.startAgain()
			for name, w := range people {
				w.wait(`document.querySelector("#lost").hidden`)
				w.shows("#heading .bot", "bot online")
				checkSame(t, name, before[name], w.seat())
			}
		}
		moveOnce(t, people, random)
	}
	for name, w := range people {
		checkDirectMessage(t, name, w)
	}

	// Somebody else at the same window sees nothing of Ann's, and hears why.
	for _, name := range []string{"Dan", "Eve"} {
		eval[bool](ann, `(`+visible("#people .name", name)+`.closest("a").click(), true)`)
		ann.shows(".you", name)
		ann.shows("#log .md", "Paladin: round")
		if eval[bool](ann, `document.querySelector("#log .only-you") !== null`) {
			t.Errorf("%s sees private messages of somebody else", name)
		}
		ann.press("My seat")
		ann.shows("#log .only-you", "Only you can see this")
		ann.shows("#log .md", "You have no seat in this game")
	}
	p.stop()
}

// isToMove reports whether the board waits for the person of that name.
func isToMove(w *window, name string) bool {
	m := waitingFor.FindStringSubmatch(w.board())
	return m != nil && m[1] == name
}

// moveOnce has whoever is waited for make a move.
func moveOnce(t *testing.T, people map[string]*window, random *rand.Rand) {
	t.Helper()
	board := people["Ann"].board()
	m := waitingFor.FindStringSubmatch(board)
	if m == nil || people[m[1]] == nil {
		t.Fatalf("the board does not say who is waited for:\n%s", board)
	}
	w := people[m[1]]
	now := w.toMove()
	for steps := 0; ; steps++ {
		if !now.mine() || steps == 1000 {
			t.Fatalf("the board waits for %s, whose seat says after %d steps\n%s", m[1], steps, now.Text)
		}
		var moved bool
		if now, moved = w.act(now, random); moved {
			break
		}
	}
	// The board follows, in everybody's window.
	for _, other := range people {
		other.wait(fmt.Sprintf(`(() => {
			const board = [...document.querySelectorAll("#log > li")].filter(e => !e.querySelector(".only-you") && e.querySelector(".container")).at(-1).cloneNode(true);
			for (const time of board.querySelectorAll("time")) time.remove();
			return board.querySelector(".content").textContent !== %s;
		})()`, quote(board)))
	}
}

// checkDirectMessage: the bot has written to everybody with a seat, and the
// channel is one click away.
func checkDirectMessage(t *testing.T, name string, w *window) {
	t.Helper()
	here := eval[string](w, `location.href`)
	eval[bool](w, `(`+visible("#places .place", "Paladin")+`.click(), true)`)
	w.shows("#log", "Your seat in Paladin")
	w.do(chromedp.Navigate(here))
	w.wait(`document.body.dataset.live === "yes"`)
	if !strings.Contains(w.panel().Text, "Your hand") {
		t.Errorf("the private seat of %s is gone after a look at the direct messages", name)
	}
}

// pictures are those in docs.
var pictures = []string{"board.png", "lobby.png", "phone.png"}

// The README shows every picture, and names nothing in docs that is not there.
// With -update-pictures they are taken anew.
func TestPictures(t *testing.T) {
	if *updatePictures {
		takePictures(t)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pictures {
		data, err := os.ReadFile(filepath.Join("docs", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.DecodeConfig(bytes.NewReader(data)); err != nil {
			t.Errorf("docs/%s: %v", name, err)
		}
		if !bytes.Contains(readme, []byte("docs/"+name)) {
			t.Errorf("README.md does not show docs/%s", name)
		}
	}
	for _, m := range regexp.MustCompile(`docs/[\w.-]+`).FindAllString(string(readme), -1) {
		if _, err := os.Stat(m); err != nil {
			t.Errorf("README.md names %s: %v", m, err)
		}
	}
}

// takePictures plays into the middle of a game of three people and a squire.
func takePictures(t *testing.T) {
	t.Helper()
	chromium := browser(t)
	p := startProgram(t)
	sharp := chromedp.EmulateScale(1.5)
	ann := openSized(t, chromium, p.url, 1000, 640, sharp)
	people := map[string]*window{
		"Ann": ann, "Ben": open(t, chromium, ann.address("Ben")), "Cleo": open(t, chromium, ann.address("Cleo")),
	}
	random := rand.New(rand.NewPCG(1, 1))
	for !playToPicture(t, people, random) {
		t.Log("nothing to see in this game: the next one")
	}
	ann.do(chromedp.EmulateViewport(1000, 1500, sharp))
	eval[bool](ann, `([...document.querySelectorAll("[data-dismiss]")].forEach(e => e.click()), true)`)
	ann.wait(`document.querySelector("#log .only-you") === null`)
	ann.picture("board.png")

	eval[bool](ann, `(document.documentElement.dataset.theme = "dark", true)`)
	ann.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
	now := ann.seat()
	now = ann.choose(now, now.Buttons[0])
	for _, b := range now.Buttons {
		if strings.HasPrefix(b.Label, "Quest") {
			ann.choose(now, b)
			break
		}
	}
	ann.picture("phone.png")
	p.stop()
}

// playToPicture takes the picture of a lobby and plays from there until Ann knows a card in the second round and is to place; false if she
// never is.
func playToPicture(t *testing.T, people map[string]*window, random *rand.Rand) bool {
	t.Helper()
	ann := people["Ann"]
	ann.newTable(4)
	people["Ben"].press("Join")
	ann.press("Add a squire")
	ann.shows("#log .md", "Squire 3")
	ann.picture("lobby.png")
	people["Cleo"].press("Join")
	ann.press("Start")
	for _, w := range people {
		w.shows("#log .md", "round 1 of 4")
		w.seat()
	}
	for now := ann.panel(); !placing(now); now = ann.panel() {
		if strings.Contains(ann.board(), "the game is over") {
			return false
		}
		moveOnce(t, people, random)
		if isToMove(ann, "Ann") {
			ann.toMove()
		}
	}
	return true
}

// placing reports whether the seat is in the middle of its second round, knows a
// card of somebody else and is to place.
func placing(p panel) bool {
	return p.mine() && strings.Contains(p.Text, "Round 2 of") && len(p.Options) > 4 && strings.Contains(p.Text, "lies face down")
}

// picture writes what the window shows to docs.
func (w *window) picture(name string) {
	w.t.Helper()
	w.do(chromedp.MouseClickXY(1, 1))
	eval[bool](w, `(document.activeElement.blur(), scroller.scrollTop = scroller.scrollHeight, document.fonts.ready.then(() => true))`)
	w.wait(`document.getAnimations().every(a => a.playState !== "running")`)
	data, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("docs", name), data, 0o644); err != nil {
		w.t.Fatal(err)
	}
}
