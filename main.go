// Paladin is a Discord bot with which three to five people play the card game
// Paladin, in one binary with everything around it: the bot, a local Discord to
// try it in, and tools for records and databases.
//
// This package is the command line and the wiring: settings into a store, the
// store into the bot, the bot onto Discord or the sandbox. Every command is a
// file cmd_NAME.go; cmd_run.go chooses between them and turns errors into one
// line and an exit code.
package main

import (
	"os"
	"os/signal"
	"syscall"
	// People's quiet hours follow their own clocks, and many machines that run one static binary have no time zones of their own.
	_ "time/tzdata"

	"paladin/config"
)

func main() {
	// A reader that leaves early ("| head") must not kill the program half-way:
	// the write fails instead, and the command ends in order.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, config.Environ()))
}
