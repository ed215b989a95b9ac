package sandbox_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/sandbox"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnknownThings(t *testing.T) {
	w := newWorld(t)
	w.do("POST", w.messages("1"), obj{"content": "x"}).refused(404, 10003)
	w.do("GET", "/channels/1", nil).refused(404, 10003)
	w.do("GET", "/guilds/1", nil).refused(404, 10004)
	w.do("GET", "/guilds/"+w.guild+"/members/1", nil).refused(404, 10013)
	w.do("PATCH", w.messages(w.channel)+"/1", obj{"content": "x"}).refused(404, 10008)
	w.do("DELETE", w.messages(w.channel)+"/1", nil).refused(404, 10008)
	w.do("POST", "/users/@me/channels", obj{"recipient_id": "1"}).refused(404, 10013)
	w.do("POST", "/users/@me/channels", obj{"recipient_id": "x"}).form("recipient_id", coerce)
	w.do("POST", "/users/@me/channels", obj{"recipient_id": w.s.ApplicationID()}).refused(400, 50033)
	w.do("GET", "/applications/1/commands", nil).refused(404, 10002)
	w.do("GET", "/applications/"+w.s.ApplicationID()+"/commands/1", nil).refused(404, 10063)
	w.do("GET", "/applications/"+w.s.ApplicationID()+"/emojis/1", nil).refused(404, 10014)
	w.do("GET", "/nothing", nil).refused(404, 0)
	w.do("PUT", "/gateway", nil).refused(405, 0)
	w.do("GET", "/guilds/"+w.guild+"/members", nil).refused(403, 50001) // needs a privileged intent
	said := check[sandbox.Message](t)(w.s.Say(t.Context(), w.ben, w.channel, "hello"))
	w.edit(said, obj{"content": "x"}).refused(403, 50005)
}

func TestAuthorization(t *testing.T) {
	w := newWorld(t)
	for _, header := range []string{"", w.s.Token(), "Bearer " + w.s.Token(), "Bot x"} {
		req := check[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", w.http.URL+"/api/v10/users/@me", nil))
		req.Header.Set("Authorization", header)
		res := check[*http.Response](t)(http.DefaultClient.Do(req))
		res.Body.Close()
		if res.StatusCode != 401 {
			t.Errorf("authorization %q: %s", header, res.Status)
		}
	}
	for _, r := range w.s.Requests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("the log holds the token")
		}
	}
}

func TestPermissions(t *testing.T) {
	w := newWorld(t)
	m := w.post(obj{"content": "x"}).message()
	for _, tt := range []struct {
		name   string
		bits   sandbox.Permissions
		status int
		code   int
	}{
		{"no view", sandbox.PermBot &^ sandbox.PermViewChannel, 403, 50001},
		{"no send", sandbox.PermBot &^ sandbox.PermSendMessages, 403, 50013},
	} {
		must(t, w.s.SetPermissions(w.channel, tt.bits))
		w.post(obj{"content": "x"}).refused(tt.status, tt.code)
	}
	w.edit(m, obj{"content": "still mine"}).fine() // editing needs no SEND_MESSAGES
	w.do("POST", w.messages(w.second), obj{"content": "x"}).fine()
	must(t, w.s.SetPermissions(w.guild, sandbox.PermBot&^sandbox.PermAttachFiles&^sandbox.PermEmbedLinks))
	w.upload("POST", "/api/v10", w.messages(w.second), obj{"content": "x"}, file{"files[0]", "a.png", onePixel}).refused(403, 50013)
	w.do("POST", w.messages(w.second), obj{"embeds": list{obj{"title": "t"}}}).refused(403, 50013)
	must(t, w.s.SetPermissions(w.channel, 0))
	w.do("GET", "/channels/"+w.channel, nil).refused(403, 50001)
	if got := string(w.do("GET", "/guilds/"+w.guild+"/channels", nil).body); strings.Contains(got, w.channel) {
		t.Error("the list holds a hidden channel")
	}
	must(t, w.s.KickBot(w.guild))
	w.do("POST", w.messages(w.second), obj{"content": "x"}).refused(403, 50001)
	w.do("GET", "/guilds/"+w.guild, nil).refused(403, 50001)
	must(t, w.s.InviteBot(w.guild))
	must(t, w.s.GuildUnavailable(w.guild, true))
	w.do("POST", w.messages(w.second), obj{"content": "x"}).refused(503, 130000)
	must(t, w.s.GuildUnavailable(w.guild, false))
	w.do("POST", w.messages(w.second), obj{"content": "x"}).fine()
	forum := check[sandbox.Channel](t)(w.s.AddChannelOfType(w.guild, "ideas", sandbox.ChannelForum))
	w.do("POST", w.messages(forum.ID), obj{"content": "x"}).refused(400, 50008)
	said := check[sandbox.Message](t)(w.s.Say(t.Context(), w.ben, w.second, "hello"))
	w.do("DELETE", w.messages(w.second)+"/"+said.ID, nil).refused(403, 50013)
	w.do("PATCH", "/channels/"+w.second, obj{"name": "x"}).refused(403, 50013)
}

