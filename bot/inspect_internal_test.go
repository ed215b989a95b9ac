package bot

import (
	"strings"
	"testing"
)

// TestAPanicOverOneRecordIsAFaultOfIt: a row that nobody can hold against anything panics.
func TestAPanicOverOneRecordIsAFaultOfIt(t *testing.T) {
	if err := inspectTable(nil, nil); err == nil || !strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
