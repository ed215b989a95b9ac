package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
)

// served runs body in virtual time against a REST server that answers with rest.
func served(t *testing.T, rest http.HandlerFunc, body func(t *testing.T, f *fake, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.rest = rest
		c := f.client(nil)
		body(t, f, c)
		c.web.CloseIdleConnections()
		f.close()
	})
}

func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// sequence answers with the first, then the second, and goes on with the last.
func sequence(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1)), len(handlers))-1](w, r)
	}
}

func words(s string) []discordgo.MessageComponent {
	return []discordgo.MessageComponent{discordgo.TextDisplay{Content: s}}
}

// every call there is, so that tests can say something about all of them.
var everyCall = map[string]func(context.Context, *Client) error{
	"create": func(ctx context.Context, c *Client) error {
		_, err := c.CreateMessage(ctx, "77", Message{Components: words("hello")})
		return err
	},
	"edit":      func(ctx context.Context, c *Client) error { return c.EditMessage(ctx, "77", "500", Message{}) },
	"delete":    func(ctx context.Context, c *Client) error { return c.DeleteMessage(ctx, "77", "500") },
	"dm":        func(ctx context.Context, c *Client) error { _, err := c.OpenDM(ctx, "5"); return err },
	"channel":   func(ctx context.Context, c *Client) error { _, err := c.GetChannel(ctx, "77"); return err },
	"guild":     func(ctx context.Context, c *Client) error { _, err := c.GetGuild(ctx, "1"); return err },
	"member":    func(ctx context.Context, c *Client) error { _, err := c.GetMember(ctx, "1", "5"); return err },
	"unarchive": func(ctx context.Context, c *Client) error { return c.Unarchive(ctx, "77") },
	"app":       func(ctx context.Context, c *Client) error { _, err := c.Application(ctx); return err },
	"commands":  func(ctx context.Context, c *Client) error { return c.PutCommands(ctx, "900", "", nil) },
	"respond": func(ctx context.Context, c *Client) error {
		_, err := c.Respond(ctx, press(), Response{Kind: Reply, Message: Message{Components: words("hi")}})
		return err
	},
	"original": func(ctx context.Context, c *Client) error {
		_, err := c.EditOriginal(ctx, press(), Message{Components: words("hi")})
		return err
	},
	"replace": func(ctx context.Context, c *Client) error {
		_, err := c.ReplaceMessage(ctx, "77", "500", Message{Files: []File{{Name: "a.png", Data: []byte("PNG")}}})
		return err
	},
	"emojis": func(ctx context.Context, c *Client) error {
		c.learn("900", "", "")
		_, err := c.ListEmojis(ctx)
		return err
	},
	"emoji": func(ctx context.Context, c *Client) error {
		c.learn("900", "", "")
		_, err := c.CreateEmoji(ctx, "p7r_1a2b3c4d", []byte("PNG"))
		return err
	},
	"no emoji": func(ctx context.Context, c *Client) error {
		c.learn("900", "", "")
		return c.DeleteEmoji(ctx, "12")
	},
	"where":  func(ctx context.Context, c *Client) error { _, err := c.Original(ctx, press()); return err },
	"remove": func(ctx context.Context, c *Client) error { return c.DeleteOriginal(ctx, press()) },
	"follow": func(ctx context.Context, c *Client) error {
		_, err := c.FollowUp(ctx, press(), Message{Components: words("hi")})
		return err
	},
}

