package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// never more than 50 counted requests in any second, and answers to presses
// neither wait nor count.
func TestGlobalLaw(t *testing.T) {
	served(t, reply(204, ``), func(t *testing.T, f *fake, _ *Client) {
		var mu sync.Mutex
		counted := 0
		c := f.client(func(cfg *Config) {
			cfg.Observe = func(call Call) {
				mu.Lock()
				defer mu.Unlock()
				if call.Counted {
					counted++
				}
				if strings.Contains(call.Route, "token") == call.Counted {
					t.Errorf("%s: counted is %v", call.Route, call.Counted)
				}
			}
		})
		defer c.web.CloseIdleConnections()
		var all sync.WaitGroup
		for i := range 160 {
			all.Go(func() {
				if err := c.DeleteMessage(t.Context(), fmt.Sprint(i), "1"); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				began := time.Now()
				if _, err := c.Respond(t.Context(), press(), Response{Kind: DeferUpdate}); err != nil || time.Since(began) > 0 {
					t.Errorf("answer: %v after %v", err, time.Since(began))
				}
			})
		}
		all.Wait()
		var times []time.Time
		for _, r := range f.sent() {
			if r.Method == http.MethodDelete {
				times = append(times, r.At)
			}
		}
		if len(times) != 160 || counted != 160 {
			t.Fatalf("%d requests, %d counted", len(times), counted)
		}
		for i := range times[50:] {
			if gap := times[i+50].Sub(times[i]); gap < time.Second {
				t.Fatalf("51 requests in %v", gap)
			}
		}
		if took := times[159].Sub(times[0]); took > 4*time.Second {
			t.Errorf("160 requests took %v", took)
		}
	})
}

// A global 429 stops all counted traffic until it passes, and nothing else.
func TestGlobalPause(t *testing.T) { // R4
	limited := reply(429, `{"message":"You are being rate limited.","retry_after":5,"global":true}`)
	first := true
	var mu sync.Mutex
	rest := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		refuse := first && r.Method == http.MethodGet
		first = first && !refuse
		mu.Unlock()
		if refuse {
			limited(w, r)
			return
		}
		w.WriteHeader(204)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() { _, _ = c.GetGuild(t.Context(), "1") })
		pass(time.Millisecond) // virtual: the refusal has arrived
		for i := range 29 {
			all.Go(func() {
				if err := c.DeleteMessage(t.Context(), fmt.Sprint(i), "1"); err != nil {
					t.Error(err)
				}
			})
		}
		if _, err := c.Respond(t.Context(), press(), Response{Kind: DeferUpdate}); err != nil {
			t.Error(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.EditMessage(short, "1", "1", Message{}); Classify(err) != RateLimited || RetryAfter(err) < 4*time.Second {
			t.Errorf("short of time: %v", err)
		}
		all.Wait()
		for i, r := range f.sent() {
			at := r.At.Sub(began)
			early := i == 0 || strings.Contains(r.Path, "callback")
			if early != (at < 5*time.Second) {
				t.Errorf("%s %s at %v", r.Method, r.Path, at)
			}
		}
		if n := len(f.sent()); n != 32 {
			t.Errorf("%d requests", n)
		}
	})
}

// A long global pause is told, wherever it comes from; a usual one is not.
func TestLongGlobalPauseIsTold(t *testing.T) {
	for after, told := range map[int]bool{1: false, 9: false, 11: true, 86400: true} {
		served(t, reply(429, fmt.Sprintf(`{"message":"You are being rate limited.","retry_after":%d,"global":true}`, after)),
			func(t *testing.T, _ *fake, c *Client) {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				defer cancel()
				if _, err := c.GetGuild(ctx, "1"); Classify(err) != RateLimited {
					t.Errorf("%v", err)
				}
				if why := c.Trouble(); (why != "") != told {
					t.Errorf("a pause of %d s: %q", after, why)
				}
				pass(time.Duration(after) * time.Second)
				if why := c.Trouble(); why != "" {
					t.Errorf("after the pause: %q", why)
				}
			})
	}
}

