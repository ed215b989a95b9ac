package discord

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const (
	portalPage = `<!DOCTYPE html><html>Please log in to the hotel's network</html>`
	discord401 = `{"message":"401: Unauthorized","code":0}`
	whoIsIt    = `{"id":"900","username":"paladin","bot":true}`
)

// ended reports whether the program was told to end.
func ended(c *Client) bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// A 401 is believed when it is in Discord's own words, or when Discord says the
// same of the bot itself; any other concerns its call alone.
func TestRefusalsOfTheToken(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first http.HandlerFunc // to the call
		who   http.HandlerFunc // to the question who the bot is
		taken bool             // the token was taken before
		want  Class
		ends  bool
		asked bool
	}{
		{"Discord's words", reply(401, discord401), nil, false, Unauthorized, true, false},
		{"with its own code", reply(401, `{"message":"Unauthorized","code":40001}`), nil, false, Unauthorized, true, false},
		{"Discord's words, once", reply(401, discord401), reply(200, whoIsIt), true, Temporary, false, true},
		{"Discord's words, twice", reply(401, discord401), reply(401, discord401), true, Unauthorized, true, true},
		{"Discord's words, and no such question", reply(401, discord401), reply(404, `{}`), true, Unauthorized, true, true},
		{"Discord's words, and then nothing", reply(401, discord401), reply(502, ``), true, Temporary, false, true},
		{"Discord's words, and then a page", reply(401, discord401), reply(200, portalPage), true, Temporary, false, true},
		{"a route's own", reply(403, `{"message":"Unauthorized","code":40001}`), reply(200, whoIsIt), false, Temporary, false, true},
		{"a page, once", reply(401, portalPage), reply(200, whoIsIt), false, Temporary, false, true},
		{"a page, then Discord", reply(401, portalPage), reply(401, discord401), false, Unauthorized, true, true},
		{"a page for everything", reply(401, portalPage), reply(401, portalPage), false, Temporary, false, true},
		{"nothing for everything", reply(401, ``), reply(401, ``), false, Temporary, false, true},
		{"a gateway's JSON for everything", reply(401, `{"message":"Unauthorized"}`), reply(401, `{"message":"Unauthorized"}`), false, Temporary, false, true},
		{"a page, then nothing", reply(401, portalPage), reply(503, ``), false, Temporary, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := false
			served(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/api/v10/users/@me":
					asked = true
					tt.who(w, r)
				case r.Method == http.MethodDelete:
					w.WriteHeader(204)
				default:
					tt.first(w, r)
				}
			}, func(t *testing.T, f *fake, c *Client) {
				if tt.taken {
					if err := c.DeleteMessage(t.Context(), "7", "5"); err != nil {
						t.Fatal(err)
					}
				}
				_, err := c.GetChannel(t.Context(), "77")
				if Classify(err) != tt.want || ended(c) != tt.ends || asked != tt.asked {
					t.Errorf("%v, ended %v, asked %v", err, ended(c), asked)
				}
				if tt.ends {
					return
				}
				// Answers to presses go on, whatever the counted calls wait for.
				if err := c.DeleteOriginal(t.Context(), press()); err != nil {
					t.Errorf("an answer: %v", err)
				}
			})
		})
	}
}

// Behind a portal the bot asks seldom, says why it is silent, and goes on when the
// portal is gone.
func TestPortal(t *testing.T) {
	for name, body := range map[string]string{"page": portalPage, "silent": ""} {
		t.Run(name, func(t *testing.T) {
			var gone atomic.Bool
			served(t, func(w http.ResponseWriter, r *http.Request) {
				if !gone.Load() {
					reply(401, body)(w, r)
					return
				}
				_, _ = w.Write([]byte(`{"id":"77"}`))
			}, func(t *testing.T, f *fake, c *Client) {
				for range 50 * 60 { // fifty minutes, a call each second
					if _, err := c.GetChannel(t.Context(), "77"); err == nil {
						t.Fatal("taken")
					}
					pass(time.Second)
				}
				if n := len(f.sent()); n > 120 || ended(c) {
					t.Fatalf("%d requests in fifty minutes, ended %v", n, ended(c))
				}
				if why := c.Trouble(); !strings.Contains(why, "401") {
					t.Errorf("trouble %q", why)
				}
				gone.Store(true)
				pass(2 * time.Minute)
				if _, err := c.GetChannel(t.Context(), "77"); err != nil || c.Trouble() != "" {
					t.Errorf("without the portal: %v, trouble %q", err, c.Trouble())
				}
			})
		})
	}
}

// A server that says 401 to everything without a word, for an hour, means it. One
// that shows pages is no Discord, however long it does.
func TestSilentRefusal(t *testing.T) {
	for body, ends := range map[string]bool{"": true, portalPage: false} {
		served(t, reply(401, body), func(t *testing.T, f *fake, c *Client) {
			for range 70 {
				_, _ = c.GetChannel(t.Context(), "77")
				pass(time.Minute + time.Second)
			}
			if ended(c) != ends {
				t.Errorf("%q: ended %v", body, ended(c))
			}
		})
	}
}

// A portal before the gateway's address does not end Run; the token's refusal in
// Discord's words then does.
func TestPortalBeforeTheGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		var gone atomic.Bool
		f.bot = func(w http.ResponseWriter, r *http.Request) {
			if gone.Load() {
				reply(401, discord401)(w, r)
				return
			}
			reply(401, portalPage)(w, r)
		}
		f.rest = func(w http.ResponseWriter, r *http.Request) { f.bot(w, r) }
		c := f.client(nil)
		result := make(chan error, 1)
		go func() { result <- c.Run(t.Context(), func(Event) {}) }()
		pass(time.Hour)
		select {
		case err := <-result:
			t.Fatalf("Run = %v", err)
		default:
		}
		gone.Store(true)
		pass(5 * time.Minute)
		var fatal *FatalError
		if err := <-result; !errors.As(err, &fatal) || fatal.Text != textRefused {
			t.Errorf("Run = %v", err)
		}
		c.web.CloseIdleConnections()
		f.close()
	})
}
