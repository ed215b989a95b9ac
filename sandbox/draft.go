package sandbox

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The limits of messages.
const (
	maxContent    = 2000
	maxEmbeds     = 10
	maxEmbedTotal = 6000
	maxFiles      = 10
	maxFileSize   = 10 << 20
	maxRequest    = 25 << 20
	maxAltText    = 1024
	maxNonce      = 25
	maxMentions   = 100
)

// draftKind is which request a message body belongs to.
type draftKind int

const (
	channelCreate draftKind = iota
	channelEdit
	callbackReply  // callback type 4
	callbackUpdate // callback type 7
	webhookCreate  // a follow-up
	webhookEdit    // @original or a follow-up
)

func (k draftKind) edits() bool {
	return k == channelEdit || k == callbackUpdate || k == webhookEdit
}

// byToken is whether it belongs to an interaction, where mentions default to users
// alone.
func (k draftKind) byToken() bool { return k != channelCreate && k != channelEdit }

var draftFields = map[draftKind][]string{
	channelCreate: {"content", "nonce", "enforce_nonce", "tts", "embeds", "allowed_mentions", "message_reference", "components", "sticker_ids", "attachments", "flags", "poll"},
	// Widely used clients repeat the address in the body of an edit as "ID" and
	// "Channel", which Discord passes over.
	channelEdit:    {"content", "embeds", "flags", "allowed_mentions", "components", "attachments", "sticker_ids", "ID", "Channel"},
	callbackReply:  {"tts", "content", "embeds", "allowed_mentions", "flags", "components", "attachments", "poll"},
	callbackUpdate: {"tts", "content", "embeds", "allowed_mentions", "flags", "components", "attachments", "poll"},
	webhookCreate:  {"content", "username", "avatar_url", "tts", "embeds", "allowed_mentions", "components", "attachments", "flags", "thread_name", "applied_tags", "poll"},
	webhookEdit:    {"content", "embeds", "flags", "allowed_mentions", "components", "attachments", "poll"},
}

// draft is a checked message body. The has-fields say what the body mentions: an
// edit leaves the rest of the message as it is.
type draft struct {
	kind          draftKind
	hasContent    bool
	content       string
	hasEmbeds     bool
	embeds        []json.RawMessage
	hasComponents bool
	components    []Component
	media         []value
	hasFiles      bool // the attachments array is there
	files         []fileRef
	hasFlags      bool
	flags         int
	v2            bool // V2 after this draft is applied
	allowed       allowedMentions
	nonce         json.RawMessage
	enforceNonce  bool
	tts           bool
	reference     string // message id
	tooBig        bool
	root          value
}

// fileRef is one element of a body's attachments: a new file by its index in the
// upload, or an old one by its id.
type fileRef struct {
	at          value
	id          string
	filename    string
	description string
	described   bool
}

// allowedMentions says who may be notified.
type allowedMentions struct {
	everyone, allUsers, allRoles bool
	users, roles                 []string
	repliedUser                  bool
}

// readDraft checks a message body. old is the message it edits, or nil; emojis
// tells which application emojis exist.
func readDraft(v value, kind draftKind, old *Message, emojis func(string) bool) *draft {
	d := &draft{kind: kind, root: v}
	if !v.object(draftFields[kind]...) {
		return d
	}
	for _, name := range []string{"poll", "username", "avatar_url", "thread_name"} {
		if f := v.get(name); !f.null() {
			f.fail("NOT_SUPPORTED", "The sandbox has no such thing")
		}
	}
	v.get("sticker_ids").list(0, 0)
	v.get("applied_tags").list(0, 0)
	d.tts = v.get("tts").boolean()
	d.content, d.hasContent = v.get("content").str(0, maxContent), v.get("content").set
	d.hasEmbeds = v.get("embeds").set
	d.embeds = readEmbeds(v.get("embeds"))
	d.allowed = readAllowedMentions(v.get("allowed_mentions"), kind.byToken())
	d.readNonce(v)
	d.readReference(v.get("message_reference"))
	d.readFiles(v.get("attachments"))
	d.readFlags(v.get("flags"), old)
	d.readComponents(v.get("components"), old, emojis)
	return d
}