// The limits in the headers are kept per route and channel, and waits obey the context.
func TestRouteLimits(t *testing.T) { // R5
	var mu sync.Mutex
	var reset time.Time
	left := map[string]int{}
	refused := 0
	rest := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if time.Now().After(reset) {
			reset = time.Now().Add(5 * time.Second)
			left = map[string]int{}
		}
		key := r.Method + r.URL.Path
		if _, ok := left[key]; !ok {
			left[key] = 5
		}
		left[key]--
		h := w.Header()
		h.Set("X-RateLimit-Limit", "5")
		h.Set("X-RateLimit-Remaining", fmt.Sprint(max(0, left[key])))
		h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", time.Until(reset).Seconds()+0.001))
		if left[key] < 0 {
			refused++
			h.Set("X-RateLimit-Scope", "user")
			w.WriteHeader(429)
			fmt.Fprintf(w, `{"message":"slow","retry_after":%.3f,"global":false}`, time.Until(reset).Seconds())
			return
		}
		w.WriteHeader(204)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		began := time.Now()
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				if err := c.EditMessage(t.Context(), "7", "5", Message{}); err != nil {
					t.Error(err)
				}
			})
		}
		pass(time.Millisecond)
		// Another channel does not wait for this one.
		if err := c.EditMessage(t.Context(), "8", "5", Message{}); err != nil || time.Since(began) > 10*time.Millisecond {
			t.Errorf("other channel: %v after %v", err, time.Since(began))
		}
		// A context that ends before the wait does is told at once.
		short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		before := time.Now()
		if err := c.EditMessage(short, "7", "5", Message{}); Classify(err) != RateLimited || time.Since(before) > 0 {
			t.Errorf("short of time: %v after %v", err, time.Since(before))
		}
		// A caller who goes away while waiting is let go.
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		before = time.Now()
		if err := c.EditMessage(gone, "7", "5", Message{}); !errors.Is(err, context.Canceled) || time.Since(before) != time.Second {
			t.Errorf("cancelled: %v after %v", err, time.Since(before))
		}
		all.Wait()
		if refused != 0 {
			t.Errorf("%d requests were refused although the headers told the limit", refused)
		}
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("12 edits at 5 per 5 s took %v", took)
		}
	})
}

func TestRouteRefusal(t *testing.T) { // R6
	tests := []struct {
		name     string
		rest     http.HandlerFunc
		call     func(context.Context, *Client) error
		want     Class
		requests int
	}{
		{"waits and goes on, a create too", sequence(reply(429, `{"retry_after":2}`), reply(200, `{"id":"1"}`)), everyCall["create"], None, 2},
		{"not for ever", reply(429, `{"retry_after":0.1}`), everyCall["edit"], RateLimited, 3},
		{"an hour is not waited for", reply(429, `{"retry_after":3600}`), everyCall["edit"], RateLimited, 1},
		{"old message", reply(429, `{"retry_after":1,"code":30046,"message":"Maximum number of edits to messages older than 1 hour reached."}`), everyCall["edit"], OldEdit, 1},
		{"write limit", reply(429, `{"retry_after":1,"code":20028,"message":"x"}`), everyCall["edit"], SlowDown, 1},
		{"token route", sequence(reply(429, `{"retry_after":2}`), reply(200, `{}`)), everyCall["original"], None, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			served(t, tt.rest, func(t *testing.T, f *fake, c *Client) {
				if err := tt.call(t.Context(), c); Classify(err) != tt.want {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if n := len(f.sent()); n != tt.requests {
					t.Errorf("%d requests, want %d", n, tt.requests)
				}
			})
		})
	}
}

// 30046 concerns one old message; other messages of the channel can be edited.
func TestOldEditBlocksNothingElse(t *testing.T) {
	rest := sequence(reply(429, `{"retry_after":60,"code":30046,"message":"old"}`), reply(200, `{}`))
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		if err := c.EditMessage(t.Context(), "7", "5", Message{}); Classify(err) != OldEdit {
			t.Error(err)
		}
		if err := c.EditMessage(t.Context(), "7", "6", Message{}); err != nil {
			t.Error(err)
		}
	})
}

