package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"paladin/config"
	"paladin/game/paladin"
	"paladin/store"
)

// A host is what serve and sandbox run the bot in: its log, its open database,
// metrics, health and backups. The bot gets a context that ends with SIGINT or
// SIGTERM and finishes what it has in hand before it returns.
type host struct {
	cfg      config.Config
	deck     paladin.Deck
	log      *slog.Logger
	db       *store.DB
	registry *prometheus.Registry
	state    *readiness
}

// hostSettings reads the settings and what they point to, and reports all faults
// together.
func (p *process) hostSettings(use config.Use) (config.Config, paladin.Deck, error) {
	cfg, err := config.Load(use, p.environ, p.dir)
	var faults config.Faults
	if err != nil && !errors.As(err, &faults) {
		return config.Config{}, paladin.Deck{}, fmt.Errorf("settings: %w", err)
	}
	deck, err := loadDeck(cfg.DeckPath)
	if err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		return config.Config{}, paladin.Deck{}, faults
	}
	return cfg, deck, nil
}

// loadDeck reads the deck that new games are played with.
func loadDeck(path string) (paladin.Deck, error) {
	if path == "" {
		return paladin.HouseDeck(), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return paladin.Deck{}, fmt.Errorf("PALADIN_DECK: cannot read %s: %w", path, cause(err))
	}
	deck, err := paladin.ParseDeck(data)
	if err != nil {
		return paladin.Deck{}, fmt.Errorf("PALADIN_DECK: %s is not a deck: %w", path, err)
	}
	return deck, nil
}

// newLog returns the log that the settings ask for.
func newLog(cfg config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// runHost opens everything the bot needs, runs it until it returns or a signal
// ends it, and closes everything in the reverse order. An end by signal is nil.
func (p *process) runHost(cfg config.Config, deck paladin.Deck, bot func(context.Context, *host) error) (err error) {
	log := newLog(cfg, p.stderr)
	for _, w := range cfg.Warnings {
		log.Warn(w)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Whoever asks a second time does not want to wait: from the first signal on
	// the next one ends the process at once.
	context.AfterFunc(ctx, stop)

	db, err := openDatabase(cfg, log)
	if err != nil {
		return databaseFault(cfg.DatabasePath, !cfg.DiscordToken.IsEmpty(), err)
	}
	defer func() {
		if cerr := db.Close(); cerr != nil {
			err = errors.Join(err, fmt.Errorf("close the database: %w", cerr))
		}
	}()
	if mode, open := openToOthers(cfg.DatabasePath); open && !cfg.DiscordToken.IsEmpty() { // a real bot's
		log.Warn("the database, with everybody's cards and seeds, is open to other users of this machine: chmod 600 "+cfg.DatabasePath,
			"database", cfg.DatabasePath, "mode", fmt.Sprintf("%04o", mode))
	}
	h := &host{cfg: cfg, deck: deck, log: log, db: db, registry: newRegistry(), state: newReadiness()}

	var listener net.Listener
	if cfg.HTTPAddr != "" {
		if listener, err = net.Listen("tcp", cfg.HTTPAddr); err != nil {
			return fmt.Errorf("HTTP_ADDR: %w: choose another address", err)
		}
	}
	return h.run(ctx, listener, bot)
}

// openToOthers reports whether other users of this machine may use a file, and its mode. Windows has no
// such modes.
func openToOthers(path string) (mode os.FileMode, open bool) {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return 0, false
	}
	mode = info.Mode().Perm()
	return mode, mode&0o077 != 0
}

// run runs the bot and what stands around it until the bot returns.
func (h *host) run(ctx context.Context, listener net.Listener, bot func(context.Context, *host) error) error {
	around, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	if listener != nil {
		wg.Go(func() { serveMonitor(around, h.log, listener, monitorHandler(h.registry, h.state.err)) })
	}
	demand, stopDemand := backupDemand()
	wg.Go(func() { newBackups(h).run(around, demand) })

	err := bot(ctx, h)
	h.state.set(stateStopping)
	stopDemand()
	cancel()
	wg.Wait()
	h.log.Info("stopped; games go on at the next start")
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewBuildInfoCollector(),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}

// A readiness is the reason why the bot cannot serve anybody yet, or any more.
type readiness struct {
	mu     sync.Mutex
	reason string
	probe  func() string
}

// stateStopping is the reason from the signal on that ends the program.
const stateStopping = "stopping"

func newReadiness() *readiness { return &readiness{reason: "starting"} }

// set gives the reason; empty means that the bot is ready. A program that stops
// is never ready again, even if it just got so.
func (r *readiness) set(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reason != stateStopping {
		r.reason = reason
	}
}

// ask sets what is asked each time once the bot is ready: it gives the reason why nobody can be served just now, or nothing.
func (r *readiness) ask(probe func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probe = probe
}

func (r *readiness) err() error {
	r.mu.Lock()
	reason, probe := r.reason, r.probe
	r.mu.Unlock()
	if reason == "" && probe != nil {
		reason = probe()
	}
	if reason == "" {
		return nil
	}
	return errors.New(reason)
}

// newBackups copies into BACKUP_DIR.
func newBackups(h *host) *backups {
	b := &backups{to: h.db.BackupTo, dir: h.cfg.BackupDir, interval: h.cfg.BackupInterval, log: h.log}
	b.total = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "paladin_backups_total",
		Help: "Copies of the database that were tried, by result.",
	}, []string{"result"})
	h.registry.MustRegister(b.total)
	b.last = newestCopy(b.dir, h.cfg.DatabasePath, time.Now())
	return b
}
