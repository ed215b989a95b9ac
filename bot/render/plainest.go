package render

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// plainestBytes bounds the texts of a message in its plainest form: well below what Discord has
// been seen to fail at.
const plainestBytes = 8000

// Plainest is the form of a message that leaves the least to refuse: its words, and the buttons and
// selects that do something. It has no pictures, no emojis, no frame, no lines between its parts,
// and no links.
func Plainest(m discord.Message) discord.Message {
	m = WithoutEmojis(WithoutPictures(m))
	p := plainestForm{ids: map[string]bool{}}
	p.add(m.Components)
	p.shorten()
	m.Components, m.Has = p.parts, nil
	return m
}

// plainestForm collects the parts of a message in its plainest form.
type plainestForm struct {
	parts []component
	ids   map[string]bool // the custom ids so far: of two that are alike the message keeps one
}

func (p *plainestForm) add(parts []component) {
	for _, part := range parts {
		switch part := part.(type) {
		case discordgo.TextDisplay:
			if part.Content != "" {
				p.parts = append(p.parts, part)
			}
		case discordgo.Container:
			p.add(part.Components)
		case discordgo.ActionsRow:
			if controls := p.controls(part.Components); len(controls) > 0 {
				p.parts = append(p.parts, discordgo.ActionsRow{Components: controls})
			}
		}
	}
}

func (p *plainestForm) controls(parts []component) []component {
	var kept []component
	for _, part := range parts {
		id := customID(part)
		if id == "" || p.ids[id] {
			continue
		}
		p.ids[id] = true
		if menu, ok := part.(discordgo.SelectMenu); ok {
			menu.DefaultValues = nil // they name what somebody may have deleted
			part = menu
		}
		kept = append(kept, part)
	}
	return kept
}

// customID is what a button or select is known by; empty for what does nothing here.
func customID(part component) string {
	switch part := part.(type) {
	case discordgo.Button:
		return part.CustomID
	case discordgo.SelectMenu:
		return part.CustomID
	}
	return ""
}

// shorten cuts the longest texts until all together are well within what Discord takes.
func (p *plainestForm) shorten() {
	for {
		if units, bytes := textSize(p.parts); units <= maxText && bytes <= plainestBytes {
			return
		}
		at, longest := -1, ""
		for i, part := range p.parts {
			if t, ok := part.(discordgo.TextDisplay); ok && len(t.Content) > len(longest) {
				at, longest = i, t.Content
			}
		}
		if at < 0 || utf16Length(longest) < 2 {
			return
		}
		p.parts[at] = discordgo.TextDisplay{Content: clip(longest, utf16Length(longest)*3/4)}
	}
}

// Says reports whether a message has words: nobody is told anything by one without.
func Says(m discord.Message) bool { return says(m.Components) }

func says(parts []component) bool {
	return slices.ContainsFunc(parts, func(part component) bool {
		switch part := part.(type) {
		case discordgo.TextDisplay:
			return part.Content != ""
		case discordgo.Container:
			return says(part.Components)
		}
		return false
	})
}

// HandsOut reports whether a message is there for the sake of a file, which no words can stand for.
func HandsOut(m discord.Message) bool {
	return slices.ContainsFunc(m.Files, func(f discord.File) bool { return f.ContentType != pictureType })
}

// HasControls reports whether a message has anything to press but links.
func HasControls(m discord.Message) bool { return Shape(m) != "" }

// Shape names what a message offers to do, whatever game it belongs to: messages of one shape are
// made alike.
func Shape(m discord.Message) string {
	var kinds []string
	var walk func(parts []component)
	walk = func(parts []component) {
		for _, part := range parts {
			switch part := part.(type) {
			case discordgo.Container:
				walk(part.Components)
			case discordgo.ActionsRow:
				walk(part.Components)
			default:
				if id := customID(part); id != "" {
					kinds = append(kinds, kindOf(id))
				}
			}
		}
	}
	walk(m.Components)
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), " ")
}

// kindOf is the kind of press that a custom id of ours asks for.
func kindOf(customID string) string {
	id, err := press.Parse(customID)
	if err != nil {
		return ""
	}
	return string(id.Kind)
}
