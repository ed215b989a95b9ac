package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"paladin/store"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// The test binary is also the program: under the name paladin it runs main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"paladin": main})
}

// TestScripts runs every command of every script as a process of its own, in an
// empty directory, with an environment that holds nothing of the machine's.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     scriptCode,
			"says":     scriptSays,
			"lines":    scriptLines,
			"database": scriptDatabase,
			"damage":   scriptDamage,
			"tear":     scriptTear,
		},
	})
}

// code N PROGRAM ARG...: the program ends with exit code N.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// says TEXT: standard error of the last program is this one line.
func scriptSays(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: says TEXT")
	}
	if got := ts.ReadFile("stderr"); got != args[0]+"\n" {
		ts.Fatalf("standard error:\n got %q\nwant %q", got, args[0]+"\n")
	}
}

// lines stdout|stderr N: so many lines, each ended.
func scriptLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines stdout|stderr N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	if got := strings.Count(text, "\n"); got != want || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s: %d lines, want %d, the last one ended: %q", args[0], got, want, text)
	}
}

// database FILE [broken]: a database without tables, or with one whose snapshot
// is not a table.
func scriptDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: database FILE [broken]")
	}
	db, err := store.Open(ts.MkAbs(args[0]), store.Options{})
	ts.Check(err)
	defer db.Close()
	if len(args) > 1 {
		_, err := db.Commit(context.Background(), store.Change{
			Table: "1", Snapshot: []byte("not a table"), Live: true, Channel: "2", At: time.Unix(1, 0),
		})
		ts.Check(err)
	}
}

// damage FILE: all but the first two pages, which say where everything is, is
// overwritten.
func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	for i := 2 * os.Getpagesize(); i < len(data); i++ {
		data[i] = 0xa5
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

// tear FILE: the second header page was begun and never written.
func scriptTear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tear FILE")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	clear(data[os.Getpagesize() : 2*os.Getpagesize()])
	ts.Check(os.WriteFile(path, data, 0o600))
}

// Every command has a script.
func TestEveryCommandHasAScript(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, s := range scripts {
		data, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, name := range []string{"serve", "sandbox", "replay", "simulate", "backup", "check", "version"} {
		if !strings.Contains(all.String(), " 0 paladin "+name) || !strings.Contains(all.String(), " 2 paladin "+name) {
			t.Errorf("no script shows %s going well and going wrong", name)
		}
	}
}
