package table

import (
	"slices"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// MaxMissed is how many turns in a row somebody may let run out before a squire keeps the seat.
const MaxMissed = 3

// MaxOffers bounds the offers to stand in that wait for an answer.
const MaxOffers = 10

// Commands about people who are not there.
type (
	// Timeout lets a squire make one turn of the awaited person, whose clock has run out. Nobody asks for it but the clock.
	Timeout struct{ Prompt uint64 }
	// Nudge counts a reminder of the awaited person, whose habits these are. Nobody asks for it but the clock.
	Nudge struct {
		Prompt uint64
		Habits Habits
	}
	// Replan follows this person's having chosen these habits: the deadlines are to be counted anew. It changes nothing that anybody
	// can see.
	Replan struct {
		User   UserID
		Habits Habits
	}
	// Grace gives the awaited person, whose habits these are, time after nobody could move: the
	// program or the way to Discord was down, or the clock jumped.
	Grace struct {
		Prompt uint64
		Habits Habits
	}
	// Gone says that this person is no longer in the server.
	Gone struct{ User UserID }
	// Offer is an offer to stand in for an overdue seat.
	Offer struct{ Seat paladin.Seat }
	// Accept takes the offer of that person. For a seat that is away the host alone is enough; before that, and without the host, it
	// takes the votes of others: see accepted.
	Accept struct {
		Seat paladin.Seat
		User UserID
	}
	// Reclaim returns a seat from its stand-in to the person it belongs to.
	Reclaim struct{}
	// VotePause is a vote to stop the clocks; a majority does it, a moderator at once.
	VotePause struct{}
	// VoteResume is a vote to let the clocks go on.
	VoteResume struct{}
)

func (Timeout) command()    {}
func (Nudge) command()      {}
func (Replan) command()     {}
func (Grace) command()      {}
func (Gone) command()       {}
func (Offer) command()      {}
func (Accept) command()     {}
func (Reclaim) command()    {}
func (VotePause) command()  {}
func (VoteResume) command() {}

// offer is somebody's offer to stand in.
type offer struct {
	Seat   paladin.Seat `json:"seat"`
	Person Person       `json:"person"`
	Votes  []UserID     `json:"votes,omitempty"`
}

// timeout makes one turn for the awaited person: a peek is followed by its placement. It is marked in public, for it says nothing about
// the cards but that the clock ran out.
func (t *Table) timeout(prompt uint64, now time.Time, out *Outcome) error {
	if err := t.needAwaited(prompt); err != nil {
		return err
	}
	if t.paused || t.options.Pace.Limit() == 0 {
		return &Refusal{Kind: Stale, Seat: t.Awaited()}
	}
	seat := t.Awaited()
	t.note(out, Line{At: now, Kind: LineTimeout, Seat: seat, User: t.seats[seat].Person.ID, Name: t.seats[seat].Person.Name})
	for turn := true; turn; {
		view := t.game.View(seat)
		move, err := squire.Normal.Choose(&view, t.choiceSeed(t.Prompt()))
		if err != nil {
			return err
		}
		turn = move.Kind == paladin.Peek
		if err := t.move(move, LineSquireMove, now, out); err != nil {
			return err
		}
	}
	if t.stage != Playing {
		return nil
	}
	t.seats[seat].missed++
	if t.seats[seat].missed >= MaxMissed {
		t.depart(int(seat), LineKept, now, out)
	}
	return nil
}

// needAwaited refuses what was meant for another question, or for a seat that no person plays.
func (t *Table) needAwaited(prompt uint64) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	if _, awaited := t.AwaitedPerson(); prompt != t.Prompt() || !awaited {
		return &Refusal{Kind: Stale, Seat: t.Awaited()}
	}
	return nil
}

