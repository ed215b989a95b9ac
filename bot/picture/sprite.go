package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"sync"
)

// A sprite is a drawing reduced to the palette. Where it shows nothing it leaves what is beneath.
type sprite struct {
	w, h int
	pix  []uint8
	runs []run
}

// A run is so many pixels of a row that show something.
type run struct{ x, y, n int }

// onto makes a sprite of the drawing for a place whose ground has this colour: its soft edges are mixed with it once and for all.
func (c *canvas) onto(ground color.NRGBA) *sprite {
	s := &sprite{w: c.img.Rect.Dx(), h: c.img.Rect.Dy()}
	s.pix = make([]uint8, s.w*s.h)
	known := map[color.RGBA]uint8{}
	for y := range s.h {
		for x := range s.w {
			over := c.img.RGBAAt(x, y)
			if over.A < 8 {
				continue
			}
			rest := 0xff - int(over.A)
			add := func(a, g uint8) uint8 { return uint8(min(0xff, int(a)+(int(g)*rest+0x7f)/0xff)) }
			flat := color.RGBA{R: add(over.R, ground.R), G: add(over.G, ground.G), B: add(over.B, ground.B), A: 0xff}
			index, ok := known[flat]
			if !ok {
				index = nearest(flat)
				known[flat] = index
			}
			s.pix[y*s.w+x] = index
		}
	}
	s.findRuns()
	return s
}

func (s *sprite) findRuns() {
	for y := range s.h {
		for x := 0; x < s.w; x++ {
			from := x
			for x < s.w && s.pix[y*s.w+x] != 0 {
				x++
			}
			if x > from {
				s.runs = append(s.runs, run{from, y, x - from})
			}
		}
	}
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

// buffers are what the encoder works in; they are used again.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() *png.EncoderBuffer {
	buf, _ := b.pool.Get().(*png.EncoderBuffer)
	return buf
}

func (b *buffers) Put(buf *png.EncoderBuffer) { b.pool.Put(buf) }

// encoder is quick rather than thorough: the palette has done most of what there is to gain.
var encoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &buffers{}}

// sheets are kept by the number of their bytes.
var sheets sync.Map

// newSheet is a sheet that begins as a copy of ground.
func newSheet(ground *image.Paletted) sheet {
	pool, _ := sheets.LoadOrStore(len(ground.Pix), &sync.Pool{})
	pix, _ := pool.(*sync.Pool).Get().(*[]uint8)
	if pix == nil {
		fresh := make([]uint8, len(ground.Pix))
		pix = &fresh
	}
	copy(*pix, ground.Pix)
	return sheet{&image.Paletted{Pix: *pix, Stride: ground.Stride, Rect: ground.Rect, Palette: palette}}
}

// png is the finished picture. The sheet must not be used again.
func (s sheet) png() ([]byte, error) {
	var out bytes.Buffer
	out.Grow(16 << 10)
	err := encoder.Encode(&out, s.img)
	if pool, ok := sheets.Load(len(s.img.Pix)); ok {
		pool.(*sync.Pool).Put(&s.img.Pix)
	}
	return out.Bytes(), err
}
