package discord

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// bubble runs a test in virtual time and fails if Run leaves goroutines behind:
// a bubble cannot end while any of its goroutines lives.
func bubble(t *testing.T, script func(n int, p *peer), body func(t *testing.T, f *fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.gateway = script
		body(t, f)
		f.close()
		pass(settle + time.Second) // discordgo's Close sleeps that long, virtually here
	})
}

func TestEventsInOrder(t *testing.T) { // G7
	script := func(n int, p *peer) {
		if !p.start() {
			return
		}
		for i := range 50 {
			p.send(opDispatch, "INTERACTION_CREATE", fmt.Sprintf(`{"id":"%d","token":"t","type":3}`, 100+i))
		}
		p.stay()
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		var got recorder
		c := f.client(nil)
		stop := run(c, got.handle)
		pass(time.Second)
		if !c.Connected() {
			t.Error("Connected is false")
		}
		if err := stop(); err != nil {
			t.Errorf("Run = %v", err)
		}
		if c.Connected() {
			t.Error("Connected is true after Run")
		}
		events := got.all()
		if len(events) != 51 {
			t.Fatalf("%d events", len(events))
		}
		ready := events[0].(*Ready)
		if ready.ApplicationID != "900" || ready.BotUserID != "900" || len(ready.Guilds) != 1 || ready.Resumed {
			t.Errorf("ready = %+v", ready)
		}
		for i, e := range events[1:] {
			if id := e.(*Interaction).ID; id != fmt.Sprint(100+i) {
				t.Fatalf("event %d is %s", i, id)
			}
		}
	})
}

func TestIdentifyAsksForGuildsAlone(t *testing.T) {
	script := func(n int, p *peer) {
		if p.start() {
			p.stay()
		}
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		stop := run(f.client(nil), func(Event) {})
		pass(time.Second)
		if err := stop(); err != nil {
			t.Error(err)
		}
		want := `{"compress":false,"intents":1,"large_threshold":250,"properties":{"browser":"discordgo","device":"discordgo","os":"` +
			runtime.GOOS + `"},"token":"` + testToken + `"}`
		if diff := cmp.Diff(want, string(f.identifies[0])); diff != "" {
			t.Errorf("IDENTIFY: %s", diff)
		}
		if want := "/ws?encoding=json&v=10"; f.paths[0] != want {
			t.Errorf("dialled %s, want %s", f.paths[0], want)
		}
		if len(f.closes) != 1 || f.closes[0] != websocket.CloseNormalClosure {
			t.Errorf("close codes %v", f.closes)
		}
	})
}

