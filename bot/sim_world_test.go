package bot_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
	"paladin/store/storetest"
)

// sim is a world in which things go wrong. One goroutine, the driver, lets people press and things break; it never sleeps. Whenever
// the bot waits for the clock inside a call, or a call hangs, the driver is told and moves the clock or lets the call go.
type sim struct {
	*world
	seed  uint64
	rng   *rand.Rand // the driver's
	tap   *tapStore
	stuck chan struct{}

	places []*simPlace
	zed    string // plays nowhere; asks for help to see whether the bot has heard everything
	lounge string // where

	mu       sync.Mutex
	chance   *rand.Rand // of faults
	faulty   float64    // the probability that a request goes wrong
	lies     *simLies
	sleepers map[*testTimer]bool
	hanging  []chan struct{}
	calm     map[string]bool   // channels, users and interactions that no fault of a request touches
	tokens   map[string]string // interaction by token
	actors   map[string]string // who pressed or typed, by interaction
	writes   map[string]string // to whom the bot writes, by the channel of their direct messages
	troubles map[string]*simTrouble
	held     *sandbox.Dispatch // an event that goes out after the next one
	heldWith []byte            // the next one
	nonces   map[string]simSent
	tables   map[string]*simTold
	moved    map[string]int // commits by interaction
	problems []string
	injected map[string]int

	epoch    int // counts what cut the bot off from Discord
	answers  int
	excused  int
	pressed  int
	memories []simMemory
}

// simPlace is a channel with people who play there.
type simPlace struct {
	guild, channel string
	thread         bool
	players        []string
	squires        int
	seats          int
	calm           bool
	gone           bool
}

// simTrouble is what went wrong with the answer to one interaction.
type simTrouble struct {
	temporary int
	final     bool
}

type simSent struct {
	message string
	at      time.Time
}

// simTold is what the commits of one table said.
type simTold struct {
	id, channel string
	entries     int
	prompt      uint64
	awaited     []string // the last few
	callable    map[string]bool
	queued      map[string]bool
	seated      map[string]string // who came from the queue into a seat, and the one message that called them to it
	stage       table.Stage
	asked       simAsked
	end         *simEnd // nil while it goes on, and where no game was played
}

// simAsked is the question that somebody is to answer.
type simAsked struct {
	prompt uint64
	person string
	by     string       // who pressed what led to it; empty if time did
	way    table.Remind // how the person wanted to be told
}

// simEnd is who is to be told that a game is over, and what told them.
type simEnd struct {
	present map[string]table.Remind // how those wanted to be told who still played
	by      string                  // whose press ended it; empty if time did
	dms     map[string][]string     // direct messages that told of it, by user
	calls   map[string][]string     // messages in its channel that did, by those they called
}

// simMemory is a message as somebody once saw it: clients keep buttons that are gone.
type simMemory struct {
	user    string
	message sandbox.Message
}

func newSim(t *testing.T, seed uint64) *sim {
	t.Helper()
	clock := newTestClock()
	s := &sim{
		lies: newSimLies(seed%2 == 0),
		seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), chance: rand.New(rand.NewPCG(seed, 2)), stuck: make(chan struct{}, 1),
		sleepers: map[*testTimer]bool{}, calm: map[string]bool{}, tokens: map[string]string{}, actors: map[string]string{}, writes: map[string]string{},
		troubles: map[string]*simTrouble{},
		nonces:   map[string]simSent{}, tables: map[string]*simTold{}, moved: map[string]int{}, injected: map[string]int{},
	}
	s.tap = &tapStore{Store: storetest.NewMemory(), committed: s.committed}
	s.world = &world{t: t, clock: clock, store: s.tap.Store} // the driver itself never waits for a slow store
	limits := sandbox.NoLimits()
	if seed%2 == 1 {
		limits = sandbox.Limits{}
	}
	var err error
	s.discord, err = sandbox.Open(sandbox.Config{Now: clock.Now, AfterFunc: clock.AfterFunc, Limits: limits, Log: testLog(t)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.discord.Handler())
	s.url = server.URL
	s.people()
	s.discord.Observe(s.observed)
	s.discord.FaultDispatch(s.dispatched)
	s.boot(true)
	t.Cleanup(func() {
		s.discord.Fault(nil)
		s.release()
		done := make(chan struct{})
		go func() { s.stop(); close(done) }()
		s.pump(done, "the bot stops")
		_ = s.discord.Close()
		server.Close()
	})
	return s
}

