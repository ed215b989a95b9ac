package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
	"paladin/store/storetest"
)

// weeks is one table over simulated weeks, step by step in one goroutine: the owner, the outbox and the clock are step functions and
// are driven here, with people who move, forget, vanish, come back, leave and block the bot, and a Discord that fails.
type weeks struct {
	t     *testing.T
	seed  uint64
	rng   *rand.Rand
	app   *App
	now   time.Time
	id    string
	crowd map[table.UserID]*character
	// acts is when the awaited person will do something; for which question.
	acts                                  time.Time
	prompt                                uint64
	pings                                 int
	calls                                 map[string]bool // what calls somebody and is not removed, by channel and message
	timeouts, graces, reminders, standIns int
}

// character is how somebody plays by post.
type character struct {
	pace     time.Duration // they move within this
	vanishes float64       // chance, per move, that they are not seen for a while
	away     time.Duration // for that long; very long means for ever
	leaves   float64
	closed   bool // takes no DMs
	gone     bool // left the server
}

func (w *weeks) Now() time.Time { return w.now }

// Timer is never waited for: the simulation looks at the deadlines itself.
func (w *weeks) Timer(time.Duration) Timer { return stillTimer{} }

type stillTimer struct{}

func (stillTimer) C() <-chan time.Time { return nil }
func (stillTimer) Stop()               {}

// The failing Discord.

func (w *weeks) fail() error {
	switch w.rng.IntN(40) {
	case 0:
		return &discord.Error{Status: 503}
	case 1:
		return &discord.Error{Status: 429, RetryAfter: time.Duration(1+w.rng.IntN(60)) * time.Second}
	case 2:
		return &discord.Error{Status: 403, Code: 50013}
	default:
		return nil
	}
}

// Turn finds no limit here.
func (w *weeks) Turn(ctx context.Context) (context.Context, func(), error) {
	return ctx, func() {}, nil
}

// Spare finds room in two looks of three.
func (w *weeks) Spare() bool { return w.rng.IntN(3) > 0 }

func (w *weeks) Respond(context.Context, *discord.Interaction, discord.Response) (discord.MessageRef, error) {
	return discord.MessageRef{}, nil
}

func (w *weeks) EditOriginal(context.Context, *discord.Interaction, discord.Message) (discord.MessageRef, error) {
	return discord.MessageRef{}, nil
}

func (w *weeks) FollowUp(context.Context, *discord.Interaction, discord.Message) (discord.MessageRef, error) {
	return discord.MessageRef{}, nil
}

func (w *weeks) CreateMessage(_ context.Context, channel string, m discord.Message) (discord.MessageRef, error) {
	if err := w.fail(); err != nil {
		return discord.MessageRef{}, err
	}
	for _, user := range m.AllowedUsers {
		w.pings++
		if t := w.table(); t.Stage() == table.Playing {
			public := t.Public()
			asked := len(public.Offers) > 0 // to accept a stand-in
			if who, ok := t.AwaitedPerson(); !asked && (!ok || string(who.ID) != user) {
				data, _ := json.Marshal(m.Components)
				w.fatal("%s is pinged and not awaited (%v is): %s", user, who, data)
			}
		}
	}
	if user, ok := cutPrefix(channel, "dm-"); ok && w.crowd[table.UserID(user)].closed {
		return discord.MessageRef{}, &discord.Error{Status: 403, Code: 50007}
	}
	ref := discord.MessageRef{ID: strconv.FormatUint(w.rng.Uint64(), 10), Channel: channel}
	w.calls[channel+"/"+ref.ID] = true
	return ref, nil
}

// DeleteMessage removes a call from the channel or a direct message, once, and never a board.
func (w *weeks) DeleteMessage(_ context.Context, channel, id string) error {
	call := channel + "/" + id
	if !w.calls[call] {
		w.fatal("a message that was never made is removed, or one a second time: %s", id)
	}
	if sf, ok, err := w.app.store.SurfaceByMessage(context.Background(), id); err == nil && ok && sf.Name == "board" {
		w.fatal("the board is removed: %s", id)
	}
	if err := w.fail(); err != nil {
		return err
	}
	delete(w.calls, call)
	return nil
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return "", false
	}
	return s[len(prefix):], true
}

func (w *weeks) edit() error {
	switch w.rng.IntN(60) {
	case 0:
		return &discord.Error{Status: 404, Code: 10008}
	case 1:
		return &discord.Error{Status: 429, Code: 30046}
	}
	return w.fail()
}

