package bot

import (
	"context"
	"encoding/json"
	"errors"
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

// Run serves until ctx ends; then it takes nothing new, answers what it received, and returns nil. No game is told goodbye: it goes on
// at the next start. A *discord.FatalError means that going on makes no sense.
func (s *Service) Run(ctx context.Context) error {
	if err := s.App.Start(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	gateway, hangUp := context.WithCancel(ctx)
	defer hangUp()
	err := s.Client.Run(gateway, func(e discord.Event) { s.handle(gateway, e) })
	hangUp()
	s.setup.Wait()
	return errors.Join(err, s.App.Stop(context.WithoutCancel(ctx)))
}

func (s *Service) handle(ctx context.Context, e discord.Event) {
	ready, ok := e.(*discord.Ready)
	if !ok {
		s.App.Handle(e)
		return
	}
	s.once.Do(func() {
		s.App.spawn(func() { s.App.missed(ready) }, nil)
		s.setup.Add(1)
		go func() {
			defer s.setup.Done()
			s.welcome(ctx, ready.ApplicationID)
		}()
	})
}

// welcome registers the commands, as often as it takes, and clears them where they were registered before.
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
		s.App.log.Error("the commands cannot be registered", "again", wait, "error", err)
		switch discord.Classify(err) {
		case discord.CommandLimit, discord.Invalid, discord.Unauthorized:
			return // asking again cannot help, and counts
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
		s.App.emojis.Run(ctx) // until the end: pictures of a newer program take their turn, nobody waits for them
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
