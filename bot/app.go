package bot

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"
)

// Limits of the application.
const (
	// inFlight bounds the interactions that are worked on at the same time.
	inFlight = 512
	// deferAfter is how long an answer may take before the person is told that it is coming. Discord waits 3 seconds.
	deferAfter = 1500 * time.Millisecond
	// callTimeout bounds one call to Discord with its waiting and retries.
	callTimeout = 15 * time.Second
	// storeTimeout bounds one wait for the store.
	storeTimeout = 10 * time.Second
	// drainTimeout bounds what a stop waits for, lastAnswers what of it is kept for the answers to
	// what was pressed meanwhile.
	drainTimeout = 8 * time.Second
	lastAnswers  = 2 * time.Second
	// remembered is how long the ids of interactions are kept to recognise a repetition.
	remembered = 48 * time.Hour
)

// Discord is what the application needs of the edge; *discord.Client is it.
type Discord interface {
	Turn(ctx context.Context) (context.Context, func(), error)
	Spare() bool
	Respond(ctx context.Context, i *discord.Interaction, r discord.Response) (discord.MessageRef, error)
	EditOriginal(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error)
	FollowUp(ctx context.Context, i *discord.Interaction, m discord.Message) (discord.MessageRef, error)
	CreateMessage(ctx context.Context, channel string, m discord.Message) (discord.MessageRef, error)
	ReplaceMessage(ctx context.Context, channel, id string, m discord.Message) (discord.MessageRef, error)
	DeleteMessage(ctx context.Context, channel, id string) error
	OpenDM(ctx context.Context, user string) (string, error)
	Unarchive(ctx context.Context, thread string) error
	GetChannel(ctx context.Context, id string) (discord.Channel, error)
	GetMember(ctx context.Context, guild, user string) (discord.Member, error)
}

// Config is what an App is made of.
type Config struct {
	Store   store.Store
	Discord Discord
	Clock   Clock     // nil: the machine's
	Random  io.Reader // of seeds and table ids; nil: crypto/rand
	Log     *slog.Logger
	// Emojis is where the application's emojis are kept; nil: everything is shown in words. *discord.Client is it.
	Emojis EmojiAPI
	// EmojiPause lies between the uploads of two emojis; 0: a second.
	EmojiPause time.Duration
	// Deck is the deck of new tables; nil: the house deck.
	Deck *paladin.Deck
	// Pace is the pace of squires when a table's opener does not choose; empty: table.SquireHuman.
	Pace table.SquirePace
	// Failpoint, if set, is called with the name of each point of the path of a move as it is passed. Crash tests end the
	// process there.
	Failpoint func(name string)
}

// App is the application. Make one with New, start it with Start, hand it events with Handle, end it with Stop.
type App struct {
	store   store.Store
	discord Discord
	clock   Clock
	random  io.Reader
	log     *slog.Logger
	deck    paladin.Deck
	pace    table.SquirePace
	fail    func(string)

	owners  *owners
	reach   reach
	decoded *decoded
	// audits are what is known of whether tables are sound.
	audits audits
	outbox *sender
	ticker *ticker
	seen   *recentIDs
	fresh  *boardTokens
	edits  *edits
	shows  *shows
	// troubles are what does not go out at the moment.
	troubles *troubles
	// doubts, servers and absences are what may be gone: the channels of tables, the servers, and
	// people from them.
	doubts   *doubts
	servers  *servers
	absences *absences
	// deleted is what servers chose in their settings and is no more.
	deleted deleted
	looked  looked
	// counted are the interactions that are not answered yet and did what they asked for.
	counted marks[string]
	// sharing are the replays that are on their way to everybody, by table and user.
	sharing  marks[place]
	departed departed
	words    words
	emojis   *Emojis // nil: there are none
	pictures *pictures
	// unsettled is what was said and could not be stored.
	unsettled unsettled
	slots     chan struct{}
	work      underway
	// early is what of work was received before the stop began.
	early    underway
	stopping atomic.Bool
	done     chan struct{}
	cancel   context.CancelFunc
	ctx      context.Context
	// hurry ends what merely waits for Discord's limits under ctx.
	hurry context.CancelFunc
}

