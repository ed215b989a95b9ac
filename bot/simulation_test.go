package bot_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/sandbox"
	"paladin/store"
)

// TestSimulation lets people play at several tables at once while everything goes wrong that can:
// Discord fails before and after it did what it was asked, hangs, limits, and says of what is there
// that it is gone; messages, channels and permissions vanish; the gateway drops, repeats and
// forgets; the bot is stopped and started; people press what they see, what they saw long ago, what
// was never theirs, and twice. Then the faults stop, and everything must come to rest, every game
// must be able to end, and its record must replay.
//
// PALADIN_SIM_SEED chooses one seed, PALADIN_SIM_STEPS how many things happen. A run is not repeated exactly by its seed, since the bot
// works on many things at once; the same things are done to it, though.
func TestSimulation(t *testing.T) {
	seeds, steps := []uint64{1, 2}, 150
	if testing.Short() {
		seeds, steps = seeds[:1], 80
	}
	if chosen := os.Getenv("PALADIN_SIM_SEED"); chosen != "" {
		seed, err := strconv.ParseUint(chosen, 10, 64)
		if err != nil {
			t.Fatalf("PALADIN_SIM_SEED is no number: %v", err)
		}
		seeds, steps = []uint64{seed}, 300
	}
	if chosen := os.Getenv("PALADIN_SIM_STEPS"); chosen != "" {
		n, err := strconv.Atoi(chosen)
		if err != nil {
			t.Fatalf("PALADIN_SIM_STEPS is no number: %v", err)
		}
		steps = n
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("PALADIN_SIM_SEED=%d PALADIN_SIM_STEPS=%d", seed, steps)
			s := newSim(t, seed)
			s.open()
			s.misfortune(steps)
			s.heal()
			s.checkRest()
			s.finish()
			s.checkRest()
			s.checkFree()
			t.Logf("seed %d: %d presses, %d answered, %d had an excuse; %d tables; injected %v", seed, s.pressed, s.answers, s.excused, len(s.tables), s.injected)
			if s.answers < s.pressed*6/10 {
				t.Errorf("seed %d: only %d of %d presses were answered: the test shows little", seed, s.answers, s.pressed)
			}
			t.Logf("seed %d: %d lies were told, not yet %v", seed, s.lies.told, s.lies.left)
			// Which calls are made to be lied to is a matter of the moment: 9 to 28 in 80 steps.
			if s.lies.told < steps/30 {
				t.Errorf("seed %d: only %d lies", seed, s.lies.told)
			}
			if len(s.injected) < 12 && steps >= 80 {
				t.Errorf("seed %d: only %d kinds of faults", seed, len(s.injected))
			}
		})
	}
}

func (s *sim) command(user, channel, sub string, options ...sandbox.Option) (sandbox.Result, bool) {
	s.t.Helper()
	return s.try(user, fmt.Sprintf("/paladin %s %v", sub, options), func(ctx context.Context) (*sandbox.Interaction, error) {
		return s.discord.Command(ctx, user, channel, "paladin", sub, options...)
	})
}

// foreign reports whether a control changes the language or the looks of what is read. The people of the simulation read English, by
// which it judges what they are shown; other tests read the other languages.
func foreign(c sandbox.Component) bool {
	id, err := press.Parse(c.CustomID)
	if err != nil {
		return false
	}
	switch id.Kind {
	case press.Language:
		return true
	case press.Habits:
		return id.Arg(0) == render.HabitLanguage || id.Arg(0) == render.HabitLook
	case press.Settings:
		return id.Arg(0) == render.SettingLanguage
	}
	return false
}

// use presses a control that is offered, or was.
func (s *sim) use(user string, m sandbox.Message, c sandbox.Component) (sandbox.Result, bool) {
	s.t.Helper()
	if foreign(c) {
		return sandbox.Result{}, false
	}
	return s.try(user, "press on "+c.CustomID, func(ctx context.Context) (*sandbox.Interaction, error) {
		switch {
		case c.Type == sandbox.TypeUserSelect:
			return s.discord.Select(ctx, user, m.ChannelID, m.ID, c.CustomID, s.users[s.rng.IntN(len(s.users))])
		case len(c.Options) > 0:
			return s.discord.Select(ctx, user, m.ChannelID, m.ID, c.CustomID, c.Options[s.rng.IntN(len(c.Options))].Value)
		}
		return s.discord.Press(ctx, user, m.ChannelID, m.ID, c.CustomID)
	})
}

func (s *sim) forged(user, channel, message, customID string, values ...string) (sandbox.Result, bool) {
	s.t.Helper()
	return s.try(user, "forged press on "+customID, func(ctx context.Context) (*sandbox.Interaction, error) {
		kind := sandbox.TypeButton
		if len(values) > 0 {
			kind = sandbox.TypeStringSelect
		}
		return s.discord.ForgePress(ctx, user, channel, message, kind, customID, values...)
	})
}

