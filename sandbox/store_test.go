package sandbox_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"paladin/sandbox"
)

// snapshot is all that a restart must not lose.
func snapshot(t *testing.T, s *sandbox.Server) obj {
	t.Helper()
	out := obj{"users": s.Users(), "guilds": s.Guilds(""), "token": s.Token(), "app": s.ApplicationID(), "bot": s.Bot()}
	for _, u := range s.Users() {
		channels := check[[]sandbox.Channel](t)(s.Channels(u.ID))
		out["channels of "+u.Username] = channels
		out["pings of "+u.Username] = s.Pings(u.ID)
		for _, c := range channels {
			out["messages of "+u.Username+" in "+c.ID] = check[[]sandbox.Message](t)(s.Messages(u.ID, c.ID))
			out["commands of "+u.Username+" in "+c.ID] = check[[]sandbox.Command](t)(s.Commands(u.ID, c.ID))
		}
	}
	return out
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "side.db")
	stored := func(c *sandbox.Config) { c.Path = path }
	w := newWorld(t, stored)
	g := w.connect()
	w.register()
	m := w.upload("POST", "/api/v10", w.messages(w.channel), obj{"content": "<@" + w.ben + ">", "components": list{row(button("go", "Go"))}}, file{"files[0]", "a.png", onePixel}).message()
	w.edit(m, obj{"content": "board"}).fine()
	gone := w.post(obj{"content": "gone"}).message()
	w.do("DELETE", w.messages(w.channel)+"/"+gone.ID, nil).checkStatus(204)
	_, _, press := w.newPress(g)
	press.answer(4, obj{"content": "hand", "flags": 64}).fine()
	dismissed := press.original("GET", nil).message()
	must(t, w.s.Dismiss(w.ben, w.channel, dismissed.ID))
	dm := w.dm(w.cleo)
	w.do("POST", w.messages(dm), obj{"content": "your hand"}).fine()
	thread := check[sandbox.Channel](t)(w.s.AddThread(w.channel, "table"))
	must(t, w.s.ArchiveThread(thread.ID, true))
	must(t, w.s.CloseDMs(w.ben, true))
	must(t, w.s.SetMemberPermissions(w.guild, w.cleo, sandbox.PermMember|sandbox.PermManageChannels))
	extra := check[sandbox.Channel](t)(w.s.AddChannel(w.guild, "short-lived"))
	must(t, w.s.DeleteChannel(extra.ID))
	_, _, press = w.newPress(g)
	press.answer(5, nil).fine()
	before := snapshot(t, w.s)
	newest := w.post(obj{"content": "newest"}).message().ID
	must(t, w.s.DeleteMessage(w.channel, newest))

	// A kill: the file is copied as it is, with the first server still open.
	copied := filepath.Join(t.TempDir(), "killed.db")
	must(t, os.WriteFile(copied, check[[]byte](t)(os.ReadFile(path)), 0o600))
	back := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) // the clock was set back meanwhile
	again := newWorld(t, func(c *sandbox.Config) { c.Path, c.Now = copied, func() time.Time { return back } })
	after := snapshot(t, again.s)
	for key, v := range before {
		list, _ := v.([]sandbox.Message) // the reply that was still to come has failed
		for i := range list {
			if list[i].View.Thinking {
				list[i].View.Thinking, list[i].View.Failed = false, "The application did not respond"
			}
		}
		if diff := cmp.Diff(v, after[key]); diff != "" {
			t.Errorf("%s (-before +after):\n%s", key, diff)
		}
	}
	if id := again.post(obj{"content": "x"}).message().ID; number(t, id) <= number(t, newest) {
		t.Errorf("the id %s is not above %s", id, newest)
	}
	again.do("POST", again.messages(again.dm(again.ben)), obj{"content": "x"}).refused(403, 50007)
	again.do("PATCH", "/webhooks/"+again.s.ApplicationID()+"/"+press.token()+"/messages/@original", obj{"content": "x"}).refused(401, 50027)
	seen := check[sandbox.Message](t)(again.s.Message(again.ben, again.channel, m.ID))
	res := again.do("GET", "/../.."+seen.Attachments[0].URL, nil)
	if string(res.body) != onePixel {
		t.Errorf("the attachment is %d bytes", len(res.body))
	}
	check[*sandbox.Interaction](t)(again.s.Press(t.Context(), again.ben, again.channel, m.ID, "go"))
}

func number(t *testing.T, id string) uint64 {
	t.Helper()
	return check[uint64](t)(strconv.ParseUint(id, 10, 64))
}

func TestIDs(t *testing.T) {
	w := newWorld(t)
	first := number(t, w.post(obj{"content": "x"}).message().ID)
	if at := time.UnixMilli(int64(first>>22) + 1420070400000); at.Sub(w.clock.now()).Abs() > time.Millisecond {
		t.Errorf("the id says %v", at)
	}
	w.clock.move(-time.Hour)
	second := number(t, w.post(obj{"content": "x"}).message().ID)
	w.clock.move(2 * time.Hour)
	third := number(t, w.post(obj{"content": "x"}).message().ID)
	if first >= second || second >= third {
		t.Errorf("ids %d, %d, %d", first, second, third)
	}
}

func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel() // it waits for a lock
	dir := t.TempDir()
	held := filepath.Join(dir, "held.db")
	s := check[*sandbox.Server](t)(sandbox.Open(sandbox.Config{Path: held}))
	defer s.Close()
	if info := check[os.FileInfo](t)(os.Stat(held)); info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	newer := filepath.Join(dir, "newer.db")
	db := check[*bbolt.DB](t)(bbolt.Open(newer, 0o600, nil))
	must(t, db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("format"))
		if err != nil {
			return err
		}
		return b.Put([]byte("format"), []byte("paladin-sandbox-9"))
	}))
	must(t, db.Close())
	garbage := filepath.Join(dir, "garbage.db")
	must(t, os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600))
	for path, want := range map[string]string{
		held:                             "another process holds it",
		newer:                            "another version of the sandbox wrote it",
		garbage:                          garbage,
		filepath.Join(dir, "no", "x.db"): "its folder does not exist",
	} {
		if _, err := sandbox.Open(sandbox.Config{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestConfig(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) { c.Token, c.ApplicationID, c.BotName = "my.own.token", "4711", "Sir Bot" })
	if w.s.Token() != "my.own.token" || w.s.ApplicationID() != "4711" || w.s.Bot().Name() != "Sir Bot" || w.s.Bot().ID != "4711" {
		t.Errorf("%q %q %+v", w.s.Token(), w.s.ApplicationID(), w.s.Bot())
	}
	if _, err := sandbox.Open(sandbox.Config{ApplicationID: "x"}); err == nil {
		t.Error("an application id that is no snowflake was taken")
	}
	must(t, w.s.Close())
	w.do("GET", "/users/@me", nil).refused(503, 130000)
	if _, err := w.s.Say(t.Context(), w.ben, w.channel, "x"); err == nil {
		t.Error("a closed sandbox goes on")
	}
}