func (w *weeks) ReplaceMessage(ctx context.Context, channel, id string, m discord.Message) (discord.MessageRef, error) {
	return discord.MessageRef{ID: id, Channel: channel}, w.edit()
}

func (w *weeks) OpenDM(_ context.Context, user string) (string, error) {
	if w.crowd[table.UserID(user)].gone {
		return "", &discord.Error{Status: 403, Code: 50278}
	}
	return "dm-" + user, w.fail()
}

func (w *weeks) Unarchive(context.Context, string) error { return nil }

// GetChannel is asked by nobody here.
func (w *weeks) GetChannel(_ context.Context, id string) (discord.Channel, error) {
	return discord.Channel{ID: id}, nil
}

func (w *weeks) GetMember(_ context.Context, _, user string) (discord.Member, error) {
	if w.crowd[table.UserID(user)].gone {
		return discord.Member{}, &discord.Error{Status: 404, Code: 10007}
	}
	return discord.Member{}, w.fail()
}

func (w *weeks) fatal(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d at %v: %s", w.seed, w.now, fmt.Sprintf(format, args...))
}

func (w *weeks) table() *table.Table {
	_, t, err := w.app.load(context.Background(), w.id)
	if err != nil {
		w.fatal("%v", err)
	}
	return &t
}

func (w *weeks) row() store.Row {
	row, err := w.app.store.Table(context.Background(), w.id)
	if err != nil {
		w.fatal("%v", err)
	}
	return row
}

// do carries out a command of a person; refusals are fine.
func (w *weeks) do(who table.Person, cmd table.Command) result {
	by := table.Actor{Person: who, Interaction: strconv.FormatUint(w.rng.Uint64(), 10)}
	res := w.app.act(context.Background(), w.id, by, cmd, by.Interaction)
	if res.err != nil && res.refusal() == nil {
		w.fatal("%T: %v", cmd, res.err)
	}
	return res
}

// send drives the outbox until nothing can go out at this moment.
func (w *weeks) send() {
	for range 1000 {
		out := w.app.outbox.box.next(w.now)
		if len(out) == 0 {
			return
		}
		for _, in := range out {
			again := w.app.deliver(context.Background(), in, w.app.outbox.box.tries(in.Channel)).again
			// What a look-up found out is done before anything else is sent.
			if err := w.app.owners.running.wait(context.Background()); err != nil {
				w.fatal("%v", err)
			}
			if again > 0 {
				w.app.outbox.box.failed(in, w.now.Add(again))
			} else {
				w.app.outbox.box.sent(in)
			}
		}
	}
	w.fatal("the outbox never comes to rest")
}

// person says what the awaited person does when they look in.
func (w *weeks) person(t *table.Table, who table.Person) {
	c := w.crowd[who.ID]
	mine, _ := t.Private(who.ID)
	legal := mine.View.Legal()
	switch {
	case w.rng.Float64() < c.leaves:
		w.do(who, table.Leave{})
	case w.rng.IntN(60) == 0:
		w.do(who, table.VotePause{})
	case w.rng.IntN(3) == 0 && len(mine.View.Placed) > 0:
		card := mine.View.Placed[w.rng.IntN(len(mine.View.Placed))]
		w.do(who, table.SetOrder{Quest: card.Quest, Order: table.Order{Act: table.OrderActs()[w.rng.IntN(5)], Most: w.rng.IntN(10)}})
		w.do(who, table.Play{Prompt: t.Prompt(), Move: legal[w.rng.IntN(len(legal))]})
	default:
		w.do(who, table.Play{Prompt: t.Prompt(), Move: legal[w.rng.IntN(len(legal))]})
	}
}

// others lets somebody who is not awaited do something now and then.
func (w *weeks) others(t *table.Table) {
	for _, id := range slices.Sorted(maps.Keys(w.crowd)) { // in one order: a seed is to tell one story
		c := w.crowd[id]
		who := table.Person{ID: id, Name: string(id)}
		if w.rng.IntN(12) != 0 || c.gone {
			continue
		}
		public := t.Public()
		switch w.rng.IntN(6) {
		case 0:
			w.do(who, table.Back{})
		case 1:
			w.do(who, table.Reclaim{})
		case 2:
			seat := w.rng.IntN(len(public.Seats))
			if late := slices.IndexFunc(public.Seats, func(s table.PublicSeat) bool { return s.Overdue }); late >= 0 && w.rng.IntN(4) > 0 {
				seat = late // the board offers that one
			}
			w.do(who, table.Offer{Seat: paladin.Seat(seat)})
		case 3:
			for _, o := range public.Offers {
				if res := w.do(who, table.Accept{Seat: o.Seat, User: o.Person.ID}); res.err == nil {
					w.standIns++
				}
			}
		default:
			w.do(who, table.VoteResume{})
		}
	}
}

