package picture

import (
	"image"
	"image/color"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
)

// largestEmoji is far below Discord's 256 KiB, for all of them are sent in one go when a bot is set up.
const largestEmoji = 6 << 10

func TestEmojis(t *testing.T) {
	name := regexp.MustCompile(`^p([0-9]r?|back|(king|queen)[1-6]|token[1-5])_[0-9a-f]{8}$`)
	names, looks := map[string]bool{}, map[string]string{}
	for _, e := range Emojis() {
		if !name.MatchString(e.Name) || len(e.Name) < 2 || len(e.Name) > 32 || names[e.Name] {
			t.Errorf("%s: the name %q is not one for Discord, or stands there twice", e.Key, e.Name)
		}
		if !strings.HasPrefix(e.Name, "p"+e.Key+"_") {
			t.Errorf("%s: the name %q does not begin with the key", e.Key, e.Name)
		}
		names[e.Name] = true
		if len(e.PNG) > largestEmoji {
			t.Errorf("%s: %d bytes, want at most %d", e.Key, len(e.PNG), largestEmoji)
		}
		img := decoded(t, e.PNG)
		if img.Bounds() != image.Rect(0, 0, emojiSize, emojiSize) {
			t.Errorf("%s: %v large", e.Key, img.Bounds())
		}
		if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
			t.Errorf("%s: its corner is not transparent", e.Key)
		}
		if other, ok := looks[small(img)]; ok {
			t.Errorf("%s looks like %s in a line of text", e.Key, other)
		}
		looks[small(img)] = e.Key
	}
}

// small is the emoji as it stands in a line of text, 22 pixels high, in grey: 16 shades over a dark ground.
func small(img image.Image) string {
	const size = 22
	var out strings.Builder
	for y := range size {
		for x := range size {
			sum, n := 0.0, 0.0
			for v := y * emojiSize / size; v < (y+1)*emojiSize/size; v++ {
				for u := x * emojiSize / size; u < (x+1)*emojiSize/size; u++ {
					c := color.NRGBAModel.Convert(img.At(u, v)).(color.NRGBA)
					sum += luminance(c) * float64(c.A) / 0xff
					n++
				}
			}
			out.WriteByte('a' + byte(sum/n*15))
		}
	}
	return out.String()
}

// TestEmojiForEverything: whatever a game can show has an emoji under the key that is asked for.
func TestEmojiForEverything(t *testing.T) {
	want := []string{BackKey}
	for value := range paladin.MaxValue + 1 {
		want = append(want, CardKey(paladin.NewCard(value, false)), CardKey(paladin.NewCard(value, true)))
	}
	for honour := 1; honour <= paladin.MaxHonour; honour++ {
		want = append(want, QuestKey(honour, false), QuestKey(honour, true))
	}
	for seat := range paladin.Seat(paladin.MaxPlayers) {
		want = append(want, TokenKey(seat))
	}
	var got []string
	for _, e := range Emojis() {
		got = append(got, e.Key)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestEmojiNamesFollowThePicture: an emoji that somebody paints otherwise gets another name, and Discord another upload.
func TestEmojiNamesFollowThePicture(t *testing.T) {
	paint := func(card paladin.Card) Emoji {
		c := newCanvas(emojiSize, emojiSize)
		c.emojiCard(card)
		return newEmoji("x", c.img, &png.Encoder{})
	}
	if a, b := paint(3), paint(3); a.Name != b.Name {
		t.Errorf("the same picture is called %s and %s", a.Name, b.Name)
	}
	if a, b := paint(3), paint(5); a.Name == b.Name {
		t.Errorf("two pictures are called %s", a.Name)
	}
}
