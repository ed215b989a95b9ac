package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"paladin/game/paladin"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsCheck(t *testing.T) {
	good := Options{Players: 3, Games: 1, Seed: 0, Seats: []string{"normal", "easy", "easy"}}
	tests := []struct {
		name   string
		change func(*Options)
		want   string // of the error; empty: none
	}{
		{"good", func(*Options) {}, ""},
		{"no seats are all normal", func(o *Options) { o.Seats = nil }, ""},
		{"spaces around names", func(o *Options) { o.Seats = []string{" easy", "easy ", "normal"} }, ""},
		{"greatest seed", func(o *Options) { o.Seed = math.MaxInt64 }, ""},
		{"two players", func(o *Options) { o.Players = 2 }, "players: 2 is not possible: Paladin is for 3 to 5 players"},
		{"six players", func(o *Options) { o.Players = 6 }, "players: 6 is not possible: Paladin is for 3 to 5 players"},
		{"no games", func(o *Options) { o.Games = 0 }, "games: 0 is not possible: ask for 1 to 100000000"},
		{"games below 0", func(o *Options) { o.Games = -4 }, "games: -4 is not possible: ask for 1 to 100000000"},
		{"too many games", func(o *Options) { o.Games = MaxGames + 1 },
			"games: 100000001 is not possible: ask for 1 to 100000000"},
		{"seed below 0", func(o *Options) { o.Seed = -1 }, "seed: -1 is not possible: it is 0 to 9223372036854775807"},
		{"a seat too few", func(o *Options) { o.Seats = o.Seats[:2] },
			"seats: 2 given for 3 players: name exactly one squire for each player"},
		{"a seat too many", func(o *Options) { o.Players, o.Seats = 3, []string{"easy", "easy", "easy", "easy"} },
			"seats: 4 given for 3 players: name exactly one squire for each player"},
		{"knight", func(o *Options) { o.Seats = []string{"easy", "knight", "easy"} }, ""},
		{"nobody", func(o *Options) { o.Seats = []string{"easy", "", "easy"} },
			`seats: there is no squire "": choose easy, normal or knight`},
		{"unknown", func(o *Options) { o.Seats = []string{"easy", "Normal", "easy"} },
			`seats: there is no squire "Normal": choose easy, normal or knight`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := good
			test.change(&o)
			got := ""
			if err := o.Check(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Check: %q, want %q", got, test.want)
			}
			if test.want == "" {
				return
			}
			if _, err := Run(context.Background(), o); err == nil || err.Error() != test.want {
				t.Errorf("Run: %v, want %q", err, test.want)
			}
		})
	}
}

// mixed is a small run in which everything can differ: strengths, a deal that is not played from all seats, shared wins.
func mixed(players int) Options {
	seats := []string{"normal", "easy", "easy", "normal", "easy"}
	return Options{Players: players, Games: 6*players + 2, Seed: 7, Seats: seats[:players]}
}

// TestRunIsTheSameForAnyNumberOfWorkers runs the same games by 1, 2 and 8 workers: result, records and their order agree.
func TestRunIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		var want Result
		var wantRecords []string
		for _, workers := range []int{1, 2, 8} {
			o := mixed(players)
			o.Workers = workers
			var records []string
			o.Records = func(n int, data []byte) error {
				records = append(records, fmt.Sprint(n, " ", string(data)))
				return nil
			}
			got, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if workers == 1 {
				want, wantRecords = got, records
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d players, %d workers (-one worker +these):\n%s", players, workers, diff)
			}
			if diff := cmp.Diff(wantRecords, records); diff != "" {
				t.Errorf("%d players, %d workers: the records differ", players, workers)
			}
		}
		o := mixed(players)
		o.Seed++
		if other, err := Run(context.Background(), o); err != nil || cmp.Equal(want.Seats, other.Seats) {
			t.Errorf("%d players: another seed has the same outcome (error %v)", players, err)
		}
	}
}

// TestKnightsAreTheSameForAnyNumberOfWorkers is that with a knight, whose decisions are a search each.
func TestKnightsAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	var want Result
	for _, workers := range []int{1, 3} {
		o := Options{Players: 3, Games: 4, Seed: 7, Seats: []string{"knight", "easy", "normal"}, Workers: workers}
		got, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers (-one worker +these):\n%s", workers, diff)
		}
	}
}

