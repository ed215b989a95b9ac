package discord

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"
)

// Client is one bot on one Discord. All methods may be used at the same time.
type Client struct{ cfg Config }

var errStub = errors.New("not there yet")

// New checks cfg and returns a Client that has not connected.
func New(cfg Config) (*Client, error) { return &Client{cfg: cfg}, nil }

// Run connects and hands every event to handle, in order, from one goroutine.
// handle must not block. Run returns nil when ctx ends and a *FatalError when
// going on makes no sense.
func (c *Client) Run(ctx context.Context, handle func(Event)) error { return errStub }

// Connected reports whether the gateway session stands.
func (c *Client) Connected() bool { return false }

// Respond sends the first answer to i. It must arrive within 3 seconds of i.
func (c *Client) Respond(ctx context.Context, i *Interaction, r Response) (MessageRef, error) {
	return MessageRef{}, errStub
}

// EditOriginal replaces the first answer to i, or the pressed message after a
// DeferUpdate or Update.
func (c *Client) EditOriginal(ctx context.Context, i *Interaction, m Message) (MessageRef, error) {
	return MessageRef{}, errStub
}

// DeleteOriginal deletes the first answer to i.
func (c *Client) DeleteOriginal(ctx context.Context, i *Interaction) error { return errStub }

// FollowUp sends a further message by the token of i.
func (c *Client) FollowUp(ctx context.Context, i *Interaction, m Message) (MessageRef, error) {
	return MessageRef{}, errStub
}

// CreateMessage sends m to a channel.
func (c *Client) CreateMessage(ctx context.Context, channel string, m Message) (MessageRef, error) {
	return MessageRef{}, errStub
}

// EditMessage replaces the content of a message of ours.
func (c *Client) EditMessage(ctx context.Context, channel, id string, m Message) error {
	return errStub
}

// DeleteMessage deletes a message of ours.
func (c *Client) DeleteMessage(ctx context.Context, channel, id string) error { return errStub }

// OpenDM returns the channel id of the DM with user.
func (c *Client) OpenDM(ctx context.Context, user string) (string, error) { return "", errStub }

// GetChannel looks a channel or thread up.
func (c *Client) GetChannel(ctx context.Context, id string) (Channel, error) {
	return Channel{}, errStub
}

// GetGuild looks a guild up.
func (c *Client) GetGuild(ctx context.Context, id string) (Guild, error) { return Guild{}, errStub }

// GetMember looks a member up.
func (c *Client) GetMember(ctx context.Context, guild, user string) (Member, error) {
	return Member{}, errStub
}

// Unarchive opens an archived thread again.
func (c *Client) Unarchive(ctx context.Context, thread string) error { return errStub }

// Application asks who the bot is.
func (c *Client) Application(ctx context.Context) (Application, error) {
	return Application{}, errStub
}

// GetCommands lists the registered commands, of a guild or (empty) global.
func (c *Client) GetCommands(ctx context.Context, app, guild string) ([]*discordgo.ApplicationCommand, error) {
	return nil, errStub
}

// PutCommands replaces all commands of a guild or (empty) the global ones.
func (c *Client) PutCommands(ctx context.Context, app, guild string, commands []*discordgo.ApplicationCommand) error {
	return errStub
}

// SyncCommands registers commands if they differ from the registered ones.
func (c *Client) SyncCommands(ctx context.Context, guild string, commands []*discordgo.ApplicationCommand) (changed bool, err error) {
	return false, errStub
}

// Classify says what err means for the caller.
func Classify(err error) Class { return Other }
