package picture

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/game/paladin"
)

var (
	update  = flag.Bool("update", false, "write the pictures under testdata anew")
	gallery = flag.String("gallery", "", "write every kind of picture into this directory, to be looked at")
)

// TestPicturesAreAsTheyWere compares pixels, not bytes: how they are packed may change with the library that does it.
func TestPicturesAreAsTheyWere(t *testing.T) {
	for name, data := range exhibits(t) {
		path := filepath.Join("testdata", name+".png")
		if *update {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, got := decoded(t, kept), decoded(t, data)
		if want.Bounds() != got.Bounds() {
			t.Errorf("%s: is %v large, was %v", path, got.Bounds(), want.Bounds())
			continue
		}
		if n := differing(want, got); n > 0 {
			t.Errorf("%s: %d pixels changed: run with -update if this is meant, and look at it", path, n)
		}
	}
}

// exhibits are a few pictures that show nearly everything, by name.
func exhibits(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	add := func(name string, data []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = data
	}
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		r := random(uint64(players))
		g := start(t, players, byte(players), paladin.HouseDeck())
		switch players {
		case 3:
			g.until(r, 1, paladin.PhaseLead, 2)
		case 4:
			g.until(r, 2, paladin.PhasePlace, 9)
		case 5:
			g.until(r, 2, paladin.PhaseResolve, 0)
			for g.public().Game.Resolving < 3 {
				g.step(r)
			}
		}
		data, err := Table(g.public())
		add("table"+digits(players), data, err)
		data, err = Replayed(g.public(), known(g, paladin.NoSeat))
		add("replayed"+digits(players), data, err)
		for g.step(r) {
		}
		data, err = Result(g.public())
		add("result"+digits(players), data, err)
	}
	data, err := Hand(2, []paladin.Card{0, 1, 7, 8, 15, 19})
	add("hand", data, err)
	for n := 1; n <= Lessons; n++ {
		data, err := Lesson(n)
		add("lesson"+digits(n), data, err)
	}
	data, err = contactSheet(t)
	add("emojis", data, err)
	return out
}

// TestEmojiNamesAreKept: a name changes only with its picture, for every bot has to upload what it has not got under that name.
func TestEmojiNamesAreKept(t *testing.T) {
	var names strings.Builder
	for _, e := range Emojis() {
		names.WriteString(e.Name + "\n")
	}
	path := filepath.Join("testdata", "emojis.txt")
	if *update {
		if err := os.WriteFile(path, []byte(names.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), names.String()); diff != "" {
		t.Errorf("%s: run with -update if this is meant (-want +got):\n%s", path, diff)
	}
}

// contactSheet is all emojis over Discord's dark ground.
func contactSheet(t *testing.T) ([]byte, error) {
	const columns = 13
	all := Emojis()
	sheet := image.NewRGBA(image.Rect(0, 0, columns*emojiSize, (len(all)+columns-1)/columns*emojiSize))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(discordGrounds[0]), image.Point{}, draw.Src)
	for i, e := range all {
		at := image.Pt(i%columns*emojiSize, i/columns*emojiSize)
		draw.Draw(sheet, image.Rectangle{Min: at, Max: at.Add(image.Pt(emojiSize, emojiSize))}, decoded(t, e.PNG), image.Point{}, draw.Over)
	}
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewColours(sheet))
	return out.Bytes(), err
}

func decoded(t testing.TB, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func differing(a, b image.Image) (n int) {
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			ar, ag, ab, aa := a.At(x, y).RGBA()
			br, bg, bb, ba := b.At(x, y).RGBA()
			if ar != br || ag != bg || ab != bb || aa != ba {
				n++
			}
		}
	}
	return n
}

func TestGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("run with -gallery DIR to look at the pictures")
	}
	keep := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(*gallery, name+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range exhibits(t) {
		keep(name, data)
	}
	for _, e := range Emojis() {
		keep(e.Name, e.PNG)
	}
}
