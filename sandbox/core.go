package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is one sandbox.
type Server struct {
	cfg    Config
	now    func() time.Time
	after  func(time.Duration, func()) func() bool
	log    *slog.Logger
	limits Limits
	token  string
	appID  string
	db     *store

	mu        sync.Mutex
	w         world
	closed    bool
	broken    error // the file could not be written: nothing is accepted any more
	dirty     []record
	isDirty   map[record]bool
	removed   []change
	files     map[string][]byte // without a store; with one, the file has them
	pending   []func()          // what is to be told once all is stored
	live      map[string]*interaction
	byToken   map[string]*interaction
	queue     []*interaction // by age, until the token is over
	waiting   []*interaction // by age, until the first answer
	windows   map[string]*window
	nonces    map[string]nonceEntry
	sessions  map[string]*session
	subs      map[*subscriber]bool
	gateReady chan struct{} // closed while a session is ready

	asking    sync.Mutex // one question to a fault hook, and one to the observers, at a time
	observing sync.Mutex

	fault         func(Request) *Fault
	faultDispatch func(Dispatch) []Dispatch
	faultGateway  func(int) *GatewayFault
	observers     map[int]func(Request)
	observerID    int
	requests      []Request
	counted       int
}

func open(cfg Config) (*Server, error) {
	s := &Server{
		cfg: cfg, now: cfg.Now, log: cfg.Log, limits: cfg.Limits.withDefaults(), w: newWorld(),
		isDirty: map[record]bool{}, files: map[string][]byte{}, live: map[string]*interaction{},
		byToken: map[string]*interaction{}, windows: map[string]*window{}, nonces: map[string]nonceEntry{},
		sessions: map[string]*session{}, subs: map[*subscriber]bool{}, observers: map[int]func(Request){},
		gateReady: make(chan struct{}),
	}
	s.after = cfg.AfterFunc
	if s.now == nil {
		s.now = time.Now
		if s.after == nil {
			s.after = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
		}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if cfg.ApplicationID != "" {
		if _, err := strconv.ParseUint(cfg.ApplicationID, 10, 63); err != nil {
			return nil, fmt.Errorf("the application id %q is not a snowflake", cfg.ApplicationID)
		}
	}
	if cfg.Path != "" {
		db, err := openStore(cfg.Path)
		if err != nil {
			return nil, err
		}
		s.db = db
		if err := db.load(&s.w); err != nil {
			_ = db.close() // the reason it cannot be read matters more
			return nil, fmt.Errorf("read the sandbox's file %s: %w", cfg.Path, err)
		}
	}
	if err := s.update(s.begin); err != nil {
		_ = s.db.close()
		return nil, err
	}
	return s, nil
}

// begin makes the first world, or mends the one that was loaded.
func (s *Server) begin() error {
	fresh := s.w.meta == nil
	if fresh {
		s.w.meta = &meta{}
		s.firstWorld()
	} else {
		s.afterLoad()
	}
	s.appID = s.w.meta.AppID
	if s.cfg.Token != "" {
		s.w.meta.Token = s.cfg.Token
	}
	s.token = s.w.meta.Token
	s.save(s.w.meta)
	return nil
}

func (s *Server) firstWorld() {
	m := s.w.meta
	m.AppID = cmp.Or(s.cfg.ApplicationID, s.newID())
	m.Token = newToken(m.AppID)
	s.appID = m.AppID
	bot := s.makeUser(m.AppID, cmp.Or(s.cfg.BotName, "Paladin"))
	bot.Bot = true
	var ids []string
	for _, name := range []string{"Ann", "Ben", "Cleo", "Dan", "Eve"} {
		ids = append(ids, s.makeUser(s.newID(), name).ID)
	}
	g := s.makeGuild("Sandbox", ids)
	s.putBot(g)
	s.makeChannel(g, "paladin-table", ChannelText)
	s.makeChannel(g, "second-table", ChannelText)
}

// afterLoad puts right what a restart interrupts: a reply that was still to come
// has lost its token.
func (s *Server) afterLoad() {
	for _, c := range s.w.channels {
		slices.SortFunc(c.messages, func(a, b *message) int {
			if idLess(a.Message.ID, b.Message.ID) {
				return -1
			}
			return 1
		})
		for _, m := range c.messages {
			if m.Flags&FlagLoading != 0 && m.Failed == "" {
				m.Failed = textNoResponse
				s.save(m)
			}
		}
	}
}

// newToken looks like a bot token: the id in base 64, and two parts at random.
func newToken(appID string) string {
	return strings.Join([]string{base64.RawURLEncoding.EncodeToString([]byte(appID)), randomText(4), randomText(28)}, ".")
}

func randomText(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: crypto/rand's promise
	return base64.RawURLEncoding.EncodeToString(b)
}

// update runs f on the world, stores what it changed and only then tells anybody.
// f checks before it changes: what it has changed stays even when it fails.
func (s *Server) update(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.broken != nil {
		return s.broken
	}
	if s.w.meta != nil {
		s.sweep()
	}
	err := f()
	if ferr := s.flush(); ferr != nil {
		return ferr
	}
	return err
}

// flush stores what changed and then tells it.
func (s *Server) flush() error {
	changes := s.removed
	for _, r := range s.dirty {
		bucket, key := r.place()
		if s.db == nil {
			break
		}
		b, err := json.Marshal(r)
		if err != nil {
			s.broken = fmt.Errorf("store %s %s: %w", bucket, key, err)
			return s.broken
		}
		changes = append(changes, change{bucket, key, b})
	}
	s.dirty, s.removed = s.dirty[:0], nil
	clear(s.isDirty)
	if err := s.db.apply(changes); err != nil {
		s.broken = fmt.Errorf("write the sandbox's file: %w", err)
		s.pending = nil
		return s.broken
	}
	tell := s.pending
	s.pending = nil
	for _, f := range tell {
		f()
	}
	return nil
}

// save notes that r has changed.
func (s *Server) save(r record) {
	if !s.isDirty[r] {
		s.isDirty[r] = true
		s.dirty = append(s.dirty, r)
	}
}

// erase notes that r is gone.
func (s *Server) erase(r record) {
	bucket, key := r.place()
	if s.isDirty[r] {
		delete(s.isDirty, r)
		s.dirty = slices.DeleteFunc(s.dirty, func(x record) bool { return x == r })
	}
	s.removed = append(s.removed, change{bucket: bucket, key: key})
}

// putFile stores an uploaded file.
func (s *Server) putFile(key string, content []byte) {
	if s.db == nil {
		s.files[key] = content
		return
	}
	if content == nil {
		content = []byte{}
	}
	s.removed = append(s.removed, change{"files", key, content})
}

func (s *Server) dropFile(key string) {
	delete(s.files, key)
	if s.db != nil {
		s.removed = append(s.removed, change{bucket: "files", key: key})
	}
}

// tell runs f once everything is stored, still under the lock.
func (s *Server) tell(f func()) { s.pending = append(s.pending, f) }

func (s *Server) makeUser(id, name string) *user {
	display := name
	u := &user{User: User{ID: id, Username: userName(name), Discriminator: "0", GlobalName: &display}, Order: s.nextOrder(), Locale: defaultLocale}
	s.w.users[id] = u
	s.save(u)
	return u
}

// userName is a plain account name for a display name.
func userName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
	if len(out) < 2 {
		return "user_" + out
	}
	return out[:min(len(out), 32)]
}