// at is the table of a place, live or the last; nil if there is none.
func (s *sim) at(p *simPlace) *table.Table {
	s.t.Helper()
	ctx := context.Background()
	id, ok, err := s.store.TableByChannel(ctx, p.channel)
	if err == nil && !ok {
		var last []byte
		last, ok, err = s.store.Get(ctx, "last/"+p.channel)
		id = string(last)
	}
	if err != nil {
		s.fatal("table of a channel: %v", err)
	}
	if !ok {
		return nil
	}
	return s.load(id)
}

// load reads a table; nil for a lobby that never became a game and was dropped.
func (s *sim) load(id string) *table.Table {
	s.t.Helper()
	row, err := s.store.Table(context.Background(), id)
	if errors.Is(err, store.ErrNotFound) && slices.ContainsFunc(s.told(), func(t *simTold) bool {
		return t.id == id && t.stage == table.Closed && t.prompt == 0
	}) {
		return nil
	}
	if err != nil {
		s.fatal("table %s: %v", id, err)
	}
	t, err := table.Decode(row.Snapshot)
	if err != nil {
		s.fatal("table %s: %v", id, err)
	}
	return &t
}

// boardOf is the registered board as the user sees it.
func (s *sim) boardOf(t *table.Table, user string) (sandbox.Message, bool) {
	s.t.Helper()
	surface, ok, err := s.store.Surface(context.Background(), t.ID(), "board")
	if err != nil {
		s.fatal("board: %v", err)
	}
	if !ok {
		return sandbox.Message{}, false
	}
	m, err := s.discord.Message(user, surface.Channel, surface.Message)
	return m, err == nil
}

// open begins a game at every place before anything goes wrong.
func (s *sim) open() {
	s.t.Helper()
	for _, p := range s.places {
		s.openAt(p)
	}
	s.rest()
}

func (s *sim) openAt(p *simPlace) {
	s.t.Helper()
	s.command(p.players[0], p.channel, "new", sandbox.Option{Name: "seats", Value: p.seats})
	for _, user := range p.players[1:] {
		s.label(p, user, "Join")
	}
	for range p.squires {
		s.label(p, p.players[0], "Add a squire")
	}
	s.label(p, p.players[0], "Start")
}

// label presses a button of the board by its label, if both are there.
func (s *sim) label(p *simPlace, user, label string) (sandbox.Result, bool) {
	s.t.Helper()
	t := s.at(p)
	if t == nil {
		return sandbox.Result{}, false
	}
	m, ok := s.boardOf(t, user)
	if !ok {
		return sandbox.Result{}, false
	}
	for _, c := range controls(m) {
		if strings.Contains(c.Label, label) {
			return s.use(user, m, c)
		}
	}
	return sandbox.Result{}, false
}

// misfortune is the time in which everything goes wrong.
func (s *sim) misfortune(steps int) {
	s.t.Helper()
	s.setFaults(0.06)
	for n := range steps {
		switch p := s.rng.Float64(); {
		case p < 0.62:
			s.play(s.places[s.rng.IntN(len(s.places))])
		case p < 0.74:
			s.oldPress()
		case p < 0.80:
			s.forge()
		case p < 0.88:
			s.typeAnything()
		default:
			s.blow()
		}
		s.clock.advance(time.Duration(s.rng.IntN(90)) * time.Second)
		if n%10 == 9 {
			s.rest()
			s.checkSecrets()
		}
		s.report()
	}
}

func (s *sim) setFaults(p float64) {
	s.mu.Lock()
	s.faulty = p
	s.mu.Unlock()
	if p == 0 {
		s.discord.Fault(nil)
	} else {
		s.discord.Fault(s.fault)
	}
}

// play does the next sensible thing at a place.
func (s *sim) play(p *simPlace) {
	s.t.Helper()
	t := s.at(p)
	anyone := p.players[s.rng.IntN(len(p.players))]
	switch {
	case p.gone:
		s.command(anyone, p.channel, "seat")
	case t == nil:
		s.openAt(p)
	case t.Stage() == table.Lobby:
		s.arrange(p, t)
	case t.Stage() != table.Playing:
		if _, ok := s.label(p, anyone, "Play again"); !ok {
			s.openAt(p)
		}
	default:
		person, ok := t.AwaitedPerson()
		switch {
		case !ok:
			s.clock.advance(10 * time.Second) // squires take their time
			s.label(p, anyone, "My seat")
		case s.rng.IntN(3) == 0:
			s.typeMove(p, t, person)
		default:
			s.pressMove(p, t, string(person.ID))
		}
	}
}

func (s *sim) arrange(p *simPlace, t *table.Table) {
	s.t.Helper()
	public := t.Public()
	host := string(public.Host)
	switch s.rng.IntN(6) {
	case 0:
		if res, ok := s.label(p, host, "Manage"); ok {
			s.anyOf(host, res)
		}
	case 1:
		s.label(p, s.users[s.rng.IntN(len(s.users))], "Join")
	case 2:
		s.label(p, host, "Add a squire")
	default:
		for _, user := range p.players {
			s.label(p, user, "Join")
		}
		for range p.squires {
			s.label(p, host, "Add a squire")
		}
		s.label(p, host, "Start")
	}
}

