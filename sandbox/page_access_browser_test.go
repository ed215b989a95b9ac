package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axNode is what a screen reader is told of one thing on the page.
type axNode struct {
	role, name, description, value, indent string
	properties                             map[string]string
}

// tree is all that a screen reader is told of the page.
func (b *tab) tree() []axNode {
	b.t.Helper()
	var nodes []axNode
	depths := make(map[accessibility.NodeID]int)
	b.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		all, err := cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		for _, n := range all.Nodes {
			depths[n.NodeID] = depths[n.ParentID] + 1
			if n.Ignored {
				continue
			}
			node := axNode{axText(n.Role), axText(n.Name), axText(n.Description), axText(n.Value), strings.Repeat(" ", depths[n.NodeID]), make(map[string]string)}
			for _, p := range n.Properties {
				node.properties[string(p.Name)] = axText(p.Value)
			}
			nodes = append(nodes, node)
		}
		return chromedp.Void{}, err
	})
	return nodes
}

func axText(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var text any
	if json.Unmarshal([]byte(v.Value), &text) != nil {
		return ""
	}
	return fmt.Sprint(text)
}

// listen notes from now on what the live regions of the page say.
func (b *tab) listen() {
	b.t.Helper()
	b.do(`window.said = [];
		const live = "[role=alert], [role=status], [role=log], [aria-live]";
		const note = (where, node) => {
			const region = (where.nodeType === 1 ? where : where.parentElement)?.closest(live);
			if (!region || region.getAttribute("aria-live") === "off" || !region.checkVisibility() || (document.querySelector("dialog[open]") && !region.closest("dialog"))) return;
			const text = node.textContent.trim();
			if (text) said.push(text);
		};
		new MutationObserver((list) => {
			for (const m of list) {
				for (const n of m.addedNodes) note(n.matches?.(live) ? n : m.target, n);
				if (m.type === "characterData") note(m.target, m.target);
			}
		}).observe(document.body, {subtree: true, childList: true, characterData: true})`)
}

// heard waits until the text has been said and demands that nothing else has been since it was asked before; "" is nothing.
func (b *tab) heard(text string) {
	b.t.Helper()
	if text != "" {
		b.wait(fmt.Sprintf(`said.includes(%q)`, text))
	}
	if got := b.eval(`said.splice(0).join("|")`); got != text {
		b.t.Errorf("heard %q, want %q", got, text)
	}
}

// Whatever can have the focus has a name and a role that say what it is, and says what state it is in.
func browserTree(t *testing.T, w *browserWorld, browser context.Context) {
	w.kinds()
	ann := newTab(t, browser, w.address(0), 1200, 900)
	ann.shows("#log h3", "A table of somebody with another name")
	ann.wait(`document.querySelector("#people .badge") === null`)
	nodes := ann.tree()
	for _, n := range nodes {
		if n.properties["focusable"] == "true" && n.name == "" && n.role != "listitem" {
			t.Errorf("a %s without a name can have the focus: %+v", n.role, n)
		}
		if n.name != "" && n.description == n.name {
			t.Errorf("said twice: %s %q", n.role, n.name)
		}
	}
	for _, want := range []axNode{
		{role: "navigation", name: "People: who you are"}, {role: "navigation", name: "Channels"}, {role: "main"},
		{role: "region", name: "Messages"}, {role: "log", name: "Messages of this channel"},
		{role: "link", name: "Ann (you)"}, {role: "link", name: rightName}, {role: "link", name: "second-table"},
		{role: "button", name: "Add a person", properties: map[string]string{"hasPopup": "dialog"}},
		{role: "button", name: "Send the message"}, {role: "combobox", name: "Your Discord language"},
		{role: "combobox", name: "/ for commands, or a message", properties: map[string]string{"expanded": "false", "hasPopup": "listbox", "autocomplete": "list"}},
		{role: "heading", name: "Heading 1", properties: map[string]string{"level": "3"}},
		{role: "button", name: "Spoiler, press to show"}, {role: "group", name: "Code"}, {role: "image", name: ":sword:"},
		{role: "link", name: "A shield", properties: map[string]string{"hasPopup": "dialog"}}, {role: "link", name: "Picture 10 of 10"},
		{role: "DisclosureTriangle", name: "Spoiler: Picture 2 of 5", properties: map[string]string{"expanded": "false"}},
		{role: "button", name: "Primary"}, {role: "button", name: "Danger", properties: map[string]string{"disabled": "true"}},
		{role: "button", name: ":sword: With a picture"}, {role: "button", name: ":sword:"}, {role: "link", name: "Rules"},
		{role: "combobox", name: "Choose card", value: "Choose card"}, {role: "combobox", name: "Choose preset", value: ":sword: Seven"},
		{role: "combobox", name: "Choose off", properties: map[string]string{"disabled": "true"}},
		{role: "combobox", name: "Choose people"}, {role: "combobox", name: "Choose roles"}, {role: "combobox", name: "Choose anybody"}, {role: "combobox", name: "Choose channels"},
		{role: "DisclosureTriangle", name: "Choose several"}, {role: "DisclosureTriangle", name: "Choose several set: Seven, Three"},
		{role: "combobox", name: "Choose several off", properties: map[string]string{"disabled": "true"}},
		{role: "link", name: "record.txt"}, {role: "DisclosureTriangle", name: "Spoiler: a file"}, {role: "DisclosureTriangle", name: "Spoiler: show or hide"},
		{role: "article", name: longName}, {role: "article", name: "Paladin"},
	} {
		if !slices.ContainsFunc(nodes, want.is) {
			t.Errorf("nothing on the page is %+v", want)
		}
	}
	// A moment is told whole beside whatever is shown of it.
	moment := ann.eval(`timeText(` + fmt.Sprint(someMonthsOn()/86400*86400) + `, "F").slice(0, 6)`)
	if moment == "" || !slices.ContainsFunc(nodes, func(n axNode) bool { return n.role == "time" && strings.HasPrefix(n.description, moment) }) {
		t.Errorf("no moment is told whole, as %q", moment)
	}
}

