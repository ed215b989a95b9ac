package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The names in this world are as long as Discord allows, or written from right to left.
var (
	longName  = strings.Repeat("Wolfeschlegelsteinhausen", 2)[:32]
	rightName = "عبد الرحمن שלום"
	longWord  = strings.Repeat("Donaudampfschifffahrtsgesellschaft", 4)
)

// kinds posts one of every kind that Discord shows, one message for each, into the first channel.
func (w *browserWorld) kinds() {
	w.t.Helper()
	guild := w.s.Guilds("")[0].ID
	for _, name := range []string{longName, rightName} {
		if _, err := w.s.AddUser(name, guild); err != nil {
			w.t.Fatal(err)
		}
	}
	last := len(w.s.Users()) - 1
	sword := object{"id": w.emoji("sword"), "name": "sword"}
	w.postTexts(last, sword)
	w.postGalleries()
	w.postButtons(sword)
	w.postSelects(sword)
	w.postFiles()
	w.postOldKinds(sword)
	for _, n := range []int{last, last - 1} {
		for _, said := range []string{"said by " + w.user(n).Name(), longWord, "<@" + w.user(0).ID + "> come"} {
			if _, err := w.s.Say(w.t.Context(), w.user(n).ID, w.channel(), said); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.openTable(last-1, "A table of somebody with a long name")
	w.openTable(last, "A table of somebody with another name")
}

// post has the bot post a message of components, and returns its id.
func (w *browserWorld) post(components list, files ...string) string {
	w.t.Helper()
	return w.write(object{"flags": FlagComponentsV2, "components": components, "allowed_mentions": object{"parse": list{}}}, files...)
}

// write has the bot post a message of any kind. A channel takes five messages in five seconds.
func (w *browserWorld) write(message object, files ...string) string {
	w.t.Helper()
	w.clock.advance(2 * time.Second)
	return w.bot.post(w.channel(), message, files...)
}

func words(s string) object { return object{"type": TypeTextDisplay, "content": s} }

func boxed(parts ...any) object { return object{"type": TypeContainer, "components": parts} }

// with is a thing with something changed or added.
func with(o, more object) object {
	o = maps.Clone(o)
	maps.Copy(o, more)
	return o
}

func (w *browserWorld) postTexts(last int, sword object) {
	w.t.Helper()
	w.post(list{with(boxed(words("# Heading 1\n## Heading 2\n### Heading 3\nPlain, **bold**, *italic*, __underlined__, ~~struck~~, `code`, [a link](https://example.org/) and ||a secret||.\n-# small print\n> a quote\n- a list\n- of two\n1. first\n2. second\n```\na block of code\n```"),
		words(fmt.Sprintf("<@%s>, <@%s>, <@%s>, <#%s>, </paladin place:1>, <:sword:%s>, 🛡️", w.user(0).ID, w.user(last).ID, w.user(last-1).ID, w.channel(), sword["id"])),
		words(fmt.Sprintf("<t:%[1]d> <t:%[1]d:t> <t:%[1]d:T> <t:%[1]d:d> <t:%[1]d:D> <t:%[1]d:F> <t:%[1]d:R>", someMonthsOn()))), object{"accent_color": 0xb8860b})})
	section := func(accessory object, texts ...any) object {
		return object{"type": TypeSection, "components": texts, "accessory": accessory}
	}
	thumb := object{"type": TypeThumbnail, "media": object{"url": "attachment://thumb.png"}, "description": "A shield"}
	w.post(list{with(boxed(section(thumb, words("Beside a picture"), words("a second text"), words("-# and a third")),
		section(pressable(ButtonSecondary, "Details", "details"), words("Beside a button, with a text so long that it needs more than one line on a phone"))), object{"accent_color": 0x225588})}, "thumb.png")
	separator := func(line bool, spacing int) object {
		return object{"type": TypeSeparator, "divider": line, "spacing": spacing}
	}
	w.post(list{boxed(words("small line"), separator(true, 1), words("large line"), separator(true, 2), words("small gap"), separator(false, 1), words("large gap"), separator(false, 2), words("end")),
		words("outside"), separator(true, 1), words("of a container")})
}

// postGalleries posts galleries of one to ten pictures, one of them a spoiler.
func (w *browserWorld) postGalleries() {
	w.t.Helper()
	for n := 1; n <= 10; n++ {
		var items list
		var files []string
		for i := range n {
			name := fmt.Sprintf("p%d-%d.png", n, i)
			files = append(files, name)
			items = append(items, object{"media": object{"url": "attachment://" + name}, "description": fmt.Sprintf("Picture %d of %d", i+1, n), "spoiler": n == 5 && i == 1})
		}
		w.post(list{object{"type": TypeMediaGallery, "items": items}}, files...)
	}
}

func (w *browserWorld) postButtons(sword object) {
	w.t.Helper()
	styles := func(off bool) list {
		var buttons list
		for i, label := range []string{"Primary", "Secondary", "Success", "Danger"} {
			buttons = append(buttons, with(pressable(ButtonPrimary+i, label, fmt.Sprintf("%s %t", label, off)), object{"disabled": off}))
		}
		return append(buttons, object{"type": TypeButton, "style": ButtonLink, "label": "Rules", "url": "https://example.org/rules"})
	}
	w.post(list{boxed(row(styles(false)...), row(styles(true)...),
		row(with(pressable(ButtonPrimary, "With a picture", "pictured"), object{"emoji": sword}),
			object{"type": TypeButton, "style": ButtonSecondary, "custom_id": "emoji", "emoji": sword},
			object{"type": TypeButton, "style": ButtonSecondary, "custom_id": "shield", "emoji": object{"name": "🛡️"}},
			pressable(ButtonSecondary, strings.Repeat("Wide ", 15), "wide"), pressable(ButtonSecondary, rightName+" (3)", "right")))})
}

func (w *browserWorld) postSelects(sword object) {
	w.t.Helper()
	options := list{object{"label": "Seven", "value": "7r", "description": "red seven", "emoji": sword},
		object{"label": "Three", "value": "3b", "description": strings.Repeat("long ", 20)}, object{"label": rightName, "value": "r"}}
	chosen := list{object{"label": "Seven", "value": "7r", "default": true, "emoji": sword}, object{"label": "Three", "value": "3b", "default": true}}
	choice := func(id string, typ int, more object) object {
		return row(with(object{"type": typ, "custom_id": id, "placeholder": "Choose " + id}, more))
	}
	w.post(list{choice("card", TypeStringSelect, object{"options": options}),
		choice("preset", TypeStringSelect, object{"options": chosen[:1]}),
		choice("off", TypeStringSelect, object{"options": options, "disabled": true}),
		choice("people", TypeUserSelect, nil), choice("roles", TypeRoleSelect, nil),
		choice("anybody", TypeMentionableSelect, nil), choice("channels", TypeChannelSelect, nil),
		choice("several", TypeStringSelect, object{"options": options, "max_values": 2}),
		choice("several set", TypeStringSelect, object{"options": chosen, "max_values": 2}),
		choice("several off", TypeStringSelect, object{"options": options, "max_values": 2, "disabled": true})})
}

func (w *browserWorld) postFiles() {
	w.t.Helper()
	w.post(list{object{"type": TypeFile, "file": object{"url": "attachment://record.txt"}},
		object{"type": TypeFile, "file": object{"url": "attachment://secret.txt"}, "spoiler": true}}, "record.txt", "secret.txt")
	secret := func(text string) list {
		return list{with(boxed(words(text), row(pressable(ButtonPrimary, "In secret", "hidden"))), object{"spoiler": true})}
	}
	veiled := w.post(secret("A secret container"))
	w.bot.call("PATCH", "channels/"+w.channel()+"/messages/"+veiled, object{"components": secret("A changed secret")})
}

// postOldKinds posts what is not made of components.
func (w *browserWorld) postOldKinds(sword object) {
	w.t.Helper()
	w.write(object{"content": "Old kinds of files"}, "rules.txt", "plain.png", "SPOILER_end.png")
	w.write(object{"embeds": list{object{"title": "An embed", "description": "**With** text", "color": 0x1f7a43,
		"fields": list{object{"name": "A field", "value": "its value"}}, "footer": object{"text": "A footer"}}}})
	emojis := w.write(object{"content": fmt.Sprintf("<:sword:%s> 🛡️", sword["id"])})
	w.write(object{"content": "a reply", "message_reference": object{"message_id": emojis}})
	edited := w.write(object{"content": "to be changed"})
	w.bot.call("PATCH", "channels/"+w.channel()+"/messages/"+edited, object{"content": "has been changed"})
}

// contrasts is what on the page is read with less contrast than WCAG 2.2 demands at level AA, a line each: 4.5 for text,
// 3 for large text and for the rings and edges that show what has the focus or can be filled in. What is switched off
// need not be read by these rules; here it must have 4.5 as well, for labels on it say what a game stands at.
const contrasts = `(() => {
	const brush = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const rgba = (css) => {
		brush.clearRect(0, 0, 1, 1);
		brush.fillStyle = css;
		brush.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
	const shade = (e) => Number(getComputedStyle(e).opacity) || 1; // what is shown at a hover only is as shown
	const ground = (e) => {
		if (!e) return [255, 255, 255];
		const s = getComputedStyle(e), under = ground(e.parentElement);
		return over([...over(rgba(s.backgroundColor), under), shade(e)], under);
	};
	const seen = (e, colour) => {
		let c = over(rgba(colour), ground(e));
		for (let p = e; p; p = p.parentElement) if (shade(p) < 1) c = over([...c, shade(p)], ground(p.parentElement));
		return c;
	};
	const light = (c) => c.map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + .05) / (y + .05); };
	const bad = new Set();
	const check = (e, colour, what) => {
		const s = getComputedStyle(e), size = parseFloat(s.fontSize);
		const least = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700) ? 3 : 4.5;
		const r = ratio(seen(e, colour), ground(e));
		if (r < least) bad.add(r.toFixed(2) + " " + e.nodeName + "." + e.className + " " + what);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement, text = texts.currentNode.nodeValue.trim();
		if (!text || !e.checkVisibility({visibilityProperty: true}) || e.closest("svg, .symbol, .unseen, option, .spoiler:not(.shown), dialog#viewer")) continue;
		check(e, getComputedStyle(e).color, text.slice(0, 30));
	}
	for (const e of document.querySelectorAll("[placeholder]")) if (e.checkVisibility()) check(e, getComputedStyle(e, "::placeholder").color, e.placeholder);
	const probe = document.body.appendChild(document.createElement("i"));
	const token = (name) => { probe.style.color = "var(--" + name + ")"; return rgba(getComputedStyle(probe).color).slice(0, 3); };
	for (const on of ["ground", "side", "rail", "raised", "field", "private", "me", "secondary"]) {
		const wanted = ["ground", "raised", "field"].includes(on) ? ["focus", "edge"] : ["focus"];
		for (const name of wanted) if (ratio(token(name), token(on)) < 3) bad.add(name + " on " + on + " " + ratio(token(name), token(on)).toFixed(2));
	}
	for (const on of ["primary", "primary-hover", "success", "success-hover", "danger", "danger-hover", "badge"]) if (ratio([255, 255, 255], token(on)) < 4.5) bad.add("white on " + on);
	for (const on of ["mention", "raised"]) if (ratio(token("text"), token(on)) < 4.5) bad.add("choice on " + on);
	if (ratio(token("quiet"), token("raised")) < 4.5) bad.add("quiet on raised");
	probe.remove();
	return [...bad].join("\n");
})()`

// Everything can be read in both themes: every kind of message, dialogs, lists, errors, and what is switched off.
func browserContrast(t *testing.T, w *browserWorld, browser context.Context) {
	w.kinds()
	ann := newTab(t, browser, w.address(0), 1200, 900)
	check := func(what string) {
		t.Helper()
		for _, theme := range []string{"dark", "light"} {
			ann.do(`document.documentElement.dataset.theme = "` + theme + `"`)
			ann.wait(`document.getAnimations().every((a) => a.playState !== "running" || a.effect.getComputedTiming().iterations === Infinity)`)
			if bad := ann.eval(contrasts); bad != "" {
				t.Errorf("%s, %s:\n%s", what, theme, bad)
			}
			ann.shot("contrast-" + what + "-" + theme)
		}
	}
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
	ann.press("Think")
	ann.shows("#log .thinking", "is thinking")
	ann.do(`for (const d of document.querySelectorAll("#log details")) d.open = true; document.querySelector("#log .spoiler").click()`)
	ann.press("Silent")
	ann.wait(`document.querySelector('[data-press="silent"][aria-busy]') !== null`)
	w.letFail()
	ann.shows("#log .note", "failed")
	check("messages")
	ann.click("#say")
	ann.keys("/")
	ann.shows("#say-list", "/paladin new")
	check("commands")
	ann.keys(kb.Escape + "x" + kb.Enter)
	ann.shows("#composer-error", "No command here")
	check("error")
	ann.do(`document.querySelector("#say").value = ""`)
	ann.keys("/paladin place ")
	ann.wait(`document.activeElement.dataset.option === "card"`)
	ann.keys(kb.Escape + kb.Enter)
	check("options")
	ann.keys(kb.Escape)
	ann.click("#open-menu")
	check("menu")
	ann.keys(kb.Escape)
	ann.press("Note")
	ann.wait(`document.querySelector("#modal").open`)
	check("form")
}

// What is shown fits a phone, and a window of 1280 at 200 and at 400 percent, in both themes: nothing is cut off or stands out at the side, whatever
// the length of words and names, and what is pressed is as large as a fingertip.
func browserNarrow(t *testing.T, w *browserWorld, browser context.Context) {
	w.kinds()
	for _, width := range []int64{640, 390, 320} {
		ann := newTab(t, browser, w.address(0), width, 844)
		ann.press("My seat")
		ann.shows("#log .only-you", "Only you can see this")
		ann.do(`for (const d of document.querySelectorAll("#log details")) d.open = true`)
		if out := ann.eval(fmt.Sprintf(`[...document.querySelectorAll("#log *, #top *, #composer *")].filter(e => !e.closest(".unseen, pre, option") && e.checkVisibility()).filter(e => { const r = e.getBoundingClientRect(); return r.width && (r.right > %d.5 || r.left < -0.5); }).map(e => e.outerHTML.slice(0, 120)).join("\n")`, width)); out != "" {
			t.Errorf("%d wide, this stands out at the side:\n%s", width, out)
		}
		ann.wait(fmt.Sprintf(`document.documentElement.scrollWidth <= %d && document.querySelector("#scroller").scrollWidth <= document.querySelector("#scroller").clientWidth`, width))
		least := 40
		if width < 400 {
			least = 44
		}
		if small := ann.eval(fmt.Sprintf(`[...document.querySelectorAll("#log .button, #log select, #log summary, #log .tick, #log .icon, #log .words, #top button, #composer button, #say")].filter(e => e.checkVisibility()).filter(e => { const r = e.getBoundingClientRect(), row = e.matches(".words, .icon, .tick, .container > summary, .veil > summary"); return r.height < (row ? 40 : %d) || r.width < 40; }).map(e => { const r = e.getBoundingClientRect(); return Math.round(r.width) + "x" + Math.round(r.height) + " " + e.outerHTML.slice(0, 120); }).join("\n")`, least)); small != "" {
			t.Errorf("%d wide, this is small to be pressed:\n%s", width, small)
		}
		if os.Getenv("SANDBOX_SHOTS") != "" {
			for _, theme := range []string{"dark", "light"} {
				ann.do(`document.documentElement.dataset.theme = "` + theme + `"`)
				ann.tall(fmt.Sprintf("narrow-%d-%s", width, theme))
			}
		}
	}
}

// tall takes pictures of all messages from above to below.
func (b *tab) tall(name string) {
	b.do(`document.querySelector("#scroller").scrollTop = 0`)
	for n := range 30 {
		b.shot(fmt.Sprintf("%s-%d", name, n))
		if b.eval(`(() => { const s = document.querySelector("#scroller"), top = s.scrollTop; s.scrollTop += s.clientHeight - 30; return String(s.scrollTop === top); })()`) == "true" {
			return
		}
	}
}

// Who wants no motion sees none.
func browserStill(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	})
	ann.press("Think")
	ann.shows("#log .thinking", "is thinking")
	ann.press("Silent")
	ann.wait(`document.querySelector('[data-press="silent"][aria-busy]') !== null`)
	ann.wait(`document.getAnimations().length === 0`)
}

