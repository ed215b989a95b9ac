package paladin

import (
	"os"
	"testing"
)

func TestQuick(t *testing.T) {
	data, err := os.ReadFile("testdata/x.json")
	if err != nil {
		t.Skip()
	}
	i := 0
	t.Log(Trace(data, func(l []byte) error { i++; t.Log(string(l)); return nil }))
	r, err := Replay(data)
	t.Log(string(r.Summary()), string(r.JSON()), err)
}
