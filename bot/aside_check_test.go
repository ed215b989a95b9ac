package bot_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/bot"
	"paladin/bot/render"
	"paladin/game/paladin"
	"paladin/game/table"
	"paladin/store"

	bolt "go.etcd.io/bbolt"
)

// onDisk is a world whose database is a file; check ends it and examines that.
func onDisk(t *testing.T, options ...worldOption) (w *world, check func() store.Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w = newWorld(t, append(options, withStore(db))...)
	return w, func() store.Report {
		t.Helper()
		w.stop()
		return shut(t, db, path)
	}
}

// shut closes a database and examines it.
func shut(t *testing.T, db *store.DB, path string) store.Report {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := store.Check(path, bot.Inspection())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestCheckOfATableSetAside: what was set aside is known and dealt with. It is told of and is no
// fault, whether it could be read, and whether somebody in it was forgotten since.
func TestCheckOfATableSetAside(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{"torn": torn, "seed": otherSeed, "newer": newer} {
		for _, forget := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, somebody forgotten %t", name, forget), func(t *testing.T) {
				w, check := onDisk(t)
				w.openGame(3, 0)
				w.goesOn()
				w.flush()
				id := w.table().ID()
				w.stop()
				w.restore(id, damage)
				w.start(nil)
				// What loads is examined beside everything else: until then it is asked about.
				w.passUntil(func() bool {
					if asked := w.reply(w.command(w.users[0], "stop")); name == "newer" {
						w.label(w.users[0], asked, "Stop the game")
					}
					row, err := w.store.Table(w.ctx(), id)
					return err == nil && !row.Live
				})
				if forget {
					for _, user := range w.users[:2] {
						asked := w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete"))
						mustSay(t, "whoever wants it", text(w.reply(w.pressArg(user, asked, render.MeForget))), "**Done.**")
					}
				}
				report := check()
				if len(report.Faults) > 0 {
					t.Errorf("faults: %q", report.Faults)
				}
				if len(report.Remarks) != 1 || !strings.Contains(report.Remarks[0], id) || secrets.MatchString(report.Remarks[0]) ||
					!strings.Contains(report.Remarks[0], "set aside") && !strings.Contains(report.Remarks[0], "forgotten") {
					t.Errorf("remarks: %q", report.Remarks)
				}
			})
		}
	}
}

// secrets are the digits of a seed, or a card.
var secrets = regexp.MustCompile(`[0-9a-fA-F]{16}[0-9a-fA-F]*[a-fA-F]|\b[0-9][rb]\b`)

// TestCheckOfALiveTableThatCannotBeRead: it is a fault, of which is said where the table stands and
// what ends that; one of a newer program is none.
func TestCheckOfALiveTableThatCannotBeRead(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{"torn": torn, "seed": otherSeed, "newer": newer} {
		t.Run(name, func(t *testing.T) {
			w, check := onDisk(t)
			w.openGame(3, 0)
			w.flush()
			id := w.table().ID()
			w.stop()
			w.restore(id, damage)
			report := check()
			said, other, way := report.Faults, report.Remarks, "/paladin new"
			if name == "newer" {
				said, other, way = other, said, "newer version"
			}
			if len(said) != 1 || len(other) > 0 || !report.Contained {
				t.Fatalf("faults %q, remarks %q, contained %t", report.Faults, report.Remarks, report.Contained)
			}
			mustSay(t, "check", said[0], id, "channel "+w.channel, way)
			if secrets.MatchString(said[0]) {
				t.Errorf("check shows a secret: %s", said[0])
			}
		})
	}
}

// TestCheckOfAnEndedTable: an ended game was not set aside, whatever became of it since.
func TestCheckOfAnEndedTable(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{"torn": torn, "seed": otherSeed} {
		t.Run(name, func(t *testing.T) {
			w, check := onDisk(t)
			w.openGame(3, 0)
			w.label(w.users[0], w.reply(w.command(w.users[0], "stop")), "Stop the game")
			w.flush()
			w.restore(w.table().ID(), damage)
			if report := check(); len(report.Faults) != 1 || len(report.Remarks) > 0 {
				t.Errorf("faults %q, remarks %q", report.Faults, report.Remarks)
			}
		})
	}
}

