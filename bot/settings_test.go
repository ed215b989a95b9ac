package bot

import (
	"testing"

	"paladin/bot/discord"
	"paladin/bot/render"
)

// TestWhoMayOpenTablesWhere holds settings against people and places.
func TestWhoMayOpenTablesWhere(t *testing.T) {
	s := guildSettings{Channels: []string{"c"}, Roles: []string{"r"}}
	for name, tc := range map[string]struct {
		i  discord.Interaction
		ok bool
	}{
		"right channel and role": {discord.Interaction{Channel: "c", Roles: []string{"q", "r"}}, true},
		"thread of the channel":  {discord.Interaction{Channel: "t", ParentID: "c", Roles: []string{"r"}}, true},
		"wrong channel":          {discord.Interaction{Channel: "d", Roles: []string{"r"}}, false},
		"wrong role":             {discord.Interaction{Channel: "c", Roles: []string{"q"}}, false},
		"no roles":               {discord.Interaction{Channel: "c"}, false},
		"manager without role":   {discord.Interaction{Channel: "c", HasPermissions: true, Permissions: permissionManageGuild}, true},
		"permissions not sent":   {discord.Interaction{Channel: "c", Permissions: permissionManageGuild}, false},
		"manager elsewhere":      {discord.Interaction{Channel: "d", HasPermissions: true, Permissions: permissionManageGuild}, false},
	} {
		if text := s.refuse(asks(&tc.i)); (text == "") != tc.ok {
			t.Errorf("%s: %q", name, text)
		}
	}
	if text := (guildSettings{}).refuse(asks(&discord.Interaction{Channel: "x"})); text != "" {
		t.Errorf("nothing chosen: %q", text)
	}
}

// asks is an interaction of somebody who reads English.
func asks(i *discord.Interaction) *request {
	return &request{Interaction: i, reader: reader{pr: render.NewPrinter("en")}}
}
