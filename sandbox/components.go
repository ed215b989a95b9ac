package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of components.
const (
	maxComponents  = 40    // in a V2 message, nested ones counted
	maxText        = 4000  // UTF-16 units over all text displays of a message
	maxProcessed   = 10170 // bytes; above it Discord answers 500
	textOverhead   = 12    // bytes each text display adds to what is processed
	maxRows        = 5     // in a message without V2
	maxRowButtons  = 5
	maxOptions     = 25
	maxModalFields = 5
	maxGroup       = 10 // options of a radio or checkbox group
)

// surface is where components stand.
type surface int

const (
	legacyMessage surface = iota
	v2Message
	modalForm
)

// Which types may stand where.
var (
	inLegacy    = []int64{TypeActionRow}
	inV2        = []int64{TypeActionRow, TypeSection, TypeTextDisplay, TypeMediaGallery, TypeFile, TypeSeparator, TypeContainer}
	inContainer = []int64{TypeActionRow, TypeSection, TypeTextDisplay, TypeMediaGallery, TypeFile, TypeSeparator}
	inRow       = []int64{TypeButton, TypeStringSelect, TypeUserSelect, TypeRoleSelect, TypeMentionableSelect, TypeChannelSelect}
	inModal     = []int64{TypeActionRow, TypeTextDisplay, TypeLabel}
	inModalRow  = []int64{TypeTextInput}
	inLabel     = []int64{TypeStringSelect, TypeTextInput, TypeUserSelect, TypeRoleSelect, TypeMentionableSelect, TypeChannelSelect, TypeRadioGroup, TypeCheckboxGroup, TypeCheckbox}
	inSection   = []int64{TypeTextDisplay}
	asAccessory = []int64{TypeButton, TypeThumbnail}
)

// componentCheck goes through the components of one message or modal.
type componentCheck struct {
	where     surface
	emojis    func(id string) bool // whether the application may use it
	customIDs map[string]bool
	ids       map[int64]bool
	media     []value // attachment:// addresses, to be resolved against the files
	total     int
	texts     int // text displays
	units     int // their UTF-16 units
	bytes     int // their UTF-8 bytes
}

// components checks a list of components and returns it typed, with an id for
// each that has none.
func (k *componentCheck) components(v value) []Component {
	k.customIDs, k.ids = map[string]bool{}, map[int64]bool{}
	allowed, lo, hi := inLegacy, 0, maxRows
	switch k.where {
	case v2Message:
		allowed, lo, hi = inV2, 1, math.MaxInt
	case modalForm:
		allowed, lo, hi = inModal, 1, maxModalFields
	}
	if lo > 0 && v.null() {
		v.missing()
		return nil
	}
	list := v.list(0, math.MaxInt)
	if n := len(list); n < lo || n > hi {
		v.length(n, lo, hi)
	}
	for _, e := range list {
		k.component(e, allowed)
	}
	if k.where == v2Message && k.total > maxComponents {
		v.fail("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The maximum number of total components is %d; this message has %d", maxComponents, k.total)
	}
	if k.units > maxText {
		v.fail("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Total displayable text size exceeds maximum size of %d", maxText)
	}
	return k.typed(v)
}

// tooBig is whether Discord fails on this message without a word of why.
func (k *componentCheck) tooBig() bool {
	return k.where == v2Message && k.bytes+textOverhead*k.texts > maxProcessed
}

// typed decodes what has been checked; while there are faults the outcome is not
// used.
func (k *componentCheck) typed(v value) []Component {
	if v.null() || !v.all.empty() {
		return []Component{}
	}
	b, err := json.Marshal(v.raw)
	if err != nil {
		v.fail("BASE_TYPE_REQUIRED", "%v", err)
		return nil
	}
	out := []Component{}
	if err := json.Unmarshal(b, &out); err != nil {
		v.fail("BASE_TYPE_REQUIRED", "%v", err)
		return nil
	}
	next := int64(1)
	walk(out, func(c *Component) {
		c.setDefaults()
		if c.ID != 0 {
			return
		}
		for k.ids[next] {
			next++
		}
		c.ID = int(next)
		next++
	})
	return out
}

// setDefaults fills in what Discord sends back where nothing was said.
func (c *Component) setDefaults() {
	one, yes := 1, true
	switch {
	case isSelect(c.Type):
		if c.MinValues == nil {
			c.MinValues = &one
		}
		if c.MaxValues == nil {
			c.MaxValues = &one
		}
	case c.Type == TypeSeparator:
		if c.Divider == nil {
			c.Divider = &yes
		}
		if c.Spacing == 0 {
			c.Spacing = 1
		}
	}
}

