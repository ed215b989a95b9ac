package bot

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"paladin/bot/discord"
)

// How fast the application's emojis are brought up to date. Discord publishes no limit for them and has been seen to ask for an
// hour's wait; nothing waits for them.
const (
	// emojiPause lies between two calls that succeed.
	emojiPause = time.Second
	// emojiFirst and emojiMost bound the wait after a failure that may pass by itself.
	emojiFirst = 5 * time.Second
	emojiMost  = time.Hour
	// emojiRefused and emojiRefusedMost bound the wait after the list was refused, as servers do that know no emojis.
	emojiRefused     = 10 * time.Minute
	emojiRefusedMost = 6 * time.Hour
	// emojiAnew is when what could not be uploaded is tried again from the start.
	emojiAnew = 6 * time.Hour
	// emojiAttempts is how often one picture is tried before that; emojiRefusals in a row end all uploads until then.
	emojiAttempts = 2
	emojiRefusals = 5
	// emojiDoubt is the wait before the list is asked for again because Discord did not know an emoji.
	emojiDoubt = time.Minute
)

// Emoji is a picture that the application shall have as an emoji.
type Emoji struct {
	// Key is what renderers ask for it by.
	Key string
	// Name is its name at Discord: what is the same for all pictures of the key, an underscore, and a hash of this picture in
	// lower-case hexadecimal digits. An emoji that differs in the hash alone is an older picture of the same key.
	Name string
	// PNG is the picture; it must not change.
	PNG []byte
}

// EmojiAPI is what Emojis needs of the edge; *discord.Client is it.
type EmojiAPI interface {
	ListEmojis(ctx context.Context) ([]discord.Emoji, error)
	CreateEmoji(ctx context.Context, name string, png []byte) (discord.Emoji, error)
	DeleteEmoji(ctx context.Context, id string) error
}

// Emojis keeps the application's emojis in step with the pictures that are wanted: it uploads what lacks, and deletes an older picture
// of a key once the new one is there. It touches no other emoji, and another process that does the same does no harm. Whatever
// fails, the bot goes on: what is not there is shown in words.
type Emojis struct {
	api   EmojiAPI
	clock Clock
	log   *slog.Logger

	plan   emojiPlan // Run's
	set    atomic.Pointer[map[string]discord.Emoji]
	doubts chan struct{}
}