// people fills the world: a server with two places, one that will lose the bot, and a calm one.
func (s *sim) people() {
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.guild = s.discord.Guilds("")[0].ID
	for _, u := range s.discord.Users() {
		s.users = append(s.users, u.ID)
	}
	for _, n := range s.rng.Perm(len(oddNames))[:4] {
		u, err := s.discord.AddUser(oddNames[n], s.guild)
		must(err)
		s.users = append(s.users, u.ID)
	}
	castle, err := s.discord.AddGuild("Castle", s.users[0], s.users[5], s.users[6])
	must(err)
	var quiet []string
	for _, name := range []string{"Zed", "Quin", "Quirin"} {
		u, err := s.discord.AddUser(name)
		must(err)
		quiet = append(quiet, u.ID)
	}
	abbey, err := s.discord.AddGuild("Abbey", quiet...)
	must(err)
	s.zed = quiet[0]
	for _, g := range []string{castle.ID, abbey.ID} {
		must(s.discord.InviteBot(g))
	}
	first := s.channels(s.users[0])[0].ID
	second, err := s.discord.AddChannel(s.guild, "below")
	must(err)
	thread, err := s.discord.AddThread(second.ID, "a thread")
	must(err)
	hall, err := s.discord.AddChannel(castle.ID, "hall")
	must(err)
	cell, err := s.discord.AddChannel(abbey.ID, "cell")
	must(err)
	lounge, err := s.discord.AddChannel(abbey.ID, "lounge")
	must(err)
	s.lounge = lounge.ID
	s.places = []*simPlace{
		{guild: s.guild, channel: first, players: []string{s.users[1], s.users[5], s.users[6]}, seats: 3},
		{guild: s.guild, channel: thread.ID, thread: true, players: []string{s.users[7], s.users[8], s.users[1]}, squires: 1, seats: 4},
		{guild: castle.ID, channel: hall.ID, players: []string{s.users[5], s.users[0]}, squires: 3, seats: 5},
		{guild: abbey.ID, channel: cell.ID, players: quiet[1:], squires: 1, seats: 3, calm: true},
	}
	for _, id := range append(quiet, abbey.ID, cell.ID, lounge.ID) {
		s.calm[id] = true
	}
	for _, user := range quiet {
		dm, err := s.discord.OpenDM(user)
		must(err)
		s.calm[dm.ID] = true
	}
}

// boot starts the bot. The first time it waits until the commands are registered; later a failure may put that off.
func (s *sim) boot(first bool) {
	s.t.Helper()
	log := testLog(s.t)
	load, save := bot.IdentifyBudget(s.tap)
	client, err := discord.New(discord.Config{
		Token: s.discord.Token(), APIURL: s.url + "/api", Log: log, Now: s.clock.Now, Sleep: s.sleep, UserAgent: "DiscordBot (https://example.org, 1)",
		Jitter: func() float64 { return 0.5 }, LoadIdentifies: load, SaveIdentifies: save,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.app, err = bot.New(bot.Config{Store: s.tap, Discord: client, Clock: s.clock, Log: log, Pace: table.SquireHuman})
	if err != nil {
		s.t.Fatal(err)
	}
	ready := make(chan struct{})
	service := &bot.Service{App: s.app, Client: client, Ready: func(string) { close(ready) }}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- service.Run(ctx) }()
	s.world.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			s.problem("the bot ended: %v", err)
		}
	})
	if first {
		s.pump(ready, "the bot gets ready")
	}
	s.connected()
}

// restart stops the bot as an operator does, and starts it again on the same store.
func (s *sim) restart() {
	s.t.Helper()
	s.epoch++
	done := make(chan struct{})
	go func() { s.stop(); close(done) }()
	s.pump(done, "the bot stops")
	s.boot(false)
	s.barrier() // what is asked while the old connection dies can be lost
	s.epoch++
}

