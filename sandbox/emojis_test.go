package sandbox_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/sandbox"
)

func dataURI(contentType, content string) string {
	return "data:" + contentType + ";base64," + base64.StdEncoding.EncodeToString([]byte(content))
}

// drawn is a picture of the kind and size, written by the standard library.
func drawn(t *testing.T, kind string, width, height int) string {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	case "moving":
		err = gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{m, m}, Delay: []int{10, 10}})
	}
	must(t, err)
	return b.String()
}

// webP is the head of a WebP file of 300 by 200 pixels: lossy, lossless, extended or
// extended and moving.
func webP(kind string) string {
	body := map[string]string{
		"lossy":    "VP8 \x20\x00\x00\x00\x10\x02\x00\x9d\x01\x2a\x2c\x01\xc8\x00",
		"lossless": "VP8L\x20\x00\x00\x00\x2f\x2b\xc1\x31\x00",
		"extended": "VP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x2b\x01\x00\xc7\x00\x00",
		"moving":   "VP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x2b\x01\x00\xc7\x00\x00",
	}[kind]
	return "RIFF\x40\x00\x00\x00WEBP" + body + strings.Repeat("\x00", 16)
}

func TestEmojiImages(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/emojis"
	for i, c := range []struct {
		name, declared, content, served string
		animated                        bool
	}{
		{"png", "image/png", drawn(t, "png", 128, 128), "image/png", false},
		{"jpeg", "image/jpeg", drawn(t, "jpeg", 20, 20), "image/jpeg", false},
		{"gif", "image/gif", drawn(t, "gif", 20, 20), "image/gif", false},
		{"moving gif", "image/gif", drawn(t, "moving", 20, 20), "image/gif", true},
		{"webp", "image/webp", webP("lossy"), "image/webp", false},
		{"moving webp", "image/webp", webP("moving"), "image/webp", true},
		{"avif", "image/avif", "\x00\x00\x00\x20ftypavif\x00\x00\x00\x00", "image/avif", false},
		{"the content counts", "image/png", drawn(t, "jpeg", 20, 20), "image/jpeg", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := w.do("POST", path, obj{"name": fmt.Sprintf("emoji_%d", i), "image": dataURI(c.declared, c.content)}).checkStatus(201).fine()
			if e["animated"] != c.animated {
				t.Errorf("animated: %v", e["animated"])
			}
			res := check[*http.Response](t)(http.Get(w.http.URL + "/emojis/" + e["id"].(string) + ".png?size=48"))
			defer res.Body.Close()
			body := check[[]byte](t)(io.ReadAll(res.Body))
			if res.StatusCode != 200 || string(body) != c.content || res.Header.Get("Content-Type") != c.served || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("served: %d, %d bytes, %v", res.StatusCode, len(body), res.Header)
			}
		})
	}
}

func TestEmojiRefusals(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/emojis"
	image := dataURI("image/png", drawn(t, "png", 8, 8))
	taken := w.do("POST", path, obj{"name": "sword", "image": image}).checkStatus(201).fine()["id"].(string)
	for _, c := range []struct {
		name string
		body obj
		at   string
		code string
	}{
		{"a name that is taken", obj{"name": "sword", "image": image}, "name", "APPLICATION_EMOJI_NAME_ALREADY_TAKEN"},
		{"a short name", obj{"name": "s", "image": image}, "name", badLength},
		{"a long name", obj{"name": strings.Repeat("s", 33), "image": image}, "name", badLength},
		{"a name with a hyphen", obj{"name": "a-b", "image": image}, "name", "STRING_TYPE_REGEX"},
		{"no name", obj{"image": image}, "name", required},
		{"no image", obj{"name": "shield"}, "image", required},
		{"an image that is a number", obj{"name": "shield", "image": 1}, "image", "STRING_TYPE_CONVERT"},
		{"no data address", obj{"name": "shield", "image": "iVBORw0KGgo="}, "image", "IMAGE_INVALID"},
		{"text that says it is a picture", obj{"name": "shield", "image": dataURI("image/png", "<svg/>")}, "image", "IMAGE_INVALID"},
		{"a kind that is none", obj{"name": "shield", "image": dataURI("image/svg+xml", drawn(t, "png", 8, 8))}, "image", "IMAGE_INVALID"},
		{"no base 64", obj{"name": "shield", "image": "data:image/png;base64,!"}, "image", "IMAGE_INVALID"},
		{"a role", obj{"name": "shield", "image": image, "roles": list{}}, "roles", unknown},
	} {
		t.Run(c.name, func(t *testing.T) { w.do("POST", path, c.body).form(c.at, c.code) })
	}
	w.do("POST", path, obj{"name": "shield", "image": dataURI("image/png", strings.Repeat("x", 256<<10+1))}).refused(400, 0)
	w.do("GET", "/applications/1/emojis", nil).refused(404, 10002)
	w.do("GET", path+"/1", nil).refused(404, 10014)
	w.do("PATCH", path+"/1", obj{"name": "shield"}).refused(404, 10014)
	w.do("DELETE", path+"/1", nil).refused(404, 10014)
	w.do("PATCH", path+"/"+taken, obj{"name": "s"}).form("name", badLength)
	if e := w.do("PATCH", path+"/"+taken, obj{}).fine(); e["name"] != "sword" {
		t.Errorf("an edit of nothing named it %v", e["name"])
	}
	if e := w.do("PATCH", path+"/"+taken, obj{"name": "shield"}).fine(); e["name"] != "shield" {
		t.Errorf("it is named %v", e["name"])
	}
	if diff := cmp.Diff([]sandbox.Emoji{{ID: taken, Name: "shield"}}, w.s.Emojis()); diff != "" {
		t.Errorf("what stands in the end: %s", diff)
	}
}

