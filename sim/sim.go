// Package sim plays squires against each other and counts: wins, honour, confidence intervals. It is what
// `paladin simulate` runs. For a seed the outcome is the same on any machine and with any number of workers.
package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// MaxGames is the most games of one run: what is counted stays far within 64 bits.
const MaxGames = 100_000_000

// Options say what is played.
type Options struct {
	Players int          // 3 to 5
	Games   int          // 1 to MaxGames
	Seed    int64        // from 0; all deals and all squires' chances follow from it
	Seats   []string     // names of squires, exactly Players of them; none at all means all normal
	Deck    paladin.Deck // the zero Deck means the house deck
	Workers int          // deals played at the same time; 0 or less means one a core

	// Progress, if set, is told now and then how many games are done, the last time that all are. It is called by the
	// goroutine that called Run, and done never falls.
	Progress func(done, total int)
	// Records, if set, is handed the record of each game, in order, n counting from 1, by the goroutine that called Run.
	// An error ends the run.
	Records func(n int, data []byte) error
	// Now, if set, is the clock by which seconds and moves per second are measured. Without it they are 0.
	Now func() time.Time
}

// A Result is what came out, in the order of the names in Options.Seats. Its JSON form is that of `simulate --json`.
type Result struct {
	Players        int     `json:"players"`
	Games          int     `json:"games"`
	Seed           int64   `json:"seed"`
	Seats          []Entry `json:"seats"`
	Seconds        float64 `json:"seconds"`
	MovesPerSecond float64 `json:"moves_per_second"`

	Deals int `json:"-"` // different deals that were played
	Moves int `json:"-"` // of all games together
}

// An Entry is how one of the named squires did.
type Entry struct {
	Squire     squire.Strength `json:"squire"`
	WinShare   float64         `json:"win_share"` // of the games; a shared win counts 1/k
	CI95       [2]float64      `json:"ci95"`      // 95 % confidence interval of WinShare, see [Run]
	MeanHonour float64         `json:"mean_honour"`
}

// squires checks the options and answers with the squires in the order of the names.
func (o *Options) squires() ([]squire.Strength, error) {
	switch {
	case o.Players < paladin.MinPlayers || o.Players > paladin.MaxPlayers:
		return nil, fmt.Errorf("players: %d is not possible: Paladin is for %d to %d players",
			o.Players, paladin.MinPlayers, paladin.MaxPlayers)
	case o.Games < 1 || o.Games > MaxGames:
		return nil, fmt.Errorf("games: %d is not possible: ask for 1 to %d", o.Games, MaxGames)
	case o.Seed < 0:
		return nil, fmt.Errorf("seed: %d is not possible: it is 0 to %d", o.Seed, math.MaxInt64)
	}
	out := make([]squire.Strength, o.Players)
	if len(o.Seats) == 0 {
		for i := range out {
			out[i] = squire.Normal
		}
		return out, nil
	}
	if len(o.Seats) != o.Players {
		return nil, fmt.Errorf("seats: %d given for %d players: name exactly one squire for each player",
			len(o.Seats), o.Players)
	}
	for i, name := range o.Seats {
		s, err := squire.Parse(strings.TrimSpace(name))
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("seats: %w", err)
		}
		out[i] = s
	}
	return out, nil
}

// Check says what is wrong with the options, or nil. The error is one line that names the option.
func (o *Options) Check() error {
	_, err := o.squires()
	return err
}

// Run plays all games: game g, from 0, is played on deal g/N, and the squire of name i sits in seat (i+g) mod N, so that
// every deal is played from each seat.
//
// The games of one deal are alike, so the confidence intervals are taken over deals: the mean over deals, give or take
// Student's t times its standard error (a last deal that is not played from every seat counts by its games), within 0
// and 1. One deal alone says nothing, and its interval is 0 to 1. Where somebody won all games or none, the interval is
// the exact one for as many wins or losses in a row as there were deals.
//
// The error is that of [Options.Check], of Records, or wraps that of ctx when it ends the run.
func Run(ctx context.Context, o Options) (Result, error) {
	squires, err := o.squires()
	if err != nil {
		return Result{}, err
	}
	if o.Deck == (paladin.Deck{}) {
		o.Deck = paladin.HouseDeck()
	}
	var began time.Time
	if o.Now != nil {
		began = o.Now()
	}
	sum, err := playAll(ctx, &o, squires)
	if err != nil {
		return Result{}, err
	}
	result := Result{Players: o.Players, Games: o.Games, Seed: o.Seed, Deals: sum.deals, Moves: sum.moves}
	for i, s := range squires {
		t := &sum.names[i]
		result.Seats = append(result.Seats, Entry{
			Squire:     s,
			WinShare:   float64(t.wins) / float64(wholeWin*o.Games),
			CI95:       t.interval(sum.deals, o.Games, sum.gamesSquared),
			MeanHonour: float64(t.honour) / float64(o.Games),
		})
	}
	if o.Now != nil {
		if took := o.Now().Sub(began); took > 0 {
			result.Seconds = math.Round(took.Seconds()*1000) / 1000
			result.MovesPerSecond = math.Round(float64(sum.moves) / took.Seconds())
		}
	}
	return result, nil
}

// errStopped says that a run was ended from outside.
var errStopped = errors.New("the simulation was stopped")
