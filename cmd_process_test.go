//go:build unix

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A running program, with its standard error read line by line.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *bufio.Reader
	log    chan string // closed at the end of the program
	seen   []string
}

// start starts the program, which TestMain has put into PATH, in dir with
// nothing of the machine's environment.
func start(t *testing.T, dir string, environ []string, args ...string) *running {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "paladin", args...)
	cmd.Dir = dir
	cmd.Env = environ
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, cmd: cmd, stdout: bufio.NewReader(stdout), log: make(chan string, 1000)}
	go func() {
		defer close(r.log)
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			r.log <- scanner.Text()
		}
	}()
	return r
}

// line reads a line of standard output.
func (r *running) line() string {
	r.t.Helper()
	text, err := r.stdout.ReadString('\n')
	if err != nil {
		r.t.Fatalf("standard output: %q, %v; %s", text, err, r.rest())
	}
	return strings.TrimSuffix(text, "\n")
}

// awaits reads the log until each of the texts has come in a line of its own, in
// whatever order, and returns those lines. A program that never writes them is
// ended by the deadline here, with the log in the failure.
func (r *running) awaits(texts ...string) []string {
	r.t.Helper()
	patience := time.After(time.Minute)
	lines := make([]string, len(texts))
	for slices.Contains(lines, "") {
		select {
		case line, ok := <-r.log:
			r.seen = append(r.seen, line)
			for i, text := range texts {
				if lines[i] == "" && strings.Contains(line, text) {
					lines[i] = line
				}
			}
			if !ok {
				r.t.Fatalf("the program ended without all of %q in its log:\n%s", texts, strings.Join(r.seen, "\n"))
			}
		case <-patience:
			r.t.Fatalf("not all of %q in the log:\n%s", texts, strings.Join(r.seen, "\n"))
		}
	}
	return lines
}

// rest is the log not yet read. It waits for the end of the program.
func (r *running) rest() string {
	var lines []string
	for line := range r.log {
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// ends waits for the end and demands this exit code. It returns the log.
func (r *running) ends(code int) string {
	r.t.Helper()
	if _, err := io.Copy(io.Discard, r.stdout); err != nil {
		r.t.Error(err)
	}
	log := r.rest()
	_ = r.cmd.Wait()
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d (%v), want %d; the rest of the log:\n%s", got, r.cmd.ProcessState, code, log)
	}
	return log
}

var pageURL = regexp.MustCompile(`^\S*http://127\.0\.0\.1:([0-9]+)/\S*$`)

// The sandbox from its first line to its ordered end, with everything that can
// be asked of it meanwhile.
func TestSandboxProcess(t *testing.T) {
	dir := t.TempDir()
	environ := []string{"BACKUP_DIR=copies", "DISCORD_TOKEN=not looked at", "DATABASE_PATH=real.db", "HTTP_ADDR=127.0.0.1:0"}
	r := start(t, dir, environ, "sandbox", "--addr", "127.0.0.1:0", "--database", "try.db")
	url := r.line()
	if !pageURL.MatchString(url) {
		t.Fatalf("first line %q, want the page's address", url)
	}
	monitor := r.awaits("health and metrics", "backup made", "msg=ready")[0] // there was no copy yet

	for _, address := range []string{url, monitorURL(t, monitor) + "/readyz"} {
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, response.Status)
		}
	}

	r.signal(syscall.SIGUSR1)
	r.awaits("backup made")
	copies, err := filepath.Glob(filepath.Join(dir, "copies", "try-*.db"))
	if err != nil || len(copies) != 2 {
		t.Errorf("copies %q, %v, want two", copies, err)
	}

	// The database and the address are taken.
	second := start(t, dir, environ, "sandbox", "--addr", "127.0.0.1:0", "--database", "try.db")
	if log := second.ends(exitUsage); !strings.HasPrefix(log, "paladin: open database try.db: another process holds the database") {
		t.Errorf("a second process: %s", log)
	}
	third := start(t, dir, nil, "sandbox", "--addr", "127.0.0.1:"+pageURL.FindStringSubmatch(url)[1], "--database", "third.db")
	if log := third.ends(exitUsage); !strings.HasPrefix(log, "paladin: --addr: ") || !strings.Contains(log, "address already in use") || strings.Contains(log, "\n") {
		t.Errorf("an address in use: %s", log)
	}
	fourth := start(t, dir, []string{"DATABASE_PATH=try.db"}, "check")
	if log := fourth.ends(exitUsage); !strings.HasPrefix(log, "paladin: check database try.db: another process holds the database") {
		t.Errorf("check meanwhile: %s", log)
	}
	fifth := start(t, dir, []string{"DATABASE_PATH=try.db"}, "backup", "mine.db")
	if log := fifth.ends(exitUsage); !strings.Contains(log, "another process holds the database") || !strings.Contains(log, "SIGUSR1") {
		t.Errorf("backup meanwhile: %s", log)
	}

	r.signal(syscall.SIGTERM)
	r.ends(0)

	// What it leaves is sound, and a restart finds it.
	sixth := start(t, dir, []string{"DATABASE_PATH=try.db"}, "check")
	if log := sixth.ends(0); log != "" {
		t.Errorf("check afterwards: %s", log)
	}
	again := start(t, dir, nil, "sandbox", "--addr", "127.0.0.1:0", "--database", "try.db")
	again.line()
	again.awaits("msg=ready")
	again.signal(os.Interrupt)
	again.ends(0)
	if _, err := os.Stat(filepath.Join(dir, "real.db")); err == nil {
		t.Error("the sandbox touched the database of the real bot")
	}
}

