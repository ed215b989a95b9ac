package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"paladin/bot/discord"
	"paladin/bot/render"
	"paladin/store"
)

// When it is believed that a channel or a server is gone of which no event of the gateway says so.
// Discord has been seen to say it of channels that were there, above all while it was ill; what is
// closed cannot be opened again, and a game that waits harms nobody.
const (
	// doubtLasts lies between the first such answer and the last: more than an illness of Discord
	// takes, and less than lies between two daily restarts, for doubts are kept in memory alone.
	// The game of a program that restarts more often ends when nobody plays it.
	doubtLasts = 12 * time.Hour
	// doubtAnswers is how many of them there are at least.
	doubtAnswers = 8
	// doubtGap is the most that lies between two of them. They come every hour; over a longer time
	// nobody knows what Discord would have said, and a clock that jumps proves nothing.
	doubtGap = 3 * time.Hour
	// doubtFirst and doubtMost bound the wait for the next answer.
	doubtFirst = time.Minute
	doubtMost  = time.Hour
	// hastePause is how often at most something is tried at once because a channel turned out to be
	// there.
	hastePause = time.Hour
	// absentAgain is how long after the first look somebody must still be missing from a server.
	absentAgain = 10 * time.Minute
)

// doubt is the suspicion that a table's channel or server is gone, since Discord says that it knows
// none. It is a value, and knows no time but what it is told.
type doubt struct {
	channel, guild string
	class          discord.Class // of the last answer
	first, last    time.Time
	answers        int
}

// heard is the doubt after one more answer that there is no such thing.
func (d doubt) heard(class discord.Class, now time.Time) doubt {
	if !d.stands(now) {
		d.first, d.answers = now, 0
	}
	d.class, d.last = class, now
	d.answers++
	return d
}

// stands reports whether the last answer is not too long ago to say anything about now.
func (d doubt) stands(now time.Time) bool {
	since := now.Sub(d.last)
	return d.answers > 0 && since >= 0 && since <= doubtGap
}

// certain reports whether nothing else was heard for long enough.
func (d doubt) certain() bool { return d.answers >= doubtAnswers && d.last.Sub(d.first) >= doubtLasts }

// until is about when the doubt becomes a certainty if nothing else is heard.
func (d doubt) until() time.Time { return d.first.Add(doubtLasts) }

// shown is the doubt as people read of it.
func (d doubt) shown() render.Unknown {
	return render.Unknown{Server: d.class != discord.UnknownChannel, Since: d.first, Until: d.until()}
}

// doubts are the tables of which Discord says that their channel or server is unknown. A definite
// success there ends a doubt.
type doubts struct {
	mu     sync.Mutex
	all    map[string]doubt     // by table
	hasted map[string]time.Time // by table: when something was last tried at once
}

func newDoubts() *doubts { return &doubts{all: map[string]doubt{}, hasted: map[string]time.Time{}} }

// heard takes note of an answer and returns the doubt that comes of it, and whether it is a new
// one.
func (s *doubts) heard(row *store.Row, class discord.Class, now time.Time) (d doubt, begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.all {
		if !other.stands(now) {
			delete(s.all, id) // of tables that have ended, above all
		}
	}
	d, known := s.all[row.ID]
	begun = !known
	d.channel, d.guild = row.Channel, row.Guild
	d = d.heard(class, now)
	s.all[row.ID] = d
	return d, begun
}

// of returns the doubt about a table, if there is one.
func (s *doubts) of(table string, now time.Time) (doubt, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.all[table]
	return d, ok && d.stands(now)
}

// end forgets the doubt about a table, and reports whether there was one.
func (s *doubts) end(table string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.all[table]
	delete(s.all, table)
	return ok
}

// haste reports whether what waits for a table may be tried at once: not time and again, where the
// channel is there and refuses what is done in it.
func (s *doubts) haste(table string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.hasted {
		if since := now.Sub(at); since >= hastePause || since < 0 {
			delete(s.hasted, id)
		}
	}
	if _, lately := s.hasted[table]; lately {
		return false
	}
	s.hasted[table] = now
	return true
}

