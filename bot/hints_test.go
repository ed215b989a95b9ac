package bot_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
)

// TestHintsVanish: who places for the first time is told how; having done it once, they are told no more, in no game.
func TestHintsVanish(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	hint := english.Say(render.Text("hints." + string(render.HintPlace)))
	told := map[string]int{}
	for w.table().Public().Game.Round < 3 {
		user := w.awaited()
		phase := w.table().Public().Game.Phase
		panel := text(w.reply(w.pressKind(user, w.board(), press.Seat)))
		if shown := strings.Contains(panel, hint); shown != (phase == paladin.PhasePlace && told[user] == 0) {
			t.Fatalf("phase %v, placed %d times, hint shown: %t\n%s", phase, told[user], shown, panel)
		}
		prompt := w.table().Prompt()
		for w.table().Prompt() == prompt { // a peek is no placement
			w.playOn(rng)
		}
		if phase == paladin.PhasePlace {
			told[user]++
		}
	}
	if len(told) != 3 {
		t.Errorf("somebody never placed: %v", told)
	}
}
