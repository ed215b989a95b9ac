package sandbox_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"paladin/sandbox"
)

// discords uses Discord's own rate limits.
func discords(c *sandbox.Config) { c.Limits = sandbox.Limits{} }

func TestRouteLimits(t *testing.T) {
	w := newWorld(t, discords)
	m := w.post(obj{"content": "x"}).message()
	for i := range 4 {
		r := w.post(obj{"content": "x"})
		r.fine()
		if got := r.header.Get("X-RateLimit-Remaining"); got != []string{"3", "2", "1", "0"}[i] {
			t.Errorf("remaining %s after %d messages", got, i+2)
		}
	}
	w.clock.move(2 * time.Second)
	r := w.post(obj{"content": "x"})
	o := r.refused(429, 0)
	if o["retry_after"] != 3.0 || o["global"] != false {
		t.Errorf("the refusal is %v", o)
	}
	for key, want := range map[string]string{
		"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "3.000",
		"X-RateLimit-Scope": "user", "Retry-After": "3", "X-RateLimit-Global": "",
	} {
		if got := r.header.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	w.do("POST", w.messages(w.second), obj{"content": "other channel"}).fine()
	for range 5 {
		w.edit(m, obj{"content": "edits count apart"}).fine()
	}
	w.edit(m, obj{"content": "x"}).refused(429, 0)
	w.clock.move(3 * time.Second)
	w.post(obj{"content": "x"}).fine()
}

func TestGlobalLimit(t *testing.T) {
	w := newWorld(t, discords)
	g := w.connect()
	for range 3 {
		w.clock.move(time.Second)
	}
	var presses []heard
	m := w.post(legacy(row(button("go", "Go")))).message()
	for range 5 {
		check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, m.ID, "go"))
		presses = append(presses, w.interaction(g))
	}
	for _, user := range w.s.Users() {
		for range 10 {
			w.do("GET", "/users/"+user.ID, nil)
		}
	}
	r := w.do("GET", "/users/@me", nil)
	if o := r.refused(429, 0); o["global"] != true || r.header.Get("X-RateLimit-Scope") != "global" || r.header.Get("X-RateLimit-Global") != "true" {
		t.Errorf("the refusal is %v %v", o, r.header)
	}
	for _, press := range presses { // what interactions send is not counted
		press.answer(5, nil).fine()
		press.original("PATCH", obj{"content": "x"}).fine()
	}
}

func TestWebhookLimit(t *testing.T) {
	w := newWorld(t, discords)
	g := w.connect()
	_, _, press := w.newPress(g)
	press.answer(4, obj{"content": "x"}).fine()
	for range 5 {
		press.original("PATCH", obj{"content": "y"}).fine()
	}
	press.original("PATCH", obj{"content": "z"}).refused(429, 0)
	w.clock.move(2 * time.Second)
	press.original("PATCH", obj{"content": "z"}).fine()
}

// A message older than an hour can be edited only a few times.
func TestOldEdits(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) { c.Limits.OldEdit = sandbox.Limit{N: 3, Per: 6 * time.Second} })
	g := w.connect()
	m, _, _ := w.newPress(g)
	w.clock.move(time.Hour)
	for range 10 {
		w.edit(m, obj{"content": "young enough"}).fine()
	}
	w.clock.move(time.Second)
	for range 3 {
		w.edit(m, obj{"content": "old"}).fine()
	}
	w.edit(m, obj{"content": "old"}).refused(429, 30046)
	young := w.post(obj{"content": "x"}).message()
	w.edit(young, obj{"content": "y"}).fine()
	i := check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, m.ID, "go"))
	press := w.interaction(g)
	press.answer(7, obj{"content": "by a press"}).fine()
	now(t, i, sandbox.Updated)
	w.clock.move(6 * time.Second)
	w.edit(m, obj{"content": "old"}).fine()
}

