package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"paladin/config"
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
	cfg.DatabasePath = c.Database
	listener, err := listenLoopback(c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	return p.runHost(cfg, deck, func(ctx context.Context, h *host) error {
		return p.serveSandbox(ctx, h, listener)
	})
}

// serveSandbox runs the local Discord on the listener and the bot against it.
func (p *process) serveSandbox(ctx context.Context, h *host, listener net.Listener) error {
	fmt.Fprintf(p.stdout, "sandbox: http://%s/\n", listener.Addr())
	h.state.set("")
	<-ctx.Done()
	return nil
}

// listenLoopback listens on addr if that is this machine and nothing else: the
// page lets anybody who reaches it be anybody.
func listenLoopback(addr string) (net.Listener, error) {
	hostName, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("--addr is %q: want host:port, such as 127.0.0.1:8080", addr)
	}
	if hostName == "localhost" {
		hostName = "127.0.0.1" // the name may resolve to anything
	}
	ip := net.ParseIP(hostName)
	if ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("--addr is %q: the sandbox stays on this machine: give 127.0.0.1:%s", addr, port)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(hostName, port))
	if err != nil {
		var opErr *net.OpError
		if errors.As(err, &opErr) {
			err = opErr.Err
		}
		return nil, fmt.Errorf("--addr is %q: %w: choose another port, 0 takes a free one", addr, err)
	}
	return listener, nil
}

// discordFile is where the local Discord keeps its own side: beside the bot's
// database, so that the two are moved, copied and deleted together.
func discordFile(database string) string {
	ext := filepath.Ext(database)
	return strings.TrimSuffix(database, ext) + "-discord" + ext
}
