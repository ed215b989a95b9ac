package table

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// storedVersion is the version of the stored form below. Fields may be added with a zero value that means what older programs
// meant; anything else (a field removed, renamed or read differently) needs a new version and a case in Decode. A live game
// outlives the program that began it.
const storedVersion = 1

type stored struct {
	Version    int             `json:"v"`
	ID         string          `json:"id"`
	Guild      string          `json:"guild,omitempty"`
	Channel    string          `json:"channel"`
	Stage      Stage           `json:"stage"`
	Reason     string          `json:"reason,omitempty"`
	Host       UserID          `json:"host,omitempty"`
	HostLeft   bool            `json:"host_left,omitempty"`
	Seats      []storedSeat    `json:"seats"`
	Queue      []storedQueued  `json:"queue,omitempty"`
	Barred     []UserID        `json:"barred,omitempty"`
	Invited    []Person        `json:"invited,omitempty"`
	Options    Options         `json:"options"`
	Deck       *paladin.Deck   `json:"deck,omitempty"` // absent for the house deck
	Seed       string          `json:"seed"`
	SquireSeed string          `json:"squire_seed"`
	Salt       string          `json:"salt,omitempty"`
	Game       json.RawMessage `json:"game,omitempty"`
	StopVotes  []UserID        `json:"stop_votes,omitempty"`
	PauseVotes []UserID        `json:"pause_votes,omitempty"`
	Paused     bool            `json:"paused,omitempty"`
	PausedAt   int64           `json:"paused_at,omitempty"`
	Since      int64           `json:"paused_since,omitempty"`
	Offers     []offer         `json:"offers,omitempty"`
	SentOff    []Person        `json:"sent_off,omitempty"`
	Grace      int64           `json:"grace,omitempty"`
	Reminded   int             `json:"reminded,omitempty"`
	Recent     []Line          `json:"recent,omitempty"`
	Next       string          `json:"next,omitempty"`
	Prev       string          `json:"prev,omitempty"`
	Place      string          `json:"place,omitempty"`
	Opened     int64           `json:"opened"` // Unix milliseconds, like the others
	Started    int64           `json:"started,omitempty"`
	Ended      int64           `json:"ended,omitempty"`
	Touched    int64           `json:"touched"`
	// HostAt is 0 where an older program stored the table: then the host pressed something at Touched
	// at the latest.
	HostAt  int64 `json:"host_at,omitempty"`
	Awaited int64 `json:"awaited,omitempty"`
}

type storedSeat struct {
	Person *Person         `json:"person,omitempty"`
	Squire squire.Strength `json:"squire,omitempty"`
	Ready  bool            `json:"ready,omitempty"`
	Away   bool            `json:"away,omitempty"`
	Entry  string          `json:"entry,omitempty"`
	Missed int             `json:"missed,omitempty"`
	Orders map[int]Order   `json:"orders,omitempty"`
	Plan   *Plan           `json:"plan,omitempty"`
	Broken *Plan           `json:"broken_plan,omitempty"`
	Owner  *Person         `json:"owner,omitempty"`
	Former []UserID        `json:"former,omitempty"`
	// FormerNames are the names of Former, one each; older programs kept none.
	FormerNames []string `json:"former_names,omitempty"`
}

// rememberFormer keeps who stood in before. Names are left out where none is known, as older programs did.
func (row *storedSeat) rememberFormer(people []Person) {
	named := false
	names := make([]string, len(people))
	for i, p := range people {
		row.Former = append(row.Former, p.ID)
		names[i], named = p.Name, named || p.Name != ""
	}
	if named {
		row.FormerNames = names
	}
}

func (row *storedSeat) formerPeople() []Person {
	var people []Person
	for i, id := range row.Former {
		p := Person{ID: id}
		if i < len(row.FormerNames) {
			p.Name = row.FormerNames[i]
		}
		people = append(people, p)
	}
	return people
}

type storedQueued struct {
	Person
	Entry string `json:"entry"`
}

// ErrVersion marks a stored table that a newer program wrote.
var ErrVersion = errors.New("table was stored by a newer version")

