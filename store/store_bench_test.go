package store_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"paladin/store"
	"paladin/store/storetest"
)

// The benchmarks measure two things in turns in one run and report the ratio,
// so that a disk that is slow at the moment is slow for both:
//
//	go test -run=- -bench=Commit -benchtime=2000x -count=5 ./store

// BenchmarkCommit is one writer against bare bbolt that puts the same records
// in the same places. ratio is to be at least 0.8.
func BenchmarkCommit(b *testing.B) {
	db := openBench(b)
	bare, err := bolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	names := []string{"tables", "history", "seen", "seen-by-time", "outbox", "deadlines"}
	err = bare.Update(func(tx *bolt.Tx) error {
		for _, name := range names {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	const tables = 50
	var ours, theirs time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		table, version := fmt.Sprintf("t%d", i%tables), uint64(i/tables)
		c := commit(table, version)
		begin := time.Now()
		if _, err := db.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := bare.Update(func(tx *bolt.Tx) error { return putBare(tx, &c) }); err != nil {
			b.Fatal(err)
		}
		ours += middle.Sub(begin)
		theirs += time.Since(middle)
	}
	b.ReportMetric(float64(theirs)/float64(ours), "ratio")
	b.ReportMetric(float64(b.N)/ours.Seconds(), "commits/s")
	b.ReportMetric(float64(b.N)/theirs.Seconds(), "bare/s")
}

// putBare puts what Commit puts, in keys and values of the same length, and
// nothing but that.
func putBare(tx *bolt.Tx, c *store.Change) error {
	put := func(bucket, key string, value []byte) error {
		return tx.Bucket([]byte(bucket)).Put([]byte(key), value)
	}
	seq := string(binary.BigEndian.AppendUint64(nil, c.Expect+1))
	at := func(v uint64) string { return string(binary.BigEndian.AppendUint64([]byte("0123"), v)) }
	for _, err := range []error{
		put("tables", c.Table, make([]byte, len(c.Snapshot)+110)),
		put("history", c.Table+"\x00"+seq, make([]byte, 13+len(c.Entries[0]))),
		put("seen", c.Interaction, make([]byte, 13+len(c.Table))),
		put("seen-by-time", at(c.Expect+1)+c.Interaction, nil),
		put("outbox", c.Table+"\x00"+c.Intents[0].Key, make([]byte, 30)),
		put("outbox", c.Table+"\x00"+c.Intents[1].Key, make([]byte, 20)),
		put("deadlines", at(c.Expect+1)+c.Table+"\x00turn\x00"+seq, nil),
		tx.Bucket([]byte("deadlines")).Delete([]byte(at(c.Expect) + c.Table + "\x00turn\x00" + string(binary.BigEndian.AppendUint64(nil, c.Expect)))),
		tx.Bucket([]byte("outbox")).SetSequence(c.Expect),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkCommitWaiting is many writers against one. gain is the ratio of
// their rates; at 256 it is to be at least 5.
func BenchmarkCommitWaiting(b *testing.B) {
	for _, writers := range []int{16, 256} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			alone, together := openBench(b), openBench(b)
			var one, many time.Duration
			version := make([]uint64, writers)
			b.ResetTimer()
			for i := range b.N {
				begin := time.Now()
				if _, err := alone.Commit(b.Context(), commit("t", uint64(i))); err != nil {
					b.Fatal(err)
				}
				one += time.Since(begin)
			}
			// As many rounds as there were commits of one, spread over all.
			rounds := max(1, b.N/20)
			begin := time.Now()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for range rounds {
						if _, err := together.Commit(b.Context(), commit(fmt.Sprintf("t%d", w), version[w])); err != nil {
							b.Error(err)
						}
						version[w]++
					}
				})
			}
			wg.Wait()
			many += time.Since(begin)
			rate1 := float64(b.N) / one.Seconds()
			rateN := float64(rounds*writers) / many.Seconds()
			b.ReportMetric(rateN/rate1, "gain")
			b.ReportMetric(rate1, "one/s")
			b.ReportMetric(rateN, "waiting/s")
		})
	}
}

// BenchmarkFinish commits a table and then its end with a result, for people who
// have standings among those of many. cost is how many times as long the end
// takes.
func BenchmarkFinish(b *testing.B) {
	db := manyStandings(b, 10_000)
	var begin, end time.Duration
	b.ResetTimer()
	for i := range b.N {
		c := commit(fmt.Sprintf("f%d", i), 0)
		at := time.Now()
		if _, err := db.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		begin += time.Since(at)
		c = commit(c.Table, 1)
		c.Live, c.Result = false, finished(person(i), person(7*i+1), person(11*i+5), person(13*i+2))
		at = time.Now()
		if _, err := db.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		end += time.Since(at)
	}
	b.ReportMetric(float64(end)/float64(begin), "cost")
}

