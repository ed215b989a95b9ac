package bot

import (
	"context"
	"slices"
	"sync"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/store"
)

// answer is what somebody is told for what they pressed or typed.
type answer struct {
	// message is what the person sees, privately unless board, inPlace or posted is set.
	message discord.Message
	// update puts message in the place of the pressed message where that is the person's own: a private panel or a DM.
	update bool
	// board is set when message is the public board itself, as the answer to a command or in place of the pressed board.
	board *boardWrite
	// lasting makes the answer an ordinary message where nobody else reads it: in direct messages.
	lasting bool
	// inPlace puts message in the place of the pressed message, though everybody sees it.
	inPlace bool
	// posted is set when everybody shall see message, a new one; it is called with what Discord made of it.
	posted func(discord.MessageRef)
	// retire makes the pressed public message message, and tells the person the rest by a further, private one.
	retire  bool
	further *discord.Message
	// after, if set, is called once the answer was sent; shown says whether the pressed message shows it.
	after func(shown bool)
	// said, if set beside after, is called when the pressed message shows the answer, before anything else is said: it settles what that
	// makes unnecessary.
	said func()
	// end, if set, ends the turn of this answer to edit a message.
	end func()
	// choices answer a request for suggestions.
	choices []discord.Choice
}

// boardWrite is an answer that shows a table's board.
type boardWrite struct {
	table   string
	channel string
	guild   string
	// message is the board that was pressed; empty when the answer makes a new one.
	message string
	// intent is the pending refresh that the answer makes unnecessary.
	intent store.Intent
	// private is said instead when it is too late to answer with the board; the outbox shows it then.
	private discord.Message
	// retired is the board that a new one replaces; empty if there is none.
	retired string
}

func say(text string) answer { return answer{message: render.Note(text)} }

// interaction works on one interaction from the first look to the last word. Whatever happens,
// something is answered, and what is held for the answer is let go of.
func (a *App) interaction(i *request) {
	defer a.outbox.pump() // what else is to be said comes after the answer, for which somebody waits
	defer a.counted.drop(i.ID)
	done, late := make(chan answer, 1), make(chan struct{})
	a.work.begin()
	beside(a.log, "an interaction", func() {
		defer a.work.end()
		var ans answer
		defer func() { done <- ans }()
		ans = a.decide(i)
		a.await(i, &ans, late)
	}, "interaction", i.ID)
	timer := a.clock.Timer(deferAfter)
	defer timer.Stop()
	var ans answer
	send := a.answer
	select {
	case ans = <-done:
	case <-timer.C():
		guard(a.log, "an acknowledgement", func() {
			if i.Kind != discord.KindAutocomplete && a.acknowledge(i) {
				send = a.answerLate
			}
		}, "interaction", i.ID)
		close(late)
		ans = <-done
	}
	if ans.end != nil {
		defer ans.end()
	}
	if ans.after != nil {
		ans.after = a.afterwards(i, &ans)
		defer ans.after(false)
	}
	a.fail("move/answering")
	if !guard(a.log, "an answer", func() { send(i, ans) }, "interaction", i.ID) {
		guard(a.log, "an apology", func() { send(i, a.sorry(i)) }, "interaction", i.ID)
	}
	a.fail("move/answered")
	a.rememberLocale(i)
}

// afterwards is what is done once an answer was sent, or could not be: what is to be said does not
// wait for what is only to be remembered.
func (a *App) afterwards(i *request, ans *answer) func(shown bool) {
	said, after := ans.said, ans.after
	var once sync.Once
	return func(shown bool) {
		once.Do(func() {
			guard(a.log, "what follows an answer", func() {
				if shown && said != nil {
					said()
				}
			}, "interaction", i.ID)
			a.outbox.pump()
			guard(a.log, "what follows an answer", func() { after(shown) }, "interaction", i.ID)
		})
	}
}

// decide routes the interaction. A panic is a bug of ours: the person is told that nothing is lost, and the others play on.
func (a *App) decide(i *request) (ans answer) {
	decided := guard(a.log, "an interaction", func() {
		a.addressed(a.ctx, i)
		ans = a.route(a.ctx, i)
	}, "interaction", i.ID)
	if !decided {
		return a.sorry(i)
	}
	return ans
}

