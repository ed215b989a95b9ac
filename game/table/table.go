// Package table is what stands around any one game: who sits where, the lobby before it, the votes that stop it, and what is
// awaited from whom. It is a pure function of values: Do takes a table, who acts, what they ask and the time, and gives the next
// table or a Refusal. It reads no clock, draws no random numbers and knows no Discord; seeds, ids and times come in.
//
// A Table holds secrets (the seed of the deal, the State of the game). Nothing outside opens it: people are shown a Public, a
// seat's owner a Private, and both are built anew, with no field for what they may not hold.
package table

import (
	"slices"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// UserID is the id of a person, as Discord gives it.
type UserID string

// Person is somebody who acts or sits: the id decides, the name is only shown.
type Person struct {
	ID   UserID `json:"id"`
	Name string `json:"name,omitempty"`
}

// Actor is a person in the act of pressing or typing something.
type Actor struct {
	Person
	// Interaction is the id of the interaction (decimal); a joining player's becomes part of the salt (R20).
	Interaction string
	// Moderator is true for somebody who may manage the channel.
	Moderator bool
}

// Stage is where a table stands in its life.
type Stage string

// The stages of a table. Finished and Closed are final.
const (
	Lobby    Stage = "lobby"
	Playing  Stage = "playing"
	Finished Stage = "finished" // played to the end
	Closed   Stage = "closed"   // ended without a result
)

// Why a table was closed.
const (
	ClosedCancelled = "cancelled"    // the lobby was cancelled
	ClosedEmpty     = "empty"        // the last person left
	ClosedStopped   = "stopped"      // stopped by vote
	ClosedModerator = "moderator"    // stopped by somebody who manages the channel
	ClosedIdle      = "idle"         // nobody touched it for too long
	ClosedChannel   = "channel gone" // the channel was deleted or the bot removed
	ClosedPractice  = "practice"     // the only round of a practice game was played
)

// Limits of a table.
const (
	MinSeats = 3
	MaxSeats = 5
	// MaxQueue bounds how many people wait for a seat, MaxInvited how many a host may call by name, MaxBarred how many they may remove.
	MaxQueue   = 20
	MaxInvited = 20
	MaxBarred  = 50
	// MaxName is the number of characters of a name that are kept.
	MaxName = 32
	// MaxRecent is how many public events a board shows; the whole log is the table's history.
	MaxRecent = 8
	// LobbyIdle and GameIdle are how long a table that nobody touches stays open.
	LobbyIdle = 24 * time.Hour
	GameIdle  = 30 * 24 * time.Hour
	// DropAfter is how long a lobby is kept after it was closed without a game.
	DropAfter = 10 * time.Minute
	// HostIdle is how long the host of a lobby presses nothing in it until everybody seated may do
	// what is the host's.
	HostIdle = 10 * time.Minute
)

// Options are chosen when a table is opened; Squires and SquirePace can be changed by the host in the lobby.
type Options struct {
	// Seats is how many can sit at the table, MinSeats to MaxSeats.
	Seats int `json:"seats"`
	// Squires is the strength of squires that are added.
	Squires squire.Strength `json:"squires"`
	// SquirePace is how fast squires answer.
	SquirePace SquirePace `json:"squire_pace"`
	// Pace is how long a person has for a move.
	Pace Pace `json:"pace"`
	// Language is the language of what everybody reads, as a short code; empty: English.
	Language string `json:"language,omitempty"`
	// TextOnly is true for a table whose board shows no picture.
	TextOnly bool `json:"text_only,omitempty"`
	// Practice is true for a practice game; see Practise.
	Practice bool `json:"practice,omitempty"`
}

// SquirePace is how long a squire takes for a move.
type SquirePace string

// The paces of squires.
const (
	SquireAtOnce SquirePace = "instant"
	SquireHuman  SquirePace = "human" // some seconds, as somebody does who thinks
	SquireCalm   SquirePace = "calm"  // half a minute: time to read what happened
)

// Valid reports whether p is one of the paces.
func (p SquirePace) Valid() bool { return p == SquireAtOnce || p == SquireHuman || p == SquireCalm }

// Seat is one place at the table.
type Seat struct {
	// Person sits here; the id is empty for a squire's seat.
	Person Person
	// Squire is the strength of the squire that plays this seat, when no person holds it.
	Squire squire.Strength
	// Ready is false for somebody who holds the seat from the game before and has not yet said that they play again.
	Ready bool
	// Away is true for a person who left the running game or let too many turns run out: a squire plays the seat until they are back.
	Away bool
	// missed counts the turns in a row that ran out.
	missed int
	// orders are the standing orders of the seat's cards by quest of the present round; plan is the next placement given beforehand,
	// brokenPlan the last one that did not hold when its turn came.
	orders     map[int]Order
	plan       *Plan
	brokenPlan *Plan
	// owner is whose seat it is while somebody stands in; former are those who stood in before. All of them know its cards.
	owner  Person
	former []Person
	// entry is the id of the interaction with which the person joined: the seat's part of the salt (R20).
	entry string
}

// Human reports whether the seat belongs to a person, present or not.
func (s Seat) Human() bool { return s.Person.ID != "" }

// Present reports whether the seat's person makes its moves.
func (s Seat) Present() bool { return s.Human() && !s.Away }

// Table is one game with its seats. The zero value is no table; Open and Again make one. Do never changes the table it is called
// on.
type Table struct {
	id      string
	guild   string
	channel string
	stage   Stage
	reason  string // why it was closed
	host    UserID
	// hostLeft is true once the host who opened the lobby has left it: then anyone seated may start.
	hostLeft bool
	// hostAt is when the host pressed something in the lobby last.
	hostAt  time.Time
	seats   []Seat
	queue   []Actor // waiting for a seat, with the interaction that becomes their entry
	barred  []UserID
	invited []Person
	options Options
	deck    paladin.Deck
	seed    paladin.Seed
	// squireSeed feeds the squires' own choices; it has no part in the deal.
	squireSeed paladin.Seed
	salt       string
	game       *paladin.State // nil in the lobby; never changed in place
	stopVotes  []UserID
	pauseVotes []UserID
	paused     bool
	pausedAt   time.Time // from when on the pause does not count for the present step
	// pausedSince is when the game was paused; zero where a program did so that did not keep it.
	pausedSince time.Time
	offers      []offer
	sentOff     []Person  // whom somebody who manages the channel keeps from coming back
	grace       time.Time // the present turn does not run out before
	reminded    int       // reminders of the present step so far
	recent      []Line
	next        string // the table opened by Play again
	prev        string // the table whose Play again opened this one
	place       string // the channel's name when the table was opened; empty if nobody said it
	opened      time.Time
	started     time.Time
	ended       time.Time
	touched     time.Time // the last act of a person
	awaited     time.Time // since when the present decision is awaited
}

// Opening is what a new table is made of. The seeds are drawn by the caller from a cryptographic source.
type Opening struct {
	ID         string
	Guild      string
	Channel    string
	Place      string // the channel's name, if it is known
	Host       Actor
	Options    Options
	Deck       paladin.Deck
	Seed       paladin.Seed
	SquireSeed paladin.Seed
	Now        time.Time
}

// Open opens a lobby with the host in seat 1 (R5). The commitment (R20) stands before anybody else can join.
func Open(o Opening) (Table, Outcome, error) {
	if o.Options.Seats < MinSeats || o.Options.Seats > MaxSeats {
		return Table{}, Outcome{}, &Refusal{Kind: BadSeats}
	}
	if err := checkStrength(o.Options.Squires); err != nil {
		return Table{}, Outcome{}, err
	}
	if !o.Options.SquirePace.Valid() || !o.Options.Pace.Valid() {
		return Table{}, Outcome{}, &Refusal{Kind: BadPace}
	}
	o.Host.Name = trimName(o.Host.Name)
	t := Table{
		id: o.ID, guild: o.Guild, channel: o.Channel, place: trimPlace(o.Place), stage: Lobby, host: o.Host.ID, options: o.Options, deck: o.Deck,
		seed: o.Seed, squireSeed: o.SquireSeed, opened: o.Now, touched: o.Now, hostAt: o.Now,
		seats: []Seat{{Person: o.Host.Person, Ready: true, entry: o.Host.Interaction}},
	}
	var out Outcome
	t.note(&out, Line{At: o.Now, Kind: LineOpened, User: o.Host.ID, Name: o.Host.Name, Commitment: o.Seed.Commitment()})
	return t, out, nil
}

// Again opens the lobby of a further game with the seats of a finished or closed one. Whoever asks becomes the host in seat 1 (R5);
// the others keep their places clockwise and hold them until they say that they are ready (R20: a seat's part of the salt is the
// press that said so). Squires sit down again; the seat of somebody who was forgotten, or sent off, is free. The second result is the old table,
// which now points to the new one.
func (t *Table) Again(o Opening) (Table, Table, Outcome, error) {
	if t.options.Practice {
		return Table{}, Table{}, Outcome{}, &Refusal{Kind: PracticeOnly}
	}
	if t.stage != Finished && t.stage != Closed {
		return Table{}, Table{}, Outcome{}, &Refusal{Kind: StillPlaying}
	}
	at := t.seatOf(o.Host.ID)
	if at < 0 {
		return Table{}, Table{}, Outcome{}, &Refusal{Kind: NotSeated}
	}
	o.Options = t.options
	fresh, out, err := Open(o)
	if err != nil {
		return Table{}, Table{}, Outcome{}, err
	}
	for i := 1; i < len(t.seats); i++ {
		seat := t.seats[(at+i)%len(t.seats)]
		if seat.Person.ID.Forgotten() || t.SentOff(seat.Person.ID) {
			continue
		}
		fresh.seats = append(fresh.seats, Seat{Person: seat.Person, Squire: seat.Squire, Ready: !seat.Human()})
	}
	old := *t
	old.next, fresh.prev = fresh.id, t.id
	return fresh, old, out, nil
}

// ID returns the table's id.
func (t *Table) ID() string { return t.id }

// Guild returns the id of the server the table stands in.
func (t *Table) Guild() string { return t.guild }

// Channel returns the id of the channel or thread the table stands in.
func (t *Table) Channel() string { return t.channel }

// Place returns the name of the channel when the table was opened; empty if nobody said it.
func (t *Table) Place() string { return t.place }

// Stage returns where the table stands in its life.
func (t *Table) Stage() Stage { return t.stage }

// Options are what was chosen for the table.
func (t *Table) Options() Options { return t.options }

// Live reports whether the table still occupies its channel.
func (t *Table) Live() bool { return t.stage == Lobby || t.stage == Playing }

// Prompt is the number of the question that is open: it changes with every move, so that a press can say which one it answers. 0
// in the lobby, where several people act at once and nothing is asked of one of them.
func (t *Table) Prompt() uint64 {
	if t.game == nil {
		return 0
	}
	return uint64(t.game.Moves()) + 1
}

// Awaited returns the seat whose decision is awaited, or paladin.NoSeat.
func (t *Table) Awaited() paladin.Seat {
	if t.stage != Playing {
		return paladin.NoSeat
	}
	return t.game.ToAct()
}

// MayHost reports whether this person may do now what is the host's in a lobby: the host always, and
// everybody seated once the host has pressed nothing in it for HostIdle.
func (t *Table) MayHost(user UserID, now time.Time) bool {
	return user == t.host || t.seatOf(user) >= 0 && t.hostIdle(now)
}

func (t *Table) hostIdle(now time.Time) bool { return now.Sub(t.hostAt) >= HostIdle }

// Hosting is the refusal that this person gets of what is the host's in a lobby; nil where they may.
func (t *Table) Hosting(by Actor, now time.Time) *Refusal {
	if t.MayHost(by.ID, now) {
		return nil
	}
	return t.notHost(by)
}

// HostSilent reports whether this is a lobby whose host has pressed nothing in it for HostIdle.
func (t *Table) HostSilent(now time.Time) bool { return t.stage == Lobby && t.hostIdle(now) }

// HostUnheard reports whether this is the host of a lobby, and Here would note a press of theirs.
func (t *Table) HostUnheard(user UserID, now time.Time) bool {
	return t.stage == Lobby && user == t.host && now.Sub(t.hostAt) >= HereAgain
}

// AwaitedPerson returns the person whose decision is awaited. It is false where a squire is to move or nobody is.
func (t *Table) AwaitedPerson() (Person, bool) {
	seat := t.Awaited()
	if seat == paladin.NoSeat || !t.seats[seat].Present() {
		return Person{}, false
	}
	return t.seats[seat].Person, true
}

// SquireToAct reports whether the awaited decision is a squire's.
func (t *Table) SquireToAct() bool {
	seat := t.Awaited()
	return seat != paladin.NoSeat && !t.seats[seat].Present()
}

// People returns everybody who holds a seat, present or not, in seat order.
func (t *Table) People() []Person {
	var people []Person
	for _, seat := range t.seats {
		if seat.Human() {
			people = append(people, seat.Person)
		}
	}
	return people
}

// SeatOf returns the seat that the person holds, or paladin.NoSeat.
func (t *Table) SeatOf(user UserID) paladin.Seat {
	if i := t.seatOf(user); i >= 0 {
		return paladin.Seat(i)
	}
	return paladin.NoSeat
}

// Holder is the person whose seat it is; the zero value where none is.
func (t *Table) Holder(seat paladin.Seat) Person {
	if seat < 0 || int(seat) >= len(t.seats) {
		return Person{}
	}
	return t.seats[seat].Person
}

// Barred reports whether the host removed the person from this lobby, which they then cannot join again.
func (t *Table) Barred(user UserID) bool { return slices.Contains(t.barred, user) }

// Check reports a broken invariant of the table or, by R18, of its game. Its owner calls it before every write.
func (t *Table) Check() error {
	return t.check()
}

// Deadlines returns what is to happen by itself, counted from the present state: a squire's move, a reminder, the end of somebody's
// time, or the end of a table that nobody touches. habits gives what the awaited person has chosen for all their games.
func (t *Table) Deadlines(habits func(UserID) Habits) []Deadline {
	switch {
	case t.stage == Lobby:
		return []Deadline{{Kind: DeadlineIdle, At: t.touched.Add(LobbyIdle)}}
	case t.NeverBegan():
		return []Deadline{{Kind: DeadlineDrop, At: t.ended.Add(DropAfter)}}
	case t.stage != Playing, t.options.Practice && !t.SquireToAct():
		return nil
	}
	due := []Deadline{{Kind: DeadlineIdle, Prompt: t.Prompt(), At: t.touched.Add(GameIdle)}}
	if t.SquireToAct() {
		return append(due, Deadline{Kind: DeadlineSquire, Prompt: t.Prompt(), At: t.awaited.Add(t.squireDelay())})
	}
	who, awaited := t.AwaitedPerson()
	if !awaited || t.paused {
		return due
	}
	chosen := habits(who.ID)
	end, limited := t.turnEnd(chosen)
	if limited {
		due = append(due, Deadline{Kind: DeadlineTurn, Prompt: t.Prompt(), At: end})
	}
	if at, any := chosen.reminderAt(t.awaited, t.options.Pace, t.reminded); any && (!limited || at.Before(end)) {
		due = append(due, Deadline{Kind: DeadlineRemind, Prompt: t.Prompt(), At: at})
	}
	return due
}

// turnEnd is when the awaited person's time for this move is over; false where there is no clock or it stands still.
func (t *Table) turnEnd(h Habits) (time.Time, bool) {
	limit := t.options.Pace.Limit()
	if limit == 0 || t.paused {
		return time.Time{}, false
	}
	end := h.quiet(t.options.Pace).After(t.awaited, limit)
	if t.grace.After(end) {
		end = t.grace
	}
	return end, true
}

// Deadline is something that happens at a time unless the table has moved on.
type Deadline struct {
	Kind   string
	Prompt uint64
	At     time.Time
}

// NeverBegan reports whether this is a lobby that was closed before a game began: nothing of it is
// worth keeping.
func (t *Table) NeverBegan() bool {
	return t.stage == Closed && t.game == nil && !t.options.Practice
}

// Previous is the table whose Play again opened this one; empty if none did, or an older program.
func (t *Table) Previous() string { return t.prev }

// Kinds of deadlines.
const (
	DeadlineDrop   = "drop" // of a lobby that never became a game
	DeadlineSquire = "squire"
	DeadlineTurn   = "turn"
	DeadlineRemind = "remind"
	DeadlineIdle   = "idle"
)

func (t *Table) seatOf(user UserID) int {
	if user == "" {
		return -1
	}
	return slices.IndexFunc(t.seats, func(s Seat) bool { return s.Person.ID == user })
}

func (t *Table) present() int {
	n := 0
	for _, seat := range t.seats {
		if seat.Present() {
			n++
		}
	}
	return n
}

// trimPlace keeps what Discord allows as the name of a channel.
func trimPlace(name string) string {
	const most = 100
	return string([]rune(name)[:min(most, len([]rune(name)))])
}

func trimName(name string) string {
	runes := []rune(name)
	if len(runes) > MaxName {
		runes = runes[:MaxName]
	}
	return string(runes)
}