// What the server does to the second packet of each connection, and how the
// client must take it.
func TestReconnects(t *testing.T) {
	tests := []struct {
		name   string
		script func(n int, p *peer)
		within time.Duration
		// identifies and resumes are what the server must have seen by then.
		identifies, resumes int
	}{
		{"G1 op 7 right after IDENTIFY", func(n int, p *peer) {
			if n == 1 {
				p.open()
				p.send(opReconnect, "", "null")
				p.stay()
				return
			}
			p.startAndStay()
		}, 10 * time.Second, 2, 0},
		{"G1 op 7 right after RESUME", func(n int, p *peer) {
			switch n {
			case 1:
				p.start()
				p.send(opReconnect, "", "null")
				p.stay()
			case 2:
				p.open()
				p.send(opReconnect, "", "null")
				p.stay()
			default:
				p.startAndStay()
			}
		}, 10 * time.Second, 1, 2},
		{"op 7 in mid-session resumes at once", func(n int, p *peer) {
			p.start()
			if n == 1 {
				p.send(opReconnect, "", "null")
			}
			p.stay()
		}, 10 * time.Millisecond, 1, 1},
		{"G2 op 9 false answers RESUME", func(n int, p *peer) {
			switch n {
			case 1:
				p.start()
				p.closeWith(4000)
			case 2:
				p.open()
				p.send(opInvalid, "", "false")
				p.stay()
			default:
				p.startAndStay()
			}
		}, 10 * time.Second, 2, 1},
		{"op 9 true answers RESUME", func(n int, p *peer) {
			switch n {
			case 1:
				p.start()
				p.closeWith(4000)
			case 2:
				p.open()
				p.send(opInvalid, "", "true")
				p.stay()
			default:
				p.startAndStay()
			}
		}, 10 * time.Second, 1, 2},
		{"op 9 true for ever", func(n int, p *peer) {
			switch op, _ := p.open(); {
			case op == opResume:
				p.send(opInvalid, "", "true")
				p.stay()
			default:
				p.send(opDispatch, "READY", readyData)
				if n == 1 {
					p.closeWith(4000)
				}
				p.stay()
			}
		}, 20 * time.Second, 2, 2},
		{"op 9 without data answers IDENTIFY", func(n int, p *peer) {
			if n == 1 {
				p.open()
				p.raw(`{"op":9}`)
				p.stay()
				return
			}
			p.startAndStay()
		}, 10 * time.Second, 2, 0},
		{"4009 forgets the session", func(n int, p *peer) {
			p.start()
			if n == 1 {
				p.closeWith(4009)
			}
			p.stay()
		}, 10 * time.Second, 2, 0},
		{"4007 answers RESUME", func(n int, p *peer) {
			op, _ := p.open()
			if op == opResume {
				p.closeWith(4007)
				p.stay()
				return
			}
			p.send(opDispatch, "READY", readyData)
			if n == 1 {
				p.closeWith(1001)
			}
			p.stay()
		}, 10 * time.Second, 2, 1},
		{"the connection breaks without a word", func(n int, p *peer) {
			p.start()
			if n > 1 {
				p.stay()
			}
		}, 10 * time.Millisecond, 1, 1},
		{"RESUME is answered with READY", func(n int, p *peer) {
			p.open()
			p.send(opDispatch, "READY", readyData)
			if n > 1 {
				p.stay()
			}
		}, 10 * time.Millisecond, 1, 1},
		{"RESUME is never answered", func(n int, p *peer) {
			op, _ := p.open()
			if op == opIdentify {
				p.send(opDispatch, "READY", readyData)
			}
			if n > 1 {
				p.stay()
			}
		}, 3 * time.Minute, 2, 2},
		{"no HELLO", func(n int, p *peer) {
			if n > 1 {
				p.startAndStay()
				return
			}
			p.stay()
		}, time.Minute, 1, 0},
		{"no READY", func(n int, p *peer) {
			p.open()
			if n > 1 {
				p.send(opDispatch, "READY", readyData)
			}
			p.stay()
		}, time.Minute, 2, 0},
		{"G5 heartbeats are not answered", func(n int, p *peer) {
			p.mute = n == 1
			p.startAndStay()
		}, (2*41250+41250/8)*time.Millisecond + time.Second, 1, 1},
		{"no session id", func(n int, p *peer) {
			p.open()
			p.send(opDispatch, "READY", `{}`)
			if n > 1 {
				p.stay()
			}
		}, 10 * time.Second, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, f *fake) {
				c := f.client(nil)
				stop := run(c, func(Event) {})
				pass(tt.within)
				if !c.Connected() {
					t.Error("not connected in time")
				}
				if err := stop(); err != nil {
					t.Errorf("Run = %v", err)
				}
				if i, r := f.count(); i != tt.identifies || r != tt.resumes {
					t.Errorf("%d IDENTIFYs and %d RESUMEs, want %d and %d", i, r, tt.identifies, tt.resumes)
				}
			})
		})
	}
}

func (p *peer) startAndStay() {
	if p.start() {
		p.stay()
	}
}

// stayFor keeps the connection until the client ends it, and does something after a while.
func (p *peer) stayFor(d time.Duration, then func()) {
	after := time.AfterFunc(d, then)
	defer after.Stop()
	p.stay()
}

func TestResumeContinuesTheSequence(t *testing.T) {
	script := func(n int, p *peer) {
		if n == 2 {
			p.seq = 40
		}
		p.open()
		if n == 1 {
			p.send(opDispatch, "READY", readyData)
			p.send(opDispatch, "CHANNEL_DELETE", `{"id":"5","guild_id":"1"}`)
			p.send(opDispatch, "WHATEVER", `[]`)
			return
		}
		p.send(opDispatch, "CHANNEL_DELETE", `{"id":"6","guild_id":"1"}`) // replayed
		p.send(opDispatch, "RESUMED", `{}`)
		p.stay()
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		var got recorder
		stop := run(f.client(nil), got.handle)
		pass(time.Second)
		if err := stop(); err != nil {
			t.Error(err)
		}
		var resume struct {
			Token, Session_ID string
			Seq               int
		}
		if err := json.Unmarshal(f.resumes[0], &resume); err != nil {
			t.Fatal(err)
		}
		if resume.Token != testToken || resume.Session_ID != "S1" || resume.Seq != 3 {
			t.Errorf("RESUME = %s", f.resumes[0])
		}
		var kinds []string
		for _, e := range got.all() {
			kinds = append(kinds, fmt.Sprintf("%T", e))
		}
		want := "*discord.Ready *discord.ChannelGone *discord.Disconnected *discord.ChannelGone *discord.Ready"
		if s := strings.Join(kinds, " "); s != want {
			t.Errorf("events %s, want %s", s, want)
		}
	})
}

