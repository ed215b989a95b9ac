package bot

import (
	"context"
	"encoding/json"
	"sync"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// maxViewers bounds how many people's looks are remembered for one table. Whoever looked longest ago is forgotten first.
const maxViewers = 64

// look is how far somebody has seen the history of a table: their last look told them the entries after From, up to To.
type look struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// looks are everybody's looks at one table, as they are stored. Fields may be added whose zero value means what it meant before.
type looks struct {
	Version int             `json:"v"`
	Viewers map[string]look `json:"viewers"`
}

// looked guards the looks, which are read, changed and written again: those of one table on a queue
// of their own, since that takes as long as the disk does. Its lock is held by nobody who waits.
type looked struct {
	mu sync.Mutex
	// forgetting counts who is taking somebody out of the looks. That may take long, so that nobody waits for it: meanwhile no look is
	// remembered, since one that was read before would write back what is being deleted.
	forgetting  int
	remembering underway
}

// forget begins to take somebody out of the looks, once none is being remembered any more; what it
// returns ends it, and is called in any case.
func (l *looked) forget(ctx context.Context) (end func(), err error) {
	l.mu.Lock()
	l.forgetting++
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.forgetting--
	}, l.remembering.wait(ctx)
}

// begin begins to remember a look; false while somebody is being taken out of the looks. What it
// returns ends it.
func (l *looked) begin() (end func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.forgetting > 0 {
		return nil, false
	}
	l.remembering.begin()
	return l.remembering.end, true
}

func looksKey(id string) string { return "looked/" + id }

// sameLook are the presses within a panel that only change what is chosen: the panel goes on telling what it told when it was opened,
// so that nothing moves under the reader's finger.
var sameLook = map[press.Kind]bool{
	press.Pick: true, press.PickPeek: true, press.PickFirst: true, press.PickAct: true, press.PickPlan: true, press.Order: true,
	press.Guard: true,
}

// since tells what happened since the person last looked at the table, and returns what remembers this look; it is called after the
// answer, which never waits for it. A first look is told nothing. Nothing that goes wrong here keeps anybody from their seat.
func (a *App) since(ctx context.Context, i *request, t *table.Table) (render.Since, func()) {
	nothing := func() {}
	if t.Stage() == table.Lobby {
		return render.Since{}, nothing // a lobby shows all there is to know
	}
	seen, err := a.readLooks(ctx, t.ID())
	if err != nil {
		a.log.Warn("looks cannot be read", "table", t.ID(), "error", err)
		return render.Since{}, nothing
	}
	last, before := seen.Viewers[i.User.ID]
	if !before {
		row, err := a.store.Table(ctx, t.ID())
		if err != nil || !t.Live() {
			return render.Since{}, nothing
		}
		return render.Since{}, func() { a.remember(t, i, look{From: row.Entries, To: row.Entries}) }
	}
	from, limit := last.To, 0
	id, err := press.Parse(i.CustomID)
	same := err == nil && i.Kind == discord.KindComponent && sameLook[id.Kind]
	if same {
		from, limit = last.From, last.To-last.From
		if limit == 0 {
			return render.Since{}, nothing
		}
	}
	entries, err := a.store.History(ctx, t.ID(), from+1, limit)
	if err != nil {
		a.log.Warn("the history since a look cannot be read", "table", t.ID(), "error", err)
		return render.Since{}, nothing
	}
	lines, beforehand := make([]table.PublicLine, len(entries)), map[int]bool{}
	for n, e := range entries {
		var line table.Line
		if err := json.Unmarshal(e.Data, &line); err != nil {
			a.log.Warn("an entry of the history cannot be read", "table", t.ID(), "entry", e.Seq, "error", err)
			return render.Since{}, nothing
		}
		lines[n], beforehand[n] = line.Public(), line.Beforehand
	}
	public := t.Public()
	told := i.pr.SinceLastLooked(&public, t.SeatOf(table.UserID(i.User.ID)), lines, beforehand)
	now := look{From: from, To: from + len(entries)}
	if same || now == last && t.Live() {
		return told, nothing
	}
	return told, func() { a.remember(t, i, now) }
}

func (a *App) readLooks(ctx context.Context, id string) (looks, error) {
	data, ok, err := a.store.Get(ctx, looksKey(id))
	if err != nil || !ok {
		return looks{}, err
	}
	var l looks
	if err := json.Unmarshal(data, &l); err != nil {
		return looks{}, nil // unreadable: everybody looks for the first time
	}
	return l, nil
}

// remember stores a look, on the queue of the table's looks. A queue that is full forgets it: they
// are told once more what they have seen.
func (a *App) remember(t *table.Table, i *request, now look) {
	end, ok := a.departed.begin(i.User.ID, i.departed)
	if !ok {
		return
	}
	ok = a.submit(looksKey(t.ID()), func(ctx context.Context) {
		defer end()
		a.rememberLook(ctx, t, i.User.ID, now)
	})
	if !ok {
		end()
	}
}

// rememberLook stores a look. After the end of a table a person's look is forgotten: they have seen
// how it ended.
func (a *App) rememberLook(ctx context.Context, t *table.Table, user string, now look) {
	end, ok := a.looked.begin()
	if !ok {
		return // they are told once more what they have seen
	}
	defer end()
	l, err := a.readLooks(ctx, t.ID())
	if err != nil {
		a.log.Warn("looks cannot be read", "table", t.ID(), "error", err)
		return
	}
	if l.Viewers == nil {
		l.Viewers = map[string]look{}
	}
	switch old, known := l.Viewers[user]; {
	case !t.Live():
		delete(l.Viewers, user)
	case known && old.To > now.To:
		return // two looks at once: the later one counts
	default:
		l.Viewers[user] = now
	}
	l.forgetOldest()
	var data []byte
	if len(l.Viewers) > 0 {
		l.Version = 1
		if data, err = json.Marshal(l); err != nil {
			a.log.Error("looks cannot be encoded", "table", t.ID(), "error", err)
			return
		}
	}
	if err := a.store.Put(store.Unhurried(ctx), looksKey(t.ID()), data); err != nil {
		a.log.Warn("a look cannot be remembered", "table", t.ID(), "error", err)
	}
}

// forgetOldest keeps the looks within their bound.
func (l *looks) forgetOldest() {
	for len(l.Viewers) > maxViewers {
		oldest, at := "", 0
		for user, look := range l.Viewers {
			if oldest == "" || look.To < at || look.To == at && user < oldest {
				oldest, at = user, look.To
			}
		}
		delete(l.Viewers, oldest)
	}
}