func (s *Server) makeGuild(name string, members []string) *guild {
	g := &guild{ID: s.newID(), Name: name, Order: s.nextOrder(), Members: map[string]*member{}, BotBits: PermBot, Locale: defaultLocale}
	if len(members) > 0 {
		g.OwnerID = members[0]
	}
	for _, id := range members {
		g.Members[id] = &member{Bits: PermMember, Joined: s.now(), Order: s.nextOrder()}
	}
	s.w.guilds[g.ID] = g
	s.save(g)
	return g
}

func (s *Server) putBot(g *guild) {
	g.BotIn, g.BotJoined, g.BotBits = true, s.now(), PermBot
	s.save(g)
}

func (s *Server) makeChannel(g *guild, name string, typ int) *channel {
	c := &channel{ID: s.newID(), Type: typ, GuildID: g.ID, Name: name, Position: s.nextOrder(), ArchivedAt: s.now()}
	s.w.channels[c.ID] = c
	s.save(c)
	return c
}

func (s *Server) makeThread(parent *channel, id, name, owner string, typ, autoArchive int) *channel {
	t := &channel{ID: id, Type: typ, GuildID: parent.GuildID, ParentID: parent.ID, OwnerID: owner, Name: name, AutoArchive: autoArchive, ArchivedAt: s.now()}
	s.w.channels[t.ID] = t
	s.save(t)
	return t
}

// dmWith is the DM channel with a user, made when there is none.
func (s *Server) dmWith(userID string) (c *channel, made bool) {
	for _, c := range s.w.channels {
		if c.Type == ChannelDM && c.Recipient == userID {
			return c, false
		}
	}
	c = &channel{ID: s.newID(), Type: ChannelDM, Recipient: userID}
	s.w.channels[c.ID] = c
	s.save(c)
	return c, true
}

func (s *Server) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for _, ses := range s.sessions {
		ses.drop()
	}
	for sub := range s.subs {
		sub.end()
	}
	s.subs = map[*subscriber]bool{}
	for _, i := range s.live {
		i.stopTimer()
		i.announce()
	}
	s.mu.Unlock()
	return s.db.close()
}
