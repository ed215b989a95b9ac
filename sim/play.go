package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"paladin/game/paladin"
	"paladin/game/squire"
)

// Labels under which everything random in a run follows from its seed.
const (
	labelDeal   = "paladin/simulate/deal"
	labelSquire = "paladin/simulate/squire"
)

// derive is SHA-256 of label, the run's seed and a number, joined by ":".
func derive(label string, seed int64, n int) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s:%d:%d", label, seed, n))
}

// A dealt is one deal, played from each seat (the last deal of a run perhaps not from all).
type dealt struct {
	number  int
	wins    [paladin.MaxPlayers]int // by name, in parts of wholeWin
	honour  [paladin.MaxPlayers]int
	moves   int
	records [][]byte // one per game; nil where nobody asked for records
	err     error
}

// playAll shares the deals out among workers and counts what they report, in order. All of them have ended when it returns.
func playAll(ctx context.Context, o *Options, squires []squire.Strength) (*total, error) {
	deals := (o.Games + o.Players - 1) / o.Players
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, deals)

	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()

	// Each deal has its own channel, and those are handed on in order: so reports are counted in order too, and no worker
	// runs ahead by more than the queue holds.
	type job struct {
		number int
		report chan *dealt
	}
	jobs := make(chan job)
	inOrder := make(chan chan *dealt, 4*workers)
	running.Go(func() {
		defer close(jobs)
		defer close(inOrder)
		for number := range deals {
			report := make(chan *dealt, 1)
			select {
			case inOrder <- report:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- job{number, report}:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		running.Go(func() {
			for j := range jobs {
				j.report <- playDeal(ctx, o, squires, j.number)
			}
		})
	}
	return count(ctx, o, deals, inOrder)
}

// count adds up the reports and tells Progress and Records.
func count(ctx context.Context, o *Options, deals int, inOrder <-chan chan *dealt) (*total, error) {
	sum := &total{names: make([]tally, o.Players)}
	done, told := 0, 0
	for sum.deals < deals {
		var d *dealt
		select {
		case report := <-inOrder:
			select {
			case d = <-report:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w after %d of %d games: %w", errStopped, done, o.Games, context.Cause(ctx))
		}
		if d.err != nil {
			return nil, d.err
		}
		for _, data := range d.records {
			done++
			if o.Records == nil {
				continue
			}
			if err := o.Records(done, data); err != nil {
				return nil, fmt.Errorf("record of game %d: %w", done, err)
			}
		}
		sum.add(d)
		if o.Progress != nil && (done == o.Games || (done-told)*progressSteps >= o.Games) {
			told = done
			o.Progress(done, o.Games)
		}
	}
	return sum, nil
}

// progressSteps is about how often Progress is told in one run.
const progressSteps = 1000

// playDeal plays all games of one deal.
func playDeal(ctx context.Context, o *Options, squires []squire.Strength, number int) *dealt {
	d := &dealt{number: number}
	deal := paladin.SeededDeal(o.Deck, paladin.Seed(derive(labelDeal, o.Seed, number)), salt(o.Players))
	for g := number * o.Players; g < min((number+1)*o.Players, o.Games); g++ {
		if d.err = ctx.Err(); d.err != nil {
			return d
		}
		if d.err = d.play(o, deal, squires, g); d.err != nil {
			return d
		}
	}
	return d
}

// play plays game g.
func (d *dealt) play(o *Options, deal paladin.Deal, squires []squire.Strength, g int) error {
	state, err := paladin.New(o.Players, deal)
	if err != nil {
		return fmt.Errorf("game %d: deal: %w", g+1, err)
	}
	chance := derive(labelSquire, o.Seed, g)
	var moves []paladin.Move
	for !state.Over() {
		seat := state.ToAct()
		view := state.View(seat)
		// The seed of a decision is the game's with the number of the move worked in.
		decision := chance
		binary.BigEndian.PutUint64(decision[24:], binary.BigEndian.Uint64(chance[24:])^uint64(state.Moves()))
		mover := squires[nameAt(int(seat), g, o.Players)]
		move, err := mover.Choose(&view, decision)
		if err != nil {
			return fmt.Errorf("game %d, move %d: %v: %w", g+1, state.Moves()+1, mover, err)
		}
		next, _, err := state.Apply(move)
		if err != nil {
			return fmt.Errorf("game %d, move %d: %v: %q: %w", g+1, state.Moves()+1, mover, move, err)
		}
		state = next
		if o.Records != nil {
			moves = append(moves, move)
		}
	}
	scores, winners := state.Scores(), state.Winners()
	for _, w := range winners {
		d.wins[nameAt(int(w), g, o.Players)] += wholeWin / len(winners)
	}
	for seat, honour := range scores {
		d.honour[nameAt(seat, g, o.Players)] += honour
	}
	d.moves += state.Moves()
	var record []byte
	if o.Records != nil {
		written := paladin.NewRecord(deal, moves, &state)
		record = written.Encode()
	}
	d.records = append(d.records, record)
	return nil
}

// nameAt is the index of the name whose squire sits in a seat, counted from 0, in game g.
func nameAt(seat, g, players int) int {
	return ((seat-g)%players + players) % players
}

// salt is the public entropy of a simulated game: nobody's (R20).
func salt(players int) string {
	parts := make([]string, players)
	for i := range parts {
		parts[i] = "-"
	}
	return paladin.Salt(parts, "")
}