// anyOf presses anything on the private answer somebody got.
func (s *sim) anyOf(user string, res sandbox.Result) (sandbox.Result, bool) {
	s.t.Helper()
	m := shownBy(res)
	if m == nil {
		return sandbox.Result{}, false
	}
	all := controls(*m)
	if len(all) == 0 {
		return sandbox.Result{}, false
	}
	return s.use(user, *m, all[s.rng.IntN(len(all))])
}

func (s *sim) typeMove(p *simPlace, t *table.Table, person table.Person) {
	s.t.Helper()
	mine, _ := t.Private(person.ID)
	legal := mine.View.Legal()
	sub, options := typed(legal[s.rng.IntN(len(legal))])
	if s.rng.IntN(4) == 0 {
		asked := slices.Clone(options)
		asked[0].Value = ""
		_, _ = s.suggestions(string(person.ID), p.channel, sub, asked)
	}
	s.command(string(person.ID), p.channel, sub, options...)
}

// suggestions asks as somebody who types; it never waits for the clock.
func (s *sim) suggestions(user, channel, sub string, options []sandbox.Option) ([]sandbox.Choice, error) {
	s.t.Helper()
	var choices []sandbox.Choice
	var err error
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer close(done)
		choices, err = s.discord.Autocomplete(ctx, user, channel, "paladin", sub, options[0].Name, options...)
	}()
	soon := time.NewTimer(300 * time.Millisecond)
	defer soon.Stop()
	for {
		select {
		case <-done:
			return choices, err
		case <-s.stuck:
			s.unstick()
		case <-soon.C:
			s.rest()
			s.clock.advance(4 * time.Second)
		}
	}
}

// pressMove presses through a panel until the question is answered or the panel does not come.
func (s *sim) pressMove(p *simPlace, t *table.Table, user string) {
	s.t.Helper()
	var panel sandbox.Message
	if m, ok := s.world.dm(user); ok && s.rng.IntN(2) == 0 && hasMove(m) {
		panel = m
	} else {
		res, ok := s.label(p, user, "My seat")
		if !ok {
			return
		}
		panel = *shownBy(res)
	}
	for range 8 {
		var offered []sandbox.Component
		for _, c := range controls(panel) {
			id, err := press.Parse(c.CustomID)
			if err != nil || id.Prompt == 0 || id.Kind == press.Refresh {
				continue
			}
			offered = append(offered, c)
			switch id.Kind {
			case press.Place, press.Peek, press.First, press.Act:
				offered = append(offered, c, c, c)
			}
		}
		if len(offered) == 0 {
			return
		}
		c := offered[s.rng.IntN(len(offered))]
		if s.rng.IntN(12) == 0 {
			s.race(user, panel, c)
		}
		res, ok := s.use(user, panel, c)
		if !ok {
			return
		}
		panel = *shownBy(res)
		if now := s.at(p); now == nil || now.Prompt() != t.Prompt() || now.ID() != t.ID() {
			return
		}
	}
}

// race presses the same several times at once. The store says how often it counted.
func (s *sim) race(user string, m sandbox.Message, c sandbox.Component) {
	s.t.Helper()
	began, epoch := s.clock.Now(), s.epoch
	var all []*sandbox.Interaction
	for range 4 {
		if len(c.Options) > 0 {
			return
		}
		i, err := s.discord.Press(context.Background(), user, m.ChannelID, m.ID, c.CustomID)
		if err != nil {
			break
		}
		all = append(all, i)
	}
	for _, i := range all {
		s.pressed++
		s.await(i)
		if res := i.Result(); res.Outcome == sandbox.Updated || res.Outcome == sandbox.Replied || len(res.Followups) > 0 {
			s.answers++
		} else if s.mayFail(i.ID, began, epoch) == "" {
			s.fatal("no answer (%s) to one of several presses on %s", res.Outcome, c.CustomID)
		} else {
			s.excused++
		}
	}
}

// oldPress presses a button that somebody once saw, as that person or as somebody else.
func (s *sim) oldPress() {
	s.t.Helper()
	if len(s.memories) == 0 {
		return
	}
	old := s.memories[s.rng.IntN(len(s.memories))]
	all := controls(old.message)
	if len(all) == 0 {
		return
	}
	c := all[s.rng.IntN(len(all))]
	if foreign(c) {
		return
	}
	if id, err := press.Parse(c.CustomID); err == nil && (id.Kind == press.Stop || id.Kind == press.Cancel) && s.rng.IntN(6) > 0 {
		return // games shall last
	}
	user := old.user
	if s.rng.IntN(4) == 0 {
		user = s.users[s.rng.IntN(len(s.users))]
	}
	var values []string
	if len(c.Options) > 0 {
		values = []string{c.Options[s.rng.IntN(len(c.Options))].Value}
	}
	res, ok := s.forged(user, old.message.ChannelID, old.message.ID, c.CustomID, values...)
	if ok && s.rng.IntN(3) == 0 {
		s.anyOf(user, res)
	}
}

