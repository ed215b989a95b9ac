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
	if err := a.settleAll(ctx); err != nil {
		return nil, err
	}
	a.departed.add(string(user))
	defer a.looked.forget()()
	return a.store.Forget(ctx, string(user), rewrite())
}

// departed counts how often people were forgotten since the program began.
type departed struct {
	mu    sync.RWMutex
	times map[string]int
}

func (d *departed) add(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.times == nil {
		d.times = map[string]int{}
	}
	d.times[user]++
}

func (d *departed) of(user string) int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.times[user]
}

// about carries out what is stored about whoever sent an interaction after it was answered, unless they were forgotten while it was under
// way. Whoever is being forgotten waits for it.
func (a *App) about(i *request, remember func()) {
	a.departed.mu.RLock()
	defer a.departed.mu.RUnlock()
	if a.departed.times[i.User.ID] == i.departed {
		remember()
	}
}

// forgetRest goes on with what was begun before the program ended, and with tables that have ended since. It ends early when the
// program does.
func (a *App) forgetRest() {
	ctx, cancel := context.WithTimeout(a.ctx, forgetTimeout)
	defer cancel()
	go func() {
		select {
		case <-a.ticker.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer a.looked.forget()()
	if _, err := a.store.ForgetRest(ctx, rewrite()); err != nil && ctx.Err() == nil {
		a.log.Error("what is left of somebody cannot be forgotten now", "error", err)
	}
}

// rewrite takes somebody out of tables and settings.
func rewrite() store.Rewrite {
	return store.Rewrite{
		Table: func(user string, snapshot []byte, entries [][]byte) ([]byte, [][]byte, error) {
			after, lines, err := table.Anonymise(table.UserID(user), snapshot, entries)
			if err != nil && !errors.Is(err, table.ErrVersion) {
				after, lines = table.Strike(table.UserID(user), snapshot, entries)
				err = nil
			}
			return after, lines, err
		},
		Setting: rewriteSetting,
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
