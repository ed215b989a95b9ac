package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A canvas is painted on with soft edges, in true colour, before it becomes a sprite or an emoji.
type canvas struct {
	img     *image.RGBA
	painted map[color.NRGBA]bool // the colours that were used
}

func newCanvas(w, h int) *canvas {
	return &canvas{img: image.NewRGBA(image.Rect(0, 0, w, h)), painted: map[color.NRGBA]bool{}}
}

// fill paints the inside of a path.
func (c *canvas) fill(p path, col color.NRGBA) {
	r := p.bounds().Intersect(c.img.Bounds())
	if r.Empty() {
		return
	}
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	z.DrawOp = draw.Over
	dx, dy := float32(r.Min.X), float32(r.Min.Y)
	for i, o := range p {
		for k := range o.at {
			o.at[k].x -= dx
			o.at[k].y -= dy
		}
		a := o.at
		switch o.kind {
		case opMove:
			if i > 0 {
				z.ClosePath()
			}
			z.MoveTo(a[0].x, a[0].y)
		case opLine:
			z.LineTo(a[0].x, a[0].y)
		case opQuad:
			z.QuadTo(a[0].x, a[0].y, a[1].x, a[1].y)
		case opCube:
			z.CubeTo(a[0].x, a[0].y, a[1].x, a[1].y, a[2].x, a[2].y)
		}
	}
	z.ClosePath()
	c.painted[col] = true
	z.Draw(c.img, r, image.NewUniform(col), image.Point{})
}

// bounds is the whole pixels that the path can touch.
func (p path) bounds() image.Rectangle {
	minX, minY := float32(math.Inf(1)), float32(math.Inf(1))
	maxX, maxY := float32(math.Inf(-1)), float32(math.Inf(-1))
	for _, o := range p {
		for _, a := range o.at[:points[o.kind]] {
			minX, minY = min(minX, a.x), min(minY, a.y)
			maxX, maxY = max(maxX, a.x), max(maxY, a.y)
		}
	}
	if minX > maxX {
		return image.Rectangle{}
	}
	floor := func(f float32) int { return int(math.Floor(float64(f))) }
	return image.Rect(floor(minX), floor(minY), floor(maxX)+1, floor(maxY)+1)
}

// --- numerals

// glyphUnits is the size at which outlines are read from the font.
const glyphUnits = 1024

// font is Go Bold, which is embedded in the program and freely licensed.
var font = func() *sfnt.Font {
	f, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		panic("picture: the embedded font: " + err.Error()) // cannot be: its bytes are part of the program
	}
	return f
}()

// A glyph is the outline of a character, one unit high, on its base line, and how far the next one stands.
type glyph struct {
	shape   path
	advance float32
}

// glyphs holds what is ever written: pictures have no words.
var glyphs = func() map[rune]glyph {
	out := map[rune]glyph{}
	var buf sfnt.Buffer
	for _, r := range "0123456789/r+=×>" {
		out[r] = readGlyph(&buf, r)
	}
	out['0'] = plainZero(out['0'])
	return out
}()

// plainZero takes the stroke out of the font's zero, which programs need and cards do not: what is left is the outer contour, and
// the same once more, smaller, cut out of it.
func plainZero(g glyph) glyph {
	var outer []point
	var most float32
	for _, run := range g.shape.flat() {
		if a := area(run); a*a > most {
			outer, most = run, a*a
		}
	}
	low, high := outer[0], outer[0]
	var shape path
	for i, a := range outer {
		low, high = point{min(low.x, a.x), min(low.y, a.y)}, point{max(high.x, a.x), max(high.y, a.y)}
		if i == 0 {
			shape.move(a.x, a.y)
			continue
		}
		shape.line(a.x, a.y)
	}
	mid := mix(low, high, 0.5)
	inner := shape.at(-mid.x, -mid.y, 1).stretched(0.44, 0.70).at(mid.x, mid.y, 1)
	return glyph{shape: join(shape, inner.hole()), advance: g.advance}
}

func readGlyph(buf *sfnt.Buffer, r rune) glyph {
	index, err := font.GlyphIndex(buf, r)
	if err != nil {
		panic("picture: the embedded font: " + err.Error())
	}
	segments, err := font.LoadGlyph(buf, index, fixed.I(glyphUnits), nil)
	if err != nil {
		panic("picture: the embedded font: " + err.Error())
	}
	unit := func(v fixed.Int26_6) float32 { return float32(v) / 64 / glyphUnits }
	g := glyph{}
	for _, s := range segments {
		o := op{}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			o.kind = opMove
		case sfnt.SegmentOpLineTo:
			o.kind = opLine
		case sfnt.SegmentOpQuadTo:
			o.kind = opQuad
		case sfnt.SegmentOpCubeTo:
			o.kind = opCube
		}
		for k := range points[o.kind] {
			o.at[k] = point{unit(s.Args[k].X), unit(s.Args[k].Y)}
		}
		g.shape = append(g.shape, o)
	}
	advance, err := font.GlyphAdvance(buf, index, fixed.I(glyphUnits), 0)
	if err != nil {
		panic("picture: the embedded font: " + err.Error())
	}
	g.advance = unit(advance)
	return g
}

// capital is the height of a numeral in a font of size 1.
const capital = 0.72

// written is text of that font size, its middle at x and the middle of its numerals at y.
func written(text string, x, y, size float32) path {
	var out path
	at := x - writtenWidth(text, size)/2
	for _, r := range text {
		g := glyphs[r]
		out = append(out, g.shape.at(at, y+size*capital/2, size)...)
		at += g.advance * size
	}
	return out
}

func writtenWidth(text string, size float32) float32 {
	var w float32
	for _, r := range text {
		w += glyphs[r].advance * size
	}
	return w
}
