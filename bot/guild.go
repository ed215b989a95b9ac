package bot

import (
	"context"
	"errors"
	"slices"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// channelGone closes the table of a channel that was deleted and tells the people seated, once.
func (a *App) channelGone(channel string) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	id, ok, err := a.store.TableByChannel(ctx, channel)
	if err != nil {
		a.log.Error("a deleted channel's table cannot be found", "error", err)
		return
	}
	if ok {
		a.loseTable(id)
	}
}

// guildGone has the channels of a server asked for from which the bot was removed, as the gateway
// says: what they answer closes their games. An outage of Discord is no removal: the edge tells
// them apart.
func (a *App) guildGone(guild string) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	ids, err := a.store.TablesByGuild(ctx, guild)
	if err != nil {
		a.log.Error("a left server's tables cannot be found", "error", err)
		return
	}
	for _, id := range ids {
		if err := a.probe(ctx, id); err != nil {
			a.log.Error("a left server's channel cannot be asked for", "table", id, "error", err)
		}
	}
}

// ready takes up what a new session says of the servers that the bot is in.
func (a *App) ready(e *discord.Ready) {
	if e.Resumed {
		return // what happened meanwhile is told event by event
	}
	a.servers.ready(e.Guilds)
	a.spawnAlways(a.missed)
}

// missed finds out from which servers the bot was removed while no process was connected: no event
// tells of it. READY names the servers that it is in; the channel of a live table of another one is
// asked for.
func (a *App) missed() {
	var gone []string
	err := a.store.LiveTables(a.ctx, func(id string) error {
		row, err := a.store.Table(a.ctx, id)
		if err == nil && a.servers.of(row.Guild) == serverGone && !slices.Contains(gone, row.Guild) {
			gone = append(gone, row.Guild)
		}
		return nil
	})
	if err != nil {
		a.log.Error("the servers of the games that run cannot be listed", "error", err)
	}
	for _, guild := range gone {
		a.log.Warn("the gateway does not name a server in which games run: their channels are asked for",
			"guild", guild)
		a.guildGone(guild)
	}
}

// guildHere takes up that a server is there, and which of its channels are.
func (a *App) guildHere(e *discord.GuildJoined) {
	there := map[string]bool{}
	for _, c := range e.Channels {
		there[c.ID] = true
	}
	// Thousands of servers arrive at once, with hundreds of channels each: what waits is looked
	// through once for all of them.
	for _, lane := range a.troubles.lanes(discord.UnknownChannel, discord.UnknownGuild, discord.MissingAccess, discord.Temporary) {
		if there[lane] {
			a.outbox.update(func(o *outbox) { o.kick(lane) })
		}
	}
	a.missing(e, there)
	a.nameGuild(e.ID, e.Name)
	in := func(d doubt) bool {
		return d.guild == e.ID && (d.class != discord.UnknownChannel || there[d.channel])
	}
	for _, id := range a.doubts.about(in) {
		if d, ok := a.doubts.of(id, a.clock.Now()); ok {
			a.trust(id, d.channel)
		}
	}
}

// guildNameKey is the setting with a server's name, which is told to those whose game there is gone.
func guildNameKey(guild string) string { return "name/" + guild }

// nameGuild keeps a server's name as long as it is the same.
func (a *App) nameGuild(guild, name string) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	if guild == "" || !render.Shows(name) || a.guildName(ctx, guild) == name {
		return
	}
	if err := a.store.Put(store.Unhurried(ctx), guildNameKey(guild), []byte(name)); err != nil {
		a.log.Warn("a server's name cannot be kept", "guild", guild, "error", err)
	}
}

// guildName is the name of a server; empty where nobody said it.
func (a *App) guildName(ctx context.Context, guild string) string {
	name, _, err := a.store.Get(ctx, guildNameKey(guild))
	if err != nil || guild == "" {
		return ""
	}
	return string(name)
}

// loseTable closes a table whose channel was deleted.
func (a *App) loseTable(id string) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	if err := a.lose(ctx, id); err != nil {
		a.log.Error("a lost table cannot be closed", "table", id, "error", err)
	}
}

// lose closes a table whose channel is gone and waits until that is stored. A table that has ended
// is as good. One that cannot be read is set aside, for nobody could do that any more where it was,
// and who has a part in it could not be forgotten; so is one of a newer program.
func (a *App) lose(ctx context.Context, id string) error {
	res := a.queued(ctx, id, func(owner context.Context) result {
		return a.act(owner, id, table.Actor{}, table.Lost{}, "")
	})
	if res.refusal() != nil {
		return nil
	}
	if u := (*unreadableError)(nil); errors.As(res.err, &u) {
		a.noteUnreadable(u)
		return a.setAside(ctx, id, "", true)
	}
	return res.err
}

// goneFrom hands the seat of somebody who is no longer in the server to a squire.
func (a *App) goneFrom(id string, user table.UserID) {
	a.submit(id, func(ctx context.Context) {
		if res := a.act(ctx, id, table.Actor{}, table.Gone{User: user}, ""); res.err != nil && res.refusal() == nil {
			a.log.Error("the seat of somebody gone cannot be handed on", "table", id, "error", res.err)
		}
	})
}

// greet says one short message with the next step where the bot may write, when it was invited. It does so once per server, and keeps
// quiet where it may write nowhere.
func (a *App) greet(e *discord.GuildJoined) {
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	key := "greeted/" + e.ID
	if _, done, err := a.store.Get(ctx, key); err != nil || done {
		return
	}
	channel := greetingChannel(e)
	if channel == "" {
		return
	}
	// Remembered first: a second greeting is worse than none.
	if err := a.store.Put(ctx, key, []byte{1}); err != nil {
		a.log.Error("a greeting cannot be remembered", "error", err)
		return
	}
	message := a.words.in(e.Locale).Hello(channel)
	message.Nonce = "hello" + e.ID
	if _, err := a.discord.CreateMessage(ctx, channel, message); err != nil {
		a.log.Info("a new server was not greeted", "guild", e.ID, "error", err)
	}
}

// greetingChannel chooses where to greet: the system channel if the bot may write there, else the first text channel where it may.
func greetingChannel(e *discord.GuildJoined) string {
	const textChannel = 0
	first := ""
	for _, c := range e.Channels {
		writable := !c.Known || c.Permissions&(permissionView|permissionSend) == permissionView|permissionSend ||
			c.Permissions&permissionAdministrator != 0
		if c.Type != textChannel || !writable {
			continue
		}
		if c.ID == e.SystemChannel {
			return c.ID
		}
		if first == "" {
			first = c.ID
		}
	}
	return first
}
