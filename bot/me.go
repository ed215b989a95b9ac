package bot

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

const (
	// lastPlayed is how many of somebody's games their page names.
	lastPlayed = 5
	// forgetTimeout bounds one round of forgetting what is left; the next one goes on.
	forgetTimeout = 10 * time.Minute
)

// me answers /paladin me and the presses on its pages: what somebody is shown about themselves, has handed out and has deleted.
func (a *App) me(ctx context.Context, i *request, id press.ID) answer {
	switch id.Arg(0) {
	case "":
		return a.aboutMe(ctx, i)
	case render.MeExport:
		data, err := a.store.Export(ctx, i.User.ID, exportSetting)
		if err != nil {
			return a.failure(i, "export", "", err)
		}
		file, err := exportFile(data)
		if err != nil {
			return a.failure(i, "export", "", err)
		}
		if len(file.Data) > discord.MaxFileSize {
			a.log.Error("what is stored about somebody is more than Discord takes", "bytes", len(data), "packed", len(file.Data))
			return say(i.pr.Say(render.TextExportTooLarge))
		}
		return answer{message: i.pr.ExportFile(file)}
	case render.MeDelete:
		list, broken, err := a.gamesOf(ctx, table.UserID(i.User.ID))
		damaged, _, errDamaged := a.damagedOf(ctx, table.UserID(i.User.ID))
		if err := errors.Join(err, errDamaged); err != nil {
			return a.failure(i, "forget", "", err)
		}
		broken = max(0, broken-len(damaged)) // what nobody can read keeps nobody
		if len(list)+broken > 0 {
			return answer{message: i.pr.StillSeated(list, broken), update: true}
		}
		return answer{message: i.pr.ConfirmForget(), update: true}
	case render.MeForget:
		return a.forget(ctx, i)
	default:
		return say(i.pr.Say(render.TextForgedPress))
	}
}

// exportFile is the file that hands out an export: as it is, or, where Discord would not take that, packed to a small part of it.
func exportFile(data []byte) (discord.File, error) {
	if len(data) <= discord.MaxFileSize {
		return discord.File{Name: render.ExportName, ContentType: "application/json", Data: data}, nil
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	w, err := archive.Create(render.ExportName)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		return discord.File{}, err
	}
	return discord.File{Name: render.ExportPackedName, ContentType: "application/zip", Data: packed.Bytes()}, nil
}

func (a *App) aboutMe(ctx context.Context, i *request) answer {
	user := i.User.ID
	var m render.Me
	here, _, err := a.store.Standing(ctx, i.Guild, user)
	if err == nil && i.Guild != "" {
		m.Here = new(render.Record)
		*m.Here = recordOf(here)
	}
	all, _, errAll := a.store.Standing(ctx, "", user)
	results, errLast := a.store.ResultsByUser(ctx, user, 0, lastPlayed)
	if err := errors.Join(err, errAll, errLast); err != nil {
		return a.failure(i, "me", "", err)
	}
	m.All = recordOf(all)
	for n := range results {
		m.Last = append(m.Last, a.played(ctx, &results[n], user))
	}
	h := i.habits
	m.Notices = render.Notices{Habits: h.table(), Zone: h.Zone, Now: a.clock.Now(), Language: h.Language, Look: h.Look}
	return answer{message: i.pr.Me(m), update: true}
}

// played is a result as one of those who held its seats reads it.
func (a *App) played(ctx context.Context, r *store.Result, user string) render.Played {
	p := render.Played{At: r.Finished, Channel: r.Channel, Link: a.boardLink(ctx, r.Guild, r.Table), Seats: len(r.Seats)}
	r.Players(func(seat int, held *store.Player) {
		if held.User == user {
			s := &r.Seats[seat]
			p.Place, p.Honour, p.ToTheEnd = s.Rank, s.Honour, s.User == user && !s.Away
		}
	})
	return p
}

// forget deletes what is stored about somebody, who was asked whether they mean it.
func (a *App) forget(ctx context.Context, i *request) answer {
	var waiting []string
	err := a.freed(ctx, table.UserID(i.User.ID))
	if err == nil {
		waiting, err = a.forgetNow(ctx, table.UserID(i.User.ID))
	}
	if err == nil {
		a.counted.add(i.ID)
	}
	var seated *store.SeatedError
	switch {
	case errors.As(err, &seated):
		list, broken, err := a.gamesOf(ctx, table.UserID(i.User.ID))
		if err != nil {
			return a.failure(i, "forget", "", err)
		}
		return answer{message: i.pr.StillSeated(list, broken), update: true}
	case err != nil:
		a.log.Error("somebody cannot be forgotten now", "error", err)
		return say(i.pr.Say(render.TextForgetFailed))
	}
	return answer{message: i.pr.Forgotten(len(waiting)), update: true}
}

// forgetNow deletes what is stored about somebody and names the tables that still wait. Nothing is on its way to them meanwhile: what
// came of a direct message is stored after it was sent, and would be the first that is known of them again.
func (a *App) forgetNow(ctx context.Context, user table.UserID) (waiting []string, err error) {
	lane := dmLane(user)
	a.outbox.update(func(o *outbox) { o.hold(lane) })
	defer a.outbox.update(func(o *outbox) { o.release(lane) })
	a.outbox.tried(ctx, lane)
	if err := a.settleAbout(ctx, string(user)); err != nil {
		return nil, err
	}
	if err := a.departed.add(ctx, string(user)); err != nil {
		return nil, err
	}
	remembers, err := a.looked.forget(ctx)
	defer remembers()
	if err != nil {
		return nil, err
	}
	return a.store.Forget(ctx, string(user), rewrite())
}

