package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"paladin/store"
)

// BenchmarkResident measures the memory that the program itself takes, as a process of its own that serves the loopback: while it is
// idle, and for each of 10 000 running games that nobody plays at. A table in use loads and sleeps again; to see that nothing stays,
// "played" presses once at each table, and as often at a single one for comparison.
func BenchmarkResident(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("the memory of another process is read from /proc, which this system has not")
	}
	program := filepath.Join(b.TempDir(), "paladin")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the README builds what is installed
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("the program cannot be built here: %v: %s", err, out)
	}
	const many = 10_000
	var empty, asleep, alone, played resident
	for b.Loop() {
		empty = measure(b, program, 0, 0)
		asleep = measure(b, program, many, 0)
		alone = measure(b, program, 1, many)
		played = measure(b, program, many, many)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(empty.total/1024, "idle-MB")
	b.ReportMetric(empty.anonymous/1024, "idle-anonymous-MB")
	b.ReportMetric((asleep.total-empty.total)*1024/many, "asleep-B/table")
	b.ReportMetric((played.anonymous-alone.anonymous)*1024/many, "played-B/table")
	b.ReportMetric((played.file-alone.file)*1024/many, "played-cache-B/table")
	b.ReportMetric(played.total/1024, "played-MB")
}

// resident is the memory of a process in KB: what is its own, and pages of its files (program and database) that the system has at
// hand and can take away at any time.
type resident struct{ total, anonymous, file float64 }

// measure starts the program on a database with that many running games, presses at them in turns, and reads how much memory it has
// when it has come to rest.
func measure(b *testing.B, program string, tables, presses int) resident {
	b.Helper()
	d := newLoopback(b)
	dir, err := os.MkdirTemp(b.TempDir(), "resident")
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "paladin.db")
	h := fill(b, path, tables)
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "serve")
	cmd.Dir = dir
	cmd.Env = []string{"DISCORD_TOKEN=" + oursToken, "DISCORD_API_URL=" + d.api, "DATABASE_PATH=" + path, "LOG_LEVEL=error"}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	l := d.connected(oursToken, true)
	done := make(chan time.Time, 1)
	for n := range presses {
		if _, err := d.press(l, h.look(n%tables), done); err != nil {
			b.Fatal(err)
		}
	}
	rest := rested(b, cmd.Process.Pid)
	cancel()
	if err := cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	return rest
}

// fill stores tables before the program has the database.
func fill(b *testing.B, path string, tables int) *hall {
	b.Helper()
	db, err := store.Open(path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	h := newHall(b, db, tables)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return h
}

// rested reads the memory of the process once it has been the same for three seconds.
func rested(b *testing.B, pid int) resident {
	b.Helper()
	var last resident
	for same := 0; same < 3; {
		<-time.After(time.Second)
		now, err := memory(pid)
		if err != nil {
			b.Fatal(err)
		}
		if same++; now != last {
			same = 0
		}
		last = now
	}
	return last
}

func memory(pid int) (resident, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return resident{}, err
	}
	defer f.Close()
	var r resident
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		kb, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			continue
		}
		switch words[0] {
		case "VmRSS:":
			r.total = kb
		case "RssAnon:":
			r.anonymous = kb
		case "RssFile:":
			r.file = kb
		}
	}
	if r.total == 0 {
		return r, errors.New("the process is gone")
	}
	return r, nil
}