// forge sends a custom id that somebody made up, from a message that they see.
func (s *sim) forge() {
	s.t.Helper()
	p := s.places[s.rng.IntN(len(s.places))]
	t := s.at(p)
	if t == nil {
		return
	}
	user := s.users[s.rng.IntN(len(s.users))]
	m, ok := s.boardOf(t, user)
	if !ok {
		return
	}
	kinds := append([]press.Kind{press.Join, press.Start, press.Squire, press.Manage, press.Record, press.Log, press.Rules, press.Again}, privateKinds...)
	kind := kinds[s.rng.IntN(len(kinds))]
	if kind == press.Stop || kind == press.Quit {
		kind = press.Place
	}
	args := [][]string{nil, {"7r", "1"}, {"0", "2"}, {"1.1"}, {"beat"}, {"take"}, {"2", "-"}, {"x", "y", "z"}}[s.rng.IntN(8)]
	id := press.For(kind, t.ID(), t.Prompt(), args...).String()
	if s.rng.IntN(5) == 0 {
		cut := s.rng.IntN(len(id)) + 1
		id = id[:cut] + "/" + strings.Repeat("9", s.rng.IntN(20))
	}
	s.forged(user, m.ChannelID, m.ID, id)
}

func (s *sim) typeAnything() {
	s.t.Helper()
	p := s.places[s.rng.IntN(len(s.places))]
	user := p.players[s.rng.IntN(len(p.players))]
	if s.rng.IntN(3) == 0 {
		user = s.users[s.rng.IntN(len(s.users))]
	}
	words := []string{"7", "red 7", "2.1", "me", "@everyone", "<@1>", strings.Repeat("9", 90), "beat", "take back", "q1", "\u202e", "seat 2"}
	word := func() string { return words[s.rng.IntN(len(words))] }
	switch s.rng.IntN(9) {
	case 0:
		s.command(user, p.channel, "new")
	case 1:
		s.command(user, p.channel, "board")
	case 2:
		s.command(user, p.channel, "place", sandbox.Option{Name: "card", Value: word()}, sandbox.Option{Name: "quest", Value: word()})
	case 3:
		s.command(user, p.channel, "peek", sandbox.Option{Name: "card", Value: word()})
	case 4:
		s.command(user, p.channel, "resolve", sandbox.Option{Name: "choice", Value: word()})
	case 5:
		s.command(user, p.channel, "first", sandbox.Option{Name: "seat", Value: word()})
	case 6:
		if res, ok := s.command(user, p.channel, "leave"); ok && s.rng.IntN(2) == 0 {
			s.anyOf(user, res)
		}
	case 7:
		s.command(user, p.channel, []string{"record", "rules", "help", "seat", "replay", "verify"}[s.rng.IntN(6)])
	case 8:
		s.command(user, p.channel, "stop")
	}
}

// blow lets something happen to the world around the bot.
func (s *sim) blow() {
	s.t.Helper()
	p := s.places[s.rng.IntN(3)]
	user := p.players[s.rng.IntN(len(p.players))]
	what := []string{
		"board deleted", "DMs closed", "DMs opened", "gateway dropped", "op 7", "op 9 true", "op 9 false", "READY repeated", "gateway closed",
		"bot restarted", "outage", "thread archived", "thread locked", "thread opened", "permission lost", "permission back", "redelivered",
		"slow store", "hours pass", "DM channel deleted", "channel deleted", "bot kicked", "member left",
	}[s.rng.IntN(23)]
	s.mu.Lock()
	s.injected[what]++
	s.mu.Unlock()
	switch what {
	case "board deleted":
		if t := s.at(p); t != nil && t.Live() {
			if m, ok := s.boardOf(t, s.users[0]); ok {
				s.may(s.discord.DeleteMessage(m.ChannelID, m.ID))
			}
		}
	case "DMs closed", "DMs opened":
		s.may(s.discord.CloseDMs(user, what == "DMs closed"))
	case "gateway dropped", "op 7", "op 9 true", "op 9 false", "gateway closed":
		s.cutOff(what)
	case "READY repeated":
		s.discord.RepeatReady()
	case "bot restarted":
		s.restart()
	case "outage":
		s.illness(true)
		s.may(s.discord.GuildUnavailable(p.guild, true))
		s.play(p)
		s.may(s.discord.GuildUnavailable(p.guild, false))
		s.illness(false)
	case "thread archived", "thread locked", "thread opened":
		thread := s.places[1].channel
		s.may(s.discord.ArchiveThread(thread, what == "thread archived"))
		s.may(s.discord.LockThread(thread, what == "thread locked"))
	case "permission lost":
		s.may(s.discord.SetPermissions(p.channel, sandbox.PermViewChannel))
	case "permission back":
		s.may(s.discord.SetPermissions(p.channel, simPermissions))
	case "redelivered":
		s.redeliver(p, user)
	case "slow store":
		s.slowStore(p)
	case "hours pass":
		s.clock.advance(time.Duration(1+s.rng.IntN(5)) * time.Hour)
	case "DM channel deleted":
		if m, ok := s.world.dm(user); ok {
			s.may(s.discord.DeleteChannel(m.ChannelID))
		}
	case "channel deleted":
		if p = s.places[0]; !p.gone && s.rng.IntN(4) == 0 {
			s.lose(p.channel)
			s.may(s.discord.DeleteChannel(p.channel))
			p.gone = true
		}
	case "bot kicked":
		if p = s.places[2]; !p.gone && s.rng.IntN(4) == 0 {
			s.lose(p.channel)
			s.may(s.discord.KickBot(p.guild))
			p.gone = true
		}
	case "member left":
		// Somebody who plays in one place only; the game goes on without knowing.
		s.may(s.discord.RemoveMember(s.guild, s.users[8]))
		s.may(s.discord.AddMember(s.guild, s.users[8]))
	}
}

