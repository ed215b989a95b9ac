package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
)

// Practice games are no rows of the store's tables: they have no channel, no board, no deadlines and no result, and nobody is told of
// them. Each person has one at most, in a setting of their own, which is written before the press is answered; whoever is forgotten loses
// it with their other settings. A press is looked up under the person who made it, so that nobody reaches anybody else's game.
const (
	// practiceIdle is how long a practice game is kept that nobody goes on with, at least.
	practiceIdle = time.Hour
	// practicePresses is how many interactions a practice game remembers to recognise a repetition: more than its round has.
	practicePresses = 64
	// practiceMark begins the ids of practice games. Those of other tables have no such sign.
	practiceMark = "practice-"
	// practiceKeys begin the keys of the settings.
	practiceKeys = "practice/"
)

// errNoPractice: the person has no such practice game any more.
var errNoPractice = errors.New("no such practice game")

func practising(id string) bool { return strings.HasPrefix(id, practiceMark) }

// practiceKey names a person's practice game, as a setting and as a queue.
func practiceKey(user table.UserID) string { return practiceKeys + string(user) }

// practice is a practice game as it is stored. Fields may be added whose zero value means what it meant before.
type practice struct {
	Version int             `json:"v"`
	Table   json.RawMessage `json:"table"`
	// Touched is when the person last did something, in Unix milliseconds.
	Touched int64 `json:"touched"`
	// Pressed are the interactions that were carried out, the last ones.
	Pressed []string `json:"pressed,omitempty"`
}

// readPractice returns a person's practice game; false if there is none.
func (a *App) readPractice(ctx context.Context, user table.UserID) (practice, table.Table, bool, error) {
	data, ok, err := a.store.Get(ctx, practiceKey(user))
	if err != nil || !ok {
		return practice{}, table.Table{}, false, err
	}
	var p practice
	if err := json.Unmarshal(data, &p); err != nil {
		return practice{}, table.Table{}, false, fmt.Errorf("%w that can be read: %w", errNoPractice, err)
	}
	t, err := table.Decode(p.Table)
	if err != nil {
		return practice{}, table.Table{}, false, fmt.Errorf("%w that can be read: %w", errNoPractice, err)
	}
	return p, t, true, nil
}

// keepPractice stores a step of a practice game. When it returns without an error, the step is on disk.
func (a *App) keepPractice(ctx context.Context, by table.Actor, pressed []string, t *table.Table, now time.Time) error {
	snapshot, err := t.Encode()
	if err != nil {
		return err
	}
	pressed = append(slices.Clone(pressed), by.Interaction)
	pressed = pressed[max(0, len(pressed)-practicePresses):]
	data, err := json.Marshal(practice{Version: 1, Table: snapshot, Touched: now.UnixMilli(), Pressed: pressed})
	if err != nil {
		return err
	}
	a.fail("move/decided")
	if err := a.store.Put(ctx, practiceKey(by.ID), data); err != nil {
		return err
	}
	a.counted.add(by.Interaction)
	a.fail("move/committed")
	return nil
}

// actPractice carries out a command on the practice game of whoever asks, as act does on a table.
func (a *App) actPractice(ctx context.Context, id string, by table.Actor, cmd table.Command) result {
	kept, t, ok, err := a.readPractice(ctx, by.ID)
	switch {
	case err != nil:
		return result{err: err}
	case !ok || t.ID() != id:
		return result{err: errNoPractice}
	case slices.Contains(kept.Pressed, by.Interaction):
		return result{table: t, before: t, repeated: true}
	}
	now := a.clock.Now().UTC().Truncate(time.Millisecond)
	next, out, err := step(t, by, cmd, now, a.patience())
	if err == nil {
		err = a.keepPractice(ctx, by, kept.Pressed, &next, now)
	}
	if err != nil {
		return result{table: t, before: t, err: err}
	}
	return result{table: next, before: t, out: out}
}

// practise answers whoever wants to practise: with the game that they are in, or with a new one, which takes the place of the old.
func (a *App) practise(ctx context.Context, i *request, id press.ID) answer {
	by := actor(i)
	res := a.queued(ctx, practiceKey(by.ID), func(owner context.Context) result { return a.dealPractice(owner, i, id) })
	if ans, failed := a.failed(i, &res, id.Table); failed {
		return ans
	}
	note := ""
	if len(res.out.Lines) == 0 {
		note = i.pr.Say(render.TextPracticeGoesOn)
	}
	ans := a.panel(ctx, i, &res.table, render.Selection{}, note)
	ans.update, ans.lasting = id.Table != "", true
	return ans
}

