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
	c.fill(box(x, y, w, h, 10*k), ivory)
	if card.Red() {
		rim := max(2, 3.5*k)
		c.fill(box(x+rim, y+rim, w-2*rim, h-2*rim, 10*k-rim), crimson)
		c.fill(written(digits(card.Value()), x+40*k, y+50*k, 88*k), ivory)
		c.fill(written("r", x+78*k, y+64*k, 46*k), gold)
		c.paintSword(x+50*k, y+112*k, 74*k, 90, 0, ink)
		return
	}
	c.fill(written(digits(card.Value()), x+50*k, y+50*k, 88*k), ink)
	c.paintHelm(x+50*k, y+109*k, 44*k, slate, ivory)
}

// grand paints a Paladin as large as in a hand, with a fine line within its edge.
func (c *canvas) grand(card paladin.Card, x, y, w float32) {
	c.paladin(card, x, y, w)
	line := silver
	if card.Red() {
		line = gold
	}
	k := w / 100
	frame := func(inset float32) path { return box(x+inset, y+inset, w-2*inset, w*cardRatio-2*inset, 10*k-inset/2) }
	c.fill(join(frame(6.5*k), frame(7.7*k).hole()), line)
}

// back paints a face-down card.
func (c *canvas) back(x, y, w float32) {
	h := w * cardRatio
	k := w / 100
	rim := max(2.5, 5*k)
	c.fill(box(x, y, w, h, 10*k), ivory)
	c.fill(box(x+rim, y+rim, w-2*rim, h-2*rim, 10*k-rim), backing)
}

// ornament decorates the middle of a back that carries no token: the order's arms in a lozenge.
func (c *canvas) ornament(x, y, w float32) {
	k := w / 100
	lozenge := func(r float32) path { return polygon(0, -1.3*r, r, 0, 0, 1.3*r, -r, 0).at(x, y, k) }
	c.fill(lozenge(42), ivory)
	c.fill(lozenge(38), backing)
	c.fill(lozenge(34), ink)
	c.paintSword(x, y, 66*k, 0, 0, ink)
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
	light, _ := metals(king)
	c.fill(crownOf(king).at(x, y+46*k, 0.56*k), light)
	c.fill(shieldOf(king).at(x, y+110*k, k), light)
	c.fill(written(digits(honour), x, y+90*k, 66*k), ink)
	c.swords(honour, x, y+136*k, 36*k, 58*k)
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
	c.fill(box(8, 0, 112, 128, 17), ink)
	c.fill(box(11, 3, 106, 122, 14), ivory)
	if card.Red() {
		c.fill(box(16, 8, 96, 112, 9), crimson)
		c.fill(written(digits(card.Value()), 48, 64, 116), ivory)
		c.paintSword(94, 44, 66, 0, 2.5, ink)
		c.fill(written("r", 95, 95, 58), gold)
		return
	}
	c.fill(written(digits(card.Value()), 49, 64, 120), ink)
	c.paintHelm(93, 94, 42, slate, ivory)
}

// miniature paints a Paladin w pixels wide with nothing but what tells it from others.
func (c *canvas) miniature(card paladin.Card, x, y, w float32) {
	h := w * cardRatio
	c.fill(box(x, y, w, h, w*0.12), ivory)
	if card.Red() {
		c.fill(box(x+2, y+2, w-4, h-4, w*0.12-1), crimson)
		c.fill(written(digits(card.Value()), x+w/2, y+h*0.4, w*0.86), ivory)
		c.paintSword(x+w/2, y+h*0.83, w*0.8, 90, 0, ink)
		return
	}
	c.fill(written(digits(card.Value()), x+w/2, y+h*0.46, w), ink)
}

// plate paints a quest's shield alone with its honour, w pixels wide, with its middle at x, y.
func (c *canvas) plate(honour int, king bool, x, y, w float32) {
	k := w / 100
	light, _ := metals(king)
	c.fill(shieldOf(king).at(x, y, k), light)
	c.fill(written(digits(honour), x, y-3*k, 84*k), ink)
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

// emojiBack paints a face-down card.
func (c *canvas) emojiBack() {
	c.fill(box(17, 0, 94, 128, 12), ink)
	c.back(20, 3, 87)
	c.ornament(64, 64, 92)
}

// emojiToken paints a token with a dark rim around the pale one, so that one of them holds its shape on any ground.
func (c *canvas) emojiToken(seat paladin.Seat) {
	c.fill(tokenShapes[seat].at(64, 64, 1.06).grown(10), ink)
	c.fill(tokenShapes[seat].at(64, 64, 1.06).grown(6), ivory)
	c.fill(tokenShapes[seat].at(64, 64, 1.06), tokenColours[seat])
	c.fill(written(digits(seat.Number()), 64, 64+tokenSink[seat]*1.2, 62), tokenInk[seat])
}
