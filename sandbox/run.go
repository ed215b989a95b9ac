package sandbox

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Command runs a slash command. sub is "" or the subcommand's name, "group sub"
// inside a group.
func (s *Server) Command(ctx context.Context, user, channel, name, sub string, options ...Option) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, cmd, err := s.findOffered(user, channel, name)
		if err != nil {
			return err
		}
		nested, err := cmd.descend(sub)
		if err != nil {
			return err
		}
		resolved := object{}
		filled, err := s.fillOptions(c, nested, options, resolved)
		if err != nil {
			return err
		}
		i := &interaction{typ: interactionCommand, user: user, channel: c, command: strings.TrimSpace(name + " " + sub)}
		out = s.start(i, cmd.data(sub, filled, resolved))
		return nil
	})
	return out, err
}

// Autocomplete asks the bot for choices while the user types. options holds what
// has been filled in so far, the focused option (what is typed, possibly empty)
// among them. It waits for the answer.
func (s *Server) Autocomplete(ctx context.Context, user, channel, name, sub, focused string, options ...Option) ([]Choice, error) {
	var started *Interaction
	err := s.asPerson(ctx, func() error {
		c, cmd, err := s.findOffered(user, channel, name)
		if err != nil {
			return err
		}
		nested, err := cmd.descend(sub)
		if err != nil {
			return err
		}
		filled, typ, err := fillPartly(nested, focused, options)
		if err != nil {
			return err
		}
		i := &interaction{typ: interactionAutocomplete, user: user, channel: c, option: typ, command: strings.TrimSpace(name + " " + sub)}
		started = s.start(i, cmd.data(sub, filled, nil))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := started.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if r.Outcome != Choices {
		return nil, ErrNoAnswer
	}
	return r.Choices, nil
}

func (s *Server) findOffered(user, channelID, name string) (*channel, *Command, error) {
	c, err := s.look(user, channelID)
	if err != nil {
		return nil, nil, err
	}
	if err := s.mayUseCommands(user, c); err != nil {
		return nil, nil, err
	}
	for _, cmd := range s.offered(user, c) {
		if cmd.Name == name {
			return c, &cmd, nil
		}
	}
	return nil, nil, fmt.Errorf("/%s: %w", name, ErrUnknownCommand)
}

// descend is the options of a subcommand, or of the command itself.
func (c *Command) descend(sub string) ([]CommandOption, error) {
	options := c.Options
	for _, word := range strings.Fields(sub) {
		i := slices.IndexFunc(options, func(o CommandOption) bool { return o.Name == word && o.Type <= OptionSubcommandGroup })
		if i < 0 {
			return nil, fmt.Errorf("/%s %s: %w", c.Name, sub, ErrUnknownCommand)
		}
		options = options[i].Options
	}
	if slices.ContainsFunc(options, func(o CommandOption) bool { return o.Type <= OptionSubcommandGroup }) {
		return nil, fmt.Errorf("/%s needs a subcommand: %w", strings.TrimSpace(c.Name+" "+sub), ErrUnknownCommand)
	}
	return options, nil
}

// data is the interaction's data of a command.
func (c *Command) data(sub string, options []object, resolved object) object {
	words := strings.Fields(sub)
	slices.Reverse(words)
	for depth, word := range words {
		typ := OptionSubcommand
		if depth > 0 {
			typ = OptionSubcommandGroup
		}
		o := object{"name": word, "type": typ}
		if options != nil {
			o["options"] = options
		} else {
			o["options"] = []object{}
		}
		options = []object{o}
	}
	d := object{"id": c.ID, "name": c.Name, "type": c.Type}
	if len(options) > 0 {
		d["options"] = options
	}
	if c.GuildID != "" {
		d["guild_id"] = c.GuildID
	}
	if len(resolved) > 0 {
		d["resolved"] = resolved
	}
	return d
}

// fillOptions checks a command's options as a client does.
func (s *Server) fillOptions(c *channel, known []CommandOption, options []Option, resolved object) ([]object, error) {
	var out []object
	seen := map[string]bool{}
	for _, o := range options {
		i := slices.IndexFunc(known, func(k CommandOption) bool { return k.Name == o.Name })
		if i < 0 || seen[o.Name] {
			return nil, fmt.Errorf("option %q is unknown or given twice: %w", o.Name, ErrInvalidValue)
		}
		seen[o.Name] = true
		v, err := s.optionValue(c, known[i], o.Value, resolved)
		if err != nil {
			return nil, fmt.Errorf("option %q: %w", o.Name, err)
		}
		out = append(out, object{"name": o.Name, "type": known[i].Type, "value": v})
	}
	for _, k := range known {
		if k.Required && !seen[k.Name] {
			return nil, fmt.Errorf("option %q is required: %w", k.Name, ErrInvalidValue)
		}
	}
	return out, nil
}

// optionValue is a value as a client sends it. Whole numbers may come as text, as a
// page has them.
func (s *Server) optionValue(c *channel, k CommandOption, v any, resolved object) (any, error) {
	bad := fmt.Errorf("%v: %w", v, ErrInvalidValue)
	switch k.Type {
	case OptionString:
		text, isText := v.(string)
		if !isText || text == "" || outside(float64(utf16Len(text)), lengthOf(k.MinLength), lengthOf(k.MaxLength)) || utf16Len(text) > 6000 || !chosen(k, text) {
			return nil, bad
		}
		return text, nil
	case OptionInteger, OptionNumber:
		n, isNumber := toNumber(v)
		if !isNumber || k.Type == OptionInteger && n != math.Trunc(n) || outside(n, k.MinValue, k.MaxValue) || !chosen(k, n) {
			return nil, bad
		}
		if k.Type == OptionInteger {
			return int64(n), nil
		}
		return n, nil
	case OptionBoolean:
		if b, isBool := v.(bool); isBool {
			return b, nil
		}
		return nil, bad
	case OptionUser, OptionMentionable:
		id, _ := v.(string)
		if s.w.users[id] == nil {
			return nil, bad
		}
		mergeResolved(resolved, s.resolve(c, TypeUserSelect, []string{id}))
		return id, nil
	case OptionChannel:
		id, _ := v.(string)
		if s.w.channels[id] == nil {
			return nil, bad
		}
		mergeResolved(resolved, s.resolve(c, TypeChannelSelect, []string{id}))
		return id, nil
	}
	return nil, fmt.Errorf("the sandbox cannot fill in options of type %d: %w", k.Type, ErrInvalidValue)
}

func mergeResolved(into, from object) {
	for kind, entries := range from {
		m, isMap := into[kind].(object)
		if !isMap {
			m = object{}
			into[kind] = m
		}
		for id, e := range entries.(object) {
			m[id] = e
		}
	}
}

func toNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return 0, false
}

func lengthOf(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func outside(n float64, lo, hi *float64) bool {
	return lo != nil && n < *lo || hi != nil && n > *hi
}

// chosen is whether a value is among the choices, if there are any.
func chosen(k CommandOption, v any) bool {
	if len(k.Choices) == 0 {
		return true
	}
	return slices.ContainsFunc(k.Choices, func(c Choice) bool {
		if text, isText := v.(string); isText {
			return c.Value == text
		}
		have, isNumber := toNumber(c.Value)
		return isNumber && have == v
	})
}

// fillPartly is the options while the user types: unchecked, the focused one
// marked. The focused one's type comes along.
func fillPartly(known []CommandOption, focused string, options []Option) ([]object, int, error) {
	var out []object
	typ := 0
	for _, o := range options {
		i := slices.IndexFunc(known, func(k CommandOption) bool { return k.Name == o.Name })
		if i < 0 {
			return nil, 0, fmt.Errorf("option %q: %w", o.Name, ErrInvalidValue)
		}
		e := object{"name": o.Name, "type": known[i].Type, "value": o.Value}
		if o.Name == focused {
			if !known[i].Autocomplete {
				return nil, 0, fmt.Errorf("option %q has no autocomplete: %w", focused, ErrInvalidValue)
			}
			typ = known[i].Type
			e["focused"], e["value"] = true, fmt.Sprint(o.Value)
		} else if n, isNumber := toNumber(o.Value); isNumber && (typeIsNumber(known[i].Type)) {
			e["value"] = n
		}
		out = append(out, e)
	}
	if typ == 0 {
		return nil, 0, fmt.Errorf("the focused option %q is not among the options: %w", focused, ErrInvalidValue)
	}
	return out, typ, nil
}

func typeIsNumber(typ int) bool { return typ == OptionInteger || typ == OptionNumber }

func parsePermissions(s string) Permissions {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return Permissions(n)
}
