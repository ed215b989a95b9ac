package bot

import "time"

// Clock is the time the application lives by. Tests bring their own.
type Clock interface {
	Now() time.Time
	// Timer returns a timer that fires once after d.
	Timer(d time.Duration) Timer
}

// Timer is a time.Timer, or a test's.
type Timer interface {
	C() <-chan time.Time
	Stop()
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now returns the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// Timer returns a timer of the runtime.
func (SystemClock) Timer(d time.Duration) Timer { return systemTimer{time.NewTimer(d)} }

type systemTimer struct{ t *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.t.C }
func (t systemTimer) Stop()               { t.t.Stop() }