// TestLostChannelOfAnUnreadableTable: its channel is gone and with it whoever could set it aside
// there; so the loss itself does.
func TestLostChannelOfAnUnreadableTable(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{"torn": torn, "seed": otherSeed, "newer": newer} {
		for _, way := range []string{"channel deleted", "bot removed", "bot removed while it was down"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				other, err := w.discord.AddGuild("elsewhere", w.users...)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.discord.InviteBot(other.ID); err != nil {
					t.Fatal(err)
				}
				w.openGame(3, 0)
				w.flush()
				id := w.table().ID()
				w.stop()
				w.restore(id, damage)
				if way == "bot removed while it was down" {
					if err := w.discord.KickBot(w.guild); err != nil {
						t.Fatal(err)
					}
				}
				w.start(nil)
				switch way {
				case "channel deleted":
					err = w.discord.DeleteChannel(w.channel)
					w.channel = w.otherChannel()
				case "bot removed":
					err = w.discord.KickBot(w.guild)
				}
				if err != nil {
					t.Fatal(err)
				}
				w.waitForElsewhere(other.ID, func() bool {
					row, err := w.store.Table(w.ctx(), id)
					return err == nil && !row.Live
				})
				w.settle()
				pending, err := w.store.Pending(w.ctx())
				if err != nil || slices.ContainsFunc(pending, func(in store.Intent) bool { return in.Table == id }) {
					t.Errorf("something is still to be done for it: %v (%v)", pending, err)
				}
			})
		}
	}
}

// TestUnreadableIdentifiesAtTheStart: the count of today's sessions does not keep the bot from its
// games.
func TestUnreadableIdentifiesAtTheStart(t *testing.T) {
	w := newWorld(t)
	w.openGame(3, 0)
	w.stop()
	if err := w.store.Put(w.ctx(), "identifies", []byte(`{"Since":"20`)); err != nil {
		t.Fatal(err)
	}
	w.start(nil)
	w.goesOn()
}

// otherDeck is no house deck: its cards are in another order.
const otherDeck = `{"paladins":[%s],"quests":[6,6,6,5,5,5,4,4,4,3,3,3,2,2,2,1,1,1]}`