const simPermissions = sandbox.PermViewChannel | sandbox.PermSendMessages | 1<<38 | 1<<15

// may lets pass that a thing of the world is gone already.
func (s *sim) may(err error) {
	s.t.Helper()
	if err != nil && !errors.Is(err, sandbox.ErrNotFound) {
		s.fatal("%v", err)
	}
}

// cutOff ends the bot's connection in one of the ways in which Discord does.
func (s *sim) cutOff(how string) {
	s.t.Helper()
	s.epoch++
	switch how {
	case "gateway dropped":
		s.discord.DropGateway()
	case "op 7":
		s.discord.Reconnect()
	case "op 9 true":
		s.discord.InvalidSession(true)
	case "op 9 false":
		s.discord.InvalidSession(false)
	default:
		s.discord.CloseGateway([]int{4000, 4007, 4009}[s.rng.IntN(3)])
	}
	// What is asked while the connection dies can be lost. This comes back over the next one.
	s.barrier()
	s.epoch++
}

// redeliver sends an interaction again after its answer, and again after the bot was started anew.
func (s *sim) redeliver(p *simPlace, user string) {
	s.t.Helper()
	i, err := s.discord.Command(context.Background(), user, p.channel, "paladin", "seat")
	if err != nil {
		return
	}
	s.await(i)
	s.may(s.discord.Redeliver(i.ID))
	if s.rng.IntN(3) == 0 {
		s.restart()
		s.may(s.discord.Redeliver(i.ID))
	}
	s.rest()
}

// slowStore makes the store slow for one press, until the driver has moved the clock.
func (s *sim) slowStore(p *simPlace) {
	s.t.Helper()
	once := false
	s.tap.setSlow(func(method string) <-chan struct{} {
		s.mu.Lock()
		defer s.mu.Unlock()
		if once || method != "Commit" && s.chance.IntN(3) > 0 {
			return nil
		}
		once = true
		return s.hang()
	})
	s.play(p)
	s.tap.setSlow(nil)
}

// heal ends all faults and lets time go by until nothing is left to be said.
func (s *sim) heal() {
	s.t.Helper()
	s.setFaults(0)
	s.release()
	for _, user := range s.users {
		s.may(s.discord.CloseDMs(user, false))
	}
	s.may(s.discord.ArchiveThread(s.places[1].channel, false))
	s.may(s.discord.LockThread(s.places[1].channel, false))
	for _, p := range s.places[:3] {
		if !p.gone {
			s.may(s.discord.SetPermissions(p.channel, simPermissions))
		}
	}
	s.connected()
	s.quiet()
	s.clock.advance(2 * time.Minute)
	for _, p := range s.places {
		// A board that somebody deleted comes back with the next event, or when somebody asks for it.
		if t := s.at(p); !p.gone && t != nil && t.Live() {
			if _, ok := s.boardOf(t, s.viewer(t)); !ok {
				s.command(s.viewer(t), p.channel, "board")
			}
		}
	}
	s.quiet()
}

// quiet lets time go by until the outbox is empty.
func (s *sim) quiet() {
	s.t.Helper()
	for wait := time.Second; ; wait *= 2 {
		s.rest()
		pending, err := s.store.Pending(context.Background())
		if err != nil {
			s.fatal("outbox: %v", err)
		}
		if len(pending) == 0 {
			return
		}
		if wait > 24*time.Hour {
			s.fatal("still to be said a day after all faults ended: %+v", pending)
		}
		s.clock.advance(wait)
	}
}

