package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/sandbox"
)

// emojiServer is Discord as far as its emojis go, with faults: fault is asked before every call, and its answer is given after the
// call took effect if it says so.
type emojiServer struct {
	mu      sync.Mutex
	items   []discord.Emoji
	next    int
	room    int
	doubles bool // names need not differ
	fault   func(do, name string) (err error, after bool)
	calls   []string
	at      []time.Time
}

func (s *emojiServer) call(do, name string, effect func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.at = append(s.calls, strings.TrimSpace(do+" "+name)), append(s.at, time.Now())
	var err error
	after := false
	if s.fault != nil {
		err, after = s.fault(do, name)
	}
	if err != nil && !after {
		return err
	}
	if failed := effect(); failed != nil {
		return failed
	}
	return err
}

func (s *emojiServer) ListEmojis(context.Context) (list []discord.Emoji, err error) {
	err = s.call("list", "", func() error { list = slices.Clone(s.items); return nil })
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (s *emojiServer) CreateEmoji(_ context.Context, name string, _ []byte) (made discord.Emoji, err error) {
	err = s.call("create", name, func() error {
		taken := slices.ContainsFunc(s.items, func(e discord.Emoji) bool { return e.Name == name })
		switch {
		case taken && !s.doubles:
			return &discord.Error{Status: 400, Code: discord.CodeInvalidForm, Message: "the name is taken"}
		case s.room > 0 && len(s.items) >= s.room:
			return &discord.Error{Status: 400, Code: discord.CodeEmojiCount}
		}
		s.next++
		made = discord.Emoji{ID: strconv.Itoa(100 + s.next), Name: name}
		s.items = append(s.items, made)
		return nil
	})
	return made, err
}

func (s *emojiServer) DeleteEmoji(_ context.Context, id string) error {
	name := id
	s.mu.Lock()
	for _, e := range s.items {
		if e.ID == id {
			name = e.Name
		}
	}
	s.mu.Unlock()
	return s.call("delete", name, func() error {
		n := len(s.items)
		s.items = slices.DeleteFunc(s.items, func(e discord.Emoji) bool { return e.ID == id })
		if len(s.items) == n {
			return &discord.Error{Status: 404, Code: discord.CodeUnknownEmoji}
		}
		return nil
	})
}

func (s *emojiServer) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, e := range s.items {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names
}

func (s *emojiServer) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func wantedEmojis(names ...string) []bot.Emoji {
	var list []bot.Emoji
	for _, name := range names {
		key, _, _ := strings.Cut(strings.TrimPrefix(name, "p"), "_")
		list = append(list, bot.Emoji{Key: key, Name: name, PNG: []byte("picture of " + name)})
	}
	return list
}

// keeping runs Emojis in virtual time; stop ends them.
func keeping(s *emojiServer, wanted []bot.Emoji) (e *bot.Emojis, stop func()) {
	e = bot.NewEmojis(s, nil, nil, wanted)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	return e, func() { cancel(); <-done }
}

// pass lets virtual time go by in a bubble, then waits until all is quiet.
func passTime(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func keysOf(e *bot.Emojis) []string { return slices.Sorted(maps.Keys(e.Load())) }

var twoEmojis = []string{"p7r_1a2b3c4d", "pdragon_00ff00ff"}

// TestEmojisAreBroughtUpToDate: what is done to what Discord has, call by call.
func TestEmojisAreBroughtUpToDate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		has   []string
		calls []string
		names []string
	}{
		{"none", nil, []string{"list", "create p7r_1a2b3c4d", "create pdragon_00ff00ff"}, twoEmojis},
		{"all there", twoEmojis, []string{"list"}, twoEmojis},
		{"one lacks", twoEmojis[:1], []string{"list", "create pdragon_00ff00ff"}, twoEmojis},
		{
			"an older picture goes after the new one came", []string{"p7r_ffffffff", "pdragon_00ff00ff"},
			[]string{"list", "create p7r_1a2b3c4d", "delete p7r_ffffffff"}, twoEmojis,
		},
		{
			"what a restart left half done", []string{"p7r_ffffffff", "p7r_1a2b3c4d", "pdragon_00ff00ff", "pdragon_12345678"},
			[]string{"list", "delete p7r_ffffffff", "delete pdragon_12345678"}, twoEmojis,
		},
		{
			"others' emojis stay", []string{"p7r", "p7r_", "p7r_old", "p7r_FFFFFFFF", "p7r_123456789", "p7r_12345", "xp7r_ffffffff", "p8r_ffffffff", "p7r_1a2b3c4d", "pdragon_00ff00ff"},
			[]string{"list"},
			[]string{"p7r", "p7r_", "p7r_12345", "p7r_123456789", "p7r_1a2b3c4d", "p7r_FFFFFFFF", "p7r_old", "p8r_ffffffff", "pdragon_00ff00ff", "xp7r_ffffffff"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &emojiServer{}
				for i, name := range tt.has {
					s.items = append(s.items, discord.Emoji{ID: strconv.Itoa(i + 1), Name: name})
				}
				e, stop := keeping(s, wantedEmojis(twoEmojis...))
				passTime(48 * time.Hour)
				stop()
				if diff := cmp.Diff(tt.calls, s.said()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.names, s.names()); diff != "" {
					t.Errorf("emojis (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{"7r", "dragon"}, keysOf(e)); diff != "" {
					t.Errorf("usable (-want +got):\n%s", diff)
				}
				for _, have := range e.Load() {
					if !slices.Contains(s.items, have) {
						t.Errorf("%v is told of and not there", have)
					}
				}
			})
		})
	}
}

