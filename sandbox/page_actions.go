package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	actionBytes = 256 << 10
	actionTime  = 10 * time.Second // an interaction is decided after three
)

// pageAsk is what a window asks to be done.
type pageAsk struct {
	User        string              `json:"user"`
	Channel     string              `json:"channel"`
	Message     string              `json:"message"`
	CustomID    string              `json:"custom_id"`
	Values      []string            `json:"values"`
	Interaction string              `json:"interaction"`
	Fields      map[string][]string `json:"fields"`
	Command     string              `json:"command"`
	Sub         string              `json:"sub"`
	Options     []pageOption        `json:"options"`
	Focused     string              `json:"focused"`
	Text        string              `json:"text"`
	Guild       string              `json:"guild"`
	On          bool                `json:"on"`
}

// pageOption is an option as typed; Type is the option's type.
type pageOption struct {
	Name string `json:"name"`
	Type int    `json:"type"`
	Text string `json:"text"`
}

// pageAnswer is what the window learns at once; the rest comes over its live connection.
type pageAnswer struct {
	Error   string   `json:"error,omitempty"`   // why nothing was done
	Failed  string   `json:"failed,omitempty"`  // what the client says when the bot did not answer
	Modal   string   `json:"modal,omitempty"`   // a form to show
	Choices []Choice `json:"choices,omitempty"` // of an autocompletion
	Open    string   `json:"open,omitempty"`    // an address to go to
}

type actionFunc func(context.Context, pageAsk) (pageAnswer, error)

// actions are what the page can do, by the last part of their address.
func (p *page) actions() map[string]actionFunc {
	return map[string]actionFunc{
		"say": p.doSay, "dismiss": p.doDismiss, "press": p.doPress, "select": p.doSelect, "modal": p.doModal,
		"command": p.doCommand, "autocomplete": p.doAutocomplete,
		"add-person": p.doAddPerson, "add-channel": p.doAddChannel, "add-thread": p.doAddThread,
		"delete-message": p.doDeleteMessage, "delete-channel": p.doDeleteChannel,
		"archive": p.doArchive, "lock": p.doLock, "close-dms": p.doCloseDMs, "bot-member": p.doBotMember,
		"bot-writes": p.doBotWrites, "leave": p.doLeave, "language": p.doLanguage, "guild-language": p.doGuildLanguage,
	}
}

// action serves one action: a JSON object in, a JSON object out.
func (p *page) action(do actionFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			writeJSON(w, http.StatusUnsupportedMediaType, pageAnswer{Error: "the page sends JSON"})
			return
		}
		var in pageAsk
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, actionBytes))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&in); err != nil {
			writeJSON(w, http.StatusBadRequest, pageAnswer{Error: "the request cannot be read: " + err.Error()})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), actionTime)
		defer cancel()
		out, err := do(ctx, in)
		if err != nil {
			writeJSON(w, http.StatusUnprocessableEntity, pageAnswer{Error: faultWords(err)})
			return
		}
		p.follow()
		p.changed()
		writeJSON(w, http.StatusOK, out)
	})
}

// faultWords says to a person why something was not done, and what to do.
func faultWords(err error) string {
	var own pageError
	if errors.As(err, &own) {
		return own.text
	}
	for _, known := range []struct {
		err    error
		text   string
		detail bool // what the error says beside it is worth reading
	}{
		{ErrNoComponent, "That is not on the message any more: it has just changed. Press what it offers now.", false},
		{ErrDisabled, "That is switched off at the moment.", false},
		{ErrUnknownUser, "That person is not here any more.", false},
		{ErrNotVisible, "That message or channel is not there any more.", false},
		{ErrNotFound, "That is not there any more.", false},
		{ErrNoAnswer, "The bot did not answer in time.", false},
		{ErrClosed, "The sandbox is being stopped.", false},
		{ErrUnknownCommand, "That command is not offered here", true},
		{ErrForbidden, "That is not allowed here", true},
		{ErrInvalidValue, "That does not fit", true},
	} {
		if !errors.Is(err, known.err) {
			continue
		}
		detail := strings.TrimSuffix(strings.TrimSuffix(err.Error(), known.err.Error()), ": ")
		switch {
		case !known.detail:
			return known.text
		case detail == "":
			return known.text + "."
		}
		return known.text + ": " + detail + "."
	}
	return "This could not be done: " + err.Error() + "."
}

