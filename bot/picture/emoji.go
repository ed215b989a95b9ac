package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"sync"

	"paladin/game/paladin"
)

// An Emoji is a picture small enough to stand in a line of text.
type Emoji struct {
	// Key says what it shows: see CardKey, BackKey, QuestKey, TokenKey.
	Key string
	// Name is a letter, the key and a part of the hash of the picture: 2 to 32 letters, digits and underscores, as Discord wants
	// it. An emoji whose picture does not change keeps its name, on one kind of processor.
	Name string
	// PNG is 128 by 128 pixels, transparent around what it shows.
	PNG []byte
}

// emojiSize is the width and height of an emoji in pixels.
const emojiSize = 128

// BackKey is the key of a face-down card.
const BackKey = "back"

// CardKey is the key of a Paladin: "7", "7r".
func CardKey(c paladin.Card) string { return c.String() }

// QuestKey is the key of a quest, by its honour and deck: "queen2", "king5".
func QuestKey(honour int, king bool) string {
	if king {
		return "king" + digits(honour)
	}
	return "queen" + digits(honour)
}

// TokenKey is the key of a seat's token, by the number of the seat: "token1".
func TokenKey(seat paladin.Seat) string { return "token" + digits(seat.Number()) }

// Emojis are all there are: twenty Paladins, a back, the quests of each honour in both decks (a deck of one's own may have any),
// and the five tokens. Nobody may change what they hold.
func Emojis() []Emoji { return append([]Emoji(nil), emojis()...) }

var emojis = sync.OnceValue(func() []Emoji {
	var out []Emoji
	pack := &png.Encoder{CompressionLevel: png.BestCompression, BufferPool: new(oneBuffer)}
	add := func(key string, paint func(c *canvas)) {
		c := newCanvas(emojiSize, emojiSize)
		paint(c)
		out = append(out, newEmoji(key, c.img, pack))
	}
	for card := range paladin.Card(2 * (paladin.MaxValue + 1)) {
		add(CardKey(card), func(c *canvas) { c.emojiCard(card) })
	}
	add(BackKey, func(c *canvas) { c.emojiBack() })
	for _, king := range []bool{false, true} {
		for honour := 1; honour <= paladin.MaxHonour; honour++ {
			add(QuestKey(honour, king), func(c *canvas) { c.badge(honour, king, 64, 64, 112) })
		}
	}
	for seat := range paladin.Seat(paladin.MaxPlayers) {
		add(TokenKey(seat), func(c *canvas) { c.emojiToken(seat) })
	}
	return out
})

// oneBuffer lends an encoder the same memory for one picture after the other: its tables are some hundred kilobytes.
type oneBuffer struct{ b *png.EncoderBuffer }

// Get implements png.EncoderBufferPool.
func (o *oneBuffer) Get() *png.EncoderBuffer { return o.b }

// Put implements png.EncoderBufferPool.
func (o *oneBuffer) Put(b *png.EncoderBuffer) { o.b = b }

// newEmoji names the picture by its pixels, not by its bytes: these could differ with the library that packs them.
func newEmoji(key string, img *image.RGBA, pack *png.Encoder) Emoji {
	flat := fewColours(img)
	hash := sha256.New()
	for y := range emojiSize {
		for x := range emojiSize {
			c := flat.Palette[flat.ColorIndexAt(x, y)].(color.NRGBA)
			hash.Write([]byte{c.R, c.G, c.B, c.A})
		}
	}
	var out bytes.Buffer
	if err := pack.Encode(&out, flat); err != nil {
		panic("picture: emoji " + key + ": " + err.Error()) // cannot be: a buffer takes everything
	}
	return Emoji{Key: key, Name: "p" + key + "_" + hex.EncodeToString(hash.Sum(nil)[:4]), PNG: bytes.Clone(out.Bytes())}
}

// fewColours is the picture with at most 256 colours, how transparent they are included: the shades of soft edges are rounded as far
// as that needs.
func fewColours(img *image.RGBA) *image.Paletted {
	for step := 4; ; step *= 2 {
		if out := rounded(img, step); out != nil {
			return out
		}
	}
}

// rounded is the picture with every soft edge rounded to multiples of step; nil if that leaves more than 256 colours.
func rounded(img *image.RGBA, step int) *image.Paletted {
	out := image.NewPaletted(img.Rect, nil)
	index := map[color.NRGBA]uint8{}
	near := func(v uint8) uint8 { return uint8(min(0xff, (int(v)+step/2)/step*step)) }
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := color.NRGBAModel.Convert(img.RGBAAt(x, y)).(color.NRGBA)
			if c = (color.NRGBA{R: near(c.R), G: near(c.G), B: near(c.B), A: near(c.A)}); c.A == 0 {
				c = color.NRGBA{}
			}
			i, ok := index[c]
			if !ok {
				if len(index) == 256 {
					return nil
				}
				i = uint8(len(index))
				index[c] = i
				out.Palette = append(out.Palette, c)
			}
			out.Pix[y*out.Stride+x] = i
		}
	}
	return out
}
