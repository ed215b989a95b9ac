package bot

import (
	"context"

	"paladin/bot/discord"
	"paladin/game/table"
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

// guildGone closes every table of a server that the bot was removed from. An outage of Discord is no removal: the edge tells them
// apart.
func (a *App) guildGone(guild string) {
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	ids, err := a.store.TablesByGuild(ctx, guild)
	if err != nil {
		a.log.Error("a left server's tables cannot be found", "error", err)
		return
	}
	for _, id := range ids {
		a.loseTable(id)
	}
}

// missed finds out from which servers the bot was removed while no process was connected: no event tells of it. READY names the servers
// that it is in; about a server of a live table that is not among them, Discord is asked for the bot's own membership, since not every
// server that speaks Discord's API lists them.
func (a *App) missed(ready *discord.Ready) {
	if ready.Resumed || ready.BotUserID == "" {
		return
	}
	in := map[string]bool{"": true}
	for _, g := range ready.Guilds {
		in[g.ID] = true
	}
	ctx := a.ctx
	var doubtful []string
	err := a.store.LiveTables(ctx, func(id string) error {
		row, err := a.store.Table(ctx, id)
		if err == nil && !in[row.Guild] {
			in[row.Guild] = true
			doubtful = append(doubtful, row.Guild)
		}
		return nil
	})
	if err != nil {
		a.log.Error("the servers of the games that run cannot be listed", "error", err)
	}
	for _, guild := range doubtful {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		_, err := a.discord.GetMember(call, guild, ready.BotUserID)
		cancel()
		switch discord.Classify(err) {
		case discord.UnknownGuild, discord.MissingAccess, discord.UnknownMember:
			a.log.Info("the bot was removed from a server while it was away", "guild", guild)
			a.guildGone(guild)
		}
	}
}

// loseTable closes a table whose channel is gone.
func (a *App) loseTable(id string) {
	ok := a.submit(id, func(ctx context.Context) {
		if res := a.act(ctx, id, table.Actor{}, table.Lost{}, ""); res.err != nil && res.refusal() == nil {
			a.log.Error("a lost table cannot be closed", "table", id, "error", res.err)
		}
	})
	if !ok {
		a.log.Warn("a lost table is too busy to be closed now", "table", id)
	}
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
