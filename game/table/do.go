package table

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// Command is what somebody, or the clock, asks of a table.
type Command interface{ command() }

// Commands of the lobby.
type (
	// Join takes a seat, or a place in the queue when all are taken; for somebody who holds a seat from the game before it says
	// that they play again.
	Join struct{}
	// AddSquire gives a free seat to a squire of the table's strength. Host only.
	AddSquire struct{}
	// RemoveSeat frees a squire's seat, or removes a person, who then cannot join this lobby again. Host only. Seats move up when one
	// is freed: Sits says who was seen there (an empty id is a squire), so that a late press removes nobody else; nil asks for whoever
	// sits there. Squires have no names to tell them apart: Taken says how many seats were taken then, so that pressing twice does
	// not remove two; 0 asks for no such thing.
	RemoveSeat struct {
		Seat  paladin.Seat
		Sits  *UserID
		Taken int
	}
	// Invite calls people by name. Host only.
	Invite struct{ People []Person }
	// SetStrength chooses how strong the squires are that are added from now on. Host only.
	SetStrength struct{ Strength squire.Strength }
	// SetSquirePace chooses how fast squires answer. Host only.
	SetSquirePace struct{ Pace SquirePace }
	// SetPace chooses how long a person has for a move. Host only.
	SetPace struct{ Pace Pace }
	// SetLanguage chooses the language of what everybody reads, as a short code. Host only.
	SetLanguage struct{ Language string }
	// SetPictures chooses whether the board shows a picture of the table. Host only.
	SetPictures struct{ On bool }
	// Start begins the game; its interaction id ends the salt (R20).
	Start struct{}
	// Cancel closes the lobby.
	Cancel struct{}
	// Here notes that the host pressed something in the lobby that changes nothing else: they are
	// there. It is Stale within HereAgain of the press before.
	Here struct{}
)

// Commands of the running game.
type (
	// Play makes a move for the seat of whoever asks. Prompt is the question it answers; 0 stands for the open one (a typed
	// command).
	Play struct {
		Prompt uint64
		Move   paladin.Move
	}
	// SquireMove lets the squire make the awaited move. Nobody asks for it but the clock.
	SquireMove struct {
		Prompt uint64
		// Stop, if set, says when a squire that thinks for long has to come to a decision; see squire.Effort.
		Stop func() bool
	}
	// Back returns a seat to the person who left it.
	Back struct{}
	// VoteStop is a person's vote to stop the game; Prompt does not matter, for it stands through the game.
	VoteStop struct{}
	// ForceStop stops the game or lobby. Moderators only.
	ForceStop struct{}
)

// Commands of lobby and game.
type (
	// Leave gives up a seat or a place in the queue; in a running game a squire plays the seat on.
	Leave struct{}
	// Idle closes a table that nobody has touched for LobbyIdle or GameIdle. Nobody asks for it but the clock.
	Idle struct{}
	// Lost closes the table because its channel is gone.
	Lost struct{}
	// Unlink lets the next lobby go that Play again opened, for that became no game: then this table
	// offers Play again once more. Nobody asks for it but the program.
	Unlink struct{ Next string }
	// Tidy gives a lobby that never became a game the deadline at which it is dropped, where an older
	// program closed it. Nobody asks for it but the program.
	Tidy struct{}
)

func (Join) command()          {}
func (AddSquire) command()     {}
func (RemoveSeat) command()    {}
func (Invite) command()        {}
func (SetStrength) command()   {}
func (SetSquirePace) command() {}
func (SetPace) command()       {}
func (SetLanguage) command()   {}
func (SetPictures) command()   {}
func (Start) command()         {}
func (Cancel) command()        {}
func (Here) command()          {}
func (Play) command()          {}
func (SquireMove) command()    {}
func (Back) command()          {}
func (VoteStop) command()      {}
func (ForceStop) command()     {}
func (Leave) command()         {}
func (Idle) command()          {}
func (Lost) command()          {}
func (Unlink) command()        {}
func (Tidy) command()          {}