// nudge counts a reminder. One that comes late, because nothing could be said, comes once and not
// in the night, and stands for those that would follow it closely.
func (t *Table) nudge(cmd Nudge, now time.Time, out *Outcome) error {
	if err := t.needAwaited(cmd.Prompt); err != nil {
		return err
	}
	if t.paused {
		return &Refusal{Kind: Stale, Seat: t.Awaited()}
	}
	covers := time.Duration(0)
	if at, any := cmd.Habits.reminderAt(t.awaited, t.options.Pace, t.reminded); any && now.After(at) {
		covers = min(now.Sub(at), cmd.Habits.Between(t.options.Pace)/2) - 1
	}
	t.reminded++
	t.passReminders(cmd.Habits, now.Add(covers))
	out.Reminded = !cmd.Habits.Asleep(t.options.Pace, now)
	return nil
}

// replan takes the reminders for sent that new habits put into the past: nobody gets several at once for having chosen more of them.
func (t *Table) replan(cmd Replan, now time.Time) error {
	if who, awaited := t.AwaitedPerson(); awaited && who.ID == cmd.User && !t.paused {
		t.passReminders(cmd.Habits, now)
	}
	return nil
}

func (t *Table) passReminders(h Habits, now time.Time) {
	for {
		at, any := h.reminderAt(t.awaited, t.options.Pace, t.reminded)
		if !any || at.After(now) {
			return
		}
		t.reminded++
	}
}

// giveGrace counts outside quiet hours, as the turn itself does: a night in which the program comes back takes nobody's move.
func (t *Table) giveGrace(cmd Grace, now time.Time) error {
	if err := t.needAwaited(cmd.Prompt); err != nil {
		return err
	}
	pace := t.options.Pace
	if until := cmd.Habits.quiet(pace).After(now, pace.Grace()); until.After(t.grace) {
		t.grace = until
	}
	return nil
}

// depart hands a seat to a squire: its owner left, is gone from the server, or let too many turns run out.
func (t *Table) depart(seat int, kind LineKind, now time.Time, out *Outcome) {
	who := t.seats[seat].Person
	t.vacate(seat, who.ID, Line{At: now, Kind: kind, Seat: paladin.Seat(seat), User: who.ID, Name: who.Name}, now, out)
}

// vacate leaves a seat to a squire, as the line tells. gone is who played it until now.
func (t *Table) vacate(seat int, gone UserID, line Line, now time.Time, out *Outcome) {
	t.seats[seat].Away = true
	t.seats[seat].orders, t.seats[seat].plan, t.seats[seat].brokenPlan = nil, nil, nil
	t.note(out, line)
	drop := func(u UserID) bool { return u == gone }
	t.stopVotes = slices.DeleteFunc(t.stopVotes, drop)
	t.pauseVotes = slices.DeleteFunc(t.pauseVotes, drop)
	t.dropAccepts(gone)
	if t.present() == 0 {
		t.close(ClosedEmpty, now, out)
		return
	}
	if t.host == gone {
		t.host = t.seats[slices.IndexFunc(t.seats, Seat.Present)].Person.ID
	}
	if t.Awaited() == paladin.Seat(seat) {
		t.await(now)
	}
	t.countVotes(now, out)
}

// countVotes carries out the votes that have become a majority because somebody who did not vote has gone.
func (t *Table) countVotes(now time.Time, out *Outcome) {
	if n := len(t.stopVotes); n > 0 && n >= t.votesNeeded() {
		t.close(ClosedStopped, now, out)
		return
	}
	if n := len(t.pauseVotes); n > 0 && n >= t.votesNeeded() {
		t.turnPause(now, out)
	}
	for _, o := range t.offers {
		if t.accepted(o) && t.seats[o.Seat].Overdue() {
			t.standIn(int(o.Seat), o.Person, now, out)
			t.countVotes(now, out) // other offers may be void now
			return
		}
	}
}

func (t *Table) gone(user UserID, now time.Time, out *Outcome) error {
	if !t.Live() {
		return &Refusal{Kind: GameOver}
	}
	seat := t.seatOf(user)
	if seat < 0 || t.seats[seat].Away {
		return &Refusal{Kind: NotSeated}
	}
	if t.stage == Lobby {
		return t.leave(Actor{Person: t.seats[seat].Person}, now, out)
	}
	t.depart(seat, LineGone, now, out)
	return nil
}

