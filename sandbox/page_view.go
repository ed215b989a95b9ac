package sandbox

import (
	"errors"
	"fmt"
	"html/template"
	"strings"
	"time"
)

// pageView is what a window shows at one moment: the Server's answers, read once, for one person.
type pageView struct {
	page   *page
	window pageWindow

	user     User
	users    []User
	botUser  User
	guilds   []Guild
	channels []Channel
	channel  *Channel // nil when the person sees none
	messages []Message
	earlier  bool // older messages are not shown
	commands []Command
	names    map[string]string // user id: name
	places   map[string]string // channel id: name
	emojis   map[string]bool   // ids of the application's emojis
	locale   string            // the language of the person's client

	// unseen counts, by user and channel, the notifications that wait; under the channel "" are all.
	unseen map[string]map[string]int
}

// view reads what the window asks for. A channel which the person does not see is replaced by the first
// they see; an unknown person is an error.
func (p *page) view(w pageWindow) (*pageView, error) {
	v, err := p.look(w)
	for errors.Is(err, ErrNotVisible) { // the channel vanished while it was read: it is not among the next
		v, err = p.look(w)
	}
	return v, err
}

func (p *page) look(w pageWindow) (*pageView, error) {
	v := &pageView{page: p, window: w, users: p.s.Users(), botUser: p.s.Bot(), unseen: make(map[string]map[string]int)}
	if len(v.users) == 0 {
		return nil, errNobody
	}
	if w.User == "" {
		v.window.User = v.users[0].ID
	}
	v.emojis = make(map[string]bool)
	for _, e := range p.s.Emojis() {
		v.emojis[e.ID] = true
	}
	v.names = map[string]string{v.botUser.ID: v.botUser.Name()}
	for _, u := range v.users {
		v.names[u.ID] = u.Name()
		v.unseen[u.ID] = p.waiting(u.ID)
		if u.ID == v.window.User {
			v.user = u
		}
	}
	if v.user.ID == "" {
		return nil, errUnknownPerson
	}
	v.locale = p.s.Locale(v.user.ID)
	v.guilds = p.s.Guilds(v.user.ID)
	var err error
	if v.channels, err = p.s.Channels(v.user.ID); err != nil {
		return nil, err
	}
	v.places = make(map[string]string)
	for i := range v.channels {
		c := &v.channels[i]
		v.places[c.ID] = v.channelTitle(c)
		if c.ID == w.Channel {
			v.channel = c
		}
	}
	if v.channel == nil {
		v.window.Channel = ""
		v.pickChannel()
	}
	if v.channel == nil {
		return v, nil
	}
	return v, v.readChannel()
}

func (v *pageView) pickChannel() {
	for i := range v.channels {
		if v.channels[i].Type != ChannelForum {
			v.channel = &v.channels[i]
			v.window.Channel = v.channel.ID
			return
		}
	}
}

func (v *pageView) readChannel() error {
	var err error
	if v.messages, err = v.page.s.Messages(v.user.ID, v.channel.ID); err != nil {
		return err
	}
	v.window.Limit = min(max(v.window.Limit, messagesAtFirst), messagesAtMost)
	if surplus := len(v.messages) - v.window.Limit; surplus > 0 {
		v.messages, v.earlier = v.messages[surplus:], true
	}
	v.commands, err = v.page.s.Commands(v.user.ID, v.channel.ID)
	return err
}

// The names of a message's ids, as the person of this window may see them.

func (v *pageView) viewer() string { return v.user.ID }

func (v *pageView) userName(id string) (string, bool) {
	name, ok := v.names[id]
	return name, ok
}

func (v *pageView) roleName(id string) (string, bool) {
	for _, g := range v.guilds {
		if g.ID == id {
			return "everyone", true
		}
	}
	return "", false
}

func (v *pageView) channelName(id string) (string, bool) {
	name, ok := v.places[id]
	return name, ok
}

func (v *pageView) channelLink(channel, message string) string { return v.link(channel, message) }

func (v *pageView) emojiSource(id string) (string, bool) {
	return "/emojis/" + id + ".png", v.emojis[id]
}

func (v *pageView) link(channel, message string) string {
	return pageLink(v.user.ID, channel, message)
}

// channelTitle is what a channel is called in lists: a DM bears the name of the other side.
func (v *pageView) channelTitle(c *Channel) string {
	if c.Type == ChannelDM {
		return v.botUser.Name()
	}
	return oneLine(c.Name)
}

// face is a person's or the bot's picture: initials on a colour of their own.
type face struct {
	ID, Name, Initials string
	Hue                int
	Bot                bool
}

