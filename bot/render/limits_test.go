package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/paladin"
	"paladin/game/table"
)

// checker counts a message's parts against Discord's limits.
type checker struct {
	t              testing.TB
	what           string
	parts          int
	units, bytes   int
	customIDs      map[string]bool
	attachedByName map[string]bool
}

// checkLimits reports every limit of Discord that a message breaks.
func checkLimits(t testing.TB, what string, m discord.Message) {
	t.Helper()
	c := &checker{t: t, what: what, customIDs: map[string]bool{}, attachedByName: map[string]bool{}}
	if len(m.Components) == 0 {
		t.Errorf("%s: an empty message", what)
	}
	if len(m.Nonce) > 25 {
		t.Errorf("%s: nonce of %d", what, len(m.Nonce))
	}
	for _, f := range m.Files {
		c.attachedByName["attachment://"+f.Name] = true
		if len(f.Description) > 1024 {
			t.Errorf("%s: alt text of %d", what, len(f.Description))
		}
	}
	c.walk(m.Components, 0)
	if c.parts > 40 {
		t.Errorf("%s: %d components, Discord allows 40", what, c.parts)
	}
	if c.units > 4000 {
		t.Errorf("%s: %d UTF-16 units of text, Discord allows 4000", what, c.units)
	}
	if c.bytes > 10000 {
		t.Errorf("%s: %d processed bytes, Discord fails above 10170", what, c.bytes)
	}
}

func (c *checker) walk(parts []discordgo.MessageComponent, depth int) {
	c.t.Helper()
	for _, part := range parts {
		c.parts++
		switch part := part.(type) {
		case discordgo.Container:
			if depth > 0 {
				c.t.Errorf("%s: a container within a container", c.what)
			}
			if len(part.Components) == 0 || len(part.Components) > 40 {
				c.t.Errorf("%s: a container of %d", c.what, len(part.Components))
			}
			c.walk(part.Components, depth+1)
		case discordgo.TextDisplay:
			c.text(part.Content)
		case discordgo.Separator:
		case discordgo.FileComponent:
			if !c.attachedByName[part.File.URL] {
				c.t.Errorf("%s: file %q is not attached", c.what, part.File.URL)
			}
		case discordgo.ActionsRow:
			c.row(part)
		case discordgo.MediaGallery:
			c.gallery(part)
		default:
			c.t.Errorf("%s: component %T", c.what, part)
		}
	}
}

func (c *checker) gallery(g discordgo.MediaGallery) {
	if len(g.Items) < 1 || len(g.Items) > 10 {
		c.t.Errorf("%s: a gallery of %d pictures", c.what, len(g.Items))
	}
	for _, item := range g.Items {
		if !strings.HasPrefix(item.Media.URL, "attachment://") || item.Description == nil || *item.Description == "" || utf16Length(*item.Description) > maxAlternative {
			c.t.Errorf("%s: a picture without its words: %+v", c.what, item)
		}
	}
}

func (c *checker) text(s string) {
	c.t.Helper()
	c.units += utf16Length(s)
	c.bytes += len(s) + 12
	if strings.TrimSpace(s) == "" {
		c.t.Errorf("%s: an empty text", c.what)
	}
	if !utf8.ValidString(s) {
		c.t.Errorf("%s: invalid UTF-8: %q", c.what, s)
	}
	for _, bad := range []string{"@everyone", "@here", "<@&", "%!", "\u202e", "\x00", "nobody:"} {
		if strings.Contains(s, bad) {
			c.t.Errorf("%s: %q in %q", c.what, bad, s)
		}
	}
}

func (c *checker) row(row discordgo.ActionsRow) {
	c.t.Helper()
	buttons, menus := 0, 0
	for _, part := range row.Components {
		c.parts++
		switch part := part.(type) {
		case discordgo.Button:
			buttons++
			c.button(part)
		case discordgo.SelectMenu:
			menus++
			c.menu(part)
		default:
			c.t.Errorf("%s: %T in a row", c.what, part)
		}
	}
	if fine := buttons >= 1 && buttons <= 5 && menus == 0 || buttons == 0 && menus == 1; !fine {
		c.t.Errorf("%s: a row of %d buttons and %d menus", c.what, buttons, menus)
	}
}

func (c *checker) customID(id string) {
	c.t.Helper()
	if len(id) < 1 || len(id) > 100 {
		c.t.Errorf("%s: custom id of %d characters: %q", c.what, len(id), id)
	}
	if c.customIDs[id] {
		c.t.Errorf("%s: custom id %q twice", c.what, id)
	}
	c.customIDs[id] = true
	if _, err := press.Parse(id); err != nil {
		c.t.Errorf("%s: custom id %q: %v", c.what, id, err)
	}
}

