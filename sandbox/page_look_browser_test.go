package sandbox

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (w *browserWorld) channel() string {
	w.t.Helper()
	channels, err := w.s.Channels(w.user(0).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return channels[0].ID
}

// emoji makes an emoji of the application and returns its id.
func (w *browserWorld) emoji(name string) string {
	w.t.Helper()
	var e struct{ ID string }
	answer := w.bot.call("POST", "applications/"+w.bot.appID+"/emojis", object{"name": name,
		"image": "data:image/gif;base64," + base64.StdEncoding.EncodeToString([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))})
	if err := json.Unmarshal(answer, &e); err != nil {
		w.t.Fatal(err)
	}
	return e.ID
}

// everything posts one message with one of everything that is shown.
func (w *browserWorld) everything() (emoji string) {
	w.t.Helper()
	emoji = w.emoji("sword")
	sword := object{"id": emoji, "name": "sword"}
	text := func(s string) object { return object{"type": TypeTextDisplay, "content": s} }
	shown := func(name, alt string) object {
		o := object{"media": object{"url": "attachment://" + name}}
		if alt != "" {
			o["description"] = alt
		}
		return o
	}
	thumbnail := shown("thumb.png", "A shield")
	thumbnail["type"] = TypeThumbnail
	withEmoji := pressable(ButtonPrimary, "Draw", "draw")
	withEmoji["emoji"] = sword
	w.bot.post(w.channel(), object{"flags": FlagComponentsV2, "components": list{object{"type": TypeContainer, "accent_color": 0x225588, "components": list{
		text("# A heading\nWords with <:sword:" + emoji + "> in them, ||a secret||, `code` and " + fmt.Sprintf("<t:%d:R>", someMonthsOn()) + ".\n-# small print"),
		object{"type": TypeSection, "components": list{text("Beside a picture")}, "accessory": thumbnail},
		object{"type": TypeSeparator, "spacing": 2},
		object{"type": TypeMediaGallery, "items": list{shown("a.png", "The first picture"), shown("b.png", "The second picture"), shown("c.png", "")}},
		row(withEmoji, pressable(ButtonSecondary, "Form", "form")),
		row(object{"type": TypeStringSelect, "custom_id": "card", "placeholder": "Choose a card", "options": list{
			object{"label": "Seven", "value": "7r", "description": "red seven", "emoji": sword}, object{"label": "Three", "value": "3b"}}}),
		object{"type": TypeTextDisplay, "content": strings.Repeat("W", 90)},
	}}}}, "thumb.png", "a.png", "b.png", "c.png")
	w.bot.post(w.channel(), object{"content": "<:sword:" + emoji + "> 🛡️"})
	return emoji
}

// What stands on the page is drawn as Discord draws it, at every width.
func browserLook(t *testing.T, w *browserWorld, browser context.Context) {
	emoji := w.everything()
	for _, width := range []int64{1280, 390, 360} {
		ann := newTab(t, browser, w.address(0), width, 844)
		ann.shows("#log h3", "A heading")
		ann.wait(`[...document.querySelectorAll("#log img")].every(i => i.complete && i.naturalWidth > 0)`)
		size := func(what string) string {
			return ann.eval(`(e => { const r = e.getBoundingClientRect(); return Math.round(r.width) + "x" + Math.round(r.height); })(` + what + `)`)
		}
		for what, want := range map[string]string{
			`document.querySelector("#log .md p:not(.jumbo) > .emoji")`: "22x22",
			`document.querySelector("#log .jumbo .emoji")`:              "48x48",
			`document.querySelector("#log .button .emoji")`:             "20x20",
			`document.querySelector("#log .thumbnail img")`:             "85x85",
		} {
			if got := size(what); got != want {
				t.Errorf("%d wide: %s is %s, want %s", width, what, got, want)
			}
		}
		ann.wait(fmt.Sprintf(`document.documentElement.scrollWidth <= %d && document.querySelector("#scroller").scrollWidth <= document.querySelector("#scroller").clientWidth`, width))
		ann.wait(fmt.Sprintf(`[...document.querySelectorAll("#log *")].every(e => e.getBoundingClientRect().right <= %d)`, width))
		ann.wait(`[...document.querySelectorAll("#log .button, #log select, #log .picture, #side button, #side select, #composer button")].every(e => { const r = e.getBoundingClientRect(); return r.width === 0 || (r.height >= 40 && r.width >= 40); })`)
		ann.wait(`[...document.images].every(i => i.hasAttribute("alt"))`)
		ann.wait(`document.querySelector('#log img[alt=":sword:"]') !== null && document.querySelector('#log option .emoji') !== null`)
		ann.do(`commandLine.openByName("paladin place"); commandLine.hint.textContent = "what an option is for, ".repeat(6)`)
		ann.wait(`(e => e.textContent === "Send" && e.getBoundingClientRect().height <= 48)(document.querySelector("#send-command"))`) // on one line
		ann.shot(fmt.Sprintf("look-%d", width))
	}
	ann := newTab(t, browser, w.address(0), 1280, 844)
	w.bot.call("DELETE", "applications/"+w.bot.appID+"/emojis/"+emoji, nil)
	ann.shows("#log .md", "Words with :sword: in them")
}

// A press on a picture shows it large, the arrows the next one, and Escape ends it where it began.
func browserEnlarge(t *testing.T, w *browserWorld, browser context.Context) {
	w.everything()
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.wait(`document.querySelectorAll("#log .gallery .picture").length === 3`)
	ann.do(`document.querySelector("#log .gallery .picture").focus()`)
	ann.keys(kb.Enter)
	large := `document.querySelector("#viewer-picture")`
	ann.wait(`document.querySelector("#viewer").open && ` + large + `.complete && ` + large + `.naturalWidth === 640`)
	ann.wait(large + `.alt === "The first picture" && ` + large + `.getBoundingClientRect().width > document.querySelector("#log .gallery img").getBoundingClientRect().width`)
	ann.wait(large + `.getBoundingClientRect().bottom <= innerHeight && ` + large + `.getBoundingClientRect().right <= innerWidth`)
	ann.shows("#viewer-text", "The first picture")
	ann.shot("enlarged")
	ann.keys(kb.ArrowRight)
	ann.wait(large + `.alt === "The second picture"`)
	ann.keys(kb.ArrowLeft + kb.ArrowLeft)
	ann.wait(large + `.alt === "A shield"`)
	ann.keys(kb.Escape)
	ann.wait(`!document.querySelector("#viewer").open && document.activeElement.matches("#log .thumbnail .picture")`)
	ann.wait(`document.querySelectorAll('#log .gallery .picture[aria-label="Picture without a description"]').length === 1`)

	phone := newTab(t, browser, w.address(0), 360, 740)
	phone.click("#log .thumbnail .picture")
	phone.wait(`document.querySelector("#viewer").open`)
	phone.wait(`[...document.querySelectorAll("#viewer .icon")].every(e => { const r = e.getBoundingClientRect(); return r.height >= 40 && r.width >= 40 && r.left >= 0 && r.right <= 360; })`)
	phone.click("#viewer [data-close]")
	phone.wait(`!document.querySelector("#viewer").open`)
}

// Everything is reached by Tab with a focus that is seen, and is used without a mouse.
func browserKeyboard(t *testing.T, w *browserWorld, browser context.Context) {
	w.everything()
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.wait(`document.querySelectorAll("#log .gallery .picture").length === 3`)
	ann.do(`document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")`)
	ann.do(`window.reached = []; addEventListener("focusin", (e) => {
		const s = getComputedStyle(e.target);
		reached.push(e.target);
		if (e.target.id !== "say" && (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2)) reached.unseen = e.target.outerHTML;
	})`)
	ann.keys(strings.Repeat(kb.Tab, 45))
	ann.wait(`reached.some(e => e.id === "say")`)
	if bad := ann.eval(`reached.unseen || ""`); bad != "" {
		t.Errorf("the focus is not seen on %s", bad)
	}
	if missed := ann.eval(`[...document.querySelectorAll("a[href], button, select, input, textarea, summary, [tabindex='0']")].filter(e => e.checkVisibility() && !e.disabled && !e.closest("dialog, option, select *") && !reached.includes(e)).map(e => e.outerHTML.slice(0, 120)).join("\n")`); missed != "" {
		t.Errorf("Tab does not reach\n%s", missed)
	}

	ann.do(`document.querySelector("#log .spoiler").focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.querySelector("#log .spoiler").matches(".shown")`)
	ann.do(`document.querySelector('[data-select="card"]').focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.querySelector('[data-select="card"]').matches(":open")`)
	ann.keys(kb.ArrowDown + kb.Escape)
	ann.wait(`!document.querySelector('[data-select="card"]').matches(":open")`)
	ann.hides("#log .md", "You chose")
	ann.keys(kb.Enter)
	ann.wait(`document.querySelector('[data-select="card"]').matches(":open")`)
	ann.keys(kb.ArrowDown + kb.Enter)
	ann.shows("#log .md", "You chose: ")
	ann.wait(`document.activeElement.dataset.select === "card" && document.querySelector("#log .spoiler").matches(".shown")`)

	ann.press("Form")
	ann.wait(`document.querySelector("#modal").open && document.querySelector("#modal").contains(document.activeElement)`)
	ann.keys(kb.Escape)
	ann.wait(`!document.querySelector("#modal").open && document.activeElement.dataset.press === "form"`)
}

// A form with every kind of field, filled in and sent.
func browserForm(t *testing.T, w *browserWorld, browser context.Context) {
	w.everything()
	ann := newTab(t, browser, w.address(0), 390, 844)
	ann.press("Form")
	ann.wait(`document.querySelector("#modal").open`)
	ann.shows("#modal legend", "Colours")
	ann.do(`const e = document.querySelector('#modal [data-select="card"]'); e.value = "b"; e.dispatchEvent(new Event("change", {bubbles: true}))`)
	ann.click(`#modal [data-group="radio"] .tick:nth-of-type(1) input`)
	ann.click(`#modal [data-group="boxes"] .tick:nth-of-type(1) input`)
	ann.click(`#modal [data-checkbox="box"]`)
	ann.shot("form")
	ann.wait(`[...document.querySelectorAll("#modal .tick, #modal .button, #modal select")].every(e => { const r = e.getBoundingClientRect(); return r.height >= 40 && r.left >= 0 && r.right <= 390; })`)
	ann.click(`#modal .buttons .primary`)
	ann.shows("#modal .error", "Choose at least 2.")
	ann.click(`#modal [data-group="boxes"] .tick:nth-of-type(2) input`)
	ann.click(`#modal .buttons .primary`)
	ann.shows("#log .md", "You wrote: brr+btrue")
}

// The language of a person's Discord goes with the person: their commands read in it, and their times.
func browserLanguage(t *testing.T, w *browserWorld, browser context.Context) {
	w.everything()
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.wait(`document.querySelector("#language").value === "en-US"`)
	ann.shows("#log time", "in ")
	ann.choose("#language", "de")
	ann.wait(`[...document.querySelectorAll("#log time[data-style=R]")].some(e => /^(in|vor) .*(Tag|Stunde|Monat|Jahr|Minute)/.test(e.innerText))`)
	ann.wait(`[...document.querySelectorAll("#log time")].every(e => !/day|at/.test(e.title))`)
	ann.click("#say")
	ann.keys("/leg")
	ann.shows("#say-list", "/paladin legen")
	ann.shows("#say-list", "Lege eine Karte (karte, quest")
	ann.keys(kb.Enter)
	ann.shows(".option label", "karte")
	ann.keys("7" + kb.Enter)
	ann.wait(`document.activeElement.dataset.option === "quest"`)
	ann.keys("quest 1" + kb.Enter + kb.Enter)
	ann.shows("#log .md", "Placed card=7r quest=1")

	ann.click(`#people [data-key="u` + w.user(1).ID + `"]`)
	ann.wait(`document.querySelector("#language").value === "en-US"`)
	ann.click(`#people [data-key="u` + w.user(0).ID + `"]`)
	ann.wait(`document.querySelector("#language").value === "de"`)
	if got := w.s.Locale(w.user(0).ID); got != "de" {
		t.Errorf("the language kept is %q", got)
	}

	ann.click("#open-menu")
	ann.choose("#guild-language", "fr")
	ann.wait(`document.querySelector('#guild-language option[value="fr"]').defaultSelected`)
	if got := w.s.Guilds("")[0].Locale; got != "fr" {
		t.Errorf("the server's language kept is %q", got)
	}
}

// Without a choice the page follows the system's theme; a choice stands against it.
func browserSystemTheme(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1000, 700)
	system := func(theme string) {
		ann.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
			return chromedp.Void{}, err
		})
	}
	isDark := `(c => c[0] + c[1] + c[2] < 300)(getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number))`
	system("dark")
	ann.wait(isDark)
	system("light")
	ann.wait("!" + isDark)
	ann.click("#theme")
	ann.wait(isDark)
	system("dark")
	system("light")
	ann.wait(isDark)
	ann.do(`localStorage.removeItem("theme")`)
}

// What changes on the board leaves a private answer to it alone: neither is it drawn anew, nor does it lose
// the focus.
func browserUndisturbed(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ben := newTab(t, browser, w.address(1), 1000, 700)
	ann.listen()
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
	ann.heard("Paladin:\nYour hand, @Ann: 7r 3b\nOnly you can see this.")
	private := `document.querySelector("#log li:has(.only-you)")`
	ann.do(`const b = ` + private + `.querySelector("[data-press]"); b.focus(); window.mine = b`)
	hash := ann.eval(private + `.dataset.hash`)
	ben.press("Join")
	ann.shows("#log strong", "1")
	if now := ann.eval(private + `.dataset.hash`); now != hash {
		t.Errorf("a press on the board drew the private message anew: %s, before %s", now, hash)
	}
	ann.wait(`document.activeElement === window.mine`)

	// A press that leads to another question keeps the focus in its message.
	ann.press("Place 7r")
	ann.shows("#log .md", "You placed")
	ann.wait(private + `.contains(document.activeElement)`)
	// Who hears the page is told what became of the message.
	ann.heard("You placed 7r.")
	ben.press("Join")
	ann.shows("#log strong", "2")
	ann.heard("")
}