// Overdue reports whether somebody may stand in for the seat: its person let a turn run out, or is away.
func (s Seat) Overdue() bool { return s.Human() && (s.Away || s.missed > 0) }

func (t *Table) offer(by Actor, seat paladin.Seat, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	switch {
	case seat < 0 || int(seat) >= len(t.seats):
		return &Refusal{Kind: NoSuchSeat}
	case t.SentOff(by.ID):
		return &Refusal{Kind: SentOff}
	case !t.seats[seat].Overdue():
		return &Refusal{Kind: NotOverdue, Seat: seat, Name: t.seatName(seat)}
	case t.seats[seat].Person.ID == by.ID:
		return &Refusal{Kind: OwnSeat}
	case t.heldAnother(by.ID, seat):
		return &Refusal{Kind: HeldSeat}
	case slices.ContainsFunc(t.offers, func(o offer) bool { return o.Person.ID == by.ID }):
		return &Refusal{Kind: AlreadyOffered}
	case len(t.offers) >= MaxOffers:
		return &Refusal{Kind: OffersFull}
	}
	t.offers = append(t.offers, offer{Seat: seat, Person: by.Person})
	t.note(out, Line{At: now, Kind: LineOffer, Seat: seat, User: by.ID, Name: by.Name, Other: t.seatName(seat)})
	return nil
}

// heldAnother reports whether the person holds or ever held a seat of this game other than this one: they know its cards.
func (t *Table) heldAnother(user UserID, seat paladin.Seat) bool {
	for i, s := range t.seats {
		if paladin.Seat(i) != seat && (s.Person.ID == user || s.owner.ID == user || s.heldBefore(user)) {
			return true
		}
	}
	return false
}

func (t *Table) accept(by Actor, cmd Accept, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	voter := t.seatOf(by.ID)
	switch {
	case voter < 0:
		return &Refusal{Kind: NotSeated}
	case paladin.Seat(voter) == cmd.Seat:
		return &Refusal{Kind: OwnSeat}
	case t.seats[voter].Away:
		return t.awayRefusal(by.ID)
	}
	at := slices.IndexFunc(t.offers, func(o offer) bool { return o.Seat == cmd.Seat && o.Person.ID == cmd.User })
	if at < 0 || !t.seats[cmd.Seat].Overdue() {
		return &Refusal{Kind: NoOffer}
	}
	o := t.offers[at]
	alone := by.ID == t.host && t.seats[cmd.Seat].Away
	if !alone && slices.Contains(o.Votes, by.ID) {
		return t.acceptedAlready(o)
	}
	if !alone {
		o.Votes = append(slices.Clone(o.Votes), by.ID)
		t.offers[at] = o
		t.note(out, Line{At: now, Kind: LineAccept, Seat: cmd.Seat, User: by.ID, Name: by.Name, Other: o.Person.Name})
		if !t.accepted(o) {
			return nil
		}
	}
	t.standIn(int(cmd.Seat), o.Person, now, out)
	return nil
}

// acceptedAlready refuses a second vote for an offer.
func (t *Table) acceptedAlready(o offer) *Refusal {
	if t.acceptWaits(o.Seat) {
		return &Refusal{Kind: AcceptWaits, Seat: o.Seat, Name: t.seatName(o.Seat)}
	}
	return &Refusal{Kind: AlreadyVoted, Count: t.acceptsNeeded(o.Seat) - t.acceptVotes(o)}
}

// MinAccepts is how many people have to accept a stand-in for a seat that is not away: whoever stands in reads a hand whose owner may be
// back in a minute, and one person alone may have two accounts.
const MinAccepts = 2

// accepted reports whether enough people accept the offer. A host's vote that was given while the seat was not away is enough once it is.
func (t *Table) accepted(o offer) bool {
	n := t.acceptVotes(o)
	return n > 0 && n >= t.acceptsNeeded(o.Seat) || t.hostAccepts(o.Seat) && slices.Contains(o.Votes, t.host)
}