func (c *checker) button(b discordgo.Button) {
	c.t.Helper()
	c.length("label", b.Label, 1, 80)
	if b.Style == discordgo.LinkButton {
		if b.CustomID != "" || len(b.URL) > 512 || !strings.HasPrefix(b.URL, "https://") {
			c.t.Errorf("%s: link button %+v", c.what, b)
		}
		return
	}
	c.customID(b.CustomID)
}

func (c *checker) menu(m discordgo.SelectMenu) {
	c.t.Helper()
	c.customID(m.CustomID)
	c.length("placeholder", m.Placeholder, 0, 150)
	most := max(1, m.MaxValues)
	if most > 25 || m.MinValues != nil && (*m.MinValues < 0 || *m.MinValues > most) {
		c.t.Errorf("%s: select of %v to %d values", c.what, m.MinValues, m.MaxValues)
	}
	if m.MenuType != discordgo.StringSelectMenu {
		return
	}
	if len(m.Options) < 1 || len(m.Options) > 25 {
		c.t.Errorf("%s: %d options", c.what, len(m.Options))
	}
	values := map[string]bool{}
	for _, o := range m.Options {
		c.length("option", o.Label, 1, 100)
		c.length("option value", o.Value, 1, 100)
		c.length("option description", o.Description, 0, 100)
		if values[o.Value] {
			c.t.Errorf("%s: option value %q twice", c.what, o.Value)
		}
		values[o.Value] = true
	}
}

func (c *checker) length(what, s string, least, most int) {
	c.t.Helper()
	if n := utf16Length(s); n < least || n > most {
		c.t.Errorf("%s: %s of %d units: %q", c.what, what, n, s)
	}
}

// everyMessage calls check with the messages that the present position can lead to: those for everybody, and the panels, with a few
// of what can be chosen.
func everyMessage(pr *Printer, g *game, r *rand.Rand, check func(what string, m discord.Message)) {
	p, opt := g.public(), panelOptions(g)
	link := opt.BoardLink
	check("board", pr.Board(p, Links{}))
	check("board with next", pr.Board(p, Links{Next: link}))
	check("retired", pr.Retired(p, link))
	check("spectator", pr.Spectator(p, "1", PanelOptions{BoardLink: link}))
	check("manage", pr.Manage(p, p.Host, opt.Note))
	check("stop", pr.ConfirmStop(p))
	check("cancel", pr.ConfirmCancel(p, 4))
	check("force stop", pr.ConfirmForceStop(p, false))
	check("force stop of one who plays", pr.ConfirmForceStop(p, true))
	check("already open", pr.AlreadyOpen(p, true, link))
	check("goodbye", pr.Goodbye(p, strings.Repeat("*", 100), strings.Repeat("#", 100)))
	check("call after the end", pr.OverCall(p, g.table.People(), link))
	for i := range p.Seats {
		seat := paladin.Seat(i)
		check("turn ping", pr.TurnPing(p, seat, link))
		check("no DM", pr.NoDM(p, seat))
		own := g.private(seat)
		if own == nil {
			continue
		}
		check("leave", pr.ConfirmLeave(own))
		check("panel", pr.Panel(own, Selection{}, PanelOptions{}))
		if !own.MyTurn() {
			check("panel in a DM", pr.Panel(own, Selection{}, opt))
			continue
		}
		for _, sel := range some(r, 6, selections(own)) {
			check(fmt.Sprintf("panel with %+v", sel), pr.Panel(own, sel, opt))
		}
	}
}

// some are at most n of the items, at random.
func some[T any](r *rand.Rand, n int, items []T) []T {
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items[:min(n, len(items))]
}

// selections are all that could be chosen in a panel now, legal or not.
func selections(p *table.Private) []Selection {
	sels := []Selection{
		{}, {Card: "zz", Quest: 99, Peek: "9.9", First: 9, Act: "fly"}, {Act: actBeat}, {Act: actTake}, {Act: actDiscard},
	}
	if p.View == nil {
		return sels
	}
	for _, m := range p.View.Legal() {
		switch m.Kind {
		case paladin.Start:
			sels = append(sels, Selection{First: m.Target.Number()})
		case paladin.Place:
			sels = append(sels, Selection{Card: m.Card.String(), Quest: m.Quest}, Selection{Card: m.Card.String()}, Selection{Quest: m.Quest})
		case paladin.Peek:
			sels = append(sels, Selection{Peek: spot(m.Quest, m.Place)})
		}
	}
	seen := map[Selection]bool{}
	return slices.DeleteFunc(sels, func(sel Selection) bool {
		again := seen[sel]
		seen[sel] = true
		return again
	})
}

func TestEveryMessageObeysDiscord(t *testing.T) {
	for name, pr := range readers(t) {
		for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
			for seed := range 2 {
				t.Run(fmt.Sprintf("%s, %d players, game %d", name, players, seed), func(t *testing.T) {
					everyPosition(t, pr, players, seed)
				})
			}
		}
	}
}

