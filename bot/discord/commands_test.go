package discord

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func testCommands() []*discordgo.ApplicationCommand {
	least := 1.0
	names := map[discordgo.Locale]string{discordgo.German: "hilfe"}
	return []*discordgo.ApplicationCommand{{
		Name: "paladin", Description: "the game",
		Contexts:         &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM},
		IntegrationTypes: &[]discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall},
		Options: []*discordgo.ApplicationCommandOption{{
			Type: discordgo.ApplicationCommandOptionSubCommand, Name: "new", Description: "open a table",
			Options: []*discordgo.ApplicationCommandOption{{
				Type: discordgo.ApplicationCommandOptionInteger, Name: "seats", Description: "how many", Required: true, MinValue: &least, MaxValue: 5,
				Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "three", Value: 3}},
			}},
		}},
	}, {Name: "help", Description: "help", NameLocalizations: &names}}
}

// registeredCommands is what Discord shows of testCommands: in its own order,
// with ids, defaults and fields this program does not know.
const registeredCommands = `[
{"id":"2","application_id":"900","version":"7","type":1,"name":"help","description":"help","name_localizations":{"de":"hilfe"},"description_localizations":null,"default_member_permissions":null,"dm_permission":true,"nsfw":false,"contexts":null,"integration_types":[0],"handler":1,"options":[]},
{"id":"1","application_id":"900","version":"8","type":1,"name":"paladin","description":"the game","name_localizations":null,"nsfw":false,"contexts":[1,0],"integration_types":[0],
"options":[{"type":1,"name":"new","description":"open a table","required":false,"options":[{"type":4,"name":"seats","description":"how many","required":true,"autocomplete":false,"min_value":1,"max_value":5,"choices":[{"name":"three","value":3,"name_localizations":null}]}]}]}]`

func TestSyncCommands(t *testing.T) {
	same := strings.Replace(registeredCommands, `"contexts":null,"integration_types":[0],"handler"`, `"handler"`, 1)
	tests := []struct {
		name, guild, registered string
		status                  int
		changed, fails          bool
		want                    string // the requests
	}{
		{"same", "", same, 200, false, false, "GET /api/v10/applications/900/commands?with_localizations=true"},
		{"same in a guild", "1", registeredCommands, 200, false, false, "GET /api/v10/applications/900/guilds/1/commands?with_localizations=true"},
		{"other description", "", strings.Replace(same, "how many", "how few", 1), 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"other context", "", strings.Replace(same, "[1,0]", "[0,1,2]", 1), 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"other choice", "", strings.Replace(same, `"value":3`, `"value":4`, 1), 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"not required", "", strings.Replace(same, `"required":true`, `"required":false`, 1), 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"none", "", `[]`, 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"one too many", "", strings.Replace(same, `[`, `[{"name":"extra","type":2},`, 1), 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"nulls in the list", "", strings.Replace(same, `[`, `[null,`, 1), 200, false, false, "GET /api/v10/applications/900/commands?with_localizations=true"},
		{"unreadable", "", `<html>`, 200, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"list refused", "", `{"code":0,"message":"405"}`, 405, true, false, "GET PUT /api/v10/applications/900/commands"},
		{"limit", "", `{"code":50001,"message":"Missing Access"}`, 403, true, true, "GET PUT /api/v10/applications/900/commands"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rest := func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut && !tt.fails {
					_, _ = io.WriteString(w, `[]`)
					return
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.registered)
			}
			served(t, rest, func(t *testing.T, f *fake, c *Client) {
				c.learn("900", "", "")
				changed, err := c.SyncCommands(t.Context(), tt.guild, testCommands())
				if changed != (tt.changed && !tt.fails) || (err != nil) != tt.fails {
					t.Errorf("changed %v, %v", changed, err)
				}
				sent := f.sent()
				got := fmt.Sprint(sent[0].Method, " ", sent[0].Path)
				if len(sent) == 2 {
					got = fmt.Sprint(sent[0].Method, " ", sent[1].Method, " ", sent[1].Path)
					if strings.Contains(string(sent[1].Body), "null") {
						t.Errorf("nulls in %s", sent[1].Body)
					}
				}
				if len(sent) > 2 || got != tt.want {
					t.Errorf("%d requests, %s, want %s", len(sent), got, tt.want)
				}
			})
		})
	}
}

// Without an id from the gateway the application is asked for, and the
// configured guild is used.
func TestSyncCommandsFindsItself(t *testing.T) {
	rest := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/applications/@me") {
			_, _ = io.WriteString(w, `{"id":"901"}`)
			return
		}
		_, _ = io.WriteString(w, `[]`)
	}
	served(t, rest, func(t *testing.T, f *fake, _ *Client) {
		c := f.client(func(cfg *Config) { cfg.GuildID = "5" })
		defer c.web.CloseIdleConnections()
		if changed, err := c.SyncCommands(t.Context(), "", testCommands()); !changed || err != nil {
			t.Errorf("%v, %v", changed, err)
		}
		sent := f.sent()
		if got := sent[len(sent)-1].Path; got != "/api/v10/applications/901/guilds/5/commands" {
			t.Errorf("registered at %s", got)
		}
	})
}