// TestSoundTablesOfManyKinds: after each of many starts, tables of all kinds are found sound before
// their next step and without one, and at the end by check.
func TestSoundTablesOfManyKinds(t *testing.T) {
	house := paladin.HouseDeck().Paladins()
	slices.Reverse(house)
	names := make([]string, len(house))
	for i, c := range house {
		text, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		names[i] = fmt.Sprintf("%q", text)
	}
	deck, err := paladin.ParseDeck(fmt.Appendf(nil, otherDeck, strings.Join(names, ",")))
	if err != nil || deck.IsHouse() {
		t.Fatal(err)
	}
	for name, play := range map[string]func(w *world, restart func()){
		"another deck": func(w *world, restart func()) {
			w.openGame(3, 0)
			for range 4 {
				restart()
				w.goesOn()
			}
			w.wholeGame(5)
			restart()
			w.label(w.users[0], w.board(), "Play again")
			restart()
			w.label(w.users[1], w.board(), "Join")
			w.label(w.users[2], w.board(), "Join")
			restart()
			w.label(w.users[0], w.board(), "Start")
			restart()
			w.goesOn()
		},
		"stood in for": func(w *world, restart func()) {
			owner, _ := w.late()
			restart()
			w.label(w.users[4], w.board(), "Stand in for")
			restart()
			w.acceptAll()
			restart()
			w.goesOn()
			restart()
			w.label(owner, w.reply(w.label(owner, w.board(), "My seat")), "Take my seat back")
			restart()
			w.wholeGame(6)
		},
		"paused": func(w *world, restart func()) {
			w.openPaced(3, 0, table.PaceDaily)
			w.goesOn()
			w.command(w.users[0], "pause")
			restart()
			w.command(w.users[0], "resume")
			restart()
			w.goesOn()
		},
		"somebody forgotten": func(w *world, restart func()) {
			owner, _ := w.late()
			user := w.users[4] // who stands in for a while: they are named and have no part in it any more
			w.label(user, w.board(), "Stand in for")
			w.acceptAll()
			w.label(owner, w.reply(w.label(owner, w.board(), "My seat")), "Take my seat back")
			asked := w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete"))
			if said := text(w.reply(w.pressArg(user, asked, render.MeForget))); !strings.Contains(said, "**Done.**") {
				w.t.Fatalf("whoever leaves is not forgotten:\n%s", said)
			}
			if !w.table().Live() {
				w.t.Fatal("the game is over")
			}
			for range 3 {
				restart()
				w.goesOn()
			}
			w.wholeGame(7)
			restart()
			row, err := w.store.Table(w.ctx(), w.table().ID())
			if err != nil || store.Mentions(row.Snapshot, user) {
				w.t.Errorf("the ended game still names them (%v)", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logOf
			configure := func(c *bot.Config) {
				log.into(c)
				if name == "another deck" {
					c.Deck = &deck
				}
			}
			w, check := onDisk(t, withBot(configure))
			play(w, func() {
				w.settle()
				w.stop()
				w.start(configure)
				w.pass(time.Second) // for the examination that needs no step
			})
			w.settle()
			if report := check(); len(report.Faults)+len(report.Remarks) > 0 {
				t.Errorf("faults %q, remarks %q", report.Faults, report.Remarks)
			}
			if n := log.count("damaged") + log.count("bug") + log.count("cannot be read"); n > 0 {
				t.Errorf("the log speaks of damage %d times", n)
			}
		})
	}
}

// TestUnreadableRecord: the store cannot read the record of a table. That is one game that cannot
// be read, as if its snapshot were torn: it is set aside, its people are free, and check says the
// same.
func TestUnreadableRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.db")
	open := func() *store.DB {
		t.Helper()
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	var log logOf
	db := open()
	w := newWorld(t, withStore(db), withBot(log.into))
	other := w.gameElsewhere()
	w.openGame(3, 0)
	w.goesOn()
	w.flush()
	id, board := w.table().ID(), w.board()
	w.stop()
	if report := shut(t, db, path); len(report.Faults) > 0 {
		t.Fatal(report.Faults)
	}
	file, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Update(func(tx *bolt.Tx) error {
		record := bytes.Clone(tx.Bucket([]byte("tables")).Get([]byte(id)))
		record[0] = 9
		return tx.Bucket([]byte("tables")).Put([]byte(id), record)
	})
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	db = open()
	report := shut(t, db, path)
	if len(report.Faults) != 1 || !report.Contained || secrets.MatchString(report.Faults[0]) {
		t.Fatalf("faults: %q", report.Faults)
	}
	mustSay(t, "check", report.Faults[0], id, "channel "+w.channel, "/paladin new")
	db = open()
	w.store = db
	w.start(log.into)
	w.passUntil(func() bool { return log.count("damaged", id) > 0 })
	w.in(other, w.goesOn)
	w.walk(t, id, board, render.TextUnreadable)
	w.pass(25 * time.Hour)
	if n := log.count(id); n != 1 {
		t.Errorf("the log names the table %d times, want once", n)
	}
	w.in(other, func() {
		w.label(w.users[0], w.reply(w.command(w.users[0], "stop")), "Stop the game")
	})
	user := w.users[1]
	asked := w.reply(w.label(user, w.reply(w.command(user, "me")), "Delete"))
	mustSay(t, "whoever wants it", text(w.reply(w.pressArg(user, asked, render.MeForget))), "**Done.**")
	row, err := w.store.Table(w.ctx(), id)
	if err != nil || row.Live || store.Mentions(row.Snapshot, user) || slices.Contains(row.Users, user) {
		t.Errorf("it is live: %t, of %v (%v)", row.Live, row.Users, err)
	}
	w.openGame(3, 0)
	w.goesOn()
	w.stop()
	if report := shut(t, db, path); len(report.Faults) > 0 || len(report.Remarks) != 1 {
		t.Errorf("faults %q, remarks %q", report.Faults, report.Remarks)
	}
}
