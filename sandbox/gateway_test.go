package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"paladin/sandbox"
)

func TestIdentify(t *testing.T) {
	w := newWorld(t)
	token := w.s.Token()
	for _, tt := range []struct {
		name string
		send func(*gate)
		code int
	}{
		{"a wrong token", func(g *gate) { g.send(2, identify("x", 1)) }, 4004},
		{"an unknown intent", func(g *gate) { g.send(2, identify(token, 1<<30)) }, 4013},
		{"members", func(g *gate) { g.send(2, identify(token, 1<<1)) }, 4014},
		{"message content", func(g *gate) { g.send(2, identify(token, 1<<15)) }, 4014},
		{"no intents", func(g *gate) { g.send(2, obj{"token": token, "properties": obj{}}) }, 4002},
		{"a second shard", func(g *gate) { g.send(2, with(identify(token, 1), obj{"shard": list{1, 2}})) }, 4010},
		{"twice", func(g *gate) { g.send(2, identify(token, 1)); g.send(2, identify(token, 1)) }, 4005},
		{"no identify", func(g *gate) { g.send(3, obj{}) }, 4003},
		{"an unknown opcode", func(g *gate) { g.send(77, nil) }, 4001},
		{"no JSON", func(g *gate) { _ = g.ws.WriteMessage(websocket.TextMessage, []byte("hello")) }, 4002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := w.dial()
			g.t = t
			tt.send(g)
			g.closed(tt.code)
		})
	}
	g := w.dial()
	g.send(2, with(identify("Bot "+token, 1), obj{"compress": true, "large_threshold": 250, "shard": list{0, 1}}))
	ready := g.event("READY")
	if ready["user"].(obj)["id"] != w.s.ApplicationID() || ready["guilds"].(list)[0].(obj)["unavailable"] != true || !strings.HasPrefix(ready["resume_gateway_url"].(string), "ws://") {
		t.Errorf("READY is %v", ready)
	}
	guild := g.event("GUILD_CREATE")
	if len(guild["channels"].(list)) != 2 || guild["unavailable"] != false || guild["member_count"] != 6.0 {
		t.Errorf("GUILD_CREATE is %v", guild)
	}
	g.quiet()
}

// Events go only where the intents say, interactions everywhere.
func TestIntents(t *testing.T) {
	w := newWorld(t)
	none, messages := w.connect(0), w.connect(1<<9|1<<12)
	check[sandbox.Message](t)(w.s.Say(t.Context(), w.ben, w.channel, "secret words"))
	if m := messages.event("MESSAGE_CREATE"); m["content"] != "" || m["guild_id"] != w.guild {
		t.Errorf("without the content intent the bot reads %v", m)
	}
	w.post(obj{"content": "own words"}).fine()
	if m := messages.event("MESSAGE_CREATE"); m["content"] != "own words" {
		t.Errorf("the bot does not read itself: %v", m)
	}
	dm := w.dm(w.ben)
	check[sandbox.Message](t)(w.s.Say(t.Context(), w.ben, dm, "to the bot"))
	if m := messages.event("MESSAGE_CREATE"); m["content"] != "to the bot" {
		t.Errorf("a DM to the bot is %v", m)
	}
	m, _, press := w.newPress(none)
	press.answer(4, obj{"content": "private", "flags": 64}).fine()
	w.do("DELETE", w.messages(w.channel)+"/"+m.ID, nil).checkStatus(204)
	if got := messages.event("MESSAGE_DELETE"); got["id"] != m.ID {
		t.Errorf("deleted %v", got)
	}
	none.quiet("GUILD_CREATE", "MESSAGE_CREATE", "MESSAGE_DELETE", "CHANNEL_CREATE")
}

func TestGuildEvents(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	must(t, w.s.GuildUnavailable(w.guild, true))
	if o := g.event("GUILD_DELETE"); o["unavailable"] != true {
		t.Errorf("an outage is %v", o)
	}
	must(t, w.s.GuildUnavailable(w.guild, false))
	g.event("GUILD_CREATE")
	must(t, w.s.KickBot(w.guild))
	if o := g.event("GUILD_DELETE"); o["id"] != w.guild || o["unavailable"] != nil {
		t.Errorf("a kick is %v", o)
	}
	other := check[sandbox.Guild](t)(w.s.AddGuild("Other", w.ann, w.ben))
	must(t, w.s.InviteBot(other.ID))
	if o := g.event("GUILD_CREATE"); o["id"] != other.ID || o["name"] != "Other" {
		t.Errorf("an invitation is %v", o)
	}
	c := check[sandbox.Channel](t)(w.s.AddChannel(other.ID, "games"))
	g.event("CHANNEL_CREATE")
	must(t, w.s.DeleteChannel(c.ID))
	if o := g.event("CHANNEL_DELETE"); o["id"] != c.ID {
		t.Errorf("a deletion is %v", o)
	}
	must(t, w.s.SetPermissions(other.ID, 0))
	hidden := check[sandbox.Channel](t)(w.s.AddChannel(other.ID, "hidden"))
	must(t, w.s.DeleteChannel(hidden.ID))
	g.quiet("CHANNEL_CREATE", "CHANNEL_DELETE")
}

