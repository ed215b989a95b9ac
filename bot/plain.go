package bot

import (
	"context"
	"reflect"
	"time"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/render"
)

const (
	// plainAttempts is how many more times a message is sent, each time in a plainer form, that
	// Discord refuses as it is.
	plainAttempts = 2
	// plainKept bounds of how many kinds of messages, by channel, it is remembered that they go out in
	// their plainest form.
	plainKept = 1024
	// plainFor is how long they do after Discord took no other.
	plainFor = time.Hour
)

// wantedEmojis are the pictures that the application shall have as emojis.
func wantedEmojis() []Emoji {
	drawn := picture.Emojis()
	wanted := make([]Emoji, len(drawn))
	for i, e := range drawn {
		wanted[i] = Emoji(e)
	}
	return wanted
}

// plainer is a Discord that sends a message anew in a plainer form where Discord refuses it as it
// is: an emoji may have been deleted a moment ago, a channel may take no files, and of any other
// refusal nobody knows beforehand what it is about. The words say everything anyway. What helped is
// remembered, so that not every message is sent twice.
type plainer struct {
	Discord
	app *App
}

// send sends m as it is, or else in the first form that is taken.
func (p plainer) send(channel string, m discord.Message, send func(discord.Message) (discord.MessageRef, error)) (discord.MessageRef, error) {
	pictures, now := p.app.pictures, p.app.clock.Now()
	kind := channel + " " + render.Shape(m)
	if !render.HandsOut(m) && pictures.plains.holds(kind, now) {
		return send(render.Plainest(m))
	}
	ref, err := send(m)
	for n := 0; n < plainAttempts && err != nil; n++ {
		form, plainest := p.plainer(m, err, n)
		if !render.Says(form) || reflect.DeepEqual(form, m) {
			break
		}
		refusal := err
		m = form
		if ref, err = send(m); err != nil {
			continue
		}
		p.app.log.Info("Discord takes a message in a plainer form alone", "channel", channel, "plainest", plainest, "error", refusal)
		switch {
		case plainest:
			pictures.plains.put(kind, now.Add(plainFor))
		case discord.WithoutFiles(refusal):
			pictures.refused.put(channel, now.Add(picturesRefused))
		}
	}
	return ref, err
}

// plainer is the next form to try of m, which was refused so many times before; m itself if there
// is none. What a message is there to hand out cannot be left away.
func (p plainer) plainer(m discord.Message, err error, before int) (form discord.Message, plainest bool) {
	unknown := discord.Classify(err) == discord.UnknownEmoji
	if unknown && p.app.emojis != nil {
		p.app.emojis.Doubt()
	}
	if form := render.WithoutEmojis(m); unknown && !reflect.DeepEqual(form, m) {
		return form, false
	}
	switch {
	case render.HandsOut(m):
	case render.HasPictures(m) && discord.WithoutFiles(err) && (before == 0 || !refused(err)):
		return render.WithoutPictures(m), false
	case unknown || refused(err):
		return render.Plainest(m), true
	}
	return m, false
}

func (p plainer) Respond(ctx context.Context, i *discord.Interaction, r discord.Response) (discord.MessageRef, error) {
	if r.Kind != discord.Reply && r.Kind != discord.Update {
		return p.Discord.Respond(ctx, i, r)
	}
	return p.send(i.Channel, r.Message, func(m discord.Message) (discord.MessageRef, error) {
		r.Message = m
		return p.Discord.Respond(ctx, i, r)
	})
}

func (p plainer) EditOriginal(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	return p.send(i.Channel, m, func(m discord.Message) (discord.MessageRef, error) { return p.Discord.EditOriginal(ctx, i, m) })
}

func (p plainer) FollowUp(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	return p.send(i.Channel, m, func(m discord.Message) (discord.MessageRef, error) { return p.Discord.FollowUp(ctx, i, m) })
}

func (p plainer) CreateMessage(ctx context.Context, channel string, m discord.Message) (discord.MessageRef, error) {
	return p.send(channel, m, func(m discord.Message) (discord.MessageRef, error) { return p.Discord.CreateMessage(ctx, channel, m) })
}

func (p plainer) ReplaceMessage(ctx context.Context, channel, id string, m discord.Message) (discord.MessageRef, error) {
	return p.send(channel, m, func(m discord.Message) (discord.MessageRef, error) {
		return p.Discord.ReplaceMessage(ctx, channel, id, m)
	})
}
