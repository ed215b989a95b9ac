// Package sim plays squires against each other and counts: wins, honour, confidence intervals. It is what
// `paladin simulate` runs. For a seed the outcome is the same on any machine and with any number of workers.
package sim

import (
	"context"
	"time"

	"paladin/game/paladin"
)

// Options say what is played.
type Options struct {
	Players int          // 3 to 5
	Games   int          // at least 1
	Seed    int64        // from 0; all deals and all squires' chances follow from it
	Seats   []string     // names of squires, exactly Players of them; none at all means all normal
	Deck    paladin.Deck // the zero Deck means the house deck
	Workers int          // games played at the same time; 0 or less means one a core

	// Progress, if set, is told now and then how many games are done, the last time that all are. It is never called by
	// two goroutines at once, and done never falls.
	Progress func(done, total int)
	// Records, if set, is handed the record of each game, in order, n counting from 1. It is never called by two goroutines
	// at once. An error ends the run.
	Records func(n int, data []byte) error
	// Now, if set, is the clock by which seconds and moves per second are measured. Without it they are 0.
	Now func() time.Time
}

// A Result is what came out, in the order of the names in Options.Seats. Its JSON form is that of `simulate --json`.
type Result struct {
	Players        int      `json:"players"`
	Games          int      `json:"games"`
	Seed           int64    `json:"seed"`
	Seats          []Squire `json:"seats"`
	Seconds        float64  `json:"seconds"`
	MovesPerSecond float64  `json:"moves_per_second"`
}

// A Squire is how one of the named squires did.
type Squire struct {
	Name       string     `json:"squire"`
	WinShare   float64    `json:"win_share"` // of the games; a shared win counts 1/k
	CI95       [2]float64 `json:"ci95"`      // 95 % confidence interval of WinShare, over deals
	MeanHonour float64    `json:"mean_honour"`
}

// Check says what is wrong with the options, or nil.
func (o *Options) Check() error { panic("later") }

// Run plays all games. The error is that of [Options.Check], of ctx when it ends the run, or of Records.
func Run(ctx context.Context, o Options) (Result, error) { panic("later") }

// Table is the result as a text for people.
func (r *Result) Table() string { panic("later") }

// Progress is a progress bar, width columns wide at most.
func Progress(done, total, width int) string { panic("later") }