func (d *draft) readNonce(v value) {
	if d.kind != channelCreate {
		return
	}
	d.enforceNonce = v.get("enforce_nonce").boolean()
	f := v.get("nonce")
	switch raw := f.raw.(type) {
	case nil:
		return
	case string:
		f.length(utf16Len(raw), 0, maxNonce)
	case json.Number:
		f.integer(math.MinInt64, math.MaxInt64)
	default:
		f.fail("STRING_TYPE_CONVERT", "Could not interpret %s as string.", show(raw))
		return
	}
	b, err := json.Marshal(f.raw)
	if err != nil {
		f.fail("STRING_TYPE_CONVERT", "%v", err)
		return
	}
	d.nonce = b
}

func (d *draft) readReference(v value) {
	if v.null() || !v.object("type", "message_id", "channel_id", "guild_id", "fail_if_not_exists") {
		return
	}
	if t := v.get("type"); t.integer(0, 1) == 1 {
		t.fail("NOT_SUPPORTED", "The sandbox forwards no messages")
	}
	v.get("channel_id").snowflake()
	v.get("guild_id").snowflake()
	v.get("fail_if_not_exists").boolean()
	d.reference = v.need("message_id").snowflake()
}

func (d *draft) readFiles(v value) {
	d.hasFiles = !v.null()
	for _, e := range v.list(0, maxFiles) {
		if !e.object("id", "filename", "description", "title", "size", "url", "proxy_url", "content_type", "height", "width", "ephemeral", "duration_secs", "waveform", "flags", "is_spoiler", "is_remix", "placeholder", "placeholder_version", "original_content_type") {
			continue
		}
		ref := fileRef{at: e, id: e.need("id").snowflake()}
		if f := e.get("filename"); f.set {
			ref.filename = f.str(1, 1024)
		}
		e.get("title").str(0, 1024)
		e.get("is_spoiler").boolean()
		e.get("is_remix").boolean()
		ref.described = e.get("description").set
		ref.description = e.get("description").str(0, maxAltText)
		d.files = append(d.files, ref)
	}
}

// readFlags finds out which flags are set, and that V2 stays when it was there.
func (d *draft) readFlags(v value, old *Message) {
	d.hasFlags = !v.null()
	d.flags = int(v.integer(0, math.MaxInt32))
	settable := FlagSuppressEmbeds | FlagComponentsV2
	switch d.kind {
	case channelCreate:
		settable |= FlagSuppressNotifications
	case callbackReply, webhookCreate:
		settable |= FlagSuppressNotifications | FlagEphemeral
	case callbackUpdate, webhookEdit, channelEdit:
		if old != nil { // what the message has already may be repeated
			settable |= old.Flags
		}
		if d.kind != channelEdit {
			settable |= FlagEphemeral
		}
	}
	if d.flags&^settable != 0 {
		v.fail("BITFIELD_TYPE_INVALID", "Flags %d cannot be set here", d.flags&^settable)
	}
	d.v2 = d.flags&FlagComponentsV2 != 0
	if old != nil && old.Flags&FlagComponentsV2 != 0 {
		if d.hasFlags && !d.v2 && d.kind.edits() {
			v.fail("MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", "The MessageFlags.IS_COMPONENTS_V2 flag cannot be removed from a message")
		}
		d.v2 = true
	}
	if d.v2 {
		d.readLegacyFields(old)
	}
}

// readLegacyFields refuses what a V2 message cannot have.
func (d *draft) readLegacyFields(old *Message) {
	const text = "The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
	content, embeds := d.content != "", len(d.embeds) > 0
	if old != nil && old.Flags&FlagComponentsV2 == 0 { // what the message had must be taken away
		content = content || !d.hasContent && old.Content != ""
		embeds = embeds || !d.hasEmbeds && len(old.Embeds) > 0
	}
	if content {
		d.root.get("content").fail("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", text, "content")
	}
	if embeds {
		d.root.get("embeds").fail("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", text, "embeds")
	}
}

func (d *draft) readComponents(v value, old *Message, emojis func(string) bool) {
	d.hasComponents = v.set
	becomesV2 := d.v2 && (old == nil || old.Flags&FlagComponentsV2 == 0)
	if !v.set && !becomesV2 {
		return
	}
	k := componentCheck{where: legacyMessage, emojis: emojis}
	if d.v2 {
		k.where = v2Message
	}
	d.components = k.components(v)
	d.media, d.tooBig = k.media, k.tooBig()
}

