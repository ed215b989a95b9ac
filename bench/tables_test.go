package bench

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
)

// Ids as Discord makes them.
const (
	application  = "1090000000000000001"
	guild        = "1090000000000000002"
	panelMessage = "1190000000000000003"
)

// pressing is one press, ready to be sent.
type pressing struct {
	id      string // of the interaction
	payload []byte
}

// hall keeps tables with running games in a store and knows for each what can be pressed next, because it plays every game
// beside the bot. A table whose game is over is replaced by a new one.
type hall struct {
	tb     testing.TB
	db     *store.DB
	rng    *rand.Rand
	full   bool // presses carry the pressed message as Discord sends it, not only its id and flags
	tables []*playing
	ids    atomic.Uint64
}

// playing is one table as it will be when all presses planned so far are answered.
type playing struct {
	now     table.Table
	version uint64
}

// newHall stores count tables of three to five people.
func newHall(tb testing.TB, db *store.DB, count int) *hall {
	tb.Helper()
	h := &hall{tb: tb, db: db, rng: rand.New(rand.NewPCG(1, 2)), tables: make([]*playing, count)}
	// Side by side, because the store commits together what waits at the same time.
	const beside = 256
	failed := make([]error, beside)
	var wg sync.WaitGroup
	for n := range beside {
		rng := rand.New(rand.NewPCG(2, uint64(n)))
		wg.Go(func() {
			for slot := n; slot < count && failed[n] == nil; slot += beside {
				failed[n] = h.open(slot, rng)
			}
		})
	}
	wg.Wait()
	h.must(errors.Join(failed...))
	return h
}

func (h *hall) next() string {
	return strconv.FormatUint(1_200_000_000_000_000_000+h.ids.Add(1), 10)
}

func (h *hall) must(err error) {
	if err != nil {
		h.tb.Helper()
		h.tb.Fatal(err)
	}
}

// open puts a table with a game that has just begun, and a board and direct messages that are known, into the slot.
func (h *hall) open(slot int, rng *rand.Rand) error {
	ctx := h.tb.Context()
	seats := table.MinSeats + slot%(table.MaxSeats-table.MinSeats+1)
	people := make([]table.Actor, seats)
	for i := range people {
		id := strconv.Itoa(1_150_000_000_000_000_000 + slot*10 + i)
		people[i] = table.Actor{Person: table.Person{ID: table.UserID(id), Name: "Player " + strconv.Itoa(i+1)}, Interaction: h.next()}
	}
	t, lines, err := h.deal(people, rng)
	if err != nil {
		return err
	}
	snapshot, err := t.Encode()
	if err != nil {
		return err
	}
	c := store.Change{Table: t.ID(), Snapshot: snapshot, Live: true, Channel: t.Channel(), Guild: guild, At: time.Now()}
	for _, line := range lines { // a table without its history is not played on
		entry, err := json.Marshal(line)
		if err != nil {
			return err
		}
		c.Entries = append(c.Entries, entry)
	}
	board := store.Surface{Name: "board", Channel: t.Channel(), Message: h.next(), Posted: c.At}
	known := store.Settlement{Table: t.ID(), Put: []store.Surface{board}}
	for _, p := range t.People() {
		c.Users = append(c.Users, string(p.ID))
		known.Users = append(known.Users, store.UserUpdate{ID: string(p.ID), Update: func(u *store.User) { u.DMChannel = "7" + string(p.ID) }})
	}
	for _, d := range t.Deadlines(func(table.UserID) table.Habits { return table.Habits{} }) {
		c.Deadlines = append(c.Deadlines, store.Deadline{Kind: d.Kind, Prompt: d.Prompt, At: d.At})
	}
	done, err := h.db.Commit(ctx, c)
	if err != nil {
		return err
	}
	h.tables[slot] = &playing{now: t, version: done.Version}
	return h.db.Settle(ctx, known)
}

// deal returns a new table at which these people have begun to play, and the lines of its history.
func (h *hall) deal(people []table.Actor, rng *rand.Rand) (table.Table, []table.Line, error) {
	o := table.Opening{
		ID: "t" + h.next()[11:], Guild: guild, Channel: h.next(), Host: people[0], Now: time.Now(), Deck: paladin.HouseDeck(),
		Options: table.Options{Seats: len(people), Squires: squire.Normal, SquirePace: table.SquireAtOnce, Pace: table.PaceDaily},
	}
	for i := range o.Seed {
		o.Seed[i], o.SquireSeed[i] = byte(rng.Uint32()), byte(rng.Uint32())
	}
	t, out, err := table.Open(o)
	lines := out.Lines
	do := func(who table.Actor, cmd table.Command) {
		if err == nil {
			t, out, err = t.Do(who, cmd, o.Now)
			lines = append(lines, out.Lines...)
		}
	}
	for _, who := range people[1:] {
		do(who, table.Join{})
	}
	starter := people[0]
	starter.Interaction = h.next()
	do(starter, table.Start{})
	return t, lines, err
}

