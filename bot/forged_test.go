package bot_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"paladin/bot/press"
	"paladin/bot/render"
)

// TestForgedArguments: an argument that nobody was offered is answered in words, to whoever sent it alone. It is never taken for one
// that was, and changes nothing.
func TestForgedArguments(t *testing.T) {
	w := newWorld(t)
	w.openLobby(2, 1)
	w.mustRefuse(map[press.Kind][][]string{
		press.Pictures: {nil, {"yes"}, {"ON"}, {"0"}},
		press.Pace:     {nil, {"never"}},
		press.Strength: {nil, {"mighty"}},
		press.Language: {nil, {"de"}}, // a select without a choice
		press.Remove:   {nil, {"2"}, {"0", "-3"}, {"9", "-3"}, {"two", "-3"}, {"3", "-many"}, {"3", "-0"}},
		press.Rules:    {{"all"}, {""}},
		press.Log:      {{"all"}},
		press.Games:    {{"all"}},
		press.Habits:   {nil, {render.HabitWay, "shout"}, {render.HabitLook, "odd"}, {"nothing"}},
		press.Settings: {{render.SettingPace, "never"}, {"nothing"}},
	})
	w.label(w.users[0], w.board(), "Start")
	w.mustRefuse(map[press.Kind][][]string{
		press.Stop:      {{"now"}, {"FORCE"}},
		press.Pick:      {nil, {"seven", "1"}, {"-", "9"}},
		press.PickPlan:  {{"-", "9"}, {"-", "-", "all"}},
		press.PickFirst: {{"0"}, {"me"}},
		press.PickAct:   {{"eat"}},
		press.Place:     {{"-", "-"}, {"7", "x"}},
		press.Peek:      {{"1"}},
		press.First:     {{"-"}},
		press.Act:       {{"eat"}},
		press.Order:     {{"1"}, {"one", "1"}},
		press.Guard:     {{"1"}},
		press.Plan:      {{"7"}, {"7", "1", "most", "1"}},
		press.ShowAll:   {nil, {"1", "x"}},
		press.Offer:     {nil, {"0"}, {"9"}},
		press.Accept:    {nil, {"0", "1"}, {"9", "1"}, {"1", ""}},
	})
}

// mustRefuse forges presses with these arguments by the table's host, who may do most.
func (w *world) mustRefuse(odd map[press.Kind][][]string) {
	w.t.Helper()
	before := w.table()
	row, err := w.store.Table(w.ctx(), before.ID())
	host, errHost := w.store.User(w.ctx(), w.users[0])
	if err := errors.Join(err, errHost); err != nil {
		w.t.Fatal(err)
	}
	for kind, all := range odd {
		for _, args := range all {
			id := press.New(kind, before.ID(), args...)
			if prompted[kind] {
				id.Prompt = before.Prompt()
			}
			res := w.forge(w.users[0], w.channel, w.board().ID, id.String())
			said := w.reply(res)
			if !said.View.Ephemeral || len(res.Followups) > 0 {
				w.t.Errorf("%s is answered in public", id)
			}
			if !strings.Contains(text(said), english.Say(render.TextForgedPress)) {
				w.t.Errorf("%s is answered:\n%s", id, text(said))
			}
		}
	}
	if after, err := w.store.Table(w.ctx(), before.ID()); err != nil || after.Version != row.Version {
		w.t.Errorf("forged presses changed the table from version %d to %d (%v)", row.Version, after.Version, err)
	}
	if u, err := w.store.User(w.ctx(), w.users[0]); err != nil || !bytes.Equal(u.Data, host.Data) {
		w.t.Errorf("forged presses made %s of %s (%v)", u.Data, host.Data, err)
	}
}

// prompted are the presses that answer a question.
var prompted = map[press.Kind]bool{
	press.Pick: true, press.PickFirst: true, press.PickAct: true, press.Place: true, press.Peek: true, press.First: true, press.Act: true,
}