// face is a user's picture; the people's colours differ as far as there are enough of them.
func (v *pageView) face(u User) face {
	name := oneLine(u.Name())
	f := face{ID: u.ID, Name: name, Bot: u.Bot}
	for i := range v.users {
		if v.users[i].ID == u.ID {
			f.Hue = i % len(faceColours)
		}
	}
	for _, word := range strings.Fields(name) {
		for _, r := range word {
			f.Initials += strings.ToUpper(string(r))
			break
		}
		if len([]rune(f.Initials)) == 2 {
			break
		}
	}
	return f
}

// faceOf is the picture of the person or bot with the id, or nil.
func (v *pageView) faceOf(id string) *face {
	for _, u := range append(v.users[:len(v.users):len(v.users)], v.botUser) {
		if u.ID == id {
			f := v.face(u)
			return &f
		}
	}
	return nil
}

// faceColours are the backgrounds of faces; white text on each has a contrast above 4.5.
var faceColours = []string{"#9a5b13", "#1f7a4d", "#5a4fcf", "#a8437b", "#1a6d8f", "#b1443a", "#52710f", "#8a4fb0"}

func (f face) Colour() string { return faceColours[f.Hue] }

// personItem is one person of the user switch.
type personItem struct {
	face
	Link    string
	Current bool
	Pings   int
}

// People are all people, with what waits for each.
func (v *pageView) People() []personItem {
	items := make([]personItem, 0, len(v.users))
	for _, u := range v.users {
		item := personItem{face: v.face(u), Current: u.ID == v.user.ID, Pings: v.unseen[u.ID][""]}
		channel := ""
		if v.channel != nil && v.channel.Type != ChannelDM {
			channel = v.channel.ID
		}
		item.Link = pageLink(u.ID, channel, "")
		items = append(items, item)
	}
	return items
}

// waiting counts the notifications a person has not seen and can still see, by channel; under "" are all.
func (p *page) waiting(user string) map[string]int {
	counts := make(map[string]int)
	for _, ping := range p.s.livePings(user) {
		if newer(ping.MessageID, p.lastRead(user, ping.ChannelID)) {
			counts[ping.ChannelID]++
			counts[""]++
		}
	}
	return counts
}

// placeItem is one channel, thread or DM of the list on the left.
type placeItem struct {
	Channel
	Title   string
	Link    string
	Current bool
	Unread  bool
	Pings   int
	Thread  bool
	DM      bool
	Forum   bool
}

type placeGroup struct {
	ID, Title string
	Guild     bool
	Locale    string
	BotHere   bool
	Outage    bool
	Places    []placeItem
}

// Places are the channels by guild, the DMs last.
func (v *pageView) Places() []placeGroup {
	var groups []placeGroup
	for _, g := range v.guilds {
		group := placeGroup{ID: g.ID, Title: oneLine(g.Name), Guild: true, Locale: g.Locale, BotHere: v.botIn(g), Outage: g.Unavailable}
		for i := range v.channels {
			if c := &v.channels[i]; c.GuildID == g.ID {
				group.Places = append(group.Places, v.placeItem(c))
			}
		}
		groups = append(groups, group)
	}
	dms := placeGroup{ID: "dms", Title: "Direct messages"}
	for i := range v.channels {
		if c := &v.channels[i]; c.GuildID == "" {
			dms.Places = append(dms.Places, v.placeItem(c))
		}
	}
	return append(groups, dms)
}

func (v *pageView) placeItem(c *Channel) placeItem {
	return placeItem{
		Channel: *c, Title: v.places[c.ID], Link: v.link(c.ID, ""),
		Current: v.channel != nil && c.ID == v.channel.ID,
		Unread:  newer(c.LastMessage, v.page.lastRead(v.user.ID, c.ID)),
		Pings:   v.unseen[v.user.ID][c.ID],
		Thread:  c.Type == ChannelPublicThread || c.Type == ChannelPrivateThread,
		DM:      c.Type == ChannelDM,
		Forum:   c.Type == ChannelForum,
	}
}

func (v *pageView) botIn(g Guild) bool {
	for _, id := range g.Members {
		if id == v.botUser.ID {
			return true
		}
	}
	return false
}

// Here is the channel in view, or nil.
func (v *pageView) Here() *placeItem {
	if v.channel == nil {
		return nil
	}
	item := v.placeItem(v.channel)
	return &item
}

// Parent is the channel a thread in view belongs to, or nil.
func (v *pageView) Parent() *placeItem {
	if v.channel == nil || v.channel.ParentID == "" {
		return nil
	}
	for i := range v.channels {
		if v.channels[i].ID == v.channel.ParentID {
			item := v.placeItem(&v.channels[i])
			return &item
		}
	}
	return nil
}