// hostAccepts reports whether the host alone may accept a stand-in for the seat.
func (t *Table) hostAccepts(seat paladin.Seat) bool {
	return t.seats[seat].Away && t.seats[seat].Person.ID != t.host
}

// acceptVotes counts the votes for an offer: those of people who make the moves of another seat.
func (t *Table) acceptVotes(o offer) int {
	n := 0
	for _, u := range o.Votes {
		if i := t.seatOf(u); i >= 0 && paladin.Seat(i) != o.Seat && t.seats[i].Present() {
			n++
		}
	}
	return n
}

// acceptsNeeded is the majority of the human seats other than this one whose people are there, and MinAccepts while this one is not away.
func (t *Table) acceptsNeeded(seat paladin.Seat) int {
	needed := t.others(seat)/2 + 1
	if !t.seats[seat].Away {
		needed = max(needed, MinAccepts)
	}
	return needed
}

// acceptWaits reports whether there are too few people to accept a stand-in for the seat before it is away.
func (t *Table) acceptWaits(seat paladin.Seat) bool {
	return !t.seats[seat].Away && t.others(seat) < MinAccepts
}

// others counts the people who make the moves of a seat other than this one.
func (t *Table) others(seat paladin.Seat) int {
	n := 0
	for i, s := range t.seats {
		if paladin.Seat(i) != seat && s.Present() {
			n++
		}
	}
	return n
}

// dropAccepts takes back what somebody who plays no seat any more said of offers.
func (t *Table) dropAccepts(user UserID) {
	for i := range t.offers {
		t.offers[i].Votes = slices.DeleteFunc(slices.Clone(t.offers[i].Votes), func(u UserID) bool { return u == user })
	}
}

// standIn gives a seat with all that it knows to a stand-in. The one who held it keeps the right to it, and no longer sees it.
func (t *Table) standIn(seat int, who Person, now time.Time, out *Outcome) {
	s := &t.seats[seat]
	if s.owner.ID == "" {
		s.owner = s.Person
	} else if s.owner.ID != s.Person.ID {
		s.remember(s.Person)
	}
	gone, name := s.Person.ID, s.Person.Name
	s.Person, s.Away, s.missed = who, false, 0
	if s.owner.ID == who.ID {
		s.owner = Person{} // the owner is back on the seat
	}
	s.orders, s.plan, s.brokenPlan = nil, nil, nil
	if t.host == gone {
		t.host = who.ID
	}
	t.stopVotes = slices.DeleteFunc(t.stopVotes, func(u UserID) bool { return u == gone })
	t.pauseVotes = slices.DeleteFunc(t.pauseVotes, func(u UserID) bool { return u == gone })
	t.offers = slices.DeleteFunc(t.offers, func(o offer) bool { return o.Seat == paladin.Seat(seat) || o.Person.ID == who.ID })
	t.dropAccepts(gone)
	if t.Awaited() == paladin.Seat(seat) {
		t.await(now)
	}
	t.note(out, Line{At: now, Kind: LineStandIn, Seat: paladin.Seat(seat), User: who.ID, Name: who.Name, Other: name})
}

func (t *Table) reclaim(by Actor, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	at := t.ownedSeat(by.ID)
	switch {
	case at < 0 && t.seatOf(by.ID) >= 0 && t.seats[t.seatOf(by.ID)].Away:
		return t.awayRefusal(by.ID)
	case at < 0 && t.seatOf(by.ID) >= 0:
		return &Refusal{Kind: NotAway}
	case at < 0:
		return &Refusal{Kind: NotSeated}
	case t.SentOff(by.ID):
		return &Refusal{Kind: SentOff}
	}
	s := &t.seats[at]
	s.remember(s.Person)
	stand, name := s.Person.ID, s.Person.Name
	t.standInOwner(at, by.Person)
	if t.host == stand {
		t.host = by.ID
	}
	if t.Awaited() == paladin.Seat(at) {
		t.await(now)
	}
	t.note(out, Line{At: now, Kind: LineBack, Seat: paladin.Seat(at), User: by.ID, Name: by.Name, Other: name})
	return nil
}