func TestFatalCloseCodes(t *testing.T) { // G3
	for _, code := range []int{4004, 4010, 4011, 4012, 4013, 4014} {
		for _, when := range []string{"at IDENTIFY", "mid-session"} {
			t.Run(fmt.Sprint(code, " ", when), func(t *testing.T) {
				script := func(n int, p *peer) {
					if when == "mid-session" {
						p.start()
					} else {
						p.open()
					}
					p.closeWith(code)
					p.stay()
				}
				bubble(t, script, func(t *testing.T, f *fake) {
					err := f.client(nil).Run(t.Context(), func(Event) {})
					var fatal *FatalError
					if !errors.As(err, &fatal) || fatal.Close != code || fatal.Text == "" {
						t.Errorf("Run = %v", err)
					}
					if i, _ := f.count(); i != 1 {
						t.Errorf("%d IDENTIFYs", i)
					}
				})
			})
		}
	}
}

func TestRefusedTokenEndsRun(t *testing.T) {
	bubble(t, nil, func(t *testing.T, f *fake) {
		f.bot = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message":"401: Unauthorized","code":0}`)
		}
		c := f.client(nil)
		err := c.Run(t.Context(), func(Event) {})
		var fatal *FatalError
		if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
			t.Errorf("Run = %v", err)
		}
		if _, err := c.GetChannel(t.Context(), "1"); Classify(err) != Unauthorized {
			t.Errorf("a call after it: %v", err)
		}
		if n := len(f.sent()); n != 1 {
			t.Errorf("%d requests with a refused token", n)
		}
	})
}

func TestRefusedTokenInMidSession(t *testing.T) {
	script := func(n int, p *peer) { p.startAndStay() }
	bubble(t, script, func(t *testing.T, f *fake) {
		f.rest = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message":"401: Unauthorized","code":0}`)
		}
		c := f.client(nil)
		ended := make(chan error, 1)
		go func() { ended <- c.Run(t.Context(), func(Event) {}) }()
		pass(time.Second)
		// An interaction's token says nothing about the bot's.
		if _, err := c.EditOriginal(t.Context(), press(), Message{}); Classify(err) != TokenExpired {
			t.Errorf("edit = %v", err)
		}
		pass(time.Second)
		if !c.Connected() {
			t.Error("a dead interaction token ended the session")
		}
		if _, err := c.GetChannel(t.Context(), "1"); Classify(err) != Unauthorized {
			t.Errorf("get = %v", err)
		}
		var fatal *FatalError
		if err := <-ended; !errors.As(err, &fatal) {
			t.Errorf("Run = %v", err)
		}
	})
}

// A connection that opens and drops at once must not use up the day's IDENTIFYs.
func TestDropsSpendNoBudget(t *testing.T) { // G4
	script := func(n int, p *peer) {
		if op, _ := p.open(); op == opResume {
			p.send(opInvalid, "", "false")
		} else {
			p.send(opDispatch, "READY", readyData)
		}
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		stop := run(f.client(nil), func(Event) {})
		pass(20 * time.Second)
		if i, _ := f.count(); i > 4 {
			t.Errorf("%d IDENTIFYs in 20 s", i)
		}
		pass(6*time.Hour - 20*time.Second)
		if i, _ := f.count(); i > dailyIdentifies/4 || i < 50 {
			t.Errorf("%d IDENTIFYs in a quarter of a day", i)
		}
		if err := stop(); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}

func TestUptimeForgivesFailures(t *testing.T) {
	script := func(n int, p *peer) {
		p.start()
		if n > 8 {
			drop := time.AfterFunc(3*time.Minute, func() { p.conn.Close() })
			p.stay()
			drop.Stop()
		}
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		c := f.client(nil)
		stop := run(c, func(Event) {})
		pass(10 * time.Minute)
		f.mu.Lock()
		before := f.dials
		f.mu.Unlock()
		pass(30 * time.Minute)
		f.mu.Lock()
		after := f.dials
		f.mu.Unlock()
		if got := after - before; got != 10 {
			t.Errorf("%d reconnects in 30 minutes of drops every 3, want 10: none waits", got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestIdentifyBudget(t *testing.T) {
	script := func(n int, p *peer) { p.startAndStay() }
	tests := []struct {
		name   string
		kept   Identifies
		limits string
		fatal  bool
		saved  int
	}{
		{"first of the day", Identifies{}, `,"session_start_limit":{"total":1000,"remaining":1000}`, false, 1},
		{"no limits named", Identifies{}, ``, false, 1},
		{"limits without fields", Identifies{}, `,"session_start_limit":{}`, false, 1},
		{"used up here", Identifies{Since: time.Date(1999, 12, 31, 12, 0, 0, 0, time.UTC), Count: 900}, ``, true, 0},
		{"a day later", Identifies{Since: time.Date(1999, 12, 30, 23, 0, 0, 0, time.UTC), Count: 900}, ``, false, 1},
		{"clock set back", Identifies{Since: time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC), Count: 900}, ``, false, 1},
		{"used up there", Identifies{}, `,"session_start_limit":{"total":1000,"remaining":0,"reset_after":3600000}`, true, 0},
		{"small limit", Identifies{Since: time.Date(1999, 12, 31, 12, 0, 0, 0, time.UTC), Count: 9}, `,"session_start_limit":{"total":10,"remaining":1}`, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, script, func(t *testing.T, f *fake) { // time begins at 2000-01-01
				f.bot = func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, `{"url":"ws://discord.test/ws"%s}`, tt.limits)
				}
				saved := 0
				c := f.client(func(cfg *Config) {
					cfg.LoadIdentifies = func() (Identifies, error) { return tt.kept, nil }
					cfg.SaveIdentifies = func(i Identifies) error { saved = i.Count; return nil }
				})
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				err := c.Run(ctx, func(Event) {})
				var fatal *FatalError
				if errors.As(err, &fatal) != tt.fatal {
					t.Errorf("Run = %v", err)
				}
				if saved != tt.saved {
					t.Errorf("saved %d, want %d", saved, tt.saved)
				}
			})
		})
	}
}

