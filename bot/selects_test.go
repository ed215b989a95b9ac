package bot_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/sandbox"
)

// selectID is the whole custom id of a select in this drawing of a message: what it is, and a mark.
func selectID(t *testing.T, m sandbox.Message, what press.ID) string {
	t.Helper()
	for _, c := range selects(m) {
		if id, err := press.Parse(c.CustomID); err == nil && id.Marked("").String() == what.String() {
			return c.CustomID
		}
	}
	t.Fatalf("no select %s in:\n%s", what, text(m))
	return ""
}

// unmarked are parts of a message without the marks of its selects, which each drawing has of its
// own.
func unmarked(parts []sandbox.Component) []sandbox.Component {
	out := slices.Clone(parts)
	for i := range out {
		out[i].CustomID, _, _ = strings.Cut(out[i].CustomID, "/~")
		out[i].Components = unmarked(out[i].Components)
	}
	return out
}

func selects(m sandbox.Message) []sandbox.Component {
	return slices.DeleteFunc(controls(m), func(c sandbox.Component) bool { return c.Type == sandbox.TypeButton })
}

// rememberingClient is one person's client. It keeps in mind what was chosen from each select of a
// message, by its custom id, and sends nothing when the same is chosen again.
type rememberingClient struct {
	*world
	user   string
	chosen map[string]string // by message and custom id
}

// choose chooses values from the select, and returns the message as it is then; false when the
// client sends nothing.
func (c *rememberingClient) choose(m sandbox.Message, s *sandbox.Component, values ...string) (sandbox.Message, bool) {
	c.t.Helper()
	key, value := m.ID+" "+s.CustomID, strings.Join(values, " ")
	if before, ok := c.chosen[key]; ok && before == value {
		return m, false
	}
	c.chosen[key] = value
	return c.reply(c.result(c.discord.Select(c.ctx(), c.user, m.ChannelID, m.ID, s.CustomID, values...))), true
}

// offered are two choices that differ from what is marked as chosen, if there are so many.
func (c *rememberingClient) offered(s *sandbox.Component) []string {
	switch s.Type {
	case sandbox.TypeUserSelect:
		return c.users[2:4]
	case sandbox.TypeChannelSelect:
		var ids []string
		for _, ch := range c.channels(c.user) {
			if ch.GuildID == c.guild && !slices.Contains(defaults(s), ch.ID) {
				ids = append(ids, ch.ID)
			}
		}
		return ids
	case sandbox.TypeRoleSelect:
		return []string{c.guild}
	}
	var values []string
	for _, o := range s.Options {
		if !o.Default {
			values = append(values, o.Value)
		}
	}
	return values
}

func defaults(s *sandbox.Component) (ids []string) {
	for _, v := range s.DefaultValues {
		ids = append(ids, v.ID)
	}
	return ids
}

// what is a select without its mark.
func what(t *testing.T, s *sandbox.Component) string {
	t.Helper()
	id, err := press.Parse(s.CustomID)
	if err != nil {
		t.Fatal(err)
	}
	switch id.Kind {
	case press.Habits, press.Settings:
		return string(id.Kind) + " " + id.Arg(0)
	case press.Replay:
		if id.Arg(0) != "-" {
			return "replay page"
		}
	}
	return string(id.Kind)
}

// find is the select of the same kind in a later drawing of a message.
func find(t *testing.T, m sandbox.Message, kind string) (sandbox.Component, bool) {
	t.Helper()
	for _, s := range selects(m) {
		if what(t, &s) == kind {
			return s, true
		}
	}
	return sandbox.Component{}, false
}

// TestClientsRememberWhatWasChosen: whatever is chosen from a select can be chosen from it again
// after something else was, though clients do not send the same choice twice from what they take
// for the same select.
func TestClientsRememberWhatWasChosen(t *testing.T) {
	reached, whole := map[string]bool{}, true
	for name, open := range selectScreens() {
		t.Run(name, func(t *testing.T) {
			defer func() { whole = whole && !t.Skipped() }()
			w := newWorld(t)
			user, m := open(w)
			c := &rememberingClient{world: w, user: user, chosen: map[string]string{}}
			var kinds []string
			for _, s := range selects(m) {
				kinds = append(kinds, what(t, &s))
			}
			slices.Sort(kinds)
			for _, kind := range slices.Compact(kinds) {
				m = c.chooseAgain(m, kind)
				reached[kind] = true
			}
		})
	}
	if !whole {
		return // a short run plays no whole games, which some selects come after
	}
	want := []string{
		"guard", "habits count", "habits every", "habits from", "habits hour", "habits language", "habits place", "habits to",
		"invite", "language", "order", "peek?", "replay", "replay page", "settings channels", "settings language", "settings roles", "standings",
	}
	for _, kind := range want {
		if !reached[kind] {
			t.Errorf("no screen had the select %q", kind)
		}
	}
}

