package sandbox_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// bad is a body and the fault it must be refused with: code at a path of the form's
// errors.
type bad struct {
	name string
	body any
	path string
	code string
}

func with(base obj, more obj) obj {
	out := maps.Clone(base)
	maps.Copy(out, more)
	return out
}

func times(n int, f func(i int) any) list {
	out := list{}
	for i := range n {
		out = append(out, f(i))
	}
	return out
}

func legacy(components ...any) obj { return obj{"content": "x", "components": components} }

var long = strings.Repeat("a", 5000)

const (
	badLength = "BASE_TYPE_BAD_LENGTH"
	maxLength = "BASE_TYPE_MAX_LENGTH"
	required  = "BASE_TYPE_REQUIRED"
	union     = "UNION_TYPE_CHOICES"
	unknown   = "UNKNOWN_FIELD"
	scheme    = "URL_TYPE_INVALID_SCHEME"
	coerce    = "NUMBER_TYPE_COERCE"
	choices   = "BASE_TYPE_CHOICES"
)

func badMessages() []bad {
	plain := button("go", "Go")
	manyButtons := times(6, func(i int) any { return button(strconv.Itoa(i), "b") })
	thumbnail := obj{"type": 11, "media": obj{"url": "https://example.org/a.png"}}
	section := func(more obj) obj {
		return v2(with(obj{"type": 9, "components": list{text("a")}, "accessory": thumbnail}, more))
	}
	gallery := func(n int, item obj) obj {
		return v2(obj{"type": 12, "items": times(n, func(int) any { return with(obj{"media": obj{"url": "https://example.org/a.png"}}, item) })})
	}
	embed := func(e obj) obj { return obj{"embeds": list{e}} }
	return []bad{
		{"content over 2000", obj{"content": strings.Repeat("a", 2001)}, "content", maxLength},
		{"content over 2000 in UTF-16 units", obj{"content": strings.Repeat("🗡", 1001)}, "content", maxLength},
		{"content of the wrong type", obj{"content": 7}, "content", "STRING_TYPE_CONVERT"},
		{"unknown field", obj{"content": "x", "contents": "y"}, "contents", unknown},
		{"tts of the wrong type", obj{"content": "x", "tts": "yes"}, "tts", "BOOLEAN_TYPE_CONVERT"},
		{"flags of the wrong type", obj{"content": "x", "flags": "64"}, "flags", coerce},
		{"an ephemeral channel message", obj{"content": "x", "flags": 64}, "flags", "BITFIELD_TYPE_INVALID"},
		{"nonce over 25", obj{"content": "x", "nonce": strings.Repeat("n", 26)}, "nonce", maxLength},
		{"a poll", obj{"content": "x", "poll": obj{}}, "poll", "NOT_SUPPORTED"},
		{"reply to nothing", obj{"content": "x", "message_reference": obj{"message_id": "1"}}, "message_reference", "REPLIES_UNKNOWN_MESSAGE"},

		{"101 users in allowed_mentions", obj{"content": "x", "allowed_mentions": obj{"users": times(101, func(i int) any { return strconv.Itoa(i + 1) })}}, "allowed_mentions.users", maxLength},
		{"parse beside its list", obj{"content": "x", "allowed_mentions": obj{"parse": list{"users"}, "users": list{"1"}}}, "allowed_mentions.users", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
		{"parse of something else", obj{"content": "x", "allowed_mentions": obj{"parse": list{"friends"}}}, "allowed_mentions.parse.0", choices},

		{"11 embeds", obj{"embeds": times(11, func(int) any { return obj{"title": "t"} })}, "embeds", maxLength},
		{"embed title", embed(obj{"title": long[:257]}), "embeds.0.title", maxLength},
		{"embed description", embed(obj{"description": long[:4097]}), "embeds.0.description", maxLength},
		{"26 embed fields", embed(obj{"fields": times(26, func(int) any { return obj{"name": "n", "value": "v"} })}), "embeds.0.fields", maxLength},
		{"embed field name", embed(obj{"fields": list{obj{"name": long[:257], "value": "v"}}}), "embeds.0.fields.0.name", badLength},
		{"embed field value", embed(obj{"fields": list{obj{"name": "n", "value": long[:1025]}}}), "embeds.0.fields.0.value", badLength},
		{"embed footer", embed(obj{"footer": obj{"text": long[:2049]}}), "embeds.0.footer.text", maxLength},
		{"embed author", embed(obj{"author": obj{"name": long[:257]}}), "embeds.0.author.name", maxLength},
		{"6001 over all embeds", obj{"embeds": list{obj{"description": long[:3000]}, obj{"description": long[:3001]}}}, "embeds", "MAX_EMBED_SIZE_EXCEEDED"},

		{"6 rows", legacy(times(6, func(i int) any { return row(button(strconv.Itoa(i), "b")) })...), "components", maxLength},
		{"6 buttons in a row", legacy(row(manyButtons...)), "components.0.components", badLength},
		{"an empty row", legacy(row()), "components.0.components", badLength},
		{"a select beside a button", legacy(row(stringSelect("s", nil, options(2)), plain)), "components.0.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
		{"a button outside a row", legacy(plain), "components.0.type", union},
		{"a text display without V2", legacy(text("x")), "components.0.type", union},
		{"a component without a type", legacy(obj{"components": list{}}), "components.0.type", required},
		{"a text input in a message", legacy(row(obj{"type": 4, "custom_id": "t", "style": 1, "label": "l"})), "components.0.components.0.type", union},
		{"twice the same custom id", legacy(row(plain), row(button("go", "Again"))), "components.1.components.0.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"twice the same id", legacy(row(with(plain, obj{"id": 7}), with(button("b", "B"), obj{"id": 7}))), "components.0.components.1.id", "COMPONENT_ID_DUPLICATED"},
		{"custom id over 100", legacy(row(button(long[:101], "b"))), "components.0.components.0.custom_id", badLength},
		{"an empty custom id", legacy(row(button("", "b"))), "components.0.components.0.custom_id", badLength},
		{"no custom id", legacy(row(obj{"type": 2, "style": 1, "label": "x"})), "components.0.components.0.custom_id", required},
		{"unknown field of a button", legacy(row(with(plain, obj{"lable": "x"}))), "components.0.components.0.lable", unknown},

		{"button label over 80", legacy(row(button("b", long[:81]))), "components.0.components.0.label", maxLength},
		{"button without style", legacy(row(obj{"type": 2, "custom_id": "b", "label": "x"})), "components.0.components.0.style", required},
		{"button of style 7", legacy(row(with(plain, obj{"style": 7}))), "components.0.components.0.style", choices},
		{"button without label or emoji", legacy(row(obj{"type": 2, "style": 1, "custom_id": "b"})), "components.0.components.0", "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED"},
		{"button with a url", legacy(row(with(plain, obj{"url": "https://example.org"}))), "components.0.components.0.url", "BUTTON_COMPONENT_FIELD_NOT_ALLOWED"},
		{"link with a custom id", legacy(row(obj{"type": 2, "style": 5, "label": "x", "url": "https://example.org", "custom_id": "b"})), "components.0.components.0.custom_id", "BUTTON_COMPONENT_FIELD_NOT_ALLOWED"},
		{"link without url", legacy(row(obj{"type": 2, "style": 5, "label": "x"})), "components.0.components.0.url", required},
		{"link over 512", legacy(row(obj{"type": 2, "style": 5, "label": "x", "url": "https://example.org/" + long[:500]})), "components.0.components.0.url", maxLength},
		{"link of another scheme", legacy(row(obj{"type": 2, "style": 5, "label": "x", "url": "file:///etc/passwd"})), "components.0.components.0.url", scheme},
		{"premium button with a label", legacy(row(obj{"type": 2, "style": 6, "sku_id": "1", "label": "x"})), "components.0.components.0.label", "BUTTON_COMPONENT_FIELD_NOT_ALLOWED"},
		{"an emoji that is none", legacy(row(with(plain, obj{"emoji": obj{"name": "sword"}}))), "components.0.components.0.emoji.name", "BUTTON_COMPONENT_INVALID_EMOJI"},
		{"an emoji that is not the application's", legacy(row(with(plain, obj{"emoji": obj{"id": "1", "name": "sword"}}))), "components.0.components.0.emoji.id", "BUTTON_COMPONENT_INVALID_EMOJI"},
		{"an emoji by id alone", legacy(row(with(plain, obj{"emoji": obj{"id": "1"}}))), "components.0.components.0.emoji.name", required},

		{"26 options", legacy(row(stringSelect("s", nil, options(26)))), "components.0.components.0.options", badLength},
		{"no options", legacy(row(stringSelect("s", nil, list{}))), "components.0.components.0.options", badLength},
		{"option label over 100", legacy(row(stringSelect("s", nil, list{obj{"label": long[:101], "value": "v"}}))), "components.0.components.0.options.0.label", badLength},
		{"option value over 100", legacy(row(stringSelect("s", nil, list{obj{"label": "l", "value": long[:101]}}))), "components.0.components.0.options.0.value", badLength},
		{"option description over 100", legacy(row(stringSelect("s", nil, list{obj{"label": "l", "value": "v", "description": long[:101]}}))), "components.0.components.0.options.0.description", maxLength},
		{"twice the same value", legacy(row(stringSelect("s", nil, list{obj{"label": "a", "value": "v"}, obj{"label": "b", "value": "v"}}))), "components.0.components.0.options.1.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
		{"placeholder over 150", legacy(row(stringSelect("s", obj{"placeholder": long[:151]}, options(2)))), "components.0.components.0.placeholder", maxLength},
		{"min_values 26", legacy(row(stringSelect("s", obj{"min_values": 26}, options(2)))), "components.0.components.0.min_values", "NUMBER_TYPE_MAX"},
		{"max_values 0", legacy(row(stringSelect("s", obj{"max_values": 0}, options(2)))), "components.0.components.0.max_values", "NUMBER_TYPE_MIN"},
		{"min over max", legacy(row(stringSelect("s", obj{"min_values": 2}, options(2)))), "components.0.components.0.min_values", "SELECT_COMPONENT_MIN_GREATER_THAN_MAX"},
		{"max over the options", legacy(row(stringSelect("s", obj{"max_values": 3}, options(2)))), "components.0.components.0.options", badLength},
		{"more defaults than may be chosen", legacy(row(stringSelect("s", nil, list{obj{"label": "a", "value": "a", "default": true}, obj{"label": "b", "value": "b", "default": true}}))), "components.0.components.0.options", "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"},
		{"options of a user select", legacy(row(obj{"type": 5, "custom_id": "s", "options": options(1)})), "components.0.components.0.options", unknown},

		{"V2 with content", with(v2(text("x")), obj{"content": "y"}), "content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"},
		{"V2 with embeds", with(v2(text("x")), obj{"embeds": list{obj{"title": "t"}}}), "embeds", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"},
		{"V2 without components", obj{"flags": 1 << 15}, "components", required},
		{"V2 with no component", v2(), "components", badLength},
		{"41 components", v2(times(41, func(int) any { return text("x") })...), "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"41 components, nested ones counted", v2(container(times(20, func(i int) any { return row(button(strconv.Itoa(i), "b")) })...)), "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"text over 4000 in all", v2(text(long[:2000]), container(text(long[:2001]))), "components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"},
		{"text over 4000 in UTF-16 units", v2(text(strings.Repeat("🗡", 1000)), text(strings.Repeat("🗡", 1001))), "components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"},
		{"an empty text", v2(text("")), "components.0.content", badLength},
		{"a container in a container", v2(container(container(text("x")))), "components.0.components.0.type", union},
		{"an empty container", v2(container()), "components.0.components", badLength},
		{"a colour out of range", v2(with(container(text("x")), obj{"accent_color": 1 << 24})), "components.0.accent_color", "NUMBER_TYPE_MAX"},
		{"a section without text", section(obj{"components": list{}}), "components.0.components", badLength},
		{"a section of four texts", section(obj{"components": times(4, func(int) any { return text("x") })}), "components.0.components", badLength},
		{"a section without accessory", section(obj{"accessory": nil}), "components.0.accessory", required},
		{"a section with a select", section(obj{"accessory": stringSelect("s", nil, options(1))}), "components.0.accessory.type", union},
		{"a button in a section", section(obj{"components": list{plain}}), "components.0.components.0.type", union},
		{"an empty gallery", gallery(0, nil), "components.0.items", badLength},
		{"a gallery of 11", gallery(11, nil), "components.0.items", badLength},
		{"alt text over 1024", gallery(1, obj{"description": long[:1025]}), "components.0.items.0.description", badLength},
		{"an alt text of nothing", gallery(1, obj{"description": ""}), "components.0.items.0.description", badLength},
		{"a picture by a bad address", gallery(1, obj{"media": obj{"url": "ftp://example.org/a.png"}}), "components.0.items.0.media.url", scheme},
		{"a picture that is not attached", gallery(1, obj{"media": obj{"url": "attachment://a.png"}}), "components.0.items.0.media.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"},
		{"a file from elsewhere", v2(obj{"type": 13, "file": obj{"url": "https://example.org/a"}}), "components.0.file.url", scheme},
		{"spacing 3", v2(text("x"), obj{"type": 14, "spacing": 3}), "components.1.spacing", choices},
		{"an attachment that is not uploaded", obj{"content": "x", "attachments": list{obj{"id": "0", "filename": "a.png"}}}, "attachments.0.id", "ATTACHMENT_NOT_FOUND"},
		{"an attachment without a name", obj{"content": "x", "attachments": list{obj{"id": "0", "filename": ""}}}, "attachments.0.filename", badLength},
	}
}

func TestMessagesDiscordRefuses(t *testing.T) {
	w := newWorld(t)
	for _, b := range badMessages() {
		t.Run(b.name, func(t *testing.T) {
			r := w.post(b.body)
			r.t = t
			r.form(b.path, b.code)
		})
	}
	if m, err := w.s.Messages(w.ann, w.channel); err != nil || len(m) != 0 {
		t.Fatalf("refused messages were posted: %v, %v", m, err)
	}
}

// Everything at its limit is accepted.
func TestMessagesAtTheLimit(t *testing.T) {
	w := newWorld(t)
	for name, body := range map[string]obj{
		"content": {"content": strings.Repeat("🗡", 1000)},
		"five rows": legacy(times(5, func(i int) any {
			return row(times(5, func(j int) any { return button(fmt.Sprint(i, j), long[:80]) })...)
		})...),
		"custom id":       legacy(row(button(long[:100], "b"))),
		"options":         legacy(row(stringSelect("s", obj{"min_values": 0, "max_values": 25, "placeholder": long[:150]}, options(25)))),
		"40 components":   v2(times(40, func(int) any { return text("x") })...),
		"40 nested":       v2(container(text("x"), row(times(5, func(i int) any { return button(strconv.Itoa(i), "b") })...)), container(times(31, func(int) any { return text("x") })...)),
		"4000 of text":    v2(text(long[:4000])),
		"embeds":          {"embeds": list{obj{"description": long[:4096]}, obj{"description": long[:1904]}}},
		"link":            legacy(row(obj{"type": 2, "style": 5, "label": "x", "url": "discord://x"})),
		"emoji":           legacy(row(obj{"type": 2, "style": 1, "custom_id": "b", "emoji": obj{"name": "⚔️"}}), row(with(button("c", "1"), obj{"emoji": obj{"name": "1️⃣"}}))),
		"nulls":           {"content": "x", "embeds": nil, "components": nil, "allowed_mentions": nil, "nonce": nil},
		"nothing to ping": {"content": "x", "allowed_mentions": obj{"parse": list{}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.post(body)
			r.t = t
			r.fine()
		})
	}
}

func TestBodies(t *testing.T) {
	w := newWorld(t)
	w.post(`{"content": "x"`).refused(400, 50109)
	w.post(`{"content": "x"} {}`).refused(400, 50109)
	w.post(`["x"]`).form("", "DICT_TYPE_CONVERT")
	for _, empty := range []string{``, `{}`, `{"content": ""}`, `{"content": "  \n"}`, `{"components": []}`} {
		w.post(empty).refused(400, 50006)
	}
}

// A V2 message over about 10 170 bytes (12 more for each text) fails without a
// word of why, although its characters are within the limit.
func TestProcessedSize(t *testing.T) {
	w := newWorld(t)
	w.post(v2(text(strings.Repeat("騎", 3386)))).fine() // 10158 + 12
	w.post(v2(text(strings.Repeat("騎", 3387)))).refused(500, 0)
	w.post(v2(text(strings.Repeat("騎", 3000)), text(strings.Repeat("騎", 382)))).fine() // 10146 + 24
	w.post(v2(text(strings.Repeat("騎", 3000)), text(strings.Repeat("騎", 383)))).refused(500, 0)
}

func TestEdits(t *testing.T) {
	w := newWorld(t)
	plain := w.post(legacy(row(button("go", "Go")))).message()
	if m := w.edit(plain, obj{"content": "new"}).message(); m.Content != "new" || len(m.Components) != 1 || m.EditedTimestamp == nil {
		t.Errorf("an edit changes what it names alone: %+v", m)
	}
	w.edit(plain, obj{"content": "", "components": list{}}).refused(400, 50006)
	w.edit(plain, obj{"nonce": "1"}).form("nonce", unknown)
	w.edit(plain, obj{"content": "x", "ID": plain.ID, "Channel": w.channel}).fine()
	w.edit(plain, obj{"flags": 1 << 15, "components": list{text("x")}}).form("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2")
	m := w.edit(plain, obj{"flags": 1 << 15, "content": nil, "components": list{text("x")}}).message()
	if m.Flags&(1<<15) == 0 {
		t.Errorf("the message did not become V2: %d", m.Flags)
	}
	w.edit(plain, obj{"flags": 0}).form("flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG")
	w.edit(plain, obj{"content": "x"}).form("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2")
	w.edit(plain, obj{"components": list{text("y"), row(button("go", "Go"))}}).fine()
	w.edit(plain, obj{"components": list{}}).form("components", badLength)
}

func badCommands() []bad {
	cmd := func(more obj) obj { return with(obj{"name": "play", "description": "d"}, more) }
	opt := func(more obj) obj {
		return cmd(obj{"options": list{with(obj{"type": 3, "name": "card", "description": "d"}, more)}})
	}
	sub := func(children ...any) obj {
		return obj{"type": 1, "name": "sub", "description": "d", "options": children}
	}
	plain := func(name string, required bool) obj {
		return obj{"type": 3, "name": name, "description": "d", "required": required}
	}
	choice := func(name string, value any) obj { return obj{"name": name, "value": value} }
	return []bad{
		{"no name", obj{"description": "d"}, "name", required},
		{"name over 32", cmd(obj{"name": long[:33]}), "name", badLength},
		{"name in upper case", cmd(obj{"name": "Play"}), "name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"name with a space", cmd(obj{"name": "play it"}), "name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"no description", obj{"name": "play"}, "description", required},
		{"description over 100", cmd(obj{"description": long[:101]}), "description", badLength},
		{"description of a user command", obj{"name": "Play", "type": 2, "description": "d"}, "description", "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_CANNOT_BE_SET"},
		{"unknown field", cmd(obj{"permissions": 1}), "permissions", unknown},
		{"unknown locale", cmd(obj{"name_localizations": obj{"xx": "play"}}), "name_localizations.xx", "ENUM_TYPE_COERCE"},
		{"bad localized name", cmd(obj{"name_localizations": obj{"de": "Spiel"}}), "name_localizations.de", "APPLICATION_COMMAND_INVALID_NAME"},
		{"context 3", cmd(obj{"contexts": list{3}}), "contexts.0", choices},
		{"twice the same context", cmd(obj{"contexts": list{0, 0}}), "contexts.1", "SET_TYPE_ALREADY_CONTAINS_VALUE"},
		{"integration type 2", cmd(obj{"integration_types": list{2}}), "integration_types.0", choices},
		{"26 options", cmd(obj{"options": times(26, func(i int) any { return plain("o"+strconv.Itoa(i), false) })}), "options", maxLength},
		{"required behind optional", cmd(obj{"options": list{plain("a", false), plain("b", true)}}), "options.1", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"},
		{"twice the same option", cmd(obj{"options": list{plain("a", true), plain("a", true)}}), "options.1.name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"},
		{"a subcommand beside an option", cmd(obj{"options": list{sub(), plain("a", false)}}), "options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"a subcommand in a subcommand", cmd(obj{"options": list{sub(sub())}}), "options.0.options.0.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"option type 12", opt(obj{"type": 12}), "options.0.type", "NUMBER_TYPE_MAX"},
		{"26 choices", opt(obj{"choices": times(26, func(i int) any { return choice("c"+strconv.Itoa(i), "v") })}), "options.0.choices", maxLength},
		{"choice name over 100", opt(obj{"choices": list{choice(long[:101], "v")}}), "options.0.choices.0.name", badLength},
		{"choice value over 100", opt(obj{"choices": list{choice("c", long[:101])}}), "options.0.choices.0.value", badLength},
		{"choice value of another type", opt(obj{"choices": list{choice("c", 7)}}), "options.0.choices.0.value", "STRING_TYPE_CONVERT"},
		{"twice the same choice", opt(obj{"choices": list{choice("c", "v"), choice("c", "w")}}), "options.0.choices.1.name", "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS"},
		{"choices and autocomplete", opt(obj{"choices": list{choice("c", "v")}, "autocomplete": true}), "options.0.autocomplete", "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES"},
		{"autocomplete of a user", opt(obj{"type": 6, "autocomplete": true}), "options.0.autocomplete", "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_TYPE"},
		{"min_value of a string", opt(obj{"min_value": 1}), "options.0", "APPLICATION_COMMAND_OPTION_RANGE"},
		{"min over max", opt(obj{"type": 4, "min_value": 2, "max_value": 1}), "options.0.min_value", "APPLICATION_COMMAND_OPTION_RANGE"},
		{"8001 characters", cmd(obj{"options": times(4, func(i int) any {
			return with(plain("o"+strconv.Itoa(i), false), obj{"choices": times(25, func(j int) any {
				return choice(strings.Repeat("n", 50)+strconv.Itoa(j), strings.Repeat("v", 30))
			})})
		})}), "", "APPLICATION_COMMAND_TOO_LARGE"},
	}
}

func TestCommandsDiscordRefuses(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/commands"
	for _, b := range badCommands() {
		t.Run(b.name, func(t *testing.T) {
			r := w.do("POST", path, b.body)
			r.t = t
			r.form(b.path, b.code)
		})
	}
	w.do("PUT", path, list{obj{"name": "a", "description": "d"}, obj{"name": "a", "description": "e"}}).form("1.name", "APPLICATION_COMMANDS_DUPLICATE_NAME")
	w.do("PUT", path, times(101, func(i int) any { return obj{"name": "c" + strconv.Itoa(i), "description": "d"} })).refused(400, 30032)
	w.do("PUT", path, times(16, func(i int) any { return obj{"name": "c" + strconv.Itoa(i), "type": 2} })).refused(400, 30032)
	w.do("PUT", "/applications/"+w.s.ApplicationID()+"/guilds/"+w.guild+"/commands", list{obj{"name": "a", "description": "d", "contexts": list{0}}}).form("0.contexts", "APPLICATION_COMMAND_CONTEXTS_GUILD")
}

func TestModalsDiscordRefuses(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	input := func(more obj) obj { return with(obj{"type": 4, "custom_id": "t", "style": 1, "label": "l"}, more) }
	modal := func(more obj) obj {
		return with(obj{"custom_id": "m", "title": "t", "components": list{row(input(nil))}}, more)
	}
	labelled := func(more obj) obj {
		return modal(obj{"components": list{with(obj{"type": 18, "label": "l", "component": obj{"type": 4, "custom_id": "t", "style": 1}}, more)}})
	}
	for _, b := range []bad{
		{"title over 45", modal(obj{"title": long[:46]}), "data.title", badLength},
		{"no title", modal(obj{"title": nil}), "data.title", required},
		{"no custom id", modal(obj{"custom_id": ""}), "data.custom_id", badLength},
		{"no components", modal(obj{"components": list{}}), "data.components", badLength},
		{"six components", modal(obj{"components": times(6, func(i int) any { return row(input(obj{"custom_id": strconv.Itoa(i)})) })}), "data.components", badLength},
		{"a button", modal(obj{"components": list{row(button("b", "B"))}}), "data.components.0.components.0.type", union},
		{"input label over 45", modal(obj{"components": list{row(input(obj{"label": long[:46]}))}}), "data.components.0.components.0.label", badLength},
		{"input without style", modal(obj{"components": list{row(input(obj{"style": nil}))}}), "data.components.0.components.0.style", required},
		{"input over 4000", modal(obj{"components": list{row(input(obj{"max_length": 4001}))}}), "data.components.0.components.0.max_length", "NUMBER_TYPE_MAX"},
		{"input placeholder over 100", modal(obj{"components": list{row(input(obj{"placeholder": long[:101]}))}}), "data.components.0.components.0.placeholder", maxLength},
		{"label over 45", labelled(obj{"label": long[:46]}), "data.components.0.label", badLength},
		{"label description over 100", labelled(obj{"description": long[:101]}), "data.components.0.description", maxLength},
		{"label without component", labelled(obj{"component": nil}), "data.components.0.component", required},
		{"two labels on one input", labelled(obj{"component": input(nil)}), "data.components.0.component.label", "TEXT_INPUT_LABEL_IN_LABEL"},
		{"content", modal(obj{"content": "x"}), "data.content", unknown},
	} {
		t.Run(b.name, func(t *testing.T) {
			_, _, press := w.newPress(g)
			r := press.answer(9, b.body)
			r.t = t
			r.form(b.path, b.code)
			r = press.answer(9, modal(obj{"content": "", "embeds": nil})) // a refused answer does not count
			r.t = t
			r.fine()
		})
	}
}