// departed counts how often people were forgotten since the program began, and what is being stored
// about them after an answer. Its lock is held by nobody who waits: the gateway's read loop takes
// it with every interaction.
type departed struct {
	mu      sync.Mutex
	times   map[string]int
	storing map[string]*storing
}

// storing is what is being stored about one person.
type storing struct {
	underway
	count int
}

// add begins to forget somebody, and waits until nothing is being stored any more that was begun
// before.
func (d *departed) add(ctx context.Context, user string) error {
	d.mu.Lock()
	if d.times == nil {
		d.times = map[string]int{}
	}
	d.times[user]++
	s := d.storing[user]
	d.mu.Unlock()
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return s.wait(ctx)
}

func (d *departed) of(user string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.times[user]
}

// begin begins to store something about somebody; false if they were forgotten more often than so
// many times, and then nothing is to be stored. What it returns ends it, and is called in any case.
func (d *departed) begin(user string, times int) (end func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.times[user] != times {
		return nil, false
	}
	s := d.storing[user]
	if s == nil {
		s = &storing{}
		if d.storing == nil {
			d.storing = map[string]*storing{}
		}
		d.storing[user] = s
	}
	s.count++
	s.begin()
	return func() {
		d.mu.Lock()
		if s.count--; s.count == 0 {
			delete(d.storing, user)
		}
		d.mu.Unlock()
		s.end()
	}, true
}

// about carries out what is stored about whoever sent an interaction after it was answered, unless they were forgotten while it was under
// way. Whoever is being forgotten waits for it, and nobody else does.
func (a *App) about(i *request, remember func()) {
	if end, ok := a.departed.begin(i.User.ID, i.departed); ok {
		defer end()
		remember()
	}
}

// forgetRest goes on with what was begun before the program ended, and with tables that have ended since. It ends early when the
// program does.
func (a *App) forgetRest() {
	ctx, cancel := context.WithTimeout(a.ctx, forgetTimeout)
	defer cancel()
	beside(a.log, "the end of forgetting", func() {
		select {
		case <-a.ticker.over:
			cancel()
		case <-ctx.Done():
		}
	})
	remembers, err := a.looked.forget(ctx)
	defer remembers()
	if err != nil {
		return // the next look goes on
	}
	if _, err := a.store.ForgetRest(ctx, rewrite()); err != nil && ctx.Err() == nil {
		a.log.Error("what is left of somebody cannot be forgotten now", "error", err)
	}
}

// rewrite takes somebody out of tables and settings. A panic over one of them is an error of that
// one.
func rewrite() store.Rewrite {
	return store.Rewrite{
		Table: func(user string, snapshot []byte, entries [][]byte) (_ []byte, _ [][]byte, err error) {
			defer asError(&err)
			after, lines, err := table.Anonymise(table.UserID(user), snapshot, entries)
			// What a newer program stored waits for it, unless it was set aside: then no program
			// reads it again.
			if err != nil && (!errors.Is(err, table.ErrVersion) || !table.ToldItsEnd(entries)) {
				after, lines = table.Strike(table.UserID(user), snapshot, entries)
				err = nil
			}
			return after, lines, err
		},
		Setting: func(user, key string, value []byte) (_ []byte, err error) {
			defer asError(&err)
			return rewriteSetting(user, key, value)
		},
	}
}

// rewriteSetting returns a setting without somebody. One of which it is not known how it names people is given up: it is in nobody's
// way to be told something twice.
func rewriteSetting(user, key string, value []byte) ([]byte, error) {
	switch {
	case strings.HasPrefix(key, looksKey("")):
		var l looks
		if json.Unmarshal(value, &l) != nil {
			return nil, nil // unreadable: everybody looks for the first time
		}
		if delete(l.Viewers, user); len(l.Viewers) == 0 {
			return nil, nil
		}
		return json.Marshal(l)
	case strings.HasPrefix(key, settingsKey("")):
		var s guildSettings
		if json.Unmarshal(value, &s) != nil {
			return nil, nil // unreadable: the server has chosen nothing
		}
		// Nobody is a channel or a role; somebody may have sent their own id for one.
		own := func(id string) bool { return id == user }
		s.Channels, s.Roles = slices.DeleteFunc(s.Channels, own), slices.DeleteFunc(s.Roles, own)
		return json.Marshal(s)
	default:
		return nil, nil
	}
}

// exportSetting returns what a setting says about somebody.
func exportSetting(user, key string, value []byte) (json.RawMessage, error) {
	if key == practiceKey(table.UserID(user)) {
		return exportPractice(value)
	}
	var l looks
	if !strings.HasPrefix(key, looksKey("")) || json.Unmarshal(value, &l) != nil {
		return nil, nil
	}
	own, ok := l.Viewers[user]
	if !ok {
		return nil, nil
	}
	return json.Marshal(own)
}
