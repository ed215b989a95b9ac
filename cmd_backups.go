package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"paladin/store"
)

// backups makes the running bot's copies of its database: every interval, and
// whenever it is asked to.
type backups struct {
	to       func(ctx context.Context, dir string, now time.Time) (path string, err error)
	dir      string // empty: off
	interval time.Duration
	last     time.Time // when the newest copy was made; zero: there is none
	log      *slog.Logger
	total    *prometheus.CounterVec // by result
}

// run returns when ctx is done. The interval counts from the newest copy there
// is and not from the start, so that a bot restarted daily gets its copies too.
func (b *backups) run(ctx context.Context, demand <-chan os.Signal) {
	var due <-chan time.Time
	for {
		if b.dir != "" {
			due = time.After(b.interval - time.Since(b.last))
		}
		select {
		case <-ctx.Done():
			return
		case <-due:
			b.copy(ctx)
		case <-demand:
			if b.dir == "" {
				b.log.Warn("no backup made: BACKUP_DIR is not set")
				continue
			}
			b.copy(ctx)
		}
	}
}

// copy makes one copy. After a failure the next is tried an interval later, or
// when somebody asks: a full disk does not get better by trying harder.
func (b *backups) copy(ctx context.Context) {
	now := time.Now()
	b.last = now
	defer func() {
		if p := recover(); p != nil { // games are not to end over a copy of them
			b.total.WithLabelValues("error").Inc()
			b.log.Error("bug: a backup panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	path, err := b.to(ctx, b.dir, now)
	switch {
	case errors.Is(err, store.ErrCorrupt) && path != "":
		b.total.WithLabelValues("error").Inc()
		b.log.Error("the database is damaged, and so is the backup made of it: stop the bot, see what paladin check says, and put an "+
			"earlier backup in its place", "path", path, "error", err)
		return
	case err != nil && path != "":
		b.total.WithLabelValues("ok").Inc()
		b.log.Warn("backup made, but not examined", "path", path, "error", err)
		return
	case err != nil:
		if ctx.Err() != nil {
			return
		}
		b.total.WithLabelValues("error").Inc()
		b.log.Error("backup failed: see whether BACKUP_DIR exists, can be written and has room", "dir", b.dir, "error", err)
		return
	}
	b.total.WithLabelValues("ok").Inc()
	b.log.Info("backup made", "path", path, "seconds", time.Since(now).Seconds())
}

// newestCopy returns when the newest copy of the database in dir was written, or
// the zero time. A time after now, left by a clock set back, counts as now.
func newestCopy(dir, database string, now time.Time) time.Time {
	if dir == "" {
		return time.Time{}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return time.Time{} // the first copy will tell what is wrong
	}
	var newest time.Time
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !store.IsCopy(database, e.Name()) {
			continue
		}
		if t := info.ModTime(); t.After(newest) {
			newest = t
		}
	}
	if newest.After(now) {
		return now
	}
	return newest
}
