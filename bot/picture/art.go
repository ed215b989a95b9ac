package picture

import (
	"image/color"
	"math"

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

// token paints the seat's token, size pixels high, with its number if that can be read. A light and a dark rim hold its shape
// on any ground.
func (c *canvas) token(seat paladin.Seat, x, y, size float32, number bool) {
	if seat < 0 || int(seat) >= len(tokenShapes) {
		return
	}
	rim := max(1.4, size*0.05)
	shape := tokenShapes[seat].at(x, y, (size-4*rim)/100)
	c.fill(shape.grown(2*rim), ink)
	c.fill(shape.grown(rim), ivory)
	c.fill(shape, tokenColours[seat])
	if number {
		c.fill(written(digits(seat.Number()), x, y+tokenSink[seat]*size/100, size*0.5), tokenInk[seat])
	}
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

func (s sword) outline() path { return join(s.light, s.dark.reversed(), s.hilt) }

// reversed is the path as it is: its winding is mended where it is grown.
func (p path) reversed() path { return p }

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
	var band path
	band.move(-40, 0)
	band.line(-50, -40)
	band.cube(-34, -60, -14, -58, 0, -46)
	band.cube(14, -58, 34, -60, 50, -40)
	band.line(40, 0)
	return join(band, box(-4.5, -76, 9, 34, 1), box(-13, -69, 26, 9, 1))
}

func queenCrown() path {
	spikes := polygon(-40, 0, -50, -36, -27, -18, 0, -44, 27, -18, 50, -36, 40, 0)
	return join(spikes, circle(-50, -42, 9), circle(0, -52, 11), circle(50, -42, 9))
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
	slits := join(box(-32, -14, 27, 9, 3), box(5, -14, 27, 9, 3), box(-3, -44, 6, 24, 2))
	for i := range 3 {
		slits = append(slits, join(circle(-14, 12+float32(i)*11, 3.6), circle(14, 12+float32(i)*11, 3.6))...)
	}
	return slits
}

// paintHelm paints a helm of that height.
func (c *canvas) paintHelm(x, y, height float32, metal, slits color.NRGBA) {
	c.fill(helm().at(x, y, height/104), metal)
	c.fill(helmSlits().at(x, y, height/104), slits)
}

// --- small signs

// eye says that somebody peeked.
func eye() (white, pupil path) {
	white.move(-50, 0)
	white.quad(0, -52, 50, 0)
	white.quad(0, 52, -50, 0)
	return white, circle(0, 0, 16)
}

func (c *canvas) eye(x, y, width float32, col, hole color.NRGBA) {
	white, pupil := eye()
	c.fill(white.at(x, y, width/100), col)
	c.fill(pupil.at(x, y, width/100), hole)
}

// pennant marks the start player.
func pennant() path {
	return join(box(-34, -50, 11, 102, 4), polygon(-20, -46, 48, -22, -20, 4))
}

// fan is a few cards held up: a hand.
func (c *canvas) cards(x, y, height float32, col, edge color.NRGBA) {
	k := height / 100
	for _, degrees := range []float32{-24, 0, 24} {
		card := box(-26, -86, 52, 78, 8).turned(degrees).at(x, y+46*k, k)
		c.fill(card.grown(max(1.2, 4*k)), edge)
		c.fill(card, col)
	}
}

// pile is cards lying on each other.
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

// laurel is half a wreath of the winner's: five leaves along an arc on the left.
func laurel() path {
	var out path
	for i := range 5 {
		a := float64(200-i*32) * math.Pi / 180
		sin, cos := math.Sincos(a)
		var leaf path
		leaf.move(0, -15)
		leaf.quad(11, 0, 0, 15)
		leaf.quad(-11, 0, 0, -15)
		out = append(out, leaf.turned(float32(a*180/math.Pi)-112).at(float32(50*sin)*-1*-1, float32(-50*cos), 1)...)
	}
	return out
}

// arrow points to the right, 100 long.
func arrow() path {
	return polygon(-50, -11, 8, -11, 8, -34, 50, 0, 8, 34, 8, 11, -50, 11)
}

// tick is a check mark.
func tick() path { return polyline(-38, 4, -10, 32, 40, -30).stroke(20) }

// polyline is an open line for stroke.
func polyline(xy ...float32) path { return polygon(xy...) }

func digits(n int) string {
	if n < 0 {
		return digits(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return digits(n/10) + digits(n%10)
}
