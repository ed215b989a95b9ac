package picture

import "image/color"

// numerals are the characters of numbers as sprites of one size, colour and ground.
type numerals struct {
	size    float32
	sprites map[rune]*sprite
}

func (k workshop) numerals(size float32, col, ground color.NRGBA) numerals {
	n := numerals{size: size, sprites: map[rune]*sprite{}}
	for _, r := range "0123456789/" {
		w := writtenWidth(string(r), size)
		n.sprites[r] = k.draw(int(w+1.5), int(size), ground, func(c *canvas) {
			c.fill(written(string(r), w/2, size/2, size), col)
		})
	}
	return n
}

// write puts a number with its left end at x and its middle at y.
func (n numerals) write(s sheet, text string, x, y int) {
	at := float32(x)
	for _, r := range text {
		s.put(n.sprites[r], int(at+0.5), y-int(n.size)/2)
		at += glyphs[r].advance * n.size
	}
}