// about returns the doubted tables for which ok holds.
func (s *doubts) about(ok func(doubt) bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for id, d := range s.all {
		if ok(d) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// serverState is what the gateway says of a server.
type serverState int

const (
	serverUnsaid serverState = iota // nothing that could be relied on
	serverHere                      // it is there
	serverDown                      // it is unavailable and comes back, or the gateway itself is away
	serverGone                      // the bot was removed from it: to be confirmed by the channel
)

// believes reports whether an answer can say that a channel of such a server is gone. MissingAccess
// is what Discord says of a server that the bot is no member of, and at random for a day after it
// was ill: it says nothing where the gateway does not.
func (s serverState) believes(class discord.Class) bool {
	switch class {
	case discord.UnknownChannel:
		return s != serverDown
	case discord.UnknownGuild:
		return s == serverUnsaid || s == serverGone
	case discord.MissingAccess:
		return s == serverGone
	default:
		return false
	}
}

// servers are those that the bot is in and those that it was removed from, as the gateway last
// said.
type servers struct {
	mu    sync.Mutex
	said  bool // READY has named those that the bot is in
	state map[string]serverState
}

func newServers() *servers { return &servers{state: map[string]serverState{}} }

// ready takes the servers that a new session names: it is in no others.
func (s *servers) ready(guilds []discord.GuildRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.state = true, make(map[string]serverState, len(guilds))
	for _, g := range guilds {
		s.state[g.ID] = serverHere
	}
}

func (s *servers) put(guild string, state serverState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state[guild] = state
}

func (s *servers) of(guild string) serverState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, known := s.state[guild]
	if !known && s.said && guild != "" {
		return serverGone
	}
	return state
}

// proved says that the bot is in a server after all: not every server that speaks Discord's API
// names in READY those that the bot is in.
func (s *servers) proved(guild string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state, known := s.state[guild]; !known || state == serverGone {
		s.state[guild] = serverUnsaid
	}
}

// server is what the gateway says of a server at the moment.
func (a *App) server(guild string) serverState {
	state := a.servers.of(guild)
	switch {
	case a.reach.down(), state != serverGone && a.reach.unavailable(guild):
		return serverDown
	default:
		return state
	}
}

// absences are those of whom Discord said that they are not in a server, and since when.
type absences struct {
	mu    sync.Mutex
	since map[absence]time.Time
}

type absence struct{ guild, user string }

func newAbsences() *absences { return &absences{since: map[absence]time.Time{}} }

// confirmed takes note that somebody is missing, and reports whether they were so some time ago
// already.
func (s *absences) confirmed(guild, user string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who, at := range s.since {
		if since := now.Sub(at); since > doubtGap || since < 0 {
			delete(s.since, who)
		}
	}
	who := absence{guild, user}
	first, known := s.since[who]
	if !known {
		s.since[who] = now
		return false
	}
	return now.Sub(first) >= absentAgain
}

// end forgets that somebody was missing: they are there, or it was acted upon.
func (s *absences) end(guild, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, absence{guild, user})
}

// probeKey names the intent that asks for a table's channel.
const probeKey = "probe"

// probe has the channel of a table asked for, which may be gone. The question is a row of the
// outbox: it outlives the program, waits its turn, and keeps nothing else waiting.
func (a *App) probe(ctx context.Context, id string) error {
	var c store.Change
	if err := addIntent(&c, probeKey, probeLane(id), intent{What: whatProbe}); err != nil {
		return err
	}
	if err := a.enqueue(ctx, id, c.Intents); err != nil {
		return err
	}
	a.outbox.update(func(o *outbox) { o.kick(probeLane(id)) })
	return nil
}

func probeLane(id string) string { return probeKey + "/" + id }

// suspect takes note of an answer to something done in a table's channel: that there is no such
// channel or server.
func (a *App) suspect(ctx context.Context, row *store.Row, class discord.Class) {
	now := a.clock.Now()
	if _, doubted := a.doubts.of(row.ID, now); doubted || !row.Live || !a.server(row.Guild).believes(class) {
		return
	}
	a.doubt(row, class, now)
	if err := a.probe(ctx, row.ID); err != nil {
		a.doubts.end(row.ID) // the next such answer begins anew
		a.log.Error("a channel that may be gone cannot be asked for", "table", row.ID, "error", err)
	}
}