func TestDirectMessages(t *testing.T) {
	w := newWorld(t)
	dm := w.dm(w.ben)
	if again := w.dm(w.ben); again != dm {
		t.Errorf("the DM channel moved from %s to %s", dm, again)
	}
	m := w.do("POST", w.messages(dm), obj{"content": "your hand"}).message()
	must(t, w.s.CloseDMs(w.ben, true))
	w.do("POST", w.messages(dm), obj{"content": "x"}).refused(403, 50007)
	w.edit(m, obj{"content": "editing goes on"}).fine()
	w.dm(w.ben)
	must(t, w.s.CloseDMs(w.ben, false))
	must(t, w.s.RemoveMember(w.guild, w.ben))
	w.do("POST", w.messages(dm), obj{"content": "x"}).refused(403, 50278)
	must(t, w.s.AddMember(w.guild, w.ben))
	w.do("POST", w.messages(dm), obj{"content": "x"}).fine()
	if _, err := w.s.Messages(w.ann, dm); err == nil {
		t.Error("somebody else reads a DM")
	}
	want := []sandbox.Ping{{ChannelID: dm, MessageID: m.ID, Why: "dm"}}
	if got := w.s.Pings(w.ben); len(got) != 2 || got[0] != want[0] {
		t.Errorf("Ben's pings are %v", got)
	}
}

func TestThreads(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	thread := check[sandbox.Channel](t)(w.s.AddThread(w.channel, "table")).ID
	g.event("THREAD_CREATE")
	m := w.do("POST", w.messages(thread), obj{"content": "board"}).message()

	must(t, w.s.ArchiveThread(thread, true))
	if o := g.event("THREAD_UPDATE"); o["thread_metadata"].(obj)["archived"] != true {
		t.Errorf("the update is %v", o)
	}
	w.edit(m, obj{"content": "x"}).refused(400, 50083)
	w.do("DELETE", w.messages(thread)+"/"+m.ID, nil).refused(400, 50083)
	if _, err := w.s.Command(t.Context(), w.ben, thread, "help", ""); err == nil {
		t.Error("a command runs in an archived thread")
	}
	w.do("POST", w.messages(thread), obj{"content": "revives it"}).fine()
	if o := g.event("THREAD_UPDATE"); o["thread_metadata"].(obj)["archived"] != false {
		t.Errorf("the update is %v", o)
	}
	w.edit(m, obj{"content": "x"}).fine()

	must(t, w.s.ArchiveThread(thread, true))
	w.do("PATCH", "/channels/"+thread, obj{"archived": false}).fine()
	must(t, w.s.LockThread(thread, true))
	must(t, w.s.ArchiveThread(thread, true))
	w.do("POST", w.messages(thread), obj{"content": "x"}).refused(400, 160005)
	w.do("PATCH", "/channels/"+thread, obj{"archived": false}).refused(400, 160005)
	must(t, w.s.LockThread(thread, false))

	must(t, w.s.SetPermissions(w.channel, sandbox.PermBot&^sandbox.PermSendInThreads))
	w.do("POST", w.messages(thread), obj{"content": "x"}).refused(403, 50013)
	w.post(obj{"content": "x"}).fine()
	must(t, w.s.SetPermissions(w.channel, sandbox.PermBot&^sandbox.PermSendMessages))
	w.do("POST", w.messages(thread), obj{"content": "x"}).fine()
	w.do("POST", "/channels/"+w.channel+"/threads", obj{"name": ""}).form("name", badLength)
	w.do("POST", "/channels/"+w.channel+"/threads", obj{"name": "x", "auto_archive_duration": 61, "type": 11}).form("auto_archive_duration", choices)
	w.do("POST", "/channels/"+thread+"/threads", obj{"name": "x", "type": 11}).refused(400, 50024)

	must(t, w.s.DeleteChannel(thread))
	if o := g.event("THREAD_DELETE"); o["id"] != thread || o["parent_id"] != w.channel {
		t.Errorf("the deletion is %v", o)
	}
	w.edit(m, obj{"content": "x"}).refused(404, 10003)
}

