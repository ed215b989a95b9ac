package render

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/table"
)

// pictureType is what files are called that show in a message what its words say too.
const pictureType = "image/png"

// maxAlternative is how long the text that stands for a picture may be, in UTF-16 units.
const maxAlternative = 1024

// Picture is a picture as a message carries it. Its name and key come from its bytes, which say nothing that it does not show;
// alternative is read to those who do not see it.
func Picture(kind string, png []byte, alternative string) *discord.File {
	sum := sha256.Sum256(png)
	key := hex.EncodeToString(sum[:8])
	return &discord.File{Name: kind + "-" + key + ".png", ContentType: pictureType, Key: key, Description: alternative, Data: png}
}

// illustrated is a message that shows a picture where parts holds gallery(picture).
func illustrated(m discord.Message, picture *discord.File) discord.Message {
	if picture != nil {
		m.Files = append(m.Files, *picture)
	}
	return m
}

// gallery is the picture in its message; nothing where there is none. Each picture stands in a gallery of its own: clients show one
// whole, and cut several in one gallery to squares.
func gallery(picture *discord.File) []component {
	if picture == nil {
		return nil
	}
	item := discordgo.MediaGalleryItem{Media: discordgo.UnfurledMediaItem{URL: "attachment://" + picture.Name}}
	if picture.Description != "" {
		item.Description = &picture.Description
	}
	return []component{discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{item}}}
}

// WithoutPictures is a message without its files and what shows them, for where Discord takes none. Its texts say everything anyway.
func WithoutPictures(m discord.Message) discord.Message {
	m.Components = unillustrated(m.Components)
	m.Files = nil
	return m
}

func unillustrated(parts []component) []component {
	kept := make([]component, 0, len(parts))
	for _, part := range parts {
		switch part := part.(type) {
		case discordgo.MediaGallery, discordgo.FileComponent:
		case discordgo.Container:
			part.Components = unillustrated(part.Components)
			kept = append(kept, part)
		default:
			kept = append(kept, part)
		}
	}
	return kept
}

// symbol is an emoji of the application with a space after it, to stand before what it shows; empty where there is none. No line ends
// between the two.
func (pr *Printer) symbol(key string) string {
	if e, ok := pr.emojis[key]; ok {
		return "<:" + e.Name + ":" + e.ID + ">\u00a0"
	}
	return ""
}

// badge is an emoji of the application for a button or an option; nil where there is none.
func (pr *Printer) badge(key string) *discordgo.ComponentEmoji {
	if e, ok := pr.emojis[key]; ok {
		return &discordgo.ComponentEmoji{Name: e.Name, ID: e.ID}
	}
	return nil
}

// badged is a button with an emoji of the application, if there is such a one.
func (pr *Printer) badged(part component, key string) component {
	if b, ok := part.(discordgo.Button); ok {
		b.Emoji = pr.badge(key)
		return b
	}
	return part
}

// ownEmoji is how a text shows an emoji of the application. What people are called cannot look like it: it is escaped.
var ownEmoji = regexp.MustCompile(`<:[A-Za-z0-9_]{2,32}:[0-9]+>[ \x{a0}]?`)

// WithoutEmojis is a message without the application's emojis, for where Discord does not know them. Its words say everything anyway.
func WithoutEmojis(m discord.Message) discord.Message {
	m.Components = plain(m.Components)
	return m
}

func plain(parts []component) []component {
	out := make([]component, len(parts))
	for i, part := range parts {
		switch part := part.(type) {
		case discordgo.TextDisplay:
			part.Content = ownEmoji.ReplaceAllString(part.Content, "")
			out[i] = part
		case discordgo.Button:
			part.Emoji = nil
			out[i] = part
		case discordgo.SelectMenu:
			part.Options = slices.Clone(part.Options)
			for n := range part.Options {
				part.Options[n].Emoji = nil
			}
			out[i] = part
		case discordgo.ActionsRow:
			part.Components = plain(part.Components)
			out[i] = part
		case discordgo.Container:
			part.Components = plain(part.Components)
			out[i] = part
		default:
			out[i] = part
		}
	}
	return out
}

// HasPictures reports whether a message shows pictures of its own.
func HasPictures(m discord.Message) bool {
	return slices.ContainsFunc(m.Files, func(f discord.File) bool { return f.ContentType == pictureType })
}

// TableAlternative says what the picture of a table shows, for those who do not see it.
func (pr *Printer) TableAlternative(p *table.Public) string {
	return pr.tableAlternative(p, func(int, int) (paladin.Card, bool) { return 0, false })
}

// tableAlternative is TableAlternative with what is known of cards that lie face down, by the numbers of the quest and of the place.
func (pr *Printer) tableAlternative(p *table.Public, known func(quest, place int) (paladin.Card, bool)) string {
	if p.Game == nil {
		return ""
	}
	g := p.Game
	lines := []string{pr.Say("pictures.round", "round", g.Round, "rounds", g.Rounds)}
	for _, q := range g.Row {
		lines = append(lines, pr.questAlternative(q, known))
	}
	for i, seat := range g.Seats {
		lines = append(lines, pr.Say("pictures.seat", "token", pr.tokenWord(paladin.Seat(i)), "seat", i+1,
			"honour", pr.honour(seat.Honour), "cards", pr.plural("words.cards", seat.Hand)))
	}
	lines = append(lines, pr.Say("pictures.piles", "supply", pr.plural("words.cards", g.Supply),
		"discards", pr.plural("words.cards", len(g.Discards)), "quests", g.QuestsLeft))
	return clip(strings.Join(lines, " "), maxAlternative)
}

func (pr *Printer) questAlternative(q paladin.PublicQuest, known func(quest, place int) (paladin.Card, bool)) string {
	with := []any{"quest", q.Number, "honour", pr.honour(q.Honour), "deck", pr.deckName(q.King)}
	switch {
	case q.Won:
		card := "?"
		if c, ok := q.Kept.Card(); ok {
			card = c.String()
		}
		return pr.Say("pictures.quest_won", append(with, "token", pr.tokenWord(q.WonBy), "card", card)...)
	case len(q.Cards) == 0:
		return pr.Say("pictures.quest_empty", with...)
	}
	cards := make([]string, len(q.Cards))
	for i, c := range q.Cards {
		cards[i] = pr.tokenWord(c.Seat) + " ?"
		card, ok := c.Card.Card()
		if !ok {
			card, ok = known(q.Number, c.Place)
		}
		if ok {
			cards[i] = pr.tokenWord(c.Seat) + " " + card.String()
		}
	}
	return pr.Say("pictures.quest", append(with, "cards", strings.Join(cards, ", "))...)
}

// HandAlternative says what the picture of a hand shows.
func (pr *Printer) HandAlternative(hand []paladin.Card) string {
	words := make([]string, len(hand))
	for i, c := range hand {
		words[i] = c.String()
	}
	return clip(pr.Say("pictures.hand", "cards", strings.Join(words, ", ")), maxAlternative)
}

// ResultAlternative says what the picture of a result shows.
func (pr *Printer) ResultAlternative(p *table.Public) string {
	if p.Game == nil {
		return ""
	}
	var lines []string
	for _, seat := range byHonour(p.Game) {
		lines = append(lines, pr.Say("pictures.result", "token", pr.tokenWord(seat), "seat", seat.Number(), "honour", pr.honour(p.Game.Seats[seat].Honour)))
	}
	return clip(strings.Join(lines, " "), maxAlternative)
}
