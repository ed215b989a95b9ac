package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/bwmarrin/discordgo"
)

// GetCommands lists the registered commands of a guild, or with an empty guild
// the global ones.
func (c *Client) GetCommands(ctx context.Context, app, guild string) ([]*discordgo.ApplicationCommand, error) {
	rq := commandsRequest("list commands", http.MethodGet, app, guild)
	rq.path += "?with_localizations=true"
	var list []*discordgo.ApplicationCommand
	if err := c.fetch(ctx, rq, &list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(cmd *discordgo.ApplicationCommand) bool { return cmd == nil }), nil
}

// globalOnly are the fields that Discord takes of global commands alone.
var globalOnly = []string{"contexts", "integration_types"}

// PutCommands replaces all commands of a guild, or with an empty guild the
// global ones, of every type. What only global commands can say is left out in
// a guild.
func (c *Client) PutCommands(ctx context.Context, app, guild string, commands []*discordgo.ApplicationCommand) error {
	rq := commandsRequest("register commands", http.MethodPut, app, guild)
	tree, err := plain(commands)
	if err != nil {
		return invalid(rq.op, "cannot be encoded: %v", err)
	}
	if tree == nil {
		tree = []any{}
	}
	if list, ok := tree.([]any); ok && guild != "" {
		for _, cmd := range list {
			m, _ := cmd.(map[string]any)
			for _, key := range globalOnly {
				delete(m, key)
			}
		}
	}
	if err := rq.json(dropNulls(tree)); err != nil {
		return err
	}
	_, err = c.do(ctx, rq)
	return err
}

// SyncCommands registers commands if they differ from those registered, in the
// guild given, else in the configured guild, else globally. It reports whether
// it had to.
func (c *Client) SyncCommands(ctx context.Context, guild string, commands []*discordgo.ApplicationCommand) (changed bool, err error) {
	guild = cmp.Or(guild, c.cfg.GuildID)
	app := c.identity().app
	if app == "" {
		a, err := c.Application(ctx)
		if err != nil {
			return false, err
		}
		app = a.ID
	}
	registered, err := c.GetCommands(ctx, app, guild)
	if class := Classify(err); class == Unauthorized || class == Cancelled || class == RateLimited || class == Cloudflare {
		return false, err
	}
	// A list that could not be had is no reason not to register.
	if err == nil && sameCommands(registered, commands, guild != "") {
		return false, nil
	}
	if err := c.PutCommands(ctx, app, guild, commands); err != nil {
		return false, err
	}
	return true, nil
}

func commandsRequest(op, method, app, guild string) *request {
	rq := &request{
		op: op, method: method, safe: true,
		route: "/applications/{application}/commands",
		path:  "/applications/" + url.PathEscape(app) + "/commands",
	}
	if guild != "" {
		rq.major = guild
		rq.route = "/applications/{application}/guilds/{guild}/commands"
		rq.path = "/applications/" + url.PathEscape(app) + "/guilds/" + url.PathEscape(guild) + "/commands"
	}
	return rq
}

// sameCommands compares what a user would see, whatever the server added.
func sameCommands(have, want []*discordgo.ApplicationCommand, inGuild bool) bool {
	a, errA := canonical(have, inGuild)
	b, errB := canonical(want, inGuild)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// canonical brings commands to one form: by kind and name, without ids, and with
// defaults left out.
func canonical(commands []*discordgo.ApplicationCommand, inGuild bool) ([]any, error) {
	list := slices.Clone(commands)
	list = slices.DeleteFunc(list, func(cmd *discordgo.ApplicationCommand) bool { return cmd == nil })
	slices.SortStableFunc(list, func(x, y *discordgo.ApplicationCommand) int {
		return cmp.Or(cmp.Compare(max(x.Type, 1), max(y.Type, 1)), cmp.Compare(x.Name, y.Name))
	})
	out := make([]any, 0, len(list))
	for _, cmd := range list {
		tree, err := plain(cmd)
		if err != nil {
			return nil, err
		}
		m, _ := tree.(map[string]any)
		drop := []string{"id", "application_id", "guild_id", "version", "default_permission", "dm_permission"}
		if inGuild {
			drop = append(drop, globalOnly...)
		}
		for _, key := range drop {
			delete(m, key)
		}
		if m["type"] == 1.0 {
			delete(m, "type")
		}
		sortNumbers(m["contexts"])
		sortNumbers(m["integration_types"])
		out = append(out, dropDefaults(m))
	}
	return out, nil
}

func sortNumbers(v any) {
	list, _ := v.([]any)
	slices.SortFunc(list, func(x, y any) int {
		a, _ := x.(float64)
		b, _ := y.(float64)
		return cmp.Compare(a, b)
	})
}

// plain turns v into maps, slices and numbers.
func plain(v any) (any, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	err = json.Unmarshal(body, &tree)
	return tree, err
}

// dropNulls removes fields that are null.
func dropNulls(v any) any { return prune(v, func(v any) bool { return v == nil }) }

// dropDefaults removes fields that say what their absence says too.
func dropDefaults(v any) any {
	return prune(v, func(v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case bool:
			return !v
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	})
}

func prune(v any, empty func(any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if child = prune(child, empty); empty(child) {
				delete(v, key)
			} else {
				v[key] = child
			}
		}
	case []any:
		for n := range v {
			v[n] = prune(v[n], empty)
		}
	}
	return v
}

// CommandScope is where SyncCommands registers commands when it is given no guild:
// the configured guild, or empty for global ones.
func (c *Client) CommandScope() string { return c.cfg.GuildID }

// DropCommands deletes the slash commands with these names, and no others, from a
// guild, or with an empty guild from the global ones. It returns how many there
// were.
func (c *Client) DropCommands(ctx context.Context, guild string, names []string) (dropped int, err error) {
	app := c.identity().app
	if app == "" {
		a, err := c.Application(ctx)
		if err != nil {
			return 0, err
		}
		app = a.ID
	}
	registered, err := c.GetCommands(ctx, app, guild)
	if err != nil {
		return 0, err
	}
	for _, cmd := range registered {
		if cmd.ID == "" || max(cmd.Type, 1) != discordgo.ChatApplicationCommand || !slices.Contains(names, cmd.Name) {
			continue
		}
		rq := commandsRequest("delete command", http.MethodDelete, app, guild)
		rq.route, rq.path = rq.route+"/{command}", rq.path+"/"+url.PathEscape(cmd.ID)
		if _, err := c.do(ctx, rq); err != nil && Classify(err) != UnknownCommand {
			return dropped, err
		}
		dropped++
	}
	return dropped, nil
}
