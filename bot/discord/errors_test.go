package discord

import (
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// Every code the bot acts on, with odd statuses too: the code alone decides.
func TestClassOfEveryCode(t *testing.T) {
	classes := map[Class][]int{
		OldEdit:             {30046},
		SlowDown:            {20028, 20029, 20016},
		RateLimited:         {40062},
		Temporary:           {130000},
		Unauthorized:        {40001, 50014},
		UnknownInteraction:  {10062},
		AlreadyAcknowledged: {40060},
		TokenExpired:        {50027, 10015},
		TooManyFollowUps:    {40094},
		CannotDM:            {50007, 50278},
		DMTooFast:           {40003},
		Blocked:             {20009, 200000, 240000},
		MissingAccess:       {50001},
		MissingPermission:   {50013},
		UnknownChannel:      {10003},
		UnknownGuild:        {10004},
		UnknownMessage:      {10008},
		NotOurs:             {50005, 50021},
		ThreadArchived:      {50083},
		ThreadLocked:        {160005},
		WrongChannelType:    {50008, 50024, 40058},
		UnknownMember:       {10013, 10007},
		UnknownEmoji:        {10014, 50151},
		EmojiLimit:          {30008, 30018},
		TooLarge:            {40005, 50045, 50046, 400001},
		Invalid:             {50035, 50006, 50109},
		CommandLimit:        {30032, 30034},
		Disabled:            {40004, 40006},
		UnknownCommand:      {10063},
		Cloudflare:          {40333},
	}
	n := 0
	for want, codes := range classes {
		for _, code := range codes {
			n++
			for _, status := range []int{200, 400, 401, 403, 404, 418, 429, 500} {
				body := fmt.Sprintf(`{"code":%d,"message":"no"}`, code)
				e := judge(&request{op: "test"}, &result{status: status, header: http.Header{}, body: []byte(body)})
				if e == nil || Classify(e) != want {
					t.Errorf("code %d with status %d: %v (%v), want %v", code, status, Classify(e), e, want)
				}
			}
		}
	}
	if n != 50 {
		t.Errorf("%d codes in the table", n)
	}
}

func TestClassWithoutCode(t *testing.T) {
	html := `<!DOCTYPE html><html>error code: 1015</html>`
	long := `{"components":[{"type":17,"components":[{"type":10,"content":"` + strings.Repeat("漢", 3400) + `"}]}]}`
	tests := []struct {
		status  int
		header  string // of the answer, "name: value"
		body    string
		token   bool
		request string
		want    Class
	}{
		{200, "", ``, false, "", None},
		{204, "", ``, false, "", None},
		{201, "", `[]`, false, "", None},
		{200, "", `{"code":0,"message":"fine"}`, false, "", None},
		{200, "", `{"code":"SUMMER","message":"x"}`, false, "", None},
		{429, "", `{"message":"You are being rate limited.","retry_after":1.5,"global":false}`, false, "", RateLimited},
		{429, "", html, false, "", Cloudflare},
		{429, "Retry-After: 3", html, false, "", Cloudflare},
		{429, "", `error code: 1015`, false, "", Cloudflare},
		{429, "Retry-After: 3", ``, false, "", RateLimited},
		{429, "", ``, false, "", Cloudflare},
		{403, "", html, false, "", Other},
		{403, "", html, true, "", Other},
		{403, "", `error code: 1020`, false, "", Other},
		{403, "", `forbidden`, false, "", Other},
		{400, "", `{"message":"slow","retry_after":2}`, false, "", RateLimited},
		{401, "", `{"message":"401: Unauthorized","code":0}`, false, "", Unauthorized},
		{401, "", `{"message":"Invalid Webhook Token","code":50027}`, true, "", TokenExpired},
		{401, "", ``, true, "", TokenExpired},
		{401, "", `{"message":"nobody"}`, true, "", TokenExpired},
		{401, "", html, true, "", Temporary},
		{401, "", html, false, "", Temporary},
		{401, "", ``, false, "", Temporary},
		{401, "", `Unauthorized`, false, "", Temporary},
		{401, "", `{"message":"Unauthorized"}`, false, "", Temporary},
		{401, "", `{"error":"log in","code":0}`, false, "", Temporary},
		{401, "", `{"message":"who?","code":50013}`, false, "", MissingPermission},
		{404, "", ``, true, "", TokenExpired},
		{404, "", `{"message":"404: Not Found","code":0}`, true, "", TokenExpired},
		{404, "", html, true, "", Temporary},
		{404, "", `404 page not found`, true, "", Temporary},
		{404, "", html, false, "", Temporary},
		{404, "", ``, false, "", Temporary},
		{404, "", `404 page not found`, false, "", Temporary},
		{400, "", html, false, "", Other},
		{400, "", html, true, "", Invalid},
		{400, "", ``, false, "", Invalid},
		{405, "", html, false, "", Other},
		{413, "", html, false, "", TooLarge},
		{302, "Location: http://login.test/", ``, false, "", Temporary},
		{302, "", html, false, "", Temporary},
		{200, "", html, false, "", None},
		{511, "", html, false, "", Temporary},
		{404, "", `{"message":"404: Not Found","code":0}`, false, "", Other},
		{405, "", `{"message":"405: Method Not Allowed","code":0}`, false, "", Other},
		{413, "", `too large`, false, "", TooLarge},
		{400, "", `{"message":"Bad Request"}`, false, "", Invalid},
		{400, "", `[{"code":10008}]`, false, "", Invalid},
		{500, "", ``, false, "", Temporary},
		{500, "", `{"message":"500: Internal Server Error","code":0}`, false, long, TooLong},
		{500, "", ``, false, `{"components":[{"type":10,"content":"short"}]}`, Temporary},
		{503, "", html, false, long, Temporary},
		{520, "", html, false, "", Temporary},
		{408, "", ``, false, "", Temporary},
		{302, "", ``, false, "", Other},
	}
	for _, tt := range tests {
		h := http.Header{}
		if name, value, ok := strings.Cut(tt.header, ": "); ok {
			h.Set(name, value)
		}
		e := judge(&request{op: "test", token: tt.token, body: []byte(tt.request)}, &result{status: tt.status, header: h, body: []byte(tt.body)})
		got := None
		if e != nil {
			got = Classify(e)
		}
		if got != tt.want {
			t.Errorf("status %d, body %.40s: %v, want %v", tt.status, tt.body, got, tt.want)
		}
	}
}

func TestErrorDetails(t *testing.T) {
	body := `{"code":50035,"message":"Invalid Form Body","errors":{"data":{"components":{"0":{"label":{"_errors":[{"code":"BASE_TYPE_BAD_LENGTH","message":"Must be 80 or fewer."}]}}}},"flags":{"_errors":[{"code":"X"},7]}}}`
	e := judge(&request{op: "edit message", secret: "Must"}, &result{status: 400, header: http.Header{}, body: []byte(body)})
	want := "discord: edit message: HTTP 400: code 50035: Invalid Form Body; data.components.0.label: BASE_TYPE_BAD_LENGTH *** be 80 or fewer.; flags: X"
	if e.Error() != want {
		t.Errorf("%q\nwant %q", e.Error(), want)
	}
	h := http.Header{"X-Ratelimit-Scope": {"shared"}, "X-Ratelimit-Reset-After": {"2.5"}}
	e = judge(&request{op: "x"}, &result{status: 429, header: h, body: []byte(`{"message":"slow","global":true}`)})
	if e.RetryAfter != 2500*time.Millisecond || e.Scope != "shared" || !e.Global || RetryAfter(e) != e.RetryAfter {
		t.Errorf("%+v", e)
	}
	for _, odd := range []string{`"NaN"`, `-1`, `"soon"`, `null`, `{}`} {
		e = judge(&request{op: "x"}, &result{status: 429, header: http.Header{}, body: []byte(`{"retry_after":` + odd + `}`)})
		if e.RetryAfter != time.Second {
			t.Errorf("retry_after %s: %v", odd, e.RetryAfter)
		}
	}
	e = judge(&request{op: "x"}, &result{status: 429, header: http.Header{}, body: []byte(`{"retry_after":1e300}`)})
	if e.RetryAfter != 24*time.Hour {
		t.Errorf("retry_after without end: %v", e.RetryAfter)
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aé", 2, "a…"}, {"é", 1, "…"}, {"\x80\x80", 1, "…"}} {
		if got := shorten(tt.s, tt.n); got != tt.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func TestClassNames(t *testing.T) {
	seen := map[string]bool{}
	for c := None; c <= Other; c++ {
		name := c.String()
		if seen[name] || strings.HasPrefix(name, "class") {
			t.Errorf("class %d is called %q", int(c), name)
		}
		seen[name] = true
	}
	if len(classNames) != int(Other)+1 {
		t.Errorf("%d names", len(classNames))
	}
	if Classify(errors.New("x")) != Other || Classify(nil) != None {
		t.Error("foreign errors")
	}
}

// No secret in any error, log line or metric, whatever goes wrong.
func TestRedaction(t *testing.T) { // R11
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"code":50035,"message":"bad %s %s","errors":{"a":{"_errors":[{"message":"%s %s"}]}}}`,
				r.URL, r.Header.Get("Authorization"), r.URL, r.Header.Get("Authorization"))
		}
	}
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	drop := func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }
	failures := map[string]http.HandlerFunc{
		"400 that echoes": echo(400), "401 that echoes": echo(401), "429 that echoes": echo(429), "500 that echoes": echo(500),
		"HTML":        reply(429, `<html>1015</html>`),
		"rate limit":  reply(429, `{"retry_after":60,"message":"slow"}`),
		"bad gateway": reply(502, `bad`), "redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test"+r.URL.Path, http.StatusFound)
		},
		"hang": hang, "drop": drop,
	}
	for name, rest := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.rest = rest
				var log capture
				c := f.client(func(cfg *Config) {
					cfg.Log = log.logger()
					cfg.Observe = func(call Call) { fmt.Fprintf(&log, "%+v\n", call) }
				})
				// Even what discordgo would print on its own holds no secret.
				stdlog.SetOutput(&log)
				defer stdlog.SetOutput(os.Stderr)
				c.rest.Debug = true
				c.rest.LogLevel = 99
				for which, call := range everyCall {
					err := call(t.Context(), c)
					if err == nil {
						t.Errorf("%s succeeded", which)
						continue
					}
					fmt.Fprintf(&log, "%v %+v %#v\n", err, err, err)
					for e := err; e != nil; e = errors.Unwrap(e) {
						fmt.Fprintf(&log, "%v\n", e)
					}
				}
				if !strings.Contains(log.String(), "API REQUEST") {
					t.Error("discordgo's own output was not captured")
				}
				for _, secret := range []string{testToken, testPress} {
					if at := strings.Index(log.String(), secret); at >= 0 {
						t.Errorf("%s in %q", secret, log.String()[max(0, at-200):min(len(log.String()), at+60)])
					}
				}
				c.web.CloseIdleConnections()
				f.close()
			})
		})
	}
}

// discordgo formats addresses and packets into its log lines; none of it passes.
func TestDiscordgoLogger(t *testing.T) {
	var log capture
	old := slog.Default()
	defer slog.SetDefault(old)
	slog.SetDefault(log.logger())
	closed := &websocket.CloseError{Code: 4004, Text: testToken}
	logDiscordgo(discordgo.LogError, 2, "%s Failed (%s), %v %#v", "https://x/"+testPress, testToken, closed, fmt.Errorf("token %s", testToken))
	got := log.String()
	if strings.Contains(got, testToken) || strings.Contains(got, testPress) {
		t.Errorf("secret in %q", got)
	}
	if !strings.Contains(got, "4004") || !strings.Contains(got, "Failed") {
		t.Errorf("the reason is missing in %q", got)
	}
}

// A form error at an emoji is an unknown emoji, wherever it stands; at anything else it is none.
func TestUnknownEmojiInAForm(t *testing.T) {
	fields := func(f string) *Error {
		return &Error{Status: 400, Code: CodeInvalidForm, Fields: []string{"flags: X no", f}}
	}
	for field, want := range map[string]Class{
		"data.components.3.components.0.emoji.id: BUTTON_COMPONENT_INVALID_EMOJI Invalid emoji": UnknownEmoji,
		"components.0.components.0.options.2.emoji.id: COMPONENT_INVALID_EMOJI Invalid emoji":   UnknownEmoji,
		"components.0.emoji.name: BASE_TYPE_BAD_LENGTH Must be between 1 and 32":                UnknownEmoji,
		"components.0.emoji: COMPONENT_INVALID_EMOJI Invalid emoji":                             UnknownEmoji,
		"components.0.components.0: COMPONENT_INVALID_EMOJI Invalid emoji":                      UnknownEmoji,
		"components.0.label: BASE_TYPE_BAD_LENGTH no emoji: emoji.id":                           Invalid,
		"name: APPLICATION_EMOJI_NAME_ALREADY_TAKEN taken":                                      Invalid,
	} {
		if got := fields(field).class(); got != want {
			t.Errorf("%s: %v, want %v", field, got, want)
		}
	}
	withFiles := fields("components.0.emoji.id: BUTTON_COMPONENT_INVALID_EMOJI Invalid emoji")
	withFiles.files = true
	if got := withFiles.class(); got != UnknownEmoji {
		t.Errorf("with files: %v", got)
	}
}
