package bench

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/bwmarrin/discordgo"
	bolt "go.etcd.io/bbolt"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/game/table"
	"paladin/store"
)

const (
	oursToken = "ours"
	echoToken = "echo"
)

// weighed is a store that adds up what its commits are given to store.
type weighed struct {
	store.Store
	commits, bytes atomic.Int64
}

func (w *weighed) Commit(ctx context.Context, c store.Change) (store.Committed, error) {
	size := len(c.Snapshot) + len(c.Interaction)
	for _, e := range c.Entries {
		size += len(e)
	}
	for _, in := range c.Intents {
		size += len(in.Key) + len(in.Channel) + len(in.Payload)
	}
	w.commits.Add(1)
	w.bytes.Add(int64(size))
	return w.Store.Commit(ctx, c)
}

// mean is the size of a commit in bytes.
func (w *weighed) mean() int { return int(w.bytes.Load() / max(1, w.commits.Load())) }

// ours is the bot as it runs, on a database on disk.
type ours struct {
	link  *link
	app   *bot.App
	db    *store.DB
	sizes *weighed
}

func startOurs(tb testing.TB, d *loopback) *ours {
	tb.Helper()
	db, err := store.Open(filepath.Join(tb.TempDir(), "ours.db"), store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	client, err := discord.New(discord.Config{Token: oursToken, APIURL: d.api})
	if err != nil {
		tb.Fatal(err)
	}
	o := &ours{db: db, sizes: &weighed{Store: db}}
	if o.app, err = bot.New(bot.Config{Store: o.sizes, Discord: client, Pace: table.SquireAtOnce}); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- (&bot.Service{App: o.app, Client: client}).Run(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Error(err)
		}
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	o.link = d.connected(oursToken, true)
	return o
}

// local sends discordgo's requests, which go to a fixed address, to the loopback instead.
type local struct {
	to      *url.URL
	network http.RoundTripper
}

func (l *local) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host, r.Host = l.to.Scheme, l.to.Host, ""
	return l.network.RoundTrip(r)
}

// startEcho starts a bot that does nothing but put one value of the given size durably and answer: a discordgo Session as New makes
// it, with one handler. It gets as many idle connections as our bot; with http.DefaultTransport's two it would dial for nearly every
// answer at 16 in flight.
func startEcho(tb testing.TB, d *loopback, size int) *link {
	tb.Helper()
	db, err := bolt.Open(filepath.Join(tb.TempDir(), "echo.db"), 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		tb.Fatal(err)
	}
	bucket := []byte("presses")
	if err := db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket(bucket); return err }); err != nil {
		tb.Fatal(err)
	}
	s, err := discordgo.New("Bot " + echoToken)
	if err != nil {
		tb.Fatal(err)
	}
	base, err := url.Parse(d.api)
	if err != nil {
		tb.Fatal(err)
	}
	s.Client.Transport = &local{to: base, network: &http.Transport{MaxIdleConnsPerHost: 32}}
	value := make([]byte, size)
	s.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		err := db.Update(func(tx *bolt.Tx) error { return tx.Bucket(bucket).Put([]byte(i.ChannelID), value) })
		if err == nil {
			err = s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
				Type: discordgo.InteractionResponseUpdateMessage,
				Data: &discordgo.InteractionResponseData{Content: i.MessageComponentData().CustomID},
			})
		}
		if err != nil {
			tb.Error(err)
		}
	})
	if err := s.Open(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = s.Close()
		_ = db.Close()
	})
	return d.connected(echoToken, false)
}
