package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// What standing orders resolve at once is shown in the channel as one message that grows, step by step.
const (
	// showGap is the time between two steps.
	showGap = 2 * time.Second
	// showRest is how long after the last step the board follows.
	showRest = time.Second
	// showLate is how late a step may be; a later one shows everything, for nobody is waiting for it any more.
	showLate = time.Minute
	// shownAlone is the least number of ordered decisions that are shown: a single one looks like a press, on the board.
	shownAlone = 2
)

// showSteps is in how many steps what happened in one commit is to be shown; 0 if the board says enough. Decisions count that were
// ordered beforehand: the first line is what somebody pressed, or what the clock did.
func showSteps(out table.Outcome) int {
	ordered := 0
	lines := make([]table.PublicLine, len(out.Lines))
	for i, l := range out.Lines {
		lines[i] = l.Public()
		if i > 0 && l.Kind == table.LineMove && render.Decides(lines[i]) {
			ordered++
		}
	}
	if ordered < shownAlone {
		return 0
	}
	return render.ShowSteps(lines)
}

// planShow adds the show of what was resolved. Whatever else this commit says, the board above all, waits for its end.
func planShow(c *store.Change, before, after *table.Table, out table.Outcome, now time.Time) error {
	steps := showSteps(out)
	if steps == 0 || before == nil {
		return nil
	}
	end := now.Add(time.Duration(steps-1)*showGap + showRest)
	for i := range c.Intents {
		c.Intents[i].NotBefore = end
	}
	from := before.Prompt()
	if err := addIntent(c, showKey(from), showLane(after.Channel()), intent{What: whatShow, Prompt: from, Last: after.Prompt() - 1}); err != nil {
		return err
	}
	c.Intents[len(c.Intents)-1].NotBefore = now
	return nil
}

// showKey names a show by the move that it begins with, as an intent and as a surface, so that shows of one table never mix.
func showKey(from uint64) string { return fmt.Sprintf("show/%d", from) }

// showLane keeps shows out of the way of the channel's board.
func showLane(channel string) string { return "show/" + channel }

// show shows one step and leaves the next one in the outbox. The message is made from the history, so that a step that is repeated
// after a crash says the same.
func (d *delivery) show(ctx context.Context) (time.Duration, error) {
	if lost(&d.table) {
		return 0, nil
	}
	name, now := showKey(d.want.Prompt), d.app.clock.Now()
	moves, err := d.app.moves(ctx, d.in.Table)
	if errors.Is(err, errHistory) {
		d.endShow(d.in.Key)
		return 0, err // the board tells what came of it
	}
	if err != nil {
		return d.backoff(), err
	}
	lines := render.ShowLines(moves, d.want.Prompt, d.want.Last)
	last := render.ShowSteps(lines) - 1
	if last < 0 {
		return 0, fmt.Errorf("moves %d to %d show nothing", d.want.Prompt, d.want.Last)
	}
	step := min(d.want.Step, last)
	if now.Sub(d.in.NotBefore) > showLate || d.app.shows.skipped(d.in.Table, name) {
		step = last
	}
	live, shown, err := d.app.store.Surface(ctx, d.in.Table, name)
	if err != nil {
		return d.backoff(), err
	}
	d.app.shows.goOn(d.in.Table, now.Add(time.Duration(last-step)*showGap+showRest))
	public := d.table.Public()
	message := d.pr().Show(&public, lines, render.ShowPart{From: d.want.Prompt, Last: d.want.Last, Step: step})
	if shown {
		err = d.app.revise(ctx, live.Channel, live.Message, message)
	} else {
		live, err = d.beginShow(ctx, name, message)
	}
	if err != nil {
		return d.showFailure(ctx, name, err)
	}
	if step == last {
		d.endShow(name)
		return 0, nil
	}
	return d.nextStep(ctx, step+1, live, now)
}

// beginShow posts the message that grows.
func (d *delivery) beginShow(ctx context.Context, name string, message discord.Message) (store.Surface, error) {
	message.Nonce = d.nonce("show", d.want.Prompt)
	ref, err := d.create(ctx, d.table.Channel(), message)
	if err == nil && ref.ID == "" {
		err = &discord.Error{} // nobody knows which message it is: it cannot grow
	}
	return store.Surface{
		Table: d.in.Table, Name: name, Channel: ref.Channel, Message: ref.ID, Posted: d.app.clock.Now(), Prompt: d.want.Last,
	}, err
}