// TestEmojisAreUsableOneByOne: each can be used as soon as it is there, and none is uploaded in haste.
func TestEmojisAreUsableOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &emojiServer{}
		var wanted []string
		for i := range 10 {
			wanted = append(wanted, fmt.Sprintf("pk%d_0000000%d", i, i))
		}
		e, stop := keeping(s, wantedEmojis(wanted...))
		defer stop()
		synctest.Wait()
		if e.Load() == nil || len(e.Load()) != 0 {
			t.Errorf("after the list: %v", e.Load())
		}
		for n := 1; n <= 10; n++ {
			before := e.Load()
			size := len(before)
			passTime(time.Second)
			if len(e.Load()) != n || len(before) != size {
				t.Errorf("after %d uploads %d are usable, and what was read before has %d of %d", n, len(e.Load()), len(before), size)
			}
		}
	})
}

// TestEmojisGoOnWithoutDiscord: whatever Discord answers, nothing panics, nothing is hammered, and it is tried again.
func TestEmojisGoOnWithoutDiscord(t *testing.T) {
	refusal := func(status, code int) error { return &discord.Error{Op: "x", Status: status, Code: code, Sent: true} }
	for _, tt := range []struct {
		name        string
		fails       string // the calls that fail
		err         error
		least, most int      // calls in two days
		usable      []string // of the one that is there and the one that is not
	}{
		{"no such route", "list", refusal(404, 0), 8, 20, nil},
		{"not allowed", "list", refusal(403, 0), 8, 20, nil},
		{"unreadable", "list", errors.New("odd"), 8, 20, nil},
		{"broken", "list", refusal(500, 0), 40, 70, nil},
		{"limited for long", "list", &discord.Error{Status: 429, RetryAfter: 12 * time.Hour}, 4, 5, nil},
		{"uploads not allowed", "create", refusal(403, 0), 8, 60, []string{"7r"}},
		{"uploads unknown", "create", refusal(405, 0), 8, 60, []string{"7r"}},
		{"no room", "create", refusal(400, discord.CodeEmojiCount), 8, 20, []string{"7r"}},
		{"a picture refused", "create", refusal(400, 0), 8, 60, []string{"7r"}},
		{"uploads broken", "create", refusal(500, 0), 40, 140, []string{"7r"}},
		{"uploads limited", "create", &discord.Error{Status: 429, RetryAfter: time.Hour}, 40, 60, []string{"7r"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &emojiServer{items: []discord.Emoji{{ID: "1", Name: "p7r_1a2b3c4d"}, {ID: "2", Name: "pdragon_11111111"}}}
				failing := true
				s.fault = func(do, _ string) (error, bool) {
					if failing && do == tt.fails {
						return tt.err, false
					}
					return nil, false
				}
				e, stop := keeping(s, wantedEmojis(twoEmojis...))
				defer stop()
				passTime(48 * time.Hour)
				if n := len(s.said()); n < tt.least || n > tt.most {
					t.Errorf("%d calls in two days, want %d to %d:\n%s", n, tt.least, tt.most, strings.Join(s.said(), "\n"))
				}
				if diff := cmp.Diff(tt.usable, keysOf(e)); diff != "" {
					t.Errorf("usable (-want +got):\n%s", diff)
				}
				if gone := !slices.Contains(s.names(), "pdragon_11111111"); gone != slices.Contains(s.names(), "pdragon_00ff00ff") {
					t.Errorf("the older picture is gone: %v, and there are %v", gone, s.names())
				}
				s.mu.Lock()
				failing = false
				s.mu.Unlock()
				passTime(13 * time.Hour)
				if diff := cmp.Diff([]string{"7r", "dragon"}, keysOf(e)); diff != "" {
					t.Errorf("usable when it works again (-want +got):\n%s", diff)
				}
				if !slices.Equal(s.names(), twoEmojis) {
					t.Errorf("when it works again: %v", s.names())
				}
			})
		})
	}
}

