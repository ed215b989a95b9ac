//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paladin/bot/render"
)

// Where to put pictures of every screen in every language, to be looked at; nowhere if it is empty.
const screensVariable = "PALADIN_SCREENS"

// TestScreensInEveryLanguage looks at every screen of a game in each language, on a desk and on a phone: nothing is cut off or stands
// out at the side, every picture is there and is described, every button can be pressed with a finger, and nothing is said in English
// to those who read another language.
func TestScreensInEveryLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("ten windows are opened one after the other")
	}
	chromium := browser(t)
	p := startProgram(t)
	for _, lang := range render.Languages {
		t.Run(lang, func(t *testing.T) {
			w := openSized(t, chromium, p.url, 1200, 900)
			w.speak(map[string]string{"en": "en-US", "es": "es-ES"}[lang], lang)
			s := &screensOf{window: w, lang: lang}
			s.game()
		})
	}
	p.stop()
}

// speak makes the client of the window's person and the server speak a language.
func (w *window) speak(locale, lang string) {
	w.t.Helper()
	if locale == "" {
		locale = lang
	}
	w.ask("language", fmt.Sprintf("{text: %q}", locale))
	w.ask("guild-language", fmt.Sprintf(`{text: %q, guild: document.querySelector("[data-guild]").dataset.guild}`, locale))
	w.do(chromedp.Reload())
	w.wait(`document.body.dataset.live === "yes"`)
}

// ask lets the page ask for something as its person does.
func (w *window) ask(what, fields string) {
	w.t.Helper()
	failed := eval[string](w, fmt.Sprintf(`fetch("/do/%s", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({user: document.body.dataset.user, channel: document.body.dataset.channel, ...%s})})
		.then(r => r.json()).then(a => a.error || a.failed || "")`, what, fields))
	if failed != "" {
		w.t.Fatalf("%s %s: %s", what, fields, failed)
	}
}

// screensOf are the screens of one language.
type screensOf struct {
	*window
	lang string
}

// command sends a subcommand and waits for what it brings.
func (s *screensOf) command(sub string) {
	s.t.Helper()
	before := s.log()
	s.ask("command", fmt.Sprintf(`{command: "paladin", sub: %q}`, sub))
	s.wait(logOf + ` !== ` + quote(before))
}

// pressNth presses a button of the newest message that has so many, by its place.
func (s *screensOf) pressNth(message string, n int) { s.pressOf(message, "button[data-press]", n) }

func (s *screensOf) pressOf(message, selector string, n int) {
	s.t.Helper()
	button := fmt.Sprintf(`(%s)?.querySelectorAll(%q)[%d]`, message, selector, n)
	s.wait(idle(button) + ` && !` + button + `.disabled`)
	before := s.log()
	eval[bool](s.window, `(() => { const e = `+button+`; e.scrollIntoView({block: "center"}); e.click(); return true; })()`)
	s.wait(logOf + ` !== ` + quote(before) + ` || document.querySelector("#log .note")`)
	s.noNote()
}

const (
	newestBoard   = `[...document.querySelectorAll("#log > li")].filter(e => !e.querySelector(".only-you") && e.querySelector(".container")).at(-1)`
	newestPrivate = `[...document.querySelectorAll("#log > li")].filter(e => e.querySelector(".only-you")).at(-1)`
)