// walk visits every component, nested ones after the one that holds them.
func walk(list []Component, visit func(*Component)) {
	for i := range list {
		c := &list[i]
		visit(c)
		walk(c.Components, visit)
		for _, one := range []*Component{c.Accessory, c.Component} {
			if one != nil {
				visit(one)
			}
		}
	}
}

func (k *componentCheck) component(v value, allowed []int64) {
	if _, ok := v.raw.(map[string]any); !ok {
		v.fail("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return
	}
	t := v.need("type")
	if t.null() {
		return
	}
	typ := t.integer(0, math.MaxInt32)
	if !slices.Contains(allowed, typ) {
		t.fail("UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (%s).", join(allowed))
		return
	}
	k.total++
	k.id(v.get("id"))
	switch typ {
	case TypeActionRow:
		k.row(v)
	case TypeButton:
		k.button(v)
	case TypeStringSelect, TypeUserSelect, TypeRoleSelect, TypeMentionableSelect, TypeChannelSelect:
		k.choice(v, typ)
	case TypeTextInput:
		k.textInput(v)
	case TypeSection:
		k.section(v)
	case TypeTextDisplay:
		k.textDisplay(v)
	case TypeThumbnail:
		v.object("type", "id", "media", "description", "spoiler")
		k.mediaItem(v)
	case TypeMediaGallery:
		k.gallery(v)
	case TypeFile:
		k.file(v)
	case TypeSeparator:
		v.object("type", "id", "divider", "spacing")
		v.get("divider").boolean()
		v.get("spacing").oneOf(1, 2)
	case TypeContainer:
		k.container(v)
	case TypeLabel:
		k.label(v)
	case TypeRadioGroup, TypeCheckboxGroup:
		k.group(v, typ)
	case TypeCheckbox:
		v.object("type", "id", "custom_id", "default")
		k.customID(v.get("custom_id"))
		v.get("default").boolean()
	}
}

func (k *componentCheck) id(v value) {
	id := v.integer(0, math.MaxInt32)
	if id == 0 {
		return
	}
	if k.ids[id] {
		v.fail("COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
	}
	k.ids[id] = true
}

func (k *componentCheck) customID(v value) {
	id := v.str(1, 100)
	if id == "" {
		return
	}
	if k.customIDs[id] {
		v.fail("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	k.customIDs[id] = true
}

func (k *componentCheck) row(v value) {
	v.object("type", "id", "components")
	allowed := inRow
	if k.where == modalForm {
		allowed = inModalRow
	}
	children := v.need("components")
	if children.null() {
		return
	}
	list := children.list(1, maxRowButtons)
	for _, e := range list {
		if e.kind() != TypeButton && len(list) > 1 {
			children.fail("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
			break
		}
	}
	for _, e := range list {
		k.component(e, allowed)
	}
}

// kind is a component's type, unchecked; 0 when there is none.
func (v value) kind() int64 {
	n, _ := v.get("type").raw.(json.Number)
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return i
}

func (k *componentCheck) button(v value) {
	v.object("type", "id", "style", "label", "emoji", "custom_id", "sku_id", "url", "disabled")
	style := v.need("style").oneOf(1, 2, 3, 4, 5, 6)
	v.get("disabled").boolean()
	label := v.get("label").str(0, 80)
	k.emoji(v.get("emoji"))
	absent := func(names ...string) {
		for _, name := range names {
			if f := v.get(name); !f.null() && f.raw != "" {
				f.fail("BUTTON_COMPONENT_FIELD_NOT_ALLOWED", "A button of style %d cannot have a %s", style, name)
			}
		}
	}
	switch style {
	case ButtonLink:
		absent("custom_id", "sku_id")
		u := v.need("url")
		if s := u.str(0, 512); s != "" && !validURL(s, "http", "https", "discord") {
			u.fail("URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'discord').")
		}
	case ButtonPremium:
		absent("custom_id", "url", "label", "emoji")
		v.need("sku_id").snowflake()
		return
	default:
		absent("url", "sku_id")
		k.customID(v.get("custom_id"))
	}
	if label == "" && v.get("emoji").null() {
		v.fail("BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button must have a label or an emoji")
	}
}

func (k *componentCheck) emoji(v value) {
	if v.null() || !v.object("id", "name", "animated") {
		return
	}
	v.get("animated").boolean()
	name := v.get("name").str(0, 64)
	if id := v.get("id"); !id.null() {
		if s := id.snowflake(); name == "" {
			v.get("name").missing()
		} else if s != "" && k.emojis != nil && !k.emojis(s) {
			id.fail("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
		}
		return
	}
	if !looksLikeEmoji(name) {
		v.get("name").fail("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
}

// looksLikeEmoji is a rough test: short, and made of nothing but symbols (digits,
// # and * only in a keycap).
func looksLikeEmoji(s string) bool {
	if s == "" || utf8.RuneCountInString(s) > 16 {
		return false
	}
	keycap := strings.HasSuffix(s, "\u20e3")
	for _, r := range s {
		plain := r < 0xa9 || (r >= 0xc0 && r < 0x200d)
		if plain && !(keycap && strings.ContainsRune("0123456789#*", r)) {
			return false
		}
	}
	return true
}

func (k *componentCheck) choice(v value, typ int64) {
	known := []string{"type", "id", "custom_id", "placeholder", "min_values", "max_values", "disabled"}
	if k.where == modalForm {
		known = append(known, "required")
		v.get("required").boolean()
	}
	switch typ {
	case TypeStringSelect:
		known = append(known, "options")
	case TypeChannelSelect:
		known = append(known, "default_values", "channel_types")
	default:
		known = append(known, "default_values")
	}
	v.object(known...)
	k.customID(v.get("custom_id"))
	v.get("placeholder").str(0, 150)
	if d := v.get("disabled"); d.boolean() && k.where == modalForm {
		d.fail("COMPONENT_DISABLED_IN_MODAL", "A select in a modal cannot be disabled")
	}
	least, most := int64(1), int64(1)
	if f := v.get("min_values"); !f.null() {
		least = f.integer(0, maxOptions)
	}
	if f := v.get("max_values"); !f.null() {
		most = f.integer(1, maxOptions)
	}
	if least > most {
		v.get("min_values").fail("SELECT_COMPONENT_MIN_GREATER_THAN_MAX", "min_values cannot be greater than max_values")
	}
	for _, e := range v.get("channel_types").list(0, maxOptions) {
		e.integer(0, 32)
	}
	k.defaults(v.get("default_values"), least, most)
	if typ == TypeStringSelect {
		k.options(v.need("options"), most)
	}
}

func (k *componentCheck) defaults(v value, least, most int64) {
	list := v.list(0, maxOptions)
	if n := int64(len(list)); n > 0 && (n < least || n > most) {
		v.fail("SELECT_DEFAULT_VALUES_OUT_OF_RANGE", "The number of default values must be between min_values and max_values")
	}
	for _, e := range list {
		if !e.object("id", "type") {
			continue
		}
		e.need("id").snowflake()
		if t := e.need("type"); !slices.Contains([]string{"user", "role", "channel"}, t.str(1, 20)) {
			t.fail("BASE_TYPE_CHOICES", "Value must be one of {'user', 'role', 'channel'}.")
		}
	}
}

func (k *componentCheck) options(v value, most int64) {
	if v.null() {
		return
	}
	list := v.list(1, maxOptions)
	if n := int64(len(list)); n > 0 && n < most {
		v.fail("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", most, maxOptions)
	}
	seen, defaults := map[string]bool{}, int64(0)
	for _, e := range list {
		if !e.object("label", "value", "description", "emoji", "default") {
			continue
		}
		e.get("label").str(1, 100)
		e.get("description").str(0, 100)
		k.emoji(e.get("emoji"))
		if e.get("default").boolean() {
			defaults++
		}
		f := e.get("value")
		if s := f.str(1, 100); s != "" {
			if seen[s] {
				f.fail("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
			}
			seen[s] = true
		}
	}
	if defaults > most {
		v.fail("SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More options are selected by default than max_values allows")
	}
}

func (k *componentCheck) textInput(v value) {
	v.object("type", "id", "custom_id", "style", "label", "min_length", "max_length", "required", "value", "placeholder")
	k.customID(v.get("custom_id"))
	v.need("style").oneOf(1, 2)
	if label := v.get("label"); len(v.path) > 0 && v.path[len(v.path)-1] == "component" {
		if !label.null() {
			label.fail("TEXT_INPUT_LABEL_IN_LABEL", "A text input inside a label has no label of its own")
		}
	} else {
		label.str(1, 45)
	}
	least, most := v.get("min_length").integer(0, 4000), int64(4000)
	if f := v.get("max_length"); !f.null() {
		most = f.integer(1, 4000)
	}
	if least > most {
		v.get("min_length").fail("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length cannot be greater than max_length")
	}
	v.get("required").boolean()
	v.get("value").str(0, int(most))
	v.get("placeholder").str(0, 100)
}

// group checks a radio group, of which one option is chosen, or a checkbox group.
func (k *componentCheck) group(v value, typ int64) {
	known, fewest := []string{"type", "id", "custom_id", "required", "options"}, 2
	if typ == TypeCheckboxGroup {
		known, fewest = append(known, "min_values", "max_values"), 1
	}
	v.object(known...)
	k.customID(v.get("custom_id"))
	v.get("required").boolean()
	list := v.need("options").list(fewest, maxGroup)
	least, most := int64(1), int64(1)
	if typ == TypeCheckboxGroup {
		most = int64(len(list))
		if f := v.get("min_values"); !f.null() {
			least = f.integer(0, maxGroup)
		}
		if f := v.get("max_values"); !f.null() {
			most = f.integer(1, maxGroup)
		}
		if least > most {
			v.get("min_values").fail("SELECT_COMPONENT_MIN_GREATER_THAN_MAX", "min_values cannot be greater than max_values")
		}
	}
	k.groupOptions(v.get("options"), list, most)
}

func (k *componentCheck) groupOptions(v value, list []value, most int64) {
	seen, defaults := map[string]bool{}, int64(0)
	for _, e := range list {
		if !e.object("label", "value", "description", "default") {
			continue
		}
		e.get("label").str(1, 100)
		e.get("description").str(0, 100)
		if e.get("default").boolean() {
			defaults++
		}
		f := e.get("value")
		if s := f.str(1, 100); s != "" && seen[s] {
			f.fail("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		} else {
			seen[s] = true
		}
	}
	if defaults > most {
		v.fail("SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More options are selected by default than max_values allows")
	}
}

func (k *componentCheck) section(v value) {
	v.object("type", "id", "components", "accessory")
	for _, e := range v.get("components").list(1, 3) {
		k.component(e, inSection)
	}
	if a := v.need("accessory"); !a.null() {
		k.component(a, asAccessory)
	}
}

func (k *componentCheck) textDisplay(v value) {
	v.object("type", "id", "content")
	s := v.get("content").str(1, maxText)
	k.texts++
	k.units += utf16Len(s)
	k.bytes += len(s)
}

func (k *componentCheck) gallery(v value) {
	v.object("type", "id", "items")
	for _, e := range v.get("items").list(1, 10) {
		if e.object("media", "description", "spoiler") {
			k.mediaItem(e)
		}
	}
}

func (k *componentCheck) mediaItem(v value) {
	if d := v.get("description"); !d.null() {
		d.str(1, maxAltText)
	}
	v.get("spoiler").boolean()
	k.address(v.need("media"), "http", "https", "attachment")
}

func (k *componentCheck) file(v value) {
	v.object("type", "id", "file", "spoiler", "name", "size")
	v.get("spoiler").boolean()
	k.address(v.need("file"), "attachment")
}

// address checks an unfurled media item. Only its url counts; the fields Discord
// adds itself may come back.
func (k *componentCheck) address(v value, schemes ...string) {
	if v.null() || !v.object("url", "proxy_url", "height", "width", "content_type", "attachment_id", "id", "placeholder", "placeholder_version", "loading_state", "flags") {
		return
	}
	u := v.get("url")
	s := u.str(1, 2048)
	switch {
	case s == "":
	case !validURL(s, schemes...):
		u.fail("URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('%s').", strings.Join(schemes, "', '"))
	case strings.HasPrefix(s, "attachment://"):
		k.media = append(k.media, u)
	}
}

func (k *componentCheck) container(v value) {
	v.object("type", "id", "components", "accent_color", "spoiler")
	v.get("accent_color").integer(0, 0xffffff)
	v.get("spoiler").boolean()
	for _, e := range v.get("components").list(1, maxComponents) {
		k.component(e, inContainer)
	}
}

func (k *componentCheck) label(v value) {
	v.object("type", "id", "label", "description", "component")
	v.get("label").str(1, 45)
	v.get("description").str(0, 100)
	if c := v.need("component"); !c.null() {
		k.component(c, inLabel)
	}
}

func validURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && slices.Contains(schemes, u.Scheme) && (u.Host != "" || u.Opaque != "" || u.Path != "")
}

// attachmentName is the file an attachment:// address names, or "".
func attachmentName(address string) string {
	name, ok := strings.CutPrefix(address, "attachment://")
	if !ok {
		return ""
	}
	return name
}

// eachMedia visits every media item of the components.
func eachMedia(list []Component, visit func(*Media)) {
	walk(list, func(c *Component) {
		if c.Media != nil {
			visit(c.Media)
		}
		if c.File != nil {
			visit(c.File)
		}
		for i := range c.Items {
			visit(&c.Items[i].Media)
		}
	})
}

// findComponent is the interactive component with the custom id.
func findComponent(list []Component, customID string) (*Component, error) {
	var found *Component
	walk(list, func(c *Component) {
		if c.CustomID == customID && found == nil {
			found = c
		}
	})
	if found == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoComponent, customID)
	}
	return found, nil
}