// sleep is the clock for waits inside calls.
func (s *sim) sleep(ctx context.Context, d time.Duration) error {
	t := s.clock.add(d, nil)
	defer t.end()
	s.mu.Lock()
	s.sleepers[t] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.sleepers, t)
		s.mu.Unlock()
	}()
	s.signal()
	select {
	case <-t.c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sim) signal() {
	select {
	case s.stuck <- struct{}{}:
	default:
	}
}

// hang is a channel on which something waits until the driver lets it go.
func (s *sim) hang() chan struct{} {
	c := make(chan struct{})
	s.hanging = append(s.hanging, c)
	s.signal()
	return c
}

// unstick moves on what waits: it lets hanging calls go, sometimes long after Discord has given up, and moves the clock to the first
// end of a wait.
func (s *sim) unstick() {
	s.mu.Lock()
	hanging := s.hanging
	s.hanging = nil
	var first time.Time
	for t := range s.sleepers {
		if first.IsZero() || t.at.Before(first) {
			first = t.at
		}
	}
	s.mu.Unlock()
	if len(hanging) > 0 {
		s.clock.advance([]time.Duration{0, 1600 * time.Millisecond, 1600 * time.Millisecond, 4 * time.Second}[s.rng.IntN(4)])
		for _, c := range hanging {
			close(c)
		}
	}
	if d := first.Sub(s.clock.Now()); !first.IsZero() && d > 0 {
		s.clock.advance(d)
	}
	s.mu.Lock()
	more := len(s.hanging) > 0
	for t := range s.sleepers {
		more = more || t.at.After(s.clock.Now())
	}
	s.mu.Unlock()
	if more {
		s.signal()
	}
}

func (s *sim) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.hanging {
		close(c)
	}
	s.hanging = nil
}

// pump lets the world go on until done.
func (s *sim) pump(done <-chan struct{}, what string) {
	s.t.Helper()
	hopeless := time.NewTimer(40 * time.Second)
	defer hopeless.Stop()
	for {
		select {
		case <-done:
			return
		case <-s.stuck:
			s.unstick()
		case <-hopeless.C:
			s.fatal("it never comes to pass that %s", what)
		}
	}
}

// connected waits until the bot has a gateway session.
func (s *sim) connected() {
	s.t.Helper()
	for began := time.Now(); s.discord.Connections() == 0; runtime.Gosched() {
		select {
		case <-s.stuck:
			s.unstick()
		default:
		}
		if time.Since(began) > 40*time.Second {
			s.fatal("the bot does not connect")
		}
	}
}

// barrier returns when the bot has heard everything that was sent to it so far.
func (s *sim) barrier() {
	s.t.Helper()
	for range 20 {
		s.connected()
		i, err := s.discord.Command(context.Background(), s.zed, s.lounge, "paladin", "help")
		if err != nil {
			s.fatal("nobody can ask for help: %v", err)
		}
		s.untilHeard(i)
		if i.Result().Outcome == sandbox.Replied {
			return
		}
	}
	s.fatal("the bot never answers a call for help")
}

// untilHeard waits for an answer. What was sent into a dying connection has none: after a while Discord gives it up.
func (s *sim) untilHeard(i *sandbox.Interaction) {
	s.t.Helper()
	heard := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer close(heard)
		_, _ = i.Wait(ctx)
	}()
	long := time.NewTimer(2 * time.Second)
	defer long.Stop()
	for {
		select {
		case <-heard:
			return
		case <-s.stuck:
			s.unstick()
		case <-long.C:
			s.clock.advance(4 * time.Second)
		}
	}
}