// everyPosition plays a game of people with the worst of names and looks at what can be said on the way.
func everyPosition(t *testing.T, pr *Printer, players, seed int) {
	r := random(uint64(seed))
	g := startTable(t, worst(players, seed*5), byte(seed))
	choose := random(uint64(seed + 100))
	longest := 0
	for more := true; more; more = g.step(r) {
		if choose.IntN(6) > 0 && g.table.Live() {
			continue // some of the positions are enough, and the last
		}
		where := fmt.Sprintf("move %d: ", g.table.Prompt())
		everyMessage(pr, g, choose, func(what string, m discord.Message) {
			checkLimits(t, where+what, m)
			units, _ := textSize(m.Components)
			longest = max(longest, units)
		})
		if t.Failed() {
			return
		}
	}
	pages := len(pr.logPages(g.public(), g.history))
	for page := range pages + 2 {
		checkLimits(t, fmt.Sprintf("log page %d", page), pr.LogPage(g.public(), g.history, page))
	}
	t.Logf("longest text %d units, %d pages of log", longest, pages)
}

// TestTablesOfAllKindsObeyDiscord goes where plain games do not: squires, people who leave, votes, and tables that are closed.
func TestTablesOfAllKindsObeyDiscord(t *testing.T) {
	for name, pr := range readers(t) {
		t.Run(name, func(t *testing.T) { tablesOfAllKinds(t, pr) })
	}
}

func tablesOfAllKinds(t *testing.T, pr *Printer) {
	r := random(9)
	check := func(what string, m discord.Message) { checkLimits(t, what, m) }
	g := openTable(t, 5, worstNames[0], 9)
	host := g.actor(0, worstNames[0])
	for i := 1; i < 4; i++ {
		g.do(g.actor(i, worstNames[i]), table.Join{})
	}
	g.do(host, table.AddSquire{})
	everyMessage(pr, g, r, check)
	g.do(host, table.Start{})
	g.do(g.actor(1, worstNames[1]), table.Leave{})
	g.do(g.actor(2, worstNames[2]), table.VoteStop{})
	for range 30 {
		if g.table.SquireToAct() {
			g.do(table.Actor{}, table.SquireMove{Prompt: g.table.Prompt()})
		} else {
			g.step(r)
		}
		everyMessage(pr, g, r, check)
	}
	checkLimits(t, "log", pr.LogPage(g.public(), g.history, 0))
	running := g.table
	for what, end := range map[string]func(){
		"stopped":   func() { g.do(g.actor(3, worstNames[3]), table.VoteStop{}) },
		"moderator": func() { g.do(table.Actor{Person: table.Person{ID: "1"}, Moderator: true}, table.ForceStop{}) },
		"lost":      func() { g.do(table.Actor{}, table.Lost{}) },
		"idle":      func() { g.now = g.now.Add(table.GameIdle); g.do(table.Actor{}, table.Idle{}) },
	} {
		g.table = running
		end()
		everyMessage(pr, g, r, func(screen string, m discord.Message) { checkLimits(t, what+": "+screen, m) })
	}
}

// TestLongMessagesDropWhatIsOptional: what a message can do without gives way to what it cannot.
func TestLongMessagesDropWhatIsOptional(t *testing.T) {
	line := strings.Repeat("漢", 500)
	draw := func(optional int) discord.Message {
		return Note(strings.Repeat("-", 100) + strings.Repeat(line, optional))
	}
	loose := func(optional int) discord.Message {
		return private(text(strings.Repeat(line, optional) + "x"))
	}
	if units, bytes := textSize(fitting(50, loose).Components); units > maxText || bytes > maxTextBytes || units < 3000 {
		t.Errorf("%d units and %d bytes are left", units, bytes)
	}
	if units, _ := textSize(fitting(1, draw).Components); units != 600 {
		t.Errorf("a message that fits was cut to %d units", units)
	}
}

func TestFixedMessagesObeyDiscord(t *testing.T) {
	for name, pr := range readers(t) {
		t.Run(name, func(t *testing.T) { fixedMessages(t, pr) })
	}
}

func fixedMessages(t *testing.T, pr *Printer) {
	for page := -1; page <= len(rulePages)+1; page++ {
		checkLimits(t, fmt.Sprintf("rules page %d", page), pr.Rules(page, true))
	}
	checkLimits(t, "help", pr.Help())
	checkLimits(t, "hello", pr.Hello("1"))
	checkLimits(t, "note", Note(strings.Repeat("漢", 9000)))
	checkLimits(t, "note with link", NoteLink("x", strings.Repeat("漢", 90), "https://example.org"))
	checkLimits(t, "note without link", NoteLink("x", "y", ""))
	checkLimits(t, "other channel", pr.OtherChannel(""))
	checkLimits(t, "record", pr.RecordFile([]byte("{}"), "k7f3q2xa"))
}