// Edits and follow-ups by an interaction's token wait for the time that Discord's headers name, each
// interaction for its own; a first answer does not wait, and nothing of it is kept when it is over.
func TestTokenEditsHeedTheirLimit(t *testing.T) {
	rest := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "5")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", "2.000")
		_, _ = io.WriteString(w, `{"id":"9","channel_id":"7"}`)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		one, other := press(), press()
		other.Token = "another"
		edit := func(i *Interaction) time.Duration {
			t.Helper()
			began := time.Now()
			if _, err := c.EditOriginal(t.Context(), i, Message{}); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		if waited := edit(one); waited > 0 {
			t.Errorf("the first edit waited %v", waited)
		}
		if waited := edit(other); waited > 0 {
			t.Errorf("an edit of another interaction waited %v", waited)
		}
		began := time.Now()
		if _, err := c.Respond(t.Context(), one, Response{Kind: Reply}); err != nil || time.Since(began) > 0 {
			t.Errorf("a first answer waited %v: %v", time.Since(began), err)
		}
		if waited := edit(one); waited != 2*time.Second {
			t.Errorf("the second edit waited %v", waited)
		}
		began = time.Now()
		if _, err := c.FollowUp(t.Context(), one, Message{}); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("a follow-up waited %v: %v", time.Since(began), err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.EditOriginal(short, one, Message{}); Classify(err) != RateLimited {
			t.Errorf("an edit that cannot wait so long: %v", err)
		}
		<-time.After(time.Minute) // virtual
		edit(other)
		if n := len(c.limits.hooks); n != 1 {
			t.Errorf("%d interactions are remembered", n)
		}
	})
}

// A 429 for one edit by an interaction's token holds back what else is sent by it, also where it
// comes without headers, and nothing that is sent by another.
func TestTokenRefusalHoldsItsTokenBack(t *testing.T) {
	limited := true
	rest := func(w http.ResponseWriter, r *http.Request) {
		if limited && strings.Contains(r.URL.Path, "/webhooks/") {
			reply(429, `{"message":"slow","retry_after":60}`)(w, r)
			return
		}
		reply(200, `{"id":"9","channel_id":"7"}`)(w, r)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		one, other := press(), press()
		other.Token = "another"
		if _, err := c.EditOriginal(t.Context(), one, Message{}); Classify(err) != RateLimited {
			t.Fatalf("the edit: %v", err)
		}
		limited = false
		before := len(f.sent())
		if _, err := c.FollowUp(t.Context(), one, Message{}); Classify(err) != RateLimited {
			t.Errorf("a follow-up: %v", err)
		}
		if n := len(f.sent()) - before; n != 0 {
			t.Errorf("%d requests by a token that Discord said to wait with", n)
		}
		if _, err := c.EditOriginal(t.Context(), other, Message{}); err != nil {
			t.Errorf("an edit of another interaction: %v", err)
		}
		if _, err := c.Respond(t.Context(), one, Response{Kind: Reply}); err != nil {
			t.Errorf("a first answer: %v", err)
		}
	})
}

// Refusals of a time that a clock set wrong wrote down count no longer once it is set right.
func TestRefusalsOfTheFutureDoNotCount(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := newLimits(func() time.Time { return now }, nil)
	rq := &request{op: "x"}
	now = now.AddDate(1, 0, 0)
	for range refusedLimit {
		l.refuse(rq, &Error{Status: http.StatusForbidden})
	}
	if l.trouble() != textTooMany {
		t.Fatal("so many refusals stop nothing")
	}
	now = now.AddDate(-1, 0, 0)
	if why := l.trouble(); why != "" {
		t.Errorf("stopped for a year: %s", why)
	}
}

// What nobody waits for leaves half of a second's requests to the others, and waits during a pause.
func TestSpareLeavesHalf(t *testing.T) {
	served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
		if !c.Spare() {
			t.Fatal("nothing was sent, and there is no room")
		}
		for range globalCount/spareShare + 1 {
			if err := c.EditMessage(t.Context(), "7", "6", Message{}); err != nil {
				t.Fatal(err)
			}
		}
		if c.Spare() {
			t.Error("more than half of a second's requests are used up, and there is room")
		}
		<-time.After(globalWindow) // virtual
		if !c.Spare() {
			t.Error("a second later there is no room")
		}
		c.limits.mu.Lock()
		c.limits.globalUntil = c.limits.now().Add(time.Minute)
		c.limits.mu.Unlock()
		<-time.After(2 * globalWindow) // virtual
		if c.Spare() {
			t.Error("there is room while all requests pause")
		}
	})
}