// New returns an App that has not started.
func New(cfg Config) (*App, error) {
	if cfg.Store == nil || cfg.Discord == nil {
		return nil, errors.New("bot: a store and a Discord are required")
	}
	a := &App{
		store: cfg.Store, clock: cfg.Clock, random: cfg.Random, log: cfg.Log, pace: cfg.Pace,
		deck: paladin.HouseDeck(), fail: cfg.Failpoint, owners: newOwners(), decoded: newDecoded(), seen: newRecentIDs(4096),
		fresh: newBoardTokens(), edits: newEdits(), shows: newShows(), pictures: newPictures(), troubles: newTroubles(),
		doubts: newDoubts(), servers: newServers(), absences: newAbsences(), slots: make(chan struct{}, inFlight), done: make(chan struct{}),
	}
	if a.clock == nil {
		a.clock = SystemClock{}
	}
	if a.random == nil {
		a.random = rand.Reader
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.owners.log = a.log
	if a.pace == "" {
		a.pace = table.SquireHuman
	}
	if a.fail == nil {
		a.fail = func(string) {}
	}
	a.discord = plainer{Discord: cfg.Discord, app: a}
	if cfg.Emojis != nil {
		a.emojis = NewEmojis(cfg.Emojis, a.clock, a.log, wantedEmojis())
		a.emojis.Hurry(cfg.EmojiPause)
	}
	if cfg.Deck != nil {
		a.deck = *cfg.Deck
	}
	ctx, cancel := context.WithCancel(context.Background())
	waits, hurry := context.WithCancel(ctx)
	a.ctx, a.cancel, a.hurry = discord.Impatient(ctx, waits), cancel, hurry
	a.outbox = newSender(a)
	a.ticker = newTicker(a)
	return a, nil
}

// Start takes up what an earlier run left: pending words go out, deadlines that passed meanwhile are due. It returns when both have
// begun; they go on until Stop.
func (a *App) Start(ctx context.Context) error {
	pending, err := a.store.Pending(ctx)
	if err != nil {
		return err
	}
	a.outbox.start(pending)
	a.ticker.start()
	return nil
}

// Handle takes an event of Discord. It is called on the gateway's read loop and does no work there.
func (a *App) Handle(event discord.Event) {
	a.reached(event)
	switch e := event.(type) {
	case *discord.Interaction:
		if !a.seen.add(e.ID) {
			return // the same interaction once more: its first delivery is being answered
		}
		i := a.request(e)
		a.spawn(func() { a.interaction(i) }, func() { a.busy(i) })
	case *discord.ChannelGone:
		a.spawnAlways(func() { a.channelGone(e.ID) })
		a.spawnAlways(func() { a.unchoose(e.Guild, e.ID) })
	case *discord.RoleGone:
		a.spawnAlways(func() { a.unchoose(e.Guild, e.ID) })
	case *discord.ThreadGone:
		a.spawnAlways(func() { a.channelGone(e.ID) })
	case *discord.ThreadChanged:
		a.threadChanged(e)
	case *discord.Ready:
		a.ready(e)
	case *discord.GuildGone:
		if e.Unavailable {
			a.servers.put(e.ID, serverHere)
			return
		}
		a.servers.put(e.ID, serverGone)
		a.spawnAlways(func() { a.guildGone(e.ID) })
	case *discord.GuildJoined:
		a.servers.put(e.ID, serverHere)
		a.spawnAlways(func() { a.guildHere(e) })
		if e.Arrival == discord.ArrivalNew {
			a.spawn(func() { a.greet(e) }, nil)
		}
	}
}

// spawn runs f beside the caller if there is room; otherwise, full is run, also beside.
func (a *App) spawn(f, full func()) {
	end := a.received()
	select {
	case a.slots <- struct{}{}:
		beside(a.log, "an event", func() {
			defer func() { <-a.slots; end() }()
			f()
		})
	default:
		a.log.Warn("too many events at once")
		beside(a.log, "an event", func() {
			defer end()
			if full != nil {
				full()
			}
		})
	}
}

// spawnAlways runs f beside the caller even where there is no room: what it takes note of is told
// once, and it waits for nobody but the store.
func (a *App) spawnAlways(f func()) { a.spawn(f, f) }

// received counts one event that is worked on until end is called.
func (a *App) received() (end func()) {
	a.work.begin()
	if a.stopping.Load() {
		return a.work.end
	}
	a.early.begin()
	return func() {
		a.early.end()
		a.work.end()
	}
}

// Flush waits until everything that was handed in or is due is done, answered and said, as far as it can be now. It is for tests and
// for the sandbox; the clock is not waited for.
func (a *App) Flush(ctx context.Context) error {
	if err := a.work.wait(ctx); err != nil {
		return err
	}
	// A table that lost its channel is closed by its owner, with nobody waiting; and what cannot be sent may show that the channel
	// is gone.
	for _, rest := range []func(context.Context) error{a.owners.rest, a.ticker.rest, a.outbox.settle, a.owners.rest, a.ticker.rest} {
		if err := rest(ctx); err != nil {
			return err
		}
	}
	return a.outbox.settle(ctx)
}

// Stop finishes what was received, lets the outbox finish what it is sending and ends. What is
// still to be said, and what merely waits for Discord's limits, stays in the store. The caller
// stops the events first.
func (a *App) Stop(ctx context.Context) error { return a.end(ctx, func() {}) }

// end is Stop while events still come, until hangUp has returned: whoever presses meanwhile gets
// what they pressed for as long as that is possible, and then a word to press again.
func (a *App) end(ctx context.Context, hangUp func()) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	first, enough := context.WithTimeout(ctx, drainTimeout-lastAnswers)
	defer enough()
	a.ticker.stop()
	a.stopping.Store(true)
	a.hurry()
	err := errors.Join(a.early.wait(first), a.outbox.stop(first), a.owners.stop(first))
	hangUp()
	err = errors.Join(err, a.work.wait(ctx))
	a.cancel()
	return err
}