// Outcome is what a command did, for the history and for whoever tells people.
type Outcome struct {
	// Lines are the history's new lines, in order.
	Lines []Line
	// Events are what a move made happen, with their private forms.
	Events []paladin.Event
	// Queued is true when Join led to the queue instead of a seat.
	Queued bool
	// Seated are people who came from the queue into a seat.
	Seated []Person
	// Reminded is true when the awaited person is to be reminded.
	Reminded bool
}

// Do carries out a command. The table it returns is a new value; t stays as it was. A command that the rules or the table refuse
// gives a *Refusal and changes nothing. now is used for what is stored, never compared with another clock.
func (t *Table) Do(by Actor, cmd Command, now time.Time) (Table, Outcome, error) {
	next := t.clone()
	by.Name = trimName(by.Name)
	out := Outcome{}
	if err := next.do(by, cmd, now, &out); err != nil {
		return Table{}, Outcome{}, err
	}
	return next, out, nil
}

func (t *Table) do(by Actor, cmd Command, now time.Time, out *Outcome) error {
	if t.options.Practice && !practised(cmd) {
		return &Refusal{Kind: PracticeOnly}
	}
	if by.ID != "" {
		t.touched = now
		t.rename(by.Person)
		if _, here := cmd.(Here); t.stage == Lobby && by.ID == t.host && !here {
			t.hostAt = now
		}
	}
	switch cmd := cmd.(type) {
	case Join:
		return t.join(by, now, out)
	case Leave:
		return t.leave(by, now, out)
	case AddSquire:
		return t.addSquire(by, now, out)
	case RemoveSeat:
		return t.removeSeat(by, cmd, now, out)
	case Invite:
		return t.invite(by, cmd.People, now, out)
	case SetStrength:
		return t.setOptions(by, now, func(o *Options) error { o.Squires = cmd.Strength; return checkStrength(cmd.Strength) })
	case SetSquirePace:
		return t.setOptions(by, now, func(o *Options) error { o.SquirePace = cmd.Pace; return checkPace(cmd.Pace.Valid()) })
	case SetPace:
		return t.setOptions(by, now, func(o *Options) error { o.Pace = cmd.Pace; return checkPace(cmd.Pace.Valid()) })
	case SetLanguage:
		return t.setOptions(by, now, func(o *Options) error { o.Language = cmd.Language; return nil })
	case SetPictures:
		return t.setOptions(by, now, func(o *Options) error { o.TextOnly = !cmd.On; return nil })
	case Start:
		return t.start(by, now, out)
	case Cancel:
		return t.cancel(by, now, out)
	case Here:
		return t.here(by, now)
	case Play:
		return t.play(by, cmd, now, out)
	case SquireMove:
		return t.squireMove(cmd, now, out)
	case Back:
		return t.back(by, now, out)
	case VoteStop:
		return t.voteStop(by, now, out)
	case ForceStop:
		return t.forceStop(by, now, out)
	case Idle:
		return t.idle(now, out)
	case Lost:
		return t.lost(now, out)
	case Unlink:
		return t.unlink(cmd.Next)
	case Tidy:
		if !t.NeverBegan() {
			return &Refusal{Kind: Stale}
		}
		return nil
	default:
		return t.doMore(by, cmd, now, out)
	}
}

