package bot_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/game/table"
	"paladin/sandbox"
)

// TestSomebodyIsAwaitedOrAClockRuns plays games over weeks with the whole bot: people move, forget, leave, come back, block the bot,
// leave the server, stand in, pause and go on. At every moment either the board asks somebody who is there by name, or a clock is in the
// store that will move, or the game is over; nobody sees an interaction fail; and every seat's state is met.
func TestSomebodyIsAwaitedOrAClockRuns(t *testing.T) {
	wholeGame(t)
	met := map[string]bool{}
	for seed := range uint64(10) {
		pace := table.Paces()[seed%uint64(len(table.Paces()))]
		t.Run(fmt.Sprintf("%s, seed %d", pace, seed), func(t *testing.T) {
			w := newWorld(t)
			w.openPaced(3, int(seed%2), pace)
			v := &vanishing{world: w, rng: rand.New(rand.NewPCG(seed, 11)), met: met}
			for range 60 {
				v.act()
				v.check()
				if w.table().Stage() != table.Playing {
					return
				}
			}
		})
	}
	for _, state := range []string{"present", "overdue", "away", "stand-in", "paused", "gone", "over"} {
		if !met[state] {
			t.Errorf("no game met the state %q: this test shows too little", state)
		}
	}
}

type vanishing struct {
	*world
	rng *rand.Rand
	met map[string]bool
	out map[string]bool // left the server
}

// here are the people who are in the server.
func (v *vanishing) here() []string {
	var out []string
	for _, u := range v.users {
		if !v.out[u] {
			out = append(out, u)
		}
	}
	return out
}

func (v *vanishing) act() {
	v.t.Helper()
	here := v.here()
	who := here[v.rng.IntN(len(here))]
	switch n := v.rng.IntN(16); {
	case n < 4:
		v.move()
	case n < 6:
		v.pass(time.Duration(1+v.rng.IntN(40)) * time.Hour)
	case n < 7:
		v.pass(table.PaceWeekend.Limit())
	case n < 8:
		if m := v.reply(v.command(who, "leave")); strings.Contains(text(m), "Leave the game") {
			v.label(who, m, "Leave the game")
		}
	case n < 9:
		_ = v.discord.CloseDMs(who, v.rng.IntN(2) == 0)
	case n < 10 && who != v.users[0] && len(here) > 3: // the first person watches the board for this test
		if err := v.discord.RemoveMember(v.guild, who); err != nil {
			v.t.Fatal(err)
		}
		if v.out == nil {
			v.out = map[string]bool{}
		}
		v.out[who] = true
	case n < 11:
		// Together or alone: one vote of many decides nothing, and a game that is never paused shows nothing.
		voters := here[:1+v.rng.IntN(len(here))]
		if sub := []string{"pause", "resume"}[v.rng.IntN(2)]; v.table().Stage() == table.Playing {
			for _, voter := range voters {
				v.command(voter, sub)
			}
		}
	default:
		for range 4 {
			v.pressSome(here[v.rng.IntN(len(here))])
		}
	}
	v.flush()
}

// move lets the awaited person move, if they can.
func (v *vanishing) move() {
	t := v.table()
	if who, ok := t.AwaitedPerson(); ok && !v.out[string(who.ID)] {
		panel := v.reply(v.command(string(who.ID), "seat"))
		for range manyPresses {
			panel = v.random(v.rng, string(who.ID), panel)
			if now := v.table(); now.Stage() != table.Playing || now.Prompt() != t.Prompt() {
				return
			}
		}
	}
}

// pressSome presses something about presence that the board or My seat offers this person.
func (v *vanishing) pressSome(who string) {
	var offered []sandbox.Component
	m := v.board()
	if v.rng.IntN(2) == 0 {
		m = v.reply(v.command(who, "seat"))
	}
	for _, c := range controls(m) {
		id, err := press.Parse(c.CustomID)
		if err != nil {
			v.t.Fatalf("custom id %q: %v", c.CustomID, err)
		}
		switch id.Kind {
		case press.Offer, press.Accept, press.Reclaim, press.Back, press.Pause, press.Resume:
			offered = append(offered, c)
		}
	}
	if len(offered) > 0 {
		v.press(who, m, offered[v.rng.IntN(len(offered))].CustomID)
	}
}

func (v *vanishing) check() {
	v.t.Helper()
	at := v.table()
	public := at.Public()
	if at.Stage() != table.Playing {
		v.met["over"] = true
		return
	}
	for _, s := range public.Seats {
		v.met["present"] = v.met["present"] || s.Human() && !s.Away
		v.met["away"] = v.met["away"] || s.Away
		v.met["overdue"] = v.met["overdue"] || s.Overdue && !s.Away
		v.met["stand-in"] = v.met["stand-in"] || s.Owner.ID != ""
	}
	for _, l := range public.Recent {
		v.met["gone"] = v.met["gone"] || l.Kind == table.LineGone
	}
	v.met["paused"] = v.met["paused"] || public.Paused
	board := text(v.board())
	who, asked := at.AwaitedPerson()
	if asked && !strings.Contains(board, "<@"+string(who.ID)+">") {
		v.t.Fatalf("the board does not ask %s:\n%s", who.Name, board)
	}
	row, err := v.store.Table(v.ctx(), at.ID())
	if err != nil {
		v.t.Fatal(err)
	}
	clock := false
	for _, d := range row.Deadlines {
		clock = clock || d.Kind == table.DeadlineSquire || d.Kind == table.DeadlineTurn
		if !d.At.After(v.clock.Now()) {
			v.t.Fatalf("a deadline %s of %v is past and still there at %v", d.Kind, d.At, v.clock.Now())
		}
	}
	limited := public.Options.Pace.Limit() > 0 && !public.Paused
	if clock != (!asked || limited) {
		v.t.Fatalf("a clock runs: %v; somebody is asked: %v; the pace %s, paused %v", clock, asked, public.Options.Pace, public.Paused)
	}
	if says := strings.Contains(board, "; deadline <t:"); says != (asked && limited) {
		v.t.Fatalf("the board says a time: %v, and there is one: %v\n%s", says, asked && limited, board)
	}
}