// id returns a new table's id: eight letters and digits that nobody confuses when reading them aloud.
func (a *App) id() (string, error) {
	const alphabet = "23456789abcdefghjkmnpqrstuvwxyz0" // 32 signs
	var raw [8]byte
	if _, err := io.ReadFull(a.random, raw[:]); err != nil {
		return "", err
	}
	for i, b := range raw {
		raw[i] = alphabet[b%32]
	}
	return string(raw[:]), nil
}

func (a *App) seed() (paladin.Seed, error) {
	var seed paladin.Seed
	_, err := io.ReadFull(a.random, seed[:])
	return seed, err
}

// boardLink returns the address of the table's board, or "".
func (a *App) boardLink(ctx context.Context, guild, id string) string {
	board, ok, err := a.store.Surface(ctx, id, boardName)
	if err != nil || !ok {
		return ""
	}
	return render.MessageLink(guild, board.Channel, board.Message)
}

// Names of surfaces and keys of intents.
const boardName = "board"

// lastTable is the setting that remembers the last table of a channel, so that its record can be asked for after the end.
func lastTable(channel string) string { return "last/" + channel }

// recentIDs remembers the last ids it was given.
type recentIDs struct {
	mu   sync.Mutex
	ids  map[string]struct{}
	ring []string
	next int
}

func newRecentIDs(size int) *recentIDs {
	return &recentIDs{ids: map[string]struct{}{}, ring: make([]string, size)}
}

// add reports whether the id is new.
func (r *recentIDs) add(id string) bool {
	if id == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.ids[id]; ok {
		return false
	}
	delete(r.ids, r.ring[r.next])
	r.ids[id] = struct{}{}
	r.ring[r.next] = id
	r.next = (r.next + 1) % len(r.ring)
	return true
}

// boardTokens remembers, per table, the newest press that was answered by editing the public board. For fifteen minutes the token
// of such a press can edit the board without counting against the bot's 50 requests a second. Tokens live in memory only.
type boardTokens struct {
	mu     sync.Mutex
	tokens map[string]boardToken
}

type boardToken struct {
	interaction *discord.Interaction
	message     string
}

func newBoardTokens() *boardTokens { return &boardTokens{tokens: map[string]boardToken{}} }

func (b *boardTokens) put(table string, i *discord.Interaction, message string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, t := range b.tokens {
		if !t.interaction.TokenAlive(now) {
			delete(b.tokens, id)
		}
	}
	b.tokens[table] = boardToken{interaction: i, message: message}
}

// get returns a token that can edit this message now.
func (b *boardTokens) get(table, message string, now time.Time) (*discord.Interaction, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.tokens[table]
	if !ok || t.message != message || !t.interaction.TokenAlive(now) {
		return nil, false
	}
	return t.interaction, true
}

// any reports whether a token may be able to edit a board of this table.
func (b *boardTokens) any(table string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.tokens[table]
	return ok && t.interaction.TokenAlive(now)
}

func (b *boardTokens) drop(table string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tokens, table)
}
