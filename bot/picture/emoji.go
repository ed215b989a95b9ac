package picture

import (
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"strings"
	"sync"

	"bytes"

	"paladin/game/paladin"
)

// An Emoji is a picture small enough to stand in a line of text.
type Emoji struct {
	// Key says what it shows: see CardKey, BackKey, QuestKey, TokenKey.
	Key string
	// Name is a letter, the key and a part of the hash of the picture: 2 to 32 letters, digits and underscores, as Discord wants
	// it. An emoji whose picture does not change keeps its name.
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
	add := func(key string, paint func(c *canvas)) {
		c := newCanvas(emojiSize, emojiSize)
		paint(c)
		out = append(out, newEmoji(key, c.img))
	}
	for card := range paladin.Card(2 * (paladin.MaxValue + 1)) {
		add(CardKey(card), func(c *canvas) { c.emojiCard(card) })
	}
	add(BackKey, func(c *canvas) { c.back(18, 1, 91) })
	for _, king := range []bool{false, true} {
		for honour := 1; honour <= paladin.MaxHonour; honour++ {
			add(QuestKey(honour, king), func(c *canvas) { c.badge(honour, king, 64, 64, 112) })
		}
	}
	for seat := range paladin.Seat(paladin.MaxPlayers) {
		add(TokenKey(seat), func(c *canvas) { c.token(seat, 64, 64, 124, true) })
	}
	return out
})

func newEmoji(key string, img *image.RGBA) Emoji {
	sum := sha256.Sum256(img.Pix)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
		panic("picture: emoji " + key + ": " + err.Error()) // cannot be: a buffer takes everything
	}
	return Emoji{Key: key, Name: strings.Join([]string{"p" + key, hex.EncodeToString(sum[:4])}, "_"), PNG: out.Bytes()}
}
