package bot

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// reader is one person who reads something alone.
type reader struct {
	// pr writes in their language.
	pr *render.Printer
	// habits are what they have chosen; the defaults until they are known.
	habits habits
}

// request is an interaction with the words for whoever sent it.
type request struct {
	*discord.Interaction
	reader
	// departed is how often they were forgotten before.
	departed int
	// newLocale is true when their client speaks another language than the store remembers.
	newLocale bool
}

// request takes up an interaction. Until the person's own choice is read from the store, their client's language counts.
func (a *App) request(i *discord.Interaction) *request {
	return &request{Interaction: i, departed: a.departed.of(i.User.ID), reader: reader{pr: a.words.in(i.Locale).Marked(markOf(i.ID)), habits: habits{Look: render.LookText}}}
}

// markOf is a mark for what is drawn because of an interaction, or of something else that happens
// once. It says nothing.
func markOf(once string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(once)) // it cannot fail
	return strconv.FormatUint(sum.Sum64(), 36)
}

// drawn is the printer with the application's emojis, as far as there are any.
func (a *App) drawn(pr *render.Printer) *render.Printer {
	if a.emojis == nil {
		return pr
	}
	if emojis := a.emojis.Load(); len(emojis) > 0 {
		return pr.With(emojis)
	}
	return pr
}

// looking is the printer for somebody's eyes alone, as they want it.
func (a *App) looking(pr *render.Printer, look render.Look) *render.Printer {
	if look == render.LookText {
		return pr
	}
	return a.drawn(pr)
}

// words holds the printers of all languages.
type words struct {
	mu       sync.Mutex
	printers map[string]*render.Printer
}

// in returns the printer of a language as Discord names it; English for one that the program does not speak.
func (w *words) in(lang string) *render.Printer {
	lang = render.LanguageOf(lang)
	w.mu.Lock()
	defer w.mu.Unlock()
	pr, ok := w.printers[lang]
	if !ok {
		pr = render.NewPrinter(lang)
		if w.printers == nil {
			w.printers = map[string]*render.Printer{}
		}
		w.printers[lang] = pr
	}
	return pr
}

// publicWords returns the printer of what everybody at a table reads.
func (a *App) publicWords(t *table.Table) *render.Printer {
	pr := a.words.in(t.Options().Language)
	if t.Options().TextOnly {
		return pr
	}
	return a.drawn(pr)
}

// chosen is the printer of the language that somebody chose; commands are called what their client calls them, as far as it is known.
func (a *App) chosen(h habits, client string) *render.Printer {
	pr := a.words.in(h.Language)
	if client == "" || render.LanguageOf(client) == pr.Language() {
		return pr
	}
	return pr.Naming(client)
}

// personal finds the words for one person: in the language that they chose, or their client's when the bot last heard from them, or
// else the table's.
func (a *App) personal(ctx context.Context, user table.UserID, otherwise string) reader {
	u, err := a.store.User(ctx, string(user))
	if err != nil {
		return reader{pr: a.words.in(otherwise), habits: habits{Look: render.LookText}}
	}
	h := readHabits(u)
	pr := a.words.in(otherwise)
	switch {
	case h.Language != "":
		pr = a.chosen(h, h.Locale)
	case h.Locale != "":
		pr = a.words.in(h.Locale)
	}
	return reader{pr: a.looking(pr, h.Look), habits: h}
}

// addressed finds the words for whoever sent an interaction: in the language that they chose, or else their client's.
func (a *App) addressed(ctx context.Context, i *request) {
	u, err := a.store.User(ctx, i.User.ID)
	if err != nil {
		return
	}
	h := readHabits(u)
	switch {
	case h.Language != "":
		i.pr = a.chosen(h, cmp.Or(i.Locale, h.Locale))
	case i.Locale == "" && h.Locale != "":
		i.pr = a.words.in(h.Locale)
	case i.Locale == "" && i.GuildLocale != "":
		i.pr = a.words.in(i.GuildLocale)
	}
	i.habits = h
	i.pr = a.looking(i.pr, h.Look).Marked(markOf(i.ID))
	i.newLocale = i.Locale != "" && (h.Locale == "" || render.LanguageOf(i.Locale) != render.LanguageOf(h.Locale))
}

// rememberLocale keeps the language of somebody's client, for what they are sent when they press nothing.
func (a *App) rememberLocale(i *request) {
	if !i.newLocale {
		return
	}
	a.about(i, func() {
		err := a.store.UpdateUser(store.Unhurried(a.ctx), i.User.ID, func(u *store.User) { updateHabits(u, func(h *habits) { h.Locale = i.Locale }) })
		if err != nil {
			a.log.Warn("somebody's language cannot be remembered", "error", err)
		}
	})
}

// to finds the words for one person at the delivery's table.
func (d *delivery) to(ctx context.Context, user table.UserID) reader {
	to := d.app.personal(ctx, user, d.table.Options().Language)
	to.pr = to.pr.Marked(markOf(fmt.Sprint(d.in.Key, d.in.Generation)))
	return to
}

// pr writes what everybody at the delivery's table reads.
func (d *delivery) pr() *render.Printer { return d.app.publicWords(&d.table) }
