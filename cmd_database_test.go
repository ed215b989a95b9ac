package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"paladin/config"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
)

// TestUpgradeLosesNoGame opens a database in which an earlier version left a finished game without a result, and the lobby of the next one.
func TestUpgradeLosesNoGame(t *testing.T) {
	packed, err := os.Open(filepath.Join("testdata", "schema2.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	old, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{DatabasePath: filepath.Join(t.TempDir(), "games.db"), BackupDir: filepath.Join(t.TempDir(), "backups")}
	if err := os.WriteFile(cfg.DatabasePath, old, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db, err := openDatabase(cfg, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ended := ""
	if err := db.LiveTables(t.Context(), func(id string) error {
		row, err := db.Table(t.Context(), id)
		if err != nil {
			return err
		}
		var text []byte
		for _, user := range row.Users {
			if text, err = db.Export(t.Context(), user, func(string, string, []byte) (json.RawMessage, error) { return nil, nil }); err != nil {
				return err
			}
			var e store.Exported
			if err := json.Unmarshal(text, &e); err != nil {
				return err
			}
			s, ok, err := db.Standing(t.Context(), row.Guild, user)
			if err != nil || !ok || s.Games != 1 || s.Rated != 1 || s.Moves == 0 || len(e.Results) != 1 || len(e.Tables) != 2 {
				t.Errorf("standing %+v, %v, %v, export:\n%s", s, ok, err, text)
				continue
			}
			ended = e.Results[0].Table
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r, ok, err := db.ResultOf(t.Context(), ended)
	if err != nil || !ok || len(r.Seats) != 3 || r.Seats[2].Squire == "" || r.Finished.IsZero() {
		t.Errorf("the result of table %q: %+v, %v, %v", ended, r, ok, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := store.Check(cfg.DatabasePath, inspection())
	if err != nil || len(report.Faults) > 0 || report.Results != 1 || report.Tables != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	if copies, err := os.ReadDir(cfg.BackupDir); err != nil || len(copies) != 1 {
		t.Errorf("the copies before the migration: %v, %v", copies, err)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "brought up to date") || !strings.Contains(log.String(), cfg.BackupDir) {
		t.Errorf("logged:\n%s", log.String())
	}
}

// liveGame writes a database with one game that is being played, as the bot stores it, and returns
// its path.
func liveGame(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	actor := func(n string) table.Actor {
		return table.Actor{Person: table.Person{ID: table.UserID("10000000000000000" + n), Name: "P" + n}, Interaction: "20000000000000000" + n}
	}
	var at table.Table
	version := uint64(0)
	step := func(next table.Table, out table.Outcome, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		at, now = next, now.Add(time.Minute)
		snapshot, err := at.Encode()
		if err != nil {
			t.Fatal(err)
		}
		c := store.Change{Table: at.ID(), Expect: version, Snapshot: snapshot, Live: at.Live(), Channel: at.Channel(), Guild: at.Guild(), At: now}
		for _, l := range out.Lines {
			entry, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			c.Entries = append(c.Entries, entry)
		}
		if _, err := db.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		version++
	}
	do := func(by table.Actor, cmd table.Command) { t.Helper(); step(at.Do(by, cmd, now)) }
	step(table.Open(table.Opening{
		ID: "game1", Guild: "1", Channel: "2", Host: actor("1"), Deck: paladin.HouseDeck(), Now: now,
		Seed: sha256.Sum256([]byte("deal")), SquireSeed: sha256.Sum256([]byte("squires")),
		Options: table.Options{Seats: 3, Squires: squire.Easy, SquirePace: table.SquireAtOnce, Pace: table.PaceNone},
	}))
	do(actor("2"), table.Join{})
	do(actor("1"), table.AddSquire{})
	do(actor("1"), table.Start{})
	for range 30 {
		if at.SquireToAct() {
			do(table.Actor{}, table.SquireMove{Prompt: at.Prompt()})
			continue
		}
		who, _ := at.AwaitedPerson()
		mine, _ := at.Private(who.ID)
		do(table.Actor{Person: who, Interaction: "3"}, table.Play{Move: mine.View.Legal()[0]})
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCheckFindsWhatWasChangedInAGame: one changed place of what is stored of a game, in a database
// that is sound otherwise. Each is changed as an older program stored it too, whose snapshots have
// no digest; the squires' seed is then beyond finding.
func TestCheckFindsWhatWasChangedInAGame(t *testing.T) {
	flip := func(b []byte) []byte { b[len(b)-1] ^= 1; return b }
	for name, tc := range map[string]struct {
		place  string
		change func([]byte) []byte
		older  bool
	}{
		"seed":                           {`"seed":"[0-9A-Fa-f]*?[0-9]`, flip, true},
		"squires' seed":                  {`"squire_seed":"[0-9A-Fa-f]*?[0-9]`, flip, false},
		"key of the shuffles":            {`"key":"[0-9a-f]*?[0-9]`, flip, true},
		"order of the supply":            {`"supply":"[0-9a-j]+`, swapLast, true},
		"card of a move in the history":  {`"move":"[123] place [0-9]`, flip, true},
		"commitment in the history":      {`"kind":"opened"[^}]*"commitment":"[0-9a-f]*?[0-9]`, flip, true},
		"who sits there":                 {`"seats":\[{"person":{"id":"100000000000000001","name":"P1`, flip, false},
		"what the board shows last":      {`"recent":\[{"at":"2026-03-01T12:[0-9][0-9]`, flip, true},
		"something told in the history":  {`"move":"[123] place [^}]*"quest":[1-3]`, func(b []byte) []byte { b[len(b)-1] = b[len(b)-1]%3 + '1'; return b }, true},
		"name of a field of the history": {`"commitmen`, func(b []byte) []byte { b[len(b)-1]++; return b }, true},
	} {
		for _, older := range []bool{false, true} {
			path := liveGame(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if older {
				if !tc.older {
					continue
				}
				data = regexp.MustCompile(`"(squire_)?seed":"[0-9A-Fa-f]{64}`).ReplaceAllFunc(data, bytes.ToLower)
			}
			changed := regexp.MustCompile(tc.place).ReplaceAllFunc(data, func(found []byte) []byte { return tc.change(bytes.Clone(found)) })
			for what, contents := range map[string][]byte{"sound": data, "changed": changed} {
				if err := os.WriteFile(path, contents, 0o600); err != nil {
					t.Fatal(err)
				}
				var stdout, stderr bytes.Buffer
				code := run([]string{"check"}, nil, &stdout, &stderr, []string{"DATABASE_PATH=" + path})
				if want := map[string]int{"sound": 0, "changed": exitWrong}[what]; code != want {
					t.Errorf("%s, %s, older %v: exit code %d\n%s%s", name, what, older, code, &stdout, &stderr)
				}
				if what == "changed" && !strings.Contains(stdout.String(), `table "game1": `) {
					t.Errorf("%s, older %v: nothing is said of the table:\n%s", name, older, &stdout)
				}
			}
		}
	}
}

// TestCheckSaysWhatToDo: of one live game that cannot be read the bot does without; once it is set
// aside, nothing is wrong, and a backup is made of it as of any other.
func TestCheckSaysWhatToDo(t *testing.T) {
	path := liveGame(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"stage":"playing"`), []byte(`"stage":"qlaying"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(args ...string) (code int, said string) {
		var stdout, stderr bytes.Buffer
		code = run(args, nil, &stdout, &stderr, []string{"DATABASE_PATH=" + path})
		return code, stdout.String() + stderr.String()
	}
	code, said := check("check")
	for _, want := range []string{`table "game1": in channel 2: `, "/paladin new", "the bot runs on it"} {
		if code != exitWrong || !strings.Contains(said, want) {
			t.Errorf("exit code %d, want %q in:\n%s", code, want, said)
		}
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row, err := db.Table(t.Context(), "game1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Commit(t.Context(), store.Change{
		Table: row.ID, Expect: row.Version, Snapshot: row.Snapshot, Channel: row.Channel, Guild: row.Guild, Users: row.Users, At: row.Touched,
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if code, said := check("check"); code != 0 || !strings.Contains(said, `table "game1": it was set aside: `) || !strings.Contains(said, "is sound") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	if code, said := check("backup", filepath.Join(t.TempDir(), "copy.db")); code != 0 {
		t.Errorf("exit code %d:\n%s", code, said)
	}
}

// swapLast exchanges the last two cards that differ.
func swapLast(b []byte) []byte {
	for i := len(b) - 1; ; i-- {
		if b[i-1] != b[i] {
			b[i-1], b[i] = b[i], b[i-1]
			return b
		}
	}
}