// A block in front of Discord stops what counts. Answers to presses are still
// tried, and one that Discord itself takes or refuses ends the pause.
func TestCloudflareStopsCounted(t *testing.T) { // R7
	blocked := reply(429, `<html>error code: 1015</html>`)
	var open atomic.Bool
	refusal := reply(404, `{"code":10062,"message":"Unknown interaction"}`)
	for name, heard := range map[string]http.HandlerFunc{"taken": reply(204, ``), "refused by Discord": refusal} {
		rest := func(w http.ResponseWriter, r *http.Request) {
			switch {
			case !open.Load():
				blocked(w, r)
			case strings.Contains(r.URL.Path, "callback"):
				heard(w, r)
			default:
				w.WriteHeader(204)
			}
		}
		open.Store(false)
		served(t, rest, func(t *testing.T, f *fake, c *Client) {
			err := c.DeleteMessage(t.Context(), "7", "5")
			var e *Error
			if !errors.As(err, &e) || Classify(err) != Cloudflare || e.Status != 429 || e.RetryAfter < 10*time.Minute {
				t.Errorf("%s: %v", name, err)
			}
			for which, call := range everyCall {
				before := len(f.sent())
				err := call(t.Context(), c)
				answers := map[string]bool{"respond": true, "original": true, "where": true, "remove": true, "follow": true}[which]
				if tried := len(f.sent()) > before; Classify(err) != Cloudflare || tried != answers {
					t.Errorf("%s: %s: %v, tried %v", name, which, err, tried)
				}
			}
			if c.Trouble() == "" {
				t.Errorf("%s: no trouble during the pause", name)
			}
			open.Store(true)
			if err := c.DeleteMessage(t.Context(), "7", "5"); Classify(err) != Cloudflare {
				t.Errorf("%s: counted call within the pause: %v", name, err)
			}
			_, _ = c.Respond(t.Context(), press(), Response{Kind: DeferUpdate})
			if err := c.DeleteMessage(t.Context(), "7", "5"); err != nil || c.Trouble() != "" {
				t.Errorf("%s: after an answer of Discord: %v, trouble %q", name, err, c.Trouble())
			}
		})
	}
}

// Without anybody who presses the pause ends by itself.
func TestCloudflarePauseEnds(t *testing.T) { // R7
	rest := sequence(reply(429, `<html>error code: 1015</html>`), reply(204, ``))
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		if err := c.DeleteMessage(t.Context(), "7", "5"); Classify(err) != Cloudflare {
			t.Error(err)
		}
		pass(10*time.Minute - time.Second)
		if err := c.DeleteMessage(t.Context(), "7", "5"); Classify(err) != Cloudflare || len(f.sent()) != 1 {
			t.Errorf("within ten minutes: %v after %d requests", err, len(f.sent()))
		}
		pass(2 * time.Second)
		if err := c.DeleteMessage(t.Context(), "7", "5"); err != nil || c.Trouble() != "" {
			t.Errorf("ten minutes later: %v, trouble %q", err, c.Trouble())
		}
	})
}

