package bot

import (
	"strings"
	"testing"
)

// TestAPictureThatPanicsIsNone: the texts say everything.
func TestAPictureThatPanicsIsNone(t *testing.T) {
	png, err := drawn(func() ([]byte, error) { panic("a bug over one picture") })
	if png != nil || err == nil || !strings.Contains(err.Error(), "a bug over one picture") || !strings.Contains(err.Error(), "pictures_fault_test.go") {
		t.Errorf("it draws %d bytes, error %v", len(png), err)
	}
}
