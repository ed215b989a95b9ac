package picture

import (
	"bytes"
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEncodeIsReadAsItWasWritten holds for pictures of any size, with either palette.
func TestEncodeIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := rapid.SampledFrom([]*paintbox{tableBox, cardBox}).Draw(t, "box")
		w, h := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
		img := image.NewPaletted(image.Rect(0, 0, w, h), box.colours)
		for i := range img.Pix {
			img.Pix[i] = uint8(rapid.IntRange(0, len(box.colours)-1).Draw(t, "pixel"))
		}
		data, err := encode(img)
		if err != nil {
			t.Fatal(err)
		}
		read, ok := readPNG(data)
		if !ok {
			t.Fatal("it is no PNG with a palette")
		}
		if diff := cmp.Diff(img.Pix, read.Pix); diff != "" || read.Rect != img.Rect {
			t.Fatalf("%v, not %v (-want +got):\n%s", read.Rect, img.Rect, diff)
		}
		for i, c := range read.Palette {
			if i < len(box.colours) && !sameColour(c, box.colours[i]) {
				t.Fatalf("colour %d is %v, not %v", i, c, box.colours[i])
			}
		}
	})
}

func readPNG(data []byte) (*image.Paletted, bool) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	p, ok := img.(*image.Paletted)
	return p, ok
}

func sameColour(a, b interface{ RGBA() (r, g, b, a uint32) }) bool {
	ar, ag, ab, aa := a.RGBA()
	br, bg, bb, ba := b.RGBA()
	return ar == br && ag == bg && ab == bb && aa == ba
}

// TestPaintboxes: sixteen colours fill four bits, and none of the colours is what a sprite leaves open.
func TestPaintboxes(t *testing.T) {
	if n := len(tableBox.colours); n > 16 {
		t.Errorf("the table's box has %d colours: its pictures would double", n)
	}
	if n := len(cardBox.colours); n > unpainted {
		t.Errorf("the cards' box has %d colours", n)
	}
	for i, c := range tableBox.colours {
		for _, other := range tableBox.colours[:i] {
			if sameColour(c, other) {
				t.Errorf("%v is there twice", c)
			}
		}
	}
}