// Guild is the guild in view, or the person's first.
func (v *pageView) Guild() *placeGroup {
	for _, g := range v.Places() {
		if g.Guild && (v.channel == nil || v.channel.GuildID == "" || v.channel.GuildID == g.ID) {
			return &g
		}
	}
	return nil
}

// Version is that of the page itself.
func (v *pageView) Version() string { return v.page.version }

// Me is the person of this window.
func (v *pageView) Me() face { return v.face(v.user) }

// BotOnline says whether a bot is connected to the gateway.
func (v *pageView) BotOnline() bool {
	return v.page.s.Connections() > 0
}

// Messages are the messages in view.
func (v *pageView) Messages() []*messageView {
	views := make([]*messageView, 0, len(v.messages))
	for i := range v.messages {
		m := &messageView{Message: v.messages[i], view: v}
		if i > 0 {
			m.Joined = joins(&v.messages[i-1], &v.messages[i])
		}
		views = append(views, m)
	}
	return views
}

// joins says whether a message reads on from the one before, without naming its author again.
func joins(before, m *Message) bool {
	if before.Author.ID != m.Author.ID || m.InteractionMetadata != nil || m.MessageReference != nil ||
		m.Type != before.Type || before.Flags&FlagEphemeral != m.Flags&FlagEphemeral || m.Flags&FlagEphemeral != 0 {
		return false
	}
	a, errA := time.Parse(time.RFC3339, before.Timestamp)
	b, errB := time.Parse(time.RFC3339, m.Timestamp)
	return errA == nil && errB == nil && b.Sub(a) < 7*time.Minute
}

// Title is the title of the window; the number is that of waiting notifications.
func (v *pageView) Title() string {
	title := v.user.Name() + " · Paladin sandbox"
	if v.channel != nil {
		sign := "#"
		if v.channel.Type == ChannelDM {
			sign = "@"
		}
		title = sign + v.places[v.channel.ID] + " · " + title
	}
	if n := v.unseen[v.user.ID][""]; n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return oneLine(title)
}

// Composer says what the line for writing says, and whether it can be used.
type composerState struct {
	Placeholder string `json:"placeholder"`
	Disabled    bool   `json:"disabled"`
}

// Composer is the state of the line for writing.
func (v *pageView) Composer() composerState {
	switch {
	case v.channel == nil:
		return composerState{"There is no channel here", true}
	case v.channel.Type == ChannelForum:
		return composerState{"A forum holds threads only: open one of its threads", true}
	case v.channel.Locked:
		return composerState{"This thread is locked", true}
	case !v.channel.CanSend:
		return composerState{"You may not write here", true}
	}
	return composerState{"/ for commands, or a message", false} // as much as a phone shows; to whom stands above
}

// catalog is what the command line offers: commands, and the people and channels an option may name.
type catalog struct {
	Commands []catalogCommand `json:"commands"`
	People   []catalogName    `json:"people"`
	Channels []catalogName    `json:"channels"`
	Roles    []catalogName    `json:"roles"`
}

type catalogName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type int    `json:"type"`
}

// catalogCommand is a command as a person sees it, in their language, and as it is
// sent.
type catalogCommand struct {
	Name        string          `json:"name"` // as typed, subcommand included
	Command     string          `json:"command"`
	Sub         string          `json:"sub"`
	Description string          `json:"description"`
	Options     []catalogOption `json:"options"`
}

type catalogOption struct {
	CommandOption
	Label string `json:"label"` // its name in the person's language
}

func (v *pageView) catalog() catalog {
	c := catalog{Commands: []catalogCommand{}, People: v.guildPeople(), Channels: []catalogName{}, Roles: []catalogName{}}
	for _, cmd := range v.commands {
		if cmd.Type <= 1 {
			c.Commands = v.appendCommands(c.Commands, catalogCommand{
				Name: localized(cmd.Name, cmd.NameLocalizations, v.locale), Command: cmd.Name,
				Description: localized(cmd.Description, cmd.DescriptionLocalizations, v.locale),
			}, cmd.Options)
		}
	}
	for i := range v.channels {
		if ch := &v.channels[i]; v.channel != nil && ch.GuildID == v.channel.GuildID {
			c.Channels = append(c.Channels, catalogName{ch.ID, "#" + v.places[ch.ID], ch.Type})
		}
	}
	if v.channel != nil && v.channel.GuildID != "" {
		c.Roles = append(c.Roles, catalogName{ID: v.channel.GuildID, Name: "@everyone"})
	}
	return c
}

