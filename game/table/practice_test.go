package table_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
)

func practice(t testing.TB, seed byte) table.Table {
	t.Helper()
	o := opening("Ann", 5)
	o.Seed, o.Options.Language, o.Options.Pace = paladin.Seed{seed}, "fr", table.PaceLive
	at, _, err := table.Practise(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := at.Check(); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestPractiseDealsAtOnce(t *testing.T) {
	at := practice(t, 1)
	p := at.Public()
	want := table.Options{
		Seats: 3, Squires: squire.Normal, SquirePace: table.SquireAtOnce, Pace: table.PaceNone, Language: "fr", Practice: true,
	}
	if diff := cmp.Diff(want, p.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Ann", "squire", "squire"}, names(p)); diff != "" {
		t.Errorf("seats (-want +got):\n%s", diff)
	}
	if at.Stage() != table.Playing || p.Awaited != 0 || p.Game.Phase != paladin.PhaseStart {
		t.Errorf("stage %s, seat %d is to act in phase %s", at.Stage(), p.Awaited.Number(), p.Game.Phase)
	}
	if due := at.Deadlines(habits); len(due) != 0 {
		t.Errorf("a person who practises has deadlines: %v", due)
	}
	if len(p.Recent) != 0 {
		t.Errorf("there is something to tell before anything happened: %v", p.Recent)
	}
}

// TestPracticeEndsAfterOneRound plays practice games by random legal moves, with random orders for placed cards, through storage.
func TestPracticeEndsAfterOneRound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		at := practice(t, rapid.Byte().Draw(r, "seed"))
		ann := person("Ann")
		dealt := hand(&at)
		var events []paladin.Event
		for at.Live() {
			if _, over, _ := at.Practised(); over {
				r.Fatal("everything is open before the end")
			}
			if at.Public().Seed != "" {
				r.Fatal("the seed is public before the end")
			}
			mine, _ := at.Private(ann.ID)
			var cmd table.Command
			by := ann
			switch legal := mine.View.Legal(); {
			case len(mine.Orderable()) > 0 && rapid.IntRange(0, 9).Draw(r, "order") == 0:
				cmd = table.SetOrder{Quest: mine.Orderable()[0].Quest, Order: table.Order{Act: table.OrderDiscard, Most: table.NoGuard}}
			case mine.MyTurn():
				cmd = table.Play{Prompt: at.Prompt(), Move: rapid.SampledFrom(legal).Draw(r, "move")}
			default:
				cmd, by = table.SquireMove{Prompt: at.Prompt()}, table.Actor{}
			}
			next, out, err := at.Do(by, cmd, start)
			if refusal := (*table.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == table.CardsTurn {
				continue
			}
			if err != nil {
				r.Fatal(err)
			}
			events = append(events, out.Events...)
			if at = next; at.Live() {
				var made bool
				if at, out, made, err = at.Beforehand(start); err != nil {
					r.Fatal(err)
				}
				if made {
					events = append(events, out.Events...)
				}
			}
			at = stored(r, &at)
			if err := table.Audit(&at, nil); err != nil {
				r.Fatal(err)
			}
		}
		checkPractised(r, &at, dealt, events)
	})
}

// stored is the table as it comes back from storage.
func stored(r *rapid.T, at *table.Table) table.Table {
	data, err := at.Encode()
	if err != nil {
		r.Fatal(err)
	}
	back, err := table.Decode(data)
	if err != nil {
		r.Fatal(err)
	}
	return back
}

// hand is what Ann holds.
func hand(at *table.Table) []paladin.Card {
	mine, _ := at.Private(person("Ann").ID)
	return slices.Clone(mine.View.Hand)
}

