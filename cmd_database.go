package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"paladin/bot"
	"paladin/config"
	"paladin/game/table"
	"paladin/store"
)

type backupCmd struct {
	File string `arg:"" help:"Where the copy goes; the file must not exist."`
}

// Run copies the database at DATABASE_PATH.
func (c *backupCmd) Run(p *process) error {
	cfg, err := p.settings(config.Database)
	if err != nil {
		return err
	}
	if c.File == "" {
		return errors.New("FILE is empty: name a new file for the copy")
	}
	if dir := filepath.Dir(c.File); !isDir(dir) {
		return fmt.Errorf("cannot copy to %s: the folder %s does not exist: create it first", c.File, dir)
	}
	if err := store.BackupFile(cfg.DatabasePath, c.File); err != nil {
		if errors.Is(err, store.ErrHeld) {
			return fmt.Errorf("%w; a running bot makes copies itself, into BACKUP_DIR and on SIGUSR1", err)
		}
		return databaseFault(cfg.DatabasePath, err)
	}
	fmt.Fprintf(p.stdout, "%s copied to %s\n", cfg.DatabasePath, c.File)
	return nil
}

type checkCmd struct{}

// Run examines the database at DATABASE_PATH and prints every fault it finds.
func (c *checkCmd) Run(p *process) error {
	cfg, err := p.settings(config.Database)
	if err != nil {
		return err
	}
	report, err := store.Check(cfg.DatabasePath, verifySnapshot)
	switch {
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrNotDatabase):
		return wrong(err)
	case err != nil:
		return databaseFault(cfg.DatabasePath, err)
	}
	for _, fault := range report.Faults {
		fmt.Fprintln(p.stdout, oneLine(fault))
	}
	if n := len(report.Faults); n > 0 {
		return wrong(fmt.Errorf("%s is damaged, %s on standard output; restore a backup", cfg.DatabasePath, count(n, "fault")))
	}
	fmt.Fprintf(p.stdout, "%s is sound: %s, %d of them live; %s; %s; %s\n",
		cfg.DatabasePath, count(report.Tables, "table"), report.Live, count(report.Entries, "move"),
		count(report.Results, "result"), count(report.Standings, "standing"))
	return nil
}

// verifySnapshot reports whether a stored table can be read, its game obeying
// the rules' invariants included.
func verifySnapshot(_ string, snapshot []byte) error {
	_, err := table.Decode(snapshot)
	return err
}

// openDatabase opens the database at DATABASE_PATH. One of an earlier version
// is migrated, with the results of all its games.
func openDatabase(cfg config.Config, log *slog.Logger) (*store.DB, error) {
	migrated := func(from, to int, copied string) {
		if copied == "" {
			copied = "none: BACKUP_DIR is not set"
		}
		log.Info("the database was brought up to date, and older versions of paladin refuse it from now on", "from", from, "to", to, "copy", copied)
	}
	return store.Open(cfg.DatabasePath, store.Options{BackupDir: cfg.BackupDir, Score: bot.Score(log), Migrated: migrated})
}

// databaseFault adds to an error of the store what only the command line knows.
func databaseFault(path string, err error) error {
	if _, statErr := os.Stat(path); errors.Is(err, fs.ErrNotExist) && errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("%w with DATABASE_PATH", err)
	}
	if errors.Is(err, store.ErrCorrupt) {
		return fmt.Errorf("%w; see what paladin check says, or restore a backup", err)
	}
	return err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
