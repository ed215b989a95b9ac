package sim

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/runs.txt")

// TestRunIsTheSameEverywhere compares outcomes to the last bit with testdata/runs.txt, whatever machine runs it: the result as
// JSON, and the SHA-256 of all records. Whoever means to change how squires play runs it with -update.
func TestRunIsTheSameEverywhere(t *testing.T) {
	var got strings.Builder
	knights := Options{Players: 3, Games: 4, Seed: 9, Seats: []string{"easy", "knight", "normal"}}
	for _, o := range []Options{mixed(3), mixed(4), mixed(5), knights} {
		sum := sha256.New()
		o.Records = func(_ int, data []byte) error {
			sum.Write(data)
			return nil
		}
		result, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.MarshalIndent(result, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s\n%x\n", data, sum.Sum(nil))
	}
	name := filepath.Join("testdata", "runs.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