func checkPractised(r *rapid.T, at *table.Table, dealt []paladin.Card, events []paladin.Event) {
	if at.Stage() != table.Closed || at.Reason() != table.ClosedPractice {
		r.Fatalf("a practice game ends as %s: %s", at.Stage(), at.Reason())
	}
	if last := events[len(events)-1].Kind(); last != paladin.RoundScored {
		r.Fatalf("the last that happens is %s", last)
	}
	p, over, err := at.Practised()
	if err != nil || !over {
		r.Fatalf("it is over: %t, error %v", over, err)
	}
	if len(p.Quests) != 3 || len(p.Cards) != 9 {
		r.Fatalf("%d quests, %d cards", len(p.Quests), len(p.Cards))
	}
	var mine []paladin.Card
	honour, winners := make([]int, 3), 0
	for _, c := range p.Cards {
		if c.Owner == 0 {
			mine = append(mine, c.Card)
		}
		if c.Fate == paladin.FateKept {
			winners++
			honour[c.Owner] += p.Quests[c.Quest-1].Honour
			if c.Card.Red() {
				honour[c.Owner]++
			}
		}
	}
	if winners != 3 {
		r.Errorf("%d quests were won", winners)
	}
	if diff := cmp.Diff(honour, p.Honour); diff != "" {
		r.Errorf("honour does not follow from the quests (-from quests +told):\n%s", diff)
	}
	if len(p.Kept) != 3 || len(p.Kept[0]) != 1 || len(p.Kept[1]) != 1 || len(p.Kept[2]) != 1 {
		r.Fatalf("cards never placed: %v", p.Kept)
	}
	mine = append(mine, p.Kept[0]...)
	slices.Sort(mine)
	if diff := cmp.Diff(dealt, mine); diff != "" {
		r.Errorf("the cards shown are not those dealt (-dealt +shown):\n%s", diff)
	}
}

// firstMove is the first legal move of Ann.
func firstMove(at table.Table) paladin.Move {
	mine, _ := at.Private(person("Ann").ID)
	return mine.View.Legal()[0]
}

func TestPracticeRefusesWhatNeedsOthers(t *testing.T) {
	at := practice(t, 3)
	for _, by := range []table.Actor{person("Ann"), moderator("Ann"), moderator("Ben"), {}} {
		for _, cmd := range []table.Command{
			table.Join{}, table.Leave{}, table.AddSquire{}, table.Start{}, table.Cancel{}, table.VoteStop{}, table.ForceStop{}, table.VotePause{},
			table.VoteResume{}, table.Back{}, table.Offer{Seat: 0}, table.Accept{}, table.Reclaim{}, table.Invite{}, table.Lost{}, table.Idle{},
			table.Timeout{Prompt: at.Prompt()}, table.Nudge{Prompt: at.Prompt()}, table.Gone{User: person("Ann").ID},
			table.SetLanguage{Language: "de"}, table.SetPlan{},
		} {
			if kind := refused(t, at, by, cmd); kind != table.PracticeOnly {
				t.Errorf("%T by %q: %s", cmd, by.Name, kind)
			}
		}
	}
	move := firstMove(at)
	if kind := refused(t, at, person("Ben"), table.Play{Prompt: at.Prompt(), Move: move}); kind != table.NotSeated {
		t.Errorf("somebody else's move: %s", kind)
	}
	if _, _, _, err := at.Again(opening("Ann", 3)); err == nil {
		t.Error("a practice game is played again like any other")
	}
	next := must(t, at, person("Ann"), table.Play{Prompt: at.Prompt(), Move: move})
	if kind := refused(t, next, person("Ann"), table.Play{Prompt: at.Prompt(), Move: move}); kind != table.Stale {
		t.Errorf("the same press twice: %s", kind)
	}
}

func TestOnlyPracticeIsOpened(t *testing.T) {
	at := playing(t)
	at = must(t, at, moderator("Ann"), table.ForceStop{})
	if _, over, err := at.Practised(); over || err != nil {
		t.Errorf("a stopped game is shown with all its cards: %t, %v", over, err)
	}
}

func TestSquiresOfPracticeAnswerAtOnce(t *testing.T) {
	at := practice(t, 5)
	for at.Live() && !at.SquireToAct() {
		at = must(t, at, person("Ann"), table.Play{Prompt: at.Prompt(), Move: firstMove(at)})
	}
	due := at.Deadlines(habits)
	i := slices.IndexFunc(due, func(d table.Deadline) bool { return d.Kind == table.DeadlineSquire })
	if i < 0 || due[i].At.After(start.Add(time.Minute)) {
		t.Errorf("a squire that is to move is due: %v", due)
	}
}
