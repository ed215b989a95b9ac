package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/render"
	"paladin/game/table"
)

const (
	// picturesKept bounds how many pictures are remembered, of some 12 KB each: those lately drawn.
	picturesKept = 64
	// hangsKept bounds of how many messages it is remembered what they have.
	hangsKept = 1024
	// refusedKept bounds of how many channels it is remembered that they are spared pictures.
	refusedKept = 1024
	// picturesRefused is how long a channel is spared pictures after Discord took none there.
	picturesRefused = time.Hour
)

// pictures remembers what was drawn and where it hangs. All of it can be found out again, so that none of it is stored.
type pictures struct {
	mu sync.Mutex
	// drawn are pictures by what they show.
	drawn recent[*discord.File]
	// hangs are the attachments of messages by their id, so that an unchanged picture is not uploaded again.
	hangs recent[[]discord.Attachment]
	// refused is until when a channel is spared pictures, since Discord took none there.
	refused untils
	// plains is until when messages of a kind, by channel, go out in their plainest form, since
	// Discord took no other.
	plains untils
	// pen is held by whoever draws with nobody waiting.
	pen sync.Mutex
}

func newPictures() *pictures {
	return &pictures{
		drawn: recent[*discord.File]{most: picturesKept}, hangs: recent[[]discord.Attachment]{most: hangsKept},
		refused: untils{until: recent[time.Time]{most: refusedKept}}, plains: untils{until: recent[time.Time]{most: plainKept}},
	}
}

// recent is a map that forgets what was put in longest ago when it holds too much.
type recent[V any] struct {
	most   int
	values map[string]V
	order  []string // of the keys, as they were put in
}

func (r *recent[V]) get(key string) (V, bool) {
	v, ok := r.values[key]
	return v, ok
}

func (r *recent[V]) put(key string, v V) {
	if r.values == nil {
		r.values = map[string]V{}
	}
	if _, ok := r.values[key]; ok {
		at := slices.Index(r.order, key)
		r.order = slices.Delete(r.order, at, at+1)
	}
	r.values[key] = v
	r.order = append(r.order, key)
	if len(r.order) > r.most {
		delete(r.values, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
}

// untils are things that hold for a while, by what they are about.
type untils struct {
	mu    sync.Mutex
	until recent[time.Time]
}

func (u *untils) holds(key string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	until, ok := u.until.get(key)
	return ok && now.Before(until)
}

func (u *untils) put(key string, until time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.until.put(key, until)
}

// tablePicture is the picture for a table's board: the game while it is played, the result when it is over; nil where there is none.
// It is not called by a table's owner: drawing takes some milliseconds.
func (a *App) tablePicture(p *table.Public, pr *render.Printer) *discord.File {
	if p.Game == nil || p.Options.TextOnly || a.pictures.refused.holds(p.Channel, a.clock.Now()) {
		return nil
	}
	var draw func(*table.Public) ([]byte, error)
	kind, words := "table", ""
	switch p.Stage {
	case table.Playing:
		draw, words = picture.Table, pr.TableAlternative(p)
	case table.Finished:
		draw, kind, words = picture.Result, "result", pr.ResultAlternative(p)
	default:
		return nil
	}
	drawn, err := a.sketch(p, kind, draw)
	if err != nil {
		a.log.Error("a picture cannot be drawn", "table", p.ID, "kind", kind, "error", err)
		return nil
	}
	f := *drawn
	f.Description = words
	return &f
}

// sketch finds the picture of a table among those drawn lately, or draws it.
func (a *App) sketch(p *table.Public, kind string, draw func(*table.Public) ([]byte, error)) (*discord.File, error) {
	key := shown(p, kind)
	a.pictures.mu.Lock()
	f, ok := a.pictures.drawn.get(key)
	a.pictures.mu.Unlock()
	if ok {
		return f, nil
	}
	png, err := drawn(func() ([]byte, error) { return draw(p) })
	if err != nil {
		return nil, err
	}
	f = render.Picture(kind, png, "")
	a.pictures.mu.Lock()
	defer a.pictures.mu.Unlock()
	a.pictures.drawn.put(key, f)
	return f, nil
}

// drawn draws. A panic over a picture is an error: the texts say everything.
func drawn(draw func() ([]byte, error)) (png []byte, err error) {
	defer asError(&err)
	return draw()
}

// shown names what a table's picture shows. Whatever happens in the game comes with a further question; who plays a seat may change
// without, and so may a pause begin and end.
func shown(p *table.Public, kind string) string {
	key := fmt.Appendf(nil, "%s %s %d %t", kind, p.ID, p.Prompt, p.Paused)
	for _, s := range p.Seats {
		key = fmt.Appendf(key, " %t%t", s.Human(), s.Away)
	}
	return string(key)
}

// hang remembers what a message has: of one that had something, also that it has nothing any more.
func (p *pictures) hang(message string, has []discord.Attachment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.hangs.get(message); message != "" && (known || len(has) > 0) {
		p.hangs.put(message, has)
	}
}

// doubt forgets what a message has: an edit of it may have been made, and nobody said so.
func (p *pictures) doubt(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.hangs.get(message); known {
		p.hangs.put(message, nil)
	}
}

// of is what a message has. What a press says of that is older, where it is known here.
func (p *pictures) of(message string) (has []discord.Attachment, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hangs.get(message)
}

// illustrated sends a message with the pictures that its channel takes, as plainer does, and
// remembers what it has then. What a message does not have any more is brought anew. old is the
// message that is edited; empty for a new one.
func (a *App) illustrated(channel, old string, m discord.Message, send func(discord.Message) (discord.MessageRef, error)) (discord.MessageRef, error) {
	if has, known := a.pictures.of(old); known {
		m.Has = has
	}
	if render.HasPictures(m) && a.pictures.refused.holds(channel, a.clock.Now()) {
		m = render.WithoutPictures(m)
	}
	ref, err := send(m)
	if err != nil {
		a.pictures.doubt(old)
		return ref, err
	}
	a.pictures.hang(cmp.Or(old, ref.ID), ref.Attachments)
	return ref, nil
}

// handPicture is the picture of the reader's own hand, if they want one and hold cards.
func (a *App) handPicture(mine *table.Private, to reader) *discord.File {
	if to.habits.Look != render.LookHand || mine.Stage != table.Playing || mine.View == nil || len(mine.View.Hand) == 0 {
		return nil
	}
	png, err := drawn(func() ([]byte, error) { return picture.Hand(mine.Seat, mine.View.Hand) })
	if err != nil {
		a.log.Error("a hand cannot be drawn", "table", mine.ID, "error", err)
		return nil
	}
	return render.Picture("hand", png, to.pr.HandAlternative(mine.View.Hand))
}

// boardOf is a table's board as everybody reads it now.
func (a *App) boardOf(ctx context.Context, t *table.Table) discord.Message {
	public, links := a.boardParts(ctx, t)
	return a.drawBoard(t, &public, links)
}

// boardParts reads what a table's board shows besides the table.
func (a *App) boardParts(ctx context.Context, t *table.Table) (table.Public, render.Links) {
	public := a.publicOf(ctx, t)
	links := a.links(ctx, &public)
	links.Records = a.records(ctx, &public)
	return public, links
}

// drawBoard makes a table's board, and waits for nothing.
func (a *App) drawBoard(t *table.Table, public *table.Public, links render.Links) discord.Message {
	pr := a.publicWords(t)
	links.Picture = a.tablePicture(public, pr)
	return pr.Board(public, links)
}
