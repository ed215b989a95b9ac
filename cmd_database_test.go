package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paladin/config"
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