// Whom a message may notify, by allowed_mentions.
func TestPings(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	both := "<@" + w.ann + "> <@!" + w.ben + "> @everyone"
	for _, tt := range []struct {
		name    string
		body    obj
		ann     string
		ben     string
		cleo    string
		mention []string
	}{
		{"by default", obj{"content": both}, "mention", "mention", "", []string{w.ann, w.ben}},
		{"nobody", obj{"content": both, "allowed_mentions": obj{"parse": list{}}}, "", "", "", nil},
		{"one", obj{"content": both, "allowed_mentions": obj{"parse": list{}, "users": list{w.ben}}}, "", "mention", "", []string{w.ben}},
		{"in a text display", with(v2(container(text(both))), obj{"allowed_mentions": obj{"users": list{w.ann}}}), "mention", "", "", []string{w.ann}},
		{"silently", obj{"content": both, "flags": 1 << 12}, "", "", "", []string{w.ann, w.ben}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := w.post(tt.body).message()
			var mentioned []string
			for _, u := range m.Mentions {
				mentioned = append(mentioned, u.ID)
			}
			if !slices.Equal(mentioned, tt.mention) {
				t.Errorf("mentions %v, want %v", mentioned, tt.mention)
			}
			for user, want := range map[string]string{w.ann: tt.ann, w.ben: tt.ben, w.cleo: tt.cleo} {
				got := ""
				if p := w.s.Pings(user); len(p) > 0 && p[len(p)-1].MessageID == m.ID {
					got = p[len(p)-1].Why
				}
				if got != want {
					t.Errorf("%s was notified by %q, want %q", user, got, want)
				}
			}
		})
	}

	must(t, w.s.SetPermissions(w.channel, sandbox.PermBot|sandbox.PermMentionEveryone))
	w.post(obj{"content": "@everyone"}).fine()
	if p := w.s.Pings(w.cleo); len(p) != 1 || p[0].Why != "everyone" {
		t.Errorf("Cleo's pings are %v", p)
	}
	m := w.post(obj{"content": "later"}).message()
	w.edit(m, obj{"content": "<@" + w.cleo + ">"}).fine()
	_, _, press := w.newPress(g)
	press.answer(4, obj{"content": "<@" + w.cleo + ">", "flags": 64}).fine()
	if p := w.s.Pings(w.cleo); len(p) != 1 {
		t.Errorf("an edit or somebody else's ephemeral message notified Cleo: %v", p)
	}
	_, _, press = w.newPress(g)
	press.answer(4, obj{"content": "<@" + w.cleo + "> @everyone"}).fine()
	if p := w.s.Pings(w.cleo); len(p) != 2 || p[1].Why != "mention" {
		t.Errorf("a reply mentions users alone by default: %v", p)
	}
}

func TestNonce(t *testing.T) {
	w := newWorld(t)
	body := obj{"content": "board", "nonce": "t1", "enforce_nonce": true}
	first := w.post(body).message()
	if again := w.post(body).message(); again.ID != first.ID {
		t.Error("the same nonce made a second message")
	}
	if other := w.post(obj{"content": "board", "nonce": "t1"}).message(); other.ID == first.ID {
		t.Error("a nonce that is not enforced kept a message back")
	}
	w.pass(10 * time.Minute)
	if later := w.post(body).message(); later.ID == first.ID {
		t.Error("a nonce is honoured for ever")
	}
	if n := len(check[[]sandbox.Message](t)(w.s.Messages(w.ann, w.channel))); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
}