// sorry tells somebody that something went wrong: to press again, or, where what they did is on disk
// already, that it counted. Pressing again would do it twice, or be refused as late.
func (a *App) sorry(i *request) answer {
	switch {
	case !a.counts(i):
		return say(i.pr.Say(render.TextFailure))
	case moves(i):
		return say(i.pr.Say(render.TextMoveCounted))
	default:
		return say(i.pr.Say(render.TextCounted))
	}
}

// counts reports whether what an interaction asked for has been stored. A commit may have come to
// pass although the store failed; what the store itself says of it is heard if it says anything.
func (a *App) counts(i *request) bool {
	if a.counted.has(i.ID) {
		return true
	}
	ctx, cancel := context.WithTimeout(a.ctx, storeTimeout)
	defer cancel()
	done := false
	guard(a.log, "a look for what was stored", func() {
		_, again, err := a.store.Repeated(ctx, i.ID)
		done = again && err == nil
	}, "interaction", i.ID)
	return done
}

// moves reports whether an interaction makes a move of a game.
func moves(i *request) bool {
	if i.Kind == discord.KindCommand {
		return slices.Contains([]string{render.SubFirst, render.SubPlace, render.SubPeek, render.SubResolve}, i.Command.Subcommand)
	}
	id, err := press.Parse(i.CustomID)
	kinds := []press.Kind{press.First, press.Place, press.Peek, press.Act}
	return err == nil && slices.Contains(kinds, id.Kind) && !practising(id.Table)
}

// busy answers when too much is going on at once.
func (a *App) busy(i *request) { a.answer(i, a.sayBusy(i)) }

// sayBusy tells somebody to press again, and why: the program ends, or too much is going on.
func (a *App) sayBusy(i *request) answer {
	if a.owners.ending() {
		return say(i.pr.Say(render.TextStopping))
	}
	return say(i.pr.Say(render.TextBusy))
}

// private reports whether the pressed message is one that only this person sees.
func private(i *request) bool {
	return i.Kind == discord.KindComponent && (i.Guild == "" || i.Message.Ephemeral)
}

// acknowledge tells Discord that the answer is coming. After it the answer goes where the acknowledgement decided: into the pressed
// message where that is private, else into a new private one. A press on a public message is never acknowledged by "update": its
// original would be the public message, and a private panel written there would be read by everybody.
func (a *App) acknowledge(i *request) bool {
	r := discord.Response{Kind: discord.DeferReply, Message: discord.Message{Ephemeral: true}}
	if private(i) {
		r = discord.Response{Kind: discord.DeferUpdate}
	}
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	_, err := a.discord.Respond(ctx, i.Interaction, r)
	a.report(i, "acknowledge", err)
	return err == nil
}

// answer sends the first answer to an interaction.
func (a *App) answer(i *request, ans answer) {
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	if i.Kind == discord.KindAutocomplete {
		_, err := a.discord.Respond(ctx, i.Interaction, discord.Response{Kind: discord.Suggest, Choices: ans.choices})
		a.report(i, "suggest", err)
		return
	}
	if ans.board != nil {
		a.answerBoard(ctx, i, ans)
		return
	}
	r := discord.Response{Kind: discord.Reply, Message: ans.message}
	switch {
	case ans.replaces(i):
		r.Kind = discord.Update
	case ans.posted == nil:
		r.Message.Ephemeral = !ans.lasting || i.Guild != "" || i.ChannelType != channelDM
	}
	old := ""
	if r.Kind == discord.Update {
		old, r.Message.Has = i.Message.ID, i.Message.Attachments
	}
	ref, err := a.illustrated(i.Channel, old, r.Message, func(m discord.Message) (discord.MessageRef, error) {
		r.Message = m
		return a.discord.Respond(ctx, i.Interaction, r)
	})
	if discord.Classify(err) == discord.AlreadyAcknowledged && !ans.retire {
		// Somebody (an earlier process, or our own acknowledgement that seemed to fail) acknowledged it in a way we do not know. A
		// further private message is private whatever that was; editing the original might write into a public one.
		r.Message.Ephemeral = true
		_, err = a.discord.FollowUp(ctx, i.Interaction, r.Message)
	}
	if r.Kind == discord.Update && discord.Classify(err) == discord.UnknownMessage && !ans.retire {
		// The pressed message was deleted meanwhile: the answer is a message of its own.
		r.Kind, r.Message.Ephemeral, r.Message.Has = discord.Reply, true, nil
		_, err = a.discord.Respond(ctx, i.Interaction, r)
	}
	told := a.sayInstead(i, "answer", r.Message, err, a.respondOrFollowUp)
	if ans.posted != nil && err == nil && !r.Message.Ephemeral {
		ans.posted(ref)
	}
	if ans.after != nil {
		ans.after(err == nil && r.Kind == discord.Update)
	}
	if told && ans.further != nil {
		further := *ans.further
		further.Ephemeral = true
		_, err = a.discord.FollowUp(ctx, i.Interaction, further)
		a.sayInstead(i, "follow up", further, err, a.discord.FollowUp)
	}
}