// appendCommands flattens a command: one entry for itself, or for each of its subcommands.
func (v *pageView) appendCommands(list []catalogCommand, c catalogCommand, options []CommandOption) []catalogCommand {
	parent := false
	for _, o := range options {
		if o.Type == OptionSubcommand || o.Type == OptionSubcommandGroup {
			parent = true
			list = v.appendCommands(list, catalogCommand{
				Name: c.Name + " " + localized(o.Name, o.NameLocalizations, v.locale), Command: c.Command, Sub: strings.TrimSpace(c.Sub + " " + o.Name),
				Description: localized(o.Description, o.DescriptionLocalizations, v.locale),
			}, o.Options)
		}
	}
	if parent {
		return list
	}
	c.Options = []catalogOption{}
	for _, o := range options {
		c.Options = append(c.Options, v.catalogOption(o))
	}
	return append(list, c)
}

// catalogOption is an option with what a person reads in their language.
func (v *pageView) catalogOption(o CommandOption) catalogOption {
	out := catalogOption{o, localized(o.Name, o.NameLocalizations, v.locale)}
	out.Description = localized(o.Description, o.DescriptionLocalizations, v.locale)
	out.NameLocalizations, out.DescriptionLocalizations = nil, nil
	out.Choices = localizedChoices(o.Choices, v.locale)
	return out
}

func localizedChoices(list []Choice, locale string) []Choice {
	var out []Choice
	for _, c := range list {
		out = append(out, Choice{Name: localized(c.Name, c.NameLocalizations, locale), Value: c.Value})
	}
	return out
}

// languageItem is one language of a list of them.
type languageItem struct {
	Code, Name string
	Current    bool
}

func languages(current string) []languageItem {
	var items []languageItem
	for _, l := range localeNames {
		items = append(items, languageItem{l.Code, l.Name, l.Code == current})
	}
	return items
}

// Languages are those the person's client can have.
func (v *pageView) Languages() []languageItem { return languages(v.locale) }

// Locale is the language of the person's client.
func (v *pageView) Locale() string { return v.locale }

// Languages are those a server can prefer.
func (g placeGroup) Languages() []languageItem { return languages(g.Locale) }

// guildPeople are the people who can be named in this channel.
func (v *pageView) guildPeople() []catalogName {
	people := []catalogName{}
	if v.channel == nil || v.channel.GuildID == "" {
		return append(people, catalogName{ID: v.user.ID, Name: v.user.Name()}, catalogName{ID: v.botUser.ID, Name: v.botUser.Name()})
	}
	for _, g := range v.guilds {
		if g.ID != v.channel.GuildID {
			continue
		}
		for _, id := range g.Members {
			if name, ok := v.names[id]; ok {
				people = append(people, catalogName{ID: id, Name: oneLine(name)})
			}
		}
	}
	return people
}

// renderPage draws the whole page.
func (p *page) renderPage(v *pageView) ([]byte, error) {
	var b strings.Builder
	if err := p.templates.ExecuteTemplate(&b, "page", v); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// fragment is a piece of the page with its fingerprint.
type fragment struct {
	Hash string `json:"hash"`
	HTML string `json:"html"`
}

// Body is the fragment for a template.
func (f fragment) Body() template.HTML { return template.HTML(f.HTML) } // drawn by html/template

func (p *page) fragment(name string, data any) (fragment, error) {
	var b strings.Builder
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		return fragment{}, err
	}
	return fragment{fingerprint(b.String()), b.String()}, nil
}

// Part draws one live part of the page and Fragment one message: the page is first drawn by what keeps it
// up to date, so that the two cannot differ.
func (v *pageView) Part(name string) (fragment, error) { return v.page.fragment(name, v) }

// Fragment is the message, drawn.
func (m *messageView) Fragment() (fragment, error) { return m.view.page.fragment("message", m) }

// Earlier says whether older messages are not shown.
func (v *pageView) Earlier() bool { return v.earlier }

// Lost are the guilds which the person is not in.
func (v *pageView) Lost() []Guild {
	var lost []Guild
	for _, g := range v.page.s.Guilds("") {
		in := false
		for _, mine := range v.guilds {
			in = in || mine.ID == g.ID
		}
		if !in {
			lost = append(lost, g)
		}
	}
	return lost
}

// DMsClosed says whether the person refuses direct messages from the bot.
func (v *pageView) DMsClosed() bool { return v.page.s.DMsClosed(v.user.ID) }

// BotWrites says whether the bot has the permission to write in the channel in view.
func (v *pageView) BotWrites() bool {
	if v.channel == nil {
		return false
	}
	s := v.page.s
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.w.channels[v.channel.ID]
	if ch == nil {
		return false
	}
	need := PermSendMessages
	if ch.isThread() {
		need = PermSendInThreads
	}
	return s.botBits(ch).has(need)
}
