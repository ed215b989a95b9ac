package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"paladin/bot"
	"paladin/config"
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
	switch err := store.BackupFile(cfg.DatabasePath, c.File, examiner()); {
	case errors.Is(err, store.ErrHeld):
		return fmt.Errorf("%w; a running bot makes copies itself, into BACKUP_DIR and on SIGUSR1", err)
	case errors.Is(err, store.ErrCorrupt):
		return wrong(fmt.Errorf("%w; nothing was copied; paladin check says what is wrong", err))
	case err != nil:
		return databaseFault(cfg.DatabasePath, true, err)
	}
	fmt.Fprintf(p.stdout, "%s copied to %s\n", cfg.DatabasePath, c.File)
	return soundCopy(cfg.DatabasePath, c.File)
}

// soundCopy reads all of a copy. One in which something is wrong is kept: it holds all the rest as
// well as its original does, which may be the only place where that is.
func soundCopy(path, file string) error {
	report, err := store.Check(file, inspection())
	if errors.Is(err, store.ErrNewer) {
		return nil // it was copied for the newer version, which can read it
	}
	if err != nil {
		return fmt.Errorf("the copy is there, but cannot be read: %w", err)
	}
	if n := len(report.Faults); n > 0 {
		return wrong(fmt.Errorf("%s is damaged, %s, and so is its copy %s: paladin check lists what is wrong", path, count(n, "fault"), file))
	}
	return nil
}

type checkCmd struct{}

// Run examines the database at DATABASE_PATH and prints every fault it finds.
func (c *checkCmd) Run(p *process) error {
	cfg, err := p.settings(config.Database)
	if err != nil {
		return err
	}
	report, err := store.Check(cfg.DatabasePath, inspection())
	switch {
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrNotDatabase):
		return wrong(err)
	case err != nil:
		return databaseFault(cfg.DatabasePath, true, err)
	}
	for _, fault := range report.Faults {
		fmt.Fprintln(p.stdout, oneLine(fault))
	}
	for _, remark := range report.Remarks {
		fmt.Fprintln(p.stdout, oneLine(remark))
	}
	if n := len(report.Faults); n > 0 {
		way := "restore a backup"
		if report.Contained {
			way = "the bot runs on it and does without what is listed; a backup restored loses what came after it"
		}
		return wrong(fmt.Errorf("%s is damaged, %s on standard output; %s", cfg.DatabasePath, count(n, "fault"), way))
	}
	fmt.Fprintf(p.stdout, "%s is sound: %s, %d of them live; %s; %s; %s\n",
		cfg.DatabasePath, count(report.Tables, "table"), report.Live, count(report.Entries, "move"),
		count(report.Results, "result"), count(report.Standings, "standing"))
	return nil
}

// inspection is how check looks into records, and has pages examined in another process.
func inspection() store.Inspection {
	in := bot.Inspection()
	in.Examine = examiner()
	return in
}

type examineCmd struct {
	File string `arg:""`
}

// Run is the other process: see examiner.
func (c *examineCmd) Run(p *process) error { return store.ExamineMain(c.File, p.stdout) }

// examiner runs this program once more, for a damaged file can end a process that reads its pages.
func examiner() store.Examiner {
	return store.ExamineBy(func(ctx context.Context, path string) (*exec.Cmd, error) {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(ownProgram); err == nil {
			program = ownProgram
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, program)
		cmd.Args = []string{"paladin", "examine", path}
		return cmd, nil
	})
}

// ownProgram leads to the program that runs, on Linux, though a newer version may have taken its
// place by now.
const ownProgram = "/proc/self/exe"

// openDatabase opens the database at DATABASE_PATH. One of an earlier version
// is migrated, with the results of all its games.
func openDatabase(cfg config.Config, log *slog.Logger) (*store.DB, error) {
	migrated := func(from, to int, copied string) {
		if copied == "" {
			copied = "none: BACKUP_DIR is not set"
		}
		log.Info("the database was brought up to date, and older versions of paladin refuse it from now on", "from", from, "to", to, "copy", copied)
	}
	remark := func(sentence string) { log.Warn("the database: " + sentence) }
	return store.Open(cfg.DatabasePath, store.Options{
		BackupDir: cfg.BackupDir, Score: bot.Score(log), Migrated: migrated, Examine: examiner(), Remark: remark,
	})
}

// databaseFault adds to an error of the store what only the command line knows. own says that path is
// DATABASE_PATH.
func databaseFault(path string, own bool, err error) error {
	if _, statErr := os.Stat(path); errors.Is(err, fs.ErrNotExist) && errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("%w with DATABASE_PATH", err)
	}
	if errors.Is(err, store.ErrCorrupt) {
		return fmt.Errorf("%w; %s says what is wrong", err, checkOf(path, own))
	}
	return err
}

// checkOf names the command that looks for damage in the file at path; own says that it is the one at
// DATABASE_PATH already.
func checkOf(path string, own bool) string {
	if own {
		return "paladin check"
	}
	return "paladin check with DATABASE_PATH=" + path
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