// rest returns when everything is done that can be done without time going by.
func (s *sim) rest() {
	s.t.Helper()
	s.barrier()
	for range 2 {
		done := make(chan struct{})
		var err error
		go func() {
			defer close(done)
			for range 15 {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				err = s.app.Flush(ctx)
				cancel()
				if err == nil {
					return
				}
			}
		}()
		s.pump(done, "the bot comes to rest")
		if err != nil {
			s.fatal("the bot does not come to rest: %v", err)
		}
		for n := 0; ; n++ {
			due := s.overdue()
			if len(due) == 0 {
				break
			}
			select {
			case <-s.stuck:
				s.unstick()
			default:
				runtime.Gosched()
			}
			// Whoever set a timer in the moment in which the driver moved the clock waits for a little more of it.
			if n%20_000 == 19_999 {
				s.clock.advance(time.Second << (n / 20_000))
			}
			if n > 400_000 {
				s.fatal("a deadline is never met: %+v", due)
			}
		}
	}
	s.report()
}

// overdue are the deadlines that are due. A closed lobby is dropped when all was said about it, which
// Discord may not let the bot do for long.
func (s *sim) overdue() []store.Deadline {
	due, err := s.store.Due(context.Background(), s.clock.Now(), 0)
	pending, errPending := s.store.Pending(context.Background())
	if err := errors.Join(err, errPending); err != nil {
		s.fatal("deadlines: %v", err)
	}
	return slices.DeleteFunc(due, func(d store.Deadline) bool {
		return d.Kind == table.DeadlineDrop &&
			slices.ContainsFunc(pending, func(in store.Intent) bool { return in.Table == d.Table })
	})
}

func (s *sim) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// report fails the test with what was noticed by the other goroutines.
func (s *sim) report() {
	s.t.Helper()
	s.mu.Lock()
	problems := s.problems
	s.problems = nil
	s.mu.Unlock()
	for _, p := range problems {
		s.t.Errorf("seed %d: %s", s.seed, p)
	}
	if len(problems) > 0 {
		s.t.FailNow()
	}
}

func (s *sim) fatal(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("seed %d: "+format, append([]any{s.seed}, args...)...)
}

func (s *sim) errorf(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("seed %d: "+format, append([]any{s.seed}, args...)...)
}

// dispatched lets some events arrive twice, late or incomplete. Events of the calm places pass; what was kept back goes with the next.
func (s *sim) dispatched(d sandbox.Dispatch) []sandbox.Dispatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []sandbox.Dispatch{s.lieOfServers(d)}
	// A session that has lost its connection is asked about each event as well: the same answer for the same event.
	switch {
	case s.held == nil:
	case bytes.Equal(d.Data, s.held.Data) && s.heldWith == nil:
		return nil
	case s.heldWith == nil || bytes.Equal(d.Data, s.heldWith):
		s.heldWith = d.Data
		out = append(out, *s.held)
	default:
		s.held, s.heldWith = nil, nil
	}
	if d.Type != "INTERACTION_CREATE" {
		return out
	}
	var in struct {
		ID     string `json:"id"`
		Token  string `json:"token"`
		Guild  string `json:"guild_id"`
		Member struct {
			User struct {
				ID string `json:"id"`
			} `json:"user"`
		} `json:"member"`
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	_ = json.Unmarshal(d.Data, &in)
	s.tokens[in.Token] = in.ID
	s.actors[in.ID] = cmp.Or(in.Member.User.ID, in.User.ID)
	if s.calm[in.Guild] || s.calm[in.Member.User.ID] || s.calm[in.User.ID] {
		s.calm[in.ID] = true
		slices.Reverse(out) // a call for help is answered when everything before it is heard
		return out
	}
	if s.faulty == 0 {
		return out
	}
	switch p := s.chance.Float64(); {
	case p < 0.04:
		s.injected["event twice"]++
		out = append(out, d)
	case p < 0.06 && s.held == nil:
		s.injected["event late"]++
		s.held = &d
		return nil
	case p < 0.09:
		s.injected["event with fields missing"]++
		out[0].Data = without(d.Data, []string{"app_permissions", "channel", "locale", "guild_locale", "entitlements", "context"}[s.chance.IntN(6)])
	}
	return out
}

func without(data json.RawMessage, field string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return data
	}
	delete(all, field)
	out, err := json.Marshal(all)
	if err != nil {
		return data
	}
	return out
}

