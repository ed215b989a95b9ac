package render

import (
	"testing"
	"time"
)

// TestZonesCoverEveryClock: at any time of the year somebody finds a place for every hour, and no hour has more than a menu takes.
func TestZonesCoverEveryClock(t *testing.T) {
	seen := map[string]bool{}
	for _, z := range zones {
		if _, err := time.LoadLocation(z.Name); err != nil {
			t.Errorf("%s: %v", z.Name, err)
		}
		place := english.Say(z.Place)
		if seen[place] {
			t.Errorf("%s stands twice", place)
		}
		seen[place] = true
	}
	for at := opened; at.Before(opened.AddDate(1, 0, 0)); at = at.AddDate(0, 1, 0).Add(75 * time.Minute) {
		found := 0
		for hour := range 24 {
			here := ZonesAt(at, hour)
			if len(here) == 0 || len(here) == maxOptions {
				t.Fatalf("at %v %d places have the hour %d", at, len(here), hour)
			}
			found += len(here)
		}
		if found != len(zones) {
			t.Fatalf("at %v %d of %d places are found", at, found, len(zones))
		}
	}
}

// TestZonesWithOddClocks: half hours and quarters count, and so does daylight saving.
func TestZonesWithOddClocks(t *testing.T) {
	winter := time.Date(2026, 1, 15, 12, 20, 0, 0, time.UTC)
	for _, tc := range []struct {
		name string
		at   time.Time
		hour int
	}{
		{"Asia/Kolkata", winter, 17},
		{"Asia/Kathmandu", winter, 18},
		{"America/St_Johns", winter, 8},
		{"Pacific/Chatham", winter, 2},
		{"Europe/Berlin", winter, 13},
		{"Europe/Berlin", winter.AddDate(0, 6, 0), 14},
		{"Australia/Lord_Howe", winter, 23},
		{"Australia/Lord_Howe", winter.AddDate(0, 6, 0), 22},
	} {
		found := false
		for _, z := range ZonesAt(tc.at, tc.hour) {
			found = found || z.Name == tc.name
		}
		if !found {
			t.Errorf("%s is not offered for the hour %d at %v", tc.name, tc.hour, tc.at)
		}
	}
	if _, ok := ZoneNamed("../etc/passwd"); ok {
		t.Error("a name that was never offered is a zone")
	}
}
