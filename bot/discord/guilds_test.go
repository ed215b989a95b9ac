package discord

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const guildData = `{"id":"1","name":"G","preferred_locale":"en-US","owner_id":"9","system_channel_id":"12","rules_channel_id":null,"joined_at":"2026-01-02T03:00:00.000000+00:00",
"unavailable":false,"member_count":3,"members":[{"user":{"id":"900"},"roles":["30"]}],
"roles":[{"id":"1","permissions":"1024"},{"id":"30","permissions":"2048"},{"id":"31","permissions":"8"}],
"channels":[
{"id":"12","type":0,"name":"general","position":1,"parent_id":"10","permission_overwrites":[]},
{"id":"11","type":0,"name":"hidden","position":0,"permission_overwrites":[{"id":"1","type":0,"allow":"0","deny":"1024"}]},
{"id":"13","type":0,"name":"for the bot","position":2,"permission_overwrites":[{"id":"1","type":0,"allow":"0","deny":"3072"},{"id":"30","type":0,"allow":"1024","deny":"2048"},{"id":"900","type":"member","allow":2048,"deny":"0"}]},
{"id":"14","type":0,"name":"for others","position":2,"permission_overwrites":[{"id":"31","type":0,"allow":"8192","deny":"3072"}]}]}`

func TestGuildCreate(t *testing.T) {
	tr := newTranslator()
	tr.learn("900", "900", "paladin")
	got := tr.event("GUILD_CREATE", []byte(guildData)).(*GuildJoined)
	want := &GuildJoined{
		ID: "1", Name: "G", Locale: "en-US", OwnerID: "9", SystemChannel: "12",
		JoinedAt: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC), Arrival: ArrivalNew,
		Roles: []string{"1", "30", "31"},
		Channels: []GuildChannel{
			{ID: "11", Name: "hidden", Permissions: PermSendMessages, Known: true},
			{ID: "12", Name: "general", Position: 1, ParentID: "10", Permissions: PermViewChannel | PermSendMessages, Known: true},
			{ID: "13", Name: "for the bot", Position: 2, Permissions: PermViewChannel | PermSendMessages, Known: true},
			{ID: "14", Name: "for others", Position: 2, Permissions: PermViewChannel | PermSendMessages, Known: true},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPermissions(t *testing.T) {
	tests := []struct {
		name, from, to string
		all, known     bool
	}{
		{"owner", `"owner_id":"9"`, `"owner_id":"900"`, true, true},
		{"administrator", `"roles":["30"]`, `"roles":["31"]`, true, true},
		{"no member", `{"user":{"id":"900"},"roles":["30"]}`, ``, false, false},
		{"another member", `{"user":{"id":"900"}`, `{"user":{"id":"901"}`, false, false},
		{"no everyone role", `{"id":"1","permissions":"1024"},`, ``, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTranslator()
			tr.learn("900", "900", "paladin")
			g := tr.event("GUILD_CREATE", []byte(strings.Replace(guildData, tt.from, tt.to, 1))).(*GuildJoined)
			ch := g.Channels[0]
			if ch.Known != tt.known || (ch.Permissions == ^uint64(0)) != tt.all {
				t.Errorf("known %v, permissions %x", ch.Known, ch.Permissions)
			}
		})
	}
}

// A join is told apart from start-up, from the end of an outage and from a repetition.
func TestArrival(t *testing.T) {
	const ready, gone, outage = `{"guilds":[{"id":"1","unavailable":true},{"id":2}]}`, `{"id":"1"}`, `{"id":"1","unavailable":true}`
	fresh := `{"id":"1","joined_at":"2026-01-02T03:04:00Z"}`
	old := `{"id":"1","joined_at":"2020-01-02T03:04:00Z"}`
	type step struct{ kind, data string }
	create := func(s string) step { return step{"GUILD_CREATE", s} }
	tests := []struct {
		name  string
		steps []step
		want  Arrival
	}{
		{"start-up", []step{{"READY", ready}, create(fresh)}, ArrivalKnown},
		{"invited", []step{{"READY", `{"guilds":[{"id":"2"}]}`}, create(fresh)}, ArrivalNew},
		{"invited into the first guild", []step{{"READY", `{"guilds":[]}`}, create(fresh)}, ArrivalNew},
		{"not listed, but old", []step{{"READY", `{}`}, create(old)}, ArrivalKnown},
		{"not listed, no date", []step{{"READY", `{}`}, create(`{"id":"1"}`)}, ArrivalUnsure},
		{"odd date", []step{{"READY", `{}`}, create(`{"id":"1","joined_at":7}`)}, ArrivalUnsure},
		{"outage", []step{{"READY", ready}, create(old), {"GUILD_DELETE", outage}, create(fresh)}, ArrivalKnown},
		{"outage of an unknown guild", []step{{"READY", `{}`}, {"GUILD_DELETE", outage}, create(fresh)}, ArrivalKnown},
		{"repetition", []step{{"READY", `{}`}, create(fresh), create(fresh)}, ArrivalKnown},
		{"thrown out and invited again", []step{{"READY", ready}, create(old), {"GUILD_DELETE", gone}, create(fresh)}, ArrivalNew},
		{"new session", []step{{"READY", ready}, create(fresh), {"READY", ready}, create(fresh)}, ArrivalKnown},
		{"new session that lists nothing", []step{{"READY", ready}, {"READY", `{}`}, create(fresh)}, ArrivalKnown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTranslator()
			var last Event
			for _, s := range tt.steps {
				last = tr.event(s.kind, []byte(s.data))
			}
			g, ok := last.(*GuildJoined)
			if !ok || g.Arrival != tt.want {
				t.Errorf("%+v, want %v", last, tt.want)
			}
		})
	}
}

func TestOtherEvents(t *testing.T) {
	tests := []struct {
		kind, data string
		want       Event
	}{
		{"GUILD_DELETE", `{"id":"1"}`, &GuildGone{ID: "1"}},
		{"GUILD_DELETE", `{"id":"1","unavailable":true}`, &GuildGone{ID: "1", Unavailable: true}},
		{"GUILD_DELETE", `{}`, nil},
		{"GUILD_CREATE", `{"id":"1","unavailable":true}`, &GuildGone{ID: "1", Unavailable: true}},
		{"GUILD_CREATE", `{}`, nil},
		{"CHANNEL_DELETE", `{"id":"5","guild_id":"1"}`, &ChannelGone{ID: "5", Guild: "1"}},
		{"CHANNEL_DELETE", `null`, nil},
		{"GUILD_ROLE_DELETE", `{"guild_id":"1","role_id":"7"}`, &RoleGone{ID: "7", Guild: "1"}},
		{"GUILD_ROLE_DELETE", `{"guild_id":"1"}`, nil},
		{"THREAD_DELETE", `{"id":"5","guild_id":"1","parent_id":"4"}`, &ThreadGone{ID: "5", Guild: "1", Parent: "4"}},
		{"THREAD_CREATE", `{"id":"5"}`, &ThreadChanged{ID: "5"}},
		{"THREAD_UPDATE", `{"id":"5","guild_id":"1","parent_id":"4","thread_metadata":{"archived":true,"locked":true}}`,
			&ThreadChanged{ID: "5", Guild: "1", Parent: "4", Archived: true, Locked: true}},
		{"MESSAGE_CREATE", `{"id":"5"}`, nil},
		{"", ``, nil},
	}
	for _, tt := range tests {
		got := newTranslator().event(tt.kind, []byte(tt.data))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s: %s", tt.kind, tt.data, diff)
		}
	}
}