// concerned is the interaction that a request answers, or "".
func (s *sim) concerned(r sandbox.Request) string {
	parts := strings.Split(strings.TrimPrefix(r.Path, "/api/v10/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "interactions":
		return parts[1]
	case len(parts) > 2 && parts[0] == "webhooks":
		return s.tokens[parts[2]]
	}
	return ""
}

// fault decides what goes wrong with a request.
func (s *sim) fault(r sandbox.Request) *sandbox.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.concerned(r)
	parts := strings.Split(strings.TrimPrefix(r.Path, "/api/v10/"), "/")
	switch {
	case s.calm[id] || len(parts) > 1 && parts[0] == "channels" && s.calm[parts[1]]:
		return nil
	case r.Route == "/users/@me/channels":
		var body struct {
			Recipient string `json:"recipient_id"`
		}
		if _ = json.Unmarshal(r.Body, &body); s.calm[body.Recipient] {
			return nil
		}
	}
	if id == "" {
		if f := s.lie(r); f != nil {
			return f
		}
	}
	if s.chance.Float64() >= s.faulty {
		return nil
	}
	name, f, final := s.anyFault(r, id != "")
	s.injected[name]++
	if id != "" {
		if s.troubles[id] == nil {
			s.troubles[id] = &simTrouble{}
		}
		s.troubles[id].temporary++
		s.troubles[id].final = s.troubles[id].final || final
	}
	return f
}

// anyFault draws a fault. final is whether the bot need not try again.
func (s *sim) anyFault(r sandbox.Request, answer bool) (name string, f *sandbox.Fault, final bool) {
	after := s.chance.IntN(2) == 0
	when := "before"
	if after {
		when = "after"
	}
	switch n := s.chance.IntN(12); {
	case n < 3:
		status := []int{500, 502, 503, 504, 408}[s.chance.IntN(5)]
		f = sandbox.ErrorFault(status, 0, "somewhere in Discord")
		f.After = after
		return fmt.Sprintf("5xx %s", when), f, false
	case n < 5:
		return "connection cut " + when, &sandbox.Fault{After: after, Drop: true}, false
	case n < 7:
		return "hangs " + when, &sandbox.Fault{After: after, Hang: s.hang()}, false
	case n < 9:
		scope := []string{"user", "shared", "global"}[s.chance.IntN(3)]
		return "429 " + scope, sandbox.RateLimitFault(time.Duration(1+s.chance.IntN(30))*100*time.Millisecond, scope), true
	case n == 9 && !answer:
		h := http.Header{"Content-Type": {"text/html"}}
		return "odd status", &sandbox.Fault{Status: []int{418, 405, 502}[s.chance.IntN(3)], Header: h, Body: []byte("<html>?</html>")}, true
	case n == 9:
		code := []int{10062, 40060, 50027, 10003, 10008, 50001}[s.chance.IntN(6)]
		return fmt.Sprint("answer ", code), sandbox.ErrorFault(404, code, "no"), true
	case r.Route == "/users/@me/channels":
		return "40003", sandbox.ErrorFault(400, 40003, "You are opening direct messages too fast"), true
	case r.Method == http.MethodPatch && !answer:
		return "30046", sandbox.ErrorFault(429, 30046, "old"), true
	case r.Method == http.MethodPost && !answer:
		return "50013", sandbox.ErrorFault(403, 50013, "Missing Permissions"), true
	default:
		// Said of an answer that Discord refused, because its message was deleted, it is the last word.
		return "success without a body", &sandbox.Fault{After: true, Status: 200, Body: []byte(`{}`)}, answer
	}
}

// attempts tells how often a message was sent, and for whom the tables of its channel waited. s.mu is
// held.
func (s *sim) attempts(nonce, channel string) string {
	var b strings.Builder
	for _, r := range s.discord.Requests() {
		if p, ok := messageOf(r); ok && p.Nonce != nil && *p.Nonce == nonce {
			fmt.Fprintf(&b, "\n%s %s %s: %d %d", r.Time.Format(annalTime), r.Method, r.Path, r.Status, r.Code)
		}
	}
	for _, t := range s.tables {
		if t.channel == channel {
			fmt.Fprintf(&b, "\ntable %s, question %d, %v, waited last for %v", t.id, t.prompt, t.stage, t.awaited)
		}
	}
	return b.String()
}

