package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"paladin/config"
	"paladin/game/paladin"
	"paladin/store"
)

// A recordedBackup stands in for the database's own copying.
type recordedBackup struct {
	start time.Time
	made  []time.Duration // since start
	err   error
	kept  string // the copy that there is beside the error
}

func (r *recordedBackup) to(_ context.Context, dir string, now time.Time) (string, error) {
	r.made = append(r.made, now.Sub(r.start))
	if r.err != nil {
		return r.kept, r.err
	}
	return filepath.Join(dir, "copy"), nil
}

func testBackups(r *recordedBackup, log io.Writer) *backups {
	r.start = time.Now()
	return &backups{
		to: r.to, dir: "backups", interval: time.Hour, last: r.start, log: slog.New(slog.NewTextHandler(log, nil)),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "test"}, []string{"result"}),
	}
}

// during runs b for the given time of a synthetic clock while f acts on it.
func during(t *testing.T, b *backups, total time.Duration, f func(demand chan<- os.Signal)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), total)
	defer cancel()
	demand := make(chan os.Signal, 1)
	go f(demand)
	b.run(ctx, demand)
	synctest.Wait()
}

func TestBackupsEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recordedBackup{}
		b := testBackups(r, io.Discard)
		during(t, b, 3*time.Hour+time.Minute, func(chan<- os.Signal) {})
		if diff := cmp.Diff([]time.Duration{time.Hour, 2 * time.Hour, 3 * time.Hour}, r.made); diff != "" {
			t.Errorf("copies (-want +got):\n%s", diff)
		}
	})
}

// A bot that is restarted more often than the interval gets its copies too.
func TestBackupsCountFromTheNewestCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recordedBackup{}
		b := testBackups(r, io.Discard)
		b.last = r.start.Add(-50 * time.Minute)
		during(t, b, 30*time.Minute, func(chan<- os.Signal) {})
		if diff := cmp.Diff([]time.Duration{10 * time.Minute}, r.made); diff != "" {
			t.Errorf("copies (-want +got):\n%s", diff)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := &recordedBackup{}
		b := testBackups(r, io.Discard)
		b.last = time.Time{}
		during(t, b, 30*time.Minute, func(chan<- os.Signal) {})
		if diff := cmp.Diff([]time.Duration{0}, r.made); diff != "" {
			t.Errorf("without a copy, one is made at once (-want +got):\n%s", diff)
		}
	})
}

func TestBackupOnDemandStartsTheIntervalAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recordedBackup{}
		b := testBackups(r, io.Discard)
		during(t, b, 2*time.Hour, func(demand chan<- os.Signal) {
			<-time.After(40 * time.Minute)
			demand <- os.Interrupt
		})
		if diff := cmp.Diff([]time.Duration{40 * time.Minute, 100 * time.Minute}, r.made); diff != "" {
			t.Errorf("copies (-want +got):\n%s", diff)
		}
	})
}

func TestBackupFailureIsToldAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := &recordedBackup{err: syscall.ENOSPC}
		during(t, testBackups(r, &log), 2*time.Hour+time.Minute, func(chan<- os.Signal) {})
		if len(r.made) != 2 {
			t.Errorf("%d tries in two intervals, want 2", len(r.made))
		}
		if !strings.Contains(log.String(), "backup failed") || !strings.Contains(log.String(), "no space left") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestBackupOfADamagedDatabaseIsNotCalledMade: what a copy was found to be is said, with what to
// do.
func TestBackupOfADamagedDatabaseIsNotCalledMade(t *testing.T) {
	var log bytes.Buffer
	r := &recordedBackup{kept: "backups/games-damaged.db", err: &store.CorruptError{Faults: []string{"page 7 is used twice"}}}
	b := testBackups(r, &log)
	b.copy(t.Context())
	for _, want := range []string{"level=ERROR", "paladin check", "earlier backup", "page 7 is used twice", "backups/games-damaged.db"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), `msg="backup made`) {
		t.Errorf("log: %s", log.String())
	}
}

func TestBackupsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := &recordedBackup{}
		b := testBackups(r, &log)
		b.dir = ""
		during(t, b, 48*time.Hour, func(demand chan<- os.Signal) { demand <- os.Interrupt })
		if len(r.made) != 0 {
			t.Errorf("copies at %v without a directory", r.made)
		}
		if !strings.Contains(log.String(), "BACKUP_DIR is not set") {
			t.Errorf("the demand got no answer in the log: %q", log.String())
		}
	})
}