// TestUnreadableIdentifies: a count that cannot be read, or cannot be, keeps nobody from playing;
// most of what is allowed is taken to be used.
func TestUnreadableIdentifies(t *testing.T) {
	script := func(n int, p *peer) { p.startAndStay() }
	for name, tt := range map[string]struct {
		kept   Identifies
		err    error
		limits string
		saved  int
	}{
		"unreadable":         {err: errors.New("unexpected end of JSON input"), saved: 811},
		"unreadable, small":  {err: errors.New("unexpected end of JSON input"), limits: `,"session_start_limit":{"total":10}`, saved: 9},
		"less than none":     {kept: Identifies{Since: time.Date(1999, 12, 31, 12, 0, 0, 0, time.UTC), Count: -5}, saved: 811},
		"more than possible": {kept: Identifies{Since: time.Date(1999, 12, 31, 12, 0, 0, 0, time.UTC), Count: 7000}, saved: 811},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, script, func(t *testing.T, f *fake) {
				f.bot = func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, `{"url":"ws://discord.test/ws"%s}`, tt.limits)
				}
				var log capture
				saved := 0
				c := f.client(func(cfg *Config) {
					cfg.Log = log.logger()
					cfg.LoadIdentifies = func() (Identifies, error) { return tt.kept, tt.err }
					cfg.SaveIdentifies = func(i Identifies) error { saved = i.Count; return nil }
				})
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				if err := c.Run(ctx, func(Event) {}); err != nil {
					t.Errorf("Run = %v", err)
				}
				if saved != tt.saved {
					t.Errorf("saved %d, want %d", saved, tt.saved)
				}
				if !strings.Contains(log.String(), "cannot be read") {
					t.Errorf("logged:\n%s", log.String())
				}
			})
		})
	}
}

// The handler may use the client on READY, and a panic in it costs one event.
func TestHandlers(t *testing.T) { // G6, G8
	script := func(n int, p *peer) {
		p.start()
		p.send(opDispatch, "CHANNEL_DELETE", `{"id":"5"}`)
		p.send(opDispatch, "THREAD_DELETE", `{"id":"6"}`)
		p.stay()
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		var log capture
		c := f.client(func(cfg *Config) { cfg.Log = log.logger() })
		last := ""
		stop := run(c, func(e Event) {
			switch e := e.(type) {
			case *Ready:
				if !c.Connected() {
					t.Error("not connected on READY")
				}
				if err := c.DeleteMessage(t.Context(), "1", "2"); err != nil {
					t.Error(err)
				}
			case *ChannelGone:
				panic("a bug")
			case *ThreadGone:
				last = e.ID
			}
		})
		pass(time.Second)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if last != "6" {
			t.Error("the event after the panic was not delivered")
		}
		if !strings.Contains(log.String(), "a bug") {
			t.Error("the panic was not logged")
		}
	})
}

