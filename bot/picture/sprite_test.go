package picture

import (
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSpritesAreCutAtTheEdge puts a sprite of two by two pixels, one of them open, at and over every edge of a sheet.
func TestSpritesAreCutAtTheEdge(t *testing.T) {
	sprite := &sprite{w: 2, h: 2, pix: []uint8{1, 2, 3, unpainted}}
	sprite.findRuns()
	for _, test := range []struct {
		x, y int
		want []uint8
	}{
		{0, 0, []uint8{1, 2, 0, 3, 0, 0}},
		{1, 0, []uint8{0, 1, 2, 0, 3, 0}},
		{2, 0, []uint8{0, 0, 1, 0, 0, 3}},
		{3, 0, []uint8{0, 0, 0, 0, 0, 0}},
		{-1, 0, []uint8{2, 0, 0, 0, 0, 0}},
		{-2, 0, []uint8{0, 0, 0, 0, 0, 0}},
		{0, 1, []uint8{0, 0, 0, 1, 2, 0}},
		{0, -1, []uint8{3, 0, 0, 0, 0, 0}},
		{-9, -9, []uint8{0, 0, 0, 0, 0, 0}},
		{9, 9, []uint8{0, 0, 0, 0, 0, 0}},
	} {
		s := sheet{&image.Paletted{Pix: make([]uint8, 6), Stride: 3, Rect: image.Rect(0, 0, 3, 2)}}
		s.put(sprite, test.x, test.y)
		if diff := cmp.Diff(test.want, s.img.Pix); diff != "" {
			t.Errorf("at %d, %d (-want +got):\n%s", test.x, test.y, diff)
		}
	}
}
