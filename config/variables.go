package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const tokenName = "DISCORD_TOKEN"

// A Variable is one setting as people write it.
type Variable struct {
	Name    string
	Default string // empty: none

	uses Use
	set  func(c *Config, value string) error
}

// Variables returns every setting the program knows, in the order of
// .env.example.
func Variables() []Variable {
	return append([]Variable(nil), variables...)
}

var variables = []Variable{
	{Name: tokenName, uses: Serve, set: setToken},
	{Name: "DISCORD_GUILD_ID", uses: Serve, set: setGuildID},
	{Name: "DISCORD_API_URL", Default: "https://discord.com/api", uses: Serve, set: setAPIURL},
	{Name: "DATABASE_PATH", Default: "paladin.db", uses: Serve | Database, set: setDatabasePath},
	{Name: "BACKUP_DIR", uses: Serve | Sandbox, set: setBackupDir},
	{Name: "BACKUP_INTERVAL", Default: "24h", uses: Serve | Sandbox, set: setBackupInterval},
	{Name: "LOG_LEVEL", Default: "info", uses: Serve | Sandbox, set: setLogLevel},
	{Name: "LOG_FORMAT", Default: LogText, uses: Serve | Sandbox, set: setLogFormat},
	{Name: "HTTP_ADDR", uses: Serve | Sandbox, set: setHTTPAddr},
	{Name: "PALADIN_DECK", uses: Serve | Sandbox | Simulate, set: setDeckPath},
}

// setToken accepts a token copied with the word that stands before it in an
// Authorization header. Beyond that any token goes: other servers that speak
// Discord's API have tokens of another form. The faults never quote the value.
func setToken(c *Config, value string) error {
	value = strings.TrimSpace(strings.TrimPrefix(value+" ", "Bot "))
	if strings.ContainsAny(value, "\"'`“”„‘’‚«»") {
		return errors.New("holds a quotation mark, which no token has: take it off")
	}
	notInHeader := func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII || r == 0x7f }
	if strings.ContainsFunc(value, notInHeader) {
		return errors.New("holds a space, a line break or a character outside ASCII: copy the token again from the developer portal")
	}
	if value != "" {
		c.DiscordToken = NewSecret(value)
	}
	return nil
}

func setGuildID(c *Config, value string) error {
	if value != "" {
		if n, err := strconv.ParseUint(value, 10, 64); err != nil || n == 0 {
			return fmt.Errorf("is %q: want the server's id, a number such as 81384788765712384, or nothing", value)
		}
	}
	c.DiscordGuildID = value
	return nil
}

var versionSuffix = regexp.MustCompile(`/v[0-9]+$`)

func setAPIURL(c *Config, value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		// url.Parse's own error quotes the address, which may carry a password.
		return errors.New("is not an address such as https://discord.com/api")
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return errors.New("must be a plain address such as https://discord.com/api, without user, query or fragment")
	}
	value = strings.TrimRight(value, "/")
	if v := versionSuffix.FindString(value); v != "" {
		return fmt.Errorf("is %q: leave out %q, the program adds the version", value, v)
	}
	c.DiscordAPIURL = value
	return nil
}

func setDatabasePath(c *Config, value string) error {
	c.DatabasePath = value
	return nil
}

func setBackupDir(c *Config, value string) error {
	c.BackupDir = value
	return nil
}

func setBackupInterval(c *Config, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second {
		return fmt.Errorf("is %q: want a duration of at least a second, such as 24h or 90m", value)
	}
	c.BackupInterval = d
	return nil
}

func setLogLevel(c *Config, value string) error {
	switch strings.ToLower(value) {
	case "debug":
		c.LogLevel = slog.LevelDebug
	case "info":
		c.LogLevel = slog.LevelInfo
	case "warn", "warning":
		c.LogLevel = slog.LevelWarn
	case "error":
		c.LogLevel = slog.LevelError
	default:
		return fmt.Errorf("is %q: want debug, info, warn or error", value)
	}
	return nil
}

func setLogFormat(c *Config, value string) error {
	switch f := strings.ToLower(value); f {
	case LogText, LogJSON:
		c.LogFormat = f
		return nil
	}
	return fmt.Errorf("is %q: want %s or %s", value, LogText, LogJSON)
}

func setHTTPAddr(c *Config, value string) error {
	if value != "" {
		_, port, err := net.SplitHostPort(value)
		if n, perr := strconv.ParseUint(port, 10, 16); err != nil || perr != nil || strconv.FormatUint(n, 10) != port {
			return fmt.Errorf("is %q: want host:port, such as 127.0.0.1:9090 or :9090", value)
		}
	}
	c.HTTPAddr = value
	return nil
}

func setDeckPath(c *Config, value string) error {
	c.DeckPath = value
	return nil
}
