package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// pageBot is a bot of a few lines that talks to the sandbox's REST and gateway directly. Its message has one of
// everything; what it has been asked to do later it does when the test says so.
type pageBot struct {
	t     *testing.T
	base  string // ends with a slash
	token string
	appID string
	conn  *websocket.Conn

	mu      sync.Mutex
	joined  int
	waiting string // the token of the deferred interaction

	ignored chan struct{} // told of each press that the bot leaves unanswered
}

type list = []any

// botInteraction is what the bot reads of an interaction.
type botInteraction struct {
	ID, Token string
	Type      int
	Member    struct{ User struct{ ID string } }
	User      struct{ ID string }
	Data      struct {
		CustomID   string `json:"custom_id"`
		Values     []string
		Components []struct {
			Components []struct{ Value string }
			Component  struct {
				Value  any
				Values []string
			}
		}
		Options []botOption
	}
}

type botOption struct {
	Name    string
	Value   any
	Focused bool
	Options []botOption
}

// startPageBot connects the bot and registers its commands.
func startPageBot(t *testing.T, s *Server, base string) *pageBot {
	t.Helper()
	b := &pageBot{t: t, base: base, token: s.Token(), appID: s.ApplicationID(), ignored: make(chan struct{}, 64)}
	b.call(http.MethodPut, "applications/"+b.appID+"/commands", pageBotCommands())
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(base, "http")+"gateway/?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	b.conn = conn
	identify := object{"op": 2, "d": object{"token": b.token, "intents": 1, "properties": object{"os": "linux", "browser": "test", "device": "test"}}}
	ready := make(chan struct{})
	done := make(chan struct{})
	go b.read(identify, ready, done)
	<-ready
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	return b
}

func (b *pageBot) read(identify object, ready, done chan struct{}) {
	defer close(done)
	for {
		var packet struct {
			Op int
			T  string
			D  json.RawMessage
		}
		if err := b.conn.ReadJSON(&packet); err != nil {
			return
		}
		switch {
		case packet.Op == 10:
			if err := b.conn.WriteJSON(identify); err != nil {
				return
			}
		case packet.Op == 1:
			_ = b.conn.WriteJSON(object{"op": 1, "d": nil})
		case packet.T == "READY":
			close(ready)
		case packet.T == "INTERACTION_CREATE":
			var i botInteraction
			if err := json.Unmarshal(packet.D, &i); err != nil {
				b.t.Errorf("an interaction cannot be read: %v", err)
				return
			}
			b.handle(i)
		}
	}
}

// call does one REST request and fails the test if it is refused.
func (b *pageBot) call(method, path string, body any) []byte {
	content, err := json.Marshal(body)
	if err != nil {
		b.t.Error(err)
		return nil
	}
	return b.send(method, path, "application/json", bytes.NewReader(content))
}

func (b *pageBot) send(method, path, contentType string, body io.Reader) []byte {
	req, err := http.NewRequest(method, b.base+"api/v10/"+path, body)
	if err != nil {
		b.t.Error(err)
		return nil
	}
	req.Header.Set("Authorization", "Bot "+b.token)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1.0)")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		b.t.Errorf("%s %s: %d %s %v", method, path, resp.StatusCode, answer, err)
	}
	return answer
}

