package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// OpenDM is the user's DM channel with the bot, opened when there is none yet.
func (s *Server) OpenDM(user string) (Channel, error) {
	var out Channel
	err := s.update(func() error {
		if s.person(user) == nil {
			return fmt.Errorf("user %q: %w", user, ErrUnknownUser)
		}
		c, made := s.dmWith(user)
		if made {
			s.channelsChanged()
		}
		out = s.channelView(c, user)
		return nil
	})
	return out, err
}

// Dismiss removes an ephemeral message from its addressee's sight for good.
func (s *Server) Dismiss(user, channel, message string) error {
	return s.update(func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		if m.Addressee == "" {
			return fmt.Errorf("only an ephemeral message can be dismissed: %w", ErrForbidden)
		}
		m.Dismissed = true
		s.save(m)
		s.messageGone(c, m)
		return nil
	})
}

// Press presses a button the user can see and press.
func (s *Server) Press(ctx context.Context, user, channel, message, customID string) (*Interaction, error) {
	return s.use(ctx, user, channel, message, customID, nil, func(c *Component) error {
		if c.Type != TypeButton {
			return fmt.Errorf("%q is not a button: %w", customID, ErrNoComponent)
		}
		return nil
	})
}

// Select chooses in a select menu the user can see and use.
func (s *Server) Select(ctx context.Context, user, channel, message, customID string, values ...string) (*Interaction, error) {
	return s.use(ctx, user, channel, message, customID, values, func(c *Component) error {
		if !isSelect(c.Type) {
			return fmt.Errorf("%q is not a select: %w", customID, ErrNoComponent)
		}
		return s.checkSelection(c, values, true)
	})
}

func isSelect(typ int) bool {
	return typ == TypeStringSelect || typ >= TypeUserSelect && typ <= TypeChannelSelect
}

// checkSelection is what a client makes sure of before it sends a selection.
func (s *Server) checkSelection(c *Component, values []string, required bool) error {
	least, most := 1, 1
	if c.Type == TypeCheckboxGroup {
		most = len(c.Options)
	}
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	if !required && len(values) == 0 {
		return nil
	}
	if len(values) < least || len(values) > most {
		return fmt.Errorf("%d values where %d to %d are chosen: %w", len(values), least, most, ErrInvalidValue)
	}
	for i, v := range values {
		known := slices.Contains(values[:i], v)
		switch c.Type {
		case TypeStringSelect, TypeRadioGroup, TypeCheckboxGroup:
			known = known || !slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == v })
		case TypeUserSelect:
			known = known || s.w.users[v] == nil
		case TypeChannelSelect:
			known = known || s.w.channels[v] == nil
		}
		if known {
			return fmt.Errorf("%q is twice there or not among the options: %w", v, ErrInvalidValue)
		}
	}
	return nil
}

// use sends a press or a selection on a component that is there and enabled.
func (s *Server) use(ctx context.Context, user, channel, message, customID string, values []string, check func(*Component) error) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		component, err := findComponent(m.Components, customID)
		if err != nil {
			return err
		}
		if component.Disabled {
			return fmt.Errorf("%q: %w", customID, ErrDisabled)
		}
		if err := check(component); err != nil {
			return err
		}
		out = s.startComponent(user, c, m, component.Type, component.ID, customID, values)
		return nil
	})
	return out, err
}

func (s *Server) startComponent(user string, c *channel, m *message, typ, id int, customID string, values []string) *Interaction {
	data := object{"component_type": typ, "custom_id": customID, "id": id}
	if isSelect(typ) {
		if values == nil {
			values = []string{}
		}
		data["values"] = values
		if r := s.resolve(c, typ, values); r != nil {
			data["resolved"] = r
		}
	}
	return s.start(&interaction{typ: interactionComponent, user: user, channel: c, message: m}, data)
}

// resolve is the "resolved" of chosen users and channels.
func (s *Server) resolve(c *channel, typ int, ids []string) object {
	users, members, channels := object{}, object{}, object{}
	for _, id := range ids {
		if u := s.w.users[id]; u != nil && typ != TypeChannelSelect {
			users[id] = u.User
			if g := s.w.guilds[c.GuildID]; g != nil && g.Members[id] != nil {
				m := s.memberObject(g, id)
				delete(m, "user")
				delete(m, "deaf")
				delete(m, "mute")
				m["permissions"] = s.memberBits(c, id).String()
				members[id] = m
			}
		}
		if ch := s.w.channels[id]; ch != nil && typ == TypeChannelSelect {
			channels[id] = s.partialChannel(ch, id)
		}
	}
	out := object{}
	for name, m := range map[string]object{"users": users, "members": members, "channels": channels} {
		if len(m) > 0 {
			out[name] = m
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// ForgePress sends any custom id as a press on any message the user can see, as a
// modified client can. componentType is TypeButton or a select's, with values.
func (s *Server) ForgePress(ctx context.Context, user, channel, message string, componentType int, customID string, values ...string) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, m, err := s.lookAt(user, channel, message)
		if err != nil {
			return err
		}
		out = s.startComponent(user, c, m, componentType, 1, customID, values)
		return nil
	})
	return out, err
}

