package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// TestNothingIsFused compiles what must come out the same on every machine for a processor that can multiply and add in one
// step, rounding once instead of twice, and looks whether the compiler made use of that. An explicit float64() around
// the product forbids it; see package portable.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles for another processor")
	}
	fused := regexp.MustCompile(`\((\S+\.go:\d+)\)\s+(FN?M(?:ADD|SUB)[SD])\s`)
	cmd := exec.Command("go", "build", "-gcflags="+module+"/...=-S", "./game/...", "./sim/...")
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, listing)
	}
	products := 0
	for line := range bytes.Lines(listing) {
		if bytes.Contains(line, []byte("\tFMULD\t")) {
			products++
		}
		if m := fused.FindSubmatch(line); m != nil {
			t.Errorf("%s: %s", m[1], m[2])
		}
	}
	if products < 50 {
		t.Errorf("only %d products in the listing: it is not read as it should be", products)
	}
}