func TestResume(t *testing.T) {
	w := newWorld(t)
	resume := func(session string, seq int64) *gate {
		g := w.dial()
		g.send(6, obj{"token": w.s.Token(), "session_id": session, "seq": seq})
		return g
	}
	invalid := func(g *gate) {
		t.Helper()
		if p := g.read(); p.Op != 9 || string(p.Data) != "false" {
			t.Fatalf("got %d %s", p.Op, p.Data)
		}
	}
	g := w.connect()
	m, _, _ := w.newPress(g)
	session, seq := g.session, g.seq
	w.s.DropGateway()
	if _, err := g.tryRead(); err == nil {
		t.Fatal("the connection was not cut")
	}
	i := check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.cleo, w.channel, m.ID, "go"))
	g = resume(session, seq)
	missed := w.interaction(g)
	if missed.id() != i.ID {
		t.Errorf("replayed %s, want %s", missed.id(), i.ID)
	}
	g.event("RESUMED")
	missed.answer(6, nil).fine()
	if err := w.s.WaitReady(t.Context()); err != nil {
		t.Error(err)
	}

	resume(session, g.seq+10).closed(4007)
	invalid(resume("nonsense", 1))
	fresh := w.connect()
	session, seq = fresh.session, fresh.seq
	w.s.DropGateway()
	w.clock.move(6 * time.Minute)
	invalid(resume(session, seq)) // too late

	g = w.connect()
	session, seq = g.session, g.seq
	_ = g.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(patience))
	g.closed(1000)
	again := resume(session, seq)
	invalid(again) // a clean close ends the session
	again.send(2, identify(w.s.Token(), 1))
	again.event("READY")
}

func TestGatewayFaults(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	op := func(want int, data string) {
		t.Helper()
		if p := g.read(); p.Op != want || string(p.Data) != data {
			t.Fatalf("got %d %s, want %d %s", p.Op, p.Data, want, data)
		}
	}
	w.s.Reconnect()
	op(7, "null")
	w.s.InvalidSession(true)
	op(9, "true")
	w.s.RepeatReady()
	g.event("READY")
	g.event("GUILD_CREATE")
	_, _, press := w.newPress(g)
	must(t, w.s.Redeliver(press.id()))
	if again := w.interaction(g); again.id() != press.id() || again.token() != press.token() {
		t.Error("another interaction came again")
	}
	if err := w.s.Redeliver("1"); !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("got %v", err)
	}

	var kept *sandbox.Dispatch
	w.s.FaultDispatch(func(d sandbox.Dispatch) []sandbox.Dispatch {
		if d.Type != "INTERACTION_CREATE" {
			return []sandbox.Dispatch{d}
		}
		if kept == nil {
			kept = &d
			return nil
		}
		return []sandbox.Dispatch{d, *kept, d}
	})
	m := w.post(legacy(row(button("1", "1"), button("2", "2")))).message()
	for _, id := range []string{"1", "2"} {
		check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, m.ID, id))
	}
	w.s.FaultDispatch(nil)
	var order []string
	for range 3 {
		order = append(order, w.interaction(g).data()["custom_id"].(string))
	}
	if strings.Join(order, "") != "212" {
		t.Errorf("delivered in the order %v", order)
	}

	no := false
	w.s.FaultGateway(func(op int) *sandbox.GatewayFault {
		switch op {
		case 1:
			return &sandbox.GatewayFault{Ignore: true}
		case 6:
			return &sandbox.GatewayFault{Reconnect: true}
		case 2:
			return &sandbox.GatewayFault{Invalid: &no}
		}
		return &sandbox.GatewayFault{Close: 4000}
	})
	g.send(1, nil)
	g.send(6, obj{})
	op(7, "null") // and no ACK before it
	g.send(2, obj{})
	op(9, "false")
	g.send(3, obj{})
	g.closed(4000)
	w.s.FaultGateway(nil)

	g = w.connect()
	w.s.InvalidSession(false)
	op(9, "false")
	g.send(2, identify(w.s.Token(), 1))
	g.event("READY")
	w.s.CloseGateway(4009)
	g.closed(4009)
}