// respondOrFollowUp answers anew after an answer that failed: by a further message if Discord took
// that one all the same.
func (a *App) respondOrFollowUp(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	ref, err := a.discord.Respond(ctx, i, discord.Response{Kind: discord.Reply, Message: m})
	if discord.Classify(err) == discord.AlreadyAcknowledged {
		return a.discord.FollowUp(ctx, i, m)
	}
	return ref, err
}

// sayInstead says in private why m does not appear, where it failed with err for a reason that does
// not keep words from arriving. It reports whether the person was told anything, m or that.
func (a *App) sayInstead(
	i *request, what string, m discord.Message, err error, send func(context.Context, *discord.Interaction, discord.Message) (discord.MessageRef, error),
) bool {
	a.report(i, what, err)
	words := unsaid(m, err)
	if words == "" {
		return err == nil
	}
	// What failed may have used up its time.
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	apology := render.Note(i.pr.Say(words, "permission", i.pr.Say(render.PermissionAttach)))
	apology.Ephemeral = true
	_, err = send(ctx, i.Interaction, apology)
	a.report(i, what, err)
	return err == nil
}

// refused reports whether Discord will not have this message, whenever it is sent: that is a fault of ours, or a filter's doing, and
// no reason to leave the person without a word.
func refused(err error) bool {
	switch discord.Classify(err) {
	case discord.Invalid, discord.Blocked, discord.TooLarge, discord.TooLong, discord.UnknownEmoji:
		return true
	}
	return false
}

// unsaid is what can be said where a message cannot; empty where it went out, or where words would
// not arrive either. Of a message that hands out a file it is the file that was refused: words
// alone go through.
func unsaid(m discord.Message, err error) render.Text {
	if !render.HandsOut(m) {
		if refused(err) {
			return render.TextUnsayable
		}
		return ""
	}
	switch class := discord.Classify(err); {
	case class == discord.Temporary, class == discord.RateLimited, class == discord.Disabled:
		return render.TextFileLater
	case class == discord.MissingPermission:
		return render.TextFileForbidden
	case refused(err), discord.WithoutFiles(err):
		return render.TextFileRefused
	}
	return ""
}

// answerLate sends the answer after an acknowledgement.
func (a *App) answerLate(i *request, ans answer) {
	ctx, cancel := context.WithTimeout(a.ctx, callTimeout)
	defer cancel()
	if ans.board != nil {
		a.outbox.update(func(o *outbox) { o.release(ans.board.channel) })
		ans = answer{message: ans.board.private}
	}
	message := ans.message
	if ans.further != nil {
		message = *ans.further
	}
	everybody := ans.posted != nil && private(i) // what was acknowledged stays private, and this is a further message
	message.Ephemeral = !everybody
	send, old := a.discord.EditOriginal, ""
	switch {
	case private(i) && !ans.update:
		send = a.discord.FollowUp
	case private(i):
		old, message.Has = i.Message.ID, i.Message.Attachments
	}
	ref, err := a.illustrated(i.Channel, old, message, func(m discord.Message) (discord.MessageRef, error) {
		return send(ctx, i.Interaction, m)
	})
	if private(i) && ans.update && discord.Classify(err) == discord.UnknownMessage {
		message.Ephemeral, message.Has = true, nil // the pressed message was deleted meanwhile
		_, err = a.discord.FollowUp(ctx, i.Interaction, message)
	}
	if everybody && err == nil {
		ans.posted(ref)
	}
	if private(i) {
		send = a.discord.FollowUp // the pressed message stays as it is
	}
	a.sayInstead(i, "late answer", message, err, send)
	if ans.after != nil {
		ans.after(false)
	}
}

