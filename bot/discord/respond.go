package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

// ResponseKind is the way an interaction is answered first.
type ResponseKind int

// The first answers Discord knows.
const (
	Reply       ResponseKind = 4 // a new message
	DeferReply  ResponseKind = 5 // "thinking": a new message follows by EditOriginal
	DeferUpdate ResponseKind = 6 // the pressed message will be edited by EditOriginal
	Update      ResponseKind = 7 // edit the pressed message
	Suggest     ResponseKind = 8 // autocomplete choices
	OpenModal   ResponseKind = 9
)

// Response is the first answer to an interaction.
type Response struct {
	Kind ResponseKind
	// Message is used by Reply and Update; DeferReply reads its Ephemeral only.
	Message Message
	// Choices are used by Suggest, at most 25.
	Choices []Choice
	// Modal is used by OpenModal.
	Modal Modal
}

// Choice is one suggestion. Value is a string or a number, as the option wants.
type Choice struct {
	Name  string
	Value any
}

// Modal is a form.
type Modal struct {
	CustomID   string
	Title      string
	Components []discordgo.MessageComponent
}

const (
	// firstAnswer is how long Discord waits for the first answer.
	firstAnswer = 3 * time.Second
	// leastTry is what an attempt gets even when the three seconds are over by
	// our clock: Discord's may differ, and only Discord's counts.
	leastTry = 700 * time.Millisecond
)

// Respond sends the first answer to i. It must arrive within 3 seconds of i, so
// that it is neither queued nor counted: if there is no clear answer it is tried
// once more inside that time. AlreadyAcknowledged on the second attempt means
// that the first arrived, and is success; the message's id is then unknown.
func (c *Client) Respond(ctx context.Context, i *Interaction, r Response) (MessageRef, error) {
	rq, p, err := callback(i, &r)
	if err != nil {
		return MessageRef{}, err
	}
	left := max(firstAnswer-c.cfg.Now().Sub(i.Received), 2*leastTry)
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()

	attempt, stop := context.WithTimeout(ctx, left*3/5)
	res, e := c.once(attempt, rq)
	stop()
	if e != nil && c.secondChance(ctx, rq, e) {
		sent := e.Sent
		if res, e = c.once(ctx, rq); e != nil && sent && e.class() == AlreadyAcknowledged {
			return MessageRef{Channel: i.Channel}, nil
		}
	}
	if e != nil && p.stale(e) {
		r.Message.Has = nil
		if again, whole, cannot := callback(i, &r); cannot == nil {
			p = whole
			again.unclear = rq.unclear
			rq = again
			res, e = c.once(ctx, rq)
		}
	}
	if e != nil {
		return MessageRef{}, e
	}
	p.unclear = rq.unclear
	return callbackRef(res.body, i, r.Kind, p), nil
}

// secondChance reports whether a failed callback can be sent again in time.
func (c *Client) secondChance(ctx context.Context, rq *request, e *Error) bool {
	if ctx.Err() != nil {
		return false
	}
	switch e.class() {
	case Temporary:
		return true
	case Invalid, Other:
		return e.form == formPage // a proxy's, which says nothing of the callback
	case RateLimited:
		return e.Status != 0 && c.limits.pause(ctx, rq, e.RetryAfter, "") == nil
	}
	return false
}

type choice struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// callback makes the request that answers i, and what message it carries.
func callback(i *Interaction, r *Response) (*request, *parcel, error) {
	rq := &request{
		op: "answer interaction", method: http.MethodPost, token: true, secret: i.Token,
		route: "/interactions/{interaction}/{token}/callback",
		path:  "/interactions/" + url.PathEscape(i.ID) + "/" + url.PathEscape(i.Token) + "/callback",
	}
	if i.ID == "" || i.Token == "" {
		return nil, nil, invalid(rq.op, "the interaction has no id or no token")
	}
	body := struct {
		Type ResponseKind `json:"type"`
		Data any          `json:"data,omitempty"`
	}{Type: r.Kind}
	p := &parcel{}
	switch r.Kind {
	case Reply, Update:
		var err error
		if p, err = r.Message.pack(rq.op, r.Kind == Update); err != nil {
			return nil, nil, err
		}
		rq.path += "?with_response=true"
		body.Data = p.payload
	case DeferReply:
		// Anything but the ephemeral flag is ignored here.
		if r.Message.Ephemeral {
			body.Data = map[string]int{"flags": flagEphemeral}
		}
	case DeferUpdate:
	case Suggest:
		list := make([]choice, len(r.Choices))
		for n, ch := range r.Choices {
			list[n] = choice(ch)
		}
		body.Data = map[string][]choice{"choices": list}
	case OpenModal:
		if slices.Contains(r.Modal.Components, nil) {
			return nil, nil, invalid(rq.op, "a component of the modal is nil")
		}
		body.Data = modalData{r.Modal.CustomID, r.Modal.Title, r.Modal.Components}
	default:
		return nil, nil, invalid(rq.op, "no such answer: %d", r.Kind)
	}
	if err := rq.put(body, p); err != nil {
		return nil, nil, err
	}
	return rq, p, nil
}