// finish plays every game that can go on to its end.
func (s *sim) finish() {
	s.t.Helper()
	for _, p := range s.places {
		if p.gone {
			continue
		}
		if t := s.at(p); t == nil || !t.Live() {
			continue
		}
		for n := 0; ; n++ {
			t := s.at(p)
			if t.Stage() == table.Lobby {
				s.fill(p, t)
			}
			if t.Stage() != table.Playing && t.Stage() != table.Lobby {
				break
			}
			if person, ok := t.AwaitedPerson(); !ok {
				s.clock.advance(10 * time.Second)
				s.rest()
			} else if n%8 == 0 {
				s.pressMove(p, t, string(person.ID))
			} else {
				s.typeMove(p, t, person)
			}
			if n > 1000 {
				s.fatal("the game in %s does not end: stage %s, question %d", p.channel, t.Stage(), t.Prompt())
			}
		}
	}
	s.quiet()
	played := 0
	for _, told := range s.told() {
		t := s.load(told.id)
		if t == nil {
			continue
		}
		entries, err := s.store.History(context.Background(), told.id, 1, 0)
		if err != nil {
			s.fatal("history: %v", err)
		}
		if len(entries) != told.entries {
			s.errorf("table %s: %d lines were written, %d are there", told.id, told.entries, len(entries))
		}
		lines := make([]table.Line, len(entries))
		for i, e := range entries {
			if err := json.Unmarshal(e.Data, &lines[i]); err != nil {
				s.fatal("history: %v", err)
			}
		}
		record, ok := t.Record(lines)
		if !ok {
			continue
		}
		if _, err := paladin.Replay(record.Encode()); err != nil {
			s.errorf("the record of table %s (%s) is refused: %v", told.id, t.Stage(), err)
		}
		if t.Stage() == table.Finished {
			played++
		}
	}
	if played == 0 {
		s.errorf("no game was played to its end")
	}
}

// fill starts a lobby with whoever is there, or closes it.
func (s *sim) fill(p *simPlace, t *table.Table) {
	s.t.Helper()
	public := t.Public()
	for _, seat := range public.Seats {
		if !seat.Ready {
			s.label(p, string(seat.Person.ID), "Join")
		}
	}
	for n := len(public.Seats); n < 3; n++ {
		s.label(p, string(public.Host), "Add a squire")
	}
	if _, ok := s.label(p, string(public.Host), "Start"); !ok || s.at(p).Stage() == table.Lobby {
		s.command(string(public.Host), p.channel, "stop")
	}
}

// checkRest looks at the world when nothing is left to be said: what stands in the channels and in the direct messages is the truth.
func (s *sim) checkRest() {
	s.t.Helper()
	for _, told := range s.told() {
		t := s.load(told.id)
		if t == nil {
			continue
		}
		if s.goneFor(t) {
			if t.Live() {
				s.errorf("table %s goes on, and its channel is gone", t.ID())
			}
			continue
		}
		if err := t.Check(); err != nil {
			s.errorf("%v", err)
		}
		s.checkBoard(t)
		if t.Stage() == table.Playing {
			s.checkNotice(told, t)
		}
		if told.end != nil {
			s.checkOver(told.end, t)
		}
	}
	s.report()
}

func (s *sim) goneFor(t *table.Table) bool {
	return slices.ContainsFunc(s.places, func(p *simPlace) bool { return p.gone && p.channel == t.Channel() })
}

// checkBoard: the registered board shows the table as it is, and every other one leads to it when it is pressed.
func (s *sim) checkBoard(t *table.Table) {
	s.t.Helper()
	ctx := context.Background()
	surface, ok, err := s.store.Surface(ctx, t.ID(), "board")
	if err != nil || !ok {
		s.errorf("table %s (%s) has no board: %v", t.ID(), t.Stage(), err)
		return
	}
	viewer := s.viewer(t)
	m, err := s.discord.Message(viewer, surface.Channel, surface.Message)
	if err != nil {
		if t.Live() {
			s.errorf("the board of table %s (%s) does not stand: %v", t.ID(), t.Stage(), err)
		}
		return // deleted after the end: nothing will change any more
	}
	public := t.PublicAt(defaultHabits)
	links := render.Links{}
	if public.Next != "" {
		if next, ok, err := s.store.Surface(ctx, public.Next, "board"); err == nil && ok {
			links.Next = render.MessageLink(t.Guild(), next.Channel, next.Message)
		}
	}
	if got, want := flat(m.Components), flatMessage(s.t, boardLike(s.t, &public, links, m.Components)); got != want && public.Next == "" {
		s.errorf("the board of table %s is not the truth:\n%s\nbut:\n%s\n%s", t.ID(), got, want, s.annals(t))
	}
	s.checkOrphans(t, viewer, m)
}

// viewer is somebody who sees the table's channel.
func (s *sim) viewer(t *table.Table) string {
	for _, p := range s.places {
		if p.channel == t.Channel() {
			return p.players[0]
		}
	}
	return s.users[0]
}

