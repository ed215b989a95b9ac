package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// TestSettingsForgetWhatWasDeleted: nobody is sent to a channel that is not there, nor asked for a
// role that nobody can have, whether the bot was told of the deletion or away meanwhile.
func TestSettingsForgetWhatWasDeleted(t *testing.T) {
	const role = "123456789012345678"
	for name, told := range map[string]bool{"told": true, "away": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			owner, member := w.users[0], w.users[1]
			other, err := w.discord.AddChannel(w.guild, "games")
			if err != nil {
				t.Fatal(err)
			}
			panel := w.reply(w.command(owner, "settings"))
			choose := func(what string, values ...string) {
				t.Helper()
				id := selectID(t, panel, press.New(press.Settings, "", what))
				panel = w.reply(w.result(w.discord.Select(w.ctx(), owner, panel.ChannelID, panel.ID, id, values...)))
			}
			choose("channels", other.ID)
			choose("roles", role)
			mustSay(t, "elsewhere", text(w.reply(w.command(member, "new"))), "<#"+other.ID+">")
			if told {
				err = w.discord.DeleteChannel(other.ID)
				w.app.Handle(&discord.ChannelGone{Guild: w.guild, ID: other.ID}) // whenever the gateway brings it
				w.app.Handle(&discord.RoleGone{Guild: w.guild, ID: role})
			} else {
				w.stop()
				err = w.discord.DeleteChannel(other.ID)
				w.start(nil)
				w.app.Handle(&discord.GuildJoined{ID: w.guild, Channels: []discord.GuildChannel{{ID: w.channel}}, Roles: []string{w.guild}})
			}
			if err != nil {
				t.Fatal(err)
			}
			w.flush()
			panel = w.reply(w.command(owner, "settings"))
			mustNotSay(t, "the settings", fmt.Sprint(panel), other.ID, role)
			w.command(member, "new")
			if _, open, _ := w.store.TableByChannel(w.ctx(), w.channel); !open {
				t.Error("a table may be opened nowhere, by nobody")
			}
			stored, _, err := w.store.Get(w.ctx(), "guild/"+w.guild)
			if kept := strings.Contains(string(stored), other.ID); err != nil || kept == told {
				t.Errorf("stored: %s (%v)", stored, err)
			}
			choose("roles", role) // it is there after all
			panel = w.reply(w.command(owner, "settings"))
			mustSay(t, "the settings", fmt.Sprint(panel), role)
		})
	}
}