// doMore carries out what is about people who are not there and what is given beforehand.
func (t *Table) doMore(by Actor, cmd Command, now time.Time, out *Outcome) error {
	switch cmd := cmd.(type) {
	case Timeout:
		return t.timeout(cmd.Prompt, now, out)
	case Nudge:
		return t.nudge(cmd, now, out)
	case Replan:
		return t.replan(cmd, now)
	case Grace:
		return t.giveGrace(cmd, now)
	case Gone:
		return t.gone(cmd.User, now, out)
	case Offer:
		return t.offer(by, cmd.Seat, now, out)
	case Accept:
		return t.accept(by, cmd, now, out)
	case Reclaim:
		return t.reclaim(by, now, out)
	case VotePause:
		return t.votePause(by, true, now, out)
	case VoteResume:
		return t.votePause(by, false, now, out)
	case SendOff:
		return t.sendOff(by, cmd, now, out)
	case LetBack:
		return t.letBack(by, cmd, now, out)
	case SetOrder:
		return t.setOrder(by, cmd)
	case SetPlan:
		return t.setPlan(by, cmd)
	default:
		return fmt.Errorf("table: unknown command %T", cmd)
	}
}

func (t *Table) rename(p Person) {
	if i := t.seatOf(p.ID); i >= 0 && p.Name != "" {
		t.seats[i].Person.Name = p.Name
	}
}

func (t *Table) join(by Actor, now time.Time, out *Outcome) error {
	if err := t.needLobby(); err != nil {
		return err
	}
	if i := t.seatOf(by.ID); i >= 0 {
		if t.seats[i].Ready {
			return &Refusal{Kind: AlreadySeated, Seat: paladin.Seat(i)}
		}
		t.seats[i].Ready, t.seats[i].entry = true, by.Interaction
		t.note(out, Line{At: now, Kind: LineReady, Seat: paladin.Seat(i), User: by.ID, Name: by.Name})
		return nil
	}
	if slices.Contains(t.barred, by.ID) {
		return &Refusal{Kind: Barred}
	}
	if slices.ContainsFunc(t.queue, func(a Actor) bool { return a.ID == by.ID }) {
		return &Refusal{Kind: AlreadyQueued}
	}
	if len(t.seats) >= t.options.Seats {
		if len(t.queue) >= MaxQueue {
			return &Refusal{Kind: QueueFull}
		}
		t.queue = append(t.queue, Actor{Person: by.Person, Interaction: by.Interaction})
		out.Queued = true
		t.note(out, Line{At: now, Kind: LineQueued, User: by.ID, Name: by.Name})
		return nil
	}
	t.sit(by, now, out)
	return nil
}

func (t *Table) sit(who Actor, now time.Time, out *Outcome) {
	t.seats = append(t.seats, Seat{Person: who.Person, Ready: true, entry: who.Interaction})
	t.note(out, Line{At: now, Kind: LineJoined, Seat: paladin.Seat(len(t.seats) - 1), User: who.ID, Name: who.Name})
}

// seatQueue fills free seats from the queue, first come first seated.
func (t *Table) seatQueue(now time.Time, out *Outcome) {
	for len(t.queue) > 0 && len(t.seats) < t.options.Seats {
		who := t.queue[0]
		t.queue = slices.Delete(t.queue, 0, 1)
		t.sit(who, now, out)
		out.Seated = append(out.Seated, who.Person)
	}
}

func (t *Table) leave(by Actor, now time.Time, out *Outcome) error {
	if !t.Live() {
		return &Refusal{Kind: GameOver}
	}
	if i := slices.IndexFunc(t.queue, func(a Actor) bool { return a.ID == by.ID }); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		t.note(out, Line{At: now, Kind: LineUnqueued, User: by.ID, Name: by.Name})
		return nil
	}
	seat := t.seatOf(by.ID)
	if seat < 0 {
		return &Refusal{Kind: NotSeated}
	}
	if t.stage == Playing {
		return t.leaveGame(by, seat, now, out)
	}
	t.seats = slices.Delete(t.seats, seat, seat+1)
	t.note(out, Line{At: now, Kind: LineLeft, User: by.ID, Name: by.Name})
	t.seatQueue(now, out)
	return t.unhost(by.ID, now, out)
}

// unhost gives the lobby of somebody who has no seat there any more to another host, or closes it.
func (t *Table) unhost(user UserID, now time.Time, out *Outcome) error {
	if user == t.host {
		t.succeed(now)
	}
	if t.present() == 0 {
		t.close(ClosedEmpty, now, out)
	}
	return nil
}