// empty is whether a new message would have nothing to show.
func (d *draft) empty(files int) bool {
	return strings.TrimSpace(d.content) == "" && len(d.embeds) == 0 && len(d.components) == 0 && files == 0
}

func readAllowedMentions(v value, byToken bool) allowedMentions {
	if v.null() {
		if byToken {
			return allowedMentions{allUsers: true}
		}
		return allowedMentions{allUsers: true, allRoles: true, everyone: true, repliedUser: true}
	}
	var a allowedMentions
	if !v.object("parse", "users", "roles", "replied_user") {
		return a
	}
	for _, e := range v.get("parse").list(0, 3) {
		switch e.str(1, 20) {
		case "everyone":
			a.everyone = true
		case "users":
			a.allUsers = true
		case "roles":
			a.allRoles = true
		default:
			e.fail("BASE_TYPE_CHOICES", "Value must be one of {'everyone', 'roles', 'users'}.")
		}
	}
	ids := func(f value, all bool) (out []string) {
		for _, e := range f.list(0, maxMentions) {
			id := e.snowflake()
			if slices.Contains(out, id) {
				e.fail("SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
			}
			out = append(out, id)
		}
		if all && len(out) > 0 {
			f.fail("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse and this list are mutually exclusive")
		}
		return out
	}
	a.users = ids(v.get("users"), a.allUsers)
	a.roles = ids(v.get("roles"), a.allRoles)
	a.repliedUser = v.get("replied_user").boolean()
	return a
}

func readEmbeds(v value) []json.RawMessage {
	out, total := []json.RawMessage{}, 0
	for _, e := range v.list(0, maxEmbeds) {
		if !e.object("title", "type", "description", "url", "timestamp", "color", "footer", "image", "thumbnail", "video", "provider", "author", "fields", "flags", "reference_id", "content_scan_version") {
			continue
		}
		total += readEmbed(e)
		m := e.raw.(map[string]any)
		m["type"] = "rich"
		b, err := json.Marshal(m)
		if err != nil {
			e.fail("DICT_TYPE_CONVERT", "%v", err)
			continue
		}
		out = append(out, b)
	}
	if total > maxEmbedTotal {
		v.fail("MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedTotal)
	}
	return out
}

// readEmbed checks one embed and counts what goes into the total.
func readEmbed(e value) int {
	total := utf16Len(e.get("title").str(0, 256)) + utf16Len(e.get("description").str(0, 4096))
	e.get("type").str(0, 32)
	e.get("color").integer(0, 0xffffff)
	embedURL(e.get("url"), "http", "https")
	if t := e.get("timestamp"); !t.null() {
		if _, err := time.Parse(time.RFC3339, t.str(1, 64)); err != nil {
			t.fail("DATE_TIME_TYPE_PARSE", "Could not parse the date")
		}
	}
	if f := e.get("footer"); !f.null() && f.object("text", "icon_url", "proxy_icon_url") {
		total += utf16Len(f.need("text").str(0, 2048))
		embedURL(f.get("icon_url"), "http", "https", "attachment")
	}
	if a := e.get("author"); !a.null() && a.object("name", "url", "icon_url", "proxy_icon_url") {
		total += utf16Len(a.need("name").str(0, 256))
		embedURL(a.get("url"), "http", "https")
		embedURL(a.get("icon_url"), "http", "https", "attachment")
	}
	for _, name := range []string{"image", "thumbnail"} {
		if i := e.get(name); !i.null() && i.object("url", "proxy_url", "height", "width", "content_type", "placeholder", "placeholder_version", "flags") {
			embedURL(i.need("url"), "http", "https", "attachment")
		}
	}
	for _, f := range e.get("fields").list(0, 25) {
		if f.object("name", "value", "inline") {
			total += utf16Len(f.get("name").str(1, 256)) + utf16Len(f.get("value").str(1, 1024))
			f.get("inline").boolean()
		}
	}
	return total
}

func embedURL(v value, schemes ...string) {
	if s := v.str(0, 2048); s != "" && !validURL(s, schemes...) {
		v.fail("URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('%s').", strings.Join(schemes, "', '"))
	}
}

// newFileIndex is which upload an attachment id may mean; ok is false for what can
// only be the id of an attachment that exists already.
func (r fileRef) newFileIndex() (index int, ok bool) {
	n, err := strconv.Atoi(r.id)
	if err != nil || n >= 1<<20 {
		return 0, false
	}
	return n, true
}