// answerBoard answers with the public board: in place of the board that was pressed, or as a new message. What Discord then shows is
// registered, and the pending refresh is settled, unless something else changed the board meanwhile.
func (a *App) answerBoard(ctx context.Context, i *request, ans answer) {
	w := ans.board
	defer a.outbox.update(func(o *outbox) { o.release(w.channel) })
	r := discord.Response{Kind: discord.Reply, Message: ans.message}
	if w.message != "" {
		r.Kind = discord.Update
	}
	if w.message != "" && w.message == i.Message.ID {
		ans.message.Has = i.Message.Attachments
	}
	ref, err := a.illustrated(w.channel, w.message, ans.message, func(m discord.Message) (discord.MessageRef, error) {
		r.Message = m
		return a.discord.Respond(ctx, i.Interaction, r)
	})
	a.sayInstead(i, "answer with board", ans.message, err, a.respondOrFollowUp)
	id := ref.ID
	if err == nil && w.message != "" {
		id = w.message
	}
	if err == nil && id == "" {
		// The server did not say which message it made; editing it does. r is what it took.
		if ref, err = a.discord.EditOriginal(ctx, i.Interaction, r.Message); err == nil {
			id = ref.ID
			a.pictures.hang(id, ref.Attachments)
		}
	}
	if err == nil && id != "" {
		a.registerBoard(ctx, i, w, id)
	}
}

// registerBoard remembers the message that shows the board, so that it can be edited from now on.
func (a *App) registerBoard(ctx context.Context, i *request, w *boardWrite, id string) {
	settlement := store.Settlement{Table: w.table}
	now := a.clock.Now()
	if w.message == "" {
		settlement.Put = []store.Surface{{Table: w.table, Name: boardName, Channel: w.channel, Message: id, Posted: now}}
	}
	a.outbox.update(func(o *outbox) {
		if !o.contended(w.channel) {
			settlement.Key, settlement.Generation = boardName, w.intent.Generation
			o.settled(w.intent)
		}
	})
	if err := a.settle(ctx, settlement); err != nil {
		a.log.Error("a board cannot be registered", "table", w.table, "error", err)
		a.unsettled.put(settlement)
		a.outbox.update(func(o *outbox) { o.adopt([]store.Intent{w.intent}) })
		return
	}
	a.fresh.put(w.table, i.Interaction, id, now)
	a.answeredWithBoard(ctx, w.table)
	if w.retired != "" && w.retired != id {
		a.retire(ctx, w.table, w.channel, w.retired)
	}
}

// retire lets an old board point to the live one.
func (a *App) retire(ctx context.Context, id, channel, message string) {
	var c store.Change
	err := addIntent(&c, "retire/"+message, channel, intent{What: whatRetire, Channel: channel, Message: message})
	if err == nil {
		err = a.enqueue(ctx, id, c.Intents)
	}
	if err != nil {
		a.log.Error("an old board cannot be retired", "table", id, "error", err)
	}
}

// report tells the operator of an answer that did not arrive. Late and repeated answers are Discord's everyday life: what was committed
// stands, and the outbox shows it.
func (a *App) report(i *request, what string, err error) {
	switch discord.Classify(err) {
	case discord.None:
		a.unblocked()
	case discord.UnknownInteraction, discord.TokenExpired, discord.AlreadyAcknowledged, discord.Cancelled:
		a.log.Info("an answer came too late", "what", what, "interaction", i.ID, "age", i.Age(a.clock.Now()), "error", err)
	default:
		a.log.Warn("an answer did not arrive", "what", what, "interaction", i.ID, "error", err)
	}
}
