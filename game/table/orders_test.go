package table_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/table"
)

// follow lets what was given beforehand move as long as it holds.
func follow(t testing.TB, at table.Table) (table.Table, int) {
	t.Helper()
	for n := 0; ; n++ {
		next, _, moved, err := at.Beforehand(start.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		at = next
		if !moved {
			return at, n
		}
	}
}

// placed plays three people's first round until everything is placed, always the last legal placement.
func placed(t testing.TB) table.Table {
	t.Helper()
	at := paced(t, table.PaceNone)
	for at.Public().Game.Phase != paladin.PhaseResolve {
		who, _ := at.AwaitedPerson()
		mine, _ := at.Private(who.ID)
		legal := mine.View.Legal() // in the order of their texts: peeks come before placements
		at = must(t, at, person(who.Name), table.Play{Move: legal[len(legal)-1]})
	}
	return at
}

func TestStandingOrdersFinishAResolvePhaseAtOnce(t *testing.T) {
	at := placed(t)
	for _, name := range []string{"Ann", "Ben", "Cleo"} {
		mine, _ := at.Private(person(name).ID)
		for _, card := range mine.Orderable() {
			at = must(t, at, person(name), table.SetOrder{Quest: card.Quest, Order: table.Order{Act: table.OrderBeatTake, Most: table.NoGuard}})
		}
	}
	who, _ := at.AwaitedPerson()
	lines := len(at.Public().Recent)
	asked, n := follow(t, at)
	if n != 0 {
		t.Fatalf("%d moves were made for the card whose owner is being asked", n)
	}
	at = must(t, asked, person(who.Name), table.Play{Move: paladin.Move{Kind: paladin.Take}})
	done, n := follow(t, at)
	if done.Public().Game.Round != 2 || n == 0 {
		t.Fatalf("round %d after %d ordered moves", done.Public().Game.Round, n)
	}
	if lines != len(at.Public().Recent) {
		t.Error("setting an order left a line in the history")
	}
	if mine, _ := done.Private(person("Ann").ID); len(mine.Orders) != 0 {
		t.Errorf("orders outlive their round: %v", mine.Orders)
	}
}

func TestGuardAsks(t *testing.T) {
	at := placed(t)
	first, _ := at.AwaitedPerson()
	game := at.Public().Game
	leader, _ := game.Row[game.Resolving-1].Cards[0].Card.Card()
	if leader.Value() == 0 {
		t.Fatal("the leading Paladin is a 0: no guard can hold an order back")
	}
	second := at.Public().Seats[game.Row[game.Resolving-1].Cards[2].Seat].Person
	for most, want := range map[int]bool{leader.Value() - 1: false, leader.Value(): true} {
		order := table.Order{Act: table.OrderTake, Most: most}
		next := must(t, at, person(second.Name), table.SetOrder{Quest: game.Resolving, Order: order})
		next = must(t, next, person(first.Name), table.Play{Move: paladin.Move{Kind: paladin.Take}})
		if _, n := follow(t, next); (n > 0) != want {
			t.Errorf("leader %v, at most %d: %d ordered moves", leader, most, n)
		}
	}
}

func TestOrderRefusals(t *testing.T) {
	at := placed(t)
	who, _ := at.AwaitedPerson()
	quest := at.Public().Game.Resolving
	for _, tc := range []struct {
		name string
		by   table.Actor
		cmd  table.Command
		want table.RefusalKind
	}{
		{"its turn has come", person(who.Name), table.SetOrder{Quest: quest, Order: table.Order{Act: table.OrderTake, Most: 9}}, table.CardsTurn},
		{"no such act", person(who.Name), table.SetOrder{Quest: quest, Order: table.Order{Act: "eat", Most: 9}}, table.BadOrder},
		{"no such guard", person(who.Name), table.SetOrder{Quest: quest, Order: table.Order{Act: table.OrderTake, Most: 10}}, table.BadOrder},
		{"no such quest", person(who.Name), table.SetOrder{Quest: 7, Order: table.Order{Act: table.OrderTake, Most: 9}}, table.NoCardThere},
		{"stranger", person("Eve"), table.SetOrder{Quest: quest, Order: table.Order{Act: table.OrderTake, Most: 9}}, table.NotSeated},
		{"plan while resolving", person(who.Name), table.SetPlan{Plan: &table.Plan{Card: paladin.NewCard(1, false), Quest: 1}}, table.NoPlanNow},
	} {
		if got := refused(t, at, tc.by, tc.cmd); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestOrderable: exactly the cards that Orderable names can be given an order, from placing on until their turn, and never a leading one.
func TestOrderable(t *testing.T) {
	at := paced(t, table.PaceNone)
	for range 60 {
		for _, name := range []string{"Ann", "Ben", "Cleo"} {
			mine, _ := at.Private(person(name).ID)
			offered := map[int]bool{}
			for _, card := range mine.Orderable() {
				offered[card.Quest] = true
			}
			for quest := range 5 {
				_, _, err := at.Do(person(name), table.SetOrder{Quest: quest, Order: table.Order{Act: table.OrderTake, Most: 9}}, start)
				if offered[quest] != (err == nil) {
					t.Fatalf("move %d, %s, quest %d: offered %v, the table says %v", at.Prompt(), name, quest, offered[quest], err)
				}
			}
			quests, leads := mine.Plannable()
			if mine.MyTurn() && len(quests) > 0 {
				t.Fatalf("move %d, %s: a plan is offered to who can place now", at.Prompt(), name)
			}
			for _, q := range quests {
				plan := &table.Plan{Card: mine.View.Hand[0], Quest: q.Quest, Most: q.Most}
				if _, _, err := at.Do(person(name), table.SetPlan{Plan: plan}, start); err != nil || leads && q.Most > 0 {
					t.Fatalf("move %d, %s: %+v (leads %v) is offered and refused: %v", at.Prompt(), name, q, leads, err)
				}
			}
		}
		who, any := at.AwaitedPerson()
		if !any {
			return
		}
		mine, _ := at.Private(who.ID)
		at = must(t, at, person(who.Name), table.Play{Move: mine.View.Legal()[len(mine.View.Legal())-1]})
	}
}

func TestPlanIsMadeWhenItHoldsAndElseItsOwnerIsAsked(t *testing.T) {
	at := paced(t, table.PaceNone)
	at = must(t, at, person("Ann"), table.Play{Move: paladin.Move{Kind: paladin.Start, Target: 1}})
	cleo, _ := at.Private(person("Cleo").ID)
	card := cleo.View.Hand[0]
	plan := &table.Plan{Card: card, Quest: 1, Most: 0} // lead quest 1 if nobody has
	at = must(t, at, person("Cleo"), table.SetPlan{Plan: plan})
	ben, _ := at.Private(person("Ben").ID)

	free := must(t, at, person("Ben"), table.Play{Move: paladin.Move{Kind: paladin.Place, Card: ben.View.Hand[0], Quest: 2}})
	free, n := follow(t, free)
	if n != 1 || free.Public().Game.Row[0].Cards[0].Seat != 2 {
		t.Errorf("the plan was not made: %d moves", n)
	}

	taken := must(t, at, person("Ben"), table.Play{Move: paladin.Move{Kind: paladin.Place, Card: ben.View.Hand[0], Quest: 1}})
	taken, n = follow(t, taken)
	mine, _ := taken.Private(person("Cleo").ID)
	if n != 0 || mine.Plan != nil || mine.BrokenPlan == nil {
		t.Errorf("the plan broke: %d moves, plan %v, broken %v", n, mine.Plan, mine.BrokenPlan)
	}
	if who, _ := taken.AwaitedPerson(); who.Name != "Cleo" {
		t.Errorf("%s is asked", who.Name)
	}
}

// TestOrdersLeaveNoPublicTrace: whatever somebody gives beforehand, the public form stays the same until it is their turn, and what is
// then done looks like a press.
func TestOrdersLeaveNoPublicTrace(t *testing.T) {
	at := placed(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Ann", "Ben", "Cleo"}).Draw(t, "who")
		next, out, err := at.Do(person(name), table.SetOrder{
			Quest: rapid.IntRange(1, 3).Draw(t, "quest"),
			Order: table.Order{Act: rapid.SampledFrom(table.OrderActs()).Draw(t, "act"), Most: rapid.IntRange(0, 9).Draw(t, "most")},
		}, start.Add(time.Minute))
		if err != nil {
			t.Skip("not orderable")
		}
		if diff := cmp.Diff(at.Public(), next.Public(), cmpopts.EquateComparable(paladin.FaceUp{})); diff != "" || len(out.Lines) > 0 {
			t.Fatalf("a trace: %v %s", out.Lines, diff)
		}
	})
}
