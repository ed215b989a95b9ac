package discord

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
)

// Discord's limits of an application's emojis,
// https://discord.com/developers/docs/resources/emoji. It may have 2000 of them,
// whose names differ.
const (
	MaxEmojiSize = 256 << 10 // bytes of the picture
	MinEmojiName = 2         // letters, digits and underscores
	MaxEmojiName = 32
)

// Emoji is an emoji of the bot's own application, usable wherever the bot is.
type Emoji struct {
	ID   string
	Name string
}

// ListEmojis lists all emojis of the application, whoever made them.
func (c *Client) ListEmojis(ctx context.Context) ([]Emoji, error) {
	rq, err := c.emojiRequest(ctx, "list emojis", http.MethodGet, "")
	if err != nil {
		return nil, err
	}
	var w struct {
		Items *[]wireEmoji `json:"items"`
	}
	if err := c.fetch(ctx, rq, &w); err != nil {
		return nil, err
	}
	if w.Items == nil {
		return nil, unreadable(rq)
	}
	list := make([]Emoji, 0, len(*w.Items))
	for _, e := range *w.Items {
		if e.ID != "" && e.Name != "" {
			list = append(list, Emoji{ID: string(e.ID), Name: string(e.Name)})
		}
	}
	return list, nil
}

type wireEmoji struct {
	ID   snowflake `json:"id"`
	Name text      `json:"name"`
}

// CreateEmoji uploads a PNG as an emoji. It is not repeated after an unclear
// failure: ask ListEmojis then. A name that is taken is an error of class
// Invalid; EmojiLimit says that there is no room for more.
func (c *Client) CreateEmoji(ctx context.Context, name string, png []byte) (Emoji, error) {
	rq, err := c.emojiRequest(ctx, "create emoji", http.MethodPost, "")
	if err != nil {
		return Emoji{}, err
	}
	rq.safe = false
	switch {
	case !ValidEmojiName(name):
		return Emoji{}, invalid(rq.op, "%q is no name of an emoji", name)
	case len(png) == 0 || len(png) > MaxEmojiSize:
		return Emoji{}, invalid(rq.op, "%s has %d bytes, Discord takes 1 to %d", name, len(png), MaxEmojiSize)
	}
	if err := rq.json(map[string]string{
		"name": name, "image": "data:image/png;base64," + base64.StdEncoding.EncodeToString(png),
	}); err != nil {
		return Emoji{}, err
	}
	var w wireEmoji
	if err := c.fetch(ctx, rq, &w); err != nil {
		return Emoji{}, err
	}
	if w.ID == "" {
		return Emoji{}, unreadable(rq)
	}
	return Emoji{ID: string(w.ID), Name: first(w.Name, text(name))}, nil
}

// DeleteEmoji deletes an emoji of the application. One that is gone already is an
// error of class UnknownEmoji.
func (c *Client) DeleteEmoji(ctx context.Context, id string) error {
	rq, err := c.emojiRequest(ctx, "delete emoji", http.MethodDelete, id)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, rq)
	return err
}

// ValidEmojiName reports whether Discord takes name as that of an emoji.
func ValidEmojiName(name string) bool {
	for _, r := range []byte(name) {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' {
			return false
		}
	}
	return len(name) >= MinEmojiName && len(name) <= MaxEmojiName
}

// emojiRequest makes a request about the application's emojis, or one of them.
func (c *Client) emojiRequest(ctx context.Context, op, method, id string) (*request, error) {
	app := c.identity().app
	if app == "" {
		a, err := c.Application(ctx)
		if err != nil {
			return nil, err
		}
		app = a.ID
	}
	rq := &request{
		op: op, method: method, safe: true, maybe: true,
		route: "/applications/{application}/emojis", path: "/applications/" + url.PathEscape(app) + "/emojis",
	}
	if id != "" {
		rq.route += "/{emoji}"
		rq.path += "/" + url.PathEscape(id)
	}
	return rq, nil
}