func TestNewestCopy(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dir := t.TempDir()
	if got := newestCopy(dir, "data/games.db", now); !got.IsZero() {
		t.Errorf("in an empty directory: %v", got)
	}
	if got := newestCopy(filepath.Join(dir, "missing"), "games.db", now); !got.IsZero() {
		t.Errorf("in a missing directory: %v", got)
	}
	for name, age := range map[string]time.Duration{
		"games-20260101T000000Z.db": 27 * time.Hour, "games-20260102T020405Z.db": time.Hour,
		"other-20260102T030405Z.db": 0, "notes.txt": 0,
	} {
		writeAged(t, filepath.Join(dir, name), now.Add(-age))
	}
	if got, want := newestCopy(dir, "data/games.db", now), now.Add(-time.Hour); !got.Equal(want) {
		t.Errorf("newest copy %v, want %v", got, want)
	}
	writeAged(t, filepath.Join(dir, "games-20270101T000000Z.db"), now.AddDate(1, 0, 0))
	if got := newestCopy(dir, "games.db", now); !got.Equal(now) {
		t.Errorf("a copy from the future counts as %v, want now", got)
	}
}

// TestNewestCopyIsACopy: neither the database itself, nor a copy of another whose name begins alike,
// is taken for a copy, or the first one would not be made for a day, after each start anew.
func TestNewestCopyIsACopy(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dir := t.TempDir()
	for _, name := range []string{
		"paladin.db", "paladin-sandbox.db", "paladin-sandbox-20260102T020405Z.db", "paladin-20260102T020405Z.txt",
		"paladin-20260102T020405Z.db.gz", "paladin-restored.db", "paladinx20260102T020405Z.db", "paladin-20260102T020405Z2.db",
	} {
		writeAged(t, filepath.Join(dir, name), now)
	}
	if got := newestCopy(dir, "paladin.db", now); !got.IsZero() {
		t.Fatalf("%v is taken for a copy's time", got)
	}
	for n, name := range []string{"paladin-20260101T000000Z.db", "paladin-20260101T000000Z-2.db", "paladin-20260101T000000Z-damaged.db"} {
		at := now.Add(time.Duration(n-9) * time.Hour)
		writeAged(t, filepath.Join(dir, name), at)
		if got := newestCopy(dir, "paladin.db", now); !got.Equal(at) {
			t.Errorf("%s: %v, want %v", name, got, at)
		}
	}
}

