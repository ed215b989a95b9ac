package picture

import (
	"image"
	"sync"

	"paladin/game/paladin"
)

// HandHeight is the height of the picture of a hand; it is Width wide.
const HandHeight = 230

// handCard is how wide a card in the hand is, handPitch how far apart cards stand: the most that anybody ever holds, one more than
// there are seats, just fit.
const (
	handLeft  = 112
	handCard  = 124
	handPitch = 130
	handHigh  = 174 // a card's height
)

// handSprites is what a hand is drawn with.
type handSprites struct {
	ground *image.Paletted
	faces  [2 * (paladin.MaxValue + 1)]*sprite
	tokens [paladin.MaxPlayers]*sprite
}

var handArt = sync.OnceValue(func() *handSprites {
	k := workshop{cardBox}
	h := &handSprites{ground: k.ground(HandHeight, func(*canvas) {})}
	for i := range h.faces {
		h.faces[i] = k.draw(handCard+1, handHigh+1, felt, func(c *canvas) { c.grand(paladin.Card(i), 0, 0, handCard) })
	}
	for seat := range h.tokens {
		h.tokens[seat] = k.draw(76, 76, felt, func(c *canvas) { c.numbered(paladin.Seat(seat), 38, 38, 74) })
	}
	return h
})

// Hand is the picture of a seat's own hand, for that seat alone: its token, and the cards in the order given. No seat
// holds more than paladin.MaxPlayers + 1; of more, the last are left away.
func Hand(seat paladin.Seat, cards []paladin.Card) ([]byte, error) {
	art := handArt()
	s := newSheet(art.ground)
	if seat >= 0 && int(seat) < len(art.tokens) {
		s.centre(art.tokens[seat], handLeft/2+2, HandHeight/2)
	}
	for i, card := range cards {
		if int(card) < len(art.faces) {
			s.put(art.faces[card], handLeft+i*handPitch, (HandHeight-handHigh)/2)
		}
	}
	return s.png()
}
