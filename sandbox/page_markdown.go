package sandbox

import (
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// markdownDepth bounds how deep spans and quotes nest, so that a hostile message costs a bounded
// amount of stack; what is nested deeper is shown as it was written.
const markdownDepth = 12

// markdownNames says what the ids inside a message stand for. Every method may be asked about any id;
// ok is false for what the viewer must not see or what does not exist.
type markdownNames interface {
	userName(id string) (name string, ok bool)
	roleName(id string) (name string, ok bool)
	channelName(id string) (name string, ok bool)
	// channelLink is the page's own address of a channel and, if message is not empty, of a message in it.
	channelLink(channel, message string) string
	emojiSource(id string) (address string, ok bool)
	// viewer is the id of the person who reads; a mention of them is marked.
	viewer() string
}

// renderMarkdown turns a message's text into HTML: Discord's subset of Markdown (headings, subtext,
// quotes, lists, code, emphasis, spoilers, links, mentions, timestamps, custom emoji).
//
// It is pure: the same text and names give the same bytes, whatever the time is (timestamps are
// written out in UTC and carry their second in data-t, from which the page's script keeps them live).
// Whatever the input, the output is balanced, holds only the tags and attributes written in this file,
// and every byte of the input is escaped.
func renderMarkdown(text string, names markdownNames) template.HTML {
	text = cleanText(text)
	m := markdownWriter{names: names, jumbo: onlyEmojis(text, names)}
	m.blocks(text, 0)
	return template.HTML(m.out.String()) // everything written to out is escaped above
}

// cleanText drops what no text should hold: invalid UTF-8 and control characters but for line ends and tabs.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0):
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD"))
}

type markdownWriter struct {
	names markdownNames
	jumbo bool // the text is nothing but emojis, which are shown large
	out   strings.Builder
}

func (m *markdownWriter) raw(s string)  { m.out.WriteString(s) }
func (m *markdownWriter) text(s string) { m.out.WriteString(html.EscapeString(s)) }

// blocks writes text that may hold code blocks, headings, quotes and lists.
func (m *markdownWriter) blocks(s string, depth int) {
	for s != "" {
		before, rest, found := strings.Cut(s, "```")
		code, after, closed := strings.Cut(rest, "```")
		if !found || !closed || strings.TrimSpace(code) == "" {
			m.lines(s, depth)
			return
		}
		m.lines(strings.TrimSuffix(before, "\n"), depth)
		m.codeBlock(code)
		s = strings.TrimPrefix(after, "\n")
	}
}

var codeLanguage = regexp.MustCompile(`^[A-Za-z0-9_+.#-]{1,20}\n`)

func (m *markdownWriter) codeBlock(code string) {
	if language := codeLanguage.FindString(code); language != "" && strings.TrimSpace(code[len(language):]) != "" {
		code = code[len(language):]
	}
	m.raw(`<pre tabindex="0" role="group" aria-label="Code"><code>`)
	m.text(strings.Trim(code, "\n"))
	m.raw(`</code></pre>`)
}

var (
	headingLine = regexp.MustCompile(`^(#{1,3}) +(\S.*)$`)
	subtextLine = regexp.MustCompile(`^-# +(\S.*)$`)
	listLine    = regexp.MustCompile(`^( *)([-*]|\d{1,9}\.) +(\S.*)$`)
)