// observed looks at every request of the bot.
func (s *sim) observed(r sandbox.Request) {
	for _, p := range lintRequest(r) {
		s.problem("%s: %s", p, r.Body)
	}
	if r.Code == 50035 {
		s.problem("Discord calls a request invalid: %s %s: %s: %s", r.Method, r.Path, r.Body, r.Response)
	}
	s.opened(r)
	p, ok := messageOf(r)
	if !ok || r.Method != http.MethodPost || !strings.HasPrefix(r.Route, "/channels/") || r.Status != 200 {
		return
	}
	var m sandbox.Message
	if json.Unmarshal(r.Response, &m) != nil || m.ID == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if old, again := s.nonces[*p.Nonce]; again && old.message != m.ID && now.Sub(old.at) < 5*time.Minute {
		s.problems = append(s.problems, fmt.Sprintf("one message was made twice: %s and %s", old.message, m.ID))
	}
	s.nonces[*p.Nonce] = simSent{m.ID, now}
	for _, t := range s.tables {
		// What tells of the end offers the replay. A notice that was on its way when the last move came does not.
		if t.end != nil && bytes.Contains(r.Body, []byte(press.New(press.Replay, t.id).String())) {
			t.end.hears(s.writes[m.ChannelID], p.Mentions.Users, m.ID)
		}
	}
	for _, user := range p.Mentions.Users {
		if !slices.ContainsFunc(s.told(), func(t *simTold) bool {
			return t.channel == m.ChannelID && (t.callable[user] || slices.Contains(t.awaited, user) || t.callsToSeat(user, m.ID))
		}) {
			s.problems = append(s.problems, fmt.Sprintf("user %s is pinged and neither awaited nor called: %s%s", user, r.Body, s.attempts(*p.Nonce, m.ChannelID)))
		}
	}
}

// callsToSeat reports whether a message may be the one that tells somebody from the queue of their seat. It may come after the start: it
// still is true, and they may not have seen it.
func (t *simTold) callsToSeat(user, message string) bool {
	said, ok := t.seated[user]
	if ok && said == "" {
		t.seated[user] = message
	}
	return ok && (said == "" || said == message)
}

// opened notes whose direct messages go where.
func (s *sim) opened(r sandbox.Request) {
	if r.Route != "/users/@me/channels" || r.Status != 200 {
		return
	}
	var body struct {
		Recipient string `json:"recipient_id"`
	}
	var channel sandbox.Channel
	if json.Unmarshal(r.Body, &body) != nil || json.Unmarshal(r.Response, &channel) != nil || channel.ID == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes[channel.ID] = body.Recipient
}

// hears notes a message that tells of the end: a direct message to the user, or one in a channel if that is empty.
func (e *simEnd) hears(user string, called []string, message string) {
	by, users := e.calls, called
	if user != "" {
		by, users = e.dms, []string{user}
	}
	for _, u := range users {
		if !slices.Contains(by[u], message) {
			by[u] = append(by[u], message)
		}
	}
}

func (s *sim) told() []*simTold {
	out := make([]*simTold, 0, len(s.tables))
	for _, t := range s.tables {
		out = append(out, t)
	}
	return out
}