// post writes a message into a channel, with files in the order of their names: a text where the name ends so, else
// a picture. It returns the message's id.
func (b *pageBot) post(channel string, payload object, files ...string) string {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	content, err := json.Marshal(payload)
	if err == nil {
		err = form.WriteField("payload_json", string(content))
	}
	for i, name := range files {
		var part io.Writer
		switch part, err = form.CreateFormFile(fmt.Sprintf("files[%d]", i), name); {
		case err != nil:
		case strings.HasSuffix(name, ".txt"):
			_, err = io.WriteString(part, strings.Repeat("A rule.\n", 300))
		default:
			err = png.Encode(part, image.NewGray(image.Rect(0, 0, 640, 400)))
		}
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	var posted struct{ ID string }
	if err := json.Unmarshal(b.send(http.MethodPost, "channels/"+channel+"/messages", form.FormDataContentType(), &body), &posted); err != nil {
		b.t.Fatal(err)
	}
	return posted.ID
}

func (b *pageBot) respond(i botInteraction, typ int, data any) {
	body := object{"type": typ}
	if data != nil {
		body["data"] = data
	}
	b.call(http.MethodPost, "interactions/"+i.ID+"/"+i.Token+"/callback", body)
}

func private(text string, components ...any) object {
	content := append(list{object{"type": TypeTextDisplay, "content": text}}, components...)
	return object{"flags": FlagComponentsV2 | FlagEphemeral, "components": content, "allowed_mentions": object{"parse": list{}}}
}

func row(components ...any) object {
	return object{"type": TypeActionRow, "components": components}
}

func pressable(style int, label, id string) object {
	return object{"type": TypeButton, "style": style, "label": label, "custom_id": id}
}

// someMonthsOn is a moment that is to come whenever the tests run: pages tell it in months, so it ends in none of them.
func someMonthsOn() int64 { return time.Now().AddDate(0, 5, 15).Unix() }

// board is the bot's public message.
func (b *pageBot) board(title string) object {
	off := pressable(ButtonSecondary, "Closed", "off")
	off["disabled"] = true
	return object{"flags": FlagComponentsV2, "allowed_mentions": object{"parse": list{}}, "components": list{object{
		"type": TypeContainer, "accent_color": 0xb8860b, "components": list{
			object{"type": TypeTextDisplay, "content": fmt.Sprintf("# %s\nJoined: **%d**, waiting until <t:%d:R>\n-# three quests, five cards each", title, b.joined, someMonthsOn())},
			object{"type": TypeSection, "components": list{object{"type": TypeTextDisplay, "content": "Quest 1 · honour **7** · red\n1. `7r` Ann leads\n2. face down, Ben"}},
				"accessory": pressable(ButtonSecondary, "Details", "details")},
			object{"type": TypeSeparator, "divider": true, "spacing": 1},
			row(pressable(ButtonPrimary, "Join", "join"), pressable(ButtonSecondary, "My seat", "seat"), pressable(ButtonSuccess, "Note", "note"),
				pressable(ButtonDanger, "Silent", "silent"), off),
			row(pressable(ButtonSecondary, "Think", "think"), object{"type": TypeButton, "style": ButtonLink, "label": "Rules", "url": "https://example.org/rules"}),
			row(object{"type": TypeStringSelect, "custom_id": "card", "placeholder": "Choose a card", "options": list{
				object{"label": "7r", "value": "7r", "description": "red seven"}, object{"label": "3b", "value": "3b", "description": "blue three"}}}),
			row(object{"type": TypeStringSelect, "custom_id": "several", "placeholder": "Choose quests", "min_values": 1, "max_values": 2, "options": list{
				object{"label": "Quest 1", "value": "1"}, object{"label": "Quest 2", "value": "2"}, object{"label": "Quest 3", "value": "3"}}}),
			row(object{"type": TypeUserSelect, "custom_id": "who", "placeholder": "Invite somebody"}),
		}}}}
}

func (b *pageBot) handle(i botInteraction) {
	b.mu.Lock()
	defer b.mu.Unlock()
	user := i.Member.User.ID
	if user == "" {
		user = i.User.ID
	}
	switch i.Type {
	case 2:
		b.command(i)
	case 4:
		b.complete(i)
	case 5:
		text := ""
		for _, c := range i.Data.Components {
			if v := c.Component.Value; v != nil {
				text += fmt.Sprint(v)
			}
			text += strings.Join(c.Component.Values, "+")
			for _, inner := range c.Components {
				text += inner.Value
			}
		}
		b.respond(i, 4, private("You wrote: "+text))
	case 3:
		b.component(i, user)
	}
}

func (b *pageBot) component(i botInteraction, user string) {
	switch i.Data.CustomID {
	case "join":
		b.joined++
		b.respond(i, 7, b.board("The table"))
	case "seat":
		b.respond(i, 4, private("Your hand, <@"+user+">: `7r` `3b`", row(pressable(ButtonPrimary, "Place 7r", "place"))))
	case "place":
		b.respond(i, 7, private("You placed **7r**.", row(pressable(ButtonSecondary, "Take back", "place-undo"))))
	case "note":
		b.respond(i, 9, object{"custom_id": "note-form", "title": "Your note", "components": list{
			object{"type": TypeLabel, "label": "Note", "description": "Only you see it", "component": object{"type": TypeTextInput, "custom_id": "text", "style": 1, "max_length": 80}}}})
	case "form":
		field := func(label string, component object) object {
			return object{"type": TypeLabel, "label": label, "component": component}
		}
		options := list{object{"label": "Red", "value": "r", "description": "beats blue"}, object{"label": "Blue", "value": "b"}}
		b.respond(i, 9, object{"custom_id": "whole-form", "title": "Everything", "components": list{
			field("Card", object{"type": TypeStringSelect, "custom_id": "card", "options": options}),
			field("Colour", object{"type": TypeRadioGroup, "custom_id": "radio", "options": options}),
			field("Colours", object{"type": TypeCheckboxGroup, "custom_id": "boxes", "options": options, "min_values": 2}),
			field("Quests", object{"type": TypeStringSelect, "custom_id": "quests", "options": options, "max_values": 2, "required": false, "min_values": 0}),
			field("Aloud", object{"type": TypeCheckbox, "custom_id": "box"})}})
	case "think":
		b.waiting = i.Token
		b.respond(i, 5, object{"flags": FlagEphemeral})
	case "card", "several", "who":
		b.respond(i, 4, private("You chose: "+strings.Join(i.Data.Values, " and ")))
	case "silent":
		b.ignored <- struct{}{}
	default:
		b.respond(i, 4, private("pressed "+i.Data.CustomID))
	}
}

// finish gives the answer that was promised to the last press of Think.
func (b *pageBot) finish(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit := private(text)
	edit["flags"] = FlagComponentsV2
	b.call(http.MethodPatch, "webhooks/"+b.appID+"/"+b.waiting+"/messages/@original", edit)
}

func (b *pageBot) command(i botInteraction) {
	sub := i.Data.Options[0]
	switch sub.Name {
	case "new":
		title := "The table"
		for _, o := range sub.Options {
			if o.Name == "title" {
				title = fmt.Sprint(o.Value)
			}
		}
		b.respond(i, 4, b.board(title))
	case "place":
		text := "Placed"
		for _, o := range sub.Options {
			text += fmt.Sprintf(" %s=%v", o.Name, o.Value)
		}
		b.respond(i, 4, private(text))
	}
}

// complete offers the cards whose name begins with what is typed.
func (b *pageBot) complete(i botInteraction) {
	choices := list{}
	for _, o := range i.Data.Options[0].Options {
		if !o.Focused {
			continue
		}
		for _, card := range []string{"7r", "3b", "5g"} {
			if strings.HasPrefix(card, fmt.Sprint(o.Value)) {
				choices = append(choices, object{"name": card + " (in hand)", "value": card})
			}
		}
	}
	b.respond(i, 8, object{"choices": choices})
}

func pageBotCommands() list {
	return list{object{"name": "paladin", "description": "Play Paladin", "type": 1, "contexts": list{0}, "integration_types": list{0}, "options": list{
		object{"type": OptionSubcommand, "name": "new", "description": "Open a table here", "options": list{
			object{"type": OptionString, "name": "title", "description": "What it is called"},
			object{"type": OptionInteger, "name": "seats", "description": "How many play", "min_value": 3, "max_value": 5}}},
		object{"type": OptionSubcommand, "name": "place", "description": "Place a card on a quest",
			"name_localizations": object{"de": "legen"}, "description_localizations": object{"de": "Lege eine Karte"}, "options": list{
				object{"type": OptionString, "name": "card", "description": "A card of your hand", "name_localizations": object{"de": "karte"}, "required": true, "autocomplete": true},
				object{"type": OptionInteger, "name": "quest", "description": "Where to", "required": true, "choices": list{
					object{"name": "Quest 1", "value": 1}, object{"name": "Quest 2", "value": 2}}},
				object{"type": OptionUser, "name": "friend", "description": "Somebody to tell"},
				object{"type": OptionBoolean, "name": "loud", "description": "Say it aloud"}}},
		object{"type": OptionSubcommand, "name": "help", "description": "What this is"},
		object{"type": OptionSubcommand, "name": "ace", "description": "What an ace is"}}}}
}
