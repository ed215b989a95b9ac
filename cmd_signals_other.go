//go:build !unix

package main

import "os"

// backupDemand never asks: there is no SIGUSR1 here.
func backupDemand() (demand <-chan os.Signal, stop func()) {
	return nil, func() {}
}