// checkOrphans presses My seat on every other message that still offers it as a board.
func (s *sim) checkOrphans(t *table.Table, viewer string, live sandbox.Message) {
	s.t.Helper()
	messages, err := s.discord.Messages(viewer, t.Channel())
	if err != nil {
		s.fatal("%v", err)
	}
	for _, m := range messages {
		if m.ID == live.ID || m.View != nil && m.View.Ephemeral || m.Author.ID != s.discord.Bot().ID {
			continue
		}
		for _, c := range controls(m) {
			id, err := press.Parse(c.CustomID)
			if err != nil || id.Table != t.ID() {
				continue
			}
			if slices.Contains(privateKinds, id.Kind) {
				s.errorf("a public message offers %s", c.CustomID)
			}
			// A board has the log or the rules; a call has not.
			if id.Kind != press.Seat || !has(m, press.Rules) {
				continue
			}
			if _, ok := s.use(viewer, m, c); !ok {
				s.errorf("no answer from an old board")
			}
			after, err := s.discord.Message(viewer, m.ChannelID, m.ID)
			if err != nil || has(after, press.Seat) {
				s.errorf("table %s: the board %s stands beside the live one (%s) and does not lead to it when pressed: %v\n%s", t.ID(), m.ID, live.ID, err, text(after))
			}
			break
		}
	}
}

// checkNotice: whoever is to move, and whose own press did not lead there, was told: by a direct message about this very question, or
// in the channel.
func (s *sim) checkNotice(told *simTold, t *table.Table) {
	s.t.Helper()
	ctx := context.Background()
	person, ok := t.AwaitedPerson()
	if !ok {
		return
	}
	user, seat := string(person.ID), t.SeatOf(person.ID)
	asked := told.asked
	if asked.prompt != t.Prompt() || asked.person != user {
		s.errorf("table %s: %s is awaited for question %d, and nothing that was committed says so: %+v", t.ID(), user, t.Prompt(), asked)
	}
	if asked.by == user || asked.way == table.RemindNone {
		return
	}
	for _, name := range []string{"dm", "ping", "mention"} {
		surface, ok, err := s.store.Surface(ctx, t.ID(), fmt.Sprintf("%s/%d", name, seat))
		if err != nil {
			s.fatal("%v", err)
		}
		if ok && surface.Prompt == t.Prompt() && (name != "dm" || s.writes[surface.Channel] == user) {
			return
		}
	}
	s.errorf("table %s: seat %d is awaited for question %d and was never told: %+v\n%s", t.ID(), seat.Number(), t.Prompt(), asked, s.annals(t))
}

// checkOver: everybody who still played heard that the game is over, in the way they chose and once in each, but the one whose press
// ended it, who saw it. Whoever takes no direct messages was called in the channel.
func (s *sim) checkOver(end *simEnd, t *table.Table) {
	s.t.Helper()
	everybody := map[string]bool{}
	for user := range end.present {
		everybody[user] = true
	}
	for user := range end.dms {
		everybody[user] = true
	}
	for user := range end.calls {
		everybody[user] = true
	}
	for user := range everybody {
		way, present := end.present[user]
		dms, calls := len(end.dms[user]), len(end.calls[user])
		var well bool
		switch {
		case !present || user == end.by || way == table.RemindNone:
			well = dms+calls == 0
		case way.DM() && way.Mention():
			well = dms <= 1 && calls == 1
		case way.Mention():
			well = dms == 0 && calls == 1
		default:
			well = dms+calls == 1
		}
		if !well {
			s.errorf("table %s (%s) is over, ended by %q; user %s, who was present: %v, and wants to be told by %q, had the direct messages %v and the calls %v\n%s",
				t.ID(), t.Stage(), end.by, user, present, way, end.dms[user], end.calls[user], s.annals(t))
		}
	}
}

// boardOn is the message that the table's board is on.
func (s *sim) boardOn(t *table.Table) store.Surface {
	s.t.Helper()
	board, _, err := s.store.Surface(context.Background(), t.ID(), "board")
	if err != nil {
		s.fatal("%v", err)
	}
	return board
}

// checkSecrets deals the cards anew that somebody cannot know, and demands that what they see is what they would see then: it cannot
// tell them anything of the cards.
func (s *sim) checkSecrets() {
	s.t.Helper()
	p := s.places[s.rng.IntN(len(s.places))]
	t := s.at(p)
	if p.gone || t == nil || t.Stage() != table.Playing {
		return
	}
	below := rand.New(rand.NewPCG(s.seed, t.Prompt())).IntN
	user := p.players[s.rng.IntN(len(p.players))]
	seat := t.SeatOf(table.UserID(user))
	if m, ok := s.boardOf(t, user); ok && s.settled(t) {
		other := t.Redeal(paladin.NoSeat, below)
		public := other.PublicAt(defaultHabits)
		if got, want := flat(m.Components), flatMessage(s.t, boardLike(s.t, &public, render.Links{}, m.Components)); got != want {
			s.errorf("the board tells of hidden cards, or is not the truth:\n%s\nbut with other cards:\n%s", got, want)
		}
	}
	if seat == paladin.NoSeat {
		return
	}
	before := s.boardOn(t)
	res, ok := s.label(p, user, "My seat")
	if !ok {
		return
	}
	m := shownBy(res)
	now := s.at(p)
	if m.View == nil || !m.View.Ephemeral {
		s.errorf("a panel is not private:\n%s", text(*m))
	}
	if now.Prompt() != t.Prompt() || now.ID() != t.ID() {
		return
	}
	other := now.Redeal(seat, below)
	mine, _ := other.PrivateAt(table.UserID(user), defaultHabits)
	hint := render.Hint("")
	if strings.Contains(flat(m.Components), "💡") {
		hint = render.HintFor(&mine) // whether they have done it before is theirs to know
	}
	got, want := flat(m.Components), ""
	// The board may be posted anew while the panel is made: it leads to the one or the other.
	for _, board := range []store.Surface{before, s.boardOn(t)} {
		want = flatMessage(s.t, english.Panel(&mine, render.Selection{}, render.PanelOptions{
			Hint: hint, AsOf: s.clock.Now(), BoardLink: render.MessageLink(t.Guild(), board.Channel, board.Message),
		}))
		if ownWords(got) == ownWords(want) {
			return
		}
	}
	s.errorf("the panel of seat %d tells of hidden cards:\n%s\nbut with other cards:\n%s", seat.Number(), got, want)
}