// TestEmojisThatCannotBeDeleted: an older picture that Discord keeps is left alone after one refusal, and tried again after trouble.
func TestEmojisThatCannotBeDeleted(t *testing.T) {
	for _, tt := range []struct {
		err         error
		least, most int
	}{
		{&discord.Error{Status: 403}, 3, 3},
		{&discord.Error{Status: 404, Code: discord.CodeUnknownEmoji}, 3, 3},
		{&discord.Error{Status: 500}, 40, 70},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &emojiServer{items: []discord.Emoji{{ID: "1", Name: "p7r_11111111"}}}
			s.fault = func(do, _ string) (error, bool) {
				if do == "delete" {
					return tt.err, false
				}
				return nil, false
			}
			e, stop := keeping(s, wantedEmojis("p7r_1a2b3c4d"))
			defer stop()
			passTime(48 * time.Hour)
			if n := len(s.said()); n < tt.least || n > tt.most || len(e.Load()) != 1 {
				t.Errorf("%v: %d calls, usable %v", tt.err, n, e.Load())
			}
		})
	}
}

// TestEmojisOfLostAnswers: what arrived although nobody said so, and what another process uploaded in between, is found in the list.
func TestEmojisOfLostAnswers(t *testing.T) {
	for name, lost := range map[string]func(s *emojiServer) (error, bool){
		"an answer that was lost": func(*emojiServer) (error, bool) { return &discord.Error{Status: 502}, true },
		"another process": func(s *emojiServer) (error, bool) {
			s.items = append(s.items, discord.Emoji{ID: "77", Name: "p7r_1a2b3c4d"})
			return nil, false
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &emojiServer{}
				s.fault = func(do, name string) (error, bool) {
					if do == "create" && name == "p7r_1a2b3c4d" {
						return lost(s)
					}
					return nil, false
				}
				e, stop := keeping(s, wantedEmojis(twoEmojis...))
				defer stop()
				passTime(time.Minute)
				want := []string{"list", "create p7r_1a2b3c4d", "list", "create pdragon_00ff00ff"}
				if diff := cmp.Diff(want, s.said()); diff != "" || len(e.Load()) != 2 {
					t.Errorf("usable %v, calls (-want +got):\n%s", e.Load(), diff)
				}
			})
		})
	}
}

// TestEmojisThatAreRefused: a few bad pictures do not keep the others out, and a server that refuses them all is not asked for each.
func TestEmojisThatAreRefused(t *testing.T) {
	var wanted []string
	for i := range 20 {
		wanted = append(wanted, fmt.Sprintf("pk%d_000000%02d", i, i))
	}
	for _, tt := range []struct {
		name         string
		bad          func(n int) bool
		usable, most int // most calls in two days
	}{
		{"every other of the first", func(n int) bool { return n < 8 && n%2 == 0 }, 16, 220},
		{"all", func(int) bool { return true }, 0, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &emojiServer{}
				s.fault = func(do, name string) (error, bool) {
					if do == "create" && tt.bad(slices.Index(wanted, name)) {
						return &discord.Error{Status: 400}, false
					}
					return nil, false
				}
				e, stop := keeping(s, wantedEmojis(wanted...))
				defer stop()
				passTime(5 * time.Hour)
				if len(e.Load()) != tt.usable {
					t.Errorf("%d usable, want %d", len(e.Load()), tt.usable)
				}
				passTime(43 * time.Hour)
				if n := len(s.said()); n > tt.most {
					t.Errorf("%d calls", n)
				}
			})
		})
	}
}

// TestEmojisInDoubt: what Discord does not know is not told of until the list was read again, and the list is not read in a loop.
func TestEmojisInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &emojiServer{}
		e, stop := keeping(s, wantedEmojis(twoEmojis...))
		defer stop()
		passTime(time.Minute)
		s.mu.Lock()
		s.items = s.items[1:] // somebody deletes one by hand
		s.mu.Unlock()
		for range 50 {
			e.Doubt()
			synctest.Wait()
		}
		if len(e.Load()) != 0 {
			t.Errorf("in doubt: %v", e.Load())
		}
		passTime(2 * time.Minute)
		if len(e.Load()) != 2 || len(s.said()) != 3+2 {
			t.Errorf("after the doubt %v by %v", e.Load(), s.said())
		}
		began := len(s.said())
		for range 24 * 60 { // a server that denies what it lists
			e.Doubt()
			passTime(time.Minute)
		}
		if n := len(s.said()) - began; n < 10 || n > 40 {
			t.Errorf("doubted for a day: %d calls", n)
		}
	})
}

