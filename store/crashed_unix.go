//go:build unix

package store

import (
	"os/exec"
	"syscall"
)

// crashed reports whether a process was ended by a signal that it brought upon
// itself.
func crashed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP:
		return true
	}
	return false
}