func TestRequests(t *testing.T) {
	picture := File{Name: "board.png", ContentType: "image/png", Description: "the table", Data: []byte("PNG")}
	tests := []struct {
		name string
		call func(context.Context, *Client) error
		want string // method, path, body
	}{
		{"create", func(ctx context.Context, c *Client) error {
			_, err := c.CreateMessage(ctx, "77", Message{Components: words("hello"), AllowedUsers: []string{"5"}, Nonce: "n1"})
			return err
		}, `POST /api/v10/channels/77/messages {"components":[{"content":"hello","type":10}],"flags":32768,"allowed_mentions":{"parse":[],"users":["5"]},"nonce":"n1","enforce_nonce":true}`},
		{"edit drops old files", func(ctx context.Context, c *Client) error {
			return c.EditMessage(ctx, "77", "500", Message{Components: words("hello")})
		}, `PATCH /api/v10/channels/77/messages/500 {"components":[{"content":"hello","type":10}],"flags":32768,"allowed_mentions":{"parse":[]},"attachments":[]}`},
		{"edit with a picture", func(ctx context.Context, c *Client) error {
			return c.EditMessage(ctx, "77", "500", Message{Components: words("hello"), Files: []File{picture}})
		}, `PATCH /api/v10/channels/77/messages/500 {"components":[{"content":"hello","type":10}],"flags":32768,"allowed_mentions":{"parse":[]},"attachments":[{"id":"0","filename":"board.png","description":"the table"}]} + files[0] board.png image/png PNG`},
		{"delete", everyCall["delete"], `DELETE /api/v10/channels/77/messages/500 `},
		{"dm", everyCall["dm"], `POST /api/v10/users/@me/channels {"recipient_id":"5"}`},
		{"unarchive", everyCall["unarchive"], `PATCH /api/v10/channels/77 {"archived":false}`},
		{"reply", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: Reply, Message: Message{Components: words("hi"), Ephemeral: true}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback?with_response=true {"type":4,"data":{"components":[{"content":"hi","type":10}],"flags":32832,"allowed_mentions":{"parse":[]}}}`},
		{"update", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: Update, Message: Message{Components: words("hi"), Ephemeral: true}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback?with_response=true {"type":7,"data":{"components":[{"content":"hi","type":10}],"flags":32768,"allowed_mentions":{"parse":[]},"attachments":[]}}`},
		{"update with a picture", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: Update, Message: Message{Files: []File{picture}}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback?with_response=true {"type":7,"data":{"components":[],"flags":32768,"allowed_mentions":{"parse":[]},"attachments":[{"id":"0","filename":"board.png","description":"the table"}]}} + files[0] board.png image/png PNG`},
		{"defer privately", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: DeferReply, Message: Message{Ephemeral: true}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":5,"data":{"flags":64}}`},
		{"defer publicly", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: DeferReply})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":5}`},
		{"defer an update", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: DeferUpdate})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":6}`},
		{"no suggestions", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: Suggest})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":8,"data":{"choices":[]}}`},
		{"suggestions", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: Suggest, Choices: []Choice{{"7 red", "7r"}, {"two", 2}}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":8,"data":{"choices":[{"name":"7 red","value":"7r"},{"name":"two","value":2}]}}`},
		{"modal", func(ctx context.Context, c *Client) error {
			_, err := c.Respond(ctx, press(), Response{Kind: OpenModal, Modal: Modal{CustomID: "m", Title: "T", Components: words("x")}})
			return err
		}, `POST /api/v10/interactions/1000/PRESS-SECRET-TOKEN/callback {"type":9,"data":{"custom_id":"m","title":"T","components":[{"content":"x","type":10}]}}`},
		{"edit original", everyCall["original"], `PATCH /api/v10/webhooks/900/PRESS-SECRET-TOKEN/messages/@original {"components":[{"content":"hi","type":10}],"flags":32768,"allowed_mentions":{"parse":[]},"attachments":[]}`},
		{"follow up", func(ctx context.Context, c *Client) error {
			_, err := c.FollowUp(ctx, press(), Message{Components: words("hi"), Ephemeral: true})
			return err
		}, `POST /api/v10/webhooks/900/PRESS-SECRET-TOKEN?wait=true {"components":[{"content":"hi","type":10}],"flags":32832,"allowed_mentions":{"parse":[]}}`},
		{"commands", everyCall["commands"], `PUT /api/v10/applications/900/commands []`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			served(t, reply(200, `{"id":"42","channel_id":"77"}`), func(t *testing.T, f *fake, c *Client) {
				if err := tt.call(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				sent := f.sent()
				if len(sent) != 1 {
					t.Fatalf("%d requests", len(sent))
				}
				if diff := cmp.Diff(tt.want, sent[0].Method+" "+sent[0].Path+" "+contents(t, sent[0])); diff != "" {
					t.Error(diff)
				}
				if got := sent[0].Header.Get("Authorization"); got != "Bot "+testToken {
					t.Errorf("authorization %q", got)
				}
				if got := sent[0].Header.Get("User-Agent"); !strings.HasPrefix(got, "DiscordBot (") {
					t.Errorf("user agent %q", got)
				}
			})
		})
	}
}

