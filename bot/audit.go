package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"paladin/game/table"
	"paladin/store"
)

// auditGap lies between two tables that are held against their histories while people play.
const auditGap = 20 * time.Millisecond

// audit holds a live table against its history, once in this process and before its first step in
// it; it is called on the table's owner. It returns what keeps the table from being played on. What
// cannot be found out, for lack of time or of the store, is no damage. Nor is a history that cannot
// be read, while the snapshot can: the game goes on by the snapshot alone.
func (a *App) audit(ctx context.Context, row store.Row, t *table.Table) error {
	if known, _ := a.verdicts.of(row.ID); known || !row.Live {
		return nil // load tells of damage
	}
	entries, err := a.store.History(ctx, row.ID, 1, 0)
	if err != nil {
		a.log.Warn("a table could not be held against its history", "table", row.ID, "error", err)
		return nil
	}
	data := make([][]byte, len(entries))
	for i, e := range entries {
		data[i] = e.Data
	}
	lines, err := table.ReadHistory(data)
	if err != nil {
		a.verdicts.put(row.ID, nil)
		a.log.Error("a table's history cannot be read: its game goes on without", "table", row.ID, "channel", row.Channel, "error", err)
		return nil
	}
	damage, err := audited(t, lines)
	if err != nil {
		a.log.Error("bug: a table could not be held against its history", "table", row.ID, "error", err)
	}
	a.verdicts.put(row.ID, damage)
	if damage == nil {
		return nil
	}
	return a.unreadable(row, t, nil)
}

// audited is table.Audit; a panic in it concludes nothing about the table.
func audited(t *table.Table, lines []table.Line) (damage, err error) {
	defer func() {
		if p := recover(); p != nil {
			damage, err = nil, fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	return table.Audit(t, lines), nil
}

// examine holds all live tables against their histories, one after the other and beside those who
// play, and tells the operator of those that stand still. It ends with ctx.
func (a *App) examine(ctx context.Context) {
	err := a.store.LiveTables(ctx, func(id string) error {
		if known, _ := a.verdicts.of(id); known {
			return nil
		}
		a.queued(ctx, id, func(owner context.Context) result {
			row, t, err := a.load(owner, id)
			if err == nil {
				err = a.audit(owner, row, &t)
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