// lines writes text without code blocks, line by line.
func (m *markdownWriter) lines(s string, depth int) {
	if s == "" {
		return
	}
	lines := strings.Split(s, "\n")
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			if m.jumbo {
				m.raw(`<p class="jumbo">`)
			} else {
				m.raw("<p>")
			}
			m.inline(strings.Join(paragraph, "\n"), depth, false)
			m.raw("</p>")
			paragraph = nil
		}
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case depth < markdownDepth && strings.HasPrefix(line, ">>> "):
			flush()
			m.quote(append([]string{line[4:]}, lines[i+1:]...), depth)
			i = len(lines)
		case depth < markdownDepth && strings.HasPrefix(line, "> "):
			flush()
			var quoted []string
			for ; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
				quoted = append(quoted, lines[i][2:])
			}
			i--
			m.quote(quoted, depth)
		case headingLine.MatchString(line):
			flush()
			match := headingLine.FindStringSubmatch(line)
			level := strconv.Itoa(len(match[1]))
			// The page's own headings are h1 and h2: a message's begin below them.
			tag := "h" + strconv.Itoa(len(match[1])+2)
			m.raw("<" + tag + ` class="md-h` + level + `">`)
			m.inline(match[2], depth, false)
			m.raw("</" + tag + ">")
		case subtextLine.MatchString(line):
			flush()
			m.raw(`<p class="md-sub">`)
			m.inline(subtextLine.FindStringSubmatch(line)[1], depth, false)
			m.raw("</p>")
		case listLine.MatchString(line):
			flush()
			var items []listItem
			for ; i < len(lines); i++ {
				match := listLine.FindStringSubmatch(lines[i])
				if match == nil || subtextLine.MatchString(lines[i]) {
					break
				}
				items = append(items, listItem{len(match[1]), match[2], match[3]})
			}
			i--
			m.list(items, depth)
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
}

func (m *markdownWriter) quote(lines []string, depth int) {
	m.raw("<blockquote>")
	m.lines(strings.Join(lines, "\n"), depth+1)
	m.raw("</blockquote>")
}

type listItem struct {
	indent int
	marker string
	text   string
}

// list writes items; those indented deeper than the first, by two spaces or more, become lists inside.
func (m *markdownWriter) list(items []listItem, depth int) {
	for len(items) > 0 {
		first := items[0]
		tag, open := "ul", "<ul>"
		ordered := strings.HasSuffix(first.marker, ".")
		if ordered {
			number, _ := strconv.Atoi(strings.TrimSuffix(first.marker, "."))
			tag, open = "ol", `<ol start="`+strconv.Itoa(number)+`">`
		}
		m.raw(open)
		for len(items) > 0 && strings.HasSuffix(items[0].marker, ".") == ordered {
			m.raw("<li>")
			m.inline(items[0].text, depth, false)
			inner := 1
			for inner < len(items) && items[inner].indent >= items[0].indent+2 {
				inner++
			}
			if depth < markdownDepth {
				m.list(items[1:inner], depth+1)
			} else {
				inner = 1
			}
			m.raw("</li>")
			items = items[inner:]
		}
		m.raw("</" + tag + ">")
	}
}

// emphasis lists the paired markers, longest first, with what they become.
var emphasis = []struct{ marker, open, close string }{
	{"***", "<strong><em>", "</em></strong>"},
	{"___", "<u><em>", "</em></u>"},
	{"**", "<strong>", "</strong>"},
	{"__", "<u>", "</u>"},
	{"~~", "<s>", "</s>"},
	{"||", `<span class="spoiler" role="button" tabindex="0" aria-label="Spoiler, press to show">`, "</span>"},
	{"*", "<em>", "</em>"},
	{"_", "<em>", "</em>"},
}

// inline writes text inside one paragraph, heading or list item. Inside a link no second link begins.
func (m *markdownWriter) inline(s string, depth int, inLink bool) {
	plain := 0 // start of the text not yet written
	for i := 0; i < len(s); {
		write, skip := m.span(s, i, depth, inLink)
		if skip == 0 {
			i++
			continue
		}
		m.text(s[plain:i])
		write()
		i += skip
		plain = i
	}
	m.text(s[plain:])
}

// span recognises what begins at s[i]: it returns what writes it and how many bytes it takes, or 0.
func (m *markdownWriter) span(s string, i, depth int, inLink bool) (write func(), skip int) {
	rest := s[i:]
	if n := emojiLength(rest); n > 0 {
		return func() { m.raw(`<span class="symbol">`); m.text(rest[:n]); m.raw(`</span>`) }, n
	}
	switch s[i] {
	case '\n':
		return func() { m.raw("<br>") }, 1
	case '\\':
		if len(rest) > 1 && isASCIIPunct(rest[1]) {
			return func() { m.text(rest[1:2]) }, 2
		}
	case '`':
		if content, length := codeSpan(rest); length > 0 {
			return func() { m.raw("<code>"); m.text(content); m.raw("</code>") }, length
		}
	case '*', '_', '~', '|':
		return m.emphasised(s, i, depth, inLink)
	case '[':
		if !inLink && depth < markdownDepth {
			return m.maskedLink(rest, depth)
		}
	case '<':
		return m.angle(rest, inLink)
	case 'h':
		if !inLink && (i == 0 || !isWordByte(s[i-1])) {
			if address := bareAddress(rest); address != "" {
				return func() { m.link(address, nil) }, len(address)
			}
		}
	case '@':
		for _, word := range []string{"@everyone", "@here"} {
			if strings.HasPrefix(rest, word) {
				return func() { m.raw(`<span class="mention">` + word + `</span>`) }, len(word)
			}
		}
	}
	return nil, 0
}