// nextStep registers the message first and then lets the next step take this one's place: a crash between the two repeats this step.
func (d *delivery) nextStep(ctx context.Context, step int, live store.Surface, now time.Time) (time.Duration, error) {
	err := d.app.store.Settle(ctx, store.Settlement{Table: d.in.Table, Put: []store.Surface{live}})
	if errors.Is(err, store.ErrInvalid) {
		d.endShow(live.Name) // which message it is cannot be kept: it cannot grow
		return 0, err
	} else if err != nil {
		return d.backoff(), err
	}
	next := d.want
	next.Step = step
	var c store.Change
	if err := addIntent(&c, d.in.Key, d.in.Channel, next); err != nil {
		return 0, err
	}
	c.Intents[0].NotBefore = now.Add(showGap)
	if err := d.app.enqueue(ctx, d.in.Table, c.Intents); err != nil {
		return d.backoff(), err
	}
	return 0, nil
}

// showFailure ends a show that cannot go on: the board tells what came of it. What time mends is tried again.
func (d *delivery) showFailure(ctx context.Context, name string, err error) (time.Duration, error) {
	again, err := d.channelFailure(ctx, err)
	if again > 0 && again < retryBlocked {
		return again, err
	}
	d.endShow(name)
	return 0, err
}

// endShow lets the board follow at once.
func (d *delivery) endShow(name string) {
	d.settle.Forget = append(d.settle.Forget, name)
	d.app.shows.end(d.in.Table, name)
}

// moves returns the lines of the history that hold moves, as everybody may read them.
func (a *App) moves(ctx context.Context, id string) ([]table.PublicLine, error) {
	lines, err := a.history(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []table.PublicLine
	for _, l := range lines {
		if l.Kind == table.LineMove || l.Kind == table.LineSquireMove {
			out = append(out, l.Public())
		}
	}
	return out, nil
}

// showAll shows to its end what the channel is watching. It edits the pressed message, which counts against no limit; where that message
// is not a show under way, the whole is shown privately.
func (a *App) showAll(ctx context.Context, i *request, id press.ID, t *table.Table) answer {
	first, errFirst := strconv.ParseUint(id.Arg(0), 10, 64)
	last, errLast := strconv.ParseUint(id.Arg(1), 10, 64)
	if errFirst != nil || errLast != nil {
		return say(i.pr.Say(render.TextForgedPress))
	}
	moves, err := a.moves(ctx, t.ID())
	if err != nil {
		return a.failure(i, "history", t.ID(), err)
	}
	lines := render.ShowLines(moves, first, last)
	steps := render.ShowSteps(lines)
	if steps == 0 {
		return say(i.pr.Say(render.TextForgedPress))
	}
	public, whole := t.Public(), render.ShowPart{From: first, Last: last, Step: steps - 1}
	name := showKey(first)
	live, ok, err := a.store.Surface(ctx, t.ID(), name)
	if err != nil || !ok || live.Message != i.Message.ID || live.Prompt != last {
		return answer{message: i.pr.Show(&public, lines, whole)}
	}
	message := a.publicWords(t).Show(&public, lines, whole) // everybody goes on reading it
	a.outbox.update(func(o *outbox) { o.hold(showLane(t.Channel())) })
	return answer{message: message, retire: true, after: func(shown bool) { a.shownAll(t, name, shown) }}
}

// shownAll ends the steps of a show that was shown to its end. Where one of them was under way meanwhile, nobody knows which of the two
// Discord shows, and one more shows the end.
func (a *App) shownAll(t *table.Table, name string, shown bool) {
	lane := showLane(t.Channel())
	defer a.outbox.update(func(o *outbox) {
		o.release(lane)
		if shown {
			o.hasten(t.ID(), boardName)
		}
	})
	if shown {
		var in store.Intent
		taken := false
		a.outbox.update(func(o *outbox) {
			if !o.contended(lane) {
				in, taken = o.take(t.ID(), name)
			}
		})
		ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
		defer cancel()
		settlement := store.Settlement{Table: t.ID(), Key: name, Generation: in.Generation, Forget: []string{name}}
		if !taken {
			a.shows.skip(t.ID(), name)
		} else if err := a.store.Settle(ctx, settlement); err != nil {
			a.log.Warn("a show goes on although it was shown to its end", "table", t.ID(), "error", err)
			a.outbox.update(func(o *outbox) { o.add([]store.Intent{in}) })
		} else {
			a.shows.end(t.ID(), name)
		}
	}
}

// shows remembers what is being watched. It is lost by a restart, and then boards no longer wait for it.
type shows struct {
	mu   sync.Mutex
	ends map[string]time.Time // by table
	all  map[place]bool       // to be shown to their end at the next step
}

func newShows() *shows { return &shows{ends: map[string]time.Time{}, all: map[place]bool{}} }

func (s *shows) goOn(table string, end time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[table] = end
}

func (s *shows) skip(table, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[place{table, name}] = true
}

func (s *shows) skipped(table, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[place{table, name}]
}

// end forgets a show, so that the board can follow.
func (s *shows) end(table, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, place{table, name})
	delete(s.ends, table)
}

// left is how long a table is still being watched.
func (s *shows) left(table string, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[table]
	if ok && !end.After(now) {
		delete(s.ends, table)
	}
	return max(end.Sub(now), 0)
}
