package config_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/config"
)

func dotenv(text string) fs.FS {
	return fstest.MapFS{".env": &fstest.MapFile{Data: []byte(text)}}
}

func mustLoad(t *testing.T, use config.Use, dir fs.FS, environ ...string) config.Config {
	t.Helper()
	c, err := config.Load(use, environ, dir)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

// plain replaces the token, which cannot be compared, by what it reveals.
func plain(c config.Config) (config.Config, string) {
	token := c.DiscordToken.Reveal()
	c.DiscordToken = config.Secret{}
	return c, token
}

func defaults() config.Config {
	return config.Config{
		DiscordAPIURL:  "https://discord.com/api",
		DatabasePath:   "paladin.db",
		BackupInterval: 24 * time.Hour,
		LogLevel:       slog.LevelInfo,
		LogFormat:      config.LogText,
	}
}

var compareSecrets = cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() })

func TestDefaults(t *testing.T) {
	got, token := plain(mustLoad(t, config.Serve, fstest.MapFS{}, "DISCORD_TOKEN=secret"))
	if token != "secret" {
		t.Errorf("token = %q", token)
	}
	if diff := cmp.Diff(defaults(), got, compareSecrets); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestEveryVariable(t *testing.T) {
	got, token := plain(mustLoad(t, config.Serve, fstest.MapFS{},
		"DISCORD_TOKEN=Bot secret",
		"DISCORD_GUILD_ID=81384788765712384",
		"DISCORD_API_URL=http://127.0.0.1:3001/api/",
		"DATABASE_PATH=data/games.db",
		"BACKUP_DIR=backups",
		"BACKUP_INTERVAL=90m",
		"LOG_LEVEL=DEBUG",
		"LOG_FORMAT=json",
		"HTTP_ADDR=:9090",
		"PALADIN_DECK=deck.json",
		"PATH=/usr/bin", "=C:=odd", "nonsense",
	))
	if token != "secret" {
		t.Errorf("token = %q, want it without \"Bot \"", token)
	}
	want := config.Config{
		DiscordGuildID: "81384788765712384",
		DiscordAPIURL:  "http://127.0.0.1:3001/api",
		DatabasePath:   "data/games.db",
		BackupDir:      "backups",
		BackupInterval: 90 * time.Minute,
		LogLevel:       slog.LevelDebug,
		LogFormat:      config.LogJSON,
		HTTPAddr:       ":9090",
		DeckPath:       "deck.json",
	}
	if diff := cmp.Diff(want, got, compareSecrets); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEnvironmentWins(t *testing.T) {
	file := dotenv("\xef\xbb\xbfexport DISCORD_TOKEN=file\r\nLOG_LEVEL='warn' # quiet\r\nHTTP_ADDR=:1\r\nDATABASE_PATH=file.db\r\n")
	c := mustLoad(t, config.Serve, file, "DISCORD_TOKEN=environment", "HTTP_ADDR=", "LOG_FORMAT= \t")
	if got := c.DiscordToken.Reveal(); got != "environment" {
		t.Errorf("token = %q, want the environment's", got)
	}
	if c.LogLevel != slog.LevelWarn || c.DatabasePath != "file.db" {
		t.Errorf("level %v, database %q: want those of .env", c.LogLevel, c.DatabasePath)
	}
	if c.HTTPAddr != "" {
		t.Errorf("HTTP_ADDR = %q: empty in the environment should hide .env", c.HTTPAddr)
	}
	if c.LogFormat != config.LogText {
		t.Errorf("LOG_FORMAT = %q: blank should mean the default", c.LogFormat)
	}
}

func TestFaults(t *testing.T) {
	const token = "DISCORD_TOKEN=x"
	for _, tt := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"no token", nil, "DISCORD_TOKEN is not set: put the bot's token into .env or the environment, or play without one: paladin sandbox"},
		{"empty token", []string{"DISCORD_TOKEN="}, "DISCORD_TOKEN is not set: put the bot's token into .env or the environment, or play without one: paladin sandbox"},
		{"only the word Bot", []string{"DISCORD_TOKEN=Bot "}, "DISCORD_TOKEN is not set: put the bot's token into .env or the environment, or play without one: paladin sandbox"},
		{"token with a space", []string{"DISCORD_TOKEN=abc def"}, "DISCORD_TOKEN holds a space, a line break or a character outside ASCII: copy the token again from the developer portal"},
		{"token with a line break", []string{"DISCORD_TOKEN=abc\ndef"}, "DISCORD_TOKEN holds a space, a line break or a character outside ASCII: copy the token again from the developer portal"},
		{"token in quotes", []string{`DISCORD_TOKEN="hunter2"`}, "DISCORD_TOKEN stands in quotes, which are part of the value here: take them off"},
		{"token in single quotes", []string{"DISCORD_TOKEN= 'hunter2'\r\n"}, "DISCORD_TOKEN stands in quotes, which are part of the value here: take them off"},
		{"token with a quote", []string{`DISCORD_TOKEN="hunter2`}, "DISCORD_TOKEN holds a quotation mark, which no token has: take it off"},
		{"token in quotes of a text program", []string{"DISCORD_TOKEN=“hunter2”"}, "DISCORD_TOKEN holds a quotation mark, which no token has: take it off"},
		{"token in quotes behind Bot", []string{`DISCORD_TOKEN=Bot "hunter2"`}, "DISCORD_TOKEN holds a quotation mark, which no token has: take it off"},
		{"path in quotes", []string{token, `DATABASE_PATH="games.db"`}, "DATABASE_PATH stands in quotes, which are part of the value here: take them off"},
		{"level in quotes", []string{token, "LOG_LEVEL='debug'"}, "LOG_LEVEL stands in quotes, which are part of the value here: take them off"},
		{"guild by name", []string{token, "DISCORD_GUILD_ID=my server"}, `DISCORD_GUILD_ID is "my server": want the server's id, a number such as 81384788765712384, or nothing`},
		{"guild zero", []string{token, "DISCORD_GUILD_ID=0"}, `DISCORD_GUILD_ID is "0": want the server's id, a number such as 81384788765712384, or nothing`},
		{"address without scheme", []string{token, "DISCORD_API_URL=discord.com/api"}, "DISCORD_API_URL is not an address such as https://discord.com/api"},
		{"address of another kind", []string{token, "DISCORD_API_URL=ftp://discord.com"}, "DISCORD_API_URL is not an address such as https://discord.com/api"},
		{"address that does not parse", []string{token, "DISCORD_API_URL=http://u:hunter2@[::1"}, "DISCORD_API_URL is not an address such as https://discord.com/api"},
		{"address with a password", []string{token, "DISCORD_API_URL=http://u:hunter2@host/api"}, "DISCORD_API_URL must be a plain address such as https://discord.com/api, without user, query or fragment"},
		{"address with a query", []string{token, "DISCORD_API_URL=http://host/api?v=10"}, "DISCORD_API_URL must be a plain address such as https://discord.com/api, without user, query or fragment"},
		{"address with a version", []string{token, "DISCORD_API_URL=https://discord.com/api/v10/"}, `DISCORD_API_URL is "https://discord.com/api/v10": leave out "/v10", the program adds the version`},
		{"interval without unit", []string{token, "BACKUP_INTERVAL=24"}, `BACKUP_INTERVAL is "24": want a duration of at least a second, such as 24h or 90m`},
		{"interval zero", []string{token, "BACKUP_INTERVAL=0"}, `BACKUP_INTERVAL is "0": want a duration of at least a second, such as 24h or 90m`},
		{"interval negative", []string{token, "BACKUP_INTERVAL=-1h"}, `BACKUP_INTERVAL is "-1h": want a duration of at least a second, such as 24h or 90m`},
		{"level", []string{token, "LOG_LEVEL=loud"}, `LOG_LEVEL is "loud": want debug, info, warn or error`},
		{"format", []string{token, "LOG_FORMAT=xml"}, `LOG_FORMAT is "xml": want text or json`},
		{"port alone", []string{token, "HTTP_ADDR=9090"}, `HTTP_ADDR is "9090": want host:port, such as 127.0.0.1:9090 or :9090`},
		{"port by name", []string{token, "HTTP_ADDR=:http"}, `HTTP_ADDR is ":http": want host:port, such as 127.0.0.1:9090 or :9090`},
		{"port too large", []string{token, "HTTP_ADDR=:65536"}, `HTTP_ADDR is ":65536": want host:port, such as 127.0.0.1:9090 or :9090`},
		{"all at once", []string{"LOG_LEVEL=loud", "BACKUP_INTERVAL=soon"},
			`BACKUP_INTERVAL is "soon": want a duration of at least a second, such as 24h or 90m; LOG_LEVEL is "loud": want debug, info, warn or error; ` +
				`DISCORD_TOKEN is not set: put the bot's token into .env or the environment, or play without one: paladin sandbox`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(config.Serve, tt.environ, fstest.MapFS{})
			if err == nil {
				t.Fatal("no fault reported")
			}
			if err.Error() != tt.want {
				t.Errorf("fault:\n got %s\nwant %s", err, tt.want)
			}
			var faults config.Faults
			if !errors.As(err, &faults) {
				t.Errorf("fault is a %T, want Faults", err)
			}
		})
	}
}