func (t *Table) standInOwner(seat int, owner Person) {
	s := &t.seats[seat]
	gone := s.Person.ID
	s.Person, s.owner, s.Away, s.missed = owner, Person{}, false, 0
	s.orders, s.plan, s.brokenPlan = nil, nil, nil
	t.stopVotes = slices.DeleteFunc(t.stopVotes, func(u UserID) bool { return u == gone })
	t.pauseVotes = slices.DeleteFunc(t.pauseVotes, func(u UserID) bool { return u == gone })
	t.dropAccepts(gone)
}

// remember notes that somebody stood in at the seat and knows its cards, once and by their latest name.
func (s *Seat) remember(who Person) {
	s.former = slices.Clone(s.former)
	if i := slices.IndexFunc(s.former, func(p Person) bool { return p.ID == who.ID }); i >= 0 {
		s.former[i] = who
		return
	}
	s.former = append(s.former, who)
}

// heldBefore reports whether the person stood in at this seat before.
func (s *Seat) heldBefore(user UserID) bool {
	return user != "" && slices.ContainsFunc(s.former, func(p Person) bool { return p.ID == user })
}

// ownedSeat returns the seat that belongs to the person while somebody stands in; -1 if there is none.
func (t *Table) ownedSeat(user UserID) int {
	if user == "" {
		return -1
	}
	return slices.IndexFunc(t.seats, func(s Seat) bool { return s.owner.ID == user })
}

// OwnedSeat returns the seat that belongs to the person while somebody stands in, or paladin.NoSeat.
func (t *Table) OwnedSeat(user UserID) paladin.Seat {
	if i := t.ownedSeat(user); i >= 0 {
		return paladin.Seat(i)
	}
	return paladin.NoSeat
}

// FormerSeat returns the seat that the person held while its owner was away, or paladin.NoSeat.
func (t *Table) FormerSeat(user UserID) paladin.Seat {
	for i, s := range t.seats {
		if s.heldBefore(user) && s.Person.ID != user {
			return paladin.Seat(i)
		}
	}
	return paladin.NoSeat
}

// votePause counts a vote to pause, or to go on when the game is paused.
func (t *Table) votePause(by Actor, pause bool, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	if t.paused == pause {
		return &Refusal{Kind: PauseAlready}
	}
	if by.Moderator {
		t.turnPause(now, out)
		return nil
	}
	seat, err := t.ownSeat(by)
	if err != nil {
		return err
	}
	if slices.Contains(t.pauseVotes, by.ID) {
		return &Refusal{Kind: AlreadyVoted, Count: t.votesNeeded() - len(t.pauseVotes)}
	}
	t.pauseVotes = append(t.pauseVotes, by.ID)
	line := Line{At: now, Kind: LinePauseVote, Seat: paladin.Seat(seat), User: by.ID, Name: by.Name}
	if !pause {
		line.Reason = VotedToResume
	}
	t.note(out, line)
	if len(t.pauseVotes) >= t.votesNeeded() {
		t.turnPause(now, out)
	}
	return nil
}

// turnPause pauses the game or lets it go on; the time of the pause does not count.
func (t *Table) turnPause(now time.Time, out *Outcome) {
	t.pauseVotes = nil
	if !t.paused {
		t.paused, t.pausedAt, t.pausedSince = true, now, now
		t.note(out, Line{At: now, Kind: LinePaused})
		return
	}
	stood := now.Sub(t.pausedAt)
	t.paused, t.pausedAt, t.pausedSince = false, time.Time{}, time.Time{}
	t.awaited = t.awaited.Add(stood)
	if !t.grace.IsZero() {
		t.grace = t.grace.Add(stood)
	}
	t.note(out, Line{At: now, Kind: LineResumed})
}

// await begins a new step: somebody's decision is awaited from now on.
func (t *Table) await(now time.Time) {
	t.awaited, t.grace, t.reminded = now, time.Time{}, 0
	if t.paused {
		t.pausedAt = now
	}
}