func TestUploads(t *testing.T) {
	w := newWorld(t)
	picture := func(alt string) obj {
		return with(v2(obj{"type": 12, "items": list{obj{"media": obj{"url": "attachment://board.png"}, "description": alt}}}),
			obj{"attachments": list{obj{"id": "0", "filename": "board.png", "description": alt}}})
	}
	m := w.upload("POST", "/api/v10", w.messages(w.channel), picture("the table"), file{"files[0]", "board.png", onePixel}).message()
	if len(m.Attachments) != 1 || m.Attachments[0].Description != "the table" || m.Attachments[0].Width != 1 {
		t.Fatalf("attachments: %+v", m.Attachments)
	}
	media := m.Components[0].Items[0].Media
	if media.URL != m.Attachments[0].URL || !strings.HasPrefix(media.URL, w.http.URL) {
		t.Errorf("the picture stands at %s", media.URL)
	}
	fetch := func(url string) (int, string, string) {
		res := check[*http.Response](t)(http.Get(url))
		defer res.Body.Close()
		b := check[[]byte](t)(io.ReadAll(res.Body))
		return res.StatusCode, string(b), res.Header.Get("Content-Type")
	}
	if status, body, typ := fetch(media.URL); status != 200 || body != onePixel || typ != "image/png" {
		t.Errorf("the picture is served as %d %q", status, typ)
	}
	seen := check[sandbox.Message](t)(w.s.Message(w.ann, w.channel, m.ID))
	if u := seen.Attachments[0].URL; !strings.HasPrefix(u, "/attachments/") {
		t.Errorf("on the people's side it stands at %s", u)
	}

	path := w.messages(w.channel) + "/" + m.ID
	next := w.upload("PATCH", "/api/v10", path, picture("later"), file{"files[0]", "board.png", onePixel}).message()
	if len(next.Attachments) != 1 || next.Attachments[0].ID == m.Attachments[0].ID {
		t.Errorf("replaced: %+v", next.Attachments)
	}
	if status, _, _ := fetch(media.URL); status != 404 {
		t.Errorf("a replaced picture is served: %d", status)
	}
	kept := w.do("PATCH", path, obj{"attachments": list{obj{"id": next.Attachments[0].ID}}}).message()
	if len(kept.Attachments) != 1 {
		t.Errorf("kept: %+v", kept.Attachments)
	}

	plain := w.upload("POST", "/api/v10", w.messages(w.channel), nil, file{"files[0]", "../a b.json", "{}"}).message()
	if plain.Attachments[0].Filename != ".._a_b.json" && plain.Attachments[0].Filename != "a_b.json" {
		t.Errorf("the name is %q", plain.Attachments[0].Filename)
	}
	if _, _, typ := fetch(plain.Attachments[0].URL); typ != "application/octet-stream" {
		t.Errorf("a file that is no picture is served as %s", typ)
	}
	edit := func(prefix string) int {
		m := w.upload("POST", prefix, w.messages(w.channel), obj{"content": "x"}, file{"files[0]", "a.png", onePixel}).message()
		m = w.upload("PATCH", prefix, w.messages(w.channel)+"/"+m.ID, obj{"attachments": list{}}, file{"files[0]", "b.png", onePixel}).message()
		return len(m.Attachments)
	}
	if got := [2]int{edit("/api/v9"), edit("/api/v10")}; got != [2]int{1, 0} {
		t.Errorf("attachments after an edit that lists none, v9 and v10: %v", got)
	}

	w.upload("POST", "/api/v10", w.messages(w.channel), obj{"content": "x"}, file{"upload", "a.png", onePixel}).form("upload", unknown)
	big := file{"files[0]", "a.png", strings.Repeat("x", 10<<20+1)}
	w.upload("POST", "/api/v10", w.messages(w.channel), obj{"content": "x"}, big).refused(413, 40005)
}

func TestCommandRegistry(t *testing.T) {
	w := newWorld(t)
	app := "/applications/" + w.s.ApplicationID()
	global, guild := app+"/commands", app+"/guilds/"+w.guild+"/commands"
	help := obj{"name": "help", "description": "d"}
	first := w.do("POST", global, help).checkStatus(201).fine()
	same := w.do("POST", global, help).checkStatus(200).fine()
	if diff := cmp.Diff(first, same); diff != "" {
		t.Errorf("the same registration changed: %s", diff)
	}
	changed := w.do("PATCH", global+"/"+first["id"].(string), obj{"description": "e"}).fine()
	if changed["version"] == first["version"] || changed["description"] != "e" || changed["name"] != "help" {
		t.Errorf("changed to %v", changed)
	}
	w.do("PUT", global, list{obj{"name": "play", "description": "d"}, help}).checkStatus(200)
	if c := w.do("GET", global+"/"+first["id"].(string), nil).fine(); c["name"] != "help" {
		t.Errorf("a replaced command kept its id for %v", c["name"])
	}
	w.do("PUT", guild, list{obj{"name": "local", "description": "d"}}).checkStatus(200)
	w.do("PUT", global, list{}).checkStatus(200)
	w.do("GET", global+"/"+first["id"].(string), nil).refused(404, 10063)
	offered := check[[]sandbox.Command](t)(w.s.Commands(w.ben, w.channel))
	if len(offered) != 1 || offered[0].Name != "local" {
		t.Errorf("offered: %+v", offered)
	}
	w.do("DELETE", guild+"/"+offered[0].ID, nil).checkStatus(204)
}