// A thousand messages are shown and kept up to date, each drawn once; what comes to one of them draws no other anew.
func browserLong(t *testing.T, w *browserWorld, browser context.Context) {
	for i := range 1000 {
		if _, err := w.s.Say(t.Context(), w.user(i%2).ID, w.channel(), fmt.Sprintf("message %d, <t:%d:R>", i, someMonthsOn())); err != nil {
			t.Fatal(err)
		}
	}
	first, err := w.s.Messages(w.user(0).ID, w.channel())
	if err != nil {
		t.Fatal(err)
	}
	ann := newTab(t, browser, w.address(0)+"#m"+first[0].ID, 1000, 700)
	ann.wait(`document.querySelectorAll("#log > li").length === 1000`)
	ann.wait(`document.activeElement.id === "m` + first[0].ID + `"`)
	// One who came to the first message reaches what is written on in one step, and not over a thousand messages.
	ann.do(`document.querySelector(".skip").focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.activeElement.id === "say"`)
	ann.do(`window.changed = new Set();
		new MutationObserver((list) => { for (const m of list) changed.add((m.target.closest ?? m.target.parentElement.closest).call(m.target.closest ? m.target : m.target.parentElement, "li.message")?.id ?? m.target.id); })
			.observe(document.querySelector("#log"), {subtree: true, childList: true, characterData: true})`)
	ann.keys("one more" + kb.Enter)
	ann.shows("#log .md", "one more")
	ann.wait(`document.querySelectorAll("#log > li").length === 1000`) // the oldest has gone
	if got := ann.eval(`[...changed].join()`); got != "log" {
		t.Errorf("one more message draws anew: %.200s", got)
	}
}