type modalData struct {
	CustomID   string                       `json:"custom_id"`
	Title      string                       `json:"title"`
	Components []discordgo.MessageComponent `json:"components"`
}

// callbackRef finds the message in the answer to a callback. An empty or odd
// answer is no failure: the status said that it was taken.
func callbackRef(body []byte, i *Interaction, kind ResponseKind, p *parcel) MessageRef {
	var w struct {
		Interaction struct {
			Message snowflake `json:"response_message_id"`
		} `json:"interaction"`
		Resource struct {
			Message wireMessage `json:"message"`
		} `json:"resource"`
	}
	_ = json.Unmarshal(body, &w)
	ref := p.ref(&w.Resource.Message, i.Channel)
	if ref.ID == "" {
		ref.ID = string(w.Interaction.Message)
	}
	if kind == Update && ref.ID == "" {
		ref.ID = i.Message.ID
	}
	return ref
}

// EditOriginal replaces the first answer to i, or after DeferUpdate and Update
// the pressed message. It fails with TokenExpired without a request once the
// token's 15 minutes are over, because such requests count towards a ban.
func (c *Client) EditOriginal(ctx context.Context, i *Interaction, m Message) (MessageRef, error) {
	rq, err := c.webhook(i, "edit answer", http.MethodPatch, "/messages/@original")
	if err != nil {
		return MessageRef{}, err
	}
	rq.safe = true
	return c.edit(ctx, rq, m, i.Channel)
}

// Original asks where the first answer to i is.
func (c *Client) Original(ctx context.Context, i *Interaction) (MessageRef, error) {
	rq, err := c.webhook(i, "get answer", http.MethodGet, "/messages/@original")
	if err != nil {
		return MessageRef{}, err
	}
	rq.safe = true
	body, err := c.do(ctx, rq)
	if err != nil {
		return MessageRef{}, err
	}
	w := readMessage(body)
	return MessageRef{ID: string(w.ID), Channel: first(w.ChannelID, snowflake(i.Channel)), Attachments: w.attachments()}, nil
}

// DeleteOriginal deletes the first answer to i.
func (c *Client) DeleteOriginal(ctx context.Context, i *Interaction) error {
	rq, err := c.webhook(i, "delete answer", http.MethodDelete, "/messages/@original")
	if err != nil {
		return err
	}
	rq.safe = true
	_, err = c.do(ctx, rq)
	return err
}

// FollowUp sends a further message by the token of i. It is not repeated after
// an unclear failure: Discord knows no nonce here.
func (c *Client) FollowUp(ctx context.Context, i *Interaction, m Message) (MessageRef, error) {
	rq, err := c.webhook(i, "follow up", http.MethodPost, "")
	if err != nil {
		return MessageRef{}, err
	}
	rq.path += "?wait=true"
	p, err := m.pack(rq.op, false)
	if err != nil {
		return MessageRef{}, err
	}
	if err := rq.put(p.payload, p); err != nil {
		return MessageRef{}, err
	}
	body, err := c.do(ctx, rq)
	if err != nil {
		return MessageRef{}, err
	}
	return p.ref(readMessage(body), i.Channel), nil
}

// webhook makes a request by the token of i.
func (c *Client) webhook(i *Interaction, op, method, tail string) (*request, error) {
	if !i.TokenAlive(c.cfg.Now()) {
		return nil, &Error{Op: op, Code: CodeTokenExpired, Message: "the interaction's token is too old to be used", token: true}
	}
	app := cmp.Or(i.ApplicationID, c.identity().app, c.identity().user)
	if app == "" {
		return nil, invalid(op, "the application's id is not known")
	}
	return &request{
		op: op, method: method, token: true, secret: i.Token,
		route: "/webhooks/{application}/{token}" + tail,
		path:  "/webhooks/" + url.PathEscape(app) + "/" + url.PathEscape(i.Token) + tail,
	}, nil
}
