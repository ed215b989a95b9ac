package discord

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEmojis(t *testing.T) {
	answers := map[string]string{
		"GET /api/v10/applications/@me": `{"id":"900","name":"Paladin"}`,
		"GET /api/v10/applications/900/emojis": `{"items":[{"id":"12","name":"p7r_1a2b3c4d","roles":[],"require_colons":true,"managed":false,"animated":false,"available":true},` +
			`{"id":13,"name":"knight","user":null},{"id":"14","name":null},{"name":"lost"},7]}`,
		"POST /api/v10/applications/900/emojis":      `{"id":"15","name":"p7r_1a2b3c4d"}`,
		"DELETE /api/v10/applications/900/emojis/12": ``,
	}
	served(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}, func(t *testing.T, f *fake, c *Client) {
		list, err := c.ListEmojis(t.Context())
		if diff := cmp.Diff([]Emoji{{"12", "p7r_1a2b3c4d"}, {"13", "knight"}}, list); diff != "" || err != nil {
			t.Errorf("list: %v %s", err, diff)
		}
		made, err := c.CreateEmoji(t.Context(), "p7r_1a2b3c4d", []byte("PNG"))
		if want := (Emoji{"15", "p7r_1a2b3c4d"}); made != want || err != nil {
			t.Errorf("create: %v, %v", made, err)
		}
		if err := c.DeleteEmoji(t.Context(), "12"); err != nil {
			t.Errorf("delete: %v", err)
		}
		if err := c.DeleteEmoji(t.Context(), "16"); err == nil {
			t.Error("deleted what is not there")
		}
		sent := f.sent()
		if want := `{"image":"data:image/png;base64,UE5H","name":"p7r_1a2b3c4d"}`; string(sent[2].Body) != want {
			t.Errorf("uploaded %s, want %s", sent[2].Body, want)
		}
		if len(sent) != 5 {
			t.Errorf("%d requests", len(sent))
		}
	})
}

func TestEmojisThatFail(t *testing.T) {
	known := func(c *Client) *Client { c.learn("900", "", ""); return c }
	for _, tt := range []struct {
		name string
		rest http.HandlerFunc
		want Class // of creating one
		gone Class // of deleting one
		list Class // of the list
		made int   // requests it took to create none
	}{
		{"forbidden", reply(403, `{"code":0,"message":"x"}`), Other, Other, Other, 1},
		{"no such route", reply(404, `{"code":0,"message":"404: Not Found"}`), Other, Other, Other, 1},
		{"no room", reply(400, `{"code":30008,"message":"Maximum number of emojis reached"}`), EmojiLimit, EmojiLimit, EmojiLimit, 1},
		{"taken", reply(400, `{"code":50035,"message":"x"}`), Invalid, Invalid, Invalid, 1},
		{"gone", reply(404, `{"code":10014,"message":"x"}`), UnknownEmoji, UnknownEmoji, UnknownEmoji, 1},
		{"an upload is not repeated when nobody knows what happened", reply(500, ``), Temporary, Temporary, Temporary, 1},
		{"limited", reply(429, `{"retry_after":3600}`), RateLimited, RateLimited, RateLimited, 1},
		{"limited for a moment", reply(429, `{"retry_after":0.1}`), RateLimited, RateLimited, RateLimited, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			served(t, tt.rest, func(t *testing.T, f *fake, c *Client) {
				if _, err := known(c).CreateEmoji(t.Context(), "p7r_1a2b3c4d", []byte("PNG")); Classify(err) != tt.want || len(f.sent()) != tt.made {
					t.Errorf("create: %v after %d requests", err, len(f.sent()))
				}
			})
			served(t, tt.rest, func(t *testing.T, f *fake, c *Client) {
				if err := known(c).DeleteEmoji(t.Context(), "12"); Classify(err) != tt.gone {
					t.Errorf("delete: %v", err)
				}
				if _, err := c.ListEmojis(t.Context()); Classify(err) != tt.list {
					t.Errorf("list: %v", err)
				}
			})
		})
	}
	for _, odd := range []string{``, `[]`, `{}`, `{"items":null}`, `<html>`} {
		served(t, reply(200, odd), func(t *testing.T, f *fake, c *Client) {
			if list, err := known(c).ListEmojis(t.Context()); err == nil {
				t.Errorf("%q is read as %v", odd, list)
			}
			if made, err := c.CreateEmoji(t.Context(), "p7r_1a2b3c4d", []byte("PNG")); err == nil {
				t.Errorf("%q is read as %v", odd, made)
			}
		})
	}
	served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
		for _, name := range []string{"", "a", "a-b", "a b", "é7", strings.Repeat("a", MaxEmojiName+1)} {
			if _, err := known(c).CreateEmoji(t.Context(), name, []byte("PNG")); Classify(err) != Invalid {
				t.Errorf("%q: %v", name, err)
			}
		}
		for _, size := range []int{0, MaxEmojiSize + 1} {
			if _, err := c.CreateEmoji(t.Context(), "ab", make([]byte, size)); Classify(err) != Invalid {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		if n := len(f.sent()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
	served(t, reply(404, ``), func(t *testing.T, f *fake, c *Client) {
		var e *Error
		if _, err := c.ListEmojis(t.Context()); !errors.As(err, &e) || slices.ContainsFunc(f.sent(), func(r sentRequest) bool { return strings.Contains(r.Path, "emojis") }) {
			t.Errorf("of an application that is not known: %v", err)
		}
	})
}
