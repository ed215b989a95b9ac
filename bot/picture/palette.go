package picture

import "image/color"

// The colours of the game. There are few, and each has its meaning.
var (
	felt     = rgb(0x1c2331) // the table
	well     = rgb(0x151a25) // hollows in it
	panel    = rgb(0x2a3347) // what lies on it
	panelHi  = rgb(0x3d4864) // and is awaited
	rule     = rgb(0x4b5874)
	muted    = rgb(0xa4b0c4) // what is said in passing
	ivory    = rgb(0xf6eeda) // cards, and what is said on the table
	vellum   = rgb(0xdccba4)
	ink      = rgb(0x1f222a)
	slate    = rgb(0x565c6a)
	crimson  = rgb(0xa51c2b)
	oxblood  = rgb(0x75121f)
	gold     = rgb(0xe6b84f)
	bronze   = rgb(0x9c7126)
	silver   = rgb(0xd5dce6)
	iron     = rgb(0x8a97aa)
	backing  = rgb(0x35567f) // the backs of cards
	backingD = rgb(0x28436a)
)

// tokenColours are those of the seats, in the order of the text (R3). How light each is tells them apart as well as its hue.
var tokenColours = [...]color.NRGBA{rgb(0x7a3bb5), rgb(0x4c9bf5), rgb(0xf08418), rgb(0x1f8f55), rgb(0xffdc4d)}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// ramps are the pairs of colours that meet, with how many shades of their soft edge are kept.
var ramps = []struct {
	a, b   color.NRGBA
	shades int
}{
	{ivory, felt, 4}, {ivory, ink, 4}, {ivory, crimson, 3}, {ivory, panel, 2}, {ivory, backing, 2}, {vellum, ivory, 1},
	{gold, felt, 3}, {gold, ink, 3}, {gold, panel, 1}, {gold, crimson, 1}, {silver, ink, 3}, {silver, felt, 1}, {muted, felt, 2},
	{panel, felt, 1}, {well, felt, 1}, {backing, backingD, 1}, {ink, crimson, 1},
	{tokenColours[0], ivory, 2}, {tokenColours[1], ivory, 2}, {tokenColours[2], ivory, 2}, {tokenColours[3], ivory, 2}, {tokenColours[4], ivory, 1},
	{tokenColours[1], ink, 1}, {tokenColours[2], ink, 1}, {tokenColours[3], ink, 1}, {tokenColours[4], ink, 2},
}

// palette is what every picture of the table is painted with. Its first entry is no colour at all.
var palette = func() color.Palette {
	p := color.Palette{color.NRGBA{}}
	for _, c := range []color.NRGBA{
		felt, well, panel, panelHi, rule, muted, ivory, vellum, ink, slate, crimson, oxblood, gold, bronze, silver, iron, backing, backingD,
	} {
		p = append(p, c)
	}
	for _, c := range tokenColours {
		p = append(p, c)
	}
	for _, r := range ramps {
		for i := 1; i <= r.shades; i++ {
			p = append(p, blend(r.a, r.b, i, r.shades+1))
		}
	}
	return p
}()

// blend is n parts in all, so many of them of b.
func blend(a, b color.NRGBA, part, n int) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8((int(x)*(n-part) + int(y)*part + n/2) / n) }
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// nearest is the entry of the palette that looks most like an opaque colour.
func nearest(c color.RGBA) uint8 {
	best, least := 1, 1<<30
	for i, entry := range palette[1:] {
		e := entry.(color.NRGBA)
		dr, dg, db := int(c.R)-int(e.R), int(c.G)-int(e.G), int(c.B)-int(e.B)
		if d := 3*dr*dr + 5*dg*dg + 2*db*db; d < least {
			best, least = i+1, d
		}
	}
	return uint8(best)
}
