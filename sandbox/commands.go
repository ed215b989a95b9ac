package sandbox

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The limits of commands.
const (
	maxChatCommands = 100
	maxMenuCommands = 15 // user commands, and again message commands
	maxBulkCommands = 130
	maxCommandText  = 8000
	maxChoices      = 25
)

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// commandText counts what goes into a command's 8000 characters: of each field the
// longest of its localizations.
type commandText struct{ n int }

func (t *commandText) add(s string, localized map[string]string) {
	longest := utf16Len(s)
	for _, l := range localized {
		longest = max(longest, utf16Len(l))
	}
	t.n += longest
}

// readCommand checks one command. patch allows everything to be missing.
func readCommand(v value, patch bool, inGuild bool) Command {
	var c Command
	if !v.object("id", "type", "name", "name_localizations", "description", "description_localizations", "options", "default_member_permissions", "dm_permission", "default_permission", "contexts", "integration_types", "nsfw", "handler", "version", "application_id", "guild_id") {
		return c
	}
	var text commandText
	c.Type = 1
	if t := v.get("type"); !t.null() {
		c.Type = int(t.oneOf(1, 2, 3))
	}
	if patch && v.get("type").set {
		v.get("type").fail("BASE_TYPE_NOT_ALLOWED", "The type of a command cannot be changed")
	}
	if !patch || v.get("name").set {
		c.Name = readCommandName(v.get("name"), c.Type)
	}
	c.NameLocalizations = readLocalizations(v.get("name_localizations"), func(f value) string { return readCommandName(f, c.Type) })
	text.add(c.Name, c.NameLocalizations)
	switch d := v.get("description"); {
	case c.Type != 1:
		if d.str(0, 100) != "" {
			d.fail("APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_CANNOT_BE_SET", "Context menu commands cannot have a description")
		}
	case !patch || d.set:
		c.Description = d.str(1, 100)
	}
	c.DescriptionLocalizations = readLocalizations(v.get("description_localizations"), func(f value) string { return f.str(1, 100) })
	text.add(c.Description, c.DescriptionLocalizations)
	if o := v.get("options"); c.Type != 1 && !o.null() {
		o.fail("APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_CANNOT_BE_SET", "Context menu commands cannot have options")
	} else {
		c.Options = readOptions(o, 0, &text)
	}
	if text.n > maxCommandText {
		v.fail("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
	readCommandScope(v, &c, inGuild)
	return c
}

// readCommandScope checks who may use the command, and where.
func readCommandScope(v value, c *Command, inGuild bool) {
	if p := v.get("default_member_permissions"); !p.null() {
		s := p.snowflake()
		c.DefaultMemberPermissions = &s
	}
	v.get("dm_permission").boolean()
	v.get("default_permission").boolean()
	c.NSFW = v.get("nsfw").boolean()
	if f := v.get("contexts"); !f.null() {
		c.Contexts = readSet(f, 0, 1, 2)
		if inGuild {
			f.fail("APPLICATION_COMMAND_CONTEXTS_GUILD", "Contexts can only be set for global commands")
		}
	}
	if f := v.get("integration_types"); !f.null() {
		c.IntegrationTypes = readSet(f, 0, 1)
		if inGuild {
			f.fail("APPLICATION_COMMAND_INTEGRATION_TYPES_GUILD", "Integration types can only be set for global commands")
		}
	}
	if c.IntegrationTypes == nil {
		c.IntegrationTypes = []int{0}
	}
}

func readSet(v value, allowed ...int64) []int {
	out := []int{}
	for _, e := range v.list(1, len(allowed)) {
		n := int(e.oneOf(allowed...))
		if slices.Contains(out, n) {
			e.fail("SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
		}
		out = append(out, n)
	}
	return out
}

func readCommandName(v value, typ int) string {
	s := v.str(1, 32)
	switch {
	case s == "" || typ != 1:
	case !commandName.MatchString(s):
		v.fail("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	case hasUpper(s):
		v.fail("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid: it must be lower case")
	}
	return s
}

func hasUpper(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.ToLower(r) != r })
}

func readLocalizations(v value, read func(value) string) map[string]string {
	m, ok := v.raw.(map[string]any)
	if !ok {
		if !v.null() {
			v.fail("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		}
		return nil
	}
	out := map[string]string{}
	for key := range m {
		f := v.get(key)
		if !knownLocale(key) {
			f.fail("ENUM_TYPE_COERCE", "Value %q is not a valid enum value.", key)
			continue
		}
		out[key] = read(f)
	}
	return out
}

// readOptions checks a list of options. parent is the type of what they stand in:
// 0 for the command itself, or a subcommand or a group.
func readOptions(v value, parent int, text *commandText) []CommandOption {
	out, names, optional := []CommandOption{}, map[string]bool{}, false
	nested, plain := false, false
	for _, e := range v.list(0, maxOptions) {
		if !e.object("type", "name", "name_localizations", "description", "description_localizations", "required", "autocomplete", "choices", "options", "channel_types", "min_value", "max_value", "min_length", "max_length") {
			continue
		}
		o := readOption(e, parent, text)
		if o.Type <= OptionSubcommandGroup {
			nested = true
		} else {
			plain = true
		}
		if names[o.Name] {
			e.get("name").fail("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		names[o.Name] = true
		for locale, name := range o.NameLocalizations {
			if key := locale + " " + name; names[key] {
				e.get("name_localizations").get(locale).fail("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
			} else {
				names[key] = true
			}
		}
		if o.Required && optional {
			e.fail("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		out = append(out, o)
	}
	if nested && plain {
		v.fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func readOption(e value, parent int, text *commandText) CommandOption {
	var o CommandOption
	t := e.need("type")
	o.Type = int(t.integer(1, 11))
	o.Name = readCommandName(e.get("name"), 1)
	o.NameLocalizations = readLocalizations(e.get("name_localizations"), func(f value) string { return readCommandName(f, 1) })
	o.Description = e.get("description").str(1, 100)
	o.DescriptionLocalizations = readLocalizations(e.get("description_localizations"), func(f value) string { return f.str(1, 100) })
	text.add(o.Name, o.NameLocalizations)
	text.add(o.Description, o.DescriptionLocalizations)
	o.Required = e.get("required").boolean()
	o.Autocomplete = e.get("autocomplete").boolean()
	switch o.Type {
	case OptionSubcommandGroup:
		if parent != 0 {
			t.fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "A sub-command group can only stand in a command")
		}
		o.Options = readOptions(e.get("options"), OptionSubcommandGroup, text)
		for i, sub := range o.Options {
			if sub.Type != OptionSubcommand {
				e.get("options").fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Option %d of a sub-command group must be a sub-command", i)
			}
		}
		return o
	case OptionSubcommand:
		if parent == OptionSubcommand {
			t.fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands cannot be nested")
		}
		o.Options = readOptions(e.get("options"), OptionSubcommand, text)
		return o
	}
	if f := e.get("options"); !f.null() && len(f.list(0, maxOptions)) > 0 {
		f.fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Only sub-commands and groups have options")
	}
	readOptionRange(e, &o)
	o.Choices = readChoices(e.get("choices"), o.Type, maxChoices)
	for _, c := range o.Choices {
		text.add(c.Name, c.NameLocalizations)
		if s, ok := c.Value.(string); ok {
			text.add(s, nil)
		}
	}
	if o.Autocomplete && len(o.Choices) > 0 {
		e.get("autocomplete").fail("APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES", "autocomplete cannot be true when choices are set")
	}
	if o.Autocomplete && o.Type != OptionString && o.Type != OptionInteger && o.Type != OptionNumber {
		e.get("autocomplete").fail("APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_TYPE", "This type of option has no autocomplete")
	}
	return o
}

func readOptionRange(e value, o *CommandOption) {
	numeric := o.Type == OptionInteger || o.Type == OptionNumber
	o.MinValue, o.MaxValue = e.get("min_value").number(), e.get("max_value").number()
	if !numeric && (o.MinValue != nil || o.MaxValue != nil) {
		e.fail("APPLICATION_COMMAND_OPTION_RANGE", "Only numbers have min_value and max_value")
	}
	if o.MinValue != nil && o.MaxValue != nil && *o.MinValue > *o.MaxValue {
		e.get("min_value").fail("APPLICATION_COMMAND_OPTION_RANGE", "min_value cannot be greater than max_value")
	}
	length := func(name string, lo int64) *int {
		f := e.get(name)
		if f.null() {
			return nil
		}
		if o.Type != OptionString {
			f.fail("APPLICATION_COMMAND_OPTION_RANGE", "Only strings have %s", name)
		}
		n := int(f.integer(lo, 6000))
		return &n
	}
	o.MinLength, o.MaxLength = length("min_length", 0), length("max_length", 1)
	for _, t := range e.get("channel_types").list(0, math.MaxInt16) {
		o.ChannelTypes = append(o.ChannelTypes, int(t.integer(0, 32)))
	}
	if len(o.ChannelTypes) > 0 && o.Type != OptionChannel {
		e.get("channel_types").fail("APPLICATION_COMMAND_OPTION_CHANNEL_TYPES", "Only channel options have channel_types")
	}
}

// readChoices checks the choices of an option of the given type, fixed ones or
// autocompleted ones.
func readChoices(v value, typ, most int) []Choice {
	var out []Choice
	names := map[string]bool{}
	for _, e := range v.list(0, most) {
		if !e.object("name", "name_localizations", "value") {
			continue
		}
		c := Choice{Name: e.get("name").str(1, 100)}
		c.NameLocalizations = readLocalizations(e.get("name_localizations"), func(f value) string { return f.str(1, 100) })
		f := e.need("value")
		switch {
		case f.null():
		case typ == OptionString:
			c.Value = f.str(1, 100)
		case typ == OptionInteger:
			c.Value = f.integer(-1<<53, 1<<53)
		case typ == OptionNumber:
			if n := f.number(); n != nil {
				c.Value = *n
			}
		default:
			v.fail("APPLICATION_COMMAND_OPTION_CHOICES_TYPE", "This type of option has no choices")
		}
		if names[c.Name] {
			e.get("name").fail("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")
		}
		names[c.Name] = true
		out = append(out, c)
	}
	return out
}

// readCommands checks a bulk overwrite.
func readCommands(v value, inGuild bool) []Command {
	var out []Command
	type key struct {
		typ  int
		name string
	}
	seen := map[key]bool{}
	for _, e := range v.list(0, maxBulkCommands) {
		c := readCommand(e, false, inGuild)
		k := key{c.Type, c.Name}
		if seen[k] && c.Name != "" {
			e.get("name").fail("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		seen[k] = true
		out = append(out, c)
	}
	return out
}

// tooManyCommands is whether the list is over what an application may have.
func tooManyCommands(list []*command) bool {
	count := map[int]int{}
	for _, c := range list {
		count[c.Type]++
	}
	return count[1] > maxChatCommands || count[2] > maxMenuCommands || count[3] > maxMenuCommands
}

// sameCommand is whether two registrations say the same, ids and versions aside.
func sameCommand(a, b Command) bool {
	a.ID, a.Version, b.ID, b.Version = "", "", "", ""
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