// Servers that are not Discord.
func TestOddServers(t *testing.T) {
	squeeze := func(s string) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write([]byte(s))
		z.Close()
		return b.Bytes()
	}
	tests := []struct {
		name   string
		script func(n int, p *peer)
		fresh  int // Ready events expected
		other  int // other events expected
	}{
		{"READY twice", func(n int, p *peer) {
			p.start()
			p.send(opDispatch, "READY", readyData)
			p.send(opDispatch, "CHANNEL_DELETE", `{"id":"5"}`)
			p.stay()
		}, 1, 1},
		{"interaction before READY and twice", func(n int, p *peer) {
			p.open()
			p.send(opDispatch, "INTERACTION_CREATE", `{"id":"5","token":"t"}`)
			p.send(opDispatch, "READY", readyData)
			p.send(opDispatch, "INTERACTION_CREATE", `{"id":"5","token":"t"}`)
			p.stay()
		}, 1, 2},
		{"READY with nulls, which discordgo panics at", func(n int, p *peer) {
			p.open()
			p.send(opDispatch, "READY", `{"guilds":[null,{"id":7}],"user":null,"session_id":"x","application":null}`)
			p.send(opDispatch, "GUILD_CREATE", `{}`)
			p.send(opDispatch, "GUILD_CREATE", `{"id":"7","channels":[null,{"id":"8"}],"roles":null,"members":[null]}`)
			p.stay()
		}, 1, 1},
		{"READY is not an object", func(n int, p *peer) {
			p.open()
			p.send(opDispatch, "READY", `[]`)
			p.stay()
		}, 1, 0},
		{"HELLO without interval", func(n int, p *peer) {
			p.raw(`{"op":10}`)
			p.read()
			p.send(opDispatch, "READY", readyData)
			p.stay()
		}, 1, 0},
		{"HELLO twice, acknowledgement and heartbeat before READY", func(n int, p *peer) {
			p.send(opHeartbeatAck, "", "null")
			p.send(opHello, "", `{"heartbeat_interval":"41250"}`)
			p.send(opHello, "", `{"heartbeat_interval":41250}`)
			p.read()
			p.send(opHeartbeat, "", "null")
			if _, beat, err := p.conn.ReadMessage(); err != nil || string(bytes.TrimSpace(beat)) != `{"op":1,"d":null}` {
				p.f.t.Errorf("asked for a heartbeat, got %s, %v", beat, err)
			}
			p.send(opHeartbeatAck, "", "null")
			p.send(opDispatch, "READY", readyData)
			p.stay()
		}, 1, 0},
		{"garbage and unknown packets", func(n int, p *peer) {
			p.start()
			p.raw(`nonsense`)
			p.raw(`[]`)
			p.raw(`null`)
			p.raw(`{"op":99,"d":{}}`)
			p.raw(`{"op":0}`)
			p.raw(`{"op":0,"t":"INTERACTION_CREATE","s":null,"d":null}`)
			p.raw(`{"op":"0","t":"CHANNEL_DELETE","s":"9","d":{"id":5}}`)
			p.stay()
		}, 1, 1},
		{"compressed packets", func(n int, p *peer) {
			p.out <- frame{websocket.BinaryMessage, squeeze(`{"op":10,"d":{"heartbeat_interval":41250}}`)}
			p.read()
			p.out <- frame{websocket.BinaryMessage, squeeze(`{"op":0,"s":1,"t":"READY","d":` + readyData + `}`)}
			p.stay()
		}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, f *fake) {
				var got recorder
				c := f.client(nil)
				stop := run(c, got.handle)
				pass(5 * time.Minute) // the heart must beat
				if !c.Connected() {
					t.Error("not connected")
				}
				if err := stop(); err != nil {
					t.Errorf("Run = %v", err)
				}
				if f.dials != 1 {
					t.Errorf("%d connections, want 1", f.dials)
				}
				fresh, _ := got.readies()
				if other := len(got.all()) - fresh; fresh != tt.fresh || other != tt.other {
					t.Errorf("%d Ready and %d other events, want %d and %d", fresh, other, tt.fresh, tt.other)
				}
			})
		})
	}
}