// TestRecordsReplay checks every record by the rules and counts wins and honour from the records alone.
func TestRecordsReplay(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		o := mixed(players)
		wins, honour := make([]float64, players), make([]float64, players)
		deals := map[string]bool{}
		moves, last := 0, 0
		o.Records = func(n int, data []byte) error {
			if last++; n != last {
				t.Errorf("record %d comes after record %d", n, last-1)
			}
			replayed, err := paladin.Replay(data)
			if err != nil {
				t.Errorf("game %d: %v", n, err)
				return nil
			}
			moves += replayed.Moves
			var record struct {
				Seed, Salt string
				Scores     []int
				Winners    []int
			}
			if err := json.Unmarshal(data, &record); err != nil {
				return err
			}
			if want := strings.Repeat("-,", players-1) + "-"; record.Salt != want {
				t.Errorf("game %d: salt %q, want %q", n, record.Salt, want)
			}
			if (n-1)%players != 0 && !deals[record.Seed] {
				t.Errorf("game %d is not played on the deal of the game before", n)
			}
			deals[record.Seed] = true
			// Name i sits at seat ((i+g) mod N)+1.
			for i := range players {
				seat := (i+(n-1))%players + 1
				honour[i] += float64(record.Scores[seat-1])
				for _, w := range record.Winners {
					if w == seat {
						wins[i] += 1 / float64(len(record.Winners))
					}
				}
			}
			return nil
		}
		result, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if last != o.Games || len(deals) != 7 || result.Deals != 7 || result.Moves != moves {
			t.Errorf("%d players: %d records on %d deals with %d moves; the result says %d deals and %d moves",
				players, last, len(deals), moves, result.Deals, result.Moves)
		}
		for i, e := range result.Seats {
			if !near(e.WinShare, wins[i]/float64(o.Games)) || !near(e.MeanHonour, honour[i]/float64(o.Games)) {
				t.Errorf("%d players: name %d (%v) has win share %v and honour %v; the records say %v and %v", players, i,
					e.Squire, e.WinShare, e.MeanHonour, wins[i]/float64(o.Games), honour[i]/float64(o.Games))
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSharesAddUp(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		for _, games := range []int{1, players, 5*players + 1} {
			o := mixed(players)
			o.Games = games
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, e := range r.Seats {
				sum += e.WinShare
				if e.CI95[0] < 0 || e.CI95[0] > e.WinShare || e.WinShare > e.CI95[1] || e.CI95[1] > 1 {
					t.Errorf("%d games: win share %v in %v", games, e.WinShare, e.CI95)
				}
				if one := games <= players; one && e.CI95 != [2]float64{0, 1} {
					t.Errorf("%d games: one deal says %v", games, e.CI95)
				}
			}
			if !near(sum, 1) {
				t.Errorf("%d players, %d games: the win shares sum to %v", players, games, sum)
			}
		}
	}
}

// TestNormalBeatsEasy is a coarse guard of the strengths: the seed is fixed, so it either fails or it does not, and the
// margins are wide. The figures that count are measured by many more games.
func TestNormalBeatsEasy(t *testing.T) {
	least := map[int]float64{3: 0.88, 4: 0.83, 5: 0.78}
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		seats := append([]string{"normal"}, []string{"easy", "easy", "easy", "easy"}[:players-1]...)
		r, err := Run(context.Background(), Options{Players: players, Games: 40 * players, Seed: 1, Seats: seats})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Seats[0].WinShare; got < least[players] {
			t.Errorf("one normal among easy wins %.3f of the games at %d seats, want at least %v", got, players, least[players])
		}
	}
}

func TestProgress(t *testing.T) {
	o := mixed(4)
	last, calls := 0, 0
	o.Progress = func(done, total int) {
		calls++
		if done <= last || total != o.Games {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if last != o.Games || calls != 7 {
		t.Errorf("the last of %d progress reports is %d of %d games", calls, last, o.Games)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := mixed(3)
	o.Games = 3000
	o.Progress = func(done, total int) {
		if done >= 30 {
			cancel()
		}
	}
	_, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want one that wraps %v", err, context.Canceled)
	}
	if want := "the simulation was stopped after 30 of 3000 games: context canceled"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestRecordsError(t *testing.T) {
	full := errors.New("the disk is full")
	o := mixed(3)
	o.Records = func(n int, _ []byte) error {
		if n == 5 {
			return full
		}
		return nil
	}
	_, err := Run(context.Background(), o)
	if !errors.Is(err, full) || err.Error() != "record of game 5: the disk is full" {
		t.Errorf("error %v", err)
	}
}

// TestClock reads the clock through Now alone: two calls, two seconds apart.
func TestClock(t *testing.T) {
	o := mixed(3)
	o.Games = 3
	now := time.Date(2004, 10, 21, 0, 0, 0, 0, time.UTC)
	o.Now = func() time.Time {
		now = now.Add(2 * time.Second)
		return now
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Seconds != 2 || r.MovesPerSecond != math.Round(float64(r.Moves)/2) {
		t.Errorf("%d moves in %v seconds, %v a second", r.Moves, r.Seconds, r.MovesPerSecond)
	}
}

func TestResultJSON(t *testing.T) {
	r := sample()
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"players":3,"games":400,"seed":7,"seats":[` +
		`{"squire":"normal","win_share":0.97,"ci95":[0.95,0.99],"mean_honour":41.9},` +
		`{"squire":"easy","win_share":0.02,"ci95":[0,0.04],"mean_honour":15},` +
		`{"squire":"easy","win_share":0.01,"ci95":[0,0.03],"mean_honour":14.5}],` +
		`"seconds":1.9,"moves_per_second":512000}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}
