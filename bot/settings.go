package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
)

const permissionManageGuild = 1 << 5

// settingsKey is where the store keeps what a server has chosen.
func settingsKey(guild string) string { return "guild/" + guild }

// guildSettings are what a server has chosen, as they are stored. Fields may be added whose zero value means what it meant before.
type guildSettings struct {
	Version int `json:"v"`
	// Language of what the bot says; empty: the one in which Discord greets the server's members.
	Language string `json:"language,omitempty"`
	// Pace of tables whose opener chooses none; empty: daily.
	Pace table.Pace `json:"pace,omitempty"`
	// Channels in which tables may be opened, and in their threads; empty: in all.
	Channels []string `json:"channels,omitempty"`
	// Roles whose members may open tables; empty: everybody.
	Roles []string `json:"roles,omitempty"`
}

// settingsOf reads what a server has chosen; the defaults if nothing was stored.
func (a *App) settingsOf(ctx context.Context, guild string) (guildSettings, error) {
	s := guildSettings{Version: 1}
	data, ok, err := a.store.Get(ctx, settingsKey(guild))
	if err != nil || !ok {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		a.log.Error("a server's settings cannot be read: the defaults hold until they are chosen anew", "guild", guild, "error", err)
		return guildSettings{Version: 1}, nil
	}
	if s.Version != 1 {
		return guildSettings{}, fmt.Errorf("settings of server %s have version %d", guild, s.Version)
	}
	return s, nil
}

// settingsNow are the settings of a server without what is no more.
func (a *App) settingsNow(ctx context.Context, guild string) (guildSettings, error) {
	s, err := a.settingsOf(ctx, guild)
	a.deleted.strike(guild, &s)
	return s, err
}

// deleted are the channels and roles that servers chose in their settings and that are no more, as
// the gateway says. They do not count: nobody is to be sent to a channel that is not there, or to
// be asked for a role that nobody can have.
type deleted struct {
	mu sync.Mutex
	in map[string][]string // by server
}

// put says which of a server's chosen channels and roles are no more.
func (d *deleted) put(guild string, ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in == nil {
		d.in = map[string][]string{}
	}
	if d.in[guild] = ids; len(ids) == 0 {
		delete(d.in, guild)
	}
}

func (d *deleted) of(guild string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.in[guild])
}

// here says that some are there: they were just chosen.
func (d *deleted) here(guild string, ids []string) {
	d.put(guild, slices.DeleteFunc(d.of(guild), func(id string) bool { return slices.Contains(ids, id) }))
}

// strike takes what is no more out of settings.
func (d *deleted) strike(guild string, s *guildSettings) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gone := func(id string) bool { return slices.Contains(d.in[guild], id) }
	s.Channels, s.Roles = slices.DeleteFunc(s.Channels, gone), slices.DeleteFunc(s.Roles, gone)
}

// missing finds out what of a server's settings was deleted while no process was connected: no
// event tells of it. What a server lists is not what it says was deleted: it only does not count
// until the next list, and stays stored.
func (a *App) missing(e *discord.GuildJoined, channels map[string]bool) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	s, err := a.settingsOf(ctx, e.ID)
	if err != nil {
		a.log.Error("a server's settings cannot be held against what there is", "guild", e.ID, "error", err)
		return
	}
	var gone []string
	for _, id := range s.Channels {
		if len(channels) > 0 && !channels[id] { // a server that lists nothing has said nothing
			gone = append(gone, id)
		}
	}
	for _, id := range s.Roles {
		if len(e.Roles) > 0 && !slices.Contains(e.Roles, id) {
			gone = append(gone, id)
		}
	}
	a.deleted.put(e.ID, gone)
}

// unchoose takes a channel or role that was deleted out of its server's settings.
func (a *App) unchoose(guild, id string) {
	if guild == "" {
		return
	}
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	res := a.queued(ctx, settingsKey(guild), func(owner context.Context) (res result) {
		s, err := a.settingsOf(owner, guild)
		is := func(one string) bool { return one == id }
		if err != nil || !slices.ContainsFunc(s.Channels, is) && !slices.ContainsFunc(s.Roles, is) {
			return result{err: err}
		}
		s.Channels, s.Roles = slices.DeleteFunc(s.Channels, is), slices.DeleteFunc(s.Roles, is)
		return result{err: a.keep(owner, guild, &s)}
	})
	if res.err != nil {
		a.deleted.put(guild, append(a.deleted.of(guild), id))
		a.log.Error("what was deleted cannot be taken out of a server's settings", "guild", guild, "id", id, "error", res.err)
	}
}

