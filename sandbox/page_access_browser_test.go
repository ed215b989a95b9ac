package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	ann.press("My seat")
	ann.shows("#log .only-you", "Only you can see this")
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
	for n := 2; n < 4; n++ { // however fast
		ann.press("Join")
		ann.heard(fmt.Sprintf("Joined: %d, %s", n, until))
	}
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
	w.letFail()
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

// The list of channels says what each is and whether something waits in it, the head of the page what the channel is about.
func browserPlaces(t *testing.T, w *browserWorld, browser context.Context) {
	guild := w.s.Guilds("")[0].ID
	if _, err := w.s.AddChannel(guild, strings.Repeat("long-name-", 9)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.AddThread(w.channel(), "A thread of "+rightName); err != nil {
		t.Fatal(err)
	}
	if err := w.s.SetPermissions(w.channel(), PermAll); err != nil {
		t.Fatal(err)
	}
	topic := "What is played here, " + strings.Repeat("and what is said of it, ", 8)
	w.bot.call("PATCH", "channels/"+w.channel(), object{"topic": topic})
	channels, err := w.s.Channels(w.user(0).ID)
	if err != nil {
		t.Fatal(err)
	}
	other := channels[slices.IndexFunc(channels, func(c Channel) bool { return c.Name == "second-table" })]
	if _, err := w.s.Say(t.Context(), w.user(1).ID, other.ID, "<@"+w.user(0).ID+"> here"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.OpenDM(w.user(0).ID); err != nil {
		t.Fatal(err)
	}
	ann := newTab(t, browser, w.address(0), 1200, 800)
	ann.shows("#heading .topic", "What is played here")
	ann.wait(`document.querySelector("#places .badge") !== null`)
	ann.wait(`document.querySelector("#heading").scrollWidth <= document.querySelector("#heading").clientWidth && document.querySelector("#heading .bot").checkVisibility() && [...document.querySelectorAll("#heading h2 bdi, #heading .me bdi")].every(e => e.scrollWidth <= e.clientWidth)`)
	nodes := ann.tree()
	for _, want := range []axNode{
		{role: "link", name: "paladin-table"}, {role: "link", name: "A thread of " + rightName + " thread"},
		{role: "link", name: "second-table 1 notification"}, {role: "link", name: "Paladin"},
		{role: "heading", name: "Direct messages", properties: map[string]string{"level": "2"}},
	} {
		if !slices.ContainsFunc(nodes, want.is) {
			t.Errorf("the list does not say %q", want.name)
		}
	}
	if bad := ann.eval(contrasts); bad != "" {
		t.Errorf("too faint:\n%s", bad)
	}
	ann.shot("places")
	// What is cut off is shown whole where the pointer rests.
	ann.do(`document.querySelector("#heading .topic bdi").dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))`)
	ann.wait(`document.querySelector("#heading .topic").title.endsWith("said of it,")`)
	phone := newTab(t, browser, w.address(0), 390, 844)
	phone.click("#drawer")
	phone.wait(`document.querySelector("#side").getBoundingClientRect().left === 0`)
	phone.wait(`[...document.querySelectorAll("#side a, #side button, #side select")].every(e => { const r = e.getBoundingClientRect(); return r.height >= 40 && r.width >= 40 && r.right <= 390; })`)
	phone.shot("places-phone")
}

// The fields of a form say what they are for and what is wrong with them; the focus cannot leave it.
func browserFields(t *testing.T, w *browserWorld, browser context.Context) {
	w.everything()
	ann := newTab(t, browser, w.address(0), 1000, 900)
	ann.press("Form")
	ann.wait(`document.querySelector("#modal").open`)
	nodes := ann.tree()
	for _, want := range []axNode{
		{role: "dialog", name: "Everything", properties: map[string]string{"modal": "true"}},
		{role: "combobox", name: "Card required"},
		{role: "group", name: "Colour required"}, {role: "radio", name: "Red beats blue"}, {role: "group", name: "Colours required"}, {role: "checkbox", name: "Blue"},
		{role: "DisclosureTriangle", name: "Quests Make a selection"}, {role: "checkbox", name: "Aloud yes"},
	} {
		if !slices.ContainsFunc(nodes, want.is) {
			t.Errorf("the form has no %+v", want)
		}
	}
	ann.do(`window.left = ""; addEventListener("focusin", (e) => { if (!e.target.closest("#modal")) left = e.target.outerHTML; })`)
	ann.keys(strings.Repeat(kb.Tab, 24))
	if left := ann.eval("left"); left != "" {
		t.Errorf("the focus leaves the form for %s", left)
	}
	// Escape closes the list that is open, and the form only when none is.
	ann.do(`document.querySelector("#modal summary").focus()`)
	ann.keys(kb.Enter)
	ann.wait(`document.querySelector("#modal .several").open`)
	ann.keys(kb.Tab + " " + kb.Escape)
	ann.wait(`!document.querySelector("#modal .several").open && document.querySelector("#modal").open && document.activeElement.matches("#modal summary")`)
	ann.do(`const e = document.querySelector('#modal [data-select="card"]'); e.value = "b"; e.dispatchEvent(new Event("change", {bubbles: true}))`)
	ann.do(`document.querySelector("#modal .buttons .primary").focus()`)
	ann.keys(kb.Enter)
	ann.shows("#modal .error", "Colour: Choose at least 1.")
	ann.wait(`document.activeElement.matches('#modal [data-group="radio"] input')`)
	ann.keys(kb.Escape)
	ann.wait(`!document.querySelector("#modal").open && document.activeElement.dataset.press === "form"`)

	w.openTable(0, "The table")
	ann.press("Note")
	ann.wait(`document.querySelector("#modal").open`)
	if !slices.ContainsFunc(ann.tree(), func(n axNode) bool {
		return n.role == "textbox" && n.name == "Note required" && n.description == "Only you see it"
	}) {
		t.Error("the field of the note does not say what it is for")
	}
	ann.keys(kb.Escape)
	ann.wait(`!document.querySelector("#modal").open`)
}

// Several things are chosen by the keyboard: the list gives the focus back, and shows what the message says is chosen.
func browserSeveral(t *testing.T, w *browserWorld, browser context.Context) {
	w.openTable(0, "The table")
	ann := newTab(t, browser, w.address(0), 1000, 700)
	list := `document.querySelector('[data-select="several"]')`
	ann.wait(list + ` !== null`)
	ann.do(list + `.querySelector("summary").focus()`)
	ann.keys(kb.Enter + kb.Tab + " " + kb.Escape)
	ann.wait(`!` + list + `.open && document.activeElement === ` + list + `.querySelector("summary")`)
	ann.keys(kb.Enter + kb.Tab + kb.Tab + " " + kb.Tab + kb.Tab + kb.Enter)
	ann.shows("#log .md", "You chose: 1 and 2")
	ann.wait(`!` + list + `.open && document.activeElement === ` + list + `.querySelector("summary") && ` + list + `.querySelector(":checked") === null`)
}

// The line for writing is a box with a list of its own: the arrows go through the commands, and only through them.
func browserCombobox(t *testing.T, w *browserWorld, browser context.Context) {
	ann := newTab(t, browser, w.address(0), 1000, 700)
	ann.click("#say")
	ann.keys("a word" + kb.ArrowDown)
	ann.wait(`document.querySelector("#say-list").hidden && document.querySelector("#say").getAttribute("aria-expanded") === "false"`)
	ann.do(`document.querySelector("#say").value = ""`)
	ann.keys("/")
	ann.shows("#say-list", "/paladin new")
	box := func() axNode {
		nodes := ann.tree()
		return nodes[slices.IndexFunc(nodes, func(n axNode) bool { return n.name == "/ for commands, or a message" && n.role == "combobox" })]
	}
	if b := box(); b.properties["expanded"] != "true" {
		t.Errorf("the box does not say that its list is open: %+v", b)
	}
	ann.keys(kb.ArrowUp)
	ann.wait(`document.querySelector("#say-list [aria-selected=true]") === document.querySelector("#say-list").lastElementChild`)
	ann.keys(kb.ArrowDown)
	ann.wait(`document.querySelector("#say").getAttribute("aria-activedescendant") === "say-list-0" && document.querySelector("#say-list-0").getAttribute("aria-selected") === "true"`)
	ann.keys(kb.Escape)
	ann.wait(`document.querySelector("#say-list").hidden && !document.querySelector("#say").hasAttribute("aria-activedescendant")`)
	if b := box(); b.properties["expanded"] != "false" {
		t.Errorf("the box says that its list is open: %+v", b)
	}
	ann.do(`document.querySelector("#say").value = ""`)
	ann.keys("/paladin place ")
	ann.wait(`document.activeElement.dataset.option === "card"`)
	ann.shows(".option .list", "7r (in hand)")
	nodes := ann.tree()
	for _, want := range []axNode{
		{role: "form", name: "Command /paladin place"}, {role: "listbox", name: "Suggestions"}, {role: "option", name: "7r (in hand)", properties: map[string]string{"selected": "true"}},
		{role: "combobox", name: "card required", properties: map[string]string{"expanded": "true", "required": "true"}}, {role: "combobox", name: "friend optional", properties: map[string]string{"expanded": "false"}},
	} {
		if !slices.ContainsFunc(nodes, want.is) {
			t.Errorf("the command line has no %+v", want)
		}
	}
	ann.listen()
	ann.keys(kb.Escape + kb.Enter) // nothing is chosen
	ann.shows(".option .fault", "This option is required.")
	ann.heard("This option is required.")
	if !slices.ContainsFunc(ann.tree(), func(n axNode) bool {
		return n.name == "card required" && strings.Contains(n.description, "A card of your hand") && strings.Contains(n.description, "This option is required.") && n.properties["invalid"] == "true"
	}) {
		t.Error("the option does not say what is wrong with it")
	}
}