// doubt takes note of an answer that counts, and tells of it when it is the first.
func (a *App) doubt(row *store.Row, class discord.Class, now time.Time) doubt {
	d, begun := a.doubts.heard(row, class, now)
	if begun {
		a.log.Warn("Discord does not know the channel or the server of a game: the game waits", "table", row.ID,
			"channel", row.Channel, "guild", row.Guild, "answer", class, "closed_if_so_until", d.until())
	}
	return d
}

// trust ends the doubt about a table, since something in its channel was a success. What waited for
// the channel is tried at once.
func (a *App) trust(id, channel string) {
	if !a.doubts.end(id) {
		return
	}
	a.log.Warn("the channel of a game that Discord did not know is there: the game goes on",
		"table", id, "channel", channel)
	if a.doubts.haste(id, a.clock.Now()) {
		a.outbox.update(func(o *outbox) { o.kick(channel); o.kick(showLane(channel)) })
	}
}

// heardFrom takes note of an interaction: where it comes from is there, and so is whoever sent it.
func (a *App) heardFrom(i *request) {
	a.absences.end(i.Guild, i.User.ID)
	for _, id := range a.doubts.about(func(d doubt) bool { return d.channel == i.Channel }) {
		a.trust(id, i.Channel)
	}
}

// probe asks for the channel of a table that may be gone, and closes the table once that is
// certain: at once where the gateway says that the bot was removed, and else when Discord has said
// nothing else for hours.
func (d *delivery) probe(ctx context.Context) (time.Duration, error) {
	if !d.row.Live {
		d.app.doubts.end(d.in.Table)
		return 0, nil
	}
	before := d.app.servers.of(d.row.Guild)
	_, err := d.app.discord.GetChannel(ctx, d.row.Channel)
	class, now := discord.Classify(err), d.app.clock.Now()
	switch class {
	case discord.None:
		if before == serverGone {
			d.app.servers.proved(d.row.Guild)
		}
		d.trusted()
		return 0, nil
	case discord.UnknownChannel, discord.UnknownGuild, discord.MissingAccess:
	case discord.Other:
		return d.unknown(err), err
	default:
		return d.later(err), err
	}
	server := d.app.server(d.row.Guild)
	if !server.believes(class) {
		if _, doubted := d.app.doubts.of(d.in.Table, now); !doubted && d.app.servers.of(d.row.Guild) != serverGone {
			d.app.doubts.end(d.in.Table)
			return 0, err // what was suspected is too long ago
		}
		return d.doubtful(), err
	}
	doubt := d.app.doubt(&d.row, class, now)
	if server != serverGone && !doubt.certain() {
		return d.doubtful(), err
	}
	if failed := d.app.lose(ctx, d.in.Table); failed != nil {
		return d.backoff(), failed
	}
	d.app.doubts.end(d.in.Table)
	d.app.log.Warn("a game is closed: its channel is gone", "table", d.in.Table, "channel", d.row.Channel,
		"guild", d.row.Guild, "removed", server == serverGone, "since", doubt.first, "answers", doubt.answers, "error", err)
	return 0, nil
}

// trusted says that something was done in the table's channel.
func (d *delivery) trusted() { d.app.trust(d.in.Table, d.row.Channel) }

// doubtful is how long to wait before Discord is asked again about something that it says is gone.
func (d *delivery) doubtful() time.Duration { return min(doubtFirst<<min(d.tries, 12), doubtMost) }

// suspected is how long something waits that was refused because there is no such channel or
// server. An ended table has nothing to lose: what it has still to say is given up after some
// hours.
func (d *delivery) suspected(ctx context.Context, err error) time.Duration {
	d.app.suspect(ctx, &d.row, discord.Classify(err))
	switch {
	case d.app.server(d.row.Guild) == serverDown:
		return d.later(err)
	case !d.row.Live && d.unexplained >= unexplainedMost:
		return 0
	default:
		return d.doubtful()
	}
}