// SendRaw sends an interaction of the given type (2 command, 3 component, 4
// autocomplete, 5 modal) whose data is the caller's JSON, unchecked. message may
// be empty.
func (s *Server) SendRaw(ctx context.Context, user, channel, message string, interactionType int, data json.RawMessage) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		c, err := s.look(user, channel)
		if err != nil {
			return err
		}
		i := &interaction{typ: interactionType, user: user, channel: c, option: OptionString}
		if message != "" {
			if _, i.message, err = s.lookAt(user, channel, message); err != nil {
				return err
			}
		}
		if !json.Valid(data) {
			return fmt.Errorf("the data is not JSON: %w", ErrInvalidValue)
		}
		out = s.start(i, data)
		return nil
	})
	return out, err
}

// SubmitModal sends the form which the given interaction opened. values maps
// custom ids to what was filled in; a select or a checkbox group takes several, and a
// single checkbox "true" where it is ticked.
func (s *Server) SubmitModal(ctx context.Context, user, interactionID string, values map[string][]string) (out *Interaction, err error) {
	err = s.asPerson(ctx, func() error {
		opened := s.live[interactionID]
		switch {
		case opened == nil || opened.user != user || opened.modal == nil:
			return fmt.Errorf("modal of interaction %q: %w", interactionID, ErrNotVisible)
		case opened.submitted:
			return fmt.Errorf("the modal was sent already: %w", ErrForbidden)
		case s.w.channels[opened.channel.ID] == nil:
			return fmt.Errorf("channel %q: %w", opened.channel.ID, ErrNotVisible)
		}
		fields, err := s.fillModal(opened.modal.Components, values)
		if err != nil {
			return err
		}
		opened.submitted = true
		i := &interaction{typ: interactionModal, user: user, channel: opened.channel, message: opened.message, meta: s.metadata(opened)}
		out = s.start(i, object{"custom_id": opened.modal.CustomID, "components": fields})
		return nil
	})
	return out, err
}

// fillModal is the components of a submission.
func (s *Server) fillModal(list []Component, values map[string][]string) ([]object, error) {
	known, out := 0, []object{}
	for i := range list {
		c := &list[i]
		o := object{"type": c.Type, "id": c.ID}
		switch c.Type {
		case TypeActionRow:
			var inner []object
			for j := range c.Components {
				f, err := s.fillField(&c.Components[j], values, &known)
				if err != nil {
					return nil, err
				}
				inner = append(inner, f)
			}
			o["components"] = inner
		case TypeLabel:
			f, err := s.fillField(c.Component, values, &known)
			if err != nil {
				return nil, err
			}
			o["component"] = f
		}
		out = append(out, o)
	}
	if known != len(values) {
		return nil, fmt.Errorf("values for fields the modal does not have: %w", ErrInvalidValue)
	}
	return out, nil
}

func (s *Server) fillField(c *Component, values map[string][]string, known *int) (object, error) {
	given, filled := values[c.CustomID]
	if filled {
		*known++
	}
	required := c.Required == nil || *c.Required
	o := object{"type": c.Type, "id": c.ID, "custom_id": c.CustomID}
	switch c.Type {
	case TypeTextInput:
	case TypeCheckbox:
		if len(given) > 1 || len(given) == 1 && given[0] != "true" {
			return nil, fmt.Errorf("%q is ticked by true: %w", c.CustomID, ErrInvalidValue)
		}
		o["value"] = len(given) == 1
		return o, nil
	default:
		if err := s.checkSelection(c, given, required); err != nil {
			return nil, err
		}
		o["values"] = append([]string{}, given...)
		if c.Type == TypeRadioGroup {
			delete(o, "values")
			o["value"] = nil
			if len(given) == 1 {
				o["value"] = given[0]
			}
		}
		return o, nil
	}
	text := c.Value
	if filled {
		text = strings.Join(given, "\n")
	}
	least, most := 0, 4000
	if c.MinLength != nil {
		least = *c.MinLength
	}
	if c.MaxLength != nil {
		most = *c.MaxLength
	}
	if required {
		least = max(least, 1)
	}
	if n := utf16Len(text); n > most || n < least && (required || n > 0) {
		return nil, fmt.Errorf("%q takes %d to %d characters: %w", c.CustomID, least, most, ErrInvalidValue)
	}
	o["value"] = text
	return o, nil
}
