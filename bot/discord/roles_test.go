package discord

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRolesOfWhoActs: the member's roles are read, whatever odd form they come in.
func TestRolesOfWhoActs(t *testing.T) {
	for data, want := range map[string][]string{
		`{"id":"1","token":"t","type":2,"member":{"user":{"id":"2"},"roles":["3","4"]}}`: {"3", "4"},
		`{"id":"1","token":"t","type":2,"member":{"user":{"id":"2"},"roles":[3]}}`:       {"3"},
		`{"id":"1","token":"t","type":2,"member":{"user":{"id":"2"},"roles":[]}}`:        nil,
		`{"id":"1","token":"t","type":2,"member":{"user":{"id":"2"},"roles":"odd"}}`:     nil,
		`{"id":"1","token":"t","type":2,"member":{"user":{"id":"2"}}}`:                   nil,
		`{"id":"1","token":"t","type":2,"user":{"id":"2"}}`:                              nil,
	} {
		i := parseInteraction([]byte(data), time.Time{})
		if diff := cmp.Diff(want, i.Roles); diff != "" || i.User.ID != "2" {
			t.Errorf("%s: user %q, roles (-want +got):\n%s", data, i.User.ID, diff)
		}
	}
}
