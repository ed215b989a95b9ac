package bot

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"paladin/game/table"
	"paladin/store"
)

// auditGap lies between two tables that are held against their histories while people play.
const auditGap = 20 * time.Millisecond

// audits are what is known of the tables of this process. It is empty of tables that are over.
type audits struct {
	mu sync.Mutex
	// audited are the live tables that were held against their history; of a damaged one the value
	// says what is wrong.
	audited map[string]error
	// logged are those of which the log has told that they cannot be read.
	logged marks[string]
}

func (v *audits) of(id string) (known bool, damage error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	damage, known = v.audited[id]
	return known, damage
}

func (v *audits) put(id string, damage error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.audited == nil {
		v.audited = map[string]error{}
	}
	v.audited[id] = damage
}

// drop forgets a table that is over.
func (v *audits) drop(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.audited, id)
	v.logged.drop(id)
}

// audit holds a live table against its history, once in this process and before its first step in
// it; it is called on the table's owner. It returns what keeps the table from being played on. What
// cannot be found out, for lack of time or of the store, is no damage. Nor is a history that cannot
// be read, while the snapshot can: the game goes on by the snapshot alone.
func (a *App) audit(ctx context.Context, row store.Row, t *table.Table) error {
	if known, _ := a.audits.of(row.ID); known || !row.Live {
		return nil // load tells of damage
	}
	entries, err := a.store.History(ctx, row.ID, 1, 0)
	if err != nil {
		a.log.Warn("a table could not be held against its history", "table", row.ID, "error", err)
		return nil
	}
	var damage error // a panic concludes nothing about the table
	guard(a.log, "holding a table against its history", func() { damage = heldAgainst(&row, t, dataOf(entries)) }, "table", row.ID)
	if errors.Is(damage, errHistory) {
		a.log.Error("a table's history cannot be read: its game goes on without", "table", row.ID, "channel", row.Channel, "error", damage)
		damage = nil
	}
	a.audits.put(row.ID, damage)
	return a.unreadable(row, t, nil)
}

// indexed tells the operator of a live table to which the indexes do not lead: whoever asks for the
// game of its channel, or for all games of its people, does not find it. The next change of the
// table need not mend that.
func (a *App) indexed(ctx context.Context, row *store.Row) {
	id, ok, err := a.store.TableByChannel(ctx, row.Channel)
	lost := row.Channel != "" && err == nil && (!ok || id != row.ID)
	for _, user := range row.Users {
		ids, err := a.store.TablesByUser(ctx, user)
		lost = lost || err == nil && !slices.Contains(ids, row.ID)
	}
	if lost {
		a.log.Error("the database is damaged: its indexes do not lead to a live table; stop the bot and see what paladin check says",
			"table", row.ID, "channel", row.Channel)
	}
}

// examine holds all live tables against their histories, one after the other and beside those who
// play, and tells the operator of those that stand still or are not found. It ends with ctx.
func (a *App) examine(ctx context.Context) {
	err := a.store.LiveTables(ctx, func(id string) error {
		a.queued(ctx, id, func(owner context.Context) result {
			row, t, err := a.load(owner, id)
			if err == nil {
				err = a.audit(owner, row, &t)
				a.indexed(owner, &row)
			}
			if err != nil && !a.noteUnreadable(err) && ctx.Err() == nil {
				a.log.Warn("a live table could not be looked at", "table", id, "error", err)
			}
			return result{}
		})
		timer := a.clock.Timer(auditGap)
		defer timer.Stop()
		select {
		case <-timer.C():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil && ctx.Err() == nil {
		a.log.Warn("not all live tables could be held against their histories", "error", err)
	}
}