// committed looks at every change of a table.
func (s *sim) committed(c store.Change) {
	next, err := table.Decode(c.Snapshot)
	if err == nil {
		err = next.Check()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	bad := func(format string, args ...any) {
		s.problems = append(s.problems, "table "+c.Table+": "+fmt.Sprintf(format, args...))
	}
	if err != nil {
		bad("a broken table was stored: %v", err)
		return
	}
	t := s.tables[c.Table]
	if t == nil {
		t = &simTold{id: c.Table, channel: next.Channel(), callable: map[string]bool{}, queued: map[string]bool{}, seated: map[string]string{}}
		s.tables[c.Table] = t
	}
	if c.Interaction != "" {
		if s.moved[c.Interaction]++; s.moved[c.Interaction] > 1 {
			bad("interaction %s counted twice", c.Interaction)
		}
	}
	moves, kept := 0, map[string]bool{}
	for _, e := range c.Entries {
		var line table.Line
		if err := json.Unmarshal(e, &line); err != nil {
			bad("a line of the history cannot be read: %v", err)
		}
		if line.Move != "" {
			moves++
		}
		if user := string(line.User); line.Kind == table.LineQueued {
			t.queued[user] = true
		} else if line.Kind == table.LineJoined && t.queued[user] {
			t.queued[user], t.seated[user] = false, ""
		}
		if line.Kind == table.LineInvited {
			t.callable[string(line.User)] = true
		}
		if line.Kind == table.LineKept {
			kept[string(line.User)] = true
		}
		if line.Kind == table.LineJoined || line.Kind == table.LineOpened && next.Stage() == table.Lobby {
			for _, p := range next.People() {
				t.callable[string(p.ID)] = true
			}
		}
		if line.Kind == table.LineStarted {
			clear(t.callable) // from now on whoever is to move
			t.prompt = 1
		}
	}
	t.entries += len(c.Entries)
	if next.Prompt() != 0 {
		if next.Prompt() != t.prompt+uint64(moves) {
			bad("question %d follows question %d after %d moves", next.Prompt(), t.prompt, moves)
		}
		t.prompt = next.Prompt()
	}
	if person, ok := next.AwaitedPerson(); ok {
		t.awaited = append(t.awaited, string(person.ID))
		t.awaited = t.awaited[max(0, len(t.awaited)-4):]
	}
	s.believed(&c, &next, bad)
	s.asks(t, &next, s.actors[c.Interaction])
	if t.stage == table.Playing && !next.Live() {
		s.ends(t, &next, s.actors[c.Interaction], kept)
	}
	t.stage = next.Stage()
}

// asks notes whose decision a change makes awaited, if it is another one than before.
func (s *sim) asks(t *simTold, next *table.Table, by string) {
	person, ok := next.AwaitedPerson()
	if !ok {
		t.asked = simAsked{}
	} else if user := string(person.ID); t.asked.prompt != next.Prompt() || t.asked.person != user {
		t.asked = simAsked{prompt: next.Prompt(), person: user, by: by, way: s.way(user)}
	}
}

// ends notes who is to hear that the game is over: who still plays, and whose time ran out once too
// often with it. From now on they may be called.
func (s *sim) ends(t *simTold, next *table.Table, by string, kept map[string]bool) {
	t.end = &simEnd{present: map[string]table.Remind{}, by: by, dms: map[string][]string{}, calls: map[string][]string{}}
	for _, seat := range next.Public().Seats {
		if user := string(seat.Person.ID); seat.Human() && (!seat.Away || kept[user]) {
			t.end.present[user] = s.way(user)
			t.callable[user] = true
		}
	}
}

// way is how somebody wants to be told.
func (s *sim) way(user string) table.Remind {
	var chosen struct{ Way table.Remind }
	u, err := s.store.User(context.Background(), user)
	if err == nil && len(u.Data) > 0 {
		err = json.Unmarshal(u.Data, &chosen)
	}
	if err != nil {
		s.problems = append(s.problems, fmt.Sprintf("what user %s chose cannot be read: %v", user, err))
	}
	return chosen.Way
}

// mayFail reports why an interaction may have got no answer; "" if there is no excuse.
func (s *sim) mayFail(id string, began time.Time, epoch int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.troubles[id]
	switch {
	case epoch != s.epoch:
		return "cut off"
	case t != nil && (t.final || t.temporary > 1):
		return "Discord failed"
	case s.clock.Now().Sub(began) > 3*time.Second:
		return "too late"
	}
	return ""
}

// try lets somebody do something and looks at the answer. It is false when they could not, or nothing came back for a reason that
// is not the bot's.
func (s *sim) try(user, what string, begin func(context.Context) (*sandbox.Interaction, error)) (sandbox.Result, bool) {
	s.t.Helper()
	began, epoch := s.clock.Now(), s.epoch
	i, err := begin(context.Background())
	if err != nil {
		for _, known := range []error{
			sandbox.ErrNoComponent, sandbox.ErrDisabled, sandbox.ErrNotVisible, sandbox.ErrUnknownCommand, sandbox.ErrForbidden,
			sandbox.ErrInvalidValue, sandbox.ErrNotFound,
		} {
			if errors.Is(err, known) {
				return sandbox.Result{}, false
			}
		}
		s.fatal("%s: %v", what, err)
	}
	s.pressed++
	s.await(i)
	res := i.Result()
	switch res.Outcome {
	case sandbox.Waiting, sandbox.Thinking, sandbox.Acknowledged, sandbox.Failed:
		if res.Outcome == sandbox.Acknowledged && len(res.Followups) > 0 {
			break
		}
		if s.mayFail(i.ID, began, epoch) == "" {
			s.fatal("no answer (%s) to %s by %s: %s", res.Outcome, what, user, s.story(i.ID, began))
		}
		s.excused++
		return res, false
	}
	s.answers++
	s.judge(user, what, res)
	return res, true
}

// story is what the bot asked for to answer an interaction.
func (s *sim) story(id string, began time.Time) string {
	var b strings.Builder
	requests := s.discord.Requests()
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&b, "troubles %+v, %v ago", s.troubles[id], s.clock.Now().Sub(began))
	for _, r := range requests {
		if s.concerned(r) == id {
			fmt.Fprintf(&b, "\n%s %s: %d %d, %v after", r.Method, r.Route, r.Status, r.Code, r.Time.Sub(began))
		}
	}
	return b.String()
}