func TestGatewayAddress(t *testing.T) {
	t.Run("only GET /gateway", func(t *testing.T) {
		bubble(t, func(n int, p *peer) { p.startAndStay() }, func(t *testing.T, f *fake) {
			f.bot = http.NotFound
			f.rest = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/v10/gateway" {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, `{"url":"ws://discord.test/ws/?v=9&compress=zlib-stream"}`)
			}
			c := f.client(nil)
			stop := run(c, func(Event) {})
			pass(time.Second)
			if !c.Connected() || f.paths[0] != "/ws/?encoding=json&v=10" {
				t.Errorf("connected %v, dialled %v", c.Connected(), f.paths)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("resume address, then the first again", func(t *testing.T) {
		script := func(n int, p *peer) {
			op, _ := p.open()
			switch {
			case n == 2:
				p.f.mu.Lock()
				resumed := p.f.paths[1]
				p.f.mu.Unlock()
				if !strings.HasPrefix(resumed, "/ws2") {
					p.f.t.Errorf("resumed at %s", resumed)
				}
				return // refuses by hanging up
			case op == opResume:
				p.send(opDispatch, "RESUMED", "{}")
			default:
				p.send(opDispatch, "READY", strings.Replace(readyData, `"v":10`, `"resume_gateway_url":"ws://discord.test/ws2"`, 1))
			}
			if n > 1 {
				p.stay()
			}
		}
		bubble(t, script, func(t *testing.T, f *fake) {
			c := f.client(nil)
			stop := run(c, func(Event) {})
			pass(10 * time.Second)
			if i, r := f.count(); !c.Connected() || i != 1 || r != 2 || !strings.HasPrefix(f.paths[2], "/ws?") {
				t.Errorf("connected %v, %d IDENTIFYs, %d RESUMEs, paths %v", c.Connected(), i, r, f.paths)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("unusable answers", func(t *testing.T) {
		for _, answer := range []string{`{}`, `{"url":"https://x"}`, `{"url":7}`, `nonsense`, ``} {
			bubble(t, func(n int, p *peer) { p.startAndStay() }, func(t *testing.T, f *fake) {
				asked := 0
				f.bot = func(w http.ResponseWriter, _ *http.Request) {
					if asked++; asked > 2 {
						answer = `{"url":"ws://discord.test/ws"}`
					}
					fmt.Fprint(w, answer)
				}
				c := f.client(nil)
				stop := run(c, func(Event) {})
				pass(30 * time.Second)
				if !c.Connected() {
					t.Errorf("%s: not connected once the answer is right", answer)
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// An outage of the network keeps the session for a RESUME.
func TestSessionSurvivesFailedDials(t *testing.T) {
	script := func(n int, p *peer) {
		p.start()
		if n > 1 {
			p.stay()
		}
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		down := 0
		var log capture
		c := f.client(func(cfg *Config) {
			cfg.Log = log.logger()
			dial := cfg.DialContext
			cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if i, _ := f.count(); i == 1 {
					if down++; down < 6 {
						return nil, errors.New("network is unreachable")
					}
				}
				return dial(ctx, network, addr)
			}
		})
		stop := run(c, func(Event) {})
		pass(10 * time.Minute)
		if i, r := f.count(); !c.Connected() || i != 1 || r != 1 {
			t.Errorf("connected %v, %d IDENTIFYs, %d RESUMEs", c.Connected(), i, r)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		// A connection that ends in its time is no news; a server out of reach is.
		said := log.String()
		ended, out := strings.Count(said, `level=INFO msg="gateway connection ended"`), strings.Count(said, `level=WARN msg="no gateway connection"`)
		if ended != 1 || out != 5 {
			t.Errorf("%d ends and %d failures, want 1 and 5:\n%s", ended, out, said)
		}
	})
}

// An INVALID_SESSION is an answer of a healthy server: the outage before it is
// not added to it, and only one that keeps at it is left alone for longer.
func TestInvalidSessionAfterAnOutage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		more  int       // INVALID_SESSIONs that answer IDENTIFYs after the one that answers the RESUME
		waits []float64 // in seconds, from each to the next IDENTIFY
	}{
		{"once", 0, []float64{3}},
		{"again and again", 6, []float64{3, 5, 5, 5, 6, 12, 24}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var invalid time.Time
			var waits []time.Duration
			script := func(n int, p *peer) {
				op, ok := p.open()
				switch {
				case n == 1:
					p.send(opDispatch, "READY", readyData)
					p.stayFor(time.Hour, func() { p.conn.Close() }) // the outage begins
					return
				case op == opIdentify:
					waits = append(waits, time.Since(invalid))
				}
				if ok && (op == opResume || len(waits) <= tt.more) {
					invalid = time.Now()
					p.send(opInvalid, "", "false")
					p.stay()
					return
				}
				p.send(opDispatch, "READY", readyData)
				p.stay()
			}
			bubble(t, script, func(t *testing.T, f *fake) {
				c := f.client(func(cfg *Config) {
					dial := cfg.DialContext
					cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
						if up := time.Since(time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)); up >= 0 && up < 75*time.Second {
							return nil, errors.New("network is unreachable")
						}
						return dial(ctx, network, addr)
					}
				})
				stop := run(c, func(Event) {})
				pass(time.Hour + 10*time.Minute)
				if !c.Connected() {
					t.Error("not connected")
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
			if len(waits) != len(tt.waits) {
				t.Fatalf("%d IDENTIFYs after the outage: %v", len(waits), waits)
			}
			for i, want := range tt.waits {
				if got := waits[i].Seconds(); got != want {
					t.Errorf("IDENTIFY %d came after %v s, want %v", i, got, want)
				}
			}
		})
	}
}

// echoing is a connection whose end lingers: the peer's goodbye still comes in.
type echoing struct {
	net.Conn
	once sync.Once
}

func (c *echoing) Close() error {
	c.once.Do(func() { time.AfterFunc(time.Second, func() { c.Conn.Close() }) })
	return nil
}

// The log says why this side ended a connection, not which code came back.
// One page in place of an answer keeps nobody from pressing: while calls pause, a
// new session begins where the last one did.
func TestNewSessionWhileCallsPause(t *testing.T) {
	script := func(n int, p *peer) {
		p.start()
		if n == 1 {
			p.stayFor(10*time.Minute, func() { p.send(opInvalid, "", "false") })
			return
		}
		p.stayFor(time.Hour, func() {})
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		f.rest = reply(429, `<html>error 1015</html>`)
		c := f.client(nil)
		var got recorder
		stop := run(c, got.handle)
		pass(10*time.Minute - time.Second)
		if err := c.DeleteMessage(t.Context(), "1", "2"); Classify(err) != Cloudflare {
			t.Errorf("%v", err)
		}
		pass(12 * time.Second)
		if identifies, _ := f.count(); identifies != 2 || !c.Connected() || c.Trouble() == "" {
			t.Errorf("%d IDENTIFYs, connected %v, trouble %q", identifies, c.Connected(), c.Trouble())
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestOwnReasonComesFirst(t *testing.T) {
	tests := []struct {
		name   string
		script func(n int, p *peer)
		said   string
	}{
		{"a silent heart, echoed", func(n int, p *peer) {
			p.mute = n == 1
			p.startAndStay()
		}, `reason="no heartbeat was answered" `},
		{"no READY, echoed", func(n int, p *peer) {
			p.open()
			if n > 1 {
				p.send(opDispatch, "READY", readyData)
			}
			p.stay()
		}, `level=WARN msg="no gateway connection" reason="no READY in time" `},
		{"a silent heart, and the server has a reason of its own", func(n int, p *peer) {
			p.mute = n == 1
			p.conn.SetCloseHandler(func(int, string) error { p.closeWith(4009); return nil })
			p.startAndStay()
		}, `reason="no heartbeat was answered (the server closed with code 4009)" `},
		{"the server's own", func(n int, p *peer) {
			p.start()
			if n == 1 {
				p.closeWith(4008)
			}
			p.stay()
		}, `reason="closed with code 4008" `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, f *fake) {
				var log capture
				stop := run(f.client(func(cfg *Config) {
					cfg.Log = log.logger()
					dial := cfg.DialContext
					cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
						conn, err := dial(ctx, network, addr)
						return &echoing{Conn: conn}, err
					}
				}), func(Event) {})
				pass(2 * time.Minute)
				if err := stop(); err != nil {
					t.Error(err)
				}
				if said := log.String(); !strings.Contains(said, tt.said) || strings.Contains(said, fmt.Sprint(closeResumable)) {
					t.Errorf("the log should say %s:\n%s", tt.said, said)
				}
				pass(2 * time.Second)
			})
		})
	}
}

// A RESUME costs no IDENTIFY: who is asked to come back does so at once, every time.
func TestResumedForgivesAtOnce(t *testing.T) {
	const times = 20
	var gone time.Time
	var off []time.Duration
	script := func(n int, p *peer) {
		if n > 1 {
			off = append(off, time.Since(gone))
		}
		p.start()
		if n > times {
			p.stay()
			return
		}
		p.stayFor(5*time.Second, func() {
			gone = time.Now()
			p.send(opReconnect, "", "null")
		})
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		stop := run(f.client(nil), func(Event) {})
		pass(30 * time.Minute)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if i, r := f.count(); i != 1 || r != times {
			t.Errorf("%d IDENTIFYs and %d RESUMEs", i, r)
		}
		for n, d := range off {
			if d > time.Second {
				t.Errorf("away for %v after op 7 number %d", d, n+1)
			}
		}
	})
}

// A server that lets a session be resumed and drops it, for ever, is asked once a second.
func TestDroppedResumesAreNoFlood(t *testing.T) {
	bubble(t, func(n int, p *peer) { p.start() }, func(t *testing.T, f *fake) {
		stop := run(f.client(nil), func(Event) {})
		pass(10 * time.Minute)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if i, r := f.count(); i != 1 || r < 590 || r > 602 {
			t.Errorf("%d IDENTIFYs and %d RESUMEs in ten minutes", i, r)
		}
	})
}

// Sessions that begin well and end within two minutes must not use up the day's
// IDENTIFYs, whatever lies between them.
func TestShortSessionsSpendNoBudget(t *testing.T) {
	for name, lost := range map[string]func(p *peer){
		"4009":                func(p *peer) { p.closeWith(4009) },
		"op 9":                func(p *peer) { p.send(opInvalid, "", "false") },
		"op 7, and then op 9": func(p *peer) { p.send(opReconnect, "", "null") },
	} {
		t.Run(name, func(t *testing.T) {
			script := func(n int, p *peer) {
				switch op, _ := p.open(); {
				case op == opResume && n%3 == 0:
					p.send(opInvalid, "", "false")
				case op == opResume:
					p.send(opDispatch, "RESUMED", "{}")
				default:
					p.send(opDispatch, "READY", readyData)
				}
				p.stayFor(time.Minute, func() { lost(p) })
			}
			bubble(t, script, func(t *testing.T, f *fake) {
				stop := run(f.client(nil), func(Event) {})
				pass(24 * time.Hour)
				if i, _ := f.count(); i > dailyIdentifies*9/10 || i < 100 {
					t.Errorf("%d IDENTIFYs in a day", i)
				}
				if err := stop(); err != nil {
					t.Errorf("Run = %v", err)
				}
			})
		})
	}
}

// An end is told once for each connection that stood, with the time of the last
// packet, and not when Run ends.
func TestDisconnected(t *testing.T) {
	script := func(n int, p *peer) {
		p.mute = true
		p.start()
		p.stayFor(10*time.Second, func() { p.send(opDispatch, "CHANNEL_DELETE", `{"id":"5"}`) })
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		var refuse atomic.Bool
		began := time.Now()
		var got recorder
		c := f.client(func(cfg *Config) {
			dial := cfg.DialContext
			cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if refuse.Load() {
					return nil, errors.New("network is unreachable")
				}
				return dial(ctx, network, addr)
			}
		})
		if !c.Heard().IsZero() {
			t.Error("something was heard before the first connection")
		}
		stop := run(c, got.handle)
		pass(time.Minute)
		if heard := c.Heard().Sub(began); heard != 10*time.Second {
			t.Errorf("last heard after %v", heard)
		}
		refuse.Store(true)
		pass(3 * time.Minute) // the silence is noticed, and nothing can be reached
		refuse.Store(false)
		pass(lastBackoff) // however long it was away, it is back by then
		if !c.Connected() {
			t.Error("it is not back half a minute after the server is")
		}
		pass(20 * time.Second)
		if err := stop(); err != nil {
			t.Error(err)
		}
		var kinds []string
		for _, e := range got.all() {
			kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", e), "*discord."))
			if gone, ok := e.(*Disconnected); ok && gone.Heard.Sub(began) != 10*time.Second {
				t.Errorf("it was heard last after %v", gone.Heard.Sub(began))
			}
		}
		if said := strings.Join(kinds, " "); said != "Ready ChannelGone Disconnected Ready ChannelGone" {
			t.Errorf("events: %s", said)
		}
	})
}

// A bug that ends a connection is told as its end: nobody can press meanwhile.
func TestDisconnectedByABug(t *testing.T) {
	var bug atomic.Bool
	script := func(n int, p *peer) {
		p.start()
		p.stayFor(10*time.Second, func() {
			bug.Store(n == 1)
			p.send(opDispatch, "CHANNEL_DELETE", `{"id":"5"}`)
		})
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		var got recorder
		c := f.client(func(cfg *Config) {
			cfg.Now = func() time.Time {
				if bug.CompareAndSwap(true, false) {
					panic("a bug")
				}
				return time.Now()
			}
		})
		stop := run(c, got.handle)
		pass(time.Minute)
		if err := stop(); err != nil {
			t.Error(err)
		}
		var kinds []string
		for _, e := range got.all() {
			kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", e), "*discord."))
		}
		if said := strings.Join(kinds, " "); !strings.HasPrefix(said, "Ready Disconnected Ready") {
			t.Errorf("events: %s", said)
		}
	})
}

func TestAlive(t *testing.T) {
	var beats atomic.Int32
	script := func(n int, p *peer) {
		p.mute = n == 2
		p.start()
		for {
			_, data, err := p.conn.ReadMessage()
			if err != nil {
				return
			}
			if bytes.HasPrefix(data, []byte(`{"op":1,`)) {
				if beats.Add(1); !p.mute {
					p.send(opHeartbeatAck, "", "null")
				}
			}
		}
	}
	bubble(t, script, func(t *testing.T, f *fake) {
		c := f.client(nil)
		alive := func(limit time.Duration) (bool, time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			return c.Alive(ctx), time.Since(began)
		}
		if ok, took := alive(time.Second); ok || took != 0 {
			t.Errorf("alive before the first connection: %v after %v", ok, took)
		}
		stop := run(c, func(Event) {})
		pass(20 * time.Second)
		before := beats.Load()
		if ok, took := alive(time.Second); !ok || took != 0 || beats.Load() != before+1 || c.Heard() != time.Now() {
			t.Errorf("alive: %v after %v and %d heartbeats, heard %v ago", ok, took, beats.Load()-before, time.Since(c.Heard()))
		}
		for range 100 { // all at once, and for a long time: the connection stands
			go alive(time.Second)
		}
		pass(10 * time.Minute)
		if f.dials != 1 {
			t.Errorf("%d connections", f.dials)
		}
		c.gate.standing.close("the test wants another")
		pass(time.Second)
		if ok, took := alive(3 * time.Second); ok || took != 3*time.Second {
			t.Errorf("a mute server is alive: %v after %v", ok, took)
		}
		// The end of the connection is no sign of life.
		if ok, took := alive(time.Hour); ok || took > 2*time.Minute {
			t.Errorf("a mute server is alive: %v after %v", ok, took)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Over real sockets, once: connect, take an event, stop without a long wait.
func TestLoopback(t *testing.T) {
	f := &fake{t: t, gateway: func(n int, p *peer) {
		p.start()
		p.send(opDispatch, "INTERACTION_CREATE", `{"id":"5","token":"t"}`)
		p.stay()
	}}
	server := httptest.NewServer(f)
	defer server.Close()
	f.bot = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"url":"ws%s/ws"}`, strings.TrimPrefix(server.URL, "http"))
	}
	c, err := New(Config{Token: testToken, APIURL: server.URL + "/api"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = c.Run(ctx, func(e Event) {
		if _, ok := e.(*Interaction); ok {
			cancel()
		}
	})
	if err != nil {
		t.Error(err)
	}
}