// succeed makes the first person who said they play the host and moves their seat to the front, for the host deals first (R5).
func (t *Table) succeed(now time.Time) {
	t.hostLeft, t.hostAt = true, now
	at := slices.IndexFunc(t.seats, func(s Seat) bool { return s.Present() && s.Ready })
	if at < 0 {
		at = slices.IndexFunc(t.seats, Seat.Present)
	}
	if at < 0 {
		t.host = ""
		return
	}
	seat := t.seats[at]
	t.seats = slices.Insert(slices.Delete(t.seats, at, at+1), 0, seat)
	t.host = seat.Person.ID
}

func (t *Table) leaveGame(by Actor, seat int, now time.Time, out *Outcome) error {
	if t.seats[seat].Away {
		return t.awayRefusal(by.ID)
	}
	t.depart(seat, LineAway, now, out)
	return nil
}

func (t *Table) back(by Actor, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	seat := t.seatOf(by.ID)
	if seat < 0 {
		return &Refusal{Kind: NotSeated}
	}
	if !t.seats[seat].Away {
		return &Refusal{Kind: NotAway}
	}
	if t.SentOff(by.ID) {
		return &Refusal{Kind: SentOff}
	}
	t.seats[seat].Away, t.seats[seat].missed = false, 0
	t.offers = slices.DeleteFunc(t.offers, func(o offer) bool { return o.Seat == paladin.Seat(seat) })
	if t.Awaited() == paladin.Seat(seat) {
		t.await(now)
	}
	t.note(out, Line{At: now, Kind: LineBack, Seat: paladin.Seat(seat), User: by.ID, Name: by.Name})
	return nil
}

func (t *Table) addSquire(by Actor, now time.Time, out *Outcome) error {
	if err := t.needHost(by, now); err != nil {
		return err
	}
	if len(t.seats) >= t.options.Seats {
		return &Refusal{Kind: TableFull}
	}
	t.seats = append(t.seats, Seat{Squire: t.options.Squires, Ready: true})
	t.note(out, Line{At: now, Kind: LineSquire, Seat: paladin.Seat(len(t.seats) - 1), Squire: t.options.Squires})
	return nil
}

func (t *Table) removeSeat(by Actor, cmd RemoveSeat, now time.Time, out *Outcome) error {
	if err := t.needHost(by, now); err != nil {
		return err
	}
	seat := cmd.Seat
	if seat < 0 || int(seat) >= len(t.seats) {
		return &Refusal{Kind: NoSuchSeat}
	}
	gone := t.seats[seat]
	if cmd.Sits != nil && *cmd.Sits != gone.Person.ID || cmd.Taken != 0 && cmd.Taken != len(t.seats) && !gone.Human() {
		return &Refusal{Kind: NoSuchSeat}
	}
	if gone.Person.ID == by.ID {
		return &Refusal{Kind: RemoveSelf}
	}
	if gone.Human() && gone.Person.ID != t.host { // a host who was silent for long has done no wrong
		if len(t.barred) >= MaxBarred {
			return &Refusal{Kind: BarredFull}
		}
		t.barred = append(t.barred, gone.Person.ID)
	}
	t.seats = slices.Delete(t.seats, int(seat), int(seat)+1)
	t.note(out, Line{At: now, Kind: LineRemoved, User: gone.Person.ID, Name: gone.Person.Name, Squire: gone.Squire})
	t.seatQueue(now, out)
	return t.unhost(gone.Person.ID, now, out)
}

