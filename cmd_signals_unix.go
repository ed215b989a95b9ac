//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// backupDemand returns a channel on which every SIGUSR1 asks for a backup. One
// that arrives while another waits asks for nothing more.
func backupDemand() (demand <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	return c, func() { signal.Stop(c) }
}
