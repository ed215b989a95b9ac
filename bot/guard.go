package bot

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
)

// guard runs f and reports whether it came to its end. A panic in f is a bug of ours: it is logged,
// and costs what f was for and nothing else. What f holds it must let go of by defer.
func guard(log *slog.Logger, what string, f func(), about ...any) (done bool) {
	defer func() {
		if p := recover(); p != nil {
			about = append(slices.Clip(about), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			log.Error("bug: "+what+" panicked", about...)
		}
	}()
	f()
	return true
}

// beside runs f, guarded, in a goroutine of its own. No other place in this package starts one: a
// panic in a bare goroutine would end the process, and with it every game.
func beside(log *slog.Logger, what string, f func(), about ...any) {
	go func() { guard(log, what, f, about...) }()
}

// asError makes a panic the error of the function that defers it.
func asError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("bug: it panicked: %v\n%s", p, debug.Stack())
	}
}
