package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browserPath is where chromium is. Without one the test is skipped, or fails where a browser is demanded.
func browserPath(t *testing.T) string {
	t.Helper()
	demanded := os.Getenv("PALADIN_REQUIRE_BROWSER") == "1"
	if testing.Short() && !demanded {
		t.Skip("-short: the page is not tried in a browser")
	}
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if demanded {
		t.Fatal("no chromium here, and PALADIN_REQUIRE_BROWSER=1 demands one")
	}
	t.Skip("no chromium here: the page is not tried in a browser")
	return ""
}

// startBrowser starts a fresh browser; every tab is made from the context.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browserPath(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 800))
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

// tab is one tab, driven by what is on the page: it never waits for time to pass.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func newTab(t *testing.T, browser context.Context, address string, width, height int64) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	limited, stop := context.WithTimeout(ctx, 90*time.Second)
	tb := &tab{t, limited}
	messages := chromedp.Console(limited)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			// A refused connection is in the console too, where a test cuts it.
			if err == nil && (m.IsException() || strings.Contains(m.Text, "Content Security Policy")) {
				t.Errorf("the page's script: %s (%s:%d)", m, m.URL, m.Line)
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		cancel()
		<-done
	})
	tb.run(chromedp.EmulateViewport(width, height), chromedp.Navigate(address))
	tb.wait(`document.body.dataset.live === "yes"`)
	return tb
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.shot("failure-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatal(err)
	}
}

// wait waits until the expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(15*time.Second)))
	if err != nil {
		b.shot("failure-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatalf("never came true: %s (%v)", expression, err)
	}
}

// shows waits until the text stands somewhere in what the selector names.
func (b *tab) shows(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.checkVisibility() && e.innerText.includes(%q))`, selector, text))
}

// hides waits until it does not.
func (b *tab) hides(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`![...document.querySelectorAll(%q)].some(e => e.checkVisibility() && e.innerText.includes(%q))`, selector, text))
}

// eval is the value of an expression, which must be a string.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// do runs statements on the page.
func (b *tab) do(statements string) {
	b.t.Helper()
	b.eval(`(() => { ` + statements + `; return ""; })()`)
}

// choose takes an option of a select as a person does.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`document.querySelector(%q) !== null`, selector))
	b.do(fmt.Sprintf(`const e = document.querySelector(%q); e.focus(); e.value = %q; e.dispatchEvent(new Event("change", {bubbles: true}))`, selector, value))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// press presses the button with the label in the newest message that has it, once an earlier press of it has ended: the page passes over
// what is pressed twice at once, and shows what came of a press before that.
func (b *tab) press(label string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("#log button[data-press]")].filter(e => e.innerText.trim() === %q).at(-1)`, label)
	b.wait(find + `?.ariaBusy !== "true" && ` + find + ` != null`)
	b.do(`const e = ` + find + `; e.scrollIntoView({block: "center"}); e.focus(); e.click()`)
}

// keys types into whatever has the focus. Enter is one event, as a keyboard sends it: a page that takes its
// key press sees no line break come after it.
func (b *tab) keys(text string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(text, func(k *input.DispatchKeyEventParams) {
		switch {
		case k.Key != "Enter":
		case k.Type == kb.KeyChar:
			k.Modifiers = int64(chromedp.ModifierCtrl) // not sent
		case k.Type != kb.KeyUp:
			k.Type, k.Text = kb.KeyDown, "\r"
		}
	}))
}

// shot keeps a picture where SANDBOX_SHOTS says, for people to look at.
func (b *tab) shot(name string) {
	folder := os.Getenv("SANDBOX_SHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("no picture %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600); err != nil {
		b.t.Log(err)
	}
}

// movableClock is the wall clock and what the test has added to it.
type movableClock struct{ ahead atomic.Int64 }

