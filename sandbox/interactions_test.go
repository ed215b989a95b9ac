package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/sandbox"
)

// now is how an interaction stands for the person.
func now(t *testing.T, i *sandbox.Interaction, want sandbox.Outcome) sandbox.Result {
	t.Helper()
	r := i.Result()
	if r.Outcome != want {
		t.Fatalf("the person sees %q (%q), want %q", r.Outcome, r.Text, want)
	}
	return r
}

func TestThreeSeconds(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	_, i, press := w.newPress(g)
	w.pass(3 * time.Second)
	now(t, i, sandbox.Waiting)
	press.answer(6, nil).fine()
	now(t, i, sandbox.Acknowledged)

	_, i, press = w.newPress(g)
	w.clock.move(3*time.Second + time.Millisecond)
	press.answer(6, nil).refused(404, 10062)
	if r := now(t, i, sandbox.Failed); r.Text != "This interaction failed" {
		t.Errorf("a failed press says %q", r.Text)
	}
	w.do("POST", press.hook(""), obj{"content": "late"}).refused(404, 10015)

	i = check[*sandbox.Interaction](t)(w.s.Command(t.Context(), w.ann, w.channel, "help", ""))
	w.interaction(g)
	w.pass(4 * time.Second)
	if r, err := i.Wait(t.Context()); err != nil || r.Outcome != sandbox.Failed || r.Text != "The application did not respond" {
		t.Errorf("an unanswered command: %+v, %v", r, err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, _ := w.newPress(g)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCallbackTwice(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, _, press := w.newPress(g)
	press.answer(4, obj{"content": "once"}).fine()
	press.answer(4, obj{"content": "twice"}).refused(400, 40060)
	w.pass(time.Minute)
	press.answer(4, obj{"content": "late"}).refused(400, 40060)
	w.do("POST", "/interactions/"+press.id()+"/wrong/callback", obj{"type": 6}).refused(404, 10062)
	w.do("POST", "/interactions/1/"+press.token()+"/callback", obj{"type": 6}).refused(404, 10062)
}

func TestTokenLife(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(4, obj{"content": "hand", "flags": 64}).fine()
	w.pass(15 * time.Minute)
	press.original("PATCH", obj{"content": "still"}).fine()
	w.pass(time.Millisecond)
	press.original("PATCH", obj{"content": "over"}).refused(401, 50027)
	press.original("GET", nil).refused(401, 50027)
	w.do("POST", press.hook(""), obj{"content": "over"}).refused(401, 50027)
	if r := i.Result(); r.Message.Content != "still" {
		t.Errorf("the person sees %q", r.Message.Content)
	}
	if _, found := w.s.Interaction(press.id()); found {
		t.Error("an interaction is remembered although its token is over")
	}
	w.do("POST", "/webhooks/1/"+press.token(), obj{"content": "x"}).refused(404, 10015)
}

func TestDeferredReplyThatNeverComes(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(5, obj{"flags": 64}).fine()
	r := now(t, i, sandbox.Thinking)
	if m := r.Message; !m.View.Thinking || !m.View.Ephemeral || m.Flags&sandbox.FlagLoading == 0 {
		t.Errorf("a deferred reply looks like %+v", m.View)
	}
	w.pass(15*time.Minute + time.Second)
	if r, err := i.Wait(t.Context()); err != nil || r.Outcome != sandbox.Failed || r.Message.View.Failed == "" || r.Message.View.Thinking {
		t.Errorf("after the token's life: %+v, %v", r, err)
	}
}

// Whether a deferred reply is ephemeral is settled by the deferral; the V2 flag
// comes with the edit.
func TestDeferral(t *testing.T) {
	for _, tt := range []struct {
		name            string
		deferral, later int
		ephemeral       bool
	}{
		{"ephemeral", 64, 0, true},
		{"public", 0, 64, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			g := w.connect()
			_, i, press := w.newPress(g)
			press.answer(5, obj{"flags": tt.deferral}).fine()
			press.original("PATCH", obj{"flags": tt.later | 1<<15, "components": list{text("hand")}}).fine()
			r := now(t, i, sandbox.Replied)
			if got := r.Message.View.Ephemeral; got != tt.ephemeral {
				t.Errorf("ephemeral: %v", got)
			}
			if r.Message.EditedTimestamp != nil || r.Message.View.Thinking {
				t.Errorf("the reply is shown as %+v", r.Message)
			}
			others := check[[]sandbox.Message](t)(w.s.Messages(w.cleo, w.channel))
			if n := len(others); n != map[bool]int{true: 1, false: 2}[tt.ephemeral] {
				t.Errorf("others see %d messages", n)
			}
		})
	}
}

// The first follow-up after a deferral is the deferred reply; the next is a new
// message.
func TestFollowUpsAfterDeferral(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(5, obj{"flags": 64}).fine()
	first := w.do("POST", press.hook(""), obj{"content": "reply"}).message()
	second := w.do("POST", press.hook(""), obj{"content": "public"}).message()
	r := now(t, i, sandbox.Replied)
	if r.Message.ID != first.ID || len(r.Followups) != 1 || r.Followups[0].ID != second.ID {
		t.Errorf("the person sees %+v", r)
	}
	if !r.Message.View.Ephemeral || r.Followups[0].View.Ephemeral {
		t.Error("the reply is private, the follow-up is not")
	}
	w.do("PATCH", press.hook("/messages/"+second.ID), obj{"content": "changed"}).fine()
	w.do("DELETE", press.hook("/messages/"+second.ID), nil).fine()
	w.do("PATCH", press.hook("/messages/"+second.ID), obj{"content": "gone"}).refused(404, 10008)
	press.original("DELETE", nil).fine()
	press.original("PATCH", obj{"content": "gone"}).refused(404, 10008)
}

// What @original means after each type of answer.
func TestOriginal(t *testing.T) {
	w := newWorld(t)
	g := w.connect()

	m, i, press := w.newPress(g)
	press.answer(6, nil).fine()
	now(t, i, sandbox.Acknowledged)
	if got := press.original("PATCH", obj{"content": "by 6"}).message(); got.ID != m.ID || got.Content != "by 6" {
		t.Errorf("after 6 @original is %s, want the message with the button", got.ID)
	}
	now(t, i, sandbox.Updated)

	m, i, press = w.newPress(g)
	press.answer(7, obj{"content": "by 7"}).fine()
	if r := now(t, i, sandbox.Updated); r.Message.ID != m.ID || r.Message.Content != "by 7" || len(r.Message.Components) != 1 {
		t.Errorf("after 7 the person sees %+v", r.Message)
	}
	if got := press.original("GET", nil).message(); got.ID != m.ID {
		t.Errorf("after 7 @original is %s", got.ID)
	}

	m, _, press = w.newPress(g)
	press.answer(4, obj{"content": "by 4"}).fine()
	got := press.original("GET", nil).message()
	if got.ID == m.ID || got.MessageReference.MessageID != m.ID || got.InteractionMetadata.InteractedMessageID != m.ID {
		t.Errorf("after 4 @original is %+v", got)
	}

	_, i, press = w.newPress(g)
	press.answer(9, obj{"custom_id": "m", "title": "T", "components": list{row(obj{"type": 4, "custom_id": "t", "style": 1, "label": "l"})}}).fine()
	now(t, i, sandbox.ModalOpened)
	press.original("GET", nil).refused(404, 10008)
}

func TestCallbackTypes(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	command := func() heard {
		check[*sandbox.Interaction](t)(w.s.Command(t.Context(), w.ann, w.channel, "help", ""))
		return w.interaction(g)
	}
	for _, typ := range []int{0, 1, 2, 3, 6, 7, 8, 10, 12} {
		command().answer(typ, obj{"content": "x"}).form("type", choices)
	}
	_, _, press := w.newPress(g)
	press.answer(8, obj{"choices": list{}}).form("type", choices)
	w.do("POST", "/interactions/"+press.id()+"/"+press.token()+"/callback", obj{}).form("type", required)
	w.do("POST", "/interactions/"+press.id()+"/"+press.token()+"/callback", obj{"type": 4, "flags": 64}).form("flags", unknown)
	press.answer(4, nil).refused(400, 50006)
	press.answer(4, obj{"content": ""}).refused(400, 50006)
	press.answer(4, obj{"content": "x", "flags": 128}).form("data.flags", "BITFIELD_TYPE_INVALID")
	press.answer(4, obj{"content": "fine after all"}).fine()
}

// Ephemeral messages are reached by a live token alone, and seen by one person.
func TestEphemeral(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(4, v2Ephemeral(text("secret"), row(button("more", "More")))).fine()
	id := now(t, i, sandbox.Replied).Message.ID
	path := w.messages(w.channel) + "/" + id
	w.do("PATCH", path, obj{"components": list{text("x")}}).refused(404, 10008)
	w.do("GET", path, nil).refused(404, 10008)
	w.do("DELETE", path, nil).refused(404, 10008)
	if body := string(w.do("GET", w.messages(w.channel), nil).body); strings.Contains(body, "secret") {
		t.Error("the channel's messages hold an ephemeral one")
	}
	for _, user := range []string{w.ann, w.cleo} {
		if _, err := w.s.Message(user, w.channel, id); !errors.Is(err, sandbox.ErrNotVisible) {
			t.Errorf("somebody else looks at an ephemeral message: %v", err)
		}
		if _, err := w.s.Press(t.Context(), user, w.channel, id, "more"); !errors.Is(err, sandbox.ErrNotVisible) {
			t.Errorf("somebody else presses on an ephemeral message: %v", err)
		}
	}

	// A press on it can update it, by the new token.
	w.pass(20 * time.Minute)
	i = check[*sandbox.Interaction](t)(w.s.Press(t.Context(), w.ben, w.channel, id, "more"))
	again := w.interaction(g)
	if m := again.obj["message"].(obj); m["id"] != id || m["flags"].(float64) != 64+1<<15 {
		t.Errorf("the press carries the message %v", m)
	}
	again.answer(7, obj{"components": list{text("newer")}}).fine()
	now(t, i, sandbox.Updated)

	if err := w.s.Dismiss(w.cleo, w.channel, id); !errors.Is(err, sandbox.ErrNotVisible) {
		t.Errorf("somebody else dismisses it: %v", err)
	}
	if err := w.s.Dismiss(w.ben, w.channel, id); err != nil {
		t.Fatal(err)
	}
	again.original("PATCH", obj{"components": list{text("unseen")}}).fine()
	if _, err := w.s.Message(w.ben, w.channel, id); !errors.Is(err, sandbox.ErrNotVisible) {
		t.Errorf("a dismissed message is seen: %v", err)
	}
}

func v2Ephemeral(children ...any) obj { return obj{"flags": 1<<15 | 64, "components": children} }

func TestPayloads(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	m, _, press := w.newPress(g)
	for key, want := range map[string]any{
		"type": 3.0, "version": 1.0, "application_id": w.s.ApplicationID(), "channel_id": w.channel, "guild_id": w.guild,
		"locale": "en-US", "guild_locale": "en-US", "context": 0.0, "attachment_size_limit": float64(10 << 20), "app_permissions": sandbox.PermBot.String(),
	} {
		if press.obj[key] != want {
			t.Errorf("%s is %v, want %v", key, press.obj[key], want)
		}
	}
	if press.data()["custom_id"] != "go" || press.data()["component_type"] != 2.0 || press.obj["message"].(obj)["id"] != m.ID {
		t.Errorf("the press is %v", press.obj)
	}
	member := press.obj["member"].(obj)
	if member["user"].(obj)["id"] != w.ben || member["permissions"] != sandbox.PermMember.String() {
		t.Errorf("the member is %v", member)
	}
	if press.obj["user"] != nil {
		t.Error("a press in a guild has a user of its own")
	}

	dm := w.dm(w.cleo)
	check[*sandbox.Interaction](t)(w.s.Command(t.Context(), w.cleo, dm, "help", ""))
	in := w.interaction(g)
	if in.obj["user"].(obj)["id"] != w.cleo || in.obj["member"] != nil || in.obj["guild_id"] != nil || in.obj["context"] != 1.0 {
		t.Errorf("a command in a DM is %v", in.obj)
	}

	check[*sandbox.Interaction](t)(w.s.Command(t.Context(), w.ann, w.channel, "paladin", "new",
		sandbox.Option{Name: "seats", Value: 4}, sandbox.Option{Name: "guest", Value: w.ben}))
	in = w.interaction(g)
	sub := in.data()["options"].(list)[0].(obj)
	if sub["name"] != "new" || sub["type"] != 1.0 || len(sub["options"].(list)) != 2 {
		t.Errorf("the command's options are %v", in.data())
	}
	if u := in.data()["resolved"].(obj)["users"].(obj)[w.ben]; u == nil {
		t.Errorf("the guest is not resolved: %v", in.data())
	}
}

func TestAutocomplete(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	type outcome struct {
		choices []sandbox.Choice
		err     error
	}
	ask := func(focused string, options ...sandbox.Option) (heard, chan outcome) {
		done := make(chan outcome, 1)
		go func() {
			c, err := w.s.Autocomplete(t.Context(), w.ann, w.channel, "paladin", "place", focused, options...)
			done <- outcome{c, err}
		}()
		return w.interaction(g), done
	}

	in, done := ask("quest", sandbox.Option{Name: "card", Value: "7r"}, sandbox.Option{Name: "quest", Value: ""})
	options := in.data()["options"].(list)[0].(obj)["options"].(list)
	if focused := options[1].(obj); in.obj["type"] != 4.0 || focused["focused"] != true || focused["value"] != "" || options[0].(obj)["value"] != "7r" {
		t.Errorf("the bot is asked with %v", options)
	}
	in.answer(8, obj{"choices": times(26, func(i int) any { return obj{"name": "c", "value": i} })}).form("data.choices", maxLength)
	in.answer(8, obj{"choices": list{obj{"name": "c", "value": "text"}}}).form("data.choices.0.value", coerce)
	in.answer(8, obj{"choices": list{obj{"name": long[:101], "value": 1}}}).form("data.choices.0.name", badLength)
	in.answer(8, obj{"choices": list{obj{"name": "Quest 2", "value": 2}}, "content": "", "tts": false}).fine()
	if got := <-done; got.err != nil || len(got.choices) != 1 || got.choices[0].Name != "Quest 2" {
		t.Errorf("the person is offered %+v", got)
	}
	w.do("POST", in.hook(""), obj{"content": "x"}).refused(404, 10015)

	_, done = ask("card", sandbox.Option{Name: "card", Value: "x"})
	w.pass(4 * time.Second)
	if got := <-done; !errors.Is(got.err, sandbox.ErrNoAnswer) {
		t.Errorf("an unanswered autocompletion gives %+v", got)
	}
	if _, err := w.s.Autocomplete(t.Context(), w.ann, w.channel, "paladin", "new", "pace", sandbox.Option{Name: "pace", Value: ""}); !errors.Is(err, sandbox.ErrInvalidValue) {
		t.Errorf("an option without autocomplete: %v", err)
	}
}

func TestModal(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(9, obj{"custom_id": "name", "title": "Your name", "components": list{
		row(obj{"type": 4, "custom_id": "first", "style": 1, "label": "First", "min_length": 2, "max_length": 5}),
		obj{"type": 18, "label": "Colour", "component": stringSelect("colour", obj{"required": false}, options(3))},
	}}).fine()
	modal := now(t, i, sandbox.ModalOpened).Modal
	submit := func(user string, values map[string][]string) (*sandbox.Interaction, error) {
		return w.s.SubmitModal(t.Context(), user, modal.InteractionID, values)
	}
	for name, values := range map[string]map[string][]string{
		"nothing":       {},
		"too short":     {"first": {"A"}},
		"too long":      {"first": {"Alberta"}},
		"unknown field": {"first": {"Ann"}, "last": {"X"}},
		"no option":     {"first": {"Ann"}, "colour": {"9"}},
	} {
		if _, err := submit(w.ben, values); !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := submit(w.ann, map[string][]string{"first": {"Ann"}}); !errors.Is(err, sandbox.ErrNotVisible) {
		t.Errorf("somebody else sends the form: %v", err)
	}
	sent := check[*sandbox.Interaction](t)(submit(w.ben, map[string][]string{"first": {"Ann"}, "colour": {"2"}}))
	in := w.interaction(g)
	fields := in.data()["components"].(list)
	first := fields[0].(obj)["components"].(list)[0].(obj)
	if in.obj["type"] != 5.0 || first["value"] != "Ann" || fields[1].(obj)["component"].(obj)["values"].(list)[0] != "2" {
		t.Errorf("the bot gets %v", in.data())
	}
	in.answer(9, obj{}).form("type", choices)
	in.answer(7, obj{"content": "named"}).fine()
	now(t, sent, sandbox.Updated)
	if _, err := submit(w.ben, map[string][]string{"first": {"Ann"}}); !errors.Is(err, sandbox.ErrForbidden) {
		t.Errorf("the form is sent twice: %v", err)
	}
}

func TestForgedPresses(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	m := w.post(legacy(row(button("go", "Go"), with(button("off", "Off"), obj{"disabled": true})), row(stringSelect("s", nil, options(2))))).message()
	for _, tt := range []struct {
		name, id string
		want     error
	}{{"absent", "gone", sandbox.ErrNoComponent}, {"disabled", "off", sandbox.ErrDisabled}, {"a select", "s", sandbox.ErrNoComponent}} {
		if _, err := w.s.Press(t.Context(), w.ben, w.channel, m.ID, tt.id); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for name, values := range map[string][]string{"none": nil, "too many": {"0", "1"}, "not offered": {"7"}} {
		if _, err := w.s.Select(t.Context(), w.ben, w.channel, m.ID, "s", values...); !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check[*sandbox.Interaction](t)(w.s.Select(t.Context(), w.ben, w.channel, m.ID, "s", "1"))
	if in := w.interaction(g); in.data()["values"].(list)[0] != "1" || in.data()["component_type"] != 3.0 {
		t.Errorf("the selection is %v", in.data())
	}
	check[*sandbox.Interaction](t)(w.s.ForgePress(t.Context(), w.ben, w.channel, m.ID, sandbox.TypeButton, "pl9:forged\x00"))
	if in := w.interaction(g); in.data()["custom_id"] != "pl9:forged\x00" {
		t.Errorf("the forged press is %v", in.data())
	}
	check[*sandbox.Interaction](t)(w.s.SendRaw(t.Context(), w.ben, w.channel, m.ID, 3, json.RawMessage(`{"component_type":99}`)))
	if in := w.interaction(g); in.data()["component_type"] != 99.0 {
		t.Errorf("the raw press is %v", in.data())
	}
}

func TestCommandsOffered(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	names := func(user, channel string) string {
		var out []string
		for _, c := range check[[]sandbox.Command](t)(w.s.Commands(user, channel)) {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(w.ann, w.channel); got != "paladin help admin" {
		t.Errorf("the owner is offered %q", got)
	}
	if got := names(w.ben, w.channel); got != "paladin help" {
		t.Errorf("a member is offered %q", got)
	}
	if got := names(w.ben, w.dm(w.ben)); got != "help" {
		t.Errorf("in a DM there is %q", got)
	}
	run := func(name, sub string, options ...sandbox.Option) error {
		_, err := w.s.Command(t.Context(), w.ben, w.channel, name, sub, options...)
		return err
	}
	for name, err := range map[string]error{
		"unknown":            run("nope", ""),
		"not allowed":        run("admin", ""),
		"no subcommand":      run("paladin", ""),
		"unknown subcommand": run("paladin", "fly"),
	} {
		if !errors.Is(err, sandbox.ErrUnknownCommand) {
			t.Errorf("%s: %v", name, err)
		}
	}
	seats := func(v any) sandbox.Option { return sandbox.Option{Name: "seats", Value: v} }
	for name, err := range map[string]error{
		"required missing": run("paladin", "new"),
		"out of range":     run("paladin", "new", seats(6)),
		"wrong type":       run("paladin", "new", seats("many")),
		"not a choice":     run("paladin", "new", seats(3), sandbox.Option{Name: "pace", Value: "medium"}),
		"unknown option":   run("paladin", "new", seats(3), sandbox.Option{Name: "x", Value: "y"}),
		"unknown user":     run("paladin", "new", seats(3), sandbox.Option{Name: "guest", Value: "1"}),
	} {
		if !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run("paladin", "new", seats("3"), sandbox.Option{Name: "pace", Value: "live"}); err != nil {
		t.Error(err)
	}
	w.interaction(g)
	if err := w.s.KickBot(w.guild); err != nil {
		t.Fatal(err)
	}
	if got := names(w.ann, w.channel); got != "" {
		t.Errorf("without the bot there is %q", got)
	}
}

// What a moderator deletes does not come back by an interaction that still lives.
func TestDeletedWhileItLives(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	_, i, press := w.newPress(g)
	press.answer(5, nil).fine()
	deferred := i.Result().Message.ID
	must(t, w.s.DeleteMessage(w.channel, deferred))
	press.original("PATCH", obj{"content": "x"}).refused(404, 10008)
	if m := w.do("POST", press.hook(""), obj{"content": "x"}).message(); m.ID == deferred {
		t.Error("a deleted message came back")
	}
	if r, err := i.Wait(t.Context()); err != nil || len(r.Followups) != 1 {
		t.Errorf("the person sees %+v, %v", r, err)
	}

	m, _, press := w.newPress(g)
	must(t, w.s.DeleteMessage(w.channel, m.ID))
	press.answer(7, obj{"content": "x"}).refused(404, 10008)
	press.answer(4, obj{"content": "the board is gone"}).fine()

	_, i, press = w.newPress(g)
	press.answer(5, nil).fine()
	_, _, late := w.newPress(g)
	must(t, w.s.DeleteChannel(w.channel))
	late.answer(4, obj{"content": "x"}).refused(404, 10003)
	press.original("PATCH", obj{"content": "x"}).refused(404, 10003)
	w.pass(16 * time.Minute)
	if r := i.Result(); r.Outcome != sandbox.Failed {
		t.Errorf("in a deleted channel the person sees %s", r.Outcome)
	}
}

// Groups of a form: what the bot may open, what a person may fill in, what the bot gets.
func TestModalGroups(t *testing.T) {
	w := newWorld(t)
	g := w.connect()
	w.register()
	choices := func(n int) list {
		out := list{}
		for i := range n {
			out = append(out, obj{"label": fmt.Sprint("Option ", i), "value": fmt.Sprint(i)})
		}
		return out
	}
	radio := func(more obj) obj {
		return with(obj{"type": 21, "custom_id": "radio", "options": choices(3)}, more)
	}
	boxes := func(more obj) obj {
		return with(obj{"type": 22, "custom_id": "boxes", "options": choices(3)}, more)
	}
	form := func(components ...any) obj {
		labels := list{}
		for _, c := range components {
			labels = append(labels, obj{"type": 18, "label": "L", "component": c})
		}
		return obj{"custom_id": "form", "title": "T", "components": labels}
	}
	for _, c := range []struct {
		name      string
		component obj
		at        string
		code      string
	}{
		{"one radio button", radio(obj{"options": choices(1)}), ".options", badLength},
		{"eleven radio buttons", radio(obj{"options": choices(11)}), ".options", badLength},
		{"two chosen radio buttons", radio(obj{"options": list{obj{"label": "a", "value": "a", "default": true}, obj{"label": "b", "value": "b", "default": true}}}), ".options", "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"},
		{"the same value twice", boxes(obj{"options": list{obj{"label": "a", "value": "a"}, obj{"label": "b", "value": "a"}}}), ".options.1.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
		{"eleven boxes", boxes(obj{"options": choices(11)}), ".options", badLength},
		{"more than eleven at least", boxes(obj{"min_values": 11}), ".min_values", "NUMBER_TYPE_MAX"},
		{"more at least than at most", boxes(obj{"min_values": 3, "max_values": 2}), ".min_values", "SELECT_COMPONENT_MIN_GREATER_THAN_MAX"},
		{"a bound of radio buttons", radio(obj{"min_values": 1}), ".min_values", unknown},
		{"an emoji", radio(obj{"options": list{obj{"label": "a", "value": "a", "emoji": obj{"name": "⚔️"}}, obj{"label": "b", "value": "b"}}}), ".options.0.emoji", unknown},
		{"a required box", obj{"type": 23, "custom_id": "box", "required": true}, ".required", unknown},
		{"a box without an id", obj{"type": 23}, ".custom_id", required},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, press := w.newPress(g)
			r := press.answer(9, form(c.component))
			r.t = t
			r.form("data.components.0.component"+c.at, c.code)
		})
	}
	_, i, press := w.newPress(g)
	press.answer(9, form(radio(nil), boxes(obj{"min_values": 2}), obj{"type": 23, "custom_id": "box"}, radio(obj{"custom_id": "free", "required": false}))).fine()
	for name, values := range map[string]map[string][]string{
		"nothing":            {},
		"two radio buttons":  {"radio": {"0", "1"}, "boxes": {"0", "1"}},
		"too few boxes":      {"radio": {"0"}, "boxes": {"0"}},
		"an unknown value":   {"radio": {"9"}, "boxes": {"0", "1"}},
		"a box not by true":  {"radio": {"0"}, "boxes": {"0", "1"}, "box": {"yes"}},
		"a box ticked twice": {"radio": {"0"}, "boxes": {"0", "1"}, "box": {"true", "true"}},
	} {
		if _, err := w.s.SubmitModal(t.Context(), w.ben, i.ID, values); !errors.Is(err, sandbox.ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check[*sandbox.Interaction](t)(w.s.SubmitModal(t.Context(), w.ben, i.ID, map[string][]string{"radio": {"2"}, "boxes": {"0", "2"}, "box": {"true"}}))
	got := []any{}
	for _, label := range w.interaction(g).data()["components"].(list) {
		c := label.(obj)["component"].(obj)
		if v, single := c["value"]; single {
			got = append(got, v)
		} else {
			got = append(got, c["values"])
		}
	}
	if diff := cmp.Diff([]any{"2", list{"0", "2"}, true, nil}, got); diff != "" {
		t.Errorf("the bot gets (-want +got):\n%s", diff)
	}
}