// contents shows a request's body, multipart taken apart.
func contents(t *testing.T, r sentRequest) string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return string(r.Body)
	}
	var out []string
	parts := multipart.NewReader(strings.NewReader(string(r.Body)), params["boundary"])
	for {
		p, err := parts.NextPart()
		if err != nil {
			return strings.Join(out, " + ")
		}
		body, _ := io.ReadAll(p)
		if p.FormName() == "payload_json" {
			out = append(out, string(body))
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %s %s", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), body))
	}
}

func TestFileNamesAreHarmless(t *testing.T) { // R13
	served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
		err := c.EditMessage(t.Context(), "7", "5", Message{Files: []File{{Name: "a\r\nX-Evil: 1\"é/..", ContentType: "a\r\nb", Data: []byte{1}}, {Data: []byte{2}}}})
		if err != nil {
			t.Fatal(err)
		}
		body := contents(t, f.sent()[0])
		if !strings.Contains(body, "files[0] a__X-Evil__1___.. application/octet-stream") || strings.Contains(string(f.sent()[0].Body), "\r\nX-Evil") {
			t.Errorf("%s", body)
		}
	})
}

func TestMessageRefs(t *testing.T) {
	full := `{"interaction":{"id":"1","type":3},"resource":{"type":4,"message":{"id":"42","channel_id":"78","components":[{"type":99}]}}}`
	tests := []struct {
		name, body string
		status     int
		kind       ResponseKind
		want       MessageRef
	}{
		{"whole answer", full, 200, Reply, MessageRef{ID: "42", Channel: "78"}},
		{"id alone", `{"interaction":{"response_message_id":"43"}}`, 200, Reply, MessageRef{ID: "43", Channel: "77"}},
		{"no content", ``, 204, Reply, MessageRef{Channel: "77"}},
		{"no content for an update", ``, 204, Update, MessageRef{ID: "500", Channel: "77"}},
		{"odd body", `[1,2`, 200, Reply, MessageRef{Channel: "77"}},
		{"HTML", `<html>`, 200, Reply, MessageRef{Channel: "77"}},
		{"odd status", full, 202, Reply, MessageRef{ID: "42", Channel: "78"}},
		{"odd types", `{"interaction":7,"resource":{"message":{"id":42}}}`, 200, Reply, MessageRef{ID: "42", Channel: "77"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			served(t, reply(tt.status, tt.body), func(t *testing.T, f *fake, c *Client) {
				ref, err := c.Respond(t.Context(), press(), Response{Kind: tt.kind})
				if err != nil || !cmp.Equal(ref, tt.want) {
					t.Errorf("Respond = %+v, %v, want %+v", ref, err, tt.want)
				}
				if n := len(f.sent()); n != 1 { // R10
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// A message whose answer cannot be read was sent: only a nonce allows to ask again.
func TestUnreadableCreate(t *testing.T) { // R10
	for _, nonce := range []string{"", "n1"} {
		served(t, sequence(reply(200, `{"id":`), reply(200, `{"id":"42","channel_id":"77"}`)), func(t *testing.T, f *fake, c *Client) {
			ref, err := c.CreateMessage(t.Context(), "77", Message{Nonce: nonce})
			want, requests := MessageRef{Channel: "77"}, 1
			if nonce != "" {
				want, requests = MessageRef{ID: "42", Channel: "77"}, 2
			}
			if err != nil || !cmp.Equal(ref, want) || len(f.sent()) != requests {
				t.Errorf("nonce %q: %+v, %v, %d requests", nonce, ref, err, len(f.sent()))
			}
		})
	}
}

// What is repeated after an answer that does not say what happened.
func TestRepeats(t *testing.T) { // R8
	tests := []struct {
		name     string
		call     func(context.Context, *Client) error
		requests int
	}{
		{"create without nonce", everyCall["create"], 1},
		{"create with nonce", func(ctx context.Context, c *Client) error {
			_, err := c.CreateMessage(ctx, "77", Message{Nonce: "n1"})
			return err
		}, 3},
		{"edit", everyCall["edit"], 3},
		{"delete", everyCall["delete"], 3},
		{"get", everyCall["channel"], 3},
		{"open DM", everyCall["dm"], 3},
		{"follow up", everyCall["follow"], 1},
		{"edit original", everyCall["original"], 3},
		{"callback", everyCall["respond"], 2},
	}
	for _, tt := range tests {
		for _, status := range []int{500, 502, 503, 504} {
			t.Run(fmt.Sprint(tt.name, " ", status), func(t *testing.T) {
				served(t, reply(status, `upstream error`), func(t *testing.T, f *fake, c *Client) {
					err := tt.call(t.Context(), c)
					var e *Error
					if !errors.As(err, &e) || e.Status != status || Classify(err) != Temporary {
						t.Errorf("error %v", err)
					}
					if n := len(f.sent()); n != tt.requests {
						t.Errorf("%d requests, want %d", n, tt.requests)
					}
				})
			})
		}
	}
}

// A file is sent whole each time, and repeats keep a distance.
func TestRepeatSendsTheSame(t *testing.T) { // R12
	served(t, sequence(reply(502, ``), reply(200, `{}`)), func(t *testing.T, f *fake, c *Client) {
		err := c.EditMessage(t.Context(), "7", "5", Message{Files: []File{{Name: "a.png", Data: []byte("PNG")}}})
		if err != nil {
			t.Fatal(err)
		}
		sent := f.sent()
		if len(sent) != 2 || string(sent[0].Body) != string(sent[1].Body) || !strings.Contains(string(sent[1].Body), "PNG") {
			t.Errorf("%d requests, second %q", len(sent), sent[len(sent)-1].Body)
		}
		if gap := sent[1].At.Sub(sent[0].At); gap < 200*time.Millisecond {
			t.Errorf("repeated after %v", gap)
		}
	})
}

// A callback is tried once more inside its three seconds.
func TestCallbackSecondTry(t *testing.T) {
	acknowledged := reply(400, `{"code":40060,"message":"Interaction has already been acknowledged."}`)
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		name     string
		rest     http.HandlerFunc
		want     Class
		requests int
		within   time.Duration
	}{
		{"taken, answer lost", sequence(reply(502, ``), acknowledged), None, 2, time.Second},
		{"hanging, then taken", sequence(hang, acknowledged), None, 2, 3 * time.Second},
		{"hanging, then answered", sequence(hang, reply(204, ``)), None, 2, 3 * time.Second},
		{"hanging for ever", hang, Temporary, 2, 3 * time.Second},
		{"acknowledged before", acknowledged, AlreadyAcknowledged, 1, time.Second},
		{"too late", reply(404, `{"code":10062,"message":"Unknown interaction"}`), UnknownInteraction, 1, time.Second},
		{"odd status", reply(500, `{"code":"10062","message":"Unknown interaction"}`), UnknownInteraction, 1, time.Second},
		{"rate limited", sequence(reply(429, `{"retry_after":0.4,"message":"slow"}`), reply(204, ``)), None, 2, time.Second},
		{"rate limited too long", reply(429, `{"retry_after":30,"message":"slow"}`), RateLimited, 1, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			served(t, tt.rest, func(t *testing.T, f *fake, c *Client) {
				began := time.Now()
				_, err := c.Respond(t.Context(), press(), Response{Kind: Reply})
				if Classify(err) != tt.want {
					t.Errorf("error %v", err)
				}
				if took := time.Since(began); took > tt.within {
					t.Errorf("took %v", took)
				}
				if n := len(f.sent()); n != tt.requests {
					t.Errorf("%d requests, want %d", n, tt.requests)
				}
			})
		})
	}
}

func TestDeadTokenIsNotTried(t *testing.T) {
	served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
		i := press()
		i.Received = time.Now().Add(-TokenLife)
		_, err := c.EditOriginal(t.Context(), i, Message{})
		if Classify(err) != TokenExpired || len(f.sent()) != 0 {
			t.Errorf("%v after %d requests", err, len(f.sent()))
		}
		if _, err := c.Respond(t.Context(), &Interaction{ID: "1"}, Response{Kind: Reply}); Classify(err) != Invalid {
			t.Errorf("no token: %v", err)
		}
	})
}

func TestEveryCallHasADeadline(t *testing.T) { // R6
	for name, call := range everyCall {
		t.Run(name, func(t *testing.T) {
			served(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(t *testing.T, f *fake, c *Client) {
				began := time.Now()
				if err := call(context.Background(), c); Classify(err) != Temporary {
					t.Errorf("error %v", err)
				}
				if took := time.Since(began); took > 15*time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestCancelledCalls(t *testing.T) {
	served(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(t *testing.T, f *fake, c *Client) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		err := c.EditMessage(ctx, "7", "5", Message{})
		if Classify(err) != Cancelled || !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestNoNetwork(t *testing.T) {
	served(t, nil, func(t *testing.T, f *fake, _ *Client) {
		dials := 0
		c := f.client(func(cfg *Config) {
			cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
				dials++
				return nil, errors.New("no route for " + testToken)
			}
		})
		_, err := c.CreateMessage(t.Context(), "7", Message{})
		var e *Error
		if !errors.As(err, &e) || e.Sent || Classify(err) != Temporary || dials != 3 {
			t.Errorf("%v after %d dials", err, dials)
		}
		if strings.Contains(err.Error(), testToken) {
			t.Errorf("token in %q", err)
		}
	})
}

func TestLookups(t *testing.T) {
	answers := map[string]string{
		"/api/v10/channels/77":             `{"id":"77","type":11,"guild_id":"1","name":"a","parent_id":"70","thread_metadata":{"archived":true,"locked":true}}`,
		"/api/v10/channels/78":             `{"id":"78"}`,
		"/api/v10/guilds/1":                `{"id":"1","name":"G","owner_id":9,"preferred_locale":"de"}`,
		"/api/v10/guilds/1/members/5":      `{"nick":"N","roles":["3"],"user":{"id":"5","username":"u","global_name":null}}`,
		"/api/v10/oauth2/applications/@me": `{"id":"900","name":"Paladin"}`,
	}
	served(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}, func(t *testing.T, f *fake, c *Client) {
		ctx := t.Context()
		check := func(what string, got, want any, err error) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v %s", what, err, diff)
			}
		}
		ch, err := c.GetChannel(ctx, "77")
		check("thread", ch, Channel{"77", 11, "1", "a", "70", true, true}, err)
		ch, err = c.GetChannel(ctx, "78")
		check("channel", ch, Channel{ID: "78"}, err)
		g, err := c.GetGuild(ctx, "1")
		check("guild", g, Guild{"1", "G", "9", "de"}, err)
		m, err := c.GetMember(ctx, "1", "5")
		check("member", m, Member{User: User{ID: "5", Username: "u", Nick: "N"}, Roles: []string{"3"}}, err)
		a, err := c.Application(ctx)
		check("application", a, Application{"900", "Paladin"}, err)
		if _, err := c.OpenDM(ctx, "5"); err == nil {
			t.Error("OpenDM without an answer succeeded")
		}
	})
}

func TestNewRefusesBadConfigs(t *testing.T) {
	for _, cfg := range []Config{
		{}, {Token: "  "}, {Token: "a b"}, {Token: "a\nb"}, {Token: "é"},
		{Token: "t", APIURL: "discord.com"}, {Token: "t", APIURL: "ftp://x"}, {Token: "t", APIURL: "http://"},
		{Token: "t", APIURL: "http://x/?a=b"}, {Token: "t", APIURL: "http://%zz"},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("New(%+v) succeeded", cfg)
		} else if cfg.Token != "" && cfg.Token != "t" && strings.TrimSpace(cfg.Token) != "" && strings.Contains(err.Error(), cfg.Token) {
			t.Errorf("token in %q", err)
		}
	}
	c, err := New(Config{Token: "Bot abc\n"})
	if err != nil || c.cfg.Token != "abc" || c.base != "https://discord.com/api/v10" {
		t.Errorf("%v", err)
	}
}

// Edits by the tokens of different presses do not wait for each other, and
// neither do the first calls of a route that all channels share.
func TestNothingIsSerialised(t *testing.T) { // R2
	slow := func(w http.ResponseWriter, _ *http.Request) {
		<-time.After(100 * time.Millisecond) // virtual
		_, _ = io.WriteString(w, `{"id":"1"}`)
	}
	for _, name := range []string{"respond", "original", "follow", "dm"} {
		t.Run(name, func(t *testing.T) {
			served(t, slow, func(t *testing.T, f *fake, c *Client) {
				began := time.Now()
				var all sync.WaitGroup
				for range 20 {
					all.Go(func() {
						if err := everyCall[name](t.Context(), c); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if took := time.Since(began); took != 100*time.Millisecond {
					t.Errorf("20 at once took %v", took)
				}
			})
		})
	}
}

// A message is gone where a server says so without Discord's code; a proxy's page
// says nothing of the message, and is asked again.
func TestMessageWithoutACode(t *testing.T) {
	for body, want := range map[string]struct {
		class    Class
		requests int
	}{
		`{"message":"404: Not Found","code":0}`: {UnknownMessage, 1},
		`{"error":"not found"}`:                 {UnknownMessage, 1},
		`{"message":"x","code":10003}`:          {UnknownChannel, 1},
		`<html>nginx</html>`:                    {Temporary, 3},
		`404 page not found`:                    {Temporary, 3},
		``:                                      {Temporary, 3},
	} {
		for _, name := range []string{"edit", "delete", "replace"} {
			served(t, reply(404, body), func(t *testing.T, f *fake, c *Client) {
				if err := everyCall[name](t.Context(), c); Classify(err) != want.class || len(f.sent()) != want.requests {
					t.Errorf("%s: %q is %v after %d requests, want %v", name, body, err, len(f.sent()), want)
				}
			})
		}
		// Of a channel, a server or a member it is no word that they are gone.
		if strings.Contains(body, "10003") {
			continue
		}
		for _, name := range []string{"create", "channel", "guild", "member", "dm"} {
			served(t, reply(404, body), func(t *testing.T, f *fake, c *Client) {
				switch class := Classify(everyCall[name](t.Context(), c)); class {
				case Temporary, Other:
				default:
					t.Errorf("%s: %q is %v", name, body, class)
				}
			})
		}
	}
	served(t, sequence(reply(404, `<html>nginx</html>`), reply(200, `{"id":"500"}`)), func(t *testing.T, f *fake, c *Client) {
		if err := c.EditMessage(t.Context(), "77", "500", Message{}); err != nil {
			t.Errorf("after a proxy's page: %v", err)
		}
	})
}

// A page is no answer of Discord, whatever its status: what can be done once more
// is not taken for done.
func TestPageInPlaceOfAnAnswer(t *testing.T) {
	served(t, reply(200, `<html>log in</html>`), func(t *testing.T, f *fake, c *Client) {
		for _, name := range []string{"edit", "delete", "replace", "original", "channel", "dm"} {
			if err := everyCall[name](t.Context(), c); Classify(err) != Temporary {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.CreateMessage(t.Context(), "77", Message{Nonce: "n1"}); Classify(err) != Temporary {
			t.Errorf("create: %v", err)
		}
	})
}

// noIDs are no ids, though an answer may call them so.
var noIDs = []string{
	`"` + strings.Repeat("7", 5000) + `"`, `"18446744073709551616"`, `"000000000000000000042"`, `"0"`, `0`, `""`, `"-5"`, `"+5"`,
	`" 5"`, `"5 "`, `"../../guilds/1"`, `"4_2"`, `"0x2a"`, `"٤٢"`, `"a\u0000b"`, `true`, `4.5`, `1e3`, `null`, `{}`, `[42]`,
}

// What an answer calls an id is used only if it is one; the message was sent all
// the same.
func TestIDsInAnswers(t *testing.T) {
	for _, id := range noIDs {
		answer := fmt.Sprintf(`{"id":%s,"channel_id":%s,"guild_id":%s,"parent_id":%s,"owner_id":%s,"name":"n","attachments":[{"id":%s,"filename":"a.png"}],`+
			`"components":[{"type":12,"items":[{"media":{"attachment_id":%s,"url":"https://x/a.png"}}]}],"items":[{"id":%s,"name":"knight"}],`+
			`"user":{"id":%s},"roles":[%s],"resource":{"message":{"id":%s,"channel_id":%s}},"interaction":{"response_message_id":%s}}`,
			id, id, id, id, id, id, id, id, id, id, id, id, id)
		picture := Message{Files: []File{{Name: "a.png", Key: "k", Data: []byte("PNG")}}, Nonce: "n1"}
		served(t, reply(200, answer), func(t *testing.T, f *fake, c *Client) {
			ctx := t.Context()
			check := func(what string, got, want any, err error) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%s with %.30s: %v %s", what, id, err, diff)
				}
			}
			ref, err := c.CreateMessage(ctx, "77", picture)
			check("create", ref, MessageRef{Channel: "77"}, err)
			ref, err = c.ReplaceMessage(ctx, "77", "500", picture)
			check("edit", ref, MessageRef{ID: "500", Channel: "77"}, err)
			ref, err = c.Respond(ctx, press(), Response{Kind: Reply})
			check("answer", ref, MessageRef{Channel: "77"}, err)
			ref, err = c.Original(ctx, press())
			check("where", ref, MessageRef{Channel: "77"}, err)
			ref, err = c.FollowUp(ctx, press(), Message{})
			check("follow up", ref, MessageRef{Channel: "77"}, err)
			if ch, err := c.GetChannel(ctx, "77"); err == nil {
				t.Errorf("an answer that names the channel %.30s says that there is %+v", id, ch)
			}
			g, err := c.GetGuild(ctx, "1")
			check("guild", g, Guild{ID: "1", Name: "n"}, err)
			m, err := c.GetMember(ctx, "1", "5")
			check("member", m, Member{User: User{ID: "5"}}, err)
			if dm, err := c.OpenDM(ctx, "5"); dm != "" || Classify(err) != Other {
				t.Errorf("a direct message channel called %.30s: %q, %v", id, dm, err)
			}
			if app, err := c.Application(ctx); err == nil || c.identity().app != "" {
				t.Errorf("an application called %.30s: %+v", id, app)
			}
			c.learn("900", "", "")
			list, err := c.ListEmojis(ctx)
			check("emojis", list, []Emoji{}, err)
		})
	}
}