// A Discord that cannot be reached is waited for, and those who watch the bot hear of it: in the log at the level of warnings, and from
// /readyz.
func TestServeWhileDiscordIsAway(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	away := gone.Addr().String()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	r := start(t, t.TempDir(), []string{"DISCORD_TOKEN=a.b.c", "DISCORD_API_URL=http://" + away, "HTTP_ADDR=127.0.0.1:0"}, "serve")
	monitor := monitorURL(t, r.awaits("health and metrics", `level=WARN msg="no gateway connection"`)[0])
	for path, want := range map[string]struct {
		status int
		says   string
	}{"/healthz": {http.StatusOK, "ok\n"}, "/readyz": {http.StatusServiceUnavailable, "connecting to Discord\n"}} {
		response, err := http.Get(monitor + path)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != want.status || string(said) != want.says {
			t.Errorf("%s: %s, %q, %v", path, response.Status, said, err)
		}
	}
	r.signal(syscall.SIGTERM)
	r.ends(0)
}

// A 401 from a network's login page is not Discord's: the program waits, and says why. In Discord's
// own words it ends the program.
func TestServeBehindALoginPage(t *testing.T) {
	var loggedIn atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		if loggedIn.Load() {
			_, _ = io.WriteString(w, `{"message":"401: Unauthorized","code":0}`)
			return
		}
		_, _ = io.WriteString(w, `<!DOCTYPE html><html>Please log in</html>`)
	}))
	defer web.Close()
	environ := []string{"DISCORD_TOKEN=a.b.c", "DISCORD_API_URL=" + web.URL, "HTTP_ADDR=127.0.0.1:0"}
	r := start(t, t.TempDir(), environ, "serve")
	monitor := monitorURL(t, r.awaits("health and metrics", "answers HTTP 401", `level=WARN msg="no gateway connection"`)[0])
	response, err := http.Get(monitor + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz: %s", response.Status)
	}
	r.signal(syscall.SIGTERM)
	r.ends(0)

	loggedIn.Store(true)
	refused := start(t, t.TempDir(), environ, "serve")
	if log := refused.ends(exitUsage); !strings.Contains(log, "paladin: Discord refused the bot token") {
		t.Errorf("a refused token: %s", log)
	}
}

// SIGTERM before anything is connected ends in order too.
func TestSandboxEndsWhileItStarts(t *testing.T) {
	r := start(t, t.TempDir(), nil, "sandbox", "--addr", "127.0.0.1:0")
	r.line()
	r.signal(syscall.SIGTERM)
	r.ends(0)
}

func monitorURL(t *testing.T, line string) string {
	t.Helper()
	m := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no address in %q", line)
	}
	return "http://" + m[1]
}