// The 2000th emoji is taken, the next is refused until one goes.
func TestEmojiLimit(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/emojis"
	image := dataURI("image/gif", onePixel)
	last := ""
	for i := range 2000 {
		last = w.do("POST", path, obj{"name": fmt.Sprintf("e_%d", i), "image": image}).checkStatus(201).fine()["id"].(string)
	}
	more := obj{"name": "one_more", "image": image}
	w.do("POST", path, more).refused(400, 30008)
	w.do("DELETE", path+"/"+last, nil).checkStatus(204)
	w.do("POST", path, more).checkStatus(201)
}

// A component must not name an emoji that is not the application's; a text may.
func TestEmojiUse(t *testing.T) {
	w := newWorld(t)
	path := "/applications/" + w.s.ApplicationID() + "/emojis"
	id := w.do("POST", path, obj{"name": "sword", "image": dataURI("image/gif", onePixel)}).fine()["id"].(string)
	symbol := obj{"id": id, "name": "sword"}
	onButton := legacy(row(with(button("b", "B"), obj{"emoji": symbol})))
	onOption := legacy(row(obj{"type": 3, "custom_id": "s", "options": list{obj{"label": "a", "value": "a", "emoji": symbol}}}))
	w.post(onButton).fine()
	w.post(onOption).fine()
	w.do("DELETE", path+"/"+id, nil).checkStatus(204)
	w.post(onButton).form("components.0.components.0.emoji.id", "BUTTON_COMPONENT_INVALID_EMOJI")
	w.post(onOption).form("components.0.components.0.options.0.emoji.id", "BUTTON_COMPONENT_INVALID_EMOJI")
	said := "<:sword:" + id + ">"
	if m := w.post(v2(text(said))).message(); m.Components[0].Content != said {
		t.Errorf("the text became %q", m.Components[0].Content)
	}
}

func TestEmojisSurviveARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "side.db")
	stored := func(c *sandbox.Config) { c.Path = file }
	w := newWorld(t, stored)
	path := "/applications/" + w.s.ApplicationID() + "/emojis"
	content := drawn(t, "moving", 9, 9)
	kept := w.do("POST", path, obj{"name": "sword", "image": dataURI("image/gif", content)}).fine()
	gone := w.do("POST", path, obj{"name": "shield", "image": dataURI("image/gif", onePixel)}).fine()["id"].(string)
	w.do("DELETE", path+"/"+gone, nil).checkStatus(204)
	must(t, w.s.Close())

	again := newWorld(t, stored)
	if diff := cmp.Diff(obj{"items": list{kept}}, again.do("GET", path, nil).fine()); diff != "" {
		t.Errorf("after the restart: %s", diff)
	}
	for id, want := range map[string]int{kept["id"].(string): 200, gone: 404} {
		res := check[*http.Response](t)(http.Get(again.http.URL + "/emojis/" + id + ".gif"))
		body := check[[]byte](t)(io.ReadAll(res.Body))
		res.Body.Close()
		if res.StatusCode != want || want == 200 && string(body) != content {
			t.Errorf("%s: %d, %d bytes", id, res.StatusCode, len(body))
		}
	}
}