func TestOpeningDMs(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) { c.Limits.OpenDM = sandbox.Limit{N: 1, Per: time.Minute} })
	w.dm(w.ann)
	w.do("POST", "/users/@me/channels", obj{"recipient_id": w.ben}).refused(400, 40003)
}

func TestFaults(t *testing.T) {
	w := newWorld(t)
	once := func(f *sandbox.Fault) {
		used := false
		w.s.Fault(func(r sandbox.Request) *sandbox.Fault {
			if used || r.Route != "/channels/{channel}/messages" {
				return nil
			}
			used = true
			return f
		})
	}
	count := func() int { return len(check[[]sandbox.Message](t)(w.s.Messages(w.ann, w.channel))) }
	body := obj{"content": "x"}

	once(sandbox.ErrorFault(502, 0, "502: Bad Gateway"))
	w.post(body).refused(502, 0)
	if count() != 0 {
		t.Error("a fault before the effect let it happen")
	}
	after := sandbox.ErrorFault(503, 0, "503: Service Unavailable")
	after.After = true
	once(after)
	w.post(body).refused(503, 0)
	if count() != 1 {
		t.Error("a fault after the effect kept it from happening")
	}
	once(sandbox.RateLimitFault(2*time.Second, "shared"))
	if r := w.post(body); r.refused(429, 0)["retry_after"] != 2.0 || r.header.Get("X-RateLimit-Scope") != "shared" {
		t.Errorf("%v", r.header)
	}
	once(sandbox.CloudflareFault())
	if r := w.post(body); r.status != 429 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", r.status, r.header)
	}
	once(sandbox.ErrorFault(400, 50007, "Cannot send messages to this user"))
	w.post(body).refused(400, 50007)

	once(&sandbox.Fault{Drop: true, After: true})
	req := check[*http.Request](t)(http.NewRequestWithContext(t.Context(), "POST", w.http.URL+"/api/v10"+w.messages(w.channel), strings.NewReader(`{"content":"x"}`)))
	req.Header.Set("Authorization", "Bot "+w.s.Token())
	req.Header.Set("Content-Type", "application/json")
	if res, err := http.DefaultClient.Do(req); err == nil {
		b, _ := io.ReadAll(res.Body)
		t.Errorf("a cut connection answered %s %s", res.Status, b)
	}
	if count() != 2 {
		t.Error("the effect before the cut is missing")
	}

	release, held := make(chan struct{}), make(chan struct{})
	w.s.Fault(func(sandbox.Request) *sandbox.Fault {
		w.s.Fault(nil)
		close(held)
		return &sandbox.Fault{Hang: release}
	})
	done := make(chan reply)
	go func() { done <- w.post(body) }()
	<-held
	w.post(body).fine() // others go on
	close(release)
	(<-done).fine()
	if count() != 4 {
		t.Errorf("%d messages", count())
	}
}

func TestRequestsAreSeen(t *testing.T) {
	w := newWorld(t)
	var seen []sandbox.Request
	cancel := w.s.Observe(func(r sandbox.Request) { seen = append(seen, r) })
	before := w.s.Counted()
	w.post(obj{"content": "x"}).fine()
	w.do("POST", "/interactions/1/x/callback", obj{"type": 6}).refused(404, 10062)
	cancel()
	w.post(obj{"content": "y"}).fine()
	if len(seen) != 2 || seen[0].Route != "/channels/{channel}/messages" || seen[0].Status != 200 || string(seen[0].Body) != `{"content":"x"}` || seen[1].Code != 10062 || seen[1].Counted {
		t.Errorf("observed %+v", seen)
	}
	if n := w.s.Counted() - before; n != 2 {
		t.Errorf("%d requests counted, want 2", n)
	}
	if all := w.s.Requests(); all[len(all)-1].Status != 200 || len(all[len(all)-1].Response) == 0 {
		t.Errorf("the log ends with %+v", all[len(all)-1])
	}
}