// step goes to the next thing that happens.
func (w *weeks) step() {
	t := w.table()
	if who, ok := t.AwaitedPerson(); ok && w.prompt != t.Prompt() {
		c := w.crowd[who.ID]
		wait := time.Duration(w.rng.Int64N(int64(c.pace)))
		if w.rng.Float64() < c.vanishes {
			wait += c.away
		}
		w.prompt, w.acts = t.Prompt(), w.now.Add(wait)
	}
	next, any, err := w.app.store.NextDeadline(context.Background())
	if err != nil || !any {
		w.fatal("a live table without a deadline: %v", err)
	}
	who, awaited := t.AwaitedPerson()
	if awaited && w.acts.Before(next) && !w.crowd[who.ID].gone {
		w.now = latest(w.now, w.acts)
		w.prompt = 0 // looks in again later if this was no move
		w.person(t, who)
	} else {
		w.passDeadline(next)
	}
	w.others(w.table())
	w.send()
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// passDeadline lets what is due happen: in time, or after the program was down for a while.
func (w *weeks) passDeadline(at time.Time) {
	down := w.rng.IntN(30) == 0
	w.now = latest(w.now, at)
	if down {
		w.now = w.now.Add(time.Duration(w.rng.Int64N(int64(72 * time.Hour))))
	}
	due, err := w.app.store.Due(context.Background(), w.now, 100)
	if err != nil {
		w.fatal("%v", err)
	}
	for _, d := range due {
		before := w.table()
		w.app.due(context.Background(), d, down)
		switch d.Kind {
		case table.DeadlineTurn:
			if down {
				w.graces++
				if after := w.table(); after.Prompt() != before.Prompt() && before.Prompt() == d.Prompt {
					w.fatal("a turn ended while nobody could move")
				}
			} else {
				w.timeouts++
			}
		case table.DeadlineRemind:
			w.reminders++
		}
	}
}

// check holds what must hold at any time.
func (w *weeks) check() {
	t := w.table()
	row := w.row()
	if !t.Live() {
		if len(row.Deadlines) > 0 {
			w.fatal("a deadline after the end: %v", row.Deadlines)
		}
		return
	}
	_, awaited := t.AwaitedPerson()
	runs := slices.ContainsFunc(row.Deadlines, func(d store.Deadline) bool {
		return (d.Kind == table.DeadlineTurn || d.Kind == table.DeadlineSquire) && d.Prompt == t.Prompt()
	})
	if !awaited && !runs {
		w.fatal("nobody present is awaited and no clock runs: %v", row.Deadlines)
	}
	if row.Entries < t.Public().Game.Moves {
		w.fatal("%d lines of history for %d moves", row.Entries, t.Public().Game.Moves)
	}
}

func newWeeks(t *testing.T, seed uint64) *weeks {
	w := &weeks{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 3)), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), crowd: map[table.UserID]*character{},
		calls: map[string]bool{},
	}
	app, err := New(Config{Store: storetest.NewMemory(), Discord: w, Clock: w, Pace: table.SquireHuman})
	if err != nil {
		t.Fatal(err)
	}
	app.outbox.stopped = true // it is driven here
	w.app = app
	seats := 3 + w.rng.IntN(3)
	people := []table.Person{}
	for i := range seats + 2 {
		id := table.UserID(fmt.Sprint("u", i))
		people = append(people, table.Person{ID: id, Name: string(id)})
		c := &character{pace: time.Duration(1+w.rng.IntN(20)) * time.Hour, closed: w.rng.IntN(5) == 0, gone: false}
		switch w.rng.IntN(6) {
		case 0:
			c.vanishes, c.away = 0.1, time.Duration(1+w.rng.IntN(10))*24*time.Hour
		case 1:
			c.vanishes, c.away = 0.03, 400*24*time.Hour
		case 2:
			c.leaves = 0.02
		}
		w.crowd[id] = c
		w.habits(id)
	}
	w.open(people[:seats])
	return w
}

