package discord

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected files under testdata")

// Each payload under testdata/interactions has beside it what is made of it.
func TestParseInteraction(t *testing.T) {
	files, err := filepath.Glob("testdata/interactions/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads: %v", err)
	}
	received := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			i := parseInteraction(data, received)
			if i.ID == "" || i.Token == "" {
				t.Error("cannot be answered")
			}
			if !i.Received.Equal(received) {
				t.Error("the time of receipt is missing")
			}
			i.Received = time.Time{}
			got, err := json.MarshalIndent(i, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(got), i.Token) && len(i.Token) > 5 {
				t.Error("the token is encoded with the interaction")
			}
			golden := strings.TrimSuffix(file, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommandOptions(t *testing.T) {
	data, err := os.ReadFile("testdata/interactions/command_guild.json")
	if err != nil {
		t.Fatal(err)
	}
	i := parseInteraction(data, time.Now())
	c := i.Command
	quest, ok := c.Int("quest")
	sure, given := c.Bool("sure")
	if c.Path() != "paladin place" || c.Text("card") != "7r" || quest != 2 || !ok || !sure || !given {
		t.Errorf("%+v", c)
	}
	if _, ok := c.Int("card"); ok {
		t.Error("a card is no number")
	}
	if _, ok := c.Int("none"); ok {
		t.Error("an option that was not given")
	}
	if _, ok := c.Bool("card"); ok {
		t.Error("a card is no boolean")
	}
	if _, ok := c.Focused(); ok {
		t.Error("nothing is focused")
	}
	if i.Name() != "Sir Nick" || (User{Username: "u", GlobalName: "G"}).Name() != "G" || (User{Username: "u"}).Name() != "u" {
		t.Error("names")
	}
	data, err = os.ReadFile("testdata/interactions/autocomplete_group.json")
	if err != nil {
		t.Fatal(err)
	}
	i = parseInteraction(data, time.Now())
	if o, ok := i.Command.Focused(); !ok || o.Name != "quest" || o.Text != "2x" || i.Command.Path() != "paladin admin place" {
		t.Errorf("%+v", i.Command)
	}
}

func TestAges(t *testing.T) {
	made, ok := SnowflakeTime("175928847299117063")
	if !ok || !made.Equal(time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC)) {
		t.Errorf("made %v", made.UTC())
	}
	for _, id := range []string{"", "x", "1000", "-5", "99999999999999999999999"} {
		if _, ok := SnowflakeTime(id); ok {
			t.Errorf("%q names a time", id)
		}
	}
	i := &Interaction{ID: "175928847299117063", Token: "t", Received: made.Add(time.Hour)}
	if age := i.Age(made.Add(4 * time.Second)); age != 4*time.Second {
		t.Errorf("age %v", age)
	}
	if age := i.Age(made.Add(-time.Second)); age != 0 {
		t.Errorf("age before its time %v", age)
	}
	if age := (&Interaction{ID: "7"}).Age(made); age != 0 {
		t.Errorf("age without a time %v", age)
	}
	if !i.TokenAlive(i.Received.Add(14*time.Minute)) || i.TokenAlive(i.Received.Add(15*time.Minute)) {
		t.Error("the token lives 15 minutes from receipt")
	}
}

// Whatever arrives, nothing panics, and what can be answered is answered.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/interactions/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("INTERACTION_CREATE", data)
	}
	f.Add("READY", []byte(readyData))
	f.Add("GUILD_CREATE", []byte(guildData))
	f.Add("GUILD_DELETE", []byte(`{"id":"1","unavailable":true}`))
	f.Add("CHANNEL_DELETE", []byte(`{"id":"1","permission_overwrites":[null]}`))
	f.Add("THREAD_UPDATE", []byte(`{"id":"1","thread_metadata":{"archived":true}}`))
	f.Add("RESUMED", []byte(`null`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		tr := newTranslator()
		e := tr.event(kind, data)
		if i, ok := e.(*Interaction); ok {
			var plain struct {
				ID    string `json:"id"`
				Token string `json:"token"`
			}
			if json.Unmarshal(data, &plain) == nil && (isSnowflake(plain.ID) && plain.ID != i.ID || plain.Token != i.Token) {
				t.Errorf("%q %q became %q %q", plain.ID, plain.Token, i.ID, i.Token)
			}
			_, _ = i.Command.Focused()
			_ = i.Name() + i.Command.Path()
		}
		// The same bytes as an answer and as a refusal.
		for _, status := range []int{200, 400, 429, 500} {
			if e := judge(&request{op: "x", body: data}, &result{status: status, body: data}); e != nil {
				_ = fmt.Sprint(e, Classify(e))
			}
		}
		p := &parcel{keys: map[string]string{"a.png": ""}}
		_ = callbackRef(data, press(), Reply, p)
		_ = p.ref(readMessage(data), "77")
	})
}

func newTranslator() *translator {
	c := &Client{}
	return &translator{
		now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, learn: c.learn, who: c.identity,
		known: map[string]bool{},
	}
}

// What an event calls an id is used only if it is one.
func TestIDsInEvents(t *testing.T) {
	for _, id := range noIDs {
		fill := func(s string) []byte { return []byte(strings.ReplaceAll(s, "ID", id)) }
		i := parseInteraction(fill(`{"id":"1000","token":"t","type":3,"application_id":ID,"guild_id":ID,"channel_id":ID,"channel":{"id":ID,"parent_id":ID},`+
			`"member":{"user":{"id":ID,"username":"ann"},"roles":[ID]},"message":{"id":ID,"channel_id":ID,"attachments":[{"id":ID,"filename":"a.png"}]},`+
			`"data":{"id":ID,"custom_id":"x","resolved":{"users":{"many":{"id":ID},"7":{"id":ID,"username":"ben"}}}}}`), time.Time{})
		want := &Interaction{
			ID: "1000", Token: "t", Kind: KindComponent, ChannelType: -1, CustomID: "x",
			Users: map[string]User{"7": {ID: "7", Username: "ben"}},
		}
		i.Odd = false
		if diff := cmp.Diff(want, i); diff != "" {
			t.Errorf("with %.30s: %s", id, diff)
		}
		if i := parseInteraction(fill(`{"id":ID,"token":"t"}`), time.Time{}); i.ID != "" {
			t.Errorf("an interaction called %q", i.ID)
		}
		tr := newTranslator()
		for _, kind := range []string{"GUILD_CREATE", "GUILD_DELETE", "CHANNEL_DELETE", "GUILD_ROLE_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE"} {
			if e := tr.event(kind, fill(`{"id":ID}`)); e != nil {
				t.Errorf("%s with %.30s: %+v", kind, id, e)
			}
		}
		ready, _ := tr.event("READY", fill(`{"user":{"id":ID},"application":{"id":ID},"guilds":[{"id":ID},{"id":"1"}]}`)).(*Ready)
		if diff := cmp.Diff(&Ready{Guilds: []GuildRef{{ID: "1"}}}, ready); diff != "" {
			t.Errorf("READY with %.30s: %s", id, diff)
		}
		g, _ := tr.event("GUILD_CREATE", fill(`{"id":"1","owner_id":ID,"system_channel_id":ID,"channels":[{"id":ID},{"id":"12","parent_id":ID}]}`)).(*GuildJoined)
		if g == nil || g.OwnerID != "" || g.SystemChannel != "" || len(g.Channels) != 1 || g.Channels[0].ParentID != "" {
			t.Errorf("GUILD_CREATE with %.30s: %+v", id, g)
		}
	}
}
