package picture

import (
	"image"
	"image/color"
	"sync"
)

// A sprite is a drawing reduced to a paintbox. Where it shows nothing it leaves what is beneath.
type sprite struct {
	w, h int
	pix  []uint8
	runs []run
}

// A run is so many pixels of a row that show something.
type run struct{ x, y, n int }

// unpainted stands in a sprite for a pixel that shows nothing; no paintbox has so many colours.
const unpainted = 0xff

// faint is how little of a pixel may be covered for it to show nothing, of 255.
const faint = 24

// onto makes a sprite of the drawing for a place whose ground has this colour: its soft edges are mixed with it once and for all.
func (c *canvas) onto(ground color.NRGBA, box *paintbox) *sprite {
	s := &sprite{w: c.img.Rect.Dx(), h: c.img.Rect.Dy()}
	s.pix = make([]uint8, s.w*s.h)
	c.painted[ground] = true
	known := map[[4]uint8]uint8{}
	var last [4]uint8 // the pixel before, which is mostly the same: transparent at first
	index := uint8(unpainted)
	for i := range s.pix {
		if over := [4]uint8(c.img.Pix[4*i:]); over != last {
			var ok bool
			if index, ok = known[over]; !ok {
				index = box.over(over, ground, c.painted)
				known[over] = index
			}
			last = over
		}
		s.pix[i] = index
	}
	s.findRuns()
	return s
}

// over is the colour of a pixel (premultiplied red, green and blue, and how much of it is covered) on a ground.
func (p *paintbox) over(pixel [4]uint8, ground color.NRGBA, painted map[color.NRGBA]bool) uint8 {
	if pixel[3] < faint {
		return unpainted
	}
	rest := 0xff - int(pixel[3])
	add := func(a, g uint8) uint8 { return uint8(min(0xff, int(a)+(int(g)*rest+0x7f)/0xff)) }
	return p.nearest(color.NRGBA{R: add(pixel[0], ground.R), G: add(pixel[1], ground.G), B: add(pixel[2], ground.B), A: 0xff}, painted)
}

func (s *sprite) findRuns() {
	for y := range s.h {
		for x := 0; x < s.w; x++ {
			from := x
			for x < s.w && s.pix[y*s.w+x] != unpainted {
				x++
			}
			if x > from {
				s.runs = append(s.runs, run{from, y, x - from})
			}
		}
	}
}

// A workshop draws sprites with one paintbox.
type workshop struct{ box *paintbox }

// draw makes a sprite w by h pixels large for a ground of that colour.
func (k workshop) draw(w, h int, ground color.NRGBA, paint func(c *canvas)) *sprite {
	c := newCanvas(w, h)
	paint(c)
	return c.onto(ground, k.box)
}

// ground is an empty table with what is painted on it once and for all; it is Width wide.
func (k workshop) ground(height int, paint func(c *canvas)) *image.Paletted {
	s := k.draw(Width, height, felt, func(c *canvas) {
		c.fill(box(0, 0, Width, float32(height), 0), felt)
		paint(c)
	})
	return &image.Paletted{Pix: s.pix, Stride: Width, Rect: image.Rect(0, 0, Width, height), Palette: k.box.colours}
}

// A sheet is a picture in the course of being put together.
type sheet struct{ img *image.Paletted }

// put copies the sprite with its upper left corner at x, y. What lies outside the sheet is left away.
func (s sheet) put(p *sprite, x, y int) {
	w, h := s.img.Rect.Dx(), s.img.Rect.Dy()
	for _, r := range p.runs {
		to := y + r.y
		from, left, n := r.y*p.w+r.x, x+r.x, r.n
		if left < 0 {
			from, n, left = from-left, n+left, 0
		}
		if n = min(n, w-left); to < 0 || to >= h || n <= 0 {
			continue
		}
		copy(s.img.Pix[to*s.img.Stride+left:], p.pix[from:from+n])
	}
}

// centre is put with the sprite's middle at x, y.
func (s sheet) centre(p *sprite, x, y int) { s.put(p, x-p.w/2, y-p.h/2) }

// sheets keeps the pixels of finished sheets of the table's size, for they are asked for again and again.
var sheets sync.Pool

// newSheet is a sheet that begins as a copy of ground.
func newSheet(ground *image.Paletted) sheet {
	pix, _ := sheets.Get().(*[]uint8)
	if pix == nil || len(*pix) != len(ground.Pix) {
		fresh := make([]uint8, len(ground.Pix))
		pix = &fresh
	}
	copy(*pix, ground.Pix)
	return sheet{&image.Paletted{Pix: *pix, Stride: ground.Stride, Rect: ground.Rect, Palette: ground.Palette}}
}

// png is the finished picture. The sheet must not be used again.
func (s sheet) png() ([]byte, error) {
	data, err := encode(s.img)
	if len(s.img.Pix) == Width*Height {
		sheets.Put(&s.img.Pix)
	}
	return data, err
}