// habits gives somebody quiet hours and reminders of their own.
func (w *weeks) habits(id table.UserID) {
	h := habits{Version: 1, Reminders: w.rng.IntN(5) - 1, Every: time.Duration(w.rng.IntN(5)) * 3 * time.Hour}
	if w.rng.IntN(2) == 0 {
		h.QuietFrom, h.QuietTo, h.Zone = 22*60, w.rng.IntN(10)*60, []string{"UTC", "Europe/Berlin", "America/New_York"}[w.rng.IntN(3)]
	}
	h.Way = []table.Remind{table.RemindDM, table.RemindMention, table.RemindBoth, table.RemindNone}[w.rng.IntN(4)]
	data, err := json.Marshal(h)
	if err != nil {
		w.fatal("%v", err)
	}
	if err := w.app.store.UpdateUser(context.Background(), string(id), func(u *store.User) { u.Data = data }); err != nil {
		w.fatal("%v", err)
	}
}

func (w *weeks) open(people []table.Person) {
	host := table.Actor{Person: people[0], Interaction: "1"}
	pace := []table.Pace{table.PaceRelaxed, table.PaceDaily, table.PaceWeekend, table.PaceNone}[w.rng.IntN(4)]
	t, out, err := table.Open(table.Opening{
		ID: fmt.Sprint("t", w.seed), Guild: "g", Channel: "c", Host: host, Deck: paladin.HouseDeck(), Seed: paladin.Seed{byte(w.seed), byte(w.seed >> 8)},
		Options: table.Options{Seats: len(people), Squires: squire.Easy, SquirePace: table.SquireHuman, Pace: pace}, Now: w.now,
	})
	if err != nil {
		w.fatal("%v", err)
	}
	w.id = t.ID()
	c, err := change(nil, &t, 0, people[0].ID, "1", out, w.now, noHabits)
	if err == nil {
		_, err = w.app.commit(context.Background(), c)
	}
	if err != nil {
		w.fatal("%v", err)
	}
	for _, p := range people[1:] {
		w.do(p, table.Join{})
	}
	w.do(people[0], table.Start{})
	w.send()
}

// TestWeeks plays seeded tables to their end over simulated weeks. Every table ends; at any time somebody present is awaited by name,
// or a clock runs, or the game is over; nothing fires after the end; nobody is pinged who is not awaited; no turn ends in a downtime.
func TestWeeks(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it happens at the same time, and a long run plays it")
	}
	tables := 40
	if n, err := strconv.Atoi(os.Getenv("PALADIN_WEEKS_TABLES")); err == nil {
		tables = n
	}
	var total weeks
	var simulated time.Duration
	ended := map[table.Stage]int{}
	for seed := range uint64(tables) {
		w := newWeeks(t, seed)
		began := w.now
		for steps := 0; w.table().Live(); steps++ {
			if steps > 5000 {
				w.fatal("the table does not end: %+v", w.table().Public())
			}
			w.step()
			w.check()
			if w.rng.IntN(400) == 0 {
				for _, id := range slices.Sorted(maps.Keys(w.crowd)) {
					c := w.crowd[id]
					c.gone = c.gone || w.rng.IntN(8) == 0
				}
			}
		}
		w.check()
		w.settleDown()
		ended[w.table().Stage()]++
		simulated += w.now.Sub(began)
		total.timeouts += w.timeouts
		total.graces += w.graces
		total.reminders += w.reminders
		total.standIns += w.standIns
	}
	t.Logf("%d tables, %.0f simulated days, ended %v; %d turns ran out, %d times grace, %d reminders, %d stand-ins", tables, simulated.Hours()/24, ended,
		total.timeouts, total.graces, total.reminders, total.standIns)
	if total.timeouts == 0 || total.graces == 0 || total.reminders == 0 || total.standIns == 0 || ended[table.Finished] == 0 {
		t.Error("the simulation did not reach what it is for")
	}
}

// settleDown lets the outbox have its say after the end: then nothing is left.
func (w *weeks) settleDown() {
	for range 200 {
		w.send()
		at, any := w.app.outbox.box.wake()
		if !any {
			break
		}
		w.now = latest(w.now, at)
	}
	left, err := w.app.store.Pending(context.Background())
	if err != nil && !errors.Is(err, store.ErrClosed) {
		w.fatal("%v", err)
	}
	if len(left) > 0 {
		w.fatal("left in the outbox after the end: %v", left)
	}
}