// dealPractice finds the person's practice game, or deals a new one where they have none, have played it or want another in its place.
// It has lines if it is new.
func (a *App) dealPractice(ctx context.Context, i *request, id press.ID) result {
	by := actor(i)
	kept, t, ok, err := a.readPractice(ctx, by.ID)
	if err != nil {
		a.log.Error("a practice game cannot be read and is dealt anew", "error", err)
	}
	if ok && (slices.Contains(kept.Pressed, by.Interaction) || t.Live() && t.ID() != id.Table) {
		return result{table: t}
	}
	now := a.clock.Now().UTC().Truncate(time.Millisecond)
	o := table.Opening{Guild: i.Guild, Channel: i.Channel, Host: by, Deck: a.deck, Now: now}
	name, errID := a.id()
	var errSeed, errSquire error
	o.ID = practiceMark + name
	o.Seed, errSeed = a.seed()
	o.SquireSeed, errSquire = a.seed()
	if err := errors.Join(errID, errSeed, errSquire); err != nil {
		return result{err: err}
	}
	t, out, err := table.Practise(o)
	if err == nil {
		err = a.keepPractice(ctx, by, nil, &t, now)
	}
	return result{table: t, out: out, err: err}
}

// practicePress answers a press on a practice game, wherever it comes from.
func (a *App) practicePress(ctx context.Context, i *request, id press.ID) answer {
	_, t, ok, err := a.readPractice(ctx, table.UserID(i.User.ID))
	switch {
	case err != nil && !errors.Is(err, errNoPractice):
		return a.failure(i, "practice", id.Table, err)
	case !ok || t.ID() != id.Table:
		return answer{message: i.pr.PracticeGone(), update: true}
	case !onPractice[id.Kind]:
		return say(i.pr.Say(render.TextForgedPress))
	}
	return a.pressed(ctx, i, id, &t)
}

// onPractice are the presses that a practice game offers.
var onPractice = map[press.Kind]bool{
	press.Refresh: true, press.Pick: true, press.PickPeek: true, press.PickFirst: true, press.PickAct: true, press.Place: true,
	press.Peek: true, press.First: true, press.Act: true, press.Order: true, press.Guard: true,
}

// practicePanel is the panel of a practice game, or what came of it.
func (a *App) practicePanel(ctx context.Context, i *request, t *table.Table, sel render.Selection, note string) discord.Message {
	user := table.UserID(i.User.ID)
	mine, ok := t.Private(user)
	if !ok {
		return i.pr.PracticeGone()
	}
	opt := render.PanelOptions{DM: i.Guild == "", AsOf: a.clock.Now(), Note: note, Next: a.nextGame(ctx, user, t)}
	result, over, err := t.Practised()
	if err != nil {
		a.log.Error("what came of a practice game cannot be told", "table", t.ID(), "error", err)
		return i.pr.PracticeGone()
	}
	if over {
		return i.pr.PracticeOver(&mine, &result, opt)
	}
	opt.Hand, opt.Hint = a.handPicture(&mine, i.reader), render.HintFor(&mine)
	return i.pr.Panel(&mine, sel, opt)
}

// exportPractice tells somebody of their practice game what they may know: that there is one, and since when they have left it alone.
func exportPractice(value []byte) (json.RawMessage, error) {
	var kept practice
	if json.Unmarshal(value, &kept) != nil {
		return json.Marshal(map[string]bool{"unreadable": true})
	}
	return json.Marshal(map[string]time.Time{"touched": time.UnixMilli(kept.Touched).UTC()})
}

// tidyPractice drops the practice games that nobody goes on with.
func (a *App) tidyPractice(ctx context.Context, now time.Time) {
	keys, err := a.store.Keys(ctx, practiceKeys)
	if err != nil {
		a.log.Warn("practice games cannot be listed", "error", err)
		return
	}
	way := a.reach.way("")
	for _, key := range keys {
		user := table.UserID(strings.TrimPrefix(key, practiceKeys))
		a.submit(key, func(ctx context.Context) {
			kept, _, ok, err := a.readPractice(ctx, user)
			end := time.UnixMilli(kept.Touched).Add(practiceIdle)
			switch {
			case errors.Is(err, table.ErrVersion), err != nil && !errors.Is(err, errNoPractice):
				return // a newer program's, or not to be had now
			case err == nil && (!ok || now.Before(end) || way.spares(end, now)):
				return
			}
			if err := a.store.Put(ctx, key, nil); err != nil {
				a.log.Warn("a practice game cannot be dropped", "error", err)
			}
		})
	}
}
