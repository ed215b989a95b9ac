package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"paladin/config"
	"paladin/sim"
)

const progressWidth = 60

type simulateCmd struct {
	Players int      `required:"" placeholder:"N" help:"Seats at the table, 3 to 5."`
	Games   int      `required:"" placeholder:"N" help:"How many games to play; every deal is played from each seat."`
	Seed    int64    `required:"" placeholder:"S" help:"From 0 to 9223372036854775807; the same seed gives the same games."`
	Seats   []string `sep:"," placeholder:"NAMES" help:"Who plays: easy, normal or knight, one name per seat, with commas (default: all normal)."`
	Records string   `placeholder:"DIR" help:"Create this directory and write the record of every game into it."`
	JSON    bool     `name:"json" help:"Print the result as one JSON object."`
}

// Run plays the games and prints who won. It has no time cap, so that a seed
// gives the same result on every machine; only the speed differs.
func (c *simulateCmd) Run(p *process) error {
	cfg, err := p.settings(config.Simulate)
	if err != nil {
		return err
	}
	p.warn(cfg.Warnings)
	deck, err := loadDeck(cfg.DeckPath)
	if err != nil {
		return err
	}
	options := sim.Options{Players: c.Players, Games: c.Games, Seed: c.Seed, Seats: c.Seats, Deck: deck, Now: time.Now}
	if err := options.Check(); err != nil {
		return err
	}
	if c.Records != "" {
		if err := os.MkdirAll(c.Records, 0o777); err != nil {
			return fmt.Errorf("--records: cannot create the directory %s: %w", c.Records, cause(err))
		}
		options.Records = func(n int, data []byte) error { return writeRecord(c.Records, n, data) }
	}
	if isTerminal(p.stderr) {
		options.Progress = func(done, total int) {
			fmt.Fprintf(p.stderr, "\r\x1b[K%s", sim.Bar(done, total, progressWidth))
			if done == total {
				fmt.Fprint(p.stderr, "\r\x1b[K")
			}
		}
	}
	if options.Progress != nil {
		options.Progress(0, c.Games) // a knight takes its time
	}
	result, err := sim.Run(context.Background(), options)
	if err != nil {
		return err
	}
	if !c.JSON {
		fmt.Fprint(p.stdout, result.Table())
		return nil
	}
	if err := json.NewEncoder(p.stdout).Encode(result); err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return nil
}

// writeRecord never overwrites: an older run's records in the same directory
// would be mixed with this one's.
func writeRecord(dir string, n int, data []byte) error {
	name := filepath.Join(dir, fmt.Sprintf("%06d.json", n))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("--records: cannot create %s: %w; name a new directory", name, cause(err))
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return fmt.Errorf("--records: cannot write %s: %w", name, cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("--records: cannot write %s: %w", name, cause(err))
	}
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