// outcome waits for the bot's first answer and says what of it the window must be told at once.
func (p *page) outcome(ctx context.Context, in pageAsk, i *Interaction, err error) (pageAnswer, error) {
	if err != nil {
		return pageAnswer{}, err
	}
	result, err := i.First(ctx)
	if err != nil {
		return pageAnswer{}, err
	}
	switch {
	case result.Outcome == Failed && result.Message == nil:
		text := result.Text
		if text == "" {
			text = "This interaction failed"
		}
		return pageAnswer{Failed: text}, nil
	case result.Outcome == ModalOpened && result.Modal != nil:
		return p.modal(in, result.Modal)
	}
	return pageAnswer{}, nil
}

func (p *page) modal(in pageAsk, m *Modal) (pageAnswer, error) {
	v, err := p.view(pageWindow{User: in.User, Channel: in.Channel})
	if err != nil {
		return pageAnswer{}, err
	}
	f, err := p.fragment("modal", newModal(m, v))
	return pageAnswer{Modal: f.HTML}, err
}

func (p *page) doSay(ctx context.Context, in pageAsk) (pageAnswer, error) {
	if strings.TrimSpace(in.Text) == "" {
		return pageAnswer{}, pageErrorf("The message is empty.")
	}
	m, err := p.s.Say(ctx, in.User, in.Channel, in.Text)
	if err != nil {
		return pageAnswer{}, err
	}
	p.markRead(in.User, in.Channel, m.ID)
	return pageAnswer{}, nil
}

func (p *page) doDismiss(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.Dismiss(in.User, in.Channel, in.Message)
}

func (p *page) doPress(ctx context.Context, in pageAsk) (pageAnswer, error) {
	i, err := p.s.Press(ctx, in.User, in.Channel, in.Message, in.CustomID)
	return p.outcome(ctx, in, i, err)
}

func (p *page) doSelect(ctx context.Context, in pageAsk) (pageAnswer, error) {
	i, err := p.s.Select(ctx, in.User, in.Channel, in.Message, in.CustomID, in.Values...)
	return p.outcome(ctx, in, i, err)
}

func (p *page) doModal(ctx context.Context, in pageAsk) (pageAnswer, error) {
	i, err := p.s.SubmitModal(ctx, in.User, in.Interaction, in.Fields)
	return p.outcome(ctx, in, i, err)
}

func (p *page) doCommand(ctx context.Context, in pageAsk) (pageAnswer, error) {
	var options []Option
	for _, o := range in.Options {
		value, err := optionValue(o)
		if err != nil {
			return pageAnswer{}, err
		}
		options = append(options, Option{o.Name, value})
	}
	i, err := p.s.Command(ctx, in.User, in.Channel, in.Command, in.Sub, options...)
	return p.outcome(ctx, in, i, err)
}

func (p *page) doAutocomplete(ctx context.Context, in pageAsk) (pageAnswer, error) {
	var options []Option
	for _, o := range in.Options {
		value, err := optionValue(o)
		if err != nil || o.Name == in.Focused {
			// What is being typed goes out as it is; what cannot be read yet is left out.
			if o.Name != in.Focused {
				continue
			}
			value = o.Text
		}
		options = append(options, Option{o.Name, value})
	}
	choices, err := p.s.Autocomplete(ctx, in.User, in.Channel, in.Command, in.Sub, in.Focused, options...)
	return pageAnswer{Choices: localizedChoices(choices, p.s.Locale(in.User))}, err
}

