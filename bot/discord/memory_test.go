package discord

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"testing"
)

// instant answers every request without a network.
type instant struct{}

func (instant) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(`{"id":"1"}`))), Request: r}, nil
}

func instantClient(t testing.TB) *Client {
	c, err := New(Config{Token: testToken, APIURL: "http://discord.test/api"})
	if err != nil {
		t.Fatal(err)
	}
	c.rest.Client.Transport.(*edge).network = instant{}
	return c
}

// interact answers, edits and follows up one interaction of its own.
func interact(t testing.TB, c *Client, n int) {
	i := press()
	i.ID, i.Token = strconv.Itoa(n), "token-of-press-"+strconv.Itoa(n)
	if _, err := c.Respond(t.Context(), i, Response{Kind: DeferUpdate}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.EditOriginal(t.Context(), i, Message{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.FollowUp(t.Context(), i, Message{}); err != nil {
		t.Fatal(err)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Nothing is kept of an interaction that is over.
func TestMemoryPerInteraction(t *testing.T) { // R1
	c := instantClient(t)
	for n := range 200 {
		interact(t, c, n)
	}
	const count = 1500
	before := heap()
	for n := range count {
		interact(t, c, 1000+n)
	}
	after := heap()
	// discordgo's own calls would keep about 800 bytes each, 1.2 MB in all.
	if after > before+150_000 {
		t.Errorf("%d bytes kept per interaction", (after-before)/count)
	}
	runtime.KeepAlive(c)
}

// BenchmarkInteraction reports what a whole interaction costs in this package
// and what it leaves behind: go test -bench Interaction -benchtime 1000000x
func BenchmarkInteraction(b *testing.B) {
	c := instantClient(b)
	interact(b, c, 0)
	before := heap()
	for n := 1; b.Loop(); n++ {
		interact(b, c, n)
	}
	b.StopTimer()
	after := heap()
	b.ReportMetric(max(0, float64(after)-float64(before))/float64(b.N), "heap-B/op")
	runtime.KeepAlive(c)
}
