package sandbox_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paladin/sandbox"
)

// showing is a V2 message that shows the named files.
func showing(names ...string) obj {
	items := list{}
	for _, name := range names {
		items = append(items, obj{"media": obj{"url": "attachment://" + name}})
	}
	return v2(obj{"type": 12, "items": items})
}

func names(m sandbox.Message) []string {
	out := []string{}
	for _, a := range m.Attachments {
		out = append(out, a.Filename)
	}
	return out
}

func (w *world) served(address string) (status int, content, contentType string) {
	w.t.Helper()
	res := check[*http.Response](w.t)(http.Get(address))
	defer res.Body.Close()
	return res.StatusCode, string(check[[]byte](w.t)(io.ReadAll(res.Body))), res.Header.Get("Content-Type")
}

// An attachment says what it is, and every component that names it leads to it.
func TestAttachmentObject(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, content, contentType string
		width, height              int
	}{
		{"a.png", drawn(t, "png", 300, 200), "image/png", 300, 200},
		{"a.jpg", drawn(t, "jpeg", 300, 200), "image/jpeg", 300, 200},
		{"a.gif", drawn(t, "gif", 300, 200), "image/gif", 300, 200},
		{"lossy.webp", webP("lossy"), "image/webp", 300, 200},
		{"lossless.webp", webP("lossless"), "image/webp", 300, 200},
		{"extended.webp", webP("extended"), "image/webp", 300, 200},
		{"a.json", `{}`, "application/json", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := "attachment://" + c.name
			body := with(v2(
				container(obj{"type": 9, "components": list{text("a")}, "accessory": obj{"type": 11, "media": obj{"url": here}, "description": "alt"}}),
				obj{"type": 12, "items": list{obj{"media": obj{"url": here}, "description": "alt", "spoiler": true}}},
				obj{"type": 13, "file": obj{"url": here}},
			), obj{"attachments": list{obj{"id": "0", "description": "what it is"}}})
			m := w.upload("POST", "/api/v10", w.messages(w.channel), body, file{"files[0]", c.name, c.content}).message()
			a := m.Attachments[0]
			want := sandbox.Attachment{
				ID: a.ID, Filename: c.name, Description: "what it is", ContentType: c.contentType, Size: len(c.content), URL: a.URL, ProxyURL: a.URL,
				Width: c.width, Height: c.height,
			}
			if diff := cmp.Diff(want, a); diff != "" {
				t.Errorf("attachment (-want +got):\n%s", diff)
			}
			shown := []sandbox.Media{*m.Components[0].Components[0].Accessory.Media, m.Components[1].Items[0].Media, *m.Components[2].File}
			for i, media := range shown {
				want := sandbox.Media{ID: media.ID, URL: a.URL, ProxyURL: a.URL, Width: c.width, Height: c.height, ContentType: c.contentType, AttachmentID: a.ID}
				if diff := cmp.Diff(want, media); diff != "" || media.ID == "" {
					t.Errorf("component %d (-want +got):\n%s", i, diff)
				}
			}
			if f := m.Components[2]; f.Name != c.name || f.Size != len(c.content) {
				t.Errorf("the file component says %q, %d bytes", f.Name, f.Size)
			}
			if status, content, _ := w.served(a.URL); status != 200 || content != c.content {
				t.Errorf("served: %d, %d bytes", status, len(content))
			}
		})
	}
}

