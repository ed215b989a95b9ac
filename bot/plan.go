package bot

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// An intent names something to be shown. Its key says what, so that a newer one takes the place of an older one that has not gone
// out; its payload says the rest. Both are stored: see intent.Version.
type intent struct {
	// Version of this form. Fields may be added with a zero value that means what it meant before.
	Version int `json:"v"`
	// What is one of the what... constants.
	What string `json:"what"`
	// Seat whose panel it is, from 0.
	Seat int `json:"seat,omitempty"`
	// Prompt is the question that the notification is about; it goes out only while that question is open. 0: the deal.
	Prompt uint64 `json:"prompt,omitempty"`
	// Users to invite or to call, or else meant and not the seat's holder; of a seat that is taken, who held it before.
	Users []table.Person `json:"users,omitempty"`
	// Message and Channel of an old board to retire, of a message of somebody who no longer holds
	// the seat, or of a call to withdraw.
	Message string `json:"message,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Last is the last move of what is to be shown, which begins with the one that answers Prompt, and Step how far it is shown.
	Last uint64 `json:"last,omitempty"`
	Step int    `json:"step,omitempty"`
	// Taken says that the seat has a new holder, who is told whoever is to move.
	Taken bool `json:"taken,omitempty"`
	// Mention says it in the table's channel instead of a DM.
	Mention bool `json:"mention,omitempty"`
	// Quiet changes the message that stands there already, and tells nobody.
	Quiet bool `json:"quiet,omitempty"`
	// RanOut says in the message that stands there already that the time ran out.
	RanOut bool `json:"ran_out,omitempty"`
	// Instead is the generation of the DM that could not be sent, in the place of which this is said in the table's channel.
	Instead uint64 `json:"instead,omitempty"`
}

const (
	whatBoard  = "board"  // show the board as it is now
	whatPanel  = "panel"  // tell a seat by DM that it is to move, or what it was dealt
	whatInvite = "invite" // call people to the lobby
	whatSeated = "seated" // tell somebody from the queue that they have a seat
	whatOver   = "over"   // tell a seat, or in the channel those who want to be told there, that the game is over
	whatBye    = "bye"    // tell a seat, or its owner while somebody stands in, by DM that its table is gone
	whatRemind = "remind" // tell a seat once more that it is to move
	whatOffer  = "offer"  // ask a seat about an offer to stand in for another
	whatStands = "stands" // tell the owner of a seat who stands in and sees the hand
	whatOff    = "off"    // tell somebody that they were sent off, or the owner of a seat that its stand-in was
	whatBack   = "back"   // tell somebody that they were let back
	whatTaken  = "taken"  // let the direct message of a seat die whose holder has changed
	whatLookup = "lookup" // ask whether somebody whose time ran out is still in the server
	whatProbe  = "probe"  // ask for the table's channel, which may be gone
	whatShow   = "show"   // the next step of what was resolved at once
	whatRetire = "retire" // an old board points to the live one
	whatUncall = "uncall" // withdraw a call in the channel in place of which there is a newer one
	whatOldDM  = "olddm"  // remove a direct message in place of which there is a newer one
	whatCalls  = "calls"  // clear the channel of calls that are answered
)

// change plans the transaction of one step of a table: what is stored, what is to be said and when to look again. before is nil for
// a new table. It is a pure function; the store makes it true.
func change(before, after *table.Table, version uint64, by table.UserID, interaction string, out table.Outcome, now time.Time,
	habits func(table.UserID) table.Habits,
) (store.Change, error) {
	snapshot, err := after.Encode()
	if err != nil {
		return store.Change{}, err
	}
	c := store.Change{
		Table: after.ID(), Expect: version, Snapshot: snapshot, Live: after.Live(), Channel: after.Channel(), Guild: after.Guild(),
		At: now, Interaction: interaction,
	}
	c.Users = partOf(after)
	for _, line := range out.Lines {
		entry, err := json.Marshal(line)
		if err != nil {
			return store.Change{}, fmt.Errorf("encode line: %w", err)
		}
		c.Entries = append(c.Entries, entry)
	}
	for _, d := range after.Deadlines(habits) {
		c.Deadlines = append(c.Deadlines, store.Deadline{Kind: d.Kind, Prompt: d.Prompt, At: d.At})
	}
	if lost(after) {
		return c, planLost(&c, after, before)
	}
	if shownDiffers(before, after, habits) {
		if err := addIntent(&c, boardName, after.Channel(), intent{What: whatBoard}); err != nil {
			return store.Change{}, err
		}
	}
	if err := planReminder(&c, after, out, habits); err != nil {
		return store.Change{}, err
	}
	if err := planLookup(&c, after, out); err != nil {
		return store.Change{}, err
	}
	if err := planNotices(&c, before, after, by, out, habits); err != nil {
		return store.Change{}, err
	}
	if err := planOver(&c, before, after, by, out, habits); err != nil {
		return store.Change{}, err
	}
	if err := planHandovers(&c, before, after, by); err != nil {
		return store.Change{}, err
	}
	if err := planSentOff(&c, out); err != nil {
		return store.Change{}, err
	}
	if err := planOffers(&c, after, out, habits); err != nil {
		return store.Change{}, err
	}
	if err := planInvitations(&c, after, out); err != nil {
		return store.Change{}, err
	}
	return c, planShow(&c, before, after, out, now)
}

// partOf are the people whose game this is: those who sit, those who queue for a seat, and those for whom somebody stands in, who can
// come back at any time.
func partOf(t *table.Table) []string {
	var users []string
	public := t.Public()
	for _, p := range slices.Concat(t.People(), stoodIn(&public), public.Queue) {
		if id := string(p.ID); !slices.Contains(users, id) && !p.ID.Forgotten() {
			users = append(users, id)
		}
	}
	return users
}

// stoodIn are the people for whom somebody stands in.
func stoodIn(p *table.Public) []table.Person {
	var owners []table.Person
	for _, seat := range p.Seats {
		if seat.Owner.ID != "" {
			owners = append(owners, seat.Owner)
		}
	}
	return owners
}

// shownDiffers reports whether the board looks different. What only one person may know (a standing order, a plan) leaves no trace on it,
// not even an edit.
func shownDiffers(before, after *table.Table, habits func(table.UserID) table.Habits) bool {
	return before == nil || !reflect.DeepEqual(before.PublicAt(habits), after.PublicAt(habits))
}

// planReminder tells the awaited person once more, in the ways that they chose.
func planReminder(c *store.Change, after *table.Table, out table.Outcome, habits func(table.UserID) table.Habits) error {
	who, awaited := after.AwaitedPerson()
	if !out.Reminded || !awaited {
		return nil
	}
	seat := after.SeatOf(who.ID)
	return addNotice(c, after, who, seat, intent{What: whatRemind, Seat: int(seat), Prompt: after.Prompt()}, "remind", habits(who.ID).Way)
}

// planLookup asks whether somebody who is reminded, or whose turn ran out, is still there at all.
func planLookup(c *store.Change, after *table.Table, out table.Outcome) error {
	lines := out.Lines
	if who, awaited := after.AwaitedPerson(); out.Reminded && awaited {
		lines = append(slices.Clone(lines), table.Line{Kind: table.LineTimeout, Seat: after.Awaited(), User: who.ID})
	}
	for _, line := range lines {
		if line.Kind != table.LineTimeout || !after.Live() {
			continue
		}
		if err := addLookup(c, line.Seat, line.User); err != nil {
			return err
		}
	}
	return nil
}

func addLookup(c *store.Change, seat paladin.Seat, user table.UserID) error {
	return addIntent(c, fmt.Sprintf("lookup/%d", seat), lookupLane(user), intent{What: whatLookup, Seat: int(seat)})
}

// addNotice says something to a person by DM, by a mention in the channel, or both, each an intent of its own.
func addNotice(c *store.Change, t *table.Table, who table.Person, seat paladin.Seat, in intent, key string, way table.Remind) error {
	if way.DM() {
		if err := addIntent(c, fmt.Sprintf("%s/%d", key, seat), dmLane(who.ID), in); err != nil {
			return err
		}
	}
	if !way.Mention() {
		return nil
	}
	in.Mention = true
	return addIntent(c, fmt.Sprintf("%s-mention/%d", key, seat), t.Channel(), in)
}

// lost reports whether there is no channel any more in which something could be said.
func lost(t *table.Table) bool {
	return t.Stage() == table.Closed && t.Reason() == table.ClosedChannel
}

// planLost tells each seated person once that their table is gone, and each for whom somebody stands in: they could have come back. It
// drops what was still to be shown.
func planLost(c *store.Change, after, before *table.Table) error {
	c.DropIntents = append(c.DropIntents, boardName, "invite", probeKey)
	for i := range table.MaxSeats {
		c.DropIntents = append(c.DropIntents, panelKey(paladin.Seat(i)))
	}
	if before == nil || before.Stage() != table.Playing {
		return nil
	}
	for _, p := range after.People() {
		seat := after.SeatOf(p.ID)
		if err := addIntent(c, fmt.Sprintf("bye/%d", seat), dmLane(p.ID), intent{What: whatBye, Seat: int(seat)}); err != nil {
			return err
		}
	}
	public := after.Public()
	for _, p := range stoodIn(&public) {
		if err := addIntent(c, "bye/"+string(p.ID), dmLane(p.ID), intent{What: whatBye, Users: []table.Person{p}}); err != nil {
			return err
		}
	}
	return nil
}

// planNotices tells people that it is their move: by a DM with their panel, once per question, and never the one whose own press led
// here, who sees the answer to it. At the deal everybody gets their panel.
func planNotices(c *store.Change, before, after *table.Table, by table.UserID, out table.Outcome, habits func(table.UserID) table.Habits) error {
	dealt := after.Stage() == table.Playing && (before == nil || before.Stage() == table.Lobby)
	awaited, any := after.AwaitedPerson()
	for _, p := range after.People() {
		seat := after.SeatOf(p.ID)
		mine := any && p.ID == awaited.ID
		var was table.Person
		if before != nil {
			was, _ = before.AwaitedPerson()
		}
		moved := before == nil || before.Prompt() != after.Prompt() || was.ID != p.ID
		switch {
		case dealt:
			prompt := uint64(0)
			if mine {
				prompt = after.Prompt()
			}
			if err := addIntent(c, panelKey(seat), dmLane(p.ID), intent{What: whatPanel, Seat: int(seat), Prompt: prompt}); err != nil {
				return err
			}
		case before != nil && before.Stage() == table.Playing && before.Holder(seat).ID != p.ID:
			// A new holder is told by planHandovers.
		case after.Live() && keptFor(out, p.ID):
			// Their last message says that it is their move, and shall say how the seat becomes theirs again.
			if err := addIntent(c, panelKey(seat), dmLane(p.ID), intent{What: whatPanel, Seat: int(seat), Quiet: true}); err != nil {
				return err
			}
		case !mine && after.Live() && timedOut(out, p.ID):
			in := intent{What: whatPanel, Seat: int(seat), Quiet: true, RanOut: true}
			if err := addIntent(c, panelKey(seat), dmLane(p.ID), in); err != nil {
				return err
			}
		case mine && moved && p.ID != by:
			in := intent{What: whatPanel, Seat: int(seat), Prompt: after.Prompt()}
			if err := addNotice(c, after, p, seat, in, "dm", habits(p.ID).Way); err != nil {
				return err
			}
		}
	}
	return nil
}

// timedOut says whether this person's time ran out, and a squire made their move.
func timedOut(out table.Outcome, user table.UserID) bool {
	return slices.ContainsFunc(out.Lines, func(l table.Line) bool { return l.Kind == table.LineTimeout && l.User == user })
}

// keptFor says whether a squire keeps this person's seat from now on because their time ran out too often, or because they were sent off.
func keptFor(out table.Outcome, user table.UserID) bool {
	return slices.ContainsFunc(out.Lines, func(l table.Line) bool {
		return (l.Kind == table.LineKept || l.Kind == table.LineSentOff) && l.User == user
	})
}

// planOver tells everybody still present that their game is over, and whose time ran out once too often with it, each in the ways they
// chose, but never the one whose own press ended it. Those who are told in the channel share one message. Who is told by no DM may have
// one of the game all the same: it shall not go on saying that it is their move.
func planOver(c *store.Change, before, after *table.Table, by table.UserID, out table.Outcome, habits func(table.UserID) table.Habits) error {
	if before == nil || before.Stage() != table.Playing || after.Live() {
		return nil
	}
	var called []table.Person
	for _, p := range after.People() {
		seat := after.SeatOf(p.ID)
		// Who left is not called any more, but whose clock ran out as the last one's has not said goodbye.
		told := p.ID != by && (!after.Public().Seats[seat].Away || keptFor(out, p.ID))
		way := habits(p.ID).Way
		if told && way.Mention() {
			called = append(called, p)
		}
		in := intent{What: whatOver, Seat: int(seat), Quiet: !told || !way.DM()}
		if err := addIntent(c, overKey(seat), dmLane(p.ID), in); err != nil {
			return err
		}
	}
	if len(called) == 0 {
		return nil
	}
	return addIntent(c, "over-mention", after.Channel(), intent{What: whatOver, Users: called, Mention: true})
}

func planInvitations(c *store.Change, after *table.Table, out table.Outcome) error {
	var called []table.Person
	for _, line := range out.Lines {
		if line.Kind == table.LineInvited {
			called = append(called, table.Person{ID: line.User, Name: line.Name})
		}
	}
	if len(out.Seated) > 0 {
		key := "seated/" + string(out.Seated[0].ID)
		if err := addIntent(c, key, after.Channel(), intent{What: whatSeated, Users: out.Seated}); err != nil {
			return err
		}
	}
	if len(called) == 0 {
		return nil
	}
	// The key holds the first name called, so that a second invitation does not take the place of one that has not gone out.
	return addIntent(c, "invite/"+string(called[0].ID), after.Channel(), intent{What: whatInvite, Users: called})
}

func addIntent(c *store.Change, key, lane string, in intent) error {
	in.Version = 1
	payload, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode intent: %w", err)
	}
	c.Intents = append(c.Intents, store.Intent{Key: key, Channel: lane, Payload: payload})
	return nil
}

// lookupLane is the lane of the questions whether one person is still in a server.
func lookupLane(user table.UserID) string { return "lookup/" + string(user) }

func panelKey(seat paladin.Seat) string { return fmt.Sprintf("dm/%d", seat) }

func overKey(seat paladin.Seat) string { return fmt.Sprintf("over/%d", seat) }

// dmLane is the lane of what goes to one person: in order among itself, beside everything else.
func dmLane(user table.UserID) string { return "user/" + string(user) }
