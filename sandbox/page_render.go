package sandbox

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"
)

// messageView is one message as a window shows it.
type messageView struct {
	Message
	Joined bool // reads on from the message above, of the same author
	view   *pageView
}

// Face is the author's picture.
func (m *messageView) Face() face { return m.view.face(m.Author) }

// Seconds is when the message was written.
func (m *messageView) Seconds() int64 {
	t, err := time.Parse(time.RFC3339, m.Timestamp)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// Edited says whether it was changed after it was written. What replaced a "thinking…" counts as new.
func (m *messageView) Edited() bool { return m.EditedTimestamp != nil && m.Flags&FlagLoading == 0 }

// EditedSeconds is when it was changed last, or 0.
func (m *messageView) EditedSeconds() int64 {
	if m.EditedTimestamp == nil {
		return 0
	}
	t, err := time.Parse(time.RFC3339, *m.EditedTimestamp)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// Ephemeral says that only the person of this window sees it.
func (m *messageView) Ephemeral() bool { return m.Flags&FlagEphemeral != 0 }

// Thinking says that the bot has promised an answer which has not come.
func (m *messageView) Thinking() bool {
	return m.View != nil && m.View.Thinking && m.View.Failed == ""
}

// Failed is what stands in the place of an answer that never came.
func (m *messageView) Failed() string {
	if m.View == nil {
		return ""
	}
	return m.View.Failed
}

// PingsMe says that it mentioned the person of this window. In a DM everything notifies, so nothing is marked.
func (m *messageView) PingsMe() bool {
	return m.View != nil && m.View.PingsMe && m.view.channel != nil && m.view.channel.Type != ChannelDM
}

// usedCommand is the command a message answers, and who used it.
type usedCommand struct {
	Face face
	Name string
}

// Command is the command it answers, if it does.
func (m *messageView) Command() (c usedCommand) {
	if m.View != nil && m.View.Command != "" && m.InteractionMetadata != nil {
		c = usedCommand{m.view.face(m.InteractionMetadata.User), m.View.Command}
	}
	return c
}

// repliedTo is the message another replies to; without a Link it is not in view.
type repliedTo struct {
	Face       face
	Text, Link string
}

// Reply is the message it replies to, when it is in view.
func (m *messageView) Reply() *repliedTo {
	if m.MessageReference == nil || m.MessageReference.MessageID == "" || m.Type != 19 {
		return nil
	}
	reply := &repliedTo{Text: "a message that is not shown here"}
	for i := range m.view.messages {
		if o := &m.view.messages[i]; o.ID == m.MessageReference.MessageID {
			reply.Face, reply.Link = m.view.face(o.Author), "#m"+o.ID
			reply.Text = shorten(m.plain(firstText(o)), 80)
		}
	}
	return reply
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// plain is a line of a message without its markup.
func (m *messageView) plain(line string) string {
	return oneLine(html.UnescapeString(anyTag.ReplaceAllString(string(m.markdown(line)), "")))
}

// firstText is the first line of a message's plain content, as it was written. What
// is in its components is not quoted, by Discord neither: they change all the time, and
// with them everything that answers them would.
func firstText(m *Message) string {
	line, _, _ := strings.Cut(m.Content, "\n")
	if strings.TrimSpace(line) == "" {
		return "Click to see the message"
	}
	return line
}

func shorten(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}

// Text is the message's plain content.
func (m *messageView) Text() template.HTML { return m.markdown(m.Content) }

func (m *messageView) markdown(s string) template.HTML { return renderMarkdown(s, m.view) }

// Nodes are the message's components.
func (m *messageView) Nodes() []node {
	nodes := make([]node, len(m.Components))
	for i := range m.Components {
		nodes[i] = node{Component: &m.Components[i], view: m.view}
	}
	return nodes
}

// Files are the attachments which no component shows.
func (m *messageView) Files() []Attachment {
	if m.Flags&FlagComponentsV2 != 0 {
		return nil
	}
	return m.Attachments
}

// Cards are the embeds, as far as the page draws them.
func (m *messageView) Cards() []embedView {
	var cards []embedView
	for _, raw := range m.Embeds {
		var e richEmbed
		if json.Unmarshal(raw, &e) == nil {
			cards = append(cards, embedView{e, m})
		}
	}
	return cards
}

type richEmbed struct {
	Title, Description, URL string
	Color                   *int
	Fields                  []struct{ Name, Value string }
	Footer                  struct{ Text string }
}

type embedView struct {
	richEmbed
	message *messageView
}

func (e embedView) Accent() string { return accent(e.Color) }

func (e embedView) Markdown(s string) template.HTML { return e.message.markdown(s) }

func accent(colour *int) string {
	if colour == nil || *colour < 0 || *colour > 0xffffff {
		return ""
	}
	return fmt.Sprintf("#%06x", *colour)
}

// Pictures is an attachment that is a picture.
func (a Attachment) Pictures() pictures {
	p := picture{Source: a.URL, Description: a.Description, Width: a.Width, Height: a.Height, Spoiler: a.Spoiler()}
	return pictures{Gallery: true, List: []picture{p}}
}

// File is an attachment that is none.
func (a Attachment) File() fileView {
	return fileView{Name: oneLine(a.Filename), Source: a.URL, Size: a.Size, Spoiler: a.Spoiler()}
}

// Spoiler says whether the attachment is veiled, which its name says.
func (a Attachment) Spoiler() bool { return strings.HasPrefix(a.Filename, "SPOILER_") }

// IsPicture says whether the attachment can be shown in place.
func (a Attachment) IsPicture() bool { return isPicture(a.ContentType, a.Filename) }

func isPicture(contentType, name string) bool {
	switch {
	case slices.Contains(pictureTypes, contentType):
		return true
	case contentType == "":
		for _, end := range []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"} {
			if strings.HasSuffix(strings.ToLower(name), end) {
				return true
			}
		}
	}
	return false
}

// node is one component where it stands.
type node struct {
	*Component
	view *pageView
	form bool // in a modal
}

func (n node) child(c *Component) node { return node{c, n.view, n.form} }

// Children are the components inside.
func (n node) Children() []node {
	nodes := make([]node, len(n.Components))
	for i := range n.Components {
		nodes[i] = n.child(&n.Components[i])
	}
	return nodes
}

// Side is a section's accessory.
func (n node) Side() node { return n.child(n.Accessory) }

// Inside is a label's component.
func (n node) Inside() node { return n.child(n.Component.Component) }

// Kind is the template that draws it.
func (n node) Kind() string {
	switch n.Type {
	case TypeActionRow:
		return "row"
	case TypeButton:
		return "button"
	case TypeStringSelect, TypeUserSelect, TypeRoleSelect, TypeMentionableSelect, TypeChannelSelect:
		return "select"
	case TypeTextInput:
		return "input"
	case TypeSection:
		return "section"
	case TypeTextDisplay:
		return "text"
	case TypeThumbnail, TypeMediaGallery:
		return "pictures"
	case TypeFile:
		return "file"
	case TypeSeparator:
		return "separator"
	case TypeContainer:
		return "container"
	case TypeLabel:
		return "label"
	case TypeRadioGroup, TypeCheckboxGroup:
		return "group"
	case TypeCheckbox:
		return "checkbox"
	}
	return "unknown"
}

// Markdown is the text of a text display.
func (n node) Markdown() template.HTML { return renderMarkdown(n.Content, n.view) }

// Accent is a container's colour, or nothing.
func (n node) Accent() string { return accent(n.AccentColor) }

// Line says whether a separator draws its line.
func (n node) Line() bool { return n.Divider == nil || *n.Divider }

// ButtonClass is the look of a button's style.
func (n node) ButtonClass() string {
	switch n.Style {
	case ButtonPrimary:
		return "primary"
	case ButtonSuccess:
		return "success"
	case ButtonDanger:
		return "danger"
	}
	return "secondary"
}

// Words is what a button says; one with an emoji alone is named by it.
func (n node) Words() string {
	if n.Label == "" && n.Emoji == nil {
		return "(no label)"
	}
	return oneLine(n.Label)
}

// IsLink says whether a button leads somewhere instead of asking the bot.
func (n node) IsLink() bool { return n.Style == ButtonLink && isWebAddress(n.URL) }

// Target is where a link button leads; inside says that it stays on this page.
func (n node) Target() (t struct {
	Address string
	Inside  bool
}) {
	t.Address = n.URL
	if channel, message, ok := discordLink(n.URL); ok {
		t.Address, t.Inside = n.view.link(channel, message), true
	}
	return t
}

// Pressable says whether a button can be pressed.
func (n node) Pressable() bool { return !n.Disabled && n.CustomID != "" }

// Symbol is an emoji as text or picture.
func (n node) Symbol() emojiView { return newEmoji(n.Emoji, n.view) }

type emojiView struct{ Text, Source, Name string }

func newEmoji(e *Emoji, v *pageView) emojiView {
	switch {
	case e == nil:
		return emojiView{}
	case e.ID == "":
		return emojiView{Text: oneLine(e.Name)}
	}
	source, ok := v.emojiSource(e.ID)
	if !ok {
		return emojiView{Text: ":" + oneLine(e.Name) + ":"}
	}
	return emojiView{Source: source, Name: ":" + oneLine(e.Name) + ":"}
}

// picture is one picture of a gallery, or a thumbnail.
type picture struct {
	Source, Address, Description string
	Width, Height                int
	Spoiler                      bool
}

// pictures are those of a gallery, or the one of a thumbnail.
type pictures struct {
	Gallery bool
	List    []picture
}

// Pictures are those of a gallery or thumbnail. One at an outside address is offered as a link: the page
// loads nothing from elsewhere.
func (n node) Pictures() pictures {
	p := pictures{Gallery: n.Type == TypeMediaGallery}
	switch {
	case p.Gallery:
		for _, item := range n.Items {
			p.List = append(p.List, newPicture(item.Media, item.Description, item.Spoiler))
		}
	case n.Media != nil:
		p.List = []picture{newPicture(*n.Media, n.Description, n.Spoiler)}
	}
	return p
}

func newPicture(m Media, description string, spoiler bool) picture {
	p := picture{Description: description, Width: m.Width, Height: m.Height, Spoiler: spoiler}
	switch {
	case strings.HasPrefix(m.URL, "/attachments/"):
		p.Source = m.URL
	case isWebAddress(m.URL):
		p.Address = m.URL
	}
	return p
}

// fileView is a file that is offered; without a Source it is not here.
type fileView struct {
	Name, Source string
	Size         int
	Spoiler      bool
}

// FileView is the file of a file component.
func (n node) FileView() fileView {
	f := fileView{Name: "file", Size: n.Size, Spoiler: n.Spoiler}
	if n.File != nil {
		f.Name = oneLine(n.File.URL[strings.LastIndexByte(n.File.URL, '/')+1:])
		if strings.HasPrefix(n.File.URL, "/attachments/") {
			f.Source = n.File.URL
		}
	}
	if n.Name != "" {
		f.Name = oneLine(n.Name)
	}
	return f
}

// sizeText is a number of bytes for people.
func sizeText(bytes int) string {
	switch {
	case bytes <= 0:
		return ""
	case bytes < 1024:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1024*1024:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/1024/1024)
}

// choiceView is one option of a select.
type choiceView struct {
	Value, Label, Description string
	Symbol                    emojiView
	Chosen                    bool
	Face                      *face // of a person
}

// Choices are a select's options; those of a select of people, roles or channels are the ones there are.
func (n node) Choices() []choiceView {
	if n.Type == TypeStringSelect || n.Group() {
		var choices []choiceView
		for _, o := range n.Options {
			choices = append(choices, choiceView{Value: o.Value, Label: oneLine(o.Label), Description: oneLine(o.Description), Symbol: newEmoji(o.Emoji, n.view), Chosen: o.Default})
		}
		return choices
	}
	chosen := make(map[string]bool)
	for _, d := range n.DefaultValues {
		chosen[d.ID] = true
	}
	c := n.view.catalog()
	var names []catalogName
	switch n.Type {
	case TypeUserSelect:
		names = c.People
	case TypeRoleSelect:
		names = c.Roles
	case TypeMentionableSelect:
		names = append(c.People, c.Roles...)
	case TypeChannelSelect:
		for _, ch := range c.Channels {
			if n.allows(ch.Type) {
				names = append(names, ch)
			}
		}
	}
	var choices []choiceView
	for _, name := range names {
		choices = append(choices, choiceView{Value: name.ID, Label: name.Name, Chosen: chosen[name.ID], Face: n.view.faceOf(name.ID)})
	}
	return choices
}

func (n node) allows(channelType int) bool {
	for _, t := range n.ChannelTypes {
		if t == channelType {
			return true
		}
	}
	return len(n.ChannelTypes) == 0
}

// Least is how many options must be chosen.
func (n node) Least() int {
	if n.MinValues == nil {
		return 1
	}
	return *n.MinValues
}

// Group says whether it is a group of radio buttons or checkboxes.
func (n node) Group() bool { return n.Type == TypeRadioGroup || n.Type == TypeCheckboxGroup }

// Radio says whether one option of a group at most is chosen.
func (n node) Radio() bool { return n.Type == TypeRadioGroup }

// Most is how many options may be chosen, at least 1.
func (n node) Most() int {
	if n.Type == TypeCheckboxGroup && n.MaxValues == nil {
		return len(n.Options)
	}
	if n.MaxValues == nil {
		return 1
	}
	return max(1, *n.MaxValues)
}

// Several says whether more than one option may be chosen.
func (n node) Several() bool { return n.Most() > 1 }

// Amount says in words how many options to choose.
func (n node) Amount() string {
	most := min(n.Most(), max(1, len(n.Choices())))
	switch least := n.Least(); {
	case least == most:
		return fmt.Sprintf("Choose %d", most)
	case least == 0:
		return fmt.Sprintf("Choose up to %d", most)
	default:
		return fmt.Sprintf("Choose %d to %d", least, most)
	}
}

// Hint is a select's placeholder.
func (n node) Hint() string {
	if n.Placeholder != "" {
		return oneLine(n.Placeholder)
	}
	return "Make a selection"
}

// FirstChosen is the first preselected option, or nil.
func (n node) FirstChosen() *choiceView {
	for _, c := range n.Choices() {
		if c.Chosen {
			return &c
		}
	}
	return nil
}

// AllChosen names the preselected options.
func (n node) AllChosen() string {
	var names []string
	for _, c := range n.Choices() {
		if c.Chosen {
			names = append(names, c.Label)
		}
	}
	return strings.Join(names, ", ")
}

// AnyChosen says whether an option is preselected.
func (n node) AnyChosen() bool { return n.FirstChosen() != nil }

// Form says whether it stands in a modal.
func (n node) Form() bool { return n.form }

// Needed says whether a field of a modal must be filled in.
func (n node) Needed() bool { return n.Required == nil || *n.Required }

// MustBeFilled is Needed, but for a checkbox, which may stay empty.
func (n node) MustBeFilled() bool { return n.Needed() && n.Type != TypeCheckbox }

// Long says whether a text input has several lines.
func (n node) Long() bool { return n.Style == 2 }

// ShortestText is how long a text must be.
func (n node) ShortestText() int {
	if n.MinLength == nil {
		return 0
	}
	return *n.MinLength
}

// LongestText is 4000 where the bot names no bound.
func (n node) LongestText() int {
	if n.MaxLength == nil {
		return 4000
	}
	return *n.MaxLength
}

// FieldID ties a field to its label.
func (n node) FieldID() string { return "field-" + fingerprint(n.CustomID) }

// modalView is a form the bot has opened.
type modalView struct {
	*Modal
	Nodes []node
}

func newModal(m *Modal, v *pageView) modalView {
	view := modalView{Modal: m}
	for i := range m.Components {
		view.Nodes = append(view.Nodes, node{&m.Components[i], v, true})
	}
	return view
}