// BenchmarkPerson exports and forgets people who played twenty of so many tables each. What it costs is not to grow with the tables.
func BenchmarkPerson(b *testing.B) {
	for _, tables := range []int{1000, 10_000} {
		db := manyGames(b, tables)
		b.Run(fmt.Sprintf("export/%d", tables), func(b *testing.B) {
			for i := range b.N {
				if _, err := db.Export(b.Context(), player(i%(tables/5)), func(_, _ string, v []byte) (json.RawMessage, error) { return v, nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
		forgotten := 0
		b.Run(fmt.Sprintf("forget/%d", tables), func(b *testing.B) {
			for range b.N {
				if _, err := db.Forget(b.Context(), player(forgotten), storetest.Erase()); err != nil {
					b.Fatal(err)
				}
				forgotten++
			}
		})
	}
}

// player has an id like those of Discord.
func player(i int) string { return fmt.Sprintf("10000000000%07d", i) }

// manyGames is a database of so many ended games of four people each, a fifth as many people, and what they have looked at.
func manyGames(b *testing.B, tables int) *store.DB {
	b.Helper()
	path := filepath.Join(b.TempDir(), "games.db")
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	people := tables / 5
	var wg sync.WaitGroup
	for worker := range 64 {
		wg.Go(func() {
			for i := worker; i < tables; i += 64 {
				table := fmt.Sprintf("table%06d", i)
				users := []string{player(i % people), player((i + 1) % people), player((i + 2) % people), player((i + 3) % people)}
				c := commit(table, 0)
				c.Live, c.Channel, c.Users, c.Result, c.Interaction, c.Deadlines, c.Intents = false, "", users, finished(users...), "", nil, nil
				c.Snapshot = append(fmt.Appendf(nil, "%q ", users), make([]byte, 3000)...)
				c.Entries = nil
				for n := range 40 {
					c.Entries = append(c.Entries, fmt.Appendf(nil, `{"kind":"move","user":"%s","move":"place 7r 2","at":"2030-01-02T03:04:05Z"}`, users[n%4]))
				}
				_, err := db.Commit(b.Context(), c)
				err = errors.Join(err, db.Put(b.Context(), "looked/"+table, fmt.Appendf(nil, `{"%s":12,"%s":3}`, users[0], users[1])))
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// BenchmarkStandings reads the first ten of many standings, all of them, somebody's place and one.
func BenchmarkStandings(b *testing.B) {
	db := manyStandings(b, 10_000)
	b.Run("first ten", func(b *testing.B) {
		for range b.N {
			if list, _, err := db.Standings(b.Context(), "guild", store.StandingsQuery{Limit: 10}); err != nil || len(list) != 10 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for range b.N {
			if list, _, err := db.Standings(b.Context(), "guild", store.StandingsQuery{}); err != nil || len(list) != 10_000 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("place", func(b *testing.B) {
		for i := range b.N {
			if place, _, err := db.Place(b.Context(), "guild", person(i), store.ByRating); err != nil || place == 0 {
				b.Fatal(place, err)
			}
		}
	})
	b.Run("one", func(b *testing.B) {
		for i := range b.N {
			if _, ok, err := db.Standing(b.Context(), "guild", person(i)); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
	})
}

func person(i int) string { return fmt.Sprintf("person%05d", i%10_000) }

// manyStandings is a server in which so many people have finished a game.
func manyStandings(b *testing.B, people int) *store.DB {
	b.Helper()
	path := filepath.Join(b.TempDir(), "standings.db")
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < people; i += 4 {
		wg.Go(func() {
			c := commit(fmt.Sprintf("t%d", i), 0)
			c.Live, c.Channel, c.Result = false, "", finished(person(i), person(i+1), person(i+2), person(i+3))
			if _, err := db.Commit(b.Context(), c); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	if db, err = store.Open(path, store.Options{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// BenchmarkOpen opens a database of many tables, a tenth of them live, and
// lists the live ones.
func BenchmarkOpen(b *testing.B) {
	const n = 100_000
	path := filepath.Join(b.TempDir(), "many.db")
	db, err := store.Open(path, store.WithoutSync(store.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 200 {
		wg.Go(func() {
			for i := w; i < n; i += 200 {
				c := commit(fmt.Sprintf("t%06d", i), 0)
				c.Live = i%10 == 0
				c.Intents, c.Deadlines = nil, nil
				if c.Live {
					c.Deadlines = []store.Deadline{{Kind: "turn", At: storetest.Epoch().Add(time.Duration(i) * time.Second)}}
				}
				if _, err := db.Commit(b.Context(), c); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		db, err := store.Open(path, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		live := 0
		if err := db.LiveTables(b.Context(), func(string) error { live++; return nil }); err != nil || live != n/10 {
			b.Fatal(live, err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNoneDue asks for due deadlines among many that are not.
func BenchmarkNoneDue(b *testing.B) {
	db, err := store.Open(filepath.Join(b.TempDir(), "due.db"), store.WithoutSync(store.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	const n = 100_000
	var wg sync.WaitGroup
	for w := range 100 {
		wg.Go(func() {
			c := store.Change{Table: fmt.Sprintf("t%d", w)}
			for i := range n / 100 {
				c.Deadlines = append(c.Deadlines, store.Deadline{Kind: fmt.Sprintf("k%d", i), At: storetest.Epoch().Add(time.Duration(i*w) * time.Second)})
			}
			if _, err := db.Commit(b.Context(), c); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		due, err := db.Due(b.Context(), storetest.Epoch().Add(-1), 100)
		if err != nil || len(due) != 0 {
			b.Fatal(due, err)
		}
	}
}

func openBench(b *testing.B) *store.DB {
	b.Helper()
	db, err := store.Open(filepath.Join(b.TempDir(), "bench.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}