func TestGatewayLimits(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) {
		c.Limits.Identify = sandbox.Limit{N: 3, Per: time.Hour}
		c.Limits.Concurrency = sandbox.Limit{N: 1, Per: 5 * time.Second}
	})
	w.connect()
	g := w.dial()
	g.send(2, identify(w.s.Token(), 1))
	if p := g.read(); p.Op != 9 {
		t.Errorf("a second session at once gets %d", p.Op)
	}
	limit := w.do("GET", "/gateway/bot", nil).fine()["session_start_limit"].(obj)
	if limit["total"] != 3.0 || limit["remaining"] != 1.0 || limit["max_concurrency"] != 1.0 {
		t.Errorf("limits %v", limit)
	}
	w.clock.move(5 * time.Second)
	chatty := w.connect()
	w.clock.move(5 * time.Second)
	g = w.dial()
	g.send(2, identify(w.s.Token(), 1))
	g.closed(4004)
	for range 121 {
		chatty.send(1, nil)
	}
	chatty.closed(4008)
}

func TestWaitReady(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.s.WaitReady(ctx); !errors.Is(err, context.Canceled) || w.s.Connections() != 0 {
		t.Errorf("got %v with %d connections", err, w.s.Connections())
	}
	w.connect()
	if err := w.s.WaitReady(t.Context()); err != nil || w.s.Connections() != 1 {
		t.Errorf("got %v with %d connections", err, w.s.Connections())
	}
}

func TestSubscribe(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	ben, cancel := w.s.Subscribe(w.ben)
	ann, cancelAnn := w.s.Subscribe(w.ann)
	defer cancelAnn()
	next := func(from <-chan sandbox.Event, want sandbox.EventType) sandbox.Event {
		t.Helper()
		select {
		case e := <-from:
			if e.Type != want {
				t.Fatalf("event %s %+v, want %s", e.Type, e, want)
			}
			return e
		default:
			t.Fatalf("no event where %s was to come", want)
		}
		return sandbox.Event{}
	}
	m := w.post(with(legacy(row(button("go", "Go"))), obj{"content": "<@" + w.ben + ">"})).message()
	next(ben, sandbox.EventPing)
	if e := next(ben, sandbox.EventMessage); e.Message.ID != m.ID || !e.Message.View.PingsMe {
		t.Errorf("shown %+v", e.Message)
	}
	if e := next(ann, sandbox.EventMessage); e.Message.View.PingsMe {
		t.Error("Ann is told that she was notified")
	}
	check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, m.ID, "go"))
	if e := next(ben, sandbox.EventInteraction); e.Result.Outcome != sandbox.Waiting {
		t.Errorf("the press is %+v", e.Result)
	}
	press := w.interaction(g)
	press.answer(4, obj{"content": "private", "flags": 64}).fine()
	reply := next(ben, sandbox.EventMessage).Message
	if e := next(ben, sandbox.EventInteraction); e.Result.Message.ID != reply.ID {
		t.Errorf("the answer is %+v", e.Result)
	}
	must(t, w.s.Dismiss(w.ben, w.channel, reply.ID))
	next(ben, sandbox.EventDelete)
	must(t, w.s.DeleteMessage(w.channel, m.ID))
	next(ben, sandbox.EventDelete)
	if e := next(ann, sandbox.EventDelete); e.Message.ID != m.ID {
		t.Errorf("Ann was told of %s", e.Message.ID)
	}
	check[sandbox.Channel](t)(w.s.AddChannel(w.guild, "more"))
	next(ben, sandbox.EventChannels)
	w.register()
	next(ben, sandbox.EventCommands)
	cancel()
	cancel()
	if _, open := <-ben; open {
		t.Error("the channel is open after cancel")
	}

	// Nobody waits for a reader who does not read; it is told to read everything anew.
	slow, cancelSlow := w.s.Subscribe(w.cleo)
	defer cancelSlow()
	for range 1000 {
		w.post(obj{"content": "x"}).fine()
	}
	resyncs, total := 0, len(slow)
	for range total {
		if e := <-slow; e.Type == sandbox.EventResync {
			resyncs++
		}
	}
	if resyncs != 1 || total > 256 {
		t.Errorf("%d of %d events are resyncs", resyncs, total)
	}
	w.post(obj{"content": "after"}).fine()
	if e := next(slow, sandbox.EventResync); e.Type != sandbox.EventResync {
		t.Errorf("got %v", e)
	}
	next(slow, sandbox.EventMessage)
}

func TestPayloadsWithoutOptionalFields(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.s.FaultDispatch(func(d sandbox.Dispatch) []sandbox.Dispatch {
		var o obj
		if err := json.Unmarshal(d.Data, &o); err != nil {
			return nil
		}
		delete(o, "channel")
		b, err := json.Marshal(o)
		if err != nil {
			return nil
		}
		return []sandbox.Dispatch{{Type: d.Type, Data: b}}
	})
	_, _, press := w.newPress(g)
	if press.obj["channel"] != nil || press.obj["channel_id"] != w.channel {
		t.Errorf("got %v", press.obj)
	}
}
