package render

import (
	"strings"
	"unicode/utf16"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// Limits of Discord that the renderers keep within. Text is counted in UTF-16 units; a message is also refused when the bytes of its
// texts, with 12 for each, come near 10,170.
const (
	maxText       = 4000
	maxTextBytes  = 10000
	textOverhead  = 12
	maxLabel      = 80
	maxOption     = 100
	maxOptions    = 25
	maxRowButtons = 5
)

// accent is the colour of the bar beside a board. Nothing depends on it.
const accent = 0xC9A227

type component = discordgo.MessageComponent

// text is one block of text of the lines that are not empty.
func text(lines ...string) component {
	return discordgo.TextDisplay{Content: joinLines(lines...)}
}

func joinLines(lines ...string) string {
	kept := make([]string, 0, len(lines))
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// section is a block with a heading; nothing when there are no lines.
func section(heading string, lines ...string) []component {
	body := joinLines(lines...)
	if body == "" {
		return nil
	}
	return []component{text(bold(heading), body)}
}

func divider() component {
	show := true
	return discordgo.Separator{Divider: &show}
}

// rows lays buttons out in rows of at most five.
func rows(buttons ...component) []component {
	var out []component
	for len(buttons) > 0 {
		n := min(maxRowButtons, len(buttons))
		out = append(out, discordgo.ActionsRow{Components: buttons[:n:n]})
		buttons = buttons[n:]
	}
	return out
}

func row(parts ...component) component { return discordgo.ActionsRow{Components: parts} }

func button(style discordgo.ButtonStyle, label string, id press.ID) component {
	return discordgo.Button{Style: style, Label: clip(label, maxLabel), CustomID: id.String()}
}

func primary(label string, id press.ID) component { return button(discordgo.PrimaryButton, label, id) }

func secondary(label string, id press.ID) component {
	return button(discordgo.SecondaryButton, label, id)
}

func success(label string, id press.ID) component { return button(discordgo.SuccessButton, label, id) }

func danger(label string, id press.ID) component { return button(discordgo.DangerButton, label, id) }

// disabled is a button that shows what will be possible and cannot be pressed.
func disabled(label string, id press.ID) component {
	return discordgo.Button{Style: discordgo.SecondaryButton, Label: clip(label, maxLabel), CustomID: id.String(), Disabled: true}
}

// enabledIf is the button, or the same one disabled.
func enabledIf(enabled bool, style discordgo.ButtonStyle, label string, id press.ID) component {
	if !enabled {
		return disabled(label, id)
	}
	return button(style, label, id)
}

// choice is a button that marks itself when it is chosen.
func choice(chosen bool, label string, id press.ID) component {
	if chosen {
		return primary("✓ "+label, id)
	}
	return secondary(label, id)
}

// link is a button that leads elsewhere; nothing when there is no address.
func link(label, url string) []component {
	if url == "" {
		return nil
	}
	return []component{discordgo.Button{Style: discordgo.LinkButton, Label: clip(label, maxLabel), URL: url}}
}

// clip cuts text to a number of UTF-16 units and marks the cut.
func clip(s string, units int) string {
	if utf16Length(s) <= units {
		return s
	}
	used := 0
	for i, r := range s {
		used += utf16.RuneLen(r)
		if used >= units {
			return s[:i] + "…"
		}
	}
	return s
}

// clipText cuts the only text of a message to what Discord takes.
func clipText(s string) string {
	s = clip(s, maxText)
	for len(s) > maxTextBytes-textOverhead {
		s = clip(s, utf16Length(s)*9/10)
	}
	return s
}

// private is a message for one person.
func private(parts ...component) discord.Message {
	return discord.Message{Components: parts, Ephemeral: true}
}

// public is a message for everybody; it pings nobody.
func public(parts ...component) discord.Message {
	return discord.Message{Components: parts}
}

// framed is a message for everybody with a bar beside it.
func framed(parts ...component) discord.Message {
	bar := accent
	return public(discordgo.Container{AccentColor: &bar, Components: parts})
}

// textSize is the length of a message's texts in UTF-16 units and in the bytes that Discord reckons with.
func textSize(parts []component) (units, bytes int) {
	for _, part := range parts {
		switch part := part.(type) {
		case discordgo.TextDisplay:
			units += utf16Length(part.Content)
			bytes += len(part.Content) + textOverhead
		case discordgo.Container:
			u, b := textSize(part.Components)
			units, bytes = units+u, bytes+b
		}
	}
	return units, bytes
}

// fitting draws a message with as many of its optional lines, from most down to none, as Discord takes.
func fitting(most int, draw func(optional int) discord.Message) discord.Message {
	for n := most; n > 0; n-- {
		m := draw(n)
		if units, bytes := textSize(m.Components); units <= maxText && bytes <= maxTextBytes {
			return m
		}
	}
	return draw(0)
}