// shown is the message with the select, and that select. A place is asked for once an hour is
// chosen, each time.
func (c *rememberingClient) shown(m sandbox.Message, kind string) (sandbox.Message, sandbox.Component) {
	c.t.Helper()
	t := c.t.(*testing.T)
	if hour, ok := find(t, m, "habits hour"); ok && kind == "habits place" {
		sent := false
		if m, sent = c.choose(m, &hour, "12"); !sent {
			t.Error("the client does not send the same hour once more")
		}
	}
	s, ok := find(t, m, kind)
	if !ok {
		t.Fatalf("%s is gone from:\n%s", kind, text(m))
	}
	return m, s
}

// chooseAgain chooses one thing, then another, then the first again, each time from the message as
// it was drawn anew.
func (c *rememberingClient) chooseAgain(m sandbox.Message, kind string) sandbox.Message {
	c.t.Helper()
	m, s := c.shown(m, kind)
	values := c.offered(&s)
	if len(values) == 0 {
		c.t.Fatalf("nothing to choose from %s", kind)
	}
	first, other := values[0], values[min(1, len(values)-1)]
	for _, value := range []string{first, first, other, first} {
		m, s = c.shown(m, kind)
		if marked(&s, value) {
			continue // it is chosen, and shown so
		}
		drawn, sent := c.choose(m, &s, value)
		if !sent {
			c.t.Errorf("%s: the client does not send %s once more: what was chosen is kept under %s", kind, value, s.CustomID)
			return m
		}
		if drawn.ID != m.ID {
			c.t.Errorf("%s: %s made another message:\n%s", kind, value, text(drawn))
			return m
		}
		m = drawn
		if kind == string(press.PickPeek) { // another choice on the panel clears it
			m = c.pressID(c.user, m, press.New(press.Refresh, c.table().ID()))
		}
	}
	return m
}

// marked reports whether a value is shown as chosen.
func marked(s *sandbox.Component, value string) bool {
	return slices.Contains(defaults(s), value) || slices.ContainsFunc(s.Options, func(o sandbox.SelectOption) bool { return o.Default && o.Value == value })
}

// selectScreens are the screens with selects, by what opens them.
func selectScreens() map[string]func(*world) (string, sandbox.Message) {
	owner := func(sub string) func(*world) (string, sandbox.Message) {
		return func(w *world) (string, sandbox.Message) { return w.users[0], w.reply(w.command(w.users[0], sub)) }
	}
	return map[string]func(*world) (string, sandbox.Message){
		"manage": func(w *world) (string, sandbox.Message) {
			w.openLobby(2, 0)
			return w.users[0], w.reply(w.pressKind(w.users[0], w.board(), press.Manage))
		},
		"settings": owner("settings"),
		"notices":  owner("notices"),
		"places": func(w *world) (string, sandbox.Message) {
			m := w.reply(w.command(w.users[0], "notices"))
			return w.users[0], w.choose(w.users[0], m, render.HabitHour, "12")
		},
		"quiet hours": func(w *world) (string, sandbox.Message) { return w.users[0], w.sleepsInBerlin(w.users[0]) },
		"standings": func(w *world) (string, sandbox.Message) {
			wholeGame(w.t.(*testing.T))
			w.openGame(3, 0)
			w.lastMove(w.users[:3])
			return w.users[0], w.reply(w.command(w.users[0], "standings"))
		},
		"replay": func(w *world) (string, sandbox.Message) {
			wholeGame(w.t.(*testing.T))
			w.openGame(3, 0)
			w.lastMove(w.users[:3])
			return w.users[0], w.reply(w.command(w.users[0], "replay"))
		},
		"peek": func(w *world) (string, sandbox.Message) {
			w.openGame(3, 0)
			for range 40 {
				user := w.awaited()
				m := w.reply(w.pressKind(user, w.board(), press.Seat))
				if s, ok := find(w.t.(*testing.T), m, "peek?"); ok && len(s.Options) > 1 {
					return user, m
				}
				w.move()
				w.settle()
			}
			w.t.Fatal("nobody can peek")
			return "", sandbox.Message{}
		},
		"orders": func(w *world) (string, sandbox.Message) {
			w.openGame(3, 0)
			w.playUntil(rand.New(rand.NewPCG(1, 1)), paladin.PhaseResolve)
			user := string(w.table().Public().Seats[w.table().Public().Game.Row[0].Cards[2].Seat].Person.ID)
			page := w.reply(w.pressKind(user, w.seat(user), press.Order))
			return user, w.pickOption(user, page, press.Order, "1", "take") // only what there is an order for can be guarded
		},
	}
}
