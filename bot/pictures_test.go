package bot

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paladin/bot/discord"
	"paladin/game/table"
)

// TestRecentForgetsWhatIsOld: of too much, what was put in longest ago goes first.
func TestRecentForgetsWhatIsOld(t *testing.T) {
	r := recent[int]{most: 2}
	for i, key := range []string{"a", "b", "a", "c"} {
		r.put(key, i)
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "c": 3}, r.values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 1000 {
		r.put(fmt.Sprint(i), i)
	}
	if len(r.values) != 2 || len(r.order) != 2 {
		t.Errorf("%d values and %d keys are kept", len(r.values), len(r.order))
	}
}

// TestSparedForAWhile: a channel is spared pictures until the time given, and others are not.
func TestSparedForAWhile(t *testing.T) {
	p, now := newPictures(), time.Unix(1_000_000, 0)
	p.refused.put("1", now.Add(time.Hour))
	for _, test := range []struct {
		channel string
		at      time.Time
		want    bool
	}{
		{"1", now, true}, {"1", now.Add(time.Hour - 1), true}, {"1", now.Add(time.Hour), false}, {"2", now, false},
	} {
		if got := p.refused.holds(test.channel, test.at); got != test.want {
			t.Errorf("channel %s at %v: spared %v", test.channel, test.at, got)
		}
	}
}

// TestHangsNothingOnBareMessages: only a message that has had something is remembered to have nothing.
func TestHangsNothingOnBareMessages(t *testing.T) {
	p := newPictures()
	p.hang("bare", nil)
	p.hang("", []discord.Attachment{{ID: "1"}})
	if len(p.hangs.values) > 0 {
		t.Errorf("remembered: %v", p.hangs.values)
	}
	p.hang("board", []discord.Attachment{{ID: "1"}})
	if has, _ := p.of("board"); len(has) != 1 {
		t.Error("what hangs is forgotten")
	}
	p.hang("board", nil)
	if has, known := p.of("board"); len(has) != 0 || !known {
		t.Error("what hangs no more is remembered")
	}
}

// TestShownNamesWhatIsDrawn: whatever a picture of a table shows and can change has its part in what it is remembered by.
func TestShownNamesWhatIsDrawn(t *testing.T) {
	base := func() *table.Public {
		return &table.Public{ID: "t", Prompt: 7, Seats: []table.PublicSeat{{}, {}}}
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*table.Public){
		"base": func(*table.Public) {}, "table": func(p *table.Public) { p.ID = "u" }, "prompt": func(p *table.Public) { p.Prompt++ },
		"pause": func(p *table.Public) { p.Paused = true }, "away": func(p *table.Public) { p.Seats[1].Away = true },
		"the other away": func(p *table.Public) { p.Seats[0].Away = true },
		"person":         func(p *table.Public) { p.Seats[1].Person.ID = "1" },
	} {
		p := base()
		change(p)
		for _, kind := range []string{"table", "result"} {
			key := shown(p, kind)
			if other, ok := seen[key]; ok {
				t.Errorf("%s, %s is remembered as %s", name, kind, other)
			}
			seen[key] = name + ", " + kind
		}
	}
}
