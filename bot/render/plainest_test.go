package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// TestPlainest: the words and what can be pressed stay, and nothing else; too many words are cut.
func TestPlainest(t *testing.T) {
	long := strings.Repeat("x", 9000)
	id := press.New(press.Seat, "t")
	m := framed(
		text("<:seven_abc123:12>\u00a0Your hand", "7"), divider(), text(long),
		discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{Media: discordgo.UnfurledMediaItem{URL: "attachment://a.png"}}}},
		row(primary("My seat", id), secondary("My seat again", id), link("Board", "https://discord.com")[0]),
		row(link("Board", "https://discord.com")...),
	)
	m.Files = []discord.File{*Picture("a", []byte("png"), "")}
	got := Plainest(m)
	if units, bytes := textSize(got.Components); units > maxText || bytes > plainestBytes {
		t.Errorf("%d units, %d bytes", units, bytes)
	}
	var kinds []discordgo.ComponentType
	for _, c := range got.Components {
		kinds = append(kinds, c.Type())
	}
	want := []discordgo.ComponentType{discordgo.TextDisplayComponent, discordgo.TextDisplayComponent, discordgo.ActionsRowComponent}
	if !slices.Equal(kinds, want) || len(got.Files) > 0 {
		t.Fatalf("%v, %d files", kinds, len(got.Files))
	}
	if words := got.Components[0].(discordgo.TextDisplay).Content; words != "Your hand\n7" {
		t.Errorf("words %q", words)
	}
	if buttons := got.Components[2].(discordgo.ActionsRow).Components; len(buttons) != 1 || buttons[0].(discordgo.Button).CustomID != id.String() {
		t.Errorf("buttons %v", buttons)
	}
	if len(m.Files) != 1 || !HasPictures(m) || Shape(m) != Shape(got) || Shape(m) != "seat" {
		t.Errorf("the message itself changed, or its shape: %q, %q", Shape(m), Shape(got))
	}
}
