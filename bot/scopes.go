package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/store"
)

const (
	// scopesKey is the setting that says where the commands are registered.
	scopesKey = "commands"
	// scopesKept bounds in how many places they are remembered to be left.
	scopesKept = 32
	// scopesAsked is at how many starts a scope is asked for that the bot cannot reach: Discord says
	// so at random after an outage.
	scopesAsked = 3
)

// scopes are the places in which the commands may be registered: guilds, or "" for all of Discord.
// Registering in one leaves the others' as they are, and clients show each of them.
type scopes struct {
	store store.Store
	// In holds them, in the order in which they were used.
	In []string `json:"in"`
	// Unreached counts by scope at how many starts it was out of reach.
	Unreached map[string]int `json:"unreached,omitempty"`
}

// errScopes marks a damaged note. It is written anew, as if no program had stored one yet.
var errScopes = errors.New("the note of where commands are registered cannot be read")

// loadScopes reads where the commands may be registered. known is false where no program has stored
// it yet.
func loadScopes(ctx context.Context, s store.Store) (in *scopes, known bool, err error) {
	in = &scopes{store: s}
	data, known, err := s.Get(ctx, scopesKey)
	if err != nil {
		return in, false, fmt.Errorf("where the commands are registered: %w", err)
	}
	if !known {
		return in, false, nil
	}
	if err := json.Unmarshal(data, in); err != nil {
		return &scopes{store: s}, false, fmt.Errorf("%w: %w", errScopes, err)
	}
	return in, true, nil
}

func (s *scopes) save(ctx context.Context) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return s.store.Put(ctx, scopesKey, data)
}

// enter notes that the commands are about to be registered in a scope: before it happens, so that a
// crash leaves none that nobody knows. Earlier programs stored nothing; where they registered in
// one guild, they may have left global commands behind.
func (s *scopes) enter(ctx context.Context, scope string, known bool) error {
	before := slices.Clone(s.In)
	if !known && scope != "" {
		s.In = append(s.In, "")
	}
	s.leave(scope)
	s.In = append(s.In, scope)
	s.In = s.In[max(0, len(s.In)-scopesKept):]
	if slices.Equal(before, s.In) {
		return nil
	}
	return s.save(ctx)
}

// leave forgets a scope.
func (s *scopes) leave(scope string) {
	s.In = slices.DeleteFunc(s.In, func(in string) bool { return in == scope })
	delete(s.Unreached, scope)
}

// unreached notes that a scope was out of reach at one more start, and forgets it when that was so
// often enough. It returns how often.
func (s *scopes) unreached(scope string) int {
	if s.Unreached == nil {
		s.Unreached = map[string]int{}
	}
	s.Unreached[scope]++
	asked := s.Unreached[scope]
	if asked >= scopesAsked {
		s.leave(scope)
	}
	return asked
}

// enterScope notes where the commands are about to be registered. What cannot be stored does not
// keep the bot from serving: then nothing is cleared, this time.
func (s *Service) enterScope(ctx context.Context) *scopes {
	scope := s.Client.CommandScope()
	in, known, err := loadScopes(ctx, s.App.store)
	if errors.Is(err, errScopes) {
		s.App.log.Warn("commands registered in another server before may not be cleared", "error", err)
		err = nil
	}
	if err == nil {
		err = in.enter(ctx, scope, known)
	}
	if err != nil {
		s.App.log.Error("commands registered elsewhere before are not cleared", "error", err)
		return &scopes{}
	}
	if !known && scope == "" {
		s.App.log.Debug("in which server commands were registered before, if in any, is not known")
	}
	return in
}

// leaveScopes deletes the commands from where they were registered before. They are registered
// where they shall be by now, so that they are never nowhere. What fails is tried again at the next
// start.
func (s *Service) leaveScopes(ctx context.Context, in *scopes) {
	var names []string
	for _, cmd := range render.Commands() {
		names = append(names, cmd.Name)
	}
	changed := false
	for _, scope := range slices.Clone(in.In) {
		if scope == s.Client.CommandScope() {
			continue
		}
		n, err := s.dropCommands(ctx, scope, names)
		where := "all servers"
		if scope != "" {
			where = "server " + scope
		}
		switch discord.Classify(err) {
		case discord.None:
			in.leave(scope)
			if n > 0 {
				s.App.log.Info("commands registered before are cleared", "where", where, "commands", n)
			}
		case discord.UnknownGuild, discord.MissingAccess:
			asked := in.unreached(scope)
			s.App.log.Info("commands registered before are out of reach: the bot seems not to be there any more",
				"where", where, "starts", asked, "error", err)
		default:
			if ctx.Err() == nil {
				s.App.log.Warn("commands registered before cannot be cleared; the next start tries again", "where", where, "error", err)
			}
			continue
		}
		changed = true
	}
	if !changed {
		return
	}
	if err := in.save(ctx); err != nil && !errors.Is(err, context.Canceled) {
		s.App.log.Error("that commands were cleared cannot be stored", "error", err)
	}
}

func (s *Service) dropCommands(ctx context.Context, scope string, names []string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return s.Client.DropCommands(ctx, scope, names)
}
