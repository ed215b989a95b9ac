package discord_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http/httptest"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"paladin/bot/discord"
	"paladin/sandbox"
)

func pictured(t *testing.T, key string, size int) discord.Message {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewNRGBA(image.Rect(0, 0, size, size))); err != nil {
		t.Fatal(err)
	}
	return discord.Message{
		Components: []discordgo.MessageComponent{
			discordgo.TextDisplay{Content: "The table"},
			discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{Media: discordgo.UnfurledMediaItem{URL: "attachment://table.png"}}}},
		},
		Files: []discord.File{{Name: "table.png", ContentType: "image/png", Description: "the table", Key: key, Data: buf.Bytes()}},
	}
}

// TestPicturesInTheSandbox: a message keeps its picture over edits that do not change it, gets the new one when it changes, and loses it
// when it is to have none.
func TestPicturesInTheSandbox(t *testing.T) {
	s, err := sandbox.Open(sandbox.Config{Limits: sandbox.NoLimits()})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() { web.Close(); s.Close() })
	c, err := discord.New(discord.Config{Token: s.Token(), APIURL: web.URL + "/api"})
	if err != nil {
		t.Fatal(err)
	}
	ann := s.Users()[0].ID
	channels, err := s.Channels(ann)
	if err != nil || len(channels) == 0 {
		t.Fatalf("no channels: %v", err)
	}
	ref, err := c.CreateMessage(t.Context(), channels[0].ID, pictured(t, "k1", 8))
	if err != nil || len(ref.Attachments) != 1 {
		t.Fatalf("%+v, %v", ref, err)
	}
	gone := []discord.Attachment{{ID: "1", Name: "table.png", Key: "k2"}}
	for _, step := range []struct {
		name    string
		message discord.Message
		has     []discord.Attachment // nil: what it has
		uploads int                  // files in the last request
		same    bool                 // the attachment is the one before
	}{
		{"kept", pictured(t, "k1", 8), nil, 0, true},
		{"changed", pictured(t, "k2", 9), nil, 1, false},
		{"thought to have another", pictured(t, "k2", 9), gone, 1, false},
		{"kept again", pictured(t, "k2", 9), nil, 0, true},
	} {
		before := ref.Attachments
		step.message.Has = step.has
		if step.has == nil {
			step.message.Has = before
		}
		if ref, err = c.ReplaceMessage(t.Context(), ref.Channel, ref.ID, step.message); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		requests := s.Requests()
		if n := len(requests[len(requests)-1].Files); n != step.uploads {
			t.Errorf("%s: %d files uploaded, want %d", step.name, n, step.uploads)
		}
		shown, err := s.Message(ann, ref.Channel, ref.ID)
		if err != nil {
			t.Fatal(err)
		}
		var has []string
		for _, a := range shown.Attachments {
			has = append(has, a.ID+" "+a.Filename+" "+a.Description)
		}
		if len(ref.Attachments) != 1 || step.same != cmp.Equal(before, ref.Attachments) {
			t.Fatalf("%s: before %v, now %v", step.name, before, ref.Attachments)
		}
		if diff := cmp.Diff([]string{ref.Attachments[0].ID + " table.png the table"}, has); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", step.name, diff)
		}
	}
	if err := c.EditMessage(t.Context(), ref.Channel, ref.ID, discord.Message{Components: pictured(t, "", 1).Components[:1], Has: ref.Attachments}); err != nil {
		t.Fatal(err)
	}
	if shown, err := s.Message(ann, ref.Channel, ref.ID); err != nil || len(shown.Attachments) != 0 {
		t.Errorf("without a picture: %v, %v", shown.Attachments, err)
	}
}