func (t *Table) invite(by Actor, people []Person, now time.Time, out *Outcome) error {
	if err := t.needHost(by, now); err != nil {
		return err
	}
	for _, p := range people {
		p.Name = trimName(p.Name)
		switch {
		case t.seatOf(p.ID) >= 0:
			return &Refusal{Kind: AlreadySeated, Seat: paladin.Seat(t.seatOf(p.ID)), Name: p.Name, Invited: true}
		case slices.Contains(t.barred, p.ID):
			return &Refusal{Kind: InviteBarred, Name: p.Name}
		case slices.ContainsFunc(t.invited, func(q Person) bool { return q.ID == p.ID }):
			return &Refusal{Kind: AlreadyInvited, Name: p.Name}
		case len(t.invited) >= MaxInvited:
			return &Refusal{Kind: InvitedFull}
		}
		t.invited = append(t.invited, p)
		t.note(out, Line{At: now, Kind: LineInvited, User: p.ID, Name: p.Name})
	}
	return nil
}

func (t *Table) setOptions(by Actor, now time.Time, change func(*Options) error) error {
	if err := t.needHost(by, now); err != nil {
		return err
	}
	return change(&t.options)
}

func (t *Table) start(by Actor, now time.Time, out *Outcome) error {
	if err := t.needLobby(); err != nil {
		return err
	}
	if t.seatOf(by.ID) < 0 {
		return &Refusal{Kind: NotSeated}
	}
	full := len(t.seats) == t.options.Seats
	if by.ID != t.host && !t.hostLeft && !full && !t.hostIdle(now) {
		return t.notHost(by)
	}
	if missing := MinSeats - len(t.seats); missing > 0 {
		return &Refusal{Kind: TooFew, Count: missing}
	}
	entries := make([]string, len(t.seats))
	for i, seat := range t.seats {
		if !seat.Ready {
			return &Refusal{Kind: NotReady, Seat: paladin.Seat(i), Name: seat.Person.Name}
		}
		entries[i] = seat.entry
	}
	t.salt = paladin.Salt(entries, by.Interaction)
	game, err := paladin.New(len(t.seats), paladin.SeededDeal(t.deck, t.seed, t.salt))
	if err != nil {
		return fmt.Errorf("table: deal: %w", err)
	}
	t.game, t.stage, t.started = &game, Playing, now
	t.await(now)
	t.queue, t.invited, t.hostAt = nil, nil, time.Time{}
	t.note(out, Line{At: now, Kind: LineStarted, User: by.ID, Name: by.Name})
	return nil
}

func (t *Table) cancel(by Actor, now time.Time, out *Outcome) error {
	if err := t.needLobby(); err != nil {
		return err
	}
	seated := t.seatOf(by.ID) >= 0
	if !by.Moderator && !(t.hostLeft && seated) && !t.MayHost(by.ID, now) {
		return t.notHost(by)
	}
	t.close(ClosedCancelled, now, out)
	return nil
}

func (t *Table) play(by Actor, cmd Play, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	seat := t.SeatOf(by.ID)
	switch {
	case seat == paladin.NoSeat:
		return &Refusal{Kind: NotSeated}
	case t.seats[seat].Away:
		return t.awayRefusal(by.ID)
	case cmd.Prompt != 0 && cmd.Prompt != t.Prompt():
		return &Refusal{Kind: Stale, Seat: t.Awaited()}
	case seat != t.Awaited():
		return &Refusal{Kind: NotYourTurn, Seat: t.Awaited(), Name: t.seatName(t.Awaited())}
	}
	cmd.Move.Seat = seat
	if err := t.move(cmd.Move, LineMove, now, out); err != nil {
		return err
	}
	t.seats[seat].missed, t.seats[seat].brokenPlan = 0, nil
	t.offers = slices.DeleteFunc(t.offers, func(o offer) bool { return o.Seat == seat })
	if cmd.Move.Kind == paladin.Place {
		t.seats[seat].plan = nil
	}
	return nil
}