func TestLobbiesObeyDiscord(t *testing.T) {
	for name, pr := range readers(t) {
		t.Run(name, func(t *testing.T) { lobbies(t, pr) })
	}
}

func lobbies(t *testing.T, pr *Printer) {
	r := random(1)
	for seed := range worstNames {
		g := openTable(t, 5, worstNames[seed], byte(seed))
		name := func(i int) string { return worstNames[(seed+i)%len(worstNames)] }
		check := func(what string, m discord.Message) { checkLimits(t, what, m) }
		everyMessage(pr, g, r, check)
		g.do(g.actor(0, name(0)), table.AddSquire{})
		var invited []table.Person
		for i := range table.MaxQueue {
			invited = append(invited, table.Person{ID: userID(40 + i), Name: name(i)})
		}
		g.do(g.actor(0, name(0)), table.Invite{People: invited})
		everyMessage(pr, g, r, check)
		for i := 1; i < 4+table.MaxQueue; i++ {
			g.do(g.actor(i, name(i)), table.Join{})
		}
		everyMessage(pr, g, r, check)
		m := pr.Invitation(g.public(), invited, "https://discord.com/channels/1/2/3")
		check("invitation", m)
		if len(m.AllowedUsers) != len(invited) {
			t.Errorf("the invitation pings %d of %d", len(m.AllowedUsers), len(invited))
		}
		check("seated", pr.Seated(g.public(), invited))
		checkLimits(t, "log", pr.LogPage(g.public(), g.history, 0))
	}
}

// commandName is Discord's form of names, in every language: letters and digits, none of them a capital.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}]{1,32}$`)

func TestCommandsObeyDiscord(t *testing.T) {
	for _, c := range Commands() {
		total := utf16Length(c.Name) + checkWords(t, c.Name, c.Description, *c.DescriptionLocalizations, 100)
		want := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
		if c.Contexts == nil || !slices.Equal(*c.Contexts, want) {
			t.Errorf("contexts %v, want servers and the bot's direct messages", c.Contexts)
		}
		if c.IntegrationTypes == nil || len(*c.IntegrationTypes) != 1 {
			t.Errorf("integration types %v", c.IntegrationTypes)
		}
		total += checkOptions(t, c.Name, c.Options)
		if total > 8000 {
			t.Errorf("%s: %d characters in all, Discord allows 8000", c.Name, total)
		}
	}
}

// checkWords holds a name or description in all languages to its limit, and returns the length of the longest, which is the one that
// Discord counts.
func checkWords(t *testing.T, where, words string, localizations map[discordgo.Locale]string, most int) (longest int) {
	t.Helper()
	for _, locale := range commandLocales {
		n := utf16Length(localized(words, localizations, locale))
		if n < 1 || n > most {
			t.Errorf("%s: %q: %d characters, at most %d are allowed", where, locale, n, most)
		}
		longest = max(longest, n)
	}
	return longest
}

func checkOptions(t *testing.T, path string, options []*discordgo.ApplicationCommandOption) (total int) {
	t.Helper()
	if len(options) > 25 {
		t.Errorf("%s: %d options", path, len(options))
	}
	checkNames(t, path, options)
	optional := false
	for _, o := range options {
		where := path + " " + o.Name
		if o.Required && optional {
			t.Errorf("%s: required after optional", where)
		}
		optional = optional || !o.Required
		if o.Autocomplete && len(o.Choices) > 0 || len(o.Choices) > 25 {
			t.Errorf("%s: choices", where)
		}
		total += checkWords(t, where, o.Name, o.NameLocalizations, 32) + checkWords(t, where, o.Description, o.DescriptionLocalizations, 100)
		for _, c := range o.Choices {
			total += checkWords(t, where, c.Name, c.NameLocalizations, 100) + len(fmt.Sprint(c.Value))
		}
		total += checkOptions(t, where, o.Options)
	}
	return total
}

// checkNames finds names of a form that Discord refuses, and siblings of one name, in every language.
func checkNames(t *testing.T, path string, options []*discordgo.ApplicationCommandOption) {
	t.Helper()
	for _, locale := range commandLocales {
		seen := map[string]string{}
		for _, o := range options {
			name := localized(o.Name, o.NameLocalizations, locale)
			if !commandName.MatchString(name) || name != strings.ToLower(name) {
				t.Errorf("%s %s: name %q in %q", path, o.Name, name, locale)
			}
			if other := seen[name]; other != "" {
				t.Errorf("%s: %s and %s are both called %q in %q", path, other, o.Name, name, locale)
			}
			seen[name] = o.Name
		}
	}
}