// game opens a table, plays a little and looks at each screen on the way.
func (s *screensOf) game() {
	s.t.Helper()
	s.command("new")
	s.look("lobby", newestBoard)
	s.pressNth(newestBoard, 2)
	s.pressNth(newestBoard, 2)
	for _, sub := range []string{"help", "rules", "notices", "settings", "doctor", "games", "standings", "me", "practice"} {
		s.command(sub)
		s.look(sub, newestPrivate)
	}
	s.pressNth(newestBoard, 3)
	s.wait(`(` + newestBoard + `).querySelector("img")`)
	s.look("board", newestBoard)
	s.command("seat")
	s.look("seat", newestPrivate)
	s.command("leave")
	s.look("leave", newestPrivate)
	s.command("stop")
	s.look("stop", newestPrivate)
	s.pressOf(newestPrivate, "button.danger[data-press]", 0)
	s.wait(`(` + newestBoard + `).querySelectorAll("button[data-press]").length > 3`)
	s.look("stopped", newestBoard)
	s.command("board")
	s.look("closed", newestBoard)
	for _, sub := range []string{"replay", "verify", "record"} {
		s.command(sub)
		s.look(sub, newestPrivate)
	}
}

// faults are what is wrong with a message at the page's present width. Texts that are hidden on purpose, for screen readers, do
// not count.
const faults = `(() => {
	const found = [], li = %s;
	li.scrollIntoView({block: "end"});
	if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const e of li.querySelectorAll("button, a, img, p, .md, .row, .container, select")) {
		if (!e.checkVisibility()) continue;
		const box = e.getBoundingClientRect();
		if (box.right > innerWidth + 1 || box.left < -1) found.push(e.tagName + " stands out: " + e.innerText);
		if (e.tagName === "BUTTON" && e.dataset.press) {
			if (e.scrollWidth > e.clientWidth + 1) found.push("a button is cut off: " + e.innerText);
			if (innerWidth < 500 && box.height < 32) found.push("a button of " + box.height + " px: " + e.innerText);
			if (e.innerText.trim().length > 60 && /…$/.test(e.innerText.trim())) found.push("a button's words are cut: " + e.innerText);
		}
		if (e.tagName === "SELECT") for (const shown of e.querySelectorAll("button > :is(bdi, .placeholder)")) {
			if (shown.scrollWidth > shown.clientWidth + 1) found.push("what a menu says is cut off: " + shown.innerText);
		}
		if (e.tagName === "IMG" && (!e.complete || e.naturalWidth === 0)) found.push("a picture is missing: " + e.src);
		if (e.tagName === "IMG" && !e.hasAttribute("alt")) found.push("a picture without words: " + e.src);
	}
	return found;
})()`

// look checks a message on a desk and on a phone.
func (s *screensOf) look(screen, message string) {
	s.t.Helper()
	for _, size := range []struct{ width, height int64 }{{1200, 900}, {360, 780}} {
		s.do(chromedp.EmulateViewport(size.width, size.height))
		s.wait(`[...document.querySelectorAll("#log img")].every(e => e.complete) && document.getAnimations().length === 0`)
		for _, fault := range eval[[]string](s.window, fmt.Sprintf(faults, message)) {
			s.t.Errorf("%s, %s, %d px: %s", s.lang, screen, size.width, fault)
		}
		s.keep(fmt.Sprintf("%s-%s-%d.png", screen, s.lang, size.width))
	}
	if words := s.english(message); s.lang != "en" && len(words) > 0 {
		s.t.Errorf("%s, %s: English words: %q", s.lang, screen, words)
	}
	s.do(chromedp.EmulateViewport(1200, 900))
}

// english are the words in a message that only English has. Names of places, of permissions and what is typed may be English.
func (s *screensOf) english(message string) []string {
	said := eval[string](s.window, `(() => {
		const copy = (`+message+`).querySelector(".content").cloneNode(true);
		for (const e of copy.querySelectorAll("code, option, time, select")) e.remove();
		return copy.innerText + " " + copy.textContent;
	})()`)
	var found []string
	for _, word := range strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if slices.Contains([]string{"the", "quest", "honour", "round", "your", "with", "press", "which", "nobody", "seat"}, word) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

// keep writes a picture of the window, if somebody wants to look at it.
func (s *screensOf) keep(name string) {
	s.t.Helper()
	dir := os.Getenv(screensVariable)
	if dir == "" {
		return
	}
	data, err := chromedp.Run(s.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		s.t.Fatal(err)
	}
}