func (t *Table) squireMove(cmd SquireMove, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	if cmd.Prompt != t.Prompt() || !t.SquireToAct() {
		return &Refusal{Kind: Stale, Seat: t.Awaited()}
	}
	seat := t.Awaited()
	strength := t.seats[seat].Squire
	if t.seats[seat].Human() {
		strength = squire.Normal
	}
	view := t.game.View(seat)
	choose := strength.Choose
	if strength == squire.Knight {
		choose = squire.Effort{Stop: cmd.Stop}.Choose
	}
	move, err := choose(&view, t.choiceSeed(cmd.Prompt))
	if err != nil {
		return fmt.Errorf("table: squire at seat %d: %w", seat.Number(), err)
	}
	return t.move(move, LineSquireMove, now, out)
}

// choiceSeed gives each squire's decision its own seed, from a secret that has no part in the deal: whoever watches a squire
// learns nothing of the cards' order.
func (t *Table) choiceSeed(prompt uint64) [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("squire/"), t.squireSeed[:]...), prompt))
}

// squireDelay is the time a squire takes for the present move.
func (t *Table) squireDelay() time.Duration {
	spread := time.Duration(t.choiceSeed(t.Prompt())[0]) * time.Second / 256
	switch t.options.SquirePace {
	case SquireHuman:
		return 2*time.Second + 3*spread
	case SquireCalm:
		return 25*time.Second + 10*spread
	default:
		return 0
	}
}

func (t *Table) move(m paladin.Move, kind LineKind, now time.Time, out *Outcome) error {
	next, events, err := t.game.Apply(m)
	if err != nil {
		var broken *paladin.RuleError
		if errors.As(err, &broken) {
			return &Refusal{Kind: RuleBroken, Rule: broken}
		}
		return fmt.Errorf("table: move %q: %w", m, err)
	}
	over := next.Round() != t.game.Round() || next.Over()
	if over {
		t.forget()
	}
	if over && t.options.Practice {
		events = thisRound(events)
	}
	t.game = &next
	t.await(now)
	out.Events = append(out.Events, events...)
	public := make([]paladin.PublicEvent, len(events))
	for i := range events {
		public[i] = events[i].Public()
	}
	who := t.seats[m.Seat].Person // kept with the line: a stand-in may hold the seat later
	t.note(out, Line{At: now, Kind: kind, Seat: m.Seat, User: who.ID, Name: who.Name, Move: m.String(), Events: public})
	if over && t.options.Practice {
		t.close(ClosedPractice, now, out)
		return nil
	}
	if next.Over() {
		t.stage, t.ended, t.stopVotes = Finished, now, nil
		t.settle()
		t.note(out, Line{At: now, Kind: LineFinished})
	}
	return nil
}

func (t *Table) votesNeeded() int { return t.present()/2 + 1 }

func (t *Table) voteStop(by Actor, now time.Time, out *Outcome) error {
	if err := t.needPlaying(); err != nil {
		return err
	}
	seat := t.seatOf(by.ID)
	switch {
	case seat < 0:
		return &Refusal{Kind: NotSeated}
	case t.seats[seat].Away:
		return t.awayRefusal(by.ID)
	case slices.Contains(t.stopVotes, by.ID):
		return &Refusal{Kind: AlreadyVoted, Count: t.votesNeeded() - len(t.stopVotes)}
	}
	t.stopVotes = append(t.stopVotes, by.ID)
	t.note(out, Line{At: now, Kind: LineVote, Seat: paladin.Seat(seat), User: by.ID, Name: by.Name})
	if len(t.stopVotes) >= t.votesNeeded() {
		t.close(ClosedStopped, now, out)
	}
	return nil
}

func (t *Table) forceStop(by Actor, now time.Time, out *Outcome) error {
	if !t.Live() {
		return &Refusal{Kind: GameOver}
	}
	if !by.Moderator {
		return &Refusal{Kind: NotModerator}
	}
	t.close(ClosedModerator, now, out)
	return nil
}