// keep stores the settings of a server.
func (a *App) keep(ctx context.Context, guild string, s *guildSettings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return a.store.Put(ctx, settingsKey(guild), data)
}

// pace is the pace of a table whose opener chooses none.
func (s guildSettings) pace() table.Pace {
	if s.Pace.Valid() {
		return s.Pace
	}
	return table.PaceDaily
}

// language is the language of a table whose opener chooses none: the server's choice, or what Discord says that the server speaks.
func (s guildSettings) language(locale string) string {
	if s.Language != "" {
		return render.LanguageOf(s.Language)
	}
	return render.LanguageOf(locale)
}

// refuse says why this person may not open a table here; empty when they may.
func (s guildSettings) refuse(i *request) string {
	if len(s.Channels) > 0 && !slices.Contains(s.Channels, i.Channel) && !slices.Contains(s.Channels, i.ParentID) {
		return i.pr.OnlyInChannels(s.Channels)
	}
	if len(s.Roles) > 0 && !managesGuild(i) && !slices.ContainsFunc(i.Roles, func(r string) bool { return slices.Contains(s.Roles, r) }) {
		return i.pr.OnlyForRoles(s.Roles)
	}
	return ""
}

func managesGuild(i *request) bool {
	return i.HasPermissions && i.Permissions&(permissionAdministrator|permissionManageGuild) != 0
}

// settings shows the settings of the server, and changes what was chosen. Nobody else is told.
func (a *App) settings(ctx context.Context, i *request, id press.ID) answer {
	switch {
	case i.Guild == "":
		return a.inDM(ctx, i, "settings")
	case !managesGuild(i):
		return say(i.pr.Say(render.TextNotManager))
	}
	var s guildSettings
	note := ""
	if id.Arg(0) == "" {
		var err error
		if s, err = a.settingsNow(ctx, i.Guild); err != nil {
			return a.failure(i, "settings", "", err)
		}
	} else {
		fits := true
		// One after the other, so that no choice is made from what another one is about to change.
		res := a.queued(ctx, settingsKey(i.Guild), func(owner context.Context) (res result) {
			s, fits, res.err = a.keepChoice(owner, i, id)
			return res
		})
		if ans, failed := a.failed(i, &res, ""); failed {
			return ans
		}
		if !fits {
			return say(i.pr.Say(render.TextForgedPress))
		}
		note = i.pr.Say(render.TextSettingsKept)
	}
	return answer{message: i.pr.Settings(render.ServerSettings{Language: s.Language, Pace: s.pace(), Channels: s.Channels, Roles: s.Roles}, note), update: true}
}

// keepChoice keeps the settings with what was chosen; fits is false for what nobody was offered.
func (a *App) keepChoice(ctx context.Context, i *request, id press.ID) (s guildSettings, fits bool, err error) {
	s, err = a.settingsOf(ctx, i.Guild)
	if err != nil || !s.choose(i, id) {
		return s, false, err
	}
	if what := id.Arg(0); what == render.SettingChannels || what == render.SettingRoles {
		a.deleted.here(i.Guild, i.Values)
	}
	if err = a.keep(ctx, i.Guild, &s); err == nil {
		a.counted.add(i.ID)
	}
	a.deleted.strike(i.Guild, &s)
	return s, true, err
}

// notID reports whether a value is none of Discord's ids, which are numbers.
func notID(value string) bool {
	n, err := strconv.ParseUint(value, 10, 64)
	return err != nil || n == 0 || len(value) > 20
}

// choose takes over what was chosen; false for what nobody was offered.
func (s *guildSettings) choose(i *request, id press.ID) bool {
	values := i.Values
	if len(values) > render.MaxChosen || id.Arg(0) != render.SettingLanguage && slices.ContainsFunc(values, notID) {
		return false
	}
	switch id.Arg(0) {
	case render.SettingPace:
		pace := table.Pace(id.Arg(1))
		if !pace.Valid() {
			return false
		}
		s.Pace = pace
	case render.SettingLanguage:
		if len(values) != 1 || values[0] != render.NoLanguage && !slices.Contains(render.Languages, values[0]) {
			return false
		}
		s.Language = values[0]
		if s.Language == render.NoLanguage {
			s.Language = ""
		}
	case render.SettingChannels:
		s.Channels = slices.Clone(values)
	case render.SettingRoles:
		s.Roles = slices.Clone(values)
		if slices.Contains(s.Roles, i.Guild) {
			s.Roles = nil // the role of everybody
		}
	default:
		return false
	}
	return true
}
