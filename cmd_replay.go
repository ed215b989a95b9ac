package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"paladin/game/paladin"
)

// recordBytesMax is far above any game: a record is a few kilobytes.
const recordBytesMax = 64 << 20

type replayCmd struct {
	Trace bool   `help:"Print every position as a line of JSON."`
	JSON  bool   `name:"json" help:"Print the result as one JSON object."`
	File  string `arg:"" help:"The record to play through; - reads standard input."`
}

// Run plays a record through. A fault in it is one line on standard error, word
// for word as the rules page fixes it, and exit code 1.
func (c *replayCmd) Run(p *process) error {
	if c.Trace && c.JSON {
		return errors.New("--trace and --json exclude each other: give one of them; see paladin replay --help")
	}
	data, err := p.readRecord(c.File)
	if err != nil {
		return err
	}
	if c.Trace {
		return p.trace(data)
	}
	result, err := paladin.Replay(data)
	switch {
	case c.JSON:
		fmt.Fprintf(p.stdout, "%s\n", result.JSON())
	case err == nil:
		fmt.Fprint(p.stdout, string(result.Summary()))
	}
	if err != nil {
		return verdict(err)
	}
	return nil
}

func (p *process) trace(data []byte) error {
	err := paladin.Trace(data, func(line []byte) error {
		// A reader that has gone away must not hide the verdict on the record:
		// output remembers its error, and the record is played to its end.
		fmt.Fprintf(p.stdout, "%s\n", line)
		return nil
	})
	if err != nil {
		return verdict(err)
	}
	return nil
}

func (p *process) readRecord(name string) ([]byte, error) {
	if name == "" {
		return nil, errors.New("FILE is empty: give the path of a record file, or - for standard input")
	}
	in, shown := p.stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the record %s: %w; give the path of a record file, or - for standard input", name, cause(err))
		}
		defer f.Close()
		in, shown = f, name
	}
	data, err := io.ReadAll(io.LimitReader(in, recordBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the record %s: %w", shown, cause(err))
	}
	if len(data) > recordBytesMax {
		return nil, wrong(fmt.Errorf("%s is larger than %d MiB: no record is", shown, recordBytesMax>>20))
	}
	return data, nil
}