func (m *markdownWriter) emphasised(s string, i, depth int, inLink bool) (func(), int) {
	if depth >= markdownDepth {
		return nil, 0
	}
	for _, e := range emphasis {
		if !strings.HasPrefix(s[i:], e.marker) {
			continue
		}
		// snake_case words keep their underscores.
		if e.marker[0] == '_' && i > 0 && isWordByte(s[i-1]) {
			continue
		}
		end := closingMarker(s, i+len(e.marker), e.marker)
		if end < 0 {
			continue
		}
		inner := s[i+len(e.marker) : end]
		return func() {
			m.raw(e.open)
			m.inline(inner, depth+1, inLink)
			m.raw(e.close)
		}, end + len(e.marker) - i
	}
	return nil, 0
}

// closingMarker finds the marker that closes a span whose inside begins at from, or -1. Escaped
// characters and code spans are skipped, and a span is never empty.
func closingMarker(s string, from int, marker string) int {
	if from >= len(s) || (len(marker) == 1 && isSpace(s[from])) {
		return -1
	}
	for j := from; j < len(s); {
		switch {
		case s[j] == '\\' && j+1 < len(s):
			j += 2
		case s[j] == '`':
			_, length := codeSpan(s[j:])
			j += max(length, 1)
		case strings.HasPrefix(s[j:], marker):
			run := 1
			for j+run < len(s) && s[j+run] == marker[0] {
				run++
			}
			// The last of a run closes, so that the shorter markers inside can close first.
			end := j + run - len(marker)
			if closes(s, from, j, end, marker, run) {
				return end
			}
			j += run
		default:
			j++
		}
	}
	return -1
}

func closes(s string, from, start, end int, marker string, run int) bool {
	switch {
	case end <= from || strings.Trim(s[from:end], marker[:1]) == "":
		return false
	case len(marker) == 1 && run%2 == 0: // ** inside *…* belongs to bold
		return false
	case len(marker) == 1 && start > 0 && isSpace(s[start-1]):
		return false
	case marker[0] == '_' && end+len(marker) < len(s) && isWordByte(s[end+len(marker)]):
		return false
	}
	return true
}

// codeSpan reads `code` or “code“ at the start of s and returns its content and whole length, or 0.
func codeSpan(s string) (content string, length int) {
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	if ticks == 0 || ticks > 2 {
		return "", 0
	}
	fence := s[:ticks]
	for j := ticks; j < len(s); {
		k := strings.Index(s[j:], fence)
		if k < 0 {
			return "", 0
		}
		j += k
		run := len(s[j:]) - len(strings.TrimLeft(s[j:], "`"))
		if run == ticks && j > ticks {
			content = s[ticks:j]
			if trimmed := strings.TrimSpace(content); strings.Contains(trimmed, "`") {
				content = trimmed
			}
			return content, j + ticks
		}
		j += run
	}
	return "", 0
}

var linkTitle = regexp.MustCompile(`^(\S+?)(?: +"[^"\n]*")?$`)

