package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A failingWriter takes some bytes and then fails.
type failingWriter struct {
	room int
	err  error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.room < len(b) {
		return 0, w.err
	}
	w.room -= len(b)
	return len(b), nil
}

func recordFile(t *testing.T, moves string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record.json")
	text := `{"format": "paladin-record/1", "players": 3, "seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f",
		"salt": "-,-,-", "commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803", "moves": [` + moves + `]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whoever reads the output may stop reading; the verdict on the record stands.
func TestOutputThatFails(t *testing.T) {
	good, bad := recordFile(t, `"1 start 1"`), recordFile(t, `"1 start 1", "1 start 1"`)
	const fault = `move 2 "1 start 1": R` // and which rule, and why
	broken := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	full := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	for _, tt := range []struct {
		name   string
		args   []string
		err    error
		room   int
		code   int
		stderr string
	}{
		{"a reader that leaves", []string{"replay", "--trace", good}, broken, 0, 0, ""},
		{"a reader that leaves after a line", []string{"replay", "--trace", good}, broken, 300, 0, ""},
		{"a reader that leaves before the fault", []string{"replay", "--trace", bad}, broken, 0, exitWrong, fault},
		{"a reader that leaves a result", []string{"replay", "--json", bad}, broken, 0, exitWrong, fault},
		{"a reader that leaves the help", []string{"--help"}, broken, 0, 0, ""},
		{"a full disk", []string{"replay", good}, full, 0, exitUsage, "paladin: cannot write to standard output: no space left on device\n"},
		{"a full disk and help", []string{"--help"}, full, 0, exitUsage, "paladin: cannot write to standard output: no space left on device\n"},
		{"a full disk and a version", []string{"version"}, full, 0, exitUsage, "paladin: cannot write to standard output: no space left on device\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(tt.args, strings.NewReader(""), &failingWriter{tt.room, tt.err}, &stderr, nil)
			// A fault's rule and reason are the rules' to word: its beginning is enough.
			same := stderr.String() == tt.stderr || tt.stderr == fault && strings.HasPrefix(stderr.String(), fault)
			if code != tt.code || !same {
				t.Errorf("exit code %d, standard error %q, want %d, %q", code, stderr.String(), tt.code, tt.stderr)
			}
		})
	}
}

// A fault of the record is told even if the disk is full.
func TestVerdictOutranksTheDisk(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"replay", "--trace", recordFile(t, `"2 start 1"`)}, strings.NewReader(""),
		&failingWriter{0, syscall.ENOSPC}, &stderr, nil)
	if code != exitWrong || !strings.HasPrefix(stderr.String(), `move 1 "2 start 1": R`) {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

type endlessReader struct{}

func (endlessReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestStandardInputThatFails(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"replay", "-"}, failingReader{errors.New("the line is dead")}, &stdout, &stderr, nil)
	if want := "paladin: cannot read the record standard input: the line is dead\n"; code != exitUsage || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q, want %q", code, stderr.String(), want)
	}
	stderr.Reset()
	code = run([]string{"replay", "-"}, endlessReader{}, &stdout, &stderr, nil)
	if want := "paladin: standard input is larger than 64 MiB: no record is\n"; code != exitWrong || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q, want %q", code, stderr.String(), want)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output: %q", stdout.String())
	}
}