// move plans the confirmation of a random legal move at the table in the slot.
func (h *hall) move(slot int) *pressing {
	if h.tables[slot].now.Stage() != table.Playing {
		h.must(h.open(slot, h.rng))
	}
	p := h.tables[slot]
	who, _ := p.now.AwaitedPerson()
	mine, _ := p.now.Private(who.ID)
	legal := mine.View.Legal()
	move := legal[h.rng.IntN(len(legal))]
	out := h.press(&mine, who, confirmation(&mine, move))
	next, _, err := p.now.Do(table.Actor{Person: who, Interaction: out.id}, table.Play{Prompt: mine.Prompt, Move: move}, time.Now())
	h.must(err)
	p.now, p.version = next, p.version+1
	return out
}

// look plans a press that shows the awaited person their panel anew and changes nothing.
func (h *hall) look(slot int) *pressing {
	p := h.tables[slot]
	who, _ := p.now.AwaitedPerson()
	mine, _ := p.now.Private(who.ID)
	return h.press(&mine, who, press.New(press.Refresh, mine.ID))
}

// confirmation is the custom id that confirms a move.
func confirmation(p *table.Private, m paladin.Move) press.ID {
	id := func(kind press.Kind, args ...string) press.ID { return press.For(kind, p.ID, p.Prompt, args...) }
	switch m.Kind {
	case paladin.Place:
		return id(press.Place, m.Card.String(), strconv.Itoa(m.Quest))
	case paladin.Peek:
		return id(press.Peek, strconv.Itoa(m.Quest)+"."+strconv.Itoa(m.Place))
	case paladin.Start:
		return id(press.First, strconv.Itoa(m.Target.Number()))
	default:
		return id(press.Act, m.Kind.String())
	}
}

// check demands that every planned move is stored: the bot did what it is measured at.
func (h *hall) check() {
	h.tb.Helper()
	for _, p := range h.tables {
		row, err := h.db.Table(h.tb.Context(), p.now.ID())
		h.must(err)
		if row.Version != p.version {
			h.tb.Fatalf("table %s is at version %d, want %d", p.now.ID(), row.Version, p.version)
		}
	}
}

// object is a JSON object.
type object map[string]any

// press is the gateway's packet for a press by this person on their private panel.
func (h *hall) press(p *table.Private, who table.Person, id press.ID) *pressing {
	out := &pressing{id: h.next()}
	user := object{
		"id": string(who.ID), "username": "player", "global_name": who.Name, "discriminator": "0", "avatar": nil, "public_flags": 0,
	}
	message := object{"id": panelMessage, "channel_id": p.Channel, "flags": 1<<6 | 1<<15, "type": 0}
	if h.full {
		at := time.Unix(1_700_000_000, 0).UTC().Format(time.RFC3339)
		message["components"] = render.NewPrinter("en").Panel(p, render.Selection{}, render.PanelOptions{BoardLink: render.MessageLink(guild, p.Channel, panelMessage)}).Components
		message["author"] = object{"id": application, "username": "paladin", "discriminator": "0", "bot": true, "avatar": nil}
		message["timestamp"], message["edited_timestamp"], message["content"] = at, nil, ""
		for _, list := range []string{"attachments", "embeds", "mentions", "mention_roles"} {
			message[list] = []string{}
		}
		message["pinned"], message["mention_everyone"], message["tts"] = false, false, false
	}
	var err error
	out.payload, err = json.Marshal(object{"op": 0, "s": 2, "t": "INTERACTION_CREATE", "d": object{
		"id": out.id, "application_id": application, "type": 3, "version": 1, "context": 0, "entitlements": []string{},
		// About as long as Discord's.
		"token":    "aW50ZXJhY3Rpb246" + out.id + "OjEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg",
		"guild_id": guild, "channel_id": p.Channel, "channel": object{"id": p.Channel, "type": 0, "name": "games", "guild_id": guild},
		"app_permissions": "2248473465835073", "locale": "en-US", "guild_locale": "en-US",
		"authorizing_integration_owners": object{"0": guild},
		"member": object{
			"user": user, "roles": []string{}, "permissions": "2248473465835073", "joined_at": "2024-01-01T00:00:00Z",
			"nick": nil, "deaf": false, "mute": false, "pending": false, "flags": 0,
		},
		"message": message, "data": object{"component_type": 2, "custom_id": id.String(), "id": 7},
	}})
	h.must(err)
	return out
}