// TestEmojisThatCannotBeOffered are left out, and the others are not.
func TestEmojisThatCannotBeOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &emojiServer{}
		wanted := wantedEmojis("p7r_1a2b3c4d", "p7r_11111111", "pno_hash", "p_a-b_12345678", "p"+strings.Repeat("x", 30)+"_12345678", "_12345678")
		wanted = append(wanted, bot.Emoji{Key: "7r", Name: "pother_12345678", PNG: []byte("x")}, bot.Emoji{Key: "empty", Name: "pempty_12345678"},
			bot.Emoji{Key: "the same", Name: "p7r_87654321", PNG: []byte("x")},
			bot.Emoji{Key: "big", Name: "pbig_12345678", PNG: make([]byte, discord.MaxEmojiSize+1)})
		e, stop := keeping(s, wanted)
		defer stop()
		passTime(time.Hour)
		if want := []string{"p7r_1a2b3c4d"}; !slices.Equal(s.names(), want) || !slices.Equal(keysOf(e), []string{"7r"}) {
			t.Errorf("%v, usable %v", s.names(), keysOf(e))
		}
		idle, end := keeping(s, nil)
		passTime(time.Hour)
		end()
		if len(idle.Load()) != 0 || len(s.said()) != 2 {
			t.Errorf("without pictures: %v", s.said())
		}
	})
}

// TestEmojisWhateverHappens: two processes at once, of the same or of different releases, restarts at any time, answers that are lost:
// nobody's emoji is deleted but an older picture whose successor is there, nothing is uploaded that is there already, and in the end
// everything is there once.
func TestEmojisWhateverHappens(t *testing.T) {
	foreign := []string{"knight", "p7r_old", "p9b_ffffffff", "q7r_12345678"}
	failures := []error{
		&discord.Error{Status: 500}, &discord.Error{Status: 403}, &discord.Error{Status: 429, RetryAfter: 90 * time.Second},
		&discord.Error{Err: context.DeadlineExceeded, Sent: true}, &discord.Error{Status: 400, Code: discord.CodeEmojiCount},
	}
	rapid.Check(t, func(r *rapid.T) {
		s := &emojiServer{}
		for i, name := range append(slices.Clone(foreign), rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"p7r_1a2b3c4d", "p7r_ffffffff", "p7r_eeeeeeee", "pdragon_00ff00ff", "pdragon_11111111",
		}), 0, 5, rapid.ID[string]).Draw(r, "ours")...) {
			s.items = append(s.items, discord.Emoji{ID: strconv.Itoa(i + 1), Name: name})
		}
		faults := rapid.SliceOfN(rapid.IntRange(0, 2*len(failures)+8), 0, 60).Draw(r, "faults")
		restarts := rapid.SliceOfN(rapid.IntRange(0, 600), 1, 6).Draw(r, "seconds between restarts")
		var wrong []string
		check := func(do, name string) { // s.mu is held, and the call has not taken effect
			has := func(name string) bool {
				return slices.ContainsFunc(s.items, func(e discord.Emoji) bool { return e.Name == name })
			}
			prefix, _, _ := strings.Cut(name, "_")
			current := map[string]string{"p7r": twoEmojis[0], "pdragon": twoEmojis[1]}[prefix]
			if do == "delete" && has(name) && (slices.Contains(foreign, name) || name == current || !has(current)) {
				wrong = append(wrong, fmt.Sprintf("%s deleted while there are %v", name, s.items))
			}
		}
		s.fault = func(do, name string) (error, bool) {
			check(do, name)
			if len(faults) == 0 {
				return nil, false
			}
			n := faults[0]
			faults = faults[1:]
			if n >= 2*len(failures) {
				return nil, false
			}
			return failures[n/2], n%2 == 1
		}
		synctest.Test(t, func(t *testing.T) {
			var other func()
			for _, seconds := range restarts {
				_, stop := keeping(s, wantedEmojis(twoEmojis...))
				passTime(time.Duration(seconds) * time.Second)
				if other != nil {
					other()
				}
				other = stop
			}
			other()
			s.mu.Lock()
			faults = nil
			began := len(s.calls)
			s.mu.Unlock()
			e, stop := keeping(s, wantedEmojis(twoEmojis...))
			passTime(time.Minute)
			stop()
			if !slices.Equal(keysOf(e), []string{"7r", "dragon"}) {
				wrong = append(wrong, fmt.Sprintf("usable at the end: %v", e.Load()))
			}
			for _, name := range twoEmojis {
				if uploads := slices.Index(s.calls[began:], "create "+name); uploads >= 0 && slices.Contains(s.calls[began+uploads+1:], "create "+name) {
					wrong = append(wrong, name+" was uploaded twice")
				}
			}
		})
		want := append(slices.Clone(foreign), twoEmojis...)
		slices.Sort(want)
		if diff := cmp.Diff(want, s.names()); diff != "" {
			wrong = append(wrong, "in the end (-want +got):\n"+diff)
		}
		if len(wrong) > 0 {
			r.Fatalf("%s\ncalls: %v", strings.Join(wrong, "\n"), s.calls)
		}
	})
}

