package picture

import (
	"image/color"
	"math"
	"strconv"

	"paladin/game/paladin"
)

// The shapes that everything is made of. Each is drawn about the origin, some 100 units large, and painted at any size.

// --- tokens (R3): a shape for each seat, the same as in the text

var tokenShapes = [paladin.MaxPlayers]path{
	circle(0, 0, 42),
	box(-38, -38, 76, 76, 7),
	polygon(0, -48, 46, 0, 0, 48, -46, 0),
	heart(),
	star(),
}

func heart() path {
	var p path
	p.move(0, 46)
	p.cube(-30, 24, -48, 4, -48, -17)
	p.cube(-48, -34, -36, -44, -23, -44)
	p.cube(-12, -44, -4, -38, 0, -28)
	p.cube(4, -38, 12, -44, 23, -44)
	p.cube(36, -44, 48, -34, 48, -17)
	p.cube(48, 4, 30, 24, 0, 46)
	return p
}

func star() path {
	var xy []float32
	for i := range 10 {
		r := 50.0
		if i%2 == 1 {
			r = 25
		}
		sin, cos := math.Sincos(float64(i) * math.Pi / 5)
		xy = append(xy, float32(r*sin), float32(-r*cos)+3)
	}
	return polygon(xy...)
}

// tokenSink is how far below the middle of a token its number stands: hearts are wide above, stars below.
var tokenSink = [paladin.MaxPlayers]float32{0, 0, 0, -6, 4}

// tokenInk is what a seat's number is written with on its token.
var tokenInk = [paladin.MaxPlayers]color.NRGBA{ivory, ink, ink, ivory, ink}

// token paints the seat's token, size pixels high, with a pale rim that holds its shape on every dark ground.
func (c *canvas) token(seat paladin.Seat, x, y, size float32) {
	rim := max(1.5, size*0.055)
	shape := tokenShapes[seat].at(x, y, (size-2*rim)/100)
	c.fill(shape.grown(rim), ivory)
	c.fill(shape, tokenColours[seat])
}

// numbered paints the token with the seat's number on it.
func (c *canvas) numbered(seat paladin.Seat, x, y, size float32) {
	c.token(seat, x, y, size)
	c.fill(written(digits(seat.Number()), x, y+tokenSink[seat]*size/100, size*0.52), tokenInk[seat])
}

// --- arms

// sword is painted in two halves, so that its blade has an edge: point up, 100 long.
type sword struct{ light, dark, hilt path }

func newSword() sword {
	hilt := join(box(-19, 20, 38, 8, 4), box(-4, 26, 8, 16, 2), circle(0, 45, 7))
	return sword{
		light: polygon(0, -52, 0, 22, -6.5, 22, -6.5, -40),
		dark:  polygon(0, -52, 6.5, -40, 6.5, 22, 0, 22),
		hilt:  hilt,
	}
}

var arms = newSword()

// paintSword paints a sword of that length, turned by so many degrees, with a rim of width rim around it.
func (c *canvas) paintSword(x, y, length, degrees, rim float32, rimCol color.NRGBA) {
	set := func(p path) path { return p.turned(degrees).at(x, y, length/104) }
	if rim > 0 {
		blade := polygon(0, -52, 6.5, -40, 6.5, 22, -6.5, 22, -6.5, -40)
		c.fill(set(blade).grown(rim), rimCol)
		c.fill(set(arms.hilt).grown(rim), rimCol)
	}
	c.fill(set(arms.light), silver)
	c.fill(set(arms.dark), iron)
	c.fill(set(arms.hilt), gold)
}

// plainSword is a sword in one piece, bold enough to be counted when it is small.
func plainSword() path {
	return join(polygon(0, -52, 8, -38, 8, 20, -8, 20, -8, -38), box(-22, 16, 44, 11, 5), box(-5, 20, 10, 26, 3), circle(0, 45, 9))
}

// kingShield is pointed; queenShield is round below. Both are 100 wide and about 120 high.
func kingShield() path {
	var p path
	p.move(-50, -56)
	p.quad(-25, -50, 0, -58)
	p.quad(25, -50, 50, -56)
	p.cube(52, 0, 42, 38, 0, 64)
	p.cube(-42, 38, -52, 0, -50, -56)
	return p
}

func queenShield() path {
	var p path
	p.move(-50, -52)
	p.quad(-46, -56, -42, -56)
	p.line(42, -56)
	p.quad(46, -56, 50, -52)
	p.line(50, 14)
	p.cube(50, 44, 28, 62, 0, 62)
	p.cube(-28, 62, -50, 44, -50, 14)
	return p
}

func shieldOf(king bool) path {
	if king {
		return kingShield()
	}
	return queenShield()
}