// optionValue reads what was typed for an option of a command.
func optionValue(o pageOption) (any, error) {
	text := strings.TrimSpace(o.Text)
	switch o.Type {
	case OptionInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > 1<<53 || n < -1<<53 {
			return nil, pageErrorf("%s: %q is not a whole number.", o.Name, o.Text)
		}
		return n, nil
	case OptionNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, pageErrorf("%s: %q is not a number.", o.Name, o.Text)
		}
		return n, nil
	case OptionBoolean:
		if text != "true" && text != "false" {
			return nil, pageErrorf("%s: choose True or False.", o.Name)
		}
		return text == "true", nil
	case OptionUser, OptionChannel, OptionRole, OptionMentionable:
		if !isSnowflake(text) {
			return nil, pageErrorf("%s: choose from the list.", o.Name)
		}
		return text, nil
	case OptionAttachment:
		return nil, pageErrorf("%s: files cannot be sent from this page.", o.Name)
	}
	return o.Text, nil
}

func (p *page) doAddPerson(_ context.Context, in pageAsk) (pageAnswer, error) {
	name := strings.TrimSpace(in.Text)
	if name == "" {
		return pageAnswer{}, pageErrorf("Give the new person a name.")
	}
	var guilds []string
	for _, g := range p.s.Guilds(in.User) {
		guilds = append(guilds, g.ID)
	}
	u, err := p.s.AddUser(name, guilds...)
	if err != nil {
		return pageAnswer{}, err
	}
	return pageAnswer{Open: pageLink(u.ID, in.Channel, "")}, nil
}

// doLanguage sets the language of the person's client.
func (p *page) doLanguage(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.SetLocale(in.User, in.Text)
}

func (p *page) doGuildLanguage(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.SetGuildLocale(in.Guild, in.Text)
}

func (p *page) doAddChannel(_ context.Context, in pageAsk) (pageAnswer, error) {
	c, err := p.s.AddChannel(in.Guild, strings.TrimSpace(in.Text))
	if err != nil {
		return pageAnswer{}, err
	}
	return pageAnswer{Open: pageLink(in.User, c.ID, "")}, nil
}

func (p *page) doAddThread(_ context.Context, in pageAsk) (pageAnswer, error) {
	c, err := p.s.AddThread(in.Channel, strings.TrimSpace(in.Text))
	if err != nil {
		return pageAnswer{}, err
	}
	return pageAnswer{Open: pageLink(in.User, c.ID, "")}, nil
}

func (p *page) doDeleteMessage(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.DeleteMessage(in.Channel, in.Message)
}

func (p *page) doDeleteChannel(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.DeleteChannel(in.Channel)
}

func (p *page) doArchive(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.ArchiveThread(in.Channel, in.On)
}

func (p *page) doLock(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.LockThread(in.Channel, in.On)
}

func (p *page) doCloseDMs(_ context.Context, in pageAsk) (pageAnswer, error) {
	return pageAnswer{}, p.s.CloseDMs(in.User, in.On)
}

func (p *page) doBotMember(_ context.Context, in pageAsk) (pageAnswer, error) {
	if in.On {
		return pageAnswer{}, p.s.InviteBot(in.Guild)
	}
	return pageAnswer{}, p.s.KickBot(in.Guild)
}

// doBotWrites lets the bot write in a channel, or takes that from it.
func (p *page) doBotWrites(_ context.Context, in pageAsk) (pageAnswer, error) {
	bits := PermBot
	if !in.On {
		bits &^= PermSendMessages | PermSendInThreads
	}
	return pageAnswer{}, p.s.SetPermissions(in.Channel, bits)
}

func (p *page) doLeave(_ context.Context, in pageAsk) (pageAnswer, error) {
	if in.On {
		return pageAnswer{}, p.s.AddMember(in.Guild, in.User)
	}
	return pageAnswer{}, p.s.RemoveMember(in.Guild, in.User)
}