// Encode returns the stored form, with its digest (see withDigest). Times are kept to the
// millisecond.
func (t *Table) Encode() ([]byte, error) {
	s := stored{
		Version: storedVersion, ID: t.id, Guild: t.guild, Channel: t.channel, Stage: t.stage, Reason: t.reason, Host: t.host,
		HostLeft: t.hostLeft, Barred: t.barred, Invited: t.invited, Options: t.options, Seed: t.seed.String(),
		SquireSeed: t.squireSeed.String(), Salt: t.salt, StopVotes: t.stopVotes,
		PauseVotes: t.pauseVotes, Paused: t.paused, PausedAt: millis(t.pausedAt), Since: millis(t.pausedSince), Offers: t.offers, SentOff: t.sentOff, Grace: millis(t.grace),
		Reminded: t.reminded, Recent: t.recent, Next: t.next, Prev: t.prev, Place: t.place,
		Opened: millis(t.opened), Started: millis(t.started), Ended: millis(t.ended), Touched: millis(t.touched),
		Awaited: millis(t.awaited), HostAt: millis(t.hostAt),
	}
	for _, seat := range t.seats {
		row := storedSeat{
			Squire: seat.Squire, Ready: seat.Ready, Away: seat.Away, Entry: seat.entry, Missed: seat.missed, Orders: seat.orders,
			Plan: seat.plan, Broken: seat.brokenPlan,
		}
		row.rememberFormer(seat.former)
		if seat.owner.ID != "" {
			row.Owner = &seat.owner
		}
		if seat.Human() {
			row.Person = &seat.Person
		}
		s.Seats = append(s.Seats, row)
	}
	for _, a := range t.queue {
		s.Queue = append(s.Queue, storedQueued{Person: a.Person, Entry: a.Interaction})
	}
	if !t.deck.IsHouse() {
		s.Deck = &t.deck
	}
	if t.game != nil {
		game, err := t.game.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("table %s: encode game: %w", t.id, err)
		}
		s.Game = game
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("table %s: encode: %w", t.id, err)
	}
	return withDigest(text), nil
}

// Decode reads a stored table. It refuses with ErrVersion what a newer program wrote, and anything
// that differs from its digest or breaks an invariant. The error shows nothing of what is stored:
// whoever reads it may be playing.
func Decode(data []byte) (Table, error) {
	t, err := decode(data)
	if err != nil && !errors.Is(err, ErrVersion) {
		return Table{}, errors.New(withoutContents(err.Error()))
	}
	return t, err
}

// contents are the parts of an error that may be seeds, keys or cards: texts that it quotes, but
// for names of fields, and numbers of which package json says that they stand where none belong.
var contents = regexp.MustCompile(`unknown field "[^"]*"|"(?:[^"\\]|\\.)*"(?:\.\.\.)?|number [-+.0-9eE]+`)

func withoutContents(text string) string {
	return contents.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case strings.HasPrefix(found, "unknown field "):
			return found
		case strings.HasPrefix(found, "number "):
			return "a number"
		}
		return "a text"
	})
}

func decode(data []byte) (Table, error) {
	var version struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return Table{}, fmt.Errorf("decode table: %w", err)
	}
	if version.Version > storedVersion {
		return Table{}, fmt.Errorf("decode table: version %d: %w", version.Version, ErrVersion)
	}
	if version.Version < 1 {
		return Table{}, fmt.Errorf("decode table: version %d is none", version.Version)
	}
	var s stored
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return Table{}, fmt.Errorf("decode table: %w", err)
	}
	if !digestRight(data) {
		return Table{}, errors.New("decode table: it was changed since it was stored: it differs from its digest")
	}
	t, err := s.table()
	if err != nil {
		return Table{}, fmt.Errorf("decode table: %w", err)
	}
	if err := t.check(); err != nil {
		return Table{}, fmt.Errorf("decode table: %w", err)
	}
	return t, nil
}

