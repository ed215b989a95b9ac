package bot

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/store/storetest"
)

// answering is a Discord that takes answers to presses and knows nothing else.
type answering struct {
	Discord
	mu   sync.Mutex
	said []string
}

func (d *answering) Respond(_ context.Context, _ *discord.Interaction, r discord.Response) (discord.MessageRef, error) {
	words, err := json.Marshal(r.Message.Components)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, string(words))
	return discord.MessageRef{ID: "42"}, err
}

// TestPressesWhileTheProgramEnds: whoever presses when no table takes anything up any more is told
// so, as long as the gateway stands; and what needs no table is answered as ever.
func TestPressesWhileTheProgramEnds(t *testing.T) {
	d := &answering{}
	a, err := New(Config{Store: storetest.NewMemory(), Discord: d})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pressed := func(id string, kind press.Kind) {
		a.Handle(&discord.Interaction{
			ID: id, Token: "t", Kind: discord.KindComponent, User: discord.User{ID: "7", Username: "ann"}, Locale: "en-GB",
			CustomID: press.New(kind, "").String(), Received: time.Now(),
		})
	}
	if err := a.end(t.Context(), func() {
		pressed("1", press.Practice)
		if err := a.work.wait(t.Context()); err != nil {
			t.Error(err)
		}
		pressed("2", press.Rules)
	}); err != nil {
		t.Errorf("the end: %v", err)
	}
	pr := render.NewPrinter("en")
	if len(d.said) != 2 || !strings.Contains(d.said[0], pr.Say(render.TextStopping)) || strings.Contains(d.said[1], pr.Say(render.TextStopping)) ||
		!strings.Contains(d.said[1], "Paladin") {
		t.Errorf("said: %q", d.said)
	}
}

// TestNobodyPressed: an interaction of which Discord does not say whose it is does nothing for
// anybody.
func TestNobodyPressed(t *testing.T) {
	d, memory := &answering{}, storetest.NewMemory()
	a, err := New(Config{Store: memory, Discord: d})
	if err != nil {
		t.Fatal(err)
	}
	a.Handle(&discord.Interaction{ID: "1", Token: "t", Kind: discord.KindComponent, Locale: "en-GB", CustomID: press.New(press.Practice, "").String(), Received: time.Now()})
	if err := a.work.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept, err := memory.Keys(t.Context(), practiceKeys); err != nil || len(kept) > 0 {
		t.Errorf("kept for nobody: %q, %v", kept, err)
	}
	if want := render.NewPrinter("en").Say(render.TextUnknownPress); len(d.said) != 1 || !strings.Contains(d.said[0], "I do not know this button") {
		t.Errorf("said %q, want %q", d.said, want)
	}
}
