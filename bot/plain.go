package bot

import (
	"context"

	"paladin/bot/discord"
	"paladin/bot/picture"
	"paladin/bot/render"
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

// plainer is a Discord that sends a message anew, without the application's emojis, when Discord turns out not to know one of them:
// somebody may have deleted it a moment ago. The words say everything anyway.
type plainer struct {
	Discord
	emojis *Emojis
}

func (p plainer) again(err error) bool {
	if discord.Classify(err) != discord.UnknownEmoji {
		return false
	}
	p.emojis.Doubt()
	return true
}

func (p plainer) Respond(ctx context.Context, i *discord.Interaction, r discord.Response) (discord.MessageRef, error) {
	ref, err := p.Discord.Respond(ctx, i, r)
	if p.again(err) {
		r.Message = render.WithoutEmojis(r.Message)
		return p.Discord.Respond(ctx, i, r)
	}
	return ref, err
}

func (p plainer) EditOriginal(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	ref, err := p.Discord.EditOriginal(ctx, i, m)
	if p.again(err) {
		return p.Discord.EditOriginal(ctx, i, render.WithoutEmojis(m))
	}
	return ref, err
}

func (p plainer) FollowUp(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error) {
	ref, err := p.Discord.FollowUp(ctx, i, m)
	if p.again(err) {
		return p.Discord.FollowUp(ctx, i, render.WithoutEmojis(m))
	}
	return ref, err
}

func (p plainer) CreateMessage(ctx context.Context, channel string, m discord.Message) (discord.MessageRef, error) {
	ref, err := p.Discord.CreateMessage(ctx, channel, m)
	if p.again(err) {
		return p.Discord.CreateMessage(ctx, channel, render.WithoutEmojis(m))
	}
	return ref, err
}

func (p plainer) EditMessage(ctx context.Context, channel, id string, m discord.Message) error {
	err := p.Discord.EditMessage(ctx, channel, id, m)
	if p.again(err) {
		return p.Discord.EditMessage(ctx, channel, id, render.WithoutEmojis(m))
	}
	return err
}

func (p plainer) ReplaceMessage(ctx context.Context, channel, id string, m discord.Message) (discord.MessageRef, error) {
	ref, err := p.Discord.ReplaceMessage(ctx, channel, id, m)
	if p.again(err) {
		return p.Discord.ReplaceMessage(ctx, channel, id, render.WithoutEmojis(m))
	}
	return ref, err
}