func (s *stored) table() (Table, error) {
	t := Table{
		id: s.ID, guild: s.Guild, channel: s.Channel, stage: s.Stage, reason: s.Reason, host: s.Host, hostLeft: s.HostLeft,
		barred: s.Barred, invited: s.Invited, options: s.Options, deck: paladin.HouseDeck(), salt: s.Salt, stopVotes: s.StopVotes,
		pauseVotes: s.PauseVotes, paused: s.Paused, pausedAt: fromMillis(s.PausedAt), pausedSince: fromMillis(s.Since), offers: s.Offers, sentOff: s.SentOff, grace: fromMillis(s.Grace),
		reminded: s.Reminded, recent: s.Recent, next: s.Next, prev: s.Prev, place: s.Place, opened: fromMillis(s.Opened), started: fromMillis(s.Started),
		ended: fromMillis(s.Ended), touched: fromMillis(s.Touched), awaited: fromMillis(s.Awaited),
	}
	if t.stage == Lobby {
		t.hostAt = fromMillis(cmp.Or(s.HostAt, s.Touched))
	}
	for _, row := range s.Seats {
		seat := Seat{
			Squire: row.Squire, Ready: row.Ready, Away: row.Away, entry: row.Entry, missed: row.Missed, orders: row.Orders,
			plan: row.Plan, brokenPlan: row.Broken, former: row.formerPeople(),
		}
		if row.Owner != nil {
			seat.owner = *row.Owner
		}
		if row.Person != nil {
			seat.Person = *row.Person
		}
		t.seats = append(t.seats, seat)
	}
	for _, q := range s.Queue {
		t.queue = append(t.queue, Actor{Person: q.Person, Interaction: q.Entry})
	}
	if s.Deck != nil {
		t.deck = *s.Deck
	}
	var err error
	if t.seed, err = paladin.ParseSeed(s.Seed); err != nil {
		return Table{}, err
	}
	if t.squireSeed, err = paladin.ParseSeed(s.SquireSeed); err != nil {
		return Table{}, err
	}
	if len(s.Game) > 0 {
		game := new(paladin.State)
		if err := game.UnmarshalJSON(s.Game); err != nil {
			return Table{}, err
		}
		t.game = game
	}
	return t, nil
}

// check reports a broken invariant.
func (t *Table) check() error {
	if t.id == "" || t.channel == "" {
		return errors.New("a table needs an id and a channel")
	}
	if t.options.Seats < MinSeats || t.options.Seats > MaxSeats || len(t.seats) > t.options.Seats {
		return fmt.Errorf("table %s: %d seats taken of %d", t.id, len(t.seats), t.options.Seats)
	}
	seen := map[UserID]bool{}
	for i, seat := range t.seats {
		if seat.Human() && seen[seat.Person.ID] {
			return fmt.Errorf("table %s: seat %d: one person in two seats", t.id, i+1)
		}
		seen[seat.Person.ID] = true
		if !seat.Human() && (!seat.Squire.Available() || seat.Away) {
			return fmt.Errorf("table %s: seat %d: neither person nor squire", t.id, i+1)
		}
	}
	if t.Live() && (t.host == "" || !seen[t.host]) {
		return fmt.Errorf("table %s: the host has no seat", t.id)
	}
	if t.options.Practice && (len(t.People()) != 1 || t.stage != Playing && t.stage != Closed) {
		return fmt.Errorf("table %s: %d people practise at stage %s", t.id, len(t.People()), t.stage)
	}
	switch t.stage {
	case Lobby:
		if t.game != nil {
			return fmt.Errorf("table %s: a lobby with a game", t.id)
		}
		return nil
	case Playing, Finished:
		if t.game == nil || t.game.Players() != len(t.seats) {
			return fmt.Errorf("table %s: seats and game do not fit", t.id)
		}
		if t.game.Over() != (t.stage == Finished) {
			return fmt.Errorf("table %s: stage %s does not fit the game", t.id, t.stage)
		}
	case Closed:
	default:
		return fmt.Errorf("table %s: unknown stage %q", t.id, t.stage)
	}
	if t.game == nil {
		return nil
	}
	return t.game.Check()
}

// Record returns the record of an ended game from its history, with every move as it was written down there; false while the game runs or
// when none was begun.
func (t *Table) Record(history []Line) (paladin.Record, bool) {
	if t.Live() || t.game == nil {
		return paladin.Record{}, false
	}
	var moves []string
	for _, l := range history {
		if l.Move != "" {
			moves = append(moves, l.Move)
		}
	}
	return paladin.RecordOf(paladin.SeededDeal(t.deck, t.seed, t.salt), moves, t.game), true
}

func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