func (t *Table) idle(now time.Time, out *Outcome) error {
	if !t.Live() {
		return &Refusal{Kind: GameOver}
	}
	limit := GameIdle
	if t.stage == Lobby {
		limit = LobbyIdle
	}
	if now.Sub(t.touched) < limit {
		return &Refusal{Kind: Stale}
	}
	t.close(ClosedIdle, now, out)
	return nil
}

func (t *Table) lost(now time.Time, out *Outcome) error {
	if !t.Live() {
		return &Refusal{Kind: GameOver}
	}
	t.close(ClosedChannel, now, out)
	return nil
}

func (t *Table) unlink(next string) error {
	if t.next != next || next == "" {
		return &Refusal{Kind: Stale}
	}
	t.next = ""
	return nil
}

// close ends the table without a result.
func (t *Table) close(reason string, now time.Time, out *Outcome) {
	t.stage, t.reason, t.ended, t.stopVotes, t.queue = Closed, reason, now, nil, nil
	t.hostAt = time.Time{}
	t.settle()
	t.note(out, Line{At: now, Kind: LineClosed, Reason: reason})
}

// settle drops what only a running game has.
func (t *Table) settle() {
	t.forget()
	t.pauseVotes, t.paused, t.pausedAt, t.pausedSince = nil, false, time.Time{}, time.Time{}
	t.offers, t.grace, t.reminded = nil, time.Time{}, 0
}

func (t *Table) needLobby() error {
	switch t.stage {
	case Lobby:
		return nil
	case Playing:
		return &Refusal{Kind: Started}
	default:
		return &Refusal{Kind: GameOver}
	}
}

func (t *Table) needPlaying() error {
	switch t.stage {
	case Playing:
		return nil
	case Lobby:
		return &Refusal{Kind: NotStarted}
	default:
		return &Refusal{Kind: GameOver}
	}
}

func (t *Table) needHost(by Actor, now time.Time) error {
	if err := t.needLobby(); err != nil {
		return err
	}
	if !t.MayHost(by.ID, now) {
		return t.notHost(by)
	}
	return nil
}

// notHost is the refusal of what is the host's. Somebody seated is told when it becomes theirs.
func (t *Table) notHost(by Actor) *Refusal {
	r := &Refusal{Kind: NotHost, Name: t.hostName()}
	if t.seatOf(by.ID) >= 0 {
		r.At = t.hostAt.Add(HostIdle)
	}
	return r
}

// HereAgain is how long after a host's press a further one that changes nothing is not noted.
const HereAgain = time.Minute

func (t *Table) here(by Actor, now time.Time) error {
	if err := t.needLobby(); err != nil {
		return err
	}
	switch {
	case by.ID != t.host:
		return t.notHost(by)
	case now.Sub(t.hostAt) < HereAgain:
		return &Refusal{Kind: Stale}
	}
	t.hostAt = now
	return nil
}

func (t *Table) hostName() string {
	if i := t.seatOf(t.host); i >= 0 {
		return t.seats[i].Person.Name
	}
	return ""
}

func (t *Table) seatName(seat paladin.Seat) string {
	if seat < 0 || int(seat) >= len(t.seats) {
		return ""
	}
	return t.seats[seat].Person.Name
}

func checkStrength(s squire.Strength) error {
	if !s.Available() {
		return &Refusal{Kind: BadStrength}
	}
	return nil
}

func checkPace(valid bool) error {
	if !valid {
		return &Refusal{Kind: BadPace}
	}
	return nil
}

// clone returns a copy that shares nothing changeable with t; the game is never changed in place.
func (t *Table) clone() Table {
	next := *t
	next.seats = slices.Clone(t.seats)
	next.queue = slices.Clone(t.queue)
	next.barred = slices.Clone(t.barred)
	next.invited = slices.Clone(t.invited)
	next.stopVotes = slices.Clone(t.stopVotes)
	next.pauseVotes = slices.Clone(t.pauseVotes)
	next.offers = slices.Clone(t.offers)
	next.recent = slices.Clone(t.recent)
	return next
}
