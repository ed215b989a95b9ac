package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/game/table"
	"paladin/sandbox"
)

// connection is what the bot needs to know of the Discord it talks to.
type connection struct {
	token   string
	apiURL  string
	guildID string
	pace    table.SquirePace
	// emojiPause lies between the uploads of two emojis; 0: what Discord likes.
	emojiPause time.Duration
	ready      func(applicationID string)
}

// runBot connects the bot and serves until ctx ends.
func (h *host) runBot(ctx context.Context, c connection) error {
	load, save := bot.IdentifyBudget(h.db)
	client, err := discord.New(discord.Config{
		Token: c.token, APIURL: c.apiURL, GuildID: c.guildID, Log: h.log, UserAgent: userAgent(),
		Observe: observeCalls(h.registry), LoadIdentifies: load, SaveIdentifies: save,
	})
	if err != nil {
		return err
	}
	app, err := bot.New(bot.Config{Store: h.db, Discord: client, Emojis: client, EmojiPause: c.emojiPause, Log: h.log, Deck: &h.deck, Pace: c.pace})
	if err != nil {
		return err
	}
	service := &bot.Service{App: app, Client: client, Ready: func(application string) {
		if ctx.Err() != nil {
			return
		}
		h.state.set("")
		c.ready(application)
		debug.FreeOSMemory() // what only the start needed, which is more than the rest
	}}
	h.state.ask(func() string { return trouble(client, h.db) })
	slog.SetDefault(h.log) // discordgo has one logger for the whole process, and the edge sends it here
	h.log.Info("connecting", "api", c.apiURL)
	h.state.set("connecting to Discord")
	stopping := context.AfterFunc(ctx, func() { h.state.set(stateStopping) })
	defer stopping()
	err = service.Run(ctx)
	var fatal *discord.FatalError
	if errors.As(err, &fatal) {
		return errors.New(fatal.Text)
	}
	return err
}

// trouble is why nobody can be served just now, empty if everybody can.
func trouble(client interface {
	Connected() bool
	Trouble() string
}, db interface {
	Accepts(ctx context.Context) error
}) string {
	// Whoever asks for the state does not wait for a disk that hangs.
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := db.Accepts(ctx); err != nil {
		return "the database accepts no writes: " + oneLine(err.Error())
	}
	if !client.Connected() {
		return "not connected to Discord; games wait and nothing is lost"
	}
	return client.Trouble()
}

// userAgent names the program in the shape that Discord asks for: an address and a version.
func userAgent() string {
	info, _ := debug.ReadBuildInfo()
	_, named, _ := strings.Cut(describeBuild(info, version, commit), " ")
	number, _, _ := strings.Cut(named, ",")
	return "DiscordBot (https://discord.com, paladin " + number + ")"
}

// observeCalls counts what is asked of Discord.
func observeCalls(registry prometheus.Registerer) func(discord.Call) {
	calls := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "paladin_discord_request_seconds",
		Help:    "Requests to Discord by route, status and Discord's error code; counted tells whether they fall under the bot's 50 a second.",
		Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 15},
	}, []string{"method", "route", "status", "code", "counted"})
	registry.MustRegister(calls)
	return func(c discord.Call) {
		calls.WithLabelValues(c.Method, c.Route, strconv.Itoa(c.Status), strconv.Itoa(c.Code), strconv.FormatBool(c.Counted)).
			Observe(c.Duration.Seconds())
	}
}

// serveDiscord is the bot on Discord itself.
func serveDiscord(ctx context.Context, h *host) error {
	return h.runBot(ctx, connection{
		token: h.cfg.DiscordToken.Reveal(), apiURL: h.cfg.DiscordAPIURL, guildID: h.cfg.DiscordGuildID, pace: table.SquireHuman,
		ready: func(application string) {
			h.log.Info("ready", "invite", bot.InviteLink(application))
		},
	})
}

// serveSandbox runs the local Discord on the listener and the bot against it. Its end is ordered: the bot answers what it received,
// then the page goes.
func (p *process) serveSandbox(ctx context.Context, h *host, listener net.Listener, url string) error {
	local, err := sandbox.Open(sandbox.Config{Path: discordFile(h.cfg.DatabasePath), Log: h.log})
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	defer local.Close()
	server := &http.Server{
		Handler: local.Mount(), ReadHeaderTimeout: 5 * time.Second,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	defer server.Close()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintln(p.stdout, url)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan error, 1)
	go func() {
		stopped <- h.runBot(ctx, connection{
			token: local.Token(), apiURL: "http://" + listener.Addr().String() + "/api", pace: table.SquireAtOnce,
			emojiPause: 60 * time.Millisecond, // as fast as the sandbox takes them: somebody looks at the page already
			ready:      func(string) { h.log.Info("ready", "page", url) },
		})
	}()
	select {
	case err = <-stopped:
		return err
	case err = <-served:
		cancel()
		return errors.Join(fmt.Errorf("sandbox: the page is gone: %w", err), <-stopped)
	}
}