// A page with 403 concerns its route alone, which rests, longer each time.
func TestPageOf403ConcernsItsRoute(t *testing.T) {
	var open atomic.Bool
	rest := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && !open.Load() {
			reply(403, `<!DOCTYPE html><html>Cloudflare: Access denied, error code: 1015</html>`)(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"id":"42"}`)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		ctx := t.Context()
		for _, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			if err := c.EditMessage(ctx, "7", "5", Message{}); Classify(err) != Other || RetryAfter(err) != wait {
				t.Fatalf("%v, want a rest of %v", err, wait)
			}
			tries := len(f.sent())
			if err := c.EditMessage(ctx, "7", "5", Message{}); Classify(err) != RateLimited || len(f.sent()) != tries {
				t.Errorf("the route does not rest: %v", err)
			}
			// Nothing else is concerned.
			if _, err := c.CreateMessage(ctx, "7", Message{}); err != nil {
				t.Errorf("create: %v", err)
			}
			if _, err := c.Respond(ctx, press(), Response{Kind: DeferUpdate}); err != nil {
				t.Errorf("respond: %v", err)
			}
			if why := c.Trouble(); why != "" {
				t.Errorf("trouble %q", why)
			}
			pass(wait + time.Second)
		}
		open.Store(true)
		if err := c.EditMessage(ctx, "7", "5", Message{}); err != nil {
			t.Fatal(err)
		}
		open.Store(false)
		if err := c.EditMessage(ctx, "7", "5", Message{}); RetryAfter(err) != time.Minute {
			t.Errorf("after a success: %v, want a rest of a minute again", err)
		}
	})
}

// A page in place of an answer to a press says nothing of it: it is tried again
// within the three seconds.
func TestPageInPlaceOfACallback(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 502} {
		served(t, sequence(reply(status, `<html>proxy</html>`), reply(204, ``)), func(t *testing.T, f *fake, c *Client) {
			if _, err := c.Respond(t.Context(), press(), Response{Kind: Reply}); err != nil || len(f.sent()) != 2 {
				t.Errorf("status %d: %v after %d requests", status, err, len(f.sent()))
			}
		})
	}
}

// Whoever merely waits for a limit lets go when told to; what has left is
// finished, and answers to presses wait all the same.
func TestImpatient(t *testing.T) {
	rest := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/channels/slow/"):
			<-time.After(5 * time.Second) // virtual
		case strings.Contains(r.URL.Path, "/channels/limited/"):
			w.Header().Set("X-RateLimit-Limit", "1")
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset-After", "10")
		}
		w.WriteHeader(204)
	}
	served(t, rest, func(t *testing.T, f *fake, c *Client) {
		waits, hurry := context.WithCancel(t.Context())
		ctx := Impatient(t.Context(), waits)
		if err := c.DeleteMessage(ctx, "limited", "1"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Second, hurry)
		var all sync.WaitGroup
		all.Go(func() {
			if err := c.DeleteMessage(ctx, "slow", "1"); err != nil || time.Since(began) != 5*time.Second {
				t.Errorf("under way: %v after %v", err, time.Since(began))
			}
		})
		all.Go(func() {
			if err := c.DeleteMessage(ctx, "limited", "2"); Classify(err) != RateLimited || time.Since(began) != time.Second {
				t.Errorf("waiting: %v after %v", err, time.Since(began))
			}
		})
		pass(time.Millisecond)
		all.Go(func() { // behind the first of its bucket
			if err := c.DeleteMessage(ctx, "slow", "2"); err == nil || time.Since(began) != time.Second {
				t.Errorf("behind another: %v after %v", err, time.Since(began))
			}
		})
		pass(2 * time.Second)
		c.limits.mu.Lock()
		c.limits.globalUntil = time.Now().Add(10 * time.Second)
		c.limits.mu.Unlock()
		before := time.Now()
		if _, _, err := c.Turn(ctx); Classify(err) != RateLimited || time.Since(before) != 0 {
			t.Errorf("a turn: %v after %v", err, time.Since(before))
		}
		all.Wait()
		for _, r := range f.sent() {
			if strings.HasSuffix(r.Path, "/limited/messages/2") || strings.HasSuffix(r.Path, "/slow/messages/2") {
				t.Errorf("sent %s", r.Path)
			}
		}
	})
}

// Half of what Discord bans for stops everything but answers to presses.
func TestRefusedRequestsOpenTheCircuit(t *testing.T) {
	now := time.Unix(1000000, 0)
	l := newLimits(func() time.Time { return now }, sleep)
	rq, token := &request{op: "x", method: "GET", route: "/x"}, &request{op: "y", token: true}
	opened := 0
	refuse := func(n int, e *Error) {
		for range n {
			if l.refuse(rq, e) {
				opened++
			}
		}
	}
	refuse(9999, &Error{Status: 429, Scope: "shared"})
	refuse(9999, &Error{Status: 404})
	refuse(2500, &Error{Status: 403})
	now = now.Add(5 * time.Minute)
	refuse(2499, &Error{Status: 401})
	if e := l.gates(rq); e != nil {
		t.Fatalf("closed too early: %v", e)
	}
	refuse(1, &Error{Status: 429})
	if e := l.gates(rq); Classify(e) != RateLimited || opened != 1 {
		t.Fatalf("5000 refusals: %v, opened %d times", e, opened)
	}
	if e := l.gates(token); e != nil {
		t.Fatalf("an answer to a press is stopped: %v", e)
	}
	refuse(4000, &Error{Status: 403})
	if e := l.gates(token); e == nil {
		t.Fatal("9000 refusals stop nothing")
	}
	now = now.Add(12 * time.Minute)
	if e := l.gates(rq); e != nil {
		t.Fatalf("ten minutes later: %v", e)
	}
	if len(l.refused) != 0 {
		t.Errorf("%d minutes kept", len(l.refused))
	}
}

// What is remembered follows the channels in use.
func TestBucketsArePruned(t *testing.T) {
	now := time.Unix(1000000, 0)
	l := newLimits(func() time.Time { return now }, sleep)
	h := http.Header{"X-Ratelimit-Limit": {"5"}, "X-Ratelimit-Remaining": {"4"}, "X-Ratelimit-Reset-After": {"1"}}
	busy := &request{method: "GET", route: "/busy"}
	l.take(busy)
	for i := range 10 * pruneAt {
		rq := &request{method: "GET", route: "/x", major: fmt.Sprint(i)}
		l.take(rq)
		l.done(rq, h)
		now = now.Add(10 * time.Millisecond)
	}
	if n := len(l.buckets); n > pruneAt {
		t.Errorf("%d routes remembered", n)
	}
	if l.buckets[busy.bucket()] == nil {
		t.Error("a route in use was forgotten")
	}
}

// A server without rate limit headers is not slowed down.
func TestNoHeadersNoWaiting(t *testing.T) {
	served(t, reply(204, ``), func(t *testing.T, f *fake, c *Client) {
		began := time.Now()
		for range 40 {
			if err := c.DeleteMessage(t.Context(), "7", "5"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("40 requests took %v", took)
		}
		synctest.Wait()
	})
}

// However long somebody takes to use their turn, no second sees more than 50 requests, and the first request in a turn leaves at once
// unless a whole window has gone by.
func TestTurns(t *testing.T) {
	served(t, reply(204, ``), func(t *testing.T, f *fake, c *Client) {
		var all sync.WaitGroup
		for i := range 160 {
			all.Go(func() {
				if i%7 == 0 { // beside those who take no turn first
					if err := c.DeleteMessage(t.Context(), fmt.Sprint(i), "1"); err != nil {
						t.Error(err)
					}
					return
				}
				ctx, release, err := c.Turn(t.Context())
				defer release()
				if err != nil {
					t.Error(err)
					return
				}
				<-time.After(time.Duration(i*37%400) * time.Millisecond) // virtual
				ready := time.Now()
				if err := c.DeleteMessage(ctx, fmt.Sprint(i), "1"); err != nil || time.Since(ready) > 0 {
					t.Errorf("in its turn: %v after %v", err, time.Since(ready))
				}
			})
		}
		all.Wait()
		sent := f.sent()
		if len(sent) != 160 {
			t.Fatalf("%d requests", len(sent))
		}
		for i := range sent[50:] {
			if gap := sent[i+50].At.Sub(sent[i].At); gap < time.Second {
				t.Fatalf("51 requests in %v", gap)
			}
		}
	})
}

// A turn serves one request, is given back when none was made, ends for who keeps it too long, and stops with everything else.
func TestTurnIsOneRequest(t *testing.T) {
	served(t, reply(204, ``), func(t *testing.T, _ *fake, c *Client) {
		began := time.Now()
		edit := func(ctx context.Context, want time.Duration, what string) {
			t.Helper()
			if err := c.DeleteMessage(ctx, "1", "1"); err != nil || time.Since(began) != want {
				t.Errorf("%s: %v at %v, want %v", what, err, time.Since(began), want)
			}
		}
		take := func() (context.Context, func()) {
			t.Helper()
			ctx, release, err := c.Turn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return ctx, release
		}
		mine, release := take()
		for range globalCount - 1 {
			_, unused := take()
			defer unused()
		}
		edit(mine, 0, "the turn's own")
		edit(mine, globalWindow, "one more than the turn is good for")
		release()

		short, cancel := context.WithTimeout(t.Context(), globalWindow/2)
		defer cancel()
		for range globalCount - 1 { // those who took a turn and left nothing have none any more
			_, unused := take()
			defer unused()
		}
		if _, _, err := c.Turn(short); Classify(err) != RateLimited {
			t.Errorf("a turn that cannot come in time: %v", err)
		}

		pass(2 * globalWindow)
		began = time.Now()
		for range 3 * globalCount {
			_, release := take()
			release()
		}
		edit(t.Context(), 0, "after turns that were given back")
	})
}

// TestAPanicGivesBackTheRoute: a request that panics while it is under way is no request that the
// next one of its route waits for.
func TestAPanicGivesBackTheRoute(t *testing.T) {
	f := newFake(t)
	f.rest = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	var once sync.Once
	c := f.client(func(cfg *Config) {
		cfg.Observe = func(Call) { once.Do(func() { panic("a bug over one request") }) }
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		_ = c.DeleteMessage(t.Context(), "1", "2")
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.DeleteMessage(ctx, "1", "2"); err != nil {
		t.Error(err)
	}
}