// await returns when the interaction is answered, or the bot has heard it and come to rest without an answer.
func (s *sim) await(i *sandbox.Interaction) {
	s.t.Helper()
	answered := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer close(answered)
		_, _ = i.Wait(ctx)
	}()
	soon := time.NewTimer(300 * time.Millisecond) // only decides how it is found out that nothing comes
	defer soon.Stop()
	for {
		select {
		case <-answered:
			return
		case <-s.stuck:
			s.unstick()
		case <-soon.C:
			s.rest()
			return
		}
	}
}

// judge looks at what somebody was shown.
func (s *sim) judge(user, what string, res sandbox.Result) {
	s.t.Helper()
	if res.Outcome == sandbox.Choices {
		return
	}
	if len(res.Followups) > 1 {
		s.errorf("%d further messages after %s", len(res.Followups), what)
	}
	m := shownBy(res)
	if m == nil {
		s.fatal("an empty answer to %s: %+v", what, res)
	}
	words := text(*m)
	if strings.TrimSpace(words) == "" && len(m.Attachments) == 0 {
		s.errorf("an empty answer to %s", what)
	}
	if strings.Contains(words, english.Say(render.TextFailure)) {
		s.errorf("a failure of the bot itself after %s by %s", what, user)
	}
	if strings.Contains(words, english.Say(render.TextUnknownPress)) && !strings.HasPrefix(what, "forged") {
		s.errorf("a button of the bot's own that it does not know: %s", what)
	}
	s.remember(user, *m)
}

func shownBy(res sandbox.Result) *sandbox.Message {
	if len(res.Followups) > 0 {
		return &res.Followups[len(res.Followups)-1]
	}
	return res.Message
}

func (s *sim) remember(user string, m sandbox.Message) {
	s.memories = append(s.memories, simMemory{user, m})
	if len(s.memories) > 80 {
		s.memories = s.memories[1:]
	}
}

// privateKinds are the presses that stand on nothing but private panels.
var privateKinds = []press.Kind{
	press.Pick, press.Place, press.PickPeek, press.Peek, press.PickFirst, press.First, press.PickAct, press.Act, press.Refresh,
	press.Back, press.Quit, press.Stop, press.Invite, press.Remove, press.Strength, press.Pace,
}

// defaultHabits are those of people who have chosen nothing.
func defaultHabits(table.UserID) table.Habits { return table.Habits{} }