// ownWords leaves out of a panel what is about the reader and not about the game's present: what happened since they looked, another
// game that waits, a board that cannot be updated, and when it was made.
func ownWords(panel string) string {
	lines := strings.Split(panel, "\n")
	divider := fmt.Sprintf("%2d ", sandbox.TypeSeparator)
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, divider) || strings.Contains(line, "Since you last looked") || strings.Contains(line, "**Lately**") || strings.Contains(line, english.Say(render.LabelNextGame)) || strings.Contains(line, "I cannot") ||
			strings.Contains(line, "as of <t:")
	}), "\n")
}

// settled reports whether nothing about the table is still to be said.
func (s *sim) settled(t *table.Table) bool {
	s.t.Helper()
	pending, err := s.store.Pending(context.Background())
	if err != nil {
		s.fatal("%v", err)
	}
	return !slices.ContainsFunc(pending, func(in store.Intent) bool { return in.Table == t.ID() })
}

// checkFree: no channel is held by a dead game, and nobody by a channel that is gone.
func (s *sim) checkFree() {
	s.t.Helper()
	ctx := context.Background()
	s.clock.advance(31 * 24 * time.Hour)
	s.quiet()
	var live []string
	if err := s.store.LiveTables(ctx, func(id string) error { live = append(live, id); return nil }); err != nil {
		s.fatal("%v", err)
	}
	if len(live) > 0 {
		s.errorf("tables %v live on though nobody has touched them for a month", live)
	}
	for _, p := range s.places {
		if p.gone {
			continue
		}
		if _, ok := s.command(p.players[0], p.channel, "new"); !ok {
			s.errorf("no game can be opened in channel %s", p.channel)
			continue
		}
		if id, ok, err := s.store.TableByChannel(ctx, p.channel); err != nil || !ok {
			s.errorf("channel %s is blocked: %s %v", p.channel, id, err)
		}
	}
	s.rest()
}

// flat is everything of a message that somebody can read with a client, modified or not.
func flat(list []sandbox.Component) string {
	var b strings.Builder
	var walk func([]sandbox.Component, int)
	walk = func(list []sandbox.Component, depth int) {
		for _, c := range list {
			id, _, _ := strings.Cut(c.CustomID, "/~") // each drawing has marks of its own
			fmt.Fprintf(&b, "%*d %q %q %q %q %q %v", depth, c.Type, c.Content, c.Label, id, c.URL, c.Placeholder, c.Disabled)
			for _, o := range c.Options {
				fmt.Fprintf(&b, " (%q %q %q %v)", o.Label, o.Value, o.Description, o.Default)
			}
			for _, item := range c.Items {
				address, _, _ := strings.Cut(item.Media.URL, "?")
				fmt.Fprintf(&b, " [%q %q]", path.Base(address), item.Description)
			}
			b.WriteString("\n")
			walk(c.Components, depth+2)
		}
	}
	walk(list, 1)
	return b.String()
}

// boardLike is the board with the picture of the table, or in words alone where the board that is shown has none: Discord does not take
// pictures everywhere.
func boardLike(t testing.TB, p *table.Public, links render.Links, shown []sandbox.Component) discord.Message {
	t.Helper()
	return boardIn(t, english, p, links, shown)
}

func boardIn(t testing.TB, pr *render.Printer, p *table.Public, links render.Links, shown []sandbox.Component) discord.Message {
	t.Helper()
	if !strings.Contains(flat(shown), ".png") {
		return pr.Board(p, links)
	}
	draw, kind, words := picture.Table, "table", pr.TableAlternative(p)
	if p.Stage == table.Finished {
		draw, kind, words = picture.Result, "result", pr.ResultAlternative(p)
	}
	png, err := draw(p)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(png)
	links.Picture = &discord.File{Name: fmt.Sprintf("%s-%x.png", kind, sum[:8]), Description: words}
	return pr.Board(p, links)
}

func flatMessage(t testing.TB, m discord.Message) string {
	t.Helper()
	data, err := json.Marshal(m.Components)
	if err != nil {
		t.Fatal(err)
	}
	var list []sandbox.Component
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return flat(list)
}