// kingCrown is closed, with arches and a cross; queenCrown is open, with pearls. Both stand on y = 0, 100 wide.
func kingCrown() path {
	var arches, left path
	arches.move(-42, -16)
	arches.cube(-62, -50, -26, -64, 0, -50)
	arches.cube(26, -64, 62, -50, 42, -16)
	left.move(-30, -18)
	left.cube(-44, -46, -16, -50, -8, -36)
	left.line(-8, -18)
	cross := join(box(-4, -80, 8, 32, 1), box(-12, -72, 24, 8, 1))
	return join(arches, left.hole(), left.mirrored(), cross, box(-42, -12, 84, 12, 3))
}

func queenCrown() path {
	spikes := polygon(-40, -14, -50, -40, -26, -24, 0, -48, 26, -24, 50, -40, 40, -14)
	return join(spikes, box(-40, -10, 80, 10, 3), circle(-50, -46, 8), circle(0, -57, 10), circle(50, -46, 8))
}

func crownOf(king bool) path {
	if king {
		return kingCrown()
	}
	return queenCrown()
}

// helm is a knight's, about 100 high, without its slits.
func helm() path {
	var p path
	p.move(-34, -40)
	p.cube(-24, -54, 24, -54, 34, -40)
	p.line(40, 14)
	p.cube(36, 34, 20, 48, 0, 54)
	p.cube(-20, 48, -36, 34, -40, 14)
	return p
}

// helmSlits are what one looks and breathes through.
func helmSlits() path {
	return join(box(-31, -14, 27, 10, 3), box(4, -14, 27, 10, 3), box(-3.5, -46, 7, 24, 2), box(-17, 16, 7, 22, 3), box(10, 16, 7, 22, 3))
}

// paintHelm paints a helm of that height.
func (c *canvas) paintHelm(x, y, height float32, metal, slits color.NRGBA) {
	c.fill(helm().at(x, y, height/104), metal)
	c.fill(helmSlits().at(x, y, height/104), slits)
}

// --- small signs

// eye says that somebody peeked.
func (c *canvas) eye(x, y, width float32, col, hole color.NRGBA) {
	var white path
	white.move(-50, 0)
	white.quad(0, -52, 50, 0)
	white.quad(0, 52, -50, 0)
	c.fill(white.at(x, y, width/100), col)
	c.fill(circle(0, 0, 16).at(x, y, width/100), hole)
}

// pennant marks the start player.
func pennant() path {
	return join(box(-34, -50, 11, 102, 4), polygon(-20, -46, 48, -22, -20, 4))
}

// cards paints two cards held up: a hand.
func (c *canvas) cards(x, y, height float32, col, edge color.NRGBA) {
	k := height / 100
	for _, degrees := range []float32{-18, 18} {
		card := box(-26, -86, 52, 78, 8).turned(degrees).at(x, y+46*k, k)
		c.fill(card.grown(max(1.2, 4*k)), edge)
		c.fill(card, col)
	}
}

// pile paints cards lying on each other.
func (c *canvas) pile(x, y, height float32, col, edge color.NRGBA) {
	k := height / 100
	for i := range 3 {
		d := float32(1-i) * 11
		card := box(-32+d, -44+d, 64, 80, 9).at(x, y, k)
		c.fill(card.grown(max(1.2, 4*k)), edge)
		c.fill(card, col)
	}
}

// cross is laid over the pile of discards.
func cross() path {
	return join(polygon(-22, -22, 22, 22), polygon(22, -22, -22, 22)).stroke(13)
}

// wreath paints the winner's: leaves along two arcs that are open above, so high in all.
func (c *canvas) wreath(x, y, height float32) {
	var leaf path
	leaf.move(0, -17)
	leaf.quad(16, -2, 0, 17)
	leaf.quad(-16, -2, 0, -17)
	for i := range 5 {
		degrees := float32(42 + i*28) // from the top, clockwise
		sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
		one := leaf.turned(degrees-90+68).at(float32(45*sin), float32(-45*cos), 1)
		c.fill(one.at(x, y, height/100), gold)
		c.fill(one.mirrored().at(x, y, height/100), gold)
	}
}

// rosette paints what a quest's winner wears: a disc of gold with two ribbons, so wide.
func (c *canvas) rosette(x, y, width float32) {
	k := width / 100
	ribbon := polygon(-6, 20, -34, 78, -14, 72, -4, 90, 22, 30).at(x, y, k)
	c.fill(join(ribbon, polygon(6, 20, 34, 78, 14, 72, 4, 90, -22, 30).at(x, y, k).hole()), bronze)
	c.fill(circle(x, y, 50*k), gold)
}

// arrow points to the right, 100 long.
func arrow() path {
	return polygon(-50, -11, 8, -11, 8, -34, 50, 0, 8, 34, 8, 11, -50, 11)
}

// digits is a number as it is written; no number of a game is below 0.
func digits(n int) string { return strconv.Itoa(max(0, n)) }
