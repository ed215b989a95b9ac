package picture

import "image/color"

// numerals are the characters of numbers as sprites of one size, colour and ground.
type numerals struct {
	size    float32
	sprites map[rune]*sprite
}

func newNumerals(size float32, col, ground color.NRGBA) numerals {
	n := numerals{size: size, sprites: map[rune]*sprite{}}
	for _, r := range "0123456789/" {
		w := writtenWidth(string(r), size)
		n.sprites[r] = drawn(int(w+1.5), int(size), ground, func(c *canvas) {
			c.fill(written(string(r), w/2, size/2, size), col)
		})
	}
	return n
}

type align uint8

const (
	left align = iota
	middle
	right
)

// write puts a number with its left end, middle or right end at x and its middle at y, and answers with the x behind it.
func (n numerals) write(s sheet, text string, x, y int, to align) int {
	width := int(writtenWidth(text, n.size) + 0.5)
	switch to {
	case middle:
		x -= width / 2
	case right:
		x -= width
	}
	at := float32(x)
	for _, r := range text {
		s.put(n.sprites[r], int(at+0.5), y-int(n.size)/2)
		at += glyphs[r].advance * n.size
	}
	return int(at + 0.5)
}