func (c *movableClock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *movableClock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// cuttableListener is a listener whose connections can all be cut, and which then listens again at the same port.
type cuttableListener struct {
	net.Listener
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (l *cuttableListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = true
	return conn, nil
}

func (l *cuttableListener) cut() {
	_ = l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// browserWorld is a sandbox with the scripted bot and a page that can be cut off.
type browserWorld struct {
	t        *testing.T
	s        *Server
	bot      *pageBot
	base     string
	clock    *movableClock
	handler  http.Handler
	listener *cuttableListener
}

func newBrowserWorld(t *testing.T) *browserWorld {
	t.Helper()
	w := &browserWorld{t: t, clock: &movableClock{}}
	var err error
	if w.s, err = Open(Config{Now: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	w.handler = w.s.Mount()
	w.listen("127.0.0.1:0")
	t.Cleanup(func() {
		_ = w.s.Close()
		w.listener.cut()
	})
	w.bot = startPageBot(t, w.s, w.base)
	return w
}

func (w *browserWorld) listen(addr string) {
	w.t.Helper()
	listener, base, err := Listen(addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.base = base
	w.listener = &cuttableListener{Listener: listener, conns: make(map[net.Conn]bool)}
	server := &http.Server{Handler: w.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(w.listener) }()
}

// letFail lets the time of a press run out that the bot has ignored. The page shows the press before the sandbox has it.
func (w *browserWorld) letFail() {
	w.t.Helper()
	select {
	case <-w.bot.ignored:
	case <-time.After(15 * time.Second):
		w.t.Fatal("the press never came to the bot")
	}
	w.clock.advance(4 * time.Second)
	w.s.Expire()
}

func (w *browserWorld) user(n int) User { return w.s.Users()[n] }

// address is the page of the nth person in the first channel.
func (w *browserWorld) address(n int) string {
	w.t.Helper()
	channels, err := w.s.Channels(w.user(n).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.base + pageLink(w.user(n).ID, channels[0].ID, "")[1:]
}

// openTable has the nth person open the bot's board by command, and waits until it stands.
func (w *browserWorld) openTable(n int, title string) {
	w.t.Helper()
	channels, err := w.s.Channels(w.user(n).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	i, err := w.s.Command(w.t.Context(), w.user(n).ID, channels[0].ID, "paladin", "new", Option{"title", title})
	if err != nil {
		w.t.Fatal(err)
	}
	result, err := i.First(w.t.Context())
	if err != nil || result.Outcome != Replied {
		w.t.Fatalf("the board did not come: %+v %v", result, err)
	}
}

func TestPageInBrowser(t *testing.T) {
	browser := startBrowser(t)
	steps := []struct {
		name string
		run  func(*testing.T, *browserWorld, context.Context)
	}{
		{"live", browserLive}, {"press", browserPress}, {"private", browserPrivate}, {"select", browserSelect},
		{"modal", browserModal}, {"slash", browserSlash}, {"users", browserUsers}, {"phone", browserPhone},
		{"theme", browserTheme}, {"lost", browserLost}, {"moderator", browserModerator}, {"hostile", browserHostile},
		{"look", browserLook}, {"enlarge", browserEnlarge}, {"keyboard", browserKeyboard}, {"form", browserForm}, {"language", browserLanguage},
		{"system theme", browserSystemTheme}, {"undisturbed", browserUndisturbed},
		{"tree", browserTree}, {"heard", browserHeard}, {"focus", browserFocus}, {"contrast", browserContrast}, {"narrow", browserNarrow}, {"still", browserStill}, {"long", browserLong}, {"places", browserPlaces}, {"fields", browserFields},
		{"several", browserSeveral}, {"combobox", browserCombobox},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) { step.run(t, newBrowserWorld(t), browser) })
	}
}

// What others do appears without reloading, and takes neither focus nor half-typed text away.
func browserLive(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.shows(".bot", "bot online")
	ann.click("#say")
	ann.keys("half a thou")
	w.openTable(1, "Ben's table")
	ann.shows("#log h3", "Ben's table")
	ann.shows("#log .used", "Ben used /paladin new")
	ann.keys("ght" + kb.Enter)
	ann.shows("#log .md", "half a thought")
	ann.wait(`document.activeElement.id === "say" && document.activeElement.value === ""`)
	ann.shows("#log time", "in ")
	// Times are rounded, not cut off: a day that has just begun has 24 hours.
	ann.wait(`timeText(Math.round((Date.now() + state.clock) / 1000) + 86390, "R") === "in 24 hours"`)
	// They stand within sentences ("asked ..."), where "tomorrow" or "now" would not.
	ann.wait(`timeText(Math.round((Date.now() + state.clock) / 1000) - 90000, "R") === "1 day ago"`)
	ann.shot("live")
}

// A press changes the message in place; the button keeps the focus. A press nobody answers says so.
func browserPress(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ben := newTab(t, browser, w.address(1), 1200, 800)
	ann.press("Join")
	ann.shows("#log strong", "1")
	ben.shows("#log strong", "1")
	ann.wait(`document.activeElement.dataset.press === "join" && !document.activeElement.hasAttribute("aria-busy")`)
	ann.wait(`document.querySelector('[data-press="off"]').disabled`)

	ann.press("Silent")
	ann.wait(`document.querySelector('[data-press="silent"]').getAttribute("aria-busy") === "true"`)
	w.letFail()
	ann.shows("#log .note", "This interaction failed")
	ann.wait(`!document.querySelector('[data-press="silent"]').hasAttribute("aria-busy")`)
	ann.shot("press-failed")
	ann.press("Join")
	ann.shows("#log strong", "2")
	ann.hides("#log .note", "failed")
}

// Ephemeral answers are seen by one person, say so, change in place and can be dismissed; a promised one thinks first.
func browserPrivate(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ben := newTab(t, browser, w.address(1), 1200, 800)
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
	ann.shows("#log .mention-me", "@Ann")
	ann.press("Place 7r")
	ann.shows("#log .md", "You placed 7r.")
	ben.press("My seat")
	ben.shows("#log .mention-me", "@Ben")
	ben.hides("#log", "You placed 7r.")
	ann.shot("private")
	ann.click("[data-dismiss]")
	ann.hides("#log", "Only you can see this")
	ben.shows("#log .only-you", "Only you can see this")

	ann.press("Think")
	ann.shows("#log .thinking", "is thinking…")
	ann.shot("thinking")
	w.bot.finish("Thought it over.")
	ann.shows("#log .md", "Thought it over.")
	ann.hides("#log", "is thinking…")
}

func browserSelect(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.choose(`[data-select="card"]`, "3b")
	ann.shows("#log .md", "You chose: 3b")
	ann.wait(`document.querySelector('[data-select="card"]').selectedIndex === 0`)

	ann.click(`[data-select="several"] summary`)
	ann.click(`[data-select="several"] [data-choose]`)
	ann.shows("#log .note", "Choose at least 1")
	ann.click(`[data-select="several"] input[value="1"]`)
	ann.click(`[data-select="several"] input[value="3"]`)
	ann.shot("select")
	ann.click(`[data-select="several"] [data-choose]`)
	ann.shows("#log .md", "You chose: 1 and 3")

	ben := w.user(1)
	ann.wait(fmt.Sprintf(`[...document.querySelector('[data-select="who"]').options].some(o => o.value === %q && o.text === %q)`, ben.ID, ben.Name()))
	ann.choose(`[data-select="who"]`, ben.ID)
	ann.shows("#log .md", "You chose: "+ben.ID)
}

func browserModal(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.press("Note")
	ann.shows("#modal h2", "Your note")
	ann.wait(`document.activeElement.matches("#modal input")`)
	ann.keys("mine <alone>")
	ann.shot("modal")
	ann.keys(kb.Enter)
	ann.shows("#log .md", "You wrote: mine <alone>")
	ann.wait(`!document.querySelector("#modal").open`)
	ann.press("Note")
	ann.shows("#modal h2", "Your note")
	ann.keys(kb.Escape)
	ann.wait(`!document.querySelector("#modal").open`)
}

// A command is found, filled in and sent without the mouse; choices come live from the bot.
func browserSlash(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.click("#say")
	ann.keys("/")
	ann.shows("#say-list", "/paladin new")
	ann.shows("#say-list", "Place a card on a quest")
	ann.shot("slash-list")
	// What a word begins is meant before what merely holds it, as "place" holds "ace".
	ann.keys("paladin ac")
	ann.wait(`[...document.querySelectorAll("#say-list [role=option]")].map(e => e.innerText.split("\n")[0].trim()).join() === "/paladin ace,/paladin place"`)
	ann.keys(strings.Repeat(kb.Backspace, len("paladin ac")) + "pla pl")
	ann.wait(`document.querySelectorAll("#say-list [role=option]").length === 1`)
	ann.keys(kb.Enter)
	ann.shows(".chip b", "/paladin place")
	ann.wait(`document.activeElement.dataset.option === "card"`)
	ann.shows(".option .list", "7r (in hand)")
	ann.shows(".option .list", "5g (in hand)")
	ann.keys("3")
	ann.wait(`document.querySelectorAll(".option .list:not([hidden]) [role=option]").length === 1`)
	ann.shot("slash-autocomplete")
	ann.keys(kb.Enter)
	ann.wait(`document.activeElement.dataset.option === "quest" && document.querySelector("[data-option=card]").value === "3b (in hand)"`)
	ann.keys("9")
	ann.shows(".option .list", "Nothing in the list fits")
	ann.keys(kb.Enter)
	ann.shows(".option .fault", "Choose from the list")
	ann.keys(kb.Backspace)
	ann.shows(".option .list", "Quest 2")
	ann.keys(kb.ArrowDown + kb.Enter)
	ann.wait(`document.querySelector("[data-option=quest]").value === "Quest 2"`)
	ann.wait(`document.activeElement.id === "send-command"`)
	ann.click("[data-option=friend]")
	ann.shows(".option .list", "Ben")
	ann.keys("ben" + kb.Enter)
	ann.wait(`document.activeElement.id === "send-command"`)
	ann.keys(kb.Enter)
	ann.shows("#log .md", "Placed card=3b quest=2 friend="+w.user(1).ID)
	ann.wait(`document.activeElement.id === "say"`)

	ann.keys("/paladin place ")
	ann.wait(`document.activeElement.dataset.option === "card"`)
	ann.keys("7r" + kb.Escape + kb.Enter)
	ann.wait(`document.activeElement.dataset.option === "quest"`)
	ann.keys(kb.Escape + kb.Enter)
	ann.shows(".option .fault", "This option is required.")
	ann.keys(kb.Escape)
	ann.wait(`document.activeElement.id === "say" && document.querySelector("#command").hidden`)
	ann.keys("/nothing" + kb.Escape + kb.Enter)
	ann.shows("#composer-error", "No command here is called /nothing")
}

// One browser holds everybody; a badge says for whom something waits.
func browserUsers(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1200, 800)
	channels, err := w.s.Channels(w.user(0).ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Say(t.Context(), w.user(0).ID, channels[1].ID, "<@"+w.user(1).ID+"> over here"); err != nil {
		t.Fatal(err)
	}
	person := `#people [data-key="u` + w.user(1).ID + `"]`
	ann.wait(`document.querySelector('` + person + ` .badge') !== null`)
	ann.shot("users")
	ann.click(person)
	ann.shows(".you", "Ben")
	ann.wait(`location.search.includes("` + w.user(1).ID + `") && document.title.startsWith("(1)")`)
	ann.click(`#places [data-key="c` + channels[1].ID + `"]`)
	ann.shows("#log .mention-me", "@Ben")
	ann.wait(`document.querySelector('` + person + ` .badge') === null && !document.title.startsWith("(")`)
	ann.do(`history.back()`)
	ann.wait(`document.querySelector('#places [aria-current]').dataset.key === "c` + channels[0].ID + `"`)
}

// On a phone nothing is cut off or scrolls sideways, the side is a drawer, and everything can be hit by a finger.
func browserPhone(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, strings.Repeat("A long title ", 6)+strings.Repeat("W", 60))
	ann := newTab(t, browser, w.address(0), 360, 740)
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
	narrow := `document.documentElement.scrollWidth <= 360 && document.querySelector("#scroller").scrollWidth <= 360`
	ann.wait(narrow)
	ann.wait(`[...document.querySelectorAll("#log .button, #top button, #composer button, #log select, #log summary")].every(e => { const r = e.getBoundingClientRect(); return r.width === 0 || (r.height >= 40 && r.width >= 40 && r.left >= 0 && r.right <= 360); })`)
	ann.shot("phone")
	ann.wait(`getComputedStyle(document.querySelector("#side")).visibility === "hidden"`)
	ann.click("#drawer")
	ann.wait(`document.querySelector("#side").getBoundingClientRect().left === 0 && document.querySelector("#drawer").getAttribute("aria-expanded") === "true"`)
	ann.wait(narrow)
	ann.shot("phone-drawer")
	ann.wait(`[...document.querySelectorAll("#side a, #side button")].every(e => e.getBoundingClientRect().height >= 40)`)
	ann.keys(kb.Escape)
	ann.wait(`getComputedStyle(document.querySelector("#side")).visibility === "hidden"`)
	ann.click("#drawer")
	ann.wait(`document.querySelector("#side").getBoundingClientRect().left === 0 && document.querySelector("#side").contains(document.activeElement)`)
	ann.click("#drawer-close")
	ann.wait(`getComputedStyle(document.querySelector("#side")).visibility === "hidden" && document.activeElement.id === "drawer"`)
	ann.click("#drawer")
	ann.wait(`document.querySelector("#side").getBoundingClientRect().left === 0`)
	ann.click(`#people [data-key="u` + w.user(1).ID + `"]`)
	ann.wait(`location.search.includes("` + w.user(1).ID + `") && getComputedStyle(document.querySelector("#side")).visibility === "hidden"`)
	ann.click("#slash")
	ann.shows("#say-list", "/paladin place")
	ann.click("#say-list [role=option]:nth-child(2)")
	ann.wait(`document.activeElement.dataset.option === "card"`)
	ann.shows(".option .list", "7r (in hand)")
	ann.wait(narrow)
	ann.shot("phone-command")
}

func browserTheme(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ground := `getComputedStyle(document.body).backgroundColor`
	before := ann.eval(ground)
	ann.shot("theme-1")
	ann.click("#theme")
	ann.wait(`document.documentElement.dataset.theme !== undefined`)
	after := ann.eval(ground)
	ann.shot("theme-2")
	if before == after {
		t.Errorf("the ground stays %s", before)
	}
	ann.run(chromedp.Reload())
	ann.wait(`document.body.dataset.live === "yes"`)
	again := ann.eval(ground)
	if again != after {
		t.Errorf("after loading again the ground is %s, want %s", again, after)
	}
	// The other theme for the tests that follow in this browser.
	ann.do(`localStorage.removeItem("theme")`)
}

// A lost connection is shown; when it is back, so is everything that was missed.
func browserLost(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.shows("#log h3", "The table")
	addr := w.listener.Addr().String()
	w.listener.cut()
	ann.shows("#lost", "Connection to the sandbox lost")
	ann.shot("lost")
	ann.press("Join")
	ann.shows("#log .note", "cannot be reached")
	channels, err := w.s.Channels(w.user(1).ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Say(t.Context(), w.user(1).ID, channels[0].ID, "said meanwhile"); err != nil {
		t.Fatal(err)
	}
	w.listen(addr)
	ann.shows("#log .md", "said meanwhile")
	ann.wait(`document.querySelector("#lost").hidden`)
}

func browserModerator(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.click("#open-menu")
	ann.shot("menu")
	ann.click("#new-channel")
	ann.keys("side-room" + kb.Enter)
	ann.shows("#heading h2", "side-room")
	ann.click("#open-menu")
	ann.click("#new-thread")
	ann.keys("A thread" + kb.Enter)
	ann.shows("#heading h2", "A thread")
	ann.shows("#places .thread", "A thread")
	ann.click("#open-menu")
	ann.shot("menu-thread")
	ann.click(`[data-do="close-dms"]`)
	ann.shows("#menu .line", "Ann refuses direct messages")
	ann.click(`[data-do="bot-writes"]`)
	ann.shows("#menu .line", "The bot may not write here")
	ann.click(`[data-do="delete-channel"]`)
	ann.click("#confirm-yes")
	ann.hides("#places", "A thread")
	ann.click(`#menu [data-do="bot-member"]`)
	ann.click("#confirm-yes")
	ann.shows("#menu .line", "It is not a member of")
	ann.click(`#menu [data-do="bot-member"]`)
	ann.shows("#menu .line", "It is a member of")
	ann.click("#new-person")
	ann.keys("Frida" + kb.Enter)
	ann.shows(".you", "Frida")
	ann.wait(`!document.querySelector("#menu").open`)

	ann.click("#say")
	ann.keys("to be deleted" + kb.Enter)
	ann.shows("#log .md", "to be deleted")
	ann.do(`[...document.querySelectorAll("[data-delete]")].at(-1).click()`)
	ann.click("#confirm-yes")
	ann.hides("#log", "to be deleted")
}

// Names and messages that try to be markup stay text.
func browserHostile(t *testing.T, w *browserWorld, browser context.Context) {
	name := `<img src=x onerror=document.title="owned">`
	u, err := w.s.AddUser(name[:32], w.s.Guilds("")[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	channels, err := w.s.Channels(u.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{name, "<script>document.title='owned'</script>", "\u202Eright to left", "<@" + u.ID + "> ||" + name + "||", "[x](javascript:alert(1))"} {
		if _, err := w.s.Say(t.Context(), u.ID, channels[0].ID, text); err != nil {
			t.Fatal(err)
		}
	}
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.shows("#log .md", "<script>document.title='owned'</script>")
	ann.shot("hostile")
	outside := ann.eval(`performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith(location.origin)).join() +
		[...document.querySelectorAll("#log img, #log script, #people img")].map(e => e.outerHTML).join()`)
	if outside != "" {
		t.Errorf("loaded from elsewhere or made from text: %s", outside)
	}
}
