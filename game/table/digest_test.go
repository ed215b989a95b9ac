package table_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"paladin/game/paladin"
	"paladin/game/table"
)

// seeded is a live game of seeds as they are drawn, at which a squire sits and somebody voted.
func seeded(t testing.TB) table.Table {
	t.Helper()
	o := opening("Ann", 3)
	o.Seed, o.SquireSeed = sha256.Sum256([]byte("deal")), sha256.Sum256([]byte("squires"))
	at, out, err := table.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, at: at, lines: out.Lines, now: start}
	l.do(person("Ben"), table.Join{})
	l.do(person("Ann"), table.AddSquire{})
	l.do(person("Ann"), table.Start{})
	l.do(person("Ben"), table.VoteStop{})
	for range 15 {
		l.step(first)
	}
	return l.at
}

func stores(t testing.TB, at *table.Table) []byte {
	t.Helper()
	data, err := at.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDecodeFindsEveryChangedBit: also of what follows from nothing else, like the squires' seed.
func TestDecodeFindsEveryChangedBit(t *testing.T) {
	at := seeded(t)
	good := stores(t, &at)
	if _, err := table.Decode(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			if _, err := table.Decode(bad); err == nil {
				t.Fatalf("bit %d of byte %d is changed and nothing is said: %s", bit, i, bad)
			}
		}
	}
}

// TestDigestIsNothingToAnOlderProgram: it sees the fields it knows, and seeds, whose letters have
// no case for it. What it stores has no digest, and this program reads that.
func TestDigestIsNothingToAnOlderProgram(t *testing.T) {
	at := seeded(t)
	text := string(stores(t, &at))
	seeds := regexp.MustCompile(`"(?:squire_)?seed":"([0-9a-fA-F]{64})"`)
	older := seeds.ReplaceAllStringFunc(text, strings.ToLower)
	if older == text {
		t.Fatalf("there is no digest in %s", text)
	}
	for _, m := range seeds.FindAllStringSubmatch(text, -1) {
		as, err := paladin.ParseSeed(m[1])
		if err != nil || as.String() != strings.ToLower(m[1]) {
			t.Errorf("%s is read as %s: %v", m[1], as, err)
		}
	}
	back, err := table.Decode([]byte(older))
	if err != nil {
		t.Fatal(err)
	}
	if again := stores(t, &back); string(again) != text {
		t.Errorf("the next commit stores\n%s\ninstead of\n%s", again, text)
	}
}

// TestDigestStandsInsideOtherJSON: a practice game is part of a setting.
func TestDigestStandsInsideOtherJSON(t *testing.T) {
	o := opening("<Ann & \"Ben\">\u2028\xff", 3)
	o.Seed, o.SquireSeed = sha256.Sum256([]byte("deal")), sha256.Sum256([]byte("squires"))
	at, _, err := table.Practise(o)
	if err != nil {
		t.Fatal(err)
	}
	setting, err := json.Marshal(map[string]json.RawMessage{"table": stores(t, &at)})
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(setting, &kept); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Decode(kept["table"]); err != nil {
		t.Error(err)
	}
}
