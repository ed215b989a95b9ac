package picture

import "image/color"

// The colours of the game. There are few, and each has its meaning.
var (
	felt    = rgb(0x1c2331) // the table
	ink     = rgb(0x141924) // hollows in it, outlines, what is written on pale ground
	panel   = rgb(0x2b3449) // what lies on it
	slate   = rgb(0x525d75) // lines; what is not lit
	iron    = rgb(0x94a1b5) // the dark side of silver
	silver  = rgb(0xd5dce6) // the Queen's quests
	ivory   = rgb(0xf6eeda) // cards, and what is written on the table
	backing = rgb(0x3a5f90) // the backs of cards
	crimson = rgb(0xa51c2b) // red Paladins
	gold    = rgb(0xe6b84f) // the King's quests; whatever is lit
	bronze  = rgb(0x95702c) // the dark side of gold
)

// tokenColours are those of the seats, the same as in the text (R3). They differ in lightness as well as in hue.
var tokenColours = [...]color.NRGBA{rgb(0x6a2c9e), rgb(0x58aefa), rgb(0xe06f14), rgb(0x177a50), rgb(0xffca1a)}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// A paintbox is the palette of a kind of picture.
type paintbox struct {
	colours color.Palette
	// shared counts the first colours, with which every soft edge may be mended; the others appear only where they are painted, so
	// that no edge shines in a colour that means something else.
	shared int
}

// tableBox has sixteen colours: two pixels to a byte, which is what makes a table small and quick to pack. Soft edges make do with
// one colour between light and dark; a table is shown smaller than it is drawn, which softens them again.
var tableBox = &paintbox{shared: 1, colours: color.Palette{
	iron, ink, felt, slate, silver, panel, ivory, backing, crimson, gold, bronze,
	tokenColours[0], tokenColours[1], tokenColours[2], tokenColours[3], tokenColours[4],
}}

// hardBox is tableBox without that colour, for what is small and often there: its edges are hard.
var hardBox = &paintbox{colours: tableBox.colours}

// cardBox has shades for every soft edge there is, for pictures that are shown large and seldom.
var cardBox = func() *paintbox {
	box := &paintbox{colours: append(color.Palette(nil), tableBox.colours...)}
	grounds := []color.NRGBA{ink, felt, panel}
	for _, pair := range append([][2]color.NRGBA{
		{ivory, backing}, {ivory, crimson}, {ivory, slate}, {gold, crimson}, {gold, bronze}, {silver, iron},
	}, ramps(grounds, ivory, silver, iron, gold, bronze, slate, backing, crimson, panel)...) {
		box.ramp(pair[0], pair[1], 3)
	}
	for _, token := range tokenColours {
		box.ramp(token, ivory, 3)
		box.ramp(token, ink, 2)
	}
	box.shared = len(box.colours)
	return box
}()

func ramps(grounds []color.NRGBA, colours ...color.NRGBA) (pairs [][2]color.NRGBA) {
	for _, g := range grounds {
		for _, c := range colours {
			if c != g {
				pairs = append(pairs, [2]color.NRGBA{c, g})
			}
		}
	}
	return pairs
}

// ramp adds so many shades between a and b.
func (p *paintbox) ramp(a, b color.NRGBA, shades int) {
	for i := 1; i <= shades; i++ {
		p.colours = append(p.colours, blend(a, b, i, shades+1))
	}
}

// blend is a with so many of n parts of b.
func blend(a, b color.NRGBA, part, n int) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8((int(x)*(n-part) + int(y)*part + n/2) / n) }
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// nearest is the colour that looks most like c among those that are shared or painted.
func (p *paintbox) nearest(c color.NRGBA, painted map[color.NRGBA]bool) uint8 {
	best, least := 0, 1<<30
	for i, entry := range p.colours {
		e := entry.(color.NRGBA)
		if i >= p.shared && !painted[e] {
			continue
		}
		dr, dg, db := int(c.R)-int(e.R), int(c.G)-int(e.G), int(c.B)-int(e.B)
		if d := 3*dr*dr + 5*dg*dg + 2*db*db; d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}