// NewEmojis returns Emojis that know of none until Run does. A nil clock is the machine's, a nil log says nothing. Of wanted pictures
// that Discord could not take, or whose names do not tell them apart, the log tells; they are left out.
func NewEmojis(api EmojiAPI, clock Clock, log *slog.Logger, wanted []Emoji) *Emojis {
	if clock == nil {
		clock = SystemClock{}
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e := &Emojis{api: api, clock: clock, log: log, doubts: make(chan struct{}, 1)}
	keys, prefixes := map[string]bool{}, map[string]bool{}
	for _, w := range wanted {
		prefix, _, ok := emojiHash(w.Name)
		fits := discord.ValidEmojiName(w.Name) && len(w.PNG) > 0 && len(w.PNG) <= discord.MaxEmojiSize
		if !ok || !fits || keys[w.Key] || prefixes[prefix] {
			log.Error("an emoji cannot be offered to Discord", "key", w.Key, "name", w.Name, "bytes", len(w.PNG))
			continue
		}
		keys[w.Key], prefixes[prefix] = true, true
		e.plan.wanted = append(e.plan.wanted, w)
	}
	return e
}

// Hurry shortens the time between two calls that succeed, for a server that asks for no patience. It must be called before Run.
func (e *Emojis) Hurry(gap time.Duration) { e.plan.gap = gap }

// Load returns the emojis that can be used now, by key: none, some or all of those wanted. The map must not be changed, and never is.
func (e *Emojis) Load() map[string]discord.Emoji {
	if set := e.set.Load(); set != nil {
		return *set
	}
	return nil
}

// Doubt is to be called when Discord does not know an emoji that Load told of (discord.UnknownEmoji): until Run has asked again, Load
// tells of none. It never waits.
func (e *Emojis) Doubt() {
	e.set.Store(nil)
	select {
	case e.doubts <- struct{}{}:
	default:
	}
}

// Run keeps the emojis until ctx ends. It must run once, and not before the bot is connected, so that a start makes no needless calls.
func (e *Emojis) Run(ctx context.Context) {
	if len(e.plan.wanted) == 0 {
		return
	}
	for ctx.Err() == nil {
		step := e.plan.next()
		if step.do == emojiWait {
			e.wait(ctx, step)
			continue
		}
		found, made, err := e.take(ctx, step)
		if ctx.Err() != nil {
			return
		}
		e.plan.learn(step, found, made, err)
		set := e.plan.set()
		e.set.Store(&set)
		e.tell(step, len(set), err)
	}
}

// keep is Run, which it begins anew some time after a panic.
func (e *Emojis) keep(ctx context.Context) {
	for !guard(e.log, "the emojis", func() { e.Run(ctx) }) && ctx.Err() == nil {
		timer := e.clock.Timer(emojiRefused)
		select {
		case <-timer.C():
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func (e *Emojis) take(ctx context.Context, s emojiStep) (found []discord.Emoji, made discord.Emoji, err error) {
	switch s.do {
	case emojiList:
		found, err = e.api.ListEmojis(ctx)
	case emojiCreate:
		made, err = e.api.CreateEmoji(ctx, s.emoji.Name, s.emoji.PNG)
	case emojiDelete:
		err = e.api.DeleteEmoji(ctx, s.old.ID)
	}
	return found, made, err
}

func (e *Emojis) tell(s emojiStep, usable int, err error) {
	name := cmp.Or(s.emoji.Name, s.old.Name)
	switch {
	case err != nil:
		e.log.Warn("emojis", "do", s.do, "name", name, "again", e.plan.pause, "usable", usable, "error", err)
	case s.do == emojiList:
		e.log.Info("emojis", "usable", usable, "wanted", len(e.plan.wanted))
	default:
		e.log.Debug("emojis", "do", s.do, "name", name, "usable", usable)
	}
}

// wait waits as s says, or until what is known is doubted.
func (e *Emojis) wait(ctx context.Context, s emojiStep) {
	var fires <-chan time.Time
	if s.wait > 0 {
		timer := e.clock.Timer(s.wait)
		defer timer.Stop()
		fires = timer.C()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-fires:
			e.plan.waited(s)
			return
		case <-e.doubts:
			e.set.Store(nil) // a step that was underway when the doubt came may have told of them again
			if e.plan.doubt() {
				return
			}
		}
	}
}

// emojiDo is what is to be done next.
type emojiDo string

const (
	emojiWait   emojiDo = "wait"
	emojiList   emojiDo = "list"
	emojiCreate emojiDo = "create"
	emojiDelete emojiDo = "delete"
)

type emojiStep struct {
	do    emojiDo
	emoji Emoji         // to create
	old   discord.Emoji // to delete
	wait  time.Duration // 0: until there is doubt
	anew  bool          // everything is tried again after the wait
}

// emojiPlan decides what is done next about emojis, from what it was told: next, then learn (waited, of a wait), and so on. It makes
// no calls and knows no time.
type emojiPlan struct {
	wanted []Emoji

	known   bool            // list is what Discord has
	list    []discord.Emoji // all of the application's, not only ours
	pause   time.Duration   // before the next step
	gap     time.Duration   // after a step that succeeded; 0: emojiPause
	tries   map[emojiDo]int // failures in a row
	doubted int
	refused map[string]int  // uploads by name that were refused
	row     int             // refused uploads in a row
	closed  bool            // nothing more is uploaded for now
	kept    map[string]bool // old ones that could not be deleted, or are gone, by id
}

func (p *emojiPlan) next() emojiStep {
	if p.pause > 0 {
		return emojiStep{do: emojiWait, wait: p.pause}
	}
	if !p.known {
		return emojiStep{do: emojiList}
	}
	missing := false
	for _, w := range p.wanted {
		if _, ok := p.find(w.Name); ok {
			continue
		}
		missing = true
		if !p.closed && p.refused[w.Name] < emojiAttempts {
			return emojiStep{do: emojiCreate, emoji: w}
		}
	}
	if old, ok := p.old(); ok {
		return emojiStep{do: emojiDelete, old: old}
	}
	if missing {
		return emojiStep{do: emojiWait, wait: emojiAnew, anew: true}
	}
	return emojiStep{do: emojiWait}
}

// old finds an older picture of a key whose new picture is there.
func (p *emojiPlan) old() (discord.Emoji, bool) {
	for _, w := range p.wanted {
		if _, ok := p.find(w.Name); !ok {
			continue
		}
		prefix, hash, _ := emojiHash(w.Name)
		for _, e := range p.list {
			other, otherHash, ok := emojiHash(e.Name)
			if ok && other == prefix && otherHash != hash && len(otherHash) == len(hash) && !p.kept[e.ID] {
				return e, true
			}
		}
	}
	return discord.Emoji{}, false
}

// find returns the emoji of this name, of several the oldest, so that all processes show the same.
func (p *emojiPlan) find(name string) (discord.Emoji, bool) {
	best, ok := discord.Emoji{}, false
	for _, e := range p.list {
		if e.Name == name && (!ok || cmp.Or(cmp.Compare(len(e.ID), len(best.ID)), cmp.Compare(e.ID, best.ID)) < 0) {
			best, ok = e, true
		}
	}
	return best, ok
}

// set returns what can be used, by key.
func (p *emojiPlan) set() map[string]discord.Emoji {
	set := make(map[string]discord.Emoji, len(p.wanted))
	for _, w := range p.wanted {
		if e, ok := p.find(w.Name); ok {
			set[w.Key] = e
		}
	}
	return set
}

// learn takes what came of a step.
func (p *emojiPlan) learn(s emojiStep, found []discord.Emoji, made discord.Emoji, err error) {
	class := discord.Classify(err)
	if err == nil {
		p.pause = cmp.Or(p.gap, emojiPause)
		delete(p.tries, s.do)
		switch s.do {
		case emojiList:
			p.known, p.list = true, found
		case emojiCreate:
			p.row = 0
			p.list = append(p.list, discord.Emoji{ID: made.ID, Name: s.emoji.Name})
		case emojiDelete:
			p.list = slices.DeleteFunc(p.list, func(e discord.Emoji) bool { return e.ID == s.old.ID })
		}
		return
	}
	p.pause = max(emojiBackoff(emojiFirst, emojiMost, p.tries[s.do]), discord.RetryAfter(err))
	switch passing := emojiPassing(class); {
	case s.do == emojiList && !passing:
		p.pause = max(emojiBackoff(emojiRefused, emojiRefusedMost, p.tries[s.do]), discord.RetryAfter(err))
	case s.do == emojiDelete && !passing:
		p.keep(s.old.ID)
	case s.do == emojiCreate && class == discord.EmojiLimit:
		p.closed = true
	case s.do == emojiCreate && class != discord.RateLimited:
		// It may have arrived all the same, or another process was faster: the list tells.
		p.known = false
		if !passing {
			p.refuse(s.emoji.Name)
		}
	}
	if p.tries == nil {
		p.tries = map[emojiDo]int{}
	}
	p.tries[s.do]++
}

func (p *emojiPlan) keep(id string) {
	if p.kept == nil {
		p.kept = map[string]bool{}
	}
	p.kept[id] = true
}

// refuse counts a refused upload. When one follows the other, nothing is wrong with this picture alone.
func (p *emojiPlan) refuse(name string) {
	if p.refused == nil {
		p.refused = map[string]int{}
	}
	p.refused[name]++
	p.row++
	p.closed = p.closed || p.row >= emojiRefusals
}

// waited tells that a wait is over.
func (p *emojiPlan) waited(s emojiStep) {
	p.pause = 0
	if s.anew {
		p.known, p.closed, p.row, p.refused, p.kept = false, false, 0, nil, nil
	}
}

// doubt forgets what Discord has; it reports whether that changes what is next.
func (p *emojiPlan) doubt() bool {
	if !p.known {
		return false
	}
	p.known, p.list = false, nil
	p.pause = emojiBackoff(emojiDoubt, emojiMost, p.doubted)
	p.doubted++
	return true
}

// emojiPassing reports whether a failure is likely to pass by itself.
func emojiPassing(c discord.Class) bool {
	switch c {
	case discord.Temporary, discord.RateLimited, discord.SlowDown, discord.Cloudflare, discord.Disabled:
		return true
	default:
		return false
	}
}

// emojiBackoff is the wait after so many failures in a row.
func emojiBackoff(first, most time.Duration, tries int) time.Duration {
	return min(first<<min(tries, 16), most)
}

// emojiHash splits the name of one of our emojis into what it has in common with others of its key and the hash of its picture.
func emojiHash(name string) (prefix, hash string, ok bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 1 || len(name)-at-1 < 6 {
		return "", "", false
	}
	prefix, hash = name[:at+1], name[at+1:]
	return prefix, hash, strings.Trim(hash, "0123456789abcdef") == ""
}