// What an edit keeps, replaces and removes.
func TestAttachmentEdits(t *testing.T) {
	a, b := file{"files[0]", "a.png", onePixel}, file{"files[1]", "b.png", onePixel}
	keep := func(m sandbox.Message, i int) obj { return obj{"id": m.Attachments[i].ID} }
	for _, c := range []struct {
		name  string
		body  func(m sandbox.Message) obj
		files []file
		want  []string
	}{
		{"no list keeps all", func(sandbox.Message) obj { return obj{"content": "y"} }, nil, []string{"a.png", "b.png"}},
		{"no list and a file adds it", func(sandbox.Message) obj { return obj{} }, []file{{"files[0]", "c.png", onePixel}}, []string{"a.png", "b.png", "c.png"}},
		{"an empty list removes all", func(sandbox.Message) obj { return obj{"attachments": list{}} }, nil, []string{}},
		{"null is no list", func(sandbox.Message) obj { return obj{"attachments": nil} }, nil, []string{"a.png", "b.png"}},
		{"one is kept", func(m sandbox.Message) obj { return obj{"attachments": list{keep(m, 1)}} }, nil, []string{"b.png"}},
		{"one is kept, one comes", func(m sandbox.Message) obj { return obj{"attachments": list{keep(m, 0), obj{"id": 0}}} },
			[]file{{"files[0]", "c.png", onePixel}}, []string{"a.png", "c.png"}},
		{"a file the list does not name is dropped", func(m sandbox.Message) obj { return obj{"attachments": list{keep(m, 0)}} },
			[]file{{"files[0]", "c.png", onePixel}}, []string{"a.png"}},
		{"a name of the list counts", func(sandbox.Message) obj { return obj{"attachments": list{obj{"id": "0", "filename": "d.png"}}} },
			[]file{{"files[0]", "c.png", onePixel}}, []string{"d.png"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			m := w.upload("POST", "/api/v10", w.messages(w.channel), obj{"content": "x"}, a, b).message()
			path := w.messages(w.channel) + "/" + m.ID
			after := w.upload("PATCH", "/api/v10", path, c.body(m), c.files...).message()
			if diff := cmp.Diff(c.want, names(after)); diff != "" {
				t.Errorf("attachments (-want +got):\n%s", diff)
			}
			left := map[string]bool{}
			for _, a := range after.Attachments {
				left[a.ID] = true
			}
			for _, a := range m.Attachments {
				want := 404
				if left[a.ID] {
					want = 200
				}
				if status, _, _ := w.served(a.URL); status != want {
					t.Errorf("%s is served with %d, want %d", a.Filename, status, want)
				}
			}
		})
	}
}

// A picture that stays is shown again by its name or by its address; its alt text can
// be changed without sending it anew.
func TestPicturesThatStay(t *testing.T) {
	w := newWorld(t)
	m := w.upload("POST", "/api/v10", w.messages(w.channel), showing("a.png"), file{"files[0]", "a.png", onePixel}).message()
	first := m.Components[0].Items[0].Media.ID
	byName := w.edit(m, obj{"components": list{text("more"), showing("a.png")["components"].(list)[0]}}).message()
	if media := byName.Components[1].Items[0].Media; media.AttachmentID != m.Attachments[0].ID {
		t.Errorf("by its name it leads to %+v", media)
	}
	byAddress := w.edit(m, obj{"components": list{obj{"type": 12, "items": list{obj{"media": obj{"url": m.Attachments[0].URL}}}}}}).message()
	if media := byAddress.Components[0].Items[0].Media; media.AttachmentID != m.Attachments[0].ID || media.Width != 1 || media.ID == first {
		t.Errorf("by its address it leads to %+v", media)
	}
	seen := check[sandbox.Message](t)(w.s.Message(w.ann, w.channel, m.ID))
	if media := seen.Components[0].Items[0].Media; media.URL != seen.Attachments[0].URL {
		t.Errorf("people see it at %s", media.URL)
	}
	described := w.edit(m, obj{"attachments": list{obj{"id": m.Attachments[0].ID, "description": "new words"}}}).message()
	if a := described.Attachments[0]; a.Description != "new words" || a.ID != m.Attachments[0].ID {
		t.Errorf("described: %+v", a)
	}
}

// Files go with every kind of answer to an interaction.
func TestAttachmentsOfAnswers(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	board, _, press := w.newPress(g)
	hook := "/webhooks/" + w.s.ApplicationID() + "/"
	send := func(h heard, method, rest string, body obj, name string) reply {
		return w.upload(method, "/api/v10", hook+h.token()+rest, body, file{"files[0]", name, onePixel})
	}
	callback := func(h heard, typ int, data obj, name string) {
		w.upload("POST", "/api/v10", "/interactions/"+h.id()+"/"+h.token()+"/callback", obj{"type": typ, "data": data}, file{"files[0]", name, onePixel}).checkStatus(204)
	}
	is := func(m sandbox.Message, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, names(m)); diff != "" {
			t.Errorf("attachments (-want +got):\n%s", diff)
		}
		if media := m.Components[0].Items[0].Media; media.AttachmentID != m.Attachments[0].ID || media.URL != m.Attachments[0].URL {
			t.Errorf("it shows %+v", media)
		}
	}
	callback(press, 4, with(showing("hand.png"), obj{"flags": 1<<15 | 64}), "hand.png")
	private := press.original("GET", nil).message()
	is(private, "hand.png")
	if !private.Attachments[0].Ephemeral {
		t.Error("the file of a private message is not marked so")
	}
	is(send(press, "PATCH", "/messages/@original", with(showing("later.png"), obj{"attachments": list{obj{"id": "0"}}}), "later.png").message(), "later.png")
	more := send(press, "POST", "", showing("more.png"), "more.png").message()
	is(more, "more.png")
	is(send(press, "PATCH", "/messages/"+more.ID, with(showing("yet.png"), obj{"attachments": list{obj{"id": "0"}}}), "yet.png").message(), "yet.png")

	_, _, deferred := w.newPress(g)
	deferred.answer(5, obj{"flags": 64}).checkStatus(204)
	is(send(deferred, "PATCH", "/messages/@original", showing("late.png"), "late.png").message(), "late.png")

	check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, board.ID, "go"))
	update := w.interaction(g)
	callback(update, 7, with(showing("board.png"), obj{"content": nil}), "board.png")
	is(w.do("GET", w.messages(w.channel)+"/"+board.ID, nil).message(), "board.png")
}

