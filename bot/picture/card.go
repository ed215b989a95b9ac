package picture

import (
	"image/color"

	"paladin/game/paladin"
)

// cardRatio is the height of a card for its width.
const cardRatio = 1.4

// paladin paints a Paladin, w pixels wide, its upper left corner at x, y. A black one is pale with a helm; a red one is dark, with a
// sword, and the letter r beside its value as everywhere in the text.
func (c *canvas) paladin(card paladin.Card, x, y, w float32) {
	h := w * cardRatio
	k := w / 100
	face, number, line := ivory, ink, vellum
	if card.Red() {
		face, number, line = crimson, ivory, oxblood
	}
	c.fill(box(x, y, w, h, 10*k), ink)
	rim := max(1.5, 2.5*k)
	c.fill(box(x+rim, y+rim, w-2*rim, h-2*rim, 10*k-rim), face)
	inner := 6 * k
	if w >= 60 {
		c.fill(box(x+inner, y+inner, w-2*inner, h-2*inner, 6*k), line)
		inner += max(1.2, 1.6*k)
		c.fill(box(x+inner, y+inner, w-2*inner, h-2*inner, 5*k), face)
	}
	if card.Red() {
		c.fill(written(digits(card.Value()), x+41*k, y+52*k, 84*k), number)
		c.fill(written("r", x+76*k, y+64*k, 44*k), gold)
		c.paintSword(x+50*k, y+112*k, 72*k, 90, 1.6*k, ink)
		return
	}
	c.fill(written(digits(card.Value()), x+50*k, y+52*k, 84*k), number)
	c.paintHelm(x+50*k, y+110*k, 40*k, slate, face)
}

// back paints a face-down card.
func (c *canvas) back(x, y, w float32) {
	h := w * cardRatio
	k := w / 100
	rim := max(1.5, 2.5*k)
	c.fill(box(x, y, w, h, 10*k), ink)
	c.fill(box(x+rim, y+rim, w-2*rim, h-2*rim, 10*k-rim), ivory)
	edge := rim + max(2, 4.5*k)
	c.fill(box(x+edge, y+edge, w-2*edge, h-2*edge, 6*k), backing)
	c.lattice(x+edge, y+edge, w-2*edge, h-2*edge, 17*k)
}

// lattice covers part of a back with lozenges.
func (c *canvas) lattice(x, y, w, h, pitch float32) {
	cols, rows := int(w/pitch), int(h/pitch)
	left, top := x+(w-float32(cols)*pitch)/2, y+(h-float32(rows)*pitch)/2
	for i := range cols {
		for j := range rows {
			cx, cy, r := left+(float32(i)+0.5)*pitch, top+(float32(j)+0.5)*pitch, pitch*0.42
			c.fill(polygon(cx, cy-r, cx+r, cy, cx, cy+r, cx-r, cy), backingD)
		}
	}
}

// metals are the colours of a quest's shield: the King's is gold, the Queen's silver.
func metals(king bool) (light, dark color.NRGBA) {
	if king {
		return gold, bronze
	}
	return silver, iron
}

// quest paints a quest's shield under its crown, w pixels wide with x in its middle, from y downwards: the honour as a number and as
// so many swords.
func (c *canvas) quest(honour int, king bool, x, y, w float32) {
	k := w / 100
	light, dark := metals(king)
	crown := crownOf(king).at(x, y+42*k, 0.62*k)
	shield := shieldOf(king).at(x, y+108*k, k)
	rim := max(1.5, 2.5*k)
	c.fill(crown.grown(rim), ink)
	c.fill(shield, ink)
	c.fill(crown, light)
	c.fill(shieldOf(king).at(x, y+108*k, k-rim*0.02), dark)
	c.fill(shieldOf(king).at(x, y+108*k, k-rim*0.02-0.08*k), light)
	c.fill(written(digits(honour), x, y+88*k, 64*k), ink)
	c.swords(honour, x, y+134*k, 34*k, 58*k)
}

// swords paints so many upright swords beside each other, no wider than width in all.
func (c *canvas) swords(n int, x, y, length, width float32) {
	pitch := min(length*0.5, width/float32(max(1, n)))
	for i := range n {
		at := x + (float32(i)-float32(n-1)/2)*pitch
		c.fill(plainSword().stretched(min(1, pitch/(length*0.42)), 1).at(at, y, length/104), ink)
	}
}

// emojiCard paints a Paladin that can be read in a line of text: a value as large as can be, beside it helm, or sword and letter.
func (c *canvas) emojiCard(card paladin.Card) {
	face, number := ivory, ink
	if card.Red() {
		face, number = crimson, ivory
	}
	c.fill(box(8, 0, 112, 128, 16), ink)
	c.fill(box(11, 3, 106, 122, 13), ivory)
	c.fill(box(15, 7, 98, 114, 9), face)
	if card.Red() {
		c.fill(written(digits(card.Value()), 48, 64, 118), number)
		c.paintSword(95, 45, 70, 0, 2.5, ink)
		c.fill(written("r", 95, 94, 66), gold)
		return
	}
	c.fill(written(digits(card.Value()), 48, 64, 118), number)
	c.paintHelm(93, 92, 40, slate, face)
}

// miniature paints a Paladin w pixels wide with nothing but what tells it from others.
func (c *canvas) miniature(card paladin.Card, x, y, w float32) {
	face, number := ivory, ink
	if card.Red() {
		face, number = crimson, ivory
	}
	h := w * cardRatio
	c.fill(box(x, y, w, h, w*0.12), ink)
	c.fill(box(x+1.5, y+1.5, w-3, h-3, w*0.12-1.5), face)
	c.fill(written(digits(card.Value()), x+w/2, y+h*0.4, w*0.86), number)
	if card.Red() {
		c.paintSword(x+w/2, y+h*0.84, w*0.76, 90, 1, ink)
	}
}

// badge paints a quest without its swords, w pixels wide, with its middle at x, y.
func (c *canvas) badge(honour int, king bool, x, y, w float32) {
	k := w / 112
	light, dark := metals(king)
	crown := crownOf(king).at(x, y-24*k, 0.5*k)
	shield := shieldOf(king).at(x, y+20*k, 0.68*k)
	rim := max(1.2, 3*k)
	c.fill(crown.grown(rim), ink)
	c.fill(shield.grown(rim), ink)
	c.fill(crown, light)
	c.fill(shield, dark)
	c.fill(shieldOf(king).at(x, y+20*k, 0.62*k), light)
	c.fill(written(digits(honour), x, y+17*k, 66*k), ink)
}
