// Package config reads the settings of the program once, at start, from the
// environment and a .env file into a plain struct.
//
// It is the only package that looks at the environment, so that everything
// else can be tested, and run twice in one process, by handing values over.
// Load itself is a function of its arguments.
//
// A variable that is set but empty means its default, as if it were not set;
// set empty in the environment it still hides the line of .env, so that a
// setting can be switched off for one run.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"
)

// A Use is what a command reads settings for. What it does not need it does
// not read, check or warn about: a typing mistake in LOG_LEVEL must not keep
// anybody from a backup, and the sandbox must not see a real bot's token.
type Use uint8

// The uses, one bit each so that a variable can name several.
const (
	Serve    Use = 1 << iota // the bot on Discord
	Sandbox                  // the bot on the embedded local Discord
	Database                 // work on the database file alone: backup, check
	Simulate                 // squires against each other
)

// Log formats, the values of LOG_FORMAT.
const (
	LogText = "text"
	LogJSON = "json"
)

// Config holds the settings, checked and with defaults filled in. A field whose
// variable the use does not read holds that variable's default.
type Config struct {
	DiscordToken   Secret        // DISCORD_TOKEN, without a leading "Bot "
	DiscordGuildID string        // DISCORD_GUILD_ID: decimal, or empty for global commands
	DiscordAPIURL  string        // DISCORD_API_URL: without version and trailing slash
	DatabasePath   string        // DATABASE_PATH
	BackupDir      string        // BACKUP_DIR: empty for no backups
	BackupInterval time.Duration // BACKUP_INTERVAL: at least a second
	LogLevel       slog.Level    // LOG_LEVEL
	LogFormat      string        // LOG_FORMAT: LogText or LogJSON
	HTTPAddr       string        // HTTP_ADDR: host:port, or empty for no server
	DeckPath       string        // PALADIN_DECK: a file, or empty for the house deck

	// Warnings are sentences about settings that have no effect or are open to
	// others. They are for the log, which cannot be opened before the settings
	// are known.
	Warnings []string
}

// Faults is every fault found in the settings. As an error it is one line.
type Faults []string

// Error joins the faults with semicolons.
func (f Faults) Error() string { return strings.Join(f, "; ") }

// Environ returns the environment of the process as "NAME=value" strings.
func Environ() []string { return os.Environ() }

// Load returns the settings for one use, from environ ("NAME=value" strings)
// and the file .env in dir, which need not exist; environ wins. All faults are
// reported together, as Faults; no value of a secret is ever part of them. With
// faults the Config holds the rest, for callers that look for more of them.
func Load(use Use, environ []string, dir fs.FS) (Config, error) {
	values, err := readDotenv(dir)
	if err != nil {
		return Config{}, Faults{err.Error()}
	}
	token := values[tokenName] != ""
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			values[name] = value
		}
	}

	var c Config
	var faults Faults
	for _, v := range variables {
		value := v.Default
		if set := strings.TrimSpace(values[v.Name]); set != "" && v.uses&use != 0 {
			value = set
		}
		err := unquoted(value)
		if err == nil {
			err = v.set(&c, value)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s %v", v.Name, err))
		}
	}
	if use == Serve && c.DiscordToken.IsEmpty() && !hasFault(faults, tokenName) {
		faults = append(faults, tokenName+" is not set: put the bot's token into .env or the environment, "+
			"or play without one: paladin sandbox")
	}
	c.Warnings = warnings(use, values)
	if mode, open := openToOthers(dir); open && token && use == Serve {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s holds the bot's token and is open to other users of this machine (mode %04o): chmod 600 %[1]s",
			dotenvName, mode))
	}
	if len(faults) > 0 {
		return c, faults
	}
	return c, nil
}

// unquoted refuses a value in quotes. A shell and .env take them off; systemd's and Docker's files of
// variables may not, and then they are part of the value.
func unquoted(value string) error {
	if n := len(value); n > 1 && value[0] == value[n-1] && strings.ContainsRune("\"'`", rune(value[0])) {
		return errors.New("stands in quotes, which are part of the value here: take them off")
	}
	return nil
}

// openToOthers reports whether other users of this machine may use .env, and its mode. Windows has no
// such modes.
func openToOthers(dir fs.FS) (mode fs.FileMode, open bool) {
	info, err := fs.Stat(dir, dotenvName)
	if err != nil || runtime.GOOS == "windows" {
		return 0, false
	}
	mode = info.Mode().Perm()
	return mode, mode&0o077 != 0
}

func hasFault(faults Faults, name string) bool {
	for _, f := range faults {
		if strings.HasPrefix(f, name+" ") {
			return true
		}
	}
	return false
}