// TestEmojisWhereNamesNeedNotDiffer: two processes that uploaded the same picture agree on the older one after their next start.
func TestEmojisWhereNamesNeedNotDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &emojiServer{doubles: true, next: 8}
		for _, id := range []string{"1000", "999"} {
			s.items = append(s.items, discord.Emoji{ID: id, Name: "p7r_1a2b3c4d"})
		}
		e, stop := keeping(s, wantedEmojis("p7r_1a2b3c4d"))
		defer stop()
		passTime(time.Hour)
		if want := (discord.Emoji{ID: "999", Name: "p7r_1a2b3c4d"}); e.Load()["7r"] != want || len(s.said()) != 1 {
			t.Errorf("%v after %v", e.Load(), s.said())
		}
	})
}

func tinyPNG(t *testing.T, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	m.Set(3, 3, c)
	var buf bytes.Buffer
	if err := png.Encode(&buf, m); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// hasty is a clock on which every wait is over at once; begun is told of each.
type hasty struct {
	bot.SystemClock
	begun chan struct{}
}

func (c hasty) Timer(time.Duration) bot.Timer {
	c.begun <- struct{}{}
	return bot.SystemClock{}.Timer(0)
}

// TestEmojisInTheSandbox: the whole way over HTTP, every request held against Discord's description where there is one; the second
// release changes a picture.
func TestEmojisInTheSandbox(t *testing.T) {
	s, err := sandbox.Open(sandbox.Config{Limits: sandbox.NoLimits()})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() { web.Close(); s.Close() })
	first := []bot.Emoji{
		{Key: "7r", Name: "p7r_1a2b3c4d", PNG: tinyPNG(t, color.White)}, {Key: "dragon", Name: "pdragon_00ff00ff", PNG: tinyPNG(t, color.Black)},
	}
	second := slices.Clone(first)
	second[0].Name, second[0].PNG = "p7r_aaaaaaaa", tinyPNG(t, color.NRGBA{R: 255, A: 255})
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	for _, run := range []struct {
		wanted  []bot.Emoji
		methods []string
	}{
		{first, []string{http.MethodGet, http.MethodPost, http.MethodPost}},
		{first, []string{http.MethodGet}},
		{second, []string{http.MethodGet, http.MethodPost, http.MethodDelete}},
	} {
		var mu sync.Mutex
		var requests []sandbox.Request
		cancel := s.Observe(func(r sandbox.Request) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(r.Path, "/emojis") {
				requests = append(requests, r)
			}
		})
		client, err := discord.New(discord.Config{Token: s.Token(), APIURL: web.URL + "/api", Log: testLog(t)})
		if err != nil {
			t.Fatal(err)
		}
		clock := hasty{begun: make(chan struct{}, 100)}
		e := bot.NewEmojis(client, clock, testLog(t), run.wanted)
		running, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); e.Run(running) }()
		for range run.methods { // each call is followed by a wait
			select {
			case <-clock.begun:
			case <-ctx.Done():
				t.Fatalf("only %d requests", len(requests))
			}
		}
		stop()
		<-done
		cancel()
		var methods []string
		for _, r := range requests {
			methods = append(methods, r.Method)
		}
		if diff := cmp.Diff(run.methods, methods); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		var names []string
		for _, have := range s.Emojis() {
			names = append(names, have.Name)
		}
		for _, w := range run.wanted {
			have := e.Load()[w.Key]
			if have.Name != w.Name || have.ID == "" || !slices.Contains(names, w.Name) {
				t.Errorf("%s is %v; there are %v", w.Key, have, names)
			}
		}
		if len(names) != len(run.wanted) {
			t.Errorf("there are %v", names)
		}
		t.Run("as described", func(t *testing.T) {
			d := needDescription(t)
			for _, r := range requests {
				if err := d.check(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
