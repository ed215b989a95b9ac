package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"paladin/config"
	"paladin/sandbox"
)

type sandboxCmd struct {
	Addr     string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where the page is, on this machine only (default: 127.0.0.1:8080; port 0 takes a free one)."`
	Database string `default:"paladin-sandbox.db" placeholder:"FILE" help:"The bot's database (default: paladin-sandbox.db); the local Discord keeps its own file beside it."`
}

// Run runs the bot against the local Discord until a signal ends it. What the
// settings say about a real bot, its token and its database, is not looked at.
func (c *sandboxCmd) Run(p *process) error {
	cfg, deck, err := p.hostSettings(config.Sandbox)
	if err != nil {
		return err
	}
	if c.Database == "" {
		return errors.New("--database is empty: name a file, such as paladin-sandbox.db")
	}
	cfg.DatabasePath = c.Database
	listener, url, err := sandbox.Listen(c.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--addr: %w; choose another port, or 0 for a free one", err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--addr: %w; choose a port above 1023, or 0 for a free one", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--addr: %w; use 127.0.0.1 or localhost as its host", err)
	case err != nil:
		return fmt.Errorf("--addr: %w", err)
	}
	defer listener.Close()
	return p.runHost(cfg, deck, func(ctx context.Context, h *host) error {
		return p.serveSandbox(ctx, h, listener, url)
	})
}

// discordFile is where the local Discord keeps its own side: beside the bot's
// database, so that the two are moved, copied and deleted together.
func discordFile(database string) string {
	ext := filepath.Ext(database)
	return strings.TrimSuffix(database, ext) + "-discord" + ext
}
