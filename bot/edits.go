package bot

import (
	"context"
	"slices"
	"sync"

	"paladin/bot/discord"
)

// edits lets the edits of one message leave one after the other: the answer to a press on it, and what
// the outbox or another answer makes of it. Two that cross arrive in either order, so that one may keep a
// picture that the other has replaced, and nobody knows what the message has then.
type edits struct {
	mu sync.Mutex
	// turns are those who edit a message, or wait for it, in the order in which they came. The channel of
	// whose turn it is is closed.
	turns map[string][]chan struct{}
}

func newEdits() *edits { return &edits{turns: map[string][]chan struct{}{}} }

// begin waits for the turn of one more edit of a message, which end then ends; waits is called if it has
// to. It is false if quit is closed before.
func (e *edits) begin(message string, quit <-chan struct{}, waits func()) (end func(), ok bool) {
	turn := make(chan struct{})
	e.mu.Lock()
	before := e.turns[message]
	e.turns[message] = append(before, turn)
	if len(before) == 0 {
		close(turn)
	}
	e.mu.Unlock()
	end = sync.OnceFunc(func() { e.leave(message, turn) })
	select {
	case <-turn:
		return end, true
	default:
		waits()
	}
	select {
	case <-turn:
		return end, true
	case <-quit:
		end()
		return end, false
	}
}

// leave lets the next one go.
func (e *edits) leave(message string, turn chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := e.turns[message]
	at := slices.Index(left, turn)
	left = slices.Delete(left, at, at+1)
	if len(left) == 0 {
		delete(e.turns, message)
		return
	}
	e.turns[message] = left
	if at == 0 {
		close(left[0])
	}
}

// revised edits a message of ours in its turn, as illustrated does.
func (a *App) revised(
	ctx context.Context, channel, old string, m discord.Message, send func(discord.Message) (discord.MessageRef, error),
) error {
	end, ok := a.edits.begin(old, ctx.Done(), func() { a.fail("edit/waits") })
	if !ok {
		return ctx.Err()
	}
	defer end()
	_, err := a.illustrated(channel, old, m, send)
	return err
}

// revise edits a message of ours in its turn.
func (a *App) revise(ctx context.Context, channel, old string, m discord.Message) error {
	return a.revised(ctx, channel, old, m, func(m discord.Message) (discord.MessageRef, error) {
		return a.discord.ReplaceMessage(ctx, channel, old, m)
	})
}

// edits is the message that the answer takes the place of; empty where it makes a new one.
func (ans *answer) edits(i *request) string {
	switch {
	case i.Kind == discord.KindAutocomplete:
		return ""
	case ans.board != nil:
		return ans.board.message
	case ans.replaces(i):
		return i.Message.ID
	}
	return ""
}

// replaces reports whether the answer takes the place of the pressed message.
func (ans *answer) replaces(i *request) bool {
	return ans.retire || ans.inPlace || ans.update && private(i)
}

// await waits for the turn of an answer that takes the place of a message. late is closed when it comes
// too late for Discord: then what everybody sees is left to the outbox, and needs no turn.
func (a *App) await(i *request, ans *answer, late <-chan struct{}) {
	message := ans.edits(i)
	if message == "" {
		return
	}
	if private(i) {
		ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
		defer cancel()
		late = ctx.Done()
	}
	if end, ok := a.edits.begin(message, late, func() { a.fail("answer/waits") }); ok {
		ans.end = end
	}
}