func writeAged(t *testing.T, path string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestMonitor(t *testing.T) {
	state := newReadiness()
	handler := monitorHandler(newRegistry(), state.err)
	get := func(method, path string) (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code, w.Body.String()
	}
	for _, tt := range []struct {
		method, path, reason string
		code                 int
		body                 string
	}{
		{"GET", "/healthz", "starting", 200, "ok\n"},
		{"GET", "/readyz", "starting", 503, "starting\n"},
		{"GET", "/readyz", "", 200, "ok\n"},
		{"GET", "/readyz", "stopping", 503, "stopping\n"},
		{"HEAD", "/healthz", "", 200, "ok\n"},
		{"POST", "/healthz", "", 405, "Method Not Allowed\n"},
		{"GET", "/", "", 404, "404 page not found\n"},
	} {
		state.set(tt.reason)
		if code, body := get(tt.method, tt.path); code != tt.code || body != tt.body {
			t.Errorf("%s %s while %q: %d %q, want %d %q", tt.method, tt.path, tt.reason, code, body, tt.code, tt.body)
		}
	}
	if code, body := get("GET", "/metrics"); code != 200 || !strings.Contains(body, "go_goroutines ") {
		t.Errorf("metrics: %d %.200s", code, body)
	}
}

// A connectedTo is what the bot says of its Discord.
type connectedTo struct {
	up      bool
	trouble string
}

func (c connectedTo) Connected() bool { return c.up }
func (c connectedTo) Trouble() string { return c.trouble }

// An acceptance is what the database says of itself.
type acceptance struct{ err error }

func (a acceptance) Accepts(context.Context) error { return a.err }

// Whoever watches the bot hears why it cannot serve, whichever part cannot.
func TestReadyTellsTheTrouble(t *testing.T) {
	full := fmt.Errorf("write games.db: %w", syscall.ENOSPC)
	for _, tt := range []struct {
		discord connectedTo
		db      acceptance
		code    int
		body    string
	}{
		{connectedTo{up: true}, acceptance{}, 200, "ok\n"},
		{connectedTo{}, acceptance{}, 503, "not connected to Discord; games wait and nothing is lost\n"},
		{connectedTo{up: true, trouble: "blocked in front of Discord"}, acceptance{}, 503, "blocked in front of Discord\n"},
		{connectedTo{up: true}, acceptance{full}, 503, "the database accepts no writes: write games.db: no space left on device\n"},
		{connectedTo{up: true}, acceptance{store.ErrFailed}, 503, "the database accepts no writes: " + store.ErrFailed.Error() + "\n"},
	} {
		state := newReadiness()
		state.set("")
		state.ask(func() string { return trouble(tt.discord, tt.db) })
		w := httptest.NewRecorder()
		monitorHandler(newRegistry(), state.err).ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		if w.Code != tt.code || w.Body.String() != tt.body {
			t.Errorf("%+v, %+v: %d %q", tt.discord, tt.db, w.Code, w.Body.String())
		}
	}
}

func testHost(t *testing.T, log io.Writer) *host {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &host{
		cfg: config.Config{DatabasePath: path, BackupInterval: time.Hour}, deck: paladin.HouseDeck(),
		log: slog.New(slog.NewTextHandler(log, nil)), db: db, registry: newRegistry(), state: newReadiness(),
	}
}

// Around the bot: health while it runs, and an end in order when it is told to.
func TestHostRun(t *testing.T) {
	h := testHost(t, io.Discard)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = h.run(ctx, listener, func(ctx context.Context, h *host) error {
		h.state.set("")
		response, err := http.Get("http://" + listener.Addr().String() + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("ready: %s", response.Status)
		}
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if err != nil {
		t.Errorf("an end that was asked for: %v, want nil", err)
	}
	if err := h.state.err(); err == nil || err.Error() != "stopping" {
		t.Errorf("state at the end: %v", err)
	}
	if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		_ = conn.Close()
		t.Error("the health server outlives the bot")
	}
}

// A bot that gets ready while the program stops makes nobody ready.
func TestStoppingLasts(t *testing.T) {
	state := newReadiness()
	state.set(stateStopping)
	state.set("")
	if err := state.err(); err == nil || err.Error() != stateStopping {
		t.Errorf("state: %v", err)
	}
}

func TestHostRunReportsTheBotsError(t *testing.T) {
	h := testHost(t, io.Discard)
	want := errors.New("discord refuses the token")
	if err := h.run(t.Context(), nil, func(context.Context, *host) error { return want }); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestNewLog(t *testing.T) {
	var out bytes.Buffer
	log := newLog(config.Config{LogLevel: slog.LevelWarn, LogFormat: config.LogJSON}, &out)
	log.Info("quiet")
	log.Warn("loud", "token", config.NewSecret("hunter2"))
	if got := out.String(); !strings.HasPrefix(got, `{"time":`) || !strings.Contains(got, `"msg":"loud","token":"***"`) || strings.Contains(got, "quiet") {
		t.Errorf("JSON at level warn: %s", got)
	}
	out.Reset()
	newLog(config.Config{LogFormat: config.LogText}, &out).Info("words", "a", 1)
	if got := out.String(); !strings.Contains(got, "level=INFO msg=words a=1\n") {
		t.Errorf("text at level info: %s", got)
	}
}

func TestDescribeBuild(t *testing.T) {
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, tt := range []struct {
		name            string
		info            *debug.BuildInfo
		version, commit string
		want            string
	}{
		{"nothing known", nil, "", "", "paladin development, commit unknown, "},
		{"go run", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "", "", "paladin development, commit unknown, "},
		{"a checkout", &debug.BuildInfo{Settings: settings("false")}, "", "", "paladin development, commit 0123456789ab, "},
		{"a changed checkout", &debug.BuildInfo{Settings: settings("true")}, "", "", "paladin development, commit 0123456789ab with local changes, "},
		{"go install", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "", "", "paladin v1.2.3, commit unknown, "},
		{"a release", &debug.BuildInfo{Settings: settings("false")}, "v1.2.3", "feed", "paladin v1.2.3, commit feed, "},
	} {
		if got := describeBuild(tt.info, tt.version, tt.commit); !strings.HasPrefix(got, tt.want+"go1.") {
			t.Errorf("%s: %q, want it to begin with %q", tt.name, got, tt.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"two\nlines\n":         "two; lines",
		"a\x1b[31mred":         `a\x1b[31mred`,
		"tab\tbell\a":          `tab\tbell\a`,
		"right-to-left \u202e": `right-to-left \u202e`,
		"Ünïcödé ♟":            "Ünïcödé ♟",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestExposedDatabase: a real bot's database that others can read is warned about, and no other.
func TestExposedDatabase(t *testing.T) {
	for name, tt := range map[string]struct {
		mode  os.FileMode
		token string
		want  bool
	}{
		"for all": {0o644, "x", true}, "for the group": {0o640, "x", true}, "its owner's": {0o600, "x", false}, "the sandbox's": {0o644, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("Windows has no such modes")
			}
			path := filepath.Join(t.TempDir(), "games.db")
			db, err := store.Open(path, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Close(), os.Chmod(path, tt.mode)); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(path, link); err != nil {
				t.Skip(err)
			}
			var log bytes.Buffer
			p := &process{stderr: &log}
			cfg := config.Config{DatabasePath: link, LogFormat: config.LogText, BackupInterval: time.Hour, DiscordToken: config.NewSecret(tt.token)}
			if err := p.runHost(cfg, paladin.HouseDeck(), func(context.Context, *host) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if warned := strings.Contains(log.String(), "chmod 600 "+link); warned != tt.want {
				t.Errorf("warned: %v\n%s", warned, log.String())
			}
			if mode := fmt.Sprintf("mode=%04o", tt.mode); tt.want && !strings.Contains(log.String(), mode) {
				t.Errorf("not named: %s\n%s", mode, log.String())
			}
		})
	}
}