// maskedLink reads [text](address). Discord follows http and https only.
func (m *markdownWriter) maskedLink(s string, depth int) (func(), int) {
	middle := strings.Index(s, "](")
	if middle < 2 {
		return nil, 0
	}
	label := s[1:middle]
	end := strings.IndexByte(s[middle:], ')')
	if end < 0 || strings.ContainsAny(label, "[]\n") {
		return nil, 0
	}
	target := linkTitle.FindStringSubmatch(strings.TrimSpace(s[middle+2 : middle+end]))
	if target == nil {
		return nil, 0
	}
	address := strings.TrimSuffix(strings.TrimPrefix(target[1], "<"), ">")
	if !isWebAddress(address) {
		return nil, 0
	}
	return func() { m.link(address, func() { m.inline(label, depth+1, true) }) }, middle + end + 1
}

// bareAddress reads a web address at the start of s, without the punctuation that ends a sentence.
func bareAddress(s string) string {
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return ""
	}
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '<' || r == '|' || r == '*' || r == '`' })
	if end < 0 {
		end = len(s)
	}
	address := s[:end]
	for address != "" {
		last := address[len(address)-1]
		if last == ')' && strings.Count(address, "(") >= strings.Count(address, ")") {
			break
		}
		if !strings.ContainsRune(`.,:;!?"')]`, rune(last)) {
			break
		}
		address = address[:len(address)-1]
	}
	if !isWebAddress(address) {
		return ""
	}
	return address
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// link writes an address; without a label it shows the address itself. Discord's own addresses of
// channels and messages stay inside the page, and bare ones read as the place they lead to.
func (m *markdownWriter) link(address string, label func()) {
	channel, message, ok := discordLink(address)
	if !ok {
		m.raw(`<a href="`)
		m.text(address)
		m.raw(`" target="_blank" rel="noopener noreferrer nofollow">`)
		if label == nil {
			label = func() { m.text(address) }
		}
		label()
		m.raw("</a>")
		return
	}
	m.raw(`<a href="`)
	m.text(m.names.channelLink(channel, message))
	if label != nil {
		m.raw(`">`)
		label()
		m.raw("</a>")
		return
	}
	name, known := m.names.channelName(channel)
	if !known {
		name = "unknown"
	}
	m.raw(`" class="mention">#<bdi>`)
	m.text(oneLine(name))
	m.raw(`</bdi>`)
	if message != "" {
		m.raw(` › message`)
	}
	m.raw("</a>")
}

var discordAddress = regexp.MustCompile(`^https?://(?:(?:www|ptb|canary)\.)?discord(?:app)?\.com/channels/(?:@me|\d{1,20})/(\d{1,20})(?:/(\d{1,20}))?/?$`)

// discordLink reads the address of a channel or message as Discord's clients write it.
func discordLink(address string) (channel, message string, ok bool) {
	match := discordAddress.FindStringSubmatch(address)
	if match == nil {
		return "", "", false
	}
	return match[1], match[2], true
}

var (
	mentionUser    = regexp.MustCompile(`^<@!?(\d{1,20})>`)
	mentionRole    = regexp.MustCompile(`^<@&(\d{1,20})>`)
	mentionChannel = regexp.MustCompile(`^<#(\d{1,20})>`)
	mentionCommand = regexp.MustCompile(`^</([-_'\p{L}\p{N}]{1,32}(?: [-_'\p{L}\p{N}]{1,32}){0,2}):(\d{1,20})>`)
	customEmoji    = regexp.MustCompile(`^<(a?):([A-Za-z0-9_]{2,32}):(\d{1,20})>`)
	timestamp      = regexp.MustCompile(`^<t:(-?\d{1,13})(?::([tTdDfFR]))?>`)
	quietAddress   = regexp.MustCompile(`^<(https?://[^\s<>]+)>`)
)