func TestBrokenDotenv(t *testing.T) {
	for _, tt := range []struct {
		name string
		dir  fs.FS
		want string
	}{
		{"no equals sign", dotenv("LOG_LEVEL=info\n\nsecret-token\n"), ".env line 3 is not of the form NAME=value: mend it or put # before it"},
		{"last line without equals sign", dotenv("LOG_LEVEL=info\nsecrettoken"), ".env has a line without a proper name before its =: every line is NAME=value or starts with #"},
		{"open quote after a quoted value of two lines", dotenv("A='one\ntwo'\nDISCORD_TOKEN=\"secret\n"), ".env line 3 is not of the form NAME=value: mend it or put # before it"},
		{"name with a space", dotenv("MY TOKEN=secret\n"), ".env has a line without a proper name before its =: every line is NAME=value or starts with #"},
		{"UTF-16", dotenv("\xff\xfeD\x00I\x00"), ".env is not UTF-8 text: save it again with that encoding"},
		{"binary", dotenv("A=\x00"), ".env is not UTF-8 text: save it again with that encoding"},
		{"huge", dotenv(strings.Repeat("#\n", 40_000)), ".env is larger than 64 KiB: it should hold lines of the form NAME=value"},
		{"a directory", fstest.MapFS{".env/x": &fstest.MapFile{}}, ".env cannot be read: invalid argument"},
		{"not permitted", deniedFS{}, ".env cannot be read: permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(config.Database, nil, tt.dir)
			if err == nil {
				t.Fatal("no fault reported")
			}
			if err.Error() != tt.want {
				t.Errorf("fault:\n got %s\nwant %s", err, tt.want)
			}
		})
	}
}

