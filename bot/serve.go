package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/store"
)

// Service is the whole bot: an App on a Discord that it is connected to.
type Service struct {
	App    *App
	Client *discord.Client
	// Ready, if set, is called once with the application's id when Discord has welcomed the bot and its commands are registered.
	Ready func(applicationID string)

	welcomed atomic.Bool
	once     sync.Once
	setup    sync.WaitGroup
}

// Healthy reports whether the bot is connected and its commands are registered.
func (s *Service) Healthy() bool { return s.welcomed.Load() && s.Client.Connected() }

// Run serves until ctx ends; then it begins nothing new, answers what it received, and returns nil.
// No game is told goodbye: it goes on at the next start. A *discord.FatalError means that going on
// makes no sense. The gateway goes last: until then whoever presses gets an answer.
func (s *Service) Run(ctx context.Context) error {
	s.App.reach.follow(s.Client, s.App.clock.Now()) // no press can arrive before the first connection
	if err := s.App.Start(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	serving, end := context.WithCancel(ctx)
	defer end()
	gateway, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	var err error
	gone := make(chan struct{})
	beside(s.App.log, "the gateway", func() {
		defer close(gone)
		defer asError(&err)
		err = s.Client.Run(gateway, func(e discord.Event) { s.handle(serving, e) })
	})
	select {
	case <-gone:
	case <-ctx.Done():
	}
	end()
	unfinished := s.App.end(context.WithoutCancel(ctx), func() {
		hangUp()
		<-gone
	})
	s.setup.Wait()
	if unfinished != nil {
		s.App.log.Warn("the end did not wait for everything; what is left goes out at the next start", "error", unfinished)
	}
	return err
}

func (s *Service) handle(ctx context.Context, e discord.Event) {
	s.App.Handle(e)
	ready, ok := e.(*discord.Ready)
	if !ok {
		return
	}
	s.once.Do(func() {
		s.setup.Add(2)
		beside(s.App.log, "the examination of live tables", func() {
			defer s.setup.Done()
			s.App.examine(ctx)
		})
		beside(s.App.log, "the setup", func() {
			defer s.setup.Done()
			s.welcome(ctx, ready.ApplicationID)
		})
	})
}

// commandsRefused is the wait after the commands were refused: asking again soon cannot help, and
// counts; one refusal may be wrong.
const commandsRefused = time.Hour

// welcome registers the commands, as often as it takes, and clears them where they were registered
// before.
func (s *Service) welcome(ctx context.Context, application string) {
	before := s.enterScope(ctx)
	for wait := time.Second; ; wait = min(2*wait, 5*time.Minute) {
		_, err := s.Client.SyncCommands(ctx, "", render.Commands())
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		class := discord.Classify(err)
		if class == discord.CommandLimit || class == discord.Invalid {
			wait = commandsRefused
		}
		s.App.log.Error("the commands cannot be registered", "again", wait, "error", err)
		if class == discord.Unauthorized {
			return
		}
		timer := s.App.clock.Timer(wait)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
	if application == "" {
		if app, err := s.Client.Application(ctx); err == nil {
			application = app.ID
		}
	}
	s.welcomed.Store(true)
	if s.Ready != nil {
		s.Ready(application)
	}
	s.leaveScopes(ctx, before)
	if s.App.emojis != nil {
		s.App.emojis.keep(ctx) // until the end: pictures of a newer program take their turn, nobody waits for them
	}
}

// InviteLink is where an administrator invites the bot with exactly the permissions that it needs.
func InviteLink(applicationID string) string {
	return "https://discord.com/oauth2/authorize?client_id=" + applicationID + "&scope=bot+applications.commands&permissions=" +
		strconv.FormatUint(InvitePermissions, 10)
}

const identifiesKey = "identifies"

// IdentifyBudget keeps the count of gateway logins in the store, for discord.Config: Discord resets the token of a bot that logs in too
// often in a day, whatever its process does.
func IdentifyBudget(s store.Store) (load func() (discord.Identifies, error), save func(discord.Identifies) error) {
	load = func() (discord.Identifies, error) {
		var n discord.Identifies
		data, ok, err := s.Get(context.Background(), identifiesKey)
		if err != nil || !ok {
			return n, err
		}
		return n, json.Unmarshal(data, &n)
	}
	save = func(n discord.Identifies) error {
		data, err := json.Marshal(n)
		if err != nil {
			return err
		}
		return s.Put(context.Background(), identifiesKey, data)
	}
	return load, save
}