// angle reads what begins with "<": mentions, timestamps, custom emoji and addresses.
func (m *markdownWriter) angle(s string, inLink bool) (func(), int) {
	// The longest of these, a command mention, is far below this; the bound keeps the search short.
	head := s[:min(len(s), 2100)]
	if match := mentionUser.FindStringSubmatch(head); match != nil {
		return func() { m.userMention(match[1]) }, len(match[0])
	}
	if match := mentionRole.FindStringSubmatch(head); match != nil {
		name, ok := m.names.roleName(match[1])
		return func() { m.pill("@", name, ok, "unknown-role", "mention") }, len(match[0])
	}
	if match := mentionChannel.FindStringSubmatch(head); match != nil {
		return func() { m.channelMention(match[1], inLink) }, len(match[0])
	}
	if match := mentionCommand.FindStringSubmatch(head); match != nil {
		return func() { m.commandMention(match[1], inLink) }, len(match[0])
	}
	if match := customEmoji.FindStringSubmatch(head); match != nil {
		return func() { m.emoji(match[2], match[3]) }, len(match[0])
	}
	if match := timestamp.FindStringSubmatch(head); match != nil {
		second, err := strconv.ParseInt(match[1], 10, 64)
		if err != nil || second > 8_640_000_000_000 || second < -8_640_000_000_000 {
			return nil, 0
		}
		return func() { m.raw(string(timeElement(second, match[2]))) }, len(match[0])
	}
	if match := quietAddress.FindStringSubmatch(head); match != nil && !inLink && isWebAddress(match[1]) {
		return func() { m.link(match[1], nil) }, len(match[0])
	}
	return nil, 0
}

func (m *markdownWriter) pill(sign, name string, ok bool, unknown, class string) {
	if !ok {
		name = unknown
	}
	m.raw(`<span class="` + class + `">` + sign + `<bdi>`)
	m.text(oneLine(name))
	m.raw(`</bdi></span>`)
}

func (m *markdownWriter) userMention(id string) {
	name, ok := m.names.userName(id)
	class := "mention"
	if ok && id == m.names.viewer() {
		class = "mention mention-me"
	}
	m.pill("@", name, ok, "unknown-user", class)
}

func (m *markdownWriter) channelMention(id string, inLink bool) {
	name, ok := m.names.channelName(id)
	if !ok || inLink {
		m.pill("#", name, ok, "unknown", "mention")
		return
	}
	m.raw(`<a class="mention" href="`)
	m.text(m.names.channelLink(id, ""))
	m.raw(`">#<bdi>`)
	m.text(oneLine(name))
	m.raw(`</bdi></a>`)
}

func (m *markdownWriter) commandMention(command string, inLink bool) {
	if inLink {
		m.pill("/", command, true, "", "mention")
		return
	}
	m.raw(`<button type="button" class="mention" data-command="`)
	m.text(command)
	m.raw(`">/`)
	m.text(command)
	m.raw(`</button>`)
}

func (m *markdownWriter) emoji(name, id string) {
	source, ok := m.names.emojiSource(id)
	if !ok {
		m.text(":" + name + ":")
		return
	}
	m.raw(`<img class="emoji" alt=":`)
	m.text(name)
	m.raw(`:" src="`)
	m.text(source)
	m.raw(`">`)
}

// timeElement is a moment as text in UTC; the page's script shows it in the reader's own time zone
// and keeps the relative ones live.
func timeElement(second int64, style string) template.HTML {
	if style == "" {
		style = "f"
	}
	moment := time.Unix(second, 0).UTC()
	layout := map[string]string{
		"t": "15:04 UTC", "T": "15:04:05 UTC", "d": "2006-01-02", "D": "2 January 2006",
		"F": "Monday, 2 January 2006 15:04 UTC",
	}[style]
	if layout == "" {
		layout = "2 January 2006 15:04 UTC"
	}
	machine := ""
	if y := moment.Year(); y >= 0 && y <= 9999 {
		machine = ` datetime="` + moment.Format(time.RFC3339) + `"`
	}
	return template.HTML(`<time` + machine + ` data-t="` + strconv.FormatInt(second, 10) + // digits and fixed letters only
		`" data-style="` + style + `">` + html.EscapeString(moment.Format(layout)) + `</time>`)
}

// editedElement is the mark of a changed message, which tells the moment of the change as timeElement does.
func editedElement(second int64) template.HTML {
	return template.HTML(`<time data-t="` + strconv.FormatInt(second, 10) + `" data-style="edited">(edited)</time>`)
}

// oneLine keeps a name on one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, cleanText(s))
}

func isASCIIPunct(b byte) bool {
	return b < utf8.RuneSelf && (unicode.IsPunct(rune(b)) || unicode.IsSymbol(rune(b)))
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

func isWordByte(b byte) bool {
	return b == '_' || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b >= utf8.RuneSelf
}