type deniedFS struct{}

func (deniedFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name    string
		use     config.Use
		environ []string
		want    []string
	}{
		{"typing mistake", config.Serve, []string{"DISCORD_TOKN=x"}, []string{"DISCORD_TOKN is not a setting of this program and has no effect: did you mean DISCORD_TOKEN?"}},
		{"a word more", config.Serve, []string{"DISCORD_BOT_TOKEN=x"}, []string{"DISCORD_BOT_TOKEN is not a setting of this program and has no effect: did you mean DISCORD_TOKEN?"}},
		{"a word less", config.Serve, []string{"DISCORD_GUILD=x"}, []string{"DISCORD_GUILD is not a setting of this program and has no effect: did you mean DISCORD_GUILD_ID?"}},
		{"a prefix", config.Serve, []string{"PALADIN_LOG_LEVEL=x"}, []string{"PALADIN_LOG_LEVEL is not a setting of this program and has no effect: did you mean LOG_LEVEL?"}},
		{"nothing near", config.Serve, []string{"DISCORD_WEBHOOK=x"}, []string{"DISCORD_WEBHOOK is not a setting of this program and has no effect"}},
		{"in order", config.Serve, []string{"PALADIN_B=1", "PALADIN_A=1", "PALADIN_C="}, []string{
			"PALADIN_A is not a setting of this program and has no effect", "PALADIN_B is not a setting of this program and has no effect"}},
		{"others' names", config.Serve, []string{"LOG_LEVL=x", "TOKEN=x", "HTTP_PROXY=x"}, nil},
		{"interval alone", config.Serve, []string{"BACKUP_INTERVAL=1h"}, []string{"BACKUP_INTERVAL has no effect without BACKUP_DIR"}},
		{"the sandbox ignores DISCORD_*", config.Sandbox, []string{"DISCORD_TOKN=x", "PALADIN_DEKC=x"}, []string{"PALADIN_DEKC is not a setting of this program and has no effect: did you mean PALADIN_DECK?"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustLoad(t, tt.use, fstest.MapFS{}, append(tt.environ, "DISCORD_TOKEN=x")...)
			if diff := cmp.Diff(tt.want, c.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// A token that others can read is warned about where .env has it, and nowhere else.
func TestExposedToken(t *testing.T) {
	warning := func(mode string) []string {
		return []string{".env holds the bot's token and is open to other users of this machine (mode " + mode + "): chmod 600 .env"}
	}
	for _, tt := range []struct {
		name string
		use  config.Use
		text string
		mode fs.FileMode
		want []string
	}{
		{"for all", config.Serve, "DISCORD_TOKEN=x\n", 0o644, warning("0644")},
		{"for the group", config.Serve, "DISCORD_TOKEN=x\n", 0o640, warning("0640")},
		{"its owner's alone", config.Serve, "DISCORD_TOKEN=x\n", 0o600, nil},
		{"without a token", config.Serve, "LOG_LEVEL=info\n", 0o644, nil},
		{"the sandbox", config.Sandbox, "DISCORD_TOKEN=x\n", 0o644, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("Windows has no such modes")
			}
			dir := fstest.MapFS{".env": {Data: []byte(tt.text), Mode: tt.mode}}
			c := mustLoad(t, tt.use, dir, "DISCORD_TOKEN=y")
			if diff := cmp.Diff(tt.want, c.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// The sandbox must not see, use or judge what belongs to a real bot.
func TestSandboxIgnoresTheRealBot(t *testing.T) {
	c := mustLoad(t, config.Sandbox, dotenv("DISCORD_TOKEN=not a token\nDATABASE_PATH=real.db\nBACKUP_DIR=backups\n"),
		"DISCORD_API_URL=nonsense", "DISCORD_GUILD_ID=nonsense", "LOG_LEVEL=error", "PALADIN_DECK=deck.json")
	want := defaults()
	want.BackupDir, want.LogLevel, want.DeckPath = "backups", slog.LevelError, "deck.json"
	if diff := cmp.Diff(want, c, compareSecrets); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// A command that only needs the database must not stumble over the rest.
func TestDatabaseReadsOnlyItsPath(t *testing.T) {
	c := mustLoad(t, config.Database, fstest.MapFS{}, "DATABASE_PATH=other.db", "LOG_LEVEL=loud", "DISCORD_TOKEN=not a token")
	want := defaults()
	want.DatabasePath = "other.db"
	if diff := cmp.Diff(want, c, compareSecrets); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestVariablesIsACopy(t *testing.T) {
	config.Variables()[0].Name = "CHANGED"
	if got := config.Variables()[0].Name; got != "DISCORD_TOKEN" {
		t.Errorf("a caller changed the table: first name is now %q", got)
	}
}

// Whatever stands in the environment and in .env, loading ends with settings or
// with one line, and that line never holds the token.
func FuzzLoad(f *testing.F) {
	f.Add("LOG_LEVEL=info\n", "abc def")
	f.Add("DISCORD_TOKEN=\"${X}\nA", "x")
	f.Add("export A='b", "")
	f.Fuzz(func(t *testing.T, file, token string) {
		const marker = "s3cr3t"
		environ := []string{"DISCORD_TOKEN=" + marker + token}
		_, err := config.Load(config.Serve, environ, dotenv(file+"\nDISCORD_TOKEN="+marker))
		if err == nil {
			return
		}
		if strings.Contains(err.Error(), marker) {
			t.Errorf("the fault tells the token: %v", err)
		}
		if strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("the fault is more than one line: %q", err)
		}
	})
}
