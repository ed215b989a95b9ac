package sandbox_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"paladin/sandbox"
)

// Whatever a body holds, it is taken or refused with a code; nothing of a refused
// one is posted, and what is taken can be read back.
func FuzzBodies(f *testing.F) {
	for _, b := range badMessages()[:40] {
		if j, err := json.Marshal(b.body); err == nil {
			f.Add(j)
		}
	}
	for _, seed := range []any{v2(container(text("x"), row(button("a", "A")))), testCommands(), badCommands()[20].body, legacy(row(stringSelect("s", nil, options(2)))), nil, 7, "x"} {
		if j, err := json.Marshal(seed); err == nil {
			f.Add(j)
		}
	}
	s, err := sandbox.Open(sandbox.Config{Limits: sandbox.NoLimits()})
	if err != nil {
		f.Fatal(err)
	}
	h := s.Handler()
	user := s.Users()[0].ID
	channels, err := s.Channels(user)
	if err != nil {
		f.Fatal(err)
	}
	channel := channels[0].ID
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, route := range []string{"POST /channels/" + channel + "/messages", "PUT /applications/" + s.ApplicationID() + "/commands", "POST /users/@me/channels"} {
			method, path, _ := strings.Cut(route, " ")
			req := httptest.NewRequestWithContext(t.Context(), method, "/api/v10"+path, strings.NewReader(string(body)))
			req.Header.Set("Authorization", "Bot "+s.Token())
			req.Header.Set("Content-Type", "application/json")
			res := httptest.NewRecorder()
			h.ServeHTTP(res, req)
			var answer any
			if err := json.Unmarshal(res.Body.Bytes(), &answer); err != nil {
				t.Fatalf("%s: %d %q", route, res.Code, res.Body)
			}
			o, _ := answer.(obj)
			tooBig := res.Code == 500 && method == "POST" && strings.Contains(path, channel)
			if res.Code >= 500 && !tooBig || res.Code >= 400 && o["code"] == nil {
				t.Fatalf("%s: %d %s", route, res.Code, res.Body)
			}
			if id, posted := o["id"].(string); posted && strings.HasSuffix(path, "/messages") {
				if _, err := s.Message(user, channel, id); err != nil {
					t.Fatal(err)
				}
				if err := s.DeleteMessage(channel, id); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Twenty people at once: every press reaches the bot once, every answer its person.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	m := w.post(legacy(row(button("go", "Go")))).message()
	const presses = 100
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for range presses {
			press := w.interaction(g)
			user := press.obj["member"].(obj)["user"].(obj)["id"].(string)
			press.answer(4, obj{"content": user, "flags": 64})
		}
	}()
	var all sync.WaitGroup
	for n := range 20 {
		user := w.s.Users()[n%5].ID
		events, cancel := w.s.Subscribe(user)
		all.Go(func() {
			for range events {
			}
		})
		all.Go(func() {
			defer cancel()
			for range presses / 20 {
				i, err := w.s.Press(t.Context(), user, w.channel, m.ID, "go")
				if err != nil {
					t.Error(err)
					return
				}
				r, err := i.Wait(t.Context())
				if err != nil || r.Message.Content != user {
					t.Errorf("%s is answered %+v, %v", user, r.Message, err)
				}
			}
		})
	}
	all.Wait()
	<-answered
	for _, u := range w.s.Users() {
		if n := len(check[[]sandbox.Message](t)(w.s.Messages(u.ID, w.channel))); n != 1+presses/5 {
			t.Errorf("%s sees %d messages", u.Name(), n)
		}
	}
}

// BenchmarkPress is what a press costs before the bot hears of it.
func BenchmarkPress(b *testing.B) {
	s, err := sandbox.Open(sandbox.Config{Limits: sandbox.NoLimits()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	user := s.Users()[0].ID
	channels, err := s.Channels(user)
	if err != nil {
		b.Fatal(err)
	}
	said, err := s.Say(b.Context(), user, channels[0].ID, "press here")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ForgePress(b.Context(), user, channels[0].ID, said.ID, sandbox.TypeButton, "go"); err != nil {
			b.Fatal(err)
		}
	}
}