// is says whether a node is as the wanted one names it.
func (want axNode) is(n axNode) bool {
	for name, value := range want.properties {
		if n.properties[name] != value {
			return false
		}
	}
	return n.role == want.role && n.name == want.name && (want.value == "" || n.value == want.value)
}

// What happens is said once, to who hears the page and does not see it.
func browserHeard(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.listen()
	w.openTable(1, "Ben's table")
	until := "waiting until " + ann.eval(fmt.Sprintf(`timeText(%d, "R")`, someMonthsOn()))
	ann.heard("Ben used /paladin new\nPaladin:\nBen's table\nJoined: 0, " + until + "\nthree quests, five cards each\nQuest 1 · honour 7 · red\n7r Ann leads\nface down, Ben")
	ann.press("Join")
	ann.heard("The table\nJoined: 1, " + until)
	if _, err := w.s.Say(t.Context(), w.user(1).ID, w.channel(), "a ||veiled|| **word** 🛡️"); err != nil {
		t.Fatal(err)
	}
	ann.heard("Ben:\na (spoiler) word 🛡️")
	ann.do(`document.querySelector("#log .spoiler").focus()`)
	ann.keys(kb.Enter)
	ann.heard("veiled")
	ann.press("Think")
	ann.heard("Paladin:\nPaladin is thinking…\nOnly you can see this.")
	w.bot.finish("Thought it over.")
	ann.heard("Thought it over.")
	ann.press("Silent")
	ann.wait(`document.querySelector("[data-press=silent][aria-busy]") !== null`)
	w.clock.advance(4 * time.Second)
	w.s.Expire()
	ann.heard("This interaction failed")

	// What comes while a form is open is said after it.
	ann.press("Note")
	ann.wait(`document.querySelector("#modal").open`)
	if _, err := w.s.Say(t.Context(), w.user(1).ID, w.channel(), "meanwhile"); err != nil {
		t.Fatal(err)
	}
	ann.shows("#log .md", "meanwhile")
	ann.heard("")
	ann.keys(kb.Escape)
	ann.heard("Ben:\nmeanwhile")

	// Who comes somewhere else hears where, and not all that stands there.
	ann.click(`#people [data-key="u` + w.user(1).ID + `"]`)
	ann.heard("You are Ben, in #paladin-table.")
	ann.click("#say")
	ann.keys("/nothing")
	ann.shows("#say-list", "No command here is called that.")
	ann.wait(`said.at(-1) === "No command here is called that."`)
	ann.keys(kb.Escape)
	ann.do(`said.length = 0`)
	ann.keys(kb.Enter)
	ann.heard("No command here is called /nothing. Type / alone to see those there are.")

	// A lost connection is said once, however often it is tried again.
	w.listener.cut()
	ann.wait(`tries > 2`)
	ann.heard("Connection to the sandbox lost: what you see may be old. Trying again…")
}

// The focus stays where somebody works, whatever becomes of the thing that had it.
func browserFocus(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
	in := func(selector string) {
		t.Helper()
		ann.wait(`document.activeElement.closest(` + fmt.Sprintf("%q", selector) + `) !== null`)
	}

	// A button that is switched off by its own press.
	ann.do(`document.querySelector("[data-press=details]").focus()`)
	board := ann.eval(`document.querySelector("#log li").dataset.message`)
	off := pressable(ButtonSecondary, "Details", "details")
	off["disabled"] = true
	w.bot.call("PATCH", "channels/"+w.channel()+"/messages/"+board, object{"components": list{row(off, pressable(ButtonPrimary, "Join", "join"))}})
	ann.wait(`document.querySelector("[data-press=details]").disabled`)
	in("#m" + board)
	ann.wait(`!document.activeElement.matches(":disabled")`)
	// A form whose button is gone when it closes.
	w.bot.call("PATCH", "channels/"+w.channel()+"/messages/"+board, w.bot.board("Again"))
	ann.press("Note")
	ann.wait(`document.querySelector("#modal").open`)
	w.bot.call("PATCH", "channels/"+w.channel()+"/messages/"+board, object{"components": list{row(pressable(ButtonPrimary, "Join", "join"))}})
	ann.wait(`document.querySelector("[data-press=note]") === null`)
	ann.keys(kb.Escape)
	in("#m" + board)
	// A message that is dismissed, and one that is deleted.
	ann.do(`document.querySelector("[data-dismiss]").focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.querySelector("[data-dismiss]") === null`)
	in("#m" + board)
	ann.do(`document.querySelector("[data-delete]").focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.activeElement.closest("#confirm") !== null`)
	ann.keys(kb.Tab + kb.Enter)
	ann.wait(`document.querySelector("#log li") === null`)
	in("#scroller")
	// A line of the menu that turns into another, and one that is gone.
	ann.do(`document.querySelector("#open-menu").focus()`)
	ann.keys(kb.Enter)
	ann.do(`document.querySelector("[data-do=close-dms]").focus()`)
	ann.keys(kb.Enter)
	ann.shows("#menu-body", "Ann refuses direct messages")
	in("[data-do=close-dms]")
	ann.wait(`document.querySelector("#menu-said").textContent.startsWith("Ann refuses")`)
	ann.do(`document.querySelector("#menu [data-do=leave]").focus()`)
	ann.keys(kb.Enter)
	ann.click("#confirm-yes")
	ann.shows("#menu-body", "Not a member of")
	in("#menu")
	ann.keys(kb.Escape)
	in("#open-menu")
}