func TestAttachmentRefusals(t *testing.T) {
	w := newWorld(t)
	path := w.messages(w.channel)
	post := func(body any, files ...file) reply { return w.upload("POST", "/api/v10", path, body, files...) }
	a := file{"files[0]", "a.png", onePixel}
	var files []file
	var shown []string
	for i := range 11 {
		name := string(rune('a'+i)) + ".png"
		files, shown = append(files, file{fmt.Sprintf("files[%d]", i), name, onePixel}), append(shown, name)
	}
	m := post(showing(shown[:10]...), files[:10]...).message()
	post(obj{"content": "x"}, files...).form("files", "BASE_TYPE_MAX_LENGTH")
	w.upload("PATCH", "/api/v10", path+"/"+m.ID, showing("k.png"), file{"files[0]", "k.png", onePixel}).form("attachments", "BASE_TYPE_MAX_LENGTH")
	post(v2(text("x")), a).form("attachments", "ATTACHMENT_NOT_SHOWN")
	post(with(showing("b.png"), obj{"attachments": list{obj{"id": 0}, obj{"id": 1}}}), a, file{"files[1]", "b.png", onePixel}).form("attachments.0", "ATTACHMENT_NOT_SHOWN")
	post(with(showing("b.png"), obj{"attachments": list{obj{"id": 0, "filename": "b.png"}}}), a).fine()
	w.upload("PATCH", "/api/v10", path+"/"+m.ID, obj{"attachments": list{obj{"id": 0}}}, a).form("attachments.0", "ATTACHMENT_NOT_SHOWN")
	gone := w.edit(m, with(showing("a.png"), obj{"attachments": list{obj{"id": m.Attachments[1].ID}}}))
	gone.form("components.0.items.0.media.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND")
	w.edit(m, obj{"attachments": list{obj{"id": "12345678901234567"}}}).form("attachments.0.id", "ATTACHMENT_NOT_FOUND")
	post(with(showing("a.png"), obj{"attachments": list{obj{"id": 0, "description": string(make([]rune, 1025))}}}), a).form("attachments.0.description", "BASE_TYPE_MAX_LENGTH")
}

func TestAttachmentsSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "side.db")
	stored := func(c *sandbox.Config) { c.Path = path }
	w := newWorld(t, stored)
	m := w.upload("POST", "/api/v10", w.messages(w.channel), showing("a.png"), file{"files[0]", "a.png", drawn(t, "png", 3, 2)}).message()
	before := check[sandbox.Message](t)(w.s.Message(w.ann, w.channel, m.ID))
	must(t, w.s.Close())
	again := newWorld(t, stored)
	after := check[sandbox.Message](t)(again.s.Message(again.ann, again.channel, m.ID))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the message (-before +after):\n%s", diff)
	}
	if status, content, typ := again.served(again.http.URL + after.Attachments[0].URL); status != 200 || content != drawn(t, "png", 3, 2) || typ != "image/png" {
		t.Errorf("the picture: %d, %d bytes, %s", status, len(content), typ)
	}
	kept := again.edit(m, obj{"components": showing("a.png")["components"]}).message()
	if kept.Components[0].Items[0].Media.AttachmentID != m.Attachments[0].ID {
		t.Errorf("after the restart the name leads to %+v", kept.Components[0].Items[0].Media)
	}
}
