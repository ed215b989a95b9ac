package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"paladin/game/paladin"
)

// discordGrounds are what messages stand on: the dark theme, and the two whites of the light one.
var discordGrounds = []color.NRGBA{rgb(0x313338), rgb(0xffffff), rgb(0xf2f3f5)}

// linear is a colour's light, each part from 0 to 1.
func linear(c color.NRGBA) [3]float64 {
	part := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return [3]float64{part(c.R), part(c.G), part(c.B)}
}

// luminance and contrast are those of WCAG 2.
func luminance(c color.NRGBA) float64 {
	l := linear(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

func contrast(a, b color.NRGBA) float64 {
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// WCAG asks for a contrast of 4.5 of what is read, and of 3 of other things that have to be seen.
const (
	readable = 4.5
	visible  = 3
)

func TestContrast(t *testing.T) {
	type pair struct {
		what string
		a, b color.NRGBA
		want float64
	}
	pairs := []pair{
		{"numbers on the table", ivory, felt, readable},
		{"numbers on a panel", ivory, panel, readable},
		{"a quest's number", iron, ink, readable},
		{"a black Paladin", ink, ivory, readable},
		{"a red Paladin", ivory, crimson, readable},
		{"a red Paladin's letter", gold, crimson, visible},
		{"a black Paladin's helm", slate, ivory, visible},
		{"a Queen's quest", ink, silver, readable},
		{"a King's quest", ink, gold, readable},
		{"a card on the table", ivory, ink, visible},
		{"the edge of a back", ivory, backing, visible},
		{"the seat that is awaited", gold, felt, visible},
		{"marks on a panel", gold, panel, visible},
		{"the sign of a phase", ink, gold, readable},
	}
	for seat, c := range tokenColours {
		pairs = append(pairs, pair{fmt.Sprintf("the number on token %d", seat+1), tokenInk[seat], c, readable})
	}
	for _, p := range pairs {
		if got := contrast(p.a, p.b); got < p.want {
			t.Errorf("%s: contrast %.2f, want at least %.1f", p.what, got, p.want)
		}
	}
}

// TestEmojisStandOutOnAnyTheme walks into every emoji from the left: its first rim is dark, which the light themes need, and close
// behind it is something light, which the dark theme needs.
func TestEmojisStandOutOnAnyTheme(t *testing.T) {
	for _, e := range Emojis() {
		img := decoded(t, e.PNG)
		dark, light := rims(img, emojiSize/2)
		for _, ground := range discordGrounds {
			if best := max(contrast(dark, ground), contrast(light, ground)); best < visible {
				t.Errorf("%s on %v: contrast %.2f, want at least %d", e.Key, ground, best, visible)
			}
		}
	}
}

// rims are the darkest and lightest of the first opaque pixels of a row.
func rims(img image.Image, y int) (dark, light color.NRGBA) {
	dark, light = rgb(0xffffff), rgb(0)
	seen := 0
	for x := 0; x < emojiSize && seen < 12; x++ {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		if c.A < 0xf0 {
			continue
		}
		seen++
		if luminance(c) < luminance(dark) {
			dark = c
		}
		if luminance(c) > luminance(light) {
			light = c
		}
	}
	return dark, light
}

// sights are how people see: the matrices of Machado, Oliveira and Fernandes (2009) at full severity, on linear light.
var sights = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is how a colour looks to somebody, in CIE L*a*b* (D65).
func lab(c color.NRGBA, sight [3][3]float64) [3]float64 {
	l := linear(c)
	var s [3]float64
	for i, row := range sight {
		s[i] = min(1, max(0, row[0]*l[0]+row[1]*l[1]+row[2]*l[2]))
	}
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.95047)
	y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
	z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// deltaE is the distance of two colours as CIE 1976 has it; some 2.3 can just be told apart.
func deltaE(a, b color.NRGBA, sight [3][3]float64) float64 {
	p, q := lab(a, sight), lab(b, sight)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// leastDifference is ten times what can just be told apart and more: enough for small things at a glance.
const leastDifference = 25

func TestEverySightTellsColoursApart(t *testing.T) {
	for name, sight := range sights {
		for i, a := range tokenColours {
			for j, b := range tokenColours[:i] {
				if d := deltaE(a, b, sight); d < leastDifference {
					t.Errorf("%s: tokens %d and %d differ by %.1f, want at least %d", name, j+1, i+1, d, leastDifference)
				}
			}
			if d := deltaE(a, ivory, sight); d < leastDifference {
				t.Errorf("%s: token %d and its rim differ by %.1f, want at least %d", name, i+1, d, leastDifference)
			}
		}
		for _, pair := range [][2]color.NRGBA{{ivory, crimson}, {gold, silver}, {gold, ivory}} {
			if d := deltaE(pair[0], pair[1], sight); d < leastDifference {
				t.Errorf("%s: %v and %v differ by %.1f, want at least %d", name, pair[0], pair[1], d, leastDifference)
			}
		}
	}
}

// TestTokensDifferInShape lays the tokens on each other, without colours, and wants a tenth of their area to differ.
func TestTokensDifferInShape(t *testing.T) {
	const size = 44
	var shapes [paladin.MaxPlayers]*canvas
	for seat := range paladin.Seat(paladin.MaxPlayers) {
		shapes[seat] = newCanvas(size, size)
		shapes[seat].fill(tokenShapes[seat].at(size/2, size/2, size/100.0), ink)
	}
	for i, a := range shapes {
		for j, b := range shapes[:i] {
			both, either := 0, 0
			for k := 3; k < len(a.img.Pix); k += 4 {
				both += int(min(a.img.Pix[k], b.img.Pix[k]))
				either += int(max(a.img.Pix[k], b.img.Pix[k]))
			}
			if part := 1 - float64(both)/float64(either); part < 0.1 {
				t.Errorf("the shapes of tokens %d and %d differ in %.0f %% of their area", j+1, i+1, part*100)
			}
		}
	}
}

// TestRedAndBlackDifferWithoutColour: in grey, a red Paladin is much darker than a black one of the same value.
func TestRedAndBlackDifferWithoutColour(t *testing.T) {
	const darker = 1.4
	light := map[string]float64{}
	for _, e := range Emojis() {
		img := decoded(t, e.PNG)
		sum, n := 0.0, 0
		for y := range emojiSize {
			for x := range emojiSize {
				if c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); c.A > 0x80 {
					sum += luminance(c)
					n++
				}
			}
		}
		light[e.Key] = sum / float64(n)
	}
	for value := range paladin.MaxValue + 1 {
		black, red := light[CardKey(paladin.NewCard(value, false))], light[CardKey(paladin.NewCard(value, true))]
		if black < darker*red {
			t.Errorf("value %d: a black card's light is %.2f, a red one's %.2f: want it at least %.1f times as much", value, black, red, darker)
		}
	}
}
